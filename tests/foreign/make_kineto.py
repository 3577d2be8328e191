"""Writes a trace as PyTorch's profiler does, of any size.

    make_kineto.py OUT.json[.gz] [--megabytes N | --steps N] [--rank R --world W] [--slow FACTOR] [--no-stacks]

A step has a forward pass of Python functions and ops inside each other, a backward pass on another thread, launches
with kernels on two streams, copies, memory, and the profiler's own marks.
"""
import argparse
import gzip
import json
import random
from typing import IO, Any, Iterator

LAYERS = 12
Event = dict[str, Any]
KERNELS = ('ampere_sgemm_128x64_tn',
           'void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float>>',
           'void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float>>',
           'void cudnn::softmax_fw_kernel<float>')
OPS = ('aten::linear', 'aten::add', 'aten::sum', 'aten::softmax')


class Clock:
    """Times in microseconds with three digits, as Kineto writes them."""

    def __init__(self, start: float) -> None:
        self.now = start

    def step(self, microseconds: float) -> float:
        self.now = round(self.now + microseconds, 3)
        return self.now


def complete(category: str, name: str, pid: Any, tid: Any, start: float, took: float, args: Event) -> Event:
    return {'ph': 'X', 'cat': category, 'name': name, 'pid': pid, 'tid': tid, 'ts': start, 'dur': round(took, 3),
            'args': args}


class Step:
    """One step of training: its events in the order in which the profiler writes them."""

    def __init__(self, number: int, clock: Clock, rng: random.Random, slow: float, stacks: bool, first_id: int) -> None:
        self.number, self.clock, self.rng, self.slow, self.stacks = number, clock, rng, slow, stacks
        self.next_id = first_id
        self.host: list[Event] = []
        self.device: list[Event] = []
        self.gpu_free = clock.now

    def launch(self, pid: int, tid: int, name: str, stream: int, external: int) -> None:
        correlation = self.next_id
        self.next_id += 1
        start = self.clock.step(1.0)
        self.host.append(complete('cuda_runtime', 'cudaLaunchKernel', pid, tid, start, 3.5,
                                  {'External id': external, 'cbid': 211, 'correlation': correlation}))
        begins = max(self.gpu_free, start + 5)
        took = self.rng.uniform(8, 40) * self.slow
        self.gpu_free = begins + took + 0.5
        self.device.append(complete('kernel', name, 0, stream, round(begins, 3), took,
                                    {'External id': external, 'device': 0, 'context': 1, 'stream': stream,
                                     'correlation': correlation, 'grid': [80, 1, 1], 'block': [128, 1, 1],
                                     'registers per thread': 90, 'shared memory': 0, 'est. achieved occupancy %': 40}))
        self.clock.step(4.0)

    def op(self, pid: int, tid: int, layer: int, kind: int, forward_tid: int) -> None:
        external = self.next_id
        self.next_id += 1
        begin = self.clock.step(1.0)
        args: Event = {'External id': external, 'Ev Idx': external,
                       'Sequence number': self.number * 1000 + layer * 10 + kind,
                       'Fwd thread id': forward_tid, 'Record function id': 0,
                       'Input Dims': [[8, 16 << kind], [16 << kind, 32]], 'Input type': ['float', 'float']}
        inner = self.clock.step(1.0)
        at = len(self.host)
        self.launch(pid, tid, KERNELS[kind], 7 if forward_tid == 0 else 20, external + 1)
        self.next_id += 1
        inner_end = self.clock.step(0.5)
        self.host.insert(at, complete('cpu_op', OPS[kind] + '_out', pid, tid, inner, inner_end - inner,
                                      {'External id': external + 1, 'Input Dims': [], 'Input type': []}))
        end = self.clock.step(1.0)
        name = OPS[kind] if forward_tid == 0 else 'autograd::engine::evaluate_function: Backward' + str(kind)
        self.host.insert(at, complete('cpu_op', name, pid, tid, begin, end - begin, args))

    def events(self, pid: int) -> Iterator[Event]:
        begin = self.clock.step(5.0)
        for layer in range(LAYERS):
            from_ = self.clock.step(1.0)
            at = len(self.host)
            for kind in range(len(OPS)):
                line_from = self.clock.step(0.5)
                place = len(self.host)
                self.op(pid, pid, layer, kind, 0)
                if self.stacks:
                    self.host.insert(place, complete(
                        'python_function', f'torch/nn/functional.py({100 + kind}): {OPS[kind][6:]}', pid, pid,
                        line_from, self.clock.step(0.5) - line_from, {'Python id': self.next_id}))
            if self.stacks:
                self.host.insert(at, complete('python_function', f'model.py({20 + layer}): block', pid, pid, from_,
                                              self.clock.step(0.5) - from_, {'Python id': self.next_id}))
        for layer in reversed(range(LAYERS)):
            for kind in range(len(OPS)):
                self.op(pid, pid + 1, layer, kind, pid)
        correlation = self.next_id
        self.next_id += 1
        at_copy = self.clock.step(1.0)
        self.host.append(complete('cuda_runtime', 'cudaMemcpyAsync', pid, pid, at_copy, 10.0,
                                  {'correlation': correlation}))
        self.device.append(complete('gpu_memcpy', 'Memcpy DtoH (Device -> Pageable)', 0, 7,
                                    round(self.gpu_free, 3), 2.5, {'device': 0, 'context': 1, 'stream': 7,
                                                                   'correlation': correlation,
                                     'bytes': 4096}))
        end = self.clock.step(20.0)
        yield complete('user_annotation', f'ProfilerStep#{self.number}', pid, pid, begin, end - begin, {})
        yield from self.host
        yield from self.device
        yield complete('mtia_ccp_events', 'linear of an accelerator that is no GPU', 1, 3, end, 1.5,
                       {'device': 1, 'stream': 3})
        yield {'ph': 'i', 's': 't', 'cat': 'cpu_instant_event', 'name': '[memory]', 'pid': pid, 'tid': pid, 'ts': end,
               'args': {'Total Allocated': 1_000_000 + self.number, 'Device Type': 1, 'Device Id': 0, 'Bytes': 64}}
        self.clock.now = max(self.clock.now, self.gpu_free)


