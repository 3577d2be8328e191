"""The functions of tf.sparse and tf.sets."""


def cases(tf):
    S = tf.SparseTensor
    sparse = tf.sparse

    def a():
        return S([[0, 1], [1, 0], [2, 3]], [1, 2, 3], [3, 4])

    def b():
        return S([[0, 1], [1, 2], [2, 0]], [10, 20, 30], [3, 4])

    def f():
        return S([[0, 0], [0, 2], [2, 1]], [1., -2., 3.], [3, 4])

    def t():
        return S([[0, 1], [2, 0]], ['x', 'y'], [3, 2])

    def d3():
        return S([[0, 0, 1], [1, 1, 0], [1, 1, 1]], [1., 2., 3.], [2, 2, 2])
    return {
        'made': lambda: [a(), S(indices=[[0]], values=['q'], dense_shape=[2])],
        'rank_error': lambda: S([[0]], [1], [3, 4]),
        'add': lambda: [sparse.add(a(), b()), sparse.add(a(), tf.ones([3, 4], tf.int32)), sparse.add(tf.ones([3, 4], tf.int32), a())],
        'add_threshold': lambda: sparse.add(f(), f(), 3.),
        'add_error': lambda: sparse.add(tf.ones([2]), tf.ones([2])),
        'add_dtype_error': lambda: sparse.add(a(), f()),
        'bincount': lambda: [sparse.bincount([1, 1, 3]), sparse.bincount([[1, 1], [2, 0]], axis=-1),
                             sparse.bincount([1, 1, 3], weights=[.5, 1., 2.]), sparse.bincount([1, 1, 3], binary_output=True),
                             sparse.bincount([1, 1, 3], minlength=6), sparse.bincount([1, 1, 3], maxlength=3)],
        'concat': lambda: [sparse.concat(0, [a(), b()]), sparse.concat(1, [a(), b()]), sparse.concat(-1, [a(), b()]),
                           sparse.concat(1, [a(), t_int(tf)], expand_nonconcat_dims=True)],
        'concat_error': lambda: sparse.concat(2, [a(), b()]),
        'expand': lambda: [sparse.expand_dims(a(), 0), sparse.expand_dims(a(), 1), sparse.expand_dims(a(), -1), sparse.expand_dims(a())],
        'expand_error': lambda: sparse.expand_dims(a(), 5),
        'eye': lambda: [sparse.eye(2), sparse.eye(2, 3, dtype=tf.int32), sparse.eye(3, 2)],
        'fill_empty': lambda: [sparse.fill_empty_rows(f(), 9.), sparse.fill_empty_rows(t(), '-')],
        'from_dense': lambda: [sparse.from_dense([[0, 1], [2, 0]]), sparse.from_dense([['', 'a']])],
        'map_fn': lambda: [tf.map_fn(lambda row: row, a()), tf.map_fn(lambda row: row * 2., f()),
                           tf.map_fn(sparse.from_dense, tf.eye(3), fn_output_signature=tf.SparseTensorSpec([3], tf.float32)),
                           tf.map_fn(sparse.reduce_sum, a(), fn_output_signature=tf.int32)],
        'map_values': lambda: [sparse.map_values(tf.abs, f()), sparse.map_values(tf.add, f(), 5.), sparse.map_values(tf.add, f(), f())],
        'map_error': lambda: sparse.map_values(tf.abs, [1]),
        'mask': lambda: sparse.mask(tf.IndexedSlices([[1, 2], [3, 4], [5, 6]], [0, 4, 2], [6, 2]), [4, 0]),
        'extremes': lambda: [sparse.maximum(a(), b()), sparse.minimum(a(), b()), sparse.maximum(f(), f())],
        'reduce_max': lambda: [sparse.reduce_max(f()), sparse.reduce_max(f(), 0), sparse.reduce_max(f(), 1), sparse.reduce_max(
            f(), 1, keepdims=True), sparse.reduce_max(f(), 0, output_is_sparse=True), sparse.reduce_max(d3(), [0, 2])],
        'reduce_sum': lambda: [sparse.reduce_sum(a()), sparse.reduce_sum(a(), 0), sparse.reduce_sum(a(), -1), sparse.reduce_sum(
            a(), [0, 1]), sparse.reduce_sum(a(), 1, keepdims=True), sparse.reduce_sum(a(), 1, output_is_sparse=True)],
        'reduce_sum_of_all': lambda: [sparse.reduce_sum(a(), [0, 1], output_is_sparse=True), sparse.reduce_max(
            a(), output_is_sparse=True), sparse.reduce_sum(a(), output_is_sparse=True, keepdims=True)],
        'reorder': lambda: sparse.reorder(S([[2, 0], [0, 1]], [1, 2], [3, 2])),
        'reset_shape': lambda: [sparse.reset_shape(a()), sparse.reset_shape(a(), [5, 6])],
        'reset_shape_error': lambda: sparse.reset_shape(a(), [2, 6]),
        'reshape': lambda: [sparse.reshape(a(), [4, 3]), sparse.reshape(a(), [-1]), sparse.reshape(a(), [2, -1])],
        'reshape_error': lambda: sparse.reshape(a(), [5, 5]),
        'retain': lambda: sparse.retain(a(), [True, False, True]),
        'retain_error': lambda: sparse.retain(a(), [True]),
        'segments': lambda: [sparse.segment_sum([[1., 2.], [3., 4.], [5., 6.]], [0, 2, 1], [0, 0, 1]),
                             sparse.segment_mean([[1., 2.], [3., 4.], [5., 6.]], [0, 2, 1], [0, 0, 2]),
                             sparse.segment_sqrt_n([[1., 2.], [3., 4.], [5., 6.]], [0, 2, 1], [0, 0, 1]),
                             sparse.segment_sum([[1, 2], [3, 4]], [0, 1], [0, 2], num_segments=4)],
        'slice': lambda: [sparse.slice(a(), [0, 0], [2, 2]), sparse.slice(a(), [1, 0], [5, 4])],
        'softmax': lambda: sparse.softmax(f()),
        'matmul': lambda: [sparse.sparse_dense_matmul(f(), tf.ones([4, 2])), sparse.sparse_dense_matmul(f(), tf.ones([3, 2]), adjoint_a=True),
                           sparse.sparse_dense_matmul(tf.ones([2, 3]), f()), sparse.sparse_dense_matmul(f(), tf.ones([2, 4]), adjoint_b=True)],
        'matmul_error': lambda: sparse.sparse_dense_matmul(f(), tf.ones([3, 2])),
        'split': lambda: sparse.split(a(), 2, 1),
        'split_error': lambda: sparse.split(a(), 0, 1),
        'to_dense': lambda: [sparse.to_dense(a()), sparse.to_dense(a(), 7), sparse.to_dense(t()), sparse.to_dense(t(), '-')],
        'to_dense_order_error': lambda: sparse.to_dense(S([[2, 0], [0, 1]], [1, 2], [3, 2])),
        'to_dense_unordered': lambda: sparse.to_dense(S([[2, 0], [0, 1]], [1, 2], [3, 2]), validate_indices=False),
        'to_indicator': lambda: sparse.to_indicator(a(), 4),
        'transpose': lambda: [sparse.transpose(a()), sparse.transpose(d3(), [2, 0, 1])],
        'cross': lambda: [sparse.cross([t(), tf.constant([['1'], ['2'], ['3']])]), sparse.cross([t(), t()], separator='_'), sparse.cross(
            [tf.constant([[1, 2]]), tf.constant([['a', 'b']])])],
        'cross_hashed': lambda: [sparse.cross_hashed([t(), tf.constant([['1'], ['2'], ['3']])], num_buckets=100), sparse.cross_hashed(
            [t(), t()]), sparse.cross_hashed([tf.constant([[1, 2]]), tf.constant([['a', 'b']])], num_buckets=50, hash_key=7)],
        'operators': lambda: [f() * 2., f() / [[2.], [1.], [4.]], f() * tf.ones([3, 4])],
        'unary': lambda: [tf.abs(f()), tf.square(f()), tf.cast(f(), tf.int32)],
        'type_error': lambda: sparse.reduce_sum([1]),
        'intersection': lambda: [tf.sets.intersection([[1, 2, 3], [4, 5, 5]], [[2, 3, 9], [5, 6, 7]]), tf.sets.intersection(a(), a())],
        'union': lambda: tf.sets.union([[1, 2], [4, 4]], [[2, 9], [5, 6]]),
        'difference': lambda: [tf.sets.difference([[1, 2, 3], [4, 5, 5]], [[2, 3, 9], [5, 6, 7]]),
                               tf.sets.difference([[1, 2, 3]], [[2, 5, 9]], aminusb=False)],
        'set_size': lambda: tf.sets.size(S([[0, 0], [0, 1], [2, 0]], [1, 1, 2], [3, 2])),
        'sets_strings': lambda: tf.sets.union([['a', 'b']], [['b', 'c']]),
        'sets_error': lambda: tf.sets.union([[1, 2]], [[1], [2]]),
        'sets_type_error': lambda: tf.sets.union([[1, 2]], [['a']]),
        'serialize': lambda: [tf.io.serialize_sparse(a()), tf.io.serialize_many_sparse(d3())],
        'deserialize': lambda: [tf.io.deserialize_many_sparse(tf.stack([tf.io.serialize_sparse(f()) for _ in range(2)]),
                                                              tf.float32),
                                tf.io.deserialize_many_sparse(tf.io.serialize_many_sparse(d3()), tf.float32, rank=3),
                                tf.io.deserialize_many_sparse(tf.stack([
                                    tf.io.serialize_sparse(t()), tf.io.serialize_sparse(S([[4, 0]], ['z'], [5, 1]))]),
                                    tf.string)],
        'serialize_error': lambda: tf.io.serialize_sparse(tf.constant([1])),
        'deserialize_error': lambda: tf.io.deserialize_many_sparse(tf.constant(['a']), tf.int32),
        'gradient': lambda: _gradient(tf, f()),
        **_misfits(tf),
        **_reshaped(tf),
    }


