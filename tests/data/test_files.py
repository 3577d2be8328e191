"""tf.data: datasets that read files, compressed or not, and what they say of files that are damaged."""
import gzip
import os
import sqlite3
import zlib

import footlight as tf
from folder_case import FolderCase


class Files(FolderCase):
    def write(self, name, content):
        path = os.path.join(self.folder, name)
        with open(path, 'wb') as file:
            file.write(content)
        return path

    def test_records(self):
        records = [b'', b'one', os.urandom(100000), 'text'.encode()]
        for compression in ('', 'GZIP', 'ZLIB'):
            path = os.path.join(self.folder, 'records' + compression)
            with tf.io.TFRecordWriter(path, compression) as writer:
                for record in records:
                    writer.write(record)
            self.assertEqual(list(tf.data.TFRecordDataset(path, compression).as_numpy_iterator()), records)
            both = tf.data.TFRecordDataset([path, path], compression, num_parallel_reads=2)
            self.assertEqual(len(list(both)), 8)
        # As TensorFlow writes it.
        known = self.write('known', bytes.fromhex('0300000000000000b099490e6f6e6501405508'))
        with tf.io.TFRecordWriter(os.path.join(self.folder, 'own')) as writer:
            writer.write('one')
        with open(os.path.join(self.folder, 'own'), 'rb') as own, open(known, 'rb') as wanted:
            self.assertEqual(own.read(), wanted.read())

    def test_damaged_records(self):
        path = os.path.join(self.folder, 'records')
        with tf.io.TFRecordWriter(path) as writer:
            writer.write(b'0123456789')
        with open(path, 'rb') as file:
            good = file.read()
        for at in range(len(good)):
            damaged = bytearray(good)
            damaged[at] ^= 255
            with self.assertRaises(tf.errors.DataLossError):
                list(tf.data.TFRecordDataset(self.write('damaged', bytes(damaged))))
        for size in range(1, len(good)):
            with self.assertRaises(tf.errors.DataLossError):
                list(tf.data.TFRecordDataset(self.write('short', good[:size])))
        with self.assertRaises(tf.errors.DataLossError):
            list(tf.data.TFRecordDataset(path, 'GZIP'))
        with self.assertRaises(tf.errors.DataLossError):
            list(tf.data.TFRecordDataset(self.write('cut.gz', gzip.compress(good * 9)[:-12]), 'GZIP'))
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'compression_type'):
            tf.data.TFRecordDataset(path, 'LZ4')

    def test_records_of_several_gzip_members(self):
        parts = []
        for number in range(3):
            path = os.path.join(self.folder, f'part{number}')
            with tf.io.TFRecordWriter(path, 'GZIP') as writer:
                writer.write(b'%d' % number * 1000)
            with open(path, 'rb') as file:
                parts.append(file.read())
        whole = self.write('whole', b''.join(parts))
        for buffer_size in (None, 1, 5000):
            found = list(tf.data.TFRecordDataset(whole, 'GZIP', buffer_size).as_numpy_iterator())
            self.assertEqual(found, [b'%d' % number * 1000 for number in range(3)])
        with self.assertRaises(tf.errors.DataLossError):
            list(tf.data.TFRecordDataset(self.write('cut', b''.join(parts)[:-9]), 'GZIP'))

    def test_lines(self):
        first, second = self.write('a.txt', b'one\ntwo\r\n\nlast'), self.write('b.txt', b'x\n')
        self.assertEqual(list(tf.data.TextLineDataset([first, second]).as_numpy_iterator()),
                         [b'one', b'two', b'', b'last', b'x'])
        files = tf.data.Dataset.list_files(os.path.join(self.folder, '*.txt'), shuffle=False)
        self.assertEqual([os.path.basename(f) for f in files.as_numpy_iterator()], [b'a.txt', b'b.txt'])
        self.assertEqual(len(list(files.flat_map(tf.data.TextLineDataset))), 5)
        self.assertEqual(len(list(files.interleave(tf.data.TextLineDataset, num_parallel_calls=2))), 5)
        packed = self.write('c.gz', gzip.compress(b'g1\n') + gzip.compress(b'g2\n'))
        self.assertEqual(list(tf.data.TextLineDataset(packed, 'GZIP').as_numpy_iterator()), [b'g1', b'g2'])
        packed = self.write('c.z', zlib.compress(b'z1\nz2'))
        self.assertEqual(list(tf.data.TextLineDataset(packed, 'ZLIB').as_numpy_iterator()), [b'z1', b'z2'])
        with self.assertRaisesRegex(tf.errors.NotFoundError, 'nowhere'):
            list(tf.data.TextLineDataset(os.path.join(self.folder, 'nowhere')))
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'No files matched'):
            tf.data.Dataset.list_files(os.path.join(self.folder, '*.none'))

    def test_fixed_lengths(self):
        path = self.write('fixed', b'HHaaabbbcccF')
        self.assertEqual(list(tf.data.FixedLengthRecordDataset(path, 3, 2, 1).as_numpy_iterator()),
                         [b'aaa', b'bbb', b'ccc'])
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'Excess bytes'):
            list(tf.data.FixedLengthRecordDataset(path, 4, 2, 1))

    def test_csv(self):
        path = self.write('c.csv', b'h1,h2,h3\n1,"a,""b\nc",2.5\n2,,\n')
        rows = tf.data.experimental.CsvDataset(path, [tf.int32, 'none', tf.constant([0.5])], header=True)
        self.assertEqual([(int(a), b, float(c)) for a, b, c in rows.as_numpy_iterator()],
                         [(1, b'a,"b\nc', 2.5), (2, b'none', 0.5)])
        some = tf.data.experimental.CsvDataset(path, [tf.float32], header=True, select_cols=[2])
        iterator = iter(some)
        self.assertEqual(float(next(iterator)[0]), 2.5)
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'required but missing'):
            next(iterator)
        for text in (b'"x\n', b'a"b\n', b'"a"b\n', b'x\n', b'1,2\n'):
            with self.assertRaises(tf.errors.InvalidArgumentError):
                list(tf.data.experimental.CsvDataset(self.write('bad.csv', text), [tf.int32]))
        for text in (b'\n1,2\n', b'1,2\n\n', b'\n'):  # an empty line is a record of one empty field
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'Expect 2 fields but have 1 in record'):
                list(tf.data.experimental.CsvDataset(self.write('bad.csv', text), [tf.int32, tf.int32]))

    def test_saved_elements(self):
        dataset = tf.data.Dataset.range(3).map(lambda x: (x, {'s': tf.strings.as_string([x, x]), 'v': tf.fill([x], 1.5)}))

        def plain(found):
            return [(int(x), d['s'].numpy().tolist(), d['v'].numpy().tolist()) for x, d in found]
        for compression in (None, 'GZIP', 'SNAPPY'):
            folder = os.path.join(self.folder, f'saved{compression}')
            dataset.save(folder, compression=compression)
            loaded = tf.data.Dataset.load(folder, compression=compression)
            self.assertEqual(loaded.element_spec, dataset.element_spec)
            self.assertEqual(len(loaded), 3)
            self.assertEqual(plain(loaded), plain(dataset))
            iterator, other = iter(loaded), iter(loaded)
            next(iterator)
            other._restore_from_tensors(iterator._serialize_to_tensors())
            self.assertEqual(plain(other), plain(dataset)[1:])
        with self.assertRaises(tf.errors.DataLossError):
            list(tf.data.Dataset.load(folder))  # it is compressed
        with self.assertRaisesRegex(tf.errors.NotFoundError, 'element_spec file not found'):
            tf.data.Dataset.load(os.path.join(self.folder, 'nowhere'))
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'Unknown compression'):
            dataset.save(folder, compression='LZ4')

    def test_saved_shards(self):
        folder = os.path.join(self.folder, 'shards')
        tf.data.Dataset.range(9).save(folder, shard_func=lambda x: x // 3)
        loaded = tf.data.Dataset.load(folder)
        if os.cpu_count() > 2:
            self.assertEqual([int(x) for x in loaded], [0, 3, 6, 1, 4, 7, 2, 5, 8])
        one_by_one = tf.data.Dataset.load(folder, reader_func=lambda shards: shards.flat_map(lambda x: x))
        self.assertEqual([int(x) for x in one_by_one], list(range(9)))
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'the shard -1'):
            tf.data.Dataset.range(9).save(folder, shard_func=lambda x: x - 1)
        self.assertEqual(len(list(tf.data.Dataset.load(folder))), 9)  # the older ones are still there

    def test_datasets_that_tensorflow_saved(self):
        """Each holds 0, 1, 2, even and odd numbers in shards of their own, beside the numbers as strings."""
        golden = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'golden', 'datasets')
        for compression in ('NONE', 'GZIP', 'SNAPPY'):
            loaded = tf.data.Dataset.load(os.path.join(golden, compression), compression=compression)
            self.assertEqual(loaded.element_spec, (tf.TensorSpec([], tf.int64), tf.TensorSpec([], tf.string)))
            self.assertEqual(sorted((int(x), s.numpy()) for x, s in loaded), [(i, b'%d' % i) for i in range(5)])

        several = [x for x in tf.data.Dataset.load(os.path.join(golden, 'PARTS'))]
        self.assertEqual([x['r'].to_list() for x in several], [[[[1, 2], [3]], [[4]]], [[[]]]])
        self.assertEqual([x['t'].to_list() for x in several], [[[b'a'], []], [[b'b', b'cc']]])
        self.assertEqual([tf.sparse.to_dense(x['s']).numpy().tolist() for x in several],
                         [[[1.5, 0, 2], [0, 3, 0]], [[0, 0, 0]]])
        ragged, sparse = next(iter(tf.data.Dataset.load(os.path.join(golden, 'PARTS1'))))
        self.assertEqual((ragged.to_list(), ragged.row_splits.dtype), ([[1], [2, 3]], tf.int32))
        self.assertEqual(tf.sparse.to_dense(sparse).numpy().tolist(), [[b'x', b'']])

    def test_saved_ragged_and_sparse_elements(self):
        dataset = tf.data.Dataset.from_tensor_slices({
            'r': tf.ragged.constant([[[1, 2], [3]], [], [[]]]), 'n': [1, 2, 3],
            's': tf.sparse.from_dense([[1.5, 0], [0, 0], [0, 2]])})

        def plain(found):
            return [(x['r'].to_list(), x['n'].numpy().tolist(), tf.sparse.to_dense(x['s']).numpy().tolist()) for x in found]
        for number, one in enumerate((dataset, dataset.batch(1))):
            folder = os.path.join(self.folder, f'parts{number}')
            one.save(folder, shard_func=None if number else lambda x: tf.cast(x['n'] % 2, tf.int64))
            loaded = tf.data.Dataset.load(folder)
            self.assertEqual(loaded.element_spec, one.element_spec)
            self.assertCountEqual(map(repr, plain(loaded)), map(repr, plain([*one] if number else [
                *one.filter(lambda x: x['n'] == 2), *one.filter(lambda x: x['n'] != 2)])))

    def test_sql(self):
        path = os.path.join(self.folder, 'rows.sqlite')
        database = sqlite3.connect(path)
        database.executescript('''create table t(a integer, b text, c real, d integer, e blob);
            insert into t values (1, 'x', 1.5, 1, x'0102'), (300, 'ü', 2.5, 0, null), (null, null, null, null, null);''')
        database.close()

        def rows(query, *types):
            return [tuple(v.item() if hasattr(v, 'item') else v for v in row) for row in
                    tf.data.experimental.SqlDataset('sqlite', path, query, types).as_numpy_iterator()]
        self.assertEqual(rows('select a, b, c, d, e from t', tf.int32, tf.string, tf.double, tf.bool, tf.string), [
            (1, b'x', 1.5, True, b'\1\2'), (300, 'ü'.encode(), 2.5, False, b''), (0, b'', 0.0, False, b'')])
        # A column of another type becomes what SQLite makes of it.
        self.assertEqual(rows("select a, a, b, '12abc', 3.7, '-3.5e2x', x'3132' from t limit 2 offset 1", tf.string, tf.int8,
                              tf.int64, tf.int8, tf.int64, tf.double, tf.int64)[0], (b'300', 44, 0, 12, 3, -350.0, 12))
        for query, types, error in (('select a from t', (tf.int32, tf.string), tf.errors.InvalidArgumentError),
                                    ('select q from t', (tf.int32,), tf.errors.UnknownError),
                                    ('select a from t', (tf.float32,), tf.errors.InvalidArgumentError)):
            with self.assertRaises(error):
                rows(query, *types)
        for driver, file in (('mysql', path), ('sqlite', os.path.join(self.folder, 'nowhere', 'x.sqlite'))):
            with self.assertRaises(tf.errors.InvalidArgumentError):
                list(tf.data.experimental.SqlDataset(driver, file, 'select a from t', (tf.int32,)))
        with self.assertRaises(tf.errors.UnknownError):  # nothing is written
            rows('insert into t values (5, 5, 5, 5, 5) returning a', tf.int32)

    def test_damaged_saved_datasets(self):
        folder = os.path.join(self.folder, 'damaged')
        tf.data.Dataset.range(3).map(lambda x: (x, tf.strings.as_string(x))).save(folder)
        self.damage(folder)
        parts = os.path.join(self.folder, 'damaged_parts')
        tf.data.Dataset.from_tensors((tf.ragged.constant([[1], [2, 3]]), tf.sparse.from_dense([[0, 2]]))).save(parts)
        self.damage(parts)
        shard, = (os.path.join(at, name) for at, _, files in os.walk(folder) for name in files if name.endswith('.snapshot'))
        for record, error in ((b'\xff' * 40, tf.errors.DataLossError),
                              (b'\x08\x09\x12\x0b\x12\x09\x08\xff\xff\xff\xff\xff\xff\xff\x7f', tf.errors.DataLossError),
                              (b'\x08\x15\x12\x00', tf.errors.UnimplementedError)):  # a variant
            with tf.io.TFRecordWriter(shard) as writer:
                writer.write(record)
            with self.assertRaises(error):
                list(tf.data.Dataset.load(folder))

    def damage(self, folder):
        """Reads the dataset with each byte of its files changed, and with each file cut off everywhere."""
        names = [os.path.join(at, name) for at, _, files in os.walk(folder) for name in files]
        self.assertEqual(len(names), 3)
        for name in names:
            with open(name, 'rb') as file:
                good = file.read()
            for bad in [good[:k] for k in range(len(good))] + [
                    good[:k] + bytes([good[k] ^ 0xff]) + good[k + 1:] for k in range(len(good))]:
                with open(name, 'wb') as file:
                    file.write(bad)
                try:
                    list(tf.data.Dataset.load(folder))
                except (tf.errors.OpError, NotImplementedError):
                    pass
            with open(name, 'wb') as file:
                file.write(good)

    def test_csv_datasets(self):
        """The seeds' orders are TensorFlow's."""
        for k in range(2):
            rows = [f"{i + 10 * k},{i + .5},{'yes' if i else ''},x{i},{2 ** 40 if i == 3 else i}"
                    for i in range(5)]
            self.write(f'f{k}.csv', '\n'.join(['a,b,c,d,e', *rows, '']).encode())
        files = os.path.join(self.folder, 'f*.csv')
        make = tf.data.experimental.make_csv_dataset
        columns, label = next(iter(make(files, 3, label_name='e', shuffle=False, num_epochs=1)))
        self.assertEqual([(k, v.dtype) for k, v in columns.items()],
                         [('a', tf.int32), ('b', tf.float32), ('c', tf.string), ('d', tf.string)])
        self.assertEqual((columns['c'].numpy().tolist(), label.dtype, label.numpy().tolist()),
                         ([b'', b'yes', b'yes'], tf.int64, [0, 1, 2]))

        def first(**more):
            return [x['a'].numpy().tolist() for x in make(files, 4, select_columns=['a'], **more).take(3)]
        self.assertEqual(first(shuffle_seed=5), [[0, 13, 10, 12], [2, 1, 14, 11], [4, 3, 4, 0]])
        self.assertEqual(first(shuffle_seed=5, num_epochs=1, shuffle_buffer_size=4),
                         [[11, 14, 0, 1], [12, 2, 10, 13], [4, 3]])
        self.assertEqual(first(shuffle=False, num_epochs=1, num_parallel_reads=2),
                         [[0, 10, 1, 11], [2, 12, 3, 13], [4, 14]])
        for more, said in (({'label_name': 'q'}, 'one of the columns'), ({'select_columns': ['q']}, 'Column q'),
                           ({'header': False}, 'Neither is provided'),
                           ({'column_names': list('aabcd')}, 'duplicate column names')):
            with self.assertRaisesRegex(ValueError, said):
                make(files, 4, **more)
        with self.assertRaisesRegex(ValueError, 'No files match'):
            make(os.path.join(self.folder, 'none*'), 4)

    def test_datasets_of_features(self):
        path = os.path.join(self.folder, 'examples')
        train = tf.train
        with tf.io.TFRecordWriter(path) as writer:
            for i in range(7):
                writer.write(train.Example(features=train.Features(feature={
                    'x': train.Feature(int64_list=train.Int64List(value=[i])),
                    'y': train.Feature(float_list=train.FloatList(value=[i / 2]))})).SerializeToString())
        features = {'x': tf.io.FixedLenFeature([], tf.int64), 'y': tf.io.FixedLenFeature([], tf.float32)}
        make = tf.data.experimental.make_batched_features_dataset
        self.assertEqual([b['x'].numpy().tolist() for b in make(path, 3, features, shuffle=False, num_epochs=1)],
                         [[0, 1, 2], [3, 4, 5], [6]])
        found = [(x['x'].numpy().tolist(), y.numpy().tolist()) for x, y in make(
            path, 3, features, label_key='y', shuffle_seed=3).take(2)]
        self.assertEqual(found, [([5, 1, 4], [2.5, .5, 2.]), ([3, 0, 2], [1.5, 0., 1.])])  # TensorFlow's
        with self.assertRaisesRegex(ValueError, 'label_key'):
            make(path, 3, features, label_key='z')

    def test_tables_of_datasets(self):
        keys = tf.data.Dataset.from_tensor_slices(['a', 'b', 'c'])
        asked = tf.constant(['a', 'c', 'zz'])
        experimental = tf.data.experimental

        def found(table):
            return table.lookup(asked).numpy().tolist()
        pairs = tf.data.Dataset.zip((keys, tf.data.Dataset.range(3, 6)))
        self.assertEqual(found(experimental.table_from_dataset(pairs, default_value=-5)), [3, 5, -5])
        self.assertEqual(found(experimental.table_from_dataset(pairs, vocab_size=2)), [3, -1, -1])
        self.assertEqual(found(experimental.index_table_from_dataset(keys)), [0, 2, -1])
        self.assertEqual(found(experimental.index_table_from_dataset(keys, num_oov_buckets=3)), [0, 2, 4])
        self.assertEqual(found(tf.lookup.StaticHashTable(experimental.DatasetInitializer(pairs), 7)), [3, 5, 7])
        with self.assertRaises(tf.errors.FailedPreconditionError):
            experimental.index_table_from_dataset(keys, vocab_size=9)
        with self.assertRaises(tf.errors.OutOfRangeError):
            experimental.index_table_from_dataset(keys.take(0))
        with self.assertRaisesRegex(TypeError, 'pairs of scalars'):
            experimental.table_from_dataset(keys)

    def test_caches_in_files(self):
        ran = []

        def noted(x):
            return tf.py_function(lambda n: ran.append(int(n)) or n, [x], tf.int64)
        for kept in (lambda d: d.cache(os.path.join(self.folder, 'cache')),
                     lambda d: d.snapshot(os.path.join(self.folder, 'snapshot'))):
            ran.clear()
            dataset = kept(tf.data.Dataset.range(3).map(noted))
            next(iter(dataset))
            ran.clear()
            for _ in range(2):
                self.assertEqual([int(x) for x in dataset], [0, 1, 2])
            self.assertEqual([int(x) for x in kept(tf.data.Dataset.range(3).map(noted))], [0, 1, 2])
            self.assertEqual(ran, [0, 1, 2])
        self.assertEqual([f for f in os.listdir(self.folder) if 'unfinished' in f], [])
