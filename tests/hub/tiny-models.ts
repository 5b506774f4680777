/**
 * Models of a few kilobytes in the hub's folder layout: a random decoder of tests/fixtures/decoders that reads
 * one character a token, and a sentence encoder that is one table of embeddings.
 */
import { readFileSync } from "node:fs";
import { bytesField, concatBytes, messageField, varintField } from "../../src/onnx/wire-writer.ts";

const VOCABULARY = 112;
const SPECIAL = ["<pad>", "<s>", "</s>"];

export type Files = Record<string, Uint8Array | string>;

/** A Llama of three layers with random weights, fp32. */
export function tinyDecoder(): Files {
  const folder = "tests/fixtures/decoders/llama-optimum";
  const config = JSON.parse(readFileSync(`${folder}/config.json`, "utf8")) as object;
  return {
    "README.md": "---\nlicense: cc0-1.0\n---\n# Tiny\n",
    "config.json": JSON.stringify({ ...config, max_position_embeddings: 1024 }),
    "generation_config.json": readFileSync(`${folder}/generation_config.json`, "utf8"),
    "tokenizer.json": JSON.stringify(characterTokenizer()),
    "tokenizer_config.json": JSON.stringify({
      bos_token: "<s>",
      eos_token: "</s>",
      pad_token: "<pad>",
      unk_token: "<pad>",
      tokenizer_class: "PreTrainedTokenizerFast",
      chat_template: "{{ messages[-1]['content'] }}\n",
    }),
    "onnx/model.onnx": new Uint8Array(readFileSync(`${folder}/onnx/model.onnx`)),
  };
}

/** The same with marks of thinking, the first of which its template writes. */
export function tinyThinker(): Files {
  const decoder = tinyDecoder();
  const config = JSON.parse(String(decoder["config.json"])) as object;
  const tokenizer = JSON.parse(String(decoder["tokenizer_config.json"])) as object;
  return {
    ...decoder,
    "config.json": JSON.stringify({ ...config, max_position_embeddings: 160 }),
    "tokenizer.json": JSON.stringify(characterTokenizer(["<think>", "</think>"])),
    "tokenizer_config.json": JSON.stringify({
      ...tokenizer,
      chat_template: "{{ messages[-1]['content'] }}<think>",
    }),
  };
}

/** The same in blocks of 4 bits, with its weights in a file of their own. */
export function tinyQuantisedDecoder(): Files {
  const folder = "tests/fixtures/block-quantised/zero-points";
  const { "onnx/model.onnx": _floats, ...others } = tinyDecoder();
  const config = JSON.parse(readFileSync(`${folder}/config.json`, "utf8")) as object;
  const file = (name: string) => new Uint8Array(readFileSync(`${folder}/onnx/${name}`));
  return {
    ...others,
    "config.json": JSON.stringify({ ...config, max_position_embeddings: 1024 }),
    "onnx/model_q4.onnx": file("model_q4.onnx"),
    "onnx/model_q4.onnx_data": file("model_q4.onnx_data"),
  };
}

export const TINY_ENCODER_DIMENSIONS = 16;

/** One embedding for each character; mean pooling makes it a bag of characters. */
export function tinyEncoder(pooling: object | null = { pooling_mode_mean_tokens: true }): Files {
  return {
    "config.json": JSON.stringify({
      architectures: ["BertModel"],
      model_type: "bert",
      num_hidden_layers: 1,
      hidden_size: TINY_ENCODER_DIMENSIONS,
      num_attention_heads: 1,
      vocab_size: VOCABULARY,
      max_position_embeddings: 128,
    }),
    "tokenizer.json": JSON.stringify(characterTokenizer()),
    "tokenizer_config.json": JSON.stringify({ pad_token: "<pad>", unk_token: "<pad>" }),
    ...(pooling === null ? {} : { "1_Pooling/config.json": JSON.stringify(pooling) }),
    "onnx/model.onnx": embeddingGraph(),
  };
}

/** @param marks - special tokens besides the usual ones, behind all others */
function characterTokenizer(marks: readonly string[] = []): object {
  const characters = ["\n", ...Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index))];
  const tokens = [...SPECIAL, ...characters, ...marks];
  const vocabulary = Object.fromEntries(tokens.map((text, id) => [text, id]));
  return {
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: [...SPECIAL, ...marks].map((content) => ({
      id: tokens.indexOf(content),
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    })),
    normalizer: null,
    pre_tokenizer: { type: "Split", pattern: { Regex: "[\\s\\S]" }, behavior: "Isolated", invert: false },
    post_processor: null,
    decoder: { type: "Fuse" },
    model: { type: "WordLevel", vocab: vocabulary, unk_token: "<pad>" },
  };
}

/** `last_hidden_state = Gather(table, input_ids)`, in the fields of onnx.proto. */
function embeddingGraph(): Uint8Array {
  const table = new Float32Array(VOCABULARY * TINY_ENCODER_DIMENSIONS);
  for (let index = 0; index < table.length; index += 1) table[index] = Math.sin(index * 12.9898 + 1);
  const FLOAT = 1;
  const INT64 = 7;
  const value = (name: string, type: number, dims: readonly (string | number)[]) => [
    bytesField(1, name),
    messageField(2, [
      messageField(1, [
        varintField(1, type),
        messageField(
          2,
          dims.map((dim) =>
            messageField(1, [typeof dim === "string" ? bytesField(2, dim) : varintField(1, dim)]),
          ),
        ),
      ]),
    ]),
  ];
  return concatBytes([
    varintField(1, 8),
    messageField(8, [bytesField(1, ""), varintField(2, 13)]),
    messageField(7, [
      messageField(1, [
        bytesField(1, "table"),
        bytesField(1, "input_ids"),
        bytesField(2, "last_hidden_state"),
        bytesField(4, "Gather"),
      ]),
      bytesField(2, "tiny"),
      messageField(5, [
        varintField(1, VOCABULARY),
        varintField(1, TINY_ENCODER_DIMENSIONS),
        varintField(2, FLOAT),
        bytesField(8, "table"),
        bytesField(9, new Uint8Array(table.buffer)),
      ]),
      messageField(11, value("input_ids", INT64, ["batch", "tokens"])),
      messageField(11, value("attention_mask", INT64, ["batch", "tokens"])),
      messageField(12, value("last_hidden_state", FLOAT, ["batch", "tokens", TINY_ENCODER_DIMENSIONS])),
    ]),
  ]);
}
