"""tensorflow.python.eager.lift_to_graph: tensors of one graph, and what they are computed from, copied to another."""
import footlight as tf
from footlight import _engine
from footlight._tensorflow.publish import publish
from footlight._tensorflow.python.util import object_identity as _object_identity


class UnliftableError(Exception):
    """Raised where what was asked for depends on what cannot be copied."""
    ag_pass_through = True


def lift_to_graph(tensors, graph, sources=None, disallowed_placeholders=None, add_sources=False, handle_captures=False,
                  base_graph=None, op_map=None):
    """Copies tensors with all that they need into another graph; what each became, by what it was."""
    tensors = [t if isinstance(t, (tf.Tensor, tf.Operation)) else t.handle for t in tf.nest.flatten(tensors)]
    sources = [t if isinstance(t, tf.Tensor) else t.handle for t in tf.nest.flatten(sources or [])]
    base_graph = base_graph or tensors[0].graph
    done = _object_identity.ObjectIdentityDictionary() if op_map is None else op_map
    needed, waiting = {}, [t.op if isinstance(t, tf.Tensor) else t for t in tensors]
    stop = {t.op.name for t in sources}
    while waiting:
        op = waiting.pop()
        if op.name in needed:
            continue
        needed[op.name] = op
        if op.name in stop:
            continue
        if op.type == 'Placeholder' and not add_sources:
            raise UnliftableError(f'Unable to lift tensor {tensors[0]!r} because it depends transitively on '
                                  f'placeholder {op!r}')
        waiting.extend([t.op for t in op.inputs] + list(op.control_inputs))
    left = [t for op in needed.values() if op.type == 'Placeholder' or op.name in stop for t in op.outputs]
    outside = {}
    if handle_captures and base_graph.building_function:
        captures = list(base_graph.captures)
        outside = {inner.name: outer for outer, inner in captures}
        places = {inner.name: i for i, (_, inner) in enumerate(captures)}
        left.sort(key=lambda t: places.get(t.name, -1))  # captures keep their order
    with graph.as_default():
        stand = []
        for t in left:
            stand.append(graph.capture(outside[t.name], name=t.op.name) if t.name in outside else
                         _engine.placeholder(t.dtype, t.shape, t.op.name))
        wanted = [t for t in tensors if isinstance(t, tf.Tensor)]
        found = _engine.inline_graph(base_graph, left, stand, wanted, [t for t in tensors if isinstance(t, tf.Operation)])
    for old, new in [*zip(left, stand), *zip(wanted, found)]:
        done[old], done[old.op] = new, new.op
    return done


publish(globals())
