"""tf.RaggedTensor: rows of different lengths, kept as all their values and where each row begins."""
from __future__ import annotations

import footlight as tf
from footlight._public import alias, publish
from footlight._ragged import partition_checks
from footlight._ragged.nested import Nested
from footlight._ragged.operators import Operators
from footlight._sparse.tensor import Composite
from footlight._types.specs import TypeSpec
from footlight._typing import Any, DTypeLike, ShapeLike, TensorLike


class RaggedTensor(Operators, Nested, Composite):
    """Row i is `values[row_splits[i]:row_splits[i + 1]]`; the values may be a ragged tensor again."""

    def __init__(self, values: Any, row_splits: Any, uniform_row_length: int | None = None) -> None:
        self._values, self._row_splits, self._uniform = values, row_splits, uniform_row_length

    # --- made of ---
    @classmethod
    def from_row_splits(cls, values: Any, row_splits: Any, name: str | None = None, validate: bool = True) -> Any:
        """Makes a ragged tensor from row splits: the start of each row, then the number of values."""
        values = _values_of(values)
        splits = tf.convert_to_tensor(row_splits, name='row_splits')
        if splits.dtype not in (tf.int32, tf.int64):
            if splits.dtype == tf.float32 and splits.shape[0] == 0 and not tf.is_tensor(row_splits):
                splits = tf.zeros([0], tf.int64)  # an empty list
            else:
                raise ValueError(f'row_splits must be integers of 32 or 64 bits, not {splits.dtype.name}')
        if splits.dtype == tf.int32 and not tf.is_tensor(row_splits):
            splits = tf.cast(splits, tf.int64)
        if splits.shape.rank not in (None, 1):
            raise ValueError(f'row_splits must be a vector, not of shape {splits.shape}')
        if validate:
            splits = partition_checks.splits('from_row_splits', splits, _count(values))
        return cls(values, splits)

    @classmethod
    def from_row_lengths(cls, values: TensorLike, row_lengths: TensorLike, name: str | None = None,
                         validate: bool = True) -> tf.RaggedTensor:
        """Makes a ragged tensor from the length of each row."""
        lengths = tf.convert_to_tensor(row_lengths, tf.int64 if not tf.is_tensor(row_lengths) else None)
        splits = tf.concat([tf.zeros([1], lengths.dtype), tf.cumsum(lengths)], 0)
        return cls.from_row_splits(values, splits, name, validate)

    @classmethod
    def from_row_starts(cls, values: Any, row_starts: Any, name: str | None = None, validate: bool = True) -> Any:
        """Makes a ragged tensor from the start of each row."""
        values = _values_of(values)
        starts = tf.convert_to_tensor(row_starts, tf.int64 if not tf.is_tensor(row_starts) else None)
        return cls.from_row_splits(values, tf.concat([starts, [tf.cast(_count(values), starts.dtype)]], 0), name, validate)

    @classmethod
    def from_value_rowids(cls, values: Any, value_rowids: Any, nrows: Any = None, name: str | None = None,
                          validate: bool = True) -> tf.RaggedTensor:
        """Makes a ragged tensor from the row of each value, in order."""
        values = _values_of(values)
        rows = tf.convert_to_tensor(value_rowids, tf.int64 if not tf.is_tensor(value_rowids) else None)
        if validate:
            rows = partition_checks.rowids('from_value_rowids', rows, _count(values), nrows)
        if nrows is None:
            nrows = tf.reduce_max(tf.concat([rows, tf.constant([-1], rows.dtype)], 0)) + 1
        lengths = tf.math.bincount(tf.cast(rows, tf.int32), minlength=tf.cast(nrows, tf.int32), dtype=tf.int32)
        return cls.from_row_lengths(values, tf.cast(lengths, rows.dtype), name, validate=False)

    @classmethod
    def from_uniform_row_length(cls, values, uniform_row_length, nrows=None, name=None, validate=True):
        """Makes a ragged tensor whose rows all have one length."""
        values = _values_of(values)
        dtype = values.row_splits.dtype if isinstance(values, RaggedTensor) else tf.int64
        size, known = tf.cast(uniform_row_length, dtype), tf.get_static_value(uniform_row_length) if tf.is_tensor(
            uniform_row_length) else uniform_row_length
        known = None if known is None else int(known)
        if known is not None and known < 0:
            raise ValueError('`uniform_row_length` must be greater than or equal to 0.')
        if validate:
            partition_checks.uniform(_count(values), known, nrows)
        if nrows is None:
            if known == 0:
                nrows = 0
            rows = tf.cast(_count(values), dtype) // tf.maximum(size, 1) if nrows is None else tf.zeros([], dtype)
        else:
            rows = tf.cast(nrows, dtype)
        made = cls.from_row_splits(values, tf.range(rows + 1) * size, name, validate)
        made._uniform = known
        return made

    @classmethod
    def from_tensor(cls, tensor, lengths=None, padding=None, ragged_rank=1, name=None, row_splits_dtype=tf.int64):
        """Makes a ragged tensor from a dense one, cutting rows at given lengths or before trailing padding."""
        tensor = tf.convert_to_tensor(tensor)
        if ragged_rank < 1:
            raise ValueError(f'Argument `ragged_rank` must be greater than 0. Received {ragged_rank}.')
        if tensor.shape.rank is not None and tensor.shape.rank <= ragged_rank:
            raise ValueError(f'ragged_rank must be less than the rank of the tensor: {ragged_rank} is not less than '
                             f'{tensor.shape.rank}')
        if padding is not None:
            padding = tf.convert_to_tensor(padding, tensor.dtype)
            if padding.shape.rank is not None and tensor.shape.rank is not None and not padding.shape.is_compatible_with(
                    tensor.shape[ragged_rank + 1:]):
                raise ValueError(f'Shapes {padding.shape} and {tensor.shape[ragged_rank + 1:]} are incompatible')
        if lengths is not None and padding is not None:
            raise ValueError('Specify argument `lengths` or `padding`, but not both.')
        if isinstance(lengths, (list, tuple)) and lengths and isinstance(lengths[0], (list, tuple, tf.Tensor)) and (
                not tf.is_tensor(lengths[0]) or lengths[0].shape.rank):
            if ragged_rank not in (1, len(lengths)):
                raise ValueError('If Argument `lengths` is a tuple of row_lengths, argument `ragged_rank` must be '
                                 f'len(lengths): {len(lengths)}. Received ragged_rank: {ragged_rank}')
            for axis in range(len(lengths) - 1):
                shape = tf.shape(tensor)
                kept = tf.sequence_mask(tf.convert_to_tensor(lengths[axis]), shape[1])
                outer = [cls.from_row_lengths(tf.boolean_mask(tensor, kept), tf.cast(lengths[axis], row_splits_dtype))]
                return outer[0].with_values(cls.from_tensor(outer[0].values, lengths[axis + 1:] if len(lengths) > 2 else lengths[1],
                                                            row_splits_dtype=row_splits_dtype))
            lengths = lengths[0]
        if ragged_rank > 1:
            shape = tf.shape(tensor)
            inner = cls.from_tensor(tf.reshape(tensor, tf.concat([[shape[0] * shape[1]], shape[2:]], 0)), lengths, padding,
                                    ragged_rank - 1, row_splits_dtype=row_splits_dtype)
            made = cls.from_uniform_row_length(inner, tf.shape(tensor)[1], nrows=shape[0], validate=False)
            made._uniform = tensor.shape[1]
            return made
        width = tf.shape(tensor)[1]
        if padding is not None:
            same = tf.equal(tensor, tf.cast(padding, tensor.dtype))
            kept = tf.logical_not(tf.reduce_all(same, list(range(2, tensor.shape.rank))))
            lengths = tf.reduce_max(tf.where(kept, tf.range(1, width + 1), 0), 1) if tensor.shape[1] != 0 else (
                tf.zeros(tf.shape(tensor)[:1], tf.int32))
        if lengths is None:
            lengths = tf.fill([tf.shape(tensor)[0]], width)
            sizes = tf.shape(tensor)
            whole = cls.from_row_lengths(tf.reshape(tensor, tf.concat([[sizes[0] * sizes[1]], sizes[2:]], 0)),
                                         tf.cast(lengths, row_splits_dtype), validate=False)
            whole._uniform = tensor.shape[1]
            return whole
        lengths = tf.clip_by_value(tf.cast(lengths, row_splits_dtype), 0, tf.cast(width, row_splits_dtype))
        lengths.shape.assert_is_compatible_with(tensor.shape[:1])
        there = tf.sequence_mask(lengths, width)
        return cls.from_row_lengths(tf.boolean_mask(tensor, there), lengths, validate=False)

    # --- parts ---
    values = property(lambda self: self._values, doc='The values of all rows.')
    row_splits = property(lambda self: self._row_splits, doc='Where rows begin.')
    dtype = property(lambda self: self._values.dtype)
    ragged_rank = property(lambda self: 1 + getattr(self._values, 'ragged_rank', 0))

    @property
    def flat_values(self) -> Any:
        """The innermost values."""
        return self._values.flat_values if isinstance(self._values, RaggedTensor) else self._values

    @property
    def nested_row_splits(self) -> tuple[Any, ...]:
        """Where rows begin, for each ragged dimension."""
        return (self._row_splits, *getattr(self._values, 'nested_row_splits', ()))

    def get_shape(self):
        """The known part: None for the ragged dimensions."""
        rows = self._row_splits.shape[0]
        rows = None if rows is None else rows - 1
        inner = self._values.shape
        return tf.TensorShape(None) if inner.rank is None else tf.TensorShape([rows, self._uniform]).concatenate(inner[1:])

    shape = property(get_shape)

    @property
    def uniform_row_length(self) -> tf.Tensor | None:
        """The length that all rows have; None where they may differ."""
        return None if self._uniform is None else tf.constant(self._uniform, self._row_splits.dtype)

    def nrows(self, out_type: DTypeLike | None = None, name: str | None = None) -> tf.Tensor:
        """The number of rows."""
        return tf.cast(tf.shape(self._row_splits)[0] - 1, out_type or self._row_splits.dtype)

    @staticmethod
    def _len_builtin(ragged):  # converted code calls this for len()
        known = ragged.shape[0]
        return tf.cast(ragged.nrows(), tf.int32) if known is None else known

    def row_lengths(self, axis: Any = 1, name: str | None = None) -> Any:
        """How many values each row has."""
        from footlight._ragged import dispatch as _dispatch
        axis = _dispatch.axis_of(axis, self.shape.rank)
        if axis == 0:
            return self.nrows()
        if axis == 1:
            return self._row_splits[1:] - self._row_splits[:-1]
        if isinstance(self._values, RaggedTensor):
            return self.with_values(self._values.row_lengths(axis - 1))
        shape = tf.shape(self._values, out_type=self._row_splits.dtype)  # all rows below are of one length
        return self.with_values(tf.fill(shape[:axis - 1], shape[axis - 1]))

    def row_starts(self, name: str | None = None) -> tf.Tensor:
        """Where rows begin."""
        return self._row_splits[:-1]

    def row_limits(self, name: str | None = None) -> tf.Tensor:
        """Where rows end."""
        return self._row_splits[1:]

    def value_rowids(self, name: str | None = None) -> tf.Tensor:
        """The row of each value."""
        return tf.repeat(tf.range(self.nrows()), self.row_lengths())

    def with_row_splits_dtype(self, dtype):
        """The same with row splits of another dtype."""
        dtype = tf.as_dtype(dtype)
        if dtype not in (tf.int32, tf.int64):
            raise ValueError(f'Argument `row_splits` dtype must be int32 or int64. Received {dtype}.')
        if all(splits.dtype == dtype for splits in self.nested_row_splits):
            return self
        inner = self._values.with_row_splits_dtype(dtype) if isinstance(self._values, RaggedTensor) else self._values
        return RaggedTensor(inner, tf.cast(self._row_splits, dtype), self._uniform)

    def bounding_shape(self, axis: Any = None, name: str | None = None, out_type: DTypeLike | None = None) -> tf.Tensor:
        """The shape of the smallest tensor that holds all rows."""
        out_type = tf.as_dtype(out_type or self._row_splits.dtype)
        longest = tf.reduce_max(tf.concat([self.row_lengths(), tf.zeros([1], self._row_splits.dtype)], 0))
        inner = self._values.bounding_shape(out_type=out_type) if isinstance(self._values, RaggedTensor) else tf.shape(
            self._values, out_type=out_type)
        shape = tf.concat([[self.nrows(out_type)], [tf.cast(longest, out_type)], inner[1:]], 0)
        return shape if axis is None else tf.gather(shape, axis)

    def with_values(self, new_values):
        """The same rows with other values."""
        if not isinstance(new_values, RaggedTensor):
            new_values = tf.convert_to_tensor(new_values)
        if new_values.shape.rank == 0:
            raise ValueError(f'Shape {new_values.shape} must have rank at least 1')
        count, known = self._values.shape[0] if self._values.shape.rank else None, new_values.shape[0] if new_values.shape.rank \
            else None
        if count is not None and known is not None and count != known:
            raise ValueError(f'Shapes ({count},) and ({known},) are incompatible')
        return RaggedTensor(new_values, self._row_splits, self._uniform)

    def with_flat_values(self, new_values: Any) -> tf.RaggedTensor:
        """The same rows with other innermost values."""
        inner = self._values
        return self.with_values(inner.with_flat_values(new_values) if isinstance(inner, RaggedTensor) else new_values)

    # --- as something else ---
    def to_tensor(self, default_value: Any = None, name: str | None = None,
                  shape: ShapeLike | None = None) -> tf.Tensor:
        """A whole tensor, filled up with `default_value`, which is broadcast to the shape of one innermost value.

        shape: how long dimensions are to be: cut or filled up where rows begin and end; None or -1 for as they are.
        """
        if default_value is None:
            default_value = '' if self.dtype == tf.string else False if self.dtype == tf.bool else 0
        flat = self.flat_values
        default = tf.convert_to_tensor(default_value, self.dtype)
        if default.shape.rank is not None and flat.shape.rank is not None and default.shape.rank >= flat.shape.rank:
            raise tf.errors.InvalidArgumentError(
                None, None, f'RaggedTensor.to_tensor: default_value of shape {default.shape} must have fewer dimensions than '
                            f'flat_values, whose shape is {flat.shape}')
        full = self._filled(default)
        if shape is None:
            return full
        for axis, length in enumerate(_lengths_wanted(shape, full, self.ragged_rank + 1)):
            if length is not None:
                full = _cut_or_filled(full, axis, length, default)
        return full

    def _filled(self, default: tf.Tensor) -> tf.Tensor:
        values = self._values
        if isinstance(values, RaggedTensor):
            values = values._filled(default)
        rows = self.value_rowids()
        places = tf.stack([rows, tf.range(tf.cast(_count(values), rows.dtype)) - tf.gather(self.row_starts(), rows)], 1)
        inner = tf.shape(values, out_type=rows.dtype)[1:]
        size = tf.concat([self.bounding_shape(out_type=rows.dtype)[:2], inner], 0)
        full = tf.tensor_scatter_nd_update(tf.fill(size, default) if default.shape.rank == 0 else
                                           tf.broadcast_to(default, size), places, values)
        full.set_shape(tf.TensorShape([self.shape[0] if self.shape.rank else None, self._uniform]).concatenate(values.shape[1:]))
        return full

    def to_sparse(self, name: str | None = None) -> tf.SparseTensor:
        """A sparse tensor."""
        from footlight._ragged import dispatch as _dispatch
        every = self.with_flat_values(tf.ones(tf.shape(self.flat_values), tf.bool))
        return tf.SparseTensor(_dispatch.coordinates(every), tf.reshape(self.flat_values, [-1]),
                               self.bounding_shape(out_type=tf.int64))

    def to_list(self) -> list[Any]:
        """Nested Python lists."""
        splits, values = self._row_splits.numpy(), self._values
        values = values.to_list() if isinstance(values, RaggedTensor) else values.numpy().tolist()
        return [values[a:b] for a, b in zip(splits, splits[1:])]

    def numpy(self) -> Any:
        """An array: of arrays where rows differ in length."""
        import numpy
        splits, values = self._row_splits.numpy(), self._values.numpy()
        rows = [values[a:b] for a, b in zip(splits, splits[1:])]
        if len({len(row) for row in rows}) <= 1:
            return numpy.array(rows)
        all_rows = numpy.empty(len(rows), object)
        all_rows[:] = rows
        return all_rows

    def __iter__(self) -> Any:
        rows = self.shape[0]
        if rows is None:
            raise TypeError('the number of rows of a RaggedTensor is not known yet; use tf.map_fn')
        return iter([self[i] for i in range(rows)])

    def _row_count(self) -> Any:
        """The number of rows as an int32, for loops in a graph."""
        rows = self.shape[0] if self.shape.rank else None
        return tf.cast(self.nrows(), tf.int32) if rows is None else tf.constant(rows, tf.int32)

    def __getitem__(self, key: Any) -> tf.RaggedTensor | tf.Tensor:
        from footlight._ragged import members as _ragged_members
        return _ragged_members.item(self, key if isinstance(key, tuple) else (key,))

    @property
    def _type_spec(self) -> RaggedTensorSpec:
        return RaggedTensorSpec(self.shape, self.dtype, self.ragged_rank, self._row_splits.dtype,
                                self.flat_values.shape if self.shape.rank is None else None)

    def __repr__(self) -> str:
        if any(tf.is_symbolic_tensor(t) for t in (self.flat_values, *self.nested_row_splits)):
            return f'tf.RaggedTensor(values={self._values!s}, row_splits={self._row_splits!s})'
        return f'<tf.RaggedTensor {self.to_list()}>'


