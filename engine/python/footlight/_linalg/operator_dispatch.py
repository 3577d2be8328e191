"""Functions of tf.linalg applied to a LinearOperator: its methods, which do not materialize the matrix."""
from __future__ import annotations

import inspect

import footlight as tf
from footlight._typing import Any


def _product(operator_type: Any, a: Any, b: Any, transpose_a: bool = False, transpose_b: bool = False,
             adjoint_a: bool = False, adjoint_b: bool = False, a_is_sparse: bool = False, b_is_sparse: bool = False,
             output_type: Any = None, grad_a: bool = False, grad_b: bool = False, name: str | None = None) -> Any:
    if transpose_a or transpose_b:
        raise ValueError('tf.linalg.matmul: a LinearOperator is not transposed; its adjoint is taken with adjoint_a or adjoint_b')
    if a_is_sparse or b_is_sparse:
        raise ValueError('tf.linalg.matmul: a LinearOperator is multiplied with whole tensors only')
    if isinstance(a, operator_type):
        return a.matmul(b, adjoint=adjoint_a, adjoint_arg=adjoint_b)
    return tf.linalg.adjoint(b.matmul(a, adjoint=not adjoint_b, adjoint_arg=not adjoint_a))


def _solution(operator_type: Any, matrix: Any, rhs: Any, adjoint: bool = False, name: str | None = None) -> Any:
    if not isinstance(matrix, operator_type):
        raise ValueError('tf.linalg.solve: where `rhs` is a LinearOperator, `matrix` must be one')
    return matrix.solve(rhs, adjoint=adjoint)


# The method by the name of the function, where the operator is its only argument.
_METHODS = {'adjoint': 'adjoint', 'cholesky': 'cholesky', 'det': 'determinant', 'diag_part': 'diag_part',
            'inv': 'inverse', 'logdet': 'log_abs_determinant', 'trace': 'trace'}


def answer(operator_type, function, args, kwargs):
    """The result; NotImplemented for functions that take no operator."""
    name = function.__name__.rpartition('.')[2]
    given = [*args, *kwargs.values()]
    operator = next((v for v in given if isinstance(v, operator_type)), None)
    if operator is None:  # the operator is an element of a list
        return NotImplemented
    if name in ('matmul', 'solve'):
        return (_product if name == 'matmul' else _solution)(operator_type, *args, **kwargs)
    if name not in _METHODS:
        return NotImplemented
    named = {k: v for k, v in kwargs.items() if k in inspect.signature(getattr(operator_type, _METHODS[name])).parameters}
    return getattr(operator, _METHODS[name])(**{k: v for k, v in named.items() if v is not operator and v is not None})
