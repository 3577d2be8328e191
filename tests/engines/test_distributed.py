"""Collectives and waits for input of torch.distributed, against a fake of what is hooked: spans, ranks, nothing else."""
import json
import os
import textwrap

from with_fakes import WithFakes

FAKE = {
    'torch/__init__.py': '''
        from torch import autograd, compiler, distributed
        class Tensor:
            requires_grad = True
            def numel(self): return 10
            def element_size(self): return 4
            def hook(self, gradient): pass
            def register_hook(self, hook): self.hook = hook
            def backward(self):
                self.hook(self)
                autograd.run_callbacks()
        def is_grad_enabled(): return True
        ''',
    'torch/compiler.py': 'def is_compiling(): return False\n',
    'torch/autograd.py': '''
        callbacks = []
        def run_callbacks():
            while callbacks:
                callbacks.pop(0)()
        class Variable:
            class _execution_engine:
                queue_callback = callbacks.append
        ''',
    'torch/nn/__init__.py': '', 'torch/nn/parallel/__init__.py': '',
    'torch/nn/parallel/distributed.py': '''
        import torch
        class DistributedDataParallel:
            process_group, require_backward_grad_sync = None, True
            def parameters(self): return [torch.Tensor(), torch.Tensor()]
            def forward(self): return torch.Tensor()
        ''',
    'torch/distributed/__init__.py': 'from torch.distributed.distributed_c10d import *\n',
    'torch/distributed/distributed_c10d.py': '''
        """What the hooks need of the real module, for one process that is rank 1 of 2."""
        class _Group:
            def __init__(self, ranks): self.ranks = ranks
            def rank(self): return 1
            def size(self): return len(self.ranks)
        class group:
            WORLD = None
        def init_process_group(backend, rank=-1, world_size=-1):
            group.WORLD = _Group([0, 1])
        def get_rank(group=None): return 1
        def get_world_size(group=None): return 2
        def get_process_group_ranks(group): return group.ranks
        def new_group(ranks): return _Group(ranks)
        def all_reduce(tensor, op=None, group=None, async_op=False):
            if tensor is None:
                raise ValueError('no tensor')
            return 'work' if async_op else None
        def all_gather_object(objects, value, group=None):
            all_reduce(value)
        def barrier(group=None, async_op=False): pass
        ''',
    'torch/utils/__init__.py': '', 'torch/utils/data/__init__.py': '',
    'torch/utils/data/dataloader.py': '''
        class _BaseDataLoaderIter:
            def __init__(self): self.left = 2
            def __iter__(self): return self
            def __next__(self):
                self.left -= 1
                if self.left < 0:
                    raise StopIteration
                return self.left
        ''',
}

FAKE_RAY = '''
    """What the hooks need of the real module."""
    _context = []
    class TrainContext:
        def __init__(self, *ranks): self.ranks = ranks
        def get_world_rank(self): return self.ranks[0]
        def get_world_size(self): return self.ranks[1]
        def get_local_rank(self): return self.ranks[2]
    def begin_worker(*ranks): _context[:] = [TrainContext(*ranks)]
    def get_context():
        if not _context:
            raise RuntimeError('not in a worker')
        return _context[0]
    def report(metrics, *, checkpoint=None): pass
    '''

SCRIPT = '''
    import torch, torch.distributed as dist
    from torch.distributed.distributed_c10d import barrier
    from torch.utils.data.dataloader import _BaseDataLoaderIter
    from torch import Tensor
    from torch.nn.parallel.distributed import DistributedDataParallel
    dist.init_process_group('gloo')
    for n in _BaseDataLoaderIter():
        print(n, dist.all_reduce(Tensor()))
    print(dist.all_reduce(Tensor(), async_op=True))
    dist.all_reduce(Tensor(), group=dist.new_group([1]))
    dist.all_gather_object([], Tensor())
    barrier()
    try:
        dist.all_reduce(None)
    except ValueError as error:
        print(error)
    module = DistributedDataParallel()
    for module.require_backward_grad_sync in (True, False, True):
        module.forward().backward()
    print(dist.all_reduce.__module__, dist.all_reduce.__name__)
    '''


