"""tensorflow.python.ops.linalg.sparse.sparse_csr_matrix_ops: sparse matrices by rows, kept as sparse tensors here."""
from __future__ import annotations

import footlight as tf
from footlight._tensorflow.publish import publish
from footlight._typing import Any


class _Rows:
    def __init__(self, sparse: Any, dtype: Any) -> None:
        self.sparse, self.dtype = sparse, dtype


def sparse_tensor_to_csr_sparse_matrix(indices: Any, values: Any, dense_shape: Any, name: str | None = None) -> Any:
    """A sparse matrix."""
    return _Rows(tf.SparseTensor(indices, values, dense_shape), values.dtype)


def csr_sparse_matrix_to_sparse_tensor(sparse_matrix: Any, type: Any, name: str | None = None) -> Any:
    """The parts of its SparseTensor."""
    return tf.sparse.reorder(sparse_matrix.sparse) if hasattr(tf.sparse, 'reorder') else sparse_matrix.sparse


def sparse_matrix_sparse_mat_mul(a: Any, b: Any, type: Any, transpose_a: bool = False, transpose_b: bool = False,
                                 adjoint_a: bool = False, adjoint_b: bool = False, name: str | None = None) -> Any:
    """The product of two sparse matrices."""
    product = tf.matmul(tf.sparse.to_dense(a.sparse), tf.sparse.to_dense(b.sparse), transpose_a, transpose_b, adjoint_a,
                        adjoint_b)
    return _Rows(tf.sparse.from_dense(product), product.dtype)


publish(globals())
