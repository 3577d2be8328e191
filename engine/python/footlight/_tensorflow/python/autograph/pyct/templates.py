"""tensorflow.python.autograph.pyct.ast_util, pretty_printer and templates: copies, comparisons, texts and replacements in trees."""
from __future__ import annotations

import ast
import textwrap

from footlight._tensorflow.python.autograph.pyct import qual_names as _qual_names, parser as _parser
from footlight._tensorflow.python.autograph.pyct.qual_names import Basic
from footlight._tensorflow.python.autograph.pyct.parser import is_tree, parse, parse_expression, trees
from footlight._typing import Any, Iterator


def _lists(value):
    return list(value) if isinstance(value, (list, tuple)) else [value]


# Copies and comparisons

def copy_clean(node, preserve_annos=None):
    """A copy of a tree, or of a list of them, without what is noted of it, but for these keys."""
    if isinstance(node, (list, tuple)):
        return type(node)(copy_clean(one, preserve_annos) for one in node)
    if not is_tree(node):
        return node
    made = type(node)(**{name: copy_clean(getattr(node, name), preserve_annos) for name in node._fields
                         if not name.startswith('__') and not name.startswith(_qual_names._NOTES) and hasattr(node, name)})
    for key in preserve_annos or ():
        _qual_names.copyanno(node, made, key)
    return ast.copy_location(made, node) if hasattr(node, 'lineno') else made


class _Rename(ast.NodeTransformer):
    def __init__(self, names: Any) -> None:
        self._names = {str(name): new for name, new in names.items()}

    def visit(self, node):
        new = self._names.get(str(_qual_names.getanno(node, Basic.QN, None)))
        if new is None or isinstance(node, ast.arg):
            return super().visit(node)
        made = new.ast() if hasattr(new, 'ast') else parse_expression(str(new))
        made.ctx = node.ctx
        for name in ('annotation', 'type_comment'):
            if hasattr(node, name):
                setattr(made, name, getattr(node, name))
        for key in _qual_names.keys(node):
            _qual_names.copyanno(node, made, key)
        _qual_names.setanno(made, Basic.QN, new)
        return ast.copy_location(made, node)

    def visit_arg(self, node):
        node.arg = str(self._names.get(node.arg, node.arg))
        return self.generic_visit(node)

    def visit_Global(self, node):
        node.names = [str(self._names.get(name, name)) for name in node.names]
        return node
    visit_Nonlocal = visit_Global

    def visit_FunctionDef(self, node):
        node.name = str(self._names.get(node.name, node.name))
        return self.generic_visit(node)
    visit_AsyncFunctionDef = visit_ClassDef = visit_FunctionDef


def rename_symbols(node, name_map):
    """A tree, or a list of them, in which names that were resolved are others."""
    rename = _Rename(name_map).visit
    return type(node)(map(rename, node)) if isinstance(node, (list, tuple)) else rename(node)


def keywords_to_dict(keywords):
    """Keyword arguments as the expression of a dict."""
    return trees.Dict([trees.Constant(k.arg, None) for k in keywords], [k.value for k in keywords])


def _alike(node, pattern):
    if isinstance(pattern, list):
        return isinstance(node, list) and len(node) == len(pattern) and all(map(_alike, node, pattern))
    if not is_tree(pattern):
        return node == pattern
    if isinstance(pattern, trees.Name) and pattern.id == '_':
        return True
    return type(node) is type(pattern) and all(
        _alike(getattr(node, name, None), getattr(pattern, name, None)) for name in type(pattern)._fields
        if name not in ('ctx', _qual_names._NOTES))


def matches(node, pattern):
    """Whether an expression is like another one, in which `_` stands for any."""
    return _alike(node, parse_expression(pattern) if isinstance(pattern, str) else pattern)


def apply_to_single_assignments(targets: Any, values: Any, apply_fn: Any) -> None:
    """Calls a function with each (target, value) of an assignment; parts of a value that is no list are its elements."""
    for target in _lists(targets):
        if not isinstance(target, (trees.Tuple, trees.List)):
            apply_fn(target, values)
            continue
        for i, one in enumerate(target.elts):
            if isinstance(values, (trees.Tuple, trees.List)):
                value = values.elts[i]
            else:
                value = trees.Subscript(values, trees.Constant(i, None), trees.Load())
            apply_to_single_assignments(one, value, apply_fn)


def parallel_walk(node: Any, other: Any) -> Iterator[Any]:
    """The pairs of nodes of two trees, or of two lists of them, that have the same form."""
    pairs = list(zip(_lists(node), _lists(other)))
    if len(_lists(node)) != len(_lists(other)):
        raise ValueError(f'inconsistent nodes: {len(_lists(node))} and {len(_lists(other))} of them')
    while pairs:
        a, b = pairs.pop()
        yield a, b
        if type(a) is not type(b):
            raise ValueError(f'inconsistent nodes: {a!r} and {b!r}')
        for name in type(a)._fields:
            x, y = getattr(a, name, None), getattr(b, name, None)
            if isinstance(x, list) and isinstance(y, list) and any(map(is_tree, x)):
                if len(x) != len(y):
                    raise ValueError(f'inconsistent nodes: {name} of {a!r} and {b!r}')
                pairs += [pair for pair in zip(x, y) if is_tree(pair[0])]
            elif is_tree(x):
                pairs.append((x, y))


# Trees as text

