"""The part of JAX 0.10 that the adapter hooks, over nested lists of numbers: no array is computed."""
import contextlib

from jax import lax, monitoring, numpy, tree_util
from jax._src import config
from jax._src.core import Array
from jax._src.pjit import jit
from jax.version import __version__



@contextlib.contextmanager
def disable_jit():
    config.is_jit_disabled = True
    try:
        yield
    finally:
        config.is_jit_disabled = False


def grad(function):
    """Runs the function's ops one by one, and three more, as reverse mode does outside of jit."""
    def gradient(*arguments):
        result = function(*arguments)
        return numpy.negative(numpy.add(numpy.add(result, result), result))
    return gradient


def block_until_ready(value):
    return value
