"""tf.train.ExponentialMovingAverage, and tf.train.CheckpointView: the objects of a checkpoint."""
from __future__ import annotations

import collections

import footlight as tf
from footlight import _engine, _proto
from footlight._graphs.graph import made_beside
from footlight._public import publish
from footlight._saving import object_graph as _object_graph
from footlight._typing import Any

_FLOATS = (tf.bfloat16, tf.float16, tf.float32, tf.float64)


class ExponentialMovingAverage:
    """Averages of variables, in which each later value weighs more."""

    def __init__(self, decay, num_updates=None, zero_debias=False, name='ExponentialMovingAverage'):
        self._decay, self._num_updates, self._zero_debias, self._name = decay, num_updates, zero_debias, name
        self._averages = {}

    name = property(lambda self: self._name, doc='The name, part of those of its variables.')

    def apply(self, var_list=None):
        """Makes an average of each variable, or updates it."""
        variables = list(tf.compat.v1.trainable_variables() if var_list is None else var_list)
        for variable in variables:
            if isinstance(variable, tf.Tensor):
                raise TypeError('tf.train.ExponentialMovingAverage does not support non-Variable tensors when eager '
                                'execution is enabled.')
            if variable.dtype not in _FLOATS:
                raise TypeError(f'The variables must be half, float, or double: {variable.name}')
            if variable.ref() not in self._averages:
                with made_beside(variable):
                    first = variable.initialized_value() if getattr(variable, '_made_in', None) else variable.read_value()
                    made = tf.Variable(first, trainable=False, name=f"{variable.name.split(':')[0]}/{self._name}")
                    made._first = first if getattr(made, '_made_in', None) else None
                    self._averages[variable.ref()] = made
        decay = tf.convert_to_tensor(self._decay, tf.float32)
        if self._num_updates is not None:
            updates = tf.cast(self._num_updates, tf.float32)
            decay = tf.minimum(decay, (1. + updates) / (10. + updates))
        updates_made = []
        for variable in variables:
            average = self._averages[variable.ref()]
            rest = tf.cast(1. - decay, average.dtype)
            updates_made.append(average.assign_sub((average - variable) * rest))
        if tf.executing_eagerly() or tf.inside_function():
            return tf.no_op()
        return tf.group(*[update._update for update in updates_made])

    def average(self, var: Any) -> tf.Variable:
        """The average of a variable; None where there is none yet."""
        return self._averages.get(var.ref())

    def average_name(self, var):
        """The name that the average of a variable has, or would have."""
        known = self.average(var)
        return known.name.split(':')[0] if known is not None else f"{var.name.split(':')[0]}/{self._name}"

    def variables_to_restore(self, moving_avg_variables=None):
        """Variables by the names under which they are restored: those with an average by its name."""
        if moving_avg_variables is None:
            moving_avg_variables = [ref.deref() for ref in self._averages]
        found = {self.average_name(v): v for v in moving_avg_variables}
        return found


class CheckpointView:
    """The objects of a checkpoint, by their numbers; 0 is the root."""

    def __init__(self, save_path: Any) -> None:
        file = _engine.open_tensors(save_path)
        if _object_graph.GRAPH_KEY not in _engine.tensors_in(file):
            raise ValueError(f'The specified checkpoint "{save_path}" does not appear to be object-based (saved with '
                             f'TF2) since it is missing the key "{_object_graph.GRAPH_KEY}".')
        self._graph = _proto.TrackableObjectGraph()
        self._graph.ParseFromString(_engine.read_tensor(file, _object_graph.GRAPH_KEY).numpy())

    def children(self, node_id: Any) -> dict[Any, Any]:
        """The numbers of the children of an object, by their names."""
        return {child.local_name: child.node_id for child in self._graph.nodes[node_id].children}

    def descendants(self) -> Any:
        """The numbers of all objects, breadth first."""
        found, todo = {0: None}, collections.deque([0])
        while todo:
            for child in self.children(todo.popleft()).values():
                if child not in found:
                    found[child] = None
                    todo.append(child)
        return list(found)

    def match(self, obj: Any) -> dict[Any, Any]:
        """The objects below `obj` that have the same place, by the numbers of those of the checkpoint."""
        if not isinstance(obj, _object_graph.Trackable):
            raise ValueError(f'Expected a Trackable, got {obj!s} of type {type(obj)}.')
        found, todo, visited = {0: obj}, collections.deque([(0, obj)]), set()
        while todo:
            number, here = todo.popleft()
            there = _object_graph.children_of(here)
            for name, child in self.children(number).items():
                if child in visited or child == 0 or name not in there:
                    continue
                if child not in found:
                    found[child] = there[name]
                    todo.append((child, there[name]))
                elif found[child] is not there[name]:
                    tf.get_logger().warning('Inconsistent references when matching the checkpoint into this object '
                                            f'graph. The referenced objects are: ({found[child]!r} and '
                                            f'{there[name]!r}).')
            visited.add(number)
        return found

    def diff(self, obj: Any) -> tuple[Any, ...]:
        """(what matches, numbers that are only in the checkpoint, objects that are only below `obj`)."""
        both = self.match(obj)
        known = {id(o) for o in both.values()}
        return (both, [n for n in self.descendants() if n not in both],
                [o for o in _object_graph.Listing(obj).objects if id(o) not in known])


publish('tf.train', ExponentialMovingAverage, CheckpointView)
