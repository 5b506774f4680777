"""Ways to compute x W^T with W = d q + m in blocks of 32 along the input.

- `Folded`: DequantizeLinear and the addition of m, which ONNX Runtime folds to float32 when it creates the session if the option
  `disable_quant_qdq` is set. WASM has fast kernels for float32 only.
- `FoldedProduct`: folds d q only and multiplies m with block sums; less memory while loading, more work a step.
- `Native`: MatMulNBits computes x ((q - 8) d)^T on the device; the rest of each weight, m + 8 d, is constant within a
  block, so it contributes the sum of x over the block times (m + 8 d). Runs on WebGPU without dequantised copies.
- `FloatZeroPoints`: MatMulNBits with zero point -m / d, for comparison (WASM only; the quotient is rounded).
"""

from typing import Protocol

import numpy as np
from onnx import TensorProto

from gguf_weights import BLOCK
from graph_builder import MICROSOFT, GraphBuilder
from llama_weights_layout import StoredMatrix


class Linear(Protocol):
    def embed(self, graph: GraphBuilder, quantised: str, scales: str) -> str: ...

    def apply(self, graph: GraphBuilder, source: str, weights: StoredMatrix, name: str) -> str: ...

    def head(self, graph: GraphBuilder, source: str, quantised: str, scales: str, weights: StoredMatrix) -> str: ...


