"""tf.linalg.LinearOperator and the operators that hold one matrix: products and solutions without writing it out where
its kind allows."""
from __future__ import annotations

import functools

import footlight as tf
from footlight import _engine
from footlight._linalg import operator_dispatch
from footlight._sparse.tensor import Dispatched
from footlight._typing import Any, DTypeLike, TensorLike

_home = _engine.namespace('linalg')
_inside = _engine.namespace('python.ops.linalg.linear_operator')
_FLAGS = ('is_non_singular', 'is_self_adjoint', 'is_positive_definite', 'is_square')


class OperatorSpec(tf.TypeSpec):
    """The spec of an operator: those of the tensors and operators that it is made from, and what else it is made with."""

    def __init__(self, param_specs: Any, non_tensor_params: Any) -> None:
        self._param_specs, self._non_tensor_params = param_specs, non_tensor_params

    _component_specs = property(lambda self: self._param_specs)

    @classmethod
    def from_operator(cls, operator):
        """The spec of an operator of this kind."""
        specs, others = {}, {}
        for name, value in operator._parameters.items():
            if value is not None and name != 'name':
                spec = _spec_of_parameter(value)
                (others if spec is None else specs)[name] = value if spec is None else spec
        return cls(specs, others)

    def _to_components(self, value: Any) -> dict[Any, Any]:
        return {name: value._parameters[name] for name in self._param_specs}

    def _from_components(self, components):
        return self.value_type(**components, **self._non_tensor_params)

    def _serialize(self) -> tuple[Any, ...]:
        return self._param_specs, self._non_tensor_params

    def __reduce__(self) -> tuple[Any, ...]:
        return _spec_again, (self.value_type, self._param_specs, self._non_tensor_params)


def _spec_of_parameter(value):
    if isinstance(value, (list, tuple)) and value:
        specs = [_spec_of_parameter(one) for one in value]
        return None if None in specs else type(value)(specs)
    if isinstance(value, (tf.Tensor, tf.Variable)) or hasattr(value, '_type_spec'):
        return tf.type_spec_from_value(value)
    return None


def _spec_again(kind, *parts):
    return kind._spec_type(*parts)


def make_composite_tensor(cls: Any, module_name: str = 'tf.linalg') -> type[Any]:
    """A decorator: operators of this class are composed of the tensors that they are made from."""
    name = cls.__name__ + 'Spec'
    cls._spec_type = type(name, (OperatorSpec,), {'value_type': cls, '__module__': cls.__module__})
    cls._type_spec = property(cls._spec_type.from_operator)
    return cls


def public(cls: Any) -> type[Any]:
    """Gives an operator its public place."""
    cls.__module__ = 'footlight.linalg'
    setattr(_home, cls.__name__, cls)
    return cls if cls.__name__ == 'LinearOperator' else make_composite_tensor(cls)


def given(value: Any, name: str, rank: Any, dtype: DTypeLike | None = None, floats: bool = True) -> Any:
    """An argument as a tensor, or the variable that it is, of at least that rank."""
    made = value if isinstance(value, tf.Variable) else tf.convert_to_tensor(value, dtype)
    if floats and not (made.dtype.is_floating or made.dtype.is_complex):
        raise TypeError(f'Argument `{name}` must have a floating-point or complex dtype. Received: {made.dtype}')
    if made.shape.rank is not None and made.shape.rank < rank:
        raise ValueError(f"Argument `{name}` must have at least {rank} dimension{'s' * (rank > 1)}. Received: "
                         f'{value!s}')
    return made


def adjoint_of(x):
    return tf.linalg.adjoint(x)


def one_batch(*matrices):
    """The matrices with their batches broadcast to one."""
    if len({str(m.shape[:-2]) for m in matrices}) == 1 and matrices[0].shape.is_fully_defined():
        return matrices
    batch = functools.reduce(tf.broadcast_dynamic_shape, [tf.shape(m)[:-2] for m in matrices])
    return [tf.broadcast_to(m, tf.concat([batch, tf.shape(m)[-2:]], 0)) for m in matrices]


def solved(matrix, rhs, adjoint=False):
    return tf.linalg.solve(*one_batch(matrix, rhs), adjoint=adjoint)


