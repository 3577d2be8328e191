# tf.map_fn, tf.scan, tf.foldl and tf.foldr: the same eagerly and traced, with structures, gradients and errors.
import collections
import tensorflow as tf

Pair = collections.namedtuple('Pair', 'a b')


def both(name, make):
    for run in (make, tf.function(make)):
        try:
            found = run()
            print(name, tf.nest.map_structure(lambda t: t.numpy().tolist(), found))
        except Exception as e:
            print(name, type(e).__name__)


x = tf.constant([1., 2., 3.])
m = tf.reshape(tf.range(6), [3, 2])

both('map', lambda: tf.map_fn(lambda t: t * t, x))
both('map rows', lambda: tf.map_fn(tf.reduce_sum, m))
both('map tuple', lambda: tf.map_fn(lambda t: t[0] * t[1], (x, x + 1)))
both('map dict', lambda: tf.map_fn(lambda d: {'s': d['a'] + d['b'], 'd': d['a'] - d['b']}, {'a': x, 'b': x * 2},
                                   fn_output_signature={'s': tf.float32, 'd': tf.float32}))
both('map more', lambda: tf.map_fn(lambda t: (t, -t), x, fn_output_signature=(tf.float32, tf.float32)))
both('map dtype', lambda: tf.map_fn(lambda t: tf.cast(t, tf.int64), x, dtype=tf.int64))
both('map named', lambda: tf.map_fn(lambda p: Pair(p.b, p.a), Pair(x, x + 1)))
both('map spec', lambda: tf.map_fn(lambda t: t > 1.5, x, fn_output_signature=tf.TensorSpec([], tf.bool)))
both('map list', lambda: tf.map_fn(lambda t: t + 1, [x])[0])
both('map names', lambda: tf.map_fn(lambda t: t + '!', tf.constant(['a', 'b'])))
both('map options', lambda: tf.map_fn(lambda t: t + 1, x, parallel_iterations=2, back_prop=True, swap_memory=False,
                                      infer_shape=False, name='mine'))
both('map scalar', lambda: tf.map_fn(lambda t: t, tf.constant(1)))
both('map structure', lambda: tf.map_fn(lambda t: (t, t), x))
both('map wrong dtype', lambda: tf.map_fn(lambda t: tf.cast(t, tf.int32), x))
both('map nothing', lambda: tf.map_fn(lambda t: t, []))
both('map lengths', lambda: tf.map_fn(lambda t: t[0], (x, tf.constant([1., 2.]))))

both('scan', lambda: tf.scan(lambda a, t: a + t, x))
both('scan from', lambda: tf.scan(lambda a, t: a * t, x, initializer=tf.constant(10.)))
both('scan reverse', lambda: tf.scan(lambda a, t: a + t, x, reverse=True))
both('scan pairs', lambda: tf.scan(lambda a, t: (a[1], a[0] + t), x, initializer=(0., 1.)))
both('scan tuple', lambda: tf.scan(lambda a, t: a + t[0] * t[1], (x, x), initializer=0.))
both('scan dict', lambda: tf.scan(lambda a, t: {'n': a['n'] + 1, 's': a['s'] + t}, x, initializer={'n': 0, 's': 0.}))
both('scan rows', lambda: tf.scan(lambda a, t: a + t, m))
both('scan grows', lambda: tf.scan(lambda a, t: tf.concat([a, [t]], 0), x, initializer=tf.zeros([0])))
both('scan options', lambda: tf.scan(lambda a, t: a + t, x, parallel_iterations=2, back_prop=True, swap_memory=True,
                                     infer_shape=False, reverse=False, name='s'))
both('scan structure', lambda: tf.scan(lambda a, t: (a, t), x))

both('foldl', lambda: tf.foldl(lambda a, t: a - t, x))
both('foldr', lambda: tf.foldr(lambda a, t: a - t, x))
both('foldl from', lambda: tf.foldl(lambda a, t: a * 10 + t, x, initializer=7.))
both('foldr from', lambda: tf.foldr(lambda a, t: a * 10 + t, x, initializer=7.))
both('foldl tuple', lambda: tf.foldl(lambda a, t: a + t[0] * t[1], (x, x + 1), initializer=0.))
both('foldl pairs', lambda: tf.foldl(lambda a, t: (a[0] + t, a[1] * t), x, initializer=(0., 1.)))
both('foldr dict', lambda: tf.foldr(lambda a, t: a + t['k'], {'k': x}, initializer=0.))
both('foldr nothing', lambda: tf.foldr(lambda a, t: a + t, tf.zeros([0]), initializer=5.))

# Gradients of first and second order.
def loss_map(x):
    return tf.reduce_sum(tf.map_fn(lambda t: t ** 3, x))


def loss_scan(x):
    return tf.reduce_sum(tf.scan(lambda a, t: a * t, x))


def loss_foldl(x):
    return tf.foldl(lambda a, t: a * t + t ** 2, x)


def loss_foldr(x):
    return tf.foldr(lambda a, t: a * t, x, initializer=2.)


for f in (loss_map, loss_scan, loss_foldl, loss_foldr):
    for run in (f, tf.function(f)):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = run(x)
            first = tape.gradient(y, x)
        print(f.__name__, y.numpy(), first.numpy().tolist(), outer.gradient(first, x).numpy().tolist())

# Variables and closures.
v = tf.Variable(2.)


@tf.function
def with_variable(x):
    return tf.map_fn(lambda t: t * v, x)


with tf.GradientTape() as tape:
    y = tf.reduce_sum(with_variable(x))
print(tape.gradient(y, v).numpy())

# Static shapes in a trace.
@tf.function(input_signature=[tf.TensorSpec([None, 2])])
def shapes(x):
    print(tf.map_fn(lambda r: r * 2, x).shape, tf.map_fn(tf.reduce_sum, x).shape)
    print(tf.scan(lambda a, r: a + r, x).shape, tf.foldl(lambda a, r: a + r, x).shape)
    return tf.map_fn(lambda r: r * 2, x)


print(shapes(tf.ones([4, 2])).shape)


@tf.function
def fixed(x):
    print(tf.map_fn(lambda r: r[0], x).shape, tf.scan(lambda a, r: a + r, x, initializer=tf.zeros([2])).shape)
    return x


fixed(tf.ones([4, 2]))
