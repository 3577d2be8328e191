"""Lines that recordings name: where arguments were made, and what is no retrace. Whole scripts, and look-alikes of each."""
import sqlite3

import recorded
from folder_case import FolderCase

STEP = '''
@tf.function
def step(x, rate=1.0, mode=0):
    return x * rate
x = tf.ones([4])
'''


class Recorded(FolderCase):
    def findings(self, body, fails=False, **files):
        return recorded.findings(self.folder, body, fails, **files)

    def only(self, body, **files):
        found = self.findings(body, **files)
        self.assertEqual(len(found), 1, found)
        return found[0]


class Decisions(Recorded):
    def test_each_condition_once_for_each_trace(self):
        session = recorded.record(self.folder, '''
@tf.function
def inner(x, n):
    return x if n else -x
@tf.function
def step(x, flag):
    for i in range(3):
        if flag: x = inner(x, i) if x > 0 and flag or x > 1 else x
    return x if flag else -x
for flag in (True, False):
    step(tf.constant(1), flag)
''')
        with sqlite3.connect(session) as db:
            made = [(line, kind, fate, note.split()[3] if 'was' in note else '') for line, kind, fate, note in db.execute(
                'select line, d.kind, fate, note from decision d join trace t on d.trace = t.id '
                'order by t.id, line, d.kind, fate, note')]
        true, false = [('if expression', 'python', value) for value in ('True', 'False')]
        self.assertEqual(made, [
            (8, 'for', 'python', ''), (9, 'and', 'staged', ''), (9, 'if', 'python', 'True'),
            (9, 'if expression', 'staged', ''), (9, 'or', 'staged', ''), (10, *true), (5, *false), (5, *true),
            (5, *true), (8, 'for', 'python', ''), (9, 'if', 'python', 'False'), (10, *false)])


