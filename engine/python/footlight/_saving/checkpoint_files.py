"""Checkpoints as files: the file `checkpoint` that names the latest, tf.train.load_checkpoint, CheckpointManager."""
from __future__ import annotations

import collections
import glob
import os
import re
import time

import footlight as tf
from footlight import _engine, _proto
from footlight._public import alias, publish
from footlight._typing import Any, Callable, Iterator


def path_of(path: Any) -> str:
    """A path as a str."""
    path = os.fspath(path) if hasattr(path, '__fspath__') else path
    if isinstance(path, tf.Tensor):
        path = path.numpy()
    if isinstance(path, bytes):
        path = os.fsdecode(path)
    if not isinstance(path, str):
        raise TypeError(f'a path must be a str, not {type(path).__name__}')
    return path


def make_folder(path: Any) -> None:
    folder = os.path.dirname(path)
    if folder:
        os.makedirs(folder, exist_ok=True)


def _state_file(folder: Any, latest_filename: Any = None) -> str:
    return os.path.join(folder, latest_filename or 'checkpoint')


def generate_checkpoint_state_proto(save_dir, model_checkpoint_path, all_model_checkpoint_paths=None,
                                    all_model_checkpoint_timestamps=None, last_preserved_timestamp=None):
    """The contents of the file `checkpoint`, as a message."""
    paths = [path_of(path) for path in all_model_checkpoint_paths or ()]
    model_checkpoint_path = path_of(model_checkpoint_path)
    if not paths or paths[-1] != model_checkpoint_path:
        paths.append(model_checkpoint_path)
    if all_model_checkpoint_timestamps and len(all_model_checkpoint_timestamps) != len(paths):
        raise ValueError(f'Checkpoint timestamps, if provided, must match checkpoint paths (got paths {paths} and '
                         f'timestamps {all_model_checkpoint_timestamps})')
    if not os.path.isabs(save_dir):
        paths = [path if os.path.isabs(path) else os.path.relpath(path, save_dir or '.') for path in paths]
        if not os.path.isabs(model_checkpoint_path):
            model_checkpoint_path = os.path.relpath(model_checkpoint_path, save_dir or '.')
    state = _proto.CheckpointState(model_checkpoint_path=model_checkpoint_path, all_model_checkpoint_paths=paths,
                                   all_model_checkpoint_timestamps=list(all_model_checkpoint_timestamps or ()))
    if last_preserved_timestamp:
        state.last_preserved_timestamp = last_preserved_timestamp
    return state


def update_checkpoint_state_internal(save_dir: Any, model_checkpoint_path: Any, all_model_checkpoint_paths: Any = None,
                                     latest_filename: Any = None, save_relative_paths: Any = False,
                                     all_model_checkpoint_timestamps: Any = None,
                                     last_preserved_timestamp: Any = None) -> None:
    """Writes the file `checkpoint`: at any moment either the old one or the new one is there."""
    state_file = _state_file(save_dir, latest_filename)
    if save_relative_paths:
        def related(path):
            return os.path.relpath(path, save_dir) if os.path.isabs(path) else path
        model_checkpoint_path = related(model_checkpoint_path)
        all_model_checkpoint_paths = [related(path) for path in all_model_checkpoint_paths or ()]
    state = generate_checkpoint_state_proto(save_dir, model_checkpoint_path, all_model_checkpoint_paths,
                                            all_model_checkpoint_timestamps, last_preserved_timestamp)
    if state_file == state.model_checkpoint_path:
        raise RuntimeError(f"Save path '{model_checkpoint_path}' conflicts with path used for checkpoint state. Please "
                           'use a different save path.')
    temporary = f'{state_file}.tmp{os.getpid()}'
    with open(temporary, 'w', encoding='utf-8') as file:
        file.write(str(state))
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, state_file)


def update_checkpoint_state(save_dir: Any, model_checkpoint_path: Any, all_model_checkpoint_paths: Any = None,
                            latest_filename: Any = None, all_model_checkpoint_timestamps: Any = None,
                            last_preserved_timestamp: Any = None) -> None:
    """Writes the file `checkpoint` of a folder."""
    update_checkpoint_state_internal(save_dir, model_checkpoint_path, all_model_checkpoint_paths, latest_filename, False,
                                     all_model_checkpoint_timestamps, last_preserved_timestamp)


