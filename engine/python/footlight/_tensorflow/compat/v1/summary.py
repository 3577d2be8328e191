"""tf.compat.v1.summary: ops whose values are messages, which a FileWriter puts into event files."""
from __future__ import annotations

import contextlib
import os
import socket
import threading
import time

import numpy as np

import footlight as tf
from footlight import _engine, _proto
from footlight._public import alias, publish
from footlight._typing import Any, Callable, Iterator, TensorLike

_summary, _v1 = _engine.namespace('compat.v1.summary'), tf.compat.v1
_counts: dict[Any, int] = {}


@contextlib.contextmanager
def _tag(name: str, family: Any) -> Iterator[Any]:
    """A context for the op of a summary, whose name in its scopes is the tag; with a family before it."""
    name = ''.join(c if c.isalnum() or c in '-_./\\>' else '_' for c in name)
    inside = f'{family}/{name}' if family else name
    with tf.name_scope(inside) as scope:
        tag = scope.rstrip('/')
        yield f'{family}/{tag}' if family else tag


def _op(make: Callable[..., Any], values: list[Any], name: str, family: Any, collections: Any) -> tf.Tensor:
    """A tensor with the serialized message that `make` gives for the values of these tensors."""
    with _tag(name, family) as tag:
        def message(*arrays):
            return make(tag, *(np.asarray(a) for a in arrays)).SerializeToString()
        made = tf.numpy_function(message, [tf.convert_to_tensor(v) for v in values], tf.string, name='summary')
        made.set_shape([])
    if not tf.executing_eagerly():
        for collection in ['summaries'] if collections is None else collections:
            _v1.add_to_collection(collection, made)
    return made


def _message(*values):
    message = _proto.Summary()
    for fields in values:
        message.value.add(**fields)
    return message


def scalar(name: str, tensor: TensorLike, collections: Any = None, family: Any = None) -> tf.Tensor:
    """A number."""
    def make(tag, value):
        if value.size != 1:
            raise ValueError(f'{tag}: tf.compat.v1.summary.scalar takes one number, not the shape {value.shape}')
        return _message({'tag': tag, 'simple_value': float(value.reshape(()))})
    return _op(make, [tensor], name, family, collections)


def _limits() -> Any:
    positive, value = [], 1e-12
    while value < 1e20:
        positive.append(value)
        value *= 1.1
    most = float(np.finfo(np.float64).max)
    return np.array([-most, *(-v for v in reversed(positive)), 0.0, *positive, most])


_edges = None


def histogram(name, values, collections=None, family=None):
    """How numbers are distributed."""
    def make(tag, numbers):
        global _edges
        if _edges is None:
            _edges = _limits()
        numbers = numbers.astype(np.float64).reshape(-1)
        if not np.isfinite(numbers).all():
            raise tf.errors.InvalidArgumentError(None, None, f'Nan in summary histogram for: {name}')
        counts = np.bincount(np.searchsorted(_edges, numbers, side='right'), minlength=len(_edges))
        limit, bucket, i = [], [], 0
        while i < len(_edges):  # empty buckets beside one another are one
            end, count = _edges[i], counts[i]
            i += 1
            if count <= 0:
                while i < len(_edges) and counts[i] <= 0:
                    end, count = _edges[i], counts[i]
                    i += 1
            limit.append(float(end))
            bucket.append(float(count))
        if not limit:
            limit, bucket = [float(_edges[-1])], [0.0]
        most = float(np.finfo(np.float64).max)
        return _message({'tag': tag, 'histo': _proto.HistogramProto(
            min=float(numbers.min()) if numbers.size else most, max=float(numbers.max()) if numbers.size else -most,
            num=float(numbers.size), sum=float(numbers.sum()), sum_squares=float(np.square(numbers).sum()),
            bucket_limit=limit, bucket=bucket)})
    return _op(make, [values], name, family, collections)


def _bytes_of_images(tensor):
    """Numbers from 0 to 255: floats are scaled so that the largest of an image is 255, or so that 0 is in the middle."""
    tensor = np.asarray(tensor)
    if tensor.dtype == np.uint8:
        return tensor
    images = []
    for one in tensor.astype(np.float32):
        finite = one[np.isfinite(one)]
        low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)
        if low < 0:
            largest = max(abs(low), abs(high))
            scale, offset = (0.0 if largest < 1e-6 else 127.0 / largest), 128.0
        else:
            scale, offset = (0.0 if high < 1e-6 else 255.0 / high), 0.0
        bad = ~np.isfinite(one).all(axis=-1)
        painted = np.where(np.isfinite(one), one * scale + offset, 0).astype(np.uint8)
        red = [255, 0, 0, 255][:one.shape[-1]]
        painted[bad] = red
        images.append(painted)
    return np.stack(images) if images else tensor.astype(np.uint8)


