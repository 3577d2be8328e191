"""Tracing by the names that it has inside of TensorFlow: tracing_compilation, function_type_utils, attributes, captures."""
import collections
import dataclasses
import inspect
import typing

import footlight as tf
from footlight import _engine, _proto
from footlight._types import default_types as _default_types, type_dispatch as _type_dispatch

TraceType = tf.types.experimental.TraceType

# --- tensorflow.python.eager.polymorphic_function.attributes: what functions of a library may have ---
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


def parse_func_attrs(attributes, allowlist=None):
    """Attributes as messages; an error for those that functions do not have."""
    allowlist = MONOMORPHIC_FUNCTION_ALLOWLIST if allowlist is None else allowlist
    found = {}
    for key, value in attributes.items():
        if key not in allowlist:
            raise ValueError('Allowlist does not support `%s` as an attribute.' % key)
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
            raise ValueError('Attribute %s must be bool, int, float, string, or AttrValue. Got %s.' % (key, type(value)))
    return found


# --- tensorflow.python.eager.polymorphic_function.function_type_utils ---
def to_fullargspec(function_type, default_values):
    """The parameters as inspect.getfullargspec has them."""
    P, plain, only, var, rest, defaults, only_defaults = _type_dispatch.Parameter, [], [], None, None, [], {}
    for name, p in function_type.parameters.items():
        if p.kind in (P.POSITIONAL_ONLY, P.POSITIONAL_OR_KEYWORD):
            plain.append(name)
            if p.default is not P.empty:
                defaults.append(default_values[name])
        elif p.kind is P.KEYWORD_ONLY:
            only.append(name)
            if p.default is not P.empty:
                only_defaults[name] = default_values[name]
        elif p.kind is P.VAR_POSITIONAL:
            var = name
        else:
            rest = name
    return inspect.FullArgSpec(plain, var, rest, tuple(defaults) or None, only, only_defaults or None, {})


def to_input_signature(function_type):
    """The specs of positional parameters, or None where one has none."""
    P, found = _type_dispatch.Parameter, []
    for p in function_type.parameters.values():
        if p.type_constraint is None or p.kind not in (P.POSITIONAL_ONLY, P.POSITIONAL_OR_KEYWORD):
            return tuple(found) or None if p.type_constraint is not None else None
        found.append(p.type_constraint)
    return tuple(_plain(one) for one in found)


def _plain(kind):
    return kind.placeholder_value(_type_dispatch._AsSpecs(unnest_only=True)) if not isinstance(kind, tf.TypeSpec) else kind


class FunctionSpec:
    """The parameters of a function with their types and defaults, and how it is compiled."""

    def __init__(self, function_type, default_values, is_pure=False, jit_compile=None, name='fullargspec'):
        self._function_type, self._default_values = function_type, default_values
        self._is_pure, self._jit_compile, self._name = is_pure, jit_compile, name

    @classmethod
    def from_function_and_signature(cls, python_function, input_signature, is_pure=False, jit_compile=None):
        """That of a Python function with, if given, the specs of its arguments."""
        function_type, defaults = make_function_type(python_function, input_signature)
        while hasattr(python_function, 'func'):  # functools.partial
            python_function = python_function.func
        return cls(function_type, defaults, is_pure, jit_compile, getattr(python_function, '__name__', 'f'))

    function_type = property(lambda self: self._function_type)
    default_values = property(lambda self: self._default_values)
    is_pure = property(lambda self: self._is_pure)
    jit_compile = property(lambda self: self._jit_compile)
    fullargspec = property(lambda self: to_fullargspec(self._function_type, self._default_values))
    arg_names = property(lambda self: list(self.fullargspec.args))
    input_signature = property(lambda self: to_input_signature(self._function_type))

    @property
    def flat_input_signature(self):
        """The specs of the signature in a row, or None."""
        signature = self.input_signature
        return None if signature is None else tuple(tf.nest.flatten(signature, expand_composites=True))

    def signature_summary(self, default_values=False):
        """The parameters in words."""
        summary = '%s%r' % (self._name, self._function_type)
        for name, value in (self._default_values if default_values else {}).items():
            summary += '\n  %s: %r' % (name, value)
        return summary


def make_function_type(python_function, input_signature):
    """The parameters of a function, with the types of a signature, and their defaults."""
    kind = _type_dispatch.FunctionType.from_callable(python_function)
    defaults = _type_dispatch.FunctionType.get_default_values(python_function)
    if input_signature is not None:
        kind = _type_dispatch.add_type_constraints(kind, tuple(input_signature), defaults)
    return kind, defaults


