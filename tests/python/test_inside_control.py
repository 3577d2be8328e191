"""Control flow by the names inside of TensorFlow, and ops whose attributes are functions; what TensorFlow gives."""
import unittest

import footlight as tf
from footlight import _alias
from folder_case import FolderCase

_alias.install()
from tensorflow.core.function.polymorphism import function_cache  # noqa: E402
from tensorflow.python.autograph.operators import py_builtins  # noqa: E402
from tensorflow.python.ops import cond_v2, functional_ops, while_v2  # noqa: E402
from tensorflow.python.ops.parallel_for import control_flow_ops, gradients  # noqa: E402

raw, c = tf.raw_ops, tf.constant


def lists(values):
    return [value.numpy().tolist() for value in tf.nest.flatten(values)]


class OpsOverFunctions(unittest.TestCase):
    more = tf.function(lambda x: x + 1).get_concrete_function(c(1))
    less = tf.function(lambda x: x - 1).get_concrete_function(c(1))
    small = tf.function(lambda x: x < 10).get_concrete_function(c(1))

    def both(self, f, *args):
        eager, traced = lists(f(*args)), lists(tf.function(f, autograph=False)(*args))
        self.assertEqual(eager, traced)
        return eager

    def test_branches(self):
        for op in (raw.If, raw.StatelessIf):
            def branch(which, op=op):
                return op(cond=which, input=[c(5)], Tout=[tf.int32], then_branch=self.more, else_branch=self.less)
            for which, wanted in ((c(True), 6), (c(False), 4), (c(0), 4), (c(2.), 6), (c(''), 4), (c([1, 2]), 6)):
                self.assertEqual(self.both(branch, which), [wanted])
        for op in (raw.Case, raw.StatelessCase):
            def case(number, op=op):
                return op(branch_index=number, input=[c(5)], Tout=[tf.int32], branches=[self.more, self.less])
            for number, wanted in ((0, 6), (1, 4), (7, 4), (-1, 4)):
                self.assertEqual(self.both(case, c(number)), [wanted])

    def test_loops_and_calls(self):
        for op in (raw.While, raw.StatelessWhile):
            self.assertEqual(self.both(lambda x, op=op: op(input=[x], cond=self.small, body=self.more), c(0)), [10])
        for op in (raw.PartitionedCall, raw.StatefulPartitionedCall):
            self.assertEqual(self.both(lambda x, op=op: op(args=[x], Tout=[tf.int32], f=self.more), c(5)), [6])
        with self.assertRaisesRegex(TypeError, 'a function is wanted'):
            raw.PartitionedCall(args=[c(5)], Tout=[tf.int32], f='more')

    def test_gradients(self):
        square = tf.function(lambda x: x * x).get_concrete_function(c(1.))
        x = c(3.)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = raw.PartitionedCall(args=raw.If(cond=c(True), input=[x], Tout=[tf.float32], then_branch=square,
                                                else_branch=square), Tout=[tf.float32], f=square)[0]
        self.assertEqual(tape.gradient(y, x).numpy(), 108)

    def test_functional_ops(self):
        self.assertEqual(lists(functional_ops.If(c(False), [c(5)], self.more, self.less)), [4])
        self.assertEqual(lists(functional_ops.While([c(0)], self.small, self.more)), [10])
        add = tf.function(lambda i, x: tf.cast(i, tf.float32) + x)
        self.assertEqual(lists(functional_ops.For(1, 5, 1, [0.], add)), [10])

    def test_second_versions(self):
        self.assertEqual(cond_v2.cond_v2(c(False), lambda: 1, lambda: 2, 'which'), 2)
        self.assertEqual(cond_v2.indexed_case(c(1), [lambda: 1, lambda: 2]), 2)
        for same, wanted in ((True, [5]), (False, 5)):
            found = while_v2.while_loop(lambda i: i < 5, lambda i: i + 1, [c(0)], return_same_structure=same)
            self.assertEqual(tf.nest.map_structure(int, found), wanted)


