"""Specs, shapes and structures by the names that they have inside of TensorFlow: tensor_spec, tensor_shape, tensor_util, type_spec."""
import footlight as tf
from footlight import _engine
from footlight._saving import structure_coder as _structure_coder


class BoundedTensorSpec(tf.TypeSpec):
    """The spec of tensors whose elements lie between two values."""

    def __init__(self, shape, dtype, minimum, maximum, name=None):
        import numpy as np
        self._spec = tf.TensorSpec(shape, dtype, name)
        for which, value in (('minimum', minimum), ('maximum', maximum)):
            if value is None:
                raise ValueError('`%s` can not be None.' % which)
            try:
                within = np.shape(value)
                if tf.broadcast_static_shape(tf.TensorShape(within), self.shape) != self.shape:
                    raise ValueError('it has the shape %s' % (within,))
            except ValueError as error:
                raise ValueError('`%s` is not compatible with `shape`: %s.' % (which, error)) from None
        self._minimum, self._maximum = (np.array(value, dtype=self.dtype.as_numpy_dtype) for value in (minimum, maximum))
        self._minimum.setflags(write=False)
        self._maximum.setflags(write=False)

    shape = property(lambda self: self._spec.shape)
    dtype = property(lambda self: self._spec.dtype)
    name = property(lambda self: self._spec.name)
    value_type = property(lambda self: tf.Tensor)
    _component_specs = property(lambda self: self._spec)
    minimum = property(lambda self: self._minimum, doc='The least values.')
    maximum = property(lambda self: self._maximum, doc='The largest values.')

    @classmethod
    def from_spec(cls, spec):
        """The spec with the bounds of another one, or of its type."""
        dtype = tf.as_dtype(spec.dtype)
        return cls(spec.shape, spec.dtype, getattr(spec, 'minimum', dtype.min), getattr(spec, 'maximum', dtype.max), spec.name)

    def _to_components(self, value):
        return tf.convert_to_tensor(value, self.dtype)

    def _from_components(self, components):
        return components

    def _serialize(self):
        return self.shape, self.dtype, self._minimum, self._maximum, self.name

    def is_compatible_with(self, spec_or_value):
        """Whether a tensor has this shape and type; the bounds are not looked at."""
        return self._spec.is_compatible_with(spec_or_value)

    def __repr__(self):
        return 'BoundedTensorSpec(shape=%s, dtype=%r, name=%r, minimum=%r, maximum=%r)' % (
            self.shape, self.dtype, self.name, self._minimum, self._maximum)

    def __eq__(self, other):
        return (isinstance(other, BoundedTensorSpec) and self._spec == other._spec and
                (self._minimum == other._minimum).all() and (self._maximum == other._maximum).all())

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return hash((self.shape, self.dtype))

    def __reduce__(self):
        return BoundedTensorSpec, (self.shape, self.dtype, self._minimum, self._maximum, self.name)


# --- tensorflow.python.framework.type_spec ---
class DenseSpec(tf.TypeSpec):
    """The spec of values that have a shape, a dtype and a name, for classes of a program's own."""

    _component_specs = property(lambda self: self)

    def __init__(self, shape, dtype=tf.float32, name=None):
        self._shape, self._dtype, self._name = tf.TensorShape(shape), tf.as_dtype(dtype), name

    shape = property(lambda self: self._shape)
    dtype = property(lambda self: self._dtype)
    name = property(lambda self: self._name)

    def is_compatible_with(self, spec_or_value):
        """Whether a spec or value of this kind can have this shape and dtype."""
        return (isinstance(spec_or_value, (DenseSpec, self.value_type)) and self._dtype.is_compatible_with(spec_or_value.dtype)
                and self._shape.is_compatible_with(spec_or_value.shape))

    def __repr__(self):
        return '%s(shape=%s, dtype=%r, name=%r)' % (type(self).__name__, self.shape, self.dtype, self.name)

    def __hash__(self):
        return hash((self._shape, self._dtype))

    def __eq__(self, other):
        return type(self) is type(other) and self._serialize() == other._serialize()

    def __ne__(self, other):
        return not self == other

    def _serialize(self):
        return self._shape, self._dtype, self._name


class BatchableTypeSpec(tf.TypeSpec):
    """A spec whose values can be stacked, as elements of a dataset are: it says what its own batch is."""

    __batch_encoder__ = None

    def _batch(self, batch_size):
        """The spec of a batch of these."""
        raise NotImplementedError('%s._batch' % type(self).__name__)

    def _unbatch(self):
        """The spec of one of a batch."""
        raise NotImplementedError('%s._unbatch' % type(self).__name__)

    @property
    def _flat_tensor_specs(self):
        return tf.nest.flatten(self._component_specs, expand_composites=True)


# --- tensorflow.python.framework.tensor_shape ---
def as_shape(shape):
    """A shape."""
    return shape if isinstance(shape, tf.TensorShape) else tf.TensorShape(shape)


def unknown_shape(rank=None, **kwargs):
    """A shape of which nothing is known, or only how many dimensions it has."""
    return tf.TensorShape(None if rank is None else [None] * rank)


