"""Writes the stubs by which editors and type checkers know the package: from the package itself, and from known/*.pyi.

    write.py FOLDER [ALIAS]    FOLDER has the package `footlight`, which gets the stubs and py.typed; ALIAS gets the
                               package `tensorflow`, whose stubs are those of Footlight

Names, parameters, defaults and docstrings are those of the imported package. Types come from its annotations, from the
docstrings of the functions of the library ("x: a tensor."), from the names of parameters, and, for what these leave open
and scripts use most, from known/:
NAMESPACE.pyi says the types, and is refused where the package has other names or parameters.
"""
import ast
import pathlib
import sys
import types

from known_types import Known
from namespace_stub import Writer
from public_names import ROOT, members, public_modules

# Written by hand: the names that annotations use, and the extension module.
TYPING, ENGINE = (pathlib.Path(__file__).parent / name for name in ('_typing.pyi', '_engine.pyi'))


class Package:
    """The names of all namespaces, where each object is at home, and which module each namespace has its stub in."""

    def __init__(self):
        __import__(ROOT)
        self.loaded = {*sys.modules}  # at import: only for these may a folder stand in the package
        self.names = {full: dict(members(module)) for full, module in sorted(public_modules().items())}
        self.known = {full: Known(full) for full in self.names}
        self.typing_names = {*filter(None, map(defined_name, ast.parse(TYPING.read_text()).body))}
        self.home = {id(names[name]): (full, name) for full, names in self.names.items()
                     for name in self.known[full].names() if name in names}
        for full in sorted(self.names, key=lambda full: (full.startswith(f'{ROOT}.compat'), full.count('.'), full)):
            for name, value in self.names[full].items():
                if callable(value) and not isinstance(value, types.ModuleType):
                    self.home.setdefault(id(value), (full, name))

    def place(self, full):
        """The module with the stub of a namespace. A folder for one that is loaded late would be an empty namespace to
        `import`, so what is below such a one has a private module."""
        above = full.rpartition('.')[0]
        if not above or above in self.loaded:
            return full
        return f'{ROOT}._stub_{full.removeprefix(ROOT + ".").replace(".", "_")}'

    def path(self, folder, full):
        path = folder.joinpath(*self.place(full).split('.'))
        has_more = any(self.place(other).startswith(f'{full}.') for other in self.names)
        return path / '__init__.pyi' if has_more or list(path.glob('*.py')) else path.with_suffix('.pyi')


def defined_name(node):
    """The name that a statement of a stub defines."""
    if isinstance(node, ast.ClassDef):
        return node.name
    target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, 'target', None)
    return target and target.id


def write(path, text, written):
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)
    written.add(path)


def main(folder, alias=None):
    sys.path.insert(0, folder)
    package, written = Package(), set()
    texts = {full: Writer(full, package).text() for full in package.names}
    refused = [line for known in package.known.values() for line in known.refused]
    if refused:
        sys.exit('\n'.join(refused))
    folder = pathlib.Path(folder)
    for full, text in texts.items():
        write(package.path(folder, full), text, written)
        if alias:
            renamed = pathlib.Path(alias).joinpath('tensorflow', *full.split('.')[1:], '__init__.pyi')
            write(renamed, f'from {package.place(full)} import *\n', written)
    for stub in (TYPING, ENGINE):
        write(folder / ROOT / stub.name, stub.read_text(), written)
    write(folder / ROOT / 'py.typed', '', written)
    for old in (*folder.joinpath(ROOT).rglob('*.pyi'), *(pathlib.Path(alias).rglob('*.pyi') if alias else ())):
        if old not in written:
            old.unlink()


if __name__ == '__main__':
    main(*sys.argv[1:])
