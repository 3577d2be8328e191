"""tf.data: what each stage gives, structures of elements, cardinalities, errors; numbers of shuffles are TensorFlow's."""
import collections
import gc
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import unittest

import footlight as tf
from threads import run_threads

Dataset = tf.data.Dataset


def values(dataset):
    return [x.tolist() for x in dataset.as_numpy_iterator()]


class Stages(unittest.TestCase):
    def test_range(self):
        self.assertEqual(values(Dataset.range(2, 11, 3)), [2, 5, 8])
        self.assertEqual(values(Dataset.range(5, 0, -2)), [5, 3, 1])
        self.assertEqual(values(Dataset.range(3, 3)), [])
        self.assertEqual(Dataset.range(3, output_type=tf.float32).element_spec, tf.TensorSpec([], tf.float32))
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'non-zero'):
            Dataset.range(1, 2, 0)

    def test_from_tensors_and_slices(self):
        pair = collections.namedtuple('pair', 'a b')
        made = Dataset.from_tensors(pair(tf.constant([1, 2]), {'x': 'y'}))
        found, = list(made)
        self.assertIsInstance(found, pair)
        self.assertEqual(found.b['x'].numpy(), b'y')
        rows = Dataset.from_tensor_slices(({'b': [1, 2], 'a': [[1.], [2.]]}, ['x', 'y']))
        self.assertEqual([sorted(r[0]) for r in rows], [['a', 'b']] * 2)
        self.assertEqual([r[1].numpy() for r in rows], [b'x', b'y'])
        self.assertEqual(rows.element_spec[0]['a'], tf.TensorSpec([1], tf.float32))
        with self.assertRaisesRegex(ValueError, 'not compatible'):
            Dataset.from_tensor_slices(([1, 2], [1, 2, 3]))
        with self.assertRaisesRegex(ValueError, 'rank >= 1'):
            Dataset.from_tensor_slices(1)

    def test_map_filter_flat_map(self):
        self.assertEqual(values(Dataset.range(6).map(lambda x: x * x).filter(lambda x: x % 2 == 0)), [0, 4, 16])
        self.assertEqual(values(Dataset.range(4).flat_map(lambda x: Dataset.range(x).map(lambda y: y + x))),
                         [1, 2, 3, 3, 4, 5])
        pairs = Dataset.range(3).map(lambda x: {'x': x, 'y': (x + 1, [x, x])})
        self.assertEqual(pairs.element_spec['y'][1], tf.TensorSpec([2], tf.int64))
        self.assertEqual([int(p['y'][1][0]) for p in pairs], [0, 1, 2])
        unpacked = Dataset.zip((Dataset.range(3), Dataset.range(3))).map(lambda a, b: a * 10 + b)
        self.assertEqual(values(unpacked), [0, 11, 22])
        with self.assertRaisesRegex(TypeError, 'must return a `Dataset`'):
            Dataset.range(3).flat_map(lambda x: x)
        with self.assertRaisesRegex(ValueError, 'tf.bool'):
            Dataset.range(3).filter(lambda x: x)

    def test_element_functions_are_converted_and_capture(self):
        factor = tf.Variable(3, dtype=tf.int64)

        def f(x):
            if x > 1:
                return x * factor
            return -x
        dataset = Dataset.range(4).map(f)
        self.assertEqual(values(dataset), [0, -1, 6, 9])
        factor.assign(10)
        self.assertEqual(values(dataset), [0, -1, 20, 30])

    def test_interleave_runs_as_many_generators_at_once_as_it_is_told(self):
        lock, running = threading.Lock(), []

        def elements(shard):
            for k in range(6):
                with lock:
                    now.append(shard)
                    running.append(len(now))
                time.sleep(0.002)
                with lock:
                    now.remove(shard)
                yield 10 * shard + k

        def shard_of(shard):
            return Dataset.from_generator(elements, args=[shard], output_signature=tf.TensorSpec([], tf.int64))
        now = []
        wanted = values(Dataset.range(4).interleave(shard_of, cycle_length=4))
        for calls in (1, 2):
            running.clear()
            dataset = Dataset.range(4).interleave(shard_of, cycle_length=4, num_parallel_calls=calls)
            self.assertEqual(values(dataset), wanted)
            self.assertLessEqual(max(running), calls)
        for calls, message in ((0, 'must be greater than zero'), (5, 'less than or equal to `cycle_length`')):
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, message):
                Dataset.range(4).interleave(shard_of, cycle_length=4, num_parallel_calls=calls)

    def test_parallel_map_keeps_the_order(self):
        def slow(x):
            return tf.numpy_function(lambda n: (time.sleep(0.002 * (n % 3)), n * 2)[1], [x], tf.int64)
        self.assertEqual(values(Dataset.range(30).map(slow, num_parallel_calls=4)), list(range(0, 60, 2)))
        free = Dataset.range(3000).map(lambda x: x + 1, num_parallel_calls=4, deterministic=False)
        self.assertEqual(sorted(values(free)), list(range(1, 3001)))
        self.assertEqual(values(Dataset.range(5000).map(lambda x: x + 1, num_parallel_calls=tf.data.AUTOTUNE)),
                         list(range(1, 5001)))

    def test_batch(self):
        self.assertEqual(values(Dataset.range(7).batch(3)), [[0, 1, 2], [3, 4, 5], [6]])
        self.assertEqual(values(Dataset.range(7).batch(3, drop_remainder=True)), [[0, 1, 2], [3, 4, 5]])
        self.assertEqual(Dataset.range(7).batch(3, drop_remainder=True).element_spec.shape, [3])
        words = Dataset.from_tensor_slices(['a', 'b', 'c']).batch(2, num_parallel_calls=2)
        self.assertEqual(values(words), [[b'a', b'b'], [b'c']])
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'different shapes'):
            list(Dataset.range(1, 3).map(lambda x: tf.zeros(tf.reshape(x, [1]))).batch(2))
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'greater than zero'):
            Dataset.range(3).batch(0)

    def test_repeat_take_skip_concatenate_zip_enumerate(self):
        self.assertEqual(values(Dataset.range(2).repeat(2)), [0, 1, 0, 1])
        self.assertEqual(values(Dataset.range(2).repeat().take(5)), [0, 1, 0, 1, 0])
        self.assertEqual(values(Dataset.range(0).repeat()), [])
        self.assertEqual(values(Dataset.range(5).skip(3)), [3, 4])
        self.assertEqual(values(Dataset.range(5).skip(9)), [])
        self.assertEqual(values(Dataset.range(5).skip(-1)), [])
        self.assertEqual(values(Dataset.range(2).concatenate(Dataset.range(7, 9))), [0, 1, 7, 8])
        self.assertEqual([(int(a), int(b)) for a, b in Dataset.zip(Dataset.range(3), Dataset.range(5, 7))],
                         [(0, 5), (1, 6)])
        self.assertEqual([(int(i), int(x)) for i, x in Dataset.range(5, 7).enumerate(3)], [(3, 5), (4, 6)])
        with self.assertRaisesRegex(TypeError, 'Incompatible'):
            Dataset.range(2).concatenate(Dataset.from_tensors('a'))

    def test_shuffles_are_those_of_tensorflow(self):
        tf.random.set_seed(3)
        self.assertEqual(values(Dataset.range(10).shuffle(5, seed=1)), [2, 4, 6, 0, 1, 3, 7, 9, 8, 5])
        again = Dataset.range(10).shuffle(4)
        self.assertEqual(values(again), [3, 0, 1, 4, 6, 7, 5, 2, 8, 9])
        self.assertEqual(values(again), [0, 3, 2, 5, 1, 7, 8, 9, 4, 6])
        same = Dataset.range(20).shuffle(20, seed=4, reshuffle_each_iteration=False)
        self.assertEqual(values(same), values(same))
        self.assertEqual(sorted(values(same)), list(range(20)))

    def test_cache_runs_the_function_once(self):
        ran = []
        dataset = Dataset.range(3).map(lambda x: tf.py_function(lambda n: ran.append(int(n)) or n, [x], tf.int64))
        cached = dataset.cache()
        next(iter(cached))
        ran.clear()
        self.assertEqual([int(x) for x in cached], [0, 1, 2])
        self.assertEqual([int(x) for x in cached.repeat(2)], [0, 1, 2] * 2)
        self.assertEqual(ran, [0, 1, 2])

    def test_prefetch(self):
        self.assertEqual(values(Dataset.range(100).prefetch(3).map(lambda x: x + 1).prefetch(tf.data.AUTOTUNE)),
                         list(range(1, 101)))

    def test_cardinality(self):
        for dataset, wanted in ((Dataset.range(7).batch(2), 4), (Dataset.range(7).repeat(), -1),
                                (Dataset.range(7).filter(lambda x: x > 1), -2), (Dataset.range(7).skip(2).take(9), 5),
                                (Dataset.range(7).repeat(3).map(lambda x: x, num_parallel_calls=2), 21),
                                (Dataset.range(7).shuffle(2).concatenate(Dataset.range(2)).prefetch(1).cache(), 9)):
            self.assertEqual(int(dataset.cardinality()), wanted)
        self.assertEqual(len(Dataset.range(5)), 5)
        with self.assertRaisesRegex(TypeError, 'infinite'):
            len(Dataset.range(2).repeat())
        with self.assertRaisesRegex(TypeError, 'unknown'):
            len(Dataset.range(2).filter(lambda x: True))

    def test_reduce(self):
        self.assertEqual(int(Dataset.range(5).reduce(tf.constant(0, tf.int64), lambda s, x: s + x)), 10)
        total, count = Dataset.range(4).reduce((tf.constant(0, tf.int64), 0), lambda s, x: (s[0] + x, s[1] + 1))
        self.assertEqual((int(total), int(count)), (6, 4))
        grown = Dataset.range(3).reduce(tf.zeros([0], tf.int64), lambda s, x: tf.concat([s, [x]], 0))
        self.assertEqual(grown.numpy().tolist(), [0, 1, 2])
        with self.assertRaisesRegex(TypeError, 'must match the initial state'):
            Dataset.range(3).reduce(0, lambda s, x: x)

    def test_options(self):
        for name in ('deterministic', 'threading', 'experimental_optimization', 'autotune'):
            self.assertIn(name, vars(tf.data.Options))
        options = tf.data.Options()
        options.deterministic = False
        options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.DATA
        options.threading.private_threadpool_size = 3
        dataset = Dataset.range(3).with_options(options).batch(2)
        self.assertIs(dataset.options().deterministic, False)
        self.assertEqual(dataset.options().threading.private_threadpool_size, 3)
        self.assertEqual(values(dataset), [[0, 1], [2]])
        with self.assertRaises(AttributeError):
            options.no_such = 1
        with self.assertRaises(TypeError):
            options.deterministic = 'yes'
        with self.assertRaises(ValueError):
            dataset.options().deterministic = True

    def test_printing(self):
        self.assertEqual(repr(Dataset.range(3).batch(2)),
                         '<_BatchDataset element_spec=TensorSpec(shape=(None,), dtype=tf.int64, name=None)>')


