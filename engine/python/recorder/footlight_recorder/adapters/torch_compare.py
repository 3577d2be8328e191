"""Repeats a call of a compiled function: the original function with TorchDynamo off, and what torch.compile made of it."""
from __future__ import annotations

import contextlib
import functools
import gc
import re
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType, ModuleType
from typing import Any

from footlight_recorder import repetitions
from footlight_recorder.adapters.torch_graphs import family_of, make_transparent
from footlight_recorder.observed import kept_state

_KERNEL = re.compile(r'^(\w+) = async_compile\.', re.MULTILINE)  # in the code that Inductor generates
_REFLECTED = {f'__r{name}__': name for name in ('add', 'sub', 'mul', 'truediv', 'floordiv', 'mod', 'pow', 'matmul')}
_NAMESPACES = ('extern_kernels', 'aten', 'inductor_ops', '_quantized')  # of ops that generated code runs
_OF_STATE = ('torch.optim', 'torch.amp', 'torch.cuda.amp')       # modules whose objects have state


class Compiled:
    """The graphs that torch.compile made. Their runs are marked during a repetition."""

    def __init__(self) -> None:
        self.marks: repetitions.Marks | None = None
        self.thread = 0
        # Marks the ops of graphs that have no generated code.
        self.inside: Callable[[], contextlib.AbstractContextManager[Any]] | None = None

    def graph(self, run: Callable[..., Any]) -> Callable[..., Any]:
        """What stands in for a compiled graph."""
        def run_graph(*args: Any, **kwargs: Any) -> Any:
            marks = self.marks
            if marks is None or threading.get_ident() != self.thread:
                return run(*args, **kwargs)
            marks.begin('dispatch')
            if self.inside is None:
                try:
                    return run(*args, **kwargs)
                finally:
                    marks.begin('python')
            marks.begin('recording')
            try:
                with self.inside():
                    marks.begin('dispatch')
                    try:
                        return run(*args, **kwargs)
                    finally:
                        marks.begin('recording')
            finally:
                marks.begin('python')
        return run_graph


