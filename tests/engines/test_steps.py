"""Recording some steps of a loop: of a plain one, of Keras and of Lightning."""
import importlib.util
import os
import textwrap
import unittest

from with_fakes import WithFakes

LOOP = '''
import warnings
warnings.simplefilter('error')
import footlight as tf
import footlight_recorder

@tf.function
def step(x):
    return x * 2.0
'''


class Steps(WithFakes):
    installed = ()

    def run_script(self, text):
        self.write('script.py', LOOP + textwrap.dedent(text))
        done = self.run_python('script.py')
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def query(self, name, sql):
        return [tuple(row.values()) for row in self.said('sql', name, sql)]

    def spans(self, name):
        return [span for span, in self.query(name, "SELECT name FROM spans WHERE category = 'step' ORDER BY start_ns")]

    def test_over_what_a_loop_takes(self):
        out = self.run_script('''
            recorded = footlight_recorder.steps(3, 5, 'run.footlight')
            for number in recorded.over(range(1, 9)):
                step(tf.ones([number]))
                if number == 6:
                    print(recorded.number, recorded.path)
            ''')
        self.assertEqual(out, f'6 {self.path("run.footlight")}\n')
        self.assertEqual(self.spans('run.footlight'), ['step 3', 'step 4', 'step 5'])
        self.assertEqual(self.query('run.footlight', 'SELECT count(*) FROM calls'), [(3,)])

    def test_a_loop_that_says_its_steps(self):
        self.run_script('''
            with footlight_recorder.steps(2, 10, 'run.footlight', level='structure') as recorded:
                for number in range(3):
                    recorded.step()
                    step(tf.ones([2]))
            step(tf.ones([2]))
            ''')
        self.assertEqual(self.spans('run.footlight'), ['step 2', 'step 3'])
        self.assertEqual(self.query('run.footlight', 'SELECT count(*) FROM calls'), [(2,)])

    def test_a_loop_that_ends_too_early_or_with_an_error(self):
        out = self.run_script('''
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter('always')
                list(footlight_recorder.steps(3, 5, 'early.footlight').over(range(2)))
            print(told[0].message)
            try:
                for number in footlight_recorder.steps(1, 5, 'failed.footlight').over(range(3)):
                    step(tf.ones([2]))
                    raise KeyError('mine')
            except KeyError:
                pass
            footlight_recorder.start('next.footlight')
            for wrong in ((0, 3), (4, 3), (1.5, 3)):
                try:
                    footlight_recorder.steps(*wrong)
                except ValueError as error:
                    print(error)
            ''')
        self.assertEqual(out.splitlines()[0], 'nothing was recorded: the loop ended after 2 steps, before step 3')
        self.assertEqual(len(out.splitlines()), 4)
        self.assertFalse(os.path.exists(self.path('early.footlight')))
        self.assertEqual(self.spans('failed.footlight'), ['step 1'])

    @unittest.skipUnless(importlib.util.find_spec('keras'), 'Keras is not installed')
    def test_keras(self):
        self.run_script('''
            import sys
            warnings.resetwarnings()
            import footlight
            from footlight import _alias
            _alias.install()
            import keras, numpy
            model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
            model.compile('sgd', 'mse')
            callback = footlight_recorder.keras_callback(3, 6, 'fit.footlight')
            assert isinstance(callback, keras.callbacks.Callback)
            model.fit(numpy.ones((8, 4), 'float32'), numpy.ones((8, 1), 'float32'), batch_size=2, epochs=2, verbose=0,
                      callbacks=[callback], validation_data=(numpy.ones((2, 4), 'float32'), numpy.ones((2, 1), 'float32')))
            ''')
        self.assertEqual(self.spans('fit.footlight'), ['step 3', 'step 4', 'step 5', 'step 6'])

    def test_callbacks_without_their_framework(self):
        self.run_script('''
            keras = footlight_recorder.keras_callback(2, 3, 'keras.footlight')
            keras.set_model(None)
            keras.on_train_begin()
            for batch in range(5):
                keras.on_train_batch_begin(batch)
                step(tf.ones([2]))
                keras.on_train_batch_end(batch, {'loss': 1.0})
            keras.on_train_end()

            lightning = footlight_recorder.lightning_callback(2, 3, 'lightning.footlight')
            lightning.setup(None, None, stage='fit')
            assert lightning.state_key and lightning.state_dict() == {} and not hasattr(lightning, 'other')
            for batch in range(2):
                lightning.on_train_batch_start(None, None, 'batch', batch)
                step(tf.ones([2]))
                if batch == 0:
                    lightning.on_train_batch_end(None, None, None, 'batch', batch)
            lightning.on_exception(None, None, KeyError())
            footlight_recorder.start('next.footlight')
            ''')
        self.assertEqual(self.spans('keras.footlight'), ['step 2', 'step 3'])
        self.assertEqual(self.spans('lightning.footlight'), ['step 2'])

    def test_callbacks_are_of_their_framework(self):
        os.makedirs(self.path('lightning/pytorch'))
        self.write('lightning/__init__.py', '')
        self.write('lightning/pytorch/__init__.py', 'class callbacks:\n    class Callback:\n        def setup(self): return "theirs"\n')
        self.run_script('''
            import lightning.pytorch
            callback = footlight_recorder.lightning_callback(1, 2)
            assert isinstance(callback, lightning.pytorch.callbacks.Callback) and callback.setup() == 'theirs'
            ''')
