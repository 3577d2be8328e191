"""Ops of graphs that others wrote, where shapes, ranks or attributes are not known while tracing: what comes out is the
same, and what is wrong is refused."""
import unittest

import footlight as tf

raw = tf.raw_ops
PLACES = tf.constant([[0, 1], [1, 0], [1, 2]], tf.int64)
VALUES = tf.constant([1., 2, 3])
SHAPE = tf.constant([2, 3], tf.int64)


def unknown(function, *arguments):
    """The results with the arguments' ranks unknown."""
    specs = [tf.TensorSpec(None, a.dtype) for a in arguments]
    return tf.function(function, input_signature=specs)(*arguments)


class UnknownShapes(unittest.TestCase):
    def alike(self, function, *arguments):
        for a, b in zip(function(*arguments), unknown(function, *arguments), strict=True):
            self.assertEqual(a.shape, b.shape)
            for x, y in zip(tf.reshape(a, [-1]).numpy(), tf.reshape(b, [-1]).numpy(), strict=True):
                self.assertAlmostEqual(x, y, delta=1e-4 * (1 + abs(x)))

    def test_a_rank_that_only_the_places_have(self):
        for keep, known in ((False, [None]), (True, [None, 1])):
            @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.int64), tf.TensorSpec([None], tf.float32),
                                          tf.TensorSpec(None, tf.int64)])
            def total(places, values, shape):
                sums = raw.SparseReduceSum(input_indices=places, input_values=values, input_shape=shape,
                                           reduction_axes=[1], keep_dims=keep)
                self.assertEqual(sums.shape.as_list(), known)
                return sums
            self.assertEqual(tf.reshape(total(PLACES, VALUES, SHAPE), [-1]).numpy().tolist(), [1, 5])

    def test_ranks_that_contradict_each_other(self):
        @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.int64), tf.TensorSpec([None], tf.float32)])
        def total(places, values):
            return raw.SparseReduceSum(input_indices=places, input_values=values, reduction_axes=[1],
                                       input_shape=tf.concat([tf.shape(values, tf.int64)], 0))
        with self.assertRaisesRegex((tf.errors.InvalidArgumentError, ValueError), 'do not fit together'):
            total(PLACES, VALUES)

    def test_gradients_of_a_whole_tensor(self):
        def gradients(places, shape, values, rest):
            with tf.GradientTape() as tape:
                tape.watch([values, rest])
                whole = raw.SparseToDense(sparse_indices=places, output_shape=shape, sparse_values=values,
                                          default_value=rest)
                total = whole * tf.reshape(tf.cast(tf.range(tf.size(whole)), tf.float32) + 1, tf.shape(whole))
            return tape.gradient(total, [values, rest])
        rest = tf.constant(0.)
        self.alike(gradients, PLACES, SHAPE, VALUES, rest)
        self.alike(gradients, PLACES, SHAPE, VALUES[0], rest)
        self.alike(gradients, PLACES[:2, 0], SHAPE[:1], VALUES[:2], rest)
        self.alike(gradients, PLACES[1, 0], SHAPE[:1], VALUES[1], rest)

    def test_gradients_of_ragged_rows(self):
        def gradients(shape, values, rest, splits):
            with tf.GradientTape() as tape:
                tape.watch([values, rest])
                whole = raw.RaggedTensorToTensor(shape=shape, values=values, default_value=rest,
                                                 row_partition_tensors=[splits], row_partition_types=['ROW_SPLITS'])
                total = whole * tf.reshape(tf.cast(tf.range(tf.size(whole)), tf.float32) + 1, tf.shape(whole))
            return tape.gradient(total, [values, rest])
        splits, rows = tf.constant([0, 2, 2, 3], tf.int64), tf.reshape(tf.range(6.), [3, 2])
        for shape in (tf.constant(-1, tf.int64), tf.constant([-1, 1, -1], tf.int64), tf.constant([4, 4, 2])):
            self.alike(gradients, shape, rows, tf.constant(9.), splits)
            self.alike(gradients, shape, rows, tf.constant([9.]), splits)
            self.alike(gradients, shape, rows, tf.constant([8., 9]), splits)

    def test_second_gradients_of_batch_norm(self):
        for data_format, training in (('NHWC', True), ('NCHW', True), ('NCHW', False)):
            def gradients(x, scale, moments):
                with tf.GradientTape() as outer:
                    outer.watch([x, scale])
                    with tf.GradientTape() as inner:
                        inner.watch(x)
                        y = raw.FusedBatchNormV3(x=x, scale=scale, offset=scale, mean=moments, variance=moments,
                                                 is_training=training, data_format=data_format)[0]
                        total = tf.reduce_sum(tf.sin(y))
                    first = inner.gradient(total, x)
                    again = tf.reduce_sum(tf.cos(first))
                return [first] + outer.gradient(again, [x, scale])
            x = tf.reshape(tf.sin(tf.range(16.)), [2, 2, 2, 2])
            self.alike(gradients, x, tf.constant([1., 2]), tf.constant([3., 4]))

    def test_too_many_dimensions(self):
        splits = [tf.constant([0, 1], tf.int64)] * 100000  # a frame of the stack each would be too much
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'at most 254'):
            raw.RaggedTensorToSparse(rt_nested_splits=splits, rt_dense_values=[1.])

    def test_values_that_hold_no_splits(self):
        for wrong in ([], [0, 2 ** 63 - 1], [5], [0, 3, 1]):
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'Invalid ragged splits'):
                raw.RaggedTensorToVariant(rt_nested_splits=[tf.constant(wrong, tf.int64)], rt_dense_values=VALUES,
                                          batched_input=False)
        nothing = raw.RaggedTensorToVariant(rt_nested_splits=[], rt_dense_values=tf.zeros([0]), batched_input=True)
        self.assertEqual(nothing.shape, [0])
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'output_ragged_rank must be equal'):
            raw.RaggedTensorFromVariant(encoded_ragged=nothing, input_ragged_rank=2 ** 63 - 1, output_ragged_rank=0,
                                        Tvalues=tf.float32, Tsplits=tf.int64)
        many = raw.Empty(shape=[2 ** 30, 2 ** 30, 0], dtype=tf.variant)
        with self.assertRaisesRegex(tf.errors.ResourceExhaustedError, 'larger than any memory'):
            raw.RaggedTensorFromVariant(encoded_ragged=many, input_ragged_rank=0, output_ragged_rank=3,
                                        Tvalues=tf.float32, Tsplits=tf.int64)
        for empty in (raw.Empty(shape=[], dtype=tf.variant), raw.Empty(shape=[2], dtype=tf.variant)):
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "doesn't hold a RaggedTensorVariant"):
                raw.RaggedTensorFromVariant(encoded_ragged=empty, input_ragged_rank=0, Tvalues=tf.float32,
                                            output_ragged_rank=len(empty.shape), Tsplits=tf.int64)

    def test_many_parts(self):
        count, each = 100000, 40
        order = tf.range(count * each, dtype=tf.int64)
        # In one walk: to look for each part's values among all of them would take longer than a test may.
        parts = raw.SparseSplit(split_dim=0, indices=tf.stack([order // each, order % each], 1), values=order,
                                shape=[count, each], num_split=count)
        self.assertEqual(parts.output_values[-1].numpy().tolist(), list(range(count * each - each, count * each)))

    def test_sizes_that_32_bits_cannot_hold(self):
        wide = tf.zeros([0, 2 ** 33, 3])
        whole = tf.function(lambda x: (raw.Shape(input=x, out_type=tf.int32), tf.shape(x)), input_signature=[
            tf.TensorSpec(None)])
        known = tf.function(lambda: tf.shape_n([wide, tf.ones([2])]))
        one = tf.function(lambda x: raw.Shape(input=x)[2], input_signature=[tf.TensorSpec([None, 2 ** 33, 3])])
        for call in (lambda: raw.Shape(input=wide), lambda: raw.ShapeN(input=[wide, wide]), lambda: whole(wide), known,
                     lambda: one(wide)):
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'dimension 1 is 8589934592.*int64'):
                call()
        self.assertEqual(raw.Shape(input=wide, out_type=tf.int64).numpy().tolist(), [0, 2 ** 33, 3])
        self.assertEqual(raw.ShapeN(input=[wide], out_type=tf.int64)[0].numpy().tolist(), [0, 2 ** 33, 3])
