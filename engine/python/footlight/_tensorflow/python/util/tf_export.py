"""Names of a library's functions: tf_export and dispatch, as libraries take them from inside of TensorFlow."""
import collections
import contextlib
import functools
import inspect
import types

import footlight as tf
from footlight import _engine
from footlight._tensorflow.python.util import tf_decorator as _tf_decorator

# --- tensorflow.python.util.tf_export ---
_V1 = 'compat.v1.'
_symbols = {}  # public name -> what a library has exported under it
_names = {}  # id of that -> (it, the API, its names, those of v1)


class InvalidSymbolNameError(Exception):
    """A name that its API does not have, or has already."""


class api_export:  # a class, as functools.partial(api_export, api_name=...) and isinstance() take it
    """A decorator: the public names of a function or class; it stays what it is."""

    def __init__(self, *args, api_name='tensorflow', v1=None, allow_multiple_exports=True):
        self._names, self._api_name = args, api_name
        self._names_v1 = tuple(v1) if v1 is not None else args
        for name in (*self._names, *self._names_v1):
            if api_name == 'keras' and not name.startswith('keras.'):
                raise InvalidSymbolNameError('a name that Keras exports begins with `keras.`, which %r does not' % name)

    def __call__(self, func):
        inner = _tf_decorator.unwrap(func)[1]
        for name in self._names:
            _symbols[name] = func
        for name in self._names_v1:
            _symbols[_V1 + name] = func
        _names[id(inner)] = (inner, self._api_name, self._names, self._names_v1)
        names, names_v1 = (('_tf_api_names', '_tf_api_names_v1') if self._api_name == 'tensorflow' else
                           ('_keras_api_names', '_keras_api_names_v1'))
        for attribute, value in ((names, self._names), (names_v1, self._names_v1)):
            with contextlib.suppress(AttributeError, TypeError):
                setattr(inner, attribute, value)
        return func

    def export_constant(self, module_name, name):
        """Exports a constant of a module."""
        import sys
        value = getattr(sys.modules[module_name], name)
        for public in self._names:
            _symbols[public] = value
        for public in self._names_v1:
            _symbols[_V1 + public] = value


tf_export = functools.partial(api_export, api_name='tensorflow')
keras_export = functools.partial(api_export, api_name='keras')


def _is_there(name, symbol):
    return get_symbol_from_name(name) is symbol


def get_canonical_name_for_symbol(symbol, api_name='tensorflow', add_prefix_to_v1_names=False):
    """The first public name of a function or class, or None; with a prefix where only v1 has it."""
    found = _names.get(id(_tf_decorator.unwrap(symbol)[1]))
    if found is not None:
        _, api, names, names_v1 = found
        if api != api_name:
            return None
        if names:
            return names[0]
        return (_V1 if add_prefix_to_v1_names else '') + names_v1[0] if names_v1 else None
    if api_name != 'tensorflow':
        return None
    module, name = getattr(symbol, '__module__', None), getattr(symbol, '__name__', None)
    for full, known in (('RaggedTensor', tf.RaggedTensor), ('sparse.SparseTensor', tf.SparseTensor), ('data.Dataset', tf.data.Dataset)):
        if symbol is known:  # classes whose module is the one that libraries know them by
            return full
    if not isinstance(module, str) or not isinstance(name, str) or module.partition('.')[0] != 'footlight':
        return None
    full = (module + '.' + name).partition('.')[2]
    if not _is_there(full, symbol):
        return None
    if full.startswith(_V1) and not add_prefix_to_v1_names:
        return full[len(_V1):]
    return full


def get_symbol_from_name(name):
    """What has a public name, or None."""
    if name in _symbols:
        return _symbols[name]
    found = tf
    for part in name.split('.'):
        found = getattr(found, part, None)
        if found is None:
            return None
    return None if inspect.ismodule(found) else found


# --- tf.__internal__.dispatch ---
_everywhere = []
_of_function = collections.defaultdict(list)
NOT_SUPPORTED = object()


