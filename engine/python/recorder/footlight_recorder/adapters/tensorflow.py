"""Records what TensorFlow does: traced functions, their calls, traces with keys and graphs, AutoGraph's code."""
from __future__ import annotations

import os
import sys
import threading
import time
import types
import weakref
from collections.abc import Callable
from types import FrameType, ModuleType
from typing import Any

from footlight_recorder import _recorder, repetitions
from footlight_recorder.adapters import (Adapter, Hook, guarded, places, tensorflow_earlier, tensorflow_graphs,
                                         tensorflow_keys, tensorflow_ops)
from footlight_recorder.adapters.tensorflow_autograph import AutoGraph
from footlight_recorder.adapters.tensorflow_keras import Keras
from footlight_recorder.observed.state_value import Tensors
from footlight_recorder.observed.state_watch import State, Watch
from footlight_recorder.observed.value_lines import ValueLines

_PF = 'tensorflow.python.eager.polymorphic_function'
_MAX_EXECUTABLES = 256  # keys of one trace whose executables are told apart


class _Family:
    """A function of the program, for the methods of all objects of a class: what a row of the recording is about."""

    def __init__(self, number: int, kind: str, names: list[str], starred: tuple[str, str]) -> None:
        self.number, self.kind, self.names, self.starred = number, kind, names, starred
        self.columns: dict[str, Any] = {}     # its row
        self.rows: list[dict[str, Any]] = []  # of its traces that did not fail
        self.traces = 0
        self.captures = tensorflow_graphs.Captures()


class Instance:
    """A tf.function object: that of a decorator, or that of one method of one object."""

    def __init__(self, family: _Family, function: Any, own: Any) -> None:
        self.family, self.own = family, own  # own: a weak reference to the method's object, or None
        self.function = weakref.ref(function)
        self.compiles = bool(getattr(function, '_jit_compile', None))


class _Trace:
    """A trace, while and after it is made."""

    def __init__(self, instance: Instance, number: int) -> None:
        self.instance, self.number = instance, number
        self.start_ns = time.time_ns()
        self.phases: list[dict[str, Any]] = []
        self.open: set[str] = set()
        self.key: int | None = None                 # of all calls that it serves; None: they are looked at one by one
        self.keys: dict[Any, int] = {}              # of calls, by the types that they asked for
        self.executables: set[int] = set()          # keys of calls for which XLA compiled it
        self.compiles = instance.compiles           # itself, or something in it
        self.columns: dict[str, Any] = {}
        self.asked: Any = None
        self.watch: Watch | None = None
        self.state: State | None = None


class _Thread(threading.local):
    def __init__(self) -> None:
        self.traces: list[_Trace] = []
        self.missed: Any = None       # (cache, type, context, arguments) of the look-up that found nothing last
        self.traced_call = -1         # the call for which a trace was made last
        self.mapped: list[Any] = []   # functions that were given to a dataset


