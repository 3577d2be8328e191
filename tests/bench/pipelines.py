"""One pass through a dataset of 20,000 elements: numbers mapped, shuffled and batched; TFRecord files parsed; a generator."""
import os
import tempfile

import bench

COUNT = 1000 if bench.QUICK else 20000
_folder = tempfile.TemporaryDirectory()


def pipelines(tf):
    """{row name: a function that makes the work}."""
    Dataset = tf.data.Dataset
    path = os.path.join(_folder.name, 'records')

    def passes(dataset):
        def run():
            for _ in dataset:
                pass
        return run

    def numbers():
        return passes(Dataset.range(COUNT).map(lambda x: x * 2 + 1).shuffle(1000).batch(32).prefetch(2))

    def parallel():
        return passes(Dataset.range(COUNT).map(lambda x: x * 2 + 1, num_parallel_calls=tf.data.AUTOTUNE).batch(32)
                      .prefetch(tf.data.AUTOTUNE))

    def records():
        if not os.path.exists(path):
            with tf.io.TFRecordWriter(path) as writer:
                for i in range(COUNT):
                    writer.write(str(i * 1.5))
        return passes(tf.data.TFRecordDataset(path).map(
            lambda r: tf.strings.to_number(r, tf.float32), num_parallel_calls=2).batch(32).prefetch(2))

    def generator():
        def rows():
            for i in range(COUNT):
                yield i, float(i)
        return passes(Dataset.from_generator(rows, output_signature=(
            tf.TensorSpec([], tf.int64), tf.TensorSpec([], tf.float32))).batch(32))

    def each():
        return passes(Dataset.range(COUNT).map(lambda x: x + 1))
    return {'range, map, shuffle, batch, prefetch': numbers, 'range, parallel map, batch, prefetch': parallel,
            'TFRecord, parse, batch, prefetch': records, 'from_generator, batch': generator,
            'range, map, each element in Python': each}


def footlight(name):
    def make():
        import footlight as tf
        return pipelines(tf)[name]()
    return make


NAMES = ('range, map, shuffle, batch, prefetch', 'range, parallel map, batch, prefetch',
         'TFRecord, parse, batch, prefetch', 'from_generator, batch', 'range, map, each element in Python')
ROWS = [bench.Row(name, footlight(name)) for name in NAMES]
PEERS_ARE_MADE = True


def peers(library):
    if library != 'tensorflow':
        return {}
    import tensorflow as tf
    return pipelines(tf)


if __name__ == '__main__':
    bench.main()
