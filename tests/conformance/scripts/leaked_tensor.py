# A symbolic tensor that leaves its trace is refused with an error when it is used.
import tensorflow as tf

leaked = []


@tf.function
def leak(x):
    leaked.append(x + 1)
    return x


print(leak(tf.constant(1)).numpy())
try:
    print(leaked[0] + 1)
except (TypeError, AttributeError, NameError) as error:
    print('refused')
try:
    bool(leaked[0] > 0)
except Exception as error:
    print('refused', isinstance(error, TypeError))
