"""Records what a Python program does in a Footlight session. Loads no engine, so it works with any."""
import sys

_IN_PROGRAM = ('record', 'prepare')
_STEPS = ('steps', 'keras_callback', 'lightning_callback')

wanted_comparison = None  # (function, call, pairs, seconds): what the engine is asked to compare; read when it is loaded
wanted_values = None  # (function, first call or 0, last call, whether all calls are checked): whose values are recorded

# The extension is loaded when it is first used, so that `-m footlight_recorder` can say what is missing in any Python; so
# old ones must be able to read this file, which has no f-strings.


def start(path, level='ops', engine='auto'):
    """Records this process into the recording `path`, until stop() or the end of the program.

    `level` is 'structure' (functions, traces, graphs, calls) or 'ops' (every op as well). `engine` says whose work is
    recorded: 'auto' (of Footlight and every engine that the program imports), 'footlight', or names such as 'jax'.
    """
    _load()
    from footlight_recorder import in_program
    in_program.start(path, level, engine)


def stop():
    """Ends the recording; the file is complete."""
    _load()
    from footlight_recorder import in_program
    in_program.stop()


def __getattr__(name):
    # span(name, category, **args), timed(callable, name, category), counter(name, value)
    if name in ('span', 'timed', 'counter'):
        return getattr(_load(), name)
    if name in _IN_PROGRAM:
        _load()
        from footlight_recorder import in_program
        return getattr(in_program, name)
    if name in _STEPS:
        _load()
        from footlight_recorder import training_steps
        return getattr(training_steps, name)
    raise AttributeError("module 'footlight_recorder' has no attribute %r" % name)


def _load():
    from footlight_recorder import _interpreter
    words = _interpreter.why_unusable()
    if words:
        raise ImportError(words)
    from footlight_recorder import _recorder
    if 'footlight_recorder.processes' in sys.modules:
        sys.modules['footlight_recorder.processes'].there_is_work()
    return _recorder

