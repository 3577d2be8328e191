"""tf.nn.fractional_max_pool and fractional_avg_pool: cells, values and gradients, eager and traced."""
import unittest

import footlight as tf

IMAGE = tf.reshape(tf.range(48.), [1, 6, 8, 1])
POOLS = (tf.nn.fractional_max_pool, tf.nn.fractional_avg_pool)


def values(tensor):
    return memoryview(tf.convert_to_tensor(tensor)).tolist()


def rows_of(pool, image, ratio, **options):
    found = pool(image, [1., *ratio, 1.], **options)
    return [values(tf.squeeze(found[0], [0, 3])), *map(values, found[1:])]


class FractionalPooling(unittest.TestCase):
    def test_even_cells(self):
        borders = [[0, 2, 4, 6], [0, 2, 4, 6, 8]]
        largest = [[9, 11, 13, 15], [25, 27, 29, 31], [41, 43, 45, 47]]
        means = [[4.5, 6.5, 8.5, 10.5], [20.5, 22.5, 24.5, 26.5], [36.5, 38.5, 40.5, 42.5]]
        for pool, wanted in zip(POOLS, (largest, means)):
            self.assertEqual(rows_of(pool, IMAGE, (2., 2.)), [wanted, *borders])
            self.assertEqual(rows_of(tf.function(pool), IMAGE, (2., 2.)), [wanted, *borders])
        self.assertEqual(rows_of(POOLS[1], tf.cast(IMAGE, tf.int32), (2., 2.))[0], [[int(x) for x in row] for row in means])

    def test_overlapping(self):
        self.assertEqual(rows_of(POOLS[0], IMAGE, (2., 2.), overlapping=True)[0],
                         [[18, 20, 22, 23], [34, 36, 38, 39], [42, 44, 46, 47]])
        self.assertEqual(rows_of(POOLS[1], IMAGE, (2., 2.), overlapping=True)[0],
                         [[9, 11, 13, 14.5], [25, 27, 29, 30.5], [37, 39, 41, 42.5]])

    def test_gradients(self):
        for pool, options, wanted in ((POOLS[0], {}, [0, 0, 0, 0, 0, 1, 0, 2]), (POOLS[1], {}, [.25, .25, .5, .5, .25, .25, .5, .5]),
                                      (POOLS[0], {'overlapping': True}, [0] * 8)):
            x = tf.reshape(tf.range(16.), [1, 4, 4, 1])
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = pool(x, [1., 2., 2., 1.], **options)[0] * tf.reshape([1., 2., 3., 4.], [1, 2, 2, 1])
            self.assertEqual(values(tf.reshape(tape.gradient(y, x), [-1]))[:8], wanted)
        zeros = tf.zeros([1, 4, 4, 1])  # of several largest numbers the first one has the gradient
        with tf.GradientTape() as tape:
            tape.watch(zeros)
            y = POOLS[0](zeros, 2.)[0]
        self.assertEqual(values(tf.reshape(tape.gradient(y, zeros), [4, 4])), [[1, 0, 1, 0], [0] * 4, [1, 0, 1, 0], [0] * 4])

    def test_borders(self):
        """Cells of two sizes, one apart, which cover the image; with a seed the same each time."""
        image = tf.zeros([1, 30, 31, 2])
        for pseudo_random in (False, True):
            for pool in POOLS:
                def made(image):
                    return pool(image, [1., 1.7, 1.4, 1.], pseudo_random, seed=3)
                traced = tf.function(made, input_signature=[tf.TensorSpec(None)])
                found = made(image)
                self.assertEqual((found[0].shape, found._fields[1:]), ([1, 17, 22, 2], ('row_pooling_sequence', 'col_pooling_sequence')))
                for borders, again, later, size in zip(found[1:], made(image)[1:], traced(image)[1:], (30, 31)):
                    sizes = values(borders[1:] - borders[:-1])
                    self.assertEqual((borders.dtype, values(borders)[0], sum(sizes), set(sizes)), (tf.int64, 0, size, {1, 2}))
                    self.assertEqual([values(again), values(later)], [values(borders)] * 2)
        drawn = {tuple(values(POOLS[0](image, 1.5)[1])) for _ in range(6)}
        self.assertGreater(len(drawn), 1)
        self.assertEqual(values(POOLS[0](image, [1., 29., 31., 1.])[1]), [0, 30])

    def test_infinite_numbers(self):
        x = tf.fill([1, 3, 3, 1], -float('inf'))
        self.assertEqual(rows_of(POOLS[0], x, (1.5, 1.5))[0], [[-float('inf')] * 2] * 2)

    def test_old_form(self):
        pool = tf.compat.v1.nn.fractional_max_pool
        first, again = (pool(IMAGE, [1., 1.4, 1.4, 1.], deterministic=True, seed=4, seed2=5) for _ in range(2))
        self.assertEqual([values(v) for v in first], [values(v) for v in again])
        self.assertRaisesRegex(TypeError, 'Expected list', tf.compat.v1.nn.fractional_avg_pool, IMAGE, 2.)

    def test_refused(self):
        invalid = tf.errors.InvalidArgumentError
        for kind, words, ratio in ((ValueError, '>= 1.0', .5), (ValueError, 'list of 4', []), (ValueError, 'list of 4', [1., 1.]),
                                   (ValueError, 'list of 4', [2., 2.]), (ValueError, 'first and last', [1., 2., 2., 2.]), (ValueError, '>= 1.0', [1., .5, 2., 1.]),
                                   (ValueError, 'an int or a list', 'a'), (invalid, 'higher than', 7.)):
            with self.assertRaisesRegex(kind, words):
                POOLS[0](IMAGE, ratio)
        self.assertRaisesRegex(TypeError, 'Expected list', POOLS[1], IMAGE, 2.)
        self.assertRaisesRegex(invalid, '4-dimensional', POOLS[0], tf.ones([3, 3]), 2.)
        self.assertRaisesRegex(invalid, 'of uint8', POOLS[0], tf.cast(IMAGE, tf.uint8), 2.)
