#!/usr/bin/env python3
"""Runs the AutoGraph reference cases that are in scope, and says which of them do not behave as recorded.

    run.py              the cases named in in_scope.txt; exit status 1 when one of them differs
    run.py --passing    prints every case that behaves as recorded, in the form of in_scope.txt

check.py beside it knows the format of the recorded facts; what is compared here is behaviour: results, output, new traces,
side effects, errors and when they come.
"""
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True
import check  # noqa: E402


def differences(want, got):
    """Lines that say how a case differs from what was recorded of it, or from what is wanted instead."""
    if 'broken' in got:
        return [got['broken']]
    found = []
    for mode, runs in want['modes'].items():
        if 'wanted' in want and mode not in want['wanted']:
            continue
        for n, run in enumerate(runs):
            mine = got['modes'][mode][n]
            if 'wanted' in want:
                bad = check.compare_wanted(want['wanted'][mode][n], mine)
            else:
                bad = check.compare_run(runs, got['modes'][mode], n)[0]
                untraced = want['modes'].get({'traced': 'eager', 'traced_py': 'plain'}.get(mode), [{}] * (n + 1))[n]
                if bad and mode.startswith('traced') and check.done_better(run, mine, untraced):
                    bad = []
            found += ['%s[%d] %s' % (mode, n, what) for what in bad]
    return found


def main(arguments):
    modules = sorted(n[:-5] for n in os.listdir(HERE) if n.endswith('.json'))
    with open(os.path.join(HERE, 'in_scope.txt')) as f:
        in_scope = [line.split('#')[0].strip() for line in f]
    in_scope = [name for name in in_scope if name]
    everything = arguments == ['--passing']
    if not everything:
        modules = [m for m in modules if any(name.startswith(m + '.') for name in in_scope)]
    recorded = {}
    for module in modules:
        with open(os.path.join(HERE, module + '.json')) as f:
            for index, case in enumerate(json.load(f)['cases']):
                recorded['%s.%s' % (module, case['name'])] = (os.path.join(HERE, module + '.py'), index, case)
    got = check.run_all('footlight', [os.path.join(HERE, m + '.py') for m in modules], limit=20)
    found = {name: differences(case, got.get((path, index), {'broken': 'not run'}))
             for name, (path, index, case) in recorded.items() if everything or name in in_scope}
    if everything:
        print(*(name for name, bad in found.items() if not bad), sep='\n')
        return 0
    unknown = [name for name in in_scope if name not in recorded]
    for name, bad in found.items():
        if bad:
            print('FAILED', name, *('\n    ' + line for line in bad[:6]))
    for name in unknown:
        print('FAILED %s: no such case' % name)
    failed = sum(map(bool, found.values())) + len(unknown)
    print('%d passed, %d failed' % (len(found) + len(unknown) - failed, failed))
    return 1 if failed or not found else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
