"""`import tensorflow...` gives Footlight's own module objects, in this process and in those that it starts."""
from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import os
import sys
from types import ModuleType

_NAMES = ('tensorflow',)
_PACKAGE = os.path.dirname(os.path.abspath(__file__))
_SITE = os.path.join(_PACKAGE, '_site')
_MARK = 'FOOTLIGHT_IMPORT_TENSORFLOW'


def _load_package() -> None:
    """Imports `footlight` from here, also where the script has a file of that name beside it."""
    there = sys.modules.get('footlight')
    if there is None:
        folders, sys.path[:] = sys.path[:], [os.path.dirname(_PACKAGE), *sys.path]
        try:
            there = importlib.import_module('footlight')
        finally:
            sys.path[:] = folders
    if [os.path.abspath(folder) for folder in getattr(there, '__path__', ())] != [_PACKAGE]:  # sys.path may be relative
        raise ImportError("`import tensorflow` is Footlight in this run, whose package 'footlight' is hidden by "
                          f"{getattr(there, '__file__', 'another module')}: rename that one", name='footlight')


def _footlight_module(name: str) -> ModuleType:
    """The module `footlight.a.b`, whether it is a package, a module or a namespace inside another module."""
    _load_package()
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        head, _, leaf = name.rpartition('.')
        if not head:
            raise
        found = getattr(_footlight_module(head), leaf, None)
        if found is None:
            raise
        return found


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds tensorflow and all its submodules; the module keeps its own name and spec."""

    def find_spec(self, name: str, path: object = None,
                  target: object = None) -> importlib.machinery.ModuleSpec | None:
        if name.partition('.')[0] not in _NAMES:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        module = _footlight_module('footlight' + spec.name[spec.name.index('tensorflow') + len('tensorflow'):])
        self._kept = (module, module.__dict__.get('__spec__'), module.__dict__.get('__loader__'),
                      module.__dict__.get('__package__'))
        return module

    def exec_module(self, module: ModuleType) -> None:
        kept, spec, loader, package = self._kept
        if kept is module:
            module.__spec__, module.__loader__, module.__package__ = spec, loader, package


def _real_one() -> str | None:
    """Finds the path of a real TensorFlow that is installed as well, or None."""
    for finder in sys.meta_path:
        if isinstance(finder, _Finder) or not hasattr(finder, 'find_spec'):
            continue
        spec = finder.find_spec('tensorflow', None)
        if spec is not None:
            return spec.origin or 'another place'
    return None


def install(for_children: bool = False) -> None:
    """Installs the finder as the first one; with `for_children`, also in every Python that this process starts."""
    if any(isinstance(finder, _Finder) for finder in sys.meta_path):
        return
    real = _real_one() if _MARK not in os.environ else None
    sys.meta_path.insert(0, _Finder())
    if real is not None:
        print(f'footlight: `import tensorflow` is Footlight in this run; the one in {real} stays unused',
              file=sys.stderr)
    if for_children:
        os.environ[_MARK] = '1'
        package_root = os.path.dirname(_PACKAGE)
        before = [part for part in os.environ.get('PYTHONPATH', '').split(os.pathsep) if part]
        wanted = [_SITE, package_root]
        os.environ['PYTHONPATH'] = os.pathsep.join(wanted + [part for part in before if part not in wanted])
