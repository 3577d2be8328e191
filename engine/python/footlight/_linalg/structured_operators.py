"""Operators of tf.linalg with a structure of their own, and those made of other operators."""
from __future__ import annotations

import functools

import numpy as np

import footlight as tf
from footlight._linalg import lu_and_bands as _lu_and_bands
from footlight._linalg.linear_operator import Held, LinearOperator, Spectral, _flags, given, public
from footlight._typing import Any


class _Sized(LinearOperator):
    """An operator whose shape is given as numbers."""

    def _say_shape(self, rows: Any, columns: Any, batch_shape: Any) -> None:
        for name, size in (('num_rows', rows), ('num_columns', columns)):
            size = tf.get_static_value(size) if tf.is_tensor(size) else size
            if size is not None and int(size) < 0:
                raise ValueError(f'Argument {name} must be non-negative.  Found: {size}')
        self._sizes = [] if batch_shape is None else batch_shape, rows, columns

    def _shape(self):
        batch, *sizes = (tf.get_static_value(s) if tf.is_tensor(s) else s for s in self._sizes)
        return tf.TensorShape(batch).concatenate([None if s is None else int(s) for s in sizes])

    def _shape_tensor(self) -> Any:
        batch, *sizes = (tf.cast(tf.convert_to_tensor(s), tf.int32) for s in self._sizes)
        return tf.concat([batch, tf.stack(sizes)], 0)

    def _grown(self, x):
        """x with the batch of the operator."""
        if self.batch_shape.rank == 0:
            return x
        return x + tf.zeros(tf.concat([self.batch_shape_tensor(), [1, 1]], 0), self.dtype)


class _Multiple(_Sized, Spectral):
    """A number times the identity: `_multiplier`, of the shape of the batch."""

    def _spread(self):
        return tf.convert_to_tensor(self._multiplier)[..., tf.newaxis]

    def _spectrum(self) -> Any:
        return self._spread() * tf.ones(self.shape_tensor()[:-1], self.dtype)

    _diag_part = _spectrum

    def _log_abs_determinant(self) -> Any:
        return tf.reduce_sum(tf.math.log(tf.abs(self._spectrum())), -1)

    def _matmul(self, x: Any, adjoint: bool = False) -> Any:
        m = self._spread()[..., tf.newaxis]
        return self._grown(x * (tf.math.conj(m) if adjoint else m))

    def _solve(self, rhs: Any, adjoint: bool = False) -> Any:
        m = self._spread()[..., tf.newaxis]
        return self._grown(rhs / (tf.math.conj(m) if adjoint else m))

    def _to_dense(self) -> Any:
        return tf.linalg.diag(self._spectrum())

    def _add_to_tensor(self, x):
        return tf.linalg.set_diag(x, tf.linalg.diag_part(x) + self._spread())


@public
class LinearOperatorIdentity(_Multiple):
    """The identity."""

    def __init__(self, num_rows: Any, batch_shape: Any = None, dtype: Any = None, is_non_singular: bool = True,
                 is_self_adjoint: bool = True, is_positive_definite: bool = True, is_square: bool = True,
                 assert_proper_shapes: bool = False, name: str | None = 'LinearOperatorIdentity') -> None:
        flags = _flags(is_non_singular, is_self_adjoint, is_positive_definite, is_square)
        for flag, value in flags.items():
            if not value:
                raise ValueError(f"An identity operator is always {flag[3:].replace('_', '-')}")
        super().__init__(dtype or tf.float32, name=name, parameters=dict(
            flags, num_rows=num_rows, batch_shape=batch_shape, dtype=dtype, assert_proper_shapes=assert_proper_shapes), **flags)
        self._say_shape(num_rows, num_rows, batch_shape)
        self._multiplier = tf.ones([], self.dtype)

    def _inverse(self) -> Any:
        return self

    _adjoint = _cholesky = _inverse


