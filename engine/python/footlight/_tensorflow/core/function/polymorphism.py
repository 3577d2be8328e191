"""tensorflow.core.function.polymorphism: the types of functions, as relations between what they take, and tables of them.

Loaded lazily. Concrete functions describe their types with it (_types/function_types.py).
"""
from __future__ import annotations

import collections
import inspect
import logging

import footlight as tf
from footlight._public import alias
from footlight._tensorflow.core.function import trace_type as _trace_type
from footlight._typing import Any, Callable

_home: Any = tf.types.experimental  # its FunctionType is made when it is asked for
_KINDS = inspect.Parameter


class CapturedDefaultValue:
    """Stands for a default value in a type, which does not hold it."""

    def __repr__(self) -> str:
        return '<captured_default_value>'

    def __reduce__(self) -> str:
        return 'CAPTURED_DEFAULT_VALUE'


CAPTURED_DEFAULT_VALUE = CapturedDefaultValue()


class Parameter(inspect.Parameter):
    """A parameter with its type, or None where any value will do."""
    __slots__ = ()

    def __init__(self, name: str, kind: Any, optional: bool, type_constraint: Any) -> None:
        if optional and kind not in (self.POSITIONAL_ONLY, self.KEYWORD_ONLY, self.POSITIONAL_OR_KEYWORD):
            raise ValueError(f'Parameter {name} is optional and its kind is not one that may be: {kind}.')
        super().__init__(sanitize_arg_name(name) if not name.isidentifier() else name, kind,
                         default=CAPTURED_DEFAULT_VALUE if optional else self.empty,
                         annotation=self.empty if type_constraint is None else type_constraint)

    optional = property(lambda self: self.default is not self.empty, doc='Whether it may be left out.')
    type_constraint = property(lambda self: None if self.annotation is self.empty else self.annotation,
                               doc='Its type, or None.')

    def _same_place(self, other):
        if self.type_constraint is None or other.type_constraint is None:
            raise TypeError('Can not determine relationship between partially specified types.')
        return (self.name, self.kind, self.optional) == (other.name, other.kind, other.optional)

    def is_subtype_of(self, other):
        """Whether every value for it serves the other."""
        return self._same_place(other) and self.type_constraint.is_subtype_of(other.type_constraint)

    def most_specific_common_supertype(self, others):
        """A parameter that takes what any of them takes, or None."""
        if not all([self._same_place(other) for other in others]):
            return None
        found = self.type_constraint.most_specific_common_supertype([other.type_constraint for other in others])
        return None if found is None else Parameter(self.name, self.kind, self.optional, found)

    def __eq__(self, other: Any) -> bool:
        if not isinstance(other, Parameter):
            return NotImplemented
        return (self.name, self.kind, self.optional, self.type_constraint) == (
            other.name, other.kind, other.optional, other.type_constraint)

    def __hash__(self) -> int:
        return hash((self.name, self.kind, self.optional, self.type_constraint))

    def __reduce__(self) -> tuple[Any, ...]:
        return Parameter, (self.name, self.kind, self.optional, self.type_constraint)

    def __repr__(self) -> str:
        return (f'Parameter(name={self.name}, kind={self.kind.name}, optional={self.optional!r}, '
                f'type_constraint={self.type_constraint!r})')


