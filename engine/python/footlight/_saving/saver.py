"""tf.compat.v1.train.Saver and tfe.Saver: checkpoints of variables, and of iterators, by their names."""
from __future__ import annotations

import collections
import os
import time

import footlight as tf
from footlight._saving import checkpoint_files as files
from footlight import _engine
from footlight._public import alias, publish
from footlight._saving import object_graph as _object_graph, trackable as _trackable
from footlight._saving.saveables import Parts, SaveableObject, is_own, saver_parts_of
from footlight._saving.trackable import Trackable
from footlight._typing import Any, Iterator

_v1 = tf.compat.v1


class SavedIterator:
    """The place of an iterator, which a Saver saves and restores in its session."""

    def __init__(self, handle: Any) -> None:
        self.op = handle
        self.name = (handle.op.name if tf.is_symbolic_tensor(handle) else 'iterator') + '-state'

    def _handle_in(self, session: Any) -> tf.Tensor:
        return session._resource(self.op) if tf.is_symbolic_tensor(self.op) else self.op

    def _state_in(self, session: Any) -> tf.Tensor:
        return _engine.iterator_state(self._handle_in(session))

    def _go_in(self, session: Any, state: tf.Tensor) -> None:
        _engine.iterator_restore(self._handle_in(session), state)


def _is_iterator(value: Any) -> bool:
    return isinstance(value, SavedIterator)


def _is_variable(value: Any) -> bool:
    return isinstance(value, tf.Variable)


def _all_saveables(values: list[Any]) -> Iterator[Any]:
    """The variables, and for an object whose class says what is saved of it, those values."""
    for value in values:
        if isinstance(value, SaveableObject):
            yield Parts(value, value.name)
        elif isinstance(value, Trackable) and not isinstance(value, tf.Variable) and is_own(value):
            yield from saver_parts_of(value)
        else:
            yield value


def _by_name(var_list):
    """{name: variable} of a list or dict of variables, and of what make_saveable_from_iterator gave."""
    if isinstance(var_list, dict):
        found = dict(var_list)
    else:
        found = {}
        for variable in _all_saveables(var_list):
            if isinstance(variable, (SavedIterator, Parts)):
                found[variable.name] = variable
                continue
            if not isinstance(variable, tf.Variable):
                raise TypeError(f'Variable to save is not a Variable: {variable!r}')
            if variable._shared_name in found and found[variable._shared_name] is not variable:
                if not tf.executing_eagerly():
                    raise ValueError(f'At least two variables have the same name: {variable._shared_name}')
                # As in TensorFlow, the first keeps its name and the others get a number.
                number = 1
                while f'{variable._shared_name}_{number}' in found:
                    number += 1
                found[f'{variable._shared_name}_{number}'] = variable
                continue
            found[variable._shared_name] = variable
    for name, variable in list(found.items()):
        if isinstance(variable, SaveableObject):
            variable = found[name] = Parts(variable, name)
        if not isinstance(variable, (tf.Variable, SavedIterator, Parts)):
            raise TypeError(f'Variable to save is not a Variable: {variable!r} (of the name {name})')
    if not found:
        raise ValueError('No variables to save')
    return found


