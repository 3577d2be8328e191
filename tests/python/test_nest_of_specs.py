"""tf.nest with expand_composites=True: the spec of a ragged or sparse tensor is opened as its values are."""
import unittest

import footlight as tf

VECTOR = tf.TensorSpec([2], tf.int32)
RAGGED, SPARSE = tf.RaggedTensorSpec([None, None], tf.int32), tf.SparseTensorSpec([None, None], tf.int32)
SPECS = {'a': RAGGED, 'b': (VECTOR, SPARSE)}


def values():
    return {'a': tf.ragged.constant([[1], [2, 3]]), 'b': (tf.constant([1, 2]), tf.sparse.from_dense([[1, 0], [0, 2]]))}


class Specs(unittest.TestCase):
    def test_flatten(self):
        flat = tf.nest.flatten(SPECS, expand_composites=True)
        self.assertEqual([type(spec) for spec in flat], [tf.TensorSpec] * 6)
        self.assertEqual([spec.dtype for spec in flat], [t.dtype for t in tf.nest.flatten(values(), expand_composites=True)])
        self.assertEqual(tf.nest.flatten(SPECS), [RAGGED, VECTOR, SPARSE])

    def test_leaves(self):
        variable = tf.type_spec_from_value(tf.Variable(1.))
        for spec in (VECTOR, variable):
            self.assertEqual(tf.nest.flatten(spec, expand_composites=True), [spec])

    def test_pack(self):
        flat = tf.nest.flatten(values(), expand_composites=True)
        for like in (SPECS, values()):
            made = tf.nest.pack_sequence_as(like, flat, expand_composites=True)
            self.assertEqual(made['a'].to_list(), [[1], [2, 3]])
            self.assertIsInstance(made['b'][1], tf.SparseTensor)
        for few in (flat[:-1], flat + flat[:1]):
            with self.assertRaisesRegex(ValueError, 'Could not pack sequence'):
                tf.nest.pack_sequence_as(SPECS, few, expand_composites=True)

    def test_same_structure(self):
        for first, second in ((SPECS, values()), (values(), SPECS)):
            tf.nest.assert_same_structure(first, second, expand_composites=True)
        with self.assertRaises(ValueError):
            tf.nest.assert_same_structure(RAGGED, tf.sparse.from_dense([[1]]), expand_composites=True)
        with self.assertRaises(ValueError):
            tf.nest.assert_same_structure(RAGGED, tf.constant(1), expand_composites=True)
