"""TensorFlow's functions from before the recorder, with the traces that their caches hold."""
from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from footlight_recorder import _recorder
from footlight_recorder.adapters import earlier, guarded

if TYPE_CHECKING:
    from footlight_recorder.adapters import tensorflow as tensorflow_adapter


class EarlierFunctions:
    """Records them: TensorFlow's hooks are on classes, so that calls of them are seen once they have numbers."""

    def __init__(self, recorder: tensorflow_adapter.Recorder) -> None:
        self._recorder = recorder

    def adopt(self) -> str:
        """Finds them; says what is missing of them, which is nothing if there are none."""
        from tensorflow.python.eager.polymorphic_function import polymorphic_function
        recorder, families = self._recorder, set()
        for function in earlier.objects_of(lambda one: type(one) is polymorphic_function.Function):
            if id(function._function_cache) not in recorder.instances:
                recorder.adopting = True
                try:
                    recorder.made(None, None, None, function, function.python_function)
                finally:
                    recorder.adopting = False
            instance = recorder.instances.get(id(function._function_cache))
            if instance is None:
                continue
            unknown = [entry for entry in _entries(function._function_cache) if id(entry[1]) not in recorder.served]
            for (context, function_type), concrete in unknown:
                self._add(instance, context, function_type, concrete)
            if unknown and instance.family.kind != 'internal':
                families.add(instance.family.number)
        if not families:
            return ''
        count = len(families)
        return (f'times and lines of traces from before the recorder not recorded: tensorflow had traced {count} '
                f'function{"s" * (count != 1)} before; begin the recording before their first calls to have all')

    @guarded
    def _add(self, instance: tensorflow_adapter.Instance, context: Any, function_type: Any, concrete: Any) -> None:
        """Adds a trace from before."""
        trace = self._recorder.new_trace(instance)
        instance.family.traces += 1
        now = time.time_ns()
        trace.columns.update({
            'id': trace.number, 'function': instance.family.number, 'number': instance.family.traces, 'start_ns': now,
            'end_ns': now, 'cached': instance.family.traces - 1, 'key_leaf': [], 'trace_phase': [],
            'reason': 'get_concrete_function'})
        trace.asked = 0, function_type, context, {}
        self._recorder.describe(trace, function_type, False)
        self._recorder.describe_graph(trace, concrete, concrete.graph, lambda *_: None)
        self._recorder.serves(trace, concrete)
        _recorder.add('trace', trace.columns)
        trace.asked = None


def _entries(cache: Any) -> list[tuple[tuple[Any, Any], Any]]:
    """What a FunctionCache holds: ((context, type), concrete function)."""
    return list(getattr(cache, '_primary', {}).items())
