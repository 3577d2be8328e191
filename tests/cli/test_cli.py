"""The footlight program without Python: info, recover, and what `record` and FILE start."""
import contextlib
import json
import os
import re
import shutil
import sqlite3
import stat
import subprocess
import zipfile

import footlight_program
from folder_case import FolderCase
from footlight_program import BUILD, PROGRAM, make_session

KEYS = {'functions', 'traces', 'calls', 'nodes', 'op_events', 'console_lines', 'first_time', 'last_time', 'ended'}
ENVIRONMENT = {k: v for k, v in footlight_program.ENVIRONMENT.items() if k not in ('FOOTLIGHT_PYTHON', 'VIRTUAL_ENV')}


def run(*words, **environment):
    """The program's exit code, output and error output."""
    done = footlight_program.run(*words, code=None, env={**ENVIRONMENT, **environment})
    return done.returncode, done.stdout, done.stderr


SAMPLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'resources', 'examples', 'shapes.py')
GOLDEN = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'golden')


class Models(FolderCase):
    """`info` of models, of which nothing runs."""

    def test_saved_model(self):
        code, out, err = run('info', os.path.join(GOLDEN, 'savedmodel', 'net'))
        self.assertEqual((code, err), (0, ''))
        self.assertIn('serving_default(x: float32 (?, 3)) -> {best: int64 (?,), logits: float32 (?, 2)}', out)
        self.assertIn('rest.1.w: float32 (4, 2), 32 B', out)
        self.assertIn('rest: list', out)
        found = json.loads(run('info', os.path.join(GOLDEN, 'savedmodel', 'net'), '--json')[1])
        self.assertEqual([f['name'] for f in found['functions']][:2], ['infer', 'train'])
        self.assertEqual(found['variables'][0]['bytes'], 48)

    def test_graph_def_and_keras(self):
        out = run('info', os.path.join(GOLDEN, 'graphdef', 'add_mul.pb'))[1]
        self.assertIn('graph: 5 nodes (2 Placeholder, 1 AddV2, 1 Identity, 1 Mul)', out)
        out = run('info', os.path.join(GOLDEN, 'models', 'dense.keras'))[1]
        self.assertIn('dense (Dense) for (?, 4): 15 parameters', out)
        self.assertRegex(out, r'parameters +27\n')
        self.assertIn('3 nodes (2 Dense, 1 InputLayer)', out)

    def test_trained_weights_of_keras(self):
        """trainable.json holds what Keras said of each variable; the file does not say it of a program's own class."""
        path = os.path.join(GOLDEN, 'models', 'trainable.keras')
        with open(os.path.join(GOLDEN, 'models', 'trainable.json'), encoding='utf-8') as file:
            keras = json.load(file)
        ours = {v['name']: v['trainable'] for v in json.loads(run('info', path, '--json')[1])['variables']}
        own = {name for name in ours if name.startswith('layers/count/')}
        self.assertEqual(len(own), 4)
        self.assertEqual({name for name in ours if ours[name] is None}, own)
        self.assertEqual({name: said for name, said in ours.items() if name not in own},
                         {name: said for name, said in keras['variables'].items() if name not in own})
        out = run('info', path)[1]
        self.assertIn('layers/time_distributed/layer/vars/1: float32 (3,), 12 B, not trained', out)
        # A file has the kernel with LoRA's factors added; one weight of `Count` is among those that are not trained.
        weights = keras['parameters'] - keras['lora']
        self.assertIn(f'parameters     {weights}, {keras["not trained"] - 1} of them not trained; of 9 the file does not '
                      'say whether they are trained\n', out)

    def test_refusals(self):
        bad = self.path('bad.keras')
        with open(bad, 'wb') as file:
            file.write(b'PK no archive, though it is long enough for one')
        code, _, err = run('info', bad)
        self.assertEqual(code, 2)
        self.assertIn('not a zip archive', err)
        code, _, err = run('info', self.path('none.pb'))
        self.assertIn('there is no such file', err)
        self.assertEqual(run('info', os.path.join(GOLDEN, 'savedmodel', 'net'), '--ops')[0], 2)


    def test_a_member_that_uses_up_memory(self):
        for large, name in (('config.json', 'config.keras'), ('metadata.json', 'metadata.keras'),
                            ('model.weights.h5', 'weights.keras')):
            with zipfile.ZipFile(self.path(name), 'w', zipfile.ZIP_DEFLATED) as archive:
                for member in ('config.json', 'metadata.json', 'model.weights.h5'):
                    with archive.open(member, 'w') as file:
                        if member == large:
                            for _ in range(300):
                                file.write(b' ' * 1_000_000)
                        elif member != 'model.weights.h5':
                            file.write(b'{}')
            limit = ('prlimit', f'--as={600 << 20}') if 'LD_PRELOAD' not in os.environ else ()
            done = subprocess.run([*limit, PROGRAM, 'info', self.path(name)], capture_output=True,
                                  text=True, env=ENVIRONMENT, timeout=120)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f'{large} in the archive takes 286.1 MB, and at most', done.stderr)


