"""Collections of the default graph by their names in tf.compat.v1: what is kept for whoever asks later."""
from __future__ import annotations

import footlight as tf
from footlight._graphs.graph import get_default_graph
from footlight._public import publish
from footlight._typing import Any, Callable

_v1 = tf.compat.v1


class GraphKeys:
    """The names of the usual collections."""

    GLOBAL_VARIABLES, TRAINABLE_VARIABLES, LOCAL_VARIABLES = 'variables', 'trainable_variables', 'local_variables'
    MODEL_VARIABLES, MOVING_AVERAGE_VARIABLES = 'model_variables', 'moving_average_variables'
    METRIC_VARIABLES, GLOBAL_STEP, EVAL_STEP = 'metric_variables', 'global_step', 'eval_step'
    LOSSES, REGULARIZATION_LOSSES, UPDATE_OPS, TRAIN_OP = 'losses', 'regularization_losses', 'update_ops', 'train_op'
    WEIGHTS, BIASES, ACTIVATIONS = 'weights', 'biases', 'activations'
    SUMMARIES, SUMMARY_OP, SAVERS, SAVEABLE_OBJECTS = 'summaries', 'summary_op', 'savers', 'saveable_objects'
    INIT_OP, LOCAL_INIT_OP, READY_OP, READY_FOR_LOCAL_INIT_OP = (
        'init_op', 'local_init_op', 'ready_op', 'ready_for_local_init_op')
    TABLE_INITIALIZERS, ASSET_FILEPATHS, QUEUE_RUNNERS, RESOURCES = (
        'table_initializer', 'asset_filepaths', 'queue_runners', 'resources')
    COND_CONTEXT, WHILE_CONTEXT = 'cond_context', 'while_context'


def _of_default_graph(name: str) -> Callable[..., Any]:
    """The function that does this with the collections of the default graph."""
    method = getattr(tf.Graph, name)

    def function(*args, **kwargs):
        return method(get_default_graph(), *args, **kwargs)
    function.__name__ = function.__qualname__ = name
    function.__doc__, function.__module__ = method.__doc__, 'footlight.compat.v1'
    return function


for _name in ('get_collection', 'get_collection_ref', 'add_to_collection', 'add_to_collections'):
    setattr(_v1, _name, _of_default_graph(_name))
publish('tf.compat.v1', GraphKeys)


def _listed(name: str) -> Callable[..., Any]:
    """The function that lists one of the collections of variables."""
    def variables(scope=None):
        return get_default_graph().get_collection(name, scope)
    variables.__name__ = variables.__qualname__ = name if name != GraphKeys.GLOBAL_VARIABLES else 'global_variables'
    variables.__doc__, variables.__module__ = f"The {name.replace('_', ' ')} of the graph.", 'footlight.compat.v1'
    return variables


for _name in (GraphKeys.GLOBAL_VARIABLES, GraphKeys.TRAINABLE_VARIABLES, GraphKeys.LOCAL_VARIABLES, GraphKeys.MODEL_VARIABLES,
              GraphKeys.MOVING_AVERAGE_VARIABLES):
    _made = _listed(_name)
    setattr(_v1, _made.__name__, _made)
