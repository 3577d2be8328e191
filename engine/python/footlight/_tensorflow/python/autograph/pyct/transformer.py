"""tensorflow.python.autograph.pyct.transformer, transpiler and core.unsupported_features_checker: functions made anew from their
syntax trees, which programs change as they like."""
from __future__ import annotations

import ast
import collections
import enum
import inspect
import threading
import types

from footlight._autograph import ag as _ag
from footlight._tensorflow.python.autograph.pyct import (
    inspect_utils as _inspect, qual_names as _qual_names, origin_info as _origin_info, parser as _parser,
    templates as _templates)
from footlight._tensorflow.python.autograph.pyct.qual_names import Basic
from footlight._tensorflow.python.autograph.pyct.parser import is_tree, trees
from footlight._typing import Any, Callable


class AnalysisLevel(enum.IntEnum):
    NONE = 0
    ACTIVITY = 1
    DEFINEDNESS = 2
    LIVENESS = 3


EntityInfo = collections.namedtuple('EntityInfo', ('name', 'source_code', 'source_file', 'future_features', 'namespace'))


class Context:
    """What is known of the function whose tree is visited."""

    def __init__(self, info: Any, namer: Any, user_context: Any) -> None:
        self.info, self.namer, self.user = info, namer, user_context
        self.current_origin = None


class _Levels:
    """A stack of state objects; attributes are those of the innermost one."""

    def __init__(self, kind: Any) -> None:
        object.__setattr__(self, 'kind', kind)
        object.__setattr__(self, 'stack', [])
        self.enter()

    def enter(self) -> Any:
        self.stack.append(self.kind())
        return self.value

    def exit(self) -> None:
        self.stack.pop()

    def __enter__(self) -> Any:
        self.enter()
        return self

    def __exit__(self, *error: Any) -> None:
        self.exit()

    value = property(lambda self: self.stack[-1])
    level = property(lambda self: len(self.stack))

    def __iter__(self) -> Any:
        return iter(self.stack)

    def __getattr__(self, name):
        return getattr(self.value, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self.value, name, value)


class _States(dict):
    def __missing__(self, kind):
        self[kind] = made = _Levels(kind)
        return made


class NodeStateTracker:
    """Visits trees and keeps a stack of state per class, `self.state[SomeClass]`."""

    def __init__(self, ctx: Any) -> None:
        self.ctx = ctx
        self.state = _States()

    def debug_print(self, node):
        print(_templates.fmt(node))
        return node

    def debug_print_src(self, node):
        print(_templates.text_of(node))
        return node

    def visit_block(self, nodes, before_visit=None, after_visit=None):
        """Walks over statements. `after_visit` gets each result and gives what stands for it, and the list for all that follow, if
        that is another one."""
        if nodes is None:
            return None
        made = into = []
        for node in nodes:
            if before_visit:
                before_visit()
            changed = self.visit(node)
            target = None
            if changed is not None and after_visit:
                changed, target = after_visit(changed)
            if isinstance(changed, (list, tuple)):
                into.extend(changed)
            elif changed is not None:
                into.append(changed)
            if target is not None:
                into = target
        return made

    def _entered(self, node, visit):
        """Visits one node and records its origin meanwhile."""
        if not is_tree(node):
            raise ValueError(f'a node of a tree is expected, not {type(node).__name__}; lists of nodes go through '
                             'visit_block')
        before, origin = self.ctx.current_origin, _qual_names.getanno(node, Basic.ORIGIN, None)
        if origin is not None:
            self.ctx.current_origin = origin
        try:
            made = node if _qual_names.hasanno(node, Basic.SKIP_PROCESSING) else visit(node)
        finally:
            self.ctx.current_origin = before
        if made is not node and origin is not None:
            for one in made if isinstance(made, (list, tuple)) else (made,):
                if is_tree(one) and not _qual_names.hasanno(one, Basic.ORIGIN):
                    _origin_info.copy_origin(node, one)
        return made


class Base(NodeStateTracker, ast.NodeTransformer):
    """Changes trees; a method visit_X gives what a node of type X becomes: a node, a list of them or None."""

    def visit(self, node):
        return self._entered(node, super().visit)

    def visit_Expr(self, node):
        node = self.generic_visit(node)
        value = getattr(node, 'value', None)
        return value if isinstance(value, ast.stmt) or isinstance(value, list) else node

    create_assignment = staticmethod(_templates.create_assignment)
    apply_to_single_assignments = staticmethod(_templates.apply_to_single_assignments)


class CodeGenerator(NodeStateTracker, ast.NodeVisitor):
    """Writes text for trees; a method visit_X emits that of a node of type X."""

    def __init__(self, ctx):
        super().__init__(ctx)
        self._text, self._line, self.source_map = '', 1, {}

    code_buffer = property(lambda self: self._text)

    def emit(self, code: Any) -> None:
        """Adds text."""
        self._text += code
        self._line += code.count('\n')

    def visit(self, node):
        first = self._line
        made = self._entered(node, super().visit)
        origin = _qual_names.getanno(node, Basic.ORIGIN, None)
        if origin is not None:
            for line in range(first, self._line + 1):
                self.source_map.setdefault(line, origin)
        return made


