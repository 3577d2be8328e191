"""tf.train.Checkpoint and its neighbours: files as TensorFlow writes them, restoring now and later, what is refused."""
import importlib.util
import os
import sys
import unittest

import footlight as tf
from folder_case import FolderCase

GOLDEN = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'golden', 'checkpoints')
sys.dont_write_bytecode = True
_spec = importlib.util.spec_from_file_location('objects', os.path.join(GOLDEN, 'objects.py'))
objects = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(objects)


def bytes_of(path):
    with open(path, 'rb') as file:
        return file.read()


def as_list(variable):
    return tf.cast(variable, tf.float32).numpy().tolist()


class Recorded(FolderCase):
    def test_files_are_those_of_tensorflow(self):
        objects.save(tf, self.folder)
        found = 0
        for folder, _, names in os.walk(GOLDEN):
            for name in names:
                if name.endswith('.index') or '.data-' in name:
                    path = os.path.join(folder, name)
                    with self.subTest(path):
                        self.assertEqual(bytes_of(self.path(os.path.relpath(path, GOLDEN))), bytes_of(path))
                    found += 1
        self.assertEqual(found, 8)
        self.assertEqual(sorted(os.listdir(self.path('managed'))), sorted(os.listdir(os.path.join(GOLDEN, 'managed'))))

    def test_reading_what_tensorflow_wrote(self):
        model = objects.make(tf)
        for variable in model.variables:
            variable.assign(tf.zeros_like(variable))
        step = tf.Variable(0, dtype=tf.int64)
        checkpoint = tf.train.Checkpoint(model=model, step=step)
        checkpoint.restore(os.path.join(GOLDEN, 'objects-1')).assert_consumed()
        self.assertEqual(step.numpy(), 7)
        self.assertEqual(checkpoint.save_counter.numpy(), 1)
        self.assertEqual(model.layers[1].w.numpy().tolist(), [[1, 2], [3, 4]])
        self.assertEqual(model.named['text'].numpy().tolist(), [b'a', b'bc', b''])
        self.assertTrue(model.named['flag'].numpy())
        self.assertEqual(model.pair[0].numpy(), 2)
        self.assertEqual(as_list(model.half), [1.5, 2.5])
        self.assertEqual(as_list(model.bf), 1.25)
        self.assertEqual(model.c.numpy().tolist(), [1 + 2j])

    def test_readers(self):
        reader = tf.train.load_checkpoint(os.path.join(GOLDEN, 'managed'))
        key = 'model/layers/0/w/.ATTRIBUTES/VARIABLE_VALUE'
        self.assertTrue(reader.has_tensor(key))
        self.assertFalse(reader.has_tensor('other'))
        self.assertEqual(reader.get_tensor(key).tolist(), [[1, 2], [3, 4]])
        self.assertEqual(reader.get_variable_to_shape_map()[key], [2, 2])
        self.assertEqual(reader.get_variable_to_dtype_map()[key], tf.float32)
        self.assertEqual(tf.train.list_variables(os.path.join(GOLDEN, 'names-4')), [('x', []), ('y/z', [1, 1])])
        self.assertEqual(tf.train.load_variable(os.path.join(GOLDEN, 'names-4'), 'x'), 2.0)
        self.assertEqual(tf.train.load_checkpoint(os.path.join(GOLDEN, 'names-4')).debug_string(),
                         b'x (DT_FLOAT) []\ny/z (DT_INT32) [1,1]\n')
        with self.assertRaisesRegex(tf.errors.NotFoundError, 'Key nothing not found'):
            reader.get_tensor('nothing')
        with self.assertRaises(tf.errors.NotFoundError):
            tf.train.load_checkpoint(self.path('none'))
        with self.assertRaisesRegex(ValueError, "Couldn't find 'checkpoint' file"):
            tf.train.load_checkpoint(self.folder)


