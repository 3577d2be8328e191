"""What PyTorch guards: the sources that TorchDynamo's guards of a function look at, and what stands there in a call.

A key has one place for each source that a guard of any trace of the function looks at. A trace's key has what its guards
demand; where none of them looks it serves whatever stands there. A call's key has the values that were there.
"""
from __future__ import annotations

import ast
import enum
import functools
import weakref
from collections.abc import Callable, Sequence
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from footlight_recorder import _recorder, keys

Steps = tuple[tuple[str, Any], ...]  # (('L', 'self'), ('attr', 'rate'), ('item', 0))

_PLAIN = (bool, int, float, complex, str, bytes)
_MAX_ITEMS = 200   # of a container that is looked into
_CONSTANTS = ('CONSTANT_MATCH', 'EQUALS_MATCH', 'BOOL_MATCH', 'NONE_MATCH', 'RANGE_ITERATOR_MATCH')
_LENGTHS = ('SEQUENCE_LENGTH', 'LIST_LENGTH', 'TUPLE_ITERATOR_LEN', 'DICT_KEYS', 'DICT_KEYS_MATCH', 'DICT_CONST_KEYS',
            'DICT_VERSION', 'DICT_LENGTH', 'MAPPING_KEYS_CHECK')
_IDENTITIES = ('ID_MATCH', 'FUNCTION_MATCH', 'CLOSURE_MATCH', 'CLASS_MATCH', 'OBJECT_ALIASING')
_INSIDES = ('_modules', '_parameters', '_buffers', '__dict__')  # dicts of an object's attributes
_SHORT = {'float16': 'f16', 'bfloat16': 'bf16', 'float32': 'f32', 'float64': 'f64', 'complex64': 'c64', 'complex128': 'c128',
          'uint8': 'u8', 'int8': 'i8', 'int16': 'i16', 'int32': 'i32', 'int64': 'i64'}
_ABSENT = object()


@functools.lru_cache(maxsize=4096)
def steps_of(source: str) -> Steps | None:
    """How a guard's source reaches its value; None: not by attributes and items of the frame's variables alone."""
    try:
        node: ast.expr = ast.parse(source, mode='eval').body
    except (SyntaxError, ValueError, RecursionError):
        return None
    steps: list[tuple[str, Any]] = []
    while True:
        if isinstance(node, ast.Attribute):
            steps.append(('attr', node.attr))
            node = node.value
        elif isinstance(node, ast.Subscript):
            try:
                key = ast.literal_eval(node.slice)
                hash(key)
            except (ValueError, TypeError):
                return None
            if isinstance(node.value, ast.Name) and node.value.id in ('L', 'G'):
                return ((node.value.id, key), *reversed(steps))
            steps.append(('item', key))
            node = node.value
        else:
            return None


def value_at(steps: Steps, local: dict[str, Any], names: dict[str, Any]) -> Any:
    """The value that the steps lead to now; _ABSENT if there is none."""
    scope, name = steps[0]
    value = (local if scope == 'L' else names).get(name, _ABSENT)
    for kind, key in steps[1:]:
        if value is _ABSENT:
            return value
        try:
            value = getattr(value, key) if kind == 'attr' else value[key]
        except Exception:
            return _ABSENT
    return value


def is_inside(steps: Steps) -> bool:
    """Whether a source is one of the dicts in which an object keeps its attributes."""
    return bool(steps[-1][0] == 'attr' and steps[-1][1] in _INSIDES)


def maker_of(guard: Any) -> str:
    """The name of the method that makes the guard: "TENSOR_MATCH"."""
    made = guard.create_fn
    return str(getattr(made, 'func', made).__name__)


class Numbers:
    """Numbers of objects, by identity. Keeps no object alive."""

    def __init__(self) -> None:
        self._known: dict[int, int] = {}
        self._texts: dict[str, int] = {}
        self._kept: dict[int, Any] = {}
        self._next = 0

    def _new(self) -> int:
        self._next += 1
        return self._next

    def of_text(self, text: str) -> int:
        """Equal texts have the same number."""
        if text not in self._texts:
            self._texts[text] = self._new()
        return self._texts[text]

    def of(self, value: object) -> int:
        """The number of the object as long as it lives."""
        at = id(value)
        if at not in self._known:
            self._known[at] = self._new()
            try:
                self._kept[at] = weakref.ref(value, functools.partial(self._forget, at))
            except TypeError:
                pass  # such as a tuple; the number is used again if its address is
        return self._known[at]

    def _forget(self, at: int, _: object) -> None:
        self._known.pop(at, None)
        self._kept.pop(at, None)


