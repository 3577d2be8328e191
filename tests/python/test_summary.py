"""tf.summary: events read back record by record, and by TensorBoard's own reader where it is installed."""
import glob
import io
import math
import os
import struct
import subprocess
import sys
import unittest
import zlib

import footlight as tf
from footlight import _proto
from footlight._summary import writers as _summary
from folder_case import FolderCase

try:
    from tensorboard.backend.event_processing import event_accumulator
    from tensorboard.util import tensor_util
except ImportError:
    event_accumulator = None


def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
    return crc ^ 0xffffffff


def masked(data):
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xa282ead8) & 0xffffffff


def events_of(folder):
    """All events of a folder, with every checksum computed again."""
    found = []
    for path in sorted(glob.glob(os.path.join(folder, 'events.out.tfevents.*'))):
        with open(path, 'rb') as file:
            content = io.BytesIO(file.read())
        while True:
            head = content.read(12)
            if not head:
                break
            size, check = struct.unpack('<QI', head)
            assert check == masked(head[:8])
            body = content.read(size)
            assert struct.unpack('<I', content.read(4))[0] == masked(body)
            found.append(_proto.Event.FromString(body))
    return found


def values_of(folder):
    """[(step, tag, plugin, value)]"""
    return [(e.step, v.tag, v.metadata.plugin_data.plugin_name, tf.make_ndarray(v.tensor).tolist())
            for e in events_of(folder) for v in e.summary.value]


def pixels_of(png):
    """(width, height, bytes per pixel, rows) of a PNG file whose rows are filtered by the pixel to the left."""
    assert png[:8] == b'\x89PNG\r\n\x1a\n'
    at, data, header = 8, b'', None
    while at < len(png):
        size, = struct.unpack('>I', png[at:at + 4])
        kind, body = png[at + 4:at + 8], png[at + 8:at + 8 + size]
        assert struct.unpack('>I', png[at + 8 + size:at + 12 + size])[0] == zlib.crc32(kind + body)
        header = body if kind == b'IHDR' else header
        data += body if kind == b'IDAT' else b''
        at += 12 + size
    width, height, depth, colour = struct.unpack('>IIBB', header[:10])
    step = {0: 1, 4: 2, 2: 3, 6: 4}[colour] * depth // 8
    raw, rows = zlib.decompress(data), []
    for y in range(height):
        line = raw[y * (width * step + 1):(y + 1) * (width * step + 1)]
        assert line[0] == 1
        row = bytearray(line[1:])
        for i in range(step, len(row)):
            row[i] = row[i] + row[i - step] & 255
        rows.append(list(row))
    return width, height, step, rows


class InFolder(FolderCase):
    def setUp(self):
        super().setUp()
        self.writer = tf.summary.create_file_writer(self.folder)
        self.addCleanup(self.writer.close)
        self.addCleanup(tf.summary.experimental.set_step, None)
        self.addCleanup(setattr, _summary._state, 'writer', None)


