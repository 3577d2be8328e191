"""Programs that change Python state only while they are traced, each with its one finding."""
import os
import subprocess
import sys
import tempfile
import textwrap

import footlight_program
import recorded
import recorded_state

EFFECTS = {
    'a dict with get': ("global stats['calls']", 'f', '''
        stats = {}
        @tf.function
        def f(x):
            stats['calls'] = stats.get('calls', 0) + 1  # here
            return x
        for i in range(5):
            f(tf.ones([2]))
        print(stats)
    '''),
    'a set': ('global names', 'f', '''
        names = set()
        @tf.function
        def f(x, name):
            names.add(name + str(len(names)))  # here
            return x
        for i in range(5):
            f(tf.ones([2]), 'a')
        print(sorted(names))
    '''),
    'a counter in an attribute': ('self.steps', 'Model.step', '''
        class Model(tf.Module):
            def __init__(self):
                self.steps = 0
            @tf.function
            def step(self, x):
                self.steps += 1  # here
                return x * 2.0
        model = Model()
        for i in range(6):
            model.step(tf.ones([2]))
        print(model.steps)
    '''),
    'a track that is extracted': ('self.track', 'Radar.step', '''
        class Radar(tf.Module):
            def __init__(self):
                self.track = []
            @tf.function
            def step(self, x):
                self.track.append(len(self.track))  # here
                return x * 2.0
        radar = Radar()
        for i in range(6):
            radar.step(tf.ones([2]))
        print('extracted', radar.track)
    '''),
    'a global': ('global calls', 'step', '''
        calls = 0
        @tf.function
        def step(x):
            global calls
            calls += 1  # here
            return x * 2.0
        for i in range(6):
            step(tf.ones([2]))
            if calls > 3:
                break
    '''),
    'a closure': ('closure seen', 'make.<locals>.step', '''
        def make():
            seen = 0
            @tf.function
            def step(x):
                nonlocal seen
                seen = seen + 1  # here
                return x
            return step, lambda: seen
        step, count = make()
        for i in range(6):
            step(tf.ones([2]))
        print(count())
    '''),
    'a list': ('global order', 'step', '''
        order = []
        @tf.function
        def step(x):
            order.append('step')  # here
            return x
        for i in range(6):
            step(tf.ones([2]))
        print(order)
    '''),
    'a dict in a helper': ("global stats['n']", 'step', '''
        stats = {'n': 0}
        def note():
            stats['n'] += 1  # here
        @tf.function
        def step(x):
            note()
            return x
        for i in range(6):
            step(tf.ones([2]))
        assert stats['n'] < 3
    '''),
    'a method of another object': ('self.total', 'Model.step', '''
        class Meter:
            def __init__(self):
                self.total = 0
            def update(self, n):
                self.total = self.total + n  # here
        class Model(tf.Module):
            def __init__(self):
                self.meter = Meter()
            @tf.function
            def step(self, x):
                self.meter.update(int(x.shape[0]))
                return x
        model = Model()
        for i in range(6):
            model.step(tf.ones([2]))
        print(model.meter.total)
    '''),
    'only the length of a list of tensors': ('global kept', 'step', '''
        kept = []
        @tf.function
        def step(x):
            kept.append(x)  # here
            return x
        for i in range(6):
            step(tf.ones([2]))
        print(len(kept))
    '''),
    'a step that the body itself reads': ('self.age', 'Model.step', '''
        class Model(tf.Module):
            def __init__(self):
                self.age = 0
            @tf.function
            def step(self, x):
                self.age += 1  # here
                return x * self.age
        model = Model()
        for i in range(6):
            model.step(tf.ones([2]))
    '''),
    'a nested tf.function': ('global n', 'inner', '''
        n = 0
        @tf.function
        def inner(x):
            global n
            n += 1  # here
            return x
        @tf.function
        def outer(x):
            return inner(x)
        for i in range(6):
            outer(tf.ones([2]))
        print(n)
    '''),
}