class FunctionType(_home.FunctionType):
    """The parameters of a function, the types of what it captures, and the type of what it returns."""
    __slots__ = ('_captures',)

    def __init__(self, parameters: Any, captures: Any = None, **kwargs: Any) -> None:
        super().__init__(parameters, **kwargs)
        self._captures = collections.OrderedDict(captures or {})

    captures = property(lambda self: self._captures, doc='The types of what it captures, by name or number.')
    output = property(lambda self: None if self.return_annotation is self.empty else self.return_annotation,
                      doc='The type of what it returns, or None.')

    @classmethod
    def from_callable(cls, obj: Callable[..., Any], *, follow_wrapped: bool = True) -> FunctionType:
        """That of a Python function: its parameters take anything."""
        own = inspect.signature(obj, follow_wrapped=follow_wrapped)
        return FunctionType([Parameter(p.name, p.kind, p.default is not p.empty, None) for p in own.parameters.values()])

    @classmethod
    def get_default_values(cls, obj: Callable[..., Any], *, follow_wrapped: bool = True) -> dict[Any, Any]:
        """The default values of a Python function by name."""
        own = inspect.signature(obj, follow_wrapped=follow_wrapped)
        return {p.name: p.default for p in own.parameters.values() if p.default is not p.empty}

    def bind_with_defaults(self, args, kwargs, default_values):
        """The arguments by parameter, with the default values for those left out."""
        bound = self.bind(*args, **kwargs)
        bound.apply_defaults()
        for name, value in bound.arguments.items():
            if value is CAPTURED_DEFAULT_VALUE:
                bound.arguments[name] = default_values[name]
        return bound

    def is_supertype_of(self, other: Any) -> bool:
        """Whether the other may be called wherever this one is: for what this takes, with what this captures."""
        mine, theirs = list(self.parameters.values()), list(other.parameters.values())
        if len(mine) != len(theirs) or not all([a.is_subtype_of(b) for a, b in zip(mine, theirs)]):
            return False
        return all(name in other.captures and kind.is_subtype_of(other.captures[name])
                   for name, kind in self.captures.items())

    def most_specific_common_subtype(self, others):
        """A type of functions that may be called wherever any of them is, or None."""
        lists = [list(one.parameters.values()) for one in (self, *others)]
        if len({len(one) for one in lists}) != 1:
            return None
        parameters = [first.most_specific_common_supertype(list(rest)) for first, *rest in zip(*lists)]
        if any(one is None for one in parameters):
            return None
        captures = collections.OrderedDict()
        for one in (self, *others):
            for name, kind in one.captures.items():
                captures.setdefault(name, []).append(kind)
        captures = collections.OrderedDict(
            (name, first.most_specific_common_supertype(rest)) for name, (first, *rest) in captures.items())
        return None if any(kind is None for kind in captures.values()) else FunctionType(parameters, captures)

    def placeholder_arguments(self, placeholder_context):
        """What the function gets while it is traced, by parameter."""
        arguments = collections.OrderedDict()
        for parameter in self.parameters.values():
            if parameter.kind in (_KINDS.VAR_POSITIONAL, _KINDS.VAR_KEYWORD) or parameter.type_constraint is None:
                raise ValueError('Can not generate placeholder value for partially defined function type.')
            if hasattr(placeholder_context, 'update_naming_scope'):
                placeholder_context.update_naming_scope(parameter.name)
            arguments[parameter.name] = parameter.type_constraint.placeholder_value(placeholder_context)
        return inspect.BoundArguments(self, arguments)

    def _in_order(self) -> Any:
        """Those given by name last, by name: the order of flat inputs."""
        named = [p for p in self.parameters.values() if p.kind is _KINDS.KEYWORD_ONLY]
        return ([p for p in self.parameters.values() if p.kind is not _KINDS.KEYWORD_ONLY]
                + sorted(named, key=lambda p: p.name))

    flat_inputs = property(lambda self: [spec for p in self._in_order() for spec in p.type_constraint.flatten()],
                           doc='The specs of the tensors that it takes.')
    flat_captures = property(lambda self: [spec for kind in self.captures.values() for spec in kind.flatten()],
                             doc='The specs of the tensors that it captures.')
    flat_outputs = property(lambda self: [] if self.output is None else self.output.flatten(),
                            doc='The specs of the tensors that it returns.')

    def unpack_inputs(self, bound_parameters):
        """The tensors of arguments."""
        tensors = [t for p in self._in_order() for t in p.type_constraint.to_tensors(bound_parameters.arguments[p.name])]
        if len(tensors) != len(self.flat_inputs):
            raise TypeError(f'Expected {len(self.flat_inputs)} tensors as arguments, got {len(tensors)}.')
        return tensors

    def unpack_captures(self, captures):
        """The tensors of what is captured."""
        tensors = [t for kind, value in zip(self.captures.values(), captures) for t in kind.to_tensors(value)]
        if len(tensors) != len(self.flat_captures):
            raise TypeError(f'Expected {len(self.flat_captures)} captures, got {len(tensors)}.')
        return tensors

    def pack_output(self, flat_values):
        """The result made of its tensors."""
        values = [] if flat_values is None else list(flat_values)
        if self.output is None:
            raise ValueError('Can not pack outputs for undefined output type.')
        if len(values) != len(self.flat_outputs):
            raise TypeError(f'Expected {len(self.flat_outputs)} tensors as outputs, got {len(values)}.')
        return self.output.from_tensors(iter(values))

    def __eq__(self, other: Any) -> bool:
        if not isinstance(other, FunctionType):
            return NotImplemented
        return (list(self.parameters.values()), self.captures) == (list(other.parameters.values()), other.captures)

    def __hash__(self) -> int:
        return hash((tuple(self.parameters.values()), tuple(self.captures.items())))

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (tuple(self.parameters.values()), self.captures, self.output)

    def __repr__(self) -> str:
        lines = ['Input Parameters:']
        lines += [f'  {p.name} ({p.kind.name}): {p.type_constraint!r}' for p in self.parameters.values()]
        lines += ['Output Type:', f'  {self.output!r}', 'Captures:']
        lines += [f'  {name}: {kind!r}' for name, kind in self.captures.items()] or ['  None']
        return '\n'.join(lines)


def _rebuilt(parameters, captures, output):
    return FunctionType(parameters, captures, **({} if output is None else {'return_annotation': output}))