class Kinds(InFolder):
    def test_scalars(self):
        with self.writer.as_default():
            self.assertTrue(tf.summary.scalar('loss', 0.5, step=1).numpy())
            with tf.name_scope('a'):
                tf.summary.scalar('b c', tf.constant(3), step=tf.constant(2), description='words')
        first = events_of(self.folder)[0]
        self.assertEqual((first.file_version, first.source_metadata.writer),
                         ('brain.Event:2', 'tensorflow.core.util.events_writer'))
        self.assertEqual(values_of(self.folder), [(1, 'loss', 'scalars', 0.5), (2, 'a/b c', 'scalars', 3.0)])
        path, = (os.path.join(self.folder, name) for name in os.listdir(self.folder))
        events = list(tf.compat.v1.train.summary_iterator(path))
        self.assertEqual([(e.step, v.tag) for e in events for v in e.summary.value], [(1, 'loss'), (2, 'a/b c')])
        self.assertEqual(events_of(self.folder)[2].summary.value[0].metadata.summary_description, 'words')
        with self.writer.as_default(), self.assertRaisesRegex(ValueError, 'Expected scalar shape'):
            tf.summary.scalar('x', [1.0], step=1)

    def test_histograms(self):
        with self.writer.as_default(step=0):
            tf.summary.histogram('h', [1., 2., 3., 4.], buckets=3)
            tf.summary.histogram('same', [2, 2], buckets=2)
            tf.summary.histogram('empty', tf.zeros([0]), buckets=2)
            tf.summary.histogram('default', tf.range(100))
        values = {tag: value for _, tag, _, value in values_of(self.folder)}
        self.assertEqual(values['h'], [[1, 2, 1], [2, 3, 1], [3, 4, 2]])
        self.assertEqual(values['same'], [[2, 2, 0], [2, 2, 2]])
        self.assertEqual(values['empty'], [[0, 0, 0], [0, 0, 0]])
        self.assertEqual(len(values['default']), 30)
        self.assertEqual(sum(row[2] for row in values['default']), 100)

    def test_images(self):
        colours = [[[[0, 1, 2], [3, 250, 5]], [[6, 7, 8], [9, 10, 255]]]]
        with self.writer.as_default(step=0):
            tf.summary.image('bytes', tf.constant(colours * 5, tf.uint8))
            tf.summary.image('floats', tf.constant([[[[-1.], [0.], [0.5], [1.], [7.]]]]), max_outputs=1)
        values = {tag: value for _, tag, _, value in values_of(self.folder)}
        self.assertEqual(values['bytes'][:2], [b'2', b'2'])
        self.assertEqual(len(values['bytes']), 5)
        self.assertEqual(pixels_of(values['bytes'][4]), (2, 2, 3, [[0, 1, 2, 3, 250, 5], [6, 7, 8, 9, 10, 255]]))
        self.assertEqual(pixels_of(values['floats'][2]), (5, 1, 1, [[0, 0, 127, 255, 255]]))

    def test_png(self):
        for channels in (1, 2, 3, 4):
            image = tf.reshape(tf.range(2 * 3 * channels), [2, 3, channels])
            for dtype in (tf.uint8, tf.uint16):
                png = tf.io.encode_png(tf.cast(image, dtype)).numpy()
                self.assertEqual(pixels_of(png)[:3], (3, 2, channels * dtype.size))
        with self.assertRaisesRegex((ValueError, tf.errors.InvalidArgumentError), '1, 2, 3, or 4 channels'):
            tf.io.encode_png(tf.zeros([2, 2, 5], tf.uint8))
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'cannot be a PNG file'):
            tf.io.encode_png(tf.zeros([0, 2, 3], tf.uint8))

    def test_text_and_sound(self):
        with self.writer.as_default(step=0):
            tf.summary.text('t', [['x', 'y']])
            tf.summary.audio('a', tf.constant([[[0.], [0.5], [-2.], [1.]]]), 8000)
            tf.summary.write('raw', tf.constant([1, 2]))
        values = {tag: value for _, tag, _, value in values_of(self.folder)}
        self.assertEqual(values['t'], [[b'x', b'y']])
        wav = values['a'][0][0]
        self.assertEqual(struct.unpack('<4sI4s4sIHHIIHH4sI', wav[:44]),
                         (b'RIFF', 44, b'WAVE', b'fmt ', 16, 1, 1, 8000, 16000, 2, 16, b'data', 8))
        self.assertEqual(struct.unpack('<4h', wav[44:]), (0, 16384, -32768, 32767))
        self.assertEqual(values['a'][0][1], b'')
        self.assertEqual(values['raw'], [1, 2])

    def test_graphs(self):
        @tf.function
        def f(x):
            return x * 2.0
        with self.writer.as_default():
            tf.summary.graph(f.get_concrete_function(tf.TensorSpec([], tf.float32)).graph)
            tf.summary.trace_on()
            f(tf.constant(1.0))
            f(tf.constant(2.0))
            f(tf.constant([2.0]))
            tf.summary.trace_export('trace', step=4)
            with self.assertRaisesRegex(ValueError, 'Must enable trace before export'):
                tf.summary.trace_export('trace', step=4)
        graph, trace = events_of(self.folder)[1:]
        self.assertIn('Mul', [n.op for n in _proto.GraphDef.FromString(graph.graph_def).node])
        run = _proto.RunMetadata.FromString(trace.summary.value[0].tensor.string_val[0])
        self.assertEqual(len(run.function_graphs), 2)
        self.assertIn('Mul', [n.op for n in run.function_graphs[0].pre_optimization_graph.node])


