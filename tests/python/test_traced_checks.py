# A traced call refuses the same arguments as an eager one, also where the trace knew the shapes of results but not
# the shapes of the inputs, or the values that the results depend on.
import unittest

import footlight as tf
from derivatives import gradient

X = tf.constant([[1., 2.], [3., 4.]])


def spec(shape, dtype=tf.float32):
    return tf.TensorSpec(shape, dtype)


class Refused(unittest.TestCase):
    def refused(self, body, specs, values):
        with self.assertRaises((tf.errors.InvalidArgumentError, ValueError)):
            body(*values)
        with self.assertRaises((tf.errors.InvalidArgumentError, ValueError)):
            tf.function(body, input_signature=specs)(*values)

    def test_shapes_that_came_late(self):
        self.refused(lambda x, y: tf.matmul(x, y, transpose_a=True), [spec([None, 3]), spec([None, 1])],
                     [tf.ones([500000, 3]), tf.ones([2, 1])])
        self.refused(lambda x, y: tf.add_n([x, y]), [spec([2, 2]), spec([None, 2])], [X, tf.ones([3, 2])])
        self.refused(lambda x, y: tf.linalg.set_diag(x, y), [spec([2, 2]), spec([None])], [X, tf.ones([3])])
        self.refused(lambda x, y: tf.nn.bias_add(x, y), [spec([2, 2]), spec([None])], [X, tf.ones([3])])
        self.refused(lambda x, y: tf.linalg.matvec(x, y), [spec([2, 2]), spec([None])], [X, tf.ones([3])])
        self.refused(lambda x, y: tf.debugging.assert_equal(x, y), [spec([2, 2]), spec([None, 2])], [X, tf.ones([3, 2])])

    def test_lists_of_unknown_rank(self):
        """A tensor passed for a list stands for its rows, so their number has to be known."""
        for function in (tf.add_n, tf.stack, lambda v: tf.concat(v, 0), lambda v: tf.stack(v, 1)):
            for shape in (None, [None], [None, 2]):
                with self.assertRaisesRegex(ValueError, 'taken apart'):
                    tf.function(function, input_signature=[spec(shape)]).get_concrete_function()
            for x in (X, tf.constant([X.numpy(), X.numpy()])):
                known = tf.function(function, input_signature=[spec(x.shape)])(x)
                self.assertEqual(known.numpy().tolist(), function(x).numpy().tolist())
        self.assertEqual(tf.function(lambda v: tf.add_n([v]), input_signature=[spec(None)])(X).numpy().tolist(),
                         X.numpy().tolist())

    def test_windows_larger_than_what_is_known(self):
        x, pool = tf.ones([1, 3, 3, 1]), tf.nn.max_pool2d
        # Windows that are too large give an empty image, some through the stride; a trace that knows refuses them all.
        self.assertEqual(pool(x, 4, 1, 'VALID').shape, [1, 0, 0, 1])
        for shape in ([1, 3, 3, 1], [None, 3, None, 1]):
            for body in (lambda x: pool(x, 4, 1, 'VALID'), lambda x: pool(x, 5, 3, 'VALID'),
                         lambda x: tf.nn.conv2d(x, tf.ones([4, 4, 1, 1]), 1, 'VALID')):
                with self.assertRaisesRegex(ValueError, 'Negative dimension size caused by subtracting [45] from 3'):
                    tf.function(body, input_signature=[spec(shape)]).get_concrete_function()
        late = tf.function(lambda x: pool(x, 4, 1, 'VALID'), input_signature=[spec([None, None, None, 1])])
        self.assertEqual(late(x).shape, [1, 0, 0, 1])
        padded = tf.function(lambda x: pool(x, 4, 1, [[0, 0], [1, 0], [1, 0], [0, 0]]), input_signature=[spec([1, 3, 3, 1])])
        self.assertEqual(padded(x).shape, [1, 1, 1, 1])

    def test_counts_that_cannot_be(self):
        numbers = spec(None, tf.int32)
        self.refused(lambda x: tf.repeat(x, -1, 0), [numbers], [tf.constant([1, 2])])
        for shape in ([0], [None], None):
            self.refused(lambda x: tf.math.confusion_matrix(x, x), [spec(shape, tf.int32)], [tf.constant([], tf.int32)])

    def test_placeholders_that_nobody_feeds(self):
        def late():
            return tf.placeholder(tf.float32, [], name='late')

        @tf.function
        def inner(x):
            return [late(), x + late()][1]

        def loop(n):
            return tf.while_loop(lambda i, a: i < n, lambda i, a: (i + 1, a + late()), [0, 0.])[1]

        for body, argument in [(lambda x: tf.placeholder(tf.complex64), X), (inner, X), (lambda x: inner(x) * 2., X),
                               (loop, tf.constant(2)), (lambda c: tf.cond(c, late, lambda: 1.), tf.constant(True))]:
            for specs in (None, [spec(argument.shape, argument.dtype)]):
                with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'You must feed a value for placeholder'):
                    tf.function(body, input_signature=specs)(argument)
        self.assertEqual(float(tf.function(loop)(tf.constant(0))), 0)
        self.assertEqual(float(tf.function(lambda x: [late(), inner, x][2])(tf.constant(3.))), 3)

    def test_all_integers_count_and_measure(self):
        """Also those of uint64, of which values above 2**63 - 1 are no size."""
        x = tf.zeros([2, 3])
        for number in (tf.constant(5, tf.uint64), tf.Variable(5, dtype=tf.uint64)):
            self.assertEqual(tf.linspace(x, x, number).shape, [5, 2, 3])
            for shape in (None, [2, 3]):
                traced = tf.function(lambda x: tf.linspace(x, x, number), input_signature=[spec(shape)])
                self.assertEqual(traced(x).shape, [5, 2, 3])
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, '18446744073709551615'):
            tf.linspace(0., 1., tf.constant(2**64 - 1, tf.uint64))

    def test_values_that_came_late(self):
        k = spec([], tf.int32)
        self.refused(lambda x, k: tf.slice(x, [k, 0], [1, 1]), [spec([2, 2]), k], [X, tf.constant(10**8)])
        self.refused(lambda x, k: tf.slice(x, [k, 0], [1, 1]), [spec([2, 2]), k], [X, tf.constant(3)])
        self.refused(lambda x, k: tf.cumsum(x, axis=k), [spec([2, 2]), k], [X, tf.constant(5)])
        self.refused(lambda x, k: tf.math.cumprod(x, axis=k), [spec([2, 2]), k], [X, tf.constant(-3)])
        self.refused(lambda x, k: tf.reverse(x, [k]), [spec([2, 2]), k], [X, tf.constant(5)])
        self.refused(lambda x, k: tf.reshape(x, [k]), [spec([2, 2]), k], [X, tf.constant(8)])
        self.refused(lambda x, k: tf.broadcast_to(x, [k, 2]), [spec([2, 2]), k], [X, tf.constant(3)])
        self.refused(lambda x, k: tf.stack([x[:k], x]), [spec([2, 2]), k], [X, tf.constant(1)])
        self.refused(lambda x, k: tf.squeeze(x[:k], 0), [spec([2, 2]), k], [X, tf.constant(2)])
        self.refused(lambda x, k: x @ x[:k], [spec([2, 2]), k], [X, tf.constant(1)])
        self.refused(lambda x, k: x + tf.range(k, dtype=tf.float32), [spec([2, 2]), k], [X, tf.constant(3)])
        self.refused(lambda x, k: tf.tile(x, [k]), [spec(None), k], [X, tf.constant(2)])
        self.refused(lambda x, k: tf.unstack(x[:k], 2), [spec([2, 2]), k], [X, tf.constant(1)])

    def test_a_gradient_by_values_that_no_op_has_checked(self):
        def gradient_of(op):
            return lambda x: gradient(op, x)
        far = tf.constant([10**8, -10**8])
        none = tf.zeros([0], tf.int32)
        for op in (tf.reduce_sum, tf.reduce_mean, tf.reduce_max, tf.reduce_prod, tf.math.reduce_euclidean_norm, tf.transpose):
            self.refused(gradient_of(lambda x, op=op: op(x, far)), [spec([2, 2])], [X])
        self.refused(gradient_of(lambda x: tf.concat([x, x], none)), [spec([2, 2])], [X])
        self.refused(gradient_of(lambda x: tf.gather(x, [0], axis=none)), [spec([2, 2])], [X])

    def test_int16_as_an_index(self):
        for i in (0, -1):
            index = tf.constant(i, tf.int16)
            self.assertEqual(X[index].numpy().tolist(), X.numpy()[i].tolist())
            self.assertEqual(tf.function(lambda: X[index])().numpy().tolist(), X.numpy()[i].tolist())
            self.assertEqual(tf.function(lambda i: X[0:2**40, i])(index).numpy().tolist(), X.numpy()[:, i].tolist())

    def test_tensors_of_one_element_as_an_index(self):
        for dtype in (tf.int16, tf.int32, tf.int64):
            for index in (tf.zeros([1, 1], dtype), tf.zeros([1, 1, 1], dtype)):
                self.refused(lambda i: X[i], [spec(None, dtype)], [index])
                self.refused(lambda i: X[0:2**40, i], [spec(None, dtype)], [index])

    def test_sizes_of_conv1d_transpose(self):
        x, filters, sizes = tf.ones([1, 3, 2]), tf.ones([2, 1, 2]), [1, 6, 1]
        call = lambda s: tf.nn.conv1d_transpose(x, filters, s, 2, 'SAME')
        for shape in ([3], [None], None):
            late = tf.function(call, input_signature=[spec(shape, tf.int32)])
            self.assertEqual(late(tf.constant(sizes)).numpy().tolist(), call(sizes).numpy().tolist())
            with self.assertRaisesRegex((TypeError, tf.errors.InvalidArgumentError), 'int32'):
                tf.function(call, input_signature=[spec(shape, tf.int64)])(tf.constant(sizes, tf.int64))
        self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'int32', call, tf.constant(sizes, tf.int64))

    def test_shapes_without_sizes(self):
        """Only an empty list is a shape without being one of integers."""
        self.assertEqual(tf.zeros([]).shape, [])
        self.assertEqual(tf.function(lambda: tf.zeros([]))().shape, [])
        for given in (tf.zeros([3, 0], tf.bool), tf.zeros([1, 3, 0], tf.complex128), tf.zeros([0], tf.bool)):
            for call in (tf.zeros, lambda s: tf.fill(s, 1)):
                for s in (given, tf.Variable(given), [given]):
                    self.assertRaises((TypeError, ValueError, tf.errors.InvalidArgumentError), call, s)
                    self.assertRaises((TypeError, ValueError, tf.errors.InvalidArgumentError),
                                      tf.function(lambda: call(s), autograph=False))

    def test_gradients_of_broadcast_logits(self):
        """One class for all: the gradients are those of the logits repeated for every class of the labels."""
        labels, logits = tf.constant([[.2, .3, .5]]), tf.constant([[.4], [-1.]])

        def gradients(labels, logits, wide):
            with tf.GradientTape() as tape:
                tape.watch([labels, logits])
                given = tf.broadcast_to(logits, [2, 3]) if wide else logits
                loss = tf.nn.softmax_cross_entropy_with_logits(tf.broadcast_to(labels, [2, 3]) if wide else labels, given)
            return [loss, *tape.gradient(loss, [labels, logits])]
        for shape in (None, [None, None], [None, 1], [2, None], [2, 1]):
            late = tf.function(lambda x, y: gradients(x, y, False), input_signature=[spec(None), spec(shape)])
            for results in (gradients(labels, logits, False), late(labels, logits)):
                for result, want in zip(results, gradients(labels, logits, True)):
                    self.assertLess(abs(result.numpy() - want.numpy()).max(), 1e-6)

    def test_shapes_that_are_no_integers(self):
        for shape in (tf.zeros([0]), tf.Variable(tf.zeros([0])), tf.zeros([0, 3])):
            for body in (lambda: tf.fill(shape, 3), lambda: tf.zeros(shape), lambda: tf.broadcast_to(1., shape),
                         lambda: tf.reshape(X, shape)):
                for run in (body, tf.function(body)):
                    with self.assertRaisesRegex(TypeError, 'a shape must consist of integers'):
                        run()
        self.assertEqual(tf.zeros([]).shape, [])

    def test_a_split_into_nothing(self):
        none = tf.constant([], tf.int64)
        self.refused(lambda x, sizes: tf.split(x, sizes, 1), [spec([2, 2]), spec([0], tf.int64)], [X, none])
        self.refused(lambda x: tf.split(x, none, 1), [spec(None)], [X])

    def test_bins_of_a_histogram(self):
        for shape in (None, [None], [2]):
            self.refused(lambda x, n: tf.histogram_fixed_width_bins(x, [0., 1.], n), [spec([2]), spec(shape, tf.int32)],
                         [tf.constant([.1, .9]), tf.constant([1, 2])])
        late = tf.function(lambda n: tf.histogram_fixed_width_bins([.1, .9], [0., 1.], n), input_signature=[spec(None, tf.int32)])
        self.assertEqual(late(tf.constant(10)).numpy().tolist(), [1, 9])

    def test_points_of_a_line(self):
        for num in (-2 ** 63, -2 ** 32, -1):
            for shape in (None, [None], [1]):
                self.refused(lambda n: tf.linspace(1., 0., n), [spec(shape, tf.int64)], [tf.constant([num], tf.int64)])
        late = tf.function(lambda n: tf.linspace(1., 0., n), input_signature=[spec(None, tf.int64)])
        self.assertEqual(late(tf.constant(3, tf.int64)).numpy().tolist(), [1., .5, 0.])

    def test_repeats_where_the_rank_is_unknown(self):
        def repeated(x, axis, times):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.repeat(x, times, axis)
                total = tf.reduce_sum(y * y)
            return y, tape.gradient(total, x)
        x = tf.reshape(tf.range(12.), [2, 3, 2])
        for axis in (0, 1, 2):
            for times in (0, 1, 3, tf.constant(2, tf.int64)):
                late = tf.function(lambda x: repeated(x, axis, times), input_signature=[spec(None)])
                for result, want in zip(late(x), repeated(x, axis, times)):
                    self.assertIsInstance(result, tf.Tensor)
                    self.assertEqual(result.numpy().tolist(), want.numpy().tolist())
                self.assertEqual(late(tf.ones([0, 3, 2]))[0].shape, repeated(tf.ones([0, 3, 2]), axis, times)[0].shape)

    def test_more_digits_than_anybody_reads(self):
        for x in (X, tf.complex(X, X)):
            for words in ({'precision': 2 ** 31 - 1}, {'width': 2 ** 31 - 1}, {'precision': 2 ** 31 - 1, 'width': 0}):
                self.refused(lambda x: tf.as_string(x, **words), [spec(None, x.dtype)], [x])

    def test_what_the_user_said_of_a_shape(self):
        @tf.function
        def f(x, k):
            y = x[:k]
            y.set_shape([2, 2])
            return y + 1.

        self.assertEqual(f(X, tf.constant(1)).numpy().tolist(), [[2., 3.]])
        self.assertEqual(f(X, tf.constant(2)).numpy().tolist(), [[2., 3.], [4., 5.]])

        @tf.function
        def g(x, k):
            y = x[:k]
            y.set_shape([2, 2])
            return tf.cond(k > 0, lambda: tf.reduce_sum(y * 2.), lambda: 0.)

        self.assertEqual(g(X, tf.constant(1)).numpy(), 6.)