MAX_SANITIZATION_WARNINGS = 5
sanitization_warnings_given = 0


def sanitize_arg_name(name):
    """A name of a parameter, made of any text."""
    global sanitization_warnings_given
    made = ''.join(c if c.isascii() and c.isalnum() else '_' for c in name)
    if not made[:1].isalpha():
        made = 'arg_' + made
    if made != name and sanitization_warnings_given < MAX_SANITIZATION_WARNINGS:
        logging.getLogger('absl').warning('`%s` is not a valid tf.function parameter name. Sanitizing to `%s`.', name, made)
        sanitization_warnings_given += 1
    return made


def _single(name, value, kind, context, expected):
    """The parameter of a value, which has to fit the type that was asked for."""
    own = _trace_type.from_value(value, context)
    if expected is not None and not own.is_subtype_of(expected):
        raise TypeError(f'Parameter `{name}` was expected to be of type {expected!s} but is {own}')
    return Parameter(name, kind, False, own)


def canonicalize_to_monomorphic(args: Any, kwargs: Any, default_values: Any, capture_types: Any,
                                polymorphic_type: Any) -> tuple[Any, ...]:
    """The type of one call, in which each parameter has the type of its argument, and the context of these types."""
    context = _trace_type.InternalTracingContext()
    bound = polymorphic_type.bind(*args, **kwargs)
    for parameter in polymorphic_type.parameters.values():
        if parameter.name not in bound.arguments and parameter.kind not in (_KINDS.VAR_POSITIONAL, _KINDS.VAR_KEYWORD):
            bound.arguments[parameter.name] = default_values[parameter.name]
    many = any(p.kind is _KINDS.VAR_POSITIONAL and bound.arguments.get(p.name) for p in polymorphic_type.parameters.values())
    made = []
    for parameter in polymorphic_type.parameters.values():
        if parameter.kind is _KINDS.VAR_POSITIONAL:
            made += [_single(f'{parameter.name}_{i}', value, _KINDS.POSITIONAL_ONLY, context, parameter.type_constraint)
                     for i, value in enumerate(bound.arguments.get(parameter.name, ()))]
        elif parameter.kind is _KINDS.VAR_KEYWORD:
            values = bound.arguments.get(parameter.name, {})
            made += [_single(name, values[name], _KINDS.KEYWORD_ONLY, context, parameter.type_constraint)
                     for name in sorted(values)]
        else:  # a keyword argument may not precede a positional-only one
            kind = parameter.kind
            if many and kind is _KINDS.POSITIONAL_OR_KEYWORD:
                kind = _KINDS.POSITIONAL_ONLY
            made.append(_single(parameter.name, bound.arguments[parameter.name], kind, context, parameter.type_constraint))
    return FunctionType(made, capture_types), context


def add_type_constraints(function_type: Any, input_signature: Any, default_values: Any) -> FunctionType:
    """The type with an input_signature: its entries are the types of parameters in order."""
    context = _trace_type.InternalTracingContext(is_legacy_signature=True)
    rest = collections.deque(_trace_type.from_value(one, context) for one in input_signature)
    made = []
    for p in function_type.parameters.values():
        if p.kind is _KINDS.VAR_POSITIONAL:
            made += [Parameter(f'{p.name}_{i}', _KINDS.POSITIONAL_ONLY, False, kind) for i, kind in enumerate(rest)]
            rest.clear()
        elif p.kind is _KINDS.KEYWORD_ONLY:
            if not p.optional:
                raise TypeError(f'Since input_signature is defined, keyword-only parameter `{p.name}` must have a '
                                'default value')
            made.append(Parameter(p.name, p.kind, True, _trace_type.from_value(default_values[p.name])))
        elif p.kind is _KINDS.VAR_KEYWORD:
            made.append(p)
        elif rest:
            made.append(Parameter(p.name, p.kind, p.optional, rest.popleft()))
        elif p.optional:
            made.append(Parameter(p.name, p.kind, True, _trace_type.from_value(default_values[p.name])))
        else:
            raise TypeError(f'input_signature missing type constraint for {p.name}')
    if rest:
        raise TypeError(f'input_signature contains {len(rest)} extra type constraints.')
    if any(p.kind is _KINDS.POSITIONAL_ONLY for p in made):  # the parameters before it become positional-only too
        last = max(i for i, p in enumerate(made) if p.kind is _KINDS.POSITIONAL_ONLY)
        made[:last] = [Parameter(p.name, _KINDS.POSITIONAL_ONLY, p.optional, p.type_constraint) for p in made[:last]]
    return FunctionType(made)


