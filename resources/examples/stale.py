"""The value that went stale: a traced function keeps the Python number that it has read once.

`strength` is changed between the calls, and `regularised` goes on with the old value: the result is wrong, silently.
Findings names the line that reads it and the line that changes it. The script runs under TensorFlow too.
"""
import tensorflow as tf

strength = 0.5


@tf.function
def regularised(loss, weights):
    return loss + strength * tf.reduce_sum(tf.square(weights))


def main():
    global strength
    weights = tf.constant([1.0, -2.0, 0.5])
    for epoch in range(4):
        traced = regularised(tf.constant(1.0), weights)
        wanted = 1.0 + strength * float(tf.reduce_sum(tf.square(weights)))
        print(f'epoch {epoch}: strength {strength:.4f}, traced {float(traced):.4f}, wanted {wanted:.4f}')
        strength = strength / 2


if __name__ == '__main__':
    main()
