"""What stands in a key for an argument that is no plain value."""
from __future__ import annotations


class Leaf:
    """A part of a call's key.

    `kind` is tensor, variable (whose `number` is its alias), object, type, custom (a type that the engine compares), callable,
    namedtuple, fields (of a class whose fields are `parts`) or any (a trace serves whatever stands there).
    """
    __slots__ = ('kind', 'dtype', 'shape', 'weak', 'trainable', 'number', 'name', 'parts')

    def __init__(self, kind: str, *, dtype: str = '', shape: tuple[int | None, ...] | None = None, weak: bool = False,
                 trainable: bool = False, number: int = 0, name: str = '', parts: tuple[object, ...] = ()) -> None:
        self.kind, self.dtype, self.shape, self.weak = kind, dtype, shape, weak
        self.trainable, self.number, self.name, self.parts = trainable, number, name, parts


def tensor(dtype: str, shape: tuple[int | None, ...] | None, weak: bool = False) -> Leaf:
    """A tensor of this dtype; a size of None, or no shape at all, is unknown."""
    return Leaf('tensor', dtype=dtype, shape=shape, weak=weak)


ANY = Leaf('any')
