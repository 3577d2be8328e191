"""Calls that are repeated eagerly and traced: shares that add up, groups, and that the script does not notice."""
import json
import os
import textwrap
import unittest

from folder_case import FolderCase
from footlight_program import BUILD, ENVIRONMENT, run, table


class Compared(FolderCase):
    def script(self, body):
        return self.write('script.py', 'import tensorflow as tf\n' + textwrap.dedent(body))

    def compare(self, body, *words):
        script = self.script(body)
        out = run('compare', script, '--json', '-o', self.session, '--seconds', '4', *words).stdout
        found = json.loads(out)
        self.assertEqual(len(found), 1)
        self.check(found[0])
        return found[0]

    def check(self, c):
        """What holds for every comparison, from its numbers alone."""
        left, right = c['left'], c['right']
        parts = sum(part['difference_ns']['mean'] for part in c['parts'])
        near = 0.1 * (len(c['parts']) + 3)   # each number is printed to a tenth of a nanosecond
        self.assertAlmostEqual(left['total_ns']['mean'] + parts, right['total_ns']['mean'], delta=near)
        self.assertAlmostEqual(c['difference_ns']['mean'], right['total_ns']['mean'] - left['total_ns']['mean'], delta=1)
        for side in left, right:
            self.assertAlmostEqual(sum(side['shares_ns'].values()), side['recorded_ns']['mean'], delta=2)
            self.assertGreaterEqual(min(side['shares_ns'].values()), 0)
        for name in 'eager', 'traced':
            rows = sum(row[name + '_ns']['mean'] for row in c['rows'])
            side = left if name == 'eager' else right
            self.assertAlmostEqual(rows, side['shares_ns']['kernels'], delta=0.1 * len(c['rows']) + 1)
        # What recording costs is a figure of its own; what it does not explain is called unexplained.
        for side in left, right:
            rest = side['shares_ns']['unexplained'] + side['recorder_ns'] - side['recording_adds_ns']
            self.assertAlmostEqual(side['unexplained_ns'], rest, delta=0.5)
            self.assertAlmostEqual(side['recorder_ns'], side['shares_ns']['recording'], delta=0.1)
            self.assertEqual(side['shares_ns']['unexplained'], 0)
        self.assertNotIn('recording', [part['name'] for part in c['parts']])
        worst = max(abs(side['unexplained_ns']) / side['total_ns']['mean'] for side in (left, right))
        self.assertAlmostEqual(c['unexplained'], worst, delta=0.001 + 0.2 / min(left['total_ns']['mean'],
                                                                                right['total_ns']['mean']))
        self.assertEqual('is unexplained' in c['sentence'], c['unexplained'] > 0.05, c['sentence'])

    def recorded(self, *words):
        c = json.loads(run('compare', *words, '--json').stdout)
        self.check(c)
        self.assertEqual(c['unexplained'], 0)
        return c

    def rows(self, c, group):
        return [row for row in c['rows'] if row['group'] == group]


