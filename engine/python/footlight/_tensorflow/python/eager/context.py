"""tensorflow.python.eager.context: the state of eager execution."""
from __future__ import annotations

import contextlib

import footlight as tf
from footlight._tensorflow.publish import publish
from footlight._typing import Any, Iterator


SYNC, ASYNC, EAGER_MODE, GRAPH_MODE = 0, 1, 1, 0
DEVICE_PLACEMENT_EXPLICIT, DEVICE_PLACEMENT_WARN, DEVICE_PLACEMENT_SILENT, DEVICE_PLACEMENT_SILENT_FOR_INT32 = 0, 1, 2, 3


class Context:
    """The state of eager execution: ops run when they are called, so that there is never anything to wait for."""

    context_switches = property(lambda self: ())
    execution_mode = SYNC
    device_policy = DEVICE_PLACEMENT_SILENT
    device_name = property(lambda self: tf.zeros([]).device, doc='The device that ops run on now.')
    scope_name = property(lambda self: _scope_name(), doc='The name scope that is open.')
    soft_device_placement = property(lambda self: tf.config.get_soft_device_placement(),
                                     lambda self, value: tf.config.set_soft_device_placement(value))
    log_device_placement = property(lambda self: tf.debugging.get_log_device_placement(),
                                    lambda self, value: tf.debugging.set_log_device_placement(value))
    intra_op_parallelism_threads = property(lambda self: tf.config.threading.get_intra_op_parallelism_threads(),
                                            lambda self, n: tf.config.threading.set_intra_op_parallelism_threads(n))
    inter_op_parallelism_threads = property(lambda self: tf.config.threading.get_inter_op_parallelism_threads(),
                                            lambda self, n: tf.config.threading.set_inter_op_parallelism_threads(n))
    run_eager_op_as_function = property(lambda self: False)

    def ensure_initialized(self) -> None:
        """Does nothing: there is nothing to wait for."""

    def clear_kernel_cache(self) -> None:
        """Forgets kernels: what is kept here depends on nothing that may change."""

    def sync_executors(self) -> None:
        """Waits until all ops have run: they have."""

    clear_executor_errors = ensure_initialized

    def executing_eagerly(self) -> bool:
        """Whether ops run when they are called."""
        return tf.executing_eagerly()

    def devices(self) -> list[Any]:
        """The names of the devices."""
        return [device.name for device in tf.config.list_logical_devices()]

    def list_logical_devices(self, device_type=None):
        """The devices that ops run on."""
        return tf.config.list_logical_devices(device_type)

    def list_physical_devices(self, device_type=None):
        """The devices of the machine."""
        return tf.config.list_physical_devices(device_type)

    def num_gpus(self) -> int:
        """How many GPUs there are."""
        return len(tf.config.list_logical_devices('GPU'))

    def device(self, name):
        """A context on a device."""
        return tf.device(name)

    def internal_operation_seed(self) -> Any:
        """A number for a random op that says none."""
        import random
        return random.randrange(2**31 - 1)


def executing_eagerly() -> bool:
    """Whether ops run when they are called."""
    return tf.executing_eagerly()


in_eager_mode = executing_eagerly


def _scope_name() -> Any:
    scope = tf.get_current_name_scope()
    return scope + '/' if scope else ''


def device(name):
    """A context on a device."""
    return tf.device(name)


def num_gpus() -> int:
    """How many GPUs there are."""
    return len(tf.config.list_logical_devices('GPU'))


def set_soft_device_placement(enabled: Any) -> None:
    """Whether ops may run elsewhere than where they are asked to."""
    tf.config.set_soft_device_placement(enabled)


def set_global_seed(seed: Any) -> None:
    """Sets the seed of random ops."""
    tf.random.set_seed(seed)


@contextlib.contextmanager
def execution_mode(mode: Any) -> Iterator[Any]:
    """A context in which ops are waited for or not; here they always are."""
    yield


_context = Context()


def context() -> Context:
    """The state of eager execution."""
    return _context


@contextlib.contextmanager
def eager_mode():
    """A context in which ops run when they are called."""
    if tf.executing_eagerly():
        yield
    else:
        with tf._eager_scope():
            yield


@contextlib.contextmanager
def graph_mode() -> Iterator[Any]:
    """A context in which ops go into a graph: the default one, where a program entered one."""
    if not tf.executing_eagerly():
        yield
        return
    with tf.Graph().as_default():
        yield


def async_wait() -> None:
    """Waits until all ops have run: they have."""


# --- the state of eager execution ---
def _reset_context() -> None:
    """Would forget devices and settings: they are those of the process here, so that only functions' running eagerly ends."""
    tf.config.run_functions_eagerly(False)


def ensure_initialized() -> None:
    """Does nothing: the engine is ready when it is imported."""


publish(globals())
publish(globals(), 'SYNC ASYNC EAGER_MODE GRAPH_MODE DEVICE_PLACEMENT_EXPLICIT DEVICE_PLACEMENT_WARN '
        'DEVICE_PLACEMENT_SILENT DEVICE_PLACEMENT_SILENT_FOR_INT32 _context in_eager_mode _reset_context')
