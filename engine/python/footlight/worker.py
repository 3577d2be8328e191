"""Runs a script as `python script.py` would, recorded: `python -m footlight record [options] script.py [arguments]`."""
import os
import sys

USAGE = """usage: footlight record [-o FILE] [--level off|structure|ops] script.py [arguments]

Runs the script as `python script.py` does and records what its traced functions do.
  -o, --output FILE   the session file (default: the script's name with .footlight, here)
  --level LEVEL       off: console only; structure: functions, traces, graphs, calls; ops: every op as well (default)
"""


class Refused(Exception):
    """The command line cannot be followed; the text says why."""


def _options(words):
    """(output, level, commands descriptor, script, its arguments); the script's own options are left alone."""
    output, level, commands = None, 'ops', -1
    words = list(words)
    while words and words[0].startswith('-'):
        word = words.pop(0)
        name, has_value, value = word.partition('=')
        if name in ('-h', '--help'):
            print(USAGE, end='')
            raise SystemExit(0)
        if name not in ('-o', '--output', '--level', '--commands'):
            raise Refused(f"unknown option '{word}'")
        if not has_value:
            if not words:
                raise Refused(f"option '{word}' needs a value")
            value = words.pop(0)
        if name in ('-o', '--output'):
            output = value
        elif name == '--level':
            level = value
        elif value.isdigit():
            commands = int(value)
        else:
            raise Refused(f"--commands takes the number of a descriptor, not '{value}'")
    if not words:
        raise Refused('which script? Name a .py file after the options')
    if level not in ('off', 'structure', 'ops'):
        raise Refused(f"--level is off, structure or ops, not '{level}'")
    return output, level, commands, words[0], words[1:]


def _load(script):
    """The script's code, and the error that its traceback shows when it is not Python."""
    try:
        with open(script, 'rb') as file:
            source = file.read()
    except OSError as error:
        raise Refused(f"cannot open the script '{script}': {error.strerror}") from None
    try:
        return compile(source, script, 'exec', dont_inherit=True), None
    except (SyntaxError, ValueError) as error:
        return None, error


def _in_words(error):
    text = str(error).strip().split('\n')[0]
    return f'{type(error).__name__}: {text}' if text else type(error).__name__


def _show(error, engine):
    """The traceback from the user's first frame on."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    engine.worker_reason('ended by ' + _in_words(error))
    sys.excepthook(type(error), error.with_traceback(trace), trace)


def _run(code, broken, script, engine):
    """Runs the code as __main__; the exit status."""
    import builtins
    import types
    main = types.ModuleType('__main__')
    main.__dict__.update(__file__=script, __cached__=None, __builtins__=builtins)
    sys.modules['__main__'] = main
    try:
        if broken is not None:
            raise broken
        exec(code, main.__dict__)
        return 0
    except SystemExit:
        raise
    except KeyboardInterrupt as error:
        _show(error, engine)
        return 130
    except BaseException as error:
        _show(error, engine)
        return 1


def main(words):
    """Forks the supervisor off and runs the script in this process; returns the exit status."""
    try:
        output, level, commands, script, arguments = _options(words)
        code, broken = _load(script)
        if output is None:
            output = os.path.splitext(os.path.basename(script))[0] + '.footlight'
    except Refused as refused:
        print(f'footlight: {refused}\n\n{USAGE}', end='', file=sys.stderr)
        return 2
    from footlight import _alias, _engine
    python = f'Python {sys.version.split()[0]} ({sys.executable})'
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        _engine.worker_start(os.path.abspath(script), arguments, python, os.path.abspath(output), level, commands)
    except Exception as error:
        print(f'footlight: {error}', file=sys.stderr)
        return 2
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True)
    sys.argv = [script, *arguments]
    sys.path[0] = os.path.dirname(os.path.abspath(script))
    _alias.install(for_children=True)
    return _run(code, broken, script, _engine)


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
