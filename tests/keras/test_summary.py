"""tf.summary: what stands in event files, read back here, written at once, in traced functions and by Keras's TensorBoard."""
import glob
import importlib.util
import os
import struct
import sys
import tempfile
import unittest

import footlight as tf


def fields(data):
    """(number, value) of each field of a message."""
    at = 0

    def varint():
        nonlocal at
        n = shift = 0
        while True:
            byte = data[at]
            at += 1
            n |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return n
    while at < len(data):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        else:
            size = 8 if key & 7 == 1 else 4 if key & 7 == 5 else varint()
            yield key >> 3, data[at:at + size]
            at += size


def values(folder):
    """(step, tag, plugin, kind, tensor as a TensorProto) of every summary in a folder, and how many other events."""
    found, others = [], 0
    for path in sorted(glob.glob(os.path.join(folder, '**', '*tfevents*'), recursive=True)):
        with open(path, 'rb') as f:
            data = f.read()
        at = 0
        while at < len(data):
            size = struct.unpack_from('<Q', data, at)[0]
            event = dict(fields(data[at + 12:at + 12 + size]))
            at += size + 16
            if 5 not in event:
                others += 1
                continue
            value = dict(fields(dict(fields(event[5]))[1]))
            about = dict(fields(value[9]))
            found.append((event.get(2, 0), value[1].decode(), dict(fields(about[1]))[1].decode(), about.get(4, 0),
                          tf.make_ndarray(tf.core.framework.tensor_pb2.TensorProto.FromString(value[8]))
                          if importlib.util.find_spec('numpy') else None))
    return found, others


@unittest.skipUnless(importlib.util.find_spec('numpy'), 'values are compared as arrays')
class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def test_kinds(self):
        writer = tf.summary.create_file_writer(self.folder)
        with writer.as_default():
            tf.summary.scalar('a', 2.5, step=3)
            tf.summary.histogram('h', [1., 2., 2., 5.], step=3, buckets=4)
            tf.summary.histogram('same', [2., 2.], step=3, buckets=2)
            tf.summary.text('t', 'hello', step=1)
            tf.summary.image('i', tf.fill([1, 2, 3, 1], .5), step=1)
            tf.summary.graph(tf.function(lambda x: x + 1).get_concrete_function(tf.constant(1)).graph)
        found, others = values(self.folder)
        self.assertEqual([f[:4] for f in found], [
            (3, 'a', 'scalars', 1), (3, 'h', 'histograms', 2), (3, 'same', 'histograms', 2), (1, 't', 'text', 2),
            (1, 'i', 'images', 3)])
        self.assertEqual(others, 2)  # the version, the graph
        self.assertEqual(found[0][4], 2.5)
        self.assertEqual(found[1][4].tolist(), [[1, 2, 1], [2, 3, 2], [3, 4, 0], [4, 5, 1]])
        self.assertEqual(found[2][4].tolist(), [[2, 2, 0], [2, 2, 2]])
        self.assertEqual(found[3][4], b'hello')
        self.assertEqual(found[4][4][:2].tolist(), [b'3', b'2'])
        self.assertEqual(found[4][4][2][:8], b'\x89PNG\r\n\x1a\n')

    def test_when(self):
        writer = tf.summary.create_file_writer(self.folder)
        self.assertFalse(tf.summary.scalar('nobody', 1., step=1))
        with writer.as_default(step=7):
            with tf.name_scope('deep'), tf.summary.record_if(lambda: True):
                self.assertTrue(tf.summary.scalar('yes', 1.))
            with tf.summary.record_if(False):
                self.assertFalse(tf.summary.scalar('no', 1.))
                self.assertFalse(tf.summary.should_record_summaries())
        with writer.as_default(), self.assertRaisesRegex(ValueError, 'No step set'):
            tf.summary.scalar('a', 1.)
        with writer.as_default(), self.assertRaisesRegex(ValueError, 'scalar'):
            tf.summary.scalar('a', [1., 2.], step=1)
        writer.close()
        with writer.as_default(), self.assertRaisesRegex(RuntimeError, 'closed'):
            tf.summary.scalar('a', 1., step=1)
        self.assertEqual([f[:2] for f in values(self.folder)[0]], [(7, 'deep/yes')])

    def test_in_functions(self):
        writer = tf.summary.create_file_writer(self.folder)

        @tf.function
        def f(x, step):
            with writer.as_default():
                tf.summary.scalar('inside', x, step=step)
            return x
        for i in range(3):
            f(tf.constant(i / 2), tf.constant(i, tf.int64))
        writer.flush()
        self.assertEqual([(s, t, float(v)) for s, t, _, _, v in values(self.folder)[0]],
                         [(0, 'inside', 0.), (1, 'inside', .5), (2, 'inside', 1.)])

    @unittest.skipUnless(importlib.util.find_spec('keras'), 'the package keras is not installed')
    def test_keras(self):
        import numpy as np
        keras = tf.keras
        model = keras.Sequential([keras.layers.Input((2,)), keras.layers.Dense(1, name='d')])
        model.compile('sgd', 'mse')
        x = np.ones((8, 2), 'float32')
        model.fit(x, x[:, :1], epochs=2, batch_size=4, verbose=0, validation_split=.5, callbacks=[
            keras.callbacks.TensorBoard(self.folder, histogram_freq=1, update_freq='batch')])
        found = {(f[0], f[1]) for f in values(self.folder)[0]}
        wanted = {(0, 'keras'), (1, 'batch_loss'), (0, 'epoch_loss'), (1, 'epoch_loss'), (1, 'evaluation_loss_vs_iterations')}
        self.assertEqual(wanted - found, set())
        self.assertTrue([f for f in values(self.folder)[0] if f[2] == 'histograms'])


if __name__ == '__main__':
    unittest.main()
