"""What TensorFlow's modules of AutoGraph let tests and libraries do with conversions: transform functions by converters, register
types with operators, ask which functions are converted and how. What is compared is what TensorFlow 2.21 gives."""
import collections
import copy
import functools
import types
import unittest

from footlight import _alias
_alias.install()

import tensorflow as tf  # noqa: E402
from tensorflow.python.autograph.converters import call_trees, functions, slices  # noqa: E402
from tensorflow.python.autograph.core import ag_ctx, config, converter, converter_testing  # noqa: E402
from tensorflow.python.autograph.impl import api, conversion  # noqa: E402
from tensorflow.python.autograph.impl.testing import pybind_for_testing  # noqa: E402
from tensorflow.python.autograph.lang import directives  # noqa: E402
from tensorflow.python.autograph.operators import control_flow, data_structures, py_builtins  # noqa: E402
from tensorflow.python.autograph.utils import tensors, type_registry  # noqa: E402
from tensorflow.python.ops import list_ops  # noqa: E402

inside = converter_testing.is_inside_generated_code


class Base:
    def tripled(self, x):
        return 3 * x


class Derived(Base):
    def tripled(self, x):
        return super().tripled(x) + 1


def set_first(values, x):
    values[0] = x
    return values[0], values


def sets_inner(values):
    values[0][1] = 5
    values.x[1] = values[1:]
    return values[0, 1]


def first_of_ints(values):
    directives.set_element_type(values, tf.int32)
    return values[0]


def marks(mark, x):
    @mark(x)
    def inner():
        return x
    return inner


class Transform(converter_testing.TestCase):
    def test_elements(self):
        changed = self.transform(set_first, slices)
        self.assertEqual(changed([1, 2], 4), (4, [4, 2]))
        self.assertEqual([value.tolist() for value in self.evaluate(changed(tf.constant([1, 2]), 4))], [4, [4, 2]])
        of_text = self.transform(first_of, slices)
        self.assertEqual(self.evaluate(of_text(tf.constant('abc'))), b'a')
        self.assertEqual(of_text([4, 5]), 4)
        kept = list_ops.tensor_list_from_tensor([7, 8], [])
        self.assertEqual(self.evaluate(self.transform(first_of_ints, slices)(kept)), 7)

    def test_elements_as_to_code_writes_them(self):
        code = api.to_code(set_first, experimental_optional_features=converter.Feature.LISTS)
        self.assertIn('values = ag__.set_item(ag__.ld(values), 0, ag__.ld(x))', code)
        self.assertIn('ag__.get_item(ag__.ld(values), 0, opts=ag__.GetItemOpts(element_dtype=None))', code)
        self.assertIn('ag__.ld(values)[1:]', api.to_code(sets_inner, experimental_optional_features=converter.Feature.LISTS))
        self.assertNotIn('get_item', api.to_code(set_first))

    def test_methods_that_call_super(self):
        self.assertEqual(self.transform(Derived.tripled, (functions, call_trees))(Derived(), 2), 7)

    def test_lambdas(self):
        y = 3
        self.assertEqual(self.transform(lambda x, z=2: x + y + z if x else y, functions)(1), 6)

    def test_generated_code_knows_that_it_is(self):
        changed, tree, _ = self.transform(calls_inside, functions, include_ast=True)
        self.assertEqual((changed(), calls_inside(), type(tree).__name__), (True, False, 'FunctionDef'))

    def test_decorators_of_inner_functions_may_give_anything(self):
        changed = self.transform(marks, (functions, call_trees))
        function, x = changed(lambda x: lambda f: (f, x), 3)
        self.assertTrue(api.is_autograph_artifact(function))
        self.assertEqual((function(), x), (3, 3))


def first_of(values):
    return values[0]


def calls_inside():
    return inside()


class Registered(unittest.TestCase):
    def test_the_first_type_that_fits_counts(self):
        registry = type_registry.TypeRegistry()
        registry.register(Base, 'base')
        registry.register(Derived, 'derived')
        self.assertEqual([registry.lookup(o) for o in (Base(), Derived())], ['base', 'base'])
        self.assertRaises(LookupError, registry.lookup, 1)
        self.assertRaises(KeyError, registry.register, Base, 1)

    def test_operators_ask(self):
        class Own:
            pass
        for name in 'abs all any enumerate len next print sorted zip'.split():
            getattr(py_builtins, name + '_registry').register(Own, lambda *args, name=name, **named: name)
            self.assertEqual(getattr(py_builtins, name + '_')(Own()), name)
        for name in 'filter map'.split():
            getattr(py_builtins, name + '_registry').register(Own, lambda *args, name=name, **named: name)
            self.assertEqual(getattr(py_builtins, name + '_')(abs, Own()), name)
        seen = []
        control_flow.for_loop_registry.register(Own, lambda values, extra, body, *state: [body(i) for i in range(3)])
        control_flow.for_stmt(Own(), None, seen.append, lambda: (), lambda values: None, (), {})
        self.assertEqual(seen, [0, 1, 2])
        self.assertEqual([py_builtins.len_([1]), py_builtins.abs_(-2)], [1, 2])

    def test_lists_say_what_is_missing(self):
        kept = list_ops.tensor_list_from_tensor([7, 8], [])
        with self.assertRaisesRegex(ValueError, 'set_element_type'):
            data_structures.list_pop(kept, None, data_structures.ListPopOpts(None, None))


