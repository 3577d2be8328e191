"""tf.map_fn, tf.scan, tf.foldl, tf.foldr: functions over the rows of tensors, as loops over TensorArrays."""
from __future__ import annotations

import collections
import types

import footlight as tf
from footlight import _engine
from footlight._public import alias, publish
from footlight._sparse.tensor import Composite
from footlight._typing import Any, Callable


def _staged(fn: Callable[..., Any], always: bool = False) -> Any:
    """Converts fn with AutoGraph, so that its conditions and loops may depend on tensors."""
    if not callable(fn):
        raise TypeError(f'The provided function {fn!r} is not callable.')
    if tf.executing_eagerly() and not always:
        return fn
    plain = isinstance(fn, (types.FunctionType, types.MethodType))
    return tf.autograph.to_graph(fn) if plain and not _engine.autograph_reason(fn) else fn


class _SparseRows:
    """The rows of a sparse tensor, each a sparse tensor."""

    def __init__(self, tensor: Any) -> None:
        self._all = tensor

    def read(self, i):
        """Row i."""
        whole = self._all
        at = tf.equal(whole.indices[:, 0], tf.cast(i, tf.int64))
        row = tf.SparseTensor(tf.boolean_mask(whole.indices[:, 1:], at), tf.boolean_mask(whole.values, at),
                              whole.dense_shape[1:])
        row.set_shape(whole.shape[1:])
        return row


def _row_count(value):
    return tf.cast(value.nrows(), tf.int32) if isinstance(value, tf.RaggedTensor) else tf.shape(value)[0]


