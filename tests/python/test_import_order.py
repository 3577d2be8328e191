"""The package's modules may be imported in any order: each imports what it needs, and the names are the same."""
import importlib.util
import json
import os
import random
import re
import subprocess
import sys
import types
import unittest

LIST = re.compile(r'(?:^import footlight\.[\w.]+\n)+', re.M)


def import_in_order(seed):
    """Imports the package with the modules that its __init__.py lists in another order; None: in the order there."""
    spec = importlib.util.find_spec('footlight')
    with open(spec.origin) as file:
        source = file.read()
    if seed is not None:
        listed = LIST.search(source)
        modules = listed.group().splitlines(keepends=True)
        modules.reverse() if seed == 0 else random.Random(seed).shuffle(modules)
        source = source[:listed.start()] + ''.join(modules) + source[listed.end():]
    module = sys.modules['footlight'] = importlib.util.module_from_spec(spec)
    exec(compile(source, spec.origin, 'exec'), vars(module))


def what_is(value):
    kind = type(value).__name__
    if isinstance(value, (staticmethod, classmethod)):
        return f'{kind} {what_is(value.__func__)}'
    if isinstance(value, property):
        return f'{kind} {what_is(value.fget)} {what_is(value.fset)}'
    if isinstance(value, types.FunctionType):
        return f'{kind} {value.__module__}.{value.__qualname__} {value.__code__.co_filename}:{value.__code__.co_firstlineno}'
    if isinstance(value, type):
        members = {name: '' if isinstance(one, type) else what_is(one) for name, one in vars(value).items()}
        return f'{kind} {value.__module__}.{value.__qualname__} {value.__mro__} {sorted(members.items())}'
    return kind


def names():
    spaces = {full: module for full, module in sys.modules.items() if full == 'footlight' or full.startswith('footlight.')
              and vars(module).get('__file__') is None}
    return {f'{full}.{name}': what_is(value) for full, module in spaces.items() for name, value in vars(module).items()
            if not name.startswith('_')}


def specs():
    """What specs print and are equal to: a class keeps what its base had when it was defined."""
    import footlight as tf
    plain = tf.TensorSpec([2], tf.int32)
    makers = [lambda: tf.SparseTensorSpec([2], tf.int32), lambda: tf.RaggedTensorSpec([2, None], tf.int32), lambda: tf.OptionalSpec(plain),
              lambda: tf.TensorArraySpec([2], tf.int32), lambda: tf.IndexedSlicesSpec([2], tf.int32), lambda: tf.NoneTensorSpec(),
              lambda: tf.data.DatasetSpec(plain), lambda: tf.data.IteratorSpec(plain)]
    return {f'spec {i}': f'{make()!r} {make() == make()} {hash(make()) == hash(make())}' for i, make in enumerate(makers)}


def names_after(seed):
    done = subprocess.run([sys.executable, __file__, 'names', json.dumps(seed)], capture_output=True, text=True,
                          env={**os.environ, 'TF_CPP_MIN_LOG_LEVEL': '3'})
    if done.returncode:
        raise AssertionError(f'order {seed}: {done.stderr[-2000:]}')
    return json.loads(done.stdout)


class ImportOrder(unittest.TestCase):
    maxDiff = 2000

    def test_names_do_not_depend_on_the_order(self):
        usual = names_after(None)
        self.assertGreater(len(usual), 1000)
        for seed in (0, 1, 2, 3):
            with self.subTest(seed=seed):
                found = names_after(seed)
                self.assertEqual({name: usual.get(name) for name in usual.keys() ^ found.keys()}, {})
                self.assertEqual([(name, found[name], usual[name]) for name in found if found[name] != usual[name]], [])


if __name__ == '__main__':
    if sys.argv[1:2] == ['names']:
        import_in_order(json.loads(sys.argv[2]))
        print(json.dumps({**names(), **specs()}))
    else:
        unittest.main()
