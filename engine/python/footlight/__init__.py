"""Footlight: TensorFlow's programming model, made visible. `import footlight as tf` runs TensorFlow scripts."""
import sys as _sys

try:
    from footlight import _engine
except ImportError:
    from footlight_recorder import _interpreter
    if _interpreter.why_unusable():
        raise ImportError(_interpreter.why_unusable()) from None
    raise

# Each of these modules adds its public names. Each imports what it needs, so their order does not matter.
import footlight._autograph.ag
import footlight._control.functional
import footlight._control.order
import footlight._control.py_function
import footlight._control.tensor_array
import footlight._data.datasets
import footlight._data.experimental
import footlight._data.readers
import footlight._debugging
import footlight._device_config
import footlight._enums
import footlight._gradients
import footlight._graphs.graph
import footlight._graphs.graph_def
import footlight._graphs.init_scope
import footlight._io.tensor_proto
import footlight._module
import footlight._nn.dropout
import footlight._nn.initializers
import footlight._random
import footlight._saving.checkpoint
import footlight._saving.checkpoint_files
import footlight._saving.containers
import footlight._saving.load
import footlight._saving.object_graph
import footlight._saving.saver
import footlight._saving.trackable
import footlight._sparse.indexed_slices
import footlight._sparse.tensor
import footlight._summary.tensorboard_values
import footlight._summary.writers
import footlight._tensorflow.compat.v1.assign_and_cast
import footlight._tensorflow.compat.v1.layers
import footlight._tensorflow.compat.v1.optimizer
import footlight._tensorflow.contrib.eager
import footlight._tensorflow.contrib.metrics
import footlight._tensorflow.contrib.summary
import footlight._types.function_types
import footlight._types.specs
import footlight._types.trace_types
import footlight._variables
from footlight import _lazy_names
del footlight  # the import statements bound this module's own name in it

__version__ = '2.21.0'  # the TensorFlow release whose behaviour is re-created
newaxis = None


def _missing(name, namespace):
    """The AttributeError for an unknown name, with suggestions of similar names."""
    import difflib
    module = _sys.modules[namespace]
    known = [n for n in vars(module) if not n.startswith('_')]
    near = difflib.get_close_matches(name, known, 3)
    shown = 'tf' + namespace[len('footlight'):]
    if not name.startswith('_'):
        from footlight import _missing_names
        words = _missing_names.words_for(shown, name)
        if words:
            return AttributeError(words, name=name)
    hint = f"; did you mean {' or '.join(shown + '.' + n for n in near)}?" if near else ''
    # Setting the name keeps Python from adding its own suggestions.
    return AttributeError(f'{shown} has no attribute {name!r}{hint}', name=name)


def _explain_missing_names():
    for full, module in list(_sys.modules.items()):
        if (full == 'footlight' or full.startswith('footlight.')) and vars(module).get('__file__') is None:
            module.__getattr__ = lambda name, full=full: _find(name, full)


_MESSAGES = frozenset(
    'AttrValue ConfigProto Event GPUOptions GraphDef GraphOptions HistogramProto LogMessage MetaGraphDef NameAttrList NodeDef '
    'OptimizerOptions RunMetadata RunOptions SessionLog Summary SummaryMetadata TensorInfo'.split())


def _find(name, namespace):
    """Loads a lazy name, such as a protobuf message, or raises the error for an unknown name."""
    found = _lazy_names.find(namespace, name)
    if found is not None:
        return found
    if namespace == 'footlight' and name in ('load_ipython_extension', 'unload_ipython_extension'):
        from footlight_recorder import notebook  # `%load_ext footlight`
        return getattr(notebook, name)
    if namespace == 'footlight.types.experimental':
        from footlight._types import trace_types as _trace_types
        if name in _trace_types.LATE:
            return _trace_types.make(name)
    if (namespace.startswith('footlight.core.') if namespace != 'footlight.compat.v1'
            else name in _MESSAGES) and not name.startswith('_'):
        from footlight import _proto
        if hasattr(_proto, name):
            return getattr(_proto, name)
    raise _missing(name, namespace)


_ABOUT = {
    'autodiff': 'gradients', 'autograph': 'Python control flow as ops', 'bitwise': 'bits of integers',
    'compat': 'names of other versions', 'data': 'pipelines of elements', 'config': 'devices, threads and how functions run',
    'debugging': 'assertions and checks', 'dtypes': 'types of elements', 'errors': 'exceptions',
    'experimental': 'what may change', 'graph_util': 'graphs of files', 'initializers': 'first values of variables', 'linalg': 'matrices',
    'io': 'files', 'math': 'mathematics on tensors', 'nest': 'nested lists, tuples and dicts', 'nn': 'neural networks',
    'random': 'random numbers', 'sets': 'sets', 'sparse': 'sparse tensors', 'strings': 'tensors of text',
    'test': 'help for tests', 'train': 'training and checkpoints', 'types': 'types for annotations',
    'version': 'versions'}
_EXAMPLES = {
    'footlight.autograph': """

tf.function uses it for the functions that it traces:

  >>> @tf.function
  ... def halvings(n):
  ...     count = 0
  ...     while n > 1:
  ...         n = n // 2
  ...         count += 1
  ...     return count
  >>> print(halvings(tf.constant(20)))
  tf.Tensor(4, shape=(), dtype=int32)

tf.autograph.to_code(f) shows what becomes of a function.
""",
    'footlight.nest': """

  >>> batch = {'x': [1, 2], 'y': (3,)}
  >>> tf.nest.flatten(batch)
  [1, 2, 3]
  >>> tf.nest.map_structure(lambda leaf: leaf * 10, batch)
  {'x': [10, 20], 'y': (30,)}
"""}


def _describe():
    """Gives every namespace a docstring; functions written in Python are pickled by their public name."""
    import types
    for full, module in list(_sys.modules.items()):
        if full != 'footlight' and (not full.startswith('footlight.') or vars(module).get('__file__') is not None):
            continue
        shown = 'tf' + full[len('footlight'):]
        if module.__doc__ is None:
            about = _ABOUT.get(full.split('.')[-1])
            module.__doc__ = (f'{shown}: {about}.' if about else shown + '.') + _EXAMPLES.get(full, '')
        for name, value in list(vars(module).items()):
            if type(value) is types.FunctionType and not name.startswith('_'):
                home = _sys.modules.get(value.__module__)
                for part in value.__qualname__.split('.'):
                    home = getattr(home, part, None)
                if home is not value:
                    value.__module__, value.__name__, value.__qualname__ = full, name, name


def __getattr__(name):
    return _find(name, 'footlight')


_describe()
_explain_missing_names()
