"""Promotion with weak dtypes: what TensorFlow gives in the modes 'all' and 'safe', which the first argument names."""
import ast
import subprocess
import sys
import unittest

import footlight as tf
from derivatives import gradient

try:
    import numpy as np
except ImportError:
    np = None

# expression -> dtype, * where it is weak, and the value, or the class of an error; !: an error in the mode 'safe'.
RECORDED = '''
C(1) + 1 -> int32* 2
C(1, tf.int8) + 1 -> int8 2
!C([1, 2], tf.int32) + 1.5 -> float64* [2.5, 3.5]
!C([1, 2], tf.int64) * 2.5 -> float64* [2.5, 5.0]
!C([1, 2], tf.uint8) + 1.5 -> float64* [2.5, 3.5]
C([1, 2], tf.float16) * 1.5 -> float16 [1.5, 3.0]
!C([1, 2], tf.float32) + 1j -> complex64 [(1+1j), (2+1j)]
C([1, 2], tf.float64) + C([1, 2], tf.float32) -> float64 [2.0, 4.0]
!C([1, 2], tf.int8) + C([1, 2], tf.uint8) -> int16 [2, 4]
!C([1, 2], tf.uint64) + C([1, 2], tf.int8) -> float64* [2.0, 4.0]
!C([1, 2], tf.uint32) - C([3, 4], tf.int32) -> int64 [-2, -2]
!C([1, 2], tf.bfloat16) + C([1, 2], tf.float16) -> float32 [2.0, 4.0]
!C([1, 2], tf.int64) + C([1, 2], tf.float32) -> float32 [2.0, 4.0]
C(1.5) + C(1) -> float32* 2.5
C(1.5) * C(2., tf.float16) -> float16 3.0
C([1, 2], tf.int32) / C([2, 2], tf.int32) -> float64 [0.5, 1.0]
C(1) / C(2) -> float64* 0.5
C([1, 2], tf.int16) // 2 -> int16 [0, 1]
C([5, 7], tf.int32) % 4 -> int32 [1, 3]
C([5, 7], tf.int32) ** 2 -> int32 [25, 49]
!C([5, 7], tf.int32) ** 2. -> float64* [25.0, 49.0]
2 ** C([1, 2], tf.int32) -> int32 [2, 4]
!1.5 - C([1, 2], tf.int32) -> float64* [0.5, -0.5]
np.float64(1.5) + C([1, 2], tf.float32) -> float64 [2.5, 3.5]
C([1, 2], tf.float32) + np.array([1., 2.]) -> float64 [2.0, 4.0]
np.array([1., 2.]) + C([1, 2], tf.float32) -> float64 [2.0, 4.0]
!C([1, 2], tf.int32) == 1. -> bool [True, False]
C([1, 2], tf.int32) == C([1., 2.], tf.float64) -> bool [True, True]
C([1, 2], tf.int32) + True -> int32 [2, 3]
C(True) + C(1, tf.int16) -> int16 2
tf.add(1, 2) -> int32* 3
tf.add(1, 2.) -> float32* 3.0
!tf.add(C(1, tf.int32), 2.) -> float64* 3.0
tf.subtract(1, C(1, tf.uint8)) -> uint8 0
tf.multiply(2., C([1, 2], tf.float16)) -> float16 [2.0, 4.0]
tf.divide(1, 2) -> float64* 0.5
tf.math.truediv(C(1), C(2)) -> float64* 0.5
tf.math.floordiv(7, C(2, tf.int8)) -> int8 3
tf.math.floormod(7, 4) -> int32* 3
tf.pow(2, 3) -> int32* 8
!tf.pow(C(2, tf.int8), 3.) -> float64* 8.0
tf.maximum(1, C(2., tf.float32)) -> float32 2.0
tf.minimum(1, 2.) -> float32 1.0
tf.equal(C(1), 1.) -> bool True
tf.matmul(C([[1, 2]]), C([[1.], [2.]])) -> float32* [[5.0]]
tf.matmul(C([[1, 2]], tf.float64), C([[1.], [2.]], tf.float32)) -> float64 [[5.0]]
tf.abs(-1) -> int32* 1
tf.abs(C(-1)) -> int32* 1
tf.abs(C(-1, tf.int64)) -> int64 1
tf.abs(np.int64(-1)) -> int64 1
tf.exp(1.) -> float32* 2.718282
tf.sqrt([4., 9.]) -> float32* [2.0, 3.0]
tf.reduce_sum([1, 2, 3]) -> int32* 6
tf.reduce_sum(C([1, 2, 3])) -> int32* 6
tf.reduce_sum(C([1, 2, 3], tf.int32)) -> int32 6
tf.reduce_mean(C([1., 3.])) -> float32* 2.0
tf.nn.relu(-1.) -> float32 0.0
tf.nn.relu(C([-1., 2.])) -> float32 [0.0, 2.0]
tf.identity(C(1)) -> int32* 1
tf.reshape(C([1, 2]), [2, 1]) -> int32* [[1], [2]]
tf.transpose(C([[1, 2]])) -> int32* [[1], [2]]
tf.zeros_like(C([1, 2])) -> int32* [0, 0]
tf.ones_like(C([1, 2], tf.int8)) -> int8 [1, 1]
tf.square(3) -> int32* 9
-C(1) -> int32* -1
abs(C(-2.)) -> float32* 2.0
C(1) -> int32* 1
C(1.5) -> float32* 1.5
C([1, 2]) -> int32* [1, 2]
C('a') -> string 'a'
C(True) -> bool True
C(1j) -> complex128* 1j
C(np.array([1, 2])) -> int64 [1, 2]
C(1, tf.float32) -> float32 1.0
C(C(1, tf.int16), tf.int32) -> int32 1
tf.cast(C(1), tf.float32) -> float32 1.0
tf.cast(1, tf.float64) -> float64 1.0
tf.convert_to_tensor(1) -> int32 1
tf.concat([C([1]), C([2])], 0) -> int32 [1, 2]
tf.where(C([True, False]), C([1, 2]), C([3, 4])) -> int32 [1, 4]
C([1, 2, 3])[1] -> int32 2
C([1, 2, 3])[:2] -> int32 [1, 2]
tf.stack([C(1), C(2)]) -> int32 [1, 2]
tf.tensordot(C([1., 2.]), C([1., 2.]), 1) -> float32 5.0
tnp.array(1) -> int32* 1
tnp.array(1.5) -> float32* 1.5
tnp.array([1, 2]) + tnp.array([1., 2.]) -> float32* [2.0, 4.0]
tnp.add(1, 2.) -> float64 3.0
tnp.sum(tnp.array([1, 2])) -> int32* 3
tnp.mean(tnp.array([1, 2])) -> float32* 1.5
tnp.result_type(1, 2.) -> float32
!tnp.result_type(np.int8, 2.) -> float64
!tnp.result_type(tf.int64, tf.float32) -> float32
tnp.result_type() -> float32
tnp.sin(1) -> float32* 0.841471
tnp.zeros([2]) -> float32 [0.0, 0.0]
tnp.ones([2], dtype=np.int16) -> int16 [1, 1]
tnp.arange(3) -> int32* [0, 1, 2]
tnp.matmul([[1, 2]], [[1.], [2.]]) -> float32* [[5.0]]
tnp.asarray(C([1, 2], tf.int8)) -> int8 [1, 2]
tnp.maximum(1, 2.5) -> float64 2.5
tnp.true_divide(1, 2) -> float64 0.5
tnp.full([2], 3) -> int32 [3, 3]
tnp.sqrt(4) -> float32* 2.0
tnp.cumsum([1, 2]) -> int32* [1, 3]
tnp.argsort(tnp.array([3, 1, 2])) -> int32 [1, 2, 0]
tnp.prod([1, 2, 3]) -> int32* 6
tnp.var(tnp.array([1, 2])) -> float32* 0.25
!V(C([1, 2], tf.int32)) + 1.5 -> float64* [2.5, 3.5]
V(C([1, 2], tf.float32)) + 1.5 -> float32 [2.5, 3.5]
V(1) -> int32 1
V(1.5) + 1 -> float32 2.5
V(1).assign(2.5) -> TypeError
V(C(1., tf.float32)).assign(2) -> float32 2.0
V(C(1., tf.float32)).assign_add(C(2, tf.float64)) -> TypeError
V(C(1., tf.float32)).assign_add(2) -> float32 3.0
tf.function(lambda x: x + 1)(C([1, 2], tf.int8)) -> int8 [2, 3]
tf.function(lambda x: x + 1)(C(1)) -> int32* 2
tf.function(lambda x, y: x * y)(C([1, 2], tf.int8), C(1.5, tf.float32)) -> float32 [1.5, 3.0]
tf.function(lambda: tf.add(1, 2))() -> int32* 3
grad(lambda x: x * 2.5, C(1., tf.float16)) -> float16 2.5
grad(lambda x: x * C(2.5) + 1, C(1., tf.float32)) -> float32 2.5
tf.nest.flatten(C(1), expand_composites=True)[0] -> int32 1
tf.range(3) -> int32 [0, 1, 2]
tf.range(C(3)) -> int32 [0, 1, 2]
tf.fill([2], 1) -> int32 [1, 1]
tf.eye(2) -> float32 [[1.0, 0.0], [0.0, 1.0]]
tf.random.uniform([2], 0, 5, tf.int32) * 0 -> int32 [0, 0]
tf.clip_by_value(C([1, 5]), 2, 3) -> int32* [2, 3]
tf.squeeze(C([[1]])) -> int32* 1
tf.expand_dims(C(1), 0) -> int32* [1]
tf.linalg.trace(C([[1, 2], [3, 4]])) -> int32* 5
tf.image.adjust_brightness(C([[[1.]]]), 0.5) -> float32 [[[1.5]]]
C([1, 2], tf.int32) < 2 -> bool [True, False]
C([True]) & C([False]) -> bool [False]
C(3) @ C(4) -> InvalidArgumentError
tf.add(2 ** 40, 1) -> OverflowError
!tf.add(C([1, 2], tf.complex64), C([1, 2], tf.float64)) -> complex128 [(2+0j), (4+0j)]
'''
MODE = sys.argv[1] if sys.argv[1:2] in (['all'], ['safe']) else None