def image(name, tensor, max_outputs=3, collections=None, family=None):
    """Images: [how many, height, width, 1, 3 or 4]."""
    def make(tag, images):
        images = _bytes_of_images(images[:max_outputs])
        with tf._eager_scope():
            return _message(*(
                {'tag': f'{tag}/image' if max_outputs == 1 else f'{tag}/image/{i}', 'image': _proto.Summary.Image(
                    height=one.shape[0], width=one.shape[1], colorspace=one.shape[2],
                    encoded_image_string=tf.io.encode_png(one).numpy())} for i, one in enumerate(images)))
    return _op(make, [tensor], name, family, collections)


def audio(name, tensor, sample_rate, max_outputs=3, collections=None, family=None):
    """Sounds: [how many, frames, channels] or [how many, frames], from -1 to 1."""
    def make(tag, sounds, rate):
        sounds = sounds[:max_outputs]
        sounds = sounds[..., None] if sounds.ndim == 2 else sounds
        with tf._eager_scope():
            return _message(*(
                {'tag': f'{tag}/audio' if max_outputs == 1 else f'{tag}/audio/{i}', 'audio': _proto.Summary.Audio(
                    sample_rate=float(rate), num_channels=one.shape[1], length_frames=one.shape[0], content_type='audio/wav',
                    encoded_audio_string=tf.audio.encode_wav(one, int(rate)).numpy())} for i, one in enumerate(sounds)))
    return _op(make, [tensor, tf.cast(sample_rate, tf.float32)], name, family, collections)


def tensor_summary(name, tensor, summary_description=None, collections=None, summary_metadata=None, family=None,
                   display_name=None):
    """A tensor of any kind."""
    metadata = summary_metadata if summary_metadata is not None else _proto.SummaryMetadata()
    if display_name is not None:
        metadata.display_name = display_name
    if summary_description is not None:
        metadata.summary_description = summary_description

    def make(tag, value):
        return _message({'tag': tag, 'metadata': metadata, 'tensor': tf.make_tensor_proto(value)})
    return _op(make, [tensor], name, family, collections)


def text(name, tensor, collections=None):
    """Text."""
    tensor = tf.convert_to_tensor(tensor)
    if tensor.dtype != tf.string:
        raise ValueError(f'Expected tensor {name} to have dtype string, got {tensor.dtype}')
    metadata = _proto.SummaryMetadata()
    metadata.plugin_data.plugin_name = 'text'
    return tensor_summary(name, tensor, summary_metadata=metadata, collections=collections)


def merge(inputs: Any, collections: Any = None, name: str | None = None) -> tf.Tensor:
    """Joins several summaries to one."""
    if tf.executing_eagerly():
        raise RuntimeError('Merging tf.summary.* ops is not compatible with eager execution. Use tf.contrib.summary instead.')
    merged = tf.strings.join(list(inputs), name=name or 'MergeSummary')  # messages one after the other are their union
    for collection in collections or ():
        _v1.add_to_collection(collection, merged)
    return merged


def merge_all(key: str = 'summaries', scope: Any = None, name: str | None = None) -> tf.Tensor | None:
    """Joins all summaries of the graph to one; None if there are none."""
    if tf.executing_eagerly():
        raise RuntimeError('Merging tf.summary.* ops is not compatible with eager execution. Use tf.contrib.summary instead.')
    found = _v1.get_collection(key, scope)
    return merge(found, name=name) if found else None


