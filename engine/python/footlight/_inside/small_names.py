"""Small names inside of TensorFlow that tests take: files, nests of elements, gradient checks, layouts, comparisons."""
import contextlib
import itertools

import footlight as tf
from footlight import _engine
from footlight._inside import places as _places
from footlight._old.distributions import divergences as _divergences, special as _special


_numbers = itertools.count()


# --- the state of eager execution ---
def _reset_context():
    """Would forget devices and settings: they are those of the process here, so that only functions' running eagerly ends."""
    tf.config.run_functions_eagerly(False)


def ensure_initialized():
    """Does nothing: the engine is ready when it is imported."""


# --- tensorflow.python.lib.io.file_io ---
def read_file_to_string(filename, binary_mode=False):
    """The whole of a file."""
    with tf.io.gfile.GFile(filename, 'rb' if binary_mode else 'r') as file:
        return file.read()


def write_string_to_file(filename, file_content):
    """Makes a file of this text, or these bytes."""
    with tf.io.gfile.GFile(filename, 'wb' if isinstance(file_content, bytes) else 'w') as file:
        file.write(file_content)


def atomic_write_string_to_file(filename, contents, overwrite=True):
    """Makes a file that is there as a whole or not at all."""
    beside = f'{filename}.tmp{next(_numbers)}'
    write_string_to_file(beside, contents)
    try:
        tf.io.gfile.rename(beside, filename, overwrite)
    except tf.errors.OpError:
        tf.io.gfile.remove(beside)
        raise


def file_exists(filename):
    """Whether there is a file or a folder of this name."""
    return tf.io.gfile.exists(filename)


def delete_file(filename):
    """Deletes a file."""
    tf.io.gfile.remove(filename)


def create_dir(dirname):
    """Makes a folder, whose parent is there."""
    tf.io.gfile.mkdir(dirname)


def recursive_create_dir(dirname):
    """Makes a folder, and those that it lies in."""
    tf.io.gfile.makedirs(dirname)


def list_directory(dirname):
    """The names in a folder."""
    return tf.io.gfile.listdir(dirname)


def get_matching_files(filename):
    """The files whose names fit a pattern, or one of several."""
    return tf.io.gfile.glob(filename)


def is_directory(dirname):
    """Whether it is a folder."""
    return tf.io.gfile.isdir(dirname)


def delete_recursively(dirname):
    """Deletes a folder with all that lies in it."""
    tf.io.gfile.rmtree(dirname)


# --- tensorflow.python.data.util.nest: a list in an element is a value, not a structure ---
class _Leaf:
    def __init__(self, value):
        self.value = value


def _hide_lists(structure):
    if isinstance(structure, list):
        return _Leaf(structure)
    if isinstance(structure, dict):
        made = {key: _hide_lists(value) for key, value in structure.items()}
        return made if type(structure) is dict else tf.nest.pack_sequence_as(structure, tf.nest.flatten(made))
    if isinstance(structure, tuple):
        parts = [_hide_lists(value) for value in structure]
        return type(structure)(*parts) if hasattr(structure, '_fields') else tuple(parts)
    return structure


def _shown(value):
    return value.value if isinstance(value, _Leaf) else value


def is_nested(structure):
    """Whether an element has parts: a list has none."""
    return not isinstance(structure, list) and tf.nest.is_nested(structure)


def flatten(structure):
    """The values of an element, lists among them."""
    return [_shown(value) for value in tf.nest.flatten(_hide_lists(structure))]


def pack_sequence_as(structure, flat_sequence):
    """An element of this structure with these values."""
    hidden = [_Leaf(value) for value in flat_sequence]
    return tf.nest.map_structure(_shown, tf.nest.pack_sequence_as(_hide_lists(structure), hidden))


def assert_same_structure(nest1, nest2, check_types=True):
    """An error unless both have the same structure."""
    tf.nest.assert_same_structure(_hide_lists(nest1), _hide_lists(nest2), check_types=check_types)


def map_structure(func, *structure, **check_types_dict):
    """An element whose values are those that `func` makes of the values of some elements."""
    check_types = check_types_dict.pop('check_types', True)
    if check_types_dict:
        raise ValueError(f'Only valid keyword argument is `check_types`, not: `{"`, `".join(check_types_dict)}`')
    if not callable(func):
        raise TypeError(f'`func` must be callable, got: {func}')
    if not structure:
        raise ValueError('Must provide at least one structure')
    for other in structure[1:]:
        assert_same_structure(structure[0], other, check_types=check_types)
    return pack_sequence_as(structure[0], [func(*values) for values in zip(*map(flatten, structure))])


