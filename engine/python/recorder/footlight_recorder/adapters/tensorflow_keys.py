"""What TensorFlow compares when it looks for a trace, as Footlight's own engine writes keys: one item for each parameter."""
from __future__ import annotations

import functools
import inspect
import itertools
import os
import re
import types
import weakref
from collections.abc import Mapping
from typing import Any

from footlight_recorder import keys
from footlight_recorder.observed.state_value import see

_PLAIN = (bool, int, float, complex, str, bytes)


class _Numbers:
    """Numbers of what keys name. Objects are known by weak references: equal ones have one number while they live."""

    def __init__(self) -> None:
        self._of_references: dict[Any, tuple[int, str]] = {}
        self._of_values: dict[Any, tuple[int, str]] = {}
        self._equals: dict[Any, tuple[Any, int]] = {}  # of objects whose class defines equality: reference and number
        self._next = itertools.count(1)

    def of_reference(self, reference: Any, value: Any) -> tuple[int, str]:
        """Of the object that a weak reference leads to; `value` is that object, or None if it is gone."""
        known = self._of_references.get(reference)
        if known is None:
            number = next(self._next)
            known = self._of_references[reference] = number, self._name(number, reference, value)
        return known

    def of_value(self, kind: str, value: Any, name: str, numbered: bool = False) -> tuple[int, str]:
        """Of what is compared by value: classes, code, members of enumerations."""
        key = (kind, type(value), value)
        try:
            known = self._of_values.get(key)
        except TypeError:  # not hashable
            key = (kind, type(value), id(value))
            known = self._of_values.get(key)
        if known is None:
            number = next(self._next)
            known = self._of_values[key] = number, f'{name[:-1]} {number}>' if numbered else name
        return known

    def _name(self, number: int, reference: Any, value: Any) -> str:
        if value is None:
            return f'<object {number}>'
        member = getattr(value, '_name_', None)
        if isinstance(member, str):  # of an enumeration
            return f'{type(value).__name__}.{member}'
        name = f'{type(value).__name__} object {number}'
        if getattr(type(value), '__eq__', None) is object.__eq__:
            return f'<{name}>'
        name = f'{type(value).__name__} value {number}'
        looks = (type(value), hash(reference), see(getattr(value, '__dict__', None)).print)
        before = self._equals.get(looks)
        self._equals[looks] = reference, number
        if before is not None and before[0]() is None:
            name += f' like {before[1]}'
        return f'<{name}>'


def function_under(function: Any) -> Any:
    """The user's function under decorators and partials."""
    for _ in range(50):
        wrapped = getattr(function, '__wrapped__', None)
        if callable(wrapped):
            function = wrapped
        elif isinstance(function, functools.partial):
            function = function.func
        else:
            break
    return function


def code_of(function: Any) -> types.CodeType | None:
    """The code object of a function, a method or an object that is called."""
    code = getattr(getattr(function, '__func__', function), '__code__', None)
    if code is None:
        code = getattr(getattr(type(function), '__call__', None), '__code__', None)
    return code if isinstance(code, types.CodeType) else None


class Described:
    """The items of a key, and whether other calls than those with this very key may be served."""
    __slots__ = ('names', 'items', 'general')

    def __init__(self) -> None:
        self.names: list[str] = []
        self.items: list[object] = []
        self.general = False


