"""tensorflow.python.data.ops.*_op: classes of datasets by what they are made from, for isinstance()."""
from __future__ import annotations

import footlight as tf
from footlight import _engine


class _ByDatasetName(type):
    def __instancecheck__(cls, value: tf.data.Dataset) -> bool:
        return isinstance(value, tf.data.Dataset) and type(value).__name__ == cls.__name__


def _dataset_kind(name: str) -> _ByDatasetName:
    return _ByDatasetName(name, (), {'__doc__': 'Datasets of this source: only for isinstance().'})
for _module, _name in (('from_generator', '_GeneratorDataset'), ('range', '_RangeDataset'),
                       ('from_sparse_tensor_slices', '_SparseTensorSliceDataset'), ('from_tensors', '_TensorDataset'),
                       ('from_tensor_slices', '_TensorSliceDataset')):
    setattr(_engine.namespace(f'python.data.ops.{_module}_op'), _name, _dataset_kind(_name))
