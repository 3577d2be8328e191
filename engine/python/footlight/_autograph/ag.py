"""`ag__`: the operators that the code of tf.autograph.to_code calls, as tf.autograph.operators."""
from __future__ import annotations

import collections
import enum
import sys

import footlight as tf
from footlight import _engine
from footlight._autograph.loop_limits import LIMITS, PythonLoop, decided_by_python  # noqa: F401  (LIMITS are public)
from footlight._autograph.type_registry import REGISTRIES, TypeRegistry
from footlight._public import alias, publish
from footlight._typing import Any, Callable, DTypeLike, ShapeLike


class PyCTError(Exception):
    """Base class of the errors that a conversion of source code raises."""


class UnsupportedLanguageElementError(PyCTError, NotImplementedError):
    """Code that cannot be converted."""


class AutoGraphError(PyCTError):
    """Base class of the errors that AutoGraph raises."""


class ConversionError(AutoGraphError, ValueError):
    """A function cannot be converted."""


class Feature(enum.Enum):
    """Optional conversions. Footlight does all of them that a program can see; the names are TensorFlow's."""
    ALL = 'ALL'
    AUTO_CONTROL_DEPS = 'AUTO_CONTROL_DEPS'
    ASSERT_STATEMENTS = 'ASSERT_STATEMENTS'
    BUILTIN_FUNCTIONS = 'BUILTIN_FUNCTIONS'
    EQUALITY_OPERATORS = 'EQUALITY_OPERATORS'
    LISTS = 'LISTS'
    NAME_SCOPES = 'NAME_SCOPES'

    @classmethod
    def all(cls) -> Any:
        """A tuple of all features."""
        return tuple(cls)

    @classmethod
    def all_but(cls, exclude):
        """A tuple of all features but one, or but those of a sequence."""
        if not isinstance(exclude, (list, tuple, set)):
            exclude = (exclude,)
        return tuple(set(cls) - set(exclude) - {cls.ALL})


class ConversionOptions:
    """How a function was converted."""

    def __init__(self, recursive: Any = False, user_requested: Any = False, internal_convert_user_code: Any = True,
                 optional_features: Any = Feature.ALL) -> None:
        self.recursive = recursive
        self.user_requested = user_requested
        self.internal_convert_user_code = internal_convert_user_code
        if optional_features is None:
            optional_features = ()
        elif isinstance(optional_features, Feature):
            optional_features = (optional_features,)
        self.optional_features = frozenset(optional_features)

    def as_tuple(self) -> tuple[Any, ...]:
        return self.recursive, self.user_requested, self.internal_convert_user_code, self.optional_features

    def __eq__(self, other):
        return isinstance(other, ConversionOptions) and self.as_tuple() == other.as_tuple()

    def __hash__(self) -> int:
        return hash(self.as_tuple())

    def __str__(self) -> str:
        return f'ConversionOptions[{self.as_tuple()}]'

    def to_ast(self) -> Any:
        """Returns the syntax tree of the expression that creates these options in converted code."""
        from footlight._autograph import features as _autograph_features
        return _autograph_features.options_expression(self)

    def uses(self, feature):
        return Feature.ALL in self.optional_features or feature in self.optional_features

    def call_options(self) -> Any:
        """Returns the options for functions that a converted function calls."""
        return ConversionOptions(self.recursive, False, self.recursive, self.optional_features)


STD = ConversionOptions(recursive=True, optional_features=None)


# Variables

class Undefined:
    """Stands for a variable without a value."""
    __slots__ = ('symbol_name',)

    def __init__(self, symbol_name: Any) -> None:
        self.symbol_name = symbol_name

    def read(self) -> Any:
        raise UnboundLocalError(f'{self.symbol_name!r} is used before assignment')

    def __repr__(self) -> str:
        return self.symbol_name

    def __getattr__(self, name):
        return self

    def __getitem__(self, key):
        return self


class UndefinedReturnValue:
    """Stands for the result of a function that has not returned."""


def ld(v):
    """The value of a variable."""
    return v.read() if isinstance(v, Undefined) else v


def ldu(load_v, name):
    """The value of a variable, attribute or item that may not exist."""
    try:
        return load_v()
    except (KeyError, AttributeError, NameError):
        return Undefined(name)


# Functions and calls

