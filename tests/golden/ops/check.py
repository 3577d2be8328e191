"""Runs one recorded case and says what is wrong: its result or error, then gradients, then traces."""
import operator
import re

import numpy as np
from values import (INEXACT, Comparer, Differs, Maker, array, dtype_of, expect, numbers, recorded_tensors,
                    same_elements, scaled, tensors_in)

BUILTINS = {'abs': abs, 'bool': bool, 'int': int, 'float': float, 'len': len, 'iter': list, 'complex': complex,
            'round': round, 'neg': operator.neg, 'pos': operator.pos, 'invert': operator.invert,
            'index': operator.index}


def function_named(tf, name):
    """What `tf.math.add` names. Methods that Python calls for an operator are asked for through the operator, the
    reflected ones too: their arguments stand as in the program."""
    special = re.fullmatch(r'tf\.(?:Tensor|Variable)\.__(\w+)__', name)
    if special:
        method = special.group(1)
        if method == 'getitem':
            return operator.getitem
        if method in BUILTINS:
            return BUILTINS[method]
        for operation in (method, method[1:] if method[0] == 'r' else method):
            found = getattr(operator, f'__{operation}__', None)
            if found:
                return found
    return operator.attrgetter(name.partition('.')[2])(tf)


class Call:
    """The call of a case, with arguments of its own."""

    def __init__(self, tf, case, instead=None):
        maker = Maker(tf, instead)
        self.function = function_named(tf, case['op'])
        self.arguments = [maker.make(a) for a in case['args']]
        self.named = {name: maker.make(a) for name, a in case.get('kwargs', {}).items()}
        self.tensors = maker.tensors

    def __call__(self):
        return self.function(*self.arguments, **self.named)


def fits(recorded, error):
    """Whether this exception is of the recorded class, or of the builtin one that the recorded class is."""
    if recorded['class'] in [c.__name__ for c in type(error).__mro__] or recorded.get('any'):
        return True
    return (recorded.get('is_value_error') and isinstance(error, ValueError) or
            recorded.get('is_type_error') and isinstance(error, TypeError))


def said(error):
    return f'{type(error).__name__}: {str(error)[:200]}'


def result_of(tf, case):
    if 'code' not in case:
        return Call(tf, case)()
    names = {'tf': tf, 'np': np}
    exec(compile(case['code'], case['id'], 'exec'), names)  # the recorded lines set `out`
    return names.get('out')


def weights(tf, t):
    """By which the elements of an output count in the sum whose gradient is recorded."""
    k = np.arange(int(np.prod(t.shape.as_list(), dtype=np.int64)))
    return tf.cast(tf.constant((((7 * k + 3) % 11 - 5) / 4.0).reshape(t.shape.as_list())), t.dtype)


def gradients(tf, case):
    call = Call(tf, case)
    inputs = [t for t in call.tensors if dtype_of(tf, t) in INEXACT]
    with tf.GradientTape() as tape:
        for x in inputs:
            tape.watch(x)
        outputs = [t for t in tensors_in(tf, call()) if dtype_of(tf, t) in INEXACT]
    found = tape.gradient(outputs, inputs, output_gradients=[weights(tf, y) for y in outputs])
    return [None if g is None else tf.convert_to_tensor(g) for g in found]


def check_gradients(tf, case, tolerance):
    try:
        found = gradients(tf, case)
    except Exception as e:
        expect(case.get('grad_error') in [c.__name__ for c in type(e).__mro__], 'the gradient raises', said(e))
        return
    expect('grad_error' not in case, 'the gradient raises no', case.get('grad_error'))
    Comparer(tf, case.get('grad_tol') or scaled(tolerance, 10)).same(case['grad'], found, 'gradient')


def trace(tf, case, shapes):
    """The case as a function of its tensors, traced: ([(dtype, static shape)], the function, what to call it with)."""
    tensors = Call(tf, case).tensors
    seen = []

    def body(*symbolic):
        outputs = tensors_in(tf, Call(tf, case, symbolic)())
        seen[:] = [(dtype_of(tf, t), None if t.shape.rank is None else t.shape.as_list()) for t in outputs]
        return [tf.identity(t) for t in outputs]

    specs = [tf.TensorSpec(shape, t.dtype) for shape, t in zip(shapes, tensors)]
    traced = tf.function(body, autograph=False).get_concrete_function(*specs)
    return list(seen), traced, tensors


def as_specific(recorded, shape):
    """The static shape knows all that was known when it was recorded, and says nothing else about it."""
    if recorded is None:
        return True
    return shape is not None and len(shape) == len(recorded) and all(
        r is None or r == s for r, s in zip(recorded, shape))


