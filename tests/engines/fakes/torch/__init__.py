"""A fake of what the adapter for PyTorch hooks and reads. It compiles nothing: a traced function runs as it is."""
from types import SimpleNamespace

__version__ = '2.15.0'
float32, int64 = 'torch.float32', 'torch.int64'
_grad = [True]


class Tensor:
    def __init__(self, shape, dtype=float32, requires_grad=False, strides=None):
        self.shape, self.dtype, self.requires_grad, self.device = tuple(shape), dtype, requires_grad, 'cpu'
        self._strides = strides

    def stride(self):
        found, step = [], 1
        for size in reversed(self.shape):
            found.insert(0, step)
            step *= size
        return tuple(found) if self._strides is None else self._strides

    def is_contiguous(self):
        return self._strides is None

    def is_inference(self):
        return False

    def numel(self):
        return 1


class Module:
    def __call__(self, *args, **kwargs):
        return self.forward(*args, **kwargs)


class Parameter(Tensor):
    pass


class no_grad:
    def __enter__(self):
        _grad[0] = False

    def __exit__(self, *error):
        _grad[0] = True


nn = SimpleNamespace(Module=Module, Parameter=Parameter)
is_grad_enabled = lambda: _grad[0]
is_inference_mode_enabled = are_deterministic_algorithms_enabled = lambda: False
get_num_threads = lambda: 1
get_default_dtype = lambda: float32
is_autocast_enabled = lambda device: False


def compile(model=None, *, backend='inductor', dynamic=None, fullgraph=False):
    if model is None:
        return lambda made: compile(made, backend=backend, dynamic=dynamic, fullgraph=fullgraph)
    from torch import _dynamo
    return _dynamo.eval_frame.OptimizeContext(backend, dynamic, fullgraph)(model)
