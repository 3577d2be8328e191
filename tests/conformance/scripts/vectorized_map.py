# tf.vectorized_map: each op once for all rows; what has no such form runs in a loop; gradients.
import tensorflow as tf


def both(name, make):
    for run in (make, tf.function(make)):
        try:
            found = tf.nest.map_structure(lambda t: t if t is None else t.numpy().tolist(), run())
            print(name, found)
        except Exception as e:
            print(name, type(e).__name__)


x = tf.constant([1., 2., 4.])
m = tf.reshape(tf.range(12.), [3, 2, 2])
w = tf.constant([[1., 2.], [3., 4.]])
vm = tf.vectorized_map

both('double', lambda: vm(lambda t: t * 2, x))
both('pairs', lambda: vm(lambda t: t[0] * t[1], (x, x + 1)))
both('one row', lambda: vm(lambda t: t[0] * t[1], (x, tf.constant([3.]))))
both('dict', lambda: vm(lambda t: {'a': t['p'] + 1, 'b': -t['p']}, {'p': x}))
both('same', lambda: vm(lambda t: tf.constant(7.), x))
both('broadcast', lambda: vm(lambda t: t + tf.constant([[10.], [20.]]), m))
both('product', lambda: vm(lambda t: tf.matmul(t, w), m))
both('product left', lambda: vm(lambda t: tf.matmul(w, t, transpose_b=True), m))
both('product both', lambda: vm(lambda t: tf.matmul(t, t), m))
both('vector', lambda: vm(lambda t: tf.linalg.matvec(w, t), tf.reshape(tf.range(6.), [3, 2])))
both('sums', lambda: vm(lambda t: (tf.reduce_sum(t), tf.reduce_max(t, 0), tf.reduce_mean(t, -1, keepdims=True)), m))
both('reshape', lambda: vm(lambda t: tf.reshape(t, [-1]), m))
both('transpose', lambda: vm(tf.transpose, m))
both('stack', lambda: vm(lambda t: tf.stack([t, tf.zeros([2, 2])], 1), m))
both('concat', lambda: vm(lambda t: tf.concat([t, w], -1), m))
both('unstack', lambda: vm(lambda t: tf.unstack(t)[1], m))
both('slices', lambda: vm(lambda t: (t[0], t[:, 1], t[..., 0], t[-1, 0], t[None, 0]), m))
both('gather', lambda: vm(lambda i: tf.gather(w, i), tf.constant([1, 0, 1])))
both('gather rows', lambda: vm(lambda t: tf.gather(t, [1, 0]), m))
both('gather both', lambda: vm(lambda t: tf.gather(t[0], t[1]), (m, tf.constant([1, 0, 1]))))
both('one hot', lambda: vm(lambda i: tf.one_hot(i, 3), tf.constant([1, 0, 2])))
both('tile', lambda: vm(lambda t: tf.tile(t, [1, 2]), m))
both('expand', lambda: vm(lambda t: tf.squeeze(tf.expand_dims(t, 0), 0), m))
both('softmax', lambda: vm(lambda t: tf.nn.softmax(tf.stack([t, t])), x))
both('where', lambda: vm(lambda t: tf.where(t > 1.5, t, -t), x))
both('argmax', lambda: vm(lambda t: tf.argmax(t, 0), m))
both('cholesky', lambda: vm(lambda t: tf.linalg.cholesky(tf.eye(2) * t), x))
both('shape', lambda: vm(lambda t: tf.zeros(tf.shape(t)[:1]), m))
both('cond', lambda: vm(lambda t: tf.cond(t > 1.5, lambda: t, lambda: -t), x))
both('while', lambda: vm(lambda t: tf.while_loop(lambda i, a: i < t, lambda i, a: (i + 1, a * 2), (0., 1.))[1], x))
both('unique', lambda: vm(lambda t: tf.unique(tf.stack([t, t]))[0], x, warn=False))
both('refused', lambda: vm(lambda t: tf.unique(tf.stack([t, t]))[0], x, fallback_to_while_loop=False))
both('function', lambda: vm(tf.function(lambda t: t * t + 1), x))
both('nothing', lambda: vm(lambda t: t * 2, tf.zeros([0])))
print(vm(lambda t: tf.random.uniform([2]), x).shape)


def loss(x):
    return tf.reduce_sum(vm(lambda t: tf.sin(t) * t ** 2, x))


for run in (loss, tf.function(loss)):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = run(x)
        first = tape.gradient(y, x)
    print(y.numpy(), first.numpy(), outer.gradient(first, x).numpy())


@tf.function(input_signature=[tf.TensorSpec([None, 2])])
def unknown(x):
    return vm(lambda r: tf.reduce_sum(r * 2) + r, x)


print(unknown(tf.ones([3, 2])).numpy().tolist())
