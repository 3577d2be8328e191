"""tensorflow.python.ops.linalg.sparse.sparse_csr_matrix_ops: sparse matrices by rows, kept as sparse tensors here."""
import footlight as tf
from footlight._tensorflow.publish import publish


# --- sparse matrices by rows: kept as sparse tensors here ---
class _Rows:
    def __init__(self, sparse, dtype):
        self.sparse, self.dtype = sparse, dtype


def sparse_tensor_to_csr_sparse_matrix(indices, values, dense_shape, name=None):
    """A sparse matrix."""
    return _Rows(tf.SparseTensor(indices, values, dense_shape), values.dtype)


def csr_sparse_matrix_to_sparse_tensor(sparse_matrix, type, name=None):
    """The parts of its SparseTensor."""
    return tf.sparse.reorder(sparse_matrix.sparse) if hasattr(tf.sparse, 'reorder') else sparse_matrix.sparse


def sparse_matrix_sparse_mat_mul(a, b, type, transpose_a=False, transpose_b=False, adjoint_a=False, adjoint_b=False,
                                 name=None):
    """The product of two sparse matrices."""
    product = tf.matmul(tf.sparse.to_dense(a.sparse), tf.sparse.to_dense(b.sparse), transpose_a, transpose_b, adjoint_a,
                        adjoint_b)
    return _Rows(tf.sparse.from_dense(product), product.dtype)


publish(globals(), (
    'csr_sparse_matrix_to_sparse_tensor sparse_matrix_sparse_mat_mul '
    'sparse_tensor_to_csr_sparse_matrix'))
