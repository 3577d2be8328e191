"""tf.init_scope: outside of the functions that are traced, which is eager or the tf.Graph that a program builds."""
from __future__ import annotations

import contextlib

import footlight as tf
from footlight._public import alias, publish
from footlight._typing import Any, Iterator

alias('tf', _eager_scope=tf.init_scope)  # always eager: for work of the library itself while a graph is built


def init_scope():
    """Runs ops outside of all functions that are being traced: in the tf.Graph that they are in, or eagerly."""
    from footlight._graphs import graph as _graph
    around = _graph.graph_of_variables()
    return tf._eager_scope() if around is None or around.building_function else _in_graph(around)


@contextlib.contextmanager
def _in_graph(graph: tf.Graph) -> Iterator[Any]:
    """A context of a graph, with the name scope that was entered, without control dependencies."""
    scope = tf.get_current_name_scope()
    with graph.as_default(), tf.control_dependencies(None), tf.name_scope(scope + '/' if scope else ''):
        yield


publish('tf', init_scope)
