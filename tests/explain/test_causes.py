"""Whole programs, each recorded and reported: one with each cause that keys tell.

Where the fix is an edit of one line, it is made and the program recorded again: it must then trace as often as the replay
has promised.
"""
from recorded_programs import ProgramCase


class Causes(ProgramCase):
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
        self.assertIn(('inner', 'python_scalar_argument', 6),
                      [(s['function'], s['cause'], s['rule']) for s in report['suppressed']])

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
        ''', ('varying_rank', 'norm', 'args[0].shape', 6, 6, 4))

    def test_a_number_or_a_tensor(self):
        self.check('''
            @tf.function
            def step(x, scale=1.0):
                return x * scale
            for i in range(6):
                scale = tf.constant(0.5) if i % 2 else 0.5
                step(tf.ones([3]), scale)
        ''', ('argument_form', 'step', 'args[1]', 7, 2, 1))

    def test_dtypes_are_not_a_form(self):
        """Of tensors of three dtypes and two numbers, tensors become one dtype: a number stays a trace of its own."""
        self.check('''
            @tf.function
            def typed(x):
                return tf.cast(x, tf.float32) + 1.0
            for i in range(9):
                x = tf.cast([1, 0], (tf.float16, tf.float32, tf.float64)[i % 3])
                typed(x)
            typed(3.5)
            typed(2)
        ''', ('dtype_flip', 'typed', 'args[0].dtype', 6, 5, 3))

    def test_a_number_or_a_vector(self):
        """As tensors they are a scalar and a vector: two traces, as before."""
        self.check('''
            @tf.function
            def twice(x):
                return x * 2.0
            for i in range(8):
                twice(tf.ones([2]) if i % 2 else 3.0)
        ''')

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

    def test_ragged_tensors_of_other_numbers_of_rows(self):
        report = self.check('''
            @tf.function
            def total(r, s):
                return tf.reduce_sum(r, axis=1) * s
            for n in range(2, 8):
                r = tf.ragged.constant([[1.0] * k for k in range(1, n)])
                total(r, tf.constant(2.0))
        ''', ('varying_shape', 'total', 'args[0].nrows()', 2, 6, 1))
        [finding] = report['findings']
        self.assertIn('r is a ragged tensor with 6 different numbers of rows', finding['message'])
        self.assertIn('6 numbers of rows, 1 → 2 → … → 6', finding['message'])
        self.assertIn('tf.RaggedTensorSpec([None, None], tf.float32), tf.TensorSpec([], tf.float32)',
                      finding['fix']['edit']['new'])

    def test_ragged_tensors_with_inner_dimensions(self):
        report = self.check('''
            @tf.function
            def total(r):
                return tf.reduce_sum(r.flat_values)
            for n in range(2, 8):
                rows = tf.concat([tf.zeros([1], tf.int32), tf.range(1, n)], 0)
                total(tf.RaggedTensor.from_row_splits(tf.ones([n - 1, 3]), rows))
        ''', ('varying_shape', 'total', 'args[0].nrows()', 2, 6, 1))
        self.assertIn('tf.RaggedTensorSpec([None, None, 3], tf.float32, ragged_rank=1, row_splits_dtype=tf.int32)',
                      report['findings'][0]['fix']['edit']['new'])

    def test_what_saves_in_lists_of_several_lengths(self):
        """The batch grows with the list, so that each length keeps a trace: only the numbers in the list cost others."""
        report = self.report(self.lines_of('''
            @tf.function
            def update(x, ids):
                return tf.reduce_sum(x) + tf.cast(tf.reduce_sum(tf.stack(ids)), tf.float32)
            for i in range(12):
                n = min(2 + i, 4)
                update(tf.ones([n]), [i + k for k in range(n)])
        '''))
        numbers, = [f for f in report['findings'] if f['cause'] == 'python_scalar_argument']
        self.assertEqual((numbers['checked']['traces_before'], numbers['checked']['traces_after']), (12, 3))
        self.assertNotIn('structure_change', [f['cause'] for f in report['findings']])
        self.assertIn(('update', 'structure_change', 6),
                      [(s['function'], s['cause'], s['rule']) for s in report['suppressed']])
