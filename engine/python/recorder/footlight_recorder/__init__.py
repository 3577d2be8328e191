"""Records what a Python program does in a Footlight session. Loads no engine, so it works with any."""
import sys

wanted_comparison = None  # (function, call, pairs, seconds): what the engine is asked to compare; read when it is loaded
wanted_values = None  # (function, first call or 0, last call, whether all calls are checked): whose values are recorded

# The extension is loaded when it is first used, so that `-m footlight_recorder` can say what is missing in any Python; so
# old ones must be able to read this file, which has no f-strings.


def start(path, level='ops', engine='auto'):
    """Records this process into the session file `path`, until stop() or the end of the program.

    What is recorded is Footlight's own work and that of the engines that the program has imported or will import; with
    an engine's name, of that one only. Functions that an engine made before the first recording are not recorded.
    """
    import atexit
    import os
    recorder = _load()
    from footlight_recorder import adapters
    names = ['auto', 'footlight'] + list(adapters.ENGINES)
    if engine not in names:
        raise ValueError("engine must be %s, not '%s'" % (', '.join(names), engine))
    script = os.path.abspath(sys.argv[0]) if sys.argv[0] else ''
    python = 'Python %s (%s)' % (sys.version.split()[0], sys.executable)
    recorder.start(script, sys.argv[1:], python, os.path.abspath(path), level)
    if engine != 'footlight' and level != 'off':
        adapters.hook_imports(list(adapters.ENGINES) if engine == 'auto' else [engine])
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
