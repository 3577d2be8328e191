"""Optional features of AutoGraph, as to_code writes them: assert statements, == and != and lists as operators.

A function that is traced needs none of them, because the runtime does what they are for; this is for reading, and for code
that is run by itself.
"""
from __future__ import annotations

import ast
import inspect
import linecache
import re
import textwrap
import types

import footlight as tf
from footlight._autograph import ag as _ag
from footlight._typing import Any

_IN_PLACE = {'body', 'orelse', 'finalbody'}  # the fields of a node that hold statements


def _operator(name, *args, **keywords):
    call = ast.parse(f'ag__.{name}()', mode='eval').body
    call.args, call.keywords = list(args), [ast.keyword(key, value) for key, value in keywords.items()]
    return call


def options_expression(options):
    """The expression that makes conversion options in converted code."""
    if options == _ag.STD:
        return ast.parse('ag__.STD', mode='eval').body
    features = ', '.join('ag__.' + str(feature) for feature in sorted(options.optional_features, key=str))
    text = (f'ag__.ConversionOptions(recursive={options.recursive}, user_requested={options.user_requested}, '
            f"optional_features=({features and features + ','}), "
            f'internal_convert_user_code={options.internal_convert_user_code})')
    return ast.parse(text, mode='eval').body


class _Asserts(ast.NodeTransformer):
    def visit_Assert(self, node):
        message = ast.Lambda(ast.parse('lambda: 0', mode='eval').body.args, node.msg or ast.Constant(ast.unparse(node.test)))
        return ast.copy_location(ast.Expr(_operator('assert_stmt', node.test, message)), node)


class _Equality(ast.NodeTransformer):
    def visit_Compare(self, node):
        self.generic_visit(node)
        name = {ast.Eq: 'eq', ast.NotEq: 'not_eq'}.get(type(node.ops[0]))
        if name is None or len(node.ops) > 1:
            return node
        return ast.copy_location(_operator(name, node.left, *node.comparators), node)