def _misfits(tf):
    """Indices outside of the shape, and operands of several shapes."""
    a, wide = tf.SparseTensor([[0, 1], [1, 2]], [1., 2.], [2, 3]), tf.SparseTensor([[0, 0]], [1.], [2, 4])
    product, add, ones = tf.sparse.sparse_dense_matmul, tf.sparse.add, tf.ones
    half = tf.sparse.from_dense(tf.cast(tf.reshape(tf.range(600) % 7, [2, 300]) / 7, tf.float16))
    mixed = tf.SparseTensor([[1, 3], [0, 2], [1, 0], [3, 1]], [1., 2., 3., 4.], [5, 4])
    calls = {
        'repeated': lambda: tf.sparse.to_dense(tf.SparseTensor([[0, 1], [0, 1]], [1., 2.], [2, 3]), validate_indices=False),
        'repeated_texts': lambda: tf.sparse.to_dense(tf.SparseTensor([[0], [0]], ['a', 'b'], [2]), validate_indices=False),
        'concat_ranks': lambda: tf.sparse.concat(0, [a, tf.SparseTensor([[1]], [5.], [3])]),
        **{f'reduce_{axis}': lambda axis=axis: tf.sparse.reduce_sum(a, axis) for axis in (2, 5, -3, -1)},
        **{f'perm_{"".join(map(str, perm))}': lambda perm=perm: tf.sparse.transpose(a, perm) for perm in ([0], [1, 0, 2], [-1, 0], [1, 0])},
        **{f'slice_{i}': lambda part=part: tf.sparse.slice(a, *part) for i, part in enumerate((
            ([0], [1]), ([0, 0], [-1, 2]), ([1, 1], [5, 5]), ([0, 0, 0], [1, 1, 1])))},
        'rows_filled': lambda: list(tf.sparse.fill_empty_rows(mixed, 9.)),
        'concat': lambda: tf.sparse.concat(0, [a, wide]), 'concat_wide': lambda: tf.sparse.concat(0, [a, wide], True),
        'concat_axis': lambda: tf.sparse.concat(-3, [a, a]), 'concat_last': lambda: tf.sparse.concat(-1, [a, wide]),
        'add_whole': lambda: add(a, ones([2, 4])), 'add': lambda: add(a, wide), 'maximum': lambda: tf.sparse.maximum(a, wide),
        'matmul': lambda: product(a, ones([2, 2])), 'matmul_turned': lambda: product(a, ones([3, 2]), adjoint_b=True),
        'half': lambda: tf.cast(product(half, tf.cast(tf.reshape(tf.range(300) % 5, [300, 1]) / 5, tf.float16)), tf.float32),
    }
    for place in ([0, 10], [5, 1], [-1, 1], [0, -1]):
        outside = tf.SparseTensor([place, [1, 2]], [1., 2.], [2, 3])
        name = '_'.join(map(str, place))
        calls['matmul_' + name] = lambda outside=outside: product(outside, ones([3, 2]))
        calls['matmul_turned_' + name] = lambda outside=outside: product(outside, ones([2, 2]), adjoint_a=True)
    return {f'misfit_{name}': call for name, call in calls.items()}


