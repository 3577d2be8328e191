"""What a recording says of time and place, against what the script must have done: op events in called functions, loops
and branches at their own lines; phases within their traces and calls; both definitions of a run's time."""
import collections
import json
import os
import shutil
import tempfile
import unittest

import footlight_program
from footlight_program import run

SCRIPT = '''\
import time, tensorflow as tf; print('begin', flush=True); time.sleep(0.2)
@tf.function
def inner(x):
    return tf.tanh(x)
@tf.function
def step(x, n):
    for i in tf.range(n):
        x = tf.sin(x)
    if tf.reduce_sum(x) > 100.0:
        x = tf.exp(x)
    else:
        x = tf.cos(x)
    return inner(x) * 2.0
x = tf.ones([4])
for _ in range(5):
    step(x, tf.constant(7))
for _ in range(3):
    x = tf.sqrt(x)
print('done')
'''
# Per op: its line and how often it ran.
WANTED = {'Tanh': (4, 5), 'Sin': (8, 5 * 7), 'Cos': (12, 5), 'Sqrt': (18, 3)}


class Timeline(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        script = os.path.join(cls.folder, 'script.py')
        with open(script, 'w', encoding='utf-8') as file:
            file.write(SCRIPT)
        cls.session = os.path.join(cls.folder, 'run.footlight')
        footlight_program.record(cls.session, script)

    def table(self, name):
        return footlight_program.table(self.session, name)

    def test_events_lie_at_their_own_lines(self):
        lines = collections.Counter((row['op'], int(row['source'].rsplit(':', 1)[1])) for row in self.table('ops')
                                    if row['op'] in WANTED or row['op'] == 'Exp')
        self.assertEqual(lines, {(op, line): count for op, (line, count) in WANTED.items()})

    def test_counts_of_the_table(self):
        totals = {row['op']: row for row in json.loads(run('info', '--ops', '--json', self.session).stdout)}
        for op, (_, count) in WANTED.items():
            self.assertEqual(totals[op]['count'], count)
        rows = self.table('ops')
        self.assertEqual(sum(row['count'] for row in totals.values()), len(rows))
        self.assertEqual(sum(row['total_ns'] for row in totals.values()), sum(int(r['duration_ns']) for r in rows))

    def test_phases_lie_in_their_traces(self):
        traces = {(t['function'], t['trace'] if 'trace' in t else t['number']): t for t in self.table('traces')}
        phases = self.table('phases')
        self.assertTrue(phases)
        by_trace = collections.defaultdict(list)
        for phase in phases:
            start, end = int(phase['start_ns']), int(phase['start_ns']) + int(phase['duration_ns'])
            by_trace[phase['function'], phase['trace']].append((phase['part_of'], start, end, phase['phase']))
        self.assertEqual(set(by_trace), set(traces))
        for key, parts in by_trace.items():
            trace = traces[key]
            first, last = int(trace['start_ns']), int(trace['start_ns']) + int(trace['duration_ns'])
            at = first
            for parent, start, end, name in parts:
                self.assertTrue(first <= start <= end <= last, (key, name))
                if not parent:  # they follow one another
                    self.assertGreaterEqual(start, at)
                    at = end
                else:
                    self.assertTrue(any(p[3] == parent and p[1] <= start and end <= p[2] for p in parts), (key, name))
            # The recorder's own time is said, too.
            self.assertIn('record', [p[3] for p in parts])

    def test_two_definitions_of_time(self):
        said = json.loads(run('info', '--json', self.session).stdout)
        rows = run('sql', self.session, '--csv', """select min(start_ns), max(start_ns + duration_ns) from (
            select start_ns, duration_ns from ops union all select start_ns, duration_ns from calls
            union all select start_ns, duration_ns from traces union all select start_ns, duration_ns from spans
            union all select time_ns, 0 from counters)""").stdout
        first, last = map(int, rows.split('\n')[1].split(','))
        self.assertEqual(first, 0)  # what was printed before is no event
        self.assertLess(min(int(row['start_ns']) for row in self.table('ops')), 100_000_000)
        printed = run('sql', self.session, '--csv', 'select min(time_ns) from console').stdout
        self.assertLess(int(printed.split('\n')[1]), 0)
        self.assertEqual(said['events_ns'], last - first)
        self.assertLess(said['events_ns'], said['last_time'] - said['first_time'])  # the script prints at its end
        self.assertGreater(said['run_ns'], said['events_ns'])
        self.assertLess(said['started'], said['first_time'])
        text = run('info', self.session).stdout
        self.assertIn(f"run            {said['run_ns'] / 1e9:.6f} s", text)
        self.assertIn(f"events         {said['events_ns'] / 1e9:.6f} s", text)
