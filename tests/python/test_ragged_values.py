"""Ragged tensors as values of dtype variant (RaggedTensorToVariant and back), with what TensorFlow gives."""
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


if __name__ == '__main__':
    unittest.main()
