"""AutoGraph's operators and functions by their places inside of TensorFlow, eagerly and in a graph. The values are those
that TensorFlow 2.21 gives."""
import functools
import unittest

from footlight import _alias
_alias.install()

import tensorflow as tf  # noqa: E402
from tensorflow.python.autograph.converters import control_flow as converters  # noqa: E402
from tensorflow.python.autograph.core import ag_ctx, config, converter, converter_testing, function_wrappers  # noqa: E402
from tensorflow.python.autograph.impl import api, conversion  # noqa: E402
from tensorflow.python.autograph.lang import directives, special_functions  # noqa: E402
from tensorflow.python.autograph.operators import (  # noqa: E402
    conditional_expressions, control_flow, data_structures, exceptions, logical, py_builtins, slices, variables)

c, Dataset = tf.constant, tf.data.Dataset
InvalidArgument = tf.errors.InvalidArgumentError


def plain(x):
    if isinstance(x, Dataset):
        return [plain(element) for element in x]
    if isinstance(x, (tuple, list)):
        return [plain(one) for one in x]
    found = x.numpy() if tf.is_tensor(x) else x
    return getattr(found, 'tolist', lambda: found)()


class Base:
    def twice(self, x):
        return x * 2


class Derived(Base):
    def twice(self, x):
        raise AssertionError('not the base')

    def through_super(self, x):
        with function_wrappers.FunctionScope('f', 'test_scope', converter.ConversionOptions()) as test_scope:
            def inner():
                return py_builtins.super_in_original_context(super, (), test_scope).twice(x)
            return inner(), py_builtins.super_in_original_context(super, (Derived, self), test_scope).twice(x)


def sign(x, y=1):
    if x < 0:
        return -x, y
    return x, y


def choose(x):
    if x < 0:
        x = -x
    return x