# --- datasets ---
def are_compatible(spec1, spec2):
    """Whether elements of one spec can stand where those of another are expected."""
    try:
        tf.nest.assert_same_structure(spec1, spec2)
    except (TypeError, ValueError):
        return False
    return all(one.is_compatible_with(other) for one, other in zip(tf.nest.flatten(spec1), tf.nest.flatten(spec2)))


def _spec_of(element):
    """The spec of an element, with the structure of the element."""
    return map_structure(tf.type_spec_from_value, element)


def get_legacy_output_shapes(dataset_or_iterator):
    """The shapes of the elements' values, in their structure."""
    return _of_specs(dataset_or_iterator, lambda spec: spec._to_legacy_output_shapes() if hasattr(
        spec, '_to_legacy_output_shapes') else spec.shape)


def get_legacy_output_types(dataset_or_iterator):
    """The dtypes of the elements' values, in their structure."""
    return _of_specs(dataset_or_iterator, lambda spec: spec._to_legacy_output_types() if hasattr(
        spec, '_to_legacy_output_types') else spec.dtype)


def get_legacy_output_classes(dataset_or_iterator):
    """The classes of the elements' values, in their structure."""
    return _of_specs(dataset_or_iterator, lambda spec: spec.value_type)


def _of_specs(dataset_or_iterator, what):
    return map_structure(what, dataset_or_iterator.element_spec)


def _global_shuffle(dataset, seed=None, reshuffle_each_iteration=True, name=None):
    """All elements of a dataset in random order, each iteration in another one."""
    size = dataset.cardinality()
    if tf.executing_eagerly() and size <= 0:
        raise tf.errors.InvalidArgumentError(
            None, None, f'`global_shuffle` requires the input dataset to have a non-empty finite cardinality. Got cardinality: {int(size)}')
    return dataset.shuffle(size, seed=seed, reshuffle_each_iteration=reshuffle_each_iteration, name=name)


def toggle_test_mode(test_mode):
    """Says whether tests run: pipelines here are the same then."""
    _engine.namespace('python.data.ops.test_mode').TEST_MODE = bool(test_mode)


def toggle_debug_mode(debug_mode):
    """Has datasets run their functions eagerly, as tf.data.experimental.enable_debug_mode does, or not."""
    if debug_mode:
        tf.data.experimental.enable_debug_mode()
    _engine.namespace('python.data.ops.debug_mode').DEBUG_MODE = bool(debug_mode)


# --- gradient checks ---
def max_error(grad1, grad2):
    """The greatest difference between the Jacobians of two lists."""
    import numpy as np
    error = 0.
    for one, other in zip(grad1, grad2):
        if np.size(one) or np.size(other):
            error = np.maximum(error, np.fabs(one - other).max())
    return error


# --- comparisons ---
def approximate_equal(x, y, tolerance=1e-05, name=None):
    """Where two tensors of one shape differ by less than `tolerance`."""
    x, y = tf.convert_to_tensor(x), tf.convert_to_tensor(y)
    if not x.shape.is_compatible_with(y.shape):
        if x.shape.rank != y.shape.rank:
            raise ValueError(f'Shapes must be equal rank, but are {x.shape.rank} and {y.shape.rank}: x has the shape '
                             f'{x.shape}, y {y.shape}')
        raise ValueError(f'Shapes must be the same: x has the shape {x.shape}, y {y.shape}')
    return tf.less(tf.abs(tf.subtract(x, y)), tf.cast(tolerance, x.dtype.real_dtype), name=name)


def tensor_equals(self, other):
    """The operator == of tensors."""
    return tf.convert_to_tensor(self) == other


def tensor_not_equals(self, other):
    """The operator != of tensors."""
    return tf.convert_to_tensor(self) != other


def is_sparse(tensor):
    """Whether it is a SparseTensor, or the value of one."""
    return isinstance(tensor, (tf.SparseTensor, tf.compat.v1.SparseTensorValue))


def is_ragged(value):
    """Whether it is a RaggedTensor, or the value of one."""
    kinds = (tf.RaggedTensor,) + ((tf.compat.v1.ragged.RaggedTensorValue,) if hasattr(tf.compat.v1, 'ragged') else ())
    return isinstance(value, kinds)


