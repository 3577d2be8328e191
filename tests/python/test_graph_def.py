"""Graphs of files: importing, pruning, sessions, freezing and writing, as users of GraphDefs do it."""
import os
import unittest

import footlight as tf
from folder_case import FolderCase

v1 = tf.compat.v1
GraphDef = v1.GraphDef


def graph_def_of(f, *specs):
    return tf.function(f).get_concrete_function(*specs).graph.as_graph_def()


def values(tensor):
    return tensor.numpy().tolist()


FLOAT = tf.TensorSpec([], tf.float32, name='x')


class Importing(unittest.TestCase):
    def test_the_recipe_of_frozen_graphs(self):
        gd = graph_def_of(lambda x: x * 2. + 1., FLOAT)
        wrapped = v1.wrap_function(lambda: v1.import_graph_def(gd, name=''), [])
        graph = wrapped.graph
        first = graph.get_operations()[0]
        self.assertEqual(first.type, 'Placeholder')
        self.assertEqual(str(first), str(first.node_def))
        self.assertEqual(repr(first), f"<tf.Operation '{first.name}' type=Placeholder>")
        f = wrapped.prune(tf.nest.map_structure(graph.as_graph_element, ['x:0']),
                          tf.nest.map_structure(graph.as_graph_element, {'out': 'Identity:0', 'op': 'mul'}))
        result = f(tf.constant(3.))
        self.assertEqual(values(result['out']), 7.)
        self.assertIsNone(result['op'])
        self.assertEqual(f.inputs[0].name, 'x:0')
        self.assertEqual(f.structured_outputs['out'].name, 'Identity:0')

    def test_names_inputs_and_elements(self):
        gd = graph_def_of(lambda x: tf.square(x, name='sq') + 1., FLOAT)
        with tf.Graph().as_default() as graph:
            given = tf.constant(3., name='given')
            out, op = tf.import_graph_def(gd, input_map={'x:0': given}, return_elements=['Identity:0', 'sq'])
            self.assertEqual(out.name, 'import/Identity:0')
            self.assertEqual(op.inputs[0].name, 'given:0')
            self.assertEqual(op.type, 'Square')
            self.assertEqual(op.get_attr('T'), 1)
            self.assertEqual(op.node_def.op, 'Square')
            self.assertIs(op.graph, graph)
            again, = tf.import_graph_def(gd, return_elements=['sq:0'], name='import')
            self.assertEqual(again.name, 'import_1/sq:0')
            self.assertIsNone(tf.import_graph_def(gd, name='mine'))
            self.assertEqual(graph.get_tensor_by_name('mine/x:0').shape, [])
            with v1.Session() as session:
                self.assertEqual(session.run(out), 10.)
                self.assertEqual(session.run(again, {'import_1/x:0': 5.}), 25.)

    def test_what_cannot_be_imported(self):
        gd = graph_def_of(lambda x: x + 1., FLOAT)
        with tf.Graph().as_default():
            with self.assertRaisesRegex(ValueError, 'not found in graph_def'):
                tf.import_graph_def(gd, input_map={'nobody:0': tf.constant(1.)})
            with self.assertRaisesRegex(ValueError, "'gone:0' not found"):
                tf.import_graph_def(gd, return_elements=['gone:0'])
            with self.assertRaisesRegex(ValueError, "'T' says float32"):
                tf.import_graph_def(gd, input_map={'x': tf.constant(1)})
            for bad in (dict(input_map=[1]), dict(return_elements='x'), dict(return_elements=[1])):
                with self.assertRaises(TypeError):
                    tf.import_graph_def(gd, **bad)
            with self.assertRaises(TypeError):
                tf.import_graph_def('not a graph')
            tf.import_graph_def(gd, name='')
            again, = tf.import_graph_def(gd, name='', return_elements=['add:0'])
            self.assertEqual((again.name, again.op.inputs[0].name), ('add_1:0', 'x_1:0'))
        unknown = GraphDef()
        unknown.node.add(name='a', op='NoSuchOp')
        unknown.node.add(name='b', op='Merge')
        with tf.Graph().as_default(), self.assertRaisesRegex(tf.errors.NotFoundError, "Merge .*NoSuchOp .node 'a'"):
            tf.import_graph_def(unknown)

    def test_inside_of_a_function_effects_are_in_order(self):
        v = tf.Variable(1.)
        gd = graph_def_of(lambda x: x * 10., FLOAT)

        @tf.function
        def f(x):
            before = v * 1.
            out, = tf.import_graph_def(gd, {'x:0': x + before}, ['Identity:0'])
            v.assign(out)
            return out + v * 0.
        self.assertEqual(values(f(tf.constant(2.))), 30.)
        self.assertEqual(values(v), 30.)
        with tf.GradientTape() as tape:
            x = tf.constant(2.)
            tape.watch(x)
            y = f(x)
        self.assertEqual(values(tape.gradient(y, x)), 10.)

    def test_bytes_and_defaults_of_newer_writers(self):
        gd = graph_def_of(lambda x: -x, FLOAT)
        node = next(n for n in gd.node if n.op == 'Neg')
        node.attr['added_later'].i = 5
        with tf.Graph().as_default():
            with self.assertRaisesRegex(ValueError, "no attribute 'added_later'"):
                tf.import_graph_def(gd)
            OpList = __import__('footlight._proto', fromlist=['OpList']).OpList
            known = OpList()
            attr = known.op.add(name='Neg').attr.add(name='added_later', type='int')
            attr.default_value.i = 5
            tf.import_graph_def(gd.SerializeToString(), producer_op_list=known)
            attr.default_value.i = 6
            with self.assertRaises(ValueError):
                tf.import_graph_def(gd, producer_op_list=known)


