"""Hooks for versions of PyTorch whose structured log says less than this adapter needs: before 2.6 nothing of graph breaks,
before 2.5 nothing of phases, sizes that were fixed, and why a trace did not serve.

What the log of a version does say counts; these hooks fill in the rest.
"""
from __future__ import annotations

import re
import sys
import time
import weakref
from collections.abc import Callable
from types import FrameType, ModuleType
from typing import Any

from footlight_recorder import _recorder
from footlight_recorder.adapters import Hook, guarded, torch_log


def version_of(torch: ModuleType) -> tuple[int, int]:
    """(2, 3) of "2.3.1+cpu"; a version that is written otherwise counts as new."""
    found = re.match(r'(\d+)\.(\d+)', str(torch.__version__))
    return (int(found[1]), int(found[2])) if found else (99, 0)


def name_of_limit(torch: ModuleType) -> str:
    """What the limit of traces is called in the configuration. Versions with the new name still accept the old one."""
    return 'recompile_limit' if hasattr(torch._dynamo.config, 'recompile_limit') else 'cache_size_limit'


class Older:
    """The bodies of the hooks. `entry` returns what is known of this compilation; `limit` notes a limit that was reached."""

    def __init__(self, entry: Callable[[], torch_log.Entry | None], limit: Callable[[FrameType], None]) -> None:
        self._entry, self._limit = entry, limit
        self._natives: weakref.WeakKeyDictionary[Any, str] = weakref.WeakKeyDictionary()  # by the function that checks guards
        self._words: list[str] = []  # for the compilation that comes next

    def hooks(self, version: tuple[int, int]) -> list[Hook]:
        """The rows of the table for this version."""
        def hooked(before: Any = None, after: Any = None) -> Callable[[Any], Any]:
            return lambda original: _recorder.hooked(original, before, after)

        rows = []
        if version < (2, 6):
            rows += [Hook('torch._dynamo.output_graph', 'OutputGraph.compile_subgraph', hooked(self.broke),
                          'statements that break graphs')]
        if version < (2, 5):
            rows += [
                Hook('torch._dynamo.guards', 'get_guard_fail_reason', hooked(None, self.not_served),
                     'why a trace did not serve'),
                Hook('torch._dynamo.convert_frame', 'exceeds_cache_size_limit', hooked(None, self.counted),
                     'calls beyond the limit of traces', needed=False),
                Hook('torch.fx.experimental.symbolic_shapes', 'ShapeEnv._set_replacement', hooked(self.fixed),
                     'statements that fix a size'),
                Hook('torch._dynamo.symbolic_convert', 'InstructionTranslator.run', hooked(*self.phase('bytecode_tracing')),
                     'how long tracing takes'),
                Hook('torch._dynamo.guards', 'CheckFunctionManager.__init__', hooked(*self.phase('build_guards')),
                     'how long the making of guards takes'),
                Hook('torch._dynamo.output_graph', 'OutputGraph.call_user_compiler', hooked(*self.phase('backend_compile')),
                     'how long the backend takes'),
            ]
        return rows

    # ---- graph breaks ---------------------------------------------------------------------------------------------

    @guarded
    def broke(self, graph: Any, translator: Any, *_: Any, reason: Any = None, **named: Any) -> None:
        """A graph ends here; `reason` says where in the program, and whether the function goes on after it."""
        entry = self._entry()
        if entry is None or reason is None or not getattr(reason, 'graph_break', True):
            return
        self._add(entry, reason.user_stack, str(reason.reason))

    @guarded
    def skipped(self, entry: torch_log.Entry, error: BaseException) -> None:
        """A frame is left to Python; a statement that cannot be in a graph may be the cause."""
        cause = error.__cause__
        stack = getattr(cause, 'real_stack', None)
        if stack and not entry.breaks:
            self._add(entry, stack, str(getattr(cause, 'msg', cause)))

    @staticmethod
    def _add(entry: torch_log.Entry, stack: Any, reason: str) -> None:
        frames = list(stack)
        if frames and not any((file, line) == (frames[-1].filename, frames[-1].lineno) for file, line, _ in entry.breaks):
            entry.breaks.append((frames[-1].filename, frames[-1].lineno, reason))

    # ---- traces that did not serve --------------------------------------------------------------------------------

    def made_guards(self, manager: Any, native: str) -> None:
        """`manager` made the guards of a trace."""
        check = getattr(manager, 'check_fn', None)
        if check is not None:
            self._natives[check] = native

    @guarded
    def not_served(self, _: Any, result: Any, error: Any, check: Any, *more: Any, **named: Any) -> None:
        """The guards that `check` looks at did not hold."""
        native = self._natives.get(check)
        if error is None and result and native is not None:
            self._words.append(f'{native}: {result}')

    def take_words(self) -> list[str]:
        """What was said before the compilation that begins now."""
        words, self._words = self._words, []
        return words

    @guarded
    def counted(self, _: Any, result: Any, error: Any, *more: Any, **named: Any) -> None:
        """PyTorch has counted the traces of a frame, before it begins to compile it."""
        frame = sys._getframe(2)
        exceeded = result[0] if isinstance(result, tuple) else result
        if error is None and exceeded and frame.f_code.co_name == '_convert_frame_assert':
            self._limit(frame.f_locals['frame'])

    # ---- sizes ----------------------------------------------------------------------------------------------------

    @guarded
    def fixed(self, shapes: Any, symbol: Any, target: Any, *more: Any, **named: Any) -> None:
        """A size that was a symbol stands for one number from now on, or for another symbol."""
        entry = self._entry()
        if entry is None or not getattr(target, 'is_Integer', False) or symbol in shapes.replacements:
            return
        from torch._guards import TracingContext
        frames = [(frame.filename, frame.lineno or 0, frame.name) for frame in TracingContext.extract_stack()]
        names = [source.name() for source in shapes.var_to_sources.get(symbol, ())]
        entry.fixed.append((names, str(target), frames))

    # ---- phases ---------------------------------------------------------------------------------------------------

    def phase(self, name: str) -> tuple[Callable[..., Any], Callable[..., None]]:
        """The two bodies of a hook that measures a part of a compilation."""
        def before(*_: Any, **named: Any) -> torch_log.Entry | None:
            entry = self._entry()
            if entry is not None:
                entry.begin(name, time.time_ns())
            return entry

        def after(entry: torch_log.Entry | None, *_: Any, **named: Any) -> None:
            if entry is not None:
                entry.end(name, time.time_ns())
        return before, after