class WhenAndWhere(InFolder):
    def test_traced(self):
        step = tf.Variable(0, dtype=tf.int64)

        @tf.function
        def train(x):
            for _ in tf.range(3):
                step.assign_add(1)
                tf.summary.scalar('x', x + tf.cast(step, tf.float32), step=step)
            with tf.summary.record_if(step > 3):
                tf.summary.scalar('late', x, step=step)
        with self.writer.as_default():
            train(tf.constant(10.0))
            train(tf.constant(20.0))
        self.assertEqual([(s, t, v) for s, t, _, v in values_of(self.folder)],
                         [(step, 'while/x', step + (10.0 if step < 4 else 20.0)) for step in range(1, 7)] +
                         [(6, 'late', 20.0)])

    def test_whether(self):
        self.assertFalse(tf.summary.scalar('x', 1.0, step=1).numpy())
        self.assertFalse(tf.summary.should_record_summaries().numpy())
        made = []
        with self.writer.as_default():
            self.assertTrue(tf.summary.should_record_summaries().numpy())
            with tf.summary.record_if(lambda: False):
                self.assertFalse(tf.summary.write('x', lambda: made.append(1) or tf.constant(1), step=1).numpy())
            with self.assertRaisesRegex(ValueError, 'No step set'):
                tf.summary.scalar('x', 1.0)
            tf.summary.experimental.set_step(7)
            tf.summary.scalar('x', 1.0)
        self.assertEqual(made, [])
        self.assertEqual(values_of(self.folder), [(7, 'x', 'scalars', 1.0)])
        with tf.summary.create_noop_writer().as_default(step=1):
            self.assertFalse(tf.summary.scalar('x', 1.0).numpy())

    def test_flush_and_close(self):
        writer = tf.summary.create_file_writer(self.folder, max_queue=3, flush_millis=10 ** 9, filename_suffix='.mine')
        path, = glob.glob(os.path.join(self.folder, '*.mine'))
        sizes = []
        writer.set_as_default()
        for i in range(8):
            tf.summary.scalar('x', float(i), step=i)
            sizes.append(os.path.getsize(path))
        self.assertEqual(len(set(sizes[:3])), 1)
        self.assertGreater(sizes[3], sizes[2])
        self.assertEqual(sizes[6], sizes[3])
        writer.flush()
        self.assertGreater(os.path.getsize(path), sizes[6])
        writer.close()
        writer.close()
        self.assertEqual([v for _, _, _, v in values_of(self.folder)], [float(i) for i in range(8)])
        with self.assertRaisesRegex(tf.errors.NotFoundError, 'is closed'):
            tf.summary.scalar('x', 1.0, step=1)
        with self.assertRaisesRegex(RuntimeError, 'already closed'):
            writer.as_default().__enter__()

    def test_nothing_is_lost_at_the_end_of_a_program(self):
        program = ('import footlight as tf, sys\n'
                   'writer = tf.summary.create_file_writer(sys.argv[1])\n'
                   'writer.set_as_default()\n'
                   'for i in range(5): tf.summary.scalar("x", float(i), step=i)\n' 'if sys.argv[2] == "error": 1 / 0\n')
        for ending, code in (('end', 0), ('error', 1)):
            folder = os.path.join(self.folder, ending)
            done = subprocess.run([sys.executable, '-c', program, folder, ending], stderr=subprocess.DEVNULL)
            self.assertEqual(done.returncode, code)
            self.assertEqual(len(values_of(folder)), 5)

    def test_refusals(self):
        with self.assertRaisesRegex(ValueError, 'logdir'):
            tf.summary.create_file_writer(None)
        self.write('file', '')
        with self.assertRaisesRegex(tf.errors.PermissionDeniedError, 'cannot create the folder'):
            tf.summary.create_file_writer(os.path.join(self.folder, 'file', 'x'))
        with self.writer.as_default(step=0):
            with self.assertRaisesRegex(ValueError, 'Unknown encoding'):
                tf.summary.audio('a', tf.zeros([1, 1, 1]), 1, encoding='mp3')
            with self.assertRaisesRegex(ValueError, 'not tf.Graph'):
                tf.summary.graph(3)


class OldNames(InFolder):
    def test_every_n_steps(self):
        summary = tf.contrib.summary
        step = tf.train.get_or_create_global_step()
        self.assertIs(step, tf.train.get_or_create_global_step())
        step.assign(0)
        with self.writer.as_default():
            self.assertFalse(summary.scalar('outside', 1.0).numpy())
            for _ in range(5):
                with summary.record_summaries_every_n_global_steps(2):
                    summary.scalar('loss', tf.cast(step, tf.float32), family='f')
                step.assign_add(1)
            with summary.always_record_summaries():
                summary.histogram('h', [1.0, 2.0])
        self.assertEqual([(s, t, v) for s, t, _, v in values_of(self.folder)][:-1],
                         [(0, 'f/loss', 0.0), (2, 'f/loss', 2.0), (4, 'f/loss', 4.0)])
        self.assertEqual(values_of(self.folder)[-1][:3], (5, 'h', 'histograms'))


@unittest.skipUnless(event_accumulator, 'TensorBoard is not installed')
class TensorBoard(InFolder):
    def test_its_reader_reads_all_kinds(self):
        with self.writer.as_default():
            for step in range(3):
                tf.summary.scalar('loss', 1.0 / (step + 1), step=step)
                tf.summary.histogram('h', tf.range(10.0) * step, step=step)
            tf.summary.image('i', tf.zeros([1, 4, 5, 3]), step=1)
            tf.summary.text('t', 'words', step=1)
            tf.summary.audio('a', tf.zeros([1, 10, 1]), 8000, step=1)
            tf.summary.graph(tf.function(lambda x: x + 1.0).get_concrete_function(tf.TensorSpec([])).graph)
        reader = event_accumulator.EventAccumulator(self.folder, size_guidance={event_accumulator.TENSORS: 0})
        reader.Reload()
        tags = reader.Tags()
        self.assertEqual(set(tags['tensors']), {'loss', 'h', 'i', 't', 'a'})
        self.assertTrue(tags['graph'])
        for step, event in enumerate(reader.Tensors('loss')):
            self.assertEqual(event.step, step)
            self.assertTrue(math.isclose(tensor_util.make_ndarray(event.tensor_proto), 1.0 / (step + 1), rel_tol=1e-6))
        for tag, plugin in (('loss', 'scalars'), ('h', 'histograms'), ('i', 'images'), ('t', 'text'), ('a', 'audio')):
            self.assertEqual(reader.SummaryMetadata(tag).plugin_data.plugin_name, plugin)
        self.assertEqual(tensor_util.make_ndarray(reader.Tensors('i')[0].tensor_proto)[0], b'5')
        self.assertIn('AddV2', [node.op for node in reader.Graph().node])
