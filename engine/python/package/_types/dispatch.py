"""tf.experimental.dispatch_for_api and the like: what functions of the library do with a program's own types."""
import functools
import inspect
import typing

import footlight as tf
from footlight._ragged import ops as _ragged_ops
from footlight._sparse.values import key

_UNARY, _BINARY, _ASSERT, _API = range(4)
_rules = []  # (what it is for, the function of the library or None, what arguments are to be, the program's function)
_ASSERT_NAMES = tuple('debugging.assert_' + name for name in (
    'equal', 'greater', 'greater_equal', 'less', 'less_equal', 'near', 'none_equal'))


_keys = {}


def _is(kind, function):
    if kind not in _keys:
        _keys[kind] = {_ragged_ops._key_of(name) for name in (
            [*_ragged_ops.UNARY.split(), 'ones_like', 'zeros_like'] if kind == _UNARY else
            _ragged_ops.BINARY.split() if kind == _BINARY else _ASSERT_NAMES)}
    return key(function) in _keys[kind]


def _fits(wanted, value):
    if typing.get_origin(wanted) is list:
        return isinstance(value, (list, tuple)) and all(_fits(typing.get_args(wanted)[0], one) for one in value)
    if typing.get_origin(wanted) is typing.Union:
        return any(_fits(part, value) for part in typing.get_args(wanted))
    return isinstance(value, wanted) if isinstance(wanted, type) else True


def dispatched(function, args, kwargs):
    """What the program's function gives, or NotImplemented where it has none for these arguments."""
    for kind, api, wanted, own in reversed(_rules):
        if kind == _API:
            if key(api) != key(function):
                continue
            try:
                bound = inspect.signature(function).bind(*args, **kwargs).arguments
            except TypeError:
                continue
            if all(_fits(w, bound.get(name)) for name, w in wanted.items() if name in bound) and set(wanted) <= set(bound):
                return own(*args, **kwargs)
        elif _is(kind, function):
            try:
                bound = inspect.signature(function).bind(*args, **kwargs).arguments
            except TypeError:
                continue
            given, names = list(bound.values())[:len(wanted)], list(bound)
            if len(given) == len(wanted) and all(map(_fits, wanted, given)):
                more = {name: bound[name] for name in names[len(wanted):]}
                return own(functools.partial(function, **more) if more else function, *given)
    return NotImplemented


def dispatch_for_api(api, *signatures):
    """A decorator: what `api` does where the arguments have the types that a signature or the annotations say."""
    def add(own):
        parameters = list(inspect.signature(api).parameters)
        for signature in signatures or (typing.get_type_hints(own),):
            wanted = {parameters[name] if isinstance(name, int) else name: kind for name, kind in signature.items()
                      if name != 'return'}
            unknown = [name for name in wanted if name not in parameters]
            if unknown or not wanted:
                raise ValueError('dispatch_for_api: %s has the parameters %s, not %s' % (
                    getattr(api, '__name__', api), parameters, unknown or 'none'))
            _rules.append((_API, api, wanted, own))
        return own
    return add


def _elementwise(kind, *types):
    def add(own):
        _rules.append((kind, None, types, own))
        return own
    return add


def dispatch_for_unary_elementwise_apis(x_type):
    """A decorator of function(api, x): what functions of each element do with such a value."""
    return _elementwise(_UNARY, x_type)


def dispatch_for_binary_elementwise_apis(x_type, y_type):
    """A decorator of function(api, x, y): what functions of two values' elements do with such values."""
    return _elementwise(_BINARY, x_type, y_type)


def dispatch_for_binary_elementwise_assert_apis(x_type, y_type):
    """A decorator of function(api, x, y): what assertions on two values' elements do with such values."""
    return _elementwise(_ASSERT, x_type, y_type)


def unregister_dispatch_for(dispatch_target):
    """Takes back what a decorator above added."""
    before = len(_rules)
    _rules[:] = [rule for rule in _rules if rule[3] is not dispatch_target]
    if len(_rules) == before:
        raise ValueError('Function %s was not registered.' % (dispatch_target,))


for _f in (dispatch_for_api, dispatch_for_binary_elementwise_apis, dispatch_for_binary_elementwise_assert_apis,
           dispatch_for_unary_elementwise_apis, unregister_dispatch_for):
    _f.__module__ = 'footlight.experimental'
    setattr(tf.experimental, _f.__name__, _f)
