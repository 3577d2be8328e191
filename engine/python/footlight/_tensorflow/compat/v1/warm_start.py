"""tf.compat.v1.train's values from checkpoints of other programs, and its smaller functions for steps."""
from __future__ import annotations

import re

import footlight as tf
from footlight._public import publish
from footlight._tensorflow.compat.v1 import variable_scope as _variable_scope
from footlight._saving import trackable as _trackable
from footlight._typing import Any

_v1 = tf.compat.v1


def _named_variables() -> dict[Any, Any]:
    """{name: variable} of what get_variable() made in the graph."""
    graph = _variable_scope._graph()
    return {} if graph is None else _variable_scope._kept(graph)[1]


def _give(variable, name, reader, shapes, path, why=''):
    """Gives a variable the value that a checkpoint has under a name."""
    if name not in shapes:
        raise ValueError(f'Tensor {name}{why} is not found in {path} checkpoint; it has '
                         f"{', '.join(sorted(shapes)[:20])}")
    if not variable.shape.is_compatible_with(shapes[name]):
        raise ValueError(f"Shape of variable {variable.name} ({variable.shape}) doesn't match with shape of tensor "
                         f'{name} ({shapes[name]!s}) from checkpoint reader.')
    with tf._eager_scope():
        value = tf.constant(reader.get_tensor(name))
        if value.dtype != variable.dtype:
            value = tf.cast(value, variable.dtype)
        variable._restore_from_tensors({_trackable.VARIABLE_VALUE: value})
        variable._first = None  # a session's initializer assigns this value


def init_from_checkpoint(ckpt_dir_or_file: Any, assignment_map: Any) -> None:
    """Lets variables begin with the values of a checkpoint: {its name or scope/: a variable, its name or its scope/}."""
    reader = tf.train.load_checkpoint(ckpt_dir_or_file)
    shapes = reader.get_variable_to_shape_map()
    known = _named_variables()
    pairs = assignment_map.items() if isinstance(assignment_map, dict) else assignment_map
    for name, target in sorted(pairs, key=lambda pair: pair[0]):
        if isinstance(target, (list, tuple)):
            if len(target) != 1:
                raise NotImplementedError('init_from_checkpoint(): variables are not divided here; give one variable '
                                          f'for {name!r}')
            target = target[0]
        if isinstance(target, tf.Variable):
            _give(target, name, reader, shapes, ckpt_dir_or_file)
            continue
        if not isinstance(target, str):
            raise TypeError(f'init_from_checkpoint(): a name maps to a variable, a name or a scope, not to {target!r}')
        if target in known:
            _give(known[target], name, reader, shapes, ckpt_dir_or_file)
            continue
        if not target.endswith('/') or not name.endswith('/'):
            raise ValueError(f'Assignment map with scope only name {target} should map to scope only {name}. Should be '
                             "'scope/': 'other_scope/'.")
        scope = target.rstrip('/')
        inside = [one for one in sorted(known) if not scope or one.startswith(scope + '/')]
        for one in inside:
            rest = one[len(scope) + 1 if scope else 0:]
            full = rest if name == '/' else name + rest
            _give(known[one], full, reader, shapes, ckpt_dir_or_file, f' ({name} in {one})')


def warm_start(ckpt_to_initialize_from: Any, vars_to_warm_start: str = '.*', var_name_to_vocab_info: Any = None,
               var_name_to_prev_var_name: Any = None) -> None:
    """Lets the variables whose names fit begin with the values that a checkpoint has under these or other names."""
    if var_name_to_vocab_info:
        raise NotImplementedError('warm_start(): vocabularies are not mapped here; make the rows with tf.gather and assign them')
    if isinstance(vars_to_warm_start, str):
        chosen = [v for v in _v1.trainable_variables() if re.match(vars_to_warm_start, v._shared_name)]
    elif all(isinstance(one, str) for one in vars_to_warm_start or ()):
        chosen = [v for v in _v1.global_variables() if any(re.match(one, v._shared_name) for one in vars_to_warm_start or ())]
    else:
        chosen = list(vars_to_warm_start)
    earlier = var_name_to_prev_var_name or {}
    reader = tf.train.load_checkpoint(ckpt_to_initialize_from)
    shapes = reader.get_variable_to_shape_map()
    for variable in chosen:
        name = variable._shared_name
        _give(variable, earlier.get(name, name), reader, shapes, ckpt_to_initialize_from)


def global_step(sess, global_step_tensor):
    """The step, as a number."""
    return int(sess.run(global_step_tensor)) if sess is not None else int(global_step_tensor.numpy())


def assert_global_step(global_step_tensor: Any) -> None:
    """Raises where this cannot be a step: it must be one whole number."""
    if not isinstance(global_step_tensor, (tf.Variable, tf.Tensor)):
        raise TypeError(f'Existing "global_step" must be a Variable or Tensor: {global_step_tensor!s}.')
    if not global_step_tensor.dtype.is_integer:
        raise TypeError(f'Existing "global_step" does not have integer type: {global_step_tensor.dtype}')
    if global_step_tensor.shape.rank not in (0, None):
        raise TypeError(f'Existing "global_step" is not scalar: {global_step_tensor.shape}')


def replica_device_setter(ps_tasks: Any = 0, ps_device: str = '/job:ps', worker_device: str = '/job:worker',
                          merge_devices: bool = True, cluster: Any = None, ps_ops: Any = None,
                          ps_strategy: Any = None) -> None:
    """None: all variables are on this machine. Where there are parameter servers, it says that there are none here."""
    if cluster is not None:
        jobs = cluster.as_dict() if hasattr(cluster, 'as_dict') else dict(cluster)
        ps_tasks = len(jobs.get(ps_device.rpartition('/job:')[2], ()))
    if ps_tasks:
        raise NotImplementedError('replica_device_setter(): Footlight runs on one machine, without parameter servers; leave '
                                  'ps_tasks at 0')
    return None


publish('tf.compat.v1.train', init_from_checkpoint, warm_start, global_step, assert_global_step, replica_device_setter)