class ValueLines(Recorded):
    def lines(self, body, **files):
        """What stands on the lines at which each argument was made: {'args[1]': ['rate = 0.1', ...]}."""
        made = {}
        with sqlite3.connect(recorded.record(self.folder, body, **files)) as db:
            texts = {i: text.split('\n') for i, text in db.execute('select id, text from file')}
            for number, path in db.execute('select id, path from observation where kind = 0 order by id'):
                rows = db.execute('select file, line from observation_line where observation = ?', (number,))
                made[path] = [texts[file][line - 1].strip() for file, line in rows]
        return made

    def test_assignments_in_and_before_a_loop(self):
        made = self.lines(STEP + '''
rate = 0.5
for i in range(4):
    y = step(x, rate)
    unused = rate
    rate *= 0.5
''')
        self.assertEqual(made['args[1]'], ['rate *= 0.5', 'rate = 0.5'])

    def test_an_assignment_that_another_replaces_does_not_reach(self):
        made = self.lines(STEP + '''
for i in range(4):
    rate = 7.0
    if i % 2:
        rate = 0.5 * i
    else:
        rate = 0.25 * i
    y = step(x, rate)
    rate = 3.0
''')
        self.assertEqual(made['args[1]'], ['rate = 0.25 * i', 'rate = 0.5 * i'])

    def test_targets_of_loops(self):
        made = self.lines(STEP + '''
def schedule():
    for i in range(3):
        yield 0.5 ** i
for number, rate in enumerate(schedule()):
    step(x, rate)
''')
        self.assertEqual(made['args[1]'], ['for number, rate in enumerate(schedule()):', 'yield 0.5 ** i'])
        made = self.lines(STEP + '''
rates = [0.1, 0.2, 0.3]
modes = (1, 2, 3)
for rate, mode in zip(rates, modes):
    step(x, mode=mode, rate=rate)
''')
        self.assertEqual(made, {'args[0]': ['x = tf.ones([4])'],
                                'args[1]': ['for rate, mode in zip(rates, modes):', 'rates = [0.1, 0.2, 0.3]'],
                                'args[2]': ['for rate, mode in zip(rates, modes):', 'modes = (1, 2, 3)']})

    def test_comprehensions(self):
        made = self.lines(STEP + '''
rates = [0.1, 0.2, 0.3]
all = [step(w, rate) for w, rate in [(x, r) for r in rates]]
others = [0.4, 0.5]
all = [step(
           x, rate)
       for rate in others]
''')
        self.assertEqual(made['args[1]'], ['for rate in others]', 'others = [0.4, 0.5]'])

    def test_results_of_functions(self):
        made = self.lines('import data\n' + STEP + '''
def doubled(i):
    return 2.0 * i
for i in range(4):
    a = data.rate(i)
    b = doubled(i)
    step(x, a, mode=b)
    step(x, a, data.rate(i))
''', data='''
def rate(i):
    if i == 2:
        return 0.5
    return 0.1 * i
''')
        self.assertEqual(made['args[1]'], ['return 0.5', 'return 0.1 * i', 'a = data.rate(i)'])
        self.assertEqual(made['args[2]'], ['return 0.5', 'return 0.1 * i'])

    def test_what_a_function_builds(self):
        made = self.lines('''
@tf.function
def total(parts):
    return tf.add_n(parts)
def build(n):
    parts = []
    for i in range(n):
        parts.append(tf.ones([2]))
    return parts
for n in range(1, 4):
    parts = build(n)
    total(parts)
''')
        self.assertEqual(made['args[0]'], ['return parts', 'parts.append(tf.ones([2]))', 'parts = []',
                                           'parts = build(n)'])

    def test_what_a_tensor_is_made_of(self):
        made = self.lines('''
@tf.function
def total(x):
    return tf.reduce_sum(x)
def load(n):
    return [float(n)] * n
for n in range(1, 4):
    total(tf.constant(load(n)))
''')
        self.assertEqual(made['args[0]'], ['return [float(n)] * n'])

    def test_methods_and_their_attributes(self):
        made = self.lines('''
class Model:
    def __init__(self):
        self.rate = 1.0
    @tf.function
    def step(self, x, rate):
        return x * rate
    def train(self, n):
        for _ in range(n):
            self.step(tf.ones([3]), rate=self.rate)
            self.decay()
    def decay(self):
        self.rate = 0.5 * self.rate
model = Model()
model.train(3)
''')
        self.assertEqual(made['args[2]'], ['self.rate = 0.5 * self.rate', 'self.rate = 1.0'])
        self.assertEqual(made['args[0]'], ['model = Model()'])

    def test_parameters_of_the_caller(self):
        made = self.lines(STEP + '''
def train(x, rate, mode=3):
    y = step(x,
             rate, mode)
    return y
for i in range(3):
    rate = 0.1 * i
    train(x, rate)
''')
        self.assertEqual(made, {'args[0]': ['x = tf.ones([4])'], 'args[1]': ['rate = 0.1 * i'],
                                'args[2]': ['def train(x, rate, mode=3):']})

    def test_lambdas_partials_and_stars(self):
        made = self.lines('import functools\n' + STEP + '''
at_rate = lambda rate: step(x, rate)
fixed = functools.partial(step, x)
for i in range(3):
    rate = 0.1 * i
    at_rate(rate)
for i in range(3):
    other = 0.3 * i
    fixed(other)
''')
        self.assertEqual(made['args[1]'], ['other = 0.3 * i'])
        made = self.lines(STEP + '''
at_rate = lambda rate: step(x, rate)
for i in range(3):
    rate = 0.1 * i
    at_rate(rate)
''')
        self.assertEqual(made['args[1]'], ['rate = 0.1 * i'])
        made = self.lines(STEP + '''
for i in range(3):
    rates = (0.1 * i,)
    step(x, *rates)
''')
        self.assertEqual(list(made), ['args[0]'])
        self.assertEqual(self.lines(STEP + '''
rates = [0.1, 0.2, 0.3]
done = list(map(lambda rate: step(x, rate), rates))
done = list(map(step, [x, x], rates))
''').get('args[2]'), None)

    def test_items_of_a_list(self):
        made = self.lines('''
@tf.function
def step(pair, state):
    return pair[0] * pair[1]
for i in range(3):
    rate = 0.1 * i
    x = tf.ones([2])
    step([x, rate], (x, i))
''')
        self.assertEqual(made, {'args[0][0]': ['x = tf.ones([2])'], 'args[0][1]': ['rate = 0.1 * i'],
                                'args[1][0]': ['x = tf.ones([2])'], 'args[1][1]': ['for i in range(3):']})

    def test_a_list_that_grows(self):
        made = self.lines('''
@tf.function
def total(parts):
    return tf.add_n(parts)
parts = []
for i in range(3):
    parts.append(tf.ones([2]))
    total(parts)
''')
        self.assertEqual(made['args[0]'], ['parts.append(tf.ones([2]))', 'parts = []'])

    def test_with_try_walrus_and_global(self):
        made = self.lines(STEP + '''
RATE = 1.0
def train():
    global RATE
    for i in range(3):
        step(x, RATE)
        try:
            RATE = RATE / 2
        except ValueError:
            RATE = 0.0
train()
''')
        self.assertEqual(made['args[1]'][0], 'RATE = 0.0')
        self.assertEqual(made['args[1]'][1], 'RATE = RATE / 2')
        made = self.lines(STEP + '''
numbers = iter([0.1, 0.2, 0.3, 0])
while (rate := next(numbers)) > 0:
    step(x, rate)
''')
        self.assertEqual(made['args[1]'], ['while (rate := next(numbers)) > 0:'])

    def test_calls_in_a_trace(self):
        made = self.lines(STEP + '''
@tf.function
def outer(x):
    for i in range(3):
        rate = 0.5 * i
        if tf.reduce_sum(x) > 0:
            x = step(x, rate)
    return x
outer(x)
''')
        self.assertEqual(made['args[1]'], ['rate = 0.5 * i'])

    def test_nothing_where_nothing_is_traced_again(self):
        self.assertEqual(self.lines(STEP + '''
for i in range(3):
    y = x + i
    step(y, 0.5)
'''), {})

    def test_objects_die_as_they_would(self):
        recorded.record(self.folder, STEP + '''
import weakref
class Thing:
    pass
@tf.function
def use(x, thing):
    return x * 2.0
def run():
    seen = []
    for i in range(4):
        thing = Thing()
        seen.append(weakref.ref(thing))
        use(x, thing)
        del thing
        assert seen[-1]() is None
run()
''')