class Place:
    """A source, and how it is shown."""

    def __init__(self, steps: Steps, path: str, parameter: str) -> None:
        self.steps, self.path, self.parameter = steps, path, parameter


class Describer:
    """Describes values as items of keys."""

    def __init__(self, torch: ModuleType) -> None:
        self.torch = torch
        self.numbers = Numbers()

    def text(self, text: str) -> keys.Leaf:
        """A state that is shown as a text, and equal where the texts are."""
        return keys.Leaf('type', number=self.numbers.of_text(text), name=text)

    def constant(self, value: Any) -> object:
        """What is compared by value."""
        if value is None or type(value) in _PLAIN or value is Ellipsis:
            return value
        if type(value) in (tuple, list) and len(value) <= _MAX_ITEMS:
            return type(value)(self.constant(item) for item in value)
        if isinstance(value, enum.Enum):
            text = f'{type(value).__qualname__}.{value.name}'
            return keys.Leaf('object', number=self.numbers.of_text(text), name=text)
        return self.text(repr(value)[:200])

    def identity(self, value: Any) -> object:
        """What is compared by what it is; functions by their code."""
        function = getattr(value, '__func__', value) if isinstance(value, MethodType) else value
        code = getattr(function, '__code__', None) if isinstance(function, FunctionType) else None
        if code is not None:
            name = f'{function.__qualname__} ({code.co_filename.rpartition("/")[2]}:{code.co_firstlineno})'
            return keys.Leaf('callable', number=self.numbers.of(code), name=name, parts=())
        if isinstance(value, type):
            return self.text(value.__qualname__)
        number = self.numbers.of(value)
        return keys.Leaf('object', number=number, name=f'<{type(value).__name__} object {number}>')

    def tensor(self, value: Any, sizes: tuple[int | None, ...] | None) -> keys.Leaf:
        """A tensor with these sizes, or with its own."""
        shape = tuple(int(size) for size in value.shape) if sizes is None else sizes
        return keys.tensor(str(value.dtype).removeprefix('torch.'), shape)

    def layout(self, value: Any) -> keys.Leaf:
        """What else a guard compares of a tensor: "contiguous; no gradient; Tensor; cpu"."""
        gradient = 'requires gradient' if value.requires_grad else 'no gradient'
        parts = [_order(value), gradient, type(value).__name__, str(value.device)]
        if value.is_inference():
            parts.append('made in inference mode')
        return self.text('; '.join(parts))


def _order(value: Any) -> str:
    """How the elements lie: "contiguous", "axes in memory: 1, 0", "strides (4, 0)"."""
    try:
        if value.is_contiguous():
            return 'contiguous'
        return order_of(value.stride(), value.shape)
    except (RuntimeError, NotImplementedError):
        return str(value.layout).removeprefix('torch.')


def order_of(strides: Sequence[int], sizes: Sequence[int]) -> str:
    """How the elements of a tensor lie that is not contiguous."""
    axes = sorted(range(len(strides)), key=lambda axis: -strides[axis])
    expected = 1
    for axis in reversed(axes):
        if sizes[axis] != 1 and strides[axis] != expected:
            return f'strides {tuple(strides)}'
        expected *= sizes[axis]
    return f'axes in memory: {", ".join(map(str, axes))}'


