"""FX graphs of TorchDynamo as graphs of the recording, with the lines of the program behind their nodes."""
from __future__ import annotations

import re
from types import ModuleType
from typing import Any

from footlight_recorder import _recorder
from footlight_recorder.adapters import places

_MAX_SHOWN_ITEMS = 16  # elements of a tensor whose values are kept

_FAMILIES = {
    'product': ('matmul', 'mm', 'bmm', 'linear', 'einsum', 'conv1d', 'conv2d', 'conv3d', 'addmm', 'baddbmm', 'bilinear',
                'scaled_dot_product_attention', 'fft', 'svd', 'cholesky', 'inv', 'solve', '__matmul__'),
    'reduction': ('sum', 'mean', 'max', 'min', 'argmax', 'argmin', 'prod', 'norm', 'std', 'var', 'any', 'all', 'amax', 'amin',
                  'softmax', 'log_softmax', 'logsumexp', 'cumsum', 'cumprod', 'sort', 'topk', 'layer_norm', 'batch_norm',
                  'group_norm', 'cross_entropy', 'mse_loss', 'nll_loss'),
    'move': ('getitem', 'setitem', 'view', 'reshape', 'transpose', 'permute', 'contiguous', 'cat', 'stack', 'chunk', 'split',
             'unsqueeze', 'squeeze', 'expand', 'repeat', 'roll', 'gather', 'scatter', 'index_select', 'flatten', 'pad', 'flip',
             'clone', 'to', 'size', 'new_zeros', 'zeros', 'ones', 'arange', 'detach', 'embedding', 'T'),
    'random': ('rand', 'randn', 'randint', 'dropout', 'bernoulli', 'multinomial', 'normal', 'rand_like', 'randn_like'),
    'control': ('cond', 'while_loop', 'map', 'scan', 'checkpoint', 'wrap', 'invoke_subgraph'),
}
_FAMILY_OF = {name: family for family, names in _FAMILIES.items() for name in names}

# What TorchDynamo calls a function that it made of what follows a graph break.
RESUME = re.compile(r'(?:.*\.)?torch_dynamo_resume_in_(?P<name>.+)_at_(?P<line>\d+)$')
_FRAME = re.compile(r'^\s*File "(?P<file>[^"]*)", line (?P<line>\d+)(?:, in (?P<name>.*))?$')


def family_of(op: str) -> str:
    """What kind of work an op is, which is its colour in the window."""
    return _FAMILY_OF.get(op, 'elementwise')


def frames_of(stack: str) -> list[tuple[str, int, str]]:
    """(file, line, function) of each frame that a printed stack names, the outermost first."""
    found = []
    for line in stack.splitlines():
        frame = _FRAME.match(line)
        if frame is not None:
            found.append((frame['file'], int(frame['line']), frame['name'] or ''))
    return found


def is_library(path: str) -> bool:
    """Whether a file belongs to Python or to an installed package."""
    return bool(_recorder.is_library_file(path))


def without_resume(name: str) -> str:
    """The function's name, where TorchDynamo made a function of what follows a graph break in it."""
    found = RESUME.match(name)
    return found['name'] if found else name


class Locations(places.Locations):
    """Stacks that PyTorch prints as locations."""

    def begin(self) -> None:
        super().begin()
        self._of_stack: dict[str, int | None] = {}

    def of_stack(self, stack: str) -> int | None:
        """The location of the last frame of a printed stack."""
        if stack not in self._of_stack:
            frames = [(file, line, without_resume(name)) for file, line, name in frames_of(stack)]
            self._of_stack[stack] = self.of_frames(frames)
        return self._of_stack[stack]