class Scripts(Compared):
    def test_power(self):
        c = self.compare('''
            @tf.function
            def power(x, n):
                result = tf.ones_like(x)
                for _ in range(n):
                    result = result * x
                return result
            print(float(tf.reduce_sum(power(tf.constant([1.0, 1.01]), 100))))
            ''', '--function', 'power')
        self.assertEqual(c['function'], 'power')
        self.assertGreater(c['pairs'], 5)
        self.assertGreater(c['pairs_with_events'], 2)
        [fused] = [row for row in c['rows'] if row['eager_ops'] == '100 x Mul']
        # The first one, by ones, gives its input.
        self.assertEqual((fused['line'], fused['group'], fused['traced_count']), (7, 'fused', 99))
        self.assertEqual(fused['graph_nodes'], '100 x Mul, 99 runs')
        self.assertGreater(c['left']['shares_ns']['Python'], 0)
        self.assertEqual(c['right']['ops'], sum(row['traced_count'] for row in c['rows']))
        self.assertEqual(c['left']['ops'], sum(row['eager_count'] for row in c['rows']))

    def test_convolution_step(self):
        c = self.compare('''
            tf.random.set_seed(1)
            kernel = tf.Variable(tf.random.normal([3, 3, 1, 4]))
            dense = tf.Variable(tf.random.normal([64, 10]))
            @tf.function
            def step(x, y):
                with tf.GradientTape() as tape:
                    h = tf.nn.relu(tf.nn.conv2d(x, kernel, strides=1, padding='SAME'))
                    h = tf.nn.max_pool2d(h, ksize=2, strides=2, padding='SAME')
                    logits = tf.matmul(tf.reshape(h, [8, 64]), dense)
                    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
                grads = tape.gradient(loss, [kernel, dense])
                kernel.assign_sub(0.1 * grads[0])
                dense.assign_sub(0.1 * grads[1])
                return loss
            x = tf.random.normal([8, 8, 8, 1])
            y = tf.constant([0, 1, 2, 3, 4, 5, 6, 7])
            for i in range(3):
                print(float(step(x, y)))
            ''', '--function', 'step', '--call', '2')
        self.assertEqual(c['call'], 2)
        self.assertEqual(c['trace_calls'], 3)  # without those that the comparison makes
        conv = [row for row in c['rows'] if row['eager_ops'] == 'Conv2D']
        self.assertEqual([(row['group'], row['graph_nodes'][:6]) for row in conv], [('same', 'Conv2D')])
        self.assertGreater(conv[0]['flops'], 0)
        self.assertEqual(c['error'], '')

    def test_loop(self):
        c = self.compare('''
            @tf.function
            def total(n, x):
                s = tf.zeros([20000])
                i = tf.constant(0)
                while i < n:
                    s = s + tf.sin(x + s)
                    i += 1
                return s
            total(tf.constant(30), tf.ones([20000]))
            ''')
        [sine] = [row for row in c['rows'] if row['eager_ops'] == '30 x Sin']
        # One node that ran as often as the eager loop turned.
        self.assertEqual((sine['group'], sine['traced_count'], sine['line']), ('fused', 30, 8))
        self.assertRegex(sine['graph_nodes'], r'^while/\w+, 30 runs$')
        # Both have their share of the walk, of which neither is as short as a mark.
        [add] = [row for row in c['rows'] if row['eager_ops'] == '60 x AddV2' and row['line'] == 8]
        self.assertEqual((add['group'], add['traced_count']), ('fused', 60))
        self.assertGreater(add['traced_ns']['mean'], 0)
        self.assertGreater(sine['traced_ns']['mean'], 0)

    def test_hoisted_and_joined(self):
        c = self.compare('''
            @tf.function
            def inner(x):
                return tf.cos(x)
            @tf.function
            def total(n, x):
                s = inner(x) * inner(x)
                i = tf.constant(0)
                while i < n:
                    s = s + tf.sin(x)
                    i += 1
                return s
            total(tf.constant(30), tf.ones([4]))
            ''', '--function', 'total')
        groups = {row['eager_ops']: row for row in c['rows']}
        sine, cosine = groups['30 x Sin'], groups['2 x Cos']
        self.assertEqual((sine['group'], sine['traced_count']), ('hoisted', 1))
        self.assertEqual(sine['why'], 'It ran 30 times eagerly, once in the graph: by the pass hoist_invariants')
        self.assertEqual((cosine['group'], cosine['traced_count']), ('joined', 1))
        self.assertEqual(cosine['why'], 'It ran 2 times eagerly, once in the graph: by the pass join_equal')
        self.assertGreater(cosine['line'], 0)

    def test_folded_and_pruned(self):
        c = self.compare('''
            @tf.function
            def f(x):
                scale = tf.exp(tf.constant([1.0, 2.0]))
                unused = tf.cos(x)
                return x * scale
            f(tf.constant([1.0, 2.0]))
            ''')
        groups = {row['eager_ops']: (row['group'], row['why']) for row in c['rows']}
        self.assertEqual(groups['Exp'], ('folded', 'By the pass fold_constants'))
        self.assertEqual(groups['Cos'], ('pruned', 'By the pass prune'))
        self.assertEqual(groups['Mul'][0], 'same')

    def test_nested_functions_run_eagerly_too(self):
        c = self.compare('''
            @tf.function
            def inner(x):
                return tf.sin(x)
            @tf.function
            def outer(x):
                return inner(x) + inner(x)
            outer(tf.ones([3]))
            ''', '--function', 'outer')
        self.assertEqual([row['eager_ops'] for row in c['rows'] if 'Sin' in row['eager_ops']], ['2 x Sin'])

    def test_a_wait_in_python_is_pythons(self):
        c = self.compare('''
            import time
            @tf.function
            def f(x):
                until = time.perf_counter_ns() + 3_000_000
                while time.perf_counter_ns() < until:
                    pass
                return x + 1.0
            f(tf.ones([3]))
            ''', '--pairs', '8')
        self.assertGreaterEqual(c['left']['shares_ns']['Python'], 0.8 * 3e6)
        self.assertLess(c['right']['shares_ns']['Python'], c['left']['shares_ns']['Python'])
        largest = min(c['parts'], key=lambda part: part['difference_ns']['mean'])
        self.assertEqual(largest['name'], 'Python')
        self.assertIn('Python is the largest reason', c['sentence'])

    def test_eager_against_eager(self):
        c = self.compare('''
            tf.config.run_functions_eagerly(True)
            @tf.function
            def f(x):
                for _ in range(20):
                    x = tf.sin(x)
                return x
            f(tf.ones([100]))
            ''')
        # The traced repetitions are asked for as such.
        self.assertEqual(c['right']['ops'], 20)


