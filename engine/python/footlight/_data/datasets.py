"""tf.data.Dataset: pipelines of elements. What a dataset does is an op of the engine; this is how it is written."""
from __future__ import annotations

import atexit
import collections.abc

import footlight as tf
from footlight import _engine
from footlight._data import structure
from footlight._data.dataset_ops import (AUTOTUNE, INFINITE_CARDINALITY, UNKNOWN_CARDINALITY, _check_predicate, _how,
                                         _in_function, _inherit, _int64, _known, _made, _op, _type_of, _types, _wider,
                                         seeds)
from footlight._data.element_functions import ElementFunction
from footlight._data.grouping import Grouping
from footlight._data.iterators import NumpyIterator, OwnedIterator
from footlight._data.options import Options
from footlight._data.sampling import Sampling
from footlight._data.save_and_load import Saving
from footlight._public import alias, publish
from footlight._saving.trackable import Trackable
from footlight._types.specs import TypeSpec
from footlight._typing import Any, Callable, DTypeLike


class DatasetSpec(TypeSpec):
    """The type of a dataset."""

    value_type = property(lambda self: Dataset)
    _rows_together = True  # a batch of datasets is a vector of them

    def __init__(self, element_spec: Any, dataset_shape: Any = ()) -> None:
        self._element_spec, self._dataset_shape = element_spec, tf.TensorShape(dataset_shape)

    element_spec = property(lambda self: self._element_spec)
    _component_specs = property(lambda self: [tf.TensorSpec(self._dataset_shape, tf.variant)])

    def __repr__(self) -> str:
        return f'DatasetSpec({self._element_spec!r}, {self._dataset_shape!r})'

    def _serialize(self) -> tuple[Any, ...]:
        return self._element_spec, self._dataset_shape

    def _to_components(self, value: Any) -> list[Any]:
        return [value._variant_tensor]

    def _from_components(self, parts):
        if self._dataset_shape.rank != 0:
            return _NestedVariant(parts[0], self._element_spec, self._dataset_shape)
        return _VariantDataset(parts[0], self._element_spec)

    def is_subtype_of(self, other: Any) -> bool:
        """Whether every dataset of this type is one of the other."""
        if type(other) is not DatasetSpec or not self._dataset_shape.is_subtype_of(other._dataset_shape):
            return False
        try:
            pairs = list(zip(structure.flatten(self._element_spec),
                             structure.flatten_up_to(self._element_spec, other._element_spec)))
            structure.flatten_up_to(other._element_spec, self._element_spec)
        except (TypeError, ValueError):
            return False
        return all(a.is_subtype_of(b) if isinstance(a, tf.TypeSpec) else a == b for a, b in pairs)

    def most_specific_common_supertype(self, others):
        """The narrowest type that covers all, or None."""
        specs, shape = self._element_spec, self._dataset_shape
        for other in others:
            if other == self:
                continue
            if type(other) is not DatasetSpec or other._dataset_shape.rank != shape.rank:
                return None
            specs = structure.common(specs, other._element_spec)
            if specs is None:
                return None
            shape = shape.most_specific_compatible_shape(other._dataset_shape)
        return DatasetSpec(specs, shape)

    def _batch(self, size):
        return DatasetSpec(self._element_spec, tf.TensorShape([size]).concatenate(self._dataset_shape))

    def _unbatch(self) -> Any:
        if self._dataset_shape.rank == 0:
            raise ValueError('Slicing dataset elements is not supported for rank 0.')
        return DatasetSpec(self._element_spec, self._dataset_shape[1:])


class _NestedVariant:
    """Several datasets as one value: what a batch of datasets is; `unbatch` gives them one by one."""

    def __init__(self, variant_tensor: Any, element_spec: Any, dataset_shape: Any) -> None:
        self._variant_tensor, self._element_spec, self._dataset_shape = variant_tensor, element_spec, dataset_shape

    _type_spec = property(lambda self: DatasetSpec(self._element_spec, self._dataset_shape))


