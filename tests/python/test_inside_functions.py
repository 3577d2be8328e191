"""Functions, their graphs and gradients by the names inside of TensorFlow; what TensorFlow gives."""
import logging
import pickle
import unittest

import footlight as tf
from footlight import _alias

_alias.install()
from tensorflow.core.function.capture import capture_container  # noqa: E402
from tensorflow.core.function.polymorphism import function_cache  # noqa: E402
from tensorflow.python.eager import (  # noqa: E402
    backprop, backprop_util, cancellation, context, def_function, lift_to_graph, record, wrap_function)
from tensorflow.python.eager.polymorphic_function import (  # noqa: E402
    attributes, concrete_function, function_type_utils, polymorphic_function, tracing_compilation)
from tensorflow.python.framework import (  # noqa: E402
    auto_control_deps, func_graph, function_def_to_graph, ops, tensor_shape, tensor_spec, tensor_util, test_ops, test_util)
from tensorflow.python.ops import control_flow_ops, control_flow_util, default_gradient  # noqa: E402
from tensorflow.python.ops.parallel_for import control_flow_ops as parallel  # noqa: E402
from tensorflow.python.platform import tf_logging  # noqa: E402
from tensorflow.python.saved_model import nested_structure_coder  # noqa: E402
from tensorflow.python.util import object_identity, tf_contextlib, tf_decorator, variable_utils  # noqa: E402

c, S = tf.constant, tf.TensorSpec


@tf.function
def traced_by_name(x):
    return x

