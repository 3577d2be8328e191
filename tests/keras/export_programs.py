"""SavedModels of Keras: export(), ExportArchive, TFSMLayer, tf.saved_model.save of a model; each returns its numbers."""
import os
import tempfile

import numpy as np
import tensorflow as tf
import keras
from keras import layers as L

X = np.random.RandomState(5).rand(16, 3).astype('float32')
SERIES = np.random.RandomState(6).rand(4, 5, 3).astype('float32')


def dense():
    keras.utils.set_random_seed(1)
    model = keras.Sequential([L.Input((3,), name='x'), L.Dense(4, activation='relu'), L.BatchNormalization(), L.Dense(2)])
    model.compile('adam', 'mse')
    model.fit(X, np.ones((16, 2)), verbose=0, shuffle=False, epochs=2)
    return model


def signature(function):
    """The inputs and outputs of a signature, by name: dtype and shape."""
    inputs = function.structured_input_signature[1]
    outputs = function.structured_outputs
    return {name: [spec.dtype.name, list(spec.shape)] for specs in (inputs, outputs) for name, spec in sorted(specs.items())}


def export():
    """export() and what can be done with it: call, gradients, variables, a layer that is trained on."""
    model = dense()
    with tempfile.TemporaryDirectory() as folder:
        model.export(folder, verbose=False)
        loaded = tf.saved_model.load(folder)
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(loaded.serve(X))
        gradients = tape.gradient(loss, list(loaded.trainable_variables))
        layer = keras.layers.TFSMLayer(folder)
        inputs = keras.Input((3,))
        around = keras.Model(inputs, L.Dense(1, kernel_initializer='ones')(layer(inputs)))
        around.compile(keras.optimizers.SGD(.1), 'mse')
        history = around.fit(X, np.ones((16, 1)), verbose=0, shuffle=False, epochs=2).history['loss']
        return [float(np.abs(loaded.serve(X) - model.predict(X, verbose=0)).max()), loaded.serve(X[:2]).numpy().tolist(),
                [len(loaded.variables), len(loaded.trainable_variables)], [float(tf.norm(g)) for g in gradients],
                {key: signature(f) for key, f in sorted(loaded.signatures.items())}, [float(v) for v in history],
                sorted(f for f in os.listdir(folder))]


def archive():
    """ExportArchive: endpoints for inference and training; a recurrent model; a model saved as a trackable object."""
    model = dense()
    with tempfile.TemporaryDirectory() as folder:
        archive = keras.export.ExportArchive()
        archive.track(model)
        spec = [keras.InputSpec(shape=(None, 3), dtype='float32')]
        archive.add_endpoint('serve', model.call, spec)
        archive.add_endpoint('train', lambda x: model.call(x, training=True), spec)
        archive.write_out(os.path.join(folder, 'a'), verbose=False)
        loaded = tf.saved_model.load(os.path.join(folder, 'a'))
        found = [loaded.serve(X[:2]).numpy().tolist(), loaded.train(X[:4]).numpy().tolist(), sorted(loaded.signatures)]
        keras.utils.set_random_seed(2)
        recurrent = keras.Sequential([L.Input((5, 3)), L.LSTM(4, return_sequences=True), L.GRU(3), L.Dense(2)])
        recurrent.export(os.path.join(folder, 'b'), verbose=False)
        kept = tf.saved_model.load(os.path.join(folder, 'b'))
        found.append(kept.serve(SERIES).numpy().tolist())
        tf.saved_model.save(model, os.path.join(folder, 'c'))
        kept = tf.saved_model.load(os.path.join(folder, 'c'))
        saved = kept.signatures['serving_default']
        return found + [signature(saved), saved(tf.constant(X[:2]))['output_0'].numpy().tolist()]


PROGRAMS = {f.__name__: f for f in (export, archive)}
