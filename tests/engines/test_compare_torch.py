"""A call of a compiled function, repeated with TorchDynamo off and compiled, under a fake of PyTorch."""
import contextlib
import unittest
import unittest.mock

from footlight_recorder import repetitions
from compared import ComparedCase

# An eager call takes 3 ms in Python, 1 ms in the dispatcher and 4 ms in a kernel; a compiled one 2 ms in guards and 5 ms in a
# kernel of generated code.
SCRIPT = '''
    import torch
    from torch._dynamo import eval_frame
    from torch._inductor.codecache import PyCodeCache

    generated = PyCodeCache.load("""
    import torch

    class async_compile:
        cpp_pybinding = staticmethod(lambda: lambda: torch.work(0.005))

    cpp_fused_relu_0 = async_compile.cpp_pybinding()

    def call():
        cpp_fused_relu_0()
    """.replace('\\\\n    ', '\\\\n'))
    weight = torch.nn.Parameter((4,), requires_grad=True)
    counts = {'steps': 0}

    @torch.compile
    def step(x):
        counts['steps'] += 1
        weight.elements[0] += 1.0
        weight.grad = torch.Tensor((4,))
        if torch.compiler.running:
            generated.call()
            return x
        print('eagerly')
        torch.work(0.003)
        return torch.relu(x)

    for _ in range(4):
        step(torch.Tensor((4,)))
        eval_frame.seconds_of_guards[0] = 0.002
    print(weight.elements[0], weight.grad is not None, counts['steps'])
    '''


