"""What becomes of if and for: compare the source with the generated code in the AutoGraph view.

Whether a statement goes into the graph or runs in Python while tracing is decided by what its condition holds:
a tensor, or a Python value. The script runs under TensorFlow too.
"""
import tensorflow as tf


@tf.function
def collatz(n):
    """Steps until n is 1: a loop over tensors, so the graph has one While however long it takes."""
    steps = tf.constant(0)
    while n > 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


@tf.function
def describe(x):
    """Three ways out, chosen by the value of a tensor: nested conditions in the graph."""
    if tf.reduce_sum(x) > 10.0:
        size = tf.constant('large')
    elif tf.reduce_sum(x) > 0.0:
        size = tf.constant('small')
    else:
        size = tf.constant('none')
    return size


@tf.function
def powers(x, count):
    """A Python range unrolls into `count` products; tf.range becomes a loop in the graph."""
    result = tf.ones_like(x)
    for _ in range(count):
        result = result * x
    total = tf.zeros_like(x)
    for i in tf.range(count):
        total += result * tf.cast(i, tf.float32)
    return total


def main():
    for start in (6, 7, 27):
        print(f'collatz({start}) takes {collatz(tf.constant(start))} steps')
    for values in ([4.0, 5.0, 6.0], [1.0, 1.0, 0.5], [-1.0, 0.0, -2.0]):
        tf.print(values, 'is', describe(tf.constant(values)))
    print(powers(tf.constant([1.0, 2.0]), 3).numpy())


if __name__ == '__main__':
    main()