class LongCalls(Compared):
    SCRIPT = '''
        import time
        runs = []
        @tf.function
        def f(x):
            runs.append(1)
            time.sleep(0.4)
            return x + 1.0
        f(tf.ones([3]))
        print(len(runs))
        '''

    def test_the_time_bounds_the_repetitions(self):
        # Two pairs after one to warm up take longer than the time that they have.
        c = self.compare(self.SCRIPT, '--seconds', '1')
        self.assertEqual(c['warm_up'], 1)
        self.assertLessEqual(c['pairs'], 2)
        self.assertGreaterEqual(c['pairs_with_events'], 1)
        self.assertIn('1 s were over', c['stopped'])

    def test_one_pair_is_better_than_none(self):
        c = self.compare(self.SCRIPT, '--seconds', '0.2')
        self.assertEqual((c['warm_up'], c['pairs'], c['pairs_with_events']), (0, 1, 1))
        self.assertIn('one pair', c['stopped'])
        self.assertGreaterEqual(c['left']['shares_ns']['Python'], 0.4e9)

    def test_interruptions_are_counted(self):
        """Two programs share one processor, so that each call of a tenth of a second is interrupted."""
        c = self.compare('''
            import os, subprocess, sys, time
            os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
            other = subprocess.Popen([sys.executable, '-c', 'while True: pass'])
            @tf.function
            def f(x):
                end = time.process_time() + 0.1
                while time.process_time() < end: pass
                return x + 1.0
            try: f(tf.ones([3]))
            finally: other.kill()
            ''', '--pairs', '4')
        eager, = json.loads(run('sql', self.session, 'select min(interruptions) least from repetitions '
                                        'where traced = 0', '--json').stdout)
        self.assertGreater(eager['least'], 0)
        self.assertTrue(any('Other programs interrupted' in note for note in c['notes']), c['notes'])


