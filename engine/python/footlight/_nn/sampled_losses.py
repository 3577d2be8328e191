"""tf.nn.sampled_softmax_loss and nce_loss: losses over a few of many classes, drawn anew in each step."""
from __future__ import annotations

import footlight as tf
from footlight._public import publish
from footlight._typing import Any, TensorLike


def compute_accidental_hits(true_classes: Any, sampled_candidates: Any, num_true: Any, seed: int | None = None,
                            name: str | None = None) -> tuple[Any, ...]:
    """Where a drawn candidate is a true class: rows, numbers of candidates, and weights that rule them out."""
    with tf.name_scope(name or 'compute_accidental_hits'):
        found = tf.where(_hits(tf.convert_to_tensor(true_classes, tf.int64), sampled_candidates))
        rows, ids = tf.cast(found[:, 0], tf.int32), found[:, 1]
        return rows, ids, tf.fill(tf.shape(rows), tf.float32.min)


def _hits(labels: tf.Tensor, sampled: tf.Tensor) -> tf.Tensor:
    return tf.reduce_any(tf.equal(labels[:, :, None], tf.cast(sampled, tf.int64)), 1)


def _logits(weights: Any, biases: Any, labels: Any, inputs: Any, num_sampled: int, num_classes: int, num_true: int,
            sampled_values: Any, remove_accidental_hits: bool, seed: int | None) -> tuple[Any, ...]:
    """For each row of inputs the logits of its true classes and of the candidates, and their labels."""
    labels, inputs = tf.cast(labels, tf.int64), tf.convert_to_tensor(inputs)
    if sampled_values is None:
        sampled_values = tf.random.log_uniform_candidate_sampler(labels, num_true, num_sampled, True, num_classes, seed)
    sampled, true_expected, sampled_expected = map(tf.stop_gradient, sampled_values)
    sampled = tf.cast(sampled, tf.int64)
    # One look-up, so that the weights get one gradient.
    classes = tf.concat([tf.reshape(labels, [-1]), sampled], 0)
    rows = tf.cast(tf.nn.embedding_lookup(weights, classes), inputs.dtype)
    offsets = tf.cast(tf.nn.embedding_lookup(biases, classes), inputs.dtype)
    true_count = tf.size(labels)
    true_rows = tf.reshape(rows[:true_count], [-1, num_true, tf.shape(rows)[1]])
    true_logits = tf.reduce_sum(inputs[:, None, :] * true_rows, 2) + tf.reshape(offsets[:true_count], [-1, num_true])
    sampled_logits = tf.matmul(inputs, rows[true_count:], transpose_b=True) + offsets[true_count:]
    if remove_accidental_hits:
        ruled_out = tf.constant(tf.float32.min, tf.float32)
        sampled_logits += tf.where(_hits(labels, sampled), tf.cast(ruled_out, inputs.dtype), 0)
    true_logits -= tf.math.log(tf.cast(true_expected, inputs.dtype))
    sampled_logits -= tf.math.log(tf.cast(sampled_expected, inputs.dtype))
    return (tf.concat([true_logits, sampled_logits], 1),
            tf.concat([tf.ones_like(true_logits) / num_true, tf.zeros_like(sampled_logits)], 1))


def nce_loss(weights: TensorLike, biases: Any, labels: TensorLike, inputs: TensorLike, num_sampled: Any,
             num_classes: Any, num_true: Any = 1, sampled_values: Any = None, remove_accidental_hits: bool = False,
             name: str | None = 'nce_loss') -> tf.Tensor:
    """The noise-contrastive loss of each row: are its classes told from drawn ones?"""
    with tf.name_scope(name or 'nce_loss'):
        logits, wanted = _logits(weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values,
                                 remove_accidental_hits, None)
        return tf.reduce_sum(tf.nn.sigmoid_cross_entropy_with_logits(labels=wanted, logits=logits), 1)


def sampled_softmax_loss(weights: TensorLike, biases: Any, labels: TensorLike, inputs: TensorLike, num_sampled: Any,
                         num_classes: Any, num_true: Any = 1, sampled_values: Any = None,
                         remove_accidental_hits: bool = True, seed: int | None = None,
                         name: str | None = 'sampled_softmax_loss') -> tf.Tensor:
    """The softmax loss of each row over its true classes and drawn ones."""
    with tf.name_scope(name or 'sampled_softmax_loss'):
        logits, wanted = _logits(weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values,
                                 remove_accidental_hits, seed)
        return tf.nn.softmax_cross_entropy_with_logits(labels=tf.stop_gradient(wanted), logits=logits)


publish('tf.nn', compute_accidental_hits, nce_loss, sampled_softmax_loss)
