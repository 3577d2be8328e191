"""tensorflow.python.ops.control_flow_util_v2: in what kind of function a program is."""
from __future__ import annotations

from footlight import _engine
from footlight._graphs import graph as _graph
from footlight._tensorflow.publish import publish
from footlight._typing import Any


def in_defun() -> Any:
    """Whether a function is traced."""
    graph = _engine.current_graph()
    while graph is not None and graph.is_control_flow_graph:
        graph = _graph.graph_around(graph)
    return graph is not None and graph.building_function


def in_while_loop_defun(graph):
    """Whether a loop is traced."""
    return graph is not None and graph.is_control_flow_graph


def output_all_intermediates() -> bool:
    """Whether branches give what gradients need besides what they return: where gradients are asked for."""
    return False


publish(globals())
