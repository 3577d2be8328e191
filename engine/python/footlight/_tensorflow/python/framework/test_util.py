"""tensorflow.python.framework.test_util: decorators that say how a test runs, as tests of TensorFlow programs use them."""
from __future__ import annotations

import contextlib
import functools
import inspect
import unittest

import footlight as tf
from footlight import _engine
from footlight._test import test_case as _test_case
from footlight._typing import Any, Callable, Iterator

TestCase = TensorFlowTestCase = _test_case.TestCase


def _of_method(wrap: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator that is used with and without arguments."""
    def decorator(func=None, *args, **kwargs):
        if callable(func):
            return functools.wraps(func)(wrap(func))
        return lambda f: functools.wraps(f)(wrap(f))
    return decorator


@_of_method
def run_in_graph_and_eager_modes(func: Callable[..., Any]) -> Callable[..., Any]:
    """Runs a test in a graph, then, set up again, eagerly."""
    def run(self, *args, **kwargs):
        with tf.Graph().as_default(), self.test_session():
            func(self, *args, **kwargs)
        self.tearDown()
        self._folder = None  # the second run finds no files of the first
        self.setUp()
        func(self, *args, **kwargs)
    return run


@_of_method
def _in_graph(func: Callable[..., Any]) -> Callable[..., Any]:
    def run(self, *args, **kwargs):
        with tf.Graph().as_default():
            func(self, *args, **kwargs)
    return run


run_deprecated_v1 = deprecated_graph_mode_only = _in_graph


@_of_method
def run_functions_eagerly(func: Callable[..., Any]) -> Callable[..., Any]:
    """Runs a test with functions as they are, and with functions that run eagerly."""
    def run(self, *args, **kwargs):
        before = tf.config.functions_run_eagerly()
        try:
            for eagerly in (True, False):
                tf.config.run_functions_eagerly(eagerly)
                func(self, *args, **kwargs)
        finally:
            tf.config.run_functions_eagerly(before)
    return run


@_of_method
def also_run_as_tf_function(func: Callable[..., Any]) -> Callable[..., Any]:
    """Runs a test eagerly, and as a function."""
    def run(self, *args, **kwargs):
        func(self, *args, **kwargs)
        tf.function(lambda: func(self, *args, **kwargs), autograph=False)()
    return run


@_of_method
def build_as_function_and_v1_graph(func: Callable[..., Any]) -> Callable[..., Any]:
    """Runs a test in a graph, and as a function."""
    def run(self, *args, **kwargs):
        with tf.Graph().as_default():
            func(self, *args, **kwargs)
        tf.function(lambda: func(self, *args, **kwargs), autograph=False)()
    return run


def assert_ops_in_graph(expected_ops: Any, graph: Any) -> dict[Any, Any]:
    """An error if the graph lacks one of these operations, by name and type."""
    found = {op.name: op.node_def for op in graph.get_operations() if op.name in expected_ops}
    for name, kind in expected_ops.items():
        if name not in found or found[name].op != kind:
            raise ValueError(f'Expected the operation {name!r} of type {kind!r} in the graph, found '
                             f"{found[name].op if name in found else 'none'}")
    return found


@_of_method
def run_gpu_only(func: Callable[..., Any]) -> Callable[..., Any]:
    """A test that is skipped without a GPU."""
    def run(self, *args, **kwargs):
        if not tf.test.is_gpu_available():
            self.skipTest('Test requires GPU')
        func(self, *args, **kwargs)
    return run


run_cuda_only = run_gpu_or_tpu = run_gpu_only


def run_v1_only(reason: Any, func: Any = None) -> Callable[..., Any]:
    """A test of TensorFlow 1's behaviour, which is skipped."""
    skip = unittest.skip(reason if isinstance(reason, str) else 'of TensorFlow 1')
    return skip(reason) if callable(reason) else skip(func) if func is not None else skip


@_of_method
def run_v2_only(func: Callable[..., Any]) -> Callable[..., Any]:
    """A test of TensorFlow 2's behaviour."""
    return lambda *args, **kwargs: func(*args, **kwargs)


def skip_if(condition: Any) -> Callable[..., Any]:
    """Decorates a test that does nothing where a condition holds."""
    def decorate(func):
        @functools.wraps(func)
        def run(*args, **kwargs):
            if not (condition() if callable(condition) else condition):
                func(*args, **kwargs)
        return run
    return decorate


@contextlib.contextmanager
def skip_if_error(test_obj: Any, error_type: Any, messages: Any = None) -> Iterator[Any]:
    """Skips the test where a part of it raises such an error."""
    try:
        yield
    except error_type as error:
        wanted = (messages,) if isinstance(messages, str) else messages or ('',)
        if any(message in str(error) for message in wanted):
            test_obj.skipTest(f'Skipping error: {error}')
        raise


def for_all_test_methods(decorator: Callable[..., Any], *args: Any, **kwargs: Any) -> Callable[..., Any]:
    """Decorates a class, each of whose tests is decorated. What is no class has no tests, and stays as it is."""
    def decorate(cls):
        if not inspect.isclass(cls):
            return cls
        for name, value in list(vars(cls).items()):
            if callable(value) and name.startswith(unittest.TestLoader.testMethodPrefix):
                setattr(cls, name, decorator(*args, **kwargs)(value))
        return cls
    return decorate


def _all_tests(decorator: Callable[..., Any]) -> Callable[..., Any]:
    return for_all_test_methods(lambda: decorator)


run_all_in_graph_and_eager_modes = _all_tests(run_in_graph_and_eager_modes)
run_all_in_deprecated_graph_mode_only = _all_tests(_in_graph)


def _unchanged(*given, **named):
    """A decorator for something that is always so here, with or without words in front of it."""
    return given[0] if len(given) == 1 and callable(given[0]) else lambda func: func


def device(use_gpu):
    """A context on a GPU, if wanted and there, else on the CPU."""
    return tf.device('/device:GPU:0' if use_gpu and tf.test.is_gpu_available() else '/device:CPU:0')


def use_gpu() -> Any:
    return device(True)


def force_gpu() -> Any:
    return tf.device('/device:GPU:0')


def force_cpu() -> Any:
    return tf.device('/device:CPU:0')


def _never() -> bool:
    return False


_home = _engine.namespace('python.framework.test_util')
for _name in (
        'TestCase TensorFlowTestCase run_in_graph_and_eager_modes run_deprecated_v1 deprecated_graph_mode_only '
        'run_functions_eagerly also_run_as_tf_function build_as_function_and_v1_graph assert_ops_in_graph run_gpu_only run_cuda_only run_gpu_or_tpu run_v1_only run_v2_only skip_if '
        'skip_if_error for_all_test_methods run_all_in_graph_and_eager_modes run_all_in_deprecated_graph_mode_only device '
        'use_gpu force_gpu force_cpu').split():
    setattr(_home, _name, globals()[_name])
for _name in ('assert_no_garbage_created assert_no_new_pyobjects_executing_eagerly assert_no_new_tensors disable_asan '
              'disable_cudnn_autotune disable_eager_op_as_function disable_mlir_bridge disable_msan disable_tfrt disable_tsan disable_ubsan disable_xla '
              'disable_control_flow_v2 enable_c_shapes enable_control_flow_v2 enable_eager_op_as_function '
              'enable_graph_building_optimization enable_nested_function_shape_inference enable_quantized_dtypes_training '
              'with_c_shapes no_xla_auto_jit run_all_without_tensor_float_32 run_without_tensor_float_32 '
              'with_control_flow_v2 with_eager_op_as_function xla_allow_fallback enable_output_all_intermediates').split():
    setattr(_home, _name, _unchanged)
for _name in ('is_asan_enabled is_mlir_bridge_enabled is_msan_enabled is_tsan_enabled is_ubsan_enabled is_xla_enabled '
              'IsMklEnabled IsBuiltWithNvcc IsBuiltWithROCm IsBuiltWithXLA').split():
    setattr(_home, _name, _never)
for _name in ('gpu_device_name', 'is_gpu_available', 'assert_equal_graph_def'):
    setattr(_home, _name, getattr(tf.test, _name))
tf.test.with_eager_op_as_function = _unchanged
