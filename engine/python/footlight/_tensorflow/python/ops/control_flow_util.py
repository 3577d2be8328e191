"""tensorflow.python.ops.control_flow_util: which operations are control flow, of which graphs."""
from __future__ import annotations

from footlight._tensorflow.publish import publish
from footlight._typing import Any

ENABLE_CONTROL_FLOW_V2 = True


def IsSwitch(op: Any) -> bool:
    """Whether the operation leads into a branch of TensorFlow 1."""
    return op.type in ('Switch', 'RefSwitch')


def IsMerge(op: Any) -> bool:
    """Whether the operation joins branches of TensorFlow 1."""
    return op.type in ('Merge', 'RefMerge')


def IsInWhileLoop(op: Any) -> bool:
    """Whether the operation is in a loop of TensorFlow 1: there are none."""
    return False


def IsInCond(op: Any) -> bool:
    """Whether the operation is in a branch of TensorFlow 1: there are none."""
    return False


def EnableControlFlowV2(graph: Any) -> bool:
    """Whether branches and loops have graphs of their own: always."""
    return True


IsCondSwitch = IsSwitch


def GraphOrParentsInXlaContext(graph: Any) -> bool:
    """Whether what is traced is compiled for XLA: never."""
    return False


publish(globals())
publish(globals(), 'ENABLE_CONTROL_FLOW_V2 IsCondSwitch')
