"""Jaxprs as graphs of the recording: equations are nodes, inner jaxprs are graphs that nodes run."""
from __future__ import annotations

import enum
import numbers
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy

from footlight_recorder import _recorder
from footlight_recorder.adapters import places

_MAX_SHOWN_ITEMS, _MAX_HASHED_BYTES = 16, 16 << 20

_FAMILIES = {
    'product': ('dot_general', 'conv_general_dilated', 'cholesky', 'triangular_solve', 'lu', 'qr', 'svd', 'eigh', 'fft'),
    'reduction': ('reduce_', 'argmax', 'argmin', 'cumsum', 'cumprod', 'cummax', 'cummin', 'sort', 'top_k'),
    'move': ('broadcast_in_dim', 'reshape', 'transpose', 'slice', 'dynamic_slice', 'dynamic_update_slice', 'gather', 'scatter',
             'concatenate', 'pad', 'squeeze', 'rev', 'copy', 'device_put', 'expand_dims', 'split'),
    'control': ('jit', 'pjit', 'scan', 'while', 'cond', 'custom_jvp_call', 'custom_vjp_call', 'remat', 'checkpoint',
                'closed_call', 'core_call', 'shard_map'),
    'random': ('random_', 'threefry', 'rng_'),
    'io': ('pure_callback', 'io_callback', 'debug_callback', 'debug_print', 'infeed', 'outfeed'),
}


def family(primitive: str) -> str:
    """The family of an op in the recording: "product", "reduction", ..."""
    for known, names in _FAMILIES.items():
        for name in names:
            if primitive == name or name.endswith('_') and primitive.startswith(name):
                return known
    return 'move' if primitive.startswith(('scatter', 'gather')) else 'elementwise'


def type_text(aval: Any) -> str:
    """"float32 (8, 5)", as outputs of nodes and captures are written."""
    shape = tuple(getattr(aval, 'shape', ()))
    return f'{getattr(aval, "dtype", type(aval).__name__)} ({", ".join(map(str, shape))})'


def constant_text(value: Any) -> str:
    """The value if it is small, else its type and a hash of it."""
    if isinstance(value, numbers.Number):
        return str(value)
    size, dtype = getattr(value, 'size', None), getattr(value, 'dtype', None)
    if size is None or dtype is None:
        return type(value).__name__ + '...'
    if getattr(dtype, 'hasobject', True) or size * dtype.itemsize > _MAX_HASHED_BYTES:
        return type_text(value) + '...'
    array = numpy.asarray(value)
    if size <= _MAX_SHOWN_ITEMS:
        return ' '.join(numpy.array2string(array, separator=', ').split())
    return f'{type_text(value)}... #{zlib.crc32(numpy.ascontiguousarray(array).tobytes()):08x}'


def _attribute_text(value: Any) -> str:
    if isinstance(value, (str, bool, int, float, type(None), enum.Enum, numpy.dtype, numpy.generic)):
        return str(value)
    if isinstance(value, type):
        return value.__name__
    if isinstance(value, (tuple, list, frozenset)):
        items = map(_attribute_text, sorted(value, key=str) if isinstance(value, frozenset) else value)
        return f'({", ".join(items)})'
    if isinstance(value, dict):
        return '{' + ', '.join(f'{key}: {_attribute_text(item)}' for key, item in value.items()) + '}'
    text = '' if callable(value) else str(value)
    return text if text and ' at 0x' not in text and len(text) <= 200 else type(value).__name__


class Locations(places.Locations):
    """Tracebacks of JAX as locations."""

    def __init__(self, user_frames: Callable[[Any], Iterator[Any]]) -> None:
        self._user_frames = user_frames
        super().__init__()

    def begin(self) -> None:
        super().begin()
        self._of_traceback: tuple[Any, int | None] = (None, None)  # the last one: equations of a line share it

    def of(self, source_info: Any) -> int | None:
        """The location of an equation, with those that called it."""
        traceback = source_info.traceback
        if traceback is None:
            return None
        if traceback is self._of_traceback[0]:
            return self._of_traceback[1]
        try:
            frames = list(self._user_frames(traceback))
        except (AttributeError, TypeError):  # of versions before 0.5 it takes the source info
            frames = list(self._user_frames(source_info))
        at = self.of_frames((frame.file_name, frame.start_line, frame.function_name, max(frame.start_column + 1, 0),
                             max(frame.end_column + 1, 0)) for frame in reversed(frames))
        self._of_traceback = (traceback, at)
        return at

    @staticmethod
    def code_of(source_info: Any) -> tuple[Any, int] | None:
        """The innermost code object of the program that made an equation, with the instruction."""
        try:
            codes, offsets = source_info.traceback.raw_frames()
        except AttributeError:  # no traceback
            return None
        for code, offset in zip(codes, offsets):
            path = code.co_filename
            if '/footlight_recorder/' not in path and not path.startswith('<') and not _recorder.is_library_file(path):
                return code, offset
        return None


