"""An epoch of Keras's own fit: a perceptron and two convolutional networks for 28x28 images, in batches of 32, 128 and
512. The same model from the same seed with Footlight and with TensorFlow, compiled as Keras itself chooses on each.
"""
import functools
import importlib.util

import bench

IMAGES = 8 if bench.QUICK else 2048
BATCHES = (2, 3, 8) if bench.QUICK else (32, 128, 512)


def perceptron(keras):
    return [keras.layers.Flatten(), keras.layers.Dense(128, activation='relu'), keras.layers.Dense(10)]


def small(keras):
    layers = keras.layers
    return [layers.Conv2D(32, 3, activation='relu'), layers.MaxPooling2D(), layers.Conv2D(64, 3, activation='relu'),
            layers.MaxPooling2D(), layers.Flatten(), layers.Dense(10)]


def large(keras):
    layers = keras.layers
    return [layers.Conv2D(32, 5, padding='same', activation='relu'), layers.MaxPooling2D(),
            layers.Conv2D(64, 5, padding='same', activation='relu'), layers.MaxPooling2D(), layers.Flatten(),
            layers.Dense(1024, activation='relu'), layers.Dense(10)]


def epoch(tf, layers, batch):
    """An epoch of fit, by a model that is trained already: what traces and compiles has been done."""
    import numpy as np
    keras = tf.keras
    keras.utils.set_random_seed(1)
    random = np.random.default_rng(5)
    images = random.uniform(0, 1, (IMAGES, 28, 28, 1)).astype('float32')
    labels = random.integers(0, 10, IMAGES)
    model = keras.Sequential([keras.layers.Input((28, 28, 1)), *layers(keras)])
    model.compile('adam', keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=['accuracy'])

    def run(epochs=1):
        model.fit(images, labels, batch_size=batch, epochs=epochs, verbose=0)
    run(2)
    return run


def works(tf):
    models = {'perceptron': perceptron, 'small CNN': small, 'CNN': large}
    return {f'Keras {name}, {IMAGES} images by {batch}': functools.partial(epoch, tf, layers, batch)
            for name, layers in models.items() for batch in BATCHES}


def footlight(row):
    def make():
        import footlight
        return works(footlight)[row]()
    return make


HAS_KERAS = all(importlib.util.find_spec(name) for name in ('keras', 'numpy'))
ROWS = [bench.Row(row, footlight(row)) for row in works(None)] if HAS_KERAS else []
PEERS_ARE_MADE = True


def peers(library):
    if library != 'tensorflow':
        return {}
    import tensorflow
    return works(tensorflow)


if __name__ == '__main__':
    bench.main()
