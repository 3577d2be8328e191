"""tf.function, with a function of its own for each object of a method."""
import inspect
import types
import weakref

from tensorflow.core.function.polymorphism import function_cache
from tensorflow.python.eager.polymorphic_function import tracing_compilation


_run_eagerly = [False]


def run_functions_eagerly(eagerly):
    _run_eagerly[0] = eagerly


class Target:
    def __init__(self, instance):
        self.weakrefself_target__ = weakref.ref(instance)


class Function:
    def __init__(self, python_function, name, reduce_retracing=False, jit_compile=None, experimental_attributes=None):
        self._python_function, self._name, self._jit_compile = python_function, name, jit_compile
        self._reduce_retracing, self._attributes, self.input_signature = reduce_retracing, experimental_attributes, None
        self._function_cache, self._methods = function_cache.FunctionCache(), {}
        self.eagerly = False

    @property
    def python_function(self):
        return self._python_function

    @property
    def _run_functions_eagerly(self):
        return _run_eagerly[0]

    def _options(self):
        function = self._python_function
        body, signature = function, inspect.signature(function)
        if isinstance(function, types.MethodType):
            body = function.__func__.__get__(function.__self__.weakrefself_target__())
        return tracing_compilation.Options(body, self._name, self._function_cache, self._reduce_retracing,
                                           'ScopeType.NO_VARIABLE_CREATION', signature)

    def __call__(self, *args, **kwargs):
        if self.eagerly or self._run_functions_eagerly:
            return self._python_function(*args, **kwargs)
        return tracing_compilation.call_function(args, kwargs, self._options())

    def get_concrete_function(self, *args, **kwargs):
        return tracing_compilation.trace_function(args, kwargs, self._options())

    def __get__(self, instance, owner):
        if instance is None:
            return self
        if id(instance) not in self._methods:
            bound = types.MethodType(self._python_function, Target(instance))
            self._methods[id(instance)] = Function(bound, self._name, self._reduce_retracing)
        return self._methods[id(instance)]


def function(func=None, reduce_retracing=False, jit_compile=None):
    if func is None:
        return lambda inner: function(inner, reduce_retracing, jit_compile)
    return Function(func, func.__name__, reduce_retracing, jit_compile)
