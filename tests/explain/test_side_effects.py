"""Programs that change Python state only while they are traced, each with its one finding."""
import unittest

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


class SideEffects(recorded_state.Case):
    test_side_effects = recorded_state.one_finding_each('python_side_effect', EFFECTS)


if __name__ == '__main__':
    unittest.main()
