"""What libraries with values of their own build on: operators as functions, dispatchers, operators of tf.linalg as composites, inner classes."""
import gc
import pickle
import threading
import unittest
import weakref

import numpy as np

import footlight as tf
from footlight import _alias
from folder_case import FolderCase

_alias.install()


class Symbol:
    """A value that stands for a tensor and has its operators."""

    dtype = tf.float32

    def __init__(self, of):
        self.of = of


class Operators(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        from tensorflow.python.util import dispatch
        for name in tf.Tensor.OVERLOADABLE_OPERATORS:
            setattr(Symbol, name, getattr(tf.Tensor, name))

        class Note(dispatch.GlobalOpDispatcher):
            """Makes a symbol of each call on symbols."""

            def handle(self, op, args, kwargs):
                """The op's public name and what it was given."""
                from tensorflow.python.util import tf_export
                if not any(isinstance(one, Symbol) for one in args):
                    return self.NOT_SUPPORTED
                return Symbol((tf_export.get_canonical_name_for_symbol(op, add_prefix_to_v1_names=True), args))
        Note().register()

    def test_class_of_a_library_has_the_operators_of_tensors(self):
        x = Symbol('x')
        for made, name in ((x + 1, '__operators__.add'), (x - 1, 'math.subtract'), (x * x, 'math.multiply'),
                           (x == 1, '__operators__.eq'), (x[1:], '__operators__.getitem'), (x < 2, 'math.less'),
                           (-x, 'math.negative'), (abs(x), 'math.abs'), (x @ x, 'linalg.matmul')):
            self.assertIsInstance(made, Symbol)
            self.assertEqual(made.of[0], name)

    def test_tensor_on_the_left_leaves_it_to_the_symbol(self):
        x = Symbol('x')
        made = tf.constant(2.) - x
        self.assertEqual(made.of[0], 'math.subtract')
        self.assertEqual(made.of[1][0].numpy(), 2.)
        self.assertIs(made.of[1][1], x)
        self.assertEqual((3 * x).of[1][0].dtype, tf.float32)

    def test_tensors_still_have_their_own_operators(self):
        a = tf.constant([1., 2.])
        self.assertEqual(tf.Tensor.__add__(a, 1.).numpy().tolist(), [2., 3.])
        self.assertEqual(a.__getitem__(0).numpy(), 1.)
        self.assertEqual(tf.Tensor.__rsub__(a, 1.).numpy().tolist(), [0., -1.])
        self.assertTrue(tf.Tensor.__bool__(tf.constant(True)))
        self.assertIs(tf.Tensor.__add__(a, object()), NotImplemented)
        self.assertEqual(tf.__operators__.add(1., 2.).numpy(), 3.)
        self.assertEqual(tf.__operators__.getitem(a, slice(1, None)).numpy().tolist(), [2.])
        with self.assertRaises((TypeError, ValueError)):
            tf.__operators__.getitem(object(), 0)

    def test_dispatcher_of_the_function_is_asked_first(self):
        from tensorflow.python.util import dispatch

        class Own(dispatch.OpDispatcher):
            """Answers for slices."""

            def handle(self, args, kwargs):
                """Says that it was asked."""
                return 'own' if isinstance(args[0], Symbol) and args[0].of == 'sliced' else self.NOT_SUPPORTED
        Own().register(tf.__operators__.getitem)
        self.assertEqual(Symbol('sliced')[0], 'own')
        self.assertEqual(Symbol('x')[0].of[0], '__operators__.getitem')


class Graphs(unittest.TestCase):
    def test_graph_of_a_trace_entered_again_keeps_captures(self):
        total = tf.Variable(0.)

        @tf.function
        def f(x):
            with tf.compat.v1.get_default_graph().as_default() as graph:
                self.assertIs(graph, tf.compat.v1.get_default_graph())
                total.assign_add(tf.reduce_sum(x))
            return x + 1
        self.assertEqual(f(tf.constant(2.)).numpy(), 3.)
        self.assertEqual(f(tf.constant(5.)).numpy(), 6.)
        self.assertEqual(total.numpy(), 7.)

    def test_graph_built_by_hand_lies_in_an_eager_program(self):
        from tensorflow.python.framework import func_graph
        with func_graph.FuncGraph('by_hand').as_default():
            self.assertTrue(tf.compat.v1.executing_eagerly_outside_functions())
        with tf.Graph().as_default():
            self.assertFalse(tf.compat.v1.executing_eagerly_outside_functions())
        graph = func_graph.FuncGraph('before')
        tf.compat.v1.reset_default_graph()
        with graph.as_default():
            self.assertTrue(tf.compat.v1.executing_eagerly_outside_functions())
        seen = []
        tf.function(lambda: seen.append(tf.compat.v1.executing_eagerly_outside_functions()))()
        self.assertEqual(seen, [True])

    def test_concrete_function_is_added_to_a_graph(self):
        concrete = tf.function(lambda x: x * 2).get_concrete_function(tf.TensorSpec([]))
        concrete.add_to_graph()
        concrete.add_gradient_functions_to_graph()
        self.assertEqual(concrete(tf.constant(2.)).numpy(), 4.)

    def test_scope_of_variables_keeps_a_caching_device(self):
        with tf.compat.v1.variable_scope('s', caching_device='cpu:0') as scope:
            self.assertEqual(scope.caching_device, 'cpu:0')
            scope.set_caching_device(None)
            self.assertIsNone(scope.caching_device)
            scope.set_partitioner(None)
            with self.assertRaisesRegex(NotImplementedError, 'not divided'):
                scope.set_partitioner(lambda **k: [1])
            with self.assertRaisesRegex(ValueError, 'all variables are resources'):
                scope.set_use_resource(False)


class Tracking(FolderCase):
    def test_checkpoint_of_a_weak_root(self):
        owner = tf.Module()
        owner.v = tf.Variable(3.)
        owner.checkpoint = None
        saver = tf.train.Checkpoint(root=weakref.ref(owner), extra=tf.Variable(1.))
        path = saver.save(self.path('c'))
        owner.v.assign(9.)
        saver.restore(path).assert_consumed()
        self.assertEqual(owner.v.numpy(), 3.)
        names = [name for name, _ in tf.train.list_variables(path)]
        self.assertIn('v/.ATTRIBUTES/VARIABLE_VALUE', names)
        watched = weakref.ref(owner)
        del owner
        gc.collect()
        self.assertIsNone(watched())
        with self.assertRaisesRegex(ValueError, 'keep it alive'):
            saver.write('unused')

    def test_variable_of_a_custom_getter_is_a_child_that_restores(self):
        def make():
            owner = tf.Module()
            return owner, lambda value: owner._add_variable_with_custom_getter(
                name='w', shape=[2], getter=lambda name, shape, dtype, initializer, **more: tf.Variable(
                    tf.fill(shape, value), name=name), overwrite=True)
        first, add = make()
        add(4.)
        path = tf.train.Checkpoint(first).write(self.path('c'))
        second, add = make()
        tf.train.Checkpoint(second).read(path)
        self.assertEqual(add(0.).numpy().tolist(), [4., 4.])
        with self.assertRaisesRegex(ValueError, 'give `getter`'):
            first._add_variable_with_custom_getter('z')

    def test_containers_give_their_values(self):
        owner, v = tf.Module(), tf.Variable(1.)
        owner.list, owner.dict = [v, 2], {'b': 3, 'a': v}
        saved = tf.train.Checkpoint(list=owner.list, dict=owner.dict)
        self.assertIs(saved.list._values[0], v)
        self.assertEqual(list(saved.list._values)[1], 2)
        self.assertIs(saved.dict._values[0], v)
        self.assertEqual(saved.dict._values[1], 3)

    def test_old_variable_takes_all_arguments_of_creators(self):
        self.assertEqual(tf.compat.v1.Variable(2., experimental_enable_variable_lifting=False).numpy(), 2.)


class LinearOperators(unittest.TestCase):
    def operators(self):
        diag = tf.linalg.LinearOperatorDiag([1., 2.])
        return [diag, tf.linalg.LinearOperatorLowerTriangular([[1., 0.], [2., 3.]], is_non_singular=True),
                tf.linalg.LinearOperatorIdentity(2), tf.linalg.LinearOperatorScaledIdentity(2, 2.),
                tf.linalg.LinearOperatorComposition([diag, tf.linalg.LinearOperatorIdentity(2)]),
                tf.linalg.LinearOperatorLowRankUpdate(diag, tf.ones([2, 1])),
                tf.linalg.LinearOperatorKronecker([tf.linalg.LinearOperatorDiag([2.]), diag]),
                tf.linalg.LinearOperatorInversion(diag), tf.linalg.LinearOperatorDiag(tf.Variable([1., 2.]))]

    def test_operators_go_into_functions_and_come_back(self):
        f = tf.function(lambda o: (o.matvec([3., 4.]), o), reduce_retracing=False)
        for o in self.operators():
            product, back = f(o)
            np.testing.assert_allclose(product, o.matvec([3., 4.]))
            self.assertIs(type(back), type(o))
            np.testing.assert_allclose(back.to_dense(), o.to_dense())
            self.assertIsInstance(o, tf.__internal__.CompositeTensor)
            again = pickle.loads(pickle.dumps(o._type_spec)) if not isinstance(o._parameters.get('diag'), tf.Variable) else None
            self.assertIn(again, (None, o._type_spec))
        before = f.experimental_get_tracing_count()
        self.assertEqual(f(tf.linalg.LinearOperatorDiag([5., 6.]))[0].numpy().tolist(), [15., 24.])
        self.assertEqual(f.experimental_get_tracing_count(), before)

    def test_operators_are_values_of_loops(self):
        last = tf.while_loop(lambda i, o: i < 3, lambda i, o: (i + 1, tf.linalg.LinearOperatorDiag(o.diag_part() * 2)),
                             (0, tf.linalg.LinearOperatorDiag([1., 2.])))[1]
        self.assertEqual(last.diag_part().numpy().tolist(), [8., 16.])

    def test_class_of_a_library_becomes_composite(self):
        from tensorflow.python.ops.linalg import linear_operator

        @linear_operator.make_composite_tensor
        class Own(tf.linalg.LinearOperatorLowerTriangular):
            """Has a determinant of its own."""

            def _log_abs_determinant(self):
                return tf.constant(7.)
        self.assertEqual(tf.function(lambda o: o.log_abs_determinant())(Own([[1.]])).numpy(), 7.)
        self.assertEqual(Own([[1.]])._type_spec.value_type, Own)


class Names(unittest.TestCase):
    def test_specs_of_dense_values(self):
        from tensorflow.python.framework import tensor_spec

        class Spec(tensor_spec.DenseSpec):
            """A spec of tensors."""

            value_type = tf.Tensor
        self.assertEqual(Spec([2], tf.int32), Spec([2], tf.int32))
        self.assertNotEqual(Spec([2], tf.int32), Spec([3], tf.int32))
        self.assertTrue(Spec([None]).is_compatible_with(tf.ones([4])))
        self.assertFalse(Spec([None]).is_compatible_with(tf.ones([4, 1])))

    def test_private_members_of_specs(self):
        import tensorflow.python.framework.type_spec  # noqa: F401
        spec = tf.TensorSpec([None, 2])
        key = spec._TypeSpec__make_cmp_key
        parts = {'b': [1, (tf.TensorShape([1, None]), spec)], 'a': np.ones([2, 2])}
        self.assertEqual(hash(key(parts)), hash(key(dict(reversed(parts.items())))))
        self.assertNotEqual(key([1]), key((1,)))
        self.assertNotEqual(key(np.ones([2])), key(np.zeros([2])))
        fits = spec._TypeSpec__is_compatible
        self.assertTrue(fits({'x': (1, spec)}, {'x': (1, tf.TensorSpec([3, 2]))}))
        for a, b in (((1, spec), (2, spec)), ((1,), [1]), ((1, 2), (1,)), ({'x': 1}, {'y': 1}),
                     (spec, tf.TensorSpec([3, 4]))):
            self.assertFalse(fits(a, b))

    def test_module_whose_class_reads_attributes_in_its_own_way(self):
        class Own(tf.Module):
            """Gives nothing of its dict."""

            def __getattribute__(self, name):
                return {} if name == '__dict__' else super().__getattribute__(name)
        module = Own(name='m')
        self.assertIs(module.name_scope, module.name_scope)
        with module.name_scope:
            self.assertEqual(tf.Variable(1., name='v').name, 'm/v:0')

    def test_subclass_of_a_test_case_reads_values(self):
        class Case(tf.test.TestCase):
            """A case of a library."""

            def runTest(self):
                """Nothing."""

            def _GetNdArray(self, a):
                return super()._GetNdArray(a)
        for value in (tf.constant([1, 2]), [1, 2], tf.Variable([1, 2]), np.array([1, 2])):
            self.assertEqual(Case()._GetNdArray(value).tolist(), [1, 2])

    def test_variable_is_added_to_an_object(self):
        from tensorflow.python.checkpoint import checkpoint
        owner = tf.train.Checkpoint()
        v = checkpoint.add_variable(owner, name='v', shape=[2], dtype=tf.float32)
        self.assertEqual(v.numpy().tolist(), [0., 0.])
        self.assertIs(owner._lookup_dependency('v'), v)
        self.assertEqual(checkpoint.add_variable(owner, 'w', initializer=tf.constant(3.)).numpy(), 3.)

    def test_graph_tells_devices_of_scopes(self):
        class Capture:
            """Stands for an op."""

            device = ''

            def _set_device(self, device):
                self.device = device
        with tf.Graph().as_default() as graph:
            with tf.device('/cpu:0'):
                op = Capture()
                graph._apply_device_functions(op)
            self.assertIn('CPU:0', op.device)
        op = Capture()
        graph._apply_device_functions(op)
        self.assertEqual(op.device, '')

    def test_tests_run_under_the_strategies_that_are_there(self):
        strategies = tf.__internal__.distribute.combinations
        rules = strategies.generate.keywords['test_combinations']
        self.assertIn('test_combinations', tf.__internal__.test.combinations.generate.keywords)
        for one, kind in ((strategies.default_strategy, tf.distribute.Strategy),
                          (strategies.one_device_strategy, tf.distribute.OneDeviceStrategy),
                          (strategies.mirrored_strategy_with_one_cpu, tf.distribute.MirroredStrategy)):
            given = {'distribution': one, 'x': 1}
            self.assertTrue(all(rule.should_execute_combination(given)[0] for rule in rules))
            made = [m.modified_arguments(given, ['x', 'distribution']) for rule in rules for m in rule.parameter_modifiers()]
            self.assertIsInstance({k: v for one in made for k, v in one.items()}['distribution'], kind)
        for one in (strategies.tpu_strategy, strategies.NamedDistribution('Many', tf.distribute.get_strategy, required_gpus=99)):
            answers = [rule.should_execute_combination({'distribution': one}) for rule in rules]
            self.assertTrue(any(not runs and reason for runs, reason in answers))

    def test_older_ops(self):
        x = tf.reshape(tf.range(6.), [2, 3])
        self.assertEqual(tf.raw_ops.MatrixDiagPartV2(input=x, k=[-1, 1], padding_value=9.).numpy().tolist(),
                         [[1., 5.], [0., 4.], [3., 9.]])
        self.assertEqual(tf.raw_ops.MatrixSetDiagV2(input=x, diagonal=[7., 8.], k=1).numpy().tolist(),
                         [[0., 7., 2.], [3., 4., 8.]])
        with self.assertRaisesRegex(TypeError, 'align'):
            tf.raw_ops.MatrixDiagV2(diagonal=x, k=0, num_rows=-1, num_cols=-1, padding_value=0., align='LEFT_LEFT')
        v = tf.Variable([1., 2.])
        tf.raw_ops.ResourceApplyGradientDescent(var=v.handle, alpha=.5, delta=[1., 1.])
        self.assertEqual(v.numpy().tolist(), [.5, 1.5])

    def test_features_are_made_once(self):
        columns = tf.__internal__.feature_column
        made = []

        class Twice(columns.DenseColumn):
            """Twice a feature."""

            name, parse_example_spec, variable_shape = 'twice', {}, tf.TensorShape([1])

            def transform_feature(self, transformation_cache, state_manager):
                """2 x."""
                made.append(1)
                return 2. * transformation_cache.get('x', state_manager)

            def get_dense_tensor(self, transformation_cache, state_manager):
                """The same."""
                return transformation_cache.get(self, state_manager)
        cache, column = columns.FeatureTransformationCache({'x': [1., 2.], 'scalar': 1.}), Twice()
        for _ in range(2):
            self.assertEqual(column.get_dense_tensor(cache, None).numpy().tolist(), [[2.], [4.]])
        self.assertEqual(len(made), 1)
        for key, words in (('y', 'is not in features'), ('scalar', 'cannot have rank 0')):
            with self.assertRaisesRegex(ValueError, words):
                cache.get(key, None)
        with self.assertRaisesRegex(ValueError, 'does not exist'):
            columns.StateManager().get_variable(column, 'w')
        with self.assertRaisesRegex(ValueError, 'no layer was given'):
            columns.StateManager().create_variable(column, 'w', [1])
        with self.assertRaisesRegex(ValueError, 'custom_objects'):
            columns.deserialize_feature_column({'class_name': 'Twice', 'config': {}})

    def test_columns_of_two_classes_are_never_equal(self):
        inner, columns = tf.__internal__.feature_column, tf.feature_column
        ids = columns.sequence_categorical_column_with_identity('i', 4)
        counts = columns.indicator_column(ids.categorical_column)
        self.assertEqual(tuple(ids), tuple(counts))
        self.assertNotEqual(ids, counts)
        self.assertEqual(counts, columns.indicator_column(ids.categorical_column))
        self.assertEqual(len({ids, counts, columns.indicator_column(ids.categorical_column)}), 2)
        cache = inner.FeatureTransformationCache({'i': tf.constant([[3, 1]])})
        self.assertIsInstance(cache.get(ids, None), tf.SparseTensor)
        self.assertEqual(cache.get(counts, None).numpy().tolist(), [[0, 1, 0, 1]])

    def test_vocabularies_without_further_ids(self):
        column = tf.feature_column.categorical_column_with_vocabulary_list('w', ['a', 'b'], num_oov_buckets=None)
        self.assertEqual(column.num_buckets, 2)
        with self.assertRaisesRegex(ValueError, 'at least 1'):
            tf.feature_column.crossed_column(['a', 'b'], 0)
        self.assertEqual(tf.feature_column.crossed_column(['a', 'b'], 1).num_buckets, 1)

    def test_counts_of_weights_of_an_unknown_rank(self):
        column = tf.feature_column.indicator_column(tf.feature_column.weighted_categorical_column(
            tf.feature_column.categorical_column_with_identity('i', 3), 'v'))

        @tf.function(input_signature=[tf.SparseTensorSpec(None, tf.int64), tf.SparseTensorSpec(None, tf.float32)])
        def counts(ids, weights):
            found = column.transform_feature(tf.__internal__.feature_column.FeatureTransformationCache(
                {'i': ids, 'v': weights}), None)
            self.assertIsNone(found.shape.rank)
            return found
        ids = tf.sparse.from_dense(tf.constant([[[1, 2], [2, 2]]], tf.int64))
        self.assertEqual(counts(ids, tf.cast(ids, tf.float32)).numpy().tolist(), [[[0, 1, 2], [0, 0, 4]]])

    def test_layers_keep_what_columns_make(self):
        inner, columns = tf.__internal__.feature_column, tf.feature_column

        class Layer(tf.Module):
            """Makes variables as a layer does."""

            def add_weight(self, name, shape, dtype, initializer, use_resource, trainable, getter):
                """By the function that was given."""
                return getter(name, shape=shape, dtype=dtype, initializer=initializer, trainable=trainable)
        layer = Layer()
        manager = inner.StateManager(layer, True)
        words = columns.categorical_column_with_vocabulary_list('w', ['a', 'b'])
        column = columns.embedding_column(words, 2, initializer=tf.compat.v1.ones_initializer(), combiner='sum')
        column.create_state(manager)
        self.assertEqual(manager.get_variable(column, 'embedding_weights').shape, [2, 2])
        with self.assertRaisesRegex(ValueError, 'already exists'):
            column.create_state(manager)

        @tf.function
        def look_up(text):
            return column.get_dense_tensor(inner.FeatureTransformationCache({'w': text}), manager)
        for _ in range(2):
            self.assertEqual(look_up(tf.constant([['a', 'b'], ['c', 'a']])).numpy().tolist(), [[2., 2.], [1., 1.]])
        self.assertEqual((len(layer._resources), manager.has_resource(words, 'w_lookup')), (1, True))

    def test_scopes_of_variables_can_be_entered_again(self):
        v1 = tf.compat.v1
        with tf.Graph().as_default():
            scope = v1.variable_scope('s', reuse=v1.AUTO_REUSE)
            made = []
            for _ in range(2):
                with scope as entered:
                    made.append(v1.get_variable('v', []))
                    self.assertEqual(entered.name, 's')
            self.assertIs(*made)

            @v1.variable_scope('t', reuse=v1.AUTO_REUSE)
            def named():
                """A variable of the scope."""
                return v1.get_variable('w', []).name
            self.assertEqual([named(), named()], ['t/w:0', 't/w:0'])
            with self.assertRaisesRegex(TypeError, 'default_name is None'):
                v1.variable_scope(None)

    def test_threads_enter_the_same_scope(self):
        v1, graph = tf.compat.v1, tf.Graph()
        scope, names = v1.variable_scope('s', reuse=v1.AUTO_REUSE), []
        steps = [threading.Event() for _ in range(2)]

        def enter(is_first):
            with graph.as_default(), v1.variable_scope('first' if is_first else 'second'):
                if not is_first:
                    steps[0].wait(20)
                with scope:
                    steps[0 if is_first else 1].set()
                    if is_first:
                        steps[1].wait(20)
                    else:
                        threads[0].join(20)
                names.append(v1.get_variable_scope().name)
        threads = [threading.Thread(target=enter, args=(is_first,)) for is_first in (True, False)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(names, ['first', 'second'])

    def test_options_of_inputs(self):
        options, mode = tf.distribute.InputOptions(), tf.distribute.InputReplicationMode
        self.assertEqual(tuple(options), (True, mode.PER_WORKER, False, 1))
        options = tf.distribute.InputOptions(experimental_fetch_to_device=False, experimental_per_replica_buffer_size=2)
        self.assertEqual((options.experimental_fetch_to_device, options.experimental_per_replica_buffer_size), (False, 2))
        made = tf.distribute.get_strategy().distribute_datasets_from_function(lambda _: tf.data.Dataset.range(2), options)
        self.assertEqual([int(x) for x in made], [0, 1])

    def test_batches_say_their_size(self):
        batches = tf.data.Dataset.range(4).batch(2)
        self.assertEqual((int(batches._batch_size), hasattr(batches.unbatch(), '_batch_size')), (2, False))
        self.assertEqual(int(tf.data.Dataset.range(4).batch(3, num_parallel_calls=2)._batch_size), 3)
        ragged = tf.data.Dataset.from_tensor_slices(tf.ragged.constant([[1], [2, 3]]))
        self.assertEqual(int(ragged.batch(2)._batch_size), 2)

    def test_what_is_spread_over_machines_says_what_to_do(self):
        for make in (tf.experimental.dtensor.DVariable, tf.experimental.dtensor.DTensorDataset,
                     tf.distribute.experimental.coordinator.ClusterCoordinator, tf.__internal__.distribute.ShardedVariable):
            self.assertNotIsInstance(tf.Variable(1.), make)
            with self.assertRaises(NotImplementedError):
                make([])
        with tf.__internal__.distribute.variable_sync_on_read_context():
            self.assertFalse(tf.distribute.get_strategy()._should_use_with_coordinator)

    def test_seeds_may_be_integers_of_any_size(self):
        for seed in (2 ** 70, -2 ** 65):
            tf.random.set_seed(1)
            drawn = tf.random.uniform([3], seed=seed)
            tf.random.set_seed(1)
            self.assertEqual(drawn.numpy().tolist(), tf.random.uniform([3], seed=seed % (2 ** 31 - 1)).numpy().tolist())

    def test_references_have_an_order(self):
        references = [tf.Variable(float(i)).ref() for i in range(4)]
        self.assertEqual(len(sorted(references)), 4)
        self.assertEqual(references[0] < references[1], not references[0] >= references[1])
