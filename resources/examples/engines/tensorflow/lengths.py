"""TensorFlow (pip install tensorflow): texts of many lengths, each with a trace of its own."""
import tensorflow as tf


@tf.function
def score(codes):
    return tf.reduce_mean(tf.math.log(codes + 1.0)) * tf.reduce_max(codes)


total = 0.0
for text in ('one', 'seven', 'twelve', 'forty', 'eighty-one', 'a hundred', 'a thousand'):
    total += float(score(tf.constant([float(ord(letter)) for letter in text])))
print(f'total {total:.2f}')
