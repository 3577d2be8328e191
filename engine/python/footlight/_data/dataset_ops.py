"""How datasets are made by ops: arguments as tensors, attributes for types, and the checks of what functions give."""
from __future__ import annotations

import footlight as tf
from footlight import _engine
from footlight._data import structure
from footlight._typing import Any

AUTOTUNE, INFINITE_CARDINALITY, UNKNOWN_CARDINALITY = -1, -1, -2
_op = _engine.dataset_op


def _int64(value: int | tf.Tensor, name: str | None = None) -> tf.Tensor:
    return tf.convert_to_tensor(value, tf.int64, name=name)


def _known(value):
    """The int that a value is known to be, else None."""
    if isinstance(value, (tf.Tensor, tf.Variable)):
        found = tf.get_static_value(value) if isinstance(value, tf.Tensor) else None
        return None if found is None else int(found)
    return int(value)


def _text(value: str | None) -> tf.Tensor:
    return tf.convert_to_tensor('' if value is None else value, tf.string)


def _types(specs: Any) -> dict[Any, Any]:
    return {'output_types': structure.types_of(specs), 'output_shapes': structure.shapes_of(specs)}


def _in_function() -> bool:
    return tf.compat.v1.get_default_graph().building_function


def _how(deterministic: bool | None) -> str:
    return 'default' if deterministic is None else 'true' if deterministic else 'false'


def _type_of(specs: tf.TensorSpec) -> type[Any]:
    return specs.value_type if isinstance(specs, tf.TypeSpec) else type(specs)


def _check_predicate(specs: tf.TensorSpec) -> None:
    if not (structure.is_plain(specs) and specs.dtype == tf.bool and specs.shape.is_compatible_with([])):
        raise ValueError('Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor, but its return type '
                         f'is {specs}.')


def _wider(specs: Any, found: Any, what: str) -> Any:
    """Relaxes the specs of the state until they also cover what a step returns."""
    try:
        pairs = structure.flatten_up_to(specs, found)
        structure.flatten_up_to(found, specs)
    except (TypeError, ValueError) as error:
        raise TypeError(f'The element types for the new state must match the initial state. Expected {specs}; got '
                        f'{found!s}. {error}') from error
    out = []
    for spec, other in zip(structure.flatten(specs), pairs):
        if structure.is_plain(spec) and structure.is_plain(other):
            if spec.dtype != other.dtype:
                raise TypeError('The element types for the new state must match the initial state. Expected '
                                f'{structure.map_structure(lambda s: s.dtype, specs)}; got '
                                f'{structure.map_structure(lambda s: s.dtype, found)}.')
            spec = tf.TensorSpec(spec.most_specific_compatible_type(tf.TensorSpec(other.shape, other.dtype)).shape,
                                 spec.dtype)
        out.append(spec)
    return structure.pack(specs, iter(out))


def seeds(seed: Any) -> list[Any]:
    """The two seeds of an op, as int64 tensors."""
    if isinstance(seed, tf.Tensor):
        own, other = _engine.dataset_seeds(0)[0], seed
        return [tf.constant(own, tf.int64), tf.cast(other, tf.int64)]
    first, second = _engine.dataset_seeds(None if seed is None else int(seed))
    if seed is not None and first == 0 and second == 0:
        second = 2 ** 31 - 1
    return [tf.constant(first, tf.int64), tf.constant(second, tf.int64)]


_kinds: dict[str, type[Any]] = {}


def _made(kind: str, variant: tf.Tensor, specs: Any, inputs: Any = ()) -> Any:
    """Wraps the tensor of a dataset in the class that TensorFlow names for its kind."""
    cls = _kinds.get(kind)
    if cls is None:
        from footlight._data.datasets import _Made
        cls = _kinds[kind] = type(kind, (_Made,), {'__module__': 'footlight.data'})
    dataset = cls(variant, specs)
    return _inherit(dataset, inputs)


def _inherit(dataset, inputs):
    for one in inputs:
        dataset._options_attr = dataset._options_attr._merged(one._options_attr)
    dataset._made_of = list(inputs)
    return dataset
