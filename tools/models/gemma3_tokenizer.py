"""Gemma's tokenizer from a GGUF file: byte-pair encoding whose merges follow from the pieces' scores.

The GGUF has SentencePiece's pieces and scores and no merges. SentencePiece joins the neighbours whose union has the
highest score; the list of merges that does the same is every split of every piece into two pieces, by falling score.
"""

from gguf import GGUFReader
from sentencepiece import SentencePieceProcessor, sentencepiece_model_pb2
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, processors
from transformers import PreTrainedTokenizerFast

# llama.cpp's token types.
CONTROL, USER_DEFINED, BYTE = 3, 4, 6
SPACE = "\u2581"

TEXTS = [
    "The capital of France is Paris.",
    "  Two leading spaces,   three inner ones, a trailing one ",
    "Line one\nline two\n\n\n\tindented",
    "Ça coûte 12,50 € – naïve façade, Ærøskøbing.",
    "日本語のテキストと 한국어 и русский",
    "Emoji 🙂👩‍👩‍👧 and rare ⟊ signs \U0001f9ff",
    "def f(x):\n    return x ** 2  # squared",
    "<table><tr><td>1</td></tr></table>",
    "aaaaaaaaaaaaaaaaaaaaaaaa bbbbbbbbbbbbbbbb",
    "Supercalifragilisticexpialidocious 3.14159265358979",
    "don't can't it's I'm",
    "",
]


def fields(gguf_path) -> tuple[list[str], list[float], list[int], dict[str, int]]:
    """Tokens, scores, types, and the ids of the special tokens."""
    found = GGUFReader(gguf_path).fields
    read = lambda name: found[f"tokenizer.ggml.{name}"].contents()
    special = {name: read(f"{name}_token_id") for name in ("bos", "eos", "unknown", "padding")}
    return read("tokens"), read("scores"), read("token_type"), special


def merges(vocabulary: dict[str, int], scores: dict[str, float]) -> list[tuple[str, str]]:
    splits = []
    for piece, score in scores.items():
        for at in range(1, len(piece)):
            left, right = piece[:at], piece[at:]
            if left in scores and right in scores:
                splits.append((-score, vocabulary[left], vocabulary[right], left, right))
    splits.sort()
    return [(left, right) for *_, left, right in splits]


def build_tokenizer(gguf_path) -> PreTrainedTokenizerFast:
    tokens, scores, types, special = fields(gguf_path)
    vocabulary = {token: index for index, token in enumerate(tokens)}
    joined = {token: score for token, score, kind in zip(tokens, scores, types) if kind not in (CONTROL, USER_DEFINED, BYTE)}
    names = {name: tokens[index] for name, index in special.items()}
    model = models.BPE(
        vocab=vocabulary, merges=merges(vocabulary, joined), unk_token=names["unknown"], fuse_unk=True, byte_fallback=True
    )
    inner = Tokenizer(model)
    inner.normalizer = normalizers.Replace(" ", SPACE)
    inner.decoder = decoders.Sequence([decoders.Replace(SPACE, " "), decoders.ByteFallback(), decoders.Fuse()])
    # Pieces that are never split or joined; runs of spaces among them are written with plain spaces.
    inner.add_tokens([AddedToken(token, normalized=False) for token, kind in zip(tokens, types) if kind == USER_DEFINED])
    inner.add_special_tokens([AddedToken(token, normalized=False) for token, kind in zip(tokens, types) if kind == CONTROL])
    bos = names["bos"]
    inner.post_processor = processors.TemplateProcessing(
        single=f"{bos} $A", pair=f"{bos} $A {bos}:1 $B:1", special_tokens=[(bos, special["bos"])]
    )
    if inner.get_vocab_size() != len(tokens):
        raise ValueError(f"{inner.get_vocab_size()} tokens instead of {len(tokens)}")
    return PreTrainedTokenizerFast(
        tokenizer_object=inner,
        bos_token=bos,
        eos_token=names["eos"],
        unk_token=names["unknown"],
        pad_token=names["padding"],
        add_bos_token=True,
        clean_up_tokenization_spaces=False,
    )


def sentencepiece_reference(gguf_path) -> SentencePieceProcessor:
    """SentencePiece itself over the same pieces."""
    tokens, scores, types, special = fields(gguf_path)
    proto = sentencepiece_model_pb2.ModelProto()
    proto.trainer_spec.model_type = proto.trainer_spec.BPE
    proto.trainer_spec.byte_fallback = True
    for name, index in special.items():
        setattr(proto.trainer_spec, {"unknown": "unk", "padding": "pad"}.get(name, name) + "_id", index)
    proto.trainer_spec.unk_piece = tokens[special["unknown"]]
    proto.normalizer_spec.name = "identity"
    proto.normalizer_spec.add_dummy_prefix = False
    proto.normalizer_spec.remove_extra_whitespaces = False
    for index, (token, score, kind) in enumerate(zip(tokens, scores, types)):
        piece = token.replace(" ", SPACE) if kind == USER_DEFINED else token
        proto.pieces.add(piece=piece, score=score, type=2 if index == special["unknown"] else kind)
    return SentencePieceProcessor(model_proto=proto.SerializeToString())


def check_tokenizer(tokenizer: PreTrainedTokenizerFast, gguf_path, texts: list[str]) -> None:
    """Fails unless every text gets SentencePiece's ids behind the first token, and comes back."""
    reference = sentencepiece_reference(gguf_path)
    for text in texts:
        ids = tokenizer(text)["input_ids"]
        if ids != [tokenizer.bos_token_id, *reference.encode(text)]:
            raise SystemExit(f"{text[:60]!r}: {ids[:20]} instead of {reference.encode(text)[:20]}")
        if tokenizer.decode(ids, skip_special_tokens=True) != text:
            raise SystemExit(f"{text[:60]!r} comes back as {tokenizer.decode(ids, skip_special_tokens=True)[:60]!r}")
    print(f"tokenizer: {len(texts)} texts as SentencePiece encodes them")