class Saver:
    """Saves variables under their names, and keeps the last checkpoints that it saved."""

    def __init__(self, var_list=None, reshape=False, sharded=False, max_to_keep=5,
                 keep_checkpoint_every_n_hours=10000.0, name=None, restore_sequentially=False, saver_def=None,
                 builder=None, defer_build=False, allow_empty=False, write_version=2, pad_step_number=False,
                 save_relative_paths=False, filename=None):
        if var_list is None:
            if tf.executing_eagerly():
                raise RuntimeError('When eager execution is enabled, `var_list` must specify a list or dict of '
                                   'variables to save')
            var_list = [*_v1.global_variables(), *_v1.get_collection(_v1.GraphKeys.SAVEABLE_OBJECTS)]
        self._variables = _by_name(var_list) if var_list or not allow_empty else {}
        self._reshape, self._max_to_keep, self._every_n_hours = reshape, max_to_keep, keep_checkpoint_every_n_hours
        self._pad, self._relative, self._sharded = pad_step_number, save_relative_paths, sharded
        self._last = collections.OrderedDict()  # path -> time
        self._preserved = time.time()

    last_checkpoints = property(lambda self: list(self._last), doc='The paths of those that were not deleted.')

    def set_last_checkpoints_with_time(self, last_checkpoints_with_time: Any) -> None:
        """Sets the list of (path, time) of checkpoints that may be deleted."""
        self._last = collections.OrderedDict(last_checkpoints_with_time)

    def set_last_checkpoints(self, last_checkpoints: Any) -> None:
        """Sets the list of checkpoints that may be deleted."""
        self._last = collections.OrderedDict((path, float('inf')) for path in last_checkpoints)

    def recover_last_checkpoints(self, checkpoint_paths: Any) -> None:
        """Sets the list of those of these checkpoints that exist."""
        self.set_last_checkpoints_with_time([(path, os.path.getmtime(path + '.index')) for path in checkpoint_paths
                                             if files.checkpoint_exists(path)])

    def save(self, sess, save_path, global_step=None, latest_filename=None, meta_graph_suffix='meta',
             write_meta_graph=True, write_state=True, strip_default_attrs=False, save_debug_info=False):
        """Saves the values and returns the path."""
        path = files.path_of(save_path)
        if global_step is None and not self._sharded and os.path.basename(path) == (latest_filename or 'checkpoint'):
            raise ValueError(f"'latest_filename' collides with 'save_path': {path!r}")
        if global_step is not None:
            if isinstance(global_step, (tf.Tensor, tf.Variable)):
                global_step = sess.run(global_step) if sess is not None else global_step.numpy()
            step = int(global_step)
            path = ('%s-%08d' if self._pad else '%s-%d') % (path, step)
        folder = os.path.dirname(path)
        files.make_folder(path)
        in_graph = not tf.executing_eagerly()
        graph = _v1.get_default_graph()
        if sess is None and in_graph and any(getattr(one, '_made_in', None) is graph for one in self._variables.values()):
            raise TypeError("'sess' must be a Session; None: the session has the values of the graph's variables")
        if isinstance(sess, _v1.Session):
            sess._pull(self._kinds()[0].values())
        with tf._eager_scope():
            values = self._values(sess)
            _engine.write_tensors(path, list(values), list(values.values()))
        if write_meta_graph and in_graph and sess is not None:
            self._write_meta_graph(f'{path}.{meta_graph_suffix}', sess.graph)
        if write_state:
            self._remember(path)
            files.update_checkpoint_state_internal(folder, path, self.last_checkpoints or [path], latest_filename,
                                                   self._relative)
        return path

    def _kinds(self) -> tuple[Any, ...]:
        """The variables and the iterators, by name."""
        iterators = {name: one for name, one in self._variables.items() if _is_iterator(one)}
        return {name: one for name, one in self._variables.items() if _is_variable(one)}, iterators

    def _values(self, session: Any) -> dict[Any, Any]:
        """The values to save, by name."""
        found = {}
        for name, one in self._variables.items():
            if isinstance(one, Parts):
                found.update(one.values(session))
            else:
                found[name] = one._state_in(session) if _is_iterator(one) else one.read_value()
        return found

    def _write_meta_graph(self, filename: Any, graph: tf.Graph) -> None:
        from footlight._tensorflow.compat.v1 import meta_graph
        meta_graph.export_meta_graph(filename, graph=graph, saver=self)

    def export_meta_graph(self, filename: Any = None, collection_list: Any = None, as_text: bool = False,
                          export_scope: Any = None, clear_devices: bool = False, clear_extraneous_savers: bool = False,
                          strip_default_attrs: bool = False, save_debug_info: bool = False) -> Any:
        """A MetaGraphDef of the default graph, with what this Saver saves."""
        from footlight._tensorflow.compat.v1 import meta_graph
        return meta_graph.export_meta_graph(filename, collection_list=collection_list, as_text=as_text,
                                            export_scope=export_scope, clear_devices=clear_devices, saver=self)

    def _remember(self, path: Any) -> None:
        if not self._max_to_keep:
            return
        self._last.pop(path, None)
        self._last[path] = time.time()
        while len(self._last) > self._max_to_keep:
            oldest, when = self._last.popitem(last=False)
            if when > self._preserved + self._every_n_hours * 3600 and when != float('inf'):
                self._preserved = when
            else:
                files.remove_checkpoint(oldest)

    def restore(self, sess, save_path):
        """Gives the variables the values saved under their names."""
        if save_path is None:
            raise ValueError("Can't load save_path when it is None.")
        path = files.path_of(save_path)
        if not files.checkpoint_exists(path):
            raise ValueError('The passed save_path is not a valid checkpoint: ' + path)
        file = _engine.open_tensors(path)
        there = _engine.tensors_in(file)
        with tf._eager_scope():
            self._give_values(sess, path, file, there)

    def _give_values(self, session: Any, path: Any, file: Any, there: dict[Any, Any]) -> None:
        keys = _keys_of_objects(file, there)
        missing = [part for name, one in self._variables.items()
                   for part in (one.names if isinstance(one, Parts) else [keys.get(name, name)]) if part not in there]
        if missing:
            raise tf.errors.NotFoundError(None, None, _what_is_missing(path, missing, there, keys))
        for name, variable in self._variables.items():
            if isinstance(variable, Parts):
                variable.restore({part: _engine.read_tensor(file, part) for part in variable.names}, session)
                continue
            value = _engine.read_tensor(file, keys.get(name, name))
            if _is_iterator(variable):
                variable._go_in(session, value)
                continue
            if self._reshape:
                value = tf.reshape(value, variable.shape)
            if value.dtype != variable.dtype:
                raise tf.errors.InvalidArgumentError(
                    None, None, f'tensor_name = {name}; expected dtype {_object_graph.short(variable.dtype)} does not '
                                f'equal original dtype {_object_graph.short(value.dtype)}')
            variable._restore_from_tensors({_trackable.VARIABLE_VALUE: value})
        if isinstance(session, _v1.Session):
            session._push(self._kinds()[0].values())