class Restoring(FolderCase):
    def saved(self, **values):
        return tf.train.Checkpoint(**values).save(self.path('ckpt'))

    def test_later(self):
        path = self.saved(v=tf.Variable(1.0), l=[tf.Variable(2.0), tf.Variable(3.0)], d={'a': [tf.Variable(4.0)]})
        checkpoint = tf.train.Checkpoint()
        status = checkpoint.restore(path)
        checkpoint.v = tf.Variable(0.0)
        self.assertEqual(checkpoint.v.numpy(), 1.0)
        checkpoint.l = []
        self.assertEqual(repr(checkpoint.l), 'ListWrapper([])')
        checkpoint.l.append(tf.Variable(0.0))
        checkpoint.l += [tf.Variable(0.0)]
        self.assertEqual([v.numpy() for v in checkpoint.l], [2.0, 3.0])
        with self.assertRaisesRegex(AssertionError, r'\(root\)\.d\.a\.0'):
            status.assert_consumed()
        checkpoint.d = {'a': [tf.Variable(0.0)]}
        self.assertEqual(checkpoint.d['a'][0].numpy(), 4.0)
        status.assert_consumed().assert_existing_objects_matched()

    def test_the_last_restoration_counts(self):
        one = tf.train.Checkpoint(v=tf.Variable(1.0)).save(self.path('one'))
        two = tf.train.Checkpoint(v=tf.Variable(2.0), w=tf.Variable(3.0)).save(self.path('two'))
        checkpoint = tf.train.Checkpoint()
        for path in (one, two):
            checkpoint.restore(path).expect_partial()
        checkpoint.v, checkpoint.w = tf.Variable(0.0), tf.Variable(0.0)
        self.assertEqual((checkpoint.v.numpy(), checkpoint.w.numpy()), (2.0, 3.0))
        checkpoint.restore(one).expect_partial()
        self.assertEqual((checkpoint.v.numpy(), checkpoint.w.numpy()), (1.0, 3.0))

    def test_variables_made_by_a_trace(self):
        class Late(tf.Module):
            v = None

            @tf.function
            def __call__(self):
                if self.v is None:
                    self.v = tf.Variable(1.0)
                return self.v + 1.0
        module = Late()
        module()
        module.v.assign(5.0)
        path = self.saved(m=module)
        module = Late()
        status = tf.train.Checkpoint(m=module).restore(path)
        self.assertEqual(module().numpy(), 6.0)
        status.assert_consumed()

    def test_one_object_by_two_names(self):
        shared = tf.Variable(4.0)
        path = self.saved(a=shared, b=tf.train.Checkpoint(c=shared))
        self.assertEqual(len([n for n, _ in tf.train.list_variables(path) if n.endswith('VALUE')]), 2)
        mine = tf.Variable(0.0)
        tf.train.Checkpoint(b=tf.train.Checkpoint(c=mine)).restore(path).expect_partial()
        self.assertEqual(mine.numpy(), 4.0)

    def test_status(self):
        path = self.saved(v=tf.Variable(1.0), w=tf.Variable(2.0))
        status = tf.train.Checkpoint(v=tf.Variable(0.0)).restore(path)
        status.assert_existing_objects_matched().assert_nontrivial_match()
        with self.assertRaisesRegex(AssertionError, r'Unresolved object in checkpoint \(root\)\.w'):
            status.assert_consumed()
        status.expect_partial()
        status = tf.train.Checkpoint(z=tf.Variable(0.0)).read(path).expect_partial()
        with self.assertRaisesRegex(AssertionError, 'Found 1 Python objects'):
            status.assert_existing_objects_matched()
        with self.assertRaisesRegex(AssertionError, 'Nothing except the root object'):
            status.assert_nontrivial_match()
        with self.assertRaisesRegex(AssertionError, 'No checkpoint specified'):
            tf.train.Checkpoint().restore(None).assert_consumed()

    def test_leftovers_are_told(self):
        path = self.saved(v=tf.Variable(1.0))
        with self.assertLogs('tensorflow', 'WARNING') as logs:
            tf.train.Checkpoint(w=tf.Variable(1.0)).restore(path)
            import gc
            gc.collect()
        self.assertIn('(root).v', '\n'.join(logs.output))

    def test_refusals(self):
        path = self.saved(v=tf.Variable(1.0))
        with self.assertRaisesRegex(ValueError, r'shape \(\) when attempting to restore variable with shape \(2,\)'):
            tf.train.Checkpoint(v=tf.Variable([1.0, 2.0])).restore(path)
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'expected dtype int32 does not equal original dtype '
                                                                    'float'):
            tf.train.Checkpoint(v=tf.Variable(1)).restore(path)
        with self.assertRaisesRegex(tf.errors.NotFoundError, 'double-check that the path'):
            tf.train.Checkpoint().restore(self.path('none'))
        with self.assertRaisesRegex(ValueError, 'expecting v to be a trackable object'):
            tf.train.Checkpoint(v=3)
        module = tf.Module()
        module.v = tf.Variable(1.0)
        with self.assertRaisesRegex(ValueError, 'root.v already exists'):
            tf.train.Checkpoint(module, v=tf.Variable(2.0))

    def test_values_of_a_class_of_the_users(self):
        class Counter(tf.__internal__.tracking.Trackable):
            def __init__(self, n):
                self.n = n

            def _serialize_to_tensors(self):
                return {'the/count': tf.constant(self.n)}

            def _restore_from_tensors(self, restored_tensors):
                self.n = int(restored_tensors['the/count'])
        path = self.saved(c=Counter(5))
        self.assertIn(('c/.ATTRIBUTES/the..Scount', []), tf.train.list_variables(path))
        other = Counter(0)
        tf.train.Checkpoint(c=other).restore(path).assert_consumed()
        self.assertEqual(other.n, 5)


