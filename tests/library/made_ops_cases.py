"""Ops that are made of others: glimpses, gradients of pooling and of convolutions by name, crossed features, names of files,
transforms of tensors of unknown rank, functions of tf.linalg for operators, strings in values of ragged tensors."""


def cases(tf):
    v1, raw = tf.compat.v1, tf.raw_ops
    return {**_glimpses(tf, v1, raw), **_pools(tf, raw), **_convolutions(tf, v1), **_names(raw), **_transforms(tf), **_operators(tf),
            **_scopes(tf, v1), **_values(tf, v1, raw)}


def _glimpses(tf, v1, raw):
    images = tf.reshape(tf.range(1., 121.), [1, 10, 12, 1])

    def glimpse(op, offset, **options):
        options = {'centered': True, 'normalized': True, 'uniform_noise': False, 'noise': 'zero', **options}
        return op(input=images, size=[3, 4], offsets=[offset], **options)

    def made(**options):
        return tf.image.extract_glimpse(**{'input': images, 'size': [3, 3], 'offsets': [[0., 0.]], 'noise': 'zero', **options})

    def later(images, offsets):
        return tf.function(lambda i, o: tf.image.extract_glimpse(i, [3, 2], o, noise='zero'),
                           input_signature=[tf.TensorSpec(None), tf.TensorSpec(None)])(images, offsets)

    def inside(noise):
        """Whether noise lies between the least and the largest element."""
        found = made(offsets=[[1., 1.]], **noise) if 'noise' in noise else v1.image.extract_glimpse(
            images, [3, 3], [[1., 1.]], **noise)
        return tf.reduce_all((found >= 1.) & (found <= 120.))
    found = {}
    for kind, op in (('old', raw.ExtractGlimpse), ('new', raw.ExtractGlimpseV2)):
        for centered in (False, True):
            found[f'glimpse_{kind}_{centered}'] = lambda op=op, centered=centered: [
                glimpse(op, o, centered=centered) for o in ([0., 0.], [.4, -.6], [-1.1, .9])] + [
                glimpse(op, o, centered=centered, normalized=False) for o in ([0., 0.], [3.6, 2.5], [-2.7, 9.2], [8.5, -4.])]
    return {**found,
            'glimpse_later': lambda: later(images, [[0., .5]]),
            'glimpse_batch': lambda: tf.image.extract_glimpse(tf.tile(images, [2, 1, 1, 2]), [2, 2], [[0., 0.], [.5, 1.]], noise='zero'),
            'glimpse_empty': lambda: made(size=[0, 3]),
            'glimpse_noise': lambda: [inside({'noise': 'uniform'}), inside({'noise': 'gaussian'}), inside({'uniform_noise': True}),
                                      inside({'uniform_noise': False})],
            'glimpse_size_error': lambda: made(size=[3]),
            'glimpse_negative_error': lambda: made(size=[-1, 3]),
            'glimpse_offsets_error': lambda: made(offsets=[1., 1.]),
            'glimpse_batch_error': lambda: made(offsets=[[1., 1.], [2., 2.]]),
            'glimpse_rank_error': lambda: made(input=tf.zeros([2, 2])),
            'glimpse_noise_error': lambda: made(noise='x')}


def _pools(tf, raw):
    image = tf.reshape(tf.cast(tf.range(2 * 6 * 7) * 37 % 23, tf.float32), [2, 6, 7, 1])
    rows, columns = [0, 2, 4, 6], [0, 1, 4, 5, 7]
    back = tf.reshape(tf.range(24.), [2, 3, 4, 1])

    def largest(overlapping):
        more = int(overlapping)
        cells = [[tf.reduce_max(image[:, a:b + more, c:d + more], [1, 2]) for c, d in zip(columns, columns[1:])]
                 for a, b in zip(rows, rows[1:])]
        return tf.transpose(tf.stack([tf.stack(row) for row in cells]), [2, 0, 1, 3])

    def mean_gradient(**options):
        return raw.FractionalAvgPoolGrad(**{'orig_input_tensor_shape': [2, 6, 7, 1], 'out_backprop': back,
                                            'row_pooling_sequence': rows, 'col_pooling_sequence': columns, **options})

    def largest_gradient(overlapping=False, **options):
        return raw.FractionalMaxPoolGrad(**{'orig_input': image, 'orig_output': largest(overlapping), 'out_backprop': back,
                                            'row_pooling_sequence': rows, 'col_pooling_sequence': columns,
                                            'overlapping': overlapping, **options})
    return {
        'pool_means': lambda: [mean_gradient(), mean_gradient(overlapping=True), mean_gradient(out_backprop=tf.cast(back, tf.float64))],
        'pool_largest': lambda: [largest_gradient(), largest_gradient(True)],
        'pool_short_error': lambda: mean_gradient(row_pooling_sequence=[0, 2, 4]),
        'pool_none_error': lambda: mean_gradient(row_pooling_sequence=[]),
        'pool_negative_error': lambda: mean_gradient(row_pooling_sequence=[-1, 2, 4, 6]),
        'pool_shape_error': lambda: mean_gradient(orig_input_tensor_shape=[2, 6, 7]),
        'pool_size_error': lambda: mean_gradient(orig_input_tensor_shape=[-2, 6, 7, 1]),
        'pool_matrix_error': lambda: largest_gradient(col_pooling_sequence=[columns]),
        'pool_order_error': lambda: largest_gradient(row_pooling_sequence=[0, 4, 2, 6]),
        'pool_output_error': lambda: largest_gradient(orig_output=largest(False) + .5),
    }


