"""Operators of tf.linalg that are made of other ones: products, inverses, blocks, Kronecker products, updates."""
from __future__ import annotations

import functools

import footlight as tf
from footlight._linalg import structured_operators as _kinds
from footlight._linalg.linear_operator import (
    LinearOperator, LinearOperatorDiag, LinearOperatorLowerTriangular, _flags, adjoint_of, given, public, solved)
from footlight._typing import Any


def product(left, right):
    """The operator that is the product of two."""
    if None not in (left.domain_dimension, right.range_dimension) and left.domain_dimension != right.range_dimension:
        raise ValueError(f'Operators are incompatible. Expected `x` to have dimension {left.domain_dimension} but got '
                         f'{right.range_dimension}.')
    identity, scaled, diag = _kinds.LinearOperatorIdentity, _kinds.LinearOperatorScaledIdentity, LinearOperatorDiag
    kinds = type(left), type(right)
    flags = {'is_non_singular': _both(left, right, 'is_non_singular'), 'is_square': True}
    if identity in kinds:
        return right if kinds[0] is identity else left
    if kinds == (scaled, scaled):
        return scaled(left._sizes[1], left.multiplier * right.multiplier, **flags)
    if diag in kinds and all(kind in (diag, scaled) for kind in kinds):
        return diag(left.diag_part() * right.diag_part(), **flags)
    if LinearOperatorLowerTriangular in kinds and all(k in (diag, scaled, LinearOperatorLowerTriangular) for k in kinds):
        return LinearOperatorLowerTriangular(left.matmul(right.to_dense()), **flags)
    return LinearOperatorComposition([left, right])


def _both(*operators_and_flag):
    *operators, flag = operators_and_flag
    said = [getattr(o, flag) for o in operators]
    return True if all(said) else None


class _Made(LinearOperator):
    """Base of operators that are composed of others."""

    def __init__(self, operators: Any, flags: Any, name: Any, sign: Any) -> None:
        operators = list(operators)
        if not operators:
            raise ValueError(f'Expected a non-empty list of operators. Found: {operators}')
        for o in operators:
            if o.dtype != operators[0].dtype:
                raise TypeError(f'Expected all operators to have the same dtype. Found: {[p.dtype for p in operators]}')
        super().__init__(operators[0].dtype, parameters=dict(flags, operators=operators),
                         name=name or sign.join(o.name for o in operators), **flags)
        self._operators = operators

    operators = property(lambda self: self._operators)

    def _batch(self) -> Any:
        return functools.reduce(tf.broadcast_static_shape, [o.batch_shape for o in self._operators])

    def _batch_tensor(self) -> Any:
        return functools.reduce(tf.broadcast_dynamic_shape, [o.batch_shape_tensor() for o in self._operators])


@public
class LinearOperatorComposition(_Made):
    """The product of operators."""

    def __init__(self, operators: Any, is_non_singular: Any = None, is_self_adjoint: Any = None,
                 is_positive_definite: Any = None, is_square: Any = None, name: str | None = None) -> None:
        operators = list(operators)
        if all(o.is_non_singular for o in operators) and operators:
            if is_non_singular is False:
                raise ValueError('The composition of non-singular operators is always non-singular.')
            is_non_singular = True
        super().__init__(operators, _flags(is_non_singular, is_self_adjoint, is_positive_definite, is_square), name, '_o_')

    def _shape(self) -> Any:
        return self._batch().concatenate([self._operators[0].range_dimension, self._operators[-1].domain_dimension])

    def _shape_tensor(self) -> Any:
        sizes = self._operators[0].range_dimension_tensor(), self._operators[-1].domain_dimension_tensor()
        return tf.concat([self._batch_tensor(), tf.stack(sizes)], 0)

    def _matmul(self, x: Any, adjoint: bool = False) -> Any:
        for o in self._operators if adjoint else reversed(self._operators):
            x = o.matmul(x, adjoint=adjoint)
        return x

    def _solve(self, rhs: Any, adjoint: bool = False) -> Any:
        for o in reversed(self._operators) if adjoint else self._operators:
            rhs = o.solve(rhs, adjoint=adjoint)
        return rhs

    def _determinant(self) -> Any:
        return functools.reduce(tf.multiply, [o.determinant() for o in self._operators])

    def _log_abs_determinant(self) -> Any:
        return functools.reduce(tf.add, [o.log_abs_determinant() for o in self._operators])

    def _inverse(self) -> Any:
        if all(o.is_square for o in self._operators):
            return LinearOperatorComposition([o.inverse() for o in reversed(self._operators)])
        return super()._inverse()

    def _adjoint(self) -> Any:
        return LinearOperatorComposition([o.adjoint() for o in reversed(self._operators)])


