"""What findings say of pipelines and of functions that libraries make, against the programs' own counters and clocks."""
import json
import re

import footlight_program
from folder_case import FolderCase

# A program that waits for Python: `computes` says whether that computes or sleeps. It counts elements by itself.
STARVED = '''
    import json, time
    import footlight as tf
    spent, runs, waited = 0.0, 0, 0.0

    def slow(x):
        global spent, runs
        start, busy = time.perf_counter(), time.thread_time()
        if %(computes)s:
            while time.thread_time() - busy < 0.004:
                pass
        else:
            time.sleep(0.004)
        spent, runs = spent + time.perf_counter() - start, runs + 1
        return x

    def load(x):
        return tf.ensure_shape(tf.numpy_function(slow, [x], tf.int64), [])

    def pipeline():
        data = tf.data.Dataset.range(24)
        data = %(chain)s
        return data

    @tf.function
    def step(x):
        return tf.reduce_sum(x)

    data = pipeline()
    for epoch in range(3):
        iterator = iter(%(again)s)
        while True:
            start = time.perf_counter()
            batch = next(iterator, None)
            waited += time.perf_counter() - start
            if batch is None:
                break
            step(batch)
    print(json.dumps({'runs': runs, 'spent_ms': spent * 1e3, 'waited_ms': waited * 1e3}))
'''

# Another thread holds the interpreter for some milliseconds whenever the graph has given it back.
CONTENDED = '''
    import json, threading, time
    import footlight as tf
    spent, runs, waited, done = 0.0, 0, 0.0, False

    def count(x):
        global spent, runs
        start = time.perf_counter()
        total = sum(range(2000))
        spent, runs = spent + time.perf_counter() - start, runs + 1
        return x + total

    @tf.function
    def step(x):
        return tf.numpy_function(count, [x], tf.int64) + 1

    def spin():
        while not done:
            pass

    x = tf.constant(1, tf.int64)
    other = threading.Thread(target=spin)
    other.start()
    for _ in range(%(calls)d):
        start = time.perf_counter()
        step(x)
        waited += time.perf_counter() - start
    done = True
    print(json.dumps({'runs': runs, 'spent_ms': spent * 1e3, 'waited_ms': waited * 1e3}))
'''

# Other programs take the only processor that the program may use, for at most 30 s.
CROWDED = '''
    import atexit, os, subprocess, sys
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    spin = 'import time; end = time.time() + 30\\nwhile time.time() < end: pass'
    for _ in range(3):
        atexit.register(subprocess.Popen([sys.executable, '-c', spin]).kill)
'''

# A stand-in for Keras: it lies where packages do, and builds a pipeline in each call.
LIBRARY = '''
    import footlight as tf

    class Model:
        def __init__(self):
            self.run = tf.function(lambda x: x * 2.0)
        def __call__(self, x):
            return x * 2.0
        def predict(self, x):
            data = tf.data.Dataset.from_tensor_slices(x)
            data = data.map(lambda row: row + 1.0).map(lambda row: row - 1.0).batch(%(batch)d)
            return [self.run(batch) for batch in data][-1]
'''
CALLS = '''
    import json, os, sys, time
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'site-packages'))
    import footlight as tf
    import keras
    agent = keras.Model()
    state = tf.ones([%(rows)d, 4])
    calls, spent = 0, 0.0
    for turn in range(%(turns)d):
        start = time.perf_counter()
        answer = agent.predict(state)
        spent, calls = spent + time.perf_counter() - start, calls + 1
    print(json.dumps({'calls': calls, 'spent_ms': spent * 1e3}))
'''

INTERLEAVED = '''
import json
import time
import tensorflow as tf

def rows(shard):
    for i in range(12):
        time.sleep(0.004)
        yield float(shard * 12 + i)

def shards(shard):
    return tf.data.Dataset.from_generator(rows, args=(shard,), output_signature=tf.TensorSpec([], tf.float32))

@tf.function
def step(x):
    return tf.reduce_sum(x * x)

data = tf.data.Dataset.range(4).interleave(shards, cycle_length=2)
data = data.batch(4)
losses = [float(step(x)) for epoch in range(2) for x in data]
print(json.dumps({'losses': losses}))
'''


