"""Shared by all benchmarks: interleaved medians, the floors, the peers in processes of their own, the table.

A benchmark is a file with ROWS, a list of Row, and peers(library), which gives for a peer's name the same work done with
it: {row name: work}, or, with PEERS_ARE_MADE, {row name: function that makes the work}. Work is a callable, or
(statement, names) where even a call of Python's would weigh too much. TRACED names the rows that TensorFlow does with
XLA too. Each file runs alone; run.py runs all of them. Nothing here ever fails by time.
"""
import dataclasses
import functools
import importlib
import json
import os
import statistics
import subprocess
import sys
import time
import timeit
import typing

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.environ.get('FOOTLIGHT_BUILD', os.path.join(HERE, '..', '..', 'build', 'release'))
sys.path[:0] = [os.path.join(BUILD, 'python'), os.path.join(BUILD, 'bench')]
PEERS = ('tensorflow', 'xla', 'torch', 'jax')
QUICK = bool(os.environ.get('FOOTLIGHT_BENCH_QUICK'))  # runs each benchmark once: shows that they still work
BEST = bool(os.environ.get('FOOTLIGHT_BENCH_BEST'))  # for a busy machine: the best of each instead of the median


@dataclasses.dataclass
class Row:
    name: str
    make: typing.Callable  # () -> the work to time
    floor: typing.Callable | None = None  # () -> the work to divide by
    floor_is: str = ''
    budget: float | None = None  # seconds, on the machine that the floor below was measured on
    budget_floor: float | None = None  # that floor, in seconds
    unit: str = 's'  # 'MB': the callables return a size instead
    why: str = ''  # reason why a peer may be faster


def timer(work):
    statement, names = work if isinstance(work, tuple) else ('work()', {'work': work})
    return timeit.Timer(statement, globals=names).timeit


def loops(run, least):
    """The number of rounds that takes long enough for the clock."""
    n = 1
    while run(n) < least and n < 1 << 20 and not QUICK:
        n *= 4
    return n


def medians(works, repeats=41, budget=3.0):
    """Median seconds of each; they take turns, so that noise affects all equally. A work may be an Asked."""
    peers = not QUICK and any(isinstance(work, Asked) for work in works)
    runs = [work.run if isinstance(work, Asked) else timer(work) for work in works]
    counts = [loops(run, 0.01 if peers else 0.002) for run in runs]
    taken = [[] for _ in works]
    began = time.perf_counter()
    for done in range(repeats):
        for run, n, list_ in zip(runs, counts, taken):
            if peers:  # the threads of the one before may still spin, and the caches hold its tensors
                time.sleep(0.02)
                run(1)
            list_.append(run(n) / n)
        if QUICK or (done >= 4 and time.perf_counter() - began > budget):
            break
    return [(min if BEST else statistics.median)(list_) for list_ in taken]


class Peer:
    """A process with another library, which runs rounds of a row's work, taking turns with ours."""

    def __init__(self, python, file, peer):
        self.process = subprocess.Popen([python, file, '--peer', peer], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True,
                                        env=dict(os.environ, TF_CPP_MIN_LOG_LEVEL='3', CUDA_VISIBLE_DEVICES=''))
        self.rows = set(self.answer() or [])

    def answer(self):
        """The next line that belongs to us: libraries may print too."""
        for line in self.process.stdout:
            if line.startswith('bench: '):
                return json.loads(line[7:])
        return None

    def ask(self, row, rounds):
        try:
            self.process.stdin.write(json.dumps([row, rounds]) + '\n')
            self.process.stdin.flush()
        except OSError:
            return None
        return self.answer()

    def close(self):
        try:
            self.process.stdin.close()
        except OSError:
            pass  # it has already ended
        self.process.wait()


@dataclasses.dataclass
class Asked:
    peer: Peer
    row: str

    def run(self, rounds):
        return self.peer.ask(self.row, rounds) or float('nan')


def shown(value, unit='s'):
    if value is None:
        return '-'
    if unit == 'MB':
        return f'{value:.1f} MB'
    for scale, name in ((1e-6, 'ns'), (1e-3, 'us'), (1.0, 'ms')):
        if value < scale:
            return f'{value / scale * 1e3:.3g} {name}'
    return f'{value:.3g} s'