class _Turned(LinearOperator):
    """Base of the adjoint and the inverse of an operator."""

    def __init__(self, operator: Any, flags: Any, name: Any) -> None:
        said = {flag: getattr(operator, flag) if value is None else value for flag, value in flags.items()}
        super().__init__(operator.dtype, parameters=dict(flags, operator=operator), name=name, **said)
        self._operator = operator

    operator = property(lambda self: self._operator)

    def _shape(self) -> Any:
        shape = self._operator.shape
        return shape if shape.rank is None else shape[:-2].concatenate([shape[-1], shape[-2]])

    def _shape_tensor(self) -> Any:
        shape = self._operator.shape_tensor()
        return tf.concat([shape[:-2], shape[-1:], shape[-2:-1]], 0)


@public
class LinearOperatorAdjoint(_Turned):
    """The adjoint of an operator."""

    def __init__(self, operator: Any, is_non_singular: Any = None, is_self_adjoint: Any = None,
                 is_positive_definite: Any = None, is_square: Any = None, name: str | None = None) -> None:
        super().__init__(operator, _flags(is_non_singular, is_self_adjoint, is_positive_definite, is_square),
                         name or operator.name + '_adjoint')

    def _matmul(self, x: Any, adjoint: bool = False) -> Any:
        return self._operator.matmul(x, adjoint=not adjoint)

    def _solve(self, rhs: Any, adjoint: bool = False) -> Any:
        return self._operator.solve(rhs, adjoint=not adjoint)

    def _to_dense(self) -> Any:
        return adjoint_of(self._operator.to_dense())

    def _determinant(self) -> Any:
        return tf.math.conj(self._operator.determinant())

    def _log_abs_determinant(self) -> Any:
        return self._operator.log_abs_determinant()

    def _diag_part(self) -> Any:
        return tf.math.conj(self._operator.diag_part())

    def _adjoint(self) -> Any:
        return self._operator


@public
class LinearOperatorInversion(_Turned):
    """The inverse of an operator."""

    def __init__(self, operator: Any, is_non_singular: Any = None, is_self_adjoint: Any = None,
                 is_positive_definite: Any = None, is_square: Any = None, name: str | None = None) -> None:
        if is_non_singular is False or operator.is_non_singular is False:
            raise ValueError('operator and supplied hints must have `is_non_singular` equal to `True` or `None`.')
        if is_square is False or operator.is_square is False:
            raise ValueError('operator and supplied hints must have `is_square` equal to `True` or `None`.')
        super().__init__(operator, _flags(True, is_self_adjoint, is_positive_definite, True), name or operator.name + '_inv')

    def _matmul(self, x: Any, adjoint: bool = False) -> Any:
        return self._operator.solve(x, adjoint=adjoint)

    def _solve(self, rhs: Any, adjoint: bool = False) -> Any:
        return self._operator.matmul(rhs, adjoint=adjoint)

    def _determinant(self) -> Any:
        return 1 / self._operator.determinant()

    def _log_abs_determinant(self) -> Any:
        return -self._operator.log_abs_determinant()

    def _inverse(self) -> Any:
        return self._operator


class _OfEach(_Made):
    """Operators whose inverse, adjoint and Cholesky factor `_each` makes of those of the parts."""

    def _inverse(self):
        return self._each('inverse')

    def _adjoint(self):
        return self._each('adjoint')

    def _cholesky(self):
        return self._each('cholesky')


