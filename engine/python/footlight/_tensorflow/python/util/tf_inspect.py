"""tensorflow.python.util.tf_inspect: the inspect module, which looks through decorators that say so."""
from __future__ import annotations

import collections
import functools
import inspect

from footlight import _engine
from footlight._tensorflow.publish import publish
from footlight._tensorflow.python.util.tf_decorator import unwrap
from footlight._typing import Any, Callable


def _inner(function: Callable[..., Any]) -> Callable[..., Any]:
    return unwrap(function)[1]


def _through(name: str) -> Callable[..., Any]:
    f = getattr(inspect, name)

    @functools.wraps(f)
    def look(object, *args, **kwargs):
        return f(_inner(object), *args, **kwargs)
    return look


def getfullargspec(obj: Callable[..., Any]) -> Any:
    """The arguments of a function, or of the decorator that gives others."""
    decorators, target = unwrap(obj)
    given = next((d.decorator_argspec for d in decorators if d.decorator_argspec is not None), None)
    return given if given is not None else inspect.getfullargspec(target)


ArgSpec = collections.namedtuple('ArgSpec', 'args varargs keywords defaults')


def getargspec(obj: Callable[..., Any]) -> Any:
    """The arguments of a function that a call may give by position or by name."""
    if isinstance(obj, functools.partial):
        return _argspec_of_partial(obj)
    decorators, target = unwrap(obj)
    given = next((d.decorator_argspec for d in decorators if d.decorator_argspec is not None), None)
    return given if given is not None else _argspec_of(target)


def _argspec_of(target: Callable[..., Any]) -> Any:
    if not (inspect.isroutine(target) or inspect.isclass(target)):
        target = type(target).__call__  # an object that can be called
    found = inspect.getfullargspec(target.__init__ if inspect.isclass(target) else target)
    defaults = (found.defaults or ()) + tuple((found.kwonlydefaults or {}).values())
    return ArgSpec(found.args + found.kwonlyargs, found.varargs, found.varkw, defaults or None)


def _argspec_of_partial(obj):
    """Arguments that were given by position are gone; those given by name have that as their default."""
    inner = getargspec(obj.func)
    args, defaults = list(inner.args), list(inner.defaults or ())
    values = dict(zip(args[len(args) - len(defaults):], defaults))
    gone = len(obj.args)
    rest = args[gone:]
    values.update({name: value for name, value in obj.keywords.items() if name in rest})
    first = next((i for i, name in enumerate(rest) if name in values), len(rest))
    missing = [name for name in rest[first:] if name not in values]
    if missing:
        raise ValueError(f'Some arguments {missing} do not have default value, but they are positioned after those '
                         'with default values. This can not be expressed with ArgSpec.')
    return ArgSpec(rest, inner.varargs, getattr(inner, 'keywords', None) or getattr(inner, 'varkw', None),
                   tuple(values[name] for name in rest[first:]) or None)


publish(globals(), 'ArgSpec getargspec getfullargspec', 'python.util.tf_inspect')
_looks = _engine.namespace('python.util.tf_inspect')
for _name in 'currentframe stack Parameter Signature FullArgSpec getmembers ismethod isframe'.split():
    setattr(_looks, _name, getattr(inspect, _name))
for _name in ('getcallargs getdoc getfile getmodule getmro getsource getsourcefile getsourcelines isabstract isbuiltin isclass '
              'isfunction isgenerator isgeneratorfunction ismodule isroutine signature').split():
    setattr(_looks, _name, _through(_name))
