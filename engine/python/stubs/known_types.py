"""What known/NAMESPACE.pyi says of a namespace, checked against the package."""
import ast
import pathlib

from parameters import signature
from public_names import ROOT

FOLDER = pathlib.Path(__file__).parent / 'known'


class Known:
    """What NAMESPACE.pyi says: by name the statements of a class, or of a function or an alias."""

    def __init__(self, full):
        self.path, self.refused = FOLDER / f'{full.removeprefix(ROOT + ".")}.pyi', []
        self.functions, self.classes, self.aliases = {}, {}, {}
        for node in ast.parse(self.path.read_text()).body if self.path.exists() else ():
            if isinstance(node, ast.FunctionDef):
                self.functions.setdefault(node.name, []).append(node)
            elif isinstance(node, ast.ClassDef):
                self.classes[node.name] = node
            elif isinstance(node, ast.Assign):
                self.aliases[node.targets[0].id] = node

    def names(self):
        return *self.functions, *self.classes

    def refuse(self, name, why):
        self.refused.append(f'{self.path}: {name} {why}')


def check_parameters(known, where, definitions, value):
    """A known signature has the parameters of the package, in their order."""
    actual = signature(value)
    if actual is None or any(p.kind is p.VAR_KEYWORD for p in actual.parameters.values()):
        return
    there = [name for name in actual.parameters if name not in ('self', 'cls')]
    for definition in definitions:
        all_of = definition.args
        arguments = [*all_of.posonlyargs, *all_of.args, *filter(None, [all_of.vararg]), *all_of.kwonlyargs]
        written = [argument.arg for argument in arguments if argument.arg not in ('self', 'cls')]
        if not where.rsplit('.', 1)[-1].startswith('__') and written != there:
            known.refuse(where, f'has the parameters {there}, not {written}')
