"""Order and state in graphs: control_dependencies, group, tuple, critical sections, and traces called with other captures."""
import random
import unittest

import footlight as tf
from derivatives import gradient


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


# --- the order of effects, looked at from outside: in what as_graph_def() writes ---
READS, WRITES = {'ReadVariableOp'}, {'AssignVariableOp', 'AssignAddVariableOp', 'AssignSubVariableOp'}
ORDERED = {'PrintV2', 'Assert'}  # effects on no resource


class Written:
    """A graph or a function of a GraphDef: what its nodes need and touch."""

    def __init__(self, nodes, library):
        self.nodes, self.library, self.needs = list(nodes), library, {}
        self.by_name = {n.name: n for n in self.nodes}
        self.data = {n.name: {i.split(':')[0] for i in n.input if i[0] != '^'} for n in self.nodes}
        self.control = {n.name: {i[1:] for i in n.input if i[0] == '^'} for n in self.nodes}
        for n in self.nodes:
            self.all_before(n.name)

    def all_before(self, name):
        if name not in self.needs:
            self.needs[name] = set()
            for before in self.data.get(name, set()) | self.control.get(name, set()):
                self.needs[name] |= {before} | self.all_before(before)
        return self.needs[name]

    def functions(self, node):
        return [self.library[v.func.name] for v in node.attr.values() if v.func.name]

    def touches(self, node, handles):
        """{handle: whether it is written}, None for effects on no resource; `handles`: names of handles here -> which."""
        found = {}
        on = [handles.get(i.split(':')[0]) for i in node.input if i[0] != '^']
        if node.op in READS | WRITES:
            found[on[0]] = node.op in WRITES
        elif node.op in ORDERED:
            found[None] = True
        for function in self.functions(node):
            inner = Written(function.node_def, self.library)
            arguments = [a.name for a in function.signature.input_arg]
            own = dict(zip(arguments, on[len(on) - len(arguments):]))
            for n in inner.nodes:
                for handle, writes in inner.touches(n, own).items():
                    found[handle] = found.get(handle, False) or writes
        return found

    def check(self, test, handles):
        touched = [(n.name, self.touches(n, handles)) for n in self.nodes]
        for i, (first, a) in enumerate(touched):
            for second, b in touched[i + 1:]:
                if any(a[h] or b[h] for h in a.keys() & b.keys()):
                    test.assertIn(first, self.all_before(second), f'the order of {first} and {second} is open')
        for name, controls in self.control.items():
            for control in controls if self.by_name[name].op != 'NoOp' else ():  # that waits for all, as in TensorFlow
                others = (self.data[name] | controls) - {control}
                implied = control in self.data[name] or any(control in self.all_before(o) for o in others)
                test.assertFalse(implied, f'{name} waits for {control}, which follows from the rest')
        return [name for name, on in touched if on]


def random_statements(rng, variables, helpers, depth=0):
    """A function of x that reads, assigns, prints, calls and stages at random; gives its result."""
    steps = []
    for _ in range(rng.randint(1, 5)):
        v, kind = rng.choice(variables), rng.randrange(9 if depth < 2 else 6)
        if kind == 0:
            steps.append(lambda x, v=v: x + v)
        elif kind == 1:
            steps.append(lambda x, v=v: (v.assign(x), x)[1])
        elif kind == 2:
            steps.append(lambda x, v=v: (v.assign_add(1.), x)[1])
        elif kind == 3:
            steps.append(lambda x, v=v: (v.assign(v * 2. + x), x)[1])
        elif kind == 4:
            steps.append(lambda x: (tf.print(x, output_stream='file:///dev/null'), x)[1])
        elif kind == 5:
            steps.append(rng.choice(helpers) if helpers else lambda x: x * .5)
        else:
            a = random_statements(rng, variables, helpers, depth + 1)
            b = random_statements(rng, variables, helpers, depth + 1)
            if kind == 6:
                steps.append(lambda x, a=a, b=b: tf.cond(x > 0., lambda: a(x), lambda: b(x)))
            elif kind == 7:
                steps.append(lambda x, a=a: tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, a(y)), (0, x))[1])
            else:
                steps.append(tf.function(a, autograph=False))

    def run(x):
        for step in steps:
            x = step(x)
        return x
    return run


