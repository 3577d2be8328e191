"""Methods of tf.data.Dataset that group, split and keep elements: group_by_window, window, unbatch and so on."""
from __future__ import annotations

import os

import footlight as tf
from footlight._data import structure
from footlight._data.dataset_ops import (AUTOTUNE, _check_predicate, _how, _int64, _known, _made, _op, _text, _type_of,
                                         _types, _wider)
from footlight._data.element_functions import ElementFunction
from footlight._typing import Any, Callable, ShapeLike

# The file in a snapshot's folder.
_ELEMENTS = 'elements'


def _usual_cycle(calls):
    """The default cycle_length of interleave(), as in TensorFlow."""
    threads = len(os.sched_getaffinity(0))
    if calls is None:
        return threads
    known = _known(calls)
    return (threads + 2) // 3 if known in (None, AUTOTUNE) else min(known, threads)


def _padded_shape(shape: ShapeLike, spec: Any) -> tuple[Any, ...]:
    """The shape to fill up to, as a tensor with -1 and as far as it is known; -1 in a list is None too."""
    if isinstance(shape, tf.Tensor):
        if shape.shape.rank != 1 or None not in (spec.shape.rank, shape.shape[0]) and shape.shape[0] != spec.shape.rank:
            raise ValueError(f'The padded shape {shape} is not compatible with the shape {spec.shape} of the '
                             'corresponding input component.')
        return tf.cast(shape, tf.int64), tf.TensorShape([None] * shape.shape[0] if shape.shape.rank else None)
    if not isinstance(shape, tf.TensorShape) and hasattr(shape, '__iter__'):
        shape = [None if size is not None and size == -1 else size for size in shape]
    shape = tf.TensorShape(shape)
    if shape.rank is None:
        raise ValueError(f'Unable to convert the shape {shape}: its rank is not known; give `padded_shapes`')
    if not spec.shape.rank is None and spec.shape.rank != shape.rank:
        raise ValueError(f'The padded shape {shape} is not compatible with the shape {spec.shape} of the corresponding '
                         'input component.')
    for padded, own in zip(shape.as_list(), spec.shape.as_list() if spec.shape.rank is not None else []):
        if padded is not None and own is not None and padded < own:
            raise ValueError(f'The padded shape {shape} is not compatible with the shape {spec.shape} of the '
                             'corresponding input component.')
    return tf.constant([-1 if d is None else d for d in shape.as_list()], tf.int64), shape


def _default_padding(dtype):
    if dtype == tf.string:
        return tf.constant('')
    if dtype == tf.variant:
        raise TypeError(f'Unable to create default padding for a component of type {dtype.name}')
    return tf.zeros([], dtype)


def _rebatched_size(specs, sizes, drop_remainder):
    """How many rows all batches have; None: they differ, or it is not known."""
    known = tf.get_static_value(sizes)
    if known is None:
        return None
    if known.ndim > 1:
        raise ValueError(f'Invalid `batch_sizes`: a scalar or a vector is needed, not a tensor of rank {known.ndim}')
    flat = {int(v) for v in known.reshape(-1).tolist()}
    if len(flat) != 1 or flat == {0}:
        return None
    size, = flat
    if drop_remainder is True or isinstance(drop_remainder, tf.Tensor) and tf.get_static_value(drop_remainder):
        return size
    shapes = [leaf.shape for leaf in structure.flatten(specs) if getattr(leaf, 'shape', None) is not None]
    if any(shape.rank == 0 for shape in shapes):
        raise ValueError('rebatch needs batches, not scalar elements: call `batch` first')
    rows = {shape[0] for shape in shapes if shape.rank is not None} - {None}
    if len(rows) > 1:
        raise ValueError(f'the components of the elements have different numbers of rows: {sorted(rows)}')
    return size if rows and rows.pop() % size == 0 else None


def _zipped(columns):
    if len(columns) == 1:
        return columns[0]._variant_tensor
    specs = tuple(column.element_spec for column in columns)
    return _op('ZipDataset', [column._variant_tensor for column in columns], _types(specs))[0]


