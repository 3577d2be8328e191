"""Sparse and ragged tensors as Keras uses them, and rules of tensors that its own tests ask for."""
import numpy as np
import tensorflow as tf
import keras
from keras import layers as L

SPARSE = [[0, 0], [1, 2], [2, 1]], [1., -4., 9.], [3, 3]
ROWS = [[1., 2.], [], [3., 4., 5.]]


def plain(value):
    """Tensors of every kind as lists."""
    if isinstance(value, tf.SparseTensor):
        value = tf.sparse.to_dense(tf.sparse.reorder(value))
    return value.to_list() if isinstance(value, tf.RaggedTensor) else np.asarray(value).tolist()


def both(function, *args):
    """What a function of tensors gives when it is called and when it is traced."""
    return [plain(function(*args)), plain(tf.function(function)(*args))]


def sparse_functions():
    """Functions of one tensor keep the places, products and quotients take a whole tensor's values there."""
    sparse, whole = tf.SparseTensor(*SPARSE), tf.constant([[2.], [4.], [5.]])
    functions = [tf.abs, tf.square, tf.sign, tf.negative, tf.tanh, tf.identity, lambda x: tf.cast(x, tf.int32),
                 lambda x: x * 2., lambda x: x / whole, lambda x: whole * x, lambda x: x * tf.constant([1., 2., 3.])]
    return [both(function, sparse) for function in functions] + [plain(tf.shape(sparse)), plain(tf.size(sparse))]


def ragged_functions():
    """Functions of one or two tensors work value by value; a whole tensor is spread over the rows."""
    rows = tf.ragged.constant(ROWS)
    deep = tf.ragged.constant([[[1.], [2., 3.]], [[4., 5.]]])
    functions = [tf.exp, lambda x: x + 1., lambda x: 2. ** x, lambda x: x * x, lambda x: -x, lambda x: x > 2.,
                 lambda x: x - tf.constant([[1.], [2.], [3.]]), lambda x: tf.maximum(x, 2.), lambda x: tf.cast(x, tf.int32),
                 lambda x: tf.concat([x, x], 0), lambda x: tf.concat([x, [[7.], [8.], [9.]]], 1)]
    return [both(function, rows) for function in functions] + both(lambda x: x + tf.constant([[[1.]], [[2.]]]), deep)


def ragged_reductions():
    """Sums and the like over rows, in each row, and over everything."""
    rows = tf.ragged.constant(ROWS)
    deep = tf.ragged.constant([[[1., 2.]], [[3.], [4., 5.]]])
    found = []
    for function in (tf.reduce_sum, tf.reduce_prod, tf.reduce_max, tf.reduce_mean, tf.math.reduce_variance):
        found += [both(lambda x: function(x[:1], axis=1), rows), both(lambda x: function(x, axis=0), rows), both(function, rows)]
    found += [both(lambda x: tf.reduce_any(x > 2., axis=1), rows), both(lambda x: tf.reduce_all(x > 2., axis=1), rows),
              both(lambda x: tf.reduce_sum(x, axis=1, keepdims=True), rows)]
    return found + [both(lambda x: tf.reduce_sum(x, axis=axis), deep) for axis in (0, 1, 2)]


def ragged_rows():
    """Rows of a ragged tensor by their numbers, and rows of a whole one in the rows of the numbers."""
    rows, numbers = tf.ragged.constant(ROWS), tf.ragged.constant([[1], [], [0, 2]])
    whole = tf.reshape(tf.range(18.), [3, 3, 2])
    return [both(lambda x: tf.gather(x, [2, 0]), rows), both(lambda x: tf.gather(whole, x), numbers),
            both(lambda x: tf.gather(whole, x, axis=1), numbers), both(lambda x: tf.nn.embedding_lookup(whole, x), numbers)]


