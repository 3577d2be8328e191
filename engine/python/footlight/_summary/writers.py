"""tf.summary: writers, the step, whether to record, and what is written."""
from __future__ import annotations

import atexit
import contextlib
import os
import threading
import weakref

import footlight as tf
from footlight import _engine, _proto
from footlight._public import publish
from footlight._typing import Any, Callable, Iterator, TensorLike

summary = _engine.namespace('summary')
experimental = _engine.namespace('summary.experimental')


class _State(threading.local):
    writer = None
    step = None
    recording = None  # the condition of record_if; None means: record if there is a writer
    trace = None      # collected since trace_on()


_state = _State()
_writers: Any = weakref.WeakSet()


class SummaryWriter:
    """Where summaries go to, while it is the default."""

    def set_as_default(self, step=None):
        """Makes it the default of this thread until another one becomes it."""
        raise NotImplementedError

    def as_default(self, step=None):
        """A context in which it is the default."""
        raise NotImplementedError

    def init(self) -> None:
        """Does nothing: a writer is ready when it is made."""

    def flush(self) -> Any:
        """Writes what it still holds."""
        raise NotImplementedError

    def close(self) -> Any:
        """Writes what it still holds and closes its file."""
        raise NotImplementedError


@contextlib.contextmanager
def _default(writer: Any, step: Any) -> Iterator[Any]:
    writer._check()
    before, step_before = _state.writer, _state.step
    _state.writer = writer
    if step is not None:
        _state.step = step
    try:
        yield writer
    finally:
        _state.writer = before
        if step is not None:
            _state.step = step_before
        writer.flush()


class _FileWriter(SummaryWriter):
    """The writer of an event file."""

    _closed = False

    def __init__(self, logdir: Any, max_queue: int, flush_millis: int, filename_suffix: str) -> None:
        self._logdir = logdir
        self._handle = _engine.create_event_file(logdir, max_queue, flush_millis, filename_suffix)
        _writers.add(self)

    def _check(self) -> None:
        if self._closed:
            raise RuntimeError(f'SummaryWriter {self!r} is already closed')

    def as_default(self, step=None):
        self._check()
        return _default(self, step)

    def set_as_default(self, step=None):
        self._check()
        _state.writer = self
        if step is not None:
            _state.step = step

    def flush(self) -> None:
        if not self._closed:
            _engine_op('FlushSummaryWriter', writer=self._handle)

    def close(self):
        if self._closed:
            return
        with tf._eager_scope():
            _engine_op('CloseSummaryWriter', writer=self._handle)
        self._closed = True


class _NoopWriter(SummaryWriter):
    """A writer that is never the default: whatever would be written without it is."""

    def set_as_default(self, step: Any = None) -> None:
        pass

    @contextlib.contextmanager
    def as_default(self, step: Any = None) -> Iterator[Any]:
        yield

    def flush(self) -> None:
        pass

    def close(self) -> None:
        pass


def _engine_op(name: str, **inputs: Any) -> Any:
    return getattr(tf.raw_ops, name)(**inputs)


def _flush_all() -> None:
    if _writers:
        _engine.flush_event_files()


atexit.register(_flush_all)


def create_file_writer(logdir, max_queue=None, flush_millis=None, filename_suffix=None, name=None,
                       experimental_trackable=False, experimental_mesh=None):
    """A writer of a new event file in the folder `logdir`."""
    if logdir is None:
        raise ValueError('Argument `logdir` cannot be None')
    if isinstance(logdir, tf.Tensor):
        logdir = logdir.numpy()
    logdir = os.fsdecode(logdir)
    if not tf.executing_eagerly() and not tf.compat.v1.executing_eagerly_outside_functions():
        raise NotImplementedError('tf.summary.create_file_writer: a graph for a session cannot have a writer; make it '
                                  'outside of the graph')
    with tf._eager_scope():
        return _FileWriter(logdir, 10 if max_queue is None else int(max_queue),
                           120000 if flush_millis is None else int(flush_millis),
                           '.v2' if filename_suffix is None else filename_suffix)


def create_noop_writer() -> Any:
    """A writer that takes nothing."""
    return _NoopWriter()


def flush(writer: Any = None, name: str | None = None) -> None:
    """Writes what a writer, or the default one, still holds."""
    writer = _state.writer if writer is None else writer
    if writer is not None:
        writer.flush()


def _asked():
    recording = _state.recording
    return recording() if callable(recording) else recording


def should_record_summaries() -> Any:
    """Whether summaries are written now, as a tensor."""
    return tf.constant(False) if _state.writer is None else tf.convert_to_tensor(_recording_now(), dtype=tf.bool)


def _recording_now() -> bool:
    recording = _asked()
    return True if recording is None else recording


@contextlib.contextmanager
def record_if(condition: Any) -> Iterator[Any]:
    """A context in which summaries are written if `condition` (or what it returns) is true."""
    before = _state.recording
    _state.recording = condition
    try:
        yield
    finally:
        _state.recording = before


def get_step() -> Any:
    """The step that summaries have which are given none, or None."""
    return _state.step


def set_step(step: Any) -> None:
    """Sets that step: a number, or a variable that is read whenever a summary is written."""
    _state.step = step


@contextlib.contextmanager
def summary_scope(name, default_name='summary', values=None):
    """A context for a summary's ops: (its tag, the name of the scope)."""
    name = name or default_name
    current = tf.__internal__.current_name_scope() if hasattr(tf.__internal__, 'current_name_scope') else _scope_now()
    tag = current.rstrip('/') + '/' + name if current else name
    cleaned = ''.join(c for c in name if c.isascii() and (c.isalnum() or c in '_.\\-/>')).lstrip('_-/\\>')
    with tf.name_scope(cleaned or default_name) as scope:
        yield tag, scope


