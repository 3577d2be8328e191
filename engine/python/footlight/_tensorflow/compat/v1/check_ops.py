"""Assertions of tf.compat.v1, which take `data` and `summarize`, and other functions of it that have other parameters today."""
from __future__ import annotations

import functools
import operator
import sys

import footlight as tf
from footlight._public import alias, publish
from footlight._tensorflow.compat.v1 import variable_scope as _variable_scope
from footlight._typing import Any, Callable, DTypeLike, TensorLike

_v1 = tf.compat.v1


def _said(message: str, data: Any, summarize: Any) -> Any:
    """The words of an assertion, with the values that belong to it where these are known."""
    if not data:
        return message
    shown = [str(x.numpy()) if hasattr(x, 'numpy') and not tf.is_symbolic_tensor(x) else str(x) for x in data]
    return f"{message or ''} {' '.join(shown)}"


def _assertion(name: str, operands: int) -> Callable[..., Any]:
    today = getattr(tf.debugging, name)

    def check(*values, data=None, summarize=None, message=None, name=None):
        return today(*values, message=_said(message, data, summarize), **({} if summarize is None else {'summarize': summarize}),
                     name=name)

    def of_one(x, data=None, summarize=None, message=None, name=None):
        return check(x, data=data, summarize=summarize, message=message, name=name)

    def of_two(x, y, data=None, summarize=None, message=None, name=None):
        return check(x, y, data=data, summarize=summarize, message=message, name=name)
    function: Any = of_two if operands == 2 else of_one
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f'tf.debugging.{name} with the parameters of TensorFlow 1.'
    return function


for _name in 'equal greater greater_equal less less_equal none_equal'.split():
    setattr(_v1, 'assert_' + _name, _assertion('assert_' + _name, 2))
for _name in 'negative non_negative non_positive positive'.split():
    setattr(_v1, 'assert_' + _name, _assertion('assert_' + _name, 1))


def assert_near(x: Any, y: Any, rtol: Any = None, atol: Any = None, data: Any = None, summarize: Any = None,
                message: Any = None, name: str | None = None) -> Any:
    """Asserts that the values differ by at most atol + rtol |y|."""
    return tf.debugging.assert_near(x, y, rtol, atol, message=_said(message, data, summarize), name=name)


def assert_rank(x: Any, rank: Any, data: Any = None, summarize: Any = None, message: Any = None,
                name: str | None = None) -> Any:
    """Asserts that a tensor has `rank` dimensions."""
    return tf.debugging.assert_rank(x, rank, message=_said(message, data, summarize), name=name)


def assert_rank_at_least(x: Any, rank: Any, data: Any = None, summarize: Any = None, message: Any = None,
                         name: str | None = None) -> Any:
    """Asserts that a tensor has at least `rank` dimensions."""
    return tf.debugging.assert_rank_at_least(x, rank, message=_said(message, data, summarize), name=name)


def assert_rank_in(x: Any, ranks: Any, data: Any = None, summarize: Any = None, message: Any = None,
                   name: str | None = None) -> Any:
    """Asserts that the rank of a tensor is one of `ranks`."""
    return tf.debugging.assert_rank_in(x, ranks, message=_said(message, data, summarize), name=name)


def assert_type(tensor: TensorLike, tf_type: Any, message: str | None = None, name: str | None = None) -> Any:
    """Asserts that a tensor has this dtype."""
    tf.debugging.assert_type(tensor, tf_type, message, name)
    return tf.no_op()


def _comparison(function: Callable[..., Any], wrap: Callable[..., Any] = lambda value: value) -> Callable[..., Any]:
    def forward(self, other, turned=False):
        try:
            other = Dimension(other)
        except (TypeError, ValueError):
            return NotImplemented
        a, b = (other.value, self.value) if turned else (self.value, other.value)
        return wrap(None if a is None or b is None else function(a, b))
    return forward


def _arithmetic(function: Callable[..., Any]) -> tuple[Any, ...]:
    """The operator, and the one whose operands are turned."""
    forward = _comparison(function, lambda value: Dimension(value))
    return forward, lambda self, other: forward(self, other, True)


