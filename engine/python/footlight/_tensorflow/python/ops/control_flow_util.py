"""tensorflow.python.ops.control_flow_util: which operations are control flow, of which graphs."""
from footlight._tensorflow.publish import publish

ENABLE_CONTROL_FLOW_V2 = True


def IsSwitch(op):
    """Whether the operation leads into a branch of TensorFlow 1."""
    return op.type in ('Switch', 'RefSwitch')


def IsMerge(op):
    """Whether the operation joins branches of TensorFlow 1."""
    return op.type in ('Merge', 'RefMerge')


def IsInWhileLoop(op):
    """Whether the operation is in a loop of TensorFlow 1: there are none."""
    return False


def IsInCond(op):
    """Whether the operation is in a branch of TensorFlow 1: there are none."""
    return False


def EnableControlFlowV2(graph):
    """Whether branches and loops have graphs of their own: always."""
    return True


IsCondSwitch = IsSwitch


def GraphOrParentsInXlaContext(graph):
    """Whether what is traced is compiled for XLA: never."""
    return False


publish(globals(), (
    'ENABLE_CONTROL_FLOW_V2 IsSwitch IsMerge IsInWhileLoop IsInCond EnableControlFlowV2 '
    'IsCondSwitch GraphOrParentsInXlaContext'))
