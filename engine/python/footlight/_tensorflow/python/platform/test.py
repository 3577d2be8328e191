"""tensorflow.python.platform.test: benchmarks and files of tests."""
from __future__ import annotations

import os

import footlight as tf
from footlight._tensorflow.publish import publish
from footlight._typing import Any


class Benchmark:
    """Methods named benchmark... measure something and report it."""

    def report_benchmark(self, iters: Any = None, cpu_time: Any = None, wall_time: Any = None, throughput: Any = None,
                         extras: Any = None, name: str | None = None, metrics: Any = None) -> None:
        """Prints what was measured on a line."""
        parts = dict(iters=iters, cpu_time=cpu_time, wall_time=wall_time, throughput=throughput, **(extras or {}))
        print(f'{type(self).__name__}.{name or "benchmark"}: ' + ', '.join(
            f'{key} {value}' for key, value in parts.items() if value is not None))

    def evaluate(self, tensors):
        """The values of tensors."""
        return tf.nest.map_structure(lambda one: one.numpy() if hasattr(one, 'numpy') else one, tensors)


def test_src_dir_path(relative_path: Any) -> str:
    """The place of a file among the sources of tests, whose folder the environment variable TEST_SRCDIR names."""
    return os.path.join(os.environ.get('TEST_SRCDIR', ''), 'org_tensorflow/tensorflow', relative_path)


publish(globals())
publish(globals(), 'Benchmark', 'python.eager.test')
publish(globals(), 'Benchmark', 'python.platform.googletest')
publish(globals(), 'test_src_dir_path', 'compat.v1.test')
publish(globals(), 'Benchmark', 'test')
