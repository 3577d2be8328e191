"""What is made again for each call, beside what exists at once and is used in turn; state that changes, beside state that
comes back; and the lines of device scopes. Whole programs."""
import footlight_program
import recorded
from folder_case import FolderCase

MODEL = '''
class Model:
    def __init__(self, k):
        self.w = tf.Variable(float(k))
    @tf.function
    def predict(self, x):
        return x * self.w
'''
STEP = '''
class Model:
    def __init__(self, k):
        self.w = tf.Variable(float(k))
@tf.function
def step(model, x):
    return x * model.w
'''


class SideBySide(FolderCase):
    def report(self, body):
        return recorded.report(recorded.record(self.folder, body))

    def causes(self, body):
        return [(f['cause'], f['function']) for f in self.report(body)['findings']]

    def assert_clean(self, body, cause):
        report = self.report(body)
        self.assertEqual(report['findings'], [])
        self.assertIn((cause, 2), [(s['cause'], s['rule']) for s in report['suppressed']])

    def test_functions_of_a_factory_used_one_after_the_other(self):
        self.assert_clean('''
            def make(k):
                @tf.function
                def scale(x):
                    return x * k
                return scale
            scales = [make(float(k)) for k in range(5)]
            for s in scales:
                for _ in range(4):
                    s(tf.ones([2]))
        ''', 'function_made_in_loop')

    def test_functions_made_in_a_loop_that_keeps_them(self):
        self.assertEqual(self.causes('''
            def step(x):
                return x * 2.0
            kept = []
            for k in range(5):
                kept.append(tf.function(step))
                for _ in range(4):
                    kept[-1](tf.ones([2]))
        '''), [('function_made_in_loop', 'step')])

    def test_functions_of_instances_that_exist_at_once(self):
        self.assert_clean('''
            class Layer:
                def __init__(self, k):
                    self.k = tf.Variable(float(k))
                    self.run = tf.function(self.forward)
                def forward(self, x):
                    return x * self.k
            layers = [Layer(k) for k in range(4)]
            for layer in layers:
                for _ in range(3):
                    layer.run(tf.ones([2]))
        ''', 'function_made_in_loop')

    def test_an_ensemble_of_instances(self):
        for calls in (1, 5):
            self.assert_clean(MODEL + f'''
models = [Model(k) for k in range(5)]
for m in models:
    for _ in range({calls}):
        m.predict(tf.ones([2]))
''', 'new_object_identity')

    def test_an_ensemble_that_is_passed(self):
        self.assert_clean(STEP + '''
models = {k: Model(k) for k in range(4)}
for m in models.values():
    for _ in range(3):
        step(m, tf.ones([2]))
''', 'new_object_identity')

    def test_a_list_of_objects_each_met_once(self):
        self.assertEqual(self.causes(STEP + '''
for m in [Model(k) for k in range(8)]:
    step(m, tf.ones([2]))
'''), [('new_object_identity', 'step')])

    def test_instances_made_in_turn(self):
        for kept in ('m = Model(k)', 'm = Model(k); kept.append(m)'):
            with self.subTest(kept):
                self.assertEqual(self.causes(MODEL + f'''
kept = []
for k in range(5):
    {kept}
    for _ in range(4):
        m.predict(tf.ones([2]))
'''), [('new_object_identity', 'Model.predict')])

    def test_instances_made_in_turn_beside_two_that_stay(self):
        """Two instances are used by turns, then six live for two calls each: only the six could be one."""
        report = self.report(MODEL + '''
a, b = Model(1), Model(2)
for i in range(5):
    a.predict(tf.ones([2]))
    b.predict(tf.ones([2]))
for k in range(6):
    m = Model(k)
    m.predict(tf.ones([2]))
    m.predict(tf.ones([2]))
    del m
a.predict(tf.ones([2]))
''')
        [finding] = report['findings']
        self.assertEqual((finding['cause'], finding['function']), ('new_object_identity', 'Model.predict'))
        self.assertEqual((finding['checked']['traces_before'], finding['checked']['traces_after']), (8, 3))
        self.assertEqual(finding['evidence']['distinct'], 6)
        self.assertIn('a new object again and again', finding['message'])

    def test_functions_made_in_turn_beside_those_of_a_factory(self):
        [finding] = self.report('''
            def make(k):
                @tf.function
                def scale(x):
                    return x * k
                return scale
            scales = [make(float(k)) for k in range(3)]
            for s in scales:
                for _ in range(4):
                    s(tf.ones([2]))
            for _ in range(5):
                make(10.0)(tf.ones([2]))
        ''')['findings']
        self.assertEqual((finding['cause'], finding['function']), ('function_made_in_loop', 'make.<locals>.scale'))
        self.assertEqual((finding['checked']['traces_before'], finding['checked']['traces_after']), (5, 1))
        self.assertIn('One line made 8 functions, 5 of them one after the other', finding['message'])

    def test_dead_objects_with_the_same_hash(self):
        program = '''
            class Config:
                def __init__(self, n):
                    self.n = n
                def __eq__(self, other):
                    return self.n == other.n
                def __hash__(self):
                    return 7
            @tf.function
            def run(x, config):
                return x * float(config.n)
            for i in range(6):
                run(tf.ones([3]), Config(%s))
        '''
        self.assertEqual(self.causes(program % '2'), [('weak_value_died', 'run')])
        # They compare by value, and each has another number.
        self.assertEqual(self.causes(program % 'i'), [('python_scalar_argument', 'run')])

    def context_line(self, body):
        [finding] = self.report(body)['findings']
        self.assertEqual(finding['cause'], 'context_change')
        self.assertIn("tf.device('/cpu:0')", finding['message'])
        self.assertNotIn('device scope 1', finding['message'])
        calls = [r['line'] for r in finding['related_lines'] if r['role'] == 'call']
        self.assertEqual(len(calls), len(set(calls)))
        return finding['line'], calls

    def test_the_line_of_a_device_scope(self):
        self.assertEqual(self.context_line('''
            @tf.function
            def f(x):
                return x + 1.0
            for i in range(4):
                if i % 2:
                    with tf.device('/cpu:0'):
                        y = tf.ones([2])
                        f(y)
                else:
                    f(tf.ones([2]))
        '''), (8, [10]))
        # The call that came second is outside of the scope.
        self.assertEqual(self.context_line('''
            @tf.function
            def f(x):
                return x + 1.0
            with tf.device('/cpu:0'):
                f(tf.ones([2]))
            f(tf.ones([2]))
        ''')[0], 6)

    def test_a_device_scope_around_the_caller(self):
        self.assertEqual(self.context_line('''
            @tf.function
            def f(x):
                return x + 1.0
            def evaluate():
                with open(__file__) as file:
                    return f(tf.ones([2]))
            evaluate()
            with tf.device('/cpu:0'):
                evaluate()
        '''), (10, [8]))

    def test_a_value_that_comes_back(self):
        program = '''
            verbose = 1.0
            @tf.function
            def step(x):
                return x * verbose
            for i in range(8):
                %s
                step(tf.ones([2]))
        '''
        for change, calls in (('verbose = 2.0 if i == 3 else 1.0', '1 later call '),
                              ('verbose = 2.0 if i in (2, 3, 6) else 1.0', '3 later calls '),
                              ('verbose = 1.0 + (i >= 3)', '5 later calls '),
                              ('verbose = {2: 2.0, 3: 3.0, 4: 4.0}.get(i, 1.0)', '3 later calls ')):
            with self.subTest(change):
                [finding] = self.report(program % change)['findings']
                self.assertEqual((finding['cause'], finding['evidence']['graphs']), ('stale_capture', None))
                self.assertIn(calls, finding['message'])

    def checked(self, body):
        """What is listed as checked: function, cause, text, traces that a fix would spare. With the summary's counts."""
        report = self.report(body)
        self.assertEqual(report['findings'], [])
        summary = report['summary']
        return ([(s['function'], s['cause'], s['detail'], s['saved_traces']) for s in report['suppressed']],
                (summary['traces'], summary['removable_traces'], summary['also_removable_traces']))

    def test_few_values_are_listed_with_what_their_traces_would_save(self):
        program = '''
            @tf.function
            def plain(x, e):
                return x * e
            for e in %s:
                for _ in range(%d):
                    plain(tf.ones([2]), %s)
        '''
        for values, calls, used in (((1.0, 0.5, 0.25, 0.125), 10, '10 times'), ((1.0, 0.5), 2, '2 times'),
                                    ((1.0, 0.5, 0.25), 1, 'once')):
            with self.subTest(values):
                text = (f'e is a Python number with {len(values)} values, a trace each, each used {used}; '
                        'tf.constant(e) would make one')
                listed, counts = self.checked(program % (values, calls, 'e'))
                self.assertEqual(listed, [('plain', 'python_scalar_argument', text, len(values) - 1)])
                self.assertEqual(counts, (len(values), 0, len(values) - 1))
                printed = footlight_program.run('report', self.path('run.footlight')).stdout
                more = f'0 avoidable, and {len(values) - 1} more that {"is" if len(values) == 2 else "are"} no problem.'
                self.assertIn(more, printed)
                self.assertIn(f'* plain: {text}\n', printed)
                page = footlight_program.run('report', '--html', self.path('run.footlight')).stdout
                self.assertIn(text, page)
                listed, counts = self.checked(program % (values, calls, 'tf.constant(e)'))
                self.assertEqual((listed, counts), ([], (1, 0, 0)))

    def test_few_values_that_the_graph_does_not_depend_on(self):
        listed, counts = self.checked('''
            @tf.function
            def plain(x, step):
                print('step', step)
                return x + 1.0
            for step in (1, 2):
                for _ in range(5):
                    plain(tf.ones([2]), step)
        ''')
        [(function, cause, text, saved)] = listed
        self.assertEqual((function, cause, saved, counts), ('plain', 'identical_graphs', 1, (2, 0, 1)))
        self.assertIn('step is a Python number with 2 values, which the graph does not depend on', text)

    def test_few_values_that_are_programs_of_their_own(self):
        """No fix would make one trace of these, and none is promised."""
        listed, counts = self.checked('''
            @tf.function
            def power(x, n):
                y = x
                for _ in range(n):
                    y = y * x
                return y
            for n in (1, 2, 3):
                for _ in range(5):
                    power(tf.ones([2]), n)
        ''')
        self.assertEqual(([text for *_, text, _ in listed if text], counts), ([], (3, 0, 0)))

    def test_two_shapes_are_listed_with_what_their_traces_would_save(self):
        program = '''
            @tf.function%s
            def scale(x):
                return x * 2.0
            for _ in range(3):
                scale(tf.ones([8]))
                scale(tf.ones([4]))
        '''
        listed, counts = self.checked(program % '')
        text = ('x has 2 different shapes, a trace each, each used 3 times; '
                'this would make one: tf.TensorSpec([None], tf.float32)')
        self.assertEqual(listed, [('scale', 'varying_shape', text, 1)])
        self.assertEqual(counts, (2, 0, 1))
        listed, counts = self.checked(program % '(input_signature=[tf.TensorSpec([None], tf.float32)])')
        self.assertEqual((listed, counts), ([], (1, 0, 0)))
