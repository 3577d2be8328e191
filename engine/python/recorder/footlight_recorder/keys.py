"""What stands in a key for an argument that is no plain value."""
from __future__ import annotations


class Leaf:
    """A part of a call's key.

    `kind` is tensor (whose `number` is that of the mesh in its type, or 0), variable (whose `number` is its alias),
    object, type, custom (a type that the engine compares), callable, namedtuple, fields (of a class whose fields are
    `parts`) or any (a trace serves whatever stands there).
    """
    __slots__ = ('kind', 'dtype', 'shape', 'weak', 'trainable', 'number', 'name', 'parts')

    def __init__(self, kind: str, *, dtype: str = '', shape: tuple[int | None, ...] | None = None, weak: bool = False,
                 trainable: bool = False, number: int = 0, name: str = '', parts: tuple[object, ...] = ()) -> None:
        self.kind, self.dtype, self.shape, self.weak = kind, dtype, shape, weak
        self.trainable, self.number, self.name, self.parts = trainable, number, name, parts


def tensor(dtype: str, shape: tuple[int | None, ...] | None, weak: bool = False, mesh: tuple[int, str] = (0, '')) -> Leaf:
    """A tensor of this dtype; a size of None, or no shape at all, is unknown. `mesh`: number and name."""
    return Leaf('tensor', dtype=dtype, shape=shape, weak=weak, number=mesh[0], name=mesh[1])


ANY = Leaf('any')
