#!/usr/bin/env python3
"""Lists which names of TensorFlow the packages in a folder use, such as site-packages, and which of these Footlight lacks.
Read from their source, without running them: what follows `tf.` in an expression, and what is imported from `tensorflow`.

    library_names.py FOLDER [--there] [--unit-tests] [--only PACKAGE]... [--tensorflow PYTHON]
    library_names.py SITE_PACKAGES --only keras     the names that Keras uses

One line per name, most used first: how many files use it, the name, the first packages that do. `--there` lists the names that
Footlight has instead, `--unit-tests` reads *_test.py too; `--tensorflow PYTHON` leaves out what the TensorFlow of that interpreter
lacks as well, such as names of TensorFlow 1."""
import argparse
import ast
import collections
import importlib
import json
import os
import subprocess
import sys
import warnings

# What stands for itself: TensorFlow and what is made to look like it.
LEFT_OUT = {'tensorflow', 'footlight', 'footlight_recorder', 'tensorboard', 'keras'}
# A chain is longer than any name of TensorFlow: what follows are members of a result.
kMaxParts = 8


def dotted(node):
    """`tf.a.b` as a list of names, or None where the expression is anything else."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return [node.id, *reversed(parts)] if isinstance(node, ast.Name) else None


def _imported(tree):
    """{local name: its name in tensorflow, as parts} of what a file imports, and of `v1 = tf.compat.v1`."""
    known = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.partition('.')[0] == 'tensorflow':
                    known[alias.asname or 'tensorflow'] = alias.name.split('.')[1:] if alias.asname else []
        elif isinstance(node, ast.ImportFrom) and not node.level and (node.module or '').partition('.')[0] == 'tensorflow':
            for alias in node.names:
                if alias.name != '*':
                    known[alias.asname or alias.name] = node.module.split('.')[1:] + [alias.name]
        elif isinstance(node, ast.ImportFrom) and node.module == 'keras.src.utils.module_utils':
            known.update({alias.asname or alias.name: [] for alias in node.names if alias.name == 'tensorflow'})
    for node in getattr(tree, 'body', ()):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            parts = dotted(node.value)
            if parts and parts[0] in known:
                known.setdefault(node.targets[0].id, known[parts[0]] + parts[1:])
    return known


def names_of_file(path):
    """The names that one file uses; tf.compat.v2.x is x. Empty where it is not Python of today."""
    try:
        with open(path, encoding='utf-8') as f, warnings.catch_warnings():
            warnings.simplefilter('ignore')
            tree = ast.parse(f.read())
    except (SyntaxError, ValueError, RecursionError):
        return set()
    known = _imported(tree)
    if not known:
        return set()
    found = {tuple(parts) for parts in known.values()}
    inner = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for node in ast.walk(tree):
        parts = dotted(node) if isinstance(node, ast.Attribute) and id(node) not in inner else None
        if parts and parts[0] in known:
            found.add(tuple(known[parts[0]] + parts[1:]))
    short = {parts[2:] or ('compat', 'v2') if parts[:2] == ('compat', 'v2') else parts for parts in found}
    return {'.'.join(parts[:kMaxParts]) for parts in short if parts}


def used(root, only, with_tests):
    """{name: {file relative to root}}, and how many files use any."""
    names, files_that_use = collections.defaultdict(set), 0
    for folder, folders, files in os.walk(root):
        here = os.path.relpath(folder, root)
        package = here.split(os.sep)[0]
        if here == '.':
            folders[:] = sorted(f for f in folders if (f in only if only else f not in LEFT_OUT))
            continue
        for file in sorted(files):
            if not file.endswith('.py') or not with_tests and (file.endswith('_test.py') or file.startswith('test_')):
                continue
            path = os.path.join(folder, file)
            found = names_of_file(path)
            files_that_use += bool(found)
            for name in found:
                names[name].add(package + '/' + os.path.relpath(path, os.path.join(root, package)))
    return names, files_that_use


def exists(tf, name):
    """Whether tf has the name. What follows a function or a value is not looked at: `tf.float32.name`."""
    import types
    here, full = tf, 'tensorflow'
    for part in name.split('.'):
        if not isinstance(here, (types.ModuleType, type)):
            return True
        full += '.' + part
        try:
            here = getattr(here, part)
        except Exception:  # a name that is loaded when it is asked for may fail in its own way
            try:
                here = importlib.import_module(full)
            except Exception:
                return False
    return True


def known_to(python, names):
    """Those of the names that the TensorFlow of another interpreter has."""
    script = ('import importlib.util, json, sys; spec = importlib.util.spec_from_file_location("names", sys.argv[1]); '
              'module = importlib.util.module_from_spec(spec); spec.loader.exec_module(module); import tensorflow as tf; '
              'json.dump([n for n in json.load(sys.stdin) if module.exists(tf, n)], sys.stdout)')
    done = subprocess.run([python, '-c', script, os.path.abspath(__file__)], input=json.dumps(sorted(names)), text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode:
        sys.exit(f'{python} could not be asked which names its TensorFlow has:\n{done.stderr[-2000:]}')
    return set(json.loads(done.stdout[done.stdout.rindex('['):]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('folder', help='the folder with the packages')
    parser.add_argument('--there', action='store_true', help='list the names that Footlight has')
    parser.add_argument('--unit-tests', action='store_true', help='read unit tests too')
    parser.add_argument('--only', action='append', default=[], metavar='PACKAGE', help='read only this package')
    parser.add_argument('--tensorflow', metavar='PYTHON', help='an interpreter with TensorFlow: names that it lacks are left out')
    given = parser.parse_args()
    names, files_that_use = used(given.folder, given.only, given.unit_tests)
    if given.tensorflow:
        known = known_to(given.tensorflow, names)
        names = {name: files for name, files in names.items() if name in known}
    from footlight import _alias
    _alias.install()
    import tensorflow as tf
    is_there = {name: exists(tf, name) for name in names}
    listed = sorted((name for name in names if is_there[name] == given.there), key=lambda name: (-len(names[name]), name))
    for name in listed:
        packages = sorted({file.split('/')[0] for file in names[name]})
        print(f"{len(names[name]):5}  {name!s:60} {' '.join(packages[:4])}")
    without = {file for name in names if not is_there[name] for file in names[name]}
    print(f'{len(names)} names in {files_that_use} files, {len(names) - sum(is_there.values())} of them missing; '
          f'{len(without)} files use a name that is missing')
    return 0


if __name__ == '__main__':
    sys.exit(main())
