"""What libraries of layers (Sonnet, tf_keras) ask: numbers of NumPy as rates, what a callable keeps, ranks of specs, old variables as keys."""
import copy
import functools
import unittest
import weakref

import numpy as np

import footlight as tf
from footlight import _alias
from folder_case import FolderCase

_alias.install()


class Rates(unittest.TestCase):
    def test_number_of_numpy_fits_every_dtype(self):
        for rate in (np.float64(.5), np.float32(.5), np.float16(.5)):
            for x in (tf.ones([100]), tf.ones([100], tf.float64), tf.ones([100], tf.bfloat16)):
                for run in (lambda: tf.nn.dropout(x, rate), tf.function(lambda: tf.nn.dropout(x, rate))):
                    self.assertLessEqual(set(tf.cast(run(), tf.float32).numpy()), {0., 2.})
                dropped = tf.nn.experimental.stateless_dropout(x, rate, seed=[1, 2])
                self.assertLessEqual(set(tf.cast(dropped, tf.float32).numpy()), {0., 2.})
        self.assertEqual(tf.nn.dropout(tf.ones([3]), np.float64(0)).numpy().tolist(), [1., 1., 1.])

    def test_tensor_has_the_dtype_of_x(self):
        with self.assertRaisesRegex(ValueError, 'one dtype'):
            tf.nn.dropout(tf.ones([3]), tf.constant(.5, tf.float64))
        with self.assertRaisesRegex(ValueError, r'range \[0, 1\)'):
            tf.nn.dropout(tf.ones([3]), np.float64(1.5))
        with self.assertRaisesRegex(ValueError, 'scalar'):
            tf.nn.dropout(tf.ones([3]), np.array([.5], np.float32))


class Scale:
    """A callable that keeps what it works with."""

    def __init__(self):
        self.factor = tf.Variable(2.)

    def __call__(self, x):
        return x * self.factor


class Callables(unittest.TestCase):
    def test_function_shows_what_its_callable_keeps(self):
        scale = Scale()
        function = tf.function(scale)
        self.assertIs(function.factor, scale.factor)
        self.assertEqual(function(3.).numpy(), 6.)
        with self.assertRaises(AttributeError):
            function.other
        function.other = 3  # of the function alone
        self.assertFalse(hasattr(scale, 'other'))

    def test_decorated_function_is_what_is_traced(self):
        def plain(x):
            return x + 1

        @functools.wraps(plain)
        def around(x):
            return plain(x) * 2
        around.mark = 'kept'
        function = tf.function(around)
        self.assertEqual((function.mark, function(1).numpy(), function.__name__), ('kept', 4, 'plain'))
        self.assertIs(function.__wrapped__, around)

        class Holder:
            """Has a traced method."""

            call = function
        self.assertEqual(Holder.call.mark, 'kept')


class Specs(unittest.TestCase):
    def test_ranks_alone(self):
        self.assertEqual(tf.TensorSpec([2, 3], name='a')._with_tensor_ranks_only(), tf.TensorSpec([None, None], name='a'))
        self.assertEqual(tf.TensorSpec(None)._with_tensor_ranks_only(), tf.TensorSpec(None))
        self.assertEqual(tf.SparseTensorSpec([2, 3])._with_tensor_ranks_only(), tf.SparseTensorSpec([None, None]))
        self.assertEqual(tf.RaggedTensorSpec([2, None])._with_tensor_ranks_only(), tf.RaggedTensorSpec([None, None]))
        inner = tf.data.DatasetSpec(tf.TensorSpec([2]))._with_tensor_ranks_only()
        self.assertEqual(inner.element_spec, tf.TensorSpec([None]))

    def test_copy_with_another_name_or_shape(self):
        spec = tf.TensorSpec([2], name='a')
        changed = copy.deepcopy(spec)
        changed._name, changed._shape = None, [None, 3]
        self.assertEqual(changed, tf.TensorSpec([None, 3]))
        self.assertIsNone(changed.name)
        self.assertEqual((spec.name, spec._shape), ('a', [2]))
        with self.assertRaises(TypeError):
            changed._name = 3
        with self.assertRaisesRegex(ValueError, 'unknown TensorShape'):
            tf.TensorShape(None).as_list()

    def test_spec_of_a_variable(self):
        variable = tf.Variable([1., 2.], trainable=False)
        self.assertEqual(variable._type_spec, tf.type_spec_from_value(variable))
        self.assertIs(tf.nest.flatten([variable], expand_composites=True)[0], variable)
        self.assertIs(tf.nest.map_structure(lambda x: x, variable, expand_composites=True), variable)
        self.assertEqual(tf.function(lambda: [variable])()[0].numpy().tolist(), [1., 2.])

    def test_dimensions(self):
        dims = tf.TensorShape([2, None]).dims
        self.assertEqual((repr(dims), dims[0].value, dims[1].value), ('[Dimension(2), Dimension(None)]', 2, None))
        self.assertEqual(tf.TensorShape([2, 3]).dims, [2, 3])
        self.assertIsNone(tf.TensorShape(None).dims)
        self.assertEqual(tf.zeros([2, 3]).shape.dims[1] * 2, 6)


