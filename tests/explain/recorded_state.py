"""Records whole programs about Python state, and compares what is found of them: for the tests beside this file."""
import tempfile
import textwrap
import unittest

import recorded

STATE = ('stale_capture', 'python_side_effect', 'baked_random', 'tensor_leak')


def findings(body):
    """The findings of a program about state, and its lines that are marked."""
    program = 'import tensorflow as tf\n' + textwrap.dedent(body)
    with tempfile.TemporaryDirectory() as folder:
        found = recorded.findings(folder, body)
    marked = [i for i, line in enumerate(program.splitlines(), 1) if line.endswith('# here')]
    return [f for f in found if f['cause'] in STATE], marked


def all_findings(programs):
    """Those of each program; without NumPy, of those that need none."""
    return recorded.in_parallel(findings, recorded.without_numpy(programs, str))


def one_finding_each(cause, programs):
    """A test: each program, given with the path and the function, has this finding alone, on its marked line."""
    def test(self):
        results = all_findings({name: body for name, (_, _, body) in programs.items()})
        for name, (found, marked) in results.items():
            with self.subTest(name):
                path, function, _ = programs[name]
                self.assertEqual([(f['cause'], f['path'], f['function'], f['line']) for f in found],
                                 [(cause, path, function, marked[0])], found)
    return test


class Case(unittest.TestCase):
    maxDiff = None
