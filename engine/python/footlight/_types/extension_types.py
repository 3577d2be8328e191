"""tf.experimental.ExtensionType: classes of a program whose fields hold tensors, which functions, branches, loops and
datasets take as one value."""
import collections.abc
import inspect
import types
import typing

import footlight as tf
from footlight import _engine
from footlight._public import publish
from footlight._sparse.tensor import Composite

_PLAIN = (bool, bytes, float, int, str, type(None))
_unset = object()


class ImmutableDict(collections.abc.Mapping):
    """A dict that does not change."""

    def __init__(self, *args, **keywords):
        self._dict = dict(*args, **keywords)

    def __getitem__(self, key):
        return self._dict[key]

    def __iter__(self):
        return iter(self._dict)

    def __len__(self):
        return len(self._dict)

    def __repr__(self):
        return f'ImmutableDict({self._dict!r})'


# --- annotations ---
def _is_union(kind):
    return typing.get_origin(kind) in (typing.Union, types.UnionType)


def _check_annotation(kind):
    """TypeError where a field cannot have such values; names in text are looked up later."""
    if isinstance(kind, (str, typing.ForwardRef)) or kind is None or kind in _PLAIN or kind in (tf.TensorShape, tf.DType):
        return
    if isinstance(kind, type) and typing.get_origin(kind) is None:
        if issubclass(kind, tf.Tensor) or hasattr(kind, '_type_spec'):
            return
    inner = [part for part in typing.get_args(kind) if part is not Ellipsis]
    origin = typing.get_origin(kind)
    if origin is tuple or _is_union(kind):
        for part in inner:
            _check_annotation(part)
    elif origin is collections.abc.Mapping:
        _check_annotation(inner[1])
    else:
        raise TypeError(f'Unsupported type annotation {kind!r}')


def _wrong(name, expected, value):
    return TypeError(f'{name}: expected {expected!s}, got {type(value).__name__!r}')


def _converted(kind, value, name, to_spec):
    """A field's value as its annotation says, or with `to_spec` the spec of one."""
    if kind is None or kind is type(None):
        if value is None:
            return None
        raise _wrong(name, 'None', value)
    if _is_union(kind):
        # A value that fits one of the types stays unchanged; otherwise it is converted.
        parts = sorted(typing.get_args(kind), key=lambda part: not (isinstance(part, type) and isinstance(value, part)))
        for part in parts:
            try:
                return _converted(part, value, name, to_spec)
            except (TypeError, ValueError):
                pass
        raise _wrong(name, kind, value)
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin is tuple:
        if not isinstance(value, (tuple, list)):
            raise _wrong(name, 'tuple', value)
        if len(inner) == 2 and inner[1] is Ellipsis:
            inner = (inner[0],) * len(value)
        if len(inner) != len(value):
            raise _wrong(name, f'tuple with length {len(inner)}', value)
        return tuple(_converted(part, one, f'{name}[{k}]', to_spec) for k, (part, one) in enumerate(zip(inner, value)))
    if origin is collections.abc.Mapping:
        if not isinstance(value, collections.abc.Mapping):
            raise _wrong(name, 'mapping', value)
        return ImmutableDict((_converted(inner[0], key, name + '.key', False),
                              _converted(inner[1], one, f'{name}[{key!r}]', to_spec)) for key, one in value.items())
    if kind in (tf.TensorShape, tf.DType):
        try:
            return tf.TensorShape(value) if kind is tf.TensorShape else tf.as_dtype(value)
        except (TypeError, ValueError):
            raise _wrong(name, repr(kind.__name__), value) from None
    if kind in _PLAIN:
        if type(value) is not kind:
            raise _wrong(name, repr(kind.__name__), value)
        return value
    if to_spec:
        kinds = tf.TensorSpec if issubclass(kind, tf.Tensor) else (tf.TypeSpec, tf.TensorSpec)
        if isinstance(value, kinds) and issubclass(getattr(value, 'value_type', kind), kind):
            return value
        raise _wrong(name, f'a TypeSpec for {kind.__name__!r}', value)
    if issubclass(kind, tf.Tensor):
        try:
            return tf.convert_to_tensor(value)
        except (TypeError, ValueError):
            raise _wrong(name, 'a Tensor', value) from None
    if not isinstance(value, kind):
        raise _wrong(name, repr(kind.__name__), value)
    return value


def _mapped(function, value):
    """function(part) of each part of a field's value."""
    if isinstance(value, tuple):
        return tuple(_mapped(function, one) for one in value)
    if isinstance(value, ImmutableDict):
        return ImmutableDict((key, _mapped(function, one)) for key, one in value.items())
    return function(value)


def _spec_of(value):
    if isinstance(value, tf.Tensor):
        return tf.TensorSpec(value.shape, value.dtype)
    return value if isinstance(value, tf.Variable) else getattr(value, '_type_spec', value)


def _is_spec(part):
    return isinstance(part, (tf.TypeSpec, tf.TensorSpec))


