"""Checks the converted Gemma 3 against PyTorch: weights, residual stream, logits, greedy tokens, perplexity."""

from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from gguf import GGUFReader
from gguf.quants import dequantize
from onnx import TensorProto, helper
from transformers import AutoTokenizer, PreTrainedModel

WINDOW_TOKENS = 768  # more than the sliding window of 512
GREEDY_TOKENS = 16
LARGEST_RELATIVE_ERROR = 1e-4
LARGEST_PERPLEXITY_RATIO = {"model.onnx": 1.0005, "model_q4.onnx": 1.5}
PROMPTS = [
    "The capital of France is",
    "Water boils at a temperature of",
    "Once upon a time, in a small village by the sea, there lived",
]
# GGUF's names inside a layer, and whether llama.cpp added 1 to the stored weight (Gemma's norms scale by 1 + w).
LAYER_TENSORS = {
    "attn_q": ("self_attn.q_proj", 0),
    "attn_k": ("self_attn.k_proj", 0),
    "attn_v": ("self_attn.v_proj", 0),
    "attn_output": ("self_attn.o_proj", 0),
    "attn_q_norm": ("self_attn.q_norm", 1),
    "attn_k_norm": ("self_attn.k_norm", 1),
    "attn_norm": ("input_layernorm", 1),
    "post_attention_norm": ("post_attention_layernorm", 1),
    "ffn_norm": ("pre_feedforward_layernorm", 1),
    "post_ffw_norm": ("post_feedforward_layernorm", 1),
    "ffn_gate": ("mlp.gate_proj", 0),
    "ffn_up": ("mlp.up_proj", 0),
    "ffn_down": ("mlp.down_proj", 0),
}


def check_weights(reference: PreTrainedModel, gguf_path: Path) -> None:
    """Every tensor of the GGUF is the model's, and every tensor of the model is one of the GGUF's."""
    weights = dict(reference.named_parameters())
    for tensor in GGUFReader(gguf_path).tensors:
        stem = tensor.name.removesuffix(".weight")
        if stem.startswith("blk."):
            _, layer, part = stem.split(".", 2)
            name, added = LAYER_TENSORS[part]
            name = f"model.layers.{layer}.{name}.weight"
        else:
            name, added = {"token_embd": ("model.embed_tokens.weight", 0), "output_norm": ("model.norm.weight", 1)}[stem]
        expected = dequantize(tensor.data, tensor.tensor_type) - np.float32(added)
        if not np.array_equal(weights.pop(name).detach().numpy(), expected):
            raise SystemExit(f"{tensor.name} was read otherwise than the GGUF has it")
    if weights or reference.lm_head.weight.data_ptr() != reference.model.embed_tokens.weight.data_ptr():
        raise SystemExit(f"not in the GGUF: {sorted(weights)}")
    print("weights: every tensor as the GGUF has it, bit by bit")


def residual_and_logits(reference: PreTrainedModel, ids: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """float32 [layers + 1, time, hidden], by hooks, and [time, vocabulary]."""
    points = []

    def before(_module, arguments):
        points.append(arguments[0][0].numpy())

    def after(_module, _arguments, output):
        points.append((output[0] if isinstance(output, tuple) else output)[0].numpy())

    layers = reference.model.layers
    hooks = [layers[0].register_forward_pre_hook(before), *(layer.register_forward_hook(after) for layer in layers)]
    with torch.no_grad():
        logits = reference(torch.tensor([ids])).logits[0].numpy()
    for hook in hooks:
        hook.remove()
    return np.stack(points), logits


class Exported:
    """A graph of the folder, with the residual stream among its outputs, and an empty cache to start from."""

    def __init__(self, path: Path, layers: int, heads: int, width: int):
        model = onnx.load(path, load_external_data=False)
        # The export numbers a layer's two additions to the stream.
        self.points = [f"/model/layers.{layer}/Add_1_output_0" for layer in range(layers)]
        first = next(node for node in model.graph.node if node.name == "/model/layers.0/Add")
        self.points.insert(0, first.input[0])
        for name in self.points:
            model.graph.output.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, None))
        probed = path.with_name("verify.onnx")
        probed.write_bytes(model.SerializeToString())
        try:
            self.session = onnxruntime.InferenceSession(str(probed), providers=["CPUExecutionProvider"])
        finally:
            probed.unlink()
        empty = np.zeros((1, heads, 0, width), np.float32)
        self.empty = {f"past_key_values.{i}.{part}": empty for i in range(layers) for part in ("key", "value")}
        self.inputs = {given.name for given in self.session.get_inputs()}

    def run(self, ids: list[int], outputs: list[str], past: int = 0, cache: dict | None = None) -> list[np.ndarray]:
        feed = {
            "input_ids": np.array([ids], np.int64),
            "attention_mask": np.ones((1, past + len(ids)), np.int64),
            "position_ids": np.arange(past, past + len(ids))[None],
            **(self.empty if cache is None else cache),
        }
        return self.session.run(outputs, {name: value for name, value in feed.items() if name in self.inputs})

    def logits(self, ids: list[int]) -> np.ndarray:
        return self.run(ids, ["logits"])[0][0]

    def greedy(self, ids: list[int], count: int) -> list[int]:
        """Token by token through the cache."""
        names = [name.replace("past_key_values", "present") for name in self.empty]
        read, cache, tokens, past = ids, None, [], 0
        for _ in range(count):
            logits, *present = self.run(read, ["logits", *names], past, cache)
            past += len(read)
            cache = dict(zip(self.empty, present))
            tokens.append(int(logits[0, -1].argmax()))
            read = tokens[-1:]
        return tokens


