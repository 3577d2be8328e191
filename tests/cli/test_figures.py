"""What reports, `info` and diffs say of recordings against SQL over the same file: one number for one thing.

    test_figures.py [PROGRAM.py ...]    checks recordings of other programs
"""
import concurrent.futures
import glob
import html
import json
import os
import re
import sqlite3
import sys
import tempfile
import unittest

import footlight_program

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, '..', '..', 'resources', 'examples', '*.py')
RETRACES = os.path.join(HERE, '..', 'golden', 'retraces', '*.py')
IN_TRACES = os.path.join(HERE, 'traces_in_traces.py')
HIT, TRACE, FAILED = 0, 1, 3
CALL, RELAXED = 0, 4
MS = 1e6


def programs():
    return [p for pattern in (EXAMPLES, RETRACES, IN_TRACES) for p in sorted(glob.glob(pattern))
            if os.path.basename(p) not in ('run.py', 'keras_cnn.py')]


def run(*words):
    done = footlight_program.run(*words, code=None)
    if done.returncode and not (words[0] == 'diff' and done.returncode == 1):  # 1: they differ
        raise AssertionError(f"{' '.join(words)}: {done.stderr}")
    return done.stdout


def time_text(ns):
    """Three digits, as every view and report writes them."""
    for unit, size in (('s', 1e9), ('ms', 1e6), ('us', 1e3)):
        if ns >= size:
            value = ns / size
            digits = 0 if value >= 99.95 else 1 if value >= 9.995 else 2
            return f'{value:.{digits}f} {unit}'
    return f'{ns} ns'


class Recording:
    """A recorded program with what is said of it."""

    def __init__(self, script, folder):
        self.name = os.path.basename(script)
        self.path = os.path.join(folder, self.name + '.footlight')
        done = footlight_program.record(self.path, script, code=None)
        if not os.path.exists(self.path):
            raise AssertionError(done.stdout + done.stderr)
        self.db = sqlite3.connect(self.path, check_same_thread=False)
        self.report = json.loads(run('report', '--json', self.path))
        self.info = json.loads(run('info', '--json', self.path))
        self.markdown = run('report', '--markdown', self.path)
        self.html = html.unescape(re.sub('<[^>]*>', ' ', run('report', '--html', self.path)))

    def rows(self, query, *values):
        return self.db.execute(query, values).fetchall()

    def one(self, query, *values):
        return self.rows(query, *values)[0][0] or 0

    def functions(self, name, path, line):
        """The ids of what was made by one definition."""
        return [i for i, file, at, decorator in self.rows(
            'select function.id, file.path, line, decorator_line from function left join file on file.id = file '
            'where name = ?', name) if (file or '') == path and (at if at > 0 else decorator) == line]


def among(ids):
    return '(' + ', '.join(map(str, ids)) + ')'


