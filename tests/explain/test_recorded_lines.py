"""Lines that recordings name: where arguments were made, and what is no retrace. Whole scripts, and look-alikes of each."""
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
import unittest

BUILD = os.environ.get('FOOTLIGHT_BUILD', 'build/release')
PRINT_FINDINGS = os.path.join(BUILD, 'tests', 'print_findings')
ENVIRONMENT = {k: v for k, v in os.environ.items() if k != 'LD_PRELOAD'}
STEP = '''
@tf.function
def step(x, rate=1.0, mode=0):
    return x * rate
x = tf.ones([4])
'''


class Recorded(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.session = os.path.join(self.folder, 'run.footlight')

    def record(self, body, fails=False, **files):
        for name, text in {**files, 'script': 'import tensorflow as tf\n' + textwrap.dedent(body)}.items():
            with open(os.path.join(self.folder, name + '.py'), 'w', encoding='utf-8') as file:
                file.write(textwrap.dedent(text))
        done = subprocess.run([sys.executable, '-m', 'footlight', 'record', '-o', self.session,
                               os.path.join(self.folder, 'script.py')], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode != 0, fails, done.stdout + done.stderr)

    def findings(self, body, fails=False, **files):
        self.record(body, fails, **files)
        out = subprocess.run([PRINT_FINDINGS, self.session], capture_output=True, text=True, check=True,
                             env=ENVIRONMENT, timeout=60).stdout
        return [json.loads(line) for line in out.splitlines()]

    def only(self, body, **files):
        found = self.findings(body, **files)
        self.assertEqual(len(found), 1, found)
        return found[0]


class ValueLines(Recorded):
    def lines(self, body, **files):
        """What stands on the lines at which each argument was made: {'args[1]': ['rate = 0.1', ...]}."""
        self.record(body, **files)
        made = {}
        with sqlite3.connect(self.session) as db:
            texts = {i: text.split('\n') for i, text in db.execute('select id, text from file')}
            for number, path in db.execute('select id, path from observation where kind = 0 order by id'):
                rows = db.execute('select file, line from observation_line where observation = ?', (number,))
                made[path] = [texts[file][line - 1].strip() for file, line in rows]
        return made

    def test_assignments_in_and_before_a_loop(self):
        made = self.lines(STEP + '''
rate = 0.5
for i in range(4):
    y = step(x, rate)
    unused = rate
    rate *= 0.5
''')
        self.assertEqual(made['args[1]'], ['rate *= 0.5', 'rate = 0.5'])

    def test_an_assignment_that_another_replaces_does_not_reach(self):
        made = self.lines(STEP + '''
for i in range(4):
    rate = 7.0
    if i % 2:
        rate = 0.5 * i
    else:
        rate = 0.25 * i
    y = step(x, rate)
    rate = 3.0
''')
        self.assertEqual(made['args[1]'], ['rate = 0.25 * i', 'rate = 0.5 * i'])

    def test_targets_of_loops(self):
        made = self.lines(STEP + '''
def schedule():
    for i in range(3):
        yield 0.5 ** i
for number, rate in enumerate(schedule()):
    step(x, rate)
''')
        self.assertEqual(made['args[1]'], ['for number, rate in enumerate(schedule()):', 'yield 0.5 ** i'])
        made = self.lines(STEP + '''
rates = [0.1, 0.2, 0.3]
modes = (1, 2, 3)
for rate, mode in zip(rates, modes):
    step(x, mode=mode, rate=rate)
''')
        self.assertEqual(made, {'args[0]': ['x = tf.ones([4])'],
                                'args[1]': ['for rate, mode in zip(rates, modes):', 'rates = [0.1, 0.2, 0.3]'],
                                'args[2]': ['for rate, mode in zip(rates, modes):', 'modes = (1, 2, 3)']})

    def test_comprehensions(self):
        made = self.lines(STEP + '''
rates = [0.1, 0.2, 0.3]
all = [step(w, rate) for w, rate in [(x, r) for r in rates]]
others = [0.4, 0.5]
all = [step(
           x, rate)
       for rate in others]
''')
        self.assertEqual(made['args[1]'], ['for rate in others]', 'others = [0.4, 0.5]'])

    def test_results_of_functions(self):
        made = self.lines('import data\n' + STEP + '''
def doubled(i):
    return 2.0 * i
for i in range(4):
    a = data.rate(i)
    b = doubled(i)
    step(x, a, mode=b)
    step(x, a, data.rate(i))
''', data='''
def rate(i):
    if i == 2:
        return 0.5
    return 0.1 * i
''')
        self.assertEqual(made['args[1]'], ['return 0.5', 'return 0.1 * i', 'a = data.rate(i)'])
        self.assertEqual(made['args[2]'], ['return 0.5', 'return 0.1 * i'])

    def test_methods_and_their_attributes(self):
        made = self.lines('''
class Model:
    def __init__(self):
        self.rate = 1.0
    @tf.function
    def step(self, x, rate):
        return x * rate
    def train(self, n):
        for _ in range(n):
            self.step(tf.ones([3]), rate=self.rate)
            self.decay()
    def decay(self):
        self.rate = 0.5 * self.rate
model = Model()
model.train(3)
''')
        self.assertEqual(made['args[2]'], ['self.rate = 0.5 * self.rate', 'self.rate = 1.0'])
        self.assertEqual(made['args[0]'], ['model = Model()'])

    def test_parameters_of_the_caller(self):
        made = self.lines(STEP + '''
def train(x, rate, mode=3):
    y = step(x,
             rate, mode)
    return y
for i in range(3):
    rate = 0.1 * i
    train(x, rate)
''')
        self.assertEqual(made, {'args[0]': ['x = tf.ones([4])'], 'args[1]': ['rate = 0.1 * i'],
                                'args[2]': ['def train(x, rate, mode=3):']})

    def test_lambdas_partials_and_stars(self):
        made = self.lines('import functools\n' + STEP + '''
at_rate = lambda rate: step(x, rate)
fixed = functools.partial(step, x)
for i in range(3):
    rate = 0.1 * i
    at_rate(rate)
for i in range(3):
    other = 0.3 * i
    fixed(other)
''')
        self.assertEqual(made['args[1]'], ['other = 0.3 * i'])
        made = self.lines(STEP + '''
at_rate = lambda rate: step(x, rate)
for i in range(3):
    rate = 0.1 * i
    at_rate(rate)
''')
        self.assertEqual(made['args[1]'], ['rate = 0.1 * i'])
        made = self.lines(STEP + '''
for i in range(3):
    rates = (0.1 * i,)
    step(x, *rates)
''')
        self.assertEqual(list(made), ['args[0]'])
        self.assertEqual(self.lines(STEP + '''
rates = [0.1, 0.2, 0.3]
done = list(map(lambda rate: step(x, rate), rates))
done = list(map(step, [x, x], rates))
''').get('args[2]'), None)

    def test_items_of_a_list(self):
        made = self.lines('''
@tf.function
def step(pair, state):
    return pair[0] * pair[1]
for i in range(3):
    rate = 0.1 * i
    x = tf.ones([2])
    step([x, rate], (x, i))
''')
        self.assertEqual(made, {'args[0][0]': ['x = tf.ones([2])'], 'args[0][1]': ['rate = 0.1 * i'],
                                'args[1][0]': ['x = tf.ones([2])'], 'args[1][1]': ['for i in range(3):']})

    def test_a_list_that_grows(self):
        made = self.lines('''
@tf.function
def total(parts):
    return tf.add_n(parts)
parts = []
for i in range(3):
    parts.append(tf.ones([2]))
    total(parts)
''')
        self.assertEqual(made['args[0]'], ['parts.append(tf.ones([2]))', 'parts = []'])

    def test_with_try_walrus_and_global(self):
        made = self.lines(STEP + '''
RATE = 1.0
def train():
    global RATE
    for i in range(3):
        step(x, RATE)
        try:
            RATE = RATE / 2
        except ValueError:
            RATE = 0.0
train()
''')
        self.assertEqual(made['args[1]'][0], 'RATE = 0.0')
        self.assertEqual(made['args[1]'][1], 'RATE = RATE / 2')
        made = self.lines(STEP + '''
numbers = iter([0.1, 0.2, 0.3, 0])
while (rate := next(numbers)) > 0:
    step(x, rate)
''')
        self.assertEqual(made['args[1]'], ['while (rate := next(numbers)) > 0:'])

    def test_calls_in_a_trace(self):
        made = self.lines(STEP + '''
@tf.function
def outer(x):
    for i in range(3):
        rate = 0.5 * i
        if tf.reduce_sum(x) > 0:
            x = step(x, rate)
    return x
outer(x)
''')
        self.assertEqual(made['args[1]'], ['rate = 0.5 * i'])

    def test_nothing_where_nothing_is_traced_again(self):
        self.assertEqual(self.lines(STEP + '''
for i in range(3):
    y = x + i
    step(y, 0.5)
'''), {})

    def test_objects_die_as_they_would(self):
        self.record(STEP + '''
import weakref
class Thing:
    pass
@tf.function
def use(x, thing):
    return x * 2.0
def run():
    seen = []
    for i in range(4):
        thing = Thing()
        seen.append(weakref.ref(thing))
        use(x, thing)
        del thing
        assert seen[-1]() is None
run()
''')


if __name__ == '__main__':
    unittest.main()
