"""tf.TensorArray: in eager a list of tensors that changes in place, in graphs a value that each write makes anew."""
from __future__ import annotations

import footlight as tf
from footlight._public import publish
from footlight._types.specs import TypeSpec
from footlight._typing import Any

_lists = tf.raw_ops


class _Shape:
    """The shape of the elements, as far as known. All arrays made from one another share it, so what a loop's body
    writes is known after the loop."""

    def __init__(self, shape: Any) -> None:
        self.known = tf.TensorShape(shape)


def _shape_input(shape: tf.TensorShape | None) -> Any:
    """A shape as the list ops take it: -1 where nothing is known."""
    shape = tf.TensorShape(shape)
    return -1 if shape.rank is None else [-1 if d is None else d for d in shape.as_list()]


def _converted(value: Any, dtype: tf.DType) -> tf.Tensor:
    value = tf.convert_to_tensor(value, dtype_hint=dtype, name='value')
    if value.dtype != dtype:
        raise tf.errors.InvalidArgumentError(
            None, None, f'TensorArray dtype is {dtype.name} but Op is trying to write dtype {value.dtype.name} ')
    return value


class TensorArray:
    """Tensors of one dtype by number, written and read one by one: what a loop collects.

    In a traced function use what `write` and its like return; the array that they were called on stays as it was.
    """

    def __init__(self, dtype, size=None, dynamic_size=None, clear_after_read=None, tensor_array_name=None, handle=None,
                 flow=None, infer_shape=True, element_shape=None, colocate_with_first_write_call=True, name=None):
        lists = flow is not None and flow.dtype == tf.variant
        if lists or not tf.executing_eagerly():
            self._parts = _ListArray(dtype, size, dynamic_size, handle, flow, infer_shape, element_shape, name)
        else:
            self._parts = _EagerArray(dtype, size, dynamic_size, clear_after_read, handle, infer_shape, element_shape)

    dtype = property(lambda self: self._parts.dtype, doc='The dtype of the elements.')
    dynamic_size = property(lambda self: self._parts.dynamic_size, doc='Whether writing may make it longer.')
    element_shape = property(lambda self: self._parts.shape.known, doc='The shape of the elements, as far as known.')
    flow = property(lambda self: self._parts.flow, doc='The list as a tensor; without a meaning in eager.')
    handle = property(lambda self: None, doc='None: kept for old programs.')
    _infer_shape = property(lambda self: self._parts.infer_shape)

    @property
    def _type_spec(self):
        spec = TensorArraySpec(self.element_shape, self.dtype, self.dynamic_size, self._infer_shape)
        spec._known = self._parts.shape, self._parts.known_size()
        return spec

    def _after(self, parts):
        if parts is self._parts:
            return self
        array = object.__new__(TensorArray)
        array._parts = parts
        return array

    def identity(self) -> Any:
        """An array with the same contents."""
        return self._after(self._parts.identity())

    def grad(self, source: Any, flow: Any = None, name: str | None = None) -> Any:
        """Not there: gradients flow through arrays without it."""
        raise NotImplementedError('TensorArray.grad is not there: tf.GradientTape and tf.gradients differentiate what '
                                  'is written and read')

    def read(self, index: Any, name: str | None = None) -> Any:
        """The tensor at `index`."""
        return self._parts.read(index, name)

    def write(self, index: Any, value: Any, name: str | None = None) -> Any:
        """The array with `value` at `index`."""
        return self._after(self._parts.write(index, value, name))

    def stack(self, name: str | None = None) -> tf.Tensor:
        """All tensors, along a new first dimension."""
        return self._parts.stack(name)

    def gather(self, indices: Any, name: str | None = None) -> Any:
        """The tensors at `indices`, along a new first dimension."""
        return self._parts.gather(indices, name)

    def concat(self, name: str | None = None) -> tf.Tensor:
        """All tensors, joined along their first dimension."""
        return self._parts.concat(name)

    def unstack(self, value: Any, name: str | None = None) -> Any:
        """The array of the rows of `value`."""
        return self._after(self._parts.unstack(value, name))

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> Any:
        """The array with the rows of `value` at `indices`."""
        return self._after(self._parts.scatter(indices, value, name))

    def split(self, value: Any, lengths: Any, name: str | None = None) -> Any:
        """The array of parts of `value`, as long as `lengths` say."""
        return self._after(self._parts.split(value, lengths, name))

    def size(self, name: str | None = None) -> Any:
        """The number of elements."""
        return self._parts.size(name)

    @staticmethod
    def _len_builtin(array):
        return array.size()

    def close(self, name: str | None = None) -> Any:
        """Frees the elements in eager; nothing is to be done in a graph."""
        return self._parts.close(name)


