"""tf.linalg: solutions and inverses from LU, and matrices that are bands: products, solutions, eigenvalues."""
from __future__ import annotations

import footlight as tf
from footlight._linalg.linear_operator import one_batch
from footlight._public import publish
from footlight._typing import Any, TensorLike



def _rows(x, perm):
    """Row perm[i] of matrices as row i."""
    return tf.gather(x, perm, axis=-2, batch_dims=perm.shape.rank - 1)


def _triangles(lower_upper: Any) -> tuple[Any, ...]:
    lower = tf.linalg.set_diag(tf.linalg.band_part(lower_upper, -1, 0), tf.ones(tf.shape(lower_upper)[:-1], lower_upper.dtype))
    return lower, tf.linalg.band_part(lower_upper, 0, -1)


def _checked_lu(lower_upper: Any, perm: Any) -> tuple[Any, ...]:
    lower_upper, perm = tf.convert_to_tensor(lower_upper), tf.convert_to_tensor(perm)
    if lower_upper.shape.rank is not None and lower_upper.shape.rank < 2:
        raise ValueError('`lower_upper` must have at least 2 dimensions.')
    if None not in (lower_upper.shape.rank, perm.shape.rank) and lower_upper.shape.rank != perm.shape.rank + 1:
        raise ValueError('`rank(lower_upper)` must equal `rank(perm) + 1`')
    return lower_upper, perm


def lu_reconstruct(lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None) -> Any:
    """The matrices that lu() took apart."""
    lower_upper, perm = _checked_lu(lower_upper, perm)
    lower, upper = _triangles(lower_upper)
    return _rows(lower @ upper, tf.argsort(perm))


def lu_solve(lower_upper: Any, perm: Any, rhs: TensorLike, validate_args: bool = False, name: str | None = None) -> Any:
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


def lu_matrix_inverse(lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None) -> Any:
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
            raise ValueError(f'Expected diagonals to have shape [..., 3, M], got {diagonals.shape}')
        return tuple(tf.unstack(diagonals, 3, -2))
    if diagonals_format == 'matrix':
        if diagonals.shape[-1] != diagonals.shape[-2]:
            raise ValueError(f'Expected last two dimensions of diagonals to be same, got {diagonals.shape}')
        pad = [[0, 0]] * (diagonals.shape.rank - 2)
        return (tf.pad(tf.linalg.diag_part(diagonals, k=1), [*pad, [0, 1]]), tf.linalg.diag_part(diagonals),
                tf.pad(tf.linalg.diag_part(diagonals, k=-1), [*pad, [1, 0]]))
    raise ValueError(f'Unrecognized diagonals_format: {diagonals_format}')


def tridiagonal_matmul(diagonals: Any, rhs: TensorLike, diagonals_format: str = 'compact',
                       name: str | None = None) -> Any:
    """The product of tridiagonal matrices with others."""
    upper, middle, lower = (band[..., tf.newaxis] for band in bands(diagonals, diagonals_format))
    rhs = tf.convert_to_tensor(rhs, middle.dtype)
    zero = tf.zeros_like(rhs[..., :1, :])
    return middle * rhs + upper * tf.concat([rhs[..., 1:, :], zero], -2) + lower * tf.concat([zero, rhs[..., :-1, :]], -2)


def _whole_band(band: tf.Tensor, size: int, before: bool) -> tf.Tensor:
    """A band as long as the matrix: one that has only its own elements gets a 0 in front or at the end."""
    length = band.shape[-1]
    if length is not None and size is not None and length not in (size, size - 1):
        raise ValueError(f"Expected {'subdiagonal' if before else 'superdiagonal'} to be have length {size} or "
                         f'{size - 1}, got {length}')
    if length is None or size is None or length == size:
        return band
    return tf.pad(band, [[0, 0]] * (band.shape.rank - 1) + [[1, 0] if before else [0, 1]])