def write(out: IO[str], steps: int, megabytes: float, rank: int, world: int, slow: float, stacks: bool) -> int:
    rng = random.Random(rank + 1)
    clock = Clock(1_000_000.125)
    pid, written, count, step, next_id = 4000 + rank * 10, 0, 0, 0, 1

    def put(text: str) -> None:
        nonlocal written
        out.write(text)
        written += len(text)

    put('{"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "Test Device 80GB", "totalGlobalMem": 1}],\n')
    put(f'"distributedInfo": {{"backend": "nccl", "rank": {rank}, "world_size": {world}}},\n"traceEvents": [\n')
    for name, what, where, tid in (('process_name', 'python', pid, 0),
                                   ('thread_name', f'thread {pid} (python)', pid, pid),
                                   ('thread_name', f'thread {pid + 1} (pt_autograd_0)', pid, pid + 1),
                                   ('process_name', 'python', 0, 0)):
        put(json.dumps({'ph': 'M', 'name': name, 'pid': where, 'tid': tid, 'ts': 0, 'args': {'name': what}}) + ',\n')
    while step < steps if steps else written < megabytes * 1e6:
        made = Step(step, clock, rng, slow, stacks, next_id)
        for event in made.events(pid):
            put(json.dumps(event) + ',\n')
            count += 1
        next_id = made.next_id
        step += 1
    put(json.dumps({'ph': 'i', 's': 'g', 'name': 'Record Window End', 'pid': '', 'tid': '', 'ts': clock.now}) + '\n')
    put('],\n"traceName": "trace.json", "displayTimeUnit": "ms", "baseTimeNanoseconds": 1717000000000000000}\n')
    return count


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument('out')
    parser.add_argument('--megabytes', type=float, default=1.0)
    parser.add_argument('--steps', type=int, default=0)
    parser.add_argument('--rank', type=int, default=0)
    parser.add_argument('--world', type=int, default=1)
    parser.add_argument('--slow', type=float, default=1.0)
    parser.add_argument('--no-stacks', action='store_true')
    said = parser.parse_args()
    out: IO[str] = gzip.open(said.out, 'wt', encoding='utf-8') if said.out.endswith('.gz') else \
        open(said.out, 'w', encoding='utf-8')
    with out:
        count = write(out, said.steps, said.megabytes, said.rank, said.world, said.slow, not said.no_stacks)
    print(f'{count} events')


if __name__ == '__main__':
    main()
