"""The gradients that a SavedModel has for its functions: registered for as long as someone may ask for them."""
from __future__ import annotations

import itertools
import weakref

import footlight as tf
from footlight._saving.loaded_functions import LoadedTrace, RestoredResource, tensor_of
from footlight._typing import Any


class _SavedGradient:
    """The gradient of a function that the program gave, tf.custom_gradient, of the file."""

    def __init__(self, loader: Any, name: str) -> None:
        self._trace = LoadedTrace(loader, name)
        nodes = [loader.nodes[number] for number in self._trace.bound]
        names = [node.captured_tensor.name if node.WhichOneof('kind') == 'captured_tensor' else None for node in nodes]
        # The registry holds this object, so it must not keep the loader alive, nor captures longer than needed.
        captured = [one.resource_handle if isinstance(one, RestoredResource) else one for one in self._trace._captured()]
        loader.gradients.captured[name] = list(zip(names, captured))
        self._gradients, self._name, self._trace._loader = weakref.ref(loader.gradients), name, None

    def __call__(self, op, *gradients):
        given = [tf.zeros_like(output) if gradient is None else tf.convert_to_tensor(gradient)
                 for output, gradient in zip(op.outputs, gradients)]
        return self._trace._called(given + [tensor_of(one) if name is None else op.graph.get_tensor_by_name(name)
                                            for name, one in self._gradients().captured[self._name]])


class Gradients:
    """Captures of the registered gradients of a file, which stay registered while this object lives."""

    def __init__(self):
        self.captured = {}  # name of the gradient's function -> [(name of a tensor in the graph of the op or None, object)]


_loads = itertools.count(1)  # makes the names of this file's gradients unique


def rename(loader: Any) -> None:
    """Gives the gradients of a file names that no other file has."""
    library, load = loader.definition.library, next(_loads)
    names = {one.registered_op_type.encode(): f'{one.registered_op_type}-loaded-{load}' for one in library.registered_gradients}
    if not names:
        return
    for function in library.function:
        for node in function.node_def:
            if '_gradient_op_type' in node.attr and node.attr['_gradient_op_type'].s in names:
                node.attr['_gradient_op_type'].s = names[node.attr['_gradient_op_type'].s].encode()
    for one in library.registered_gradients:
        one.registered_op_type = names[one.registered_op_type.encode()]


def register(loader):
    """Makes the gradients of a file those of its functions' ops, for as long as someone may ask for them."""
    known = tf.RegisterGradient._known
    for one in loader.definition.library.registered_gradients:
        tf.RegisterGradient(one.registered_op_type)(_SavedGradient(loader, one.gradient_func))
        weakref.finalize(loader.gradients, known.pop, one.registered_op_type, None)
