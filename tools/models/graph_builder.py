"""A thin layer over onnx.helper: every method adds one node and returns the name of its output."""

import numpy as np
from onnx import GraphProto, ModelProto, TensorProto, helper, numpy_helper

from external_data import Placement, external_tensor

MICROSOFT = "com.microsoft"


class GraphBuilder:
    def __init__(self, name: str):
        self._graph = GraphProto(name=name)
        self._constants: dict[tuple, str] = {}

    def node(self, kind: str, inputs: list[str], output: str, domain: str = "", **attributes) -> str:
        self.nodes(kind, inputs, [output], domain, **attributes)
        return output

    def nodes(self, kind: str, inputs: list[str], outputs: list[str], domain: str = "", **attributes) -> list[str]:
        self._graph.node.append(helper.make_node(kind, inputs, outputs, name=outputs[0], domain=domain, **attributes))
        return outputs

    def constant(self, values, data_type=np.int64) -> str:
        array = np.array(values, dtype=data_type)
        key = (array.dtype.str, array.shape, array.tobytes())
        if key not in self._constants:
            self._constants[key] = f"constant_{len(self._constants)}"
            self._graph.initializer.append(numpy_helper.from_array(array, self._constants[key]))
        return self._constants[key]

    def external(self, name: str, data_type: int, dims: list[int], placement: Placement) -> str:
        self._graph.initializer.append(external_tensor(name, data_type, dims, placement))
        return name

    def input(self, name: str, data_type: int, dims: list[str | int]) -> str:
        self._graph.input.append(helper.make_tensor_value_info(name, data_type, dims))
        return name

    def output(self, name: str, data_type: int, dims: list[str | int]) -> None:
        self._graph.output.append(helper.make_tensor_value_info(name, data_type, dims))

    def reshape(self, source: str, dims: list[int], output: str) -> str:
        """0 keeps the dimension at the same place, -1 takes what is left."""
        return self.node("Reshape", [source, self.constant(dims)], output)

    def to_float(self, source: str, output: str) -> str:
        return self.node("Cast", [source], output, to=TensorProto.FLOAT)

    def model(self, producer: str) -> ModelProto:
        return helper.make_model(
            self._graph,
            producer_name=producer,
            # Version 10 and operator set 21 are the first with four-bit types and blocked DequantizeLinear.
            ir_version=10,
            opset_imports=[helper.make_opsetid("", 21), helper.make_opsetid(MICROSOFT, 1)],
        )