# --- classes ---
def _completed(cls, own):
    """The spec's class that a program wrote inside of its own: with what all specs have, as fields what its __init__ set."""
    def set_fields(self, *args, **keywords):
        own.__init__(self, *args, **keywords)
        missing = [field for field in cls._fields() if field not in vars(self)]
        if missing:
            raise AttributeError(f'{cls.__name__}.Spec: its __init__ did not set {", ".join(missing)}')
        kinds = cls._fields()
        self._values = {field: _converted(kinds[field], vars(self).pop(field), field, True) for field in kinds}

    members = {name: member for name, member in vars(own).items() if name not in ('__dict__', '__weakref__')}
    members.update({'value_type': property(lambda self: cls), '_owner': cls})
    if '__init__' in members:
        members['__init__'] = set_fields
    bases = tuple(base for base in own.__bases__ if base is not object)
    return type(f'{cls.__name__}.Spec', (cls._spec_base, *bases), members)


class _Made(type):
    """Makes values: constructor, conversion of fields, the class's own check; then nothing changes any more."""

    def __init__(cls, name, bases, namespace):
        super().__init__(name, bases, namespace)
        for field, kind in namespace.get('__annotations__', {}).items():
            try:
                _check_annotation(kind)
            except TypeError as error:
                raise TypeError(f'In field {field!r}: {error}') from None
        cls._own_kinds = None
        if '__init__' in namespace and not namespace.get('_is_base'):
            cls._has_own_init = True
        if 'Spec' not in namespace:
            base = cls._spec_base
            cls.Spec = type(f'{name}.Spec', (base,), {
                '__module__': cls.__module__, 'value_type': property(lambda self: cls), '_owner': cls,
                '__qualname__': cls.__qualname__ + '.Spec'})
        elif not issubclass(namespace['Spec'], ExtensionTypeSpec):
            cls.Spec = _completed(cls, namespace['Spec'])

    def _fields(cls):
        """The annotation of each field; those of the base classes come first."""
        if cls._own_kinds is None:
            # An annotation given as text may name classes that are defined later, and the class itself.
            names = {base.__name__: base for base in cls.__mro__}
            try:
                found = typing.get_type_hints(cls, None, names)
            except NameError as error:
                field, kind = next((field, kind) for base in cls.__mro__ for field, kind in vars(base).get(
                    '__annotations__', {}).items() if error.name in str(kind))
                raise TypeError(f'{field}: Unsupported type annotation {kind!r}') from None
            for field, kind in found.items():
                try:
                    _check_annotation(kind)
                except TypeError as error:
                    raise TypeError(f'{field}: {error}') from None
            cls._own_kinds = found
        return cls._own_kinds

    def _bound(cls, args, keywords, with_defaults=True):
        """Values of the fields that a call gives."""
        none = inspect.Parameter.empty
        parameters = [inspect.Parameter(field, inspect.Parameter.POSITIONAL_OR_KEYWORD,
                                        default=_default_of(cls, field) if with_defaults else none) for field in cls._fields()]
        # A field without a default may stand after one with a default: it has to be given.
        seen = False
        for k, parameter in enumerate(parameters):
            seen = seen or parameter.default is not inspect.Parameter.empty
            if seen and parameter.default is inspect.Parameter.empty:
                parameters[k] = parameter.replace(default=_unset)
        bound = inspect.Signature(parameters).bind(*args, **keywords)
        bound.apply_defaults()
        for field, value in bound.arguments.items():
            if value is _unset:
                raise TypeError(f'missing a required argument: {field!r}')
        return bound.arguments

    def __call__(cls, *args, **keywords):
        if vars(cls).get('_is_base'):
            raise AssertionError(f'Cannot create an instance of {cls.__name__} because {cls.__name__} is an abstract '
                                 'base class.')
        made = cls.__new__(cls)
        made.__dict__['_in_constructor'] = True
        if cls._has_own_init:
            cls.__init__(made, *args, **keywords)
        else:
            made.__dict__.update(cls._bound(args, keywords))
        return cls._finished(made)

    def _finished(cls, made):
        values = made.__dict__
        for field, kind in cls._fields().items():
            if field not in values:
                default = _default_of(cls, field)
                if default is inspect.Parameter.empty:
                    raise AttributeError(f'{cls.__name__}: the constructor did not set the field {field!r}')
                values[field] = default
            values[field] = _converted(kind, values[field], field, False)
        made.__validate__()
        del values['_in_constructor']
        return made

    def _of_fields(cls, fields):
        """The value of these fields, which are as they should be; nothing is checked."""
        made = cls.__new__(cls)
        made.__dict__.update(fields)
        return made


def _default_of(cls, field):
    for base in cls.__mro__:
        if field in vars(base):
            return vars(base)[field]
    return inspect.Parameter.empty


