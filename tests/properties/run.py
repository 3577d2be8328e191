#!/usr/bin/env python3
"""Ops against NumPy, on random dtypes, shapes and attributes; traced ops have to agree with eager ones.

    run.py [--cases N] [--first N] [--only OP]      N cases, each with its own seed, 10000 from 0 on
    run.py --case N                                 that case, by the number in a failure

A case is determined by its number, on every machine.
"""
import argparse
import sys
import traceback


def shown(value):
    import numpy as np
    if isinstance(value, np.ndarray):
        return f'{value.dtype}{list(value.shape)}'
    return repr(value)


def agree(want, got, tolerance, what):
    """Compares dtype, shape and elements; returns what is wrong, or nothing."""
    import numpy as np
    if got.dtype != want.dtype:
        return f'{what} is {got.dtype} instead of {want.dtype}'
    if got.shape != want.shape:
        return f'{what} has shape {got.shape} instead of {want.shape}'
    if want.dtype.kind in 'fc':
        with np.errstate(all='ignore'):
            wide = np.complex128 if want.dtype.kind == 'c' else np.float64
            ok = np.isclose(got.astype(wide), want.astype(wide), tolerance, tolerance, equal_nan=True)
    else:
        ok = got == want
    if np.all(ok):
        return ''
    at = int(np.argmin(np.reshape(ok, -1)))
    return f'{what}[{at}] is {got.reshape(-1)[at]!r} instead of {want.reshape(-1)[at]!r}'


def as_list(result):
    return list(result) if isinstance(result, (list, tuple)) else [result]


def partly_unknown(random, tf, array, needs_rank):
    """A spec that accepts the array: some dimensions unknown, sometimes the rank."""
    if random.random() < 0.1 and not needs_rank:
        return tf.TensorSpec(None, array.dtype)
    return tf.TensorSpec([None if random.random() < 0.4 else d for d in array.shape], array.dtype)


def run(tf, number, properties, only=''):
    """(op, what is wrong) for a case; only the op if nothing is."""
    import random as python_random
    random = python_random.Random(number)
    case = random.choice([p for p in properties.ALL if only in p.name]).make(random)
    where = case.name + '(' + ', '.join(map(shown, case.inputs)) + (', ' + case.words if case.words else '') + ')'
    try:
        want = as_list(case.expected())
        eager = [t.numpy() for t in as_list(case.call(tf, *[tf.constant(x) for x in case.inputs]))]
        if len(want) != len(eager):
            return where, f'{len(eager)} results instead of {len(want)}'
        for i, (w, e) in enumerate(zip(want, eager)):
            wrong = agree(w, e, case.tolerance, f'result {i}')
            if wrong:
                return where, wrong
        specs = [partly_unknown(random, tf, x, case.name in properties.NEED_A_RANK) for x in case.inputs]
        traced = tf.function(lambda *xs: as_list(case.call(tf, *xs)), autograph=False).get_concrete_function(*specs)
        for i, (e, t) in enumerate(zip(eager, traced(*[tf.constant(x) for x in case.inputs]))):
            # The same element for element, except for sums, which a trace may order differently.
            wrong = agree(e, t.numpy(), case.tolerance, f'traced with {specs}: result {i}')
            if wrong:
                return where, wrong
    except Exception:
        return where, traceback.format_exc(limit=-3)
    return where, ''


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument('--cases', type=int, default=10000)
    words.add_argument('--first', type=int, default=0)
    words.add_argument('--only', default='')
    words.add_argument('--case', type=int)
    options = words.parse_args()
    try:
        import numpy as np
    except ImportError:
        print('NumPy is not there')
        return 77
    import footlight as tf
    import properties
    np.seterr(all='ignore')
    numbers = [options.case] if options.case is not None else range(options.first, options.first + options.cases)
    failed, seen = 0, {}
    for number in numbers:
        where, wrong = run(tf, number, properties, options.only)
        name = where.partition('(')[0]
        seen[name] = seen.get(name, 0) + 1
        if wrong or options.case is not None:
            print(f'{where}: {wrong or "agrees"}\n    python3 {__file__} --case {number}'
                  f'{" --only " + options.only if options.only else ""}')
        failed += bool(wrong)
    print(f'{len(list(numbers))} cases of {len(seen)} ops, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
