"""Collectives and the input of distributed programs, as spans by which `footlight ranks` compares their processes.

A collective is a span of the category "collective", a wait for a batch one of the category "input"; a program that
synchronizes in another way can record the same itself: `with footlight_recorder.span("barrier", "collective"):`.
DistributedDataParallel reduces gradients from C++ while they are computed; seen is when a rank has computed all of its
own, and until when it then waits for those of others.
"""
from __future__ import annotations

import functools
import importlib
import os
import sys
import threading
from collections.abc import Callable
from typing import Any

from footlight_recorder import _recorder
from footlight_recorder.adapters import Hook, guarded, place_hooks

PACKAGES = ('torch', 'jax', 'ray.train')  # hooked when a program imports one of these
_COLLECTIVES = ('all_reduce', 'barrier', 'monitored_barrier', 'broadcast', 'reduce', 'all_gather',
                'all_gather_into_tensor', 'reduce_scatter', 'reduce_scatter_tensor', 'all_to_all', 'all_to_all_single',
                'gather', 'scatter', 'all_gather_object', 'broadcast_object_list')
_installed: set[str] = set()
_ray: dict[str, bool] = {}  # whether the rank that Ray Train gives this process was said
_counts: dict[tuple[str, str], int] = {}  # collectives of a name and group so far, recorded or not
_thread = threading.local()  # its `inside` is set in a collective: others that this one is made of do not count


def _group_name(group: Any) -> str:
    """"world", or the ranks of a group: the same in all its processes."""
    distributed = importlib.import_module('torch.distributed')
    if group is None or group is distributed.group.WORLD:
        return 'world'
    ranks = distributed.get_process_group_ranks(group)
    return 'world' if len(ranks) == distributed.get_world_size() else ','.join(map(str, ranks))


def _caller() -> dict[str, Any]:
    """The line of the program that asked for a collective; of a library, if no other asked."""
    frame = sys._getframe(1)
    nearest = None
    while frame is not None:
        path = frame.f_code.co_filename
        is_own = str(frame.f_globals.get('__name__')).startswith('footlight_recorder')
        if not is_own and not path.startswith('<'):
            nearest = nearest or frame
            if not _recorder.is_library_file(path):
                return {'file': os.path.abspath(path), 'line': frame.f_lineno}
        frame = frame.f_back  # type: ignore[assignment]
    return {'file': nearest.f_code.co_filename, 'line': nearest.f_lineno} if nearest else {}


