"""Names whose modules are loaded when they are first used: what `import footlight` has no time for."""
import importlib
import sys

# The module of this package that adds the names, by namespace.
_BY_NAMESPACE = {
    'footlight': {
        '_composites': 'RaggedTensor RaggedTensorSpec ragged',
        '_distribute': 'distribute',
        '_places': 'compiler python sysconfig',
    },
    'footlight.__internal__': {
        '_internal': 'CompositeTensor EagerTensor FuncGraph distribute eager_context smart_cond tf2',
    },
    'footlight.nn': {'_embedding_sparse': 'embedding_lookup_sparse safe_embedding_lookup_sparse'},
    'footlight.raw_ops': {'_places': 'Bucketize'},
    'footlight.sparse': {
        '_sparse_functions': 'add bincount concat expand_dims eye fill_empty_rows map_values mask maximum minimum reduce_max '
                             'reduce_sum reorder reshape retain slice softmax sparse_dense_matmul transpose',
    },
    'footlight.experimental': {
        '_composites': 'RowPartition',
        '_distribute': 'dtensor',
        '_places': 'numpy',
    },
}
_LATE = {(namespace, name): module for namespace, modules in _BY_NAMESPACE.items()
         for module, names in modules.items() for name in names.split()}


def find(namespace, name):
    """The object of that name, or None where it is none of these."""
    if namespace == 'footlight' and name == 'keras':
        from footlight import _keras
        found = sys.modules['footlight'].keras = sys.modules['footlight.keras'] = _keras.load()
        return found
    module = _LATE.get((namespace, name))
    if module is None and namespace.startswith('footlight.python') and not name.startswith('__'):
        module = '_places'
    if module is None:
        return None
    importlib.import_module('footlight.' + module)
    sys.modules['footlight']._describe()
    sys.modules['footlight']._explain_missing_names()
    return vars(sys.modules[namespace]).get(name)


def names(namespace):
    """The names that a namespace has besides those that are loaded, for dir()."""
    return [name for where, name in _LATE if where == namespace] + ['keras'] * (namespace == 'footlight')
