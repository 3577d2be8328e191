"""tensorflow.core.function.capture.capture_container: what a function captures, by value and by reference."""
from __future__ import annotations

import collections
import collections.abc

from footlight._tensorflow.core.function import trace_type as _trace_type
from footlight._tensorflow.publish import publish
from footlight._typing import Any, TensorLike


class FunctionCaptures:
    """What a function captured: by value a tensor, by reference what a function gives at each call."""

    def __init__(self):
        self.control, self.cached_by_val_capture_tuples = [], []
        for which in ('by_val', 'by_ref'):
            for what in ('internal', 'external', 'tracetype'):
                setattr(self, f'_{which}_{what}', collections.OrderedDict())

    def add_or_replace(self, key: Any, external: TensorLike, internal: Any, tracetype: Any = None,
                       is_by_ref: bool = False) -> None:
        """Keeps one."""
        if tracetype is None:
            tracetype = _trace_type.from_value(external)
        which = '_by_ref_' if is_by_ref else '_by_val_'
        for what, value in (('internal', internal), ('external', external), ('tracetype', tracetype)):
            getattr(self, which + what)[key] = value

    def pop(self, key: Any, is_by_ref: bool = False) -> tuple[Any, ...]:
        """Forgets one; what it was: outside and inside."""
        which = '_by_ref_' if is_by_ref else '_by_val_'
        getattr(self, which + 'tracetype').pop(key, None)
        return getattr(self, which + 'external').pop(key, None), getattr(self, which + 'internal').pop(key, None)

    def reset_captures(self, tensors: Any, placeholders: Any) -> None:
        """Keeps these, by value, in place of all before."""
        for what in ('internal', 'external', 'tracetype'):
            getattr(self, '_by_val_' + what).clear()
        for external, internal in zip(tensors, placeholders):
            self.add_or_replace(id(external), external, internal)

    def merge_by_ref_with(self, other):
        """Keeps those by reference of another one too."""
        for key in other.by_ref_external:
            if key not in self._by_ref_external:
                self.add_or_replace(key, other.by_ref_external[key], other.by_ref_internal[key],
                                    other.by_ref_tracetype[key], True)

    def get_by_ref_snapshot(self):
        """The types of what those by reference give now."""
        return {key: _trace_type.from_value(get()) if callable(get) else self._by_ref_tracetype[key]
                for key, get in self._by_ref_external.items()}

    @property
    def capture_types(self):
        """The types of all."""
        return {**self._by_val_tracetype, **self._by_ref_tracetype}

    by_val_internal = property(lambda self: self._by_val_internal)
    by_val_external = property(lambda self: self._by_val_external)
    by_val_tracetype = property(lambda self: self._by_val_tracetype)
    by_ref_internal = property(lambda self: self._by_ref_internal)
    by_ref_external = property(lambda self: self._by_ref_external)
    by_ref_tracetype = property(lambda self: self._by_ref_tracetype)

    @property
    def by_val_capture_tuples(self):
        """Pairs of outside and inside."""
        return tuple((self._by_val_external[key], self._by_val_internal[key]) for key in self._by_val_external)


publish(globals())