class Views(unittest.TestCase):
    def test_objects_below(self):
        root = tf.train.Checkpoint(a=[tf.Variable(1.0)], b=tf.Module())
        root.b.again = root.a
        view = tf.train.TrackableView(root)
        self.assertEqual(list(view.children(root)), ['a', 'b'])
        self.assertEqual([id(x) for x in view.descendants()], [id(x) for x in (root, root.a, root.b, root.a[0])])


class Managing(FolderCase):
    def test_manager(self):
        v = tf.Variable(0)
        checkpoint = tf.train.Checkpoint(v=v)
        manager = tf.train.CheckpointManager(checkpoint, self.path('m'), max_to_keep=2)
        self.assertIsNone(manager.latest_checkpoint)
        self.assertIsNone(manager.restore_or_initialize())
        for _ in range(4):
            v.assign_add(1)
            last = manager.save()
        self.assertEqual(last, self.path('m', 'ckpt-4'))
        self.assertEqual(manager.checkpoints, [self.path('m', 'ckpt-3'), self.path('m', 'ckpt-4')])
        self.assertEqual(sorted(os.listdir(self.path('m'))),
                         ['checkpoint'] + [f'ckpt-{n}.{end}' for n in (3, 4)
                                           for end in ('data-00000-of-00001', 'index')])
        self.assertEqual(tf.train.latest_checkpoint(self.path('m')), last)
        v.assign(0)
        again = tf.train.CheckpointManager(checkpoint, self.path('m'), max_to_keep=2)
        self.assertEqual(again.checkpoints, manager.checkpoints)
        self.assertEqual(again.restore_or_initialize(), last)
        self.assertEqual(v.numpy(), 4)
        self.assertEqual(again.save(), self.path('m', 'ckpt-5'))
        self.assertEqual(again.checkpoints, [self.path('m', 'ckpt-4'), self.path('m', 'ckpt-5')])
        with self.assertRaisesRegex(ValueError, 'positive integer or `None`'):
            tf.train.CheckpointManager(checkpoint, self.path('m'), max_to_keep=0)

    def test_managers_and_savers_in_graphs(self):
        v1 = tf.compat.v1
        with tf.Graph().as_default():
            step = v1.train.get_or_create_global_step()
            manager = tf.train.CheckpointManager(tf.train.Checkpoint(step=step), self.path('g'), 3, step_counter=step,
                                                 checkpoint_interval=2)
            saver = v1.train.Saver([step])
            with v1.Session() as session:
                session.run(v1.global_variables_initializer())
                self.assertEqual([manager.save(), manager.save()], [self.path('g/ckpt-1'), None])
                session.run(step.assign(5))
                self.assertEqual(manager.save(checkpoint_number=step), self.path('g/ckpt-5'))
                self.assertEqual(saver.save(session, self.path('h/checkpoint'), step), self.path('h/checkpoint-5'))
                with self.assertRaisesRegex(ValueError, 'collides with'):
                    saver.save(session, self.path('h/checkpoint'))
        self.assertEqual(len(v1.train.get_checkpoint_mtimes([*manager.checkpoints, self.path('none')])), 2)

    def test_what_optimizers_keep_is_initialized_too(self):
        inside = tf.python.checkpoint.checkpoint
        v1 = tf.compat.v1
        for by in ('status', 'initializers'):
            with tf.Graph().as_default(), v1.Session() as session:
                variable, optimizer = tf.Variable(3.), v1.train.AdamOptimizer(.1)
                root = tf.train.Checkpoint(optimizer=optimizer, variable=variable)
                status = root.restore(None)
                step = optimizer.minimize(variable * 2., var_list=[variable])
                kept = [variable, *optimizer._get_beta_accumulators(), *(optimizer.get_slot(variable, n) for n in 'mv')]
                listed = inside.list_objects(root)
                self.assertTrue(all(any(one is found for found in listed) for one in kept))
                if by == 'status':
                    status.initialize_or_restore(session)
                else:
                    session.run(inside.gather_initializers(root))
                self.assertEqual([float(x) for x in session.run(kept)][3:], [0., 0.])
                session.run(step)
                self.assertAlmostEqual(float(session.run(variable)), 2.9, places=5)

    def test_folders_and_other_files_are_no_checkpoints(self):
        os.mkdir(self.path('folder'))
        self.write('text', 'x')
        for name, error in (('folder', tf.errors.DataLossError), ('text', tf.errors.DataLossError), ('no', tf.errors.NotFoundError)):
            for read in (tf.compat.v1.train.NewCheckpointReader, tf.train.Checkpoint().read):
                with self.assertRaisesRegex(error, 'different file format' if name != 'no' else 'matching files'):
                    read(self.path(name))

    def test_slots_are_restored_by_their_names(self):
        v1 = tf.compat.v1
        variable, optimizer = tf.Variable(3., name='w'), v1.train.AdamOptimizer(.1)
        optimizer.minimize(lambda: variable * 2., var_list=[variable])
        slot = optimizer.get_slot(variable, 'm')
        slot.assign(7.)
        path = v1.train.Saver([variable, *optimizer.variables()]).save(None, self.path('named'))
        for kept in (variable, slot):
            kept.assign(100.)
        tf.train.Checkpoint(optimizer=optimizer, variable=variable).restore(path)
        self.assertAlmostEqual(variable.numpy(), 2.9, places=5)
        self.assertEqual(slot.numpy(), 7.)

    def test_the_step_of_an_eager_program_ends_with_its_graph(self):
        v1 = tf.compat.v1
        v1.reset_default_graph()
        step = v1.train.get_or_create_global_step()
        self.assertIs(v1.train.get_or_create_global_step(), step)
        v1.reset_default_graph()
        self.assertIsNone(v1.train.get_global_step())

    def test_intervals(self):
        step = tf.Variable(0, dtype=tf.int64)
        made = []
        manager = tf.train.CheckpointManager(tf.train.Checkpoint(step=step), self.path('m'), None, step_counter=step,
                                             checkpoint_interval=5, init_fn=lambda: made.append(1))
        manager.restore_or_initialize()
        self.assertEqual(made, [1])
        saved = []
        for _ in range(11):
            saved.append(manager.save() is not None)
            step.assign_add(1)
        self.assertEqual([i for i, s in enumerate(saved) if s], [0, 5, 10])
        manager = tf.train.CheckpointManager(tf.train.Checkpoint(step=step), self.path('n'), None, step_counter=step,
                                             checkpoint_interval=5, last_checkpoint_step=8)
        self.assertIsNone(manager.save())
        step.assign(13)
        self.assertIsNotNone(manager.save())

    def test_relative_paths_and_a_damaged_state(self):
        before = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, before)
        checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
        self.assertEqual(checkpoint.save('rel/ck'), 'rel/ck-1')
        self.assertEqual(bytes_of('rel/checkpoint'),
                         b'model_checkpoint_path: "ck-1"\nall_model_checkpoint_paths: "ck-1"\n')
        self.assertEqual(tf.train.latest_checkpoint('rel'), 'rel/ck-1')
        self.assertEqual(checkpoint.save('./ck'), './ck-2')
        with open('rel/checkpoint', 'w') as file:
            file.write('model_checkpoint_path: {')
        with self.assertLogs('tensorflow', 'WARNING'):
            self.assertIsNone(tf.train.latest_checkpoint('rel'))

    def test_iterator(self):
        checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
        found = []
        checkpoint.save(self.path('ck'))
        for path in tf.train.checkpoints_iterator(self.folder, timeout=0, timeout_fn=lambda: True):
            found.append(path)
            if len(found) < 3:
                checkpoint.save(self.path('ck'))
        self.assertEqual(found, [self.path(f'ck-{n}') for n in (1, 2, 3)])


