"""Counted only once: a list that grows inside of a traced function grows only while it is traced.

`history` should have an entry for each step; Python's statements run when the function is traced, not when it is called.
Findings names the line. The second function keeps its count in a variable, which is part of the graph. The script runs
under TensorFlow too.
"""
import tensorflow as tf

history = []
steps = tf.Variable(0, trainable=False)


@tf.function
def counted_in_python(x):
    history.append('step')
    return x * 0.5


@tf.function
def counted_in_the_graph(x):
    steps.assign_add(1)
    return x * 0.5


def main():
    x, y = tf.constant(64.0), tf.constant(64.0)
    for _ in range(5):
        x = counted_in_python(x)
        y = counted_in_the_graph(y)
    print(f'results {float(x):.1f} and {float(y):.1f}')
    print(f'counted in Python: {len(history)}')
    print(f'counted in the graph: {int(steps)}')


if __name__ == '__main__':
    main()
