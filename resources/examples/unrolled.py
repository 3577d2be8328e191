"""A loop unrolled 300 times: a Python range inside of a traced function copies its body into the graph.

Look at Findings, and at the graph of `simulate`: the same few nodes again and again. Its twin `simulate_in_graph` has one
loop, a graph of a few nodes, and the same result. The script runs under TensorFlow too.
"""
import tensorflow as tf

STEPS = 300


@tf.function
def simulate(position, velocity):
    """A pendulum; `range` runs in Python while the function is traced."""
    for _ in range(STEPS):
        velocity = velocity - 0.01 * tf.sin(position)
        position = position + 0.01 * velocity
    return position, velocity


@tf.function
def simulate_in_graph(position, velocity):
    """The same; `tf.range` becomes a loop of the graph."""
    for _ in tf.range(STEPS):
        velocity = velocity - 0.01 * tf.sin(position)
        position = position + 0.01 * velocity
    return position, velocity


def main():
    start = tf.constant([0.1, 0.5, 1.0]), tf.zeros([3])
    for name, run in (('unrolled', simulate), ('in the graph', simulate_in_graph)):
        position, velocity = run(*start)
        print(name, [f'{v:.3f}' for v in position.numpy()], [f'{v:.3f}' for v in velocity.numpy()])


if __name__ == '__main__':
    main()