class UnrolledLoops(Recorded):
    def of(self, body):
        found = self.only(body)
        self.assertEqual(found['cause'], 'unrolled_loop', found)
        self.assertIs(found['checked'], False)
        return found['function'], found['path'], found['evidence']['nodes'], found['fix']['text']

    def test_in_a_branch_and_over_items(self):
        self.assertEqual(self.of('''
@tf.function
def step(x, rows):
    if tf.reduce_sum(x) > 0:
        for number, row in enumerate(rows):
            x = x + row * float(number)
    return x
step(tf.ones([3]), [tf.ones([3]) for _ in range(130)])
''')[:2], ('step', 'for number, row in enumerate(rows)'))

    def test_with_a_variable_that_each_copy_reads(self):
        for body in ('x = x * w', 'out.append(x * w)', 'x = x + w * 2.0 - tf.sqrt(2.0 + w)'):
            self.assertEqual(self.of('''
w = tf.Variable(0.5)
@tf.function
def step(x):
    out = [x]
    for i in range(3000):
        %s
    return tf.stack(out)
step(tf.constant(1.0))
''' % body)[:2], ('step', 'for i in range(3000)'))

    def test_in_a_helper(self):
        self.assertEqual(self.of('''
def total(x):
    k = 0
    while k < 150:
        x = x * 1.5 + 1.0
        k += 1
    return x
@tf.function
def step(x):
    return total(x)
@tf.function
def other(x):
    return total(x) + 1.0
step(tf.ones([3]))
other(tf.ones([3]))
''')[1:3], ('while k < 150', 600))

    def test_that_calls_a_helper(self):
        function, path, nodes, fix = self.of('''
class Cell:
    def __call__(self, x):
        return self.apply(x)
    def apply(self, x):
        return tf.tanh(x) * 0.5
cell = Cell()
@tf.function
def step(x):
    for _ in range(120):
        x = cell(x)
    return x
step(tf.ones([3]))
''')
        self.assertEqual((function, path, nodes, fix),
                         ('step', 'for _ in range(120)', 360, 'for _ in tf.range(120)'))

    def test_in_an_inner_traced_function(self):
        self.assertEqual(self.of('''
@tf.function
def inner(x):
    for _ in range(120):
        x = tf.tanh(x) * 0.5
    return x
@tf.function
def outer(x):
    return inner(x) + 1.0
outer(tf.ones([3]))
''')[:2], ('inner', 'for _ in range(120)'))

    def test_a_comprehension(self):
        self.assertEqual(self.of('''
@tf.function
def step(x):
    return tf.add_n([tf.tanh(x) * 0.1
                     for k in range(150)])
step(tf.ones([3]))
''')[:2], ('step', 'for k in range(150)'))

    def test_a_comprehension_beside_a_loop(self):
        found = self.findings('''
@tf.function
def step(x):
    parts = [
        tf.sin(x * k)
        for k in range(128)
        if k >= 0
    ]
    for p in parts:
        x = x + p
    return x
step(tf.ones([3]))
''')
        self.assertEqual(sorted((f['path'], f['line'], f['evidence']['nodes']) for f in found),
                         [('for k in range(128)', 7, 384), ('for p in parts', 10, 128)])

    def test_without_autograph(self):
        self.assertEqual(self.of('''
@tf.function(autograph=False)
def step(x):
    for k in range(150):
        x = tf.tanh(x) * 0.5
    return x
step(tf.ones([3]))
''')[:2], ('step', 'for k in range(150)'))

    def test_look_alikes(self):
        self.assertEqual(self.findings('''
weights = [tf.Variable(tf.ones([3])) for _ in range(12)]
@tf.function
def layers(x):
    for w in weights:
        for _ in range(3):
            x = tf.tanh(x * w) + 1.0
    return x
@tf.function
def staged(x):
    for k in tf.range(500):
        x = tf.tanh(x) * 0.5
    return x
@tf.function
def no_nodes(x):
    names = []
    for k in range(500):
        names.append(str(k))
    return x * float(len(names))
@tf.function
def gradients(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        for _ in range(60):
            y = tf.tanh(y) * 0.5
    return tape.gradient(y, x)
for f in (layers, staged, no_nodes, gradients):
    f(tf.ones([3]))
@tf.function
def once(x):
    return x + 1.0
for k in range(300):
    once(tf.ones([3]))
'''), [])


