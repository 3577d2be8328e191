"""The public names of the imported package; the files that define them do not matter."""
import inspect
import keyword
import sys
import types

ROOT = 'footlight'
# These imitate the inner modules of TensorFlow, which nobody completes in an editor.
INNER = ('python', 'core', 'contrib', 'compiler', 'tools', 'sysconfig', '__internal__', '__operators__')
UNKNOWN = object()  # whose type is Any
PROTOCOLS = ('__call__', '__enter__', '__exit__', '__iter__', '__next__', '__len__', '__getitem__')
KERAS = ('keras', 'initializers', 'losses', 'metrics', 'optimizers')


def public_modules():
    """The namespaces by name, all of what they have loaded."""
    known, todo = {}, dict(sys.modules)
    while todo:
        found = {full: module for full, module in todo.items() if is_public(full) and full not in known
                 and (full == ROOT or vars(module).get('__file__') is None)}
        known |= found
        for module in found.values():
            for name in ('no_such_name', *late_names(module)):  # the first loads all that the namespace loads at once
                value_of(module, name)
        inside = [value for module in found.values() for value in vars(module).values()
                  if isinstance(value, types.ModuleType)]
        todo = {module.__name__: module for module in inside} | (dict(sys.modules) if found else {})
    return known


def value_of(module, name):
    try:
        return getattr(module, name, UNKNOWN)
    except ImportError:  # of NumPy, without which the package runs, but for what calls it
        return UNKNOWN


def is_public(full):
    parts = full.split('.')
    return parts[0] == ROOT and not any(part.startswith('_') or part in INNER for part in parts[1:])


def late_names(module):
    """The names of a namespace that are loaded when they are first used."""
    tables = [value for value in vars(sys.modules[ROOT]).values() if isinstance(value, types.ModuleType)]
    for table in tables:
        if {'find', 'names'} <= vars(table).keys():
            return [name for name in table.names(module.__name__) if name not in KERAS + INNER]
    return []


def is_shown(name):
    return not name.startswith('_') and name.isidentifier() and not keyword.iskeyword(name)


def members(module):
    names = {*vars(module), *late_names(module)}
    for name in sorted(names):
        if is_shown(name) and name not in KERAS + INNER:
            value = value_of(module, name)
            if not isinstance(value, types.ModuleType) or is_public(value.__name__):
                yield name, value


def members_of(cls, home):
    """The public members that a class does not take from a base which is public itself."""
    inherited = set()
    for base in cls.__mro__[1:]:
        if id(base) in home or base.__module__ == 'builtins':
            inherited |= {name for name in dir(base)
                          if inspect.getattr_static(cls, name, None) is inspect.getattr_static(base, name)}
    for name in sorted(dir(cls)):
        if (is_shown(name) or name in PROTOCOLS) and name not in inherited:
            yield name
