"""The text of an optimised HLO module as graphs of the recording: computations are graphs, instructions are nodes."""
from __future__ import annotations

import re
from typing import Any, NamedTuple

from footlight_recorder import _recorder
from footlight_recorder.adapters import places

_TABLE_ROW = re.compile(r'(\d+) (?:"(.*)"|\{(.*)\})$')
_HEAD = re.compile(r'(ENTRY )?%?([\w.\-]+) \(.*\) -> .* \{$')
_INSTRUCTION = re.compile(r'\s+(ROOT )?%?([\w.\-]+) = ')
_OPCODE = re.compile(r' ([a-z][\w\-]*)\(')
_CALLED = re.compile(r'\b(calls|to_apply|body|condition|branch_computations|called_computations|true_computation|'
                     r'false_computation|select|scatter)=(?:\{([^}]*)\}|%?([\w.\-]+))')
_METADATA = re.compile(r', metadata=\{([^}]*)\}')
_DTYPES = {'f16': 'float16', 'f32': 'float32', 'f64': 'float64', 'bf16': 'bfloat16', 'pred': 'bool', 's8': 'int8', 's16': 'int16',
           's32': 'int32', 's64': 'int64', 'u8': 'uint8', 'u16': 'uint16', 'u32': 'uint32', 'u64': 'uint64',
           'c64': 'complex64', 'c128': 'complex128'}
_FAMILIES = {
    'variable': ('parameter',), 'constant': ('constant', 'iota'), 'product': ('dot', 'convolution', 'fft', 'cholesky'),
    'reduction': ('reduce', 'sort', 'reduce-window', 'topk'),
    'move': ('broadcast', 'reshape', 'transpose', 'slice', 'dynamic-slice', 'dynamic-update-slice', 'gather', 'scatter',
             'concatenate', 'pad', 'reverse', 'copy', 'bitcast', 'tuple', 'get-tuple-element'),
    'control': ('while', 'conditional', 'call', 'fusion', 'custom-call', 'async-start'), 'random': ('rng',),
    'io': ('infeed', 'outfeed'),
}
_FAMILY = {name: family for family, names in _FAMILIES.items() for name in names}


class Instruction(NamedTuple):
    """One line of a computation."""
    name: str
    opcode: str
    outputs: list[str]
    operands: list[str]
    attributes: str
    constant: str
    called: list[tuple[str, str]]   # the attribute and the computation
    metadata: dict[str, str]
    is_root: bool


class Module(NamedTuple):
    """The parts of the text: computations by name, the name of the entry, tables of files and frames."""
    computations: dict[str, list[Instruction]]
    entry: str
    tables: dict[str, dict[int, Any]]


def _closing(text: str, at: int) -> int:
    """Where the bracket that opens at a position is closed."""
    depth = 0
    for i in range(at, len(text)):
        depth += (text[i] in '([{') - (text[i] in ')]}')
        if depth == 0:
            return i
    return len(text) - 1


def _split(text: str) -> list[str]:
    """Splits at the commas outside of brackets."""
    parts, depth, start = [], 0, 0
    for i, letter in enumerate(text):
        depth += (letter in '([{') - (letter in ')]}')
        if letter == ',' and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return [part.strip() for part in [*parts, text[start:]] if part.strip()]


def _type_text(text: str) -> str:
    """"f32[4,8]{1,0}" -> "float32 (4, 8)"."""
    match = re.match(r'(\w+)\[([\d,<= ]*)\]', text)
    if not match:
        return text
    return f'{_DTYPES.get(match[1], match[1])} ({", ".join(match[2].replace(" ", "").split(",")) if match[2] else ""})'


def _fields(text: str) -> dict[str, str]:
    return {name: quoted or plain for name, quoted, plain in re.findall(r'(\w+)=(?:"([^"]*)"|(\S+))', text)}


def _instruction(line: str) -> Instruction | None:
    head = _INSTRUCTION.match(line)
    if head is None:
        return None
    rest = line[head.end() - 1:]
    start = _closing(rest, 1) if rest[1:2] == '(' else 0  # the type of a tuple has brackets itself
    opcode = _OPCODE.search(rest, start)
    if opcode is None:
        return None
    types = rest[1:opcode.start()]
    outputs = _split(types[1:-1]) if types.startswith('(') else [types]
    end = _closing(rest, opcode.end() - 1)
    inside, behind = rest[opcode.end():end], rest[end + 1:]
    metadata = _METADATA.search(behind)
    attributes = _METADATA.sub('', behind).lstrip(', ')
    called = [(name, one.strip().lstrip('%')) for name, many, single in _CALLED.findall(behind)
              for one in (many.split(',') if many else [single])]
    given = [] if opcode[1] in ('constant', 'parameter') else [part.split()[-1].lstrip('%') for part in _split(inside)]
    return Instruction(head[2], opcode[1], [_type_text(t) for t in outputs], given, attributes[:500],
                       inside if opcode[1] == 'constant' else '', called, _fields(metadata[1]) if metadata else {},
                       bool(head[1]))