class Graphs:
    """Records jaxprs."""

    def __init__(self, core: Any, locations: Locations) -> None:
        self._jaxprs = (core.ClosedJaxpr, core.Jaxpr)
        self._literal = core.Literal
        self._locations = locations

    def equations(self, jaxpr: Any) -> int:
        """How many there are, inner ones too."""
        jaxpr = getattr(jaxpr, 'jaxpr', jaxpr)
        return sum(1 + sum(self.equations(inner) for _, inner in self._inner(eqn)) for eqn in jaxpr.eqns)

    def _inner(self, eqn: Any) -> Iterator[tuple[str, Any]]:
        for name, value in eqn.params.items():
            held = value if isinstance(value, (tuple, list)) else (value,)
            found = [item for item in held if isinstance(item, self._jaxprs)]
            for at, item in enumerate(found):
                yield f'{name}[{at}]' if len(found) > 1 else name, item

    def add(self, jaxpr: Any, name: str) -> int:
        """Adds the graph and those that it runs; the number of the graph."""
        consts = list(getattr(jaxpr, 'consts', ()))
        jaxpr = getattr(jaxpr, 'jaxpr', jaxpr)
        number: int = _recorder.new_id('graph')
        nodes: list[dict[str, Any]] = []
        at: dict[int, tuple[int, int]] = {}  # of a variable: the node that gives it, and which output
        taken: dict[str, int] = {}

        def add_node(op: str, op_family: str, outputs: list[str], **more: Any) -> int:
            count = taken[op] = taken.get(op, -1) + 1
            nodes.append({'id': len(nodes), 'op': op, 'family': op_family, 'node_output': outputs,
                          'name': op if count == 0 else f'{op}_{count}', **more})
            return len(nodes) - 1

        def edge(var: Any) -> dict[str, int]:
            if isinstance(var, self._literal):
                node = add_node('literal', 'constant', [type_text(var.aval)], constant=constant_text(var.val))
                return {'source': node, 'output': 0}
            node, output = at.get(id(var), (-1, 0))
            if node < 0:
                node = add_node('unknown', 'move', [type_text(var.aval)])
                at[id(var)] = (node, 0)
            return {'source': node, 'output': output}

        inputs = []
        for var in jaxpr.invars:
            inputs.append(add_node('input', 'variable', [type_text(var.aval)]))
            at[id(var)] = (inputs[-1], 0)
        users: dict[int, Any] = {}  # of a constant: what made the first equation that takes it
        if jaxpr.constvars:
            for eqn in jaxpr.eqns:
                for var in eqn.invars:
                    users.setdefault(id(var), eqn.source_info)
        for position, var in enumerate(jaxpr.constvars):
            held = constant_text(consts[position]) if position < len(consts) else ''
            source = self._locations.code_of(users[id(var)]) if id(var) in users else None
            at[id(var)] = (add_node('constant', 'constant', [type_text(var.aval)], constant=held, source=source), 0)
        for eqn in jaxpr.eqns:
            inner = list(self._inner(eqn))
            parts = {name.partition('[')[0] for name, _ in inner}
            attributes = '; '.join(f'{key}={_attribute_text(value)}' for key, value in eqn.params.items()
                                   if key not in parts)
            edges = [edge(var) for var in eqn.invars]
            node = add_node(eqn.primitive.name, family(eqn.primitive.name), [type_text(var.aval) for var in eqn.outvars],
                            node_input=edges, attributes=attributes, location=self._locations.of(eqn.source_info),
                            source=self._locations.code_of(eqn.source_info),
                            node_function=[{'attribute': key, 'function_graph': self.add(held, f'{name}/{key}')}
                                       for key, held in inner])
            for output, var in enumerate(eqn.outvars):
                at[id(var)] = (node, output)
        outputs = [edge(var) for var in jaxpr.outvars]
        _recorder.add('graph', {'id': number, 'name': name, 'node': nodes, 'graph_input': inputs,
                                'graph_output': outputs})
        return number
