"""tensorflow.python.ops.list_ops: lists in tensors by TensorFlow's functions, whose shapes may be of any kind."""
from __future__ import annotations

import footlight as tf
from footlight._tensorflow.publish import publish
from footlight._typing import Any, ShapeLike, TensorLike

_ops = tf.raw_ops


def _shape(shape):
    """A shape as the ops take it: -1 where nothing is known."""
    if isinstance(shape, tf.Tensor):
        return shape
    if isinstance(shape, tf.TensorShape):
        shape = shape.as_list() if shape.rank is not None else None
    if shape is None:
        return -1
    if isinstance(shape, int) or hasattr(shape, 'dtype'):
        return tf.constant(shape, tf.int32)
    sizes = [-1 if size is None else size for size in shape]
    return tf.stack(sizes) if any(tf.is_tensor(size) for size in sizes) else tf.constant(sizes, tf.int32)


def empty_tensor_list(element_shape, element_dtype, max_num_elements=None, name=None):
    """A list without elements."""
    return _ops.EmptyTensorList(element_shape=_shape(element_shape), element_dtype=element_dtype,
                                max_num_elements=-1 if max_num_elements is None else max_num_elements, name=name)


def tensor_list_reserve(element_shape: ShapeLike, num_elements: Any, element_dtype: Any,
                        name: str | None = None) -> Any:
    """A list of this many elements that are not written yet."""
    return _ops.TensorListReserve(element_shape=_shape(element_shape), num_elements=num_elements,
                                  element_dtype=element_dtype, name=name)


def tensor_list_from_tensor(tensor: TensorLike, element_shape: ShapeLike, name: str | None = None) -> Any:
    """The parts of a tensor along its first dimension as a list."""
    return _ops.TensorListFromTensor(tensor=tensor, element_shape=_shape(element_shape), name=name)


def tensor_list_length(input_handle: Any, name: str | None = None) -> Any:
    """The number of elements."""
    return _ops.TensorListLength(input_handle=input_handle, name=name)


def tensor_list_push_back(input_handle: Any, tensor: TensorLike, name: str | None = None) -> Any:
    """The list with one more element."""
    return _ops.TensorListPushBack(input_handle=input_handle, tensor=tensor, name=name)


def tensor_list_push_back_batch(input_handles, tensor, name=None):
    """Lists with one more element each: a row of the tensor."""
    return _ops.TensorListPushBackBatch(input_handles=input_handles, tensor=tensor, name=name)


def tensor_list_concat_lists(input_a, input_b, element_dtype, name=None):
    """The elements of the second list behind those of the first."""
    return _ops.TensorListConcatLists(input_a=input_a, input_b=input_b, element_dtype=element_dtype, name=name)


def tensor_list_pop_back(input_handle: Any, element_dtype: Any, name: str | None = None) -> Any:
    """The list without its last element, and that element."""
    return _ops.TensorListPopBack(input_handle=input_handle, element_shape=-1, element_dtype=element_dtype, name=name)


def tensor_list_get_item(input_handle: Any, index: Any, element_dtype: Any, element_shape: ShapeLike | None = None,
                         name: str | None = None) -> Any:
    """One element."""
    return _ops.TensorListGetItem(input_handle=input_handle, index=index, element_shape=_shape(element_shape),
                                  element_dtype=element_dtype, name=name)


def tensor_list_set_item(input_handle: Any, index: Any, item: Any, resize_if_index_out_of_bounds: bool = False,
                         name: str | None = None) -> Any:
    """The list with another element at a place, which may lie behind its end if that is allowed."""
    if resize_if_index_out_of_bounds:
        size = tensor_list_length(input_handle)
        input_handle = tf.cond(index >= size, lambda: _ops.TensorListResize(input_handle=input_handle, size=index + 1),
                               lambda: input_handle)
    return _ops.TensorListSetItem(input_handle=input_handle, index=index, item=item, name=name)


def tensor_list_stack(input_handle: Any, element_dtype: Any, num_elements: Any = -1,
                      element_shape: ShapeLike | None = None, name: str | None = None) -> Any:
    """The elements as one tensor."""
    return _ops.TensorListStack(input_handle=input_handle, element_shape=_shape(element_shape), element_dtype=element_dtype,
                                num_elements=num_elements, name=name)


def tensor_list_gather(input_handle: Any, indices: TensorLike, element_dtype: Any,
                       element_shape: ShapeLike | None = None, name: str | None = None) -> Any:
    """Some elements as one tensor."""
    return _ops.TensorListGather(input_handle=input_handle, indices=indices, element_shape=_shape(element_shape),
                                 element_dtype=element_dtype, name=name)


def tensor_list_concat(input_handle: Any, element_dtype: Any, element_shape: ShapeLike | None = None,
                       name: str | None = None) -> Any:
    """The elements behind one another in one tensor."""
    return _ops.TensorListConcatV2(input_handle=input_handle, element_shape=_shape(element_shape), element_dtype=element_dtype,
                                   leading_dims=tf.constant([], tf.int64), name=name)[0]


def tensor_list_scatter(tensor: TensorLike, indices: TensorLike, element_shape: ShapeLike | None = None,
                        input_handle: Any = None, name: str | None = None) -> Any:
    """A list with the rows of a tensor at some places: a new one, or `input_handle` with others there."""
    tensor = tf.convert_to_tensor(tensor)
    if input_handle is not None:
        return _ops.TensorListScatterIntoExistingList(input_handle=input_handle, tensor=tensor, indices=indices, name=name)
    return _ops.TensorListScatterV2(tensor=tensor, indices=indices, element_shape=_shape(element_shape), num_elements=-1,
                                    name=name)


def tensor_list_split(tensor: TensorLike, element_shape: ShapeLike, lengths: Any, name: str | None = None) -> Any:
    """Parts of a tensor, so many rows each, as a list."""
    return _ops.TensorListSplit(tensor=tensor, element_shape=_shape(element_shape), lengths=tf.cast(lengths, tf.int64),
                                name=name)


publish(globals())
