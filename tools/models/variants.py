"""Writes every variant of the SmolLM2 graph over one set of data files: `python tools/models/variants.py FOLDER`."""

import sys
from pathlib import Path

from graph_builder import GraphBuilder
from quantised_linear import FloatZeroPoints, Folded, FoldedProduct, Native
from smollm2 import write_graphs


class NativeOnWasm(Native):
    """Native with the embedding lookup that has a WASM kernel."""

    def embed(self, graph: GraphBuilder, quantised: str, scales: str) -> str:
        return Folded().embed(graph, quantised, scales)


VARIANTS = {
    "a-native.onnx": Native(),
    "a-native-on-wasm.onnx": NativeOnWasm(),
    "b-folded.onnx": Folded(),
    "b-folded-product.onnx": FoldedProduct(),
    "c-float-zero-points.onnx": FloatZeroPoints(),
}

if __name__ == "__main__":
    write_graphs(Path(sys.argv[1]), VARIANTS)
