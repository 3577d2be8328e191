"""TensorFlow's adapter against a fake of what it hooks: what is recorded, and that the program sees nothing of it."""
from with_fakes import WithFakes

POLYMORPHIC = 'tensorflow/python/eager/polymorphic_function'


class TensorFlow(WithFakes):
    installed = ('keras', 'tensorflow')

    def record(self, text):
        done = super().record(text, '--engine', 'tensorflow')
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        return done.stdout

    def notes(self):
        return self.rows("SELECT text FROM console WHERE text LIKE 'Not all was recorded%'")

    def test_functions_traces_and_calls(self):
        printed = self.record('''
            import tensorflow as tf

            @tf.function
            def scale(weights, rate=1, *, mode='sum'):
                return weights

            for step in range(8):
                result = scale(tf.ones((4,)), step % 6)
            print(result, scale._name)
            ''')
        self.assertEqual(printed, 'result scale\n')
        self.assertEqual(self.notes(), [])
        self.assertEqual(self.rows('SELECT name, line, decorator_line, kind FROM function'), [('scale', 5, 4, 'tf.function')])
        traces = self.rows('SELECT number, signature, why, cached, native_id FROM trace ORDER BY number')
        self.assertEqual(traces[:2], [(1, "f32[4] 0 'sum'", '', 0, '__inference_scale_0'),
                                      (2, "f32[4] 1 'sum'", 'value of rate', 1, '__inference_scale_1')])
        self.assertEqual(self.rows('SELECT path, parameter, kind, type, shape, value FROM key_leaf WHERE trace = 0')[1:],
                         [('args[0]', 'weights', 'tensor', 'float32', '4', ''), ('args[1]', 'rate', 'literal', 'int', '', '0'),
                          ('args[2]', 'mode', 'literal', 'str', '', "'sum'")])
        phases = [name for name, in self.rows('SELECT name FROM trace_phase WHERE trace = 0')]
        self.assertEqual(sorted(phases), ['autograph', 'concrete', 'python', 'record'])
        self.assertEqual(self.rows('SELECT op, l.line FROM node JOIN location l ON location = l.id')[0], ('Mul', 5))
        said = self.report()
        self.assertEqual(said['run']['engines'][-1],
                         {'name': 'tensorflow', 'version': '2.21.0', 'adapter': '1', 'missing_hooks': []})
        function, = said['functions']
        self.assertEqual({key: function[key] for key in ('function', 'engine', 'calls', 'traces', 'hits')},
                         {'function': 'scale', 'engine': 'tensorflow', 'calls': 8, 'traces': 6, 'hits': 2})
        finding, = said['findings']
        self.assertEqual((finding['cause'], finding['path'], finding['line']), ('identical_graphs', 'args[1]', 9))
        self.assertTrue(finding['checked']['ok'])

    def test_a_function_from_before_the_recording(self):
        script = '''
            import footlight_recorder
            footlight_recorder.prepare('tensorflow')
            import tensorflow as tf

            @tf.function
            def scale(weights):
                return weights

            scale(tf.ones((4,)))
            with footlight_recorder.record('run.footlight', engine='tensorflow'):
                for size in (4, 4, 5, 5):
                    scale(tf.ones((size,)))
            '''
        # Prepared: the hooks are there, and nothing was recorded; else TensorFlow was there before the recorder.
        for text in script, script.replace("footlight_recorder.prepare('tensorflow')", ''):
            done = self.run_python(self.write('script.py', text))
            self.assertEqual((done.returncode, done.stderr), (0, ''))
            functions = self.report()['functions']
            self.assertEqual([(one['function'], one['traces'], one['calls'], one['hits']) for one in functions],
                             [('scale', 2, 4, 3)])
            self.assertEqual(self.rows('SELECT count(*) FROM node WHERE op = \'Mul\''), [(2,)])
            said = [*self.report()['run']['engines'][-1]['missing_hooks'], *(text for text, in self.rows("SELECT text FROM console WHERE stream = 3"))]
            self.assertEqual([text.partition(':')[0] for text in said],
                             ['times and lines of traces from before the recorder not recorded'])
            self.assertIn('tensorflow had traced 1 function before', said[0])

    def test_a_function_of_an_earlier_recording(self):
        script = self.write('script.py', '''
            import footlight_recorder
            footlight_recorder.prepare('tensorflow')
            import tensorflow as tf

            with footlight_recorder.record('first.footlight', engine='tensorflow'):
                @tf.function
                def scale(weights):
                    return weights
                scale(tf.ones((4,)))
            with footlight_recorder.record('run.footlight', engine='tensorflow'):
                for _ in range(3):
                    scale(tf.ones((4,)))
            ''')
        done = self.run_python(script)
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        self.assertEqual(self.rows('SELECT name, line FROM function'), [('scale', 8)])
        function, = self.report()['functions']
        self.assertEqual((function['calls'], function['hits']), (3, 3))

    def test_methods_are_one_function_with_their_objects(self):
        self.record('''
            import tensorflow as tf

            class Model:
                @tf.function
                def step(self, x):
                    return x

            for _ in range(4):
                model = Model()
                model.step(tf.ones((2,)))
            ''')
        self.assertEqual(self.rows('SELECT name FROM function'), [('Model.step',)])
        self.assertEqual(self.rows("SELECT kind, parameter FROM key_leaf WHERE path = 'args[0]'"), [('object', 'self')] * 4)
        finding, = self.report()['findings']
        self.assertEqual((finding['cause'], finding['path']), ('new_object_identity', 'args[0]'))

    def test_relaxed_traces_serve_calls_with_keys_of_their_own(self):
        self.record('''
            import tensorflow as tf

            @tf.function(reduce_retracing=True)
            def total(x):
                return x

            for size in (3, 4, 5, 6):
                total(tf.ones((size,)))
            ''')
        self.assertEqual(self.rows('SELECT number, reason, signature FROM trace ORDER BY number'),
                         [(1, 0, 'f32[3]'), (2, 4, 'f32[None]')])
        self.assertEqual(self.rows('SELECT count(*) FROM call_key'), [(5,)])  # four calls and the relaxed trace
        self.assertEqual(self.report()['findings'], [])

    def test_lengths_compiled_by_xla(self):
        self.record('''
            import tensorflow as tf

            @tf.function(reduce_retracing=True, jit_compile=True)
            def total(x):
                return x

            for size in range(3, 9):
                total(tf.ones((size,)))
            ''')
        function, = self.report()['functions']
        self.assertEqual((function['traces'], function['compiles']), (2, 6))
        finding, = self.report()['findings']
        self.assertEqual((finding['cause'], finding['path'], finding['line']),
                         ('recompile_without_retrace', 'args[0].shape[0]', 4))
        self.assertIn('jit_compile=False', finding['fix']['edit']['new'])

    def test_state_that_a_trace_keeps(self):
        self.record('''
            import random
            import tensorflow as tf

            settings = {'rate': 0.5}
            seen = []

            def rate():
                return settings['rate']

            @tf.function
            def step(x):
                seen.append(1)
                return rate() * random.random()

            for settings['rate'] in (0.5, 0.25, 0.125):
                step(tf.ones((2,)))
            print(seen)
            ''')
        self.assertEqual(self.notes(), [])
        found = {f['cause']: f for f in self.report()['findings']}
        self.assertEqual(sorted(found), ['baked_random', 'python_side_effect', 'stale_capture'])
        self.assertEqual((found['stale_capture']['path'], found['stale_capture']['line']), ("global settings['rate']", 9))
        self.assertEqual([(r['role'], r['line']) for r in found['stale_capture']['related_lines']], [('change', 16)])
        self.assertEqual((found['python_side_effect']['path'], found['python_side_effect']['line']), ('global seen', 13))
        self.assertEqual(found['baked_random']['line'], 14)

    def test_keras_by_the_method_that_was_called(self):
        self.record('''
            import keras
            import tensorflow as tf

            def loss(x, y):
                return x

            model = keras.Model(loss)
            model.compile()

            def labels(step):
                return tf.ones((4,), 'float64' if step % 2 else 'float32')

            for step in range(6):
                y = labels(step)
                model.train_on_batch(tf.ones((4, 2)), y)
            ''')
        self.assertEqual(self.rows('SELECT name, kind, line, decorator_line FROM function'),
                         [('train_on_batch', 'keras', 16, 9)])
        self.assertEqual(self.report()['run']['engines'][-1]['missing_hooks'], [])
        finding, = self.report()['findings']
        self.assertEqual((finding['function'], finding['cause'], finding['parameter']), ('train_on_batch', 'dtype_flip', 'y'))
        self.assertEqual(finding['line'], 15)

    def test_functions_that_keras_makes_in_no_loop(self):
        self.record('''
            import keras
            import tensorflow as tf

            models = [keras.Model(lambda x, y: x) for _ in range(3)]
            for model in models: model.compile()
            list(map(lambda model: [model.train_on_batch(tf.ones((4, 2)), tf.ones((4,))) for _ in range(2)], models))
            ''')
        self.assertEqual(self.rows('SELECT name, line FROM function'), [('train_on_batch', 7)] * 3)
        self.assertEqual((self.report()['findings'], self.report()['suppressed']), ([], []))

    def test_a_wrapper_is_not_the_line_of_a_value(self):
        self.record('''
            import functools
            import tensorflow as tf

            def timed(function):
                @functools.wraps(function)
                def inner(*a, **k):
                    return function(*a, **k)
                return inner

            @timed
            @tf.function
            def scale(x, by):
                return x

            for step in range(6):
                by = 1.0 / (step + 1)
                scale(tf.ones((2,)), by)
                scale(tf.ones((2,)), by=by + 2.0)
            ''')
        finding, = self.report()['findings']
        self.assertEqual((finding['parameter'], finding['line']), ('by', 19))
        self.assertIn({'role': 'call', 'file': finding['file'], 'line': 8}, finding['related_lines'])
        self.assertEqual(self.rows("SELECT DISTINCT role, line FROM observation_line ORDER BY 1, 2"),
                         [('call', 18), ('call', 19), ('value', 17)])

    def test_functions_of_datasets(self):
        self.record('''
            import tensorflow as tf

            def double(x):
                return x

            tf.Dataset(tf.ones((2,))).map(double)
            ''')
        self.assertEqual(self.rows('SELECT name, kind, line, decorator_line FROM function'), [('double', 'dataset', 4, 7)])
        self.assertEqual(self.rows('SELECT signature FROM trace'), [('f32[2]',)])

    def test_eager_runs_and_errors(self):
        printed = self.record('''
            import tensorflow as tf

            @tf.function
            def fails(x):
                raise ValueError('of the program')

            for fails.eagerly in (False, True):
                try:
                    fails(tf.ones((2,)))
                except ValueError as error:
                    frame = error.__traceback__
                    while frame is not None:
                        assert 'footlight' not in frame.tb_frame.f_code.co_filename
                        frame = frame.tb_next
                    print(error)
            ''')
        self.assertEqual(printed, 'of the program\n' * 2)
        self.assertEqual(self.rows('SELECT error FROM trace'), [('ValueError: of the program',)])
        function, = self.report()['functions']
        self.assertEqual((function['calls'], function['failed']), (2, 2))

    def test_the_end_of_a_dataset_fails_no_call(self):
        printed = self.record('''
            import tensorflow as tf
            from tensorflow.python.eager.polymorphic_function import concrete_function

            class OutOfRangeError(Exception):
                pass

            @tf.function
            def step(x):
                return x

            errors = iter([None, None, 'End of sequence [[{{node IteratorGetNext}}]]', 'index 7 is out of range'])

            def run_graph():
                text = next(errors)
                if text:
                    raise OutOfRangeError(text)

            concrete_function.when_run = run_graph
            for turn in range(4):
                try:
                    step(tf.ones((2,)))
                except OutOfRangeError as error:
                    print(error)
            ''')
        self.assertEqual(printed, 'End of sequence [[{{node IteratorGetNext}}]]\nindex 7 is out of range\n')
        function, = self.report()['functions']
        self.assertEqual([function[key] for key in ('calls', 'traces', 'hits', 'failed')], [4, 1, 2, 1])

    def test_nothing_lives_longer(self):
        printed = self.record('''
            import gc
            import weakref
            import tensorflow as tf

            class Options:
                pass

            def run():
                @tf.function
                def step(x, options):
                    return x
                options = Options()
                step(tf.ones((2,)), options)
                return [weakref.ref(one) for one in (step, options, step._python_function)]

            references = run()
            gc.collect()
            print([reference() for reference in references])
            ''')
        self.assertEqual(printed, '[None, None, None]\n')

    def test_ops_outside_of_functions(self):
        self.record('''
            import tensorflow as tf
            from tensorflow.python import pywrap_tfe

            def add(x, y):
                return pywrap_tfe.TFE_Py_FastPathExecute(None, 'AddV2', None, 0.0, 0.0, x, y)

            @tf.function
            def scale(weights):
                return weights

            pywrap_tfe.RESULTS['AddV2'] = lambda: tf.ones((4,))
            for _ in range(3):
                add(tf.ones((4,)), tf.ones(()))
                scale(tf.ones((4,)))
            pywrap_tfe.TFE_Py_Execute(None, '', b'Copy', lambda: [tf.ones((2, 3))], (), 1)
            pywrap_tfe.TFE_Py_Execute(None, '', b'__inference_scale_1', lambda: [], (), 1)
            ''')
        self.assertEqual(self.notes(), [])
        self.assertEqual(self.rows('SELECT name, inputs, outputs, input_bytes, output_bytes FROM op_signature JOIN op '
                                   'ON op = op.id ORDER BY 1'),
                         [('AddV2', 'float32[4], float32[]', 'float32[4]', 20, 16), ('Copy', '', 'float32[2,3]', 0, 24)])
        counts = self.said('sql', self.session, 'SELECT op, source, count(*) AS n FROM ops GROUP BY 1, 2 ORDER BY 1')
        self.assertEqual([tuple(one.values()) for one in counts], [('AddV2', 'script.py:6', 3), ('Copy', 'script.py:16', 1)])

    def test_a_missing_hook_is_said(self):
        self.replace(f'{POLYMORPHIC}/tracing_compilation.py', '_create_concrete_function', '_create')
        printed = self.record('''
            import tensorflow as tf

            @tf.function
            def f(x):
                return x

            print(f(tf.ones((2,))))
            ''')
        self.assertEqual(printed, 'result\n')
        missing = self.report()['run']['engines'][-1]['missing_hooks']
        self.assertEqual(missing, [f'traces not recorded: tensorflow 2.21.0 has no {POLYMORPHIC.replace("/", ".")}.'
                                   'tracing_compilation._create_concrete_function'])

    def test_errors_of_the_adapter_are_notes(self):
        self.replace('tensorflow/python/framework/func_graph.py', 'return self.operations', 'return None')
        printed = self.record('''
            import tensorflow as tf
            f = tf.function(lambda x: x)
            for size in (2, 3):
                print(f(tf.ones((size,))))
            ''')
        self.assertEqual(printed, 'result\n' * 2)
        self.assertEqual(len(self.notes()), 1)
        self.assertEqual(self.rows('SELECT count(*) FROM trace'), [(2,)])
