"""tf.nn.ctc_*: losses and decoders for labels whose places in time are not known."""
from __future__ import annotations

import footlight as tf
from footlight._public import alias
from footlight._raw_ops import op as _op
from footlight._typing import Any, TensorLike


def _size(x, axis):
    return tf.shape(x)[axis] if x.shape[axis] is None else x.shape[axis]


def _blank_last(logits, blank):
    """The scores with those of the blank behind all others."""
    if isinstance(blank, int) and blank + 1 == logits.shape[2]:
        return logits
    return tf.concat([logits[:, :, :blank], logits[:, :, blank + 1:], logits[:, :, blank:blank + 1]], 2)


def _loss(logits, indices, values, lengths, **more):
    narrow = logits.dtype in (tf.float16, tf.bfloat16)
    made = _op('CTCLoss', inputs=tf.cast(logits, tf.float32) if narrow else logits, labels_indices=indices,
               labels_values=values, sequence_length=lengths, **more)[0]
    return tf.cast(made, logits.dtype) if narrow else made


def ctc_loss(labels: Any, logits: Any, label_length: Any, logit_length: Any, logits_time_major: bool = True,
             unique: Any = None, blank_index: Any = None, name: str | None = None) -> Any:
    """How unlikely the labels are by the scores `logits` of each moment, which may be a blank as well."""
    with tf.name_scope(name or 'ctc_loss'):
        logits = tf.convert_to_tensor(logits, name='logits')
        if not logits_time_major:
            logits = tf.transpose(logits, [1, 0, 2])
        sparse = isinstance(labels, tf.SparseTensor)
        if sparse and blank_index is None:
            raise ValueError('Argument `blank_index` must be provided when `labels` is a `SparseTensor`.')
        blank = 0 if blank_index is None else blank_index
        blank = blank + _size(logits, 2) if isinstance(blank, int) and blank < 0 else blank
        if sparse:
            indices, values = labels.indices, labels.values
        else:
            labels = tf.convert_to_tensor(labels, name='labels')
            there = tf.sequence_mask(tf.convert_to_tensor(label_length), _size(labels, 1))
            indices, values = tf.where(there), tf.boolean_mask(labels, there)
        lengths = tf.cast(logit_length, tf.int32)
        blank_label = not sparse and isinstance(blank, int) and blank == 0
        if blank_label:
            # Dense labels may hold the blank: a class of its own with the same scores, which gets no gradient there.
            values = tf.where(tf.equal(values, 0), tf.cast(_size(logits, 2), values.dtype), values)
        values = tf.cast(tf.where(values < tf.cast(blank, values.dtype), values, values - 1), tf.int32)
        if not blank_label:
            return _loss(_blank_last(logits, blank), indices, values, lengths)
        twice = tf.concat([logits, tf.stop_gradient(logits[:, :, :1])], 2)
        more = tf.reduce_logsumexp(twice, 2) - tf.reduce_logsumexp(logits, 2)
        there = tf.transpose(tf.sequence_mask(lengths, _size(logits, 0), more.dtype))
        return _loss(_blank_last(twice, 0), indices, values, lengths) - tf.reduce_sum(more * there, 0)


def old_ctc_loss(labels: Any, inputs: Any = None, sequence_length: Any = None,
                 preprocess_collapse_repeated: bool = False, ctc_merge_repeated: bool = True,
                 ignore_longer_outputs_than_inputs: bool = False, time_major: bool = True, logits: Any = None) -> Any:
    """Like ctc_loss() for sparse labels; the blank is the last class."""
    if not isinstance(labels, tf.SparseTensor):
        raise TypeError(f'Expected argument `labels` to be a SparseTensor. Received labels={labels!s} of type: '
                        f'{type(labels).__name__}')
    logits = tf.convert_to_tensor(inputs if logits is None else logits, name='logits')
    if not time_major:
        logits = tf.transpose(logits, [1, 0, 2])
    return _loss(logits, labels.indices, labels.values, sequence_length,
                 preprocess_collapse_repeated=preprocess_collapse_repeated, ctc_merge_repeated=ctc_merge_repeated,
                 ignore_longer_outputs_than_inputs=ignore_longer_outputs_than_inputs)


