"""tf.function from Python, beyond the recorded scripts: threads, instances, recursion, lifetimes."""
import copy
import gc
import pickle
import threading
import unittest
import weakref

import footlight as tf
from threads import run_threads


class Counted:
    """A function that counts how often its body runs."""

    def __init__(self):
        self.traces = 0

    def wrap(self, body, **options):
        def counting(*args, **keywords):
            self.traces += 1
            return body(*args, **keywords)
        return tf.function(counting, **options)


class Layer:
    made = 0

    def __init__(self, factor):
        self.factor = factor

    @tf.function
    def __call__(self, x):
        Layer.made += 1
        return x * self.factor


class Instances(unittest.TestCase):
    def test_each_instance_has_its_own_traces(self):
        a, b = Layer(2.), Layer(3.)
        before = Layer.made
        self.assertEqual([float(a(tf.constant(2.))), float(b(tf.constant(2.))), float(a(tf.constant(5.)))], [4., 6., 10.])
        self.assertEqual(Layer.made - before, 2)

    def test_an_instance_goes_when_it_is_not_used_any_more(self):
        layer = Layer(2.)
        layer(tf.constant(1.))
        reference = weakref.ref(layer)
        del layer
        gc.collect()
        self.assertIsNone(reference())

    def test_copies_and_pickles_trace_for_themselves(self):
        layer = Layer(2.)
        layer(tf.constant(1.))
        for other in (copy.copy(layer), copy.deepcopy(layer), pickle.loads(pickle.dumps(layer))):
            other.factor = 10.
            self.assertEqual(float(other(tf.constant(1.))), 10.)
            self.assertEqual(float(layer(tf.constant(1.))), 2.)


class Keys(unittest.TestCase):
    def test_a_number_given_to_one_object_never_means_another(self):
        class Thing:
            def __init__(self, k):
                self.k = k
        counted = Counted()
        f = counted.wrap(lambda thing, x: x * thing.k)
        for k in range(30):  # the addresses of dead objects are reused
            self.assertEqual(int(f(Thing(k), tf.constant(1))), k)
        self.assertEqual(counted.traces, 30)

    def test_long_integers_and_texts(self):
        counted = Counted()
        f = counted.wrap(lambda k: tf.constant(len(str(k))))
        for k in (2**70, 2**70 + 1, 2**70, 'ä' * 50, 'ä' * 49 + 'b', b'ab', 'ab', -2**70):
            self.assertEqual(int(f(k)), len(str(k)))
        self.assertEqual(counted.traces, 7)

    def test_dicts_with_keys_of_several_types(self):
        counted = Counted()
        f = counted.wrap(lambda d: d[1] + d['a'])
        self.assertEqual(int(f({1: tf.constant(1), 'a': tf.constant(2)})), 3)
        self.assertEqual(int(f({1: tf.constant(5), 'a': tf.constant(2)})), 7)
        self.assertEqual(counted.traces, 1)

    def test_a_list_that_contains_itself_is_refused(self):
        endless = []
        endless.append(endless)
        with self.assertRaises(TypeError):
            tf.function(lambda x: 1)(endless)

    def test_what_makes_a_key_may_raise(self):
        class Odd:
            def __tf_tracing_type__(self, context):
                raise KeyError('none')
        with self.assertRaises(KeyError):
            tf.function(lambda x: 1)(Odd())


