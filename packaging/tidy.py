#!/usr/bin/env python3
"""Runs clang-tidy on the lines that a change touches, a process per processor.

    tidy.py TREE [COMMIT]    in the folder of the sources

TREE is a build tree that compiles files one by one. The change begins at COMMIT. Without it, the change is what the
upstream branch lacks, or if that is nothing, the last commit. A header is looked at through the source file of its
name, else through one that includes it. Exit status 1: something was found.
"""
import concurrent.futures
import functools
import json
import os
import re
import shutil
import subprocess
import sys

FILE, HUNK = re.compile(r'\+\+\+ b/(.*)'), re.compile(r'@@ -\S+ \+(\d+)(?:,(\d+))? @@')
INCLUDE = re.compile(r'^#include "(.*)"', re.M)
TARGET = re.compile(r' -o \S*CMakeFiles/([^/]+)\.dir/')
WHOLE_FILE = [[1, 1_000_000]]
CODE = ('.cpp', '.h')
# g++ knows options that clang does not, and what clang alone warns of is no error.
ARGUMENTS = ['--quiet', '--warnings-as-errors=*', '--extra-arg=-Wno-unknown-warning-option',
             '--extra-arg=-Wno-unused-command-line-argument', '--extra-arg=-Wno-error']


def git(*arguments, check=True):
    done = subprocess.run(['git', *arguments], capture_output=True, text=True)
    if check and done.returncode:
        sys.exit(f'footlight: git {arguments[0]}: {done.stderr.strip()}')
    return done.stdout.strip()


def changed_lines(diff):
    """Of each file in the text of `git diff -U0`: the first and last of the lines that are new in each place."""
    changed, path = {}, None
    for line in diff.splitlines():
        if line.startswith('diff '):
            path = None
        elif found := FILE.fullmatch(line):
            path = found[1]
        elif (found := HUNK.match(line)) and path and path.endswith(CODE):
            first, count = int(found[1]), int(found[2] or 1)
            if count:
                changed.setdefault(path, []).append([first, first + count - 1])
    return changed


def changed_since(commit):
    diff = git('diff', '-U0', '--no-color', '--no-ext-diff', '--src-prefix=a/', '--dst-prefix=b/', commit)
    changed = changed_lines(diff)
    for path in git('ls-files', '--others', '--exclude-standard').splitlines():
        if path.endswith(CODE):
            changed[path] = WHOLE_FILE
    return changed


def change(commit):
    if commit:
        return changed_since(commit)
    return changed_since(git('merge-base', 'HEAD', '@{upstream}', check=False) or 'HEAD') or changed_since('HEAD~1')


@functools.cache
def includes(path):
    with open(path, encoding='utf-8') as file:
        return set(INCLUDE.findall(file.read()))


def looked_through(changed, sources):
    """The source files to give to clang-tidy, so that it sees all files that changed."""
    found = {path for path in changed if path in sources}
    for header in (path for path in changed if path.endswith('.h')):
        own = header[:-2] + '.cpp'
        including = (path for path in sorted(found) + sorted(sources) if header in includes(path))
        through = own if own in sources else next(including, None)
        if through:
            found.add(through)
    return sorted(found)


def main(tree, commit=None):
    program = shutil.which('clang-tidy-16') or shutil.which('clang-tidy')
    if not program:
        sys.exit('footlight: clang-tidy is not installed')
    changed = change(commit)
    with open(os.path.join(tree, 'compile_commands.json'), encoding='utf-8') as file:
        commands = {os.path.relpath(one['file']): one['command'] for one in json.load(file)}
    files = looked_through(changed, {path for path in commands if os.path.exists(path) and not path.startswith(tree)})
    if not files:
        print('no line of C++ changed')
        return 0
    # What the build would make before it compiles these files: moc's output, messages of protobuf.
    targets = {TARGET.search(commands[path])[1] for path in files}
    needed = sorted('cmake_object_order_depends_target_' + name for name in targets)
    made = subprocess.run(['ninja', '-C', tree, *needed], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if made.returncode:
        sys.exit(made.stdout)
    lines = json.dumps([{'name': path, 'lines': where} for path, where in sorted(changed.items())])

    def look(path):
        return subprocess.run([program, '-p', tree, *ARGUMENTS, '--line-filter=' + lines, path], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as threads:
        for path, done in zip(files, threads.map(look, files)):
            print(path if done.returncode == 0 else f'{path}\n{done.stdout.strip() or done.stderr.strip()}', flush=True)
            bad += done.returncode != 0
    print(f'files that clang-tidy looked at: {len(files)}, with findings: {bad}')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
