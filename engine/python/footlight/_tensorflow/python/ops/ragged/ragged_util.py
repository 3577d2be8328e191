"""tensorflow.python.ops.ragged.ragged_util: whether ragged tensors have the same rows."""
from __future__ import annotations

import footlight as tf
from footlight._tensorflow.publish import publish
from footlight._typing import Any


def assert_splits_match(nested_splits_lists: Any) -> list[Any]:
    """What asserts that the splits of several ragged tensors are those of the first; ValueError if there are fewer or more."""
    words, first = 'Inputs must have identical ragged splits', nested_splits_lists[0]
    if any(len(splits) != len(first) for splits in nested_splits_lists):
        raise ValueError(words)
    return [tf.debugging.assert_equal(ours, theirs, message=words)
            for splits in nested_splits_lists[1:] for ours, theirs in zip(first, splits)]


publish(globals())
