"""Random numbers: distributions by their moments and distribution functions, generators' streams, seeds."""
import math
import unittest

import footlight as tf
from derivatives import gradient
from folder_case import FolderCase

COUNT = 20000


def values_of(tensor):
    """As nested Python lists, without NumPy."""
    return memoryview(tf.convert_to_tensor(tensor)).tolist()


def normal_cdf(x):
    return 0.5 * (1 + math.erf(x / math.sqrt(2)))


def distance(values, cdf):
    """Kolmogorov's distance: the largest difference between the values' empirical distribution function and `cdf`."""
    values = sorted(values)
    n = len(values)
    return max(max(abs(cdf(v) - i / n), abs(cdf(v) - (i + 1) / n)) for i, v in enumerate(values))


def listed(tensor):
    return values_of(tf.reshape(tf.cast(tensor, tf.float64), [-1]))


class Distributions(unittest.TestCase):
    # At 20,000 numbers the distance is above 0.014 once in a thousand times; the seeds are fixed.
    def continuous(self, tensor, cdf, mean, variance):
        values = listed(tensor)
        self.assertLess(distance(values, cdf), 0.014)
        got = sum(values) / len(values)
        self.assertAlmostEqual(got, mean, delta=5 * math.sqrt(variance / len(values)))
        self.assertAlmostEqual(sum((v - got) ** 2 for v in values) / len(values), variance, delta=0.08 * variance)

    def discrete(self, tensor, mass, mean, variance):
        values = [int(v) for v in listed(tensor)]
        n = len(values)
        got = sum(values) / n
        self.assertAlmostEqual(got, mean, delta=5 * math.sqrt(variance / n))
        self.assertAlmostEqual(sum((v - got) ** 2 for v in values) / n, variance, delta=0.08 * variance)
        for k in set(values):
            p = mass(k)
            self.assertAlmostEqual(values.count(k) / n, p, delta=5 * math.sqrt(p / n) + 1e-3)

    def test_uniform(self):
        for dtype in (tf.float32, tf.float64):
            for alg in ('philox', 'threefry'):
                self.continuous(tf.random.stateless_uniform([COUNT], [1, 2], -1, 3, dtype, alg=alg),
                                lambda x: (x + 1) / 4, 1, 16 / 12)
        tf.random.set_seed(5)
        self.continuous(tf.random.uniform([COUNT]), lambda x: x, 0.5, 1 / 12)
        self.discrete(tf.random.uniform([COUNT], 3, 9, tf.int32), lambda k: 1 / 6 if 3 <= k < 9 else 0, 5.5, 35 / 12)

    def test_normal(self):
        for dtype in (tf.float32, tf.float64):
            for alg in ('philox', 'threefry'):
                self.continuous(tf.random.stateless_normal([COUNT], [3, 4], 2.0, 3.0, dtype, alg=alg),
                                lambda x: normal_cdf((x - 2) / 3), 2, 9)
        tf.random.set_seed(6)
        self.continuous(tf.random.normal([COUNT]), normal_cdf, 0, 1)

    def test_truncated_normal(self):
        below = normal_cdf(-2)
        inside = 1 - 2 * below
        variance = 1 - 4 * math.exp(-2) / math.sqrt(2 * math.pi) / inside
        for alg in ('philox', 'threefry'):
            x = tf.random.stateless_truncated_normal([COUNT], [5, 6], alg=alg)
            self.assertLessEqual(max(map(abs, listed(x))), 2)
            self.continuous(x, lambda v: (normal_cdf(v) - below) / inside, 0, variance)

    def test_truncated_between_any_bounds(self):
        for low, high in ((-1.0, 6.0), (0.5, 0.7), (2.5, 9.0), (-4.0, -3.0)):
            x = tf.random.stateless_parameterized_truncated_normal([COUNT], [7, 8], 0.0, 1.0, low, high)
            below, inside = normal_cdf(low), normal_cdf(high) - normal_cdf(low)
            values = listed(x)
            self.assertTrue(all(low <= v <= high for v in values))
            self.assertLess(distance(values, lambda v: (normal_cdf(v) - below) / inside), 0.014)

    def test_gamma(self):
        # For integer alpha the distribution function has a closed form.
        def cdf(alpha):
            return lambda x: 1 - math.exp(-x) * sum(x ** k / math.factorial(k) for k in range(alpha))
        for alpha in (1, 2, 5):
            self.continuous(tf.random.stateless_gamma([COUNT], [1, alpha], float(alpha)), cdf(alpha), alpha, alpha)
        half = tf.random.stateless_gamma([COUNT], [1, 9], 0.5)
        self.continuous(half, lambda x: math.erf(math.sqrt(x)), 0.5, 0.5)
        tf.random.set_seed(3)
        self.continuous(tf.random.gamma([COUNT], 2.0, 4.0), lambda x: cdf(2)(4 * x), 0.5, 0.125)

    def test_poisson(self):
        for rate in (0.5, 4.0, 25.0):
            mass = lambda k, rate=rate: math.exp(k * math.log(rate) - rate - math.lgamma(k + 1))
            self.discrete(tf.random.stateless_poisson([COUNT], [2, 3], rate), mass, rate, rate)
            tf.random.set_seed(4)
            self.discrete(tf.random.poisson([COUNT], rate), mass, rate, rate)

    def test_binomial(self):
        for n, p in ((10, 0.3), (10, 0.8), (100, 0.25), (60, 0.9)):
            mass = lambda k, n=n, p=p: math.comb(n, k) * p ** k * (1 - p) ** (n - k)
            self.discrete(tf.random.stateless_binomial([COUNT], [2, 3], float(n), p), mass, n * p, n * p * (1 - p))

    def test_categorical(self):
        weights = [1.0, 2.0, 5.0]
        logits = [[math.log(w) for w in weights]]
        for x in (tf.random.stateless_categorical(logits, COUNT, [1, 2]), tf.random.categorical(logits, COUNT, seed=1)):
            values = listed(x)
            for k, w in enumerate(weights):
                self.assertAlmostEqual(values.count(k) / COUNT, w / 8, delta=0.02)

    def test_candidates(self):
        """The numbers are TensorFlow's."""
        classes = tf.constant([[1, 2], [5, 9]], tf.int64)
        tf.random.set_seed(7)
        for sampler, unique, range_max, drawn, again in (
                (tf.random.uniform_candidate_sampler, True, 16, [9, 8, 14, 2, 6, 4], [15, 12, 11, 2, 3, 13]),
                (tf.random.uniform_candidate_sampler, False, 16, [9, 8, 14, 2, 2, 6], [15, 12, 11, 2, 3, 13]),
                (tf.random.uniform_candidate_sampler, True, 37, [0, 9, 36, 12, 3, 35], [21, 33, 19, 6, 2, 22]),
                (tf.random.log_uniform_candidate_sampler, True, 16, [0, 2, 14, 1, 7, 5], [12, 2, 0, 14, 8, 3]),
                (tf.random.log_uniform_candidate_sampler, False, 37, [1, 4, 32, 0, 2, 14], [27, 4, 0, 3, 31, 17])):
            found = [values_of(sampler(classes, 2, 6, unique, range_max, seed=3).sampled_candidates) for _ in range(2)]
            self.assertEqual(found, [drawn, again], (sampler, unique, range_max))
        tf.random.set_seed(7)
        _, true, sampled = tf.random.log_uniform_candidate_sampler(classes, 2, 6, True, 16, seed=3)
        tf.debugging.assert_near(true, [[0.66078848, 0.52739960], [0.32403353, 0.21300560]], rtol=1e-6)
        tf.debugging.assert_near(sampled, [0.85970718, 0.52739960, 0.14896247, 0.66078848, 0.25712511, 0.32403353],
                                 rtol=1e-6)
        found, true, sampled = tf.random.all_candidate_sampler(classes, 2, 10, True)
        self.assertEqual(tuple(map(values_of, (found, true, sampled))), (list(range(10)), [[1, 1], [1, 1]], [1] * 10))
        for call, words in (
                (lambda: tf.random.uniform_candidate_sampler(classes, 2, 11, True, 10), 'range is too small'),
                (lambda: tf.random.uniform_candidate_sampler(classes, 3, 2, True, 10), 'expected: 3 was: 2'),
                (lambda: tf.random.log_uniform_candidate_sampler(classes, 2, 2, True, 9), 'out of range'),
                (lambda: tf.random.all_candidate_sampler(classes, 2, 9, True), 'out of range')):
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, words):
                call()

    def test_shuffles_are_permutations(self):
        tf.random.set_seed(1)
        places = [[0] * 5 for _ in range(5)]
        for i in range(2000):
            for at, v in enumerate(values_of(tf.random.experimental.stateless_shuffle(tf.range(5), [i, 1]))):
                places[at][v] += 1
        self.assertTrue(all(300 < n < 500 for row in places for n in row))
        self.assertEqual(sorted(values_of(tf.random.shuffle(tf.range(100)))), list(range(100)))
        for most in (0, 1, 9, 1000):
            got = values_of(tf.random.experimental.index_shuffle(tf.range(most + 1), [5, 9], most))
            self.assertEqual(sorted(got), list(range(most + 1)))


