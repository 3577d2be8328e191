"""tf.raw_ops with arguments that are missing, empty or of wrong kinds: every op refuses or computes, none breaks."""
import inspect
import os
import unittest

import footlight as tf
from footlight import _engine

SIGNATURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'ops', 'tensorflow_ops.txt')


def ops():
    """[(name, inputs, attributes)] of the ops that neither keep nor change anything."""
    found = []
    with open(SIGNATURES, encoding='utf-8') as lines:
        for line in lines:
            parts = [part.strip() for part in line.split('|')]
            if len(parts) > 3 and parts[3] == 'pure' and _engine.op_signature(parts[0]):
                parameters = inspect.signature(getattr(tf.raw_ops, parts[0])).parameters.values()
                found.append((parts[0], [p.name for p in parameters if p.default is p.empty],
                              [p.name for p in parameters if p.default is not p.empty and p.name != 'name']))
    return found


def likely(attribute):
    """A value that fits attributes of that name."""
    if attribute in ('dtype', 'element_dtype', 'out_type', 'Tout', 'output_type', 'DstT', 'T', 'SrcT', 'type'):
        return tf.int32
    if attribute.endswith(('_types', '_dtypes')):
        return [tf.int32]
    if attribute.endswith('_shapes'):
        return [tf.TensorShape([])]
    if attribute.endswith('shape'):
        return tf.TensorShape([])
    return {'equation': 'i->i', 'padding': 'SAME', 'mode': 'REFLECT', 'strides': [1, 1, 1, 1], 'ksize': [1, 1, 1, 1],
            'rates': [1, 1, 1, 1], 'row_partition_types': ['ROW_SPLITS'], 'boundaries': [0.]}.get(attribute, 1)


class RawOps(unittest.TestCase):
    def test_every_op_with_odd_inputs(self):
        none = [tf.raw_ops.Empty(shape=shape, dtype=dtype)
                for shape in ([], [2], [0]) for dtype in (tf.variant, tf.resource)]
        given = [[], tf.constant([1]), [tf.constant([1.])], tf.zeros([0, 3]), tf.constant(['a'])] + none
        results = 0
        for name, inputs, attributes in ops():
            function = getattr(tf.raw_ops, name)
            for value in given:
                for named in ({}, {a: likely(a) for a in attributes}):
                    try:
                        function(**{i: value for i in inputs}, **named)
                        results += 1
                    except (tf.errors.OpError, TypeError, ValueError, LookupError, NotImplementedError):
                        pass
        self.assertGreater(results, 100)

    def test_missing_attributes(self):
        for name, inputs, attribute in (('MirrorPad', ['input', 'paddings'], 'mode'),
                                        ('Einsum', ['inputs'], 'equation'),
                                        ('DepthToSpace', ['input'], 'block_size'),
                                        ('SparseSplit', ['split_dim', 'indices', 'values', 'shape'], 'num_split')):
            with self.assertRaisesRegex(TypeError, rf"{name}\(\) missing 1 required argument: '{attribute}'"):
                getattr(tf.raw_ops, name)(**dict.fromkeys(inputs, [1.]))

    def test_names_that_python_gives_to_arguments(self):
        raw, x = tf.raw_ops, tf.constant([[1., 2.]])

        def results():
            return [raw.Sum(input=x, axis=1), raw.ExpandDims(input=x, axis=0), raw.Squeeze(input=x, axis=[0]),
                    raw.Where(condition=x), raw.Select(condition=x > 1., x=x, y=-x),
                    raw.Split(axis=1, value=x, num_split=2)[1]]
        for function in (results, tf.function(results)):
            self.assertEqual([r.numpy().tolist() for r in function()],
                             [[3.], [[[1., 2.]]], [1., 2.], [[0, 0], [0, 1]], [[-1., 2.]], [[2.]]])
        with self.assertRaisesRegex(TypeError, "missing 1 required argument: 'axis'"):
            raw.Max(input=x)
        with self.assertRaisesRegex(TypeError, "unexpected keyword argument 'reduction_indices'"):
            raw.Max(input=x, reduction_indices=0)

    def test_lists_of_one(self):
        raw, x = tf.raw_ops, tf.constant([1., 2.])
        for made in (raw.ShapeN(input=[x]), raw.IdentityN(input=[x]), raw.Unpack(value=[x], num=1),
                     raw.Split(axis=0, value=x, num_split=1)):
            self.assertEqual([r.shape.as_list() for r in made], [[1 if made[0].dtype == tf.int32 else 2]])
        self.assertEqual(raw.Unpack(value=tf.zeros([0, 2]), num=0), [])

    def test_no_parts(self):  # of which nothing would run
        def parts():
            return tf.raw_ops.SparseSplit(split_dim=0, indices=tf.zeros([0, 1], tf.int64), values=tf.zeros([0]),
                                          shape=[3], num_split=0)
        for function in (parts, tf.function(parts)):
            with self.assertRaisesRegex((tf.errors.InvalidArgumentError, ValueError), 'num_split should be'):
                function()

    def test_lists_of_one_length(self):
        places, shape = tf.constant([[0]], tf.int64), tf.constant([2], tf.int64)
        with self.assertRaisesRegex(ValueError, "'values' to 'SparseConcat' Op with length 1 must match length 2"):
            tf.raw_ops.SparseConcat(indices=[places] * 2, values=[[1.]], shapes=[shape] * 2, concat_dim=0)
        for name in ('AddN', 'Pack', 'ConcatV2', 'SparseConcat', 'Einsum'):
            _, inputs, attributes = next(op for op in ops() if op[0] == name)
            with self.assertRaises((tf.errors.InvalidArgumentError, ValueError, TypeError)):
                getattr(tf.raw_ops, name)(**{i: 0 if i == 'axis' else [] for i in inputs},
                                          **{a: likely(a) for a in attributes})

    def test_buckets(self):
        bucketize = tf.raw_ops.Bucketize
        self.assertEqual(bucketize(input=[[1, 5], [-1, 3]], boundaries=[0, 3]).numpy().tolist(), [[1, 2], [0, 2]])
        self.assertEqual(bucketize(input=tf.constant([1.00000001, .99999999], tf.float64), boundaries=[1.]).numpy().tolist(), [1, 0])
        later = tf.function(lambda x: bucketize(input=x, boundaries=[0., 3.]))
        self.assertEqual(later(tf.constant([-1., 3.])).numpy().tolist(), [0, 2])
        for error, words, x, boundaries in ((tf.errors.InvalidArgumentError, 'sorted boundaries', [1, 5], [0, 8, 3]),
                                            (TypeError, 'Expected list', [1], 0)):
            self.assertRaisesRegex(error, words, bucketize, input=x, boundaries=boundaries)
        self.assertRaises(tf.errors.InvalidArgumentError, bucketize, input=tf.constant([1], tf.uint8), boundaries=[1.])
