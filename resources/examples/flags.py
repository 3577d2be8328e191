"""Flags that multiply: three switches of a traced function make a graph for each of their combinations.

Two of them decide what the graph is; `verbose` is not used in it at all. Look at Findings and at the keys in Retraces.
The script runs under TensorFlow too.
"""
import tensorflow as tf


@tf.function
def transform(image, flip, invert, verbose):
    if flip:
        image = image[:, ::-1]
    if invert:
        image = 1.0 - image
    return image


def main():
    image = tf.reshape(tf.range(12, dtype=tf.float32) / 12.0, [3, 4])
    for number in range(24):
        flip, invert, verbose = number % 2 == 0, number % 3 == 0, number % 4 < 2
        image = transform(image, flip, invert, verbose)
        if verbose:
            print(f'{number:2d}: corner {float(image[0, 0]):.3f}, mean {float(tf.reduce_mean(image)):.3f}')


if __name__ == '__main__':
    main()