class Recorder:
    """The bodies of the hooks."""

    def __init__(self, tensorflow: ModuleType) -> None:
        from tensorflow.python.framework import dtypes, ops, tensor_util, type_spec
        self.root = os.path.dirname(os.path.abspath(tensorflow.__file__ or '')) + os.sep
        self.thread = _Thread()
        self.earlier = tensorflow_earlier.EarlierFunctions(self)
        self.adopting = False  # functions from before the recorder: the frame that made them is gone
        self.families: dict[int, _Family] = {}     # by the id of the Python function
        self.instances: dict[int, Instance] = {}  # by the id of the cache
        self.served: dict[int, _Trace] = {}        # by the id of the concrete function
        self.kept: dict[int, Any] = {}             # references that end these entries
        tensor_spec, variable_spec, variables = _classes()
        self.keys = tensorflow_keys.Keys(tensor_spec, variable_spec, type_spec.TypeSpec)
        self.graphs = tensorflow_graphs.Graphs(dtypes.as_dtype, tensor_util.MakeNdarray)
        self.autograph = AutoGraph(self.current_trace)
        self.keras = Keras()
        self.lines = ValueLines()
        self.comparison: Any = None  # repeats a call, if one is to be compared
        chosen = repetitions.ChosenCall()
        if chosen.is_wanted():
            from footlight_recorder.adapters import tensorflow_compare
            self.comparison = tensorflow_compare.Comparison(tensorflow, chosen, self.user_frame, self.name_of, self.graphs,
                                                            self.graph_of)
        Tensors.all += (tensorflow.Tensor,)
        Tensors.eager += (ops.EagerTensor,)
        Tensors.variables += variables

    # ---- frames ---------------------------------------------------------------------------------------------------

    def is_library(self, path: str) -> bool:
        """Whether the file is TensorFlow's, Keras's, or ours."""
        return path.startswith((self.root, '<frozen')) or '/footlight_recorder/' in path or \
            '__autograph_generated_file' in path or self.keras.is_own(path)

    def user_frame(self, frame: FrameType | None) -> FrameType | None:
        """The innermost frame of the program."""
        return places.innermost(frame, lambda path: self.is_library(path) or '-packages/' in path or
                                path.endswith(('/contextlib.py', '/functools.py')))

    def current_trace(self) -> tuple[int, int, list[dict[str, Any]]] | None:
        """(function, trace, phases) of the trace that is being made."""
        if not self.thread.traces:
            return None
        trace = self.thread.traces[-1]
        return trace.instance.family.number, trace.number, trace.phases

    # ---- functions ------------------------------------------------------------------------------------------------

    @guarded
    def made(self, _: Any, result: Any, error: Any, function: Any, python_function: Any, *more: Any, **named: Any) -> None:
        """A tf.function object was made."""
        if error is not None:
            return
        under, own = _method_under(python_function)
        family = self.families.get(id(under)) if own is not None else None  # the methods of all objects are one function
        if family is None:
            family = self.new_family(function, under)
            if family is None:
                return
            key = id(under)
            self.families[key] = family
            reference = tensorflow_graphs.watch_end(under, lambda: self.families.pop(key, None))
            self.kept[family.number] = reference if reference is not None else under
        function._footlight_function = family.number
        cache = id(function._function_cache)
        self.instances[cache] = Instance(family, function, own)
        weakref.finalize(function, self.instances.pop, cache, None).atexit = False

    def new_family(self, function: Any, under: Any) -> _Family | None:
        """Records a function; None for one without code."""
        frame = None if self.adopting else self.user_frame(sys._getframe(1))
        attributes = getattr(function, '_attributes', None) or {}
        kind = 'dataset' if '_tf_data_function' in attributes and self.thread.mapped else 'tf.function'
        if kind == 'dataset':
            under = tensorflow_keys.function_under(self.thread.mapped[-1])
        code = tensorflow_keys.code_of(under)
        if code is None:
            return None
        names, starred = tensorflow_keys.parameters_of(under)
        name = getattr(under, '__qualname__', type(under).__qualname__)
        path, line, decorator = code.co_filename, places.def_line(code), 0
        if frame is not None and frame.f_code.co_filename == path:
            decorator = frame.f_lineno
        step = self.keras.step_of(under, code) if kind == 'tf.function' else None
        if step is not None:
            kind, name, names, starred = 'keras', step.name, step.names, ('', '')
            if frame is not None:
                path, line = frame.f_code.co_filename, frame.f_lineno
            decorator = step.made[1] if step.made is not None and step.made[0] == path else line
        elif self.is_library(path):
            kind = 'internal'
        family = _Family(_recorder.new_id('function'), kind, names, starred)
        inside = self.thread.traces[-1].instance.family.number if self.thread.traces else None
        family.columns = {'id': family.number, 'name': name, 'file': path, 'line': line, 'kind': kind,
                          'options': _options(function), 'decorator_line': decorator, 'parent': inside,
                          'function_parameter': names, 'made_ns': time.time_ns()}
        _recorder.add('function', family.columns)
        return family

    def name_of(self, function: int) -> str:
        """The name of a recorded function."""
        return next((str(one.columns['name']) for one in self.families.values() if one.number == function), '')

    def graph_of(self, trace: int) -> int | None:
        """The graph of a trace that a call can be served by."""
        found = next((one.columns.get('trace_graph') for one in self.served.values() if one.number == trace), None)
        return found[0]['graph'] if found else None

    @guarded
    def describe_again(self) -> None:
        """Adds what earlier recordings knew to one that begins now; graphs are not kept."""
        tensorflow_ops.describe_again()
        traces = list(self.served.values())
        families = [*self.families.values(), *(trace.instance.family for trace in traces)]
        for family in {family.number: family for family in families}.values():
            _recorder.add('function', family.columns)
        for trace in traces:
            kept = {key: value for key, value in trace.columns.items() if key not in ('location', 'trace_graph')}
            if kept:
                _recorder.add('trace', kept)
        if said := self.earlier.adopt():
            _recorder.add('console', {'time_ns': time.time_ns(), 'stream': 'note', 'text': f'{said}\n'})

    @guarded
    def mapping(self, wrapper: Any, function: Any, *more: Any, **named: Any) -> None:
        """A function was given to a dataset."""
        self.thread.mapped.append(function)

    @guarded
    def mapped(self, *_: Any, **named: Any) -> None:
        if self.thread.mapped:
            self.thread.mapped.pop()

    # ---- calls ----------------------------------------------------------------------------------------------------

    @guarded
    def looked_up(self, _: Any, result: Any, error: Any, cache: Any, function_type: Any, context: Any = None) -> None:
        """TensorFlow looked for a trace."""
        thread = self.thread
        if result is None:
            thread.missed = id(cache), function_type, context, _arguments(sys._getframe(2))
            return
        trace = self.served.get(id(result))
        if trace is None:
            return
        if thread.traces:
            self.contains(thread.traces[-1], trace)
        call = _recorder.current_call()
        if call is None or call[1] != trace.instance.family.number:
            return
        key = trace.key if trace.key is not None else self.key_of_hit(trace, function_type, context)
        if trace.compiles and key is not None and not thread.traces and key not in trace.executables:
            self.compiling(trace, result, key)
        if thread.traced_call == call[0]:
            _recorder.describe_call(trace=trace.number, key=key)
        else:
            _recorder.describe_call(trace=trace.number, outcome='hit', key=key)
            if trace.state is not None:
                trace.state.note_call()

    def contains(self, outer: _Trace, inner: _Trace) -> None:
        """A trace calls another one."""
        outer.compiles = outer.compiles or inner.compiles
        if inner.state is not None and outer.watch is not None:
            outer.watch.contains(inner.state)

    def key_of_hit(self, trace: _Trace, function_type: Any, context: Any) -> int:
        """The key of a call that a more general trace serves."""
        key = trace.keys.get(function_type)
        if key is None:
            if len(trace.keys) >= 4096:
                trace.keys.clear()
            key = trace.keys[function_type] = self.key_of(trace.instance, function_type, context, {})[0]
        return key

    def key_of(self, instance: Instance, function_type: Any, context: Any, values: dict[str, Any]) -> tuple[int, bool]:
        """The number of a key, and whether it is general: a trace that was made for it serves others too."""
        family = instance.family
        own = self.keys.object_of(instance.own) if instance.own is not None else None
        made = self.keys.describe(function_type, family.names, family.starred, values, own)
        if family.kind == 'keras':
            self.keras.name_items(made, family.names)
        elif family.kind == 'dataset':
            _name_elements(made, family.names)
        number = _recorder.key(family.number, made.names, made.items, self.keys.context(context))
        return number, made.general

    def compiling(self, trace: _Trace, concrete: Any, key: int) -> None:
        """XLA compiles for each list of sizes: the run that follows is the first with these."""
        if len(trace.executables) >= _MAX_EXECUTABLES:
            return
        first = not trace.executables
        trace.executables.add(key)
        original = getattr(concrete, '_call_flat', None)
        if original is None or '_call_flat' in concrete.__dict__:
            return

        def ended(start_ns: int, result: Any, error: Any, *_: Any, **named: Any) -> None:
            concrete.__dict__.pop('_call_flat', None)
            self.compiled(trace, key, start_ns, first)

        concrete._call_flat = _recorder.hooked(original, _now, ended)

    @guarded
    def compiled(self, trace: _Trace, key: int, start_ns: int, first: bool) -> None:
        """The run in which XLA compiled has ended."""
        end_ns = time.time_ns()
        columns = trace.columns
        columns['trace_phase'].append(_phase('compile', 'compile', start_ns, end_ns))
        if first:
            columns['end_ns'] = max(columns['end_ns'], end_ns)
        else:
            was = {leaf['path']: leaf for leaf in columns['key_leaf']}
            misses = columns.setdefault('trace_miss', [])
            for leaf in _recorder.describe_key(key)[1]:
                old = was.get(leaf['path'], leaf)
                for at, (before, now) in enumerate(zip(old['shape'].split(','), leaf['shape'].split(','))):
                    if before == 'None' and now != 'None':
                        misses.append({'existing': trace.number, 'path': f"{leaf['path']}.shape[{at}]", 'was': before,
                                       'now': now})
            _recorder.describe_call(outcome='compile')
        _recorder.add('trace', columns)  # replaces the row

    # ---- traces ---------------------------------------------------------------------------------------------------

    @guarded
    def begin(self, function_type: Any, type_context: Any, graph: Any, options: Any) -> _Trace | None:
        """TensorFlow makes a trace."""
        missed, self.thread.missed = self.thread.missed, None
        cache: Any = getattr(options, 'function_cache', None)
        instance = self.instances.get(id(cache)) if cache is not None else None
        if instance is None:
            return None
        trace = self.new_trace(instance)
        if missed is not None and missed[0] == id(cache):
            trace.asked = missed
        instance.family.traces += 1
        columns = trace.columns
        columns.update({'id': trace.number, 'function': instance.family.number, 'number': instance.family.traces,
                        'start_ns': trace.start_ns, 'cached': len(cache), 'key_leaf': [], 'trace_phase': trace.phases})
        call = _recorder.current_call()
        by_call = call is not None and call[1] == instance.family.number
        if by_call and call is not None:
            self.thread.traced_call = call[0]
        columns['reason'] = 'call' if by_call or instance.family.kind == 'dataset' else 'get_concrete_function'
        frame = self.user_frame(sys._getframe(1))
        if frame is not None:
            columns['source'] = (frame.f_code, frame.f_lasti)
            self.value_lines(trace, frame)
        self.describe(trace, function_type, by_call)
        trace.watch = Watch(instance.family.number, self.autograph.original)
        self.thread.traces.append(trace)
        return trace

    @guarded
    def value_lines(self, trace: _Trace, frame: FrameType) -> None:
        """Where the arguments of the call were made."""
        family = trace.instance.family
        if family.traces > 1 and family.kind in ('tf.function', 'keras'):
            self.lines.record(family.number, trace.number, frame, family.names, int(trace.instance.own is not None))

    @guarded
    def describe(self, trace: _Trace, function_type: Any, by_call: bool) -> None:
        """The key of a trace, the trace whose key is nearest, and what the call asked for."""
        columns, instance = trace.columns, trace.instance
        _, wanted, context, values = trace.asked or (0, function_type, None, {})
        key, general = self.key_of(instance, function_type, context, values)
        columns['call_key'] = key
        columns['signature'], columns['key_leaf'] = _recorder.describe_key(key)
        asked = key
        if wanted != function_type:
            asked = self.key_of(instance, wanted, context, values)[0]
            if asked != key and columns['reason'] == 'call':
                columns['reason'] = 'relaxed'
        trace.key = None if general else key
        if by_call:
            _recorder.describe_call(trace=trace.number, outcome='trace', key=asked)
        if trace.compiles:
            trace.executables.add(asked)
        others = [row for row in instance.family.rows if 'call_key' in row]
        nearest = _recorder.nearest_key(asked, [row['call_key'] for row in others])
        if nearest is not None:
            columns['nearest'] = others[nearest[0]]['id']
            columns['trace_differing'], columns['why'] = nearest[1], nearest[2]

    @guarded
    def end(self, trace: _Trace | None, concrete: Any, error: Any, function_type: Any, type_context: Any, graph: Any,
            options: Any) -> None:
        """A trace is made, or has failed."""
        if trace is None:
            return
        end_ns = time.time_ns()
        self.thread.traces.remove(trace)
        columns, instance = trace.columns, trace.instance
        columns['error'] = _error_text(error) if error is not None else ''
        watched, trace.watch = trace.watch, None
        trace.state = self.finish_watch(watched, trace.number)
        if concrete is not None:
            self.describe_graph(trace, concrete, graph, watched.source_of if watched is not None else _nowhere)
            self.reason(trace, options)
            self.serves(trace, concrete)
            if self.thread.traces:
                self.contains(self.thread.traces[-1], trace)
            if trace.compiles and not self.thread.traces and columns['reason'] != 'get_concrete_function':
                trace.executables.clear()
                if columns['reason'] != 'variable creation':
                    self.compiling(trace, concrete, self.asked_key(trace))
        columns['end_ns'] = time.time_ns()
        trace.phases.append(_phase('record', 'recorder', end_ns, columns['end_ns']))
        _recorder.add('trace', columns)
        if instance.family.kind == 'dataset' and concrete is not None:
            _recorder.add('call_chunk', {
                'id': _recorder.new_id('call_chunk'), 'function': instance.family.number, 'trace': trace.number,
                'outcome': 'trace', 'start_ns': trace.start_ns, 'end_ns': columns['end_ns'],
                'source': columns.get('source'), 'key': columns.get('call_key')})
        trace.asked = None

    @staticmethod
    def new_trace(instance: Instance) -> _Trace:
        """A trace that the function has."""
        return _Trace(instance, _recorder.new_id('trace'))

    def serves(self, trace: _Trace, concrete: Any) -> None:
        """The trace serves calls from now on."""
        trace.instance.family.rows.append(trace.columns)
        key = id(concrete)
        self.served[key] = trace
        weakref.finalize(concrete, self.served.pop, key, None).atexit = False

    @guarded
    def finish_watch(self, watched: Watch | None, trace: int) -> State | None:
        """What the trace has read of the program's state."""
        return watched.finish(trace) if watched is not None else None

    def asked_key(self, trace: _Trace) -> int:
        """The key of the call for which the trace was made."""
        if trace.asked is None:
            return int(trace.columns.get('call_key', 0))
        return self.key_of(trace.instance, trace.asked[1], trace.asked[2], trace.asked[3])[0]

    def reason(self, trace: _Trace, options: Any) -> None:
        """The trace in which variables are made is followed by another one, which serves."""
        function = trace.instance.function()
        if getattr(function, '_created_variables', None) and \
                str(getattr(options, 'scope_type', '')).endswith('.VARIABLE_CREATION'):
            trace.columns['reason'] = 'variable creation'

    @guarded
    def describe_graph(self, trace: _Trace, concrete: Any, graph: Any, source_of: Callable[..., Any]) -> None:
        """The graph of a trace and what it captured."""
        columns = trace.columns
        function = getattr(concrete, '_inference_function', None) or getattr(concrete, 'inference_fn', None)
        name = concrete.name.decode() if isinstance(concrete.name, bytes) else str(concrete.name)
        columns['native_id'] = name
        info = tensorflow_graphs.debug_info(function)
        columns['trace_graph'] = [{'stage': 'traced', 'graph': self.graphs.add(graph, name, info, source_of)}]
        columns['trace_capture'], columns['trace_captured'] = trace.instance.family.captures.of(graph)

    # ---- phases ---------------------------------------------------------------------------------------------------

    def phase(self, name: str) -> tuple[Callable[..., Any], Callable[..., None]]:
        """The two bodies of a hook that measures a part of a trace; what happens inside of it is not told apart."""
        def before(*_: Any, **named: Any) -> tuple[_Trace, int] | None:
            trace = self.thread.traces[-1] if self.thread.traces else None
            if trace is None or trace.open:
                return None
            trace.open.add(name)
            return trace, time.time_ns()

        def after(started: Any, *_: Any, **named: Any) -> None:
            if started is not None:
                trace, start_ns = started
                trace.open.discard(name)
                made = _phase(name, 'trace', start_ns, time.time_ns())
                conversions = [one for one in trace.phases if one['name'] == 'autograph' and one['start_ns'] >= start_ns]
                place = len(trace.phases)
                trace.phases.append(made)
                for one in conversions:
                    one['parent'] = place
        return before, after


