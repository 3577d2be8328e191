"""TensorFlow's graphs as graphs of the recording: nodes with the lines that made them, and the graphs that nodes run."""
from __future__ import annotations

import weakref
import zlib
from collections.abc import Callable, Iterator
from typing import Any

from footlight_recorder import _recorder
from footlight_recorder.adapters import places

SourceOf = Callable[[str, int, str], Any]  # of a line of a function of a file: its code object and instruction
_MAX_SHOWN_ITEMS, _MAX_HASHED_BYTES, _MAX_ATTRIBUTE = 16, 16 << 20, 200
_OURS = '/footlight_recorder/'
# Attributes that are no part of what a graph computes: most of them differ with each trace.
_SKIPPED = ('value', 'config_proto', 'config', 'shared_name', 'container', '_gradient_op_type', 'debug_name',
            '_read_only_resource_inputs')

# Families of ops by the beginnings of their names; the first that fits.
_FAMILIES = (
    ('control', ('If', 'StatelessIf', 'While', 'StatelessWhile', 'Case', 'StatelessCase', 'PartitionedCall',
                 'StatefulPartitionedCall', 'NoOp', 'Switch', 'Merge', 'Enter', 'Exit', 'LoopCond', 'NextIteration',
                 'SymbolicGradient', 'RemoteCall')),
    ('variable', ('ReadVariable', 'VarHandle', 'Assign', 'Variable', 'ResourceApply', 'ResourceGather', 'ResourceScatter',
                  'VarIsInitialized', 'DestroyResource')),
    ('random', ('Random', 'StatelessRandom', 'StatefulUniform', 'StatefulStandard', 'StatefulRandom', 'TruncatedNormal',
                'StatelessTruncated', 'Multinomial', 'StatelessMultinomial', 'RngSkip', 'RngReadAndSkip')),
    ('io', ('Print', 'PyFunc', 'EagerPyFunc', 'ReadFile', 'WriteFile', 'Save', 'Restore', 'Assert', 'Iterator', 'MakeIterator',
            'Optional', 'Dataset', 'WriteScalar', 'WriteSummary', 'WriteHistogram', 'HostConst')),
    ('product', ('MatMul', 'BatchMatMul', 'SparseMatMul', 'SparseTensorDense', 'Conv', 'DepthwiseConv', 'Einsum', 'XlaDot',
                 'Cholesky', 'MatrixInverse', 'MatrixSolve', 'MatrixTriangular', 'Qr', 'Svd', 'SelfAdjointEig', 'FFT', 'IFFT',
                 'RFFT', 'IRFFT', '_FusedMatMul', '_FusedConv')),
    ('reduction', ('Sum', 'Mean', 'Max', 'Min', 'Prod', 'All', 'Any', 'ArgMax', 'ArgMin', 'Cumsum', 'Cumprod', 'Segment',
                   'UnsortedSegment', 'SparseSegment', 'TopK', 'InTopK', 'EuclideanNorm', 'L2Loss', 'Bincount',
                   'DenseBincount', 'AddN', 'BiasAddGrad')),
    ('move', ('Identity', 'Reshape', 'Transpose', 'Concat', 'Slice', 'StridedSlice', 'Split', 'Pack', 'Unpack', 'Gather',
              'Scatter', 'TensorScatter', 'Tile', 'Pad', 'MirrorPad', 'Squeeze', 'ExpandDims', 'Broadcast', 'Reverse', 'Roll',
              'Cast', 'Bitcast', 'Shape', 'Size', 'Rank', 'OneHot', 'Where', 'Select', 'TensorList', 'StopGradient',
              'PreventGradient', 'Snapshot', 'Copy', 'TensorArray', 'DynamicStitch', 'DynamicPartition', 'SpaceTo', 'DepthTo',
              'BatchTo', 'Diag', 'MatrixDiag', 'MatrixSetDiag', 'MatrixBandPart', 'Unique', 'Sort', 'InvertPermutation',
              'Ragged', 'Sparse')),
    ('constant', ('Const', 'Placeholder', '_Arg', 'Fill', 'Range', 'LinSpace', 'ZerosLike', 'OnesLike', 'Empty')))
_WHOLE = ('Max', 'Min', 'If', 'While', 'Any', 'All', 'Sum', 'Size', 'Rank', 'Print', 'Where', 'Range', 'Shape')


def family_of(op: str) -> str:
    """What kind of work an op is, which is its colour in the window."""
    for family, names in _FAMILIES:
        for name in names:
            if op == name or name not in _WHOLE and op.startswith(name) or name in _WHOLE and op in (name + 'V2', name + 'V3'):
                return family
    if op.startswith(('MaxPool', 'AvgPool')):
        return 'reduction'
    return 'move' if op.endswith('ShapeAs') or op.startswith('ShapeN') else 'elementwise'


