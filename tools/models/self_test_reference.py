"""Writes src/inference/self-test/bundled-reference.json: what PyTorch says of the self-test's two sequences.

For the last positions of each sequence: the likeliest next token and its log-probability in nats, float32, with the
weights that the bundled SmolLM2 has (dequantised from its GGUF).
"""

import json

import torch
import transformers
from transformers import AutoTokenizer

from paths import REPOSITORY, SMOLLM2
from pytorch_reference import load_reference

OUT = REPOSITORY / "src" / "inference" / "self-test" / "bundled-reference.json"
# As SELF_TEST_TEXTS and SELF_TEST_STEPS in src/inference/self-test/sequences.ts; a test compares the token ids.
TEXTS = [
    "The capital of Italy is Rome, and the capital of France is",
    "One, two, three, four. The number that follows is",
]
STEPS = 4


def main() -> None:
    tokenizer = AutoTokenizer.from_pretrained(SMOLLM2)
    model = load_reference()
    sequences = []
    for text in TEXTS:
        ids = tokenizer(text).input_ids
        with torch.no_grad():
            rows = torch.log_softmax(model(torch.tensor([ids])).logits[0].double(), dim=-1)[-STEPS - 1 :]
        best = rows.max(dim=-1)
        sequences.append(
            {
                "text": text,
                "ids": ids,
                "topIds": best.indices.tolist(),
                "topLogProbNats": [round(value, 6) for value in best.values.tolist()],
            }
        )
    reference = {
        "model": "SmolLM2-135M-Instruct",
        "generator": f"tools/models/self_test_reference.py, torch {torch.__version__.split('+')[0]}, "
        f"transformers {transformers.__version__}",
        "sequences": sequences,
    }
    OUT.write_text(json.dumps(reference, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    print(sequences)


if __name__ == "__main__":
    main()
