"""`footlight export`: every format, counted and compared with the others, with what sqlite3 finds in the session and
with hostile names."""
import collections
import contextlib
import csv
import io
import json
import os
import pty
import re
import shutil
import sqlite3
import subprocess
import unittest
import xml.etree.ElementTree

from folder_case import FolderCase
from footlight_program import ENVIRONMENT, PROGRAM, make_session, run
from perfetto import Perfetto

SOURCE = os.environ.get('FOOTLIGHT_SOURCE', os.path.join(os.path.dirname(__file__), '..', '..'))
DOT = shutil.which('dot')
TABLES = ('ops calls traces phases keys functions graphs nodes edges device spans counters waits decisions console '
          'missing').split()
HOSTILE = [b'quote " and \\ and \\N\\l', b'bad \xff\xfe utf-8 \xed\xa0\x80', b'null \0 inside', b'\x1b[31mred\x1b[0m',
           b'=cmd|calc', b'@sum(1)', b'-x', b'+1e', b'-1.5', b'+7', b'line\nbreak\r\nand, comma',
           b'<b>&amp;</b> &lt; ]]>',
           '\u202eright to left \U0001f600 \ufffe'.encode(), b'', b'a' * 3000, b'"];} digraph {', b'\x7f\x01\x1f']


def export(*words, **options):
    """The exit code, the output as bytes and the error output."""
    done = run('export', *words, code=None, text=False, **options)
    return done.returncode, done.stdout, (done.stderr or b'').decode(errors='replace')