def type_text(tensor: Any) -> str:
    """"float32 (8, 5)", as outputs of nodes and captures are written."""
    shape = tensor.shape
    sizes = '?' if shape.rank is None else ', '.join(map(str, shape.as_list()))
    if shape.rank == 1:
        sizes += ','
    return f'{tensor.dtype.name} ({sizes})'


class Graphs:
    """Records FuncGraphs, each once."""

    def __init__(self, as_dtype: Any, make_ndarray: Any) -> None:
        self._as_dtype, self._make_ndarray = as_dtype, make_ndarray
        self._known: dict[str, int] = {}  # runtime functions by name
        self._locations = places.Locations()
        self.names: dict[int, dict[str, int]] | None = None  # numbers of nodes by name, for each graph; None: not kept
        self._inner: dict[int, list[int]] = {}               # the graphs that nodes of a graph run

    # ---- lines ------------------------------------------------------------------------------------------------------

    def _stacks(self, info: Any, source_of: SourceOf) -> dict[str, dict[str, Any]]:
        """Where each node was made, by its name: its location, and its code if that ran in the trace."""
        files = [path for path in info.files]
        frames = {number: (files[frame.file_index], frame.line, frame.func, max(frame.col, 0))
                  for number, frame in info.frames_by_id.items()}
        of_trace: dict[int, dict[str, Any]] = {}
        found = {}
        for name, number in info.name_to_trace_id.items():
            if number not in of_trace:
                stack = [frames[frame] for frame in info.traces_by_id[number].frame_id if frame in frames]
                at = self._locations.of_frames(frame for frame in stack
                                               if _OURS not in frame[0] and not frame[0].startswith('<frozen'))
                innermost = stack[-1][:3] if stack else ('', 0, '')
                of_trace[number] = {} if at is None else {'location': at, 'source': source_of(*innermost)}
            found[name.partition('@')[0]] = of_trace[number]
        return found

    # ---- nodes ------------------------------------------------------------------------------------------------------

    def _attribute(self, value: Any) -> str:
        which = value.WhichOneof('value')
        if which == 'type':
            return str(self._as_dtype(value.type).name)
        if which == 'b':
            return 'true' if value.b else 'false'
        if which in ('i', 'f'):
            return str(getattr(value, which))
        if which == 's':
            return str(value.s.decode('utf-8', 'replace'))
        if which == 'func':
            return str(value.func.name)
        if which == 'shape':
            if value.shape.unknown_rank:
                return '?'
            sizes = ['None' if dim.size < 0 else str(dim.size) for dim in value.shape.dim]
            return f'({", ".join(sizes)}{"," if len(sizes) == 1 else ""})'
        if which == 'list':
            held = value.list
            names = ([str(self._as_dtype(one).name) for one in held.type] or [str(one) for one in held.i] or
                     [str(one) for one in held.f] or [one.decode('utf-8', 'replace') for one in held.s] or
                     [one.name for one in held.func])
            return f'[{", ".join(names)}]'
        return ''

    def _attributes(self, definition: Any) -> str:
        found = []
        for name in sorted(definition.attr):
            text = self._attribute(definition.attr[name]) if name not in _SKIPPED else ''
            if text:
                found.append(f'{name}={text[:_MAX_ATTRIBUTE]}')
        return '; '.join(found)

    def _constant(self, op: Any, definition: Any) -> str:
        proto = definition.attr['value'].tensor
        shape = op.outputs[0].shape
        count = shape.num_elements()
        if count is None or proto.ByteSize() > _MAX_HASHED_BYTES:
            return type_text(op.outputs[0]) + '...'
        if count > _MAX_SHOWN_ITEMS:
            return f'{type_text(op.outputs[0])}... #{zlib.crc32(proto.SerializeToString(deterministic=True)):08x}'
        array = self._make_ndarray(proto)
        if array.ndim == 0:
            value = array.item()
            return value.decode('utf-8', 'replace') if isinstance(value, bytes) else str(value)
        return ' '.join(str(array.tolist()).split()) + ' ' + type_text(op.outputs[0])

    def _functions(self, definition: Any) -> Iterator[tuple[str, str]]:
        for name, value in definition.attr.items():
            which = value.WhichOneof('value')
            if which == 'func' and value.func.name:
                yield name, value.func.name
            elif which == 'list':
                yield from ((f'{name}[{at}]', one.name) for at, one in enumerate(value.list.func))

    def add(self, graph: Any, name: str, info: Any, source_of: SourceOf, depth: int = 0) -> int:
        """Adds a FuncGraph and those that it runs; the number of the graph. `info`: its GraphDebugInfo, or None."""
        known = self._known.get(name)
        if known is not None:
            return known
        number: int = _recorder.new_id('graph')
        self._known[name] = number
        of_nodes = self._stacks(info, source_of) if info is not None else {}
        operations = graph.get_operations()
        at = {op.name: position for position, op in enumerate(operations)}
        nodes: list[dict[str, Any]] = []
        for position, op in enumerate(operations):
            definition = op.node_def
            functions = []
            for attribute, called in self._functions(definition):
                inner = self._of_function(graph, called, source_of, depth)
                if inner is not None:
                    functions.append({'attribute': attribute, 'function_graph': inner})
            nodes.append({
                'id': position, 'name': op.name, 'op': op.type, 'family': family_of(op.type),
                'node_input': [{'source': at.get(one.op.name, 0), 'output': one.value_index} for one in op.inputs],
                'node_control_input': [at[one.name] for one in op.control_inputs if one.name in at],
                'node_output': [type_text(one) for one in op.outputs], 'attributes': self._attributes(definition),
                'constant': self._constant(op, definition) if op.type == 'Const' else '', 'node_function': functions,
                **(of_nodes.get(op.name, {}) if op.type != 'Placeholder' else {})})
        if self.names is not None:
            self.names[number] = at
            self._inner[number] = [one['function_graph'] for node in nodes for one in node['node_function']]
        _recorder.add('graph', {
            'id': number, 'name': name, 'node': nodes,
            'graph_input': [at[one.op.name] for one in graph.inputs if one.op.name in at],
            'graph_output': [{'source': at[one.op.name], 'output': one.value_index} for one in graph.outputs
                             if one.op.name in at]})
        return number

    def node_named(self, graph: int | None, path: str) -> tuple[int | None, int | None]:
        """The graph and the number of a node by the path that it has after functions were inlined, which may be that of one
        in a graph that the graph runs: "cond/then/_0/cond/Tanh"."""
        names = self.names or {}
        open_graphs, seen = [graph] if graph is not None else [], set()
        while open_graphs:
            one = open_graphs.pop(0)
            if one in seen:
                continue
            seen.add(one)
            known, rest = names.get(one, {}), path
            while rest:
                if rest in known:
                    return one, known[rest]
                rest = rest.partition('/')[2] if one != graph else ''
            open_graphs.extend(self._inner.get(one, ()))
        return None, None

    def _of_function(self, graph: Any, name: str, source_of: SourceOf, depth: int) -> int | None:
        """The graph of a runtime function that a node runs."""
        known = self._known.get(name)
        if known is not None or depth >= 20:
            return known
        function = graph._get_function(name) if hasattr(graph, '_get_function') else None
        if function is None:
            return None
        inner = getattr(function, 'cached_graph', None)
        if inner is None:
            inner = getattr(function, 'graph', None)
        return None if inner is None else self.add(inner, name, debug_info(function), source_of, depth + 1)


