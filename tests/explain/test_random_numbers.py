"""Programs whose random numbers and clocks became constants of a graph, each with its one finding."""
import tempfile

import recorded
import recorded_state

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
    'in the function of a dataset': ('numpy.random', 'augment', '''
        import numpy as np
        def augment(x):
            return x + np.random.uniform(-1., 1.)  # here
        for x in tf.data.Dataset.from_tensor_slices(np.zeros(6, np.float32)).map(augment):
            print(x)
    '''),
}


class RandomNumbers(recorded_state.Case):
    test_random_numbers = recorded_state.one_finding_each('baked_random', RANDOM)

    def test_edits_fit_the_dtype_and_run(self):
        """The line in the body of a function of x, its dtype, and what the edit makes of it; None: there is no edit."""
        for number, (line, dtype, wanted) in enumerate((
                ('return x + time.time()', 'float32', 'return x + tf.cast(tf.timestamp(), tf.float32)'),
                ('return x + time.time()', 'float64', 'return x + tf.timestamp()'),
                ('return x * random.random()', 'float32', 'return x * tf.random.uniform([])'),
                ('return x * random.random()', 'float64', 'return x * tf.random.uniform([], dtype=tf.float64)'),
                ('x += 2.0 * random.random()', 'float16', 'x += 2.0 * tf.random.uniform([], dtype=tf.float16)'),
                ('x = x[: int(random.random() * 2) + 1]', 'float32', None),
                ('tf.debugging.assert_equal(x, x, message=f"{random.random():.2f}")', 'float32', None))):
            with self.subTest(line=line, dtype=dtype), tempfile.TemporaryDirectory() as folder:
                lines = ['import tensorflow as tf', 'import random, time', '@tf.function', 'def f(x):', '    ' + line,
                         '    return x', 'for k in range(4):', f'    f(tf.ones([2], tf.{dtype}))']
                found = recorded.report(recorded.record_text(folder, '\n'.join(lines)))['findings'][0]
                self.assertEqual((found['cause'], found['line']), ('baked_random', 5))
                edits = [fix['edit'] for fix in [found['fix'], *found['alternatives']] if fix['edit']]
                self.assertEqual([edit['new'] for edit in edits], [wanted] if wanted else [], number)
                if wanted:
                    lines[4] = '    ' + wanted
                    recorded.record_text(folder, '\n'.join(lines))  # which fails if the script does

    def test_a_body_that_measures_time(self):
        found, _ = recorded_state.findings('''
            import time
            @tf.function
            def step(x):
                began = time.time()
                y = x * 2.0
                tf.print('took', time.time() - began)
                return y
            for i in range(4):
                step(tf.ones([2]))
        ''')
        self.assertEqual([f['cause'] for f in found], ['baked_random'] * 2)
        for f in found:
            self.assertIn('tf.timestamp() at lines 6 and 8', f['fix']['text'])
            self.assertEqual([fix['edit'] for fix in [f['fix'], *f['alternatives']]], [None])