class Export(FolderCase):
    def sample_session(self, *seed):
        return make_session('make_export_session', self.path(f"run{'_'.join(seed)}.footlight"), *seed)

    def ok(self, *words):
        code, out, err = export(*words)
        self.assertEqual((code, err), (0, ''), words)
        return out

    def chrome(self, path):
        return json.loads(self.ok(path, '--format', 'chrome').decode('utf-8'))

    def table(self, path, name):
        text = self.ok(path, '--format', 'csv', '--table', name).decode('utf-8')
        self.assertTrue(text.endswith('\r\n'))
        header, *rows = csv.reader(io.StringIO(text, newline=''))
        for row in rows:
            self.assertEqual(len(row), len(header), row)
        return [dict(zip(header, row)) for row in rows]

    def info(self, path, *words):
        return json.loads(run('info', '--json', path, *words).stdout)

    def count(self, path, table):
        with contextlib.closing(sqlite3.connect(path)) as db:
            return db.execute('SELECT count(*) FROM ' + table).fetchone()[0]

    def refuse(self, *words, **options):
        code, out, err = export(*words, **options)
        self.assertEqual(code, 2, words)
        self.assertFalse(out)
        self.assertTrue(err.startswith('footlight: '), err)
        return err

    # --- timelines ------------------------------------------------------------------------------------------------

    def slices_of(self, trace):
        """Chrome's slices by track, in the file's order: (name, start, end) in ns."""
        tracks = collections.defaultdict(list)
        for e in trace['traceEvents']:
            if e['ph'] == 'X':
                start, length = round(e['ts'] * 1000), round(e['dur'] * 1000)
                tracks[e['pid'], e['tid']].append((e['name'], start, start + length))
        return tracks

    def check_nesting(self, trace):
        for slices in self.slices_of(trace).values():
            self.assertEqual([s[1] for s in slices], sorted(s[1] for s in slices))
            stack = []
            for name, start, end in slices:
                while stack and stack[-1][1] <= start:
                    stack.pop()
                if stack:
                    self.assertLessEqual(end, stack[-1][1], (name, stack))
                stack.append((start, end))

    def expected_slices(self, path):
        """How many slices of each name the tables have, and when."""
        found = collections.Counter()
        for table, name in (('ops', '{op}'), ('calls', '{function}'), ('spans', '{name}'), ('device', '{name}'),
                            ('waits', 'wait for the trace of {function}'), ('traces', '{kind} {function}#{trace}'),
                            ('phases', '{phase}')):
            for row in self.table(path, table):
                if row['start_ns']:
                    found[name.format_map(row), int(row['duration_ns'])] += 1
        return found

    def check_timeline(self, path):
        trace = self.chrome(path)
        self.check_nesting(trace)
        expected = self.expected_slices(path)
        chrome = collections.Counter((name, end - start) for slices in self.slices_of(trace).values()
                                     for name, start, end in slices)
        self.assertEqual(chrome, expected)
        perfetto = Perfetto(self.ok(path, '--format', 'perfetto'))
        # The same slices at the same places of both.
        origin = int(trace['otherData']['origin_ns'])
        self.assertEqual(sorted((name, start - origin, end - origin) for _, name, start, end, _, _ in perfetto.slices),
                         sorted(s for slices in self.slices_of(trace).values() for s in slices))
        return trace, perfetto

    def test_every_kind_of_event(self):
        path = self.sample_session()
        said = self.info(path)
        trace, perfetto = self.check_timeline(path)
        slices = [e for e in trace['traceEvents'] if e['ph'] == 'X']
        count = collections.Counter(e['cat'] for e in slices)
        phases = self.count(path, 'trace_phase')
        self.assertEqual(count['call'], said['calls'])
        self.assertEqual(count['trace'] - phases, said['traces'])  # the category of phases too
        self.assertEqual(count['wait'], self.count(path, 'wait_chunk'))
        ops = [e for e in slices if e['cat'] in ('elementwise', 'reduction', 'product', 'control', 'move', 'variable')]
        self.assertEqual(len(ops), said['op_events'])
        device = [e for e in slices if e['cat'] in ('runtime', 'kernel', 'memcpy', 'memset', 'sync', 'overhead')]
        self.assertEqual(len(device), said['device_events'] - 1)  # one has no time
        self.assertEqual(len(slices), len(ops) + len(device) + count['call'] + count['trace'] + count['wait'] + 4)

        names = {(e['pid'], e['tid'], e['name']): e['args'].get('name') for e in trace['traceEvents'] if e['ph'] == 'M'}
        self.assertEqual(names[4711, 0, 'process_name'], '/home/ada/retracing.py')
        self.assertEqual(names[4711, 4711, 'thread_name'], 'python3')
        self.assertEqual(names[4711, 4712, 'thread_name'], 'worker')
        self.assertEqual(sorted(t['name'] for t in perfetto.tracks.values() if t['kind'] == 'thread'),
                         ['python3', 'python3', 'worker'])
        processes = {number for number, t in perfetto.tracks.items() if t['kind'] == 'process'}
        self.assertEqual([perfetto.tracks[p]['name'] for p in sorted(processes)],
                         ['/home/ada/retracing.py', '/home/ada/retracing.py, rank 1 on '])
        for number, track in perfetto.tracks.items():
            self.assertEqual(track['parent'] in processes, number not in processes)
        self.assertEqual({perfetto.tracks[s[0]]['name'] for s in perfetto.slices if s[1].endswith('_kernel')},
                         {'GPU 0 stream 7'})

        op = next(e for e in ops if e['args'].get('node') == 'MatMul')
        self.assertEqual(op['args']['source'], 'retracing.py:14')
        self.assertEqual(op['args']['graph'], '__inference_train_step_0')
        self.assertEqual(op['args']['shapes'], 'float32[512], float32[512] -> float32[512]')
        self.assertIn(op['args'], [s[4] for s in perfetto.slices if s[1] == 'MatMul'])
        first = next(e for e in slices if e['cat'] == 'call')
        self.assertEqual((first['args']['outcome'], first['args']['trace'], first['args']['why']),
                         ('trace', '#1', 'first call'))
        self.assertEqual(collections.Counter(e['args']['outcome'] for e in slices if e['cat'] == 'call'),
                         collections.Counter(row['outcome'] for row in self.table(path, 'calls')))
        args = {e['name']: e['args']['args'] for e in slices if 'args' in e.get('args', {})}
        self.assertEqual(args, {'epoch': {'number': 1, 'tags': ['a', None, -1500]}, 'load': 'no JSON'})

    def test_phases_lie_in_their_trace_and_that_in_its_call(self):
        trace = self.chrome(self.sample_session())
        first = {}
        for e in trace['traceEvents']:
            if e['ph'] == 'X':
                first.setdefault(e['name'], e)
        for inner, outer in (('autograph', 'trace train_step#1'), ('trace train_step#1', 'train_step'),
                             ('train_step', 'epoch')):
            a, b = first[inner], first[outer]
            self.assertEqual(a['tid'], b['tid'])
            self.assertLessEqual(b['ts'], a['ts'])
            self.assertLessEqual(a['ts'] + a['dur'], b['ts'] + b['dur'] + 1e-6)

    def test_a_late_clock_is_corrected(self):
        trace = self.chrome(self.sample_session())
        start = min(e['ts'] for e in trace['traceEvents'] if e['ph'] == 'X' and e['pid'] != 4711)
        self.assertEqual(round(start * 1000), 9_000_000 + 1000 + 1_000_000)

    def test_flows_from_op_to_launch_to_kernel(self):
        path = self.sample_session()
        trace = self.chrome(path)
        by_place = {(e['tid'], e['ts']): e['name'] for e in trace['traceEvents'] if e['ph'] == 'X'}
        flows = collections.defaultdict(list)
        for e in trace['traceEvents']:
            if e['ph'] in 'stf':
                flows[e['id']].append((e['ph'], by_place[e['tid'], e['ts']]))
        expected = [[('s', 'Mean'), ('t', 'cudaLaunchKernel'), ('f', 'mean_kernel')],
                    [('s', 'Sub'), ('t', 'cudaLaunchKernel'), ('f', 'sub_kernel')],
                    [('s', 'cudaMemcpyAsync'), ('f', 'copy to device')], [('s', 'epoch'), ('f', 'load')]]
        self.assertEqual(sorted(flows.values()), sorted(expected))
        flows = collections.defaultdict(list)
        for _, name, start, _, _, ids in Perfetto(self.ok(path, '--format', 'perfetto')).slices:
            for number in ids:
                flows[number].append((start, name))
        self.assertEqual(sorted([name for _, name in sorted(flow)] for flow in flows.values()),
                         sorted([name for _, name in flow] for flow in expected))

    def test_counters_and_what_is_missing(self):
        path = self.sample_session()
        trace = self.chrome(path)
        self.assertEqual([(e['name'], e['ts'], e['args']['value']) for e in trace['traceEvents'] if e['ph'] == 'C'],
                         [('memory in use', 9000, 26e6), ('memory in use', 14000, 27.5e6)])
        missing = [{'what': 'op events', 'why': "the thread's ring was full", 'count': 12000},
                   {'what': 'events', 'why': 'they have no time', 'count': 1},
                   {'what': 'counter values', 'why': 'they are not finite', 'count': 1}]
        self.assertEqual(trace['otherData']['missing'], missing)
        self.assertEqual([e['args'] for e in trace['traceEvents'] if e['ph'] == 'i'], missing)
        perfetto = Perfetto(self.ok(path, '--format', 'perfetto'))
        self.assertEqual(perfetto.instants, [('missing: %(count)d %(what)s' % m, m) for m in missing])
        self.assertEqual([value for _, _, value in perfetto.counters], [26e6, 27.5e6])
        self.assertEqual({perfetto.tracks[track]['name'] for track, _, _ in perfetto.counters}, {'memory in use'})
        self.assertEqual([row['value'] for row in self.table(path, 'counters')], ['2.6e+07', '27500000', 'nan'])
        self.assertEqual(self.table(path, 'missing'),
                         [{'what': 'op events', 'why': "the thread's ring was full", 'count': '12000'}])

    def test_nested_events_over_many_chunks(self):
        for seed in '1', '2':
            path = self.sample_session(seed, '40')
            said = self.info(path)
            self.assertGreater(said['op_events'], 19_000)
            trace, _ = self.check_timeline(path)
            slices = [e for e in trace['traceEvents'] if e['ph'] == 'X']
            self.assertEqual(len(slices), said['op_events'] + said['calls'] + said['device_events'])

    def test_every_version_and_form_of_a_session(self):
        folder = os.path.join(SOURCE, 'tests', 'session', 'recordings')
        for name in sorted(os.listdir(folder)):
            path = os.path.join(folder, name)
            said = self.info(path)
            trace, _ = self.check_timeline(path)
            self.assertEqual(sum(e.get('cat') == 'call' for e in trace['traceEvents']), said['calls'])
            for table in TABLES:
                self.table(path, table)

    def test_damaged_chunks_are_left_out_and_said(self):
        path = self.sample_session('1')
        with contextlib.closing(sqlite3.connect(path)) as db:
            column = next(row[1] for row in db.execute('PRAGMA table_info(op_chunk)') if row[2] == 'BLOB')
            rowid, = db.execute('SELECT min(rowid) FROM op_chunk').fetchone()
            db.execute(f"UPDATE op_chunk SET {column} = substr({column}, 1, 20) || x'00' WHERE rowid = ?", (rowid,))
            db.commit()
        whole = self.info(path)['op_events']
        code, out, err = export(path, '--format', 'csv', '--table', 'ops')
        self.assertEqual(code, 0)
        left_out = whole - (out.count(b'\r\n') - 1)
        self.assertGreater(left_out, 0)
        self.assertEqual(err, f'footlight: {left_out} rows could not be read and are left out\n')
        missing = json.loads(export(path, '--format', 'chrome')[1])['otherData']['missing']
        self.assertIn({'what': 'events', 'why': 'they could not be read', 'count': left_out}, missing)

    # --- tables -----------------------------------------------------------------------------------------------------

    def test_tables_have_all_rows(self):
        path = self.sample_session()
        said = self.info(path)
        rows = {name: self.table(path, name) for name in TABLES}
        for name, counted in (('ops', 'op_events'), ('calls', 'calls'), ('traces', 'traces'), ('graphs', 'graphs'),
                              ('functions', 'functions'), ('nodes', 'nodes'), ('device', 'device_events')):
            self.assertEqual(len(rows[name]), said[counted], name)
        for name, table in (('keys', 'key_leaf'), ('phases', 'trace_phase'), ('decisions', 'decision'),
                            ('missing', 'dropped'), ('console', 'console')):
            self.assertEqual(len(rows[name]), self.count(path, table), name)
        self.assertEqual(len(rows['edges']), self.count(path, 'node_input') + self.count(path, 'node_control_input'))
        self.assertEqual(rows['calls'][0], {'start_ns': '9094000', 'duration_ns': '6107870', 'id': '0',
                                            'function': 'train_step', 'trace': '1', 'outcome': 'trace', 'thread': '',
                                            'parent': '', 'source': 'retracing.py:31'})
        self.assertEqual(rows['traces'][1]['why'], 'shape of batch')
        self.assertEqual(rows['functions'][0]['parameters'], 'batch; lr; training')
        self.assertEqual(rows['functions'][0]['traces'], '12')
        self.assertEqual(rows['console'][0]['text'], 'epoch 0 seen 241\n')
        counted = collections.Counter()
        for op in self.info(path, '--ops'):
            counted[op['op']] += op['count']
        self.assertEqual(collections.Counter(row['op'] for row in rows['ops']), counted)

    def test_tables_are_listed_where_they_are_asked_for(self):
        path = self.sample_session()
        for words in ((), ('--table', 'weather')):
            self.assertIn(', '.join(TABLES), self.refuse(path, '--format', 'csv', *words))
        usage = run('export', '--help').stdout
        self.assertIn(', '.join(TABLES), re.sub(r'\s+', ' ', usage))
        tables = re.search(r'TABLE is one of: (.*?);', re.sub(r'\s+', ' ', usage))[1].split(', ')
        with open(os.path.join(SOURCE, 'README.md'), encoding='utf-8') as readme:
            self.assertIn(f'`csv` ({len(tables)} tables', readme.read())

    # --- graphs -----------------------------------------------------------------------------------------------------

    def graph(self, path, *words):
        text = self.ok(path, '--format', 'dot', *words).decode('utf-8')
        nodes = re.findall(r'^ *(g\d+n\d+) \[label="((?:[^"\\]|\\.)*)"', text, re.M)
        edges = re.findall(r'^ *(g\d+n\d+) -> (g\d+n\d+)', text, re.M)
        return text, nodes, edges

    def canonical(self, text):
        if DOT:
            done = subprocess.run([DOT, '-Tcanon'], input=text.encode(), capture_output=True, env=ENVIRONMENT,
                                  timeout=60)
            self.assertEqual((done.returncode, done.stderr), (0, b''))

    def test_the_graph_of_a_trace(self):
        path = self.sample_session()
        text, nodes, edges = self.graph(path, '--graph', 'train_step#2')
        self.canonical(text)
        with contextlib.closing(sqlite3.connect(path)) as db:
            graphs = [row[0] for row in db.execute("SELECT id FROM graph WHERE id BETWEEN 3 AND 5")]
            expected = db.execute('SELECT count(*) FROM node WHERE graph IN (3, 4, 5)').fetchone()[0]
        self.assertEqual(len(graphs), 3)
        self.assertEqual(len(nodes), expected)
        inside = [row for row in self.table(path, 'edges') if row['graph'] == '__inference_train_step_3']
        self.assertEqual(sum(a.startswith('g0') and b.startswith('g0') for a, b in edges), len(inside))
        self.assertEqual(text.count('subgraph cluster_'), 2)
        self.assertIn('label="then_branch: cond_true"', text)
        self.assertIn('lhead=cluster_1', text)
        self.assertIn('[label="float32 (17, 8)"]', text)
        self.assertIn('train_step#2 (f32[17,8] 0.1 True)', text)
        self.assertEqual(text, self.graph(path, '--graph', '__inference_train_step_3')[0])
        self.assertIn('train_step#12 ', self.graph(path, '--graph', 'train_step')[0])

    def test_which_graph(self):
        path = self.sample_session()
        for words in ((), ('--graph', 'train_step#13'), ('--graph', 'step'), ('--graph', '#1'),
                      ('--graph', 'evaluate#x')):
            err = self.refuse(path, '--format', 'dot', *words)
            self.assertIn('\n  train_step#1  24 nodes, graph __inference_train_step_0\n', err)
            self.assertIn('\n  evaluate#1 ', err)
        with contextlib.closing(sqlite3.connect(path)) as db:
            db.execute("UPDATE function SET name = 'Model.' || name")
            db.commit()
            self.assertIn('Model.train_step#12', self.graph(path, '--graph', 'train_step')[0])
            db.execute("UPDATE function SET name = 'step'")
            db.commit()
            self.assertIn("'step' may be several", self.refuse(path, '--format', 'dot', '--graph', 'step'))
            self.assertIn('step#2 ', self.graph(path, '--graph', 'step#2')[0])
            db.execute('DELETE FROM trace WHERE number > 1 OR function > 0')
            db.commit()
            self.assertIn('step#1 ', self.graph(path)[0])
            db.execute('DELETE FROM trace')
            db.commit()
        self.assertIn('no trace in it has a graph', self.refuse(path, '--format', 'dot'))

    def test_graphs_that_run_one_another(self):
        path = self.sample_session()
        with contextlib.closing(sqlite3.connect(path)) as db:
            db.execute('UPDATE node_function SET function_graph = 0')  # the graph that it stands in
            db.commit()
        text, nodes, _ = self.graph(path, '--graph', 'train_step#1')
        self.canonical(text)
        self.assertEqual((len(nodes), text.count('subgraph')), (24, 0))
        text, nodes, _ = self.graph(path, '--graph', 'train_step#2')
        self.assertEqual((len(nodes), text.count('subgraph')), (48, 1))
        self.canonical(text)

    def test_families_have_the_colours_of_the_window(self):
        path = self.sample_session()
        with open(os.path.join(SOURCE, 'resources', 'themes', 'footlight.json'), encoding='utf-8') as file:
            theme = json.load(file)
        families = [*theme['families'], 'unheard of']
        with contextlib.closing(sqlite3.connect(path)) as db:
            db.executemany('UPDATE node SET family = ? WHERE id % ? = ?',
                           [(name, len(families), i) for i, name in enumerate(families)])
            db.commit()
            text = self.graph(path, '--graph', 'train_step#1')[0]
            shown = dict(re.findall(r'(g0n\d+) \[.*color="(#\w+)", fillcolor="#\w+"', text))
            for node, family in db.execute('SELECT id, family FROM node WHERE graph = 0'):
                tone = theme['families'].get(family, 'grey')
                self.assertEqual(shown[f'g0n{node}'], theme['themes']['light'][tone], family)

    @unittest.skipUnless(DOT, 'Graphviz is not installed')
    def test_a_picture(self):
        path = self.sample_session()
        root = xml.etree.ElementTree.fromstring(self.ok(path, '--format', 'svg', '--graph', 'train_step#2'))
        kinds = collections.Counter(g.get('class') for g in root.iter('{http://www.w3.org/2000/svg}g'))
        _, nodes, edges = self.graph(path, '--graph', 'train_step#2')
        self.assertEqual((kinds['node'], kinds['edge'], kinds['cluster']), (len(nodes), len(edges), 2))

    @unittest.skipUnless(DOT, 'Graphviz is not installed')
    def test_a_hub_is_cut_in_a_picture_only(self):
        path = self.sample_session()
        with contextlib.closing(sqlite3.connect(path)) as db:
            columns = [row[1] for row in db.execute('PRAGMA table_info(node_input)')]
            self.assertEqual(columns, ['graph', 'node', 'position', 'source', 'output'])
            db.execute('DELETE FROM node_input WHERE graph = 0')
            db.executemany('INSERT INTO node_input VALUES (0, ?, ?, 0, 0)',
                           [(n, i) for n in range(1, 24) for i in range(3)])
            db.commit()
        self.assertEqual(len([e for e in self.graph(path, '--graph', 'train_step#1')[2] if e[0] == 'g0n0']), 69)
        root = xml.etree.ElementTree.fromstring(self.ok(path, '--format', 'svg', '--graph', 'train_step#1'))
        texts = [t.text for t in root.iter('{http://www.w3.org/2000/svg}text')]
        self.assertEqual(texts.count('\u2190 batch'), 67)

    def test_graphviz_that_is_not_there_or_fails(self):
        path = self.sample_session()
        words = (path, '--format', 'svg', '--graph', 'train_step', '-o', self.path('out.svg'))
        os.mkdir(self.path('bin'))
        environment = {**ENVIRONMENT, 'PATH': self.path('bin')}
        self.assertIn('Graphviz (dot) is not on the path; --format dot', self.refuse(*words, env=environment))
        self.write_program('bin/dot', '#!/bin/sh\necho partial\necho no memory >&2\nexit 3\n')
        self.assertIn('Graphviz gave up on this graph: no memory; --format dot', self.refuse(*words, env=environment))
        self.assertEqual(sorted(os.listdir(self.folder)), ['bin', 'run.footlight'])

    # --- hostile sessions -------------------------------------------------------------------------------------------

    def test_hostile_names(self):
        path = self.sample_session()
        texts = {'function': ['name'], 'op': ['name', 'family'], 'op_signature': ['inputs', 'outputs'],
                 'file': ['path'], 'trace': ['signature', 'why', 'error'],
                 'graph': ['name'], 'node': ['name', 'op', 'family', 'attributes', 'constant'], 'node_output': ['type'],
                 'node_function': ['attribute'], 'track': ['name'], 'thread': ['name'],
                 'trace_phase': ['name', 'category'], 'key_leaf': ['path', 'value'], 'console': ['text'],
                 'dropped': ['what', 'why'], 'function_parameter': ['name'], 'decision': ['note']}
        with contextlib.closing(sqlite3.connect(path)) as db:
            for table, columns in texts.items():
                keys = [row[1] for row in db.execute(f'PRAGMA table_info({table})') if row[5]] or ['rowid']
                found = db.execute(f"SELECT {', '.join(keys)} FROM {table}").fetchall()
                for i, column in enumerate(columns):
                    db.executemany(f"UPDATE {table} SET {column} = CAST(? AS TEXT) WHERE ({', '.join(keys)}) = "
                                   f"({', '.join('?' * len(keys))})",
                                   [(HOSTILE[(n + i) % len(HOSTILE)], *row) for n, row in enumerate(found)])
            db.commit()
        said = self.info(path)
        trace = self.chrome(path)
        self.check_nesting(trace)
        self.assertEqual(sum(e.get('cat') == 'call' for e in trace['traceEvents']), said['calls'])
        perfetto = Perfetto(self.ok(path, '--format', 'perfetto'))
        self.assertEqual(len(perfetto.slices), sum(e['ph'] == 'X' for e in trace['traceEvents']))
        for name in TABLES:
            for row in self.table(path, name):
                for cell in row.values():
                    if re.match(r'[=+\-@\t\r]', cell):
                        float(cell)  # only numbers may begin like formulas
        self.assertLessEqual({"'=cmd|calc", "'@sum(1)", "'-x", "'+1e", '-1.5', '+7'},
                             {row['value'] for row in self.table(path, 'keys')})
        for row in self.table(path, 'graphs'):
            if row['stage']:
                err = export(path, '--format', 'dot')[2]
        self.assertNotRegex(err, r'[\x00-\x09\x0b-\x1f\x7f]')
        with contextlib.closing(sqlite3.connect(path)) as db:
            db.execute("UPDATE function SET name = 'f' || id")
            db.commit()
        for trace_number in range(1, 13):
            self.canonical(self.graph(path, '--graph', f'f0#{trace_number}')[0])
        if DOT:
            xml.etree.ElementTree.fromstring(self.ok(path, '--format', 'svg', '--graph', 'f0#3'))

    def test_times_at_the_ends_of_their_range(self):
        path = self.sample_session()
        with contextlib.closing(sqlite3.connect(path)) as db:
            db.execute('UPDATE trace SET start_ns = 9223372036854775807, end_ns = -9223372036854775808 WHERE id = 3')
            db.execute('UPDATE trace SET start_ns = 1, end_ns = 9223372036854775807 WHERE id = 4')
            db.execute('UPDATE process SET clock_offset_ns = 9223372036854775807 WHERE id = 0')
            db.execute('UPDATE process SET clock_offset_ns = -9223372036854775808 WHERE id = 1')
            db.execute('UPDATE trace_phase SET parent = position')
            db.commit()
        self.chrome(path)
        Perfetto(self.ok(path, '--format', 'perfetto'))
        self.table(path, 'traces')

    # --- output -----------------------------------------------------------------------------------------------------

    def test_a_file_appears_when_it_is_complete(self):
        path, out = self.sample_session(), self.write('out.csv', 'precious')
        os.chmod(out, 0o640)
        self.refuse(path, '--format', 'dot', '--graph', 'nothing', '-o', out)
        self.refuse(self.path('missing'), '--format', 'csv', '--table', 'ops', '-o', out)
        with open(out, encoding='utf-8') as file:
            self.assertEqual(file.read(), 'precious')
        os.symlink('out.csv', self.path('link.csv'))
        self.assertEqual(self.ok(path, '--format', 'csv', '--table', 'ops', '-o', self.path('link.csv')), b'')
        self.assertTrue(os.path.islink(self.path('link.csv')))
        with open(out, 'rb') as file:
            self.assertEqual(file.read(), self.ok(path, '--format', 'csv', '--table', 'ops'))
        self.assertEqual(os.stat(out).st_mode & 0o777, 0o640)
        self.assertEqual(sorted(os.listdir(self.folder)), ['link.csv', 'out.csv', 'run.footlight'])
        self.assertEqual(self.ok(path, '--format', 'chrome', '-o', '/dev/null'), b'')
        self.assertTrue(os.path.exists('/dev/null') and not os.path.isfile('/dev/null'))

    def test_outputs_that_cannot_be(self):
        path = self.sample_session()
        with open(path, 'rb') as file:
            before = file.read()
        self.assertIn('is the recording itself', self.refuse(path, '--format', 'chrome', '-o', path))
        os.link(path, self.path('same'))
        self.assertIn('is the recording itself', self.refuse(path, '--format', 'chrome', '-o', self.path('same')))
        with open(path, 'rb') as file:
            self.assertEqual(file.read(), before)
        self.assertIn('No space left', self.refuse(path, '--format', 'chrome', '-o', '/dev/full'))
        self.assertIn('No such file', self.refuse(path, '--format', 'chrome', '-o', self.path('no/folder')))
        self.assertIn('Is a directory', self.refuse(path, '--format', 'chrome', '-o', self.folder))

    def test_only_its_own_kind_is_replaced(self):
        path = self.sample_session()
        formats = [('chrome',), ('perfetto',), ('csv', '--table', 'ops'), ('dot', '--graph', 'f'), ('svg', '--graph', 'f')]
        for name, *options in formats:
            words = (path, '--format', name, *options)
            for there, text in (('train.py', b'print("mine")\n'), ('notes', b'precious'), ('zeros', bytes(600))):
                with open(self.path(there), 'wb') as file:
                    file.write(text)
                self.assertIn('is not replaced. Name another file', self.refuse(*words, '-o', self.path(there)))
                with open(self.path(there), 'rb') as file:
                    self.assertEqual(file.read(), text)
            other = shutil.copy(path, self.path('other.csv'))
            self.assertIn('is a recording', self.refuse(*words, '-o', other))
        for name, *options in formats[:3]:
            words = (path, '--format', name, *options)
            # A name without an ending: an empty file, and what this command wrote itself, are replaced.
            out = self.path('plain_' + name)
            with open(out, 'wb'):
                pass
            for _ in range(2):
                self.ok(*words, '-o', out)
            with open(out, 'rb') as file:
                self.assertEqual(file.read(), self.ok(*words))
        os.symlink('nowhere', self.path('dangling'))
        self.assertIn('a symbolic link to a file that is not there',
                      self.refuse(path, '--format', 'chrome', '-o', self.path('dangling')))

    def test_open_descriptors_are_written_where_they_are(self):
        path, log = self.sample_session(), self.path('log.txt')
        expected = self.ok(path, '--format', 'csv', '--table', 'ops')
        for name in ('-', '/dev/stdout', '/dev/fd/1', '/proc/self/fd/1'):
            with open(log, 'wb') as file:
                file.write(b'before\n')
            with open(log, 'ab') as file:
                self.assertEqual(export(path, '--format', 'csv', '--table', 'ops', '-o', name, stdout=file,
                                        stderr=subprocess.PIPE, capture_output=False)[0], 0)
            with open(log, 'rb') as file:
                self.assertEqual(file.read(), b'before\n' + expected, name)

    def test_a_terminal_gets_no_binary(self):
        path = self.sample_session()
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)
        self.addCleanup(os.close, theirs)
        done = subprocess.run([PROGRAM, 'export', path, '--format', 'perfetto'], stdout=theirs, stderr=subprocess.PIPE,
                              env=ENVIRONMENT, timeout=60)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b'-o FILE', done.stderr)

    def test_what_cannot_be_read_and_words_it_does_not_know(self):
        path = self.sample_session()
        with open(path, 'r+b') as file:
            file.truncate(30_000)
        broken = self.refuse(path, '--format', 'chrome')
        self.assertIn(path, broken)
        self.write('text', 'hello')
        self.assertIn('not a recording', self.refuse(self.path('text'), '--format', 'chrome'))
        for words in ((), (path,), (path, '--format'), (path, '--format', 'xml'), ('--format', 'chrome'),
                      (path, 'other', '--format', 'chrome'), (path, '--format', 'chrome', '--table', 'ops'),
                      (path, '--format', 'csv', '--table', 'ops', '--graph', 'f'),
                      (path, '--shapes', '--format', 'chrome')):
            self.assertIn('export', self.refuse(*words))
