"""The stub of one namespace: its functions, classes and values, and the imports that they need."""
import ast
import builtins
import enum
import inspect
import re
import types

from known_types import check_parameters
from parameters import PROPERTY_TYPES, parameters, signature, simple, type_of
from public_names import INNER, KERAS, PROTOCOLS, ROOT, members_of

HEADER = '''# Written by engine/python/stubs/write.py.
# mypy: disable-error-code="override, misc, assignment, type-arg, unused-ignore"'''
# A function of the library gives one tensor, and so does one of these namespaces, except for those below.
TENSOR_NAMESPACES = ('audio', 'bitwise', 'image', 'linalg', 'math', 'math.special', 'nn', 'nn.experimental', 'random',
                     'signal')
NOT_ONE_TENSOR = re.compile(
    r'approx_\w+|\w*candidate_sampler|max_pool_with_argmax|fractional_\w+|ctc_\w+|format|eigh_tridiagonal|'
    r'combined_non_max\w+|non_max_suppression_\w+|decode_\w+|\w*global_generator')
IMPORTS = {
    'collections.abc': 'Awaitable Callable Hashable Iterable Iterator Mapping Sequence',
    'contextlib': 'AbstractContextManager',
    'typing': 'Any Generic Literal SupportsIndex TypeGuard overload', 'collections': 'abc', '': 'builtins enum'}


