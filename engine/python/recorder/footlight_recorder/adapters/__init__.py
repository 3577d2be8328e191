"""Adapters record what other engines do. Each is a table of hooks: attributes of the engine's modules that it replaces.

An adapter is installed when the program first imports its engine. A hook that this version of the engine does not have is
named in the recording, and what it would give is not recorded; the program never sees an error of an adapter.
"""
from __future__ import annotations

import functools
import importlib
import importlib.abc
import importlib.util
import sys
import time
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, NamedTuple

from footlight_recorder import _recorder
from footlight_recorder.engines import ENGINES

_PACKAGES = {'torch': 'torch._dynamo'}  # whose import installs an adapter, where it is not the engine's own
# Libraries that are recorded with an engine, and parts of it: the modules after which their adapters are installed.
_KERAS = 'footlight_recorder.adapters.tensorflow_keras'
_ON_TOP = {'jax': {'jax._src.pjit': 'footlight_recorder.adapters.jax_ops'},  # a part of JAX, before the rest of it is made
           'tensorflow': {'keras.src.models.model': _KERAS, 'keras.src.engine.training': _KERAS,  # of Keras 3 and 2
                          'tf_keras.src.engine.training': _KERAS}}
_ADAPTERS = {name: f'footlight_recorder.adapters.{name}' for name in ENGINES}
_ADAPTERS |= {module: adapter for parts in _ON_TOP.values() for module, adapter in parts.items()}


class Hook(NamedTuple):
    """One attribute that is replaced. `attribute` is a path in the module: "EvalTrace.process_primitive"."""
    module: str
    attribute: str
    replace: Callable[[Any], Any]  # takes what is there, returns what stands in for it
    gives: str                     # what is not recorded without it
    needed: bool = True            # False: another hook of the table stands for it in other versions


class Adapter(NamedTuple):
    """What is recorded of an engine, and how."""
    engine: str
    version: str
    hooks: list[Hook]
    revision: int = 1  # raised when what is recorded changes
    describe_again: Callable[[], None] = lambda: None  # adds the rows of what was seen before another recording began
    adopt: Callable[[], str] | None = None  # finds functions from before it was installed; says in words what is missing
    part_of: str = ''  # the engine in whose row a library on top of it is described


_noted: set[str] = set()  # in this recording
_wanted: set[str] = set()  # engines whose adapters are installed when the program imports them
_installed: dict[str, tuple[Adapter, list[str]]] = {}  # and what each does not record; by the name of its package


def note(where: str, error: BaseException) -> None:
    """Says in the recording, once for each place, that something of a run could not be recorded."""
    words = f'{where}: {type(error).__name__}: {error}'
    if where in _noted:
        return
    _noted.add(where)
    try:
        _recorder.add('console', {'time_ns': time.time_ns(), 'stream': 'note', 'text': f'Not all was recorded: {words}\n'})
    except Exception:  # the program must not see it
        pass


def guarded(body: Callable[..., Any]) -> Callable[..., Any]:
    """Makes a body of a hook that gives None instead of an error."""
    @functools.wraps(body)
    def run(*args: Any, **kwargs: Any) -> Any:
        try:
            return body(*args, **kwargs)
        except Exception as error:
            note(body.__qualname__, error)
            return None
    return run


def _place(hook: Hook) -> tuple[Any, str]:
    """The object that holds the attribute, and the attribute's name there."""
    holder: Any = importlib.import_module(hook.module)
    *outer, name = hook.attribute.split('.')
    for part in outer:
        holder = getattr(holder, part)
    getattr(holder, name)
    return holder, name


def _original(holder: Any, name: str) -> Any:
    """What is replaced; a class method as it stands in its class."""
    found = vars(holder).get(name) if isinstance(holder, type) else None
    return found if isinstance(found, classmethod) else getattr(holder, name)


def place_hooks(hooks: list[Hook], engine: str, version: str) -> list[str]:
    """Puts the hooks in place; returns what is not recorded for want of one."""
    missing = []
    for hook in hooks:
        try:
            holder, name = _place(hook)
            setattr(holder, name, hook.replace(_original(holder, name)))
        except Exception:
            if hook.needed:
                missing.append(f'{hook.gives} not recorded: {engine} {version} has no {hook.module}.{hook.attribute}')
    return missing


def install(adapter: Adapter) -> list[str]:
    """Puts the adapter's hooks in place; returns what is not recorded for want of one."""
    return place_hooks(adapter.hooks, adapter.engine, adapter.version)


