"""Recording cells of a notebook: `%load_ext footlight`, then `%%footlight` on top of a cell.

    %%footlight
    for batch in batches:
        train_step(batch)

records the cell into cell-N.footlight and shows the report below it. `%footlight_start` and `%footlight_stop` record several
cells, `%footlight_open` opens the latest recording in the window. Options of %%footlight and %footlight_start:
    -o FILE          the recording
    --level LEVEL    structure, or ops (every op as well; the default)
    --engine NAME    auto (default), footlight, or names of engines such as jax
"""
from __future__ import annotations

import html
import importlib.util
import linecache
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from typing import Any

from footlight_recorder import _recorder, in_program, program

_MAGIC = '%%footlight'


class UsageError(Exception):
    """The line of a magic is invalid; the message says why."""


def _options(line: str) -> dict[str, str]:
    """{'output': ..., 'level': ..., 'engine': ...} of the line of a magic; only those that are given."""
    names = {'-o': 'output', '--output': 'output', '--level': 'level', '--engine': 'engine'}
    words, found = shlex.split(line), {}
    while words:
        name, has_value, value = words.pop(0).partition('=')
        if name not in names:
            raise UsageError(f"{_MAGIC} has no option '{name}', only -o FILE, --level LEVEL and --engine NAME")
        if not has_value and not words:
            raise UsageError(f"{_MAGIC}: option '{name}' needs a value")
        found[names[name]] = value if has_value else words.pop(0)
    return found


def _is_ours(line: str) -> bool:
    word = line.split(maxsplit=1)[:1]
    return word == [_MAGIC] and not line.rstrip().endswith('?')


class Cells:
    """The cells' texts and the recording that runs in a notebook."""

    def __init__(self, shell: Any) -> None:
        self.shell = shell
        self.number = shell.execution_count  # of the cell that runs; while it does, IPython may count further
        self.path = ''           # of the latest recording
        self.names: dict[str, None] = {}  # of all cells, as code objects have them, in order
        self.runs = False        # the recording
        self.of_a_cell = False   # which ends with the cell
        self._cache: Callable[..., str] = shell.compile.cache

    def load(self) -> None:
        """Learns the cells that there are, and those that will come."""
        compiler = self.shell.compile
        for name, number in list(getattr(compiler, '_filename_map', {}).items()):
            self._give(name, number, ''.join(linecache.getlines(name)))
        compiler.cache = self._cache_and_give
        self.shell.input_transformers_cleanup.append(self.begin_before)
        self.shell.events.register('post_execute', self.cell_ended)

    def unload(self) -> None:
        self.shell.compile.cache = self._cache
        self.shell.input_transformers_cleanup.remove(self.begin_before)
        self.shell.events.unregister('post_execute', self.cell_ended)

    # ---- texts ----------------------------------------------------------------------------------------------------------

    def _cache_and_give(self, transformed_code: str, number: int = 0, raw_code: str | None = None) -> str:
        name = self._cache(transformed_code, number, raw_code)
        first, _, rest = transformed_code.partition('\n')
        if raw_code is not None and 'footlight_begin' in first and _is_ours(raw_code):
            first = raw_code.lstrip('\n').partition('\n')[0]
        self._give(name, number, f'{first}\n{rest}')
        self.number = number
        return name

    def _give(self, name: str, number: int, text: str) -> None:
        _recorder.give_source(name, f'cell [{number}]', text)
        self.names[name] = None
        if self.runs:
            _recorder.record_source(name)

    def begin_before(self, lines: list[str]) -> list[str]:
        """A cell under %%footlight as one that begins a recording in its first line: its lines keep their numbers, and it
        runs as any other, with `await` and with the value of its last line."""
        if not lines or not _is_ours(lines[0]):
            return lines
        options = lines[0].strip()[len(_MAGIC):].strip()
        rest = lines[1:]
        if rest and rest[0].startswith('%%'):
            rest = self.shell.transform_cell(''.join(rest)).splitlines(keepends=True)
        return [f"get_ipython().run_line_magic('footlight_begin', {options!r})\n", *rest]

    # ---- recording --------------------------------------------------------------------------------------------------------

    def begin(self, line: str, of_a_cell: bool) -> None:
        options = _options(line)
        path = os.path.abspath(os.path.expanduser(options.pop('output', f'cell-{self.number}.footlight')))
        path = in_program.start(path, script=f'cell [{self.number}]' if of_a_cell else f'cells from [{self.number}]', **options)
        self.path, self.runs, self.of_a_cell = path, True, of_a_cell
        for name in self.names:  # also those that only import: a fix uses their names
            _recorder.record_source(name)

    def end(self, reason: str) -> None:
        if not self.runs:
            raise UsageError('nothing is being recorded: %footlight_start begins a recording')
        self.runs = False
        in_program.stop(reason)
        self.show()

    def cell_ended(self) -> None:
        if self.runs and self.of_a_cell:
            self.end('the cell ended')

    def show(self) -> None:
        """Shows the report of the latest recording."""
        from IPython.display import display
        try:
            plain = program.output_of('report', self.path)
            page = program.output_of('report', '--html', '--fragment', self.path)
        except (OSError, RuntimeError) as error:
            print(f'The recording {self.path} is complete, but the report could not be made: {error}', file=sys.stderr)
            return
        command = f'footlight {shlex.quote(self.path)}'
        where = (f'<div style="opacity:.7;margin-top:8px">Everything else is in the window: '
                 f'<code>{html.escape(command)}</code>, or <code>%footlight_open</code> in a cell.</div>')
        display({'text/html': page + where, 'text/plain': f'{plain}\nEverything else is in the window: {command}'},  # type: ignore[no-untyped-call]
                raw=True)

    def open(self, line: str) -> None:
        """Opens a recording in the window."""
        path = os.path.abspath(os.path.expanduser(line.strip())) if line.strip() else self.path
        if not path:
            raise UsageError('nothing has been recorded yet: name a recording, or put %%footlight on top of a cell')
        if not os.path.exists(path):
            raise UsageError(f'there is no recording {path}')
        subprocess.Popen([program.find('footlight-app'), path], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                         stderr=subprocess.DEVNULL, start_new_session=True)


