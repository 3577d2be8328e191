"""SaveableObjects, checkpoints written inside of functions and in sessions, SavedModels saved and loaded in graphs."""
import copy
import os

import footlight as tf
from footlight import _alias

_alias.install()
from tensorflow.python.checkpoint import checkpoint as inner_checkpoint  # noqa: E402
from tensorflow.python.saved_model import save as inner_save  # noqa: E402
from tensorflow.python.trackable import base  # noqa: E402
from tensorflow.python.training import saver as saver_lib  # noqa: E402
from tensorflow.python.training.saving import saveable_object  # noqa: E402
from folder_case import FolderCase  # noqa: E402

v1 = tf.compat.v1


class Both(saveable_object.SaveableObject):
    """Saves a variable and its half, and restores both from the first."""

    def __init__(self, whole, other, name):
        self.whole, self.other = whole, other
        specs = [saveable_object.SaveSpec(whole.read_value(), '', name),
                 saveable_object.SaveSpec(lambda: whole / 2, '', name + '-half', dtype=tf.float32)]
        super().__init__(whole, specs, name)

    def restore(self, restored_tensors, restored_shapes):
        first, half = restored_tensors
        return tf.group(self.whole.assign(first), self.other.assign(half))


class Owner(base.Trackable):
    def __init__(self):
        self.whole, self.other = tf.Variable(6., name='whole'), tf.Variable(15., name='other')

    def _gather_saveables_for_checkpoint(self):
        return {'parts': lambda name='owner': Both(self.whole, self.other, name)}


class Saveables(FolderCase):
    def test_an_object_is_saved_by_its_saveables(self):
        owner = Owner()
        owner.whole.assign(42.)
        path = tf.train.Checkpoint(o=owner).save(self.path('c'))
        names = dict(tf.train.list_variables(path))
        self.assertIn('o/.ATTRIBUTES/parts', names)
        self.assertIn('o/.ATTRIBUTES/parts-half', names)
        attributes = [(a.name, a.checkpoint_key) for node in tf.train.CheckpointView(path)._graph.nodes for a in node.attributes
                      if 'parts' in a.name]
        self.assertEqual(attributes, [('parts', 'o/.ATTRIBUTES/parts')])
        other = Owner()
        tf.train.Checkpoint(o=other).restore(path).assert_consumed()
        self.assertEqual((other.whole.numpy(), other.other.numpy()), (42., 21.))

    def test_a_session_saves_and_restores_its_own_values(self):
        with tf.Graph().as_default(), v1.Session() as session:
            owner = Owner()
            checkpoint = tf.train.Checkpoint(o=owner)
            session.run(inner_checkpoint.gather_initializers(checkpoint))
            session.run([owner.whole.initializer, owner.other.initializer])
            session.run(owner.whole.assign(8.))
            path = checkpoint.save(self.path('c'))
            other = v1.get_variable('not_saved', initializer=3.)
            for restore in ('run_restore_ops', 'initialize_or_restore'):
                session.run([owner.whole.assign(1.), other.assign(7.)])
                getattr(checkpoint.read(path).assert_consumed(), restore)()
                self.assertEqual(session.run([owner.whole, owner.other, other]), [8., 4., 7.])

    def test_a_saver_takes_objects_and_saveables(self):
        owner = Owner()
        saver = saver_lib.Saver([owner])
        owner.whole.assign(3.)
        path = saver.save(None, self.path('s'))
        self.assertEqual([name for name, _ in tf.train.list_variables(path)], ['owner', 'owner-half'])
        owner.whole.assign(0.)
        saver.restore(None, path)
        self.assertEqual((owner.whole.numpy(), owner.other.numpy()), (3., 1.5))
        with tf.Graph().as_default(), v1.Session() as session:
            owner = Owner()
            session.run(v1.global_variables_initializer())
            saver = v1.train.Saver([Both(owner.whole, owner.other, 'owner')])
            saver.restore(session, path)
            self.assertEqual(session.run([owner.whole, owner.other]), [3., 1.5])
            session.run(owner.whole.assign(10.))
            again = saver.save(session, self.path('t'))
        self.assertEqual(tf.train.load_variable(again, 'owner-half'), 5.)

    def test_a_checkpoint_without_a_part_says_so(self):
        saver = v1.train.Saver([Both(tf.Variable(1.), tf.Variable(1.), 'elsewhere')])
        path = v1.train.Saver({'v': tf.Variable(1.)}).save(None, self.path('v'))
        with self.assertRaisesRegex(tf.errors.NotFoundError, 'elsewhere'):
            saver.restore(None, path)