class Sessions(unittest.TestCase):
    def setUp(self):
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.x = v1.placeholder(tf.float32, [None], name='x')
            self.y = tf.reduce_sum(self.x * 2., name='y')
            self.no = tf.no_op(name='nothing') if hasattr(tf, 'no_op') else self.y.op

    def test_structures_names_and_operations(self):
        with v1.Session(graph=self.graph) as session:
            got = session.run({'a': [self.y, 'x:0'], 'b': (self.y.op,)}, {self.x: [1., 2.]})
            self.assertEqual(got['a'][0], 6.)
            self.assertEqual(got['a'][1].tolist(), [1., 2.])
            self.assertEqual(got['b'], (None,))
            # A tensor in the middle may be fed.
            self.assertEqual(session.run(self.y, {self.graph.get_tensor_by_name('mul:0'): [5.]}), 5.)
            self.assertIs(v1.get_default_session(), session)
        with self.assertRaisesRegex(RuntimeError, 'closed'):
            session.run(self.y)

    def test_what_cannot_be_run(self):
        session = v1.Session(graph=self.graph)
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "placeholder tensor 'x' with dtype float"):
            session.run(self.y)
        with self.assertRaisesRegex(ValueError, 'Cannot feed value of shape'):
            session.run(self.y, {self.x: 1.})
        with self.assertRaisesRegex(TypeError, 'feed_dict'):
            session.run(self.y, {7: 1.})
        with self.assertRaises(ValueError):
            session.run('nowhere:0')
        with self.assertRaisesRegex(TypeError, 'tf.Tensor'):
            session.run(self.y, {self.x: tf.constant([1.])})
        self.graph.prevent_feeding(self.x)
        with self.assertRaisesRegex(ValueError, 'may not be fed'):
            session.run(self.y, {self.x: [1.]})
        with self.assertRaisesRegex(RuntimeError, 'eager'):
            v1.placeholder(tf.float32)

    def test_only_what_is_asked_for_runs(self):
        with tf.Graph().as_default() as graph:
            x = v1.placeholder(tf.float32, [], name='x')
            tf.debugging.assert_positive(x, name='check')
            y = x + 1.
            with v1.Session(graph=graph) as session:
                self.assertEqual(session.run(y, {x: -1.}), 0.)

    def test_a_graph_holds_no_values_from_outside(self):
        eager, variable, other = tf.constant(1.), tf.Variable(1.), tf.Graph()
        with other.as_default():
            theirs = tf.constant(1.)
        with self.graph.as_default():
            with self.assertRaisesRegex(RuntimeError, 'tf.Graph'):
                eager + 1.
            self.assertEqual((variable + 1.).op.inputs[0].op.inputs[0].op.type, 'VarHandleOp')  # which is no value
            with self.assertRaisesRegex(ValueError, 'same graph'):
                self.x + theirs

    def test_elements_by_name(self):
        graph = self.graph
        self.assertIs(graph.as_graph_element('y').graph, graph)
        self.assertEqual(graph.as_graph_element('y:0').name, 'y:0')
        self.assertEqual(graph.as_graph_element(self.y).name, 'y:0')
        for wrong, error in (('z', KeyError), ('z:0', KeyError), ('y:1', KeyError), ('y:q', ValueError), (5, TypeError)):
            with self.assertRaises(error):
                graph.as_graph_element(wrong)
        with self.assertRaises(ValueError):
            graph.get_tensor_by_name('y')
        with self.assertRaises(ValueError):
            graph.get_operation_by_name('y:0')
        with self.assertRaises(TypeError):
            graph.get_tensor_by_name(3)
        self.assertFalse(graph.building_function)
        self.assertEqual(graph.unique_name('y'), 'y_1')
        graph.add_to_collection('losses', self.y)
        self.assertEqual(len(graph.get_collection('losses', 'y')), 1)
        self.assertEqual(graph.get_collection('other'), [])

    def test_a_variable_has_its_value_at_once(self):
        with tf.Graph().as_default():
            made = [tf.Variable(lambda: tf.ones([2]) * 3.), tf.Variable(tf.constant([1, 2], 'uint32'))]
            fed = v1.placeholder(tf.float32, [2], name='fed')
            self.assertEqual(v1.Variable(fed + 1.).shape, [2])  # which a session gives a value
        self.assertEqual([v.numpy().tolist() for v in made], [[3., 3.], [1, 2]])

    def test_a_placeholder_in_a_function_has_to_be_fed(self):
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "feed a value for placeholder tensor 'Placeholder'"):
            tf.function(lambda: v1.placeholder(tf.complex64))()

    def test_entering_a_graph_itself_puts_no_ops_there(self):
        graph = tf.function(lambda x: x + 1.).get_concrete_function(tf.constant(1.)).graph
        with graph as same:
            self.assertIs(same, graph)
            self.assertTrue(tf.executing_eagerly())
            self.assertEqual(tf.Variable(tf.constant(2)).numpy(), 2)

    def test_functions_are_called_from_a_graph(self):
        @tf.function
        def double(x):
            return tf.cond(x > 0., lambda: x * 2., lambda: x)
        with tf.Graph().as_default() as graph:
            x = v1.placeholder(tf.float32, [], name='x')
            y = double(x)
        gd = graph.as_graph_def()
        self.assertEqual(len(gd.library.function), 3)
        with v1.Session(graph=graph) as session:
            self.assertEqual(session.run(y, {x: 4.}), 8.)