def _convolutions(tf, v1):
    def numbers(*shape):
        return tf.reshape(tf.cast(tf.range(tf.reduce_prod(shape)) % 7, tf.float32), shape)
    images, filters, back = numbers(2, 5, 5, 2), numbers(3, 3, 2, 3), numbers(2, 3, 3, 3)
    explicit = [[0, 0], [1, 1], [1, 2], [0, 0]]

    def transposed(rate=1, padding='SAME', size=4, filters=filters):
        return tf.nn.atrous_conv2d_transpose(numbers(2, 4, 4, 3), filters, [2, size, size, 2], rate, padding)
    return {
        'conv2d_filter': lambda: [v1.nn.conv2d_backprop_filter(images, [3, 3, 2, 3], back, [1, 1, 1, 1], 'VALID'),
                                  v1.nn.conv2d_backprop_filter(images, [3, 3, 2, 3], numbers(2, 5, 6, 3), [1, 1, 1, 1], explicit)],
        'conv2d_input': lambda: [v1.nn.conv2d_backprop_input([2, 5, 5, 2], filters, back, [1, 1, 1, 1], 'VALID'),
                                 v1.nn.conv2d_backprop_input([2, 5, 5, 2], filters=filters, out_backprop=back, strides=[1, 1, 1, 1],
                                                             padding='VALID')],
        'conv3d_filter': lambda: v1.nn.conv3d_backprop_filter_v2(images[tf.newaxis], [1, 3, 3, 2, 3], back[tf.newaxis],
                                                                 [1, 1, 1, 1, 1], 'VALID'),
        'atrous': lambda: [transposed(rate, padding, 4 if padding == 'SAME' else 4 + 2 * rate)
                           for rate in (1, 2, 3) for padding in ('SAME', 'VALID')],
        'atrous_rate_error': lambda: transposed(0),
        'atrous_channels_error': lambda: transposed(filters=filters[..., :2]),
    }


def _names(raw):
    def crossed(shape=(2, 1), values=('a', 'b'), rows=(0, 1), dense=()):
        return raw.SparseCrossV2(indices=[[[row, 0] for row in rows]], values=[list(values)], shapes=[list(shape)],
                                 dense_inputs=list(dense), sep='&')
    return {
        'crossed': lambda: [crossed(), crossed(dense=[[['x', 'y'], ['z', 'w']]]), crossed(rows=(0, 5))],
        'crossed_rows_error': lambda: crossed((3, 1), dense=[[['x'], ['z']]]),
        'crossed_values_error': lambda: crossed(rows=[0]),
        'sharded': lambda: [raw.ShardedFilename(basename='some', shard=4, num_shards=100),
                            raw.ShardedFilename(basename='some', shard=123456, num_shards=7654321),
                            raw.ShardedFilespec(basename='some', num_shards=100)],
    }


def _transforms(tf):
    """What transforms give for tensors whose rank is known only when they run."""
    signal = tf.signal
    numbers = tf.reshape(tf.cast(tf.range(48) % 7, tf.float32), [2, 2, 3, 4])
    halves = tf.cast(numbers, tf.complex64)

    def later(function, x, *args, **options):
        return tf.function(lambda x: function(x, *args, **options), input_signature=[tf.TensorSpec(None, x.dtype)])(x)

    def parts(x):
        return [tf.math.real(x), tf.math.imag(x)] if x.dtype.is_complex else x
    found = {}
    for count, names in enumerate((('rfft', 'irfft'), ('rfft2d', 'irfft2d'), ('rfft3d', 'irfft3d')), 1):
        for name, x in zip(names, (numbers, halves)):
            found[f'{name}_later'] = lambda name=name, x=x, count=count: [
                parts(later(getattr(signal, name), x, [size] * count)) for size in (5, 2)]
    for kind in (2, 3):
        found[f'dct_{kind}_later'] = lambda kind=kind: [
            later(function, numbers, kind, norm=norm) for function in (signal.dct, signal.idct) for norm in (None, 'ortho')]
    return {**found, 'rfft_all_later': lambda: parts(later(signal.rfft, numbers)),
            'dct_error': lambda: later(signal.dct, numbers, 1, norm='ortho')}


