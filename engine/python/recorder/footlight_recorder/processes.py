"""Processes that a recorded program starts are recorded too, each in a file of its own beside its parent's.

A child by fork() records at once if an engine or a recorder is loaded; any other Python that the program starts, once it
imports an engine or uses the recorder. So a helper that does nothing of the kind leaves no file.
"""
from __future__ import annotations

import importlib.abc
import importlib.util
import os
import sys
from importlib.machinery import ModuleSpec
from typing import Any, NamedTuple

_VARIABLE = 'FOOTLIGHT_RECORDED_BY'  # what a child needs to know of its parent
_SITE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '_site')
# A process that imports one of these is recorded. They stand in engines.py too, which this module, loaded by its path at
# the start of every Python, cannot import.
_ENGINES = ('footlight', 'jax', 'tensorflow', 'torch')


class Parent(NamedTuple):
    """A recorded process, as its children know it."""
    pid: int
    rank: int                # -1: there are no ranks
    level: str
    engines: tuple[str, ...]  # whose adapters are installed
    run: str                 # the same in all processes that one command started
    script: str
    recording: str           # its file

    def to_text(self) -> str:
        return '\n'.join([str(self.pid), str(self.rank), self.level, ','.join(self.engines), self.run,
                          self.script.replace('\n', ' '), self.recording])

    @classmethod
    def from_environment(cls) -> Parent | None:
        words = os.environ.get(_VARIABLE, '').split('\n', 6)
        if len(words) != 7:
            return None
        pid, rank, level, engines, run, script, recording = words
        return cls(int(pid), int(rank), level, tuple(engines.split(',')) if engines else (), run, script, recording)


_mine: Parent | None = None     # this process, as its children know it
_recorded_pid = -1              # this process, when it is recorded by begin()
_hooked = False
_end_at_once = os._exit


def new_run() -> str:
    """A name for everything that one command starts."""
    return os.urandom(8).hex()


def file_of_rank(path: str, rank: tuple[int, int, int] | None) -> str:
    """'run.footlight' -> 'run.rank3.footlight' in a distributed run, where every rank writes a file of its own.

    A path that says where the rank stands, 'run-{rank}.footlight', gets it there.
    """
    if '{rank}' in path:
        return path.replace('{rank}', str(rank[0] if rank else 0))
    return _with(path, f'rank{rank[0]}') if rank else path


def _with(path: str, word: str) -> str:
    stem = path.removesuffix('.footlight')
    return f'{stem}.{word}.footlight'


def record_children(recording: str, level: str, engines: list[str], run: str, script: str) -> None:
    """From now on the processes that this one starts are recorded as well."""
    global _mine, _hooked
    if level == 'off':
        return
    from footlight_recorder import _recorder
    rank = _recorder.rank()
    _mine = Parent(os.getpid(), rank[0] if rank else -1, level, tuple(engines), run, script, recording)
    os.environ[_VARIABLE] = _mine.to_text()
    folders = [folder for folder in os.environ.get('PYTHONPATH', '').split(os.pathsep) if folder]
    os.environ['PYTHONPATH'] = os.pathsep.join([_SITE, *(folder for folder in folders if folder != _SITE)])
    if not _hooked:
        _hooked = True
        os.register_at_fork(after_in_child=_after_fork)


def leave_children() -> None:
    """From now on the processes that this one starts are not recorded."""
    global _mine
    _mine = None
    os.environ.pop(_VARIABLE, None)
    folders = os.environ.get('PYTHONPATH', '').split(os.pathsep)
    if _SITE in folders:
        os.environ['PYTHONPATH'] = os.pathsep.join(folder for folder in folders if folder != _SITE)


def _after_fork() -> None:
    """In a child: records it if it may do something that is recorded."""
    global _mine
    parent, _mine = _mine, None
    if parent is None or sys._getframe(1).f_globals.get('__name__') == 'subprocess':  # which runs a program at once
        return
    if any(name in sys.modules for name in _ENGINES) or 'footlight_recorder.adapters' in sys.modules:
        begin(parent, forked=True)
    else:
        _Waiting(parent, forked=True).install()


