"""tensorflow.python.autograph.converters.directives: what directives in a function say, noted on its syntax tree."""
import ast
import types

import footlight as tf
from footlight import _ag, _pyct_inspect, _pyct_names, _pyct_source
from footlight._pyct_names import Basic, Static
from footlight._pyct_source import trees


_PARAMETERS = {'set_element_type': ('entity', 'dtype', 'shape'),
               'set_loop_options': ('parallel_iterations', 'swap_memory', 'maximum_iterations', 'shape_invariants')}


class _Definition:
    """A variable of a function, and what directives say of it."""

    def __init__(self):
        self.directives = {}


class _Notes(ast.NodeTransformer):
    """Takes directives out of a function, and notes them where variables are defined and on loops."""

    def __init__(self, namespace):
        self._namespace, self._variables, self._loops = namespace, {}, []

    def _found(self, node):
        """The object that a name, or an attribute of a module, is; nothing of the program's runs."""
        if isinstance(node, trees.Name):
            return self._namespace.get(node.id)
        if isinstance(node, trees.Attribute):
            module = self._found(node.value)
            return getattr(module, node.attr, None) if isinstance(module, types.ModuleType) else None
        return None

    @staticmethod
    def _arguments(directive, call):
        names = _PARAMETERS[directive.__name__]
        return {**dict(zip(names, call.args)), **{one.arg: one.value for one in call.keywords}}

    def definition_of(self, name):
        return self._variables.setdefault(name, _Definition())

    def visit_Expr(self, node):
        call = node.value
        directive = self._found(call.func) if isinstance(call, trees.Call) else None
        if directive is _ag.set_element_type:
            said = self._arguments(directive, call)
            target = said.get('entity')
            if not isinstance(target, trees.Name):
                raise ValueError('set_element_type is for variables, not for %s' % ast.unparse(_pyct_source.to_python(target)))
            self.definition_of(target.id).directives[directive] = said
            return None
        if directive is tf.autograph.experimental.set_loop_options:
            if not self._loops or self._loops[-1].body[0] is not node:
                raise ValueError('set_loop_options must be the first statement in the loop block, and must be used inside a statement '
                                 'that loops')
            _pyct_names.setanno(self._loops[-1], Basic.DIRECTIVES, {directive: self._arguments(directive, call)})
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

    def visit_Name(self, node):
        if not isinstance(node.ctx, trees.Load):
            self._note(node, node.id)
        return node

    def visit_arg(self, node):
        self._note(node, node.arg)
        return node

    def _note(self, node, name):
        for key in (Static.DEFINITIONS, Static.ORIG_DEFINITIONS):
            _pyct_names.setanno(node, key, (self.definition_of(name),))


def noted_tree(f):
    """The tree of a function, with its directives as notes."""
    tree, _ = _pyct_source.parse_entity(f, _pyct_inspect.getfutureimports(f))
    tree = _Notes(_pyct_inspect.getnamespace(f)).visit(tree)
    if not tree.body:
        tree.body = [trees.Pass()]
    return tree
