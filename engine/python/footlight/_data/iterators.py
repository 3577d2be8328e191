"""Iterators over datasets, in eager and in graphs, and tf.experimental.Optional."""
from __future__ import annotations

import collections.abc

import footlight as tf
from footlight._data import structure
from footlight import _engine
from footlight._public import publish
from footlight._saving.trackable import Trackable
from footlight._types.specs import TypeSpec
from footlight._typing import Any, TensorLike

_next, _op = _engine.iterator_next, _engine.dataset_op
_STATE = 'ITERATOR'  # as TensorFlow calls it in checkpoints


class IteratorSpec(TypeSpec):
    """The type of an iterator."""

    value_type = property(lambda self: OwnedIterator)

    def __init__(self, element_spec: Any) -> None:
        self._element_spec = element_spec

    element_spec = property(lambda self: self._element_spec)
    _component_specs = property(lambda self: [tf.TensorSpec([], tf.resource)])

    def __repr__(self) -> str:
        return f'IteratorSpec({self._element_spec!r},)'

    def _serialize(self) -> tuple[Any, ...]:
        return (self._element_spec,)

    def _to_components(self, value: OwnedIterator) -> list[Any]:
        return [value._iterator_resource]

    def _from_components(self, parts: list[Any]) -> OwnedIterator:
        return OwnedIterator(components=parts[0], element_spec=self._element_spec)


class Iterator(collections.abc.Iterator, Trackable):
    """The type of iter(dataset)."""

    @property
    def element_spec(self) -> Any:
        """The structure and the types of the elements."""
        raise NotImplementedError('Iterator.element_spec')

    def get_next(self) -> Any:
        """The next element; OutOfRangeError if there is none."""
        raise NotImplementedError('Iterator.get_next()')

    def get_next_as_optional(self) -> Any:
        """The next element as an optional, which is empty if there is none."""
        raise NotImplementedError('Iterator.get_next_as_optional()')


class OwnedIterator(Iterator):
    """An iterator that lives as long as something refers to it."""

    def __init__(self, dataset: Any = None, components: Any = None, element_spec: Any = None) -> None:
        if dataset is None:
            if components is None or element_spec is None:
                raise ValueError('When `dataset` is not provided, both `components` and `element_spec` must be '
                                 'specified.')
            self._element_spec, self._iterator_resource = element_spec, components
        else:
            if components is not None or element_spec is not None:
                raise ValueError('When `dataset` is provided, `element_spec` and `components` must not be specified.')
            self._element_spec = dataset.element_spec
            self._iterator_resource, = _op('AnonymousIteratorV3', [], self._types())
            _op('MakeIterator', [dataset._variant_tensor, self._iterator_resource], {})
        self._make = structure.maker(self._element_spec)

    def _types(self) -> dict[Any, Any]:
        return {'output_types': structure.types_of(self._element_spec),
                'output_shapes': structure.shapes_of(self._element_spec)}

    element_spec = property(lambda self: self._element_spec)
    _type_spec = property(lambda self: IteratorSpec(self._element_spec))
    output_types = property(lambda self: structure.map_structure(lambda s: s.dtype, self._element_spec))
    output_shapes = property(lambda self: structure.map_structure(lambda s: s.shape, self._element_spec))
    output_classes = property(lambda self: structure.map_structure(lambda s: s.value_type, self._element_spec))

    def __iter__(self) -> OwnedIterator:
        return self

    def __next__(self) -> Any:
        if not tf.executing_eagerly():
            return self._staged_next()
        found = _next(self._iterator_resource)
        if found is None:
            raise StopIteration
        return self._make(found)

    next = __next__

    def _next_internal(self) -> tf.Tensor:
        try:
            return self.__next__()
        except StopIteration:
            raise tf.errors.OutOfRangeError(None, None, 'End of sequence') from None

    def _staged_iterator(self) -> OwnedIterator:
        return self

    # State of the iterator inside a staged loop.
    def _next_variant(self) -> tf.Tensor:
        return _op('IteratorGetNextAsOptional', [self._iterator_resource], self._types())[0]

    def _no_variant(self) -> tf.Tensor:
        return _op('OptionalNone', [], {})[0]

    def _variant_has_value(self, variant: tf.Tensor) -> tf.Tensor:
        return _op('OptionalHasValue', [variant], {})[0]

    def _variant_value(self, variant: tf.Tensor) -> tf.Tensor:
        return structure.from_tensors(self._element_spec, _op('OptionalGetValue', [variant], self._types()))

    def _next_or(self, default: tf.Tensor) -> tf.Tensor:
        """next(iterator, default) in a graph."""
        try:
            tf.nest.assert_same_structure(self._element_spec, default)
        except (TypeError, ValueError):
            raise TypeError('next: the default must have the same element structure as the iterator, '
                            f'{self._element_spec}, not {default!s}') from None
        default = tf.nest.map_structure(self._like_element, self._element_spec, default)
        optional = self.get_next_as_optional()
        return tf.cond(optional.has_value(), optional.get_value, lambda: default)

    @staticmethod
    def _like_element(spec: tf.TensorSpec, value: tf.Tensor) -> tf.Tensor:
        value = tf.convert_to_tensor(value, dtype_hint=spec.dtype)
        if value.dtype != spec.dtype:
            raise TypeError(f'next: the default has dtype {value.dtype.name} where elements of the iterator have '
                            f'{spec.dtype.name}')
        return value

    def _staged_next(self) -> tf.SparseTensor | tf.Tensor:
        tensors = _op('IteratorGetNext', [self._iterator_resource], self._types())
        return structure.from_tensors(self._element_spec, tensors)

    def get_next(self, name: str | None = None) -> tf.SparseTensor | tf.Tensor:
        """The next element; OutOfRangeError if there is none."""
        if not tf.executing_eagerly():
            return self._staged_next()
        found = _next(self._iterator_resource)
        if found is None:
            raise tf.errors.OutOfRangeError(None, None, 'End of sequence [Op:IteratorGetNext]')
        return self._make(found)

    _value_names = (_STATE,)

    def _serialize_to_tensors(self) -> dict[Any, Any]:
        return {_STATE: _engine.iterator_state(self._iterator_resource)}

    def _restore_from_tensors(self, restored_tensors: dict[Any, Any]) -> None:
        _engine.iterator_restore(self._iterator_resource, restored_tensors[_STATE])

    def get_next_as_optional(self) -> Any:
        """The next element as an optional, which is empty if there is none."""
        return _OptionalImpl(self._next_variant(), self._element_spec)


