"""Positions of iterators in checkpoints."""
import os
import subprocess
import sys
import textwrap

import numpy as np

import footlight as tf
from folder_case import FolderCase

Dataset = tf.data.Dataset


def contents(value):
    """Elements with datasets among them as plain values."""
    if isinstance(value, Dataset):
        return [contents(x) for x in value]
    return tf.nest.map_structure(lambda x: contents(x) if isinstance(x, Dataset) else np.asarray(x).tolist(), value)


class Positions(FolderCase):
    NUMBERS = Dataset.range(40)
    PIPELINES = {
        'map': lambda n: n.map(lambda x: x * 2),
        'parallel_map': lambda n: n.map(lambda x: x * 2, num_parallel_calls=3),
        'shuffle': lambda n: n.shuffle(7, seed=3).repeat(2),
        'cache': lambda n: n.map(lambda x: x + 1).cache().repeat(2),
        'padded': lambda n: n.map(lambda x: tf.range(x)).padded_batch(3),
        'window': lambda n: n.window(3, 2).prefetch(2),
        'windows': lambda n: n.window(5, 1, drop_remainder=True).flat_map(lambda w: w.batch(5)),
        'interleave': lambda n: n.interleave(lambda x: Dataset.range(x, x + 5), 3, 2),
        'parallel_interleave': lambda n: n.interleave(lambda x: Dataset.range(x, x + 5), 3, 2, num_parallel_calls=2),
        'filter': lambda n: n.filter(lambda x: x % 3 == 0).skip(2).take(9),
        'scan': lambda n: n.scan(tf.constant(0, tf.int64), lambda s, x: (s + x, s + x)),
        'group': lambda n: n.group_by_window(lambda x: x % 3, lambda key, group: group.batch(4), window_size=4),
        'unique': lambda n: n.map(lambda x: x % 7).unique(),
        'zip': lambda n: Dataset.zip((n.shard(3, 1), n.shuffle(4, seed=1))).concatenate(Dataset.zip((n, n))),
        'rebatch': lambda n: n.batch(6).rebatch(4).unbatch(),
        'slices': lambda n: Dataset.from_tensor_slices(([1, 2, 3], ['a', 'b', 'c'])).repeat(3),
        'random': lambda n: Dataset.random(seed=4).take(12),
        'choose': lambda n: Dataset.choose_from_datasets([n, n.map(lambda x: -x)], n.map(lambda x: x % 2)),
        'take_while': lambda n: n.take_while(lambda x: x < 9).ignore_errors(),
        'all': lambda n: n.map(lambda x: {'x': x, 's': tf.strings.as_string(x)}, num_parallel_calls=2).shuffle(
            11, seed=5).repeat(3).batch(4, drop_remainder=True).prefetch(2),
    }

    def test_go_on_with_the_same_elements(self):
        for name, make in self.PIPELINES.items():
            for taken in (0, 1, 7):
                iterator = iter(make(self.NUMBERS))
                for _ in range(taken):
                    next(iterator, None)
                path = tf.train.Checkpoint(iterator=iterator).write(self.path('c'))
                other = iter(make(self.NUMBERS))
                next(other)
                tf.train.Checkpoint(iterator=other).read(path).assert_consumed()
                rest = [contents(x) for x in iterator]
                self.assertGreater(len(rest), 0 if taken < 7 else -1, name)
                self.assertEqual([contents(x) for x in other], rest, (name, taken))
                self.assertEqual(list(other), [])

    def test_files(self):
        names = []
        for k in range(2):
            names.append(self.path(f'part{k}'))
            self.write(names[-1], ''.join(f'{k},{i}\n' for i in range(4)))
        for make in (lambda: tf.data.TextLineDataset(names),
                     lambda: tf.data.experimental.CsvDataset(names, [tf.int32, tf.int32])):
            for taken in range(8):
                iterator, other = make().as_numpy_iterator(), make().as_numpy_iterator()
                for _ in range(taken):
                    next(iterator)
                other.restore(iterator.save())
                self.assertEqual(list(other), list(iterator))

    def test_in_another_process(self):
        script = textwrap.dedent('''
            import sys
            import footlight as tf
            it = iter(tf.data.Dataset.range(30).shuffle(9).batch(4).prefetch(2))  # a seed of the system's
            checkpoint = tf.train.Checkpoint(it=it)
            if len(sys.argv) > 2:
                checkpoint.restore(sys.argv[1])
            else:
                next(it)
                checkpoint.write(sys.argv[1])
            print([x.numpy().tolist() for x in it])
            ''')
        path = self.path('c')
        first, second = [subprocess.run([sys.executable, '-c', script, path, *more], text=True, check=True,
                                        capture_output=True).stdout for more in ([], ['restore'])]
        self.assertEqual(first, second)
        self.assertGreater(len(first), 80)

    def test_what_cannot_be_saved(self):
        number = tf.Variable(1, dtype=tf.int64)
        random = self.NUMBERS.map(lambda x: x + tf.random.uniform([], maxval=9, dtype=tf.int64))
        for dataset, said in (
                (Dataset.from_generator(lambda: iter(range(3)), tf.int64), 'generator is stateful'),
                (random, 'RandomUniformInt is stateful'),
                (self.NUMBERS.map(lambda x: x + number), 'ReadVariableOp is stateful'),
                (self.NUMBERS.map(lambda x: tf.numpy_function(lambda v: v, [x], tf.int64)), 'PyFunc is stateful')):
            iterator = dataset.as_numpy_iterator()
            next(iterator)
            with self.assertRaisesRegex(tf.errors.FailedPreconditionError, said):
                iterator.save()
        options = tf.data.Options()
        options.experimental_external_state_policy = tf.data.experimental.ExternalStatePolicy.IGNORE
        random.with_options(options).as_numpy_iterator().save()

    def test_states_of_others(self):
        state = self.NUMBERS.as_numpy_iterator().save()
        iterator = self.NUMBERS.batch(2).as_numpy_iterator()
        next(iterator)
        with self.assertRaisesRegex(tf.errors.NotFoundError, "'range' where this dataset has 'batch'"):
            iterator.restore(state)
        self.assertEqual(next(iterator).tolist(), [2, 3])  # as if nothing had happened
        make = self.PIPELINES['all']
        it = make(self.NUMBERS).as_numpy_iterator()
        next(it)
        good = it.save().numpy()
        rng = np.random.default_rng(1)
        for _ in range(300):
            bad = bytearray(good[:rng.integers(len(good))] if rng.integers(3) == 0 else good)
            for at in rng.integers(max(len(bad), 1), size=rng.integers(1, 4)):
                bad[at:at + 1] = rng.bytes(1)
            other = make(self.NUMBERS).as_numpy_iterator()
            try:
                other.restore(bytes(bad))
                for _ in range(40):
                    next(other, None)
            except tf.errors.OpError:
                pass
        of_tensorflow = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'golden', 'datasets',
                                     'iterator-1')
        with self.assertRaisesRegex(tf.errors.UnimplementedError, 'that TensorFlow wrote for its own pipelines'):
            tf.train.Checkpoint(iterator=iter(self.NUMBERS)).read(of_tensorflow)
        with self.assertRaisesRegex(tf.errors.DataLossError, 'damaged'):
            it.restore(good[:-1])
        with self.assertRaisesRegex(tf.errors.DataLossError, 'damaged'):
            it.restore(good + b'x')
