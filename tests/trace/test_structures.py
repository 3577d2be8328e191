"""Arguments and results of functions: objects that flatten themselves, specs that are relaxed, containers that change."""
import dataclasses
import unittest

import footlight as tf
from derivatives import gradient


@dataclasses.dataclass
class Masked:
    mask: object
    value: object

    def __tf_flatten__(self):
        return (self.mask,), (self.value,)

    @classmethod
    def __tf_unflatten__(cls, metadata, components):
        return cls(metadata[0], components[0])


class Odd(Masked):
    def __tf_flatten__(self):
        return 1


class Flattened(unittest.TestCase):
    def test_nest(self):
        nest = tf.nest
        self.assertEqual(nest.flatten([Masked(1, {'b': 2, 'a': 3}), 4]), [3, 2, 4])
        self.assertEqual(nest.map_structure(lambda a, b: a + b, Masked(1, [2]), Masked(5, [3])), Masked(1, [5]))
        self.assertEqual(nest.pack_sequence_as(Masked(1, (2, 3)), ['x', 'y']), Masked(1, ('x', 'y')))
        self.assertTrue(nest.is_nested(Masked(1, 2)))
        self.assertFalse(nest.is_nested(Masked))
        with self.assertRaises(TypeError):
            nest.assert_same_structure(Masked(1, 2), [2])
        nest.assert_same_structure(Masked(1, 2), [2], check_types=False)
        with self.assertRaisesRegex(TypeError, 'must return metadata and components'):
            nest.flatten(Odd(1, 2))

    def test_functions(self):
        traces = []

        @tf.function
        def f(x):
            traces.append(x.mask)
            return Masked([x.mask], (x.value * 2., {'v': x.value}))
        result = f(Masked('a', tf.constant([1.])))
        self.assertEqual((result.mask, result.value[0].numpy().tolist(), list(result.value[1])), (['a'], [2.], ['v']))
        f(Masked('a', tf.constant([5.])))
        f(Masked('b', tf.constant([5.])))
        self.assertEqual(traces, ['a', 'b'])
        concrete = f.get_concrete_function(Masked('a', tf.TensorSpec([1])))
        self.assertEqual(len(traces), 2)
        self.assertEqual(concrete.structured_input_signature[0][0], Masked('a', tf.TensorSpec([1], name='x_0')))
        self.assertEqual(concrete(Masked('a', tf.constant([3.]))).value[0].numpy().tolist(), [6.])
        with self.assertRaisesRegex(TypeError, 'Metadata mismatch'):
            concrete(Masked('b', tf.constant([3.])))
        self.assertIn("CustomNestTraceType [metadata=('a',), components=(TensorSpec(shape=(1,)", str(concrete))
        with self.assertRaisesRegex(TypeError, 'holds tensors'):
            f(Masked(tf.constant(1.), tf.constant([3.])))

    def test_signatures_branches_and_gradients(self):
        @tf.function(input_signature=[Masked(1, tf.TensorSpec([None]))])
        def f(x):
            if tf.reduce_sum(x.value) > 2.:
                x = Masked(1, x.value * x.value)
            else:
                x = Masked(1, -x.value)
            return x
        self.assertEqual(gradient(f, Masked(1, tf.constant([3.]))).value.numpy().tolist(), [6.])
        self.assertEqual(f(Masked(1, [1.])).value.numpy().tolist(), [-1.])
        with self.assertRaisesRegex(TypeError, 'Can not cast'):
            f(Masked(2, tf.constant([3.])))


class Relaxed(unittest.TestCase):
    def seen(self, values, **options):
        specs = []

        @tf.function(**options)
        def f(x):
            specs.append(x._type_spec)
            return x
        for value in values:
            result = f(value)
            self.assertEqual(tf.nest.map_structure(lambda t: t.numpy().tolist(), tf.nest.flatten(result, True)),
                             tf.nest.map_structure(lambda t: t.numpy().tolist(), tf.nest.flatten(value, True)))
        return [spec.shape.as_list() for spec in specs]

    def test_ragged_and_sparse_specs(self):
        ragged = [tf.ragged.constant(v) for v in ([[1], [2, 3]], [[1, 2], [3, 4, 5]], [[1], [2], [3]], [[1]], [[[1]]],
                                                  [[[1]], [[2]]])]
        self.assertEqual(self.seen(ragged, reduce_retracing=True),
                         [[2, None], [None, None], [1, None, None], [None, None, None]])
        sparse = [tf.SparseTensor([[0]], [1.], [n]) for n in (3, 4, 5)] + [tf.SparseTensor([[0], [1]], [1., 2.], [3])]
        self.assertEqual(self.seen(sparse, reduce_retracing=True), [[3], [None]])

    def test_how_many_values_there_are_makes_no_other_trace(self):
        self.assertEqual(self.seen([tf.ragged.constant(v) for v in ([[1], [2, 3]], [[1, 2], [3, 4, 5, 6]])]), [[2, None]])
        shapes = []
        tf.function(lambda s: shapes.append((s.indices.shape.as_list(), s.values.shape.as_list())))(
            tf.SparseTensor([[0]], [0], [10]))
        self.assertEqual(shapes, [([None, 1], [None])])


class Containers(unittest.TestCase):
    def test_arguments_must_not_be_changed(self):
        def each():
            return [[tf.constant(0.), tf.constant(1.)], {'k': [tf.constant(2.)]}]
        for change in (lambda a: a[0].append(1), lambda a: a[0].reverse(), lambda a: a.pop(), lambda a: a[1].clear(),
                       lambda a: a[1].setdefault('n', 1), lambda a: a[1]['k'].insert(0, 1), lambda a: a[0].append(a[1]['k'].pop())):
            @tf.function
            def f(a):
                change(a)
            with self.assertRaisesRegex(ValueError, r'f\(\) should not modify its Python input arguments'):
                f(each())

        @tf.function
        def g(a):
            copy = list(a[0])
            copy.append(3.)
            return tf.add_n(copy)
        self.assertEqual(float(g(each())), 4.)
