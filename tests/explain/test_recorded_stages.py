"""What passes did to a graph, as recorded: against the ops that ran, and by hand."""
import collections
import json
import os
import re
import sqlite3
import tempfile
import unittest

import footlight_program
from footlight_program import make_session, run
from recorded import record

# Nodes that stand for values and never run.
VALUES = {'Const', 'Placeholder', 'NoOp'}

SCRIPT = '''
    w = tf.Variable(tf.ones([4, 4]))

    @tf.function
    def step(x):
      scale = tf.constant(2.0) * tf.constant(3.0)
      unused = tf.sin(x)
      with tf.GradientTape() as tape:
        h = tf.nn.relu(tf.identity(x) @ w)
        if tf.reduce_sum(h) > 0:
          h = h * (tf.constant(1.0) + tf.constant(1.0))
        loss = tf.reduce_mean(h) * scale
      w.assign_sub(tape.gradient(loss, w) * 0.1)
      return loss, tf.exp(x) - tf.tanh(x)

    step(tf.ones([2, 4]))
    twin = tf.function(lambda x: step.python_function(x), jit_compile=True)
    with open(__file__ + '.program', 'w') as file:
      file.write(twin.experimental_get_compiler_ir(tf.ones([2, 4]))())
    '''


class Stages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.session = record(cls.folder.name, SCRIPT)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def table(self, name):
        return footlight_program.table(self.session, name)

    def ops_at(self, stage):
        """The ops of the graph of step, without those of the graphs that it runs."""
        done = run('export', self.session, '--format', 'dot', '--graph', 'step#1@' + stage)
        return collections.Counter(re.findall(r'(?m)^  g0n\d+ \[label="(\w+)', done.stdout))

    def test_the_last_stage_is_what_ran(self):
        graph = next(g['graph'] for g in self.table('graphs') if g['function'] == 'step')
        ran = collections.Counter(o['op'] for o in self.table('ops') if o['graph'] == graph)
        last = self.ops_at('last')
        # Branches are run by their graphs' own events.
        wanted = {op: count for op, count in last.items() if op not in VALUES and op not in ('If', 'StatelessIf')}
        self.assertEqual(wanted, {op: count for op, count in ran.items() if op not in ('If', 'StatelessIf')})
        self.assertTrue(sum(wanted.values()) > 5, wanted)

    def test_each_stage(self):
        traced, last = self.ops_at('traced'), self.ops_at('last')
        self.assertEqual((traced['Sin'], last['Sin']), (1, 0))
        self.assertEqual(last['Identity'], 0)
        forwarded, pruned, folded = (self.ops_at(s) for s in ('forward_identities', 'prune', 'fold_constants'))
        self.assertEqual(forwarded, traced)  # still there; nothing reads them
        self.assertEqual((pruned['Sin'], pruned['Identity']), (0, 0))
        # scale is folded: a constant more, beside the op that pruning removes with its inputs.
        self.assertGreater(folded['Const'], self.ops_at('known_shapes')['Const'])
        self.assertLess(last['Mul'], pruned['Mul'])

    def test_the_table_of_passes(self):
        graph = next(g['graph'] for g in self.table('graphs') if g['function'] == 'step')
        rows = [p for p in self.table('passes') if p['graph'] == graph]
        stages = [r['stage'] for r in rows]
        self.assertEqual(stages[:4], ['forward_identities', 'prune', 'known_shapes', 'fold_constants'])
        self.assertIn('prune2', stages)
        self.assertEqual(stages[-1], 'fuse')
        nodes = int(next(g['nodes'] for g in self.table('graphs') if g['graph'] == graph))
        for row in rows:
            nodes += int(row['made']) - int(row['removed'])
            self.assertEqual(int(row['nodes']), nodes, row)
            self.assertEqual(nodes, sum(self.ops_at(row['stage']).values()))
        self.assertRegex(rows[3]['did'], r'became (a constant|constants) \(.*Mul.*; lines? 7')
        self.assertRegex(rows[-1]['did'], r'nodes were fused with others \(.*; lines? ')

    def test_why_nodes_run_alone(self):
        with sqlite3.connect(self.session) as db:
            nodes = {(graph, node): (name, family) for table in ('node', 'graph_new_node')
                     for graph, node, name, family in db.execute('select graph, id, name, family from ' + table)}
            names = dict(db.execute('select id, name from graph'))
            alone = {(graph, node): why for graph, node, why in db.execute('select graph, node, why from graph_alone')}
            together = set(db.execute('select graph, changed from graph_change where fate = 9'))
        # As the program itself says it, line by line.
        printed, program = {}, ''
        with open(os.path.join(self.folder.name, 'script.py.program')) as file:
            for line in file:
                program = next(iter(re.findall('^program of (.+?):', line)), program)
                for node, why in re.findall('  # (.+?): .*; not fused: (.+)', line):
                    printed[program, node] = why
        programs = {program for program, _ in printed}
        self.assertGreater(len(programs), 1)
        self.assertEqual(printed, {(names[graph], nodes[graph, node][0]): why for (graph, node), why in alone.items()
                                   if names[graph] in programs})
        # What works element by element runs in a fused loop with others, or alone.
        name = next(g['graph'] for g in self.table('graphs') if g['function'] == 'step')
        step = next(graph for graph in names if names[graph] == name)
        dot = run('export', self.session, '--format', 'dot', '--graph', 'step#1@last').stdout
        last = {int(node) for node in re.findall(r'(?m)^  g0n(\d+) \[', dot)}
        elementwise = {node for node in last if nodes[step, node][1] == 'elementwise'}
        self.assertEqual({node for graph, node in alone if graph == step and node in elementwise},
                         {node for node in elementwise if (step, node) not in together})
        rows = [p for p in self.table('passes') if p['graph'] == name]
        self.assertEqual([int(r['alone']) for r in rows], [0] * (len(rows) - 1) + [sum(g == step for g, _ in alone)])
        self.assertRegex(rows[-1]['did'], '1 node runs alone, because another node has to run .*; 4 nodes run alone, each because no producer')

    def test_the_memory_plan(self):
        with sqlite3.connect(self.session) as db:
            nodes = {(graph, node): name for table in ('node', 'graph_new_node')
                     for graph, node, name in db.execute(f'select graph, id, name from {table}')}
            ids = {name: graph for graph, name in db.execute('select id, name from graph')}
        plan = collections.defaultdict(list)
        for row in self.table('memory'):
            plan[row['graph']].append(row)
        # As the program itself says it: which slots a line fills, whose memory that is, what a fused loop gives and keeps.
        program, slots, printed = '', {}, collections.defaultdict(list)
        loops, steps = collections.defaultdict(list), collections.Counter()
        with open(os.path.join(self.folder.name, 'script.py.program')) as file:
            for line in file:
                if head := re.match(r'program of (.+?): .* (\d+) slots?$', line):
                    program, slots = head[1], {}
                    self.assertIn(program, ids)
                    self.assertLess(max([int(r['slot']) for r in plan[program]], default=-1), int(head[2]))
                elif head := re.match(r'  fused loop of (\d+) nodes?: \d+ values? in, (\d+) values? out', line):
                    loops[program].append([int(head[2]), 0])
                    steps[program] += 1
                elif made := re.match(r'(  |    )((?:s\d+(?:, )?)*)(?: = )?\w+\((.*?)\)  # (.+?)[:,;\n]', line):
                    own = [int(s) for s in re.findall(r's(\d+)', made[2])]
                    alone = len(made[1]) == 2
                    steps[program] += alone
                    of = re.search(r'; in the memory of s(\d+)', line)
                    kept = '; its memory stays in the slot' in line
                    for output, slot in enumerate(own):
                        printed[program].append((made[4], output, slot, kept, slots[int(of[1])] if of else None, alone))
                    for slot in own:
                        slots[slot] = made[4]
                    if not alone:
                        loops[program][-1][1] += 1
        self.assertGreater(len(printed), 1)
        for program, lines in printed.items():
            self.assertEqual([(nodes[ids[program], int(r['node'])], int(r['output']), int(r['slot']))
                              for r in plan[program]], [line[:3] for line in lines])
            tiles = 0
            for row, (_, _, _, kept, of, alone) in zip(plan[program], lines):
                tiles += row['place'] == 'tile'
                if not alone:
                    continue
                self.assertEqual(row['place'] == 'kept', kept, row)
                self.assertEqual(row['place'] == 'taken over', of is not None, row)
                if of:
                    self.assertEqual(nodes[ids[program], int(row['of_node'])], of)
            self.assertEqual(tiles, sum(inside - out for out, inside in loops[program]))
            self.assertTrue(all(int(r['made']) <= int(r['last']) <= steps[program] for r in plan[program]))
            self.assertLess(max(int(r['made']) for r in plan[program]), steps[program])
        self.assertTrue(any(loops.values()))
        places = collections.Counter(r['place'] for rows in plan.values() for r in rows)
        self.assertTrue(places['tile'] and places['kept'] and places['graph'], places)

    def test_diff_of_stages(self):
        done = run('diff', self.session + ':step#1@traced', self.session + ':step@last', code=1)
        self.assertRegex(done.stdout, r'(?m)^  Sin .*script.py:8')
        same = run('diff', self.session + ':step', self.session + ':step#1@traced')
        self.assertEqual(same.stdout, 'identical graphs\n')

    def test_a_constant_that_a_pass_made_is_no_changed_one(self):
        with tempfile.TemporaryDirectory() as folder:
            session = record(folder, '''
                v = tf.Variable(tf.ones([6]))
                @tf.function
                def step(x):
                    with tf.GradientTape() as tape:
                        loss = tf.reduce_mean(tf.square(v - x))
                    return tape.gradient(loss, v)
                for _ in range(2):
                    step(tf.ones([6]))
            ''')
            said = json.loads(run('diff', session + ':step@traced', session + ':step@last', '--json', code=1).stdout)
        nodes = {(node['state'], node.get('left', node.get('right'))) for node in said['nodes'] if node['op'] == 'Const'}
        self.assertGreaterEqual(nodes, {('only left', 'Reshape/shape'), ('only right', 'truediv/folded')})
        self.assertNotIn('changed', [state for state, _ in nodes])

    def test_what_is_not_there(self):
        done = run('diff', self.session + ':step@hoist', self.session + ':step', code=2)
        self.assertIn("step has no stage 'hoist'; it has: traced, forward_identities, prune, known_shapes, ", done.stderr)
        sample = make_session('make_sample_session', os.path.join(self.folder.name, 'sample.footlight'))
        done = run('export', sample, '--format', 'dot', '--graph', 'train_step#1@prune', code=None)
        self.assertIn('the recording does not say what passes did to train_step', done.stderr)