def _float_blocks(graph: GraphBuilder, weights: StoredMatrix, name: str) -> tuple[str, str]:
    """d and m as float32 [rows, blocks]; both casts are folded when the session is created."""
    if weights.m is None:
        raise ValueError(f"{name} has no block minima")
    dims = [weights.rows, weights.columns // BLOCK]
    d = graph.external(f"{name}.d_half", TensorProto.FLOAT16, dims, weights.d)
    m = graph.external(f"{name}.m_half", TensorProto.FLOAT16, dims, weights.m)
    return graph.to_float(d, f"{name}.d"), graph.to_float(m, f"{name}.m")


def _packed(graph: GraphBuilder, weights: StoredMatrix, name: str) -> str:
    dims = [weights.rows, weights.columns // BLOCK, BLOCK // 2]
    return graph.external(f"{name}.q", TensorProto.UINT8, dims, weights.q)


def _matmul_n_bits(graph: GraphBuilder, inputs: list[str], weights: StoredMatrix, bits: int, output: str) -> str:
    return graph.node(
        "MatMulNBits", inputs, output, MICROSOFT, K=weights.columns, N=weights.rows, bits=bits, block_size=BLOCK
    )


def _embed_by_rows(graph: GraphBuilder, quantised: str, scales: str) -> str:
    """Looks the quantised rows up and dequantises only those, so that no float32 table is kept for the lookup."""
    rows = graph.node("Gather", [quantised, "input_ids"], "embedding.rows")
    row_scales = graph.node("Gather", [scales, "input_ids"], "embedding.row_scales")
    dims = graph.node("Shape", [row_scales], "embedding.row_scales_dims")
    middle = graph.node("Expand", [graph.constant(128, np.uint8), dims], "embedding.middle")
    inputs = [rows, row_scales, middle]
    return graph.node("DequantizeLinear", inputs, "embedding.output", axis=2, block_size=BLOCK)


def _embed_fused(graph: GraphBuilder, quantised: str, scales: str) -> str:
    """As _embed_by_rows in one node, for which onnxruntime-web has a WebGPU kernel and no WASM kernel."""
    return graph.node(
        "GatherBlockQuantized",
        [quantised, "input_ids", scales],
        "embedding.output",
        MICROSOFT,
        bits=8,
        block_size=BLOCK,
        gather_axis=0,
        quantize_axis=1,
    )


def _native_head(graph: GraphBuilder, source: str, quantised: str, scales: str, weights: StoredMatrix) -> str:
    blocked = graph.reshape(quantised, [weights.rows, weights.columns // BLOCK, BLOCK], "lm_head.q")
    return _matmul_n_bits(graph, [source, blocked, scales], weights, 8, "logits")


class Folded:
    def embed(self, graph: GraphBuilder, quantised: str, scales: str) -> str:
        return _embed_by_rows(graph, quantised, scales)

    def apply(self, graph: GraphBuilder, source: str, weights: StoredMatrix, name: str) -> str:
        d, m = _float_blocks(graph, weights, name)
        q = graph.external(f"{name}.q", TensorProto.UINT4, [weights.rows, weights.columns], weights.q)
        product = graph.node("DequantizeLinear", [q, d], f"{name}.product", axis=1, block_size=BLOCK)
        # Adds each block's m to its 32 columns. Add would need Reshapes around it, and every folded step is one more
        # float32 copy of all weights that lives until the session is ready. A row of the indicator's columns holds a
        # single 1, so no rounding is added.
        indicator = np.repeat(np.eye(weights.columns // BLOCK, dtype=np.float32), BLOCK, axis=1)
        full = graph.node("Gemm", [m, graph.constant(indicator, np.float32), product], f"{name}.weight")
        return graph.node("FusedMatMul", [source, full], f"{name}.output", MICROSOFT, transB=1)

    def head(self, graph: GraphBuilder, source: str, quantised: str, scales: str, weights: StoredMatrix) -> str:
        middle = graph.node(
            "Expand",
            [graph.constant(128, np.uint8), graph.constant([weights.rows, weights.columns // BLOCK])],
            "lm_head.middle",
        )
        full = graph.node(
            "DequantizeLinear", [quantised, scales, middle], "lm_head.weight", axis=1, block_size=BLOCK
        )
        return graph.node("FusedMatMul", [source, full], "logits", MICROSOFT, transB=1)


class FoldedProduct(Folded):
    """As Folded for d q only; the block minima are multiplied with the sums of the input, as in Native."""

    def apply(self, graph: GraphBuilder, source: str, weights: StoredMatrix, name: str) -> str:
        d, m = _float_blocks(graph, weights, name)
        q = graph.external(f"{name}.q", TensorProto.UINT4, [weights.rows, weights.columns], weights.q)
        product = graph.node("DequantizeLinear", [q, d], f"{name}.weight", axis=1, block_size=BLOCK)
        result = graph.node("FusedMatMul", [source, product], f"{name}.product", MICROSOFT, transB=1)
        rest = graph.node("Transpose", [graph.node("Neg", [m], f"{name}.minus_m")], f"{name}.rest", perm=[1, 0])
        return _subtract_block_sums(graph, result, source, rest, weights, name)


def _subtract_block_sums(
    graph: GraphBuilder, result: str, source: str, rest: str, weights: StoredMatrix, name: str
) -> str:
    """result - (sums of source over each block) rest.

    Subtracted rather than added, so that the only Adds along the residual stream are the stream's own.
    """
    blocks = graph.reshape(source, [0, 0, weights.columns // BLOCK, BLOCK], f"{name}.input_blocks")
    sums = graph.node("ReduceSum", [blocks, graph.constant([-1])], f"{name}.block_sums", keepdims=0)
    correction = graph.node("MatMul", [sums, rest], f"{name}.correction")
    return graph.node("Sub", [result, correction], f"{name}.output")


class Native:
    def embed(self, graph: GraphBuilder, quantised: str, scales: str) -> str:
        return _embed_fused(graph, quantised, scales)

    def apply(self, graph: GraphBuilder, source: str, weights: StoredMatrix, name: str) -> str:
        d, m = _float_blocks(graph, weights, name)
        centred = _matmul_n_bits(graph, [source, _packed(graph, weights, name), d], weights, 4, f"{name}.centred")
        eight = graph.node("Mul", [d, graph.constant(-8, np.float32)], f"{name}.minus_8d")
        rest = graph.node("Sub", [eight, m], f"{name}.rest_rows")
        rest = graph.node("Transpose", [rest], f"{name}.rest", perm=[1, 0])
        return _subtract_block_sums(graph, centred, source, rest, weights, name)

    def head(self, graph: GraphBuilder, source: str, quantised: str, scales: str, weights: StoredMatrix) -> str:
        return _native_head(graph, source, quantised, scales, weights)


class FloatZeroPoints:
    def embed(self, graph: GraphBuilder, quantised: str, scales: str) -> str:
        return _embed_by_rows(graph, quantised, scales)

    def apply(self, graph: GraphBuilder, source: str, weights: StoredMatrix, name: str) -> str:
        d, m = _float_blocks(graph, weights, name)
        # A block of equal weights may have d = 0; the smallest float16 then stands in, so that d * (m / d) = m.
        safe = graph.node("Where", [graph.node("Equal", [d, graph.constant(0, np.float32)], f"{name}.zero"),
                                    graph.constant(2.0**-24, np.float32), d], f"{name}.safe_d")
        zero_points = graph.node("Neg", [graph.node("Div", [m, safe], f"{name}.ratio")], f"{name}.zero_points")
        inputs = [source, _packed(graph, weights, name), safe, zero_points]
        return _matmul_n_bits(graph, inputs, weights, 4, f"{name}.output")

    def head(self, graph: GraphBuilder, source: str, quantised: str, scales: str, weights: StoredMatrix) -> str:
        return _native_head(graph, source, quantised, scales, weights)
