"""Control flow by the names that it has inside of TensorFlow: cond_v2, while_v2, parallel_for, and the ops over functions."""
import inspect

import footlight as tf
from footlight import _engine


def _flat(results):
    return [r for r in tf.nest.flatten(results, expand_composites=True) if r is not None]


def _calls(function, inputs):
    """The results of a function of tensors, flat."""
    if not callable(function):
        raise TypeError('a function is wanted, such as get_concrete_function() returns, not %r' % (function,))
    return _flat(function(*inputs))


def _truth(value):
    value = tf.convert_to_tensor(value)
    return value if value.dtype == tf.bool else tf.raw_ops.ToBool(input=value)


# --- tensorflow.python.ops.cond_v2 and while_v2 ---
def cond_v2(pred, true_fn, false_fn, name='cond'):
    """What one of two functions returns."""
    return tf.cond(pred, true_fn, false_fn, name)


def indexed_case(branch_index, branch_fns, name='indexed_case', lower_using_switch_merge=None):
    """What the function of that number returns; the last one's for all other numbers."""
    return tf.switch_case(branch_index, branch_fns, name=name)


def while_loop(cond, body, loop_vars, shape_invariants=None, parallel_iterations=10, maximum_iterations=None, name=None,
               return_same_structure=True, back_prop=True):
    """What the loop variables are when the condition is false."""
    results = tf.while_loop(cond, body, loop_vars, shape_invariants, parallel_iterations, back_prop,
                            maximum_iterations=maximum_iterations, name=name)
    return results if return_same_structure or len(results) != 1 else results[0]


# --- tensorflow.python.ops.parallel_for ---
def pfor(loop_fn, iters, fallback_to_while_loop=True, parallel_iterations=None, warn=False):
    """The stacked results of loop_fn for 0, 1, ... `iters` - 1, all at once."""
    if parallel_iterations is not None and parallel_iterations < 1:
        raise ValueError('Argument `parallel_iterations` must be None or a positive integer. Received: %s.' % (
            parallel_iterations,))
    if parallel_iterations == 1:
        raise ValueError('Found `parallel_iterations == 1`. Use `for_loop` instead.')
    iters = tf.convert_to_tensor(iters)
    if iters.shape.rank not in (None, 0):
        raise ValueError('pfor: `iters` must be a scalar, its shape is %s' % (iters.shape,))
    found = tf.vectorized_map(loop_fn, tf.range(iters), fallback_to_while_loop, warn)
    return found if found is not None or tf.executing_eagerly() else tf.no_op()


def for_loop(loop_fn, loop_fn_dtypes, iters, parallel_iterations=None):
    """The stacked results of loop_fn for 0, 1, ... `iters` - 1, one after the other."""
    return tf.map_fn(loop_fn, tf.range(iters), fn_output_signature=loop_fn_dtypes, parallel_iterations=parallel_iterations)


def _gradient_rows(flat, count, x):
    """The gradients of so many tensors with respect to x, stacked; None where none of them depends on it."""
    if count is None:
        raise ValueError('the shape of the output must be known while tracing')
    rows = [tf.gradients(flat(i), x)[0] for i in range(count)]
    if all(row is None for row in rows) and rows:
        return None
    rows = [tf.zeros_like(x) if row is None else tf.convert_to_tensor(row) for row in rows]
    return tf.stack(rows) if rows else tf.zeros(tf.concat([[0], tf.shape(x)], 0), x.dtype)


def jacobian(output, inputs, use_pfor=True, parallel_iterations=None):
    """The derivatives of each element of the output with respect to each of the inputs."""
    flat = tf.reshape(output, [-1])

    def one(x):
        rows = _gradient_rows(lambda i: flat[i], flat.shape[0], x)
        return None if rows is None else tf.reshape(rows, tf.concat([tf.shape(output), tf.shape(x)], 0))
    return tf.nest.map_structure(one, inputs)


