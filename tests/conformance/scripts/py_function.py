"""Python functions that run with the graph: values, dtypes, errors and gradients, eager and traced."""
import numpy as np
import tensorflow as tf

one, numbers = tf.constant(1.), tf.constant([1., 3., 2.])


def show(what, f, *args):
    for mode, made in (('eager', f), ('traced', tf.function(f, autograph=False))):
        try:
            result = made(*args)
            shown = [(r.dtype.name, r.numpy().tolist() if r.dtype != tf.string else r.numpy()) if tf.is_tensor(r) else r
                     for r in (result if isinstance(result, (list, tuple)) else [result])]
            print(what, mode, type(result).__name__ if isinstance(result, (list, tuple)) else '', shown)
        except Exception as error:
            print(what, mode, type(error).__name__)


def py(function, inputs, wanted):
    return lambda: tf.py_function(function, inputs, wanted)


def arrays(function, inputs, wanted):
    return lambda: tf.numpy_function(function, inputs, wanted)


show('one', py(lambda x: x * 2, [one], tf.float32))
show('list of one', py(lambda x: x * 2, [one], [tf.float32]))
show('two', py(lambda x: (x, 2), [one], [tf.float32, tf.int32]))
show('too few', py(lambda x: (x,), [one], [tf.float32, tf.int32]))
show('too many', py(lambda x: (x, x, x), [one], [tf.float32]))
show('nothing for one', py(lambda x: None, [one], tf.float32))
show('another dtype', py(lambda x: tf.cast(x, tf.int32), [one], tf.float32))
show('Python number', py(lambda x: 3, [one], tf.float32))
show('NumPy number', py(lambda x: np.float64(3), [one], tf.float32))
show('text', py(lambda x: 'abc', [one], tf.string))
show('inputs', py(lambda x, y, z: [x + 1, tf.strings.length(y), z[::-1]], [1., 'four', np.arange(3)],
                  [tf.float32, tf.int32, tf.int64]))
show('name of a dtype', py(lambda x: x, [one], 'float32'))
show('class of NumPy', py(lambda x: x, [one], np.float32))
show('a spec', py(lambda x: x, [one], tf.TensorSpec([], tf.float32)))
show('no dtype', py(lambda x: x, [one], 'what'))
show('no function', py(3, [one], tf.float32))
show('no Tout', lambda: tf.py_function(lambda x: x, [one]))
show('a traced function', py(tf.function(lambda x: x * 3), [one], tf.float32))
variable = tf.Variable(2.)
show('a variable in', py(lambda x: x + 1, [variable], tf.float32))
show('a variable out', py(lambda x: variable, [one], tf.float32))
show('as a decorator', lambda: tf.py_function(Tout=tf.float32)(lambda x: x * 5)(one))

show('array', arrays(lambda x: np.sort(x)[::-1], [numbers], tf.float32))
show('scalars', arrays(lambda x: np.array([x.ndim, isinstance(x, np.ndarray)]), [one], tf.int64))
show('array of text', arrays(lambda x: np.array(['ab', 'c']), [one], tf.string))
show('bytes', arrays(lambda x: b'a\x00b', [one], tf.string))
show('NumPy int for int64', arrays(lambda x: np.int64(3), [one], tf.int64))
show('two arrays', arrays(lambda x: (x, np.int32(2)), [one], [tf.float32, tf.int32]))
show('old name', lambda: tf.compat.v1.py_func(lambda x: x + 1, [one], tf.float32, stateful=False))

for kind in (ValueError, TypeError, StopIteration, MemoryError, NotImplementedError, KeyError, RuntimeError, OSError,
             UnicodeError, ZeroDivisionError, AssertionError):
    def fails(x, kind=kind):
        raise kind('oops')
    show(kind.__name__, py(fails, [one], tf.float32))
    show('array ' + kind.__name__, arrays(fails, [one], tf.float32))


def gradient(what, f, at):
    for mode, made in (('eager', f), ('traced', tf.function(f))):
        x = tf.constant(at)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = made(x)
        print('gradient', what, mode, tape.gradient(y, x))


def square(x):
    return tf.py_function(lambda v: v * v, [x], tf.float32)


def two_of_them(x):
    return square(x) * tf.py_function(lambda v: v * 5., [x], tf.float32)


def of_one_output(x):
    a, b = tf.py_function(lambda v: (v * v, v * 3.), [x], [tf.float32, tf.float32])
    return b


def rows(x):
    return tf.reduce_sum(tf.py_function(lambda v: tf.gather(v, [0, 0, 2]), [x], tf.float32))


gradient('square', square, 3.)
gradient('two of them', two_of_them, 3.)
gradient('of one output', of_one_output, 3.)
gradient('rows', rows, [1., 2., 3.])
gradient('detached', lambda x: tf.py_function(lambda v: v.numpy() * 2, [x], tf.float32), 3.)
gradient('arrays', lambda x: tf.numpy_function(lambda v: v * 2, [x], tf.float32), 3.)

order = []


@tf.function
def ordered(x):
    tf.py_function(lambda v: order.append(float(v)), [x], [])
    tf.py_function(lambda v: order.append(float(v) + .5), [x], [])
    return x


for i in range(3):
    ordered(tf.constant(float(i)))
print(order)


@tf.function
def shapes(x):
    y = tf.py_function(lambda v: v, [x], tf.float32, name='mine')
    print(y.shape, y.op.type, y.op.name)
    z = tf.numpy_function(lambda v: v, [x], tf.float32)
    print(z.shape, z.op.type, z.op.name)
    y.set_shape([3])
    return y + z


print(shapes(numbers).numpy(), tf.executing_eagerly())
