"""Records what torch.compile does: functions by code object, their calls, compilations with guards and graphs, breaks."""
from __future__ import annotations

import functools
import inspect
import re
import sys
import threading
import time
import weakref
from collections.abc import Callable
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any

from footlight_recorder import _recorder, repetitions
from footlight_recorder.adapters import (Adapter, Hook, guarded, places, torch_backends, torch_earlier, torch_graphs,
                                         torch_guards, torch_log, torch_older)
from footlight_recorder.observed.value_lines import ValueLines

_CALLS_OF_MODULES = ('_call_impl', '_wrapped_call_impl', '__call__', 'forward')
_LIMIT = re.compile(r'currently set to (?P<limit>\d+)|(?:cache_size|recompile)_limit.*?\((?P<old>\d+)\)')


class Function:
    """A code object that TorchDynamo compiles, or what it makes of the rest of one after a graph break."""

    def __init__(self, number: int, name: str, code: CodeType, parent: Function | None,
                 describer: torch_guards.Describer) -> None:
        self.number, self.name, self.parent = number, name, parent
        self.sources = torch_guards.Sources(code, describer, parent is not None)
        self.traces: list[_Trace] = []
        self.columns: dict[str, Any] = {}
        self.limited = False  # PyTorch has stopped compiling it: calls that no trace serves run eagerly

    def first(self) -> Function:
        """The function of the program that it belongs to."""
        return self if self.parent is None else self.parent.first()


class _Trace:
    """One compilation: its row, which is added again when more is known."""

    def __init__(self, function: Function, entry: torch_log.Entry, number: int) -> None:
        self.function, self.entry, self.number = function, entry, number
        self.columns: dict[str, Any] = {}
        self.source: tuple[weakref.ref[CodeType], int] | None = None  # of the call that caused it
        self.items: dict[int, object] = {}   # of its key, by place
        self.graphs: list[dict[str, Any]] = []
        self.stand_ins: list[Any] = []       # for what was compiled, until its key is known
        self.guarded = False
        self.misses: list[dict[str, Any]] = []


class _Compilation:
    """A call of the compiler that is under way on a thread."""

    def __init__(self, code: CodeType, local: dict[str, Any], names: dict[str, Any], context: dict[str, str]) -> None:
        self.code, self.local, self.names, self.context = code, local, names, context
        self.start_ns = time.time_ns()
        self.entry = torch_log.Entry('')
        self.trace: _Trace | None = None


class _Thread(threading.local):
    def __init__(self) -> None:
        self.compilations: list[_Compilation] = []


