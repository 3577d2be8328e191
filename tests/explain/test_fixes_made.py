"""Compares the traces that a fix is said to leave with those of the script after the fix was made.

Each program counts its own traces and prints the number, before the change and after it.
"""
import re
import subprocess
import sys
import textwrap

import footlight_program
import recorded
from folder_case import FolderCase


class Fixes(FolderCase):
    def run_alone(self, body):
        script = self.write('alone.py', 'import footlight as tf\n' + textwrap.dedent(body))
        return subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=300)

    def counted(self, body):
        """The numbers that the program prints when it is not recorded."""
        done = self.run_alone(body)
        done.check_returncode()
        return {name: int(count) for name, count in re.findall(r'(\w+)=(\d+)', done.stdout)}

    def check(self, body, old, new, function, cause, **wanted):
        """Checks the first finding about the function against the traces that are left with `new` in place of `old`."""
        body = textwrap.dedent(body)
        self.assertIn(old, body)
        report = footlight_program.report(recorded.record(self.folder, body))
        about = [f for f in report['findings'] if f['function'] == function]
        self.assertTrue(about, report)
        first = about[0]
        self.assertEqual((first['cause'], first['checked']['ok']), (cause, True), first)
        before, after = self.counted(body)[function], self.counted(body.replace(old, new))[function]
        self.assertEqual((first['checked']['traces_before'], first['checked']['traces_after']), (before, after), first)
        for name, value in wanted.items():
            self.assertEqual(first[name], value)
        return about

    def check_clean(self, body, cause):
        """Checks that there is no finding of this cause."""
        report = footlight_program.report(recorded.record(self.folder, body))
        self.assertNotIn(cause, [f['cause'] for f in report['findings']])
        return report

    def test_two_that_need_each_other_beside_a_third(self):
        body = '''
            @tf.function
            def step(x, cache, position, temperature):
                cache = tf.concat([cache, x[None]], 0)
                return tf.reduce_mean(cache, 0) / temperature + float(position), cache
            for temperature in (1.0, 0.7):
                cache = tf.zeros([0, 2])
                for position in range(8):
                    x, cache = step(tf.ones([2]), cache, position, temperature)
            print(f'step={step.experimental_get_tracing_count()}')
        '''
        findings = footlight_program.report(recorded.record(self.folder, textwrap.dedent(body)))['findings']
        two = [f for f in findings if f['after']]
        self.assertEqual([f['parameter'] for f in two], ['cache', 'position'])
        self.assertEqual({f['checked']['traces_before'] for f in two}, {self.counted(body)['step']})
        changed = body.replace('@tf.function', '@tf.function(reduce_retracing=True)')
        changed = changed.replace('step(tf.ones([2]), cache, position,', 'step(tf.ones([2]), cache, tf.constant(position),')
        self.assertEqual({f['checked']['traces_after'] for f in two}, {self.counted(changed)['step']})

    def test_of_numbers_in_one_dict_the_one_with_most_values_is_named(self):
        self.check('''
            @tf.function
            def step(x, options):
                return x * options['scale']
            for i in range(24):
                step(tf.ones([2]), {'extra': i // 12, 'scale': 1.0 + i % 6})
            print(f'step={step.experimental_get_tracing_count()}')
        ''', "{'extra': i // 12, 'scale': 1.0 + i % 6}",
                   "{'extra': tf.constant(i // 12), 'scale': tf.constant(1.0 + i % 6)}", 'step',
                   'python_scalar_argument', path="args[1]['scale']")

    def test_a_number_beside_a_python_function(self):
        for name, python in (('a function of the program', 'tf.py_function(double, [x], tf.float32)'),
                             ('a lambda that each trace makes', 'tf.py_function(lambda v: v * 2.0, [x], tf.float32)'),
                             ('one that closes over the same', 'tf.py_function(lambda v: v * by, [x], tf.float32)'),
                             ('a method', 'tf.py_function(box.double, [x], tf.float32)')):
            with self.subTest(name):
                self.check(f'''
                    class Box:
                        def double(self, v):
                            return v * 2.0
                    box = Box()
                    def double(v):
                        return v * 2.0
                    @tf.function
                    def step(x, scale):
                        by = 3.0
                        return tf.reduce_sum({python} * scale)
                    for i in range(8):
                        step(tf.ones([3]), 0.1 * i)
                    print(f'step={{step.experimental_get_tracing_count()}}')
                ''', '0.1 * i)', 'tf.constant(0.1 * i))', 'step', 'python_scalar_argument')

    def test_a_python_function_that_holds_the_number(self):
        """It would hold a tensor that has no value: neither is the number a constant, nor do the graphs do the same."""
        body = '''
            @tf.function
            def step(x, scale):
                return tf.py_function(lambda v: v * scale, [x], tf.float32)
            for i in range(8):
                step(tf.ones([3]), 0.1 * i)
        '''
        for cause in ('python_scalar_argument', 'identical_graphs'):
            self.check_clean(body, cause)

    def test_a_cache_that_grows(self):
        """None at first, then a tensor: an empty one in its place has a shape of its own."""
        about = self.check('''
            @tf.function
            def step(x, cache):
                return x[:, None] if cache is None else tf.concat([cache, x[:, None]], axis=1)
            for _ in range(3):
                cache = None
                for i in range(8):
                    cache = step(tf.ones([1, 4]), cache)
            print(f'step={step.experimental_get_tracing_count()}')
        ''', '@tf.function', '@tf.function(reduce_retracing=True)', 'step', 'varying_shape')
        self.assertEqual([f['cause'] for f in about], ['varying_shape'])

    def test_two_caches_that_grow_are_one_finding(self):
        about = self.check('''
            @tf.function
            def step(x, cache):
                k = x[:, None] if cache is None else tf.concat([cache["k"], x[:, None]], axis=1)
                v = x[:, None] if cache is None else tf.concat([cache["v"], x[:, None]], axis=1)
                return {"k": k, "v": v}
            for _ in range(3):
                cache = None
                for i in range(8):
                    cache = step(tf.ones([1, 4]), cache)
            print(f'step={step.experimental_get_tracing_count()}')
        ''', '@tf.function', '@tf.function(reduce_retracing=True)', 'step', 'varying_shape',
            also_paths=["args[1]['v'].shape[1]"])
        self.assertEqual(len(about), 1)

    def test_a_mask_that_is_left_out_at_times(self):
        self.check('''
            @tf.function
            def step(x, mask):
                return tf.reduce_sum(x if mask is None else x * mask)
            for n in (3, 4, 5):
                for k in range(6):
                    step(tf.ones([n]), None if k % 3 else tf.ones([n]))
            print(f'step={step.experimental_get_tracing_count()}')
        ''', 'None if k % 3 else tf.ones([n])', 'tf.ones([n])', 'step', 'argument_form')

    def test_two_calls_in_a_line_of_which_one_leaves_the_argument_out(self):
        for calls in ('step(x, bias=float(i % 7)) if i % 2 else step(x)',
                      'step(x) if i % 2 else step(x, bias=float(i % 7))',
                      '(step(x), step(x, float(i % 7)))', 'step(step(x, float(i % 7)))'):
            with self.subTest(calls):
                found, = self.check(f'''
                    @tf.function
                    def step(x, bias=9.0):
                        return x + bias
                    x = tf.ones([3])
                    for i in range(20):
                        {calls}
                    print(f'step={{step.experimental_get_tracing_count()}}')
                ''', 'float(i % 7)', 'tf.constant(float(i % 7))', 'step', 'python_scalar_argument')
                self.assertEqual(found['checked']['traces_after'], 2)

    def test_what_the_fixes_of_two_arguments_save_together(self):
        """Each alone leaves two traces, and both leave one: more than the traces that one or the other saves."""
        body = '''
            @tf.function
            def step(x, mask=None, training=False):
                if mask is not None:
                    x = x * mask
                return tf.reduce_sum(x)
            x = tf.ones([4, 3])
            for i in range(24):
                mask = None if i % 3 else tf.ones([4, 3])
                step(x, mask=mask, training=i % 4 == 0)
            print(f'step={step.experimental_get_tracing_count()}')
        '''
        report = footlight_program.report(recorded.record(self.folder, textwrap.dedent(body)))
        self.assertEqual(sorted(f['cause'] for f in report['findings'] if f['checked']['ok']),
                         ['argument_form', 'flag_flip'])
        one = body.replace('None if i % 3 else ', '')
        other = body.replace('i % 4 == 0)', 'tf.constant(i % 4 == 0))')
        both = one.replace('i % 4 == 0)', 'tf.constant(i % 4 == 0))')
        before, *after = (self.counted(text)['step'] for text in (body, one, other, both))
        self.assertEqual([f['checked']['traces_after'] for f in report['findings']], after[:2])
        self.assertEqual(report['summary']['removable_traces'], before - after[2])

    def test_a_state_of_two_tensors_that_is_not_there_at_first(self):
        about = self.check('''
            @tf.function
            def step(x, h, c):
                if h is None:
                    h = x
                if c is None:
                    c = x
                return x + h, x * c
            for _ in range(3):
                h = c = None
                for i in range(4):
                    h, c = step(tf.ones([4]), h, c)
            print(f'step={step.experimental_get_tracing_count()}')
        ''', 'h = c = None', 'h = c = tf.ones([4])', 'step', 'argument_form', also_paths=['args[2]'])
        self.assertEqual(len(about), 1)

    def test_a_schedule_of_few_values_and_a_few_shapes(self):
        self.check('''
            @tf.function
            def train(x, lr):
                return tf.reduce_sum(x) * lr
            for epoch in range(4):
                for n in (5, 6, 7, 5, 6, 7):
                    train(tf.ones([n]), 0.1 * 0.9 ** epoch)
            print(f'train={train.experimental_get_tracing_count()}')
        ''', '0.1 * 0.9 ** epoch)', 'tf.constant(0.1 * 0.9 ** epoch))', 'train', 'python_scalar_argument')

    def test_few_values_whose_traces_are_used_are_a_choice(self):
        self.check_clean('''
            @tf.function
            def train(x, lr):
                return tf.reduce_sum(x) * lr
            for epoch in range(4):
                for n in (5, 6, 7):
                    for lr in (0.1, 0.2, 0.3):
                        train(tf.ones([n]), lr)
        ''', 'python_scalar_argument')

    def test_lists_whose_tensors_vary_too(self):
        """Stacked and padded to one length, the sizes of the elements still make traces."""
        self.check('''
            @tf.function
            def step(xs):
                return tf.add_n([tf.reduce_sum(x) for x in tf.unstack(xs)] if tf.is_tensor(xs) else
                                [tf.reduce_sum(x) for x in xs])
            for n in (2, 3):
                for length in range(1, 7):
                    step([tf.ones([n])] * length)
            print(f'step={step.experimental_get_tracing_count()}')
        ''', '[tf.ones([n])] * length', 'tf.stack([tf.ones([n])] * length + [tf.zeros([n])] * (6 - length))', 'step',
            'structure_change')

    def test_lists_that_grow_together_are_one_finding(self):
        about = self.check('''
            @tf.function
            def step(cache):
                both = [cache[name] for name in ("k", "v")]
                return [tf.reduce_sum(tf.stack(one) if isinstance(one, list) else one) for one in both]
            for length in range(1, 7):
                step({"k": [tf.ones([4])] * length, "v": [tf.ones([2])] * length})
            print(f'step={step.experimental_get_tracing_count()}')
        ''', 'step({"k": [tf.ones([4])] * length, "v": [tf.ones([2])] * length})',
            'step({"k": tf.ones([6, 4]), "v": tf.ones([6, 2])})', 'step', 'structure_change', also_paths=["args[0]['v']"])
        self.assertEqual(len(about), 1)

    def test_keys_that_come_later_and_sizes_that_vary(self):
        """All keys from the first call on: what else varies still makes traces."""
        self.check('''
            @tf.function
            def step(batch):
                return tf.add_n([tf.reduce_sum(one) for one in batch.values()])
            for n in (3, 4):
                for keys in (('a',), ('a', 'b'), ('a', 'c')):
                    step({**{k: tf.ones([2]) for k in keys}, 'x': tf.ones([n])})
            print(f'step={step.experimental_get_tracing_count()}')
        ''', 'for k in keys}', "for k in ('a', 'b', 'c')}", 'step', 'structure_change')

    def test_the_nearest_trace_is_of_the_same_form(self):
        """A cache is None once: later traces differ from the one before in shapes, however many tensors it holds."""
        session = recorded.record(self.folder, '''
            @tf.function
            def step(cache):
                if cache is None:
                    return {k: tf.ones([1, 2]) for k in 'abc'}
                return {k: tf.concat([v, v[:1]], axis=0) for k, v in cache.items()}
            cache = None
            for i in range(5):
                cache = step(cache)
        ''')
        said = footlight_program.rows(session, 'select why from trace order by number')
        self.assertEqual([why.split(' of ')[0] for why, in said[2:]], ['shape'] * 3)

    def test_a_size_that_the_body_reads(self):
        """A signature makes the size None: the line that takes it as a number comes first."""
        body = '''
            @tf.function
            def halves(x):
                n = x.shape[1]
                return tf.reshape(x, [2, -1, n])
            for i in range(8):
                halves(tf.ones([4, i + 2]))
            print(f'halves={halves.experimental_get_tracing_count()}')
        '''
        report = footlight_program.report(recorded.record(self.folder, body))
        [finding] = report['findings']
        self.assertEqual(finding['cause'], 'varying_shape')
        self.assertRegex(finding['fix']['text'], r'^First let line 5 of .*\.py take the size from tf.shape\(\)')
        self.assertIsNone(finding['fix']['edit'])
        self.assertEqual([a['edit'] for a in finding['alternatives']], [None] * len(finding['alternatives']))
        with_signature = body.replace('@tf.function', '@tf.function(input_signature=[tf.TensorSpec([4, None])])')
        self.assertNotEqual(self.run_alone(with_signature).returncode, 0)
        changed = with_signature.replace('x.shape[1]', 'tf.shape(x)[1]')
        self.assertEqual(finding['checked']['traces_after'], self.counted(changed)['halves'])

    def test_two_sizes_of_one_line(self):
        [finding] = footlight_program.report(recorded.record(self.folder, '''
            @tf.function
            def step(x):
                rows, columns = x.shape
                return tf.reshape(x, [rows * columns])
            for n in range(2, 10):
                step(tf.ones([n, n + 1]))
        '''))['findings']
        self.assertRegex(finding['fix']['text'], r'^First let line 5 of script.py take the sizes from tf.shape\(\): '
                         r'.shape\[0\] and .shape\[1\] are None where the dimension is unknown')
        self.assertEqual([r['line'] for r in finding['related_lines'] if r['role'] == 'use'], [5])

    def test_a_whole_shape_that_the_body_takes(self):
        for line, with_tensor in (('y = tf.zeros(x.shape) + x', 'y = tf.zeros(tf.shape(x)) + x'),
                                  ('y = tf.broadcast_to(1.0, x.shape)', 'y = tf.broadcast_to(1.0, tf.shape(x))'),
                                  ('y = x / x.shape.num_elements()', 'y = x / tf.cast(tf.size(x), tf.float32)')):
            with self.subTest(line):
                body = f'''
                    @tf.function
                    def step(x):
                        {line}
                        return tf.reduce_sum(y)
                    for n in range(2, 10):
                        step(tf.ones([n]))
                    print(f'step={{step.experimental_get_tracing_count()}}')
                '''
                [finding] = footlight_program.report(recorded.record(self.folder, body))['findings']
                self.assertRegex(finding['fix']['text'], r'^First let line 5 of script.py take the size from tf.shape')
                self.assertEqual([finding['fix']['edit'], *(a['edit'] for a in finding['alternatives'])],
                                 [None] * (1 + len(finding['alternatives'])))
                declared = body.replace('@tf.function', '@tf.function(input_signature=[tf.TensorSpec([None])])')
                self.assertNotEqual(self.run_alone(declared).returncode, 0)
                self.assertEqual(self.counted(declared.replace(line, with_tensor))['step'],
                                 finding['checked']['traces_after'])

    def test_a_size_that_stays_the_same(self):
        report = footlight_program.report(recorded.record(self.folder, '''
            @tf.function
            def scaled(x):
                n = x.shape[0]
                return x / n
            for i in range(8):
                scaled(tf.ones([4, i + 2]))
        '''))
        [finding] = report['findings']
        self.assertIsNotNone(finding['fix']['edit'])

    def test_two_numbers_in_every_shape(self):
        body = '''
            @tf.function
            def scaled(x, t):
                return tf.reduce_sum(x) / t
            for n in range(6, 13):
                for r in range(3):
                    scaled(tf.ones([4, n]), 1.0 + 0.5 * (r % 2))
            print(f'scaled={scaled.experimental_get_tracing_count()}')
        '''
        found = {f['cause']: f for f in footlight_program.report(recorded.record(self.folder, body))['findings']}
        self.assertEqual(set(found), {'varying_shape', 'python_scalar_argument'})
        for cause, old, new in (('varying_shape', '@tf.function', '@tf.function(reduce_retracing=True)'),
                                ('python_scalar_argument', '1.0 + 0.5 * (r % 2)', 'tf.constant(1.0 + 0.5 * (r % 2))')):
            left = self.counted(body.replace(old, new))['scaled']
            self.assertEqual(found[cause]['checked']['traces_after'], left, cause)

    def test_shapes_that_change_together_where_one_may_be_none(self):
        about = self.check('''
            @tf.function
            def masked(x, mask=None):
                if mask is not None:
                    x = x * mask
                return tf.reduce_sum(x)
            for k in range(6):
                masked(tf.ones([k + 1]))
                masked(tf.ones([k + 1]), tf.ones([k + 1]))
            print(f'masked={masked.experimental_get_tracing_count()}')
        ''', '@tf.function', '@tf.function(reduce_retracing=True)', 'masked', 'varying_shape')
        self.assertEqual(len(about), 1)

    def test_the_tensor_with_most_shapes_names_the_finding(self):
        """A cache that grows: padding the other argument alone would save nothing."""
        body = '''
            @tf.function
            def forward(tokens, cache):
                return tf.concat([tokens, cache], 0)
            for k in range(9):
                forward(tf.ones([3 if k == 4 else 2 if k == 2 else 1, 2]), tf.ones([k + 1, 2]))
            print(f'forward={forward.experimental_get_tracing_count()}')
        '''
        [finding] = footlight_program.report(recorded.record(self.folder, body))['findings']
        self.assertEqual((finding['parameter'], finding['also_paths']), ('cache', ['args[0].shape[0]']))
        padding = [fix for fix in finding['alternatives'] if fix['text'].startswith('Pad')]
        self.assertEqual([fix['text'] for fix in padding], ['Pad cache and tokens to one size before the call'])
        padded = body.replace('tf.ones([3 if k == 4 else 2 if k == 2 else 1, 2])', 'tf.ones([3, 2])').replace(
            'tf.ones([k + 1, 2])', 'tf.ones([9, 2])')
        self.assertEqual(padding[0]['checked']['traces_after'], self.counted(padded)['forward'])

    def test_ranks_and_sizes_that_vary(self):
        """A reshape to one rank keeps the sizes, which reduce_retracing leaves open."""
        body = '''
            @tf.function
            def total(x):
                return tf.reduce_sum(x)
            for k in range(1, 6):
                total(tf.ones([3]))
                total(tf.ones([k, 3]))
            print(f'total={total.experimental_get_tracing_count()}')
        '''
        [finding] = footlight_program.report(recorded.record(self.folder, body))['findings']
        self.assertEqual(finding['cause'], 'varying_rank')
        changed = body.replace('tf.ones([3])', 'tf.reshape(tf.ones([3]), [1, 3])').replace(
            '@tf.function', '@tf.function(reduce_retracing=True)')
        self.assertEqual(finding['checked']['traces_after'], self.counted(changed)['total'])

    def test_the_line_that_passes_most_values(self):
        """One line always passes 0.0, another one a new number each time."""
        [finding] = self.check('''
            @tf.function
            def act(x, eps):
                return x * eps
            def explore(i):
                return act(tf.ones([4]), 1.0 / (i + 1))
            def exploit():
                return act(tf.ones([4]), 0.0)
            for i in range(7):
                explore(i)
                exploit()
            print(f'act={act.experimental_get_tracing_count()}')
        ''', '1.0 / (i + 1))', 'tf.constant(1.0 / (i + 1)))', 'act', 'python_scalar_argument')
        self.assertEqual(finding['fix']['edit']['new'], 'return act(tf.ones([4]), tf.constant(1.0 / (i + 1)))')
        both = finding['alternatives'][-1]
        self.assertRegex(both['text'], r'^The same at \w+\.py:\d+, too$')
        self.assertEqual(both['checked']['traces_after'], 1)

    def test_lines_that_pass_equally_many_values(self):
        """An edit of one line would save a third of the traces."""
        [finding] = self.check('''
            @tf.function
            def act(x, eps):
                return x * eps
            for i in range(4):
                act(tf.ones([4]), 0.1 * i + 1.0)
                act(tf.ones([4]), 0.1 * i + 2.0)
                act(tf.ones([4]), 0.1 * i + 3.0)
            print(f'act={act.experimental_get_tracing_count()}')
        ''', 'return x * eps', 'return x * eps\nact = lambda x, eps, of=act: of(x, tf.constant(eps))\n'
             'act.experimental_get_tracing_count = act.__defaults__[0].experimental_get_tracing_count',
             'act', 'python_scalar_argument')
        self.assertIsNone(finding['fix']['edit'])
        lines = ', '.join([r'\w+\.py:\d+'] * 3)
        self.assertRegex(finding['fix']['text'], f'; each of these lines needs it: {lines}$')

    def test_numbers_in_an_object_that_is_compared_by_its_value(self):
        for name, defined, made in (
                ('a frozen dataclass', '@dataclasses.dataclass(frozen=True)', 'Hyper({})'),
                ('one in a dict', '@dataclasses.dataclass(frozen=True)', '{{"hp": Hyper({})}}')):
            with self.subTest(name):
                read = 'hp["hp"]' if 'dict' in name else 'hp'
                [finding] = self.check(f'''
                    import dataclasses
                    {defined}
                    class Hyper:
                        lr: float
                        decay: float = 0.9
                    @tf.function
                    def step(x, hp, lr=None):
                        return x * ({read}.lr if lr is None else lr) * {read}.decay
                    kept = {made.format("0.1")}
                    for i in range(6):
                        step(tf.ones([2]), {made.format("0.1 * i")})
                    print(f'step={{step.experimental_get_tracing_count()}}')
                ''', made.format('0.1 * i'), 'kept, tf.constant(0.1 * i)', 'step', 'python_scalar_argument')
                self.assertIn('holds Python values that change', finding['message'])

    def test_a_text_that_a_check_prints(self):
        for name, check, advice in (
                ('check_numerics', 'tf.debugging.check_numerics(x, tag)', 'Pass the same tag in each call'),
                ('print', 'tf.print(tag, x)', 'tf.constant(tag)')):
            with self.subTest(name):
                [finding] = self.check(f'''
                    @tf.function
                    def step(x, tag):
                        {check}
                        return x * 2
                    for i in range(6):
                        step(tf.ones([2]), f"step {{i}}")
                    print(f'step={{step.experimental_get_tracing_count()}}')
                ''', 'f"step {i}")', '"step")', 'step', 'python_scalar_argument')
                self.assertIn(advice, finding['message'])

    def test_a_number_that_is_compared_and_multiplied(self):
        [finding] = self.check('''
            @tf.function
            def step(x, k):
                y = tf.zeros([4]) if k == 0 else x
                return y * k
            for i in range(6):
                print(step(tf.ones([4]), i).numpy())
            print(f'step={step.experimental_get_tracing_count()}')
        ''', 'tf.ones([4]), i)', 'tf.ones([4]), tf.constant(i, tf.float32))', 'step', 'python_scalar_argument')
        self.assertEqual(finding['fix']['edit']['new'].strip(),
                         'print(step(tf.ones([4]), tf.constant(i, tf.float32)).numpy())')

    def test_numbers_that_python_takes_and_tensors_do_not(self):
        for body in ('x * (v or 1.0)', 'x * round(v * 10)', 'x if v and v < 4 else x + 1.0'):
            with self.subTest(body):
                report = footlight_program.report(recorded.record(self.folder, textwrap.dedent(f'''
                    @tf.function
                    def step(x, v):
                        return {body}
                    for i in range(6):
                        step(tf.ones([2]), 0.5 * i)
                ''')))
                for finding in report['findings']:
                    self.assertIsNone(finding['fix']['edit'], finding)
                    self.assertIn('where Python computes with it', finding['message'])

    def test_a_number_that_python_writes_into_a_text(self):
        report = footlight_program.report(recorded.record(self.folder, textwrap.dedent('''
            @tf.function
            def step(x, k):
                return tf.strings.join([tf.as_string(x), f'value {k}'])
            for i in range(6):
                step(tf.constant(1), i)
        ''')))
        [finding] = report['findings']
        self.assertIsNone(finding['fix']['edit'])
        self.assertIn('make the text of it with tf.strings.format()', finding['message'])

    def test_numbers_at_any_depth(self):
        for name, made in (('a named tuple', 'Pair({}, 1.0)'), ('a list in a dict', '{{"a": [1.0, {}]}}'),
                           ('a tuple in a list', '[({}, 2)]'), ('a dataclass', 'Box({})')):
            with self.subTest(name):
                [finding] = self.check(f'''
                    import collections
                    import dataclasses
                    Pair = collections.namedtuple('Pair', 'value other')
                    @dataclasses.dataclass
                    class Box:
                        value: float
                    @tf.function
                    def step(x, held):
                        number = (held.value if isinstance(held, (Pair, Box)) else held["a"][1]
                                  if isinstance(held, dict) else held[0][0])
                        return x * number
                    for i in range(6):
                        step(tf.ones([2]), {made.format('0.1 * i')})
                    print(f'step={{step.experimental_get_tracing_count()}}')
                ''', made.format('0.1 * i'), made.format('tf.constant(0.1 * i)'), 'step', 'python_scalar_argument')
                self.assertTrue(finding['path'].startswith('args[1]'), finding)
