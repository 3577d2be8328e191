"""tf.compat.v1.losses: losses that are weighted, reduced to a number and kept in a collection of the graph."""
from __future__ import annotations

import footlight as tf
from footlight._public import publish
from footlight._typing import Any

_v1 = tf.compat.v1
_LOSSES, _REGULARIZATION = 'losses', 'regularization_losses'


class Reduction:
    """How the losses of elements become one."""

    NONE, SUM, SUM_OVER_BATCH_SIZE, MEAN = 'none', 'weighted_sum', 'weighted_sum_over_batch_size', 'weighted_mean'
    SUM_OVER_NONZERO_WEIGHTS = SUM_BY_NONZERO_WEIGHTS = 'weighted_sum_by_nonzero_weights'

    @classmethod
    def all(cls) -> tuple[Any, ...]:
        """All ways."""
        return (cls.NONE, cls.SUM, cls.MEAN, cls.SUM_OVER_BATCH_SIZE, cls.SUM_OVER_NONZERO_WEIGHTS, cls.SUM_BY_NONZERO_WEIGHTS)

    @classmethod
    def validate(cls, key: Any) -> None:
        """Refuses what is no way."""
        if key not in cls.all():
            raise ValueError(f'Invalid Reduction Key {key}: it must be one of {", ".join(dict.fromkeys(cls.all()))}.')


def _weights_fit(weights: Any, values: Any) -> None:
    """Refuses weights that are no number and whose dimensions are neither 1 nor those of the values."""
    given, wanted = weights.shape, values.shape
    if given.rank is None or wanted.rank is None or given.rank == 0:
        return
    if given.rank != wanted.rank or any(g not in (None, 1) and w is not None and g != w for g, w in zip(given, wanted)):
        raise ValueError(f'weights can not be broadcast to values: weights have the shape {given}, values {wanted}. Each dimension '
                         'of weights must be 1 or that of values, or weights one number.')


def _num_present(losses: Any, weights: Any, per_batch: bool = False) -> Any:
    """How many elements have a weight that is not 0, in all or for each row."""
    present = tf.where(tf.equal(weights, 0.0), tf.zeros_like(weights), tf.ones_like(weights))
    present = present * tf.ones_like(losses)
    if per_batch:
        return tf.reduce_sum(present, axis=list(range(1, present.shape.rank)), keepdims=True)
    return tf.reduce_sum(present)


def add_loss(loss: Any, loss_collection: Any = _LOSSES) -> None:
    """Keeps a loss in a collection of the graph."""
    if loss_collection and not tf.executing_eagerly():
        _v1.add_to_collection(loss_collection, loss)


def get_losses(scope=None, loss_collection=_LOSSES):
    """The losses that the graph keeps."""
    return _v1.get_collection(loss_collection, scope)


def get_regularization_losses(scope=None):
    """The losses that regularizers added."""
    return _v1.get_collection(_REGULARIZATION, scope)


def get_regularization_loss(scope: Any = None, name: str | None = 'total_regularization_loss') -> Any:
    """The sum of what regularizers added."""
    found = get_regularization_losses(scope)
    return tf.add_n(found, name=name) if found else tf.constant(0.0)


def get_total_loss(add_regularization_losses: bool = True, name: str | None = 'total_loss', scope: Any = None) -> Any:
    """The sum of all losses that the graph keeps."""
    found = get_losses(scope=scope)
    if add_regularization_losses:
        found += get_regularization_losses(scope=scope)
    return tf.add_n(found, name=name)


def compute_weighted_loss(losses, weights=1.0, scope=None, loss_collection=_LOSSES, reduction=Reduction.SUM_BY_NONZERO_WEIGHTS):
    """The losses times weights, reduced."""
    Reduction.validate(reduction)
    with tf.name_scope(scope or 'weighted_loss'):
        losses = tf.convert_to_tensor(losses)
        dtype = losses.dtype
        losses = tf.cast(losses, tf.float32)
        weights = tf.cast(tf.convert_to_tensor(weights), tf.float32)
        _weights_fit(weights, losses)
        weighted = tf.multiply(losses, weights)
        if reduction == Reduction.NONE:
            loss = weighted
        else:
            loss = tf.reduce_sum(weighted)
            if reduction == Reduction.MEAN:
                loss = tf.math.divide_no_nan(loss, tf.reduce_sum(tf.ones_like(losses) * weights), name='value')
            elif reduction == Reduction.SUM_BY_NONZERO_WEIGHTS:
                loss = tf.math.divide_no_nan(loss, _num_present(losses, weights), name='value')
            elif reduction == Reduction.SUM_OVER_BATCH_SIZE:
                loss = tf.math.divide_no_nan(loss, tf.cast(tf.size(losses), tf.float32), name='value')
        loss = tf.cast(loss, dtype)
        add_loss(loss, loss_collection)
        return loss


