"""Functions that PyTorch compiled before the recorder: its tables give them, their traces and guards."""
from __future__ import annotations

import ast
import dis
import json
import re
import sys
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from footlight_recorder import _recorder, keys
from footlight_recorder.adapters import earlier, torch_guards, torch_older

if TYPE_CHECKING:
    from footlight_recorder.adapters import torch as torch_adapter

_GRAPH = re.compile(r'__compiled_fn_(\d+)')  # the global names of compiled graphs, which TorchDynamo counts
_TENSOR = re.compile(r'check_tensor\((?P<source>.+), (?P<type>\w+), DispatchKeySet\((?P<keys>[^)]*)\), '
                     r'torch\.(?P<dtype>\w+), device=(?P<device>[^,]+), requires_grad=(?P<gradient>\w+), '
                     r'size=\[(?P<size>[^\]]*)\], stride=\[(?P<stride>[^\]]*)\]\)')
_LENGTH = re.compile(r'len\((?P<source>.+)\) == (?P<length>\d+)')
_EQUALS = re.compile(r'(?P<source>[LG]\[.+?) == (?P<value>.+)')
_IDENTITY = re.compile(r'___check_(?P<what>obj|type)_id\((?P<source>.+), (?P<id>\d+)\)')
_STATE = re.compile(r'___check_global_state\(\) against (?P<state>\{.*\})')
_GLOBAL = re.compile(r"G\['(\w+)'\]")
_SINGLETONS: dict[int, Any] = {id(one): one for one in (True, False, None)}
_NUMBERS = (int, float)


class EarlierFunctions:
    """Records the functions with their traces, and later calls of them."""

    def __init__(self, recorder: torch_adapter.Recorder) -> None:
        self._recorder = recorder

    def adopt(self) -> str:
        """Finds them; says what is missing of them, which is nothing if there are none."""
        recorder, torch = self._recorder, self._recorder.torch
        entries_of = _entries_of_code()
        functions: list[FunctionType] = earlier.objects_of(lambda one: type(one) is FunctionType)
        wrappers = [(one, context) for one in functions if (context := _context_of(one)) is not None]
        codes = _compiled_codes()
        variables = {one.__code__: one.__globals__ for one in functions if one.__code__ in codes}
        guards = {code: [_guards_of(entry) for entry in entries_of(code)] for code in codes}
        named = _held_by_guards(guards, variables)
        pairs: list[tuple[Any, Any]] = []
        adopted: set[CodeType] = set()
        for wrapper, context in wrappers:
            target = recorder.target(vars(wrapper)['_torchdynamo_orig_callable'])
            if target is None or target[0].co_filename.startswith(recorder.root):
                continue
            function = recorder.function_of(*target, None, recorder.options(context))
            adopted.add(target[0])
            if id(wrapper) not in named:
                pairs.append((wrapper, recorder.stand_in(wrapper, function)))
        limit = getattr(torch._dynamo.config, torch_older.name_of_limit(torch))
        describes_tensors = True
        types = {id(one): one for one in _all_types()}
        for code in codes:
            entries = sorted(zip(entries_of(code), guards[code]), key=lambda pair: _order_of(pair[0]))
            if not entries or code.co_filename.startswith(recorder.root):
                continue
            function = recorder.function_of(code)
            adopted.add(code)
            for entry, texts in entries:
                describes_tensors &= not any('___check_tensors(' in text for text in texts)
                self._add(function, entry, texts, variables.get(code, {}), types)
            function.limited = function.first().limited = function.first().limited or len(entries) >= limit
        earlier.replace(pairs)
        return _missing(len(adopted), describes_tensors)

    def _add(self, function: torch_adapter.Function, entry: Any, texts: list[str], variables: dict[str, Any],
             types: dict[int, type]) -> None:
        """Adds a trace, and what stands in for its graphs."""
        reader = _Guards(self._recorder.describer, function.sources, _weak_objects(_checks_of(entry)), types)
        artifacts = [{'name': 'Guards', 'kind': 'guards', 'data': '\n'.join(texts)},
                     {'name': 'Bytecode', 'kind': 'bytecode', 'data': dis.Bytecode(entry.code).dis()},
                     {'name': 'Dynamo graph', 'kind': 'absent', 'data': earlier.WHY_ABSENT}]
        native = str(getattr(entry, 'compile_id', None) or '')
        key, trace = self._recorder.add_earlier(function, native, reader.items(texts), artifacts)
        for name in entry.code.co_names:
            if _GRAPH.match(name) and name in variables:
                # Around the wrapper that keeps TorchDynamo from tracing what runs inside.
                made = _recorder.serves(variables[name], function.number, trace, True)
                _recorder.serve_keys(made, key, key)
                variables[name] = made


