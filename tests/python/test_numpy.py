"""NumPy in and out, by the buffer protocol; skipped in words where NumPy is not installed."""
import array
import unittest

import footlight as tf

try:
    import numpy as np
except ImportError:
    np = None


class Memory(unittest.TestCase):

    def test_out(self):
        x = tf.constant([[1., 2.], [3., 4.]])
        view = memoryview(x)
        self.assertEqual((view.shape, view.format, view.readonly, view.tolist()), ((2, 2), 'f', True, [[1.0, 2.0], [3.0, 4.0]]))
        del x
        self.assertEqual(view[1, 1], 4.0)
        with self.assertRaises((BufferError, TypeError)):
            memoryview(tf.constant('a'))

    def test_in(self):
        self.assertEqual(tf.constant(array.array('h', [1, 2])).dtype, tf.int16)
        self.assertEqual(memoryview(tf.constant(memoryview(bytes(range(6))).cast('B', [2, 3]))).tolist(), [[0, 1, 2], [3, 4, 5]])


@unittest.skipIf(np is None, 'NumPy is not installed')
class Arrays(unittest.TestCase):

    def test_dtypes(self):
        for name in ('bool', 'int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64', 'float16', 'float32',
                     'float64', 'complex64', 'complex128'):
            a = np.array([[0, 1], [1, 0]]).astype(name)
            t = tf.constant(a)
            self.assertEqual(t.dtype.name, name)
            back = t.numpy()
            self.assertEqual((back.dtype, back.tolist()), (a.dtype, a.tolist()))
            self.assertIs(type(t[0, 0].numpy()), type(a[0, 0]))
            self.assertEqual(t.dtype.as_numpy_dtype, a.dtype.type)
            self.assertEqual(tf.as_dtype(a.dtype), t.dtype)

    def test_layouts(self):
        a = np.arange(12).reshape(3, 4)
        for b in (a.T, a[::2], a[:, ::-1], np.asfortranarray(a), a.astype('>i4'), a[1:1], np.array(3)):
            self.assertEqual(tf.constant(b).numpy().tolist(), b.tolist())

    def test_a_copy_is_a_copy(self):
        a = np.zeros(1000, np.float32)
        t = tf.constant(a)
        a[:] = 1
        self.assertEqual(float(tf.reduce_sum(t)), 0.0)
        b = t.numpy()
        b[:] = 2
        self.assertEqual(float(tf.reduce_sum(t)), 0.0)

    def test_no_copy(self):
        t = tf.zeros([1000])
        a, b = np.asarray(t), np.asarray(t)
        self.assertEqual(a.ctypes.data, b.ctypes.data)
        self.assertFalse(a.flags.writeable)
        del t
        self.assertEqual(a.sum(), 0)
        a = np.frombuffer(bytes(range(256)) * 16, np.uint8)
        frozen = tf.constant(a)  # read-only memory may be shared; it must live as long as the tensor
        del a
        self.assertEqual(int(tf.reduce_sum(tf.cast(frozen, tf.int32))), 16 * 255 * 128)

    def test_strings_and_objects(self):
        self.assertEqual(tf.constant(np.array([b'a', b'bc'], object)).numpy().tolist(), [b'a', b'bc'])
        self.assertEqual(tf.constant(np.array(['x', 'yz'])).numpy().tolist(), [b'x', b'yz'])
        self.assertEqual(tf.constant(['a', 'b']).numpy().dtype, object)
        self.assertEqual(tf.constant('a').numpy(), b'a')
        for bad in (np.array([object()]), np.datetime64('2020-01-01'), np.array(['2020'], 'M8[Y]')):
            with self.assertRaises(ValueError):
                tf.constant(bad)

    def test_operators(self):
        a, t = np.array([1., 2.], np.float32), tf.constant([3., 4.])
        for result in (a + t, t + a, a * t, a - t, a / t, a @ tf.constant([[1.], [1.]]) if False else t - a):
            self.assertIsInstance(result, tf.Tensor)
        self.assertEqual((np.multiply(t, t).tolist(), np.add(tf.Variable([1.]), 1.).tolist()), ([9.0, 16.0], [2.0]))
        self.assertEqual((t == a).numpy().tolist(), [False, False])
        self.assertEqual(np.float32(2) * t[0], 6)
        self.assertEqual(tf.add(np.array(1), np.array(1)).dtype, tf.int64)

    def test_lists_of_numpy_scalars(self):
        for given, dtype in [([np.float32(1), np.float32(2)], 'float32'), ([np.int64(1), 2], 'int32'),
                             ([np.float64(1.5), np.float32(2)], 'float64'), ([np.array([1, 2], np.int32), np.array([3, 4], np.int32)], 'int32')]:
            self.assertEqual(tf.constant(given).dtype.name, dtype)

    def test_array_interfaces(self):
        class A:
            def __array__(self, dtype=None, copy=None):
                return np.array([1., 2.], np.float32)
        self.assertEqual(tf.constant(A()).numpy().tolist(), [1.0, 2.0])

        class B:
            __array_interface__ = np.array([5, 6]).__array_interface__
        self.assertEqual(tf.constant(B()).numpy().tolist(), [5, 6])

    def test_symbolic(self):
        caught = []

        @tf.function
        def f(x):
            try:
                np.sum(x)
            except NotImplementedError as e:
                caught.append(str(e))
            return x

        f(tf.constant([1.]))
        self.assertIn("'x:0'", caught[0])

    def test_variables(self):
        v = tf.Variable([1., 2.])
        self.assertEqual((np.asarray(v).tolist(), v.numpy().tolist(), type(tf.Variable(1).numpy()).__name__), ([1.0, 2.0], [1.0, 2.0], 'int32'))


if __name__ == '__main__':
    unittest.main()
