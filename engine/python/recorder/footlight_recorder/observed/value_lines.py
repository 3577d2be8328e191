"""Where the arguments of a call were made, from the source of the calling functions. Runs none of the program's code."""
from __future__ import annotations

import ast
import functools
import itertools
from collections.abc import Iterator
from types import CodeType, FrameType
from typing import NamedTuple

from footlight_recorder import _recorder
from footlight_recorder.observed.syntax import tree_of

_MAX_CALLERS = 4     # frames through which an argument is followed that a function only passes on
_MAX_LINES = 4       # of one argument
_MAX_TRACES = 64     # of one line of a function that are looked at

_Function = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_Env = dict[str, frozenset[int]]  # of a local name: the lines that may have assigned what it holds


class Line(NamedTuple):
    """A line of a file."""
    file: str
    line: int


class Argument(NamedTuple):
    """An argument of a call: the parameter that it is for, and the lines that made it, the most specific first.

    `passed`: where a wrapper was called that passes the argument on with its `*args` or `**kwargs`.
    """
    position: int
    made: list[Line]
    passed: Line | None = None


def _position(code: CodeType, offset: int) -> tuple[int, int, int, int] | None:
    """First and last line, first and last column of an instruction."""
    if not hasattr(code, 'co_positions'):
        return None
    found = next(itertools.islice(code.co_positions(), offset // 2, None), None)
    if found is None or None in found:
        return None
    line, last, column, end = found
    assert line is not None and last is not None and column is not None and end is not None
    return line, last, column, end


def _call_at(tree: ast.Module, at: tuple[int, int, int, int]) -> tuple[ast.Call, list[ast.AST]] | None:
    """The call there, and what is around it from the module inwards."""
    def look(node: ast.AST, around: list[ast.AST]) -> tuple[ast.Call, list[ast.AST]] | None:
        for child in ast.iter_child_nodes(node):
            first, last = getattr(child, 'lineno', at[0]), getattr(child, 'end_lineno', at[1])
            decorators = [d.lineno for d in getattr(child, 'decorator_list', ())]
            if not min([first, *decorators]) <= at[0] <= at[1] <= last:
                continue
            if isinstance(child, ast.Call) and at == (first, last, child.col_offset, child.end_col_offset):
                return child, [*around, node]
            if (found := look(child, [*around, node])) is not None:
                return found
        return None
    return look(tree, [])


class _Flow:
    """Follows the assignments of one function up to a node: which lines may have given the names their values there."""

    def __init__(self, until: ast.AST) -> None:
        self._until = until
        self.found: _Env | None = None

    def run(self, body: list[ast.stmt]) -> None:
        """Walks the body of the function."""
        self._block(body, {})

    def _holds(self, node: ast.AST) -> bool:
        return any(inner is self._until for inner in ast.walk(node))

    def _meet(self, env: _Env) -> None:
        self.found = dict(env) if self.found is None else _merged(self.found, env)

    def _block(self, body: list[ast.stmt], env: _Env) -> _Env:
        for statement in body:
            env = self._statement(statement, env)
        return env

    def _statement(self, s: ast.stmt, env: _Env) -> _Env:
        inner = [part for part in (getattr(s, name, None) for name in ('body', 'orelse', 'finalbody', 'handlers')) if part]
        if isinstance(s, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            return {**env, s.name: frozenset([s.lineno])}
        if not inner:
            if self._holds(s):
                self._meet(env)
            return _assigned(s, env)
        heads = [child for child in ast.iter_child_nodes(s) if isinstance(child, (ast.expr, ast.withitem))]
        if any(self._holds(head) for head in heads):
            self._meet(env)
        env = _assigned(s, env)
        if isinstance(s, (ast.For, ast.AsyncFor, ast.While)):
            for _ in range(2):  # what a turn assigns reaches the next one
                env = _merged(env, self._block(s.body, _assigned(s, env)))
            return _merged(env, self._block(s.orelse, env))
        if isinstance(s, ast.If):
            return _merged(self._block(s.body, env), self._block(s.orelse, env))
        if isinstance(s, (ast.With, ast.AsyncWith)):
            return self._block(s.body, env)
        ends = [self._block(getattr(s, 'body', []) + getattr(s, 'orelse', []), env)]  # of try, and of match
        for handler in [*getattr(s, 'handlers', ()), *getattr(s, 'cases', ())]:
            ends.append(self._block(handler.body, _merged(env, ends[0])))
        return self._block(getattr(s, 'finalbody', []), functools.reduce(_merged, ends))


def _merged(a: _Env, b: _Env) -> _Env:
    return {name: a.get(name, frozenset()) | b.get(name, frozenset()) for name in a.keys() | b.keys()}


def _assigned(s: ast.stmt, env: _Env) -> _Env:
    """After the assignments of a statement itself, not of those in its blocks."""
    targets: list[ast.expr] = []
    if isinstance(s, ast.Assign):
        targets = s.targets
    elif isinstance(s, (ast.AugAssign, ast.AnnAssign)):
        targets = [s.target]
    elif isinstance(s, (ast.For, ast.AsyncFor)):
        targets = [s.target]
    elif isinstance(s, (ast.With, ast.AsyncWith)):
        targets = [item.optional_vars for item in s.items if item.optional_vars is not None]
    names = {n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name) and
             not isinstance(n.ctx, ast.Load)}
    blocks = isinstance(s, (ast.For, ast.AsyncFor, ast.While, ast.If, ast.With, ast.AsyncWith, ast.Try))
    parts = [c for c in ast.iter_child_nodes(s) if isinstance(c, ast.expr)] if blocks else [s]
    names |= {n.target.id for part in parts for n in ast.walk(part) if isinstance(n, ast.NamedExpr)}
    return {**env, **{name: frozenset([s.lineno]) for name in names}} if names else env


def _parameters(function: ast.AST) -> list[str]:
    arguments = getattr(function, 'args', None)
    if not isinstance(arguments, ast.arguments):
        return []
    return [a.arg for a in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]]


def _returns(tree: ast.Module, name: str) -> list[int]:
    """The lines on which the only function of that name gives its results."""
    found = [n for n in ast.walk(tree) if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef)) and n.name == name]
    if len(found) != 1:
        return []
    inner = {r for f in ast.walk(found[0]) if isinstance(f, _Function) and f is not found[0] for r in ast.walk(f)}
    return sorted(n.lineno for n in ast.walk(found[0]) if isinstance(n, ast.Return) and n not in inner)