def from_structured_signature(input_signature: Any = None, output_signature: Any = None, capture_types: Any = None,
                              are_keyword_args_also_positional: bool = False) -> Any:
    """The type of a concrete function by its structured signatures: what is in order gets the names arg_0, arg_1."""
    context = _trace_type.InternalTracingContext(is_legacy_signature=True)
    args, kwargs = ((), {}) if input_signature is None else input_signature
    if not isinstance(args, (list, tuple)):
        args = (args,)
    named = _KINDS.POSITIONAL_OR_KEYWORD if are_keyword_args_also_positional else _KINDS.KEYWORD_ONLY
    made = [Parameter(f'arg_{i}', _KINDS.POSITIONAL_ONLY, False, _trace_type.from_value(one, context))
            for i, one in enumerate(args)]
    made += [Parameter(name, named, False, _trace_type.from_value(one, context)) for name, one in kwargs.items()]
    return FunctionType(made, capture_types, return_annotation=_trace_type.from_value(output_signature, context))


def to_structured_signature(function_type: Any) -> tuple[Any, ...]:
    """The structured signatures: (arguments in order, arguments by name), results; types stand for their tensors."""
    shown = lambda kind: kind.placeholder_value(_AsSpecs())
    args = tuple(shown(p.type_constraint) for p in function_type.parameters.values()
                 if p.kind in (_KINDS.POSITIONAL_ONLY, _KINDS.POSITIONAL_OR_KEYWORD))
    kwargs = {p.name: shown(p.type_constraint) for p in function_type.parameters.values() if p.kind is _KINDS.KEYWORD_ONLY}
    return (args, kwargs), None if function_type.output is None else shown(function_type.output)


class _AsSpecs(_trace_type.InternalPlaceholderContext):
    """Gives the spec itself in place of a tensor."""

    def placeholder(self, spec):
        return spec


class TypeDispatchTable:
    """Types of functions, of which the most specific that serves a call is found."""

    def __init__(self):
        self._targets, self._found = {}, {}

    targets = property(lambda self: self._targets.keys(), doc='All of them, in the order in which they were added.')

    def add_target(self, target: Any) -> None:
        """Adds one."""
        self._targets[target] = None
        self._found.clear()

    def delete(self, target: Any) -> None:
        """Takes one away, if it is there."""
        if target in self._targets:
            del self._targets[target]
            self._found.clear()

    def clear(self) -> None:
        """Takes all away."""
        self._targets.clear()
        self._found.clear()

    def dispatch(self, request):
        """The first that serves the request and is as specific as any that does; None if none does."""
        if request in self._targets:
            return request
        if request in self._found:
            return self._found[request]
        best = None
        for target in self._targets:
            if request.is_supertype_of(target) and (best is None or target.is_supertype_of(best)):
                best = target
        if best is not None:
            self._found[request] = best
        return best

    def try_generalizing_function_type(self, target):
        """A type that serves the target and, as far as there is one, all in the table."""
        for other in self._targets:
            target = target.most_specific_common_subtype([other]) or target
        return target


FunctionContext = collections.namedtuple('FunctionContext', 'context scope_type', defaults=(None, None))


class FunctionCache:
    """Functions by context and type."""

    def __init__(self):
        self._primary, self._tables = {}, {}

    def __len__(self) -> int:
        return len(self._primary)

    def lookup(self, function_type, context=None):
        """The function that serves a call of a type, or None."""
        context = context or FunctionContext()
        table = self._tables.get(context)
        found = None if table is None else table.dispatch(function_type)
        return None if found is None else self._primary[context, found]

    def add(self, fn: Any, context: Any = None) -> None:
        """Adds a function by its own type."""
        context = context or FunctionContext()
        self._primary[context, fn.function_type] = fn
        self._tables.setdefault(context, TypeDispatchTable()).add_target(fn.function_type)

    def delete(self, function_type: Any, context: Any = None) -> bool:
        """Takes one away; whether it was there."""
        context = context or FunctionContext()
        if self._primary.pop((context, function_type), None) is None:
            return False
        self._tables[context].delete(function_type)
        return True

    def generalize(self, context, function_type):
        """A type that serves the given one and those in the cache."""
        table = self._tables.get(context)
        return function_type if table is None else table.try_generalizing_function_type(function_type)

    def clear(self) -> None:
        """Takes all away."""
        self._primary.clear()
        self._tables.clear()

    def values(self) -> list[Any]:
        """All functions."""
        return list(self._primary.values())


alias('tf.core.function.polymorphism.function_type', CapturedDefaultValue, FunctionType, Parameter,
      add_type_constraints, canonicalize_to_monomorphic, from_structured_signature, sanitize_arg_name,
      to_structured_signature, CAPTURED_DEFAULT_VALUE=CAPTURED_DEFAULT_VALUE)
alias('tf.core.function.polymorphism.type_dispatch', TypeDispatchTable)
alias('tf.core.function.polymorphism.function_cache', FunctionCache, FunctionContext)