class FunctionScope:
    """Surrounds the body of a converted function."""

    def __init__(self, function_name: Any, scope_name: Any, options: Any) -> None:
        self.name = scope_name
        self.options = options
        self.callopts = options.call_options()
        self._made_before = None
        wanted = options.uses(Feature.NAME_SCOPES)
        self.name_scope = tf.name_scope(('fn' if function_name.startswith('_') else '') + function_name) if wanted else None

    def __enter__(self):
        if self.name_scope is not None:
            self.name_scope.__enter__()
        if self.options.uses(Feature.AUTO_CONTROL_DEPS) and not tf.executing_eagerly():
            graph = tf.compat.v1.get_default_graph()
            self._made_before = None if graph.building_function else len(graph.get_operations())
        return self

    def __exit__(self, *error: Any) -> None:
        if self.name_scope is not None:
            self.name_scope.__exit__(*error)

    def ret(self, value, did_return):
        """The value that the function returns. In a graph without automatic ordering it waits for the other effects."""
        if isinstance(value, UndefinedReturnValue):
            return None
        if self._made_before is None:
            return value
        made = tf.compat.v1.get_default_graph().get_operations()[self._made_before:]
        with tf.control_dependencies([op for op in made if op.op_def.is_stateful]):
            return tf.nest.map_structure(lambda x: tf.identity(x) if isinstance(x, tf.Tensor) else x, value)


def with_function_scope(thunk, scope_name, options):
    """The body of a converted lambda."""
    with FunctionScope('lambda_', scope_name, options) as scope:
        return thunk(scope)


def autograph_artifact(entity, extras=None):
    """Marks a function that is part of converted code."""
    for name, value in (extras or {}).items():
        setattr(entity, name, value)
    entity.autograph_info__ = {}
    return entity


def converted_call(f, args, kwargs, caller_fn_scope=None, options=None):
    """f(*args, **kwargs), with f converted."""
    if getattr(f, 'autograph_info__', None) is not None:
        return f(*args, **(kwargs or {}))
    return _engine.ag_converted_call(f, tuple(args), kwargs)


# Statements

def _holds(condition, what):
    """The truth of a condition. An eager tensor must be a bool scalar."""
    if not tf.is_tensor(condition):
        return condition
    if condition.dtype != tf.bool or condition.shape.num_elements() != 1:
        raise ValueError(f'condition of {what} expected to be `tf.bool` scalar, got a tensor of {condition.dtype.name} '
                         f'with shape {condition.shape}')
    return bool(tf.reshape(condition, []))


def if_stmt(cond, body, orelse, get_state, set_state, symbol_names, nouts):
    """An if statement in functional form. Code behind it reads the first `nouts` of the variables."""
    if get_state is None or not (tf.executing_eagerly() and tf.is_tensor(cond)):
        return _engine.ag_if_stmt(cond, body, orelse, get_state, set_state, symbol_names, nouts)
    before = get_state()
    (body if _holds(cond, 'if statement') else orelse)()
    return set_state((*get_state()[:nouts], *before[nouts:]))


class _LoopState:
    """The variables of a loop over an eager tensor. Their dtypes must not change, as in a loop of a graph."""

    def __init__(self, names: Any, get_state: Any, set_state: Any, opts: Any) -> None:
        self._names, self._get, self._set = names, get_state, set_state
        self._invariants = [value for value, _ in (opts or {}).get('shape_invariants', ())]
        self._free = [any(value is one for one in self._invariants) for value in get_state()]
        self._values = [self._start(value, name) for value, name in zip(get_state(), names)]
        set_state(tuple(self._values))

    @staticmethod
    def _start(value, name):
        if value is None:
            raise ValueError(f"'{name}' is not allowed to be None before the loop")
        return tf.constant(value) if isinstance(value, (bool, int, float)) else value

    def check(self) -> None:
        """Checks the variables after an iteration."""
        now = []
        for before, value, name, free in zip(self._values, self._get(), self._names, self._free):
            if isinstance(value, Undefined):
                raise ValueError(f"'{name}' must be defined before the loop")
            if value is None:
                raise ValueError(f"'{name}' is None at the end of the iteration")
            if isinstance(before, Undefined):
                for part in tf.nest.flatten(value):
                    if not (tf.is_tensor(part) or isinstance(part, (bool, int, float, str, bytes)) or hasattr(part, 'dtype')):
                        raise ValueError(f"'{name}' must be defined before the loop: its body tried to define it with "
                                         'a value of an unsupported type, a Python object of type '
                                         f'{type(part).__name__}')
            if tf.is_tensor(before) and not hasattr(before, 'to_list'):
                value = tf.convert_to_tensor(value)
                if value.dtype != before.dtype:
                    raise TypeError(f"'{name}' has dtype {before.dtype.name} before the loop, but dtype "
                                    f'{value.dtype.name} after one iteration')
                if value.shape != before.shape and not free:
                    raise ValueError(f"'{name}' has shape {before.shape} before the loop, but shape {value.shape} "
                                     'after one iteration. Use tf.autograph.experimental.set_loop_options to set shape '
                                     'invariants.')
            now.append(value)
        self._values = now
        self._set(tuple(now))


