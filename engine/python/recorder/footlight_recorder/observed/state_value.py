"""Values of a program's state as the recorder sees them: by exact types and instance dictionaries, within bounds, and without
running any of the program's code or keeping anything alive."""
from __future__ import annotations

import sys
import types
import zlib
from collections import deque
from typing import Any, NamedTuple

_MAX_DEPTH, _FIRST_ITEMS, _LAST_ITEMS, _MAX_TEXT, _MAX_BYTES = 3, 32, 8, 1 << 16, 4096
_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis))
_CODE = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, type, types.ModuleType, types.MethodDescriptorType,
         types.WrapperDescriptorType, classmethod, staticmethod, property)
_UNKNOWN_CODE = {('functools', 'partial'), ('numpy', 'ufunc')}


class Tensors:
    """How an engine's tensors and variables are told from other objects; adapters add theirs."""
    all: tuple[type, ...] = ()
    eager: tuple[type, ...] = ()  # those of them that have a value
    symbolic: tuple[type, ...] = ()  # those that have none, where isinstance() counts them as eager, too
    variables: tuple[type, ...] = ()
    functions: tuple[type, ...] = ()  # traced functions: no state


def is_symbolic(value: Any) -> bool:
    """Whether it is a tensor of a trace, which has no value."""
    return isinstance(value, Tensors.symbolic) or \
        isinstance(value, Tensors.all) and not isinstance(value, Tensors.eager)


class Seen(NamedTuple):
    """What was seen of a value: absent, unknown, code, data, tensor, variable, symbolic or object, and a fingerprint."""
    kind: str
    print: object

    def known(self) -> bool:
        return self.kind not in ('unknown', 'code')


ABSENT = Seen('absent', None)


class _Missing:
    pass


MISSING: Any = _Missing()  # a value that is not there


def _is_numpy(value: Any) -> bool:
    return type(value).__module__.partition('.')[0] == 'numpy' and hasattr(value, 'dtype') and hasattr(value, 'tobytes')


def _is_code(value: Any) -> bool:
    kind = type(value)
    return isinstance(value, _CODE) or kind in Tensors.functions or (kind.__module__, kind.__name__) in _UNKNOWN_CODE


