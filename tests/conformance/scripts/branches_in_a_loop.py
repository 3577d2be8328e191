# Nested conditions in a loop over tf.range: every branch is traced once, whatever the number of rounds.
import sys
import tensorflow as tf


@tf.function
def sort_out(n):
    for i in tf.range(n):
        print('tracing the loop')
        if i % 4 == 0:
            print('tracing: four')
            tf.print(i, 'goes by four', output_stream=sys.stdout)
        elif i % 2 == 0:
            print('tracing: two')
            tf.print(i, 'is even', output_stream=sys.stdout)
        else:
            print('tracing: odd')
            tf.print(i, output_stream=sys.stdout)


sort_out(tf.constant(6))
sort_out(tf.constant(3))