class Edges(unittest.TestCase):
    def written(self, f, *args):
        concrete = f.get_concrete_function(*args)
        definition = concrete.graph.as_graph_def()
        library = {g.signature.name: g for g in definition.library.function}
        handles = {t.name.split(':')[0]: i for i, t in enumerate(concrete.inputs) if t.dtype == tf.resource}
        return Written(definition.node, library), handles, [t.op.name for t in concrete.outputs]

    def test_no_edge_too_many_or_too_few(self):
        rng = random.Random(5)
        for number in range(40):
            variables = [tf.Variable(float(i)) for i in range(3)]
            helpers = [tf.function(random_statements(rng, variables, [], 1), autograph=False) for _ in range(2)]
            f = tf.function(random_statements(rng, variables, helpers), autograph=False)
            with self.subTest(number):
                graph, handles, outputs = self.written(f, tf.constant(1.))
                effects = graph.check(self, handles)
                for output in outputs:
                    self.assertLessEqual(set(effects), graph.all_before(output))

    def test_edges_of_tensorflow(self):
        v = tf.Variable(1.)

        def edges(body):
            graph, _, _ = self.written(tf.function(body), tf.constant(2.))
            return {n: sorted(c) for n, c in graph.control.items() if c and 'Identity' not in n and n != 'NoOp'}

        def prints(x):
            tf.print(x)
            v.assign(x)
            tf.print(x)
            return x
        self.assertEqual(edges(prints), {'PrintV2_1': ['PrintV2']})

        def between(x):
            v.assign(x)
            y = v + x
            v.assign(x)
            return y
        # TensorFlow has ^AssignVariableOp here too, which the read waits for already.
        self.assertEqual(edges(between), {'ReadVariableOp': ['AssignVariableOp'], 'AssignVariableOp_1': ['ReadVariableOp']})

        def draws(x):
            tf.random.uniform([])
            return x + tf.random.normal([])
        self.assertEqual(edges(draws), {})
        self.assertNotIn('NoOp', self.written(tf.function(draws), tf.constant(2.))[0].by_name)



@tf.RegisterGradient('TwiceForTests')
def twice(op, gradient):
    assert (op.type, op.inputs[0].op.type) == ('Sin', 'Placeholder')
    return 2. * gradient