def _describe(adapter: Adapter, missing: list[str]) -> None:
    """Describes the adapter in the recording."""
    _recorder.describe_process({'engine': adapter.engine, 'engine_version': adapter.version,
                                'adapter': str(adapter.revision), 'process_missing_hook': missing})


@guarded
def _adopted(adapter: Adapter) -> str | None:
    """Finds what the engine made before the recorder; says in words what of it is missing, "" if nothing is."""
    return adapter.adopt() if adapter.adopt is not None else None


@guarded
def _install_for(name: str, module: ModuleType, was_imported: bool = False) -> None:
    """Installs the adapter of an engine, once in a process. `name`: of the package that was imported."""
    from footlight_recorder.adapters import distributed
    if name in distributed.PACKAGES:
        distributed.install(name)
    package, name = name, next((engine for engine, one in _PACKAGES.items() if one == name), name)
    if _PACKAGES.get(name, name) != package or name not in _wanted or name in _installed or module.__name__ != package:
        return  # another package stands in for the engine
    adapter = importlib.import_module(_ADAPTERS[name]).adapter(module)
    missing = install(adapter)
    if was_imported and not adapter.part_of:
        said = _adopted(adapter)
        if said is None:
            said = (f'functions that existed before the recorder not recorded: {name} was imported before it; call '
                    f'footlight_recorder.prepare() before `import {name}`')
        missing += [said] if said else []
    _installed[name] = adapter, missing
    if adapter.part_of in _installed:
        adapter, with_parts = _installed[adapter.part_of]
        with_parts += missing
        missing = with_parts
    elif adapter.part_of:
        return  # described with the engine, whose import goes on
    else:
        missing += [words for part, of_part in _installed.values() if part.part_of == name for words in of_part]
    _describe(adapter, missing)


class _InstallAfter(importlib.abc.Loader):
    """Runs a package's own loader, then installs the adapter."""

    def __init__(self, finder: _Finder, name: str, loader: Any) -> None:
        self.finder, self.name, self.loader = finder, name, loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        module: ModuleType | None = self.loader.create_module(spec)
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__loader__ = self.loader
        if module.__spec__ is not None:
            module.__spec__.loader = self.loader
        self.finder.waiting.discard(self.name)
        self.loader.exec_module(module)
        _install_for(self.name, module)


class _Finder(importlib.abc.MetaPathFinder):
    """Finds the engines' packages by the other finders, until they are imported."""

    def __init__(self, names: list[str]) -> None:
        self.waiting = set(names)
        self.asking = False  # the other finders

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if self.asking or name not in self.waiting:
            return None
        self.asking = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self.asking = False
        if spec is not None and spec.loader is not None:
            spec.loader = _InstallAfter(self, name, spec.loader)
        return spec


def hook_imports(names: list[str]) -> None:
    """Installs the adapters of these engines when the program imports them, and the hooks of distributed programs."""
    from footlight_recorder.adapters import distributed
    names = [*names, *(module for name in names for module in _ON_TOP.get(name, ()))]
    _wanted.update(names)
    packages = [_PACKAGES.get(name, name) for name in names]
    packages += [name for name in distributed.PACKAGES if name not in packages]
    for name in packages:
        if name in sys.modules:
            _install_for(name, sys.modules[name], was_imported=True)
    waiting = {name for finder in sys.meta_path if isinstance(finder, _Finder) for name in finder.waiting}
    later = [name for name in packages if name not in sys.modules and name not in waiting]
    if later:
        sys.meta_path.insert(0, _Finder(later))


def begin_recording(names: list[str]) -> None:
    """A recording of this process has begun: describes the adapters that are installed in it, and installs others."""
    _noted.clear()
    for name, (adapter, missing) in list(_installed.items()):
        if not adapter.part_of:
            _describe(adapter, missing)
        guarded(adapter.describe_again)()
    hook_imports(names)


def names_of(engine: str) -> list[str]:
    """The packages whose adapters are wanted: all for 'auto', none for 'footlight', else those named: 'jax'."""
    if engine == 'auto':
        return list(ENGINES)
    if engine == 'footlight':
        return []
    names = [name.strip() for name in engine.split(',')]
    for name in names:
        if name not in ENGINES:
            raise ValueError(f"engine must be 'auto', 'footlight' or names of {', '.join(ENGINES)}, not {engine!r}")
    return names
