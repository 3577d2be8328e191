"""Members of tf.Graph and tf.Operation that follow from those written in C++."""
import footlight as tf
from footlight import _engine


def _element(self, obj, allow_tensor=True, allow_operation=True):
    """The operation or tensor of this graph that `obj` is, or names ("add", "add:0")."""
    if not isinstance(obj, str):
        named = getattr(obj, 'name', None)
        if isinstance(obj, tf.Operation if allow_operation else ()) or isinstance(obj, tf.Tensor if allow_tensor else ()):
            if obj.graph != self:
                raise ValueError('%r is not an element of this graph.' % named)
            return obj
        raise TypeError('Can not convert a %s into a Tensor or Operation.' % type(obj).__name__)
    if ':' in obj:
        if not allow_tensor:
            raise ValueError('Name %r appears to refer to a Tensor, not an Operation.' % obj)
        return self.get_tensor_by_name(obj)
    if not allow_operation:
        raise ValueError('Name %r appears to refer to an Operation, not a Tensor.' % obj)
    return self.get_operation_by_name(obj)


def _while_built(function):
    """A function of the graph that is being built, as a method of graphs."""
    def method(self, *args, **kwargs):
        return function(*args, **kwargs)
    method.__name__, method.__doc__ = function.__name__, function.__doc__
    return method


_GRAPH = {
    'operations': property(lambda self: self.get_operations(), doc='All nodes, in the order in which they were made.'),
    'num_operations': lambda self: len(self.get_operations()),
    'version': property(lambda self: len(self.get_operations()), doc='The number of nodes.'),
    'building_function': property(lambda self: True, doc='True: graphs are those of traced functions.'),
    'seed': property(lambda self: None, doc='None: the seed is that of tf.random.set_seed.'),
    'as_graph_element': _element,
    'is_feedable': lambda self, tensor: True,
    'is_fetchable': lambda self, tensor_or_op: True,
    'control_dependencies': _while_built(tf.control_dependencies),
    'name_scope': _while_built(tf.name_scope),
    'device': _while_built(tf.device),
    'get_name_scope': _while_built(tf.get_current_name_scope),
}
_OPERATION = {
    'values': lambda self: tuple(self.outputs),
    'colocation_groups': lambda self: [('loc:@' + self.name).encode()],
}
for _kind, _members in ((tf.Graph, _GRAPH), (tf.Operation, _OPERATION)):
    for _name, _member in _members.items():
        _engine.extend(_kind, _name, _member)
