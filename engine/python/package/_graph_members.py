"""Members of tf.Graph and tf.Operation that follow from those written in C++."""
import footlight as tf
from footlight import _engine

_GRAPH = {
    'seed': property(lambda self: None, doc='None: the seed is that of tf.random.set_seed.'),
    'get_name_scope': lambda self: tf.get_current_name_scope(),
}
_OPERATION = {
    'colocation_groups': lambda self: [('loc:@' + self.name).encode()],
}
for _kind, _members in ((tf.Graph, _GRAPH), (tf.Operation, _OPERATION)):
    for _name, _member in _members.items():
        _engine.extend(_kind, _name, _member)