def _refuse_none(get_state: Any, names: Any) -> None:
    for value, name in zip(get_state(), names):
        if value is None:
            raise ValueError(f"'{name}' is not allowed to be None before the loop")


def _refuse_undefined(get_state: Any, names: Any) -> None:
    """Refuses a loop in a graph whose body leaves a variable without a value that had none before the loop."""
    for value, name in zip(get_state(), names):
        if isinstance(value, Undefined):
            raise ValueError(f"'{name}' must be defined before the loop")


def _trying_to_define(body, get_state, names):
    """Wraps the body of a loop in a graph. If it fails where it must define variables, the error says which ones."""
    missing = [name for value, name in zip(get_state(), names) if isinstance(value, Undefined)]
    if not missing:
        return body

    def run(*element):
        try:
            body(*element)
        except Exception as error:
            if not isinstance(error, (AutoGraphError, UnboundLocalError)):
                names = ', '.join(f"'{name}'" for name in missing)
                raise ValueError(f'{names} must be defined before the loop. The loop tried to define what has no value yet '
                                 f'by running its body, which failed:\n{type(error).__name__}: {error}') from error
            raise
    return run


def while_stmt(test: Any, body: Callable[..., Any], get_state: Any, set_state: Any, symbol_names: Any,
               opts: Any) -> None:
    """A while statement in functional form."""
    first = test()
    known = [first]

    def again():
        return known.pop() if known else test()
    if not tf.is_tensor(first):
        turn = PythonLoop(body).turn
        again = decided_by_python(again, 'The condition of while loop started as non-Tensor, then changed to Tensor, by itself or because '
                                  'a tensor decides on a break or return inside: make it a tensor from the beginning')
        if get_state is not None:
            _engine.ag_while_stmt(again, turn, get_state, set_state, symbol_names, opts)
            return
        while again():
            turn()
        return
    if get_state is None:
        get_state, set_state = tuple, lambda values: None
    body = _trying_to_define(body, get_state, symbol_names)
    if not tf.executing_eagerly():
        _refuse_none(get_state, symbol_names)
        _engine.ag_while_stmt(again, body, get_state, set_state, symbol_names, opts)
        _refuse_undefined(get_state, symbol_names)
        return
    state = _LoopState(symbol_names, get_state, set_state, opts)
    while _holds(again(), 'while loop'):
        body()
        state.check()


def for_stmt(iter_: Any, extra_test: Any, body: Callable[..., Any], get_state: Any, set_state: Any, symbol_names: Any,
             opts: Any) -> None:
    """A for statement in functional form."""
    registered = REGISTRIES['for_loop'].find((iter_,))
    if registered:
        registered(iter_, extra_test, body, get_state, set_state, symbol_names, opts)
        return
    staged = tf.is_tensor(iter_) or hasattr(iter_, '_staged_iterator')
    if not staged or get_state is None:
        turn = body if staged else PythonLoop(body).turn
        if extra_test is not None and not staged:
            extra_test = decided_by_python(extra_test, 'break and return statements which depend on a TF condition are not supported in '
                                           'Python for loops: loop over a tensor, or tf.range')
        if get_state is None:
            get_state, set_state = tuple, lambda values: None
        _engine.ag_for_stmt(iter_, extra_test, turn, get_state, set_state, symbol_names, opts)
        return
    if not (tf.executing_eagerly() and isinstance(iter_, tf.Tensor)):
        if not tf.executing_eagerly():
            _refuse_none(get_state, symbol_names)
            body = _trying_to_define(body, get_state, symbol_names)
        _engine.ag_for_stmt(iter_, extra_test, body, get_state, set_state, symbol_names, opts)
        if not tf.executing_eagerly():
            _refuse_undefined(get_state, symbol_names)
        return
    if iter_.shape.rank == 0:
        raise ValueError('len requires a non-scalar tensor, got one of shape ()')
    state = _LoopState(symbol_names, get_state, set_state, opts)
    for element in iter_:
        if extra_test is not None and not extra_test():
            break
        body(element)
        state.check()


