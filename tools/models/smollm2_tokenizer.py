"""The tokenizer of SmolLM2 out of the GGUF file, with the pre-tokenisation that the GGUF names but transformers omits."""

import json
import tempfile
from pathlib import Path

from gguf import GGUFReader
from transformers import AutoTokenizer

from gguf_weights import gguf_path

# GGUF pre-tokenizer "smollm": every numeric character stands alone, then GPT-2's pattern (llama.cpp,
# llama-vocab.cpp). transformers reads a GGUF without the first step, which changes text such as two spaces before a
# digit. A Split on \p{N} rather than a Digits step, which transformers.js limits to ASCII digits.
PRE_TOKENIZER = {
    "type": "Sequence",
    "pretokenizers": [
        {"type": "Split", "pattern": {"Regex": "\\p{N}"}, "behavior": "Isolated", "invert": False},
        {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True},
    ],
}


def write_tokenizer(folder: Path) -> None:
    """Writes tokenizer.json and tokenizer_config.json."""
    fields = GGUFReader(gguf_path()).fields
    named = fields["tokenizer.ggml.pre"].contents()
    if named != "smollm":
        raise ValueError(f"the GGUF names the pre-tokenizer {named}")
    path = gguf_path()
    with tempfile.TemporaryDirectory() as scratch:
        AutoTokenizer.from_pretrained(str(path.parent), gguf_file=path.name).save_pretrained(scratch)
        tokenizer = json.loads((Path(scratch) / "tokenizer.json").read_text(encoding="utf-8"))
    tokenizer["pre_tokenizer"] = PRE_TOKENIZER
    # Nothing is added around a text; the GGUF's add_bos_token is false.
    tokenizer["post_processor"] = None
    text = json.dumps(tokenizer, ensure_ascii=False, separators=(",", ":"))
    (folder / "tokenizer.json").write_text(text, encoding="utf-8")

    config = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "model_max_length": fields["llama.context_length"].contents(),
        "bos_token": "<|im_start|>",
        "eos_token": "<|im_end|>",
        "pad_token": "<|im_end|>",
        "unk_token": "<|endoftext|>",
        "add_prefix_space": False,
        "clean_up_tokenization_spaces": False,
        "chat_template": fields["tokenizer.chat_template"].contents(),
    }
    written = json.dumps(config, indent=2, ensure_ascii=False) + "\n"
    (folder / "tokenizer_config.json").write_text(written, encoding="utf-8")
