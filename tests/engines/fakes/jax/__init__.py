"""The part of JAX 0.10 that the adapter hooks, over nested lists of numbers: no array is computed."""
import contextlib

from jax import lax, monitoring, tree_util
from jax._src import config
from jax._src.core import Array
from jax._src.pjit import jit

__version__ = '0.10.0'


@contextlib.contextmanager
def disable_jit():
    config.is_jit_disabled = True
    try:
        yield
    finally:
        config.is_jit_disabled = False


def block_until_ready(value):
    return value
