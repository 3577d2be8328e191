"""tensorflow.python.eager.cancellation: functions that do not run once they were cancelled."""
from __future__ import annotations

import footlight as tf
from footlight._tensorflow.publish import publish
from footlight._typing import Any, Callable


class CancellationManager:
    """Ends what runs under it: a call that begins after that is an error."""

    def __init__(self) -> None:
        self._cancelled = False

    is_cancelled = property(lambda self: self._cancelled)

    def start_cancel(self) -> None:
        """Ends what runs, and lets nothing more begin."""
        self._cancelled = True

    def get_cancelable_function(self, concrete_function: Any) -> Callable[..., Any]:
        """The function, which does not run when this was cancelled."""
        def cancelable(*args, **kwargs):
            if self._cancelled:
                raise tf.errors.CancelledError(None, None, 'function was cancelled before it was run')
            return concrete_function(*args, **kwargs)
        return cancelable


publish(globals())
