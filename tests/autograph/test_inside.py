"""Helpers of AutoGraph and of its tests by their places inside of TensorFlow, and what their operators refuse. What is
compared is what TensorFlow 2.21 gives; the words of errors are Footlight's."""
import abc
import collections
import contextlib
import functools
import io
import re
import sys
import types
import unittest
from unittest import mock

from footlight import _alias
_alias.install()

import tensorflow as tf  # noqa: E402
from tensorflow.python.autograph.core import ag_ctx, config, converter, converter_testing  # noqa: E402
from tensorflow.python.autograph.impl import api, conversion  # noqa: E402
from tensorflow.python.autograph.lang import special_functions  # noqa: E402
from tensorflow.python.autograph.operators import control_flow, data_structures, py_builtins, variables  # noqa: E402
from tensorflow.python.autograph.pyct import inspect_utils, parser  # noqa: E402
from tensorflow.python.autograph.utils import (  # noqa: E402
    ag_logging, context_managers, misc, tensor_list, tensors, testing)
from tensorflow.python.eager import context  # noqa: E402
from tensorflow.python.framework import _errors_test_helper  # noqa: E402
from tensorflow.python.ops import list_ops  # noqa: E402
from tensorflow.python.util import function_utils, tf_decorator, tf_inspect  # noqa: E402

c, Dataset = tf.constant, tf.data.Dataset
call = functools.partial(api.converted_call, kwargs=None, options=converter.ConversionOptions(recursive=True))
inside = converter_testing.is_inside_generated_code


def while_stmt(test, step, start, names=('s',), state=True):
    """The last values of a while statement over variables."""
    now = start

    def set_state(values):
        nonlocal now
        now = values

    def body():
        nonlocal now
        now = step(*now)
    control_flow.while_stmt(lambda: test(*now), body, (lambda: now) if state else None, set_state if state else None, names, {})
    return now


def list_of_none():
    return []


def list_of_two():
    return [1, 2]


class Staged(testing.AutoGraphTestCase):
    """What a test case that runs in a function compares afterwards."""

    def test_a_loop(self):
        n = c(5)
        i, s = while_stmt(lambda i, s: i < n, lambda i, s: (i + 1, s * 10 + i), (0, 0), ('i', 's'))
        self.assertEqual(s, 1234)
        self.assertLess(i, 6)
        self.assertOpCreated('StatelessWhile')
        self.assertOpCreated('Mul')  # in the body
        self.assertOpsNotCreated(('While', 'If'))
        self.assertGraphContains('while/mul$', 1)

    def test_a_loop_over_a_dataset_that_may_end_early(self):
        def total(n):
            s, k, seen = tf.zeros([], tf.int64), 0, tf.zeros([0], tf.int64)
            for e in Dataset.range(10):
                tf.autograph.experimental.set_loop_options(shape_invariants=[(seen, tf.TensorShape([None]))])
                if s > n:
                    break
                if e == 1:
                    continue
                s = s * 2 + e
                k += 1
                seen = tf.concat([seen, [e]], 0)
            return s, k, tf.reduce_sum(seen)
        converted = api.to_graph(total)
        self.assertEqual(converted(c(3, tf.int64)), (7, 3, 5))
        self.assertOpCreated('TakeWhileDataset')
        self.assertOpCreated('ScanDataset')
        self.assertOpsNotCreated(('While', 'AnonymousIteratorV3'))
        self.assertEqual(converted(c(10000, tf.int64)), (757, 9, 44))
        self.assertEqual(converted(c(-1, tf.int64)), (0, 0, 0))  # no step at all

    def test_nested_loops_over_datasets_and_what_they_change(self):
        v = self.variable('v', 0, tf.int64)

        def total(n):
            for a in Dataset.range(5):
                for b in Dataset.range(5):
                    if b > a:
                        break
                    v.assign_add(b)
                if v > n:
                    break
        api.to_graph(total)(c(3, tf.int64))
        self.assertEqual(v, 4)

    def test_nothing(self):
        self.assertEqual(while_stmt(lambda s: s < 3, lambda s: (s + 1,), (0,), state=False), (3,))
        self.assertNoOpsCreated()

    def test_a_variable(self):
        v = self.variable('v', 1, tf.int32)
        v.assign_add(2)
        self.assertEqual(v, 3)

    def test_an_error(self):
        self.evaluated = tf.reshape(tf.zeros(tf.random.uniform([1], 2, 3, tf.int32)), [])
        self.assertEqual(self.evaluated, 0)
        self.assertRaisesRuntime(tf.errors.InvalidArgumentError, 'with 2 values, but the requested shape has 1')