def check_trace(tf, case, recorded, tolerance):
    where = f'traced with {recorded["in"]}:'
    try:
        seen, traced, tensors = trace(tf, case, recorded['in'])
    except Exception as e:
        expect('error' in recorded and fits(recorded['error'], e), where, 'raises', said(e))
        return
    expect('error' not in recorded, where, 'raises nothing')
    expect(len(seen) == len(recorded['out']), where, len(seen), 'outputs instead of', len(recorded['out']))
    for (dtype, shape), want in zip(seen, recorded['out']):
        expect(dtype == want['dtype'], where, 'dtype', dtype, 'instead of', want['dtype'])
        expect(as_specific(want['shape'], shape), where, 'static shape', shape, 'instead of', want['shape'])
    if recorded.get('run', True) and 'check' not in case:
        Comparer(tf, scaled(tolerance, 4)).same(recorded_tensors(case['out']), list(traced(*tensors)), where)


# --- results that are not unique ----------------------------------------------------------------------------------------

def adjoint(a):
    return np.conj(np.swapaxes(a, -1, -2))


def check_factors(tf, case, result, tolerance):
    """A factorisation is unique up to signs: its parts have to give the matrix back."""
    Comparer(tf, tolerance, look_at_values=False).same(case['out'], result)
    limits = {'rtol': 1e-5, 'atol': 1e-5} if tolerance == 'exact' else tolerance
    matrix = array((case['args'] or list(case['kwargs'].values()))[0])
    parts = [numbers(tf, t) for t in result]
    recorded = array(recorded_tensors(case['out'])[0])

    def gives(product, want, what):
        expect(np.allclose(product, want, limits['rtol'], limits['atol']), what)

    def orthonormal(a, what):
        square = adjoint(a) @ a
        gives(square, np.broadcast_to(np.eye(a.shape[-1]), square.shape), what + ' has no orthonormal columns')

    kind = case['op'].rpartition('.')[2]
    if kind == 'qr':
        q, r = parts
        gives(q @ r, matrix, 'q r is not the matrix')
        gives(np.tril(r, -1), np.zeros_like(r), 'r has something below its diagonal')
        orthonormal(q, 'q')
    elif kind == 'svd':
        s, u, v = parts
        n = s.shape[-1]
        same_elements(recorded, s, 'float64', limits, 'singular values')
        gives(u[..., :n] * s[..., None, :] @ adjoint(v[..., :n]), matrix, 'u s v is not the matrix')
        orthonormal(u, 'u')
        orthonormal(v, 'v')
    elif kind == 'eigh':
        values, vectors = parts
        same_elements(recorded, values, 'float64', limits, 'eigenvalues')
        gives(vectors * values[..., None, :] @ adjoint(vectors), np.tril(matrix) + adjoint(np.tril(matrix, -1)),
              'the vectors do not give the matrix')
    elif kind == 'lu':
        both, order = parts
        product = (np.tril(both, -1) + np.eye(both.shape[-1])) @ np.triu(both)
        rows = np.argsort(order, -1)[..., None]
        gives(np.take_along_axis(product, np.broadcast_to(rows, product.shape), -2), matrix, 'p l u is not the matrix')
    else:
        raise Differs(f'nobody knows how {kind} is put together again')


def check_statistics(tf, case, result, tolerance):
    """Differs from run to run: dtype and shape, and the recorded bounds."""
    Comparer(tf, tolerance, look_at_values=False).same(case['out'], result)
    bounds = case.get('stat') or {}
    if not bounds:
        return
    x = numbers(tf, tensors_in(tf, result)[0]).astype(np.float64).reshape(-1)
    for name, found in (('mean', x.mean()), ('std', x.std())):
        if name in bounds:
            expect(abs(found - bounds[name][0]) <= bounds[name][1], name, found, 'instead of about', bounds[name])
    expect(x.min() >= bounds.get('min', -np.inf), 'the least is', x.min())
    expect(x.max() <= bounds.get('max', np.inf), 'the greatest is', x.max())
    if 'values' in bounds:
        expect(set(np.unique(x).round(5)) <= set(bounds['values']), 'there are', np.unique(x)[:6])


def check(tf, case):
    tolerance, error, kind = case.get('tol', 'exact'), case.get('error'), case.get('check')
    try:
        result = result_of(tf, case)
    except BaseException as e:  # the recorded class may be SystemExit's kind too
        expect(error and fits(error, e), 'raises', said(e), f'instead of {error["class"]}' if error else '')
        return
    expect(not error, 'raises no', error and error['class'])
    if kind == 'reconstruct':
        check_factors(tf, case, result, tolerance)
    elif kind == 'stat':
        check_statistics(tf, case, result, tolerance)
    else:
        Comparer(tf, tolerance).same(case['out'], result)
    if 'grad' in case or 'grad_error' in case:
        check_gradients(tf, case, tolerance)
    for recorded in case.get('static', ()):
        check_trace(tf, case, recorded, tolerance)


def what_is_wrong(tf, case):
    """None when nothing is."""
    try:
        check(tf, case)
    except Differs as e:
        return str(e)
    except Exception as e:
        return 'the check itself: ' + said(e)
    return None
