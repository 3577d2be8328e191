#!/usr/bin/env python3
"""Runs Keras's own unit tests, from its source archive, and notes which pass. For developers; no part of the suite.

    own_tests.py SOURCES RESULTS [FOLDER_OR_FILE...] [--tensorflow] [--wanted OTHER_RESULTS] [--again]

SOURCES is the unpacked archive of the Keras that this Python has, with pytest. Results are lines of JSON: a test, its
outcome, seconds, the message. `--tensorflow` runs them with the TensorFlow of this Python instead of Footlight;
`--wanted` leaves out what did not pass there, and counts at the end how many of these pass. A file runs in a process of
its own; what ends it counts as failed, and the rest of the file runs in the next. Results are kept: a file with results
does not run a second time, except with `--again`."""
import argparse
import collections
import json
import os
import shutil
import subprocess
import sys
import tempfile

FOLDERS = ('activations backend/common backend/tensorflow backend/tests callbacks constraints distillation dtype_policies '
           'export initializers layers losses metrics models ops optimizers quantizers random regularizers saving testing '
           'trainers tree utils wrappers').split()
SECONDS_OF_A_TEST = 120


class Notes:
    """Writes a line for every test that begins and for every one that ends."""

    def __init__(self, path, skip):
        self.file, self.skip = open(path, 'a', encoding='utf-8'), skip

    def line(self, **what):
        self.file.write(json.dumps(what) + '\n')
        self.file.flush()

    def pytest_collection_modifyitems(self, items):
        items[:] = [item for item in items if item.nodeid not in self.skip]

    def pytest_runtest_logstart(self, nodeid):
        import signal
        signal.alarm(SECONDS_OF_A_TEST)
        self.line(test=nodeid, outcome='died')

    def pytest_runtest_logreport(self, report):
        if report.when == 'call' or report.outcome != 'passed':
            self.line(test=report.nodeid, outcome=report.outcome, seconds=round(report.duration, 3),
                      message='' if report.passed else str(report.longrepr)[-3000:])

    def pytest_collectreport(self, report):
        if report.failed:
            self.line(test=report.nodeid, outcome='failed', message=str(report.longrepr)[-3000:])


def run_file(root, file, results, skip_file, tensorflow):
    """The child: runs the tests of one file in this process."""
    if not tensorflow:
        from footlight import _alias
        _alias.install(for_children=True)
    import pytest
    with open(skip_file, encoding='utf-8') as f:
        skip = set(json.load(f))
    os.chdir(root)
    return pytest.main(['-q', '-p', 'no:cacheprovider', '--no-header', '--tb=short', file],
                       plugins=[Notes(results, skip)])


def read(path):
    """The outcome of each test: the last line of each is the one that counts."""
    found = {}
    if os.path.exists(path):
        with open(path, encoding='utf-8') as f:
            for text in f:
                line = json.loads(text)
                found[line['test']] = line
    return found


def make_tree(sources, root):
    """The installed package with the archive's test files beside the modules that they test."""
    import importlib.util
    shutil.copytree(os.path.dirname(importlib.util.find_spec('keras').origin), os.path.join(root, 'keras'),
                    ignore=shutil.ignore_patterns('__pycache__'))
    for folder, _, files in os.walk(os.path.join(sources, 'keras', 'src')):
        for file in files:
            if file.endswith('.py'):
                there = os.path.join(root, os.path.relpath(os.path.join(folder, file), sources))
                if not os.path.exists(there):
                    os.makedirs(os.path.dirname(there), exist_ok=True)
                    shutil.copyfile(os.path.join(folder, file), there)


    # The archive lacks the file that Keras's tests share.
    with open(os.path.join(root, 'conftest.py'), 'w', encoding='utf-8') as f:
        f.write('import pytest\n\n\ndef skip_if_backend(backend, reason):\n'
                '    return pytest.mark.skipif(backend == "tensorflow", reason=reason)\n\n\n'
                'def pytest_configure(config):\n'
                '    config.addinivalue_line("markers", "requires_trainable_backend: not for NumPy")\n')


def files_of(root, wanted):
    for name in wanted or FOLDERS:
        top = os.path.join(root, 'keras', 'src', name)
        if os.path.isfile(top):
            yield os.path.relpath(top, root)
        for folder, folders, files in os.walk(top):
            folders.sort()
            for file in sorted(files):
                if file.endswith('_test.py'):
                    yield os.path.relpath(os.path.join(folder, file), root)


def count(wanted, found):
    """Of the tests that pass there, how many pass here, for each folder."""
    rows = collections.defaultdict(lambda: [0, 0])
    for name, line in wanted.items():
        if line['outcome'] == 'passed' and '::' in name and name.partition('::')[0] in {
                n.partition('::')[0] for n in found}:
            row = rows[name.split('/')[2]]
            row[0] += 1
            row[1] += found.get(name, {}).get('outcome') == 'passed'
    for folder, (there, here) in sorted(rows.items()):
        print(f'{folder!s:20} {there:6d} {here:6d}  {100 * here / there:5.1f} %')
    there, here = (sum(row[i] for row in rows.values()) for i in (0, 1))
    print(f"{'all':20} {there:6d} {here:6d}  {100 * here / max(there, 1):5.1f} %")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('sources')
    parser.add_argument('results')
    parser.add_argument('only', nargs='*')
    parser.add_argument('--tensorflow', action='store_true')
    parser.add_argument('--wanted')
    parser.add_argument('--again', action='store_true')
    parser.add_argument('--count', action='store_true', help='only count')
    parser.add_argument('--child', nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        return run_file(options.sources, options.child[0], options.results, options.child[1], options.tensorflow)
    results = os.path.abspath(options.results)
    wanted = read(options.wanted) if options.wanted else None
    if not options.count:
        run_files(options, results, wanted)
    if wanted:
        count(wanted, read(results))
    return 0


def run_files(options, results, wanted):
    with tempfile.TemporaryDirectory() as root:
        make_tree(options.sources, root)
        environment = dict(os.environ, KERAS_BACKEND='tensorflow', TF_CPP_MIN_LOG_LEVEL='3', CUDA_VISIBLE_DEVICES='',
                           PYTHONPATH=os.pathsep.join([root, *filter(None, [os.environ.get('PYTHONPATH')])]))
        before = set() if options.again else {name.partition('::')[0] for name in read(results)}
        for file in files_of(root, options.only):
            if file in before:
                continue
            skip = {name for name, line in (wanted or {}).items()
                    if line['outcome'] != 'passed' and name.startswith(file + '::')}
            skip_file = os.path.join(root, 'skip.json')
            while True:
                with open(skip_file, 'w', encoding='utf-8') as f:
                    json.dump(sorted(skip), f)
                command = [sys.executable, os.path.abspath(__file__), root, results, '--child', file, skip_file]
                child = subprocess.run(command + ['--tensorflow'] * options.tensorflow, env=environment, check=False,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                ran = {name for name in read(results) if name.startswith(file + '::')}
                if child.returncode in (0, 1, 2, 5) or not ran - skip:
                    break
                skip |= ran
            lines = [line for name, line in read(results).items() if name.startswith(file)]
            print(file, dict(collections.Counter(line['outcome'] for line in lines)), flush=True)


if __name__ == '__main__':
    sys.exit(main())