def tridiagonal_solve(diagonals: Any, rhs: TensorLike, diagonals_format: str = 'compact', transpose_rhs: bool = False,
                      conjugate_rhs: bool = False, name: str | None = None, partial_pivoting: bool = True,
                      perturb_singular: bool = False) -> tf.Tensor:
    """The x of matrix * x = rhs, for tridiagonal matrices.

    diagonals_format says what `diagonals` is: 'compact', [..., 3, M], the upper, the main and the lower diagonal; 'sequence',
    these three apart; 'matrix', [..., M, M]. `rhs` is [..., M], or [..., M, K] for K systems.
    """
    if perturb_singular and not partial_pivoting:
        raise ValueError('partial_pivoting must be True if perturb_singular is.')
    if diagonals_format == 'sequence':
        if len(diagonals) != 3:
            raise ValueError('Expected diagonals to be a sequence of length 3.')
        rhs = tf.convert_to_tensor(rhs)
        upper, middle, lower = (tf.convert_to_tensor(d, rhs.dtype) for d in diagonals)
        diagonals = tf.stack([_whole_band(upper, middle.shape[-1], False), middle,
                              _whole_band(lower, middle.shape[-1], True)], -2)
    else:
        diagonals = tf.stack(bands(diagonals, diagonals_format), -2)
        rhs = tf.convert_to_tensor(rhs, diagonals.dtype)
    if diagonals.shape.rank is None or rhs.shape.rank is None:
        raise ValueError('tf.linalg.tridiagonal_solve needs to know how many dimensions diagonals and rhs have; say it with '
                         'ensure_shape')
    rank = diagonals.shape.rank
    if rhs.shape.rank not in (rank - 1, rank):
        raise ValueError(f'Expected the rank of rhs to be {rank - 1} or {rank}, got {rhs.shape.rank}')

    def solved(columns):
        return tf.raw_ops.TridiagonalSolve(diagonals=diagonals, rhs=columns, partial_pivoting=partial_pivoting,
                                           perturb_singular=perturb_singular)

    with tf.name_scope(name or 'tridiagonal_solve'):
        if rhs.shape.rank == diagonals.shape.rank - 1:
            if transpose_rhs:
                raise ValueError('`rhs` of one system cannot be transposed: with transpose_rhs its shape is [..., K, M]')
            return solved((tf.math.conj(rhs) if conjugate_rhs else rhs)[..., tf.newaxis])[..., 0]
        if transpose_rhs:
            rhs = tf.linalg.matrix_transpose(rhs, conjugate=conjugate_rhs)
        elif conjugate_rhs:
            rhs = tf.math.conj(rhs)
        return solved(rhs)


