"""Order and state in graphs: control_dependencies, group, tuple, critical sections, and traces called with other captures."""
import unittest

import footlight as tf


def types_of(function, *args):
    return [op.type for op in function.get_concrete_function(*args).graph.get_operations()]


class Order(unittest.TestCase):
    def test_control_dependencies(self):
        @tf.function
        def f(x):
            with tf.control_dependencies([tf.abs(x, name='first')]):
                y = tf.identity(x, name='second')
                with tf.control_dependencies(None):
                    z = tf.negative(x, name='third')
            return y + z
        graph = f.get_concrete_function(tf.constant(1.)).graph
        by_name = {op.name: op for op in graph.get_operations()}
        self.assertEqual([c.name for c in by_name['second'].control_inputs], ['first'])
        self.assertEqual(by_name['third'].control_inputs, [])
        self.assertEqual(float(f(tf.constant(2.))), 0.)

    def test_eagerly_functions_are_called(self):
        called = []
        with tf.control_dependencies([lambda: called.append(1), tf.constant(1)]):
            self.assertEqual(called, [1])

    def test_group(self):
        v = tf.Variable(1)

        @tf.function
        def f():
            done = tf.group(v.assign(5), [v.assign_add(1)], name='both')
            self.assertEqual((done.type, done.name), ('NoOp', 'both'))
            self.assertEqual([c.type for c in done.control_inputs], ['AssignAddVariableOp'])
            with tf.control_dependencies([done]):
                return v.read_value()
        self.assertEqual(int(f()), 6)
        self.assertIsNone(tf.group(tf.constant(1)))
        with self.assertRaises(ValueError):
            tf.group(other=1)
        with self.assertRaises(TypeError):
            tf.function(lambda: tf.group('text') and 1)()

    def test_tuple(self):
        @tf.function
        def f(x):
            a, b = tf.tuple([x + 1, x * 2])
            self.assertEqual(a.op.type, 'Identity')
            self.assertEqual([c.type for c in a.op.control_inputs], ['NoOp'])
            return a + b
        self.assertEqual(int(f(tf.constant(3))), 10)
        with self.assertRaises(ValueError):
            tf.tuple([])

    def test_name_scope(self):
        names = []

        @tf.function
        def f():
            with tf.name_scope('outer'), tf.name_scope('inner'):
                names.append(tf.get_current_name_scope())
            return 0
        f()
        with tf.name_scope('eager'):
            names.append(tf.get_current_name_scope())
        self.assertEqual(names, ['outer/inner', 'eager'])
        self.assertEqual(tf.get_current_name_scope(), '')

    def test_critical_section(self):
        v, section = tf.Variable(0), tf.CriticalSection(name='one')

        @tf.function
        def f():
            return section.execute(lambda: v.assign_add(2))
        self.assertEqual((section.name, int(f()), int(section.execute(lambda: v + 1))), ('one', 2, 3))

    def test_exclusive_cases(self):
        yes = tf.constant(True)
        for run in (lambda f: f, tf.function):
            with self.assertRaises(tf.errors.InvalidArgumentError):
                run(lambda: tf.case([(yes, lambda: 1), (yes, lambda: 2)], exclusive=True))()


