"""tensorflow.python.eager.record and tape: what tapes record."""
import contextlib

import footlight as tf
from footlight import _engine
from footlight._tensorflow.publish import publish


# --- tensorflow.python.eager.record ---
@contextlib.contextmanager
def stop_recording():
    """A context that no tape records."""
    _engine.pause_tapes()
    try:
        yield
    finally:
        _engine.resume_tapes()


def could_possibly_record():
    """Whether any tape records."""
    return _engine.is_recorded()


def record_operation(op_type, output_tensors, input_tensors, backward_function, forward_function=None):
    """Tells the tapes how outputs that were computed unseen depend on inputs."""
    _engine.record_gradient(list(output_tensors), list(input_tensors), backward_function)


class VariableWatcher:
    """A context that knows which trainable variables were read or changed inside, in the order in which they were made."""

    def __init__(self):
        self._tape = tf.GradientTape()

    def __enter__(self):
        self._tape.__enter__()
        return self

    def __exit__(self, *error):
        self._tape.__exit__(*error)

    def watched_variables(self):
        """The variables, in a tuple."""
        return self._tape.watched_variables()


publish(globals(), 'could_possibly_record record_operation stop_recording VariableWatcher')
publish(globals(), 'could_possibly_record record_operation stop_recording', 'python.eager.tape')
