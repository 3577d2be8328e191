#!/usr/bin/env python3
"""Runs every benchmark and prints one table: medians, each as a ratio to its floor, its budget and the peers.

    run.py [NAME...]

FOOTLIGHT_BENCH_PEERS names interpreters (separated by colons) that have TensorFlow, PyTorch or JAX; without it their
columns stay empty.
FOOTLIGHT_BUILD names the build tree; build/release by default. FOOTLIGHT_BENCH_QUICK=1 runs everything
once, FOOTLIGHT_BENCH_BEST=1 prints the best times, not the medians. Exit status 1 when a benchmark could not run; never because of a time.
"""
import glob
import importlib
import os
import subprocess
import sys

import bench

names = sys.argv[1:] or sorted(os.path.basename(p)[:-3] for p in glob.glob(os.path.join(bench.HERE, '*.py'))
                               if os.path.basename(p) not in ('bench.py', 'run.py'))
rows, floors, broken = [], [], 0
for name in names:
    module = importlib.import_module(name)
    print('...', name, file=sys.stderr, flush=True)
    try:
        rows += bench.lines(module)
    except Exception as error:  # the others still get their table
        print(f'{name}: {type(error).__name__}: {error}', file=sys.stderr)
        broken += 1
    floors += [f'{row.name}: {row.floor_is}' for row in module.ROWS if row.floor_is]
print(bench.table(rows))
print('\nFloors\n ', '\n  '.join(floors))
programs = [] if sys.argv[1:] else sorted(glob.glob(os.path.join(bench.BUILD, 'bench', 'bench_*')))
for program in programs:  # the C++ benchmarks print their own lines
    print('\n' + os.path.basename(program), flush=True)
    broken += subprocess.run([program], check=False).returncode != 0
sys.exit(1 if broken else 0)