@public
class LinearOperatorScaledIdentity(_Multiple):
    """The identity times a number."""

    def __init__(self, num_rows: Any, multiplier: Any, is_non_singular: Any = None, is_self_adjoint: Any = None,
                 is_positive_definite: Any = None, is_square: bool = True, assert_proper_shapes: bool = False,
                 name: str | None = 'LinearOperatorScaledIdentity') -> None:
        if not is_square:
            raise ValueError('A ScaledIdentity operator is always square.')
        multiplier = given(multiplier, 'multiplier', 0)
        if not multiplier.dtype.is_complex:
            is_self_adjoint = True
        flags = _flags(is_non_singular, is_self_adjoint, is_positive_definite, True)
        super().__init__(multiplier.dtype, name=name, parameters=dict(
            flags, num_rows=num_rows, multiplier=multiplier, assert_proper_shapes=assert_proper_shapes), **flags)
        known = multiplier.shape.is_fully_defined()
        self._say_shape(num_rows, num_rows, multiplier.shape.as_list() if known else tf.shape(multiplier))
        self._multiplier = multiplier

    multiplier = property(lambda self: self._multiplier)

    def _again(self, multiplier, **flags):
        return LinearOperatorScaledIdentity(self._sizes[1], multiplier, **(flags or self._said()))

    def _inverse(self) -> Any:
        return self._again(1. / self._multiplier)

    def _adjoint(self) -> Any:
        return self._again(tf.math.conj(self._multiplier))

    def _cholesky(self) -> Any:
        return self._again(tf.sqrt(self._multiplier), is_non_singular=True)


@public
class LinearOperatorZeros(_Sized):
    """Zeros."""

    def __init__(self, num_rows: Any, num_columns: Any = None, batch_shape: Any = None, dtype: Any = None,
                 is_non_singular: Any = False, is_self_adjoint: Any = True, is_positive_definite: Any = False,
                 is_square: Any = True, assert_proper_shapes: Any = False, name: Any = 'LinearOperatorZeros') -> None:
        if num_columns is not None and num_columns != num_rows:
            is_square, is_self_adjoint = is_square if is_square is not True else None, is_self_adjoint and None
        if is_non_singular:
            raise ValueError('A zero operator is always singular.')
        if is_positive_definite:
            raise ValueError('A zero operator is never positive definite.')
        flags = _flags(is_non_singular, is_self_adjoint, is_positive_definite, is_square)
        super().__init__(dtype or tf.float32, name=name, parameters=dict(
            flags, num_rows=num_rows, num_columns=num_columns, batch_shape=batch_shape, dtype=dtype,
            assert_proper_shapes=assert_proper_shapes), **flags)
        self._say_shape(num_rows, num_rows if num_columns is None else num_columns, batch_shape)

    def _matmul(self, x: Any, adjoint: bool = False) -> Any:
        rows = self.domain_dimension_tensor() if adjoint else self.range_dimension_tensor()
        shape = tf.shape(x)
        batch = tf.broadcast_dynamic_shape(shape[:-2], self.batch_shape_tensor())
        return tf.zeros(tf.concat([batch, [rows, shape[-1]]], 0), self.dtype)

    def _to_dense(self) -> Any:
        return tf.zeros(self.shape_tensor(), self.dtype)

    def _add_to_tensor(self, x):
        return x

    def _determinant(self) -> Any:
        return tf.zeros(self.batch_shape_tensor(), self.dtype)

    def _assert_non_singular(self) -> Any:
        raise tf.errors.InvalidArgumentError(None, None, 'Zero operators are always non-invertible.')


@public
class LinearOperatorHouseholder(Held):
    """The reflection x - 2 v (v . x) at the hyperplane with the unit normal v."""

    def __init__(self, reflection_axis: Any, is_non_singular: Any = None, is_self_adjoint: Any = None,
                 is_positive_definite: Any = None, is_square: Any = None,
                 name: Any = 'LinearOperatorHouseholder') -> None:
        for flag, value, wanted in (('is_self_adjoint', is_self_adjoint, True), ('is_non_singular', is_non_singular, True),
                                    ('is_positive_definite', is_positive_definite, False), ('is_square', is_square, True)):
            if value is not None and value != wanted:
                raise ValueError(f'A Householder operator has {flag}={wanted}.')
        super().__init__('reflection_axis', reflection_axis, _flags(True, True, is_positive_definite, True), name)

    reflection_axis = property(lambda self: self._value)

    def _matmul(self, x, adjoint=False):
        v = tf.math.l2_normalize(tf.convert_to_tensor(self._value), -1)[..., tf.newaxis]
        return x - 2 * v * tf.reduce_sum(tf.math.conj(v) * x, -2, keepdims=True)

    _solve = _matmul

    def _inverse(self) -> Any:
        return self

    def _determinant(self) -> Any:
        return -tf.ones(self.batch_shape_tensor(), self.dtype)

    def _log_abs_determinant(self) -> Any:
        return tf.zeros(self.batch_shape_tensor(), self.dtype)

    def _diag_part(self) -> Any:
        v = tf.math.l2_normalize(tf.convert_to_tensor(self._value), -1)
        return 1 - 2 * v * tf.math.conj(v)

    def _eigvals(self) -> Any:
        ones = tf.ones(self.shape_tensor()[:-1], self.dtype)
        return tf.concat([-ones[..., :1], ones[..., 1:]], -1)

    def _cond(self) -> Any:
        return tf.ones(self.batch_shape_tensor(), self.dtype)


