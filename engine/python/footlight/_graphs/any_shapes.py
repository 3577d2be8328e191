"""Runs a trace on tensors of other shapes than it was traced for, as TensorFlow does where each tensor is given by itself."""
import footlight as tf
from footlight import _engine
from footlight._graphs import graph_def as _graph_def


def run(concrete, tensors):
    """The outputs in a row, or None where the graph calls other graphs, which are traced for their shapes too."""
    captured = _graph_def._captures(concrete)
    state, now = concrete.graph._state, [value._id for _, value in captured]
    before, made = state.get('for_any_shapes', (None, None))
    if before != now:  # the first call, or the captures have changed since
        try:
            made = _copy(concrete, len(tensors), captured)
        except tf.errors.UnimplementedError:
            made = None
        state['for_any_shapes'] = now, made
    return None if made is None else list(made(*tensors))


def _copy(concrete, parameters, captured):
    """Copies the graph into a function without static shapes."""
    graph = concrete.graph

    def body(*values):
        _engine.as_written()
        return _engine.inline_graph(
            graph, concrete.inputs[:parameters] + [inner for inner, _ in captured],
            list(values) + [outer for _, outer in captured], concrete.outputs, list(graph.control_outputs), True)

    body.__name__ = body.__qualname__ = graph.name
    specs = [tf.TensorSpec(t.shape if t.dtype in (tf.resource, tf.variant) else None, t.dtype, name=t.op.name)
             for t in concrete.inputs[:parameters]]
    with tf._eager_scope():
        return tf.function(body, autograph=False).get_concrete_function(*specs)