def _reshaped(tf):
    """tf.sparse.reshape with sizes left open and with sizes of zero."""
    full, empty = tf.SparseTensor([[0, 0, 1], [1, 2, 3]], [1., 2.], [2, 3, 4]), tf.SparseTensor(
        tf.zeros([0, 3], tf.int64), tf.zeros([0]), [1, 2, 0])
    found = {}
    for name, value, shapes in (('full', full, ([-1, 4], [24], [2, -1], [6, 4, 1], [-1, 7], [2, -1, -1], [5, 5], [-1, 0], [-2, 12])),
                                ('empty', empty, ([0], [0, 5], [-1, 5], [-1, 0], [2, -1, 0], [3]))):
        for i, shape in enumerate(shapes):
            later = tf.function(tf.sparse.reshape, input_signature=[
                tf.SparseTensorSpec([None] * 3, tf.float32), tf.TensorSpec([None], tf.int64)])
            found[f'reshape_{name}_{i}'] = lambda value=value, shape=shape: tf.sparse.reshape(value, shape)
            found[f'reshape_{name}_{i}_later'] = lambda later=later, value=value, shape=shape: later(
                value, tf.constant(shape, tf.int64))
    return found


def t_int(tf):
    return tf.SparseTensor([[0, 0], [3, 1]], [7, 8], [4, 2])


def _gradient(tf, given):
    weights = tf.constant([[1., 2.], [3., 4.], [5., 6.], [7., 8.]])
    with tf.GradientTape() as tape:
        tape.watch([given.values, weights])
        total = tf.reduce_sum(tf.sparse.sparse_dense_matmul(given, weights) ** 2)
    return tape.gradient(total, [given.values, weights])


EAGER_ONLY = ()