def _method(node: Any) -> tuple[Any, ...]:
    """Splits a method call without keywords into (receiver, method name)."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.keywords:
        return node.func.value, node.func.attr
    return None, None


def _stored(node):
    """The expression as an assignment target, or None if it cannot be one."""
    if not isinstance(node, (ast.Name, ast.Attribute)):
        return None
    node = _loaded(node)
    node.ctx = ast.Store()
    return node


def _loaded(node):
    return ast.parse(ast.unparse(node), mode='eval').body


def _single(node: Any) -> bool:
    """Whether an index selects a single element."""
    return not isinstance(node, (ast.Slice, ast.Tuple))


class _Lists(ast.NodeTransformer):
    """Rewrites l.append(x), l.pop() and l[i] = x so that each returns a new list, and `[]` into a tensor list."""

    def __init__(self, tree, lists, slices):
        self._lists, self._slices = lists, slices
        self._before, self._count = [], 0  # statements to insert before the one being visited
        self._types = {}  # the arguments of set_element_type, by list
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and node.args and ast.unparse(node.func).endswith('set_element_type'):
                self._types[ast.unparse(node.args[0])] = dict(
                    zip(('dtype', 'shape'), node.args[1:]), **{k.arg: k.value for k in node.keywords})

    def generic_visit(self, node):
        for field, value in ast.iter_fields(node):
            if isinstance(value, list) and field in _IN_PLACE:
                made, outer = [], self._before
                for statement in value:
                    self._before = []
                    changed = self.visit(statement)
                    made += [ast.copy_location(one, statement) for one in self._before] + [changed]
                self._before = outer
                setattr(node, field, made)
            elif isinstance(value, list):
                setattr(node, field, [self.visit(one) if isinstance(one, ast.AST) else one for one in value])
            elif isinstance(value, ast.AST):
                setattr(node, field, self.visit(value))
        return node

    def _again(self, node):
        """Visits code that may run any number of times, so that nothing of it can move in front of the statement."""
        return node
    visit_Lambda = visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _again

    def visit_While(self, node):
        test, node.test = node.test, ast.Constant(True)
        self.generic_visit(node)
        node.test = test
        return node

    def visit_Subscript(self, node):
        self.generic_visit(node)
        if not (self._slices and isinstance(node.ctx, ast.Load) and _single(node.slice)):
            return node
        options = _operator('GetItemOpts', element_dtype=self._said(node.value, 'dtype'))
        return ast.copy_location(_operator('get_item', node.value, node.slice, opts=options), node)

    def visit_Assign(self, node):
        self.generic_visit(node)
        target = node.targets[0]
        if not (self._slices and len(node.targets) == 1 and isinstance(target, ast.Subscript) and _single(target.slice)):
            return node
        to = _stored(target.value)
        if to is None:
            return node
        return ast.copy_location(ast.Assign([to], _operator('set_item', _loaded(to), target.slice, node.value)), node)

    def visit_List(self, node):
        self.generic_visit(node)
        if not self._lists:
            return node
        return ast.copy_location(_operator('new_list', node), node) if isinstance(node.ctx, ast.Load) else node

    def _said(self, of, name):
        return self._types.get(ast.unparse(of), {}).get(name) or ast.Constant(None)

    def visit_Expr(self, node):
        of, name = _method(node.value)
        to = _stored(of) if self._lists and name == 'append' and len(node.value.args) == 1 else None
        if to is None:
            return self.generic_visit(node)
        return ast.copy_location(ast.Assign([to], _operator('list_append', of, self.visit(node.value.args[0]))), node)

    def visit_Call(self, node):
        self.generic_visit(node)
        of, name = _method(node) if self._lists else (None, None)
        if name == 'pop' and len(node.args) <= 1 and _stored(of) is not None:
            self._count += 1
            popped = f'popped_{self._count}'
            options = _operator('ListPopOpts', element_dtype=self._said(of, 'dtype'), element_shape=self._said(of, 'shape'))
            self._before.append(ast.Assign(
                [ast.Tuple([_stored(of), ast.Name(popped, ast.Store())], ast.Store())],
                _operator('list_pop', of, node.args[0] if node.args else ast.Constant(None), opts=options)))
            return ast.Name(popped, ast.Load())
        if name == 'stack' and len(node.args) == 1:
            options = _operator('ListStackOpts', element_dtype=self._said(node.args[0], 'dtype'), original_call=node.func)
            return ast.copy_location(_operator('list_stack', node.args[0], opts=options), node)
        return node


class _Operators(ast.NodeTransformer):
    """Replaces operators of the original code with calls of `ag__` functions."""

    def visit_Call(self, node):
        self.generic_visit(node)
        if ast.unparse(node.func) == 'ag__.converted_call' and re.fullmatch(r'ag__\.\w+', ast.unparse(node.args[0])):
            keywords = node.args[2].keywords if isinstance(node.args[2], ast.Call) else []
            return _operator(node.args[0].attr, *node.args[1].elts, **{k.arg: k.value for k in keywords})
        return node


_MADE = '<made of '


def is_made(code):
    """Whether a code object belongs to a function made here, or to a function inside of one."""
    return code.co_filename.startswith(_MADE)


def made_of(f, definition, operators):
    """The function that a def statement, or an assignment of a lambda, makes, with the defaults, names and free variables of f; these
    operators are its `ag__`."""
    free = f.__code__.co_freevars
    name = definition.targets[0].id if isinstance(definition, ast.Assign) else definition.name
    outer = ast.parse(f"def make({', '.join(('ag__', *free))}): pass")
    outer.body[0].body = [definition, *ast.parse('return ' + name).body]
    text = ast.unparse(ast.fix_missing_locations(outer)) + '\n'
    file = _MADE + f.__name__ + '>'
    linecache.cache[file] = len(text), None, text.splitlines(True), file
    names = {}
    exec(compile(text, file, 'exec'), f.__globals__, names)
    made = names['make'](operators, *free)
    cells = dict(zip(free, f.__closure__ or ()))
    mine = dict(zip(made.__code__.co_freevars, made.__closure__ or ()))
    made = types.FunctionType(made.__code__, f.__globals__, name, f.__defaults__,
                              tuple(cells.get(one, mine[one]) for one in made.__code__.co_freevars))
    made.__kwdefaults__ = f.__kwdefaults__
    return made


def _with_lists(f, lists, slices):
    """Returns the function with operators in place of list methods, or of element access."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(f)))
    definition = next((node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == f.__name__), None)
    if definition is None:
        raise NotImplementedError('Feature.LISTS: only functions that a def statement makes have their lists converted')
    definition.decorator_list = []
    return made_of(f, _Lists(definition, lists, slices).visit(definition), _ag)


SLICES = 'SLICES'  # the part of Feature.LISTS that concerns elements
_FEATURES = {_ag.Feature.ASSERT_STATEMENTS: _Asserts, _ag.Feature.EQUALITY_OPERATORS: _Equality,
             _ag.Feature.LISTS: _Operators, SLICES: _Operators}


def code_with(f, features):
    """Returns the code that to_code shows for a function with these features. LISTS includes element access."""
    features = features if isinstance(features, (tuple, list, set, frozenset)) else (features,)
    features = set(_FEATURES) if _ag.Feature.ALL in features else set(features)
    return written(f, features | {SLICES} if _ag.Feature.LISTS in features else features)


def written(f, features):
    """Returns the code of a function with exactly these features."""
    features = features & set(_FEATURES)
    if not features:
        return tf.autograph.to_code(f)
    f = inspect.unwrap(getattr(f, '__func__', f))
    lists, slices = _ag.Feature.LISTS in features, SLICES in features
    tree = ast.parse(tf.autograph.to_code(_with_lists(f, lists, slices) if lists or slices else f))
    for feature in _FEATURES:
        if feature in features:
            tree = _FEATURES[feature]().visit(tree)
    return ast.unparse(ast.fix_missing_locations(tree)) + '\n'