def eigh_tridiagonal(alpha: TensorLike, beta: TensorLike, eigvals_only: bool = True, select: str = 'a',
                     select_range: Any = None, tol: Any = None, name: str | None = None) -> Any:
    """The eigenvalues, and with eigvals_only=False the eigenvectors, of a self-adjoint tridiagonal matrix.

    `alpha` is its diagonal, `beta` what is above that. `select` is 'a' for all of them, 'i' for those whose indices are in
    `select_range`, both included, 'v' for those in the interval of `select_range`, without its lower end. They are exact to
    the dtype, so that `tol` has nothing to say.
    """
    with tf.name_scope(name or 'eigh_tridiagonal'):
        alpha, beta = tf.convert_to_tensor(alpha), tf.convert_to_tensor(beta)
        if alpha.dtype != beta.dtype:
            raise ValueError("'alpha' and 'beta' must have the same type.")
        if not (alpha.dtype.is_floating or alpha.dtype.is_complex):
            raise ValueError(f"'alpha' and 'beta' must be floats or complex numbers, not {alpha.dtype.name}; cast them first")
        if select not in ('a', 'i', 'v'):
            raise ValueError("'select must have a value in {'a', 'i', 'v'}.")
        if select != 'a' and (select_range is None or len(select_range) != 2):
            raise ValueError(f"select={select!r} needs select_range=(first, last), got {select_range!r}")
        if alpha.shape.rank not in (None, 1) or beta.shape.rank not in (None, 1):
            raise ValueError(f"'alpha' and 'beta' must be vectors, their shapes are {alpha.shape} and {beta.shape}; use "
                             'tf.map_fn for several matrices')
        wide = {tf.float16: tf.float32, tf.bfloat16: tf.float32}.get(alpha.dtype, alpha.dtype)
        if alpha.dtype.is_complex:
            alpha = tf.cast(tf.math.real(alpha), alpha.dtype)
        main, lower = tf.cast(alpha, wide), tf.math.conj(tf.cast(beta, wide))
        matrix = tf.linalg.diag(main) + tf.pad(tf.linalg.diag(lower), [[1, 0], [0, 1]])
        if eigvals_only:
            values, vectors = tf.linalg.eigvalsh(matrix), None
        else:
            values, vectors = tf.linalg.eigh(matrix)
        values = tf.math.real(values)
        if select == 'i':
            first, last = (tf.cast(end, tf.int32) for end in select_range)
            tf.debugging.assert_less_equal(first, last, message='Got empty index range in select_range.')
            size = tf.shape(values)[0]
            tf.debugging.assert_greater_equal(first, 0, message='select_range begins before the first eigenvalue.')
            tf.debugging.assert_less(last, size, message='select_range ends after the last eigenvalue.')
            values = values[first:last + 1]
            vectors = None if vectors is None else vectors[:, first:last + 1]
        elif select == 'v':
            low, high = (tf.cast(end, values.dtype) for end in select_range)
            tf.debugging.assert_less(low, high, message='Got empty interval in select_range.')
            kept = tf.logical_and(values > low, values <= high)
            values = tf.boolean_mask(values, kept)
            vectors = None if vectors is None else tf.boolean_mask(vectors, kept, axis=1)
        values = tf.cast(values, {tf.complex64: tf.float32, tf.complex128: tf.float64}.get(alpha.dtype, alpha.dtype))
        return values if vectors is None else (values, tf.cast(vectors, alpha.dtype))


def banded_triangular_solve(bands: TensorLike, rhs: TensorLike, lower: bool = True, adjoint: bool = False,
                            name: str | None = None) -> tf.Tensor:
    """The solution of systems with a triangular matrix of few diagonals.

    bands: [..., K, M], for `lower` the diagonal and the K - 1 below it in this order, else the K - 1 above it and the diagonal; what
    would lie outside of the matrix is at the end of diagonals above and at the beginning of those below.
    rhs: [..., M, N].
    """
    with tf.name_scope(name or 'banded_triangular_solve'):
        bands = tf.convert_to_tensor(bands)
        rhs = tf.convert_to_tensor(rhs, bands.dtype)
        for what, tensor in (('bands', bands), ('rhs', rhs)):
            if tensor.shape.rank is not None and tensor.shape.rank < 2:
                raise ValueError(f'`{what}` must have two dimensions or more, its shape is {tensor.shape}')
        count, size = bands.shape[-2:] if bands.shape.rank is not None else (None, None)
        if count is not None and size is not None and count > size:
            raise ValueError(f'{count} bands are more than a matrix of size {size} has')
        if bands.shape.rank is not None and rhs.shape.rank is not None and not bands.shape[-1:].is_compatible_with(rhs.shape[-2:-1]):
            raise ValueError(f'the size of the matrix, {size}, is not the number of rows of `rhs`, {rhs.shape[-2]}')
        diagonals = tf.shape(bands)[-2] if count is None else count

        def banded():
            k = tf.stack([1 - diagonals, 0] if lower else [0, diagonals - 1])
            return tf.linalg.diag(bands, k=k, align='LEFT_RIGHT')

        def diagonal():
            return tf.linalg.diag(bands[..., 0, :])
        matrix = tf.cond(tf.equal(diagonals, 1), diagonal, banded) if count is None else diagonal() if count == 1 else banded()
        return tf.linalg.triangular_solve(matrix, rhs, lower=lower, adjoint=adjoint)


publish('tf.linalg', banded_triangular_solve, tridiagonal_solve, eigh_tridiagonal, lu_reconstruct, lu_solve,
        lu_matrix_inverse, tridiagonal_matmul)