class Dimension:
    """A dimension of a shape: a number, or None where it is not known."""

    def __init__(self, value: int | None) -> None:
        if isinstance(value, Dimension):
            value = value.value
        elif value is not None:
            if isinstance(value, tf.DType) or not hasattr(value, '__index__'):
                raise TypeError(f'Dimension value must be integer or None or have an __index__ method, got value {value!r} with type '
                                f'{type(value)!r}')
            value = value.__index__()
            if value < 0:
                raise ValueError(f'Dimension {value} must be >= 0')
        self._value = value

    value = property(lambda self: self._value, doc='The number, or None.')

    def __repr__(self) -> str:
        return f'Dimension({self._value})'

    def __str__(self) -> str:
        return '?' if self._value is None else str(self._value)

    def __hash__(self) -> int:
        if self._value is None:
            raise ValueError("Cannot hash 'Dimension' of unknown size")
        return hash(self._value)

    def __int__(self):
        return self._value

    __index__ = __long__ = __int__

    def __bool__(self) -> bool:
        return bool(self._value)

    def is_compatible_with(self, other):
        """Whether both can be one number."""
        other = Dimension(other)
        return self._value is None or other.value is None or self._value == other.value

    def assert_is_compatible_with(self, other: Any) -> None:
        """Refuses what is not."""
        if not self.is_compatible_with(other):
            raise ValueError(f'Dimensions {self} and {other} are not compatible')

    def merge_with(self, other):
        """The number that both can be."""
        self.assert_is_compatible_with(other)
        return Dimension(Dimension(other).value if self._value is None else self._value)

    def __eq__(self, other):
        try:
            other = Dimension(other)
        except (TypeError, ValueError):
            return NotImplemented
        return None if self._value is None or other.value is None else self._value == other.value

    def __ne__(self, other):
        same = self.__eq__(other)
        return same if same is NotImplemented or same is None else not same

    __add__, __radd__ = _arithmetic(operator.add)
    __sub__, __rsub__ = _arithmetic(operator.sub)
    __mul__, __rmul__ = _arithmetic(operator.mul)
    __floordiv__, __rfloordiv__ = _arithmetic(operator.floordiv)
    __mod__, __rmod__ = _arithmetic(operator.mod)
    __lt__ = _comparison(operator.lt)
    __le__ = _comparison(operator.le)
    __gt__ = _comparison(operator.gt)
    __ge__ = _comparison(operator.ge)


def Print(input_: Any, data: Any, message: Any = None, first_n: Any = None, summarize: Any = None,
          name: str | None = None) -> Any:
    """The first argument; when it is computed, the values of `data` are printed to stderr."""
    count = [0]

    def show(*values):
        count[0] += 1
        if first_n is None or first_n < 0 or count[0] <= first_n:
            limit = 3 if summarize is None else summarize
            shown = []
            for value in values:
                flat = value.reshape(-1)
                some = flat if limit < 0 else flat[:limit]
                text = ' '.join(repr(x) if isinstance(x, bytes) else str(x) for x in some.tolist())
                shown.append(f"[{text}{'...' if len(some) < len(flat) else ''}]")
            print((message or '') + ''.join(shown), file=sys.stderr, flush=True)
        return 0
    input_ = tf.convert_to_tensor(input_)
    printed = tf.numpy_function(show, [tf.convert_to_tensor(x) for x in data], tf.int64, name=name or 'Print')
    with tf.control_dependencies([printed]):
        return tf.identity(input_)


def norm(tensor: TensorLike, ord: str = 'euclidean', axis: Any = None, keepdims: bool | None = None,
         name: str | None = None, keep_dims: bool | None = None) -> Any:
    """The norm of a vector or a matrix."""
    return tf.norm(tensor, ord, axis, bool(keepdims if keep_dims is None else keep_dims), name)


def clip_by_average_norm(t: Any, clip_norm: Any, name: str | None = None) -> Any:
    """The tensor, made smaller where the mean of its norm is above `clip_norm`."""
    t = tf.convert_to_tensor(t)
    count = tf.cast(tf.size(t), tf.float32)
    size = tf.math.rsqrt(tf.reduce_sum(t * t, list(range(t.shape.rank))))
    return tf.identity(t * clip_norm * tf.minimum(size * count, tf.constant(1.0) / clip_norm), name=name)


def space_to_batch(input: TensorLike, paddings: Any, block_size: Any = None, name: str | None = None,
                   block_shape: Any = None) -> Any:
    """Blocks of space put into the batch."""
    block = block_shape if block_shape is not None else [block_size, block_size]
    return tf.space_to_batch(input, block, paddings, name)


def batch_gather(params: TensorLike, indices: TensorLike, name: str | None = None) -> Any:
    """Rows by their numbers, for each item of the batch."""
    indices = tf.convert_to_tensor(indices)
    if indices.shape.rank is None:
        raise ValueError('batch_gather does not allow indices with unknown shape.')
    return tf.gather(params, indices, batch_dims=indices.shape.rank - 1, axis=indices.shape.rank - 1, name=name)