def convert_to_tensor_or_ragged_tensor(value, dtype=None, preferred_dtype=None, name=None):
    """A ragged tensor as it is, anything else as a tensor."""
    if not is_ragged(value):
        return tf.compat.v1.convert_to_tensor(value, dtype, name, preferred_dtype)
    if dtype is not None and not tf.as_dtype(dtype).is_compatible_with(value.dtype):
        raise ValueError(f'Tensor conversion requested dtype {tf.as_dtype(dtype).name} for RaggedTensor with dtype '
                         f'{tf.as_dtype(value.dtype).name}: {value}')
    return value if isinstance(value, tf.RaggedTensor) else tf.ragged.constant(value.to_list(), dtype=value.dtype)


# --- tensorflow.python.ops.ragged.ragged_conversion_ops ---
def from_tensor(tensor, lengths=None, padding=None, ragged_rank=1, row_splits_dtype=tf.int64, name=None):
    """A ragged tensor of a whole one; a ragged one as it is."""
    if is_ragged(tensor):
        return tensor
    return tf.RaggedTensor.from_tensor(tensor, lengths, padding, ragged_rank, name, row_splits_dtype)


def to_tensor(rt_input, default_value=None, name=None):
    """A whole tensor of a ragged one; a whole one as it is."""
    return rt_input.to_tensor(default_value, name) if is_ragged(rt_input) else rt_input


def ragged_to_dense(rt_input, default_value=None, shape=None):
    """A whole tensor of a ragged one."""
    return rt_input.to_tensor(default_value=default_value, shape=shape)


def to_sparse(rt_input, name=None):
    """A sparse tensor of a ragged one."""
    return rt_input.to_sparse(name)


def from_sparse(st_input, name=None):
    """A ragged tensor of a sparse matrix."""
    return tf.RaggedTensor.from_sparse(st_input, name)


# --- layouts of images ---
def _moved(order):
    def move(input_tensor):
        """The same images, or the same shape, in the other layout."""
        if isinstance(input_tensor, tf.Tensor):
            rank = input_tensor.shape.rank
            return tf.transpose(input_tensor, order(rank))
        return [input_tensor[at] for at in order(len(input_tensor))]
    return move


NHWCToNCHW = _moved(lambda rank: [0, rank - 1, *range(1, rank - 1)])
NCHWToNHWC = _moved(lambda rank: [0, *range(2, rank), 1])


# --- how tests run ---
@contextlib.contextmanager
def deterministic_ops():
    """A context in which ops give the same bits each time."""
    before = _places.is_op_determinism_enabled()
    tf.config.experimental.enable_op_determinism()
    try:
        yield
    finally:
        if not before:
            _places.disable_op_determinism()


class AbstractGradientTape:
    """Gradients by a tape, or, with use_tape=False, by tf.gradients."""

    def __init__(self, use_tape, persistent=False):
        self._use_tape, self._persistent = use_tape, persistent

    def __enter__(self):
        self._tape = tf.GradientTape(persistent=self._persistent).__enter__() if self._use_tape else None
        return self

    def __exit__(self, *raised):
        return self._tape.__exit__(*raised) if self._use_tape else None

    def watch(self, x):
        """Has the gradient with respect to `x` recorded."""
        if self._use_tape:
            self._tape.watch(x)

    def gradient(self, y, xs, grad_ys=None):
        """The gradient of `y`, or of the sum of several."""
        if self._use_tape:
            return self._tape.gradient(y, xs, grad_ys)
        found = tf.gradients(y, xs, grad_ys)
        return found if isinstance(xs, (list, tuple)) else found[0]


def _unchanged(*given, **named):
    """A decorator for something that is always so here."""
    return given[0] if len(given) == 1 and callable(given[0]) else lambda test: test


def _is_never():
    """Whether the machine has what this engine does not use: no."""
    return False


def _is_always(*unused):
    """Whether something that this engine always does is done: yes."""
    return True


# --- tf.test.Benchmark ---
class Benchmark:
    """Methods named benchmark... measure something and report it."""

    def report_benchmark(self, iters=None, cpu_time=None, wall_time=None, throughput=None, extras=None, name=None, metrics=None):
        """Prints what was measured on a line."""
        parts = dict(iters=iters, cpu_time=cpu_time, wall_time=wall_time, throughput=throughput, **(extras or {}))
        print(f'{type(self).__name__}.{name or "benchmark"}: ' + ', '.join(
            f'{key} {value}' for key, value in parts.items() if value is not None))

    def evaluate(self, tensors):
        """The values of tensors."""
        return tf.nest.map_structure(lambda one: one.numpy() if hasattr(one, 'numpy') else one, tensors)


