"""tensorflow.python.autograph.pyct.parser, loader, gast_util and errors: source code, its syntax tree, and modules made of one.

Trees are those of the package gast where it is installed, as in TensorFlow, else those of Python's own `ast`.
"""
from __future__ import annotations

import ast
import atexit
import contextlib
import importlib.util
import inspect
import io
import linecache
import os
import sys
import tempfile
import tokenize

from footlight._autograph import ag as _ag
from footlight._tensorflow.python.autograph.pyct import inspect_utils as _inspect
from footlight._typing import Any

try:
    import gast as trees
    from_python, to_python = trees.ast_to_gast, trees.gast_to_ast
except ImportError:
    trees = ast
    from_python = to_python = lambda tree: tree

STANDARD_PREAMBLE, STANDARD_PREAMBLE_LEN = '', 0


class InaccessibleSourceCodeError(_ag.PyCTError, ValueError):
    """The source of a function is not known."""


def is_tree(value: Any) -> bool:
    """Whether it is a node of a syntax tree."""
    return isinstance(value, ast.AST)


# From text to trees

def _starts_inside(text):
    """The lines of a text, from 1, that begin inside of a string."""
    inside, start = set(), None
    with contextlib.suppress(tokenize.TokenError, IndentationError, SyntaxError):
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            kind = tokenize.tok_name[token.type]
            if kind == 'FSTRING_START':
                start = token.start[0] if start is None else start
            elif kind == 'FSTRING_END':
                inside.update(range(start + 1, token.end[0] + 1))
                start = None
            elif kind == 'STRING':
                inside.update(range(token.start[0] + 1, token.end[0] + 1))
    return inside


def dedent_block(code_string: Any) -> str:
    """The text moved to the left so that its first statement begins the line; strings stay as they are."""
    lines = code_string.splitlines(True)
    first = next((line for line in lines if line.strip() and not line.lstrip().startswith('#')), '')
    width = len(first) - len(first.lstrip())
    inside = _starts_inside(code_string) if width else ()
    for i, line in enumerate(lines):
        if i + 1 not in inside:
            lines[i] = line[min(width, len(line) - len(line.lstrip(' \t'))):]
    return ''.join(lines)


def parse(src: Any, preamble_len: Any = 0, single_node: bool = True) -> Any:
    """The syntax tree of source: its only statement, or all, behind so many."""
    nodes = from_python(ast.parse(src)).body[preamble_len:]
    if not single_node:
        return nodes
    if len(nodes) != 1:
        raise ValueError(f'expected exactly one node, got {len(nodes)}')
    return nodes[0]


def parse_expression(src):
    """The syntax tree of an expression."""
    try:
        return from_python(ast.parse(src.strip(), mode='eval')).body
    except SyntaxError:
        raise ValueError(f'expected a single expression, found {src!r}') from None


def _source(entity, how):
    try:
        return how(entity)
    except OSError as error:
        raise InaccessibleSourceCodeError(
            f'no source code is known of {entity!s}: it was made by code without a file, as in an interactive '
            'Python') from error


def _lambda(entity):
    """The expression that made a lambda, and its text."""
    code = entity.__code__
    text = ''.join(_source(entity, lambda f: inspect.findsource(code)[0]))
    wanted = code.co_varnames[:code.co_argcount + code.co_kwonlyargcount], bool(code.co_flags & 4), bool(code.co_flags & 8)

    def arguments(node):
        a = node.args
        return tuple(one.arg for one in (*a.posonlyargs, *a.args, *a.kwonlyargs)), bool(a.vararg), bool(a.kwarg)
    found = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Lambda)
             and node.lineno == code.co_firstlineno and arguments(node) == wanted]
    if len(found) != 1:
        raise _ag.UnsupportedLanguageElementError(
            f'the source of a lambda cannot be told from its line, which has {len(found)} with the same parameters: '
            f'put each on a line of its own\n{code.co_filename}:{code.co_firstlineno}')
    segment = ast.get_source_segment(text, found[0])
    return from_python(ast.increment_lineno(ast.parse('(\n' + segment + '\n)', mode='eval'), -1)).body, segment


def parse_entity(entity, future_features):
    """(syntax tree, source) of a function, a lambda or a class."""
    if _inspect.islambda(entity):
        return _lambda(entity)
    source = dedent_block(_source(entity, _inspect.getimmediatesource))
    flags = 0
    if future_features:
        import __future__
        for name in future_features:
            flags |= getattr(__future__, name).compiler_flag
    try:
        nodes = compile(source, '<source>', 'exec', ast.PyCF_ONLY_AST | flags, True)
    except SyntaxError as error:
        raise _ag.UnsupportedLanguageElementError(f'the source of {entity!s} cannot be parsed: '
                                                  f'{error}\n{source}') from None
    return from_python(nodes).body[0], source


def unparse(node: Any, indentation: Any = None, include_encoding_marker: bool = True) -> Any:
    """The text of a syntax tree, or of several."""
    nodes = node if isinstance(node, (list, tuple)) else [node]
    text = '\n'.join(ast.unparse(to_python(one)).strip('\n') for one in nodes)
    return '# coding=utf-8\n' + text if include_encoding_marker else text


# What kind of constant a node is

def is_constant(node: Any) -> bool:
    return isinstance(node, trees.Constant)


def is_ellipsis(node):
    return is_constant(node) and node.value is Ellipsis


def is_literal(node):
    """Whether it is a constant, or the name of one in older Pythons."""
    return is_constant(node) or isinstance(node, trees.Name) and node.id in ('True', 'False', 'None')


# Modules

def _remove(file: Any) -> None:
    with contextlib.suppress(OSError):
        os.remove(file)


def load_source(source, delete_on_exit):
    """(module, path of its file) of source, which is written to a file that debuggers and tracebacks find."""
    with tempfile.NamedTemporaryFile(mode='w', suffix='.py', prefix='__autograph_generated_file', delete=False,
                                     encoding='utf-8') as file:
        file.write(source)
    if delete_on_exit:
        atexit.register(_remove, file.name)
    spec = importlib.util.spec_from_file_location(os.path.basename(file.name[:-3]), file.name)
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module
    spec.loader.exec_module(module)
    linecache.checkcache(file.name)
    return module, file.name


def load_ast(nodes: Any, indentation: str = '  ', include_source_map: bool = False,
             delete_on_exit: bool = True) -> tuple[Any, ...]:
    """(module, source, map of its lines to where they come from, or None) of statements."""
    from footlight._tensorflow.python.autograph.pyct import origin_info as _origin_info
    nodes = nodes if isinstance(nodes, (list, tuple)) else (nodes,)
    source = unparse(list(nodes), indentation)
    module, file = load_source(source, delete_on_exit)
    return module, source, _origin_info.create_source_map(nodes, source, file) if include_source_map else None
