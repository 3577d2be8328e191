"""Tensors, variables, specs and modules as Python objects: members, sharing of memory, structures, names."""
import collections
import copy
import pickle
import unittest
from unittest import mock

import footlight as tf


def values(t):
    """A tensor as nested Python lists, without NumPy."""
    return memoryview(tf.convert_to_tensor(t)).tolist()


class Variables(unittest.TestCase):
    def test_scatter(self):
        v = tf.Variable([1., 2., 3.])
        v.scatter_add(tf.IndexedSlices([10.], [1]))
        v.scatter_update(tf.IndexedSlices(0., [0]))
        v.scatter_max(tf.IndexedSlices([5.], [2]))
        self.assertEqual(values(v), [0, 12, 5])
        v.scatter_nd_sub([[1], [2]], [2., 1.])
        self.assertEqual(values(v), [0, 10, 4])
        self.assertRaises(TypeError, v.scatter_add, tf.constant([1.]))
        self.assertRaises(tf.errors.InvalidArgumentError, v.scatter_add, tf.IndexedSlices([1.], [7]))
        self.assertRaises(tf.errors.InvalidArgumentError, v.scatter_nd_add, [[7]], [1.])
        words = tf.Variable(['a', 'b'])
        words.scatter_update(tf.IndexedSlices(['z'], [1]))
        self.assertTrue(bool(tf.reduce_all(words == ['a', 'z'])))

    def test_slices(self):
        v = tf.Variable([[1., 2., 3.], [4., 5., 6.]])
        v[0, 1:].assign([20., 30.])
        v[:, ::2].assign(0.)
        self.assertEqual(values(v), [[0, 20, 0], [0, 5, 0]])
        v[1, tf.newaxis].assign([[1., 2., 3.]])
        self.assertEqual(values(v), [[0, 20, 0], [1, 2, 3]])
        self.assertRaises(tf.errors.InvalidArgumentError, v[0].assign, [1., 2.])

        @tf.function
        def f(x):
            v[0, 0].assign(x)
            v.scatter_nd_update([[1, 2]], [x])
            return v.gather_nd([[0, 0]])
        self.assertEqual(values(f(tf.constant(9.))), [9])
        self.assertEqual(values(v), [[9, 20, 0], [1, 2, 9]])

    def test_counter_and_old_names(self):
        v = tf.Variable(0)
        self.assertEqual([values(v.count_up_to(2)), values(v.count_up_to(2)), values(v)], [0, 1, 2])
        self.assertRaises(tf.errors.OutOfRangeError, v.count_up_to, 2)
        self.assertRaises(RuntimeError, lambda: v.initial_value)
        self.assertEqual(tf.Variable.SaveSliceInfo('f', [4, 3], [1, 0], [2, 3]).spec, '4 3 1,2:0,3')

    def test_creator_scope(self):
        seen = []

        def creator(next_creator, **kwargs):
            seen.append(kwargs['name'])
            kwargs['trainable'] = False
            return next_creator(**kwargs)
        with tf.variable_creator_scope(creator):
            v = tf.Variable(1., name='x')
        self.assertEqual((seen, v.trainable, tf.Variable(1.).trainable), (['x'], False, True))

    def test_assigning_is_replaced_by_mock(self):
        v = tf.Variable(1.)
        for name in ('assign', 'assign_add', 'assign_sub'):
            with mock.patch.object(tf.Variable, name, autospec=True) as replaced:
                getattr(v, name)(2.)
            replaced.assert_called_once_with(v, 2.)
        self.assertEqual(v.numpy(), 1.)
        self.assertIsNone(v.assign_add(delta=2., read_value=False))
        self.assertEqual(v.numpy(), 3.)


class Shapes(unittest.TestCase):
    def test_dims(self):
        self.assertEqual(tf.TensorShape([1, None])._dims, (1, None))
        self.assertIsNone(tf.TensorShape(None)._dims)