class Writer:
    """The stub of one namespace."""

    def __init__(self, full, package):
        self.full, self.names, self.known = full, package.names[full], package.known[full]
        self.package, self.home = package, package.home
        self.lines, self.imports = [], []
        self.nameable = {'tf', *dir(builtins), *self.names, *package.names[ROOT], *package.typing_names,
                         *' '.join(IMPORTS.values()).split()}
        for name in (*self.known.names(), *self.known.aliases):
            if name not in self.names:
                self.known.refuse(name, 'is no name of the package')

    def text(self):
        for name, value in self.names.items():
            self.add(name, value)
        if self.full == ROOT:
            self.imports += ['import keras as keras  # type: ignore', *(
                f'from keras import {name} as {name}  # type: ignore' for name in KERAS[1:])]
            self.lines += ['__version__: str', *(f'{name}: Any' for name in INNER if not name.startswith('_'))]
        tree = Qualify({*self.names}).visit(ast.parse('\n'.join(self.lines)))
        body = ast.unparse(tree)
        used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        return '\n'.join([HEADER, *self.own_imports(used), *dict.fromkeys(self.imports), '', body, ''])

    def own_imports(self, used):
        missing = used - {*self.names} | ({'builtins'} & used)
        if 'tf' in missing:  # as the package's own annotations call it
            yield f'import {ROOT} as tf'
        for module, names in IMPORTS.items():
            there = sorted({*names.split()} & missing)
            missing -= {*there}
            if there:
                yield f'from {module} import {", ".join(there)}' if module else f'import {", ".join(there)}'
        of_typing = sorted(self.package.typing_names & missing)
        if of_typing:
            yield f'from {ROOT}._typing import {", ".join(of_typing)}'
        of_root = sorted(name for name in missing - self.package.typing_names
                         if name in self.package.names[ROOT] and not hasattr(builtins, name))
        if of_root and self.full != ROOT:
            yield f'from {ROOT} import {", ".join(of_root)}'

    def add(self, name, value):
        if name in self.known.aliases:
            self.lines.append(ast.unparse(self.known.aliases[name]))
            return
        home = self.home.get(id(value))
        if isinstance(value, types.ModuleType):
            self.add_module(name, value.__name__)
        elif home and home != (self.full, name):
            self.add_import(name, *home)
        elif isinstance(value, type):
            self.add_class(name, value)
        elif callable(value):
            self.add_function(name, value)
        else:
            self.lines.append(f'{name}: {type_of(value)}')

    def add_import(self, name, full, there):
        """`name` is what another namespace, or this one, calls `there`."""
        place = self.package.place(full)
        if full == self.full:
            self.lines.append(f'{name} = {there}')
        elif there == name:
            self.imports.append(f'from {place} import {name} as {name}')
        else:
            self.imports.append(f'import {place}')
            self.lines.append(f'{name} = {place}.{there}')

    def add_module(self, name, full):
        place = self.package.place(full)
        above, _, last = place.rpartition('.')
        if last == name:
            self.imports.append(f'from {above} import {name} as {name}')
        else:
            self.imports.append(f'import {place}')
            self.lines.append(f'{name} = {place}')

    def add_function(self, name, value):
        known = self.known.functions.get(name)
        doc = inspect.getdoc(value)
        if known:
            check_parameters(self.known, name, known, value)
            self.lines += definition_lines(known, doc, '')
            return
        self.lines.append(f'def {name}({parameters(value, self.annotated)}) -> {self.result(name, value)}:{body_of(doc, "    ")}')

    def annotated(self, annotation):
        """The package's own annotation, if it says more than Any and names no inner class of the package."""
        if not isinstance(annotation, str) or annotation == 'Any':
            return None
        named = {node.id for node in ast.walk(ast.parse(annotation)) if isinstance(node, ast.Name)}
        return None if named - self.nameable else annotation

    def result_of(self, value):
        """What a function gives, as its annotation says."""
        actual = signature(value)
        given = actual and self.annotated(actual.return_annotation) or 'Any'
        if inspect.isgeneratorfunction(inspect.unwrap(value)) and not inspect.isgeneratorfunction(value):
            return given.replace('Iterator', 'AbstractContextManager')  # by contextlib.contextmanager
        return given

    def result(self, name, value):
        """What a function gives, as far as its annotation, its kind and its namespace tell."""
        given = self.result_of(value)
        if given != 'Any':
            return given
        if type(value).__name__ == 'function_of_the_library':
            if name == 'Assert' or name.startswith('assert_'):
                return 'Operation | None'
        elif self.full.removeprefix(f'{ROOT}.') not in TENSOR_NAMESPACES:
            return 'Any'
        return 'Any' if NOT_ONE_TENSOR.fullmatch(name) else 'Tensor'

    def add_class(self, name, cls):
        known = self.known.classes.get(name)
        bases = [ast.unparse(base) for base in known.bases] if known and known.bases else self.bases(cls)
        doc = inspect.cleandoc(cls.__doc__ or '')
        self.lines.append(f'class {name}({", ".join(bases)}):{doc_of(doc, "    ")}')
        before = len(self.lines)
        if issubclass(cls, enum.Enum):
            self.lines += [f'    {member} = {simple(cls[member].value) or "..."}' for member in cls.__members__]
        else:
            self.add_members(name, cls, known)
        if len(self.lines) == before:
            self.lines.append('    ...')

    def bases(self, cls):
        if issubclass(cls, enum.Enum):
            return ['enum.IntEnum' if issubclass(cls, int) else 'enum.Enum']
        for base in cls.__mro__[1:-1]:
            home = self.home.get(id(base))
            if home:
                place = self.package.place(home[0])
                if home[0] != self.full and home[1] in self.names:
                    self.imports.append(f'import {place}')
                    return [f'{place}.{home[1]}']
                if home[0] != self.full:
                    self.imports.append(f'from {place} import {home[1]}')
                return [home[1]]
            if base.__module__ == 'builtins' and base is not object:
                return [f'builtins.{base.__name__}']
        return []

    def add_members(self, name, cls, known):
        written = {}
        for node in known.body if known else ():
            if isinstance(node, ast.FunctionDef):
                written.setdefault(node.name, []).append(node)
            elif isinstance(node, ast.AnnAssign):
                written[node.target.id] = [node]
        for member, nodes in written.items():
            value = getattr(cls, member, None) if hasattr(cls, member) else None
            if not hasattr(cls, member):
                self.known.refuse(f'{name}.{member}', 'is no name of the package')
                continue
            if not isinstance(nodes[0], ast.FunctionDef):
                self.lines.append('    ' + ast.unparse(nodes[0]))
                continue
            if not any(isinstance(d, ast.Name) and d.id == 'property' for d in nodes[0].decorator_list):
                check_parameters(self.known, f'{name}.{member}', nodes, cls if member == '__init__' else value)
            self.lines += definition_lines(nodes, None if member.startswith('__') else inspect.getdoc(value), '    ')
        for member in members_of(cls, self.home):
            if member not in written and not (known and member in PROTOCOLS):  # which its base may describe
                self.add_member(cls, member)
        if '__init__' not in written and not issubclass(cls, BaseException):
            self.lines.append(f'    def __init__({parameters(cls, self.annotated, "self")}) -> None: ...')
        if not known and '__dict__' in dir(cls) and not issubclass(cls, BaseException):
            self.lines.append('    def __getattr__(self, name: str) -> Any: ...')

    def add_member(self, cls, member):
        static = inspect.getattr_static(cls, member)
        value = getattr(cls, member, None)
        doc = inspect.getdoc(value)
        if isinstance(static, type):
            self.lines.append(f'    {member}: Any')
        elif isinstance(static, staticmethod):
            self.lines.append('    @staticmethod')
            self.lines.append(f'    def {member}({parameters(value, self.annotated)}) -> {self.result_of(value)}:{body_of(doc, "        ")}')
        elif isinstance(static, (classmethod, types.ClassMethodDescriptorType)):
            self.lines.append('    @classmethod')
            self.lines.append(f'    def {member}({parameters(value, self.annotated, "cls")}) -> {self.result_of(value)}:{body_of(doc, "        ")}')
        elif callable(value):
            self.lines.append(f'    def {member}({parameters(value, self.annotated, "self")}) -> {self.result_of(value)}:{body_of(doc, "        ")}')
        elif isinstance(static, property) or inspect.isdatadescriptor(static):
            doc = inspect.getdoc(static)
            given = self.result_of(getattr(static, 'fget', None))
            kind = PROPERTY_TYPES.get(member, 'Any') if given == 'Any' else given
            self.lines += ['    @property', f'    def {member}(self) -> {kind}:{body_of(doc, "        ")}']
        else:
            self.lines.append(f'    {member}: {type_of(value)}')


class Qualify(ast.NodeTransformer):
    """Names such as `bool` and `tuple` are Python's where a namespace has its own."""

    def __init__(self, names):
        self.hidden = {name for name in names if hasattr(builtins, name)}

    def visit_Name(self, node):
        if node.id not in self.hidden:
            return node
        return ast.Attribute(ast.Name('builtins', ast.Load()), node.id, node.ctx)

    def visit_AnnAssign(self, node):
        node.annotation = self.visit(node.annotation)
        return node  # whose target is the namespace's own


def definition_lines(nodes, doc, indent):
    """Known signatures, each with the docstring of the package where it is short enough to be read in an editor."""
    for number, node in enumerate(nodes):
        text = ast.unparse(node)
        if doc and number == len(nodes) - 1:
            text = text.removesuffix(' ...') + body_of(doc, '    ')
        yield '\n'.join(indent + line if line else '' for line in text.split('\n'))


def body_of(doc, indent):
    return doc_of(doc, indent) or ' ...'


def doc_of(doc, indent):
    return f'\n{indent}{doc!r}' if doc else ''