def sparse_concat(axis: Any, sp_inputs: Any, name: str | None = None, expand_nonconcat_dim: bool = False,
                  concat_dim: Any = None, expand_nonconcat_dims: Any = None) -> Any:
    """Sparse tensors one after the other."""
    wide = expand_nonconcat_dim if expand_nonconcat_dims is None else expand_nonconcat_dims
    return tf.sparse.concat(axis if concat_dim is None else concat_dim, sp_inputs, wide, name)


def sparse_to_dense(sparse_indices: Any, output_shape: Any, sparse_values: Any, default_value: Any = 0,
                    validate_indices: bool = True, name: str | None = None) -> Any:
    """A tensor with these values at these places."""
    indices = tf.cast(tf.convert_to_tensor(sparse_indices), tf.int64)
    if indices.shape.rank == 0:
        indices = tf.reshape(indices, [1, 1])
    elif indices.shape.rank == 1:
        indices = indices[:, tf.newaxis]
    values = tf.convert_to_tensor(sparse_values)
    if values.shape.rank == 0:
        values = tf.fill(tf.shape(indices)[:1], values)
    sparse = tf.SparseTensor(indices, values, tf.cast(output_shape, tf.int64))
    return tf.sparse.to_dense(sparse, default_value, validate_indices, name)


def string_to_hash_bucket(string_tensor: Any = None, num_buckets: Any = None, name: str | None = None,
                          input: TensorLike | None = None) -> Any:
    """Numbers of texts, below a limit."""
    return tf.strings.to_hash_bucket(string_tensor if input is None else input, num_buckets, name)


def to_complex64(x: TensorLike, name: str | None = 'ToComplex64') -> Any:
    """The tensor as complex64."""
    return tf.cast(x, tf.complex64, name)


def to_complex128(x: TensorLike, name: str | None = 'ToComplex128') -> Any:
    """The tensor as complex128."""
    return tf.cast(x, tf.complex128, name)


def py_func(func: Callable[..., Any], inp: Any, Tout: Any, stateful: bool = True, name: str | None = None) -> Any:
    """Calls a Python function of arrays when the graph runs."""
    return tf.numpy_function(func, inp, Tout, stateful, name)


def map_fn(fn: Callable[..., Any], elems: Any, dtype: DTypeLike | None = None, parallel_iterations: Any = None,
           back_prop: bool = True, swap_memory: bool = False, infer_shape: bool = True, name: str | None = None,
           fn_output_signature: Any = None) -> Any:
    """Applies a function to each element."""
    return tf.map_fn(fn, elems, dtype, parallel_iterations, back_prop, swap_memory, infer_shape, name, fn_output_signature)


def foldl(fn: Callable[..., Any], elems: Any, initializer: Any = None, parallel_iterations: int = 10,
          back_prop: bool = True, swap_memory: bool = False, name: str | None = None) -> Any:
    """Folds a function over the elements, from the first to the last."""
    return tf.foldl(fn, elems, initializer, parallel_iterations, back_prop, swap_memory, name)


def foldr(fn: Callable[..., Any], elems: Any, initializer: Any = None, parallel_iterations: int = 10,
          back_prop: bool = True, swap_memory: bool = False, name: str | None = None) -> Any:
    """Folds a function over the elements, from the last to the first."""
    return tf.foldr(fn, elems, initializer, parallel_iterations, back_prop, swap_memory, name)


def scan(fn: Callable[..., Any], elems: Any, initializer: Any = None, parallel_iterations: int = 10,
         back_prop: bool = True, swap_memory: bool = False, infer_shape: bool = True, reverse: bool = False,
         name: str | None = None) -> Any:
    """The values that a function makes one after the other."""
    return tf.scan(fn, elems, initializer, parallel_iterations, back_prop, swap_memory, infer_shape, reverse, name)


def extract_image_patches(images: TensorLike, ksizes: Any = None, strides: Any = None, rates: Any = None,
                          padding: Any = None, name: str | None = None, sizes: Any = None) -> Any:
    """Windows of images as channels."""
    return tf.image.extract_patches(images, ksizes if sizes is None else sizes, strides, rates, padding, name)


def make_template(name_: Any, func_: Callable[..., Any], create_scope_now_: bool = False, unique_name_: Any = None,
                  custom_getter_: Any = None, **kwargs: Any) -> Any:
    """A function whose variables are made at its first call, and used again by later ones."""
    if name_ is None:
        raise ValueError('name cannot be None.')
    return _Template(name_, functools.partial(func_, **kwargs) if kwargs else func_, create_scope_now_, unique_name_, custom_getter_)


