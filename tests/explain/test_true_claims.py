"""What findings claim, beside the program's own counts, and with their fixes applied."""
import json
import re
import sqlite3

import footlight_program
import recorded
from folder_case import FolderCase

CONFIG = '''
import dataclasses
@dataclasses.dataclass(frozen=True)
class Config:
    scale: float
@tf.function
def conf(x, c):
    return x * c.scale
'''

SILENT = {
    'shapes as values': '''
        @tf.function
        def shaped(x, s):
            return tf.zeros(s) + tf.reduce_sum(x)
        for k in range(1, 7):
            shaped(tf.ones([2]), tf.TensorShape([k, 2]))
    ''',
    'a description that other shapes make another': '''
        @tf.function
        def sp(s):
            return tf.sparse.sparse_dense_matmul(s, tf.ones([5, 2]))
        for k in range(5):
            sp(tf.sparse.SparseTensor([[0, 1], [2, 3]], [1.0 + k, 2.0], [3 + k, 5]))
    ''',
    'values that are kept': CONFIG + '''
pool = [Config(float(k)) for k in range(4)]
for k in range(8):
    conf(tf.ones([2]), pool[k // 2])
''',
    'an equal number, and a condition that goes the same way': '''
        LIMIT = 5.0
        class Box:
            def __init__(self):
                self.scale = 2.0
            @tf.function
            def go(self, x):
                if self.scale > 1.0:
                    return x * 10.0
                return x
        @tf.function
        def clipped(x):
            return tf.minimum(x, LIMIT)
        seen = set()
        @tf.function
        def label(x, name):
            seen.add(name)
            return tf.identity(x)
        box = Box()
        for k in range(3):
            box.go(tf.constant(3.0)), clipped(tf.constant(7.0))
            label(tf.constant(1.0), 'a'), label(tf.constant(1.0), 'b')
        box.scale = 1.5
        LIMIT = 5
        print(box.go(tf.constant(3.0)), clipped(tf.constant(7.0)), sorted(seen))
    ''',
    'a clock that only waits': '''
        import time
        def busy(s):
            t = time.perf_counter()
            while time.perf_counter() - t < s: pass
        @tf.function
        def big(x):
            busy(0.001)
            return tf.reduce_sum(x)
        for k in range(3):
            big(tf.ones([4]))
    ''',
}

# Look-alikes, which do make wrong results.
WRONG = {
    'a condition that goes the other way': ('stale_capture', '''
        class Box:
            def __init__(self):
                self.scale = 2.0
            @tf.function
            def go(self, x):
                if self.scale > 1.0:
                    return x * 10.0
                return x
        box = Box()
        box.go(tf.constant(3.0))
        box.scale = 0.5
        print(box.go(tf.constant(3.0)))
    '''),
    'a condition, and the value': ('stale_capture', '''
        class Box:
            def __init__(self):
                self.scale = 2.0
            @tf.function
            def go(self, x):
                if self.scale > 1.0:
                    return x * self.scale
                return x
        box = Box()
        box.go(tf.constant(3.0))
        box.scale = 1.5
        print(box.go(tf.constant(3.0)))
    '''),
    'a time that is used': ('baked_random', '''
        import time
        @tf.function
        def stamped(x):
            t = time.time()
            print(t)
            return x + t
        for k in range(3):
            stamped(tf.ones([4], tf.float64))
    '''),
}


