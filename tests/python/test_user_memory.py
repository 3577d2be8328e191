"""Arrays stay the user's: no op writes into them, and later writes to them change no tensor or variable."""
import tempfile
import unittest

import footlight as tf
from folder_case import FolderCase

try:
    import numpy as np
except ImportError:
    np = None

N = 1000


def aligned(n=N):
    """A view of zeros at an address where a tensor's memory may start, and the array that it is a view of."""
    base = np.zeros(n + 16, np.float32)
    first = (-base.ctypes.data % 64) // 4
    return base[first:first + n], base


def frozen(array):
    view = array.view()
    view.flags.writeable = False
    return view


def memory_of(t):
    return np.asarray(t).ctypes.data


@unittest.skipUnless(np, 'NumPy is not installed')
class Variables(FolderCase):

    def changed_in_every_way(self, v):
        v.assign_add(tf.ones([N]))
        v.scatter_nd_add([[0]], [1.])
        v[1:2].assign([5.])
        tf.function(lambda: v.assign_sub(tf.ones([N])))()
        self.assertEqual(v.numpy()[:3].tolist(), [1., 4., 0.])

    def test_of_a_read_only_array(self):
        for make in (tf.Variable, lambda a: tf.Variable(tf.constant(a)), lambda a: tf.Variable(tf.ones([N])).assign(a)):
            array, _ = aligned()
            self.changed_in_every_way(make(frozen(array)))
            self.assertFalse(array.any())

    def test_of_a_map_of_a_file(self):
        path = self.path('w.npy')
        np.save(path, np.zeros(N, np.float32))
        for mode in ('r', 'r+', 'c'):
            self.changed_in_every_way(tf.Variable(np.load(path, mmap_mode=mode)))
        self.assertFalse(np.load(path).any())

    def test_of_shared_memory(self):
        array, _ = aligned()
        shared = tf.experimental.dlpack.from_dlpack(array)
        self.assertEqual(memory_of(shared), array.ctypes.data)
        v = tf.Variable(tf.ones([N]))
        v.assign(shared)
        self.changed_in_every_way(v)
        w = tf.Variable(shared)
        parts = [tf.Variable(part) for part in tf.split(shared, 2)]
        array[:] = 7
        self.assertFalse(w.numpy().any() or any(part.numpy().any() for part in parts))
        self.assertEqual(shared.numpy()[0], 7)

    def test_of_bytes(self):
        data = bytes(4 * N)
        self.changed_in_every_way(tf.Variable(np.frombuffer(data, np.float32)))
        self.assertFalse(any(data))


@unittest.skipUnless(np, 'NumPy is not installed')
class Tensors(unittest.TestCase):

    def test_later_changes(self):
        """To an array behind a read-only view, behind a view of a read-only array, or mapped from a file."""
        with tempfile.NamedTemporaryFile() as file:
            for open_array in (lambda: aligned()[0],
                               lambda: np.memmap(file.name, np.float32, 'w+', shape=(N,))):
                for convert in (tf.constant, tf.convert_to_tensor, lambda a: tf.constant(memoryview(a)),
                                lambda a: tf.constant(frozen(a)[:]), lambda a: tf.identity(a)):
                    array = open_array()
                    t = convert(frozen(array))
                    array[:] = 7
                    self.assertFalse(t.numpy().any())
            mapped = np.memmap(file.name, np.float32, 'r+', shape=(N,))
            mapped[:] = 0
            t = tf.constant(np.memmap(file.name, np.float32, 'r', shape=(N,)))
            mapped[:] = 7
            self.assertFalse(t.numpy().any())
        array, _ = aligned()
        view = array[:]
        array.flags.writeable = False
        t = tf.constant(array)
        view[:] = 7
        self.assertFalse(t.numpy().any())

    def test_what_nobody_can_write_is_shared(self):
        t = tf.zeros([N])
        for array in (np.asarray(t), np.asarray(t)[:], memoryview(t)):
            self.assertEqual(memory_of(tf.constant(array)), memory_of(t))
        data = bytes(4 * N + 64)
        first = -np.frombuffer(data, np.uint8).ctypes.data % 64
        array = np.frombuffer(data, np.float32, N, first)
        self.assertEqual(memory_of(tf.constant(array)), array.ctypes.data)

    def test_arguments_of_traced_calls(self):
        array, _ = aligned()
        shared = tf.experimental.dlpack.from_dlpack(array)
        f = tf.function(lambda x: tf.exp(x + 1.) + x)
        for given in (frozen(array), shared, tf.experimental.dlpack.from_dlpack(array)):
            f(given)
        f(tf.experimental.dlpack.from_dlpack(array))
        self.assertFalse(array.any())
