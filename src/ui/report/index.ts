/** A run as one file for readers: an HTML document with charts, answers, methods and environment. */
import type { Analysis, RunRecord } from "../controller.ts";
import { productVersion } from "../../version.ts";
import { drawCharts } from "./draw-charts.ts";
import { Markup } from "./markup.ts";
import { reportDocument } from "./report-document.ts";
import { REPORT_STYLES } from "./styles.ts";

export async function writeReport(run: RunRecord, analysis: Analysis): Promise<Blob> {
  const text = reportDocument({
    run,
    analysis,
    charts: await drawCharts(analysis),
    styles: new Markup(REPORT_STYLES),
    productVersion,
    browser: navigator.userAgent,
    writtenAt: new Date().toISOString(),
  });
  return new Blob([text], { type: "text/html;charset=utf-8" });
}