class Generators(unittest.TestCase):
    def test_elements(self):
        def rows(n):
            for i in range(n):
                yield i, {'row': [float(i)] * i}
        dataset = Dataset.from_generator(rows, args=[3], output_signature=(
            tf.TensorSpec([], tf.int32), {'row': tf.TensorSpec([None], tf.float32)}))
        self.assertEqual([(int(i), d['row'].numpy().tolist()) for i, d in dataset.prefetch(1)],
                         [(0, []), (1, [1.]), (2, [2., 2.])])
        old = Dataset.from_generator(lambda: iter([1, 2]), tf.int64, tf.TensorShape([]))
        self.assertEqual(values(old), [1, 2])
        self.assertEqual(values(old.repeat(2)), [1, 2, 1, 2])

    def test_errors(self):
        def fails():
            yield 1
            raise KeyError('no')
        iterator = iter(Dataset.from_generator(fails, output_signature=tf.TensorSpec([], tf.int32)))
        self.assertEqual(int(next(iterator)), 1)
        with self.assertRaisesRegex(tf.errors.UnknownError, 'KeyError'):
            next(iterator)
        wrong = Dataset.from_generator(lambda: iter(['a']), output_signature=tf.TensorSpec([], tf.int32))
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'could not be converted'):
            list(wrong)
        shape = Dataset.from_generator(lambda: iter([[1, 2]]), output_signature=tf.TensorSpec([3], tf.int32))
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'shape'):
            list(shape)


