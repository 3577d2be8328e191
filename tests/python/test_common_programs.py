"""What programs commonly do with optimizers, variables, ragged tensors, checkpoints and specs, with numbers of TensorFlow."""
import unittest

import footlight as tf
from folder_case import FolderCase


def plain(tensor):
    return memoryview(tf.convert_to_tensor(tensor)).tolist()


class Branches(unittest.TestCase):
    """Branches whose results are rows of a tensor."""

    def rows(self, dtype):
        return tf.IndexedSlices(tf.ones([2, 2]), tf.constant([1, 2], dtype))

    def test_indices_of_two_dtypes_become_int64(self):
        for first, other in ((tf.int32, tf.int64), (tf.int64, tf.int32)):
            @tf.function
            def chosen(p):
                return tf.cond(p, lambda: self.rows(first), lambda: self.rows(other))

            @tf.function
            def numbered(k):
                return tf.switch_case(k, [lambda: self.rows(first), lambda: self.rows(other)])
            for found in (chosen(tf.constant(True)), chosen(tf.constant(False)), numbered(tf.constant(0))):
                self.assertIsInstance(found, tf.IndexedSlices)
                self.assertEqual(found.indices.dtype, tf.int64)
                self.assertEqual(plain(found.indices), [1, 2])

    def test_equal_dtypes_stay(self):
        @tf.function
        def chosen(p):
            return tf.cond(p, lambda: self.rows(tf.int32), lambda: self.rows(tf.int32))
        self.assertEqual(chosen(tf.constant(True)).indices.dtype, tf.int32)

    def test_other_integers_are_still_refused(self):
        @tf.function
        def chosen(p):
            return tf.cond(p, lambda: tf.constant(1), lambda: tf.constant(1, tf.int64))
        with self.assertRaisesRegex(TypeError, 'make them one dtype'):
            chosen(tf.constant(True))


class Delegating(tf.Variable):
    """A program's own kind of variable, as libraries have them."""

    def __init__(self, value):
        self.inner = value

    shape = property(lambda self: self.inner.shape)
    dtype = property(lambda self: self.inner.dtype)

    def assign(self, value):
        self.inner = tf.convert_to_tensor(value, self.dtype)


tf.register_tensor_conversion_function(Delegating, lambda v, dtype=None, name=None, as_ref=False: v.inner)


class Subclasses(unittest.TestCase):

    def test_members_and_conversion(self):
        v = Delegating(tf.constant([1., 2.]))
        self.assertIsInstance(v, tf.Variable)
        self.assertEqual(v.shape, [2])
        for found, wanted in ((v + 1, [2., 3.]), (1 - v, [0., -1.]), (v * v, [1., 4.]), (-v, [-1., -2.]), (v[1], 2.),
                              (tf.ones([2]) + v, [2., 3.]), (tf.reduce_sum(v), 3.), (abs(v), [1., 2.]),
                              (v > 1.5, [False, True])):
            self.assertEqual(plain(found), wanted)
        v.assign([3., 4.])
        self.assertEqual(plain(tf.stack([v, v])), [[3., 4.], [3., 4.]])
        self.assertEqual([float(x) for x in v], [3., 4.])

    def test_what_it_does_not_define_is_an_error(self):
        v = Delegating(tf.constant(1.))
        for use in (lambda: v.name, lambda: v.read_value(), lambda: v.assign_add(1.), lambda: v.trainable,
                    lambda: tf.Variable.assign(v, 1.), lambda: v.scatter_add(None)):
            with self.assertRaises((NotImplementedError, TypeError)):
                use()
        self.assertIn('Delegating', repr(v))

    def test_abstract_constructor(self):
        class Bare(tf.Variable):
            pass
        with self.assertRaisesRegex(NotImplementedError, 'abstract'):
            Bare(1.)

    def test_a_creator_may_return_one(self):
        def creator(next_creator, **keywords):
            return Delegating(tf.convert_to_tensor(keywords['initial_value']))
        with tf.variable_creator_scope(creator):
            v = tf.Variable([5.])
        self.assertIs(type(v), Delegating)
        self.assertEqual(plain(v + 0), [5.])


