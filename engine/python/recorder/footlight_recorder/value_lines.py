"""Where the arguments of a call were made, from the source of the function that calls."""
from __future__ import annotations

import ast
from types import FrameType
from typing import Any

from footlight_recorder import _recorder, outside

_MOST_TRACES = 64
_looked: dict[tuple[int, str, int], int] = {}
_last: dict[tuple[int, str, int, str], Any] = {}


def _scope_of(frame: FrameType) -> list[ast.stmt]:
    """The statements of the function that runs, or of its module."""
    code = frame.f_code
    if code.co_name == '<module>':
        tree = outside.tree_of(code.co_filename)
        return tree.body if tree is not None else []
    node = outside.function_of(code)
    return node.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) else []


def _call_at(frame: FrameType, statements: list[ast.stmt]) -> ast.Call | None:
    """The call that the frame is making."""
    where = list(frame.f_code.co_positions())[frame.f_lasti // 2]
    best = None
    for statement in statements:
        for node in ast.walk(statement):
            if isinstance(node, ast.Call) and (node.lineno, node.end_lineno, node.col_offset, node.end_col_offset) == where:
                best = node
    return best


def _names_in(node: ast.AST) -> list[str]:
    return [one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)]


def _made(node: ast.expr, call: ast.Call, statements: list[ast.stmt], path: str, depth: int = 0) -> list[tuple[str, int]]:
    """The lines that gave an expression its value: assignments of the names in it, before the call."""
    found: list[tuple[str, int]] = []
    for name in dict.fromkeys(_names_in(node)):
        last: tuple[int, ast.expr] | None = None
        for statement in statements:
            for one in ast.walk(statement):
                value: ast.expr | None = None
                targets: list[ast.expr] = []
                if isinstance(one, ast.Assign):
                    targets, value = one.targets, one.value
                elif isinstance(one, (ast.AugAssign, ast.AnnAssign)):
                    targets, value = [one.target], one.value
                elif isinstance(one, (ast.For, ast.AsyncFor)):
                    targets, value = [one.target], one.iter
                elif isinstance(one, ast.NamedExpr):
                    targets, value = [one.target], one.value
                bound = [leaf.id for target in targets for leaf in ast.walk(target) if isinstance(leaf, ast.Name)]
                line = getattr(one, 'lineno', 0)
                if value is not None and name in bound and line <= call.lineno and (last is None or line >= last[0]):
                    last = line, value
        if last is None:
            continue
        called = [one for one in ast.walk(last[1]) if isinstance(one, ast.Call)]
        for one in called:  # a function of the same file that returns it
            found.extend(_returned(one, path))
        if last[0] != call.lineno:
            found.append((path, last[0]))
        if depth < 3 and not called:
            found.extend(_made(last[1], call, statements, path, depth + 1))
    return list(dict.fromkeys(found))


def _returned(call: ast.Call, path: str) -> list[tuple[str, int]]:
    """The return statements of functions of the file that a call may run."""
    tree = outside.tree_of(path)
    names = set(_names_in(call.func))
    found = []
    for node in tree.body if tree is not None else ():
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name in names:
            found += [(path, one.lineno) for one in ast.walk(node) if isinstance(one, ast.Return) and one.value is not None]
    return found[:4]


def record(frame: FrameType, function: int, trace: int, names: list[str], method: bool) -> None:
    """Records them for a call in this frame. `names`: the parameters; `method`: the object gives the first."""
    code = frame.f_code
    place = (function, code.co_filename, frame.f_lineno)
    _looked[place] = _looked.get(place, 0) + 1
    if _looked[place] > _MOST_TRACES:
        return
    statements = _scope_of(frame)
    call = _call_at(frame, statements)
    if call is None:
        return
    given: dict[int, ast.expr] = {}
    for at, argument in enumerate(call.args):
        if isinstance(argument, ast.Starred):
            break
        given[at + method] = argument
    for keyword in call.keywords:
        if keyword.arg in names:
            given[names.index(keyword.arg)] = keyword.value
    for at, argument in given.items():
        if at >= len(names):
            break
        lines = _made(argument, call, statements, code.co_filename)
        path = f'args[{at}]'
        if not lines or _last.get((*place, path)) == lines:
            continue
        _last[(*place, path)] = lines
        _recorder.add('observation', {'kind': 'value line', 'function': function, 'trace': trace, 'path': path,
                                      'file': code.co_filename, 'line': frame.f_lineno,
                                      'observation_line': [{'role': 'value', 'file': file, 'line': line}
                                                           for file, line in lines]})