class Sources:
    """The places of one function's keys, in the order in which its traces looked there."""

    def __init__(self, code: CodeType, describer: Describer, resumes: bool = False) -> None:
        self.free, self.describer, self.resumes = code.co_freevars, describer, resumes
        self.places: list[Place] = []
        self._at: dict[Steps, int] = {}
        count = code.co_argcount + code.co_kwonlyargcount
        count += bool(code.co_flags & 4) + bool(code.co_flags & 8)  # *args and **kwargs
        self.arguments = list(code.co_varnames[:count])

    def path_of(self, steps: Steps, cell_name: Callable[[Steps], str] | None = None) -> tuple[str, str]:
        """How a source is shown, and the parameter or attribute that it is: ("self.rate", "rate")."""
        scope, name = steps[0]
        rest = list(steps[1:])
        if scope == 'G':
            path, parameter = f'global {name}', str(name)
        elif name in self.free:
            path, parameter = f'closure {name}', str(name)
        elif self.resumes and name != 'self':  # after a graph break the variables are parameters
            found = str(name).startswith('___stack')
            path, parameter = ('value of the break', 'value of the break') if found else (f'local {name}', str(name))
        elif name in self.arguments:
            is_self = name == 'self' and self.arguments.index(name) == 0 and rest and rest[0][0] == 'attr'
            path, parameter = 'self' if is_self else f'args[{self.arguments.index(name)}]', str(name)
        elif name == 'fn':  # of PyTorch's own wrapper around a module
            path, parameter = 'self', 'self'
        elif name == 'args' and rest and rest[0][0] == 'item':
            number = rest.pop(0)[1] + 1
            path = f'args[{number}]'
            parameter = self.arguments[number] if number < len(self.arguments) else ''
        else:
            path, parameter = f'local {name}', str(name)
        at = 0
        while at < len(rest):
            kind, key = rest[at]
            following = rest[at + 1] if at + 1 < len(rest) else ('', None)
            if kind == 'attr' and key in _INSIDES and following[0] == 'item':
                key, at = following[1], at + 1
                path += f'.{key}'
                parameter = str(key)
            elif kind == 'attr' and key == '__closure__' and following[0] == 'item':
                name = cell_name(steps[:at + 3]) if cell_name else str(following[1])
                path += f'.closure {name}'
                parameter, at = name, at + 1
            elif kind == 'attr' and key in ('cell_contents', '__func__'):
                pass
            elif kind == 'attr':
                path += f'.{key}'
                parameter = str(key)
            else:
                path += f'[{key!r}]'
            at += 1
        return path, parameter

    def place(self, steps: Steps, path: str, parameter: str) -> int:
        """The number of a place, which is a new one the first time."""
        if steps not in self._at:
            self._at[steps] = len(self.places)
            self.places.append(Place(steps, path, parameter))
        return self._at[steps]

    # ---- what the guards of a trace demand, and what a call has -------------------------------------------------------

    def of_trace(self, guards: dict[Steps, set[str]], sizes: dict[Steps, Any], local: dict[str, Any],
                 names: dict[str, Any], context: dict[str, str]) -> dict[int, object]:
        """The items of a trace's key, by place. `sizes`: those of tensors and numbers that are traced as symbols."""
        def cell(steps: Steps) -> str:
            holder = value_at(steps[:-2], local, names)
            free = getattr(getattr(holder, '__code__', None), 'co_freevars', ())
            return str(free[steps[-1][1]]) if steps[-1][1] < len(free) else str(steps[-1][1])

        values = {steps: value_at(steps, local, names) for steps in guards}
        containers = {steps for steps, kinds in guards.items() if type(values[steps]) in (list, tuple, dict) and
                      kinds.intersection(_LENGTHS) and not is_inside(steps)}
        items: dict[int, object] = {}
        for name, text in context.items():
            items[self.place((('context', name),), f'context.{name}', '')] = self.describer.text(text)
        for steps, kinds in guards.items():
            value = values[steps]
            if value is _ABSENT or steps[:-1] in containers and steps[-1][0] == 'item':
                continue
            if is_inside(steps) or isinstance(value, ModuleType):
                continue
            item = self._demanded(steps, kinds, value, values, containers, guards, sizes)
            if item is None:
                continue
            path, parameter = self.path_of(steps, cell)
            items[self.place(steps, path, parameter)] = item[0]
            if isinstance(value, self.describer.torch.Tensor):
                at = self.place((*steps, ('layout', None)), f'{path}.layout', parameter)
                items[at] = self.describer.layout(value)
        items[self.place((('alias', None),), 'alias', '')] = self._aliases(local, names)
        return items

    def _demanded(self, steps: Steps, kinds: set[str], value: Any, values: dict[Steps, Any], containers: set[Steps],
                  guards: dict[Steps, set[str]], sizes: dict[Steps, Any]) -> tuple[object] | None:
        """What a trace demands there, or None if that can be left out: it is the same in every call."""
        describer = self.describer
        if isinstance(value, describer.torch.Tensor):
            return (describer.tensor(value, sizes.get(steps)),)
        if steps in containers:
            return (self._container(steps, value, values, containers, guards, sizes),)
        if kinds.intersection(_CONSTANTS):
            return (describer.constant(value),)
        if type(value) in (int, float):  # guarded by its type, so it is a symbol, unless a statement fixed it
            return (value if sizes.get(steps) is not None else keys.ANY,)
        if steps[0][0] == 'G':
            return None  # functions and classes of modules
        if kinds.intersection(_IDENTITIES):
            return (describer.identity(value),)
        if any('TYPE_MATCH' in kind for kind in kinds):
            return (describer.text(type(value).__qualname__),)
        return None

    def _container(self, steps: Steps, value: Any, values: dict[Steps, Any], containers: set[Steps],
                   guards: dict[Steps, set[str]], sizes: dict[Steps, Any]) -> object:
        if len(value) > _MAX_ITEMS:
            return self.describer.text(f'{type(value).__name__}[{len(value)}]')

        def child(key: Any) -> object:
            inner = (*steps, ('item', key))
            if inner not in guards or values[inner] is _ABSENT:
                return keys.ANY
            item = self._demanded(inner, guards[inner], values[inner], values, containers, guards, sizes)
            return item[0] if item is not None else keys.ANY
        if type(value) is dict:
            return {_entry(key): child(key) for key in sorted(value, key=str)}
        return type(value)(child(at) for at in range(len(value)))

    def of_call(self, like: dict[int, object], local: dict[str, Any], names: dict[str, Any],
                context: dict[str, str]) -> dict[int, object]:
        """The items of a call's key. `like`: those of a trace, which say what is compared at each place."""
        items: dict[int, object] = {}
        for at, place in enumerate(self.places):
            scope, name = place.steps[0]
            if scope == 'context':
                # A call that runs eagerly does not tell its backend.
                items[at] = self.describer.text(context[name]) if name in context else like.get(at)
            elif scope == 'alias':
                items[at] = self._aliases(local, names)
            elif place.steps[-1][0] == 'layout':
                value = value_at(place.steps[:-1], local, names)
                if isinstance(value, self.describer.torch.Tensor):
                    items[at] = self.describer.layout(value)
            else:
                value = value_at(place.steps, local, names)
                if value is not _ABSENT:
                    items[at] = self._found(value, like.get(at))
        return items

    def _found(self, value: Any, like: object) -> object:
        describer = self.describer
        if isinstance(value, describer.torch.Tensor):
            return describer.tensor(value, None)
        if value is None or type(value) in _PLAIN:
            return value
        kind = like.kind if isinstance(like, keys.Leaf) else ''
        if kind == 'type' and isinstance(like, keys.Leaf) and like.name == type(value).__qualname__:
            return describer.text(like.name)  # only the type is compared, of a container too
        if type(value) in (list, tuple) and len(value) <= _MAX_ITEMS:
            inner = like if isinstance(like, (list, tuple)) and len(like) == len(value) else [None] * len(value)
            return type(value)(self._found(item, of) for item, of in zip(value, inner))
        if type(value) is dict and len(value) <= _MAX_ITEMS:
            known = like if isinstance(like, dict) else {}
            return {_entry(key): self._found(value[key], known.get(_entry(key))) for key in sorted(value, key=str)}
        if kind in ('object', 'callable') and not isinstance(value, enum.Enum):
            return describer.identity(value)
        if isinstance(value, enum.Enum) or type(value).__module__ == 'torch':
            return describer.constant(value)
        return describer.text(type(value).__qualname__)

    def _aliases(self, local: dict[str, Any], names: dict[str, Any]) -> keys.Leaf:
        """Which tensors among the arguments are the same one."""
        seen: dict[int, str] = {}
        same = []
        for place in self.places:
            if place.steps[0][0] != 'L' or place.steps[-1][0] == 'layout':
                continue
            value = value_at(place.steps, local, names)
            if not isinstance(value, self.describer.torch.Tensor):
                continue
            first = seen.setdefault(id(value), place.path)
            if first != place.path:
                same.append(f'{place.path} is {first}')
        return self.describer.text('; '.join(same) or 'all tensors are different ones')

    def names(self) -> list[str]:
        """How the places are shown."""
        return [place.path for place in self.places]

    def row(self, items: dict[int, object]) -> list[object]:
        """The items of a key in the order of the places."""
        return [items.get(at, keys.ANY) for at in range(len(self.places))]

    def leaves(self, key: int) -> tuple[str, list[dict[str, Any]]]:
        """The signature of a key, and its leaves with the paths of the sources; without places where no guard looks."""
        _, leaves = _recorder.describe_key(key)
        shown = []
        for leaf in leaves:
            path = leaf['path']
            if not path.startswith('args['):
                shown.append(leaf)  # the device scope, of which PyTorch has none
                continue
            number, _, rest = path[5:].partition(']')
            place = self.places[int(number)]
            leaf['path'], leaf['parameter'] = place.path + rest, place.parameter
            leaf['role'] = 'guard'
            scope = place.steps[0][0]
            if scope in ('context', 'alias'):
                leaf['kind'], leaf['role'] = 'context', 'context'
            elif place.steps[-1][0] == 'layout':
                leaf['kind'] = 'layout'
            if leaf['kind'] != 'any':
                shown.append(leaf)
        return _signature(shown), shown


