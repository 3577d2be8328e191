"""What libraries over TensorFlow take from its inside: names of symbols, marks of age, dispatchers, structures walked part of the way."""
import collections
import enum
import functools
import inspect
import unittest

import footlight as tf

deprecation, nest, tf_export = tf.python.util.deprecation, tf.python.util.nest, tf.python.util.tf_export
type_spec, type_spec_registry = tf.python.framework.type_spec, tf.python.framework.type_spec_registry
range_op, doc_controls = tf.python.data.ops.range_op, tf.tools.docs.doc_controls
tf_decorator, tf_inspect = tf.python.util.tf_decorator, tf.python.util.tf_inspect
Pair = collections.namedtuple('Pair', 'a b')


class Nest(unittest.TestCase):
    def test_walks_only_as_deep_as_the_shallow_one(self):
        deep = {'b': [1, (2, 3)], 'a': (4, {'x': 5})}
        self.assertEqual(nest.flatten_up_to({'a': (0, 0), 'b': 0}, deep), [4, {'x': 5}, [1, (2, 3)]])
        made = nest.map_structure_up_to(Pair(0, [0]), lambda x, y: (x, y), Pair(1, [{2}]), Pair((3,), [4]))
        self.assertEqual(made, Pair((1, (3,)), [({2}, 4)]))
        self.assertEqual(tf.__internal__.nest.flatten_up_to([0, 0], [[1], 2]), [[1], 2])

    def test_paths(self):
        deep = {'b': [1, 2], 'a': Pair(3, (4,))}
        self.assertEqual(nest.flatten_with_tuple_paths(deep), [
            (('a', 'a'), 3), (('a', 'b', 0), 4), (('b', 0), 1), (('b', 1), 2)])
        self.assertEqual(nest.flatten_with_joined_string_paths(deep)[1], ('a/b/0', 4))
        self.assertEqual(list(nest.yield_flat_paths([5, [6]])), [(0,), (1, 0)])
        self.assertEqual(nest.map_structure_with_tuple_paths(lambda path, x: (path, x), {'k': [7]}), {'k': [(('k', 0), 7)]})

    def test_refuses_other_forms(self):
        for shallow, value, kind, words in (
                ([0], 1, TypeError, 'must also be a sequence'), ([0], (1,), TypeError, 'same sequence type'),
                ([0], [1, 2], ValueError, 'same sequence length'), ({'a': 0}, {'b': 1}, ValueError, 'same keys')):
            with self.assertRaisesRegex(kind, words):
                nest.assert_shallow_structure(shallow, value)
        nest.assert_shallow_structure([0], (1,), check_types=False)

    def test_composites_on_demand(self):
        ragged = tf.ragged.constant([[1], [2, 3]])
        self.assertEqual(len(nest.flatten_up_to([0], [ragged])), 1)
        flat = nest.flatten_up_to([ragged], [ragged], expand_composites=True)
        self.assertEqual([list(one.numpy()) for one in flat], [[1, 2, 3], [0, 1, 3]])
        ragged = tf.ragged.constant([[1]])
        for one in (ragged, ragged._type_spec):
            self.assertEqual([path for path, _ in nest.flatten_with_joined_string_paths({'a': one}, expand_composites=True)],
                             ['a/RaggedTensor/0', 'a/RaggedTensor/1'])

    def test_traverse_shallow_structure(self):
        found = nest.get_traverse_shallow_structure(lambda s: not isinstance(s, tuple), [1, (2, 3), {'a': 4}])
        self.assertEqual(found, [True, False, {'a': True}])
        with self.assertRaisesRegex(TypeError, 'bool'):
            nest.get_traverse_shallow_structure(lambda s: 'yes', 1)


