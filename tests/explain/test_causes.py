"""Whole programs, each recorded and reported: one with each cause, and those that look like it and are right as they are.

Where the fix is an edit of one line, it is made and the program recorded again: it must then trace as often as the replay
has promised.
"""
import json
import os
import textwrap
import unittest

import recorded


class Causes(recorded.Case):
    def report(self, lines, fails=False):
        return recorded.report(recorded.record_text(self.folder, '\n'.join(lines) + '\n', fails))

    def lines_of(self, body):
        return ['import tensorflow as tf'] + textwrap.dedent(body).strip('\n').split('\n')

    def check(self, body, *wanted):
        """`wanted`: cause, function, path, line, traces before and after the fix, of each finding in order."""
        lines = self.lines_of(body)
        report = self.report(lines)
        found = []
        for f in report['findings']:
            c = f['checked']
            found.append((f['cause'], f['function'], f['path'], f['line'], c['traces_before'], c['traces_after']))
            self.assertTrue(c['ok'] and c['method'] == 'replay', f)
            for fix in [{**f['fix'], 'checked': c}, *f['alternatives']]:
                if fix['edit'] and fix['checked']:
                    self.apply(list(lines), f['function'], fix)
        self.assertEqual(found, list(wanted), json.dumps(report['findings'], indent=1))
        if len(found) == 1:
            self.assertEqual(report['summary']['removable_traces'], found[0][4] - found[0][5])
        return report

    def apply(self, lines, function, fix):
        edit = fix['edit']
        text = lines[edit['line'] - 1]
        self.assertIn(edit['old'], text)
        lines[edit['line'] - 1] = text.replace(edit['old'], edit['new'])
        after = {f['function']: f['traces'] for f in self.report(lines)['functions']}
        self.assertEqual(after[function], fix['checked']['traces_after'], edit)

    def test_a_number_that_changes(self):
        self.check('''
            @tf.function
            def step(x, *, lr):
                return x * lr
            for i in range(8):
                step(tf.ones([2]), lr=0.1 / (i + 1))
        ''', ('python_scalar_argument', 'step', 'args[1]', 6, 8, 1))

    def test_a_number_that_is_not_used(self):
        self.check('''
            @tf.function
            def step(x, number):
                return x * 2.0
            for number in range(8):
                step(tf.ones([2]), number)
        ''', ('identical_graphs', 'step', 'args[1]', 6, 8, 1))

    def test_a_number_that_also_decides_a_branch(self):
        self.check('''
            @tf.function
            def step(x, number):
                y = x * float(number)
                if number % 4 == 0:
                    y = tf.exp(y)
                return y
            for number in range(12):
                step(tf.ones([2]), number)
        ''', ('python_scalar_argument', 'step', 'args[1]', 9, 12, 1))

    def test_a_whole_number_among_floats_stays_a_float(self):
        report = self.check('''
            @tf.function
            def step(x, n):
                return x * n
            for i in range(8):
                step(tf.ones([2]), i)
        ''', ('python_scalar_argument', 'step', 'args[1]', 6, 8, 1))
        self.assertEqual(report['findings'][0]['fix']['edit']['new'], 'step(tf.ones([2]), tf.constant(i, tf.float32))')

    def test_a_number_beside_variants(self):
        """Each of the three modes is a program of its own: only the number is to be changed."""
        self.check('''
            @tf.function
            def step(x, lr, mode):
                if mode == "train": x = tf.exp(x)
                elif mode == "valid": x = tf.tanh(x)
                return tf.reduce_sum(x) * lr
            for e in range(10):
                for mode in ("train", "valid", "test"):
                    for _ in range(3):
                        step(tf.ones([2]), 0.1 * (e + 1), mode)
        ''', ('python_scalar_argument', 'step', 'args[1]', 10, 30, 3))

    def test_calls_from_two_lines_and_another_name_of_the_module(self):
        for body in ('''
            @tf.function
            def f(x, k):
                return x * k
            for i in range(6):
                f(tf.ones([2]), 0.1 * i)
                f(tf.ones([2]), 0.1 * i + 5.0)
            ''', '''
            import tensorflow as T
            @T.function
            def f(x, k):
                return x * k
            for i in range(6):
                f(T.ones([2]), 0.1 * i)
            '''):
            lines = [l for l in self.lines_of(body) if 'T.' not in body or l != 'import tensorflow as tf']
            [finding] = self.report(lines)['findings']
            self.assertEqual(finding['cause'], 'python_scalar_argument')
            self.assertIsNone(finding['fix']['edit'])

    def test_edits_are_made_of_whole_arguments_only(self):
        """Not of what stands at the place of a keyword, or of a tuple around the number."""
        for body in ('''
            @tf.function
            def mix(*parts, weight):
                return parts[0] * (1.0 - weight) + parts[1] * weight
            for k in range(7):
                mix(tf.ones([2]), tf.zeros([2]), weight=k / 7)
            ''', '''
            @tf.function
            def mix(
                    a, *, weight):
                return a * weight
            for k in range(7):
                mix(tf.ones([2]),
                    weight=k / 7)
            ''', '''
            import collections
            State = collections.namedtuple('State', 'step rate')
            @tf.function
            def decay(x, state):
                return x * state.rate / state.step
            state = State(1.0, 0.5)
            for k in range(7):
                decay(tf.ones([2]), state)
                state = state._replace(step=state.step + 1)
            '''):
            lines = self.lines_of(body)
            [finding] = self.report(lines)['findings']
            self.assertEqual(finding['cause'], 'python_scalar_argument')
            for fix in [finding['fix'], *finding['alternatives']]:
                if fix['edit']:
                    self.assertEqual(fix['edit']['new'], 'mix(tf.ones([2]), tf.zeros([2]), weight=tf.constant(k / 7))')

    def test_two_inner_traces_of_an_outer_one(self):
        self.check('''
            @tf.function
            def inner(x, k):
                return x * k
            @tf.function
            def outer(x, n):
                return inner(x, n) + inner(x, n + 1.0)
            for i in range(8):
                outer(tf.ones([2]), 0.25 * i)
        ''', ('python_scalar_argument', 'outer', 'args[1]', 9, 8, 1))

    def test_a_number_in_an_inner_function_is_blamed_on_the_outer_call(self):
        report = self.check('''
            @tf.function
            def inner(x, k):
                return x * k
            @tf.function
            def outer(x, k):
                return inner(x, k) + 1.0
            for i in range(8):
                outer(tf.ones([2]), 0.1 * i)
        ''', ('python_scalar_argument', 'outer', 'args[1]', 9, 8, 1))
        self.assertIn({'function': 'inner', 'cause': 'python_scalar_argument', 'rule': 6}, report['suppressed'])

    def test_flags_with_many_combinations(self):
        self.check('''
            import enum
            class Mode(enum.Enum):
                TRAIN = 1
                EVAL = 2
                TEST = 3
            @tf.function
            def run(x, mode, augment):
                y = x * 2.0
                if mode is Mode.TRAIN: y = y + 1.0
                if mode is Mode.EVAL: y = y - 2.0
                if augment: y = tf.exp(y)
                return y
            for i in range(4):
                for mode in Mode:
                    for augment in (True, False):
                        run(tf.ones([3]), mode, augment)
        ''', ('flag_flip', 'run', 'args[1]', 17, 6, 1))

    def test_flags_that_the_graph_does_not_depend_on(self):
        self.check('''
            @tf.function
            def run(x, verbose, debug):
                return x * 2.0
            for i in range(12):
                run(tf.ones([3]), i % 2 == 0, i % 3 == 0)
        ''', ('flag_flip', 'run', 'args[1]', 6, 4, 2), ('flag_flip', 'run', 'args[2]', 6, 4, 2))

    def test_shapes_that_vary(self):
        self.check('''
            @tf.function
            def pair(q, d):
                return tf.reduce_sum(q) * tf.reduce_sum(d)
            for i in range(8):
                pair(tf.ones([i + 1, 4]), tf.ones([(i * 3) % 7 + 1, 4]))
        ''', ('varying_shape', 'pair', 'args[0].shape[0]', 2, 8, 1))

    def test_shapes_and_numbers_that_vary_together(self):
        report = self.report(self.lines_of('''
            @tf.function
            def f(x, n):
                return tf.reduce_sum(x) / float(n)
            for i in range(8):
                f(tf.ones([i + 2]), i + 2)
        '''))
        self.assertEqual({(f['cause'], f['path']) for f in report['findings']},
                         {('varying_shape', 'args[0].shape[0]'), ('python_scalar_argument', 'args[1]')})
        for f in report['findings']:
            self.assertTrue(f['checked']['ok'])
            self.assertIn('Replayed together with F', f['message'])
            self.assertEqual(f['after'], ['F2' if f['id'] == 'F1' else 'F1'])

    def test_ranks_that_vary(self):
        self.check('''
            @tf.function
            def norm(x):
                return tf.sqrt(tf.reduce_sum(x * x))
            for i in range(6):
                norm(tf.ones([2] * (i % 4) + [i + 1]))
        ''', ('varying_rank', 'norm', 'args[0].shape', 6, 6, 1))

    def test_a_number_or_a_tensor(self):
        self.check('''
            @tf.function
            def step(x, scale=1.0):
                return x * scale
            for i in range(6):
                scale = tf.constant(0.5) if i % 2 else 0.5
                step(tf.ones([3]), scale)
        ''', ('argument_form', 'step', 'args[1]', 7, 2, 1))

    def test_none_or_a_tensor(self):
        self.check('''
            @tf.function
            def step(x, mask=None):
                return x if mask is None else x * mask
            for i in range(8):
                step(tf.ones([3]), tf.ones([3]) if i % 2 else None)
        ''', ('argument_form', 'step', 'args[1]', 6, 2, 1))

    def test_keys_of_a_dict(self):
        self.check('''
            @tf.function
            def loss(batch):
                return tf.add_n([tf.reduce_sum(batch[k]) for k in sorted(batch)])
            for i in range(6):
                loss({name: tf.ones([2]) for name in 'abcdef'[:i + 1]})
        ''', ('structure_change', 'loss', 'args[0].keys()', 6, 6, 1))

    def test_an_object_of_a_method_that_is_made_for_each_call(self):
        self.check('''
            class Model:
                def __init__(self):
                    self.w = tf.Variable(tf.ones([3]))
                @tf.function
                def predict(self, x):
                    return tf.reduce_sum(self.w * x)
            def evaluate(x):
                return Model().predict(x)
            for i in range(6):
                evaluate(tf.ones([3]))
        ''', ('new_object_identity', 'Model.predict', 'args[0]', 9, 6, 1))

    def test_an_equal_object_that_died(self):
        self.check('''
            class Config:
                def __init__(self, n):
                    self.n = n
                def __eq__(self, other):
                    return self.n == other.n
                def __hash__(self):
                    return hash(self.n)
            @tf.function
            def run(x, config):
                return x * float(config.n)
            for i in range(6):
                run(tf.ones([3]), Config(2))
        ''', ('weak_value_died', 'run', 'args[1]', 13, 6, 1))

    def test_a_lambda_with_another_value_in_each_call(self):
        self.check('''
            @tf.function
            def apply(f, x):
                return f(x)
            for i in range(8):
                s = 0.1 * i
                apply(lambda v: v * s, tf.ones([3]))
        ''', ('callable_made_at_call', 'apply', 'args[0]', 7, 8, 1))

    def test_functions_made_again(self):
        for body, path, line in (('''
            def train(x):
                @tf.function
                def step(v):
                    return v * 2.0
                return step(x)
            for i in range(6):
                train(tf.ones([3]))
            ''', 'train', 3), ('''
            def step(x):
                return x * x
            for n in range(6):
                g = tf.function(step)
                g(tf.ones([3]))
            ''', 'for n in range(6)', 5)):
            with self.subTest(path):
                report = self.check(body, ('function_made_in_loop', 'train.<locals>.step' if path == 'train' else 'step',
                                           path, line, 6, 1))
                self.assertEqual(report['functions'][0]['traces'], 6)

    def test_variables_that_are_the_same(self):
        self.check('''
            @tf.function
            def three(a, b, c):
                return a + b + c
            v = [tf.Variable(1.0) for _ in range(3)]
            for x in (0, 1):
                for y in (0, 1):
                    for z in (0, 1):
                        three(v[x], v[y], v[z])
        ''', ('variable_identity', 'three', 'args[1]', 9, 4, 1))

    def test_device_scopes(self):
        self.check('''
            @tf.function
            def f(x):
                return x + 1.0
            for i in range(4):
                if i % 2:
                    with tf.device('/cpu:0'):
                        f(tf.ones([2]))
                else:
                    f(tf.ones([2]))
        ''', ('context_change', 'f', 'context.device', 7, 2, 1))

    def test_a_function_that_calls_itself(self):
        self.check('''
            @tf.function
            def power(x, n):
                if n == 0:
                    return tf.ones_like(x)
                return x * power(x, n - 1)
            power(tf.ones([2]), 8)
        ''', ('recursion', 'power', 'args[1]', 6, 9, 1))

    def test_programs_that_are_right_as_they_are(self):
        for name, body in (('two values of a flag', '''
            @tf.function
            def f(x, training):
                return x * 2.0 if training else x
            for e in range(5):
                f(tf.ones([2]), training=True)
                f(tf.ones([2]), training=False)
            '''), ('three texts', '''
            @tf.function
            def f(x, kind):
                return tf.nn.relu(x) if kind == 'relu' else tf.tanh(x) if kind == 'tanh' else x
            for e in range(5):
                for k in ('relu', 'tanh', 'none'):
                    f(tf.ones([2]), kind=k)
            '''), ('instances that stay in use', '''
            class M(tf.Module):
                def __init__(self, k):
                    self.w = tf.Variable(float(k))
                @tf.function
                def __call__(self, x):
                    return x * self.w
            models = [M(k) for k in range(4)]
            for e in range(5):
                for m in models:
                    m(tf.ones([2]))
            '''), ('layers of other sizes', '''
            class Dense(tf.Module):
                def __init__(self, n, m):
                    self.w = tf.Variable(tf.ones([n, m]))
                @tf.function
                def __call__(self, x):
                    return x @ self.w
            layers = [Dense(3, 4), Dense(4, 5), Dense(5, 2)]
            for e in range(5):
                x = tf.ones([2, 3])
                for layer in layers:
                    x = layer(x)
            '''), ('traces that were asked for', '''
            @tf.function
            def f(x):
                return x * 2.0
            for n in range(1, 9):
                f.get_concrete_function(tf.TensorSpec([n]))
            '''), ('a smaller last batch', '''
            @tf.function
            def f(x, y):
                return tf.reduce_sum(x) + tf.reduce_sum(y)
            for e in range(5):
                for n in (32, 32, 32, 7):
                    f(tf.ones([n, 4]), tf.ones([n]))
            '''), ('functions of a factory', '''
            def make(k):
                @tf.function
                def scale(x):
                    return x * k
                return scale
            scales = [make(float(k)) for k in range(4)]
            for e in range(3):
                for s in scales:
                    s(tf.ones([2]))
            '''), ('two forms from two lines', '''
            @tf.function
            def f(x, k):
                return x * k
            for e in range(4):
                f(tf.ones([2]), 2.0)
                f(tf.ones([2]), tf.constant(2.0))
            '''), ('a pair and a triple', '''
            @tf.function
            def f(xs):
                return tf.add_n(xs)
            for e in range(4):
                f([tf.ones([2])] * 2)
                f([tf.ones([2])] * 3)
            '''), ('classes as arguments', '''
            classes = [type('C%d' % i, (), {'n': i}) for i in range(6)]
            @tf.function
            def f(x, c):
                for _ in range(c.n):
                    x = tf.exp(x)
                return x
            for e in range(4):
                for c in classes:
                    f(tf.ones([2]), c)
            '''), ('relaxed shapes', '''
            @tf.function(reduce_retracing=True)
            def f(x):
                return tf.reduce_sum(x)
            for n in range(1, 9):
                f(tf.ones([n]))
            '''), ('variables made in the first call', '''
            class M(tf.Module):
                w = None
                @tf.function
                def __call__(self, x):
                    if self.w is None:
                        self.w = tf.Variable(x)
                    return x * self.w
            m = M()
            for e in range(5):
                m(tf.ones([2]))
            ''')):
            with self.subTest(name):
                self.assertEqual(self.report(self.lines_of(body))['findings'], [])

    def test_python_inside_of_a_graph(self):
        lines = self.lines_of('''
            ran = []
            def host(v):
                ran.append(1)
                return v * 2.
            @tf.function
            def step(x):
                for i in tf.range(7):
                    x = tf.ensure_shape(tf.py_function(host, [x], tf.float32), [2])
                return x
            for e in range(9):
                step(tf.ones([2]))
            few = tf.function(lambda x: tf.numpy_function(host, [x], tf.float32))
            few(tf.ones([2]))
            tf.py_function(host, [1.], tf.float32)
            assert len(ran) == 65
        ''')
        found = self.report(lines)['findings']
        self.assertEqual([(f['cause'], f['function'], f['path'], f['line'], f['evidence']['calls'], f['checked'])
                          for f in found],
                         [('py_function_hot_spot', 'step', 'host', 9, 63, False)])
        self.assertGreater(found[0]['cost_ms'], 0)

    def test_the_other_ways_to_end_it(self):
        """Each was replayed by itself, or says why not; those that are edits were made by the tests above."""
        for cause, others, body in (
                ('python_scalar_argument', [('Make it a tensor where it is made', True), ('tf.Variable', True)], '''
            @tf.function
            def f(x, k):
                return x * k
            for i in range(8):
                rate = 0.1 * i
                f(tf.ones([2]), rate)
            '''), ('varying_shape', [('reduce_retracing=True', True), ('Pad x to one size', True)], '''
            @tf.function
            def f(x):
                return tf.reduce_sum(x)
            for n in range(1, 9):
                f(tf.ones([n]))
            '''), ('flag_flip', [('Leave loud out', True)], '''
            @tf.function
            def f(x, loud, k):
                return x * 2.0
            for n in range(24):
                f(tf.ones([2 + n // 2 % 3]), n % 2 == 0, tf.constant(1.0))
            '''), ('dtype_flip', [('Cast it at the call', True)], '''
            @tf.function
            def f(x):
                return x * x
            for n in range(6):
                x = tf.ones([2])
                if n % 2:
                    x = tf.ones([2], tf.float64)
                f(x)
            '''), ('argument_form', [], '''
            @tf.function
            def f(x, k):
                return x * k
            for n in range(6):
                f(tf.ones([2]), 2.0 if n % 2 else tf.constant(2.0))
            '''), ('new_object_identity', [('Pass the tensors', True)], '''
            class Options:
                pass
            @tf.function
            def f(x, options):
                return x * 2.0
            for n in range(6):
                options = Options()
                f(tf.ones([2]), options)
            '''), ('stale_capture', [('as a tensor', False)], '''
            rate = 0.1
            @tf.function
            def f(x):
                return x * rate
            for n in range(6):
                f(tf.ones([2]))
                rate = rate / 2
            '''), ('baked_random', [('Read it where f is called', False)], '''
            import time
            @tf.function
            def f(x):
                return x + time.time()
            for n in range(6):
                f(tf.ones([2], tf.float64))
            ''')):
            with self.subTest(cause):
                lines = self.lines_of(body)
                found = self.report(lines)['findings'][0]
                self.assertEqual(found['cause'], cause)
                said = [(a['text'], bool(a['checked'] and a['checked']['ok'])) for a in found['alternatives']]
                self.assertEqual(len(said), len(others), said)
                for (text, ok), (wanted, checked) in zip(said, others):
                    self.assertIn(wanted, text)
                    self.assertEqual(ok, checked)
                for fix in [{**found['fix'], 'checked': found['checked']}, *found['alternatives']]:
                    if fix['edit'] and fix['checked']:
                        self.apply(list(lines), found['function'], fix)
                wants_edit = cause in ('python_scalar_argument', 'varying_shape', 'dtype_flip', 'argument_form', 'flag_flip',
                                       'baked_random')
                self.assertEqual(found['fix']['edit'] is not None, wants_edit)

    def test_the_examples(self):
        folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'resources', 'examples')
        wanted = {'retracing': ('python_scalar_argument', 69), 'shapes': ('varying_shape', 14),
                  'unrolled': ('unrolled_loop', 14), 'stale': ('stale_capture', 13),
                  'made_in_loop': ('function_made_in_loop', 17), 'eager_loop': ('eager_hot_loop', 9),
                  'flags': ('flag_flip', 22), 'side_effect': ('python_side_effect', 15), 'control_flow': None,
                  'training_step': None, 'when_it_pays': None, 'keras_cnn': None, 'resumed': None,
                  'starved': ('starved_by_input', 24)}
        self.assertEqual({os.path.splitext(name)[0] for name in os.listdir(folder)}, set(wanted))
        for name, finding in wanted.items():
            with self.subTest(name), open(os.path.join(folder, name + '.py'), encoding='utf-8') as file:
                found = self.report(file.read().split('\n'))['findings']
                self.assertEqual([(f['cause'], f['line']) for f in found], [finding] if finding else [])

    def test_a_script_that_fails(self):
        report = self.report(self.lines_of('''
            @tf.function
            def f(x, k):
                return x * k
            for i in range(8):
                f(tf.ones([2]), 0.1 * i)
            raise ValueError('over')
        '''), fails=True)
        self.assertEqual((report['run']['exit'], report['run']['error']), (1, 'ValueError: over'))
        self.assertEqual([f['cause'] for f in report['findings']], ['python_scalar_argument'])


if __name__ == '__main__':
    unittest.main()
