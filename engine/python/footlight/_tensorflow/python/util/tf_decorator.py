"""tensorflow.python.util.tf_decorator: functions that say which function they decorate."""
from __future__ import annotations

import functools
import inspect

from footlight._tensorflow.publish import publish
from footlight._typing import Any, Callable


def _signature_of(argspec):
    """The signature that a FullArgSpec says."""
    kind, empty = inspect.Parameter, inspect.Parameter.empty
    notes, values = getattr(argspec, 'annotations', None) or {}, list(argspec.defaults or ())
    values = [empty] * (len(argspec.args) - len(values)) + values
    found = [kind(name, kind.POSITIONAL_OR_KEYWORD, default=value, annotation=notes.get(name, empty))
             for name, value in zip(argspec.args, values)]
    if argspec.varargs:
        found.append(kind(argspec.varargs, kind.VAR_POSITIONAL))
    given = getattr(argspec, 'kwonlydefaults', None) or {}
    found += [kind(name, kind.KEYWORD_ONLY, default=given.get(name, empty), annotation=notes.get(name, empty))
              for name in getattr(argspec, 'kwonlyargs', ())]
    more = getattr(argspec, 'varkw', None) or getattr(argspec, 'keywords', None)
    return inspect.Signature(found + ([kind(more, kind.VAR_KEYWORD)] if more else []))


class TFDecorator:
    """What is known of a decorated function; without `decorator_func` calls go to the target."""

    def __init__(self, decorator_name: str, target: Any, decorator_doc: str = '',
                 decorator_argspec: Any = None) -> None:
        self.decorator_name, self.decorated_target = decorator_name, target
        self.decorator_doc, self.decorator_argspec = decorator_doc, decorator_argspec
        for name in ('__name__', '__qualname__'):
            if hasattr(target, name):
                setattr(self, name, getattr(target, name))
        self.__doc__ = decorator_doc or getattr(target, '__doc__', None) or ''
        if decorator_argspec is not None:
            self.__signature__ = _signature_of(decorator_argspec)
        elif callable(target):
            try:
                self.__signature__ = inspect.signature(target)
            except (TypeError, ValueError):
                pass  # a built-in function has none

    _decorated_target = property(lambda self: self.decorated_target)

    def __get__(self, instance, owner):
        return self.decorated_target.__get__(instance, owner) if hasattr(self.decorated_target, '__get__') else self

    def __call__(self, *args, **kwargs):
        return self.decorated_target(*args, **kwargs)


def _instance_of(target: Callable[..., Any]) -> Any:
    """What the first method among a function and those that it decorates is a method of."""
    for one in [target, *(decorator.decorated_target for decorator in unwrap(target)[0])]:
        if inspect.ismethod(one):
            return one.__self__
    return None


def make_decorator(target, decorator_func, decorator_name=None, decorator_doc='', decorator_argspec=None):
    """Says that a function decorates another one, and gives it that one's name and words."""
    decorator = TFDecorator(decorator_name or inspect.currentframe().f_back.f_code.co_name, target, decorator_doc,
                            decorator_argspec)
    decorator_func._tf_decorator = decorator
    for name in ('__name__', '__qualname__', '__module__', '__doc__'):
        value = getattr(target, name, None)
        if value is not None:
            setattr(decorator_func, name, value)
    if decorator_doc:
        decorator_func.__doc__ = decorator_doc
    if hasattr(target, '__dict__'):
        for name, value in vars(target).items():
            decorator_func.__dict__.setdefault(name, value)
    decorator_func.__wrapped__ = decorator_func.__original_wrapped__ = target
    signature = getattr(decorator, '__signature__', None)
    if signature is None:
        return decorator_func
    instance = _instance_of(target) if decorator_argspec is None else None
    if instance is not None and next(iter(signature.parameters), None) == 'self':  # of the function behind a method
        signature = signature.replace(parameters=list(signature.parameters.values())[1:])
        decorator_func.__self__ = instance
    decorator_func.__signature__ = signature
    return decorator_func


def tf_decorator(decorator: Any) -> Callable[..., Any]:
    """Decorates a decorator, which then may be used with and without arguments."""
    @functools.wraps(decorator)
    def decorate(target=None, **options):
        made = (lambda f: make_decorator(f, decorator(f, **options), decorator.__name__))
        return made if target is None else made(target)
    return decorate


def _decorator_of(function: Callable[..., Any]) -> TFDecorator | None:
    return function if isinstance(function, TFDecorator) else getattr(function, '_tf_decorator', None)


def unwrap(maybe_tf_decorator: Callable[..., Any]) -> tuple[Any, ...]:
    """The decorators of a function, the outermost first, and the function itself."""
    decorators, target = [], maybe_tf_decorator
    while (found := _decorator_of(target)) is not None:
        decorators.append(found)
        target = found.decorated_target
    return decorators, target


def rewrap(decorator_func, previous_target, new_target):
    """Puts another function in the place of `previous_target`, or of the innermost one, inside of the decorators."""
    outer = decorator_func
    if _decorator_of(outer) is None or outer is previous_target:
        return new_target
    while True:
        found = _decorator_of(outer)
        inner = found.decorated_target
        if inner is previous_target or _decorator_of(inner) is None:
            found.decorated_target = new_target
            function = getattr(outer, '__func__', outer)
            if function is not found:
                function.__wrapped__ = new_target
            return decorator_func
        outer = inner


publish(globals())
publish(globals(), 'make_decorator unwrap', '__internal__.decorator')