def sparse_rows():
    """Rows summed for each example, with and without weights, and for one that names none."""
    table = tf.constant([[1., 2.], [3., 5.], [7., 11.]])
    ids = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [1, 2, 0], [4, 2])
    weights = tf.SparseTensor(ids.indices, [.5, 2., 3.], [4, 2])
    found = []
    for combiner in ('sum', 'mean', 'sqrtn'):
        for given in (None, weights):
            found.append(plain(tf.nn.safe_embedding_lookup_sparse(table, ids, given, combiner=combiner)))
            found.append(plain(tf.nn.embedding_lookup_sparse(table, ids, given, combiner=combiner)))
    return found + [plain(tf.nn.safe_embedding_lookup_sparse(table, ids, default_id=2))]


def sparse_layers():
    """Layers of sparse inputs."""
    keras.utils.set_random_seed(3)
    sparse = tf.SparseTensor(*SPARSE)
    cube = tf.SparseTensor([[0, 0, 0], [1, 0, 2]], [2., 3.], [2, 1, 3])
    count = L.CategoryEncoding(num_tokens=4, output_mode='count', sparse=True)
    return [plain(L.Dense(2)(sparse)), plain(L.Average()([sparse, sparse])),
            plain(keras.ops.matmul(cube, tf.ones([2, 3, 2]))), plain(count(np.array([[1, 2, 2], [0, 3, 3]])))]


def sparse_gradient():
    """A gradient of some rows, given by Python numbers, for every optimizer with a rule of its own for it."""
    found = []
    for name in ('SGD', 'Adam', 'Adafactor', 'Adagrad', 'RMSprop', 'Ftrl'):
        variable = keras.Variable(np.ones((5, 3)))
        made = getattr(keras.optimizers, name)(learning_rate=.1)
        made.apply([tf.IndexedSlices(.5 * tf.ones((3, 3)), (0, 2, 4), (5, 3))], [variable])
        found.append(np.asarray(variable).tolist())
    return found


def lists_of_tensors():
    """Tensors in a list take the dtype that is asked for."""
    def use(x, n):
        wide = tf.constant([1, 2], tf.int64)
        return (tf.convert_to_tensor([x, 1], dtype=tf.int32), tf.reshape(tf.range(4), (x, 2)), tf.fill([x, 2], 1),
                tf.zeros([x, 2]), wide + [n, 1], tf.scatter_nd(tf.constant([[1]], tf.int64), [1.], (n + 3,)))
    given = tf.constant(2.), tf.constant(0)
    return [[plain(t) for t in f(*given)] for f in (use, tf.function(use))]


def ranges():
    """How many numbers a range of fractions has depends on the dtype."""
    ends = [(.1, 1.1, .1), (0., 1., .1), (.1, 2.1, .1), (1., 0., -.1), (.3, .9, .1), (0., 2.1, .7), (-1., 1., .2)]
    return [[int(tf.range(*e, dtype=d).shape[0]) for d in ('float16', 'bfloat16', 'float32', 'float64')] for e in ends]


def loops():
    """Outside of a trace, Python numbers stay Python numbers while a loop runs."""
    found = keras.ops.fori_loop(0, 5, lambda i, x: x + i, tf.constant(10, tf.int64))
    kinds = []
    tf.while_loop(lambda i: i < 2, lambda i: (kinds.append(type(i).__name__), i + 1)[1:], (0,))
    return [plain(found), found.dtype.name, kinds]


def class_weights():
    """Weights by the class of labels that are one-hot: which kind they are is known from their shape."""
    keras.utils.set_random_seed(1)
    x, y = np.arange(12.).reshape(6, 2) / 12, np.eye(3)[[0, 1, 2, 0, 1, 2]]
    model = keras.Sequential([keras.Input((2,)), L.Dense(3, activation='softmax', kernel_initializer='ones')])
    model.compile('sgd', 'categorical_crossentropy')
    data = tf.data.Dataset.from_tensor_slices((x, y)).batch(2)
    return model.fit(data, epochs=2, verbose=0, class_weight={0: .1, 1: .5, 2: 2.}).history['loss']


PROGRAMS = {f.__name__: f for f in (
    sparse_functions, ragged_functions, ragged_reductions, ragged_rows, sparse_rows, sparse_layers, sparse_gradient,
    lists_of_tensors, ranges, loops, class_weights)}
