"""tf.compat.v1.logging: the logger of TensorFlow programs, with its levels."""
from __future__ import annotations

import logging
import sys

from footlight import _engine
from footlight._typing import Any

DEBUG, INFO, WARN, ERROR, FATAL = logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR, logging.FATAL
_counts: dict[Any, int] = {}


def get_logger() -> Any:
    """The logger."""
    return logging.getLogger('tensorflow')


def log(level: Any, msg: Any, *args: Any, **kwargs: Any) -> None:
    """A message of a level."""
    get_logger().log(level, msg, *args, **kwargs)


def debug(msg: Any, *args: Any, **kwargs: Any) -> None:
    """A message for whoever looks for a mistake."""
    get_logger().debug(msg, *args, **kwargs)


def info(msg: Any, *args: Any, **kwargs: Any) -> None:
    """A message."""
    get_logger().info(msg, *args, **kwargs)


def warning(msg: Any, *args: Any, **kwargs: Any) -> None:
    """A message of something that may be a mistake."""
    get_logger().warning(msg, *args, **kwargs)


warn = warning


def error(msg: Any, *args: Any, **kwargs: Any) -> None:
    """A message of a mistake."""
    get_logger().error(msg, *args, **kwargs)


def fatal(msg: Any, *args: Any, **kwargs: Any) -> None:
    """A message of what the program cannot go on after."""
    get_logger().fatal(msg, *args, **kwargs)


vlog = log


def TaskLevelStatusMessage(msg: Any) -> None:
    """The status of a task, as an error, which is always given."""
    error(msg)


def _place() -> tuple[Any, ...]:
    frame = sys._getframe(2)
    return frame.f_code, frame.f_lineno


def log_first_n(level: Any, msg: Any, n: Any, *args: Any) -> None:
    """Logs the first `n` messages from a place in the program."""
    place = _place()
    _counts[place] = _counts.get(place, -1) + 1
    log_if(level, msg, _counts[place] < n, *args)


def log_every_n(level: Any, msg: Any, n: Any, *args: Any) -> None:
    """Logs every `n`-th message from a place in the program."""
    place = _place()
    _counts[place] = _counts.get(place, -1) + 1
    log_if(level, msg, not _counts[place] % n, *args)


def log_if(level: Any, msg: Any, condition: Any, *args: Any) -> None:
    """A message, if a condition holds."""
    if condition:
        get_logger().log(level, msg, *args)


def flush() -> None:
    """Does nothing: messages are written at once."""


def get_verbosity() -> Any:
    """From which level on messages are given."""
    return get_logger().getEffectiveLevel()


def set_verbosity(v: Any) -> None:
    """Gives messages from a level on."""
    get_logger().setLevel(v)


for _name in ('DEBUG INFO WARN ERROR FATAL debug error fatal flush get_verbosity info log log_every_n log_first_n log_if '
              'set_verbosity TaskLevelStatusMessage vlog warn warning get_logger').split():
    for _path in ('compat.v1.logging', 'python.platform.tf_logging'):
        setattr(_engine.namespace(_path), _name, globals()[_name])
