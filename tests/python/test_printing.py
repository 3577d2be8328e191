"""Printed forms: of tensors (NumPy's rules, without NumPy), variables, specs, shapes, dtypes."""
import collections
import random
import struct
import sys
import tempfile
import unittest

import footlight as tf
from folder_case import FolderCase

try:
    import numpy as np
except ImportError:
    np = None


class Printed(unittest.TestCase):
    CASES = [
        (lambda: tf.constant(5), 'tf.Tensor(5, shape=(), dtype=int32)', '<tf.Tensor: shape=(), dtype=int32, numpy=5>'),
        (lambda: tf.constant(0.1), 'tf.Tensor(0.1, shape=(), dtype=float32)',
         '<tf.Tensor: shape=(), dtype=float32, numpy=0.10000000149011612>'),
        (lambda: tf.constant(1 / 3), 'tf.Tensor(0.33333334, shape=(), dtype=float32)',
         '<tf.Tensor: shape=(), dtype=float32, numpy=0.3333333432674408>'),
        (lambda: tf.constant([4, 6]), 'tf.Tensor([4 6], shape=(2,), dtype=int32)',
         '<tf.Tensor: shape=(2,), dtype=int32, numpy=array([4, 6], dtype=int32)>'),
        (lambda: tf.constant([[1., 2.], [3., 4.]]), 'tf.Tensor(\n[[1. 2.]\n [3. 4.]], shape=(2, 2), dtype=float32)',
         '<tf.Tensor: shape=(2, 2), dtype=float32, numpy=\narray([[1., 2.],\n       [3., 4.]], dtype=float32)>'),
        (lambda: tf.constant('a'), "tf.Tensor(b'a', shape=(), dtype=string)",
         "<tf.Tensor: shape=(), dtype=string, numpy=b'a'>"),
        (lambda: tf.constant(['a', 'bc']), "tf.Tensor([b'a' b'bc'], shape=(2,), dtype=string)",
         "<tf.Tensor: shape=(2,), dtype=string, numpy=array([b'a', b'bc'], dtype=object)>"),
        (lambda: tf.constant([True, False]), 'tf.Tensor([ True False], shape=(2,), dtype=bool)',
         '<tf.Tensor: shape=(2,), dtype=bool, numpy=array([ True, False])>'),
        (lambda: tf.zeros([0, 3]), 'tf.Tensor([], shape=(0, 3), dtype=float32)',
         '<tf.Tensor: shape=(0, 3), dtype=float32, numpy=array([], shape=(0, 3), dtype=float32)>'),
        (lambda: tf.constant([1e-10, 1e10]), 'tf.Tensor([1.e-10 1.e+10], shape=(2,), dtype=float32)',
         '<tf.Tensor: shape=(2,), dtype=float32, numpy=array([1.e-10, 1.e+10], dtype=float32)>'),
        (lambda: tf.constant([float('nan'), float('inf')]), 'tf.Tensor([nan inf], shape=(2,), dtype=float32)',
         '<tf.Tensor: shape=(2,), dtype=float32, numpy=array([nan, inf], dtype=float32)>'),
        (lambda: tf.range(2000), 'tf.Tensor([   0    1    2 ... 1997 1998 1999], shape=(2000,), dtype=int32)',
         '<tf.Tensor: shape=(2000,), dtype=int32, numpy=\narray([   0,    1,    2, ..., 1997, 1998, 1999],\n      shape=(2000,), dtype=int32)>'),
        (lambda: tf.constant([1 + 2j, 3.5j]), 'tf.Tensor([1.+2.j  0.+3.5j], shape=(2,), dtype=complex128)',
         '<tf.Tensor: shape=(2,), dtype=complex128, numpy=array([1.+2.j , 0.+3.5j])>'),
        (lambda: tf.constant([0.1, 0.25], tf.float64), 'tf.Tensor([0.1  0.25], shape=(2,), dtype=float64)',
         '<tf.Tensor: shape=(2,), dtype=float64, numpy=array([0.1 , 0.25])>'),
        (lambda: tf.constant(1.5, tf.bfloat16), 'tf.Tensor(1.5, shape=(), dtype=bfloat16)',
         '<tf.Tensor: shape=(), dtype=bfloat16, numpy=1.5>'),
        (lambda: tf.constant(b'\xff\x00'), r"tf.Tensor(b'\xff\x00', shape=(), dtype=string)",
         r"<tf.Tensor: shape=(), dtype=string, numpy=b'\xff\x00'>"),
        (lambda: tf.zeros([2, 2, 2]), None,
         '<tf.Tensor: shape=(2, 2, 2), dtype=float32, numpy=\narray([[[0., 0.],\n        [0., 0.]],\n\n'
         '       [[0., 0.],\n        [0., 0.]]], dtype=float32)>'),
    ]

    def test_tensors(self):
        for make, text, representation in self.CASES:
            t = make()
            if text is not None:
                self.assertEqual(str(t), text)
            self.assertEqual(repr(t), representation)

    def test_nothing_loads_numpy(self):
        import subprocess
        code = ('import sys, footlight as tf; x = tf.constant([[1., 2.]]); print(x, repr(x + 1)); '
                'assert "numpy" not in sys.modules')
        subprocess.run([sys.executable, '-c', code], check=True, stdout=subprocess.DEVNULL)

    def test_others(self):
        self.assertEqual(repr(tf.Variable(1.0)), "<tf.Variable 'Variable:0' shape=() dtype=float32, numpy=1.0>")
        self.assertEqual(repr(tf.Variable([1, 2], name='w')),
                         "<tf.Variable 'w:0' shape=(2,) dtype=int32, numpy=array([1, 2], dtype=int32)>")
        self.assertEqual(repr(tf.Variable([1., 2.], shape=[None])),
                         "<tf.Variable 'Variable:0' shape=(None,) dtype=float32, numpy=array([1., 2.], dtype=float32)>")
        self.assertEqual(repr(tf.TensorSpec([None, 3], tf.int32)), 'TensorSpec(shape=(None, 3), dtype=tf.int32, name=None)')
        self.assertEqual(repr(tf.TensorSpec(None, name='x')), "TensorSpec(shape=<unknown>, dtype=tf.float32, name='x')")
        self.assertEqual((str(tf.TensorShape([None, 3])), repr(tf.TensorShape([None, 3]))), ('(None, 3)', 'TensorShape([None, 3])'))
        self.assertEqual((str(tf.TensorShape(None)), repr(tf.TensorShape(None))), ('<unknown>', 'TensorShape(None)'))
        self.assertEqual((str(tf.float32), repr(tf.half)), ("<dtype: 'float32'>", 'tf.float16'))

    def test_format(self):
        self.assertEqual(f'{tf.constant(1.5)}', '1.5')
        self.assertEqual(f'{tf.constant(5):d} {tf.constant(2.25):.1f}', '5 2.2')
        self.assertEqual('%d %.1f' % (tf.constant(2), tf.constant(2.25)), '2 2.2')
        with self.assertRaises(TypeError):
            f'{tf.constant([1., 2.]):.1f}'

    def test_symbolic(self):
        seen = []

        @tf.function(input_signature=[tf.TensorSpec([None, 3]), tf.TensorSpec(None, tf.string)])
        def f(x, y):
            seen.extend([str(x), repr(x), str(y), repr(y), x.name])
            return x

        f.get_concrete_function()
        self.assertEqual(seen, ['Tensor("x:0", shape=(None, 3), dtype=float32)', "<tf.Tensor 'x:0' shape=(None, 3) dtype=float32>",
                                'Tensor("y:0", dtype=string)', "<tf.Tensor 'y:0' shape=<unknown> dtype=string>", 'x:0'])

    @unittest.skipIf(np is None or np.lib.NumpyVersion(np.__version__) < '2.3.0',
                     'NumPy 2.3 or later is not installed: its printing is not compared')
    def test_against_numpy(self):
        draw = random.Random(7)
        for kind, size, code in (('float32', 4, '<f'), ('float64', 8, '<d'), ('float16', 2, '<e')):
            for _ in range(300):
                shape = tuple(draw.choice([1, 2, 3, 5]) for _ in range(draw.choice([1, 1, 2, 3])))
                count = int(np.prod(shape))
                way = draw.randrange(5)
                if way == 0:
                    values = [struct.unpack(code, draw.randbytes(size))[0] for _ in range(count)]
                elif way == 1:
                    values = [draw.uniform(-1000, 1000) for _ in range(count)]
                elif way == 2:
                    values = [round(draw.uniform(-10, 10), draw.randrange(4)) for _ in range(count)]
                elif way == 3:
                    values = [draw.choice([0., -0., 1., float('nan'), float('inf'), float('-inf'), 1e-5, 12345.678]) for _ in range(count)]
                else:
                    values = [draw.uniform(-1, 1) * 10 ** draw.randrange(-4, 4) for _ in range(count)]
                with np.errstate(all='ignore'):
                    array = np.array(values, kind).reshape(shape)
                t = tf.constant(array)
                with np.errstate(all='ignore'):
                    self.same(t, array)
        for kind in ('int8', 'int32', 'int64', 'uint8', 'uint64', 'bool', 'complex64', 'complex128'):
            for shape in ((3,), (40,), (2, 3), (2, 1, 4), (30, 40), (7, 200), (1001,)):
                count = int(np.prod(shape))
                array = np.array([draw.randrange(0, 100) for _ in range(count)]).astype(kind).reshape(shape)
                if kind.startswith('complex'):
                    array = array * np.array(0.37 - 1.25j, kind)
                self.same(tf.constant(array), array)

    def same(self, tensor, array):
        want = str(array)
        got = str(tensor)
        start, end = len('tf.Tensor('), got.rindex(', shape=')
        self.assertEqual(got[start:end].lstrip('\n'), want, array.dtype)
        self.assertEqual(repr(tensor).split('numpy=', 1)[1][:-1].lstrip('\n'), repr(array))