class Parallel(unittest.TestCase):
    def test_pfor(self):
        self.assertEqual(control_flow_ops.pfor(lambda i: i * 2, 3).numpy().tolist(), [0, 2, 4])
        self.assertEqual(control_flow_ops.for_loop(lambda i: i * 2, tf.int32, 3).numpy().tolist(), [0, 2, 4])
        self.assertEqual(tf.function(lambda n: control_flow_ops.pfor(lambda i: i + 1, n))(c(2)).numpy().tolist(), [1, 2])
        for wrong, words in ((0, 'must be None or a positive integer'), (1, 'Use `for_loop` instead')):
            with self.assertRaisesRegex(ValueError, words):
                control_flow_ops.pfor(lambda i: i, 3, parallel_iterations=wrong)
        with self.assertRaises(ValueError):
            control_flow_ops.pfor(lambda i: i, c([1, 2]))

    def test_jacobians(self):
        def f(x):
            y = tf.stack([x[0] * x[1], x[1]])
            return gradients.jacobian(y, x), gradients.jacobian(y, [x, c(1.)], use_pfor=False)
        one, (same, none) = tf.function(lambda x: f(x), autograph=False)(c([1., 2.]))
        self.assertEqual(one.numpy().tolist(), [[2, 1], [0, 1]])
        self.assertEqual(same.numpy().tolist(), [[2, 1], [0, 1]])
        self.assertIsNone(none)
        batch = tf.function(lambda x: gradients.batch_jacobian(x * x, x))(c([[1., 2.], [3., 4.]]))
        self.assertEqual(batch.numpy().tolist(), [[[2, 0], [0, 4]], [[6, 0], [0, 8]]])
        with self.assertRaisesRegex(ValueError, 'Need first dimension'):
            tf.function(lambda x: gradients.batch_jacobian(tf.reduce_sum(x), x))(c([[1.]]))


class Functions(FolderCase):
    def test_what_they_say_of_their_parameters(self):
        @tf.function
        def f(x, y=2, *a, z=3, **k):
            return x + y
        spec = f.function_spec
        self.assertEqual((spec.fullargspec.args, spec.arg_names, spec.default_values), (['x', 'y'], ['x', 'y'], {'y': 2, 'z': 3}))
        self.assertEqual((spec.input_signature, spec.flat_input_signature, spec.is_pure), (None, None, False))
        g = tf.function(lambda x: x, input_signature=[[tf.TensorSpec([]), tf.TensorSpec([2])]])
        self.assertEqual([s.shape.rank for s in g.function_spec.flat_input_signature], [0, 1])

    def test_flat_calls(self):
        factor = c(3)
        made = tf.function(lambda x, y: {'b': x * factor, 'a': [x - y, None]}).get_concrete_function(
            tf.TensorSpec([], tf.int32, 'first'), y=tf.TensorSpec([], tf.int32))
        self.assertEqual((made._arg_keywords, made._num_positional_args), (['first', 'y'], 2))
        found = made._call_flat([c(5), c(1)], made.captured_inputs)
        self.assertEqual((int(found['b']), int(found['a'][0]), found['a'][1]), (15, 4, None))
        self.assertEqual(int(made._call_flat([c(5), c(1)], [c(10)])['b']), 50)

    def test_what_is_not_saved(self):
        seen = []

        @tf.function
        def f():
            graph = tf.compat.v1.get_default_graph()
            seen.append(graph.saveable)
            graph.mark_as_unsaveable('it reads a clock')
            return c(1)
        module = tf.Module()
        module.f = f
        f()
        self.assertEqual((seen, f.get_concrete_function().graph.saveable), ([True], False))
        with self.assertRaisesRegex(ValueError, 'Unable to save function .*(?s:.*)it reads a clock'):
            tf.saved_model.save(module, self.folder)

    def test_caches_and_builtins(self):
        self.assertEqual(len(function_cache.FunctionCache()), 0)
        self.assertIn(sorted, py_builtins.SUPPORTED_BUILTINS)
        self.assertIs(py_builtins.BUILTIN_FUNCTIONS_MAP['next'], py_builtins.next_)


