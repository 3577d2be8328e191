"""SavedModels as libraries of layers take them: the objects of a file by number, a folder without values, a part with given objects."""
import os
import tempfile
import unittest

import footlight as tf
from footlight import _alias

_alias.install()


class Layer(tf.Module):
    """Has a kernel and a function."""

    def __init__(self, value):
        super().__init__(name='layer')
        self.kernel = tf.Variable([value], name='kernel')

    @tf.function(input_signature=[tf.TensorSpec([None])])
    def call(self, x):
        return x * self.kernel


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, 'model')
        self.model = tf.Module(name='model')
        self.model.layer = Layer(2.)
        self.model.other = tf.Variable(5.)

    def test_nodes_and_their_paths(self):
        from tensorflow.python.saved_model import save
        nodes, paths = save.save_and_return_nodes(self.model, self.path)
        self.assertIs(nodes[0], self.model)
        self.assertEqual([one.name for one in paths[self.model.layer.kernel]], ['layer', 'kernel'])
        self.assertEqual(list(paths[self.model]), [])
        saved = tf.__internal__.saved_model.parse_saved_model(self.path).meta_graphs[0].object_graph_def
        self.assertEqual(len(saved.nodes), len(nodes))
        number = next(i for i, node in enumerate(nodes) if node is self.model.layer.kernel)
        self.assertEqual(saved.nodes[number].WhichOneof('kind'), 'variable')

    def test_without_values(self):
        from tensorflow.python.saved_model import save
        save.save_and_return_nodes(self.model, self.path, experimental_skip_checkpoint=True)
        self.assertFalse(os.path.exists(os.path.join(self.path, 'variables', 'variables.index')))
        loaded = tf.saved_model.load(self.path, options=tf.saved_model.LoadOptions(experimental_skip_checkpoint=True))
        self.assertEqual(loaded.other.numpy(), 0.)

    def test_given_objects_take_the_place_of_those_of_the_file(self):
        tf.saved_model.save(self.model, self.path)
        mine, set_children = Layer(-1.), []
        found = tf.__internal__.saved_model.load_partial(self.path, {
            'root': None, 'root.layer': (mine, lambda owner, name, child: set_children.append(name)),
            'root.layer.kernel': mine.kernel})
        self.assertIs(found['root.layer'], mine)
        self.assertIs(found['root'].layer, mine)
        self.assertEqual(mine.kernel.numpy().tolist(), [2.])  # it got the value of the file
        self.assertEqual(sorted(set_children), ['call', 'kernel'])
        self.assertEqual(found['root'].other.numpy(), 5.)
        found = tf.__internal__.saved_model.load_partial(self.path, ['root.other'])
        self.assertEqual(found['root.other'].numpy(), 5.)

    def test_unknown_paths(self):
        tf.saved_model.save(self.model, self.path)
        for path, words in (('root.no', r"no object 'root.no'.*'layer', 'other'"), ('layer', "does not start with 'root'")):
            with self.assertRaisesRegex(ValueError, words):
                tf.__internal__.saved_model.load_partial(self.path, [path])

    def test_function_of_an_iterator(self):
        class Adapting(tf.Module):
            """Adds up what an iterator gives."""

            def __init__(self):
                super().__init__()
                self.total = tf.Variable(0.)

            @tf.function
            def adapt(self, iterator):
                self.total.assign_add(tf.reduce_sum(next(iterator)))
                return self.total.read_value()
        adapting = Adapting()
        data = tf.data.Dataset.from_tensors([1., 2.]).repeat(2)
        self.assertEqual(adapting.adapt(iter(data)).numpy(), 3.)
        tf.saved_model.save(adapting, self.path)
        loaded = tf.saved_model.load(self.path)
        self.assertEqual(loaded.adapt(iter(data)).numpy(), 6.)


class Decorators(unittest.TestCase):
    def test_decorated_method_takes_no_instance(self):
        from tensorflow.python.util import tf_decorator, tf_inspect

        class Owner:
            """Has a method."""

            def call(self, x, y=2):
                return x + y
        owner = Owner()
        inner = tf_decorator.make_decorator(
            owner.call, lambda *args, **kwargs: owner.call(*args, **kwargs), decorator_argspec=tf_inspect.getfullargspec(owner.call))
        outer = tf_decorator.make_decorator(inner, lambda *args, **kwargs: inner(*args, **kwargs))
        self.assertEqual(list(outer.__signature__.parameters), ['x', 'y'])
        self.assertIs(outer.__self__, owner)
        self.assertEqual(tf.function(outer)(tf.constant(1)).numpy(), 3)
        self.assertEqual(tf.function(outer).get_concrete_function(tf.TensorSpec([], tf.int32))(tf.constant(4)).numpy(), 6)
