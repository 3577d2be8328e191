"""Sessions of tf.compat.v1: each has values of its own for the variables of its graph, from when an initializer runs."""
import os
import tempfile
import unittest

import footlight as tf
from folder_case import FolderCase

v1 = tf.compat.v1


class SessionsTest(unittest.TestCase):
    def setUp(self):
        scope = tf.Graph().as_default()
        self.graph = scope.__enter__()
        self.addCleanup(scope.__exit__, None, None, None)

    def unset(self, session, variable):
        with self.assertRaisesRegex(tf.errors.FailedPreconditionError, 'before a value was assigned'):
            session.run(variable)

    def test_sessions_have_separate_values(self):
        v = v1.get_variable('v', [], initializer=v1.zeros_initializer())
        w = v1.Variable(5.)
        add, start = v.assign_add(1.), v1.global_variables_initializer()
        missing = v1.report_uninitialized_variables()
        first, second = v1.Session(), v1.Session()
        first.run(start)
        self.unset(second, v)
        self.assertEqual(second.run(missing).tolist(), [b'v', b'Variable'])
        second.run(start)
        for session in (first, first, second):
            session.run(add)
        self.assertEqual([first.run([v, w]), second.run([v, w])], [[2, 5], [1, 5]])
        v.load(9., first)
        self.assertEqual([v.eval(first), v.eval(session=second)], [9, 1])
        self.assertEqual(second.run(missing).tolist(), [])
        first.close()
        self.unset(v1.Session(), v)

    def test_initializers_run_again(self):
        v, w = v1.Variable(1.), v1.Variable(2., trainable=False)
        self.assertEqual([v.name, w.name], ['Variable:0', 'Variable_1:0'])
        drawn = v1.Variable(tf.random.normal([4]), name='drawn')
        change = tf.group(v.assign(7.), w.assign(8.))
        with v1.Session() as session:
            session.run(v1.variables_initializer([v]))
            self.unset(session, w)
            v1.global_variables_initializer().run()
            before = drawn.eval()
            session.run(change)
            session.run(w.initializer)
            self.assertEqual(session.run([v, w]), [7, 2])
            session.run(v1.global_variables_initializer())
            self.assertEqual(session.run([v, w]), [1, 2])
            self.assertNotEqual(before.tolist(), drawn.eval().tolist())

    def test_values_that_other_variables_give(self):
        v = v1.Variable(3., name='v')
        both = v1.Variable(v.initialized_value() * 2., name='both')
        plain = v1.Variable(v * 4., name='plain')
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            self.assertEqual(session.run([v, both, plain]), [3, 6, 12])
            session.run(v1.is_variable_initialized(v))
            session.run(v.assign(10.))
            session.run(both.initializer)
            self.assertEqual(session.run(both), 20)
        with self.assertRaisesRegex(ValueError, 'no default session'):
            v.eval()

    def test_optimizers_begin_anew(self):
        w = v1.get_variable('w', [2, 1], initializer=v1.ones_initializer())
        x = v1.placeholder(tf.float32, [None, 2])
        loss = tf.reduce_mean(tf.square(x @ w))
        step = v1.train.get_or_create_global_step()
        train = v1.train.AdamOptimizer(0.1).minimize(loss, global_step=step)
        self.assertEqual(sorted(v.name for v in v1.global_variables()), [
            'beta1_power:0', 'beta2_power:0', 'global_step:0', 'w/Adam:0', 'w/Adam_1:0', 'w:0'])
        self.assertIs(v1.train.get_global_step(), step)
        saver, start = v1.train.Saver(), v1.global_variables_initializer()
        fed, found = {x: [[1., 1.]]}, []
        with tempfile.TemporaryDirectory() as folder:
            for number in range(2):
                with v1.Session() as session:
                    session.run(start)
                    for _ in range(3):
                        session.run(train, fed)
                    found.append(float(session.run(loss, fed)))
                    path = saver.save(session, os.path.join(folder, 'model'), global_step=step)
            self.assertTrue(path.endswith('model-3'))
            self.assertAlmostEqual(found[0], 1.9688991, places=5)
            self.assertEqual(found[0], found[1])
            with v1.Session() as session:
                saver.restore(session, path)
                self.assertEqual([float(session.run(loss, fed)), session.run(step)], [found[0], 3])

    def test_checkpoints_of_objects(self):
        v = v1.Variable(1., name='v')
        checkpoint = v1.train.Checkpoint(v=v)
        with tempfile.TemporaryDirectory() as folder:
            with v1.Session() as session:
                session.run(v.initializer)
                session.run(v.assign(4.))
                path = checkpoint.write(os.path.join(folder, 'c'))
            with v1.Session() as session:
                checkpoint.read(path).run_restore_ops(session)
                self.assertEqual(session.run(v), 4)

    def test_names_below_no_scope(self):
        with tf.name_scope('a'):
            for scope in (tf.name_scope(''), v1.name_scope(None), v1.name_scope('')):
                with scope as name:
                    self.assertEqual((name, tf.zeros([]).name[:5]), ('', 'zeros'))
            self.assertEqual(v1.get_variable('w', []).name, 'w:0')
            tf.map_fn(lambda e: e * v1.get_variable('in_loop', []), tf.range(3.))
            self.assertTrue(tf.zeros([]).name.startswith('a/zeros'))
        self.assertEqual([v.name for v in v1.trainable_variables()], ['w:0', 'in_loop:0'])

        @tf.function
        def f():
            with tf.name_scope('b'), tf.name_scope(''):
                return tf.zeros([], name='z')
        self.assertEqual(f.get_concrete_function().graph.get_operations()[-2].name, 'z')

    def test_no_scope(self):
        with tf.init_scope():
            with tf.name_scope('a'):
                with v1.name_scope(None) as name:
                    self.assertEqual(name, '')
                with v1.name_scope(None, 'default') as name:
                    self.assertEqual(name, 'a/default/')
        with self.assertRaisesRegex(ValueError, 'must be provided'):
            v1.name_scope(None, None, [tf.constant(1.)])

    def test_first_values_that_are_fed(self):
        fed = v1.placeholder(tf.float32, [2])
        v = v1.Variable(fed * 2., trainable=False)
        with v1.Session() as session:
            self.unset(session, v)
            session.run(v.initializer, {fed: [1., 2.]})
            self.assertEqual(session.run(v).tolist(), [2, 4])

    def test_averages(self):
        v = v1.get_variable('v', [], initializer=v1.constant_initializer(2.))
        averages = v1.train.ExponentialMovingAverage(0.5)
        update, average = averages.apply([v]), averages.average(v)
        for _ in range(2):
            with v1.Session() as session:
                session.run(v1.global_variables_initializer())
                self.assertEqual(session.run(average), 2)
                session.run(v.assign(4.))
                session.run(update)
                self.assertEqual(session.run(average), 3)
        self.assertIn(average.name, [variable.name for variable in v1.global_variables()])

    def test_tables(self):
        lookup = tf.lookup
        static = lookup.StaticHashTable(lookup.KeyValueTensorInitializer(['a', 'b'], [1, 2]), -1)
        keys = v1.placeholder(tf.string, [None])
        changing = lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
        insert, remove = changing.insert(keys, tf.ones(tf.shape(keys), tf.int64)), changing.remove(keys)
        self.assertEqual([insert.type, remove.type], ['LookupTableInsertV2', 'LookupTableRemoveV2'])
        found, size, changed = static.lookup(keys), static.size(), changing.lookup(keys)
        with v1.Session() as session:
            session.run(v1.tables_initializer())
            self.assertEqual([p.tolist() for p in session.run([found, size, changed], {keys: ['b', 'z']})], [[2, -1], 2, [-1, -1]])
            session.run(insert, {keys: ['z', 'y']})
            session.run(remove, {keys: ['y']})
            self.assertEqual(session.run(changed, {keys: ['b', 'y', 'z']}).tolist(), [-1, -1, 1])

    def test_local_variables(self):
        v = v1.get_local_variable('v', [], initializer=v1.ones_initializer())
        self.assertEqual([v1.local_variables(), v1.global_variables(), v1.trainable_variables()], [[v], [], []])
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            self.unset(session, v)
            session.run(v1.local_variables_initializer())
            self.assertEqual(session.run(v), 1)

    def test_values_as_constants(self):
        x = v1.placeholder(tf.float32, [], name='x')
        v = v1.get_variable('v', [], initializer=v1.constant_initializer(3.))
        tf.multiply(x, v, name='y')
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            session.run(v.assign(5.))
            frozen = v1.graph_util.convert_variables_to_constants(session, self.graph.as_graph_def(), ['y'])
        self.assertEqual(sorted(node.op for node in frozen.node), ['Const', 'Identity', 'Mul', 'Placeholder'])
        with tf.Graph().as_default(), v1.Session() as session:
            y, = tf.import_graph_def(frozen, {'x:0': tf.constant(2.)}, ['y:0'])
            self.assertEqual(session.run(y), 10)

    def test_losses_of_drawn_classes(self):
        drawn = tf.range(10, dtype=tf.int64), tf.ones([2, 1]), tf.ones([10])
        loss = v1.nn.nce_loss(tf.fill([10, 4], 0.05), tf.zeros([10]), tf.constant([[1], [2]], tf.int64), tf.fill([2, 4], 0.1), 10, 10,
                              sampled_values=drawn)
        with v1.Session() as session:
            for value in session.run(loss):
                self.assertAlmostEqual(float(value), 7.715, places=3)


