"""tf.Tensor and tf.Variable in Python: conversions, operators, indexing, refusals."""
import copy
import pickle
import unittest

import footlight as tf
from derivatives import gradient


def value(t):
    """A tensor as nested Python lists, without NumPy."""
    return memoryview(tf.cast(t, tf.float32) if t.dtype == tf.float16 else t).tolist()


class Conversions(unittest.TestCase):

    def check(self, given, dtype_name, dims, /, **options):
        t = tf.constant(given, **options)
        self.assertEqual((t.dtype.name, t.shape.as_list()), (dtype_name, dims), given)
        return t

    def test_inferred(self):
        for given, dtype, shape in [
                (1, 'int32', []), (1.5, 'float32', []), (True, 'bool', []), ('a', 'string', []), (1 + 2j, 'complex128', []),
                (2**31, 'int64', []), (-2**31, 'int32', []), (-2**31 - 1, 'int64', []), ([2**31, 1], 'int64', [2]),
                ([], 'float32', [0]), ([[], []], 'float32', [2, 0]), ([1, 2.5], 'float32', [2]), ([1, True], 'int32', [2]),
                ([1.0, True], 'float32', [2]), ([['a', b'b']], 'string', [1, 2]), (((1, 2), (3, 4)), 'int32', [2, 2]),
                (range(4), 'int32', [4]), (tf.TensorShape([2, 3]), 'int32', [2]), ([[[1]]], 'int32', [1, 1, 1])]:
            self.check(given, dtype, shape)

    def test_asked_for(self):
        self.assertEqual(value(self.check([1, 2], 'float16', [2], dtype=tf.half)), [1.0, 2.0])
        self.assertEqual(value(self.check(300, 'int8', [], dtype=tf.int8)), 44)
        self.assertEqual(value(self.check([1, 2, 3, 4], 'int32', [2, 2], shape=[2, 2])), [[1, 2], [3, 4]])
        self.assertEqual(value(self.check(7, 'int32', [3], shape=[3])), [7, 7, 7])
        self.assertEqual(value(tf.convert_to_tensor(1, dtype_hint=tf.float32)), 1.0)

    def test_refused(self):
        for error, call in [
                (ValueError, lambda: tf.constant([1, [2]])), (ValueError, lambda: tf.constant([[1], 2])),
                (ValueError, lambda: tf.constant([[1, 2], [3]])), (ValueError, lambda: tf.constant([True, 1])),
                (ValueError, lambda: tf.constant(None)), (ValueError, lambda: tf.constant(2**63)),
                (ValueError, lambda: tf.constant(1e39)), (ValueError, lambda: tf.constant({1, 2})),
                (ValueError, lambda: tf.constant(object())), (TypeError, lambda: tf.constant(1.5, tf.int32)),
                (TypeError, lambda: tf.constant('a', tf.float32)), (TypeError, lambda: tf.constant(1, tf.bool)),
                (TypeError, lambda: tf.constant([1, 2], shape=[4])), (TypeError, lambda: tf.constant(1, 'nonsense')),
                (TypeError, lambda: tf.constant(tf.constant([1]), tf.float32)),
                (ValueError, lambda: tf.convert_to_tensor(tf.constant([1]), tf.float32))]:
            with self.assertRaises(error):
                call()

    def test_a_list_that_holds_itself(self):
        loop = []
        loop.append(loop)
        with self.assertRaises(ValueError):
            tf.constant(loop)

    def test_tensors_in_lists(self):
        self.assertEqual(value(tf.convert_to_tensor([tf.constant(1), 2])), [1, 2])
        self.assertEqual(value(gradient(lambda x: tf.convert_to_tensor([x, 2 * x]), tf.constant(3.))), 3.0)

    def test_registered(self):
        class Pair:
            pass
        tf.register_tensor_conversion_function(Pair, lambda v, dtype=None, name=None, as_ref=False: tf.constant([1., 2.]))
        self.assertEqual(value(tf.add(Pair(), 1.)), [2.0, 3.0])
        self.assertEqual(value(Pair() + tf.constant(1.)), [2.0, 3.0])