class Unnoticed(Compared):
    SCRIPT = '''
        import random
        tf.random.set_seed(3)
        random.seed(4)
        v = tf.Variable([1.0, 2.0])
        generator = tf.random.Generator.from_seed(5)
        class Model:
            def __init__(self):
                self.w = None
            @tf.function
            def step(self, x):
                if self.w is None:
                    self.w = tf.Variable(tf.ones([2]), name='w')
                tf.print('step', x)
                print('traced or eager')
                self.w.assign_add(x)
                v.assign_sub(0.5 * self.w)
                return v + tf.random.uniform([2]) + generator.normal([2])
        model = Model()
        for i in range(4):
            print(model.step(tf.constant([1.0, 2.0])).numpy().tolist(), random.random(),
                  tf.random.normal([2]).numpy().tolist())
        print(v.numpy(), model.w.numpy(), input() if False else '')
        '''

    def test_the_output_is_the_same(self):
        script = self.script(self.SCRIPT)
        plain = run('record', '-o', self.session, script)
        for call in '1', '3':
            compared = run('record', '-o', self.session, '--compare', 'Model.step:' + call, '--compare-pairs',
                                   '6', script)
            self.assertEqual(compared.stdout, plain.stdout)
            self.assertEqual(compared.stderr, plain.stderr)
            [c] = json.loads(run('compare', self.session, '--json').stdout)
            self.check(c)
            self.assertEqual((c['call'], c['pairs'] + c['interrupted'], c['error']), (int(call), 6, ''))
            self.assertTrue(any('print' in note for note in c['notes']), c['notes'])
            self.check_calls()

    def check_calls(self):
        """Repetitions are no calls of the program: it made 4, and the first of them traced."""
        calls = json.loads(run('info', self.session, '--json').stdout)
        self.assertEqual(calls['calls'], 4)
        outcomes = [row['outcome'] for row in sorted(table(self.session, 'calls'), key=lambda r: int(r['start_ns']))]
        self.assertEqual(outcomes, ['trace', 'hit', 'hit', 'hit'])

    def test_effects_are_said(self):
        c = self.compare('''
            seen = []
            @tf.function
            def f(x):
                seen.append(1)
                return x + 1.0
            f(tf.ones([3]))
            ''', '--pairs', '4')
        self.assertTrue(any('seen (line 6)' in note for note in c['notes']), c['notes'])

    def test_effects_of_helpers_are_said(self):
        c = self.compare('''
            class Tally:
                def __init__(self):
                    self.counts = {}
                def hit(self, name):
                    self.counts[name] = self.counts.get(name, 0) + 1
            tally = Tally()
            calls = 0
            def count():
                global calls
                calls += 1
                tally.hit('count')
            def total(values):
                values.append(1.0)
                return sum(values)
            @tf.function
            def f(x):
                count()
                return x + total([])
            f(tf.ones([3]))
            ''', '--pairs', '4')
        effects = [note for note in c['notes'] if 'repeats an effect' in note]
        self.assertEqual(len(effects), 2, c['notes'])
        self.assertIn('calls (line 12 of count)', effects[0])
        self.assertIn('self.counts', effects[1])
        self.assertIn('(line 7 of hit)', effects[1])

    def test_elements_of_iterators(self):
        """Each repetition gets those of the call, and the script gets all of them once, in order."""
        for name, source in (('slices', 'tf.data.Dataset.from_tensor_slices(np.arange(9.)).map(lambda v: v * 2.)'),
                             ('a generator', 'tf.data.Dataset.from_generator(lambda: map(float, range(9)), tf.float64)')):
            with self.subTest(name):
                body = f'''
                    import numpy as np
                    iterator = iter({source}.prefetch(2))
                    total = tf.Variable(0., dtype=tf.float64)
                    @tf.function
                    def step(iterator):
                        value = next(iterator) + next(iterator)
                        total.assign_add(value)
                        return value
                    for i in range(4):
                        print(float(step(iterator)), float(total))
                    print(float(next(iterator)), [float(x) for x in iterator])
                '''
                plain = run('record', '-o', self.session, self.script(body)).stdout
                c = self.compare(body, '--function', 'step', '--call', '2')
                self.assertEqual(c['error'], '')
                self.assertRegex(' '.join(c['notes']), 'got the elements again .* 5 more were taken')
                self.assertEqual(run('compare', self.script(body), '--function', 'step', '--call', '2', '-o',
                                     self.session).stdout.splitlines()[:5], plain.splitlines())

    def test_a_failing_repetition_is_said(self):
        script = self.script('''
            tracing = True
            @tf.function
            def f(x):
                if not tracing:
                    raise ValueError('not twice')
                return x + 1.0
            g = f.get_concrete_function(tf.ones([3]))
            tracing = False
            print(f(tf.ones([3])).numpy())
            ''')
        done = run('compare', script)
        self.assertIn('[2. 2. 2.]', done.stdout)
        self.assertIn('The comparison failed eagerly: ValueError: not twice', done.stdout)

    def test_what_the_script_raises_is_raised(self):
        script = self.script('''
            @tf.function
            def f(x):
                raise ValueError('as always')
            f(tf.ones([3]))
            ''')
        plain = run('record', '-o', self.session, script, code=1)
        self.assertIn('call 1 was not compared; the script ended with exit code 1',
                      run('compare', script, code=2).stderr)
        done = run('record', '-o', self.session, '--compare', 'f', script, code=1)
        self.assertIn('ValueError: as always', done.stderr)
        self.assertEqual(done.stderr, plain.stderr)


FAKES = os.path.join(BUILD, 'tests')