class Figures(unittest.TestCase):
    scripts = ()

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            cls.recordings = list(pool.map(lambda p: Recording(p, cls.folder.name), cls.scripts or programs()))

    @classmethod
    def tearDownClass(cls):
        for r in cls.recordings:
            r.db.close()
        cls.folder.cleanup()

    @property
    def findings(self):
        return [(r, f) for r in self.recordings for f in r.report['findings']]

    def test_how_long_the_run_took(self):
        for r in self.recordings:
            with self.subTest(r.name):
                start = r.one("select value from meta where key = 'started_ns'") or r.info['started']
                ns = r.one('select time_ns from run_end') - start
                self.assertEqual(r.info['run_ns'], ns)
                self.assertAlmostEqual(r.report['run']['seconds'], ns / 1e9, delta=0.0006)
                self.assertIn('finished, ' + time_text(ns), r.html)

    def test_counts(self):
        for r in self.recordings:
            with self.subTest(r.name):
                calls = r.one('select sum(count) from call_summary')
                traces = r.one("select count(*) from trace where error = ''")
                self.assertEqual((r.info['calls'], r.report['summary']['calls']), (calls, calls))
                self.assertEqual((r.info['traces'], r.report['summary']['traces']), (traces, traces))
                self.assertEqual(r.info['nodes'], r.one('select count(*) from node'))
                self.assertEqual(r.info['op_events'], r.one('select sum(count) from op_summary'))
                self.assertIn(f"{calls} call{'' if calls == 1 else 's'}, {traces} "
                              f"trace{'' if traces == 1 else 's'}", r.markdown)

    def test_functions(self):
        for r in self.recordings:
            with self.subTest(r.name):
                for f in r.report['functions']:
                    ids = r.functions(f['function'], f['file'], f['line'])
                    self.assertTrue(ids, f)
                    count = 'select sum(count) from call_summary where function in ' + among(ids)
                    self.assertEqual([f['calls'], f['hits'], f['failed']],
                                     [r.one(count), r.one(count + ' and outcome = ?', HIT),
                                      r.one(count + ' and outcome = ?', FAILED)], f)
                    made = 'from trace where function in ' + among(ids)
                    self.assertEqual(f['traces'], r.one(f"select count(*) {made} and error = ''"))
                    ns = r.one('select sum(end_ns - start_ns) ' + made)
                    self.assertAlmostEqual(f['trace_ms'], ns / MS, delta=0.0006)
                    failed = r.one(f"select count(*) {made} and error != ''")
                    note = f', and {failed} failed' if failed else ''
                    self.assertIn(f"| {f['traces']}{note} | {time_text(ns)} |", r.markdown)
                    # What calls took besides: a trace that a call made, failed or not, lies inside of that call.
                    ns = r.one('select sum(total_ns) from call_summary where function in ' + among(ids))
                    ns -= r.one(f'select sum(end_ns - start_ns) {made} and reason in ({CALL}, {RELAXED})')
                    self.assertAlmostEqual(f['run_ms'], ns / MS, delta=0.0006)

    def test_tracing_counts_nested_traces_once(self):
        for r in self.recordings:
            with self.subTest(r.name):
                # Without the traces that lie inside others; no two of these programs' functions overlap otherwise.
                ns = r.one('select sum(end_ns - start_ns) from trace where not exists (select 1 from trace as outer '
                           'where outer.start_ns < trace.start_ns and outer.end_ns >= trace.end_ns)')
                self.assertAlmostEqual(r.report['summary']['trace_ms'], ns / MS, delta=0.0006)
                failed = r.one("select count(*) from trace where error != ''")
                self.assertEqual(r.report['summary']['failed_traces'], failed)
                also = f' and {failed} that failed' if failed else ''
                self.assertIn(f'{also} in {time_text(ns)};', r.markdown)

    def test_phases_of_a_trace_follow_each_other(self):
        for r in self.recordings:
            with self.subTest(r.name):
                for number, in r.rows(f"select id from trace where error = '' and reason in ({CALL}, {RELAXED})"):
                    phases = r.rows('select name, start_ns, end_ns from trace_phase where trace = ? and parent < 0 '
                                    'order by position', number)
                    names = [name for name, _, _ in phases]
                    self.assertEqual(names[:2], ['python', 'concrete'])
                    self.assertIn(names[2], ('compile', 'record'))
                    self.assertEqual([end for _, _, end in phases[:2]], [start for _, start, _ in phases[1:3]])

    def test_functions_are_defined_where_their_def_is(self):
        decorated = 0
        for r in self.recordings:
            with self.subTest(r.name):
                known = {(os.path.basename(f['file'] or ''), f['line'])
                         for f in json.loads(run('sql', r.path, 'SELECT file, line FROM functions', '--json'))}
                for f in r.report['functions']:
                    self.assertIn((os.path.basename(f['file']), f['line']), known)
                    place = f"{os.path.basename(f['file'])}:{f['line']}"
                    self.assertIn(f'| `{place}` |', r.markdown)
                    self.assertIn(place, r.html)
                    if not os.path.exists(f['file']):
                        continue
                    with open(f['file'], encoding='utf-8') as file:
                        text = file.read().split('\n')
                    self.assertFalse(text[f['line'] - 1].lstrip().startswith('@'), f)
                    decorated += text[f['line'] - 2].lstrip().startswith('@')
        self.assertGreater(decorated, 10)

    def test_what_findings_count(self):
        for r, f in self.findings:
            with self.subTest(r.name + ' ' + f['id']):
                if f['evidence']['counted'] != 'calls' or f['cause'] == 'eager_hot_loop':
                    continue
                function = next(x for x in r.report['functions'] if x['function'] == f['function'])
                self.assertEqual(f['evidence']['calls'], function['calls'])
                self.assertEqual(f['evidence']['traces'], function['traces'])
                self.assertAlmostEqual(f['cost_ms'], function['trace_ms'], delta=0.002)
                if f['checked']:
                    self.assertEqual(f['checked']['traces_before'] - f['checked']['traces_after'], f['saves']['traces'])
                    self.assertLessEqual(f['saves']['ms'], f['cost_ms'])

    def test_later_calls_are_those_that_the_trace_served(self):
        for r, f in self.findings:
            with self.subTest(r.name + ' ' + f['id']):
                if f['evidence']['counted'] != 'later calls':
                    continue
                name = f['function']
                hits = r.one('select sum(count) from call_summary join function on function.id = function where name = ? '
                             'and outcome = ?', name, HIT)
                self.assertLessEqual(f['evidence']['calls'], hits)
                self.assertRegex(f['message'], rf"\b{f['evidence']['calls']} later call")

    def test_a_pair_shows_what_the_sentence_says(self):
        pairs = 0
        for r, f in self.findings:
            with self.subTest(r.name + ' ' + f['id']):
                evidence = f['evidence']
                if 'pair' not in evidence:
                    continue
                pairs += 1
                words = evidence['pair']['difference'].replace('identical graphs', 'are identical')
                self.assertIn(words.replace('the graphs differ', 'differ'), r.markdown.replace('\\', ''))
                said = {'identical': ['identical graphs'], 'constants': ['the graphs differ only in']}.get(evidence['graphs'])
                if said:
                    self.assertTrue(evidence['pair']['difference'].startswith(tuple(said)), f)
                if evidence['pair']['left'] != evidence['pair']['right']:
                    graphs = [f"{r.path}:{f['function']}#{evidence['pair'][side]}"
                              for side in ('left', 'right')]
                    self.assertIn(evidence['pair']['difference'].split(', and what they')[0],
                                  run('diff', *graphs), f)
                for kind in ('constants', 'shapes', 'attributes'):
                    differ = re.search(r'graphs differ only in ([\w, ]+)', f['message'])
                    if differ and kind[:-1] in evidence['pair']['difference']:
                        self.assertIn(kind, differ.group(1), f)
        self.assertTrue(pairs or not self.recordings)

    def test_traces_say_why_as_the_finding_does(self):
        for r, f in self.findings:
            with self.subTest(r.name + ' ' + f['id']):
                if not (f['checked'] and f['checked']['ok']):
                    continue
                for number, why, nearest in r.rows(
                        'select number, why, nearest from trace join function on function.id = trace.function where '
                        'name = ? and nearest is not null', f['function']):
                    self.assertTrue(why, (number, nearest))
                if f['cause'] == 'function_made_in_loop':
                    self.assertEqual(r.html.count('the function was re-created'), f['saves']['traces'])

    def test_lines_are_where_the_code_is(self):
        for r, f in self.findings:
            with self.subTest(r.name + ' ' + f['id']):
                text = r.one('select text from file where path = ?', f['file']).split('\n')
                edit = f['fix']['edit']
                if edit:
                    self.assertIn(edit['old'].split('\n')[0], text[edit['line'] - 1])
                else:
                    self.assertIn(text[f['line'] - 1].strip(), r.html)
                self.assertIn(f"{os.path.basename(f['file'])}:{f['line']}", r.html)

    def test_percentages_name_the_run(self):
        for r in self.recordings:
            with self.subTest(r.name):
                for text in (r.markdown, r.html.split('Source')[0]):
                    for share in re.finditer(r'([\d.]+) %([^)]{0,24})', text):
                        self.assertTrue(share.group(2).startswith(' of the run ('), share.group(0))
                for f in r.report['functions']:
                    ids = r.functions(f['function'], f['file'], f['line'])
                    ns = r.one("select sum(end_ns - start_ns) from trace where error = '' and function in " + among(ids))
                    if ns:
                        share = min(100, 100 * ns / r.info['run_ns'])
                        words = f'{share:.1f}' if share >= 0.05 else 'less than 0.1'
                        self.assertRegex(r.html, f"{f['traces']} traces?, {re.escape(time_text(ns))}, {words} % of the run")
                for f in r.report['findings']:
                    cost = re.search(rf"F{f['id'][1:]}: .*?Cost: (?:all its tracing took )?([\d.]+ \w+), "
                                     r'(?:less than )?([\d.]+) %', r.markdown, re.S)
                    if f['severity'] == 'wrong_result' or not f['cost_ms']:
                        continue
                    self.assertTrue(cost, f['id'])
                    self.assertAlmostEqual(float(cost.group(2)), min(100, f['cost_ms'] / 10 / r.report['run']['seconds']),
                                           delta=0.15)

    def test_nothing_unchecked_saves(self):
        for r, f in self.findings:
            with self.subTest(r.name + ' ' + f['id']):
                if not f['checked']:
                    self.assertIsNone(f['saves']['ms'])
                    self.assertIn('Not verified', f['message'])
                    self.assertNotRegex(f['message'], 'saves')


if __name__ == '__main__':
    Figures.scripts = [a for a in sys.argv[1:] if a.endswith('.py')]
    unittest.main(argv=[a for a in sys.argv if a not in Figures.scripts or a == sys.argv[0]])
