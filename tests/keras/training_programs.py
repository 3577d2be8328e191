"""Whole trainings with Keras: fit, evaluate, predict, callbacks, files, own loops, retraces; each returns its numbers."""
import os
import tempfile

import numpy as np
import tensorflow as tf
import keras
from keras import layers as L

RANDOM = np.random.RandomState(3)
X = RANDOM.rand(64, 4).astype('float32')
Y = (X.sum(1) > 2).astype('int32') + (X[:, 0] > .7).astype('int32')
IMAGES = RANDOM.rand(32, 8, 8, 1).astype('float32')
LABELS = (IMAGES.mean((1, 2, 3)) > .5).astype('int32')
SERIES = RANDOM.rand(24, 5, 3).astype('float32')


def mlp(**how):
    keras.utils.set_random_seed(1)
    model = keras.Sequential([L.Input((4,)), L.Dense(16, activation='relu'), L.Dense(3, activation='softmax')])
    model.compile(**{'optimizer': 'adam', 'loss': 'sparse_categorical_crossentropy', 'metrics': ['accuracy'], **how})
    return model


def history(found):
    return {name: [float(v) for v in values] for name, values in found.history.items()}


def fit_mlp():
    """fit with shuffling, then evaluate and predict."""
    model = mlp()
    found = history(model.fit(X, Y, epochs=4, batch_size=10, verbose=0, validation_split=.25))
    return [found, model.evaluate(X, Y, verbose=0), model.predict(X[:3], verbose=0).tolist(), model.count_params()]


def fit_cnn():
    """Convolutions, pooling, batch normalization, dropout."""
    keras.utils.set_random_seed(2)
    model = keras.Sequential([L.Input((8, 8, 1)), L.Conv2D(4, 3, activation='relu'), L.BatchNormalization(), L.MaxPooling2D(),
                              L.Dropout(.25), L.Flatten(), L.Dense(1, activation='sigmoid')])
    model.compile(keras.optimizers.SGD(.05, momentum=.9), 'binary_crossentropy', metrics=['accuracy', keras.metrics.AUC(name='area')])
    return history(model.fit(IMAGES, LABELS, epochs=3, batch_size=8, verbose=0))


def digits(count):
    """Images of 28x28 in ten classes: a bright square whose place is the class, among noise."""
    random = np.random.RandomState(11)
    labels = random.randint(0, 10, count)
    images = random.uniform(0, .7, (count, 28, 28, 1))
    for image, label in zip(images, labels):
        row, column = 2 + label // 4 * 8, 2 + label % 4 * 6
        image[row:row + 5, column:column + 5] += .3
    return images.astype('float32'), labels


def curves(epochs, *layers):
    """Losses and accuracies of each epoch, training and validation. `layers` make them, after the seed is set."""
    keras.utils.set_random_seed(7)
    model = keras.Sequential([L.Input((28, 28, 1)), *(layer() for layer in layers), L.Dense(10)])
    # XLA would draw other random numbers than TensorFlow does without it.
    model.compile('adam', keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=['accuracy'], jit_compile=False)
    images, labels = digits(640)
    return history(model.fit(images, labels, batch_size=64, epochs=epochs, verbose=0, validation_split=.2))


def curves_mlp():
    """A perceptron on images, shuffled, in batches whose products are blocked."""
    return curves(6, L.Flatten, lambda: L.Dense(128, activation='relu'), lambda: L.Dropout(.2))


def curves_cnn():
    """A convolutional network on the same images."""
    return curves(5, lambda: L.Conv2D(32, 3, activation='relu'), L.MaxPooling2D,
                  lambda: L.Conv2D(64, 3, activation='relu'), L.MaxPooling2D, L.Flatten)


def fit_rnn():
    """An LSTM over masked steps, and a GRU in both directions."""
    keras.utils.set_random_seed(2)
    inputs = L.Input((5, 3))
    x = L.LSTM(6, return_sequences=True)(L.Masking()(inputs))
    x = L.Bidirectional(L.GRU(3))(x)
    model = keras.Model(inputs, L.Dense(1)(x))
    model.compile('rmsprop', 'mse')
    series = SERIES.copy()
    series[:8, 3:] = 0
    return history(model.fit(series, series[:, 0, :1], epochs=3, batch_size=8, verbose=0, shuffle=False))


def fit_words():
    """An embedding of words with a mask."""
    keras.utils.set_random_seed(2)
    model = keras.Sequential([L.Input((4,), dtype='int32'), L.Embedding(9, 5, mask_zero=True), L.LSTM(4), L.Dense(1)])
    model.compile('adam', 'mae')
    words = np.array([[1, 2, 0, 0], [3, 4, 5, 0], [6, 7, 8, 1], [2, 0, 0, 0]])
    return history(model.fit(words, np.array([[.1], [.2], [.3], [.4]]), epochs=3, batch_size=2, verbose=0))


