"""tensorflow.python.util.module_wrapper: modules that warn of old names."""
from __future__ import annotations

import types

from footlight._tensorflow.publish import publish
from footlight._typing import Any


class TFModuleWrapper(types.ModuleType):
    """A module around another one, some of whose names are elsewhere: {name: (module, name there)}."""

    def __init__(self, wrapped: Any, module_name: str, public_apis: Any = None, deprecation: bool = True,
                 has_lite: bool = False) -> None:
        super().__init__(wrapped.__name__)
        for name, value in vars(wrapped).items():
            if name.startswith('__') and name != '__class__':
                types.ModuleType.__setattr__(self, name, value)
        self.__dict__.update(_tfmw_wrapped_module=wrapped, _tfmw_module_name=module_name, _tfmw_public_apis=public_apis or {})

    def __getattr__(self, name: str) -> Any:
        if name.startswith('_tfmw_'):
            raise AttributeError(name)
        try:
            return getattr(self._tfmw_wrapped_module, name)
        except AttributeError:
            if name not in self._tfmw_public_apis:
                raise
        module, there = self._tfmw_public_apis[name]
        found = getattr(__import__(module, fromlist=['']), there) if module else __import__(there)
        setattr(self._tfmw_wrapped_module, name, found)
        return found

    def __setattr__(self, name: str, value: int) -> None:
        setattr(self._tfmw_wrapped_module, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(self._tfmw_wrapped_module, name)

    def __dir__(self) -> list[Any]:
        return sorted(set(dir(self._tfmw_wrapped_module)) | set(self._tfmw_public_apis))

    def __reduce__(self) -> tuple[Any, ...]:
        return __import__, (self._tfmw_wrapped_module.__name__,)


publish(globals())