def measure(row, peers):
    """The times of the row, its floor and the peers."""
    subject, floor = row.make(), row.floor() if row.floor else None
    asked = {name: Asked(peer, row.name) for name, peer in peers.items() if row.name in peer.rows}
    if row.unit == 'MB':
        return subject(), floor() if floor else None, {name: one.run(1) for name, one in asked.items()}
    works = [subject] + ([floor] if floor else []) + list(asked.values())
    times = medians(works, budget=1.0 + len(works))
    return times[0], times[1] if floor else None, dict(zip(asked, times[len(times) - len(asked):]))


def start_peers(file):
    """{library: Peer} from the interpreters in FOOTLIGHT_BENCH_PEERS; for each library the first that has it."""
    peers = {}
    for python in filter(None, os.environ.get('FOOTLIGHT_BENCH_PEERS', '').split(os.pathsep)):
        for name in PEERS:
            if name not in peers:
                peer = Peer(python, file, name)
                if peer.rows:
                    peers[name] = peer
                else:
                    peer.close()
    return peers


def as_peer(module, peer):
    """Serves rounds: reads lines [row, rounds], prints the seconds that they took."""
    try:
        library = importlib.import_module('tensorflow' if peer == 'xla' else peer)
    except ImportError:
        print('bench: []', flush=True)
        return
    if peer == 'xla':  # TensorFlow again, whose traced functions are compiled by XLA
        library.function = functools.partial(library.function, jit_compile=True)
    calls = module.peers(library.__name__)
    if peer == 'xla':
        calls = {row: calls[row] for row in getattr(module, 'TRACED', ())}
    print('bench: ' + json.dumps(list(calls)), flush=True)
    timers = {}
    for line in sys.stdin:
        row, rounds = json.loads(line)
        if row.startswith('memory'):
            print(f'bench: {calls[row]()!r}', flush=True)
            continue
        if row not in timers:
            timers.clear()  # keeps the tensors of one row only
            timers[row] = timer(calls[row]() if getattr(module, 'PEERS_ARE_MADE', False) else calls[row])
        print(f'bench: {timers[row](rounds)!r}', flush=True)


def compiled_by_torch(f, *args):
    import torch
    try:
        compiled = torch.compile(f)
        for _ in range(5):
            compiled(*args)
        return compiled
    except Exception:  # without a C++ compiler it runs op by op
        return f


COLUMNS = ('what', 'floor', 'Footlight', 'x floor', 'budget', 'of budget', 'TensorFlow', 'XLA', 'PyTorch', 'JAX',
           'slower because')


def lines(module):
    """The table's cells for one benchmark."""
    peers = start_peers(os.path.abspath(module.__file__))
    for row in module.ROWS:
        this, floor, theirs = measure(row, peers)
        budget = row.budget
        if budget and floor and row.budget_floor:  # the budget, scaled to this machine's current speed
            budget = budget * floor / row.budget_floor
        cells = [row.name, shown(floor, row.unit), shown(this, row.unit), f'{this / floor:.2f}' if floor else '-',
                 shown(budget, row.unit), f'{this / budget:.2f}' if budget else '-']
        for peer in PEERS:
            seconds = theirs.get(peer)
            known = seconds is not None and seconds == seconds
            cells.append(f'{shown(seconds, row.unit)}, x{seconds / this:.3g}' if known else '-')
        slower = any(seconds < this for seconds in theirs.values())
        yield cells + [row.why or 'not known' if slower else '']
    for peer in peers.values():
        peer.close()


def table(rows):
    rows = [COLUMNS, *rows]
    widths = [max(len(row[i]) for row in rows) for i in range(len(COLUMNS))]
    return '\n'.join('  '.join(cell.ljust(w) if i in (0, len(row) - 1) else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, widths)))
                     .rstrip() for row in rows)


def main(module_name='__main__'):
    module = sys.modules[module_name]
    if '--peer' in sys.argv:
        as_peer(module, sys.argv[sys.argv.index('--peer') + 1])
        return
    print(table(lines(module)))
    for row in module.ROWS:
        if row.floor_is:
            print(f'floor of "{row.name}": {row.floor_is}')
