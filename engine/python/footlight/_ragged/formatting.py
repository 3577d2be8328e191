"""Ragged tensors as text: in tf.strings.format and tf.print."""
from __future__ import annotations

import footlight as tf
from footlight import _engine
from footlight._ragged.dispatch import _rule, is_ragged
from footlight._ragged.tensor import _values_of
from footlight._typing import Any


def ragged_tensor_to_string(rt, summarize=None):
    """A ragged tensor as one string, its rows in brackets; of each row the first and last `summarize` elements."""
    if summarize is not None and summarize != -1 and not (isinstance(summarize, int) and summarize > 0):
        raise ValueError(f'Expected summarize to be -1 or a positive int, got {summarize!r}')
    rt = _values_of(rt)
    if rt.shape.rank is None:
        raise ValueError('RaggedTensor to_string requires that rt.shape.rank is not None.')
    with tf.name_scope('AsString'):
        flat = rt.flat_values if is_ragged(rt) else rt
        if rt.dtype == tf.string:
            texts = tf.strings.join(["'", tf.strings.regex_replace(flat, r"(['\\])", r'\\\1'), "'"])
        else:
            texts = tf.as_string(flat)
        return _in_brackets(rt.with_flat_values(texts) if is_ragged(rt) else texts, summarize)


def _in_brackets(strings: Any, summarize: int | None) -> Any:
    if strings.shape.rank == 0:
        return strings
    pieces = strings
    if strings.shape.rank != 1:
        pieces = tf.map_fn(lambda row: _in_brackets(row, summarize), strings, fn_output_signature=tf.string)
    if summarize is not None and summarize >= 0:
        pieces = tf.cond(tf.size(pieces) <= 2 * summarize, lambda: pieces, lambda: tf.concat(
            [pieces[:summarize], ['...'], pieces[tf.size(pieces) - summarize:]], 0))
    return tf.strings.join(['[', tf.strings.reduce_join(pieces, separator=', '), ']'])


@_rule('strings.format')
def _format(function, template, inputs, placeholder='{}', summarize=3, name=None):
    inputs = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    texts = template.split(placeholder)
    if len(texts) != len(inputs) + 1:
        raise ValueError(f'{len(texts) - 1} placeholder(s) in template does not match {len(inputs)} tensor(s) provided as input')
    pieces = [texts[0]]
    for value, text in zip(inputs, texts[1:]):
        pieces.append(ragged_tensor_to_string(value, summarize) if is_ragged(value) else function(
            placeholder, [value], placeholder=placeholder, summarize=summarize))
        pieces.append(text)
    return tf.strings.join(pieces, name=name)


ragged_tensor_to_string.__module__ = 'footlight.strings'
_engine.namespace('python.ops.ragged.ragged_string_ops').ragged_tensor_to_string = ragged_tensor_to_string