_HERE = globals()
for _path, _names in {
        'python.eager.context': '_reset_context ensure_initialized',
        'python.lib.io.file_io': (
            'read_file_to_string write_string_to_file atomic_write_string_to_file file_exists delete_file create_dir '
            'recursive_create_dir list_directory get_matching_files is_directory delete_recursively'),
        'python.data.util.nest': 'is_nested flatten pack_sequence_as assert_same_structure map_structure',
        'python.data.ops.dataset_ops': 'get_legacy_output_shapes get_legacy_output_types get_legacy_output_classes',
        'python.data.ops.iterator_ops': 'get_legacy_output_shapes get_legacy_output_types get_legacy_output_classes',
        'python.data.experimental.ops.global_shuffle_op': '_global_shuffle',
        'python.data.util.structure': 'are_compatible',
        'python.data.ops.test_mode': 'toggle_test_mode', 'python.data.ops.debug_mode': 'toggle_debug_mode',
        'python.ops.gradient_checker_v2': 'max_error',
        'python.ops.math_ops': 'approximate_equal tensor_equals tensor_not_equals',
        'python.framework.sparse_tensor': 'is_sparse',
        'python.ops.ragged.ragged_conversion_ops': 'from_tensor to_tensor ragged_to_dense to_sparse from_sparse',
        'python.ops.ragged.ragged_tensor': 'is_ragged convert_to_tensor_or_ragged_tensor',
        'python.framework.test_util': 'NHWCToNCHW NCHWToNHWC deterministic_ops AbstractGradientTape',
        'python.platform.test': 'Benchmark', 'python.eager.test': 'Benchmark', 'python.platform.googletest': 'Benchmark'}.items():
    for _name in _names.split():
        setattr(_engine.namespace(_path), _name, _HERE[_name])
for _path, _name, _object in (
        ('python.eager.context', '_context', _places.context()),
        ('python.lib.io.file_io', 'recursive_create_dir_v2', recursive_create_dir),
        ('python.lib.io.file_io', 'list_directory_v2', list_directory),
        ('python.lib.io.file_io', 'file_exists_v2', file_exists),
        ('python.lib.io.file_io', 'FileIO', tf.io.gfile.GFile),
        ('python.data.util.nest', 'is_sequence', is_nested),
        ('python.data.ops.dataset_ops', 'INFINITE', tf.data.INFINITE_CARDINALITY),
        ('python.data.ops.dataset_ops', 'UNKNOWN', tf.data.UNKNOWN_CARDINALITY),
        ('python.data.ops.test_mode', 'TEST_MODE', False),
        ('python.data.ops.debug_mode', 'DEBUG_MODE', False),
        ('python.data.util.structure', 'NoneTensorSpec', tf.NoneTensorSpec),
        ('python.data.util.structure', 'type_spec_from_value', _spec_of),
        ('python.ops.array_ops', 'newaxis', None),
        *(('python.ops.distributions.kullback_leibler', one, getattr(_divergences, one))
          for one in ('_DIVERGENCES', '_registered_kl', 'cross_entropy')),
        *(('python.ops.distributions.special_math', one, getattr(_special, one))
          for one in ('erfinv', 'log_cdf_laplace', 'log_ndtr', 'ndtr', 'ndtri')),
        ('python.tf2', 'enabled', _is_always),
        ('python.compat.compat', 'forward_compatible', lambda year, month, day: True),
        ('python.framework.test_util', 'matmul_without_tf32', tf.matmul),
        ('python.framework.test_util', 'GpuSupportsHalfMatMulAndConv', _is_never),
        ('python.framework.test_util', 'IsGoogleCudaEnabled', _is_never),
        ('python.framework.test_util', 'enable_tf_xla_constant_folding', _unchanged),
        ('python.framework.test_util', 'run_in_async_and_sync_mode', _unchanged),
        ('python.framework.test_util', 'with_forward_compatibility_horizons', _unchanged),
        *(('python.pywrap_sanitizers', f'is_{one}_enabled', _is_never) for one in ('asan', 'msan', 'tsan', 'ubsan'))):
    setattr(_engine.namespace(_path), _name, _object)
tf.test.Benchmark = Benchmark
