"""A test that repeats a call of the function `step` of a script, and reads what it is said to have taken."""
from with_fakes import WithFakes


class ComparedCase(WithFakes):
    def compare(self, text, call=1, seconds=1):
        """What the script printed, and the comparison."""
        done = self.record(text, '--compare', f'step:{call}', '--compare-seconds', str(seconds), '--engine', *self.installed)
        self.assertEqual(done.returncode, 0, done.stderr)
        compared, = self.said('compare', self.session)
        return done.stdout, compared

    def check_shares(self, compared):
        """An eager call takes 3 ms in Python, 1 ms in the dispatcher, 4 ms in a kernel; a compiled one 2 ms in guards, 5 ms
        in a kernel. Returns the rows by their ops, or nodes."""
        self.assertEqual((compared['function'], compared['call'], compared['error']), ('step', 3, ''))
        eager, compiled = compared['left']['shares_ns'], compared['right']['shares_ns']
        for share, time_ns in (('Python', 3e6), ('dispatch', 1e6), ('kernels', 4e6)):
            self.assertGreater(eager[share], 0.97 * time_ns, compared)
        self.assertGreater(compiled['guards'], 1.9e6)
        self.assertGreater(compiled['kernels'], 4.9e6)
        self.assertAlmostEqual(sum(part['difference_ns']['mean'] for part in compared['parts']),
                               compared['difference_ns']['mean'], delta=1)
        # The repetitions are no calls of the program.
        self.assertEqual([function['calls'] for function in self.report()['functions']], [4])
        return {row['eager_ops'] or row['graph_nodes']: row for row in compared['rows']}
