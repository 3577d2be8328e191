"""Public protobuf messages. They and protobuf are in a separate extension that is loaded at first use."""
from __future__ import annotations

import importlib
from footlight._typing import Any


def __getattr__(name: str) -> type[Any]:
    if name.startswith('__'):
        raise AttributeError(name)
    return getattr(importlib.import_module('footlight._formats'), name)


def shape_proto(shape):
    """A TensorShape as a message."""
    formats = importlib.import_module('footlight._formats')
    if shape.rank is None:
        return formats.TensorShapeProto(unknown_rank=True)
    return formats.TensorShapeProto(dim=[formats.TensorShapeProto.Dim(size=-1 if d is None else d)
                                         for d in shape.as_list()])
