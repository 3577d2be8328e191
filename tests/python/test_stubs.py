"""The stubs of the package: complete, right by a type checker, and refused where they say what the package does not."""
import ast
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import footlight as tf
from folder_case import FolderCase

ROOT = pathlib.Path(__file__).parents[2]
WRITER = ROOT / 'engine/python/stubs'
PACKAGE = pathlib.Path(tf.__file__).parent
SAMPLES = ROOT / 'resources/examples'

# The samples carry no annotations, as most scripts; `strict` still checks the bodies of their functions.
CONFIG = '''
[mypy]
strict = True
[mypy-keras.*]
follow_imports = skip
ignore_missing_imports = True
''' + ''.join(f'''[mypy-{sample.stem}]
allow_untyped_defs = True
allow_untyped_calls = True
allow_untyped_globals = True
''' for sample in SAMPLES.glob('*.py'))

# Of the package itself; the packages named here are not installed everywhere, or have no types.
PACKAGE_CONFIG = '''
[mypy]
[mypy-absl.*,gast,google.*,keras.*,sitecustomize]
ignore_missing_imports = True
follow_imports = skip
'''

# A mistake is marked with the error that it must give; `strict` reports marks without an error.
USES = '''
from typing import Any, assert_type
import tensorflow as tf
import footlight

x = tf.constant([1.0, 2.0])
assert_type(2 * x + [1, 2.5], tf.Tensor)
assert_type(x @ x, tf.Tensor)
assert_type(x[..., None, 0:1] == 1, tf.Tensor)
assert_type(x.dtype, tf.DType)
assert_type(x.shape, tf.TensorShape)
assert_type(tf.float32, tf.DType)
assert_type(tf.reduce_sum(x, axis=0), footlight.Tensor)
assert_type(tf.split([1, 2], 2), list[tf.Tensor])
assert_type(tf.math.top_k([1.0]).indices, tf.Tensor)
assert_type(tf.linalg.svd(tf.eye(2)), tuple[tf.Tensor, tf.Tensor, tf.Tensor])
tf.constant(object())  # type: ignore[arg-type]
tf.reduce_sum([1.0], axes=0)  # type: ignore[call-arg]
tf.reduce_summ([1.0])  # type: ignore[attr-defined]


@tf.function
def scaled(x: tf.Tensor, by: int = 2) -> tf.Tensor:
    return x * by


@tf.function(input_signature=[tf.TensorSpec([None], tf.float32)], jit_compile=True)
def twice(x: tf.Tensor) -> list[tf.Tensor]:
    return [x, x]


assert_type(scaled(x, by=3), tf.Tensor)
assert_type(twice(x), list[tf.Tensor])
assert_type(scaled.python_function(x), tf.Tensor)
assert_type(scaled.get_concrete_function(tf.TensorSpec([2])).outputs, list[tf.Tensor])
scaled('text')  # type: ignore[arg-type]
scaled(x, until=3)  # type: ignore[call-arg]


class Model(tf.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = tf.Variable(1.0)

    @tf.function
    def step(self, x: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            loss = self.weight * x
        assert_type(tape.gradient(loss, [self.weight]), list[tf.Tensor | Any])
        assert_type(self.weight.assign_sub(0.5), tf.Variable)
        return loss


assert_type(Model().step(x), tf.Tensor)
Model().step(x, x)  # type: ignore[call-arg]


def pair(x: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    return x, x + 1


for first, second in tf.data.Dataset.range(5).map(pair).batch(2).shuffle(4).prefetch(tf.data.AUTOTUNE):
    assert_type(first, tf.Tensor)


def elements(data: tf.data.Dataset) -> int:
    return len([element for element in data])
'''


def stub_of(*names):
    path = PACKAGE.joinpath(*names)
    return path / '__init__.pyi' if path.is_dir() else path.with_suffix('.pyi')


def defined(path):
    """The names that a stub defines or imports for others."""
    names = set()
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names |= {alias.asname for alias in node.names}
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        else:
            names |= {target.id for target in getattr(node, 'targets', [getattr(node, 'target', None)]) if target}
    return names


class Stubs(FolderCase):
    def check_types(self, config, path, *what, uses=''):
        """Runs mypy in a folder of its own, which has the module `uses_of_stubs`."""
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, 'mypy.ini').write_text(config)
            pathlib.Path(folder, 'uses_of_stubs.py').write_text(uses)
            mypy = [sys.executable, '-m', 'mypy', '--config-file', 'mypy.ini', '--cache-dir', os.devnull]
            path = os.pathsep.join(map(str, [folder, *path]))
            done = subprocess.run([*mypy, *what], cwd=folder, text=True, env={**os.environ, 'MYPYPATH': path},
                                  capture_output=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    @unittest.skipUnless(importlib.util.find_spec('mypy'), 'mypy is not installed')
    def test_types_of_stubs_and_samples(self):
        samples = [word for sample in sorted(SAMPLES.glob('*.py')) for word in ('-m', sample.stem)]
        self.check_types(CONFIG, [SAMPLES, PACKAGE.parent, PACKAGE.parents[1] / 'stubs'], '-p', 'tensorflow', *samples,
                         '-m', 'uses_of_stubs', uses=USES)

    @unittest.skipUnless(importlib.util.find_spec('mypy'), 'mypy is not installed')
    def test_types_of_the_package(self):
        self.check_types(PACKAGE_CONFIG, [PACKAGE.parent], '-p', 'footlight')

    def test_stub_of_the_extension_module(self):
        actual = {name for name in vars(tf._engine) if not name.startswith('__')}
        self.assertEqual(actual, defined(PACKAGE / '_engine.pyi') - {None})

    def test_every_name_can_be_completed(self):
        self.assertTrue((PACKAGE / 'py.typed').exists())
        for names in ([], ['data'], ['nn'], ['io', 'gfile'], ['compat', 'v1', 'train'], ['ragged']):
            module = tf
            for name in names:
                module = getattr(module, name)
            public = {name for name in vars(module) if not name.startswith('_')}
            missing = public - defined(stub_of(*names)) - {'python', 'core', 'contrib'}
            self.assertEqual(missing, set(), f'in tf.{".".join(names)}')
        self.assertLessEqual({'RaggedTensor', 'lookup', 'keras'}, defined(stub_of()))

    def test_stubs_make_no_module(self):
        for name in ('ragged', 'lookup', 'lookup.experimental', 'distribute'):
            code = f'import footlight, importlib; importlib.import_module("footlight.{name}")'
            done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True)
            self.assertIn('ModuleNotFoundError', done.stderr)

    def test_refuses_what_the_package_does_not_have(self):
        writer = shutil.copytree(WRITER, pathlib.Path(self.folder, 'stubs'))
        nest = writer / 'known/nest.pyi'
        text = nest.read_text().replace('structure: object', 'value: object')
        nest.write_text(text + 'def unpacked(x: Any) -> Any: ...\n')
        done = subprocess.run([sys.executable, writer / 'write.py', PACKAGE.parent], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("is_nested has the parameters ['structure'], not ['value']", done.stderr)
        self.assertIn('unpacked is no name of the package', done.stderr)
