"""Recorded scripts: what passes through, what is kept, and how every kind of end is told."""
import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest

BUILD = os.environ['FOOTLIGHT_BUILD']


def last_end(session):
    """(exit code, signal, reason) of a finished session."""
    with sqlite3.connect(f'file:{session}?mode=ro', uri=True) as db:
        return db.execute('SELECT exit_code, signal, reason FROM run_end').fetchone()


STDOUT, STDERR, TF_PRINT = 0, 1, 2
# The thread sanitizer holds signals back until the program calls into the system.
ENDLESS = 'import time\nwhile True: time.sleep(0)' if 'libtsan' in os.environ.get('LD_PRELOAD', '') else 'while True: pass'


def console(session, *streams):
    """What was written to these streams (all three: in the order of time)."""
    with sqlite3.connect(f'file:{session}?mode=ro', uri=True) as db:
        rows = db.execute('SELECT stream, text FROM console ORDER BY time_ns, rowid').fetchall()
    return ''.join(text for stream, text in rows if stream in (streams or (STDOUT, STDERR, TF_PRINT)))


def without_sanitizers_handlers():
    """A crash is to reach the kernel, also in a build with a sanitizer, which would report it and exit instead."""
    return {name: os.environ.get(name, '') + ':handle_segv=0' for name in ('ASAN_OPTIONS', 'TSAN_OPTIONS')}


