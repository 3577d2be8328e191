"""Functions that JAX jits for itself, while it is imported."""
from jax._src import core
from jax._src.pjit import jit


@jit
def add(x, y):
    return core.Tracer() if core.Tracer in (type(x), type(y)) else core.Array(x.shape)


@jit
def _reduce_sum(x):
    return core.Array(())


def negative(x):
    primitive = core.Primitive('neg')
    primitive.impl = lambda value: add(value, value)
    return core.EvalTrace().process_primitive(primitive, (x,), {})