class Names(unittest.TestCase):
    def test_exported_and_public_names(self):
        @tf_export.keras_export('keras.things.thing', v1=['keras.things.old'])
        def thing():
            return 3
        self.assertEqual(thing(), 3)
        self.assertEqual(tf_export.get_canonical_name_for_symbol(thing, api_name='keras'), 'keras.things.thing')
        self.assertIsNone(tf_export.get_canonical_name_for_symbol(thing))
        self.assertIs(tf_export.get_symbol_from_name('keras.things.thing'), thing)
        self.assertEqual(tf_export.get_canonical_name_for_symbol(tf.add), 'math.add')
        self.assertIs(tf_export.get_symbol_from_name('nn.relu'), tf.nn.relu)
        self.assertIsNone(tf_export.get_symbol_from_name('no.such'))
        with self.assertRaises(tf_export.InvalidSymbolNameError):
            tf_export.keras_export('not.keras')

    def test_deprecated(self):
        @deprecation.deprecated(None, 'Use something else.')
        def old(x):
            return x + 1

        @deprecation.deprecated_args('2030-01-01', 'Leave it.', 'flag', ('mode', None))
        def some(x, flag=None, mode=None):
            return x, flag, mode

        @deprecation.deprecated_arg_values('2030-01-01', 'Not so.', mode='slow')
        def slow(mode='fast'):
            return mode
        with self.assertLogs(tf.get_logger(), 'WARNING') as logs:
            self.assertEqual(old(1), 2)
            old(1)
            self.assertEqual(some(1, mode=None), (1, None, None))
            self.assertEqual(some(1, flag=2), (1, 2, None))
            self.assertEqual((slow(), slow('slow')), ('fast', 'slow'))
            with deprecation.silence():
                some(1, mode=3)
        self.assertEqual(len(logs.output), 3)
        self.assertIn('Use something else.', logs.output[0])
        self.assertIn('with flag', logs.output[1])
        self.assertIn('with mode=slow', logs.output[2])
        with self.assertRaisesRegex(ValueError, 'YYYY-MM-DD'):
            deprecation.deprecated('soon', 'Do.')
        self.assertEqual(deprecation.deprecated_argument_lookup('n', None, 'o', 4), 4)

    def test_words_of_what_is_deprecated(self):
        @deprecation.deprecated('2030-01-01', 'Use new.')
        def documented():
            """Does this.

            Returns:
              A thing.
            """

        @deprecation.deprecated_args(None, 'Leave it.', 'flag')
        def some(x, flag=None, **more):
            return x

        @deprecation.deprecated(None, 'Use a dict.')
        class Pair(collections.namedtuple('Pair', 'a b')):
            pass

        @deprecation.deprecated(None, 'Use others.')
        class Kind(enum.Enum):
            ONE = 1
        self.assertEqual(documented.__doc__, 'Does this. (deprecated)\n\nDeprecated: THIS FUNCTION IS DEPRECATED. It will be '
                         'removed after 2030-01-01.\nInstructions for updating:\nUse new.\n\nReturns:\n  A thing.')
        self.assertTrue(some.__doc__.startswith('DEPRECATED FUNCTION ARGUMENTS\n\nDeprecated: SOME ARGUMENTS ARE DEPRECATED: '
                                                '`(flag)`. They will be removed in a future version.'))
        with self.assertLogs(tf.get_logger(), 'WARNING') as logs:
            self.assertEqual(Pair(1, 2).b, 2)
            self.assertIs(Kind(1), Kind.ONE)
            some(1, gone=3)
        self.assertEqual(len(logs.output), 2)
        self.assertIn('IS DEPRECATED', Kind.__doc__)
        with self.assertRaisesRegex(ValueError, r"not present.*\['missing'\]"):
            deprecation.deprecated_args(None, 'Leave it.', 'missing')(lambda x: x)
        with self.assertRaisesRegex(ValueError, '@property appears before @deprecated'):
            deprecation.deprecated(None, 'Leave it.')(property(lambda self: 1))

    def test_functions_seen_through_decorators(self):
        def doubled(x, *, by=2):
            return x * by

        def increased(function):
            def call(x):
                return call.__wrapped__(x) + 1
            return tf_decorator.make_decorator(function, call, decorator_doc='More.')
        both = increased(increased(doubled))
        self.assertEqual((both(3), both.__doc__), (8, 'More.'))
        tf_decorator.rewrap(both, doubled, lambda x: x * 10)
        self.assertEqual(both(3), 32)
        self.assertEqual(tf_inspect.getargspec(doubled), tf_inspect.ArgSpec(['x', 'by'], None, None, (2,)))
        part = functools.partial(lambda a, b, c=3: a, b=5)
        self.assertEqual(tf_inspect.getargspec(part).defaults, (5, 3))
        spec = tf_inspect.FullArgSpec(['a', 'b'], 'rest', None, (1,), [], None, {})
        made = tf_decorator.make_decorator(doubled, lambda *args: args, '', '', spec)
        self.assertEqual(str(inspect.signature(made)), '(a, b=1, *rest)')
        utils = tf.python.util.function_utils
        self.assertEqual((utils.get_func_name(lambda x: x), utils.get_func_code(doubled)), ('<lambda>', doubled.__code__))
        self.assertEqual(utils.get_func_name(self.test_marks_for_documentation),
                         type(self).__name__ + '.test_marks_for_documentation')

    def test_marks_for_documentation(self):
        @doc_controls.do_not_generate_docs
        def hidden():
            return 1
        self.assertEqual(hidden(), 1)
        self.assertTrue(hasattr(hidden, '_tf_docs_do_not_document'))


class Wrapped:
    """Stands for a tensor in calls, as Keras's symbolic ones do."""

    def __init__(self, value):
        self.value = value