class FileWriter:
    """Writes messages into a new event file in a folder."""

    def __init__(self, logdir, graph=None, max_queue=10, flush_secs=120, graph_def=None, filename_suffix=None, session=None):
        if tf.executing_eagerly():
            raise RuntimeError('tf.summary.FileWriter is not compatible with eager execution. Use tf.summary.create_file_writer, '
                               'or a with v1.Graph().as_default() context')
        self._folder, self._suffix, self._tags = os.fspath(logdir), filename_suffix or '', set()
        self._lock, self._writer = threading.Lock(), None
        self._every, self._flushed = flush_secs, time.monotonic()
        self.reopen()
        if graph is not None or graph_def is not None:
            self.add_graph(graph if graph is not None else graph_def)
            if graph is not None:
                self.add_meta_graph(_proto.MetaGraphDef(graph_def=graph.as_graph_def(add_shapes=True)))
        elif session is not None:
            self.add_graph(session.graph)

    def get_logdir(self) -> Any:
        """The folder."""
        return self._folder

    def reopen(self) -> None:
        """Begins a new file, where the last one was closed."""
        if self._writer is not None:
            return
        tf.io.gfile.makedirs(self._folder)
        # Two files of one second have numbers, because neither may replace the other.
        _counts[self._folder] = count = _counts.get(self._folder, -1) + 1
        name = f'events.out.tfevents.{int(time.time()):010d}.{socket.gethostname()}{f".{count}" if count else ""}{self._suffix}'
        self._writer = tf.io.TFRecordWriter(os.path.join(self._folder, name))
        self.add_event(_proto.Event(wall_time=time.time(), file_version='brain.Event:2'))
        self.flush()

    def add_event(self, event: Any) -> None:
        """Adds a message with its time."""
        with self._lock:
            if self._writer is None:
                return  # as TensorFlow's, which warns once
            self._writer.write(event.SerializeToString())
        if time.monotonic() - self._flushed > self._every:
            self.flush()

    def _add(self, step: Any, **what: Any) -> None:
        event = _proto.Event(wall_time=time.time(), **what)
        if step is not None:
            event.step = int(step)
        self.add_event(event)

    def add_summary(self, summary: Any, global_step: Any = None) -> None:
        """Adds what a summary op gave, or a message."""
        if isinstance(summary, (bytes, np.bytes_)):
            summary = _proto.Summary.FromString(bytes(summary))
        for value in summary.value:  # metadata of a tag is written once
            if value.HasField('metadata'):
                if value.tag in self._tags:
                    value.ClearField('metadata')
                self._tags.add(value.tag)
        self._add(global_step, summary=summary)

    def add_graph(self, graph: Any, global_step: Any = None, graph_def: Any = None) -> None:
        """Adds a graph."""
        given = graph if graph is not None else graph_def
        given = given.as_graph_def(add_shapes=True) if isinstance(given, tf.Graph) else given
        if not hasattr(given, 'SerializeToString'):
            raise TypeError('The passed graph must be an instance of `Graph` or the deprecated `GraphDef`')
        self._add(global_step, graph_def=given.SerializeToString())

    def add_meta_graph(self, meta_graph_def: Any, global_step: Any = None) -> None:
        """Adds a graph with what belongs to it."""
        self._add(global_step, meta_graph_def=meta_graph_def.SerializeToString())

    def add_session_log(self, session_log: Any, global_step: Any = None) -> None:
        """Adds a message about a session."""
        self._add(global_step, session_log=session_log)

    def add_run_metadata(self, run_metadata: Any, tag: Any, global_step: Any = None) -> None:
        """Adds what is known of a run, under a name."""
        self._add(global_step, tagged_run_metadata=_proto.TaggedRunMetadata(
            tag=tag, run_metadata=run_metadata.SerializeToString()))

    def flush(self) -> None:
        """Passes what was added to the system."""
        self._flushed = time.monotonic()
        with self._lock:
            if self._writer is not None:
                self._writer.flush()

    def close(self) -> None:
        """Ends the file."""
        with self._lock:
            if self._writer is not None:
                self._writer.close()
                self._writer = None

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()


class FileWriterCache:
    """One writer for each folder."""

    _writers: dict[str, FileWriter] = {}
    _lock = threading.RLock()

    @staticmethod
    def clear() -> None:
        """Closes and forgets all writers."""
        with FileWriterCache._lock:
            for writer in FileWriterCache._writers.values():
                writer.close()
            FileWriterCache._writers = {}

    @staticmethod
    def get(logdir: Any) -> FileWriter:
        """The writer of a folder."""
        with FileWriterCache._lock:
            if logdir not in FileWriterCache._writers:
                FileWriterCache._writers[logdir] = FileWriter(logdir, graph=_v1.get_default_graph())
            return FileWriterCache._writers[logdir]


def initialize(graph: Any = None, session: Any = None) -> None:
    """Does nothing: writers are ready when they are made."""


publish('tf.compat.v1.summary', scalar, histogram, image, audio, tensor_summary, text, merge, merge_all, FileWriter,
        FileWriterCache, initialize)
alias('tf.compat.v1.summary', _proto.Event, _proto.SessionLog, _proto.Summary, _proto.TaggedRunMetadata)
