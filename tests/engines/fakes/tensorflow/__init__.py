"""The surface of TensorFlow that the adapter hooks, without any arithmetic: a tensor has a shape and a dtype."""
from types import SimpleNamespace

from tensorflow.python.data.ops.structured_function import Dataset
from tensorflow.python.eager.polymorphic_function import polymorphic_function
from tensorflow.python.eager.polymorphic_function.polymorphic_function import function
from tensorflow.python.framework.ops import EagerTensor, Tensor, ones
from tensorflow.python.ops.resource_variable_ops import BaseResourceVariable as Variable

__version__ = '2.21.0'
config = SimpleNamespace(run_functions_eagerly=polymorphic_function.run_functions_eagerly)
