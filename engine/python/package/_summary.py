"""tf.summary: numbers, histograms, texts and pictures over the steps of a program, in the event files of TensorBoard."""
import atexit
import contextlib
import os
import re
import socket
import struct
import threading
import time
import zlib

import footlight as tf
from footlight import _engine

_local = threading.local()


# --- records of event files ---
def _table():
    table = []
    for n in range(256):
        for _ in range(8):
            n = n >> 1 ^ (0x82f63b78 if n & 1 else 0)
        table.append(n)
    return table


_CRC = _table()


def _masked_crc(data):
    crc = 0xffffffff
    for byte in data:
        crc = crc >> 8 ^ _CRC[(crc ^ byte) & 255]
    crc ^= 0xffffffff
    return struct.pack('<I', ((crc >> 15 | crc << 17) + 0xa282ead8) & 0xffffffff)


def _varint(n):
    n &= (1 << 64) - 1
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes(out + bytes([n]))


def _field(number, data):
    """A field of a message: bytes, a str, or an int."""
    if isinstance(data, int):
        return _varint(number << 3) + _varint(data)
    data = data.encode() if isinstance(data, str) else data
    return _varint(number << 3 | 2) + _varint(len(data)) + data


class _PluginData:
    def __init__(self, plugin_name='', content=b''):
        self.plugin_name, self.content = plugin_name, content


class SummaryMetadata:
    """Which part of TensorBoard shows a value, and how it is called there."""

    SCALAR, TENSOR, BLOB = 1, 2, 3

    def __init__(self, plugin_name='', content=b'', data_class=0, summary_description='', display_name=''):
        self.plugin_data = _PluginData(plugin_name, content)
        self.display_name, self.summary_description, self.data_class = display_name, summary_description, data_class

    def SerializeToString(self):
        """The message."""
        plugin = _field(1, self.plugin_data.plugin_name) + _field(2, self.plugin_data.content)
        found = _field(1, plugin)
        for number, value in ((2, self.display_name), (3, self.summary_description), (4, self.data_class)):
            if value:
                found += _field(number, value)
        return found


# --- writers ---
class SummaryWriter:
    """Where summaries go: a context manager by as_default()."""

    def as_default(self, step=None):
        """A context in which this is the writer; with `step`, also the step of all summaries."""
        return _as_default(self, step)

    def set_as_default(self, step=None):
        """Makes this the writer from now on."""
        _local.writer = self
        if step is not None:
            _local.step = step

    def init(self):
        """Nothing is left to do: a writer is ready when it is made."""

    def flush(self):
        """Writes what waits."""

    def close(self):
        """Writes what waits; the writer takes nothing any more."""

    def _add(self, step, data):
        pass


@contextlib.contextmanager
def _as_default(writer, step):
    before = getattr(_local, 'writer', None), getattr(_local, 'step', None)
    writer.set_as_default(step)
    try:
        yield writer
    finally:
        _local.writer, _local.step = before
        writer.flush()


_count = [0]


class _FileWriter(SummaryWriter):
    """Writes a file of events."""

    def __init__(self, logdir, max_queue, filename_suffix):
        os.makedirs(logdir, exist_ok=True)
        name = 'events.out.tfevents.%010d.%s.%d.%d%s' % (time.time(), socket.gethostname(), os.getpid(), _count[0],
                                                         filename_suffix)
        _count[0] += 1
        self._file, self._lock = open(os.path.join(logdir, name), 'ab'), threading.Lock()
        self._most, self._waiting = max_queue, 0
        self._record(struct.pack('<Bd', 9, time.time()) + _field(3, 'brain.Event:2'))
        atexit.register(self.close)

    def _record(self, event):
        with self._lock:
            if self._file.closed:
                raise RuntimeError('SummaryWriter is already closed')
            size = struct.pack('<Q', len(event))
            self._file.write(size + _masked_crc(size) + event + _masked_crc(event))
            self._waiting += 1
            if self._waiting >= self._most:
                self._file.flush()
                self._waiting = 0

    def _add(self, step, data):
        self._record(struct.pack('<Bd', 9, time.time()) + _field(2, int(step)) + data)

    def flush(self):
        with self._lock:
            if not self._file.closed:
                self._file.flush()

    def close(self):
        with self._lock:
            if not self._file.closed:
                self._file.close()
        atexit.unregister(self.close)