class Dataset(Grouping, Sampling, Saving, collections.abc.Iterable, Trackable):
    """Elements, one after the other, and what is done to them.

    A method makes a new dataset and computes nothing; elements are made when a loop or a function of the engine asks
    for them.

      >>> dataset = tf.data.Dataset.range(6).map(lambda x: x * x).batch(4)
      >>> for batch in dataset:
      ...     print(batch)
      tf.Tensor([0 1 4 9], shape=(4,), dtype=int64)
      tf.Tensor([16 25], shape=(2,), dtype=int64)

    Args:
      variant_tensor: the tensor that holds the dataset. Programs begin with a source: range, from_tensor_slices,
        from_generator, or a dataset of files.
    """

    def __init__(self, variant_tensor: Any) -> None:
        self._variant_tensor = variant_tensor
        self._options_attr = Options()

    @property
    def element_spec(self) -> Any:
        """The structure and the types of the elements."""
        raise NotImplementedError('Dataset.element_spec')

    _type_spec = property(lambda self: DatasetSpec(self.element_spec))
    _flat_types = property(lambda self: structure.types_of(self.element_spec))
    _flat_shapes = property(lambda self: structure.shapes_of(self.element_spec))

    def _inputs(self) -> list[Any]:
        return []

    def _trackable_children(self, save_type: str = 'checkpoint', **kwargs: Any) -> dict[Any, Any]:
        children = super()._trackable_children(save_type, **kwargs)
        if save_type == 'savedmodel':
            from footlight._data.variant_tracker import VariantTracker
            children['_variant_tracker'] = VariantTracker(self._variant_tensor)
        return children

    def __repr__(self) -> str:
        name = type(self).__name__
        return f'<{name} element_spec={self.element_spec}>'

    __str__ = __repr__

    def __iter__(self) -> Any:
        if tf.executing_eagerly() or _in_function():
            return OwnedIterator(self)
        raise RuntimeError('`tf.data.Dataset` only supports Python-style iteration in eager mode or within '
                           'tf.function.')

    # --- what converted code calls ---
    _variant_tensor_of_dataset = property(lambda self: self._variant_tensor)

    def _staged_iterator(self) -> Any:
        return OwnedIterator(self)

    def _element_of(self, tensors):
        return structure.from_tensors(self.element_spec, tensors)

    def _len_builtin(self, dataset: tf.data.Dataset) -> tf.Tensor:
        count = self.cardinality()
        known = tf.get_static_value(count)
        why = ': this one is infinite' if known == INFINITE_CARDINALITY else ''
        check = tf.debugging.Assert(count >= 0, [f'len requires a dataset with a known length{why}'])
        if check is None:
            return count
        with tf.control_dependencies([check]):
            return tf.identity(count)

    @staticmethod
    def _abs_builtin(dataset):
        return dataset.map(lambda *element: tf.nest.map_structure(tf.abs, element if len(element) > 1 else element[0]))

    @staticmethod
    def _enumerate_builtin(dataset: tf.data.Dataset, start: int = 0) -> tf.data.Dataset:
        return dataset.enumerate(start)

    @staticmethod
    def _zip_builtin(*datasets: Any) -> tf.data.Dataset:
        return Dataset.zip(datasets)

    @staticmethod
    def _map_builtin(function: Callable[..., Any], *datasets: Any) -> tf.data.Dataset:
        return Dataset.zip(datasets).map(function)  # an element that is a tuple is one argument

    @staticmethod
    def _filter_builtin(function: Callable[..., Any], dataset: tf.data.Dataset) -> tf.data.Dataset:
        return dataset.filter(function)

    def _any_builtin(self, dataset):
        _check_predicate(self.element_spec)
        return self.reduce(tf.constant(False), tf.logical_or)

    def _all_builtin(self, dataset):
        _check_predicate(self.element_spec)
        return self.reduce(tf.constant(True), tf.logical_and)

    def __bool__(self) -> bool:
        return True

    __nonzero__ = __bool__

    def __len__(self) -> int:
        if not tf.executing_eagerly():
            raise TypeError('`tf.data.Dataset` only supports `len` in eager mode. Use '
                            '`tf.data.Dataset.cardinality()` instead.')
        count = int(self.cardinality())
        if count == INFINITE_CARDINALITY:
            raise TypeError('The dataset is infinite.')
        if count == UNKNOWN_CARDINALITY:
            raise TypeError('The dataset length is unknown.')
        return count

    def _made(self, kind: str, op: str, inputs: list[Any], attributes: dict[Any, Any] | None = None, specs: Any = None,
              name: str | None = None) -> Any:
        """The dataset that an op makes of this one."""
        specs = self.element_spec if specs is None else specs
        variant, = _op(op, [self._variant_tensor, *inputs], {**_types(specs), **(attributes or {})}, name)
        dataset = _made(kind, variant, specs, [self])
        dataset._made_with = attributes  # its functions live as long as it does
        return dataset

    # --- sources ---
    @staticmethod
    def from_tensors(tensors: Any, name: str | None = None) -> tf.data.Dataset:
        """A dataset of one element."""
        element = structure.normalized(tensors)
        specs = structure.specs_of(element)
        variant, = _op('TensorDataset', structure.to_tensors(specs, element),
                       {'output_shapes': structure.shapes_of(specs)}, name)
        return _made('_TensorDataset', variant, specs)

    @staticmethod
    def from_tensor_slices(tensors: Any, name: str | None = None) -> tf.data.Dataset:
        """A dataset of the rows of tensors.

          >>> dataset = tf.data.Dataset.from_tensor_slices({'x': [1, 2], 'y': ['a', 'b']})
          >>> [(int(row['x']), row['y'].numpy()) for row in dataset]
          [(1, b'a'), (2, b'b')]

        Args:
          tensors: a tensor, or tuples and dicts of tensors that have as many rows; so are the elements.
          name: a str, the name of the operation in a graph.
        """
        element = structure.normalized(tensors)
        batched = structure.specs_of(element)
        flat = structure.to_tensors(batched, element)
        if not flat:
            raise ValueError('Invalid `tensors`. `tensors` should not be empty.')
        specs = structure.unbatched(batched)
        if not structure.all_plain(batched):
            from footlight._data import composite_elements as _composite_elements
            return _composite_elements.slices(element, batched, specs)
        count = flat[0].shape[0]
        for tensor in flat[1:]:
            if count is not None and tensor.shape[0] is not None and tensor.shape[0] != count:
                raise ValueError(f'Dimensions {count} and {tensor.shape[0]} are not compatible')
        variant, = _op('TensorSliceDataset', flat, {'output_shapes': structure.shapes_of(specs)}, name)
        return _made('_TensorSliceDataset', variant, specs)

    @staticmethod
    def range(*args: Any, output_type: DTypeLike = tf.int64, name: str | None = None) -> tf.data.Dataset:
        """A dataset of numbers, as Python's range."""
        if not 1 <= len(args) <= 3:
            raise ValueError(f'Invalid `args`. The length of `args` should be between 1 and 3 but was {len(args)}.')
        start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args, 1) if len(args) == 2 else args
        specs = tf.TensorSpec([], output_type)
        variant, = _op('RangeDataset', [_int64(start), _int64(stop), _int64(step)], _types(specs), name)
        return _made('_RangeDataset', variant, specs)

    @staticmethod
    def from_generator(generator: Callable[..., Any], output_types: Any = None, output_shapes: Any = None,
                       args: Any = None, output_signature: Any = None, name: str | None = None) -> tf.data.Dataset:
        """A dataset of what `generator()` yields."""
        from footlight._data import generator as _data_generator
        return _data_generator.dataset(generator, output_types, output_shapes, args, output_signature)

    # --- one element after the other ---
    def map(self, map_func: Callable[..., Any], num_parallel_calls: Any = None, deterministic: Any = None,
            synchronous: Any = None, use_unbounded_threadpool: bool = False,
            name: str | None = None) -> tf.data.Dataset:
        """map_func(element) of each; several at once with `num_parallel_calls`.

          >>> dataset = tf.data.Dataset.range(3).map(lambda x: x + 10, num_parallel_calls=tf.data.AUTOTUNE)
          >>> list(map(int, dataset))
          [10, 11, 12]

        Args:
          map_func: a function of an element, or of its parts where it is a tuple; it is traced once, as by tf.function.
          num_parallel_calls: how many calls run at once, or tf.data.AUTOTUNE; without it one after the other.
          deterministic: False lets elements change places where that is faster.
          synchronous: has no effect.
          use_unbounded_threadpool: has no effect.
          name: a str, the name of the operation in a graph.
        """
        function = ElementFunction(map_func, 'map', self.element_spec)
        if num_parallel_calls is None:
            return self._made('_MapDataset', 'MapDataset', function.captures, function.attributes(),
                              function.output_specs, name)
        return self._made('_ParallelMapDataset', 'ParallelMapDatasetV2',
                          [*function.captures, _int64(num_parallel_calls)],
                          {**function.attributes(), 'deterministic': _how(deterministic),
                           'preserve_cardinality': True}, function.output_specs, name)

    def flat_map(self, map_func: Callable[..., Any], name: str | None = None) -> tf.data.Dataset:
        """The elements of the datasets that map_func(element) gives."""
        function = ElementFunction(map_func, 'flat_map', self.element_spec)
        if not isinstance(function.output_specs, DatasetSpec):
            raise TypeError('The `map_func` argument must return a `Dataset` object. Got '
                            f'{_type_of(function.output_specs)!r}.')
        return self._made('_FlatMapDataset', 'FlatMapDataset', function.captures, function.attributes(),
                          function.output_specs.element_spec, name)

    def filter(self, predicate: Callable[..., Any], name: str | None = None) -> tf.data.Dataset:
        """The elements for which predicate(element) is true."""
        function = ElementFunction(predicate, 'filter', self.element_spec)
        _check_predicate(function.output_specs)
        return self._made('_FilterDataset', 'FilterDataset', function.captures, function.attributes('predicate'),
                          name=name)

    def enumerate(self, start: Any = 0, name: str | None = None) -> tf.data.Dataset:
        """(number, element) for each."""
        limit = tf.int64.max
        return Dataset.zip((Dataset.range(start, limit), self))

    # --- several elements ---
    def batch(self, batch_size, drop_remainder=False, num_parallel_calls=None, deterministic=None, name=None):
        """Consecutive elements stacked along a new first dimension.

          >>> dataset = tf.data.Dataset.range(5)
          >>> [batch.numpy().tolist() for batch in dataset.batch(2)]
          [[0, 1], [2, 3], [4]]
          >>> [batch.numpy().tolist() for batch in dataset.batch(2, drop_remainder=True)]
          [[0, 1], [2, 3]]

        Args:
          batch_size: how many elements a batch has.
          drop_remainder: whether a last batch of fewer elements is left out; the size is then part of the shape.
          num_parallel_calls: how many batches are made at once, or tf.data.AUTOTUNE.
          deterministic: False lets batches change places where that is faster.
          name: a str, the name of the operation in a graph.
        """
        size = _known(batch_size) if drop_remainder is True else None
        specs = structure.batched(self.element_spec, size)
        from footlight._data import composite_elements as _composite_elements
        if not _composite_elements.all_whole(self.element_spec):
            made = _composite_elements.batch(self, self.element_spec, specs, batch_size, drop_remainder)
            made._batch_size = _int64(batch_size)
            return made
        drop, size = tf.convert_to_tensor(drop_remainder, tf.bool), _int64(batch_size)
        if num_parallel_calls is None:
            made = self._made('_BatchDataset', 'BatchDatasetV2', [size, drop], None, specs, name)
        else:
            made = self._made('_ParallelBatchDataset', 'ParallelBatchDataset', [size, _int64(num_parallel_calls), drop],
                              {'deterministic': _how(deterministic)}, specs, name)
        made._batch_size = size  # libraries look at it to see whether elements are batches
        return made

    def shuffle(self, buffer_size: Any, seed: int | None = None, reshuffle_each_iteration: bool = True,
                name: str | None = None) -> tf.data.Dataset:
        """The elements in random order, each drawn from the next `buffer_size`.

        A buffer as large as the dataset makes all orders equally likely.

          >>> dataset = tf.data.Dataset.range(4).shuffle(4, seed=1)
          >>> sorted(map(int, dataset))
          [0, 1, 2, 3]

        Args:
          buffer_size: how many elements are kept to draw from.
          seed: an int that, with tf.random.set_seed, makes the order the same in each run.
          reshuffle_each_iteration: whether each iteration has another order.
          name: a str, the name of the operation in a graph.
        """
        generator, = _op('DummySeedGenerator', [], {})
        if reshuffle_each_iteration is None:
            reshuffle_each_iteration = True
        return self._made('_ShuffleDataset', 'ShuffleDatasetV3', [_int64(buffer_size), *seeds(seed), generator],
                          {'reshuffle_each_iteration': reshuffle_each_iteration}, name=name)

    def repeat(self, count: Any = None, name: str | None = None) -> tf.data.Dataset:
        """The elements `count` times, or forever."""
        return self._made('_RepeatDataset', 'RepeatDataset', [_int64(-1 if count is None else count)], name=name)

    def take(self, count: Any, name: str | None = None) -> tf.data.Dataset:
        """The first `count` elements."""
        return self._made('_TakeDataset', 'TakeDataset', [_int64(count)], name=name)

    def skip(self, count: Any, name: str | None = None) -> tf.data.Dataset:
        """All but the first `count` elements."""
        return self._made('_SkipDataset', 'SkipDataset', [_int64(count)], name=name)

    def prefetch(self, buffer_size: Any, name: str | None = None) -> tf.data.Dataset:
        """The same elements, made ahead by a thread while the program works on earlier ones.

          >>> dataset = tf.data.Dataset.range(4).batch(2).prefetch(tf.data.AUTOTUNE)
          >>> [batch.numpy().tolist() for batch in dataset]
          [[0, 1], [2, 3]]

        Args:
          buffer_size: how many elements are made ahead, or tf.data.AUTOTUNE.
          name: a str, the name of the operation in a graph.
        """
        if buffer_size is None:
            buffer_size = AUTOTUNE
        return self._made('_PrefetchDataset', 'PrefetchDataset', [_int64(buffer_size)], name=name)

    def cache(self, filename: Any = '', name: str | None = None) -> Any:
        """The same elements, kept by the first complete iteration for later ones."""
        kept, = _op('DummyMemoryCache', [], {})
        return self._made('CacheDataset', 'CacheDatasetV2', [tf.convert_to_tensor(filename, tf.string), kept],
                          name=name)

    # --- several datasets ---
    @staticmethod
    def zip(*args: Any, datasets: Any = None, name: str | None = None) -> Any:
        """Elements of several datasets side by side."""
        if not args and datasets is None:
            raise TypeError('Must pass at least one dataset to `zip`.')
        if args and datasets is not None:
            raise TypeError('Both `*args` and `datasets` cannot be set.')
        if len(args) == 1:
            datasets = args[0]
        elif args:
            datasets = args
        for one in structure.flatten(datasets):
            if not isinstance(one, Dataset):
                if isinstance(one, list):
                    raise TypeError('Invalid input to `zip`. Inputs are expected to be (nested) structures of '
                                    '`tf.data.Dataset` objects. Python `list` is not supported and you should use '
                                    '`tuple` instead.')
                raise TypeError('Invalid input to `zip`. Inputs are expected to be (nested) structures of '
                                f'`tf.data.Dataset` objects but encountered object of type {type(one)}.')
        all_of_them = structure.flatten(datasets)
        specs = structure.map_structure(lambda one: one.element_spec, datasets)
        variant, = _op('ZipDataset', [one._variant_tensor for one in all_of_them], _types(specs), name)
        return _made('_ZipDataset', variant, specs, all_of_them)

    def concatenate(self, dataset, name=None):
        """These elements, then those of another dataset."""
        specs = structure.common(self.element_spec, dataset.element_spec)
        if specs is None:
            raise TypeError(f'Incompatible dataset elements:\n  {self.element_spec} vs.   {dataset.element_spec}')
        made = self._made('_ConcatenateDataset', 'ConcatenateDataset', [dataset._variant_tensor], None, specs, name)
        return _inherit(made, [self, dataset])

    # --- as a whole ---
    def reduce(self, initial_state: Any, reduce_func: Callable[..., Any], name: str | None = None) -> Any:
        """reduce_func(state, element) over all elements, from `initial_state` on."""
        state = structure.normalized(initial_state)
        specs = structure.specs_of(state)
        for _ in range(8):  # until the shapes of the state hold for all steps
            function = ElementFunction(reduce_func, 'reduce', (specs, self.element_spec))
            wider = _wider(specs, function.output_specs, 'reduce')
            if wider == specs:
                break
            specs = wider
        tensors = _op('ReduceDataset',
                      [self._variant_tensor, *structure.to_tensors(specs, state), *function.captures],
                      {**function.attributes(), 'Tstate': structure.types_of(specs), **_types(specs)}, name)
        return structure.from_tensors(specs, tensors)

    def get_single_element(self, name: str | None = None) -> tf.Tensor:
        """The only element; InvalidArgumentError if there are none or several."""
        tensors = _op('DatasetToSingleElement', [self._variant_tensor], _types(self.element_spec), name)
        return structure.from_tensors(self.element_spec, tensors)

    def cardinality(self, name: str | None = None) -> tf.Tensor:
        """How many elements there are; INFINITE_CARDINALITY, UNKNOWN_CARDINALITY."""
        return _op('DatasetCardinality', [self._variant_tensor], {}, name)[0]

    def fingerprint(self) -> tf.Tensor:
        """A uint64 that is the same for datasets which are written alike."""
        return _op('DatasetFingerprint', [self._variant_tensor], {})[0]

    def apply(self, transformation_func: Callable[..., Any], name: str | None = None) -> tf.data.Dataset:
        """transformation_func(self)."""
        dataset = transformation_func(self)
        if not isinstance(dataset, Dataset):
            raise TypeError(f'`transformation_func` must return a `tf.data.Dataset` object. Got {type(dataset)!r}.')
        return dataset

    def as_numpy_iterator(self) -> Any:
        """Elements with NumPy values in place of tensors."""
        if not tf.executing_eagerly():
            raise RuntimeError('`tf.data.Dataset.as_numpy_iterator()` is only supported in eager mode.')
        for spec in structure.flatten(self.element_spec):
            if not isinstance(spec, (tf.TensorSpec, structure.NoneTensorSpec)) and not hasattr(
                    spec.value_type, 'numpy'):
                raise TypeError('`tf.data.Dataset.as_numpy_iterator()` is not supported for datasets that produce '
                                f'values of type {spec.value_type}.')
        return NumpyIterator(self)

    def make_one_shot_iterator(self) -> Any:
        """tf.compat.v1.data.make_one_shot_iterator, as datasets of TensorFlow 1 have it."""
        return tf.compat.v1.data.make_one_shot_iterator(self)

    def make_initializable_iterator(self, shared_name=None):
        """tf.compat.v1.data.make_initializable_iterator, as datasets of TensorFlow 1 have it."""
        return tf.compat.v1.data.make_initializable_iterator(self, shared_name)

    def options(self) -> Any:
        """The options of this dataset and those it is made of."""
        return self._options_attr._merged(Options())._fix()

    def with_options(self, options: Any, name: str | None = None) -> tf.data.Dataset:
        """The same elements, with these options as well."""
        made = self._made('_OptionsDataset', 'OptionsDataset', [], {'serialized_options': options._text()}, name=name)
        made._options_attr = self._options_attr.merge(options)
        return made

    def _gather_saveables_for_checkpoint(self) -> dict[Any, Any]:
        return {}