class Writing(FolderCase):
    def test_a_function_writes_when_it_runs(self):
        variable = tf.Variable(1.)
        checkpoint = tf.train.Checkpoint(v=variable)

        @tf.function
        def write(path):
            variable.assign_add(1.)
            return checkpoint.write(path)

        for expected in (2., 3.):
            self.assertEqual(write(tf.constant(self.path('w'))).numpy().decode(), self.path('w'))
            self.assertEqual(tf.train.load_variable(self.path('w'), 'v/.ATTRIBUTES/VARIABLE_VALUE'), expected)
        with self.assertRaisesRegex(NotImplementedError, 'Checkpoint.write'):
            tf.function(lambda: checkpoint.save(self.path('x')))()

    def test_a_session_gets_only_what_was_restored(self):
        with tf.Graph().as_default(), v1.Session() as session:
            first, second = tf.Variable(1), tf.Variable(2)
            session.run([first.initializer, second.initializer])
            checkpoint = tf.train.Checkpoint(first=first)
            path = checkpoint.save(self.path('c'))
            checkpoint.second = second
            session.run([first.assign(314), second.assign(314)])
            checkpoint.restore(path).run_restore_ops()
            self.assertEqual(session.run([first, second]), [1, 314])

    def test_options(self):
        with self.assertRaisesRegex(AssertionError, 'takes 2 arguments'):
            tf.train.CheckpointOptions(experimental_write_callbacks=[lambda path, more: None])
        options = tf.train.CheckpointOptions(experimental_write_callbacks=[lambda path: None])
        copy.copy(options).experimental_write_callbacks.append(print)
        self.assertEqual(len(options.experimental_write_callbacks), 1)

    def test_a_manager_leaves_what_others_saved(self):
        checkpoint = tf.train.Checkpoint()
        others = [checkpoint.save(self.path('other')) for _ in range(2)]
        manager = tf.train.CheckpointManager(checkpoint, self.folder, max_to_keep=1)
        self.assertEqual(manager.latest_checkpoint, others[1])
        self.assertEqual(manager.checkpoints, [])
        third, fourth = manager.save(), manager.save()
        self.assertEqual(manager.checkpoints, [fourth])
        self.assertEqual([os.path.exists(p + '.index') for p in (*others, third, fourth)], [True, True, False, True])

    def test_objects_without_values_do_not_wait(self):
        root = tf.Module()
        root.empty, root.full = tf.Module(), tf.Module()
        root.empty.child, root.full.v = tf.Module(), tf.Variable(5.)
        path = tf.train.Checkpoint(m=root).save(self.path('c'))
        new = tf.Module()
        tf.train.Checkpoint(m=new).restore(path)
        self.assertEqual(list(new._deferred_dependencies), ['full'])

    def test_a_constant_has_its_own_shape(self):
        with self.assertRaisesRegex(ValueError, 'do not specify shape'):
            inner_checkpoint.add_variable(tf.train.Checkpoint(), 'v', shape=[], initializer=1)
        made = inner_checkpoint.add_variable(tf.train.Checkpoint(), 'v', shape=[2], initializer=tf.ones_initializer)
        self.assertEqual(made.numpy().tolist(), [1., 1.])