class Arguments(unittest.TestCase):
    def test_arrays_take_the_dtype_of_a_signature(self):
        import numpy as np
        for dtype, value, wanted in (('float32', np.array([1., 2.5]), [1, 2.5]), ('float32', np.array([1, 2]), [1, 2]),
                                     ('int32', np.array([1, 2], np.int64), [1, 2]), ('int64', np.array([1.7, 2.]), [1, 2]),
                                     ('float64', np.array([True, False]), [1, 0]), ('complex64', np.array([1, 2j]), [1, 2j])):
            f = tf.function(lambda x: x, input_signature=[tf.TensorSpec([None], dtype)])
            found = f(value)
            self.assertEqual((found.dtype, found.numpy().tolist()), (dtype, wanted))
        f = tf.function(lambda x: x, input_signature=[tf.TensorSpec([], tf.float32)])
        self.assertEqual([float(f(x)) for x in (np.float64(1.5), np.int64(3), 2)], [1.5, 3, 2])
        for wrong in (tf.constant(1.5, tf.float64), np.array([1.]), 'a', np.array('a')):
            with self.assertRaises(TypeError):
                f(wrong)

    def test_loops(self):
        for arguments, kind, words in (
                ((1, lambda i: i, [0]), TypeError, "'cond' must be callable"), ((lambda i: True, 1, [0]), TypeError, "'body' must be"),
                ((lambda: True, lambda: 1, []), ValueError, "'loop_vars' must be provided")):
            for run in (tf.while_loop, tf.function(tf.while_loop, autograph=False)):
                with self.assertRaisesRegex(kind, words):
                    run(*arguments)
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'must be a scalar, but it has shape'):
            tf.function(lambda: tf.while_loop(lambda i: tf.stack([True, False]), lambda i: i, [0]), autograph=False)()
        one = tf.function(lambda: tf.while_loop(lambda i: [i < 3], lambda i: i + 1, [0]), autograph=False)
        self.assertEqual(int(one()[0]), 3)


class OldNames(unittest.TestCase):
    def test_names_in_graphs(self):
        with tf.Graph().as_default() as graph, tf.compat.v1.Session() as session:
            x = tf.constant(1, name='x')
            for kind, words, look in (
                    (ValueError, "'x' refers to an Operation, not a Tensor", lambda: graph.get_tensor_by_name('x')),
                    (ValueError, r"'y' looks like an \(invalid\) Operation name", lambda: graph.get_tensor_by_name('y')),
                    (KeyError, "operation, 'x', exists but only has 1 outputs", lambda: graph.get_tensor_by_name('x:1')),
                    (KeyError, "operation, 'y', does not exist in the graph", lambda: graph.get_tensor_by_name('y:0')),
                    (KeyError, "'y' refers to an Operation not in the graph", lambda: graph.get_operation_by_name('y')),
                    (TypeError, 'Cannot interpret feed_dict key as Tensor: .*does not exist', lambda: session.run(x, {'y:0': 1})),
                    (TypeError, 'has invalid type "NoneType". Cannot be None', lambda: session.run(None))):
                with self.assertRaisesRegex(kind, words):
                    look()

    def test_variables_of_custom_gradients(self):
        v = tf.Variable(3.)
        f = tf.custom_gradient(lambda x: (x * v, lambda dy: dy))
        x = c(2.)
        with self.assertRaisesRegex(TypeError, "must accept keyword argument 'variables', since function uses variables"):
            with tf.GradientTape() as tape:
                tape.watch(x)
                f(x)

    def test_gradients_in_graphs(self):
        v1 = tf.compat.v1
        with tf.Graph().as_default(), v1.Session() as session:
            x = c([3., 1.])
            y = tf.function(lambda x: x ** 3)(x)
            self.assertEqual(session.run(v1.gradients(y, x, colocate_gradients_with_ops=True))[0].tolist(), [27, 3])
            self.assertEqual(session.run(v1.gradients(y, [x], stop_gradients=[x], grad_ys=c([1., 10.])))[0].tolist(), [27, 30])
            self.assertEqual(session.run(v1.hessians(tf.reduce_sum(y), x))[0].tolist(), [[18, 0], [0, 6]])

    def test_a_list_of_one_from_branches(self):
        cond = tf.compat.v1.cond
        self.assertEqual(cond(True, lambda: [1], lambda: [2]), 1)
        self.assertEqual(cond(True, lambda: [1], lambda: [2], strict=True), [1])
        found = tf.function(lambda which: cond(which, lambda: [1], lambda: [2]))(c(False))
        self.assertEqual([int(x) for x in found], [2])

    def test_wrapped_functions_make_variables(self):
        def body(x):
            v = tf.compat.v1.get_variable('a', initializer=2.)
            w = tf.compat.v1.Variable(5.)
            return v * x + w
        wrapped = tf.compat.v1.wrap_function(body, [tf.TensorSpec([], tf.float32)])
        self.assertEqual(float(wrapped(c(3.))), 11)
        self.assertEqual(len(wrapped.variables), 2)
        wrapped.variables[0].assign(10.)
        self.assertEqual(float(wrapped(c(3.))), 35)

    def test_what_may_not_be_fetched(self):
        with tf.Graph().as_default() as graph, tf.compat.v1.Session() as session:
            x = c(1)
            graph.prevent_fetching(x.op)
            self.assertFalse(graph.is_fetchable(x))
            with self.assertRaisesRegex(ValueError, 'not fetchable'):
                session.run(x)
