"""tf.experimental.ExtensionType: fields, what takes such values, and what functions of the library do with them."""
import typing
import unittest

import numpy as np

import footlight as tf

E = tf.experimental


def plain(tensor):
    return memoryview(tf.convert_to_tensor(tensor)).tolist()


class Masked(E.ExtensionType):
    values: tf.Tensor
    mask: tf.Tensor

    def with_default(self, default):
        return tf.where(self.mask, self.values, default)


class Several(E.ExtensionType):
    a: tf.Tensor
    n: int = 3
    parts: typing.Tuple[tf.Tensor, ...] = ()
    named: typing.Mapping[str, tf.Tensor] = {}
    maybe: typing.Optional[tf.Tensor] = None
    either: typing.Union[int, str] = 'z'
    shape: tf.TensorShape = [1, 2]
    inner: typing.Optional['Several'] = None


class Checked(E.ExtensionType):
    x: tf.Tensor

    def __init__(self, value):
        self.x = value

    def __validate__(self):
        if self.x.dtype != tf.int32:
            raise ValueError('only integers')


class Pair(E.BatchableExtensionType):
    x: tf.Tensor
    y: tf.Tensor


class Sized(E.BatchableExtensionType):
    pair: Pair
    shape: tf.TensorShape
    name: str = 'x'


class Classes(unittest.TestCase):
    def test_fields(self):
        value = Masked([1, 2, 3], mask=[True, False, True])
        self.assertEqual(plain(value.with_default(0)), [1, 0, 3])
        self.assertRegex(repr(value), r'^Masked\(values=<tf.Tensor.*, mask=<tf.Tensor')
        self.assertEqual(E.extension_type.as_dict(value), {'values': value.values, 'mask': value.mask})
        for change in (lambda: setattr(value, 'values', 3), lambda: delattr(value, 'mask'), lambda: setattr(value, 'z', 1)):
            with self.assertRaisesRegex(AttributeError, 'Cannot mutate'):
                change()
        for call, words in ((lambda: Masked([1]), 'missing a required argument'), (lambda: Masked(1, True, 5), 'too many'),
                            (lambda: Masked(1, True, z=5), "unexpected keyword argument 'z'"),
                            (lambda: Masked(1, object()), "mask: expected a Tensor, got 'object'"),
                            (lambda: Several(1, 'x'), "n: expected 'int', got 'str'"),
                            (lambda: Several(1, named=3), "named: expected mapping, got 'int'"),
                            (lambda: Several(1, parts=3), "parts: expected tuple, got 'int'"),
                            (lambda: Several(1, either=1.5), 'either: expected'),
                            (lambda: hash(value), 'unhashable')):
            with self.assertRaisesRegex(TypeError, words):
                call()
        with self.assertRaises(AssertionError):
            E.ExtensionType()
        with self.assertRaisesRegex(TypeError, "In field 'q': Unsupported type annotation"):
            type('Bad', (E.ExtensionType,), {'__annotations__': {'q': list}})
        self.assertEqual(plain(Checked(3).x), 3)
        with self.assertRaisesRegex(ValueError, 'only integers'):
            Checked(1.5)

    def test_structures_in_fields(self):
        value = Several([1, 2], parts=[1, 2.0], named={'k': 1}, maybe=5, either=7, inner=Several(0))
        self.assertEqual([p.dtype for p in value.parts], [tf.int32, tf.float32])
        self.assertEqual((plain(value.named['k']), plain(value.maybe), value.either, value.n), (1, 5, 7, 3))
        self.assertEqual((value.shape, value.inner.inner), (tf.TensorShape([1, 2]), None))
        self.assertEqual([plain(t) for t in tf.nest.flatten(value, expand_composites=True)], [[1, 2], 1, 2.0, 1, 5, 0])
        same = tf.nest.map_structure(lambda t: t + t, value, expand_composites=True)
        self.assertEqual((plain(same.parts[1]), plain(same.inner.a), same.either), (4.0, 0, 7))

    def test_equal(self):
        one = Masked([1, 2], [True, False])
        self.assertTrue(one == Masked([1, 2], [True, False]))
        self.assertTrue(one != Masked([1, 3], [True, False]))
        self.assertIs(one == Masked([1], [True]), False)
        self.assertIs(one == 3, False)

    def test_specs(self):
        wide = Masked.Spec(tf.TensorSpec([None], tf.int32), tf.TensorSpec([None], tf.bool))
        own = tf.type_spec_from_value(Masked([1], [True]))
        self.assertEqual(own, Masked.Spec(values=tf.TensorSpec([1], tf.int32), mask=tf.TensorSpec([1], tf.bool)))
        self.assertTrue(wide.is_compatible_with(Masked([1, 2], [True, True])))
        self.assertEqual(repr(wide), 'Masked.Spec(values=TensorSpec(shape=(None,), dtype=tf.int32, name=None), '
                                     'mask=TensorSpec(shape=(None,), dtype=tf.bool, name=None))')
        self.assertEqual(wide.values, tf.TensorSpec([None], tf.int32))


