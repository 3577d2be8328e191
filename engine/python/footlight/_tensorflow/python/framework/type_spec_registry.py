"""tensorflow.python.framework.type_spec_registry: classes of specs by the names that files have for them."""
from __future__ import annotations

import footlight as tf
from footlight._tensorflow.publish import publish
from footlight._typing import Any, Callable


_NAME_TO_TYPE_SPEC: dict[str, type[Any]] = {}
_TYPE_SPEC_TO_NAME: dict[type[Any], str] = {}


def register(name: str) -> Callable[..., Any]:
    """Decorates a class of specs that files name."""
    def add(kind):
        if name in _NAME_TO_TYPE_SPEC:
            raise ValueError(f'Name {name} has already been registered for class {_NAME_TO_TYPE_SPEC[name]}.')
        _NAME_TO_TYPE_SPEC[name], _TYPE_SPEC_TO_NAME[kind] = kind, name
        return kind
    return add


def get_name(kind: Any) -> str:
    """The name that files have for a class of specs."""
    if kind not in _TYPE_SPEC_TO_NAME:
        raise ValueError(f'TypeSpec {kind} has not been registered.')
    return _TYPE_SPEC_TO_NAME[kind]


def lookup(name):
    """The class of specs that files call by this name."""
    if name not in _NAME_TO_TYPE_SPEC:
        raise ValueError(f'No TypeSpec has been registered with name {name!r}')
    return _NAME_TO_TYPE_SPEC[name]


def _register_own() -> None:
    for name in ('TensorSpec', 'SparseTensorSpec', 'RaggedTensorSpec', 'IndexedSlicesSpec', 'VariableSpec'):
        kind = getattr(tf, name, None)
        if kind is not None:
            register('tf.' + name)(kind)


publish(globals(), 'get_name lookup register _NAME_TO_TYPE_SPEC _TYPE_SPEC_TO_NAME')
_register_own()