def _printed(node: Any, indent: Any, noanno: Any) -> Iterator[Any]:
    inner = indent + '| '
    yield f'{type(node).__name__}:' if node._fields else f'{type(node).__name__}()'
    for name in node._fields:
        value = getattr(node, name, None)
        if noanno and name.startswith('__'):
            continue
        if is_tree(value):
            lines = _printed(value, inner, noanno)
            yield f'{inner}{name}={next(lines)}'
            yield from lines
        elif isinstance(value, list) and value:
            yield f'{inner}{name}=['
            for one in value:
                lines = _printed(one, inner + '| ', noanno) if is_tree(one) else iter([f'"{one}"'])
                yield inner + '| ' + next(lines)
                yield from lines
            yield inner + ']'
        else:
            shown = f'u"{value}"' if isinstance(value, str) else repr(value)
            yield f'{inner}{name}={shown}'


def fmt(node: Any, color: bool = True, noanno: bool = False) -> Any:
    """A tree as text, a field a line. Nothing is coloured."""
    if isinstance(node, (list, tuple)):
        return '\n'.join(fmt(one, color, noanno) for one in node)
    return '\n'.join(_printed(node, '', noanno)) + '\n'


# Templates

def _in_context(node: Any, context: Any) -> None:
    """Sets the contexts of an expression that is used in one."""
    if isinstance(node, (list, tuple)):
        for one in node:
            _in_context(one, context)
        return
    inner = trees.Load
    if hasattr(node, 'ctx') and type(node.ctx).__name__ != 'Param':  # which gast's parameters have
        node.ctx = context()
        if isinstance(node, (trees.Tuple, trees.List, trees.Starred)):
            inner = context
    for child in ast.iter_child_nodes(node):
        if hasattr(child, 'ctx') or not isinstance(child, ast.expr_context):
            _in_context(child, inner)


def _as_trees(value):
    """A replacement as a tree, or as a list of them: names may be strings or QNs."""
    if isinstance(value, str):
        return parse_expression(value)
    if isinstance(value, _qual_names.QN):
        return value.ast()
    if isinstance(value, (list, tuple)):
        return [_as_trees(one) for one in value]
    if value is None or is_tree(value):
        return value
    raise ValueError(f'a replacement is a name or a tree, not {value!r}')


class _Replace(ast.NodeTransformer):
    def __init__(self, replacements: Any) -> None:
        self._all = replacements

    def _copy(self, name):
        return copy_clean(self._all[name], {Basic.QN, Basic.ORIGIN, Basic.SKIP_PROCESSING, Basic.DIRECTIVES, Basic.EXTRA_LOOP_TEST,
                                            *_qual_names.Static})

    def generic_visit(self, node):
        single = [name for name in node._fields if is_tree(getattr(node, name, None))]
        node = super().generic_visit(node)
        for name in single:
            if isinstance(getattr(node, name, None), list):
                raise ValueError(f'only one tree can stand in {name} of {node!r}')
        return node

    def _named(self, name):
        """The name that stands for another one."""
        if name not in self._all:
            return name
        node = self._all[name]
        if not isinstance(node, trees.Name):
            raise ValueError(f'{name} can only be replaced by a name, not by {node!r}')
        return node.id

    def visit_Name(self, node):
        if node.id not in self._all:
            return self.generic_visit(node)
        made = self._copy(node.id)
        _in_context(made, type(node.ctx))
        return made

    def visit_Expr(self, node):
        made = self.visit(node.value)
        if isinstance(made, list):
            return [one if isinstance(one, ast.stmt) else trees.Expr(one) for one in made]
        if isinstance(made, ast.stmt):
            return made
        node.value = made
        return node

    def visit_Attribute(self, node):
        self.generic_visit(node)
        node.attr = self._named(node.attr)
        return node

    def visit_FunctionDef(self, node):
        self.generic_visit(node)
        node.name = self._named(node.name)
        return node
    visit_ClassDef = visit_FunctionDef

    def visit_arg(self, node):
        if node.arg not in self._all:
            return self.generic_visit(node)
        made = self._copy(node.arg)
        return [one if isinstance(one, ast.arg) else trees.arg(one.id) for one in _lists(made)]

    def visit_keyword(self, node):
        if node.arg not in self._all:
            return self.generic_visit(node)
        made = _lists(self._copy(node.arg))
        if not made or not all(isinstance(one, trees.keyword) for one in made):
            raise ValueError(f'a keyword argument may only be replaced by other ones, not by {made!r}: {node.arg}')
        return made


def replace(template, **replacements):
    """The statements of a text, in which names stand for names, expressions, arguments or statements that are given."""
    if not isinstance(template, str):
        raise ValueError(f'a template is text, not {template!r}')
    replacements = {name: _as_trees(value) for name, value in replacements.items()}
    made = []
    for node in parse(textwrap.dedent(template), single_node=False):
        node = _Replace(replacements).visit(node)
        made += _lists(node)
    return made


def replace_as_expression(template, **replacements):
    """The same for a text that is an expression."""
    made = replace(template, **replacements)
    if len(made) != 1 or not isinstance(made[0], trees.Expr):
        raise ValueError(f'a single expression is expected: {template}')
    return made[0].value


def create_assignment(target, expression):
    """Statements that assign an expression."""
    return replace('target = expression', target=target, expression=expression)


def text_of(node):
    return _parser.unparse(node, include_encoding_marker=False).strip()
