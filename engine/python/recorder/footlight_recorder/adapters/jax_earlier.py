"""JAX's functions from before the recorder: they are found in the process, and their traces by the calls that these serve."""
from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from footlight_recorder import _recorder
from footlight_recorder.adapters import earlier, guarded, jax_keys, jax_texts

if TYPE_CHECKING:
    from footlight_recorder.adapters import jax as jax_adapter


class EarlierFunctions:
    """Records calls of them. JAX is not asked for their traces: it might trace, and run code of the program."""

    def __init__(self, recorder: jax_adapter.Recorder) -> None:
        self._recorder = recorder

    def adopt(self) -> str:
        """Finds them; says what is missing of them, which is nothing if there are none."""
        recorder = self._recorder
        pairs: list[tuple[Any, Any]] = []
        for jitted in earlier.objects_of(lambda one: type(one).__name__ == 'PjitFunction'):
            fun, info = jax_keys.jitted_of(jitted)
            under = jax_keys.function_under(fun)
            code = jax_keys.code_of(under)
            if code is None or info is None or _recorder.is_library_file(code.co_filename):
                continue
            function = recorder.function_of(fun, info) or recorder.add_function(fun, info, under, code, None)
            function.adopted = True
            pairs.append((jitted, recorder.stand_in(jitted, function, info)))
            _recorder.adopt(function.number, self.served)
        return earlier.adopt('jax', pairs)

    @guarded
    def served(self, number: int, *args: Any, **kwargs: Any) -> None:
        """A call was served by a trace from before the recorder."""
        functions = [one for by_options in self._recorder.functions.values() for one in by_options.values()]
        function = next((one for one in functions if one.number == number), None)
        if function is None or self._recorder.is_traced(args, kwargs):
            return
        key = self._recorder.key_of(function, args, kwargs)
        known = next((one for one in function.traces if one.columns.get('call_key') == key), None)
        trace = known or self._add(function, key)
        _recorder.describe_call(trace=trace.columns['id'], outcome='hit', key=key)

    def _add(self, function: jax_adapter.Function, key: int) -> jax_adapter.Trace:
        """Adds a trace of which only the key is known."""
        now = time.time_ns()
        trace = self._recorder.new_trace(function, {
            'id': _recorder.new_id('trace'), 'function': function.number, 'number': len(function.traces) + 1, 'start_ns': now,
            'end_ns': now, 'reason': 'get_concrete_function', 'cached': len(function.traces),
            'trace_artifact': [jax_texts.absent(name, earlier.WHY_ABSENT)
                               for name in (jax_texts.JAXPR, jax_texts.STABLEHLO, jax_texts.HLO)]})
        trace.jaxpr, trace.served = lambda: None, True
        self._recorder.describe_key(function, trace.columns, key)
        function.traces.append(trace)
        _recorder.add('trace', trace.columns)
        return trace
