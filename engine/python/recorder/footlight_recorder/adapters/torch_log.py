"""Reads the structured log that TorchDynamo, AOTAutograd and Inductor keep: phases, graph breaks, sizes that were fixed, the
engine's own words for a recompilation, and the text of what was generated.
"""
from __future__ import annotations

import dis
import json
import logging
import re
import time
from collections.abc import Callable
from types import CodeType
from typing import Any

from footlight_recorder.adapters import note

_MAX_TEXT = 1 << 20

# Events of PyTorch's own timeline -> (name of the phase, its category).
_PHASES = {
    'bytecode_tracing': ('dynamo', 'trace'),
    'build_guards': ('guards', 'trace'),
    'backend_compile': ('backend', 'compile'),
    'OutputGraph.call_user_compiler': ('backend', 'compile'),
    'create_aot_dispatcher_function': ('aot', 'lower'),
    'inductor_compile': ('inductor', 'compile'),
    'compile_fx_inner': ('inductor', 'compile'),
    'code_gen': ('code generation', 'compile'),
    'GraphLowering.codegen': ('code generation', 'compile'),
    'backward_compile': ('backward', 'compile'),
    'entire_backward_compile': ('backward', 'compile'),
}

# Records whose text is kept with a trace -> (its name, its kind).
_TEXTS = {
    'aot_joint_graph': ('AOT joint graph', 'fx'),
    'aot_forward_graph': ('AOT forward', 'fx'),
    'aot_backward_graph': ('AOT backward', 'fx'),
    'aot_inference_graph': ('AOT inference', 'fx'),
    'inductor_post_grad_graph': ('Inductor graph', 'fx'),
    'inductor_post_grad_graph, backward': ('Inductor graph, backward', 'fx'),
    'inductor_output_code': ('Inductor code', 'python'),
    'inductor_output_code, backward': ('Inductor code, backward', 'python'),
    'dynamo_output_graph': ('Dynamo graph', 'fx'),
    'dynamo_cpp_guards_str': ('Guards', 'guards'),
    'dynamo_bytecode': ('Bytecode', 'bytecode'),
    'resume_bytecode': ('Resume function', 'bytecode'),
}
_BACKWARD_CODE = re.compile(r"# AOT ID: \['\d+_backward'\]")  # how Inductor begins the code of a backward graph

_BREAK = re.compile(r'Graph break in user code at (?P<file>.*):(?P<line>\d+)\n')
_REASON = re.compile(r'Graph Break Reason: (?P<reason>.*?)(?:\n\s*\n?User code traceback:|\Z)', re.DOTALL)


class Entry:
    """What the log says of one compilation."""

    def __init__(self, native: str) -> None:
        self.native = native
        self.attempt = 0
        self.words: list[str] = []   # why the entries of the cache did not serve
        self.breaks: list[tuple[str, int, str]] = []           # file, line, reason
        self.fixed: list[tuple[list[str], str, list[tuple[str, int, str]]]] = []  # sources, value, frames
        self.texts: dict[str, str] = {}
        self.post_grad = ''  # the graph whose code Inductor writes next
        self.phases: list[dict[str, Any]] = []
        self._open: list[int] = []

    def begin(self, name: str, now: int) -> None:
        """A phase begins."""
        known = _PHASES.get(name)
        if known is None:
            return
        if self._open and self.phases[self._open[-1]]['name'] == known[0]:
            self._open.append(-1)  # two names of the same
            return
        parent = next((at for at in reversed(self._open) if at >= 0), -1)
        self.phases.append({'name': known[0], 'category': known[1], 'parent': parent, 'start_ns': now, 'end_ns': now})
        self._open.append(len(self.phases) - 1)

    def end(self, name: str, now: int) -> None:
        """A phase ends."""
        if name in _PHASES and self._open:
            at = self._open.pop()
            if at >= 0:
                self.phases[at]['end_ns'] = now

    def artifacts(self) -> list[dict[str, Any]]:
        """The texts as columns of a trace."""
        return [{'name': _TEXTS[kind][0], 'kind': _TEXTS[kind][1], 'data': _cut(text)} for kind, text in self.texts.items()]

    def add_inductor(self, kind: str, text: str) -> None:
        """Adds a graph, or the code that Inductor made of the last graph: of the forward or of the backward one."""
        if kind == 'inductor_post_grad_graph':
            self.post_grad = text
            return
        direction = ', backward' if _BACKWARD_CODE.search(text) else ''
        self.texts['inductor_post_grad_graph' + direction] = self.post_grad
        self.texts['inductor_output_code' + direction] = text

    def add_bytecode(self, result: Any, resumed: CodeType | None) -> None:
        """Adds the bytecode that TorchDynamo made of a frame. `resumed`: the frame's own code, if TorchDynamo made that too."""
        code = getattr(getattr(result, 'guarded_code', result), 'code', None)  # before 2.5 it is the guarded code
        if isinstance(code, CodeType):
            self.texts['dynamo_bytecode'] = dis.Bytecode(code).dis()
        if resumed is not None:
            self.texts['resume_bytecode'] = dis.Bytecode(resumed).dis()


