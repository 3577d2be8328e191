"""Around a script: import, threads, fork, the interpreter's end, os._exit, signals, source positions."""
import os
import subprocess
import sys
import textwrap
import threading
import time
import unittest

import footlight as tf
from threads import run_threads


def run(code, **options):
    """Runs the script in an interpreter of its own: (status, standard output, standard error)."""
    done = subprocess.run([sys.executable, '-c', textwrap.dedent(code)], capture_output=True, text=True, timeout=300, **options)
    return done.returncode, done.stdout, done.stderr


class SideBySide(unittest.TestCase):

    def words(self, threads):
        """What is said of a function's steps after a few calls."""
        status, out, err = run(f'''
            import footlight as tf
            tf.config.threading.set_intra_op_parallelism_threads(2)
            tf.config.threading.set_inter_op_parallelism_threads({threads})
            f = tf.function(lambda a, b: (tf.sort(a), tf.sort(b)), jit_compile=True)
            x = tf.range(4000)
            for _ in range(4): f(x, -x)
            print(f.experimental_get_compiler_ir(x, x)())
        ''')
        self.assertEqual((status, err), (0, ''))
        return out

    def test_steps_are_measured_unless_switched_off(self):
        self.assertRegex(self.words(0), 'serial, .*: running steps in parallel|parallel, 2 tasks')
        self.assertNotIn('parallel', self.words(1))


class Import(unittest.TestCase):

    def test_light(self):
        status, out, err = run('''
            import sys
            before = set(sys.modules)
            import footlight as tf
            tf.constant(1) + 1
            print(sorted(m for m in ('numpy', 'inspect', 'asyncio', 'tensorflow', 'difflib') if m in set(sys.modules) - before))
        ''')
        self.assertEqual((status, out, err), (0, '[]\n', ''))

    def test_names_are_the_same_objects(self):
        status, out, err = run('''
            import footlight.math, footlight as tf
            from footlight.nn import relu
            import footlight.random as r
            print(footlight.math is tf.math, relu is tf.nn.relu, r.uniform is tf.random.uniform, tf.math.add is tf.add)
        ''')
        self.assertEqual((status, out.split()), (0, ['True'] * 4), err)

    def test_once(self):
        status, out, err = run('''
            import sys, footlight
            del sys.modules['footlight._engine']
            try:
                import footlight._engine
                print('again')
            except ImportError as e:
                print('refused')
        ''')
        self.assertEqual(status, 0, err)
        self.assertIn(out, ('refused\n', 'again\n'))  # CPython returns the same module again if it kept it

    @unittest.skipIf(sys.version_info >= (3, 13), 'the module of this name moved')
    def test_subinterpreter(self):
        status, out, err = run('''
            import _xxsubinterpreters as sub
            import sys
            i = sub.create()
            try:
                sub.run_string(i, "import sys; sys.path[:] = %r; import footlight" % (sys.path,))
                print('ran')
            except Exception as e:
                print('interpreter' in str(e))
        ''')
        self.assertEqual((status, out), (0, 'True\n'), err)


class Threads(unittest.TestCase):

    def test_many(self):
        x = tf.ones([64, 64])
        failures = []

        def work(k):
            try:
                for _ in range(50):
                    y = x
                    for _ in range(4):
                        y = tf.matmul(y, x) / 64. + float(k)
                    with tf.GradientTape() as tape:
                        v = tf.Variable(2.)
                        z = v * v
                    assert float(tape.gradient(z, v)) == 4.0
                assert y.shape == [64, 64]
            except BaseException as e:
                failures.append(e)

        run_threads(work, range(6))
        self.assertEqual(failures, [])

    def test_others_run_during_a_long_kernel(self):
        x = tf.ones([1200, 1200])
        ticks, stop = [0], threading.Event()

        def tick():
            while not stop.is_set():
                ticks[0] += 1
                time.sleep(0.0002)

        t = threading.Thread(target=tick)
        interval = sys.getswitchinterval()
        sys.setswitchinterval(100)  # so that the other thread runs only if the GIL is released
        try:
            t.start()
            time.sleep(0.01)
            before = ticks[0]
            tf.matmul(x, x)
            after = ticks[0]
        finally:
            sys.setswitchinterval(interval)
            stop.set()
            t.join()
        self.assertGreater(after, before)