class Calls(unittest.TestCase):
    def test_errors_while_binding_name_the_argument(self):
        f = tf.function(lambda x, *, scale=1: x * scale)
        for call, word in ((lambda: f(), "'x'"), (lambda: f(1, 2), 'positional'), (lambda: f(1, what=2), "'what'"), (lambda: f(1, x=2), "'x'")):
            with self.assertRaises(TypeError) as caught:
                call()
            self.assertIn(word, str(caught.exception))

    def test_many_results_and_arguments(self):
        f = tf.function(lambda *xs: [x + 1 for x in xs])
        self.assertEqual([int(y) for y in f(*[tf.constant(i) for i in range(40)])], list(range(1, 41)))

    def test_many_parameters(self):
        names = [f'x{i}' for i in range(40)]
        f = tf.function(eval(f"lambda {', '.join(names)}: {' + '.join(names)}"))
        self.assertEqual(int(f(*range(40))), 780)
        self.assertEqual(int(f(**{name: tf.constant(2) for name in names})), 80)
        whole = f.get_concrete_function(*[tf.TensorSpec([], tf.int32)] * 40)
        self.assertEqual(int(whole(*[tf.constant(3)] * 40)), 120)

    def test_a_failing_node_names_the_line(self):
        @tf.function(input_signature=[tf.TensorSpec([None]), tf.TensorSpec([None])])
        def add(a, b):
            return a + b  # here
        with self.assertRaises(tf.errors.InvalidArgumentError) as caught:
            add(tf.ones([2]), tf.ones([3]))
        self.assertIn('test_functions.py', str(caught.exception))
        self.assertIn('{{node add}}', str(caught.exception))
        self.assertEqual([float(v) for v in add(tf.ones([2]), tf.ones([2]))], [2., 2.])

    def test_endless_recursion_is_a_python_error(self):
        @tf.function
        def f(n):
            return f(n + 1)
        with self.assertRaises(RecursionError):
            f(0)
        g = tf.function(lambda x: x + 1)
        self.assertEqual(int(g(tf.constant(1))), 2)

    def test_a_function_can_be_called_while_it_is_traced(self):
        @tf.function
        def factorial(n):
            return 1 if n == 0 else n * factorial(n - 1)
        self.assertEqual(int(factorial(6)), 720)
        self.assertEqual(factorial.experimental_get_tracing_count(), 7)


class Threads(unittest.TestCase):
    def test_one_trace_for_many_threads(self):
        counted = Counted()
        f = counted.wrap(lambda x: x * 2. + 1.)
        results, errors = [], []
        go = threading.Barrier(8)

        def run(i):
            try:
                go.wait()
                for k in range(200):
                    results.append(float(f(tf.constant(float(i)))) == 2. * i + 1.)
            except BaseException as e:  # shown below
                errors.append(e)
        run_threads(run, range(8))
        self.assertEqual(errors, [])
        self.assertEqual((len(results), all(results)), (1600, True))
        self.assertEqual(counted.traces, 1)

    def test_a_trace_in_one_thread_is_not_seen_by_another(self):
        inside, outside = threading.Event(), threading.Event()
        seen = []

        @tf.function(autograph=False)
        def f(x):
            inside.set()
            outside.wait(10)
            return x + 1

        def other():
            inside.wait(10)
            seen.append(type(tf.constant(1) + 1).__name__ and int(tf.constant(1) + 1))
            outside.set()
        thread = threading.Thread(target=other)
        thread.start()
        self.assertEqual(int(f(tf.constant(1))), 2)
        thread.join()
        self.assertEqual(seen, [2])


class Gradients(unittest.TestCase):
    def test_through_calls_and_branches(self):
        w = tf.Variable(3.)

        @tf.function
        def f(x):
            if x > 0.:
                return x * w * w
            return -x
        for at, expected in ((2., [9., 12.]), (-2., [-1., 0.])):
            x = tf.constant(at)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = f(x)
            dx, dw = tape.gradient(y, [x, w])
            self.assertEqual([float(dx), float(dw)], expected)

    def test_training_in_a_function(self):
        w = tf.Variable(0.)

        @tf.function
        def step(x, y):
            with tf.GradientTape() as tape:
                loss = (x * w - y) ** 2
            w.assign_sub(0.1 * tape.gradient(loss, w))
            return loss
        losses = [float(step(tf.constant(1.), tf.constant(2.))) for _ in range(30)]
        self.assertLess(losses[-1], 1e-3)
        self.assertAlmostEqual(float(w), 2., places=2)


