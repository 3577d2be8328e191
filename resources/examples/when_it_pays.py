"""When tracing pays: a long polynomial that is called often, and one matrix product that is called once.

Compare `polynomial` eagerly and traced (Compare, or Ctrl+Shift+E with the function selected). Look at the sentence on top:
the kernels are the same, Python and dispatch are what a traced call saves, and from which call on tracing was worth it.
Then compare `product`, whose one kernel takes nearly all of the time: there is little to save, and making the trace
cost more than it. At last choose "Recorded ..." and compare calls 1 and 2 of `polynomial`: the first one made the trace.
The script runs under TensorFlow too.
"""
import tensorflow as tf


@tf.function
def polynomial(x):
    result = tf.zeros_like(x)
    for degree in range(60):
        result = result * x + 1.0 / (1.0 + degree)
    return tf.reduce_sum(result)


@tf.function
def product(a, b):
    return tf.matmul(a, b)


def main():
    x = tf.linspace(0.0, 1.0, 64)
    total = 0.0
    for _ in range(200):
        total += float(polynomial(x))
    print(f'polynomial: {total:.1f}')
    a = tf.reshape(tf.sin(tf.range(384 * 384, dtype=tf.float32)), [384, 384])
    print(f'product: {float(tf.reduce_mean(tf.abs(product(a, a)))):.2f}')


if __name__ == '__main__':
    main()
