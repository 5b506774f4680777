import type { FamilyChoice, FamilyId, FamilyInfo, StrengthScale } from "../../../variants/index.ts";

export type ReadStrengths =
  | { readonly ok: true; readonly strengths: readonly number[] }
  | { readonly ok: false; readonly message: string };

/** Strengths as people type them: "−10, −5; 5 10", in any order, each once. */
export function readStrengths(text: string, scale: StrengthScale): ReadStrengths {
  const parts = text
    .replaceAll("\u2212", "-")
    .split(/[\s;,]+/u)
    .filter((part) => part !== "");
  const strengths = [...new Set(parts.map(Number))];
  const wrong = parts.find((part) => {
    const value = Number(part);
    const steps = (value - scale.min) / scale.step;
    return !(value >= scale.min && value <= scale.max) || value === scale.neutral || !Number.isInteger(steps);
  });
  if (wrong !== undefined) {
    return {
      ok: false,
      message: `“${wrong}” is not a strength here: ${signed(scale.min)} to ${signed(scale.max)} in steps of ${scale.step}, without ${scale.neutral}.`,
    };
  }
  return strengths.length === 0
    ? { ok: false, message: "Type at least one strength." }
    : { ok: true, strengths: strengths.sort((a, b) => a - b) };
}

/** As the reader types them. */
export function strengthsText(strengths: readonly number[]): string {
  return strengths.map(signed).join("  ");
}

function signed(value: number): string {
  return value < 0 ? `\u2212${-value}` : String(value);
}

/** What is ticked, with its strengths; or what is wrong with them, naming the family. */
export function familyChoices(
  families: readonly FamilyInfo[],
  ticked: ReadonlySet<FamilyId>,
  typed: Readonly<Partial<Record<FamilyId, string>>>,
): { readonly choices: readonly FamilyChoice[]; readonly problem: string | null } {
  const choices: FamilyChoice[] = [];
  for (const { id, name, scale } of families) {
    if (!ticked.has(id)) continue;
    if (scale === null) {
      choices.push({ family: id });
      continue;
    }
    const read = readStrengths(typed[id] ?? strengthsText(scale.suggested), scale);
    if (!read.ok) return { choices: [], problem: `${name}: ${read.message}` };
    choices.push({ family: id, strengths: read.strengths });
  }
  return { choices, problem: choices.length === 0 ? "Choose at least one family." : null };
}