class Claims(FolderCase):
    def run_script(self):
        done = footlight_program.record(self.path('again.footlight'), self.path('script.py'), code=None)
        return done.returncode, done.stdout + done.stderr

    def test_nothing_is_said_of_what_is_right(self):
        for name, body in SILENT.items():
            with self.subTest(name):
                self.assertEqual([f['message'] for f in recorded.findings(self.folder, body)], [])

    def test_what_is_wrong_is_said(self):
        for name, (cause, body) in WRONG.items():
            with self.subTest(name):
                self.assertEqual([f['cause'] for f in recorded.findings(self.folder, body)], [cause])

    def test_values_that_died_are_as_many_as_differ(self):
        """Eight objects of four values: kept alive, they make four traces."""
        [finding] = recorded.findings(self.folder, CONFIG + '''
for k in range(8):
    conf(tf.ones([2]), Config(float(k // 2)))
''')
        self.assertEqual(finding['cause'], 'weak_value_died')
        self.assertEqual((finding['checked']['traces_before'], finding['checked']['traces_after']), (8, 4))

    def test_objects_that_hold_other_values_are_not_to_be_one(self):
        [finding] = recorded.findings(self.folder, '''
            class Plain:
                def __init__(self, v): self.v = v
            @tf.function
            def plain(x, p):
                return x * p.v
            for k in range(6):
                plain(tf.ones([2]), Plain(float(k)))
        ''')
        self.assertEqual(finding['cause'], 'new_object_identity')
        self.assertTrue(finding['fix']['text'].startswith('Pass the values that p holds'), finding['fix'])

    def test_a_value_that_the_function_reads_is_not_to_be_left_out(self):
        """The same name in each call, which is what the fix says, makes one trace and raises nothing."""
        body = '''
            n = 0
            @tf.function
            def names(x, name):
                global n
                n += 1
                return x + len(name)
            for i in range(8):
                names(tf.ones([2]), f"run{i}")
            import sys
            sys.stderr.write(f"traces {n}")
        '''
        [finding] = [f for f in recorded.findings(self.folder, body) if f['cause'] == 'identical_graphs']
        self.assertTrue(finding['fix']['text'].startswith('Pass the same name in each call'), finding['fix'])
        saved = finding['saves']['traces']
        recorded.record(self.folder, body.replace('f"run{i}"', '"run0"'))
        code, out = self.run_script()
        self.assertEqual((code, re.search(r'traces (\d+)', out)[1]), (0, str(8 - saved)), out)

    def test_ops_that_tracing_evaluates_are_not_eager(self):
        """One zeros(...) a call runs outside of `f`; in it, sizes are computed for each copy of its line."""
        def counts(shapes):
            session = recorded.record(self.folder, f'''
                @tf.function
                def f(x):
                    for k in range(600):
                        z = tf.zeros([tf.shape(x)[0], 4])
                    return z
                for k in range({shapes}):
                    f(tf.zeros([k + 2, 3]))
            ''')
            self.assertNotIn('eager_hot_loop', [f['cause'] for f in footlight_program.report(session)['findings']])
            return [self.ask(session, query) for query in (
                'select count(*) from ops where traced = 0 and while_tracing = 0',
                'select count(*) from ops where while_tracing = 1', 'eager-lines')]
        [[[eager]], [[evaluated]], lines] = counts(2)
        self.assertEqual(([line for _, line, _, count, _ in lines], eager), (['f(tf.zeros([k + 2, 3]))'], 2))
        [[[eager]], [[more]], _] = counts(4)
        self.assertEqual((eager, more), (4, 2 * evaluated))
        self.assertGreater(evaluated, 1200)

    def ask(self, session, query):
        words = ['--query', query] if ' ' not in query else [query]
        rows = json.loads(footlight_program.run('sql', session, *words, '--json').stdout)
        return [list(row.values()) for row in rows]

    def test_functions_of_one_def_inside_other_functions_are_other_functions(self):
        body = '''
            def make(step):
                @tf.function
                def inner(x):
                    return step(x)
                return inner
            @tf.function
            def train(x):
                return make(lambda v: v * 2.0)(x)
            @tf.function
            def evaluate(x):
                return make(lambda v: v + 1.0)(x)
            for k in range({shapes}):
                train(tf.ones([2 + k]))
            evaluate(tf.ones([2]))
        '''
        for shapes, retraces in ((1, 0), (2, 2)):  # a second shape: train again, and the inner function that it makes
            session = recorded.record(self.folder, body.replace('{shapes}', str(shapes)))
            for allowed, code in ((retraces, 0), (retraces - 1, 3)):
                if allowed >= 0:
                    footlight_program.run('report', session, '--max-retraces', str(allowed), code=code)
            # They are still one definition, in the report as in the counts of the recording.
            report, info = recorded.report(session), json.loads(footlight_program.run('info', '--json', session).stdout)
            rows = {f['function'].split('.')[-1]: f['traces'] for f in report['functions']}
            self.assertEqual((report['summary']['functions'], info['definitions'], rows['inner']), (3, 3, shapes + 1))
            self.assertEqual(sum(traces for *_, traces, _, _, _ in self.ask(session, 'functions')),
                             report['summary']['traces'])

    def test_what_is_a_finding_is_not_legitimate_too(self):
        """A number that changes is a finding; one for which no replay shows anything is not listed with that cause."""
        report = recorded.report(recorded.record(self.folder, '''
            @tf.function
            def scale(x, *, gain=1.0, bias=0.0):
                return x * gain + bias
            for i in range(9):
                scale(tf.ones([2, 3]), gain=0.5 + i / 10)
            scale(tf.ones([2, 3]), bias=2.0)
        '''))
        self.assertEqual([f['parameter'] for f in report['findings']], ['gain'])
        self.assertNotIn('python_scalar_argument', [one['cause'] for one in report['suppressed']])

    def test_none_is_not_converted(self):
        [finding] = recorded.findings(self.folder, '''
            @tf.function
            def masked(x, mask):
                return x if mask is None else x * mask
            for k in range(10):
                masked(tf.ones([2]), None if k % 2 else tf.ones([2]))
        ''')
        self.assertEqual(finding['cause'], 'argument_form')
        self.assertNotIn('convert_to_tensor', finding['fix']['text'])

    def test_graphs_of_a_recursion_are_not_compared(self):
        [finding] = recorded.findings(self.folder, '''
            @tf.function
            def down(x, n):
                if n == 0:
                    return x
                return down(x * 2.0, n - 1)
            down(tf.ones([2]), 6)
        ''')
        self.assertEqual((finding['cause'], finding['evidence']['graphs']), ('recursion', None))

    def test_a_stage_in_a_function_has_its_own_line(self):
        session = recorded.record(self.folder, '''
            def one(k):
                inner = tf.data.Dataset.range(8)
                return inner.map(lambda i: i * 2)
            ds = tf.data.Dataset.range(5).flat_map(one)
            total = 0
            for x in ds.map(lambda i: i + 1):
                total += int(x)
        ''')
        with sqlite3.connect(session) as db:
            lines = [line for line, in db.execute(
                "select (select line from code_line l where l.code = t.source_code and "
                "l.first_offset <= t.source_offset order by l.first_offset desc limit 1) "
                "from track t where kind = 'stage' and name = 'map' order by 1")]
        self.assertEqual(lines, [5, 8])
