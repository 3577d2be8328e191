#!/usr/bin/env python3
"""Calls ops as recorded from TensorFlow and compares values, gradients, static shapes and errors.

    run.py FAMILY [--case SUBSTRING] [-v]
    run.py --list                           all families

One case is one line of FAMILY.jsonl; README.md says what its fields mean. The cases named in differs.txt must differ: a
case there that passes, and one elsewhere that does not, is a failure. A process of its own runs the cases, so that one
which ends or hangs it costs that case alone.
"""
import importlib.util
import json
import os
import re
import selectors
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SECONDS_A_CASE = 120  # far beyond what any takes: it is stuck


def families():
    return sorted(f[:-6] for f in os.listdir(HERE) if f.endswith('.jsonl'))


def cases_of(family, part):
    with open(os.path.join(HERE, family + '.jsonl'), encoding='utf-8') as f:
        return [case for case in map(json.loads, f) if part in case['id']]


def differing():
    """Case id: why Footlight answers otherwise."""
    reasons = {}
    with open(os.path.join(HERE, 'differs.txt'), encoding='utf-8') as f:
        for line in f:
            if line.strip() and not line.startswith('#'):
                name, _, reason = line.strip().partition(' ')
                if not reason.strip():
                    sys.exit(f'differs.txt: {name} has no reason')
                reasons[name] = reason.strip()
                without = re.search(r'without the package (\w+)', reason)
                if without and importlib.util.find_spec(without[1]):  # then there is nothing that differs
                    del reasons[name]
    return reasons


def worker(family, part, first):
    """Prints what became of every case from number `first` on, a line of JSON each."""
    out = os.fdopen(os.dup(1), 'w', buffering=1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what the cases print themselves
    import footlight
    import check
    for number, case in enumerate(cases_of(family, part)):
        if number < first:
            continue
        out.write(json.dumps([number, 'begins']) + '\n')
        out.write(json.dumps([number, 'ends', check.what_is_wrong(footlight, case)]) + '\n')


def results(family, part, count):
    """For every case None, or what is wrong."""
    answers = {}
    while len(answers) < count:
        first = next(n for n in range(count) if n not in answers)
        process = subprocess.Popen([sys.executable, os.path.abspath(__file__), '--worker', family, part, str(first)],
                                   stdout=subprocess.PIPE)
        lines = selectors.DefaultSelector()
        lines.register(process.stdout, selectors.EVENT_READ)
        running, buffered, stuck = first, b'', False
        while True:
            if not lines.select(SECONDS_A_CASE):
                stuck = True
                process.kill()
                break
            data = os.read(process.stdout.fileno(), 1 << 16)
            if not data:
                break
            *whole, buffered = (buffered + data).split(b'\n')
            for number, what, *answer in map(json.loads, whole):
                running = number
                if what == 'ends':
                    answers[number] = answer[0]
        process.stdout.close()
        code = process.wait()
        if len(answers) < count:
            answers.setdefault(running, f'no answer in {SECONDS_A_CASE} s' if stuck else f'the process ended: {code}')
            if running not in answers or running < first:
                sys.exit(f'the worker does not start: {code}')
    return [answers[n] for n in range(count)]


def main(words):
    if words[:1] == ['--worker']:
        return worker(words[1], words[2], int(words[3]))
    if words == ['--list']:
        return print('\n'.join(families()))
    verbose = '-v' in words
    words = [w for w in words if w != '-v']
    part = words.pop(words.index('--case') + 1) if '--case' in words else ''
    words = [w for w in words if w != '--case']
    if len(words) != 1 or words[0] not in families():
        sys.exit(__doc__)
    try:
        import numpy  # noqa: F401  the values are compared in it
    except ImportError:
        print('NumPy is not there')
        sys.exit(77)
    cases, reasons = cases_of(words[0], part), differing()
    known = {case['id'] for case in cases}
    failures = 0
    for case, wrong in zip(cases, results(words[0], part, len(cases))):
        listed = reasons.get(case['id'])
        if bool(wrong) == bool(listed):
            if verbose and listed:
                print(f'{case["id"]} differs: {listed}')
            continue
        failures += 1
        print(f'{case["id"]}  {case["op"]}: {wrong or "passes, and stands in differs.txt: " + listed}')
    if not part:
        for name in reasons:
            if name.startswith(words[0] + '/') and name not in known:
                failures += 1
                print(f'{name}: in differs.txt, but there is no such case')
    print(f'{words[0]}: {len(cases)} cases, {failures} failed')
    return sys.exit(1 if failures else 0)


if __name__ == '__main__':
    main(sys.argv[1:])
