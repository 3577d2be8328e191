"""Loops of converted code that run in Python: a limit on iterations, a warning when they unroll much."""
from __future__ import annotations

import os
import sys

import footlight as tf
from footlight._typing import Any

LIMITS = {'PYTHON_MAX_ITERATIONS': 100000000, 'INEFFICIENT_UNROLL_MIN_ITERATIONS': 50000, 'INEFFICIENT_UNROLL_MIN_OPS': 1,
          'WARN_INEFFICIENT_UNROLL': True}


def _limit(name):
    """A limit of Python loops, which programs may set in the module that control flow has in TensorFlow."""
    module = sys.modules.get('footlight.python.autograph.operators.control_flow')
    return getattr(module, name, LIMITS[name])


class PythonLoop:
    """Counts the iterations of a loop that stays in Python, and says when there are too many."""

    def __init__(self, body: Any) -> None:
        self._body, self._turns = body, 0
        self._most = _limit('PYTHON_MAX_ITERATIONS')
        self._many = _limit('INEFFICIENT_UNROLL_MIN_ITERATIONS')
        self._ops = None

    @staticmethod
    def _made() -> Any:
        return None if tf.executing_eagerly() else tf.compat.v1.get_default_graph().get_operations()

    def turn(self, *element: Any) -> None:
        self._turns += 1
        if self._turns > self._most:
            raise ValueError(f'iteration limit exceeded: a loop in Python turned more than {self._most} times')
        if self._ops is not None and self._turns > self._many:
            new = [op.type for op in self._made()[len(self._ops):]]
            self._ops = None
            if len(new) >= _limit('INEFFICIENT_UNROLL_MIN_OPS'):
                from footlight._tensorflow.python.autograph import utils as _utils
                _utils.warning('Large unrolled loop: iteration %d of a loop in Python still adds ops to the graph (%s); '
                                         'a loop over tf.range or a tensor is in the graph once', self._turns, ', '.join(new))
        if self._turns == self._many and _limit('WARN_INEFFICIENT_UNROLL'):
            self._ops = self._made()
        self._body(*element)


def is_autograph_strict_conversion_mode() -> Any:
    """Whether what TensorFlow does not convert is refused, as AUTOGRAPH_STRICT_CONVERSION asks for."""
    value = os.environ.get('AUTOGRAPH_STRICT_CONVERSION', '')
    return value.isdecimal() and int(value) > 0


def decided_by_python(test, words):
    """Checks the condition of a Python loop. In strict mode it must not turn into a symbolic tensor."""
    if not is_autograph_strict_conversion_mode():
        return test

    def checked():
        value = test()
        if tf.is_symbolic_tensor(value):
            raise NotImplementedError(words)
        return value
    return checked
