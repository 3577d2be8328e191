"""tensorflow.python.util.nest and tf.__internal__.nest: structures walked only as deep as another one goes, and with paths."""
from __future__ import annotations

import collections.abc

import footlight as tf
from footlight import _engine
from footlight._typing import Any, Callable, Iterator

_MISMATCH = "The two structures don't have the same "


def is_namedtuple(instance: object, strict: bool = False) -> bool:
    """Whether it is a named tuple; with `strict`, one whose class adds nothing to it."""
    kind = type(instance)
    if strict and kind.__base__ is not tuple:
        return False
    return isinstance(instance, tuple) and all(isinstance(f, str) for f in getattr(kind, '_fields', (0,)))


def is_mapping(obj: object) -> bool:
    """Whether it is a mapping."""
    return isinstance(obj, collections.abc.Mapping)


def is_mapping_view(obj: Any) -> bool:
    """Whether it is a view of a mapping."""
    return isinstance(obj, collections.abc.MappingView)


def is_attrs(obj: object) -> bool:
    """Whether it is an instance of a class of the package attrs."""
    return getattr(type(obj), '__attrs_attrs__', None) is not None


def is_composite(obj):
    """Whether it is a composite of tensors, or the spec of one."""
    if isinstance(obj, tf.TypeSpec):
        return not isinstance(obj, (tf.TensorSpec, tf.__internal__.VariableSpec))
    return hasattr(type(obj), '_type_spec') and not isinstance(obj, (tf.Tensor, tf.Variable))


def _nested(value: Any, composites: bool = False) -> bool:
    return tf.nest.is_nested(value) or composites and is_composite(value)


def _parts(composite):
    if isinstance(composite, tf.TypeSpec):
        return composite._component_specs
    return composite._type_spec._to_components(composite)


def _sorted_keys(mapping: dict[Any, Any]) -> list[Any]:
    try:
        return sorted(mapping)
    except TypeError:
        raise TypeError(f'the keys of a dictionary in a structure can be sorted: {list(mapping)!r}') from None


def yield_sorted_items(iterable: Any, composites: bool = True) -> Iterator[Any]:
    """(key, child) of what is directly inside of a structure: keys of mappings in order, fields, positions."""
    if is_mapping(iterable):
        for key in _sorted_keys(iterable):
            yield key, iterable[key]
    elif is_attrs(iterable):
        for field in type(iterable).__attrs_attrs__:
            yield field.name, getattr(iterable, field.name)
    elif is_namedtuple(iterable):
        yield from zip(iterable._fields, iterable)
    elif composites and is_composite(iterable):
        kind = iterable if isinstance(iterable, tf.TypeSpec) else iterable._type_spec
        yield kind.value_type.__name__, _parts(iterable)
    elif hasattr(type(iterable), '__tf_flatten__'):
        yield from enumerate(iterable.__tf_flatten__()[1])
    else:
        yield from enumerate(iterable)


def yield_value(iterable: Any) -> Iterator[Any]:
    """The children alone."""
    for _, child in yield_sorted_items(iterable):
        yield child


def sequence_like(instance, args):
    """A structure of the same kind as another one, with these children."""
    args = list(args)
    if is_mapping(instance):
        by_key = dict(zip(_sorted_keys(instance), args))
        if isinstance(instance, collections.defaultdict):
            return type(instance)(instance.default_factory, ((key, by_key[key]) for key in instance))
        return type(getattr(instance, '__wrapped__', instance))((key, by_key[key]) for key in instance)
    if is_namedtuple(instance) or is_attrs(instance):
        return type(getattr(instance, '__wrapped__', instance))(*args)
    if is_mapping_view(instance):
        return list(args)
    if is_composite(instance):
        kind = instance if isinstance(instance, tf.TypeSpec) else instance._type_spec
        return kind._from_components(args[0])
    if hasattr(type(instance), '__tf_unflatten__'):
        return type(instance).__tf_unflatten__(instance.__tf_flatten__()[0], tuple(args))
    if isinstance(instance, range):
        return args
    return type(getattr(instance, '__wrapped__', instance))(args)


def list_to_tuple(structure):
    """The structure with tuples in place of its lists."""
    if not _nested(structure):
        return structure
    inside = [list_to_tuple(child) for child in yield_value(structure)]
    return tuple(inside) if isinstance(structure, list) else sequence_like(structure, inside)


def _kind_of(value: Any) -> type[Any]:
    return type(getattr(value, '__wrapped__', value))


