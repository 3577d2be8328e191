"""JAX's own jitted functions: outside of jit `jnp.add` and its kin run as these. Each call with arrays is an op.

The hook is placed when `jax._src.pjit` is imported, which JAX does before it makes these functions.
"""
from __future__ import annotations

import functools
import importlib
from types import ModuleType
from typing import Any

from footlight_recorder.adapters import Adapter, Hook, eager_ops, guarded, jax_graphs

_PRODUCTS = ('matmul', 'dot', 'vdot', 'inner', 'outer', 'tensordot', 'einsum', 'kron', 'convolve', 'correlate', 'matvec')
_REDUCTIONS = ('sum', 'mean', 'prod', 'max', 'min', 'amax', 'amin', 'any', 'all', 'std', 'var', 'norm', 'median', 'average',
               'count_nonzero', 'sort', 'argsort', 'logsumexp', 'trace')
_MOVES = ('concatenate', 'stack', 'ravel', 'moveaxis', 'swapaxes', 'tile', 'repeat', 'roll', 'flip', 'take', 'where', 'full',
          'zeros', 'ones', 'arange', 'linspace', 'eye', 'astype', 'array', 'broadcast_to', 'tril', 'triu')
_CALLS = ('jit', 'pjit')  # primitives that call a function of JAX, whose name says more


def _family(name: str) -> str:
    for family, names in (('product', _PRODUCTS), ('reduction', _REDUCTIONS), ('move', _MOVES)):
        if name in names:
            return family
    return jax_graphs.family(name)


class Ops(eager_ops.Ops):
    """The ops of JAX."""

    def __init__(self) -> None:
        from jax._src.lib import xla_client
        super().__init__(_family, ('aval',), xla_client.ArrayImpl)

    @guarded
    def of_function(self, jitted: Any, fun: Any) -> Any:
        """Wrap a function that JAX jits for itself; None: it has no name."""
        name = getattr(fun, '__name__', '').strip('_')
        return self.stand_in_for(name, jitted) if name else None

    def of_primitives(self, process: Any) -> Any:
        """Wrap `EvalTrace.process_primitive`."""
        return self.stand_in(process, self._describe_primitive, first=1, op_at=1)

    def _describe_primitive(self, arguments: Any, result: Any) -> eager_ops.Described | None:
        _, primitive, values, params = arguments[:4]
        name = primitive.name
        if name in ('scan', 'while', 'cond'):
            return None  # recorded as a call of the body
        if name in _CALLS:
            name = str(params.get('name', name)).strip('_')
        return self.described(name, values, result)


@functools.lru_cache(maxsize=1)
def ops() -> Ops | None:
    """The ops of JAX in this process; None: they are not recorded."""
    return _made() if eager_ops.are_recorded() else None


@guarded
def _made() -> Ops:
    return Ops()


def for_itself(jitted: Any, fun: Any) -> Any:
    """Wrap a function that JAX jits for itself; without a record of ops it stays as it is."""
    known = ops()
    stand_in = known.of_function(jitted, fun) if known is not None else None
    return jitted if stand_in is None else stand_in


def adapter(module: ModuleType) -> Adapter:
    """The hook for this JAX, which is being imported."""
    def cpp_pjit(original: Any) -> Any:
        @functools.wraps(original)
        def make(fun: Any, *more: Any, **named: Any) -> Any:
            return for_itself(original(fun, *more, **named), fun)
        vars(make)['_footlight_original'] = original
        return make

    hooks = [Hook(module.__name__, '_cpp_pjit', cpp_pjit, "calls of JAX's own functions outside of jit")]
    if hasattr(getattr(module, '_cpp_pjit', None), '_footlight_original'):
        hooks = []  # JAX was imported before: its functions are made
    version = str(importlib.import_module('jax.version').__version__)
    return Adapter('jax', version, hooks, part_of='jax')
