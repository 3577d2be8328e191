"""Layers, losses, metrics and optimizers of Keras: what each computes from fixed numbers, forward and backward."""
import numpy as np
import tensorflow as tf
import keras
from keras import layers as L

RANDOM = np.random.RandomState(7)
ROWS = RANDOM.rand(6, 4).astype('float32')
IMAGES = RANDOM.rand(2, 8, 8, 3).astype('float32')
SERIES = RANDOM.rand(3, 6, 3).astype('float32')
VOLUMES = RANDOM.rand(2, 4, 4, 4, 2).astype('float32')
FRAMES = RANDOM.rand(2, 3, 5, 5, 2).astype('float32')

# name: (layer, input); each is made anew from a fixed seed
LAYERS = {
    'dense': (lambda: L.Dense(3, activation='gelu'), ROWS),
    'einsum_dense': (lambda: L.EinsumDense('ab,bc->ac', output_shape=3, bias_axes='c'), ROWS),
    'swish': (lambda: L.Activation('swish'), ROWS),
    'leaky_relu': (lambda: L.LeakyReLU(), ROWS - .5),
    'prelu': (lambda: L.PReLU('ones'), ROWS - .5),
    'softmax': (lambda: L.Softmax(), ROWS),
    'conv1d': (lambda: L.Conv1D(4, 3, padding='causal'), SERIES),
    'conv2d': (lambda: L.Conv2D(4, 3, strides=2), IMAGES),
    'conv2d_dilated': (lambda: L.Conv2D(4, 3, dilation_rate=2, padding='same'), IMAGES),
    'conv2d_groups': (lambda: L.Conv2D(6, 3, groups=3), IMAGES),
    'conv3d': (lambda: L.Conv3D(2, 2), VOLUMES),
    'conv1d_transpose': (lambda: L.Conv1DTranspose(4, 3), SERIES),
    'conv2d_transpose': (lambda: L.Conv2DTranspose(4, 3, strides=2, padding='same'), IMAGES),
    'separable_conv2d': (lambda: L.SeparableConv2D(4, 3), IMAGES),
    'depthwise_conv2d': (lambda: L.DepthwiseConv2D(3), IMAGES),
    'max_pooling': (lambda: L.MaxPooling2D(), IMAGES),
    'average_pooling': (lambda: L.AveragePooling2D(3, strides=1, padding='same'), IMAGES),
    'global_max_pooling': (lambda: L.GlobalMaxPooling2D(), IMAGES),
    'global_average_pooling': (lambda: L.GlobalAveragePooling1D(), SERIES),
    'batch_normalization': (lambda: L.BatchNormalization(), IMAGES),
    'layer_normalization': (lambda: L.LayerNormalization(), SERIES),
    'group_normalization': (lambda: L.GroupNormalization(3), IMAGES),
    'unit_normalization': (lambda: L.UnitNormalization(), ROWS),
    'dropout': (lambda: L.Dropout(.5, seed=3), ROWS),
    'spatial_dropout': (lambda: L.SpatialDropout2D(.5, seed=3), IMAGES),
    'gaussian_noise': (lambda: L.GaussianNoise(.5, seed=3), ROWS),
    'flatten': (lambda: L.Flatten(), IMAGES),
    'reshape': (lambda: L.Reshape((2, -1)), ROWS),
    'permute': (lambda: L.Permute((2, 1)), SERIES),
    'up_sampling': (lambda: L.UpSampling2D(2), IMAGES),
    'zero_padding': (lambda: L.ZeroPadding2D(1), IMAGES),
    'cropping': (lambda: L.Cropping2D(1), IMAGES),
    'lstm': (lambda: L.LSTM(4, return_sequences=True), SERIES),
    'lstm_state': (lambda: L.LSTM(4, return_state=True, go_backwards=True), SERIES),
    'lstm_unrolled': (lambda: L.LSTM(4, unroll=True), SERIES),
    'gru': (lambda: L.GRU(4), SERIES),
    'gru_before': (lambda: L.GRU(4, reset_after=False), SERIES),
    'simple_rnn': (lambda: L.SimpleRNN(4), SERIES),
    'bidirectional': (lambda: L.Bidirectional(L.LSTM(3)), SERIES),
    'cells': (lambda: L.RNN([L.LSTMCell(3), L.GRUCell(2)]), SERIES),
    'time_distributed': (lambda: L.TimeDistributed(L.Dense(3)), SERIES),
    'conv_lstm': (lambda: L.ConvLSTM2D(2, 2), FRAMES),
    'add': (lambda: L.Add(), [ROWS, ROWS * 2]),
    'concatenate': (lambda: L.Concatenate(), [ROWS, ROWS * 2]),
    'dot': (lambda: L.Dot(1), [ROWS, ROWS * 2]),
    'attention': (lambda: L.Attention(), [SERIES, SERIES * 2]),
    'rescaling': (lambda: L.Rescaling(2., 1.), ROWS),
    'normalization': (lambda: L.Normalization(mean=1., variance=2.), ROWS),
}


def brief(value):
    """A few numbers that a tensor cannot be mistaken for: size, mean, mean of squares, its first and last elements."""
    array = np.asarray(value).astype('float64').ravel()
    return [array.size, array.mean(), (array ** 2).mean(), *array[:3], *array[-2:]] if array.size else [0]


