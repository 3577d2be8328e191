"""State around traces in scripts recorded by the tests: what is stale, done only while tracing, drawn once or leaked."""
import concurrent.futures
import importlib.util
import tempfile
import textwrap
import unittest

import recorded

STATE = ('stale_capture', 'python_side_effect', 'baked_random', 'tensor_leak')

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
            names.add(name)  # here
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
RANDOM = {
    'a choice': ('random', 'f', '''
        import random
        items = [1.0, 2.0, 3.0]
        @tf.function
        def f(x):
            return x * random.choice(items)  # here
        for i in range(5):
            f(tf.ones([2]))
    '''),
    'a condition': ('numpy.random', 'f', '''
        import numpy as np
        @tf.function
        def f(x):
            if np.random.rand() < 0.5:  # here
                return x
            return x * 2
        for i in range(5):
            f(tf.ones([2]))
    '''),
    'random': ('random', 'step', '''
        import random
        @tf.function
        def step(x):
            return x * random.random()  # here
        for i in range(6):
            step(tf.ones([2]))
    '''),
    'numpy.random': ('numpy.random', 'step', '''
        import numpy as np
        @tf.function
        def step(x):
            noise = np.random.normal(size=[2]).astype('float32')  # here
            return x + noise
        for i in range(6):
            step(tf.ones([2]))
    '''),
    'a generator': ('global rng', 'step', '''
        import numpy as np
        rng = np.random.default_rng(1)
        @tf.function
        def step(x):
            return x * rng.uniform()  # here
        for i in range(6):
            step(tf.ones([2]))
    '''),
    'a generator in an attribute': ('self.rng', 'Model.step', '''
        import numpy as np
        class Model(tf.Module):
            def __init__(self):
                self.rng = np.random.RandomState(3)
            @tf.function
            def step(self, x):
                return x + self.rng.randint(10)  # here
        model = Model()
        for i in range(6):
            model.step(tf.ones([2]))
    '''),
    'in a helper, by name': ('random', 'step', '''
        from random import uniform
        def jitter(x):
            return x + uniform(0, 1)  # here
        @tf.function
        def step(x):
            return jitter(x)
        for i in range(6):
            step(tf.ones([2]))
    '''),
    'a clock': ('time.time', 'step', '''
        import time
        @tf.function
        def step(x):
            return x + time.time()  # here
        for i in range(6):
            step(tf.ones([2]))
    '''),
    'now': ('datetime.datetime.now', 'step', '''
        from datetime import datetime
        @tf.function
        def step(x):
            second = float(datetime.now().second)  # here
            return x + second
        for i in range(6):
            step(tf.ones([2]))
    '''),
    'a uuid': ('uuid.uuid4', 'step', '''
        import uuid
        @tf.function
        def step(x):
            return tf.strings.join([x, str(uuid.uuid4())])  # here
        for i in range(6):
            step(tf.constant('a'))
    '''),
    'in a nested tf.function': ('random', 'inner', '''
        import random
        @tf.function
        def inner(x):
            return x * random.gauss(0, 1)  # here
        @tf.function
        def outer(x):
            return inner(x)
        for i in range(6):
            outer(tf.ones([2]))
    '''),
}
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
CLEAN = {
    'a clock that is read once': '''
        import time
        class Model:
            def __init__(self):
                self.began = None
            @tf.function
            def step(self, x):
                if self.began is None:
                    self.began = time.time()
                return x * 2.0
        model = Model()
        for i in range(4):
            model.step(tf.ones([2]))
        print(model.began is not None)
    ''',
    'tensors that each trace keeps for itself': '''
        class Model:
            def __init__(self):
                self.w = tf.Variable(1.0)
            def forward(self, x):
                self.hidden = x * self.w
                return self.hidden
            def penalty(self):
                return tf.reduce_sum(self.hidden)
            @tf.function
            def train(self, x):
                return self.forward(x) + self.penalty()
            @tf.function
            def evaluate(self, x):
                return self.forward(x)
        model = Model()
        for i in range(3):
            model.evaluate(tf.ones([2]))
            model.train(tf.ones([2]))
    ''',
    'what a wrapper counts': '''
        calls = 0
        @tf.function
        def step(x):
            return x * 2.0
        def run(x):
            global calls
            calls += 1
            return step(x)
        for i in range(4):
            run(tf.ones([2]))
        print(calls)
    ''',
    'slots of an optimizer': '''
        class Momentum:
            def __init__(self, lr):
                self.lr = lr
                self.slots = {}
            def apply(self, grads, variables):
                for i, (g, v) in enumerate(zip(grads, variables)):
                    if i not in self.slots:
                        self.slots[i] = tf.Variable(tf.zeros_like(v))
                    slot = self.slots[i]
                    slot.assign(0.9 * slot + g)
                    v.assign_sub(self.lr * slot)
        w = tf.Variable([1.0, 2.0])
        optimizer = Momentum(0.1)
        @tf.function
        def step():
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(w * w)
            optimizer.apply(tape.gradient(loss, [w]), [w])
            return loss
        for i in range(5):
            step()
        print(len(optimizer.slots), optimizer.slots)
    ''',
    'functions of a factory': '''
        fns = []
        def make(k):
            @tf.function
            def f(x):
                return x * k
            return f
        for k in (1.0, 2.0, 3.0):
            fns.append(make(k))
        for _ in range(3):
            for f in fns:
                f(tf.ones([2]))
    ''',
    'a variable and a counter of the caller': '''
        class Ema:
            def __init__(self):
                self.v = tf.Variable(0.0)
                self.n = 0
            @tf.function
            def update(self, x):
                self.v.assign(0.9 * self.v + 0.1 * x)
                return self.v.read_value()
            def __call__(self, x):
                self.n += 1
                return self.update(x)
        e = Ema()
        for i in range(5):
            e(tf.constant(1.0))
        print(e.n)
    ''',
    'locals with the names of globals': '''
        @tf.function
        def f(x):
            total = 0.0
            for i in range(3):
                total += tf.reduce_sum(x) * i
            parts = [x * j for j in range(2)]
            return total + tf.add_n(parts)
        for i in range(5):
            for j in range(2):
                f(tf.ones([2]))
    ''',
    'an attribute of another class': '''
        class A:
            def __init__(self):
                self.count = 0
            @tf.function
            def f(self, x):
                self.count += 1
                return x
        class B:
            def __init__(self):
                self.count = 3
            def g(self):
                return self.count
        a, b = A(), B()
        for i in range(5):
            a.f(tf.ones([2]))
        print(b.g())
    ''',
    'traced again at each change': '''
        K = 1
        @tf.function
        def f(x, k):
            return x * K * k
        for i in range(5):
            f(tf.ones([2]), i)
            K += 1
    ''',
    'objects made anew': '''
        class M:
            def __init__(self, k):
                self.k = k
            @tf.function
            def f(self, x):
                return x * self.k
        for k in (1., 2., 3.):
            m = M(k)
            m.f(tf.ones([2]))
            m.f(tf.ones([2]))
    ''',
    'a cache with an exception': '''
        _cache = {}
        def get(n):
            try:
                return _cache[n]
            except KeyError:
                _cache[n] = [float(i) for i in range(n)]
                return _cache[n]
        @tf.function
        def f(x):
            return x + tf.constant(get(3))
        for i in range(3):
            f(tf.ones([3]))
        print(get(3))
    ''',
    'lists of variables': '''
        class Layer(tf.Module):
            def __init__(self):
                self.vars = []
                self.ready = False
            def add(self, v):
                self.vars.append(tf.Variable(v))
                return self.vars[-1]
            @tf.function
            def __call__(self, x):
                if not self.ready:
                    self.w = self.add(1.0)
                    self.b = self.add(2.0)
                    self.ready = True
                return x * self.w + self.b
        l = Layer()
        for i in range(4):
            l(tf.ones([2]))
        print(l.vars, l.ready, len(l.vars))
    ''',
    'a cache with an early return': '''
        class P:
            def __init__(self):
                self.table = None
            def get(self):
                if self.table is not None:
                    return self.table
                self.table = [1.0, 2.0]
                return self.table
            @tf.function
            def f(self, x):
                return x * tf.constant(self.get())
        p = P()
        for i in range(4):
            p.f(tf.ones([2]))
        print(p.table)
    ''',
    'random numbers drawn before': '''
        import random
        random.seed(1)
        data = [random.random() for _ in range(4)]
        @tf.function
        def f(x):
            return x * tf.constant(data)
        for i in range(4):
            f(tf.ones([4]))
        random.random()
    ''',
    'read when a py_function runs': '''
        import random
        RATE = 1.0
        def py_function(func, inp, Tout):
            return inp[0]
        @tf.function
        def step(x):
            def scaled(v):
                return v * RATE * random.random()
            y = py_function(scaled, [x], tf.float32)
            return y + py_function(func=lambda v: v + RATE, inp=[x], Tout=tf.float32)
        for i in range(6):
            step(tf.ones([2]))
            RATE += 1.0
    ''',
    'a constant': '''
        RATE = 0.5
        @tf.function
        def step(x):
            return x * RATE
        for i in range(6):
            step(tf.ones([2]))
    ''',
    'changed after the last call': '''
        RATE = 0.5
        @tf.function
        def step(x):
            return x * RATE
        for i in range(6):
            step(tf.ones([2]))
        RATE = 0.25
    ''',
    'changed, and traced again for it': '''
        RATE = 0.5
        def make():
            @tf.function
            def step(x):
                return x * RATE
            return step
        step = make()
        step(tf.ones([2]))
        step(tf.ones([2]))
        RATE = 0.25
        step = make()
        step(tf.ones([2]))
        step(tf.ones([2]))
    ''',
    'a counter that is printed while tracing': '''
        step_number = 0
        @tf.function
        def step(x):
            print('tracing at', step_number)
            if step_number > 1000:
                print('late')
            message = 'step %d' % step_number
            print(message)
            return x * 2.0
        for i in range(6):
            step(tf.ones([2]))
            step_number += 1
    ''',
    'a counter of the caller': '''
        class Trainer:
            def __init__(self):
                self.steps = 0
                self.history = []
            @tf.function
            def step(self, x):
                return x * 2.0
            def run(self):
                for i in range(6):
                    self.steps += 1
                    self.history.append(float(self.step(tf.ones([]))))
                return self.steps, self.history
        print(Trainer().run())
    ''',
    'a variable that is assigned': '''
        rate = tf.Variable(0.5)
        class Model(tf.Module):
            def __init__(self):
                self.scale = tf.Variable(1.0)
            @tf.function
            def step(self, x):
                self.scale.assign_add(1.0)
                return x * rate * self.scale
        model = Model()
        for i in range(6):
            model.step(tf.ones([2]))
            rate.assign(rate * 0.5)
        print(model.scale.numpy())
    ''',
    'variables made at the first call': '''
        import numpy as np
        class Dense(tf.Module):
            def __init__(self):
                self.w = None
                self.built = False
            def build(self, x):
                self.units = 3
                self.w = tf.Variable(np.random.randn(int(x.shape[-1]), 3).astype('float32'))
                self.built = True
            @tf.function
            def __call__(self, x):
                if not self.built:
                    self.build(x)
                return x @ self.w
        layer = Dense()
        for i in range(6):
            layer(tf.ones([2, 2]))
        print(layer.built, layer.units, layer.w.shape)
    ''',
    'lazily made variables': '''
        class Scale:
            w = None
            @tf.function
            def __call__(self, x):
                if self.w is None:
                    self.w = tf.Variable(2.0)
                return x * self.w
        scale = Scale()
        for i in range(6):
            scale(tf.ones([2]))
        print(scale.w.numpy())
    ''',
    'a cache': '''
        cache = {}
        def mask(n):
            if n not in cache:
                cache[n] = list(range(n))
            return cache[n]
        @tf.function
        def step(x):
            return x + tf.constant(mask(3), tf.float32)
        for i in range(6):
            step(tf.ones([3]))
        print(mask(3), cache)
    ''',
    'a counter of traces': '''
        num_traces = 0
        @tf.function
        def step(x):
            global num_traces
            num_traces += 1
            return x
        for i in range(6):
            step(tf.ones([3]))
        print(num_traces)
    ''',
    'a log': '''
        import logging
        import time
        logger = logging.getLogger('a')
        started = time.time()
        @tf.function
        def step(x):
            logger.info('tracing after %f', time.time() - started)
            begin = time.time()
            y = x * 2.0
            print('took', time.time() - begin)
            return y
        for i in range(6):
            step(tf.ones([3]))
    ''',
    'a counter that nobody reads': '''
        class Model(tf.Module):
            def __init__(self):
                self.entered = 0
            @tf.function
            def step(self, x):
                self.entered += 1
                return x
        model = Model()
        for i in range(6):
            model.step(tf.ones([2]))
    ''',
    'side effects of a function that is traced for each call': '''
        names = []
        @tf.function
        def step(x):
            names.append(str(x.shape))
            return x
        step(tf.ones([1]))
        step(tf.ones([2]))
        print(names)
    ''',
    'random numbers in tf.random and outside': '''
        import random
        import numpy as np
        rng = np.random.default_rng(0)
        @tf.function
        def step(x, noise):
            return x + noise + tf.random.normal([2])
        for i in range(6):
            step(tf.ones([2]), tf.constant(random.random()))
            step(tf.ones([2]), tf.constant(rng.uniform()))
    ''',
    'seeded inside': '''
        import numpy as np
        @tf.function
        def step(x):
            rng = np.random.RandomState(7)
            return x + rng.randn(2)
        @tf.function
        def other(x):
            np.random.seed(3)
            return x + np.random.rand(2)
        for i in range(6):
            step(tf.ones([2], tf.float64))
            other(tf.ones([2], tf.float64))
    ''',
    'random in a trace that is used once': '''
        import random
        @tf.function
        def step(x):
            return x * random.random()
        step(tf.ones([2]))
    ''',
    'random that is not reached': '''
        import random
        @tf.function
        def step(x, training):
            if training:
                x = x * random.random()
            return x
        for i in range(6):
            step(tf.ones([2]), False)
    ''',
    'names that look like clocks': '''
        class Timer:
            def time(self):
                return 2.0
        time = Timer()
        @tf.function
        def step(x):
            return x * time.time()
        for i in range(6):
            step(tf.ones([2]))
    ''',
    'tensors kept while tracing': '''
        class Net(tf.Module):
            def forward(self, x):
                self.features = x * 2.0
                return self.features + 1.0
            def penalty(self):
                return tf.reduce_sum(self.features)
            @tf.function
            def step(self, x):
                y = self.forward(x)
                parts = []
                parts.append(y)
                return tf.add_n(parts) + self.penalty()
        net = Net()
        for i in range(6):
            net.step(tf.ones([2]))
    ''',
    'a tensor that nobody uses later': '''
        class Net(tf.Module):
            @tf.function
            def step(self, x):
                self.last_output = x * 2.0
                return self.last_output
        net = Net()
        for i in range(6):
            net.step(tf.ones([2]))
    ''',
    'a scratch list that is emptied': '''
        class Net(tf.Module):
            @tf.function
            def step(self, x):
                self.parts = []
                for i in range(3):
                    self.parts.append(x * float(i))
                y = tf.add_n(self.parts)
                self.parts = None
                return y
        net = Net()
        for i in range(6):
            net.step(tf.ones([2]))
        print(net.parts)
    ''',
    'results that the caller keeps': '''
        results = []
        @tf.function
        def step(x):
            return x * 2.0
        for i in range(6):
            results.append(step(tf.ones([2])))
        print(results[-1])
    ''',
    'an eager list in eager mode': '''
        tf.config.run_functions_eagerly(True)
        kept = []
        @tf.function
        def step(x):
            kept.append(x)
            return x
        for i in range(6):
            step(tf.ones([2]))
        print(kept[-1])
    ''',
    'another key of a dict': '''
        state = {'rate': 0.5, 'step': 0}
        @tf.function
        def step(x):
            return x * state['rate']
        for i in range(6):
            step(tf.ones([2]))
            state['step'] += 1
        print(state['step'])
    ''',
    'an assertion': '''
        limit = 10
        @tf.function
        def step(x):
            assert limit > 0, limit
            if limit < 0:
                raise ValueError(limit)
            return x
        for i in range(6):
            step(tf.ones([2]))
            limit += 1
    ''',
    'objects that must not be touched': '''
        class Hostile:
            def __eq__(self, other): raise SystemExit(3)
            def __repr__(self): raise SystemExit(4)
            def __hash__(self): raise SystemExit(5)
            def __len__(self): raise SystemExit(7)
            def __iter__(self): raise SystemExit(8)
            def __bool__(self): raise SystemExit(9)
        class Lazy:
            def __getattr__(self, name): raise SystemExit(6)
        hostile, lazy, listed = Hostile(), Lazy(), [Hostile(), {1: Hostile()}]
        def touch(*things): return 1.0
        @tf.function
        def step(x):
            def never():
                return hostile.missing, lazy.missing, listed[0].missing
            return x * touch(hostile, lazy, listed)
        for i in range(6):
            step(tf.ones([2]))
    ''',
}


