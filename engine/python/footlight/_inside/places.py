"""Modules inside of TensorFlow that libraries import by their place, with what those take from there."""
import contextlib

import footlight as tf
from footlight import _device_config, _engine
from footlight._saving import containers as _containers
from footlight._data import readers as _readers
from footlight._inside import graphs as _inside_graphs
from footlight._types import trace_types as _trace_types


_context = _inside_graphs.Context()


def context():
    """The state of eager execution."""
    return _context


@contextlib.contextmanager
def eager_mode():
    """A context in which ops run when they are called."""
    if tf.executing_eagerly():
        yield
    else:
        with tf._eager_scope():
            yield


@contextlib.contextmanager
def graph_mode():
    """A context in which ops go into a graph: the default one, where a program entered one."""
    if not tf.executing_eagerly():
        yield
        return
    with tf.Graph().as_default():
        yield


def async_wait():
    """Waits until all ops have run: they have."""


def disable_op_determinism():
    """Undoes tf.config.experimental.enable_op_determinism()."""
    _device_config._be_deterministic(False)


def is_op_determinism_enabled():
    """Whether tf.config.experimental.enable_op_determinism() was called."""
    return _device_config._deterministic()


def is_nan(x, name=None):
    """Where elements are not numbers."""
    return tf.math.is_nan(x, name=name)


def is_tf_type(x):
    """Whether it is a tensor, a variable or a composite of tensors."""
    return tf.is_tensor(x)


def TestRaiseFromStatus(code):
    """For tests: raises the error that has a code, with two payloads."""
    for kind in vars(tf.errors).values():
        if isinstance(kind, type) and issubclass(kind, tf.errors.OpError) and kind is not tf.errors.OpError:
            error = kind(None, None, 'Testing error', {b'key1': b'value1', b'key2': b'value2'})
            if error.error_code == code:
                raise error
    raise ValueError('no error has the code %r' % (code,))


# --- specs by name, for files ---
_specs = {}
_names_of_specs = {}


def register(name):
    """Decorates a class of specs that files name."""
    def add(kind):
        if name in _specs:
            raise ValueError('Name %s has already been registered for class %s.' % (name, _specs[name]))
        _specs[name], _names_of_specs[kind] = kind, name
        return kind
    return add


def get_name(kind):
    """The name that files have for a class of specs."""
    if kind not in _names_of_specs:
        raise ValueError('TypeSpec %s has not been registered.' % kind)
    return _names_of_specs[kind]


def lookup(name):
    """The class of specs that files call by this name."""
    if name not in _specs:
        raise ValueError('No TypeSpec has been registered with name %r' % (name,))
    return _specs[name]


def _register_own():
    for name in ('TensorSpec', 'SparseTensorSpec', 'RaggedTensorSpec', 'IndexedSlicesSpec', 'VariableSpec'):
        kind = getattr(tf, name, None)
        if kind is not None:
            register('tf.' + name)(kind)


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


def dynamic_update_slice(x, updates, start_indices, name=None):
    """`x` with a part replaced by `updates`, from `start_indices` on: moved back where it would reach over the end."""
    x, updates = tf.convert_to_tensor(x), tf.convert_to_tensor(updates)
    start = tf.cast(tf.stack([tf.reshape(s, []) for s in start_indices]) if isinstance(start_indices, (list, tuple))
                    else start_indices, tf.int32)
    whole, part = tf.shape(x), tf.shape(updates)
    start = tf.clip_by_value(start, 0, whole - part)
    around = tf.stack([start, whole - part - start], axis=1)
    there = tf.pad(tf.ones(part, tf.int8), around) > 0
    if x.dtype == tf.bool:
        placed = tf.cast(tf.pad(tf.cast(updates, tf.int8), around), tf.bool)
    else:
        placed = tf.pad(updates, around)
    placed = tf.where(there, placed, x, name=name)
    placed.set_shape(x.shape)
    return placed


def compute_batch_size(dataset):
    """The size of the batches of a dataset, or -1 where it is not known."""
    sizes = {spec.shape[0] if spec.shape.rank else None for spec in tf.nest.flatten(dataset.element_spec)}
    size = sizes.pop() if len(sizes) == 1 else None
    return tf.constant(-1 if size is None else size, tf.int64)


def get_build_info():
    """How the engine was built: keys as in TensorFlow."""
    return {'is_cuda_build': tf.test.is_built_with_cuda(), 'is_rocm_build': False, 'is_tensorrt_build': False,
            'cpu_compiler': 'g++', 'msvcp_dll_names': ''}


def get_include():
    raise NotImplementedError('tf.sysconfig.get_include: ops in C++ are not compiled against this engine')


def bucketize(input, boundaries, name=None):
    """Between which boundaries each element lies: the number of those that are not above it."""
    if not isinstance(boundaries, (list, tuple)):
        raise TypeError(f"Expected list for 'boundaries' argument to 'bucketize' Op, not {boundaries!r}.")
    from footlight._raw_ops import op as _op
    return _op('Bucketize', input=input, boundaries=[float(one) for one in boundaries], name=name)[0]


for _path, _objects in {
        'compiler.tf2xla.python.xla': {'dynamic_update_slice': dynamic_update_slice},
        'python.data.experimental.ops.distribute': {'compute_batch_size': compute_batch_size},
        'python.eager.context': {'async_wait': async_wait, 'context': context, 'eager_mode': eager_mode, 'graph_mode': graph_mode},
        'python.framework._errors_test_helper': {'TestRaiseFromStatus': TestRaiseFromStatus},
        'python.framework.config': {
            'is_op_determinism_enabled': is_op_determinism_enabled, 'disable_op_determinism': disable_op_determinism,
            'enable_op_determinism': _device_config.enable_op_determinism},
        'python.framework.tensor_util': {'is_tf_type': is_tf_type},
        'python.framework.type_spec_registry': {
            'get_name': get_name, 'lookup': lookup, 'register': register, '_NAME_TO_TYPE_SPEC': _specs,
            '_TYPE_SPEC_TO_NAME': _names_of_specs},
        'python.lib.io.tf_record': {'tf_record_iterator': _readers.tf_record_iterator},
        'python.ops.linalg.sparse.sparse_csr_matrix_ops': {
            'csr_sparse_matrix_to_sparse_tensor': csr_sparse_matrix_to_sparse_tensor,
            'sparse_matrix_sparse_mat_mul': sparse_matrix_sparse_mat_mul,
            'sparse_tensor_to_csr_sparse_matrix': sparse_tensor_to_csr_sparse_matrix},
        'python.ops.math_ops': {'is_nan': is_nan},
        'python.trackable.data_structures': {'ListWrapper': _containers.ListWrapper,
                                             '_DictWrapper': _containers._DictWrapper},
        'python.types.trace': {'CastContext': _trace_types.CastContext, 'PlaceholderContext': _trace_types.PlaceholderContext,
                               'TracingContext': _trace_types.TracingContext},
        'raw_ops': {'Bucketize': bucketize},
        'sysconfig': {'get_build_info': get_build_info, 'get_include': get_include}}.items():
    for _name, _object in _objects.items():
        setattr(_engine.namespace(_path), _name, _object)
_register_own()
from footlight import _logging  # noqa: E402,F401  (these add the names of modules too)
from footlight._graphs import session_values  # noqa: E402,F401
from footlight._linalg import linear_operator  # noqa: E402,F401
from footlight._inside import (  # noqa: E402,F401
    control, deprecation, exports, functions, gradients, library_hooks, nests, old_library, specs, tracing, list_ops, map_ops,
    python_util)