def _plain(value):
    """A RaggedTensorValue as a tensor, all else as it is."""
    return value._as_tensor() if hasattr(type(value), '_as_tensor') else value


def _values_of(values):
    """Converts the values of rows to a tensor, ragged or not."""
    values = _plain(values)
    return values if isinstance(values, RaggedTensor) else tf.convert_to_tensor(values, name='values')


def _count(values: tf.RaggedTensor | tf.Tensor) -> tf.Tensor:
    return values.nrows() if isinstance(values, RaggedTensor) else tf.shape(values, out_type=tf.int64)[0]


def _lengths_wanted(shape: Any, full: tf.Tensor, cut: int) -> list[Any]:
    """The sizes that to_tensor(shape=) asks for, for `cut` dimensions: None for unchanged, an int, or a tensor."""
    rank = full.shape.rank
    if isinstance(shape, tf.TensorShape):
        if shape.rank is None:
            return []
        shape = shape.as_list()
    elif tf.is_tensor(shape) or isinstance(shape, (tf.Variable, int)):
        shape = tf.convert_to_tensor(shape)
        if shape.shape.rank is not None and shape.shape.rank > 1:
            raise tf.errors.InvalidArgumentError(None, None, 'RaggedTensor.to_tensor: shape must be a vector, its own '
                                                 f'shape is {shape.shape}')
        known = tf.get_static_value(shape)
        if shape.shape.rank == 0:
            if known is None or known >= 0:
                raise tf.errors.InvalidArgumentError(None, None, 'RaggedTensor.to_tensor: a scalar shape must be -1')
            return []
        if known is not None:
            shape = known.tolist()
        elif shape.shape.rank is None or shape.shape[0] is None:
            shape = [tf.ensure_shape(shape, [rank])[i] for i in range(cut if rank is None else rank)]
        else:
            shape = tf.unstack(shape)
    known = [tf.get_static_value(d) if tf.is_tensor(d) else None for d in shape]
    shape = [d if value is None else int(value) for d, value in zip(shape, known)]
    if len(shape) < cut if rank is None else len(shape) != rank:
        raise tf.errors.InvalidArgumentError(None, None, f'RaggedTensor.to_tensor: shape has {len(shape)} dimensions where '
                                             f'the ragged tensor has {f"{cut} or more" if rank is None else rank}')
    if not all(d is None or tf.is_tensor(d) or hasattr(d, '__index__') for d in shape):
        raise TypeError('RaggedTensor.to_tensor: a dimension of shape must be an integer, a scalar tensor or None: '
                        f'{shape}')
    shape = [d if d is None or tf.is_tensor(d) else None if d.__index__() < 0 else d.__index__() for d in shape]
    whole = [None if tf.is_tensor(d) else d for d in shape[cut:]]
    if rank is not None and not full.shape[cut:].is_compatible_with(tf.TensorShape(whole)):
        raise tf.errors.InvalidArgumentError(None, None, f'RaggedTensor.to_tensor: shape {shape} is not compatible with the '
                                             f'innermost values, which are of shape {full.shape[cut:]}')
    return shape[:cut]


