"""tf.data.experimental, but for what reads files."""
from __future__ import annotations

import footlight as tf
from footlight._data import structure
from footlight._data.dataset_ops import AUTOTUNE, _int64, _made, _op, _types
from footlight._data.datasets import Dataset, _VariantDataset
from footlight._data.iterators import NumpyIterator
from footlight._data.options import ServiceOptions
from footlight._public import alias, publish
from footlight._typing import Any, Callable, DTypeLike

SHARD_HINT = -1


def at(dataset, index):
    """Element number `index`."""
    specs = dataset.element_spec
    tensors = _op('GetElementAtIndex', [dataset._variant_tensor, tf.convert_to_tensor(index, tf.int64)], _types(specs))
    return structure.from_tensors(specs, tensors)


def from_list(elements, name=None):
    """A dataset of the elements of a list, whose shapes may differ."""
    if not isinstance(elements, list):
        raise ValueError('Invalid `elements`. `elements` must be a list.')
    if not elements:
        raise ValueError('Invalid `elements`. `elements` should not be empty. If you want an empty dataset, use '
                         '`tf.data.Dataset.range(0)`.')
    normalized = [structure.normalized(element) for element in elements]
    specs = structure.specs_of(normalized[0])
    for element in normalized[1:]:
        specs = structure.common(specs, structure.specs_of(element))
        if specs is None:
            raise TypeError('the elements of a list must have one structure, and tensors of the same dtypes')
    # Halves, so that the datasets are not nested as deep as the list is long.
    parts = [Dataset.from_tensors(element) for element in normalized]
    while len(parts) > 1:
        parts = [a.concatenate(b) for a, b in zip(parts[::2], parts[1::2])] + parts[len(parts) // 2 * 2:]
    return _made('_ListDataset', parts[0]._variant_tensor, specs)


def from_variant(variant: Any, structure: Any) -> tf.data.Dataset:
    """The dataset that a tensor holds."""
    return _VariantDataset(variant, structure)


def to_variant(dataset):
    """The tensor that holds a dataset."""
    return dataset._variant_tensor


def get_next_as_optional(iterator):
    """iterator.get_next_as_optional()."""
    return iterator.get_next_as_optional()


class Reducer:
    """Three functions: the first state, the next one, and the result of the last."""

    def __init__(self, init_func: Any, reduce_func: Any, finalize_func: Any) -> None:
        self.init_func, self.reduce_func, self.finalize_func = init_func, reduce_func, finalize_func


def group_by_reducer(key_func: Callable[..., Any], reducer: Any) -> Callable[..., Any]:
    """For Dataset.apply: what a reducer makes of the elements of each key, in the order in which keys first came."""
    def of_group(key, group):
        state = group.reduce(reducer.init_func(key), reducer.reduce_func)
        return Dataset.from_tensors(reducer.finalize_func(state))
    whole = tf.autograph.experimental.do_not_convert(of_group)

    def transformation(dataset):
        return dataset.group_by_window(key_func, whole, window_size=tf.int64.max)
    return transformation


def pad_to_cardinality(cardinality: Any, mask_key: str = 'valid') -> Callable[..., Any]:
    """For Dataset.apply: elements of zeros behind the others; `mask_key` says which are real."""
    plain = tf.autograph.experimental.do_not_convert

    def transformation(dataset):
        count = dataset.cardinality()
        if tf.executing_eagerly():
            if int(count) < 0:
                raise ValueError('The dataset passed into `pad_to_cardinality` must have a known cardinality, but has '
                                 f'cardinality {int(count)}')
            if int(count) > cardinality:
                raise ValueError('The dataset passed into `pad_to_cardinality` must have a cardinality less than the '
                                 f'target cardinality ({cardinality}), but has cardinality {int(count)}')
        if not isinstance(dataset.element_spec, dict):
            raise ValueError('`pad_to_cardinality` requires its input dataset to be a dictionary.')
        nothing = {key: structure.map_structure(
            lambda spec: tf.zeros([d or 0 for d in spec.shape.as_list()], spec.dtype), spec)
            for key, spec in dataset.element_spec.items()}
        marked = dataset.map(plain(lambda element: {**element, mask_key: True}))
        padding = Dataset.from_tensors({**nothing, mask_key: False}).repeat(cardinality - count)
        return marked.concatenate(padding)
    return transformation


def parse_example_dataset(features: Any, num_parallel_calls: Any = 1, deterministic: Any = None) -> Callable[..., Any]:
    """For Dataset.apply: batches of serialized examples, parsed."""
    if features is None:
        raise ValueError('Argument `features` is required, but not specified.')
    plain = tf.autograph.experimental.do_not_convert
    return lambda dataset: dataset.map(plain(lambda batch: tf.io.parse_example(batch, features)), num_parallel_calls,
                                       deterministic)


class TFRecordWriter:
    """Writes the elements of a dataset into a TFRecord file."""

    def __init__(self, filename: Any, compression_type: Any = None) -> None:
        self._filename, self._compression = filename, compression_type

    def write(self, dataset: Any) -> None:
        """The elements, which are strings."""
        if not isinstance(dataset, Dataset):
            raise TypeError(f'Invalid `dataset`. Expected a `tf.data.Dataset` object but got {type(dataset)}.')
        spec = dataset.element_spec
        if not (structure.is_plain(spec) and spec.dtype == tf.string and spec.shape.is_compatible_with([])):
            raise TypeError('Invalid `dataset`. Expected a dataset that produces scalar `tf.string` elements, but its '
                            f'elements are {spec}.')
        with tf.io.TFRecordWriter(self._filename, self._compression or '') as writer:
            for record in dataset:
                writer.write(record.numpy())


# --- functions for Dataset.apply, and old names ---
def _applied(name: str) -> Callable[..., Any]:
    def transformation(*args, **keywords):
        return lambda dataset: getattr(dataset, name)(*args, **keywords)
    transformation.__name__ = transformation.__qualname__ = name
    transformation.__doc__ = f'Dataset.{name}, for Dataset.apply.'
    return transformation


def map_and_batch(map_func: Callable[..., Any], batch_size: Any, num_parallel_batches: Any = None,
                  drop_remainder: bool = False, num_parallel_calls: Any = None) -> Callable[..., Any]:
    """map, then batch."""
    calls = num_parallel_calls if num_parallel_calls is not None else (
        num_parallel_batches and num_parallel_batches * batch_size)
    return lambda dataset: dataset.map(map_func, calls).batch(batch_size, drop_remainder)


def shuffle_and_repeat(buffer_size: Any, count: Any = None, seed: int | None = None) -> Callable[..., Any]:
    """shuffle, then repeat."""
    return lambda dataset: dataset.shuffle(buffer_size, seed).repeat(count)


def parallel_interleave(map_func: Callable[..., Any], cycle_length: Any, block_length: Any = 1, sloppy: bool = False,
                        buffer_output_elements: Any = None, prefetch_input_elements: Any = None) -> Callable[..., Any]:
    """interleave with threads."""
    return lambda dataset: dataset.interleave(map_func, cycle_length, block_length, cycle_length, not sloppy)


def dense_to_ragged_batch(batch_size: Any, drop_remainder: bool = False,
                          row_splits_dtype: DTypeLike = tf.int64) -> Callable[..., Any]:
    """Dataset.ragged_batch, for Dataset.apply."""
    return lambda dataset: dataset.ragged_batch(batch_size, drop_remainder, row_splits_dtype)


def dense_to_sparse_batch(batch_size: Any, row_shape: Any) -> Callable[..., Any]:
    """Dataset.sparse_batch, for Dataset.apply."""
    return lambda dataset: dataset.sparse_batch(batch_size, row_shape)


def prefetch_to_device(device: Any, buffer_size: Any = None) -> Callable[..., Any]:
    """prefetch, for Dataset.apply."""
    return lambda dataset: dataset.prefetch(AUTOTUNE if buffer_size is None else buffer_size)


def copy_to_device(target_device: Any, source_device: str = '/cpu:0') -> Callable[..., Any]:
    """The same elements, for Dataset.apply."""
    return lambda dataset: dataset


def enumerate_dataset(start: Any = 0) -> Callable[..., Any]:
    """Dataset.enumerate, for Dataset.apply."""
    return lambda dataset: dataset.enumerate(start)


def assert_cardinality(expected_cardinality: Any) -> Callable[..., Any]:
    """The same elements; FailedPreconditionError if they are more or fewer than said."""
    return lambda dataset: dataset._made('_AssertCardinalityDataset', 'AssertCardinalityDataset',
                                         [_int64(expected_cardinality)])


_data = tf.data
publish('tf.data', NumpyIterator)
_data.experimental.SHARD_HINT = SHARD_HINT
publish('tf.data.experimental', at, from_list, from_variant, to_variant, get_next_as_optional, Reducer,
        group_by_reducer, pad_to_cardinality, parse_example_dataset, TFRecordWriter, ServiceOptions)
for _name in ('bucket_by_sequence_length', 'group_by_window', 'ignore_errors', 'rejection_resample', 'scan',
              'take_while', 'unbatch', 'unique'):
    setattr(_data.experimental, _name, _applied(_name))
alias('tf.data.experimental', map_and_batch, shuffle_and_repeat, parallel_interleave, dense_to_ragged_batch,
      dense_to_sparse_batch, prefetch_to_device, copy_to_device, enumerate_dataset, assert_cardinality)
_data.experimental.Counter = Dataset.counter
_data.experimental.snapshot = _applied('snapshot')
