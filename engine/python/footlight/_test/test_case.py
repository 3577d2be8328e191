"""tf.test.TestCase: unittest's with assertions about tensors, and values that are read eagerly or from a session."""
from __future__ import annotations

import collections.abc
import contextlib
import difflib
import os
import random
import re
import shutil
import tempfile
import threading
import unittest
import unittest.mock

import footlight as tf
from footlight import _engine
from footlight._public import alias
from footlight._test import temporary_files as _temporary_files
from footlight._typing import Any, Callable, Iterator, TensorLike

_SEED = 87654321  # of every test, as in TensorFlow
_NUMBER = r'(?<![\w"])-?\d+(?:\.\d+)?(?:e[-+]?\d+)?'
_NO_NUMPY_KINDS = ('S', 'U', 'O')


def _numpy() -> Any:
    import numpy
    return numpy


def _value(tensor):
    """What a test sees of a tensor that has a value."""
    if isinstance(tensor, tf.SparseTensor):
        return tf.compat.v1.SparseTensorValue(tensor.indices.numpy(), tensor.values.numpy(), tensor.dense_shape.numpy())
    if isinstance(tensor, tf.IndexedSlices):
        return type(tensor)(*[None if part is None else part.numpy()
                              for part in (tensor.values, tensor.indices, tensor.dense_shape)])
    if tf.is_tensor(tensor) and hasattr(tensor, 'to_list'):
        return tensor
    return tensor.numpy() if hasattr(tensor, 'numpy') and hasattr(tensor, 'dtype') else tensor


class _EagerSession:
    """What session() gives where ops run at once."""

    def __init__(self, test: Any) -> None:
        self._test = test

    def run(self, fetches: tf.Variable, *args: Any, **kwargs: Any) -> Any:
        if kwargs.pop('feed_dict', None) or any(args):
            raise NotImplementedError('a session without a graph takes no feeds')
        return self._test.evaluate(fetches)


class CapturedWrites:
    """What was written to a stream of the process, by Python or by the engine."""

    def __init__(self, path: Any) -> None:
        self._path, self._all = path, None

    def contents(self) -> str:
        """What was written until now; after the context, all of it."""
        if self._all is not None:
            return self._all
        with open(self._path, encoding='utf-8', errors='replace') as file:
            return file.read()

    def close(self):
        """Keeps what was written, for the file goes."""
        self._all = self.contents()


class _CheckedThread:
    """A thread whose error fails the test that joins it."""

    def __init__(self, test: Any, target: Any, args: Any, kwargs: Any) -> None:
        self._test, self._error = test, None

        def run():
            try:
                target(*args, **kwargs)
            except BaseException as error:
                self._error = error
        self._thread = threading.Thread(target=run)

    def start(self) -> None:
        self._thread.start()

    def join(self) -> None:
        self._thread.join()
        if self._error is not None:
            self._test.fail(f'Error in checkedThread: {self._error}')

    def is_alive(self) -> Any:
        return self._thread.is_alive()


