"""tensorflow.python.util: looking at functions through their decorators, as libraries and tests do that import it by its place.

`inspect` does most of it; only decorators that say so (`make_decorator`) are looked through.
"""
import functools
import inspect

from footlight import _engine


class TFDecorator:
    """What is known of a decorated function; without `decorator_func` calls go to the target."""

    def __init__(self, decorator_name, target, decorator_doc='', decorator_argspec=None):
        self.decorator_name, self.decorated_target = decorator_name, target
        self.decorator_doc, self.decorator_argspec = decorator_doc, decorator_argspec

    def __call__(self, *args, **kwargs):
        return self.decorated_target(*args, **kwargs)


def make_decorator(target, decorator_func, decorator_name=None, decorator_doc='', decorator_argspec=None):
    """Says that a function decorates another one, and gives it that one's name and words."""
    decorator = TFDecorator(decorator_name or inspect.currentframe().f_back.f_code.co_name, target, decorator_doc,
                            decorator_argspec)
    decorator_func._tf_decorator = decorator
    for name in ('__name__', '__qualname__', '__module__', '__doc__'):
        value = getattr(target, name, None)
        if value is not None:
            setattr(decorator_func, name, value)
    if hasattr(target, '__dict__'):
        for name, value in vars(target).items():
            decorator_func.__dict__.setdefault(name, value)
    decorator_func.__wrapped__ = target
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
    """Puts another function inside of all decorators; the result is the outermost of them."""
    outer = decorator_func
    while True:
        found = _decorator_of(outer)
        if found is None or outer is previous_target:
            return new_target if outer is decorator_func else decorator_func
        inner = found.decorated_target
        if inner is previous_target:
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
    return getfullargspec(fn.func if isinstance(fn, functools.partial) else fn).varkw is not None


def get_func_name(func):
    """The name of a function as source has it."""
    inner = _inner(func)
    if isinstance(inner, functools.partial):
        return get_func_name(inner.func)
    if not callable(inner):
        raise ValueError('Argument `func` must be a callable, not %r' % (func,))
    return getattr(inner, '__qualname__', None) or getattr(inner, '__name__', str(type(inner)))


def _place():
    for path, names in (('tf_decorator', 'TFDecorator make_decorator rewrap tf_decorator unwrap'),
                        ('function_utils', 'fn_args get_func_name has_kwargs')):
        module = _engine.namespace('python.util.' + path)
        for name in names.split():
            setattr(module, name, globals()[name])
    looks = _engine.namespace('python.util.tf_inspect')
    for name in 'currentframe stack Parameter Signature FullArgSpec getmembers'.split():
        setattr(looks, name, getattr(inspect, name))
    for name in ('getcallargs getdoc getfile getmodule getmro getsource getsourcefile getsourcelines isabstract isbuiltin isclass '
                 'isframe isfunction isgenerator isgeneratorfunction ismethod ismodule isroutine signature').split():
        setattr(looks, name, _through(name))
    looks.getfullargspec = looks.getargspec = getfullargspec
    looks.ismethod, looks.isframe = inspect.ismethod, inspect.isframe


_place()
