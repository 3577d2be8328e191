"""Programs that read, change and keep Python state, and are right as they are."""
import recorded_state

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


class CleanState(recorded_state.Case):
    def test_clean_programs(self):
        for name, (found, _) in recorded_state.all_findings(CLEAN).items():
            with self.subTest(name):
                self.assertEqual(found, [])