class _General(unittest.TestCase):
    """Assertions about plain values that tests of TensorFlow programs use besides unittest's."""

    def assertLen(self, container: str, expected_len: int, msg: str | None = None) -> None:
        if len(container) != expected_len:
            self.fail(self._formatMessage(msg, f'{container!r} has length of {len(container)}, expected '
                                               f'{expected_len}.'))

    def assertEmpty(self, container: list[Any], msg: str | None = None) -> None:
        if len(container):
            self.fail(self._formatMessage(msg, f'{container!r} has length of {len(container)}.'))

    def assertNotEmpty(self, container: Any, msg: str | None = None) -> None:
        if not len(container):
            self.fail(self._formatMessage(msg, f'{container!r} has length of 0.'))

    def assertProtoEquals(self, expected_message_maybe_ascii, validate_message, msg=None, relative_tolerance=None):
        """Messages of one type with the same fields; the expected one may be text."""
        kind, expected = type(validate_message), expected_message_maybe_ascii
        if isinstance(expected, str):
            expected = kind.FromText(expected)
        elif type(expected) is not kind:
            self.fail(self._formatMessage(msg, f"Can't compare protos of type {type(expected)} and {kind}."))
        if expected == validate_message:
            return
        texts = [str(message).splitlines() for message in (expected, validate_message)]
        if relative_tolerance is not None and [self._without_numbers(t) for t in texts[0]] == [
                self._without_numbers(t) for t in texts[1]]:
            numbers = [[float(n) for line in text for n in re.findall(_NUMBER, line)] for text in texts]
            self.assertAllClose(*numbers, rtol=relative_tolerance, atol=0, msg=msg)
            return
        self.fail(self._formatMessage(msg, 'the messages differ:\n' + '\n'.join(
            difflib.unified_diff(*texts, 'expected', 'actual', lineterm=''))))

    @staticmethod
    def _without_numbers(line: str) -> str:
        return re.sub(_NUMBER, '0', line)

    def assertProtoEqualsVersion(self, expected: str, actual: Any, producer: Any = None, min_consumer: Any = None,
                                 msg: str | None = None) -> None:
        """assertProtoEquals() of a GraphDef and a text that does not have the graph's version."""
        producer = tf.version.GRAPH_DEF_VERSION if producer is None else producer
        consumer = tf.version.GRAPH_DEF_VERSION_MIN_CONSUMER if min_consumer is None else min_consumer
        self.assertProtoEquals(f'versions {{ producer: {producer} min_consumer: {consumer} '
                               f'}}\n{expected!s}', actual, msg=msg)

    def assertStartsWith(self, actual: Any, expected_start: Any, msg: str | None = None) -> None:
        if not actual.startswith(expected_start):
            self.fail(self._formatMessage(msg, f'{actual!r} does not start with {expected_start!r}'))

    def assertNotStartsWith(self, actual: Any, unexpected_start: Any, msg: str | None = None) -> None:
        if actual.startswith(unexpected_start):
            self.fail(self._formatMessage(msg, f'{actual!r} does start with {unexpected_start!r}'))

    def assertEndsWith(self, actual: Any, expected_end: Any, msg: str | None = None) -> None:
        if not actual.endswith(expected_end):
            self.fail(self._formatMessage(msg, f'{actual!r} does not end with {expected_end!r}'))

    def assertBetween(self, value: Any, minv: Any, maxv: Any, msg: str | None = None) -> None:
        if not minv <= value <= maxv:
            self.fail(self._formatMessage(msg, f'{value!r} unexpectedly not between {minv!r} and {maxv!r}'))

    def assertItemsEqual(self, first: Any, second: Any, msg: str | None = None) -> None:
        self.assertCountEqual(first, second, msg)

    def assertSameElements(self, expected_seq: Any, actual_seq: Any, msg: str | None = None) -> None:
        only = [one for one in expected_seq if one not in actual_seq], [one for one in actual_seq if one not in expected_seq]
        if any(only):
            self.fail(self._formatMessage(msg, f'expected but not found: {only[0]!r}; found but not expected: {only[1]!r}'))

    def assertContainsSubset(self, expected_subset: Any, actual_set: Any, msg: str | None = None) -> None:
        missing = [one for one in expected_subset if one not in actual_set]
        if missing:
            self.fail(self._formatMessage(msg, f'Missing elements {missing!r}'))

    def assertNoCommonElements(self, expected_seq: Any, actual_seq: Any, msg: str | None = None) -> None:
        common = [one for one in expected_seq if one in actual_seq]
        if common:
            self.fail(self._formatMessage(msg, f'Common elements {common!r}'))

    def assertContainsInOrder(self, strings: Any, target: Any, msg: str | None = None) -> None:
        at = 0
        for string in (strings,) if isinstance(strings, str) else strings:
            found = target.find(string, at)
            if found < 0:
                self.fail(self._formatMessage(msg, f'Did not find {string!r} after its predecessors in {target!r}'))
            at = found + len(string)

    def assertSequenceAlmostEqual(self, expected_seq: Any, actual_seq: Any, places: Any = None, msg: str | None = None,
                                  delta: Any = None) -> None:
        self.assertLen(actual_seq, len(expected_seq), msg)
        for wanted, found in zip(expected_seq, actual_seq):
            self.assertAlmostEqual(wanted, found, places, msg, delta)

    def assertDictAlmostEqual(self, a: Any, b: Any, places: Any = None, msg: str | None = None,
                              delta: Any = None) -> None:
        self.assertEqual(set(a), set(b), msg)
        for key in a:
            self.assertAlmostEqual(a[key], b[key], places, msg, delta)

    def assertRegexMatch(self, actual_str: Any, regexes: Any, message: str | None = None) -> None:
        if not any(re.search(regex, actual_str) for regex in regexes):
            self.fail(self._formatMessage(message, f'{actual_str!r} does not match any of {regexes!r}'))

    def assertIsSubclass(self, cls: Any, superclass: Any, msg: str | None = None) -> None:
        if not issubclass(cls, superclass):
            self.fail(self._formatMessage(msg, f'{cls!r} is not a subclass of {superclass!r}'))

    def assertRaisesWithLiteralMatch(self, expected_exception, expected_exception_message, callable_obj=None, *args,
                                     **kwargs):
        @contextlib.contextmanager
        def check():
            with self.assertRaises(expected_exception) as caught:
                yield
            self.assertEqual(str(caught.exception), expected_exception_message)
        if callable_obj is None:
            return check()
        with check():
            callable_obj(*args, **kwargs)
        return None

    @contextlib.contextmanager
    def assertRaisesWithPredicateMatch(self, exception_type: type[Any],
                                       expected_err_re_or_predicate: Any) -> Iterator[Any]:
        """An exception whose message has a match of a pattern, or for which a function is true."""
        with self.assertRaises(exception_type) as caught:
            yield
        fits = expected_err_re_or_predicate
        if not (fits(caught.exception) if callable(fits) else re.search(fits, str(caught.exception))):
            raise AssertionError(f'Exception of type {type(caught.exception)}: {caught.exception!s}')


