"""tensorflow.python.eager.polymorphic_function.attributes: the attributes that functions may have."""
from __future__ import annotations

from footlight._tensorflow.publish import publish
from footlight import _proto
from footlight._typing import Any


API_IMPLEMENTS, API_PREFERRED_DEVICE = 'api_implements', 'api_preferred_device'
BACKWARD_FUNCTION, FORWARD_FUNCTION = 'backward_function_name', 'forward_function_name'
DISABLE_ACD, DISABLE_CALL_SHAPE_INFERENCE = '_disable_acd', '_disable_call_shape_inference'
DISABLE_SUMMARIES_AT_RUNTIME, EAGER_RUNTIME_CONSTRUCTION_CONTEXT = 'disable_summaries_at_runtime', '_construction_context'
IMPLEMENTS, INPUTS_ON_TPU_DEVICE, MAX_ACCESS = '_implements', '_inputs_on_tpu_device', '_max_access'
NO_INLINE, ORIGINAL_FUNCTION_NAME, OUTPUTS_ON_TPU_DEVICE = '_noinline', '_original_func_name', '_outputs_on_tpu_device'
QUANTIZED_COMPOSITE_FUNCTION, RUN_EAGER_OP_ON_DEVICE = 'tf_quant.composite_function', 'run_eager_op_on_device'
SHARED_RENDEZVOUS, TF_DATA_FUNCTION, TFTRT = '_shared_rendezvous', '_tf_data_function', '_tftrt_convert_function'
XLA_COMPILE, XLA_COMPILE_OPTIONAL, XLA_SCOPE = '_XlaMustCompile', 'jit_compile', '_XlaScope'
_ATTRIBUTES = [name for name in dict(globals()) if name.isupper()]
POLYMORPHIC_FUNCTION_ALLOWLIST = frozenset({
    API_IMPLEMENTS, API_PREFERRED_DEVICE, DISABLE_ACD, DISABLE_SUMMARIES_AT_RUNTIME, IMPLEMENTS, NO_INLINE,
    RUN_EAGER_OP_ON_DEVICE, SHARED_RENDEZVOUS, TF_DATA_FUNCTION, TFTRT, XLA_COMPILE, XLA_COMPILE_OPTIONAL, XLA_SCOPE,
    QUANTIZED_COMPOSITE_FUNCTION, ORIGINAL_FUNCTION_NAME, BACKWARD_FUNCTION, FORWARD_FUNCTION,
    DISABLE_CALL_SHAPE_INFERENCE, INPUTS_ON_TPU_DEVICE, OUTPUTS_ON_TPU_DEVICE, MAX_ACCESS})
TRACING_COMPILATION_ALLOWLIST = MONOMORPHIC_FUNCTION_ALLOWLIST = POLYMORPHIC_FUNCTION_ALLOWLIST


def parse_func_attrs(attributes: Any, allowlist: Any = None) -> dict[Any, Any]:
    """Attributes as messages; an error for those that functions do not have."""
    allowlist = MONOMORPHIC_FUNCTION_ALLOWLIST if allowlist is None else allowlist
    found = {}
    for key, value in attributes.items():
        if key not in allowlist:
            raise ValueError(f'Allowlist does not support `{key}` as an attribute.')
        if isinstance(value, (_proto.AttrValue, _proto.AttrValue.ListValue)):
            found[key] = value
        elif isinstance(value, bool):
            found[key] = _proto.AttrValue(b=value)
        elif isinstance(value, int):
            found[key] = _proto.AttrValue(i=value)
        elif isinstance(value, float):
            found[key] = _proto.AttrValue(f=value)
        elif isinstance(value, (str, bytes)):
            found[key] = _proto.AttrValue(s=value.encode() if isinstance(value, str) else value)
        else:
            raise ValueError(f'Attribute {key} must be bool, int, float, string, or AttrValue. Got {type(value)}.')
    return found
publish(globals(), ' '.join(_ATTRIBUTES) + ' POLYMORPHIC_FUNCTION_ALLOWLIST TRACING_COMPILATION_ALLOWLIST '
        'MONOMORPHIC_FUNCTION_ALLOWLIST parse_func_attrs')