class Operators(unittest.TestCase):

    def test_arithmetic(self):
        a, b = tf.constant([7, -7]), tf.constant([2, 2])
        for result, want in [(a + b, [9, -5]), (a - b, [5, -9]), (a * b, [14, -14]), (a // b, [3, -4]), (a % b, [1, 1]),
                             (a / b, [3.5, -3.5]), (b ** b, [4, 4]), (-a, [-7, 7]), (abs(a), [7, 7]),
                             (1 + a, [8, -6]), (1 - a, [-6, 8]), (2 * a, [14, -14]), (15 // b, [7, 7]), (15 % b, [1, 1]),
                             (1 / b, [0.5, 0.5]), (2 ** b, [4, 4]), (a + [1, 2], [8, -5]), ([1, 2] + a, [8, -5]),
                             (a + True, [8, -6])]:
            self.assertEqual(value(result), want)
        self.assertEqual((a / b).dtype, tf.float64)
        self.assertEqual(value(tf.constant([[1., 2.]]) @ tf.constant([[3.], [4.]])), [[11.0]])

    def test_comparison(self):
        a = tf.constant([1, 2, 3])
        self.assertEqual(value(a < 2), [True, False, False])
        self.assertEqual(value(a >= 2), [False, True, True])
        self.assertEqual(value(a == [1, 0, 3]), [True, False, True])
        self.assertEqual(value(a != 2), [True, False, True])
        self.assertIs(a == None, False)  # noqa: E711
        self.assertIs(a != None, True)   # noqa: E711
        self.assertEqual(value(a == tf.constant([1, 2])), False)  # shapes that do not fit: not equal
        self.assertIs(a == object(), False)

    def test_logic(self):
        t, f = tf.constant([True, True]), tf.constant([True, False])
        self.assertEqual([value(t & f), value(t | f), value(t ^ f), value(~f)],
                         [[True, False], [True, True], [False, True], [False, True]])
        self.assertEqual(value(f * 2), [True, False])

    def test_refused(self):
        with self.assertRaises(tf.errors.InvalidArgumentError):
            tf.constant(1) + 2.5
        with self.assertRaises(tf.errors.InvalidArgumentError):
            tf.constant(1) == tf.constant(1.)
        with self.assertRaises(tf.errors.InvalidArgumentError):
            tf.constant([1, 2]) + tf.constant([1, 2, 3])
        with self.assertRaises(tf.errors.InvalidArgumentError):
            tf.constant(True) + True
        for misfit in (lambda: tf.constant(1) * 2.5, lambda: 2.5 - tf.constant(1), lambda: tf.constant(1.) - 'a',
                       lambda: tf.constant(1) < 2.5, lambda: tf.constant(1) + object(), lambda: +tf.constant(1)):
            with self.assertRaises(TypeError):
                misfit()
        with self.assertRaises(ValueError):
            tf.constant(1) + None
        with self.assertRaises(tf.errors.InvalidArgumentError):
            tf.constant(1) // 0
        with self.assertRaises(TypeError):
            hash(tf.constant(1))
        with self.assertRaisesRegex(AttributeError, 'tf.cast'):
            tf.constant(1).astype

    def test_indexing(self):
        x = tf.reshape(tf.range(24), [2, 3, 4])
        y = [[[(i * 3 + j) * 4 + k for k in range(4)] for j in range(3)] for i in range(2)]
        self.assertEqual(value(x[1]), y[1])
        self.assertEqual(value(x[-1, 0]), y[-1][0])
        self.assertEqual(value(x[0, 1:, ::2]), [r[::2] for r in y[0][1:]])
        self.assertEqual(value(x[..., 0]), [[r[0] for r in p] for p in y])
        self.assertEqual(x[:, tf.newaxis, 0].shape, [2, 1, 4])
        self.assertEqual(value(x[0, 0, ::-1]), y[0][0][::-1])
        self.assertEqual(value(x[tf.constant(1), tf.constant(0):tf.constant(2), 3]), [y[1][0][3], y[1][1][3]])
        v = tf.constant([1, 2, 3])
        self.assertEqual(value(v[v > 1]), [2, 3])
        self.assertEqual([value(r) for r in v], [1, 2, 3])
        self.assertEqual(len(v), 3)
        for bad in (lambda: v['a'], lambda: v[1.5], lambda: v[True]):
            with self.assertRaises((TypeError, ValueError)):
                bad()
        with self.assertRaises(tf.errors.InvalidArgumentError):
            v[7]
        with self.assertRaises(IndexError):
            v[(None,) * 100]
        with self.assertRaises(ValueError):
            v.gpu(1000)
        with self.assertRaises(TypeError):
            len(tf.constant(1))
        with self.assertRaises(TypeError):
            iter(tf.constant(1))

    def test_python_values(self):
        self.assertEqual((int(tf.constant(3)), float(tf.constant(2.5)), bool(tf.constant([[1]])), [10, 20][tf.constant(1)]),
                         (3, 2.5, True, 20))
        self.assertEqual((int(tf.constant('7')), float(tf.constant('2.5'))), (7, 2.5))
        with self.assertRaises(ValueError):
            bool(tf.constant([1, 2]))
        with self.assertRaises(TypeError):
            int(tf.constant([1, 2]))
        with self.assertRaises(TypeError):
            [1, 2][tf.constant(1.)]

    def test_objects(self):
        x = tf.constant([1, 2])
        self.assertEqual({x.ref(): 5}[x.ref()], 5)
        self.assertIs(x.ref().deref(), x)
        self.assertEqual(value(pickle.loads(pickle.dumps(x))), [1, 2])
        self.assertEqual(value(copy.deepcopy(x)), [1, 2])
        self.assertEqual(x.device, '/job:localhost/replica:0/task:0/device:CPU:0')
        x.set_shape([None])
        with self.assertRaises(ValueError):
            x.set_shape([3])
        with self.assertRaises(AttributeError):
            x.name

    def test_symbolic(self):
        errors = {}

        @tf.function(autograph=False)
        def f(x):
            for name, use in [('bool', lambda: bool(x)), ('iter', lambda: list(x)), ('len', lambda: len(x)),
                              ('int', lambda: int(x)), ('numpy', lambda: x.numpy())]:
                try:
                    use()
                except Exception as e:
                    errors[name] = e
            return x

        f(tf.constant([1]))
        self.assertIsInstance(errors['bool'], tf.errors.OperatorNotAllowedInGraphError)
        self.assertIsInstance(errors['iter'], tf.errors.OperatorNotAllowedInGraphError)
        self.assertIsInstance(errors['bool'], TypeError)
        self.assertIsInstance(errors['len'], TypeError)
        self.assertIsInstance(errors['int'], TypeError)
        self.assertIsInstance(errors['numpy'], AttributeError)
        for name in ('bool', 'iter', 'len', 'int'):
            self.assertIn("'x:0'", str(errors[name]))


class Functions(unittest.TestCase):

    def test_arguments(self):
        self.assertEqual(value(tf.reduce_sum([[1, 2], [3, 4]], axis=0)), [4, 6])
        self.assertEqual(value(tf.reduce_sum(input_tensor=[1, 2], keepdims=True)), [3])
        self.assertIs(tf.add, tf.math.add)
        self.assertIn('x', tf.add.__doc__ + str(__import__('inspect').signature(tf.add)))
        for call, words in [(lambda: tf.reduce_sum(), 'reduce_sum.*input_tensor'), (lambda: tf.reduce_sum([1], axes=0), "'axes'"),
                            (lambda: tf.add(1, 2, x=3), "'x'"), (lambda: tf.reshape([1], object()), 'shape')]:
            with self.assertRaisesRegex((TypeError, ValueError), words):
                call()

    def test_names_near_by(self):
        with self.assertRaisesRegex(AttributeError, 'reduce_sum'):
            tf.reduce_sun
        with self.assertRaisesRegex(AttributeError, 'softmax|softplus|relu'):
            tf.nn.reluu

    def test_errors(self):
        self.assertTrue(issubclass(tf.errors.InvalidArgumentError, tf.errors.OpError))
        e = tf.errors.NotFoundError(None, None, 'gone')
        self.assertEqual((str(e), e.message, e.error_code), ('gone', 'gone', tf.errors.NOT_FOUND))
        again = pickle.loads(pickle.dumps(e))
        self.assertEqual((type(again), again.message), (tf.errors.NotFoundError, 'gone'))


class Variables(unittest.TestCase):

    def test_values(self):
        v = tf.Variable([1., 2.], name='w')
        self.assertEqual((v.name, v.dtype, v.shape.as_list(), v.trainable), ('w:0', tf.float32, [2], True))
        v.assign([3, 4])
        before = v.value()
        self.assertEqual(value(v.assign_add([1., 1.]).value()), [4.0, 5.0])
        v.assign_sub(tf.ones([2]))
        self.assertEqual((value(v + 0.), value(before)), ([3.0, 4.0], [3.0, 4.0]))
        self.assertEqual((value(v * 2), value(2 - v), value(v > 3.5), value(v[1])), ([6.0, 8.0], [-1.0, -2.0], [False, True], 4.0))
        self.assertIsNone(v.assign([0., 0.], read_value=False))
        other = tf.Variable(v)
        v.assign([9., 9.])
        self.assertEqual(value(other.value()), [0.0, 0.0])

    def test_refused(self):
        v = tf.Variable([1., 2.], name='w')
        with self.assertRaisesRegex(ValueError, r"'w:0'.*\(2,\)"):
            v.assign([1., 2., 3.])
        for error, call in [(ValueError, lambda: tf.Variable()), (TypeError, lambda: tf.Variable(1).assign(1.5)),
                            (ValueError, lambda: v.assign(tf.constant([1, 2]))), (TypeError, lambda: hash(v)),
                            (TypeError, lambda: len(v)), (ValueError, lambda: tf.Variable([1., 2.], shape=[3])),
                            (ValueError, lambda: tf.Variable(tf.TensorSpec([])))]:
            with self.assertRaises(error):
                call()

    def test_module(self):
        class Layer(tf.Module):
            def __init__(self, name=None):
                super().__init__(name=name)
                self.w = tf.Variable(1., name='w')
                self.b = tf.Variable(0., trainable=False, name='b')
                self.parts = [tf.Variable(2.), {'x': self.w}]

            @tf.Module.with_name_scope
            def make(self):
                return tf.Variable(0., name='v').name

        m = Layer()
        self.assertEqual((m.name, [v.name for v in m.variables], len(m.trainable_variables)), ('layer', ['b:0', 'Variable:0', 'w:0'], 2))
        self.assertEqual(m.make(), 'layer/v:0')
        m.inner = Layer(name='inside')
        self.assertEqual((len(m.variables), m.submodules), (6, (m.inner,)))


class Tapes(unittest.TestCase):

    def test_gradients(self):
        v, w = tf.Variable(2.), tf.Variable(3.)
        with tf.GradientTape() as tape:
            y = v * v * w
        self.assertEqual([value(g) for g in tape.gradient(y, {'a': v, 'b': [w]})['b']], [4.0])
        with self.assertRaises(RuntimeError):
            tape.gradient(y, v)
        self.assertEqual(len(tape.watched_variables()), 2)
        self.assertIs(tape.watched_variables()[0], v)
        x = tf.constant(3.)
        with tf.GradientTape(persistent=True) as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = x ** 3
            dy = inner.gradient(y, x)
        self.assertEqual((value(dy), value(outer.gradient(dy, x))), (27.0, 18.0))
        with tf.GradientTape() as tape:
            tape.watch(x)
            with tape.stop_recording():
                y = x * x
        self.assertIsNone(tape.gradient(y, x))
        with tf.GradientTape() as tape:
            y = v * 2.
        zero = tape.gradient(y, [w], unconnected_gradients=tf.UnconnectedGradients.ZERO)
        self.assertEqual(value(zero[0]), 0.0)


class Structures(unittest.TestCase):

    def test_nest(self):
        import collections
        P = collections.namedtuple('P', 'x y')
        s = {'b': [1, (2, 3)], 'a': P(4, None)}
        self.assertEqual(tf.nest.flatten(s), [4, None, 1, 2, 3])
        self.assertEqual(tf.nest.pack_sequence_as(s, [10, 20, 30, 40, 50]), {'b': [30, (40, 50)], 'a': P(10, 20)})
        self.assertEqual(list(tf.nest.map_structure(lambda x: x, s)), ['b', 'a'])
        with self.assertRaises(ValueError):
            tf.nest.assert_same_structure([1], [1, 2])
        with self.assertRaises(TypeError):
            tf.nest.assert_same_structure([1], (1,))

    def test_specs(self):
        a, b = tf.TensorSpec([2, 3]), tf.TensorSpec([None, 3])
        self.assertTrue(a.is_subtype_of(b) and not b.is_subtype_of(a) and a.is_compatible_with(tf.zeros([2, 3])))
        self.assertEqual(a.most_specific_compatible_type(b), b)
        self.assertEqual({a: 1}[tf.TensorSpec([2, 3])], 1)
        s = tf.TensorShape([2, None])
        self.assertEqual((s[0], s[1], s[-1:], s + [4], s.rank), (2, None, tf.TensorShape([None]), tf.TensorShape([2, None, 4]), 2))
        self.assertEqual(tf.TensorShape([2, 3]), (2, 3))
        with self.assertRaises(ValueError):
            s.assert_is_fully_defined()
        with self.assertRaises(TypeError):
            tf.TensorShape([1.5])
        self.assertEqual((tf.as_dtype('float32'), tf.as_dtype(float), tf.int8.max, tf.float32 == 'float32'), (tf.float32, tf.float32, 127, True))

    def test_scopes(self):
        with tf.name_scope('a') as s:
            with tf.name_scope('b') as t:
                name = tf.Variable(1.).name
        self.assertEqual((s, t, name), ('a/', 'a/b/', 'a/b/Variable:0'))
        with tf.device('/cpu:0'):
            self.assertIn('CPU:0', (tf.constant(1) + 1).device)
        for bad in ('/foo:0', 'nonsense/x/y', 5):
            with self.assertRaises(ValueError):
                with tf.device(bad):
                    pass
        seen = []

        @tf.function
        def f():
            seen.append(tf.executing_eagerly())
            with tf.init_scope():
                seen.append(tf.executing_eagerly())
            return tf.constant(1)

        f()
        self.assertEqual(seen, [False, True])
