"""tensorflow.python.framework.function_def_to_graph: graphs of FunctionDef messages."""
from __future__ import annotations

import footlight as tf
from footlight._tensorflow.publish import publish
from footlight._typing import Any


def function_def_to_graph(fdef, structured_input_signature=None, structured_outputs=None, input_shapes=None,
                          propagate_device_spec=False, include_library_functions=False):
    """The graph of a function that is given as FunctionDef."""
    if input_shapes is None and structured_input_signature is not None and not isinstance(structured_input_signature, tuple):
        input_shapes, structured_input_signature = structured_input_signature, None
    definition, names = function_def_to_graph_def(fdef, input_shapes)
    wanted = [names.get(fdef.ret[out.name], fdef.ret[out.name]) for out in fdef.signature.output_arg]

    def body():
        tensors = tf.graph_util.import_graph_def(definition, name='', return_elements=wanted)
        return tensors
    graph = tf.__internal__.FuncGraph(fdef.signature.name)
    with graph.as_default():
        outputs = body() or []
    graph.inputs = [graph.get_tensor_by_name(arg.name + ':0') for arg in fdef.signature.input_arg]
    graph.outputs = list(outputs)
    graph.structured_outputs = structured_outputs
    graph.structured_input_signature = structured_input_signature
    return graph


def function_def_to_graph_def(fdef: Any, input_shapes: Any = None,
                              include_library_functions: bool = False) -> tuple[Any, ...]:
    """A function as GraphDef, its arguments as placeholders, and the names in it of the outputs of nodes."""
    from footlight import _proto
    graph = _proto.GraphDef()
    graph.versions.producer = 1395
    default = tf.compat.v1.get_default_graph()
    definition, names = default.as_graph_def(), {}
    graph.library.CopyFrom(definition.library)
    if input_shapes is not None and len(input_shapes) != len(fdef.signature.input_arg):
        raise ValueError('Length of `input_shapes` must match the number of `input_arg`s in `fdef`. Got '
                         f'{len(input_shapes)} `input_shapes` and {len(fdef.signature.input_arg)} `input_arg`s.')
    for i, arg in enumerate(fdef.signature.input_arg):
        node = graph.node.add(name=arg.name, op='Placeholder')
        node.attr['dtype'].type = arg.type
        given = fdef.arg_attr[i].attr if i in fdef.arg_attr else {}
        shape = input_shapes[i] if input_shapes is not None else None
        if shape is not None:
            node.attr['shape'].shape.CopyFrom(tf.TensorShape(shape).as_proto())
        elif '_output_shapes' in given:
            node.attr['shape'].shape.CopyFrom(given['_output_shapes'].list.shape[0])
        else:
            node.attr['shape'].shape.unknown_rank = True
        if '_user_specified_name' in given:
            node.attr['_user_specified_name'].CopyFrom(given['_user_specified_name'])
        names[arg.name] = arg.name + ':0'
    for node in fdef.node_def:
        count = 0
        for out in tf.Graph().op_def_for_type(node.op).output_arg:
            size = (node.attr[out.number_attr].i if out.number_attr else
                    len(node.attr[out.type_list_attr].list.type) if out.type_list_attr else 1)
            for k in range(size):
                names[f'{node.name}:{out.name}:{k}'] = f'{node.name}:{count + k}'
            count += size
        names['^' + node.name] = '^' + node.name
    for node in fdef.node_def:
        made = graph.node.add()
        made.CopyFrom(node)
        del made.input[:]
        made.input.extend(names.get(name, name) for name in node.input)
    return graph, names


publish(globals())
