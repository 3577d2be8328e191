"""Recorded scripts: what passes through, what is kept, and how each way of ending is reported."""
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time

from folder_case import FolderCase
from footlight_program import BUILD, rows


def last_end(session):
    """(exit code, signal, reason) of a finished session."""
    return rows(session, 'SELECT exit_code, signal, reason FROM run_end')[0]


STDOUT, STDERR, TF_PRINT = 0, 1, 2
# The thread sanitizer holds signals back until the program calls into the system.
ENDLESS = 'import time\nwhile True: time.sleep(0)' if 'libtsan' in os.environ.get('LD_PRELOAD', '') else 'while True: pass'


def console(session, *streams):
    """The text written to these streams (all three: in order of time)."""
    lines = rows(session, 'SELECT stream, text FROM console ORDER BY time_ns, rowid')
    return ''.join(text for stream, text in lines if stream in (streams or (STDOUT, STDERR, TF_PRINT)))


def without_sanitizers_handlers():
    """Lets a crash reach the kernel, even in a build with a sanitizer, which would report it and exit instead."""
    return {name: os.environ.get(name, '') + ':handle_segv=0' for name in ('ASAN_OPTIONS', 'TSAN_OPTIONS')}


class Worker(FolderCase):
    def script(self, text, name='script.py'):
        return self.write(name, text)

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

    def test_an_error_is_its_message_and_the_users_line(self):
        self.script("""
            import footlight as tf
            w = tf.ones([4, 2])
            def project(x):
                return tf.matmul(x, w)
            """, 'layers.py')
        done = self.record("""
            import footlight as tf
            import layers
            @tf.function
            def step(x):
                if tf.reduce_sum(x) > 0:
                    x = x * 2.0
                return layers.project(x)
            step(tf.ones([4, 3]))
            """)
        self.assertEqual(done.returncode, 1)
        code, _, reason = last_end(self.session)
        self.assertEqual(code, 1)
        self.assertRegex(reason, r'^ValueError: Matrix size-incompatible: .* at layers\.py:5$')
        self.assertIn('in user code:', done.stderr)  # Python's own words are printed as they are

    def test_an_error_of_a_node_has_its_line(self):
        self.record("""
            import footlight as tf
            @tf.function
            def pick(x, i):
                y = x * 2.0
                return tf.gather(y, i)
            pick(tf.ones([4]), tf.constant(9))
            """)
        self.assertRegex(last_end(self.session)[2], r'^InvalidArgumentError: indices = 9 .* at script\.py:6$')
        self.record('import json\njson.loads("{")\n')
        self.assertRegex(last_end(self.session)[2], r'^JSONDecodeError: .* at script\.py:2$')
        self.record('class Odd(Exception):\n    def __str__(self):\n        return 1 / 0\nraise Odd\n')
        self.assertRegex(last_end(self.session)[2], r'^Odd: .* at script\.py:4$')

    def test_errors_are_safe_for_a_terminal(self):
        path, bad = self.script('print(1)'), '\x1b[31m\x9b31m\u202eabc\udcff'
        taken = self.write(bad, 'no recording')
        for words in (['--' + bad, path], ['--level', bad, path], [taken + '.py'], ['-o', taken, path],
                      ['-o', os.path.join(taken, 'below'), path]):
            with self.subTest(words):
                done = subprocess.run([sys.executable, '-m', 'footlight', 'record', *words], capture_output=True,
                                      timeout=60)
                self.assertEqual(done.returncode, 2)
                said = done.stderr.decode('utf-8')
                self.assertIn('abc', said)
                self.assertNotRegex(said, '[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]')

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

    def test_only_a_recording_is_replaced(self):
        def record_into(name, script):
            done = subprocess.run([sys.executable, '-m', 'footlight', 'record', '-o', name, script], text=True,
                                  capture_output=True, cwd=self.folder, timeout=60)
            return done.returncode, done.stdout, done.stderr
        path, empty = self.script('print("ran")'), self.script('', 'empty.py')
        os.mkfifo(self.path('fifo'))
        os.symlink('notes', self.path('link'))
        with socket.socket(socket.AF_UNIX) as server, open(self.path('notes'), 'wb') as notes:
            server.bind(self.path('socket'))
            notes.write(b'precious')
            notes.flush()
            files = sorted(os.listdir(self.folder))
            before = [os.lstat(self.path(file)) for file in files]
            for name, script, why in (('fifo', path, 'is a pipe'), ('socket', path, 'is a socket'),
                                      ('link', path, 'is a symbolic link'), ('notes', path, 'is not a recording'),
                                      ('.', path, 'is a folder'), ('/dev/null', path, 'is a device'),
                                      ('script.py', path, 'is the script itself'), ('empty.py', empty, 'is the script itself'),
                                      ('-', path, 'cannot go to standard output')):
                code, out, err = record_into(name, script)
                self.assertEqual((code, out), (2, ''), name)
                self.assertIn(why, err)
                self.assertIn('after -o', err)
            self.assertEqual(sorted(os.listdir(self.folder)), files)
            for file, was in zip(files, before):
                now = os.lstat(self.path(file))
                self.assertEqual((now.st_ino, now.st_mode, now.st_size), (was.st_ino, was.st_mode, was.st_size), file)
        # Nothing, a recording, one that was cut off, and an empty file are replaced.
        for content in (None, None, b'footlight log', b''):
            if content is not None:
                with open(self.session, 'wb') as file:
                    file.write(content)
            self.assertEqual(record_into(self.session, path)[:2], (0, 'ran\n'))
            self.assertEqual(last_end(self.session)[2], 'finished')

    def test_a_crash_is_survived_and_said(self):
        done = self.record('''
            import ctypes, os
            print('before')
            ctypes.string_at(0)
            ''', env={**os.environ, **without_sanitizers_handlers()})
        self.assertEqual(done.returncode, 128 + signal.SIGSEGV)
        self.assertIn('segmentation fault', last_end(self.session)[2])
        self.assertIn('before', console(self.session, STDOUT))

    def test_a_kill_names_nobody_who_is_not_known(self):
        done = self.record('import os, signal\nos.kill(os.getpid(), signal.SIGKILL)')
        self.assertEqual(done.returncode, 128 + signal.SIGKILL)
        reason = last_end(self.session)[2]
        self.assertTrue(reason.startswith('killed (SIGKILL)'), reason)
        self.assertIn('the script itself', reason)
        self.assertNotIn('another process', reason)

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
        self.assertTrue(last_end(self.session)[2].startswith('Stopped'))
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
        self.assertIn('the app that ran it ended', last_end(self.session)[2])
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

    def test_a_script_that_closes_descriptors_keeps_its_files(self):
        done = self.record('''
            import os, sys
            import footlight as tf
            os.chdir(os.path.dirname(__file__))
            @tf.function
            def f(x): return x * 2
            f(tf.ones([3]))
            os.closerange(3, 1000)
            files = [open('user%d.txt' % i, 'wb') for i in range(25)]
            print([file.fileno() for file in files] == list(range(3, 28)))
            for i in range(2000): f(tf.ones([3]))
            tf.print('after')
            print('done')
            ''')
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, 'True\ndone\n', 'after\n'))
        for i in range(25):
            self.assertEqual(os.path.getsize(self.path(f'user{i}.txt')), 0)
        self.assertEqual(console(self.session), 'True\nafter\ndone\n')
        with sqlite3.connect(f'file:{self.session}?mode=ro', uri=True) as db:
            self.assertEqual(db.execute('SELECT sum(count) FROM call_summary').fetchone(), (2001,))

    def test_what_is_printed_goes_where_the_script_has_led_it(self):
        done = self.record('''
            import os, sys
            import footlight as tf
            os.chdir(os.path.dirname(__file__))
            tf.print('to the console')
            os.dup2(os.open('errors.txt', os.O_WRONLY | os.O_CREAT), 2)
            tf.print('to the file')
            os.dup2(1, 2)
            tf.print('to the other stream')
            ''')
        self.assertEqual((done.stdout, done.stderr), ('to the other stream\n', 'to the console\n'))
        with open(self.path('errors.txt'), encoding='utf-8') as file:
            self.assertEqual(file.read(), 'to the file\n')

    def test_a_child_that_is_left_behind_and_talks(self):
        """It neither keeps the recording open nor loses its console."""
        out = self.path('out.txt')
        stop = self.path('stop')
        path = self.script(f'''
            import os, sys, time
            if os.fork() == 0:
                os.setsid()
                while not os.path.exists({stop!r}):
                    print("chatty", flush=True)
                    time.sleep(.01)
                print("and out", flush=True)
                os._exit(0)
            print("script ends")
            ''')
        with open(out, 'w') as file:
            process = subprocess.Popen(self.command(path), stdout=file)
            self.assertEqual(process.wait(timeout=60), 0)
        self.assertEqual(last_end(self.session)[2], 'finished')
        self.assertIn('script ends', console(self.session))
        open(stop, 'w').close()
        for _ in range(600):
            with open(out) as file:
                text = file.read()
            if text.endswith('and out\n'):
                break
            time.sleep(.1)
        self.assertTrue(text.endswith('and out\n'), text[-100:])

    def test_a_signal_ends_the_wait_for_what_nobody_reads(self):
        read, write = os.pipe()
        path = self.script("import os, sys\nsys.stdout.write('x' * 200000)\nsys.stdout.flush()\n"
                           "sys.stderr.write('%8d' % os.getpid())\n")
        process = subprocess.Popen(self.command(path), stdout=write, stderr=subprocess.PIPE)
        os.close(write)
        script = process.stderr.read(8).decode().strip()
        while os.path.exists(f'/proc/{script}'):
            time.sleep(.01)
        process.terminate()
        self.assertEqual(process.wait(timeout=60), 0)
        process.stderr.close()
        os.close(read)
        self.assertEqual(last_end(self.session)[0], 0)

    def test_a_signal_to_the_whole_group_comes_once(self):
        done = self.record('''
            import os, signal, time
            count = 0
            def handler(*_):
                global count
                count += 1
            signal.signal(signal.SIGTERM, handler)
            os.kill(0, signal.SIGTERM)
            time.sleep(.5)
            print(count)
            ''', start_new_session=True)
        self.assertEqual((done.returncode, done.stdout), (0, '1\n'), done.stderr)
        self.assertEqual(last_end(self.session)[2], 'finished')

    def test_signals_are_for_the_scripts_threads(self):
        done = self.record('''
            import os, signal
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
            os.kill(os.getpid(), signal.SIGUSR1)
            print(signal.sigwait([signal.SIGUSR1]) == signal.SIGUSR1)
            ''')
        self.assertEqual((done.returncode, done.stdout), (0, 'True\n'), done.stderr)

    def test_child_pythons_say_nothing(self):
        own = self.path('site')
        os.mkdir(own)
        done = self.record('''
            import os, subprocess, sys
            code = 'import sys, tensorflow, footlight; print(tensorflow is footlight, getattr(sys, "mine", None))'
            print(subprocess.run([sys.executable, '-c', code], capture_output=True, text=True))
            with open(sys.argv[1] + '/sitecustomize.py', 'w') as file: file.write('import sys; sys.mine = __file__')
            os.environ['PYTHONPATH'] += os.pathsep + sys.argv[1]
            print(subprocess.run([sys.executable, '-c', code], capture_output=True, text=True))
            with open(sys.argv[1] + '/sitecustomize.py', 'w') as file: file.write('import no_such_module')
            print(subprocess.run([sys.executable, '-c', 'pass'], capture_output=True, text=True).stderr)
            ''', own)
        lines = done.stdout.splitlines()
        self.assertIn("returncode=0, stdout='True None\\n', stderr=''", lines[0])
        self.assertIn(f"stdout='True {own}/sitecustomize.py\\n', stderr=''", lines[1])
        self.assertIn("No module named 'no_such_module'", done.stdout)  # as without a recorder

    def test_files_of_the_current_folder_are_not_run(self):
        for name in ('footlight', 'footlight_recorder', 'worker', '_interpreter', 'atexit', 'importlib'):
            self.write(f'{name}.py', f'print("ran ./{name}.py")\n')
        os.mkdir(self.path('scripts'))
        path = self.script('import tensorflow as tf; print(tf.constant(1).numpy(), tf.__file__.endswith("__init__.py"))',
                           'scripts/script.py')
        program = os.path.join(BUILD, 'bin', 'footlight')
        here = self.folder
        environment = {k: v for k, v in os.environ.items() if k not in ('PYTHONPATH', 'LD_PRELOAD')}
        environment['FOOTLIGHT_PYTHON'] = sys.executable
        if 'LD_PRELOAD' not in os.environ:
            done = subprocess.run([program, 'record', '-o', self.session, path], capture_output=True, text=True, cwd=here,
                                  env=environment, timeout=60)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, '1 True\n', ''))
        # Files beside the script come first, as without a recorder, except for `import tensorflow`.
        path = self.script('import tensorflow as tf; print(tf.constant(1).numpy())')
        done = subprocess.run(self.command(path), capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, '1\n', ''))
        recorder = os.path.join(BUILD, 'python', 'footlight_recorder', '__main__.py')
        done = subprocess.run([sys.executable, recorder, '-o', self.session, self.script('import footlight\nimport tensorflow')],
                              capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (1, 'ran ./footlight.py\n'))
        self.assertIn(f"hidden by {self.folder}/footlight.py: rename that one", done.stderr)

    def test_a_package_on_a_relative_path(self):
        relative = os.path.join('.', os.path.relpath(os.path.join(BUILD, 'python'), self.folder))
        path = self.script(f'import sys; sys.path[:0] = [{relative!r}]\nimport footlight, tensorflow as tf\n'
                           'print(tf.constant(1).numpy(), tf.__path__ == footlight.__path__)')
        done = subprocess.run(self.command(path), capture_output=True, text=True, cwd=self.folder, timeout=60)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, '1 True\n', ''))

    def test_a_source_that_cannot_be_read_to_its_end(self):
        done = self.record('''
            import os
            import footlight as tf
            os.mkfifo('fifo.py')
            text = 'def f(x):\\n  return x + 1\\n'
            for path in ('fifo.py', os.path.abspath('fifo.py'), '/dev/zero', '/dev/stdin'):
                scope = {}
                exec(compile(text, path, 'exec'), scope)
                print(tf.function(scope['f'])(tf.constant(1)).numpy(), scope['f'](tf.constant(1)).numpy())
            def fails(x): scope['g'](x)
            exec(compile('def g(x):\\n  raise KeyError(x)\\n', 'fifo.py', 'exec'), scope)
            try: tf.function(fails)(tf.constant(1))
            except KeyError: print('failed')
            ''', cwd=self.folder, stdin=subprocess.PIPE)
        self.assertEqual((done.returncode, done.stdout), (0, '2 2\n' * 4 + 'failed\n'), done.stderr)

    def test_the_script_is_where_python_says_it_is(self):
        os.makedirs(self.path('a/b'))
        path = self.script('''
            import inspect, os, sys
            def f(): pass
            os.chdir('/')
            print(__file__, sys.argv, sys.path[0], f.__code__.co_filename, inspect.getsource(f).strip())
            ''', 'a/script.py')
        os.symlink(path, self.path('a/b/link.py'))
        for word in ('../script.py', 'link.py', path):
            with self.subTest(word):
                here = self.path('a/b')
                bare = subprocess.run([sys.executable, word], capture_output=True, text=True, cwd=here, timeout=60)
                done = subprocess.run(self.command(word), capture_output=True, text=True, cwd=here, timeout=60)
                self.assertEqual((done.stdout, done.stderr), (bare.stdout, bare.stderr))
                self.assertEqual(done.returncode, 0)