def create_file_writer(logdir, max_queue=None, flush_millis=None, filename_suffix=None, name=None,
                       experimental_trackable=False, experimental_mesh=None):
    """A writer of event files in the folder `logdir`."""
    if logdir is None:
        return create_noop_writer()
    folder = logdir.numpy().decode() if isinstance(logdir, tf.Tensor) else os.fspath(logdir)
    return _FileWriter(folder, 10 if max_queue is None else int(max_queue), '.v2' if filename_suffix is None else
                       filename_suffix)


def create_noop_writer():
    """A writer that takes summaries and keeps nothing."""
    return SummaryWriter()


def flush(writer=None, name=None):
    """Writes what waits of a writer, else of the default one."""
    writer = writer or getattr(_local, 'writer', None)
    if writer is not None:
        writer.flush()


# --- when, and at which step ---
@contextlib.contextmanager
def record_if(condition):
    """A context in which summaries are written only where the condition, a bool or a function, holds."""
    before = getattr(_local, 'condition', True)
    _local.condition = condition
    try:
        yield
    finally:
        _local.condition = before


def should_record_summaries():
    """Whether summaries are written."""
    if getattr(_local, 'writer', None) is None:
        return False
    return _holds(getattr(_local, 'condition', True))


def _holds(condition):
    return condition() if callable(condition) else condition


def get_step():
    """The step of summaries that have none of their own."""
    return getattr(_local, 'step', None)


def set_step(step):
    """Sets that step: a number or a variable."""
    _local.step = step


@contextlib.contextmanager
def summary_scope(name, default_name='summary', values=None):
    """A context that gives the tag of a summary, within the name scopes around it, and a scope for its ops."""
    name = name or default_name
    around = tf.get_current_name_scope()
    tag = around + '/' + name if around else name
    with tf.name_scope(re.sub(r'[^A-Za-z0-9_.\-/]', '', name) or default_name) as scope:
        yield tag, scope


# --- values ---
def write(tag, tensor, step=None, metadata=None, name=None):
    """Writes a tensor, or what a function of no arguments returns; whether it was written."""
    writer, condition = getattr(_local, 'writer', None), getattr(_local, 'condition', True)
    if writer is None:
        return False
    step = get_step() if step is None else step
    if step is None:
        raise ValueError('No step set. Please specify one either through the `step` argument or through '
                         'tf.summary.experimental.set_step()')
    about = b'' if metadata is None else _field(9, metadata if isinstance(metadata, bytes) else metadata.SerializeToString())

    def put(value, at):
        if not _holds(condition):
            return False
        proto = tf.make_tensor_proto(value).SerializeToString()
        writer._add(at, _field(5, _field(1, _field(1, tag) + _field(8, proto) + about)))
        return True
    if tf.executing_eagerly():
        if not _holds(condition):
            return False
        return put(tensor() if callable(tensor) else tensor, int(step))
    value = tf.convert_to_tensor(tensor() if callable(tensor) else tensor)
    return tf.py_function(put, [value, tf.cast(step, tf.int64)], tf.bool, name=name)


def _written(name, default, data, step, plugin, data_class, description, compute):
    with summary_scope(name, default) as (tag, _):
        return write(tag, compute, step, SummaryMetadata(plugin, b'', data_class, description or ''))


def scalar(name, data, step=None, description=None):
    """Writes a number."""
    def compute():
        value = tf.cast(data, tf.float32)
        if value.shape.rank not in (None, 0):
            raise ValueError('tf.summary.scalar takes a scalar, not a tensor of shape %s' % (value.shape,))
        return value
    return _written(name, 'scalar_summary', data, step, 'scalars', SummaryMetadata.SCALAR, description, compute)