class Graphs(unittest.TestCase):
    def test_traced_graphs(self):
        x = tf.Variable(2.)
        graph = func_graph.func_graph_from_py_func('f', lambda a: {'y': a * x}, (S([], tf.float32),), {})
        self.assertIsInstance(graph, func_graph.FuncGraph)
        self.assertEqual((graph.name, len(graph.inputs), len(graph.captures), list(graph.structured_outputs)),
                         ('f', 2, 1, ['y']))
        frozen = func_graph.func_graph_from_py_func('f', lambda a: a * x, (S([], tf.float32),), {}, capture_by_value=True)
        self.assertEqual((len(frozen.inputs), len(frozen.captures)), (1, 0))
        concrete = concrete_function.ConcreteFunction.from_func_graph(graph, None, {})
        self.assertEqual(concrete(c(3.))['y'].numpy(), 6)
        self.assertIsInstance(concrete, concrete_function.ConcreteFunction)

    def test_graphs_built_by_hand(self):
        outside = c(2.)
        with tf.Graph().as_default() as around:
            graph = func_graph.FuncGraph('g')
        self.assertIs(graph.outer_graph, around)
        with graph.as_default():
            a = tf.compat.v1.placeholder(tf.float32, [])
            self.assertIs(graph.capture(outside), graph.capture(outside))
            y = a * outside
        graph.inputs, graph.outputs, graph.structured_outputs = [a], [y], {'y': y}
        self.assertEqual([pair[0] is outside for pair in graph.captures], [True])
        with graph.as_default():
            self.assertIs(graph.capture(outside), graph.internal_captures[0])
        self.assertEqual(concrete_function.ConcreteFunction.from_func_graph(graph, None, {})(c(4.))['y'].numpy(), 8)

    def test_captures_while_tracing(self):
        outside = c(1.)

        @tf.function
        def f():
            inside = ops.get_default_graph().capture(outside)
            self.assertIs(inside.graph, ops.get_default_graph())
            self.assertIs(ops.get_default_graph().capture(outside), inside)
            return inside + 1
        self.assertEqual(f().numpy(), 2)
        self.assertEqual(len(f.get_concrete_function().graph.captures), 1)
        with self.assertRaisesRegex(RuntimeError, 'not being built'):
            f.get_concrete_function().graph._capture(outside)

    def test_captures_at_each_call(self):
        def now():
            return c(2.)

        @tf.function
        def f():
            graph = ops.get_default_graph()
            found = [graph.capture_call_time_value(now, S([], tf.float32), key='k') for _ in range(2)]
            self.assertEqual((graph.deferred_external_captures, len(graph.deferred_internal_captures)), ([now], 1))
            return found[0] + found[1]
        self.assertEqual(f().numpy(), 4)

    def test_callbacks_at_the_end_of_a_trace(self):
        done = []

        @tf.function
        def inner(x):
            ops.add_exit_callback_to_default_func_graph(lambda: done.append('inner'))
            return x + 1

        @tf.function
        def outer(x):
            ops.add_exit_callback_to_default_func_graph(lambda: done.append('outer'))
            self.assertEqual(done[-1:] or ['outer'], ['outer'])
            return inner(x)
        outer(c(1.))
        self.assertEqual(done, ['inner', 'outer'])
        outer(c(2.))
        outer(c([1.]))
        self.assertEqual(done, ['inner', 'outer'] * 2)
        with self.assertRaisesRegex(RuntimeError, 'Cannot add scope exit callbacks when not building a function'):
            ops.add_exit_callback_to_default_func_graph(print)

    def test_function_def_to_graph(self):
        definition = tf.function(lambda a, b: (a + b, a * b)).get_concrete_function(c(1), c(2)).function_def
        graph = function_def_to_graph.function_def_to_graph(definition)
        self.assertEqual((len(graph.inputs), len(graph.outputs)), (2, 2))
        self.assertEqual([t.numpy() for t in concrete_function.ConcreteFunction.from_func_graph(graph, None, {})(c(3), c(4))],
                         [7, 12])
        message, names = function_def_to_graph.function_def_to_graph_def(definition)
        self.assertEqual([node.op for node in message.node[:2]], ['Placeholder'] * 2)
        self.assertIn(definition.signature.input_arg[0].name, names)
        with self.assertRaisesRegex(ValueError, 'Length of `input_shapes`'):
            function_def_to_graph.function_def_to_graph_def(definition, [tf.TensorShape([])])

    def test_lifting(self):
        with tf.Graph().as_default():
            a = tf.compat.v1.placeholder(tf.float32, [])
            y = a * 2 + 1
        into = func_graph.FuncGraph('into')
        found = lift_to_graph.lift_to_graph([y], into, add_sources=True)
        self.assertIs(found[y].graph, into)
        with self.assertRaises(lift_to_graph.UnliftableError):
            lift_to_graph.lift_to_graph([y], into)
        with tf.Graph().as_default() as graph:
            tf.multiply(tf.compat.v1.placeholder(tf.float32, [], name='x'), 5., name='y')
        self.assertEqual(wrap_function.function_from_graph_def(graph.as_graph_def(), 'x:0', 'y:0')(c(2.)).numpy(), 10)

    def test_watched_variables(self):
        a, b, fixed = tf.Variable(1.), tf.Variable(2.), tf.Variable(3., trainable=False)
        with record.VariableWatcher() as outer:
            a.read_value()
            with record.VariableWatcher() as inner:
                b.assign_add(b.read_value() * fixed)
        self.assertEqual([v is one for v, one in zip(outer.watched_variables(), (a, b))], [True, True])
        self.assertEqual([v is b for v in inner.watched_variables()], [True])

    def test_lifted_captures(self):
        a, b = tf.Variable(1.), tf.Variable(2.)
        traced = tf.function(lambda: b - a).get_concrete_function().graph
        into = func_graph.FuncGraph('into')
        found = lift_to_graph.lift_to_graph(traced.outputs, into, add_sources=True, handle_captures=True)
        self.assertEqual([t.name for t in into.internal_captures], [t.name for t in traced.internal_captures])
        into.outputs = [found[traced.outputs[0]]]
        self.assertEqual(concrete_function.ConcreteFunction.from_func_graph(into, None, {})()[0].numpy(), 1)

    def test_the_graph_of_graph_mode(self):
        with tf.Graph().as_default() as graph, context.graph_mode():
            c(1)
        self.assertEqual(len(graph.get_operations()), 1)
        with context.graph_mode():
            self.assertFalse(tf.executing_eagerly())

    def test_effects_in_graphs(self):
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            v = tf.Variable(1., name='v')
            self.assertEqual((v.op.name, v.op.type), ('v', 'VarHandleOp'))
            session.run(v.initializer)
            with tf.control_dependencies([v.assign_add(2.)]):
                after = tf.identity(c(7))
            self.assertEqual((session.run(after), session.run(v)), (7, 3))
            late = control_flow_ops.with_dependencies([v.assign(9.)], c(1))
            self.assertEqual((session.run(late), session.run(v)), (1, 9))
            with auto_control_deps.AutomaticControlDependencies() as scope:
                v.assign(4.)
                given = scope.mark_as_return(c(2))
            self.assertEqual((session.run(given), session.run(v)), (2, 4))

    def test_branches_that_return_operations(self):
        v = tf.Variable(0.)

        @tf.function
        def f(which):
            tf.cond(which, lambda: tf.group(v.assign(1.)), lambda: tf.group(v.assign(2.)))
        for which, wanted in ((True, 1), (False, 2)):
            f(c(which))
            self.assertEqual(v.numpy(), wanted)
        with tf.Graph().as_default():
            with self.assertRaisesRegex(TypeError, 'pred must not be a Python bool'):
                tf.compat.v1.cond(True, lambda: c(1), lambda: c(2))