@public
class LinearOperator(tf.Module, Dispatched):
    """A matrix, or a batch of them, that is multiplied with, solved for and asked of without being written out. A
    subclass has `_shape`, `_shape_tensor` and `_matmul`, and whatever else it does better than by its dense form."""

    def _answer_to(self, function, args, kwargs):
        """Dispatches a function of the library to the operator."""
        return operator_dispatch.answer(LinearOperator, function, args, kwargs)

    def __init__(self, dtype: Any, graph_parents: Any = None, is_non_singular: Any = None,
                 is_self_adjoint: bool | None = None, is_positive_definite: bool | None = None,
                 is_square: bool | None = None, name: str | None = None, parameters: Any = None) -> None:
        for flag, value in zip(_FLAGS, (is_non_singular, is_self_adjoint, is_positive_definite, is_square)):
            if value is not None and not isinstance(value, bool):
                raise TypeError(f'{flag} must be True, False or None, not {value!r}')
        if is_positive_definite:
            if is_non_singular is False:
                raise ValueError('A positive definite matrix is always non-singular.')
            is_non_singular = True
        for value, why in ((is_non_singular, 'A non-singular matrix is always square.'),
                           (is_self_adjoint, 'A self-adjoint matrix is always square.')):
            if value:
                if is_square is False:
                    raise ValueError(why)
                is_square = True
        super().__init__(name=name or type(self).__name__)
        self._dtype = tf.as_dtype(dtype)
        self._flags = dict(zip(_FLAGS, (is_non_singular, is_self_adjoint, is_positive_definite)))
        self._is_square_said, self._parameters, self.graph_parents = is_square, dict(parameters or {}), list(graph_parents or [])

    dtype = property(lambda self: self._dtype)
    parameters = property(lambda self: dict(self._parameters))
    shape = property(lambda self: self._shape())
    batch_shape = property(lambda self: self.shape[:-2])
    tensor_rank = property(lambda self: self.shape.rank)
    domain_dimension = property(lambda self: self.shape[-1] if self.shape.rank is not None else None)
    range_dimension = property(lambda self: self.shape[-2] if self.shape.rank is not None else None)
    is_non_singular = property(lambda self: self._flags['is_non_singular'])
    is_self_adjoint = property(lambda self: self._flags['is_self_adjoint'])
    is_positive_definite = property(lambda self: self._flags['is_positive_definite'])

    @property
    def is_square(self) -> Any:
        if self.shape.rank is not None and None not in (self.domain_dimension, self.range_dimension):
            known = self.domain_dimension == self.range_dimension
            if self._is_square_said is not None and self._is_square_said != known:
                raise ValueError(f'is_square={self._is_square_said}, but the shape is {self.shape}')
            return known
        return self._is_square_said

    H = property(lambda self: self.adjoint())

    def shape_tensor(self, name: str | None = 'shape_tensor') -> Any:
        shape = self.shape
        return tf.constant(shape.as_list(), tf.int32) if shape.is_fully_defined() else self._shape_tensor()

    def batch_shape_tensor(self, name: str | None = 'batch_shape_tensor') -> Any:
        return self.shape_tensor()[:-2]

    def tensor_rank_tensor(self, name: str | None = 'tensor_rank_tensor') -> Any:
        return tf.size(self.shape_tensor())

    def domain_dimension_tensor(self, name: str | None = 'domain_dimension_tensor') -> Any:
        return self.shape_tensor()[-1]

    def range_dimension_tensor(self, name: str | None = 'range_dimension_tensor') -> Any:
        return self.shape_tensor()[-2]

    def _taken(self, x: tf.Tensor, size: int, adjoint: bool) -> tf.Tensor:
        """An argument of matmul() or solve() as a tensor, of which `size` is the number of rows."""
        x = tf.convert_to_tensor(x, None if tf.is_tensor(x) or isinstance(x, tf.Variable) else self.dtype)
        if x.dtype != self.dtype:
            raise TypeError(f'Expected argument to have dtype {self.dtype}. Found: {x.dtype} in tensor {x!s}')
        if x.shape.rank is not None:
            if x.shape.rank < 2:
                raise ValueError(f'a matrix is wanted, of at least 2 dimensions; its shape is {x.shape}')
            rows = x.shape[-1 if adjoint else -2]
            if None not in (rows, size) and rows != size:
                raise ValueError(f'Dimensions {size} and {rows} are not compatible')
        return adjoint_of(x) if adjoint else x

    def matmul(self, x, adjoint=False, adjoint_arg=False, name='matmul'):
        """The product with a matrix, or the operator that is the product with another one."""
        if isinstance(x, LinearOperator):
            from footlight._linalg import composed_operators as _linear_operator_parts
            return _linear_operator_parts.product(self.adjoint() if adjoint else self, x.adjoint() if adjoint_arg else x)
        size = self.range_dimension if adjoint else self.domain_dimension
        return self._matmul(self._taken(x, size, adjoint_arg), adjoint=adjoint)

    def __matmul__(self, other):
        return self.matmul(other)

    def matvec(self, x: TensorLike, adjoint: bool = False, name: str | None = 'matvec') -> tf.Tensor:
        x = tf.convert_to_tensor(x, None if tf.is_tensor(x) or isinstance(x, tf.Variable) else self.dtype)
        return tf.squeeze(self.matmul(x[..., tf.newaxis], adjoint=adjoint), -1)

    def _want(self, what: Any) -> None:
        if self.is_square is False:
            raise NotImplementedError(f'{what} not implemented for an operator that is expected to not be square.')

    def solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str | None = 'solve') -> Any:
        """The x whose product is rhs."""
        self._want('Exact solve')
        if self.is_non_singular is False:
            raise NotImplementedError('Exact solve not implemented for an operator that is expected to be singular.')
        if isinstance(rhs, LinearOperator):
            return (self.adjoint() if adjoint else self).inverse().matmul(rhs, adjoint_arg=adjoint_arg)
        return self._solve(self._taken(rhs, self.range_dimension, adjoint_arg), adjoint=adjoint)

    def solvevec(self, rhs: Any, adjoint: bool = False, name: str | None = 'solve') -> Any:
        rhs = tf.convert_to_tensor(rhs, None if tf.is_tensor(rhs) or isinstance(rhs, tf.Variable) else self.dtype)
        return tf.squeeze(self.solve(rhs[..., tf.newaxis], adjoint=adjoint), -1)

    def to_dense(self, name: str | None = 'to_dense') -> Any:
        return self._to_dense()

    def add_to_tensor(self, x: Any, name: str | None = 'add_to_tensor') -> Any:
        return self._add_to_tensor(tf.convert_to_tensor(x, self.dtype))

    def determinant(self, name: str | None = 'det') -> Any:
        self._want('Determinant')
        return self._determinant()

    def log_abs_determinant(self, name: str | None = 'log_abs_det') -> Any:
        self._want('Determinant')
        return self._log_abs_determinant()

    def diag_part(self, name: str | None = 'diag_part') -> Any:
        return self._diag_part()

    def trace(self, name: str | None = 'trace') -> Any:
        return self._trace()

    def eigvals(self, name: str | None = 'eigvals') -> Any:
        if not self.is_self_adjoint:
            raise NotImplementedError('Only self-adjoint matrices are supported.')
        return self._eigvals()

    def cond(self, name: str | None = 'cond') -> Any:
        """The largest singular value over the smallest."""
        return self._cond()

    def inverse(self, name: str | None = 'inverse') -> Any:
        if self.is_square is False:
            raise ValueError('Cannot take the Inverse: This operator represents a non square matrix.')
        if self.is_non_singular is False:
            raise ValueError('Cannot take the Inverse: This operator represents a singular matrix.')
        return self._inverse()

    def adjoint(self, name: str | None = 'adjoint') -> Any:
        return self if self.is_self_adjoint else self._adjoint()

    def cholesky(self, name: str | None = 'cholesky') -> Any:
        if not (self.is_positive_definite and self.is_self_adjoint):
            raise ValueError('Cannot take the Cholesky decomposition: Not a positive definite self adjoint matrix.')
        return self._cholesky()

    def assert_non_singular(self, name: str | None = 'assert_non_singular') -> Any:
        return self._assert_non_singular()

    def assert_self_adjoint(self, name: str | None = 'assert_self_adjoint') -> Any:
        dense = self.to_dense()
        return tf.debugging.assert_equal(dense, adjoint_of(dense), message='Matrix was not equal to its adjoint.')

    def assert_positive_definite(self, name: str | None = 'assert_positive_definite') -> Any:
        return tf.debugging.check_numerics(tf.math.real(tf.linalg.cholesky(self.to_dense())), 'not positive definite')

    # By the dense form or by matmul; operators that know better replace them.
    def _shape_tensor(self) -> Any:
        return tf.shape(self.to_dense())

    def _to_dense(self) -> Any:
        size = self.domain_dimension if self.domain_dimension is not None else self.domain_dimension_tensor()
        batch = self.batch_shape if self.batch_shape.is_fully_defined() else self.batch_shape_tensor()
        return self.matmul(tf.eye(size, batch_shape=batch, dtype=self.dtype))

    def _solve(self, rhs: Any, adjoint: bool = False) -> Any:
        if self.is_self_adjoint and self.is_positive_definite:
            return tf.linalg.cholesky_solve(*one_batch(tf.linalg.cholesky(self.to_dense()), rhs))
        return solved(self.to_dense(), rhs, adjoint)

    def _add_to_tensor(self, x):
        return self.to_dense() + x

    def _determinant(self) -> Any:
        return tf.linalg.det(self.to_dense())

    def _log_abs_determinant(self) -> Any:
        return tf.linalg.slogdet(self.to_dense())[1]

    def _diag_part(self) -> Any:
        return tf.linalg.diag_part(self.to_dense())

    def _trace(self) -> Any:
        return tf.reduce_sum(self.diag_part(), -1)

    def _eigvals(self) -> Any:
        return tf.linalg.eigvalsh(self.to_dense())

    def _cond(self) -> Any:
        values = tf.abs(self._eigvals()) if self.is_self_adjoint else tf.linalg.svd(self.to_dense(), compute_uv=False)
        return tf.reduce_max(values, -1) / tf.reduce_min(values, -1)

    def _inverse(self) -> Any:
        return _home.LinearOperatorInversion(self)

    def _adjoint(self) -> Any:
        return _home.LinearOperatorAdjoint(self)

    def _cholesky(self) -> Any:
        return _home.LinearOperatorLowerTriangular(tf.linalg.cholesky(self.to_dense()), is_non_singular=True)

    def _assert_non_singular(self) -> Any:
        limit = 1 / tf.constant(self.dtype.real_dtype.as_numpy_dtype(2e-7 if self.dtype.size < 8 else 2e-16), self.dtype.real_dtype)
        return tf.debugging.assert_less(self.cond(), limit, message='Singular matrix up to precision epsilon.')

    def _said(self) -> Any:
        """The flags, for an operator that has the same ones."""
        return dict(self._flags, is_square=self.is_square)


