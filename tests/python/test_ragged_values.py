"""Ragged tensors as values of dtype variant (RaggedTensorToVariant and back), and their gradients; what TensorFlow gives."""
import unittest

import footlight as tf

raw = tf.raw_ops


def both_ways(splits, values, batched, inner, outer):
    encoded = raw.RaggedTensorToVariant(rt_nested_splits=splits, rt_dense_values=values, batched_input=batched)
    back = raw.RaggedTensorFromVariant(encoded_ragged=encoded, input_ragged_rank=inner, output_ragged_rank=outer,
                                       Tvalues=values.dtype, Tsplits=tf.int64)
    return encoded, [s.numpy().tolist() for s in back[0]], back[1].numpy().tolist()


class RaggedValues(unittest.TestCase):
    splits = [tf.constant([0, 2, 2, 3], tf.int64), tf.constant([0, 1, 3, 3], tf.int64)]
    values = tf.constant([1., 2, 3])

    def test_whole(self):
        encoded, splits, values = both_ways(self.splits, self.values, False, 2, 2)
        self.assertEqual(encoded.shape, [])
        self.assertEqual((splits, values), ([[0, 2, 2, 3], [0, 1, 3, 3]], [1, 2, 3]))

    def test_rows(self):
        for inner in (1, -1):
            encoded, splits, values = both_ways(self.splits, self.values, True, inner, 2)
            self.assertEqual(encoded.shape, [3])
            self.assertEqual((splits, values), ([[0, 2, 2, 3], [0, 1, 3, 3]], [1, 2, 3]))

    def test_rows_of_a_whole_tensor(self):
        encoded, splits, values = both_ways([], tf.constant([[1, 2], [3, 4]]), True, 0, 1)
        self.assertEqual(encoded.shape, [2])
        self.assertEqual((splits, values), ([[0, 2, 4]], [1, 2, 3, 4]))

    def test_a_loop_takes_row_by_row(self):
        @tf.function
        def lengths(splits, values):
            rows = raw.RaggedTensorToVariant(rt_nested_splits=[splits], rt_dense_values=values, batched_input=True)
            total = tf.constant(0.)
            for i in tf.range(tf.size(splits) - 1):
                back = raw.RaggedTensorFromVariant(encoded_ragged=rows[i], input_ragged_rank=0, output_ragged_rank=0,
                                                   Tvalues=tf.float32, Tsplits=tf.int64)
                total = total * 10 + tf.reduce_sum(back.output_dense_values)
            return total
        self.assertEqual(float(lengths(self.splits[0], self.values)), 303)

    def test_gradients(self):
        x = tf.constant([1., 2, 3])
        splits = [tf.constant([0, 1, 2], tf.int64), tf.constant([0, 2, 3], tf.int64)]

        def back(batched, inner):
            with tf.GradientTape() as tape:
                tape.watch(x)
                encoded = raw.RaggedTensorToVariant(rt_nested_splits=splits, rt_dense_values=x, batched_input=batched)
                made = raw.RaggedTensorFromVariant(encoded_ragged=encoded, input_ragged_rank=inner, output_ragged_rank=2,
                                                   Tvalues=tf.float32, Tsplits=tf.int64)
                y = made.output_dense_values * [2., 3, 4]
            return tape.gradient(y, x)
        for batched, inner in ((True, 1), (False, 2)):
            self.assertEqual(back(batched, inner).numpy().tolist(), [2, 3, 4])
            self.assertEqual(tf.function(back)(batched, inner).numpy().tolist(), [2, 3, 4])
        m = tf.constant([[1., 2], [3, 4]])
        with tf.GradientTape() as tape:
            tape.watch(m)
            encoded = raw.RaggedTensorToVariant(rt_nested_splits=[], rt_dense_values=m, batched_input=True)
            made = raw.RaggedTensorFromVariant(encoded_ragged=encoded, input_ragged_rank=0, output_ragged_rank=1,
                                               Tvalues=tf.float32, Tsplits=tf.int64)
            y = made.output_dense_values * [2., 3, 4, 5]
        self.assertEqual(tape.gradient(y, m).numpy().tolist(), [[2, 3], [4, 5]])

    def test_values_of_a_gradient(self):
        def values(encoded, splits, shape, dtype=tf.float32):
            return raw.RaggedTensorToVariantGradient(encoded_ragged_grad=encoded, row_splits=splits,
                                                     dense_values_shape=shape, Tvalues=dtype)
        encoded = raw.RaggedTensorToVariant(rt_nested_splits=self.splits[:1], rt_dense_values=self.values, batched_input=True)
        self.assertEqual(values(encoded, self.splits[0], [3]).numpy().tolist(), [1, 2, 3])
        self.assertEqual(values(encoded, self.splits[0], [3, 1]).numpy().tolist(), [[1], [2], [3]])
        error = tf.errors.InvalidArgumentError
        with self.assertRaisesRegex(error, 'Invalid ragged splits'):
            values(encoded, tf.constant([], tf.int64), [3])
        with self.assertRaisesRegex(error, 'Expected values Tensor dtype: int32, found: float'):
            values(encoded, self.splits[0], [3], tf.int32)
        with self.assertRaises(error):
            values(encoded, self.splits[0], [4])
        listed = tf.stack([raw.EmptyTensorList(element_shape=-1, max_num_elements=-1, element_dtype=tf.float32)])
        with self.assertRaisesRegex(error, "doesn't hold a RaggedTensorVariant"):
            values(listed, self.splits[0], [3])

    def test_refusals(self):
        for wrong in ([0, 5], [1, 3], [0, 2, 1]):
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'Invalid ragged splits'):
                both_ways([tf.constant(wrong, tf.int64)], self.values, True, 0, 1)
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'Expected ragged_rank=1'):
            both_ways(self.splits, self.values, False, 1, 1)
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'output_ragged_rank must be equal'):
            both_ways(self.splits, self.values, True, 1, 1)
        listed = raw.EmptyTensorList(element_shape=-1, max_num_elements=-1, element_dtype=tf.float32)
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "doesn't hold a RaggedTensorVariant"):
            raw.RaggedTensorFromVariant(encoded_ragged=listed, input_ragged_rank=0, output_ragged_rank=0,
                                        Tvalues=tf.float32, Tsplits=tf.int64)


class Gradients(unittest.TestCase):
    rows = tf.ragged.constant([[1., 2.], [], [3.]])

    def test_tapes(self):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch({'r': self.rows})
            twice = self.rows * 2.
            total = tf.reduce_sum(twice)
        self.assertEqual(tape.gradient(twice, self.rows).to_list(), [[2, 2], [], [2]])
        self.assertEqual(tape.gradient([twice, total], [self.rows])[0].to_list(), [[4, 4], [], [4]])
        self.assertEqual(tape.gradient(twice, self.rows, output_gradients=self.rows).to_list(), [[2, 4], [], [6]])
        self.assertIsNone(tape.gradient(total, tf.ragged.constant([[1.]])))
        sparse = tf.SparseTensor([[0]], [2.], [3])
        with tf.GradientTape() as tape:
            tape.watch(sparse)
            total = tf.sparse.reduce_sum(sparse)
        self.assertEqual(tape.gradient(total, sparse.values).numpy().tolist(), [1])

    def test_graphs(self):
        @tf.function
        def f(r):
            y = r * 3.
            return tf.gradients(y, [r]), tf.gradients(y, r, grad_ys=[r])
        self.assertEqual([g.to_list() for g, in f(self.rows)], [[[3, 3], [], [3]], [[3, 6], [], [9]]])
