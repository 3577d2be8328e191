"""tf.__internal__: what Keras takes from TensorFlow besides the public names."""
from __future__ import annotations

import abc
import contextlib
import operator

import footlight as tf
from footlight._public import publish
from footlight._typing import Any, Callable, TensorLike



class CompositeTensor(abc.ABC):
    """A value that consists of tensors: classes that derive from this or say so, and variables."""

    @classmethod
    def __subclasshook__(cls, kind):
        if cls is not CompositeTensor:
            return NotImplemented
        return hasattr(kind, '__tensor_fields__') or issubclass(kind, tf.Variable) or (
            hasattr(kind, '_type_spec') and not issubclass(kind, tf.Tensor)) or NotImplemented


class _Eager(type):
    def __instancecheck__(cls, value):
        return isinstance(value, tf.Tensor) and not tf.is_symbolic_tensor(value)


class EagerTensor(metaclass=_Eager):
    """A tensor that has a value: only for isinstance()."""


class ByKind(type):
    """Classes that stand for another one, `kind`, when isinstance() asks."""

    def __instancecheck__(cls, value):
        return isinstance(value, cls.kind)


class _Functions(type):
    def __instancecheck__(cls, value: tf.Graph) -> bool:
        return isinstance(value, tf.Graph) and value.building_function

    def __call__(cls, name: str, collections: Any = None, capture_by_value: Any = None,
                 structured_input_signature: Any = None, structured_outputs: Any = None) -> tf.Graph:
        from footlight._tensorflow.python.framework import func_graph as _func_graph
        return _func_graph.empty_graph(name)


class FuncGraph(metaclass=_Functions):
    """FuncGraph(name): an empty graph of a function, which captures the tensors of the program that its ops use."""


@contextlib.contextmanager
def eager_mode():
    """A context in which ops run at once, also inside of a traced function."""
    with tf._eager_scope():
        yield


def smart_cond(pred: TensorLike, true_fn: Callable[..., Any] | None = None, false_fn: Callable[..., Any] | None = None,
               name: str | None = None) -> tf.Tensor:
    """One of two functions, which is called at once where it is known which one."""
    if not callable(true_fn) or not callable(false_fn):
        raise TypeError('`true_fn` and `false_fn` must be callable.')
    known = smart_constant_value(pred)
    if known is None:
        return tf.cond(pred, true_fn=true_fn, false_fn=false_fn, name=name)
    return true_fn() if known else false_fn()


_COMPARISONS = {'Greater': operator.gt, 'GreaterEqual': operator.ge, 'Less': operator.lt, 'LessEqual': operator.le,
                'Equal': operator.eq, 'NotEqual': operator.ne}


def _known(tensor: tf.Tensor) -> Any:
    """The value of a tensor where that is known; also that of one known dimension, and of its comparison."""
    value = tf.get_static_value(tensor)
    if value is not None or not tf.is_symbolic_tensor(tensor):
        return value
    op = tensor.op
    if op.type in _COMPARISONS:
        x, y = (_known(t) for t in op.inputs)
        return None if x is None or y is None else _COMPARISONS[op.type](x, y)
    if op.type == 'StridedSlice' and tensor.shape.rank == 0 and op.inputs[0].op.type == 'Shape':
        at = tf.get_static_value(op.inputs[1])
        shape = op.inputs[0].op.inputs[0].shape
        return None if at is None or shape.rank is None else shape[int(at[0])]
    return None


def smart_constant_value(pred: TensorLike) -> Any:
    """The value of a condition where that is known, else None."""
    if isinstance(pred, tf.Tensor):
        value = _known(pred)
        return None if value is None else bool(value)
    if isinstance(pred, bool) or pred in (0, 1):
        return bool(pred)
    raise TypeError(f'`pred` must be a Tensor, or a Python bool, or 1 or 0. Found instead: {type(pred)}')


def enabled() -> bool:
    """Whether this is TensorFlow 2: always."""
    return True


def strategy_supports_no_merge_call() -> bool:
    """Whether updates may be made where the program is, without waiting for other replicas: always, there are none."""
    return True


def maybe_merge_call(fn, strategy, *args, **kwargs):
    """fn(strategy, ...)."""
    return fn(strategy, *args, **kwargs)


publish('tf.__internal__', CompositeTensor, EagerTensor, FuncGraph)
publish('tf.__internal__.eager_context', eager_mode)
publish('tf.__internal__.smart_cond', smart_cond, smart_constant_value)
publish('tf.__internal__.tf2', enabled)
publish('tf.__internal__.distribute', strategy_supports_no_merge_call)
publish('tf.__internal__.distribute.interim', maybe_merge_call)
