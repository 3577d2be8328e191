"""tensorflow.python.framework.composite_tensor: the tensors of which values consist."""
import footlight as tf
from footlight._tensorflow.publish import publish


def replace_composites_with_components(structure):
    """A structure with the tensors of composites in a list in their place."""
    if hasattr(type(structure), '_type_spec') and not isinstance(structure, (tf.Tensor, tf.Variable)):
        return replace_composites_with_components(structure._type_spec._to_components(structure))
    if not tf.nest.is_nested(structure):
        return structure
    return tf.nest.map_structure(replace_composites_with_components, structure, expand_composites=False)


publish(globals())
