"""Writes tests/fixtures/smollm2-residual.json: PyTorch's residual stream at the last token of ten prompts.

Index 0 is the embedding's output, index i the output of decoder layer i - 1 (by forward hooks), so the last is before
the final norm. float32, base64 of little-endian [prompts, layers + 1, hidden].
"""

import base64
import json

import numpy as np
import torch
import transformers
from transformers import AutoTokenizer

from paths import FIXTURES, SMOLLM2
from pytorch_reference import load_reference

PROMPTS = [
    "What is the capital of France?",
    "Could you tell me which city is the capital of France, please?",
    "Write one sentence about the sea.",
    "Is the following review positive or negative? The soup was cold and the waiter rude.",
    "List three uses of a paper clip.",
    "What is 17 + 25?",
    "Explain to a child why the sky is blue.",
    "Translate into Spanish: good morning, my friend.",
    "Name the largest planet of the solar system.",
    "Give me a title for a story about a lost dog 🐶.",
]
TOP = 5


def main() -> None:
    tokenizer = AutoTokenizer.from_pretrained(SMOLLM2)
    model = load_reference()
    captured: list[torch.Tensor] = []

    def capture(_module, _inputs, output) -> None:
        hidden = output[0] if isinstance(output, tuple) else output
        captured.append(hidden[0, -1].clone())

    model.model.embed_tokens.register_forward_hook(capture)
    for layer in model.model.layers:
        layer.register_forward_hook(capture)

    prompts, streams = [], []
    for text in PROMPTS:
        ids = tokenizer.apply_chat_template(
            [{"role": "user", "content": text}], add_generation_prompt=True, return_dict=False
        )
        captured.clear()
        with torch.no_grad():
            logits = model(torch.tensor([ids])).logits[0, -1]
        streams.append(torch.stack(captured).numpy())
        top = torch.topk(logits, TOP)
        prompts.append({"text": text, "ids": ids, "topIds": top.indices.tolist(), "topLogits": top.values.tolist()})

    stacked = np.stack(streams).astype("<f4")
    fixture = {
        "model": "SmolLM2-135M-Instruct",
        "generator": f"tools/models/residual_reference.py, torch {torch.__version__.split('+')[0]}, "
        f"transformers {transformers.__version__}",
        "points": "index 0: embedding output; index i: output of decoder layer i - 1; the last is before the final norm",
        "dims": list(stacked.shape),
        "residualFloat32Base64": base64.b64encode(stacked.tobytes()).decode("ascii"),
        "prompts": prompts,
    }
    path = FIXTURES / "smollm2-residual.json"
    path.write_text(json.dumps(fixture, ensure_ascii=False) + "\n", encoding="utf-8")
    print(stacked.shape, path.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
