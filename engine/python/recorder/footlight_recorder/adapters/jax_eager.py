"""Loops and branches that run outside of jit. JAX traces and compiles their bodies, and silently does so again for each body
that is a new function.
"""
from __future__ import annotations

import re
import sys
import time
import weakref
from collections.abc import Callable
from types import FrameType
from typing import Any, NamedTuple

from footlight_recorder import _recorder
from footlight_recorder.adapters import guarded, jax_graphs, jax_keys

_BODIES = {'scan': 'jaxpr', 'while': 'body_jaxpr', 'cond': 'branches'}  # parameters that hold a body, by primitive
_WRITTEN = {'scan': 'lax.scan', 'while': 'lax.while_loop', 'cond': 'lax.cond'}
_PLACE = re.compile(r'(?P<name>.*) at (?P<file>.*):(?P<line>\d+)')


class _Place(NamedTuple):
    name: str
    file: str
    line: int


class _Body:
    """A jaxpr that runs outside of jit."""

    def __init__(self, jaxpr: Any, ended: Callable[[Any], None]) -> None:
        self.keeps = weakref.ref(jaxpr, ended)
        self.function: int = _recorder.new_id('function')
        self.traces: dict[int, int] = {}  # by key


def is_body(primitive: Any) -> bool:
    """Whether a primitive runs a body."""
    return primitive.name in _BODIES


class Bodies:
    """Records bodies as functions, with a trace for each key and a call for each run."""

    def __init__(self, keys: jax_keys.Keys, graphs: jax_graphs.Graphs,
                 user_frame: Callable[[FrameType | None], FrameType | None]) -> None:
        self._keys, self._graphs, self._user_frame = keys, graphs, user_frame
        self._known: dict[int, _Body] = {}  # by the id of the jaxpr

    def run(self, original: Callable[..., Any], trace: Any, primitive: Any, args: Any, params: dict[str, Any]) -> Any:
        """Runs a primitive that has a body, on values, and records the run."""
        start_ns = time.time_ns()
        result = original(trace, primitive, args, params)
        self.ran(primitive.name, args, params, start_ns)
        return result

    @guarded
    def ran(self, primitive: str, args: Any, params: dict[str, Any], start_ns: int) -> None:
        """Records one run of a body."""
        end_ns = time.time_ns()
        jaxpr = params[_BODIES[primitive]]
        if isinstance(jaxpr, (tuple, list)):
            jaxpr = jaxpr[-1]
        frame = self._user_frame(sys._getframe(1))
        place = _place_of(jaxpr)
        if frame is None or place is None or _recorder.is_library_file(place.file):
            return
        body = self._known.get(id(jaxpr))
        if body is None:
            body = self._made(primitive, jaxpr, place, frame, start_ns)
        at = (frame.f_code, frame.f_lasti)
        key = _recorder.key(body.function, [f'operand{at}' for at in range(len(args))],
                            [self._keys.traced(value) for value in args])
        outcome = 'hit' if key in body.traces else 'trace'
        if outcome == 'trace':
            body.traces[key] = number = _recorder.new_id('trace')
            signature, leaves = _recorder.describe_key(key)
            name = f'jaxpr {body.function}:{len(body.traces)}'
            _recorder.add('trace', {
                'id': number, 'function': body.function, 'number': len(body.traces), 'start_ns': start_ns, 'end_ns': end_ns,
                'reason': 'call', 'cached': len(body.traces) - 1, 'error': '', 'source': at, 'call_key': key,
                'signature': signature, 'key_leaf': leaves, 'trace_phase': [{
                    'name': 'compile', 'category': 'compile', 'start_ns': start_ns, 'end_ns': end_ns}],
                'trace_graph': [{'stage': 'jaxpr', 'graph': self._graphs.add(jaxpr, name)}]})
        _recorder.add('call_chunk', {
            'id': _recorder.new_id('call_chunk'), 'function': body.function, 'trace': body.traces[key], 'outcome': outcome,
            'start_ns': start_ns, 'end_ns': end_ns, 'source': at, 'key': key})

    def _made(self, primitive: str, jaxpr: Any, place: _Place, frame: FrameType, now: int) -> _Body:
        """Records a body that runs for the first time."""
        known = id(jaxpr)
        body = self._known[known] = _Body(jaxpr, lambda _: self._forget(known))
        _recorder.add('function', {
            'id': body.function, 'name': place.name, 'file': place.file, 'line': place.line, 'kind': 'eager',
            'options': _WRITTEN[primitive], 'function_parameter': [], 'made_ns': now,
            'decorator_line': frame.f_lineno if frame.f_code.co_filename == place.file else 0})
        return body

    def _forget(self, known: int) -> None:
        """JAX has let go of a body."""
        body = self._known.pop(known, None)
        if body is not None:
            _recorder.forget(body.function)


def _place_of(jaxpr: Any) -> _Place | None:
    """Where the program defines the body, or None."""
    jaxpr = getattr(jaxpr, 'jaxpr', jaxpr)
    found = _PLACE.fullmatch(str(getattr(jaxpr.debug_info, 'func_src_info', '')))
    if found is not None:
        return _Place(found['name'], found['file'], int(found['line']))
    for eqn in jaxpr.eqns:  # JAX before 0.5: by the stack of the first equation, from where the loop calls the body
        if eqn.source_info.traceback is None:
            continue
        code = None
        for one in eqn.source_info.traceback.raw_frames()[0]:
            if '/lax/control_flow/' in one.co_filename:
                break
            if not _recorder.is_library_file(one.co_filename) and not one.co_filename.startswith('<frozen'):
                code = one
        return _Place(code.co_name, code.co_filename, code.co_firstlineno) if code is not None else None
    return None
