"""tensorflow.python.eager.polymorphic_function.polymorphic_function: the class of traced functions, and its members."""
from __future__ import annotations

import footlight as tf
from footlight import _engine
from footlight._tensorflow.internal import for_keras as _for_keras
from footlight._tensorflow.publish import publish
from footlight._tensorflow.python.util import tf_decorator as _tf_decorator
from footlight._typing import Any

_engine.extend(tf.types.experimental.PolymorphicFunction, '_tf_decorator', property(
    lambda self: _tf_decorator.TFDecorator('tf.function', self.python_function)))
_engine.extend(tf.types.experimental.PolymorphicFunction, '_name', property(lambda self: self.name))


def _attributes_of(function):
    """What a library's function is given besides its graph, as messages."""
    from footlight._tensorflow.python.eager.polymorphic_function import attributes as _attributes
    options = function._options
    given = dict(options.get('experimental_attributes') or {})
    if options.get('experimental_implements') is not None:
        given[_attributes.IMPLEMENTS] = options['experimental_implements']
    return _attributes.parse_func_attrs(given, _attributes.POLYMORPHIC_FUNCTION_ALLOWLIST)


def _extend_by_option(name: str, otherwise: Any) -> None:
    _engine.extend(tf.types.experimental.PolymorphicFunction, '_' + name,
                   property(lambda self: self._options.get(name, otherwise)))


_extend_by_option('autograph', True)
_extend_by_option('reduce_retracing', False)
_extend_by_option('experimental_autograph_options', None)
_engine.extend(tf.types.experimental.PolymorphicFunction, '_attributes', property(_attributes_of))
_engine.extend(tf.Operation, '_is_stateful', property(lambda self: self.op_def.is_stateful))


class Function(metaclass=_for_keras.ByKind):
    """Functions that are traced: made by tf.function, here for isinstance() and by this name too."""

    kind = tf.types.experimental.PolymorphicFunction

    def __new__(cls, python_function: Any, name: str | None = None, input_signature: Any = None, **options: Any) -> Any:
        return tf.function(python_function, input_signature, **options)


publish(globals())
publish(globals(), 'Function', 'python.eager.def_function')
