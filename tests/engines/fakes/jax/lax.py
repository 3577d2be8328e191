"""A loop that runs its body: JAX makes a jaxpr of each body that is a new function."""
import weakref
from types import SimpleNamespace

from jax._src import core

_bodies = weakref.WeakKeyDictionary()


def scan(f, init, xs):
    if f not in _bodies:
        _bodies[f] = core.ClosedJaxpr(core.Jaxpr([], [], []))
        code = f.__code__
        _bodies[f].jaxpr.debug_info = SimpleNamespace(
            func_src_info=f'{f.__name__} at {code.co_filename}:{code.co_firstlineno}')
    primitive = core.Primitive('scan')
    primitive.impl = lambda carry, values, jaxpr: carry
    return core.EvalTrace().process_primitive(primitive, (init, xs), {'jaxpr': _bodies[f]})