@public
class LinearOperatorPermutation(Held):
    """Row i of a product is row perm[i]."""

    def __init__(self, perm: Any, dtype: Any = tf.float32, is_non_singular: Any = None, is_self_adjoint: Any = None,
                 is_positive_definite: Any = None, is_square: Any = None,
                 name: Any = 'LinearOperatorPermutation') -> None:
        for flag, value in (('non-singular', is_non_singular), ('square', is_square)):
            if value is False:
                raise ValueError(f'A Permutation operator is always {flag}.')
        super().__init__('perm', perm, _flags(True, is_self_adjoint, is_positive_definite, True), name, dtype, floats=False)
        if not self._value.dtype.is_integer:
            raise TypeError(f'Argument `perm` must be integer dtype. Received: {perm!s}.')
        known = tf.get_static_value(self._value)
        if known is not None and not (np.sort(known, -1) == np.arange(known.shape[-1])).all():
            raise ValueError(f'Argument `perm` must be a vector of unique integers from 0 to {known.shape[-1] - 1}.')

    perm = property(lambda self: self._value)

    def _matmul(self, x: Any, adjoint: bool = False) -> Any:
        perm = tf.argsort(self._value) if adjoint else tf.convert_to_tensor(self._value)
        if perm.shape.rank == 1:
            return tf.gather(x, perm, axis=-2)
        batch = tf.broadcast_dynamic_shape(tf.shape(perm)[:-1], tf.shape(x)[:-2])
        perm = tf.broadcast_to(perm, tf.concat([batch, tf.shape(perm)[-1:]], 0))
        x = tf.broadcast_to(x, tf.concat([batch, tf.shape(x)[-2:]], 0))
        return tf.gather(x, perm, axis=perm.shape.rank - 1, batch_dims=perm.shape.rank - 1)

    def _solve(self, rhs: Any, adjoint: bool = False) -> Any:
        return self._matmul(rhs, adjoint=not adjoint)

    def _to_dense(self) -> Any:
        return tf.one_hot(self._value, tf.shape(self._value)[-1], dtype=self.dtype)

    def _log_abs_determinant(self) -> Any:
        return tf.zeros(self.batch_shape_tensor(), self.dtype)

    def _cond(self) -> Any:
        return tf.ones(self.batch_shape_tensor(), self.dtype)


@public
class LinearOperatorToeplitz(Held):
    """A matrix with one value along each diagonal, from its first column and its first row."""

    def __init__(self, col: Any, row: Any, is_non_singular: Any = None, is_self_adjoint: Any = None,
                 is_positive_definite: Any = None, is_square: Any = None, name: Any = 'LinearOperatorToeplitz') -> None:
        if is_square is False:
            raise ValueError('Only square Toeplitz operators currently supported.')
        super().__init__('col', col, _flags(is_non_singular, is_self_adjoint, is_positive_definite, True), name)
        self.row = given(row, 'row', 1)
        self._parameters['row'] = self.row

    col = property(lambda self: self._value)

    def _shape(self) -> Any:
        batch = tf.broadcast_static_shape(self._value.shape[:-1], self.row.shape[:-1])
        return batch.concatenate([self._value.shape[-1]] * 2)

    def _shape_tensor(self) -> Any:
        batch = tf.broadcast_dynamic_shape(tf.shape(self._value)[:-1], tf.shape(self.row)[:-1])
        return tf.concat([batch, tf.shape(self._value)[-1:], tf.shape(self._value)[-1:]], 0)

    def _matmul(self, x: Any, adjoint: bool = False) -> Any:
        """By the circulant matrix of twice the size in whose corner this one stands."""
        col, row = _same_batch(self._value, self.row)
        kind = tf.complex128 if self.dtype in (tf.float64, tf.complex128) else tf.complex64
        column = tf.cast(tf.concat([col, col[..., :1], tf.reverse(row[..., 1:], [-1])], -1), kind)
        spectrum = tf.signal.fft(column)[..., tf.newaxis, :]
        swap = tf.linalg.matrix_transpose
        wide = tf.cast(swap(tf.concat([x, tf.zeros_like(x)], -2)), kind)
        made = tf.signal.ifft((tf.math.conj(spectrum) if adjoint else spectrum) * tf.signal.fft(wide))
        made = swap(made)[..., :tf.shape(x)[-2], :]
        return tf.cast(made if self.dtype.is_complex else tf.math.real(made), self.dtype)

    def _to_dense(self) -> Any:
        col, row = _same_batch(self._value, self.row)
        size = tf.range(tf.shape(col)[-1])
        values = tf.concat([tf.reverse(row[..., 1:], [-1]), col], -1)
        return tf.gather(values, size[:, tf.newaxis] - size + tf.shape(col)[-1] - 1, axis=-1)

    def _diag_part(self) -> Any:
        return self._value[..., :1] * tf.ones(self.shape_tensor()[:-1], self.dtype)


