# One declared signature: one trace, any length, and a refusal of what does not fit.
import tensorflow as tf


@tf.function(input_signature=[tf.TensorSpec(shape=[None], dtype=tf.int32)])
def halves(n):
    print('tracing', n)
    return tf.where(n % 2 == 0, n // 2, n)


print(halves(tf.constant([4, 5])))
print(halves(tf.constant([6, 7, 8, 9])))
for bad in (tf.constant([[1, 2]]), tf.constant([1.5])):
    try:
        halves(bad)
        print('accepted')
    except (TypeError, ValueError) as error:
        print('refused', isinstance(error, TypeError))
print(halves.experimental_get_tracing_count())