class WrongStaged(testing.AutoGraphTestCase):
    """A test that has to fail; not found by the loader, as its name says that it is none of this file's."""

    def test_fails(self):
        self.assertEqual(c(1) + 1, 3)

    def test_fails_at_once(self):
        tf.zeros([])
        self.assertNoOpsCreated()


class Helpers(unittest.TestCase):
    def test_a_test_case_can_fail(self):
        for name in ('test_fails', 'test_fails_at_once'):
            result = unittest.TestResult()
            WrongStaged(name).run(result)
            self.assertEqual(len(result.failures), 1, name)

    def test_limits_of_python_loops(self):
        with mock.patch.object(control_flow, 'PYTHON_MAX_ITERATIONS', 10):
            with self.assertRaisesRegex(ValueError, 'iteration limit'):
                control_flow.while_stmt(lambda: True, lambda: None, None, None, (), {})
            with self.assertRaisesRegex(ValueError, 'iteration limit'):
                control_flow.for_stmt(range(11), None, lambda i: None, None, None, (), {})
        said = io.StringIO()
        with mock.patch.object(control_flow, 'INEFFICIENT_UNROLL_MIN_ITERATIONS', 5), tf.Graph().as_default(), \
                mock.patch.object(ag_logging, 'echo_log_to_stdout', True), contextlib.redirect_stdout(said):
            control_flow.for_stmt(range(5), None, lambda i: tf.abs(c(i)), None, None, (), {})
            self.assertEqual(said.getvalue(), '')
            control_flow.for_stmt(range(9), None, lambda i: tf.abs(c(i)), None, None, (), {})
        self.assertRegex(said.getvalue(), '^WARNING: Large unrolled loop: iteration 6 .*Const, Abs')
        self.assertEqual(said.getvalue().count('Large'), 1)

    def test_what_loops_in_a_graph_refuse(self):
        def fails():
            raise KeyError('testing')
        for words, start, step in (
                ("'s' is not allowed to be None", None, lambda s: (s,)),
                ("'s' must be defined", variables.Undefined('s'), lambda s: (s,)),
                ("(?s)'s' must be defined.*tried to define.*testing", variables.Undefined('s'), lambda s: fails()),
                ("'s' must be defined.*tried to define.*unsupported type", variables.Undefined('s'), lambda s: (object(),))):
            with self.assertRaisesRegex(ValueError, words):
                tf.function(lambda: while_stmt(lambda s: c(True), step, (start,)), autograph=False)()
        with self.assertRaisesRegex(ValueError, 'tried to define.*unsupported type'):  # on tensors that have values too
            while_stmt(lambda s: c(True), lambda s: ([object()],), (variables.Undefined('s'),))
        for wrong in (c(1), c([True, True])):
            with self.assertRaisesRegex(ValueError, 'condition of while loop expected to be `tf.bool`'):
                while_stmt(lambda s: wrong, lambda s: (s,), (0,))
        self.assertEqual(while_stmt(lambda s: c([[bool(s < 2)]]), lambda s: (s + 1,), (0,))[0], 2)
        self.assertEqual(while_stmt(lambda s: c(isinstance(s, variables.Undefined)), lambda s: ([1],), (variables.Undefined('s'),)),
                         ([1],))

    def test_branches_on_tensors_that_have_values(self):
        def choose(condition, nouts=1):
            x = 0

            def body():
                nonlocal x
                x = 1

            def set_state(values):
                nonlocal x
                x, = values
            control_flow.if_stmt(condition, body, lambda: None, lambda: (x,), set_state, ('x',), nouts)
            return x
        self.assertEqual([choose(c(True)), choose(c([[True]])), choose(c(False)), choose(c(True), 0), choose(True)], [1, 1, 0, 0, 1])
        for wrong in (c(1), c([True, False])):
            with self.assertRaisesRegex(ValueError, 'condition of if statement expected to be `tf.bool`'):
                choose(wrong)

    def test_builtins_on_datasets_in_a_graph(self):
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            following = tf.compat.v1.data.make_one_shot_iterator(py_builtins.abs_(Dataset.range(-2, 1))).get_next()
            self.assertEqual([session.run(following) for _ in range(3)], [2, 1, 0])
            with self.assertRaises(tf.errors.OutOfRangeError):
                session.run(following)
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'known length'):
                session.run(py_builtins.len_(Dataset.range(3).repeat()))
            self.assertEqual(session.run(py_builtins.len_(Dataset.range(3))), 3)
            said = io.StringIO()
            with contextlib.redirect_stdout(said):
                session.run(py_builtins.print_(c('text'), [1, 2]))
            self.assertEqual(said.getvalue(), 'text [1, 2]\n')

    def test_default_of_next(self):
        @tf.function(autograph=False)
        def take(default):
            iterator = iter(Dataset.range(1).map(lambda i: {'a': i}))
            return py_builtins.next_(iterator, default)['a'], py_builtins.next_(iterator, default)['a']
        self.assertEqual([int(t) for t in take({'a': c(7, tf.int64)})], [0, 7])
        for words, default in (('default .* float32 .* int64', {'a': c(1.)}), ('same element structure', {'b': c(1)})):
            with self.assertRaisesRegex(TypeError, words):
                take(default)

    def test_operations_of_a_plain_graph(self):
        with tf.Graph().as_default() as graph, tf.compat.v1.Session() as session:
            x = tf.compat.v1.placeholder(tf.int32, [])
            checks = [tf.debugging.Assert(x > 0, ['below']), tf.debugging.assert_less(x, 5),
                      tf.raw_ops.Assert(condition=x > 0, data=['raw'])]
            self.assertEqual([op.type for op in checks], ['Assert'] * 3)
            with tf.control_dependencies(checks):
                y = tf.identity(x)
            self.assertEqual(session.run(y, {x: 1}), 1)
            for wrong in (0, 7):
                with self.assertRaises(tf.errors.InvalidArgumentError):
                    session.run(y, {x: wrong})
            self.assertEqual(tf.print(x).type, 'PrintV2')
            self.assertFalse(tf.inside_function())
            with context.eager_mode():
                self.assertEqual(int(c(1) + 1), 2)
            self.assertIs(tf.compat.v1.get_default_graph(), graph)
        self.assertTrue(tf.function(lambda: c(tf.inside_function()), autograph=False)())

    def test_conversion_in_a_plain_graph(self):
        @api.convert(recursive=True)
        def halved(x, least):
            while tf.reduce_sum(x) > least:
                x //= 2
            return x
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            self.assertEqual(session.run(halved(c([2, 4]), c(1))).tolist(), [0, 1])

    def test_many_lists_at_once(self):
        none = list_ops.empty_tensor_list([], tf.float32, max_num_elements=1)
        one = list_ops.tensor_list_from_tensor([9.], [])

        def contents(lists):
            return [list_ops.tensor_list_stack(each, tf.float32).numpy().tolist() for each in tf.unstack(lists)]
        both = tf.stack([none, one])
        self.assertEqual(contents(list_ops.tensor_list_push_back_batch(both, [1., 2.])), [[1], [9, 2]])
        self.assertEqual(contents(both), [[], [9]])
        push = tf.function(lambda x: list_ops.tensor_list_push_back_batch(tf.stack([none, one]), x), autograph=False)
        self.assertEqual(push.get_concrete_function(c([1., 2.])).outputs[0].shape, [2])
        self.assertEqual(contents(push(c([1., 2.]))), [[1], [9, 2]])
        for lists, rows, words in ((both, [1.], r'tensor.shape\[0\] == input_handles.size'), (both, [1, 2], 'Invalid data type at index 0'),
                                   (both, [[1.], [2.]], 'incompatible shape to a list at index 0'), (one, [1.], 'to be a vector'),
                                   (both, 1., 'at least a vector'), (tf.stack([list_ops.tensor_list_push_back(none, 1.)]), [1.], 'full list')):
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, words):
                list_ops.tensor_list_push_back_batch(lists, rows)
        two = list_ops.tensor_list_from_tensor([1., 2.], [])
        join = list_ops.tensor_list_concat_lists
        self.assertEqual(contents(tf.stack([join(two, one, tf.float32)])), [[1, 2, 9]])
        self.assertEqual(contents(join(tf.stack([one, two]), tf.stack([two, one]), tf.float32)), [[9, 1, 2], [1, 2, 9]])
        for a, b, dtype, words in ((tf.stack([one, two]), one, tf.float32, 'Incompatible input TensorList tensor shapes'),
                                   (one, two, tf.int32, r'input_a\[0\].dtype != element_dtype'),
                                   (one, list_ops.tensor_list_from_tensor([1], []), tf.float32, r'input_b\[0\].dtype'),
                                   (one, list_ops.tensor_list_from_tensor([[1.]], [1]), tf.float32, 'not identical at index 0')):
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, words):
                join(a, b, dtype)
        self.assertEqual(contents(tf.stack([list_ops.tensor_list_scatter([7.], [0], input_handle=two)])), [[7, 2]])
        self.assertEqual(contents(tf.stack([list_ops.tensor_list_resize(two, 1)])), [[1]])

    def test_lists_as_their_converter_writes_them(self):
        from tensorflow.python.autograph.converters import lists
        from tensorflow.python.autograph.lang import directives

        def changed(n):
            kept = special_functions.tensor_list([1, 2, 3])
            directives.set_element_type(kept, dtype=tf.int32, shape=())
            for i in range(n):
                if i != 1:
                    kept.append(i * 10)
            last = kept.pop()
            return last, kept, tf.stack([last, 5])
        case = converter_testing.TestCase('setUp')
        with tf.Graph().as_default():
            last, kept, stacked = case.transform(changed, lists)(4)
            self.assertTrue(tensors.is_tensor_list(case.transform(list_of_none, lists)()))
            self.assertEqual(case.transform(list_of_two, lists)(), [1, 2])
            with tf.compat.v1.Session() as session:
                values = session.run([last, list_ops.tensor_list_stack(kept, tf.int32), stacked])
        self.assertEqual([v.tolist() for v in values], [30, [1, 2, 3, 0, 20], [30, 5]])

    def test_lists_in_tensors(self):
        self.assertTrue(tensors.is_tensor_list(data_structures.new_list()))
        self.assertEqual(data_structures.new_list((3, 4)), [3, 4])
        self.assertEqual(list_ops.tensor_list_stack(data_structures.list_append(data_structures.new_list(), c([1, 2])),
                                                    tf.int32).numpy().tolist(), [[1, 2]])
        kept = list_ops.tensor_list_reserve([None], 2, tf.int32)
        kept = list_ops.tensor_list_set_item(list_ops.tensor_list_set_item(kept, 0, [1]), 2, [4], True)
        self.assertEqual(int(list_ops.tensor_list_length(kept)), 3)
        self.assertEqual(list_ops.tensor_list_get_item(kept, 2, tf.int32).numpy().tolist(), [4])
        kept, last = list_ops.tensor_list_pop_back(list_ops.tensor_list_from_tensor(c([[1], [2]]), [1]), tf.int32)
        self.assertEqual(last.numpy().tolist(), [2])
        self.assertEqual(list_ops.tensor_list_concat(list_ops.tensor_list_push_back(kept, c([5])), tf.int32).numpy().tolist(),
                         [1, 5])
        self.assertEqual(list_ops.tensor_list_gather(kept, [0, 0], tf.int32).numpy().tolist(), [[1], [1]])
        with tf.Graph().as_default():
            with self.assertRaisesRegex(ValueError, 'a list of variant has no elements of int32'):
                data_structures.list_stack(list_ops.empty_tensor_list(None, tf.variant), data_structures.ListStackOpts(tf.int32, None))
        made = tensor_list.TensorList(tf.TensorShape([]), tf.float32)
        made = tensor_list.dynamic_list_append(made, 3.)
        made.append(4.)
        made[0] = c(5.)
        self.assertEqual([float(made.count()), float(made[0]), float(made.pop()), float(made.count())], [2, 5, 4, 1])
        self.assertEqual(tensor_list.dynamic_list_append([1], 2), [1, 2])
        self.assertRaises(ValueError, tensor_list.dynamic_list_append, c([1]), 2)
        for words, wrong in (('unknown type', {1}), ('are required', [])):
            with self.assertRaisesRegex(ValueError, words):
                special_functions.tensor_list(wrong)

    def test_helpers_for_tensors(self):
        array = tf.TensorArray(tf.int32, 1)
        self.assertEqual([tensors.is_tensor_array(x) for x in (array, c(1), None)], [True, False, False])
        self.assertEqual([tensors.is_dense_tensor(x) for x in (c(1), tf.sparse.eye(2), 1)], [True, False, False])
        self.assertEqual(tf.function(lambda: [tensors.is_range_tensor(x) for x in (tf.range(3), c(1))], autograph=False)(),
                         [True, False])
        a, v = c(1), tf.Variable(2)
        same, variable, text = misc.alias_tensors(a, v, 'a')
        self.assertTrue(same is not a and int(same) == 1 and variable is v and text == 'a')
        for i, j, k in ((-3, 3, 2), (3, -3, -2), (0, 5, 5), (2, 1, 3), (1, 2, -1), (0, 4, 3)):
            self.assertEqual(int(misc.get_range_len(c(i), c(j), c(k))), len(range(i, j, k)))
        for value in (None, c(1), array, [c(1), c(2)]):
            with context_managers.control_dependency_on_returns(value):
                pass


