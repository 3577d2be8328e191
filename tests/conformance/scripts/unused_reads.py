# Reading a variable is no effect: a look-up that nothing depends on is not run, and neither is its error.
import tensorflow as tf

table = tf.Variable([[1.0, 2.0], [3.0, 4.0]])


@tf.function
def looks_up_and_forgets(i):
    tf.gather(table, i)
    table.sparse_read(i)
    return tf.cast(i, tf.float32) * 10.0


@tf.function
def inner(i):
    return tf.gather(table, i)


@tf.function
def calls_and_forgets(i):
    inner(i)
    return i + 1


@tf.function
def branches_and_forgets(i):
    if i > 0:
        row = tf.gather(table, i)
    else:
        row = tf.gather(table, -i)
    return i + 2


@tf.function
def in_order(i):
    before = tf.gather(table, i)
    table.assign_add(tf.ones([2, 2]))
    after = tf.gather(table, i)
    return before, after


@tf.function
def looks_up(i):
    return tf.gather(table, i)


print('unused:', looks_up_and_forgets(tf.constant(7)).numpy())
print('unused call:', calls_and_forgets(tf.constant(7)).numpy())
print('unused branch:', branches_and_forgets(tf.constant(7)).numpy())
before, after = in_order(tf.constant(1))
print('in order:', before.numpy(), after.numpy())
try:
    print(looks_up(tf.constant(7)))
except tf.errors.InvalidArgumentError:
    print('used: InvalidArgumentError')