class InPrograms(unittest.TestCase):
    def test_functions(self):
        @tf.function
        def double(x):
            return Masked(x.values * 2, tf.logical_not(x.mask))
        for numbers in ([1, 2, 3], [4, 5, 6]):
            found = double(Masked(numbers, [True, False, True]))
            self.assertEqual((plain(found.values), plain(found.mask)), ([2 * n for n in numbers], [False, True, False]))
        self.assertEqual(double.experimental_get_tracing_count(), 1)
        double(Masked([1], [True]))
        self.assertEqual(double.experimental_get_tracing_count(), 2)
        concrete = double.get_concrete_function(Masked.Spec(tf.TensorSpec([None], tf.int32), tf.TensorSpec([None], tf.bool)))
        self.assertEqual(plain(concrete(Masked([7, 8], [True, True])).values), [14, 16])

        @tf.function
        def kinds(x):
            return x.a + x.n
        self.assertEqual([plain(kinds(Several(1, n))) for n in (1, 2, 1)], [2, 3, 2])
        self.assertEqual(kinds.experimental_get_tracing_count(), 2)

    def test_branches_loops_and_gradients(self):
        start = Masked([1, 2, 3], [True, False, True])

        @tf.function
        def loop(x):
            for i in tf.range(3):
                x = Masked(x.values + i, x.mask)
            return x
        self.assertEqual(plain(loop(start).values), [4, 5, 6])
        branch = tf.function(lambda c: tf.cond(c, lambda: start, lambda: Masked([0, 0, 0], [True] * 3)))
        self.assertEqual([plain(branch(tf.constant(c)).values) for c in (True, False)], [[1, 2, 3], [0, 0, 0]])
        with tf.GradientTape() as tape:
            value = Masked(tf.constant([1.0, 2.0]), [True, False])
            tape.watch(value.values)
            total = tf.reduce_sum(tf.function(lambda m: m.values ** 2)(value))
        self.assertEqual(plain(tape.gradient(total, value.values)), [2.0, 4.0])

    def test_rows(self):
        pairs = Pair([[1, 2], [3, 4], [5, 6]], [7, 8, 9])
        found = lambda dataset: [(plain(p.x), plain(p.y)) for p in dataset]
        rows = tf.data.Dataset.from_tensor_slices(pairs)
        self.assertEqual(found(rows), [([1, 2], 7), ([3, 4], 8), ([5, 6], 9)])
        self.assertEqual(rows.element_spec, Pair.Spec(x=tf.TensorSpec([2], tf.int32), y=tf.TensorSpec([], tf.int32)))
        self.assertEqual(found(rows.batch(2)), [([[1, 2], [3, 4]], [7, 8]), ([[5, 6]], [9])])
        self.assertEqual(found(rows.batch(2).unbatch()), found(rows))
        self.assertEqual(found(tf.data.Dataset.from_tensors(Masked([1], [True])).map(lambda m: Pair(m.values, 2))),
                         [([1], 2)])
        self.assertEqual(plain(tf.map_fn(lambda p: Pair(p.x * 2, p.y + 1), pairs).x), [[2, 4], [6, 8], [10, 12]])
        self.assertEqual(plain(tf.map_fn(lambda p: tf.reduce_sum(p.x) + p.y, pairs, fn_output_signature=tf.int32)),
                         [10, 15, 20])


    def test_shapes_follow_batches(self):
        value = Sized(Pair(tf.zeros([4, 2]), tf.zeros([4])), [4, 2])
        rows = tf.data.Dataset.from_tensor_slices(value)

        def shapes(data):
            spec = data.element_spec
            return [(s.shape.as_list(), s.pair.x.shape.as_list()) for s in [spec, *data]]
        self.assertEqual(shapes(rows), [([2], [2])] * 5)
        self.assertEqual(shapes(rows.batch(3)), [([None, 2], [None, 2]), ([None, 2], [3, 2]), ([None, 2], [1, 2])])
        self.assertEqual(shapes(rows.batch(2, drop_remainder=True)), [([2, 2], [2, 2])] * 3)
        self.assertEqual(shapes(rows.batch(2).unbatch()), [([2], [2])] * 5)
        whole = tf.data.Dataset.from_tensors(value).batch(3).element_spec
        self.assertEqual((whole.shape.as_list(), whole.name), ([None, 4, 2], 'x'))


