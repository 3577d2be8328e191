"""Compiles frames. A function says in its docstring what it stands for: "fixes sizes", "breaks", "trains"."""
import itertools
import json
import math
import weakref
from types import SimpleNamespace

import torch
from torch._dynamo import config, guards as checks
from torch._dynamo.guards import CheckFunctionManager, Guard
from torch._dynamo.output_graph import OutputGraph, disable, graph_of
from torch._dynamo.symbolic_convert import InstructionTranslator
from torch._guards import TracingContext
from torch._logging import _internal
from torch.fx.experimental import symbolic_shapes

OLD = torch.__version__.startswith('2.3')  # whose log says less


def trace_structured(native, name, about=None, payload=None):
    """Logs a record if this version does."""
    if not OLD:
        _internal.trace_structured(native, name, about, payload)


input_codes = SimpleNamespace(seen=[])  # weak references to the code objects that were compiled
graphs_made = itertools.count()


class Unsupported(Exception):
    pass


class RecompileLimitExceeded(Unsupported):
    pass


class Symbol:
    """A size that is not fixed."""

    def __init__(self):
        self.node = SimpleNamespace(expr=SimpleNamespace(is_number=False), shape_env=SimpleNamespace(replace=lambda e: e))


def sources_of(local):
    """What is guarded, by its source: arguments, and numbers and dicts that are attributes of a module."""
    for name, value in local.items():
        if isinstance(value, torch.Module):
            yield from ((f"L['{name}'].{key}", one) for key, one in vars(value).items() if isinstance(one, (int, bool, dict)))
        else:
            yield f"L['{name}']", value


def exceeds_cache_size_limit(entries):
    return len(entries) >= config.recompile_limit, 'cache_size_limit'


def _convert_frame_assert(frame, entries, seen, dynamic):
    """What older versions do before they begin to compile a frame."""
    for entry in entries:
        checks.get_guard_fail_reason(entry.check_fn, frame.f_code, frame.f_locals)
    if exceeds_cache_size_limit(entries)[0]:
        raise Unsupported('cache_size_limit reached')
    return _compile(frame.f_code, frame.f_globals, frame.f_locals, {}, None, entries, seen, dynamic)


def _compile(code, globals, locals, builtins, closure, entries, seen, dynamic):
    native = f'{seen.setdefault("frame", 0)}/{len(entries)}'
    doc = str(code.co_consts[0])
    _internal.trace_structured(native, 'dynamo_output_graph', {}, 'the graph')
    statement = SimpleNamespace(filename=code.co_filename, lineno=code.co_firstlineno + 3, name=code.co_name)
    TracingContext.stack = [statement]
    InstructionTranslator().run()
    if entries:
        trace_structured(native, 'artifact', {'name': 'recompile_reasons'},
                         json.dumps([f'{entry.native}: the engine\'s own words' for entry in entries]))
    if len(entries) >= config.recompile_limit:
        if doc == 'says no number':
            raise RecompileLimitExceeded('recompile_limit reached')
        raise Unsupported(f'Dynamo recompile limit exceeded (currently set to {config.recompile_limit})')
    trace_structured(native, 'chromium_event', {}, json.dumps({'ph': 'B', 'name': 'bytecode_tracing', 'ts': 1.0}))
    demanded, guards, fakes, constants = {'grad': torch.is_grad_enabled()}, [], [], []
    for source, value in sources_of(locals):
        tensor = isinstance(value, torch.Tensor)
        if isinstance(value, dict):
            guards.append(Guard(source, 'DICT_LENGTH'))
            demanded[source] = dict(value)
            continue
        guards.append(Guard(source, 'TENSOR_MATCH' if tensor else 'CONSTANT_MATCH'))
        if not tensor:
            demanded[source] = value
            constants.append(value)
            continue
        sizes, before = list(value.shape), seen.setdefault(source, value.shape)
        for axis, size in enumerate(value.shape):
            if dynamic is False or before[axis] == size:
                continue
            sizes[axis] = Symbol()
            if 'fixes sizes' in doc:
                sizes[axis] = size
                if OLD:
                    symbolic_shapes.fix(f'{source}.size()[{axis}]', size)
                trace_structured(native, 'symbolic_shape_specialization', {
                    'sources': [f'{source}.size()[{axis}]'], 'value': str(size),
                    'user_stack': [{'filename': code.co_filename, 'line': code.co_firstlineno + 3, 'name': code.co_name}]})
        demanded[source] = (value.dtype, tuple(size if isinstance(size, int) else None for size in sizes),
                            value.requires_grad, value.stride() if not value.is_contiguous() else None)
        fakes.append(SimpleNamespace(source=SimpleNamespace(name=source), fake=SimpleNamespace(shape=sizes)))
    if 'breaks' in doc:
        trace_structured(native, 'artifact', {'name': 'dynamo_graph_break_reason'},
                         f'Graph break in user code at {code.co_filename}:{code.co_firstlineno + 3}\n'
                         'Graph Break Reason: Encountered graph break when attempting to trace CALL\n\n'
                         'Unsupported Tensor.item() call\n  Explanation: It needs the value.\n\nUser code traceback:\n')
    output = OutputGraph(guards, fakes)
    if OLD and 'breaks' in doc:
        output.compile_subgraph(None, reason=SimpleNamespace(
            reason='Tensor.item', user_stack=[statement], graph_break=True))
    if 'trains' in doc:
        for direction in ('forward', 'backward'):
            trace_structured(native, 'inductor_post_grad_graph', {}, f'graph of the {direction}')
            trace_structured(native, 'inductor_output_code', {}, f"# AOT ID: ['0_{direction}']\ncode of the {direction}")
    made = disable(output.call_user_compiler(graph_of(code, locals, constants, seen['run']), []))
    manager = CheckFunctionManager(*([output] if OLD else [code, output, entries]))
    trace_structured(native, 'chromium_event', {}, json.dumps({'ph': 'E', 'name': 'bytecode_tracing', 'ts': 2.0}))
    # The code of an entry runs its graph by a global name.
    name = f'__compiled_fn_{next(graphs_made)}'
    globals[name] = made
    input_codes.seen.append(weakref.ref(code))
    manager.guard_manager.code_parts = [text_of(source, value) for source, value in demanded.items()]
    return SimpleNamespace(native=native, demanded=demanded, check_fn=getattr(manager, 'check_fn', None),
                           run=lambda *args, **kwargs: globals[name](*args, **kwargs), compile_id=native,
                           guarded_code=SimpleNamespace(code=code), guard_manager=manager.guard_manager,
                           code=code.replace(co_names=(*code.co_names, name)))


def text_of(source, demanded):
    """The text of a guard."""
    if source == 'grad':
        return f'___check_global_state() against {{"grad_mode":{str(demanded).lower()},"num_threads":1}}'
    if not isinstance(demanded, tuple):
        return f'{source} == {demanded!r}'
    dtype, sizes, gradient, strides = demanded
    contiguous = [None if None in sizes[at + 1:] else math.prod(sizes[at + 1:]) for at in range(len(sizes))]
    return (f'check_tensor({source}, Tensor, DispatchKeySet(CPU, BackendSelect, ADInplaceOrView, AutogradCPU), '
            f'{dtype}, device=None, requires_grad={gradient}, size={list(sizes)}, '
            f'stride={list(strides or contiguous)})')
