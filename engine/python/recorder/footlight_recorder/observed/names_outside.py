"""What a function reads and changes outside of itself, and where the rest of a file uses the same, from its syntax tree."""
from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from types import CodeType
from typing import NamedTuple

from footlight_recorder.observed.syntax import tree_of

READ, CALL, STORE, UPDATE, MUTATION = range(5)  # kinds of accesses; the last three change something
_MUTATORS = ('append', 'appendleft', 'add', 'update', 'extend', 'extendleft', 'insert', 'pop', 'popleft', 'popitem', 'remove',
             'discard', 'clear', 'sort', 'reverse', 'intersection_update', 'difference_update')
_MAKERS = ('build', '__init__', 'setup', '_build', 'initialize', 'reset')
_LOGS = ('debug', 'info', 'warning', 'warn', 'error', 'fatal', 'exception', 'critical', 'log')
_RUN_LATER = ('py_function', 'numpy_function', 'py_func')

_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class Step(NamedTuple):
    """.key or [key]"""
    item: bool
    key: str | int


class Path(NamedTuple):
    """A name that is not local, or a parameter, and the steps from there."""
    root: str
    steps: tuple[Step, ...]
    parameter: int = -1

    def text(self) -> str:
        """ "self.layers['a']" """
        return self.root + ''.join(f'[{step.key!r}]' if step.item else f'.{step.key}' for step in self.steps)


class Access(NamedTuple):
    """One place of a function that names something outside."""
    kind: int
    path: Path
    line: int
    memo: bool = False     # a store under a test of the same place, as in caches
    literal: bool = False  # a store of True, None, 0


class Outside:
    """The accesses of a function, in the order of its source."""

    def __init__(self, name: str, first: int, last: int) -> None:
        self.name, self.first, self.last = name, first, last
        self.makes_once = name in _MAKERS or name.startswith(('_init', '_maybe'))
        self.accesses: list[Access] = []


def is_about_traces(words: str) -> bool:
    """ "n_traces", "Retraced": whether words announce what is meant to happen only while tracing."""
    return any(word in words.lower() for word in ('trace', 'tracing', 'compil'))


def _constant_key(node: ast.expr) -> Step | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, (str, int)) and not isinstance(node.value, bool):
        return Step(True, node.value)
    return None


def _plain_path(node: ast.expr) -> Path | None:
    steps: list[Step] = []
    while True:
        if isinstance(node, ast.Name):
            return Path(node.id, tuple(reversed(steps)))
        if isinstance(node, ast.Attribute):
            steps.append(Step(False, node.attr))
        elif isinstance(node, ast.Subscript) and (key := _constant_key(node.slice)) is not None:
            steps.append(key)
        else:
            return None
        node = node.value


def _is_literal(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) or isinstance(node, ast.List) and not node.elts or \
        isinstance(node, ast.Dict) and not node.values


def _is_talk(call: ast.Call) -> bool:
    path = _plain_path(call.func)
    if path is None:
        return False
    if not path.steps:
        return path.root in ('print', 'pprint')
    method = path.steps[-1].key
    before = str(path.steps[-2].key if len(path.steps) > 1 else path.root).lower()
    if before == 'warnings' or before in ('stdout', 'stderr') and method == 'write':
        return True
    return 'log' in before and 'math' not in before and method in _LOGS


def _only_talks(statements: list[ast.stmt]) -> bool:
    for statement in statements:
        if isinstance(statement, (ast.Pass, ast.Raise, ast.Assert)):
            continue
        if isinstance(statement, ast.If) and _only_talks(statement.body) and _only_talks(statement.orelse):
            continue
        if isinstance(statement, ast.Expr) and (isinstance(statement.value, ast.Constant) or
                                                isinstance(statement.value, ast.Call) and _is_talk(statement.value)):
            continue
        return False
    return True


