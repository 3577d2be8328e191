"""tf.compat.v1.data: iterators that an operation starts, and what elements are by their shapes, types and classes."""
from __future__ import annotations

import footlight as tf
from footlight import _engine
from footlight._data import structure
from footlight._data.iterators import OwnedIterator
from footlight._public import publish
from footlight._saving.saver import SavedIterator
from footlight._typing import Any, Callable, TensorLike

_data, _op = _engine.namespace('compat.v1.data'), _engine.dataset_op


def _specs(dataset_or_iterator: Iterator | tf.data.Dataset) -> Any:
    return dataset_or_iterator.element_spec


def _of_specs(take: Callable[..., Any]) -> Callable[..., Any]:
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


def _leaves_like(types: Any, given: Any, what: str) -> list[Any]:
    """The parts of `given` at the leaves of `types`; a list is a leaf."""
    if not structure.is_nested(types):
        return [given]
    if not structure.is_nested(given):
        raise TypeError(f'{what} must have the structure of output_types, {types}, not {given}')
    return structure.flatten_up_to(types, given)


def _spec_of(dtype, shape, kind):
    if kind in (None, tf.Tensor):
        return tf.TensorSpec(shape, dtype)
    if kind is tf.SparseTensor:
        return tf.SparseTensorSpec(shape, dtype)
    raise TypeError(f'output_classes are tf.Tensor and tf.SparseTensor here, not {kind}')


def _specs_from(output_types, output_shapes, output_classes):
    types = structure.map_structure(tf.as_dtype, output_types)
    count = len(structure.flatten(types))
    shapes = [None] * count if output_shapes is None else _leaves_like(types, output_shapes, 'output_shapes')
    classes = [None] * count if output_classes is None else _leaves_like(types, output_classes, 'output_classes')
    return structure.pack(types, iter(map(_spec_of, structure.flatten(types), shapes, classes)))


class Iterator(OwnedIterator):
    """An iterator of a graph, which operations start."""

    _starts = None

    @staticmethod
    def from_structure(output_types: Any, output_shapes: Any = None, shared_name: Any = None,
                       output_classes: Any = None) -> Iterator:
        """An iterator that operations start over any dataset with such elements (`make_initializer`)."""
        specs = _specs_from(output_types, output_shapes, output_classes)
        handle, = _op('AnonymousIteratorV3', [], {'output_types': structure.types_of(specs),
                                                  'output_shapes': structure.shapes_of(specs)})
        return Iterator(components=handle, element_spec=specs)

    @staticmethod
    def from_string_handle(string_handle: TensorLike, output_types: Any, output_shapes: Any = None,
                           output_classes: Any = None) -> Iterator:
        """The iterator whose `string_handle` is fed, or given as a tensor."""
        specs = _specs_from(output_types, output_shapes, output_classes)
        handle, = _op('IteratorFromStringHandleV2', [tf.convert_to_tensor(string_handle, tf.string)],
                      {'output_types': structure.types_of(specs), 'output_shapes': structure.shapes_of(specs)})
        return Iterator(components=handle, element_spec=specs)

    @property
    def initializer(self) -> tf.Operation:
        """The operation that starts it."""
        if self._starts is None:
            raise ValueError('The iterator does not have an initializer. It was made by make_one_shot_iterator, or by '
                             'Iterator.from_structure, whose make_initializer(dataset) gives one.')
        return self._starts

    def make_initializer(self, dataset, name=None):
        """The operation that starts this iterator over a dataset."""
        types, shapes = get_output_types(self), get_output_shapes(self)
        tf.nest.assert_same_structure(types, get_output_types(dataset))
        if structure.flatten(types) != structure.flatten(get_output_types(dataset)):
            raise TypeError(f'Expected output types {types!r} but got dataset with output types '
                            f'{get_output_types(dataset)!r}.')
        if any(not own.is_compatible_with(other) for own, other in zip(
                structure.flatten(self.element_spec), structure.flatten(dataset.element_spec))):
            raise TypeError(f'Expected output shapes compatible with {shapes!r} but got dataset with output shapes '
                            f'{get_output_shapes(dataset)!r}.')
        _op('MakeIterator', [dataset._variant_tensor, self._iterator_resource], {}, name)
        return None if tf.executing_eagerly() else _starter(self._iterator_resource)

    def string_handle(self, name: str | None = None) -> tf.Tensor:
        """A string by which `from_string_handle` finds this iterator."""
        return _op('IteratorToStringHandle', [self._iterator_resource], {}, name)[0]


def _starter(handle: tf.Tensor) -> tf.Operation:
    return next(op for op in reversed(handle.graph.get_operations())
                if op.type == 'MakeIterator' and op.inputs[1] is handle)


def make_initializable_iterator(dataset, shared_name=None):
    """An iterator over the dataset that a session starts by running its `initializer`."""
    if tf.executing_eagerly():
        raise RuntimeError('dataset.make_initializable_iterator is not supported when eager execution is enabled. '
                           'Use `for element in dataset` instead.')
    iterator = Iterator(dataset)
    iterator._starts = _starter(iterator._iterator_resource)
    return iterator


def make_one_shot_iterator(dataset):
    """An iterator over the dataset, which in a graph that is run in parts goes on from run to run."""
    if tf.executing_eagerly() or tf.inside_function():
        return OwnedIterator(dataset)
    iterator = Iterator(dataset)
    handle = iterator._iterator_resource
    handle.graph._state.setdefault('first_run', {})[handle.name] = _starter(handle)
    return iterator


def make_saveable_from_iterator(iterator, external_state_policy=None):
    """An object by which a Saver saves the position of an iterator; pass it in its list or in `SAVEABLE_OBJECTS`."""
    return SavedIterator(iterator._iterator_resource)


publish('tf.compat.v1.data', Iterator, make_initializable_iterator, make_one_shot_iterator)
publish('tf.compat.v1.data.experimental', make_saveable_from_iterator)