def _keys_of_objects(file: Any, there: dict[Any, Any]) -> dict[Any, Any]:
    """The keys of a checkpoint of objects by the names that their variables had."""
    if _object_graph.GRAPH_KEY not in there:
        return {}
    restoration = _object_graph.Restoration(file, '')
    return {a.full_name: a.checkpoint_key for node in restoration.nodes for a in node.attributes if a.full_name}


def _what_is_missing(path: Any, missing: list[Any], there: dict[Any, Any], keys: dict[Any, Any]) -> str:
    if not keys:
        return (f'Restoring from checkpoint failed: Key {missing[0]} not found in checkpoint {path}, which has: '
                f"{', '.join(sorted(there))}. This is most likely due to a variable name that is missing from the "
                'checkpoint: give a dict of names and variables where names have changed.')
    return (f"Existing variables not in the checkpoint: {', '.join(sorted(missing))}\n\nVariables names when this "
            f"checkpoint was written: {', '.join(sorted(keys))}\n\n"
            'Could not find some variables in the checkpoint, which was saved by objects (tf.train.Checkpoint): '
            'restore it with tf.train.Checkpoint, or give the Saver a dict of the old names and variables.')


publish('tf.compat.v1.train tf.train', Saver)


class _EagerSaver:
    """tfe.Saver: save(prefix) and restore(prefix), without a session."""

    def __init__(self, var_list: Any) -> None:
        self._saver = Saver(list(var_list) if not isinstance(var_list, dict) else var_list)

    def save(self, file_prefix: str, global_step: int | None = None) -> str:
        """Saves the values and returns the path."""
        return self._saver.save(None, file_prefix, global_step=global_step)

    def restore(self, file_prefix: str) -> None:
        """Gives the variables the values saved under their names."""
        self._saver.restore(None, file_prefix)


