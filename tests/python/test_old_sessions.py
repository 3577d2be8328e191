"""Sessions of training of tf.compat.v1.train: hooks, checkpoints and summaries on the way, values from other checkpoints."""
import os
import tempfile
import unittest

import numpy as np

import footlight as tf
from folder_case import FolderCase

v1 = tf.compat.v1
train = v1.train
v1.logging.set_verbosity(v1.logging.ERROR)


class Log(train.SessionRunHook):
    """Notes what is called."""

    def __init__(self):
        self.calls, self.steps = [], []

    def begin(self):
        self.calls.append('begin')

    def after_create_session(self, session, coord):
        self.calls.append('created')

    def before_run(self, run_context):
        self.calls.append('before')
        return train.SessionRunArgs({'step': train.get_global_step()})

    def after_run(self, run_context, run_values):
        self.calls.append('after')
        self.steps.append(int(run_values.results['step']))

    def end(self, session):
        self.calls.append('end')


class Listener(train.CheckpointSaverListener):
    """Notes what is called, at which step."""

    def __init__(self):
        self.calls = []

    def before_save(self, session, global_step_value):
        self.calls.append(f'before {global_step_value}')

    def after_save(self, session, global_step_value):
        self.calls.append(f'after {global_step_value}')

    def end(self, session, global_step_value):
        self.calls.append(f'end {global_step_value}')


def model():
    x = v1.get_variable('x', initializer=[1., -2.])
    loss = tf.reduce_sum(tf.square(x))
    v1.summary.scalar('loss', loss)
    step = train.get_or_create_global_step()
    return x, loss, train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)