# Programs that count how often a body runs that several functions reach, or that is a part of other graphs.
COUNTED = {
    'a line that two functions reach': '''
        class Net:
            def __call__(self, x):
                COUNT['body'] += 1  # here
                return x * 2.0
        net = Net()
        @tf.function
        def one(x):
            return net(x)
        @tf.function
        def two(x):
            return net(x)
        for _ in range(10):
            one(tf.ones([3]))
        for _ in range(5):
            two(tf.ones([3]))
    ''',
    'a trace that another function uses again': '''
        @tf.function
        def score(x):
            COUNT['body'] += 1  # here
            return tf.reshape(x, [2, -1])
        @tf.function
        def train(x, lr):
            return tf.reduce_sum(score(x)) * lr
        for k in range(3):
            for _ in range(5):
                train(tf.ones([4]), float(k))
        for n in (3, 5):
            try:
                score(tf.ones([n]))
            except (ValueError, tf.errors.InvalidArgumentError):
                pass
    ''',
    'calls that meet the end of the data': '''
        @tf.function
        def step(iterator):
            x = next(iterator)
            COUNT['body'] += 1  # here
            return x
        for size in (4, 3, 6):
            iterator = iter(tf.data.Dataset.range(size))
            try:
                while True:
                    step(iterator)
            except (StopIteration, tf.errors.OutOfRangeError):
                pass
    ''',
    'calls that fail': '''
        @tf.function
        def check(x):
            tf.debugging.assert_greater(x, 0)
            COUNT['body'] += 1  # here
            return x
        for value in (1, 0, 2, -1, 3):
            try:
                check(tf.constant(value))
            except tf.errors.InvalidArgumentError:
                pass
    ''',
    'two traces inside of one call': '''
        @tf.function
        def part(x):
            COUNT['body'] += 1  # here
            return x + 1.0
        @tf.function
        def whole(x):
            return tf.reduce_sum(part(x)) + tf.reduce_sum(part(tf.concat([x, x], 0)))
        for _ in range(7):
            whole(tf.ones([2]))
    ''',
}

# A library's loop, which calls a method of the program inside of functions that are not converted.
TRAINER = '''
import tensorflow as tf
class Trainer:
    def fit(self, epochs):
        @tf.autograph.experimental.do_not_convert
        def one_step(x):
            return self.train_step(x)
        @tf.autograph.experimental.do_not_convert
        def step(x):
            return one_step(x)
        run = tf.function(step)
        for epoch in range(epochs):
            self.begin(epoch)
            run(tf.ones([2]))
'''
OF_TRAINER = '''
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'site-packages'))
from trainer import Trainer
class Model(Trainer):
    beta, seen = 1.0, 0
    def begin(self, epoch):
        self.beta = 2.0 + epoch
    def train_step(self, x):
        self.seen += 1  # side effect
        return self.beta * x  # frozen
model = Model()
model.fit(4)
print(model.seen)
'''

# A library's objects, which converted code calls, and which call a method of the program by way of others.
LAYERS = '''
class Layer:
    def __call__(self, x):
        return self._run(x)
    def _run(self, x):
        return self.call(x)
class Chain(Layer):
    def __init__(self, layers):
        self.layers = layers
    def call(self, x):
        for layer in self.layers:
            x = layer(x)
        return x
'''
OF_LAYERS = '''
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'site-packages'))
from layers import Chain, Layer
RATE = 1.0
COUNT = {'calls': 0}
class Scale(Layer):
    def call(self, x):
        COUNT['calls'] += 1  # side effect
        return scaled(x)
def scaled(x):
    return x * RATE  # frozen
model = Chain([Scale(), Chain([])])
@tf.function
def step(x):
    return model(x) + 1.0
for k in range(4):
    RATE = 1.0 + k
    print(float(step(tf.constant(1.0))), COUNT['calls'])
'''


def bodies_run(program, eagerly):
    """How often the program's body runs, with everything eager or with functions traced."""
    setting = f'tf.config.run_functions_eagerly({eagerly})\n'
    program = 'import footlight as tf\n' + setting + program + "\nprint('body ran', COUNT['body'])\n"
    done = subprocess.run([sys.executable, '-c', program], capture_output=True, text=True, timeout=300, check=True)
    return int(done.stdout.split('body ran ')[1])