class OptionalSpec(TypeSpec):
    """The type of an optional."""

    value_type = property(lambda self: Optional)

    def __init__(self, element_spec: Any) -> None:
        self._element_spec = element_spec

    _component_specs = property(lambda self: [tf.TensorSpec([], tf.variant)])

    def __repr__(self) -> str:
        return f'OptionalSpec({self._element_spec!r},)'

    def _serialize(self) -> tuple[Any, ...]:
        return (self._element_spec,)

    def _to_components(self, value: Any) -> list[Any]:
        return [value._variant_tensor]

    def _from_components(self, parts):
        return _OptionalImpl(parts[0], self._element_spec)


class Optional:
    """A value that may be missing."""

    def has_value(self, name: str | None = None) -> Any:
        """A bool tensor."""
        raise NotImplementedError('Optional.has_value()')

    def get_value(self, name: str | None = None) -> Any:
        """The value; InvalidArgumentError if there is none."""
        raise NotImplementedError('Optional.get_value()')

    @property
    def element_spec(self) -> Any:
        """The structure and types of the value."""
        raise NotImplementedError('Optional.element_spec')

    @staticmethod
    def empty(element_spec):
        """An optional without a value."""
        return _OptionalImpl(_op('OptionalNone', [], {})[0], element_spec)

    @staticmethod
    def from_value(value: Any) -> _OptionalImpl:
        """An optional with that value."""
        value = structure.normalized(value)
        specs = structure.specs_of(value)
        tensors = structure.to_tensors(specs, value)
        return _OptionalImpl(_op('OptionalFromValue', tensors, {})[0], specs)


class _OptionalImpl(Optional):
    def __init__(self, variant: Any, element_spec: Any) -> None:
        self._variant_tensor, self._element_spec = variant, element_spec

    element_spec = property(lambda self: self._element_spec)
    _type_spec = property(lambda self: OptionalSpec(self._element_spec))

    def has_value(self, name: str | None = None) -> tf.Tensor:
        """A bool tensor."""
        return _op('OptionalHasValue', [self._variant_tensor], {}, name)[0]

    def get_value(self, name: str | None = None) -> tf.Tensor:
        """The value; InvalidArgumentError if there is none."""
        tensors = _op('OptionalGetValue', [self._variant_tensor],
                      {'output_types': structure.types_of(self._element_spec),
                       'output_shapes': structure.shapes_of(self._element_spec)}, name)
        return structure.from_tensors(self._element_spec, tensors)


class NumpyIterator(Trackable):
    """Elements with NumPy values in place of tensors."""

    def __init__(self, dataset: Any) -> None:
        self._iterator = iter(dataset)

    # A checkpoint has its place as it has that of the iterator below.
    _value_names = (_STATE,)

    def _serialize_to_tensors(self) -> dict[Any, Any]:
        return self._iterator._serialize_to_tensors()

    def _restore_from_tensors(self, restored_tensors: dict[Any, Any]) -> None:
        self._iterator._restore_from_tensors(restored_tensors)

    def __iter__(self) -> NumpyIterator:
        return self

    def __next__(self) -> Any:
        def plain(value):
            found = value.numpy() if hasattr(value, 'numpy') else value
            if hasattr(found, 'setflags'):
                found.setflags(write=False)  # it may be what a dataset keeps
            return found
        return structure.map_structure(plain, next(self._iterator))

    def next(self) -> Any:
        """The next element."""
        return self.__next__()

    def save(self) -> tf.Tensor:
        """Where it is, as a string tensor for restore() of an iterator over the same dataset."""
        return _engine.iterator_state(self._iterator._iterator_resource)

    def restore(self, state: TensorLike) -> None:
        """Goes to where the iterator was that save() gave this of."""
        _engine.iterator_restore(self._iterator._iterator_resource, tf.convert_to_tensor(state, tf.string))

    _save, _restore = save, restore

    def __repr__(self) -> str:
        return f'NumpyIterator(iterator={self._iterator!r})'


publish('tf.data', Iterator, IteratorSpec)
publish('tf.experimental tf.data.experimental', Optional)
publish('tf', OptionalSpec)
