#!/usr/bin/env python3
"""Lists which names of `tf` the installed Keras uses, and which of these Footlight lacks: with `--used`, all of them.
Read from Keras's source: what follows `tf.` in an expression, and what is imported from `tensorflow`."""
import ast
import importlib.util
import os
import sys

# Parts that need another package or another backend.
LEFT_OUT = ('/backend/jax/', '/backend/torch/', '/backend/openvino/', '/backend/numpy/', '/applications/', '_test.py',
            '/export/litert.py', '/utils/jax_', '/utils/torch_')


def dotted(node):
    """`tf.a.b` as a list of names, or None where the expression is anything else."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return [node.id, *reversed(parts)] if isinstance(node, ast.Name) else None


def names_of_file(path):
    with open(path, encoding='utf-8') as f:
        tree = ast.parse(f.read())
    known = {}  # a local name -> the dotted name in tensorflow
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.partition('.')[0] == 'tensorflow':
                    known[alias.asname or 'tensorflow'] = alias.name.split('.')[1:] if alias.asname else []
        elif isinstance(node, ast.ImportFrom) and (node.module or '').partition('.')[0] == 'tensorflow':
            for alias in node.names:
                known[alias.asname or alias.name] = node.module.split('.')[1:] + [alias.name]
        elif isinstance(node, ast.ImportFrom) and node.module == 'keras.src.utils.module_utils':
            known.update({alias.asname or alias.name: [] for alias in node.names if alias.name == 'tensorflow'})
    found = {'.'.join(parts) for parts in known.values() if parts}
    for node in ast.walk(tree):
        parts = dotted(node) if isinstance(node, ast.Attribute) else None
        if parts and parts[0] in known:
            found.add('.'.join(known[parts[0]] + parts[1:]))
    return found


def used():
    """Every name that Keras uses, with the files that do. Members of objects (`tf.float32.name`) count as well."""
    root = os.path.dirname(importlib.util.find_spec('keras').origin)
    found = {}
    for folder, _, files in os.walk(root):
        for file in sorted(files):
            path = os.path.join(folder, file)
            if file.endswith('.py') and not any(part in path for part in LEFT_OUT):
                for name in names_of_file(path):
                    found.setdefault(name, []).append(os.path.relpath(path, root))
    return found


def exists(tf, name):
    """Whether tf has the name; what Keras asks for in vain in TensorFlow as well is under a try or a hasattr there."""
    import importlib
    here, full = tf, 'tensorflow'
    for part in name.split('.'):
        full += '.' + part
        try:
            here = getattr(here, part)
        except AttributeError:
            try:
                here = importlib.import_module(full)
            except ImportError:
                return False
    return True


def main():
    if importlib.util.find_spec('keras') is None:
        print('keras is not installed in this Python')
        return 77
    from footlight import _alias
    _alias.install()
    import tensorflow as tf
    names = used()
    missing = {name: files for name, files in names.items() if not exists(tf, name)}
    for name in sorted(names if '--used' in sys.argv else missing):
        print((f"{name!s:60} {' '.join(names[name][:3])}").rstrip())
    print(f'{len(names)} names used, {len(missing)} of them missing')
    return 0


if __name__ == '__main__':
    sys.exit(main())