class Graphs:
    """Records FX graphs."""

    def __init__(self, torch: ModuleType, locations: Locations) -> None:
        self._torch, self._locations = torch, locations

    def type_texts(self, value: Any) -> list[str]:
        """"float32 (8, 5)" of each tensor that a node gives."""
        if isinstance(value, (tuple, list)):
            return [text for item in value for text in self.type_texts(item)]
        if isinstance(value, self._torch.Tensor):
            return [f'{str(value.dtype).removeprefix("torch.")} ({", ".join(map(str, value.shape))})']
        return [] if value is None else [type(value).__name__]

    def add(self, module: Any, name: str) -> int:
        """Adds the graph of a graph module, and those that it runs; the number of the graph."""
        number: int = _recorder.new_id('graph')
        nodes: list[dict[str, Any]] = []
        at: dict[Any, int] = {}
        inputs, outputs = [], []

        def add_node(title: str, op: str, family: str, gives: list[str], **more: Any) -> int:
            nodes.append({'id': len(nodes), 'name': title, 'op': op, 'family': family, 'node_output': gives, **more})
            return len(nodes) - 1

        def literal(value: Any) -> int:
            return add_node(f'literal_{len(nodes)}', 'literal', 'constant', [type(value).__name__], constant=repr(value))

        for node in module.graph.nodes:
            gives = self.type_texts(node.meta.get('example_value', node.meta.get('val')))
            if node.op == 'output':
                outputs = [{'source': at[used], 'output': 0} for used in node.all_input_nodes if used in at]
                continue
            if node.op == 'placeholder':
                at[node] = add_node(node.name, 'input', 'variable', gives, attributes=_source_text(node))
                inputs.append(at[node])
                continue
            if node.op == 'get_attr':
                held = _attribute(module, node.target)
                if getattr(held, 'graph', None) is None:  # else a node that runs it names it
                    at[node] = add_node(node.name, 'constant', 'constant', gives or self.type_texts(held),
                                        constant=self.constant_text(held))
                continue
            edges, attributes = [], []
            functions = []
            for key, value in [*enumerate(node.args), *node.kwargs.items()]:
                named = isinstance(key, str)
                if type(value) in (int, float, complex, bool) and not (named and key in ('dim', 'axis', 'dims')):
                    edges.append({'source': literal(value), 'output': 0})
                elif hasattr(value, 'all_input_nodes'):
                    inner = _attribute(module, value.target) if value.op == 'get_attr' else None
                    if getattr(inner, 'graph', None) is not None:
                        role = key if named else str(value.target)
                        functions.append({'attribute': role, 'function_graph': self.add(inner, f'{name}/{value.target}')})
                        attributes.append(f'{role}={value.target}')
                    elif value in at:
                        edges.append({'source': at[value], 'output': 0})
                elif value is not None or named:
                    edges.extend({'source': at[used], 'output': 0} for used in _nodes_in(value) if used in at)
                    attributes.append(f'{key if named else f"argument {key}"}={_attribute_text(value)}')
            op = _op_name(node)
            at[node] = add_node(node.name, op, family_of(op), gives, node_input=edges,
                                attributes='; '.join(attributes), node_function=functions,
                                location=self._locations.of_stack(node.meta.get('stack_trace') or ''))
        _recorder.add('graph', {'id': number, 'name': name, 'node': nodes, 'graph_input': inputs, 'graph_output': outputs})
        return number

    def constant_text(self, value: Any) -> str:
        """The value if it is small, else its type."""
        if isinstance(value, self._torch.Tensor):
            types = ''.join(self.type_texts(value))
            fake = type(value) not in (self._torch.Tensor, self._torch.nn.Parameter) or value.device.type == 'meta'
            return f'{types}...' if fake or value.numel() > _MAX_SHOWN_ITEMS else str(value.tolist())
        return type(value).__name__ + '...'


def _source_text(node: Any) -> str:
    """"_user_specified_name=L['x']": what an input is in the program."""
    source = getattr(node, '_dynamo_source', None)
    name = getattr(source, 'name', '')
    name = name() if callable(name) else name
    return f'_user_specified_name={name}' if name else ''


def _attribute(module: Any, target: str) -> Any:
    for part in str(target).split('.'):
        module = getattr(module, part, None)
    return module


def _nodes_in(value: Any) -> list[Any]:
    if hasattr(value, 'all_input_nodes'):
        return [value]
    if isinstance(value, (list, tuple)):
        return [node for item in value for node in _nodes_in(item)]
    if isinstance(value, dict):
        return [node for item in value.values() for node in _nodes_in(item)]
    if isinstance(value, slice):
        return [node for item in (value.start, value.stop, value.step) for node in _nodes_in(item)]
    return []


def _attribute_text(value: Any) -> str:
    """As it is written, with "node" for each input."""
    if hasattr(value, 'all_input_nodes'):
        return 'node'
    if isinstance(value, (list, tuple)):
        return f'({", ".join(map(_attribute_text, value))})'
    if isinstance(value, slice):
        parts = [value.start, value.stop] + [value.step] * (value.step is not None)
        return ':'.join('' if part is None else _attribute_text(part) for part in parts)
    text = str(value)
    return text[:200] if ' at 0x' not in text else type(value).__name__


def _op_name(node: Any) -> str:
    """"relu" of torch.relu, of F.relu, of Tensor.relu and of a module."""
    if isinstance(node.target, str):
        return node.target
    name = getattr(node.target, '__name__', None) or str(node.target)
    return str(name).removesuffix('.default')


def function_that_runs(result: Any) -> Any:
    """The function that TorchDynamo would run for what a backend gave it.

    TorchDynamo looks through wrappers that keep it from tracing compiled code. It also takes the `forward` of a module that
    compiles itself in its first call. It would leave out a stand-in around one of these.
    """
    for _ in range(50):
        inner = getattr(result, '_torchdynamo_orig_callable', None)
        if inner is None:
            break
        result = inner
    module = getattr(result, '__self__', None)
    recompile = getattr(module, 'real_recompile', None)
    if module is None or recompile is None or getattr(result, '__name__', '') != '_lazy_forward':
        return result
    recompile()
    return module.forward


def make_transparent(wrapper: Any) -> Any:
    """Makes TorchDynamo look through a function that wraps a compiled one; returns that function."""
    if hasattr(wrapper, '_torchdynamo_wrapper_id'):
        setattr(wrapper, '_torchdynamo_wrapper_id', id(wrapper))
    del wrapper.__wrapped__
    skip(wrapper)
    return wrapper


def skip(function: Any) -> None:
    """Tells TorchDynamo not to compile a function of ours."""
    try:
        from torch._dynamo.eval_frame import skip_code
    except ImportError:
        from torch._C._dynamo.eval_frame import skip_code
    skip_code(function.__code__)
