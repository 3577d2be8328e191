"""Types of arguments, and of all arguments of a call."""
import collections
import weakref

from tensorflow.python.framework import ops, tensor_spec

Parameter = collections.namedtuple('Parameter', 'type_constraint')


class Literal:
    def __init__(self, value):
        self.value = value


class Weakref:
    def __init__(self, ref):
        self._ref = ref


class Tuple:
    def __init__(self, *components):
        self.components = components


def from_value(value):
    if isinstance(value, ops.Tensor):
        return value.spec
    if isinstance(value, tuple):
        return Tuple(*map(from_value, value))
    if value is None or isinstance(value, (int, float, str)):
        return Literal(value)
    return Weakref(weakref.ref(value))


def _plain(of):
    if isinstance(of, Tuple):
        return tuple(map(_plain, of.components))
    return of if isinstance(of, tensor_spec.TensorSpec) else (type(of), getattr(of, 'value', None), getattr(of, '_ref', None))


def _serves(general, of):
    if isinstance(general, Tuple) and isinstance(of, Tuple):
        return len(general.components) == len(of.components) and all(map(_serves, general.components, of.components))
    return general.serves(of) if isinstance(general, tensor_spec.TensorSpec) else _plain(general) == _plain(of)


class FunctionType:
    def __init__(self, arguments):
        self.parameters = {name: Parameter(of) for name, of in arguments.items()}

    def _types(self):
        return tuple((name, _plain(parameter.type_constraint)) for name, parameter in self.parameters.items())

    def __eq__(self, other):
        return self._types() == other._types()

    def __hash__(self):
        return hash(self._types())

    def serves(self, other):
        return list(self.parameters) == list(other.parameters) and \
            all(_serves(mine.type_constraint, its.type_constraint)
                for mine, its in zip(self.parameters.values(), other.parameters.values()))

    def relaxed(self, other):
        arguments = {}
        for name, parameter in self.parameters.items():
            mine, its = parameter.type_constraint, other.parameters[name].type_constraint
            both = isinstance(mine, tensor_spec.TensorSpec) and isinstance(its, tensor_spec.TensorSpec)
            if both and mine.dtype == its.dtype and mine.shape.rank == its.shape.rank:
                sizes = [a if a == b else None for a, b in zip(mine.shape.sizes, its.shape.sizes)]
                mine = tensor_spec.TensorSpec(sizes, mine.dtype.name)
            arguments[name] = mine
        return FunctionType(arguments)
