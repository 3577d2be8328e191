"""tensorflow.python.data.experimental.ops.global_shuffle_op."""
from __future__ import annotations

import footlight as tf
from footlight._tensorflow.publish import publish


def _global_shuffle(dataset: tf.data.Dataset, seed: int | None = None, reshuffle_each_iteration: bool = True,
                    name: str | None = None) -> tf.data.Dataset:
    """All elements of a dataset in random order, each iteration in another one."""
    size = dataset.cardinality()
    if tf.executing_eagerly() and size <= 0:
        raise tf.errors.InvalidArgumentError(
            None, None, f'`global_shuffle` requires the input dataset to have a non-empty finite cardinality. Got cardinality: {int(size)}')
    return dataset.shuffle(size, seed=seed, reshuffle_each_iteration=reshuffle_each_iteration, name=name)


publish(globals(), '_global_shuffle')