class Tensors(unittest.TestCase):
    def test_dlpack(self):
        x = tf.constant([[1., 2.], [3., 4.]])
        y = tf.experimental.dlpack.from_dlpack(tf.experimental.dlpack.to_dlpack(x))
        self.assertEqual(values(y), values(x))
        capsule = x.__dlpack__()
        tf.experimental.dlpack.from_dlpack(capsule)
        self.assertRaises(tf.errors.InvalidArgumentError, tf.experimental.dlpack.from_dlpack, capsule)
        self.assertRaises(tf.errors.InvalidArgumentError, tf.experimental.dlpack.to_dlpack, tf.constant('a'))
        self.assertEqual(x.__dlpack_device__(), (1, 0))

    def test_dlpack_with_numpy(self):
        try:
            import numpy as np
        except ImportError:
            self.skipTest('no NumPy')
        x = tf.constant([1., 2.])
        array = np.from_dlpack(x)
        self.assertEqual(array.tolist(), [1, 2])
        self.assertEqual(array.__array_interface__['data'][0], np.asarray(x).__array_interface__['data'][0])
        own = np.arange(6, dtype=np.float32).reshape(2, 3)
        self.assertEqual(values(tf.experimental.dlpack.from_dlpack(own)), own.tolist())
        self.assertRaises(tf.errors.InvalidArgumentError, tf.experimental.dlpack.from_dlpack, own.T)

    def test_members(self):
        self.assertEqual(complex(tf.constant(2 + 1j)), 2 + 1j)
        self.assertRaises(TypeError, complex, tf.constant([1., 2.]))
        self.assertRaises(NotImplementedError, tf.constant(1.).eval)
        self.assertIn('__add__', tf.Tensor.OVERLOADABLE_OPERATORS)
        x = tf.constant([1., 2.])
        self.assertEqual(values(pickle.loads(pickle.dumps(x))), [1, 2])
        self.assertEqual(values(copy.deepcopy(x)), [1, 2])

    def test_misspelt(self):
        for wrong, right in ((lambda: tf.constant(1.).nmupy, 'numpy'), (lambda: tf.Variable(1.).asign, 'assign'),
                             (lambda: tf.TensorShape([1]).ndim, 'ndims'), (lambda: tf.float32.is_float, 'is_floating'),
                             (lambda: tf.GradientTape().gradeint, 'gradient'), (lambda: tf.reduce_maen, 'reduce_mean')):
            with self.assertRaises(AttributeError) as caught:
                wrong()
            self.assertIn(right, str(caught.exception))
            self.assertIsNone(caught.exception.obj)  # else Python would add a guess of its own

    def test_assignment_without_its_value(self):
        v = tf.Variable([1., 2.])
        self.assertIsNone(v.assign([3., 4.], read_value=False))
        made = []

        @tf.function
        def f():
            made.extend([v.assign([5., 6.], read_value=False), v.assign_add([1., 1.], read_value=False)])
            return v.read_value()

        self.assertEqual(values(f()), [6, 7])
        self.assertEqual([op.type for op in made], ['AssignVariableOp', 'AssignAddVariableOp'])

    def test_assignments_have_names(self):
        v = tf.Variable(0)

        def f():
            v.assign(1, read_value=False, name='first')
            v.assign_add(1, name='more')
            v.assign_sub(1)
        wrapped = tf.compat.v1.wrap_function(f, [])
        names = [op.name for op in wrapped.graph.get_operations() if op.type.startswith('Assign')]
        self.assertEqual(names, ['first', 'more', 'AssignSubVariableOp'])
        first = wrapped.prune([], wrapped.graph.get_operation_by_name('first'))
        first()
        self.assertEqual(v.numpy(), 1)

    def test_a_composite_has_the_structure_of_its_spec(self):
        slices = tf.IndexedSlices(tf.constant([[1, 2]]), tf.constant([0]), tf.constant([3, 2]))
        for value in (slices, tf.ragged.constant([[1], [2, 3]]), tf.sparse.from_dense([1, 0])):
            spec = tf.type_spec_from_value(value)
            tf.nest.assert_same_structure([value], [spec], expand_composites=True)
            tf.nest.assert_same_structure([spec], [value], expand_composites=True)
        ragged = tf.ragged.constant([[1], [2, 3]])
        for other in (tf.RaggedTensorSpec([2, None], tf.int64), tf.SparseTensorSpec([2, 2], tf.int32), tf.TensorSpec([2])):
            with self.assertRaises(ValueError):
                tf.nest.assert_same_structure(ragged, other, expand_composites=True)

    def test_lists_of_tensors(self):
        self.assertEqual(values(tf.convert_to_tensor([1, tf.constant(2.)])), [1, 2])
        self.assertRaises(ValueError, tf.constant, [1, tf.constant(2.)])
        with self.assertRaises(tf.errors.InvalidArgumentError):
            tf.convert_to_tensor([tf.constant([1, 2]), tf.constant([1])])


