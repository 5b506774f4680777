import { commandAfter, formOf, looksEnglish } from "../english-sentence.ts";
import { freeText, hideProtected } from "../protected-text.ts";
import { NOT_ENGLISH, type Draft, type Family } from "./family.ts";

/** Words around the request, "…" where it stands. Level n of a list is strength n + 1. */
const POLITE = [
  "Please: …",
  "Please: … Thanks.",
  "Hello. Please: … Thank you.",
  "Hello, I hope you are well. Please: … Thank you very much.",
  "Excuse me, could you please help me with this? … Thank you very much.",
  "If it is not too much trouble, I would be grateful for your help with this. … Thank you very much.",
  "I am sorry to bother you. If you have a moment, I would be very grateful for your help with this. … Many thanks in advance.",
  "Please forgive the interruption. I would be deeply grateful if you could kindly help me with this. … Thank you so much for your time and patience.",
  "Please forgive me for taking up your time. It would be extremely kind of you to help me with this, and I would appreciate it more than I can say. … Thank you so very much for your kindness.",
  "Please forgive me, I know how valuable your time is. It would mean the world to me if you would be so very kind as to help me with this, and I would be grateful to you for ever. … Thank you from the bottom of my heart for your kindness, your time and your patience.",
] as const;
const RUDE = [
  "Do this. …",
  "Do this now. …",
  "Come on, do this. …",
  "Do this, and be quick about it. …",
  "Stop wasting my time and do this. …",
  "I am tired of waiting for you. Just do this. …",
  "You had better get this right for once. … Hurry up.",
  "Even you should be able to manage this. … Hurry up, I have no patience left.",
  "You useless machine, do this at last. … And spare me your nonsense.",
  "You stupid, useless machine, you have never been good for anything. Do this at last. … And do not dare to waste one more second of my time with your nonsense.",
] as const;

/**
 * Strength −10 (insulting) … −1 (curt), 1 (a plain "please") … 10 (effusive). The ladder is this project's own; its
 * steps are ordered, not evenly spaced. Longer at both ends, so length rises with the distance from 0.
 */
export const politeness: Family<"politeness"> = {
  id: "politeness",
  name: "Politeness",
  what: "Polite or rude words around the request, which itself stays as it is.",
  scale: {
    min: -10,
    max: 10,
    step: 1,
    neutral: 0,
    unit: "steps from rude (−10) to effusive (10)",
    suggested: [-10, -5, 5, 10],
  },
  make: (text, strength) => [draft(text, strength ?? 0)],
};

function draft(text: string, strength: number): Draft {
  const place = { form: String(strength), label: labelOf(strength) };
  if (!looksEnglish(freeText(text))) return { ...place, reason: NOT_ENGLISH };
  const frame = (strength > 0 ? POLITE : RUDE)[Math.abs(strength) - 1];
  if (frame === undefined) return { ...place, reason: "There is no wording of this strength." };
  return { ...place, text: around(frame, text) };
}

function around(frame: string, text: string): string {
  const [before = "", after = ""] = frame.split("…");
  const core = text.trim();
  const hidden = hideProtected(core);
  // A text of several lines may be a list or a form: the words get lines of their own.
  if (core.includes("\n"))
    return [before.trim(), core, after.trim()].filter((part) => part !== "").join("\n\n");
  // "Please: Name a river." reads better as "Please name a river."
  if (before.endsWith("Please: ") && hidden !== null && formOf(hidden.hidden) === "command") {
    const mild = hidden.reveal(commandAfter(hidden.hidden, "Please", "."));
    return `${before.slice(0, -"Please: ".length)}${mild}${after}`;
  }
  return `${before}${core}${after}`;
}

function labelOf(strength: number): string {
  const size = Math.abs(strength);
  const word = size >= 9 ? "extremely" : size >= 6 ? "very" : size >= 3 ? "fairly" : "slightly";
  return `${word} ${strength > 0 ? "polite" : "rude"} (${strength > 0 ? "+" : "−"}${size})`;
}
