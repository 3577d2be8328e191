"""More of tf.linalg, made of its other functions: what follows from LU, and products with bands."""
import footlight as tf
from footlight import _engine
from footlight._linalg.operator import one_batch

_home = _engine.namespace('linalg')


def _rows(x, perm):
    """Row perm[i] of matrices as row i."""
    return tf.gather(x, perm, axis=-2, batch_dims=perm.shape.rank - 1)


def _triangles(lower_upper):
    lower = tf.linalg.set_diag(tf.linalg.band_part(lower_upper, -1, 0), tf.ones(tf.shape(lower_upper)[:-1], lower_upper.dtype))
    return lower, tf.linalg.band_part(lower_upper, 0, -1)


def _checked_lu(lower_upper, perm):
    lower_upper, perm = tf.convert_to_tensor(lower_upper), tf.convert_to_tensor(perm)
    if lower_upper.shape.rank is not None and lower_upper.shape.rank < 2:
        raise ValueError('`lower_upper` must have at least 2 dimensions.')
    if None not in (lower_upper.shape.rank, perm.shape.rank) and lower_upper.shape.rank != perm.shape.rank + 1:
        raise ValueError('`rank(lower_upper)` must equal `rank(perm) + 1`')
    return lower_upper, perm


def lu_reconstruct(lower_upper, perm, validate_args=False, name=None):
    """The matrices that lu() took apart."""
    lower_upper, perm = _checked_lu(lower_upper, perm)
    lower, upper = _triangles(lower_upper)
    return _rows(lower @ upper, tf.argsort(perm))


def lu_solve(lower_upper, perm, rhs, validate_args=False, name=None):
    """The x of matrix * x = rhs, from what lu() made of the matrix."""
    lower_upper, perm = _checked_lu(lower_upper, perm)
    rhs = tf.convert_to_tensor(rhs, lower_upper.dtype)
    if rhs.shape.rank is not None and rhs.shape.rank < 2:
        raise ValueError('`rhs` must have at least 2 dimensions.')
    batch = tf.broadcast_dynamic_shape(tf.shape(perm)[:-1], tf.shape(rhs)[:-2])
    lower_upper, rhs = one_batch(lower_upper, rhs)
    perm = tf.broadcast_to(perm, tf.concat([batch, tf.shape(perm)[-1:]], 0))
    lower, upper = _triangles(lower_upper)
    return tf.linalg.triangular_solve(upper, tf.linalg.triangular_solve(lower, _rows(rhs, perm)), lower=False)


def lu_matrix_inverse(lower_upper, perm, validate_args=False, name=None):
    """The inverse of matrices, from what lu() made of them."""
    lower_upper, perm = _checked_lu(lower_upper, perm)
    size = tf.shape(lower_upper)[-1]
    return lu_solve(lower_upper, perm, tf.eye(size, batch_shape=tf.shape(lower_upper)[:-2], dtype=lower_upper.dtype))


def bands(diagonals, diagonals_format):
    """The upper, the middle and the lower diagonal, each as long as the matrix."""
    if diagonals_format == 'sequence':
        return tuple(tf.convert_to_tensor(d) for d in diagonals)
    diagonals = tf.convert_to_tensor(diagonals)
    if diagonals_format == 'compact':
        if diagonals.shape.rank is not None and (diagonals.shape.rank < 2 or diagonals.shape[-2] != 3):
            raise ValueError('Expected diagonals to have shape [..., 3, M], got %s' % diagonals.shape)
        return tuple(tf.unstack(diagonals, 3, -2))
    if diagonals_format == 'matrix':
        if diagonals.shape[-1] != diagonals.shape[-2]:
            raise ValueError('Expected last two dimensions of diagonals to be same, got %s' % diagonals.shape)
        pad = [[0, 0]] * (diagonals.shape.rank - 2)
        return (tf.pad(tf.linalg.diag_part(diagonals, k=1), [*pad, [0, 1]]), tf.linalg.diag_part(diagonals),
                tf.pad(tf.linalg.diag_part(diagonals, k=-1), [*pad, [1, 0]]))
    raise ValueError('Unrecognized diagonals_format: %s' % diagonals_format)


def tridiagonal_matmul(diagonals, rhs, diagonals_format='compact', name=None):
    """The product of tridiagonal matrices with others."""
    upper, middle, lower = (band[..., tf.newaxis] for band in bands(diagonals, diagonals_format))
    rhs = tf.convert_to_tensor(rhs, middle.dtype)
    zero = tf.zeros_like(rhs[..., :1, :])
    return middle * rhs + upper * tf.concat([rhs[..., 1:, :], zero], -2) + lower * tf.concat([zero, rhs[..., :-1, :]], -2)


for _f in (lu_reconstruct, lu_solve, lu_matrix_inverse, tridiagonal_matmul):
    _f.__module__ = 'footlight.linalg'
    setattr(_home, _f.__name__, _f)
