"""tf.experimental.dispatch_for_api and the like: what functions of the library do with a program's own types."""
from __future__ import annotations

import contextlib
import functools
import inspect
import types
import typing

import footlight as tf
from footlight._public import publish
from footlight._ragged import dispatch as _dispatch
from footlight._sparse.dispatch import key
from footlight._typing import Any, Callable

_UNARY, _BINARY, _ASSERT, _API = range(4)
_KIND_NAMES = 'unary elementwise', 'binary elementwise', 'binary elementwise assert'
_rules: list[tuple[Any, ...]] = []  # (what it is for, the function of the library or None, what arguments are to be, the program's function)
_ASSERT_NAMES = tuple('debugging.assert_' + name for name in (
    'equal', 'greater', 'greater_equal', 'less', 'less_equal', 'near', 'none_equal'))


_UNIONS = typing.Union, types.UnionType  # Union[A, B] and A | B
_keys: dict[Any, Any] = {}


def _is(kind: int, function: Callable[..., Any]) -> bool:
    if kind not in _keys:
        _keys[kind] = {_dispatch._key_of(name) for name in (
            [*_dispatch.UNARY.split(), 'ones_like', 'zeros_like'] if kind == _UNARY else
            _dispatch.BINARY.split() if kind == _BINARY else _ASSERT_NAMES)}
    return key(function) in _keys[kind]


def _fits(wanted: Any, value: Any) -> bool:
    if typing.get_origin(wanted) is list:
        return isinstance(value, (list, tuple)) and all(_fits(typing.get_args(wanted)[0], one) for one in value)
    if typing.get_origin(wanted) in _UNIONS:
        return any(_fits(part, value) for part in typing.get_args(wanted))
    return isinstance(value, wanted) if isinstance(wanted, type) else True


def dispatched(function, args, kwargs):
    """What the program's function gives, or NotImplemented where it has none for these arguments."""
    for kind, api, wanted, own in reversed(_rules):
        if kind == _API:
            if key(api) != key(function):
                continue
            try:
                bound = inspect.signature(function).bind(*args, **kwargs)
            except TypeError:
                continue
            bound.apply_defaults()
            given = bound.arguments
            if all(name in given and _fits(w, given[name]) for name, w in wanted.items()):
                if 'name' not in given or _takes_name(own):
                    return own(*args, **kwargs)
                with _scope_of(given.pop('name')):
                    return own(*bound.args, **bound.kwargs)
        elif _is(kind, function):
            try:
                bound = inspect.signature(function).bind(*args, **kwargs).arguments
            except TypeError:
                continue
            given, names = list(bound.values())[:len(wanted)], list(bound)
            if len(given) == len(wanted) and all(map(_fits, wanted, given)):
                more = {name: bound[name] for name in names[len(wanted):]}
                with _scope_of(more.pop('name', None)):
                    return own(functools.partial(function, **more) if more else function, *given)
    return NotImplemented


def _scope_of(name: str | None) -> Any:
    return contextlib.nullcontext() if name is None else tf.name_scope(name)


def _takes_name(own: Callable[..., Any]) -> bool:
    return any(p.name == 'name' or p.kind == p.VAR_KEYWORD for p in inspect.signature(own).parameters.values())


def _without_annotations(signature):
    return signature.replace(parameters=[p.replace(annotation=p.empty) for p in signature.parameters.values()],
                             return_annotation=signature.empty)


def _check_parameters(api: Callable[..., Any], own: Callable[..., Any]) -> None:
    """The program's function takes what the API takes, except a name, for which a scope is entered."""
    wanted, given = _without_annotations(inspect.signature(api)), _without_annotations(inspect.signature(own))
    is_open = any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for one in (wanted, given) for p in one.parameters.values())
    if not is_open and list(given.parameters) not in (list(wanted.parameters), [n for n in wanted.parameters if n != 'name']):
        raise ValueError(f"Dispatch function's signature {given} does not match API's signature {wanted}.")


def _check_annotation(kind: Any) -> None:
    """Refuses what values cannot be compared with: types, lists of a type and unions of types can be."""
    origin = typing.get_origin(kind)
    if origin in (list, *_UNIONS):
        for part in typing.get_args(kind):
            _check_annotation(part)
    elif origin is not None:
        raise ValueError(f'Type annotation {kind} is not currently supported by dispatch.  Supported annotations: types, '
                         'List[...] and Union[...]')


def dispatch_for_api(api: Callable[..., Any], *signatures: Any) -> Callable[..., Any]:
    """A decorator: what `api` does where the arguments have the types that a signature or the annotations say."""
    for signature in signatures:
        if not isinstance(signature, dict) or not all(isinstance(name, (int, str)) for name in signature):
            raise TypeError('signatures must be dictionaries mapping parameter names to type annotations, got '
                            f'{signature!r}')

    def add(own):
        if not callable(own):
            raise TypeError(f'Expected dispatch_target to be callable; got {own!r}')
        all_parameters = inspect.signature(api).parameters
        parameters = list(all_parameters)
        _check_parameters(api, own)
        for signature in signatures or (typing.get_type_hints(own),):
            wanted = {parameters[name] if isinstance(name, int) else name: kind for name, kind in signature.items()
                      if name != 'return'}
            if not wanted:
                raise ValueError('dispatch_for_api must be called with at least one signature, or with a function that has '
                                 f'annotations of the parameters {parameters}')
            for name in wanted:
                if name not in parameters:
                    raise ValueError(f'signature includes annotation for unknown parameter {name!r}. '
                                     f'{getattr(api, "__name__", api)} has the parameters {parameters}')
                if all_parameters[name].kind == inspect.Parameter.KEYWORD_ONLY:
                    raise ValueError('Dispatch currently only supports type annotations for positional parameters, and '
                                     f'{name!r} is given by its name only')
            for kind in wanted.values():
                _check_annotation(kind)
            _rules.append((_API, api, wanted, own))
        return own
    return add


def _elementwise(kind: int, *types: Any) -> Callable[..., Any]:
    def add(own):
        for known, _, wanted, other in _rules:
            if (known, wanted) == (kind, types):
                raise ValueError(f'A {_KIND_NAMES[kind]} dispatch handler ({other}) has already been registered for {types}')
        _rules.append((kind, None, types, own))
        return own
    return add


def dispatch_for_unary_elementwise_apis(x_type: Any) -> Callable[..., Any]:
    """A decorator of function(api, x): what functions of each element do with such a value."""
    return _elementwise(_UNARY, x_type)


def dispatch_for_binary_elementwise_apis(x_type: Any, y_type: Any) -> Callable[..., Any]:
    """A decorator of function(api, x, y): what functions of two values' elements do with such values."""
    return _elementwise(_BINARY, x_type, y_type)


def dispatch_for_binary_elementwise_assert_apis(x_type, y_type):
    """A decorator of function(api, x, y): what assertions on two values' elements do with such values."""
    return _elementwise(_ASSERT, x_type, y_type)


def unregister_dispatch_for(dispatch_target: Callable[..., Any]) -> None:
    """Takes back what a decorator above added."""
    before = len(_rules)
    _rules[:] = [rule for rule in _rules if rule[3] is not dispatch_target]
    if len(_rules) == before:
        raise ValueError(f'Function {dispatch_target} was not registered.')


publish('tf.experimental', dispatch_for_api, dispatch_for_binary_elementwise_apis,
        dispatch_for_binary_elementwise_assert_apis, dispatch_for_unary_elementwise_apis, unregister_dispatch_for)
