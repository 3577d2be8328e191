# A tape through eager ops, traced functions and the ops of a small model.
import tensorflow as tf

w = tf.Variable([[0.5, -1.0], [2.0, 0.25]])
b = tf.Variable([0.1, -0.2])


def loss(x, target):
    out = tf.maximum(tf.matmul(x, w) + b, 0.0)
    return tf.reduce_mean(tf.square(out - target))


x, target = tf.constant([[1.0, 2.0], [-1.0, 0.5]]), tf.constant([[1.0, 0.0], [0.0, 1.0]])
for f in (loss, tf.function(loss)):
    with tf.GradientTape() as tape:
        value = f(x, target)
    dw, db = tape.gradient(value, [w, b])
    print(value.numpy(), dw.numpy().tolist(), db.numpy().tolist())


@tf.function
def train(x, target, rate):
    with tf.GradientTape() as tape:
        value = loss(x, target)
    for variable, gradient in zip([w, b], tape.gradient(value, [w, b])):
        variable.assign_sub(rate * gradient)
    return value


print([round(float(train(x, target, tf.constant(0.1))), 4) for _ in range(5)])

c = tf.constant(3.0)
with tf.GradientTape(persistent=True) as outer:
    outer.watch(c)
    with tf.GradientTape() as inner:
        inner.watch(c)
        cube = c * c * c
    slope = inner.gradient(cube, c)
print(slope.numpy(), outer.gradient(slope, c).numpy(), outer.gradient(cube, c).numpy())