def _same_kind(a: Any, b: Any) -> bool:
    if _kind_of(a) is _kind_of(b) or is_mapping(a) and is_mapping(b):
        return True
    if is_namedtuple(a) and is_namedtuple(b):
        return a._fields == b._fields and type(a).__name__ == type(b).__name__
    return isinstance(a, list) and isinstance(b, list) or is_composite(a) and is_composite(b)


def assert_shallow_structure(shallow_tree: Any, input_tree: Any, check_types: bool = True,
                             expand_composites: bool = False) -> Any:
    """An error where `input_tree` does not go at least as deep as `shallow_tree`, in the same form."""
    if not _nested(shallow_tree, expand_composites):
        return
    if not _nested(input_tree, expand_composites):
        raise TypeError('If shallow structure is a sequence, input must also be a sequence. Input has type: '
                        f'{type(input_tree)!r}.')
    if check_types and not _same_kind(shallow_tree, input_tree):
        raise TypeError(_MISMATCH + f'sequence type. Input structure has type {type(input_tree)!r}, while shallow '
                                    f'structure has type {type(shallow_tree)!r}.')
    if expand_composites and is_composite(shallow_tree) and not _nested(shallow_tree):
        ours, theirs = (v if isinstance(v, tf.TypeSpec) else v._type_spec for v in (shallow_tree, input_tree))
        if ours.most_specific_common_supertype([theirs]) is None:
            raise ValueError(f'Incompatible CompositeTensor TypeSpecs: {ours} vs. {theirs}')
        return assert_shallow_structure(_parts(shallow_tree), _parts(input_tree), check_types, True)
    ours, theirs = dict(yield_sorted_items(shallow_tree)), dict(yield_sorted_items(input_tree))
    if len(ours) != len(theirs):
        raise ValueError(_MISMATCH + f'sequence length. Input structure has length {len(theirs)}, while shallow '
                                     f'structure has length {len(ours)}.')
    if is_mapping(shallow_tree) and set(ours) != set(theirs):
        raise ValueError(_MISMATCH + f'keys. Input structure has keys {list(theirs)}, while shallow structure has keys '
                                     f'{list(ours)}.')
    inside = theirs if is_mapping(shallow_tree) and is_mapping(input_tree) else dict(zip(ours, theirs.values()))
    for key, child in ours.items():
        assert_shallow_structure(child, inside[key], check_types, expand_composites)


def _up_to(shallow: Any, value: Any, composites: bool, path: Any = ()) -> Iterator[Any]:
    """(path, what stands there in `value`) for each leaf of `shallow`."""
    if not _nested(shallow, composites):
        yield path, value
        return
    inside = list(yield_sorted_items(value))
    by_key = dict(inside)
    for at, (key, child) in enumerate(yield_sorted_items(shallow)):
        there = by_key[key] if is_mapping(shallow) and is_mapping(value) else inside[at][1]
        yield from _up_to(child, there, composites, path + (key,))


def flatten_up_to(shallow_tree: Any, input_tree: Any, check_types: bool = True,
                  expand_composites: bool = False) -> list[Any]:
    """The values of `input_tree` in a row that stand where `shallow_tree` has its leaves."""
    assert_shallow_structure(shallow_tree, input_tree, check_types, expand_composites)
    return [value for _, value in _up_to(shallow_tree, input_tree, expand_composites)]


def flatten_with_tuple_paths_up_to(shallow_tree: Any, input_tree: Any, check_types: bool = True,
                                   expand_composites: bool = False) -> Any:
    """The same as pairs of (path, value)."""
    assert_shallow_structure(shallow_tree, input_tree, check_types, expand_composites)
    return list(_up_to(shallow_tree, input_tree, expand_composites))


def flatten_with_tuple_paths(structure: Any, expand_composites: bool = False) -> list[Any]:
    """All leaves of a structure as pairs of (path, value)."""
    return list(_up_to(structure, structure, expand_composites))


def flatten_with_joined_string_paths(structure: Any, separator: str = '/',
                                     expand_composites: bool = False) -> list[Any]:
    """The same, with each path as one string."""
    return [(separator.join(map(str, path)), value) for path, value in flatten_with_tuple_paths(structure, expand_composites)]


def yield_flat_paths(nest: Any, expand_composites: bool = False) -> Iterator[Any]:
    """The paths of the leaves."""
    for path, _ in _up_to(nest, nest, expand_composites):
        yield path


