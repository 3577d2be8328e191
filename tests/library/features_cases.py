"""tf.feature_column: what columns make of features, what they say of themselves, and the layers of tf.compat.v1."""
import atexit
import os
import shutil
import tempfile


def cases(tf):
    columns, inner = tf.feature_column, tf.__internal__.feature_column
    old = tf.compat.v1.feature_column
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    words = os.path.join(folder, 'words.txt')
    with open(words, 'w') as f:
        f.write('low\nmid\nhigh\n')

    number = columns.numeric_column('n', shape=(2,), normalizer_fn=lambda x: x * 2.)
    plain = columns.numeric_column('m')
    ids = columns.categorical_column_with_identity('i', 4)
    safe = columns.categorical_column_with_identity('i', 4, default_value=1)
    hashed = columns.categorical_column_with_hash_bucket('w', 11)
    hashed_ids = columns.categorical_column_with_hash_bucket('i', 11, dtype=tf.int64)
    listed = columns.categorical_column_with_vocabulary_list('w', ['low', 'mid', 'high'])
    further = columns.categorical_column_with_vocabulary_list('w', ['low', 'mid'], num_oov_buckets=3)
    numbers = columns.categorical_column_with_vocabulary_list('i', [2, 5, -3], num_oov_buckets=2)
    filed = columns.categorical_column_with_vocabulary_file('w', words, num_oov_buckets=1)
    first_lines = columns.categorical_column_with_vocabulary_file('w', words, vocabulary_size=2, default_value=0)
    weighted = columns.weighted_categorical_column(listed, 'v')
    buckets = columns.bucketized_column(columns.numeric_column('n', shape=2), [0., 1.5, 3.])
    crossed = columns.crossed_column(['w', 'i'], 13)
    keyed = columns.crossed_column(['w', ids], 13, hash_key=7)
    crossed_buckets = columns.crossed_column([buckets, 'w'], 17)
    nested = columns.crossed_column([columns.crossed_column(['w', ids], 5), buckets], 19)

    def features():
        return {'n': tf.constant([[.5, 1.5], [-1., 9.]]), 'm': tf.constant([3, 4]),
                'i': tf.constant([[3, -1, 1], [2, 2, 0]]), 'w': tf.constant([['high', '', 'low'], ['odd', 'mid', 'mid']]),
                'v': tf.constant([[1., 0., 2.5], [.5, -1., 2.]]),
                's': tf.sparse.from_dense([[1., 2., 3., 4.], [5., 6., 0., 0.]]),
                'si': tf.sparse.SparseTensor([[0, 0], [0, 1], [2, 0]], [3, 1, 9], [4, 3])}

    def dense(column):
        return lambda: column.get_dense_tensor(inner.FeatureTransformationCache(features()), None)

    def places(column):
        def run():
            found, weights = column.get_sparse_tensors(inner.FeatureTransformationCache(features()), None)
            parts = [found.indices, found.values, found.dense_shape]
            return parts if weights is None else parts + [weights.values]
        return run

    def sequence(column):
        return lambda: list(column.get_sequence_dense_tensor(inner.FeatureTransformationCache(features()), None))

    class Made(inner.StateManager):
        """Embeddings whose rows are known."""

        def __init__(self):
            """Has no layer."""

        def get_variable(self, feature_column, name):
            """Rows that count."""
            size = feature_column.categorical_column.num_buckets * feature_column.dimension
            return tf.reshape(tf.range(size, dtype=tf.float32), [-1, feature_column.dimension])

    def embedded(column, **how):
        made = columns.embedding_column(column, 2, **how)
        return lambda: made.get_dense_tensor(inner.FeatureTransformationCache(features()), Made())

    def steps(column, **how):
        made = columns.embedding_column(column, 2, **how)
        return lambda: list(made.get_sequence_dense_tensor(inner.FeatureTransformationCache(features()), Made()))

    def told(column):
        def run():
            spec = {key: f'{type(kind).__name__} {kind.dtype.name}' for key, kind in column.parse_example_spec.items()}
            shape = getattr(column, 'variable_shape', None)
            return [column.name, sorted(spec.items()), getattr(column, 'num_buckets', None), shape and list(shape),
                    [one if isinstance(one, str) else one.name for one in column.parents]]
        return run

    def again(column):
        """A column that was written as settings and read."""
        return inner.deserialize_feature_column(inner.serialize_feature_column(column))

    def settings(column):
        return lambda: [inner.serialize_feature_column(column), again(column).name, again(column) == column]

    def in_session(make):
        def run():
            with tf.Graph().as_default(), tf.compat.v1.Session() as session:
                made = make()
                session.run([tf.compat.v1.global_variables_initializer(), tf.compat.v1.tables_initializer()])
                return [session.run(made), [v.name for v in tf.compat.v1.global_variables()],
                        [v.shape.as_list() for v in tf.compat.v1.trainable_variables()]]
        return run

    def layer_of(make, **how):
        ones = tf.compat.v1.ones_initializer()
        return in_session(lambda: old.input_layer(features(), [*make(ones), number, columns.indicator_column(listed)], **how))

    def trained():
        model = old.linear_model(features(), [plain, listed, buckets, crossed, columns.embedding_column(
            hashed, 2, initializer=tf.compat.v1.ones_initializer())], units=2)
        loss = tf.reduce_sum((model - [[1., 2.], [3., 4.]]) ** 2)
        with tf.control_dependencies([tf.compat.v1.train.GradientDescentOptimizer(.01).minimize(loss)]):
            return tf.identity(loss)

    def one_step():
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            loss = trained()
            session.run([tf.compat.v1.global_variables_initializer(), tf.compat.v1.tables_initializer()])
            return [session.run(loss), [session.run(v) for v in tf.compat.v1.global_variables()]]

    def shared(ones):
        return old.shared_embedding_columns([ids, columns.categorical_column_with_identity('m', 4)], 3, initializer=ones)

    def shared_today():
        pair = columns.shared_embeddings([ids, columns.categorical_column_with_identity('m', 4)], 3, combiner='sum',
                                         initializer=tf.compat.v1.ones_initializer())
        values = {**features(), 'm': tf.constant([[1], [2]])}
        cache = inner.FeatureTransformationCache(values)
        return [one.get_dense_tensor(cache, None) for one in pair]

    def parsed():
        spec = columns.make_parse_example_spec([plain, number, columns.indicator_column(listed), weighted])
        example = tf.train.Example(features=tf.train.Features(feature={
            'm': tf.train.Feature(float_list=tf.train.FloatList(value=[4.])),
            'n': tf.train.Feature(float_list=tf.train.FloatList(value=[1., 2.])),
            'w': tf.train.Feature(bytes_list=tf.train.BytesList(value=[b'mid', b'low'])),
            'v': tf.train.Feature(float_list=tf.train.FloatList(value=[.5, 2.]))}))
        cache = inner.FeatureTransformationCache(tf.io.parse_example([example.SerializeToString()], spec))
        return [one.get_dense_tensor(cache, None) for one in (plain, number, columns.indicator_column(weighted))]

    sequence_ids = columns.sequence_categorical_column_with_identity('si', 10)
    sequence_words = columns.sequence_categorical_column_with_vocabulary_list('w', ['low', 'mid', 'high'])
    found = {
        'numbers': dense(number), 'numbers without a last dimension': dense(plain), 'buckets': dense(buckets),
        'ids of buckets': places(buckets), 'ids': places(ids), 'ids with a default': places(safe), 'hashes': places(hashed),
        'hashes of integers': places(hashed_ids), 'a list': places(listed), 'a list and further ids': places(further),
        'a list of integers': places(numbers), 'a file': places(filed), 'the first lines of a file': places(first_lines),
        'weights': places(weighted), 'crossed': places(crossed), 'crossed with a key': places(keyed),
        'crossed buckets': places(crossed_buckets), 'crossed twice': places(nested),
        'counts of ids': dense(columns.indicator_column(ids)), 'counts of words': dense(columns.indicator_column(listed)),
        'counts of weights': dense(columns.indicator_column(weighted)), 'counts of hashes': dense(columns.indicator_column(hashed)),
        'embedding': embedded(ids), 'embedding, sum': embedded(listed, combiner='sum'),
        'embedding, sqrtn of weights': embedded(weighted, combiner='sqrtn'), 'embedding, at most': embedded(ids, max_norm=1.),
        'sequence of numbers': sequence(columns.sequence_numeric_column('s')),
        'sequence of pairs': sequence(columns.sequence_numeric_column('s', shape=2, default_value=-1.)),
        'sequence of ids': sequence(columns.indicator_column(sequence_ids)), 'embedded sequence': steps(sequence_ids),
        'embedded sequence of words': steps(sequence_words), 'parsed examples': parsed,
        'input_layer': layer_of(lambda ones: [columns.embedding_column(hashed, 2, initializer=ones)]),
        'input_layer not trained': layer_of(lambda ones: [columns.embedding_column(hashed, 2, initializer=ones)], trainable=False),
        'linear_model': one_step, 'shared today': in_session(shared_today),
        'input_layer, shared': in_session(lambda: old.input_layer(
            {**features(), 'm': tf.constant([[1], [2]])}, shared(tf.compat.v1.ones_initializer())))}
    for name, column in dict(number=plain, buckets=buckets, ids=safe, hashes=hashed_ids, listed=further, weighted=weighted,
                             crossed=keyed, crossed_buckets=crossed_buckets, nested=nested, counts=columns.indicator_column(listed),
                             embedding=columns.embedding_column(hashed, 3, combiner='sum'), sequence=sequence_ids,
                             sequence_numbers=columns.sequence_numeric_column('s', shape=2)).items():
        found['told: ' + name] = told(column)
        if name != 'embedding':  # which has a new initializer each time
            found['settings: ' + name] = settings(column)
    found['settings: embedding'] = lambda: inner.serialize_feature_column(columns.embedding_column(ids, 4))
    wrong = {
        'no shape': lambda: columns.numeric_column('a', shape=0), 'half a shape': lambda: columns.numeric_column('a', shape=[1.5]),
        'no key': lambda: columns.numeric_column(5), 'numbers of text': lambda: columns.numeric_column('a', dtype=tf.string),
        'unequal default': lambda: columns.numeric_column('a', shape=2, default_value=[1., 2., 3.]),
        'default of text': lambda: columns.numeric_column('a', default_value='x'),
        'buckets of ids': lambda: columns.bucketized_column(ids, [1.]), 'no boundaries': lambda: columns.bucketized_column(plain, []),
        'unsorted': lambda: columns.bucketized_column(plain, [2, 1]), 'no ids': lambda: columns.categorical_column_with_identity('a', 0),
        'default outside': lambda: columns.categorical_column_with_identity('a', 3, default_value=3),
        'no buckets': lambda: columns.categorical_column_with_hash_bucket('a', 0),
        'hashes of floats': lambda: columns.categorical_column_with_hash_bucket('a', 3, dtype=tf.float32),
        'empty list': lambda: columns.categorical_column_with_vocabulary_list('a', []),
        'twice in a list': lambda: columns.categorical_column_with_vocabulary_list('a', ['a', 'a']),
        'default and further': lambda: columns.categorical_column_with_vocabulary_list('a', ['a'], None, 0, 1),
        'another dtype': lambda: columns.categorical_column_with_vocabulary_list('a', ['a'], dtype=tf.int32),
        'no file': lambda: columns.categorical_column_with_vocabulary_file('a', words + '.no'),
        'one crossed': lambda: columns.crossed_column(['a'], 3), 'crossed hashes': lambda: columns.crossed_column(['a', hashed], 3),
        'crossed numbers': lambda: columns.crossed_column(['a', plain], 3), 'no dimension': lambda: columns.embedding_column(ids, 0),
        'no initializer': lambda: columns.embedding_column(ids, 3, initializer=4),
        'half a checkpoint': lambda: columns.embedding_column(ids, 3, ckpt_to_load_from='x'),
        'counts of numbers': lambda: columns.indicator_column(plain),
        'weights of text': lambda: columns.weighted_categorical_column(listed, 'w', dtype=tf.string),
        'unequal specs': lambda: columns.make_parse_example_spec([plain, columns.numeric_column('m', shape=2)]),
        'no column': lambda: columns.make_parse_example_spec([3]),
        'dense of sequence': dense(columns.indicator_column(sequence_ids)), 'sequence of dense': sequence(columns.indicator_column(ids)),
        'float ids': lambda: columns.categorical_column_with_identity('v', 3).get_sparse_tensors(
            inner.FeatureTransformationCache(features()), None),
        'no feature': dense(columns.numeric_column('zzz')), 'unknown class': lambda: inner.deserialize_feature_column(
            {'class_name': 'Nothing', 'config': {}}),
        'one name twice': lambda: old.input_layer(features(), [plain, columns.numeric_column('m', shape=2)]),
        'layer of ids': lambda: old.input_layer(features(), [ids])}
    return {**found, **{'wrong: ' + name: case for name, case in wrong.items()}}


# What runs in a graph and a session of its own, and what gives no tensors.
EAGER_ONLY = {'input_layer', 'input_layer not trained', 'linear_model', 'shared today', 'input_layer, shared'} | {
    f'{kind}: {name}' for kind in ('told', 'settings') for name in (
        'number buckets ids hashes listed weighted crossed crossed_buckets nested counts embedding sequence '
        'sequence_numbers').split()}