class _Caller:
    """A frame that makes a call."""

    def __init__(self, frame: FrameType) -> None:
        self.frame, self.file = frame, frame.f_code.co_filename
        self.tree = tree_of(self.file)
        at = _position(frame.f_code, frame.f_lasti)
        found = _call_at(self.tree, at) if self.tree is not None and at is not None else None
        self.call: ast.Call | None = found[0] if found else None
        self.around = found[1] if found else []

    def expression(self, names: list[str], position: int, bound: int) -> ast.expr | None:
        """What is given for a parameter; `bound` of them are not in the call (self)."""
        return self._written(names[position], position - bound)

    def _written(self, name: str, at: int) -> ast.expr | None:
        """What the call itself shows for the parameter of that name and place among the positional ones; -1: no place."""
        assert self.call is not None
        for keyword in self.call.keywords:
            if keyword.arg == name:
                return keyword.value
        before = self.call.args[:at + 1]
        if 0 <= at < len(self.call.args) and not any(isinstance(a, ast.Starred) for a in before):
            return self.call.args[at]
        return None

    def given(self, name: str, at: int, depth: int = 0) -> tuple[_Caller, ast.expr] | None:
        """The same, with the caller whose call shows it: one that passes on its own `*args` and `**kwargs` does not."""
        value = self._written(name, at)
        if value is not None:
            return self, value
        outer = self.frame.f_back
        functions = [n for n in self.around if isinstance(n, _Function)]
        if depth >= _MAX_CALLERS or outer is None or not functions or \
                _recorder.is_library_file(outer.f_code.co_filename):
            return None
        assert self.call is not None
        own = functions[-1].args
        named = own.kwarg is not None and any(
            k.arg is None and isinstance(k.value, ast.Name) and k.value.id == own.kwarg.arg for k in self.call.keywords)
        stars = [place for place, value in enumerate(self.call.args) if isinstance(value, ast.Starred)]
        star = self.call.args[stars[0]] if len(stars) == 1 and stars[0] <= at else None
        starred = own.vararg is not None and isinstance(star, ast.Starred) and isinstance(star.value, ast.Name) and \
            star.value.id == own.vararg.arg
        caller = _Caller(outer)
        if caller.call is None or not (named or starred):
            return None
        names = [a.arg for a in [*own.posonlyargs, *own.args]]
        bound = 1 if isinstance(caller.call.func, ast.Attribute) and names[:1] == ['self'] else 0
        place = at - stars[0] + len(names) - bound if starred else -1
        return caller.given(name if named else '', place, depth + 1)

    def lines(self, value: ast.expr, depth: int) -> list[int | Line]:
        """The lines that made a value, the most specific first."""
        assert self.tree is not None and self.call is not None
        while isinstance(value, (ast.Subscript, ast.Starred)):
            value = value.value
        if isinstance(value, ast.Call) and isinstance(value.func, (ast.Name, ast.Attribute)):
            name = value.func.id if isinstance(value.func, ast.Name) else value.func.attr
            return list(_returns(self.tree, name))
        if isinstance(value, ast.Attribute):
            return [n.lineno for n in ast.walk(self.tree) if isinstance(n, ast.Attribute) and n.attr == value.attr and
                    isinstance(n.ctx, ast.Store)]
        if not isinstance(value, ast.Name):
            return []
        functions = [n for n in self.around if isinstance(n, _Function)]
        scope = functions[-1] if functions else self.tree
        flow = _Flow(self.call)
        body = scope.body
        flow.run(body if isinstance(body, list) else [])
        found = sorted((flow.found or {}).get(value.id, ()), reverse=True)
        if found:
            return list(found)
        if functions and value.id in _parameters(scope):
            return self._passed_in(scope, value.id, depth)
        top = _Flow(self.tree)  # never met: all assignments count
        env = top._block(self.tree.body, {})
        return list(sorted(env.get(value.id, ()), reverse=True))

    def _passed_in(self, scope: ast.AST, name: str, depth: int) -> list[int | Line]:
        """A parameter: what the caller's caller gave for it."""
        outer = self.frame.f_back
        if depth >= _MAX_CALLERS or outer is None or _recorder.is_library_file(outer.f_code.co_filename):
            return []
        caller = _Caller(outer)
        if caller.call is None:
            return []
        names = _parameters(scope)
        bound = 1 if isinstance(caller.call.func, ast.Attribute) and names[:1] == ['self'] else 0
        value = caller.expression(names, names.index(name), bound)
        if value is None:
            return []
        found: list[int | Line] = [Line(caller.file, line) if isinstance(line, int) else line
                                   for line in caller.lines(value, depth + 1)]
        return [*found, Line(caller.file, caller.call.lineno)]


