# A variable that only the body of a loop assigns has no value if the loop does not run; the target of a loop over a
# range has the range's start.
import tensorflow as tf


@tf.function
def last_of(values):
    for value in values:
        kept = value * 2.
    return kept


@tf.function
def last_below(limit):
    for number in tf.range(limit):
        kept = number
    return kept


@tf.function
def end_of(limit):
    total = 0
    for number in tf.range(5, limit, 2):
        total += number
    return number, total


@tf.function
def smallest_above(number):
    while number > 0:
        kept = number
        number -= 1
    return kept


@tf.function
def only_inside(values):
    total = 0.
    for value in values:
        twice = value * 2.
        total += twice
    return total


for function, nothing, something in ((last_of, tf.zeros([0]), tf.constant([3., -4.])),
                                     (last_below, tf.constant(0), tf.constant(3)),
                                     (end_of, tf.constant(5), tf.constant(8)),
                                     (smallest_above, tf.constant(-1), tf.constant(2)),
                                     (only_inside, tf.zeros([0]), tf.constant([3., -4.]))):
    for argument in nothing, something:
        try:
            print(function(argument))
        except tf.errors.InvalidArgumentError as error:
            print(type(error).__name__, 'iterate at least once' in str(error))