def _operators(tf):
    linalg = tf.linalg
    matrix = [[4., 1., 0.], [1., 3., 1.], [0., 1., 2.]]
    x = tf.reshape(tf.range(6.), [3, 2])
    makers = {'full': lambda: linalg.LinearOperatorFullMatrix(matrix, is_self_adjoint=True, is_positive_definite=True),
              'diagonal': lambda: linalg.LinearOperatorDiag([1., 2., 3.], is_positive_definite=True, is_self_adjoint=True)}

    def dense(value):
        return value.to_dense() if isinstance(value, linalg.LinearOperator) else value
    found = {}
    for name, make in makers.items():
        for function in ('adjoint', 'cholesky', 'det', 'diag_part', 'inv', 'logdet', 'trace'):
            found[f'{name}_{function}'] = lambda make=make, function=function: dense(getattr(linalg, function)(make()))
        found[f'{name}_products'] = lambda make=make: [
            linalg.matmul(make(), x), tf.matmul(tf.transpose(x), make()), linalg.matmul(make(), tf.transpose(x), adjoint_b=True),
            linalg.matmul(x, make(), adjoint_a=True), linalg.matmul(make(), x, adjoint_a=True), dense(linalg.matmul(make(), make()))]
        found[f'{name}_solutions'] = lambda make=make: [
            linalg.solve(make(), x), linalg.solve(make(), x, adjoint=True), dense(linalg.solve(make(), make()))]
        found[f'{name}_transposed_error'] = lambda make=make: linalg.matmul(make(), x, transpose_a=True)
        found[f'{name}_solved_error'] = lambda make=make: linalg.solve(matrix, make())
        found[f'{name}_other_error'] = lambda make=make: linalg.svd(make())
    return {f'operator_{name}': case for name, case in found.items()}


def _scopes(tf, v1):
    def names():
        with tf.Graph().as_default():
            with v1.variable_scope('a') as scope:
                v1.get_variable('w', [2])
                v1.get_variable('u', [], trainable=False)
                with v1.variable_scope('b'):
                    v1.get_variable('w', [2])
                    v1.get_variable('l', [], collections=['local_variables'])
            v1.get_variable('ab', [2])
            found = [[v.name for v in one] for one in (scope.trainable_variables(), scope.global_variables(), scope.local_variables(),
                                                       v1.get_variable_scope().global_variables(), scope.get_collection('none'))]
        return [str(one) for one in found]
    return {'scope_variables': names}


def _values(tf, v1, raw):
    texts = v1.ragged.constant_value([['a b', 'c'], ['d']])
    squares = tf.reshape(tf.range(16.), [1, 4, 4, 1])

    def embedded(combiner, is_weighted):
        """Many rows of float16, whose sum is rounded once."""
        rows = tf.cast(tf.reshape(tf.range(1., 7.) / 10., [3, 2]), tf.float16)
        places = tf.stack([tf.cast(tf.range(3000) // 2000, tf.int64), tf.cast(tf.range(3000) % 2000, tf.int64)], 1)
        ids = tf.SparseTensor(places, tf.range(3000) % 3, [2, 2000])
        weights = tf.SparseTensor(places, tf.cast(tf.range(3000) % 4, tf.float32), [2, 2000]) if is_weighted else None
        return tf.nn.embedding_lookup_sparse(rows, ids, weights, combiner=combiner)
    return {
        'embedded_half': lambda: [embedded(combiner, True) for combiner in ('sum', 'mean', 'sqrtn')] + [
            embedded(combiner, False) for combiner in ('sum', 'mean', 'sqrtn')],
        'value_bytes': lambda: tf.strings.bytes_split(texts),
        'value_words': lambda: tf.strings.split(texts),
        'value_characters': lambda: tf.strings.unicode_decode(texts, 'UTF-8'),
        'max_pool_v2': lambda: raw.MaxPoolV2(input=squares, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding='VALID'),
    }


# Names of variables are no tensors.
EAGER_ONLY = ('scope_variables',)
