"""The recorder by itself: a Python that has only the package `footlight_recorder` records a session."""
import glob
import json
import os
import shutil
import subprocess
import sys

import footlight_program
from folder_case import FolderCase
from footlight_program import BUILD


def runs(python):
    return bool(shutil.which(python)) and subprocess.run([python, '-c', ''], capture_output=True).returncode == 0


class Alone(FolderCase):
    def setUp(self):
        super().setUp()
        # This package alone, so that no other can be imported; its extension finds its library where it was built.
        self.packages = os.path.join(self.folder, 'packages')
        package = os.path.join(self.packages, 'footlight_recorder')
        os.makedirs(package)
        for path in glob.glob(os.path.join(BUILD, 'python', 'footlight_recorder', '*')):
            os.symlink(path, os.path.join(package, os.path.basename(path)))
        self.environment = {**os.environ, 'PYTHONPATH': self.packages,
                            'LD_LIBRARY_PATH': os.path.join(BUILD, 'lib')}

    def python(self, *words):
        return subprocess.run([sys.executable, *words], capture_output=True, text=True, env=self.environment, timeout=120)

    def record(self, text, *options):
        path = self.write('script.py', text)
        return self.python('-m', 'footlight_recorder', '-o', self.session, *options, path)

    def info(self):
        return json.loads(footlight_program.run('info', '--json', self.session).stdout)

    def test_a_session_without_an_engine(self):
        done = self.record('''
            import re, sys
            try:
                import footlight
            except ImportError:
                print('no engine')
            print(sorted(set(re.findall(r'libfootlight[^/\\s]*', open('/proc/self/maps').read()))))
            print('to stderr', file=sys.stderr)
            sys.exit(3)
            ''')
        self.assertEqual((done.returncode, done.stdout), (3, "no engine\n['libfootlight-record.so']\n"), done.stderr)
        said = self.info()
        self.assertEqual((said['ended'], said['exit_code'], said['console_lines']), (True, 3, 3))
        self.assertEqual(said['level'], 'ops')

    def spans(self):
        """The spans by name, and the counters' values in order."""
        done = subprocess.run([os.path.join(BUILD, 'tests', 'print_spans'), self.session], capture_output=True, text=True,
                              env=footlight_program.ENVIRONMENT, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = sorted((json.loads(line) for line in done.stdout.splitlines()), key=lambda line: line['start'])
        spans = {}
        for line in lines:
            if 'span' in line:
                spans.setdefault(line['span'], []).append(line)
        return spans, [(line['track'], line['value']) for line in lines if 'value' in line]

    def test_spans_and_counters(self):
        done = self.record('''
            import threading
            from footlight_recorder import counter, span, timed

            for epoch in range(2):
                with span('epoch', 'train', number=epoch, model=object, text='\\u00fc'):
                    with span('step'):
                        counter('loss', 0.5 / (epoch + 1))
            counter('memory', 7)
            try:
                with span('fails'):
                    raise KeyError('passed on')
            except KeyError:
                pass
            work = timed(lambda x, *, y=1: x + y, 'work', category='call')
            print(work(1), work(1, y=5))
            thread = threading.Thread(target=work, args=(1,))
            thread.start()
            thread.join()
            ''')
        self.assertEqual((done.returncode, done.stdout), (0, '2 6\n'), done.stderr)
        spans, counters = self.spans()
        self.assertEqual({name: len(found) for name, found in spans.items()}, {'epoch': 2, 'step': 2, 'fails': 1, 'work': 3})
        self.assertEqual(counters, [('counter loss', 0.5), ('counter loss', 0.25), ('counter memory', 7)])
        for epoch, step in zip(spans['epoch'], spans['step']):
            self.assertLessEqual(epoch['start'], step['start'])
            self.assertLessEqual(step['start'], step['end'])
            self.assertLessEqual(step['end'], epoch['end'])
        self.assertEqual([epoch['args']['number'] for epoch in spans['epoch']], [0, 1])
        self.assertEqual(spans['epoch'][0]['args'], {'number': 0, 'model': "<class 'object'>", 'text': '\u00fc'})
        self.assertEqual((spans['epoch'][0]['category'], spans['step'][0]['category'], spans['work'][0]['category']),
                         ('train', '', 'call'))
        threads = {span['thread'] for span in spans['work']}
        self.assertEqual((len(threads), spans['epoch'][0]['thread'] in threads), (2, True))

    def test_what_stands_in_for_a_callable(self):
        done = self.record('''
            import copy, functools, gc, pickle, sys, weakref
            from footlight_recorder import timed

            def work(x):
                "Works."
                return x + 1
            plain, work = work, timed(work)
            work.cache = {}
            assert work(1) == 2 and repr(work).startswith('<timed <function work')
            assert (work.__name__, work.__doc__, work.__module__, work.__wrapped__) == ('work', 'Works.', '__main__', plain)
            assert weakref.ref(work)() is work and {work: 1}[work] == 1 and work != plain
            assert pickle.loads(pickle.dumps(work)) is work and copy.copy(work) is work
            length = pickle.loads(pickle.dumps(timed(len, 'length', 'c')))
            assert length([1]) == 1 and length.__wrapped__ is len

            class Model:
                def __init__(self): self.calls = 0
                def step(self, n):
                    self.calls += n
                    return self
                step = timed(step)
                def __call__(self): return self.calls
                limit = 3
            model = Model()
            assert model.step(2) is model and Model.step(model, 3).calls == 5
            called = timed(model)
            assert called() == 5 and called.limit == 3 and called.calls == 5
            for wrong in ('limits', '__len__'):
                try: getattr(called, wrong)
                except AttributeError: pass
                else: raise AssertionError(wrong)
            for wrong in ((3,), (len, 3), ()):
                try: timed(*wrong)
                except TypeError: pass
                else: raise AssertionError(wrong)

            # Nothing lives longer for being wrapped, cycles neither.
            class Callable:
                def __call__(self): pass
            there = Callable()
            there.timed = timed(there)
            gone = weakref.ref(there)
            del there
            gc.collect()
            assert gone() is None
            before = sys.getrefcount(plain)
            for i in range(100): timed(plain)(1)
            assert sys.getrefcount(plain) == before, sys.getrefcount(plain) - before

            # The last reference may go while it runs.
            def drop():
                globals()['last'] = None
                return 'dropped'
            last = timed(drop)
            print(last(), last)
            ''')
        self.assertEqual((done.returncode, done.stdout), (0, 'dropped None\n'), done.stderr)
        spans, _ = self.spans()
        self.assertEqual(len(spans['Model.step']), 2)
        self.assertEqual((len(spans['work']), len(spans['length'])), (101, 1))
        self.assertEqual(len(spans['Model']), 1)

    def test_without_a_recording_nothing_happens(self):
        done = self.python('-c', 'from footlight_recorder import counter, span, timed\n'
                                 'with span("a", x=1): counter("b", 2)\nprint(timed(abs)(-3))')
        self.assertEqual((done.returncode, done.stdout), (0, '3\n'), done.stderr)

    def test_a_program_records_itself(self):
        text = f'''
            import sys, footlight_recorder
            footlight_recorder.start({self.session!r}, 'structure')
            try:
                footlight_recorder.start('other.footlight')
            except RuntimeError as error:
                print(error)
            %s
            '''
        for ending, status, reason in (('footlight_recorder.stop(); sys.exit(4)', 0, 'the program stopped recording'),
                                       ('sys.exit(4)', 4, 'the program called exit')):
            with self.subTest(ending):
                done = self.python(self.write('script.py', text % ending), 'argument')
                self.assertEqual(done.returncode, 4, done.stderr)
                self.assertIn(f'a recording is already running, into {self.session}', done.stdout)
                said = self.info()
                self.assertEqual((said['ended'], said['exit_code'], said['reason'], said['level'], said['arguments']),
                                 (True, status, reason, 'structure', ['argument']))
                os.unlink(self.session)

    def test_importing_it_loads_nothing(self):
        done = self.python('-c', 'import sys, footlight_recorder; print("footlight_recorder._recorder" in sys.modules)')
        self.assertEqual(done.stdout, 'False\n', done.stderr)


class Refusals(FolderCase):
    """A Python that cannot record prints one line that says what to run."""

    def package(self, *extensions):
        """A copy of the package with only these extension modules; `cmake` builds nothing there."""
        package = os.path.join(self.folder, 'python', 'footlight_recorder')
        os.makedirs(package)
        for path in glob.glob(os.path.join(BUILD, 'python', 'footlight_recorder', '*.py')):
            shutil.copy(path, package)
        for name in extensions:
            open(os.path.join(package, name), 'w').close()
        return os.path.dirname(package)

    def said(self, packages, pretend='pass', program=sys.executable):
        code = f'import sys; {pretend}; import runpy; runpy.run_module("footlight_recorder", run_name="__main__")'
        done = subprocess.run([program, '-c', code, 'script.py'], capture_output=True, text=True, timeout=60,
                              env={**os.environ, 'PYTHONPATH': packages})
        self.assertEqual((done.returncode, done.stdout, done.stderr.count('\n')), (2, '', 1), done.stderr)
        return done.stderr

    def test_versions_that_are_not_supported(self):
        packages = self.package('_recorder.cpython-311-x86_64-linux-gnu.so')
        for version in ('3.10', '3.14', '4.0', '2.7'):
            said = self.said(packages, f'sys.version_info = ({version.replace(".", ", ")}, 0, "final", 0)')
            self.assertIn(f'Python {version} ({sys.executable}) is not supported: Footlight works with Python 3.11 to 3.13', said)
            self.assertIn('FOOTLIGHT_PYTHON=', said)

    def test_an_old_python_itself(self):
        old = [f'python3.{minor}' for minor in range(4, 11) if runs(f'python3.{minor}')]
        if not old:
            self.skipTest('there is no Python before 3.11 on the path')
        packages = self.package('_recorder.cpython-311-x86_64-linux-gnu.so')
        self.assertIn('is not supported', self.said(packages, program=old[0]))

    def test_a_version_that_was_not_built(self):
        mine = '.'.join(map(str, sys.version_info[:2]))
        packages = self.package('_recorder.cpython-399-x86_64-linux-gnu.so')
        without_headers = 'import os; exists = os.path.exists; os.path.exists = lambda p: not p.endswith("Python.h") and exists(p)'
        self.assertIn(f'install its headers (Debian: python{mine}-dev) and run: ', self.said(packages, without_headers))
        said = self.said(packages)
        self.assertIn(f'Footlight is not built for Python {mine} ({sys.executable}) (only for 3.99, which FOOTLIGHT_PYTHON can name)', said)
        self.assertIn('packaging/run.sh', said)
        # In a build tree the command is exact, and keeps what was built before.
        self.write('CMakeCache.txt', 'FOOTLIGHT_PYTHONS_BUILT:INTERNAL=/usr/bin/python3.99\n')
        self.assertIn(f'run: cmake -DFOOTLIGHT_ONE_PYTHON=OFF -DFOOTLIGHT_PYTHONS="/usr/bin/python3.99;{sys.executable}" {self.folder} && '
                      f'cmake --build {self.folder}\n', self.said(packages))

    def test_free_threaded(self):
        said = self.said(self.package(), 'sys.abiflags = "t"')
        self.assertIn('free-threaded build, which is not supported', said)

    def test_the_engine_says_the_same(self):
        packages = self.package()
        os.symlink(os.path.join(BUILD, 'python', 'footlight'), os.path.join(packages, 'footlight'))
        code = 'import sys; sys.version_info = (3, 14, 0, "final", 0)\n' \
               'sys.modules["footlight._engine"] = None\n' \
               'try: import footlight\nexcept ImportError as error: print(error)'
        done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, timeout=60,
                              env={**os.environ, 'PYTHONPATH': packages})
        self.assertIn('Python 3.14', done.stdout, done.stderr)
        self.assertIn('is not supported', done.stdout)
