"""What a recording says of pipelines, compared with what the program itself measured and counted."""
import json
import re

import footlight_program
from folder_case import FolderCase

# A program and its pipeline, one of which waits for the other: on any machine the test chooses which of them is late.
LOOP = '''
import json
import threading
import time
import footlight as tf

turn = threading.Condition()
calls, asked, steps = 0, 0, 0

def slow(x):
    def wait():
        global calls
        with turn:
            calls += 1
            turn.notify_all()
            turn.wait_for(lambda: %(pipeline_goes_on)s)
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

waited = 0.0
iterator = iter(data)
while True:
    with turn:
        asked += 1
        turn.notify_all()
    before = time.perf_counter()
    batch = next(iterator, None)
    took = time.perf_counter() - before
    if batch is None:
        break
    steps, waited = steps + 1, waited + took
    step(batch)
    with turn:
        turn.wait_for(lambda: %(program_goes_on)s)
    time.sleep(%(compute)s)
print(json.dumps({'steps': steps, 'waited_ms': waited * 1e3, 'calls': calls}))
'''


def line_of(code):
    return next(i for i, line in enumerate(LOOP.split('\n'), 1) if code in line)


class Recording(FolderCase):
    def record(self, **numbers):
        """What the program printed, its report, and the rows of tables."""
        done = footlight_program.record(self.session, self.write('train.py', LOOP % numbers))
        said = json.loads(done.stdout.splitlines()[-1])
        return said, footlight_program.report(self.session), footlight_program.table(self.session, 'spans')

    def test_a_pipeline_that_starves_the_program(self):
        # No element of a batch is made before the program asks for that batch.
        said, report, spans = self.record(each=0.004, elements=60, batch=3, compute=0.001,
                                          pipeline_goes_on='calls <= 3 * asked', program_goes_on='True')
        found, = [f for f in report['findings'] if f['cause'] == 'starved_by_input']
        self.assertEqual((found['line'], found['path']), (line_of('data.map(slow)'), 'map'))
        self.assertEqual(found['related_lines'][0]['line'], line_of('iter(data)'))
        self.assertEqual((said['steps'], said['calls']), (20, 60))
        self.assertEqual(found['evidence']['calls'], said['steps'])
        waits, steps = map(int, re.search(rf'(\d+) of (\d+) steps waited for map\(slow\) at line {found["line"]}\b',
                                          found['message']).groups())
        self.assertEqual(steps, said['steps'])
        self.assertLessEqual(waits, steps)
        self.assertGreater(2 * waits, steps)
        # The spans say the same, and each of these waits lies inside of one that the program measured.
        waiting = [(json.loads(span['args'])['elements'], int(span['duration_ns'])) for span in spans
                   if span['name'] == 'next waits for prefetch']
        self.assertEqual(sum(elements for elements, _ in waiting), waits)
        self.assertAlmostEqual(sum(took for elements, took in waiting if elements) / 1e6, found['cost_ms'], delta=0.001)
        self.assertLessEqual(found['cost_ms'], said['waited_ms'])
        self.assertEqual(found['fix']['edit']['new'], '.map(slow, num_parallel_calls=tf.data.AUTOTUNE)')
        # Calls of the element function, counted by the program.
        element, = [f for f in report['functions'] if 'slow' in f['function']]
        self.assertEqual((element['calls'], element['traces']), (60, 1))
        # Who waited for whom.
        self.assertLessEqual({'next waits for prefetch', 'batch waits for map', 'prefetch waits for batch'},
                             {span['name'] for span in spans})

    def test_a_program_that_is_slower_than_its_pipeline(self):
        # Each step lasts until the two batches after it are made or nearly so, which is what prefetch has room for.
        said, report, spans = self.record(each=0.0005, elements=40, batch=2, compute=0.012, pipeline_goes_on='True',
                                          program_goes_on='calls >= min(40, 2 * (steps + 2))')
        self.assertEqual([f for f in report['findings'] if f['cause'] == 'starved_by_input'], [])
        self.assertIn('prefetch waits for room', {span['name'] for span in spans})
        self.assertEqual(said['calls'], 40)