def line_of(text, code):
    return next(i for i, line in enumerate(text.split('\n'), 1) if code in line)


class Pipelines(FolderCase):
    def record(self, text, **numbers):
        session = self.path('run.footlight')
        done = footlight_program.record(session, self.write('train.py', text % numbers))
        return json.loads(done.stdout.splitlines()[-1]), footlight_program.report(session), session

    def starved(self, computes, chain='data.map(load).batch(4)', again='data'):
        said, report, session = self.record(STARVED, computes=computes, chain=chain, again=again)
        found, = [f for f in report['findings'] if f['cause'] == 'starved_by_input']
        return said, found, [found['fix']['text'], *(a['text'] for a in found['alternatives'])], session

    def test_python_that_computes_is_no_work_for_threads(self):
        said, found, fixes, _ = self.starved(True)
        self.assertEqual((found['path'], found['line']), ('map', line_of(STARVED, 'data = %(chain)s')))
        self.assertIn('Write slow with tensor operations', fixes[0])
        self.assertIsNone(found['fix']['edit'])
        self.assertNotIn('num_parallel_calls', ' '.join(fixes))
        runs = re.search(r'slow, which is Python, took .* in (\d+) runs', found['message'])
        self.assertEqual((int(runs.group(1)), said['runs']), (72, 72))

    def test_python_that_other_programs_hold_up_does_not_wait(self):
        waits_too = STARVED.replace('                pass\n', '                pass\n            time.sleep(0.0001)\n')
        _, report, session = self.record(CROWDED + waits_too, computes=True, chain='data.map(load).batch(4)',
                                         again='data')
        found, = [f for f in report['findings'] if f['cause'] == 'starved_by_input']
        self.assertIn('Write slow with tensor operations', found['fix']['text'])
        row, = json.loads(footlight_program.run(
            'sql', session, '--json', "select max(spent_ns) spent, max(busy_ns) busy from observations "
            "where kind = 'python call'").stdout)
        self.assertGreater(2 * int(row['busy']), int(row['spent']))

    def test_elements_ahead_hide_no_more_than_the_rest_of_the_loop(self):
        said, found, fixes, session = self.starved(True)
        ahead, = [fix for fix in fixes if 'prefetch' in fix]
        hides = re.search(r'at most the ([\d.]+) (us|ms)', ahead)
        most = float(hides.group(1)) * {'us': 1e-3, 'ms': 1}[hides.group(2)]
        # The same from the rows of the first requests and the last elements.
        rows = json.loads(footlight_program.run(
            'sql', session, '--json', '--limit', '0', "select * from spans where track = 'next'").stdout)
        whole = waits = 0
        for track in {row['track_id'] for row in rows}:
            own = [row for row in rows if row['track_id'] == track]
            given = [row for row in own if json.loads(row['args'])['elements']]
            ends = [int(row['start_ns']) + int(row['duration_ns']) for row in given]
            whole += max(ends) - min(int(row['start_ns']) for row in own)
            waits += sum(int(row['duration_ns']) for row in given if row['category'] == 'wait')
        self.assertAlmostEqual(most, (whole - waits) / 1e6, delta=0.01 * most + 0.01)
        self.assertLess(most, found['cost_ms'])

    def test_python_that_waits_gains_from_threads(self):
        _, found, fixes, _ = self.starved(False)
        self.assertIn('num_parallel_calls=tf.data.AUTOTUNE', found['fix']['edit']['new'])
        self.assertIn('Write slow with tensor operations', ' '.join(fixes[1:]))

    def test_a_generator_inside_an_interleave(self):
        said, report, _ = self.record(INTERLEAVED)
        found, = [f for f in report['findings'] if f['cause'] == 'starved_by_input']
        self.assertIn(found['path'], ('interleave', 'from_generator'))
        fixes = [found['fix'], *found['alternatives']]
        edit, = [fix['edit'] for fix in fixes if fix.get('edit')]
        self.assertEqual(edit['line'], line_of(INTERLEAVED, '.interleave('))
        self.assertIn('cycle_length=2, num_parallel_calls=tf.data.AUTOTUNE)', edit['new'])
        edited, report, _ = self.record(INTERLEAVED.replace(edit['old'].strip(), edit['new'].strip()))
        self.assertEqual(edited['losses'], said['losses'])
        self.assertNotIn('num_parallel_calls', json.dumps([f['fix'] for f in report['findings']]))

    def test_what_each_epoch_makes_again_can_be_kept(self):
        keeps = [fix for fix in self.starved(True)[2] if '.cache()' in fix]
        self.assertEqual(len(keeps), 1)
        self.assertTrue(keeps[0].startswith('Keep what it gives: .cache() behind map'), keeps)
        keeps = [fix for fix in self.starved(True, again='pipeline()')[2] if '.cache()' in fix]
        self.assertTrue(keeps[0].startswith('Make the pipeline once, before the loop, with .cache() behind map'), keeps)
        # Each epoch gets another order.
        self.assertNotIn('.cache()', ' '.join(self.starved(True, chain='data.shuffle(24).map(load).batch(4)')[2]))

    def test_steps_that_a_cache_serves_did_not_wait(self):
        text = STARVED.replace('    def load', '    def twice(x):\n        return x * 2\n\n    def load')
        text = text.replace('waited = 0.0, 0, 0.0', 'waited = 0.0, 0, 0.0\n    steps = []')
        text = text.replace('waited += time.perf_counter() - start',
                            'steps.append((time.perf_counter() - start, runs))')
        text = text.replace("'waited_ms': waited * 1e3", "'steps': steps")
        chains = {'data.map(load).cache().map(twice).repeat(3).batch(4).prefetch(1)': False,
                  'data.map(load).batch(4).cache().prefetch(1)': False,
                  'data.map(load).repeat(3).cache().batch(4).prefetch(1)': True}
        for chain, offers_cache in chains.items():
            with self.subTest(chain=chain):
                # The loop runs once where the pipeline repeats its elements.
                one = text.replace('range(3):', 'range(1):') if 'repeat' in chain else text
                said, report, session = self.record(one, computes=True, chain=chain, again='data')
                found, = [f for f in report['findings'] if f['cause'] == 'starved_by_input']
                taken = said['steps'][:-1] if 'repeat' in chain else said['steps']
                # The program's own clock and counter: a step waited for Python if Python ran in it.
                before = [0, *(runs for _, runs in taken)]
                own = [spent for (spent, runs), last in zip(taken, before) if runs > last]
                waited, whom = re.search(r'(\d+) of \d+ steps(?: in \d+ iterations)? waited for (\S+)',
                                        found['message']).groups()
                self.assertEqual(whom, 'map(load)')
                self.assertEqual(int(waited), len(own))
                self.assertAlmostEqual(found['cost_ms'], 1e3 * sum(own), delta=0.1 * 1e3 * sum(own))
                fixes = [found['fix']['text'], *(a['text'] for a in found['alternatives'])]
                self.assertEqual(any('.cache()' in fix for fix in fixes), offers_cache, fixes)

    def test_stages_that_pass_elements_on_are_no_cause(self):
        said, found, fixes, session = self.starved(True, chain='data.map(load).batch(4).prefetch(1).take(6)')
        self.assertEqual(found['path'], 'map')
        self.assertEqual(said['runs'], 72)

    def test_a_graph_that_waits_for_the_interpreter(self):
        said, report, session = self.record(CONTENDED, calls=45)
        found, = [f for f in report['findings'] if f['cause'] == 'py_function_hot_spot']
        numbers = re.search(r'Python took ([\d.]+) (us|ms|s) in (\d+) runs; the graph waited ([\d.]+) (us|ms|s) for it',
                            found['message']).groups()
        unit = {'us': 1e-3, 'ms': 1, 's': 1e3}
        took, waited = float(numbers[0]) * unit[numbers[1]], float(numbers[3]) * unit[numbers[4]]
        self.assertEqual((int(numbers[2]), said['runs']), (45, 45))
        # The program's own clocks, inside the function and around the calls.
        self.assertGreaterEqual(1.01 * took, said['spent_ms'])
        self.assertLessEqual(waited, 1.01 * said['waited_ms'])
        self.assertGreater(waited, 0.5 * said['waited_ms'])
        self.assertGreater(waited, 2 * took)
        self.assertAlmostEqual(found['cost_ms'], waited, delta=0.01 * waited)
        # One row, whose count is that of the whole run, however often it was written.
        row, = json.loads(footlight_program.run(
            'sql', session, '--json', 'select sum(count) runs, count(*) written, max(spent_ns) spent '
            "from observations where kind = 'python call'").stdout)
        self.assertEqual([int(row[name]) for name in ('runs', 'written')], [45, 1])
        self.assertAlmostEqual(int(row['spent']) / 1e6, took, delta=0.01 * took)

    def test_a_library_that_traces_in_each_call(self):
        self.write('site-packages/keras/__init__.py', LIBRARY % {'batch': 4})
        said, report, session = self.record(CALLS, turns=600, rows=1)
        found, = [f for f in report['findings'] if f['cause'] == 'library_call_in_loop']
        self.assertEqual(found['line'], line_of(CALLS, 'agent.predict(state)'))
        self.assertEqual((found['evidence']['calls'], said['calls']), (600, 600))
        self.assertLessEqual(found['cost_ms'], said['spent_ms'])
        self.assertGreater(found['cost_ms'], 0.3 * said['spent_ms'])
        self.assertIn('Call agent(x)', found['fix']['text'])
        made = footlight_program.run('sql', session, '--csv', "select count(*) from functions where kind = 'dataset'")
        self.assertIn(f'made {int(made.stdout.split()[1]):,} functions', found['message'])
        # Its pipelines are not the program's to build.
        self.assertEqual([f['cause'] for f in report['findings']], ['library_call_in_loop'])

    def test_a_library_that_makes_most_traces_of_a_long_run(self):
        slow = LIBRARY.replace('return [self', 'time.sleep(0.006)\n            return [self')
        self.write('site-packages/keras/__init__.py', '    import time\n' + slow.lstrip('\n') % {'batch': 4})
        text = CALLS.replace('agent =', 'time.sleep(2.5)\n    agent =')
        said, report, session = self.record(text, turns=10, rows=1)
        found, = [f for f in report['findings'] if f['cause'] == 'library_call_in_loop']
        self.assertEqual((found['evidence']['calls'], said['calls']), (10, 10))
        self.assertEqual(found['line'], line_of(text, 'agent.predict(state)'))

    def test_a_library_that_is_called_for_much_at_once(self):
        self.write('site-packages/keras/__init__.py', LIBRARY % {'batch': 2})
        said, report, _ = self.record(CALLS, turns=12, rows=200)
        self.assertEqual(said['calls'], 12)
        self.assertEqual([f for f in report['findings'] if f['cause'] == 'library_call_in_loop'], [])

    def test_pipelines_that_are_built_again(self):
        text = '''
            import json
            import footlight as tf
            built = 0
            def rows(scale):
                global built
                built += 1
                data = tf.data.Dataset.range(3)
                data = data.map(lambda x: x * 2)
                return data.filter(lambda x: x > 0)
            kept = rows(1)
            total = 0
            for turn in range(%(turns)d):
                for x in %(again)s:
                    total += int(x)
            print(json.dumps({'built': built}))
        '''
        said, report, session = self.record(text, turns=150, again='rows(1)')
        found, = report['findings']
        self.assertEqual((found['cause'], found['line']), ('pipeline_made_in_loop', line_of(text, 'data.map')))
        self.assertEqual([r['line'] for r in found['related_lines']], [line_of(text, 'data.filter')])
        self.assertEqual((found['evidence']['calls'], said['built']), (151, 151))
        sum_ns = footlight_program.run('sql', session, '--csv', 'select sum(duration_ns) from traces').stdout.split()[1]
        self.assertAlmostEqual(found['cost_ms'], int(sum_ns) / 1e6, delta=0.01)
        said, report, _ = self.record(text, turns=150, again='kept')
        self.assertEqual((said['built'], report['findings']), (1, []))

    def test_the_end_of_a_dataset_is_no_failure(self):
        _, report, session = self.record('''
            import json
            import footlight as tf
            data = tf.data.Dataset.range(%(elements)d)
            @tf.function
            def step(iterator):
                return next(iterator) + 1
            ends = 0
            for epoch in range(3):
                iterator = iter(data)
                while True:
                    try:
                        step(iterator)
                    except tf.errors.OutOfRangeError:
                        ends += 1
                        break
            @tf.function
            def fails(x):
                tf.debugging.assert_greater(x, 0)
                return x
            try:
                fails(tf.constant(0))
            except tf.errors.InvalidArgumentError:
                pass
            print(json.dumps({'ends': ends}))
        ''', elements=4)
        outcomes = footlight_program.run('sql', session, '--csv', 'select function, outcome, count(*) from calls '
                                         'group by 1, 2 order by 1, 2').stdout.split()[1:]
        self.assertEqual(outcomes, ['fails,failed,1', 'step,hit,14', 'step,trace,1'])

    def test_stages_of_pipelines_in_sql(self):
        text = STARVED.replace('    def pipeline():', '    def plus(x):\n        return x + 1\n\n    def pipeline():')
        _, _, session = self.record(text, computes=False, again='data', chain='data.map(load).map(plus).batch(4)')
        line = line_of(text, 'data = %(chain)s')
        rows = json.loads(footlight_program.run('sql', session, '--query', 'pipelines', '--json').stdout)
        by_stage = {}
        for row in rows:
            by_stage.setdefault(row['stage'], set()).add((row['stage_id'], row['source'].split(':')[-1]))
        # Three iterations are one stage, two maps of one line are two.
        for stage in ('map(load)', 'map(plus)', 'batch'):
            self.assertEqual([source for _, source in by_stage[stage]], [str(line)], by_stage)
        self.assertEqual(len({number for stages in by_stage.values() for number, _ in stages}), len(by_stage))
        count = sum(row['count'] for row in rows)
        self.assertEqual(footlight_program.run('sql', session, '--csv', 'select count(*) from spans where stage_id '
                                               'is not null').stdout.split()[1], str(count))

    def test_functions_of_a_loop_whose_shapes_vary_too(self):
        said, report, _ = self.record('''
            import json
            import footlight as tf
            w = tf.Variable(tf.ones([3, 2]))
            traced = 0
            def body(x):
                global traced
                traced += 1
                return x @ w
            for n in range(%(turns)d):
                score = tf.function(lambda x: body(x))
                score(tf.ones([4 + n, 3]))
            print(json.dumps({'traced': traced}))
        ''', turns=6)
        found, = [f for f in report['findings'] if f['cause'] == 'function_made_in_loop']
        checked = found['checked']
        self.assertEqual((checked['traces_before'], checked['traces_after'], said['traced']), (6, 1, 6))
        self.assertIn('Make it once', found['fix']['text'])
        self.assertIn('tf.TensorSpec([None, 3], tf.float32)', found['fix']['text'])