def assert_stmt(expression1, expression2):
    """An assert statement; expression2() is its message."""
    if not callable(expression2):
        raise ValueError(f'{expression2} must be a callable')
    code = getattr(expression2, '__code__', None)
    if code is not None and (code.co_argcount or code.co_flags & 12):
        raise ValueError(f'{expression2} may not have any arguments')
    if tf.is_tensor(expression1):
        message = expression2()
        return tf.debugging.Assert(expression1, message if isinstance(message, list) else [message])
    assert expression1, expression2()
    return None


# Expressions

def if_exp(cond, if_true, if_false, expr_repr):
    """if_true() if cond else if_false()"""
    return _engine.ag_choice(cond, if_true, if_false, expr_repr)


def and_(a, b):
    """a() and b()"""
    value = a()
    return _engine.ag_choice(value, b, lambda: value, 'and') if tf.is_tensor(value) else value and b()


def or_(a, b):
    """a() or b()"""
    value = a()
    return _engine.ag_choice(value, lambda: value, b, 'or') if tf.is_tensor(value) else value or b()


def not_(a):
    """not a"""
    return tf.logical_not(a) if tf.is_tensor(a) else not a


def eq(a, b):
    """a == b, element by element where one is a tensor."""
    return tf.equal(a, b) if tf.is_tensor(a) or tf.is_tensor(b) else a == b


def not_eq(a, b):
    """a != b, element by element where one is a tensor."""
    return not_(eq(a, b))


# Builtins

def _builtin(name: str) -> Callable[..., Any]:
    function = getattr(__import__('builtins'), name)
    registry = REGISTRIES.get(name) or TypeRegistry()
    first = name in ('filter', 'map')  # builtins whose first argument is a function

    def overload(*args, **named):
        registered = registry.find(args[first:])
        return registered(*args, **named) if registered else _engine.ag_builtin(function, args, named)
    overload.__name__ = overload.__qualname__ = name + '_'
    overload.__doc__ = f'The builtin {name}, also for tensors.'
    return overload


abs_, all_, any_, enumerate_, filter_, float_, int_, len_, map_, max_, min_, next_, range_, sorted_, sum_, zip_ = map(
    _builtin, ('abs', 'all', 'any', 'enumerate', 'filter', 'float', 'int', 'len', 'map', 'max', 'min', 'next', 'range',
               'sorted', 'sum', 'zip'))


def print_(*objects, **kwargs):
    """print; where an object is a tensor, print at each run of the graph, with its value."""
    registered = REGISTRIES['print'].find(objects)
    if registered:
        return registered(*objects, **kwargs)
    unknown = tuple(set(kwargs) - {'sep', 'end', 'file', 'flush'})
    if unknown:
        raise ValueError(f'invalid keyword arguments: {unknown}')
    if not any(tf.is_tensor(o) for o in objects):
        return print(*objects, **kwargs)

    def show(*values):
        values = [value[()] if getattr(value, 'shape', None) == () else value for value in values]  # outside of graphs
        values = iter([value.decode() if isinstance(value, bytes) else value for value in values])
        print(*[next(values) if tf.is_tensor(o) else o for o in objects], **dict(kwargs, flush=True))
        import numpy
        return numpy.int32(0)  # a session needs something to fetch
    return tf.numpy_function(show, [o for o in objects if tf.is_tensor(o)], tf.int32)


# Lists

ListPopOpts = collections.namedtuple('ListPopOpts', ('element_dtype', 'element_shape'))
ListStackOpts = collections.namedtuple('ListStackOpts', ('element_dtype', 'original_call'))
GetItemOpts = collections.namedtuple('GetItemOpts', ('element_dtype',))


class List:
    """A list whose length is known only when the graph runs; `values` are its elements, stacked."""
    __slots__ = ('values',)

    def __init__(self, values: Any) -> None:
        self.values = values

    def append(self, x: Any) -> None:
        self.values = tf.concat([self.values, tf.expand_dims(tf.convert_to_tensor(x, self.values.dtype), 0)], 0)

    def stack(self) -> Any:
        return self.values

    def __getitem__(self, key):
        return self.values[key]

    def __add__(self, other):
        return List(tf.concat([self.values, tf.convert_to_tensor(other, self.values.dtype)], 0))

    def _no_value(self, *_):
        raise tf.errors.OperatorNotAllowedInGraphError(
            'the length of this list is known only when the graph runs: it was appended to in a loop, or under a '
            'condition, that is a tensor')

    __iter__ = __len__ = __bool__ = __contains__ = _no_value


tf.register_tensor_conversion_function(List, lambda value, dtype=None, name=None, as_ref=False: value.values)


