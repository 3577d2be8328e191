#!/usr/bin/env python3
"""Runs the AutoGraph reference cases, and says which of them do not behave as recorded.

    run.py            all but those named in differs.txt have to agree, and those have to differ; else exit status 1
    run.py --differs  prints every case that differs, with its first difference

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
        if 'wanted' not in want or mode in want['wanted']:
            for n in range(len(runs)):
                found += [f'{mode}[{n}] {what}' for what in check.compare_mode(want, got, mode, n)[0]]
    return found


def main(arguments):
    modules = sorted(n[:-5] for n in os.listdir(HERE) if n.endswith('.json'))
    with open(os.path.join(HERE, 'differs.txt')) as f:
        differs = {line.split()[0] for line in f if line.strip() and not line.startswith('#')}
    recorded = {}
    for module in modules:
        with open(os.path.join(HERE, module + '.json')) as f:
            for index, case in enumerate(json.load(f)['cases']):
                recorded[f"{module}.{case['name']}"] = (os.path.join(HERE, module + '.py'), index, case)
    got = check.run_all('footlight', [os.path.join(HERE, m + '.py') for m in modules], limit=20)
    found = {name: differences(case, got.get((path, index), {'broken': 'not run'}))
             for name, (path, index, case) in recorded.items()}
    if arguments == ['--differs']:
        print(*(f'{name} {bad[0]}' for name, bad in found.items() if bad), sep='\n')
        return 0
    failed = 0
    for name, bad in found.items():
        if bad and name not in differs:
            print('FAILED', name, *('\n    ' + line for line in bad[:6]))
            failed += 1
        if not bad and name in differs:
            print(f'FAILED {name}: agrees now, but differs.txt names it')
            failed += 1
    for name in sorted(differs - set(recorded)):
        print(f'FAILED {name}: no such case')
        failed += 1
    print(f'{len(found) - failed} passed, {failed} failed')
    return 1 if failed or not found else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
