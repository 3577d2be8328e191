"""tensorflow.python.data.experimental.ops.distribute: sizes of batches."""
import footlight as tf
from footlight._tensorflow.publish import publish


def compute_batch_size(dataset):
    """The size of the batches of a dataset, or -1 where it is not known."""
    sizes = {spec.shape[0] if spec.shape.rank else None for spec in tf.nest.flatten(dataset.element_spec)}
    size = sizes.pop() if len(sizes) == 1 else None
    return tf.constant(-1 if size is None else size, tf.int64)


publish(globals())
