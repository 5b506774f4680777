/** Numbers and dates as the page writes them: two decimals, a true minus, "0.27 to 0.43", never a dash between numbers. */
import { format } from "d3-format";

const fixed = new Map<number, (value: number) => string>();

/** "0.38", "−0.02"; what rounds to zero has no sign. Null, NaN and infinities are "–": say the reason beside it. */
export function num(value: number | null, decimals = 2): string {
  if (value === null || !Number.isFinite(value)) return "–";
  let write = fixed.get(decimals);
  if (write === undefined) {
    write = format(`.${decimals}f`);
    fixed.set(decimals, write);
  }
  const text = write(Math.abs(value));
  return value < 0 && Number(text) !== 0 ? `−${text}` : text;
}

/** "0.27 to 0.43"; null where an end is missing. */
export function interval(low: number | null, high: number | null): string | null {
  return low === null || high === null ? null : `${num(low)} to ${num(high)}`;
}

/** A share in [0, 1] as "56 %", with a space that does not break. */
export function percent(share: number): string {
  return `${Math.round(share * 100)}\u00a0%`;
}

/** "41 to 62 %". */
export function percentRange(low: number, high: number): string {
  const [a, b] = [Math.round(low * 100), Math.round(high * 100)];
  return a === b ? `${a}\u00a0%` : `${a} to ${b}\u00a0%`;
}

const UNITS = ["bytes", "kB", "MB", "GB", "TB"] as const;

/** Decimal units, as download managers and disks count: "88 MB", "1.9 MB", "512 bytes". */
export function bytes(count: number): string {
  let value = count;
  let unit = 0;
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const text = unit === 0 || value >= 9.95 ? String(Math.round(value)) : num(value, 1);
  return `${text}\u00a0${UNITS[unit] ?? "bytes"}`;
}

/** "41 of 88 MB": both in the unit of the total. */
export function bytesOf(done: number, total: number): string {
  const text = bytes(total);
  const unit = text.slice(text.indexOf("\u00a0") + 1);
  const size =
    1000 **
    Math.max(
      0,
      UNITS.findIndex((name) => name === unit),
    );
  return `${Math.round(done / size)} of ${text}`;
}

/** "18 s", "1 min 38 s", "7 min", "2 h 5 min": at most two parts, the second dropped where it does not matter. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole}\u00a0s`;
  if (whole < 600) {
    const rest = whole % 60;
    return `${Math.floor(whole / 60)}\u00a0min${rest === 0 ? "" : ` ${rest}\u00a0s`}`;
  }
  const minutes = Math.round(whole / 60);
  if (minutes < 60) return `${minutes}\u00a0min`;
  const rest = minutes % 60;
  return `${Math.floor(minutes / 60)}\u00a0h${rest === 0 ? "" : ` ${rest}\u00a0min`}`;
}

/** A duration before the fact: "about 7 min", "less than a minute". */
export function aboutDuration(seconds: number): string {
  if (seconds < 50) return "less than a minute";
  if (seconds < 5400) return `about ${Math.max(1, Math.round(seconds / 60))}\u00a0min`;
  return `about ${num(seconds / 3600, 1)}\u00a0h`;
}

const WORDS = [
  "no",
  "one",
  "two",
  "three",
  "four",
  "five",
  "six",
  "seven",
  "eight",
  "nine",
  "ten",
  "eleven",
  "twelve",
];

/** Small counts as words ("six", "no"), larger ones as digits. */
export function countWord(count: number): string {
  return WORDS[count] ?? String(count);
}

export function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** A reason as a sentence: "all answers are empty" becomes "All answers are empty." */
export function asSentence(text: string): string {
  const trimmed = capital(text.trim());
  return /[.!?…]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}

/** "1 answer", "3 answers". */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** P values as text: "p < 0.001", "p = 0.03", and never "p = 0". */
export function pValue(p: number): string {
  if (p < 0.001) return "p < 0.001";
  return `p = ${num(p, p < 0.1 ? 3 : 2)}`;
}

/** Day and time in the reader's own language and zone. */
export function moment(iso: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return iso;
  return date.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}