class _Guards:
    """Reads the texts of guards as the items of a key. `held`: objects that guards compare by identity, by id;
    `types`: all classes, by id.
    """

    def __init__(self, describer: torch_guards.Describer, sources: torch_guards.Sources, held: dict[int, Any],
                 types: dict[int, type]) -> None:
        self._describer, self._sources, self._held, self._types = describer, sources, held, types
        self._items: dict[int, object] = {}

    def items(self, texts: list[str]) -> dict[int, object]:
        """The items, by place."""
        lengths = {found['source']: int(found['length']) for text in texts if (found := _LENGTH.fullmatch(text))}
        for text in texts:
            if (state := _STATE.match(text)) is not None:
                self._context(state['state'])
            elif (tensor := _TENSOR.match(text)) is not None:
                self._tensor(tensor)
            elif (same := _IDENTITY.match(text)) is not None:
                self._identity(same['source'], same['what'], int(same['id']), lengths.get(same['source']))
            elif (equals := _EQUALS.fullmatch(text)) is not None:
                self._constant(equals['source'], equals['value'])
        return self._items

    def _put(self, source: str, item: object, after: tuple[tuple[str, Any], ...] = (), of_module: bool = False) -> None:
        """Adds an item; `of_module`: also of what a module holds."""
        steps = torch_guards.steps_of(source)
        if steps is None or steps[0][0] == 'G' and not of_module or torch_guards.is_inside(steps):
            return
        path, parameter = self._sources.path_of(steps)
        if after:
            path += '.layout'
        self._items[self._sources.place((*steps, *after), path, parameter)] = item

    def _context(self, text: str) -> None:
        state = json.loads(text)
        for name in ('grad_mode', 'deterministic_algorithms', 'num_threads'):
            if name in state:
                said = str(state[name]) if name == 'num_threads' else 'on' if state[name] else 'off'
                at = self._sources.place((('context', name),), f'context.{name}', '')
                self._items[at] = self._describer.text(said)

    def _tensor(self, guard: re.Match[str]) -> None:
        sizes, strides = _numbers(guard['size']), _numbers(guard['stride'])
        self._put(guard['source'], keys.tensor(guard['dtype'], sizes), of_module=True)
        order = _order(sizes, strides)
        if not order:
            return
        kind = guard['keys'].split(',')[0].strip().lower()
        device = kind if guard['device'] == 'None' else f'{kind}:{guard["device"]}'
        parts = [order, 'requires gradient' if guard['gradient'] == 'True' else 'no gradient', guard['type'], device]
        if 'ADInplaceOrView' not in guard['keys']:
            parts.append('made in inference mode')
        self._put(guard['source'], self._describer.text('; '.join(parts)), (('layout', None),), of_module=True)

    def _identity(self, source: str, what: str, number: int, length: int | None) -> None:
        if what == 'obj':
            if number in _SINGLETONS:
                self._put(source, _SINGLETONS[number], of_module=True)
            elif number in self._held:
                self._put(source, self._describer.identity(self._held[number]))
            return
        kind = self._types.get(number)
        if kind is None:
            return
        if kind in (list, tuple) and length is not None:
            self._put(source, kind([keys.ANY] * length))
        elif kind not in _NUMBERS:
            self._put(source, self._describer.text(kind.__qualname__))
        else:
            self._put(source, keys.ANY)

    def _constant(self, source: str, text: str) -> None:
        try:
            value = ast.literal_eval(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return
        self._put(source, self._describer.constant(value), of_module=True)


def _numbers(text: str) -> tuple[int | None, ...]:
    return tuple(int(one) if one.strip().lstrip('-').isdigit() else None for one in text.split(',') if one.strip())


def _order(sizes: tuple[int | None, ...], strides: tuple[int | None, ...]) -> str:
    """How the elements lie, as far as the guard says: "contiguous"; "" if it leaves that open."""
    expected: int | None = 1
    for size, stride in zip(reversed(sizes), reversed(strides)):
        if size == 1:
            continue
        if stride != expected:
            break
        expected = expected * size if expected is not None and size is not None else None
    else:
        return 'contiguous'
    known = [(size, stride) for size, stride in zip(sizes, strides) if size is not None and stride is not None]
    if len(known) != len(sizes):
        return ''
    return torch_guards.order_of([stride for _, stride in known], [size for size, _ in known])


def _all_types() -> set[type]:
    """All classes of the process."""
    found: set[type] = {object}
    left: list[type] = [object]
    while left:
        derived: list[type] = type.__subclasses__(left.pop())
        left += [one for one in derived if one not in found]
        found.update(derived)
    return found


def _compiled_codes() -> list[CodeType]:
    """The code objects that TorchDynamo compiled, in the order in which it met them."""
    seen = sys.modules['torch._dynamo.convert_frame'].input_codes.seen
    codes = dict.fromkeys(one if isinstance(one, CodeType) else one() for one in list(seen))
    return [code for code in codes if isinstance(code, CodeType)]


def _entries_of_code() -> Callable[[CodeType], list[Any]]:
    """TorchDynamo's own way to list the entries of its cache for a code object."""
    frames = sys.modules['torch._dynamo.eval_frame']
    found = getattr(frames, '_debug_get_cache_entry_list', None)
    if found is None:
        from torch._C._dynamo import eval_frame
        found = eval_frame._debug_get_cache_entry_list
    return lambda code: list(found(code))


def _checks_of(entry: Any) -> Any:
    """What checks the guards of an entry; a function before 2.6."""
    return getattr(entry, 'guard_manager', None) or getattr(entry, 'check_fn', None)


def _guards_of(entry: Any) -> list[str]:
    """The texts of an entry's guards."""
    return [str(part) for part in getattr(_checks_of(entry), 'code_parts', None) or ()]


def _weak_objects(checks: Any) -> dict[int, Any]:
    """The objects that guards compare by identity, by id."""
    held = getattr(checks, 'id_matched_objs', None)
    objects = [one() for one in held.values() if callable(one)] if isinstance(held, dict) else []
    return {id(one): one for one in objects if one is not None}


def _order_of(entry: Any) -> int:
    """Entries are listed by their last use; TorchDynamo counts the graphs that it compiles."""
    counts = [int(found[1]) for name in entry.code.co_names if (found := _GRAPH.match(name)) is not None]
    return min(counts, default=0)


def _context_of(function: FunctionType) -> Any:
    """The context of torch.compile whose wrapper this is; None of another function."""
    if '_torchdynamo_orig_callable' not in vars(function):
        return None
    for cell in function.__closure__ or ():
        try:
            if type(cell.cell_contents).__name__ == 'OptimizeContext':
                return cell.cell_contents
        except ValueError:  # an empty cell
            pass
    return None


def _held_by_guards(guards: dict[CodeType, list[list[str]]], variables: dict[CodeType, dict[str, Any]]) -> set[int]:
    """The ids of what guards look at under a global name. With a stand-in there, a function would be compiled again."""
    return {id(variables[code][name]) for code, entries in guards.items() if code in variables
            for texts in entries for text in texts for name in _GLOBAL.findall(text) if name in variables[code]}


def _missing(functions: int, describes_tensors: bool) -> str:
    """What the recording lacks of functions from before: "" if there are none."""
    if functions == 0:
        return ''
    words = ('graphs, times and lines of traces from before the recorder not recorded: torch.compile had made '
             f'{functions} function{"s" * (functions != 1)} before; of calls through local variables and tuples, only '
             'what runs in the graphs is recorded')
    if not describes_tensors:
        words += '; what their guards demand of tensors is not recorded: this PyTorch keeps no text of it'
    return f'{words}; footlight_recorder.prepare() before `import torch` records all'
