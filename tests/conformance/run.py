#!/usr/bin/env python3
"""Runs scripts written for TensorFlow against Footlight, each in a process of its own, and compares what they print.

    run.py [--recorded] [--on DEVICE] [--masked] [--differs] [--want FILE] SCRIPT_OR_FOLDER...

NAME.py is right if it ends with status 0 and its standard output equals NAME.want.txt, else NAME.txt, line by line: all
but the last digits of printed floats (1e-4 relative) has to match.

--recorded    through `footlight record`, so that recording is tested too (check_recording checks its events);
              else plain, with Footlight in place of TensorFlow
--on DEVICE   the whole script stands in `with tf.device(DEVICE)` (GPU:0); a device that is not there is an error
--masked      the values of numbers are not compared, only their places
--differs     the scripts are known to differ: one that agrees has to be removed from the list that says so
--want FILE   the expected output of the one script given

Scripts that use NumPy or Keras are skipped, with a message, if it is not installed: exit status 77 if nothing else ran.
"""
import argparse
import difflib
import importlib.util
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.environ.get('FOOTLIGHT_BUILD', os.path.join(HERE, '..', '..', 'build', 'release'))
FLOAT = re.compile(r'-?\d+\.\d*(?:e[-+]?\d+)?')
NUMBER = re.compile(r'-?\d+(?:\.\d*)?(?:e[-+]?\d+)?')
IN_ITS_PLACE = """
import contextlib, os, runpy, sys
import footlight
from footlight import _alias
_alias.install()
device, sys.argv = sys.argv[1], sys.argv[2:]
if device not in ['', *(d.name[len('/device:'):] for d in footlight.config.list_logical_devices())]:
    sys.exit('there is no ' + device)
sys.path[0] = os.path.dirname(sys.argv[0])
with footlight.device(device) if device else contextlib.nullcontext():
    runpy.run_path(sys.argv[0], run_name='__main__')
"""
SKIPPED = 77


def same_line(got, want):
    if got == want:
        return True
    if FLOAT.sub('#', got) != FLOAT.sub('#', want):
        return False
    pairs = zip(FLOAT.findall(got), FLOAT.findall(want))
    return all(abs(float(a) - float(b)) <= 1e-4 * abs(float(b)) + 1e-6 for a, b in pairs)


def lines(text, masked):
    if masked:
        text = NUMBER.sub('#', text)
    return [line.rstrip() for line in text.strip('\n').split('\n')]


def difference(got, want, masked=False):
    """Empty if they agree, else the lines of a diff."""
    got, want = lines(got, masked), lines(want, masked)
    # Floats that are close enough are copied from the expected text, so that the diff shows only real differences.
    if len(got) == len(want):
        got = [w if same_line(g, w) else g for g, w in zip(got, want)]
    return list(difflib.unified_diff(want, got, 'expected', 'printed', lineterm='', n=2))


def run(script, recorded, device, folder):
    environment = dict(os.environ, PYTHONUNBUFFERED='1', PYTHONHASHSEED='0')
    package = os.path.join(BUILD, 'python')
    environment['PYTHONPATH'] = os.pathsep.join(filter(None, [package, environment.get('PYTHONPATH')]))
    if recorded:
        command = [sys.executable, '-m', 'footlight', 'record', script, '-o', os.path.join(folder, 'run.footlight')]
    else:
        command = [sys.executable, '-c', IN_ITS_PLACE, device, script]
    process = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             env=environment, cwd=folder, timeout=120)
    out, err = (stream.decode('utf-8', 'replace') for stream in (process.stdout, process.stderr))
    if recorded and process.returncode == 0:
        recording = os.path.join(folder, 'run.footlight')
        if not os.path.exists(recording):
            return 1, out, err + '\nno recording was written\n'
        checker = os.path.join(BUILD, 'tests', 'check_recording')
        checked = subprocess.run([checker, recording], capture_output=True, text=True)
        if checked.returncode:
            return 1, out, err + '\n' + checked.stdout + checked.stderr
    return process.returncode, out, err


def read(path):
    with open(path, encoding='utf-8') as f:
        return f.read()


def one(script, options):
    """None: skipped; else whether the output is right."""
    name = os.path.basename(script)[:-3]
    missing = [p for p in ('numpy', 'keras') if re.search(rf'\bimport {p}\b', read(script)) and
               importlib.util.find_spec(p) is None]
    if missing:
        print('skipped', name + f': {missing[0]} is not installed')
        return None
    base = script[:-3]
    want = options.want or next((base + e for e in ('.want.txt', '.txt') if os.path.exists(base + e)), None)
    if want is None:
        print('FAILED', name + ': no expected output beside it')
        return False
    with tempfile.TemporaryDirectory() as folder:
        try:
            status, out, err = run(script, options.recorded, options.on, folder)
        except subprocess.TimeoutExpired:
            print('FAILED', name + ': did not end')
            return False
    found = difference(out, read(want), options.masked)
    agrees = status == 0 and not found
    if agrees != options.differs:
        print('ok    ', name)
        return True
    if agrees:
        print('FAILED', name + ': agrees now, but is listed as different')
        return False
    print('FAILED', name + (f': exit status {status}' if status else ': prints something else'))
    print(*('    ' + line for line in found + err.strip().split('\n')[-12:]), sep='\n')
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--recorded', action='store_true')
    parser.add_argument('--on', default='')
    parser.add_argument('--masked', action='store_true')
    parser.add_argument('--differs', action='store_true')
    parser.add_argument('--want', type=os.path.abspath)
    parser.add_argument('paths', nargs='+')
    options = parser.parse_args()
    scripts = []
    for path in map(os.path.abspath, options.paths):
        inside = sorted(n for n in os.listdir(path) if n.endswith('.py')) if os.path.isdir(path) else None
        scripts += [path] if inside is None else [os.path.join(path, n) for n in inside]
    results = [one(script, options) for script in scripts]
    counts = [results.count(x) for x in (True, False, None)]
    print(f'{counts[0]} passed, {counts[1]} failed, {counts[2]} skipped')
    if counts[1] or not scripts:
        return 1
    return 0 if counts[0] else SKIPPED


if __name__ == '__main__':
    sys.exit(main())
