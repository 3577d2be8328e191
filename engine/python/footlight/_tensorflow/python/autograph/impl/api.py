"""tensorflow.python.autograph: the modules inside of AutoGraph that libraries and tests import by their place.

The operators are those of `_ag`, which converted code in its readable form calls; most of this file says where they lie.
"""
from __future__ import annotations

import builtins
import contextlib
import enum
import functools
import inspect
import sys
import threading
import types

import footlight as tf
from footlight import _engine
from footlight._autograph import ag as _ag, loop_limits as _loop_limits
from footlight._tensorflow.python.autograph.impl import conversion as _conversion
from footlight._tensorflow.python.autograph.pyct import inspect_utils as _inspect
from footlight._tensorflow.python.util import tf_decorator as _tf_decorator
from footlight._tensorflow.python.autograph import utils as _utils  # noqa: F401  (it lies at its places)
from footlight._tensorflow.python.autograph.impl.conversion import TfMethodTarget, is_allowlisted
from footlight._autograph.staging import StagingError, note_metadata  # noqa: F401  (the class lies here)
from footlight._typing import Any, Callable, Iterator, ShapeLike

do_not_convert = tf.autograph.experimental.do_not_convert


# Which code is converted

class Status(enum.Enum):
    """Whether the code that runs is converted."""
    UNSPECIFIED = 0
    ENABLED = 1
    DISABLED = 2


_contexts = threading.local()


class ControlStatusCtx:
    """Says in its scope whether code is converted."""

    def __init__(self, status: Any, options: Any = None) -> None:
        self.status = status
        self.options = options

    def __repr__(self) -> str:
        return f'{type(self).__name__}[status={self.status}, options={self.options}]'

    def __enter__(self) -> Any:
        _entered().append(self)
        off = _engine.ag_switch_off(1 if self.status == Status.DISABLED else 0)
        self._before = [*getattr(self, '_before', ()), off]
        return self

    def __exit__(self, *error: Any) -> None:
        _engine.ag_switch_off(self._before.pop())
        _entered().remove(self)


class NullCtx:
    """A context that does nothing."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, *error: Any) -> None:
        return None


def _entered() -> list[Any]:
    if not hasattr(_contexts, 'entered'):
        _contexts.entered = []
    return _contexts.entered


def control_status_ctx() -> ControlStatusCtx:
    """The context that was entered last; without one, what holds for the code that runs."""
    entered = _entered()
    if entered:
        return entered[-1]
    status = Status(_engine.ag_status())
    if status == Status.UNSPECIFIED and tf.inside_function():
        status = Status.DISABLED
    return ControlStatusCtx(status)


# Conversion of functions

def is_autograph_artifact(entity: Callable[..., Any]) -> bool:
    """Whether it was made by a conversion, or by do_not_convert."""
    return hasattr(entity, 'autograph_info__') or type(entity) is type(do_not_convert(len)) or (
        _engine.ag_is_converted(entity))


def converted_call(f, args, kwargs, caller_fn_scope=None, options=None):
    """f(*args, **kwargs), with f converted; builtins in their version for tensors."""
    if options is None and caller_fn_scope is not None:
        options = caller_fn_scope.callopts
    named = kwargs or {}
    if inspect.isclass(f) and not _inspect.isconstructor(f):
        f = types.MethodType(type(f).__call__, f)
    if inspect.isbuiltin(f) or inspect.isclass(f):
        if f in _IN_CONTEXT:
            return _IN_CONTEXT[f](f, args, caller_fn_scope)
        overload = overload_of(f)
        return overload(*args, **named)
    if is_autograph_artifact(f):
        return f(*args, **named)
    if not (options is not None and options.user_requested) and is_allowlisted(f):
        return f(*args, **named)
    off = options is not None and not options.internal_convert_user_code
    if off or control_status_ctx().status == Status.DISABLED:
        return do_not_convert(f)(*args, **named)
    if options is not None and not options.recursive and (inspect.isfunction(f) or inspect.ismethod(f)):
        f = tf.autograph.to_graph(f, recursive=False)
    with _noted_errors():
        return _engine.ag_converted_call(f, tuple(args), named)


@contextlib.contextmanager
def _noted_errors() -> Iterator[Any]:
    try:
        yield
    except Exception as error:
        frames = _engine.autograph_frames(error)
        if frames:
            note_metadata(error, frames)
        raise


def convert(recursive: bool = False, optional_features: Any = None, user_requested: bool = True,
            conversion_ctx: Any = NullCtx()) -> Callable[..., Any]:
    """Decorates a function that is converted when it is called."""
    options = _ag.ConversionOptions(recursive=recursive, user_requested=user_requested)

    def decorate(f):
        def converted(*args, **kwargs):
            try:
                with conversion_ctx:
                    return converted_call(f, args, kwargs, options=options)
            except Exception as error:
                known = getattr(error, 'ag_error_metadata', None)
                if known is None or '__user_message__' in getattr(error, '__dict__', ()):
                    raise
                raise known.to_exception(error)
        return _ag.autograph_artifact(_tf_decorator.make_decorator(f, converted, 'convert'))
    return decorate


def call_with_unspecified_conversion_status(func):
    """The function, which runs as if nothing had been said about conversion."""
    @functools.wraps(func)
    def call(*args, **kwargs):
        with ControlStatusCtx(Status.UNSPECIFIED):
            return func(*args, **kwargs)
    return _ag.autograph_artifact(call)


def tf_convert(f: Callable[..., Any], ctx: Any, convert_by_default: bool = True,
               user_requested: bool = False) -> Callable[..., Any]:
    """The function in the form that a context asks for, inside of the decorators that say so."""
    if is_autograph_artifact(f):
        return f
    target = _tf_decorator.unwrap(f)[1]
    if ctx.status == Status.DISABLED:
        made = _without(target)
    elif ctx.status == Status.ENABLED or convert_by_default:
        made = convert(recursive=True, user_requested=user_requested, conversion_ctx=ctx)(target)
    else:
        made = call_with_unspecified_conversion_status(target)
    return _tf_decorator.rewrap(f, target, made)


def _without(f):
    plain = do_not_convert(f)

    @functools.wraps(f)
    def call(*args, **kwargs):
        with ControlStatusCtx(Status.DISABLED):
            return plain(*args, **kwargs)
    return _ag.autograph_artifact(call)


def to_graph(entity, recursive=True, experimental_optional_features=None):
    """A function converted. It has the lines of the function and lies where that does, as it says under TensorFlow's names."""
    made = tf.autograph.to_graph(entity, recursive, experimental_optional_features)
    code = getattr(made, '__code__', None)
    if not inspect.isfunction(made) or made is entity:
        return made

    @functools.wraps(made)
    def call(*args, **kwargs):
        with _noted_errors():
            if control_status_ctx().status != Status.DISABLED:
                return made(*args, **kwargs)
            with ControlStatusCtx(Status.ENABLED):
                return made(*args, **kwargs)
    lines = [(code.co_filename, line) for _, _, line in code.co_lines() if line]
    call.ag_source_map, call.ag_module = dict(zip(lines, lines)), inspect.getmodule(made)
    call.__name__ = 'tf__' + made.__name__
    return _ag.autograph_artifact(call)