class Graphs(unittest.TestCase):
    def test_old_variables_are_keys(self):
        with tf.Graph().as_default():
            a, b = (tf.compat.v1.get_variable(name, [2]) for name in 'ab')
            self.assertEqual({a: 1, b: 2}[b], 2)
            self.assertIs(a == a, True)
            self.assertIs(a == b, False)
            self.assertIs(a != b, True)
            self.assertIn(b, [a, b])
        with self.assertRaisesRegex(TypeError, 'unhashable'):
            hash(tf.Variable(1.))
        self.assertEqual((tf.Variable([1., 2.]) == tf.Variable([1., 3.])).numpy().tolist(), [True, False])

    def test_key_and_context(self):
        keys = []
        with tf.Graph().as_default() as graph:
            tf.function(lambda: keys.append(tf.compat.v1.get_default_graph()._graph_key)).get_concrete_function()
        self.assertEqual(keys, [graph._graph_key])
        self.assertNotEqual(tf.Graph()._graph_key, tf.Graph()._graph_key)
        tf.function(lambda: keys.append(tf.compat.v1.get_default_graph()._graph_key))()
        self.assertEqual(keys[1], tf.compat.v1.get_default_graph()._graph_key)
        self.assertIsNone(graph._get_control_flow_context())
        graph._set_control_flow_context('mine')
        self.assertEqual(graph._get_control_flow_context(), 'mine')


    def test_graph_around_is_one_of_functions_alone(self):
        with self.assertRaises(AttributeError):
            tf.Graph().outer_graph
        found = []
        tf.function(lambda: found.append(tf.compat.v1.get_default_graph().outer_graph))()
        self.assertFalse(found[0].building_function)
        self.assertIs(found[0], tf.compat.v1.get_default_graph())

    def test_read_of_an_assignment_comes_after_it(self):
        v1 = tf.compat.v1
        with tf.Graph().as_default(), v1.Session() as session:
            mean, total = (v1.get_variable(name, initializer=[1.]) for name in ('mean', 'total'))
            session.run(v1.global_variables_initializer())
            changed = v1.assign(mean, mean * 10)
            step = v1.assign_add(total, changed + 0.).op
            session.run(step)
            self.assertEqual([one.tolist() for one in session.run([mean, total])], [[10.], [11.]])
            session.run(step)
            self.assertEqual([one.tolist() for one in session.run([mean, total])], [[100.], [111.]])

    def test_operation_of_an_assignment(self):
        v1, variable = tf.compat.v1, tf.Variable(1.)
        self.assertIsNone(v1.assign(variable, 2.).op)
        kinds = []

        @tf.function
        def f():
            kinds.append(v1.assign(variable, 3.).op.type)
            tf.cond(variable > 0., lambda: kinds.append(v1.assign_add(variable, 1.).op.type), lambda: None)
        f()
        self.assertEqual(kinds[:2], ['AssignVariableOp', 'AssignAddVariableOp'])
        self.assertEqual(variable.numpy(), 4.)

    def test_value_that_may_be_fed_is_not_known(self):
        v1 = tf.compat.v1
        with tf.Graph().as_default(), v1.Session() as session:
            training = v1.placeholder_with_default(False, [])
            self.assertIsNotNone(weakref.ref(v1.placeholder_with_default(1, []))())  # as long as the graph is there
            self.assertIsNone(tf.get_static_value(training))
            chosen = tf.cond(training, lambda: 1, lambda: 2)
            self.assertEqual([session.run(chosen), session.run(chosen, {training: True})], [2, 1])

    def test_operations_that_wait(self):
        with tf.Graph().as_default():
            first = tf.no_op(name='first')
            with tf.control_dependencies([first]):
                second = tf.no_op(name='second')
            self.assertEqual(first._control_outputs, [second])
            self.assertEqual(second._control_outputs, [])
            with tf.control_dependencies([first]):
                third = tf.constant(1).op
            self.assertEqual(first._control_outputs, [second, third])

    def test_note_on_an_operation(self):
        with tf.Graph().as_default() as graph:
            operation = tf.constant(1, name='a').op
            self.assertFalse(operation._unconditional_update)
            operation._unconditional_update = True
            self.assertTrue(graph.get_operation_by_name('a')._unconditional_update)

    def test_callable_of_options(self):
        from tensorflow.core.protobuf import config_pb2
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            x, y = (tf.compat.v1.placeholder(tf.float32, [], name) for name in 'xy')
            variable = tf.compat.v1.get_variable('v', initializer=1.)
            update = variable.assign_add(x, name='update')
            session.run(variable.initializer)
            options = config_pb2.CallableOptions(feed=['x:0'], fetch=[(x * y).name], target=[update.op.name])
            options.tensor_connection.add(from_tensor=tf.constant(3.).name, to_tensor='y:0')
            run = session._make_callable_from_options(options)
            self.assertEqual(run(2.), [6.])
            self.assertEqual(run(4.), [12.])
            self.assertEqual(session.run(variable), 7.)