class _Names:
    """The local names of a function."""

    def __init__(self, function: _Function) -> None:
        args = function.args
        given = [*args.posonlyargs, *args.args, args.vararg, *args.kwonlyargs, args.kwarg]
        self.parameters = {arg.arg: at for at, arg in enumerate(arg for arg in given if arg is not None)}
        self.bound, self.declared = set(self.parameters), set[str]()
        for node in [function.body] if isinstance(function, ast.Lambda) else function.body:
            self._add(node)

    def _add(self, node: ast.AST) -> None:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            self.bound.add(node.name)
            return
        if isinstance(node, ast.Lambda):
            return
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            self.declared.update(node.names)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            self.bound.add(node.id)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            self.bound.add(node.name)
        elif isinstance(node, ast.alias):
            self.bound.add((node.asname or node.name).partition('.')[0])
        for child in ast.iter_child_nodes(node):
            self._add(child)

    def has(self, name: str) -> bool:
        """Whether the name is local."""
        return name in self.bound and name not in self.declared


class _Collector:
    """Visits a function once and collects its accesses."""

    def __init__(self, function: _Function, out: Outside) -> None:
        self.out = out
        self.scopes: list[_Names] = []
        self.used: set[str] = set()   # locals that something else than a print reads
        self.later: set[str] = set()  # functions inside that run with the graph
        self.aliases: dict[str, tuple[Path, int]] = {}
        self.guards: list[Path] = []
        self.talking = 0
        self._find_used(function)
        self._find_aliases(function)
        self._enter(function)

    def _enter(self, function: _Function) -> None:
        self.scopes.append(_Names(function))
        if isinstance(function, ast.Lambda):
            self.visit(function.body)
        else:
            self._block(function.body)
        self.scopes.pop()

    def _find_used(self, node: ast.AST) -> None:
        if isinstance(node, (ast.Raise, ast.Assert)) or isinstance(node, ast.Call) and _is_talk(node):
            return
        if isinstance(node, ast.If) and _only_talks(node.body) and _only_talks(node.orelse):
            return
        if isinstance(node, ast.Call) and self._runs_later(node):
            self.later.update(arg.id for arg in [*node.args, *(word.value for word in node.keywords)]
                              if isinstance(arg, ast.Name))
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            self.used.add(node.id)
        for child in ast.iter_child_nodes(node):
            self._find_used(child)

    @staticmethod
    def _runs_later(call: ast.Call) -> bool:
        path = _plain_path(call.func)
        return path is not None and (path.steps[-1].key if path.steps else path.root) in _RUN_LATER

    def _find_aliases(self, function: _Function) -> None:
        """`p = self.params`, the only assignment of p: p.rate is self.params.rate."""
        scope, stores = _Names(function), dict[str, int]()
        for node in ast.walk(function):
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                stores[node.id] = stores.get(node.id, 0) + 1
        for node in ast.walk(function):
            if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                name, path = node.targets[0].id, _plain_path(node.value)
                if path is not None and stores[name] == 1 and scope.has(name) and name not in scope.parameters:
                    self.aliases[name] = path, node.lineno

    def _outside(self, path: Path, line: int) -> tuple[Path, int] | None:
        """The path with its root resolved; None: it begins at a local."""
        for _ in range(4):
            local = False
            for depth in reversed(range(len(self.scopes))):
                scope = self.scopes[depth]
                if path.root in scope.declared:
                    break
                if path.root not in scope.bound:
                    continue
                local = True
                if path.root in scope.parameters:
                    return None if depth or not path.steps else (path._replace(parameter=scope.parameters[path.root]), line)
                break
            if not local:
                return path, line
            alias = self.aliases.get(path.root)
            if alias is None:
                return None
            line = line if path.steps else alias[1]
            path = Path(alias[0].root, alias[0].steps + path.steps)
        return None

    def _add(self, kind: int, path: Path, node: ast.AST, literal: bool = False) -> None:
        if self.talking and kind < STORE:
            return
        found = self._outside(path, getattr(node, 'lineno', 0))
        if found is not None:
            memo = kind >= STORE and kind != UPDATE and self._tested(found[0])
            self.out.accesses.append(Access(kind, found[0], found[1], memo, literal))

    def _tested(self, path: Path) -> bool:
        return any(guard.root == path.root and guard.steps == path.steps[:len(guard.steps)] and
                   (len(guard.steps) == len(path.steps) or path.steps[len(guard.steps)].item) for guard in self.guards)

    def _block(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            self.visit(statement)

    def _collect_guards(self, node: ast.AST) -> None:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == 'hasattr' and \
                len(node.args) == 2:
            path, key = _plain_path(node.args[0]), _constant_key(node.args[1])
            if path is not None and key is not None:
                found = self._outside(Path(path.root, (*path.steps, Step(False, key.key))), 0)
                self.guards.extend([found[0]] if found else [])
                return
        if isinstance(node, ast.expr):
            path = _plain_path(node)
            found = self._outside(path, 0) if path is not None else None
            if found is not None:
                self.guards.append(found[0])
        for child in ast.iter_child_nodes(node):
            self._collect_guards(child)

    def _store(self, target: ast.expr, kind: int, literal: bool) -> None:
        if isinstance(target, (ast.Tuple, ast.List)):
            for one in target.elts:
                self._store(one, kind, False)
        elif isinstance(target, ast.Starred):
            self._store(target.value, kind, False)
        elif isinstance(target, ast.Name):
            if target.id in self.scopes[-1].declared:
                self._add(kind, Path(target.id, ()), target, literal)
        elif isinstance(target, (ast.Attribute, ast.Subscript)):
            path = _plain_path(target)
            changed = kind if isinstance(target, ast.Attribute) or kind != STORE else MUTATION
            if path is not None:
                return self._add(changed, path, target, literal)
            holder = _plain_path(target.value) if isinstance(target, ast.Subscript) else None
            if holder is not None:
                self._add(MUTATION, holder, target, literal)
            else:
                self.visit(target.value)
            if isinstance(target, ast.Subscript):
                self.visit(target.slice)

    def _call(self, node: ast.Call) -> None:
        talk, path = _is_talk(node), _plain_path(node.func)
        if not talk:
            key = _constant_key(node.args[1]) if len(node.args) > 1 else None
            if path is not None and not path.steps and path.root in ('getattr', 'setattr') and key is not None:
                held = _plain_path(node.args[0])
                if held is not None:
                    self._add(READ if path.root == 'getattr' else STORE,
                              Path(held.root, (*held.steps, Step(False, key.key))), node)
                    for arg in node.args[2:]:
                        self.visit(arg)
                    return
            if path is not None and not path.steps and path.root in ('hasattr', 'isinstance'):
                return
            first = _constant_key(node.args[0]) if node.args else None
            if path is None:
                self.visit(node.func)
            elif path.steps and not path.steps[-1].item and path.steps[-1].key in _MUTATORS:
                self._add(MUTATION, path._replace(steps=path.steps[:-1]), node)
            elif path.steps and path.steps[-1] == Step(False, 'get') and first is not None:
                self._add(READ, path._replace(steps=(*path.steps[:-1], first)), node)
            else:
                self._add(CALL, path, node)
        self.talking += talk
        later = self._runs_later(node)
        for arg in [*node.args, *(word.value for word in node.keywords)]:
            if not later or not isinstance(arg, ast.Lambda):
                self.visit(arg)
        self.talking -= talk

    def _assign(self, node: ast.Assign) -> None:
        # A value that only a print uses does not count as read.
        unused = all(isinstance(one, ast.Name) and self.scopes[-1].has(one.id) and one.id not in self.used
                     for one in node.targets)
        target = node.targets[0]
        alias = len(node.targets) == 1 and isinstance(target, ast.Name) and target.id in self.aliases and \
            _plain_path(node.value) is not None
        once = any(self._is_memo(one) for one in node.targets)  # computed once and kept: the same without a trace
        self.talking += unused or once
        if not alias:  # an alias is read where it is used: perhaps not all of it
            self.visit(node.value)
        self.talking -= unused or once
        for one in node.targets:
            self._store(one, STORE, _is_literal(node.value))

    def _is_memo(self, target: ast.expr) -> bool:
        path = None if isinstance(target, ast.Name) else _plain_path(target)
        found = self._outside(path, 0) if path is not None else None
        return found is not None and self._tested(found[0])

    def visit(self, node: ast.AST) -> None:
        """Collects the accesses of a statement or an expression."""
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for one in node.decorator_list:
                self.visit(one)
            if node.name not in self.later:
                self._enter(node)
        elif isinstance(node, ast.Lambda):
            self._enter(node)
        elif isinstance(node, (ast.Raise, ast.Assert)):
            self.talking += 1
            for child in ast.iter_child_nodes(node):
                self.visit(child)
            self.talking -= 1
        elif isinstance(node, ast.If):
            talk = _only_talks(node.body) and _only_talks(node.orelse)
            self.talking += talk
            self.visit(node.test)
            self.talking -= talk
            guards = len(self.guards)
            self._collect_guards(node.test)
            self._block(node.body)
            self._block(node.orelse)
            if not isinstance(node.body[-1], ast.Return):  # otherwise what follows is under the test too
                del self.guards[guards:]
        elif isinstance(node, ast.Try):
            guards = len(self.guards)
            self._block(node.body)
            for statement in node.body:
                self._collect_guards(statement)
            for handler in node.handlers:
                self._block(handler.body)
            del self.guards[guards:]
            self._block(node.orelse)
            self._block(node.finalbody)
        elif isinstance(node, ast.Assign):
            self._assign(node)
        elif isinstance(node, ast.AnnAssign):
            if node.value is not None:
                self.visit(node.value)
                self._store(node.target, STORE, _is_literal(node.value))
        elif isinstance(node, ast.AugAssign):
            self.visit(node.value)
            self._store(node.target, UPDATE, False)
        elif isinstance(node, ast.Delete):
            for target in node.targets:
                self._store(target, STORE, False)
        elif isinstance(node, ast.Call):
            self._call(node)
        elif isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)) and (path := _plain_path(node)) is not None:
            self._add(READ, path, node)
        else:
            for child in ast.iter_child_nodes(node):
                self.visit(child)