def _entry(key: Any) -> Any:
    return key if type(key) in _PLAIN else repr(key)


def _signature(leaves: list[dict[str, Any]]) -> str:
    """"f32[32,8] 0.1": tensors and constants of a key on one short line, arguments first."""
    parts: list[tuple[bool, str, str]] = []  # (whether it is no argument, path, text)
    for leaf in leaves:
        own = leaf['path'].startswith(('args[', 'local ', 'value of'))
        if leaf['kind'] == 'tensor' and (own or not leaf['path'].startswith('self.')):
            parts.append((not own, leaf['path'], f'{_SHORT.get(leaf["type"], leaf["type"])}[{leaf["shape"]}]'))
        elif leaf['kind'] == 'literal':
            parts.append((not own, leaf['path'], leaf['value'] if own else f'{leaf["path"]}={leaf["value"]}'))
    text = ' '.join(text for _, _, text in sorted(parts))
    return text if len(text) <= 200 else text[:197] + '...'


def differing(was: dict[int, object], now: dict[int, object], sources: Sources) -> list[tuple[str, str, str, str]]:
    """(path, words, before, now) of each place where a call does not suit a trace's key."""
    found = []
    for at, place in enumerate(sources.places):
        a, b = was.get(at, keys.ANY), now.get(at, keys.ANY)
        if a is keys.ANY or b is keys.ANY:
            continue
        found.extend(_differences(a, b, place.path, place.parameter or place.path))
    return found


