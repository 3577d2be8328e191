# Operators on tensors, numbers and lists.
import tensorflow as tf

row, column = tf.constant([1, 2, 3]), tf.constant([[10], [20]])
print((row + column).numpy().tolist(), (row * 2).numpy().tolist(), (10 - row).numpy().tolist())
print((column // 3).numpy().tolist(), (-column % 7).numpy().tolist(), (row ** 2).numpy().tolist())
print((column / 4).dtype.name, (column / 4).numpy().tolist())
print((row > 1).numpy().tolist(), tf.equal(row, [1, 0, 3]).numpy().tolist(), bool(tf.reduce_all(row > 0)))
print(tf.reduce_sum(column + row, axis=1).numpy().tolist(), tf.reduce_max(column * row).numpy())
print(tf.transpose(column).numpy().tolist(), tf.reshape(row, [3, 1]).shape, tf.concat([row, row], 0).numpy().tolist())
print(row[1].numpy(), row[::2].numpy().tolist(), column[1:, 0].numpy().tolist(), tf.stack([row, row])[1, 2].numpy())
print(tf.cast([1.9, -1.9], tf.int32).numpy().tolist(), tf.where([True, False], [1, 2], [3, 4]).numpy().tolist())
print(tf.range(2, 11, 3).numpy().tolist(), tf.eye(2).numpy().tolist(), tf.zeros([2], tf.int32).numpy().tolist())
for bad in (lambda: tf.constant([1, 2]) + tf.constant([1, 2, 3]), lambda: tf.matmul([[1.0]], [[1.0, 2.0], [3.0, 4.0]])):
    try:
        bad()
    except tf.errors.InvalidArgumentError as error:
        print(type(error).__name__)