def add_one(x):
    return x + 1


class Functions(unittest.TestCase):
    def test_pickled(self):
        f = tf.function(add_one, input_signature=[S([])], autograph=False, reduce_retracing=True,
                        experimental_implements='one')
        for made in (pickle.loads(pickle.dumps(f)), f._clone(add_one)):
            self.assertEqual((made._name, made.input_signature, made._autograph, made._reduce_retracing, made._attributes),
                             ('add_one', (S([]),), False, True, f._attributes))
            self.assertEqual(made(c(1.)).numpy(), 2)
        self.assertEqual(f._attributes['_implements'].s, b'one')
        self.assertIs(pickle.loads(pickle.dumps(traced_by_name)), traced_by_name)
        with self.assertRaises((AttributeError, pickle.PicklingError)):
            pickle.dumps(tf.function(lambda x: x))

    def test_copies(self):
        f = def_function.function(lambda x: x + 1)
        self.assertIsInstance(f, polymorphic_function.Function)
        self.assertNotIsInstance(print, polymorphic_function.Function)
        self.assertEqual((f._clone(lambda x: x + 5)(c(1)).numpy(), f(c(1)).numpy()), (6, 2))
        with self.assertRaisesRegex(ValueError, 'cannot be decorated after they have been traced'):
            f._decorate(lambda g: g)
        f = def_function.function(lambda x: x + 1)
        f._decorate(lambda g: lambda x: g(x) * 10)
        self.assertEqual(f(c(1)).numpy(), 20)

        def named(x):
            return x
        self.assertIs(tf_decorator.unwrap(tf.function(named))[1], named)
        self.assertEqual(tf.function(named)._name, 'named')

    def test_tracing_compilation(self):
        cache = function_cache.FunctionCache()
        options = tracing_compilation.TracingOptions(lambda x: x + 1, name='plus', function_cache=cache)
        for value, traces in ((1, 1), (2, 1), (2., 2)):
            self.assertEqual(tracing_compilation.call_function((c(value),), tracing_options=options).numpy(), value + 1)
            self.assertEqual(len(cache), traces)
        self.assertIn(b'plus', tracing_compilation.trace_function((c(1),), tracing_options=options).name)
        with self.assertRaisesRegex(ValueError, 'does not support `nope` as an attribute'):
            tracing_compilation.TracingOptions(lambda x: x, attributes={'nope': 1})
        self.assertTrue(attributes.parse_func_attrs({attributes.NO_INLINE: True})['_noinline'].b)

    def test_parameters(self):
        spec = function_type_utils.FunctionSpec.from_function_and_signature(lambda x, y=3: 0, None)
        self.assertEqual((spec.arg_names, spec.default_values, spec.input_signature), (['x', 'y'], {'y': 3}, None))
        bound = function_type_utils.canonicalize_function_inputs((1,), {}, spec.function_type, spec.default_values)
        self.assertEqual(bound.args, (1, 3))
        with self.assertRaisesRegex(TypeError, 'Binding inputs to tf.function failed'):
            function_type_utils.bind_function_inputs((1, 2, 3), {}, spec.function_type)
        spec = function_type_utils.FunctionSpec.from_function_and_signature(lambda x: 0, [S([2], tf.int32)], jit_compile=True)
        self.assertEqual((spec.flat_input_signature, spec.jit_compile), ((S([2], tf.int32),), True))
        self.assertTrue(function_type_utils.is_same_structure([1, {'a': 2}], [3, {'a': 4}]))
        self.assertFalse(function_type_utils.is_same_structure([1], [2], check_values=True))

    def test_atomic_functions_and_captures(self):
        v = tf.Variable(5)
        atomic = tf.function(lambda x: x + v).get_concrete_function(c(1)).inference_fn
        self.assertEqual([t.numpy() for t in atomic.call_flat(c(2), v.handle)], [7])
        self.assertEqual(atomic.definition.signature.name, atomic.name.decode())
        captures, x = capture_container.FunctionCaptures(), c(1.)
        captures.add_or_replace(1, x, 'inside')
        captures.add_or_replace('k', lambda: 3, 'by reference', is_by_ref=True)
        self.assertEqual((captures.by_val_internal[1], len(captures.capture_types)), ('inside', 2))
        self.assertIs(captures.pop(1)[0], x)
        self.assertEqual((len(captures.by_val_external), list(captures.get_by_ref_snapshot())), (0, ['k']))

    def test_cancellation(self):
        manager = cancellation.CancellationManager()
        f = manager.get_cancelable_function(tf.function(lambda x: x + 1).get_concrete_function(c(1)))
        self.assertEqual(f(c(2)).numpy(), 3)
        manager.start_cancel()
        with self.assertRaises(tf.errors.CancelledError):
            f(c(2))

    def test_words_of_errors(self):
        def made():
            return tf.Variable(1.)
        refuses = tf.function(lambda x: 1 if x else 2, autograph=False)
        for f, kind, words in (
                (lambda: refuses(c(True)), TypeError, 'Using a symbolic `tf.Tensor` as a Python `bool` is not allowed'),
                (lambda: tf.function(made)(), ValueError, 'singleton tf.Variable'),
                (lambda: tf.function(object)(), TypeError, 'must return zero or more Tensors'),
                (lambda: tf.gradients(c(1.), c(1.)), RuntimeError, 'not supported when eager execution'),
                (lambda: tf.GradientTape().gradient(c(1.), c(1.), unconnected_gradients='x'), ValueError,
                 "Unknown value for unconnected_gradients: 'x'")):
            with self.assertRaisesRegex(kind, words):
                f()


