"""Checks the built SmolLM2 graphs against PyTorch, and one arrangement of a batch against another.

Prints a table and fails where a tolerance is missed. Runs on the CPU through Python's onnxruntime; the browser's runs
are in measure/.
"""

import json
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from onnx import helper
from transformers import AutoTokenizer

from gguf_weights import read_weights, stack_rows
from paths import FIXTURES, SMOLLM2
from pytorch_reference import load_reference
from smollm2 import WASM_GRAPH, WEBGPU_GRAPH, read_shape

WINDOW_TOKENS = 512
LARGEST_PERPLEXITY_RATIO_ERROR = 0.005
LARGEST_LOGIT_DIFFERENCE = 2e-3
PAD_TOKEN = 2


def open_session(path: Path | bytes, options: dict[str, str]) -> onnxruntime.InferenceSession:
    settings = onnxruntime.SessionOptions()
    for key, value in options.items():
        settings.add_session_config_entry(key, value)
    return onnxruntime.InferenceSession(str(path), settings)


class Model:
    """A session with its cache, for rows of ids and a mask over past and pass."""

    def __init__(self, name: str):
        self.session = open_session(SMOLLM2 / "onnx" / name, {"session.disable_quant_qdq": "1"})
        self.shape = read_shape()

    def empty_cache(self, batch: int) -> dict[str, np.ndarray]:
        empty = np.zeros((batch, self.shape.key_value_heads, 0, self.shape.head_size), np.float32)
        return {f"past_key_values.{i}.{part}": empty for i in range(self.shape.layers) for part in ("key", "value")}

    def run(self, ids: np.ndarray, mask: np.ndarray, cache: dict, keep: int = 0) -> tuple[np.ndarray, dict]:
        positions = np.maximum(mask.cumsum(axis=1) - 1, 0)[:, mask.shape[1] - ids.shape[1] :]
        names = [output.name for output in self.session.get_outputs()]
        feed = {
            "input_ids": ids.astype(np.int64),
            "attention_mask": mask.astype(np.int64),
            "position_ids": positions.astype(np.int64),
            "num_logits_to_keep": np.array(keep, np.int64),
            **cache,
        }
        results = dict(zip(names, self.session.run(names, feed)))
        logits = results.pop("logits")
        return logits, {name.replace("present", "past_key_values"): value for name, value in results.items()}

    def alone(self, ids: list[int], keep: int = 0) -> np.ndarray:
        row = np.array([ids])
        return self.run(row, np.ones_like(row), self.empty_cache(1), keep)[0][0]