def _scope_now() -> str:
    with tf.name_scope('x') as scope:
        pass
    return scope.rstrip('/').rpartition('/')[0]


def _step_for(step):
    if step is None:
        step = _state.step
        if step is None:
            raise ValueError('No step set. Please specify one either through the `step` argument or through '
                             'tf.summary.experimental.set_step()')
        if callable(step) and not isinstance(step, (tf.Tensor, tf.Variable)):
            step = step()
    if isinstance(step, tf.Variable):
        step = step.read_value()
    if isinstance(step, tf.Tensor):
        return tf.cast(step, tf.int64)
    return tf.convert_to_tensor(int(step) if hasattr(step, '__index__') else step, dtype=tf.int64)


def _recorded(step: tf.Variable, record: Callable[..., Any]) -> tf.Tensor:
    """record(writer's handle, step) if summaries are written now; whether they are, as a tensor."""
    writer = _state.writer
    if writer is None:
        return tf.constant(False)
    wanted = _recording_now()

    def write_it():
        number = _step_for(step)
        record(writer._handle, number)
        return tf.constant(True)
    if isinstance(wanted, tf.Variable):
        wanted = wanted.read_value()
    if isinstance(wanted, tf.Tensor):
        if tf.is_symbolic_tensor(wanted):
            return tf.cond(wanted, write_it, lambda: tf.constant(False))
        wanted = bool(wanted.numpy())
    return write_it() if wanted else tf.constant(False)


def write(tag: Any, tensor: Any, step: Any = None, metadata: Any = None, name: str | None = None) -> Any:
    """Writes a tensor, or what a function returns, as a summary; whether it did, as a tensor."""
    if metadata is None:
        content = b''
    elif hasattr(metadata, 'SerializeToString'):
        content = metadata.SerializeToString()
    else:
        content = bytes(metadata)

    def record(handle, number):
        value = tf.convert_to_tensor(tensor() if callable(tensor) and not isinstance(tensor, (tf.Tensor, tf.Variable))
                                     else tensor)
        _engine_op('WriteSummary', writer=handle, step=number, tensor=value, tag=tag, summary_metadata=content)
    with tf.name_scope(name or 'write_summary'):
        return _recorded(step, record)


def write_raw_pb(tensor: TensorLike, step: Any = None, name: str | None = None) -> Any:
    """Writes a Summary message, as bytes, of tags and values that it names itself."""
    def record(handle, number):
        _engine_op('WriteRawProtoSummary', writer=handle, step=number, tensor=tf.convert_to_tensor(tensor))
    with tf.name_scope(name or 'write_raw_pb'):
        return _recorded(step, record)


def graph(graph_data):
    """Writes a tf.Graph, or a GraphDef, for TensorBoard's page of graphs."""
    if not tf.executing_eagerly():
        raise RuntimeError('graph() cannot be invoked inside a graph context.')
    writer = _state.writer
    if writer is None:
        return tf.constant(False)
    if not _bool(_recording_now()):
        return tf.constant(False)
    if isinstance(graph_data, tf.Graph):
        graph_data = graph_data.as_graph_def()
    if not hasattr(graph_data, 'SerializeToString') or not hasattr(graph_data, 'node'):
        raise ValueError("Argument 'graph_data' is not tf.Graph or tf.compat.v1.GraphDef. Received "
                         f'graph_data={graph_data!r} of type {type(graph_data).__name__}.')
    _engine_op('WriteGraphSummary', writer=writer._handle, step=tf.constant(0, tf.int64),
               tensor=tf.constant(graph_data.SerializeToString()))
    return tf.constant(True)


def _bool(value: Any) -> bool:
    return bool(value.numpy() if isinstance(value, (tf.Tensor, tf.Variable)) else value)


def trace_on(graph=True, profiler=False, profiler_outdir=None):
    """Collects the graphs of functions that are called from here on, for trace_export()."""
    if not tf.executing_eagerly():
        tf.get_logger().warning('Cannot enable trace inside a tf.function.')
        return
    if profiler:
        raise NotImplementedError('tf.summary.trace_on(profiler=True) is not supported: record the program with '
                                  '`footlight record` and look at the timeline')
    _state.trace = True
    _engine.collect_graphs(True)


def trace_export(name: str, step: Any = None, profiler_outdir: Any = None) -> None:
    """Writes the graphs collected since trace_on() and ends the collection."""
    if not tf.executing_eagerly():
        tf.get_logger().warning('Cannot export trace inside a tf.function.')
        return
    if not _state.trace:
        raise ValueError('Must enable trace before export through tf.summary.trace_on.')
    run = _proto.RunMetadata()
    for one in _engine.collected_graphs():
        definition = one.as_graph_def()
        run.partition_graphs.add().CopyFrom(definition)
        run.function_graphs.add().pre_optimization_graph.CopyFrom(definition)
    metadata = _proto.SummaryMetadata()
    metadata.plugin_data.plugin_name, metadata.plugin_data.content = 'graph_run_metadata_graph', b'1'
    with summary_scope(name, 'graph_run_metadata_graph_summary') as (tag, _):
        write(tag, tf.constant(run.SerializeToString()), step, metadata)
    trace_off()


def trace_off() -> None:
    """Ends the collection without writing."""
    _state.trace = None
    _engine.collect_graphs(False)


publish('tf.summary', SummaryWriter, create_file_writer, create_noop_writer, flush, should_record_summaries, record_if,
        write, graph, trace_on, trace_export, trace_off)
publish('tf.summary.experimental', get_step, set_step, summary_scope, write_raw_pb)