def _number(index: int | tf.Tensor) -> int:
    return int(index) if isinstance(index, (tf.Tensor, tf.Variable)) else index


class _EagerArray:
    flow = property(lambda self: tf.constant(0, tf.int32))

    def __init__(self, dtype, size, dynamic_size, clear_after_read, handle, infer_shape, element_shape):
        if handle is not None:
            raise ValueError('TensorArray handles are not supported when eager execution is enabled.')
        if size is None:
            raise ValueError('Size must be declared for TensorArrays when eager execution is enabled.')
        self.dtype, self.dynamic_size, self.infer_shape = tf.as_dtype(dtype), dynamic_size or False, infer_shape
        self.shape = _Shape(element_shape)
        self._clears = clear_after_read is None or clear_after_read
        self._items, self._cleared = [None] * _number(size), set()

    def identity(self) -> Any:
        return self

    def read(self, index, name):
        index = _number(index)
        if index < 0:
            raise tf.errors.OutOfRangeError(
                None, None, f'Reading from negative indices (index {index}) is not allowed.')
        if index >= len(self._items):
            raise tf.errors.OutOfRangeError(
                None, None, f'Tried to read from index {index} but array size is: {len(self._items)} ')
        if self._items[index] is None and index in self._cleared:
            raise tf.errors.InvalidArgumentError(
                None, None, f'Could not read index {index} twice because it was cleared after a previous read (perhaps '
                            'try setting clear_after_read = false?)')
        item = self._item(index)
        if self._clears:
            self._items[index] = None
            self._cleared.add(index)
        return item

    def _item(self, index: int) -> Any:
        if self._items[index] is None:
            self._items[index] = tf.zeros(self.shape.known, self.dtype)
        return self._items[index]

    def write(self, index, value, name):
        index = _number(index)
        if index < 0:
            raise tf.errors.OutOfRangeError(
                None, None, f'Writing to negative indices (index {index}) is not allowed.')
        if index >= len(self._items):
            if not self.dynamic_size:
                raise tf.errors.OutOfRangeError(
                    None, None, f'Tried to write to index {index} but array is not resizeable and size is: '
                                f'{len(self._items)} ')
            self._items.extend([None] * (index + 1 - len(self._items)))
        value = _converted(value, self.dtype)
        if not self.shape.known.is_compatible_with(value.shape):
            raise ValueError(f'Incompatible shape for value ({value.shape}), expected ({self.shape.known})')
        if self.infer_shape:
            self.shape.known = self.shape.known.merge_with(value.shape)
        self._items[index] = value
        return self

    def known_size(self):
        return None if self.dynamic_size else len(self._items)

    def _all(self) -> list[Any]:
        return [self._item(i) for i in range(len(self._items))]

    def stack(self, name: str | None) -> tf.Tensor:
        items = self._all()
        if not items and self.shape.known.is_fully_defined():
            return tf.zeros([0] + self.shape.known.as_list(), self.dtype)
        return tf.stack(items, name=name) if items else tf.convert_to_tensor(items, self.dtype, name=name)

    def gather(self, indices, name):
        return tf.stack([self._item(int(i)) for i in indices])

    def concat(self, name):
        items = self._all()
        for i, item in enumerate(items):
            if item.shape.rank == 0:
                raise tf.errors.InvalidArgumentError(
                    None, None, f'Concat saw a scalar shape at index {i} but requires at least vectors.')
        return tf.concat(items, 0, name=name)

    def unstack(self, value, name):
        items = tf.unstack(value, name=name)
        if len(items) > len(self._items) and not self.dynamic_size:
            raise ValueError(f'Cannot unstack {len(items)} tensors into a TensorArray of static size '
                             f'{len(self._items)} ')
        self._items = items
        return self

    def scatter(self, indices, value, name):
        for index, row in zip(tf.unstack(tf.convert_to_tensor(indices)), tf.unstack(value)):
            self.write(index, row, None)
        return self

    def split(self, value, lengths, name):
        value, lengths = _converted(value, self.dtype), tf.convert_to_tensor(lengths)
        if lengths.shape.rank != 1:
            why = f'Expected lengths to be a vector, received shape: {lengths.shape.as_list()} '
        elif value.shape.rank == 0:
            why = f'Expected value to be at least a vector, but received shape: {value.shape.as_list()} '
        elif int(tf.reduce_sum(lengths)) != value.shape[0]:
            why = ('Expected sum of lengths to be equal to values.shape[0], but sum of lengths is '
                   f"{int(tf.reduce_sum(lengths))} and value's shape is: {value.shape.as_list()} ")
        elif not self.dynamic_size and lengths.shape[0] != len(self._items):
            why = (f"TensorArray's size is not equal to the size of lengths ({len(self._items)} vs. "
                   f'{lengths.shape[0]}), and the TensorArray is not marked as dynamically resizeable.')
        else:
            self._items = tf.split(value, lengths, name=name)
            return self
        raise tf.errors.InvalidArgumentError(None, None, why)

    def size(self, name):
        return tf.constant(len(self._items))

    def close(self, name: str | None) -> None:
        del self._items[:]


