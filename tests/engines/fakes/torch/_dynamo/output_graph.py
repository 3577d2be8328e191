"""The graph that TorchDynamo makes of a frame."""
from types import SimpleNamespace

import torch


class Node:
    def __init__(self, name, op, target, args=(), value=None):
        self.name, self.op, self.target, self.args, self.kwargs = name, op, target, tuple(args), {}
        self.meta = {'example_value': value}
        self.all_input_nodes = [one for one in args if isinstance(one, Node)]


class OutputGraph:
    def __init__(self, guards, tracked_fakes):
        self.guards, self.tracked_fakes = guards, tracked_fakes

    def compile_subgraph(self, tx, partial_convert=False, reason=None):
        pass

    def call_user_compiler(self, gm, example_inputs):
        return self._call_user_compiler(gm, example_inputs)

    def _call_user_compiler(self, gm, example_inputs):
        """A backend keeps its code from being traced by a wrapper, which disable() looks through."""
        def run_graph(*args, **kwargs):
            torch.compiler.running.append(gm)
            try:
                return gm.run(*args, **kwargs)
            finally:
                torch.compiler.running.pop()

        def compiled(*args, **kwargs):
            return run_graph(*args, **kwargs)
        compiled._torchdynamo_orig_callable = run_graph
        return compiled


def disable(compiled):
    """What runs for a graph."""
    while hasattr(compiled, '_torchdynamo_orig_callable'):
        compiled = compiled._torchdynamo_orig_callable
    return compiled


def graph_of(code, local, constants, run):
    """One node multiplies all tensors and constants of a call."""
    inputs = [Node(name, 'placeholder', name, value=value) for name, value in local.items() if hasattr(value, 'shape')]
    product = Node('mul', 'call_function', 'mul', [*inputs, *constants])
    product.meta['stack_trace'] = f'  File "{code.co_filename}", line {code.co_firstlineno + 2}, in {code.co_name}\n'
    return SimpleNamespace(run=run, graph=SimpleNamespace(nodes=[*inputs, product, Node('output', 'output', '', [product])]))
