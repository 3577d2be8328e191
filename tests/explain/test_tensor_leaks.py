"""Programs that kept a tensor of a trace, each with its one finding."""
import subprocess
import sys
import textwrap

import recorded_state

LEAKS = {
    'a list that is stacked': ('self.outs', 'M.f', '''
        class M:
            def __init__(self):
                self.outs = []
            @tf.function
            def f(self, x):
                y = x * 2
                self.outs.append(y)  # here
                return y
        m = M()
        for i in range(5):
            m.f(tf.ones([2]))
        try:
            tf.stack(m.outs)
        except Exception as e: pass
    '''),
    'an attribute that is used': ('self.hidden', 'Model.step', '''
        class Model(tf.Module):
            @tf.function
            def step(self, x):
                self.hidden = x * 2.0  # here
                return self.hidden + 1.0
        model = Model()
        model.step(tf.ones([2]))
        try:
            model.hidden + 1.0
        except Exception:
            pass
    '''),
    'a list of losses': ('global losses', 'step', '''
        losses = []
        @tf.function
        def step(x):
            loss = tf.reduce_sum(x)
            losses.append(loss)  # here
            return loss
        for i in range(6):
            step(tf.ones([2]))
        print(losses[-1])
    '''),
    'a global in a helper': ('global last', 'step', '''
        last = None
        def keep(x):
            global last
            last = x  # here
        @tf.function
        def step(x):
            y = x * 2.0
            keep(y)
            return y
        for i in range(6):
            step(tf.ones([2]))
        print(last)
    '''),
    'a closure': ('closure best', 'make.<locals>.step', '''
        def make():
            best = None
            @tf.function
            def step(x):
                nonlocal best
                best = tf.reduce_max(x)  # here
                return x
            return step, lambda: best
        step, get = make()
        for i in range(6):
            step(tf.ones([2]))
        print(get())
    '''),
    'an item of a dict': ("self.cache['y']", 'Model.step', '''
        class Model(tf.Module):
            def __init__(self):
                self.cache = {}
            @tf.function
            def step(self, x):
                y = x + 1.0
                self.cache['y'] = y  # here
                return y
        model = Model()
        for i in range(6):
            model.step(tf.ones([2]))
        print(model.cache['y'])
    '''),
    'in another traced function, with an error at the end': ('global shared', 'first', '''
        shared = None
        @tf.function
        def first(x):
            global shared
            shared = x * 2.0  # here
            return x
        @tf.function
        def second(x):
            return x + shared
        first(tf.ones([2]))
        try:
            second(tf.ones([2]))
        except Exception as error:
            print('failed')
    '''),
}

# Programs whose state is a tensor in a Python name. Each counts in `wrong` the later calls that used the old state.
FROZEN = {
    'an attribute': ('self.x', 'C.add', """
        class C:
            def __init__(self):
                self.x = tf.zeros([])
            @tf.function
            def add(self, z):
                self.x = self.x + z  # here
                return self.x
        c, total = C(), 0.0
        for i in range(5):
            total += 1.0
            wrong += float(c.add(tf.constant(1.0))) != total
    """),
    'an item of a dict': ("global state['h']", 'rnn', """
        state = {'h': tf.zeros([])}
        @tf.function
        def rnn(x):
            state['h'] = 0.5 * state['h'] + x  # here
            return state['h']
        h = 0.0
        for i in range(7):
            h = 0.5 * h + 1.0
            wrong += float(rnn(tf.constant(1.0))) != h
    """),
    'a global': ('global total', 'summed', """
        total = 0.0
        @tf.function
        def summed(x):
            global total
            total += tf.reduce_sum(x)  # here
            return total
        want = 0.0
        for i in range(6):
            want += 2.0
            wrong += float(summed(tf.ones([2]))) != want
    """),
    'a closure': ('closure count', 'make.<locals>.step', """
        def make():
            count = tf.constant(0)
            @tf.function
            def step(x):
                nonlocal count
                count = count + x  # here
                return count
            return step
        step = make()
        for i in range(4):
            wrong += int(step(tf.constant(1))) != i + 1
    """),
    'state that the first call makes': ('self.h', 'Cell.step', """
        class Cell:
            def __init__(self):
                self.h = None
            @tf.function
            def step(self, x):
                if self.h is None:
                    self.h = tf.zeros_like(x)
                self.h = self.h + x  # here
                return self.h
        cell = Cell()
        for i in range(5):
            wrong += float(cell.step(tf.constant(1.0))) != i + 1
    """),
    'an average that begins with the first value': ('self.mean', 'Mean.update', """
        class Mean:
            def __init__(self):
                self.mean = None
            @tf.function
            def update(self, x):
                if self.mean is None:
                    self.mean = x  # here
                else:
                    self.mean = 0.5 * self.mean + 0.5 * x
                return self.mean
        mean, want = Mean(), None
        for i in range(5):
            want = float(i) if want is None else 0.5 * want + 0.5 * i
            wrong += float(mean.update(tf.constant(float(i)))) != want
    """),
    'a variable that is replaced': ('self.v', 'Sum.add', """
        class Sum:
            def __init__(self):
                self.v = tf.Variable(0.0)
            @tf.function
            def add(self, x):
                self.v = self.v + x  # here
                return self.v
        s = Sum()
        for i in range(5):
            wrong += float(s.add(tf.constant(1.0))) != i + 1
    """),
    'a list that is summed': ('self.parts', 'Window.push', """
        class Window:
            def __init__(self):
                self.parts = []
            @tf.function
            def push(self, x):
                self.parts.append(x)  # here
                return tf.add_n(self.parts)
        window = Window()
        for i in range(5):
            wrong += float(window.push(tf.constant(1.0))) != i + 1
    """),
    'read and stored by helpers': ('self.pos', 'Walk.step', """
        class Walk:
            def __init__(self):
                self.pos = tf.zeros([])
            def now(self):
                return self.pos
            def move(self, pos):
                self.pos = pos  # here
            @tf.function
            def step(self, x):
                pos = self.now() + x
                self.move(pos)
                return pos
        walk = Walk()
        for i in range(5):
            wrong += float(walk.step(tf.constant(1.0))) != i + 1
    """),
    'state that is put back for each sequence': ('self.h', 'Cell.step', """
        class Cell:
            def reset(self):
                self.h = tf.zeros([])
            @tf.function
            def step(self, x):
                self.h = self.h + x  # here
                return self.h
        cell = Cell()
        for sequence in range(3):
            cell.reset()
            for i in range(4):
                wrong += float(cell.step(tf.constant(1.0))) != i + 1
    """),
    'two objects': ('self.x', 'C.add', """
        class C:
            def __init__(self, x):
                self.x = tf.constant(x)
            @tf.function
            def add(self, z):
                self.x = self.x + z  # here
                return self.x
        for start in (0.0, 10.0):
            c = C(start)
            for i in range(5):
                wrong += float(c.add(tf.constant(1.0))) != start + i + 1
    """),
}

