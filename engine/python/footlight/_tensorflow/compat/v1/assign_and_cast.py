"""Names of TensorFlow 1 that take a line or two in terms of today's."""
from __future__ import annotations

import operator

import footlight as tf
from footlight._public import alias
from footlight._typing import Any, Callable, DTypeLike

_v1 = tf.compat.v1


def _to(dtype: DTypeLike, own_name: Any) -> Callable[..., Any]:
    def convert(x, name=own_name):
        return tf.cast(x, dtype, name=name)
    return convert


for _name, _dtype in (('to_float', tf.float32), ('to_double', tf.float64), ('to_int32', tf.int32), ('to_int64', tf.int64)):
    for _namespace in (tf, _v1):
        setattr(_namespace, _name, _to(_dtype, _name.title().replace('_', '')))


def assign(ref: Any, value: Any, validate_shape: Any = None, use_locking: Any = None,
           name: str | None = None) -> tf.Variable:
    """Assigns a value to a variable."""
    return ref.assign(value, name=name)


def assign_add(ref: Any, value: Any, use_locking: Any = None, name: str | None = None) -> tf.Variable:
    """Adds to a variable."""
    return ref.assign_add(value, name=name)


def assign_sub(ref: Any, value: Any, use_locking: Any = None, name: str | None = None) -> Any:
    """Subtracts from a variable."""
    return ref.assign_sub(value, name=name)


alias('tf.compat.v1 tf', assign, assign_add, assign_sub)

# Names of today's functions in another place, with the same parameters.
_RENAMED = {
    'cross': 'linalg.cross', 'diag': 'linalg.tensor_diag', 'diag_part': 'linalg.tensor_diag_part',
    'floor_div': 'math.floordiv', 'matrix_band_part': 'linalg.band_part', 'matrix_determinant': 'linalg.det',
    'matrix_diag': 'linalg.diag', 'matrix_diag_part': 'linalg.diag_part', 'matrix_inverse': 'linalg.inv',
    'matrix_solve': 'linalg.solve', 'matrix_transpose': 'linalg.matrix_transpose',
    'matrix_triangular_solve': 'linalg.triangular_solve', 'check_numerics': 'debugging.check_numerics',
    'self_adjoint_eig': 'linalg.eigh', 'control_dependencies': 'control_dependencies', 'stop_gradient': 'stop_gradient',
    'strided_slice': 'strided_slice',
    **{name: 'linalg.' + name for name in ('cholesky', 'cholesky_solve', 'qr', 'svd', 'trace')},
    **{name: 'math.' + name for name in (
        'angle ceil conj digamma erf erfc floordiv imag invert_permutation is_finite is_inf is_nan lgamma log1p log_sigmoid '
        'mod real reciprocal rsqrt segment_sum squared_difference unsorted_segment_sum').split()}}
for _name, _place in _RENAMED.items():
    setattr(_v1, _name, operator.attrgetter(_place)(tf))