def parse(text: str) -> Module:
    """Reads the text of a module, as far as it is understood."""
    module = Module({}, '', {})
    entry, table, body = '', '', None
    for line in text.splitlines():
        if line in ('FileNames', 'FunctionNames', 'FileLocations', 'StackFrames'):
            table = line
        elif body is None and (row := _TABLE_ROW.match(line)) and table:
            module.tables.setdefault(table, {})[int(row[1])] = row[2] if row[2] is not None else _fields(row[3])
        elif head := _HEAD.match(line):
            body = module.computations[head[2]] = []
            entry = head[2] if head[1] else entry
        elif line.startswith('}'):
            body = None
        elif body is not None and (instruction := _instruction(line)):
            body.append(instruction)
    return module._replace(entry=entry)


def _part(one: Instruction) -> int:
    """Which of its operand's outputs an instruction takes."""
    index = re.match(r'index=(\d+)', one.attributes) if one.opcode == 'get-tuple-element' else None
    return int(index[1]) if index else 0


class HloGraphs:
    """Records the graphs of one module."""

    def __init__(self, module: Module, name: str) -> None:
        self._module, self._name = module, name
        self._graphs: dict[str, int] = {}
        self._locations = places.Locations()

    def add(self) -> int | None:
        """Adds the entry's graph and those that it runs; its number."""
        return self._graph(self._module.entry, 0) if self._module.entry in self._module.computations else None

    def _graph(self, computation: str, depth: int) -> int:
        if computation in self._graphs:
            return self._graphs[computation]
        number: int = _recorder.new_id('graph')
        self._graphs[computation] = number
        nodes: list[dict[str, Any]] = []
        at: dict[str, int] = {}
        inputs, outputs = [], []
        for one in self._module.computations[computation]:
            at[one.name] = len(nodes)
            functions = [{'attribute': attribute, 'function_graph': self._graph(held, depth + 1)}
                         for attribute, held in one.called if held in self._module.computations and depth < 100]
            nodes.append({'id': len(nodes), 'name': one.name, 'op': one.opcode, 'family': _FAMILY.get(one.opcode, 'elementwise'),
                          'node_output': one.outputs, 'attributes': one.attributes, 'constant': one.constant[:200],
                          'node_input': [{'source': at[name], 'output': _part(one)} for name in one.operands if name in at],
                          'node_function': functions, 'location': self._location(one.metadata)})
            if one.opcode == 'parameter':
                inputs.append(at[one.name])
            if one.is_root:
                outputs = [{'source': at[one.name], 'output': 0}]
        name = self._name if computation == self._module.entry else f'{self._name}/{computation}'
        _recorder.add('graph', {'id': number, 'name': name, 'node': nodes, 'graph_input': inputs, 'graph_output': outputs})
        return number

    def _location(self, metadata: dict[str, str]) -> int | None:
        if 'stack_frame_id' in metadata:
            return self._frame(int(metadata['stack_frame_id']), 0)
        if 'source_file' in metadata:
            return self._locations.of_frame(None, metadata['source_file'], int(metadata.get('source_line', 0)), '')
        return None

    def _frame(self, number: int, depth: int) -> int | None:
        """A frame of the module's tables. Its parent is numbered from 2; 1 is no frame."""
        tables = self._module.tables
        frame = tables.get('StackFrames', {}).get(number)
        if frame is None or depth > 100:
            return None
        parent = int(frame.get('parent_frame_id', 0)) - 1
        caller = self._frame(parent, depth + 1) if 0 < parent != number else None
        location = tables.get('FileLocations', {}).get(int(frame['file_location_id']))
        if location is None:
            return caller
        file = tables.get('FileNames', {}).get(int(location['file_name_id']), '')
        function = tables.get('FunctionNames', {}).get(int(location['function_name_id']), '')
        return self._locations.of_frame(caller, file, int(location['line']), function, int(location['column']) + 1,
                                        int(location.get('end_column', -1)) + 1)
