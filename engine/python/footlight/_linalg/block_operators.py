"""tf.linalg.LinearOperatorBlockLowerTriangular: operators as the blocks at and below a diagonal."""
from __future__ import annotations

import functools

import footlight as tf
from footlight._linalg.composed_operators import _both
from footlight._linalg.linear_operator import LinearOperator, _flags, adjoint_of, one_batch, public
from footlight._typing import Any


def _checked(rows):
    """The rows as lists of operators; says what does not fit."""
    rows = [list(row) for row in rows]
    for at, row in enumerate(rows):
        if len(row) != at + 1:
            raise ValueError(f'The row {at} of a lower-triangular matrix of blocks has {at + 1} operators. Found: '
                             f'{len(row)}')
    if not rows:
        raise ValueError(f'Expected a non-empty list of operators. Found: {rows}')
    kinds = {one.dtype for row in rows for one in row}
    if len(kinds) > 1:
        raise TypeError(f'Expected all operators to have the same dtype. Found: {sorted(map(str, kinds))}')
    for at, row in enumerate(rows):
        if row[at].is_square is False:
            raise ValueError(f'Matrix must be `square`: the block {at} of the diagonal has the shape {row[at].shape}')
        for below, one in enumerate(row):
            for ours, theirs, what in ((one.range_dimension, row[at].range_dimension, 'rows'),
                                       (one.domain_dimension, rows[below][below].domain_dimension, 'columns')):
                if None not in (ours, theirs) and ours != theirs:
                    raise ValueError(f'The block ({at}, {below}) has {ours} {what}, but the block of the diagonal has '
                                     f'{theirs}')
    return rows