def _given(what: Any, **values: Any) -> None:
    for name, value in values.items():
        if value is None:
            raise ValueError(f'tf.compat.v1.losses.{what}(): argument `{name}` must not be None.')


def _two(labels: Any, predictions: Any) -> tuple[Any, ...]:
    """Both as float32, of one shape."""
    predictions, labels = tf.cast(predictions, tf.float32), tf.cast(labels, tf.float32)
    if not predictions.shape.is_compatible_with(labels.shape):
        raise ValueError(f'Shapes {predictions.shape} and {labels.shape} are incompatible')
    return labels, predictions


def absolute_difference(labels, predictions, weights=1.0, scope=None, loss_collection=_LOSSES,
                        reduction=Reduction.SUM_BY_NONZERO_WEIGHTS):
    """|predictions - labels|"""
    _given('absolute_difference', labels=labels, predictions=predictions)
    with tf.name_scope(scope or 'absolute_difference') as scope:
        labels, predictions = _two(labels, predictions)
        return compute_weighted_loss(tf.abs(tf.subtract(predictions, labels)), weights, scope, loss_collection, reduction)


def cosine_distance(labels, predictions, axis=None, weights=1.0, scope=None, loss_collection=_LOSSES,
                    reduction=Reduction.SUM_BY_NONZERO_WEIGHTS, dim=None):
    """1 - labels . predictions along an axis"""
    if axis is not None and dim is not None:
        raise ValueError("Cannot specify both 'dim' and 'axis'")
    axis = dim if axis is None else axis
    _given('cosine_distance', axis=axis, labels=labels, predictions=predictions)
    with tf.name_scope(scope or 'cosine_distance_loss') as scope:
        labels, predictions = _two(labels, predictions)
        losses = 1 - tf.reduce_sum(tf.multiply(predictions, labels), axis=(axis,), keepdims=True)
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def hinge_loss(labels, logits, weights=1.0, scope=None, loss_collection=_LOSSES, reduction=Reduction.SUM_BY_NONZERO_WEIGHTS):
    """max(0, 1 - (2 labels - 1) logits)"""
    _given('hinge_loss', labels=labels, logits=logits)
    with tf.name_scope(scope or 'hinge_loss') as scope:
        labels, logits = _two(labels, logits)
        ones = tf.ones_like(labels)
        losses = tf.nn.relu(tf.subtract(ones, tf.multiply(tf.subtract(2 * labels, ones), logits)))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def huber_loss(labels, predictions, weights=1.0, delta=1.0, scope=None, loss_collection=_LOSSES,
               reduction=Reduction.SUM_BY_NONZERO_WEIGHTS):
    """The square of an error up to delta, what is beyond only once."""
    _given('huber_loss', labels=labels, predictions=predictions)
    with tf.name_scope(scope or 'huber_loss') as scope:
        labels, predictions = _two(labels, predictions)
        error = tf.abs(tf.subtract(predictions, labels))
        near = tf.minimum(error, delta)
        losses = 0.5 * near * near + delta * tf.subtract(error, near)
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def log_loss(labels, predictions, weights=1.0, epsilon=1e-7, scope=None, loss_collection=_LOSSES,
             reduction=Reduction.SUM_BY_NONZERO_WEIGHTS):
    """-labels log(predictions) - (1 - labels) log(1 - predictions)"""
    _given('log_loss', labels=labels, predictions=predictions)
    with tf.name_scope(scope or 'log_loss') as scope:
        labels, predictions = _two(labels, predictions)
        losses = -tf.multiply(labels, tf.math.log(predictions + epsilon)) - tf.multiply(
            (1 - labels), tf.math.log(1 - predictions + epsilon))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def mean_pairwise_squared_error(labels, predictions, weights=1.0, scope=None, loss_collection=_LOSSES):
    """The squares of how differences between elements of a row differ from those of its labels."""
    _given('mean_pairwise_squared_error', labels=labels, predictions=predictions)
    with tf.name_scope(scope or 'mean_pairwise_squared_error'):
        labels, predictions = _two(labels, predictions)
        weights = tf.cast(tf.convert_to_tensor(weights), tf.float32)
        difference = tf.subtract(predictions, labels)
        _weights_fit(weights, difference)
        axes = list(range(1, difference.shape.rank))
        count = _num_present(difference, weights, per_batch=True)
        squares = tf.reduce_sum(tf.square(difference), axis=axes, keepdims=True)
        total = tf.reduce_sum(difference, axis=axes, keepdims=True)
        first = 2.0 * tf.math.divide_no_nan(squares, tf.maximum(count - 1, 0))
        second = 2.0 * tf.math.divide_no_nan(tf.square(total), tf.maximum(tf.multiply(count, count - 1), 0))
        loss = tf.reduce_sum(tf.multiply(first - second, weights))
        loss = tf.where(tf.reduce_sum(count) > 0, loss, tf.zeros_like(loss), name='value')
        add_loss(loss, loss_collection)
        return loss


