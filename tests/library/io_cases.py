"""tf.io: files, bytes as tensors, examples and the messages that they are made of."""
import gzip
import os
import tempfile
import zlib


def cases(tf):
    io, train = tf.io, tf.train
    folder = tempfile.mkdtemp()

    def feature(values):
        values = list(values)
        if values and isinstance(values[0], bytes):
            return train.Feature(bytes_list=train.BytesList(value=values))
        if values and isinstance(values[0], float):
            return train.Feature(float_list=train.FloatList(value=values))
        return train.Feature(int64_list=train.Int64List(value=values))

    def features(**all):
        return train.Features(feature={name: feature(values) for name, values in all.items()})

    def example(**all):
        return train.Example(features=features(**all)).SerializeToString(deterministic=True)

    def lists(**all):
        return train.FeatureLists(feature_list={name: train.FeatureList(feature=[feature(v) for v in steps])
                                                for name, steps in all.items()})
    one = example(a=[1, 2], b=[b'x'], c=[1.5])
    rows = [one, example(a=[1]), example()]
    sequence = train.SequenceExample(context=features(a=[1, 2]), feature_lists=lists(
        f=[[1, 2], [3]], g=[[1., 2.]])).SerializeToString(deterministic=True)
    fixed, step, var = io.FixedLenFeature, io.FixedLenSequenceFeature, io.VarLenFeature
    ragged, sparse = io.RaggedFeature, io.SparseFeature

    def parse(serialized, **wanted):
        return io.parse_example(serialized, wanted)

    def single(serialized, **wanted):
        return io.parse_single_example(serialized, wanted)

    def in_dataset():
        data = tf.data.Dataset.from_tensor_slices([one, example(a=[7, 8])]).map(lambda s: single(s, a=fixed([2], tf.int64)))
        return list(data)

    def path(name):
        return os.path.join(folder, name)

    def written():
        io.write_file(path('made/x.txt'), 'hello')
        return io.read_file(path('made/x.txt'))

    def parts(kind, key='p', **more):
        made = [example(v=[1, 2, 3, 4], p=more['first']), example(v=[5, 6], p=more['second'])]
        return parse(made, v=ragged(tf.int64, partitions=[kind(key)]))

    def in_session(kind, first, second):
        """As TensorFlow 1 does it, where == of tensors says whether they are the same object."""
        v1 = tf.compat.v1
        with tf.Graph().as_default(), v1.Session() as session:
            v1.disable_tensor_equality()
            try:
                return session.run(parts(kind, first=first, second=second)['v']).to_list()
            finally:
                v1.enable_tensor_equality()
    message = train.Example(features=features(a=[1, 2], b=[b'x']))

    def changed():
        made = train.Example()
        made.features.feature['n'].int64_list.value.append(3)
        made.features.feature['n'].int64_list.value.extend([4, 5])
        made.features.feature['f'].float_list.value[:] = [.5]
        return made

    def merged():
        made = train.Example()
        made.CopyFrom(message)
        made.MergeFrom(changed())
        return [sorted(made.features.feature), made.features.feature['a'].int64_list.value[1]]
    gfile = io.gfile

    def files():
        gfile.makedirs(path('g/h'))
        with gfile.GFile(path('g/a.txt'), 'w') as f:
            f.write('one\ntwo\n')
        gfile.copy(path('g/a.txt'), path('g/b.txt'), overwrite=True)
        with gfile.GFile(path('g/a.txt')) as f:
            lines = f.readlines()
        with gfile.GFile(path('g/a.txt'), 'rb') as f:
            f.seek(4)
            rest, at = f.read(), f.tell()
        found = [lines, rest, at, sorted(gfile.listdir(path('g'))), sorted(os.path.basename(p) for p in gfile.glob(path('g/*.txt'))),
                 gfile.isdir(path('g')), gfile.exists(path('g/zz')), gfile.stat(path('g/a.txt')).length]
        gfile.rename(path('g/b.txt'), path('g/c.txt'), overwrite=True)
        found.append([[os.path.relpath(where, folder), sorted(d.rstrip('/') for d in dirs), sorted(names)]
                      for where, dirs, names in gfile.walk(path('g'))])
        gfile.remove(path('g/c.txt'))
        gfile.rmtree(path('g'))
        return found + [gfile.exists(path('g'))]
    return {
        'fixed': lambda: [parse([one], a=fixed([2], tf.int64), c=fixed([], tf.float32)), single(one, a=fixed([2], tf.int64))],
        'fixed_default': lambda: parse(rows, c=fixed([], tf.float32, default_value=7.)),
        'fixed_matrix': lambda: single(one, a=fixed([2, 1], tf.int64)),
        'var': lambda: [parse(rows, a=var(tf.int64)), single(one, a=var(tf.int64)), parse(rows, q=var(tf.string))],
        'steps': lambda: [parse(rows, a=step([], tf.int64, allow_missing=True)), parse(rows, a=step(
            [], tf.int64, allow_missing=True, default_value=9)), single(one, a=step([1], tf.int64, allow_missing=True))],
        'ragged': lambda: [parse(rows, a=ragged(tf.int64)), single(one, a=ragged(tf.int64)), parse(
            rows, z=ragged(tf.int64, 'a', [ragged.UniformRowLength(1)]))],
        'ragged_lengths': lambda: parts(ragged.RowLengths, first=[1, 3], second=[0, 2]),
        'ragged_splits': lambda: parts(ragged.RowSplits, first=[0, 1, 4], second=[0, 2]),
        'ragged_starts': lambda: parts(ragged.RowStarts, first=[0, 1], second=[0, 1]),
        'ragged_limits': lambda: parts(ragged.RowLimits, first=[1, 4], second=[0, 2]),
        'ragged_ids': lambda: parts(ragged.ValueRowIds, first=[0, 0, 2, 2], second=[0, 1]),
        'ragged_in_session': lambda: [in_session(kind, [0, 1, 4], [0, 2]) for kind in (ragged.RowSplits, ragged.RowLimits)],
        'ragged_single': lambda: single(example(v=[1, 2, 3], p=[1, 2]), v=ragged(tf.int64, partitions=[ragged.RowLengths('p')])),
        'sparse': lambda: parse([example(i=[1, 3], v=[1., 2.]), example(i=[0], v=[3.])], s=sparse('i', 'v', tf.float32, 10)),
        'sparse_unsorted': lambda: parse([example(i=[3, 1], v=[1., 2.])], s=sparse(['i'], 'v', tf.float32, [10])),
        'sparse_matrix': lambda: parse([example(i=[3, 1], j=[0, 2], v=[1., 2.])], s=sparse(['i', 'j'], 'v', tf.float32, [10, 4])),
        'in_dataset': in_dataset,
        'missing_error': lambda: parse([one], q=fixed([2], tf.int64)),
        'dtype_error': lambda: parse([one], a=fixed([2], tf.float32)),
        'size_error': lambda: parse([one], a=fixed([3], tf.int64)),
        'var_dtype_error': lambda: parse([one], a=var(tf.string)),
        'ragged_dtype_error': lambda: parse([one], a=ragged(tf.string)),
        'steps_error': lambda: parse([one], a=step([3], tf.int64, allow_missing=True)),
        'steps_missing_error': lambda: parse([one], a=step([3], tf.int64)),
        'garbage_error': lambda: parse([b'zzzz'], a=fixed([3], tf.int64)),
        'no_shape_error': lambda: parse([one], a=fixed(None, tf.int64)),
        'no_features_error': lambda: parse([one]),
        'kind_error': lambda: parse([one], a=3),
        'rank_error': lambda: parse([[one]], a=fixed([2], tf.int64)),
        'not_scalar_error': lambda: single([one], a=fixed([2], tf.int64)),
        'sequence': lambda: io.parse_single_sequence_example(sequence, {'a': fixed([2], tf.int64)}, {
            'f': var(tf.int64), 'g': step([2], tf.float32)}),
        'sequences': lambda: io.parse_sequence_example([sequence, sequence], {'a': var(tf.int64)}, {
            'f': ragged(tf.int64), 'g': step([2], tf.float32), 'h': step([2], tf.float32, allow_missing=True)}),
        'sequence_ragged': lambda: io.parse_single_sequence_example(sequence, None, {'f': ragged(tf.int64)}),
        'sequence_missing_error': lambda: io.parse_single_sequence_example(sequence, None, {'h': step([2], tf.float32)}),
        'sequence_size_error': lambda: io.parse_single_sequence_example(sequence, {'a': fixed([3], tf.int64)}),
        'sequence_step_error': lambda: io.parse_single_sequence_example(sequence, None, {'f': step([2], tf.int64)}),
        'serialize': lambda: [io.serialize_tensor(tf.constant(v)) for v in (
            [1, 2], [1.5], ['a', 'bc'], True, 1 + 2j, [[], []])] + [io.serialize_tensor(tf.constant([3], tf.uint16))],
        'there_and_back': lambda: [io.parse_tensor(io.serialize_tensor(v), v.dtype) for v in (
            tf.constant([[1, 2]]), tf.constant(['a', '']), tf.constant([True]), tf.constant(2.5, tf.float16), tf.zeros([0, 2]))],
        'parse_packed': lambda: io.parse_tensor(tf.make_tensor_proto([5, 5, 5], shape=[3]).SerializeToString(), tf.int32),
        'parse_error': lambda: io.parse_tensor(b'zz', tf.float32),
        'parse_dtype_error': lambda: io.parse_tensor(io.serialize_tensor([1]), tf.float32),
        'raw': lambda: [io.decode_raw(['abcd', 'efgh'], tf.uint8), io.decode_raw(['abcd'], tf.int16), io.decode_raw(
            ['abcd', 'efgh'], tf.int16, little_endian=False), io.decode_raw(['abcd', 'e'], tf.uint8, fixed_length=3), io.decode_raw('', tf.float32)],
        'raw_length_error': lambda: io.decode_raw(['abcd', 'e'], tf.uint8),
        'raw_multiple_error': lambda: io.decode_raw(['abc'], tf.uint16),
        'raw_fixed_error': lambda: io.decode_raw(['ab'], tf.uint16, fixed_length=3),
        'raw_dtype_error': lambda: io.decode_raw(['ab'], tf.string),
        'base64': lambda: [io.encode_base64(['abc', 'a', b'\xff\xfe']), io.encode_base64(['a'], pad=True), io.decode_base64(['YWJj', 'YQ', 'YQ=='])],
        'base64_length_error': lambda: io.decode_base64(['Y']),
        'base64_character_error': lambda: io.decode_base64(['Y+Jj']),
        'csv': lambda: [io.decode_csv(['1,2.5,"a,b"', ',,'], [[0], [1.5], ['d']]), io.decode_csv(['1,2,3'], [[0], [0]], select_cols=[0, 2]),
                        io.decode_csv(['1,NA'], [[0], [5]], na_value='NA'), io.decode_csv(['1;2'], [[0], [0]], field_delim=';'),
                        io.decode_csv(['"a""b",2'], [[''], [0]]), io.decode_csv([' 1, 2'], [[0], [0.]]), io.decode_csv(
                            ['"a",2'], [[''], ['']], use_quote_delim=False)],
        'csv_count_error': lambda: io.decode_csv('1', [[0], [1.5]]),
        'csv_more_error': lambda: io.decode_csv('1,2,3', [[0], [0]]),
        'csv_number_error': lambda: io.decode_csv(['x'], [[0]]),
        'csv_range_error': lambda: io.decode_csv(['99999999999'], [[0]]),
        'csv_required_error': lambda: io.decode_csv([',1'], [tf.int32, [0]]),
        'csv_quote_error': lambda: io.decode_csv(['1 "a"'], [['']]),
        'csv_after_quote_error': lambda: io.decode_csv(['"a"b'], [['']]),
        'csv_open_quote_error': lambda: io.decode_csv(['"abc'], [['']]),
        'csv_default_error': lambda: io.decode_csv(['1'], [[0, 1]]),
        'csv_order_error': lambda: io.decode_csv(['1,2,3'], [[0], [0]], select_cols=[2, 0]),
        'csv_delimiter_error': lambda: io.decode_csv(['1'], [[0]], field_delim='ab'),
        'compressed': lambda: [io.decode_compressed([zlib.compress(b'hi')], compression_type='ZLIB'), io.decode_compressed(
            [gzip.compress(b'hi')], compression_type='GZIP'), io.decode_compressed(['as it is'])],
        'compressed_error': lambda: io.decode_compressed([b'hi'], compression_type='ZLIB'),
        'compressed_type_error': lambda: io.decode_compressed([b'hi'], compression_type='X'),
        'written': written,
        'read_error': lambda: io.read_file(path('nope')),
        'read_rank_error': lambda: io.read_file([path('nope')]),
        'gfile': files,
        'gfile_read_error': lambda: gfile.GFile(path('nope')).read(),
        'gfile_mode_error': lambda: gfile.GFile(path('nope'), 'q'),
        'gfile_write_error': lambda: gfile.GFile(path('nope')).write('a'),
        'gfile_remove_error': lambda: gfile.remove(path('nope')),
        'gfile_list_error': lambda: gfile.listdir(path('nope')),
        'gfile_stat_error': lambda: gfile.stat(path('nope')),
        'gfile_rmtree_error': lambda: gfile.rmtree(path('nope')),
        'gfile_copy_error': lambda: gfile.copy(path('nope'), path('x')),
        'message_text': lambda: str(train.Example(features=features(a=[1, 2]))),
        'message_bytes': lambda: message.SerializeToString(deterministic=True),
        'message_values': lambda: [list(message.features.feature['a'].int64_list.value), message.features.feature['b'].WhichOneof('kind'),
                                   message.HasField('features'), train.Feature().WhichOneof('kind'), train.Example().HasField('features')],
        'message_changed': lambda: [list(changed().features.feature['n'].int64_list.value), list(changed().features.feature['f'].float_list.value)],
        'message_merged': merged,
        'message_equal': lambda: [message == train.Example.FromString(message.SerializeToString()), message == changed()],
        'message_parse': lambda: [train.Example().ParseFromString(one), sorted(train.Example.FromString(one).features.feature)],
        'message_parse_error': lambda: train.Feature(int64_list=train.Int64List(value=['a'])),
        'message_field_error': lambda: train.Feature(nothing=1),
        'cluster': lambda: _cluster(tf),
        'cluster_error': lambda: tf.train.ClusterSpec({'w': ['a:1']}).task_address('w', 7),
        'wav': lambda: [tf.audio.decode_wav(tf.audio.encode_wav([[0.], [.5], [-1.]], 8000)), tf.audio.decode_wav(
            tf.audio.encode_wav([[0.], [.5]], 8000), desired_channels=2, desired_samples=3)],
        'wav_error': lambda: tf.audio.decode_wav('RIFFxxxx'),
    }


def _cluster(tf):
    spec = tf.train.ClusterSpec({'worker': ['a:1', 'b:2'], 'ps': {3: 'c:3'}})
    return [spec.jobs, spec.num_tasks('worker'), spec.task_indices('ps'), spec.task_address('ps', 3), spec.job_tasks('worker'), spec.as_dict(),
            spec == tf.train.ClusterSpec(spec.as_cluster_def()), str(spec), str(spec.as_cluster_def())]


# What is no tensor, and what depends on the order in which files are written.
EAGER_ONLY = ('ragged_in_session', 'in_dataset', 'gfile', 'written', 'cluster', 'parse_packed', 'message_text', 'message_bytes', 'message_values',
              'message_changed', 'message_merged', 'message_equal', 'message_parse')
