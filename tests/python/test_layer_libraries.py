"""What libraries of layers (Sonnet, tf_keras) ask: numbers of NumPy as rates, what a callable keeps, ranks of specs, old variables as keys."""
import functools
import unittest

import numpy as np

import footlight as tf
from footlight import _alias

_alias.install()


class Rates(unittest.TestCase):
    def test_number_of_numpy_fits_every_dtype(self):
        for rate in (np.float64(.5), np.float32(.5), np.float16(.5)):
            for x in (tf.ones([100]), tf.ones([100], tf.float64), tf.ones([100], tf.bfloat16)):
                for run in (lambda: tf.nn.dropout(x, rate), tf.function(lambda: tf.nn.dropout(x, rate))):
                    self.assertLessEqual(set(tf.cast(run(), tf.float32).numpy()), {0., 2.})
                dropped = tf.nn.experimental.stateless_dropout(x, rate, seed=[1, 2])
                self.assertLessEqual(set(tf.cast(dropped, tf.float32).numpy()), {0., 2.})
        self.assertEqual(tf.nn.dropout(tf.ones([3]), np.float64(0)).numpy().tolist(), [1., 1., 1.])

    def test_tensor_has_the_dtype_of_x(self):
        with self.assertRaisesRegex(ValueError, 'one dtype'):
            tf.nn.dropout(tf.ones([3]), tf.constant(.5, tf.float64))
        with self.assertRaisesRegex(ValueError, r'range \[0, 1\)'):
            tf.nn.dropout(tf.ones([3]), np.float64(1.5))
        with self.assertRaisesRegex(ValueError, 'scalar'):
            tf.nn.dropout(tf.ones([3]), np.array([.5], np.float32))


class Scale:
    """A callable that keeps what it works with."""

    def __init__(self):
        self.factor = tf.Variable(2.)

    def __call__(self, x):
        return x * self.factor


class Callables(unittest.TestCase):
    def test_function_shows_what_its_callable_keeps(self):
        scale = Scale()
        function = tf.function(scale)
        self.assertIs(function.factor, scale.factor)
        self.assertEqual(function(3.).numpy(), 6.)
        with self.assertRaises(AttributeError):
            function.other
        function.other = 3  # of the function alone
        self.assertFalse(hasattr(scale, 'other'))

    def test_decorated_function_is_what_is_traced(self):
        def plain(x):
            return x + 1

        @functools.wraps(plain)
        def around(x):
            return plain(x) * 2
        around.mark = 'kept'
        function = tf.function(around)
        self.assertEqual((function.mark, function(1).numpy(), function.__name__), ('kept', 4, 'plain'))
        self.assertIs(function.__wrapped__, around)

        class Holder:
            """Has a traced method."""

            call = function
        self.assertEqual(Holder.call.mark, 'kept')


class Specs(unittest.TestCase):
    def test_ranks_alone(self):
        self.assertEqual(tf.TensorSpec([2, 3], name='a')._with_tensor_ranks_only(), tf.TensorSpec([None, None], name='a'))
        self.assertEqual(tf.TensorSpec(None)._with_tensor_ranks_only(), tf.TensorSpec(None))
        self.assertEqual(tf.SparseTensorSpec([2, 3])._with_tensor_ranks_only(), tf.SparseTensorSpec([None, None]))
        self.assertEqual(tf.RaggedTensorSpec([2, None])._with_tensor_ranks_only(), tf.RaggedTensorSpec([None, None]))
        inner = tf.data.DatasetSpec(tf.TensorSpec([2]))._with_tensor_ranks_only()
        self.assertEqual(inner.element_spec, tf.TensorSpec([None]))

    def test_spec_of_a_variable(self):
        variable = tf.Variable([1., 2.], trainable=False)
        self.assertEqual(variable._type_spec, tf.type_spec_from_value(variable))
        self.assertIs(tf.nest.flatten([variable], expand_composites=True)[0], variable)
        self.assertIs(tf.nest.map_structure(lambda x: x, variable, expand_composites=True), variable)
        self.assertEqual(tf.function(lambda: [variable])()[0].numpy().tolist(), [1., 2.])

    def test_dimensions(self):
        dims = tf.TensorShape([2, None]).dims
        self.assertEqual((repr(dims), dims[0].value, dims[1].value), ('[Dimension(2), Dimension(None)]', 2, None))
        self.assertEqual(tf.TensorShape([2, 3]).dims, [2, 3])
        self.assertIsNone(tf.TensorShape(None).dims)
        self.assertEqual(tf.zeros([2, 3]).shape.dims[1] * 2, 6)


class Graphs(unittest.TestCase):
    def test_old_variables_are_keys(self):
        with tf.Graph().as_default():
            a, b = (tf.compat.v1.get_variable(name, [2]) for name in 'ab')
            self.assertEqual({a: 1, b: 2}[b], 2)
            self.assertIs(a == a, True)
            self.assertIs(a == b, False)
            self.assertIs(a != b, True)
            self.assertIn(b, [a, b])
        with self.assertRaisesRegex(TypeError, 'unhashable'):
            hash(tf.Variable(1.))
        self.assertEqual((tf.Variable([1., 2.]) == tf.Variable([1., 3.])).numpy().tolist(), [True, False])

    def test_key_and_context(self):
        keys = []
        with tf.Graph().as_default() as graph:
            tf.function(lambda: keys.append(tf.compat.v1.get_default_graph()._graph_key)).get_concrete_function()
        self.assertEqual(keys, [graph._graph_key])
        self.assertNotEqual(tf.Graph()._graph_key, tf.Graph()._graph_key)
        tf.function(lambda: keys.append(tf.compat.v1.get_default_graph()._graph_key))()
        self.assertEqual(keys[1], tf.compat.v1.get_default_graph()._graph_key)
        self.assertIsNone(graph._get_control_flow_context())
        graph._set_control_flow_context('mine')
        self.assertEqual(graph._get_control_flow_context(), 'mine')


class Strategies(unittest.TestCase):
    def test_older_run(self):
        for strategy in (tf.distribute.get_strategy(), tf.distribute.MirroredStrategy()):
            self.assertEqual(strategy.experimental_run(lambda: 3), 3)
            self.assertEqual(strategy.experimental_run(lambda x: x + 1, iter(tf.data.Dataset.range(5))).numpy(), 1)


if __name__ == '__main__':
    unittest.main()