class Graphs(unittest.TestCase):
    def test_messages_read_like_protobuf(self):
        f = tf.function(lambda x: x + 1.)
        graph = f.get_concrete_function(tf.TensorSpec([None, 3], tf.float32)).graph
        definition = graph.as_graph_def()
        x = definition.node[0]
        self.assertEqual((x.name, x.op, list(x.input), x.attr['dtype'].type), ('x', 'Placeholder', [], 1))
        self.assertEqual([d.size for d in x.attr['shape'].shape.dim], [-1, 3])
        self.assertTrue(x.attr['shape'].HasField('shape'))
        self.assertEqual(definition.library.function, [])
        self.assertEqual(str(definition), str(graph.as_graph_def()))
        with self.assertRaises(AttributeError):
            definition.nothing
        self.assertEqual(graph.get_operation_by_name('add').type, 'AddV2')
        with self.assertRaises(KeyError):
            graph.get_operation_by_name('nobody')

    def test_the_program_in_words(self):
        f = tf.function(lambda x: tf.tanh(x * 2.) + 1., jit_compile=True)
        x = tf.ones([8, 8])
        words = f.experimental_get_compiler_ir(x)(stage='hlo')
        self.assertIn('fused loop of 3 nodes: 3 values in, 1 value out', words)
        self.assertIn('no machine code: ', words)
        self.assertIn('Tanh', words)
        self.assertEqual(f.experimental_get_tracing_count(), 1)
        with self.assertRaisesRegex(ValueError, 'Invalid stage dot'):
            f.experimental_get_compiler_ir(x)('dot')
        with self.assertRaisesRegex(ValueError, "marked with 'jit_compile=True'"):
            tf.function(lambda x: x).experimental_get_compiler_ir(x)

    def test_an_element_at_a_place_known_when_it_runs(self):
        # Its shape is known before, its place is checked when it runs.
        f = tf.function(lambda x, i: (x[i], x[i:i + 1], x[i, 1], x[tf.newaxis, i], x[..., i]), jit_compile=True)
        x = tf.reshape(tf.range(12), [3, 2, 2])
        taken = [line for line in f.experimental_get_compiler_ir(x, 1)().split('\n') if 'StridedSlice(' in line]
        self.assertEqual(len(taken), 5)
        i = tf.constant(1)
        taken = [line for line in f.experimental_get_compiler_ir(x, i)().split('\n') if ' = StridedSlice(' in line]
        waits = ['inferred when it runs' in line for line in taken]
        self.assertEqual(waits, [False, True, False, False, False])
        for at in (0, 1, -1, -2):
            for got, want in zip(f(x, tf.constant(at)), f.python_function(x.numpy(), at)):
                self.assertEqual(got.numpy().tolist(), want.tolist())
        row = tf.function(lambda x, i: x[i])
        self.assertEqual(row(x, tf.constant(-3)).numpy().tolist(), x.numpy()[0].tolist())
        for at in (3, -4):
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, f'slice index {at} of dimension 0 out of bounds'):
                row(x, tf.constant(at))


class Loops(unittest.TestCase):
    def test_many_threads_run_one_program(self):
        # Each takes the memory that the program kept, or makes its own.
        @tf.function
        def f(x):
            i = tf.constant(0)
            while i < 50:
                x = tf.tanh(x @ w) + 0.5 * x
                i += 1
            return x
        w = tf.constant([[0.5, -0.25], [0.125, 1.]])
        inputs = [tf.fill([3, 2], 0.1 * k) for k in range(6)]
        wanted = [f(x).numpy().tolist() for x in inputs]
        failed = []

        def run(k):
            for _ in range(200):
                if f(inputs[k]).numpy().tolist() != wanted[k]:
                    failed.append(k)
        run_threads(run, range(6))
        self.assertEqual(failed, [])