def _cut(text: str) -> str:
    if len(text) <= _MAX_TEXT:
        return text
    return f'{text[:_MAX_TEXT]}\n# Cut here by the recorder: the text has {len(text)} characters\n'


class Handler(logging.Handler):
    """Receives the records of the logger `torch.__trace`."""

    def __init__(self, entry_of: Callable[[str | None], Entry | None], said: Callable[[Entry, str], None]) -> None:
        super().__init__(logging.DEBUG)
        self._entry_of, self._said = entry_of, said
        self._strings: dict[int, str] = {}

    def emit(self, record: logging.LogRecord) -> None:
        """Takes one record."""
        try:
            metadata = getattr(record, 'metadata', None)
            if isinstance(metadata, dict) and metadata:
                self._take(metadata, getattr(record, 'payload', None))
        except Exception as error:
            note('the log of torch.compile', error)

    def _take(self, metadata: dict[str, Any], payload: Any) -> None:
        name = next(iter(metadata))
        if name == 'str':
            text, number = metadata['str']
            self._strings[number] = text
            return
        native = f'{metadata["frame_id"]}/{metadata["frame_compile_id"]}' if 'frame_compile_id' in metadata else None
        entry = self._entry_of(native)
        if entry is None:
            return
        about = metadata[name] if isinstance(metadata[name], dict) else {}
        kind = str(about.get('name', name)) if name == 'artifact' else name
        text = payload if isinstance(payload, str) else ''
        entry.attempt = max(entry.attempt, int(metadata.get('attempt') or 0))
        if kind == 'chromium_event':
            event = json.loads(text)
            if event.get('ph') in ('B', 'E'):
                (entry.begin if event['ph'] == 'B' else entry.end)(event['name'], int(event['ts'] * 1000) or time.time_ns())
        elif kind == 'recompile_reasons':
            entry.words = [str(word) for word in json.loads(text)] if text.startswith('[') else \
                [json.loads(text)] if text.startswith('"') else [text]
        elif kind == 'dynamo_graph_break_reason':
            self._break(entry, text)
        elif kind == 'symbolic_shape_specialization':
            stack = about.get('user_stack') or []
            frames = [(self._file(frame), int(frame.get('line') or 0), str(frame.get('name') or '')) for frame in stack]
            sources, value = [str(source) for source in about.get('sources') or []], str(about.get('value'))
            entry.fixed = [one for one in entry.fixed if one[:2] != (sources, value)] + [(sources, value, frames)]
        elif kind in ('inductor_post_grad_graph', 'inductor_output_code'):
            entry.add_inductor(kind, text)
        elif kind in _TEXTS:
            entry.texts[kind] = text
        self._said(entry, kind)

    def _file(self, frame: dict[str, Any]) -> str:
        name = frame.get('filename')
        return self._strings.get(name, '') if isinstance(name, int) else str(name or '')

    def _break(self, entry: Entry, text: str) -> None:
        at = _BREAK.search(text)
        if at is None:
            return
        reason = _REASON.search(text)
        words = reason['reason'].strip() if reason else ''
        entry.breaks.append((at['file'], int(at['line']), words))


def headline(reason: str) -> str:
    """What PyTorch calls the break, and its explanation, without hints."""
    lines = [line.strip() for line in reason.splitlines()]
    lines = [line for line in lines if line and not line.startswith('Encountered graph break when')] or ['Graph break']
    explained = next((line.partition(': ')[2] for line in lines if line.startswith('Explanation: ')), '')
    return f'{lines[0]}. {explained}'[:500] if explained else lines[0][:500]


def was_asked_for(reason: str) -> bool:
    """Whether the program itself breaks the graph there."""
    return 'torch.compiler.disable' in reason or 'torch._dynamo.disable' in reason or 'graph_break()' in reason
