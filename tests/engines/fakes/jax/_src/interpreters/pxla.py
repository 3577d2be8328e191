"""Compilation of modules, each once."""
import weakref

from jax import monitoring

_compiled = weakref.WeakKeyDictionary()


def _cached_compilation(computation, name):
    if computation not in _compiled:
        monitoring.tell('/jax/core/compile/backend_compile_duration', 0.002)
        _compiled[computation] = name
    return _compiled[computation]