class Dispatch(unittest.TestCase):
    def setUp(self):
        self.value = Masked([1, -2], [True, False])

    def add(self, decorator, function):
        self.addCleanup(E.unregister_dispatch_for, decorator(function))

    def test_apis(self):
        self.add(E.dispatch_for_api(tf.add, {'x': Masked, 'y': Masked}),
                 lambda x, y, name=None: Masked(x.values + y.values, x.mask & y.mask))
        self.assertEqual(plain(tf.add(self.value, y=self.value).values), [2, -4])
        self.assertEqual(plain(tf.function(tf.add)(self.value, self.value).values), [2, -4])
        with self.assertRaises((TypeError, ValueError)):
            tf.add(self.value, 3)

        def concat(values: typing.List[Masked], axis):
            return Masked(tf.concat([v.values for v in values], axis), tf.concat([v.mask for v in values], axis))
        self.add(E.dispatch_for_api(tf.concat), concat)
        self.assertEqual(plain(tf.concat([self.value, self.value], 0).values), [1, -2, 1, -2])
        self.assertEqual(plain(tf.concat([[1], [2]], 0)), [1, 2])
        with self.assertRaises(ValueError):
            E.dispatch_for_api(tf.add, {'z': Masked})(concat)

    def test_elementwise(self):
        self.add(E.dispatch_for_unary_elementwise_apis(Masked), lambda api, x: Masked(api(x.values), x.mask))
        self.add(E.dispatch_for_binary_elementwise_apis(Masked, Masked),
                 lambda api, x, y: Masked(api(x.values, y.values), x.mask & y.mask))
        self.assertEqual(plain(tf.abs(self.value).values), [1, 2])
        self.assertEqual(plain(tf.abs(x=self.value).values), [1, 2])
        self.assertEqual(tf.cast(self.value, tf.float32).values.dtype, tf.float32)
        self.assertEqual(plain(tf.ones_like(self.value).values), [1, 1])
        self.assertEqual(plain(tf.multiply(self.value, self.value).values), [1, 4])
        with self.assertRaises(ValueError):
            tf.reduce_sum(self.value)

    def test_arguments_that_are_left_out(self):
        kinds = {'condition': Masked, 'x': typing.Optional[Masked], 'y': typing.Optional[Masked]}
        self.add(E.dispatch_for_api(tf.where, kinds), lambda condition, x=None, y=None, name=None: 'found')
        self.assertEqual([tf.where(self.value), tf.where(self.value, self.value, self.value)], ['found'] * 2)

    def test_what_is_like_a_tensor(self):
        either = typing.Union[Masked, tf.types.experimental.TensorLike]

        def add(x: either, y: either, name=None):
            return Masked(x.values + y, x.mask)
        self.add(E.dispatch_for_api(tf.add), add)
        for other in ([3, 4], tf.Variable([3, 4]), memoryview(tf.constant([3, 4])).tolist(), np.array([3, 4])):
            self.assertEqual(plain(tf.add(self.value, other).values), [4, 2])

    def test_unions_by_an_operator(self):
        def add(x: Masked | int, y: Masked | int, name=None):
            return 'found'
        self.add(E.dispatch_for_api(tf.add), add)
        self.assertEqual([tf.add(self.value, 3), tf.add(3, self.value)], ['found'] * 2)
        self.assertEqual(plain(tf.add(1., 2.)), 3.)

    def test_names_are_scopes(self):
        self.add(E.dispatch_for_unary_elementwise_apis(Masked), lambda api, x: Masked(api(x.values), x.mask))
        self.add(E.dispatch_for_api(tf.add, {'x': Masked}), lambda x, y: Masked(x.values + y.values, x.mask))
        with tf.Graph().as_default():
            value = Masked([1, -2], [True, False])
            self.assertEqual(tf.negative(value, 'less').values.name, 'less/Neg:0')
            self.assertEqual(tf.add(value, value, name='sum').values.op.name.split('/')[0], 'sum')
            self.assertNotIn('/', tf.add(value, value).values.op.name)

    def test_refusals(self):
        add = lambda x, y, name=None: None
        for error, words, api, signatures, own in (
                (TypeError, 'must be dictionaries mapping', tf.add, [[Masked]], add),
                (TypeError, 'must be dictionaries mapping', tf.add, [{None: Masked}], add),
                (TypeError, 'to be callable', tf.add, [{'x': Masked}], 'add'),
                (ValueError, 'at least one signature', tf.add, [], add),
                (ValueError, "unknown parameter 'z'", tf.add, [{'z': Masked}], add),
                (ValueError, 'Type annotation .* is not currently supported', tf.add, [{'x': typing.Tuple[Masked]}], add),
                (ValueError, r"\(x, why, name=None\) does not match API's signature \(x, y, name=None\)", tf.add,
                 [{'x': Masked}], lambda x, why, name=None: None)):
            with self.assertRaisesRegex(error, words):
                E.dispatch_for_api(api, *signatures)(own)
        handler = lambda api, x: x
        self.add(E.dispatch_for_unary_elementwise_apis(Masked), handler)
        with self.assertRaisesRegex(ValueError, 'has already been registered'):
            E.dispatch_for_unary_elementwise_apis(Masked)(lambda api, x: x)

    def test_taken_back(self):
        function = lambda api, x: 'found'
        E.dispatch_for_unary_elementwise_apis(Masked)(function)
        self.assertEqual(tf.abs(self.value), 'found')
        E.unregister_dispatch_for(function)
        with self.assertRaises(ValueError):
            tf.abs(self.value)
        with self.assertRaisesRegex(ValueError, 'was not registered'):
            E.unregister_dispatch_for(function)


