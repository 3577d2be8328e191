"""NumPy in and out, by the buffer protocol; skipped with a message where NumPy is not installed."""
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

    def test_numbers_for_an_op_of_float32(self):
        scores = np.array([[1., 2.], [4., 3.]])
        self.assertEqual(tf.math.in_top_k([1, 1], scores, 1).numpy().tolist(), [True, False])

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

    def test_lists_of_scalars(self):
        """The first element gives the dtype; mixed values are converted by kind, never by truncation."""
        half, single, double = np.float16(1.5), np.float32(1.5), np.float64(1.5)
        for value, dtype in (([1, single], tf.float32), ([single, 1], tf.float32), ([1.5, double], tf.float32),
                             ([double, 1.5], tf.float64), ([half, single], tf.float16), ([np.int8(1), 2], tf.int32),
                             ([np.int8(1), 2**40], tf.int64), ([np.complex64(1), 1.5], tf.complex128),
                             ([1j, 2., 3, True], tf.complex128), ([np.bool_(True), False], tf.bool),
                             ([np.array([1, 2]), [1.5, 2]], tf.float32), ([np.array(1.5), 1], tf.float64),
                             ([np.array([1, 2])], tf.int32)):
            self.assertEqual(tf.constant(value).dtype, dtype, value)
        self.assertEqual(tf.constant([1, single]).numpy().tolist(), [1, 1.5])
        for mixed in ([1, np.bool_(True)], [1., 1j], [True, 1], [np.bool_(True), single], [1, np.str_('a')]):
            with self.assertRaisesRegex(ValueError, 'mixed types'):
                tf.constant(mixed)
        for value, dtype in (([single], tf.int32), ([np.bool_(True)], tf.float32), ([np.array([1.])], tf.int64),
                             ([1j], tf.float64), ([True], tf.bfloat16)):
            with self.assertRaisesRegex(TypeError, 'Cannot convert'):
                tf.constant(value, dtype)
        with self.assertRaises(ValueError):
            tf.constant([1e40])

    def test_print_options(self):
        x = tf.constant([1 / 3, 2e-9])
        with np.printoptions(precision=2, suppress=True):
            self.assertEqual(str(x), 'tf.Tensor([0.33 0.  ], shape=(2,), dtype=float32)')
        self.assertEqual(str(x), 'tf.Tensor([3.3333334e-01 1.9999999e-09], shape=(2,), dtype=float32)')

    def test_no_operands(self):
        with self.assertRaises(TypeError):
            tf.register_tensor_conversion_function(np.ndarray, lambda value, dtype=None, name=None, as_ref=False: 1)
        self.assertFalse(tf.TensorSpec([2]) == np.ones(2))
        self.assertEqual(tf.TensorShape(np.int32(3)), [3])
