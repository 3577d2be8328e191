"""State that stands in branches which the body did not take while it was traced: nothing froze there."""
import recorded_state

# Programs with the lines of state that was read while tracing, marked.
PROGRAMS = {
    'an argument that is None': '''
        class Layer:
            alpha = 0.5
            def call(self, x, cond=None):
                if cond is not None:
                    x = x * self.alpha + cond
                return x + 1.0
        layer = Layer()
        @tf.function
        def f(x):
            return layer.call(x)
        for e in range(6):
            layer.alpha = 0.5 + 0.1 * e
            f(tf.ones([3]))
    ''',
    'a flag': '''
        class Dropout:
            rate, on = 0.5, False
            def call(self, x, training):
                if training: x = x * (1 - self.rate)
                elif self.on:
                    x = x + self.rate
                return x
        layer = Dropout()
        @tf.function
        def f(x):
            return layer.call(x, False)
        for e in range(6):
            layer.rate = 0.5 + 0.05 * e
            f(tf.ones([3]))
    ''',
    'behind a return': '''
        GAIN = 1.0
        @tf.function
        def f(x):
            if x.shape[0] > 2:
                return x + 1.0
            return x * GAIN
        for e in range(6):
            GAIN += 1.0
            f(tf.ones([3]))
    ''',
    'a branch that is taken': '''
        class Layer:
            alpha = 0.5
            def call(self, x, cond=None):
                if cond is None:
                    return x * self.alpha  # here
                return x + cond
        layer = Layer()
        @tf.function
        def f(x):
            return layer.call(x)
        for e in range(6):
            layer.alpha = 0.5 + 0.1 * e
            f(tf.ones([3]))
    ''',
    'a branch that is taken at the second call alone': '''
        class Layer:
            alpha = 0.5
            def call(self, x, cond=None):
                if cond is not None:
                    x = x * self.alpha + cond  # here
                return x + 1.0
        layer = Layer()
        @tf.function
        def f(x):
            return layer.call(layer.call(x), 1.0)
        for e in range(6):
            layer.alpha = 0.5 + 0.1 * e
            f(tf.ones([3]))
    ''',
    'both branches of a tensor': '''
        class Layer:
            alpha = 0.5
            def call(self, x):
                if tf.reduce_sum(x) > 100.0:
                    x = x * self.alpha  # here
                return x + 1.0
        layer = Layer()
        @tf.function
        def f(x):
            return layer.call(x)
        for e in range(6):
            layer.alpha = 0.5 + 0.1 * e
            f(tf.ones([3]))
    ''',
}


class BranchesNotTaken(recorded_state.Case):
    def test_each_program(self):
        for name, (found, marked) in recorded_state.all_findings(PROGRAMS).items():
            with self.subTest(name):
                self.assertEqual([(f['cause'], f['line']) for f in found], [('stale_capture', line) for line in marked])
