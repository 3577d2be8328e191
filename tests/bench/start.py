"""The time from the start of a process to its first tensor, and its memory at that point."""
import os
import subprocess
import sys

import bench

MEMORY = '; print([l for l in open("/proc/self/status") if l.startswith("VmRSS")][0].split()[1])'
FIRST = {'footlight': 'import footlight as tf; tf.constant(1)', 'tensorflow': 'import tensorflow as tf; tf.constant(1)',
         'torch': 'import torch; torch.tensor(1)', 'jax': 'import jax.numpy as jnp; jnp.float32(1) + 0', 'none': 'pass'}


def started(library):
    environment = dict(os.environ, PYTHONPATH=os.path.join(bench.BUILD, 'python'))
    return lambda: subprocess.run([sys.executable, '-c', FIRST[library]], env=environment, check=True)


def memory(library):
    environment = dict(os.environ, PYTHONPATH=os.path.join(bench.BUILD, 'python'))
    return lambda: int(subprocess.run([sys.executable, '-c', FIRST[library] + MEMORY], env=environment, check=True,
                                      stdout=subprocess.PIPE).stdout) / 1024


ROWS = [
    bench.Row('process start to first tensor', lambda: started('footlight'), lambda: started('none'),
              'the bare interpreter', 150e-3),
    bench.Row('memory after import', lambda: memory('footlight'), lambda: memory('none'), 'the bare interpreter', 60.0,
              unit='MB'),
]


def peers(library):
    return {'process start to first tensor': started(library), 'memory after import': memory(library)}


if __name__ == '__main__':
    bench.main()
