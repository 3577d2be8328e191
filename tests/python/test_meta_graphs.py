"""Graphs with their collections and Savers in files: tf.compat.v1.train.import_meta_graph; what of a file can be called."""
import os

import footlight as tf
from folder_case import FolderCase

v1 = tf.compat.v1


class MetaGraphs(FolderCase):
    def saved(self, value):
        """A checkpoint of a variable w and of an iterator that has given 0 and 2."""
        with tf.Graph().as_default():
            w = v1.get_variable('w', initializer=2.0)
            tf.identity(w * v1.placeholder(tf.float32, [], name='x'), name='y')
            iterator = tf.data.Dataset.range(6).map(lambda x: x * 2).make_initializable_iterator()
            element = iterator.get_next()
            v1.add_to_collection('of_iterator', element)
            v1.add_to_collection('of_iterator', iterator.initializer)
            v1.add_to_collection(v1.GraphKeys.SAVEABLE_OBJECTS,
                                 v1.data.experimental.make_saveable_from_iterator(iterator))
            saver = v1.train.Saver()
            with v1.Session() as session:
                session.run([v1.global_variables_initializer(), iterator.initializer])
                self.assertEqual([int(session.run(element)) for _ in range(2)], [0, 2])
                w.load(value, session)
                path = saver.save(session, os.path.join(self.folder, 'first'))
                session.run(element)
                saver.restore(session, path)
                self.assertEqual(int(session.run(element)), 4)
                return path

    def test_graph_collections_and_values_come_back(self):
        path = self.saved(5.0)
        for name, wanted in (('second', 4), ('third', 6)):
            with tf.Graph().as_default(), v1.Session() as session:
                saver = v1.train.import_meta_graph(path + '.meta')
                element, start = v1.get_collection('of_iterator')
                session.run(start)
                saver.restore(session, path)
                self.assertEqual((int(session.run(element)), session.run('y:0', {'x:0': 3.0})), (wanted, 15.0))
                path = saver.save(session, os.path.join(self.folder, name))

    def test_below_a_name(self):
        path = self.saved(7.0)
        with tf.Graph().as_default(), v1.Session() as session:
            saver = v1.train.import_meta_graph(path + '.meta', import_scope='below')
            session.run(v1.get_collection('of_iterator')[1])
            saver.restore(session, path)
            self.assertEqual(session.run('below/y:0', {'below/x:0': 1.0}), 7.0)
            element, start = v1.get_collection('of_iterator')
            self.assertEqual((element.op.name.split('/')[0], start.name.split('/')[0]), ('below', 'below'))

    def test_what_cannot_be_read(self):
        with self.assertRaisesRegex(RuntimeError, 'eager execution'):
            v1.train.import_meta_graph(os.path.join(self.folder, 'none'))
        with tf.Graph().as_default():
            with self.assertRaisesRegex(OSError, 'does not exist'):
                v1.train.import_meta_graph(os.path.join(self.folder, 'none'))
            with open(os.path.join(self.folder, 'broken'), 'wb') as file:
                file.write(b'\xff\xff\xff')
            with self.assertRaisesRegex(OSError, 'Cannot parse file'):
                v1.train.import_meta_graph(os.path.join(self.folder, 'broken'))
            made = v1.train.export_meta_graph(os.path.join(self.folder, 'empty'))
            self.assertIsNone(v1.train.import_meta_graph(made))

    def test_texts_and_numbers_of_collections_come_back(self):
        with tf.Graph().as_default():
            tf.constant(1., name='a')
            for key, values in (('whole', [1, 2]), ('real', [.5])):
                for value in values:
                    v1.add_to_collection(key, value)
            meta = v1.train.export_meta_graph(os.path.join(self.folder, 'm.meta'))
        self.assertEqual(list(meta.collection_def['whole'].int64_list.value), [1, 2])
        with tf.Graph().as_default():
            v1.train.import_meta_graph(os.path.join(self.folder, 'm.meta'))
            self.assertEqual((v1.get_collection('whole'), v1.get_collection('real')), ([1, 2], [.5]))

    def test_variables_of_signatures_can_be_assigned(self):
        with tf.Graph().as_default(), v1.Session() as session:
            x = v1.placeholder(tf.float32, [], name='x')
            variable = v1.Variable(3., name='v')
            session.run(variable.initializer)
            v1.saved_model.simple_save(session, os.path.join(self.folder, 's'), {'x': x}, {'y': x * variable})
        loaded = tf.saved_model.load(os.path.join(self.folder, 's'))
        self.assertEqual([v.numpy() for v in loaded.variables], [3.])
        loaded.variables[0].assign(4.)
        self.assertEqual(loaded.signatures['serving_default'](x=tf.constant(2.))['y'].numpy(), 8.)

    def test_signatures_of_composite_tensors(self):
        with tf.Graph().as_default(), v1.Session() as session:
            sparse = v1.sparse_placeholder(tf.int64, [2, 2])
            ragged = v1.ragged.placeholder(tf.float32, 1, [])
            info = v1.saved_model.build_tensor_info(sparse)
            self.assertEqual(info.coo_sparse.values_tensor_name, sparse.values.name)
            self.assertEqual(info.WhichOneof('encoding'), 'coo_sparse')
            found = v1.saved_model.get_tensor_from_tensor_info(info)
            self.assertIs(type(found), tf.SparseTensor)
            self.assertEqual(found.indices.name, sparse.indices.name)
            v1.saved_model.simple_save(session, os.path.join(self.folder, 's'), {'s': sparse, 'r': ragged},
                                       {'s': sparse * tf.constant(2, tf.int64), 'r': ragged * 2})
            fed = session.run(ragged * 2, {ragged: v1.ragged.constant_value([[1.], []], dtype='float32')})
            self.assertEqual(fed.to_list(), [[2.], []])
        serve = tf.saved_model.load(os.path.join(self.folder, 's')).signatures['serving_default']
        values = tf.ragged.constant([[10., 20.], [30.]])
        made = serve(s_indices=tf.constant([[0, 0], [1, 1]], tf.int64), s_values=tf.constant([3, 4], tf.int64),
                     s_dense_shape=tf.constant([2, 2], tf.int64), r_component_0=values.values,
                     r_component_1=values.row_splits)
        self.assertEqual(made['s'].values.numpy().tolist(), [6, 8])
        self.assertEqual(made['r'].to_list(), [[20., 40.], [60.]])


class Loaded(FolderCase):
    def test_defaults_of_signatures_are_tensors(self):
        with tf.Graph().as_default():
            made = v1.saved_model.build_signature_def(method_name='m', defaults={'w': tf.constant(1.5)})
        self.assertEqual((made.defaults['w'].dtype, list(made.defaults['w'].float_val)), (1, [1.5]))

    def test_only_what_has_a_call_is_callable(self):
        root = tf.Module()
        root.inner = tf.Module()
        root.inner.__call__ = tf.function(lambda x: x * 3.0, input_signature=[tf.TensorSpec([], tf.float32)])
        tf.saved_model.save(root, self.folder)
        loaded = tf.saved_model.load(self.folder)
        self.assertFalse(callable(loaded))
        self.assertTrue(callable(loaded.inner))
        self.assertEqual(float(loaded.inner(tf.constant(2.0))), 6.0)