def _cut_or_filled(full, axis, length, default):
    now = tf.shape(full)[axis]
    if tf.is_tensor(length):  # a negative size leaves the dimension unchanged
        known, length = None, tf.where(length < 0, now, tf.cast(length, now.dtype))
    else:
        known = length
    if known is None or full.shape.rank is None or full.shape[axis] != known:
        size = full.shape
        full = tf.gather(full, tf.range(tf.minimum(now, length)), axis=axis)
        around = tf.shape(full)
        around = tf.concat([around[:axis], [tf.maximum(length - now, 0)], around[axis + 1:]], 0)
        full = tf.concat([full, tf.broadcast_to(default, around)], axis)
        if size.rank is not None:
            full.set_shape([known if a == axis else d for a, d in enumerate(size)])
    return full


def gather(ragged, rows):
    """Some rows of a ragged tensor, in the given order."""
    lengths = tf.gather(ragged.row_lengths(), rows)
    starts = tf.gather(ragged.row_starts(), rows)
    ends = tf.cumsum(lengths)
    offsets = tf.range(tf.reduce_sum(lengths)) - tf.repeat(ends - lengths, lengths)
    places = tf.repeat(starts, lengths) + offsets
    inner = ragged.values
    values = gather(inner, places) if isinstance(inner, RaggedTensor) else tf.gather(inner, places)
    return RaggedTensor.from_row_lengths(values, lengths, validate=False)