@unittest.skipUnless(os.path.exists(os.path.join(FAKES, 'libfake_device.so')), 'the fake device is not built')
class Rehearsal(Compared):
    def setUp(self):
        super().setUp()
        driver = os.pathsep.join(filter(None, [os.path.join(FAKES, 'fake_driver'), os.environ.get('LD_LIBRARY_PATH')]))
        fake = {'FOOTLIGHT_CUDA_PART': os.path.join(FAKES, 'libfake_device.so'), 'LD_LIBRARY_PATH': driver,
                'FOOTLIGHT_CUPTI': os.path.join(FAKES, 'libfake_cupti.so')}
        before = dict(ENVIRONMENT)
        ENVIRONMENT.update(fake)
        self.addCleanup(lambda: (ENVIRONMENT.clear(), ENVIRONMENT.update(before)))

    def test_streams_of_a_simulated_device(self):
        script = self.script("""
            with tf.device('/gpu:0'):
                x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
            @tf.function
            def f(x):
                return tf.matmul(x, x) * x
            print(f(x).device)
            """)
        out = run('compare', script, '--json', '-o', self.session, '--pairs', '12').stdout
        [c] = json.loads(out)
        self.assertTrue(c['simulated'])
        self.assertIn('The device is simulated.', run('compare', self.session).stdout)
        for side in c['left'], c['right']:
            names = [lane['name'] for lane in side['lanes']]
            self.assertEqual(names[0], 'host')
            self.assertTrue(any(name.startswith('CUDA API, 2 launches') for name in names), names)
            streams = [lane for lane in side['lanes'] if lane['name'].startswith('stream')]
            self.assertEqual(sum(lane['pieces'] for lane in streams), 2, side['lanes'])
            self.assertAlmostEqual(sum(side['shares_ns'].values()), side['recorded_ns']['mean'], delta=2)
            self.assertGreater(side['shares_ns']['device kernels'], 0)
        self.assertEqual({row['eager_ops']: row['group'] for row in c['rows']}, {'MatMul': 'same', 'Mul': 'same'})


class Recorded(Compared):
    """What was recorded is compared: against the rows of the recordings."""
    BEFORE = '''
        @tf.function
        def step(x, rate):
            y = tf.matmul(x, x)
            for _ in range(5):
                y = y * rate
            return tf.reduce_sum(y)
        x = tf.ones([8, 8])
        for i in range(6):
            step(x, 0.1 * i)
        print(float(tf.reduce_sum(x + 1.0)))
        '''

    def record(self, body, name):
        path = self.path(name + '.footlight')
        run('record', '-o', path, self.script(body))
        return path

    def test_calls_and_traces_of_one_recording(self):
        path = self.record(self.BEFORE.replace('print(', 'for i in range(8):\n            step(x, 0.1)\n        print('),
                           'run')
        c = self.recorded(path, 'step:1', 'step:9')
        calls = sorted((int(row['start_ns']), int(row['duration_ns'])) for row in table(path, 'calls'))
        self.assertEqual(len(calls), 14)
        self.assertAlmostEqual(c['left']['total_ns']['mean'], calls[0][1], delta=1)
        self.assertAlmostEqual(c['right']['total_ns']['mean'], calls[8][1], delta=1)
        self.assertGreater(c['left']['shares_ns']['tracing'], 0)
        self.assertEqual(c['right']['shares_ns']['tracing'], 0)
        self.assertEqual([(row['eager_count'], row['traced_count'], row['group']) for row in c['rows']],
                         [(1, 1, 'same'), (5, 5, 'same'), (1, 1, 'same')])
        self.assertEqual(c['title'], 'step: call 1 against call 9')
        c = self.recorded(path, 'step#1', path + ':step#2')
        self.assertEqual((c['left']['calls'], c['right']['calls']), (1, 8))
        self.assertTrue(any('served only the call that made it' in note for note in c['notes']), c['notes'])
        text = run('compare', path, 'step:1', 'step:9').stdout
        self.assertRegex(text, r'script.py:7 +5 x Mul')
        self.assertRegex(text, r'call 1 took .*, call 9 .*: \d+ times as fast\. .* the largest reason')
        self.assertRegex(text, r'(?m)^  tracing +-')

    def test_recordings_before_and_after_an_edit(self):
        before = self.record(self.BEFORE, 'before')
        after = self.record(self.BEFORE.replace('step(x, 0.1 * i)', 'step(x, tf.constant(0.1 * i))')
                            .replace('return tf', 'y = tf.nn.relu(y)\n            return tf'), 'after')
        c = self.recorded(before, after)
        for side, path in (c['left'], before), (c['right'], after):
            info = json.loads(run('info', path, '--json').stdout)
            self.assertEqual(side['calls'], info['calls'])
            traces = sum(int(row['duration_ns']) for row in table(path, 'traces'))
            self.assertAlmostEqual(side['shares_ns']['tracing'], traces, delta=1)
        rows = {(row['eager_ops'], row['graph_nodes']): row for row in c['rows']}
        self.assertEqual(rows['6 x MatMul', '6 x MatMul']['group'], 'same')
        self.assertEqual(rows['', '6 x Relu']['group'], 'only right')
        self.assertEqual(rows['6 x Sum', '6 x Sum']['place'], 'script.py:8 → 9')
        self.assertEqual(rows['AddV2', 'AddV2']['group'], 'same')
        f = self.recorded(before + ':step', after + ':step')
        for side, path in (f['left'], before), (f['right'], after):
            calls = sum(int(row['duration_ns']) for row in table(path, 'calls'))
            self.assertAlmostEqual(side['total_ns']['mean'], calls, delta=1)
        self.assertEqual(f['title'], 'step: before against after')

    def test_mistakes(self):
        path = self.record(self.BEFORE, 'run')
        for words, said in (((path, 'step:1', 'step:99'), 'step was called 6 times'),
                            ((path, 'step:1', 'step:1'), 'both sides are the same'),
                            ((path, 'step:1'), 'are not comparable'),
                            ((path, 'step', 'step:1', 'step:2'), 'needs two calls or recordings'),
                            ((path + ':step:x', path), 'name a function'),
                            ((path + ':', path), 'which function?'),
                            ((path, 'nobody#1', 'step#1'), "has no function 'nobody'"),
                            ((path, 'step#1', 'step#2', '--pairs', '3'), 'no option but --json'),
                            ((path + ':step', path + '.none.footlight:step'), 'none')):
            self.assertIn(said, run('compare', *words, code=2).stderr, words)


