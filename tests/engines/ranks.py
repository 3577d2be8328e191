#!/usr/bin/env python3
"""Rehearses a distributed run with PyTorch itself: 16 ranks over gloo, of which one compiles again, and one waits for input.

    ranks.py [RANKS]

The interpreter is the one that has PyTorch. The ranks count what they do; the merged recording must have the same counts,
and name both ranks with their reasons. Ends with "N passed, N failed".
"""
import glob
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.path.join(os.environ.get('FOOTLIGHT_BUILD', os.path.join(ROOT, 'build', 'release')), 'bin', 'footlight')
LONGER, WAITING = 5, 9  # the ranks that are late: one for a longer batch, one for slow input

TRAIN = f'''
import json
import os
import sys
import time

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, Dataset

compiled = 0


def counting(graph, inputs):
    global compiled
    compiled += 1
    return graph.forward


class Tokens(Dataset):
    def __init__(self, rank):
        self.rank = rank

    def __len__(self):
        return 24

    def __getitem__(self, step):
        if self.rank == {WAITING} and step in (16, 17, 18):
            time.sleep(0.5)
        return torch.ones(33 if self.rank == {LONGER} and step == 10 else 32)


@torch.compile(backend=counting, dynamic=False)
def train_step(weights, tokens):
    for layer in range(60):
        tokens = torch.tanh(tokens * weights[layer]) + tokens.mean()
    return tokens.sum()


torch.set_num_threads(1)
dist.init_process_group('gloo')
rank = dist.get_rank()
weights = torch.rand(60)
counts = {{'broadcast': 1, 'all_reduce': 0, 'barrier': 1}}
dist.broadcast(weights, 0)
for tokens in DataLoader(Tokens(rank), batch_size=1):
    dist.all_reduce(train_step(weights, tokens))
    counts['all_reduce'] += 1
dist.barrier()
with open(os.path.join(sys.argv[1], f'{{rank}}.json'), 'w') as file:
    json.dump({{'rank': rank, 'compiled': compiled, **counts}}, file)
dist.destroy_process_group()
'''


def run(folder, *words):
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=1800,
                          env={**os.environ, 'OMP_NUM_THREADS': '1',
                               'PATH': os.path.dirname(sys.executable) + os.pathsep + os.environ['PATH']})
    if done.returncode:
        sys.exit(f'{" ".join(words)}: {done.returncode}\n{done.stderr[-4000:]}')
    return done.stdout


def main(ranks, folder):
    with open(os.path.join(folder, 'train.py'), 'w', encoding='utf-8') as file:
        file.write(TRAIN)
    os.mkdir(os.path.join(folder, 'counts'))
    run(folder, PROGRAM, 'record', '--engine', 'torch', '-o', 'run.footlight', '-m', 'torch.distributed.run',
        '--nproc_per_node', str(ranks), 'train.py', 'counts')
    run(folder, PROGRAM, 'merge', 'run.footlight', '-o', 'all.footlight')
    counted = []
    for path in glob.glob(os.path.join(folder, 'counts', '*.json')):
        with open(path, encoding='utf-8') as file:
            counted.append(json.load(file))
    asked = json.loads(run(folder, PROGRAM, 'sql', 'all.footlight', '--json',
                           "SELECT name, count(*) AS number FROM spans WHERE category = 'collective' GROUP BY 1"))
    found = json.loads(run(folder, PROGRAM, 'ranks', 'all.footlight', '--json'))
    late = {(group['rank'], group['why'], group['where'], group['collective']) for group in found['late']
            if group['explained']}
    traces = {int(rank['process'].split()[1]): rank['traces'] for rank in found['ranks']}
    checks = {
        'each rank came to its end': len(counted) == ranks,
        'collectives are those that the ranks counted': {row['name']: row['number'] for row in asked} == {
            name: sum(one[name] for one in counted) for name in ('broadcast', 'all_reduce', 'barrier')},
        'traces are those that the ranks compiled': traces == {one['rank']: one['compiled'] for one in counted},
        'the rank that compiled again': (LONGER, 'tracing', 'train_step', 'all_reduce #11') in late,
        'the rank that waited for its input': any((WAITING, 'input', 'DataLoader', f'all_reduce #{n}') in late
                                                  for n in (17, 18, 19)),
    }
    for words, ok in checks.items():
        print('ok  ' if ok else 'FAIL', words, flush=True)
    if not all(checks.values()):
        print(json.dumps(found['late'], indent=1))
    print(f'{sum(checks.values())} passed, {len(checks) - sum(checks.values())} failed')
    return not all(checks.values())


if __name__ == '__main__':
    with tempfile.TemporaryDirectory() as made:
        sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 16, made))
