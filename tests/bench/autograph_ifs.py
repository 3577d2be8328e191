"""AutoGraph's conversion of 1 to 64 if/else in a row: alone, and together with Python's parser and compiler.
The time per if/else must stay the same as for one; TensorFlow's doubles with each."""
import ast

import bench


def source(count):
    lines = ['def f(x):', '  y = x']
    for i in range(count):
        lines += [f'  if x > {i}:', '    y = y + 1', '  else:', '    y = y - 1']
    return '\n'.join(lines) + '\n  return y\n'


def conversion(count):
    def make():
        from footlight import _engine
        tree = ast.parse(source(count)).body[0]
        return lambda: _engine.autograph_lean(tree)
    return make


def singly(count):
    """Converts as many functions with a single if/else."""
    def make():
        from footlight import _engine
        tree = ast.parse(source(1)).body[0]

        def convert():
            for _ in range(count):
                _engine.autograph_lean(tree)
        return convert
    return make


def whole(count):
    def make():
        from footlight import _engine
        text = source(count)

        def convert():
            function = _engine.autograph_lean(ast.parse(text).body[0])
            compile(ast.Module([function], []), 'f.py', 'exec')
        return convert
    return make


def python(count):
    def make():
        text = source(count)
        return lambda: compile(ast.parse(text), 'f.py', 'exec')
    return make


ROWS = [bench.Row('AutoGraph, 1 if/else', conversion(1), python(1), "Python's own parse and compile", 0.2e-3)]
ROWS += [bench.Row(f'AutoGraph, {n} if/else', conversion(n), singly(n), 'as many functions with one', n * 0.125e-3)
         for n in (2, 4, 8, 16, 32, 64)]
ROWS += [bench.Row(f'AutoGraph, {n} if/else, parsed and '
                   'compiled', whole(n), python(n), "Python's own parse and compile")
         for n in (1, 16, 64)]


def peers(library):
    if library != 'tensorflow':
        return {}
    import importlib.util
    import os
    import tempfile
    import tensorflow as tf
    folder = tempfile.mkdtemp()
    made = 0

    def convert(count):
        nonlocal made
        made += 1
        path = os.path.join(folder, f'f{made}.py')
        with open(path, 'w') as out:
            out.write(source(count).replace('y = x', f'y = x + {made}'))  # else the conversion is reused
        spec = importlib.util.spec_from_file_location(f'f{made}', path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        tf.autograph.to_graph(module.f)
    return {f'AutoGraph, {n} if/else': lambda n=n: convert(n) for n in (1, 2, 4, 8)}


if __name__ == '__main__':
    bench.main()