def get_checkpoint_state(checkpoint_dir, latest_filename=None):
    """Reads the file `checkpoint` of a folder, with paths made relative to here; None if missing or damaged."""
    checkpoint_dir = path_of(checkpoint_dir)
    state_file = _state_file(checkpoint_dir, latest_filename)
    if not os.path.isfile(state_file):
        return None
    try:
        with open(state_file, encoding='utf-8') as file:
            state = _proto.CheckpointState.FromText(file.read(1 << 26))
    except (OSError, ValueError) as error:
        tf.get_logger().warning('%s: Checkpoint ignored: %s', state_file, error)
        return None
    if not state.model_checkpoint_path:
        raise ValueError(f'Invalid checkpoint state loaded from {state_file}: it does not name a checkpoint')

    def from_here(path):
        return path if os.path.isabs(path) else os.path.join(checkpoint_dir, path)
    state.model_checkpoint_path = from_here(state.model_checkpoint_path)
    paths = [from_here(path) for path in state.all_model_checkpoint_paths]
    del state.all_model_checkpoint_paths[:]
    state.all_model_checkpoint_paths.extend(paths)
    return state


def checkpoint_exists(checkpoint_prefix: Any) -> bool:
    """Whether there is a checkpoint of that prefix."""
    return os.path.isfile(path_of(checkpoint_prefix) + '.index')


def get_checkpoint_mtimes(checkpoint_prefixes: Any) -> list[Any]:
    """When the checkpoints of these prefixes were written, in seconds since 1970; those that are gone are left out."""
    prefixes = [path_of(prefix) for prefix in checkpoint_prefixes]
    return [os.path.getmtime(prefix + '.index') for prefix in prefixes if checkpoint_exists(prefix)]


def latest_checkpoint(checkpoint_dir: Any, latest_filename: Any = None) -> str | None:
    """The path of the latest checkpoint in a folder, or None."""
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if state is None:
        return None
    if checkpoint_exists(state.model_checkpoint_path):
        return state.model_checkpoint_path
    tf.get_logger().error("Couldn't match files for checkpoint %s", state.model_checkpoint_path)
    return None


def remove_checkpoint(checkpoint_prefix: Any, checkpoint_format_version: Any = None,
                      meta_graph_suffix: str = 'meta') -> None:
    """Deletes the files of a checkpoint. The index goes first: without it there is no checkpoint."""
    prefix = path_of(checkpoint_prefix)
    for path in [prefix + '.' + meta_graph_suffix, prefix + '.index'] + sorted(
            glob.glob(glob.escape(prefix) + '.data-?????-of-?????')):
        try:
            os.remove(path)
        except FileNotFoundError:
            pass


def open_tensors(prefix):
    """Opens the tensors of the checkpoint whose files begin with `prefix`; refuses folders and other files."""
    if os.path.exists(prefix) and not os.path.exists(prefix + '.index'):
        what = 'it is a directory' if os.path.isdir(prefix) else 'it is no checkpoint'
        raise tf.errors.DataLossError(
            None, None, f'Unable to open table file {prefix}: {what}; give the prefix of a checkpoint, as in folder/ckpt-1. '
            'Perhaps your file is in a different file format and you need to use a different restore operator?')
    return _engine.open_tensors(prefix)


class CheckpointReader:
    """The tensors in a checkpoint, by name."""

    def __init__(self, filename: Any) -> None:
        self._file = open_tensors(path_of(filename))
        self._tensors = _engine.tensors_in(self._file)

    def has_tensor(self, tensor_str: Any) -> bool:
        """Whether the checkpoint has a tensor of that name."""
        return _text(tensor_str) in self._tensors

    def get_tensor(self, tensor_str):
        """The value, as a NumPy array."""
        return _engine.read_tensor(self._file, _text(tensor_str)).numpy()

    def get_variable_to_shape_map(self) -> dict[Any, Any]:
        """{name: shape as a list}"""
        return {name: shape.as_list() for name, (_, shape) in self._tensors.items()}

    def get_variable_to_dtype_map(self) -> dict[Any, Any]:
        """{name: dtype}"""
        return {name: dtype for name, (dtype, _) in self._tensors.items()}

    def debug_string(self) -> bytes:
        """A line for each tensor."""
        return ''.join(f"{name} ({'DT_INVALID' if dtype is None else _datatype(dtype)}) "
                       f"{str(shape.as_list()).replace(' ', '')}\n"
                       for name, (dtype, shape) in sorted(self._tensors.items())).encode()


