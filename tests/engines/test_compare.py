"""A call of another engine's function, repeated eagerly and compiled: each kind of work is in the share that it belongs to."""
from compared import ComparedCase

# An eager call works 2 ms in Python and 6 ms in a primitive, a compiled one 1 ms.
SCRIPT = '''
    import time
    import jax
    from jax._src import config, core

    def work(seconds):
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            pass

    multiply = core.Primitive('mul')
    multiply.impl = lambda: work(0.006)
    calls = []

    @jax.jit
    def step(x):
        if config.is_jit_disabled:
            print('eagerly')
            work(0.002)
            core.EvalTrace().process_primitive(multiply, (), {})
        else:
            work(0.001)
        return x

    for _ in range(4):
        calls.append(step(jax.Array((4,))))
    print(len(calls), 'calls')
    '''


class Compare(ComparedCase):
    installed = ('jax',)

    def test_each_kind_of_work_has_its_share(self):
        said, compared = self.compare(SCRIPT, 3, 2)
        self.assertEqual(said, '4 calls\n')
        self.assertEqual((compared['function'], compared['call'], compared['right']['name']), ('step', 3, 'compiled'))
        shares = compared['left']['shares_ns']
        self.assertGreater(shares['launches'], 5.9e6, compared)
        self.assertGreater(shares['Python'], 1.9e6)
        row, = [row for row in compared['rows'] if row['eager_ops'] == 'mul']
        self.assertEqual(row['group'], 'in the executable')
        self.assertGreater(row['eager_ns']['mean'], 5.9e6)
        self.assertEqual(self.rows('SELECT t.number FROM comparison c JOIN trace t ON t.id = c.trace'), [(1,)])
        self.assertIn('8 bytes', ' '.join(compared['notes']))  # "eagerly\n"
        # The repetitions are no calls of the program.
        self.assertEqual([function['calls'] for function in self.report()['functions']], [4])

    def test_the_arguments_of_a_call_inside_another_trace_are_not_repeated(self):
        _, compared = self.compare('''
            import jax
            from jax._src import core

            @jax.jit
            def step(x):
                return x

            step(core.Tracer())
            step(jax.Array((4,)))
            ''')
        self.assertEqual((compared['call'], compared['error']), (1, ''))

    def test_values_beyond_the_limit_are_said(self):
        for count, is_said in ((10, False), (100_001, True)):
            _, compared = self.compare(f'''
                import jax

                table = [[number] for number in range({count})]

                @jax.jit
                def step(x):
                    assert len(table) == {count}
                    return x

                step(jax.Array((4,)))
                ''')
            self.assertEqual('more than 100,000 values' in ' '.join(compared['notes']), is_said, compared)

    def test_a_repetition_that_fails_is_said(self):
        said, compared = self.compare('''
            import jax
            from jax._src import config

            @jax.jit
            def step(x):
                if config.is_jit_disabled:
                    raise ValueError('only compiled')
                return x

            print(step(jax.Array((4,))).shape)
            ''')
        self.assertEqual(said, '(4,)\n')
        self.assertEqual(compared['error'], 'eagerly: ValueError: only compiled')