class Places(unittest.TestCase):
    def gives(self, wanted, f, ways=('eager', 'graph')):
        """What f gives, or the class that it raises."""
        for way in ways:
            with self.subTest(way):
                run = tf.function(f, autograph=False) if way == 'graph' else f
                if isinstance(wanted, type):
                    self.assertRaises(wanted, run)
                else:
                    self.assertEqual(plain(run()), wanted)

    def test_builtins(self):
        b = py_builtins
        self.gives([1, 2], lambda: b.abs_(c([-1, 2])))
        self.gives([[1, 5], [2, 2]], lambda: b.abs_(Dataset.zip((
            Dataset.from_tensor_slices([-1, 2]), Dataset.from_tensor_slices([-5, 2])))), ('eager',))
        self.gives([1., 1.5, 10.], lambda: (b.float_(c(1)), b.float_(c('1.5')), b.float_('10.0')))
        self.gives([1, 1, 3, 0], lambda: (b.int_(c(1.7)), b.int_(c('1'), 10), b.int_('11', 2), b.int_()))
        self.gives(NotImplementedError, lambda: b.int_(c(1.), 2))
        self.gives([2, 5, 3, 3], lambda: (
            b.len_(c([[1], [2]])), b.len_(tf.TensorArray(tf.int32, size=5)), b.len_(Dataset.range(3)),
            b.len_(data_structures.tf_tensor_list_new([3, 4, 5]))))
        self.gives(InvalidArgument, lambda: b.len_(Dataset.range(5).repeat()))
        self.gives(InvalidArgument, lambda: b.len_(Dataset.range(5).filter(lambda _: True)))
        self.gives([3, 8, 1, 0], lambda: (b.max_(c([1, 3])), b.max_(c(6), c(8)), b.min_(c([3, 1])), b.min_(0, 2)))
        self.gives(ValueError, lambda: b.max_(c([[2]])))
        self.gives([[0, 1], [1, 2], [2, 1], []], lambda: (
            b.range_(c(2)), b.range_(1, c(3)), b.range_(2, 0, c(-1)), b.range_(c(-3))))
        self.gives([3, 2, 1], lambda: b.sorted_(c([2, 3, 1]), key=lambda x: -x))
        self.gives(ValueError, lambda: b.sorted_(c([[4, 3], [2, 1]])))
        self.gives([[20, b'a'], [21, b'c']], lambda: b.enumerate_(Dataset.from_tensor_slices(['a', 'c']), c(20, tf.int64)),
                   ('eager',))
        self.gives([5, 7], lambda: b.map_(lambda x, y: x + y, Dataset.range(2), Dataset.range(5, 7)), ('eager',))
        self.gives(ValueError, lambda: b.any_(Dataset.range(3)))
        self.gives([True, False], lambda: [f(Dataset.from_tensor_slices([True, False])) for f in (b.any_, b.all_)])
        self.assertEqual([b.overload_of(len), b.overload_of(sum)], [b.len_, sum])

    def test_loops_on_tensors_that_have_values(self):
        def loop(start, step, over=c([1, 2]), opts=None):
            s = start() if callable(start) else start

            def body(i):
                nonlocal s
                s = step(i, s)

            def set_state(values):
                nonlocal s
                s, = values
            control_flow.for_stmt(over, None, body, lambda: (s,), set_state, ('s',), opts or {})
            return s
        self.assertEqual(plain(loop(0, lambda i, s: s * 10 + i)), 12)
        self.assertTrue(tf.is_tensor(loop(4, lambda i, s: s, tf.zeros([0]))))
        for words, kind, start, step in (
                ("'s' is not allowed to be None", ValueError, None, lambda i, s: s),
                ("'s' must be defined", ValueError, variables.Undefined('s'), lambda i, s: s),
                ("'s' is None at the end", ValueError, 0, lambda i, s: None),
                ("'s' has dtype int32 .* dtype float32 after", TypeError, 0, lambda i, s: 1.0),
                (r"'s' has shape \(\) .* shape \(1,\) after", ValueError, 0, lambda i, s: [1])):
            with self.assertRaisesRegex(kind, words):
                loop(start, step)
        grows = tf.zeros([0], tf.int32)
        self.assertEqual(plain(loop(grows, lambda i, s: tf.concat([s, [i]], 0), opts={
            'shape_invariants': [(grows, tf.TensorShape([None]))]})), [1, 2])
        self.assertRaises(ValueError, loop, 0, lambda i, s: s, c(3))

    def test_errors(self):
        from tensorflow.python.autograph.pyct import errors
        self.assertTrue(issubclass(api.StagingError, api.AutoGraphError) and issubclass(api.AutoGraphError, errors.PyCTError))
        self.assertTrue(issubclass(errors.UnsupportedLanguageElementError, NotImplementedError))

    def test_builtins_that_see_their_caller(self):
        def f():
            seen = 1  # noqa: F841
            with function_wrappers.FunctionScope('f', 'test_scope', converter.ConversionOptions()) as test_scope:
                def inner():
                    seen = 2  # noqa: F841
                    return (py_builtins.eval_in_original_context(eval, ('seen',), test_scope),
                            py_builtins.locals_in_original_context(test_scope)['seen'])
                return inner(), api.converted_call(eval, ('seen',), {}, test_scope)
        self.assertEqual(f(), ((2, 2), 1))
        self.assertEqual(Derived().through_super(4), (8, 8))

    def test_lists(self):
        d = data_structures

        def stacked(values, dtype=tf.int32):
            return d.list_stack(values, d.ListStackOpts(dtype, None))
        self.gives([3, 4], lambda: stacked(d.tf_tensor_list_new([3, 4])))
        self.gives([3, 4], lambda: stacked(d.tf_tensor_list_new(c([3, 4]))))
        self.gives([1, 2], lambda: stacked(d.list_append(d.tf_tensor_list_new([1]), 2)))
        self.gives([3, 4], lambda: d.tf_tensor_array_new([3, 4]).stack())
        for make in (d.tf_tensor_list_new, d.tf_tensor_array_new):
            self.gives(ValueError, lambda: make([3, 4], element_dtype=tf.float32))
        for wrong, shape in (([3, [4, 5]], None), ([3, 4], (2,))):
            self.gives(ValueError, lambda: d.tf_tensor_array_new(wrong, element_shape=shape))
        self.gives(ValueError, lambda: d.tf_tensor_list_new(c([1, 2]), element_shape=[1]))
        self.gives(ValueError, lambda: stacked(d.tf_tensor_list_new([3]), None))
        self.gives(ValueError, lambda: d.list_append(c([1]), 2))
        options = d.ListPopOpts(tf.int32, ())

        def popped():
            rest, last = d.list_pop(d.tf_tensor_list_new([3, 4]), None, options)
            return stacked(rest), last
        self.gives([[3], 4], popped)
        self.gives([[2, 3], 1], lambda: d.list_pop([1, 2, 3], 0, options))
        self.gives(NotImplementedError, lambda: d.list_pop(d.tf_tensor_list_new([3, 4]), 0, options))
        item = slices.GetItemOpts(tf.int32)
        self.gives([4, b'b', [5, 4]], lambda: (
            slices.get_item(d.tf_tensor_list_new([3, 4]), 1, item), slices.get_item(c('abcd'), 1, item),
            stacked(slices.set_item(d.tf_tensor_list_new([3, 4]), 0, 5))))
        self.gives([1, 2], lambda: special_functions.stack(special_functions.tensor_list([1, 2]), tf.int32))
        self.gives(ValueError, lambda: special_functions.tensor_list([]))
        self.gives(ValueError, lambda: special_functions.stack([1, 2]))
        self.assertIsNone(directives.set_element_type([], tf.int32))

    def test_statements_and_expressions(self):
        def loop(values, extra=None):
            total = 0

            def set_state(state):
                nonlocal total
                (total,) = state

            def body(i):
                nonlocal total
                total = total * 10 + i
            control_flow.for_stmt(values, extra and (lambda: extra(total)), body, lambda: (total,), set_state, ('total',), {})
            return total
        self.gives([123, 123, 12], lambda: (loop([1, 2, 3]), loop(c([1, 2, 3])), loop(c([1, 2, 3]), lambda s: s < 10)))
        true, false = (lambda: c(True)), (lambda: c(False))
        self.gives([False, True, True, False], lambda: (
            logical.and_(true, false), logical.or_(false, true), logical.not_(false()), logical.eq(c(1), c(2))))
        self.gives([1, 2], lambda: [conditional_expressions.if_exp(c(v), lambda: 1, lambda: 2, '') for v in (True, False)])
        self.gives(ValueError, lambda: exceptions.assert_stmt(True, 'no function'))
        self.gives(InvalidArgument, lambda: exceptions.assert_stmt(c(False), lambda: ['m']) is None)
        undefined = variables.ldu(lambda: {}['a'], "d['a']")
        self.assertEqual(repr(undefined), "d['a']")
        self.assertRaises(UnboundLocalError, variables.ld, undefined)

    def test_conversion(self):
        call = functools.partial(api.converted_call, options=converter.ConversionOptions(recursive=True))
        for f, wanted in (
                (lambda: call(sign, (c(-1),), None), [1, 1]),
                (lambda: call(functools.partial(sign, y=2), (c(-1),), None), [1, 2]),
                (lambda: api.convert(recursive=True)(sign)(c(-1)), [1, 1])):
            self.gives(wanted, f, ('eager',))
            self.gives(TypeError, f, ('graph',))  # there it is off
        enabled, disabled = (ag_ctx.ControlStatusCtx(ag_ctx.Status[name]) for name in ('ENABLED', 'DISABLED'))
        self.gives([1, 1], lambda: api.tf_convert(sign, enabled)(c(-1)))
        self.gives(TypeError, lambda: api.tf_convert(sign, disabled)(c(-1)), ('graph',))
        self.assertEqual([api.is_autograph_artifact(f) for f in (len, sign, api.to_graph(sign), api.do_not_convert(sign))],
                         [False, False, True, True])
        for wrong in (len, 'text'):
            self.assertRaises(api.ConversionError, api.to_graph, wrong)
        self.assertEqual([conversion.is_allowlisted(f) for f in (sign, tf.constant)], [False, True])
        self.assertEqual([conversion.is_unsupported(f) for f in (sign, len, Base)], [False, False, True])

    def test_status(self):
        seen = []

        def note():
            seen.append(ag_ctx.control_status_ctx().status.name)
            return 1
        note()
        tf.function(note)()
        tf.function(note, autograph=False)()
        api.do_not_convert(note)()
        with ag_ctx.ControlStatusCtx(ag_ctx.Status.ENABLED):
            note()
            api.call_with_unspecified_conversion_status(note)()
        self.assertEqual(seen, ['UNSPECIFIED', 'ENABLED', 'DISABLED', 'DISABLED', 'ENABLED', 'UNSPECIFIED'])
        rule = config.DoNotConvert('a')
        self.assertEqual([rule.matches(name) for name in ('a', 'a.b', 'ab')], [True, True, False])