def found(expression):
    """What an expression gives, as it is recorded."""
    names = {'tf': tf, 'np': np, 'tnp': tf.experimental.numpy, 'C': tf.constant, 'V': tf.Variable, 'grad': gradient}
    try:
        value = eval(expression, names)
    except Exception as error:
        return type(error).__name__, None
    if isinstance(value, tf.DType):
        return value.name, None
    number = value.numpy()
    return value.dtype.name + '*' * ('Weak' in type(value).__name__), number


@unittest.skipIf(np is None, 'NumPy is not installed')
class WeakDtypes(unittest.TestCase):
    @unittest.skipIf(MODE is None, 'runs in processes of its own, because a mode changes the whole process')
    def test_recorded(self):
        tf.experimental.numpy.experimental_enable_numpy_behavior(dtype_conversion_mode=MODE)
        for line in RECORDED.strip().splitlines():
            expression, _, wanted = line.lstrip('!').rpartition(' -> ')
            kind, _, value = wanted.partition(' ')
            if MODE == 'safe' and line[0] == '!':
                kind, value = 'TypeError', ''
            with self.subTest(expression):
                got, number = found(expression)
                self.assertEqual(got, kind)
                if value:
                    wanted = ast.literal_eval(value)
                    if isinstance(number, bytes):
                        self.assertEqual(number.decode(), wanted)
                    else:
                        np.testing.assert_allclose(np.asarray(number, complex), wanted, atol=1e-5)

    @unittest.skipIf(MODE is None, 'in a process of its own')
    def test_weak_tensors(self):
        tf.experimental.numpy.experimental_enable_numpy_behavior(dtype_conversion_mode=MODE)
        weak = tf.constant([1, 2])
        self.assertEqual(repr(weak), '<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32), weak=True>')
        self.assertEqual([type(row).__name__ for row in weak], ['WeakTensor'] * 2)
        self.assertEqual((len(weak), weak.shape, int(weak[1]), np.array(weak).tolist()), (2, [2], 2, [1, 2]))
        self.assertTrue(bool(tf.constant(1)) and tf.is_tensor(weak))
        self.assertEqual(type(weak.to_tensor()), tf.Tensor)
        kind = type(weak)
        self.assertRaises(TypeError, kind, tf.constant(1, tf.int8))
        self.assertRaises(tf.errors.InvalidArgumentError, kind.from_tensor, 1)
        many = tf.function(lambda x: (x * 2, x + tf.constant(1, tf.int64)))(weak)
        self.assertEqual([type(one).__name__ for one in many], ['WeakTensor', 'Tensor'])
        self.assertEqual(many[1].dtype, tf.int64)

    @unittest.skipIf(MODE, 'starts the processes of both modes')
    def test_modes(self):
        for mode in ('all', 'safe'):
            run = subprocess.run([sys.executable, __file__, mode], capture_output=True, text=True)
            self.assertEqual(run.returncode, 0, run.stderr)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1] if MODE else None)