def _datatype(dtype: tf.DType) -> str:
    names = {1: 'FLOAT', 2: 'DOUBLE', 19: 'HALF'}
    return 'DT_' + names.get(dtype.as_datatype_enum, dtype.name.upper())


def _text(name: str) -> str:
    return name.decode() if isinstance(name, bytes) else name


def load_checkpoint(ckpt_dir_or_file: Any) -> CheckpointReader:
    """A CheckpointReader for a checkpoint, or for the latest one in a folder."""
    path = path_of(ckpt_dir_or_file)
    if os.path.isdir(path):
        found = latest_checkpoint(path)
        if found is None:
            raise ValueError(f"Couldn't find 'checkpoint' file or checkpoints in given directory {path}")
        path = found
    # One file of a checkpoint stands for all of them.
    path = re.sub(r'(\.index|\.data-\d{5}-of-\d{5})$', '', path)
    return CheckpointReader(path)


def load_variable(ckpt_dir_or_file, name):
    """The value of one tensor in a checkpoint, as a NumPy array."""
    name = _text(name)
    if name.endswith(':0'):
        name = name[:-2]
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name)


def list_variables(ckpt_dir_or_file: Any) -> list[Any]:
    """(name, shape) of each tensor in a checkpoint."""
    return sorted(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())


def checkpoints_iterator(checkpoint_dir: Any, min_interval_secs: Any = 0, timeout: Any = None,
                         timeout_fn: Callable[..., Any] | None = None) -> Iterator[Any]:
    """Yields the latest checkpoint of a folder whenever there is a new one, until none came for `timeout` seconds."""
    path = None
    while True:
        found = _next_checkpoint(checkpoint_dir, path, timeout)
        if found is None:
            if timeout_fn is None or timeout_fn():
                return
            continue
        path, begun = found, time.time()
        yield path
        time.sleep(max(0, min_interval_secs - (time.time() - begun)))


def _next_checkpoint(folder: Any, last: str | None, timeout: int) -> str | None:
    end = None if timeout is None else time.time() + timeout
    while True:
        found = latest_checkpoint(folder)
        if found is not None and found != last:
            return found
        if end is not None and time.time() + min(1, timeout) > end:
            return None
        time.sleep(1 if timeout is None else min(1, timeout))


def _number(value):
    """The int that a number, a tensor or a variable is; in a graph what it is in the default session."""
    if tf.executing_eagerly() or not isinstance(value, (tf.Tensor, tf.Variable)):
        return int(value)
    session = tf.compat.v1.get_default_session()
    if session is not None:
        return int(session.run(value))
    if isinstance(value, tf.Variable):
        with tf._eager_scope():
            return int(value.read_value())
    return int(value)


