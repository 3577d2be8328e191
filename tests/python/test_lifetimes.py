"""What is freed: traces whose keys died, re-created functions, code that is gone; and what messages say then."""
import collections
import gc
import os
import sqlite3
import subprocess
import sys
import textwrap
import threading
import unittest
import weakref

import footlight as tf
import footlight_program
from folder_case import FolderCase

SANITIZED = any(word in os.environ.get('LD_PRELOAD', '') for word in ('asan', 'tsan'))  # their heaps never shrink


class Thing:
    pass


def counted():
    """A traced function and the list of its traces."""
    traces = []

    @tf.function
    def f(key, x):
        traces.append(1)
        return x + 1.
    return f, traces


def size(f):
    return len(f._list_all_concrete_functions())


class Evicted(unittest.TestCase):
    def test_with_an_object_go_its_traces(self):
        f, traces = counted()
        kept, gone = Thing(), Thing()
        x = tf.constant(1.)
        f(kept, x), f(gone, x), f((gone, 2), x)
        self.assertEqual(size(f), 3)
        del gone
        self.assertEqual(size(f), 1)
        f(kept, x)
        self.assertEqual(len(traces), 3)
        self.assertEqual(f.experimental_get_tracing_count(), 3)

    def test_an_instance_with_traced_methods_is_freed_with_its_last_reference(self):
        class Model:
            def __init__(self):
                self.v = tf.Variable(2.)

            @tf.function
            def step(self, x):
                return x * self.v

            @tf.function
            def __call__(self, x):
                return self.step(x) + 1.
        x = tf.constant(3.)
        gc.disable()
        try:
            model = Model()
            self.assertEqual([float(model(x)) for _ in range(3)], [7.] * 3)
            self.assertEqual(model.step.experimental_get_tracing_count(), 1)
            self.assertIs(model.step, model.step)
            model.step.note = 'kept'
            self.assertEqual((model.step.note, model.step.__name__), ('kept', 'step'))
            self.assertEqual(model.step.__wrapped__, model.step.python_function)
            takes, traces = counted()
            for _ in range(3):
                takes(model.step, x)
            self.assertEqual(len(traces), 1)  # the function stays the same argument, though nobody held it
            there, step = weakref.ref(model), model.step
            del model
            self.assertEqual(float(step(x)), 6.)  # a method that is held holds its instance
            self.assertIs(step, there().step)
            del step
            self.assertIsNone(there())
            self.assertEqual(size(takes), 0)
            model = Model()
            model.own = model.step
            model.step.owner = model
            there = weakref.ref(model)
            self.assertEqual(float(model.own(x)), 6.)
            del model
            self.assertIsNotNone(there())  # a cycle of the program's own
            gc.collect()
            self.assertIsNone(there())
        finally:
            gc.enable()

    def test_objects_that_are_equal_share_a_trace_while_the_first_lives(self):
        class Equal:
            def __eq__(self, other):
                return isinstance(other, Equal)

            def __hash__(self):
                return 1
        f, traces = counted()
        a, b, x = Equal(), Equal(), tf.constant(1.)
        f(a, x), f(b, x)
        self.assertEqual(len(traces), 1)
        del a
        self.assertEqual(size(f), 0)
        f(b, x)
        self.assertEqual(len(traces), 2)

    def test_objects_without_a_hash(self):
        class Unhashable:
            __hash__ = None

            def __eq__(self, other):
                return False
        f, traces = counted()
        a, x = Unhashable(), tf.constant(1.)
        f(a, x), f(a, x)
        self.assertEqual(len(traces), 1)
        del a
        self.assertEqual(size(f), 0)

    def test_no_trace_keeps_an_object_of_a_structure(self):
        f, _ = counted()
        Pair = collections.namedtuple('Pair', 'a b')
        things = [Thing() for _ in range(4)]
        x = tf.constant(1.)
        f([things[0], 1], x), f({'a': things[1]}, x), f(Pair(1, things[2]), x), f(((things[3],),), x)
        references = [weakref.ref(thing) for thing in things]
        self.assertEqual(size(f), 4)
        del things
        self.assertEqual([r() for r in references], [None] * 4)
        self.assertEqual(size(f), 0)

    def test_a_concrete_function_outlives_its_key(self):
        f, _ = counted()
        thing = Thing()
        concrete = f.get_concrete_function(thing, tf.TensorSpec([], tf.float32))
        del thing
        self.assertEqual(size(f), 0)
        self.assertEqual(float(concrete(x=tf.constant(2.))), 3.)

    def test_a_trace_type_of_the_users_says_what_it_covers(self):
        class Range(tf.types.experimental.TraceType):
            def __init__(self, low, high):
                self.low, self.high = low, high

            def is_subtype_of(self, other):
                return other.low <= self.low and self.high <= other.high

            def most_specific_common_supertype(self, others):
                return None

            def placeholder_value(self, context):
                return None

            def __eq__(self, other):
                return isinstance(other, Range) and (self.low, self.high) == (other.low, other.high)

            def __hash__(self):
                return hash((self.low, self.high))

        class Value:
            def __init__(self, low, high):
                self.type = Range(low, high)

            def __tf_tracing_type__(self, context):
                return self.type
        f, traces = counted()
        x = tf.constant(1.)
        f(Value(0, 10), x), f(Value(2, 5), x), f(Value(2, 5), x)
        self.assertEqual(len(traces), 1)
        f(Value(2, 11), x)
        self.assertEqual(len(traces), 2)

        class Failing(Range):
            def is_subtype_of(self, other):
                raise KeyError('no')
        failing = Value(0, 0)
        failing.type = Failing(0, 1)
        with self.assertRaises(KeyError):
            f(failing, x)
        f(Value(3, 4), x)
        self.assertEqual(len(traces), 2)

    def test_a_function_in_a_cycle_is_collected(self):
        for options in ({}, {'autograph': False}):
            def make():
                holder = Thing()
                holder.f = tf.function(lambda x: x if holder else x, **options)
                holder.f(tf.constant(1.))
                return weakref.ref(holder)
            with self.subTest(options):
                reference = make()
                gc.collect()
                self.assertIsNone(reference())


