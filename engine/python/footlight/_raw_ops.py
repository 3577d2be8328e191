"""tf.raw_ops: every op by its own name, with all its inputs and attributes as keywords."""
from __future__ import annotations

import collections
import importlib
import inspect

import footlight as tf
from footlight import _engine
from footlight._typing import Any, Callable


# Where the Python name of an argument is not the op's own: the op -> {Python name: own name}.
_OWN_NAMES = {
    **dict.fromkeys(('All', 'Any', 'EuclideanNorm', 'Max', 'Mean', 'Min', 'Prod', 'Sum'), {'axis': 'reduction_indices'}),
    **dict.fromkeys(('Split', 'SplitV'), {'axis': 'split_dim'}),
    'ExpandDims': {'axis': 'dim'},
    'Select': {'x': 't', 'y': 'e'},
    'Squeeze': {'axis': 'squeeze_dims'},
    'Where': {'condition': 'input'},
}


# Ops that are a newer op with its added attributes at fixed values.
_OLDER = {name + 'V2': (name + 'V3', {'align': 'LEFT_LEFT'}) for name in ('MatrixDiag', 'MatrixDiagPart', 'MatrixSetDiag')}


def _older(name):
    newer, fixed = _OLDER[name]
    plain = getattr(tf.raw_ops, newer)

    def function(**arguments):
        for attribute in fixed:
            if attribute in arguments:
                raise TypeError(f'{name}() got an unexpected keyword argument {attribute!r}')
        return plain(**arguments, **fixed)
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f'The op {name}.'
    signature = inspect.signature(plain)
    function.__signature__ = signature.replace(parameters=[p for p in signature.parameters.values() if p.name not in fixed])
    setattr(tf.raw_ops, name, function)
    return function


def op(_name: Any, /, *, name: str | None = None, **arguments: Any) -> list[Any]:
    """The outputs of an op, as a list."""
    return _engine.raw_op(_name, arguments, name)


# Modules with ops that are written in Python, by what their names begin with: each has them in a dict `RAW`.
_WRITTEN = (
    ('ResourceApply', '_nn.training_ops'), ('ResourceSparseApply', '_nn.training_ops'), ('CudnnRNN', '_nn.cudnn_rnn'),
    ('ExtractGlimpse', '_image.glimpses'), ('Fractional', '_nn.fractional_pool'), ('SparseCross', '_sparse.cross'),
    ('Sharded', '_io.sharded_filenames'), ('MaxPoolV2', '_nn.max_pool_v2'),
    ('', '_control.functional_raw_ops'), ('', '_sparse.raw_bincount'))


def _written(name: str) -> Callable[..., Any] | None:
    """An op that is written in Python, or None."""
    for start, module in _WRITTEN:
        if name.startswith(start):
            found = importlib.import_module('footlight.' + module).RAW.get(name)
            if found is not None:
                return found
    return None


def make(name):
    """The function tf.raw_ops.`name`, or None where there is no such op."""
    made = _written(name)
    if made is not None:
        setattr(tf.raw_ops, name, made)
        return made
    if name in _OLDER:
        return _older(name)
    signature = _engine.op_signature(name)
    if signature is None:
        return None
    inputs, attributes, outputs, lists = signature
    result = collections.namedtuple(name, outputs) if len(outputs) > 1 else None
    own_names = _OWN_NAMES.get(name, {})
    python_names = {own: given for given, own in own_names.items()}

    def function(*, name=None, **arguments):
        for argument in [a for a in arguments if a in python_names]:
            raise TypeError(f'{op_name}() got an unexpected keyword argument {argument!r}')
        for argument in [a for a in own_names if a not in arguments and own_names[a] in inputs]:
            raise TypeError(f'{op_name}() missing 1 required argument: {argument!r}')
        made = _engine.raw_op(op_name, {own_names.get(a, a): value for a, value in arguments.items()}, name)
        if lists and result is None:
            return made
        if result is not None and lists:
            length, left = divmod(len(made) - len(outputs) + len(lists), len(lists))
            if left == 0:
                parts = iter(made)
                return result(*[[next(parts) for _ in range(length)] if o in lists else next(parts) for o in outputs])
        if result is not None and len(made) == len(outputs):
            return result(*made)
        return made[0] if len(made) == 1 else made or None

    op_name = name
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f'The op {name}.'
    only = inspect.Parameter.KEYWORD_ONLY
    function.__signature__ = inspect.Signature(
        [inspect.Parameter(python_names.get(p, p), only) for p in inputs] +
        [inspect.Parameter(python_names.get(p, p), only, default=None)
         for p in [*attributes, 'name'] if p not in inputs])
    setattr(tf.raw_ops, name, function)
    return function
