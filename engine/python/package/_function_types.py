"""What tf.function objects and their traces say of themselves: function_type, inference_fn."""
import footlight as tf
from footlight import _engine, _trace_types

_home = tf.types.experimental
_text_of = _home.ConcreteFunction.function_type  # the C type's own: prints as the signature


def _make_types():
    """The class of a trace's FunctionType, which is made at first use: it needs Python's inspect."""
    global _Parameter, _ConcreteType
    import inspect

    class _Type:
        """A type in a signature, printed as a trace's signature prints it."""

        def __init__(self, value, text):
            self.value, self._text = value, text

        def __repr__(self):
            return self._text

    class _ConcreteType(_home.FunctionType):
        """The FunctionType of a trace."""
        __slots__ = ('_shown', '_captures')

        def __str__(self):
            return self._shown

        def __repr__(self):
            return self._shown

        output = property(lambda self: self.return_annotation, doc='What it returns, as a structure of tensors.')
        captures = property(lambda self: self._captures, doc='The specs of what it captured, by number.')
    _Parameter = inspect.Parameter

    class _Typed(_Parameter):
        """A parameter of a trace."""
        __slots__ = ()
        type_constraint = property(lambda self: self.annotation.value, doc='The spec or the value that it has.')
        optional = property(lambda self: self.default is not self.empty, doc='Whether it may be left out.')

    def make(concrete):
        parameters = [_Typed(name, list(type(_Parameter.POSITIONAL_ONLY))[kind], annotation=_Type(value, text))
                      for name, kind, value, text in concrete._parameters if name.isidentifier()]
        made = _ConcreteType(parameters, return_annotation=concrete.structured_outputs)
        made._captures = {value._id: tf.TensorSpec(value.shape, value.dtype) for value in concrete.captured_inputs}
        made._shown = str(_text_of.__get__(concrete))
        return made
    return make


_make = []


def _concrete_type(self):
    """The types of parameters and results; prints as `(x: TensorSpec(...)) -> TensorSpec(...)`."""
    if not _make:
        _make.append(_make_types())
    return _make[0](self)


def _function_type(self):
    """The parameters of the Python function; with an input_signature, their types."""
    own = _home.FunctionType.from_callable(self.python_function)
    if self.input_signature is None:
        return own
    specs = iter(self.input_signature)
    return own.replace(parameters=[p.replace(annotation=next(specs, p.annotation)) for p in own.parameters.values()])


class _Inference(_trace_types.AtomicFunction):
    """One trace, called with what it captured as an argument."""

    def __init__(self, concrete):
        self._concrete = concrete

    name = property(lambda self: self._concrete.name)
    graph = property(lambda self: self._concrete.graph)
    function_type = property(lambda self: self._concrete.function_type)

    def __call__(self, *args, **kwargs):
        if self._concrete.captured_inputs:
            raise ValueError('the function has captured inputs: use call_with_captures')
        return self._concrete(*args, **kwargs)

    def call_with_captures(self, args, kwargs, captures):
        """The results with `captures` in place of what was captured, in the order of captured_inputs."""
        return self._concrete._call_with_captures(tuple(args), dict(kwargs), list(captures))

    def __repr__(self):
        return '<AtomicFunction %s>' % self.name


def _function_def(self):
    """The function as a FunctionDef."""
    library, names = tf.Graph._library([self.graph])
    return next(f for f in library.function if f.signature.name == names[0])


_engine.extend(_home.ConcreteFunction, 'function_def', property(_function_def))
_engine.extend(_home.ConcreteFunction, 'function_type', property(_concrete_type))
_engine.extend(_home.ConcreteFunction, 'inference_fn',
               property(_Inference, doc='The trace as a function of its arguments and captures.'))
_engine.extend(_home.PolymorphicFunction, 'function_type', property(_function_type))