class _ListArray:
    def __init__(self, dtype: Any, size: Any, dynamic_size: Any, handle: Any, flow: Any, infer_shape: Any,
                 element_shape: Any, name: Any) -> None:
        if flow is not None and (not isinstance(flow, tf.Tensor) or flow.dtype != tf.variant):
            raise TypeError(f'Expected `flow` to be a variant tensor, but received `{flow.dtype}` instead.')
        if flow is None and size is None:
            raise ValueError('Argument `size` must be provided if argument `flow` is not provided.')
        if flow is not None and size is not None:
            raise ValueError('Cannot provide both `flow` and `size` arguments at the same time.')
        if flow is not None and element_shape is not None:
            raise ValueError('Cannot provide both `flow` and `element_shape` arguments at the same time.')
        self.dtype, self.dynamic_size, self.infer_shape = tf.as_dtype(dtype), dynamic_size or False, infer_shape
        self.shape, self._size = _Shape(element_shape), size
        if flow is None:
            with tf.name_scope(name or 'TensorArrayV2'):
                flow = _lists.TensorListReserve(_shape_input(element_shape), size, self.dtype)
        self.flow = flow

    def _with(self, flow: Any, size: int | str = 'same') -> Any:
        parts = object.__new__(_ListArray)
        parts.__dict__.update(self.__dict__, flow=flow)
        if size != 'same':
            parts._size = size
        return parts

    def _learn(self, shape: tf.TensorShape) -> None:
        if not shape.is_compatible_with(self.shape.known):
            raise ValueError(f'Inconsistent shapes: saw {shape} but expected {self.shape.known} ')
        if self.infer_shape:
            self.shape.known = self.shape.known.merge_with(shape)

    def known_size(self) -> int | None:
        """The static size, which arrays derived in a loop or a branch share."""
        return self._size if isinstance(self._size, int) and not self.dynamic_size else None

    def _element(self) -> Any:
        return _shape_input(self.shape.known)

    def identity(self) -> Any:
        return self._with(tf.identity(self.flow))

    def read(self, index: int | tf.Tensor, name: str | None) -> tf.Tensor:
        with tf.name_scope(name or 'TensorArrayV2Read'):
            return _lists.TensorListGetItem(self.flow, index, self._element(), self.dtype)

    def write(self, index: int | tf.Tensor, value: Any, name: Any) -> _ListArray:
        with tf.name_scope(name or 'TensorArrayV2Write'):
            value = _converted(value, self.dtype)
            self._learn(value.shape)
            return self._with(_lists.TensorListSetItem(self.flow, index, value, self.dynamic_size))

    def stack(self, name: str | None) -> tf.Tensor:
        count = -1
        if not self.dynamic_size and self._size is not None:
            known = tf.get_static_value(self._size) if isinstance(self._size, tf.Tensor) else self._size
            count = -1 if known is None else int(known)
        with tf.name_scope(name or 'TensorArrayV2Stack'):
            return _lists.TensorListStack(self.flow, self._element(), self.dtype, count)

    def gather(self, indices, name):
        return _lists.TensorListGather(self.flow, indices, self._element(), self.dtype, name=name)

    def concat(self, name):
        shape = self.shape.known
        if shape.rank:
            shape = tf.TensorShape([None]).concatenate(shape[1:])
        return _lists.TensorListConcatV2(self.flow, _shape_input(shape), tf.zeros([0], tf.int64), self.dtype,
                                         name=name).tensor

    def unstack(self, value, name):
        with tf.name_scope(name or 'TensorArrayUnstack'):
            value = _converted(value, self.dtype)
            self._learn(value.shape[1:])
            rows = value.shape[1:]
            element = _shape_input(rows) if rows.is_fully_defined() else tf.shape(value)[1:]
            size = value.shape[0] if value.shape.rank else None
            return self._with(_lists.TensorListFromTensor(value, element), size)

    def scatter(self, indices, value, name):
        with tf.name_scope(name or 'TensorArrayScatter'):
            value = _converted(value, self.dtype)
            self._learn(value.shape[1:])
            return self._with(_lists.TensorListScatterIntoExistingList(self.flow, value, indices), None)

    def split(self, value, lengths, name):
        with tf.name_scope(name or 'TensorArraySplit'):
            value, lengths = _converted(value, self.dtype), tf.cast(lengths, tf.int64)
            known = tf.get_static_value(lengths)
            if value.shape.rank and known is not None and known.size and known.max() == known.min():
                self._learn(tf.TensorShape([int(known[0])]).concatenate(value.shape[1:]))
            return self._with(_lists.TensorListSplit(value, self._element(), lengths), lengths.shape[0])

    def size(self, name):
        if not self.dynamic_size and self._size is not None:
            return tf.convert_to_tensor(self._size, tf.int32)
        return _lists.TensorListLength(self.flow, name=name)

    def close(self, name: str | None) -> None:
        return None