class CommandLine(Compared):
    def test_text(self):
        script = self.script('''
            @tf.function
            def f(x):
                return tf.sin(x) + 1.0
            f(tf.ones([3]))
            ''')
        out = run('compare', script, '-o', self.session).stdout
        self.assertIn('f, arguments of call 1 (script.py:6)', out)
        self.assertRegex(out, r'\d+ [num]s eager, .* traced: ')
        self.assertRegex(out, r'(?m)^  eager +[\d.]+ [num]s  #+')
        self.assertRegex(out, r'script.py:5 +Sin +[\d.]+ [num]s +\S*Sin\S* +[\d.]+ [num]s .* fused')
        adds = r'([\d.]+ [num]s|nothing measurable)'
        self.assertRegex(out, f'Noting when each part began and ended added {adds} to an eager repetition and {adds} to '
                              r'a traced one; the totals are of repetitions without that\.')
        self.assertEqual(out, run('compare', self.session).stdout)

    def test_a_call_that_cannot_be_bound_again_keeps_its_result(self):
        script = self.script('''
            holder = [tf.ones([2])]
            @tf.function
            def step(items):
                if len(items) > 1:
                    raise ValueError('too many items')
                holder.append(tf.ones([2]))
                return items[0] + 1.0
            print('result', step(holder).numpy().tolist())
            ''')
        done = run('compare', script, '--json', '-o', self.session)
        self.assertIn('result [2.0, 2.0]', done.stderr)
        found, = json.loads(done.stdout)
        self.assertIn('too many items', found['error'])
        self.assertIn('too many items', run('compare', self.session).stdout)

    def test_functions_of_one_name(self):
        script = self.script('''
            class A:
                @tf.function
                def f(self, x): return x + 1.0
            class B:
                @tf.function
                def f(self, x): return x * 100.0
            a, b = A(), B()
            a.f(tf.constant(1.0)); b.f(tf.constant(1.0)); a.f(tf.constant(2.0))
            ''')
        out = run('compare', script, '--function', 'f', '--call', '2', '--seconds', '1').stdout
        self.assertIn('A.f, arguments of call 2', out)

    def test_mistakes(self):
        script = self.script('print(1)\n')
        self.assertIn('a script or a recording is missing', run('compare', code=2).stderr)
        self.assertIn("unknown option '--bad'", run('compare', script, '--bad', code=2).stderr)
        self.assertIn('--call takes', run('compare', script, '--call', 'x', code=2).stderr)
        self.assertIn('the script called no traced function', run('compare', script, '--function', 'f', code=2).stderr)
        script = self.script('''
            @tf.function
            def step(x):
                return x + 1.0
            for _ in range(3):
                step(tf.ones([2]))
            ''')
        self.assertIn("no traced function 'nope' got to its call 1; the script called step (3 calls)",
                      run('compare', script, '--function', 'nope', code=2).stderr)
        self.assertIn("no traced function 'step' got to its call 9; the script called step (3 calls)",
                      run('compare', script, '--function', 'step', '--call', '9', code=2).stderr)
        self.assertIn('pairs are 2', run('compare', script, '--pairs', '0', code=2).stderr)
        self.assertIn('--compare takes', run('record', '--compare', 'f:x', script, code=2).stderr)
