"""Folders that the scripts here read and write."""

from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
PUBLIC_MODELS = REPOSITORY / "public" / "models"
FIXTURES = REPOSITORY / "tests" / "fixtures"
SMOLLM2 = PUBLIC_MODELS / "SmolLM2-135M-Instruct"
MINILM = PUBLIC_MODELS / "all-MiniLM-L6-v2"