class _Circulant(Spectral):
    """Matrices that convolve circularly over the last dimensions; `spectrum` is what their Fourier transform multiplies."""
    _depth = 1

    def __init__(self, spectrum: Any, input_output_dtype: Any = tf.complex64, is_non_singular: Any = None,
                 is_self_adjoint: Any = None, is_positive_definite: Any = None, is_square: bool = True,
                 name: str | None = None) -> None:
        spectrum = given(spectrum, 'spectrum', self._depth)
        if not spectrum.dtype.is_complex:
            if is_self_adjoint is False:
                raise ValueError('A real spectrum always corresponds to a self-adjoint operator.')
            is_self_adjoint = True
        if is_square is False:
            raise ValueError('A Circulant operator is always square.')
        flags = _flags(is_non_singular, is_self_adjoint, is_positive_definite, True)
        super().__init__(input_output_dtype, name=name or type(self).__name__, parameters=dict(
            flags, spectrum=spectrum, input_output_dtype=input_output_dtype), **flags)
        self.spectrum = spectrum

    block_depth = property(lambda self: self._depth)
    block_shape = property(lambda self: self.spectrum.shape[-self._depth:])

    def block_shape_tensor(self) -> Any:
        return tf.shape(self.spectrum)[-self._depth:]

    def _complex(self) -> Any:
        return {tf.float16: tf.complex64, tf.float32: tf.complex64, tf.float64: tf.complex128}.get(self.dtype, self.dtype)

    def _shape(self) -> Any:
        size = self.block_shape.num_elements()
        return self.spectrum.shape[:-self._depth].concatenate([size, size])

    def _shape_tensor(self) -> Any:
        size = tf.reduce_prod(self.block_shape_tensor())
        return tf.concat([tf.shape(self.spectrum)[:-self._depth], [size, size]], 0)

    def _transforms(self) -> Any:
        return {1: (tf.signal.fft, tf.signal.ifft), 2: (tf.signal.fft2d, tf.signal.ifft2d),
                3: (tf.signal.fft3d, tf.signal.ifft3d)}[self._depth]

    def _multiplied(self, x, spectrum):
        forward, back = self._transforms()
        rows = tf.cast(tf.linalg.matrix_transpose(x), self._complex())
        shape = tf.shape(rows)
        blocks = tf.reshape(rows, tf.concat([shape[:-1], self.block_shape_tensor()], 0))
        spectrum = tf.expand_dims(tf.cast(spectrum, self._complex()), -self._depth - 1)
        made = back(spectrum * forward(blocks))
        made = tf.reshape(made, tf.concat([tf.shape(made)[:-self._depth], shape[-1:]], 0))
        made = tf.linalg.matrix_transpose(made)
        return tf.cast(made if self.dtype.is_complex else tf.math.real(made), self.dtype)

    def _matmul(self, x: Any, adjoint: bool = False) -> Any:
        return self._multiplied(x, tf.math.conj(self.spectrum) if adjoint else self.spectrum)

    def _solve(self, rhs: Any, adjoint: bool = False) -> Any:
        return self._multiplied(rhs, 1 / (tf.math.conj(self.spectrum) if adjoint else tf.convert_to_tensor(self.spectrum)))

    def _spectrum(self) -> Any:
        return tf.cast(self._eigvals(), self._complex())

    def _eigvals(self) -> Any:
        return tf.reshape(self.spectrum, tf.concat([tf.shape(self.spectrum)[:-self._depth], [-1]], 0))

    def _in_dtype(self, x):
        return tf.cast(x if self.dtype.is_complex else tf.math.real(x), self.dtype)

    def _determinant(self) -> Any:
        return self._in_dtype(tf.reduce_prod(self._spectrum(), -1))

    def _diag_part(self) -> Any:
        mean = self._in_dtype(tf.reduce_mean(self._spectrum(), -1))[..., tf.newaxis]
        return mean * tf.ones(self.shape_tensor()[:-1], self.dtype)

    def convolution_kernel(self, name: str | None = 'convolution_kernel') -> Any:
        """The first column, in the shape of a block."""
        return self._in_dtype(self._transforms()[1](tf.cast(self.spectrum, self._complex())))

    def _again(self, spectrum):
        return type(self)(spectrum, input_output_dtype=self.dtype, **self._said())

    def _inverse(self) -> Any:
        return self._again(1 / tf.convert_to_tensor(self.spectrum))

    def _adjoint(self) -> Any:
        return self._again(tf.math.conj(self.spectrum))


