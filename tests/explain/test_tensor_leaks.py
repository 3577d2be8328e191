"""Programs that kept a tensor of a trace, each with its one finding."""
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


class TensorLeaks(recorded_state.Case):
    test_leaks = recorded_state.one_finding_each('tensor_leak', LEAKS)