class Marks(unittest.TestCase):
    def overridden(self, gradients, body, x):
        @tf.function
        def f(x):
            with tf.compat.v1.get_default_graph().gradient_override_map(gradients):
                return body(x)
        return gradient(f, tf.constant(x)).numpy().tolist()

    def test_gradients_of_other_types(self):
        self.assertEqual(self.overridden({'Sin': 'TwiceForTests'}, tf.sin, [1., 2.]), [2., 2.])
        self.assertEqual(self.overridden({'Sign': 'Identity'}, tf.sign, [3., -4.]), [1., 1.])
        self.assertEqual(self.overridden({'Cos': 'TwiceForTests'}, lambda x: x * 3., [1.]), [3.])
        graph = tf.Graph()
        with graph.as_default():
            x = tf.compat.v1.placeholder(tf.float32, [], name='x')
            with graph.gradient_override_map({'Sin': 'TwiceForTests'}):
                y = tf.sin(x)
            gradient = tf.gradients(y + tf.cos(x), x)[0]
            with tf.compat.v1.Session() as session:
                self.assertEqual(float(session.run(gradient, {x: 0.})), 2.)
        self.assertEqual(y.op.get_attr('_gradient_op_type'), b'TwiceForTests')
        read = tf.Graph()
        with read.as_default():
            y, x = tf.import_graph_def(graph.as_graph_def(), return_elements=[y.name, x.name], name='')
            with tf.compat.v1.Session() as session:
                self.assertEqual(float(session.run(tf.gradients(y, x)[0], {x: 1.})), 2.)

    def test_gradients_that_do_not_fit(self):
        for gradients, error in (({'Sin': 'NotThere'}, LookupError), ({'Sin': 'MaxPool'}, ValueError),
                                 ({'Sin': 'AddV2'}, ValueError), ({'Sin': 'While'}, ValueError),
                                 ({'Sin': 'Unpack'}, ValueError), ({'Sin': 'Split'}, ValueError)):
            with self.subTest(gradients), self.assertRaises((error, tf.errors.InvalidArgumentError)):
                self.overridden(gradients, tf.sin, [1.])
        for wrong in ('Sin', {'Sin': 1}, {1: 'Sin'}):
            with self.assertRaises(TypeError), tf.Graph().gradient_override_map(wrong):
                pass
        for taken in ('TwiceForTests', 'Sin'):
            with self.assertRaisesRegex(KeyError, 'Registering two gradient'):
                tf.RegisterGradient(taken)(twice)

    def test_devices_by_function(self):
        graph, asked = tf.Graph(), []

        def place(op):
            asked.append((op.name, op.device))
            return '/job:there/device:GPU:1' if op.type == 'Exp' else op.device

        with graph.as_default():
            with graph.device(place):
                a = tf.constant(1., name='a')
                with tf.device('/cpu:0'):
                    b = tf.exp(a, name='b')
                    c = tf.add(b, a, name='c')
                with graph.device(lambda op: tf.DeviceSpec(device_type='CPU', device_index=3)):
                    d = tf.exp(c, name='d')
                    e = tf.negative(c, name='e')
                with graph.device(None):
                    tf.exp(d, name='unasked')
                inner = tf.cond(a > 0., lambda: tf.exp(a, name='within'), lambda: a)
            outside = tf.exp(a, name='outside')
            for wrong in (lambda op: None, lambda op: 3):
                with self.assertRaisesRegex(TypeError, 'Expected binary or unicode string'), graph.device(wrong):
                    tf.exp(a)
        self.assertEqual([t.op.device for t in (a, b, c, d, e, outside)],
                         ['', '/job:there/device:GPU:1', '/device:CPU:0', '/job:there/device:GPU:1', '/device:CPU:3', ''])
        self.assertEqual([pair for pair in asked if pair[0] in 'abcde'],
                         [('a', ''), ('b', '/device:CPU:0'), ('c', '/device:CPU:0'), ('d', '/device:CPU:3'),
                          ('e', '/device:CPU:3')])
        self.assertIn(('within', ''), [(name.split('/')[-1], device) for name, device in asked])
        self.assertNotIn('unasked', [name for name, _ in asked])
        self.assertEqual(inner.op.device, '')
        for scope in (tf.device, tf.compat.v1.device):
            with self.assertRaisesRegex(RuntimeError, 'tf.device does not support functions'), scope(place):
                pass

    def test_colocation(self):
        graph = tf.Graph()
        with graph.as_default():
            with tf.device('/cpu:0'):
                a = tf.constant(1., name='a')
            b = tf.constant(2., name='b')
            with graph.colocate_with(a.op):
                c = tf.add(a, b, name='c')
                with graph.colocate_with(b):
                    d = tf.add(a, b, name='d')
                    with graph.colocate_with(None, ignore_existing=True):
                        e = tf.add(a, b, name='e')
                    with graph.colocate_with(c):
                        tf.cond(a > b, lambda: tf.exp(a), lambda: b)
            with tf.device('/cpu:1'), tf.compat.v1.colocate_with(b):
                g = tf.add(a, b, name='g')
            with self.assertRaises(ValueError), graph.colocate_with(None):
                pass
        self.assertEqual([t.op.colocation_groups() for t in (a, c, d, e, g)],
                         [[b'loc:@a'], [b'loc:@a'], [b'loc:@a', b'loc:@b'], [b'loc:@e'], [b'loc:@b']])
        self.assertEqual([t.device[-13:] for t in (c, d, e, g)], ['/device:CPU:0', '/device:CPU:0', '', ''])
        definition = graph.as_graph_def()
        written = {n.name: list(n.attr['_class'].list.s) for n in definition.node}
        self.assertEqual((written['d'], written['cond'], written['e']), ([b'loc:@a', b'loc:@b'], [b'loc:@a', b'loc:@b'], []))
        inner = [n for fn in definition.library.function for n in fn.node_def if n.op == 'Exp']
        self.assertEqual(list(inner[0].attr['_class'].list.s), [b'loc:@a', b'loc:@b'])

    def test_definitions_of_ops(self):
        graph = tf.Graph()
        with graph.as_default():
            op = tf.concat([tf.compat.v1.placeholder(tf.float32, [1])] * 2, 0).op
        self.assertEqual(op.op_def, graph.op_def_for_type('ConcatV2'))
        arguments = [(a.name, a.type_attr, a.number_attr) for a in op.op_def.input_arg]
        self.assertEqual(arguments, [('values', 'T', 'N'), ('axis', 'Tidx', '')])
        self.assertEqual([(a.name, a.type) for a in op.op_def.attr], [('N', 'int'), ('T', 'type'), ('Tidx', 'type')])
        self.assertEqual(op.op_def.attr[2].default_value.type, tf.int32.as_datatype_enum)
        self.assertEqual(list(op.op_def.attr[2].allowed_values.list.type), [3, 9])
        self.assertTrue(graph.op_def_for_type('PrintV2').is_stateful)
        with self.assertRaisesRegex(RuntimeError, "Op type not registered 'Nope'"):
            graph.op_def_for_type('Nope')
        self.assertEqual((op.get_attr('T'), op.get_attr('N')), (tf.float32, 2))
        self.assertEqual((graph.get(), graph.new_operations(), graph.Dismantle()), (graph, [], None))
        kind = op.op_def.input_arg[0].experimental_full_type
        kind.type_id = 3
        kind.args.add().type_id = 1000
        op.experimental_set_type(kind)
        self.assertEqual(op.node_def.experimental_type.args[0].type_id, 1000)
        kind.type_id = 1000
        with self.assertRaisesRegex(ValueError, 'expected TFT_UNSET or TFT_PRODUCT, got 1000'):
            op.experimental_set_type(kind)

    def test_executor_and_initialization(self):
        f = tf.function(lambda x: x + 1.)

        @tf.function
        def g(x):
            with tf.experimental.function_executor_type('SINGLE_THREADED_EXECUTOR'):
                x = f(x)
            return f(x)
        calls = [op for op in g.get_concrete_function(tf.constant(1.)).graph.operations if op.type == 'PartitionedCall']
        self.assertEqual([op.get_attr('executor_type') for op in calls], [b'SINGLE_THREADED_EXECUTOR', b''])
        with self.assertRaises(tf.errors.NotFoundError), tf.experimental.function_executor_type('other'):
            pass
        made = []

        @tf.function
        def h(x):
            if not made:
                made.append(tf.Variable(3.))
            return x + made[0]
        initialize = h.get_initialization_function(tf.constant(1.))
        made[0].assign(9.)
        initialize()
        self.assertEqual((float(made[0]), float(h(tf.constant(1.)))), (3., 4.))
        with self.assertRaisesRegex(RuntimeError, 'cannot be called after the function has been used'):
            h.get_initialization_function(tf.constant(1.))