class OpDispatcher:
    """Who may answer calls of one function that cannot do with its arguments: `handle` gives the result or NOT_SUPPORTED."""

    NOT_SUPPORTED = NOT_SUPPORTED

    def handle(self, args, kwargs):
        """The result of a call."""
        return self.NOT_SUPPORTED

    def register(self, op):
        """Asks it for calls of `op` that fail."""
        _listen()
        _of_function[_key(op)].append(self)


class GlobalOpDispatcher:
    """The same for calls of any function: handle(op, args, kwargs)."""

    NOT_SUPPORTED = NOT_SUPPORTED

    def handle(self, op, args, kwargs):
        """The result of a call."""
        return self.NOT_SUPPORTED

    def register(self):
        """Asks it for all calls that fail."""
        _listen()
        _everywhere.append(self)


def _key(op):
    op = getattr(op, '__func__', op)
    first = getattr(op, '__original_wrapped__', None)  # stays the same when AutoGraph puts another function inside
    return getattr(op, '__wrapped__', op) if first is None else first


def _answer(op, args, kwargs):
    for one in _of_function.get(_key(op), ()):
        found = one.handle(args, kwargs)
        if found is not NOT_SUPPORTED:
            return found
    for one in _everywhere:
        found = one.handle(op, args, kwargs)
        if found is not NOT_SUPPORTED:
            return found
    return NotImplemented


def dispatch(op, args, kwargs):
    """What the dispatchers of a program give for a call, or NOT_SUPPORTED."""
    found = _answer(op, args, kwargs)
    return NOT_SUPPORTED if found is NotImplemented else found


def _listen():
    from footlight._types import tensor_operators  # noqa: F401  (as functions that others' values can have)
    _engine.on_failures(_answer)
    for name, member in list(vars(tf.RaggedTensor).items()):
        if name.startswith('from_') and isinstance(member, classmethod) and not hasattr(member.__func__, '__wrapped__'):
            setattr(tf.RaggedTensor, name, classmethod(_asking(member.__func__)))


def _asking(plain):
    """A constructor of ragged tensors whose failed calls the dispatchers may answer."""
    @functools.wraps(plain)
    def asked(*args, **kwargs):
        try:
            return plain(*args, **kwargs)
        except (TypeError, ValueError):
            found = _answer(asked, args, kwargs)
            if found is NotImplemented:
                raise
            return found
    return asked


class _TypeDispatcher(OpDispatcher):
    def __init__(self, op, function, kinds):
        if isinstance(op, types.FunctionType) and not hasattr(op, '__wrapped__') and (op.__module__ or '').partition(
                '.')[0] not in ('footlight', 'tensorflow'):
            raise AssertionError(f'Dispatching not enabled for {op}: decorate it with add_dispatch_support')
        self._function, self._types = function, kinds
        self._of_op, self._own = _signature_of(op), _signature_of(function)
        if self._of_op and self._own and _required(self._of_op) != _required(self._own):
            raise AssertionError("The decorated function's non-default arguments must be identical to that of the overridden "
                                 f'op. {function} has the signature {self._own}, {op} has {self._of_op}.')

    def handle(self, args, kwargs):
        for value in [*args, *kwargs.values()]:
            for one in value if isinstance(value, (list, tuple)) else (value,):
                if isinstance(one, self._types):
                    return self._function(*args, **self._known(kwargs))
        return self.NOT_SUPPORTED

    def _known(self, kwargs):
        """The arguments by name that the function takes; the others must be what the op has without them."""
        if not self._of_op or not self._own or any(p.kind == p.VAR_KEYWORD for p in self._own.parameters.values()):
            return kwargs
        for name in set(kwargs) - set(self._own.parameters):
            if name in self._of_op.parameters and not _is_same(kwargs[name], self._of_op.parameters[name].default):
                raise AssertionError(f'Dispatched op is called with argument `{name}` set to a non-default value, which is '
                                     f'not supported by the decorated function {self._function}')
        return {name: value for name, value in kwargs.items() if name in self._own.parameters}


