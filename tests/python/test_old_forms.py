"""Functions of tf.compat.v1 with the parameters that they had: parts of variables, sparse tensors, texts, blocks, windows."""
import unittest

import footlight as tf

v1 = tf.compat.v1


def values(tensor):
    return memoryview(tf.convert_to_tensor(tensor)).tolist()


class Forms(unittest.TestCase):
    def test_parts_of_variables(self):
        for function, rows in ((v1.scatter_div, [8, 1]), (v1.scatter_mul, [8, 4]), (v1.scatter_max, [8, 2]), (v1.scatter_min, [8, 2]),
                               (v1.batch_scatter_update, [8, 2])):
            variable = tf.Variable([8., 2.])
            function(variable, [1], [2.])
            self.assertEqual(values(variable), rows, function.__name__)
        for function, wanted in ((v1.scatter_nd_add, [1, 7, 3]), (v1.scatter_nd_sub, [1, -3, 3]), (v1.scatter_nd_update, [1, 5, 3])):
            variable = tf.Variable([1., 2., 3.])
            function(variable, [[1]], [5.])
            self.assertEqual(values(variable), wanted, function.__name__)

    def test_reduce_join(self):
        words = [['a', 'b'], ['c', 'd']]
        for join in (v1.reduce_join, v1.strings.reduce_join):
            self.assertEqual([join(words, 0).numpy().tolist(), join(words, reduction_indices=[1], keep_dims=True).numpy().tolist(),
                              join(words, separator='-').numpy()], [[b'ac', b'bd'], [[b'ab'], [b'cd']], b'a-b-c-d'])
            self.assertRaisesRegex(ValueError, 'both', join, words, axis=1, reduction_indices=1)

    def test_blocks(self):
        blocks = tf.reshape([1, 2, 3, 4], [4, 1, 1, 1])
        self.assertEqual(values(v1.batch_to_space(blocks, [[0, 0], [0, 0]], 2)), [[[[1], [2]], [[3], [4]]]])
        self.assertEqual(values(v1.batch_to_space(blocks, block_shape=[2, 2], crops=[[0, 0], [1, 0]], block_size=None)), [[[[2]], [[4]]]])

    def test_sparse(self):
        a = tf.SparseTensor([[0, 0], [1, 1]], [1., 2.], [2, 2])
        for add in (v1.sparse_add, v1.sparse.add):
            self.assertEqual(values(tf.sparse.to_dense(add(a, a, thresh=3.))), [[0, 0], [0, 4]])
            self.assertEqual(values(add(a, tf.ones([2, 2]))), [[2, 1], [1, 3]])
            self.assertRaisesRegex(ValueError, 'both', add, a, a, threshold=1, thresh=1)
        for reduce in (v1.sparse_reduce_sum_sparse, v1.sparse.reduce_max_sparse):
            self.assertEqual(values(tf.sparse.to_dense(reduce(a, reduction_axes=1))), [1, 2])
            self.assertEqual(reduce(a, 1, keep_dims=True).shape, [2, 1])

    def test_ragged_placeholder(self):
        with tf.Graph().as_default(), v1.Session() as session:
            rows = v1.ragged.placeholder(tf.int32, 2, [2])
            self.assertEqual((rows.shape.as_list(), rows.ragged_rank), ([None, None, None, 2], 2))
            total = tf.reduce_sum(rows.flat_values)
            fed = v1.ragged.constant_value([[[[1, 2]], []], [[[3, 4], [5, 6]]]], dtype='int32', ragged_rank=2)
            self.assertEqual(session.run(total, {rows: fed}), 21)
            self.assertEqual(session.run(tf.reduce_sum(rows, 1), {rows: fed}).to_list(), [[[1, 2]], [[3, 4], [5, 6]]])
            self.assertEqual(v1.ragged.placeholder(tf.int32, 0, [2]).shape, [2])
        self.assertRaisesRegex(RuntimeError, 'eager', v1.ragged.placeholder, tf.int32, 1)

    def test_shapes_are_asserted_when_a_graph_runs(self):
        with tf.Graph().as_default(), v1.Session() as session:
            x, y = v1.placeholder(tf.float32, [None, 3]), v1.placeholder(tf.float32, [None, 2])
            check = v1.debugging.assert_shapes([(x, ('N', 3)), (y, ('N', 'D'))])
            with tf.control_dependencies([check]):
                done = tf.identity(1.)
            self.assertEqual(session.run(done, {x: [[1, 2, 3]], y: [[1, 2]]}), 1)
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, r'\[Specified by tensor .* dimension 0\]'):
                session.run(done, {x: [[1, 2, 3]], y: [[1, 2], [3, 4]]})
        self.assertIsNone(v1.debugging.assert_shapes([(tf.ones([2, 3]), ('N', 3))]))

    def test_template_without_a_name(self):
        self.assertRaisesRegex(ValueError, 'name cannot be None', v1.make_template, None, lambda: 1)

    def test_erosion(self):
        image = tf.reshape([[1., 2.], [3., 4.]], [1, 2, 2, 1])
        self.assertEqual(values(v1.nn.erosion2d(image, tf.ones([2, 2, 1]), [1] * 4, [1] * 4, 'VALID')), [[[[0]]]])

    def test_inside_names(self):
        for path in ('special_math_ops.bessel_k0', 'special_math_ops.expint', 'nn_ops.fractional_max_pool_v2', 'ctc_ops.ctc_loss_v3',
                     'sets_impl.set_union', 'image_ops_impl.resize_images_v2', 'string_ops.reduce_join_v2', 'array_ops.batch_to_space_v2',
                     'parsing_config.VarLenFeature'):
            found = tf.python.ops
            for name in path.split('.'):
                found = getattr(found, name)
            self.assertTrue(callable(found), path)