class SideEffects(recorded_state.Case):
    test_side_effects = recorded_state.one_finding_each('python_side_effect', EFFECTS)

    def test_as_many_calls_are_named_as_the_body_did_not_run_in(self):
        counter = 'import collections\nCOUNT = collections.Counter()\n'
        programs = {name: counter + textwrap.dedent(body) + 'print(dict(COUNT))\n'
                    for name, body in COUNTED.items()}
        for name, (found, marked) in recorded_state.all_findings(programs).items():
            with self.subTest(name):
                missed = bodies_run(programs[name], True) - bodies_run(programs[name], False)
                bodies_in_a_call = 2 if name.startswith('two traces') else 1
                self.assertEqual([(f['line'], f['evidence']['calls'] * bodies_in_a_call) for f in found],
                                 [(marked[0], missed)], found)

    def test_a_fix_that_spares_traces_says_what_changes_less_often_then(self):
        """Each call is traced and counts itself, which is right until the number is passed as a tensor."""
        program = '''
            import tensorflow as tf
            class Policy:
                steps = 0
            policy = Policy()
            @tf.function
            def update(x, lr):
                policy.steps += 1
                return x * lr
            for i in range(8):
                update(tf.ones([2]), 0.5 / (i + 1))
            print('steps', policy.steps)
        '''
        with tempfile.TemporaryDirectory() as folder:
            session = recorded.record_text(folder, program)
            found, = recorded.report(session)['findings']
            warning = ('script.py:8 changes policy.steps only while update is traced, 8 times so far and once '
                       'with this fix, so move that out of update first')
            self.assertIn(warning, found['fix']['text'])
            self.assertIn(warning, found['message'])
            self.assertTrue(found['alternatives'])
            for other in found['alternatives']:
                self.assertIn('then, too, script.py:8 changes policy.steps less often', other['text'])
            for form in ((), ('--html',), ('--github',)):
                self.assertIn(warning, footlight_program.run('report', *form, session).stdout)
            edit = found['fix']['edit']
            script = os.path.join(folder, 'script.py')
            with open(script, encoding='utf-8') as file:
                text = file.read()
            with open(script, 'w', encoding='utf-8') as file:
                file.write(text.replace(edit['old'], edit['new']))
            done = footlight_program.record(session, script)
            self.assertEqual(done.stdout.splitlines()[-1], 'steps 1')

    def test_nothing_is_said_of_state_that_the_body_leaves_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            found, = recorded.findings(folder, '''
                seen = []
                @tf.function
                def update(x, lr):
                    return x * lr
                for i in range(8):
                    seen.append(float(update(tf.ones([]), 0.5 / (i + 1))))
            ''')
        self.assertNotIn('while update is traced', found['message'])

    def check_with_library(self, name, library, program, effect, frozen):
        """The program has two findings, of these paths, on the lines that are marked so."""
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, 'site-packages'))
            with open(os.path.join(folder, 'site-packages', name + '.py'), 'w', encoding='utf-8') as file:
                file.write(library)
            found = recorded.findings(folder, program)
        lines = ('import tensorflow as tf\n' + program).splitlines()
        line_of = {word: next(i for i, line in enumerate(lines, 1) if line.endswith('# ' + word))
                   for word in ('side effect', 'frozen')}
        self.assertEqual(sorted((f['cause'], f['path'], f['line'], f['evidence']['calls']) for f in found),
                         [('python_side_effect', effect, line_of['side effect'], 3),
                          ('stale_capture', frozen, line_of['frozen'], 3)])

    def test_state_of_a_step_that_a_library_calls(self):
        self.check_with_library('trainer', TRAINER, OF_TRAINER, 'self.seen', 'self.beta')

    def test_state_of_layers_that_a_library_calls(self):
        self.check_with_library('layers', LAYERS, OF_LAYERS, "global COUNT['calls']", 'global RATE')
