"""tensorflow.python.eager.polymorphic_function.concrete_function: the class of concrete functions."""
import footlight as tf
from footlight._graphs import graph_def as _graph_def, session as _session
from footlight._tensorflow.internal import for_keras as _for_keras
from footlight._tensorflow.publish import publish

_Concrete = tf.types.experimental.ConcreteFunction


def from_func_graph(graph, function_type=None, attrs=None, shared_func_graph=True):
    """The concrete function of a graph: that which was traced, or one made of a graph that was built by hand."""
    if 'concrete' in graph._state and not attrs:
        return graph._state['concrete']
    captured = list(graph.captures)
    inside = [inner for _, inner in captured]
    feeds = [t for t in graph.inputs if not any(t is inner for inner in inside)]
    outputs = [t for t in tf.nest.flatten(graph.outputs) if t is not None]
    made = _session.part(graph, feeds, outputs, graph.control_outputs, [(inner, outer) for outer, inner in captured],
                         graph.name)
    structure = graph.structured_outputs
    return made if structure is None or isinstance(structure, list) else _graph_def.WrappedFunction(
        made, lambda results: tf.nest.map_structure(lambda t: t if t is None else next(results), structure))
class ConcreteFunction(metaclass=_for_keras.ByKind):
    """Concrete functions, and how one is made of a graph."""

    kind = _Concrete
    from_func_graph = staticmethod(from_func_graph)


publish(globals(), 'ConcreteFunction')
