"""torch.compile as TorchDynamo does it: a cache for each code object, whose entries have guards."""
from types import SimpleNamespace

import torch
from torch._dynamo import convert_frame

_caches = {}  # by code
seconds_of_guards = [0.0]


def skip_code(code):
    pass


def _debug_get_cache_entry_list(code):
    return list(reversed(_caches[code][0])) if code in _caches else []


def serves(demanded, local):
    torch.work(seconds_of_guards[0])
    if demanded['grad'] != torch.is_grad_enabled():
        return False
    for source, value in convert_frame.sources_of(local):
        if not isinstance(value, torch.Tensor):
            if source in demanded and demanded[source] != value:
                return False
            continue
        dtype, sizes, gradient, strides = demanded[source]
        own = value.stride() if not value.is_contiguous() else None
        if (dtype, gradient, strides) != (value.dtype, value.requires_grad, own) or len(sizes) != len(value.shape) or \
                any(a is not None and a != b for a, b in zip(sizes, value.shape)):
            return False
    return True


class OptimizedModule(torch.Module):
    def __init__(self, module, context):
        self._orig_mod = module
        self.forward = context(module.__call__)


class _TorchDynamoContext:
    def __init__(self, callback, dynamic, fullgraph):
        self.callback, self._dynamic, self.fullgraph = (lambda *args: None), dynamic, fullgraph
        self.callback.compiler_name = callback

    def __call__(self, fn):
        if isinstance(fn, torch.Module):
            return OptimizedModule(fn, self)
        module = getattr(fn, '__self__', None)
        inner = type(module).forward if isinstance(module, torch.Module) else fn
        code = inner.__code__

        def compile_wrapper(*args, **kwargs):
            if torch.compiler.stance[-1] == 'force_eager':
                return fn(*args, **kwargs)
            given = args if module is None else (module, *args)
            local = {**dict(zip(code.co_varnames, given)), **kwargs}
            entries, seen = _caches.setdefault(code, ([], {}))
            seen.update(frame=seen.get('frame', len(_caches) - 1), run=inner)
            entry = next((one for one in entries if serves(one.demanded, local)), None)
            if entry is None and not seen.get('full'):
                try:
                    if convert_frame.OLD:
                        frame = SimpleNamespace(f_code=code, f_globals=inner.__globals__, f_locals=local)
                        entry = convert_frame._convert_frame_assert(frame, entries, seen, self._dynamic)
                    else:
                        entry = convert_frame._compile(code, inner.__globals__, local, {}, None, entries, seen, self._dynamic)
                    entries.append(entry)
                except convert_frame.Unsupported:
                    seen['full'] = True
            return entry.run(*given, **kwargs) if entry is not None else fn(*args, **kwargs)
        compile_wrapper.__name__ = compile_wrapper.__qualname__ = code.co_name
        compile_wrapper._torchdynamo_orig_callable = fn
        compile_wrapper._torchdynamo_wrapper_id = id(compile_wrapper)
        return compile_wrapper


class OptimizeContext(_TorchDynamoContext):
    pass
