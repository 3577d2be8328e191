"""tensorflow.python.ops.op_selector: the operations that others are computed from."""
from __future__ import annotations

import collections
import collections.abc

import footlight as tf
from footlight._tensorflow.publish import publish
from footlight._typing import Any


def _operations(initial: Any) -> list[Any]:
    return [t.op if isinstance(t, tf.Tensor) else t for t in tf.nest.flatten(initial)]


def get_backward_walk_ops(seed_ops: Any, inclusive: bool = True, within_ops: Any = None, within_ops_fn: Any = None,
                          stop_at_ts: Any = (), control_inputs: bool = False) -> Any:
    """The operations that others need, those first from which the walk begins."""
    stop = {t.name for t in tf.nest.flatten(list(stop_at_ts))}
    within = None if within_ops is None else {op.name for op in within_ops}
    seeds = _operations(seed_ops)
    found, seen, waiting = [], set(), collections.deque(seeds)
    while waiting:
        op = waiting.popleft()
        if op.name in seen or within is not None and op.name not in within or within_ops_fn and not within_ops_fn(op):
            continue
        seen.add(op.name)
        found.append(op)
        waiting.extend(t.op for t in op.inputs if t.name not in stop)
        if control_inputs:
            waiting.extend(op.control_inputs)
    first = {op.name for op in seeds}
    return found if inclusive else [op for op in found if op.name not in first]


publish(globals())
