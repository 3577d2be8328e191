"""Causes in the situations in which they come: classes, wrappers, closures, states, several files. Each program has one
finding, of which are given: cause, function, path, parameter, other paths, traces before and after the fix; its line is
marked.
"""
import tempfile
import unittest

import recorded

SITUATIONS = {
    'a rate by keyword, from a method': (
        ('python_scalar_argument', 'Trainer.train_step', 'args[3]', 'lr', [], (9, 1)), {}, '''
        import numpy as np
        class Trainer:
            def __init__(self, dim, base=0.1):
                self.w = tf.Variable(tf.zeros([dim]))
                self.base = base
                self.history = []
            def schedule(self, epoch):
                return self.base * min(1.0, (epoch + 1) / 5.0)
            @tf.function
            def train_step(self, x, y, lr=0.1, clip=5.0):
                with tf.GradientTape() as tape:
                    loss = tf.reduce_mean(tf.square(tf.linalg.matvec(x, self.w) - y))
                grad = tf.clip_by_norm(tape.gradient(loss, self.w), clip)
                self.w.assign_sub(lr * grad)
                return loss
            def fit(self, x, y, epochs):
                for epoch in range(epochs):
                    rate = self.schedule(epoch) * 0.95 ** epoch
                    for start in range(0, 32, 16):
                        loss = self.train_step(x[start:start + 16], y[start:start + 16], lr=rate)  # here
                    self.history.append(float(loss))
                return self.history
        def main():
            rng = np.random.RandomState(0)
            x = tf.constant(rng.randn(32, 4).astype("float32"))
            y = tf.constant(rng.randn(32).astype("float32"))
            print("%.4f" % Trainer(4).fit(x, y, 9)[-1])
        if __name__ == "__main__":
            main()
    '''),
    'a number that only a keyword gives': (
        ('python_scalar_argument', 'mix', 'args[1]', 'weight', [], (7, 1)), {}, '''

        @tf.function
        def mix(*parts, weight):
            total = parts[0]
            for p in parts[1:]:
                total = total * (1.0 - weight) + p * weight
            return total
        a, b = tf.ones([4]), tf.zeros([4])
        for k in range(7):
            out = mix(a, b, a + b, weight=k / 7)  # here
        print(out.numpy())
    '''),
    'a number that a wrapper passes on': (
        ('python_scalar_argument', 'blend', 'args[2]', 'amount', [], (8, 1)), {}, '''
        import functools
        import time
        def timed(label):
            def wrap(fn):
                @functools.wraps(fn)
                def inner(*args, **kwargs):
                    began = time.perf_counter()
                    out = fn(*args, **kwargs)
                    TIMES.append((label, time.perf_counter() - began))
                    return out
                return inner
            return wrap
        TIMES = []
        @timed("blend")
        @tf.function
        def blend(a, b, amount):
            return a * amount + b * (1.0 - amount)
        for i in range(8):
            blend(tf.ones([3]), tf.zeros([3]), i / 8)  # here
        print(len(TIMES))
    '''),
    'a keyword that the wrapper of a method passes on': (
        ('python_scalar_argument', 'Client.score', 'args[2]', 'boost', [], (9, 1)), {}, '''
        import functools
        def retry(times):
            def wrap(method):
                @functools.wraps(method)
                def inner(self, *args, **kwargs):
                    for attempt in range(times):
                        return method(self, *args, **kwargs)
                return inner
            return wrap
        class Client:
            def __init__(self):
                self.w = tf.Variable(2.0)
            @retry(times=3)
            @tf.function
            def score(self, x, *, boost):
                return tf.reduce_sum(x * self.w) * boost
        c = Client()
        for k in range(9):
            boost = 1.0 + 0.1 * k
            c.score(tf.ones([2]), boost=boost)  # here
    '''),
    'a text that the graph does not use': (
        ('identical_graphs', 'Encoder.__call__', 'args[2]', 'tag', [], (6, 1)), {}, '''

        class Encoder(tf.Module):
            def __init__(self):
                super().__init__()
                self.w = tf.Variable(tf.eye(3))
            @tf.function
            def __call__(self, x, *, tag="none"):
                return tf.nn.relu(x @ self.w)
        encoder = Encoder()
        for i in range(6):
            request_id = "req-%04d" % i
            y = encoder(tf.ones([2, 3]), tag=request_id)  # here
        print(y.shape)
    '''),
    'three flags by keyword': (
        ('flag_flip', 'Layer.__call__', 'args[2]', 'training', ['args[3]', 'args[4]'], (8, 1)), {}, '''

        class Layer(tf.Module):
            @tf.function
            def __call__(self, x, training=False, mask=False, residual=False):
                y = tf.tanh(x)
                if mask:
                    y = y * tf.cast(x > 0.0, tf.float32)
                if residual:
                    y = y + x
                if training:
                    y = y * 0.9
                return y
        layer = Layer()
        for step in range(16):
            layer(tf.ones([3]), training=step % 2 == 0, mask=step % 4 < 2, residual=step % 8 < 4)  # here
    '''),
    'a state that is None at first, then two tensors': (
        ('argument_form', 'Lstm.step', 'args[2]', 'state', [], (2, 1)), {}, '''

        class Lstm(tf.Module):
            def __init__(self, n):
                super().__init__()
                self.n = n
                self.w = tf.Variable(0.1 * tf.ones([2 * n, 4 * n]))
            @tf.function
            def step(self, x, state=None):
                if state is None:
                    h = c = tf.zeros([1, self.n])
                else:
                    h, c = state
                z = tf.concat([x, h], axis=1) @ self.w
                i, f, g, o = tf.split(z, 4, axis=1)
                c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(g)
                return tf.sigmoid(o) * tf.tanh(c), c
        def run(cell, xs):
            state = None
            for x in xs:
                state = cell.step(x, state)  # here
            return state
        cell = Lstm(3)
        h, c = run(cell, [tf.ones([1, 3])] * 8)
        print(h.shape)
    '''),
    'trees of other depths': (
        ('structure_change', 'total', 'args[0][0]', 'parts', [], (7, 1)), {}, '''

        @tf.function
        def total(parts):
            flat = tf.nest.flatten(parts)
            return tf.add_n(flat)
        def nested(depth):
            x = tf.ones([2])
            for _ in range(depth):
                x = (x, tf.ones([2]))
            return x
        for d in range(1, 8):
            tree = nested(d)
            total(tree)  # here
    '''),
    'more and more *args': (
        ('structure_change', 'total', 'len(args[0])', 'terms', [], (7, 1)), {}, '''

        @tf.function
        def total(*terms):
            return tf.add_n(list(terms))
        losses = []
        for stage in range(7):
            losses.append(tf.constant(float(stage)))
            total(*losses)  # here
    '''),
    'two new objects in a list': (
        ('new_object_identity', 'total', 'args[0][0]', 'params', ['args[0][1]'], (6, 1)), {}, '''

        class Param:
            def __init__(self, v):
                self.v = tf.Variable(v)
        @tf.function
        def total(params, scale):
            return scale * tf.add_n([p.v for p in params])
        for i in range(6):
            params = [Param(1.0), Param(2.0)]  # here
            total(params, tf.constant(1.0))
    '''),
    'a frozen dataclass for each call': (
        ('weak_value_died', 'energy', 'args[1]', 'window', [], (7, 1)), {}, '''
        import dataclasses
        @dataclasses.dataclass(frozen=True)
        class Window:
            size: int
            hop: int
        @tf.function
        def energy(signal, window):
            frames = tf.reshape(signal, [-1, window.size])
            return tf.reduce_sum(frames ** 2, axis=1)
        for i in range(7):
            e = energy(tf.ones([16]) * float(i), Window(4, 2))  # here
        print(e.numpy())
    '''),
    'a lambda in a dict': (
        ('callable_made_at_call', 'evaluate', "args[1]['above']", 'metrics', [], (6, 1)), {}, '''

        @tf.function
        def evaluate(x, metrics):
            return {name: fn(x) for name, fn in metrics.items()}
        def build(threshold):
            return {"above": lambda v: tf.reduce_mean(tf.cast(v > threshold, tf.float32))}
        for k in range(6):
            evaluate(tf.range(5.0), build(float(k)))  # here
    '''),
    'made in a method': (
        ('function_made_in_loop', 'Evaluator.score', 'evaluate', '', [], (6, 1)), {}, '''

        class Evaluator:
            def __init__(self):
                self.w = tf.Variable(tf.ones([4]))
            def score(self, x):
                return tf.reduce_sum(self.w * x)
            def evaluate(self, data):
                compiled = tf.function(self.score)  # here
                total = 0.0
                for x in data:
                    total += float(compiled(x))
                return total
        e = Evaluator()
        data = [tf.fill([4], float(i)) for i in range(3)]
        for epoch in range(6):
            print(e.evaluate(data))
    '''),
    'variables that are the same at times': (
        ('variable_identity', 'blend', 'args[1]', 'b', ['args[2]'], (4, 1)), {}, '''

        @tf.function
        def blend(a, b, c):
            return 0.5 * a + 0.3 * b + 0.2 * c
        def pick(weights, i):
            n = len(weights)
            return weights[i % n], weights[(i // 2) % n], weights[(i * i) % n]
        weights = [tf.Variable([1.0, float(k)]) for k in range(3)]
        for i in range(12):
            blend(*pick(weights, i))  # here
    '''),
    'a device scope around a caller': (
        ('context_change', 'Model.predict', 'context.device', '', [], (2, 1)), {}, '''

        class Model(tf.Module):
            def __init__(self):
                super().__init__()
                self.w = tf.Variable(tf.ones([3]))
            @tf.function
            def predict(self, x):
                return tf.reduce_sum(self.w * x)
        def validate(model, data):
            with tf.device("CPU:0"):  # here
                return [float(model.predict(x)) for x in data]
        def train(model, data):
            for x in data:
                y = model.predict(x)
                model.w.assign_sub(0.1 * y * x)
        model = Model()
        data = [tf.ones([3]) * k for k in (0.1, 0.2, 0.3)]
        for epoch in range(3):
            train(model, data)
            print(validate(model, data)[0])
    '''),
    'two functions that call each other': (
        ('recursion', 'even', 'args[1]', 'n', [], (5, 1)), {}, '''

        @tf.function
        def even(x, n):
            if n == 0:
                return x
            return odd(x + 1.0, n - 1)
        @tf.function
        def odd(x, n):
            if n == 0:
                return -x
            return even(x * 2.0, n - 1)  # here
        print(float(even(tf.constant(1.0), 8)))
    '''),
    'an attribute that a method of a helper reads': (
        ('stale_capture', 'apply', 'self.step', '', [], None), {}, '''

        class Schedule:
            def __init__(self):
                self.step = 0
            def value(self):
                return 1.0 / (1.0 + self.step)  # here
        schedule = Schedule()
        def scaled(g):
            return g * schedule.value()
        @tf.function
        def apply(g):
            return tf.reduce_sum(scaled(g))
        for i in range(10):
            out = apply(tf.ones([3]))
            schedule.step += 1
        print(float(out))
    '''),
    'a tensor that is replaced': (
        ('stale_capture', 'advantage', 'global baseline', '', [], None), {}, '''

        baseline = tf.constant(0.0)
        @tf.function
        def advantage(rewards):
            return rewards - baseline  # here
        for i in range(8):
            a = advantage(tf.ones([3]) * float(i))
            baseline = 0.9 * baseline + 0.1 * float(i)
        print(a.numpy())
    '''),
    'a nonlocal counter': (
        ('python_side_effect', 'make_counter.<locals>.work', 'closure calls', '', [], None), {}, '''

        def make_counter():
            calls = 0
            @tf.function
            def work(x):
                nonlocal calls
                calls += 1  # here
                return tf.reduce_sum(x)
            def rate():
                return calls / 10.0
            return work, rate
        work, rate = make_counter()
        for i in range(10):
            work(tf.ones([3]))
        print("rate", rate())
        if rate() < 1.0:
            raise SystemExit(0)
    '''),
    'a size that is stored': (
        ('python_side_effect', 'Pipeline.run', 'self.last_rows', '', [], None), {}, '''

        class Pipeline:
            def __init__(self):
                self.last_rows = 0
            @tf.function
            def run(self, x):
                self.last_rows = x.shape[0]  # here
                return tf.reduce_mean(x)
            def report(self):
                return "rows: %d" % self.last_rows
        p = Pipeline()
        for n in (4, 6, 4, 6, 4):
            p.run(tf.ones([n]))
            print(n, p.report())
    '''),
    'a generator of an object': (
        ('baked_random', 'Explorer.act', 'self.rng', '', [], None), {}, '''
        import numpy as np
        class Explorer:
            def __init__(self, seed):
                self.rng = np.random.RandomState(seed)
                self.q = tf.Variable(tf.zeros([4]))
            @tf.function
            def act(self, eps):
                if self.rng.rand() < 0.1:  # here
                    return tf.constant(2, tf.int64)
                return tf.argmax(self.q + eps)
        e = Explorer(3)
        for i in range(6):
            a = e.act(tf.constant(0.1))
    '''),
    'two loops in each other': (
        ('unrolled_loop', 'stencil', 'for i in range(16)', '', [], None), {}, '''

        @tf.function
        def stencil(grid):
            out = grid
            for i in range(16):  # here
                for j in range(16):
                    out = out + grid[i, j] * 0.001
            return out
        print(float(tf.reduce_sum(stencil(tf.ones([16, 16])))))
    '''),
    'an array that begins with zeros': (
        ('large_constant', 'add_positions', '', '', [], None), {}, '''
        import numpy as np
        def positional(n, d):
            pos = np.arange(n)[:, None] / 10000.0 ** (np.arange(d)[None, :] / d)
            return np.sin(pos).astype("float32")
        @tf.function
        def add_positions(x):
            table = tf.constant(positional(2048, 256))  # here
            return x + table[:4]
        for i in range(3):
            add_positions(tf.zeros([4, 256]))
    '''),
    'an array of another module': (
        ('large_constant', 'mean_vector', 'global EMBEDDINGS', '', [], None), {
            'corpus': 'import numpy\nEMBEDDINGS = numpy.random.RandomState(0).randn(3000, 100).astype("float32")\n'}, '''
        from corpus import EMBEDDINGS
        @tf.function
        def mean_vector(ids):
            return tf.reduce_mean(tf.gather(EMBEDDINGS, ids), axis=0)  # here
        for i in range(4):
            v = mean_vector(tf.constant([i, 2 * i]))
    '''),
    'a method that a loop runs': (
        ('py_function_hot_spot', 'Vocabulary.ids', 'lookup', '', [], None), {}, '''
        import numpy as np
        class Vocabulary:
            def __init__(self, words):
                self.index = {w: i for i, w in enumerate(words)}
            def lookup(self, word):
                return np.int64(self.index.get(word.numpy().decode(), -1))
            @tf.function
            def ids(self, words):
                total = tf.constant(0, tf.int64)
                for i in tf.range(8):
                    total += tf.ensure_shape(tf.py_function(self.lookup, [words[i]], tf.int64), [])  # here
                return total
        v = Vocabulary(["a", "b", "c"])
        for k in range(4):
            v.ids(tf.constant(["a", "b", "x", "c", "a", "b", "c", "q"]))
    '''),
    'do_not_convert': (
        ('autograph_fallback', 'step', 'if tf.reduce_max(x) > 1.0', '', [], None), {}, '''

        @tf.autograph.experimental.do_not_convert
        def clip(x):
            if tf.reduce_max(x) > 1.0:  # here
                return x / tf.reduce_max(x)
            return x
        @tf.function
        def step(x):
            return clip(x) * 2.0
        print(step(tf.constant([0.5, 3.0])))
    '''),
    'autograph=False': (
        ('autograph_fallback', 'halve', 'while tf.reduce_sum(x) > 1.0', '', [], None), {}, '''

        @tf.function(autograph=False)
        def halve(x):
            while tf.reduce_sum(x) > 1.0:  # here
                x = x / 2.0
            return x
        print(halve(tf.constant([4.0, 4.0])))
    '''),
    'a tensor that another trace uses': (
        ('tensor_leak', 'encode', "global cache['z']", '', [], None), {}, '''

        cache = {}
        @tf.function
        def encode(x):
            z = tf.tanh(x)
            cache["z"] = z  # here
            return tf.reduce_mean(z)
        @tf.function
        def decode():
            return cache["z"] * 2.0
        encode(tf.ones([4]))
        print(decode())
    '''),
    'shapes of an inner function and an outer one': (
        ('varying_shape', 'encode', 'args[0].shape[0]', 'x', [], (6, 1)), {}, '''

        @tf.function
        def norm(x):
            return x / (1e-6 + tf.norm(x))
        @tf.function  # here
        def encode(x):
            return tf.reduce_sum(norm(x) * norm(x * 2.0))
        for n in (3, 5, 7, 4, 6, 9):
            encode(tf.ones([n]))
    '''),
    'a dtype that is another in the first call': (
        ('dtype_flip', 'Meter.add', 'args[1].dtype', 'value', [], (2, 1)), {}, '''
        import numpy as np
        class Meter:
            def __init__(self):
                self.sum = tf.Variable(0.0)
            @tf.function
            def add(self, value, weight):
                self.sum.assign_add(tf.cast(value, tf.float32) * tf.cast(weight, tf.float32))
                return self.sum.read_value()
        def evaluate(meter, epoch):
            correct = tf.constant(np.array([1, 0, 1]))  # here
            total = tf.reduce_sum(correct)
            accuracy = tf.cast(total, tf.float32) if epoch else tf.cast(total, tf.float64)
            return meter.add(accuracy, tf.constant(1.0))
        meter = Meter()
        for epoch in range(7):
            evaluate(meter, epoch)
    '''),
    'a counter in a named tuple': (
        ('python_scalar_argument', 'update', 'args[4].step', 'opt', [], (10, 1)), {}, '''
        from collections import namedtuple
        import numpy as np
        Adam = namedtuple("Adam", "lr beta1 beta2 step")
        @tf.function
        def update(param, grad, m, v, opt):
            m = opt.beta1 * m + (1 - opt.beta1) * grad
            v = opt.beta2 * v + (1 - opt.beta2) * grad * grad
            mhat = m / (1 - opt.beta1 ** opt.step)
            vhat = v / (1 - opt.beta2 ** opt.step)
            return param - opt.lr * mhat / (tf.sqrt(vhat) + 1e-8), m, v
        def main():
            p = tf.constant(np.linspace(-1, 1, 5).astype("float32"))
            m = v = tf.zeros([5])
            opt = Adam(0.05, 0.9, 0.999, 1)
            for i in range(10):
                p, m, v = update(p, p * 2.0, m, v, opt)  # here
                opt = opt._replace(step=opt.step + 1)
            print(np.round(p.numpy(), 3))
        main()
    '''),
}


def found(situation):
    """The findings of a program, and the line that is marked in it."""
    _, files, body = situation
    text = 'import tensorflow as tf\n' + recorded.dedent(body)
    with tempfile.TemporaryDirectory() as folder:
        findings = recorded.report(recorded.record_text(folder, text, None, **files))['findings']
    return findings, [i for i, line in enumerate(text.splitlines(), 1) if line.endswith('# here')]


class Situations(unittest.TestCase):
    maxDiff = None

    def test_situations(self):
        programs = recorded.without_numpy(SITUATIONS, lambda situation: situation[2] + str(situation[1]))
        for name, (findings, marked) in recorded.in_parallel(found, programs).items():
            with self.subTest(name):
                seen = []
                for f in findings:
                    c = f['checked']
                    traces = (c['traces_before'], c['traces_after']) if c else None
                    seen.append((f['cause'], f['function'], f['path'], f['parameter'], f['also_paths'], traces))
                self.assertEqual(seen, [SITUATIONS[name][0]], findings)
                self.assertEqual([f['line'] for f in findings], marked)