class Distributed(WithFakes):
    installed = ()

    def setUp(self):
        super().setUp()
        for name, text in FAKE.items():
            self.write(os.path.join('site-packages', name), text)
        for name in ('RANK', 'WORLD_SIZE'):
            kept = os.environ.pop(name, None)
            if kept is not None:
                self.addCleanup(os.environ.__setitem__, name, kept)

    def test_spans_and_the_rank(self):
        script = self.write('script.py', SCRIPT)
        alone = self.run_python(script)
        done = self.run_python('-m', 'footlight_recorder', '-o', self.session, '--engine', 'footlight', script)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, alone.stdout, alone.stderr))
        asked = self.said('sql', self.session, 'SELECT name, category, args FROM spans '
                                               "WHERE category IN ('collective', 'input') ORDER BY start_ns")
        rows = [(row['name'], row['category'], json.loads(row['args'] or '{}')) for row in asked]
        lines = [args.pop('line') for _, category, args in rows if category == 'collective']
        text = textwrap.dedent(SCRIPT).splitlines()
        self.assertTrue(all(any(words in text[line - 1] for words in ('dist.all_', 'barrier()', '.forward()')) for line in lines), lines)
        self.assertEqual({args.pop('file') for _, category, args in rows if category == 'collective'}, {script})
        numbers = [args.pop('seq') for _, category, args in rows if category == 'collective']
        self.assertEqual(numbers, [1, 2, 3, 1, 1, 1, 4, 1, 2])  # of each name and group, also those that fail
        world = {'group': 'world', 'bytes': 40}
        batch = ('DataLoader', 'input', {})
        self.assertEqual(rows, [batch, ('all_reduce', 'collective', world), batch, ('all_reduce', 'collective', world), batch,
                                ('all_reduce', 'collective', {**world, 'async': True}),
                                ('all_reduce', 'collective', {'group': '1', 'bytes': 40}),
                                ('all_gather_object', 'collective', world),  # what it is made of is no collective of its own
                                ('barrier', 'collective', {'group': 'world'}),
                                ('all_reduce', 'collective', {'group': 'world'}),
                                *[('gradients', 'collective', {'group': 'world', 'bytes': 80})] * 2])
        self.assertEqual(self.rows('SELECT rank, world, kind FROM process'), [(1, 2, 'rank')])
        self.assertEqual(self.rows('SELECT * FROM process_missing_hook'), [])

    def with_ray(self, worker):
        """Runs a program as Ray Train runs a worker: the process is there before it knows its rank."""
        self.write('site-packages/ray/__init__.py', '')
        self.write('site-packages/ray/train/__init__.py', FAKE_RAY)
        return self.ranks_of(worker)

    def ranks_of(self, text, **environment):
        script = self.write('worker.py', text)
        alone = self.run_python(script, environment=environment)
        done = self.run_python('-m', 'footlight_recorder', '-o', self.session, '--engine', 'footlight', script,
                               environment=environment)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (alone.returncode, alone.stdout, alone.stderr))
        return self.rows('SELECT rank, world, local_rank, kind FROM process')

    def test_the_rank_that_ray_gives(self):
        begins = "import ray.train\nray.train.begin_worker(3, 4, 1)\n"
        for asks in ('print(ray.train.get_context().get_world_rank())', "ray.train.report({'loss': 1.0})",
                     "from ray.train import get_context\nprint(get_context().get_world_size())"):
            with self.subTest(asks):
                self.assertEqual(self.with_ray(begins + asks + '\n'), [(3, 4, 1, 'rank')])

    def test_the_driver_of_ray_has_no_rank(self):
        asks = "import ray.train\ntry:\n    ray.train.get_context()\nexcept RuntimeError as error:\n    print(error)\n"
        self.assertEqual(self.with_ray(asks), [(0, 1, 0, '')])
        self.assertEqual(self.with_ray("import ray\nimport sys\nprint('ray.train' in sys.modules)\n"), [(0, 1, 0, '')])

    def test_the_rank_that_comes_late_into_the_environment(self):
        late = "import os\nos.environ.update(RANK='2', WORLD_SIZE='8', LOCAL_RANK='2')\n"
        self.assertEqual(self.ranks_of(late, RAY_JOB_ID='01000000'), [(2, 8, 2, 'rank')])
        none = "import os\nos.environ.update(RANK='9', WORLD_SIZE='8')\n"
        self.assertEqual(self.ranks_of(none, RAY_JOB_ID='01000000'), [(0, 1, 0, '')])
        self.assertEqual(self.ranks_of(late), [(0, 1, 0, '')])  # it starts ranks, and is none

    def test_passes_before_the_recording_count(self):
        done = self.run_python(self.write('late.py', '''
            import footlight_recorder
            footlight_recorder.prepare()
            import torch.distributed as dist
            from torch.nn.parallel.distributed import DistributedDataParallel
            dist.init_process_group('gloo', rank=1, world_size=2)
            module = DistributedDataParallel()
            module.forward().backward()
            dist.barrier()
            footlight_recorder.start('run.footlight')
            module.forward().backward()
            dist.barrier()
            footlight_recorder.stop()
            '''))
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        asked = self.said('sql', self.session, "SELECT name, args FROM spans WHERE category = 'collective' ORDER BY start_ns")
        self.assertEqual([(row['name'], json.loads(row['args'])['seq']) for row in asked], [('gradients', 2), ('barrier', 2)])
