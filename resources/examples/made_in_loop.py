"""Functions made in a loop: each fold of a cross-validation wraps its step again, and traces it again.

The eight functions have identical graphs. Look at Findings: made once, outside of `fit`, one trace would do. The script
runs under TensorFlow too.
"""
import tensorflow as tf

FOLDS, STEPS = 8, 5


def gradient_step(weights, x, y, rate):
    error = tf.linalg.matvec(x, weights) - y
    return weights - rate * tf.linalg.matvec(x, error, transpose_a=True)


def fit(x, y):
    step = tf.function(gradient_step)
    weights = tf.zeros([3])
    for _ in range(STEPS):
        weights = step(weights, x, y, tf.constant(0.05))
    return weights


def main():
    x = tf.reshape(tf.cos(tf.range(24, dtype=tf.float32)), [8, 3])
    y = tf.linalg.matvec(x, tf.constant([1.0, -2.0, 0.5]))
    for fold in range(FOLDS):
        keep = tf.constant([i for i in range(8) if i != fold])
        weights = fit(tf.gather(x, keep), tf.gather(y, keep))
        left_out = tf.linalg.matvec(x[fold:fold + 1], weights) - y[fold:fold + 1]
        print(f'fold {fold}: error {float(tf.abs(left_out)[0]):.3f}')


if __name__ == '__main__':
    main()