class Keys:
    """Describes function types, as `_recorder.key` takes them."""

    def __init__(self, tensor_spec: Any, variable_spec: Any, type_spec: Any) -> None:
        self._tensor_spec, self._variable_spec, self._type_spec = tensor_spec, variable_spec, type_spec
        self._numbers = _Numbers()
        self._contexts: dict[Any, int] = {}

    # ---- the context ------------------------------------------------------------------------------------------------

    def context(self, context: Any) -> int:
        """A number for what is compared besides the arguments; 0: as in the first trace."""
        inner: Any = getattr(context, 'context', None)
        fields = inner._asdict() if hasattr(inner, '_asdict') else {}
        graph = fields.get('parent_graph')
        text = repr((None if graph is None else id(graph),
                     [str(value) for value in fields.get('device_functions') or ()],
                     [str(value) for value in fields.get('colocation_stack') or ()],
                     fields.get('in_cross_replica_context'), str(fields.get('variable_policy')),
                     fields.get('xla_context_id')))
        return self._contexts.setdefault(text, len(self._contexts))

    # ---- arguments --------------------------------------------------------------------------------------------------

    def describe(self, function_type: Any, names: list[str], starred: tuple[str, str], values: Mapping[str, Any],
                 own: object = None) -> Described:
        """The items for the parameters of a definition.

        `starred`: its *args and **kwargs; `values`: arguments by the names of `function_type`, as far as they are known;
        `own`: the item of the object whose method it is.
        """
        made = Described()
        rest = dict(function_type.parameters)
        for name in names:
            made.names.append(name)
            if own is not None and name == names[0]:
                made.items.append(own)
            elif name == starred[0]:
                of_name = re.compile(re.escape(name) + r'_\d+$')
                taken = [key for key in rest if of_name.match(key)]
                made.items.append(tuple(self._parameter(rest.pop(key), values.get(key), made) for key in taken))
            elif name == starred[1]:
                taken = [key for key in rest if key not in names]
                made.items.append({key: self._parameter(rest.pop(key), values.get(key), made) for key in sorted(taken)})
            elif name in rest:
                made.items.append(self._parameter(rest.pop(name), values.get(name), made))
            else:  # a default that TensorFlow leaves out of the type
                made.items.append(self.plain(values.get(name)))
        for name, parameter in rest.items():
            made.names.append(name)
            made.items.append(self._parameter(parameter, values.get(name), made))
        return made

    def _parameter(self, parameter: Any, value: Any, made: Described) -> object:
        return self.item(parameter.type_constraint, value, made)

    def item(self, of: Any, value: Any, made: Described) -> object:
        """The item for a trace type; `value` is what it was made of, or None."""
        kind = type(of).__name__
        if isinstance(of, self._tensor_spec) and hasattr(of, 'shape'):
            return keys.tensor(of.dtype.name, self._shape(of.shape, made))
        if self._variable_spec is not None and isinstance(of, self._variable_spec):
            alias = getattr(of, 'alias_id', None)
            return keys.Leaf('variable', dtype=of.dtype.name, shape=self._shape(of.shape, made),
                             trainable=bool(of.trainable), number=alias if isinstance(alias, int) else 0)
        if kind == 'Literal':
            return self.plain(float('nan') if type(of.value).__name__ == 'object' else of.value)
        if kind == 'Weakref':
            return self.reference(of._ref, value)
        if kind == 'Reference':
            return self.item(of.base, value, made)
        if kind in ('Tuple', 'List'):
            parts = of.components if kind == 'Tuple' else of.components_tuple.components
            held = list(value) if isinstance(value, (list, tuple)) else []
            items = [self.item(part, held[at] if at < len(held) else None, made) for at, part in enumerate(parts)]
            return tuple(items) if kind == 'Tuple' else items
        if kind in ('NamedTuple', 'Attrs'):
            named = of if kind == 'NamedTuple' else of.named_attributes
            parts = named.attributes.components
            name = f'{named.type_name}({",".join(named.attribute_names)})'
            number = self._numbers.of_value('fields', name, name)[0]
            held = [getattr(value, attribute, None) for attribute in named.attribute_names]
            return keys.Leaf('namedtuple' if kind == 'NamedTuple' else 'fields', number=number, name=name,
                             parts=tuple(self.item(part, held[at], made) for at, part in enumerate(parts)))
        if kind == 'Dict':
            given = value if isinstance(value, Mapping) else {}
            return {self._entry(key): self.item(part, given.get(key), made) for key, part in of.mapping.items()}
        made.general = True
        if isinstance(of, self._type_spec):
            return self.composite(of, made)
        return self.named('custom', (type(of).__qualname__, hash(of)), type(of).__name__)

    def composite(self, spec: Any, made: Described) -> object:
        """What consists of tensors: a tuple of its class and the tensors, as our engine writes it."""
        held = getattr(spec, '_element_spec', None)
        if held is None:
            held = getattr(spec, '_component_specs', None)
        name = type(spec).__name__.removesuffix('Spec')
        rank = getattr(spec, '_ragged_rank', None)
        head = self.named('custom', (type(spec).__qualname__, rank), name if rank is None else f'{name} of rank {rank}')
        items = self.structure(held, made)
        return (head, *items) if isinstance(items, tuple) else (head, items)

    def structure(self, specs: Any, made: Described) -> object:
        """Nested specs, as of the elements of a dataset."""
        if specs is None or type(specs) in _PLAIN:
            return specs
        if isinstance(specs, (tuple, list)):
            return tuple(self.structure(one, made) for one in specs)
        if isinstance(specs, Mapping):
            return {self._entry(key): self.structure(one, made) for key, one in specs.items()}
        return self.item(specs, None, made)

    def _shape(self, shape: Any, made: Described) -> tuple[int | None, ...] | None:
        sizes = None if shape.rank is None else tuple(shape.as_list())
        made.general = made.general or sizes is None or None in sizes
        return sizes

    @staticmethod
    def _entry(key: object) -> object:
        return key if type(key) in _PLAIN else repr(key)

    # ---- values -----------------------------------------------------------------------------------------------------

    def plain(self, value: Any) -> object:
        """What is compared by value."""
        if value is None or value is Ellipsis or type(value) in _PLAIN:
            return value
        if isinstance(value, (type, types.ModuleType)):
            return self.named('type', value, getattr(value, '__name__', '?'))
        name = getattr(value, '_name_', None)
        if isinstance(name, str):  # a member of an enumeration
            return self.named('object', value, f'{type(value).__name__}.{name}')
        return self.named('object', value, f'<{type(value).__name__} object>', numbered=True)

    def reference(self, reference: Any, value: Any) -> object:
        """An object that is compared by identity, or by equality while it lives."""
        alive = reference()
        if value is None or (alive is not None and alive is not value):
            value = alive
        if isinstance(value, type):
            return self.named('type', value, value.__name__)
        number, name = self._numbers.of_reference(reference, value)
        leaf = keys.Leaf('object', number=number, name=name)
        under = function_under(value)
        code = code_of(under)
        if code is not None and isinstance(under, (types.FunctionType, types.MethodType)):
            of_code = f'{under.__qualname__} ({os.path.basename(code.co_filename)}:{code.co_firstlineno})'
            return keys.Leaf('callable', number=self._numbers.of_value('code', of_code, of_code)[0], name=of_code,
                             parts=(leaf,))
        return leaf

    def object_of(self, reference: weakref.ref[Any]) -> object:
        """The item of the object whose method is called."""
        try:
            number, name = self._numbers.of_reference(reference, reference())
        except TypeError:  # not hashable
            value = reference()
            number, name = self._numbers.of_value('self', id(value), f'<{type(value).__name__} object>', numbered=True)
        return keys.Leaf('object', number=number, name=name)

    def named(self, kind: str, value: Any, name: str, numbered: bool = False) -> keys.Leaf:
        """What stands in a key by its number."""
        number, first_name = self._numbers.of_value(kind, value, name, numbered)
        return keys.Leaf(kind, number=number, name=first_name)


def parameters_of(function: Any) -> tuple[list[str], tuple[str, str]]:
    """The names of a definition's parameters, and those of *args and **kwargs, which are '' where there are none."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return [], ('', '')
    starred = [next((name for name, p in parameters.items() if p.kind is kind), '')
               for kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)]
    return list(parameters), (starred[0], starred[1])