class AroundFunctions(unittest.TestCase):
    """What functions, branches and loops in a tf.Graph wait for outside of them."""

    def read(self, make):
        """The value of make(v, an assignment of 5 to it) in a session where v is 1."""
        v1 = tf.compat.v1
        with tf.Graph().as_default(), v1.Session() as session:
            v = v1.get_variable('v', [], initializer=v1.ones_initializer())
            result = make(v, v.assign(5.))
            session.run(v.initializer)
            return session.run(result)

    def test_they_run_after_operations_around(self):
        for name, operation in (('object', lambda a: a), ('operation', lambda a: a._update)):
            def reader(v, assigned, operation=operation):
                @tf.function
                def read():
                    with tf.control_dependencies([operation(assigned)]):
                        return v.read_value()
                return read
            with self.subTest(name):
                self.assertEqual(self.read(lambda v, a: reader(v, a)()), 5)
                self.assertEqual(self.read(lambda v, a: tf.function(lambda: reader(v, a)() + 1.)()), 6)
                self.assertEqual(self.read(lambda v, a: tf.cond(tf.constant(True), reader(v, a), lambda: 0.)), 5)
                self.assertEqual(self.read(lambda v, a: tf.while_loop(
                    lambda i, x: i < 2, lambda i, x: (i + 1, x + reader(v, a)()), [0, 0.])[1]), 10)

    def test_tensors_around(self):
        def make(v, assigned):
            with tf.control_dependencies([assigned._update]):
                done = tf.constant(2.) * 3.

            @tf.function
            def f():
                with tf.control_dependencies([done]):
                    return v.read_value()
            return f()
        self.assertEqual(self.read(make), 5)