class _RaggedRows:
    """The rows of a ragged tensor, read as those of an array."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def read(self, i: tf.Tensor) -> tf.RaggedTensor | tf.Tensor:
        return self._value[i]


class _Rows:
    """The rows of one or more tensors in a structure."""

    def __init__(self, elems, public):
        flat = [e if isinstance(e, Composite) else tf.convert_to_tensor(e, name='elem') for e in tf.nest.flatten(elems)]
        if not flat:
            raise ValueError(f'elems must be a Tensor or (possibly nested) sequence of Tensors. Got {elems!r}, which '
                             'does not contain any Tensors.')
        count = None
        for tensor in flat:
            if tensor.shape.rank == 0:
                raise ValueError('Elements in elems must be 1+ dimensional Tensors, not scalars')
            size = tensor.shape[0] if tensor.shape.rank else None
            if None not in (size, count) and size != count:
                raise ValueError(f'{public}: dimensions {count} and {size} are not compatible: all elems need as many '
                                 'rows')
            count = size if count is None else count
        self._structure, self.known = elems, count
        self.dtypes = [t.dtype for t in flat]
        self.specs = [tf.RaggedTensorSpec(t.shape[1:], t.dtype, t.ragged_rank - 1, t.row_splits.dtype)
                      if isinstance(t, tf.RaggedTensor) else tf.SparseTensorSpec(t.shape[1:], t.dtype)
                      if isinstance(t, tf.SparseTensor) else t.dtype for t in flat]
        self.count = _row_count(flat[0]) if count is None else count
        self._arrays = [self._read_by_row(t) for t in flat]

    def _read_by_row(self, value):
        if isinstance(value, tf.SparseTensor):
            return _SparseRows(value)
        if isinstance(value, Composite):
            return _RaggedRows(value)
        return tf.TensorArray(value.dtype, size=self.count, dynamic_size=False, infer_shape=True,
                              clear_after_read=False).unstack(value)

    def __getitem__(self, i: int | tf.Tensor) -> Any:
        return tf.nest.pack_sequence_as(self._structure, [a.read(i) for a in self._arrays])

    def first(self, initializer: tuple[Any, ...] | None, reverse: bool = False) -> tuple[Any, ...]:
        """The value before the first step, and the row of that step."""
        if initializer is not None:
            start = tf.nest.map_structure(tf.convert_to_tensor, initializer)
            return start, (self.count - 1 if reverse else 0)
        at = self.count - 1 if reverse else 0
        return self[at], (at - 1 if reverse else 1)


def _loops(parallel_iterations: int | None, swap_memory: bool, back_prop: bool) -> dict[Any, Any]:
    return {'parallel_iterations': parallel_iterations or 10, 'swap_memory': swap_memory, 'back_prop': back_prop}


def _spec(given):
    if isinstance(given, tf.TensorSpec) or (isinstance(given, tf.TypeSpec) and issubclass(given.value_type, Composite) and
                                            hasattr(given, 'ragged_rank')) or isinstance(given, tf.SparseTensorSpec):
        return given
    if isinstance(given, tf.TypeSpec):
        raise TypeError('the results of a function over rows are tensors: a TensorSpec or a dtype is wanted, not '
                        f'{given!s}')
    return tf.TensorSpec(None, tf.as_dtype(given))


def _map_parts(fn: Callable[..., Any], elems: Any, signature: tf.DType | None) -> Any:
    """map_fn for elements that contain values of extension types: it maps over their component tensors."""
    def parts_of(row):
        return tuple(tf.nest.flatten(fn(tf.nest.pack_sequence_as(elems, row, expand_composites=True)),
                                     expand_composites=True))
    parts = tuple(tf.nest.flatten(elems, expand_composites=True))
    if signature is None:
        return tf.nest.pack_sequence_as(elems, map_fn(parts_of, parts), expand_composites=True)
    wanted = [one if isinstance(one, (tf.TensorSpec, tf.TypeSpec)) else tf.TensorSpec(None, one)
              for one in tf.nest.flatten(signature)]
    specs = tuple(spec for one in wanted for spec in one.flatten())
    made = iter(map_fn(parts_of, parts, fn_output_signature=specs))
    return tf.nest.pack_sequence_as(signature, [one.from_tensors(made) for one in wanted])


def map_fn(fn: Callable[..., Any], elems: Any, dtype: Any = None, parallel_iterations: Any = None,
           back_prop: bool = True, swap_memory: bool = False, infer_shape: bool = True, name: str | None = None,
           fn_output_signature: Any = None) -> Any:
    """fn applied to each row of `elems`, the results stacked.

      >>> print(tf.map_fn(lambda row: tf.reduce_max(row), tf.constant([[1, 5], [7, 2]])))
      tf.Tensor([5 7], shape=(2,), dtype=int32)
      >>> print(tf.map_fn(lambda x: x / 2, tf.constant([1, 2]), fn_output_signature=tf.float64))
      tf.Tensor([0.5 1. ], shape=(2,), dtype=float64)

    Args:
      fn: a function of a row.
      elems: a tensor, or nested tuples, lists and dicts of tensors that have as many rows; ragged ones too.
      dtype: the old name of fn_output_signature.
      parallel_iterations: as in tf.while_loop.
      back_prop: False leaves out the gradient.
      swap_memory: has no effect.
      infer_shape: False allows results of different shapes.
      name: a str, the name of the operation in a graph.
      fn_output_signature: the structure of what fn returns, with a dtype or a TensorSpec for each tensor; without it
        fn returns what it gets.
    """
    fn = _staged(fn)
    wanted = dtype if fn_output_signature is None else fn_output_signature
    with tf.name_scope(name or 'map'):
        if any(hasattr(value, '_is_extension_value') for value in tf.nest.flatten(elems)):
            return _map_parts(fn, elems, dtype if fn_output_signature is None else fn_output_signature)
        rows = _Rows(elems, 'tf.map_fn')
        if wanted is None:
            wanted = tf.nest.pack_sequence_as(elems, rows.specs)
        from footlight._control import map_results as _map_results
        parts = [_map_results.collected(_spec(s), rows.count, infer_shape) for s in tf.nest.flatten(wanted)]
        arrays = [p.arrays for p in parts]

        def step(i, arrays):
            found = fn(rows[i])
            tf.nest.assert_same_structure(wanted if wanted is not None else elems, found)
            return i + 1, [p.write(a, i, value) for p, a, value in zip(parts, arrays, tf.nest.flatten(found))]

        _, arrays = tf.while_loop(lambda i, _: i < rows.count, step, (tf.constant(0), arrays),
                                  maximum_iterations=rows.count, **_loops(parallel_iterations, swap_memory, back_prop))
        return tf.nest.pack_sequence_as(wanted, [p.result(a) for p, a in zip(parts, arrays)])


def _folded(public: str, fn: Callable[..., Any], elems: Any, initializer: Any, parallel_iterations: int,
            swap_memory: bool, back_prop: bool, name: Any, reverse: bool) -> tf.Tensor:
    fn = _staged(fn)
    with tf.name_scope(name or public):
        rows = _Rows(elems, 'tf.' + public)
        value, i = rows.first(initializer, reverse)
        if reverse:
            go_on, following = (lambda i, _: i >= 0), -1
        else:
            go_on, following = (lambda i, _: i < rows.count), 1

        def step(i, value):
            return i + following, fn(value, rows[i])
        return tf.while_loop(go_on, step, (tf.convert_to_tensor(i), value), maximum_iterations=rows.count,
                             **_loops(parallel_iterations, swap_memory, back_prop))[1]


def foldl(fn: Callable[..., Any], elems: Any, initializer: Any = None, parallel_iterations: Any = 10,
          back_prop: bool = True, swap_memory: bool = False, name: str | None = None) -> tf.Tensor:
    """fn(...fn(fn(initializer, row 0), row 1)..., last row); the first row is the initializer if there is none."""
    return _folded('foldl', fn, elems, initializer, parallel_iterations, swap_memory, back_prop, name, False)


def foldr(fn: Any, elems: Any, initializer: Any = None, parallel_iterations: Any = 10, back_prop: bool = True,
          swap_memory: bool = False, name: str | None = None) -> Any:
    """Like foldl(), from the last row to the first."""
    return _folded('foldr', fn, elems, initializer, parallel_iterations, swap_memory, back_prop, name, True)


def scan(fn: Callable[..., Any], elems: Any, initializer: Any = None, parallel_iterations: int = 10,
         back_prop: bool = True, swap_memory: bool = False, infer_shape: bool = True, reverse: bool = False,
         name: str | None = None) -> Any:
    """The accumulated values of foldl after each row, stacked; with `reverse` from the last row to the first."""
    fn = _staged(fn)
    with tf.name_scope(name or 'scan'):
        rows = _Rows(elems, 'tf.scan')
        value, i = rows.first(initializer, reverse)
        flat = [tf.convert_to_tensor(v) for v in tf.nest.flatten(value)]
        arrays = [tf.TensorArray(v.dtype, size=rows.count, dynamic_size=False, infer_shape=infer_shape,
                                 element_shape=v.shape) for v in flat]
        if initializer is None:
            at = rows.count - 1 if reverse else 0
            arrays = [a.write(at, v) for a, v in zip(arrays, flat)]
        if reverse:
            go_on, following = (lambda i, *_: i >= 0), -1
        else:
            go_on, following = (lambda i, *_: i < rows.count), 1

        def step(i, value, arrays):
            value = fn(value, rows[i])
            tf.nest.assert_same_structure(elems if initializer is None else initializer, value)
            return i + following, value, [a.write(i, v) for a, v in zip(arrays, tf.nest.flatten(value))]

        _, _, arrays = tf.while_loop(go_on, step, (tf.convert_to_tensor(i), value, arrays),
                                     maximum_iterations=rows.count, **_loops(parallel_iterations, swap_memory, back_prop))
        return tf.nest.pack_sequence_as(value, [a.stack() for a in arrays])


def _vectorized(fn, elems, loops, warn):
    """Like tf._vectorized, but fn may return sparse tensors, whose stacked parts become one of higher rank."""
    sparse = []  # for each result whether it is one

    def in_parts(given):
        results = fn(given)
        sparse[:] = [isinstance(r, tf.SparseTensor) for r in tf.nest.flatten(results)]
        return tf.nest.map_structure(lambda r: SparseParts(r.indices, r.values, r.dense_shape)
                                     if isinstance(r, tf.SparseTensor) else r, results) if any(sparse) else results
    found = tf._vectorized(in_parts, elems, loops, warn)
    return _joined(found) if any(sparse) else found


SparseParts = collections.namedtuple('SparseParts', 'indices values dense_shape')


def _joined(found):
    """A structure with one sparse tensor in place of the stacked parts of many."""
    if isinstance(found, SparseParts):
        indices, values, shape = found
        count, each = tf.unstack(tf.shape(values, tf.int64))
        numbers = tf.repeat(tf.range(count), each)[:, tf.newaxis]
        flat = tf.reshape(indices, tf.stack([count * each, tf.shape(shape, tf.int64)[1]]))
        return tf.SparseTensor(tf.concat([numbers, flat], 1), tf.reshape(values, [-1]),
                               tf.concat([[count], tf.reduce_max(shape, 0)], 0))
    if isinstance(found, dict):
        return type(found)((key, _joined(value)) for key, value in found.items())
    if isinstance(found, tuple) and hasattr(found, '_fields'):
        return type(found)(*map(_joined, found))
    return type(found)(map(_joined, found)) if isinstance(found, (list, tuple)) else found


def vectorized_map(fn: Callable[..., Any], elems: Any, fallback_to_while_loop: bool = True, warn: bool = True) -> Any:
    """fn applied to each row of `elems`, all rows at once: each op of fn runs once, on the whole.

    Ops that have no such form run in a loop, and a warning says so; without `fallback_to_while_loop` they are an error.
    """
    staged = _staged(fn, always=True)
    loops, warn = bool(fallback_to_while_loop), bool(warn)
    if not tf.executing_eagerly():
        return _vectorized(staged, elems, loops, warn)

    def on_all_rows(*given: Any) -> Any:
        return _vectorized(staged, tf.nest.pack_sequence_as(elems, given), loops, warn)
    name = getattr(fn, '__qualname__', type(fn).__qualname__)
    on_all_rows.__name__ = on_all_rows.__qualname__ = f'vectorized_map_{name}'
    setattr(on_all_rows, '_footlight_runs', fn)  # recordings show this function's line
    return tf.function(on_all_rows, autograph=False)(*[tf.convert_to_tensor(e) for e in tf.nest.flatten(elems)])


publish('tf', map_fn, foldl, foldr, scan, vectorized_map)
alias('tf.compat.v1', map_fn, foldl, foldr, scan)