class TestCase(_General, _temporary_files.Temporary):
    """Base of tests whose values are tensors. Every test begins with the same random seeds."""

    _cached = None  # a class attribute, since a subclass's setUp() may not call this one

    def setUp(self) -> None:
        super().setUp()
        self._cached = None
        random.seed(_SEED)
        with contextlib.suppress(ImportError):
            _numpy().random.seed(_SEED)
        if _engine.current_graph() is None:  # a decorator of the test may have opened one
            tf.compat.v1.reset_default_graph()
        tf.random.set_seed(_SEED)

    def tearDown(self) -> None:
        self._cached = None
        super().tearDown()

    # Values

    def evaluate(self, tensors):
        """The values of tensors, in their structure: at once, or from a session of their graph."""
        if callable(tensors) and not tf.is_tensor(tensors) and not isinstance(tensors, tf.Variable):
            tensors = tensors()
        if tf.executing_eagerly():
            return tf.nest.map_structure(_value, tensors)
        parts = tf.nest.flatten(tensors)
        session = tf.compat.v1.get_default_session()
        with contextlib.nullcontext(session) if session is not None else self.cached_session() as session:
            values = iter(session.run([part for part in parts if part is not None]))
        return tf.nest.pack_sequence_as(tensors, [None if part is None else next(values) for part in parts])

    @contextlib.contextmanager
    def _device_scope(self, use_gpu: bool, force_gpu: bool) -> Iterator[Any]:
        gpu = use_gpu and tf.test.is_gpu_available()
        name = '/device:GPU:0' if force_gpu else None if gpu else '/device:CPU:0'
        with tf.device(name) if name else contextlib.nullcontext():
            yield

    @contextlib.contextmanager
    def session(self, graph: Any = None, config: Any = None, use_gpu: bool = True,
                force_gpu: bool = False) -> Iterator[Any]:
        """A session of a graph that lasts as long as this context."""
        if tf.executing_eagerly() and graph is None:
            yield _EagerSession(self)
            return
        with tf.compat.v1.Session(graph=graph) as session, self._device_scope(use_gpu, force_gpu):
            yield session

    @contextlib.contextmanager
    def cached_session(self, graph: Any = None, config: Any = None, use_gpu: bool = True,
                       force_gpu: bool = False) -> Iterator[Any]:
        """A session that the test has until its end."""
        if tf.executing_eagerly() and graph is None:
            yield _EagerSession(self)
            return
        wanted = graph or tf.compat.v1.get_default_graph()
        if self._cached is None or self._cached.graph is not wanted:
            self._cached = tf.compat.v1.Session(graph=wanted)
        with wanted.as_default(), self._cached.as_default(), self._device_scope(use_gpu, force_gpu):
            yield self._cached

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name == 'test_session':  # that unittest would find as a method, and run as a test
            return lambda graph=None, *args, **kwargs: (self.cached_session if graph is None else self.session)(
                graph, *args, **kwargs)
        raise AttributeError(f'{type(self).__name__!r} object has no attribute {name!r}')

    def get_temp_dir(self) -> str:
        """A folder that exists until the test ends."""
        if getattr(self, '_folder', None) is None:
            folder = self._folder = tempfile.mkdtemp(prefix=self.id().rpartition('.')[2])

            def remove():
                self._folder = None
                shutil.rmtree(folder, ignore_errors=True)
            self.addCleanup(remove)
        return self._folder

    @contextlib.contextmanager
    def captureWritesToStream(self, stream: Any) -> Iterator[Any]:
        """What is written to the file of a stream in this context."""
        stream.flush()
        number = stream.fileno()
        kept = os.dup(number)
        file, path = tempfile.mkstemp()
        written = CapturedWrites(path)
        try:
            os.dup2(file, number)
            yield written
        finally:
            stream.flush()
            written.close()
            os.dup2(kept, number)
            os.close(kept)
            os.close(file)
            os.remove(path)

    def checkedThread(self, target: Callable[..., Any], args: Any = None, kwargs: Any = None) -> _CheckedThread:
        """A thread whose error fails the test."""
        return _CheckedThread(self, target, args or (), kwargs or {})

    # Arrays

    def _array(self, a):
        np = _numpy()
        if isinstance(a, tf.Tensor) and not tf.is_symbolic_tensor(a):
            a = a.numpy()  # also in a graph, whose session has no such tensor
        elif tf.is_tensor(a) or isinstance(a, tf.Variable):
            a = self.evaluate(a)
        elif isinstance(a, (list, tuple)) and any(tf.is_tensor(x) for x in tf.nest.flatten(a)):
            a = self.evaluate(list(a))
        try:
            return a if isinstance(a, np.ndarray) else np.array(a)
        except ValueError as error:
            if 'inhomogeneous' not in str(error):
                raise
            return np.array(a, dtype=object)  # parts of different lengths are compared one by one

    def _GetNdArray(self, a):
        return self._array(a)

    def _said(self, msg: str | None, words: str) -> str:
        return words if msg is None else f'{msg!s}\n{words}'

    def _shapes_agree(self, a: Any, b: Any, msg: str | None) -> None:
        if a.shape != b.shape:
            self.fail(self._said(msg, f'Shape mismatch: expected {a.shape}, got {b.shape}.\n{a!r}\n{b!r}'))

    @staticmethod
    def _ragged(x: Any) -> bool:
        return hasattr(x, 'to_list') and hasattr(x, 'row_splits')

    def _rows(self, x):
        return (self.evaluate(x) if isinstance(x, tf.RaggedTensor) else x).to_list()

    def assertDictEqual(self, d1: Any, d2: Any, msg: str | None = None) -> None:
        """Dicts of the same keys and values; arrays and tensors among these are the same where all their elements are."""
        try:
            super().assertDictEqual(d1, d2, msg)
        except ValueError:  # more than one element is neither true nor false
            self.assertEqual(set(d1), set(d2), msg)
            for key, value in d1.items():
                self.assertAllEqual(value, d2[key], msg)

    def assertAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:
        """Arrays or tensors of one shape with the same elements; NaNs count as equal."""
        if self._ragged(a) or self._ragged(b):
            a, b = (self._rows(x) if self._ragged(x) else tf.nest.map_structure(_value, x) for x in (a, b))
            a, b = (x.tolist() if hasattr(x, 'tolist') else x for x in (a, b))
            self.assertEqual(a, b, msg)
            return
        np = _numpy()
        a, b = self._array(a), self._array(b)
        if a.dtype.kind in _NO_NUMPY_KINDS or b.dtype.kind in _NO_NUMPY_KINDS:
            a, b = (np.array([tf.compat.as_bytes(s) if isinstance(s, (str, bytes)) else s for s in x.reshape(-1).tolist()],
                             object).reshape(x.shape) for x in (a, b))
        self._shapes_agree(a, b, msg)
        same = a == b
        if a.dtype.kind in 'fc' and b.dtype.kind in 'fc':
            same = np.logical_or(same, np.logical_and(np.isnan(a), np.isnan(b)))
        if not np.all(same):
            where = np.where(np.atleast_1d(np.logical_not(same)))
            left, right = (a, b) if a.ndim == 0 else (a[where], b[where])
            self.fail(self._said(msg, f'Arrays are not equal: expected {a!r}, got {b!r}\n'
                                      f'not equal where = {where!r}\nlhs = {left!r}\nrhs = {right!r}'))

    def assertNotAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:
        try:
            self.assertAllEqual(a, b)
        except self.failureException:
            return
        self.fail(self._said(msg, 'The two values are equal at all elements.'))

    def _close_arrays(self, a: Any, b: Any, rtol: float, atol: float | int, msg: str | None) -> None:
        np = _numpy()
        a, b = self._array(a), self._array(b)
        self._shapes_agree(a, b, msg)
        a, b = (x.astype(np.float32) if x.dtype.name == 'bfloat16' else x for x in (a, b))
        if np.allclose(a, b, rtol=rtol, atol=atol, equal_nan=True):
            return
        far = np.logical_or(np.abs(a - b) > atol + rtol * np.abs(b), np.isnan(a) != np.isnan(b))
        far = np.logical_or(far, np.logical_and(np.isinf(a) != np.isinf(b), True))
        x, y = (a[far], b[far]) if a.ndim else (a, b)
        self.fail(self._said(msg, f'Arrays are not close: not close where = {np.where(np.atleast_1d(far))!r}\nnot '
                                  f'close lhs = {x!r}\nnot close rhs = {y!r}\n'
                                  f'not close dif = {np.abs(x - y)!r}\nnot close tol = '
                                  f'{atol + rtol * np.abs(y)!r}\ndtype = {a.dtype}, shape = {a.shape}'))

    def assertAllClose(self, a: Any, b: Any, rtol: Any = 1e-6, atol: Any = 1e-6,
                       msg: str | None = None) -> None:
        """Structures of arrays or tensors whose elements differ by `atol + rtol * abs(b)` at most."""
        self._close(a, b, rtol, atol, msg)

    def _close(self, a: Any, b: Any, rtol: float, atol: float | int, msg: str | None) -> None:
        if self._ragged(a) or self._ragged(b):
            a, b = (self._rows(x) if self._ragged(x) else x for x in (a, b))
        fields = [x._asdict() if hasattr(x, '_asdict') else x for x in (a, b)]
        if any(isinstance(x, collections.abc.Mapping) for x in fields):
            a, b = fields
            if not all(isinstance(x, collections.abc.Mapping) for x in fields) or set(a) != set(b):
                self.fail(self._said(msg, f'mismatched keys or kinds: {a!r}, {b!r}'))
            for key in a:
                self._close(a[key], b[key], rtol, atol, self._said(msg, f'at key {key!r}'))
        elif isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
            try:
                arrays = self._array(a), self._array(b)
            except (ValueError, TypeError, tf.errors.InvalidArgumentError):
                arrays = None  # no one shape
            if arrays and all(x.dtype.kind not in 'OV' for x in arrays):
                self._close_arrays(*arrays, rtol, atol, msg)
                return
            self.assertEqual(len(a), len(b), self._said(msg, 'mismatched lengths'))
            for i, (x, y) in enumerate(zip(a, b)):
                self._close(x, y, rtol, atol, self._said(msg, f'at index {i}'))
        else:
            self._close_arrays(a, b, rtol, atol, msg)

    def assertNotAllClose(self, a: Any, b: Any, rtol: Any = 1e-6, atol: Any = 1e-6, msg: str | None = None) -> None:
        try:
            self.assertAllClose(a, b, rtol, atol)
        except self.failureException:
            return
        self.fail(self._said(msg, 'The two values are close at all elements.'))

    def assertAllCloseAccordingToType(self, a: Any, b: Any, rtol: Any = 1e-6, atol: Any = 1e-6, float_rtol: Any = 1e-6,
                                      float_atol: Any = 1e-6, half_rtol: Any = 1e-3, half_atol: Any = 1e-3,
                                      bfloat16_rtol: Any = 1e-2, bfloat16_atol: Any = 1e-2,
                                      msg: str | None = None) -> None:
        """assertAllClose, with wider limits for types of few digits."""
        a, b = self._array(a), self._array(b)
        for name, more in (('float32', (float_rtol, float_atol)), ('complex64', (float_rtol, float_atol)),
                           ('float16', (half_rtol, half_atol)), ('bfloat16', (bfloat16_rtol, bfloat16_atol))):
            if name in (a.dtype.name, b.dtype.name):
                rtol, atol = max(rtol, more[0]), max(atol, more[1])
        self.assertAllClose(a, b, rtol, atol, msg)

    def _all(self, a: Any, fits: Any, words: str) -> None:
        np = _numpy()
        a = self._array(a)
        bad = a[np.logical_not(fits(a))] if a.ndim else a if not fits(a) else a.reshape(-1)[:0]
        if bad.size:
            self.fail(f'Not all elements are {words}: {bad!r}')

    def assertAllGreater(self, a: Any, comparison_target: Any) -> None:
        self._all(a, lambda x: x > comparison_target, f'greater than {comparison_target!s}')

    def assertAllLess(self, a: Any, comparison_target: Any) -> None:
        self._all(a, lambda x: x < comparison_target, f'less than {comparison_target!s}')

    def assertAllGreaterEqual(self, a: Any, comparison_target: Any) -> None:
        self._all(a, lambda x: x >= comparison_target, f'greater than or equal to {comparison_target!s}')

    def assertAllLessEqual(self, a: Any, comparison_target: Any) -> None:
        self._all(a, lambda x: x <= comparison_target, f'less than or equal to {comparison_target!s}')

    def assertAllInRange(self, target: Any, lower_bound: Any, upper_bound: Any, open_lower_bound: bool = False,
                         open_upper_bound: bool = False) -> None:
        def fits(x):
            return ((x > lower_bound if open_lower_bound else x >= lower_bound) &
                    (x < upper_bound if open_upper_bound else x <= upper_bound))
        left, right = '[('[open_lower_bound], '])'[open_upper_bound]
        self._all(target, fits, f'in the range {left}{lower_bound!s}, {upper_bound!s}{right}')

    def assertAllInSet(self, target: TensorLike, expected_set: Any) -> None:
        found = set(self._array(target).reshape(-1).tolist())
        if not found <= set(expected_set):
            self.fail(f'{len(found - set(expected_set))} unique element(s) are not in the set {expected_set!r}: '
                      f'{found - set(expected_set)!r}')

    def assertDTypeEqual(self, target: TensorLike, expected_dtype: Any) -> None:
        """The dtype of an array or a tensor, or of each one in a list."""
        target = self.evaluate(target) if tf.is_tensor(target) or isinstance(target, tf.Variable) else target
        for one in target if isinstance(target, list) else [target]:
            self.assertEqual(self._array(one).dtype, expected_dtype)

    def assertShapeEqual(self, input_a, input_b, msg=None):
        """The shapes of two arrays or tensors; no value is read."""
        shapes = []
        for x in (input_a, input_b):
            shape = getattr(x, 'shape', None)
            if shape is None:
                raise TypeError(f'input must have a shape, not {type(x)}')
            shapes.append(shape.as_list() if hasattr(shape, 'as_list') else list(shape))
        self.assertEqual(*shapes, msg=msg)

    def assertNear(self, f1: Any, f2: Any, err: Any, msg: str | None = None) -> None:
        self.assertTrue(f1 == f2 or abs(f1 - f2) <= err,
                        f"{f1:f} != {f2:f} +/- {err:f}{f' ({msg!s})' if msg is not None else ''}")

    def assertArrayNear(self, farray1: Any, farray2: Any, err: Any, msg: str | None = None) -> None:
        self.assertEqual(len(farray1), len(farray2), msg=msg)
        for f1, f2 in zip(farray1, farray2):
            self.assertNear(float(f1), float(f2), err, msg=msg)

    def assertNDArrayNear(self, ndarray1: Any, ndarray2: Any, err: Any, msg: str | None = None) -> None:
        distance = _numpy().linalg.norm((self._array(ndarray1) - self._array(ndarray2)).reshape(-1))
        self.assertTrue(distance < err, msg)

    def assertDeviceEqual(self, device1: Any, device2: Any, msg: str | None = None) -> None:
        """Two names of one device."""
        def full(device):
            return tf.DeviceSpec.from_string(tf.compat.as_str(device or '')).to_string()
        self.assertEqual(full(device1), full(device2), self._said(msg, f'Devices {device1} and {device2} are not '
                                                                       'equal.'))

    # Errors

    def assertRaisesOpError(self, expected_err_re_or_predicate):
        return self.assertRaisesWithPredicateMatch(tf.errors.OpError, expected_err_re_or_predicate)

    def assertRaisesIncompatibleShapesError(self, exception_type=tf.errors.InvalidArgumentError):
        return self.assertRaisesWithPredicateMatch(
            exception_type, r'Incompatible shapes|Dimensions must be equal|required broadcastable shapes')


