"""tensorflow.python.eager.wrap_function: functions of GraphDef messages."""
import footlight as tf
from footlight._graphs import graph_def as _graph_def
from footlight._tensorflow.publish import publish


def function_from_graph_def(graph_def, inputs, outputs, captures=None):
    """The part of a GraphDef that computes `outputs`, as a function of the tensors that are named as inputs."""
    wrapped = _graph_def.wrap_function(lambda: tf.graph_util.import_graph_def(graph_def, name=''), [])
    graph = wrapped.graph
    element = lambda name: graph.as_graph_element(name)
    return wrapped.prune(tf.nest.map_structure(element, inputs), tf.nest.map_structure(element, outputs))


publish(globals())
