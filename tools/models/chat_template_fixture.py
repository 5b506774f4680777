"""Writes tests/fixtures/chat-template-ids.json: conversations and the ids of Python's apply_chat_template."""

import json
from pathlib import Path

import transformers
from transformers import AutoTokenizer

from paths import FIXTURES, SMOLLM2


def user(text: str) -> list[dict]:
    return [{"role": "user", "content": text}]


CONVERSATIONS: list[list[dict]] = [
    user("What is the capital of France?"),
    user("Add 12345 and 67890. Is the sum above 80,000?"),
    user("The year 1999 came  7 years before 2006, and   3 after 1996."),
    user("First line\nsecond line\n\n\nfourth line, after two blank ones\n"),
    user("tab\there, trailing spaces   \n   leading spaces"),
    user("I love 🍕 and 👩‍👩‍👧‍👦 and flags 🇯🇵🇧🇷!!! 😀😀"),
    user("Wie heißt die größte Stadt Österreichs? Größe: 1,9 Mio."),
    user("日本の首都はどこですか。東京ですか、それとも京都ですか。"),
    user("ما هي عاصمة مصر؟ السنة ٢٠٢٤"),
    user("x² + y³ = ½ and Ⅷ is eight, ① is one"),
    user(""),
    user(" "),
    user("def f(n):\n    return n * f(n - 1) if n > 1 else 1\n\nprint(f(10))"),
    user("It's we'll they've I'm he'd don't CAN'T You're"),
    user("Literally <|im_start|>user and <|im_end|> inside the text"),
    [{"role": "system", "content": "You answer in one word."}, {"role": "user", "content": "Colour of the sky?"}],
    [{"role": "system", "content": ""}, {"role": "user", "content": "No system text at all 0123456789"}],
    [
        {"role": "user", "content": "Name a prime above 10."},
        {"role": "assistant", "content": "11"},
        {"role": "user", "content": "And the next 2?"},
    ],
    [
        {"role": "system", "content": "Be brief.\nUse digits: 1 2 3."},
        {"role": "user", "content": "Price of 3 apples at $0.50 each?"},
        {"role": "assistant", "content": "$1.50\n"},
        {"role": "user", "content": "And with 10% off? 🤔"},
    ],
    user("e\u0301 vs é, zero\u200bwidth, nbsp\u00a0here, CRLF\r\nline, \u2028separator"),
    user("https://example.org/a?b=1&c=2#d https://例え.jp — “quoted” … 100% €5.00 §4"),
]


def main() -> None:
    tokenizer = AutoTokenizer.from_pretrained(SMOLLM2)
    cases = []
    for index, messages in enumerate(CONVERSATIONS):
        # Alternately with and without the opening of the answer.
        add_generation_prompt = index % 4 != 3
        text = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=add_generation_prompt)
        ids = tokenizer.apply_chat_template(
            messages, tokenize=True, add_generation_prompt=add_generation_prompt, return_dict=False
        )
        cases.append({"messages": messages, "addGenerationPrompt": add_generation_prompt, "text": text, "ids": ids})
    fixture = {
        "model": "SmolLM2-135M-Instruct",
        "generator": f"tools/models/chat_template_fixture.py, transformers {transformers.__version__}",
        "cases": cases,
    }
    path = FIXTURES / "chat-template-ids.json"
    path.write_text(json.dumps(fixture, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{len(cases)} conversations")


if __name__ == "__main__":
    main()