class Recorder:
    """The bodies of the hooks."""

    def __init__(self, torch: ModuleType) -> None:
        self.torch = torch
        self.root = str(torch.__file__).rpartition('/')[0] + '/'
        self.thread = _Thread()
        # Neither keeps anything alive that the program lets go.
        self.functions: weakref.WeakKeyDictionary[CodeType, Function] = weakref.WeakKeyDictionary()
        # By PyTorch's own number of a compilation, while more may be said of it.
        self.traces: weakref.WeakValueDictionary[str, _Trace] = weakref.WeakValueDictionary()
        self.describer = torch_guards.Describer(torch)
        self.locations = torch_graphs.Locations()
        self.graphs = torch_graphs.Graphs(torch, self.locations)
        self.value_lines = ValueLines()
        self.handler = torch_log.Handler(self.entry_of, self.logged)
        self.backends = torch_backends.Backends()
        self.older = torch_older.Older(lambda: self.entry_of(None), self.limit_of_frame)
        self.comparison: Any = None  # repeats a call, if one is to be compared
        chosen = repetitions.ChosenCall()
        if chosen.is_wanted():
            from footlight_recorder.adapters import torch_compare
            self.comparison = torch_compare.Comparison(torch, self.user_frame, chosen)

    def describe_again(self) -> None:
        """Adds what is known to a recording that begins later; graphs are not kept."""
        self.locations.begin()
        for function in self.functions.values():
            _recorder.add('function', {key: value for key, value in function.columns.items() if key != 'location'})
            for trace in function.traces:
                trace.columns['trace_graph'] = []
                _recorder.add('trace', trace.columns)

    # ---- functions ------------------------------------------------------------------------------------------------

    def function_of(self, code: CodeType, name: str = '', made: FrameType | None = None, options: str = '') -> Function:
        """The function of a code object, which is recorded the first time."""
        known = self.functions.get(code)
        if known is not None:
            return known
        resumed = torch_graphs.RESUME.match(code.co_name)
        parent = self._continued(code, resumed['name'], int(resumed['line'])) if resumed is not None else None
        number = _recorder.new_id('function')
        if parent is not None:
            name = parent.name
            file, line = parent.first().columns['file'], parent.first().columns['line']
        else:
            name = name or getattr(code, 'co_qualname', code.co_name)
            file, line = code.co_filename, places.def_line(code)
        function = self.functions[code] = Function(number, name, code, parent, self.describer)
        columns: dict[str, Any] = {
            'id': number, 'name': name, 'file': file, 'line': line, 'options': options,
            'kind': 'resume' if parent is not None else 'dynamo', 'made_ns': time.time_ns()}
        if parent is not None and resumed is not None:
            columns['parent'], columns['options'] = parent.number, f'after line {resumed["line"]}'
        call = _recorder.current_call()
        if parent is None and made is None and call is not None:
            columns['parent'] = call[1]  # compiled only since that one calls it, such as after a graph break
        if made is not None:
            columns['location'] = self.locations.of_frames([(made.f_code.co_filename, made.f_lineno, made.f_code.co_name)])
            if made.f_code.co_filename == code.co_filename:
                columns['decorator_line'] = made.f_lineno
        function.columns = columns
        _recorder.add('function', columns)
        return function

    def _continued(self, code: CodeType, name: str, line: int) -> Function | None:
        """The function that a resume function continues."""
        found = [(known.co_firstlineno, function.number, function) for known, function in self.functions.items()
                 if known.co_filename == code.co_filename and known.co_name == name and known.co_firstlineno <= line]
        return max(found)[2] if found else None

    def user_frame(self, frame: FrameType | None) -> FrameType | None:
        """The innermost frame that is neither ours nor PyTorch's."""
        return places.innermost(frame, lambda path: path.startswith(self.root) or
                                path.endswith(('/contextlib.py', '/functools.py')))

    def target(self, model: Any) -> tuple[CodeType, str] | None:
        """The code of what was given to torch.compile, and how it is called: "Net.forward"."""
        for _ in range(50):
            if isinstance(model, self.torch.nn.Module) or not hasattr(model, '__wrapped__'):
                break
            model = model.__wrapped__
        module = model if isinstance(model, self.torch.nn.Module) else getattr(model, '__self__', None)
        if isinstance(module, self.torch.nn.Module) and (module is model or model.__name__ in _CALLS_OF_MODULES):
            return self.target_of_module(module)
        function = getattr(model, '__func__', model)
        code = getattr(function, '__code__', None)
        return (code, function.__qualname__) if code is not None else None

    def target_of_module(self, module: Any) -> tuple[CodeType, str] | None:
        """The code of its `forward`, and the name."""
        forward = type(module).forward
        code = getattr(getattr(forward, '__wrapped__', forward), '__code__', None)
        return (code, f'{type(module).__qualname__}.forward') if code is not None else None

    @guarded
    def made(self, context: Any, model: Any, compiled: Any, frame: FrameType) -> Any:
        """torch.compile made something callable; what stands in for it, or None."""
        if type(context).__name__ != 'OptimizeContext' or compiled is model or not isinstance(compiled, FunctionType):
            return None  # of a compiled module, its `forward` was made like this before
        target = self.target(model)
        if target is None:
            return None
        user = self.user_frame(frame)
        if user is not None and torch_graphs.is_library(user.f_code.co_filename):
            user = None
        function = self.function_of(*target, user, self.options(context))
        stand_in = self.stand_in(compiled, function)
        return stand_in if self.comparison is None else self.comparison.stand_in(stand_in, compiled, model, function)

    def options(self, context: Any) -> str:
        """What torch.compile was asked for, as it is written: "backend='eager', dynamic=False"."""
        backend = torch_backends.name_of(context.callback)
        found = [] if backend == 'inductor' else [f'backend={backend!r}']
        dynamic = getattr(context, '_dynamic', getattr(context, 'dynamic', None))
        found += [f'dynamic={dynamic}'] * (dynamic is not None) + ['fullgraph=True'] * bool(getattr(context, 'fullgraph', 0))
        if not self.torch._dynamo.config.automatic_dynamic_shapes:
            found.append('automatic_dynamic_shapes=False')
        return ', '.join(found)

    def stand_in(self, compiled: Callable[..., Any], function: Function) -> Callable[..., Any]:
        """Records the calls. It is a function that TorchDynamo looks through, as it does through the compiled one."""
        native, described = self.recording(compiled, function)

        @functools.wraps(compiled)
        def call_compiled(*args: Any, **kwargs: Any) -> Any:
            if function.limited:
                return described(*args, **kwargs)
            return native(*args, **kwargs)
        stand_in: Callable[..., Any] = torch_graphs.make_transparent(call_compiled)
        return stand_in

    def recording(self, compiled: Callable[..., Any],
                  function: Function) -> tuple[Callable[..., Any], Callable[..., Any]]:
        """Two stand-ins that record calls; the second one with a key, for calls that may run eagerly."""
        def describe_and_call(*args: Any, **kwargs: Any) -> Any:
            self.describe(function, compiled, args, kwargs)
            return compiled(*args, **kwargs)
        torch_graphs.skip(describe_and_call)
        return (_recorder.called(compiled, function.number, unserved='eager'),
                _recorder.called(describe_and_call, function.number, unserved='eager'))

    @guarded
    def describe(self, function: Function, compiled: Any, args: Any, kwargs: Any) -> None:
        """Gives the call under way a key: it may be one that no trace serves."""
        names = function.sources.arguments
        module = getattr(inspect.getattr_static(compiled, '_torchdynamo_orig_callable', None), '__self__', None)
        if isinstance(module, self.torch.nn.Module):
            args = (module, *args)
        local = dict(zip(names, args))
        local.update(kwargs)
        items = self.call_items(function, local, {}, self.context())
        _recorder.describe_call(key=_recorder.key(function.number, function.sources.names(), function.sources.row(items)))

    # ---- compilations -----------------------------------------------------------------------------------------------

    def context(self) -> dict[str, str]:
        """The global state that every trace is guarded by."""
        torch = self.torch
        return {'grad_mode': 'on' if torch.is_grad_enabled() else 'off',
                'inference_mode': 'on' if torch.is_inference_mode_enabled() else 'off',
                'num_threads': str(torch.get_num_threads()),
                'default_dtype': str(torch.get_default_dtype()).removeprefix('torch.'),
                'deterministic_algorithms': 'on' if torch.are_deterministic_algorithms_enabled() else 'off',
                'autocast': self._autocast()}

    def _autocast(self) -> str:
        on = []
        for device in ('cpu', 'cuda'):
            try:
                if self.torch.is_autocast_enabled(device):
                    on.append(f'{device} {str(self.torch.get_autocast_dtype(device)).removeprefix("torch.")}')
            except (TypeError, RuntimeError):  # before 2.4 it takes no device
                if self.torch.is_autocast_enabled() if device == 'cuda' else self.torch.is_autocast_cpu_enabled():
                    on.append(device)
        return ', '.join(on) or 'off'

    def compile(self, original: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """PyTorch compiles a frame, or finds that it has compiled that one too often."""
        compilation = self.begin(args)
        if compilation is None:
            return original(*args, **kwargs)
        self.thread.compilations.append(compilation)
        try:
            result = original(*args, **kwargs)
        except BaseException as error:
            self.thread.compilations.pop()
            self.failed(compilation, error)
            raise
        self.thread.compilations.pop()
        self.compiled(compilation, result)
        return result

    @guarded
    def begin(self, args: tuple[Any, ...]) -> _Compilation | None:
        """Keeps the variables and the global state that the frame sees."""
        if self.handler not in _trace_log().handlers:
            _trace_log().addHandler(self.handler)
        code, names, local = args[0], args[1], args[2]
        backend = next((one for one in args[4:6] if callable(one)), None)
        compilation = _Compilation(code, dict(local), names, self.context() | {'backend': self.backends.text(backend)})
        compilation.entry.words = self.older.take_words()
        return compilation

    def entry_of(self, native: str | None) -> torch_log.Entry | None:
        """What the log's record belongs to: the compilation under way, or one whose backward graph is made now."""
        if self.thread.compilations:
            entry = self.thread.compilations[-1].entry
            if native is not None:
                entry.native = native
            return entry
        trace = self.traces.get(native) if native is not None else None
        return trace.entry if trace is not None else None

    def logged(self, entry: torch_log.Entry, kind: str) -> None:
        """Something more is known of a trace whose row was written."""
        trace = self.traces.get(entry.native)
        if not self.thread.compilations and trace is not None and trace.columns and kind != 'chromium_event':
            self.write(trace)
            if kind == 'bwd_compilation_metrics':  # the last thing that is said
                self.release(trace)

    def trace_of(self, compilation: _Compilation) -> _Trace:
        """The trace that a compilation makes."""
        if compilation.trace is None:
            function = self.function_of(*self.target_of_frame(compilation))
            compilation.trace = _Trace(function, compilation.entry, _recorder.new_id('trace'))
        return compilation.trace

    def target_of_frame(self, compilation: _Compilation) -> tuple[CodeType, str]:
        """The code of the function, and the name: a module's frame is called by its class."""
        code = compilation.code
        held = compilation.local.get('self' if code.co_name == 'forward' else 'fn')
        if not isinstance(held, self.torch.nn.Module) or code.co_name not in ('forward', 'inner'):
            return code, ''
        if code.co_name == 'inner' and code.co_filename.startswith(self.root):  # PyTorch's own wrapper
            return self.target_of_module(held) or (code, '')
        return code, f'{type(held).__qualname__}.forward'

    def user_compiler(self, original: Callable[..., Any], graph: Any, module: Any, args: Any, more: Any) -> Any:
        """The backend compiles a graph; its result is told apart from others when it runs."""
        self.graphed(module)
        result = original(graph, module, *args, **more)
        stand_in = self.serving(result)
        return result if stand_in is None else stand_in

    @guarded
    def graphed(self, module: Any) -> None:
        """Records the graph that TorchDynamo made."""
        if not self.thread.compilations:
            return
        trace = self.trace_of(self.thread.compilations[-1])
        name = f'dynamo {trace.function.number}:{len(trace.function.traces) + 1}'
        trace.graphs = [{'stage': 'dynamo', 'graph': self.graphs.add(module, name)}]

    @guarded
    def serving(self, result: Any) -> Any:
        """What stands in for a compiled graph."""
        if not self.thread.compilations:
            return None
        trace = self.trace_of(self.thread.compilations[-1])
        made = _recorder.serves(torch_graphs.function_that_runs(result), trace.function.number, trace.number)
        trace.stand_ins.append(made)
        return made if self.comparison is None else self.comparison.graphs.graph(made)

    @guarded
    def guarded_by(self, manager: Any, code: CodeType | None, output: Any) -> None:
        """TorchDynamo made the guards of a trace: its key, and that of the call. `code`: None before 2.7."""
        compilation = next((one for one in reversed(self.thread.compilations) if code is None or one.code is code), None)
        if compilation is None or output is None:
            return
        trace = self.trace_of(compilation)
        self.older.made_guards(manager, compilation.entry.native)
        trace.guarded = True
        guards: dict[torch_guards.Steps, set[str]] = {}
        for guard in sorted(output.guards):
            steps = torch_guards.steps_of(guard.name)
            if steps is not None:
                guards.setdefault(steps, set()).add(torch_guards.maker_of(guard))
                guards[steps].update(guard.guard_types or ())
        sizes = {}
        for tracked in getattr(output, 'tracked_fakes', None) or ():
            name = tracked.source.name
            steps = torch_guards.steps_of(name() if callable(name) else name)
            if steps is not None:
                sizes[steps] = torch_guards.sizes_of(tracked.fake)
        sources = trace.function.sources
        trace.items = sources.of_trace(guards, sizes, compilation.local, compilation.names, compilation.context)

    def call_items(self, function: Function, local: dict[str, Any], names: dict[str, Any],
                   context: dict[str, str]) -> dict[int, object]:
        """The items of a call's key."""
        like: dict[int, object] = {}
        for trace in function.traces:
            like.update((at, item) for at, item in trace.items.items() if at not in like or like[at] is None)
        names = names or getattr(sys.modules.get('__main__'), '__dict__', {})
        return function.sources.of_call(like, local, names, context)

    @guarded
    def compiled(self, compilation: _Compilation, result: Any) -> None:
        """A compilation ended well; without guards and graphs it made nothing."""
        trace = compilation.trace
        if trace is None or not (trace.guarded or trace.graphs):
            return self.broke(compilation)
        function = trace.function
        asked = function.sources.of_call(trace.items, compilation.local, compilation.names, compilation.context)
        names = function.sources.names()
        used_key = _recorder.key(function.number, names, function.sources.row(trace.items))
        asked_key = _recorder.key(function.number, names, function.sources.row(asked))
        if len(names) != len(function.columns.get('function_parameter', ())):
            function.columns['function_parameter'] = names
            _recorder.add('function', function.columns)
        for made in trace.stand_ins:
            _recorder.serve_keys(made, used_key, asked_key)
        trace.stand_ins = []
        self.columns(trace, compilation, '')
        columns = trace.columns
        columns['call_key'] = used_key
        columns['signature'], columns['key_leaf'] = function.sources.leaves(used_key)
        self.why(trace, asked)
        trace.entry.add_bytecode(result, compilation.code if function.parent is not None else None)
        function.traces.append(trace)
        self.traces[compilation.entry.native] = trace
        self.write(trace)
        if 'aot_joint_graph' not in trace.entry.texts:  # a backward graph may be compiled only when it runs
            self.release(trace)
        self.decisions(trace, compilation)
        call = _recorder.current_call()
        frame = self.user_frame(sys._getframe(1))
        if frame is not None and len(function.traces) > 1 and function.parent is None:
            names = function.sources.arguments
            self.value_lines.record(function.number, trace.number, frame, names, int(names[:1] == ['self']))
        if call is not None and call[1] == function.number and not trace.graphs:
            _recorder.describe_call(trace=trace.number, outcome='trace', key=asked_key)

    def columns(self, trace: _Trace, compilation: _Compilation, error: str) -> None:
        """What every row of a trace has."""
        function = trace.function
        trace.columns = {
            'id': trace.number, 'function': function.number, 'number': len(function.traces) + 1,
            'start_ns': compilation.start_ns, 'end_ns': time.time_ns(), 'reason': 'call', 'cached': len(function.traces),
            'native_id': compilation.entry.native, 'attempt': compilation.entry.attempt + 1, 'error': error[:500]}
        frame = self.user_frame(sys._getframe(1))
        if frame is not None:
            trace.source = weakref.ref(frame.f_code), frame.f_lasti

    def add_earlier(self, function: Function, native: str, items: dict[int, object],
                    artifacts: list[dict[str, Any]]) -> tuple[int, int]:
        """Adds a trace from before the recorder, of which only the guards are known; returns its key and its number."""
        trace = _Trace(function, torch_log.Entry(native), _recorder.new_id('trace'))
        trace.items, trace.guarded = items, True
        names, now = function.sources.names(), time.time_ns()
        function.columns['function_parameter'] = names
        _recorder.add('function', function.columns)
        key = _recorder.key(function.number, names, function.sources.row(items))
        signature, leaves = function.sources.leaves(key)
        trace.columns = {
            'id': trace.number, 'function': function.number, 'number': len(function.traces) + 1, 'start_ns': now,
            'end_ns': now, 'reason': 'get_concrete_function', 'cached': len(function.traces), 'native_id': native,
            'attempt': 1, 'call_key': key, 'signature': signature, 'key_leaf': leaves}
        function.traces.append(trace)
        _recorder.add('trace', {**trace.columns, 'trace_artifact': artifacts})
        return key, trace.number

    def why(self, trace: _Trace, asked: dict[int, object]) -> None:
        """What differs from each trace that was there, in the engine's words too."""
        function, words = trace.function, {}
        for text in trace.entry.words:
            native, _, rest = text.partition(': ')
            words[native] = rest.partition('#')[0].strip()
        nearest: tuple[int, _Trace, list[tuple[str, str, str, str]]] | None = None
        for other in reversed(function.traces):
            differences = torch_guards.differing(other.items, asked, function.sources)
            said = words.get(other.entry.native, '')
            first = differences[0] if differences else ('', '', '', '')
            trace.misses.append({'existing': other.number, 'path': first[0], 'was': first[2], 'now': first[3], 'words': said})
            if differences and (nearest is None or len(differences) < nearest[0]):
                nearest = len(differences), other, differences
        if nearest is not None:
            trace.columns['nearest'] = nearest[1].number
            trace.columns['trace_differing'] = [one[0] for one in nearest[2]]
            trace.columns['why'] = ', '.join(dict.fromkeys(one[1] for one in nearest[2][:4]))
        elif trace.misses:
            trace.columns['nearest'] = trace.misses[0]['existing']
            trace.columns['why'] = next(iter(words.values()), '')[:200]

    def write(self, trace: _Trace) -> None:
        """Writes the row, or writes it again."""
        if 'trace_graph' not in trace.columns:
            trace.columns['trace_graph'], trace.columns['trace_miss'] = trace.graphs, trace.misses
        trace.columns['trace_phase'] = trace.entry.phases
        code = trace.source[0]() if trace.source is not None else None
        source = {'source': (code, trace.source[1])} if code is not None and trace.source is not None else {}
        _recorder.add('trace', {**trace.columns, **source, 'trace_artifact': trace.entry.artifacts()})

    def release(self, trace: _Trace) -> None:
        """Lets go of the texts: nothing more will be said of the trace."""
        self.traces.pop(trace.entry.native, None)
        trace.entry.texts = {}

    def decisions(self, trace: _Trace, compilation: _Compilation) -> None:
        """Graph breaks, and sizes that a statement fixed."""
        for file, line, reason in compilation.entry.breaks:
            words = torch_log.headline(reason)
            fate = 'library' if torch_graphs.is_library(file) else 'asked for' if torch_log.was_asked_for(reason) else 'python'
            _recorder.add('decision', {'trace': trace.number, 'file': file, 'line': line, 'kind': 'graph break', 'fate': fate,
                                       'note': words})
        for sources, value, frames in compilation.entry.fixed:
            own = [frame for frame in frames if not torch_graphs.is_library(frame[0])]
            for source in sources:
                path = self.size_path(trace.function, source)
                if own and path:
                    _recorder.add('decision', {'trace': trace.number, 'file': own[-1][0], 'line': own[-1][1],
                                               'kind': 'fixed size', 'fate': 'python', 'note': f'{path} = {value}'})

    def size_path(self, function: Function, source: str) -> str:
        """"args[0].shape[1]" of "L['x'].size()[1]"."""
        found = re.fullmatch(r'(?P<of>.*)\.size\(\)\[(?P<axis>\d+)\]', source)
        steps = torch_guards.steps_of(found['of'] if found else source)
        if steps is None:
            return ''
        path = function.sources.path_of(steps)[0]
        return f'{path}.shape[{found["axis"]}]' if found else path

    def broke(self, compilation: _Compilation) -> None:
        """A frame was left to Python: with graph breaks that is a trace that failed."""
        if not compilation.entry.breaks:
            return
        self.fail(compilation, compilation.entry.breaks[-1][2].partition('\n')[0] or 'Graph break')

    @guarded
    def failed(self, compilation: _Compilation, error: BaseException) -> None:
        """A compilation ended with an error, which the program sees only if nothing else can run the frame."""
        limit = _LIMIT.search(str(error)) if 'limit' in str(error) and 'ecompile' in str(error) else None
        # PyTorch 2.9 does not say how many.
        without_number = type(error).__name__ == 'RecompileLimitExceeded' or 'cache_size_limit' in str(error)
        if limit is not None or without_number:
            self.reached_limit(compilation, limit)
        elif type(error).__name__ not in ('SkipFrame', 'SkipCodeRecursiveException'):
            self.fail(compilation, f'{type(error).__name__}: {(str(error).splitlines() or [""])[0]}')
        else:
            self.older.skipped(compilation.entry, error)
            self.broke(compilation)

    def fail(self, compilation: _Compilation, words: str) -> None:
        """Records a trace that failed."""
        trace = self.trace_of(compilation)
        self.columns(trace, compilation, words)
        self.write(trace)
        self.decisions(trace, compilation)

    def limit_of_frame(self, frame: FrameType) -> None:
        """PyTorch refuses to compile a frame, because it has too many traces of it."""
        compilation = _Compilation(frame.f_code, dict(frame.f_locals), frame.f_globals, self.context())
        compilation.entry.words = self.older.take_words()
        self.reached_limit(compilation, None)

    def reached_limit(self, compilation: _Compilation, limit: re.Match[str] | None) -> None:
        """PyTorch has stopped compiling the function."""
        function = self.functions.get(self.target_of_frame(compilation)[0])
        if function is None or not function.traces:
            return
        function.first().limited = function.limited = True
        number = (limit['limit'] or limit['old']) if limit is not None else str(len(function.traces))
        name = torch_older.name_of_limit(self.torch)
        said = next((word.partition('#')[0].strip() for word in compilation.entry.words), '')
        _recorder.add('decision', {
            'trace': function.traces[-1].number, 'file': function.first().columns['file'], 'fate': 'eager',
            'line': function.first().columns['line'], 'kind': 'recompile limit',
            'note': f'{number}: torch._dynamo hit config.{name} ({number}); last reason: {said}'})
        items = self.call_items(function, compilation.local, compilation.names, compilation.context)
        call = _recorder.current_call()
        if call is not None and call[1] == function.number:
            key = _recorder.key(function.number, function.sources.names(), function.sources.row(items))
            _recorder.describe_call(key=key)


def _trace_log() -> Any:
    from torch._logging import _internal
    return _internal.trace_log


def adapter(dynamo: ModuleType) -> Adapter:
    """The hooks for this PyTorch, whose compiler was just imported."""
    torch = sys.modules[dynamo.__name__.partition('.')[0]]
    rec = Recorder(torch)

    def make_compiled(original: Any) -> Any:
        @functools.wraps(original)
        def __call__(self: Any, fn: Any) -> Any:
            compiled = original(self, fn)
            stand_in = rec.made(self, fn, compiled, sys._getframe(1))
            return compiled if stand_in is None else stand_in
        return __call__

    def compile_frame(original: Any) -> Any:
        @functools.wraps(original)
        def _compile(*args: Any, **kwargs: Any) -> Any:
            return rec.compile(original, args, kwargs)
        return _compile

    def call_user_compiler(original: Any) -> Any:
        @functools.wraps(original)
        def _call_user_compiler(self: Any, gm: Any, *args: Any, **kwargs: Any) -> Any:
            return rec.user_compiler(original, self, gm, args, kwargs)
        return _call_user_compiler

    def check_function_manager(original: Any) -> Any:
        @functools.wraps(original)
        def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
            original(self, *args, **kwargs)
            given = [*args, *kwargs.values()]
            code = next((one for one in given if isinstance(one, CodeType)), None)
            output = next((one for one in given if hasattr(one, 'guards')), None)
            rec.guarded_by(self, code, output)
        return __init__

    def structured_log(original: Any) -> Any:
        original.addHandler(rec.handler)
        return original

    graphs = sys.modules['torch._dynamo.output_graph'].OutputGraph
    compiler = '_call_user_compiler' if hasattr(graphs, '_call_user_compiler') else 'call_user_compiler'  # before 2.5
    return Adapter('torch', str(torch.__version__), [
        Hook('torch._dynamo.eval_frame', '_TorchDynamoContext.__call__', make_compiled, 'functions and their calls'),
        Hook('torch._dynamo.convert_frame', '_compile', compile_frame, 'traces'),
        Hook('torch._dynamo.output_graph', f'OutputGraph.{compiler}', call_user_compiler, 'graphs and hits'),
        Hook('torch._dynamo.guards', 'CheckFunctionManager.__init__', check_function_manager, 'guards'),
        Hook('torch._logging._internal', 'trace_log', structured_log, 'graph breaks, phases and generated code'),
    ] + rec.older.hooks(torch_older.version_of(torch)), describe_again=rec.describe_again,
        adopt=torch_earlier.EarlierFunctions(rec).adopt)
