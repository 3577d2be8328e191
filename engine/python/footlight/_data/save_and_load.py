"""Dataset.save and Dataset.load, in the files of TensorFlow."""
from __future__ import annotations

import os
import time

import footlight as tf
from footlight._data import structure
from footlight import _proto
from footlight._data.dataset_ops import _made, _op, _text, _types
from footlight._typing import Any, Callable

_SPEC, _ABOUT = 'dataset_spec.pb', 'snapshot.metadata'
_VERSION = 2  # of the files


def _packing(compression):
    """The compression as ops name it."""
    if compression in (None, 'NONE', ''):
        return ''
    if compression == 'AUTO':
        return 'SNAPPY'
    if compression not in ('GZIP', 'SNAPPY'):
        raise tf.errors.InvalidArgumentError(None, None, f'Unknown compression: {compression}. It is None, "GZIP" or '
                                                         '"SNAPPY".')
    return compression


def _check(spec: Any) -> None:
    for leaf in structure.flatten(spec):
        known = isinstance(leaf, (tf.RaggedTensorSpec, tf.SparseTensorSpec)) or structure.is_plain(leaf)
        if not known or leaf.dtype in (tf.variant, tf.resource):
            raise NotImplementedError('Dataset.save and Dataset.load: elements are tensors in tuples and dicts, dense, '
                                      f'ragged or sparse; {leaf!s} in files is not supported')


def _parts(spec: Any) -> list[Any]:
    """What the records of files hold for each leaf: a tensor, a sparse tensor, or the parts of a ragged tensor."""
    return [0 if structure.is_plain(leaf) else -1 if isinstance(leaf, tf.SparseTensorSpec) else leaf.ragged_rank + 1
            for leaf in structure.flatten(spec)]


def _types_in_files(spec: Any) -> list[Any]:
    return [(leaf.dtype if structure.is_plain(leaf) else tf.variant).as_datatype_enum
            for leaf in structure.flatten(spec)]


def _write(path, message):
    """Writes a file atomically."""
    unfinished = f'{path}.unfinished-{os.getpid()}'
    with open(unfinished, 'wb') as file:
        file.write(message.SerializeToString(deterministic=True))
    os.replace(unfinished, path)


def _message(path, kind, missing):
    try:
        with open(path, 'rb') as file:
            return kind.FromString(file.read())
    except FileNotFoundError:
        raise tf.errors.NotFoundError(None, None, missing) from None
    except Exception as error:
        if isinstance(error, OSError):
            raise
        raise tf.errors.DataLossError(None, None, f'{path} is damaged: {error}') from error