class Cli(FolderCase):
    def sample(self, name, *options):
        return make_session('make_sample_session', self.path(name), *options)

    def test_recover_replaces_only_recordings(self):
        log = self.sample('log', '--unfinished')
        os.mkfifo(self.path('fifo'))
        os.mkdir(self.path('folder'))
        os.symlink('notes.txt', self.path('link'))
        for name, text in (('notes.txt', b'precious'), ('zeros', bytes(4096)), ('code.py', b'print("x")'),
                           ('other.db', b'SQLite format 3\0' + bytes(200))):
            with open(self.path(name), 'wb') as file:
                file.write(text)
        with open(self.path('log.footlight.finishing'), 'wb') as file:
            file.write(b'mine')
        words = {'fifo': 'is a pipe', 'folder': 'is a folder', 'link': 'is a symbolic link'}
        before = {name: os.lstat(self.path(name)) for name in os.listdir(self.folder)}
        for name in ('fifo', 'folder', 'link', 'notes.txt', 'zeros', 'code.py', 'other.db'):
            code, _, err = run('recover', log, '-o', self.path(name))
            self.assertEqual(code, 2, name)
            self.assertIn(words.get(name, 'is not a recording'), err)
            self.assertIn('after -o', err)
        self.assertIn('log.footlight.finishing is there already', run('recover', log, '-o', self.path('log.footlight'))[2])
        for name, was in before.items():
            now = os.lstat(self.path(name))
            self.assertEqual((now.st_ino, now.st_mode, now.st_size), (was.st_ino, was.st_mode, was.st_size), name)
        os.remove(self.path('log.footlight.finishing'))
        # Nothing, an empty file and a recording are replaced.
        with open(self.path('empty'), 'wb'):
            pass
        for name in ('new', 'empty', 'empty'):
            self.assertEqual(run('recover', log, '-o', self.path(name)), (0, '', ''))
        # A link to the session itself stays one.
        os.symlink('log', self.path('to_log'))
        self.assertEqual(run('recover', self.path('to_log')), (0, '', ''))
        self.assertTrue(os.path.islink(self.path('to_log')))

    def script(self, name, text):
        self.write(name, text)
        os.chmod(self.path(name), stat.S_IRWXU)
        return self.path(name)

    def test_info_as_json(self):
        code, out, err = run('info', self.sample('a.footlight'), '--json')
        self.assertEqual((code, err), (0, ''))
        said = json.loads(out)
        self.assertLessEqual(KEYS, set(said))
        self.assertEqual({k: said[k] for k in ('functions', 'traces', 'calls', 'nodes', 'op_events', 'console_lines')},
                         {'functions': 2, 'traces': 13, 'calls': 54, 'nodes': 367, 'op_events': 4500,
                          'console_lines': 13})
        self.assertIs(said['ended'], True)
        self.assertEqual(said['exit_code'], 0)
        self.assertEqual(said['reason'], 'finished')
        self.assertEqual(said['level'], 'ops')
        self.assertEqual(said['dropped'], [])
        self.assertIs(said['recovered'], False)
        self.assertLess(said['first_time'], said['last_time'])
        self.assertEqual(said['arguments'], ['--epochs', '6'])

    def test_info_in_words(self):
        code, out, _ = run('info', self.sample('a.footlight'))
        self.assertEqual(code, 0)
        lines = dict(line.split(None, 1) for line in out.splitlines())
        self.assertEqual(lines['script'], '/home/ada/retracing.py --epochs 6')
        self.assertEqual(lines['ended'], 'finished, exit code 0')
        self.assertEqual(lines['traces'], '13')

    def test_info_of_the_ops(self):
        path = self.sample('a.footlight')
        code, out, err = run('info', path, '--ops', '--json')
        self.assertEqual((code, err), (0, ''))
        rows = json.loads(out)
        self.assertEqual(sum(row['count'] for row in rows), 4500)
        self.assertEqual(rows, sorted(rows, key=lambda row: -row['total_ns']))
        by_name = {row['op']: row for row in rows}
        mean = by_name['Mean']
        self.assertEqual(mean['family'], 'reduction')
        self.assertLessEqual(mean['min_ns'], mean['median_ns'])
        self.assertLessEqual(mean['median_ns'], mean['max_ns'])
        self.assertGreater(by_name['RealDiv']['bytes'], 0)
        self.assertGreater(by_name['RealDiv']['flops'], 0)
        self.assertAlmostEqual(mean['gflops_per_s'], mean['flops'] / mean['total_ns'], 3)
        only = json.loads(run('info', path, '--json', '--filter', 'realdiv')[1])
        self.assertEqual(only, [by_name['RealDiv']])
        family = json.loads(run('info', path, '--json', '--filter', 'reduction')[1])
        self.assertEqual({row['family'] for row in family}, {'reduction'})
        shapes = json.loads(run('info', path, '--json', '--shapes', '--filter', 'Mean')[1])
        self.assertEqual(sum(row['count'] for row in shapes), mean['count'])
        self.assertIn('float32[1], float32[1] -> float32[1]', {row['shapes'] for row in shapes})
        lines = run('info', path, '--ops')[1].splitlines()
        self.assertEqual(lines[0].split(), 'op count total median min max bytes FLOPs GFLOP/s'.split())
        self.assertEqual([line.split()[0] for line in lines[1:]], [row['op'] for row in rows])

    def test_a_killed_run(self):
        path = self.sample('killed.footlight', '--unfinished')
        before = os.listdir(self.folder)
        said = json.loads(run('info', '--json', path)[1])
        self.assertEqual((said['ended'], said['recovered'], said['state']), (False, True, 'killed'))
        self.assertEqual(said['op_events'], 4500)
        self.assertIn('the run was killed', run('info', path)[1])
        self.assertEqual(os.listdir(self.folder), before)

        self.assertEqual(run('recover', path, '-o', self.path('whole.footlight')), (0, '', ''))
        with open(self.path('whole.footlight'), 'rb') as file:
            self.assertEqual(file.read(15), b'SQLite format 3')
        again = json.loads(run('info', '--json', self.path('whole.footlight'))[1])
        self.assertEqual({k: again[k] for k in KEYS}, {k: said[k] for k in KEYS})
        self.assertEqual(run('recover', path), (0, '', ''))
        self.assertEqual(json.loads(run('info', '--json', path)[1])['traces'], 13)
        code, _, err = run('recover', path)
        self.assertEqual(code, 2)
        self.assertIn('is not a recording that was left unfinished', err)

    def test_what_cannot_be_read_is_2_and_said(self):
        text = self.script('x.footlight', 'hello')
        # A newer file is read as far as it is understood, unless it says that this would be wrong.
        with contextlib.closing(sqlite3.connect(self.sample('newer.footlight'))) as newer:
            newer.executescript('PRAGMA user_version=9; ALTER TABLE trace ADD COLUMN mood')
            said = json.loads(run('info', '--json', self.path('newer.footlight'))[1])
            self.assertEqual((said['version'], said['traces'], said['left_out']),
                             (9, 13, 'a newer Footlight wrote this; left out: column trace.mood'))
            newer.executescript("UPDATE meta SET value=9 WHERE key='readable_from'")
        for path, words in ((self.path('missing'), 'No such file or directory'), (text, 'not a recording'),
                            (self.folder, 'this is a folder, not a recording'),
                            (self.path('newer.footlight'), 'a newer Footlight wrote this recording, in version 9')):
            code, out, err = run('info', path)
            self.assertEqual((code, out), (2, ''))
            self.assertTrue(err.startswith('footlight: ' + path), err)
            self.assertIn(words, err)

    def test_the_schema_is_a_page(self):
        code, out, err = run('info', '--schema')
        self.assertEqual((code, err), (0, ''))
        with contextlib.closing(sqlite3.connect(self.sample('sample.footlight'))) as db:
            tables = [name for name, in db.execute("SELECT name FROM sqlite_schema WHERE type='table'")]
        self.assertGreater(len(tables), 40)
        for table in tables:
            self.assertIn(table, out)
        self.assertIn('trace_phase (3): What the time of a trace went into.', out)
        self.assertEqual(run('info', '--schema', 'x')[0], 2)

    def test_words_it_does_not_know(self):
        for words in ((), ('info',), ('info', '--yes'), ('record',), ('frobnicate', 'x'), ('--frobnicate',),
                      ('recover',)):
            code, out, err = run(*words)
            self.assertEqual((code, out), (2, ''), words)
            self.assertIn('footlight', err)
        for word, said in (('recrod', 'did you mean `record`?'), ('infos', 'did you mean `info`?'), ('x', '--help'),
                           ('made/up.footlight', 'No such file'), ('made_up.footlight', 'No such file')):
            code, out, err = run(word)
            self.assertEqual((code, out), (2, ''), word)
            self.assertIn(said, err)
        self.assertNotIn('did you mean', run('frobnicate')[2])

    def test_help(self):
        for words in (('--help',), ('-h',), ('help',)):
            code, out, err = run(*words)
            self.assertEqual((code, err), (0, ''), words)
            commands = re.findall(r'(?m)^  ([a-z]+)  ', out)
            self.assertIn('record', commands)
        for command in commands:
            for words in ((command, '--help'), (command, '-h'), ('help', command), (command, '--json', '--help')):
                code, out, err = run(*words)
                self.assertEqual((code, err), (0, ''), words)
                self.assertIn('  footlight ' + command, out)
                self.assertNotRegex(out, r'(?i)\bsession', 'the word that users know is recording')
                for other in set(commands) - {command, 'record', 'compare'}:
                    self.assertNotIn('  footlight ' + other, out)
        self.assertEqual(run('help', 'nothing')[0], 2)
        self.assertRegex(run('--version')[1], r'^footlight \d+\.\d+\.\d+\n$')

    def test_record_becomes_the_interpreter(self):
        fake = self.script('python', '#!/bin/sh\necho "$PYTHONPATH"\nfor w in "$@"; do echo "[$w]"; done\nexit 7\n')
        os.makedirs(self.path('env/bin'))
        shutil.copy(fake, self.path('env/bin/python'))
        if not os.path.exists(os.path.join(BUILD, 'python', 'footlight', '__init__.py')):
            self.skipTest('this build has no Python package')
        package = os.path.realpath(os.path.join(BUILD, 'python'))
        for environment in ({'FOOTLIGHT_PYTHON': fake}, {'VIRTUAL_ENV': self.path('env')},
                            {'PATH': self.path('bin') + ':' + os.environ['PATH']}):
            if 'PATH' in environment:
                os.makedirs(self.path('bin'))
                shutil.copy(fake, self.path('bin/python3'))
            code, out, err = run('record', '-o', 'a b', 's.py', '--x', '', PYTHONPATH='/mine', **environment)
            self.assertEqual((code, err), (7, ''))
            self.assertEqual(out.splitlines(), [package + ':/mine', f'[{package}/footlight_recorder/__main__.py]', '[-o]',
                                                '[a b]', '[s.py]', '[--x]', '[]'])
        code, out, err = run('record', 's.py', FOOTLIGHT_PYTHON=self.path('nothing'))
        self.assertEqual((code, out), (2, ''))
        self.assertIn('cannot start the Python interpreter ' + self.path('nothing'), err)

    def test_record_in_a_python_that_it_is_not_for(self):
        found = 0
        for minor in (6, 7, 8, 9, 10, 14):
            python = shutil.which(f'python3.{minor}')
            if python and subprocess.run([python, '-c', ''], capture_output=True).returncode == 0:
                found += 1
                code, out, err = run('record', 's.py', FOOTLIGHT_PYTHON=python)
                self.assertEqual((code, out, err.count('\n')), (2, '', 1), err)
                self.assertIn('is not supported: Footlight works with Python 3.11 to 3.13', err)
        if not found:
            self.skipTest('there is no such Python on the path')

    def test_a_sample_is_opened_as_a_copy(self):
        app = os.path.join(BUILD, 'bin', 'footlight-app')
        if not os.path.exists(app):
            self.skipTest('this build has no app')
        environment = dict(os.environ, QT_QPA_PLATFORM='offscreen', FOOTLIGHT_EXAMPLES=self.path('mine'))
        done = subprocess.run([app, '--sample', 'nope'], capture_output=True, text=True, env=environment)
        self.assertEqual(done.returncode, 2)
        self.assertIn("there is no sample 'nope'; the samples are: ", done.stderr)
        subprocess.run([app, '--sample', 'shapes.py', '--screenshot', self.path('x.png')], capture_output=True,
                       check=True, env=environment, timeout=100)
        with open(self.path('mine/shapes.py')) as copy, open(SAMPLE) as mine:
            self.assertEqual(copy.read(), mine.read())

    def test_a_file_becomes_the_app(self):
        os.makedirs(self.path('alone/bin'))
        program = shutil.copy(PROGRAM, self.path('alone/bin/footlight'))
        session = self.sample('a.footlight')
        environment = {**ENVIRONMENT, 'LD_LIBRARY_PATH': os.path.join(BUILD, 'lib'), 'PATH': self.path('alone/bin')}

        def call(*words):
            return subprocess.run([program, *words], capture_output=True, text=True, env=environment, timeout=60)
        done = call(session)
        self.assertEqual(done.returncode, 2)
        self.assertIn('cannot start footlight-app', done.stderr)
        self.script('alone/bin/footlight-app', '#!/bin/sh\necho "the app: $1"\n')
        self.assertEqual(call(session).stdout, f'the app: {session}\n')
        self.script('alone/bin/footlight-app', '#!/bin/sh\necho "$@"\n')
        words = ['--view', 'graph', '--select', "step#1;it's"]
        self.assertEqual(call(session, *words).stdout, ' '.join([session, *words]) + '\n')
        for words, why in ((['--select'], '--select needs a value'), (['--view=graph', '--run'], "not '--run'")):
            done = call(session, *words)
            self.assertEqual(done.returncode, 2)
            self.assertIn(why, done.stderr)
        self.assertEqual(call(self.path('missing')).returncode, 2)