class ProgramContext:
    """How the functions of a program are converted."""

    def __init__(self, options: Any, autograph_module: Any = None) -> None:
        self.options = options
        self.autograph_module = autograph_module


class PyToTF:
    """Converts functions."""

    def get_transformed_name(self, node):
        return 'tf__' + node.name

    def get_extra_locals(self) -> dict[Any, Any]:
        return {'ag__': _ag}

    def get_caching_key(self, ctx):
        return ctx.options

    def transform(self, obj, user_context):
        """A function converted, the module that it is in and the map of its lines."""
        return self.transform_function(obj, user_context)

    def transform_function(self, fn: Callable[..., Any], user_context: Any) -> tuple[Any, ...]:
        made = to_graph(fn, recursive=user_context.options.recursive)
        return made, getattr(made, 'ag_module', None), getattr(made, 'ag_source_map', {})


_TRANSPILER = PyToTF()


def to_graph_v1(entity: Any, recursive: bool = True, arg_values: Any = None, arg_types: Any = None,
                experimental_optional_features: Any = None) -> Any:
    """The same as to_graph."""
    return to_graph(entity, recursive, experimental_optional_features)


def to_code_v1(entity: Any, recursive: bool = True, arg_values: Any = None, arg_types: Any = None,
               indentation: str = '  ', experimental_optional_features: Any = None) -> Any:
    """The same as to_code."""
    return tf.autograph.to_code(entity, recursive, experimental_optional_features)


# Builtins

_OVERLOADS = {getattr(builtins, name): getattr(_ag, name + '_') for name in (
    'abs', 'all', 'any', 'enumerate', 'filter', 'float', 'int', 'len', 'map', 'print', 'range', 'sorted', 'zip')}


def overload_of(f):
    """The version of a builtin for tensors; other functions themselves."""
    try:
        return _OVERLOADS.get(f, f)
    except TypeError:
        return f


def _frame_of(scope, innermost=True):
    """The frame of the user's function in whose converted form a scope was entered."""
    frame, found = sys._getframe(1), None
    while frame is not None:
        if frame.f_locals.get(scope.name) is scope:
            found = frame
            if innermost:
                break
        frame = frame.f_back
    assert found is not None, f'no frame has the scope {scope.name!r}'
    return found


