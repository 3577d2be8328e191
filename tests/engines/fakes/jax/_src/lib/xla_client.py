"""The class of all arrays that hold values."""
from jax._src.core import Array

ArrayImpl = Array
