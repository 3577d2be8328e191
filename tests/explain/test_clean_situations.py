"""Programs that look as if they had a bug, and are right as they are: nothing is found in them."""
import tempfile
import unittest

import recorded

CLEAN = {
    'what a layer notes of its traces': '''

        class Layer:
            def __init__(self):
                self.n_traced = 0
                self.shapes = []
            @tf.function
            def __call__(self, x):
                self.n_traced += 1
                self.shapes.append(x.shape)
                return x * 2.0
        layer = Layer()
        for i in range(6):
            layer(tf.ones([2 + i % 2]))
        print("traces:", layer.n_traced, "shapes:", layer.shapes)
    ''',
    'models of other sizes, one after the other': '''

        class Model:
            def __init__(self, units):
                self.w = tf.Variable(tf.ones([3, units]))
            @tf.function
            def fit_step(self, x):
                with tf.GradientTape() as tape:
                    loss = tf.reduce_mean((x @ self.w) ** 2)
                self.w.assign_sub(0.1 * tape.gradient(loss, self.w))
                return loss
        for units in (2, 4, 8):
            model = Model(units)
            for _ in range(20):
                loss = model.fit_step(tf.ones([4, 3]))
            print(units, float(loss) < 1)
    ''',
    'a list or a tuple': '''

        @tf.function
        def stack(rows):
            return tf.stack(rows)
        for i in range(8):
            rows = [tf.ones([2]), tf.zeros([2])]
            if i % 2:
                rows = tuple(rows)
            stack(rows)  # here
    ''',
    'a flag that saves one trace': '''

        class Sim:
            def __init__(self):
                self.state = tf.Variable(tf.zeros([8]))
            @tf.function
            def advance(self, dt, verbose=False):
                if verbose:
                    print("advancing")
                self.state.assign_add(dt * tf.cos(self.state))
                return tf.reduce_sum(self.state)
        sim = Sim()
        dt = tf.constant(0.1)
        for i in range(40):
            shape = sim.state.shape
            e = sim.advance(dt, verbose=i % 10 == 0)  # here
        print("%.3f" % float(e))
    ''',
    'a pool of threads': '''
        import concurrent.futures
        @tf.function
        def work(x):
            return tf.reduce_sum(x * x)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            out = list(pool.map(lambda i: float(work(tf.fill([4], float(i)))), range(12)))
        print(sum(out))
    ''',
    'a registry that is filled once': '''

        REGISTRY = {}
        def register(name, x):
            if name not in REGISTRY:
                REGISTRY[name] = x.shape
            return x
        @tf.function
        def net(x):
            x = register("in", x)
            h = register("hidden", tf.nn.relu(x))
            return tf.reduce_sum(h)
        for i in range(5):
            net(tf.ones([2, 3]))
        for name, shape in REGISTRY.items():
            print(name, shape)
    ''',
    'slots of an optimizer': '''

        class Adam(tf.Module):
            def __init__(self, lr):
                super().__init__()
                self.lr = lr
                self.slots = {}
            def slot(self, v):
                key = id(v)
                if key not in self.slots:
                    self.slots[key] = tf.Variable(tf.zeros_like(v))
                return self.slots[key]
            def apply(self, grads_and_vars):
                for g, v in grads_and_vars:
                    m = self.slot(v)
                    m.assign(0.9 * m + 0.1 * g)
                    v.assign_sub(self.lr * m)
        w = tf.Variable([1.0, 2.0])
        b = tf.Variable(0.0)
        opt = Adam(0.1)
        @tf.function
        def train(x):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum((w * x + b) ** 2)
            grads = tape.gradient(loss, [w, b])
            opt.apply(zip(grads, [w, b]))
            return loss
        for i in range(8):
            train(tf.ones([2]))
        print(len(opt.slots))
    ''',
    'functions in a cache': '''
        import functools
        @functools.lru_cache(maxsize=None)
        def compiled(n):
            @tf.function
            def f(x):
                return tf.reshape(x, [n, -1])
            return f
        for e in range(6):
            for n in (1, 2, 3, 4):
                compiled(n)(tf.ones([12]))
    ''',
    'an ensemble, trained in turn': '''

        class Member(tf.Module):
            def __init__(self, seed):
                super().__init__()
                self.w = tf.Variable(tf.random.stateless_normal([3], seed=[seed, 0]))
            @tf.function
            def step(self, x, y):
                with tf.GradientTape() as tape:
                    loss = (tf.reduce_sum(self.w * x) - y) ** 2
                self.w.assign_sub(0.05 * tape.gradient(loss, self.w))
                return loss
        members = [Member(i) for i in range(6)]
        for m in members:
            for epoch in range(8):
                m.step(tf.ones([3]), tf.constant(1.0))
        print(sum(float(tf.reduce_sum(m.w)) for m in members) > 0)
    ''',
    'rules of a factory, used in turn': '''

        def make(kind, rate):
            @tf.function
            def rule(w, g):
                return w - rate * g
            rule.kind = kind
            return rule
        rules = {k: make(k, r) for k, r in (("slow", 0.1), ("mid", 0.3), ("fast", 0.5))}
        for name, rule in rules.items():
            w = tf.ones([2])
            for _ in range(10):
                w = rule(w, w)
            print(name, w.numpy())
    ''',
    'a server that warms up': '''

        class Server:
            @tf.function
            def predict(self, x):
                return tf.nn.softmax(x)
            def warm_up(self):
                for n in (1, 2, 4, 8):
                    self.predict(tf.zeros([n, 3]))
        s = Server()
        s.warm_up()
        for i in range(40):
            s.predict(tf.ones([(1, 2, 4, 8)[i % 4], 3]))
    ''',
    'bound methods of objects that stay': '''

        class Head:
            def __init__(self, k):
                self.k = tf.constant(float(k))
            def loss(self, x):
                return tf.reduce_sum(x) * self.k
        @tf.function
        def train(loss, x):
            return loss(x) * 2.0
        heads = [Head(k) for k in range(4)]
        for epoch in range(5):
            for h in heads:
                train(h.loss, tf.ones([3]))
    ''',
    'two variables': '''

        @tf.function
        def add(a, b):
            return a + b
        v, w = tf.Variable(1.0), tf.Variable(2.0)
        for i in range(6):
            add(v, w)
            add(w, v)
    ''',
    'a device scope inside and outside': '''

        @tf.function
        def f(x):
            with tf.device("/CPU:0"):
                return x * 2.0
        for i in range(5):
            with tf.device("/CPU:0"):
                f(tf.ones([2]))
    ''',
    'a mode that chooses the function': '''

        class Bn:
            def __init__(self):
                self.training = True
                self.mean = tf.Variable(0.0)
            @tf.function
            def _train(self, x):
                self.mean.assign(0.9 * self.mean + 0.1 * tf.reduce_mean(x))
                return x - tf.reduce_mean(x)
            @tf.function
            def _infer(self, x):
                return x - self.mean
            def __call__(self, x):
                return self._train(x) if self.training else self._infer(x)
        bn = Bn()
        for e in range(4):
            bn.training = True
            for i in range(3):
                bn(tf.ones([4]))
            bn.training = False
            bn(tf.ones([4]))
    ''',
    'a metric and its best value': '''

        class Mean:
            def __init__(self):
                self.total = tf.Variable(0.0)
                self.count = tf.Variable(0.0)
                self.best = None
            @tf.function
            def update(self, v):
                self.total.assign_add(v)
                self.count.assign_add(1.0)
            def result(self):
                r = float(self.total / self.count)
                if self.best is None or r < self.best:
                    self.best = r
                return r
            def reset(self):
                self.total.assign(0.0)
                self.count.assign(0.0)
        m = Mean()
        for e in range(3):
            for i in range(5):
                m.update(tf.constant(float(i)))
            print(m.result(), m.best)
            m.reset()
    ''',
    'a script that raises': '''

        @tf.function
        def f(x):
            return x * 2.0
        for i in range(4):
            f(tf.ones([2]))
        raise RuntimeError("disk full")
    ''',
    'a script that ends at once': '''
        import os
        @tf.function
        def f(x):
            return x + 1.0
        for i in range(5):
            f(tf.ones([2]))
        os._exit(3)
    ''',
}


def found(body):
    with tempfile.TemporaryDirectory() as folder:
        return recorded.report(recorded.record(folder, body, None))['findings']


class CleanSituations(unittest.TestCase):
    maxDiff = None

    def test_clean_situations(self):
        programs = recorded.without_numpy(CLEAN, str)
        for name, findings in recorded.in_parallel(found, programs).items():
            with self.subTest(name):
                self.assertEqual(findings, [])