class TensorArraySpec(TypeSpec):
    """The type of a TensorArray."""

    value_type = property(lambda self: TensorArray)
    _known = None  # known to the array itself: the shape of its elements, and its size

    def __init__(self, element_shape: Any = None, dtype: Any = tf.float32, dynamic_size: bool = False,
                 infer_shape: bool = True) -> None:
        self._element_shape, self._dtype = tf.TensorShape(element_shape), tf.as_dtype(dtype)
        self._dynamic_size, self._infer_shape = dynamic_size, infer_shape

    def _serialize(self) -> tuple[Any, ...]:
        return self._element_shape, self._dtype, self._dynamic_size, self._infer_shape

    def is_subtype_of(self, other):
        """Whether every array of this type is one of the other."""
        return (isinstance(other, TensorArraySpec) and self._dtype == other._dtype and
                self._dynamic_size == other._dynamic_size and
                self._element_shape.is_subtype_of(other._element_shape))

    def most_specific_common_supertype(self, others):
        """The most specific type that covers all, or None."""
        if any(not isinstance(o, TensorArraySpec) or (o._dtype, o._dynamic_size) != (self._dtype, self._dynamic_size)
               for o in others):
            return None
        shape = self._element_shape.most_specific_common_supertype([o._element_shape for o in others])
        if shape is None:
            return None
        return TensorArraySpec(shape, self._dtype, self._dynamic_size,
                               self._infer_shape and all(o._infer_shape for o in others))

    def is_compatible_with(self, other: Any) -> bool:
        """Whether some array is of both types; infer_shape does not count."""
        if not isinstance(other, tf.TypeSpec):
            other = tf.type_spec_from_value(other)
        return (isinstance(other, TensorArraySpec) and self._dtype == other._dtype and
                self._dynamic_size == other._dynamic_size and
                self._element_shape.is_compatible_with(other._element_shape))

    @property
    def _component_specs(self) -> list[Any]:
        return [tf.TensorSpec([], tf.variant)]

    def _to_components(self, value: tf.TensorArray) -> list[Any]:
        if not isinstance(value, TensorArray):
            raise TypeError(f'Expected value to be a TensorArray, but got: `{type(value)}`')
        if value.flow.dtype == tf.variant:
            return [value.flow]
        with tf.name_scope('convert_tensor_array'):
            return [_lists.TensorListFromTensor(value.stack(), _shape_input(value.element_shape))]

    def _from_components(self, components):
        array = TensorArray(self._dtype, flow=components[0], dynamic_size=self._dynamic_size,
                            infer_shape=self._infer_shape)
        array._parts.shape, array._parts._size = self._known or (_Shape(self._element_shape), None)
        return array

    @staticmethod
    def from_value(value):
        """The type of an array."""
        if not isinstance(value, TensorArray):
            raise TypeError(f'Expected value to be a TensorArray, but got: `{type(value)}`')
        return TensorArraySpec(value.element_shape, value.dtype, value.dynamic_size, value._infer_shape)


publish('tf', TensorArray, TensorArraySpec)