_EagerSaver.__name__ = _EagerSaver.__qualname__ = 'Saver'
tf.contrib.eager.Saver = _EagerSaver


class restore_variables_on_create:
    """A context in which variables get the values that a checkpoint has under their names; None: as usual."""

    def __init__(self, save_path: Any, map_func: Any = None) -> None:
        self._path, self._map = save_path, map_func

    def __enter__(self) -> None:
        self._scope = None
        if self._path is not None:
            file = _engine.open_tensors(files.path_of(self._path))
            there = _engine.tensors_in(file)

            def create(make, **arguments):
                variable = make(**arguments)
                name = self._map(variable._shared_name) if self._map else variable._shared_name
                if name not in there:
                    raise tf.errors.NotFoundError(None, None, f'the checkpoint {self._path} has no variable {name!r}, '
                                                              f"which has: {', '.join(sorted(there))}")
                with tf._eager_scope():
                    variable._restore_from_tensors({_trackable.VARIABLE_VALUE: _engine.read_tensor(file, name)})
                return variable
            self._scope = tf.variable_creator_scope(create)
            self._scope.__enter__()

    def __exit__(self, *error: Any) -> None:
        if self._scope is not None:
            self._scope.__exit__(*error)


tf.contrib.eager.restore_variables_on_create = restore_variables_on_create


def _network_names(network, map_func):
    """What gives a variable's name in the files of a network: by default layers without a name of their own are numbered
    within the network."""
    if map_func is not None:
        return map_func
    known, counts = {}, collections.Counter()

    def add(part, path):
        base = part.name.rstrip('0123456789').rstrip('_') if part.name.rpartition('_')[2].isdigit() else part.name
        number = counts[path + base]
        counts[path + base] += 1
        name = path + (f'{base}_{number}' if number else base)
        known[part.name] = name
        for inner in getattr(part, 'layers', ()):
            add(inner, name + '/')
    for part in network.layers:
        add(part, '')

    def name_of(name):
        first, _, rest = name.partition('/')
        return f'{known.get(first, first)}/{rest}' if rest else name
    return name_of


def save_network_checkpoint(network, save_path, global_step=None, map_func=None):
    """Saves the variables of a network that was called, and returns the path."""
    if not network.variables:
        raise ValueError('Attempted to save a Network which has no variables: it must be called before.')
    name_of = _network_names(network, map_func)
    named = {}
    for variable in network.variables:
        name = name_of(variable._shared_name)
        if name in named and named[name] is not variable:
            raise ValueError(f'The map_func passed to save_network_checkpoint for the Network {network.name!r} '
                             f'resulted in two variables named {name!r}')
        named[name] = variable
    path = os.fspath(save_path)
    if os.path.isdir(path):
        path = os.path.join(path, network.name.replace('/', '_'))
    return Saver(named, max_to_keep=None).save(None, path, global_step=global_step)


def restore_network_checkpoint(network: Any, save_path: Any, map_func: Any = None) -> None:
    """Gives the variables of a network the values of a file: those that it has, or the others when it makes them."""
    name_of = _network_names(network, map_func)
    if network.variables:
        Saver({name_of(v._shared_name): v for v in network.variables}).restore(None, save_path)
        return
    if not files.checkpoint_exists(files.path_of(save_path)):
        raise ValueError(f'The passed save_path is not a valid checkpoint: {save_path}')
    object.__setattr__(network, '_restored_on_create', (save_path, name_of))


alias('tf.contrib.eager', save_network_checkpoint, restore_network_checkpoint)