class Iterators(unittest.TestCase):
    def test_ends(self):
        iterator = iter(Dataset.range(1))
        self.assertEqual(int(iterator.get_next()), 0)
        self.assertFalse(bool(iterator.get_next_as_optional().has_value()))
        with self.assertRaisesRegex(tf.errors.OutOfRangeError, 'End of sequence'):
            iterator.get_next()
        with self.assertRaises(StopIteration):
            next(iterator)
        optional = iter(Dataset.range(3, 5)).get_next_as_optional()
        self.assertEqual(int(optional.get_value()), 3)

    def test_in_functions(self):
        traces = []

        @tf.function
        def step(iterator):
            traces.append(1)
            return next(iterator) + next(iterator)
        iterator = iter(Dataset.range(6))
        self.assertEqual([int(step(iterator)), int(step(iterator))], [1, 5])
        self.assertEqual(int(step(iter(Dataset.range(10, 12)))), 21)
        self.assertEqual(len(traces), 1)

        @tf.function
        def total(dataset):
            traces.append(2)
            return dataset.reduce(tf.constant(0, tf.int64), lambda s, x: s + x)
        self.assertEqual([int(total(Dataset.range(n))) for n in (3, 4)], [3, 6])
        self.assertEqual(traces.count(2), 1)

        @tf.function
        def made_inside(n):
            return next(iter(Dataset.range(n, 100).map(lambda x: x * 2)))
        self.assertEqual(int(made_inside(tf.constant(7, tf.int64))), 14)

    def test_errors_name_the_line_and_go_on(self):
        def check(x):
            tf.debugging.assert_less(x, tf.constant(1, tf.int64), message='too large')
            return x
        line = check.__code__.co_firstlineno + 1
        for calls in (None, 2):
            iterator = iter(Dataset.range(-1, 3).map(check, num_parallel_calls=calls))
            self.assertEqual([int(next(iterator)), int(next(iterator))], [-1, 0])
            for _ in range(2):
                with self.assertRaisesRegex(tf.errors.InvalidArgumentError, f'test_pipelines.py", line {line},'):
                    next(iterator)
            with self.assertRaises(StopIteration):
                next(iterator)


    def test_what_an_error_takes_with_it(self):
        """As TensorFlow: a batch right above a map takes its elements whatever becomes of them, other batches go on."""
        def but(*bad):
            @tf.autograph.experimental.do_not_convert
            def check(x):
                with tf.control_dependencies([tf.debugging.Assert(tf.reduce_all(x != tf.constant(bad, tf.int64)), ['bad'])]):
                    return x + 0
            return check

        def found(dataset):
            out, iterator = [], iter(dataset)
            while True:
                try:
                    out.append(next(iterator).numpy().tolist())
                except StopIteration:
                    return out
                except tf.errors.InvalidArgumentError:
                    out.append('error')
        numbers = Dataset.range(10)
        separate = tf.data.Options()
        separate.experimental_optimization.map_and_batch_fusion = False
        for calls in (None, 2):
            mapped = numbers.map(but(1, 2), num_parallel_calls=calls)
            whole = ['error', [4, 5, 6, 7], [8, 9]]
            self.assertEqual(found(mapped.batch(4)), whole)
            self.assertEqual(found(mapped.batch(4, drop_remainder=True)), whole[:2])
            self.assertEqual(found(mapped.batch(4).ignore_errors()), whole[1:])
            apart = ['error', 'error', [3, 4, 5, 6], [7, 8, 9]]
            for dataset in (mapped.padded_batch(4), mapped.batch(4, num_parallel_calls=2), mapped.prefetch(1).batch(4),
                            mapped.batch(4).with_options(separate)):
                self.assertEqual(found(dataset), apart)
            self.assertEqual(found(mapped.ignore_errors().batch(4)), [[0, 3, 4, 5], [6, 7, 8, 9]])
        self.assertEqual(found(numbers.map(but(9)).batch(4)), [[0, 1, 2, 3], [4, 5, 6, 7], 'error'])
        # A window is an error as a whole, each that the element is in.
        rows = lambda window: window.batch(4)
        self.assertEqual(found(numbers.map(but(1, 2)).window(4).flat_map(rows)), ['error', [4, 5, 6, 7], [8, 9]])
        self.assertEqual(found(numbers.map(but(3)).window(3, 2).flat_map(rows)),
                         [[0, 1, 2], 'error', [4, 5, 6], [6, 7, 8], [8, 9]])
        # An error comes when it is its turn.
        check = but(1)
        pairs = numbers.take(4).interleave(lambda x: Dataset.from_tensors(check(x)).repeat(2), 2, num_parallel_calls=2)
        self.assertEqual(found(pairs)[:2], [0, 'error'])
        self.assertEqual(sorted(found(pairs)[2:]), [0, 2, 2, 3, 3])

    def test_fingerprints(self):
        numbers = Dataset.range(3)
        table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer([1], [2]), 0)
        made = {
            'range': lambda: Dataset.range(3), 'longer': lambda: Dataset.range(4),
            'map': lambda: numbers.map(lambda x: x + 1), 'other map': lambda: numbers.map(lambda x: x + 2),
            'batch': lambda: numbers.batch(2), 'dropping batch': lambda: numbers.batch(2, drop_remainder=True),
            'texts': lambda: Dataset.from_tensors('a'), 'other texts': lambda: Dataset.from_tensors('b'),
            'flat': lambda: numbers.flat_map(lambda x: Dataset.range(x)), 'table': lambda: numbers.map(
                lambda x: table.lookup(tf.cast(x, tf.int32))), 'shuffle': lambda: numbers.shuffle(3, seed=1),
            'other shuffle': lambda: numbers.shuffle(3, seed=2)}
        prints = {name: make().fingerprint() for name, make in made.items()}
        self.assertEqual({p.dtype for p in prints.values()}, {tf.uint64})
        self.assertEqual(len({int(p) for p in prints.values()}), len(made))
        for name, make in made.items():
            self.assertEqual(int(make().fingerprint()), int(prints[name]), name)
        traced = [int(tf.function(lambda: Dataset.range(n).fingerprint())()) for n in (3, 3, 4)]
        self.assertEqual([traced[0] == t for t in traced], [True, True, False])

    def test_errors_of_python_functions_are_one_element_s(self):
        def refuse_two(n):
            if n == 2:
                raise ValueError('two is refused')
            return n

        def call(x):
            return tf.ensure_shape(tf.py_function(refuse_two, [x], tf.int64), [])
        numbers = Dataset.range(5)
        stages = {
            'map': numbers.map(call), 'parallel': numbers.map(call, num_parallel_calls=2),
            'filter': numbers.filter(lambda x: call(x) >= 0), 'take_while': numbers.take_while(lambda x: call(x) >= 0),
            'flat_map': numbers.flat_map(lambda x: Dataset.from_tensors(call(x))),
            'interleave': numbers.interleave(lambda x: Dataset.from_tensors(call(x)), cycle_length=1),
            'scan': numbers.scan(tf.constant(0, tf.int64), lambda s, x: (s + 1, call(x))),
            'prefetch': numbers.map(call).prefetch(2), 'shuffle': numbers.map(call).shuffle(1),
            'numpy': numbers.map(lambda x: tf.numpy_function(refuse_two, [x], tf.int64))}
        for name, stage in stages.items():
            with self.subTest(name):
                iterator, found = iter(stage), []
                for _ in range(5):
                    try:
                        found.append(int(next(iterator)))
                    except tf.errors.InvalidArgumentError as error:
                        self.assertIn('two is refused', str(error))
                        found.append('refused')
                self.assertEqual(found, [0, 1, 'refused', 3, 4])
                self.assertIsNone(next(iterator, None))
        for reduced in (lambda: numbers.reduce(tf.constant(0, tf.int64), lambda s, x: s + call(x)),
                        lambda: tf.function(lambda: numbers.map(call).reduce(tf.constant(0, tf.int64), tf.add))()):
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'two is refused'):
                reduced()


