"""Where each tensor of SmolLM2 lies in the external data files."""

from dataclasses import dataclass

import numpy as np

from external_data import ExternalData, Placement
from gguf_weights import EightBit, FourBit, Weights, stack_rows


@dataclass(frozen=True)
class LlamaShape:
    layers: int
    hidden: int
    heads: int
    key_value_heads: int
    head_size: int
    intermediate: int
    vocabulary: int
    positions: int
    rope_base: float
    norm_epsilon: float


@dataclass(frozen=True)
class StoredMatrix:
    """q, d and (4-bit only) m of a [rows, columns] matrix."""

    rows: int
    columns: int
    q: Placement
    d: Placement
    m: Placement | None


@dataclass(frozen=True)
class StoredLayer:
    attention_norm: Placement
    query_key_value: StoredMatrix
    output: StoredMatrix
    mlp_norm: Placement
    gate_up: StoredMatrix
    down: StoredMatrix


@dataclass(frozen=True)
class StoredWeights:
    embedding: StoredMatrix
    cosines: Placement
    sines: Placement
    layers: list[StoredLayer]
    final_norm: Placement


def rotary_tables(shape: LlamaShape) -> tuple[np.ndarray, np.ndarray]:
    """cos and sin of position / base^(2 i / head size), float32 [positions, head size / 2].

    Angles are rounded to float32 as PyTorch's LlamaRotaryEmbedding does; tables, because WGSL's own sine and cosine
    lose all accuracy at angles of several thousand radians.
    """
    exponents = np.arange(0, shape.head_size, 2, dtype=np.float32) / np.float32(shape.head_size)
    inverse_frequencies = (1.0 / np.float32(shape.rope_base) ** exponents).astype(np.float32)
    angles = np.arange(shape.positions, dtype=np.float32)[:, None] * inverse_frequencies[None, :]
    exact = angles.astype(np.float64)
    return np.cos(exact).astype(np.float32), np.sin(exact).astype(np.float32)


def store(weights: Weights, shape: LlamaShape, data: ExternalData, chunks_of_layers: int) -> StoredWeights:
    """Chunk 0: embedding, rotary tables, final norm. The layers are spread evenly over the following chunks."""

    def matrix(source: FourBit | EightBit) -> StoredMatrix:
        rows, blocks = source.d.shape
        m = data.add(source.m) if isinstance(source, FourBit) else None
        return StoredMatrix(rows, blocks * 32, data.add(source.q), data.add(source.d), m)

    data.start_chunk()
    embedding = matrix(weights.embedding)
    cosines, sines = (data.add(table) for table in rotary_tables(shape))
    final_norm = data.add(weights.final_norm)

    layers = []
    per_chunk = -(-shape.layers // chunks_of_layers)
    for index, layer in enumerate(weights.layers):
        if index % per_chunk == 0:
            data.start_chunk()
        layers.append(
            StoredLayer(
                attention_norm=data.add(layer.attention_norm),
                query_key_value=matrix(stack_rows([layer.query, layer.key, layer.value])),
                output=matrix(layer.output),
                mlp_norm=data.add(layer.mlp_norm),
                gate_up=matrix(stack_rows([layer.gate, layer.up])),
                down=matrix(layer.down),
            )
        )
    return StoredWeights(embedding, cosines, sines, layers, final_norm)
