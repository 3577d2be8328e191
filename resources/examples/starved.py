"""A model that waits for its data: `prepare` takes longer than a training step, and nothing is prepared ahead.

Look at the Timeline: between two calls of `train_step` the program waits for the next batch. The fix is the one line in
`pipeline` that says so. The script runs under TensorFlow too.
"""
import sys
import time

import tensorflow as tf

BATCHES, SIZE = 24, 160


def prepare(number):
    """Makes a batch, slowly: like a decoder of images would."""
    x = tf.sin(tf.cast(number, tf.float32) + tf.range(SIZE * SIZE, dtype=tf.float32))
    x = tf.reshape(x, [SIZE, SIZE])
    for _ in range(40):
        x = tf.tanh(tf.matmul(x, x) / SIZE + x)
    return x


def pipeline():
    data = tf.data.Dataset.range(BATCHES).map(prepare)
    # The fix: prepare several batches at once, ahead of the model. Write instead of the line above:
    #     data = tf.data.Dataset.range(BATCHES).map(prepare, num_parallel_calls=tf.data.AUTOTUNE).prefetch(4)
    return data


weights = tf.Variable(tf.zeros([SIZE, 1]), name='weights')


@tf.function
def train_step(batch):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((tf.matmul(batch, weights) - 1.0) ** 2)
    weights.assign_sub(0.01 * tape.gradient(loss, weights))
    return loss


def main():
    waiting = training = 0.0
    batches = iter(pipeline())
    before = time.perf_counter()
    for _ in range(BATCHES):
        batch = next(batches)
        got = time.perf_counter()
        loss = train_step(batch)
        done = time.perf_counter()
        waiting, training, before = waiting + got - before, training + done - got, done
    print(f'loss {float(loss):.2f} after {BATCHES} steps')
    print(f'waited {1e3 * waiting:.0f} ms for data, trained {1e3 * training:.0f} ms', file=sys.stderr)


if __name__ == '__main__':
    main()