class Graphs(FolderCase):
    def test_a_model_is_saved_and_loaded_in_a_graph(self):
        self.write('a.txt', 'asset')
        with tf.Graph().as_default(), v1.Session() as session:
            model = tf.Module()
            model.v, model.asset = tf.Variable(3.), tf.saved_model.Asset(self.path('a.txt'))
            session.run(model.v.initializer)
            session.run(model.v.assign(5.))
            model.f = tf.function(lambda x: x * model.v, input_signature=[tf.TensorSpec([], tf.float32)])
            tf.saved_model.save(model, self.path('m'))
            loaded = tf.saved_model.load(self.path('m'))
            session.run(loaded.v.initializer)
            self.assertEqual(session.run([loaded.f(2.), loaded.v]), [10., 5.])
            path = session.run(loaded.asset.asset_path).decode()
            self.assertEqual(os.path.dirname(path), self.path('m/assets'))
            self.assertEqual(len(v1.get_collection(v1.GraphKeys.ASSET_FILEPATHS)), 1)
        loaded = tf.saved_model.load(self.path('m'))
        self.assertEqual(loaded.f(tf.constant(2.)).numpy(), 10.)
        with self.assertRaisesRegex(AssertionError, 'inside a traced'):
            tf.function(lambda: tf.saved_model.save(model, self.path('n')))()

    def test_nodes_and_their_paths(self):
        model = tf.Module()
        model.inner = tf.Module()
        model.inner.v = tf.Variable(1.)
        nodes, paths = inner_save.save_and_return_nodes(model, self.path('m'), experimental_skip_checkpoint=True)
        self.assertIs(nodes[0], model)
        self.assertEqual([name for name, _ in paths[model.inner.v]], ['inner', 'v'])
        self.assertFalse(os.path.exists(self.path('m/variables')))
        options = tf.saved_model.LoadOptions(experimental_skip_checkpoint=True)
        self.assertEqual(tf.saved_model.load(self.path('m'), options=options).inner.v.shape, [])

    def test_a_loaded_function_takes_lists(self):
        model = tf.Module()
        model.f = tf.function(lambda x: x * 2, input_signature=[tf.TensorSpec([None], tf.int32)])
        tf.saved_model.save(model, self.path('m'))
        self.assertEqual(tf.saved_model.load(self.path('m')).f([2, 3]).numpy().tolist(), [4, 6])

    def test_a_pruned_function_takes_values_by_name(self):
        with tf.Graph().as_default(), v1.Session() as session:
            x = v1.placeholder(tf.float32, [], name='x')
            y = tf.add(x, 1., name='y')
            v1.saved_model.simple_save(session, self.path('m'), {'x': x}, {'y': y})
        function = tf.saved_model.load(self.path('m')).prune('x:0', 'y:0')
        self.assertEqual(function(x=tf.constant(1.)).numpy(), 2.)
        with self.assertRaisesRegex(TypeError, 'takes a value for each of'):
            function(z=tf.constant(1.))


class ValuesOfSessions(FolderCase):
    """Checkpoints of a graph's variables have the values of the default session."""

    def setUp(self):
        super().setUp()
        self.path = self.path('c')

    def test_a_variable_without_a_value_is_not_left_out(self):
        with tf.Graph().as_default(), v1.Session() as session:
            a, b = v1.get_variable('a', initializer=1.), v1.get_variable('b', initializer=2.)
            checkpoint = tf.train.Checkpoint(a=a, b=b)
            session.run(a.initializer)
            for write in (checkpoint.write, checkpoint.save):
                with self.assertRaisesRegex(tf.errors.FailedPreconditionError, "'b'"):
                    write(self.path)
            session.run([b.initializer, a.assign(5.)])
            path = checkpoint.write(self.path)
        found = [float(tf.train.load_variable(path, name + '/.ATTRIBUTES/VARIABLE_VALUE')) for name in 'ab']
        self.assertEqual(found, [5., 2.])

    def test_without_a_session(self):
        with tf.Graph().as_default():
            module = tf.Module()
            module.v = v1.get_variable('v', initializer=1.)
            checkpoint = tf.train.Checkpoint(module)
            for save in (checkpoint.write, checkpoint.save, lambda path: tf.saved_model.save(module, path)):
                with self.assertRaisesRegex(RuntimeError, 'in graph mode without a default session'):
                    save(self.path)
            with self.assertRaisesRegex(TypeError, "'sess' must be a Session"):
                v1.train.Saver().save(None, self.path)

    def test_slots_of_optimizers(self):
        with tf.Graph().as_default(), v1.Session() as session:
            v = v1.get_variable('v', initializer=1.)
            optimizer = v1.train.MomentumOptimizer(0.5, 0.5)
            train = optimizer.minimize(v)  # a variable is its own loss
            checkpoint = tf.train.Checkpoint(v=v, optimizer=optimizer)
            initializers = inner_checkpoint.gather_initializers(checkpoint)
            self.assertEqual(len(initializers), 2)
            checkpoint.restore(None).initialize_or_restore()
            session.run(train)
            slot = optimizer.get_slot(v, 'momentum')
            self.assertEqual(session.run([v, slot]), [0.5, 1.])
            path = checkpoint.write(self.path)
            session.run([v.assign(7.), slot.assign(8.)])
            checkpoint.read(path).assert_consumed().run_restore_ops()
            self.assertEqual(session.run([v, slot]), [0.5, 1.])
            session.run(initializers)
            self.assertEqual(session.run([v, slot]), [1., 0.])