class Lifetimes(unittest.TestCase):
    def run_script(self, text, **more):
        command = [sys.executable, '-W', 'ignore::DeprecationWarning', '-c', textwrap.dedent(text)]
        return subprocess.run(command, capture_output=True, text=True, timeout=120, **more)

    def test_iterators_are_dropped_while_threads_work(self):
        def slow(x):
            return tf.py_function(lambda n: (time.sleep(0.001), n)[1], [x], tf.int64)
        for _ in range(5):
            iterator = iter(Dataset.range(1000).map(slow, num_parallel_calls=3).prefetch(4).batch(2).prefetch(2))
            next(iterator)
            del iterator
        gc.collect()

    def test_threads_share_an_iterator(self):
        def generate():
            for i in range(400):
                yield i
        iterator = iter(Dataset.from_generator(generate, output_signature=tf.TensorSpec([], tf.int64)).prefetch(2))
        found = []

        def pull(_):
            for x in iterator:
                found.append(int(x))
        run_threads(pull, range(4))
        self.assertEqual(sorted(found), list(range(400)))

    def test_the_interpreter_ends(self):
        done = self.run_script('''
            import footlight as tf, time
            def forever():
                while True:
                    time.sleep(0.001)
                    yield 1
            d = tf.data.Dataset.from_generator(forever, output_signature=tf.TensorSpec([], tf.int32))
            it = iter(d.map(lambda x: x + 1, num_parallel_calls=3).prefetch(2))
            print(int(next(it)))
        ''', env={**os.environ, 'TSAN_OPTIONS': os.environ.get('TSAN_OPTIONS', '') + ':report_thread_leaks=0'})
        # Its threads wait for ever for the interpreter, and are not joined.
        self.assertEqual((done.stdout, done.stderr, done.returncode), ('2\n', '', 0))

    def test_the_interpreter_ends_while_daemon_threads_iterate(self):
        done = self.run_script('''
            import footlight as tf, threading, time
            started = threading.Event()
            def slow(n):
                started.set()
                time.sleep(0.001)
                return n
            def work():
                while True:
                    for _ in tf.data.Dataset.range(1000).map(
                            lambda x: tf.py_function(slow, [x], tf.int64), num_parallel_calls=3).prefetch(2):
                        pass
            for _ in range(2):
                threading.Thread(target=work, daemon=True).start()
            started.wait()
            print('ends')
        ''', env={**os.environ, 'TSAN_OPTIONS': os.environ.get('TSAN_OPTIONS', '') + ':report_thread_leaks=0'})
        self.assertEqual((done.stdout, done.stderr, done.returncode), ('ends\n', '', 0))

    def test_an_interrupt_in_a_function_of_elements(self):
        done = self.run_script('''
            import footlight as tf, os, signal, time
            def stop(n):
                if n == 1:
                    os.kill(os.getpid(), signal.SIGINT)
                    time.sleep(100)
                return n
            it = iter(tf.data.Dataset.range(3).map(lambda x: tf.py_function(stop, [x], tf.int64)))
            print(int(next(it)))
            try:
                next(it)
            except KeyboardInterrupt:
                print('interrupted', int(next(it)))
        ''')
        self.assertEqual((done.stdout, done.stderr, done.returncode), ('0\ninterrupted 2\n', '', 0))

    def test_an_interrupt_ends_a_wait(self):
        text = textwrap.dedent('''
            import footlight as tf, threading
            never = threading.Event()
            def waits():
                yield 1
                never.wait(100)
            it = iter(tf.data.Dataset.from_generator(waits, output_signature=tf.TensorSpec([], tf.int32)).prefetch(1))
            next(it)
            try:
                print('waits', flush=True)
                next(it)
            except KeyboardInterrupt:
                print('interrupted', flush=True)
                never.set()
        ''')
        process = subprocess.Popen([sys.executable, '-c', text], stdout=subprocess.PIPE, text=True)
        self.assertEqual(process.stdout.readline(), 'waits\n')
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.communicate(timeout=60)[0], 'interrupted\n')

    @unittest.skipIf('san.so' in os.environ.get('LD_PRELOAD', ''),
                     'sanitizers may not survive a fork while another thread allocates')
    def test_fork(self):
        done = self.run_script('''
            import footlight as tf, os
            it = iter(tf.data.Dataset.range(100000).map(lambda x: x + 1, num_parallel_calls=2).prefetch(2))
            next(it)
            child = os.fork()
            if child == 0:
                try:
                    for _ in it:
                        pass
                except tf.errors.FailedPreconditionError as e:
                    print('fork()' in str(e), flush=True)
                fresh = list(tf.data.Dataset.range(3).map(lambda x: x, num_parallel_calls=2).prefetch(1))
                print(len(fresh), flush=True)
                del it
                os._exit(0)
            os.waitpid(child, 0)
            print(int(next(it)))
        ''')
        self.assertEqual((done.stdout, done.stderr), ('True\n3\n2\n', ''))