def function_of(code: CodeType) -> _Function | None:
    """The definition of a function; None: it was not found, or there are several on its line."""
    tree = tree_of(code.co_filename)
    found: list[_Function] = []
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Lambda):
            fits = code.co_name == '<lambda>' and node.lineno == code.co_firstlineno and \
                list(_Names(node).parameters)[:code.co_argcount] == list(code.co_varnames[:code.co_argcount])
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            fits = node.name == code.co_name and first == code.co_firstlineno
        else:
            continue
        if fits:
            found.append(node)
    return found[0] if len(found) == 1 else None


@functools.lru_cache(maxsize=4096)
def outside_of(code: CodeType) -> Outside | None:
    """What a function names outside of itself."""
    node = function_of(code)
    if node is None:
        return None
    out = Outside(code.co_name, node.lineno, node.end_lineno or node.lineno)
    _Collector(node, out)
    return out


# ---- uses in the rest of a file -----------------------------------------------------------------------------------------

class Use(NamedTuple):
    """Where a file uses a name."""
    path: str
    line: int
    store: bool
    initial: bool    # in __init__, at the top of the module, or where the closure's variable is created
    literal: bool = False
    size: bool = False       # only len() of it is read
    of_traces: bool = False  # a print that speaks of traces gets it


class _Uses:
    def __init__(self, path: str, kind: str, name: str, item: Step | None, without: list[tuple[int, int]]) -> None:
        self.path, self.kind, self.name, self.item, self.without = path, kind, name, item, without
        self.found: list[Use] = []
        self.depth = 0
        self.owner: ast.AST | None = None
        self.init = self.seen_initial = False
        self.of_traces = 0

    def names(self, node: ast.AST) -> bool:
        if isinstance(node, ast.Attribute) and (self.kind == 'attribute' or self.kind == 'global' and
                                                isinstance(node.value, ast.Name)):
            return node.attr == self.name
        return self.kind != 'attribute' and isinstance(node, ast.Name) and node.id == self.name

    def add(self, node: ast.AST, store: bool, literal: bool = False, size: bool = False) -> None:
        line = getattr(node, 'lineno', 0)
        if any(first <= line <= last for first, last in self.without):
            return
        initial = store and (self.init if self.kind == 'attribute' else self.depth == 0 and not self.seen_initial)
        self.seen_initial = self.seen_initial or initial and self.kind != 'attribute'
        self.found.append(Use(self.path, line, store, initial, literal, size, self.of_traces > 0))

    def enter(self, function: _Function) -> None:
        if self.kind != 'attribute' and function is not self.owner and _Names(function).has(self.name):
            return
        before, self.init = self.init, not isinstance(function, ast.Lambda) and function.name == '__init__'
        self.depth += function is not self.owner
        for node in [function.body] if isinstance(function, ast.Lambda) else function.body:
            self.visit(node)
        self.depth -= function is not self.owner
        self.init = before

    def target(self, node: ast.expr, literal: bool) -> None:
        if isinstance(node, (ast.Tuple, ast.List)):
            for one in node.elts:
                self.target(one, False)
        elif self.names(node):
            self.add(node, True, literal)
        elif isinstance(node, ast.Subscript) and self.names(node.value):
            key = _constant_key(node.slice)
            if key is None or self.item is None or key == self.item:
                self.add(node, True, literal)
        else:
            self.visit(node)

    def call(self, node: ast.Call) -> None:
        function = node.func
        if isinstance(function, ast.Attribute):
            if self.names(function.value) and function.attr in _MUTATORS:
                self.add(node, True)
            else:
                self.visit(function.value)
        elif isinstance(function, ast.Name):
            if function.id == 'len' and len(node.args) == 1 and self.names(node.args[0]):
                return self.add(node, False, size=True)
            key = _constant_key(node.args[1]) if len(node.args) > 1 else None
            if self.kind == 'attribute' and function.id in ('getattr', 'setattr') and key is not None and \
                    key.key == self.name:
                self.add(node, function.id == 'setattr')
        else:
            self.visit(function)
        for arg in [*node.args, *(word.value for word in node.keywords)]:
            self.visit(arg)

    def visit(self, node: ast.AST) -> None:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            for one in getattr(node, 'decorator_list', ()):
                self.visit(one)
            self.enter(node)
        elif isinstance(node, ast.Assign):
            self.visit(node.value)
            for one in node.targets:
                self.target(one, _is_literal(node.value))
        elif isinstance(node, ast.AugAssign):
            self.visit(node.value)
            self.target(node.target, False)
        elif isinstance(node, ast.AnnAssign):
            if node.value is not None:
                self.visit(node.value)
                self.target(node.target, _is_literal(node.value))
        elif isinstance(node, ast.For):
            self.target(node.target, False)
            for child in [node.iter, *node.body, *node.orelse]:
                self.visit(child)
        elif isinstance(node, ast.Call):
            speaks = _is_talk(node) and any(isinstance(one, ast.Constant) and isinstance(one.value, str) and
                                            is_about_traces(one.value) for one in ast.walk(node))
            self.of_traces += speaks
            self.call(node)
            self.of_traces -= speaks
        elif isinstance(node, ast.Subscript) and self.item is not None and self.names(node.value) and \
                (key := _constant_key(node.slice)) is not None and key != self.item:
            return
        else:
            if self.names(node):
                self.add(node, False)
            for child in ast.iter_child_nodes(node):
                self.visit(child)


def _owner_of(tree: ast.Module, name: str, first: int, last: int) -> _Function | None:
    """The innermost function around lines that binds the name."""
    found: _Function | None = None
    for node in ast.walk(tree):  # outer ones come first
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)) and node.lineno < first and \
                last <= (node.end_lineno or 0) and _Names(node).has(name):
            found = node
    return found


def uses_of(path: str, kind: str, name: str, item: Step | None, body: Outside,
            without: list[tuple[int, int]]) -> Iterator[Use]:
    """Uses of a name in a file: `kind` is global, closure or attribute; `without`: lines that are not looked at."""
    tree = tree_of(path)
    if tree is None:
        return
    uses = _Uses(path, kind, name, item, without)
    if kind == 'closure':
        uses.owner = _owner_of(tree, name, body.first, body.last)
        if isinstance(uses.owner, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            uses.enter(uses.owner)
    else:
        for node in tree.body:
            uses.visit(node)
    yield from uses.found