def _stand_in_for_tensorflow() -> None:
    """Makes `import tensorflow` give Footlight where no other TensorFlow is."""
    if 'tensorflow' in sys.modules or importlib.util.find_spec('tensorflow') is not None:
        return
    if importlib.util.find_spec('footlight') is None:
        return
    from footlight import _alias
    _alias.install()
    print('`import tensorflow` is Footlight in this notebook, since no TensorFlow is installed')


_loaded: Cells | None = None


def load_ipython_extension(shell: Any) -> None:
    """What `%load_ext footlight` calls."""
    global _loaded
    if _loaded is not None:
        return
    in_program.prepare()
    _stand_in_for_tensorflow()
    cells = _loaded = Cells(shell)
    cells.load()

    def footlight(line: str, cell: str) -> None:
        cells.begin(line, True)  # ends with the cell in which this is
        shell.run_cell(cell).raise_error()
    footlight.__doc__ = __doc__

    def footlight_begin(line: str) -> None:
        """What the first line of a cell under %%footlight becomes."""
        cells.begin(line, True)

    def footlight_start(line: str) -> None:
        """Records from here to %footlight_stop: %footlight_start [-o FILE] [--level LEVEL] [--engine NAME]"""
        cells.begin(line, False)

    def footlight_stop(line: str) -> None:
        """Ends what %footlight_start began and shows the report."""
        cells.end('%footlight_stop ended the recording')

    def footlight_open(line: str) -> None:
        """Opens a recording in the window, the latest one without a name: %footlight_open [FILE]"""
        cells.open(line)

    shell.register_magic_function(footlight, 'cell')
    for magic in (footlight_begin, footlight_start, footlight_stop, footlight_open):
        shell.register_magic_function(magic, 'line')


def unload_ipython_extension(shell: Any) -> None:
    """What `%unload_ext footlight` calls: the magics end a running recording and do nothing more."""
    global _loaded
    if _loaded is None:
        return
    if _loaded.runs:
        _loaded.end('%unload_ext ended the recording')
    _loaded.unload()
    _loaded = None
    for kind, names in (('cell', ['footlight']),
                        ('line', ['footlight_begin', 'footlight_start', 'footlight_stop', 'footlight_open'])):
        for name in names:
            shell.magics_manager.magics[kind].pop(name, None)
