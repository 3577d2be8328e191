"""Runs a script as `python script.py` would, recorded: `footlight record [options] script.py [arguments]`."""
import importlib.machinery
import importlib.util
import os
import sys
import traceback

import footlight_recorder
from footlight_recorder import _recorder, _terminal, processes
from footlight_recorder.engines import ENGINES

USAGE = """usage: footlight record [-o FILE] [--level off|structure|ops] [--compare NAME[:CALL]]
                        [--values NAME[:CALL[-LAST]]] [--check-numerics] [--engine NAME] script.py [arguments]
       footlight record script.py [-o FILE] [--level LEVEL] [--] [arguments]
       footlight record [options] -m MODULE [arguments]

Runs the script as `python script.py` does and records what its traced functions do.
  -o, --output FILE   the recording (default: the script's name with .footlight, here)
  --level LEVEL       off: console only; structure: functions, traces, graphs, calls; ops: every op as well (default)
  --engine NAME       whose work is recorded: auto: Footlight, as which `import tensorflow` then runs, JAX and PyTorch
                      (default); footlight: Footlight alone; tensorflow: the TensorFlow that is installed, and Keras on
                      it; jax, torch: that engine alone, and TensorFlow is left as it is
  --compare NAME[:CALL]
                      repeats a call of a traced function, eagerly and traced, when the script gets to it: its first
                      one, or the one with that number. NAME is qualified or its last part; empty: the first called
  --compare-pairs N   at most so many pairs of repetitions (200)
  --compare-seconds S for about so long (10)
  --values NAME[:CALL[-LAST]]
                      runs a call of a traced function again, node by node, and records what its tensors hold; with
                      LAST, all calls up to that one, 100 at most
  --check-numerics    searches the results and variables of every call of a traced function for NaN and infinity, and
                      records the values of the first call that holds one
Processes that the script starts are recorded too, each in a file of its own beside FILE (FILE without its ending, then
.pid4711.footlight); in a distributed run every rank is (.rank3.footlight). `footlight merge FILE` puts them together.
These are taken before the script and directly behind it; what follows, or stands behind `--`, is the script's.
"""


class Refused(Exception):
    """The command line is invalid; the message says why."""


def _take_options(words, settings, known):
    """Moves the options at the front of `words` into `settings`; stops at the first other word, or after `--`."""
    while words and words[0].startswith('-') and words[0] != '-m':
        name, has_value, value = words[0].partition('=')
        if name == '--':
            words.pop(0)
            return
        if name in ('-h', '--help') and None in known:
            print(USAGE, end='')
            raise SystemExit(0)
        if name not in known:
            if None in known:
                raise Refused(f"unknown option '{words[0]}'")
            return
        words.pop(0)
        if known[name] in _FLAGS:
            if has_value:
                raise Refused(f"option '{name}' takes no value")
            value = True
        elif not has_value:
            if not words:
                raise Refused(f"option '{name}' needs a value")
            value = words.pop(0)
        settings[known[name]] = value


_OUR_OPTIONS = {'-o': 'output', '--output': 'output', '--level': 'level', '--compare': 'compare',
                '--compare-pairs': 'pairs', '--compare-seconds': 'seconds', '--values': 'values',
                '--check-numerics': 'check', '--engine': 'engine'}
# --engine: the engines whose adapters are installed.
_ENGINES = {'auto': ['jax', 'torch'], 'footlight': [], **{name: [name] for name in ENGINES}}
_FLAGS = ('check',)
_MAX_CALLS_WITH_VALUES = 100


def _wanted_comparison(settings):
    """(name, call, pairs, seconds) as the engine reads it; None: no comparison is wanted."""
    if settings['compare'] is None:
        return None
    name, _, call = settings['compare'].partition(':')
    try:
        call, pairs, seconds = int(call or 1), int(settings['pairs']), float(settings['seconds'])
    except ValueError:
        raise Refused('--compare takes NAME[:CALL], --compare-pairs and --compare-seconds take numbers') from None
    if not (1 <= call < 2 ** 63 and 2 <= pairs <= 10000 and 0 < seconds <= 3600):
        raise Refused('--compare: calls count from 1, pairs are 2 to 10000, seconds up to 3600')
    if settings['level'] == 'off':
        raise Refused('--compare needs --level structure or ops')
    return name, call, pairs, seconds


def _wanted_values(settings):
    """(name, first call, last call, whether to check all calls) as the engine reads it; None: no values are wanted."""
    if settings['values'] is None and not settings['check']:
        return None
    if settings['level'] == 'off':
        raise Refused('--values and --check-numerics need --level structure or ops')
    if settings['compare'] is not None:
        raise Refused('--values and --check-numerics would slow what --compare measures: record twice')
    if settings['values'] is None:
        return '', 0, 0, True
    name, _, calls = settings['values'].partition(':')
    first, dash, last = (calls or '1').partition('-')
    numbers = [first, last if dash else first]
    if not all(number.isascii() and number.isdigit() and 1 <= int(number) < 2 ** 63 for number in numbers):
        raise Refused(f"--values takes NAME[:CALL[-LAST]], where calls count from 1, not '{settings['values']}'")
    first, last = map(int, numbers)
    if not first <= last < first + _MAX_CALLS_WITH_VALUES:
        raise Refused(f'--values records 1 to {_MAX_CALLS_WITH_VALUES} calls, not those from {first} to {last}')
    return name, first, last, settings['check']


