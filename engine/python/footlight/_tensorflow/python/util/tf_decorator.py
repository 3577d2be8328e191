"""tensorflow.python.util: looking at functions through their decorators, as libraries and tests do that import it by its place.

`inspect` does most of it; only decorators that say so (`make_decorator`) are looked through.
"""
import collections
import functools
import inspect

from footlight import _engine


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

    def __init__(self, decorator_name, target, decorator_doc='', decorator_argspec=None):
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


def _instance_of(target):
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


def tf_decorator(decorator):
    """Decorates a decorator, which then may be used with and without arguments."""
    @functools.wraps(decorator)
    def decorate(target=None, **options):
        made = (lambda f: make_decorator(f, decorator(f, **options), decorator.__name__))
        return made if target is None else made(target)
    return decorate


def _decorator_of(function):
    return function if isinstance(function, TFDecorator) else getattr(function, '_tf_decorator', None)


def unwrap(maybe_tf_decorator):
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


def _inner(function):
    return unwrap(function)[1]


def _through(name):
    f = getattr(inspect, name)

    @functools.wraps(f)
    def look(object, *args, **kwargs):
        return f(_inner(object), *args, **kwargs)
    return look


def getfullargspec(obj):
    """The arguments of a function, or of the decorator that gives others."""
    decorators, target = unwrap(obj)
    given = next((d.decorator_argspec for d in decorators if d.decorator_argspec is not None), None)
    return given if given is not None else inspect.getfullargspec(target)


ArgSpec = collections.namedtuple('ArgSpec', 'args varargs keywords defaults')


def getargspec(obj):
    """The arguments of a function that a call may give by position or by name."""
    if isinstance(obj, functools.partial):
        return _argspec_of_partial(obj)
    decorators, target = unwrap(obj)
    given = next((d.decorator_argspec for d in decorators if d.decorator_argspec is not None), None)
    return given if given is not None else _argspec_of(target)


def _argspec_of(target):
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
        raise ValueError('Some arguments %s do not have default value, but they are positioned after those with default '
                         'values. This can not be expressed with ArgSpec.' % missing)
    return ArgSpec(rest, inner.varargs, getattr(inner, 'keywords', None) or getattr(inner, 'varkw', None),
                   tuple(values[name] for name in rest[first:]) or None)


def fn_args(fn):
    """The names of the positional arguments that a call may give."""
    if isinstance(fn, functools.partial):
        return tuple(name for name in fn_args(fn.func)[len(fn.args):] if name not in fn.keywords)
    if not (inspect.isfunction(fn) or inspect.ismethod(fn) or inspect.isclass(fn)) and (
            inspect.isroutine(fn) or not hasattr(fn, '__call__')):
        raise TypeError('unsupported callable')
    if not inspect.isfunction(getattr(fn, '__func__', fn)) and hasattr(fn, '__wrapped__'):
        return ()  # what stands in front of a function takes any arguments
    target = fn if inspect.isroutine(fn) or inspect.isclass(fn) else fn.__call__
    names = getfullargspec(target).args
    return tuple(names[1:] if inspect.ismethod(target) and names else names)


def has_kwargs(fn):
    """Whether a function takes any keyword."""
    if not callable(fn):
        raise TypeError('Argument `fn` should be a callable, not %r' % (fn,))
    return getfullargspec(fn.func if isinstance(fn, functools.partial) else fn).varkw is not None


def get_func_name(func):
    """The name of a function as source has it."""
    inner = _inner(func)
    if not callable(inner):
        raise ValueError('Argument `func` must be a callable, not %r' % (func,))
    if inspect.ismethod(inner):
        return '%s.%s' % (type(inner.__self__).__name__, inner.__func__.__name__)
    return inner.__name__ if inspect.isfunction(inner) or inspect.isbuiltin(inner) else str(type(inner))


def get_func_code(func):
    """The code of a function, of the method that an object is called by; None for a functools.partial."""
    inner = _inner(func)
    if not callable(inner):
        raise ValueError('Argument `func` must be a callable, not %r' % (func,))
    if inspect.isfunction(inner) or inspect.ismethod(inner):
        return inner.__code__
    return getattr(getattr(inner, '__call__', None), '__code__', None)


def _place():
    for path, names in (('tf_decorator', 'TFDecorator make_decorator rewrap tf_decorator unwrap'),
                        ('function_utils', 'fn_args get_func_code get_func_name has_kwargs')):
        module = _engine.namespace('python.util.' + path)
        for name in names.split():
            setattr(module, name, globals()[name])
    looks = _engine.namespace('python.util.tf_inspect')
    for name in 'currentframe stack Parameter Signature FullArgSpec getmembers'.split():
        setattr(looks, name, getattr(inspect, name))
    for name in ('getcallargs getdoc getfile getmodule getmro getsource getsourcefile getsourcelines isabstract isbuiltin isclass '
                 'isframe isfunction isgenerator isgeneratorfunction ismethod ismodule isroutine signature').split():
        setattr(looks, name, _through(name))
    looks.ArgSpec, looks.getargspec, looks.getfullargspec = ArgSpec, getargspec, getfullargspec
    looks.ismethod, looks.isframe = inspect.ismethod, inspect.isframe


_place()