# A line of a loop, and how often it runs.
GROWING = {
    'objects that die': ('f(Thing(), x)', 12000),
    'objects that die in a cycle of garbage': ('a = Thing(); a.self = a; f(a, x)', 3000),
    'functions made anew': ('tf.function(lambda y: y * 2.)(x)', 12000),
    'functions made anew, not converted': ('tf.function(lambda y: y * 2., autograph=False)(x)', 3000),
    'methods of instances that die': ('Layer()(x)', 3000),
    'code compiled anew': ('f(eval("lambda y: y + %d" % i, {}), x)', 5000),
    'functions of code compiled anew': ('tf.function(eval("lambda y: y + %d" % i, {}))(x)', 5000),
    'functions of new files': (
        'space = {}; exec(compile("def h(y): return y + 1", "<%d>" % i, "exec"), space); tf.function(space["h"])(x)', 5000),
    'lists that others replace': (
        'h = tf.raw_ops.EmptyTensorList(element_shape=-1, max_num_elements=-1, element_dtype=tf.float32); '
        'tf.raw_ops.SparseToDense(sparse_indices=[0], output_shape=[1], sparse_values=h, default_value='
        'tf.raw_ops.TensorListPushBack(input_handle=h, tensor=tf.zeros([1000])))', 1000),
}


class Growth(unittest.TestCase):
    def grown(self, line, rounds):
        script = textwrap.dedent('''
            import gc, logging, os
            import footlight as tf
            logging.disable(logging.CRITICAL)
            class Thing: pass
            class Layer:
                @tf.function
                def __call__(self, x):
                    return x + 1.
            f = tf.function(lambda thing, x: x + 1.)
            x = tf.constant(1.)
            def resident():
                gc.collect()
                with open('/proc/self/statm') as file:
                    return int(file.read().split()[1]) * os.sysconf('SC_PAGE_SIZE')
            def work(rounds):
                for i in range(rounds):
                    %s
            work(%d)
            before = resident()
            work(%d)
            print(resident() - before)
            ''') % (line, rounds, rounds)
        done = subprocess.run([sys.executable, '-c', script], capture_output=True, text=True, timeout=600)
        self.assertEqual(done.returncode, 0, done.stderr)
        return int(done.stdout)

    @unittest.skipIf(SANITIZED, 'a sanitizer keeps what is freed')
    def test_thousands_of_each_leave_no_trace(self):
        for what, (line, rounds) in GROWING.items():
            with self.subTest(what):
                self.assertLess(self.grown(line, rounds), 1 << 20)

    @unittest.skipIf(SANITIZED, 'a sanitizer needs memory of its own')
    def test_bytes_of_a_node_that_is_differentiated(self):
        script = textwrap.dedent('''
            import footlight as tf
            def most(nodes):
                def product(x):
                    y = x
                    for _ in range(nodes):
                        y = y * x
                    return y
                x, f = tf.eye(2), tf.function(product, autograph=False)
                with tf.GradientTape() as tape:
                    tape.watch(x)
                    y = f(x)
                tape.gradient(y, x)
                with open('/proc/self/status') as file:
                    return [int(line.split()[1]) for line in file if line.startswith('VmHWM')][0] * 1024, f
            small, kept = most(2000)
            large, kept = most(25000)
            print((large - small) // 23000)
            ''')
        done = subprocess.run([sys.executable, '-c', script], capture_output=True, text=True, timeout=600)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertLess(int(done.stdout), 4000)  # 100,000 of them are to stay below 400 MB


