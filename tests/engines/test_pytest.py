"""The plug-in for pytest, in pytest itself: limits of retraces, recordings of tests and what the summary says."""
import importlib.util
import os
import unittest

from with_fakes import WithFakes

TESTS = '''
import footlight as tf
import pytest

@tf.function
def scale(x, rate):
    return x * rate

@pytest.mark.max_retraces(0)
def test_steady():
    for _ in range(3):
        scale(tf.ones([2]), tf.constant(1.0))

@pytest.mark.max_retraces(0)
def test_flipping():
    for step in range(6):
        scale(tf.ones([2]), 0.1 * (step + 1))

@pytest.mark.max_retraces(5)
def test_allowed():
    for step in range(6):
        scale(tf.ones([3]), 0.1 * (step + 1))

def test_free():
    scale(tf.ones([2]), 7.0)

def test_plain():
    pass
'''


@unittest.skipUnless(importlib.util.find_spec('pytest'), 'pytest is not installed')
class Plugin(WithFakes):
    installed = ('jax',)

    def run_tests(self, text, *options, code):
        self.write('test_mine.py', text)
        done = self.run_python('-m', 'pytest', '-p', 'no:cacheprovider', '-rA', 'test_mine.py', *options,
                               environment={'PYTEST_ADDOPTS': '', 'COLUMNS': '200'})
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout

    def recordings(self):
        folder = os.path.join(self.folder, 'footlight-recordings')
        return sorted(os.listdir(folder)) if os.path.isdir(folder) else []

    def test_a_limit_fails_a_test_with_the_finding(self):
        out = self.run_tests(TESTS, code=1)
        self.assertIn('4 passed', out)
        self.assertIn('FAILED test_mine.py::test_flipping - Failed: 5 retraces, 0 are allowed', out)
        self.assertIn('scale (test_mine.py:6): 6 traces, 6 calls', out)
        self.assertIn('F1: rate is a Python number that changes (test_mine.py:17)', out)
        self.assertIn('    - ', out)
        self.assertIn('pytest --footlight keeps the recording', out)
        self.assertEqual(self.recordings(), [])

    def test_recordings_of_tests(self):
        out = self.run_tests(TESTS, '--footlight', '-k', 'not flipping', code=0)
        self.assertEqual(self.recordings(), [f'test_mine.py-{name}.footlight'
                                             for name in ('test_allowed', 'test_free', 'test_steady')])
        self.assertIn('test_mine.py::test_allowed: ' + os.path.join(self.folder, 'footlight-recordings'), out)
        self.assertIn('F1: rate is a Python number that changes (test_mine.py:22)', out)
        self.assertIn('2 more recordings without findings', out)

    def test_a_recording_of_the_session(self):
        out = self.run_tests(TESTS, '--footlight-session', '--footlight-dir', 'kept', code=1)
        self.assertEqual(os.listdir(os.path.join(self.folder, 'kept')), ['session.footlight'])
        self.assertIn('FAILED test_mine.py::test_flipping: 5 retraces, 0 are allowed', out)
        self.assertNotIn('FAILED test_mine.py::test_allowed', out)
        self.assertIn('5 passed', out)

    def test_functions_of_another_engine(self):
        text = '''
            import jax
            import pytest

            @jax.jit
            def scale(weights):
                return weights

            def test_first():
                scale(jax.Array((2,)))

            @pytest.mark.max_retraces(0)
            def test_once_more():
                scale(jax.Array((3,)))

            @pytest.mark.max_retraces(1)
            def test_shapes():
                for size in range(4, 8):
                    scale(jax.Array((size,)))
            '''
        out = self.run_tests(text, code=1)
        self.assertIn('2 passed', out)
        self.assertIn('FAILED test_mine.py::test_shapes - Failed: 3 retraces, 1 is allowed', out)
        self.assertIn('scale (test_mine.py:6)', out)

    def test_marks_that_are_wrong_and_tests_that_fail(self):
        text = '''
            import pytest

            @pytest.mark.max_retraces('many')
            def test_wrong_mark():
                pass

            @pytest.mark.max_retraces(0)
            def test_fails():
                assert 1 == 2, 'its own failure'
            '''
        out = self.run_tests(text, code=1)
        self.assertIn('takes one number of retraces', out)
        self.assertIn('its own failure', out)