class AlikeInGraphsTest(unittest.TestCase):
    """In a tf.Graph `==` says whether two tensors are the same object, which functions of the library must not ask."""

    def check(self, compute):
        eager = [part.numpy().tolist() for part in compute()]
        with tf.Graph().as_default(), v1.Session() as session:
            self.assertEqual([part.tolist() for part in session.run(compute())], eager)

    def test_sparse(self):
        def sparse():
            return tf.SparseTensor([[0, 1], [2, 0]], [3., 4.], [4, 2])

        def filled():
            made, empty = tf.sparse.fill_empty_rows(sparse(), 9.)
            return [made.indices, made.values, empty]
        self.check(filled)
        self.check(lambda: [tf.sparse.reshape(sparse(), [2, -1]).indices])
        self.check(lambda: [(sparse() * tf.constant([[2., 5.]])).values])
        self.check(lambda: [tf.sparse.mask(tf.IndexedSlices(tf.ones([3, 2]), tf.constant([1, 2, 5])), [2]).indices])

    def test_others(self):
        numpy = tf.experimental.numpy
        self.check(lambda: [numpy.sinc(tf.constant([0., 0.5])), numpy.gcd(tf.constant([12, 0]), tf.constant([18, 5])),
                            numpy.lcm(tf.constant([4, 0]), tf.constant([6, 5]))])
        self.check(lambda: list(v1.setdiff1d([1, 2, 3, 4], [2, 4])))
        self.check(lambda: [tf.nn.ctc_loss(tf.constant([[1, 2]]), tf.zeros([3, 1, 4]), [2], [3], blank_index=0)])
        self.check(lambda: [tf.nn.compute_accidental_hits(tf.constant([[1], [2]], tf.int64),
                                                          tf.constant([2, 1, 5], tf.int64), 1)[0]])
        self.check(lambda: [tf.RaggedTensor.from_tensor([[1, 0], [2, 3]], padding=0).row_splits])

    def test_names_and_feeds(self):
        with tf.Graph().as_default() as graph, v1.Session() as session:
            with v1.variable_scope('v'):
                v1.get_variable('w', [])
            self.assertIn('v/w/Initializer/random_uniform', [op.name for op in graph.get_operations()])
            fed = v1.placeholder(tf.float32)
            with self.assertRaisesRegex(ValueError, 'Cannot feed'):
                session.run(fed * 2., {fed: 'x'})


