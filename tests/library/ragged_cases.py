"""Ragged tensors: made, taken apart, computed with."""


def cases(tf):
    R = tf.RaggedTensor
    c = tf.ragged.constant

    def a():
        return c([[3, 1, 4], [], [5, 9], [2]])

    def f():
        return c([[1., 2.], [], [3.5]])

    def deep():
        return c([[[1, 2], [3]], [], [[], [4, 5, 6]]])

    def inner():
        return R.from_row_splits(tf.reshape(tf.range(8), [4, 2]), [0, 1, 1, 4])

    def words():
        return c([['a', 'bc'], [], ['d']])
    found = {
        'from_row_splits': lambda: R.from_row_splits([1, 2, 3], [0, 1, 1, 3]),
        'from_row_lengths': lambda: R.from_row_lengths([1, 2, 3], [1, 0, 2]),
        'from_row_starts': lambda: R.from_row_starts([1, 2, 3], [0, 1, 1]),
        'from_row_limits': lambda: R.from_row_limits([1, 2, 3], [1, 1, 3]),
        'from_value_rowids': lambda: R.from_value_rowids([1, 2, 3], [0, 2, 2], nrows=4),
        'from_value_rowids_default': lambda: R.from_value_rowids([1, 2, 3], [0, 2, 2]),
        'from_uniform': lambda: R.from_uniform_row_length([1, 2, 3, 4], 2),
        'from_uniform_rows': lambda: R.from_uniform_row_length(tf.zeros([0], tf.int32), 0, nrows=3),
        'from_nested_row_splits': lambda: R.from_nested_row_splits([1, 2, 3], [[0, 2], [0, 1, 3]]),
        'from_nested_row_lengths': lambda: R.from_nested_row_lengths([1, 2, 3], [[2], [1, 2]]),
        'from_nested_value_rowids': lambda: R.from_nested_value_rowids([1, 2, 3], [[0, 0], [0, 1, 1]]),
        'from_tensor': lambda: R.from_tensor([[1, 2, 0], [3, 0, 0]]),
        'from_tensor_lengths': lambda: R.from_tensor([[1, 2, 0], [3, 0, 0]], lengths=[2, 1]),
        'from_tensor_padding': lambda: R.from_tensor([[1, 2, 0], [0, 3, 0]], padding=0),
        'from_tensor_rank2': lambda: R.from_tensor(tf.ones([2, 2, 3], tf.int32), ragged_rank=2),
        'from_tensor_empty': lambda: [R.from_tensor(tf.zeros([1, 0, 0])), R.from_tensor(tf.zeros([2, 0, 3]))],
        'from_tensor_padding_error': lambda: R.from_tensor([[1]], padding=[1]),
        'from_tensor_rank_error': lambda: R.from_tensor([[1]], ragged_rank=0),
        'from_sparse': lambda: R.from_sparse(tf.SparseTensor([[0, 0], [2, 0], [2, 1]], [1, 2, 3], [3, 4])),
        'from_sparse_error': lambda: R.from_sparse(tf.SparseTensor([[0, 1]], [1], [3, 4])),
        'bad_splits_start': lambda: R.from_row_splits([1, 2, 3], [1, 3]),
        'bad_splits_end': lambda: R.from_row_splits([1, 2, 3], [0, 2]),
        'bad_splits_order': lambda: R.from_row_splits([1, 2, 3], [0, 2, 1, 3]),
        'bad_splits_dtype': lambda: R.from_row_splits([1, 2, 3], [0., 3.]),
        'constant_dtype': lambda: c([[1, 2], [3]], dtype=tf.float32),
        'constant_empty': lambda: c([[], []]),
        'constant_inner': lambda: c([[[1, 2]], [[3, 4], [5, 6]]], ragged_rank=1),
        'constant_error': lambda: c([[1, [2]]]),
        'constant_no_numbers': lambda: [c([], ragged_rank=1), c([[], []], ragged_rank=2), c([[], [[]]]), c([], dtype=tf.string)],
        'constant_uniform': lambda: [c([[[1, 2], [3, 4]], []], inner_shape=(2,)), c([[[1, 2]], [[3, 4]]], ragged_rank=1),
                                     c([[[]]], inner_shape=(0,))],
        'constant_depth_error': lambda: c([[1, []]]),
        'constant_rank_error': lambda: c([1, 2], ragged_rank=1),
        'constant_rows_error': lambda: c([[[1], [2, 3]]], ragged_rank=1),
        'constant_inner_error': lambda: c([[[1], [2, 3]]], inner_shape=(2,)),
        'shape': lambda: [str(a().shape), str(deep().shape), str(inner().shape), str(R.from_uniform_row_length(a(), 2).shape)],
        'ranks': lambda: [a().ragged_rank, deep().ragged_rank, inner().ragged_rank, tf.rank(deep())],
        'parts': lambda: [a().values, a().row_splits, a().row_lengths(), a().row_starts(), a().row_limits(), a().value_rowids(),
                          a().nrows(), deep().flat_values],
        'nested': lambda: [deep().nested_row_splits, deep().nested_row_lengths(), deep().nested_value_rowids()],
        'row_lengths_axis': lambda: deep().row_lengths(axis=2),
        'row_lengths_axes': lambda: [deep().row_lengths(axis=i) for i in (0, 1, -1, -2, -3)],
        'row_lengths_inner': lambda: inner().row_lengths(axis=2),
        'row_lengths_error': lambda: a().row_lengths(axis=2),
        'bounding': lambda: [a().bounding_shape(), deep().bounding_shape(), inner().bounding_shape(), a().bounding_shape(axis=1)],
        'to_tensor': lambda: [a().to_tensor(), deep().to_tensor(-1), words().to_tensor(), inner().to_tensor()],
        'to_tensor_shape': lambda: [a().to_tensor(shape=[None, 2]), a().to_tensor(shape=[5, 5], default_value=7)],
        'to_sparse': lambda: [a().to_sparse(), deep().to_sparse(), words().to_sparse()],
        'with_values': lambda: [a().with_values(tf.range(6)), deep().with_flat_values(tf.range(6))],
        'with_values_error': lambda: a().with_values(tf.range(5)),
        'splits_dtype': lambda: a().with_row_splits_dtype(tf.int32).row_splits,
        'merge': lambda: [deep().merge_dims(0, 1), deep().merge_dims(1, 2), deep().merge_dims(0, 2), inner().merge_dims(1, 2)],
        'merge_error': lambda: deep().merge_dims(2, 1),
        'rows': lambda: [a()[0], a()[-1], deep()[0], deep()[2]],
        'row_slices': lambda: [a()[1:], a()[:2], a()[::2], a()[::-1], a()[-2:]],
        'inner_slices': lambda: [a()[:, :2], a()[:, 1:], a()[:, -1:], a()[:, :-1], a()[:, ::2], a()[:, ::-1], a()[:, 2:0:-1]],
        'items': lambda: [a()[0, 1], deep()[0, 0], deep()[2, 1, 0], inner()[2, 0], inner()[:, :, 0], deep()[:, :, 1:]],
        'newaxis': lambda: [a()[tf.newaxis], a()[:, tf.newaxis], a()[:, :, tf.newaxis], a()[..., tf.newaxis]],
        'ellipsis': lambda: [a()[...], a()[..., :1], deep()[..., :1], inner()[..., 0]],
        'inner_index_error': lambda: a()[:, 0],
        'row_index_error': lambda: a()[9],
        'tensor_index': lambda: a()[tf.constant(2)],
        'add': lambda: [a() + a(), a() + 1, 1 + a(), a() - 1, 10 - a(), a() * 2, f() / 2, 2 / f(), a() // 2, a() % 2, a() ** 2],
        'add_column': lambda: a() + [[10], [20], [30], [40]],
        'add_rows_error': lambda: a() + c([[1, 2], [], [3, 4], [5]]),
        'add_count_error': lambda: a() + c([[3, 1, 4], [], [5, 9]]),
        'add_deep': lambda: [deep() * 2, deep() + deep(), deep() + [[[10]], [[20]], [[30]]]],
        'add_ones_error': lambda: deep() + c([[[10]], [], [[20]]]),
        'add_inner': lambda: [inner() + [10, 20], inner() * 2, inner() + [[[1, 2]], [[3, 4]], [[5, 6]]]],
        'add_uniform': lambda: a() + R.from_uniform_row_length([10, 20, 30, 40], 1),
        'compare': lambda: [a() > 2, a() <= 2, a() == a(), a() != 3, tf.equal(a(), 3)],
        'logic': lambda: [(a() > 2) & (a() < 5), (a() > 2) | (a() < 2), ~(a() > 2), (a() > 2) ^ (a() < 5)],
        'unary_operators': lambda: [-a(), abs(-a())],
        'truth_error': lambda: bool(a()),
        'unary': lambda: [tf.abs(-a()), tf.square(a()), tf.exp(f()), tf.sqrt(f()), tf.math.log(f()), tf.sigmoid(f()), tf.nn.relu(-f()),
                          tf.cast(a(), tf.float32), tf.identity(a()), tf.zeros_like(a()), tf.ones_like(f()), tf.round(f()),
                          tf.math.is_nan(f()), tf.sign(f()), tf.tanh(f())],
        'binary': lambda: [tf.add(a(), a()), tf.maximum(a(), 3), tf.minimum(3, a()), tf.math.floordiv(a(), 2), tf.pow(f(), 2.),
                           tf.math.squared_difference(f(), 1.), tf.math.divide_no_nan(f(), 0.), tf.logical_and(a() > 1, a() < 5)],
        'add_n': lambda: tf.add_n([a(), a(), a()]),
        'clip': lambda: tf.clip_by_value(a(), 2, 4),
        'keywords': lambda: [tf.add(x=a(), y=a()), tf.square(x=a())],
        'dtype_error': lambda: tf.add(a(), f()),
        'sum': lambda: [tf.reduce_sum(a()), tf.reduce_sum(a(), axis=0), tf.reduce_sum(a(), axis=1), tf.reduce_sum(a(), axis=-1),
                        tf.reduce_sum(a(), [0, 1])],
        'sum_keep': lambda: [tf.reduce_sum(a(), axis=1, keepdims=True), tf.reduce_sum(a(), axis=0, keepdims=True)],
        'sum_deep': lambda: [tf.reduce_sum(deep(), axis=0), tf.reduce_sum(deep(), axis=1), tf.reduce_sum(deep(), axis=2),
                             tf.reduce_sum(deep(), [1, 2]), tf.reduce_sum(inner(), axis=2), tf.reduce_sum(inner(), axis=1)],
        'mean': lambda: [tf.reduce_mean(f()), tf.reduce_mean(f(), axis=0), tf.reduce_mean(f(), axis=1), tf.reduce_mean(f()[:1], 1)],
        'extremes': lambda: [tf.reduce_max(a(), axis=1), tf.reduce_min(a(), axis=0), tf.reduce_max(a()), tf.reduce_prod(a(), axis=1)],
        'flags': lambda: [tf.reduce_any(a() > 4, axis=1), tf.reduce_all(a() > 1, axis=1), tf.reduce_all(a() > 0)],
        'spread': lambda: [tf.math.reduce_variance(f()[:1], axis=1), tf.math.reduce_std(f()[:1], axis=1), tf.math.reduce_variance(f())],
        'axis_error': lambda: tf.reduce_sum(a(), axis=2),
        'concat0': lambda: [tf.concat([a(), a()], 0), tf.concat([deep(), deep()], 0), tf.concat([a(), [[7, 7]]], 0)],
        'concat1': lambda: [tf.concat([a(), a()], 1), tf.concat([deep(), deep()], 1), tf.concat([a(), [[7], [8], [9], [0]]], axis=1)],
        'concat2': lambda: [tf.concat([deep(), deep()], 2), tf.concat([inner(), inner()], axis=2), tf.concat([a(), a()], -1)],
        'concat_error': lambda: tf.concat([a(), deep()], 0),
        'stack': lambda: [tf.stack([a(), a()]), tf.stack([a(), a()], axis=1), tf.stack([a(), a()], axis=2)],
        'ragged_stack': lambda: [tf.ragged.stack([[1, 2], [3]]), tf.ragged.stack([a(), a()]), tf.ragged.stack([1, 2])],
        'gather': lambda: [tf.gather(a(), [2, 0]), tf.gather(a(), 2), tf.gather(a(), [[0], [2]]), tf.gather(deep(), [2, 2])],
        'gather_ragged': lambda: [tf.gather(tf.range(10) * 2, a()), tf.gather(a(), c([[0], [2, 3]]))],
        'gather_columns': lambda: [tf.gather(tf.reshape(tf.range(12), [2, 3, 2]), tf.ragged.constant(i), axis=axis)
                                   for i in ([[1], [0, 1, 1]], [[[1], [0, 1, 1]], [[0]]]) for axis in (1, 2, -1)],
        'gather_batch': lambda: tf.gather(a(), c([[0, 2], [], [1], [0]]), batch_dims=1),
        'gather_nd': lambda: [tf.gather_nd(a(), [[0], [2]]), tf.gather_nd(a(), [[0, 1], [3, 0]]), tf.gather_nd(deep(), [[2, 1]])],
        'tile': lambda: [tf.tile(a(), [2, 1]), tf.tile(a(), [1, 2]), tf.tile(deep(), [1, 1, 2]), tf.tile(inner(), [1, 2, 2])],
        'tile_error': lambda: tf.tile(a(), [2]),
        'expand': lambda: [tf.expand_dims(a(), 0), tf.expand_dims(a(), 1), tf.expand_dims(a(), 2), tf.expand_dims(a(), -1)],
        'squeeze': lambda: [tf.squeeze(tf.expand_dims(a(), 1), [1]), tf.squeeze(tf.expand_dims(a(), 0), [0])],
        'where': lambda: [tf.where(a() > 2), tf.where(a() > 2, a(), -a()), tf.where(a() > 2, a(), 0)],
        'size': lambda: [tf.size(a()), tf.size(deep())],
        'reverse': lambda: [tf.reverse(a(), [0]), tf.reverse(a(), [1]), tf.reverse(deep(), [0, 2])],
        'mask': lambda: [tf.ragged.boolean_mask(a(), a() > 2), tf.ragged.boolean_mask(a(), [True, False, True, False]),
                         tf.ragged.boolean_mask([[1, 2], [3, 4]], [[True, False], [True, True]])],
        'plain_mask': lambda: tf.boolean_mask(a(), a() > 2),
        'one_hot': lambda: tf.one_hot(c([[0, 1], [2]]), 3),
        'softmax': lambda: tf.nn.softmax(f()),
        'range': lambda: [tf.ragged.range([1, 2, 3]), tf.ragged.range([0, 5], [3, 8]), tf.ragged.range([0, 5], 9, 2)],
        'map_flat': lambda: tf.ragged.map_flat_values(tf.add, a(), 1),
        'ids': lambda: [tf.ragged.row_splits_to_segment_ids([0, 3, 3, 5]), tf.ragged.segment_ids_to_row_splits([0, 0, 2], 4)],
        'stack_partitions': lambda: tf.ragged.stack_dynamic_partitions(['a', 'b', 'c', 'd'], [2, 0, 2, 3], 4),
        'stack_partitions_deep': lambda: [
            tf.ragged.stack_dynamic_partitions([['a', 'b'], ['c', 'd']], [[2, 0], [2, 3]], 4),
            tf.ragged.stack_dynamic_partitions(deep(), [1, 0, 1], 3),
            tf.ragged.stack_dynamic_partitions(a(), c([[1, 0, 1], [], [0, 2], [1]]), 3)],
        'stack_partitions_range_error': lambda: tf.ragged.stack_dynamic_partitions(['a', 'b', 'c'], [2, 10, 0], 3),
        'stack_partitions_sign_error': lambda: tf.ragged.stack_dynamic_partitions(['a', 'b', 'c'], [2, -1, 0], 3),
        'stack_partitions_shape_error': lambda: tf.ragged.stack_dynamic_partitions([['a'], ['b']], [[1, 2], [0, 1]], 3),
        'stack_partitions_rows_error': lambda: tf.ragged.stack_dynamic_partitions(c([['a', 'b'], ['c']]), c([[1], [0, 1]]), 3),
        'dynamic_partition': lambda: [tf.dynamic_partition(a(), [1, 0, 1, 0], 2), tf.dynamic_partition(words(), [0, 0, 1], 3)],
        'segments': lambda: [f(a(), [1, 0, 1, 0], 3) for f in (tf.math.unsorted_segment_sum, tf.math.unsorted_segment_prod,
                                                               tf.math.unsorted_segment_max, tf.math.unsorted_segment_min)],
        'segments_mean': lambda: [mean(f(), [1, 0, 1], 2) for mean in (tf.math.unsorted_segment_mean,
                                                                       tf.math.unsorted_segment_sqrt_n)],
        'segments_of_elements': lambda: tf.math.unsorted_segment_sum(a(), c([[1, 0, 1], [], [0, 2], [1]]), 3),
        'segments_error': lambda: tf.math.unsorted_segment_sum(a(), c([[1, 0], [], [0, 2], [1]]), 3),
        'cumsum': lambda: [tf.cumsum(a(), axis=1), tf.cumsum(a(), axis=0), tf.cumsum(a(), 1, exclusive=True),
                           tf.cumsum(a(), -1, reverse=True), tf.cumsum(a(), 1, True, True), tf.cumsum(deep(), 2),
                           tf.cumsum(inner(), 2), tf.cumsum(inner(), 1)],
        'strings': lambda: [tf.strings.length(words()), tf.strings.upper(words()), tf.strings.substr(words(), 0, 1),
                            tf.strings.join([words(), words()], '-'), tf.strings.reduce_join(words(), axis=1, separator=' '),
                            tf.strings.reduce_join(words(), axis=-1), tf.strings.regex_replace(words(), 'a', 'x'),
                            tf.strings.to_hash_bucket_fast(words(), 10), tf.strings.as_string(a())],
        'map_fn': lambda: tf.map_fn(lambda row: tf.reduce_sum(row), a(), fn_output_signature=tf.int32),
        'map_fn_ragged': lambda: tf.map_fn(lambda row: row * 2, a(), fn_output_signature=tf.RaggedTensorSpec([None], tf.int32)),
        'map_fn_rows': lambda: tf.map_fn(lambda rows: tf.size(rows.flat_values), tf.ragged.constant([[[1], [2, 3]], []]),
                                         fn_output_signature=tf.int32),
        'gradient': lambda: _gradient(tf, f()),
        'stack_whole': lambda: tf.ragged.stack([tf.ones([2, 3]), tf.ones([1, 2])]).row_splits,
        'other_rows': lambda: [tf.stack([a(), a()], 2), tf.concat([deep(), deep()], 2), tf.math.reduce_variance(f(), keepdims=True)],
        'stack_rows_error': lambda: tf.stack([c([[1, 2], [3]]), c([[1], [2, 3]])], 2),
        'stack_count_error': lambda: tf.stack([c([[1, 2], [3]]), c([[1], [2], [3]])], -1),
        'concat_rows_error': lambda: tf.concat([c([[[1, 2]], [[3], [4]]]), c([[[1], [2]], [[4]]])], 2),
        'concat_inner_error': lambda: tf.concat([R.from_row_splits(tf.ones([3, 2]), [0, 1, 3]), R.from_row_splits(tf.ones([3, 2]), [0, 2, 3])], 2),
        'add_count_error': lambda: c([[1], [2], [3]]) + [[1], [2]],
        'where_count_error': lambda: tf.where([[True], [False]], c([[1], [2], [3]]), 0),
        **_products(tf),
        **_filled(tf),
        **_divided(tf),
        **_masks(tf),
        **_arrays(tf),
        **_texts(tf),
        **_flat(tf),
        **_gathers(tf),
        'text': lambda: repr(a()),
        'spec': lambda: [str(tf.type_spec_from_value(a())), str(tf.type_spec_from_value(inner()))],
        'nest': lambda: tf.nest.map_structure(lambda x: x + 1, {'r': a()}),
        'len_error': lambda: tf.autograph.experimental.do_not_convert(len)(a()),  # AutoGraph's len counts rows
        'iterate': lambda: [r for r in a()],
    }
    return found


def _divided(tf):
    """Numbers that do not divide three values into rows: known ones, and ones that the graph learns when it runs."""
    R = tf.RaggedTensor
    whole = [[1, 2, 3], [4, 5, 6]]
    wrong = {
        'splits': (R.from_row_splits, [[1, 3], [0, 2, 1, 3], [0, 2], []]),
        'lengths': (R.from_row_lengths, [[4, -1], [1, 1], [3, 1]]),
        'starts': (R.from_row_starts, [[1, 2], [0, 2, 1], [0, 5]]),
        'limits': (R.from_row_limits, [[1, 2], [2, 1, 3], [-1, 3]]),
        'rowids': (R.from_value_rowids, [[1, 0, 2], [0, 1], [-1, 0, 1]]),
        'rowids_of_two': (lambda v, p: R.from_value_rowids(v, p, nrows=2), [[0, 1, 2], [0, 0, 1]]),
        'rowids_of_minus_two': (lambda v, p: R.from_value_rowids(v, p, nrows=-2), [[0, 1, 2]]),
        'uniform': (R.from_uniform_row_length, [2, -1, 0, 3]),
        'uniform_of_two': (lambda v, p: R.from_uniform_row_length(v, p, nrows=2), [1]),
        'lengths_of_a_tensor': (lambda v, p: R.from_tensor(whole, lengths=p), [[1, 2, 3], [-1, 2], [7, 2]]),
    }
    found = {}
    for name, (make, places) in wrong.items():
        for i, p in enumerate(places):
            rank = 0 if isinstance(p, int) else 1
            later = tf.function(make, input_signature=[tf.TensorSpec([None], tf.int32), tf.TensorSpec([None] * rank, tf.int64)])
            found[f'divided_{name}_{i}'] = lambda make=make, p=p: make(tf.constant([1, 2, 3]), p)
            found[f'divided_{name}_{i}_later'] = lambda later=later, p=p: later(tf.constant([1, 2, 3]), tf.constant(p, tf.int64))
    return found


def _masks(tf):
    """tf.ragged.boolean_mask, also with a mask of other rows."""
    c, mask = tf.ragged.constant, tf.ragged.boolean_mask
    two = [[1, 2], [3]]
    deep = [[[1, 2], [3]], [[4]]]
    pairs = [
        (c(two), c([[True, False], [True]])), (c(two), [True, False]), ([1, 2], [True, False]),
        (c(deep), c([[True, False], [False]])), (c(deep), c([[[True, False], [True]], [[False]]])),
        ([[[1, 2], [3, 4]], [[5, 6], [7, 8]]], c([[[True, False], [False, True]], [[True, True], [False, False]]], ragged_rank=1)),
        (c([[[1, 2]], [[3, 4], [5, 6]]], ragged_rank=1), c([[True], [False, True]])),
        (c(two), c([[True], [False, True]])), (c(two), c([[True, False], [False, True]])), (c(two), [True]),
        (c(two), [True, False, True]), ([[1, 2], [3, 4]], [True]), (c(two), [[True, False], [False, True]]),
        ([[1, 2], [3, 4]], [[True], [False]]), (c(deep), c([[[True, False], [True]], [[False], [False]]])), (c(two), True),
        (5, [True]), (c(two), c([[1, 0], [1]]))]
    return {f'boolean_mask_{i}': lambda pair=pair: mask(*pair) for i, pair in enumerate(pairs)}


def _arrays(tf):
    """A ragged tensor of arrays as an argument."""
    def a():
        return tf.compat.v1.ragged.constant_value([[1], [2, 3]])

    def flags():
        return tf.compat.v1.ragged.constant_value([[True], [False, True]])
    calls = {
        'add': lambda: tf.add(a(), a()), 'add_number': lambda: tf.add(a(), 1), 'abs': lambda: tf.abs(a()),
        'concat': lambda: tf.concat([a(), a()], axis=1), 'reduce': lambda: tf.reduce_sum(a(), 1), 'rows': lambda: tf.gather(a(), [1]),
        'places': lambda: tf.gather([1, 2, 3, 4], a()), 'stack': lambda: [tf.stack([a(), a()]), tf.ragged.stack([a(), a()])],
        'where': lambda: tf.where(flags(), a(), a()), 'mask': lambda: tf.ragged.boolean_mask(a(), flags()),
        'values': lambda: tf.RaggedTensor.from_row_splits(a(), [0, 2]), 'flat': lambda: tf.ragged.map_flat_values(tf.negative, a()),
        'left': lambda: a() + tf.ragged.constant([[1], [2, 3]]), 'right': lambda: tf.ragged.constant([[1], [2, 3]]) - a(),
        'matmul': lambda: tf.matmul(tf.compat.v1.ragged.constant_value([[1, 2]]), [[3], [4]]),
        'cross': lambda: tf.ragged.cross([tf.compat.v1.ragged.constant_value([['a'], ['b', 'c']]), tf.constant([['x'], ['y']])]),
        'tensor_error': lambda: tf.convert_to_tensor(a()), 'map_error': lambda: tf.map_fn(tf.abs, a()),
    }
    return {f'arrays_{name}': call for name, call in calls.items()}


def _flat(tf):
    """tf.ragged.map_flat_values of ragged tensors with other rows, and with results of another size."""
    c, mapped = tf.ragged.constant, tf.ragged.map_flat_values
    pairs = [([[1], [2, 3]], [[1], [2, 3]]), ([[1], [2, 3]], [[1, 2], [3]]), ([[1], [2, 3]], [[1, 2, 3]]),
             ([[[1]], [[2, 3]]], [[[1]], [[2, 3]]]), ([[1], [2, 3]], [[[1], [2, 3]]])]
    found = {f'map_flat_{i}': lambda pair=pair: mapped(tf.add, c(pair[0]), c(pair[1])) for i, pair in enumerate(pairs)}
    later = tf.function(lambda x, y: mapped(tf.add, x, y), input_signature=[tf.RaggedTensorSpec([None, None], tf.int32)] * 2)
    found.update({f'map_flat_{i}_later': lambda pair=pair: later(c(pair[0]), c(pair[1])) for i, pair in enumerate(pairs[:3])})
    even = tf.RaggedTensor.from_uniform_row_length(c([[1, 2], [3]]), 2)
    found['map_flat_uniform'] = lambda: [mapped(tf.add, even, c([[[1, 2], [3]]])), mapped(tf.add, c([[[1, 2], [3]]]), even),
                                         mapped(tf.add_n, [even, even])]
    return {**found, 'map_flat_first': lambda: mapped(lambda x: x[:1], c([[1], [2, 3]])),
            'map_flat_sum': lambda: mapped(tf.reduce_sum, c([[1], [2, 3]])),
            'map_flat_splits': lambda: mapped(tf.add, c([[1]]), c([[1]], row_splits_dtype=tf.int32))}


def _gathers(tf):
    """tf.gather and tf.gather_nd of ragged tensors along all axes, with whole and ragged indices, in batches."""
    c, found = tf.ragged.constant, {}
    given = {'two': lambda: c([[1, 2, 3], [4, 5]]), 'deep': lambda: c([[[1, 2], [3]], [[4], [5, 6], [7]]]),
             'inner': lambda: c([[[1, 2], [3, 4]], [[5, 6], [7, 8], [9, 10]]], ragged_rank=1)}
    places = {'number': lambda: 0, 'vector': lambda: [0, 1], 'matrix': lambda: [[0, 1], [1, 0]], 'ragged': lambda: c([[0], [1, 0]]),
              'deep': lambda: c([[[0], [0]], [[0], [0], [0]]])}
    for what, make in given.items():
        for how, at in places.items():
            for axis in (0, 1, 2):
                found[f'{what}_{how}_{axis}'] = lambda make=make, at=at, axis=axis: tf.gather(make(), at(), axis=axis)
                found[f'{what}_{how}_{axis}_batch'] = lambda make=make, at=at, axis=axis: tf.gather(
                    make(), at(), axis=axis, batch_dims=1)
        found[f'{what}_batches'] = lambda make=make: tf.gather(make(), places['deep'](), batch_dims=2)
        for i, indices in enumerate(([[0, 1]], [[0]], [[[0, 0]], [[1, 1]]], [[0, 1, 0]], [[1, 2]], [[-1, 0]], [], [1, 1])):
            found[f'{what}_nd_{i}'] = lambda make=make, indices=indices: tf.gather_nd(make(), indices)
    found['whole_ragged'] = lambda: tf.gather([[1, 2], [3, 4]], c([[0], [1, 0]]), axis=1)
    found['whole_ragged_batch'] = lambda: tf.gather([[1, 2], [3, 4]], c([[0], [1, 0]]), batch_dims=1)
    found['batch_size_error'] = lambda: tf.gather(given['two'](), [[0], [0], [0]], batch_dims=1)
    return {f'gather_{name}': call for name, call in found.items()}


def _texts(tf):
    """tf.strings.format of ragged tensors."""
    c = tf.ragged.constant
    long = [[1], [2, 3, 4, 5, 6], [], [], [7], [8, 9]]
    calls = [lambda: tf.strings.format('a{}b', c([[1, 2], [3]])), lambda: tf.strings.format('{}', c([[1.5], [2.]])),
             lambda: tf.strings.format('{} {}', [c([['a', "b'\\"], []]), tf.constant(['c'])]),
             lambda: [tf.strings.format('{}', c(long), summarize=n) for n in (1, 2, -1)],
             lambda: tf.strings.format('%s', c([[[1]], []]), placeholder='%s'),
             lambda: tf.strings.format('{}{}', c(long)), lambda: tf.strings.format('{}', c(long), summarize=0)]
    return {f'format_{i}': call for i, call in enumerate(calls)}


def _products(tf):
    """Matrices of which some are ragged, multiplied."""
    R, c = tf.RaggedTensor, tf.ragged.constant

    def whole(*sizes):
        return tf.reshape(tf.range(tf.reduce_prod(sizes)), sizes)

    def several(*sizes):
        return tf.ragged.stack([whole(*s) for s in sizes])

    def even(rank, *sizes):
        return R.from_tensor(whole(*sizes), ragged_rank=rank)

    def rows():
        return c([[[1, 2, 3], [4, 5, 6]], [[7, 8, 9], [8, 7, 6], [5, 4, 3]]], ragged_rank=1)

    def gradient():
        a, b = c([[[1., 2.], [3., 4.]], [[5., 6.]]], ragged_rank=1), tf.ones([2, 2, 3])
        with tf.GradientTape() as tape:
            tape.watch([a.flat_values, b])
            y = tf.reduce_sum((tf.matmul(a, b) * 2.).flat_values)
        return tape.gradient(y, [a.flat_values, b])
    found = {
        '2d': lambda: [tf.matmul(c([[1, 2, 3], [4, 5, 6]]), c([[5], [4], [3]])), tf.matmul(tf.ones([1, 2], tf.int32), c([[5], [4]])),
                       tf.matmul(c([[1, 2]]), [[1], [2]]), tf.matmul(c([[1j, 2], [3, 4]]), c([[1j, 2], [3, 4]]), adjoint_a=True)],
        'sizes': lambda: [tf.matmul(several([3, 4], [2, 5]), several([4, 1], [5, 2])),
                          tf.matmul(several([3, 2], [1, 2]), whole(2, 2, 3)), tf.matmul(whole(2, 2, 3), several([3, 1], [3, 2])),
                          tf.matmul(rows(), whole(2, 3, 2)), tf.matmul(rows(), whole(2, 2, 3), transpose_b=True)],
        'transposed': lambda: [tf.matmul(rows(), rows(), transpose_a=True), tf.matmul(rows(), rows(), transpose_b=True),
                               tf.matmul(c([[[1], [2]], [[4, 5], [7, 8]]]), whole(2, 2, 4), transpose_a=True),
                               tf.matmul(c([[[1], [2]], [[4, 5], [7, 8]]]), whole(2, 4, 2), True, True)],
        'batches': lambda: [tf.matmul(x, y) for x in [even(k, 2, 2, 1, 3) for k in (1, 2, 3)] + [whole(2, 2, 1, 3)]
                            for y in [even(k, 2, 2, 3, 2) for k in (1, 2, 3)] + [whole(2, 2, 3, 2)]],
        'outer': lambda: tf.matmul(R.from_row_lengths(whole(3, 2, 2), [1, 0, 2]), R.from_row_lengths(whole(3, 2, 1), [1, 0, 2])),
        'empty': lambda: [tf.matmul(c([[[1, 2], [3, 4]], []], ragged_rank=1), whole(2, 2, 2)),
                          tf.matmul(c([[[1, 2], [3, 4]], [[], []]]), c([[[1, 2], [3, 4]], []])),
                          tf.matmul(c([], ragged_rank=2, dtype=tf.int32), c([], ragged_rank=2, dtype=tf.int32))],
        'splits': lambda: [tf.matmul(x, y).row_splits for x, y in [
            (c([[[1]]], ragged_rank=1, row_splits_dtype=tf.int32), whole(1, 1, 1)),
            (c([[[1]]], ragged_rank=1, row_splits_dtype=tf.int32), c([[[1]]], ragged_rank=1))]],
        'gradient': gradient,
        'ragged_error': lambda: tf.matmul(c([[1, 2, 3], [4, 5]]), c([[5], [4], [3]])),
        'ragged_error_deep': lambda: tf.matmul(c([[[1, 2], [3]], [[1, 2, 3]]]), whole(2, 2, 2)),
        'size_error': lambda: tf.matmul(several([3, 4], [2, 5]), several([4, 1], [4, 2])),
        'size_error_empty': lambda: tf.matmul(c([[[1, 2], [3, 4]], []]), whole(2, 2, 2)),
        'batch_error': lambda: tf.matmul(even(1, 3, 2, 5, 7), even(1, 3, 3, 7, 9)),
        'dtype_error': lambda: tf.matmul(c([[1]]), c([[1.]])),
        'rank_error': lambda: tf.matmul(c([[1]]), c([[[1]]])),
        'option_error': lambda: tf.matmul(c([[1]]), c([[1]]), transpose_a=True, adjoint_a=True),
    }
    return {f'matmul_{name}': case for name, case in found.items()}


def _filled(tf):
    """to_tensor(shape=), joins of strings, ranges, comparisons of what does not fit, and what is refused."""
    c, r = tf.ragged.constant, [[[1, 2], [3]], [[4]]]
    deep = c([[[[9], [8]], [[7], [6]]], [[[5], [4]]]], ragged_rank=1)
    words = c([[['a', 'b'], ['c']], [['d']]])

    def gradient():
        default, values = tf.constant([[3.], [2.]]), tf.reshape(tf.range(6.), [3, 2, 1])
        with tf.GradientTape() as tape:
            tape.watch(default)
            whole = tf.RaggedTensor.from_row_lengths(values, [2, 1]).to_tensor(default, shape=[3, 3, 2, 1])
            total = tf.reduce_sum(whole * tf.reshape(tf.range(18.), [3, 3, 2, 1]))
        return tape.gradient(total, default)

    def later(given, *signature):
        """With shapes that are known when it runs."""
        return tf.function(lambda x, *rest: x.to_tensor(9, *[None] * len(rest), *rest), input_signature=signature)(*given)
    spec, vector = tf.RaggedTensorSpec(None, tf.int32, ragged_rank=1), tf.TensorSpec([None], tf.int32)
    found = {
        'inner_default': lambda: [deep.to_tensor(d, shape=[3, 3, 2, 1]) for d in ([[3], [2]], [3], 7)],
        'inner_size_error': lambda: deep.to_tensor(7, shape=[3, 3, 2, 2]),
        'default_rank_error': lambda: c(r).to_tensor([1, 2]),
        'default_gradient': gradient,
        'any_shape': lambda: c([[1, 2], [3]]).to_tensor(shape=tf.TensorShape(None)),
        'later': lambda: [later([c([[1, 2], [3]]), s], spec, vector) for s in ([3, 3], [-1, 1])],
        'later_deep': lambda: later([c([[[1, 2]], []], ragged_rank=1), [2, 2, 2]], spec, vector),
        'later_default': lambda: later([c([[1, 2], [3]])], spec),
        'joined': lambda: [tf.strings.reduce_join(words, axis, separator='|') for axis in (0, 1, 2, [0, 1], [1, 2], [0, 1, 2], None)],
        'joined_kept': lambda: [tf.strings.reduce_join(words, axis, keepdims=True, separator='|') for axis in (1, -1)],
        'range': lambda: [tf.ragged.range([0, 5.], [3, 2], 1), tf.ragged.range([5, 0], [2, 3], [-2, 1]), tf.ragged.range(3),
                          tf.ragged.range(-2**31, 2**31 - 1, 2**31 - 1), tf.ragged.range([3, 5], dtype=tf.float32),
                          tf.ragged.range(tf.constant(3, tf.int64), 5.)],
        'range_step_error': lambda: tf.ragged.range([0, 1], [5, 7], 0),
        'gather_nd_whole': lambda: tf.gather_nd(c([['a', 'b'], ['c']]), tf.zeros([0], tf.int32)),
        'gather_nd_scalar_error': lambda: tf.gather_nd(c([[1], [2]]), 0),
        'squeeze_rows_error': lambda: tf.squeeze(c([[[1], [2]], [[3], [4]]]), [0]),
        'squeeze_none_error': lambda: tf.squeeze(c([[]]), [1]),
        'reverse_axis_error': lambda: tf.reverse(c([[1], [2, 3]]), [0, None]),
        'segment_ids': lambda: [tf.ragged.segment_ids_to_row_splits(ids) for ids in ([0, 0, 2], tf.constant([0, 2]), [])],
        'segment_ids_dtype_error': lambda: tf.ragged.segment_ids_to_row_splits([.5]),
        'segment_ids_rank_error': lambda: tf.ragged.segment_ids_to_row_splits([[0]]),
        'stack_none_error': lambda: tf.ragged.stack([]),
        'no_images': lambda: tf.image.resize(c([], ragged_rank=2, inner_shape=(3,)), (4, 4)),
        'compared': lambda: [c([[1, 2], [3]]) == c([[1, 2]]), c([[1, 2], [3]]) != c([[1, 2], [3, 4]]), c([[1, 2], [3]]) == [1, 2, 3]],
        'compared_static': lambda: [tf.constant(one) for one in (
            c([[[1, 2]], [[3, 4]]], ragged_rank=1) == tf.zeros([2, 1, 3], tf.int32),
            c([[[1, 2]], [[3, 4]]], ragged_rank=1) != c([[[1, 2, 3]], [[3, 4, 5]]], ragged_rank=1))],
    }
    return {f'filled_{name}': case for name, case in found.items()}


def _gradient(tf, given):
    with tf.GradientTape() as tape:
        tape.watch(given.flat_values)
        total = tf.reduce_sum(tf.reduce_sum(given * given, axis=1))
    return tape.gradient(total, given.flat_values)


# What needs values, or says them.
EAGER_ONLY = ('text', 'iterate', 'shape', 'ranks', 'spec', 'filled_compared')