def locals_in_original_context(caller_fn_scope):
    """locals(), where the user called it."""
    return _frame_of(caller_fn_scope).f_locals


def globals_in_original_context(caller_fn_scope):
    """globals(), where the user called it."""
    return _frame_of(caller_fn_scope).f_globals


def eval_in_original_context(f, args, caller_fn_scope):
    """eval(...), where the user called it."""
    frame = _frame_of(caller_fn_scope)
    given = (*args[1:], *(frame.f_globals, frame.f_locals)[len(args) - 1:])
    return f(args[0], *given)


def super_in_original_context(f, args, caller_fn_scope):
    """super(...), where the user called it."""
    if args:
        return f(*args)
    frame = _frame_of(caller_fn_scope, innermost=False)
    own = frame.f_locals[frame.f_code.co_varnames[0]]
    return f(frame.f_locals['__class__'], own)


_IN_CONTEXT = {
    eval: eval_in_original_context, super: super_in_original_context,
    locals: lambda f, args, scope: locals_in_original_context(scope),
    globals: lambda f, args, scope: globals_in_original_context(scope)}


# Lists that are tensors

def _elements(elements: Any, dtype: Any, shape: Any, alike: Any) -> tuple[Any, ...]:
    """The elements as tensors, with the dtype and the shape of one."""
    elements = [tf.convert_to_tensor(e) for e in elements]
    dtypes, shapes = {e.dtype for e in elements}, {tuple(e.shape.as_list()) for e in elements}
    if len(dtypes) > 1 or dtypes and dtype is not None and dtypes != {tf.as_dtype(dtype)}:
        raise ValueError('the elements of a list must have one '
                         f"dtype{'' if dtype is None else ', ' + tf.as_dtype(dtype).name}, not "
                         f"{', '.join(sorted(d.name for d in dtypes))}")
    if alike and len(shapes) > 1:
        raise ValueError(f'the elements of a list must have one shape, not {sorted(shapes)}')
    if shape is not None and any(not e.shape.is_compatible_with(shape) for e in elements):
        raise ValueError(f'the elements of a list must have the shape {shape}, not {sorted(shapes)}')
    if shape is None and len(shapes) == 1:
        shape = shapes.pop()
    return elements, dtype or (dtypes.pop() if dtypes else None), shape


def tf_tensor_list_new(elements, element_dtype=None, element_shape=None):
    """A tensor list with these elements, which may be a tensor of them."""
    if tf.is_tensor(elements):
        if element_shape is not None:
            raise ValueError('element_shape is that of the tensor: none can be given with one')
        return tf.raw_ops.TensorListFromTensor(tensor=elements, element_shape=tf.shape(elements)[1:])
    elements, dtype, shape = _elements(elements, element_dtype, element_shape, False)
    made = tf.raw_ops.EmptyTensorList(element_shape=-1 if shape is None else tf.constant(shape, tf.int32),
                                      max_num_elements=-1, element_dtype=dtype or tf.variant)
    for element in elements:
        made = tf.raw_ops.TensorListPushBack(input_handle=made, tensor=element)
    return made


def tf_tensor_array_new(elements: Any, element_dtype: Any = None, element_shape: ShapeLike | None = None) -> Any:
    """A TensorArray with these elements."""
    elements, dtype, shape = _elements(elements, element_dtype, element_shape, True)
    if dtype is None:
        raise ValueError('element_dtype is needed for an array without elements')
    made = tf.TensorArray(dtype, size=len(elements), dynamic_size=True, infer_shape=True,
                          element_shape=tf.TensorShape(shape))
    for i, element in enumerate(elements):
        made = made.write(i, element)
    return made


def new_list(iterable=None):
    """A list of these elements; without any, a tensor list."""
    elements = [] if iterable is None else list(iterable)
    return elements or tf_tensor_list_new([])


def tensor_list(elements: Any, element_dtype: Any = None, element_shape: ShapeLike | None = None,
                use_tensor_array: bool = False) -> Any:
    """A tensor list or a TensorArray of these elements."""
    if not tf.is_tensor(elements):
        if not isinstance(elements, (list, tuple)):
            raise ValueError(f'tensor_list: elements of unknown type {type(elements).__name__}; a tensor, list or '
                             'tuple is wanted')
        if not elements and (element_dtype is None or element_shape is None):
            raise ValueError('element_dtype and element_shape are required for a list without elements')
    make = tf_tensor_array_new if use_tensor_array else tf_tensor_list_new
    return make(elements, element_dtype, element_shape)


def stack(list_or_tensor: Any, element_dtype: Any = None, strict: bool = True) -> Any:
    """The elements of a list as a tensor; without `strict`, what is no list is returned as it is."""
    def plain(x):
        if strict:
            raise ValueError(f'{x!s} must be stackable when strict=True')
        return x
    return _ag.list_stack(list_or_tensor, _ag.ListStackOpts(element_dtype, plain))


