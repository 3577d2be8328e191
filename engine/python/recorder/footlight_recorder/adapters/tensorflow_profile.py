"""Asks TensorFlow's profiler when kernels ran during one call, and converts the times to this machine's clock."""
from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, NamedTuple

_MARKER = 'footlight'
# Fields of the profiler's messages: events of a trace; name, start, duration and arguments of an event.
_EVENTS, _NAME, _START, _DURATION, _ARGUMENTS = 4, 3, 9, 10, 11
_OPTIONS = {'host_tracer_level': 2, 'python_tracer_level': 0, 'device_tracer_level': 0}
_OP, _RUN_EAGERLY = 'EagerLocalExecute: ', 'EagerKernelExecute'  # the second lies in the first


class Kernel(NamedTuple):
    """A kernel that ran. `node`: the path of its node in a graph, empty for one that ran eagerly; `op`: what it ran."""
    start_ns: int
    end_ns: int
    node: str
    op: str


class Profile:
    """The profiler, while one call is made."""

    def __init__(self) -> None:
        from tensorflow.python.profiler import trace
        from tensorflow.python.profiler.internal import _pywrap_profiler
        self._session = _pywrap_profiler.ProfilerSession()
        self._session.start('', _OPTIONS)
        self._marked_ns = time.time_ns()
        with trace.Trace(_MARKER):  # an event whose time both clocks know
            pass

    def kernels(self) -> list[Kernel]:
        """Ends the profile. Returns the kernels, sorted by their start."""
        events = list(_events(self._session.stop()))
        marker = next((start for name, start, _, _ in events if name == _MARKER), None)
        if marker is None:
            return []
        offset = self._marked_ns - marker
        found, eager = [], ''
        for name, start, end, long_name in sorted(events, key=lambda event: event[1]):
            if name.startswith(_OP):
                eager = name[len(_OP):]
            elif name == _RUN_EAGERLY:
                found.append(Kernel(start + offset, end + offset, '', eager))
            elif long_name:
                node, _, op = long_name.rpartition(':')
                found.append(Kernel(start + offset, end + offset, node, op))
        return sorted(found)


def _fields(data: bytes) -> Iterator[tuple[int, Any]]:
    """The fields of a protobuf message, as (number of the field, value): an integer, or the bytes of all other types."""
    at = 0

    def number() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
    while at < len(data):
        key = number()
        if key & 7 == 0:
            yield key >> 3, number()
        else:
            size = number() if key & 7 == 2 else 8 if key & 7 == 1 else 4
            yield key >> 3, data[at:at + size]
            at += size


def _events(data: bytes) -> Iterator[tuple[str, int, int, str]]:
    """(name, start, end, "node:op") of each event; times are nanoseconds of the profiler's own clock."""
    for field, event in _fields(data):
        if field != _EVENTS:
            continue
        name, start, duration, long_name = '', 0, 0, ''
        for key, value in _fields(event):
            if key == _NAME:
                name = value.decode('utf-8', 'replace')
            elif key == _START:
                start = value
            elif key == _DURATION:
                duration = value
            elif key == _ARGUMENTS:
                pair = dict(_fields(value))
                if pair.get(1) == b'long_name':
                    long_name = pair.get(2, b'').decode('utf-8', 'replace')
        yield name, start // 1000, (start + duration) // 1000, long_name
