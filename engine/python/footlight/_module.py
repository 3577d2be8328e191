"""tf.Module: a class that users subclass; it finds the variables and modules among its attributes."""
import functools

import footlight


def _snake(name):
    out = ''
    for i, c in enumerate(name):
        if c.isupper() and i and (not name[i - 1].isupper() or (i + 1 < len(name) and name[i + 1].islower())):
            out += '_'
        out += c.lower()
    return out


def _valid(name):
    return name.isidentifier()


class Module:
    """A named container of variables and other modules."""

    _TF_MODULE_IGNORED_PROPERTIES = frozenset()

    def __init__(self, name=None):
        if name is None:
            name = _snake(type(self).__name__)
        elif not _valid(name):
            raise ValueError('tf.Module: %r is not a valid module name: it must be a Python identifier' % (name,))
        self._name = name
        with footlight.name_scope(name) as scope:
            self._scope_name = scope

    @property
    def name(self):
        return self._name if hasattr(self, '_name') else _snake(type(self).__name__)

    @property
    def name_scope(self):
        return _Scope(getattr(self, '_scope_name', self.name + '/'))

    def _walk(self, seen, recursive=True):
        """All variables and modules below, by attribute name, each once."""
        for name in sorted(vars(self)):
            if name in self._TF_MODULE_IGNORED_PROPERTIES:
                continue
            yield from _inside(vars(self)[name], seen, recursive)

    @property
    def variables(self):
        return tuple(v for v in self._walk(set()) if isinstance(v, footlight.Variable))

    @property
    def trainable_variables(self):
        return tuple(v for v in self.variables if v.trainable)

    @property
    def non_trainable_variables(self):
        return tuple(v for v in self.variables if not v.trainable)

    @property
    def submodules(self):
        return tuple(m for m in self._walk(set()) if isinstance(m, Module))

    @classmethod
    def with_name_scope(cls, method):
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

    def __enter__(self):
        scope = footlight.name_scope(self.name)
        self._entered.append(scope)
        return scope.__enter__()

    def __exit__(self, *error):
        return self._entered.pop().__exit__(*error)


def _inside(value, seen, recursive):
    if isinstance(value, footlight.Variable):
        if id(value) not in seen:
            seen.add(id(value))
            yield value
    elif isinstance(value, Module):
        if id(value) not in seen:
            seen.add(id(value))
            yield value
            if recursive:
                yield from value._walk(seen)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _inside(item, seen, recursive)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _inside(item, seen, recursive)


Module.__module__ = 'footlight'
footlight.Module = Module