def _classes() -> tuple[type, type | None, tuple[type, ...]]:
    """The classes of tensor specs, of variable specs, and of variables."""
    from tensorflow.python.framework import tensor_spec
    from tensorflow.python.ops import resource_variable_ops
    variable_spec = getattr(resource_variable_ops, 'VariableSpec', None)
    variables = getattr(resource_variable_ops, 'BaseResourceVariable', None)
    return tensor_spec.TensorSpec, variable_spec, () if variables is None else (variables,)


def _nowhere(*_: Any) -> None:
    return None


def _now(*_: Any, **named: Any) -> int:
    return time.time_ns()


def _arguments(frame: FrameType) -> dict[str, Any]:
    """The arguments for which TensorFlow looks a trace up, by the names of the parameters of their type."""
    bound: Any = frame.f_locals.get('bound_args')
    found: dict[str, Any] = {}
    for name, value in getattr(bound, 'arguments', {}).items():
        kind = bound.signature.parameters[name].kind
        if kind is kind.VAR_POSITIONAL:
            found.update({f'{name}_{at}': one for at, one in enumerate(value)})
        elif kind is kind.VAR_KEYWORD:
            found.update(value)
        else:
            found[name] = value
    return found


def _method_under(function: Any) -> tuple[Any, Any]:
    """The user's function, and a weak reference to the object whose method it is, or None."""
    for _ in range(50):
        if isinstance(function, types.MethodType):
            target = getattr(function.__self__, 'weakrefself_target__', None)
            if target is not None:
                return function.__func__, target
        wrapped = getattr(function, '__wrapped__', None)
        if not callable(wrapped):
            break
        function = wrapped
    return tensorflow_keys.function_under(function), None