# --- tensorflow.python.framework.tensor_util ---
def constant_value_as_shape(tensor):
    """The shape that a tensor has as its value, as far as that is known."""
    tensor = tf.convert_to_tensor(tensor)
    known = tf.get_static_value(tensor)
    if known is not None:
        return tf.TensorShape([None if d == -1 else int(d) for d in known])
    if tensor.shape.rank not in (None, 1):
        raise ValueError('Only a vector is a shape, not a tensor of shape %s' % tensor.shape)
    op = tensor.op
    if op.type == 'Shape':
        return op.inputs[0].shape
    if op.type in ('Pack', 'ConcatV2') and (op.type != 'Pack' or op.get_attr('axis') == 0):
        shape = tf.TensorShape([])
        for part in op.inputs if op.type == 'Pack' else op.inputs[:-1]:
            value = tf.get_static_value(part)
            shape = shape.concatenate(constant_value_as_shape(part) if op.type == 'ConcatV2' else
                                      tf.TensorShape([None if value is None or value < 0 else int(value)]))
        return shape
    return unknown_shape(tensor.shape[0])


def is_tensor(x):
    """Whether it is a tensor, a variable or a composite of tensors."""
    return tf.is_tensor(x)


# --- tensorflow.python.framework.composite_tensor, type_spec ---
def replace_composites_with_components(structure):
    """A structure with the tensors of composites in a list in their place."""
    if hasattr(type(structure), '_type_spec') and not isinstance(structure, (tf.Tensor, tf.Variable)):
        return replace_composites_with_components(structure._type_spec._to_components(structure))
    if not tf.nest.is_nested(structure):
        return structure
    return tf.nest.map_structure(replace_composites_with_components, structure, expand_composites=False)


# --- tensorflow.python.saved_model.nested_structure_coder ---
def encode_structure(nested_structure):
    """A structure of specs and plain values as a message."""
    from footlight import _proto
    found = _proto.StructuredValue()
    _structure_coder.fill(found, nested_structure)
    return found


def decode_proto(proto):
    """What encode_structure() was given."""
    return _structure_coder.value_of(proto)


def can_encode(nested_structure):
    """Whether encode_structure() takes it."""
    try:
        encode_structure(nested_structure)
    except _structure_coder.NotEncodableError:
        return False
    return True


# What specs of libraries call of the base class, by the names that Python gives private members.
def _key(self, value):
    """What stands for a part of a spec in a dict: it is hashable, and equal for equal parts."""
    if isinstance(value, dict):
        return tuple((_key(self, name), _key(self, value[name])) for name in sorted(value))
    if isinstance(value, tuple):
        return tuple(_key(self, one) for one in value)
    if isinstance(value, list):
        return list, tuple(_key(self, one) for one in value)
    if isinstance(value, tf.TensorShape):
        return tf.TensorShape, None if value.rank is None else tuple(value.as_list())
    if hasattr(value, 'tolist') and getattr(value, 'shape', ()):  # an array
        return type(value), value.shape, _key(self, value.tolist())
    return value


def _fits(a, b):
    """Whether a part of a spec is compatible with another spec's: classes and keys are equal, specs and shapes compatible."""
    if type(a) is not type(b):
        return False
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(_fits, a, b))
    if isinstance(a, dict):
        return len(a) == len(b) and sorted(a) == sorted(b) and all(_fits(a[name], b[name]) for name in a)
    if isinstance(a, (tf.TypeSpec, tf.TensorShape, tf.DType)):
        return a.is_compatible_with(b)
    return a == b


_engine.extend(tf.TypeSpec, '_TypeSpec__make_cmp_key', _key)
_engine.extend(tf.TypeSpec, '_TypeSpec__is_compatible', staticmethod(_fits))

NotEncodableError = _structure_coder.NotEncodableError
_engine.extend(tf.TypeSpec, '_flat_tensor_specs', property(
    lambda self: tf.nest.flatten(self._component_specs, expand_composites=True), doc='The specs of its tensors, in a row.'))
for _name in ('div', 'rdiv'):  # division as Python 2 called it, which libraries look up
    _engine.extend(tf.Tensor, '__%s__' % _name, getattr(tf.Tensor, '__%s__' % _name.replace('div', 'truediv')))
_engine.extend(tf.Tensor, '_shape_tuple', lambda self: None if self.shape.rank is None else tuple(self.shape.as_list()))
for _path, _names in {
        'framework.composite_tensor': 'replace_composites_with_components',
        'framework.tensor_shape': 'as_shape unknown_shape', 'framework.tensor_spec': 'BoundedTensorSpec DenseSpec',
        'framework.tensor': 'DenseSpec',
        'framework.type_spec': 'BatchableTypeSpec',
        'framework.tensor_util': 'constant_value_as_shape is_tensor',
        'saved_model.nested_structure_coder': 'encode_structure decode_proto can_encode NotEncodableError'}.items():
    for _name in _names.split():
        setattr(_engine.namespace('python.' + _path), _name, globals()[_name])