class Freezing(unittest.TestCase):
    def setUp(self):
        from footlight.python.framework import convert_to_constants
        self.freeze = convert_to_constants.convert_variables_to_constants_v2

    def test_variables_become_constants(self):
        w, b, held = tf.Variable([[1., 2.]]), tf.Variable([3., 4.]), tf.constant([10.] * 100)
        inner = tf.function(lambda x: x @ w)

        @tf.function
        def f(x):
            if tf.reduce_sum(x) > 0.:
                y = inner(x)
            else:
                y = inner(x) - b
            i = 0
            while i < 3:
                y, i = y + b, i + 1
            return y + tf.gather(b, [0]) + held[0]
        concrete = f.get_concrete_function(tf.TensorSpec([None, 1], tf.float32, name='x'))
        frozen = self.freeze(concrete)
        want = [values(f(tf.constant([[k]]))) for k in (1., -1.)]
        w.assign([[100., 100.]])
        b.assign([100., 100.])
        self.assertEqual([values(frozen(tf.constant([[k]]))[0]) for k in (1., -1.)], want)
        self.assertEqual(frozen.captured_inputs, [])
        self.assertEqual([t.name for t in frozen.inputs], ['x:0'])
        gd = frozen.graph.as_graph_def()
        ops = {n.op for n in gd.node} | {n.op for g in gd.library.function for n in g.node_def}
        self.assertFalse(ops & {'ReadVariableOp', 'ResourceGather', 'If', 'While', 'StatefulPartitionedCall'}, ops)
        wrapped = v1.wrap_function(lambda: tf.import_graph_def(gd, name=''), [])
        run = wrapped.prune(wrapped.graph.get_tensor_by_name('x:0'),
                            wrapped.graph.get_tensor_by_name(frozen.outputs[0].name))
        self.assertEqual(values(run(tf.constant([[1.]]))), want[0])

    def test_writing_cannot_be_frozen(self):
        v = tf.Variable(1.)
        f = tf.function(lambda: v.assign_add(1.))
        with self.assertRaisesRegex(ValueError, 'AssignAddVariableOp'):
            self.freeze(f.get_concrete_function())
        with self.assertRaises(TypeError):
            self.freeze(f)


