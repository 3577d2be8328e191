"""The choice of instruction set: if FOOTLIGHT_ISA cannot be had, a message says so, and what is available."""
import os
import subprocess
import sys
import unittest

PROGRAM = 'import footlight as tf; print(float(tf.reduce_sum(tf.ones([100]) + 1.0)))'
LARGE = """import footlight as tf
f = tf.function(lambda x: tf.square(x * 2. + 1.), jit_compile=True)
x = tf.ones([2000000])
f(x), f(x)
print(float(f(x)[-1]), f.experimental_get_compiler_ir(x)())"""


class InstructionSets(unittest.TestCase):
    def run_with(self, isa):
        done = subprocess.run([sys.executable, '-c', PROGRAM], capture_output=True, text=True, env=dict(os.environ, FOOTLIGHT_ISA=isa))
        self.assertEqual(done.stdout, '200.0\n', done.stderr)
        return done.stderr

    def words_with(self, **environment):
        done = subprocess.run([sys.executable, '-c', LARGE], capture_output=True, text=True, env=dict(os.environ, **environment))
        self.assertTrue(done.stdout.startswith('9.0 '), done.stderr)
        return done.stdout

    def test_a_set_that_is_not_built(self):
        said = self.run_with('avx4096')
        self.assertRegex(said, r'^footlight: FOOTLIGHT_ISA=avx4096 is not built here \(built: [a-z0-9, ]+\); choosing by the processor\n$')

    def test_each_known_set_works_or_says_why_not(self):
        built = self.run_with('none').partition('(built: ')[2].partition(')')[0].split(', ')
        self.assertTrue(built and set(built) <= {'baseline', 'avx2', 'avx512'}, built)
        for isa in ('baseline', 'avx2', 'avx512'):
            said = self.run_with(isa)
            if isa not in built:
                self.assertIn(f'FOOTLIGHT_ISA={isa} is not built here', said)
            elif said:
                self.assertIn(f'FOOTLIGHT_ISA={isa} is not supported by this processor', said)

    # By the instruction set of the kernels: not what the processor could do, if another one is asked for.
    def test_machine_code_obeys(self):
        built = self.run_with('none').partition('(built: ')[2].partition(')')[0].split(', ')
        for isa in built:
            if not self.run_with(isa):
                words = 'no machine code: it is made for AVX' if isa == 'baseline' else '    machine code for 3 of 3 steps, 1 loop, '
                self.assertIn(words, self.words_with(FOOTLIGHT_ISA=isa))
        self.assertIn('no machine code: FOOTLIGHT_MACHINE_CODE=0 ', self.words_with(FOOTLIGHT_MACHINE_CODE='0'))