class MySpec(tf.TypeSpec):
    value_type = property(lambda self: list)

    def __init__(self, shape, dtype):
        self.shape, self.dtype = tf.TensorShape(shape), tf.as_dtype(dtype)

    def _serialize(self):
        return self.shape, self.dtype

    @property
    def _component_specs(self):
        return [tf.TensorSpec(self.shape, self.dtype), tf.TensorSpec([], tf.int32)]

    def _to_components(self, value):
        return list(value)

    def _from_components(self, components):
        return list(components)


class Specs(unittest.TestCase):
    def test_derived(self):
        a, b = MySpec([1, None], tf.float32), MySpec([1, 2], tf.float32)
        self.assertEqual(repr(a), 'MySpec(TensorShape([1, None]), tf.float32)')
        self.assertTrue(b.is_subtype_of(a) and not a.is_subtype_of(b) and a.is_compatible_with(b))
        self.assertEqual(b.most_specific_common_supertype([MySpec([1, 3], tf.float32)]), a)
        self.assertIsNone(b.most_specific_common_supertype([MySpec([1, 2], tf.int32)]))
        self.assertRaises(ValueError, b.most_specific_compatible_type, MySpec([1, 2], tf.int32))
        value = [tf.constant([[1., 2.]]), tf.constant(1)]
        self.assertEqual(len(b.flatten()), 2)
        self.assertEqual([values(t) for t in b.from_tensors(iter(b.to_tensors(value)))], [[[1, 2]], 1])
        self.assertRaises(TypeError, tf.TypeSpec)

    def test_messages(self):
        proto = tf.make_tensor_proto([1., 2.])
        self.assertEqual(proto.SerializeToString(), b'\x08\x01\x12\x04\x12\x02\x08\x02"\x08\x00\x00\x80?\x00\x00\x00@')
        shape = tf.TensorShape([1, None])
        self.assertEqual(str(shape.as_proto()), 'dim {\n  size: 1\n}\ndim {\n  size: -1\n}\n')
        self.assertEqual(tf.TensorShape(shape.as_proto()).as_list(), [1, None])
        spec = tf.TensorSpec([1, None], tf.float32, 'n')
        self.assertEqual(tf.TensorSpec.experimental_from_proto(spec.experimental_as_proto()), spec)


class Functions(unittest.TestCase):
    def test_function_over_a_list_as_an_argument(self):
        """A list in the cells of an argument has no identity that can be kept: the argument's own counts."""
        rows = [[1, 2], [3, 4]]
        traces = []

        @tf.function
        def f(g):
            traces.append(1)
            return g()

        def double(factor=[2]):
            return tf.constant(rows) * factor[0]
        for _ in range(2):
            self.assertEqual(values(f(double)), [[2, 4], [6, 8]])
        self.assertEqual(len(traces), 1)
        self.assertEqual(values(f(lambda: tf.constant(rows))), rows)
        self.assertEqual(values(f(lambda: tf.constant({'a': rows}['a']))), rows)
        self.assertEqual(len(traces), 3)


class Structures(unittest.TestCase):
    def test_nest(self):
        pair = collections.namedtuple('pair', 'a b')
        self.assertEqual(tf.nest.flatten({'b': 1, 'a': [2, pair(3, 4)]}), [2, 3, 4, 1])
        self.assertEqual(tf.nest.map_structure(lambda x, y: x + y, pair(1, [2]), pair(3, [4])), pair(4, [6]))
        self.assertRaises(ValueError, tf.nest.map_structure, lambda x: x, [1], foo=2)
        s = tf.IndexedSlices(tf.constant([[1.]]), tf.constant([0]), tf.constant([2, 1]))
        self.assertEqual((len(tf.nest.flatten([s, 1])), len(tf.nest.flatten([s, 1], expand_composites=True))), (2, 4))
        double = tf.nest.map_structure(lambda x: x * 2, s, expand_composites=True)
        self.assertIsInstance(double, tf.IndexedSlices)

    def test_module(self):
        class Inner(tf.Module):
            def __init__(self):
                super().__init__()
                self.w = tf.Variable(1., name='w')
                self.b = tf.Variable(1., name='b', trainable=False)

        class Outer(tf.Module):
            def __init__(self):
                self.layers = [Inner(), {'x': Inner()}]
                self.own = (tf.Variable(0., name='own'),)
                self.again = self.layers[0]
                self.me = self
        m = Outer()
        self.assertEqual([v.name for v in m.variables], ['own:0', 'b:0', 'w:0', 'b:0', 'w:0'])
        self.assertEqual((len(m.trainable_variables), len(m.submodules), m.name), (3, 2, 'outer'))
        self.assertRaises(ValueError, tf.Module, name='a b')