@guarded
def _facts(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """What a call says of its collective: the group, its number there, whether it waits, the bytes of its first tensor,
    its line.

    It is counted from the start of the process on, so that ranks that begin to record at different moments agree.
    """
    groups = [value for value in args if hasattr(value, 'rank') and hasattr(value, 'size') and callable(value.rank)]
    facts: dict[str, Any] = {'group': _group_name(kwargs.get('group', groups[0] if groups else None))}
    key = (name, facts['group'])
    facts['seq'] = _counts[key] = _counts.get(key, 0) + 1
    if kwargs.get('async_op'):
        facts['async'] = True
    for value in (*args, *kwargs.values()):
        tensor = value[0] if isinstance(value, (list, tuple)) and value else value
        if hasattr(tensor, 'numel') and hasattr(tensor, 'element_size'):
            facts['bytes'] = tensor.numel() * tensor.element_size()
            break
    return {**facts, **_caller()} if _recorder.recording() else facts


def _collective(name: str) -> Callable[[Any], Any]:
    def replace(original: Any) -> Any:
        @functools.wraps(original)
        def run(*args: Any, **kwargs: Any) -> Any:
            if getattr(_thread, 'inside', False):
                return original(*args, **kwargs)
            _thread.inside = True
            try:
                with _recorder.span(name, 'collective', **(_facts(name, args, kwargs) or {})):
                    return original(*args, **kwargs)
            finally:
                _thread.inside = False
        return run
    return replace


class _Backward:
    """One backward pass of a DistributedDataParallel module: a collective that begins when this rank has its gradients.

    It is counted also while nothing is recorded, as other collectives are.
    """

    def __init__(self, facts: dict[str, Any], queue: Callable[[Callable[[], None]], None]) -> None:
        self.facts, self.queue = facts, queue
        self.begun = False
        self.span: Any = None

    @guarded
    def begins(self, gradient: Any) -> None:
        """A hook of an output: the pass begins. What is queued now is called before the module waits for other ranks."""
        if not self.begun:
            self.begun = True
            self.queue(self.waits)

    @guarded
    def waits(self) -> None:
        key = ('gradients', self.facts['group'])
        _counts[key] = _counts.get(key, 0) + 1
        self.span = _recorder.span('gradients', 'collective', **{**self.facts, 'seq': _counts[key]})
        self.span.__enter__()
        self.queue(self.ends)

    @guarded
    def ends(self) -> None:
        self.span.__exit__(None, None, None)
        self.begun = False


@guarded
def _watch_backward(module: Any, outputs: Any) -> None:
    torch = sys.modules['torch']
    if not torch.is_grad_enabled() or not module.require_backward_grad_sync:
        return
    outputs = list(outputs.values()) if isinstance(outputs, dict) else outputs
    values = outputs if isinstance(outputs, (list, tuple)) else [outputs]
    tensors = [value for value in values if isinstance(value, torch.Tensor) and value.requires_grad]
    if not tensors:
        return
    facts: dict[str, Any] = {'group': _group_name(module.process_group)}
    if _recorder.recording():  # else the pass is only counted
        size = sum(p.numel() * p.element_size() for p in module.parameters() if p.requires_grad)
        facts.update(bytes=size, **_caller())
    backward = _Backward(facts, torch.autograd.Variable._execution_engine.queue_callback)
    for tensor in tensors:
        tensor.register_hook(backward.begins)


def _data_parallel(original: Any) -> Any:
    is_compiling = sys.modules['torch'].compiler.is_compiling

    @functools.wraps(original)
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        outputs = original(self, *args, **kwargs)
        if not is_compiling():
            _watch_backward(self, outputs)
        return outputs
    return run


def _input(original: Any) -> Any:
    @functools.wraps(original)
    def run(*args: Any, **kwargs: Any) -> Any:
        with _recorder.span('DataLoader', 'input'):
            return original(*args, **kwargs)
    return run


@guarded
def _say_rank(rank: int, world: int) -> None:
    if world > 1:
        _recorder.describe_process({'rank': rank, 'world': world, 'kind': 'rank'})


def _torch_group(original: Any) -> Any:
    @functools.wraps(original)
    def run(*args: Any, **kwargs: Any) -> Any:
        made = original(*args, **kwargs)
        distributed = importlib.import_module('torch.distributed')
        _say_rank(distributed.get_rank(), distributed.get_world_size())
        return made
    return run


def _jax_group(original: Any) -> Any:
    @functools.wraps(original)
    def run(*args: Any, **kwargs: Any) -> Any:
        made = original(*args, **kwargs)
        _say_jax_rank()
        return made
    return run


@guarded
def _say_jax_rank() -> None:
    state = importlib.import_module('jax._src.distributed').global_state
    _say_rank(state.process_id, state.num_processes)


@guarded
def _say_ray_rank(get_context: Callable[[], Any]) -> None:
    """In a worker of Ray Train. Elsewhere there is no context, or one without a rank."""
    try:
        context = get_context()
        rank, world, local = context.get_world_rank(), context.get_world_size(), context.get_local_rank()
    except Exception:  # Ray's own error for a process that is no worker of Ray Train
        return
    if isinstance(rank, int) and isinstance(world, int) and 0 <= rank < world and world > 1:
        local = local if isinstance(local, int) else 0
        _recorder.describe_process({'rank': rank, 'world': world, 'local_rank': local, 'kind': 'rank'})
        _ray['said'] = True


def _ray_context(original: Any) -> Any:
    @functools.wraps(original)
    def run(*args: Any, **kwargs: Any) -> Any:
        made = original(*args, **kwargs)
        if 'said' not in _ray:
            _say_ray_rank(lambda: made)
        return made
    return run


def _ray_report(original: Any) -> Any:
    @functools.wraps(original)
    def run(*args: Any, **kwargs: Any) -> Any:
        if 'said' not in _ray:
            _say_ray_rank(sys.modules['ray.train'].get_context)
        return original(*args, **kwargs)
    return run


def _hooks(package: str) -> list[Hook]:
    if package == 'ray.train':
        return [Hook('ray.train', 'get_context', _ray_context, 'the rank', needed=False),
                Hook('ray.train', 'report', _ray_report, 'the rank', needed=False)]
    if package == 'jax':
        return [Hook('jax.distributed', 'initialize', _jax_group, 'the rank', needed=False)]
    hooks = [Hook('torch.utils.data.dataloader', '_BaseDataLoaderIter.__next__', _input, 'waits for batches', False)]
    hooks.append(Hook('torch.nn.parallel.distributed', 'DistributedDataParallel.forward', _data_parallel,
                      'reductions of gradients', needed=False))
    # The package hands on the functions of the second module: whoever calls either is seen.
    for module in ('torch.distributed.distributed_c10d', 'torch.distributed'):
        hooks += [Hook(module, name, _collective(name), name, needed=False) for name in _COLLECTIVES]
        hooks.append(Hook(module, 'init_process_group', _torch_group, 'the rank', needed=False))
    return hooks


@guarded
def install(package: str) -> None:
    """Hooks what a program that imports this package may use of it, once in a process."""
    if package in _installed:
        return
    _installed.add(package)
    place_hooks(_hooks(package), package, '')