def begin(parent: Parent, forked: bool) -> None:
    """Records this process, a child of `parent`. The program never sees that it could not be recorded."""
    global _recorded_pid
    try:
        from footlight_recorder import _recorder
        if _recorder.recording():
            return
        rank = _recorder.rank()
        is_rank = rank is not None and rank[0] != parent.rank
        recording = _with(parent.recording, f'rank{rank[0]}' if rank is not None and is_rank else f'pid{os.getpid()}')
        kind = 'rank' if is_rank else 'fork' if forked else 'spawn'
        _recorder.describe_process({'kind': kind, 'parent_pid': parent.pid, 'run': parent.run})
        own = sys.argv[0] if getattr(sys, 'argv', None) else ''
        script = os.path.abspath(own) if own and not own.startswith('-') and not forked else parent.script
        python = f'Python {sys.version.split()[0]} ({sys.executable})'
        arguments = list(getattr(sys, 'argv', []))[1:]
        _recorder.start(script, arguments, python, recording, parent.level)
        _recorded_pid = os.getpid()
        end_with_process()
        if not forked:
            from footlight_recorder import adapters
            adapters.hook_imports(list(parent.engines))
        record_children(recording, parent.level, list(parent.engines), parent.run, script)
    except Exception as error:
        print(f'footlight: process {os.getpid()} is not recorded: {error}', file=sys.stderr)


def end_with_process() -> None:
    """Has the recording end when this process does, also by os._exit(), which skips exit handlers."""
    import atexit
    from footlight_recorder import _recorder
    atexit.register(_recorder.program_ended)  # registered first, called last: what the program registers is recorded
    recorded = os.getpid()

    def _exit(status: int) -> None:
        if os.getpid() == _recorded_pid and isinstance(status, int):
            _recorder.end_process(status)
        elif os.getpid() == recorded and isinstance(status, int):
            _recorder.program_ended()
        _end_at_once(status)
    os._exit = _exit  # type: ignore[assignment]


class _Waiting(importlib.abc.MetaPathFinder):
    """Begins to record when an engine or the recorder is imported."""
    now: _Waiting | None = None

    def __init__(self, parent: Parent, forked: bool) -> None:
        self.parent, self.forked = parent, forked

    def install(self) -> None:
        _Waiting.now = self
        sys.meta_path.insert(0, self)

    def work(self) -> None:
        """There is something to record."""
        _Waiting.now = None
        if self in sys.meta_path:
            sys.meta_path.remove(self)
        begin(self.parent, self.forked)

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if name not in _ENGINES:
            return None
        self.work()
        return importlib.util.find_spec(name)  # the finders that record an engine are in place now


def wait_for_work(packages: str) -> None:
    """In a Python that a recorded program started: records it from its first work on. `packages`: where the recorder is."""
    parent = Parent.from_environment()
    if parent is None or parent.pid == os.getpid():
        return
    if packages not in sys.path:
        sys.path.append(packages)
    from footlight_recorder import processes  # this module was loaded by its path: the package's own is another
    processes._Waiting(processes.Parent(*parent), forked=False).install()


def there_is_work() -> None:
    """Called when the recorder is used."""
    if _Waiting.now is not None:
        _Waiting.now.work()


def stay_apart() -> None:
    """For a program that records itself: it is nobody's child, and its own children are its own."""
    global _recorded_pid
    if _Waiting.now is not None:
        if _Waiting.now in sys.meta_path:
            sys.meta_path.remove(_Waiting.now)
        _Waiting.now = None
    if _recorded_pid == os.getpid():
        from footlight_recorder import _recorder
        _recorder.end_process(0)
        _recorded_pid = -1
        _recorder.describe_process({'kind': '', 'parent_pid': 0})
    leave_children()
