"""Runs ops and functions. An op only takes time, in the dispatcher and in its kernel; a function is called."""
import time

from tensorflow.python.profiler.internal import _pywrap_profiler


def work(seconds):
    """Keeps the processor busy for this time."""
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


def TFE_Py_FastPathExecute(context, op_name, name, seconds_of_dispatch=0.0, seconds_of_kernel=0.0, *inputs):
    work(seconds_of_dispatch)
    with _pywrap_profiler.event(f'EagerLocalExecute: {op_name}'), _pywrap_profiler.event('EagerKernelExecute'):
        work(seconds_of_kernel)
    return RESULTS[op_name]() if op_name in RESULTS else None


RESULTS = {}  # what makes the result of an op, by its name


def TFE_Py_Execute(handle, device, op_name, inputs, attributes, num_outputs):
    return inputs()
