"""Runs the cases of a module, eagerly and traced, and compares with what TensorFlow gave: run.py NAME."""
import importlib
import json
import os
import sys

import footlight as tf

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)


def main():
    try:
        import numpy  # noqa: F401
    except ImportError:
        print('the package numpy is not installed: left out')
        return 77
    import plain
    name = sys.argv[1]
    module = importlib.import_module(name + '_cases')
    with open(os.path.join(HERE, 'recorded', name + '.json'), encoding='utf-8') as f:
        recorded = json.load(f)
    cases = module.cases(tf)
    eager_only = getattr(module, 'EAGER_ONLY', ())
    wrong = 0
    for case in {**recorded, **cases}:
        if case not in cases or case not in recorded:
            print(f"{case}: {'recorded but gone' if case in recorded else 'not recorded'}")
            wrong += 1
            continue
        for how, run in (('eager', plain.result), ('traced', plain.traced)):
            if how == 'traced' and case in eager_only:
                continue
            found = json.loads(json.dumps(run(cases[case], tf)))
            if how == 'traced' and is_error(recorded[case]) and is_error(found):
                continue  # what a shape rule refuses while tracing is a ValueError, as it is in TensorFlow
            if not same(found, recorded[case]):
                print(f'{case} ({how}):\n  {json.dumps(found)[:600]}\n  instead of\n  '
                      f'{json.dumps(recorded[case])[:600]}')
                wrong += 1
    print(f'{len(cases)} cases, {wrong} wrong')
    return 1 if wrong else 0


def is_error(result):
    """Whether a case failed."""
    return isinstance(result, list) and len(result) == 2 and result[0] == 'error'


def same(found, wanted):
    """Equal but for rounding."""
    if isinstance(wanted, dict):
        return isinstance(found, dict) and list(found) == list(wanted) and all(same(found[k], wanted[k]) for k in wanted)
    if isinstance(wanted, list):
        return isinstance(found, list) and len(found) == len(wanted) and all(map(same, found, wanted))
    if isinstance(wanted, float) or isinstance(found, float):
        return isinstance(found, (int, float)) and isinstance(wanted, (int, float)) and abs(found - wanted) <= 2e-4 * max(1, abs(wanted))
    return type(found) is type(wanted) and found == wanted


sys.exit(main())
