"""Calls whose graph calls Python: what Python keeps is not put back, so a repetition may be another call."""
import json
import re
import unittest

from folder_case import FolderCase
from footlight_program import run

EPISODE = '''
import time
import tensorflow as tf
class Env:
    left = steps = 0
    def step(self, x):
        Env.steps += 1
        self.left -= 1
        return x + 1.0, self.left <= 0
env = Env()
@tf.function
def episode(x):
    for _ in tf.range(50):
        x, done = tf.py_function(env.step, [x], (tf.float32, tf.bool))  # here
        x.set_shape([])
        done.set_shape([])
        if done:
            break
    return x
for left in 20, 20, 20, 1:
    env.left = left
    before = Env.steps
    episode(tf.constant(1.0))
    print('steps', Env.steps - before)
'''

# The Python function waits nine times in each call of the program; what it does last is given.
WAIT = '''
import time
import tensorflow as tf
NAP = 0.002
turns = [9]
def wait(x):
    for _ in range(turns[0]):
        end = time.perf_counter() + NAP
        while time.perf_counter() < end:
            pass
    %s
    return x * 2.0
@tf.function
def f(x):
    return tf.py_function(wait, [x + 1.0], tf.float32)  # here
for k in range(3):
    turns[0] = 9
    f(tf.constant(1.0))
'''


class PythonInGraphs(FolderCase):
    def compare(self, text, *words):
        self.line = next(i for i, line in enumerate(text.splitlines(), 1) if line.endswith('# here'))
        done = run('compare', self.write('script.py', text), '--json', '-o', self.path('run.footlight'), '--seconds',
                   '3', *words)
        [found] = json.loads(done.stdout)
        self.printed = done.stderr
        self.text = run('compare', self.path('run.footlight')).stdout
        return found

    def python_row(self, c):
        rows = [row for row in c['rows'] if 'PyFunc' in row['eager_ops'] + row['graph_nodes']]
        self.assertEqual([(row['line'], row['group'], row['eager_count'], row['traced_count']) for row in rows],
                         [(self.line, 'same', 1, 1)], rows)
        return rows[0]

    def test_a_repetition_that_runs_fewer_steps_is_another_call(self):
        c = self.compare(EPISODE, '--function', 'episode', '--call', '2')
        steps = [int(n) for n in re.findall(r'steps (\d+)', self.printed)]
        # The script's own counter: call 2 ran 20 steps, and each repetition one, which finds that it is done.
        repetitions = 2 * (c['pairs'] + c['interrupted'] + c['warm_up'])
        self.assertEqual(steps, [20, 20 + repetitions, 20, 1], (steps, c['pairs'], c['interrupted'], c['warm_up']))
        ran = run('sql', self.path('run.footlight'), '--json',
                  'SELECT call_id, count(*) AS n FROM ops WHERE traced GROUP BY 1').stdout
        first, second, third, one_step = [row['n'] for row in json.loads(ran)]
        self.assertEqual((first, third), (second, second))
        self.assertIn(f'Call 2 ran {second} ops, a traced repetition {one_step}: ', c['other_work'])
        self.assertIn(f'Env.step (script.py:{self.line})', c['other_work'])
        self.assertLess(one_step, second / 10)
        for told in c['sentence'], self.text:
            self.assertIn(c['other_work'], told)
        self.assertIsNone(c['worth_from'])
        self.assertNotIn('worth it from', self.text)
        self.python_row(c)

    def test_python_that_does_the_same_each_time_is_the_same_call(self):
        c = self.compare(WAIT % 'pass', '--function', 'f', '--call', '2')
        self.assertEqual(c['other_work'], '')
        self.python_row(c)
        for side in 'left', 'right':
            self.assertGreaterEqual(c[side]['shares_ns']['Python'], 18e6)   # nine waits of 2 ms
            self.assertLess(c[side]['shares_ns']['kernels'], 9e6)
        self.assertTrue(any(f'wait (script.py:{self.line})' in note and 'not put back' in note for note in c['notes']),
                        c['notes'])

    def test_python_that_does_less_each_time_is_another_call(self):
        c = self.compare(WAIT % 'turns[0] = 1', '--function', 'f', '--call', '2')
        self.assertIn('Its Python in call 2 took ', c['other_work'])
        self.assertIn(f'wait (script.py:{self.line})', c['other_work'])
        self.assertIsNone(c['worth_from'])
        self.python_row(c)

    def test_arrays(self):
        try:
            import numpy  # noqa: F401
        except ImportError:
            self.skipTest('NumPy is not installed')
        text = WAIT.replace('py_function(wait, [x + 1.0], tf.float32)',
                            'numpy_function(lambda x: wait(x), [x + 1.0], tf.float32)')
        text = text.replace('2.0', 'x.dtype.type(2)')
        self.python_row(self.compare(text % 'pass', '--function', 'f', '--call', '2', '--pairs', '20'))
