"""The callback TensorBoard of Keras: what stands in the event files that it writes."""
import glob
import importlib.util
import os
import struct
import sys

if importlib.util.find_spec('keras') is None:
    print('the package keras is not installed: left out')
    sys.exit(77)

import footlight as tf  # noqa: E402
from footlight import _alias  # noqa: E402
from wire import last_fields  # noqa: E402
from folder_case import FolderCase  # noqa: E402


def values(folder):
    """(step, tag, plugin, kind, tensor) of every summary in a folder, and how many other events."""
    found, others = [], 0
    for path in sorted(glob.glob(os.path.join(folder, '**', '*tfevents*'), recursive=True)):
        with open(path, 'rb') as f:
            data = f.read()
        at = 0
        while at < len(data):
            size = struct.unpack_from('<Q', data, at)[0]
            event = last_fields(data[at + 12:at + 12 + size])
            at += size + 16
            if 5 not in event:
                others += 1
                continue
            value = last_fields(last_fields(event[5])[1])
            about = last_fields(value[9])
            found.append((event.get(2, 0), value[1].decode(), last_fields(about[1])[1].decode(), about.get(4, 0),
                          value[8]))
    return found, others


class Files(FolderCase):
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

    def test_read_by_the_places_of_tensorflow(self):
        _alias.install()
        from tensorflow.core.util import event_pb2
        from tensorflow.python.lib.io import tf_record
        writer = tf.summary.create_file_writer(self.folder)
        with writer.as_default():
            tf.summary.scalar('loss', 3., step=2)
        writer.close()
        path, = glob.glob(os.path.join(self.folder, '*tfevents*'))
        found = [event_pb2.Event.FromString(record) for record in tf_record.tf_record_iterator(path)]
        self.assertEqual([(e.step, e.WhichOneof('what'), [v.tag for v in e.summary.value]) for e in found],
                         [(0, 'file_version', []), (2, 'summary', ['loss'])])
        with self.assertRaises(tf.errors.NotFoundError):
            next(tf_record.tf_record_iterator(path + 'x'))