class Wrapping(unittest.TestCase):
    def test_parts_do_not_do_what_others_do(self):
        v = tf.Variable(0.)

        def fn(x):
            v.assign_add(x, name='count')
            return tf.identity(x * 3., name='out')
        wrapped = v1.wrap_function(fn, [FLOAT])
        graph = wrapped.graph
        triple = wrapped.prune('x:0', 'out:0')
        self.assertEqual(values(triple(tf.constant(2.))), 6.)
        self.assertEqual(values(v), 0.)
        counting = wrapped.prune([graph.get_tensor_by_name('x:0')],
                                 [o for o in graph.get_operations() if o.type == 'AssignAddVariableOp'])
        counting(tf.constant(2.))
        self.assertEqual(values(v), 2.)
        self.assertEqual(len(counting.variables), 1)
        self.assertEqual(values(wrapped(tf.constant(1.))), 3.)
        self.assertEqual(values(v), 2.)  # nobody asked for what counts
        self.assertEqual(values(wrapped(2)), 6.)
        with self.assertRaises(TypeError):
            wrapped()

    def test_what_is_returned_runs(self):
        v = tf.Variable(0.)
        wrapped = v1.wrap_function(lambda x: {'done': v.assign_add(x, read_value=False), 'x': x}, [FLOAT])
        self.assertIsNone(wrapped(tf.constant(5.))['done'])
        self.assertEqual(values(v), 5.)

    def test_variables_are_made_once(self):
        made, fixed = [], tf.Variable(2.)

        def fn(x):
            made.append(tf.Variable(3.))
            tf.compat.v1.add_to_collection('mine', x)
            return tf.identity(made[-1] * fixed * x, name='fetch')
        wrapped = v1.wrap_function(fn, [FLOAT])
        self.assertEqual((values(wrapped(tf.constant(1.))), len(made)), (6., 1))
        graph = wrapped.graph
        self.assertEqual([len(graph.get_collection(key)) for key in ('mine', 'trainable_variables')], [1, 1])
        pruned = wrapped.prune(wrapped.inputs, graph.get_tensor_by_name('fetch:0'))
        x = tf.constant(1.)
        for function in (wrapped, pruned):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = function(x)
            self.assertEqual([values(g) for g in tape.gradient(y, [x, fixed, made[0]])], [6., 3., 2.])
        named = v1.saved_model.build_tensor_info(graph.get_tensor_by_name('fetch:0'))
        self.assertEqual(values(wrapped.prune('x:0', named)(x)), 6.)

    def test_parts_of_ragged_tensors(self):
        seen = []

        def fn(x):
            seen.append((x, x * x))
            return x
        wrapped = v1.wrap_function(fn, [tf.RaggedTensorSpec([None, None], tf.float32)])
        square = wrapped.prune(*seen[-1])
        ragged = tf.ragged.constant([[1., 2.], [3.]])
        self.assertEqual(square(ragged.values, ragged.row_splits).to_list(), [[1., 4.], [9.]])