class Processes(unittest.TestCase):

    @unittest.skipUnless(hasattr(os, 'fork'), 'no fork here')
    def test_fork(self):
        status, out, err = run('''
            import os, footlight as tf
            x = tf.ones([300, 300])
            y = tf.matmul(x, x)
            pid = os.fork()
            if pid == 0:
                z = tf.matmul(x, x)
                assert float(z[0, 0]) == 300.0
                v = tf.Variable(1.); v.assign_add(1.)
                os._exit(7 if float(v.value()) == 2.0 else 1)
            print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), float(tf.reduce_sum(tf.matmul(y, x))) > 0)
        ''')
        self.assertEqual((status, out), (0, '7 True\n'), err)

    def test_end_of_the_interpreter(self):
        status, out, err = run('''
            import atexit, threading, footlight as tf
            class Late:
                def __init__(self): self.x = tf.ones([100, 100])
                def __del__(self): self.y = tf.matmul(self.x, self.x)
            late = Late()
            cycle = [tf.Variable(1.)]; cycle.append(cycle)
            atexit.register(lambda: print(float(tf.reduce_sum(tf.ones([10])))))
            def forever():
                x = tf.ones([256, 256])
                while True: x = tf.matmul(x, x) * 0.
            for _ in range(3): threading.Thread(target=forever, daemon=True).start()
        ''')
        self.assertEqual((status, out), (0, '10.0\n'), err)

    def test_end_of_the_interpreter_while_daemon_threads_run_python(self):
        """User code called by our code: its thread ends there, with our frames below it."""
        start = """
            import logging, sys, threading, footlight as tf
            logging.disable(logging.CRITICAL)  # of functions that are traced again and again
            sys.setswitchinterval(1e-5)
            def busy(n):
                for _ in range(n): pass
        """
        called = {
            'a gradient': """
                @tf.custom_gradient
                def f(x):
                    busy(1000)
                    def back(dy):
                        busy(1000)
                        return dy * 2.
                    return x * 2., back
                def work():
                    x = tf.constant(1.)
                    while True:
                        with tf.GradientTape() as tape:
                            tape.watch(x)
                            y = f(x)
                        tape.gradient(y, x)
            """,
            'a trace': """
                def work():
                    while True:
                        tf.function(lambda x: (busy(1000), x + 1.)[1], autograph=False)(tf.constant(1.))
            """,
            'a conversion': """
                class Number:
                    def __index__(self):
                        busy(1000)
                        return 1
                def work():
                    while True: tf.nest.map_structure(lambda x: busy(1000), [1, 2]), tf.constant([Number(), Number()])
            """}
        end = """
            ready = threading.Event()
            for _ in range(4): threading.Thread(target=work, daemon=True).start()
            ready.wait(.2)
        """
        for name, code in called.items():
            for _ in range(2):
                with self.subTest(name):
                    status, out, err = run(''.join(textwrap.dedent(part) for part in (start, code, end)))
                    self.assertEqual((status, out, err), (0, '', ''))

    def test_os_exit(self):
        status, out, err = run('import os, footlight as tf; tf.ones([3]) + 1; os._exit(9)')
        self.assertEqual((status, err), (9, ''))

    def test_interrupt(self):
        status, out, err = run('''
            import os, signal, footlight as tf
            try:
                os.kill(os.getpid(), signal.SIGINT)
                while True: tf.constant(1) + 1
            except KeyboardInterrupt:
                print('stopped')
        ''')
        self.assertEqual((status, out), (0, 'stopped\n'), err)

    def test_recursion(self):
        status, out, err = run('''
            import footlight as tf
            def f(x): return f(x + 1)
            try: f(tf.constant(1))
            except RecursionError: print('ended')
        ''')
        self.assertEqual((status, out), (0, 'ended\n'), err)


class Print(unittest.TestCase):

    def test_streams(self):
        status, out, err = run(r'''
            import sys, footlight as tf
            print('first')
            tf.print('a', tf.constant(1.5), [1, tf.constant(2)], {'k': tf.constant([1., 2.])}, True, None)
            tf.print(tf.range(20), output_stream=sys.stdout)
            tf.print('no', 'space', sep='', end='!\n', output_stream=sys.stdout)
            tf.print(tf.constant(['x', 'y']), tf.constant('z'), '{} %s', output_stream=sys.stdout)
            f = tf.function(lambda x: tf.print('in', x))
            f(tf.constant([[1, 2], [3, 4]]))
            print('last')
        ''')
        self.assertEqual(status, 0, err)
        self.assertEqual(out, 'first\n[0 1 2 ... 17 18 19]\nnospace!\n["x" "y"] "z" {} %s\nlast\n')
        self.assertEqual(err, "a 1.5 [1, 2] {'k': [1 2]} True None\nin [[1 2]\n [3 4]]\n")