def _options(words):
    """(settings, script, its arguments). Our options come before the script or directly after it."""
    settings = {'output': None, 'level': 'ops', 'commands': '-1', 'compare': None, 'pairs': '200', 'seconds': '10',
                'values': None, 'check': False, 'engine': 'auto'}
    words = list(words)
    _take_options(words, settings, {**_OUR_OPTIONS, '--commands': 'commands', None: None})
    if not words:
        raise Refused('which script? Name a .py file after the options')
    settings['module'] = words[0] == '-m'
    if settings['module']:
        if len(words) < 2:
            raise Refused('which module? Name one after -m')
        words.pop(0)
    script = words.pop(0)
    if not settings['module']:
        _take_options(words, settings, _OUR_OPTIONS)
    if not settings['module'] and words[-2:-1] == ['-o'] and words[-1].endswith('.footlight'):
        settings['output'] = words.pop()
        words.pop()
    if settings['level'] not in ('off', 'structure', 'ops'):
        raise Refused(f"--level must be off, structure or ops, not '{settings['level']}'")
    if settings['engine'] not in _ENGINES:
        raise Refused(f"--engine must be {', '.join(_ENGINES)}, not '{settings['engine']}'")
    if not settings['commands'].lstrip('-').isdigit():
        raise Refused(f"--commands takes the number of a descriptor, not '{settings['commands']}'")
    return settings, script, words


def _file_of_module(name):
    """Where the module's source is: importing it to find out would run its package, which is not recorded yet."""
    for folder in ['', *sys.path]:
        at = os.path.join(folder or os.getcwd(), *name.split('.'))
        for path in (os.path.join(at, '__main__.py'), at + '.py'):
            if os.path.isfile(path):
                return path
    raise Refused(f"there is no module '{name}'")


def _load(script):
    """The script's code; if it does not compile, the error that its traceback shows."""
    try:
        with open(script, 'rb') as file:
            source = file.read()
    except OSError as error:
        raise Refused(f"cannot open the script '{script}': {error.strerror}") from None
    try:
        return compile(source, os.path.join(os.getcwd(), script), 'exec', dont_inherit=True), None
    except (SyntaxError, ValueError) as error:
        return None, error


def _shown(error):
    """Shows the traceback from the user's first frame on; the exit status."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    _recorder.send_reason(_recorder.error_words(''.join(traceback.format_exception(type(error), error, trace))))
    if isinstance(error, ModuleNotFoundError) and error.name in ('keras', 'tensorboard'):
        error.add_note(f'Install it with: {sys.executable} -m pip install {error.name}')
    sys.excepthook(type(error), error.with_traceback(trace), trace)
    return 130 if isinstance(error, KeyboardInterrupt) else 1


def _run_module(name):
    """Runs a module as `python -m` does; the exit status."""
    import runpy
    try:
        runpy.run_module(name, run_name='__main__', alter_sys=True)
        return 0
    except SystemExit:
        raise
    except BaseException as error:
        return _shown(error)


def _run(code, broken, script):
    """Runs the code as __main__; the exit status."""
    import builtins
    import types
    main = types.ModuleType('__main__')
    path = os.path.join(os.getcwd(), script)
    main.__dict__.update(__file__=path, __cached__=None, __builtins__=builtins, __annotations__={},
                         __loader__=importlib.machinery.SourceFileLoader('__main__', path))
    sys.modules['__main__'] = main
    try:
        if broken is not None:
            raise broken
        exec(code, main.__dict__)
        return 0
    except SystemExit:
        raise
    except BaseException as error:
        return _shown(error)


def _alias_tensorflow():
    """Makes `import tensorflow` load Footlight's engine, which is not loaded before that."""
    package = importlib.util.find_spec('footlight')
    if package is None:
        return
    spec = importlib.util.spec_from_file_location('_footlight_alias', os.path.join(package.submodule_search_locations[0],
                                                                                  '_alias.py'))
    alias = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(alias)
    alias.install(for_children=True)


def main(words):
    """Forks the supervisor and runs the script in this process; returns the exit status."""
    try:
        settings, script, arguments = _options(words)
        processes.stay_apart()
        footlight_recorder.wanted_comparison = _wanted_comparison(settings)
        footlight_recorder.wanted_values = _wanted_values(settings)
        module = script if settings['module'] else None
        script = _file_of_module(module) if module else script
        code, broken = _load(script)
        name = module.rpartition('.')[2] if module else os.path.splitext(os.path.basename(script))[0]
        output = settings['output'] or name + '.footlight'
        if output == '-':
            raise Refused('a recording is a file, which cannot go to standard output: name one after -o')
        if os.path.exists(output) and os.path.samefile(output, script):
            raise Refused(f"'{output}' is the script itself: name another file for the recording after -o")
    except Refused as refused:
        print(f'footlight: {_terminal.printable(refused)}\n\n{USAGE}', end='', file=sys.stderr)
        return 2
    python = f'Python {sys.version.split()[0]} ({sys.executable})'
    sys.stdout.flush()
    sys.stderr.flush()
    output = processes.file_of_rank(os.path.abspath(output), _recorder.rank())
    run = processes.new_run()
    _recorder.describe_process({'run': run})
    try:
        _recorder.run_script(os.path.abspath(script), arguments, python, output, settings['level'],
                             int(settings['commands']))
    except Exception as error:
        print(f'footlight: {_terminal.printable(error)}', file=sys.stderr)
        return 2
    processes.end_with_process()
    if settings['engine'] in ('auto', 'footlight'):
        _alias_tensorflow()
    if settings['level'] != 'off':
        from footlight_recorder import adapters
        adapters.hook_imports(_ENGINES[settings['engine']])
    processes.record_children(output, settings['level'], _ENGINES[settings['engine']], run, os.path.abspath(script))
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True)
    sys.argv = [script, *arguments]
    if not sys.flags.safe_path:
        sys.path[0] = os.getcwd() if module else os.path.dirname(os.path.realpath(script))
    return _run_module(module) if module else _run(code, broken, script)