def match_staging_level(value, like_value):
    """The value, as a tensor if the other one is one."""
    return tf.constant(value) if tf.is_tensor(like_value) else value


def _place(path: Any, names: str, source: Any = None) -> Any:
    module = _engine.namespace('python.autograph' + (path and '.' + path))
    for name in names.split():
        setattr(module, name, getattr(source, name) if source else globals()[name])
    return module


for _name, _names in {
        'conditional_expressions': 'if_exp', 'control_flow': 'for_stmt if_stmt while_stmt',
        'data_structures': 'ListPopOpts ListStackOpts list_append list_pop list_stack', 'exceptions': 'assert_stmt',
        'logical': 'and_ eq not_ not_eq or_', 'slices': 'GetItemOpts get_item set_item',
        'variables': 'Undefined UndefinedReturnValue ld ldu',
        'py_builtins': 'abs_ all_ any_ enumerate_ filter_ float_ int_ len_ map_ max_ min_ next_ print_ range_ sorted_ zip_',
}.items():
    _place('operators.' + _name, _names, _ag)
    _place('operators', _names, _ag)
_limits = _engine.namespace('python.autograph.operators.control_flow')
for _name, _most in _ag.LIMITS.items():
    setattr(_limits, _name, _most)
_limits.for_loop_registry = _ag.REGISTRIES['for_loop']
_place('operators.data_structures', 'new_list tf_tensor_array_new tf_tensor_list_new')
_place('operators.py_builtins', 'eval_in_original_context globals_in_original_context locals_in_original_context '
       'overload_of super_in_original_context')
_builtins = _place('operators.py_builtins', '')
for _name, _registry in _ag.REGISTRIES.items():
    if _name != 'for_loop':
        setattr(_builtins, _name + '_registry', _registry)
_place('utils.type_registry', 'TypeRegistry', _ag)
_builtins.SUPPORTED_BUILTINS = (abs, float, int, len, print, range, enumerate, zip, map, filter, any, all, sorted)
_builtins.BUILTIN_FUNCTIONS_MAP = {one.__name__: getattr(_ag, one.__name__ + '_')
                                   for one in (*_builtins.SUPPORTED_BUILTINS, next)}
_place('core.ag_ctx', 'ControlStatusCtx NullCtx Status control_status_ctx')
_place('core.ag_ctx', '').INSPECT_SOURCE_SUPPORTED = True
_place('core.config_lib', 'Action Convert DoNotConvert Rule', _conversion)
_place('core.config', 'Action Convert DoNotConvert', _conversion)
_converter = _place('core.converter', 'ConversionOptions Feature', _ag)
_converter.ProgramContext = ProgramContext
_converter.STANDARD_OPTIONS = _ag.STD
_place('core.converter_testing', '')
_place('core.function_wrappers', 'FunctionScope with_function_scope', _ag)
_api = _place('impl.api', 'ProgramContext PyToTF StagingError '
              'call_with_unspecified_conversion_status convert converted_call do_not_convert is_autograph_artifact '
              'tf_convert')
_place('impl.api', 'AutoGraphError ConversionError autograph_artifact', _ag)
_place('impl.api', '_TRANSPILER to_code_v1 to_graph to_graph_v1')
_place('impl.api', 'is_autograph_strict_conversion_mode', _loop_limits)
_place('impl.api', 'to_code', tf.autograph)
_place('pyct.errors', 'PyCTError UnsupportedLanguageElementError', _ag)
_place('impl.conversion', 'cache_allowlisted is_allowlisted is_in_allowlist_cache is_unsupported', _conversion)
_place('lang.directives', 'set_loop_options', tf.autograph.experimental)
_place('lang.directives', 'set_element_type', _ag).UNSPECIFIED = object()
_place('lang.special_functions', 'match_staging_level stack tensor_list')
_place('', 'convert converted_call do_not_convert stack tensor_list')
_place('', 'to_code to_graph', tf.autograph)
_place('', 'AutoGraphError ConversionOptions Feature set_element_type', _ag)
_place('', 'set_loop_options', tf.autograph.experimental)
for _name in ('asserts break_statements call_trees conditional_expressions continue_statements control_flow directives '
              'functions list_comprehensions lists logical_expressions return_statements slices variables').split():
    _place('converters.' + _name, '')
_engine.namespace('python.autograph.impl.testing.pybind_for_testing').TestClassDef = type(
    'TestClassDef', (), {'method': object.__sizeof__, '__doc__': 'For tests: a class with a method in native code.'})
for _name in ('eager.function', 'eager.polymorphic_function.tf_method_target'):
    _engine.namespace('python.' + _name).TfMethodTarget = TfMethodTarget
from footlight._tensorflow.python.autograph.pyct import public_names as _pyct  # noqa: E402, F401