class Builtins(unittest.TestCase):
    def test_elements_that_are_tuples_are_one_argument_of_map(self):
        pairs = tf.data.Dataset.zip((tf.data.Dataset.range(1, 3), tf.data.Dataset.range(3, 5)))

        @tf.function
        def sums():
            s = tf.zeros([], tf.int64)
            for e in map(lambda pair: pair[0] * pair[1], pairs):
                s += e
            for e in map(lambda a, b: a[1] * b[0], pairs, pairs):
                s += e
            return s
        self.assertEqual(int(sums()), 22)

    def test_rows_of_any_length_are_counted(self):
        rows = tf.ragged.constant([[1], [2, 3]])
        self.assertEqual((int(tf.function(lambda: len(rows))()), py_builtins.len_(rows)), (2, 2))
        counted = tf.function(lambda rows: len(rows),
                              input_signature=[tf.RaggedTensorSpec([None, None], tf.int32)])
        self.assertEqual(int(counted(rows)), 2)
        self.assertTrue(tensors.is_dense_tensor(rows))


class WhoIsConverted(unittest.TestCase):
    def test_rules(self):
        self.assertIn('collections', [rule._prefix for rule in config.CONVERSION_RULES])
        self.assertEqual(config.DoNotConvert('a').get_action(types.ModuleType('a.b')), config.Action.DO_NOT_CONVERT)
        self.assertTrue(all(map(conversion.is_allowlisted, (copy.copy, collections.namedtuple, tf.add))))
        self.assertFalse(any(map(conversion.is_allowlisted, (calls_inside, len, Derived().tripled))))
        self.assertTrue(all(map(conversion.is_unsupported, (copy.copy, Base, functools.lru_cache(len), types))))
        self.assertFalse(any(map(conversion.is_unsupported, (calls_inside, functools.partial(len), Derived().tripled))))

    def test_what_was_kept_of_functions(self):
        options, others = converter.ConversionOptions(), converter.ConversionOptions(recursive=True)
        self.assertFalse(conversion.is_in_allowlist_cache(set_first, options))
        conversion.cache_allowlisted(set_first, options)
        self.assertEqual([conversion.is_in_allowlist_cache(set_first, o) for o in (options, others)], [True, False])
        conversion.cache_allowlisted([], options)
        self.assertFalse(conversion.is_in_allowlist_cache([], options))

    def test_without_recursion_only_the_function_itself(self):
        def call(recursive):
            return api.converted_call(lambda: (inside(), calls_inside()), (), None,
                                      options=converter.ConversionOptions(recursive=recursive))
        self.assertEqual([call(False), call(True)], [(True, False), (True, True)])

    def test_to_graph_converts_where_conversion_is_off(self):
        def status():
            return ag_ctx.control_status_ctx().status, calls_inside()
        made = api.to_graph(status)
        self.assertEqual(made.__name__, 'tf__status')
        with ag_ctx.ControlStatusCtx(ag_ctx.Status.DISABLED):
            self.assertEqual(made(), (ag_ctx.Status.ENABLED, True))

    def test_unconverted_functions_say_so(self):
        self.assertEqual(api.do_not_convert(calls_inside).autograph_info__, {})
        self.assertFalse(hasattr(calls_inside, 'autograph_info__'))
        made = pybind_for_testing.TestClassDef()
        self.assertIsNotNone(api.converted_call(made.method, (), None, options=converter.ConversionOptions(recursive=True)))

    def test_options_as_an_expression(self):
        import ast
        self.assertEqual(ast.unparse(converter.STANDARD_OPTIONS.to_ast()), 'ag__.STD')
        options = converter.ConversionOptions(recursive=True, user_requested=True, optional_features=converter.Feature.LISTS)
        from footlight._autograph import ag as _ag
        self.assertEqual(eval(ast.unparse(options.to_ast()), {'ag__': _ag}), options)