class Held(LinearOperator):
    """An operator with one tensor from which its shape follows."""
    _rank = 1

    def __init__(self, what: str, value: Any, flags: Any, name: str, dtype: Any = None, floats: bool = True) -> None:
        value = given(value, what, self._rank, floats=floats)
        super().__init__(dtype or value.dtype, parameters={what: value, **flags}, name=name, **flags)
        self._value, self._what = value, what

    def _shape(self) -> tf.TensorShape:
        shape = self._value.shape
        return shape if self._rank == 2 or shape.rank is None else shape.concatenate(shape[-1:])

    def _shape_tensor(self) -> Any:
        shape = tf.shape(self._value)
        return shape if self._rank == 2 else tf.concat([shape, shape[-1:]], 0)


def _flags(is_non_singular, is_self_adjoint, is_positive_definite, is_square):
    return dict(zip(_FLAGS, (is_non_singular, is_self_adjoint, is_positive_definite, is_square)))


@public
class LinearOperatorFullMatrix(Held):
    """A matrix as it is."""
    _rank = 2

    def __init__(self, matrix: Any, is_non_singular: Any = None, is_self_adjoint: Any = None,
                 is_positive_definite: Any = None, is_square: Any = None,
                 name: Any = 'LinearOperatorFullMatrix') -> None:
        super().__init__('matrix', matrix, _flags(is_non_singular, is_self_adjoint, is_positive_definite, is_square), name)

    matrix = property(lambda self: self._value)

    def _matmul(self, x: tf.Tensor, adjoint: bool = False) -> tf.Tensor:
        return tf.matmul(self._value, x, adjoint_a=adjoint)

    def _to_dense(self) -> Any:
        return tf.convert_to_tensor(self._value)


