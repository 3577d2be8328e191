"""Derivatives of functions by tapes."""
import footlight as tf


def gradient(f, x, **options):
    """The gradient of f(x); `options` are those of GradientTape.gradient."""
    with tf.GradientTape() as tape:
        if not isinstance(x, tf.Variable):
            tape.watch(x)
        y = f(x)
    return tape.gradient(y, x, **options)


def derivatives(f, x, count):
    """f(x) and its first `count` derivatives, each by a tape around that of the one before."""
    if count == 0:
        return [f(x)]
    with tf.GradientTape() as tape:
        tape.watch(x)
        found = derivatives(f, x, count - 1)
    return [*found, tape.gradient(found[-1], x)]
