"""tensorflow.python.autograph.pyct.anno, naming and qual_names: what is noted of a node, and names of variables."""
from __future__ import annotations

import ast
import collections
import enum

from footlight._tensorflow.python.autograph.pyct import parser as _parser
from footlight._tensorflow.python.autograph.pyct.parser import trees
from footlight._typing import Any

_NOTES = '___pyct_anno'


class NoValue(enum.Enum):
    """Keys of notes, which print as their names."""

    def __repr__(self) -> str:
        return self.name


class Basic(NoValue):
    QN, SKIP_PROCESSING, INDENT_BLOCK_REMAINDER, ORIGIN, DIRECTIVES, EXTRA_LOOP_TEST = range(1, 7)


class Static(NoValue):
    IS_PARAM, SCOPE, ARGS_SCOPE, COND_SCOPE, BODY_SCOPE, ORELSE_SCOPE, DEFINITIONS, ORIG_DEFINITIONS = range(1, 9)
    DEFINED_FNS_IN, DEFINED_VARS_IN, LIVE_VARS_OUT, LIVE_VARS_IN, TYPES, CLOSURE_TYPES, VALUE = range(9, 16)


FAIL = object()


# Notes

def keys(node, field_name=_NOTES):
    """The keys of what is noted of a node."""
    return set(getattr(node, field_name, ()))


def getanno(node, key, default=FAIL, field_name=_NOTES):
    """What is noted; without a default, it has to be there."""
    if default is FAIL and not hasattr(node, field_name):
        raise AttributeError(f'nothing is noted of {node!r}')
    notes = getattr(node, field_name, {})
    if default is FAIL and key not in notes:
        raise KeyError(f'{key} is not noted of {node!r}')
    return notes.get(key, default)


def hasanno(node: Any, key: Any, field_name: Any = _NOTES) -> bool:
    return key in getattr(node, field_name, ())


def setanno(node: Any, key: Any, value: Any, field_name: Any = _NOTES) -> None:
    """Annotates a node; the annotations are a field, so code that visits all fields finds them."""
    if not hasattr(node, field_name):
        setattr(node, field_name, {})
        if field_name not in node._fields:
            node._fields += (field_name,)
    getattr(node, field_name)[key] = value


def delanno(node: Any, key: Any, field_name: Any = _NOTES) -> None:
    """Forgets what is noted."""
    notes = getattr(node, field_name)
    del notes[key]
    if not notes:
        delattr(node, field_name)
        node._fields = tuple(name for name in node._fields if name != field_name)


def copyanno(from_node: Any, to_node: Any, key: Any, field_name: Any = _NOTES) -> None:
    """Notes of a node what is noted of another one, if it is."""
    if hasanno(from_node, key, field_name):
        setanno(to_node, key, getanno(from_node, key, field_name=field_name), field_name)


def dup(node: Any, copy_map: Any, field_name: Any = _NOTES) -> None:
    """Notes values under other keys too, in the whole tree."""
    for one in ast.walk(node):
        for key, copy in copy_map.items():
            if hasanno(one, key, field_name):
                setanno(one, copy, getanno(one, key, field_name=field_name), field_name)


# New names

class Namer:
    """Makes names that are not in use."""

    def __init__(self, global_namespace):
        self.global_namespace = global_namespace
        self.generated_names = set()

    def new_symbol(self, name_root, reserved_locals):
        """A name like this one: itself, else with a number."""
        taken = {part for name in reserved_locals for part in (name.qn if isinstance(name, QN) else (name,))}
        stem, _, number = name_root.rpartition('_')
        stem, count = (stem, int(number)) if number.isdigit() and stem else (name_root, 0)
        name = stem
        while name in taken or name in self.global_namespace or name in self.generated_names:
            count += 1
            name = f'{stem}_{count}'
        self.generated_names.add(name)
        return name


# Names with attributes and elements

class CallerMustSetThis(ast.AST):
    """A context that is to be replaced."""


class Symbol(collections.namedtuple('Symbol', ('name',))):
    """The name of a variable."""


class Literal(collections.namedtuple('Literal', ('value',))):
    """A constant as an index."""

    def __str__(self) -> str:
        return repr(self.value)
    __repr__ = __str__


