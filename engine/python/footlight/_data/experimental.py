"""The rest of tf.data.experimental."""
import footlight as tf
from footlight._data import structure
from footlight._data.datasets import Dataset, _made, _op, _types, _VariantDataset
from footlight._data.iterators import NumpyIterator
from footlight._data.options import ServiceOptions

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


def from_variant(variant, structure):
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

    def __init__(self, init_func, reduce_func, finalize_func):
        self.init_func, self.reduce_func, self.finalize_func = init_func, reduce_func, finalize_func


def group_by_reducer(key_func, reducer):
    """For Dataset.apply: what a reducer makes of the elements of each key, in the order in which keys first came."""
    def of_group(key, group):
        state = group.reduce(reducer.init_func(key), reducer.reduce_func)
        return Dataset.from_tensors(reducer.finalize_func(state))
    whole = tf.autograph.experimental.do_not_convert(of_group)

    def transformation(dataset):
        return dataset.group_by_window(key_func, whole, window_size=tf.int64.max)
    return transformation


def pad_to_cardinality(cardinality, mask_key='valid'):
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


def parse_example_dataset(features, num_parallel_calls=1, deterministic=None):
    """For Dataset.apply: batches of serialized examples, parsed."""
    if features is None:
        raise ValueError('Argument `features` is required, but not specified.')
    plain = tf.autograph.experimental.do_not_convert
    return lambda dataset: dataset.map(plain(lambda batch: tf.io.parse_example(batch, features)), num_parallel_calls,
                                       deterministic)


class TFRecordWriter:
    """Writes the elements of a dataset into a TFRecord file."""

    def __init__(self, filename, compression_type=None):
        self._filename, self._compression = filename, compression_type

    def write(self, dataset):
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


_data = tf.data
_data.NumpyIterator = NumpyIterator
NumpyIterator.__module__ = 'footlight.data'
_data.experimental.SHARD_HINT = SHARD_HINT
for _thing in (at, from_list, from_variant, to_variant, get_next_as_optional, Reducer, group_by_reducer,
               pad_to_cardinality, parse_example_dataset, TFRecordWriter, ServiceOptions):
    setattr(_data.experimental, _thing.__name__, _thing)
    _thing.__module__ = 'footlight.data.experimental'