def debug_info(function: Any) -> Any:
    """The stacks of a runtime function's nodes, if this TensorFlow keeps them."""
    try:
        return function.graph_debug_info
    except Exception:
        return None


class Captures:
    """What the traces of a function captured: the same number is the same variable or tensor."""

    def __init__(self) -> None:
        self._numbers: dict[Any, int] = {}

    def of(self, graph: Any) -> tuple[list[str], list[int]]:
        """The captures of a graph in words, and their numbers."""
        names = {}
        for variable in getattr(graph, 'variables', ()):
            names[id(variable.handle)] = variable
        words, numbers = [], []
        for outer, inner in graph.captures:
            variable = names.get(id(outer))
            if variable is not None:
                words.append(f'{variable.name} {type_text(variable)} variable')
            else:
                symbolic = not hasattr(outer, 'numpy')
                kind = 'tensor of the enclosing function' if symbolic else 'tensor'
                words.append(f'{inner.op.name} {type_text(inner)} {kind}')
            key = getattr(outer, '_id', None)
            key = id(outer) if key is None else key
            numbers.append(self._numbers.setdefault(key, len(self._numbers)))
        return words, numbers


def watch_end(value: Any, then: Any) -> Any:
    """A reference to the value, which calls `then` when the value is gone; None if it cannot be referred to."""
    try:
        return weakref.ref(value, lambda _: then())
    except TypeError:
        return None
