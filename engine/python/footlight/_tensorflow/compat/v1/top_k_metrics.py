"""tf.compat.v1.metrics of the first k predictions: precision_at_k, recall_at_k, average_precision_at_k; and the sensitivity at
a specificity, and the other way round."""
from __future__ import annotations

import footlight as tf
from footlight import _engine
from footlight._tensorflow.compat.v1.metrics import (
    _EPSILON, _Scope, _added, _at_thresholds, _kept, _limits, _refuse_eager, _variable, _wide)
from footlight._public import publish
from footlight._typing import Any, Callable, TensorLike


# --- sets of labels ---
def _labels_of_rows(labels, predictions):
    """Labels as int64, with a last dimension for the several of a row."""
    if isinstance(labels, tf.SparseTensor):
        labels = tf.cast(labels, tf.int64)
        rank = labels.dense_shape.shape[0]
        if rank is not None and rank == predictions.shape.rank - 1:
            labels = tf.sparse.reshape(labels, tf.concat([labels.dense_shape, [1]], 0))
        return labels
    labels = tf.cast(labels, tf.int64)
    if labels.shape.rank == predictions.shape.rank - 1:
        labels = tf.expand_dims(labels, -1)
    return labels


def _only(ids, chosen):
    """Those that are of a class, as a sparse tensor."""
    if isinstance(ids, tf.SparseTensor):
        return tf.sparse.retain(ids, tf.equal(ids.values, chosen))
    places = tf.where(tf.equal(ids, chosen))
    shape = tf.shape(ids, tf.int64)
    return tf.SparseTensor(places, tf.fill([tf.shape(places)[0]], tf.constant(chosen, tf.int64)), shape)


def _weighted_sum(counts, weights):
    counts = tf.cast(counts, tf.float64)
    if weights is not None:
        weights = tf.cast(weights, tf.float64)
        if weights.shape.rank and counts.shape.rank is not None and weights.shape.rank != counts.shape.rank:
            raise tf.errors.InvalidArgumentError(
                None, None, f'weights can not be broadcast to values: the shape of weights is {weights.shape}, that of values '
                            f'{counts.shape}')
        counts = counts * weights
    return tf.reduce_sum(counts)


def _name_of(kind, k, class_id):
    name = f'{kind}_at_{"k" if k is None else k}'
    return name if class_id is None else f'{name}_class{class_id}'


def _counted(kind: Any, of_row: Any, k: Any, class_id: Any, weights: Any) -> tuple[Any, ...]:
    """(value, update) of how many there were."""
    count = _variable([], _name_of(kind, k, class_id), tf.float64)
    return count.read_value(), _added(count, _weighted_sum(of_row, weights))


def _share_at_top(kind: Any, wrong: Any) -> Callable[..., Any]:
    """The share of true positives; `wrong`: those that the rest of it are."""
    def metric(labels, predictions_idx, k=None, class_id=None, weights=None, metrics_collections=None, updates_collections=None,
               name=None):
        _refuse_eager(f'{kind}_at_k')
        with _Scope(_name_of(kind, k, class_id), name):
            found = tf.cast(predictions_idx, tf.int64)
            wanted = _labels_of_rows(labels, found)
            if class_id is not None:
                found, wanted = _only(found, class_id), _only(wanted, class_id)
            first, second = (found, wanted) if wrong == 'false_positive' else (wanted, found)
            good, good_update = _counted('true_positive', tf.sets.size(tf.sets.intersection(found, wanted)), k, class_id, weights)
            bad, bad_update = _counted(wrong, tf.sets.size(tf.sets.difference(first, second)), k, class_id, weights)
            return _kept(tf.math.divide(good, good + bad, name='value'),
                         tf.math.divide(good_update, good_update + bad_update, name='update_op'),
                         metrics_collections, updates_collections)
    metric.__name__ = metric.__qualname__ = f'{kind}_at_top_k'
    metric.__doc__ = f'true positives / (true positives + {wrong.replace("_", " ")}s) of predictions that are classes, the likeliest first.'
    return metric


precision_at_top_k = _share_at_top('precision', 'false_positive')
recall_at_top_k = _share_at_top('recall', 'false_negative')


def _share_at_k(kind: Any, of_classes: Any) -> Callable[..., Any]:
    def metric(labels, predictions, k, class_id=None, weights=None, metrics_collections=None, updates_collections=None, name=None):
        _refuse_eager(f'{kind}_at_k')
        with tf.name_scope(name or _name_of(kind, k, class_id)):
            found = tf.math.top_k(tf.convert_to_tensor(predictions), k).indices
        return of_classes(labels, found, k, class_id, weights, metrics_collections, updates_collections, name)
    metric.__name__ = metric.__qualname__ = f'{kind}_at_k'
    metric.__doc__ = f'The {kind} of the k classes with the largest predictions; with `class_id` that of one class.'
    return metric


precision_at_k = _share_at_k('precision', precision_at_top_k)
recall_at_k = _share_at_k('recall', recall_at_top_k)