class Gradients(unittest.TestCase):
    def test_a_gamma_sample_moves_with_alpha(self):
        # E[d sample / d alpha] is d E[sample] / d alpha = 1 / beta.
        alpha, beta = tf.constant(2.5), tf.constant(2.0)
        with tf.GradientTape() as tape:
            tape.watch([alpha, beta])
            mean = tf.reduce_mean(tf.random.stateless_gamma([COUNT], [1, 2], alpha, beta))
        da, db = tape.gradient(mean, [alpha, beta])
        self.assertAlmostEqual(float(da), 0.5, delta=0.02)
        self.assertAlmostEqual(float(db), -2.5 / 4, delta=0.02)

    def test_nothing_flows_through_other_draws(self):
        slope = gradient(lambda x: tf.random.stateless_normal([3], [1, 2], mean=x), tf.constant(1.0))
        self.assertEqual(float(slope), 3.0)


class Generators(unittest.TestCase):
    def test_state_goes_on_in_functions_too(self):
        g = tf.random.Generator.from_seed(1)
        first = values_of(g.uniform([3]))
        again = tf.random.Generator.from_seed(1)
        draw = tf.function(lambda: again.uniform([3]))
        self.assertEqual(values_of(draw()), first)
        self.assertEqual(values_of(draw()), values_of(g.uniform([3])))
        self.assertEqual(values_of(again.state), values_of(g.state))

    def test_skip_is_as_if_drawn(self):
        a, b = tf.random.Generator.from_seed(7), tf.random.Generator.from_seed(7)
        a.normal([10])
        b.skip(10)
        self.assertEqual(values_of(a.uniform([2])), values_of(b.uniform([2])))

    def test_split_and_copies(self):
        g = tf.random.Generator.from_seed(7)
        parts = g.split(3)
        self.assertEqual(len({tuple(values_of(p.uniform([2]))) for p in parts}), 3)
        copy = tf.random.Generator(copy_from=g)
        self.assertEqual(values_of(copy.uniform([2])), values_of(g.uniform([2])))

    def test_large_draws_do_not_depend_on_how_they_are_cut(self):
        whole = values_of(tf.random.stateless_normal([100003], [1, 2]))
        self.assertEqual(whole[:1000], values_of(tf.random.stateless_normal([1000], [1, 2])))

    def test_wrong_states(self):
        with self.assertRaises(ValueError):
            tf.random.Generator.from_state([1], 'philox')
        with self.assertRaises(ValueError):
            tf.random.Generator.from_seed(1, alg='mersenne')
        with self.assertRaises(TypeError):
            tf.random.Generator.from_seed(1, alg=1.5)


