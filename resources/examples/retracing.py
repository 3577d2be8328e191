"""Traced again and again: a small training run, slower than it should be. To see why, run it and open Retraces.

A model with one hidden layer learns a weighted sum from noisy points, over six epochs. Nothing in here is wrong, and the
result is right; but train_step is traced far more often than it has to be. The script runs under TensorFlow too.
"""
import tensorflow as tf

FEATURES = 8
HIDDEN = 16
BATCH = 32
EPOCHS = 6

w1 = tf.Variable(tf.random.uniform([FEATURES, HIDDEN], -0.5, 0.5, seed=1), name='w1')
b1 = tf.Variable(tf.zeros([HIDDEN]), name='b1')
w2 = tf.Variable(tf.random.uniform([HIDDEN, 1], -0.5, 0.5, seed=2), name='w2')
weights = [w1, b1, w2]


def make_points(count, seed):
    """Points and what the model should answer: a weighted sum of the features, and a little noise."""
    x = tf.random.uniform([count, FEATURES], -2.0, 2.0, seed=seed)
    true = tf.reshape(tf.range(FEATURES, dtype=tf.float32) / FEATURES - 0.4, [FEATURES, 1])
    noise = tf.random.uniform([count, 1], -0.1, 0.1, seed=seed + 1)
    return x, tf.matmul(x, true) + noise


def normalize(x):
    """Every feature to mean 0 and variance 1."""
    mean = tf.reduce_mean(x, axis=0)
    spread = tf.sqrt(tf.reduce_mean(tf.square(x - mean), axis=0))
    return (x - mean) / (spread + 1e-6)


def model(x):
    hidden = tf.maximum(tf.matmul(x, w1) + b1, 0.0)
    return tf.matmul(hidden, w2)


@tf.function
def train_step(batch, target, lr, training):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(batch) - target))
    if training:
        for weight, gradient in zip(weights, tape.gradient(loss, weights)):
            size = tf.reduce_mean(tf.square(gradient))
            if size > 1.0:  # a step that would overshoot
                gradient = gradient / size
            weight.assign_sub(lr * gradient)
    return loss


@tf.function
def evaluate(batch, target):
    return tf.reduce_mean(tf.abs(model(batch) - target))


def main():
    x, y = make_points(8 * BATCH - 15, seed=3)  # the last batch of an epoch is a short one
    held_out, answers = make_points(64, seed=5)
    held_out = normalize(held_out)

    seen = 0
    for epoch in range(EPOCHS):
        lr = 0.1 / (epoch + 1)
        for start in range(0, x.shape[0], BATCH):
            batch = normalize(x[start:start + BATCH])
            target = y[start:start + BATCH]
            seen += batch.shape[0]
            loss = train_step(batch, target, lr, True)
        print(f'epoch {epoch + 1}: loss {loss:.3f}, off by {evaluate(held_out, answers):.3f}')
    print(f'{seen} points seen')


if __name__ == '__main__':
    main()