def _is_same(given, default):
    """Whether an argument is the default: the same object or, among plain values of Python, an equal one."""
    if isinstance(given, (tuple, list)) and type(given) is type(default):
        return len(given) == len(default) and all(map(_is_same, given, default))
    plain = bool, int, float, complex, str, bytes
    return given is default or (type(given) in plain and type(default) in plain and given == default)


def _signature_of(function):
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):  # a function of C without one
        return None


def _required(signature):
    """The names of the arguments that have no default: those that may be given in order, in that order, and the others."""
    needed = [p for p in signature.parameters.values() if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    return [p.name for p in needed if p.kind != p.KEYWORD_ONLY], {p.name for p in needed if p.kind == p.KEYWORD_ONLY}


def dispatch_for_types(op, *types):
    """A decorator: what answers failed calls of `op` where an argument is of one of these types."""
    def decorate(function):
        _TypeDispatcher(op, function, types).register(op)
        return function
    return decorate


def add_dispatch_support(target=None, iterable_parameters=None):
    """A decorator: calls of the function that raise TypeError or ValueError ask the program's dispatchers."""
    def decorate(function):
        @functools.wraps(function)
        def asked(*args, **kwargs):
            if iterable_parameters and any(isinstance(value, collections.abc.Iterator) for value in [*args, *kwargs.values()]):
                bound = inspect.signature(function).bind(*args, **kwargs)
                for name in iterable_parameters:
                    if name in bound.arguments:
                        bound.arguments[name] = list(bound.arguments[name])
                args, kwargs = bound.args, bound.kwargs
            try:
                return function(*args, **kwargs)
            except (TypeError, ValueError):
                found = _answer(asked, args, kwargs)
                if found is NotImplemented:
                    raise
                return found
        return _tf_decorator.make_decorator(function, asked, 'add_dispatch_support')
    return decorate if target is None else decorate(target)


# --- tensorflow.tools.docs.doc_controls: what documentation leaves out; marks on functions and classes ---
def _marker(mark, about):
    def decorate(obj):
        with contextlib.suppress(AttributeError, TypeError):
            setattr(obj, mark, None)
        return obj
    decorate.__doc__ = about
    return decorate


do_not_generate_docs = _marker('_tf_docs_do_not_document', 'Leaves it out.')
do_not_doc_inheritable = _marker('_tf_docs_do_not_doc_inheritable', 'Leaves it out, in subclasses too.')
do_not_doc_in_subclasses = _marker('_tf_docs_do_not_doc_in_subclasses', 'Leaves it out in subclasses.')
for_subclass_implementers = _marker('_tf_docs_tools_for_subclass_implementers', 'Is for who writes subclasses.')
doc_in_current_and_subclasses = _marker('_tf_docs_doc_in_current_and_subclasses', 'Is documented in subclasses too.')


def inheritable_header(text):
    """A decorator: words that stand above the documentation of a class and its subclasses."""
    def decorate(kind):
        kind._tf_docs_inheritable_header = inspect.cleandoc(text)
        return kind
    return decorate


def documented(obj, doc):
    """The object with a docstring."""
    obj.__doc__ = doc
    return obj


for _path, _all in {
        'python.util.tf_export': 'api_export tf_export keras_export get_canonical_name_for_symbol get_symbol_from_name '
                                 'InvalidSymbolNameError',
        'tools.docs.doc_controls': 'do_not_generate_docs do_not_doc_inheritable do_not_doc_in_subclasses doc_in_current_and_subclasses '
                                   'documented for_subclass_implementers inheritable_header',
        'python.util.dispatch': 'OpDispatcher GlobalOpDispatcher add_dispatch_support dispatch dispatch_for_types',
        '__internal__.dispatch': 'OpDispatcher GlobalOpDispatcher add_dispatch_support'}.items():
    for _name in _all.split():
        setattr(_engine.namespace(_path), _name, globals()[_name])
for _name in 'make_decorator unwrap'.split():
    setattr(_engine.namespace('__internal__.decorator'), _name, getattr(_tf_decorator, _name))
