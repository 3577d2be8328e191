"""tf.compat.v1.metrics: pairs of a value and of an operation that updates it, over variables of the graph."""
from __future__ import annotations

import footlight as tf
from footlight import _engine
from footlight._typing import Any, Callable

_metrics, _v1 = _engine.namespace('compat.v1.metrics'), tf.compat.v1
_EPSILON = 1e-7


def _refuse_eager(name: str) -> None:
    if tf.executing_eagerly():
        raise RuntimeError(f'tf.metrics.{name} is not supported when eager execution is enabled.')


def _variable(shape, name, dtype=tf.float32):
    return _v1.get_variable(name, initializer=tf.zeros(shape, dtype), trainable=False,
                            collections=['local_variables', 'metric_variables'])


class _Scope:
    """The variable scope of a metric, whose names no other one has."""

    def __init__(self, kind: Any, name: Any) -> None:
        _refuse_eager(kind)
        self._scope = _v1.variable_scope(name, default_name=kind)

    def __enter__(self) -> Any:
        return self._scope.__enter__()

    def __exit__(self, *error):
        return self._scope.__exit__(*error)


def _added(variable, value):
    """The variable after the value was added to it, as a tensor."""
    with tf.control_dependencies([variable.assign_add(value)._update]):
        return variable.read_value()


def _kept(value: Any, update: Any, metrics_collections: Any, updates_collections: Any) -> tuple[Any, ...]:
    for names, item in ((metrics_collections, value), (updates_collections, update)):
        for name in names or ():
            _v1.add_to_collection(name, item)
    return value, update


def _squeezed(predictions: Any, labels: Any, weights: Any) -> tuple[Any, ...]:
    """The three of them, without a last dimension of 1 that one of them has and the other not."""
    predictions = tf.convert_to_tensor(predictions)
    if labels is not None:
        labels = tf.convert_to_tensor(labels)
        p, q = predictions.shape.rank, labels.shape.rank
        if p is not None and q is not None:
            if p - q == 1 and predictions.shape[-1] in (1, None):
                predictions = tf.squeeze(predictions, [-1])
            elif q - p == 1 and labels.shape[-1] in (1, None):
                labels = tf.squeeze(labels, [-1])
        if not predictions.shape.is_compatible_with(labels.shape):
            raise ValueError(f'Shapes {predictions.shape} and {labels.shape} are incompatible')
    if weights is not None:
        weights = tf.convert_to_tensor(weights)
        w, p = weights.shape.rank, predictions.shape.rank
        if w and p is not None and w - p == 1 and weights.shape[-1] in (1, None):
            weights = tf.squeeze(weights, [-1])
        elif w and p is not None and p - w == 1:
            weights = tf.expand_dims(weights, -1)
    return predictions, labels, weights


def _wide(weights, values):
    """Weights as floats, of the shape of the values."""
    return tf.cast(weights, tf.float32) * tf.ones_like(tf.cast(values, tf.float32))


def _mean(values: Any, weights: Any) -> tuple[Any, ...]:
    """(value, update) of the mean of all values, with its variables in the scope that is entered."""
    values = tf.cast(values, tf.float32)
    total, count = _variable([], 'total'), _variable([], 'count')
    if weights is None:
        number = tf.cast(tf.size(values), tf.float32)
    else:
        values, _, weights = _squeezed(values, None, weights)
        weights = _wide(weights, values)
        values, number = values * weights, tf.reduce_sum(weights)
    with tf.control_dependencies([values]):
        updated = _added(total, tf.reduce_sum(values)), _added(count, number)
    return (tf.math.divide_no_nan(total.read_value(), count.read_value(), name='value'),
            tf.math.divide_no_nan(updated[0], updated[1], name='update_op'))


