"""tensorflow.python.data.ops.dataset_ops: shapes, dtypes and classes of elements as TensorFlow 1 asks for them."""
from __future__ import annotations

import footlight as tf
from footlight._tensorflow.publish import publish
from footlight._tensorflow.python.data.util.nest import map_structure
from footlight._typing import Any


def get_legacy_output_shapes(dataset_or_iterator: Any) -> dict[Any, Any]:
    """The shapes of the elements' values, in their structure."""
    return _of_specs(dataset_or_iterator, lambda spec: spec._to_legacy_output_shapes() if hasattr(
        spec, '_to_legacy_output_shapes') else spec.shape)


def get_legacy_output_types(dataset_or_iterator: Any) -> dict[Any, Any]:
    """The dtypes of the elements' values, in their structure."""
    return _of_specs(dataset_or_iterator, lambda spec: spec._to_legacy_output_types() if hasattr(
        spec, '_to_legacy_output_types') else spec.dtype)


def get_legacy_output_classes(dataset_or_iterator: Any) -> dict[Any, Any]:
    """The classes of the elements' values, in their structure."""
    return _of_specs(dataset_or_iterator, lambda spec: spec.value_type)


def _of_specs(dataset_or_iterator, what):
    return map_structure(what, dataset_or_iterator.element_spec)
INFINITE, UNKNOWN = tf.data.INFINITE_CARDINALITY, tf.data.UNKNOWN_CARDINALITY
publish(globals(), 'get_legacy_output_shapes get_legacy_output_types get_legacy_output_classes INFINITE UNKNOWN')
publish(globals(), (
    'get_legacy_output_shapes get_legacy_output_types get_legacy_output_classes'), 'python.data.ops.iterator_ops')
