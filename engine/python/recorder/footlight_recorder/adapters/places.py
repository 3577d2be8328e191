"""Places of the program, as every adapter finds and records them: lines of definitions, frames of users, stacks."""
from __future__ import annotations

import linecache
from collections.abc import Callable, Iterable
from types import CodeType, FrameType
from typing import Any

from footlight_recorder import _recorder


def def_line(code: CodeType) -> int:
    """The line of the `def`: a code object begins at its first decorator."""
    first = code.co_firstlineno
    after = min((line for *_, line in code.co_lines() if line is not None and line > first), default=first)
    for line in range(first, min(after, first + 100) + 1):
        if linecache.getline(code.co_filename, line).lstrip().startswith(('def ', 'async def ', 'class ')):
            return line
    return first


def innermost(frame: FrameType | None, is_library: Callable[[str], bool]) -> FrameType | None:
    """The frame itself, or the nearest of its callers, that runs a file which is neither ours nor a library's."""
    while frame is not None:
        path = frame.f_code.co_filename
        if '/footlight_recorder/' not in path and not path.startswith('<frozen') and not is_library(path):
            return frame
        frame = frame.f_back
    return None


class Locations:
    """Stacks of frames as locations of the recording, each different stack once."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """A recording begins, which has no locations yet."""
        self._known: dict[tuple[Any, ...], int] = {}

    def of_frame(self, caller: int | None, file: str, line: int, name: str, column: int = 0, end_column: int = 0) -> int:
        """The location of one frame; columns count from 1, 0 is unknown."""
        place = caller, file, line, name, column, end_column
        if place not in self._known:
            self._known[place] = number = _recorder.new_id('location')
            _recorder.add('location', {'id': number, 'caller': caller, 'file': file, 'line': line, 'column': column,
                                       'end_column': end_column, 'qualname': name})
        return self._known[place]

    def of_frames(self, frames: Iterable[tuple[Any, ...]]) -> int | None:
        """The location of the last of these frames, each of which called the next."""
        at: int | None = None
        for frame in frames:
            at = self.of_frame(at, *frame)
        return at