class _Made(Dataset):
    def __init__(self, variant, specs):
        super().__init__(variant)
        self._specs, self._made_of = specs, []

    element_spec = property(lambda self: self._specs)

    def _inputs(self) -> Any:
        return list(self._made_of)


class _VariantDataset(_Made):
    """A dataset that came as a tensor."""


def cardinality(dataset):
    """How many elements a dataset has."""
    return dataset.cardinality()


def get_single_element(dataset):
    """The only element of a dataset."""
    return dataset.get_single_element()


def get_structure(dataset_or_iterator):
    """The structure and types of the elements."""
    return dataset_or_iterator.element_spec


_data = tf.data
publish('tf.data', DatasetSpec)
alias('tf.data', Dataset=Dataset)
_data.AUTOTUNE = _data.experimental.AUTOTUNE = AUTOTUNE
_data.INFINITE_CARDINALITY = _data.experimental.INFINITE_CARDINALITY = INFINITE_CARDINALITY
_data.UNKNOWN_CARDINALITY = _data.experimental.UNKNOWN_CARDINALITY = UNKNOWN_CARDINALITY
# By this name libraries recognise datasets without importing anything.
Dataset.__module__, Dataset.__name__, Dataset.__qualname__ = 'tensorflow.python.data.ops.dataset_ops', 'DatasetV2', 'DatasetV2'
alias('tf.data.experimental', cardinality, get_single_element, get_structure)
_engine.namespace('compat.v1.data.experimental')  # their names are those of tf.data, and those of compat/v1/data.py
tf.contrib.eager.Iterator = OwnedIterator
atexit.register(_engine.end_datasets)
