"""Ragged and sparse tensors in datasets: elements are taken apart into dense tensors, filled up to a common shape where
they are put together, and made of the parts again."""
from __future__ import annotations

import footlight as tf
from footlight._data import structure
from footlight._data.dataset_ops import _int64, _made, _op
from footlight._data.datasets import Dataset
from footlight._typing import Any

_plain = tf.autograph.experimental.do_not_convert


def _is_ragged(spec: Any) -> bool:
    return isinstance(spec, tf.RaggedTensorSpec)


def _is_sparse(spec: Any) -> bool:
    return isinstance(spec, tf.SparseTensorSpec)


def _parts(spec: Any) -> list[Any]:
    return spec._parts() if hasattr(spec, '_parts') else spec._component_specs


def _is_whole(spec: Any) -> bool:
    """Whether rows are stacked tensor by tensor."""
    if structure.is_plain(spec):
        return True
    if _is_ragged(spec):
        return spec.ragged_rank < 0
    return getattr(spec, '_rows_together', False) and all(map(_is_whole, _parts(spec)))


def all_whole(specs: Any) -> bool:
    """Whether rows of all leaves are stacked tensor by tensor."""
    return all(_is_whole(spec) or isinstance(spec, structure.NoneTensorSpec) for spec in structure.flatten(specs))


def _atoms(spec: Any) -> list[Any]:
    """Flattens specs into those batched individually; a batchable extension type has one per field."""
    if _is_whole(spec) or not getattr(spec, '_rows_together', False) or not hasattr(spec, '_part_values'):
        return [spec]
    return [atom for part in spec._parts() for atom in _atoms(part)]


def _atom_values(spec: Any, value: Any) -> list[Any]:
    """Pairs each of the specs of _atoms() with its value."""
    if _is_whole(spec) or not getattr(spec, '_rows_together', False) or not hasattr(spec, '_part_values'):
        return [(spec, value)]
    return [pair for part, own in spec._part_values(value) for pair in _atom_values(part, own)]


def _other(spec):
    return TypeError(f'elements with {spec} cannot be cut into rows or put together')


def _mapped(dataset, parts_of, specs, kind, inputs):
    """The dataset whose elements consist of the tensors parts_of(element)."""
    def parts(*element):
        return tuple(parts_of(element if type(dataset.element_spec) is tuple else element[0]))
    made = dataset.map(_plain(parts))
    return _made(kind, made._variant_tensor, specs, inputs)


# --- rows ---
def _count(spec: Any, value: Any) -> tf.Tensor:
    if _is_sparse(spec):
        return value.dense_shape[0]
    if isinstance(value, tf.RaggedTensor):
        return tf.cast(value.nrows(), tf.int64)
    return tf.shape(spec.to_tensors(value)[0], out_type=tf.int64)[0]


def _row(spec: Any, value: Any, at: tf.Tensor) -> list[Any]:
    """The tensors of row `at`."""
    if _is_whole(spec):
        return [part[at] for part in spec.to_tensors(value)]
    if _is_sparse(spec):
        first, last = tf.unstack(tf.searchsorted(value.indices[:, 0], tf.stack([at, at + 1])))
        return [value.indices[first:last, 1:], value.values[first:last], value.dense_shape[1:]]
    if not _is_ragged(spec):
        raise _other(spec)
    if spec.ragged_rank <= 0:
        return [value[at]]
    splits, parts = value.nested_row_splits, []
    first, last = at, at + 1
    for number, part in enumerate(splits):
        if number:
            parts.append(part[first:last + 1] - part[first])
        first, last = part[first], part[last]
    return [value.flat_values[first:last], *parts]


def slices(element: Any, batched: Any, specs: Any) -> tf.data.Dataset:
    """Dataset.from_tensor_slices."""
    leaves = [pair for spec, value in zip(structure.flatten(batched), structure.flatten(element)) if value is not None
              for pair in _atom_values(spec, value)]
    counts = [_count(spec, value) for spec, value in leaves]
    known = [tf.get_static_value(count) for count in counts]
    if any(k is not None and known[0] is not None and k != known[0] for k in known):
        raise ValueError(f"Dimensions {' and '.join(map(str, known))} are not compatible")
    rows = Dataset.range(counts[0])
    return _mapped(rows, lambda at: [part for spec, value in leaves for part in _row(spec, value, at)], specs,
                   '_TensorSliceDataset', [])


