"""tf.profiler.experimental: the parts of a program that tf.profiler.experimental.Trace marks, in a file for trace viewers.

Ops and devices are recorded by Footlight's own recorder (`footlight record`), not here.
"""
from __future__ import annotations

import collections
import gzip
import json
import os
import socket
import threading
import time

import footlight as tf
from footlight._public import publish
from footlight._typing import Any

_lock = threading.Lock()
_running: Any = None  # (folder, time of the start, events)

ProfilerOptions = collections.namedtuple('ProfilerOptions', ['host_tracer_level', 'python_tracer_level', 'device_tracer_level',
                                                             'delay_ms'])
ProfilerOptions.__new__.__defaults__ = (2, 0, 1, None)
ProfilerOptions.__doc__ = 'How much is recorded; here marked parts always are, and nothing else is.'


def start(logdir: Any, options: Any = None) -> None:
    """Begins to keep the parts that Trace marks."""
    global _running
    with _lock:
        if _running is not None:
            raise tf.errors.AlreadyExistsError(None, None, 'Another profiler is running.')
        _running = os.fspath(logdir), time.perf_counter_ns(), []
    tf.get_logger().warning('tf.profiler records only what tf.profiler.experimental.Trace marks; ops are recorded by running '
                            'the program with `footlight`.')


def stop(save: bool = True) -> None:
    """Ends that, and writes the file plugins/profile/TIME/HOST.trace.json.gz below the folder."""
    global _running
    with _lock:
        if _running is None:
            raise tf.errors.UnavailableError(None, None, 'Cannot export profiling results. No profiler is running.')
        (folder, _, events), _running = _running, None
    if not save:
        return
    where = os.path.join(folder, 'plugins', 'profile', time.strftime('%Y_%m_%d_%H_%M_%S'))
    os.makedirs(where, exist_ok=True)
    with gzip.open(os.path.join(where, socket.gethostname() + '.trace.json.gz'), 'wt', encoding='utf-8') as f:
        json.dump({'displayTimeUnit': 'ns', 'traceEvents': events}, f)


class Profile:
    """A context between start() and stop()."""

    def __init__(self, logdir: Any, options: Any = None) -> None:
        self._logdir, self._options = logdir, options

    def __enter__(self) -> None:
        start(self._logdir, self._options)

    def __exit__(self, *error: Any) -> None:
        stop()


class Trace:
    """A context that is a marked part of the program, with values that belong to it."""

    def __init__(self, name: str, **kwargs: Any) -> None:
        self._name, self._values = name, dict(kwargs)

    def __enter__(self) -> Trace:
        self._start = time.perf_counter_ns()
        return self

    def set_metadata(self, **kwargs: Any) -> None:
        """More values that belong to it."""
        self._values.update(kwargs)

    def __exit__(self, *error: Any) -> None:
        with _lock:
            if _running is not None:
                first, events = max(self._start, _running[1]), _running[2]
                events.append({'ph': 'X', 'name': self._name, 'pid': os.getpid(), 'tid': threading.get_native_id(),
                               'ts': (first - _running[1]) / 1000, 'dur': (time.perf_counter_ns() - first) / 1000,
                               'args': {name: str(value) for name, value in self._values.items()}})


publish('tf.profiler.experimental', Profile, ProfilerOptions, Trace, start, stop)
