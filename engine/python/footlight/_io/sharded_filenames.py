"""Raw ops for names of files of which several make one: ShardedFilename and ShardedFilespec."""
import footlight as tf


def _padded(number):
    return tf.strings.as_string(tf.convert_to_tensor(number, tf.int32), width=5, fill='0')


def sharded_filename(*, basename, shard, num_shards, name=None):
    """The name of one of the files: base-00001-of-00010."""
    return tf.strings.join([basename, _padded(shard), 'of', _padded(num_shards)], '-', name=name)


def sharded_filespec(*, basename, num_shards, name=None):
    """A pattern for the names of all of them: base-?????-of-00010."""
    return tf.strings.join([basename, '?????', 'of', _padded(num_shards)], '-', name=name)


RAW = {'ShardedFilename': sharded_filename, 'ShardedFilespec': sharded_filespec}
