"""A program that waits, busily and in known places: each wait is in the right share of a comparison."""
import json
import os
import shutil
import tempfile
import unittest

from footlight_program import run, table

PAD_NS = 2_000_000

PROGRAM = '''
import time
import tensorflow as tf

def spin():
    until = time.perf_counter_ns() + %d
    while time.perf_counter_ns() < until:
        pass

@tf.function
def in_python(x):
    spin()
    return x + 1.0

def wait(v):
    spin()
    return v

@tf.function
def in_py_function(x):
    return tf.numpy_function(wait, [x], tf.float32) + 1.0

@tf.function
def in_op(x):
    return tf.matmul(x, x)

def elements():
    while True:
        spin()
        yield 1.0

iterator = iter(tf.data.Dataset.from_generator(elements, output_signature=tf.TensorSpec([], tf.float32)))

@tf.function
def in_input(x):
    return x + next(iterator)

@tf.function
def walk(x):
    for i in range(20):
        x = x * 1.5 + 0.25
    return x

x, large, row = tf.ones([]), tf.ones([500, 500]), tf.ones([4096])
in_python(x), in_py_function(x), in_input(x)
times = []
for i in range(12):
    start = time.perf_counter_ns()
    in_op(large)
    times.append(time.perf_counter_ns() - start)
@tf.function
def step(x):
    return x * 2.0
def epoch():
    start = time.perf_counter_ns()
    for i in range(5):
        step(next(iterator))
    return time.perf_counter_ns() - start
epoch()
for i in range(200):
    walk(row)
print(min(times))
''' % PAD_NS


class Padded(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.script = os.path.join(cls.folder, 'padded.py')
        cls.session = os.path.join(cls.folder, 'run.footlight')
        with open(cls.script, 'w', encoding='utf-8') as file:
            file.write(PROGRAM)

    def compare(self, function, call='1'):
        [c] = json.loads(run('compare', self.script, '--function', function, '--call', call, '--pairs', '8', '--json', '-o',
                             self.session).stdout)
        self.assertEqual(c['error'], '')
        return c

    def check(self, side, share, wait_ns):
        """The wait is in that share: all of it, and the largest part of what was measured."""
        shares = side['shares_ns']
        self.assertGreaterEqual(shares[share], 0.99 * wait_ns, shares)
        self.assertEqual(max(shares, key=shares.get), share, shares)
        # A busy machine makes the wait longer, and it still is where it was.
        self.assertGreater(shares[share], 0.5 * side['recorded_ns']['mean'], shares)

    def test_in_python(self):
        c = self.compare('in_python')
        self.check(c['left'], 'Python', PAD_NS)
        self.assertLess(c['right']['shares_ns']['Python'], c['left']['shares_ns']['Python'])  # it ran while tracing

    def test_in_a_py_function(self):
        c = self.compare('in_py_function')
        self.check(c['left'], 'Python', PAD_NS)
        self.check(c['right'], 'Python', PAD_NS)

    def test_in_an_op(self):
        c = self.compare('in_op')
        for side in c['left'], c['right']:
            shares = side['shares_ns']
            self.assertEqual(max(shares, key=shares.get), 'kernels', shares)
            self.assertGreater(shares['kernels'], 0.5 * side['recorded_ns']['mean'], shares)
        [row] = [row for row in c['rows'] if row['eager_ops'] == 'MatMul']
        self.assertGreater(row['eager_ns']['mean'], 0.9 * c['left']['shares_ns']['kernels'])

    def test_in_input(self):
        c = self.compare('in_input')
        self.check(c['left'], 'input', PAD_NS)
        self.check(c['right'], 'input', PAD_NS)

    def test_in_what_was_recorded(self):
        run('record', '-o', self.session, self.script)
        calls, spans = table(self.session, 'calls'), table(self.session, 'spans')
        made = [span for span in spans if span['category'] == 'machine code']
        if not made:
            self.skipTest('this machine has no instructions for which code could be made')
        [span] = made
        start, took = int(span['start_ns']), int(span['duration_ns'])
        walks = sorted((int(call['start_ns']), int(call['duration_ns'])) for call in calls if call['function'] == 'walk')
        [(number, long)] = [(i + 1, duration) for i, (at, duration) in enumerate(walks)
                            if at <= start and start + took <= at + duration]
        self.assertGreater(number, 1)
        c = json.loads(run('compare', self.session, f'walk:{number}', f'walk:{number - 1}', '--json').stdout)
        self.assertAlmostEqual(c['left']['shares_ns']['machine code'], took, delta=1)
        self.assertEqual(c['right']['shares_ns']['machine code'], 0)
        self.assertEqual(c['left']['shares_ns']['unexplained'], 0)
        self.assertAlmostEqual(sum(c['left']['shares_ns'].values()), long, delta=2)
        direction = 1 if c['right']['total_ns']['mean'] > c['left']['total_ns']['mean'] else -1
        largest = max((part for part in c['parts'] if part['name'] != 'unexplained'),
                      key=lambda part: direction * part['difference_ns']['mean'])
        self.assertEqual('Machine code is the largest reason' in c['sentence'], largest['name'] == 'machine code', c)
        # Nothing was compared by repetition, so the time that recording took is said to be in it.
        self.assertIn('what recording took is in them',
                      run('compare', self.session, f'walk:{number}', f'walk:{number - 1}').stdout)

    def test_elements_that_python_takes_by_itself(self):
        other = os.path.join(self.folder, 'other.footlight')
        script = os.path.join(self.folder, 'other.py')
        with open(script, 'w', encoding='utf-8') as file:
            file.write('import tensorflow as tf\nprint(tf.ones([2]) + 1.0)\n')
        run('record', '-o', self.session, self.script)
        run('record', '-o', other, script)
        c = json.loads(run('compare', self.session, other, '--json').stdout)
        # At least the wait for each but the last, which may not be over.
        self.assertGreaterEqual(c['left']['shares_ns']['input'], 0.99 * 4 * PAD_NS)
        self.assertLess(c['left']['shares_ns']['input'], c['left']['total_ns']['mean'])
        self.assertEqual(c['right']['shares_ns']['input'], 0)