def mean_squared_error(labels, predictions, weights=1.0, scope=None, loss_collection=_LOSSES,
                       reduction=Reduction.SUM_BY_NONZERO_WEIGHTS):
    """(predictions - labels)^2"""
    _given('mean_squared_error', labels=labels, predictions=predictions)
    with tf.name_scope(scope or 'mean_squared_error') as scope:
        labels, predictions = _two(labels, predictions)
        return compute_weighted_loss(tf.math.squared_difference(predictions, labels), weights, scope, loss_collection, reduction)


def sigmoid_cross_entropy(multi_class_labels, logits, weights=1.0, label_smoothing=0, scope=None, loss_collection=_LOSSES,
                          reduction=Reduction.SUM_BY_NONZERO_WEIGHTS):
    """The cross entropy of labels, each yes or no, and of the sigmoid of logits."""
    _given('sigmoid_cross_entropy', multi_class_labels=multi_class_labels, logits=logits)
    with tf.name_scope(scope or 'sigmoid_cross_entropy_loss') as scope:
        logits = tf.convert_to_tensor(logits)
        labels = tf.cast(multi_class_labels, logits.dtype)
        if not logits.shape.is_compatible_with(labels.shape):
            raise ValueError(f'Shapes {logits.shape} and {labels.shape} are incompatible')
        if label_smoothing > 0:
            labels = labels * (1 - label_smoothing) + 0.5 * label_smoothing
        losses = tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits, name='xentropy')
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def softmax_cross_entropy(onehot_labels, logits, weights=1.0, label_smoothing=0, scope=None, loss_collection=_LOSSES,
                          reduction=Reduction.SUM_BY_NONZERO_WEIGHTS):
    """The cross entropy of one-hot labels and of the softmax of logits."""
    _given('softmax_cross_entropy', onehot_labels=onehot_labels, logits=logits)
    with tf.name_scope(scope or 'softmax_cross_entropy_loss') as scope:
        logits = tf.convert_to_tensor(logits)
        labels = tf.cast(onehot_labels, logits.dtype)
        if not logits.shape.is_compatible_with(labels.shape):
            raise ValueError(f'Shapes {logits.shape} and {labels.shape} are incompatible')
        if label_smoothing > 0:
            classes = tf.cast(tf.shape(labels)[1], logits.dtype)
            labels = labels * (1.0 - label_smoothing) + label_smoothing / classes
        losses = tf.nn.softmax_cross_entropy_with_logits(tf.stop_gradient(labels), logits, name='xentropy')
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def _without_last(values, rank):
    """Without a last dimension of 1 that is one more than the rank."""
    if values.shape.rank is not None and values.shape.rank - rank == 1 and values.shape[-1] in (None, 1):
        return tf.squeeze(values, [-1])
    return values


def sparse_softmax_cross_entropy(labels, logits, weights=1.0, scope=None, loss_collection=_LOSSES,
                                 reduction=Reduction.SUM_BY_NONZERO_WEIGHTS):
    """The cross entropy of labels, which are numbers of classes, and of the softmax of logits."""
    _given('sparse_softmax_cross_entropy', labels=labels, logits=logits)
    with tf.name_scope(scope or 'sparse_softmax_cross_entropy_loss') as scope:
        labels, logits, weights = (tf.convert_to_tensor(x) for x in (labels, logits, weights))
        if logits.shape.rank is not None:
            labels = _without_last(labels, logits.shape.rank - 1)
            if weights.shape.rank:
                weights = _without_last(weights, logits.shape.rank - 1)
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits, name='xentropy')
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


publish('tf.compat.v1.losses', Reduction, absolute_difference, add_loss, compute_weighted_loss, cosine_distance,
        get_losses, get_regularization_loss, get_regularization_losses, get_total_loss, hinge_loss, huber_loss,
        log_loss, mean_pairwise_squared_error, mean_squared_error, sigmoid_cross_entropy, softmax_cross_entropy,
        sparse_softmax_cross_entropy)
