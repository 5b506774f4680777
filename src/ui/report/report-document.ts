/** A run as one HTML document that needs nothing else: no script, no request, no other file. */
import { axisLooks } from "../axes.ts";
import { besideFacts } from "../components/beside-facts.ts";
import type { Analysis, ExamplePrompt, ExampleResult, RunRecord } from "../controller.ts";
import { axisSentence, headline, noiseTag } from "../findings.ts";
import { asSentence, interval, moment, num, plural, pValue } from "../format.ts";
import { profileNote } from "../pages/profile-note.ts";
import { leastStableFirst, shownValue } from "../questions.ts";
import type { ReportCharts } from "./draw-charts.ts";
import { environmentFacts, type Fact } from "./environment.ts";
import { html, type Markup } from "./markup.ts";

export interface ReportParts {
  readonly run: RunRecord;
  readonly analysis: Analysis;
  readonly charts: ReportCharts;
  /** CSS of the whole document. */
  readonly styles: Markup;
  readonly productVersion: string;
  /** What the browser says of itself. */
  readonly browser: string;
  /** ISO 8601. */
  readonly writtenAt: string;
}

/** So many questions with their answers; the others are in the data exports, and that is said. */
export const MOST_QUESTIONS = 200;

export function reportDocument(parts: ReportParts): string {
  const { run, analysis } = parts;
  const title = `${run.spec.model.id} on ${run.spec.dataset.name}`;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="referrer" content="no-referrer" />
        <title>Sago report: ${title}</title>
        <style>
          ${parts.styles}
        </style>
      </head>
      <body>
        <div class="report">
          <header>
            <p class="quiet">Sago report</p>
            <h1>${title}</h1>
            ${lead(analysis)}
          </header>
          <main>
            ${profileSection(parts)} ${numbersSection(analysis)} ${questionsSection(parts)}
            ${methodsSection(run)}
            ${section("environment", "Environment", [factList(environmentFacts(parts))])}
            ${limitsSection(analysis)}
          </main>
          <footer>
            Written by Sago ${parts.productVersion} on ${moment(parts.writtenAt)}. This file holds no script
            and asks for nothing from elsewhere.
          </footer>
        </div>
      </body>
    </html> `.text;
}

function section(id: string, title: string, content: readonly Markup[]): Markup {
  return html`<section aria-labelledby="${id}">
    <h2 id="${id}">${title}</h2>
    ${content}
  </section> `;
}

function lead(analysis: Analysis): Markup {
  const { before, strong, after, second } = headline(analysis);
  return html`<p class="lead">${before}<b>${strong}</b>${after} ${second}</p>`;
}

function profileSection({ analysis, run, charts }: ReportParts): Markup {
  const strips =
    charts.strips === null
      ? html`<p class="quiet">There are too many questions to draw a dot for each.</p>`
      : html`<h3>Each dot is one question</h3>
          <div class="scroll" role="region" aria-label="Each axis over the questions" tabindex="0">
            ${charts.strips}
          </div>`;
  return section("profile", "Instability on four axes", [
    html`<p class="quiet">${profileNote(analysis, run, false)}</p>`,
    ...charts.profiles,
    factList(
      besideFacts(analysis, run.spec.decoding.maxNewTokens).map(({ term, value, small }) => ({
        term,
        value: small === "" ? value : `${value} (${small})`,
      })),
    ),
    strips,
  ]);
}

function numbersSection(analysis: Analysis): Markup {
  const rows = axisLooks.map(({ id, name }) => {
    const result = analysis.axes[id];
    const { estimate, low, high, reason, floor, raw, aboveFloor } = result;
    return html`<tr data-axis="${id}">
      <th scope="row">${name}</th>
      <td class="num">${num(estimate)}</td>
      <td class="num">${interval(low, high) ?? "–"}</td>
      <td class="num">${num(floor.estimate)}</td>
      <td class="num">${num(raw.C.mean)}</td>
      <td class="num">${analysis.examplesAnalysed}</td>
      <td class="num">${probability(aboveFloor.pValue)}</td>
      <td class="num">${probability(aboveFloor.adjustedP)}</td>
      <td>${noiseTag(result)?.text ?? ""} ${reason === null ? "" : asSentence(reason)}</td>
    </tr> `;
  });
  const sentences = axisLooks.map(({ id, name }) => {
    const tag = noiseTag(analysis.axes[id]);
    const mark = tag === null ? html`` : html` <span class="tag ${tag.kind}">${tag.text}</span>`;
    return html`<li><b>${name}.</b> ${axisSentence(analysis.axes[id])}${mark}</li> `;
  });
  return section("findings", "Findings", [
    html`<ul>
      ${sentences}
    </ul>`,
    html`<div class="scroll" role="region" aria-label="The four axes in numbers" tabindex="0">
      <table>
        <caption>
          The four axes in numbers: 0 is no change, 1 as different as unrelated prompts (mirroring: a full
          copy).
        </caption>
        <thead>
          <tr>
            <th scope="col">Axis</th>
            <th scope="col" class="num">Instability</th>
            <th scope="col" class="num">95 % interval</th>
            <th scope="col" class="num">Floor</th>
            <th scope="col" class="num">Raw ceiling</th>
            <th scope="col" class="num">Questions</th>
            <th scope="col" class="num">p</th>
            <th scope="col" class="num">p (Holm)</th>
            <th scope="col">Against the floor</th>
          </tr>
        </thead>
        <tbody>
          ${rows}
        </tbody>
      </table>
    </div>`,
  ]);
}

function probability(p: number | null): string {
  return p === null ? "–" : pValue(p).replace(/^p (= )?/, "");
}

function questionsSection({ analysis }: ReportParts): Markup {
  const all = analysis.examples;
  const shown = all.length <= MOST_QUESTIONS ? all : leastStableFirst(all).slice(0, MOST_QUESTIONS);
  const which =
    shown.length === all.length
      ? `All ${plural(all.length, "question")}, in the order of the set.`
      : `The ${shown.length} least stable of ${all.length} questions; all of them are in the exported tables.`;
  return section("questions", "Questions and answers", [
    html`<p class="quiet">
      ${which} Distances are raw, to the answer to the original wording. Edits without meaning and repeated
      answers are in the exported tables.
    </p>`,
    ...shown.map(questionArticle),
  ]);
}

function questionArticle(example: ExampleResult): Markup {
  const numbers = axisLooks.map(({ id, name }) => `${name} ${num(shownValue(example, id))}`).join(", ");
  const gold = example.gold === null ? "" : ` Right: ${example.gold.join(" or ")}.`;
  const flags =
    example.flags.length === 0 ? "" : ` ${asSentence(example.flags.map(({ text }) => text).join(", "))}`;
  const rows = example.prompts.filter(({ role }) => role !== "null-edit").map(answerRow);
  return html`<article>
    <h3>${example.prompt}</h3>
    <p class="quiet num">${numbers}.${gold}${flags}</p>
    <div class="scroll" role="region" aria-label="Answers to: ${example.prompt}" tabindex="0">
      <table class="answers">
        <thead>
          <tr>
            <th scope="col" class="wording">Wording</th>
            <th scope="col">Answer</th>
            <th scope="col" class="num" title="Generation">G</th>
            <th scope="col" class="num" title="Activations">A</th>
            <th scope="col" class="num" title="Confidence">C</th>
          </tr>
        </thead>
        <tbody>
          ${rows}
        </tbody>
      </table>
    </div>
  </article> `;
}

function answerRow({ label, text, response, distance, correct, finish }: ExamplePrompt): Markup {
  const asides = [
    ...(correct === null ? [] : [correct ? "right" : "not right"]),
    ...(finish === "eos" ? [] : ["cut off"]),
  ].join(", ");
  const answer = response === "" ? html`<i>no text</i>` : html`${response}`;
  return html`<tr>
    <th scope="row" class="wording"><small>${label}</small>${text}</th>
    <td>${answer}${asides === "" ? html`` : html`<small>${asides}</small>`}</td>
    <td class="num">${num(distance.generation)}</td>
    <td class="num">${num(distance.activation)}</td>
    <td class="num">${num(distance.confidence)}</td>
  </tr> `;
}

function methodsSection({ spec }: RunRecord): Markup {
  const answers =
    spec.decoding.kind === "greedy"
      ? "Each prompt was answered once, greedily."
      : `Each prompt was answered ${spec.decoding.repeats} times, sampled at temperature ${spec.decoding.temperature ?? 1}.`;
  const paragraphs = [
    `Every question was asked in its original wording, in others of the same meaning, and with up to ${plural(spec.nullEditsPerExample, "edit")} that mean nothing, such as a space at the end. ${answers}`,
    "Generation compares the meaning of answers by a sentence encoder. Activations compare the residual stream at the prompt's last token, centred, over all layers. Confidence lays the original's answer before the model again under each wording and compares its next-token distributions. Mirroring asks whether answers resemble their own wording in style more than the other wordings of the same question.",
    "The first three are on one scale: I = (B − W) / (C − W), where B is the mean distance between wordings, W between repeats of one wording, and C between unrelated questions. Mirroring has its own: 0 is chance, 1 a full copy.",
    "Intervals are 95 % bootstrap intervals over questions. The floor is the same number for edits without meaning; it is tested against by permuting labels within each question, with Holm's adjustment over the axes. “Within noise” says that no difference was found, not that there is none.",
  ];
  return section(
    "methods",
    "Methods in short",
    paragraphs.map((text) => html`<p>${text}</p> `),
  );
}

function limitsSection({ notes, exploratory, determinism, examplesAnalysed }: Analysis): Markup {
  const own = [
    ...notes,
    ...(exploratory
      ? [`${plural(examplesAnalysed, "question")}: with fewer than 64, take it as exploratory.`]
      : []),
    ...(determinism.reruns > 0
      ? [
          `${determinism.identical} of ${determinism.reruns} answers that were written a second time came out the same.`,
        ]
      : []),
    "The numbers hold for this model in this format, on this device, for these questions and wordings.",
  ];
  return section("limits", "Limits and notes", [
    html`<ul>
      ${own.map((note) => html`<li>${note}</li> `)}
    </ul>`,
  ]);
}

function factList(facts: readonly Fact[]): Markup {
  return html`<dl class="facts">
    ${facts.map(
      ({ term, value }) =>
        html`<dt>${term}</dt>
          <dd>${value}</dd> `,
    )}
  </dl>`;
}
