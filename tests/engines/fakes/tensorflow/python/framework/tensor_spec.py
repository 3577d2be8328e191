"""The type of a tensor; a size of None serves any."""
from tensorflow.python.framework import dtypes, type_spec


class Shape:
    def __init__(self, sizes):
        self.sizes, self.rank = sizes, len(sizes)

    def __iter__(self):
        return iter(self.sizes)

    def as_list(self):
        return list(self.sizes)

    def num_elements(self):
        return 1


class TensorSpec(type_spec.TypeSpec):
    def __init__(self, sizes, dtype='float32'):
        self.shape, self.dtype = Shape(tuple(sizes)), getattr(dtypes, dtype)

    def __eq__(self, other):
        return isinstance(other, TensorSpec) and (self.shape.sizes, self.dtype) == (other.shape.sizes, other.dtype)

    def __hash__(self):
        return hash((self.shape.sizes, self.dtype))

    def serves(self, other):
        return isinstance(other, TensorSpec) and self.dtype == other.dtype and \
            len(self.shape.sizes) == len(other.shape.sizes) and \
            all(mine in (None, its) for mine, its in zip(self.shape.sizes, other.shape.sizes))
