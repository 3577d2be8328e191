"""tensorflow.python.data.experimental.ops.global_shuffle_op."""
import footlight as tf
from footlight._tensorflow.publish import publish


def _global_shuffle(dataset, seed=None, reshuffle_each_iteration=True, name=None):
    """All elements of a dataset in random order, each iteration in another one."""
    size = dataset.cardinality()
    if tf.executing_eagerly() and size <= 0:
        raise tf.errors.InvalidArgumentError(
            None, None, f'`global_shuffle` requires the input dataset to have a non-empty finite cardinality. Got cardinality: {int(size)}')
    return dataset.shuffle(size, seed=seed, reshuffle_each_iteration=reshuffle_each_iteration, name=name)


publish(globals(), '_global_shuffle')