class CheckpointManager:
    """Keeps the last checkpoints of a folder and deletes older ones."""

    def __init__(self, checkpoint: Any, directory: Any, max_to_keep: int | None,
                 keep_checkpoint_every_n_hours: Any = None, checkpoint_name: str = 'ckpt', step_counter: Any = None,
                 checkpoint_interval: int | None = None, init_fn: Any = None,
                 last_checkpoint_step: int | None = None) -> None:
        if max_to_keep is not None and max_to_keep <= 0:
            raise ValueError(f'Expected a positive integer or `None` for `max_to_keep`, got {max_to_keep}.')
        if checkpoint_interval is not None and step_counter is None:
            raise ValueError('`step_counter` should be passed if `checkpoint_interval` is not None.')
        self._checkpoint, self._directory = checkpoint, path_of(directory)
        self._max_to_keep, self._every_n_hours = max_to_keep, keep_checkpoint_every_n_hours
        self._prefix = os.path.join(self._directory, checkpoint_name)
        self._step_counter, self._interval, self._last_step = step_counter, checkpoint_interval, last_checkpoint_step
        self._init_fn = init_fn
        self._kept = collections.OrderedDict()  # path -> time; oldest first
        now = time.time()
        state = get_checkpoint_state(self._directory)
        if state is None:
            # A little before now: what is saved first then counts as n hours later.
            self._latest_checkpoint, self._preserved = None, now - 1.
            return
        self._latest_checkpoint, self._preserved = state.model_checkpoint_path, state.last_preserved_timestamp
        times = list(state.all_model_checkpoint_timestamps)
        if self._preserved > now:
            tf.get_logger().warning('the clock was put back: checkpoints of %s are counted from now', self._directory)
            self._preserved = now
        if len(times) != len(state.all_model_checkpoint_paths):
            times = [self._preserved] * len(state.all_model_checkpoint_paths)
        # Checkpoints that are kept forever, or that no manager wrote, are not managed.
        for path, when in zip(state.all_model_checkpoint_paths, times):
            when = min(when, now)
            if when > self._preserved and checkpoint_exists(path):
                self._kept[path] = when

    directory = property(lambda self: self._directory, doc='The folder.')
    checkpoint_interval = property(lambda self: self._interval, doc='How many steps lie between two checkpoints.')
    latest_checkpoint = property(lambda self: self._latest_checkpoint, doc='The path of the latest checkpoint, or None.')
    checkpoints = property(lambda self: list(self._kept), doc='The paths of those that are managed, oldest first.')
    checkpoint = property(lambda self: self._checkpoint, doc='The tf.train.Checkpoint.')

    def _record(self):
        paths, times = zip(*self._kept.items())
        update_checkpoint_state_internal(self._directory, self._latest_checkpoint, paths, save_relative_paths=True,
                                         all_model_checkpoint_timestamps=times,
                                         last_preserved_timestamp=self._preserved)

    def _sweep(self) -> None:
        while self._max_to_keep and len(self._kept) > self._max_to_keep:
            path, when = self._kept.popitem(last=False)
            if self._every_n_hours and when - 3600 * self._every_n_hours >= self._preserved:
                self._preserved = when
                continue
            remove_checkpoint(path)

    def save(self, checkpoint_number=None, check_interval=True, options=None):
        """Saves and returns the path; None if the interval since the last one is not over."""
        if self._interval is not None:
            step = _number(self._step_counter)
            if check_interval and self._last_step is not None and step < self._last_step + self._interval:
                return None
            self._last_step = step
        number = None if checkpoint_number is None else _number(checkpoint_number)
        with tf._eager_scope():
            counted = self._checkpoint.save_counter.assign_add(1)
            number = int(counted) if number is None else number
        path = self._checkpoint.write(f'{self._prefix}-{number}', options)
        self._kept.pop(path, None)
        self._kept[path] = time.time()
        self._latest_checkpoint = path
        # The file names the latest checkpoint before others are deleted, so a process killed in between keeps it.
        self._record()
        self._sweep()
        self._record()
        return path

    def restore_or_initialize(self) -> str | None:
        """Restores the latest checkpoint and returns its path; without one calls `init_fn` and returns None."""
        if self._latest_checkpoint is not None:
            self._checkpoint.restore(self._latest_checkpoint)
            if self._interval is not None:
                self._last_step = _number(self._step_counter)
            return self._latest_checkpoint
        if self._init_fn is not None:
            self._init_fn()
        return None

    def sync(self) -> None:
        """Does nothing: a checkpoint is written when save() returns."""


publish('tf.train tf.compat.v1.train', CheckpointManager, latest_checkpoint, get_checkpoint_state, load_checkpoint,
        load_variable, list_variables, checkpoints_iterator)
alias('tf.compat.v1.train', CheckpointReader, update_checkpoint_state, update_checkpoint_state_internal,
      generate_checkpoint_state_proto, checkpoint_exists, get_checkpoint_mtimes, remove_checkpoint)
alias('tf.compat.v1.train', NewCheckpointReader=CheckpointReader)