class Saving:
    """Mixin of tf.data.Dataset: methods that save and load."""

    element_spec: Any
    map: Callable[..., Any]

    def save(self, path, compression=None, shard_func=None, checkpoint_args=None):
        """Writes the elements to the folder `path`, each into the shard whose number shard_func(element) is."""
        from footlight._saving import structure_coder as _structure_coder
        path, packing = os.fspath(path), _packing(compression)
        _check(self.element_spec)
        dataset = self
        if shard_func is not None:
            plain = tf.autograph.experimental.do_not_convert
            shards = tf.autograph.experimental.do_not_convert(shard_func)
            number = lambda *element: tf.cast(shards(*element), tf.int64)
            dataset = self.map(plain(lambda *element: (number(*element), element)))
            if dataset.element_spec[0].shape.rank not in (0, None):
                raise TypeError('Invalid `shard_func`. `shard_func` must return a scalar `tf.int64` tensor; it returns one '
                                f'of shape {dataset.element_spec[0].shape}.')
        # The name must differ from older folders and from those of other processes.
        run = str(int.from_bytes(os.urandom(8), 'little'))
        spec = _proto.StructuredValue()
        _structure_coder.fill(spec, self.element_spec)
        dtypes = _types_in_files(self.element_spec)

        def describe(count):
            _write(os.path.join(path, _SPEC), spec)
            _write(os.path.join(path, _ABOUT), _proto.SnapshotMetadataRecord(
                run_id=run, creation_timestamp=int(time.time() * 1e6), version=_VERSION, dtype=dtypes,
                num_elements=int(count), finalized=True))
        os.makedirs(os.path.join(path, run), exist_ok=True)
        count, = _op('SaveElements', [dataset._variant_tensor, _text(os.path.join(path, run))],
                     {'compression': packing, 'sharded': shard_func is not None,
                      'parts': _parts(self.element_spec)})
        if tf.is_symbolic_tensor(count):  # a graph describes the files each time it has written them
            described = tf.numpy_function(lambda count: (describe(count), count)[1], [count], tf.int64)
            return None if tf.inside_function() else described.op
        describe(count)
        return None

    @staticmethod
    def load(path, element_spec=None, compression=None, reader_func=None, wait=False, name=None):
        """The elements that Dataset.save wrote to the folder `path`."""
        from footlight._saving import structure_coder as _structure_coder
        path, packing = os.fspath(path), _packing(compression)
        about_path = os.path.join(path, _ABOUT)
        while wait and not os.path.exists(about_path):
            time.sleep(0.1)
        found = _message(os.path.join(path, _SPEC), _proto.StructuredValue,
                         f'tf.data snapshot element_spec file not found: {os.path.join(path, _SPEC)}.')
        try:
            specs = _structure_coder.value_of(found)
            leaves = structure.flatten(specs)
            if any(not isinstance(leaf, tf.TypeSpec) for leaf in leaves):
                raise ValueError('it is no structure of specs')
            structure.shapes_of(specs)
        except (IndexError, KeyError, TypeError, ValueError) as error:
            raise tf.errors.DataLossError(None, None, f'{os.path.join(path, _SPEC)} is damaged: {error}') from error
        _check(specs)
        about = _message(about_path, _proto.SnapshotMetadataRecord, f'Could not find metadata file [{path}]')
        if about.version != _VERSION:
            raise tf.errors.UnimplementedError(None, None, f'{about_path}: files of version {about.version} cannot be '
                                                           f'read, only of version {_VERSION}')
        if list(about.dtype) != _types_in_files(specs):
            raise tf.errors.DataLossError(None, None, f'{_SPEC} and {_ABOUT} disagree on the types of elements')
        if element_spec is not None:
            structure.flatten_up_to(specs, element_spec)
            specs = element_spec
        if not about.run_id.isdigit():
            raise tf.errors.DataLossError(None, None, f'{about_path} is damaged: it names no folder')
        folder = os.path.join(path, about.run_id)
        shards = sorted(os.path.join(folder, s) for s in os.listdir(folder) if s.endswith('.shard')) if os.path.isdir(
            folder) else []
        files = [[os.path.join(s, f) for f in sorted(os.listdir(s)) if f.endswith('.snapshot')] for s in shards]
        parts = tf.ragged.constant(files, tf.string) if files else None

        def read(paths):
            variant, = _op('ElementFileDataset', [paths], {'compression': packing, 'parts': _parts(specs), **_types(specs)}, name)
            return _made('_LoadDataset', variant, specs)
        if reader_func is None and len(files) < 2:
            loaded = read(tf.constant(files[0] if files else [], tf.string))
        else:
            plain = tf.autograph.experimental.do_not_convert
            split = tf.data.Dataset.range(len(files)).map(plain(lambda i: read(parts[i]))) if files else (
                tf.data.Dataset.from_tensors(0).map(plain(lambda _: read(tf.constant([], tf.string)))))
            if reader_func is not None:
                return reader_func(split)
            loaded = split.interleave(plain(lambda part: part), cycle_length=os.cpu_count() or 1)
        return loaded.apply(tf.data.experimental.assert_cardinality(about.num_elements))

tf.data.experimental.save = lambda dataset, path, compression=None, shard_func=None, checkpoint_args=None: dataset.save(
    path, compression, shard_func, checkpoint_args)
tf.data.experimental.load = Saving.load
