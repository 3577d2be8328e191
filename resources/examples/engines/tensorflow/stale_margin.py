"""TensorFlow (pip install tensorflow): a loss reads a Python number, which the trace of `fit` keeps when it changes."""
import keras
import numpy as np
import tensorflow as tf

settings = {'margin': 0.1}


def margin_loss(sign, score):
    return tf.reduce_mean(tf.maximum(0.0, settings['margin'] - sign * score))


keras.utils.set_random_seed(5)
generator = np.random.default_rng(6)
points = generator.normal(size=(48, 6)).astype('float32')
signs = np.sign(points[:, :1])
model = keras.Sequential([keras.Input((6,)), keras.layers.Dense(1)])
model.compile(optimizer=keras.optimizers.SGD(0.3), loss=margin_loss)
for margin in (0.1, 0.5, 2.0):
    settings['margin'] = margin
    history = model.fit(points, signs, batch_size=16, epochs=2, shuffle=False, verbose=0)
    print(f'margin {margin} loss {history.history["loss"][-1]:.4f}')