class Rows(E.BatchableExtensionType):
    ragged: tf.RaggedTensor
    plain: tf.Tensor


class SpecTest(unittest.TestCase):
    def test_a_spec_is_given_every_field(self):
        of, other = tf.TensorSpec([2]), tf.TensorSpec([2], tf.bool)
        self.assertEqual(Masked.Spec(of, mask=other).mask, other)
        for args, words in (((), "missing a required argument: 'values'"), ((of,), "missing a required argument: 'mask'"),
                            ((of, other, of), 'too many positional arguments'), ((of, 3), "a TypeSpec for 'Tensor'")):
            with self.assertRaisesRegex(TypeError, words):
                Masked.Spec(*args)
        with self.assertRaisesRegex(TypeError, "missing a required argument: 'n'"):
            Several.Spec(of)
        with self.assertRaisesRegex(TypeError, "ragged: expected a TypeSpec for 'RaggedTensor', got 'TensorSpec'"):
            Rows.Spec(of, of)


class RaggedRowsTest(unittest.TestCase):
    def test_rows_and_batches_of_ragged_fields(self):
        value = Rows(tf.ragged.constant([[1, 2], [3], []]), tf.range(3))
        rows = tf.data.Dataset.from_tensor_slices(value)
        self.assertEqual(rows.element_spec.ragged, tf.RaggedTensorSpec([None], tf.int32, 0))
        self.assertEqual([(plain(r.ragged), plain(r.plain)) for r in rows], [([1, 2], 0), ([3], 1), ([], 2)])
        batches = rows.batch(2)
        self.assertEqual([(b.ragged.to_list(), plain(b.plain)) for b in batches], [([[1, 2], [3]], [0, 1]), ([[]], [2])])
        self.assertEqual([plain(r.ragged) for r in batches.unbatch()], [[1, 2], [3], []])

    def test_deeper_rows_in_a_structure(self):
        value = Rows(tf.ragged.constant([[[1, 2], [3]], [[4]], []]), tf.range(3))
        rows = tf.data.Dataset.from_tensor_slices({'v': value, 'x': tf.range(3, 6)})
        self.assertEqual([(r['v'].ragged.to_list(), plain(r['x'])) for r in rows], [([[1, 2], [3]], 3), ([[4]], 4), ([], 5)])
        self.assertEqual([b['v'].ragged.to_list() for b in rows.batch(2)], [[[[1, 2], [3]], [[4]]], [[]]])
        mapped = rows.map(lambda r: tf.reduce_sum(r['v'].ragged) + r['x'])
        self.assertEqual([plain(m) for m in mapped], [9, 8, 5])