def batch_jacobian(output, inp, use_pfor=True, parallel_iterations=None):
    """For each row of the output its derivatives with respect to the same row of the input."""
    if output.shape.rank is None or inp.shape.rank is None or not output.shape.rank or not inp.shape.rank or (
            not output.shape[:1].is_compatible_with(inp.shape[:1])):
        raise ValueError('Need first dimension of `output` shape (%s) and `inp` shape (%s) to match.' % (
            output.shape, inp.shape))
    flat = tf.reshape(output, [tf.shape(output)[0], output.shape[1:].num_elements()])
    rows = _gradient_rows(lambda i: flat[:, i], flat.shape[1], inp)
    if rows is None:
        return None
    rows = tf.transpose(rows, [1, 0, *range(2, inp.shape.rank + 1)])
    return tf.reshape(rows, tf.concat([tf.shape(output), tf.shape(inp)[1:]], 0))


# --- tf.raw_ops: ops whose attributes are functions of tensors ---
def If(*, cond, input, Tout, then_branch, else_branch, output_shapes=(), name=None):
    """The results of one of two functions, as a list."""
    return _flat(tf.cond(_truth(cond), lambda: _calls(then_branch, input), lambda: _calls(else_branch, input), name))


def Case(*, branch_index, input, Tout, branches, output_shapes=(), name=None):
    """The results of the function of that number, as a list; the last one's for all other numbers."""
    return _flat(tf.switch_case(tf.convert_to_tensor(branch_index), [lambda branch=branch: _calls(branch, input) for branch in branches],
                                name=name or 'case'))


def While(*, input, cond, body, output_shapes=(), parallel_iterations=10, name=None):
    """What the inputs have become when the condition is false, as a list."""
    if not input:
        return []
    return list(tf.while_loop(lambda *now: _truth(_calls(cond, now)[0]), lambda *now: _calls(body, now),
                              [tf.convert_to_tensor(value) for value in input], parallel_iterations=parallel_iterations,
                              name=name))


def PartitionedCall(*, args, Tout, f, config='', config_proto='', executor_type='', name=None):
    """The results of a function, as a list."""
    return _calls(f, args)


def _named(function, name):
    def same(**arguments):
        return function(**arguments)
    same.__name__ = same.__qualname__ = name
    same.__doc__, same.__signature__ = function.__doc__, inspect.signature(function)
    return same


RAW = {'If': If, 'Case': Case, 'While': While, 'PartitionedCall': PartitionedCall}
for _name, _of in (('StatelessIf', If), ('StatelessCase', Case), ('StatelessWhile', While),
                   ('StatefulPartitionedCall', PartitionedCall)):
    RAW[_name] = _named(_of, _name)


# --- tensorflow.python.ops.functional_ops ---
def _if(cond, inputs, then_branch, else_branch, name=None):
    """The results of one of two functions, as a list."""
    return If(cond=cond, input=inputs, Tout=None, then_branch=then_branch, else_branch=else_branch, name=name)


def _while(input_, cond, body, name=None, hostmem=None):
    """What the inputs have become when the condition is false, as a list."""
    return While(input=input_, cond=cond, body=body, name=name)


def _for(start, limit, delta, inputs, body, name=None, hostmem=None, rewrite_with_while=None):
    """What the inputs have become after the body has run for start, start + delta, ... below the limit, as a list."""
    numbers = tf.range(start, limit, delta)
    values = [tf.convert_to_tensor(value) for value in inputs]
    done = tf.while_loop(lambda i, *now: i < tf.size(numbers), lambda i, *now: (i + 1, *_calls(body, (numbers[i], *now))),
                         [0, *values], name=name)
    return list(done[1:])


for _path, _objects in {
        'cond_v2': {'cond_v2': cond_v2, 'indexed_case': indexed_case}, 'while_v2': {'while_loop': while_loop},
        'functional_ops': {'If': _if, 'While': _while, 'For': _for},
        'parallel_for.control_flow_ops': {'pfor': pfor, 'for_loop': for_loop},
        'parallel_for.gradients': {'jacobian': jacobian, 'batch_jacobian': batch_jacobian},
        'parallel_for': {'pfor': pfor, 'for_loop': for_loop, 'jacobian': jacobian, 'batch_jacobian': batch_jacobian}}.items():
    for _name, _object in _objects.items():
        setattr(_engine.namespace('python.ops.' + _path), _name, _object)