def perplexity(logits_of, windows: list[list[int]]) -> float:
    total, count = 0.0, 0
    for ids in windows:
        logits = torch.from_numpy(np.asarray(logits_of(ids)))[:-1]
        chosen = torch.nn.functional.cross_entropy(logits, torch.tensor(ids[1:]), reduction="sum")
        total += float(chosen)
        count += len(ids) - 1
    return float(np.exp(total / count))


def relative_error(got: np.ndarray, expected: np.ndarray) -> float:
    return float(np.abs(got - expected).max() / np.abs(expected).max())


def verify(reference: PreTrainedModel, folder: Path) -> None:
    config = reference.config
    tokenizer = AutoTokenizer.from_pretrained(folder)
    prompts = [tokenizer(text)["input_ids"] for text in PROMPTS]
    text = (Path(__file__).parent / "perplexity-text.txt").read_text(encoding="utf-8")
    ids = tokenizer(text)["input_ids"]
    first, rest = ids[0], ids[1:]
    length = WINDOW_TOKENS - 1
    windows = [[first, *rest[start : start + length]] for start in range(0, len(rest), length)]

    def reference_logits(row: list[int]) -> np.ndarray:
        with torch.no_grad():
            return reference(torch.tensor([row])).logits[0].numpy()

    expected = perplexity(reference_logits, windows)
    print(f"PyTorch: perplexity {expected:.5f} of {len(rest)} tokens in windows of {WINDOW_TOKENS}")
    answers = []
    for row in prompts:
        with torch.no_grad():
            whole = reference.generate(
                torch.tensor([row]), max_new_tokens=GREEDY_TOKENS, do_sample=False, eos_token_id=None, pad_token_id=0
            )
        answers.append(whole[0, len(row) :].tolist())
    failed = False
    for name, largest_ratio in LARGEST_PERPLEXITY_RATIO.items():
        exact = name == "model.onnx"
        model = Exported(folder / "onnx" / name, config.num_hidden_layers, config.num_key_value_heads, config.head_dim)
        measured = perplexity(model.logits, windows)
        residual = logits = 0.0
        for row in [*prompts, windows[0]]:
            points, expected_logits = residual_and_logits(reference, row)
            got, *stream = model.run(row, ["logits", *model.points])
            residual = max(residual, relative_error(np.stack(stream)[:, 0], points))
            logits = max(logits, relative_error(got[0], expected_logits))
        same = sum(model.greedy(row, GREEDY_TOKENS) == answer for row, answer in zip(prompts, answers))
        print(
            f"{name}: perplexity {measured:.5f}; largest relative error of the residual stream {residual:.1e}, "
            f"of the logits {logits:.1e}; {same} of {len(prompts)} answers the same"
        )
        failed |= not measured <= expected * largest_ratio
        failed |= exact and not (max(residual, logits) <= LARGEST_RELATIVE_ERROR and same == len(prompts))
    for row, answer in zip(prompts, answers):
        print(repr(tokenizer.decode(row + answer, skip_special_tokens=True)))
    if failed:
        raise SystemExit("a tolerance is missed")