class Testing(converter_testing.TestCase):
    def test_transform(self):
        with tf.compat.v1.Session() as session:
            self.assertEqual(session.run(self.transform(choose, converters)(tf.constant(-3))), 3)
        with self.assertPrints('said\n'):
            print('said')

    def test_transform_with_other_operators(self):
        calls = []

        def call(f, args, kwargs, *_):
            calls.append((args, kwargs))
            return f(*args, **(kwargs or {}))
        offset = 20

        def f(g, *xs, **named):
            if named:
                return g(*xs, **named) + offset
            return g(g(1) + 1) + offset
        made = self.transform(f, converters, ag_overrides={'converted_call': call})
        self.assertEqual(made(lambda x: x * 3), 32)
        self.assertEqual(made(lambda x, y: x - y, 7, y=2), 25)
        self.assertEqual(calls, [((1,), None), ((4,), None), ((7,), {'y': 2})])
        self.assertEqual(self.transform(choose, converters, ag_overrides={'ld': lambda x: x + 1})(1), 2)

    def test_transform_with_all_features(self):
        def f(x, y):
            """What it says."""
            def inner(z):
                return z + 1
            assert x > 0, 'not so'
            return x == y, inner(y)
        made = self.transform(f, converters)
        self.assertEqual(made.__doc__, 'What it says.')
        same, more = made(tf.constant(5), tf.constant(5))
        self.assertEqual((same.dtype, same.op.name[:2]), (tf.bool, 'f/'))
        self.assertEqual(more.op.inputs[0].name[:8], 'f/inner/')
        with self.cached_session() as session:
            self.assertEqual(session.run([same, more]), [True, 6])
            with self.assertRaisesRegex(InvalidArgument, 'not so'):
                session.run(made(tf.constant(0), tf.constant(1))[1])

    def test_transform_of_what_is_not_defined(self):
        def loop(n, x):
            d = {}
            while n < 5:
                if n == 0:
                    d['key'] = x
                else:
                    d['key'] = d['key'] + 1
                n += 1
            return d
        with self.assertRaisesRegex(ValueError, r"'d\['key'\]' must be defined before the loop"):
            self.transform(loop, converters)(tf.constant(0), 0)

        def changes_outer(i):
            def inner():
                nonlocal n
                if i == 0:
                    n = i - 1
            n = 3
            inner()
            return n
        made = self.transform(changes_outer, converters)
        self.assertEqual((made(1), made(0)), (3, -1))
