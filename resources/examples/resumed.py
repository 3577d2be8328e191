"""A training run that resumes: a CheckpointManager saves every few steps, and a second run finds the last one.

The first half stops in the middle, as a killed program would; the second makes everything anew and restores it, the
optimizer's state and the number of the step included, which says where in the data it goes on. Look at the Console. The script runs under TensorFlow too.
"""
import tempfile

import tensorflow as tf

STEPS, EVERY, STOP = 30, 4, 18


class Momentum(tf.Module):
    """Gradient descent with a memory, which a checkpoint has to keep."""

    def __init__(self, weights):
        super().__init__()
        self.rate = tf.Variable(0.05, trainable=False, name='rate')
        self.speeds = [tf.Variable(tf.zeros_like(weight), trainable=False) for weight in weights]

    def apply(self, weights, gradients):
        for weight, speed, gradient in zip(weights, self.speeds, gradients):
            speed.assign(0.9 * speed - self.rate * gradient)
            weight.assign_add(speed)


class Training:
    def __init__(self, folder):
        self.weights = [tf.Variable([[0.5], [-0.5]], name='slope'), tf.Variable([0.0], name='offset')]
        self.optimizer = Momentum(self.weights)
        self.step = tf.Variable(0, dtype=tf.int64, trainable=False, name='step')
        points = tf.reshape(tf.sin(tf.range(64, dtype=tf.float32)), [32, 2])
        values = tf.matmul(points, [[2.0], [-1.0]]) + 0.5
        checkpoint = tf.train.Checkpoint(weights=self.weights, optimizer=self.optimizer, step=self.step)
        self.manager = tf.train.CheckpointManager(checkpoint, folder, max_to_keep=2)
        found = self.manager.restore_or_initialize()
        batches = tf.data.Dataset.from_tensor_slices((points, values)).batch(8).repeat()
        self.batches = iter(batches.skip(int(self.step)))
        print('starts anew' if found is None else f'goes on after step {int(self.step)}')

    @tf.function
    def train_step(self, points, values):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((tf.matmul(points, self.weights[0]) + self.weights[1] - values) ** 2)
        self.optimizer.apply(self.weights, tape.gradient(loss, self.weights))
        self.step.assign_add(1)
        return loss

    def run(self, until):
        while int(self.step) < until:
            loss = self.train_step(*next(self.batches))
            if int(self.step) % EVERY == 0:
                self.manager.save()
                print(f'step {int(self.step):2}: loss {float(loss):.4f}, saved')


def main():
    with tempfile.TemporaryDirectory() as folder:
        Training(folder).run(STOP)
        print(f'stopped at step {STOP}')
        again = Training(folder)
        again.run(STEPS)
        one, two = (float(w) for w in tf.unstack(again.weights[0][:, 0]))
        print(f'slope {one:.2f} and {two:.2f}, offset {float(again.weights[1][0]):.2f}')


if __name__ == '__main__':
    main()