def _known_rows(specs: Any) -> int | None:
    """How many rows each element has; None where it is not known."""
    found = {spec.shape[0] for spec in structure.flatten(specs)
             if not _is_sparse(spec) and getattr(spec, 'shape', None) is not None and spec.shape.rank} - {None}
    return found.pop() if len(found) == 1 else None


def _rows(dataset):
    def rows(*element):
        return Dataset.from_tensor_slices(element if type(dataset.element_spec) is tuple else element[0])
    return dataset.flat_map(_plain(rows))


def unbatch(dataset):
    """Dataset.unbatch."""
    made = _rows(dataset)
    if tf.executing_eagerly():
        count, each = int(dataset.cardinality()), _known_rows(dataset.element_spec)
        if count == -1 or count >= 0 and each is not None:
            made = made.apply(tf.data.experimental.assert_cardinality(count if count < 0 else count * each))
    return _made('_UnbatchDataset', made._variant_tensor, structure.unbatched(dataset.element_spec), [dataset])


def rebatch(dataset, sizes, specs, drop_remainder):
    """Dataset.rebatch: of as many rows as all sizes together, those of each size in turn."""
    rows = _rows(dataset)  # the number of rebatched rows is not known statically
    if sizes.shape.rank == 0:
        made = rows.batch(sizes, drop_remainder)
        return _made('_RebatchDataset', made._variant_tensor, specs, [dataset])
    ends = tf.cumsum(sizes)

    def batches(*group):
        together = Dataset.zip(group if type(rows.element_spec) is tuple else group[0])
        return Dataset.range(tf.size(sizes, tf.int64)).flat_map(_plain(
            lambda k: together.skip(ends[k] - sizes[k]).take(sizes[k]).batch(sizes[k], drop_remainder)))
    made = rows.window(ends[-1]).flat_map(_plain(batches))
    return _made('_RebatchDataset', made._variant_tensor, specs, [dataset])


# --- batches ---
def _taken_apart(spec: Any, value: Any) -> list[Any]:
    """Splits an element into dense tensors whose first dimensions may differ between elements."""
    if _is_sparse(spec):
        return [value.indices, value.values, value.dense_shape]
    if not _is_ragged(spec):
        raise _other(spec)
    if not isinstance(value, tf.RaggedTensor):  # of ragged rank 0
        return [value]
    return [value.flat_values, *[part[1:] - part[:-1] for part in value.nested_row_splits]]


def _joined(padded: tf.Tensor, counts: tf.Tensor) -> tf.Tensor:
    return tf.boolean_mask(padded, tf.sequence_mask(counts, tf.shape(padded)[1]))


def _put_together(spec: Any, parts: list[Any], counts: list[Any]) -> list[Any]:
    """Rebuilds the components of a batch from padded parts and their lengths before padding."""
    if _is_sparse(spec):
        indices, values, shapes = parts
        there = tf.where(tf.sequence_mask(counts[1], tf.shape(values, out_type=tf.int64)[1]))
        size = tf.shape(values, out_type=tf.int64)[:1]
        return [tf.concat([there[:, :1], tf.gather_nd(indices, there)], 1), tf.gather_nd(values, there),
                tf.concat([size, tf.reduce_max(shapes, 0)], 0)]
    splits = spec.row_splits_dtype

    def ends(lengths):
        return tf.concat([tf.zeros([1], splits), tf.cumsum(tf.cast(lengths, splits))], 0)
    outer = counts[1] if len(parts) > 1 else counts[0]
    return [_joined(parts[0], counts[0]), ends(outer),
            *[ends(_joined(part, count)) for part, count in zip(parts[1:], counts[1:])]]