@public
class LinearOperatorCirculant(_Circulant):
    """A circulant matrix: each row is the one above, turned by one."""


@public
class LinearOperatorCirculant2D(_Circulant):
    """A block circulant matrix with circulant blocks."""
    _depth = 2


@public
class LinearOperatorCirculant3D(_Circulant):
    """A circulant of circulants of circulants."""
    _depth = 3


@public
class LinearOperatorTridiag(LinearOperator):
    """A diagonal and its two neighbours."""

    def __init__(self, diagonals, diagonals_format='compact', is_non_singular=None, is_self_adjoint=None,
                 is_positive_definite=None, is_square=None, name='LinearOperatorTridiag'):
        if diagonals_format not in ('compact', 'sequence', 'matrix'):
            raise ValueError('Argument `diagonals_format` must be one of compact, matrix or sequence. Received : '
                             f'{diagonals_format}.')
        if is_square is False:
            raise ValueError('A Tridiagonal operator is always square.')
        self.diagonals = ([given(d, 'diagonals', 1) for d in diagonals] if diagonals_format == 'sequence'
                          else given(diagonals, 'diagonals', 2))
        self.diagonals_format = diagonals_format
        flags = _flags(is_non_singular, is_self_adjoint, is_positive_definite, True)
        super().__init__((self.diagonals[0] if diagonals_format == 'sequence' else self.diagonals).dtype, name=name,
                         parameters=dict(flags, diagonals=diagonals, diagonals_format=diagonals_format), **flags)

    def _bands(self) -> Any:
        return _lu_and_bands.bands(self.diagonals, self.diagonals_format)

    def _shape(self):
        if self.diagonals_format == 'sequence':
            shape = functools.reduce(tf.broadcast_static_shape, [d.shape for d in self.diagonals])
        else:
            shape = self.diagonals.shape
            shape = shape if self.diagonals_format == 'matrix' else shape[:-2].concatenate(shape[-1:])
        return shape if self.diagonals_format == 'matrix' else shape.concatenate(shape[-1:])

    def _matmul(self, x: Any, adjoint: bool = False) -> Any:
        upper, middle, lower = (band[..., tf.newaxis] for band in self._bands())
        after = tf.concat([x[..., 1:, :], tf.zeros_like(x[..., :1, :])], -2)
        before = tf.concat([tf.zeros_like(x[..., :1, :]), x[..., :-1, :]], -2)
        if adjoint:
            upper, middle, lower = (tf.math.conj(tf.roll(lower, -1, -2)), tf.math.conj(middle),
                                    tf.math.conj(tf.roll(upper, 1, -2)))
        return upper * after + middle * x + lower * before

    def _diag_part(self) -> Any:
        return self._bands()[1]


def _same_batch(*vectors: Any) -> list[Any]:
    batch = functools.reduce(tf.broadcast_dynamic_shape, [tf.shape(v)[:-1] for v in vectors])
    return [tf.broadcast_to(v, tf.concat([batch, tf.shape(v)[-1:]], 0)) for v in vectors]
