"""`footlight sql`: its numbers against what sqlite3 finds in the file and against the CSV tables; its forms; its errors."""
import contextlib
import csv
import io
import json
import os
import shutil
import sqlite3
import tempfile
import unittest

from footlight_program import make_session, run

# A table of SQL and the same table as CSV, with the columns whose names differ or that only one has.
RENAMED = {'ops': {'id': 'op_id', 'call': 'call_id'}, 'calls': {'id': 'call_id', 'parent': 'parent_id'},
           'device': {'op_id': 'op_id', 'call': 'call_id'}, 'nodes': {'node': 'node_id', 'name': 'node'},
           'traces': {}, 'phases': {}, 'keys': {}, 'functions': {}, 'graphs': {}, 'spans': {}, 'counters': {},
           'waits': {}, 'decisions': {}, 'console': {}, 'missing': {}}


class Sql(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.recording = make_session('make_export_session', os.path.join(cls.folder, 'run.footlight'))

    def run_sql(self, *words, **options):
        done = run('sql', *words, code=None, text=False, **options)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def ask(self, statement):
        code, out, err = self.run_sql(self.recording, statement, '--json')
        self.assertEqual((code, err), (0, ''), statement)
        return json.loads(out)

    def refuse(self, *words):
        code, out, err = self.run_sql(*words)
        self.assertEqual((code, out), (2, ''), words)
        return err

    def test_rates_of_ops_on_a_gpu_are_those_of_their_kernels(self):
        here = os.path.dirname(os.path.abspath(__file__))
        recording = os.path.join(here, '..', '..', 'resources', 'examples', 'gpu.footlight')
        wanted = ("SELECT op, sum(kernel_ns) AS kernel_ns, sum(coalesce(kernel_ns, took_ns)) AS compute_ns FROM "
                  "(SELECT op, op_id, duration_ns AS took_ns FROM ops) LEFT JOIN (SELECT op_id, sum(duration_ns) AS "
                  "kernel_ns FROM device WHERE kind = 'kernel' GROUP BY op_id) USING (op_id) GROUP BY op")
        for statement in (wanted, 'SELECT op, nullif(kernel_ns, 0) AS kernel_ns, compute_ns FROM op_totals'):
            code, out, err = self.run_sql(recording, statement + ' ORDER BY op', '--json')
            self.assertEqual((code, err), (0, ''))
            rows = json.loads(out)
            if statement == wanted:
                expected = rows
        self.assertEqual(rows, expected)
        by_op = {row['op']: row for row in rows}
        self.assertGreater(by_op['MatMul']['kernel_ns'], 1000)
        self.assertIsNone(by_op['Sum']['kernel_ns'])  # it ran on the host
        listed = json.loads(run('info', '--ops', '--json', recording).stdout)
        matmul = next(row for row in listed if row['op'] == 'MatMul')
        self.assertGreater(matmul['gflops_per_s'], 1000)  # not that of the launch, which loaded a library
        self.assertEqual(matmul['kernel_ns'], by_op['MatMul']['kernel_ns'])
        self.assertAlmostEqual(matmul['gflops_per_s'], matmul['flops'] / matmul['kernel_ns'], 2)

    def test_counts_are_those_of_the_file(self):
        with contextlib.closing(sqlite3.connect(self.recording)) as db:
            for ours, theirs in (('functions', 'function'), ('traces', 'trace'), ('nodes', 'node'), ('graphs', 'graph'),
                                 ('keys', 'key_leaf'), ('phases', 'trace_phase'), ('console', 'console'),
                                 ('missing', 'dropped'), ('tracks', 'track'), ('threads', 'thread'),
                                 ('changes', 'graph_change'), ('memory', 'graph_memory'),
                                 ('repetitions', 'comparison_run')):
                with self.subTest(ours):
                    expected = db.execute('SELECT count(*) FROM ' + theirs).fetchone()[0]
                    self.assertEqual(self.ask('SELECT count(*) AS n FROM ' + ours), [{'n': expected}])
            for ours, theirs in (('ops', 'op_chunk'), ('calls', 'call_chunk'), ('device', 'device_chunk'),
                                 ('spans', 'span_chunk'), ('counters', 'counter_chunk'), ('waits', 'wait_chunk')):
                with self.subTest(ours):
                    expected = db.execute('SELECT coalesce(sum(count), 0) FROM ' + theirs).fetchone()[0]
                    self.assertEqual(self.ask('SELECT count(*) AS n FROM ' + ours), [{'n': expected}])
            sums = dict(db.execute('SELECT op.name, sum(total_ns) FROM op_summary JOIN op ON op.id = op GROUP BY name'))
        ours = {row['op']: row['ns'] for row in self.ask('SELECT op, sum(duration_ns) AS ns FROM ops GROUP BY op')}
        self.assertEqual({op: ns for op, ns in ours.items() if op in sums}, sums)

    def test_cells_are_those_of_the_csv_tables(self):
        for table, renamed in RENAMED.items():
            with self.subTest(table):
                out = run('export', self.recording, '--format', 'csv', '--table', table, text=False).stdout.decode()
                header, *rows = csv.reader(io.StringIO(out, newline=''))
                names = [renamed.get(name, name) for name in header]
                code, out, err = self.run_sql(self.recording, f"SELECT {', '.join(names)} FROM {table}", '--csv')
                self.assertEqual((code, err), (0, ''))
                head, *found = csv.reader(io.StringIO(out, newline=''))
                self.assertEqual(head, names)
                # What is no number is NULL in SQL.
                self.assertEqual(found, [['' if cell == 'nan' else cell for cell in row] for row in rows])

    def test_ready_queries(self):
        code, out, err = self.run_sql('--queries')
        self.assertEqual((code, err), (0, ''))
        names = [line.split()[0] for line in out.splitlines()]
        self.assertGreaterEqual(len(names), 10)
        for name in names:
            code, out, err = self.run_sql(self.recording, '--query', name, '--json')
            self.assertEqual((code, err), (0, ''), name)
            json.loads(out)
        self.assertIn('no query', self.refuse(self.recording, '--query', 'nothing'))

    def test_arguments_that_vary_are_told_apart(self):
        different = {}
        for row in self.ask("SELECT function_id, path, type, shape, value FROM keys WHERE side = 'used'"):
            kinds = different.setdefault((row['function_id'], row['path']), set())
            kinds.add(tuple(row[name] or '' for name in ('type', 'shape', 'value')))
        wanted = {place: len(kinds) for place, kinds in different.items() if len(kinds) > 1}
        code, out, err = self.run_sql(self.recording, '--query', 'varying-arguments', '--json')
        self.assertEqual((code, err), (0, ''))
        rows = json.loads(out)
        self.assertEqual({(row['function_id'], row['path']): row['different'] for row in rows}, wanted)
        self.assertEqual(len(rows), len(wanted))

    def test_tables_are_listed(self):
        code, out, err = self.run_sql('--tables')
        self.assertEqual((code, err), (0, ''))
        listed = {line.split(':')[0] for line in out.splitlines() if not line.startswith(' ')}
        self.assertEqual(listed, {row['table_name'] for row in self.ask('SELECT DISTINCT table_name FROM columns')})

    def test_meanings_are_phrases(self):
        for row in self.ask('SELECT table_name, column_name, meaning FROM columns'):
            self.assertRegex(row['meaning'], r'^([A-Z]|1 )\S*( \S+)+$|^Signal|^Attributes', row)

    def test_forms(self):
        statement = "SELECT 1 AS a, 'x,\"y' AS b, 2.5 AS c, NULL AS d, x'00ff' AS e"
        self.assertEqual(self.ask(statement), [{'a': 1, 'b': 'x,"y', 'c': 2.5, 'd': None, 'e': "x'00ff'"}])
        code, out, err = self.run_sql(self.recording, statement, '--csv')
        self.assertEqual(out, 'a,b,c,d,e\r\n1,"x,""y",2.5,,x\'00ff\'\r\n')
        code, out, err = self.run_sql(self.recording, 'VALUES (1, \'a\'), (200, NULL)')
        self.assertEqual(out, 'column1  column2\n-------  -------\n      1  a\n    200\n')
        self.assertEqual(self.ask('SELECT 1 WHERE 0'), [])
        path = os.path.join(self.folder, 'out.json')
        code, out, err = self.run_sql(self.recording, statement, '--json', '-o', path)
        self.assertEqual((code, out, err), (0, '', ''))
        with open(path) as file:
            self.assertEqual(json.load(file)[0]['a'], 1)
        code, out, err = self.run_sql(self.recording, '-', '--csv', stdin=None, input=b'SELECT 7 AS n')
        self.assertEqual(out, 'n\r\n7\r\n')

    def test_a_statement_may_begin_with_a_comment(self):
        for words in ((self.recording, '-- the answer\nSELECT 42 AS n', '--csv'),
                      ('--csv', '--', self.recording, '--the answer\nSELECT 42 AS n')):
            self.assertEqual(self.run_sql(*words), (0, 'n\r\n42\r\n', ''))

    def test_small_numbers_and_empty_names(self):
        self.assertIn('0.0004', self.run_sql(self.recording, 'SELECT 0.0004 AS x')[1])
        self.assertEqual(self.run_sql(self.recording, 'SELECT 1 AS "", 2 AS b', '--csv')[1].splitlines()[0], ',b')

    def test_a_file_of_somebody_else_is_kept(self):
        for name, text in (('pyproject.toml', '[project]\nname = "x"\n'), ('notes', 'a line\r\nand another\r\n')):
            path = os.path.join(self.folder, name)
            with open(path, 'w', newline='') as file:
                file.write(text)
            for form in ('--json', '--csv'):
                self.assertEqual(self.run_sql(self.recording, 'SELECT 1', form, '-o', path)[0], 2, (name, form))
            with open(path, newline='') as file:
                self.assertEqual(file.read(), text)

    def test_a_limit_is_said(self):
        code, out, err = self.run_sql(self.recording, 'SELECT op FROM ops', '--csv', '--limit', '3')
        self.assertEqual((code, len(out.splitlines())), (0, 4))
        self.assertIn('more rows than 3', err)

    def test_what_is_refused(self):
        before = os.stat(self.recording)
        other = os.path.join(self.folder, 'other.db')
        for statement in ('DELETE FROM ops', 'CREATE TABLE t (x)', f"ATTACH '{other}' AS o",
                          f"VACUUM INTO '{other}'", 'PRAGMA journal_mode = WAL', "SELECT load_extension('x')",
                          'SELECT 1; DELETE FROM ops'):
            self.assertTrue(self.refuse(self.recording, statement).startswith('footlight: '), statement)
        self.assertFalse(os.path.exists(other))
        self.assertEqual(os.stat(self.recording).st_mtime_ns, before.st_mtime_ns)
        self.assertEqual(self.refuse(self.recording, 'SELECT functoin FROM calls'),
                         'footlight: There is no column functoin; did you mean function?\n'
                         '  SELECT functoin FROM calls\n         ^\n')
        self.assertIn('needs a statement', self.refuse(self.recording))
        self.assertIn('needs a recording', self.refuse())
        self.assertIn('--nothing', self.refuse(self.recording, 'SELECT 1', '--nothing'))
        self.refuse(os.path.join(self.folder, 'no such file'), 'SELECT 1')
