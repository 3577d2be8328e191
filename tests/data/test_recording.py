"""What a recording says of pipelines, compared with what the program itself measured and counted."""
import json
import os
import re
import subprocess
import sys
import tempfile
import textwrap
import unittest

FOOTLIGHT = os.path.join(os.environ.get('FOOTLIGHT_BUILD', 'build/release'), 'bin', 'footlight')
# Loading the sanitizer's library is for the interpreter alone.
ENVIRONMENT = {k: v for k, v in os.environ.items() if k != 'LD_PRELOAD'}

LOOP = '''
import json
import time
import footlight as tf

calls = []

def slow(x):
    def wait():
        calls.append(1)
        time.sleep(%(each)s)
    tf.py_function(wait, [], [])
    return tf.cast(x, tf.float32)

data = tf.data.Dataset.range(%(elements)d)
data = data.map(slow)
data = data.batch(%(batch)d)
data = data.prefetch(2)

@tf.function
def step(x):
    return tf.reduce_sum(x * x)

steps, late, waited, begin = 0, 0, 0.0, time.perf_counter()
iterator = iter(data)
while True:
    before = time.perf_counter()
    batch = next(iterator, None)
    took = time.perf_counter() - before
    if batch is None:
        break
    steps, late, waited, end = steps + 1, late + (took > 2e-5), waited + took, time.perf_counter()
    step(batch)
    time.sleep(%(compute)s)
print(json.dumps({'steps': steps, 'late': late, 'waited': waited, 'seconds': end - begin, 'calls': len(calls)}))
'''


class Recording(unittest.TestCase):
    def record(self, **numbers):
        """What the program printed, its report, and the rows of tables."""
        with tempfile.TemporaryDirectory() as folder:
            script, session = os.path.join(folder, 'train.py'), os.path.join(folder, 'run.footlight')
            with open(script, 'w') as file:
                file.write(textwrap.dedent(LOOP % numbers))
            done = subprocess.run([sys.executable, '-m', 'footlight', 'record', '-o', session, script],
                                  capture_output=True, text=True, timeout=200)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            said = json.loads(done.stdout.splitlines()[-1])

            def ask(*arguments):
                return subprocess.run([FOOTLIGHT, *arguments], capture_output=True, text=True, check=True,
                                      env=ENVIRONMENT, timeout=60).stdout
            spans = ask('export', session, '--format', 'csv', '--table', 'spans').splitlines()[1:]
            return said, json.loads(ask('report', '--json', session)), spans

    def test_a_pipeline_that_starves_the_program(self):
        said, report, spans = self.record(each=0.004, elements=60, batch=3, compute=0.001)
        found, = [f for f in report['findings'] if f['cause'] == 'starved_by_input']
        self.assertEqual((found['line'], found['path']), (16, 'map'))
        self.assertEqual(found['related_lines'][0]['line'], 25)
        self.assertEqual((said['steps'], said['calls']), (20, 60))
        self.assertEqual(found['evidence']['calls'], said['steps'])
        waits, steps = map(int, re.search(r'(\d+) of (\d+) steps waited for map at line 16', found['message']).groups())
        self.assertEqual(steps, said['steps'])
        self.assertAlmostEqual(waits, said['late'], delta=1)  # the program times a little more than the wait
        self.assertAlmostEqual(found['cost_ms'], said['waited'] * 1e3, delta=said['waited'] * 1e2)
        self.assertEqual(found['fix']['edit']['new'], '.map(slow, num_parallel_calls=tf.data.AUTOTUNE)')
        # Calls of the element function, counted by the program.
        element, = [f for f in report['functions'] if 'slow' in f['function']]
        self.assertEqual((element['calls'], element['traces']), (60, 1))
        # Who waited for whom.
        for words in ('next waits for prefetch', 'batch waits for map', 'prefetch waits for batch'):
            self.assertTrue(any(words in span for span in spans), words)

    def test_a_program_that_is_slower_than_its_pipeline(self):
        said, report, spans = self.record(each=0.0005, elements=40, batch=2, compute=0.012)
        if said['waited'] < 0.15 * said['seconds']:  # else the machine is too busy to say so
            self.assertEqual([f for f in report['findings'] if f['cause'] == 'starved_by_input'], [])
        self.assertTrue(any('prefetch waits for room' in span for span in spans))
        self.assertEqual(said['calls'], 40)


if __name__ == '__main__':
    unittest.main()