class Worker(unittest.TestCase):

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.session = os.path.join(self.folder.name, 'run.footlight')

    def tearDown(self):
        self.folder.cleanup()

    def script(self, text, name='script.py'):
        path = os.path.join(self.folder.name, name)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(textwrap.dedent(text))
        return path

    def command(self, path, *arguments, options=()):
        return [sys.executable, '-m', 'footlight', 'record', '-o', self.session, *options, path, *arguments]

    def record(self, text, *arguments, **options):
        return subprocess.run(self.command(self.script(text), *arguments), capture_output=True, text=True,
                              timeout=120, **options)

    def test_script_sees_what_python_gives_it(self):
        done = self.record('''
            import os, sys
            print(__name__, sys.argv[1:], os.path.basename(sys.argv[0]), os.path.basename(__file__))
            print(os.getcwd(), os.path.basename(sys.path[0]) == os.path.basename(os.path.dirname(__file__)))
            import pickle
            class Kept: pass
            print(type(pickle.loads(pickle.dumps(Kept()))) is Kept)
            ''', '--flag', 'a b', cwd='/')
        self.assertEqual(done.stdout, "__main__ ['--flag', 'a b'] script.py script.py\n/ True\nTrue\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(last_end(self.session)[2], 'finished')

    def test_where_options_may_stand(self):
        path = self.script('import sys; print(sys.argv[1:])')
        for words, seen in (([path, '-o', self.session, 'a', '-x'], ['a', '-x']), (['-o', self.session, path, '-x'], ['-x']),
                            ([path, '--level', 'structure', '-o', self.session, '--', '-o', 'b'], ['-o', 'b']),
                            ([path, 'a', '-o', self.session], ['a']), ([f'--output={self.session}', path], [])):
            with self.subTest(words):
                done = subprocess.run([sys.executable, '-m', 'footlight', 'record', *words], capture_output=True,
                                      text=True, timeout=60)
                self.assertEqual(done.stdout, f'{seen}\n', done.stderr)
                self.assertTrue(os.path.exists(self.session))
                os.unlink(self.session)

    def test_output_is_passed_on_and_told_apart_in_order(self):
        done = self.record('''
            import sys
            import footlight as tf
            for i in range(20):
                print('out', i)
                tf.print('printed', i)
                print('err', i, file=sys.stderr)
                tf.print('again', i)
            ''')
        self.assertEqual(done.stdout, ''.join(f'out {i}\n' for i in range(20)))
        self.assertEqual(done.stderr, ''.join(f'printed {i}\nerr {i}\nagain {i}\n' for i in range(20)))
        self.assertEqual(console(self.session, STDOUT), done.stdout)
        self.assertEqual(console(self.session, STDERR), ''.join(f'err {i}\n' for i in range(20)))
        self.assertEqual(console(self.session), ''.join(
            f'out {i}\nprinted {i}\nerr {i}\nagain {i}\n' for i in range(20)))

    def test_standard_input_reaches_the_script(self):
        done = self.record("print('got', input('name? '))", input='Ada\n')
        self.assertEqual(done.stdout, 'name? got Ada\n')

    def test_exit_codes(self):
        for ending, code in (('raise SystemExit(7)', 7), ('import os; os._exit(1)', 1), ("raise ValueError('no')", 1),
                             ('import sys; sys.exit()', 0)):
            with self.subTest(ending):
                self.assertEqual(self.record(ending).returncode, code)
                self.assertEqual(last_end(self.session)[0], code)

    def test_a_traceback_holds_the_users_frames_only(self):
        done = self.record('''
            def inner():
                return 1 // 0
            inner()
            ''')
        self.assertIn('ZeroDivisionError', done.stderr)
        self.assertIn('in inner', done.stderr)
        self.assertNotIn('worker.py', done.stderr)
        self.assertIn('ZeroDivisionError', last_end(self.session)[2])

    def test_a_script_that_is_not_python(self):
        done = self.record('def (:')
        self.assertEqual(done.returncode, 1)
        self.assertIn('SyntaxError', done.stderr)
        self.assertIn('script.py', done.stderr)

    def test_a_missing_script_and_bad_options_make_no_session(self):
        for words in (['nowhere.py'], ['--level', 'loud', 'x.py'], ['--what', 'x.py'], []):
            with self.subTest(words):
                done = subprocess.run([sys.executable, '-m', 'footlight', 'record', '-o', self.session, *words],
                                      capture_output=True, text=True, timeout=60)
                self.assertEqual(done.returncode, 2)
                self.assertIn('footlight:', done.stderr)
                self.assertFalse(os.path.exists(self.session))

    def test_a_crash_is_survived_and_said(self):
        done = self.record('''
            import ctypes, os
            print('before')
            ctypes.string_at(0)
            ''', env={**os.environ, **without_sanitizers_handlers()})
        self.assertEqual(done.returncode, 128 + signal.SIGSEGV)
        self.assertIn('segmentation fault', last_end(self.session)[2])
        self.assertIn('before', console(self.session, STDOUT))

    def test_recursion_for_ever_is_pythons_error(self):
        done = self.record('def f(): return f()\nf()')
        self.assertEqual(done.returncode, 1)
        self.assertIn('RecursionError', last_end(self.session)[2])

    def start(self, text, *, commands=None):
        options = [] if commands is None else ['--commands', str(commands)]
        process = subprocess.Popen(self.command(self.script(text), options=options), stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, pass_fds=[] if commands is None else [commands])
        self.assertEqual(process.stdout.readline(), 'ready\n')
        return process

    def test_stop_ends_an_endless_loop(self):
        read, write = os.pipe()
        process = self.start("print('ready')\n" + ENDLESS, commands=read)
        os.write(write, b'stop\n')
        self.assertEqual(process.wait(timeout=30), 130)
        process.communicate()
        self.assertTrue(last_end(self.session)[2].startswith('stopped by the user'))
        os.close(read)
        os.close(write)

    def test_stop_ends_a_script_that_will_not_listen(self):
        read, write = os.pipe()
        process = self.start('''
            import signal, time
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            print('ready')
            while True: time.sleep(1)
            ''', commands=read)
        os.write(write, b'stop\n')
        self.assertEqual(process.wait(timeout=60), 128 + signal.SIGKILL)
        process.communicate()
        self.assertIn('SIGKILL', last_end(self.session)[2])
        os.close(read)
        os.close(write)

    def test_the_app_going_away_stops_the_script(self):
        read, write = os.pipe()
        process = self.start("print('ready')\n" + ENDLESS, commands=read)
        os.close(write)
        self.assertEqual(process.wait(timeout=30), 130)
        process.communicate()
        self.assertIn('gone', last_end(self.session)[2])
        os.close(read)

    def test_kill_of_everything_leaves_a_session_that_opens(self):
        process = self.start('''
            import time
            print('ready')
            for i in range(50): print('line', i)
            time.sleep(60)
            ''')
        time.sleep(1)
        process.kill()
        process.communicate()
        told = subprocess.run([os.path.join(BUILD, 'bin', 'footlight'), 'info', '--json', self.session],
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(told.returncode, 0, told.stderr)
        facts = json.loads(told.stdout)
        self.assertFalse(facts['ended'])
        self.assertEqual(facts['console_lines'], 51)

    def test_tensorflow_is_footlight_here_and_in_children(self):
        done = self.record('''
            import subprocess, sys
            import tensorflow as tf, footlight
            import tensorflow.math
            from tensorflow import nn
            print(tf is footlight, tf.math is footlight.math, nn is footlight.nn)
            child = 'import tensorflow, footlight; print(tensorflow is footlight)'
            sys.stdout.flush()
            subprocess.run([sys.executable, '-c', child], check=True)
            ''')
        self.assertEqual(done.stdout, 'True True True\nTrue\n', done.stderr)

    def test_a_fork_does_not_disturb_the_session(self):
        done = self.record('''
            import os
            print('before')
            child = os.fork()
            if child == 0:
                print('in the child')
                os._exit(0)
            os.waitpid(child, 0)
            print('after')
            ''')
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stdout, 'before\nin the child\nafter\n')
        self.assertEqual(last_end(self.session)[2], 'finished')


if __name__ == '__main__':
    unittest.main()