@public
class LinearOperatorLowerTriangular(Held):
    """The lower triangle of a matrix."""
    _rank = 2

    def __init__(self, tril: Any, is_non_singular: Any = None, is_self_adjoint: Any = None,
                 is_positive_definite: Any = None, is_square: Any = None,
                 name: Any = 'LinearOperatorLowerTriangular') -> None:
        if is_square is False:
            raise ValueError('Only square lower triangular operators supported at this time.')
        super().__init__('tril', tril, _flags(is_non_singular, is_self_adjoint, is_positive_definite, True), name)

    tril = property(lambda self: self._value)

    def _to_dense(self) -> Any:
        return tf.linalg.band_part(self._value, -1, 0)

    def _matmul(self, x: Any, adjoint: bool = False) -> Any:
        return tf.matmul(self._to_dense(), x, adjoint_a=adjoint)

    def _solve(self, rhs, adjoint=False):
        return tf.linalg.triangular_solve(*one_batch(tf.convert_to_tensor(self._value), rhs), lower=True, adjoint=adjoint)

    def _diag_part(self) -> Any:
        return tf.linalg.diag_part(self._value)

    def _determinant(self) -> Any:
        return tf.reduce_prod(self._diag_part(), -1)

    def _log_abs_determinant(self) -> Any:
        return tf.reduce_sum(tf.math.log(tf.abs(self._diag_part())), -1)

    def _eigvals(self) -> Any:
        return self._diag_part()

    def _assert_non_singular(self) -> Any:
        return tf.debugging.assert_less(tf.zeros([], self.dtype.real_dtype), tf.abs(self._diag_part()),
                                        message='Singular operator:  Diagonal contained zero values.')


