"""Runs numbered cases in a child process, so that a crash, a hang or exhausted memory costs only that case.

The child says on a pipe which case begins and what it found. When it ends or falls silent, the case that had begun is
at fault; it is run again alone and reported with the child's last words, and a new child continues after it.
"""
import json
import os
import re
import resource
import select
import shlex
import signal
import subprocess
import sys
import tempfile

SANITIZED = 'san.so' in os.environ.get('LD_PRELOAD', '')  # address space then says nothing about memory
SECONDS_A_CASE = 120 if SANITIZED else 60  # far more than any case takes, even on a busy machine
CASES_A_CHILD = 3000  # then a fresh child, because heaps grow
# These hide a class of bugs: an allocation above the limit fails as if the machine had no memory for it, so bugs
# with blocks that large are not found.
LIMITS = ':allocator_may_return_null=1:max_allocation_size_mb=256:hard_rss_limit_mb=4096:handle_abort=0'
MEMORY = 3 << 30  # of address space, without a sanitizer


class Watched:
    """The child's side: reports which case begins, and collects what the undefined-behaviour sanitizer writes."""

    def __init__(self, descriptor):
        self.pipe = os.fdopen(descriptor, 'w', buffering=1)
        self.seen = os.fstat(2).st_size

    def said(self):
        """What was written to stderr since the last call, if a sanitizer wrote it."""
        size = os.fstat(2).st_size
        text = os.pread(2, min(size - self.seen, 1 << 16), self.seen).decode('utf-8', 'replace')
        self.seen = size
        return text if 'runtime error:' in text else ''

    def run(self, draw, run, numbers):
        for number in numbers:
            self.pipe.write(json.dumps([number, '']) + '\n')
            text = draw(number)
            self.pipe.write(json.dumps([number, text]) + '\n')
            for kind, words in run(text):
                self.pipe.write(json.dumps([number, text, kind, words]) + '\n')
            wrong = self.said()
            if wrong:
                self.pipe.write(json.dumps([number, text, 'undefined behaviour', wrong]) + '\n')
        self.pipe.write('"all"\n')


def child(descriptor, draw, run, numbers):
    """The main function of a child process: `run(draw(number))` gives (kind, words) of each finding of a case."""
    import faulthandler
    import gc
    gc.freeze()  # what is imported need not be looked at by every collection that a case asks for
    faulthandler.enable()  # the parent sends SIGABRT to ask where it hangs
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # the output of the cases
    if not SANITIZED:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    Watched(descriptor).run(draw, run, numbers)


def shortened(report):
    """The lines of a report that say what happened and where."""
    lines = report.splitlines()
    start = next(
        (i for i, line in enumerate(lines) if re.search(r'ERROR: |runtime error:|Fatal Python|terminate|rss limit exhausted', line)),
        max(0,
            len(lines) - 12))
    ours = [line for line in lines[start + 1:start + 60]
            if re.search(r'engine/|kernels/|footlight|File "', line) and not line.startswith('\t0x')]  # no memory map
    return '\n'.join(lines[start:start + 1] + ours[:14])[:4000]


def one_child(command, first, count, folder):
    """(findings as (number, text, kind, words), the number after the last case that ran)."""
    reader, writer = os.pipe()
    environment = dict(os.environ, PYTHONHASHSEED='0', PYTHONDONTWRITEBYTECODE='1', NO_COLOR='1',
                       ASAN_OPTIONS=os.environ.get('ASAN_OPTIONS', '') + LIMITS)
    found, running, buffered, stuck, all_run = [], None, b'', False, False
    with tempfile.TemporaryFile(dir=folder) as said:
        process = subprocess.Popen(command + ['--child', str(writer), str(first), str(count)], pass_fds=[writer],
                                   stdin=subprocess.DEVNULL, stderr=said, env=environment, cwd=folder)
        os.close(writer)
        while True:
            if not select.select([reader], [], [], SECONDS_A_CASE)[0]:
                stuck = True
                process.send_signal(signal.SIGABRT)
                try:
                    process.wait(30)
                except subprocess.TimeoutExpired:
                    process.kill()
                break
            data = os.read(reader, 1 << 16)
            if not data:
                break
            *whole, buffered = (buffered + data).split(b'\n')
            for line in map(json.loads, whole):
                if line == 'all':
                    all_run = True
                elif len(line) == 2:
                    running = line
                else:
                    found.append(line)
        os.close(reader)
        code = process.wait()
        if all_run and code == 0:
            return found, first + count
        said.seek(max(0, said.seek(0, 2) - (1 << 17)))
        words = shortened(said.read().decode('utf-8', 'replace'))
        if running is None:
            sys.exit(f'the child does not start: {code}\n{words}')
        kind = 'hang' if stuck else 'crash at the end' if all_run else 'crash'
        found.append([*running, kind, f'exit status {code}\n{words}'])
        return found, running[0] + 1


class Report:
    """Prints each kind of finding once, with the command that runs it again, and counts the rest."""

    def __init__(self, again):
        self.again, self.seen = again, {}

    def key(self, text, kind, words):
        what = '\n'.join(words.splitlines()[1:5] if 'crash' in kind else [words[:50]])
        return tuple(re.sub(r'0x[0-9a-f]+|-?\d+(\.\d+)?', '#', part) for part in (kind, text.partition('(')[0], what))

    def add(self, number, text, kind, words, retry):
        key = self.key(text, kind, words)
        self.seen[key] = self.seen.get(key, 0) + 1
        if self.seen[key] == 1:
            kind += retry(number) if kind in ('crash', 'hang') else ''
            print(f'FAILED {kind}: {text}\n' + '\n'.join('    ' + line for line in words.splitlines()) +
                  f'\n    again: {self.again(number)}', flush=True)


def supervise(script, more, first, count, what):
    """Runs all cases of a fuzzer and prints the findings; returns the exit status. `more`: options of every case."""

    def again(number):
        return shlex.join(['python3', 'tests/fuzz/' + os.path.basename(script), *more, '--case', str(number)])
    command = [sys.executable, os.path.abspath(script), *more]
    report = Report(again)
    with tempfile.TemporaryDirectory() as folder:
        at, end = first, first + count
        while at < end:
            found, after = one_child(command, at, min(CASES_A_CHILD, end - at), folder)
            for finding in found:
                report.add(*finding, lambda number: '' if one_child(command, number, 1, folder)[0] else
                           f' (only behind others: --first {at} --calls {number - at + 1})')
            at = after
    findings = sum(report.seen.values())
    print(f'{count} {what}, {findings} findings of {len(report.seen)} kinds')
    return 1 if findings else 0
