"""Recording a part of a program from inside it: `with footlight_recorder.record('run.footlight'):`, start() and stop()."""
from __future__ import annotations

import os
import sys
import traceback
import warnings
from types import TracebackType

from footlight_recorder import _recorder, adapters, processes

_path: str | None = None  # of the latest recording that start() began
_handles_exit = False


def prepare(engine: str = 'auto') -> None:
    """Puts the recorder's hooks in place without recording: what engines make from here on can be recorded later.

    Call it before `import jax`, so that functions which are jitted before the recording starts are part of it with the graphs
    of their traces. Of traces that TensorFlow makes before the recording starts, times and lines are missing all the same.

        import footlight_recorder
        footlight_recorder.prepare()
        import jax
    """
    adapters.hook_imports(adapters.names_of(engine))


def start(path: str | os.PathLike[str], level: str = 'ops', engine: str = 'auto', script: str | None = None) -> str:
    """Records this process into a file from here on; returns its path. `script` is what the recording is said to be of.

    In a distributed run (torchrun, MPI, Slurm) every rank writes a file of its own: 'run.footlight' becomes
    'run.rank3.footlight'. Processes that this one starts are recorded beside it; `footlight merge` puts all together.
    """
    global _path, _handles_exit
    names = adapters.names_of(engine)
    processes.stay_apart()
    output = processes.file_of_rank(os.path.abspath(os.fspath(path)), _recorder.rank())
    _refuse_second()
    if script is None:
        script = os.path.abspath(sys.argv[0]) if sys.argv and sys.argv[0] else ''
    run = processes.new_run()
    _recorder.describe_process({'run': run})
    _recorder.start(script, list(sys.argv[1:]), f'Python {sys.version.split()[0]} ({sys.executable})', output, level)
    _path = output
    if not _handles_exit:
        _handles_exit = True
        processes.end_with_process()
    processes.record_children(output, level, names, run, script)
    if level != 'off':
        adapters.begin_recording(names)
    return output


def stop(reason: str = 'the program stopped recording') -> None:
    """Ends the recording, if one is running."""
    global _path
    words = _recorder.stop(reason)
    _path = None
    processes.leave_children()
    if words:
        warnings.warn(words, stacklevel=3)


def stop_if(path: str, reason: str) -> None:
    """Ends the recording into that file, unless it has ended already."""
    if _path == path:
        stop(reason)


def _refuse_second() -> None:
    if not _recorder.recording():
        return
    if _path is None:
        raise RuntimeError('a recording is already running: `footlight record` records the whole program; run it without '
                           'that command to record a part of it')
    raise RuntimeError(f'a recording is already running, into {_path}: only one can run in a process; end it with '
                       'footlight_recorder.stop() or leave its `with` block first')


class record:
    """Records what runs in a block into a file that can be read meanwhile, and is complete when the block is left:

        with footlight_recorder.record('run.footlight'):
            train()

    The arguments are those of start(). An exception in the block passes through; the recording says which it was.
    """

    def __init__(self, path: str | os.PathLike[str], level: str = 'ops', engine: str = 'auto') -> None:
        adapters.names_of(engine)
        if level not in ('structure', 'ops'):
            raise ValueError(f"level must be 'structure' or 'ops', not {level!r}")
        self.path = os.path.abspath(os.fspath(path))
        self._level, self._engine = level, engine
        self._began = False

    def __enter__(self) -> record:
        if self._began:
            raise RuntimeError('this record() has been entered before: make another one, since its file would be replaced')
        self.path = start(self.path, self._level, self._engine)  # a rank has its number in the name
        self._began = True
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        how = 'ended' if error is None else \
            'raised ' + _recorder.error_words(''.join(traceback.format_exception(kind, error, trace)))
        stop_if(self.path, f'the block that was recorded {how}')  # which may have called stop()
