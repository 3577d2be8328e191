"""tensorflow.python.autograph.utils: helpers of AutoGraph and of its tests."""
from __future__ import annotations

import re
import sys
import traceback
import types
import unittest

import footlight as tf
from footlight import _engine
from footlight._autograph import ag as _ag
from footlight._typing import Any, Callable


def _place(path: Any, names: str, source: Any = None) -> Any:
    module = _engine.namespace('python.autograph.' + path)
    for name in names.split():
        setattr(module, name, getattr(source, name) if source else globals()[name])
    return module


# Words for the user

def set_verbosity(level: Any, alsologtostdout: bool = False) -> None:
    """How much conversions say, and whether on standard output too."""
    tf.autograph.set_verbosity(level, alsologtostdout)
    _logging.verbosity_level, _logging.echo_log_to_stdout = level, alsologtostdout


def get_verbosity() -> Any:
    """What set_verbosity, or the environment, asks for."""
    import os
    level = _logging.verbosity_level
    return int(os.environ.get(_logging.VERBOSITY_VAR_NAME, _logging.DEFAULT_VERBOSITY)) if level is None else level


def has_verbosity(level):
    """Whether words of this level are wanted."""
    return get_verbosity() >= level


def _say(how: Any, before: Any, message: str, args: Any, named: Any) -> None:
    getattr(tf.get_logger(), how)(message, *args, **named)
    if _logging.echo_log_to_stdout:
        print(before + (message % args if args else message), flush=True)
        if named.get('exc_info'):
            traceback.print_exc()


def error(level: Any, msg: Any, *args: Any, **kwargs: Any) -> None:
    """An error, where words of this level are wanted."""
    if has_verbosity(level):
        _say('error', 'ERROR: ', msg, args, kwargs)


def log(level: Any, msg: Any, *args: Any, **kwargs: Any) -> None:
    """A remark, where words of this level are wanted."""
    if has_verbosity(level):
        _say('info', '', msg, args, kwargs)


def warning(msg: Any, *args: Any, **kwargs: Any) -> None:
    """A warning."""
    _say('warning', 'WARNING: ', msg, args, kwargs)


def trace(*args: Any) -> None:
    """Prints its arguments while tracing."""
    print(*args)


# Tensors

def is_tensor_array(t: Any) -> bool:
    return isinstance(t, tf.TensorArray)


def is_tensor_list(t):
    """Whether it is a list in a tensor."""
    return _ag._is_tensor_list(t)


def is_dense_tensor(t):
    """Whether it is a tensor, of rows of any length too, and not a sparse one."""
    return tf.is_tensor(t) and not isinstance(t, tf.SparseTensor)


def is_range_tensor(t):
    """Whether it is made by tf.range."""
    return tf.is_tensor(t) and hasattr(t, 'op') and t.op.type == 'Range'


def alias_tensors(*args):
    """The same, with other objects for tensors."""
    made = tuple(tf.identity(a) if isinstance(a, tf.Tensor) else a for a in args)
    return made[0] if len(made) == 1 else made


def get_range_len(start, limit, delta):
    """How many numbers a range of tensors has."""
    distance = limit - start
    whole = distance // delta + tf.cast(tf.not_equal(distance % delta, tf.zeros_like(distance)), distance.dtype)
    return tf.maximum(whole, tf.zeros_like(whole))


def control_dependency_on_returns(return_value):
    """A context whose ops run after those of a value."""
    parts = [part for part in tf.nest.flatten(return_value) if part is not None]
    return tf.control_dependencies([part.flow if is_tensor_array(part) else part for part in parts])


def dynamic_list_append(target, element):
    """A list of any kind with one more element."""
    if isinstance(target, TensorList):
        target.append(element)
        return target
    if tf.is_tensor(target) and not is_tensor_list(target):
        raise ValueError(f'list appending is not supported for a tensor of {target.dtype.name}')
    return _ag.list_append(target, element)


