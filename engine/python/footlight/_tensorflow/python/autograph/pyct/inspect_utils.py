"""tensorflow.python.autograph.pyct.inspect_utils and cache: what can be known of a function and the class that it belongs to."""
from __future__ import annotations

import __future__
import builtins
import inspect
import types
import weakref


def islambda(f):
    """Whether it is a function that a lambda expression made."""
    return inspect.isfunction(f) and f.__code__.co_name == '<lambda>'


def isnamedtuple(f):
    """Whether it is a class of named tuples."""
    return inspect.isclass(f) and issubclass(f, tuple) and hasattr(f, '_fields')


def isbuiltin(f):
    """Whether it is one of Python's builtins."""
    return inspect.isbuiltin(f) or any(f is one for one in vars(builtins).values())


def isconstructor(cls):
    """Whether calling it makes an object: a class, none of whose own classes says what a call does."""
    return inspect.isclass(cls) and type(cls).__call__ is type.__call__


def getimmediatesource(obj):
    """The source of the function itself, without looking through decorators."""
    if inspect.isfunction(obj) or inspect.ismethod(obj):
        obj = obj.__code__
    return inspect.getsource(obj)


def getnamespace(f):
    """The names that a function finds outside of itself: globals and free variables that have a value."""
    names = dict(f.__globals__)
    for name, cell in zip(f.__code__.co_freevars, f.__closure__ or ()):
        try:
            names[name] = cell.cell_contents
        except ValueError:  # it has none yet
            pass
    return names


def getqualifiedname(namespace, object_, max_depth=5, visited=None):
    """By which name, through modules too, an object is found in a namespace; None where it is not."""
    visited = set() if visited is None else visited
    modules = []
    for name in tuple(namespace):  # others may add to it meanwhile
        value = namespace.get(name)
        if value is object_:
            return name
        if inspect.ismodule(value) and id(value) not in visited:
            modules.append((name, value))
    if max_depth <= 0:
        return None
    for name, module in modules:
        visited.add(id(module))
    for name, module in modules:
        inner = getqualifiedname(vars(module), object_, max_depth - 1, visited)
        if inner is not None:
            return name + '.' + inner
    return None


def getdefiningclass(m, owner_class):
    """The class among the bases of one in which a method stands."""
    return next((base for base in inspect.getmro(owner_class) if m.__name__ in vars(base)), owner_class)


def getmethodclass(m):
    """The class of the object that a method, or an object with `__call__`, belongs to; of a function that stands in a class, this one."""
    owner = getattr(m, '__self__', None)
    if owner is None and inspect.isfunction(m):
        classes = m.__qualname__.split('.')[:-1]
        found = inspect.getmodule(m)
        for name in classes:
            found = getattr(found, name, None)  # None, too, for what is made by functions
        return found if classes and inspect.isclass(found) else None
    if owner is None:
        return None if inspect.isroutine(m) or inspect.isclass(m) or not hasattr(m, '__call__') else type(m)
    return owner if inspect.isclass(owner) else type(owner)


def getfutureimports(entity):
    """The features of later Pythons that the code of a function was compiled with."""
    code = getattr(inspect.unwrap(entity) if callable(entity) else entity, '__code__', None)
    flags = code.co_flags if code is not None else 0
    features = (getattr(__future__, name) for name in __future__.all_feature_names)
    return tuple(name for name, feature in zip(__future__.all_feature_names, features)
                 if feature.compiler_flag & flags and name not in ('nested_scopes', 'generators'))


class _Cache:
    """Values by functions, which it does not keep alive, and keys."""

    def __init__(self):
        self._values = weakref.WeakKeyDictionary()

    def has(self, entity, subkey):
        return subkey in self._values.get(self._of(entity), ())

    def __getitem__(self, entity):
        return self._values.setdefault(self._of(entity), {})

    def __len__(self) -> int:
        return len(self._values)


class CodeObjectCache(_Cache):
    """For functions, whose code counts: all that one statement made share their values."""
    _of = staticmethod(lambda entity: getattr(entity, '__code__', entity))


class UnboundInstanceCache(_Cache):
    """For methods, whatever their object is."""
    _of = staticmethod(lambda entity: entity.__func__ if isinstance(entity, types.MethodType) else entity)
