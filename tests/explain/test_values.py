"""Calls whose tensors are recorded: figures node by node, the first NaN and infinity, and that nothing is changed."""
import json
import os
import re
import signal
import sqlite3
import subprocess
import textwrap

import numpy as np

from folder_case import FolderCase
from footlight_program import ENVIRONMENT, PROGRAM, run

# From call 2 on the softmax gives a 0, of which log makes -Inf and 0 * -Inf NaN.
TRAIN = '''
    w = tf.Variable([[1., 2.], [3., 4.]])

    @tf.function
    def step(x, labels):
        p = tf.nn.softmax(x @ w)
        loss = -tf.reduce_sum(labels * tf.math.log(p))
        w.assign_sub(0.0 * tf.ones_like(w) * loss)
        return loss

    for i in range(1, 7):
        x = tf.constant([[1., 1.], [60. * i, 1.]])
        print(i, float(step(x, tf.constant([[0., 1.], [0., 1.]]))))
    print(w.numpy().tolist())
'''


class Values(FolderCase):
    def setUp(self):
        super().setUp()
        self.recording = self.path('run.footlight')

    def script(self, body):
        return self.write('script.py', 'import tensorflow as tf\n' + textwrap.dedent(body))

    def found(self, command, body, *words):
        return json.loads(run(command, self.script(body), '--json', '-o', self.recording, *words).stdout)

    def test_figures_of_each_node_are_those_of_numpy(self):
        found, = self.found('values', '''
            @tf.function
            def f(x):
                return tf.reduce_sum(tf.exp(x) * 2.0, axis=1)
            f(tf.constant([[0., 1., 2.], [3., 0., -1.]]))
            f(tf.constant([[9., 9., 9.], [9., 9., 9.]]))
        ''', '--function', 'f', '--call', '1')
        self.assertTrue(found['same_results'])
        self.assertEqual((found['function'], found['call'], found['reason'], found['error']), ('f', 1, 'asked', ''))
        by_op = {v['op']: v for v in found['values']}
        x = np.array([[0., 1., 2.], [3., 0., -1.]], np.float32)
        for op, value in (('Placeholder', x), ('Exp', np.exp(x)), ('Mul', np.exp(x) * 2),
                          ('Sum', np.sum(np.exp(x) * 2, axis=1))):
            v = by_op[op]
            self.assertEqual((v['elements'], v['nan'], v['zeros']), (value.size, 0, int((value == 0).sum())), op)
            for key, number in (('min', value.min()), ('max', value.max()), ('mean', value.mean()),
                                ('std', value.std())):
                self.assertAlmostEqual(v[key], float(number), delta=1e-5 * max(1, abs(float(number))), msg=(op, key))
            self.assertEqual(sum(v['bins']), value.size)
        self.assertIn('script.py:', by_op['Exp']['line'])

    def test_elements_stand_in_the_recording(self):
        self.found('values', '''
            @tf.function
            def f(x):
                return x * 2.0, tf.cast(x, tf.int64), x > 1.0
            f(tf.constant([[0., 1.], [2., 3.]]))
        ''')
        with sqlite3.connect(self.recording) as base:
            rows = {op: (width, data) for op, width, data in base.execute(
                'SELECT n.op, v.width, v.data FROM tensor_value v JOIN node n ON n.graph = v.graph AND n.id = v.node')}
        self.assertEqual(np.frombuffer(rows['Mul'][1], np.float32).tolist(), [0, 2, 4, 6])
        self.assertEqual(np.frombuffer(rows['Cast'][1], np.float64).tolist(), [0, 1, 2, 3])
        self.assertEqual(np.frombuffer(rows['Greater'][1], np.float32).tolist(), [0, 0, 1, 1])

    def test_several_calls_of_a_function(self):
        found = self.found('values', '''
            @tf.function
            def f(x):
                return x * 2.0
            for i in range(7):
                f(tf.constant([float(i), float(i + 1)]))
        ''', '--function', 'f', '--call', '2-5')
        self.assertEqual([f['call'] for f in found], [2, 3, 4, 5])
        means = [next(v['mean'] for v in f['values'] if v['op'] == 'Mul') for f in found]
        self.assertEqual(means, [3.0, 5.0, 7.0, 9.0])
        kept = json.loads(run('values', self.recording, '--call', '3-4', '--json').stdout)
        self.assertEqual([f['call'] for f in kept], [3, 4])
        for calls, said in (('5-2', 'such as 1-20'), ('1-', 'such as 1-20'), ('1-101', 'records 1 to 100 calls')):
            self.assertIn(said, run('values', self.script('pass'), '--call', calls, code=2).stderr)

    def test_both_parts_of_complex_elements(self):
        found, = self.found('values', '''
            @tf.function
            def f(x, y):
                return tf.complex(x, y) * tf.complex(2.0, 0.0)
            f(tf.constant([1., -3., float('nan')]), tf.constant([0.5, 4., 1.]))
        ''')
        mul = next(v for v in found['values'] if v['op'] == 'Mul')
        self.assertEqual((mul['dtype'], mul['nan'], mul['max']), ('complex64', 1, 10.0))   # |-6 + 8j|
        self.assertEqual((mul['real']['min'], mul['real']['max'], mul['real']['nan']), (-6.0, 2.0, 1))
        self.assertEqual((mul['imaginary']['min'], mul['imaginary']['max']), (1.0, 8.0))
        with sqlite3.connect(self.recording) as base:
            data, = base.execute('SELECT v.data FROM tensor_value v JOIN node n ON n.graph = v.graph AND n.id = v.node '
                                 "WHERE n.op = 'Mul'").fetchone()
        self.assertEqual(np.frombuffer(data, np.complex64)[:2].tolist(), [2 + 1j, -6 + 8j])
        self.assertIn('real parts: min -6, max 2', run('values', self.recording, '--node', 'mul').stdout)

    def test_the_first_nan_and_the_infinity_that_it_came_of(self):
        found = self.found('nan', TRAIN)
        nan = [f for f in found if f['reason'] == 'first NaN']
        self.assertEqual(len(nan), 1)
        story = nan[0]
        self.assertEqual(story['first_infinity']['op'], 'Log')
        self.assertEqual(story['first_infinity']['why'], 'Log(0) is -Inf')
        self.assertEqual(story['first_nan']['op'], 'Mul')
        self.assertEqual(story['first_nan']['why'], 'Mul(0, -Inf) is NaN')
        self.assertTrue(story['same_results'])
        # The same call, found by its printed results.
        printed = run('record', self.script(TRAIN), '-o', self.recording).stdout.splitlines()
        self.assertEqual(story['call'], next(i for i, line in enumerate(printed, 1) if line.endswith(' nan')))

    def test_a_softmax_of_masked_rows(self):
        """The mask is in each call; the last call masks all of a row, and what it made is read by another function."""
        body = '''
            w = tf.Variable([1., 1.])

            @tf.function
            def attend(x, keep):
                masked = tf.where(keep, x, float('-inf'))
                part = tf.nn.softmax(masked)
                w.assign(tf.reduce_sum(part, 0))
                return part

            @tf.function
            def apply(x):
                return x * w

            for keep in (True, True, False):
                attend(tf.ones([2, 2]), tf.constant([[True, False], [keep, False]]))
                apply(tf.ones([2]))
        '''
        run('nan', self.script(body), '-o', self.recording)
        [finding] = json.loads(run('report', '--json', self.recording).stdout)['findings']
        self.assertEqual((finding['cause'], finding['function']), ('first_nan', 'attend'))
        self.assertIn('in call 3: Softmax of a row that is all -Inf is NaN', finding['title'])
        with open(finding['file'], encoding='utf-8') as file:
            self.assertIn('softmax', file.read().splitlines()[finding['line'] - 1])
        self.assertIn('apply read NaN from a variable in call 3', finding['message'])
        self.assertIn('-1e9', finding['fix']['text'])

    def test_the_program_does_not_notice(self):
        drawn = '    print(tf.random.uniform([3]).numpy().tolist())\n'
        script = self.script('\n    tf.random.set_seed(5)' + TRAIN + drawn)
        plain = run('record', script, '-o', self.recording)
        checked = run('record', script, '--check-numerics', '--values', 'step:2', '-o', self.recording)
        self.assertEqual(checked.stdout, plain.stdout)
        with sqlite3.connect(self.recording) as base:
            calls, hits = base.execute('SELECT count(DISTINCT call), count(*) FROM checked_call').fetchone()
            reasons = [r for r, in base.execute('SELECT reason FROM call_values ORDER BY id')]
        self.assertEqual((calls, hits), (6, 6))
        self.assertEqual(len(reasons), 2)
        info = json.loads(run('info', self.recording, '--json').stdout)
        self.assertEqual(info['calls'], 6)   # looking at a call is no call of the program

    def test_a_searched_call_that_traces_is_one_that_traced(self):
        script = self.script('''
            @tf.function
            def f(x):
                return x / 0.0
            for _ in range(3):
                f(tf.ones([2]))
            ''')
        run('record', script, '--check-numerics', '-o', self.recording)
        with sqlite3.connect(self.recording) as db:
            self.assertEqual(db.execute('select count(*) from trace').fetchone(), (1,))
        said = run('sql', self.recording, 'select outcome, count(*) from calls group by outcome order by 1').stdout
        self.assertEqual([line.split() for line in said.splitlines()[2:]], [['hit', '2'], ['trace', '1']])

    def test_the_warning_of_retraces_says_the_same(self):
        script = self.script('''
            @tf.function
            def f(x, k):
                return x * k
            for k in range(8):
                f(tf.ones([2]), k)
            ''')
        plain, asked, searched = (run('record', script, *words, '-o', self.recording).stderr
                                  for words in ((), ('--values', 'f:3'), ('--check-numerics',)))
        self.assertIn('5 of the last 5 calls traced it', plain)
        self.assertEqual(asked, plain)
        self.assertEqual(searched, plain)

    def test_state_is_that_before_the_call(self):
        found, = self.found('values', '''
            v = tf.Variable(1.0)
            @tf.function
            def grow():
                v.assign(v * 3.0)
                return v + tf.random.uniform([])
            for _ in range(4):
                grow()
            assert v.numpy() == 81.0, v.numpy()
        ''', '--call', '3')
        self.assertTrue(found['same_results'])
        mul = next(v for v in found['values'] if v['op'] == 'Mul')
        self.assertEqual(mul['max'], 27.0)

    def test_a_loop_keeps_the_run_that_made_it(self):
        found, = self.found('values', '''
            @tf.function
            def f(x):
                i = tf.constant(0)
                while i < 10:
                    x = x * 1e10
                    i += 1
                return x - x
            f(tf.constant(1.0))
        ''')
        infinite = found['first_infinity']
        self.assertEqual((infinite['op'], infinite['runs'], infinite['run']), ('Mul', 10, 4))
        self.assertEqual(found['first_nan']['op'], 'Sub')

    def test_where_it_was_before_the_call(self):
        found, = self.found('values', '''
            v = tf.Variable(float('nan'))
            @tf.function
            def f(x):
                return x + v
            f(tf.constant(1.0))
        ''')
        self.assertIn('the variable held NaN when it was read', found['story'])
        found, = self.found('values', '''
            @tf.function
            def f(x):
                return x + 1.0
            f(tf.constant(float('nan')))
        ''')
        self.assertIn('the argument held NaN when it was passed', found['story'])

    def test_all_finite(self):
        body = '''
            @tf.function
            def f(x):
                return x + 1.0
            for i in range(3):
                f(tf.constant(1.0))
        '''
        out = run('nan', self.script(body)).stdout
        self.assertIn('f: no NaN and no infinity', out)
        self.assertIn('The results and variables of 3 calls were searched after each call; all were finite.', out)

    def test_words_for_people(self):
        run('nan', self.script(TRAIN), '-o', self.recording)
        out = run('nan', self.recording).stdout
        self.assertIn('The first NaN comes from ', out)
        self.assertIn('Before it, the first infinity comes from ', out)
        self.assertIn('Where NaN spread', out)
        self.assertIn('script.py:', out)
        story = json.loads(run('nan', self.recording, '--json').stdout)[0]
        self.assertRegex(out, r"In the window: footlight '%s' --view graph --select '%s#\d+;[^']+'" % (
            re.escape(self.recording), re.escape(story['function'])))
        self.assertIn('With -o run.footlight the recording is kept', run('nan', self.script(TRAIN)).stdout)
        name = json.loads(run('nan', self.recording, '--json').stdout)[0]['first_infinity']['node']
        out = run('values', self.recording, '--node', name).stdout
        self.assertIn('Log(0) is -Inf', out)
        self.assertIn('inputs 0', out)

    def test_elements_of_an_iterator_are_given_again(self):
        body = '''
            data = iter(tf.data.Dataset.range(5).map(lambda x: tf.cast(x, tf.float32)))
            @tf.function
            def f(it):
                return tf.math.log(next(it) - 2.0)
            assert [str(float(f(data))) for _ in range(4)] == ['nan', 'nan', '-inf', '0.0']
        '''
        found, = self.found('values', body, '--call', '4')
        self.assertEqual((found['error'], found['same_results']), ('', True))
        self.assertEqual(next(v for v in found['values'] if v['op'] == 'IteratorGetNext')['max'], 3.0)
        found, = self.found('nan', body)
        self.assertEqual((found['call'], found['first_nan']['why']), (1, 'Log(-2) is NaN'))

    def test_a_call_that_raises_shows_what_its_nodes_made(self):
        path = self.script("""
            @tf.function
            def f(x):
                return tf.debugging.check_numerics(tf.math.log(x), 'bad')
            f(tf.constant([1.0]))
            try:
                f(tf.constant([-1.0]))
            except tf.errors.InvalidArgumentError:
                print('raised')
        """)
        done = run('record', '--check-numerics', '-o', self.recording, path)
        self.assertIn('raised', done.stdout)
        found, = json.loads(run('nan', self.recording, '--json').stdout)
        self.assertEqual((found['call'], found['first_nan']['why']), (2, 'Log(-1) is NaN'))

    def test_one_function_of_a_name_is_counted(self):
        found, = self.found('values', """
            class A:
                @tf.function
                def f(self, x): return x + 1.0
            class B:
                @tf.function
                def f(self, x): return x * 100.0
            a, b = A(), B()
            a.f(tf.constant(1.0)); b.f(tf.constant(1.0)); a.f(tf.constant(2.0))
        """, '--function', 'f', '--call', '2')
        self.assertEqual((found['function'], found['call']), ('A.f', 2))
        self.assertEqual(found['values'][-1]['max'], 3.0)

    def nan_finding(self, body):
        run('nan', self.script(body), '-o', self.recording)
        finding, = json.loads(run('report', self.recording, '--json').stdout)['findings']
        return finding

    def test_the_op_of_a_gradient_is_named(self):
        for expression, op in (('tf.sqrt(x)', 'Sqrt'), ('tf.norm(x * 0.0)', 'Sqrt'), ('tf.pow(x, 0.5)', 'Pow'),
                               ('tf.math.log(x + 1e-45)', 'Log'), ('1.0 / (x + 1e-30)', 'RealDiv'),
                               ('tf.acos(x + 1.0 - x * 2.0)', 'Acos')):
            with self.subTest(expression):
                finding = self.nan_finding(f'''
                    @tf.function
                    def step(w):
                        with tf.GradientTape() as tape:
                            tape.watch(w)
                            x = w * [0.0, 1.0]
                            y = {expression}
                            loss = tf.reduce_sum(y)
                        return tape.gradient(loss, w)
                    step(tf.constant([1.0, 0.5]))
                ''')
                self.assertTrue(finding['title'].endswith(f'in the gradient of {op}'), finding['title'])
                self.assertTrue(finding['place'].endswith(':8'), finding['place'])

    def test_the_op_of_a_gradient_in_a_function_that_is_called(self):
        """Of three infinities before the first NaN, one reached it; its op is in the graph of the called function."""
        finding = self.nan_finding('''
            w = tf.Variable(tf.ones([3, 2]))
            @tf.function
            def loss_of(x):
                z = x @ w
                return -tf.reduce_sum(tf.math.log(z - tf.reduce_min(z)))
            @tf.function
            def train(x):
                with tf.GradientTape() as tape:
                    loss = loss_of(x)
                w.assign_sub(tape.gradient(loss, w))
            train(tf.reshape(tf.range(6.0), [2, 3]))
        ''')
        self.assertTrue(finding['title'].endswith('Reciprocal(0) is +Inf, in the gradient of Log'), finding['title'])
        self.assertTrue(finding['place'].endswith(':7'), finding['place'])

    def test_what_cannot_be_looked_at(self):
        plain = self.script('@tf.function\ndef f(x):\n  return x\nf(tf.constant(1))')
        error = run('values', plain, '--call', '9', code=2).stderr
        self.assertIn('no such call was made', error)
        self.assertIn('Its traced functions: f', error)
        for words, said in (((), 'a script or a recording is missing'), (('x.py', '--nope'), "unknown option '--nope'"),
                            (('x.py', '--call', '0'), '--call takes a number from 1')):
            self.assertIn(said, run('values', *words, code=2).stderr)
        run('record', plain, '-o', self.recording)
        self.assertIn('holds no values', run('nan', self.recording, code=2).stderr)
        self.assertIn('NAME[:CALL[-LAST]]', run('record', '--values', 'f:x', plain, code=2).stderr)
        self.assertIn('record twice', run('record', '--check-numerics', '--compare', 'f', plain, code=2).stderr)

    def test_an_interrupted_command_leaves_nothing_behind(self):
        script = self.script('import time\n@tf.function\ndef f(x):\n  return x\nf(tf.constant(1))\n'
                            "print('ready', flush=True)\ntime.sleep(100)")
        folder = self.path('temporary')
        os.mkdir(folder)
        for words in (['values', script], ['nan', script], ['compare', script, '--call', '2']):
            with self.subTest(words[0]):
                running = subprocess.Popen([PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                           env={**ENVIRONMENT, 'TMPDIR': folder}, start_new_session=True)
                with running:
                    self.assertEqual(running.stdout.readline(), b'ready\n')
                    self.assertTrue(os.listdir(folder))
                    # From the terminal a signal reaches the script too; from elsewhere it is passed on.
                    if words[0] == 'nan':
                        os.killpg(running.pid, signal.SIGINT)
                    else:
                        running.send_signal(signal.SIGINT)
                    self.assertEqual(running.wait(60), -signal.SIGINT)
                self.assertEqual(os.listdir(folder), [])