class RaggedTensorSpec(TypeSpec):
    """The type of a ragged tensor."""

    value_type = property(lambda self: RaggedTensor)

    def __init__(self, shape: Any = None, dtype: Any = tf.float32, ragged_rank: int | None = None,
                 row_splits_dtype: Any = tf.int64, flat_values_spec: Any = None) -> None:
        self._shape, self._dtype = tf.TensorShape(shape), tf.as_dtype(dtype)
        if ragged_rank is None:
            if self._shape.rank is None:
                raise ValueError('Must specify ragged_rank or a shape with a known rank.')
            ragged_rank = self._shape.rank - 1
        self._ragged_rank, self._row_splits_dtype = ragged_rank, tf.as_dtype(row_splits_dtype)
        self._flat_values_spec = flat_values_spec

    shape = property(lambda self: self._shape)
    dtype = property(lambda self: self._dtype)
    ragged_rank = property(lambda self: self._ragged_rank)
    row_splits_dtype = property(lambda self: self._row_splits_dtype)
    flat_values_spec = property(lambda self: self._flat_values_spec)

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype, self._ragged_rank, self._row_splits_dtype

    @property
    def _component_specs(self) -> list[Any]:
        inner = None if self._shape.rank is None else self._shape[self._ragged_rank + 1:]
        flat = tf.TensorShape(None) if inner is None else tf.TensorShape([None]).concatenate(inner)
        if self._ragged_rank <= 0:  # -1 stands for rows of scalars
            return [tf.TensorSpec(self._shape, self._dtype)]
        rows = None if self._shape.rank is None else self._shape[0]
        splits = [tf.TensorSpec([None if rows is None else rows + 1], self._row_splits_dtype)]
        splits += [tf.TensorSpec([None], self._row_splits_dtype)] * (self._ragged_rank - 1)
        return [tf.TensorSpec(flat, self._dtype), *splits]

    def _to_components(self, value: tf.RaggedTensor | tf.Tensor) -> list[Any]:
        if not isinstance(value, RaggedTensor):  # of ragged rank 0
            return [value]
        return [value.flat_values, *value.nested_row_splits]

    def _batch(self, size: int | None) -> RaggedTensorSpec:
        return RaggedTensorSpec(tf.TensorShape([size]).concatenate(self._shape), self._dtype, self._ragged_rank + 1,
                                self._row_splits_dtype)

    def _unbatch(self) -> RaggedTensorSpec:
        return RaggedTensorSpec(self._shape[1:], self._dtype, max(-1, self._ragged_rank - 1), self._row_splits_dtype)

    def _from_components(self, components: list[Any]) -> tf.RaggedTensor | tf.Tensor:
        values, *splits = components
        for axis, part in reversed(list(enumerate(splits, 1))):
            values = RaggedTensor(values, part, None if self._shape.rank is None else self._shape[axis])
        return values

    def __repr__(self) -> str:
        return f'RaggedTensorSpec({self._shape!r}, {self._dtype!r}, {self._ragged_rank}, {self._row_splits_dtype!r})'


