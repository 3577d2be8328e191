"""tensorflow.python.framework.auto_control_deps: ops with effects in the order of the program."""
from __future__ import annotations

import footlight as tf
from footlight._tensorflow.publish import publish
from footlight._tensorflow.python.util import tf_decorator as _tf_decorator
from footlight._typing import Any


class AutomaticControlDependencies:
    """A context in which effects of a graph happen in the order in which they are made."""

    def __init__(self, record_initial_resource_uses=False):
        self._returned, self._seen = [], None

    def __enter__(self) -> AutomaticControlDependencies:
        if not tf.executing_eagerly():
            graph = tf.compat.v1.get_default_graph()
            self._graph, self._seen = graph, graph.num_operations()
        return self

    def mark_as_return(self, tensor):
        """The tensor as it is returned: when all effects before have happened."""
        if tf.executing_eagerly() or tensor is None:
            return tensor
        if isinstance(tensor, (tf.IndexedSlices, tf.SparseTensor, tf.RaggedTensor)):
            return tf.nest.map_structure(self.mark_as_return, tensor, expand_composites=True)
        return self._after_effects(tensor)

    def _after_effects(self, tensor: tf.Tensor) -> tf.Tensor:
        effects = [op for op in self._graph.get_operations()[self._seen:] if op_is_stateful(op)]
        with tf.control_dependencies(effects):
            return tf.identity(tensor)

    @property
    def ops_which_must_run(self) -> Any:
        """The operations with effects that were made inside."""
        return {op for op in self._graph.get_operations()[self._seen:] if op_is_stateful(op)}

    def __exit__(self, *error: Any) -> None:
        return None


def automatic_control_dependencies(f):
    """Decorates a function: in a graph what it returns is there when its effects have happened."""
    def wrapper(*args, **kwargs):
        with AutomaticControlDependencies() as scope:
            result = f(*args, **kwargs)
            return tf.nest.map_structure(lambda t: scope.mark_as_return(tf.convert_to_tensor(t)), result)
    return _tf_decorator.make_decorator(f, wrapper, 'decorator')


def op_is_stateful(op):
    """Whether the operation has an effect, or reads what others change."""
    return op._is_stateful and op.type not in ('ReadVariableOp', 'VarHandleOp', 'Placeholder')


publish(globals())