class ByName(FolderCase):
    def test_saver(self):
        x, y = tf.Variable(1.0, name='x'), tf.Variable([2.0], name='y')
        saver = tf.compat.v1.train.Saver([x, y], max_to_keep=2)
        for step in range(3):
            x.assign(float(step))
            path = saver.save(None, self.path('s'), global_step=step)
        self.assertEqual(path, self.path('s-2'))
        self.assertEqual(saver.last_checkpoints, [self.path('s-1'), self.path('s-2')])
        saver.restore(None, self.path('s-1'))
        self.assertEqual(x.numpy(), 1.0)
        other = tf.Variable(9.0, name='other')
        tf.compat.v1.train.Saver({'x': other}).restore(None, path)
        self.assertEqual(other.numpy(), 2.0)
        with self.assertRaisesRegex(tf.errors.NotFoundError, 'Key p not found'):
            tf.compat.v1.train.Saver({'p': x}).restore(None, path)
        with self.assertRaisesRegex(ValueError, 'not a valid checkpoint'):
            saver.restore(None, self.path('s-0'))
        with self.assertRaises(RuntimeError):
            tf.compat.v1.train.Saver()

    def test_the_saver_of_eager_programs(self):
        tfe = tf.contrib.eager
        x = tfe.Variable(10., name='x')
        saver = tfe.Saver([x])
        saver.save(self.path('ckpt'))
        x.assign(11.)
        saver.restore(self.path('ckpt'))
        self.assertEqual(x.numpy(), 10.)

    def test_names_and_objects(self):
        x, y = tf.Variable(1.0, name='x'), tf.Variable([2.0], name='y')
        named = tf.compat.v1.train.Saver([x, y]).save(None, self.path('names'))
        checkpoint = tf.train.Checkpoint(a=x, b=y)
        objects_path = checkpoint.save(self.path('objects'))
        x.assign(0.0)
        checkpoint.restore(named).assert_consumed()
        self.assertEqual(x.numpy(), 1.0)
        x.assign(0.0)
        tf.compat.v1.train.Saver([x, y]).restore(None, objects_path)
        self.assertEqual(x.numpy(), 1.0)
        checkpoint.c = tf.Variable(1.0, name='unknown')
        with self.assertRaisesRegex(AssertionError, "'unknown'"):
            checkpoint.restore(named).assert_existing_objects_matched()

    def test_a_session_gets_the_values_of_names(self):
        v1 = tf.compat.v1
        with tf.Graph().as_default(), v1.Session() as session:
            x, y, other = (v1.get_variable(name, initializer=first) for name, first in (('x', 1.), ('y', 2.), ('other', 3.)))
            session.run(v1.global_variables_initializer())
            session.run([x.assign(10.), y.assign(20.)])
            named = v1.train.Saver([x, y]).save(session, self.path('names'))
            checkpoint = tf.train.Checkpoint(x=x, y=y, other=other)
            for restore in ('run_restore_ops', 'initialize_or_restore'):
                session.run([x.assign(0.), y.assign(0.), other.assign(7.)])
                getattr(checkpoint.restore(named), restore)(session)
                self.assertEqual(session.run([x, y, other]), [10., 20., 7. if restore == 'run_restore_ops' else 3.])