def ctc_greedy_decoder(inputs: TensorLike, sequence_length: Any, merge_repeated: bool = True,
                       blank_index: Any = None) -> tuple[Any, ...]:
    """The labels with the best score of each moment: ([a sparse tensor], minus the sum of these scores)."""
    indices, values, shape, scores = _op('CTCGreedyDecoder', inputs=inputs, sequence_length=sequence_length,
                                         merge_repeated=merge_repeated,
                                         blank_index=-1 if blank_index is None else blank_index)
    return [tf.SparseTensor(indices, values, shape)], scores


def old_ctc_beam_search_decoder(inputs: TensorLike, sequence_length: Any, beam_width: Any = 100, top_paths: Any = 1,
                                merge_repeated: bool = True) -> tuple[Any, ...]:
    """The most likely sequences of labels among `beam_width` that are followed: (sparse tensors, log probabilities)."""
    made = _op('CTCBeamSearchDecoder', inputs=inputs, sequence_length=sequence_length, beam_width=beam_width,
               top_paths=top_paths, merge_repeated=merge_repeated)
    return [tf.SparseTensor(*made[k:3 * top_paths:top_paths]) for k in range(top_paths)], made[-1]


def ctc_beam_search_decoder(inputs, sequence_length, beam_width=100, top_paths=1):
    """Beam search decoding that keeps repeated labels."""
    return old_ctc_beam_search_decoder(inputs, sequence_length, beam_width, top_paths, False)


def ctc_unique_labels(labels: TensorLike, name: str | None = None) -> list[Any]:
    """For each row of labels the different ones, padded with zeros, and the place of each label among them."""
    with tf.name_scope(name or 'ctc_unique_labels'):
        labels = tf.convert_to_tensor(labels, name='labels')

        def different(row):
            values, places = tf.unique(row)
            return tf.cast(tf.pad(values, [[0, tf.size(places) - tf.size(values)]]), tf.int64), places
        values, places = tf.map_fn(different, labels, fn_output_signature=(tf.int64, tf.int32))
        return [values, places]


def collapse_repeated(labels: TensorLike, seq_length: Any, name: str | None = None) -> tuple[Any, ...]:
    """Each row without labels that follow their like: (rows padded with zeros, their lengths)."""
    with tf.name_scope(name or 'collapse_repeated_labels'):
        labels, seq_length = tf.convert_to_tensor(labels, name='labels'), tf.convert_to_tensor(seq_length, name='seq_length')
        kept = tf.concat([tf.ones_like(labels[:, :1], tf.bool), tf.not_equal(labels[:, 1:], labels[:, :-1])], 1)
        kept &= tf.sequence_mask(seq_length, _size(labels, 1))
        lengths = tf.reduce_sum(tf.cast(kept, tf.int32), 1)
        there = tf.where(tf.sequence_mask(lengths, tf.reduce_max(lengths)))
        shape = tf.stack([tf.shape(labels, tf.int64)[0], tf.cast(tf.reduce_max(lengths), tf.int64)])
        return tf.scatter_nd(there, tf.boolean_mask(labels, kept), shape), tf.cast(lengths, seq_length.dtype)


alias('tf.nn', collapse_repeated, ctc_beam_search_decoder, ctc_greedy_decoder, ctc_loss, ctc_unique_labels)
alias('tf.compat.v1.nn', ctc_greedy_decoder, ctc_loss=old_ctc_loss, ctc_loss_v2=ctc_loss,
      ctc_beam_search_decoder=old_ctc_beam_search_decoder, ctc_beam_search_decoder_v2=ctc_beam_search_decoder)
