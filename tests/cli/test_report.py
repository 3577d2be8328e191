"""`footlight report`: its three forms say the same as the script's own count, and hold whatever a session holds."""
import html.parser
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time
import unittest

import footlight_program
from footlight_program import ENVIRONMENT, PROGRAM

# The program starts a Python of its own, into which no sanitizer is loaded.
RUNS_PYTHON = unittest.skipIf('LD_PRELOAD' in os.environ, 'a sanitized extension needs its library loaded first')
SCRIPT = '''import tensorflow as tf
@tf.function
def inner(x):
    return x + 1.0
@tf.function
def step(x, rate):
    return inner(x) * rate
for i in range(6):
    for _ in range(3):
        step(tf.ones([4]), 0.1 * (i + 1))
print('traced', step.experimental_get_tracing_count(), inner.experimental_get_tracing_count())
'''
HOSTILE = '<img src=x onerror=alert(1)>|`*_\x1b[31m\x00\xff"'


class Page(html.parser.HTMLParser):
    """Collects the tags, the text, and whatever would load something."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.text, self.loads = [], [], '', []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        if tag not in ('meta', 'rect', 'polygon', 'path', 'ellipse', 'text', 'polyline'):
            self.open.append(tag)
        self.loads += [(k, v) for k, v in attributes if k in ('src', 'href', 'data', 'xlink:href') or k.startswith('on')]

    def handle_endtag(self, tag):
        if self.open and self.open[-1] == tag:
            self.open.pop()

    def handle_data(self, data):
        self.text += data


class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.script = os.path.join(cls.folder, 'script.py')
        cls.session, out = cls.recorded('script', SCRIPT)
        cls.counted = [int(n) for n in re.search(r'traced (\d+) (\d+)', out).groups()]

    @classmethod
    def recorded(cls, name, text, *arguments):
        """Records a script of the folder; returns the recording's path and what the script printed."""
        script, session = (os.path.join(cls.folder, name + ending) for ending in ('.py', '.footlight'))
        with open(script, 'w', encoding='utf-8') as file:
            file.write(text)
        return session, footlight_program.record(session, script, *arguments).stdout

    def run_report(self, *words, session=None, code=0):
        done = footlight_program.run('report', session or self.session, *words, code=code, text=False)
        return done.stdout.decode('utf-8'), done.stderr.decode('utf-8')

    def hostile_session(self):
        """The recording with hostile text wherever there is text."""
        path = os.path.join(self.folder, 'hostile.footlight')
        shutil.copy(self.session, path)
        with sqlite3.connect(path) as db:
            for table, column in (('function', 'name'), ('file', 'text'), ('trace', 'why'), ('trace', 'signature'),
                                  ('key_leaf', 'value'), ('key_leaf', 'parameter'), ('code', 'qualname'),
                                  ('trace_differing', 'path'), ('node', 'name')):
                db.execute(f'update {table} set {column} = cast(? as text)', (HOSTILE.encode('latin-1'),))
        return path

    def test_markdown_is_inert_and_terminals_get_no_controls(self):
        path = os.path.join(self.folder, 'live.footlight')
        shutil.copy(self.session, path)
        live = ['@everyone', '$x^2$', 'http://bad.example/', 'www.bad.example', '#12', '<b>', '[a](b)', '![c](d)', '~~gone~~',
                '``three```', '&lt;', 'a|b', '@a|b']
        name = '- ' + ' '.join(live) + ' \x9b31m\u202eabc\u2066\u2028'
        with sqlite3.connect(path) as db:
            db.execute('update function set name = cast(? as text)', (name.encode() + b'\x9b\xff',))
        text = self.run_report(session=path)[0]
        self.assertNotRegex(text, '[\x80-\x9f\u2028-\u202e\u2066-\u2069]')
        self.assertIn('\ufffd31m\ufffdabc', text)
        [row] = [line for line in text.splitlines() if line.startswith('| - ') and 'abc' in line][:1]
        for word in live[:5]:
            self.assertIn(f' `{word}` ', row)
        for word in ('\\<b\\>', '\\[a\\](b)', '\\!\\[c', '\\~\\~gone', '\\&lt;', 'a\\|b', '`@a\\|b`'):
            self.assertIn(word, row)
        # A code span's fence is longer than what stands in it.
        self.assertIn('\n\n````- @everyone $x^2$', text)
        # In JSON the same text is escaped; it is whole, but for what is no UTF-8.
        raw = self.run_report('--json', session=path)[0]
        self.assertNotRegex(raw, '[\x80-\x9f\u2028-\u202e\u2066-\u2069]')
        self.assertIn(name + '\ufffd\ufffd', {f['function'] for f in json.loads(raw)['functions']})
        for words in (('info', path), ('info', path, '--json'), ('info', path, '--ops'), ('diff', path, self.session),
                      ('compare', path, self.session), ('export', path, '--format', 'dot', '--graph', 'nothing'),
                      ('export', path, '--format', 'dot', '--graph', '\u202e\x9b')):
            done = footlight_program.run(*words, code=None, text=False)
            for shown in (done.stdout, done.stderr):
                self.assertNotRegex(shown.decode('utf-8'), '[\x80-\x9f\u2028-\u202e\u2066-\u2069\x1b]', words)

    @RUNS_PYTHON
    def test_nothing_found_is_said_where_something_could_be_looked_for(self):
        text, plain = os.path.join(self.folder, 'module.txt'), os.path.join(self.folder, 'plain.py')
        with open(text, 'w') as file:
            file.write('HloModule m\n\nENTRY main {\n  p = f32[4]{0} parameter(0)\n  ROOT a = f32[4]{0} add(p, p)\n}\n')
        with open(plain, 'w') as file:
            file.write('import tensorflow as tf\nprint(tf.ones([2]) + 1.0)\n')
        eager = os.path.join(self.folder, 'plain.footlight')
        footlight_program.run('record', plain, '-o', eager)
        for session, said, not_said in (
                (text, 'nothing of it ran, so no problem could be looked for', 'none of the known problems'),
                (eager, 'no function was traced, and 2 ops ran one by one, so causes of retraces could not be',
                 'nothing of it ran')):
            for form in ([], ['--github'], ['--html']):
                with self.subTest(session, form=form):
                    report = self.run_report(*form, session=session)[0]
                    self.assertIn(said, report)
                    self.assertNotIn(not_said, report)

    def test_json_says_what_the_script_counted(self):
        report = json.loads(self.run_report('--json')[0])
        self.assertEqual((report['format'], report['version']), ('footlight-report', 1))
        functions = {f['function']: f for f in report['functions']}
        self.assertEqual([functions['step']['traces'], functions['inner']['traces']], self.counted)
        self.assertEqual((functions['step']['calls'], functions['step']['hits']), (18, 12))
        self.assertEqual(functions['inner']['calls'], 6)  # while step was traced
        self.assertEqual(report['run']['script'], self.script)
        self.assertEqual((report['run']['exit'], report['run']['error']), (0, None))
        self.assertEqual(report['summary']['traces'], sum(self.counted))
        self.assertEqual(report['summary']['removable_traces'], 5)
        [finding] = report['findings']
        self.assertEqual({k: finding[k] for k in ('id', 'function', 'cause', 'severity', 'file', 'line', 'path',
                                                  'parameter')},
                         {'id': 'F1', 'function': 'step', 'cause': 'python_scalar_argument', 'severity': 'cost',
                          'file': self.script, 'line': 10, 'path': 'args[1]', 'parameter': 'rate'})
        self.assertEqual((finding['evidence']['distinct'], finding['evidence']['calls'], finding['evidence']['traces']),
                         (6, 18, 6))
        self.assertEqual(finding['checked'], {'method': 'replay', 'ok': True, 'traces_before': 6, 'traces_after': 1})
        self.assertEqual(finding['fix']['edit']['new'], 'step(tf.ones([4]), tf.constant(0.1 * (i + 1)))')
        times = {f['function']: f['trace_ms'] for f in report['functions']}
        with sqlite3.connect(self.session) as db:
            rows = dict(db.execute('select f.name, sum(t.end_ns - t.start_ns) / 1e6 from trace t, function f '
                                   'where f.id = t.function group by f.name'))
        for name, milliseconds in rows.items():
            self.assertAlmostEqual(times[name], milliseconds, places=2)

    @RUNS_PYTHON
    def test_fixes_that_help_only_together(self):
        """Two numbers and a shape that differ in each call; and a shape that helps once the number is mended."""
        for body, wanted in (('lr, size = 0.1 / (i + 1), i + 3', {'F1': ['F2'], 'F2': ['F1']}),
                             ('lr, size = 0.1 / (i // 2 + 1), i % 15 + 3', {'F1': [], 'F2': ['F1']})):
            session, _ = self.recorded('together', """import tensorflow as tf
@tf.function
def step(x, lr, k):
    return tf.reduce_sum(x) * lr + k
for i in range(30):
    %s
    step(tf.ones([size]), lr, tf.constant(1.0))
""" % body)
            replayed = json.loads(self.run_report('--json', session=session)[0])['findings']
            self.assertEqual({f['id']: f['after'] for f in replayed}, wanted)
            self.assertEqual(sorted(f['cause'] for f in replayed), ['python_scalar_argument', 'varying_shape'])
            found, said = self.run_report('--json', '--rerun', session=session)
            found = json.loads(found)['findings']
            for finding in found:
                self.assertEqual((finding['checked']['method'], finding['checked']['ok']), ('rerun', True), finding)
                after = finding['after']
                if after:
                    words = 'together with ' if finding['id'] in wanted[after[0]] else 'after '
                    self.assertIn(f'Run again with the change {words}{after[0]}: ', finding['message'])
                    self.assertIn(f"with the fix of {finding['id']}, {words}{after[0]}", said)
                    self.assertLessEqual(finding['checked']['traces_after'], 2)
            if not found[0]['after']:  # what is left then is where the other begins
                self.assertEqual(found[0]['checked']['traces_after'], found[1]['checked']['traces_before'])

    @RUNS_PYTHON
    def test_numbers_that_change_together_become_tensors_of_what_the_graph_made_of_them(self):
        session, _ = self.recorded('changing', """import tensorflow as tf
@tf.function
def step(x, lr, k):
    return x * lr + k
for i in range(8):
    lr, k = 0.1 / (i + 1), i * 2 + 1
    step(tf.ones([2]), lr, k)
""")
        [finding] = json.loads(self.run_report('--json', '--rerun', session=session)[0])['findings']
        self.assertEqual(finding['also_paths'], ['args[2]'])
        self.assertEqual(finding['fix']['edit']['new'],
                         'step(tf.ones([2]), tf.constant(lr), tf.constant(k, tf.float32))')
        self.assertEqual(finding['checked'], {'method': 'rerun', 'ok': True, 'traces_before': 8, 'traces_after': 1})

    @RUNS_PYTHON
    def test_functions_of_one_definition(self):
        """A factory makes four functions of one definition: info says both numbers, the report counts definitions."""
        session, _ = self.recorded('factory', """import tensorflow as tf
def make(k):
    @tf.function
    def scale(x):
        return x * k
    return scale
for scale in [make(float(k)) for k in range(4)]:
    scale(tf.ones([2]))
""")
        info = [footlight_program.run('info', *more, session).stdout for more in ([], ['--json'])]
        self.assertIn('functions      4, of 1 definition\n', info[0])
        said = json.loads(info[1])
        summary = json.loads(self.run_report('--json', session=session)[0])['summary']
        self.assertEqual((said['functions'], said['definitions'], summary['functions']), (4, 1, 1))

    @RUNS_PYTHON
    def test_each_moment_of_tracing_counts_once(self):
        """The script's own clock stands around all calls of a function; 0.1 s passes in each of its traces."""
        session, printed = self.recorded('moments', '''import time
import tensorflow as tf
made = []
@tf.function
def makes_variables(x):
    time.sleep(0.1)
    if not made:
        made.append(tf.Variable(1.0))
    return x * made[0]
@tf.function
def fails(x):
    time.sleep(0.1)
    raise ValueError('refused')
@tf.function
def recurses(x, depth):
    time.sleep(0.1)
    return recurses(x, depth - 1) + 1.0 if depth else x
def attempt(x):
    try:
        fails(x)
    except ValueError:
        pass
x = tf.ones([2])
for name, call in (('makes_variables', lambda: makes_variables(x)), ('fails', lambda: attempt(x)),
                   ('recurses', lambda: recurses(x, 3))):
    start = time.perf_counter()
    call()
    print(name, time.perf_counter() - start)
''')
        took = dict(line.split() for line in printed.splitlines())
        functions = {f['function']: f for f in json.loads(self.run_report('--json', session=session)[0])['functions']}
        for name, traces in (('makes_variables', 2), ('fails', 1), ('recurses', 4)):
            with self.subTest(name):
                f = functions[name]
                self.assertGreaterEqual(f['trace_ms'], 100 * traces)
                self.assertLessEqual(f['trace_ms'] + f['run_ms'], 1000 * float(took[name]))
        page = self.run_report('--html', session=session)[0]
        self.assertRegex(page, r'→ makes_variables <span class="dim">2 traces, ')

    @RUNS_PYTHON
    def test_running_again_with_the_fix(self):
        runs = os.path.join(self.folder, 'runs')
        with open(os.path.join(self.folder, 'beside.py'), 'w', encoding='utf-8') as file:
            file.write('COUNT = 120\n')
        session, _ = self.recorded('again', """import sys
import tensorflow as tf
import beside
open(sys.argv[1], 'a').write('run ')
@tf.function
def unrolled(x):
    for _ in range(beside.COUNT):
        x = x + 1.0
    return x
@tf.function
def scaled(x, rate):
    return x * rate
unrolled(tf.ones([2]))
for i in range(6):
    scaled(tf.ones([2]), 0.5 * i)
""", runs)

        def count():
            with open(runs, encoding='utf-8') as file:
                return file.read().count('run')
        before = {f['cause']: f for f in json.loads(self.run_report('--json', session=session)[0])['findings']}
        self.assertEqual(count(), 1)
        self.assertIs(before['unrolled_loop']['checked'], False)
        out, said = self.run_report('--json', '--rerun', session=session)
        self.assertEqual(said.count('running'), 2)
        self.assertEqual(count(), 3)
        after = {f['cause']: f['checked'] for f in json.loads(out)['findings']}
        self.assertEqual(after, {
            'unrolled_loop': {'method': 'rerun', 'ok': True, 'traces_before': 1, 'traces_after': 1},
            'python_scalar_argument': {'method': 'rerun', 'ok': True, 'traces_before': 6, 'traces_after': 1}})

    @RUNS_PYTHON
    def test_running_again_measures_what_a_pipeline_makes_the_program_wait(self):
        """A sleep of 5 ms for each element, in turn and then in several threads: the script counts its wait itself."""
        session, printed = self.recorded('waits', """import time
import tensorflow as tf
def slow(i):
    time.sleep(0.005)
    return tf.cast(i, tf.float32)
def load(i):
    return tf.py_function(slow, [i], tf.float32)
data = tf.data.Dataset.range(60)
data = data.map(load)
data = data.batch(2)
@tf.function
def step(x):
    return tf.reduce_sum(x)
begin = time.perf_counter()
for x in data:
    step(x)
print(time.perf_counter() - begin)
""")
        [finding] = json.loads(self.run_report('--json', '--rerun', session=session)[0])['findings']
        self.assertEqual((finding['cause'], finding['line']), ('starved_by_input', 9))
        kinds = footlight_program.run('sql', session, '--csv', 'select function, kind from functions order by 1').stdout
        self.assertEqual(kinds.split()[1:], ['Dataset_map_load,dataset', 'step,tf.function'])
        self.assertAlmostEqual(finding['cost_ms'], 1e3 * float(printed), delta=0.3 * finding['cost_ms'])
        checked = finding['checked']
        self.assertEqual((checked['method'], checked['ok']), ('rerun', True), finding)
        self.assertNotIn('traces became', finding['message'])
        if 'cost_after_ms' in checked:  # else the wait is gone
            self.assertEqual(checked['cost_before_ms'], finding['cost_ms'])
            self.assertLess(checked['cost_after_ms'], 0.8 * finding['cost_ms'])
            self.assertAlmostEqual(finding['saves']['ms'], finding['cost_ms'] - checked['cost_after_ms'], places=2)
        text = self.run_report('--rerun', session=session)[0]
        self.assertNotIn('it does not help', text)
        self.assertNotIn('of tracing', text.split('## Functions')[0].split('## Findings')[1])

    @RUNS_PYTHON
    def test_a_fix_that_breaks_the_calls_is_no_help(self):
        session, _ = self.recorded('breaks', """import tensorflow as tf
@tf.function
def f(x, n):
    whole = n.is_integer()
    return x * n
for i in range(6):
    try:
        f(tf.ones([2]), 0.5 * i)
    except AttributeError:
        pass
""")
        [finding] = json.loads(self.run_report('--json', '--rerun', session=session)[0])['findings']
        self.assertEqual((finding['checked']['method'], finding['checked']['ok']), ('rerun', False))
        self.assertIn('calls fail with the change', finding['message'])
        with open(os.path.join(self.folder, 'breaks.py'), 'a', encoding='utf-8') as file:
            file.write('# changed\n')
        self.assertIn('not what was recorded', self.run_report('--json', '--rerun', session=session, code=2)[1])

    @RUNS_PYTHON
    def test_another_fix_is_run_where_the_first_fails(self):
        session, _ = self.recorded('other', """import tensorflow as tf
seen = []
@tf.function
def step(x):
    if 'None' in str(x.shape) and not seen:
        raise ValueError('the first call has to know its size')
    seen.append(1)
    return tf.reduce_sum(x)
for n in range(2, 10):
    step(tf.ones([n]))
""")
        out, said = self.run_report('--json', '--rerun', session=session)
        [finding] = json.loads(out)['findings']
        self.assertEqual(finding['fix']['text'], 'reduce_retracing=True')
        self.assertIn('reduce_retracing=True', finding['fix']['edit']['new'])
        self.assertEqual(finding['checked'], {'method': 'rerun', 'ok': True, 'traces_before': 8, 'traces_after': 2})
        first = finding['alternatives'][0]
        self.assertIn('TensorSpec', first['text'])
        self.assertEqual((first['checked']['method'], first['checked']['ok'], first['edit']), ('rerun', False, None))
        self.assertIn('with the other fix of F1', said)

    @RUNS_PYTHON
    def test_an_interrupt_leaves_nothing_behind(self):
        waits, began = os.path.join(self.folder, 'waits'), os.path.join(self.folder, 'began')
        session, _ = self.recorded('slow', f"""import os, time
import tensorflow as tf
@tf.function
def f(x, n):
    return x * n
if os.path.exists({waits!r}):
    open({began!r}, 'w').write(str(os.getpid()))
    time.sleep(300)
for i in range(6):
    f(tf.ones([2]), 0.5 * i)
""")
        open(waits, 'w').close()
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number), tempfile.TemporaryDirectory() as temporary:
                process = subprocess.Popen([PROGRAM, 'report', '--rerun', session], stdout=subprocess.DEVNULL,
                                           stderr=subprocess.DEVNULL, env={**ENVIRONMENT, 'TMPDIR': temporary})
                self.wait_for(lambda: os.path.exists(began) and os.path.getsize(began))
                self.assertEqual(len(os.listdir(temporary)), 1)
                process.send_signal(number)
                self.assertEqual(process.wait(60), -number)
                self.assertEqual(os.listdir(temporary), [])
                with open(began, encoding='utf-8') as file:
                    script_process = int(file.read())
                self.wait_for(lambda: not os.path.exists(f'/proc/{script_process}'))
                os.remove(began)

    def wait_for(self, condition):
        for _ in range(6000):
            if condition():
                return
            time.sleep(.01)
        self.fail('it does not happen')

    def test_a_budget_of_retraces(self):
        self.run_report('--json', '--max-retraces', '5')
        _, said = self.run_report('--json', '--max-retraces', '4', code=3)
        self.assertIn('5 retraces, 4 are allowed', said)
        self.assertIn('takes a number', self.run_report('--max-retraces', 'few', code=2)[1])

    def test_a_budget_of_seconds(self):
        with sqlite3.connect(f'file:{self.session}?mode=ro', uri=True) as db:
            # Traces of one thread, the inner ones within the outer ones, are a union of spans.
            spans = sorted(db.execute('SELECT start_ns, end_ns FROM trace').fetchall())
        took, until = 0, 0
        for start, end in spans:
            took, until = took + max(0, end - max(start, until)), max(until, end)
        _, said = self.run_report('--max-compile-seconds', str(took / 1e9 * 0.99), code=3)
        self.assertRegex(said, r'footlight: 0\.\d\d s of tracing and compiling, 0\.\d\d s are allowed')
        self.run_report('--max-compile-seconds', str(took / 1e9 * 1.2))
        _, said = self.run_report('--max-compile-seconds', '0', '--max-retraces', '0', code=3)
        self.assertEqual(len(said.splitlines()), 2)
        for wrong in ('soon', 'nan', '-1', 'inf'):
            self.assertIn('takes a number of seconds', self.run_report('--max-compile-seconds', wrong, code=2)[1])

    def test_github(self):
        report = json.loads(self.run_report('--json')[0])
        text, said = self.run_report('--github', '--max-retraces', '2', code=3)
        self.assertTrue(text.startswith('## Footlight: script.py\n\n**Too many: 5 retraces, 2 are allowed.**\n'), text)
        finding = report['findings'][0]
        self.assertIn(f'| F1: {finding["title"]} | `step` | `script.py:{finding["line"]}` |', text)
        self.assertIn('<details><summary>Evidence and fix</summary>\n\n', text)
        self.assertIn('```diff\n-', text)
        self.assertEqual(text.count('<details>'), text.count('</details>'))
        self.assertIn('<details><summary>2 functions</summary>\n\n| function |', text)
        lines = said.splitlines()
        self.assertTrue(lines[0].startswith(f'::warning file={self.script},line={finding["line"]},title='), lines)
        self.assertEqual(lines[-2:], ['::error title=Footlight::5 retraces, 2 are allowed',
                                      'footlight: 5 retraces, 2 are allowed'])
        done = footlight_program.run('report', '--github', self.session,
                                     env={**ENVIRONMENT, 'GITHUB_WORKSPACE': self.folder})
        self.assertTrue(done.stderr.startswith('::warning file=script.py,line='), done.stderr)
        self.assertNotIn('::error', done.stderr)

    def test_github_gets_nothing_live(self):
        self.assertNotRegex(self.run_report('--github', session=self.hostile_session())[0], r'(?<!\\)<img')
        path = os.path.join(self.folder, 'commands.footlight')
        shutil.copy(self.session, path)
        live = 'a,b::c\n::error::x%y @everyone <b>'
        with sqlite3.connect(path) as db:
            db.execute('update function set name = ?', (live,))
            db.execute("update key_leaf set parameter = ? where parameter = 'rate'", (live,))
            db.execute("update function_parameter set name = ? where name = 'rate'", (live,))
        text, said = self.run_report('--github', session=path)
        self.assertNotRegex(re.sub('`[^`]*`', '', text), r'(?<!\\)<b>')  # in code it is no markup
        self.assertIn('%25y', said)
        self.assertEqual({line.partition(' ')[0] for line in said.splitlines()}, {'::warning'})

    def test_a_fragment_of_html(self):
        report = json.loads(self.run_report('--json')[0])
        text, _ = self.run_report('--html', '--fragment')
        page = Page(text)
        self.assertEqual((page.open, page.loads), ([], []))
        self.assertTrue(text.startswith('<div class="footlight"><style>'))
        self.assertFalse({'html', 'body', 'script', 'head', 'title'} & set(page.tags))
        self.assertIn(report['findings'][0]['title'], page.text)
        self.assertIn(report['findings'][0]['place'], page.text)
        for function in report['functions']:
            self.assertIn(f'<td class="v">{function["function"]}</td>', text)
            self.assertIn(f'<td class="n">{function["calls"]}</td>', text)
        hostile = Page(self.run_report('--html', '--fragment', session=self.hostile_session())[0])
        self.assertNotIn('img', hostile.tags)
        self.assertEqual(hostile.loads, [])
        self.assertIn('add that', self.run_report('--fragment', code=2)[1])

    @RUNS_PYTHON
    def test_programs_that_end_at_once(self):
        """os._exit() runs no exit handler; what was recorded before it is written all the same. A kill leaves a gap."""
        loop = SCRIPT.replace('print(', 'import os\n%s\nprint(')
        for ending, status in (('os._exit(7)', 7), ('os.kill(os.getpid(), 9)', 137)):
            with self.subTest(ending), tempfile.TemporaryDirectory() as folder:
                script, session = os.path.join(folder, 'script.py'), os.path.join(folder, 'run.footlight')
                with open(script, 'w', encoding='utf-8') as file:
                    file.write(loop % ending)
                footlight_program.run('record', script, '-o', session, code=status)
                report = json.loads(self.run_report('--json', session=session)[0])
                self.assertEqual(report['run']['exit'], status)
                if status == 7:
                    self.assertEqual((report['summary']['calls'], report['run']['gaps']), (24, []))
                    self.assertEqual([f['cause'] for f in report['findings']], ['python_scalar_argument'])
                else:
                    self.assertIn('was killed', report['run']['gaps'][0])

    def test_markdown(self):
        text, _ = self.run_report()
        self.assertIn('2 traced functions, 24 calls, 7 traces', text)
        self.assertIn('### F1: rate is a Python number that changes', text)
        self.assertIn('+step(tf.ones([4]), tf.constant(0.1 * (i + 1)))', text)
        self.assertIn('Replayed: saves 5 of 6 traces', text)
        self.assertIn('Or: Keep rate in a tf.Variable and assign to it (Replayed: saves 5 of 6 traces).', text)

    def test_html_is_one_file_that_loads_nothing(self):
        out = os.path.join(self.folder, 'report.html')
        self.assertEqual(self.run_report('--html', '-o', out)[0], '')
        with open(out, encoding='utf-8') as file:
            page = Page(file.read())
        self.assertEqual((page.open, page.loads), ([], []))
        self.assertNotIn('script', page.tags)
        self.assertIn('5 of 7', page.text)
        self.assertIn('rate is a Python number that changes', page.text)
        self.assertIn('Or: Keep rate in a tf.Variable', page.text)
        self.assertEqual(page.text.count('value of rate, nearest #'), 5)

    def test_hostile_text_stays_text(self):
        session = self.hostile_session()
        json.loads(self.run_report('--json', session=session)[0])
        page = Page(self.run_report('--html', session=session)[0])
        self.assertEqual(page.loads, [])
        self.assertNotIn('img', page.tags)
        for form in ('--html', '--markdown'):
            text = self.run_report(form, session=session)[0]
            self.assertNotIn('\x1b', text)
            self.assertNotIn('\x00', text)

    def test_words_that_make_no_sense(self):
        for words in (['--xml'], ['a', 'b'], ['-o']):
            self.assertIn('footlight report FILE', self.run_report(*words, code=2)[1])
        self.assertIn('nothing.footlight', self.run_report(session='nothing.footlight', code=2)[1])
        self.assertIn('/no/such/folder/x', self.run_report('-o', '/no/such/folder/x', code=2)[1])