def batch(dataset, elements, specs, size, drop_remainder, kind='_BatchDataset'):
    """Dataset.batch. `elements` are the specs as which elements are taken, `specs` those of the batches."""
    leaves = structure.flatten(elements)
    lengths = []

    def apart(*element):
        values = structure.flatten_up_to(elements, element if type(dataset.element_spec) is tuple else element[0])
        parts, counts = [], []
        lengths.clear()
        for spec, value in (pair for leaf, own in zip(leaves, values) for pair in _atom_values(leaf, own)):
            if _is_whole(spec):
                own = spec.to_tensors(value)
            elif isinstance(spec, structure.NoneTensorSpec):
                own = []
            else:
                own = _taken_apart(spec, value)
                counts.extend(tf.shape(part, out_type=tf.int64)[0] for part in own)
            lengths.append(len(own))
            parts.extend(own)
        return tuple(parts), tuple(counts)
    padded = dataset.map(_plain(apart))
    atoms = [atom for leaf in leaves for atom in _atoms(leaf)]
    plain_ones = [_is_whole(atom) for atom, count in zip(atoms, lengths) for _ in range(count)]
    shapes = tuple(part.shape if plain else [None, *part.shape[1:]]
                   for part, plain in zip(padded.element_spec[0], plain_ones))
    # Datasets among the parts are never padded, but the op takes a value to pad each component with.
    paddings = tuple(_op('OptionalNone', [], {})[0] if part.dtype == tf.variant else None
                     for part in padded.element_spec[0])
    padded = padded.padded_batch(_int64(size), (shapes, tuple([] for _ in padded.element_spec[1])),
                                 (paddings, tuple(None for _ in padded.element_spec[1])), drop_remainder)

    def together(pair):
        parts, counts = iter(pair[0]), iter(pair[1])
        made = []
        for spec, count in zip([atom for spec in structure.flatten(specs) for atom in _atoms(spec)], lengths):
            own = [next(parts) for _ in range(count)]
            if _is_whole(spec) or not own:
                made.extend(own)
            else:
                made.extend(_put_together(spec, own, [next(counts) for _ in own]))
        return made
    return _mapped(padded, together, specs, kind, [dataset])


def _as_ragged(spec: tf.TensorSpec, splits: tf.DType) -> Any:
    """The ragged type of dense elements whose shapes vary."""
    if not structure.is_plain(spec) or spec.shape.is_fully_defined():
        return spec
    if spec.shape.rank is None:
        raise ValueError(f'ragged_batch needs elements of known rank, not {spec}')
    last = max(axis for axis, size in enumerate(spec.shape.as_list()) if size is None)
    return tf.RaggedTensorSpec(spec.shape, spec.dtype, last, splits)


def _ragged_of(spec: Any, value: tf.Tensor) -> tf.RaggedTensor | tf.Tensor:
    if not _is_ragged(spec) or isinstance(value, tf.RaggedTensor) or spec.ragged_rank <= 0:
        return value
    return tf.RaggedTensor.from_tensor(value, ragged_rank=spec.ragged_rank, row_splits_dtype=spec.row_splits_dtype)


def ragged_batch(dataset, size, drop_remainder, splits):
    """Dataset.ragged_batch."""
    elements = structure.map_structure(lambda spec: _as_ragged(spec, splits), dataset.element_spec)
    if structure.all_plain(elements):
        return dataset.batch(size, drop_remainder)
    known = size if drop_remainder is True and isinstance(size, int) else None
    ragged = _mapped(dataset, lambda element: structure.to_tensors(elements, structure.pack(elements, iter(
        [_ragged_of(spec, value) for spec, value in zip(structure.flatten(elements),
                                                        structure.flatten_up_to(elements, element))]))),
                     elements, '_RaggedDataset', [dataset])
    return batch(ragged, elements, structure.batched(elements, known), size, drop_remainder, '_DenseToRaggedDataset')


def sparse_batch(dataset, size, row_shape):
    """Dataset.sparse_batch."""
    spec = dataset.element_spec
    if not structure.is_plain(spec):
        raise TypeError(f'sparse_batch takes elements of one dense tensor, not {spec}')
    wanted = tf.TensorShape(row_shape)
    rows = tf.constant([-1 if d is None else d for d in wanted.as_list()], tf.int64)

    def parts(value):
        if value.shape.rank is not None and value.shape.rank != wanted.rank:  # an error of the elements, if there are any
            with tf.control_dependencies([tf.debugging.Assert(False, [
                    f'sparse_batch: elements of the shape {value.shape} are incompatible with the row shape {wanted}'])]):
                return tf.zeros([0, wanted.rank], tf.int64), tf.zeros([0], value.dtype), tf.identity(rows)
        shape = tf.shape(value, out_type=tf.int64)
        fits = tf.reduce_all((rows < 0) | (shape <= rows))
        with tf.control_dependencies([tf.debugging.Assert(fits, ['Input element had a shape that is larger than the row '
                                                                 'shape', shape, rows])]):
            full = tf.where(rows < 0, shape, rows)
        return tf.where(tf.ones_like(value, tf.bool)), tf.reshape(value, [-1]), full
    element = tf.SparseTensorSpec(wanted, spec.dtype)
    sparse = _mapped(dataset, parts, element, '_SparseDataset', [dataset])
    return batch(sparse, element, tf.SparseTensorSpec(tf.TensorShape([None]).concatenate(wanted), spec.dtype), size,
                 False, '_DenseToSparseBatchDataset')