class LargeConstants(Recorded):
    def test_a_list_in_a_trace(self):
        found = self.only('''
            table = [float(i % 7) for i in range(300_000)]
            @tf.function
            def step(x):
                y = x + 1.0
                return y + tf.constant(table)
            step(tf.ones([300_000]))
            step(tf.ones([1, 300_000]))
        ''')
        self.assertEqual((found['cause'], found['line'], found['evidence']['bytes']), ('large_constant', 7, 1_200_000))

    def test_look_alikes(self):
        self.assertEqual(self.findings('''
            table = tf.constant([float(i % 7) for i in range(300_000)])
            weights = tf.Variable(table)
            small = [1.0] * 1000
            @tf.function
            def step(x):
                return x + table + weights + tf.zeros([300_000]) + tf.constant(0.5, shape=[300_000]) + sum(small)
            step(tf.ones([300_000]))
        '''), [])


class HotLoops(Recorded):
    def test_a_step_that_is_not_decorated(self):
        found = self.only('''
            w = tf.Variable(tf.ones([8, 8]))
            def layer(x):
                return tf.tanh(x @ w)
            def train_step(x):
                with tf.GradientTape() as tape:
                    loss = tf.reduce_mean(layer(layer(x)) ** 2)
                grad = tape.gradient(loss, w)
                w.assign_sub(0.1 * grad)
                return loss
            def main():
                x = tf.ones([4, 8])
                for _ in range(2000):
                    train_step(x)
            main()
        ''')
        self.assertEqual((found['cause'], found['path'], found['line']), ('eager_hot_loop', 'train_step', 6))
        self.assertEqual([r['line'] for r in found['related_lines']], [15])

    def test_look_alikes(self):
        self.assertEqual(self.findings('''
            @tf.function
            def traced(x):
                return helper(x) * 2.0
            def helper(x):
                return tf.tanh(x) + 1.0
            def main():
                x = tf.ones([4])
                for _ in range(3000):
                    x = tf.tanh(x) + 1.0
                for _ in range(3000):
                    x = traced(x)
                for _ in range(2000):
                    x = helper(x)
            main()
        '''), [])


class Fallbacks(Recorded):
    def test_locals(self):
        found = self.only('''
            @tf.function
            def step(x):
                if tf.reduce_sum(x) > 0:
                    x = x + float(len(locals()))
                return x
            try:
                step(tf.ones([3]))
            except Exception as e:
                print(e)
        ''')
        self.assertEqual((found['cause'], found['line'], found['path']),
                         ('autograph_fallback', 5, 'if tf.reduce_sum(x) > 0'))

    def test_a_generator_in_a_script_that_raises(self):
        found = self.findings('''
            def items():
                for i in tf.range(3):
                    yield i
            @tf.function
            def step(x):
                for v in items():
                    x = x + tf.cast(v, tf.float32)
                return x
            step(tf.ones([3]))
        ''', fails=True)
        self.assertEqual([(f['cause'], f['line']) for f in found], [('autograph_fallback', 4)])

    def test_look_alikes(self):
        self.assertEqual(self.findings('''
            @tf.function
            def step(x, n):
                if n > 3:
                    x = x + float(len(locals()))
                return x
            step(tf.ones([3]), 5)
            @tf.function(autograph=False)
            def asked_for(x):
                if tf.reduce_sum(x) > 0:
                    x = x + 1.0
                return x
            try:
                asked_for(tf.ones([3]))
            except Exception:
                pass
        '''), [])
