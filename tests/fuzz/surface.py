"""The public surface, found by walking it: functions, classes, members, and what is known about their parameters."""
import enum
import inspect
import json
import os
import re
import types

import footlight as tf
import raw_calls
from footlight import _engine

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'golden', 'ops')
OP = type(tf.add)  # functions of the table of public names

# How to make one of each type, as texts with the names of hostile.py. Other public types are only called.
INSTANCES = [
    "t('float32', [2, 3])", "t('int32', [])", "t('string', [2])", "t('bool', [3])", "t('complex64', [2])", "leaked()",
    "tf.Variable(t('float32', [2, 3]))", "tf.Variable([1, 2], shape=tf.TensorShape(None))", "tf.Variable('a')",
    "tf.TensorShape([2, None])", "tf.TensorShape(None)", "tf.TensorShape([])", "tf.float32", "tf.string",
    "tf.resource", "tf.TensorSpec([None, 2])", "tf.TensorSpec(None, tf.string)", "tape()", "tape(True)",
    "tape().stop_recording()", "tf.autodiff.ForwardAccumulator(tf.ones([2]), tf.ones([2]))", "traced()",
    "traced().graph", "traced().inputs[0]", "traced().graph.get_operations()[-1]", "traced().function_type",
    "tf.function(lambda x: x + 1.)", "tf.random.Generator.from_seed(1)",
    "tf.IndexedSlices(t('float32', [2, 3]), [0, 1])", "tf.SparseTensor([[0, 1]], [1.], [2, 3])",
    "tf.IndexedSlicesSpec([2, 3])", "tf.Module()", "tf.Module().name_scope", "tf.TensorShape([1, 2]).as_proto()",
    "tf.TensorShape([1, 2]).as_proto().dim", "tf.TensorShape([1, 2]).as_proto().dim[0]",
    "traced().graph.as_graph_def()", "traced().graph.as_graph_def().node",
    "traced().graph.as_graph_def().node[0].attr", "tf.make_tensor_proto([1., 2.])", "tf.DeviceSpec()",
    "tf.DeviceSpec.from_string('/job:w/device:GPU:1')", "tf.device('/CPU:0')", "tf.name_scope('a')",
    "tf.init_scope()", "tf.ones([2]).ref()", "iter(tf.ones([2]))", "tf.Variable(1.).ref()",
    "tf.config.list_physical_devices()[0]", "tf.config.list_logical_devices()[0]",
    "tf.autograph.experimental.do_not_convert(lambda x: x)", "tf.custom_gradient(lambda x: (x, lambda d: d))",
    "tf.recompute_grad(lambda x: x)", "tf.add", "tf.ones([2]).set_shape", "tf.random.Algorithm.PHILOX",
    "tf.constant_initializer(1.)", "tf.random_uniform_initializer()", "tf.glorot_normal_initializer(seed=1)",
    "tf.compat.v1.train.GradientDescentOptimizer(0.1)", "tf.errors.InvalidArgumentError(None, None, 'a')",
    "tf.Variable(tf.ones([2, 2])).value()", "tf.ones([2, 2]).shape.dims", "tf.math.top_k([1., 2.], 1)",
    "tf.variable_creator_scope(lambda f, **k: f(**k))", "tf.Variable(1.).op", "traced().graph.as_graph_def().library",
    "bare(tf.Tensor)", "bare(tf.Variable)", "bare(tf.TensorSpec)", "bare(tf.TypeSpec)", "bare(tf.GradientTape)",
    "bare(tf.IndexedSlices)", "bare(tf.SparseTensor)", "bare(tf.Module)", "bare(tf.random.Generator)",
    "bare(type(traced()))", "bare(type(tf.function(len)))", "bare(tf.autodiff.ForwardAccumulator)",
    "bare(tf.TensorShape)", "bare(tf.DType)", "bare(type(tf.name_scope('a')))",
    "bare(type(tf.autograph.experimental.do_not_convert(len)))", "bare(tf.DeviceSpec)"
]

# Functions that end or change the process for good, as documented, or wait for the outside world.
NEVER = re.compile(r'\.(enable_op_determinism|set_logical_device_configuration|set_virtual_device_configuration|'
                   r'set_visible_devices|enable_check_numerics|run_functions_eagerly|set_log_device_placement|'
                   r'experimental_run_functions_eagerly|register_tensor_conversion_function|set_verbosity|'
                   r'set_inter_op_parallelism_threads|set_intra_op_parallelism_threads|set_soft_device_placement)$')

# Functions of the extension by which the package changes for good what others do.
HOOKS = ('ag_switch_off', 'extend', 'numpy_operators', 'on_composites', 'on_failures', 'set_variable_creator',
         'set_variable_listener')


def namespaces():
    found, todo = {}, [('tf', tf)]
    while todo:
        name, module = todo.pop(0)
        if id(module) in (id(m) for m in found.values()):
            continue
        found[name] = module
        todo += [(f'{name}.{leaf}', value) for leaf, value in sorted(vars(module).items())
                 if not leaf.startswith('_') and isinstance(value, types.ModuleType) and
                 value.__name__.startswith('footlight')]
    return found


def callables():
    """{name: object} of every public function and class, once each, and of what the package calls in the extension."""
    found, seen = {}, set()
    for name, module in namespaces().items():
        for leaf, value in sorted(vars(module).items()):
            if leaf.startswith('_') or isinstance(value,
                                                  types.ModuleType) or not callable(value) or id(value) in seen:
                continue
            if isinstance(value, (tf.DType, enum.EnumMeta)) or NEVER.search(f'{name}.{leaf}'):
                continue
            seen.add(id(value))
            found[f'{name}.{leaf}'] = value
    for name in raw_calls.signatures():  # tf.raw_ops makes them when they are asked for
        if _engine.op_signature(name):
            found[f'tf.raw_ops.{name}'] = getattr(tf.raw_ops, name)
    for leaf, value in sorted(vars(_engine).items()):
        if callable(value) and not leaf.startswith('_') and leaf not in HOOKS:
            found[f'_engine.{leaf}'] = value
    return found


DOCUMENTED = re.compile(r'\s*(\w+): (.*?)(?: or None)?(;.*)?\.$')


def parameters(function):
    """[(name, its kind as the help says, whether it may be left out)], or None if nothing is known."""
    known = dict(
        (m[1], m[2]) for m in map(DOCUMENTED.match, (getattr(function, '__doc__', None) or '').splitlines()) if m)
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return [(name, kind, name == 'name') for name, kind in known.items()] or None
    return [(p.name, known.get(p.name, ''), p.default is not p.empty) for p in signature.parameters.values()
            if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY) and p.name != 'self']


def recorded_calls():
    """{name: [(args, kwargs)]} of calls that work, in the form that tests/golden/ops/README.md describes."""
    found = raw_calls.calls()
    for file in sorted(os.listdir(GOLDEN)):
        if file.endswith('.jsonl'):
            with open(os.path.join(GOLDEN, file), encoding='utf-8') as lines:
                for line in lines:
                    case = json.loads(line)
                    if 'args' in case and not NEVER.search(case['op']):
                        found.setdefault(case['op'], []).append((case['args'], case.get('kwargs', {})))
    return found


def members(instance):
    """The names of all members of its type, beyond those of every object."""
    return sorted(name for name in dir(type(instance))
                  if not hasattr(object, name) or name in ('__reduce__', '__init__', '__new__', '__eq__', '__hash__',
                                                           '__repr__', '__format__', '__str__', '__lt__',
                                                           '__setattr__', '__getattribute__'))
