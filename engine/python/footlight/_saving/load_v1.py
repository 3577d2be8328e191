"""tf.saved_model.load of a SavedModel of TensorFlow 1: a graph with signatures, without objects."""
from __future__ import annotations

import footlight as tf
from footlight import _engine
from footlight._graphs import session as _session
from footlight._tensorflow.compat.v1 import saved_model as _saved_model
from footlight._saving.load import SignatureMap
from footlight._saving.trackable import AutoTrackable
from footlight._typing import Any, Callable

_v1 = tf.compat.v1


class _LoadedGraph(AutoTrackable):
    """The root: its signatures, and parts of its graph as functions."""

    def prune(self, feeds: str, fetches: str, name: str | None = None) -> Callable[..., Any]:
        """A function of the tensors `feeds` that gives `fetches`, a structure of tensors and operations or their names."""
        graph = self.graph
        inputs = [graph.as_graph_element(feed, allow_operation=False) for feed in tf.nest.flatten(feeds)]
        wanted = [graph.as_graph_element(one) for one in tf.nest.flatten(fetches)]
        tensors = [one for one in wanted if isinstance(one, tf.Tensor)]
        made = _session.part(graph, inputs, tensors, [one for one in wanted if not isinstance(one, tf.Tensor)],
                             self._captured(inputs), name or 'pruned')

        names = [feed.op.name for feed in inputs]

        def function(*values, **named):
            """The fetches in their structure; None for operations. Values may be given by the names of the feeds."""
            unknown = sorted(set(named) - set(names[len(values):]))
            if unknown or len(values) + len(named) != len(names):
                raise TypeError(f'the function takes a value for each of {names}, got {len(values)} in order and {sorted(named)}')
            results = iter(made(*values, *[named[name] for name in names[len(values):]]))
            return tf.nest.pack_sequence_as(fetches, [next(results) if isinstance(one, tf.Tensor) else None for one in wanted])
        return function

    def _captured(self, inputs: list[Any]) -> list[Any]:
        given = {tensor.name for tensor in inputs}
        return [pair for name, pair in self._session._kept().items() if name not in given]

    def _signature(self, key: str, definition: Any) -> Any:
        """The concrete function that a signature describes."""
        graph = self.graph
        fed = [pair for one in sorted(definition.inputs) for pair in _saved_model.names_in_info(one, definition.inputs[one])]
        keys, inputs = [name for name, _ in fed], [graph.get_tensor_by_name(name) for _, name in fed]
        results = sorted(definition.outputs)
        parts = [[name for _, name in _saved_model.names_in_info(one, definition.outputs[one])] for one in results]
        outputs = [graph.get_tensor_by_name(name) for names in parts for name in names]
        captured = self._captured(inputs)

        def signature_wrapper(**values):
            _engine.as_written()
            found = _engine.inline_graph(graph, inputs + [tensor for tensor, _ in captured], [values[one] for one in keys] +
                                         [value for _, value in captured], outputs, [])
            tensors, given = iter(found), {}
            for names, one in zip(parts, results):
                info = definition.outputs[one]
                given[one] = _saved_model.composed(info, [next(tensors) for _ in names])
                if isinstance(given[one], tf.Tensor):
                    given[one].set_shape(tf.TensorShape(info.tensor_shape))
            return given
        signature_wrapper.__name__ = f'signature_wrapper_{key}'
        specs = {one: tf.TensorSpec(tensor.shape, tensor.dtype, name=one) for one, tensor in zip(keys, inputs)}
        return tf.function(signature_wrapper, autograph=False).get_concrete_function(**specs)


def load(folder, meta):
    """The root object of a SavedModel whose graph is in `meta`."""
    root = _LoadedGraph()
    with tf._eager_scope():
        root.graph = tf.Graph()
        session = _v1.Session(graph=root.graph)
        _saved_model.load(session, list(meta.meta_info_def.tags), folder)
        object.__setattr__(root, '_session', session)  # which holds the values of variables
        signatures = SignatureMap()
        for key, definition in sorted(dict(meta.signature_def).items()):
            if key != '__saved_model_init_op' and definition.outputs:
                signatures._functions[key] = root._signature(key, definition)
    root.signatures = signatures
    found = {id(v): v for function in signatures.values() for v in function._captured_variables if v is not None}
    root.variables = list(found.values())
    root.trainable_variables = [variable for variable in root.variables if variable.trainable]
    root.tensorflow_version = meta.meta_info_def.tensorflow_version
    return root