class Ragged(unittest.TestCase):

    rows = tf.ragged.constant([[1, 2, 3], [4], [5, 6], [7]])

    def test_split(self):
        @tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.int32), tf.TensorSpec([None], tf.int32)])
        def traced(value, sizes):
            return tf.split(value, sizes, num=2)
        for parts in (tf.split(self.rows, [1, 3]), traced(self.rows, tf.constant([1, 3]))):
            self.assertEqual([part.to_list() for part in parts], [[[1, 2, 3]], [[4], [5, 6], [7]]])
        pairs = tf.RaggedTensor.from_uniform_row_length(self.rows, 2)
        self.assertEqual([part.to_list() for part in tf.split(pairs, 2, axis=1)],
                         [[[[1, 2, 3]], [[5, 6]]], [[[4]], [[7]]]])
        for sizes in (3, [1, 2], [-1, 5]):
            with self.assertRaises(tf.errors.InvalidArgumentError):
                tf.split(self.rows, sizes)
        with self.assertRaisesRegex(ValueError, 'ragged dimension'):
            tf.split(self.rows, 2, axis=1)

    def test_to_tensor_of_a_length_that_is_computed_from_constants(self):
        @tf.function(autograph=False)
        def filled():
            return self.rows.to_tensor(shape=[None, tf.cast(tf.constant(2, tf.int64), tf.int32)])
        self.assertEqual(filled().shape, [4, 2])

    def test_to_tensor_of_a_shape_that_is_a_tensor(self):
        @tf.function
        def padded(value, width):
            return value.to_tensor(shape=tf.stack([5, width]), default_value=9), value.to_tensor(shape=[None, width])
        both, wide = padded(self.rows, tf.constant(2))
        self.assertEqual(plain(both), [[1, 2], [4, 9], [5, 6], [7, 9], [9, 9]])
        self.assertEqual(plain(wide), [[1, 2], [4, 0], [5, 6], [7, 0]])
        self.assertEqual(plain(self.rows.to_tensor(shape=tf.constant([-1, 1]))), [[1], [4], [5], [7]])
        with self.assertRaises(tf.errors.InvalidArgumentError):
            self.rows.to_tensor(shape=tf.constant([[1, 2]]))

    def test_reduce_logsumexp(self):
        value = tf.ragged.constant([[1., 2.], [3.], [], [1e4, 1e4]])
        found = plain(tf.reduce_logsumexp(value, 1))
        for one, wanted in zip(found, [2.3132617, 3., float('-inf'), 10000.693]):
            self.assertAlmostEqual(one, wanted, places=2)
        self.assertEqual(tf.reduce_logsumexp(value, 1, keepdims=True).shape, [4, 1])
        self.assertAlmostEqual(float(tf.reduce_logsumexp(value)), 10000.693, places=2)

    def test_resize(self):
        images = tf.ragged.stack([tf.zeros([2, 2, 3]), tf.ones([3, 4, 3])])
        found = tf.image.resize(images, [2, 3])
        self.assertEqual(found.shape, [2, 2, 3, 3])
        self.assertEqual(plain(tf.reduce_sum(found, [1, 2, 3])), [0., 18.])


class Checkpoints(FolderCase):

    def test_generator(self):
        generator = tf.random.Generator.from_seed(3)
        generator.normal([3])
        path = tf.train.Checkpoint(g=generator).save(self.path('ck'))
        wanted = plain(generator.normal([2]))
        other = tf.random.Generator.from_seed(9)
        tf.train.Checkpoint(g=other).restore(path).assert_consumed()
        self.assertEqual(plain(other.normal([2])), wanted)
        self.assertIn('g/_state_var/.ATTRIBUTES/VARIABLE_VALUE', [name for name, _ in tf.train.list_variables(path)])

    def test_numpy_iterator(self):
        iterator = tf.data.Dataset.range(10).as_numpy_iterator()
        next(iterator)
        checkpoint = tf.train.Checkpoint(it=iterator)
        path = checkpoint.save(self.path('ck'))
        self.assertEqual([next(iterator), next(iterator)], [1, 2])
        checkpoint.restore(path)
        self.assertEqual(next(iterator), 1)


class Strategies(unittest.TestCase):

    def test_one_worker(self):
        extended = tf.distribute.get_strategy().extended
        self.assertFalse(extended._in_multi_worker_mode())
        self.assertTrue(extended.should_checkpoint)


class OldOptimizers(unittest.TestCase):

    def test_minimize_without_variables(self):
        with tf.Graph().as_default():
            v1 = tf.compat.v1
            w = v1.get_variable('w', [], initializer=v1.ones_initializer())
            still = v1.get_variable('b', [], initializer=v1.zeros_initializer(), trainable=False)
            loss = (w + still - 3.) ** 2
            step = v1.train.GradientDescentOptimizer(0.1).minimize(loss)
            with v1.Session() as session:
                session.run(v1.global_variables_initializer())
                for _ in range(3):
                    session.run(step)
                self.assertAlmostEqual(float(session.run(w)), 1.976, places=3)
                self.assertEqual(float(session.run(still)), 0.)


class Masked(tf.experimental.BatchableExtensionType):
    """With a class of its own for specs."""
    values: tf.Tensor
    mask: tf.Tensor

    class Spec:
        def __init__(self, shape, dtype=tf.float32):
            self.values, self.mask = tf.TensorSpec(shape, dtype), tf.TensorSpec(shape, tf.bool)

        shape = property(lambda self: self.values.shape)


class OwnSpecs(unittest.TestCase):

    value = Masked([[1., 2.], [3., 4.], [5., 6.]], [[True, False]] * 3)

    def test_spec(self):
        spec = Masked.Spec([None, 2])
        self.assertIsInstance(spec, tf.TypeSpec)
        self.assertEqual(spec.shape.as_list(), [None, 2])
        self.assertTrue(spec.is_compatible_with(self.value))
        self.assertEqual(tf.type_spec_from_value(self.value), Masked.Spec([3, 2]))

    def test_functions_and_datasets(self):
        @tf.function(input_signature=[Masked.Spec([None, 2])])
        def summed(value):
            return tf.reduce_sum(tf.where(value.mask, value.values, 0.))
        self.assertEqual(float(summed(self.value)), 9.)
        dataset = tf.data.Dataset.from_tensor_slices(self.value)
        self.assertEqual(dataset.element_spec, Masked.Spec([2]))
        self.assertEqual([plain(e.values) for e in dataset.batch(2)], [[[1., 2.], [3., 4.]], [[5., 6.]]])
        made = tf.data.Dataset.from_generator(lambda: iter([Masked([1.], [True])]), output_signature=Masked.Spec([1]))
        self.assertEqual([plain(e.values) for e in made], [[1.]])
