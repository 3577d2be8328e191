"""Records each program here and compares its report with NAME.json: run.py [NAME ...]"""
import glob
import json
import os
import pathlib
import re
import sys
import tempfile

import footlight_program

HERE = os.path.dirname(os.path.abspath(__file__))
# Keys say nothing about these, so no replay checks them.
NOT_REPLAYED = {'stale_capture', 'python_side_effect', 'baked_random', 'tensor_leak', 'unrolled_loop', 'large_constant',
                'eager_hot_loop', 'py_function_hot_spot', 'autograph_fallback'}


def report_of(script, folder):
    session = os.path.join(folder, os.path.basename(script) + '.footlight')
    footlight_program.record(session, script)
    return footlight_program.report(session)


def repaired(program, patch):
    """The program with the hunks of a unified diff applied, which need no counts of lines."""
    for hunk in re.split('^@@.*\n', patch, flags=re.MULTILINE)[1:]:
        old, new = (''.join(line[1:] or '\n' for line in hunk.splitlines(True) if line[0] != other) for other in '+-')
        if program.count(old) != 1:
            raise SystemExit(f'the program does not have this once:\n{old}')
        program = program.replace(old, new)
    return program


def traces(report):
    return {f['function']: f['traces'] for f in report['functions']}


def offences(wanted, report):
    if traces(report) != wanted['traces']:
        yield f"traces are {traces(report)}, not {wanted['traces']}"
    found = report['findings']
    if wanted['cause'] is None:
        if found:
            yield f'nothing is to be found, but: {found}'
        return
    if len(found) != 1:
        yield f'not one finding: {found}'
        return
    first = found[0]
    for key, name in (('function', 'function'), ('cause', 'cause'), ('path', 'argument_path')):
        if first[key] != wanted[name]:
            yield f'{key} is {first[key]!r}, not {wanted[name]!r}'
    lines = [wanted['cause_line'], *wanted['also_accepted_lines']]
    if not any(abs(first['line'] - line) <= 2 for line in lines):
        yield f"line {first['line']} is none of {lines}"
    numbers = {'method': 'replay', 'ok': True, 'traces_before': wanted['traces'][wanted['function']],
               'traces_after': wanted['wanted_traces_after_fix'][wanted['function']]}
    if first['checked'] != (False if wanted['cause'] in NOT_REPLAYED else numbers):
        yield f"checked is {first['checked']}"


def main(names):
    expected = sorted(glob.glob(os.path.join(HERE, '*.json')))
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for path in expected:
            name = os.path.splitext(os.path.basename(path))[0]
            if names and name not in names:
                continue
            with open(path, encoding='utf-8') as file:
                wanted = json.load(file)
            script, patch = (pathlib.Path(HERE, name + ending) for ending in ('.py', '.patch'))
            wrong = list(offences(wanted, report_of(script, folder)))
            if patch.exists():
                fixed = pathlib.Path(folder, script.name)
                fixed.write_text(repaired(script.read_text(encoding='utf-8'), patch.read_text(encoding='utf-8')), encoding='utf-8')
                left = report_of(fixed, folder)
                if left['findings']:
                    wrong.append(f"the repaired program still has: {left['findings']}")
                if traces(left) != wanted['wanted_traces_after_fix']:
                    wrong.append(f'repaired, traces are {traces(left)}')
            print('ok  ' if not wrong else 'FAIL', name, *wrong, sep='\n       ' if wrong else ' ')
            failed += bool(wrong)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
