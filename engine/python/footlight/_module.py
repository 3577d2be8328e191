"""tf.Module: a class that users subclass; it finds the variables and modules among its attributes."""
from __future__ import annotations

import functools

import footlight
from footlight._public import publish
from footlight._saving.trackable import AutoTrackable
from footlight._typing import Any, Callable, Iterator


def _snake(name: str) -> str:
    out = ''
    for i, c in enumerate(name):
        before, after = name[i - 1:i], name[i + 1:i + 2]
        if 'A' <= c <= 'Z' and i and ('a' <= before <= 'z' or '0' <= before <= '9' or 'a' <= after <= 'z'):
            out += '_'
        out += c
    return out.lower()


def _is_variable(value: Any) -> bool:
    return isinstance(value, footlight.Variable)


def _is_trainable(value: Any) -> bool:
    return _is_variable(value) and value.trainable


def _is_frozen(value: Any) -> bool:
    return _is_variable(value) and not value.trainable


def _is_module(value: Any) -> bool:
    return isinstance(value, Module)


class Module(AutoTrackable):
    """A named container of variables and other modules, which it finds among its attributes.

      >>> class Scaled(tf.Module):
      ...     def __init__(self):
      ...         super().__init__()
      ...         self.factor = tf.Variable(2.0, name='factor')
      ...     def __call__(self, x):
      ...         return self.factor * x
      >>> scaled = Scaled()
      >>> print(scaled(3.0))
      tf.Tensor(6.0, shape=(), dtype=float32)
      >>> [variable.name for variable in scaled.trainable_variables]
      ['factor:0']

    Args:
      name: a str that is an identifier; without it the name of the class in small letters.
    """

    _TF_MODULE_IGNORED_PROPERTIES = frozenset(('_self_tracking', '_self_setattr_tracking'))

    def __init__(self, name: str | None = None) -> None:
        if name is None:
            name = _snake(type(self).__name__)
        elif not isinstance(name, str):
            raise TypeError(f'the name of a tf.Module must be a str, not {type(name).__name__}')
        elif not name.isidentifier():
            raise ValueError(f'{name!r} is not a valid module name. Module names must be valid Python identifiers '
                             '(e.g. a valid class name).')
        self._name = name
        with footlight.name_scope(name) as scope:
            self._name_scope = _Scope(scope)

    @property
    def name(self) -> str:
        """The name as given, or from the class name."""
        return self._name if hasattr(self, '_name') else _snake(type(self).__name__)

    @property
    def name_scope(self) -> Any:
        """The name scope of the module, always the same object; it can be entered again and again."""
        own = object.__getattribute__(self, '__dict__')  # the class may define its own __getattribute__
        scope = own.get('_name_scope')
        if scope is None and hasattr(type(self), '_name_scope'):  # of the class's own
            return self._name_scope
        if scope is None:  # the class did not call Module.__init__
            scope = own['_name_scope'] = _Scope(self.name + '/')
        return scope

    @property
    def variables(self) -> tuple[Any, ...]:
        """All variables of this module and those below, each once."""
        return tuple(self._flatten(_is_variable, expand_composites=True))

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """The variables that tapes watch by themselves."""
        return tuple(self._flatten(_is_trainable, expand_composites=True))

    @property
    def non_trainable_variables(self) -> tuple[Any, ...]:
        """The variables that tapes do not watch by themselves."""
        return tuple(self._flatten(_is_frozen, expand_composites=True))

    @property
    def submodules(self) -> tuple[Any, ...]:
        """All modules below this one, each once."""
        return tuple(self._flatten(_is_module))

    def _flatten(self, recursive: Any = None, predicate: Any = None, attribute_traversal_key: Any = None,
                 with_path: bool = False, expand_composites: bool = False) -> Any:
        """The attributes, and values nested in them, for which `predicate` is true; this module's own first."""
        if callable(recursive):  # descend into submodules only if the predicate says so
            recursive, predicate = True, recursive
        recursive = True if recursive is None else recursive
        predicate = predicate or (lambda value: True)
        return _below(self, recursive, predicate, attribute_traversal_key, {id(self), ('opened', id(self))},
                      with_path, ())

    @classmethod
    def with_name_scope(cls, method: Callable[..., Any]) -> Callable[..., Any]:
        """Runs the method inside the module's name scope."""
        @functools.wraps(method)
        def scoped(self, *args, **kwargs):
            with self.name_scope:
                return method(self, *args, **kwargs)
        return scoped


class _Scope:
    """module.name_scope: has a name and can be entered again and again."""

    def __init__(self, name):
        self.name = name
        self._entered = []

    def __enter__(self) -> str:
        scope = footlight.name_scope(self.name)
        self._entered.append(scope)
        return scope.__enter__()

    def __exit__(self, *error):
        return self._entered.pop().__exit__(*error)


def _leaves(value: Any, path: Any) -> Iterator[Any]:
    """The value of an attribute, with lists, tuples and mappings flattened."""
    if isinstance(value, (list, tuple)) and not isinstance(value, (footlight.TensorShape,)):
        fields = getattr(value, '_fields', None)
        for i, item in enumerate(value):
            yield from _leaves(item, path + (fields[i] if fields else i,))
    elif hasattr(value, 'keys') and hasattr(value, '__getitem__') and hasattr(value, '__iter__'):
        try:
            keys = sorted(value)
        except TypeError:
            keys = list(value)
        for key in keys:
            yield from _leaves(value[key], path + (key,))
    else:
        yield path, value


def _below(module: Any, recursive: bool, predicate: Callable[..., Any], order: Any, seen: Any, with_path: bool,
           prefix: Any) -> Iterator[Any]:
    attributes = vars(module)
    ignored = module._TF_MODULE_IGNORED_PROPERTIES
    inside = []
    for key in sorted(attributes, key=order):
        if key in ignored:
            continue
        for path, leaf in _leaves(attributes[key], (key,)):
            if id(leaf) in seen:
                continue
            module_too = recursive and isinstance(leaf, Module)
            if not predicate(leaf) and not module_too:
                continue
            if predicate(leaf):
                seen.add(id(leaf))
                yield (prefix + path, leaf) if with_path else leaf
            if module_too:
                inside.append((prefix + path, leaf))
    for path, child in inside:
        mark = ('opened', id(child))
        if mark in seen:
            continue
        seen.add(mark)
        yield from _below(child, recursive, predicate, order, seen, with_path, path)


publish('tf', Module)
