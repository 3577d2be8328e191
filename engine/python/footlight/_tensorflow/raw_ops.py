"""tf.raw_ops by the positions of their arguments."""
from __future__ import annotations

from footlight._tensorflow.publish import publish
from footlight._typing import Any, TensorLike


def Bucketize(input: TensorLike, boundaries: TensorLike, name: str | None = None) -> Any:
    """Between which boundaries each element lies: the number of those that are not above it."""
    if not isinstance(boundaries, (list, tuple)):
        raise TypeError(f"Expected list for 'boundaries' argument to 'bucketize' Op, not {boundaries!r}.")
    from footlight._raw_ops import op as _op
    return _op('Bucketize', input=input, boundaries=[float(one) for one in boundaries], name=name)[0]


publish(globals(), 'Bucketize', 'raw_ops')