# What a body stores in Python and is right all the same.
HARMLESS = {
    'state that is put back before each call': """
        class Cell:
            @tf.function
            def run(self, x):
                for t in range(3):
                    self.h = self.h + x[t]
                return self.h
        cell = Cell()
        for i in range(6):
            cell.h = tf.zeros([])
            cell.run(tf.ones([3]) * i)
    """,
    'state that each call begins anew': """
        class Cell:
            def reset(self, x):
                self.h = tf.zeros_like(x)
            @tf.function
            def run(self, x):
                self.reset(x[0])
                for t in range(3):
                    self.h = self.h + x[t]
                return self.h
        cell = Cell()
        cell.h = tf.zeros([])
        for i in range(6):
            cell.run(tf.ones([3]))
    """,
    'a cache of a tensor': """
        class Net:
            def __init__(self):
                self.mask, self.tables = None, {}
            @tf.function
            def step(self, x):
                if self.mask is None:
                    self.mask = tf.ones([2])
                if 'a' not in self.tables:
                    self.tables['a'] = tf.zeros([2])
                return x * self.mask + self.tables['a']
        net = Net()
        for i in range(6):
            net.step(tf.ones([2]))
    """,
    'a debugging aid': """
        class Net:
            def __init__(self):
                self._last = None
            @tf.function
            def step(self, x):
                self._last = x * 2.0
                return self._last + 1.0
        net = Net()
        for i in range(6):
            net.step(tf.ones([2]))
    """,
    'outputs by the name of a layer': """
        class Net:
            def __init__(self):
                self.outputs = {}
            @tf.function
            def step(self, x):
                for name in ('a', 'b'):
                    x = x * 2.0
                    self.outputs[name] = x
                return self.outputs['a'] + self.outputs['b']
        net = Net()
        for i in range(6):
            net.step(tf.ones([2]))
    """,
}


def wrong_calls(program):
    """The program's own count of calls that used the old state, from a run of its own."""
    program = 'import footlight as tf\n' + program
    done = subprocess.run([sys.executable, '-c', program], capture_output=True, text=True, timeout=300, check=True)
    return int(done.stdout.split('wrong ')[1])


class TensorLeaks(recorded_state.Case):
    test_leaks = recorded_state.one_finding_each('tensor_leak', LEAKS)

    def test_as_many_calls_are_named_as_used_the_old_state(self):
        programs = {name: 'wrong = 0\n' + textwrap.dedent(body) + "print('wrong', wrong)\n"
                    for name, (_, _, body) in FROZEN.items()}
        for name, (found, marked) in recorded_state.all_findings(programs).items():
            with self.subTest(name):
                path, function, _ = FROZEN[name]
                self.assertEqual([(f['cause'], f['path'], f['function'], f['line'], f['evidence']['calls'])
                                  for f in found],
                                 [('tensor_leak', path, function, marked[0], wrong_calls(programs[name]))], found)
                self.assertEqual(found[0]['severity'], 'wrong_result')
                self.assertIn(' is frozen in the graph of ', found[0]['title'])

    def test_state_that_is_no_problem(self):
        for name, (found, _) in recorded_state.all_findings(HARMLESS).items():
            with self.subTest(name):
                self.assertEqual(found, [])
