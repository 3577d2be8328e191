"""`footlight diff`: two graphs of a recorded run, two runs, and what it cannot compare."""
import contextlib
import json
import sqlite3

from folder_case import FolderCase
from footlight_program import make_session, run


def diff(*words):
    """The program's exit code, output and error output."""
    done = run('diff', *words, code=None)
    return done.returncode, done.stdout, done.stderr


class Diff(FolderCase):
    def sample(self, name, changes=''):
        """The sample session, with its records changed by this SQL."""
        path = make_session('make_sample_session', self.path(name))
        with contextlib.closing(sqlite3.connect(path)) as db:
            db.executescript(changes)
        return path

    def test_two_traces_of_a_function(self):
        run = self.sample('a.footlight')
        code, out, err = diff(run + ':train_step#1', run + ':train_step#3')
        self.assertEqual((code, err), (1, ''))
        lines = out.splitlines()
        self.assertTrue(lines[0].startswith('the graphs differ only in '), out)
        self.assertIn('changed', lines)
        self.assertIn('0.1 → 0.05', out)
        self.assertIn('retracing.py:', out)
        said = json.loads(diff(run + ':train_step#1', run + ':train_step#3', '--json')[1])
        self.assertEqual(said['sentence'], lines[0])
        self.assertEqual((said['only_left'], said['only_right'], said['results']), (0, 0, []))
        self.assertEqual(len(said['nodes']), said['changed'])
        for node in said['nodes']:
            self.assertEqual(node['state'], 'changed')
            self.assertTrue(node['op'] and node['left'] and node['right'] and node['changes'], node)
        self.assertEqual(diff(run + ':train_step#1', run + ':train_step#1')[:2], (0, 'identical graphs\n'))
        self.assertEqual(diff(run + ':train_step', run + ':train_step#1')[:2], (0, 'identical graphs\n'))

    def test_the_end_of_a_name(self):
        """A method's name is enough, as for `footlight compare`, unless several functions end with it."""
        run = self.sample('a.footlight', "UPDATE function SET name = 'Net.train_step' WHERE name = 'train_step'")
        self.assertEqual(diff(run + ':train_step#1', run + ':Net.train_step#3'),
                         diff(run + ':Net.train_step#1', run + ':Net.train_step#3'))
        self.assertEqual(diff(run + ':train_step#1', run + ':train_step#1')[:2], (0, 'identical graphs\n'))
        self.assertIn("there is no function 'rain_step'", diff(run + ':rain_step', run + ':evaluate')[2])
        both = self.sample('b.footlight', "UPDATE function SET name = 'Net.' || name || '.run'")
        self.assertIn("several functions end with 'run': Net.", diff(both + ':run', both + ':run')[2])

    def test_two_functions(self):
        run = self.sample('a.footlight')
        code, out, _ = diff(run + ':train_step', run + ':evaluate')
        self.assertEqual(code, 1)
        self.assertRegex(out.splitlines()[0], r'\d+ only on the left, \d+ only on the right')
        said = json.loads(diff('--json', run + ':evaluate', run + ':train_step')[1])
        self.assertGreater(said['only_right'], said['only_left'])
        self.assertEqual({n['state'] for n in said['nodes'] if 'left' not in n}, {'only right'})

    def test_a_change_in_a_branch(self):
        left = self.sample('a.footlight')
        right = self.sample('b.footlight', "UPDATE node SET op='Tanh' WHERE op='Mul'")
        code, out, _ = diff(left + ':train_step#1', right + ':train_step#1')
        self.assertEqual(code, 1)
        self.assertRegex(out, r'(?m)^  Tanh .* in \S+/then_branch')

    def test_two_runs(self):
        left, right = self.sample('a.footlight'), self.sample('b.footlight')
        code, out, err = diff(left, right)
        self.assertEqual((code, err), (0, ''))
        lines = out.splitlines()
        self.assertEqual(lines[0], 'the same functions, traces and graphs')
        self.assertIn('train_step', lines)
        self.assertIn('  all: identical graphs', lines)
        self.assertRegex(out, r'traces 12 → 12, tracing [\d.]+ ms → [\d.]+ ms, calls 48 → 48')

        changed = self.sample('c.footlight', "UPDATE node SET constant='0.25' WHERE constant='0.1';"
                                             "UPDATE function SET name='check' WHERE name='evaluate'")
        code, out, _ = diff(left, changed)
        self.assertEqual(code, 1)
        self.assertEqual(out.splitlines()[0], '3 functions differ of 3')
        self.assertRegex(out, r'(?m)^check\n  only right: 1 trace, ')
        self.assertRegex(out, r'(?m)^evaluate\n  only left: 1 trace, ')
        self.assertIn('#1 the graphs differ only in ', out)
        said = json.loads(diff(left, changed, '--json')[1])
        self.assertIs(said['same'], False)
        functions = {f['function']: f for f in said['functions']}
        self.assertNotIn('left', functions['check'])
        self.assertEqual(functions['train_step']['left']['traces'], 12)
        self.assertEqual(functions['train_step']['right']['calls'], 48)
        self.assertEqual({g['trace'] for g in functions['train_step']['graphs']}, set(range(1, 13)))

    def test_what_cannot_be_compared_is_2_and_said(self):
        run = self.sample('a.footlight')
        for words, said in (((run,), 'needs two recordings'), ((run, run, run), 'needs two recordings'),
                            ((run, run + ':f'), 'not a recording with a graph'),
                            ((run + ':f', run + ':f'), "there is no function 'f'"),
                            ((run + ':train_step#99', run + ':train_step'), 'has no trace #99'),
                            ((run + ':train_step#x', run + ':train_step'), 'a trace is a number'),
                            ((run + ':#1', run + ':train_step'), 'the name of a function is missing'),
                            ((run, self.path('missing')), 'No such file'),
                            ((run, run, '--yes'), "unknown option '--yes'")):
            code, out, err = diff(*words)
            self.assertEqual((code, out), (2, ''), words)
            self.assertIn(said, err)

    def test_broken_graphs_are_compared(self):
        run = self.sample('a.footlight')
        hostile = self.sample('b.footlight', 'UPDATE node_input SET source=(source * 7919) % 50 - 3;'
                                             'UPDATE graph_output SET source=4000000000;'
                                             "UPDATE node_function SET function_graph=0")
        for words in ((run, hostile), (hostile, hostile), (hostile + ':train_step', run + ':train_step#2')):
            self.assertIn(diff(*words)[0], (0, 1, 2), words)
