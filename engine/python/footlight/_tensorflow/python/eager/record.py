"""tensorflow.python.eager.record and tape: what tapes record."""
from __future__ import annotations

import contextlib

import footlight as tf
from footlight import _engine
from footlight._tensorflow.publish import publish
from footlight._typing import Any, Callable, Iterator


@contextlib.contextmanager
def stop_recording() -> Iterator[Any]:
    """A context that no tape records."""
    _engine.pause_tapes()
    try:
        yield
    finally:
        _engine.resume_tapes()


def could_possibly_record() -> bool:
    """Whether any tape records."""
    return _engine.is_recorded()


def record_operation(op_type: Any, output_tensors: Any, input_tensors: Any, backward_function: Callable[..., Any],
                     forward_function: Any = None) -> None:
    """Tells the tapes how outputs that were computed unseen depend on inputs."""
    _engine.record_gradient(list(output_tensors), list(input_tensors), backward_function)


class VariableWatcher:
    """A context that knows which trainable variables were read or changed inside, in the order in which they were made."""

    def __init__(self) -> None:
        self._tape = tf.GradientTape()

    def __enter__(self) -> VariableWatcher:
        self._tape.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._tape.__exit__(*error)

    def watched_variables(self) -> tuple[Any, ...]:
        """The variables, in a tuple."""
        return self._tape.watched_variables()


publish(globals())
publish(globals(), 'could_possibly_record record_operation stop_recording', 'python.eager.tape')
