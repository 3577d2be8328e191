"""Backends of torch.compile: their names, and which of them PyTorch takes for equal. Traces are shared only between those."""
from __future__ import annotations

import weakref
from typing import Any

_WRAPPERS = ('_torchdynamo_orig_backend', '_torchdynamo_orig_callable')


def innermost(backend: Any) -> Any:
    """The backend that the program gave, without what PyTorch puts around it."""
    for _ in range(50):
        inner = next((getattr(backend, name) for name in _WRAPPERS if hasattr(backend, name)), None)
        if inner is None:
            break
        backend = inner
    return backend


def name_of(backend: Any) -> str:
    """The name as the program writes it: "eager", "inductor"."""
    backend = innermost(backend)
    return str(getattr(backend, 'compiler_name', None) or getattr(backend, '__name__', 'inductor'))


class Backends:
    """Tells backends apart. Keeps none of them alive."""

    def __init__(self) -> None:
        self._known: list[tuple[Any, str]] = []  # weak references, and the texts
        self._of_name: dict[str, int] = {}

    def text(self, backend: Any) -> str:
        """The name. Other objects of that name, which PyTorch does not take for equal, have a number: "toy, object 2"."""
        name, backend = name_of(backend), innermost(backend)
        backend = getattr(backend, 'compiler_fn', backend)  # torch.compile wraps one for each of its calls
        if name == 'inductor':
            return name
        self._known = [(reference, text) for reference, text in self._known if reference() is not None]
        for reference, text in self._known:
            if reference() is backend or reference() == backend:
                return text
        number = self._of_name[name] = self._of_name.get(name, 0) + 1
        text = name if number == 1 else f'{name}, object {number}'
        try:
            self._known.append((weakref.ref(backend), text))
        except TypeError:
            return name
        return text