class Comparison:
    """Waits for the call that is to be compared."""

    def __init__(self, torch: ModuleType, user_frame: Callable[[FrameType | None], FrameType | None],
                 chosen: repetitions.ChosenCall) -> None:
        self.torch, self.user_frame, self.chosen = torch, user_frame, chosen
        self.graphs = Compiled()

    def stand_in(self, recorded: Callable[..., Any], compiled: Callable[..., Any], original: Callable[..., Any],
                 function: Any) -> Callable[..., Any]:
        """Stands in for a compiled function, one of whose calls may be the chosen one. `recorded` records its calls."""
        if not self.chosen.is_of(function.name):
            return recorded

        def make(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
            generates = 'backend=' not in function.columns['options']
            return Call(self.torch, self.user_frame, compiled, original, self.graphs, generates, args, kwargs)

        @functools.wraps(recorded)
        def call_or_compare(*args: Any, **kwargs: Any) -> Any:
            if not self.chosen.arrives(function.number):
                return recorded(*args, **kwargs)
            return repetitions.call_and_compare(recorded, self.chosen, function.number, make, sys._getframe(1), args, kwargs)
        stand_in: Callable[..., Any] = make_transparent(call_or_compare)
        return stand_in


class Call(repetitions.RepeatedCall):
    """A call of what torch.compile returned."""

    def __init__(self, torch: ModuleType, user_frame: Callable[[FrameType | None], FrameType | None], compiled: Any,
                 original: Any, graphs: Compiled, generates: bool, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.torch, self.own_frame, self.compiled, self.original = torch, user_frame, compiled, original
        self.graphs, self.generates = graphs, generates
        self.stand_ins: dict[int, tuple[Any, Any]] = {}  # what generated code calls, and its stand-in, by id
        self.on_device = any(value.device.type not in ('cpu', 'meta') for value in self.tensors((args, kwargs)))
        self.waits = self.on_device
        super().__init__(original, args, kwargs)

    def run_eagerly(self) -> Any:
        return self.original(*self.args, **self.kwargs)

    def run_compiled(self) -> Any:
        return self.compiled(*self.args, **self.kwargs)

    def eagerly(self) -> contextlib.AbstractContextManager[Any]:
        set_stance = getattr(self.torch.compiler, 'set_stance', None) if hasattr(self.torch, 'compiler') else None
        scope: contextlib.AbstractContextManager[Any] = \
            contextlib.nullcontext() if set_stance is None else set_stance('force_eager')
        return scope

    def wait(self, result: Any) -> None:
        if self.on_device:
            self.torch.accelerator.synchronize() if hasattr(self.torch, 'accelerator') else self.torch.cuda.synchronize()

    def user_frame(self, frame: FrameType | None) -> FrameType | None:
        return self.own_frame(frame)

    def family(self, op: str) -> str:
        return family_of(op)

    def tensors(self, value: Any) -> Iterator[Any]:
        """The tensors in arguments, and those of modules among them."""
        if isinstance(value, self.torch.Tensor):
            yield value
        elif isinstance(value, self.torch.nn.Module):
            yield from value.parameters()
        elif isinstance(value, (list, tuple)):
            for one in value:
                yield from self.tensors(one)
        elif isinstance(value, dict):
            for one in value.values():
                yield from self.tensors(one)

    # ---- state ------------------------------------------------------------------------------------------------------

    def kinds_of_state(self) -> list[kept_state.Kind]:
        torch = self.torch
        kinds = [kept_state.Kind((torch.Tensor,), self.keep_tensor, self.put_tensor_back, 'the tensor'),
                 kept_state.Kind((torch.nn.Module,), None, None, 'the module', attributes=True)]
        if hasattr(torch, 'Generator'):
            kinds.append(kept_state.Kind((torch.Generator,), lambda one: one.get_state(), lambda one, kept: one.set_state(kept),
                                         'the generator'))
        classes = tuple({type(one) for one in self.found})
        return [*kinds, kept_state.Kind(classes, None, None, 'the optimizer', attributes=True)]

    def state(self) -> list[Any]:
        """Modules, optimizers and schedules, wherever the program keeps them."""
        module = self.torch.nn.Module
        self.found = [one for one in gc.get_objects() if module in type(one).__mro__ or _has_state(type(one))]
        return self.found

    def named(self) -> Any:
        module = getattr(self.original, '__self__', None)
        return module.forward if isinstance(module, self.torch.nn.Module) else self.original

    def generators(self) -> list[kept_state.Generator]:
        torch = self.torch
        found = [kept_state.Generator(torch.get_rng_state, torch.set_rng_state)] if hasattr(torch, 'get_rng_state') else []
        if hasattr(torch, 'cuda') and torch.cuda.is_initialized():
            found.append(kept_state.Generator(torch.cuda.get_rng_state_all, torch.cuda.set_rng_state_all))
        return found

    def keep_tensor(self, tensor: Any) -> Any:
        """Its elements, and its gradient with its elements."""
        gradient = tensor.grad if tensor.is_leaf else None
        return tensor.detach().clone(), gradient, None if gradient is None else gradient.detach().clone()

    def put_tensor_back(self, tensor: Any, kept: Any) -> None:
        """In place, so that guards on the tensor hold."""
        elements, gradient, elements_of_gradient = kept
        with self.torch.no_grad():
            if not _overlaps(tensor):
                tensor.detach().copy_(elements)
            if tensor.is_leaf:
                if tensor.grad is not gradient:
                    tensor.grad = gradient
                if gradient is not None:
                    gradient.detach().copy_(elements_of_gradient)

    # ---- marks ------------------------------------------------------------------------------------------------------

    def notes(self) -> list[str]:
        found = ["Python is the program and the Python part of PyTorch; guards are all that comes before the first graph",
                 "A kernel's time holds the allocation of its result and the last step of its dispatch"]
        if self.crossing_ns:
            found.append(f'Getting into a hook of an op, or out of it, takes {self.crossing_ns} ns, which are in no part; '
                         'where parts add up to more than the total, hooks took longer still or slowed down the kernels '
                         'after them')
        if not hasattr(getattr(self.torch, 'compiler', None), 'set_stance'):
            found.append('Functions that it calls stay compiled if torch.compile was applied to them: this PyTorch cannot '
                         'switch that off')
        if self.on_device:
            found.append('Kernels of the device are not told apart: their time is part of waiting for it')
        return found

    @contextlib.contextmanager
    def marking(self, compiled: bool, marks: repetitions.Marks) -> Iterator[None]:
        """In an eager repetition, marks ops below autograd; in a compiled one, graphs and what their generated code calls."""
        if not compiled:
            with self.op_marker(marks)():
                yield
            return
        marks.first = 'guards'
        undo = self.mark_generated() if self.generates else []
        self.graphs.marks, self.graphs.thread = marks, threading.get_ident()
        self.graphs.inside = None if self.generates else self.op_marker(marks, outside='dispatch')
        try:
            yield
        finally:
            self.graphs.marks = None
            for names, name, value in undo:
                names[name] = value

    def op_marker(self, marks: repetitions.Marks,
                  outside: str = 'python') -> Callable[[], contextlib.AbstractContextManager[Any]]:
        """Makes scopes in which ops are marked: calls of PyTorch's functions, and what runs in them below autograd."""
        from torch.overrides import TorchFunctionMode
        from torch.utils._python_dispatch import TorchDispatchMode
        call, work = self, 'launch' if self.on_device else 'kernel'

        class Functions(TorchFunctionMode):  # type: ignore[misc]
            """Sees what the program calls, by the names that nodes of graphs have."""
            name = ''
            source: Any = None

            def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
                name = getattr(func, '__name__', '')
                marks.enter()
                if name in ('__get__', '__set__'):  # an attribute
                    marks.begin(outside)
                    result = func(*args, **(kwargs or {}))
                    marks.leave(outside)
                    return result
                functions.name = '' if name == 'backward' else _REFLECTED.get(name, name.strip('_'))
                functions.source = repetitions.caller(call.user_frame(sys._getframe(1)))
                marks.begin('dispatch')
                try:
                    return func(*args, **(kwargs or {}))
                finally:
                    marks.leave(outside)
                    functions.name, functions.source = '', None

        class Ops(TorchDispatchMode):  # type: ignore[misc]
            """Sees ops below autograd."""

            def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
                marks.enter()
                if getattr(func, 'is_view', False) or getattr(func, 'namespace', '') == 'profiler':  # runs no kernel
                    marks.begin('dispatch')
                    result = func(*args, **(kwargs or {}))
                    marks.leave('dispatch')
                    return result
                source = functions.source
                if source is None:
                    source = repetitions.caller(call.user_frame(sys._getframe(1)))
                # The first op of a function stands for it; others are called by their own names.
                name, functions.name = functions.name or _name_of(func), ''
                op = call.number(name)
                marks.begin(work, op, source)
                try:
                    return func(*args, **(kwargs or {}))
                finally:
                    marks.leave('dispatch')

        functions, ops = Functions(), Ops()

        @contextlib.contextmanager
        def marked() -> Iterator[None]:
            with functions, ops:
                yield
        return marked

    def mark_generated(self) -> list[tuple[dict[str, Any], str, Any]]:
        """Puts marking stand-ins in place of what Inductor's code calls; returns what they stand for."""
        undo = []
        for module in _generated_modules():
            names = vars(module)
            kernels = _kernels_of(module)
            for name, value in list(names.items()):
                is_one = name in kernels or name in _NAMESPACES or name.startswith('empty_strided') and callable(value)
                if is_one:
                    undo.append((names, name, value))
                    names[name] = self.standing_in(name, value, name in kernels)
        return undo

    def standing_in(self, name: str, value: Any, is_kernel: bool) -> Any:
        """What stands in for a value in all repetitions."""
        known = self.stand_ins.get(id(value))
        if known is None:
            made: Any = _Kernel(self, name, value) if is_kernel else \
                _Namespace(self, value) if name in _NAMESPACES else _marked(self.graphs, value, 'allocation')
            known = self.stand_ins[id(value)] = value, made
        return known[1]

    def time_of_mark(self) -> int:
        """Hooks take longer in a program than in the loop that measures them, where their code stays in the caches. Each mark
        takes a share of that."""
        return max(super().time_of_mark(), self.crossing_ns * 1000 // 3)

    def measure(self) -> None:
        if hasattr(self.torch, 'zeros'):
            self.measure_crossing(self.torch.zeros(1).neg_, 4)
        self.measure_crossing_in_call()


class _Kernel:
    """Stands in for a kernel of generated code."""

    def __init__(self, call: Call, name: str, kernel: Any) -> None:
        self._kernel = kernel
        self._run = _kernel(call, name, kernel)
        self.run = _kernel(call, name, kernel.run) if hasattr(kernel, 'run') else None  # as kernels of Triton are called

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._run(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._kernel, name)


class _Namespace:
    """Stands in for a collection of ops, whose members run kernels."""

    def __init__(self, call: Call, members: Any) -> None:
        self._call, self._members = call, members

    def __getattr__(self, name: str) -> Any:
        member = getattr(self._members, name)
        if callable(member):
            member = _kernel(self._call, name, member)
        setattr(self, name, member)  # it is found there from now on
        return member


def _kernel(call: Call, name: str, run: Callable[..., Any]) -> Callable[..., Any]:
    """Marks each call as the work of a kernel."""
    return _marked(call.graphs, run, 'launch' if call.on_device else 'kernel', call.number(name))


def _marked(graphs: Compiled, run: Callable[..., Any], work: str, op: int | None = None) -> Callable[..., Any]:
    """Marks each call as this work of the op."""
    def stand_in(*args: Any, **kwargs: Any) -> Any:
        marks = graphs.marks
        if marks is None or threading.get_ident() != graphs.thread:
            return run(*args, **kwargs)
        marks.begin(work, op)
        try:
            return run(*args, **kwargs)
        finally:
            marks.begin('dispatch')
    return stand_in


def _generated_modules() -> list[ModuleType]:
    """The modules of generated code that were loaded."""
    cache = getattr(sys.modules.get('torch._inductor.codecache'), 'PyCodeCache', None)
    held = getattr(cache, 'modules', None) or getattr(cache, 'cache', None) or []
    return list(held.values() if isinstance(held, dict) else held)


_kernels: dict[str, frozenset[str]] = {}  # names of the kernels of generated modules, by their files


def _kernels_of(module: ModuleType) -> frozenset[str]:
    path = str(getattr(module, '__file__', '') or '')
    if path not in _kernels:
        try:
            with open(path, encoding='utf-8') as file:
                _kernels[path] = frozenset(_KERNEL.findall(file.read()))
        except OSError:
            _kernels[path] = frozenset()
    return _kernels[path]


def _has_state(kind: type) -> bool:
    """Whether it is a class of optimizers, of schedules, or of what scales gradients."""
    return str(kind.__module__).startswith(_OF_STATE) and hasattr(kind, 'state_dict')


def _name_of(op: Any) -> str:
    """"addmm" of aten.addmm.default."""
    packet = getattr(op, 'overloadpacket', op)
    return str(getattr(packet, '__name__', op))


def _overlaps(tensor: Any) -> bool:
    """Whether several elements of a tensor share memory, as those of an expanded one do."""
    return any(step == 0 and size > 1 for size, step in zip(tensor.shape, tensor.stride()))
