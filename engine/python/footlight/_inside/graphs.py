"""The state of eager execution, and graphs, by the names that they have inside of TensorFlow: context, ops, control_flow_ops."""
import collections
import contextlib
import itertools

import footlight as tf
from footlight import _engine
from footlight._graphs import graph as _graph

# --- tensorflow.python.eager.context ---
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

    def ensure_initialized(self):
        """Does nothing: there is nothing to wait for."""

    def clear_kernel_cache(self):
        """Forgets kernels: what is kept here depends on nothing that may change."""

    def sync_executors(self):
        """Waits until all ops have run: they have."""

    clear_executor_errors = ensure_initialized

    def executing_eagerly(self):
        """Whether ops run when they are called."""
        return tf.executing_eagerly()

    def devices(self):
        """The names of the devices."""
        return [device.name for device in tf.config.list_logical_devices()]

    def list_logical_devices(self, device_type=None):
        """The devices that ops run on."""
        return tf.config.list_logical_devices(device_type)

    def list_physical_devices(self, device_type=None):
        """The devices of the machine."""
        return tf.config.list_physical_devices(device_type)

    def num_gpus(self):
        """How many GPUs there are."""
        return len(tf.config.list_logical_devices('GPU'))

    def device(self, name):
        """A context on a device."""
        return tf.device(name)

    def internal_operation_seed(self):
        """A number for a random op that says none."""
        import random
        return random.randrange(2**31 - 1)


def executing_eagerly():
    """Whether ops run when they are called."""
    return tf.executing_eagerly()


in_eager_mode = executing_eagerly


def _scope_name():
    scope = tf.get_current_name_scope()
    return scope + '/' if scope else ''


def device(name):
    """A context on a device."""
    return tf.device(name)


def num_gpus():
    """How many GPUs there are."""
    return len(tf.config.list_logical_devices('GPU'))


def set_soft_device_placement(enabled):
    """Whether ops may run elsewhere than where they are asked to."""
    tf.config.set_soft_device_placement(enabled)


def set_global_seed(seed):
    """Sets the seed of random ops."""
    tf.random.set_seed(seed)


@contextlib.contextmanager
def execution_mode(mode):
    """A context in which ops are waited for or not; here they always are."""
    yield


# --- tensorflow.python.framework.ops: where ops go ---
_ids = itertools.count(1)


def inside_function():
    """Whether a function is traced."""
    graph = _engine.current_graph()
    return graph is not None and graph.building_function


def uid():
    """A number that no one has had."""
    return next(_ids)


def strip_name_scope(name, export_scope):
    """A name without the scope before it."""
    if not export_scope:
        return name
    scope = export_scope.rstrip('/') + '/'
    for mark in ('^', 'loc:@', ''):
        if name.startswith(mark + scope):
            return mark + name[len(mark + scope):]
    return name


def prepend_name_scope(name, import_scope):
    """A name with a scope before it."""
    if not import_scope:
        return name
    for mark in ('^', 'loc:@', ''):
        if name.startswith(mark):
            return mark + import_scope.rstrip('/') + '/' + name[len(mark):]


def name_from_scope_name(name):
    """The name of an op of the scope "name/"."""
    return name[:-1] if name and name[-1] == '/' else name


def convert_n_to_tensor(values, dtype=None, name=None, preferred_dtype=None):
    """Each value as a tensor."""
    return [tf.convert_to_tensor(value, dtype, preferred_dtype, None if name is None else '%s_%d' % (name, i))
            for i, value in enumerate(values)]


def add_exit_callback_to_default_func_graph(fn):
    """Has fn called when the function that is traced now is traced to its end."""
    graph = _engine.current_graph()
    if graph is None or not graph.building_function:
        raise RuntimeError('Cannot add scope exit callbacks when not building a function. Default graph: %s' % (graph,))
    graph._state.setdefault('exit_callbacks', []).append(fn)


def get_gradient_function(op):
    """The function that was registered as the gradient of an operation's type, or None."""
    from footlight._control import order as _control
    return _control.RegisterGradient._known.get(op.type)


# --- tensorflow.python.ops.control_flow_ops, control_flow_util ---
def with_dependencies(dependencies, output_tensor, name=None):
    """The tensor, given when the dependencies have run."""
    if tf.executing_eagerly():
        return output_tensor
    with tf.name_scope(name or 'control_dependency'), tf.control_dependencies(dependencies):
        return tf.nest.map_structure(tf.identity, output_tensor, expand_composites=True)


ENABLE_CONTROL_FLOW_V2 = True


def IsSwitch(op):
    """Whether the operation leads into a branch of TensorFlow 1."""
    return op.type in ('Switch', 'RefSwitch')