# --- tf.ragged ---
def map_flat_values(op, *args, **kwargs):
    """op(...) on the innermost values of the ragged tensors among the arguments, in their rows."""
    ragged = []

    def inner(value):
        if isinstance(value, (list, tuple)):
            return [inner(v) for v in value]
        if isinstance(value, dict):
            return {k: inner(v) for k, v in value.items()}
        value = _plain(value)
        if not isinstance(value, RaggedTensor):
            return value
        ragged.append(value)
        return value.flat_values
    args, kwargs = [inner(a) for a in args], {k: inner(v) for k, v in kwargs.items()}
    if not ragged:
        return op(*args, **kwargs)
    first = partition_checks.of_same_rows(ragged)
    found = op(*args, **kwargs)
    wanted, size = first.flat_values.shape, getattr(found, 'shape', None)
    if size is not None and size.rank is not None and wanted.rank is not None and not wanted[:1].is_compatible_with(size[:1]):
        raise ValueError('tf.ragged.map_flat_values requires that the output of `op` have the same outer-dimension size as '
                         f'flat_values of any ragged inputs. (output shape: {size}; expected outer dimension size: {wanted[0]})')
    return first.with_flat_values(found)


def ragged_range(starts: Any, limits: Any = None, deltas: Any = 1, dtype: DTypeLike | None = None,
                 name: str | None = None, row_splits_dtype: DTypeLike = tf.int64) -> Any:
    """A row of numbers for each start and limit."""
    if limits is None:
        starts, limits = 0, starts
    given = [tf.convert_to_tensor(t, dtype) for t in (starts, limits, deltas)]
    if dtype is None:  # the first that holds all of them
        order = (tf.int32, tf.int64, tf.float32, tf.float64)
        if not all(t.dtype in order for t in given):
            raise ValueError(f'tf.ragged.range needs numbers of {", ".join(d.name for d in order)}, got '
                             f'{", ".join(t.dtype.name for t in given)}')
        dtype = max((t.dtype for t in given), key=order.index)
        given = [tf.cast(t, dtype) for t in given]
    starts, limits, deltas = given
    check = tf.debugging.Assert(tf.reduce_all(tf.not_equal(deltas, 0)), ['Requires delta != 0'])
    with tf.control_dependencies([check] if check is not None else []):
        starts, limits, deltas = (tf.reshape(t + tf.zeros_like(starts + limits + deltas), [-1]) for t in given)
    if starts.dtype.is_floating:
        lengths = tf.math.ceil(tf.cast(limits - starts, tf.float64) / tf.cast(deltas, tf.float64))
    else:
        first, last, step = (tf.cast(t, tf.int64) for t in (starts, limits, deltas))
        lengths = (last - first - tf.sign(step)) // step + 1
    lengths = tf.cast(tf.maximum(lengths, 0), row_splits_dtype)
    shape = RaggedTensor.from_row_lengths(tf.range(tf.reduce_sum(lengths)), lengths, validate=False)
    rows = shape.value_rowids()
    steps = tf.cast(shape.values - tf.gather(shape.row_starts(), rows), starts.dtype)
    return shape.with_values(tf.gather(starts, rows) + steps * tf.gather(deltas, rows))