class Functions(unittest.TestCase):
    def test_other_captures(self):
        a, b = tf.constant(10.), tf.constant(2.)

        @tf.function
        def f(x, *, y):
            return {'r': x * a + y - b}
        concrete = f.get_concrete_function(tf.constant(1.), y=tf.constant(0.))
        self.assertEqual(float(concrete(tf.constant(3.), y=tf.constant(1.))['r']), 29.)
        inference = concrete.inference_fn
        self.assertIsInstance(inference, tf.types.experimental.AtomicFunction)
        x = tf.constant(3.)
        with tf.GradientTape() as tape:
            other = tf.constant(100.)
            tape.watch(other)
            y = inference.call_with_captures((x,), {'y': tf.constant(1.)}, [other, b])['r']
        self.assertEqual((float(y), float(tape.gradient(y, other))), (299., 3.))
        with self.assertRaises(ValueError):
            inference(x, y=x)
        with self.assertRaises(ValueError):
            inference.call_with_captures((x,), {'y': x}, [b])
        self.assertEqual(float(tf.function(lambda t: f(t, y=t)['r'])(x)), 31.)

    def test_function_types(self):
        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
        def f(x):
            return x
        kind = f.function_type
        self.assertIsInstance(kind, tf.types.experimental.FunctionType)
        self.assertEqual(kind.parameters['x'].annotation, tf.TensorSpec([None], tf.float32))
        concrete = f.get_concrete_function()
        self.assertIsInstance(concrete.function_type, tf.types.experimental.FunctionType)
        self.assertEqual(str(concrete.function_type), '(x: TensorSpec(shape=(None,), dtype=tf.float32, name=None)) -> '
                                                      'TensorSpec(shape=(None,), dtype=tf.float32, name=None)')
        self.assertEqual(list(concrete.function_type.parameters), ['x'])
        self.assertIsInstance(f, tf.types.experimental.Callable)
        self.assertIs(tf.types.experimental.GenericFunction, tf.types.experimental.PolymorphicFunction)
        with self.assertRaisesRegex(ValueError, "jit_compile=True"):
            f.experimental_get_compiler_ir(tf.constant([1.]))

    def test_graph_members(self):
        @tf.function
        def f(x):
            return tf.abs(x, name='size')
        graph = f.get_concrete_function(tf.constant(1.)).graph
        self.assertEqual([op.name for op in graph.operations], ['x', 'size', 'Identity'])
        self.assertEqual((graph.num_operations(), graph.version, graph.building_function), (3, 3, True))
        size = graph.as_graph_element('size')
        self.assertEqual(size.values()[0].name, graph.as_graph_element('size:0').name)
        self.assertEqual(size.colocation_groups(), [b'loc:@size'])
        self.assertEqual(graph.as_graph_element(size), size)
        with self.assertRaises(ValueError):
            graph.as_graph_element('size', allow_operation=False)
        with self.assertRaises(TypeError):
            graph.as_graph_element(3)

    def test_branches_in_graph_def(self):
        @tf.function
        def f(i, x):
            return tf.switch_case(i, [lambda k=k: x * k for k in range(12)])
        definition = f.get_concrete_function(tf.constant(1), tf.constant(2.)).graph.as_graph_def()
        case = [n for n in definition.node if n.op == 'StatelessCase'][0]
        names = [g.name for g in case.attr['branches'].list.func]
        self.assertEqual([n.split('_branch')[1].split('_')[0] for n in names], [str(k) for k in range(12)])
        self.assertEqual(set(names), {g.signature.name for g in definition.library.function})
        self.assertEqual(sorted(case.attr), ['Tin', 'Tout', '_lower_using_switch_merge', '_read_only_resource_inputs',
                                             'branches', 'output_shapes'])

    def test_protocols(self):
        protocol = tf.types.experimental.SupportsTracingProtocol

        class Typed:
            def __tf_tracing_type__(self, context):
                return None
        self.assertIsInstance(Typed(), protocol)
        self.assertNotIsInstance(3, protocol)
        with self.assertRaises(TypeError):
            tf.types.experimental.TraceType()

    def test_functions_over_rows_are_converted(self):
        def size(t):
            if t > 0:
                found = t
            else:
                found = -t
            return found
        x = tf.constant([1., -2., 3.])
        for traced in (lambda x: tf.map_fn(size, x), lambda x: tf.vectorized_map(size, x, warn=False)):
            self.assertEqual(tf.function(traced)(x).numpy().tolist(), [1., 2., 3.])
        self.assertEqual(float(tf.function(lambda x: tf.foldl(lambda a, t: size(t) + a, x))(x)), 6.)

    def test_one_op_warns_that_it_runs_in_a_loop(self):
        x = tf.constant([1., 2.])
        with self.assertLogs() as logs:
            tf.vectorized_map(lambda t: tf.unique(tf.stack([t, t]))[0], x)
        self.assertIn('no batched form of Unique', logs.output[0])
        kinds = types_of(tf.function(lambda t: tf.vectorized_map(lambda r: tf.sin(r) * 2, t)), x)
        self.assertNotIn('While', ' '.join(kinds))
        self.assertEqual(kinds.count('Sin'), 1)


if __name__ == '__main__':
    unittest.main()
