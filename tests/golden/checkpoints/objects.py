"""The objects whose checkpoints are recorded here. With TensorFlow installed, `objects.py FOLDER` records them again."""
import os
import sys


def make(tf):
    """A model of every kind of child, and variables with names."""
    class Net(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = tf.Variable([[1., 2.], [3., 4.]], name='w')
            self.b = tf.Variable([0.5, -0.5], name='b')

    class Model(tf.Module):
        def __init__(self):
            super().__init__()
            self.layers = [Net(), Net()]
            self.named = {'first': self.layers[0], 'text': tf.Variable(['a', 'bc', ''], name='text'),
                          'flag': tf.Variable(True)}
            self.pair = (tf.Variable(2, dtype=tf.int64, name='big'), 3)
            self.half = tf.Variable([1.5, 2.5], dtype=tf.float16, name='half/x')
            self.bf = tf.Variable(1.25, dtype=tf.bfloat16)
            self.c = tf.Variable([1 + 2j], name='c')
            self.empty = tf.Variable(tf.zeros([0, 3]))
            self.me = self
            self.f = tf.function(lambda x: x)
    return Model()


def save(tf, folder):
    """Writes the checkpoints of this folder."""
    os.makedirs(folder, exist_ok=True)
    model = make(tf)
    checkpoint = tf.train.Checkpoint(model=model, step=tf.Variable(7, dtype=tf.int64, name='step'))
    checkpoint.save(os.path.join(folder, 'objects'))
    tf.train.Checkpoint(model, extra=tf.Variable(9)).write(os.path.join(folder, 'root'))
    manager = tf.train.CheckpointManager(checkpoint, os.path.join(folder, 'managed'), max_to_keep=1)
    manager.save()
    manager.save()
    x, y = tf.Variable(2., name='x'), tf.Variable([[5]], name='y/z')
    tf.compat.v1.train.Saver([x, y]).save(None, os.path.join(folder, 'names'), global_step=4)


if __name__ == '__main__':
    import tensorflow
    save(tensorflow, sys.argv[1])
    os.remove(os.path.join(sys.argv[1], 'checkpoint'))
