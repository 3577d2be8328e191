"""Makes the edit that a finding shows, and compares the traces that are left with those that the finding promises.

Each program counts its own traces and prints the number, before the edit and after it.
"""
import importlib.util
import re
import subprocess
import sys
import textwrap

import footlight_program
import recorded
from folder_case import FolderCase


class Edits(FolderCase):
    def counted(self, text):
        """The numbers that the program prints when it is not recorded."""
        script = self.write('alone.py', text)
        done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return {name: int(count) for name, count in re.findall(r'([\w.]+)=(\d+)', done.stdout)}

    def edited(self, text, edit):
        """The text with the edit of a finding made."""
        lines = text.splitlines(keepends=True)
        at = edit['line'] - 1
        self.assertIn(edit['old'], lines[at])
        lines[at] = lines[at].replace(edit['old'], edit['new'])
        return ''.join(lines)

    def check(self, body, function, *causes):
        """Makes the edits of all findings about the function, one after the other; returns the findings.

        Each finding is one of these causes, in this order, and promises a number of traces. One with a `-` before it has
        no edit.
        """
        report = footlight_program.report(recorded.record(self.folder, body))
        text = 'import footlight as tf\n' + textwrap.dedent(body)
        about = [f for f in report['findings'] if f['function'] == function]
        self.assertEqual([f['cause'] for f in about], [cause.lstrip('-') for cause in causes], report)
        for finding, cause in zip(about, causes):
            self.assertEqual(finding['checked']['traces_before'], self.counted(text)[function], finding)
            if cause.startswith('-'):
                self.assertIsNone(finding['fix']['edit'], finding)
                continue
            self.assertIsNotNone(finding['fix']['edit'], finding)
            text = self.edited(text, finding['fix']['edit'])
            self.assertEqual(finding['checked']['traces_after'], self.counted(text)[function], (finding, text))
        return about

    def test_a_value_that_two_lines_make_is_no_edit_of_one(self):
        found, = self.check('''
            @tf.function
            def act(x, epsilon):
                return x * epsilon
            def episode(epsilon):
                for _ in range(2):
                    act(tf.ones([3]), epsilon)
            epsilon = 1.0
            for k in range(9):
                episode(epsilon)
                epsilon = max(0.1, epsilon * 0.9)
            print(f'act={act.experimental_get_tracing_count()}')
        ''', 'act', 'python_scalar_argument')
        other = [fix for fix in found['alternatives'] if 'where' in fix['text']]
        self.assertEqual([(fix['text'], fix['edit']) for fix in other],
                         [('Make it a tensor wherever it is made', None)])

    def test_state_that_each_trace_reads_anew_is_named_with_the_fix(self):
        found, = self.check('''
            class Model:
                beta = 0.0
                @tf.function
                def train(self, x, bits):
                    return tf.maximum(x, bits) * self.beta
            model = Model()
            for epoch in range(6):
                model.beta = epoch / 4
                model.train(tf.ones([3]), 2.0 - 0.25 * epoch)
            print(f'Model.train={model.train.experimental_get_tracing_count()}')
        ''', 'Model.train', '-python_scalar_argument')
        self.assertIn('keep self.beta in a tf.Variable', found['fix']['text'])
        for other in found['alternatives']:
            self.assertIn('keep self.beta in a tf.Variable', other['text'])
            self.assertIsNone(other['edit'])

    def test_a_signature_serves_every_call(self):
        first, = self.check('''
            @tf.function
            def step(x, y):
                return tf.reduce_sum(x) + tf.reduce_sum(y)
            for i in range(8):
                step(tf.ones([2 + i]), tf.ones([4, 1 + i % 3]))
            print(f'step={step.experimental_get_tracing_count()}')
        ''', 'step', 'varying_shape')
        self.assertIn('[tf.TensorSpec([None], tf.float32), tf.TensorSpec([4, None], tf.float32)]',
                      first['fix']['edit']['new'])

    def test_a_signature_of_dicts_lists_and_tuples(self):
        first, = self.check('''
            @tf.function
            def step(batch, state):
                return tf.reduce_sum(batch['ids']) + batch['mask'][0] + state[0]
            for i in range(6):
                step({'ids': tf.ones([2, 3 + i]), 'mask': [tf.constant(1.0)]}, (tf.constant(1.0),))
            print(f'step={step.experimental_get_tracing_count()}')
        ''', 'step', 'varying_shape')
        self.assertIn("[{'ids': tf.TensorSpec([2, None], tf.float32), 'mask': [tf.TensorSpec([], tf.float32)]}, "
                      '(tf.TensorSpec([], tf.float32),)]', first['fix']['edit']['new'])

    def test_a_signature_of_many_arguments(self):
        first, = self.check('''
            @tf.function
            def step(*xs):
                return tf.add_n([tf.reduce_sum(x) for x in xs])
            for i in range(6):
                step(tf.ones([2 + i]), tf.ones([3]))
            print(f'step={step.experimental_get_tracing_count()}')
        ''', 'step', 'varying_shape')
        self.assertIn('[tf.TensorSpec([None], tf.float32), tf.TensorSpec([3], tf.float32)]',
                      first['fix']['edit']['new'])

    def test_a_signature_of_a_method(self):
        self.check('''
            class Model(tf.Module):
                @tf.function
                def step(self, x):
                    return tf.reduce_sum(x)
            first, second = Model(), Model()
            for i in range(6):
                first.step(tf.ones([2 + i])), second.step(tf.ones([2 + i]))
            counts = [m.step.experimental_get_tracing_count() for m in (first, second)]
            print(f'Model.step={sum(counts)}')
        ''', 'Model.step', 'varying_shape')

    def test_no_signature_where_it_would_refuse_a_call(self):
        for name, definition, call in (
                ('another dtype', 'step(x, y)', 'tf.ones([2 + i]), tf.constant(1, tf.int64 if i % 2 else tf.int32)'),
                ('by keyword only', 'step(x, *, y)', 'tf.ones([2 + i]), y=tf.ones([3])'),
                ('another number', 'step(x, *y)', 'tf.ones([2 + i]), *[tf.ones([3])] * (1 + (i > 6))'),
                ('a default', 'step(x, y=2.0)', 'tf.ones([2 + i])')):
            with self.subTest(name):
                report = footlight_program.report(recorded.record(self.folder, f'''
                    @tf.function
                    def {definition}:
                        return tf.reduce_sum(x)
                    for i in range(8):
                        step({call})
                '''))
                first = report['findings'][0]
                self.assertEqual((first['cause'], first['fix']['edit']['new']),
                                 ('varying_shape', '@tf.function(reduce_retracing=True)'), first)

    def test_a_request_that_a_signature_would_refuse(self):
        report = footlight_program.report(recorded.record(self.folder, '''
            @tf.function
            def step(x):
                return tf.reduce_sum(x)
            step.get_concrete_function(tf.TensorSpec([None, None], tf.float32))
            step.get_concrete_function(tf.TensorSpec([3], tf.int32))
            for i in range(8):
                step(tf.ones([2 + i]))
        '''))
        self.assertNotIn('input_signature', str(report['findings']))

    def test_two_dtypes_and_shapes_that_vary(self):
        self.check('''
            @tf.function
            def score(x, n):
                return tf.reduce_sum(x) * tf.cast(n, tf.float32)
            for k in range(12):
                n = tf.constant(3, tf.int64 if k % 2 else tf.int32)
                score(tf.ones([5 + k]), n)
            print(f'score={score.experimental_get_tracing_count()}')
        ''', 'score', 'varying_shape', 'dtype_flip')

    def test_calls_that_leave_a_default_out(self):
        self.check('''
            @tf.function
            def f(x, mask=None, scale=1.0):
                y = x * scale
                return tf.reduce_sum(y if mask is None else y * mask)
            for k in range(6):
                f(tf.ones([4]))
                f(tf.ones([4]), scale=0.1 * k)
            print(f'f={f.experimental_get_tracing_count()}')
        ''', 'f', 'python_scalar_argument')

    def test_a_call_of_another_line(self):
        self.check('''
            @tf.function
            def f(x, scale):
                return tf.reduce_sum(x * scale)
            f(tf.ones([4]), 100.0)
            for k in range(6):
                f(tf.ones([4]), 0.1 * k)
            print(f'f={f.experimental_get_tracing_count()}')
        ''', 'f', 'python_scalar_argument')

    def test_a_number_that_is_none_at_times(self):
        """tf.constant makes nothing of None, so that the line is not edited."""
        report = footlight_program.report(recorded.record(self.folder, '''
            @tf.function
            def f(x, scale):
                return tf.reduce_sum(x if scale is None else x * scale)
            for k in range(8):
                f(tf.ones([4]), 0.1 * k if k % 4 else None)
        '''))
        for finding in report['findings']:
            self.assertIsNone(finding['fix']['edit'], finding)

    def test_arguments_that_cannot_be_stacked(self):
        first, = self.check('''
            @tf.function
            def many(*xs):
                return tf.add_n([tf.reduce_sum(x) for x in xs])
            for k in range(8):
                many(tf.ones([2 + k]), tf.ones([3]))
            many(tf.ones([2]))
            print(f'many={many.experimental_get_tracing_count()}')
        ''', 'many', 'varying_shape')
        self.assertEqual(first['fix']['edit']['new'], '@tf.function(reduce_retracing=True)')

    def test_lists_of_tuples(self):
        """Their parts are tensors of their own, so that the numbers in them make no traces either."""
        body = '''
            @tf.function
            def learn(batch):
                if isinstance(batch, tuple):
                    states, actions, rewards = batch
                    return tf.reduce_sum(states) + tf.reduce_sum(actions * rewards)
                return tf.add_n([tf.reduce_sum(s) + a * r for s, a, r in batch])
            for n in range(2, 9):
                batch = [(tf.ones([1, 4]), float(i), 0.5 * i + n) for i in range(n)]
                learn(batch)
            print(f'learn={learn.experimental_get_tracing_count()}')
        '''
        first, = self.check(body, 'learn', '-structure_change')
        stacked = body.replace('learn(batch)\n            print', '''learn(tuple(
                    tf.stack((list(part) + [part[0]] * 9)[:9]) for part in zip(*batch)))
            print''')
        self.assertNotEqual(stacked, body)
        text = 'import footlight as tf\n' + textwrap.dedent(stacked)
        self.assertEqual(first['checked']['traces_after'], self.counted(text)['learn'])

    def test_lists_of_tensors_of_several_shapes(self):
        report = footlight_program.report(recorded.record(self.folder, '''
            @tf.function
            def step(xs):
                return tf.add_n([tf.reduce_sum(x) for x in xs])
            for n in range(2, 8):
                step([tf.ones([i]) for i in range(1, n)])
        '''))
        self.assertNotIn('structure_change', [f['cause'] for f in report['findings']])

    def test_elements_of_other_shapes(self):
        body = '''
            @tf.function
            def run(it):
                return tf.reduce_sum(next(it)['x'])
            for n in (4, 6, 8):
                rows = tf.data.Dataset.from_tensor_slices({'x': tf.ones([8, n])})
                run(iter(rows.batch(4)))
            print(f'run={run.experimental_get_tracing_count()}')
        '''
        first, = self.check(body, 'run', '-varying_shape')
        self.assertEqual(first['path'], "args[0].element_spec['x'].shape[1]")
        self.assertIn('[None, 8]', first['fix']['text'])
        padded = body.replace('rows.batch(4)', 'rows.padded_batch(4, padded_shapes={"x": [8]})')
        text = 'import footlight as tf\n' + textwrap.dedent(padded)
        self.assertEqual(first['checked']['traces_after'], self.counted(text)['run'])

    def test_the_kind_of_elements_is_told(self):
        session = recorded.record(self.folder, '''
            @tf.function
            def run(data):
                return data.reduce(0.0, lambda total, row: total + tf.reduce_sum(tf.cast(row, tf.float32)))
            for dtype in (tf.float32, tf.int32):
                run(tf.data.Dataset.from_tensor_slices(tf.ones([8, 3], dtype)))
        ''')
        said = footlight_program.rows(session, "select why, signature from trace where signature like '%DatasetSpec%'")
        self.assertEqual(said, [('', 'DatasetSpec(f32[3])'), ('dtype of the elements of data', 'DatasetSpec(i32[3])')])

    def test_a_number_that_python_computes_with(self):
        computed = {'import math': 'math.cos(angle)'}
        if importlib.util.find_spec('numpy'):
            computed['import numpy as np'] = 'np.sin(np.arange(4) * angle)'
        for imported, line in computed.items():
            with self.subTest(line):
                first, = self.check(f'''
                    {imported}
                    @tf.function
                    def turn(x, angle):
                        return x * {line}
                    for i in range(8):
                        turn(tf.ones([4], tf.float64), 0.1 * i)
                    print(f'turn={{turn.experimental_get_tracing_count()}}')
                ''', 'turn', '-python_scalar_argument')
                self.assertIn("TensorFlow's functions at line 6", first['fix']['text'])

    def test_a_number_of_two_dtypes(self):
        first, = self.check('''
            last = tf.Variable(0, dtype=tf.int64)
            @tf.function
            def step(x, number):
                last.assign(number)
                return x * tf.cast(number, tf.float32)
            for i in range(8):
                step(tf.ones([4]), i)
            print(f'step={step.experimental_get_tracing_count()}')
        ''', 'step', '-python_scalar_argument')
        self.assertIn('the graphs use it as', first['fix']['text'])

    def test_fields_that_differ_are_named(self):
        for declared in ('@dataclasses.dataclass(frozen=True)', '@dataclasses.dataclass(frozen=True, slots=True)'):
            with self.subTest(declared):
                found, = footlight_program.report(recorded.record(self.folder, f'''
                    import dataclasses
                    {declared}
                    class Hyper:
                        lr: float
                        name: str = 'a, b: c=d'
                        decay: float = 0.9
                    @tf.function
                    def step(x, hp):
                        return x * hp.lr * hp.decay
                    made = [Hyper(0.1 / (i + 1)) for i in range(6)]
                    for hp in made:
                        step(tf.ones([2]), hp)
                '''))['findings']
                self.assertIn('6 objects of the class Hyper, each with other values: lr 0.1 → 0.05 → … → 0.01667;',
                              found['message'])
                self.assertIn('pass what changes in it (of hp.lr) as tensors', found['fix']['text'])

    def numbers(self, before, body):
        """The finding about a number that changes in a body, with the fixes of it that are edits."""
        session = recorded.record(self.folder, f'''
            {before}
            @tf.function
            def step(x, v):
                {body}
            for i in range(9):
                print(step(tf.ones([2]), i).numpy())
        ''')
        found = footlight_program.report(session)['findings']
        finding, = [f for f in found if f['cause'] == 'python_scalar_argument']
        return finding, [fix['edit'] for fix in (finding['fix'], *finding['alternatives']) if fix['edit']]

    def test_a_number_that_python_needs_itself(self):
        """With a tensor in its place the body would fail, so that nothing is offered to be made at once."""
        index = 'tf.gather() or tf.switch_case() at line '
        cast = 'tf.cast() to the dtype that is needed in place of int()'
        for before, body, words in (
                ('WEIGHTS = [1.0, 2.0, 3.0]', 'return x * WEIGHTS[v % 3]', index + '6'),
                ('WEIGHTS = [1.0, 2.0, 3.0]', 'k = v % 3\n                return x * WEIGHTS[k]', index + '7'),
                ('TABLE = {k: k / 2 for k in range(9)}', 'return x * TABLE.get(v)', index + '6'),
                ('def weight(k): return [1.0, 2.0, 3.0][k % 3]', 'return x * weight(v)', index + '3'),
                ('', 'return x * int(v)', cast + ' at line 6'),
                ('', 'return x * (v if not v else -v)', "TensorFlow's functions at line 6")):
            with self.subTest(body):
                finding, edits = self.numbers(before, body)
                self.assertEqual(edits, [])
                self.assertIn(words, finding['fix']['text'])

    def test_a_number_that_tensors_are_indexed_with(self):
        for before, body in (('WEIGHTS = tf.constant([1.0, 2.0, 3.0])', 'return x * WEIGHTS[v % 3]'),
                             ('', 'return x[v % 2] + tf.cast(int(v), tf.float32) * 0.0'),
                             ('', 'return x * float(v)')):
            with self.subTest(body):
                finding, edits = self.numbers(before, body)
                self.assertTrue(edits)
                self.assertIn('tf.constant(', finding['fix']['text'])

    def test_a_body_that_decides_by_the_dtype(self):
        program = '''
            @tf.function
            def step(x):
                {}
            for i in range(6):
                step(tf.cast(tf.fill([2], i), tf.int32 if i % 2 else tf.float32))
        '''
        for body, has_edit in (('return x * 2 if x.dtype == tf.int32 else x * 3', False),
                               ('return x * 2', True)):
            with self.subTest(body):
                found, = footlight_program.report(recorded.record(self.folder, program.format(body)))['findings']
                self.assertEqual(found['cause'], 'dtype_flip')
                edits = [fix['edit'] for fix in (found['fix'], *found['alternatives']) if fix['edit']]
                self.assertEqual(bool(edits), has_edit)
                self.assertEqual('which decides by the dtype' in found['fix']['text'], not has_edit)
