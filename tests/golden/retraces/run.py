"""Records each program here and compares its findings with NAME.json: run.py [NAME ...]"""
import glob
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.environ.get('FOOTLIGHT_BUILD', 'build/release')
PRINT_FINDINGS = os.path.join(BUILD, 'tests', 'print_findings')
# Loading the sanitizer's library is for the interpreter alone.
ENVIRONMENT = {k: v for k, v in os.environ.items() if k != 'LD_PRELOAD'}


NO_RETRACES = {'unrolled_loop', 'large_constant', 'eager_hot_loop', 'autograph_fallback'}


def print_findings(*words):
    return subprocess.run([PRINT_FINDINGS, *words], capture_output=True, text=True, check=True, env=ENVIRONMENT,
                          timeout=60).stdout.splitlines()


def findings_of(script, folder):
    session = os.path.join(folder, os.path.basename(script) + '.footlight')
    done = subprocess.run([sys.executable, '-m', 'footlight', 'record', '-o', session, script],
                          capture_output=True, text=True, timeout=300)
    if done.returncode:
        raise SystemExit('%s ended with %d:\n%s%s' % (script, done.returncode, done.stdout, done.stderr))
    return [json.loads(line) for line in print_findings(session)]


def offences(wanted, found, causes):
    for one in found:
        if one['ok'] and one['method'] != 'replay':
            yield 'marked checked without a replay: %s' % one
    if wanted['cause'] not in causes:
        if found:
            yield 'nothing is to be found, but: %s' % found
        return
    if not found:
        yield 'nothing was found'
        return
    first = found[0]
    for key, name in (('function', 'function'), ('cause', 'cause'), ('path', 'argument_path')):
        if first[key] != wanted[name]:
            yield '%s is %r, not %r' % (key, first[key], wanted[name])
    lines = [wanted['cause_line'], *wanted['also_accepted_lines']]
    if not any(abs(first['line'] - line) <= 2 for line in lines):
        yield 'line %d is none of %s' % (first['line'], lines)
    if first['cause'] in NO_RETRACES:
        if first['method'] is not None:
            yield 'a replay of keys says nothing about it: %s' % first
        numbers = (0, 0)
    else:
        numbers = (wanted['traces'][wanted['function']], wanted['wanted_traces_after_fix'][wanted['function']])
    if first['ok'] != (first['cause'] not in NO_RETRACES) or (first['traces_before'], first['traces_after']) != numbers:
        yield 'not checked to go from %d to %d traces: %s' % (*numbers, first)
    if len(found) > 1:
        yield 'more than one finding: %s' % found


def main(names):
    expected = sorted(glob.glob(os.path.join(HERE, '*.json')))
    causes = set(print_findings())
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for path in expected:
            name = os.path.splitext(os.path.basename(path))[0]
            if names and name not in names:
                continue
            with open(path, encoding='utf-8') as file:
                wanted = json.load(file)
            script = os.path.join(HERE, name + '.py')
            wrong = list(offences(wanted, findings_of(script, folder), causes))
            fixed = os.path.join(HERE, name + '.fixed.py')
            if os.path.exists(fixed):
                left = findings_of(fixed, folder)
                wrong += ['the repaired program still has: %s' % left] if left else []
            print('ok  ' if not wrong else 'FAIL', name, *wrong, sep='\n       ' if wrong else ' ')
            failed += bool(wrong)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
