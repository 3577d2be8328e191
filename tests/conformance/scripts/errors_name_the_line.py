# An error raised while tracing or running tells the line of this script.
import traceback
import tensorflow as tf


@tf.function
def wrong_shapes(x):
    y = tf.concat([x, x], 0)
    return tf.matmul(y, y)  # line 9


@tf.function
def undefined(x):
    if x > 0:
        y = x
    return y  # line 16


def line_of(error):
    frames = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename.endswith('errors_name_the_line.py')]
    told = str(error)
    return [n for n in (9, 14, 16) if n in frames or 'line %d' % n in told]


for f, argument in ((wrong_shapes, tf.ones([2, 3])), (undefined, tf.constant(1))):
    try:
        f(argument)
        print('no error')
    except Exception as error:
        print(isinstance(error, (ValueError, UnboundLocalError, NameError)), bool(line_of(error)))
print(wrong_shapes.experimental_get_tracing_count() <= 1)