class _Look:
    def __init__(self, budget: int = 128, every: bool = False) -> None:
        self.budget, self.every, self.symbolic = budget, every, False

    def _array(self, value: Any) -> object:
        data = value.tobytes() if value.nbytes <= _MAX_BYTES else None
        if data is None:
            flat = value.reshape(-1) if value.flags.c_contiguous else value.ravel()
            step = max(flat.size // 64, 1)
            data = flat[:128].tobytes() + flat[-128:].tobytes() + flat[::step].tobytes()
        return 'array', str(value.dtype), value.shape, zlib.crc32(data)

    def _items(self, items: Any, depth: int) -> list[object]:
        count = len(items)
        chosen = range(count)
        if not self.every and count > _FIRST_ITEMS + _LAST_ITEMS:
            return [self.value(items[at], depth + 1) for at in (*chosen[:_FIRST_ITEMS], *chosen[-_LAST_ITEMS:])]
        return [self.value(items[at], depth + 1) for at in chosen if self.budget > 0]

    def value(self, value: Any, depth: int) -> object:
        """A fingerprint: equal for values that are the same as far as was looked."""
        self.budget -= 1
        kind = type(value)
        if kind in (str, bytes) and len(value) > _MAX_TEXT:
            return id(value), len(value)
        if kind is float:
            return 'float', value.hex()
        if kind in _PLAIN:
            return kind.__name__, value
        if isinstance(value, Tensors.all) or isinstance(value, Tensors.variables):
            self.symbolic = self.symbolic or is_symbolic(value)
            return 'tensor', id(value)
        if _is_code(value):
            return 'code'
        if _is_numpy(value):
            return self._array(value)
        if depth >= _MAX_DEPTH or self.budget <= 0:
            return kind.__name__
        if isinstance(value, (tuple, list)):
            return kind.__name__, len(value), *self._items(value, depth)
        if isinstance(value, dict):
            pairs = list(dict.items(value))[:_FIRST_ITEMS + _LAST_ITEMS]
            return 'dict', len(value), *((self.value(key, depth + 1), self.value(item, depth + 1)) for key, item in pairs)
        if kind in (set, frozenset, deque):
            return kind.__name__, len(value)
        return kind.__name__, id(value)


def see(value: Any) -> Seen:
    """Looks at a value; MISSING is absent."""
    if value is MISSING:
        return ABSENT
    if _is_code(value):
        return Seen('code', None)
    look = _Look()
    try:
        found = look.value(value, 0)
    except Exception:
        return Seen('unknown', None)
    if look.symbolic:
        return Seen('symbolic', found)
    if isinstance(value, Tensors.variables):
        return Seen('variable', found)
    if isinstance(value, Tensors.all):
        return Seen('tensor', found)
    data = type(value) in _PLAIN or isinstance(value, (tuple, list, dict, set, frozenset, deque)) or _is_numpy(value)
    return Seen('data' if data else 'object', found)


def text_of(value: Any, depth: int = 0) -> str:
    """ "0.5", "[1, 2, ...]", "a Layer object" """
    kind = type(value)
    if value is MISSING:
        return 'nothing'
    if kind is int and value.bit_length() > 200:
        return 'a large int'
    if kind is str and len(value) > 60:
        return repr(value[:57]) + '...'
    if kind is bytes and len(value) > 60:
        return 'bytes'
    if kind in _PLAIN:
        return repr(value)
    if isinstance(value, Tensors.all):
        return 'a symbolic tensor' if is_symbolic(value) else _tensor_text(value)
    if isinstance(value, Tensors.variables):
        return 'a variable'
    if isinstance(value, types.FunctionType):
        return value.__name__
    if isinstance(value, type):
        return f'class {value.__name__}'
    if _is_numpy(value):
        return repr(value.item()) if value.size == 1 and not value.dtype.hasobject else f'an array of shape {value.shape}'
    if isinstance(value, (list, tuple)):
        start, end = '[]' if isinstance(value, list) else '()'
        if depth >= 2:
            return f'{start}...{end}'
        parts = [text_of(item, depth + 1) for item in list(value)[:6]]
        if len(value) > 6:
            parts.append(f'... ({len(value)} items)')
        return start + ', '.join(parts) + (',)' if end == ')' and len(value) == 1 else end)
    if isinstance(value, dict):
        if depth >= 2:
            return '{...}'
        parts = [f'{text_of(key, depth + 1)}: {text_of(item, depth + 1)}' for key, item in list(dict.items(value))[:4]]
        if len(value) > 4:
            parts.append(f'... ({len(value)} keys)')
        return '{' + ', '.join(parts) + '}'
    if kind in (set, frozenset):
        return f'a set of {len(value)}'
    member = _instance_dict(value).get('_name_')
    return f'{kind.__name__}.{member}' if isinstance(member, str) else f'a {kind.__name__} object'


def _tensor_text(value: Any) -> str:
    """ "a tensor: float32 (4,)" """
    try:
        return f'a tensor: {getattr(value.dtype, "name", value.dtype)} {tuple(value.shape)}'
    except Exception:  # it may be gone, as what was donated is
        return 'a tensor'


def _instance_dict(value: Any) -> dict[str, Any]:
    try:
        found = object.__getattribute__(value, '__dict__')
    except Exception:
        return {}
    return found if isinstance(found, dict) else {}


def _of_class(cls: type, name: str) -> Any:
    for base in type.__getattribute__(cls, '__mro__'):
        if name in type.__getattribute__(base, '__dict__'):
            return type.__getattribute__(base, '__dict__')[name]
    return MISSING


class Spot(NamedTuple):
    """The end of a path: the value, what holds it, and the function of a property that the path goes through."""
    value: Any
    holder: object
    getter: types.FunctionType | None = None


def attribute(value: Any, name: str) -> Spot:
    """value.name, without running anything of the program."""
    if isinstance(value, types.ModuleType):
        return Spot(value.__dict__.get(name, MISSING), value)
    if isinstance(value, type):
        return Spot(_of_class(value, name), value)
    found = _of_class(type(value), name)
    if isinstance(found, types.MemberDescriptorType):  # a slot
        try:
            return Spot(found.__get__(value), value)
        except AttributeError:
            return Spot(MISSING, value)
    if isinstance(found, property):
        return Spot(MISSING, value, found.fget if isinstance(found.fget, types.FunctionType) else None)
    own = _instance_dict(value)
    if name in own:
        return Spot(own[name], value)
    return Spot(MISSING if found is MISSING or hasattr(type(found), '__set__') else found, value)


def item(value: Any, key: Any) -> Spot:
    """value[key], for the containers of Python."""
    if isinstance(value, dict):
        return Spot(dict.get(value, key, MISSING), value)
    if isinstance(key, int) and isinstance(value, (list, tuple)) and 0 <= key < len(value):
        return Spot(value[key], value)
    return Spot(MISSING, value)


# ---- random numbers and clocks ------------------------------------------------------------------------------------------

_CLOCKS = ('time', 'time_ns', 'perf_counter', 'perf_counter_ns', 'monotonic', 'monotonic_ns', 'process_time', 'localtime',
           'gmtime', 'ctime', 'strftime')


class Chance(NamedTuple):
    """What a call draws from: a generator, or a clock, which has no state."""
    kind: str  # random, state, generator, clock
    generator: Any
    name: str  # "random", "numpy.random", "time.time"; '': an object of the program's


def _drawn_from(value: Any) -> Chance | None:
    kind = f'{type(value).__module__}.{type(value).__qualname__}'
    if kind == 'numpy.random._generator.Generator':
        return Chance('generator', value, '')
    if kind == 'numpy.random.mtrand.RandomState':
        module = sys.modules.get('numpy.random.mtrand')
        return Chance('state', value, 'numpy.random' if getattr(module, '_rand', None) is value else '')
    random = sys.modules.get('random')
    if random is not None and type(value) is random.Random:
        return Chance('random', value, 'random' if value is getattr(random, '_inst', None) else '')
    return None


def chance_of(called: Any, owner: Any, name: str) -> Chance | None:
    """What a call of `called`, which is owner.name, draws from; None: nothing."""
    if owner is not MISSING and not isinstance(owner, types.ModuleType):
        found = _drawn_from(owner)
        if found is not None:
            return found
        if isinstance(owner, type) and owner.__module__ == 'datetime' and name in ('now', 'utcnow', 'today'):
            return Chance('clock', None, f'datetime.{owner.__name__}.{name}')
    if isinstance(called, types.MethodType):
        return _drawn_from(called.__self__)
    if isinstance(called, types.BuiltinFunctionType):
        module, own = called.__module__ or '', called.__name__
        if module == 'time' and own in _CLOCKS:
            return Chance('clock', None, f'time.{own}')
        if own == 'urandom':
            return Chance('clock', None, 'os.urandom')
        bound = called.__self__
        if bound is not None and not isinstance(bound, (types.ModuleType, type)):
            return _drawn_from(bound)
    if isinstance(called, types.FunctionType) and called.__module__ in ('uuid', 'secrets'):
        if called.__module__ == 'secrets' or called.__name__ in ('uuid1', 'uuid4'):
            return Chance('clock', None, f'{called.__module__}.{called.__name__}')
    return None


def see_chance(chance: Chance) -> Seen:
    """The state of a generator."""
    try:
        if chance.kind == 'random':
            return Seen('data', hash(chance.generator.getstate()))
        if chance.kind == 'state':
            state = chance.generator.get_state(legacy=False)
        elif chance.kind == 'generator':
            state = chance.generator.bit_generator.state
        else:
            return Seen('unknown', None)
        return Seen('data', _Look(budget=1024, every=True).value(state, 0))
    except Exception:
        return Seen('unknown', None)