def stack(values: Any, axis: Any = 0, name: str | None = None) -> tf.RaggedTensor:
    """Tensors joined along a new dimension, as a ragged tensor."""
    from footlight._ragged import dispatch as _dispatch
    return _dispatch.stack(None, [_plain(v) for v in values] if isinstance(values, (list, tuple)) else values, axis)


class RowPartition:
    """How values are divided into rows."""

    def __init__(self, row_splits: Any) -> None:
        self._row_splits = row_splits

    @classmethod
    def from_value_rowids(cls, value_rowids: Any, nrows: Any = None, validate: bool = True,
                          dtype: DTypeLike | None = None, dtype_hint: Any = None) -> Any:
        """Makes a partition from the row of each value, in order."""
        rows = tf.convert_to_tensor(value_rowids, dtype)
        return cls(RaggedTensor.from_value_rowids(rows, rows, nrows, validate=validate).row_splits)

    @classmethod
    def from_row_splits(cls, row_splits: Any, validate: bool = True, dtype: DTypeLike | None = None,
                        dtype_hint: Any = None) -> Any:
        """Makes a partition from row splits."""
        return cls(tf.convert_to_tensor(row_splits, dtype))

    def row_splits(self) -> Any:
        """Where rows begin."""
        return self._row_splits

    def row_lengths(self) -> Any:
        """How many values each row has."""
        return self._row_splits[1:] - self._row_splits[:-1]

    def row_starts(self) -> Any:
        """Where rows begin."""
        return self._row_splits[:-1]

    def nrows(self) -> Any:
        """The number of rows."""
        return tf.shape(self._row_splits, out_type=self._row_splits.dtype)[0] - 1


# By these names libraries recognise the classes without importing anything.
RaggedTensor.__module__ = 'tensorflow.python.ops.ragged.ragged_tensor'
alias('tf', RaggedTensor)
publish('tf', RaggedTensorSpec)
publish('tf.experimental', RowPartition)
publish('tf.ragged', map_flat_values, stack, range=ragged_range)
from footlight._ragged import (  # noqa: E402,F401  (they add to the class and to tf.ragged)
    constants as _ragged_constants, boolean_mask as _boolean_mask, members as _ragged_members,
    dispatch as _dispatch)