def histogram(name, data, step=None, buckets=None, description=None):
    """Writes how often values lie in each of `buckets` equal parts (30) of their range."""
    count = 30 if buckets is None else int(buckets)

    def compute():
        values = tf.reshape(tf.cast(data, tf.float64), [-1])
        if count <= 0:
            return tf.zeros([0, 3], tf.float64)
        low = tf.reduce_min(tf.concat([values, [values[0]]], 0)) if values.shape[0] else tf.constant(0., tf.float64)
        high = tf.reduce_max(values) if values.shape[0] else low
        width = (high - low) / count
        place = tf.cast(tf.clip_by_value(tf.math.floor((values - low) / tf.where(width > 0, width, 1)), 0, count - 1), tf.int32)
        # All values alike: they lie in the last part, and all parts have no width.
        place = tf.where(width > 0, place, count - 1)
        counts = tf.cast(tf.math.bincount(place, minlength=count, maxlength=count), tf.float64)
        edges = low + width * tf.cast(tf.range(count + 1), tf.float64)
        return tf.stack([edges[:-1], tf.concat([edges[1:-1], [high]], 0), counts], 1)
    return _written(name, 'histogram_summary', data, step, 'histograms', SummaryMetadata.TENSOR, description, compute)


def text(name, data, step=None, description=None):
    """Writes strings."""
    return _written(name, 'text_summary', data, step, 'text', SummaryMetadata.TENSOR, description,
                    lambda: tf.convert_to_tensor(data, tf.string))


def _png(pixels):
    """A picture of uint8, of 1 to 4 channels, as a file."""
    height, width, channels = pixels.shape
    if channels not in (1, 2, 3, 4):
        raise ValueError('a picture has 1 to 4 channels, not %d' % channels)
    rows = b''.join(b'\0' + pixels[y].tobytes() for y in range(height))

    def chunk(kind, data):
        return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
    header = struct.pack('>IIBBBBB', width, height, 8, {1: 0, 2: 4, 3: 2, 4: 6}[channels], 0, 0, 0)
    return b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', header) + chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b'')


def image(name, data, step=None, max_outputs=3, description=None):
    """Writes up to `max_outputs` pictures of [count, height, width, channels]: uint8, or floats from 0 to 1."""
    def files(pictures):
        pictures = pictures.numpy()
        sizes = [str(pictures.shape[2]).encode(), str(pictures.shape[1]).encode()]
        return tf.constant(sizes + [_png(p) for p in pictures[:int(max_outputs)]])

    def compute():
        pictures = tf.convert_to_tensor(data)
        if pictures.shape.rank != 4:
            raise ValueError('tf.summary.image takes a tensor of rank 4, not of shape %s' % (pictures.shape,))
        if pictures.dtype.is_floating:
            pictures = tf.cast(tf.clip_by_value(pictures, 0, 1) * 255 + .5, tf.uint8)
        pictures = tf.cast(pictures, tf.uint8)
        return files(pictures) if tf.executing_eagerly() else tf.py_function(files, [pictures], tf.string)
    return _written(name, 'image_summary', data, step, 'images', SummaryMetadata.BLOB, description, compute)


def graph(graph_data):
    """Writes a graph: a tf.Graph or a GraphDef."""
    if not tf.executing_eagerly():
        raise NotImplementedError('summary.graph: only outside of functions')
    writer = getattr(_local, 'writer', None)
    if writer is None or not _holds(getattr(_local, 'condition', True)):
        return False
    definition = graph_data.as_graph_def() if isinstance(graph_data, tf.Graph) else graph_data
    writer._add(0, _field(4, definition.SerializeToString()))
    return True


_home, _later = _engine.namespace('summary'), _engine.namespace('summary.experimental')
for _object in (SummaryWriter, create_file_writer, create_noop_writer, flush, record_if, should_record_summaries, write, scalar,
                histogram, text, image, graph):
    _object.__module__ = 'footlight.summary'
    setattr(_home, _object.__name__, _object)
for _object in (get_step, set_step, summary_scope):
    _object.__module__ = 'footlight.summary.experimental'
    setattr(_later, _object.__name__, _object)
SummaryMetadata.__module__ = 'footlight.compat.v1'
tf.compat.v1.SummaryMetadata = SummaryMetadata