def main(argv: Any = None) -> None:
    """Runs all tests of the script."""
    unittest.main(module='__main__', argv=argv)


def disable_with_predicate(pred: Any, skip_message: Any) -> Callable[..., Any]:
    """Decorates a test that is skipped where pred() is true."""
    def decorate(function):
        return unittest.skip(skip_message)(function) if pred() else function
    return decorate


def assert_equal_graph_def(expected: Any, actual: Any) -> None:
    """Raises AssertionError where two GraphDefs have different nodes; their order does not count."""
    for graph in (expected, actual):
        if not hasattr(graph, 'node'):
            raise TypeError(f'Expected tf.GraphDef for both arguments, got {type(graph).__name__}')
    one, other = ({node.name: node.SerializeToString() for node in graph.node} for graph in (expected, actual))
    differing = sorted(name for name in {*one, *other} if one.get(name) != other.get(name))
    if differing:
        raise AssertionError(f"the graphs differ in {', '.join(differing)}")


def is_built_with_rocm() -> bool:
    return False


def is_built_with_xla() -> bool:
    return False


_v1 = _engine.namespace('compat.v1.test')
TestCase.__module__ = 'footlight.test'
alias('tf.test', TestCase, main, disable_with_predicate, assert_equal_graph_def, is_built_with_rocm, is_built_with_xla)
for _name in ('gpu_device_name', 'is_built_with_cuda', 'is_built_with_gpu_support', 'is_gpu_available', 'TestCase', 'main',
              'disable_with_predicate', 'assert_equal_graph_def', 'is_built_with_rocm', 'is_built_with_xla'):
    setattr(_v1, _name, getattr(tf.test, _name))


def _get_temp_dir() -> Any:
    """A folder for the files of tests."""
    folder = os.environ.get('TEST_TMPDIR') or os.path.join(tempfile.gettempdir(), 'footlight_test')
    os.makedirs(folder, exist_ok=True)
    return folder


_v1.mock, _v1.get_temp_dir = unittest.mock, _get_temp_dir