class Captures(unittest.TestCase):
    def test_of_a_trace(self):
        held, v, fixed = tf.constant(3.), tf.Variable(2.), tf.Variable(4., trainable=False)
        graph = tf.function(lambda x: x + held * v * fixed).get_concrete_function(tf.constant(1.)).graph
        plain = [(values(outer), inner.shape) for outer, inner in graph.captures if outer.dtype != tf.resource]
        self.assertEqual(plain, [(3, [])])
        self.assertEqual([t.dtype for t in graph.external_captures], [t.dtype for t in graph.internal_captures])
        self.assertEqual([t.name for t in graph.internal_captures], [t.name for t in graph.inputs[1:]])
        self.assertEqual([inner.name for _, inner in graph.captures], [t.name for t in graph.inputs[1:]])
        self.assertEqual([[w is x for w, x in zip(graph.variables, (v, fixed))],
                          [w is v for w in graph.trainable_variables]], [[True, True], [True]])
        self.assertEqual(graph.structured_input_signature[0][0].name, 'x')
        self.assertFalse(hasattr(tf.Graph(), 'captures'))


class Writing(FolderCase):
    def test_both_forms(self):
        concrete = tf.function(lambda x: x + 1.).get_concrete_function(FLOAT)
        gd = concrete.graph.as_graph_def()
        path = tf.io.write_graph(concrete.graph, self.path('deep'), 'g.pbtxt')
        self.assertEqual(path, self.path('deep', 'g.pbtxt'))
        with open(path) as file:
            self.assertEqual(GraphDef.FromText(file.read()), gd)
        path = tf.io.write_graph(gd, self.folder, 'g.pb', as_text=False)
        with open(path, 'rb') as file:
            self.assertEqual(GraphDef.FromString(file.read()), gd)
        self.assertEqual(sorted(os.listdir(self.folder)), ['deep', 'g.pb'])
        self.assertEqual(gd.versions.producer, tf.version.GRAPH_DEF_VERSION)

    def test_parts_of_messages(self):
        gd = graph_def_of(lambda x: (tf.identity(x + 1., name='kept'), tf.identity(x * 5., name='other')), FLOAT)
        util = v1.graph_util
        part = util.extract_sub_graph(gd, ['kept'])
        self.assertIn('kept', [n.name for n in part.node])
        self.assertNotIn('other', [n.name for n in part.node])
        self.assertEqual(part.versions, gd.versions)
        slim = util.remove_training_nodes(gd, ['Identity'])
        self.assertEqual([n.name for n in slim.node if n.op == 'Identity'], ['Identity'])
        with self.assertRaises(AssertionError):
            util.extract_sub_graph(gd, ['missing'])

    def test_ops_of_our_own_are_written_as_those_of_tensorflow(self):
        def f(x, axis, i):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = (tf.reduce_sum(tf.reduce_max(x, axis)) + tf.reduce_sum(tf.gather(x, i, axis=1) ** 2.) +
                     tf.reduce_sum(tf.reduce_prod(x, [1])) +
                     tf.reduce_sum(tf.nn.sigmoid_cross_entropy_with_logits(labels=x * 0.3, logits=x)))
            return y, tape.gradient(y, x)
        f = tf.function(f)
        specs = [tf.TensorSpec([None, None], tf.float32, name='x'), tf.TensorSpec([1], tf.int32, name='axis'),
                 tf.TensorSpec([None], tf.int32, name='i')]
        concrete = f.get_concrete_function(*specs)
        gd = concrete.graph.as_graph_def()
        own = {n.op for n in gd.node} | {n.op for g in gd.library.function for n in g.node_def}
        self.assertFalse(own & {'GatherGrad', 'ReducedShape', 'ProdOthers', 'SigmoidCrossEntropy', 'ScaleShift'}, own)
        wrapped = v1.wrap_function(lambda: tf.import_graph_def(gd, name=''), [])
        run = wrapped.prune([t.name for t in concrete.inputs], [t.name for t in concrete.outputs])
        x = tf.constant([[1., -2., 0.], [4., 0.5, -1.]])
        for axis in ([0], [-1]):
            arguments = (x, tf.constant(axis), tf.constant([2, 0, 2]))
            for got, want in zip(run(*arguments), f(*arguments)):
                tf.debugging.assert_near(got, want, rtol=1e-5)

    def imported(self, graph_def, feeds, fetches):
        wrapped = v1.wrap_function(lambda: tf.import_graph_def(graph_def, name=''), [])
        return wrapped.prune(feeds, fetches)

    def test_exponentials_of_matrices_are_written_as_halvings_and_squares(self):
        for dtype, tolerance in ((tf.float32, 1e-4), (tf.float64, 1e-12), (tf.complex128, 1e-12)):
            x = tf.constant([[[0., 1.], [-2., .5]], [[0., 0.], [0., 0.]], [[-90., 3.], [0., -.1]], [[5., 2.], [7., 3.]]],
                            dtype)
            concrete = tf.function(tf.linalg.expm).get_concrete_function(tf.TensorSpec([None, 2, 2], dtype))
            gd = concrete.graph.as_graph_def()
            self.assertNotIn('MatrixExponential', str(gd))
            for n in gd.library.function[0].node_def:
                if n.op == 'ComplexAbs':
                    self.assertEqual(n.attr['Tout'].type, tf.float64.as_datatype_enum)
            run = self.imported(gd, [concrete.inputs[0].name], [concrete.outputs[0].name])
            for each in (x, x[:2], x[:0]):
                found, wanted = run(each)[0], tf.linalg.expm(each)
                difference = tf.reduce_sum(tf.abs(found - wanted), [1, 2]) / tf.reduce_sum(tf.abs(wanted), [1, 2])
                self.assertTrue(bool(tf.reduce_all(difference < tolerance)), (dtype, difference))

    def test_boxes_in_no_given_colours_are_the_op_without_colours(self):
        gd = graph_def_of(lambda x: tf.image.draw_bounding_boxes(x, [[[0., 0., 1., 1.]]], None),
                          tf.TensorSpec([1, 3, 3, 1], tf.float32))
        self.assertEqual([n.op for n in gd.node if n.op not in ('Const', 'Placeholder', 'Identity')],
                         ['DrawBoundingBoxes'])
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'equal or more channels'):
            tf.image.draw_bounding_boxes(tf.zeros([1, 3, 3, 1]), [[[0., 0., 1., 1.]]], tf.zeros([0, 0]))

    def test_gradients_of_loops_keep_their_values_in_lists(self):
        @tf.function
        def f(x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = x
                for _ in tf.range(3):
                    y = y * x
            return tape.gradient(y, x)
        concrete = f.get_concrete_function(tf.TensorSpec([], tf.float32))
        graph_def = concrete.graph.as_graph_def()
        ops = {n.op for g in [graph_def] + [*graph_def.library.function] for n in getattr(g, 'node_def', None) or g.node}
        self.assertIn('EmptyTensorList', ops)
        self.assertNotIn('EmptyValueList', ops)
        run = self.imported(graph_def, [concrete.inputs[0].name], [concrete.outputs[0].name])
        self.assertEqual(float(run(tf.constant(2.))[0]), 32)

    def test_branches_by_number(self):
        v = tf.Variable(3.)

        @tf.function
        def f(i, x):
            return tf.switch_case(i, [lambda: x * v, lambda: x + v, lambda: v.assign_add(x)])
        concrete = f.get_concrete_function(tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.float32))
        graph_def = concrete.graph.as_graph_def()
        run = self.imported(graph_def, [t.name for t in concrete.inputs], [concrete.outputs[0].name])
        for i, want in [(0, 6), (1, 5), (2, 5), (7, 7)]:
            self.assertEqual(float(run(tf.constant(i), tf.constant(2.), v.handle)[0]), want)
        case = next(n for n in graph_def.node if n.op == 'Case')
        functions = case.attr['branches'].list.func
        for broken, said in [([], 'must be a list.func., not empty'), (['nothing'], "no function 'nothing'"),
                             ([functions[0].name] * 5000, '5000 branches: at most 4096')]:
            other = v1.GraphDef.FromString(graph_def.SerializeToString())
            listed = next(n for n in other.node if n.op == 'Case').attr['branches'].list.func
            while len(listed):
                del listed[-1]
            for name in broken:
                listed.add().name = name
            with self.assertRaisesRegex(ValueError, said):
                tf.import_graph_def(other, name='')

    def test_nodes_by_the_name_of_their_op(self):
        graph = tf.Graph()
        with graph.as_default():
            x = tf.constant([1., 2.])
            made = [graph.create_op('AddV2', [x, x], [tf.float32], name='sum') for _ in range(2)]
            self.assertEqual([o.name for o in made], ['sum', 'sum_1'])
            frame = x.op.traceback[-1]
            self.assertEqual((frame.filename, frame.name.split('.')[-1]), (__file__, self._testMethodName))
            with tf.name_scope('s'):
                self.assertEqual(graph.create_op('Neg', [x]).name, 's/Neg')
            kept = graph.create_op('Sum', [x, tf.constant(0)], attrs={'keep_dims': v1.AttrValue(b=True)})
            self.assertEqual(kept.outputs[0].shape, [1])
            copied = made[0].node_def
            copied.name = 'copied'
            again = tf.Operation.from_node_def(copied, graph, inputs=[x, made[0].outputs[0]])
        with v1.Session(graph=graph) as session:
            self.assertEqual([a.tolist() for a in session.run([kept.outputs[0], again.outputs[0]])], [[3.], [3., 6.]])
        self.assertRaisesRegex(TypeError, 'Input #0 is not a tensor: 3.0', graph.create_op, 'Neg', [3.])
        self.assertRaisesRegex(TypeError, 'input types .*float32.* not compatible with .*int32', graph.create_op, 'Neg',
                               [x], input_types=[tf.int32])
        self.assertEqual(graph.create_op('Neg', [x], input_types=[tf.float32], compute_shapes=False).type, 'Neg')
        with graph.container('kept') as name:
            self.assertEqual((name, graph.switch_to_thread_local()), ('kept', None))
        self.assertRaisesRegex(TypeError, 'gives .*float32.*, not .*int32', graph.create_op, 'Neg', [x], [tf.int32])
        with self.assertRaisesRegex(tf.errors.NotFoundError, 'not supported: NoSuch'):
            graph.create_op('NoSuch', [x], [tf.float32])

    def test_a_finalized_graph_stays_as_it_is(self):
        graph = tf.Graph()
        with graph.as_default():
            x = tf.constant([1., 2.])
        self.assertFalse(graph.finalized)
        graph.finalize()
        self.assertTrue(graph.finalized)
        for add in (lambda: tf.constant(1.), lambda: x + x, lambda: graph.create_op('Neg', [x])):
            with graph.as_default(), self.assertRaisesRegex(RuntimeError, 'Graph is finalized and cannot be modified'):
                add()
        with v1.Session(graph=graph) as session:
            self.assertEqual(session.run(x).tolist(), [1., 2.])
