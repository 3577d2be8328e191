"""Records what JAX does: jitted functions, their calls, traces with keys and graphs, lowering and compilation."""
from __future__ import annotations

import enum
import functools
import sys
import threading
import time
import weakref
from collections.abc import Callable
from types import CodeType, FrameType, ModuleType
from typing import Any

from footlight_recorder import _recorder, repetitions
from footlight_recorder.adapters import (Adapter, Hook, guarded, jax_eager, jax_earlier, jax_graphs, jax_hlo, jax_keys, jax_ops,
                                         jax_placements, jax_texts, places)
from footlight_recorder.observed.state_value import Tensors
from footlight_recorder.observed.state_watch import State, States, Watch, innermost
from footlight_recorder.observed.value_lines import ValueLines

# Files of JAX that stand between the program and the making of a jitted function.
_MAKERS = ('pjit.py', 'api.py', 'traceback_util.py', 'api_util.py', 'util.py')


class Function:
    """A function with the options with which it is jitted, however often: JAX shares the traces."""

    def __init__(self, number: int, fun: Any, info: Any) -> None:
        self.number = number
        self.columns: dict[str, Any] = {}  # its row
        self.parameters = jax_keys.Parameters(fun, tuple(info.static_argnums or ()), tuple(info.static_argnames or ()))
        self.traces: list[Trace] = []
        self.bound = int(hasattr(fun, '__self__'))  # parameters that a method has and its calls do not give
        self.keeps: Any = None  # the reference that ends with the function
        self.adopted = False    # it was jitted before the recorder


class Trace:
    """One trace: its row, which is added again when more is known."""

    def __init__(self, function: Function, columns: dict[str, Any]) -> None:
        self.columns = columns
        self.found_for = function           # the function that JAX looked it up for last
        self.placed: dict[str, str] = {}    # where the arguments of that call lay, by path
        self.executables = jax_placements.Executables(function.columns)
        self.served = False                 # a call, with its graph
        self.why_no_texts = ''              # why its texts are not kept; empty if they are
        self.modules: list[Any] = []        # references to what XLA compiles of it
        self.jaxpr: Any = None
        self.state: State | None = None     # what it has read of the program's state


class _Thread(threading.local):
    def __init__(self) -> None:
        self.asked: list[tuple[Function, tuple[Any, ...], dict[str, Any]]] = []  # the calls that JAX looks up now
        self.lowering: Trace | None = None    # while JAX lowers it
        self.did_trace = False                 # JAX said that it traced something
        self.compiling: Trace | None = None   # while JAX compiles it