@public
class LinearOperatorBlockLowerTriangular(LinearOperator):
    """Operators as blocks: [[a], [b, c]] is the matrix [[a, 0], [b, c]]. What it is multiplied with may be a list, with a
    part for each block of the diagonal, which gives a list."""

    def __init__(self, operators: Any, is_non_singular: Any = None, is_self_adjoint: Any = None,
                 is_positive_definite: Any = None, is_square: Any = None,
                 name: str | None = 'LinearOperatorBlockLowerTriangular') -> None:
        rows = _checked(operators)
        diagonal = [row[at] for at, row in enumerate(rows)]
        flags = _flags(is_non_singular, is_self_adjoint, is_positive_definite, is_square)
        parameters = dict(flags, operators=rows)
        said = _both(*diagonal, 'is_non_singular')
        for one in diagonal:
            said = False if one.is_non_singular is False else said
        if None not in (is_non_singular, said) and is_non_singular != said:
            raise ValueError('A lower-triangular matrix of blocks is non-singular if and only if the blocks of its diagonal are.')
        if is_square is False:
            raise ValueError('A lower-triangular matrix of blocks is always square.')
        flags.update(is_non_singular=said if is_non_singular is None else is_non_singular, is_square=True)
        super().__init__(rows[0][0].dtype, parameters=parameters, name=name, **flags)
        self._operators, self._diagonal = rows, diagonal

    operators = property(lambda self: self._operators)

    def _shape(self) -> Any:
        sizes = [(o.range_dimension, o.domain_dimension) for o in self._diagonal]
        known = [a if a is not None else b for a, b in sizes]  # blocks of the diagonal are square
        size = None if None in known else sum(known)
        batch = functools.reduce(tf.broadcast_static_shape, [o.batch_shape for row in self._operators for o in row])
        return batch.concatenate([size, size])

    def _sizes(self) -> list[Any]:
        return [o.domain_dimension if o.domain_dimension is not None else o.domain_dimension_tensor() for o in self._diagonal]

    def _shape_tensor(self) -> Any:
        batch = functools.reduce(tf.broadcast_dynamic_shape, [o.batch_shape_tensor() for row in self._operators for o in row])
        size = tf.add_n([tf.convert_to_tensor(one) for one in self._sizes()])
        return tf.concat([batch, tf.stack([size, size])], 0)

    # --- parts ---
    def _is_in_parts(self, x):
        return isinstance(x, (list, tuple)) and len(x) == len(self._diagonal) and all(map(tf.is_tensor, x))

    def _in_parts(self, run, x):
        if isinstance(x, (list, tuple)):
            return run(list(x))
        return tf.concat(one_batch(*run(tf.split(x, tf.stack(self._sizes()), -2, num=len(self._diagonal)))), -2)

    def _products(self, x: Any, adjoint: Any) -> list[Any]:
        count = len(self._diagonal)
        return [functools.reduce(tf.add, [
            self._operators[k][at].matmul(x[k], adjoint=True) if adjoint else self._operators[at][k].matmul(x[k])
            for k in (range(at, count) if adjoint else range(at + 1))]) for at in range(count)]

    def _solutions(self, rhs, adjoint):
        """By substitution: from the first block on, or from the last one of the adjoint."""
        count, found = len(self._diagonal), {}
        for at in reversed(range(count)) if adjoint else range(count):
            left = rhs[at]
            for k, solved in found.items():
                left = left - (self._operators[k][at].matmul(solved, adjoint=True) if adjoint else
                               self._operators[at][k].matmul(solved))
            found[at] = self._diagonal[at].solve(left, adjoint=adjoint)
        return [found[at] for at in range(count)]

    def _matmul(self, x: Any, adjoint: bool = False) -> Any:
        return self._in_parts(lambda parts: self._products(parts, adjoint), x)

    def _solve(self, rhs: Any, adjoint: bool = False) -> Any:
        return self._in_parts(lambda parts: self._solutions(parts, adjoint), rhs)

    def matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str | None = 'matmul') -> Any:
        if self._is_in_parts(x):
            return self._products([adjoint_of(part) if adjoint_arg else part for part in x], adjoint)
        return super().matmul(x, adjoint, adjoint_arg)

    def matvec(self, x: Any, adjoint: bool = False, name: str | None = 'matvec') -> Any:
        if self._is_in_parts(x):
            return [tf.squeeze(one, -1) for one in self._products([part[..., tf.newaxis] for part in x], adjoint)]
        return super().matvec(x, adjoint)

    def solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str | None = 'solve') -> Any:
        if self._is_in_parts(rhs):
            return self._solutions([adjoint_of(part) if adjoint_arg else part for part in rhs], adjoint)
        return super().solve(rhs, adjoint, adjoint_arg)

    def solvevec(self, rhs: Any, adjoint: bool = False, name: str | None = 'solve') -> Any:
        if self._is_in_parts(rhs):
            return [tf.squeeze(one, -1) for one in self._solutions([part[..., tf.newaxis] for part in rhs], adjoint)]
        return super().solvevec(rhs, adjoint)

    # --- what the diagonal says ---
    def _joined(self, what):
        parts = [getattr(o, what)() for o in self._diagonal]
        batch = functools.reduce(tf.broadcast_dynamic_shape, [self.batch_shape_tensor(), *(tf.shape(p)[:-1] for p in parts)])
        return tf.concat([tf.broadcast_to(p, tf.concat([batch, tf.shape(p)[-1:]], 0)) for p in parts], -1)

    def _diag_part(self) -> Any:
        return self._joined('diag_part')

    def _eigvals(self) -> Any:
        return self._joined('eigvals')

    def _determinant(self) -> Any:
        return functools.reduce(tf.multiply, [o.determinant() for o in self._diagonal])

    def _log_abs_determinant(self) -> Any:
        return functools.reduce(tf.add, [o.log_abs_determinant() for o in self._diagonal])

    def _trace(self) -> Any:
        return functools.reduce(tf.add, [o.trace() for o in self._diagonal])

    def _assert_non_singular(self) -> Any:
        return tf.group([o.assert_non_singular() for o in self._diagonal])
