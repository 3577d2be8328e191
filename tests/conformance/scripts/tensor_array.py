# All members of tf.TensorArray, the same eagerly and traced, with their gradients.
import tensorflow as tf


def both(make, *args):
    """What `make` gives eagerly, then in a traced function."""
    for run in (make, tf.function(make)):
        try:
            print(make.__name__, [t.numpy().tolist() for t in tf.nest.flatten(run(*args))])
        except Exception as e:
            print(make.__name__, type(e).__name__)


def writes(x):
    ta = tf.TensorArray(tf.float32, size=3)
    for i in range(3):
        ta = ta.write(i, x * i)
    return ta.stack(), ta.size(), ta.gather([2, 0]), ta.read(1)


def unset():
    return tf.TensorArray(tf.int32, size=2, element_shape=[2]).write(1, [5, 6]).stack()


def grows():
    ta = tf.TensorArray(tf.int32, size=0, dynamic_size=True, clear_after_read=False)
    ta = ta.write(0, 1).write(3, 4)
    return ta.size(), ta.stack(), ta.read(2)


def scattered():
    return tf.TensorArray(tf.int32, size=4, element_shape=[]).scatter([3, 1], [30, 10]).stack()


def split():
    ta = tf.TensorArray(tf.float32, size=3, infer_shape=False, clear_after_read=False).split([1., 2., 3., 4., 5., 6.], [1, 2, 3])
    return ta.read(1), ta.concat()


def unstacked(x):
    ta = tf.TensorArray(tf.float32, size=2, clear_after_read=False).unstack(x)
    return ta.read(1), ta.stack(), ta.identity().size()


def texts():
    ta = tf.TensorArray(tf.string, size=2).write(0, 'a').write(1, 'b')
    return ta.stack()


def nothing():
    return tf.TensorArray(tf.float32, size=0, element_shape=[2]).stack()


x = tf.constant([1., 2.])
both(writes, x)
both(unset)
both(grows)
both(scattered)
both(split)
both(unstacked, tf.reshape(tf.range(4.), [2, 2]))
both(texts)
both(nothing)


# --- errors ---
def too_far():
    return tf.TensorArray(tf.float32, size=1).write(1, 1.).stack()


def read_too_far():
    return tf.TensorArray(tf.float32, size=1).write(0, 1.).read(1)


def other_shape():
    return tf.TensorArray(tf.float32, size=2).write(0, [1.]).write(1, [1., 2.]).stack()


def without_size():
    return tf.TensorArray(tf.float32).stack()


for f in (too_far, read_too_far, other_shape, without_size):
    for run in (f, tf.function(f)):
        try:
            run()
            print(f.__name__, 'fine')
        except Exception as e:
            classes = (tf.errors.InvalidArgumentError, tf.errors.OutOfRangeError)
            print(f.__name__, 'op' if isinstance(e, classes) else type(e).__name__)
ta = tf.TensorArray(tf.float32, size=1).write(0, 1.)
ta.read(0)
try:
    ta.read(0)
except tf.errors.InvalidArgumentError as e:
    print(e)


# --- gradients ---
def squares(x):
    ta = tf.TensorArray(tf.float32, size=3)
    for i in tf.range(3):
        ta = ta.write(i, x ** tf.cast(i + 1, tf.float32))
    return tf.reduce_sum(ta.stack() * tf.constant([[1.], [2.], [3.]]))


def fibonacci(x):
    ta = tf.TensorArray(tf.float32, size=0, dynamic_size=True, clear_after_read=False)
    ta = ta.unstack([1., x])
    for i in tf.range(2, 7):
        ta = ta.write(i, ta.read(i - 1) * x + ta.read(i - 2))
    return ta.read(6)


def rows(x):
    ta = tf.TensorArray(tf.float32, size=2, clear_after_read=False).unstack(tf.stack([x, 2 * x]))
    total = 0.
    for i in tf.range(4):
        total += tf.reduce_sum(ta.read(i % 2) ** 2)
    return total + tf.reduce_sum(ta.gather([1, 0])) + tf.reduce_sum(ta.concat() ** 3)


def parts(x):
    ta = tf.TensorArray(tf.float32, size=2, infer_shape=False).split(x, [1, 1])
    return tf.reduce_sum(ta.concat() * x)


for f, at in ((squares, x), (fibonacci, tf.constant(2.)), (rows, x), (parts, x)):
    for run in (f, tf.function(f)):
        with tf.GradientTape() as outer:
            outer.watch(at)
            with tf.GradientTape() as tape:
                tape.watch(at)
                y = run(at)
            first = tape.gradient(y, at)
        print(f.__name__, y.numpy(), first.numpy().tolist(), outer.gradient(first, at).numpy().tolist())


# --- shapes while tracing, loops, branches ---
@tf.function
def shapes(n, x):
    ta = tf.TensorArray(tf.float32, size=n)
    print(ta.element_shape, ta.dtype)
    for i in tf.range(n):
        ta = ta.write(i, x)
    print(ta.element_shape, ta.stack().shape)
    return ta.stack()


print(shapes(tf.constant(2), x).numpy())


@tf.function
def stops(limit):
    ta = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
    i = tf.constant(0)
    while i < 10:
        if i == limit:
            break
        ta = ta.write(i, i * i)
        i += 1
    return ta.stack()


print(stops(tf.constant(4)).numpy())


@tf.function
def chosen(flag):
    ta = tf.TensorArray(tf.float32, size=2)
    if flag:
        ta = ta.write(0, 1.)
    else:
        ta = ta.write(1, 2.)
    return ta.stack()


print(chosen(tf.constant(True)).numpy(), chosen(tf.constant(False)).numpy())


@tf.function
def loop(n):
    ta = tf.TensorArray(tf.int32, size=n, element_shape=[])
    _, ta, total = tf.while_loop(lambda i, ta, t: i < n, lambda i, ta, t: (i + 1, ta.write(i, i + 10), t + i),
                                 (0, ta, 0))
    return ta.stack(), total


print([t.numpy().tolist() for t in loop(tf.constant(3))])


@tf.function
def kept(ta):
    return ta.read(1) + 1


ta = tf.TensorArray(tf.int32, size=2, clear_after_read=False).unstack([5, 6])
print(kept(ta).numpy())
print(tf.TensorArraySpec([2], tf.int32))
print(tf.type_spec_from_value(ta))
print(tf.TensorArraySpec([None], tf.int32).is_compatible_with(tf.TensorArraySpec([3], tf.int32)))