class Functions(unittest.TestCase):
    def test_decorators(self):
        def target(a, b=1):
            return a + b

        def wrapper(*args, **kwargs):
            return wrapper.__wrapped__(*args, **kwargs) * 10
        made = tf_decorator.make_decorator(target, wrapper, 'times_ten')
        decorators, inner = tf_decorator.unwrap(made)
        self.assertEqual(([d.decorator_name for d in decorators], inner, made.__name__), (['times_ten'], target, 'target'))
        self.assertEqual((tf_inspect.getfullargspec(made), function_utils.fn_args(made)),
                         (tf_inspect.getfullargspec(target), ('a', 'b')))
        tf_decorator.rewrap(made, target, lambda a: a - 1)
        self.assertEqual(made(3), 20)
        self.assertIs(tf_decorator.rewrap(target, target, wrapper), wrapper)
        self.assertEqual(function_utils.fn_args(functools.partial(target, 1)), ('b',))
        self.assertEqual([function_utils.has_kwargs(f) for f in (lambda **k: 1, made)], [True, False])

        class Kept:
            method = api.do_not_convert(target)
            converted = api.convert()(target)
        self.assertEqual(function_utils.fn_args(Kept().method), ())
        self.assertEqual(tf_inspect.getfullargspec(Kept().converted), tf_inspect.getfullargspec(target))
        self.assertTrue(tf_inspect.ismethod(Kept().method))

    def test_who_is_converted(self):
        class Listed:
            def method(self):
                return inside()

            def __call__(self):
                return inside()

        class Derived(Listed):
            def own(self):
                return inside()

        class Pair(collections.namedtuple('Pair', 'a')):
            def own(self):
                return inside()
        self.assertTrue(call(Listed().method, ()))
        self.assertFalse(inside())
        plain = call(lambda: Derived().own, ())
        Listed.__module__ = 'listed_module'
        with mock.patch.object(config, 'CONVERSION_RULES', (config.DoNotConvert('listed_module'),)), \
                mock.patch.dict(sys.modules, listed_module=types.ModuleType('listed_module')):
            self.assertEqual([call(f, ()) for f in (Derived().method, plain, functools.partial(Listed().method))],
                             [False, True, False])
            self.assertEqual([conversion.is_allowlisted(f) for f in (Listed, Listed().method, Derived().method, Derived().own,
                                                                     Derived, Pair, Pair(1).own, self.test_decorators)],
                             [True, True, True, False, False, True, False, True])
        strange = types.FunctionType(inside.__code__, globals(), 'strange')
        strange.__module__ = types.ModuleType('tensorflow_like')
        self.assertFalse(conversion.is_allowlisted(strange))

    def test_who_calls_a_class(self):
        class Meta(abc.ABCMeta):
            def __call__(cls):
                return inside(), super().__call__()
        self.assertTrue(call(Meta('Made', (), {}), ())[0])
        self.assertFalse(inspect_utils.isconstructor(Meta('Made', (), {})))
        self.assertTrue(inspect_utils.isconstructor(Helpers))
        self.assertTrue(inspect_utils.isnamedtuple(call(collections.namedtuple, ('T', 'a b'))))

    def test_contexts_decide(self):
        @api.do_not_convert
        def convert(status):
            return api.tf_convert(lambda: inside(), ag_ctx.ControlStatusCtx(status))()
        self.assertEqual([convert(ag_ctx.Status[name]) for name in ('ENABLED', 'DISABLED')], [True, False])
        self.assertEqual(tf.function(lambda: c([convert(ag_ctx.Status.ENABLED), inside()]))().numpy().tolist(), [True, True])

        def wrap(f):
            def wrapper(*args):
                return wrapper.__wrapped__(*args)
            return tf_decorator.make_decorator(f, wrapper)
        decorated = wrap(lambda: inside())
        self.assertTrue(api.tf_convert(decorated, ag_ctx.ControlStatusCtx(ag_ctx.Status.ENABLED))())
        self.assertTrue(decorated())  # its target was replaced

    def test_traced_functions_have_no_code(self):
        traced = tf.function(lambda x: x)
        for made in (api.to_code, api.to_graph):
            with self.assertRaisesRegex(api.ConversionError, 'try passing.*python_function'):
                made(traced)
        self.assertTrue(parser.parse(api.to_code(traced.python_function)))
        self.assertEqual(parser.parse_expression('a.b').attr, 'b')
        self.assertRaises(ValueError, parser.parse, 'a\nb')
        self.assertEqual(api.to_graph(api.do_not_convert(lambda: inside()))(), False)

    def test_where_converted_functions_lie(self):
        def doubled(x):
            return x * 2
        first, second = api.to_graph(doubled), api.to_graph(doubled)
        self.assertTrue(first is not second and first.ag_module is second.ag_module is sys.modules[__name__])
        self.assertIn((__file__, doubled.__code__.co_firstlineno + 1), first.ag_source_map)
        self.assertFalse(hasattr(doubled, 'ag_module'))

    def test_what_errors_say_of_the_code(self):
        def inner(x):
            raise ValueError(f'bad {x}')

        def outer(x):
            return inner(x)

        class Own(Exception):
            def __init__(self, a, b):
                super().__init__(a, b)

        def own():
            raise Own(1, 2)

        enabled = ag_ctx.ControlStatusCtx(ag_ctx.Status.ENABLED)
        for run, shown in ((lambda: tf.function(outer)(3), True), (lambda: tf.function(lambda: tf.function(outer)(3))(), True),
                           (lambda: api.tf_convert(outer, enabled)(3), True), (lambda: api.convert()(outer)(3), True),
                           (lambda: call(outer, (3,)), False), (lambda: api.to_graph(outer)(3), False)):
            with self.assertRaisesRegex(ValueError, 'in user code:' if shown else '^bad 3$') as caught:
                run()
            known = caught.exception.ag_error_metadata
            self.assertEqual(known.cause_message, 'ValueError: bad 3')
            frames = known.translated_stack[:2]
            self.assertEqual([(f.function_name, f.filename, f.code.strip(), f.is_converted) for f in frames],
                             [('inner', __file__, "raise ValueError(f'bad {x}')", True), ('outer', __file__, 'return inner(x)', True)])
            self.assertEqual(frames[1].lineno, outer.__code__.co_firstlineno + 1)
            again = known.to_exception(caught.exception)
            self.assertIs(type(again), ValueError)
            self.assertIs(again.ag_error_metadata, known)
            self.assertEqual(str(again), known.get_message())
            if shown:
                self.assertEqual(str(again).strip(), str(caught.exception).strip())
        with self.assertRaises(Own) as caught:
            tf.function(own)()
        self.assertEqual(caught.exception.ag_error_metadata.cause_message, 'Own: (1, 2)')
        self.assertIs(type(caught.exception.ag_error_metadata.to_exception(caught.exception)), api.StagingError)
        with self.assertRaises(ValueError) as caught:
            tf.function(outer, autograph=False)(3)
        self.assertFalse(hasattr(caught.exception, 'ag_error_metadata'))

    def test_errors_by_their_codes(self):
        for code, kind in ((1, tf.errors.CancelledError), (11, tf.errors.OutOfRangeError), (16, tf.errors.UnauthenticatedError)):
            with self.assertRaises(kind) as caught:
                tf.function(_errors_test_helper.TestRaiseFromStatus)(code)
            self.assertEqual(caught.exception.experimental_payloads[b'key1'], b'value1')
        self.assertRaises(ValueError, _errors_test_helper.TestRaiseFromStatus, 99)

    def test_words(self):
        said = io.StringIO()
        with mock.patch.object(ag_logging, 'verbosity_level', 1), contextlib.redirect_stdout(said), \
                mock.patch.object(ag_logging, 'echo_log_to_stdout', True):
            ag_logging.log(1, 'a %s', 'b')
            ag_logging.log(2, 'unwanted')
            ag_logging.error(0, 'wrong')
            ag_logging.warning('careful')
        self.assertEqual(re.sub('\n', ' ', said.getvalue()), 'a b ERROR: wrong WARNING: careful ')


def load_tests(loader, tests, pattern):
    """Without the tests that have to fail."""
    return unittest.TestSuite(loader.loadTestsFromTestCase(case) for case in (Staged, Helpers, Functions))