class Sessions(unittest.TestCase):
    def setUp(self):
        v1.summary.FileWriterCache.clear()

    def trained(self, folder, last):
        with tf.Graph().as_default():
            _, _, step = model()
            log = Log()
            with train.MonitoredTrainingSession(
                    checkpoint_dir=folder, hooks=[train.StopAtStepHook(last_step=last), log], save_checkpoint_secs=None,
                    save_checkpoint_steps=2, save_summaries_steps=2, log_step_count_steps=2) as session:
                runs = 0
                while not session.should_stop():
                    session.run(step)
                    runs += 1
            self.assertTrue(v1.get_default_graph().finalized)
        return runs, log

    def test_training_that_goes_on_from_its_checkpoint(self):
        with tempfile.TemporaryDirectory() as folder:
            runs, log = self.trained(folder, 5)
            self.assertEqual(runs, 5)
            self.assertEqual(log.calls, ['begin', 'created'] + ['before', 'after'] * 5 + ['end'])
            self.assertEqual(log.steps, [1, 2, 3, 4, 5])
            self.assertEqual(os.path.basename(tf.train.latest_checkpoint(folder)), 'model.ckpt-5')
            self.assertEqual(sorted(int(f[11:-6]) for f in os.listdir(folder) if f.endswith('.index')), [0, 2, 4, 5])
            runs, log = self.trained(folder, 8)
            self.assertEqual(runs, 3)
            self.assertEqual(os.path.basename(tf.train.latest_checkpoint(folder)), 'model.ckpt-8')
            self.assertIn('graph.pbtxt', os.listdir(folder))
            v1.summary.FileWriterCache.clear()
            found = [(e.step, v.tag) for f in sorted(os.listdir(folder)) if 'tfevents' in f
                     for e in train.summary_iterator(os.path.join(folder, f)) for v in e.summary.value]
            self.assertEqual([step for step, tag in found if tag == 'loss'], [1, 3, 5, 6, 8])
            self.assertIn((3, 'global_step/sec'), found)

    def test_hooks_of_one_session(self):
        with tempfile.TemporaryDirectory() as folder, tf.Graph().as_default():
            x, loss, step = model()
            listener, final = Listener(), train.FinalOpsHook(loss)
            fed = v1.placeholder_with_default(0., [], name='fed')
            more = fed + 1
            hooks = [train.CheckpointSaverHook(folder, save_steps=3, listeners=[listener], saver=train.Saver()),
                     train.FeedFnHook(lambda: {fed: 5.}), final, train.LoggingTensorHook({'loss': loss}, every_n_iter=2)]
            with train.MonitoredSession(hooks=hooks) as session:
                for _ in range(7):
                    session.run(step)
                self.assertEqual(session.run(more), 6.)
                self.assertEqual(session.run_step_fn(
                    lambda step_context: step_context.run_with_hooks(more) + step_context.session.run(more)), 7.)
                with self.assertRaisesRegex(RuntimeError, 'fed by a SessionRunHook and user'):
                    session.run(more, {fed: 3.})
            self.assertEqual(listener.calls, ['before 0', 'after 0', 'before 3', 'after 3', 'before 6', 'after 6', 'before 7',
                                              'after 7', 'end 7'])
            self.assertAlmostEqual(final.final_ops_values, 0.2199023, 6)
            self.assertTrue(session.should_stop())
            self.assertRaises(RuntimeError, session.run, step)

    def test_loss_that_is_not_a_number(self):
        with tf.Graph().as_default():
            x, _, step = model()
            bad = tf.reduce_sum(x) * float('nan')
            with self.assertRaises(train.NanLossDuringTrainingError):
                with train.MonitoredSession(hooks=[train.NanTensorHook(bad)]) as session:
                    session.run(step)
            with train.MonitoredSession(hooks=[train.NanTensorHook(bad, fail_on_nan_loss=False)]) as session:
                session.run(step)
                self.assertTrue(session.should_stop())
                with self.assertRaisesRegex(RuntimeError, 'should_stop'):
                    session.run(step)

    def test_scaffold(self):
        with tf.Graph().as_default():
            x, _, _ = model()
            scaffold = train.Scaffold(init_fn=lambda given, session: x.load([3., 4.], session))
            with train.SingularMonitoredSession(scaffold=scaffold) as session:
                np.testing.assert_array_equal(session.raw_session().run(x), [3., 4.])
            self.assertIsNotNone(scaffold.summary_op)
            self.assertIsNotNone(scaffold.saver)
            with train.MonitoredSession(train.ChiefSessionCreator(scaffold)):
                raise tf.errors.OutOfRangeError(None, None, 'the end of the data')  # is an end as any other
        with tf.Graph().as_default():
            v1.add_to_collection('savers', 1)
            v1.add_to_collection('savers', 2)
            with self.assertRaisesRegex(RuntimeError, 'More than one item'):
                train.Scaffold().finalize()

    def test_session_that_begins_anew(self):
        class Fails(train.SessionRunHook):
            sessions = 0

            def after_create_session(self, session, coord):
                self.sessions += 1

            def before_run(self, run_context):
                if self.sessions == 1:
                    raise tf.errors.AbortedError(None, None, 'gone')
        with tf.Graph().as_default():
            x, _, _ = model()
            hook = Fails()
            with train.MonitoredSession(hooks=[hook]) as session:
                np.testing.assert_array_equal(session.run(x), [1., -2.])
            self.assertEqual(hook.sessions, 2)

    def test_arguments(self):
        for make, words in ((lambda: train.SecondOrStepTimer(), 'Either every_secs or every_steps'),
                            (lambda: train.SecondOrStepTimer(1, 1), 'Can not provide both'),
                            (lambda: train.StopAtStepHook(), 'One of num_steps or last_step'),
                            (lambda: train.LoggingTensorHook([], 1, 1), 'exactly one of every_n_iter'),
                            (lambda: train.SummarySaverHook(1), 'Exactly one of scaffold or summary_op'),
                            (lambda: train.StepCounterHook(None), 'exactly one of every_n_steps')):
            with self.assertRaisesRegex(ValueError, words):
                make()
        self.assertIsNone(train.replica_device_setter())
        with self.assertRaisesRegex(NotImplementedError, 'leave ps_tasks at 0'):
            train.replica_device_setter(ps_tasks=2)


class Values(FolderCase):
    def test_from_another_checkpoint(self):
        with tf.Graph().as_default():
            v1.get_variable('old/x', initializer=[1., 2.])
            v1.get_variable('old/step', initializer=7)
            with v1.Session() as session:
                session.run(v1.global_variables_initializer())
                path = train.Saver().save(session, self.path('model'))
        with tf.Graph().as_default(), v1.Session() as session:
            a = v1.get_variable('a/y', [2])
            with v1.variable_scope('new'):
                b = v1.get_variable('x', [2])
            train.init_from_checkpoint(path, {'old/x': a})
            train.init_from_checkpoint(self.folder, {'old/': 'new/'})
            session.run(v1.global_variables_initializer())
            for value in session.run([a, b]):
                np.testing.assert_array_equal(value, [1., 2.])
            for names, words in (({'nope': a}, 'is not found in'), ({'old/step': a}, "doesn't match with shape"),
                                 ({'old/x': 'nothing'}, 'scope only'), ({'/': 'new/'}, 'is not found in')):
                with self.assertRaisesRegex(ValueError, words):
                    train.init_from_checkpoint(path, names)
        with tf.Graph().as_default(), v1.Session() as session:
            c = v1.get_variable('new/x', [2])
            train.warm_start(path, 'new/.*', var_name_to_prev_var_name={'new/x': 'old/x'})
            session.run(v1.global_variables_initializer())
            np.testing.assert_array_equal(session.run(c), [1., 2.])
