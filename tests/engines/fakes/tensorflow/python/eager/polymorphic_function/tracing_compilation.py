"""Looks a trace up by the types of the arguments, or makes one."""
import collections
import itertools

from tensorflow.python.eager.polymorphic_function import concrete_function, trace_types
from tensorflow.python.framework import func_graph as func_graph_module
from tensorflow.python.autograph.impl import api

Options = collections.namedtuple('Options', 'python_function name function_cache reduce_retracing scope_type signature')
_numbers = itertools.count()


def call_function(args, kwargs, options):
    return trace_function(args, kwargs, options)._call_flat(args)


def trace_function(args, kwargs, options):
    bound_args = options.signature.bind(*args, **kwargs)
    bound_args.apply_defaults()
    kinds = {name: trace_types.from_value(value) for name, value in bound_args.arguments.items()}
    function_type = trace_types.FunctionType(kinds)
    found = options.function_cache.lookup(function_type, None)
    if found is not None:
        return found
    graph = func_graph_module.FuncGraph(options.name)
    if options.reduce_retracing:
        function_type = options.function_cache.generalize(function_type)
    made = _create_concrete_function(function_type, (args, kwargs), graph, options)
    made.function_type = function_type
    options.function_cache.add(made, None)
    return made


def _create_concrete_function(function_type, arguments, func_graph, options):
    body = api.converted(options.python_function)
    func_graph_module.func_graph_from_py_func(options.name, body, *arguments, func_graph)
    code = getattr(options.python_function, '__func__', options.python_function).__code__
    name = f'__inference_{options.name}_{next(_numbers)}'.encode()
    return concrete_function.ConcreteFunction.from_func_graph(name, func_graph, code, body)
