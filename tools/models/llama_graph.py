"""The Llama graph of SmolLM2, written node by node.

Inputs: input_ids, position_ids int64 [batch, sequence]; attention_mask int64 [batch, total], total = past + sequence;
num_logits_to_keep int64 [] (0 = all positions); past_key_values.{i}.key and .value float32 [batch, 3, past, 64].
Outputs: logits float32 [batch, kept, vocabulary]; present.{i}.key and .value float32 [batch, 3, total, 64].

Column j of the cache is attended from query i of this pass if attention_mask[j] = 1 and j <= past + i. That holds for
any padding, any past and any batch size; GroupQueryAttention refuses a sequence after a past at batch sizes above 1.
Masked scores get a finite offset, so a row that is all padding yields finite numbers, and the weight of a masked
column is exactly 0 in every other row.
"""

import numpy as np
from onnx import ModelProto, TensorProto

from gguf_weights import BLOCK
from graph_builder import MICROSOFT, GraphBuilder
from llama_weights_layout import LlamaShape, StoredLayer, StoredWeights
from quantised_linear import Linear

MASKED_SCORE = -1e9


def build_llama(shape: LlamaShape, weights: StoredWeights, linear: Linear) -> ModelProto:
    graph = GraphBuilder("smollm2")
    key_value_dims = [shape.key_value_heads, shape.head_size]
    graph.input("input_ids", TensorProto.INT64, ["batch", "sequence"])
    graph.input("attention_mask", TensorProto.INT64, ["batch", "total"])
    graph.input("position_ids", TensorProto.INT64, ["batch", "sequence"])
    graph.input("num_logits_to_keep", TensorProto.INT64, [])
    for i in range(shape.layers):
        for part in ("key", "value"):
            dims = ["batch", key_value_dims[0], "past", key_value_dims[1]]
            graph.input(f"past_key_values.{i}.{part}", TensorProto.FLOAT, dims)

    vocabulary, hidden = shape.vocabulary, shape.hidden
    quantised = graph.external("embedding.q", TensorProto.UINT8, [vocabulary, hidden], weights.embedding.q)
    scales_dims = [vocabulary, hidden // BLOCK]
    scales = graph.external("embedding.d_half", TensorProto.FLOAT16, scales_dims, weights.embedding.d)
    scales = graph.to_float(scales, "embedding.d")
    stream = linear.embed(graph, quantised, scales)
    mask = _attention_offsets(graph)
    rotary = _rotary_tables(graph, shape, weights)
    for i, layer in enumerate(weights.layers):
        stream = _layer(graph, shape, linear, layer, i, stream, mask, rotary)

    normed = _norm(graph, shape, stream, graph.external("norm.weight", TensorProto.FLOAT, [hidden], weights.final_norm), "norm")
    # A start of -0 is 0, so that 0 keeps every position.
    start = graph.node("Neg", [graph.reshape("num_logits_to_keep", [1], "keep")], "keep.start")
    end = graph.constant([np.iinfo(np.int64).max])
    kept = graph.node("Slice", [normed, start, end, graph.constant([1])], "norm.kept")
    linear.head(graph, kept, quantised, scales, weights.embedding)

    graph.output("logits", TensorProto.FLOAT, ["batch", "kept", vocabulary])
    for i in range(shape.layers):
        for part in ("key", "value"):
            dims = ["batch", key_value_dims[0], "total", key_value_dims[1]]
            graph.output(f"present.{i}.{part}", TensorProto.FLOAT, dims)
    return graph.model("sago tools/models")


def _attention_offsets(graph: GraphBuilder) -> str:
    """float32 [batch, 1, sequence, total]: 0 where attended, MASKED_SCORE elsewhere."""
    sequence = graph.node("Shape", ["input_ids"], "sequence_dim", start=1, end=2)
    total = graph.node("Shape", ["attention_mask"], "total_dim", start=1, end=2)
    scalar = graph.constant([], np.int64)
    total = graph.node("Reshape", [total, scalar], "total")
    past = graph.node("Sub", [total, graph.node("Reshape", [sequence, scalar], "sequence")], "past")
    one = graph.constant(1)
    queries = graph.node("Range", [past, total, one], "query_columns")
    keys = graph.node("Range", [graph.constant(0), total, one], "key_columns")
    queries = graph.reshape(queries, [-1, 1], "query_columns_down")
    causal = graph.node("LessOrEqual", [keys, queries], "causal")
    real = graph.node("Cast", ["attention_mask"], "real_columns", to=TensorProto.BOOL)
    real = graph.node("Unsqueeze", [real, graph.constant([1, 2])], "real_columns_across")
    attended = graph.node("And", [causal, real], "attended")
    zero, masked = graph.constant(0, np.float32), graph.constant(MASKED_SCORE, np.float32)
    return graph.node("Where", [attended, zero, masked], "attention_offsets")


def _rotary_tables(graph: GraphBuilder, shape: LlamaShape, weights: StoredWeights) -> dict[str, tuple[str, str]]:
    """Tables for keys, and for queries with the attention scale in them (a power of two, so nothing is rounded)."""
    dims = [shape.positions, shape.head_size // 2]
    cosines = graph.external("rotary.cos", TensorProto.FLOAT, dims, weights.cosines)
    sines = graph.external("rotary.sin", TensorProto.FLOAT, dims, weights.sines)
    scale = graph.constant(shape.head_size**-0.5, np.float32)
    scaled = tuple(graph.node("Mul", [table, scale], f"{table}_scaled") for table in (cosines, sines))
    return {"query": scaled, "key": (cosines, sines)}


def _norm(graph: GraphBuilder, shape: LlamaShape, source: str, weight: str, name: str) -> str:
    return graph.node(
        "SimplifiedLayerNormalization",
        [source, weight],
        f"{name}.output",
        axis=-1,
        epsilon=shape.norm_epsilon,
        stash_type=1,
    )


def _layer(
    graph: GraphBuilder,
    shape: LlamaShape,
    linear: Linear,
    layer: StoredLayer,
    i: int,
    stream: str,
    mask: str,
    rotary: dict[str, tuple[str, str]],
) -> str:
    name = f"layers.{i}"
    weight = graph.external(f"{name}.attention_norm.weight", TensorProto.FLOAT, [shape.hidden], layer.attention_norm)
    normed = _norm(graph, shape, stream, weight, f"{name}.attention_norm")
    attention = _attention(graph, shape, linear, layer, i, normed, mask, rotary)
    stream = graph.node("Add", [stream, attention], f"{name}.after_attention")

    weight = graph.external(f"{name}.mlp_norm.weight", TensorProto.FLOAT, [shape.hidden], layer.mlp_norm)
    normed = _norm(graph, shape, stream, weight, f"{name}.mlp_norm")
    both = linear.apply(graph, normed, layer.gate_up, f"{name}.gate_up")
    halves = graph.constant([shape.intermediate, shape.intermediate])
    gate, up = graph.nodes("Split", [both, halves], [f"{name}.gate", f"{name}.up"], axis=-1)
    gate = graph.node("Mul", [gate, graph.node("Sigmoid", [gate], f"{name}.sigmoid")], f"{name}.silu")
    product = graph.node("Mul", [gate, up], f"{name}.mlp_product")
    mlp = linear.apply(graph, product, layer.down, f"{name}.down")
    return graph.node("Add", [stream, mlp], f"{name}.output")


def _attention(
    graph: GraphBuilder,
    shape: LlamaShape,
    linear: Linear,
    layer: StoredLayer,
    i: int,
    source: str,
    mask: str,
    rotary: dict[str, tuple[str, str]],
) -> str:
    name = f"layers.{i}"
    heads, groups, size = shape.heads, shape.key_value_heads, shape.head_size
    together = linear.apply(graph, source, layer.query_key_value, f"{name}.query_key_value")
    widths = graph.constant([heads * size, groups * size, groups * size])
    query, key, value = graph.nodes(
        "Split", [together, widths], [f"{name}.query", f"{name}.key", f"{name}.value"], axis=-1
    )

    def rotated(part: str, kind: str, count: int) -> str:
        inputs = [part, "position_ids", *rotary[kind]]
        return graph.node("RotaryEmbedding", inputs, f"{part}_rotated", MICROSOFT, num_heads=count)

    def by_head(part: str, count: int) -> str:
        split = graph.reshape(part, [0, 0, count, size], f"{part}_split")
        return graph.node("Transpose", [split], f"{part}_by_head", perm=[0, 2, 1, 3])

    def with_past(part: str, kind: str) -> str:
        return graph.node("Concat", [f"past_key_values.{i}.{kind}", part], f"present.{i}.{kind}", axis=2)

    query = by_head(rotated(query, "query", heads), heads)
    key = with_past(by_head(rotated(key, "key", groups), groups), "key")
    value = with_past(by_head(value, groups), "value")

    # The queries that share a key head lie one after the other: one product serves them, and no key is repeated.
    grouped = graph.reshape(query, [0, groups, -1, size], f"{name}.query_grouped")
    key = graph.node("Transpose", [key], f"{name}.key_across", perm=[0, 1, 3, 2])
    scores = graph.node("MatMul", [grouped, key], f"{name}.scores_grouped")
    scores = graph.reshape(scores, [0, heads, -1, 0], f"{name}.scores")
    scores = graph.node("Add", [scores, mask], f"{name}.scores_masked")
    attended = graph.node("Softmax", [scores], f"{name}.attended", axis=-1)
    attended = graph.reshape(attended, [0, groups, -1, 0], f"{name}.attended_grouped")
    mixed = graph.node("MatMul", [attended, value], f"{name}.mixed_grouped")
    mixed = graph.reshape(mixed, [0, heads, -1, size], f"{name}.mixed")
    mixed = graph.node("Transpose", [mixed], f"{name}.mixed_by_position", perm=[0, 2, 1, 3])
    mixed = graph.reshape(mixed, [0, 0, heads * size], f"{name}.mixed_flat")
    return linear.apply(graph, mixed, layer.output, f"{name}.attention_out")