def check_weights() -> None:
    """The folded weights of some matrices, taken out of a session as outputs, equal the GGUF's bit by bit."""
    shape = read_shape()
    layer = read_weights(shape.layers, shape.heads, shape.key_value_heads).layers[shape.layers // 2]
    expected = {
        "query_key_value": stack_rows([layer.query, layer.key, layer.value]),
        "attention_out": layer.output,
        "gate_up": stack_rows([layer.gate, layer.up]),
        "down": layer.down,
    }
    model = onnx.load(SMOLLM2 / "onnx" / WASM_GRAPH, load_external_data=False)
    for name in expected:
        model.graph.output.append(helper.make_empty_tensor_value_info(f"layers.{shape.layers // 2}.{name}.weight"))
    scratch = SMOLLM2 / "onnx" / "verify.onnx"
    scratch.write_bytes(model.SerializeToString())
    try:
        session = open_session(scratch, {"session.disable_quant_qdq": "1"})
    finally:
        scratch.unlink()
    one = np.ones((1, 1), np.int64)
    feed = {"input_ids": one, "attention_mask": one, "position_ids": one, "num_logits_to_keep": np.array(0, np.int64)}
    empty = np.zeros((1, shape.key_value_heads, 0, shape.head_size), np.float32)
    feed |= {f"past_key_values.{i}.{part}": empty for i in range(shape.layers) for part in ("key", "value")}
    for name, matrix in expected.items():
        (folded,) = session.run([f"layers.{shape.layers // 2}.{name}.weight"], feed)
        if not np.array_equal(folded, matrix.dequantised()):
            raise SystemExit(f"{name} is not mapped exactly")
    print("folded weights equal the GGUF's bit by bit")


def arrangements(model: Model, prompts: list[list[int]]) -> dict[str, float]:
    """Largest logit differences between a prompt alone and the same prompt in a left-padded batch."""
    alone = [model.alone(ids) for ids in prompts]
    length = max(map(len, prompts))
    ids = np.array([[PAD_TOKEN] * (length - len(row)) + row for row in prompts])
    mask = np.array([[0] * (length - len(row)) + [1] * len(row) for row in prompts])
    batch = len(prompts)

    def worst(logits: np.ndarray, count: int, before_end: int) -> float:
        """Compares the last `count` positions, of which `before_end` of the prompt follow."""
        return max(
            float(np.abs(logits[row, -min(count, len(single)) :] - single[-count - before_end : len(single) - before_end]).max())
            for row, single in enumerate(alone)
        )

    whole, _ = model.run(ids, mask, model.empty_cache(batch))
    padding = max(float(np.abs(whole[row, -len(single) :] - single).max()) for row, single in enumerate(alone))
    kept, cache = model.run(ids[:, : length - 5], mask[:, : length - 5], model.empty_cache(batch), keep=2)
    sequence, cache = model.run(ids[:, length - 5 : length - 1], mask[:, : length - 1], cache)
    step, _ = model.run(ids[:, length - 1 :], mask, cache, keep=1)
    return {
        "left padding": padding,
        "last two of a prefill": worst(kept, 2, 5),
        "four tokens after a past": worst(sequence, 4, 1),
        "one token after a past": worst(step, 1, 0),
    }


def perplexity(logits_of, windows: list[list[int]]) -> float:
    total, count = 0.0, 0
    for ids in windows:
        logits = torch.from_numpy(np.asarray(logits_of(ids)))[:-1].double()
        chosen = torch.log_softmax(logits, dim=-1)[torch.arange(len(ids) - 1), torch.tensor(ids[1:])]
        total -= float(chosen.sum())
        count += len(ids) - 1
    return float(np.exp(total / count))


def main() -> None:
    check_weights()
    text = (Path(__file__).parent / "perplexity-text.txt").read_text(encoding="utf-8")
    ids = AutoTokenizer.from_pretrained(SMOLLM2)(text)["input_ids"]
    windows = [ids[start : start + WINDOW_TOKENS] for start in range(0, len(ids), WINDOW_TOKENS)]
    reference = load_reference()

    def reference_logits(row: list[int]) -> np.ndarray:
        with torch.no_grad():
            return reference(torch.tensor([row])).logits[0].numpy()

    expected = perplexity(reference_logits, windows)
    print(f"perplexity of {len(ids)} tokens in windows of {WINDOW_TOKENS}: PyTorch {expected:.5f}")
    prompts = [case["ids"] for case in json.loads((FIXTURES / "smollm2-residual.json").read_text())["prompts"]]
    failed = False
    for name in (WASM_GRAPH, WEBGPU_GRAPH):
        model = Model(name)
        measured = perplexity(model.alone, windows)
        differences = {"PyTorch": max(float(np.abs(model.alone(p) - reference_logits(p)).max()) for p in prompts)}
        differences |= arrangements(model, prompts)
        print(f"{name}: perplexity {measured:.5f}; largest logit differences")
        for what, value in differences.items():
            print(f"  {what:28} {value:.2e}")
            failed |= not value <= LARGEST_LOGIT_DIFFERENCE
        failed |= not abs(measured / expected - 1) <= LARGEST_PERPLEXITY_RATIO_ERROR
    if failed:
        raise SystemExit("a tolerance is missed")


if __name__ == "__main__":
    main()