def map_structure_with_tuple_paths_up_to(shallow_tree: Any, func: Callable[..., Any], *inputs: Any,
                                         **kwargs: Any) -> Any:
    """func(path, *values) for what stands in each input at the leaves of `shallow_tree`, in its form."""
    check_types = kwargs.pop('check_types', True)
    composites = kwargs.pop('expand_composites', False)
    if not inputs:
        raise ValueError('Argument `inputs` is empty. Cannot map over no sequences.')
    for one in inputs:
        assert_shallow_structure(shallow_tree, one, check_types, composites)
    rows = [list(_up_to(shallow_tree, one, composites)) for one in inputs]
    paths = list(yield_flat_paths(shallow_tree, composites))
    found = [func(path, *(value for _, value in row), **kwargs) for path, row in zip(paths, zip(*rows))]
    return tf.nest.pack_sequence_as(shallow_tree, found, expand_composites=composites)


def map_structure_up_to(shallow_tree: Any, func: Callable[..., Any], *inputs: Any, **kwargs: Any) -> Any:
    """func(*values), likewise."""
    def without_path(_, *values, **more):
        return func(*values, **more)
    return map_structure_with_tuple_paths_up_to(shallow_tree, without_path, *inputs, **kwargs)


def map_structure_with_tuple_paths(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> dict[Any, Any]:
    """func(path, *values) for the leaves of structures of one form."""
    for other in structure[1:]:
        tf.nest.assert_same_structure(structure[0], other, check_types=kwargs.get('check_types', True),
                                      expand_composites=kwargs.get('expand_composites', False))
    return map_structure_with_tuple_paths_up_to(structure[0], func, *structure, **kwargs)


def map_structure_with_paths(func, *structure, **kwargs):
    """The same with paths as strings."""
    return map_structure_with_tuple_paths(
        lambda path, *values, **more: func('/'.join(map(str, path)), *values, **more), *structure, **kwargs)


def get_traverse_shallow_structure(traverse_fn: Callable[..., Any], structure: Any,
                                   expand_composites: bool = False) -> Any:
    """The part of a structure that `traverse_fn` asks for: it gives a bool, or a structure of them one level deep."""
    wanted = traverse_fn(structure)
    if not _nested(structure, expand_composites):
        if not isinstance(wanted, bool):
            raise TypeError(f'traverse_fn returned {wanted!r} for a leaf, where a bool is expected')
        return wanted
    if isinstance(wanted, bool):
        if not wanted:
            return False
        return sequence_like(structure, [get_traverse_shallow_structure(traverse_fn, child, expand_composites)
                                         for child in yield_value(structure)])
    assert_shallow_structure(wanted, structure, expand_composites=expand_composites)
    if not tf.nest.is_nested(wanted):
        raise TypeError(f'traverse_fn returned {wanted!r}, where a bool or a structure of bools is expected')
    found = []
    for go, child in zip(yield_value(wanted), yield_value(structure)):
        if not isinstance(go, bool):
            raise TypeError(f'traverse_fn returned a structure with {go!r} in it, where bools are expected')
        found.append(get_traverse_shallow_structure(traverse_fn, child, expand_composites) if go else False)
    return sequence_like(structure, found)


_ALL = ('assert_shallow_structure flatten_up_to flatten_with_joined_string_paths flatten_with_tuple_paths '
        'flatten_with_tuple_paths_up_to get_traverse_shallow_structure is_attrs is_mapping is_mapping_view is_namedtuple list_to_tuple '
        'map_structure_up_to map_structure_with_paths map_structure_with_tuple_paths map_structure_with_tuple_paths_up_to '
        'sequence_like yield_flat_paths yield_value').split()
_inner, _own = _engine.namespace('python.util.nest'), _engine.namespace('__internal__.nest')
for _name in _ALL:
    setattr(_inner, _name, globals()[_name])
for _name in ('flatten_up_to get_traverse_shallow_structure is_attrs is_mapping list_to_tuple map_structure_up_to sequence_like '
              'yield_flat_paths').split():
    setattr(_own, _name, globals()[_name])
_inner._is_namedtuple, _inner._sequence_like, _inner._yield_value = is_namedtuple, sequence_like, yield_value
_inner._is_mapping, _inner._is_attrs, _inner._yield_sorted_items = is_mapping, is_attrs, yield_sorted_items
_inner.is_nested_or_composite = lambda value: _nested(value, True)