class Recorder:
    """The bodies of the hooks."""

    def __init__(self, jax: ModuleType) -> None:
        from jax._src import config, core, source_info_util, traceback_util, tree_util
        self.jax, self.config, self.core, self.tree_util = jax, config, core, tree_util
        for module in (traceback_util, source_info_util):  # frames of ours are nobody's
            for name in (__file__, jax_keys.__file__, __file__.replace('jax.py', '__init__.py')):
                module.register_exclusion(name)
        self.places = jax_placements.Placements(jax.Array, core.Tracer, tree_util)
        self.thread = _Thread()
        self.functions: dict[int, dict[object, Function]] = {}  # by the id of what was given to jit, and the options
        self.traces: dict[int, Trace] = {}                      # by the id of the jaxpr
        self.lowered_traces: dict[int, Trace] = {}              # by the id of the module that XLA compiles
        self.locations = jax_graphs.Locations(source_info_util.user_frames)
        self.graphs = jax_graphs.Graphs(core, self.locations)
        registry = tree_util.default_registry
        abstract = getattr(core, 'shaped_abstractify', None)
        if abstract is None:
            from jax._src import api_util
            abstract = api_util.shaped_abstractify
        self.keys = jax_keys.Keys(registry.flatten_one_level, abstract)
        self.bodies = jax_eager.Bodies(self.keys, self.graphs, _user_frame)
        self.value_lines = ValueLines()
        self.states = States()
        Tensors.all += (jax.Array, core.Tracer)
        Tensors.eager += (jax.Array,)
        Tensors.symbolic += (core.Tracer,)
        self.context: tuple[Any, ...] = tuple(config.trace_context())  # before the program changes it
        self.contexts: dict[str, int] = {'': 0}   # numbers of the settings that calls were made under
        self.context_of: dict[int, str] = {}      # by key, where it is not the first one
        self.compared = repetitions.ChosenCall()
        self.sees_traces = False  # at their beginning; else a new jaxpr tells of one

    # ---- functions ------------------------------------------------------------------------------------------------

    @guarded
    def made(self, fun: Any, info: Any, jitted: Any, frame: FrameType | None) -> Any:
        """Records a jitted function; what stands in for it, or None for one that JAX makes for itself."""
        frame = _maker(frame)
        if frame is None or _is_own(frame):
            return None
        under = jax_keys.function_under(fun)
        code = jax_keys.code_of(under)
        if code is None:
            return None
        function = self.function_of(fun, info)
        if function is None:
            function = self.add_function(fun, info, under, code, _user_frame(frame))
        return self.compared_if_chosen(self.stand_in(jitted, function, info), function, info, jitted)

    def stand_in(self, jitted: Any, function: Function, info: Any) -> Any:
        """What records the calls of a jitted function."""
        return _recorder.called(jitted, function.number, [at for at in info.static_argnums or ()],
                                list(info.static_argnames or ()), self.flatten, self.config.trace_context, 'aval')

    @staticmethod
    def made_for_itself(fun: Any, jitted: Any, frame: FrameType | None) -> Any:
        """Wrap a function that JAX jits for itself; other functions stay as they are."""
        frame = _maker(frame)
        return jax_ops.for_itself(jitted, fun) if frame is not None and _is_own(frame) else jitted

    def compared_if_chosen(self, stand_in: Any, function: Function, info: Any, jitted: Any) -> Any:
        """The stand-in, or one that also compares the call that the user asked for."""
        if not self.compared.is_of(function.columns['name']):
            return stand_in
        from footlight_recorder.adapters import jax_compare
        donates = bool(info.donate_argnums or info.donate_argnames)
        make_call = functools.partial(jax_compare.Call, self.jax, self.core, _user_frame, jitted, donates)
        return jax_compare.Compared(stand_in, function.number, self.compared, make_call, self.is_traced)

    def is_traced(self, *values: Any) -> bool:
        """Whether JAX is tracing the values: then the call is part of another trace."""
        return any(isinstance(leaf, self.core.Tracer) for leaf in self.tree_util.tree_leaves(values))

    def function_of(self, fun: Any, info: Any) -> Function | None:
        """What was recorded of a jitted function."""
        by_options = self.functions.get(id(fun))
        return by_options.get(_distinguishing(info)) if by_options else None

    def add_function(self, fun: Any, info: Any, under: Any, code: CodeType, made: FrameType | None) -> Function:
        """Records a function that is jitted, with these options, for the first time."""
        function = Function(_recorder.new_id('function'), fun, info)
        function.columns = {
            'id': function.number, 'name': getattr(under, '__qualname__', type(under).__qualname__),
            'file': code.co_filename, 'line': places.def_line(code), 'kind': 'jit', 'options': _options(info),
            'decorator_line': made.f_lineno if made is not None and made.f_code.co_filename == code.co_filename else 0,
            'function_parameter': function.parameters.names, 'made_ns': time.time_ns()}
        _recorder.add('function', function.columns)
        key = id(fun)
        try:
            function.keeps = weakref.ref(fun, lambda _: self.forget(key))
        except TypeError:
            function.keeps = fun
        self.functions.setdefault(key, {})[_distinguishing(info)] = function
        return function

    def forget(self, key: int) -> None:
        """What was given to jit is gone."""
        for function in self.functions.pop(key, {}).values():
            _recorder.forget(function.number)
            self.states.forget(function.number)

    @guarded
    def describe_again(self) -> None:
        """Adds what is known to a recording that begins later."""
        self.locations.begin()
        if (ops := jax_ops.ops()) is not None:
            ops.describe_again()
        for by_options in self.functions.values():
            for function in by_options.values():
                _recorder.add('function', function.columns)
                for trace in function.traces:
                    jaxpr = trace.jaxpr()
                    if jaxpr is not None:
                        self.describe_graph(trace.columns, jaxpr)
                    _recorder.add('trace', trace.columns)
                    trace.executables.describe_again()

    def flatten(self, value: Any) -> tuple[list[Any], Any]:
        """The leaves and the structure of a container that the native callable does not know."""
        leaves, structure = self.tree_util.tree_flatten(value)
        return leaves, structure

    # ---- keys -----------------------------------------------------------------------------------------------------

    def key_of(self, function: Function, args: tuple[Any, ...], kwargs: dict[str, Any]) -> int:
        """The number of the key of a call."""
        names, items = [], []
        for name, value, static in function.parameters.bound(args, kwargs):
            names.append(name)
            items.append(self.keys.static(value) if static else self.keys.traced(value))
        how_given = function.parameters.how_given(args, kwargs)
        if how_given:
            names.append('')
            items.append(self.keys.named('type', how_given, how_given))
        context = self.changed_context()
        at = self.contexts.setdefault('; '.join(context), len(self.contexts))
        number: int = _recorder.key(function.number, names, items, at)
        if context:
            self.context_of[number] = '; '.join(one for one in context if '=' in one)
        return number

    def changed_context(self) -> list[str]:
        """What the program changed: "enable_x64=True"; of what is no setting, as a mesh, the name alone."""
        context = self.config.trace_context()
        if context == self.context:
            return []
        try:
            names = list(self.config.trace_context_names())
        except (AttributeError, NotImplementedError):  # of versions before 0.10
            names = [f'setting {at}' for at in range(len(context))]
        return [f'{name.removeprefix("jax_")}{_setting(value)}'
                for name, value, before in zip(names, context, self.context) if value != before]

    # ---- dispatch and traces ----------------------------------------------------------------------------------------

    def infer(self, original: Any, fun: Any, info: Any, args: Any, kwargs: Any) -> Any:
        """A call that JAX's fast path did not know."""
        function = self.function_of(fun, info)
        if function is None:
            return original(fun, info, args, kwargs)
        self.thread.asked.append((function, args, kwargs))
        start_ns = time.time_ns()
        watch = None if self.sees_traces else self.begin_watch(function)
        self.thread.did_trace = False
        try:
            result = original(fun, info, args, kwargs)
            if not self.sees_traces:
                self.traced(function, result[0], start_ns, '', watch)
        except BaseException as error:
            if not self.sees_traces:
                self.traced(function, None, start_ns, _error_text(error), watch)
            raise
        finally:
            self.thread.asked.pop()
        self.found(function, result, args, kwargs)
        return result

    @guarded
    def found(self, function: Function, result: Any, args: Any, kwargs: Any) -> None:
        """JAX found or made a trace for a call."""
        trace = self.traces.get(id(result[0].params['jaxpr']))
        if trace is None:
            return
        # Where the arguments lie, not the arguments: the trace outlives them.
        trace.found_for, trace.placed = function, self.places.of_call(function.parameters, args, kwargs)
        outer = innermost()
        if outer is not None and trace.state is not None:
            outer.contains(trace.state)
        if not self.is_call_of(function):
            return
        outcome = 'dispatch miss' if trace.served else 'trace'
        trace.served = True
        _recorder.describe_call(trace=trace.columns['id'], outcome=outcome, key=self.key_of(function, args, kwargs))

    def is_call_of(self, function: Function) -> bool:
        """Whether the innermost recorded call is one of the function."""
        call = _recorder.current_call()
        return call is not None and call[1] == function.number

    def trace(self, original: Any, fun: Any, args: tuple[Any, ...], more: dict[str, Any]) -> Any:
        """JAX traces a function, or finds the jaxpr in a cache of its own."""
        function = self.function_of(fun, args[0]) if args else None
        if function is None:
            return original(fun, *args, **more)
        watch = self.begin_watch(function)
        start_ns, self.thread.did_trace = time.time_ns(), False
        try:
            result = original(fun, *args, **more)
        except BaseException as error:
            self.traced(function, None, start_ns, _error_text(error), watch)
            raise
        self.traced(function, result, start_ns, '', watch)
        return result

    @guarded
    def begin_watch(self, function: Function) -> Watch | None:
        """The function may be traced now."""
        return Watch(function.number)

    @guarded
    def finish_watch(self, watch: Watch | None, trace: Trace | None) -> None:
        """The function was traced, or no trace was made."""
        if watch is None:
            return
        state = watch.finish(trace.columns['id'] if trace is not None else None)
        if trace is not None and state is not None and not trace.columns['error']:
            trace.state = state
            self.states.add(state)

    def traced(self, function: Function, result: Any, start_ns: int, error: str, watch: Watch | None) -> None:
        """A function was traced, or JAX found its jaxpr."""
        self.finish_watch(watch, self.record_trace(function, result, start_ns, error))

    @guarded
    def record_trace(self, function: Function, result: Any, start_ns: int, error: str) -> Trace | None:
        """Records a trace; None if it was known."""
        end_ns = time.time_ns()
        jaxpr = result.params['jaxpr'] if result is not None else None
        if jaxpr is not None and id(jaxpr) in self.traces:
            return None  # another function, or the same with another context, shares it
        if function.adopted and jaxpr is not None and not self.thread.did_trace:
            return None  # from before the recorder: JAX found it
        number = _recorder.new_id('trace')
        frame = _user_frame(sys._getframe(1))
        by_call = self.is_call_of(function)
        columns: dict[str, Any] = {
            'id': number, 'function': function.number, 'number': len(function.traces) + 1, 'start_ns': start_ns,
            'end_ns': end_ns, 'reason': 'call' if by_call else 'get_concrete_function', 'cached': len(function.traces),
            'error': error[:500], 'trace_phase': [_phase('trace', 'trace', start_ns, end_ns)]}
        if frame is not None:
            columns['source'] = (frame.f_code, frame.f_lasti)
        trace = self.new_trace(function, columns)
        if self.thread.asked and self.thread.asked[-1][0] is function:
            _, args, kwargs = self.thread.asked[-1]
            self.describe_key(function, columns, self.key_of(function, args, kwargs))
        if jaxpr is not None:
            self.describe_graph(columns, jaxpr)
            key = id(jaxpr)
            trace.jaxpr = weakref.ref(jaxpr, lambda _: self.traces.pop(key, None))
            self.traces[key] = trace
            function.traces.append(trace)
        elif by_call:
            _recorder.describe_call(trace=number)
        _recorder.add('trace', columns)
        if by_call and frame is not None and len(function.traces) > 1:
            self.value_lines.record(function.number, number, frame, function.parameters.names, function.bound)
        return trace

    @staticmethod
    def new_trace(function: Function, columns: dict[str, Any]) -> Trace:
        """A trace of the function, with what is known of it."""
        return Trace(function, columns)

    @guarded
    def describe_key(self, function: Function, columns: dict[str, Any], key: int) -> None:
        """The key of a trace, and the trace whose key is nearest."""
        columns['call_key'] = key
        columns['signature'], columns['key_leaf'] = _recorder.describe_key(key)
        columns['key_leaf'][0]['value'] = self.context_of.get(key, '')
        others = [other for other in function.traces if 'call_key' in other.columns]
        nearest = _recorder.nearest_key(key, [other.columns['call_key'] for other in others])
        if nearest is not None:
            columns['nearest'] = others[nearest[0]].columns['id']
            name = self.context_of.get(key, '').partition('=')[0] or 'settings'
            columns['trace_differing'], columns['why'] = (_with_setting(one, name) for one in nearest[1:3])

    @guarded
    def describe_graph(self, columns: dict[str, Any], jaxpr: Any) -> None:
        """The graph of a trace and what it captured."""
        name = f'jaxpr {columns["function"]}:{columns["number"]}'
        columns['trace_graph'] = [{'stage': 'jaxpr', 'graph': self.graphs.add(jaxpr, name)}]
        later = [artifact for artifact in columns.get('trace_artifact', ()) if artifact['name'] != jax_texts.JAXPR]
        columns['trace_artifact'] = [jax_texts.of_jaxpr(jaxpr, self.graphs.equations(jaxpr)), *later]
        columns['trace_capture'] = [f'constant{at} {jax_graphs.type_text(const)} tensor'
                                    for at, const in enumerate(getattr(jaxpr, 'consts', ()))]

    # ---- lowering and compilation -----------------------------------------------------------------------------------

    def lower(self, original: Any, args: Any, more: dict[str, Any]) -> Any:
        """JAX lowers a jaxpr, or finds it lowered."""
        jaxpr = more.get('jaxpr')
        trace = self.traces.get(id(jaxpr)) if jaxpr is not None else None
        before, self.thread.lowering = self.thread.lowering, trace
        try:
            result = original(*args, **more)
        finally:
            self.thread.lowering = before
        if trace is not None:
            self.lowered(trace, jaxpr, result)
        return result

    @guarded
    def lowered(self, trace: Trace, jaxpr: Any, result: Any) -> None:
        """Notes the module that will be compiled, and keeps its text if it is short."""
        module = result.stablehlo()
        key = id(module)
        self.lowered_traces[key] = trace
        trace.modules.append(weakref.ref(module, lambda _: self.lowered_traces.pop(key, None)))
        trace.why_no_texts = jax_texts.why_no_texts(jaxpr, self.graphs.equations(jaxpr))
        self.add_text(trace, jax_texts.STABLEHLO, 'stablehlo', functools.partial(jax_texts.stablehlo, module))

    def compile(self, original: Any, module: Any, args: Any, more: dict[str, Any]) -> Any:
        """JAX compiles a module, or finds it compiled."""
        trace = self.lowered_traces.get(id(module))
        before, self.thread.compiling = self.thread.compiling, trace
        try:
            executable = original(module, *args, **more)
        finally:
            self.thread.compiling = before
        if trace is not None:
            self.optimised(trace, executable)
        return executable

    def add_text(self, trace: Trace, name: str, kind: str, make: Callable[[], str]) -> str | None:
        """Adds the text of a stage, or why it is not kept. Returns the text, "" if it is not kept, None if it was there."""
        artifacts = trace.columns.setdefault('trace_artifact', [])
        if any(artifact['name'] == name for artifact in artifacts):
            return None
        if trace.why_no_texts:
            artifacts.append(jax_texts.absent(name, trace.why_no_texts))
            return ''
        text = make()
        artifacts.append({'name': name, 'kind': kind, 'data': text})
        return text

    @guarded
    def optimised(self, trace: Trace, executable: Any) -> None:
        """Keeps what XLA made of the first module of a trace, as text and as a graph."""
        text = self.add_text(trace, jax_texts.HLO, 'hlo', lambda: str(executable.hlo_modules()[0].to_string()))
        if text is None:
            return
        if text:
            name = f'hlo {trace.columns["function"]}:{trace.columns["number"]}'
            graph = jax_hlo.HloGraphs(jax_hlo.parse(text), name).add()
            if graph is not None:
                trace.columns.setdefault('trace_graph', []).append({'stage': 'hlo', 'graph': graph})
        _recorder.add('trace', trace.columns)  # replaces the row

    @guarded
    def on_duration(self, event: str, seconds: float, **details: Any) -> None:
        """JAX measured something: told to listeners at its end."""
        if event.endswith('jaxpr_trace_duration'):
            self.thread.did_trace = True
        kind = {'jaxpr_to_mlir_module_duration': 'lower', 'backend_compile_duration': 'compile'}.get(event.rpartition('/')[2])
        trace = self.thread.lowering if kind == 'lower' else self.thread.compiling
        if kind is None or trace is None:
            return
        end_ns = time.time_ns()
        start_ns = end_ns - int(seconds * 1e9)
        trace.columns['trace_phase'].append(_phase(kind, kind, start_ns, end_ns))
        if kind == 'compile':
            self.compiled(trace)
        if not trace.executables.placements[1:] and trace.columns['end_ns'] < end_ns:
            trace.columns['end_ns'] = end_ns
        _recorder.add('trace', trace.columns)  # replaces the row

    @guarded
    def compiled(self, trace: Trace) -> None:
        """An executable was made."""
        trace.executables.made(trace.columns, trace.placed)
        if len(trace.executables.placements) > 1 and self.is_call_of(trace.found_for):
            _recorder.describe_call(outcome='compile')


