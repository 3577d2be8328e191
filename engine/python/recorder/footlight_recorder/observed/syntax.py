"""Syntax trees of the program's files, as they were when first asked for."""
from __future__ import annotations

import ast
import functools
import linecache


@functools.lru_cache(maxsize=256)
def tree_of(path: str) -> ast.Module | None:
    """The syntax tree of a file; None: it has none."""
    try:
        return ast.parse(''.join(linecache.getlines(path)))
    except (SyntaxError, ValueError, RecursionError):
        return None
