"""tensorflow.python.framework.test_util, the part that is not about how a test runs: layouts of images, gradients."""
from __future__ import annotations

import contextlib

import footlight as tf
from footlight._tensorflow.publish import publish
from footlight._tensorflow.python.framework.config import disable_op_determinism, is_op_determinism_enabled
from footlight._typing import Any, Callable, Iterator


# --- layouts of images ---
def _moved(order: Callable[..., Any]) -> Callable[..., Any]:
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
def deterministic_ops() -> Iterator[Any]:
    """A context in which ops give the same bits each time."""
    before = is_op_determinism_enabled()
    tf.config.experimental.enable_op_determinism()
    try:
        yield
    finally:
        if not before:
            disable_op_determinism()


class AbstractGradientTape:
    """Gradients by a tape, or, with use_tape=False, by tf.gradients."""

    def __init__(self, use_tape: Any, persistent: bool = False) -> None:
        self._use_tape, self._persistent = use_tape, persistent

    def __enter__(self) -> Any:
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


publish(globals(), 'NHWCToNCHW NCHWToNHWC deterministic_ops AbstractGradientTape', 'python.framework.test_util')