class Same(unittest.TestCase):
    """What has nothing to do gives the very tensor, with what a library noted on it."""

    def test_tensors(self):
        x = tf.ones([2])
        x.mask = 'noted'
        for run in (lambda x: tf.cast(x, tf.float32), lambda x: tf.convert_to_tensor(x, tf.float32), tf.math.real, tf.math.conj,
                    lambda x: tf.nn.dropout(x, 0.), tf.constant):
            if run is not tf.constant:
                tf.function(lambda y: self.assertIs(run(y), y))(x)
            self.assertEqual(getattr(run(x), 'mask', None), 'noted')
        self.assertIsNot(tf.identity(x), x)
        self.assertFalse(hasattr(tf.constant(x, shape=[2]), 'mask'))


class Delegating(tf.Variable):
    """A variable that passes on what it does not define."""

    def __init__(self, variable):
        self._variable = variable

    def __getattr__(self, name):
        return getattr(self._variable, name)


class Variables(unittest.TestCase):
    def test_member_that_only_variables_of_the_engine_have_is_passed_on(self):
        variable = tf.Variable([1.], name='mine')
        self.assertEqual(Delegating(variable).numpy().tolist(), [1.])
        self.assertIs(Delegating(variable).handle.dtype, tf.resource)

        class Plain(tf.Variable):
            """Passes nothing on."""

            def __init__(self):
                pass
        self.assertFalse(hasattr(Plain(), 'numpy'))

    def test_new_name_and_workers(self):
        variable = tf.Variable([1.], name='mine', per_worker_variable=True)
        self.assertEqual(variable.name, 'mine:0')
        variable._handle_name = 'yours:0'
        self.assertEqual(variable.name, 'yours:0')

    def test_name_scope_goes_into_init_scope(self):
        names = []

        @tf.function
        def f():
            with tf.name_scope('b'), tf.init_scope():
                if not names:
                    names.append(tf.Variable(1.).name)
        with tf.name_scope('a'), tf.init_scope():
            self.assertEqual(tf.Variable(1.).name, 'a/Variable:0')
            with tf.name_scope('c'):
                self.assertEqual(tf.random.Generator.from_seed(1)._state_var.name, 'a/c/StateVar:0')
        f()
        self.assertEqual(names, ['b/Variable:0'])
        self.assertEqual(tf.Variable(1.).name, 'Variable:0')

    def test_scope_of_a_class_with_its_own(self):
        class Layer(tf.Module):
            """Has a method of that name, and a constructor that does not call the module's."""

            def __init__(self):
                pass

            def _name_scope(self):
                return 'mine'
        layer = Layer()
        layer.name_scope
        self.assertEqual(layer._name_scope(), 'mine')