def fit_two_outputs():
    """A functional model with two inputs and two outputs, with weights."""
    keras.utils.set_random_seed(2)
    a, b = L.Input((4,), name='a'), L.Input((2,), name='b')
    joined = L.Concatenate()([L.Dense(4, activation='tanh')(a), b])
    model = keras.Model([a, b], {'first': L.Dense(1, name='first')(joined), 'second': L.Dense(3, name='second')(joined)})
    model.compile('sgd', {'first': 'mse', 'second': keras.losses.SparseCategoricalCrossentropy(from_logits=True)},
                  loss_weights={'first': 1., 'second': .5}, metrics={'second': 'accuracy'})
    return history(model.fit([X, X[:, :2]], {'first': X[:, :1], 'second': Y}, epochs=2, batch_size=16, verbose=0))


def fit_data():
    """A tf.data.Dataset, a generator, weights of classes and samples, several steps in one call."""
    dataset = tf.data.Dataset.from_tensor_slices((X, Y)).batch(16)

    def batches():
        for i in range(0, 64, 16):
            yield X[i:i + 16], Y[i:i + 16]
    weights = np.linspace(0, 1, 64).astype('float32')
    return [history(mlp().fit(dataset, epochs=2, verbose=0, validation_data=dataset)),
            history(mlp().fit(batches(), epochs=1, steps_per_epoch=4, verbose=0)),
            history(mlp().fit(X, Y, epochs=2, verbose=0, class_weight={0: 1., 1: 2., 2: .5})),
            history(mlp(weighted_metrics=['accuracy']).fit(X, Y, epochs=2, verbose=0, sample_weight=weights)),
            history(mlp(steps_per_execution=3).fit(X, Y, epochs=2, batch_size=8, verbose=0)),
            history(mlp(run_eagerly=True).fit(X, Y, epochs=1, verbose=0))]


def callbacks():
    """EarlyStopping, ModelCheckpoint, schedules of the learning rate, callbacks of the user's."""
    seen = []

    class Watch(keras.callbacks.Callback):
        def on_epoch_end(self, epoch, logs=None):
            seen.append([epoch, sorted(logs)])
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'best.weights.h5')
        model = mlp(optimizer=keras.optimizers.Adam(.05))
        found = model.fit(X, Y, epochs=12, batch_size=16, verbose=0, validation_split=.5, callbacks=[
            Watch(), keras.callbacks.EarlyStopping(patience=2, restore_best_weights=True),
            keras.callbacks.ModelCheckpoint(path, save_weights_only=True, save_best_only=True),
            keras.callbacks.LearningRateScheduler(lambda epoch, rate: rate * .9),
            keras.callbacks.ReduceLROnPlateau(patience=1), keras.callbacks.TerminateOnNaN(),
            keras.callbacks.CSVLogger(os.path.join(folder, 'log.csv'))])
        after = model.evaluate(X, Y, verbose=0)
        other = mlp()
        other.load_weights(path)
        with open(os.path.join(folder, 'log.csv'), encoding='utf-8') as f:
            rows = len(f.readlines())
        return [history(found), seen, after, other.evaluate(X, Y, verbose=0), rows]


def schedule():
    """A learning rate that depends on the step."""
    rate = keras.optimizers.schedules.ExponentialDecay(.1, 5, .5)
    model = mlp(optimizer=keras.optimizers.SGD(rate))
    return [history(model.fit(X, Y, epochs=2, batch_size=16, verbose=0)), float(model.optimizer.learning_rate)]


@keras.saving.register_keras_serializable('tests')
class Scaled(L.Layer):
    """A layer of the user's."""

    def __init__(self, units, **how):
        super().__init__(**how)
        self.units = units

    def build(self, shape):
        self.w = self.add_weight(shape=(shape[-1], self.units), initializer='glorot_uniform', name='w')
        self.scale = self.add_weight(shape=(), initializer='ones', trainable=False, name='scale')

    def call(self, x, training=False):
        if training:
            self.scale.assign(self.scale * .5)
        return tf.nn.relu(tf.matmul(x, self.w) * self.scale)

    def get_config(self):
        return {**super().get_config(), 'units': self.units}


def files():
    """A model in a .keras file, weights in HDF5, JSON: read back they compute the same, and train on alike."""
    with tempfile.TemporaryDirectory() as folder:
        keras.utils.set_random_seed(4)
        model = keras.Sequential([L.Input((4,)), Scaled(5), L.BatchNormalization(), L.Dense(3)])
        model.compile('adam', keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=['accuracy'])
        model.fit(X, Y, epochs=1, verbose=0)
        before = model.predict(X, verbose=0)
        same = []
        for name in ('model.keras', 'model.h5'):
            model.save(os.path.join(folder, name))
            again = keras.models.load_model(os.path.join(folder, name))
            same.append(bool(np.allclose(before, again.predict(X, verbose=0), atol=1e-6)))
        again = keras.models.load_model(os.path.join(folder, 'model.keras'))
        more = [history(m.fit(X, Y, epochs=1, verbose=0, shuffle=False)) for m in (model, again)]
        model.save_weights(os.path.join(folder, 'w.weights.h5'))
        other = keras.models.model_from_json(model.to_json())
        other.load_weights(os.path.join(folder, 'w.weights.h5'))
        same.append(bool(np.allclose(model(X), other(X), atol=1e-6)))
        return [same, more, before[:2].tolist()]


