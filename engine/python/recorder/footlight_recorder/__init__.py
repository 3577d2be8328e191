"""Records what a Python program does in a Footlight session. Loads no engine, so it works with any."""
import sys

wanted_comparison = None  # (function, call, pairs, seconds): what the engine is asked to compare; read when it is loaded
wanted_values = None  # (function, first call or 0, last call, whether all calls are checked): whose values are recorded

# The extension is loaded when it is first used, so that `-m footlight_recorder` can say what is missing in any Python; so
# old ones must be able to read this file, which has no f-strings.


def start(path, level='ops'):
    """Records this process into the session file `path`, until stop() or the end of the program."""
    import atexit
    import os
    recorder = _load()
    script = os.path.abspath(sys.argv[0]) if sys.argv[0] else ''
    python = 'Python %s (%s)' % (sys.version.split()[0], sys.executable)
    recorder.start(script, sys.argv[1:], python, os.path.abspath(path), level)
    atexit.register(recorder.program_ended)


def stop():
    """Ends the recording; the session file is complete."""
    import warnings
    words = _load().stop()
    if words:
        warnings.warn(words)


def __getattr__(name):
    # span(name, category, **args), timed(callable, name, category), counter(name, value)
    if name in ('span', 'timed', 'counter'):
        return getattr(_load(), name)
    raise AttributeError("module 'footlight_recorder' has no attribute %r" % name)


def _load():
    from footlight_recorder import _interpreter
    words = _interpreter.why_unusable()
    if words:
        raise ImportError(words)
    from footlight_recorder import _recorder
    return _recorder
