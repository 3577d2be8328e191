"""tf.compat.v1.data: iterators that an operation starts, and what elements are by their shapes, types and classes."""
import footlight as tf
from footlight import _engine
from footlight._data.iterators import OwnedIterator

_data = _engine.namespace('compat.v1.data')


def _specs(dataset_or_iterator):
    return dataset_or_iterator.element_spec


def _of_specs(take):
    def function(dataset_or_iterator):
        return tf.nest.map_structure(take, _specs(dataset_or_iterator))
    return function


def _class_of(spec):
    return tf.Tensor if isinstance(spec, tf.TensorSpec) else spec.value_type


get_output_shapes = _of_specs(lambda spec: spec.shape)
get_output_types = _of_specs(lambda spec: spec.dtype)
get_output_classes = _of_specs(_class_of)
for _function, _what in ((get_output_shapes, 'shapes'), (get_output_types, 'types'), (get_output_classes, 'classes')):
    _function.__name__ = _function.__qualname__ = 'get_output_' + _what
    _function.__doc__ = f'The {_what} of the tensors of an element.'
    _function.__module__ = 'footlight.compat.v1.data'
    setattr(_data, _function.__name__, _function)


class InitializableIterator(OwnedIterator):
    """An iterator that starts, or starts again, where its operation `initializer` runs."""

    @property
    def initializer(self):
        """The operation that starts it."""
        handle = self._iterator_resource
        return next(op for op in reversed(handle.graph.get_operations())
                    if op.type == 'MakeIterator' and op.inputs[1] is handle)


def make_initializable_iterator(dataset, shared_name=None):
    """An iterator over the dataset that a session starts by running its `initializer`."""
    if tf.executing_eagerly():
        raise RuntimeError('dataset.make_initializable_iterator is not supported when eager execution is enabled. '
                           'Use `for element in dataset` instead.')
    return InitializableIterator(dataset)


for _object in (InitializableIterator, make_initializable_iterator):
    _object.__module__ = 'footlight.compat.v1.data'
_data.make_initializable_iterator = make_initializable_iterator