class TensorList:
    """A list in a tensor that is used as a Python list."""

    def __init__(self, shape: Any, dtype: Any) -> None:
        self.dtype, self.shape = dtype, shape
        self.clear()

    def _shape(self) -> Any:
        shape = self.shape
        return tf.constant(tf.TensorShape(shape).as_list(), tf.int32) if isinstance(shape, (tuple, tf.TensorShape)) else shape

    def append(self, value):
        self.list_ = tf.raw_ops.TensorListPushBack(input_handle=self.list_, tensor=tf.convert_to_tensor(value, self.dtype))

    def pop(self) -> Any:
        self.list_, value = tf.raw_ops.TensorListPopBack(input_handle=self.list_, element_shape=self._shape(),
                                                         element_dtype=self.dtype)
        return value

    def clear(self):
        self.list_ = tf.raw_ops.EmptyTensorList(element_shape=self._shape(), max_num_elements=-1, element_dtype=self.dtype)

    def count(self) -> Any:
        return tf.raw_ops.TensorListLength(input_handle=self.list_)

    def __getitem__(self, key):
        return tf.raw_ops.TensorListGetItem(input_handle=self.list_, index=key, element_shape=self._shape(),
                                            element_dtype=self.dtype)

    def __setitem__(self, key: Any, value: Any) -> None:
        self.list_ = tf.raw_ops.TensorListSetItem(input_handle=self.list_, index=key,
                                                  item=tf.convert_to_tensor(value, self.dtype))


# Tests

class AutoGraphTestCase(tf.test.TestCase):
    """Base of tests of AutoGraph: each runs in a function, and what it compares is compared with the values afterwards."""

    def __new__(cls, *args):
        made = super().__new__(cls)
        for name in vars(cls):
            method = getattr(made, name)
            if name.startswith(unittest.TestLoader.testMethodPrefix) and callable(method):
                setattr(made, name, types.MethodType(cls._in_function(method), made))
        return made

    @staticmethod
    def _in_function(method: Any) -> Callable[..., Any]:
        def run(self):
            @tf.function(autograph=False)
            def traced():
                self._later, self._about_graph, self._raises = [], [], None
                method()
                return [args for _, args in self._later]
            try:
                found = traced()
                for check in self._about_graph:
                    check(traced.get_concrete_function().graph.as_graph_def())
                found = self.evaluate(found)
            except BaseException:
                if self._raises is None:
                    raise
                self._raises.__exit__(*sys.exc_info())
                return
            for (check, _), values in zip(self._later, found):
                check(*values)
        return run

    def setUp(self):
        super().setUp()
        self.variables, self._raises = {}, None

    def variable(self, name, value, dtype):
        """A variable that is made once, outside of the function."""
        with tf._eager_scope():
            if name not in self.variables:
                self.variables[name] = tf.Variable(value, dtype=dtype)
        return self.variables[name]

    def _created(self) -> Any:
        """The types of the ops that the test has made so far."""
        made = tf.compat.v1.get_default_graph().as_graph_def()
        return {node.op for node in made.node}.union(*[{node.op for node in f.node_def} for f in made.library.function])

    def assertOpCreated(self, op_type: Any) -> None:
        self.assertIn(op_type, self._created())

    def assertOpsNotCreated(self, op_types: Any) -> None:
        self.assertEmpty(self._created() & set(op_types))

    def assertNoOpsCreated(self) -> None:
        self.assertEmpty(self._created())

    def assertGraphContains(self, op_regex: Any, n: Any) -> None:
        """Checks after the trace how many nodes have such a name."""
        def check(graph):
            nodes = [*graph.node, *(node for f in graph.library.function for node in f.node_def)]
            self.assertLen([node.name for node in nodes if re.match(op_regex, node.name)], n)
        self._about_graph.append(check)

    @staticmethod
    def _compare_later(name):
        def assertion(self, *args):
            self._later.append((getattr(super(), name), list(args)))
        assertion.__name__ = name
        return assertion

    assertEqual, assertLess, assertGreaterEqual, assertDictEqual = map(
        _compare_later, ('assertEqual', 'assertLess', 'assertGreaterEqual', 'assertDictEqual'))
    del _compare_later

    def assertRaisesRuntime(self, *args):
        """Expects an error when the function runs, if what raises it is part of what runs."""
        if self._raises is not None:
            raise ValueError('cannot use more than one assertRaisesRuntime in a test')
        self._raises = self.assertRaisesRegex(*args)
        self._raises.__enter__()


_logging = _place('utils.ag_logging', 'error get_verbosity has_verbosity log set_verbosity trace warning')
_logging.logging = tf.get_logger()
_logging.VERBOSITY_VAR_NAME, _logging.DEFAULT_VERBOSITY = 'AUTOGRAPH_VERBOSITY', 0
_logging.verbosity_level, _logging.echo_log_to_stdout = None, hasattr(sys, 'ps1')
_place('utils.context_managers', 'control_dependency_on_returns')
_place('utils.misc', 'alias_tensors get_range_len')
_place('utils.tensor_list', 'TensorList dynamic_list_append')
_place('utils.tensors', 'is_dense_tensor is_range_tensor is_tensor_array is_tensor_list')
_place('utils.testing', 'AutoGraphTestCase')
_place('utils', 'alias_tensors control_dependency_on_returns dynamic_list_append')