def _maker(frame: FrameType | None) -> FrameType | None:
    """The frame that asks for a jitted function."""
    while frame is not None and '/jax/' in frame.f_code.co_filename and frame.f_code.co_filename.endswith(_MAKERS):
        frame = frame.f_back
    return frame


def _is_own(frame: FrameType) -> bool:
    """Whether it is JAX that jits a function for itself."""
    return '/jax/_src/' in frame.f_code.co_filename or '/jax/numpy/' in frame.f_code.co_filename


def _with_setting(words: Any, name: str) -> Any:
    """What differs, with the name of a setting where the recorder knows that something besides the arguments does."""
    if isinstance(words, str):
        return words.replace('context.device', f'context.{name}')
    return [_with_setting(one, name) for one in words]


def _setting(value: Any) -> str:
    if value is None or isinstance(value, (bool, int, float, str, enum.Enum)):
        return f'={value.value if isinstance(value, enum.Enum) else value}'
    return f' {value}'.partition(' object at 0x')[0]


def _error_text(error: BaseException) -> str:
    return f'{type(error).__name__}: {(str(error).splitlines() or [""])[0]}'


def _phase(name: str, category: str, start_ns: int, end_ns: int) -> dict[str, Any]:
    return {'name': name, 'category': category, 'start_ns': start_ns, 'end_ns': end_ns}


