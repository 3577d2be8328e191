"""A graph has one node: the body ran at that line."""
from tensorflow.python.framework import ops


class Definition:
    attr = {}


class Operation:
    type, inputs, control_inputs, node_def = 'Mul', (), (), Definition()

    def __init__(self, name):
        self.name, self.outputs = name, [ops.Tensor((4,))]


class FuncGraph:
    outputs, inputs, captures, variables = (), (), (), ()

    def __init__(self, name):
        self.name, self.operations = name, []

    def get_operations(self):
        return self.operations


def func_graph_from_py_func(name, python_function, args, kwargs, func_graph):
    python_function(*args, **kwargs)
    func_graph.operations.append(Operation('mul'))
    return func_graph