class GenericTranspiler:
    """Gives functions' trees to `transform_ast(node, ctx)`, which makes of them what it likes."""

    def get_transformed_name(self, node):
        if isinstance(node, trees.Lambda):
            return 'lam'
        if hasattr(node, 'name'):
            return node.name
        raise ValueError(f'no name is known for {node!r}')

    def transform_ast(self, node, ctx):
        raise NotImplementedError('subclasses say what a tree becomes')

    def transform(self, obj, user_context):
        """What becomes of a function."""
        if inspect.isfunction(obj) or inspect.ismethod(obj):
            return self.transform_function(obj, user_context)
        raise NotImplementedError(f'only functions are transformed, not {obj!r}')

    def transform_function(self, fn: Callable[..., Any], user_context: Any) -> tuple[Any, ...]:
        """(what transform_ast gave, the context that it had)."""
        future = _inspect.getfutureimports(fn)
        node, source = _parser.parse_entity(fn, future_features=future)
        _origin_info.resolve_entity(node, source, fn)
        namespace = _inspect.getnamespace(fn)
        namer = _qual_names.Namer(namespace)
        name = namer.new_symbol(self.get_transformed_name(node), ())
        context = Context(EntityInfo(name, source, inspect.getsourcefile(fn), future, namespace), namer, user_context)
        # Default values are taken from the function and not evaluated again.
        defaults = node.args
        defaults.defaults = [trees.Constant(None, None) for _ in defaults.defaults]
        defaults.kw_defaults = [one and trees.Constant(None, None) for one in defaults.kw_defaults]
        if hasattr(node, 'decorator_list'):
            node.decorator_list = []
        return self.transform_ast(node, context), context


class PyToPy(GenericTranspiler):
    """Makes functions of the trees that transform_ast gives, with the globals, defaults and free variables of the first ones."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._made = _inspect.CodeObjectCache()

    def get_extra_locals(self) -> Any:
        """{name: value} that functions find besides what they found before."""
        raise NotImplementedError('subclasses say which names they need')

    def get_caching_key(self, user_context):
        """Functions of the same code with the same key are made once."""
        raise NotImplementedError('subclasses say for what a result holds')

    def transform_function(self, fn: Callable[..., Any], user_context: Any) -> tuple[Any, ...]:
        """(a new function, the module that its code is in, the map of its lines)."""
        fn, extra = getattr(fn, '__func__', fn), self.get_extra_locals()
        with self._lock:
            key = self.get_caching_key(user_context), fn.__code__.co_freevars
            if not self._made.has(fn, key):
                self._made[fn][key] = self._module_of(fn, user_context, tuple(extra))
            module, source_map = self._made[fn][key]
        outer = types.FunctionType(module.free.__code__, fn.__globals__)  # annotations are evaluated in this namespace
        inner = outer(*fn.__code__.co_freevars)(**extra)
        cells = dict(zip(inner.__code__.co_freevars, inner.__closure__ or ()))
        cells.update(zip(fn.__code__.co_freevars, fn.__closure__ or ()))
        made = types.FunctionType(inner.__code__, fn.__globals__, inner.__name__, fn.__defaults__,
                                  tuple(cells[free] for free in inner.__code__.co_freevars))
        made.__kwdefaults__, made.__module__, made.__doc__ = fn.__kwdefaults__, fn.__module__, inner.__doc__
        made.__annotations__ = dict(fn.__annotations__)
        return made, module, source_map

    def _module_of(self, fn: Callable[..., Any], user_context: Any, extra: Any) -> tuple[Any, ...]:
        nodes, context = GenericTranspiler.transform_function(self, fn, user_context)
        nodes = list(nodes) if isinstance(nodes, (list, tuple)) else [nodes]
        name = context.info.name
        if isinstance(nodes[-1], ast.expr):
            nodes[-1] = _templates.replace('name = value', name=name, value=nodes[-1])[0]
        else:
            nodes[-1].name = name
        outer = _parser.parse(f"def free({', '.join(fn.__code__.co_freevars)}):\n  def extra({', '.join(extra)}):\n    "
                              f'return {name}\n  return extra')
        outer.body[0].body[:0] = nodes
        module, _, source_map = _parser.load_ast(outer, include_source_map=True)
        return module, source_map


class UnsupportedFeaturesChecker(ast.NodeVisitor):
    """Refuses what cannot be converted."""

    def visit_Attribute(self, node: Any) -> None:
        if node.attr.startswith('__') and not node.attr.endswith('__'):
            raise _ag.UnsupportedLanguageElementError('mangled names are not yet supported')
        self.generic_visit(node)

    def _loop(self, node: Any) -> None:
        if node.orelse:
            raise _ag.UnsupportedLanguageElementError(f'{type(node).__name__.lower()}/else statement not yet supported')
        self.generic_visit(node)
    visit_For = visit_While = _loop


def verify(node: Any) -> None:
    """Refuses a tree with something that cannot be converted."""
    UnsupportedFeaturesChecker().visit(node)