class Timed(repetitions.RepeatedCall):
    """A call that takes these times, with hooks and without."""

    def __init__(self, bare, hooked, crossings):
        self.bare, self.hooked, self.crossings = iter(bare), iter(hooked), crossings
        self.crossing_ns = 100

    def time_eagerly(self, marks):
        if marks is None:
            return next(self.bare)
        for _ in range(self.crossings // 2):
            marks.enter()
            marks.leave('python')
        return next(self.hooked)


class TimeOfHooks(unittest.TestCase):
    def crossing(self, bare, hooked, crossings=4):
        call = Timed(bare, hooked, crossings)
        with unittest.mock.patch.object(repetitions, '_interruptions', lambda: 0):
            call.measure_crossing_in_call()
        return call.crossing_ns

    def test_it_is_measured_on_the_call(self):
        times = [8000 + 7 * at for at in range(100)]
        self.assertEqual(self.crossing(times, [time + 2000 for time in times]), 500)
        # Some rounds were disturbed.
        disturbed = [time + 2000 + 9000 * (at % 3 == 1) for at, time in enumerate(times)]
        self.assertAlmostEqual(self.crossing(times, disturbed), 500, delta=10)

    def test_the_measure_of_a_simple_op_stays(self):
        times = [8000 + 7 * at for at in range(100)]
        self.assertEqual(self.crossing(times, times), 100)                       # hooks take less than was measured
        self.assertEqual(self.crossing(times, [time + 2000 for time in times], 0), 100)  # no op has a hook
        noisy = [8000 + 900 * at for at in range(100)]
        self.assertEqual(self.crossing(noisy, [time + 2000 for time in noisy]), 100)
        self.assertEqual(self.crossing(times[:3], [9999] * 3), 100)              # a repetition failed


class Quick(repetitions.RepeatedCall):
    """A call whose repetitions tell what happened before and in them."""

    def __init__(self, happened):
        self.happened = happened
        self.crossing_ns = 0

    def put_back(self):
        self.happened.append('put back')

    def run_eagerly(self):
        self.happened.append('eager')

    def run_compiled(self):
        self.happened.append('compiled')

    def marking(self, compiled, marks):
        return contextlib.nullcontext()


class BusyMachine(unittest.TestCase):
    def repeat(self, interrupts):
        """Which pairs have marks, where `interrupts` says of a pair's number whether it is interrupted; and what happened."""
        happened = []
        repeated = repetitions._Repetitions(Quick(happened), 16, 60)
        interruptions = 0

        def count():
            nonlocal interruptions
            interruptions += interrupts(len(repeated.runs) // 2)
            return interruptions
        with unittest.mock.patch.multiple(repetitions, _interruptions=count, _MIN_SECONDS=60), \
                unittest.mock.patch.object(repetitions.os, 'sched_yield', lambda: happened.append('yield')):
            repeated.run()
        self.assertEqual(repeated.error, '')
        return [run['pair'] for run in repeated.runs[::2] if run['with_events']], happened

    def test_interrupted_pairs_with_marks_are_made_up_for(self):
        first, *_ = every_fourth = self.repeat(lambda pair: False)[0]
        self.assertEqual(first, 0)
        self.assertEqual({after - before for before, after in zip(every_fourth[1:], every_fourth[2:])}, {4})
        makes_up = self.repeat(lambda pair: pair == every_fourth[1])[0]
        self.assertEqual(makes_up, sorted([*every_fourth, every_fourth[1] + 2]))
        # Where all are interrupted, each other pair stays without marks: totals are of those.
        always = self.repeat(lambda pair: True)[0]
        self.assertEqual({after - before for before, after in zip(always[2:], always[3:])}, {2})

    def test_others_get_the_processor_before_a_repetition_and_not_in_it(self):
        happened = self.repeat(lambda pair: False)[1]
        for at in range(0, len(happened), 3):
            self.assertEqual(happened[at:at + 2], ['put back', 'yield'])
            self.assertIn(happened[at + 2], ('eager', 'compiled'))


class CompareTorch(ComparedCase):
    installed = ('torch',)

    def test_each_kind_of_work_has_its_share(self):
        said, compared = self.compare(SCRIPT, 3, 2)
        self.assertEqual(said, '4.0 True 4\n')  # nothing of the repetitions is left
        self.assertEqual((compared['left']['name'], compared['right']['name']), ('eager', 'compiled'))
        eager, compiled = compared['left']['shares_ns'], compared['right']['shares_ns']
        # How long each takes depends on what else the machine does; which of them take time, and the sums, do not.
        for share, is_there in (('Python', True), ('dispatch', True), ('kernels', True), ('guards', False)):
            self.assertEqual(eager[share] > 0, is_there, (share, compared))
        for share in ('guards', 'kernels'):
            self.assertGreater(compiled[share], 0, (share, compared))
        for side in compared['left'], compared['right']:
            self.assertAlmostEqual(sum(side['shares_ns'].values()), side['recorded_ns']['mean'], delta=len(eager))
        # Each kernel is that of its row, and no other row has any of it.
        rows = {row['eager_ops'] or row['graph_nodes']: row for row in compared['rows']}
        self.assertEqual({name: row['group'] for name, row in rows.items()},
                         {'relu': 'in the executable', 'cpp_fused_relu_0': 'in the executable'})
        self.assertEqual((rows['relu']['eager_count'], rows['cpp_fused_relu_0']['traced_count']), (1, 1))
        self.assertAlmostEqual(rows['relu']['eager_ns']['mean'], eager['kernels'], delta=1)
        self.assertAlmostEqual(rows['cpp_fused_relu_0']['traced_ns']['mean'], compiled['kernels'], delta=1)
        self.assertAlmostEqual(sum(part['difference_ns']['mean'] for part in compared['parts']),
                               compared['difference_ns']['mean'], delta=1)
        self.assertEqual(self.rows('SELECT t.number FROM comparison c JOIN trace t ON t.id = c.trace'), [(1,)])

    def test_a_call_that_takes_elements_of_a_generator_is_not_repeated(self):
        said, compared = self.compare('''
            import torch

            def numbers():
                yield from range(100)
            batches = numbers()

            @torch.compile
            def step(x):
                next(batches)
                return x

            step(torch.Tensor((4,)))
            print(next(batches))
            ''')
        self.assertEqual(said, '1\n')
        self.assertEqual(compared['sentence'], 'The call cannot be repeated: it uses batches, a generator, whose elements every '
                                               'repetition would use up.')

    def test_a_call_that_writes_to_a_file_is_not_repeated(self):
        _, compared = self.compare('''
            import torch

            class Trainer:
                def __init__(self):
                    self.log = open('log.txt', 'w')

                def write(self):
                    self.log.write('x')
            trainer = Trainer()

            @torch.compile
            def step(x):
                trainer.write()
                return x

            step(torch.Tensor((4,)))
            trainer.log.close()
            ''')
        self.assertIn('it uses log, a file that it may write to', compared['sentence'])
        with open(self.path('log.txt'), encoding='utf-8') as file:
            self.assertEqual(file.read(), 'x')

    def test_a_repetition_that_fails_is_reported(self):
        _, compared = self.compare('''
            import torch

            @torch.compile
            def step(x):
                if not torch.compiler.running:
                    raise ValueError('only compiled')
                return x

            step(torch.Tensor((4,)))
            ''')
        self.assertEqual(compared['error'], 'eagerly: ValueError: only compiled')
