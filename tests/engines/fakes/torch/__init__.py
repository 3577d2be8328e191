"""A fake of what the adapter for PyTorch hooks and reads. It compiles nothing: a traced function runs as it is."""
import time
from types import SimpleNamespace

from torch import compiler, overrides
from torch.utils import _python_dispatch

__version__ = '2.15.0'
float32, int64 = 'torch.float32', 'torch.int64'
_grad = [True]


class Device(str):
    type = 'cpu'

    def __new__(cls):
        return str.__new__(cls, 'cpu')


class Tensor:
    def __init__(self, shape, dtype=float32, requires_grad=False, strides=None):
        self.shape, self.dtype, self.requires_grad = tuple(shape), dtype, requires_grad
        self.device = Device()
        self._strides = strides
        self.elements, self.grad, self.is_leaf = [0.0], None, True  # one element is enough to see it change

    def detach(self):
        made = Tensor(self.shape, self.dtype)
        made.elements = self.elements
        return made

    def clone(self):
        made = Tensor(self.shape, self.dtype)
        made.elements = list(self.elements)
        return made

    def copy_(self, other):
        self.elements[:] = other.elements

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


def work(seconds):
    """Keeps the processor busy for this time."""
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


def _function(name, seconds_of_dispatch, seconds_of_kernel):
    """A function of PyTorch whose op takes these times in the dispatcher and in its kernel."""
    def kernel(x):
        work(seconds_of_kernel)
        return x
    kernel.overloadpacket = SimpleNamespace(__name__=name)

    def function(x):
        work(seconds_of_dispatch)
        return _python_dispatch.run(kernel, x)
    function.__name__ = name
    return lambda x: overrides.call(function, x)


relu, exp = _function('relu', 0.001, 0.004), _function('exp', 0.0, 0.002)


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
