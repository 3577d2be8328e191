"""Runs a trace on tensors of other shapes than it was traced for, as TensorFlow does where each tensor is given by itself."""
import footlight as tf
from footlight import _engine
from footlight._graphs import graph_def as _graph_def


def run(concrete, tensors):
    """The outputs in a row, or None where the graph calls other graphs, which are traced for their shapes too."""
    graph = concrete.graph
    made = graph._state.get('for_any_shapes')
    if made is None:
        try:
            made = _copy(concrete, len(tensors))
        except tf.errors.UnimplementedError:
            made = False
        graph._state['for_any_shapes'] = made
    return list(made(*tensors)) if made else None


def _copy(concrete, parameters):
    """The same graph as a function that says nothing of shapes."""
    graph = concrete.graph
    captured = _graph_def._captures(concrete)

    def body(*values):
        _engine.as_written()
        return _engine.inline_graph(
            graph, concrete.inputs[:parameters] + [inner for inner, _ in captured],
            list(values) + [outer for _, outer in captured], concrete.outputs, list(graph.control_outputs), True)

    body.__name__ = body.__qualname__ = graph.name
    specs = [tf.TensorSpec(t.shape if t.dtype in (tf.resource, tf.variant) else None, t.dtype, name=t.op.name)
             for t in concrete.inputs[:parameters]]
    with tf.init_scope():
        return tf.function(body, autograph=False).get_concrete_function(*specs)
