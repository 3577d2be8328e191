"""Dataset.from_generator: what Python yields, checked and converted."""
from __future__ import annotations

import footlight as tf
from footlight._data import datasets as _data
from footlight._data import structure
from footlight import _engine
from footlight._typing import Any, Callable


def _signature(output_types: Any, output_shapes: tf.TensorShape | None, output_signature: Any) -> Any:
    if output_signature is not None:
        if output_types is not None:
            raise TypeError('The `output_types` argument can not be used together with the `output_signature` '
                            'argument.')
        if output_shapes is not None:
            raise TypeError('The `output_shapes` argument can not be used together with the `output_signature` '
                            'argument.')
        for spec in structure.flatten(output_signature):
            if not isinstance(spec, tf.TypeSpec):
                raise TypeError('`output_signature` must contain objects that are subclass of `tf.TypeSpec` but found '
                                f'{type(spec)} which is not.')
        return output_signature
    if output_types is None:
        raise TypeError('To specify the output signature you need to provide either the `output_signature` argument '
                        'or the `output_types` argument.')
    output_types = _tuples(output_types)
    if output_shapes is None:
        return structure.map_structure(lambda t: tf.TensorSpec(None, tf.as_dtype(t)), output_types)
    shapes = iter([tf.TensorShape(s) for s in structure_of_shapes(output_types, output_shapes)])
    return structure.map_structure(lambda t: tf.TensorSpec(next(shapes), tf.as_dtype(t)), output_types)


def _tuples(types):
    """Lists of types are structures here."""
    if isinstance(types, list):
        return tuple(_tuples(t) for t in types)
    return types


def structure_of_shapes(types: Any, shapes: Any) -> list[Any]:
    """The shape at each leaf of the types; a shape is itself a tuple."""
    if not structure.is_nested(types):
        return [shapes]
    if isinstance(types, tuple):
        return [s for t, part in zip(types, shapes) for s in structure_of_shapes(t, part)]
    return [s for key in structure.sorted_keys(types) for s in structure_of_shapes(types[key], shapes[key])]


def _converter(spec: tf.TensorSpec) -> Callable[..., Any]:
    dtype, shape = spec.dtype, spec.shape
    any_shape = shape.rank is None
    convert = tf.convert_to_tensor

    def one(value):
        try:
            tensor = convert(value, dtype)
        except (TypeError, ValueError) as error:
            raise TypeError('`generator` yielded an element that could not be converted to the expected type. The '
                            f'expected type was {dtype.name}, but the yielded element was {value!s}.') from error
        if not any_shape and not shape.is_compatible_with(tensor.shape):
            raise TypeError(f'`generator` yielded an element of shape {tensor.shape} where an element of shape {shape} '
                            'was expected.')
        return tensor
    return one


def _steps(iterator: Any, specs: Any) -> Callable[..., Any]:
    """A function that gives the tensors of the next element, None at the end."""
    following = iterator.__next__ if hasattr(iterator, '__next__') else iter(iterator).__next__
    leaves = structure.flatten(specs)
    if structure.is_plain(specs):
        convert = _converter(specs)

        def single():
            try:
                value = following()
            except StopIteration:
                return None
            return (convert(value),)
        return single
    plain = all(map(structure.is_plain, leaves))
    converters = [_converter(s) if structure.is_plain(s) else None for s in leaves]

    def step():
        try:
            value = following()
        except StopIteration:
            return None
        try:
            parts = structure.flatten_up_to(specs, value)
        except (TypeError, ValueError) as error:
            wanted = structure.map_structure(lambda s: s.dtype if structure.is_plain(s) else s, specs)
            raise TypeError('`generator` yielded an element that did not match the expected structure. The expected '
                            f'structure was {wanted}, but the yielded element was {value!s}.') from error
        if plain:
            return [convert(part) for convert, part in zip(converters, parts)]
        tensors = []
        for spec, convert, part in zip(leaves, converters, parts):
            tensors.extend([convert(part)] if convert else spec.to_tensors(part))
        return tensors
    return step


def dataset(generator: Callable[..., Any], output_types: Any, output_shapes: Any, args: Any,
            output_signature: Any) -> tf.data.Dataset:
    """The dataset of what generator(*args) yields."""
    if not callable(generator):
        raise TypeError('`generator` must be a Python callable.')
    specs = _signature(output_types, output_shapes, output_signature)
    arguments = [] if args is None else [tf.convert_to_tensor(a, name='args') for a in args]

    def begin(given):
        return _steps(iter(generator(*[g.numpy() for g in given])), specs)
    variant = _engine.generator_dataset(begin, arguments, structure.types_of(specs), structure.shapes_of(specs))
    return _data._made('_FlatMapDataset', variant, specs)