def arguments(frame: FrameType, names: list[str], bound: int) -> Iterator[Argument]:
    """The arguments of the call that a frame makes, for the parameters of what it calls."""
    caller = _Caller(frame)
    if caller.call is None:
        return
    for position in range(bound, len(names)):
        given = caller.given(names[position], position - bound)
        if given is None:
            continue
        shown, value = given
        assert shown.call is not None
        call = Line(shown.file, shown.call.lineno)
        made = [line if isinstance(line, Line) else Line(shown.file, line) for line in shown.lines(value, 0)]
        made = [line for line in dict.fromkeys(made) if line != call]
        yield Argument(position, made[:_MAX_LINES], None if shown is caller else call)


class ValueLines:
    """Records the lines for the traces of functions, from each one's second on."""

    def __init__(self) -> None:
        self._looked: dict[tuple[int, CodeType, int], int] = {}
        self._last: dict[tuple[int, CodeType, int, int], Argument] = {}

    def record(self, function: int, trace: int, frame: FrameType, names: list[str], bound: int) -> None:
        """Records what is new about the call that a frame makes."""
        place = (function, frame.f_code, frame.f_lasti)
        looked = self._looked[place] = self._looked.get(place, 0) + 1
        if looked > _MAX_TRACES:
            return
        for argument in arguments(frame, names, bound):
            key = (*place, argument.position)
            if self._last.get(key) == argument or not (argument.made or argument.passed):
                continue
            self._last[key] = argument
            lines = [('call', argument.passed)] if argument.passed else []
            lines += [('value', line) for line in argument.made]
            _recorder.add('observation', {
                'kind': 'value line', 'function': function, 'trace': trace, 'path': f'args[{argument.position}]',
                'file': frame.f_code.co_filename, 'line': frame.f_lineno,
                'observation_line': [{'role': role, 'file': line.file, 'line': line.line} for role, line in lines]})