def make_canonicalized_monomorphic_type(args, kwargs, capture_types, polymorphic_type):
    """The types of one call, and what its placeholders need to know of each other."""
    return _type_dispatch.canonicalize_to_monomorphic(args, {_type_dispatch.sanitize_arg_name(k): v for k, v in kwargs.items()},
                                                      {}, capture_types, polymorphic_type)


def bind_function_inputs(args, kwargs, function_type, default_values=None):
    """Arguments by the names of parameters, with defaults."""
    kwargs = {_type_dispatch.sanitize_arg_name(k): v for k, v in kwargs.items()}
    try:
        return function_type.bind_with_defaults(args, kwargs, default_values or {})
    except Exception as error:
        raise TypeError('Binding inputs to tf.function failed due to `%s`. Received args: %s and kwargs: %s for signature: '
                        '%s.' % (error, args, kwargs, function_type)) from error


def canonicalize_function_inputs(args, kwargs, function_type, default_values=None, is_pure=False):
    """Arguments by the names of parameters; of a pure function the values of variables."""
    default_values = default_values or {}
    bound = bind_function_inputs(args, kwargs, function_type, default_values)
    if is_pure:
        value = lambda v: tf.convert_to_tensor(v) if isinstance(v, tf.Variable) else v
        for name, given in bound.arguments.items():
            bound.arguments[name] = tf.nest.map_structure(value, given)
    return bound


def is_same_structure(structure1, structure2, check_values=False):
    """Whether two structures are alike, and hold the same if asked for."""
    try:
        tf.nest.assert_same_structure(structure1, structure2, expand_composites=True)
    except (TypeError, ValueError):
        return False
    if not check_values:
        return True
    flat = [tf.nest.flatten(one, expand_composites=True) for one in (structure1, structure2)]
    return all(type(a) is type(b) and (isinstance(a, tf.Tensor) or a == b) for a, b in zip(*flat))


def derive_from_graph(func_graph):
    """The types of the arguments, captures and results of a graph."""
    captures = {id(outer): tf.TensorSpec(inner.shape, inner.dtype) for outer, inner in func_graph.captures}
    return _type_dispatch.from_structured_signature(func_graph.structured_input_signature, func_graph.structured_outputs,
                                                    captures)


# --- tensorflow.python.eager.polymorphic_function.tracing_compilation ---
class ScopeType:
    """Whose scope a function is traced in."""
    NO_SCOPE, VARIABLE_CREATION, NO_VARIABLE_CREATION = 1, 2, 3


@dataclasses.dataclass
class TracingOptions:
    """How a function is traced, and where its traces are kept."""
    python_function: typing.Callable = lambda *args, **kwargs: None
    name: str = 'fn'
    polymorphic_type: typing.Optional[typing.Any] = None
    default_values: typing.Optional[typing.Dict[str, typing.Any]] = None
    scope_type: int = ScopeType.NO_SCOPE
    attributes: typing.Optional[typing.Dict[str, typing.Any]] = None
    autograph: bool = True
    autograph_options: typing.Optional[typing.Tuple[typing.Any, ...]] = None
    reduce_retracing: bool = False
    bind_graph_to_function: bool = False
    function_cache: typing.Optional[typing.Any] = None
    function_captures: typing.Optional[typing.Any] = None
    lock: typing.Optional[typing.Any] = None

    def __post_init__(self):
        for key in self.attributes or ():
            if key not in TRACING_COMPILATION_ALLOWLIST:
                raise ValueError('Tracing compilation does not support `%s` as an attribute.' % key)
        own = self.polymorphic_type is None
        if own:
            self.polymorphic_type = _type_dispatch.FunctionType.from_callable(self.python_function)
        if self.default_values is None:
            self.default_values = (_type_dispatch.FunctionType.get_default_values(self.python_function) if own else
                                   {})
        self._input_signature = to_input_signature(self.polymorphic_type)
        function = self.python_function

        def traced(*args, **kwargs):
            return function(*args, **kwargs)
        traced.__name__ = traced.__qualname__ = self.name
        traced.__signature__ = inspect.signature(function)
        self._function = tf.function(function if self.name == getattr(function, '__name__', None) else traced,
                                     input_signature=self._input_signature, autograph=self.autograph,
                                     reduce_retracing=self.reduce_retracing,
                                     experimental_autograph_options=self.autograph_options,
                                     experimental_attributes=dict(self.attributes) if self.attributes else None)

    is_pure = property(lambda self: bool(self.attributes) and IMPLEMENTS in self.attributes)
    input_signature = property(lambda self: self._input_signature)


