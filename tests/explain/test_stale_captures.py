"""Programs in which a trace froze a value that changed later, each with its one finding."""
import os
import tempfile

import recorded
import recorded_state

# Programs with one finding: its path, its function, the program. The line to edit is marked.
STALE = {
    'a rate that the trainer lowers': ('self.lr', 'Trainer.train_step', '''
        class Trainer:
            def __init__(self):
                self.w = tf.Variable(tf.zeros([3]))
                self.lr = 0.1
                self.epoch = 0
            @tf.function
            def train_step(self, x, y):
                with tf.GradientTape() as tape:
                    loss = tf.reduce_mean((tf.linalg.matvec(x, self.w) - y) ** 2)
                g = tape.gradient(loss, self.w)
                self.w.assign_sub(self.lr * g)  # here
                return loss
            def on_epoch_end(self):
                self.epoch += 1
                if self.epoch % 2 == 0:
                    self.lr *= 0.5
        t = Trainer()
        for e in range(4):
            for _ in range(5):
                t.train_step(tf.ones([4,3]), tf.ones([4]))
            t.on_epoch_end()
    '''),
    'a list in a closure': ('closure box[0]', 'make.<locals>.f', '''
        def make():
            box = [1.0]
            @tf.function
            def f(x):
                return x * box[0]  # here
            def set(v):
                box[0] = v
            return f, set
        f, set = make()
        for i in range(5):
            f(tf.ones([2]))
            set(float(i))
    '''),
    'an attribute of a class': ('global Config.ALPHA', 'f', '''
        class Config:
            ALPHA = 0.1
        @tf.function
        def f(x):
            return tf.nn.leaky_relu(x, alpha=Config.ALPHA)  # here
        for i in range(5):
            f(tf.ones([2]))
            Config.ALPHA = 0.2
    '''),
    'a dict in a dict': ("global CONFIG['loss']['weight']", 'main.<locals>.f', '''
        CONFIG = {"loss": {"weight": 1.0}}
        def main():
            global CONFIG
            @tf.function
            def f(x):
                w = CONFIG["loss"]["weight"]  # here
                return x * w
            for i in range(5):
                f(tf.ones([2]))
                CONFIG["loss"]["weight"] = 0.5
        main()
    '''),
    'a traced lambda': ('global scale', '<lambda>', '''
        scale = 1.0
        g = tf.function(lambda x: x * scale)  # here
        for i in range(5):
            g(tf.ones([2]))
            scale += 1
    '''),
    'a member of an enum': ('global mode', 'f', '''
        import enum
        class Mode(enum.Enum):
            TRAIN = 1
            TEST = 2
        mode = Mode.TRAIN
        @tf.function
        def f(x):
            if mode is Mode.TRAIN:  # here
                return x * 2.0
            return x
        for i in range(5):
            f(tf.ones([2]))
            mode = Mode.TEST
    '''),
    'an object that is an argument': ('args[1].rate', 'f', '''
        class Opt:
            def __init__(self):
                self.rate = 0.1
        opt = Opt()
        @tf.function
        def f(x, opt):
            return x * opt.rate  # here
        for i in range(5):
            f(tf.ones([2]), opt)
            opt.rate = 0.2
    '''),
    'a helper function without AutoGraph': ('global K', 'f', '''
        K = 1.0
        def helper(x):
            return x * K  # here
        @tf.function(autograph=False)
        def f(x):
            return helper(x)
        for i in range(5):
            f(tf.ones([2]))
            K += 1
    '''),
    'a slot': ('global h.lr', 'f', '''
        import dataclasses
        @dataclasses.dataclass
        class Hyper:
            __slots__ = ('lr',)
            lr: float
        h = Hyper(0.1)
        @tf.function
        def f(x):
            return x * h.lr  # here
        for i in range(5):
            f(tf.ones([2]))
            h.lr = 0.3
    '''),
    'a decorated helper': ('global K', 'f', '''
        import functools
        K = 1.0
        def log(fn):
            @functools.wraps(fn)
            def inner(*a):
                return fn(*a)
            return inner
        @log
        def helper(x):
            return x * K  # here
        @tf.function
        def f(x):
            return helper(x)
        for i in range(5):
            f(tf.ones([2]))
            K += 1
    '''),
    'a concrete function': ('global K', 'f', '''
        K = 1.0
        @tf.function
        def f(x):
            return x * K  # here
        c = f.get_concrete_function(tf.TensorSpec([2], tf.float32))
        for i in range(5):
            c(tf.ones([2]))
            K += 1
    '''),
    'a loop of the graph': ('global K', 'f', '''
        K = 1.0
        @tf.function
        def f(x):
            for i in tf.range(3):
                if tf.reduce_sum(x) > 0:
                    x = x * K  # here
            return x
        for i in range(5):
            f(tf.ones([2]))
            K += 1
    '''),
    'a global': ('global RATE', 'step', '''
        RATE = 0.5
        @tf.function
        def step(x):
            return x * RATE  # here
        for i in range(6):
            step(tf.ones([2]))
            if i == 2:
                RATE = 0.25
    '''),
    'an attribute': ('self.rate', 'Model.step', '''
        class Model(tf.Module):
            def __init__(self):
                self.rate = 1.0
            @tf.function
            def step(self, x):
                y = x + 1.0
                return y * self.rate  # here
        model = Model()
        for i in range(6):
            model.step(tf.ones([2]))
            model.rate *= 0.5
    '''),
    'a closure': ('closure rate', 'make.<locals>.step', '''
        def make(rate):
            @tf.function
            def step(x):
                return x * rate  # here
            def slower():
                nonlocal rate
                rate /= 2
            return step, slower
        step, slower = make(1.0)
        for i in range(6):
            step(tf.ones([2]))
            slower()
    '''),
    'a helper function': ('global DROP', 'step', '''
        DROP = 0.1
        def scaled(x):
            return x * (1.0 - DROP)  # here
        @tf.function
        def step(x):
            return scaled(x) + 1.0
        for i in range(6):
            step(tf.ones([2]))
            DROP += 0.1
    '''),
    'a called method': ('self.mode', 'Net.__call__', '''
        class Net(tf.Module):
            def __init__(self):
                self.mode = 'train'
            def noise(self, x):
                if self.mode == 'train':  # here
                    return x + 1.0
                return x
            @tf.function
            def __call__(self, x):
                return self.noise(x)
        net = Net()
        for i in range(6):
            net(tf.ones([2]))
            if i == 3:
                net.mode = 'test'
    '''),
    'a nested tf.function': ('global SCALE', 'inner', '''
        SCALE = 2.0
        @tf.function
        def inner(x):
            return x * SCALE  # here
        @tf.function
        def outer(x):
            return inner(x) + 1.0
        for i in range(6):
            outer(tf.ones([2]))
            if i == 2:
                SCALE = 3.0
    '''),
    'an item of a dict': ("global CONFIG['rate']", 'step', '''
        CONFIG = {'rate': 0.5, 'name': 'a'}
        @tf.function
        def step(x):
            return x * CONFIG['rate']  # here
        for i in range(6):
            step(tf.ones([2]))
            CONFIG['rate'] = 0.5 / (i + 1)
    '''),
    'an attribute of a global object': ('global settings.rate', 'step', '''
        class Settings:
            rate = 0.1
        settings = Settings()
        @tf.function
        def step(x):
            return x * settings.rate  # here
        for i in range(6):
            step(tf.ones([2]))
            settings.rate = 0.2
    '''),
    'a list that grows': ('global layers', 'step', '''
        layers = [1.0]
        @tf.function
        def step(x):
            for w in layers:  # here
                x = x * w
            return x
        for i in range(6):
            step(tf.ones([2]))
            layers.append(2.0)
    '''),
    'a NumPy array changed in place': ('global mask', 'step', '''
        import numpy as np
        mask = np.ones([4], np.float32)
        @tf.function
        def step(x):
            return x * mask  # here
        for i in range(6):
            step(tf.ones([4]))
            mask[i % 4] = 0.0
    '''),
    'a rebound tensor': ('global offset', 'step', '''
        offset = tf.constant(1.0)
        @tf.function
        def step(x):
            return x + offset  # here
        for i in range(6):
            step(tf.ones([4]))
            offset = offset + 1.0
    '''),
    'a property': ('self._rate', 'Model.step', '''
        class Model(tf.Module):
            _rate = 1.0
            @property
            def rate(self):
                return self._rate  # here
            @tf.function
            def step(self, x):
                return x * self.rate
        model = Model()
        for i in range(6):
            model.step(tf.ones([2]))
            model._rate = 0.5
    '''),
    'without AutoGraph, through a local name': ('self.options.rate', 'Model.step', '''
        class Options:
            def __init__(self):
                self.rate = 1
        class Model(tf.Module):
            def __init__(self):
                self.options = Options()
            @tf.function(autograph=False)
            def step(self, x):
                options = self.options
                return x * options.rate  # here
        model = Model()
        for i in range(6):
            model.step(tf.ones([2]))
            model.options.rate += 1
    '''),
    'a lambda inside': ('global K', 'step', '''
        K = 1.0
        @tf.function
        def step(x):
            return (lambda v: v * K)(x)  # here
        for i in range(6):
            step(tf.ones([2]))
            K = 2.0
    '''),
}