class Said(FolderCase):
    def record(self, text, *options):
        done = footlight_program.record(self.session, self.write('script.py', text), options=options)
        return done, sqlite3.connect(f'file:{self.session}?mode=ro', uri=True)

    def notes(self, db):
        return [text for text, in db.execute('SELECT text FROM console WHERE stream = 3 ORDER BY time_ns, rowid')]

    def test_evictions_are_notes_of_the_session(self):
        done, db = self.record('''
            import footlight as tf
            class Model: pass
            @tf.function
            def predict(model, x):
                return x + 1.
            for _ in range(40):
                predict(Model(), tf.constant(1.))
            ''', '--level', 'structure')
        notes = self.notes(db)
        self.assertRegex(notes[0], r"trace #1 of function 'predict' was evicted: <Model object \d+> in its key was deleted")
        self.assertRegex(notes[-1], r"function 'predict' \(.*script.py:4\): (39|40) traces were evicted in all")
        self.assertLess(len(notes), 25)
        db.close()

    def test_eager_calls_are_recorded(self):
        done, db = self.record('''
            import footlight as tf
            @tf.function
            def step(x):
                return x + 1.
            tf.config.run_functions_eagerly(True)
            for _ in range(3):
                step(tf.constant(1.))
            try:
                step()
            except TypeError:
                pass
            ''', '--level', 'structure')
        self.assertEqual(db.execute('SELECT name, line FROM function').fetchall(), [('step', 4)])
        self.assertEqual(db.execute('SELECT COUNT(*) FROM trace').fetchone(), (0,))
        calls = db.execute('SELECT outcome, SUM(count) FROM call_summary GROUP BY outcome ORDER BY outcome').fetchall()
        self.assertEqual(calls, [(2, 3), (3, 1)])  # three ran eagerly, one failed
        db.close()

    def test_a_recorder_that_another_thread_stops(self):
        x = tf.constant(3.)
        for make in (lambda: tf.GradientTape(persistent=True), lambda: tf.autodiff.ForwardAccumulator(x, tf.constant(1.))):
            recorder = make()
            started, stopped = threading.Event(), threading.Event()
            results = []

            def work():
                recorder.__enter__()
                if hasattr(recorder, 'watch'):
                    recorder.watch(x)
                results.append(x * x)
                started.set()
                stopped.wait(60)
                for _ in range(100):
                    results.append(x * x)
            thread = threading.Thread(target=work)
            thread.start()
            self.assertTrue(started.wait(60))
            results.append(x * x)  # nothing records here
            recorder.__exit__(None, None, None)
            with recorder:  # from now on this thread records
                results.append(x * x)
            derivative = recorder.jvp if hasattr(recorder, 'jvp') else lambda y: recorder.gradient(y, x)
            self.assertEqual([None if d is None else float(d) for d in map(derivative, results)], [6., None, 6.])
            del recorder, derivative
            gc.collect()
            junk = [make() for _ in range(100)]
            stopped.set()
            thread.join(60)
            self.assertEqual(float(sum(results)), 9. * 103)
            del junk

    def test_retracing_is_warned_of_once_for_a_line_and_counted_at_the_end(self):
        script = textwrap.dedent('''
            import footlight as tf
            def make():
                return tf.function(lambda x: x + 1.)
            for _ in range(300):
                make()(tf.constant(1.))
            ''')
        done = subprocess.run([sys.executable, '-c', script], capture_output=True, text=True, timeout=120)
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), 2, done.stderr)
        self.assertIn('is retracing often: 5 of the last 5 calls traced it', lines[0])
        self.assertRegex(lines[1], r'\(<string>:4\) was traced 295 more times after the warning')
