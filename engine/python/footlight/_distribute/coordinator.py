"""tf.train.Coordinator: threads that stop together."""
from __future__ import annotations

import contextlib
import sys
import threading
import time

import footlight as tf
from footlight._public import publish
from footlight._typing import Any, Iterator


class Coordinator:
    """Lets threads stop together: one asks for it, the others look, and what one raised is raised by join()."""

    def __init__(self, clean_stop_exception_types=None):
        if clean_stop_exception_types is None:
            clean_stop_exception_types = (tf.errors.OutOfRangeError,)
        self._clean = tuple(clean_stop_exception_types)
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._raised = None
        self._registered = set()
        self._joined = False

    def request_stop(self, ex: Any = None) -> None:
        """Asks the threads to stop; `ex` is what join() raises, unless it only says that there is no more to do."""
        with self._lock:
            given = ex[1] if isinstance(ex, tuple) else ex
            if isinstance(given, self._clean):
                given = None
            if self._joined:
                if given is not None:
                    raise given
                return
            if not self._stop.is_set():
                if given is not None and self._raised is None:
                    self._raised = given
                self._stop.set()

    def clear_stop(self) -> None:
        """Forgets that a stop was asked for."""
        with self._lock:
            self._joined, self._raised = False, None
            self._stop.clear()

    def should_stop(self) -> bool:
        """Whether a stop was asked for."""
        return self._stop.is_set()

    @contextlib.contextmanager
    def stop_on_exception(self) -> Iterator[Any]:
        """A context that asks for a stop when something is raised in it."""
        try:
            yield
        except BaseException:
            self.request_stop(ex=sys.exc_info())

    def wait_for_stop(self, timeout=None):
        """Waits until a stop is asked for; whether it was."""
        return self._stop.wait(timeout=timeout)

    def register_thread(self, thread: Any) -> None:
        """A thread that join() waits for."""
        with self._lock:
            self._registered.add(thread)

    def join(self, threads: Any = None, stop_grace_period_secs: Any = 120, ignore_live_threads: bool = False) -> None:
        """Waits for threads, from the request to stop on for the given time at most."""
        with self._lock:
            threads = list(self._registered) if threads is None else list(self._registered.union(threads))
        while any(t.is_alive() for t in threads) and not self.wait_for_stop(1.0):
            pass
        end = time.monotonic() + stop_grace_period_secs
        while any(t.is_alive() for t in threads) and time.monotonic() < end:
            for thread in threads:
                thread.join(0.01)
        late = [t.name for t in threads if t.is_alive()]
        with self._lock:
            self._joined = True
            self._registered = set()
            if self._raised is not None:
                raise self._raised
            if late and not ignore_live_threads:
                raise RuntimeError(f"Coordinator stopped with threads still running: {' '.join(late)}")

    @property
    def joined(self) -> Any:
        """Whether join() is done."""
        return self._joined

    def raise_requested_exception(self) -> None:
        """Raises what request_stop() was given."""
        with self._lock:
            if self._raised is not None:
                raise self._raised


publish('tf.train', Coordinator)