def new_list(iterable=None):
    """A list of these elements."""
    return list(iterable or ())


_MAKES_LIST = ('EmptyTensorList', 'TensorListFromTensor', 'TensorListPushBack', 'TensorListReserve')


def _is_tensor_list(value):
    return tf.is_tensor(value) and value.dtype == tf.variant


def list_append(list_, x):
    """The list with x at its end."""
    if _is_tensor_list(list_):
        x = tf.convert_to_tensor(x)
        # An empty list cannot contain elements of another type.
        list_ = tf.cond(tf.raw_ops.TensorListLength(input_handle=list_) > 0, lambda: list_, lambda: tf.raw_ops.EmptyTensorList(
            element_shape=tf.shape(x), max_num_elements=-1, element_dtype=x.dtype))
        return tf.raw_ops.TensorListPushBack(input_handle=list_, tensor=x)
    if tf.is_tensor(list_):
        raise ValueError(f'list_append: expected a tensor list, not a tensor of {list_.dtype.name}')
    if hasattr(list_, 'write') and hasattr(list_, 'size'):
        return list_.write(list_.size(), x)
    list_.append(x)
    return list_


def list_pop(list_, i, opts):
    """The list without an element, and that element."""
    assert isinstance(opts, ListPopOpts)
    if _is_tensor_list(list_):
        if i is not None:
            raise NotImplementedError('tensor lists only support removing from the end')
        if opts.element_dtype is None:
            raise ValueError('cannot pop from a list without knowing its element type; use set_element_type to annotate it')
        return tf.raw_ops.TensorListPopBack(input_handle=list_, element_dtype=opts.element_dtype,
                                            element_shape=_shape_of(opts))
    if tf.is_tensor(list_):
        raise ValueError(f'list_pop: expected a tensor list, not a tensor of {list_.dtype.name}')
    if hasattr(list_, 'write') and hasattr(list_, 'size'):
        raise ValueError('TensorArray does not support item removal')
    element = list_.pop() if i is None else list_.pop(i)
    return list_, element


def _shape_of(opts):
    shape = getattr(opts, 'element_shape', None)
    return -1 if shape is None else tf.constant(shape, tf.int32)


def list_stack(list_, opts):
    """The elements as one tensor."""
    assert isinstance(opts, ListStackOpts)
    if _is_tensor_list(list_):
        if opts.element_dtype is None:
            raise ValueError('cannot stack a list without knowing its element type; use set_element_type to annotate it')
        made = list_.op if tf.is_symbolic_tensor(list_) else None
        listed = made.get_attr('element_dtype') if made is not None and made.type.startswith(_MAKES_LIST) else None
        if listed is not None and listed != opts.element_dtype:
            raise ValueError(f'list_stack: a list of {listed.name} has no elements of '
                             f'{tf.as_dtype(opts.element_dtype).name}')
        return tf.raw_ops.TensorListStack(input_handle=list_, element_shape=-1, element_dtype=opts.element_dtype)
    if hasattr(list_, 'write') and hasattr(list_, 'stack'):
        return list_.stack()
    return list_ if tf.is_tensor(list_) else opts.original_call(list_)


def get_item(target, i, opts):
    """target[i]"""
    assert isinstance(opts, GetItemOpts)
    if hasattr(target, 'write') and hasattr(target, 'read'):
        return target.read(i)
    if _is_tensor_list(target):
        return tf.raw_ops.TensorListGetItem(input_handle=target, index=i, element_shape=-1,
                                            element_dtype=opts.element_dtype)
    if tf.is_tensor(target) and target.dtype == tf.string and target.shape.rank == 0:
        return tf.strings.substr(target, i, 1)
    return target[i]


def set_item(target, i, x):
    """The target with x as its element i."""
    if hasattr(target, 'write') and hasattr(target, 'read'):
        return target.write(i, x)
    if _is_tensor_list(target):
        return tf.raw_ops.TensorListSetItem(input_handle=target, index=i, item=tf.convert_to_tensor(x))
    if tf.is_tensor(target):
        return tf.tensor_scatter_nd_update(target, ((i,),), (x,))
    target[i] = x
    return target


def set_element_type(entity: Any, dtype: DTypeLike, shape: ShapeLike | None = None) -> None:
    """Declares the element type of a list. Tracing infers it, so this has no effect."""


publish('tf.autograph.experimental', Feature)
alias('tf.autograph.experimental', set_element_type)
alias('tf.autograph', operators=sys.modules[__name__])
