"""What TensorFlow's AutoGraph makes of functions: the text, the user's line behind each of its lines, what was staged."""
from __future__ import annotations

import linecache
import os
import sys
import time
from collections.abc import Callable
from types import CodeType, FrameType, FunctionType
from typing import Any

from footlight_recorder import _recorder
from footlight_recorder.adapters import Hook, guarded

_API = 'tensorflow.python.autograph.impl.api'
_CONTROL = 'tensorflow.python.autograph.operators.control_flow'
# What AutoGraph calls for a statement that it stages, or leaves to Python.
_DECISIONS = (('_tf_if_stmt', 'if', 'staged', 'became cond'), ('_py_if_stmt', 'if', 'python', ''),
              ('_tf_while_stmt', 'while', 'staged', 'became while_loop'), ('_py_while_stmt', 'while', 'python', ''),
              ('_tf_range_for_stmt', 'for', 'staged', 'became while_loop'),
              ('_known_len_tf_for_stmt', 'for', 'staged', 'became while_loop'),
              ('_tf_iterator_for_stmt', 'for', 'staged', 'became while_loop'),
              ('_tf_dataset_for_stmt', 'for', 'staged', 'became a reduction'),
              ('_py_for_stmt', 'for', 'python', ''))


class _Generated:
    """A file of generated code."""

    def __init__(self, function: Any, lines: dict[int, tuple[str, int]]) -> None:
        self.function, self.lines = function, lines


class AutoGraph:
    """The bodies of AutoGraph's hooks. `current`: gives (function, trace, phases) of the trace in progress, or None."""

    def __init__(self, current: Callable[[], Any]) -> None:
        self._current = current
        self._files: dict[str, _Generated] = {}
        self._decided: set[tuple[int, str, int, str]] = set()

    def original(self, function: FunctionType) -> FunctionType | None:
        """The user's function of which this one was generated; None: it is none of AutoGraph's."""
        generated = self._files.get(function.__code__.co_filename)
        return None if generated is None else generated.function

    def hooks(self) -> list[Hook]:
        """The table of AutoGraph's hooks."""
        def decided(kind: str, fate: str, note: str) -> Callable[[Any], Any]:
            @guarded
            def before(*_: Any, **named: Any) -> None:
                self.decide(sys._getframe(2), kind, fate, note)
            return lambda original: _recorder.hooked(original, before)

        found = [Hook(_API, '_TRANSPILER.transform', lambda original: _recorder.hooked(original, _now, self.transformed),
                      "AutoGraph's code"),
                 Hook(_API, '_fall_back_unconverted', lambda original: _recorder.hooked(original, self.fell_back),
                      'functions that AutoGraph could not convert')]
        return found + [Hook(_CONTROL, name, decided(kind, fate, note), 'what AutoGraph staged', needed=False)
                        for name, kind, fate, note in _DECISIONS]

    @guarded
    def transformed(self, start_ns: int, result: Any, error: Any, function: Any, *more: Any, **named: Any) -> None:
        """AutoGraph converted a function, or found it converted."""
        current = self._current()
        if current is not None:
            current[2].append({'name': 'autograph', 'category': 'trace', 'start_ns': start_ns, 'end_ns': time.time_ns()})
        if result is None or error is not None:
            return
        _, module, source_map = result
        path = getattr(module, '__file__', None)
        if path is None:
            return
        function = getattr(function, '__func__', function)
        known = self._files.get(path)
        if known is not None:
            known.function = function
            return
        lines = {place.lineno: (origin.loc.filename, origin.loc.lineno) for place, origin in source_map.items()}
        self._files[path] = _Generated(function, lines)
        code = getattr(function, '__code__', None)
        if current is None or code is None or os.sep + 'site-packages' + os.sep in code.co_filename:
            return
        text = ''.join(linecache.getlines(path))
        count = text.count('\n') + 1
        mapped = [lines[line][1] if line in lines and lines[line][0] == code.co_filename else 0
                  for line in range(1, count + 1)]
        _recorder.add('generated', {'function': current[0], 'code': code, 'name': code.co_name,
                                    'file': code.co_filename, 'text': text, 'generated_line': mapped})

    @guarded
    def fell_back(self, function: Any, args: Any, kwargs: Any, options: Any, error: Any, *more: Any) -> None:
        """AutoGraph leaves a whole function to Python."""
        code = getattr(getattr(function, '__func__', function), '__code__', None)
        if isinstance(code, CodeType):
            self.add(code.co_filename, code.co_firstlineno, 'function', 'fallback', str(error).splitlines()[0][:300])

    def decide(self, frame: FrameType | None, kind: str, fate: str, note: str) -> None:
        """A statement was staged or left to Python."""
        while frame is not None and frame.f_code.co_filename not in self._files:
            frame = frame.f_back
        if frame is None:
            return
        place = self._files[frame.f_code.co_filename].lines.get(frame.f_lineno)
        if place is not None:
            self.add(place[0], place[1], kind, fate, note)

    def add(self, path: str, line: int, kind: str, fate: str, note: str) -> None:
        """Records a decision, each once for a trace."""
        current = self._current()
        if current is None or '-packages/' in path:
            return
        said = (current[1], path, line, fate)
        if said in self._decided:
            return
        if len(self._decided) > 10000:
            self._decided.clear()
        self._decided.add(said)
        _recorder.add('decision', {'trace': current[1], 'file': path, 'line': line, 'kind': kind, 'fate': fate,
                                   'note': note})


def _now(*_: Any, **named: Any) -> int:
    return time.time_ns()