class QN:
    """A variable, an attribute of a name, or an element of a name: `a`, `a.b`, `a[b]`."""

    def __init__(self, base: Any, subscript: Any = None, attr: Any = None) -> None:
        if attr is not None and subscript is not None:
            raise ValueError('a name has either an attribute or a subscript')
        if (attr is not None or subscript is not None) and not isinstance(base, QN):
            raise ValueError(f'an attribute or a subscript is of a QN, not of {base!r}')
        if attr is None and subscript is None and not isinstance(base, (str, Literal)):
            raise ValueError(f'a name is a string, not {base!r}')
        if attr is not None and not isinstance(attr, str):
            raise ValueError(f'an attribute is a string, not {attr!r}')
        self._parts = (base,) if attr is None and subscript is None else (base, attr if subscript is None else subscript)
        self._kind = '.' if attr is not None else '[' if subscript is not None else ''

    qn = property(lambda self: self._parts)

    @property
    def attr(self):
        if self._kind != '.':
            raise ValueError(f'{self} has no attribute')
        return self._parts[1]

    @property
    def parent(self) -> Any:
        if not self._kind:
            raise ValueError(f'{self} is of nothing else')
        return self._parts[0]

    @property
    def owner_set(self) -> Any:
        """All names that this one is an attribute or an element of."""
        return {self.parent, *self.parent.owner_set} if self._kind else set()

    @property
    def support_set(self):
        """The variables, and constants as indices, that it consists of."""
        if not self._kind:
            return {self}
        index = self._parts[1].support_set if self._kind == '[' and isinstance(self._parts[1], QN) else set()
        return self.parent.support_set | index

    def is_symbol(self) -> Any:
        return not self._kind and isinstance(self._parts[0], str)

    def is_simple(self) -> bool:
        return not self._kind

    def is_composite(self) -> bool:
        return bool(self._kind)

    def has_attr(self) -> Any:
        return self._kind == '.'

    def has_subscript(self) -> Any:
        return self._kind == '['

    def __hash__(self) -> int:
        return hash((self._kind, self._parts))

    def __eq__(self, other):
        return isinstance(other, QN) and (self._kind, self._parts) == (other._kind, other._parts)

    def __lt__(self, other):
        return str(self) < str(other)

    def __gt__(self, other):
        return str(self) > str(other)

    def __str__(self):
        if not self._kind:
            return str(self._parts[0])
        base, inner = self._parts
        return f'{base!s}.{inner!s}' if self._kind == '.' else f'{base!s}[{inner!s}]'
    __repr__ = __str__

    def ssf(self) -> str:
        """As the name of a variable."""
        parts = [part.ssf() if isinstance(part, QN) else str(part) for part in self._parts]
        return ('_sub_' if self._kind == '[' else '_').join(parts)

    def ast(self):
        """As an expression, whose contexts are to be set."""
        context = CallerMustSetThis()
        if not self._kind:
            name = self._parts[0]
            if isinstance(name, Literal):
                return _parser.parse_expression(repr(name.value))
            made = _parser.parse_expression(name)
        elif self._kind == '.':
            made = trees.Attribute(self.parent.ast(), self._parts[1], context)
        else:
            index = self._parts[1].ast()
            for node in ast.walk(index):
                if hasattr(node, 'ctx'):
                    node.ctx = trees.Load()
            made = trees.Subscript(self.parent.ast(), index, context)
        made.ctx = context
        return made


def _name_of(node):
    return getanno(node, Basic.QN, None)


def _note(node):
    for child in ast.iter_child_nodes(node):
        _note(child)
    name = None
    if isinstance(node, trees.Name):
        name = QN(node.id)
    elif isinstance(node, ast.arg):
        name = QN(node.arg)
    elif isinstance(node, trees.Attribute) and _name_of(node.value):
        name = QN(_name_of(node.value), attr=node.attr)
    elif isinstance(node, trees.Subscript) and _name_of(node.value):
        constant = isinstance(node.slice, trees.Constant) and node.slice.value is not Ellipsis
        index = QN(Literal(node.slice.value)) if constant else _name_of(node.slice)
        name = index and QN(_name_of(node.value), subscript=index)
    if name is not None:
        setanno(node, Basic.QN, name)


def resolve(node):
    """Notes of every node that is a name which one it is."""
    _note(node)
    return node


def from_str(qn_str):
    """The name that a text says."""
    name = _name_of(resolve(_parser.parse_expression(qn_str)))
    if name is None:
        raise ValueError(f'{qn_str!r} is not a name')
    return name
