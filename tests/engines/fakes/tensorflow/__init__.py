"""The surface of TensorFlow that the adapter hooks, without any arithmetic: a tensor has a shape and a dtype."""
from tensorflow.python.data.ops.structured_function import Dataset
from tensorflow.python.eager.polymorphic_function.polymorphic_function import function
from tensorflow.python.framework.ops import EagerTensor, Tensor, ones

__version__ = '2.21.0'