class StaleCaptures(recorded_state.Case):
    test_stale_captures = recorded_state.one_finding_each('stale_capture', STALE)

    def test_calls_of_all_traces_with_the_old_value_count(self):
        found, _ = recorded_state.findings('''
            class Model:
                beta = 0.0
                @tf.function
                def train(self, x):
                    return x * self.beta
            model = Model()
            for epoch in range(5):
                model.beta = epoch / 4
                for size in (8, 8, 6):
                    model.train(tf.ones([size]))
        ''')
        self.assertEqual([f['evidence']['calls'] for f in found], [4 * 3])

    def test_old_values_of_each_trace_and_function_count(self):
        found, _ = recorded_state.findings('''
            class Net:
                gain = 0.0
                def call(self, x):
                    return x * self.gain  # here
            net = Net()
            @tf.function
            def train(x):
                return net.call(x) + 1.0
            @tf.function
            def test(x):
                return net.call(x) - 1.0
            for epoch in range(4):
                net.gain = float(epoch)
                for _ in range(3):
                    train(tf.ones([2]))
                for _ in range(2):
                    test(tf.ones([2]))
                if epoch > 0:
                    train(tf.ones([3]))
        ''')
        self.assertEqual([f['evidence']['calls'] for f in found], [3 * (3 + 2) + 2])
        self.assertEqual(found[0]['title'], 'self.gain is frozen in the graphs of train and test')
        self.assertIn('but 15 later calls of test and train still used 0.0, and 2 used 1.0', found[0]['message'])

    def test_functions_of_a_dataset(self):
        found, marked = recorded_state.findings('''
            cfg, strength, limit = {'noise': 0.0}, 1.0, 8.0
            def noisy(v):
                return v + cfg['noise']  # here
            def kept(v):
                return v < limit  # here
            dataset = tf.data.Dataset.range(10).map(lambda v: tf.cast(v, tf.float32)).map(noisy).filter(kept)
            dataset = dataset.map(lambda v: v * strength)  # here
            for epoch in range(4):
                cfg['noise'], limit, strength = 0.1 * epoch, 8.0 - epoch, 1.0 + epoch
                assert len(list(dataset)) == 8  # the limit of the first epoch
        ''')
        self.assertEqual(sorted((f['path'], f['line'], f['evidence']['calls']) for f in found),
                         [("global cfg['noise']", marked[0], 30), ('global limit', marked[1], 30),
                          ('global strength', marked[2], 24)])
        self.assertTrue(all('Build the dataset again' in f['alternatives'][0]['text'] for f in found))

    def test_a_value_that_changes_before_each_call(self):
        found, _ = recorded_state.findings('''
            class Policy:
                explore = 1.0
                @tf.function
                def act(self, x):
                    return x * self.explore
            policy = Policy()
            for step in range(60):
                policy.act(tf.ones([2]))
                policy.explore = round(1.0 - (step + 1) / 100, 2)
        ''')
        self.assertEqual([f['evidence']['calls'] for f in found], [59])
        self.assertEqual(found[0]['evidence']['values'], [str(round(1.0 - k / 100, 2)) for k in range(60)])
        self.assertIn('0.99 → 0.98 → … → 0.41, but', found[0]['message'])

    def test_a_value_that_changes_more_often_than_is_recorded(self):
        found, _ = recorded_state.findings('''
            class Policy:
                explore = 0
                @tf.function
                def act(self, x):
                    return x * float(self.explore)
            policy = Policy()
            for step in range(1500):
                policy.act(tf.ones([2]))
                policy.explore = step + 1
        ''')
        self.assertEqual([f['evidence']['calls'] for f in found], [1000])
        self.assertIn('1 → 2 → … → 1000 (later changes are not recorded), but 1,000 later calls', found[0]['message'])

    def test_a_library_calls_functions_of_nested_traces(self):
        program = '''
            import os, sys
            sys.path.insert(0, os.path.join(os.path.dirname(__file__), 'site-packages'))
            import library
            A, B, C = 1.0, 2.0, 3.0
            def times_a(x): return x * A
            def times_b(x): return x * B
            def times_c(x): return x * C
            @tf.function
            def inner(x):
                return library.apply(times_b, x)
            @tf.function
            def outer(x):
                return library.apply(times_c, inner(library.apply(times_a, x)))
            for i in range(6):
                outer(tf.ones([2]))
                A, B, C = 4.0, 5.0, 6.0
        '''
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, 'site-packages'))
            library = 'def apply(function, *values):\n    return function(*values)\n'
            found = recorded.findings(folder, program, **{'site-packages/library': library})
        self.assertEqual(sorted((f['path'], f['function'], f['line']) for f in found if f['cause'] == 'stale_capture'),
                         [('global A', 'outer', 7), ('global B', 'inner', 8), ('global C', 'outer', 9)])
