"""A Keras network: convolutions on images of 28 by 28 that the script draws itself, fed by tf.data.

Look at `train_function`, which Keras traces once for full batches and once for the last one, at its graph and at the
Timeline. It needs the package keras, which says so where it is missing. The script runs under TensorFlow too.
"""
import sys

import tensorflow as tf

try:
    import keras
except ImportError:
    sys.exit('This sample needs the package keras: python -m pip install keras')

COUNT, SIZE, KINDS = 200, 28, 3


def images_and_labels():
    """Discs, bars and frames of grey, each at another place."""
    number = tf.range(COUNT)
    labels = number % KINDS
    centre = tf.cast(10 + tf.stack([number * 7 % 9, number * 5 % 9], axis=1), tf.float32)
    at = tf.cast(tf.range(SIZE), tf.float32)
    down = tf.abs(at[None, :, None] - centre[:, 0, None, None])
    across = tf.abs(at[None, None, :] - centre[:, 1, None, None])
    disc = tf.sqrt(down * down + across * across) < 6.0
    bar = tf.logical_and(down < 2.0, across < 8.0)
    frame = tf.logical_and(tf.maximum(down, across) < 7.0, tf.maximum(down, across) > 4.0)
    kind = labels[:, None, None]
    drawn = tf.where(kind == 0, disc, tf.where(kind == 1, bar, frame))
    return tf.cast(drawn, tf.float32)[..., None], labels


def network():
    keras.utils.set_random_seed(7)
    return keras.Sequential([
        keras.Input((SIZE, SIZE, 1)),
        keras.layers.Conv2D(8, 3, strides=2, activation='relu'),
        keras.layers.MaxPooling2D(),
        keras.layers.Flatten(),
        keras.layers.Dropout(0.2),
        keras.layers.Dense(KINDS, activation='softmax'),
    ])


def main():
    images, labels = images_and_labels()
    data = tf.data.Dataset.from_tensor_slices((images, labels)).shuffle(COUNT, seed=1).batch(48).prefetch(2)
    model = network()
    model.compile(optimizer=keras.optimizers.Adam(0.01), loss='sparse_categorical_crossentropy', metrics=['accuracy'])
    history = model.fit(data, epochs=3, shuffle=False, verbose=0)
    for epoch, loss in enumerate(history.history['loss']):
        print(f"epoch {epoch + 1}: loss {loss:.2f}, accuracy {history.history['accuracy'][epoch]:.2f}")
    model.summary(line_length=70)


if __name__ == '__main__':
    main()