class Gradients(unittest.TestCase):
    def test_functions_that_give_gradients(self):
        v = tf.Variable(3.)
        value, grads = backprop.val_and_grad_function(lambda x, y: x * x * y)(c(3.), c(2.))
        self.assertEqual([t.numpy() for t in (value, *grads)], [18, 12, 9])
        self.assertEqual([t.numpy() for t in backprop.gradients_function(lambda x, y: x * y, ['y'])(c(3.), c(2.))], [3])
        self.assertEqual(backprop.gradients_function(lambda x, y: x * y, [0, 1])(*[c(3.)] * 2)[0].numpy(), 3)
        (grad, variable), = backprop.implicit_grad(lambda: v * v)()
        self.assertEqual((grad.numpy(), variable is v), (6, True))
        self.assertEqual(backprop.implicit_val_and_grad(lambda: v * v)()[0].numpy(), 9)
        with self.assertRaisesRegex(ValueError, 'No trainable variables'):
            backprop.implicit_grad(lambda: c(1.))()
        self.assertEqual(backprop.make_vjp(lambda x: x * x)(c(3.))[1](c(2.))[0].numpy(), 12)
        self.assertEqual([backprop_util.IsTrainable(t) for t in (c(1.), tf.int32, tf.resource)], [True, False, True])
        self.assertEqual(default_gradient.get_zeros_dtype(c(1.)), tf.float32)

    def test_recording(self):
        self.assertFalse(record.could_possibly_record())
        x = c(2.)
        with tf.GradientTape(persistent=True) as tape:
            self.assertTrue(record.could_possibly_record())
            tape.watch(x)
            with record.stop_recording():
                self.assertFalse(record.could_possibly_record())
                y, z = x * 3, x * 4
            record.record_operation('Own', [y], [x], lambda dy: [dy * 100.])
        self.assertEqual(tape.gradient(y, x).numpy(), 100)
        self.assertIsNone(tape.gradient(z, x))

    def test_watching_integers_warns(self):
        with self.assertLogs('tensorflow', logging.WARNING) as logs, tf.GradientTape() as tape:
            tape.watch(c(1))
        self.assertIn('The dtype of the watched tensor must be floating', logs.output[0])