class Dispatchers(unittest.TestCase):
    def test_are_asked_for_calls_that_fail(self):
        dispatch = tf.__internal__.dispatch

        class Everywhere(dispatch.GlobalOpDispatcher):
            def handle(self, op, args, kwargs):
                if not any(isinstance(one, Wrapped) for one in args):
                    return self.NOT_SUPPORTED
                return op.__name__, op(*(one.value if isinstance(one, Wrapped) else one for one in args), **kwargs)
        with self.assertRaises((TypeError, ValueError)):
            tf.add(Wrapped(1), 2)
        Everywhere().register()
        name, total = tf.add(Wrapped(1), 2)
        self.assertEqual((name, total.numpy()), ('add', 3))
        with self.assertRaises((TypeError, ValueError)):
            tf.add(object(), 2)
        self.assertEqual(tf.add(1, 2).numpy(), 3)

        @dispatch.add_dispatch_support
        def twice(x):
            return tf.multiply(tf.convert_to_tensor(x), 2)

        @tf.python.util.dispatch.dispatch_for_types(twice, set)
        def twice_of_set(x):
            return {2 * one for one in x}
        self.assertEqual(twice({1, 2}), {2, 4})
        dispatch_for_types = tf.python.util.dispatch.dispatch_for_types
        with self.assertRaisesRegex(AssertionError, 'non-default arguments must be identical'):
            dispatch_for_types(twice, list)(lambda other: other)
        with self.assertRaisesRegex(AssertionError, 'Dispatching not enabled'):
            dispatch_for_types(lambda x: x, list)(lambda x: x)

        @dispatch.add_dispatch_support
        def power(x, exponent=2):
            return tf.convert_to_tensor(x) ** exponent
        dispatch_for_types(power, set)(lambda x: {one ** 2 for one in x})
        self.assertEqual([power({1, 2}), power({3}, exponent=2)], [{1, 4}, {9}])
        with self.assertRaisesRegex(AssertionError, '`exponent` set to a non-default value'):
            power({1, 2}, exponent=3)

        @dispatch.add_dispatch_support
        def scaled(x, by=1000.5, mode='a word', shape=(700, 'b')):
            return tf.convert_to_tensor(x) * by
        dispatch_for_types(scaled, set)(lambda x: x)
        self.assertEqual(scaled({1}, by=float('1000.5'), mode=' '.join(['a', 'word']), shape=(int('700'), 'b')), {1})
        with self.assertRaisesRegex(AssertionError, '`shape` set to a non-default value'):
            scaled({1}, shape=(700, 'c'))
        self.assertEqual(twice(3).numpy(), 6)


class Hooks(unittest.TestCase):
    def test_broadcast_weights(self):
        values = tf.reshape(tf.range(6.), [2, 3])
        broadcast = tf.__internal__.ops.broadcast_weights
        for weights in (2., [[1.], [2.]], [[1., 2., 3.]]):
            self.assertEqual(broadcast(weights, values).shape, [2, 3])
            traced = tf.function(broadcast, input_signature=[tf.TensorSpec(None), tf.TensorSpec(None)])
            self.assertEqual(traced(tf.constant(weights), values).numpy().tolist(), broadcast(weights, values).numpy().tolist())
        with self.assertRaisesRegex(ValueError, 'can not be broadcast'):
            broadcast([1., 2., 3.], values)

    def test_moving_average(self):
        v = tf.Variable(0.)
        move = tf.__internal__.train.assign_moving_average
        move(v, 4., 0.5, zero_debias=False)
        self.assertEqual(v.numpy(), 2.)
        w = tf.Variable(0.)
        move(w, 4., 0.5)
        self.assertEqual(w.numpy(), 4.)
        move(w, 1., 0.5)
        self.assertEqual(w.numpy(), 2.)

    def test_composite_classes_with_other_metaclasses(self):
        import abc

        class Meta(abc.ABCMeta):
            pass

        class Own(tf.__internal__.CompositeTensor, metaclass=Meta):
            pass
        self.assertIsInstance(Own(), tf.__internal__.CompositeTensor)
        self.assertIsInstance(tf.ragged.constant([[1]]), tf.__internal__.CompositeTensor)
        self.assertIsInstance(tf.Variable(1), tf.__internal__.CompositeTensor)
        self.assertNotIsInstance(tf.constant(1), tf.__internal__.CompositeTensor)
        self.assertNotIsInstance(3, tf.__internal__.CompositeTensor)

    def test_kinds(self):
        self.assertIsInstance(tf.data.Dataset.range(3), range_op._RangeDataset)
        self.assertNotIsInstance(tf.data.Dataset.range(3).batch(1), range_op._RangeDataset)
        self.assertIs(tf.python.distribute.input_lib.DistributedDataset, tf.distribute.DistributedDataset)
        self.assertTrue(issubclass(type_spec.BatchableTypeSpec, tf.TypeSpec))

        @type_spec_registry.register('library_names.Spec')
        class Spec(type_spec.BatchableTypeSpec):
            pass
        self.assertEqual(type_spec_registry._NAME_TO_TYPE_SPEC['library_names.Spec'], Spec)
        self.assertEqual(type_spec_registry.get_name(Spec), 'library_names.Spec')
        self.assertEqual(tf.__internal__.execute_fn_for_device({'TPU': lambda: 1}, lambda: 2), 2)