def _as_int64(function):
    def wrapped(*args):
        return tf.cast(staged(*args), tf.int64)
    from footlight._control.functional import _staged
    staged = _staged(function, always=True)
    wrapped.__name__ = getattr(function, '__name__', 'function')
    return tf.autograph.experimental.do_not_convert(wrapped)


class Grouping:
    """Mixin of tf.data.Dataset: methods that group, split or keep elements."""

    element_spec: Any
    _made: Callable[..., Any]
    _variant_tensor: Any

    def interleave(self, map_func: Callable[..., Any], cycle_length: Any = None, block_length: Any = None,
                   num_parallel_calls: Any = None, deterministic: Any = None, name: str | None = None) -> Any:
        """The elements of the datasets that map_func(element) gives, in turn from `cycle_length` of them."""
        function = ElementFunction(map_func, 'interleave', self.element_spec)
        if not isinstance(function.output_specs, tf.data.DatasetSpec):
            raise TypeError('The `map_func` argument must return a `Dataset` object. Got '
                            f'{_type_of(function.output_specs)!r}.')
        specs = function.output_specs.element_spec
        cycle = _int64(_usual_cycle(num_parallel_calls) if cycle_length is None else cycle_length)
        block = _int64(1 if block_length is None else block_length)
        if num_parallel_calls is None:
            return self._made('_InterleaveDataset', 'InterleaveDataset', [*function.captures, cycle, block],
                              function.attributes(), specs, name)
        return self._made('_ParallelInterleaveDataset', 'ParallelInterleaveDatasetV4',
                          [*function.captures, cycle, block, _int64(AUTOTUNE), _int64(AUTOTUNE),
                           _int64(num_parallel_calls)],
                          {**function.attributes(), 'deterministic': _how(deterministic)}, specs, name)

    def padded_batch(self, batch_size: Any, padded_shapes: Any = None, padding_values: Any = None,
                     drop_remainder: bool = False, name: str | None = None) -> Any:
        """Consecutive elements, each filled up to a common shape, stacked."""
        specs = self.element_spec
        leaves = structure.flatten(specs)
        for spec in leaves:
            if not structure.is_plain(spec):
                raise TypeError('`tf.data.Dataset.padded_batch` is only supported for datasets that produce tensor '
                                f'elements but type spec of elements in the input dataset is not a TensorSpec: {spec}.')
        if padded_shapes is None:
            padded_shapes = structure.map_structure(lambda s: s.shape, specs)
            for shape in structure.flatten(padded_shapes):
                if shape.rank is None:
                    raise ValueError('You must provide `padded_shapes` argument because component 0 has unknown rank.')
        from footlight._data.generator import structure_of_shapes
        pairs = [_padded_shape(s, spec) for s, spec in zip(structure_of_shapes(specs, padded_shapes), leaves)]
        if padding_values is None:
            paddings = [_default_padding(spec.dtype) for spec in leaves]
        else:
            if not structure.is_nested(padding_values):
                padding_values = structure.map_structure(lambda _: padding_values, specs)
            paddings = [_default_padding(spec.dtype) if p is None else tf.convert_to_tensor(p, spec.dtype)
                        for p, spec in zip(structure.flatten_up_to(specs, padding_values), leaves)]
        size = _known(batch_size) if drop_remainder is True else None
        shapes = iter([tf.TensorShape([size]).concatenate(shape) for _, shape in pairs])
        batched = structure.map_structure(lambda spec: tf.TensorSpec(next(shapes), spec.dtype), specs)
        variant, = _op('PaddedBatchDatasetV2',
                       [self._variant_tensor, _int64(batch_size), *[vector for vector, _ in pairs], *paddings,
                        tf.convert_to_tensor(drop_remainder, tf.bool)],
                       {'N': len(pairs), 'Toutput_types': structure.types_of(batched),
                        'output_shapes': structure.shapes_of(batched)}, name)
        return _made('_PaddedBatchDataset', variant, batched, [self])

    def unbatch(self, name: str | None = None) -> Any:
        """The rows of each element."""
        from footlight._data import composite_elements as _composite_elements
        specs = structure.unbatched(self.element_spec)
        if not _composite_elements.all_whole(self.element_spec):
            return _composite_elements.unbatch(self)
        return self._made('_UnbatchDataset', 'UnbatchDataset', [], None, specs, name)

    def rebatch(self, batch_size: Any, drop_remainder: bool = False, name: str | None = None) -> Any:
        """The rows of each element in batches of another size, or of several sizes in turn."""
        from footlight._data import composite_elements as _composite_elements
        sizes = tf.convert_to_tensor(batch_size, tf.int64)
        rows = structure.unbatched(self.element_spec)
        specs = structure.batched(rows, _rebatched_size(self.element_spec, sizes, drop_remainder))
        if not _composite_elements.all_whole(self.element_spec):
            return _composite_elements.rebatch(self, sizes, specs, drop_remainder)
        return self._made('_RebatchDataset', 'RebatchDatasetV2', [sizes, tf.convert_to_tensor(drop_remainder, tf.bool)],
                          None, specs, name)

    def window(self, size: Any, shift: Any = None, stride: Any = 1, drop_remainder: bool = False,
               name: str | None = None) -> Any:
        """Datasets of consecutive elements."""
        specs = structure.map_structure(lambda spec: tf.data.DatasetSpec(spec), self.element_spec)
        inputs = [_int64(size), _int64(size if shift is None else shift), _int64(stride),
                  tf.convert_to_tensor(drop_remainder, tf.bool)]
        counts = [len(structure.tensor_specs(leaf)) for leaf in structure.flatten(self.element_spec)]
        if all(count == 1 for count in counts):
            return self._made('_WindowDataset', 'WindowDataset', inputs, None, specs, name)
        # The op gives a dataset for each tensor: those of one value become one dataset.
        columns = tuple(tf.data.DatasetSpec(spec) for spec in structure.tensor_specs(self.element_spec))
        windows = self._made('_WindowDataset', 'WindowDataset', inputs, None, columns, name)

        def together(element):
            rest = iter(element)
            return [_zipped([next(rest) for _ in range(count)]) for count in counts]
        from footlight._data import composite_elements as _composite_elements
        return _composite_elements._mapped(windows, together, specs, '_WindowDataset', [self])

    def group_by_window(self, key_func: Callable[..., Any], reduce_func: Callable[..., Any], window_size: Any = None,
                        window_size_func: Any = None, name: str | None = None) -> Any:
        """Collects elements by key_func(element); reduce_func(key, dataset of them) for each full window."""
        if (window_size is None) == (window_size_func is None):
            raise ValueError('Either the `window_size` argument or the `window_size_func` argument must be specified.')
        if window_size is not None:
            def window_size_func(key):
                return tf.convert_to_tensor(window_size, tf.int64)
        key_type = tf.TensorSpec([], tf.int64)
        key = ElementFunction(_as_int64(key_func), 'group_by_window', self.element_spec)
        if not (structure.is_plain(key.output_specs) and key.output_specs.shape.is_compatible_with([])):
            raise ValueError('Invalid `key_func`. `key_func` must return a single `tf.int64` scalar tensor but its return '
                             f'type is {key.output_specs}.')
        size = ElementFunction(_as_int64(window_size_func), 'group_by_window', key_type)
        reduce = ElementFunction(reduce_func, 'group_by_window', (key_type, tf.data.DatasetSpec(self.element_spec)))
        if not isinstance(reduce.output_specs, tf.data.DatasetSpec):
            raise TypeError('Invalid `reduce_func`. `reduce_func` must return a single `tf.data.Dataset` object but its '
                            f'return type is {reduce.output_specs}.')
        return self._made('_GroupByWindowDataset', 'GroupByWindowDataset',
                          [*key.captures, *reduce.captures, *size.captures],
                          {**key.attributes('key_func', 'Tkey_func_other_arguments'),
                           **reduce.attributes('reduce_func', 'Treduce_func_other_arguments'),
                           **size.attributes('window_size_func', 'Twindow_size_func_other_arguments')},
                          reduce.output_specs.element_spec, name)

    def bucket_by_sequence_length(self, element_length_func: Any, bucket_boundaries: Any, bucket_batch_sizes: Any,
                                  padded_shapes: Any = None, padding_values: Any = None,
                                  pad_to_bucket_boundary: bool = False, no_padding: bool = False,
                                  drop_remainder: bool = False, name: str | None = None) -> Any:
        """Batches of elements of similar length."""
        if len(bucket_batch_sizes) != len(bucket_boundaries) + 1:
            raise ValueError('`len(bucket_batch_sizes)` must equal `len(bucket_boundaries) + 1` but '
                             f'`len(bucket_batch_sizes)={len(bucket_batch_sizes)}` and '
                             f'`len(bucket_boundaries)={len(bucket_boundaries)}`.')
        sizes = tf.constant(bucket_batch_sizes, tf.int64)
        bounds = list(bucket_boundaries)

        def bucket_of(*args):
            length = tf.cast(element_length_func(*args), tf.int32)
            least = tf.constant([tf.int32.min] + bounds, tf.int32)
            most = tf.constant(bounds + [tf.int32.max], tf.int32)
            inside = tf.logical_and(tf.less_equal(least, length), tf.less(length, most))
            return tf.reduce_min(tf.where(inside))

        def size_of(bucket):
            return sizes[bucket]

        def batch_of(bucket, grouped):
            size = size_of(bucket)
            if no_padding:
                return grouped.batch(size, drop_remainder=drop_remainder)
            shapes = padded_shapes
            if shapes is None:
                shapes = structure.map_structure(lambda s: s.shape, grouped.element_spec)
            if pad_to_bucket_boundary:
                boundary = tf.constant([b - 1 for b in bounds] + [-1], tf.int64)[bucket]
                with tf.control_dependencies([tf.debugging.assert_less(
                        bucket, tf.constant(len(bounds), tf.int64),
                        message='When pad_to_bucket_boundary=True, elements must have length < max(bucket_boundaries).')]):
                    boundary = tf.identity(boundary)
                shapes = structure.pack(grouped.element_spec, iter([
                    tf.stack([boundary if d is None else tf.constant(d, tf.int64) for d in s.as_list()])
                    if s.rank else s for s in map(tf.TensorShape, structure.flatten_up_to(grouped.element_spec, shapes))]))
            return grouped.padded_batch(size, shapes, padding_values, drop_remainder=drop_remainder)
        # These functions are ours, not the user's.
        plain = tf.autograph.experimental.do_not_convert
        return self.group_by_window(plain(bucket_of), plain(batch_of), window_size_func=plain(size_of), name=name)

    def take_while(self, predicate: Callable[..., Any], name: str | None = None) -> Any:
        """The elements up to the first for which predicate(element) is false."""
        function = ElementFunction(predicate, 'take_while', self.element_spec)
        _check_predicate(function.output_specs)
        return self._made('_TakeWhileDataset', 'TakeWhileDataset', function.captures, function.attributes('predicate'),
                          name=name)

    def scan(self, initial_state: Any, scan_func: Any, name: str | None = None) -> Any:
        """scan_func(state, element) gives (next state, what takes the element's place)."""
        state = structure.normalized(initial_state)
        specs = structure.specs_of(state)
        for _ in range(8):
            function = ElementFunction(scan_func, 'scan', (specs, self.element_spec))
            if type(function.output_specs) is not tuple or len(function.output_specs) != 2:
                raise TypeError('Invalid `scan_func`. `scan_func` should return a pair consisting of new state and the '
                                f'output value but its return type is {function.output_specs}.')
            wider = _wider(specs, function.output_specs[0], 'scan')
            if wider == specs:
                break
            specs = wider
        return self._made('_ScanDataset', 'ScanDataset', [*structure.to_tensors(specs, state), *function.captures],
                          {**function.attributes(), 'Tstate': structure.types_of(specs)}, function.output_specs[1], name)

    def unique(self, name: str | None = None) -> Any:
        """Each element once."""
        leaves = structure.flatten(self.element_spec)
        for spec in leaves:
            if getattr(spec, 'dtype', None) not in (tf.int32, tf.int64, tf.string):
                raise TypeError(f'`tf.data.Dataset.unique` takes elements of tf.int32, tf.int64 or tf.string, not {spec}')
        if len(leaves) != 1 or not structure.is_plain(leaves[0]):
            raise tf.errors.InvalidArgumentError(
                None, None, f'`tf.data.Dataset.unique` takes elements of one dense tensor, not {self.element_spec}')
        return self._made('_UniqueDataset', 'UniqueDataset', [], name=name)

    def shard(self, num_shards: Any, index: Any, name: str | None = None) -> Any:
        """Every `num_shards`-th element, from number `index` on."""
        return self._made('_ShardDataset', 'ShardDataset', [_int64(num_shards), _int64(index)], name=name)

    def ignore_errors(self, log_warning: bool = False, name: str | None = None) -> Any:
        """The elements that can be made."""
        return self._made('_IgnoreErrorsDataset', 'IgnoreErrorsDataset', [], {'log_warning': log_warning}, name=name)

    def ragged_batch(self, batch_size, drop_remainder=False, row_splits_dtype=tf.int64, name=None):
        """Consecutive elements of different shapes as ragged tensors."""
        from footlight._data import composite_elements as _composite_elements
        return _composite_elements.ragged_batch(self, batch_size, drop_remainder, row_splits_dtype)

    def sparse_batch(self, batch_size, row_shape, name=None):
        """Consecutive elements of different shapes as sparse tensors with rows of `row_shape`."""
        from footlight._data import composite_elements as _composite_elements
        return _composite_elements.sparse_batch(self, batch_size, row_shape)

    def snapshot(self, path: Any, compression: str = 'AUTO', reader_func: Any = None, shard_func: Any = None,
                 name: str | None = None) -> Any:
        """The elements, kept in the folder `path` by the first complete iteration and read from there later."""
        os.makedirs(path, exist_ok=True)
        made = self._made('_SnapshotDataset', 'ElementFileCacheDataset', [_text(os.path.join(path, _ELEMENTS))],
                          {'compression': 'GZIP' if compression == 'GZIP' else ''}, name=name)
        if reader_func is not None:
            return reader_func(tf.data.Dataset.from_tensors(0).map(lambda _: made))
        return made

    @staticmethod
    def list_files(file_pattern: Any, shuffle: Any = None, seed: int | None = None, name: str | None = None) -> Any:
        """The names of the files that match patterns, in random order unless told otherwise."""
        pattern = tf.convert_to_tensor(file_pattern, tf.string)
        names, = _op('MatchingFiles', [pattern], {})
        if tf.executing_eagerly() and int(tf.size(names)) == 0:
            shown = file_pattern if isinstance(file_pattern, str) else ', '.join(map(str, file_pattern))
            raise tf.errors.InvalidArgumentError(None, None, f'No files matched pattern: {shown}')
        dataset = tf.data.Dataset.from_tensor_slices(names)
        if shuffle is None or shuffle:
            dataset = dataset.shuffle(tf.maximum(tf.size(names, out_type=tf.int64), tf.constant(1, tf.int64)), seed=seed)
        return dataset

    @staticmethod
    def counter(start=0, step=1, dtype=tf.int64, name=None):
        """Numbers without end."""
        start, step = tf.convert_to_tensor(start, dtype), tf.convert_to_tensor(step, dtype)
        plain = tf.autograph.experimental.do_not_convert
        return tf.data.Dataset.from_tensors(0, name=name).repeat().scan(start, plain(lambda state, _: (state + step, state)))
