"""tf.linalg.experimental.conjugate_gradient: linear systems solved step by step, by products with their matrix alone."""
from __future__ import annotations

import collections

import footlight as tf
from footlight._public import publish
from footlight._typing import Any, TensorLike

CGState = collections.namedtuple('CGState', ('i', 'x', 'r', 'p', 'gamma'))


def _dot(x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
    """The products of vectors."""
    return tf.reduce_sum(tf.math.conj(x) * y, -1)


def _length(x: tf.Tensor) -> tf.Tensor:
    return tf.math.real(tf.norm(x, axis=-1))


def conjugate_gradient(operator: Any, rhs: TensorLike, preconditioner: Any = None, x: TensorLike | None = None,
                       tol: Any = 1e-5, max_iter: Any = 20, name: str | None = 'conjugate_gradient') -> Any:
    """Solves operator x = rhs, where the LinearOperator is self-adjoint and positive definite.

    rhs: [..., N]. preconditioner: a LinearOperator that is like the inverse. x: where to begin, else zeros.
    tol: how long what is left may be, as a part of what is left at the beginning.
    Returns (i, x, r, p, gamma): steps taken, the solution, what is left, the last direction, the product of what is left.
    """
    if not (operator.is_self_adjoint and operator.is_positive_definite):
        raise ValueError('Expected a self-adjoint, positive definite operator.')

    def conditioned(left):
        return left if preconditioner is None else preconditioner.matvec(left)

    def step(state):
        turned = operator.matvec(state.p)
        length = (state.gamma / _dot(state.p, turned))[..., tf.newaxis]
        left = state.r - length * turned
        towards = conditioned(left)
        gamma = _dot(left, towards)
        direction = towards + (gamma / state.gamma)[..., tf.newaxis] * state.p
        return [CGState(state.i + 1, state.x + length * state.p, left, direction, gamma)]

    with tf.name_scope(name):
        rhs = tf.convert_to_tensor(rhs)
        left = rhs if x is None else rhs - operator.matvec(x)
        start = tf.zeros_like(rhs) if x is None else tf.convert_to_tensor(x, rhs.dtype)
        direction = conditioned(left)
        at_first = _length(left)
        enough = tf.cast(tol, at_first.dtype) * at_first
        state = CGState(tf.constant(0), start, left, direction, _dot(left, direction))
        return tf.while_loop(
            lambda state: (state.i < max_iter) & tf.reduce_any(_length(state.r) > enough), step, [state])[0]


publish('tf.linalg.experimental', conjugate_gradient)