def _average_precisions(labels, found, classes):
    """For each row the mean of the precisions at the places of its labels; those that are no class do not count."""
    k = found.shape[-1]
    if isinstance(labels, tf.SparseTensor):
        labels = tf.sparse.retain(labels, (labels.values >= 0) & (labels.values < classes))
        count = tf.sets.size(labels)
        labels = tf.sparse.to_dense(labels, default_value=-1, validate_indices=False)
    else:
        count = tf.reduce_sum(tf.cast((labels >= 0) & (labels < classes), tf.int32), -1)
    alike = tf.equal(found[..., :, tf.newaxis], labels[..., tf.newaxis, :])
    first = tf.equal(tf.cumsum(tf.cast(alike, tf.int32), axis=-2), 1)  # a class counts once
    relevant = tf.cast(tf.reduce_any(alike & first, -1), tf.float64)
    precisions = tf.cumsum(relevant, axis=-1) / tf.range(1, k + 1, dtype=tf.float64)
    count = tf.cast(tf.minimum(count, k), tf.float64)
    return tf.math.divide(tf.reduce_sum(relevant * precisions, -1), count)


def average_precision_at_k(labels: Any, predictions: Any, k: Any, weights: Any = None, metrics_collections: Any = None,
                           updates_collections: Any = None, name: str | None = None) -> Any:
    """The mean over rows of the average precision of the k classes with the largest predictions."""
    _refuse_eager('average_precision_at_k')
    if k < 1:
        raise ValueError(f'Invalid k={k}.')
    with tf.name_scope(name or f'average_precision_at_{k}'):
        predictions = tf.convert_to_tensor(predictions)
        found = tf.cast(tf.math.top_k(predictions, k).indices, tf.int64)
    with _Scope(f'average_precision_at_{k}', name):
        of_rows = _average_precisions(_labels_of_rows(labels, found), found, tf.shape(predictions, tf.int64)[-1])
        if weights is None:
            most = tf.cast(tf.size(of_rows), tf.float64)
        else:
            weights = tf.cast(_wide(weights, of_rows), tf.float64)
            of_rows, most = of_rows * weights, tf.reduce_sum(weights)
        largest, total = _variable([], 'max', tf.float64), _variable([], 'total', tf.float64)
        updated = _added(total, tf.reduce_sum(of_rows)), _added(largest, most)
        return _kept(tf.math.divide_no_nan(total.read_value(), largest.read_value(), name='mean'),
                     tf.math.divide_no_nan(updated[0], updated[1], name='update'), metrics_collections, updates_collections)


# --- one rate where another one is given ---
def _nearest(rates, wanted, is_last):
    """The place of the rate that is nearest; of several the last one, if asked for, else the first."""
    apart = tf.abs(rates - wanted)
    if not is_last:
        return tf.argmin(apart, 0, tf.int32)
    return tf.argmax(tf.cumsum(tf.cast(tf.equal(apart, tf.reduce_min(apart)), tf.int64)), 0, tf.int32)


def _rate_at(kind: Any, given: Any) -> Callable[..., Any]:
    of_sensitivity = given == 'sensitivity'
    kinds = ('true_positives', 'false_negatives', 'true_negatives', 'false_positives')

    def metric(labels, predictions, rate, weights, num_thresholds, metrics_collections, updates_collections, name):
        _refuse_eager(kind)
        if rate < 0 or rate > 1:
            raise ValueError(f'`{given}` must be in the range [0, 1]. Currently, `{given}` got {rate}.')
        with _Scope(kind, name):
            counts = _at_thresholds(labels, predictions, _limits(num_thresholds), weights, kinds)

            def at(which, name):
                tp, fn, tn, fp = (counts[one][which] for one in kinds)
                sensitivities = tf.math.divide(tp, tp + fn + _EPSILON)
                specificities = tf.math.divide(tn, tn + fp + _EPSILON)
                place = _nearest(sensitivities if of_sensitivity else specificities, rate, of_sensitivity)
                good, bad = (tn, fp) if of_sensitivity else (tp, fn)
                return tf.math.divide(good[place], good[place] + bad[place] + _EPSILON, name=name)
            return _kept(at(0, 'value'), at(1, 'update_op'), metrics_collections, updates_collections)
    return metric


_sensitivity, _specificity = (_rate_at('sensitivity_at_specificity', 'specificity'),
                              _rate_at('specificity_at_sensitivity', 'sensitivity'))


def sensitivity_at_specificity(labels: TensorLike, predictions: TensorLike, specificity: Any,
                               weights: TensorLike | None = None, num_thresholds: Any = 200,
                               metrics_collections: Any = None, updates_collections: Any = None,
                               name: str | None = None) -> Any:
    """The sensitivity at the threshold whose specificity is nearest to the given one."""
    return _sensitivity(labels, predictions, specificity, weights, num_thresholds, metrics_collections, updates_collections, name)


def specificity_at_sensitivity(labels: TensorLike, predictions: TensorLike, sensitivity: Any,
                               weights: TensorLike | None = None, num_thresholds: Any = 200,
                               metrics_collections: Any = None, updates_collections: Any = None,
                               name: str | None = None) -> Any:
    """The specificity at the threshold whose sensitivity is nearest to the given one."""
    return _specificity(labels, predictions, sensitivity, weights, num_thresholds, metrics_collections, updates_collections, name)


_metrics = _engine.namespace('compat.v1.metrics')
publish('tf.compat.v1.metrics', precision_at_top_k, recall_at_top_k, precision_at_k, recall_at_k,
        average_precision_at_k, sensitivity_at_specificity, specificity_at_sensitivity)
_metrics.sparse_precision_at_k, _metrics.sparse_average_precision_at_k = precision_at_k, average_precision_at_k