def trace_function(args=None, kwargs=None, tracing_options=None):
    """The concrete function for these arguments, tensors or specs; for none, that of the input signature."""
    options = tracing_options or TracingOptions()
    if options._input_signature is not None and (args or kwargs):
        bind_function_inputs(args or (), kwargs or {}, options.polymorphic_type, options.default_values)
    concrete = options._function.get_concrete_function(*(args or ()), **(kwargs or {}))
    if options.function_cache is not None:
        known = [one.function_type for one in options.function_cache.values()]
        if concrete.function_type not in known:
            options.function_cache.add(concrete)
    return concrete


def call_function(args=None, kwargs=None, tracing_options=None):
    """What the function returns for these arguments."""
    options = tracing_options or TracingOptions()
    if options.function_cache is not None:
        trace_function(args, kwargs, options)
    return options._function(*(args or ()), **(kwargs or {}))


# --- tensorflow.core.function.capture.capture_container ---
class FunctionCaptures:
    """What a function captured: by value a tensor, by reference what a function gives at each call."""

    def __init__(self):
        self.control, self.cached_by_val_capture_tuples = [], []
        for which in ('by_val', 'by_ref'):
            for what in ('internal', 'external', 'tracetype'):
                setattr(self, '_%s_%s' % (which, what), collections.OrderedDict())

    def add_or_replace(self, key, external, internal, tracetype=None, is_by_ref=False):
        """Keeps one."""
        if tracetype is None:
            tracetype = _default_types.from_value(external)
        which = '_by_ref_' if is_by_ref else '_by_val_'
        for what, value in (('internal', internal), ('external', external), ('tracetype', tracetype)):
            getattr(self, which + what)[key] = value

    def pop(self, key, is_by_ref=False):
        """Forgets one; what it was: outside and inside."""
        which = '_by_ref_' if is_by_ref else '_by_val_'
        getattr(self, which + 'tracetype').pop(key, None)
        return getattr(self, which + 'external').pop(key, None), getattr(self, which + 'internal').pop(key, None)

    def reset_captures(self, tensors, placeholders):
        """Keeps these, by value, in place of all before."""
        for what in ('internal', 'external', 'tracetype'):
            getattr(self, '_by_val_' + what).clear()
        for external, internal in zip(tensors, placeholders):
            self.add_or_replace(id(external), external, internal)

    def merge_by_ref_with(self, other):
        """Keeps those by reference of another one too."""
        for key in other.by_ref_external:
            if key not in self._by_ref_external:
                self.add_or_replace(key, other.by_ref_external[key], other.by_ref_internal[key],
                                    other.by_ref_tracetype[key], True)

    def get_by_ref_snapshot(self):
        """The types of what those by reference give now."""
        return {key: _default_types.from_value(get()) if callable(get) else self._by_ref_tracetype[key]
                for key, get in self._by_ref_external.items()}

    @property
    def capture_types(self):
        """The types of all."""
        return {**self._by_val_tracetype, **self._by_ref_tracetype}

    @property
    def by_val_capture_tuples(self):
        """Pairs of outside and inside."""
        return tuple((self._by_val_external[key], self._by_val_internal[key]) for key in self._by_val_external)


for _which in ('by_val', 'by_ref'):
    for _what in ('internal', 'external', 'tracetype'):
        setattr(FunctionCaptures, '%s_%s' % (_which, _what),
                property(lambda self, member='_%s_%s' % (_which, _what): getattr(self, member)))
_home = 'python.eager.polymorphic_function.'
for _path, _names in {
        _home + 'attributes': ' '.join(_ATTRIBUTES) + ' POLYMORPHIC_FUNCTION_ALLOWLIST TRACING_COMPILATION_ALLOWLIST '
                              'MONOMORPHIC_FUNCTION_ALLOWLIST parse_func_attrs',
        _home + 'function_type_utils': 'FunctionSpec bind_function_inputs canonicalize_function_inputs derive_from_graph '
                                       'is_same_structure make_canonicalized_monomorphic_type make_function_type '
                                       'to_fullargspec to_input_signature',
        _home + 'tracing_compilation': 'ScopeType TracingOptions call_function trace_function',
        'core.function.capture.capture_container': 'FunctionCaptures'}.items():
    for _name in _names.split():
        setattr(_engine.namespace(_path), _name, globals()[_name])