def mean(values, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """The mean of all values so far."""
    with _Scope('mean', name):
        return _kept(*_mean(values, weights), metrics_collections, updates_collections)


def accuracy(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """How often predictions were their labels."""
    _refuse_eager('accuracy')
    predictions, labels, weights = _squeezed(predictions, labels, weights)
    if labels.dtype != predictions.dtype:
        predictions = tf.cast(predictions, labels.dtype)
    with _Scope('accuracy', name):
        return _kept(*_mean(tf.equal(predictions, labels), weights), metrics_collections, updates_collections)


def _of_errors(kind: Any, error: Any, doc: str) -> Callable[..., Any]:
    def metric(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
        _refuse_eager(kind)
        predictions, labels, weights = _squeezed(tf.cast(predictions, tf.float32), tf.cast(labels, tf.float32), weights)
        with _Scope(kind, name):
            return _kept(*_mean(error(labels, predictions), weights), metrics_collections, updates_collections)
    metric.__name__ = metric.__qualname__ = kind
    metric.__doc__ = doc
    return metric


mean_absolute_error = _of_errors('mean_absolute_error', lambda y, p: tf.abs(p - y), 'The mean of |predictions - labels| so far.')
mean_squared_error = _of_errors('mean_squared_error', lambda y, p: tf.math.squared_difference(y, p),
                                'The mean of (predictions - labels)^2 so far.')


def root_mean_squared_error(labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None,
                            updates_collections: Any = None, name: str | None = None) -> Any:
    """The root of the mean of (predictions - labels)^2 so far."""
    _refuse_eager('root_mean_squared_error')
    predictions, labels, weights = _squeezed(tf.cast(predictions, tf.float32), tf.cast(labels, tf.float32), weights)
    with _Scope('root_mean_squared_error', name):
        value, update = _mean(tf.math.squared_difference(labels, predictions), weights)
        return _kept(tf.sqrt(value), tf.sqrt(update), metrics_collections, updates_collections)


def mean_relative_error(labels, predictions, normalizer, weights=None, metrics_collections=None, updates_collections=None,
                        name=None):
    """The mean of |labels - predictions| / normalizer so far; 0 where the normalizer is."""
    _refuse_eager('mean_relative_error')
    predictions, labels, weights = _squeezed(tf.cast(predictions, tf.float32), tf.cast(labels, tf.float32), weights)
    normalizer = tf.cast(normalizer, tf.float32)
    with _Scope('mean_relative_error', name):
        error = tf.where(tf.equal(normalizer, 0.0), tf.zeros_like(labels), tf.math.divide(tf.abs(labels - predictions), normalizer))
        return _kept(*_mean(error, weights), metrics_collections, updates_collections)


def mean_cosine_distance(labels: Any, predictions: Any, dim: Any, weights: Any = None, metrics_collections: Any = None,
                         updates_collections: Any = None, name: str | None = None) -> Any:
    """1 - the mean of labels . predictions so far."""
    _refuse_eager('mean_cosine_distance')
    predictions, labels, weights = _squeezed(tf.cast(predictions, tf.float32), tf.cast(labels, tf.float32), weights)
    with _Scope('mean_cosine_distance', name):
        product = tf.reduce_sum(predictions * labels, axis=[dim], keepdims=True)
        value, update = _mean(product, weights)
        return _kept(1 - value, 1 - update, metrics_collections, updates_collections)


def percentage_below(values, threshold, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """How often values were below a threshold."""
    with _Scope('percentage_below_threshold', name):
        below = tf.less(values, threshold)
        return _kept(*_mean(below, weights), metrics_collections, updates_collections)


def mean_tensor(values: Any, weights: Any = None, metrics_collections: Any = None, updates_collections: Any = None,
                name: str | None = None) -> Any:
    """The mean of each element so far."""
    with _Scope('mean_tensor', name):
        values = tf.cast(values, tf.float32)
        total, count = _variable(values.shape, 'total_tensor'), _variable(values.shape, 'count_tensor')
        number = tf.ones_like(values)
        if weights is not None:
            values, _, weights = _squeezed(values, None, weights)
            number = _wide(weights, values)
            values = values * number
        with tf.control_dependencies([values]):
            updated = _added(total, values), _added(count, number)
        return _kept(tf.math.divide_no_nan(total.read_value(), count.read_value(), name='value'),
                     tf.math.divide_no_nan(updated[0], updated[1], name='update_op'), metrics_collections, updates_collections)


# --- right and wrong, yes and no ---
def _where(kind, labels, predictions):
    positive, wanted = kind.endswith('positives'), kind.startswith('true')
    right = labels if positive == wanted else tf.logical_not(labels)
    return tf.logical_and(right, predictions if positive else tf.logical_not(predictions))


def _count(kind: Any, labels: Any, predictions: Any, weights: Any) -> tuple[Any, ...]:
    """(value, update) of how often it was so."""
    values = tf.cast(_where(kind, labels, predictions), tf.float32)
    if weights is not None:
        values = values * _wide(weights, values)
    count = _variable([], 'count')
    return count.read_value(), _added(count, tf.reduce_sum(values))


def _booleans(labels, predictions, weights):
    return _squeezed(tf.cast(predictions, tf.bool), tf.cast(labels, tf.bool), weights)


def _counting(kind: Any) -> Callable[..., Any]:
    def metric(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
        with _Scope(kind, name):
            predictions, labels, weights = _booleans(labels, predictions, weights)
            return _kept(*_count(kind, labels, predictions, weights), metrics_collections, updates_collections)
    metric.__name__ = metric.__qualname__ = kind
    metric.__doc__ = f'How many {kind.replace("_", " ")} there were so far.'
    return metric


def _share(kind: Any, wrong: Any) -> Callable[..., Any]:
    def metric(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
        with _Scope(kind, name):
            predictions, labels, weights = _booleans(labels, predictions, weights)
            with _v1.variable_scope('true_positives'):
                good, good_update = _count('true_positives', labels, predictions, weights)
            with _v1.variable_scope(wrong):
                bad, bad_update = _count(wrong, labels, predictions, weights)
            return _kept(tf.math.divide_no_nan(good, good + bad, name='value'),
                         tf.math.divide_no_nan(good_update, good_update + bad_update, name='update_op'),
                         metrics_collections, updates_collections)
    metric.__name__ = metric.__qualname__ = kind
    metric.__doc__ = f'true positives / (true positives + {wrong.replace("_", " ")})'
    return metric


precision, recall = _share('precision', 'false_positives'), _share('recall', 'false_negatives')
_KINDS = ('true_positives', 'false_positives', 'true_negatives', 'false_negatives')


def _at_thresholds(labels, predictions, thresholds, weights, kinds):
    """{kind: (value, update)} of counts for each threshold, with their variables."""
    predictions, labels, weights = _squeezed(tf.cast(predictions, tf.float32), tf.cast(labels, tf.bool), weights)
    limits = tf.constant(thresholds, tf.float32)[:, tf.newaxis]
    said = tf.reshape(predictions, [1, -1]) > limits
    right = tf.logical_and(tf.reshape(labels, [1, -1]), tf.ones_like(said))
    each = None if weights is None else tf.reshape(_wide(weights, predictions), [1, -1])
    found = {}
    for kind in kinds:
        values = tf.cast(_where(kind, right, said), tf.float32)
        if each is not None:
            values *= each
        count = _variable([len(thresholds)], kind)
        found[kind] = count.read_value(), _added(count, tf.reduce_sum(values, 1))
    return found


def _counting_at_thresholds(kind: Any) -> Callable[..., Any]:
    def metric(labels, predictions, thresholds, weights=None, metrics_collections=None, updates_collections=None, name=None):
        with _Scope(kind, name):
            return _kept(*_at_thresholds(labels, predictions, thresholds, weights, [kind])[kind], metrics_collections,
                         updates_collections)
    metric.__name__ = metric.__qualname__ = kind + '_at_thresholds'
    metric.__doc__ = f'How many {kind.replace("_", " ")} there were so far, for each threshold.'
    return metric


def _share_at_thresholds(kind: Any, wrong: Any) -> Callable[..., Any]:
    def metric(labels, predictions, thresholds, weights=None, metrics_collections=None, updates_collections=None, name=None):
        with _Scope(kind, name):
            found = _at_thresholds(labels, predictions, thresholds, weights, ['true_positives', wrong])
            (good, good_update), (bad, bad_update) = found['true_positives'], found[wrong]
            return _kept(tf.math.divide(good, good + bad + _EPSILON, name='value'),
                         tf.math.divide(good_update, good_update + bad_update + _EPSILON, name='update_op'),
                         metrics_collections, updates_collections)
    metric.__name__ = metric.__qualname__ = kind
    metric.__doc__ = f'true positives / (true positives + {wrong.replace("_", " ")}), for each threshold'
    return metric


precision_at_thresholds = _share_at_thresholds('precision_at_thresholds', 'false_positives')
recall_at_thresholds = _share_at_thresholds('recall_at_thresholds', 'false_negatives')


def _limits(num_thresholds):
    return [0.0 - _EPSILON] + [(i + 1) * 1.0 / (num_thresholds - 1) for i in range(num_thresholds - 2)] + [1.0 + _EPSILON]


def auc(labels: Any, predictions: Any, weights: Any = None, num_thresholds: Any = 200, metrics_collections: Any = None,
        updates_collections: Any = None, curve: str = 'ROC', name: str | None = None,
        summation_method: str = 'trapezoidal', thresholds: Any = None) -> Any:
    """The area under the curve of what thresholds find ('ROC') or of precision over recall ('PR')."""
    _refuse_eager('auc')
    if curve not in ('ROC', 'PR'):
        raise ValueError(f'curve must be either ROC or PR, {curve} unknown')
    if summation_method not in ('trapezoidal', 'minoring', 'majoring') or (curve == 'PR' and summation_method != 'trapezoidal'):
        raise ValueError(f'auc: summation_method={summation_method!r} with curve={curve!r} is not in Footlight; trapezoidal is')
    if thresholds is not None:
        limits = [0.0 - _EPSILON] + sorted(thresholds) + [1.0 + _EPSILON]
    else:
        limits = _limits(num_thresholds)
    with _Scope('auc', name):
        found = _at_thresholds(labels, predictions, limits, weights, _KINDS)

        def area(which, name):
            tp, fp, tn, fn = (found[kind][which] for kind in _KINDS)
            recalls = tf.math.divide(tp + _EPSILON, tp + fn + _EPSILON)
            if curve == 'ROC':
                x, y = tf.math.divide(fp, fp + tn + _EPSILON), recalls
            else:
                x, y = recalls, tf.math.divide(tp + _EPSILON, tp + fp + _EPSILON)
            heights = {'trapezoidal': lambda a, b: (a + b) / 2.0, 'minoring': tf.minimum, 'majoring': tf.maximum}[summation_method]
            return tf.reduce_sum((x[:-1] - x[1:]) * heights(y[:-1], y[1:]), name=name)
        return _kept(area(0, 'value'), area(1, 'update_op'), metrics_collections, updates_collections)


def _confusion(labels: Any, predictions: Any, num_classes: Any, weights: Any) -> tuple[Any, ...]:
    """(the matrix so far, the matrix after the update): how often which class was taken for which."""
    matrix = _variable([num_classes, num_classes], 'total_confusion_matrix', tf.float64)
    labels, predictions = (tf.reshape(tf.cast(x, tf.int64), [-1]) for x in (labels, predictions))
    if weights is not None:
        weights = tf.reshape(tf.cast(weights, tf.float64), [-1])
    now = tf.math.confusion_matrix(labels, predictions, num_classes, weights=weights, dtype=tf.float64)
    return matrix, now


def mean_iou(labels: Any, predictions: Any, num_classes: Any, weights: Any = None, metrics_collections: Any = None,
             updates_collections: Any = None, name: str | None = None) -> Any:
    """The mean over classes of what is in both over what is in either."""
    with _Scope('mean_iou', name):
        matrix, now = _confusion(labels, predictions, num_classes, weights)
        update = _added(matrix, now)
        total = matrix.read_value()
        diagonal = tf.cast(tf.linalg.diag_part(total), tf.float32)
        union = tf.cast(tf.reduce_sum(total, 0), tf.float32) + tf.cast(tf.reduce_sum(total, 1), tf.float32) - diagonal
        valid = tf.reduce_sum(tf.cast(tf.not_equal(union, 0), tf.float32))
        shares = tf.math.divide(diagonal, tf.where(union > 0, union, tf.ones_like(union)))
        value = tf.where(valid > 0, tf.reduce_sum(shares, name='mean_iou') / valid, 0)
        return _kept(value, update, metrics_collections, updates_collections)


def mean_per_class_accuracy(labels: Any, predictions: Any, num_classes: Any, weights: Any = None,
                            metrics_collections: Any = None, updates_collections: Any = None,
                            name: str | None = None) -> Any:
    """The mean over classes of how often it was found."""
    with _Scope('mean_accuracy', name):
        labels, predictions = (tf.reshape(tf.cast(x, tf.int64), [-1]) for x in (labels, predictions))
        each = tf.ones(tf.shape(labels), tf.float32)
        right = tf.cast(tf.equal(predictions, labels), tf.float32)
        if weights is not None:
            weights = tf.reshape(tf.cast(weights, tf.float32), [-1])
            each, right = each * weights, right * weights
        total, count = _variable([num_classes], 'total'), _variable([num_classes], 'count')
        update_total = _added(total, tf.math.unsorted_segment_sum(each, labels, num_classes))
        update_count = _added(count, tf.math.unsorted_segment_sum(right, labels, num_classes))
        value = tf.reduce_mean(tf.math.divide_no_nan(count.read_value(), total.read_value()), name='mean_accuracy')
        update = tf.math.divide_no_nan(update_count, update_total, name='update_op')
        return _kept(value, update, metrics_collections, updates_collections)


for _object in (mean, accuracy, mean_absolute_error, mean_squared_error, root_mean_squared_error, mean_relative_error,
                mean_cosine_distance, percentage_below, mean_tensor, precision, recall, precision_at_thresholds, recall_at_thresholds,
                auc, mean_iou, mean_per_class_accuracy, *map(_counting, _KINDS), *map(_counting_at_thresholds, _KINDS)):
    _object.__module__ = 'footlight.compat.v1.metrics'
    setattr(_metrics, _object.__name__, _object)
import footlight._tensorflow.compat.v1.top_k_metrics  # noqa: E402,F401