class SavedGraphTest(FolderCase):
    def test_load_without_a_session(self):
        path = self.path('saved')
        with tf.Graph().as_default(), v1.Session() as session:
            x = v1.placeholder(tf.float32, [None, 2], name='x')
            w = v1.get_variable('w', [2, 1], initializer=v1.constant_initializer(3.))
            y = tf.identity(x @ w, name='y')
            session.run(v1.global_variables_initializer())
            session.run(w.assign([[4.], [5.]]))
            v1.saved_model.simple_save(session, path, {'x': x}, {'y': y, 'twice': y * 2.})
        loaded = tf.saved_model.load(path)
        self.assertEqual(list(loaded.signatures), ['serving_default'])
        function = loaded.signatures['serving_default']
        self.assertEqual(function.structured_input_signature, ((), {'x': tf.TensorSpec([None, 2], tf.float32, 'x')}))
        self.assertEqual(function.structured_outputs['y'].shape.as_list(), [None, 1])
        given = tf.constant([[1., 2.]])
        for found in (function(given), function(x=given), tf.function(lambda: function(given))()):
            self.assertEqual({name: value.numpy().tolist() for name, value in found.items()}, {'y': [[14]], 'twice': [[28]]})
        self.assertEqual(loaded.prune('x:0', 'y:0')(given).numpy().tolist(), [[14]])
        self.assertEqual(loaded.prune(['x:0'], {'a': 'y:0'})(given)['a'].numpy().tolist(), [[14]])


class WrappedTest(unittest.TestCase):
    def test_minimize(self):
        def train(x, make):
            w = v1.get_variable('w', [2, 1], initializer=v1.ones_initializer())
            loss = tf.reduce_mean(tf.square(x @ w))
            step = v1.train.get_or_create_global_step()
            with v1.control_dependencies([make().minimize(loss, global_step=step)]):
                return tf.identity(loss), step.read_value()
        for make, wanted in ((lambda: v1.train.GradientDescentOptimizer(0.1), [4., 1.44, 0.5184]),
                             (lambda: v1.train.MomentumOptimizer(0.1, 0.9), [4., 1.44, 0.])):
            wrapped = v1.wrap_function(lambda x: train(x, make), [tf.TensorSpec([None, 2])])
            found = [[float(value) for value in wrapped(tf.ones([3, 2]))] for _ in range(3)]
            for (loss, step), expected, number in zip(found, wanted, (1, 2, 3)):
                self.assertAlmostEqual(loss, expected, places=5)
                self.assertEqual(step, number)
            self.assertIn('w:0', [v.name for v in wrapped.variables])
