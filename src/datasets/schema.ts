import * as v from "valibot";

/** The value of a dataset file's `schema` field; a new version gets a new number. */
export const DATASET_SCHEMA = "sago-dataset/1";

const filledText = (what: string) =>
  v.pipe(
    v.string(`${what} must be a text.`),
    v.check((text) => text.trim() !== "", `${what} is empty. Fill it in.`),
  );

/** A name that other parts refer to, so it may not differ by invisible spaces at its ends. */
const identifier = (what: string) =>
  v.pipe(
    filledText(what),
    v.check((text) => text === text.trim(), `${what} begins or ends with a space. Remove it.`),
  );

const listOf = <T extends v.GenericSchema>(item: T, what: string) => v.array(item, `${what} must be a list.`);

const variantShape = v.object(
  {
    id: identifier("The variant's id"),
    family: identifier("The variant's family"),
    label: filledText("The variant's label"),
    prompt: filledText("The variant's prompt"),
    strength: v.exactOptional(
      v.pipe(
        v.number("The variant's strength must be a number."),
        v.finite("The variant's strength must be a finite number."),
      ),
    ),
  },
  "A variant must be an object with id, family, label and prompt.",
);

const exampleShape = v.object(
  {
    id: identifier("The example's id"),
    prompt: filledText("The example's prompt"),
    gold: v.exactOptional(listOf(filledText("A gold answer"), "gold")),
    variants: listOf(variantShape, "variants"),
  },
  "An example must be an object with id, prompt and variants.",
);

/** The shape of a dataset file; what one field says about another is checked by `parseDataset`. */
export const datasetShape = v.object(
  {
    schema: v.literal(DATASET_SCHEMA, `schema must be "${DATASET_SCHEMA}".`),
    id: identifier("The dataset's id"),
    name: filledText("The dataset's name"),
    description: v.string("description must be a text (it may be empty)."),
    kind: v.picklist(
      ["short-answer", "free-text", "classification"],
      'kind must be "short-answer", "free-text" or "classification".',
    ),
    license: filledText("license"),
    language: filledText("language"),
    labels: v.exactOptional(listOf(identifier("A label"), "labels")),
    system: v.exactOptional(filledText("system")),
    examples: v.pipe(
      listOf(exampleShape, "examples"),
      v.minLength(1, "The dataset has no examples. Add at least one."),
    ),
  },
  "A dataset must be a JSON object; see docs/dataset-format.md.",
);

/**
 * A set of prompts, each with other ways to ask for the same thing.
 *
 * `license` is an SPDX expression where there is one, `language` a BCP 47 tag, `system` a system prompt that
 * precedes every prompt of the set. `labels` are the answers of a classification.
 */
export type Dataset = v.InferOutput<typeof datasetShape>;

/** What an answer to the set looks like, and with that, how it is compared with gold. */
export type DatasetKind = Dataset["kind"];

/** One thing to ask; any one of `gold` counts as right. */
export type DatasetExample = v.InferOutput<typeof exampleShape>;

/**
 * The same thing asked in another way. `family` groups ways that change the same aspect (the built-in sets
 * have "paraphrase", "style" and "format"); `label` names the way in a few words for people. `strength` is how
 * strongly that aspect is changed, on a scale of the family's own; left out where there are no degrees.
 */
export type DatasetVariant = v.InferOutput<typeof variantShape>;
