"""tensorflow.python.autograph.converters.directives: definitions and directives, noted on the syntax tree of a function."""
from __future__ import annotations

import ast
import types

import footlight as tf
from footlight._autograph import ag as _ag
from footlight._tensorflow.python.autograph.pyct import (
    inspect_utils as _inspect, qual_names as _qual_names, parser as _parser)
from footlight._tensorflow.python.autograph.pyct.qual_names import Basic, Static
from footlight._tensorflow.python.autograph.pyct.parser import trees
from footlight._typing import Any


_PARAMETERS = {'set_element_type': ('entity', 'dtype', 'shape'),
               'set_loop_options': ('parallel_iterations', 'swap_memory', 'maximum_iterations', 'shape_invariants')}


class Definition:
    """A place where a variable gets a value, and what directives say of it."""

    def __init__(self):
        self.directives = {}


class _Definitions(ast.NodeVisitor):
    """Annotates every name with the definitions that may reach it."""

    def __init__(self):
        self._known, self._own = {}, {}  # definitions by variable that reach here, and the definition that a node makes

    def _note(self, node, definitions):
        for key in (Static.DEFINITIONS, Static.ORIG_DEFINITIONS):
            _qual_names.setanno(node, key, definitions)

    def _defines(self, node: Any, name: str) -> None:
        self._known[name] = (self._own.setdefault(node, Definition()),)
        self._note(node, self._known[name])

    def visit_Name(self, node: Any) -> None:
        if isinstance(node.ctx, trees.Load):
            self._note(node, self._known.get(node.id, ()))
        else:
            self._defines(node, node.id)

    def visit_arg(self, node: Any) -> None:
        self._defines(node, node.arg)

    def visit_Assign(self, node: Any) -> None:
        self.visit(node.value)
        for target in node.targets:
            self.visit(target)

    def visit_AugAssign(self, node: Any) -> None:
        self.visit(node.value)
        self.visit(node.target)

    def _maybe(self, *blocks: Any) -> None:
        """Each of these blocks may be the one that runs."""
        before, after = self._known, []
        for block in blocks:
            self._known = dict(before)
            for node in block:
                self.visit(node)
            after.append(self._known)
        names = {name for known in after for name in known}
        self._known = {name: tuple(dict.fromkeys(one for known in after for one in known.get(name, ()))) for name in names}

    def visit_If(self, node: Any) -> None:
        self.visit(node.test)
        self._maybe(node.body, node.orelse)

    def _loop(self, node: Any) -> None:
        for _ in range(2):  # definitions of one iteration reach the next
            head = [node.test] if isinstance(node, trees.While) else [node.iter, node.target]
            self._maybe([*head, *node.body], head[:1])
        for one in node.orelse:
            self.visit(one)
    visit_For = visit_While = _loop

    def visit_Try(self, node: Any) -> None:
        self._maybe(node.body, [])
        self._maybe(node.orelse, *([handler] for handler in node.handlers))
        for one in node.finalbody:
            self.visit(one)

    def visit_FunctionDef(self, node: Any) -> None:
        self._defines(node, node.name)
        before, self._known = self._known, dict(self._known)
        self.visit(node.args)
        for one in node.body:
            self.visit(one)
        self._known = before


class _Notes(ast.NodeTransformer):
    """Takes directives out of a function, and notes them where variables are defined and on loops."""

    def __init__(self, namespace):
        self._namespace, self._loops = namespace, []

    def _found(self, node):
        """The object that a name, or an attribute of a module, is; nothing of the program's runs."""
        if isinstance(node, trees.Name):
            return self._namespace.get(node.id)
        if isinstance(node, trees.Attribute):
            module = self._found(node.value)
            return getattr(module, node.attr, None) if isinstance(module, types.ModuleType) else None
        return None

    @staticmethod
    def _arguments(directive: Any, call: Any) -> dict[Any, Any]:
        names = _PARAMETERS[directive.__name__]
        return {**dict(zip(names, call.args)), **{one.arg: one.value for one in call.keywords}}

    def visit_Expr(self, node):
        call = node.value
        directive = self._found(call.func) if isinstance(call, trees.Call) else None
        if directive is _ag.set_element_type:
            said = self._arguments(directive, call)
            target = said.get('entity')
            if not isinstance(target, trees.Name):
                raise ValueError(f'set_element_type is for variables, not for {ast.unparse(_parser.to_python(target))}')
            for definition in _qual_names.getanno(target, Static.DEFINITIONS):
                definition.directives[directive] = said
            return None
        if directive is tf.autograph.experimental.set_loop_options:
            if not self._loops or self._loops[-1].body[0] is not node:
                raise ValueError('set_loop_options must be the first statement in the loop block, and must be used inside a statement '
                                 'that loops')
            _qual_names.setanno(self._loops[-1], Basic.DIRECTIVES, {directive: self._arguments(directive, call)})
            return None
        return self.generic_visit(node)

    def _loop(self, node):
        first = node.body[0]
        self._loops.append(node)
        node = self.generic_visit(node)
        self._loops.pop()
        if not node.body:
            node.body = [ast.copy_location(trees.Pass(), first)]
        return node
    visit_For = visit_While = _loop


def defined_tree(f):
    """Returns the syntax tree of a function in which every name is annotated with its definitions."""
    tree, _ = _parser.parse_entity(f, _inspect.getfutureimports(f))
    _Definitions().visit(tree)
    return tree


def noted_tree(f):
    """Returns the syntax tree of a function with its directives as annotations."""
    tree = _Notes(_inspect.getnamespace(f)).visit(defined_tree(f))
    if not tree.body:
        tree.body = [trees.Pass()]
    return tree
