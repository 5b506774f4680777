/** The page's own styles as far as a report needs them, and those of the report. */
import figures from "../styles/figures.css?inline";
import profile from "../styles/profile.css?inline";
import tokens from "../styles/tokens.css?inline";
import report from "./report.css?inline";

export const REPORT_STYLES = [tokens, figures, profile, report].join("\n");
