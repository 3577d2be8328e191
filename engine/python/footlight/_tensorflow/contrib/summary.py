"""tf.contrib.summary, and the step that programs of TensorFlow 1 share."""
from __future__ import annotations

import contextlib

import footlight as tf
from footlight import _engine, _proto
from footlight._graphs.graph import graph_of_variables, is_as_written, shared_in_eager, variable_collections
from footlight._public import alias, publish
from footlight._summary import writers as _summary
from footlight._summary.writers import summary_scope
from footlight._typing import Any, Callable, Iterator, TensorLike

_contrib = _engine.namespace('contrib.summary')


def get_global_step(graph: Any = None) -> tf.Variable | None:
    """The variable that counts steps, or None. A graph has its own."""
    graph = graph or graph_of_variables()
    if graph is None or graph.building_function and not is_as_written(graph):
        return shared_in_eager.get('global_step')
    return next(iter(graph.get_collection('global_step')), None)


def get_or_create_global_step(graph=None):
    """The variable that counts steps; it is made at the first call."""
    found = get_global_step(graph)
    graph = graph or graph_of_variables()
    if found is None and is_as_written(graph):
        with variable_collections(['variables', 'global_step']):
            return tf.Variable(0, name='global_step', dtype=tf.int64, trainable=False)
    if found is None and (graph is None or graph.building_function):
        with tf._eager_scope():
            found = tf.Variable(0, name='global_step', dtype=tf.int64, trainable=False)
            shared_in_eager['global_step'] = found
    elif found is None:
        with graph.as_default(), tf.name_scope(''), variable_collections(['variables', 'global_step']):
            found = tf.Variable(0, name='global_step', dtype=tf.int64, trainable=False)
    return found


def create_global_step(graph=None):
    """Makes the variable that counts steps."""
    if get_global_step(graph) is not None:
        raise ValueError('"global_step" already exists.')
    return get_or_create_global_step(graph)


alias('tf.train tf.compat.v1.train', get_global_step, get_or_create_global_step, create_global_step)


def create_file_writer(logdir: Any, max_queue: Any = None, flush_millis: Any = None, filename_suffix: Any = None,
                       name: str | None = None) -> Any:
    """A writer of a new event file in the folder `logdir`; without one, a writer that throws everything away."""
    if logdir is None:
        return _summary.create_noop_writer()
    return _summary.create_file_writer(logdir, max_queue, flush_millis,
                                       '.v2' if filename_suffix is None else filename_suffix)


def always_record_summaries() -> Any:
    """A context in which every summary is written."""
    return _summary.record_if(True)


def never_record_summaries() -> Any:
    """A context in which no summary is written."""
    return _summary.record_if(False)


@contextlib.contextmanager
def record_summaries_every_n_global_steps(n: Any, global_step: Any = None) -> Iterator[Any]:
    """A context in which summaries are written if the step is a multiple of `n`."""
    step = get_or_create_global_step() if global_step is None else global_step
    with _summary.record_if(lambda: tf.equal(tf.cast(step, tf.int64) % n, 0)):
        yield


def should_record_summaries() -> Any:
    """Whether summaries are written now: only inside of one of the contexts that say so."""
    if _summary._state.recording is None:
        return tf.constant(False)
    return _summary.should_record_summaries()


def _write(family: Any, name: str, default: str, make: Callable[..., Any], step: Any) -> tf.Tensor:
    """Writes Summary.Value fields that `make(tensor values)` gives, if a context says so."""
    if _summary._state.recording is None:
        return tf.constant(False)
    tag = f'{family}/{name}' if family else name
    if step is None:
        step = get_or_create_global_step()
    with summary_scope(tag, default) as (tag, _):
        return make(tag, step)


def generic(name, tensor, metadata=None, family=None, step=None):
    """Writes a tensor."""
    return _write(family, name, 'summary', lambda tag, at: _summary.write(tag, tensor, at, metadata), step)


def _value(plugin: str) -> Any:
    metadata = _proto.SummaryMetadata()
    metadata.plugin_data.plugin_name = plugin
    return metadata


def scalar(name: Any, tensor: TensorLike, family: Any = None, step: Any = None) -> tf.Tensor:
    """Writes a number."""
    return _write(family, name, 'scalar_summary',
                  lambda tag, at: _summary.write(tag, lambda: tf.cast(tensor, tf.float32), at, _value('scalars')), step)


def histogram(name, tensor, family=None, step=None):
    """Writes how the numbers of a tensor are distributed."""
    from footlight._summary import tensorboard_values as _tensorboard_values
    return _write(family, name, 'histogram_summary', lambda tag, at: _summary.write(
        tag, lambda: _tensorboard_values._buckets(tf.convert_to_tensor(tensor), 30), at, _value('histograms')), step)


def image(name, tensor, bad_color=None, max_images=3, family=None, step=None):
    """Writes images: [how many, height, width, channels]."""
    from footlight._summary import tensorboard_values as _tensorboard_values
    return _write(family, name, 'image_summary',
                  lambda tag, at: _tensorboard_values.image(tag, tensor, at, max_images), step)


def audio(name, tensor, sample_rate, max_outputs, family=None, step=None):
    """Writes sounds: [how many, frames, channels], from -1 to 1."""
    from footlight._summary import tensorboard_values as _tensorboard_values
    return _write(family, name, 'audio_summary',
                  lambda tag, at: _tensorboard_values.audio(tag, tensor, sample_rate, at, max_outputs), step)


def graph(param: Any, step: Any = None, name: str | None = None) -> Any:
    """Writes a graph."""
    return _summary.graph(param)


def flush(writer: Any = None, name: str | None = None) -> None:
    """Writes what a writer, or the default one, still holds."""
    _summary.flush(writer)


def initialize(graph: Any = None, session: Any = None) -> None:
    """Does nothing: writers are ready when they are made."""


publish('tf.contrib.summary', create_file_writer, always_record_summaries, never_record_summaries,
        record_summaries_every_n_global_steps, should_record_summaries, generic, scalar, histogram, image, audio, graph,
        flush, initialize)
_contrib.SummaryWriter = _summary.SummaryWriter
