"""tensorflow.compiler.tf2xla.python.xla."""
from __future__ import annotations

import footlight as tf
from footlight._tensorflow.publish import publish
from footlight._typing import Any


def dynamic_update_slice(x: Any, updates: Any, start_indices: Any, name: str | None = None) -> Any:
    """`x` with a part replaced by `updates`, from `start_indices` on: moved back where it would reach over the end."""
    x, updates = tf.convert_to_tensor(x), tf.convert_to_tensor(updates)
    start = tf.cast(tf.stack([tf.reshape(s, []) for s in start_indices]) if isinstance(start_indices, (list, tuple))
                    else start_indices, tf.int32)
    whole, part = tf.shape(x), tf.shape(updates)
    start = tf.clip_by_value(start, 0, whole - part)
    around = tf.stack([start, whole - part - start], axis=1)
    there = tf.pad(tf.ones(part, tf.int8), around) > 0
    if x.dtype == tf.bool:
        placed = tf.cast(tf.pad(tf.cast(updates, tf.int8), around), tf.bool)
    else:
        placed = tf.pad(updates, around)
    placed = tf.where(there, placed, x, name=name)
    placed.set_shape(x.shape)
    return placed


publish(globals())
