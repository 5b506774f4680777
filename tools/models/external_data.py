"""Lays raw tensors out in `model_q4.onnx_data`, `model_q4.onnx_data_1`, ... as transformers.js expects them."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from onnx import TensorProto

ALIGNMENT = 64


@dataclass(frozen=True)
class Placement:
    location: str
    offset: int
    length: int


class ExternalData:
    """Collects tensors into chunks; several graphs may refer to one placement under different data types."""

    def __init__(self, base_name: str):
        self._base_name = base_name
        self._chunks: list[bytearray] = []

    def start_chunk(self) -> None:
        self._chunks.append(bytearray())

    def _chunk_name(self, index: int) -> str:
        return f"{self._base_name}_data" + (f"_{index}" if index else "")

    def add(self, array: np.ndarray) -> Placement:
        chunk = self._chunks[-1]
        chunk.extend(bytes(-len(chunk) % ALIGNMENT))
        raw = np.ascontiguousarray(array).tobytes()
        placement = Placement(self._chunk_name(len(self._chunks) - 1), len(chunk), len(raw))
        chunk.extend(raw)
        return placement

    def write(self, folder: Path, largest_bytes: int) -> int:
        """Returns the number of chunks."""
        for index, chunk in enumerate(self._chunks):
            if len(chunk) > largest_bytes:
                raise ValueError(f"chunk {index} has {len(chunk)} bytes")
            (folder / self._chunk_name(index)).write_bytes(chunk)
        return len(self._chunks)


def external_tensor(name: str, data_type: int, dims: list[int], placement: Placement) -> TensorProto:
    tensor = TensorProto(name=name, data_type=data_type, dims=dims, data_location=TensorProto.EXTERNAL)
    for key in ("location", "offset", "length"):
        tensor.external_data.add(key=key, value=str(getattr(placement, key)))
    return tensor
