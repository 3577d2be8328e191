"""A function that is traced inside of another one, and one whose trace fails: test_figures.py checks what is said of both."""
import time

import footlight as tf


@tf.function
def inner(x):
    time.sleep(0.01)
    return x * 2


@tf.function
def outer(x):
    return inner(x), inner(tf.concat([x, x], 0))


@tf.function
def fails(x):
    time.sleep(0.01)
    return x @ tf.ones([7, 7])


outer(tf.ones([3]))
outer(tf.ones([3]))
try:
    fails(tf.ones([2, 3]))
except ValueError as error:
    print('caught', type(error).__name__)