class Lines(FolderCase):
    """tf.print of structures, as pprint lays them out, and with few or no elements."""

    def line(self, *values, **options):
        with tempfile.TemporaryDirectory() as folder:
            tf.print(*values, output_stream='file://' + folder + '/out', end='', **options)
            with open(folder + '/out', encoding='utf-8') as f:
                return f.read()

    def test_structures(self):
        x, y = tf.constant(1), tf.constant([2, 3])
        self.assertEqual(self.line({'b': x, 'a': [y, 'c']}), "{'a': [[2 3], 'c'], 'b': 1}")
        # As this Python prints one.
        ordered = "OrderedDict({'z': 1, 'a': [2 3]})" if sys.version_info >= (3, 12) else "OrderedDict([('z', 1), ('a', [2 3])])"
        self.assertEqual(self.line(collections.OrderedDict([('z', x), ('a', y)])), ordered)
        self.assertEqual(self.line(list(range(30))), '[' + ',\n '.join(str(i) for i in range(30)) + ']')

    def test_ragged_and_sparse(self):
        numbers = tf.ragged.constant([[1, 2], [], [3, 4, 5, 6, 7, 8, 9]])
        deep = tf.ragged.constant([[['a'], ['b', 'c']], []])
        sparse = tf.sparse.from_dense([[1, 0], [0, 2]])
        shown = "'SparseTensor(indices=[[0 0]\n [1 1]], values=[1 2], shape=[2 2])'"

        def check(numbers, deep, sparse):
            self.assertEqual(self.line(numbers), '[[1, 2], [], [3, 4, 5, ..., 7, 8, 9]]')
            self.assertEqual(self.line('x', [numbers, {'k': deep}], summarize=1),
                             "x [[[1, 2], ..., [3, ..., 9]], {'k': [[['a'], ['b', 'c']], []]}]")
            self.assertEqual(self.line(deep, numbers, summarize=-1, sep='{}'),
                             "[[['a'], ['b', 'c']], []]{}[[1, 2], [], [3, 4, 5, 6, 7, 8, 9]]")
            self.assertEqual(self.line(sparse, tf.constant(1)), shown + ' 1')
            self.assertEqual(self.line([sparse]), '[' + shown + ']')
        check(numbers, deep, sparse)

        @tf.function
        def traced(*values):
            tf.print(*values, output_stream='file://' + self.folder + '/out', end='')
        traced(deep, sparse, numbers)
        with open(self.folder + '/out', encoding='utf-8') as f:
            self.assertEqual(f.read(), "[[['a'], ['b', 'c']], []] " + shown + ' [[1, 2], [], [3, 4, 5, ..., 7, 8, 9]]')

    def test_few(self):
        self.assertEqual(self.line(tf.constant([[1, 2]]), summarize=0), '[\n ...]')
        self.assertEqual(self.line(tf.zeros([1, 0])), '[\n ...]')
        self.assertEqual(self.line(tf.constant([1j, 2, 3]), summarize=2), '[? ?...]')