class Table(unittest.TestCase):
    def test_values_by_a_saveable(self):
        table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
        table.insert(tf.constant(['a']), tf.constant([1], tf.int64))
        make, = tf.__internal__.tracking.saveable_objects_from_trackable(table).values()
        tensors = [spec.tensor for spec in make().specs]
        self.assertEqual([t.numpy().tolist() for t in tensors], [[b'a'], [1]])
        make().restore([tf.constant(['b', 'c']), tf.constant([2, 3], tf.int64)], None)
        self.assertEqual(table.lookup(tf.constant(['a', 'c'])).numpy().tolist(), [-1, 3])
        self.assertEqual(tf.__internal__.tracking.saveable_objects_from_trackable(tf.Module()), {})


class Dispatch(unittest.TestCase):
    def test_constructors_of_ragged_tensors_ask(self):
        from tensorflow.python.util import dispatch, tf_export

        class Note(dispatch.OpDispatcher):
            """Answers calls with a text."""

            def handle(self, args, kwargs):
                """The class and what it was given."""
                return ('noted', args[0], args[1]) if 'symbol' in args else self.NOT_SUPPORTED
        Note().register(tf.RaggedTensor.from_row_limits)
        self.assertEqual(tf.RaggedTensor.from_row_limits('symbol', ['x']), ('noted', tf.RaggedTensor, 'symbol'))
        self.assertEqual(tf.RaggedTensor.from_row_limits([1, 2], [1, 2]).to_list(), [[1], [2]])
        with self.assertRaises((TypeError, ValueError)):
            tf.RaggedTensor.from_row_limits([1, 2], ['x'])
        self.assertEqual(tf_export.get_canonical_name_for_symbol(tf.RaggedTensor), 'RaggedTensor')
        self.assertEqual(tf_export.get_canonical_name_for_symbol(tf.data.Dataset), 'data.Dataset')

    def test_converted_function_asks_too(self):
        from tensorflow.python.util import dispatch

        @dispatch.add_dispatch_support
        def doubled(x):
            return tf.convert_to_tensor(x) * 2
        dispatch.dispatch_for_types(doubled, tf.RaggedTensor)(lambda x: x.with_flat_values(doubled(x.flat_values)))
        ragged = tf.ragged.constant([[1], [2, 3]])
        converted = tf.__internal__.autograph.tf_convert(doubled, tf.__internal__.autograph.control_status_ctx())
        for run in (converted, doubled):
            self.assertEqual(run(ragged).to_list(), [[2], [4, 6]])

    def test_splits_that_match(self):
        from tensorflow.python.ops.ragged import ragged_util
        a, b = tf.ragged.constant([[1], [2, 3]]), tf.ragged.constant([[1, 2], [3]])
        ragged_util.assert_splits_match([a.nested_row_splits, a.nested_row_splits])
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'identical ragged splits'):
            ragged_util.assert_splits_match([a.nested_row_splits, b.nested_row_splits])
        with self.assertRaisesRegex(ValueError, 'identical ragged splits'):
            ragged_util.assert_splits_match([a.nested_row_splits, []])


class Files(FolderCase):
    def test_closed_twice(self):
        path = self.path('f')
        with tf.io.gfile.GFile(path, 'w') as file:
            file.write('text')
            file.close()
        self.assertEqual(tf.io.gfile.GFile(path).read(), 'text')


class Initializers(unittest.TestCase):
    def test_identity(self):
        make = tf.compat.v1.initializers.identity(gain=2.)
        self.assertEqual(make([2, 3]).numpy().tolist(), [[2., 0., 0.], [0., 2., 0.]])
        self.assertEqual(make([1, 1], tf.float64).dtype, tf.float64)
        self.assertEqual(make.get_config(), {'gain': 2., 'dtype': 'float32'})
        with self.assertRaisesRegex(ValueError, '2D'):
            make([2])


class Strategies(unittest.TestCase):
    def test_older_run(self):
        for strategy in (tf.distribute.get_strategy(), tf.distribute.MirroredStrategy()):
            self.assertEqual(strategy.experimental_run(lambda: 3), 3)
            self.assertEqual(strategy.experimental_run(lambda x: x + 1, iter(tf.data.Dataset.range(5))).numpy(), 1)
