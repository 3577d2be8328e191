"""Magics of notebooks, in IPython itself: what a cell records, what its lines are called, and what it shows."""
import importlib.util
import json
import textwrap
import unittest

from with_fakes import WithFakes

# Runs the cells and prints, as JSON, for each: its output as plain text, what it displayed, and the name of its error.
RUN_CELLS = '''
import json, sys
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
shell = InteractiveShell.instance()
said = []
for cell in json.load(sys.stdin):
    with capture_output() as captured:
        result = shell.run_cell(cell, store_history=True)
    error = result.error_before_exec or result.error_in_exec
    said.append({'text': captured.stdout + captured.stderr, 'shown': [out.data for out in captured.outputs],
                 'error': type(error).__name__ if error else None, 'words': str(error), 'value': repr(result.result)})
print(json.dumps(said))
'''


@unittest.skipUnless(importlib.util.find_spec('IPython'), 'IPython is not installed')
class Notebook(WithFakes):
    installed = ('jax',)

    def run_cells(self, *cells):
        done = self.run_python('-c', RUN_CELLS, given=json.dumps([textwrap.dedent(cell).lstrip('\n') for cell in cells]),
                               environment={'IPYTHONDIR': self.path('ipython')})
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout.splitlines()[-1])

    def test_a_cell_of_footlights_engine(self):
        said = self.run_cells('%load_ext footlight\nimport tensorflow as tf', '''
            # what is trained

            @tf.function
            def scale(x, rate):
                if tf.reduce_sum(x) > 0:
                    x = x * rate
                return x
            ''', '''
            %%footlight
            for step in range(6):
                y = scale(tf.ones([4]), 0.1 * (step + 1))
            float(y[0])
            ''')
        self.assertEqual([cell['error'] for cell in said], [None] * 3, said)
        self.assertIn('`import tensorflow` is Footlight in this notebook', said[0]['text'])
        self.assertIn('0.6', said[2]['value'])  # the cell's own value
        finding, = self.report('cell-3.footlight')['findings']
        self.assertEqual((finding['cause'], finding['place'], finding['file'], finding['line']),
                         ('python_scalar_argument', 'cell [3], line 3', 'cell [3]', 3))
        self.assertEqual(finding['fix']['edit']['new'], 'y = scale(tf.ones([4]), tf.constant(0.1 * (step + 1)))')
        self.assertEqual(self.report('cell-3.footlight')['functions'][0]['place'], 'cell [2], line 4')
        texts = dict(self.rows('SELECT path, text FROM file', 'cell-3.footlight'))
        self.assertIn('import tensorflow as tf', texts['cell [1]'])
        self.assertIn('def scale(x, rate):', texts['cell [2]'])
        self.assertEqual(texts['cell [3]'].splitlines()[0], '%%footlight')
        shown, = said[2]['shown']
        self.assertIn('cell [3], line 3', shown['text/html'])
        self.assertIn('class="footlight"', shown['text/html'])
        self.assertIn('>scale</td>', shown['text/html'])
        self.assertIn(f'footlight {self.folder}/cell-3.footlight', shown['text/html'])
        self.assertIn('`cell [3], line 3`', shown['text/plain'])
        # The statement that AutoGraph staged is a line of the cell.
        staged = self.rows("SELECT f.path, d.line FROM decision d JOIN file f ON d.file = f.id", 'cell-3.footlight')
        self.assertIn(('cell [2]', 5), staged)

    def test_functions_of_another_engine_from_earlier_cells(self):
        said = self.run_cells('%load_ext footlight', '''
            import jax
            @jax.jit
            def scale(weights):
                return weights
            scale(jax.Array((2,)))
            ''', '''
            %%footlight -o run.footlight --level structure
            scale(jax.Array((3,)))
            ''')
        self.assertEqual([cell['error'] for cell in said], [None] * 3, said)
        function, = self.report('run.footlight')['functions']
        self.assertEqual((function['function'], function['place'], function['calls'], function['traces']),
                         ('scale', 'cell [2], line 3', 1, 2))  # the trace from before serves calls too

    def test_errors_are_those_of_the_cell(self):
        said = self.run_cells('%load_ext footlight', '%%footlight\nx = 1\nraise KeyError("mine")', 'x',
                              '%%footlight --speed 3\nx = 2', 'x', '%footlight_stop', '%footlight_open nothing.footlight',
                              '%%footlight?')
        self.assertEqual([cell['error'] for cell in said],
                         [None, 'KeyError', None, 'UsageError', None, 'UsageError', 'UsageError', None], said)
        self.assertEqual((said[2]['value'], said[4]['value']), ('1', '1'))
        self.assertEqual(len(said[1]['shown']), 1)  # the report of what ran
        self.assertIn("no option '--speed'", said[3]['words'])
        self.assertIn('%footlight_start begins a recording', said[5]['words'])
        self.assertIn('nothing.footlight', said[6]['words'])

    def test_several_cells_and_other_magics(self):
        said = self.run_cells('%load_ext footlight', '%footlight_start -o run.footlight', '''
            import footlight as tf
            f = tf.function(lambda x: x + 1)
            f(tf.ones([2]))
            ''', '%%footlight\nf(tf.ones([3]))', '%footlight_stop', '''
            %%footlight -o timed.footlight
            %%time
            f(tf.ones([4]))
            ''', '%unload_ext footlight', '%%footlight\n1')
        self.assertEqual([cell['error'] for cell in said],
                         [None, None, None, 'RuntimeError', None, None, None, 'UsageError'], said)
        self.assertIn('a recording is already running', said[3]['words'])
        self.assertEqual(self.report('run.footlight')['functions'][0]['place'], 'cell [3], line 2')
        self.assertEqual(self.report('timed.footlight')['summary']['calls'], 1)