class Spectral(LinearOperator):
    """An operator whose eigenvalues are known."""

    def _determinant(self):
        return tf.reduce_prod(self._spectrum(), -1)

    def _log_abs_determinant(self):
        return tf.cast(tf.reduce_sum(tf.math.log(tf.abs(self._spectrum())), -1), self.dtype)

    def _eigvals(self):
        return self._spectrum()

    def _cond(self):
        size = tf.abs(self._spectrum())
        return tf.reduce_max(size, -1) / tf.reduce_min(size, -1)

    def _assert_non_singular(self):
        size = tf.abs(self._spectrum())
        return tf.debugging.assert_less(tf.zeros([], size.dtype), size,
                                        message='Singular operator:  Diagonal contained zero values.')


@public
class LinearOperatorDiag(Held, Spectral):
    """A diagonal matrix."""

    def __init__(self, diag: Any, is_non_singular: Any = None, is_self_adjoint: Any = None,
                 is_positive_definite: Any = None, is_square: Any = None, name: Any = 'LinearOperatorDiag') -> None:
        if is_square is False:
            raise ValueError('Only square diagonal operators supported at this time.')
        value = given(diag, 'diag', 1)
        if not value.dtype.is_complex:
            if is_self_adjoint is False:
                raise ValueError('A real diagonal operator is always self adjoint.')
            is_self_adjoint = True
        super().__init__('diag', value, _flags(is_non_singular, is_self_adjoint, is_positive_definite, True), name)

    diag = property(lambda self: self._value)

    def _spectrum(self) -> tf.Tensor:
        return tf.convert_to_tensor(self._value)

    def _matmul(self, x: tf.Tensor, adjoint: bool = False) -> tf.Tensor:
        return (tf.math.conj(self._value) if adjoint else self._spectrum())[..., tf.newaxis] * x

    def _solve(self, rhs: Any, adjoint: bool = False) -> Any:
        return rhs / (tf.math.conj(self._value) if adjoint else self._spectrum())[..., tf.newaxis]

    def _to_dense(self) -> Any:
        return tf.linalg.diag(self._value)

    def _add_to_tensor(self, x):
        return tf.linalg.set_diag(x, tf.linalg.diag_part(x) + self._value)

    def _diag_part(self) -> Any:
        return self._spectrum()

    def _inverse(self) -> Any:
        return LinearOperatorDiag(1. / self._value, **self._said())

    def _adjoint(self) -> Any:
        return LinearOperatorDiag(tf.math.conj(self._value), **self._said())

    def _cholesky(self) -> Any:
        return LinearOperatorDiag(tf.sqrt(self._value), is_non_singular=True)


_inside.make_composite_tensor = make_composite_tensor