def _user_frame(frame: FrameType | None) -> FrameType | None:
    return places.innermost(frame, _recorder.is_library_file)


def _distinguishing(info: Any) -> object:
    """What tells two ways to jit a function apart."""
    options = tuple(getattr(info, name, None) for name in (
        'static_argnums', 'static_argnames', 'donate_argnums', 'donate_argnames', 'keep_unused', 'inline', 'device', 'backend',
        'in_shardings_leaves', 'out_shardings_leaves', 'compiler_options_kvs'))
    try:
        hash(options)
    except TypeError:
        return repr(options)
    return options


def _options(info: Any) -> str:
    """As they are written: "static_argnames=('centre',)"."""
    found = []
    for name in ('static_argnums', 'static_argnames', 'donate_argnums', 'donate_argnames'):
        value = getattr(info, name, None)
        if value:
            found.append(f'{name}={value!r}')
    for name in ('keep_unused', 'inline'):
        if getattr(info, name, False):
            found.append(f'{name}=True')
    return ', '.join(found)


class _Stand:
    """Stands in for a function with a cache, whose attributes JAX and its tests use."""

    def __init__(self, original: Any, body: Any) -> None:
        self._original, self._body = original, body

    def __call__(self, module: Any, *args: Any, **more: Any) -> Any:
        return self._body(self._original, module, args, more)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._original, name)