class _Template:
    def __init__(self, name, function, now, unique, getter):
        self._function, self._getter, self._made = function, getter, False
        self._wanted, self._unique, self._scope = name, unique, None
        self._store = {} if tf.executing_eagerly() else None
        self.__name__ = name
        if now:
            self._open()

    def _open(self) -> None:
        scope = (_v1.variable_scope(self._unique, custom_getter=self._getter) if self._unique
                 else _v1.variable_scope(None, default_name=self._wanted, custom_getter=self._getter))
        with scope as opened:
            self._scope = opened

    def __call__(self, *args, **kwargs):
        if self._scope is None:
            self._open()
        reuse = _v1.AUTO_REUSE if self._store is not None else True if self._made else None
        before = len(self.trainable_variables)
        with _variable_scope.sharing(self._store), _v1.variable_scope(self._scope, reuse=reuse, custom_getter=None):
            result = self._function(*args, **kwargs)
        if self._made and len(self.trainable_variables) != before:
            raise ValueError('Trainable variable created when calling a template after the first time, perhaps you used '
                             f'tf.Variable when you meant tf.get_variable: {[v.name for v in self.trainable_variables[before:]]}')
        self._made = True
        return result

    name = property(lambda self: self._scope.name if self._scope else self._wanted)
    variable_scope = property(lambda self: self._scope)
    var_scope = variable_scope
    variable_scope_name = property(lambda self: self._scope.name.rstrip('/') if self._scope else None)

    def _kept(self, collection):
        if self._store is not None:
            return [v for v in self._store.values() if v.trainable or collection != 'trainable_variables']
        return _v1.get_collection(collection, self._scope.name + '/') if self._scope else []

    variables = global_variables = property(lambda self: self._kept('variables'))
    trainable_variables = property(lambda self: self._kept('trainable_variables'))
    local_variables = property(lambda self: [] if self._store is not None else self._kept('local_variables'))
    weights, trainable_weights = variables, trainable_variables

    @property
    def non_trainable_variables(self) -> list[Any]:
        """The variables that are not trained."""
        trained = {id(v) for v in self.trainable_variables}
        return [v for v in self.variables if id(v) not in trained]

    non_trainable_weights = non_trainable_variables


def no_regularizer(_: Any) -> None:
    """No loss: takes the place of a regularizer that a scope has."""


def _partitioner(name: str) -> Callable[..., Any]:
    def function(*args, **kwargs):
        def divide(shape, dtype=None, **others):
            return [1] * tf.TensorShape(shape).rank
        return divide
    function.__name__ = function.__qualname__ = name
    function.__doc__ = 'A partitioner that leaves variables whole: on one machine they are not divided.'
    return function


def variable_op_scope(values, name_or_scope, default_name=None, **how):
    """variable_scope with its parameters in another order."""
    return _v1.variable_scope(name_or_scope, default_name, values, **how)


def op_scope(values, name, default_name=None):
    """name_scope with its parameters in another order."""
    return _v1.name_scope(name, default_name, values)


def is_variable_initialized(variable):
    """Whether a variable has a value."""
    return tf.raw_ops.VarIsInitializedOp(resource=variable.handle)


def report_uninitialized_variables(var_list=None, name='report_uninitialized_variables'):
    """The names of variables without a value."""
    if var_list is None:
        var_list = [] if tf.executing_eagerly() else _v1.global_variables() + _v1.local_variables()
    if not var_list:
        return tf.constant([], tf.string, shape=[0], name=name)
    with tf.name_scope(name):
        names = tf.constant([v._shared_name for v in var_list])
        return tf.boolean_mask(names, tf.logical_not(tf.stack([is_variable_initialized(v) for v in var_list])))


all_variables = _v1.global_variables
initialize_variables = _v1.variables_initializer
initialize_all_variables = _v1.global_variables_initializer
initialize_local_variables = _v1.local_variables_initializer
initialize_all_tables = _v1.tables_initializer
for _name in ('fixed_size_partitioner', 'min_max_variable_partitioner', 'variable_axis_size_partitioner'):
    setattr(_v1, _name, _partitioner(_name))
publish('tf.compat.v1', assert_near, assert_rank, assert_rank_at_least, assert_rank_in, assert_type, Dimension, Print,
        norm, clip_by_average_norm, space_to_batch, batch_gather, sparse_concat, sparse_to_dense, string_to_hash_bucket,
        to_complex64, to_complex128, py_func, map_fn, foldl, foldr, scan, extract_image_patches, make_template,
        no_regularizer, variable_op_scope, op_scope, is_variable_initialized, report_uninitialized_variables)
alias('tf.compat.v1', all_variables=all_variables, initialize_variables=initialize_variables,
      initialize_all_variables=initialize_all_variables, initialize_local_variables=initialize_local_variables,
      initialize_all_tables=initialize_all_tables)