class Checks(FolderCase):
    def tearDown(self):
        tf.debugging.disable_check_numerics()

    def test_numbers_are_checked_eagerly_and_in_functions(self):
        tf.debugging.enable_check_numerics()

        def bad(x):
            return tf.math.log(x - 1.0)
        x = tf.constant([1.0, 0.0])
        traced, folded = tf.function(bad), tf.function(lambda: bad(tf.constant([1.0, 0.0])))
        for f in (lambda: bad(x), lambda: traced(x), folded):
            with self.assertRaises(tf.errors.InvalidArgumentError) as caught:
                f()
            self.assertIn('"Log"', str(caught.exception))
            self.assertIn('# of -Inf elements: 1', str(caught.exception))

    def test_gradients_are_checked(self):
        tf.debugging.enable_check_numerics()
        x = tf.Variable(0.0)
        with self.assertRaises(tf.errors.InvalidArgumentError) as caught:
            with tf.GradientTape() as tape:
                y = tf.sqrt(x)
            tape.gradient(y, x)
        self.assertIn('SqrtGrad', str(caught.exception))

    def test_assertions_stand_in_program_order(self):
        seen = tf.Variable(0)

        @tf.function
        def f(x):
            seen.assign_add(1)
            tf.debugging.assert_positive(x, message='not above 0')
            seen.assign_add(10)
        f(tf.constant(1.0))
        with self.assertRaises(tf.errors.InvalidArgumentError) as caught:
            f(tf.constant(-1.0))
        self.assertIn('not above 0', str(caught.exception))
        self.assertEqual(int(seen), 12)

    def test_print_to_a_file(self):
        path = self.path('out.txt')
        tf.print('a', tf.constant([1, 2]), output_stream='file://' + path)
        tf.print('\u00e9', tf.constant('\u00e9'), end='', output_stream='file://' + path)
        with open(path, encoding='utf-8') as file:
            self.assertEqual(file.read(), 'a [1 2]\n\u00e9 "\u00e9"')


class Streams(unittest.TestCase):

    def test_one_for_each_dtype(self):
        """Ops with the same name and seed share one stream; those of other dtypes have streams of their own."""
        tf.random.set_seed(1)
        tf.random.uniform([4], 0, 100, tf.int32, seed=1)
        drawn = tf.random.uniform([4], -5, 2**40, tf.int64, seed=1)
        self.assertEqual(memoryview(drawn).tolist(), [781780160537, 696705671829, 550672410554, 703564370174])

    def test_binomial_moves_the_state(self):
        g = tf.random.Generator.from_seed(1234)
        g.binomial([2, 2], 5., .3)
        self.assertEqual(memoryview(g.state.read_value()).tolist(), [90834, 0, 0])
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'must end with'):
            g.binomial([3], [10.], [.5])

    def test_large_shapes(self):
        with self.assertRaises(tf.errors.ResourceExhaustedError):
            tf.random.uniform(tf.TensorShape([2**40]))
        self.assertEqual(tf.convert_to_tensor(tf.TensorShape([])).dtype, tf.int32)

    def test_poisson_of_rates_that_are_not_finite(self):
        rates = [float('inf'), float('nan'), 0.]
        drawn = memoryview(tf.random.stateless_poisson([3], [1, 2], rates, tf.float32)).tolist()
        self.assertEqual((drawn[0], drawn[2]), (float('inf'), 0.))
        self.assertNotEqual(drawn[1], drawn[1])
