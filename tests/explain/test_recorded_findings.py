"""Findings in scripts recorded by the tests: real recordings decide what reaches a graph, and how."""
import recorded
from folder_case import FolderCase


class RecordedFindings(FolderCase):
    def findings(self, body):
        return recorded.findings(self.folder, body)

    def only(self, body):
        found = self.findings(body)
        self.assertEqual(len(found), 1, found)
        return found[0]

    def assert_replayed(self, finding, before, after):
        self.assertEqual(finding['checked'], {'method': 'replay', 'ok': True, 'traces_before': before,
                                              'traces_after': after}, finding)

    def test_a_number_that_is_not_used(self):
        found = self.only('''
            @tf.function
            def step(x, lr):
                return x * 2.0
            for i in range(6):
                step(tf.ones([4]), 0.1 * (i + 1))
        ''')
        self.assertEqual((found['cause'], found['path'], found['line']), ('identical_graphs', 'args[1]', 7))
        self.assert_replayed(found, 6, 1)

    def test_a_number_in_a_branch_of_a_tensor_condition(self):
        found = self.only('''
            @tf.function
            def step(x, lr):
                if tf.reduce_sum(x) > 0:
                    x = x * lr
                return x
            for i in range(6):
                step(tf.ones([4]), 0.1 * (i + 1))
        ''')
        self.assertEqual((found['cause'], found['evidence']['graphs']), ('python_scalar_argument', 'constants'))
        self.assert_replayed(found, 6, 1)

    def test_a_number_in_a_loop_and_in_a_called_function(self):
        found = self.findings('''
            @tf.function
            def scale(x, k):
                return x * tf.cast(k, tf.float32)
            @tf.function
            def looped(x, k):
                for _ in tf.range(3):
                    x = x + tf.cast(k, tf.float32)
                return x
            @tf.function
            def outer(x, k):
                return scale(x, k) + 1.0
            for i in range(6):
                outer(tf.ones([4]), i)
                looped(tf.ones([4]), i)
        ''')
        self.assertEqual(sorted(f['function'] for f in found), ['looped', 'outer'], found)
        for one in found:
            self.assertEqual(one['cause'], 'python_scalar_argument')
            self.assert_replayed(one, 6, 1)

    def test_a_number_in_an_attribute(self):
        for alphas in ('[0.1, 0.2, 0.3, 0.4, 0.5, 0.6]', '[1e-7, 2e-7, 3e-7, 4e-7, 5e-7, 6e-7]'):
            found = self.only('''
                @tf.function
                def step(x, alpha):
                    return tf.nn.leaky_relu(x, alpha)
                for alpha in %s:
                    step(tf.ones([4]), alpha)
            ''' % alphas)
            self.assertEqual(found['cause'], 'python_scalar_argument', found)
            self.assertIn('alpha of LeakyRelu', found['message'])
            self.assert_replayed(found, 6, 1)

    def test_large_constants_differ_past_their_beginning(self):
        found = self.only('''
            @tf.function
            def step(x, n):
                return x + tf.constant([0.0] * 500 + [float(n)])
            for n in range(6):
                step(tf.ones([501]), n)
        ''')
        self.assertEqual(found['cause'], 'python_scalar_argument')
        found = self.only('''
            @tf.function
            def step(x, n):
                return tf.cast(x, tf.float16) + tf.constant(1.0 + n, tf.float16)
            for n in range(6):
                step(tf.ones([4]), n)
        ''')
        self.assertEqual(found['cause'], 'python_scalar_argument')

    def test_other_variables_are_another_graph(self):
        self.assertEqual(self.findings('''
            layers = [tf.Variable(tf.ones([4]), name='w') for _ in range(6)]
            @tf.function
            def step(x, n):
                return x * layers[n]
            for n in range(6):
                step(tf.ones([4]), n)
        '''), [])
        self.assertEqual(self.findings('''
            rows = [tf.ones([4]) * float(n) for n in range(6)]
            @tf.function
            def step(x, n):
                return x * rows[n]
            for n in range(6):
                step(tf.ones([4]), n)
        '''), [])
        # The same tensor each time gives the same graph.
        found = self.only('''
            w = tf.Variable(tf.ones([4]))
            row = tf.ones([4])
            @tf.function
            def step(x, n):
                return x * w + row
            for n in range(6):
                step(tf.ones([4]), n)
        ''')
        self.assertEqual(found['cause'], 'identical_graphs')

    def test_shapes(self):
        found = self.only('''
            class Model(tf.Module):
                @tf.function
                def step(self, x, y):
                    return tf.reduce_sum(x) + tf.reduce_sum(y)
            model = Model()
            for n in (3, 5, 7, 9, 11):
                model.step(tf.ones([n, 2]), tf.ones([n]))
        ''')
        self.assertEqual((found['cause'], found['function'], found['path']),
                         ('varying_shape', 'Model.step', 'args[1].shape[0]'))
        self.assertEqual(found['also_paths'], ['args[2].shape[0]'])
        self.assertEqual(found['line'], 4)
        self.assert_replayed(found, 5, 1)

    def test_functions_that_relax_already(self):
        self.assertEqual(self.findings('''
            @tf.function(reduce_retracing=True)
            def step(x):
                return tf.reduce_sum(x)
            for n in (3, 5, 7, 9, 11):
                step(tf.ones([n]))
        '''), [])
        found = self.only('''
            @tf.function(reduce_retracing=True)
            def step(x, lr):
                return tf.reduce_sum(x) * lr
            for i in range(6):
                for n in (3, 5, 7):
                    step(tf.ones([n]), 0.5 * i)
        ''')
        self.assertEqual(found['cause'], 'python_scalar_argument')
        self.assert_replayed(found, 12, 2)

    def test_python_inside_a_pipeline_that_starves(self):
        found = self.only('''
            import time
            def load(i):
                time.sleep(0.004)
                return i
            def parse(i):
                return tf.ensure_shape(tf.numpy_function(load, [i], tf.int64), [])
            data = tf.data.Dataset.range(24).map(parse).batch(8)
            @tf.function
            def train(x):
                return tf.reduce_sum(x)
            for epoch in range(4):
                for x in data:
                    train(x)
        ''')
        self.assertEqual((found['cause'], found['path'], found['line']), ('starved_by_input', 'map', 9))
        self.assertIn('num_parallel_calls=tf.data.AUTOTUNE', found['fix']['edit']['new'])
        self.assertIn('Write load with tensor operations', ' '.join(a['text'] for a in found['alternatives']))

    def test_calls_that_put_an_operation_for_each_item_into_the_graph(self):
        found = self.findings('''
            import functools, operator
            @tf.function
            def reduced(x):
                return functools.reduce(lambda a, b: a * b, [x] * 300)
            @tf.function
            def added(x):
                return functools.reduce(operator.add, [x] * 300)
            @tf.function
            def summed(x):
                return sum([x] * 300)
            @tf.function
            def short(x):
                return sum([x] * 30)
            for f in (reduced, added, summed, short):
                f(tf.ones([4]))
        ''')
        self.assertEqual({(f['cause'], f['function'], f['path'], f['line']) for f in found},
                         {('unrolled_loop', 'reduced', 'functools.reduce', 6),
                          ('unrolled_loop', 'added', 'functools.reduce', 9), ('unrolled_loop', 'summed', 'sum', 12)})

    def test_a_python_loop_that_adds_nothing_to_the_graph(self):
        found = self.only('''
            @tf.function
            def total(x):
                s = 0
                for i in range(200_000):
                    s += i
                return x + float(s)
            @tf.function
            def short(x):
                s = 0
                while s < 500:
                    s += 1
                return x + float(s)
            for _ in range(3):
                total(tf.ones([4]))
                short(tf.ones([4]))
        ''')
        self.assertEqual((found['cause'], found['function'], found['path'], found['line']),
                         ('python_loop_in_trace', 'total', 'for i in range(200_000)', 6))
        self.assertIn('200,000 iterations while total is traced', found['message'])

    def test_comprehensions_that_only_tracing_runs(self):
        found = self.findings('''
            many = [tf.constant(float(i)) for i in range(300)]
            def cell(v):
                return v * 2.0 + 1.0
            @tf.function
            def copies(x):
                return tf.add_n([cell(v) for v in many]) + x
            @tf.function
            def total(x):
                return x + float(sum(i for i in range(150_000)))
            @tf.function
            def nested(x):
                return x + float(sum(
                    i * j for i in range(400) for j in range(400)))
            @tf.function
            def squares(x):
                return x + float([[i * j for i in range(500)] for j in range(400)][1][1])
            @tf.function
            def chosen(x):
                return x + float(len({i for i in range(120_000) if i % 3}))
            @tf.function
            def short(x):
                first = next(i for i in range(200_000))
                a, b = min((i, i + 1) for i in range(500))
                return x + float(sum(i for i in range(20_000))) + float(first + a + b)
            for f in copies, total, nested, squares, chosen, short:
                for _ in range(3):
                    f(tf.ones([4]))
        ''')
        self.assertEqual({(f['cause'], f['function'], f['path'], f['line']) for f in found},
                         {('unrolled_loop', 'copies', 'for v in many', 8),
                          ('python_loop_in_trace', 'total', 'for i in range(150_000)', 11),
                          ('python_loop_in_trace', 'nested', 'for i in range(400)', 15),
                          ('python_loop_in_trace', 'squares', 'for j in range(400)', 18),
                          ('python_loop_in_trace', 'chosen', 'for i in range(120_000)', 21)})
        said = {f['function']: f['message'] for f in found}
        for function, count in (('copies', '300 copies'), ('total', '150,000 iterations'),
                                ('nested', '160,000 iterations'), ('squares', '200,000 iterations'),
                                ('chosen', '120,000 iterations')):
            self.assertIn(count, said[function])

    def test_a_recursion_that_tracing_unrolls(self):
        found = self.only('''
            def power(x, n):
                if n == 0:
                    return x
                return power(x * 1.01, n - 1)
            def scaled(x):
                if isinstance(x, list):
                    return [scaled(y) for y in x]
                return x * 2.0
            @tf.function
            def grow(x):
                return power(x, 200)
            @tf.function
            def tree(x):
                return tf.add_n(sum(scaled([[x] * 30, [x] * 30]), []))
            for f in grow, tree:
                for _ in range(3):
                    f(tf.ones([4]))
        ''')
        self.assertEqual((found['cause'], found['function'], found['path'], found['line']),
                         ('unrolled_loop', 'grow', 'power', 3))
        self.assertIn('power calls itself: its recursion puts 200 copies', found['message'])

    def test_calls_are_counted_for_traces_of_the_same_thread(self):
        # `slow` is traced while another thread traces `counted`: it is no part of it.
        path = recorded.record(self.folder, '''
            import threading
            log = []
            begun, done = threading.Event(), threading.Event()
            @tf.function
            def slow(x):
                begun.set()
                done.wait()
                return x + 1.
            @tf.function
            def counted(x):
                log.append(1)
                return x * 2.
            other = threading.Thread(target=lambda: slow(tf.ones([2])))
            other.start()
            begun.wait()
            counted(tf.ones([2]))
            done.set()
            other.join()
            later = 0
            for _ in range(30):
                slow(tf.ones([2]))
            for _ in range(5):
                counted(tf.ones([2]))
                later += 1
            print(len(log), 'LATER', later)
        ''')
        found = recorded.report(path)['findings']
        self.assertEqual([(f['cause'], f['function'], f['evidence']['calls']) for f in found],
                         [('python_side_effect', 'counted', 5)])

    def test_the_error_that_ended_the_run(self):
        survived = '''
            import sys, traceback
            def load():
                raise ValueError('no rows')
            try:
                load()
            except ValueError:
                traceback.print_exc()
        '''
        for end, fails, error in (('print(1)', False, None), ('sys.exit(3)', True, None),
                                  ("raise SystemExit('no')", True, None),
                                  ("raise ValueError('no columns')", True, 'ValueError: no columns'),
                                  ("sys.excepthook = lambda *_: None\nraise KeyError('x')", True, "KeyError: 'x'")):
            with self.subTest(end):
                session = recorded.record(self.folder, recorded.dedent(survived) + end, fails)
                run = recorded.report(session)['run']
                self.assertEqual(run['error'], error)
                if error:
                    self.assertRegex(run['error_text'], r' at script\.py:\d+$')