def mixed():
    """float16 with a scaled loss, bfloat16."""
    found = []
    for policy in ('mixed_float16', 'mixed_bfloat16'):
        keras.mixed_precision.set_global_policy(policy)
        try:
            model = mlp(optimizer=keras.optimizers.SGD(.1))
            model.fit(X, Y, epochs=2, batch_size=16, verbose=0)
            found.append([model.layers[0].compute_dtype, model.layers[0].kernel.dtype, type(model.optimizer).__name__,
                          bool(np.isfinite(model.evaluate(X, Y, verbose=0)).all())])
        finally:
            keras.mixed_precision.set_global_policy('float32')
    return found


def own_loop():
    """A loop of the user's under tf.function, with metrics and losses that layers add."""
    keras.utils.set_random_seed(6)
    model = keras.Sequential([L.Input((4,)), L.Dense(8, kernel_regularizer='l2'), Scaled(4), L.Dense(3)])
    optimizer, metric = keras.optimizers.Adam(.01), keras.metrics.SparseCategoricalAccuracy()
    loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    traces = []

    @tf.function
    def step(x, y):
        traces.append(1)
        with tf.GradientTape() as tape:
            logits = model(x, training=True)
            loss = loss_of(y, logits) + tf.add_n(model.losses)
        optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
        metric.update_state(y, logits)
        return loss
    found = [float(step(x, y)) for x, y in tf.data.Dataset.from_tensor_slices((X, Y)).batch(16).repeat(2)]
    return [found, float(metric.result())]


class Own(keras.Model):
    """A model with a train_step of the user's."""

    def __init__(self):
        super().__init__()
        self.hidden, self.out = L.Dense(6, activation='relu'), L.Dense(1)
        self.seen = keras.metrics.Mean(name='seen')

    def call(self, x):
        return self.out(self.hidden(x))

    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self(x, training=True) - y) ** 2)
        self.optimizer.apply_gradients(zip(tape.gradient(loss, self.trainable_variables), self.trainable_variables))
        self.seen.update_state(loss)
        return {'seen': self.seen.result()}

    @property
    def metrics(self):
        return [self.seen]


def own_step():
    """fit with a train_step of the user's."""
    keras.utils.set_random_seed(6)
    model = Own()
    model.compile(optimizer=keras.optimizers.RMSprop(.01))
    return history(model.fit(X, X[:, :1], epochs=3, batch_size=16, verbose=0))


def on_batches():
    """train_on_batch, test_on_batch, predict_on_batch."""
    model = mlp()
    return [[[float(v) for v in model.train_on_batch(X[:8], Y[:8])] for _ in range(3)],
            [float(v) for v in model.test_on_batch(X, Y)], model.predict_on_batch(X[:2]).tolist()]


def ops():
    """keras.ops on numbers."""
    k = keras.ops
    x = k.convert_to_tensor(X[:4])
    found = [k.softmax(x), k.top_k(x, 2)[0], k.logsumexp(x, axis=1), k.einsum('ij,kj->ik', x, x), k.cumsum(x, axis=0),
             k.slice_update(x, (1, 1), k.ones((2, 2))), k.segment_sum(x, k.array([0, 1, 1, 0]), 2), k.norm(x, axis=1),
             k.scan(lambda c, v: (c + v, c * v), k.zeros((4,)), x)[1], k.while_loop(lambda i: i < 5, lambda i: (i + 1,), (0,))[0],
             k.fori_loop(0, 3, lambda i, v: v * 2, x), k.cond(k.array(True), lambda: x, lambda: -x), k.argsort(x, axis=1),
             k.vectorized_map(lambda v: v * k.sum(v), x), k.where(x > .5, x, 0.), k.one_hot(k.array([0, 2]), 3),
             k.qr(x)[1] ** 2, k.searchsorted(k.array([1., 2., 3.]), k.array([1.5, 2.5])), k.histogram(x[0], 4)[0],
             k.moveaxis(x, 0, 1), k.median(x, axis=1), k.quantile(x, .3, axis=1), k.erf(x), k.roll(x, 1)]
    return [np.asarray(t).astype('float64').ravel().tolist() for t in found]


PROGRAMS = {f.__name__: f for f in (fit_mlp, fit_cnn, curves_mlp, curves_cnn, fit_rnn, fit_words, fit_two_outputs, fit_data,
                                    callbacks, schedule, files, mixed, own_loop, own_step, on_batches, ops)}