def _name_elements(made: tensorflow_keys.Described, names: list[str]) -> None:
    """Replaces the arguments of what a dataset wraps around a function by those of the function."""
    parts: list[object] = list(made.items[len(names):])
    while len(parts) == 1 and isinstance(parts[0], tuple):
        parts = list(parts[0])
    made.items = parts
    made.names = names if len(names) == len(parts) else [f'element{at}' for at in range(len(parts))]


def _error_text(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    text = lines[-1] if lines and lines[0] == 'in user code:' else lines[0] if lines else ''
    name = type(error).__name__
    return (text if text.startswith(name) else f'{name}: {text}')[:500]


def _phase(name: str, category: str, start_ns: int, end_ns: int) -> dict[str, Any]:
    return {'name': name, 'category': category, 'start_ns': start_ns, 'end_ns': end_ns}


def _options(function: Any) -> str:
    """As they are written: "reduce_retracing=True"."""
    found = []
    if getattr(function, '_reduce_retracing', False):
        found.append('reduce_retracing=True')
    if getattr(function, '_jit_compile', None):
        found.append('jit_compile=True')
    signature = getattr(function, 'input_signature', None)
    if signature is not None:
        found.append(f'input_signature={signature!r}')
    return ', '.join(found)[:500]


def adapter(tensorflow: ModuleType) -> Adapter:
    """The hooks for this TensorFlow."""
    rec = Recorder(tensorflow)

    def hooked(before: Any = None, after: Any = None) -> Callable[[Any], Any]:
        return lambda original: _recorder.hooked(original, before, after)

    def call(original: Any) -> Any:
        from tensorflow.python.eager.polymorphic_function import polymorphic_function
        Tensors.functions += (polymorphic_function.Function,)
        recorded = _recorder.called(original, None)
        return recorded if rec.comparison is None else rec.comparison.stand_in(recorded, original)

    def lower(original: Any) -> Any:
        return classmethod(_recorder.hooked(original.__func__, *rec.phase('concrete')))

    traces = [
        Hook(f'{_PF}.polymorphic_function', 'Function.__init__', hooked(None, rec.made), 'functions'),
        Hook(f'{_PF}.polymorphic_function', 'Function.__call__', call, 'calls'),
        Hook('tensorflow.core.function.polymorphism.function_cache', 'FunctionCache.lookup', hooked(None, rec.looked_up),
             'which trace serves a call'),
        Hook(f'{_PF}.tracing_compilation', '_create_concrete_function', hooked(rec.begin, rec.end), 'traces'),
        Hook('tensorflow.python.framework.func_graph', 'func_graph_from_py_func', hooked(*rec.phase('python')),
             'how long Python runs in traces'),
        Hook(f'{_PF}.concrete_function', 'ConcreteFunction.from_func_graph', lower, 'how long the making of functions takes'),
        Hook('tensorflow.python.data.ops.structured_function', 'StructuredFunctionWrapper.__init__',
             hooked(rec.mapping, rec.mapped), 'functions of datasets'),
    ]
    return Adapter('tensorflow', tensorflow.__version__, traces + rec.autograph.hooks() + tensorflow_ops.hooks(),
                   describe_again=rec.describe_again, adopt=rec.earlier.adopt)