def layer(name):
    """Outputs and gradients under tf.function, in training."""
    make, given = LAYERS[name]
    keras.utils.set_random_seed(5)
    made = make()
    given = tf.nest.map_structure(tf.constant, given)
    shapes = [tuple(t.shape) for t in tf.nest.flatten(given)]
    made.build(shapes if isinstance(given, list) else shapes[0])
    how = {'training': True} if getattr(made, '_call_has_training_arg', False) else {}

    @tf.function
    def step(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            out = tf.nest.flatten(made(x, **how))
            loss = tf.add_n([tf.reduce_mean(o ** 2) for o in out])
        weights = made.trainable_variables
        gradients = tape.gradient(loss, [x, *weights])
        return out, gradients
    out, gradients = step(given)
    return [brief(t) for t in tf.nest.flatten([out, gradients])] + [brief(w) for w in made.non_trainable_variables]


TRUE = np.array([[0., 1.], [1., 0.], [1., 0.]], 'float32')
GUESS = np.array([[.2, .8], [.6, .4], [.3, .7]], 'float32')
LOSSES = ['BinaryCrossentropy', 'BinaryFocalCrossentropy', 'CategoricalCrossentropy', 'CategoricalFocalCrossentropy',
          'CategoricalHinge', 'CosineSimilarity', 'Dice', 'Hinge', 'Huber', 'KLDivergence', 'LogCosh', 'MeanAbsoluteError',
          'MeanAbsolutePercentageError', 'MeanSquaredError', 'MeanSquaredLogarithmicError', 'Poisson', 'SquaredHinge',
          'Tversky']
METRICS = {
    'AUC': (), 'Accuracy': (), 'BinaryAccuracy': (), 'BinaryCrossentropy': (), 'CategoricalAccuracy': (),
    'CategoricalCrossentropy': (), 'CosineSimilarity': (), 'F1Score': (), 'FalseNegatives': (), 'Hinge': (),
    'KLDivergence': (), 'MeanAbsoluteError': (), 'MeanSquaredError': (), 'Precision': (), 'PrecisionAtRecall': (.5,),
    'R2Score': (), 'Recall': (), 'RootMeanSquaredError': (), 'SensitivityAtSpecificity': (.5,),
    'TopKCategoricalAccuracy': (1,), 'TruePositives': ()}
OPTIMIZERS = {
    'SGD': dict(learning_rate=.1, momentum=.9, nesterov=True), 'RMSprop': dict(centered=True), 'Adam': dict(amsgrad=True),
    'AdamW': dict(weight_decay=.1), 'Adadelta': dict(learning_rate=1.), 'Adagrad': dict(learning_rate=.1), 'Adamax': {},
    'Adafactor': {}, 'Nadam': dict(clipnorm=.1), 'Ftrl': dict(learning_rate=.1), 'Lion': dict(global_clipnorm=.5)}


def losses():
    """Each loss, with and without weights of samples."""
    found = {}
    for name in LOSSES:
        kind = getattr(keras.losses, name)
        found[name] = [float(kind()(TRUE, GUESS)), float(kind()(TRUE, GUESS, sample_weight=np.array([1., 2., 0.])))
                       if name not in ('Dice', 'Tversky') else 0]
    found['sparse'] = float(keras.losses.SparseCategoricalCrossentropy(from_logits=True)(np.array([1, 0, 0]), GUESS))
    return found


def metrics():
    """Each metric after two updates."""
    found = {}
    for name, args in METRICS.items():
        metric = getattr(keras.metrics, name)(*args)
        metric.update_state(TRUE, GUESS)
        metric.update_state(TRUE, GUESS[::-1])
        found[name] = np.asarray(metric.result()).tolist()
        metric.reset_state()
    mean = keras.metrics.Mean()
    for value in ([1., 2.], [4.]):
        mean.update_state(value)
    iou = keras.metrics.MeanIoU(3)
    iou.update_state([0, 1, 2, 2], [0, 2, 2, 1])
    sparse = keras.metrics.SparseCategoricalAccuracy()
    sparse.update_state([1, 0, 0], GUESS)
    return {**found, 'Mean': float(mean.result()), 'MeanIoU': float(iou.result()), 'Sparse': float(sparse.result())}


def optimizer(name):
    """The variables after four steps."""
    made = getattr(keras.optimizers, name)(**OPTIMIZERS[name])
    a, b = keras.Variable([[1., 2.], [3., -4.]]), keras.Variable([.5, -.5])

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.matmul(a, a) ** 2) * .01 + tf.reduce_sum(b ** 2)
        made.apply_gradients(zip(tape.gradient(loss, [a, b]), [a, b]))
        return loss
    found = [float(step()) for _ in range(4)]
    return [found, np.asarray(a).tolist(), np.asarray(b).tolist(), int(made.iterations)]


def embedding_gradient():
    """Rows of an embedding are updated by their indices."""
    keras.utils.set_random_seed(5)
    table = L.Embedding(6, 3)
    table.build()
    made = keras.optimizers.Adagrad(.5)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(table(np.array([1, 1, 4])) ** 2)
    gradients = tape.gradient(loss, table.trainable_variables)
    made.apply_gradients(zip(gradients, table.trainable_variables))
    return [type(gradients[0]).__name__ == 'IndexedSlices', np.asarray(table.embeddings).tolist()]


PROGRAMS = {'losses': losses, 'metrics': metrics, 'embedding_gradient': embedding_gradient,
            **{'layer_' + n: (lambda n=n: layer(n)) for n in LAYERS},
            **{'optimizer_' + n: (lambda n=n: optimizer(n)) for n in OPTIMIZERS}}