class Others(unittest.TestCase):
    def test_context(self):
        now = context.context()
        now.ensure_initialized()
        self.assertTrue(now.executing_eagerly() and context.executing_eagerly() and ops.executing_eagerly_outside_functions())
        self.assertIn('CPU:0', now.devices()[0])
        self.assertFalse(ops.inside_function())
        self.assertTrue(tf.function(lambda: c(ops.inside_function()))().numpy())
        self.assertEqual((ops.strip_name_scope('a/b', 'a'), ops.prepend_name_scope('^b', 'a')), ('b', '^a/b'))
        self.assertLess(ops.uid(), ops.uid())

    def test_specs(self):
        bounded = tensor_spec.BoundedTensorSpec([2], tf.float32, 0., [1., 2.])
        self.assertEqual(bounded, tensor_spec.BoundedTensorSpec.from_spec(bounded))
        self.assertNotEqual(bounded, tensor_spec.BoundedTensorSpec([2], tf.float32, 0., 3.))
        with self.assertRaisesRegex(ValueError, 'not compatible'):
            tensor_spec.BoundedTensorSpec([3], tf.float32, [0., 1.], 1.)
        self.assertEqual(tensor_shape.as_shape([1, None]).as_list(), [1, None])
        self.assertEqual(tensor_util.constant_value_as_shape(c([1, -1])).as_list(), [1, None])
        self.assertEqual(c([[1, 2]])._shape_tuple(), (1, 2))
        structure = (S([None], tf.float32, 'x'), {'a': 1, 'b': [True, None, 2.5]})
        self.assertEqual(nested_structure_coder.decode_proto(nested_structure_coder.encode_structure(structure)), structure)
        self.assertFalse(nested_structure_coder.can_encode(object()))

    def test_utilities(self):
        one, other = [1], [1]
        by_identity = object_identity.ObjectIdentityDictionary()
        by_identity[one] = 3
        self.assertEqual((one in by_identity, other in by_identity, list(by_identity)[0] is one), (True, False, True))
        self.assertEqual(len(object_identity.ObjectIdentitySet([one, one, other])), 2)

        @tf_contextlib.contextmanager
        def manager():
            yield 1
        with manager() as given:
            self.assertEqual(given, 1)
        self.assertEqual(variable_utils.convert_variables_to_tensors([tf.Variable(2.)])[0].numpy(), 2)
        with self.assertLogs('tensorflow', logging.INFO) as logs:
            for _ in range(3):
                tf_logging.log_first_n(tf_logging.WARN, 'seen %d', 2, 5)
        self.assertEqual([r.getMessage() for r in logs.records], ['seen 5'] * 2)
        with self.assertRaises(AttributeError):
            test_ops.no_such_op

    def test_help_for_tests(self):
        kinds = []

        class Tests(tf.test.TestCase):
            @test_util.build_as_function_and_v1_graph
            def both(self):
                kinds.append(ops.get_default_graph().building_function)
        Tests('both').both()
        self.assertEqual(kinds, [False, True])
        with tf.Graph().as_default() as graph:
            tf.identity(1., name='same')
        self.assertEqual(list(test_util.assert_ops_in_graph({'same': 'Identity'}, graph)), ['same'])
        with self.assertRaisesRegex(ValueError, "'Add' in the graph, found Identity"):
            test_util.assert_ops_in_graph({'same': 'Add'}, graph)
        self.assertTrue(control_flow_util.ENABLE_CONTROL_FLOW_V2)
        self.assertFalse(control_flow_util.IsSwitch(graph.get_operation_by_name('same')))

    def test_sparse_results_of_parallel_loops(self):
        def row(i):
            return {'s': tf.SparseTensor(tf.reshape(tf.cast(i, tf.int64), [1, 1]), [i], [4]), 'i': i}
        for run in (parallel.pfor, tf.function(parallel.pfor, autograph=False)):
            found = run(row, 3)
            self.assertEqual(tf.sparse.to_dense(found['s']).numpy().tolist(), [[0] * 4, [0, 1, 0, 0], [0, 0, 2, 0]])
            self.assertEqual(found['i'].numpy().tolist(), [0, 1, 2])
