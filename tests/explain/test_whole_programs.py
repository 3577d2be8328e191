"""Whole programs: those that look like a cause and are right as they are, the examples, and the other ways to end a cause."""
import os

from recorded_programs import ProgramCase


class WholePrograms(ProgramCase):
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
            '''), ('python_scalar_argument', [('Make it a tensor where it is made', True), ('tf.Variable', True)], '''
            @tf.function
            def f(x, k):
                return x * k
            def scaled(x, rate=1.0):
                return f(x, rate)
            for i in range(8):
                y = scaled(tf.ones([2]), rate=0.1 * i)
            '''), ('varying_shape', [('reduce_retracing=True', True), ('Pad x to one size', True)], '''
            @tf.function
            def f(x):
                return tf.reduce_sum(x)
            for n in range(1, 9):
                f(tf.ones([n]))
            '''), ('flag_flip', [('Pass the same loud in each call', True)], '''
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
        self.assertEqual({name[:-3] for name in os.listdir(folder) if name.endswith('.py')}, set(wanted))
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
