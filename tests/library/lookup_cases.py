"""tf.lookup: tables that are filled once and those that change."""
import os
import tempfile


def cases(tf):
    lookup = tf.lookup
    pairs = lookup.KeyValueTensorInitializer
    folder = tempfile.mkdtemp()
    words = os.path.join(folder, 'words.txt')
    with open(words, 'w') as f:
        f.write('a 1\nb 2\nc 3\n')

    def static():
        return lookup.StaticHashTable(pairs(['a', 'b'], [1, 2]), -1)

    def mutable():
        table = lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
        table.insert(['a', 'b'], [1, 2])
        return table

    def dense(**how):
        table = lookup.experimental.DenseHashTable(tf.int64, tf.int64, -1, empty_key=0, deleted_key=-1, **how)
        table.insert(tf.constant([1, 2], tf.int64), tf.constant([3, 4], tf.int64))
        return table

    def dense_after(buckets, steps):
        """What is exported after each step, which inserts keys or, where they are negative, removes them."""
        table = lookup.experimental.DenseHashTable(tf.int64, tf.int64, -1, empty_key=0, deleted_key=-1,
                                                   initial_num_buckets=buckets)
        found = []
        for step, keys in enumerate(steps):
            if keys[0] < 0:
                table.remove(tf.constant([-key for key in keys], tf.int64))
            else:
                table.insert(tf.constant(keys, tf.int64), tf.constant([key * 10 + step for key in keys], tf.int64))
            found.append([*(part + 0 for part in table.export()), table.size()])  # not the table's own memory
        return found

    def words_after_removal():
        table = lookup.experimental.DenseHashTable(tf.string, tf.float32, -1., empty_key='', deleted_key='$',
                                                   initial_num_buckets=8)
        table.insert(tf.constant(['a', 'bc', 'def']), tf.constant([1., 2., 3.]))
        table.remove(tf.constant(['bc', 'no']))
        return [*table.export(), table.lookup(tf.constant(['bc', 'def'])), table.size()]

    def text(key, value, **how):
        return lookup.StaticHashTable(lookup.TextFileInitializer(words, *key, *value, **how), lookup_default(value[0]))

    def lookup_default(dtype):
        return '-' if dtype == tf.string else -1

    def in_function(table, keys):
        return tf.function(lambda k: table.lookup(k))(keys)

    def changed(table):
        table.insert(['c', 'a'], [3, 9])
        table.remove(tf.constant(['b', 'q']))
        return [table.lookup(tf.constant(['a', 'b', 'c'])), table.size()]

    def rows():
        table = lookup.experimental.MutableHashTable(tf.int64, tf.float32, [0., 0.])
        table.insert([1, 2], [[1., 2.], [3., 4.]])
        return table

    def saved(make, save=None):
        first, second = make(), (save or make)()
        path = tf.train.Checkpoint(t=first).write(os.path.join(folder, 'ck'))
        names = [n for n, _ in tf.train.list_variables(path)]
        second.remove(tf.constant(['a']))
        tf.train.Checkpoint(t=second).read(path).assert_consumed()
        return [names, second.lookup(tf.constant(['a', 'b']))]

    def sorted_pairs(exported):
        return sorted(zip(exported[0].numpy().tolist(), exported[1].numpy().tolist()))
    return {
        'static': lambda: [static().lookup(tf.constant(['b', 'x'])), static()[tf.constant([['a'], ['b']])], static().size()],
        'static_sparse': lambda: static().lookup(tf.SparseTensor([[0, 1]], ['b'], [2, 2])),
        'static_ragged': lambda: static().lookup(tf.ragged.constant([['a', 'x'], [], ['b']])),
        'static_function': lambda: in_function(static(), tf.constant(['b', 'x'])),
        'static_dataset': lambda: list(tf.data.Dataset.from_tensor_slices(['a', 'q', 'b']).map(static().lookup)),
        'static_export': lambda: sorted_pairs(static().export()),
        'static_dtypes': lambda: [str(static().key_dtype), str(static().value_dtype), static().default_value],
        'static_numbers': lambda: lookup.StaticHashTable(pairs(tf.constant([5, 7], tf.int64), ['x', 'y']), '?').lookup(
            tf.constant([7, 8], tf.int64)),
        'same_twice': lambda: lookup.StaticHashTable(pairs(['a', 'a'], [1, 1]), 0).size(),
        'twice_error': lambda: lookup.StaticHashTable(pairs(['a', 'a'], [1, 2]), 0),
        'dtype_error': lambda: static().lookup(tf.constant([1])),
        'list_error': lambda: static().lookup(['a']),
        'length_error': lambda: lookup.StaticHashTable(pairs(['a', 'b'], [1]), 0),
        'key_dtype_error': lambda: lookup.StaticHashTable(pairs([True], [1]), 0),
        'default_shape_error': lambda: lookup.StaticHashTable(pairs(['a'], [1]), [0, 1]),
        'default_dtype_error': lambda: lookup.StaticHashTable(pairs(['a'], [1]), 'x'),
        'text_columns': lambda: text((tf.string, 0), (tf.int64, 1), delimiter=' ').lookup(tf.constant(['b', 'z'])),
        'text_lines': lambda: text((tf.string, -2), (tf.int64, -1)).lookup(tf.constant(['b 2', 'b'])),
        'text_numbers': lambda: text((tf.int64, 1), (tf.string, 0), delimiter=' ').lookup(tf.constant([3, 4], tf.int64)),
        'text_size': lambda: text((tf.string, -2), (tf.int64, -1), vocab_size=2).size(),
        'text_offset': lambda: text((tf.string, -2), (tf.int64, -1), value_index_offset=10).lookup(tf.constant(['a 1'])),
        'text_column_error': lambda: text((tf.string, 0), (tf.int64, 5), delimiter=' '),
        'text_size_error': lambda: text((tf.string, -2), (tf.int64, -1), vocab_size=5),
        'text_number_error': lambda: text((tf.int64, 0), (tf.string, 1), delimiter=' '),
        'text_file_error': lambda: lookup.StaticHashTable(lookup.TextFileInitializer(words + 'x', tf.string, -2, tf.int64, -1), -1),
        'text_index_error': lambda: lookup.TextFileInitializer(words, tf.string, -3, tf.int64, -1),
        'text_dtype_error': lambda: lookup.TextFileInitializer(words, tf.string, -1, tf.int64, -1),
        'vocabulary': lambda: lookup.StaticVocabularyTable(pairs(['emerson', 'lake', 'palmer'], tf.constant([0, 1, 2], tf.int64)), 5).lookup(
            tf.constant(['emerson', 'king', 'crimson'])),
        'vocabulary_size': lambda: lookup.StaticVocabularyTable(pairs(['a'], tf.constant([0], tf.int64)), 5).size(),
        'vocabulary_numbers': lambda: lookup.StaticVocabularyTable(pairs(tf.constant([4, 9], tf.int64), tf.constant([0, 1], tf.int64)), 3,
                                                                   lookup_key_dtype=tf.int32).lookup(tf.constant([9, 5, 6])),
        'vocabulary_only_hashes': lambda: lookup.StaticVocabularyTable(None, 7).lookup(tf.constant(['a', 'b'])),
        'vocabulary_error': lambda: lookup.StaticVocabularyTable(pairs(['a'], tf.constant([0], tf.int64)), 0),
        'vocabulary_dtype_error': lambda: lookup.StaticVocabularyTable(pairs(['a'], [0]), 2),
        'mutable': lambda: [mutable().lookup(tf.constant(['b', 'x'])), mutable().size(), mutable()[tf.constant('a')]],
        'mutable_changed': lambda: changed(mutable()),
        'mutable_default': lambda: mutable().lookup(tf.constant(['a', 'q']), dynamic_default_values=tf.constant([7, 8], tf.int64)),
        'mutable_function': lambda: in_function(mutable(), tf.constant(['a', 'x'])),
        'mutable_rows': lambda: [rows().lookup(tf.constant([2, 5], tf.int64)), sorted_pairs(rows().export())],
        'mutable_shape_error': lambda: mutable().insert(['a'], [1, 2]),
        'mutable_dtype_error': lambda: mutable().lookup(tf.constant([1])),
        'mutable_default_error': lambda: mutable().lookup(tf.constant(['a', 'q']), dynamic_default_values=tf.constant([7, 8, 9], tf.int64)),
        'mutable_list_error': lambda: mutable().remove(['a']),
        'mutable_saved': lambda: saved(mutable),
        'dense': lambda: [dense().lookup(tf.constant([2, 5], tf.int64)), dense().size()],
        'dense_empty_error': lambda: dense().lookup(tf.constant([0], tf.int64)),
        'dense_deleted_error': lambda: dense().insert(tf.constant([-1], tf.int64), tf.constant([1], tf.int64)),
        'dense_removed': lambda: dense_after(8, [[1, 2, 3], [-2], [14, 25], [-25, -14, -99], [2], [-1, -3], [36, 7]]),
        'dense_grown': lambda: dense_after(4, [[1, 2, 3], [-2], [14, 25, 36, 7, 11, 12], [-2, -25], list(range(200, 208)),
                                               list(range(-206, -200)), [300, 301, 302]]),
        'dense_words_removed': lambda: words_after_removal(),
        'dense_equal_error': lambda: lookup.experimental.DenseHashTable(tf.int64, tf.int64, -1, empty_key=0, deleted_key=0),
        'dense_buckets_error': lambda: dense(initial_num_buckets=5),
    }


# Tables are made and changed outside of functions; that functions read them is a case of its own.
EAGER_ONLY = ALL = tuple('static static_sparse static_ragged static_function static_dataset static_export static_dtypes '
                         'static_numbers same_twice twice_error dtype_error list_error length_error key_dtype_error '
                         'default_shape_error default_dtype_error text_columns text_lines text_numbers text_size text_offset '
                         'text_column_error text_size_error text_number_error text_file_error text_index_error text_dtype_error '
                         'vocabulary vocabulary_size vocabulary_numbers vocabulary_only_hashes vocabulary_error '
                         'vocabulary_dtype_error mutable mutable_changed mutable_default mutable_function mutable_rows '
                         'mutable_shape_error mutable_dtype_error mutable_default_error mutable_list_error mutable_saved dense dense_empty_error '
                         'dense_deleted_error dense_equal_error dense_buckets_error'.split())