def _differences(a: object, b: object, path: str, name: str) -> list[tuple[str, str, str, str]]:
    if isinstance(a, keys.Leaf) and isinstance(b, keys.Leaf) and a.kind == b.kind == 'tensor':
        if a.dtype != b.dtype:
            return [(f'{path}.dtype', f'dtype of {name}', a.dtype, b.dtype)]
        x, y = a.shape or (), b.shape or ()
        if len(x) != len(y):
            return [(f'{path}.shape', f'rank of {name}', str(x), str(y))]
        return [(f'{path}.shape[{axis}]', f'shape of {name}', str(p), str(q))
                for axis, (p, q) in enumerate(zip(x, y)) if p is not None and p != q]
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        if len(a) != len(b) or type(a) is not type(b):
            return [(f'len({path})', f'structure of {name}', str(len(a)), str(len(b)))]
        return [one for at, (p, q) in enumerate(zip(a, b)) if p is not keys.ANY
                for one in _differences(p, q, f'{path}[{at}]', name)]
    if isinstance(a, dict) and isinstance(b, dict):
        if list(a) != list(b):
            return [(f'{path}.keys()', f'structure of {name}', ', '.join(map(str, a)), ', '.join(map(str, b)))]
        return [one for key in a if a[key] is not keys.ANY
                for one in _differences(a[key], b[key], f'{path}[{key!r}]', name)]
    before, now = _text(a), _text(b)
    if type(a) is type(b) and before == now:
        return []
    if path.startswith('context.') or path == 'alias':
        return [(path, path if path != 'alias' else 'which tensors are the same', before, now)]
    if path.endswith('.layout'):
        return [(path, f'layout of {name}', before, now)]
    kind = 'value' if type(a) is type(b) else 'kind'
    return [(path, f'{kind} of {name}', before, now)]


def _text(item: object) -> str:
    if isinstance(item, keys.Leaf):
        return f'{item.dtype} {item.shape}' if item.kind == 'tensor' else item.name
    return repr(item)[:200]


def sizes_of(fake: Any) -> Any:
    """The sizes of a tensor as it was traced, None where a trace serves any; of a number itself."""
    def fixed(size: Any) -> int | None:
        if type(size) in (int, float):
            return size  # type: ignore[no-any-return]
        node = size.node
        expression = node.shape_env.replace(node.expr)
        return int(expression) if expression.is_number else None
    if hasattr(fake, 'shape'):
        return tuple(fixed(size) for size in fake.shape)
    return fixed(fake)