def IsMerge(op):
    """Whether the operation joins branches of TensorFlow 1."""
    return op.type in ('Merge', 'RefMerge')


def IsInWhileLoop(op):
    """Whether the operation is in a loop of TensorFlow 1: there are none."""
    return False


def IsInCond(op):
    """Whether the operation is in a branch of TensorFlow 1: there are none."""
    return False


def EnableControlFlowV2(graph):
    """Whether branches and loops have graphs of their own: always."""
    return True


IsCondSwitch = IsSwitch


def GraphOrParentsInXlaContext(graph):
    """Whether what is traced is compiled for XLA: never."""
    return False


def in_defun():
    """Whether a function is traced."""
    graph = _engine.current_graph()
    while graph is not None and graph.is_control_flow_graph:
        graph = _graph.graph_around(graph)
    return graph is not None and graph.building_function


def in_while_loop_defun(graph):
    """Whether a loop is traced."""
    return graph is not None and graph.is_control_flow_graph


def output_all_intermediates():
    """Whether branches give what gradients need besides what they return: where gradients are asked for."""
    return False


def smart_case(pred_fn_pairs, default=None, exclusive=False, name='smart_case'):
    """What the first function returns whose condition holds, called at once where that is known."""
    from footlight._inside import internal as _internal
    pairs = list(pred_fn_pairs.items() if isinstance(pred_fn_pairs, dict) else pred_fn_pairs)
    for pred, fn in pairs:
        known = _internal.smart_constant_value(pred)
        if known is None:
            return tf.case(pairs, default, exclusive, name=name)
        if known:
            return fn()
    return default()


# --- tensorflow.python.ops.op_selector ---
def _operations(initial):
    return [t.op if isinstance(t, tf.Tensor) else t for t in tf.nest.flatten(initial)]


def get_backward_walk_ops(seed_ops, inclusive=True, within_ops=None, within_ops_fn=None, stop_at_ts=(), control_inputs=False):
    """The operations that others need, those first from which the walk begins."""
    stop = {t.name for t in tf.nest.flatten(list(stop_at_ts))}
    within = None if within_ops is None else {op.name for op in within_ops}
    seeds = _operations(seed_ops)
    found, seen, waiting = [], set(), collections.deque(seeds)
    while waiting:
        op = waiting.popleft()
        if op.name in seen or within is not None and op.name not in within or within_ops_fn and not within_ops_fn(op):
            continue
        seen.add(op.name)
        found.append(op)
        waiting.extend(t.op for t in op.inputs if t.name not in stop)
        if control_inputs:
            waiting.extend(op.control_inputs)
    first = {op.name for op in seeds}
    return found if inclusive else [op for op in found if op.name not in first]


# --- tensorflow.python.eager.cancellation ---
class CancellationManager:
    """Ends what runs under it: a call that begins after that is an error."""

    def __init__(self):
        self._cancelled = False

    is_cancelled = property(lambda self: self._cancelled)

    def start_cancel(self):
        """Ends what runs, and lets nothing more begin."""
        self._cancelled = True

    def get_cancelable_function(self, concrete_function):
        """The function, which does not run when this was cancelled."""
        def cancelable(*args, **kwargs):
            if self._cancelled:
                raise tf.errors.CancelledError(None, None, 'function was cancelled before it was run')
            return concrete_function(*args, **kwargs)
        return cancelable


for _path, _names in {
        'eager.cancellation': 'CancellationManager',
        'eager.context': 'SYNC ASYNC EAGER_MODE GRAPH_MODE DEVICE_PLACEMENT_EXPLICIT DEVICE_PLACEMENT_WARN '
                         'DEVICE_PLACEMENT_SILENT DEVICE_PLACEMENT_SILENT_FOR_INT32 Context executing_eagerly in_eager_mode '
                         'device num_gpus set_soft_device_placement set_global_seed execution_mode',
        'framework.ops': 'inside_function uid strip_name_scope prepend_name_scope '
                         'name_from_scope_name convert_n_to_tensor add_exit_callback_to_default_func_graph '
                         'get_gradient_function',
        'framework.smart_cond': 'smart_case', 'ops.control_flow_ops': 'with_dependencies',
        'ops.control_flow_util': 'ENABLE_CONTROL_FLOW_V2 IsSwitch IsMerge IsInWhileLoop IsInCond EnableControlFlowV2 IsCondSwitch GraphOrParentsInXlaContext',
        'ops.control_flow_util_v2': 'in_defun in_while_loop_defun output_all_intermediates',
        'ops.op_selector': 'get_backward_walk_ops'}.items():
    for _name in _names.split():
        setattr(_engine.namespace('python.' + _path), _name, globals()[_name])
