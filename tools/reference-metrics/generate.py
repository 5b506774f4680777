"""Writes reference values for src/metrics from other programs, over random inputs of a fixed seed.

    python -m venv venv && venv/bin/pip install -r tools/reference-metrics/requirements.txt
    venv/bin/python tools/reference-metrics/generate.py tests/fixtures/metrics

Each file names the programs and versions it comes from. Numbers are rounded to ten digits.
"""

import json
import random
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics import BLEU, CHRF
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
from scipy.spatial.distance import jensenshannon
from scipy.stats import spearmanr
from sklearn.metrics import brier_score_loss, roc_auc_score
from sklearn.metrics.pairwise import cosine_distances

CASES = 240

WORDS = (
    "the a cat dog sat on mat river city of is was and 3 3.14 1,000 Paris FRANCE don't well-known "
    "e-mail skin & \"quoted\" (aside) x=1 10-20 U.S. really? yes! no; so: 50% café naïve Straße 東京 "
    "привет 🙂 <b> &amp; it's - -- ... ?! #tag @you a/b"
).split(" ")
ASCII_WORDS = [word for word in WORDS if word.isascii()]


def rounded(value):
    return float(f"{float(value):.10g}")


def sentence(rng, words, longest=12):
    chosen = [rng.choice(words) for _ in range(rng.randint(0, longest))]
    separators = [rng.choice([" ", " ", " ", "  ", ", ", ". ", "\n"]) for _ in chosen]
    return "".join(word + separator for word, separator in zip(chosen, separators))


def related(rng, text, words):
    """The same words with some dropped, swapped or replaced, so that scores are not all near 0."""
    parts = text.split(" ")
    for _ in range(rng.randint(0, 4)):
        if not parts:
            break
        at = rng.randrange(len(parts))
        action = rng.randrange(3)
        if action == 0:
            parts.pop(at)
        elif action == 1:
            parts[at] = rng.choice(words)
        else:
            other = rng.randrange(len(parts))
            parts[at], parts[other] = parts[other], parts[at]
    return " ".join(parts)


def text_pairs(rng, words):
    pairs = [("", ""), ("", "the cat"), ("the cat", ""), ("Paris .", "Paris ."), (" ", "\n")]
    while len(pairs) < CASES:
        first = sentence(rng, words)
        pairs.append((first, related(rng, first, words) if rng.random() < 0.8 else sentence(rng, words)))
    return pairs


def texts(rng):
    plain = BLEU(effective_order=False)
    effective = BLEU(effective_order=True)
    chrf = CHRF()
    tokenise = Tokenizer13a()
    rows = []
    for hypothesis, reference in text_pairs(rng, WORDS):
        rows.append(
            {
                "hypothesis": hypothesis,
                "reference": reference,
                "tokens": tokenise(hypothesis.rstrip()).split(),
                "bleu": rounded(plain.corpus_score([hypothesis], [[reference]]).score),
                "bleuEffectiveOrder": rounded(effective.sentence_score(hypothesis, [reference]).score),
                "chrf2": rounded(chrf.sentence_score(hypothesis, [reference]).score),
            }
        )
    return rows


def rouge(rng):
    scorer = RougeScorer(["rougeL"], use_stemmer=False)
    return [
        {"a": a, "b": b, "f1": rounded(scorer.score(b, a)["rougeL"].fmeasure)} for a, b in text_pairs(rng, ASCII_WORDS)
    ]


def calibration(rng):
    rows = []
    while len(rows) < CASES:
        n = rng.randint(2, 30)
        # Coarse confidences make ties.
        confidence = [round(rng.random(), rng.choice([1, 2, 3])) for _ in range(n)]
        correct = [int(rng.random() < c) for c in confidence]
        if len(set(correct)) < 2:
            continue
        rows.append(
            {
                "confidence": confidence,
                "correct": correct,
                "brier": rounded(brier_score_loss(correct, confidence)),
                "auroc": rounded(roc_auc_score(correct, confidence)),
            }
        )
    return rows


def distributions(generator):
    rows = []
    for _ in range(CASES):
        size = int(generator.integers(1, 8))
        p, q = (generator.dirichlet(np.full(size, 0.4)).round(6) for _ in range(2))
        p, q = p / p.sum(), q / q.sum()
        rows.append(
            {
                "p": [rounded(x) for x in p],
                "q": [rounded(x) for x in q],
                "bits": rounded(np.nan_to_num(jensenshannon(p, q, base=2)) ** 2),
            }
        )
    return rows


def vectors(generator):
    rows = []
    for _ in range(CASES):
        size = int(generator.integers(2, 8))
        a = generator.integers(-4, 5, size)
        b = generator.integers(-4, 5, size)
        if not a.any() or not b.any():
            a[0], b[0] = 1, -1
        ranks = spearmanr(a, b).statistic if a.std() > 0 and b.std() > 0 else None
        rows.append(
            {
                "a": a.tolist(),
                "b": b.tolist(),
                "cosineDistance": rounded(cosine_distances([a], [b])[0, 0]),
                "spearman": None if ranks is None else rounded(ranks),
            }
        )
    return rows


def alignment(generator):
    """Linear CKA worked out with NumPy from feature-space formulas, not from Gram matrices."""
    rows = []
    for _ in range(CASES):
        n, d, e = int(generator.integers(4, 9)), int(generator.integers(1, 5)), int(generator.integers(1, 5))
        x = generator.normal(size=(n, d)).round(2)
        y = (x @ generator.normal(size=(d, e)) * generator.random() + generator.normal(size=(n, e))).round(2)
        u, v = x - x.mean(0), y - y.mean(0)
        norm = np.linalg.norm
        biased = norm(u.T @ v) ** 2 / (norm(u.T @ u) * norm(v.T @ v))

        def hsic(k, l):
            k, l = k - np.diag(np.diag(k)), l - np.diag(np.diag(l))
            one = np.ones(n)
            middle = (one @ k @ one) * (one @ l @ one) / ((n - 1) * (n - 2))
            return (np.trace(k @ l) + middle - 2 * (one @ k @ l @ one) / (n - 2)) / (n * (n - 3))

        k, l = x @ x.T, y @ y.T
        self_similarity = hsic(k, k) * hsic(l, l)
        rows.append(
            {
                "x": x.tolist(),
                "y": y.tolist(),
                "biased": rounded(biased),
                "debiased": rounded(hsic(k, l) / np.sqrt(self_similarity)) if self_similarity > 1e-6 else None,
            }
        )
    return rows


def main(folder):
    rng = random.Random(20261201)
    generator = np.random.default_rng(20261201)
    packages = ("sacrebleu", "rouge-score", "scikit-learn", "scipy", "numpy")
    source = {name: version(name) for name in packages}
    files = {
        "text-overlap": texts(rng),
        "rouge-l": rouge(rng),
        "calibration": calibration(rng),
        "jensen-shannon": distributions(generator),
        "vectors": vectors(generator),
        "alignment": alignment(generator),
    }
    for name, rows in files.items():
        lines = ",\n".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in rows)
        header = json.dumps({"source": source}, separators=(",", ":"))[:-1]
        (folder / f"{name}.json").write_text(f'{header},"rows":[\n{lines}\n]}}\n', encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