class ExtensionTypeSpec(tf.TypeSpec):
    """The type of an extension type's values: a spec for each field that holds tensors, other fields as they are."""

    _owner = None

    def __init__(self, *args, **keywords):
        kinds = self._owner._fields()
        self._values = {field: _converted(kinds[field], value, field, True)
                        for field, value in self._owner._bound(args, keywords, with_defaults=False).items()}

    def __getattr__(self, name):
        values = self.__dict__.get('_values', {})
        if name in values:
            return values[name]
        raise AttributeError(f'{type(self).__name__!r} object has no attribute {name!r}')

    @classmethod
    def _of(cls, values):
        made = cls.__new__(cls)
        made._values = values
        return made

    @classmethod
    def from_value(cls, value):
        """The spec of a value."""
        return cls._of({field: _mapped(_spec_of, vars(value)[field]) for field in cls._owner._fields()})

    def _parts(self):
        found = []
        for value in self._values.values():
            _mapped(lambda part: found.append(part) if _is_spec(part) else None, value)
        return found

    def _with_parts(self, function):
        return self._of({field: _mapped(lambda part: function(part) if _is_spec(part) else part, value)
                         for field, value in self._values.items()})

    def _serialize(self):
        return tuple((field, tuple(value.items()) if isinstance(value, ImmutableDict) else value)
                     for field, value in self._values.items())

    @classmethod
    def _deserialize(cls, state):
        kinds = cls._owner._fields()
        return cls._of({field: ImmutableDict(value) if typing.get_origin(kinds[field]) is collections.abc.Mapping else value
                        for field, value in state})

    @property
    def _component_specs(self):
        return [spec for part in self._parts() for spec in part.flatten()]

    def _part_values(self, value):
        """(spec, value) of each part of a value."""
        found = []

        def add(spec, own):
            if isinstance(spec, tuple):
                for one, other in zip(spec, own):
                    add(one, other)
            elif isinstance(spec, ImmutableDict):
                for key in spec:
                    add(spec[key], own[key])
            elif _is_spec(spec):
                found.append((spec, own))
        for field, wanted in self._values.items():
            add(wanted, vars(value)[field])
        return found

    def _to_components(self, value):
        return [tensor for spec, own in self._part_values(value) for tensor in spec.to_tensors(own)]

    def _from_components(self, components):
        left = iter(components)
        return self._owner._of_fields({
            field: _mapped(lambda part: part.from_tensors(left) if _is_spec(part) else part, value)
            for field, value in self._values.items()})

    def __repr__(self):
        fields = ', '.join(f'{field}={value!r}' for field, value in self._values.items())
        return f"{type(self).__qualname__.split('<locals>.')[-1]}({fields})"

    def __eq__(self, other):
        return type(self) is type(other) and self._serialize() == other._serialize()

    def __hash__(self):
        return hash((type(self), tuple(map(repr, self._values.values()))))


class _BatchableSpec(ExtensionTypeSpec):
    _rows_together = True  # the parts of a batch are those of its rows, stacked

    def _batch(self, size):
        def batched(part):
            if isinstance(part, tf.TensorShape):
                return tf.TensorShape([size]).concatenate(part)
            if isinstance(part, tf.TensorSpec):
                return tf.TensorSpec(batched(part.shape), part.dtype)
            return part._batch(size) if _is_spec(part) else part
        return self._of({field: _mapped(batched, value) for field, value in self._values.items()})

    def _unbatch(self):
        def row(part):
            if isinstance(part, tf.TensorShape):
                return part[1:]
            if isinstance(part, tf.TensorSpec):
                return tf.TensorSpec(row(part.shape), part.dtype)
            return part._unbatch() if _is_spec(part) else part
        return self._of({field: _mapped(row, value) for field, value in self._values.items()})


class ExtensionType(Composite, metaclass=_Made):
    """The base class: the annotations of a class are its fields."""

    _is_base, _has_own_init, _spec_base = True, False, ExtensionTypeSpec

    _is_extension_value = True

    @property
    def _type_spec(self):
        return type(self).Spec.from_value(self)

    def __validate__(self):
        """For classes that check their fields."""

    def __setattr__(self, name, value):
        if '_in_constructor' not in self.__dict__ or name not in type(self)._fields():
            raise AttributeError(f'Cannot mutate attribute `{name}` outside the custom constructor of ExtensionType.')
        self.__dict__[name] = value

    def __delattr__(self, name):
        raise AttributeError(f'Cannot mutate attribute `{name}` outside the custom constructor of ExtensionType.')

    def __repr__(self):
        fields = (f"{field}={self.__dict__.get(field, '<undefined>')!r}" for field in type(self)._fields())
        return f"{type(self).__name__}({', '.join(fields)})"

    def __eq__(self, other):
        if type(self) is not type(other) or self._type_spec != other._type_spec:
            return False
        spec = self._type_spec
        pairs = zip(spec.to_tensors(self), spec.to_tensors(other))
        return tf.reduce_all([tf.reduce_all(tf.equal(a, b)) for a, b in pairs] or True)

    def __ne__(self, other):
        equal = self.__eq__(other)
        return not equal if isinstance(equal, bool) else tf.logical_not(equal)


class BatchableExtensionType(ExtensionType):
    """An extension type whose values are stacked and cut into rows field by field."""

    _is_base, _spec_base = True, _BatchableSpec



def as_dict(value):
    """The fields of a value."""
    return {field: vars(value)[field] for field in type(value)._fields()}


_engine.namespace('experimental.extension_type').as_dict = as_dict
publish('tf.experimental', BatchableExtensionType, ExtensionType, ExtensionTypeSpec)
