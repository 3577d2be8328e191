"""Seeds of graphs, streams of random ops in sessions, names of variables in graphs: as recorded with TensorFlow."""
import unittest

import footlight as tf

v1 = tf.compat.v1


def rounded(values):
    return [round(float(value), 5) for value in values]


class Seeds(unittest.TestCase):
    def test_the_eager_seed_is_not_that_of_graphs(self):
        tf.random.set_seed(5)
        with tf.Graph().as_default() as graph:
            plain, own = tf.random.uniform([]), tf.random.uniform([], seed=3)
            self.assertIsNone(graph.seed)
            drawn = []
            for _ in range(2):
                with v1.Session() as session:
                    drawn.append([session.run([plain, own]) for _ in range(2)])
        self.assertNotEqual(drawn[0][0][0], drawn[1][0][0])
        for session in drawn:
            self.assertEqual(rounded(both[1] for both in session), [0.38693, 0.66334])
        self.assertEqual(rounded(tf.random.uniform([]) for _ in range(2)), [0.62639, 0.70171])

    def test_each_session_begins_again(self):
        with tf.Graph().as_default() as graph:
            v1.set_random_seed(7)
            self.assertEqual(graph.seed, 7)
            a, b, c = tf.random.uniform([]), tf.random.uniform([], seed=3), tf.random.uniform([])
            d = tf.function(lambda: tf.random.uniform([]))()
            for number in range(2):
                with v1.Session() as session:
                    self.assertEqual(rounded(session.run([b, a, c])), [0.40109, 0.75373, 0.46037])
                    self.assertEqual(rounded(session.run([b, a, c])), [0.70619, 0.5876, 0.51897])
                    if not number:  # a function that is called goes on with its stream in other sessions
                        self.assertEqual(rounded(session.run([d])), [0.75373])
                    self.assertEqual(rounded([session.run(a)]), [0.3971])
                    self.assertEqual(rounded(session.run([a, c])), [0.7915, 0.74075])

    def test_a_graph_that_is_built_in_two_parts(self):
        with tf.Graph().as_default() as graph:
            v1.set_random_seed(3)
            a = tf.random.normal([])
        with graph.as_default():
            b = tf.random.normal([])
            dropped = tf.nn.dropout(tf.ones([8]), 0.5)
            w = v1.get_variable('w', [2])
            with v1.Session() as session:
                self.assertEqual(rounded(session.run([a, b])), [-1.86472, -0.02354])
            with v1.Session() as session:
                first, second = session.run(dropped).tolist(), session.run(dropped).tolist()
            with v1.Session() as session:
                self.assertEqual(session.run(dropped).tolist(), first)
                session.run(w.initializer)
                before = session.run(w).tolist()
                session.run(w.initializer)
                self.assertNotEqual(session.run(w).tolist(), before)
            with v1.Session() as session:
                session.run(w.initializer)
                self.assertEqual(session.run(w).tolist(), before)
        self.assertNotEqual(first, second)

    def test_a_function_that_sets_a_seed_sets_its_own(self):
        tf.random.set_seed(5)
        self.assertEqual(rounded(tf.random.uniform([]) for _ in range(2)), [0.62639, 0.70171])

        @tf.function
        def f():
            tf.random.set_seed(9)
            return tf.random.uniform([])
        self.assertEqual(rounded(f() for _ in range(2)), [0.08013, 0.21257])
        self.assertEqual(rounded(tf.random.uniform([]) for _ in range(2)), [0.2018, 0.94128])
        g = tf.function(lambda: (tf.random.uniform([]), tf.random.uniform([], seed=2)))
        self.assertEqual(rounded(g()), [0.18286, 0.01476])

    def test_the_seed_of_a_graph_can_be_set(self):
        graph = tf.Graph()
        graph.seed = 4
        with graph.as_default():
            v1.set_random_seed(None)
        self.assertIsNone(graph.seed)


class Names(unittest.TestCase):
    def test_names_of_a_graph_are_its_own(self):
        with tf.Graph().as_default():
            variables = [tf.Variable(1.), tf.Variable(2.), tf.Variable(3., name='x'), tf.Variable(4., name='x')]
            with tf.name_scope('n'):
                variables.append(tf.Variable(5.))
            names = ['Variable', 'Variable_1', 'x', 'x_1', 'n/Variable']
            self.assertEqual([v.name for v in variables], [name + ':0' for name in names])
            self.assertEqual([v.op.name for v in variables], names)
        self.assertEqual([tf.Variable(1.).name for _ in range(2)], ['Variable:0'] * 2)
