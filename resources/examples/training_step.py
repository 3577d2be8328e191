"""Where a step spends its time: a small convolutional network, its gradient and its update.

Nothing in here is wrong. Look at the graph of `train_step` (the gradient's nodes beside those that they belong to), at
the Timeline, and at the operations sorted by their time. The script runs under TensorFlow too.
"""
import tensorflow as tf

BATCH, SIZE, CLASSES = 16, 12, 4


def variable(name, *shape):
    count = 1
    for n in shape:
        count *= n
    return tf.Variable(0.2 * tf.reshape(tf.sin(tf.range(count, dtype=tf.float32) * 1.7), shape), name=name)


filters = variable('filters', 3, 3, 1, 8)
bias = variable('bias', 8)
dense = variable('dense', (SIZE // 2) ** 2 * 8, CLASSES)
weights = [filters, bias, dense]


def network(images):
    hidden = tf.nn.relu(tf.nn.conv2d(images, filters, strides=1, padding='SAME') + bias)
    pooled = tf.nn.max_pool2d(hidden, 2, 2, 'SAME')
    return tf.matmul(tf.reshape(pooled, [BATCH, -1]), dense)


@tf.function
def train_step(images, labels):
    with tf.GradientTape() as tape:
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=network(images))
        loss = tf.reduce_mean(losses)
    for weight, gradient in zip(weights, tape.gradient(loss, weights)):
        weight.assign_sub(0.05 * gradient)
    return loss


def main():
    pixels = tf.sin(tf.range(BATCH * SIZE * SIZE, dtype=tf.float32) * 0.37)
    images = tf.reshape(pixels, [BATCH, SIZE, SIZE, 1])
    labels = tf.constant([i % CLASSES for i in range(BATCH)])
    for step in range(40):
        loss = train_step(images, labels)
        if step % 10 == 9:
            print(f'step {step + 1}: loss {float(loss):.2f}')


if __name__ == '__main__':
    main()