def adapter(jax: ModuleType) -> Adapter:
    """The hooks for this JAX."""
    rec = Recorder(jax)

    def cpp_pjit(original: Any) -> Any:
        original = getattr(original, '_footlight_original', original)  # under the hook that JAX's import needed

        @functools.wraps(original)
        def make(fun: Any, info: Any, *more: Any, **named: Any) -> Any:
            jitted = original(fun, info, *more, **named)
            stand_in = rec.made(fun, info, jitted, sys._getframe(1))
            return rec.made_for_itself(fun, jitted, sys._getframe(1)) if stand_in is None else stand_in
        vars(make)['_footlight_original'] = original
        return make

    def infer_params(original: Any) -> Any:
        @functools.wraps(original)
        def infer(fun: Any, info: Any, args: Any, kwargs: Any) -> Any:
            return rec.infer(original, fun, info, args, kwargs)
        return infer

    def trace_for_jit(original: Any) -> Any:
        @functools.wraps(original)
        def trace(fun: Any, *args: Any, **more: Any) -> Any:
            return rec.trace(original, fun, args, more)
        rec.sees_traces = True
        return trace

    def resolve_and_lower(original: Any) -> Any:
        @functools.wraps(original)
        def lower(*args: Any, **more: Any) -> Any:
            return rec.lower(original, args, more)
        return lower

    def process_primitive(original: Any) -> Any:
        def process(trace: Any, primitive: Any, args: Any, params: Any) -> Any:
            if jax_eager.is_body(primitive):
                return rec.bodies.run(original, trace, primitive, args, params)
            return original(trace, primitive, args, params)
        ops, process = jax_ops.ops(), functools.wraps(original)(process)
        return process if ops is None else ops.of_primitives(process)

    def cached_compilation(original: Any) -> Any:
        return _Stand(original, rec.compile)

    def listener(original: Any) -> Any:
        original(rec.on_duration)
        return original

    return Adapter('jax', jax.__version__, [
        Hook('jax._src.pjit', '_cpp_pjit', cpp_pjit, 'functions and calls'),
        Hook('jax._src.pjit', '_infer_params', infer_params, 'which trace serves a call'),
        Hook('jax._src.pjit', '_trace_for_jit', trace_for_jit, 'traces', needed=False),  # since 0.9
        Hook('jax._src.pjit', '_resolve_and_lower', resolve_and_lower, 'StableHLO, lowering and compilation'),
        Hook('jax._src.interpreters.pxla', '_cached_compilation', cached_compilation, 'compilations'),
        Hook('jax._src.core', 'EvalTrace.process_primitive', process_primitive, 'ops, loops and branches outside of jit'),
        Hook('jax.monitoring', 'register_event_duration_secs_listener', listener, 'times of lowering and compilation'),
    ], describe_again=rec.describe_again, adopt=jax_earlier.EarlierFunctions(rec).adopt)