@public
class LinearOperatorKronecker(_OfEach):
    """The Kronecker product of operators."""

    def __init__(self, operators, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None, is_square=None,
                 name=None):
        operators = list(operators)
        is_square = True if operators and all(o.is_square for o in operators) else is_square
        for flag, value in zip(('is_non_singular', 'is_self_adjoint', 'is_positive_definite'),
                               (is_non_singular, is_self_adjoint, is_positive_definite)):
            if value is False and operators and all(getattr(o, flag) for o in operators):
                raise ValueError(f'The Kronecker product of operators with {flag}=True has it too.')
        said = [value or _both(*operators, flag) if operators else value for flag, value in zip(
            ('is_non_singular', 'is_self_adjoint', 'is_positive_definite'),
            (is_non_singular, is_self_adjoint, is_positive_definite))]
        super().__init__(operators, _flags(*said, is_square), name, '_x_')

    def _shape(self) -> Any:
        def size(sizes):
            return None if None in sizes else functools.reduce(int.__mul__, sizes)
        return self._batch().concatenate([size([o.range_dimension for o in self._operators]),
                                          size([o.domain_dimension for o in self._operators])])

    def _shape_tensor(self) -> Any:
        sizes = [tf.reduce_prod(tf.stack([getattr(o, which)() for o in self._operators]))
                 for which in ('range_dimension_tensor', 'domain_dimension_tensor')]
        return tf.concat([self._batch_tensor(), tf.stack(sizes)], 0)

    def _along(self, x, adjoint, what):
        """Each operator along its own part of the rows."""
        sizes = [o.range_dimension_tensor() if adjoint else o.domain_dimension_tensor() for o in self._operators]
        if what == 'solve':
            sizes = [o.range_dimension_tensor() for o in self._operators]
        columns = tf.shape(x)[-1]
        for size, o in zip(sizes, self._operators):  # the rows that are done wait at the end, behind the columns
            part = tf.reshape(x, tf.concat([tf.shape(x)[:-2], [size, -1]], 0))
            part = tf.linalg.matrix_transpose(getattr(o, what)(part, adjoint=adjoint))
            x = tf.reshape(part, tf.concat([tf.shape(part)[:-2], [1, -1]], 0))
        return tf.linalg.matrix_transpose(tf.reshape(x, tf.concat([tf.shape(x)[:-2], [columns, -1]], 0)))

    def _matmul(self, x: Any, adjoint: bool = False) -> Any:
        return self._along(x, adjoint, 'matmul')

    def _solve(self, rhs: Any, adjoint: bool = False) -> Any:
        return self._along(rhs, adjoint, 'solve')

    def _powers(self) -> list[Any]:
        total = self.domain_dimension_tensor()
        return [(o, tf.cast(total // o.domain_dimension_tensor(), self.dtype)) for o in self._operators]

    def _determinant(self) -> Any:
        return functools.reduce(tf.multiply, [o.determinant() ** power for o, power in self._powers()])

    def _log_abs_determinant(self) -> Any:
        return functools.reduce(tf.add, [o.log_abs_determinant() * power for o, power in self._powers()])

    def _trace(self) -> Any:
        return functools.reduce(tf.multiply, [o.trace() for o in self._operators])

    def _each(self, what):
        return LinearOperatorKronecker([getattr(o, what)() for o in self._operators])


@public
class LinearOperatorBlockDiag(_OfEach):
    """Operators along the diagonal. What it is multiplied with may be a list, with a part for each."""

    def __init__(self, operators, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None, is_square=True,
                 name=None):
        operators = list(operators)
        said = [value or _both(*operators, flag) if operators else value for flag, value in zip(
            ('is_non_singular', 'is_self_adjoint', 'is_positive_definite'),
            (is_non_singular, is_self_adjoint, is_positive_definite))]
        if operators and not all(o.is_square is not False for o in operators):
            is_square = None
        super().__init__(operators, _flags(*said, is_square), name, '_ds_')

    def _shape(self) -> Any:
        def size(sizes):
            return None if None in sizes else sum(sizes)
        return self._batch().concatenate([size([o.range_dimension for o in self._operators]),
                                          size([o.domain_dimension for o in self._operators])])

    def _shape_tensor(self) -> Any:
        sizes = [tf.add_n([getattr(o, which)() for o in self._operators])
                 for which in ('range_dimension_tensor', 'domain_dimension_tensor')]
        return tf.concat([self._batch_tensor(), tf.stack(sizes)], 0)

    def _blocks(self, x, what, adjoint, sizes):
        parts = x if isinstance(x, (list, tuple)) else tf.split(x, tf.stack(sizes), -2, num=len(sizes))
        done = [getattr(o, what)(part, adjoint=adjoint) for o, part in zip(self._operators, parts)]
        if isinstance(x, (list, tuple)):
            return done
        batch = functools.reduce(tf.broadcast_dynamic_shape, [tf.shape(d)[:-2] for d in done])
        return tf.concat([tf.broadcast_to(d, tf.concat([batch, tf.shape(d)[-2:]], 0)) for d in done], -2)

    def _matmul(self, x: Any, adjoint: bool = False) -> Any:
        return self._blocks(x, 'matmul', adjoint, [
            o.range_dimension_tensor() if adjoint else o.domain_dimension_tensor() for o in self._operators])

    def _solve(self, rhs: Any, adjoint: bool = False) -> Any:
        return self._blocks(rhs, 'solve', adjoint, [o.range_dimension_tensor() for o in self._operators])

    def matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str | None = 'matmul') -> Any:
        if isinstance(x, (list, tuple)) and len(x) == len(self._operators) and all(map(tf.is_tensor, x)):
            return self._matmul([adjoint_of(p) if adjoint_arg else p for p in x], adjoint)
        return super().matmul(x, adjoint, adjoint_arg)

    def matvec(self, x: Any, adjoint: bool = False, name: str | None = 'matvec') -> Any:
        if isinstance(x, (list, tuple)) and len(x) == len(self._operators) and all(map(tf.is_tensor, x)):
            return [o.matvec(part, adjoint=adjoint) for o, part in zip(self._operators, x)]
        return super().matvec(x, adjoint)

    def _joined(self, what):
        return tf.concat(_kinds._same_batch(*[getattr(o, what)() for o in self._operators]), -1)

    def _diag_part(self) -> Any:
        return self._joined('diag_part')

    def _eigvals(self) -> Any:
        return self._joined('eigvals')

    def _determinant(self) -> Any:
        return functools.reduce(tf.multiply, [o.determinant() for o in self._operators])

    def _log_abs_determinant(self) -> Any:
        return functools.reduce(tf.add, [o.log_abs_determinant() for o in self._operators])

    def _each(self, what):
        return LinearOperatorBlockDiag([getattr(o, what)() for o in self._operators])


@public
class LinearOperatorLowRankUpdate(LinearOperator):
    """base_operator + u diag(diag_update) v^H; solved by the inverse of the base."""

    def __init__(self, base_operator: Any, u: Any, diag_update: Any = None, v: Any = None,
                 is_diag_update_positive: Any = None, is_non_singular: Any = None, is_self_adjoint: Any = None,
                 is_positive_definite: Any = None, is_square: Any = None,
                 name: str | None = 'LinearOperatorLowRankUpdate') -> None:
        flags = _flags(is_non_singular, is_self_adjoint, is_positive_definite, is_square)
        parameters = dict(flags, base_operator=base_operator, u=u, diag_update=diag_update, v=v,
                          is_diag_update_positive=is_diag_update_positive)
        if diag_update is None:
            is_diag_update_positive = True
        if v is None and is_diag_update_positive and base_operator.is_self_adjoint and is_self_adjoint is None:
            flags['is_self_adjoint'] = True
            if base_operator.is_positive_definite and is_positive_definite is None:
                flags['is_positive_definite'] = True
        super().__init__(base_operator.dtype, parameters=parameters, name=name, **flags)
        self.base_operator, self._u = base_operator, given(u, 'u', 2)
        self._v = self._u if v is None else given(v, 'v', 2)
        self._diag = None if diag_update is None else given(diag_update, 'diag_update', 1)
        self.is_diag_update_positive = is_diag_update_positive

    u = property(lambda self: self._u)
    v = property(lambda self: self._v)
    diag_update = property(lambda self: self._diag)

    @property
    def diag_operator(self) -> Any:
        if self._diag is not None:
            return LinearOperatorDiag(self._diag, is_positive_definite=self.is_diag_update_positive or None)
        return _kinds.LinearOperatorIdentity(tf.shape(self._u)[-1], dtype=self.dtype)

    def _shape(self) -> Any:
        batch = [self.base_operator.batch_shape, self._u.shape[:-2], self._v.shape[:-2]]
        batch += [] if self._diag is None else [self._diag.shape[:-1]]
        return functools.reduce(tf.broadcast_static_shape, batch).concatenate(self.base_operator.shape[-2:])

    def _matmul(self, x: Any, adjoint: bool = False) -> Any:
        left, right = (self._v, self._u) if adjoint else (self._u, self._v)
        inner = self.diag_operator.matmul(tf.matmul(right, x, adjoint_a=True), adjoint=adjoint)
        return self.base_operator.matmul(x, adjoint=adjoint) + tf.matmul(left, inner)

    def _capacitance(self) -> Any:
        """D^-1 + v^H base^-1 u"""
        middle = tf.matmul(self._v, self.base_operator.solve(tf.convert_to_tensor(self._u)), adjoint_a=True)
        return self.diag_operator.inverse().add_to_tensor(middle)

    def _solve(self, rhs: Any, adjoint: bool = False) -> Any:
        left, right = (self._v, self._u) if adjoint else (self._u, self._v)
        first = self.base_operator.solve(rhs, adjoint=adjoint)
        inner = solved(self._capacitance(), tf.matmul(right, first, adjoint_a=True), adjoint)
        return first - self.base_operator.solve(tf.matmul(left, inner), adjoint=adjoint)

    def _determinant(self) -> Any:
        return (tf.linalg.det(self._capacitance()) * self.diag_operator.determinant() * self.base_operator.determinant())

    def _log_abs_determinant(self) -> Any:
        return (tf.linalg.slogdet(self._capacitance())[1] + self.diag_operator.log_abs_determinant() +
                self.base_operator.log_abs_determinant())

    def _diag_part(self) -> Any:
        scaled = self._u if self._diag is None else self._u * self._diag[..., tf.newaxis, :]
        return self.base_operator.diag_part() + tf.reduce_sum(scaled * tf.math.conj(self._v), -1)