if importlib.util.find_spec('numpy') is None:
    for programs in (STALE, EFFECTS, RANDOM, LEAKS, CLEAN):
        for name in [n for n, p in programs.items() if 'import numpy' in str(p)]:
            del programs[name]


def findings(body):
    """The findings of a program about state, and its line that is marked."""
    program = 'import tensorflow as tf\n' + textwrap.dedent(body)
    with tempfile.TemporaryDirectory() as folder:
        found = recorded.findings(folder, body)
    marked = [i for i, line in enumerate(program.splitlines(), 1) if line.endswith('# here')]
    return [f for f in found if f['cause'] in STATE], marked


class RecordedState(unittest.TestCase):
    maxDiff = None

    def check_all(self, cause, programs):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            results = dict(zip(programs, pool.map(lambda p: findings(p[2]), programs.values())))
        for name, (path, function, _) in programs.items():
            with self.subTest(name):
                found, marked = results[name]
                self.assertEqual([(f['cause'], f['path'], f['function'], f['line']) for f in found],
                                 [(cause, path, function, marked[0])], found)

    def test_stale_captures(self):
        self.check_all('stale_capture', STALE)

    def test_side_effects(self):
        self.check_all('python_side_effect', EFFECTS)

    def test_random_numbers(self):
        self.check_all('baked_random', RANDOM)

    def test_leaks(self):
        self.check_all('tensor_leak', LEAKS)

    def test_clean_programs(self):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            results = dict(zip(CLEAN, pool.map(findings, CLEAN.values())))
        for name, (found, _) in results.items():
            with self.subTest(name):
                self.assertEqual(found, [])


if __name__ == '__main__':
    unittest.main()
