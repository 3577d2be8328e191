"""Keras trains two epochs of four batches; the callback records the third to the sixth."""
import sys

import keras
import numpy

import footlight_recorder

model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
model.compile('sgd', 'mse')
callback = footlight_recorder.keras_callback(3, 6, sys.argv[1])
assert isinstance(callback, keras.callbacks.Callback)
x, y = numpy.ones((8, 4), 'float32'), numpy.ones((8, 1), 'float32')
history = model.fit(x, y, batch_size=2, epochs=2, verbose=0, validation_data=(x, y), callbacks=[callback])
print(len(history.history['val_loss']), model.count_params())
