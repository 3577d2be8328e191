"""SavedModels: kinds of objects that TensorFlow wrote, our own saved and loaded, graphs and sessions of v1."""
import collections
import inspect
import os
import shutil
import tempfile

import footlight as tf
from folder_case import FolderCase

GOLDEN = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'golden', 'savedmodel')


class FromTensorFlow(FolderCase):
    """Kinds of arguments and objects, in a folder that TensorFlow wrote."""

    def test_assets_composites_and_defaults(self):
        moved = self.path('moved')
        shutil.copytree(os.path.join(GOLDEN, 'parts'), moved)
        model = tf.saved_model.load(moved, options=tf.saved_model.LoadOptions(
            experimental_load_function_aliases=True))
        words = os.path.join(moved, 'assets', 'words.txt').encode()
        self.assertEqual(model.path().numpy(), words)
        self.assertEqual(model.words.asset_path.numpy(), words)
        ragged = tf.RaggedTensor.from_row_lengths([1.0, 2.0, 3.0], [2, 1])
        self.assertEqual(model.ragged(ragged).numpy().tolist(), [2.0, 4.0, 6.0])
        with self.assertRaisesRegex(ValueError, 'matching concrete function'):
            model.ragged(tf.constant([1.0]))
        sparse = model.sparse(tf.SparseTensor([[0, 1], [1, 0]], [1.0, 2.0], [2, 2]))
        self.assertEqual(sparse.values.numpy().tolist(), [2.0, 4.0])
        self.assertEqual(float(model.defaults(tf.constant(5.0))), 6.0)
        self.assertEqual(float(model.defaults(tf.constant(5.0), up=False, by=2.0)), 3.0)
        with self.assertRaisesRegex(ValueError, 'matching concrete function'):
            model.defaults(tf.constant(5.0), up=False)
        self.assertIs(model.function_aliases['plus'], model.defaults)
        self.assertEqual(tf.saved_model.experimental.read_fingerprint(moved).signature_def_hash,
                         12089566276354592893)

    def test_tables(self):
        moved = self.path('moved')
        shutil.copytree(os.path.join(GOLDEN, 'tables'), moved)
        model = tf.saved_model.load(moved)
        self.assertEqual(found_in_tables(model), IN_TABLES)
        self.assertEqual(found_in_tables(tf.saved_model.load(moved)), IN_TABLES)
        self.assertEqual(model.words._initializer._filename.asset_path.numpy().decode(),
                         os.path.join(moved, 'assets', 'words.txt'))
        tf.saved_model.save(model, self.path('again'), signatures=model.signatures)
        shutil.rmtree(moved)
        self.assertEqual(found_in_tables(tf.saved_model.load(self.path('again'))), IN_TABLES)

    def test_partial(self):
        shutil.copytree(os.path.join(GOLDEN, 'parts'), self.path('m'))
        shutil.rmtree(self.path('m', 'variables'))
        with self.assertRaises(tf.errors.NotFoundError):
            tf.saved_model.load(self.path('m'))
        skipped = tf.saved_model.LoadOptions(experimental_skip_checkpoint=True)
        self.assertEqual(float(tf.saved_model.load(self.path('m'), options=skipped).scale), 0.0)


class Tables(tf.Module):
    """What the recorded model `tables` is, too."""

    def __init__(self, file):
        super().__init__()

        def words():
            index = tf.lookup.TextFileIndex
            return tf.lookup.TextFileInitializer(file, tf.string, index.WHOLE_LINE, tf.int64, index.LINE_NUMBER)
        self.static = tf.lookup.StaticHashTable(
            tf.lookup.KeyValueTensorInitializer(['a', 'b'], tf.constant([1, 2], tf.int64)), -1)
        self.words = tf.lookup.StaticHashTable(words(), -1)
        self.vocabulary = tf.lookup.StaticVocabularyTable(words(), 2)
        self.changing = tf.lookup.experimental.MutableHashTable(tf.string, tf.float32, [0.0, 0.0])
        self.dense = tf.lookup.experimental.DenseHashTable(tf.int64, tf.int64, -1, empty_key=-1, deleted_key=-2,
                                                           initial_num_buckets=8)
        self.changing.insert(['p', 'q'], [[1.0, 2.0], [3.0, 4.0]])
        self.dense.insert(tf.constant([7, 15], tf.int64), tf.constant([70, 80], tf.int64))

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def find(self, k):
        return {'static': self.static.lookup(k), 'words': self.words.lookup(k), 'vocabulary': self.vocabulary.lookup(k),
                'changing': self.changing.lookup(k)}

    @tf.function(input_signature=[tf.TensorSpec([None], tf.int64)])
    def number(self, k):
        return self.dense.lookup(k)


def found_in_tables(model):
    keys = tf.constant(['a', 'three', 'zz', 'q'])
    called = [model.find(keys)] + ([model.signatures['find'](k=keys)] if hasattr(model, 'signatures') else [])
    found = [{name: value.numpy().tolist() for name, value in one.items()} for one in called]
    return found[-1] if found[0] == found[-1] else found, model.number(tf.constant([7, 15, 1], tf.int64)).numpy().tolist()


IN_TABLES = {'static': [1, -1, -1, -1], 'words': [-1, 2, -1, -1], 'vocabulary': [4, 2, 3, 4],
             'changing': [[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [3.0, 4.0]]}, [70, 80, -1]

Pair = collections.namedtuple('Pair', 'a b')


class Inner(tf.Module):
    def __init__(self):
        super().__init__()
        self.v = tf.Variable(tf.reshape(tf.range(6.0), [2, 3]))

    @tf.function
    def __call__(self, x):
        return tf.matmul(x, self.v)


class Model(tf.Module):
    def __init__(self):
        super().__init__()
        self.inner = [Inner(), Inner()]
        self.again = self.inner[0]
        self.count = tf.Variable(0, trainable=False, dtype=tf.int64)
        self.d = {'k': tf.Variable(2.0), 'n': 3}
        self.t = (tf.Variable(7.0), 1)
        self.constant = tf.constant([5.0])
        self.loss = tf.function(lambda x: tf.reduce_sum(x + self.constant) * self.d['k'])
        self.plain = 'lost'

    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32, name='inp')])
    def step(self, x):
        self.count.assign_add(1)
        for m in self.inner:
            y = m(x)
        return Pair(a=y, b=self.count.read_value())

    @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
    def loop(self, n):
        i, total = 0, tf.zeros([1, 2])
        while i < n:
            if i % 2 == 0:
                total += tf.ones([1, 2]) * self.d['k']
            else:
                total = total * self.t[0]
            i += 1
        return total

    @tf.function
    def choose(self, d, flag=True, *, scale=1.0):
        r = d['x'] + d['y'][0]
        return r * scale, {'flag': r if flag else -r, 'none': None}

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def text(self, s):
        return tf.strings.upper(s) + '!'

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def nothing(self, s):
        tf.print(s)


def results(m):
    x = tf.constant([[1.0, 2.0]])
    yield from (m.inner[0](x), m.step(x)[0], m.step(x).b, m.count.read_value(), m.loop(tf.constant(5)),
                m.loss(tf.constant([1.0, 2.0])))
    given = {'x': tf.constant([1.0]), 'y': [tf.constant([2.0])]}
    for one in m.choose(given), m.choose(given, False, scale=3.0):
        yield from (one[0], one[1]['flag'])
    yield from (m.text(tf.constant(['a', 'bC'])), m.again.v, m.d['k'], m.t[0])
    with tf.GradientTape() as tape:
        y = m.loss(tf.constant([1.0, 2.0])) * m.t[0]
    yield from tape.gradient(y, [m.d['k'], m.t[0]])


# What TensorFlow gives for the model, and for the model saved and loaded.
WANTED = [[[6.0, 9.0, 12.0]], [[6.0, 9.0, 12.0]], 2, 2, [[114.0, 114.0]], 26.0, [3.0], [3.0], [9.0], [-3.0],
          [b'A!', b'BC!'], [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]], 2.0, 7.0, 91.0, 26.0]


def values(m):
    found = [v.numpy() for v in results(m)]
    return [v.tolist() if hasattr(v, 'tolist') else v for v in found]


class Written(FolderCase):
    def save(self, obj, name='m', **options):
        path = os.path.join(self.folder, name)
        tf.saved_model.save(obj, path, **options)
        return path

    def test_everything(self):
        model = Model()
        self.assertEqual(values(model), WANTED)
        model.count.assign(0)
        signatures = {'s': model.step, 'loop': model.loop, 'text': model.text.get_concrete_function()}
        path = self.save(model, signatures=signatures)
        self.assertTrue(tf.saved_model.contains_saved_model(path))
        loaded = tf.saved_model.load(path)
        self.assertEqual(values(loaded), WANTED)
        self.assertIs(loaded.again, loaded.inner[0])
        self.assertFalse(hasattr(loaded, 'plain') or 'n' in loaded.d)
        self.assertIsNone(loaded.choose({'x': tf.constant([1.0]), 'y': [tf.constant([2.0])]})[1]['none'])
        self.assertIsNone(loaded.nothing(tf.constant([], tf.string)))
        self.assertEqual(sorted(loaded.signatures), ['loop', 's', 'text'])
        out = loaded.signatures['s'](inp=tf.constant([[1.0, 2.0]]))
        self.assertEqual((out['a'].numpy().tolist(), int(out['b'])), ([[6.0, 9.0, 12.0]], 3))
        self.assertEqual(loaded.signatures['text'](s=['x'])['output_0'].numpy().tolist(), [b'X!'])
        # Once more, with another value.
        loaded.d['k'].assign(3.0)
        loaded.count.assign(0)
        again = tf.saved_model.load(self.save(loaded, 'again', signatures=loaded.signatures))
        self.assertEqual(again.loop(tf.constant(5)).numpy().tolist(), [[171.0, 171.0]])
        self.assertEqual(sorted(again.signatures), ['loop', 's', 'text'])

    def test_functions_of_ragged_tensors(self):
        class Rows(tf.Module):
            @tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.int32)])
            def double(self, rows):
                return rows * 2
        found = tf.saved_model.load(self.save(Rows(), 'rows')).double(tf.ragged.constant([[1], [2, 3]]))
        self.assertEqual(found.to_list(), [[2], [4, 6]])

    def test_functions_of_sparse_tensors(self):
        class Sparse(tf.Module):
            @tf.function(input_signature=[tf.SparseTensorSpec([None, 3], tf.float32)])
            def total(self, s):
                return tf.sparse.reduce_sum(s)

            @tf.function
            def inside(self, d):
                return {'same': d['s'], 'twice': d['s'] * 2.0, 'n': d['n'] + 1.0}
        model = Sparse()
        model.total(tf.SparseTensor([[1, 1]], [2.0], [2, 3]))
        given = tf.SparseTensor([[0, 1]], [2.0], [1, 3])
        inside = {'s': given, 'n': tf.constant(1.0)}
        model.inside(inside)
        specs = {'n': tf.TensorSpec([], tf.float32, 'n'), 's': tf.SparseTensorSpec([1, 3], tf.float32)}
        self.assertEqual(model.inside.get_concrete_function(inside).structured_input_signature[0][0]['s'], specs['s'])
        loaded = tf.saved_model.load(self.save(model, 'sparse'))
        self.assertEqual(float(loaded.total(given)), 2.0)
        trace, = loaded.inside.concrete_functions
        self.assertEqual(trace.structured_input_signature[0][0]['s'], specs['s'])
        self.assertEqual(trace.structured_outputs['same'], specs['s'])
        self.assertEqual([t.structured_input_signature for t in loaded.total.concrete_functions],
                         [((tf.SparseTensorSpec([None, 3], tf.float32),), {})])
        self.assertEqual(loaded.signatures['serving_default'](s=[[0, 1]], s_1=[2.0], s_2=[1, 3])['output_0'].numpy(), 2.0)
        found = loaded.inside(inside)
        self.assertEqual((found['twice'].values.numpy().tolist(), float(found['n'])), ([4.0], 2.0))

    def test_tables(self):
        file = self.write('words.txt', 'one\ntwo\nthree\n')
        model = Tables(file)
        self.assertEqual(found_in_tables(model), IN_TABLES)
        path = self.save(model, 'tables', signatures={'find': model.find})
        os.remove(file)
        self.assertEqual(os.listdir(os.path.join(path, 'assets')), ['words.txt'])
        loaded = tf.saved_model.load(path)
        self.assertEqual(found_in_tables(loaded), IN_TABLES)
        # TensorFlow takes a dense table's places as they are: 7 and 15 both belong at 7, of 8.
        names = dict(tf.train.list_variables(os.path.join(path, 'variables', 'variables')))
        self.assertEqual(names['dense/.ATTRIBUTES/table-keys'], [8, 1])
        keys, values = model.dense.export()
        self.assertEqual(keys.numpy().ravel().tolist(), [15, -1, -1, -1, -1, -1, -1, 7])
        self.assertEqual(values.numpy().ravel().tolist(), [80, 0, 0, 0, 0, 0, 0, 70])
        words = tf.lookup.experimental.DenseHashTable(  # as TensorFlow placed them
            tf.string, tf.float32, [0.0], empty_key=['', ''], deleted_key=['x', ''], initial_num_buckets=4)
        words.insert([['a', 'b'], ['c', 'd'], ['e', 'f']], [[1.0], [2.0], [3.0]])
        self.assertEqual(words.export()[1].numpy().ravel().tolist(), [3.0, 1.0, 0.0, 2.0])

    def test_message(self):
        from footlight import _proto
        model = Model()
        path = self.save(model, signatures=model.step)
        with open(os.path.join(path, 'saved_model.pb'), 'rb') as file:
            message = _proto.SavedModel.FromString(file.read())
        meta = message.meta_graphs[0]
        self.assertEqual(list(meta.meta_info_def.tags), ['serve'])
        signature = meta.signature_def['serving_default']
        self.assertEqual({k: v.name for k, v in dict(signature.inputs).items()}, {'inp': 'serving_default_inp:0'})
        self.assertEqual(sorted(signature.outputs), ['a', 'b'])
        names = {node.name for node in meta.graph_def.node}
        for name in (meta.saver_def.restore_op_name, meta.saver_def.save_tensor_name[:-2],
                     meta.saver_def.filename_tensor_name[:-2], signature.outputs['a'].name[:-2]):
            self.assertIn(name, names)
        functions = {f.signature.name: f for f in meta.graph_def.library.function}
        for name, saved in dict(meta.object_graph_def.concrete_functions).items():
            self.assertIn(name, functions)
            for number in saved.bound_inputs:
                self.assertIn(meta.object_graph_def.nodes[number].WhichOneof('kind'), ('variable', 'constant'))
        self.assertEqual([d.dtype for f in functions.values() for a in f.signature.input_arg if 'loop' in f.signature.name
                          for d in a.handle_data if a.type == 20][:1], [1])

    def test_what_is_exported_by_default(self):
        class One(tf.Module):
            @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
            def double(self, x):
                return x * 2.0
        one = tf.saved_model.load(self.save(One(), 'one'))
        self.assertEqual(list(one.signatures), ['serving_default'])
        self.assertEqual(one.signatures['serving_default'](x=[1.0])['output_0'].numpy().tolist(), [2.0])
        self.assertEqual(list(tf.saved_model.load(self.save(Model(), 'several')).signatures), [])
        checkpoint = tf.train.Checkpoint(v=tf.Variable([1.0, 2.0]), f=tf.function(lambda x: x + 1.0))
        checkpoint.f(tf.constant(1.0))
        loaded = tf.saved_model.load(self.save(checkpoint, 'checkpoint'))
        self.assertEqual((loaded.v.numpy().tolist(), float(loaded.f(tf.constant(2.0)))), ([1.0, 2.0], 3.0))

    def test_frozen_functions_are_signatures(self):
        from footlight.python.framework import convert_to_constants
        w = tf.Variable([2., 3.])
        concrete = tf.function(lambda x: {'y': x * w}).get_concrete_function(tf.TensorSpec([2], tf.float32, 'x'))
        root = tf.Module()
        root.f = convert_to_constants.convert_variables_to_constants_v2(concrete)
        path = os.path.join(self.folder, 'f')
        tf.saved_model.save(root, path, root.f)
        signature = tf.saved_model.load(path).signatures['serving_default']
        name, = signature.structured_input_signature[1]
        found, = signature(**{name: tf.constant([1., 2.])}).values()
        self.assertEqual(found.numpy().tolist(), [2., 6.])

    def test_loaded_functions_say_their_parameters(self):
        root = tf.Module()
        root.f = tf.function(lambda x, training=False: x + (1. if training else 0.))
        root.f(tf.constant(1.))
        path = os.path.join(self.folder, 'f')
        tf.saved_model.save(root, path)
        spec = tf.saved_model.load(path).f.function_spec
        self.assertEqual((spec.arg_names, spec.default_values, spec.fullargspec.args), (
            ['x', 'training'], {'training': False}, ['x', 'training']))
        self.assertIsNone(spec.input_signature)
        self.assertEqual(str(inspect.signature(tf.saved_model.load(path).f)), '(x, training=False)')

    def test_tables_that_are_given_are_filled_by_the_file(self):
        class Nothing(tf.lookup.KeyValueTensorInitializer):
            """Fills no table."""

            def __init__(self):
                """Has no keys."""
                self._key_dtype, self._value_dtype = tf.string, tf.int64

            def initialize(self, table):
                """Leaves the table empty."""
        root, path = tf.Module(), os.path.join(self.folder, 'f')
        root.table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(['a', 'b'], tf.constant([5, 6], tf.int64)), -1)
        tf.saved_model.save(root, path)
        empty = tf.lookup.StaticHashTable(Nothing(), -1)
        found = tf.__internal__.saved_model.load_partial(path, {'root.table': empty})
        self.assertIs(found['root.table'], empty)
        self.assertEqual(empty.lookup(tf.constant(['b', 'c'])).numpy().tolist(), [6, -1])

    def test_names_of_arguments(self):
        plain, named = tf.TensorSpec([]), tf.TensorSpec([], name='x')
        for function, signature, names in (
                (lambda inputs: inputs['a'] - inputs['b'], [{'a': plain, 'b': plain}], ['inputs', 'inputs_1']),
                (lambda inputs, last: inputs[0] - inputs[1][0] + last, [[plain, [named]], plain], ['inputs', 'x', 'last']),
                (lambda inputs, inputs_1: inputs[0] - inputs[1] + inputs_1, [(plain, plain), plain],
                 ['inputs', 'inputs_1', 'inputs_1_1']),
                (lambda *x: x[0] - x[1], [named, named], ['x', 'x_1'])):
            module = tf.Module()
            module.f = tf.function(function, input_signature=signature)
            loaded = tf.saved_model.load(self.save(module, '_'.join(names))).signatures['serving_default']
            self.assertEqual(set(loaded.structured_input_signature[1]), set(names))
            given = dict(zip(names, (tf.constant(5.0), tf.constant(3.0), tf.constant(1.0))))
            self.assertEqual(float(loaded(**given)['output_0']), 2.0 + (len(names) == 3))
        with self.assertRaisesRegex(ValueError, 'Found zero restored functions'):
            module = tf.Module()
            module.f = tf.function(lambda x: x)
            tf.saved_model.load(self.save(module, 'untraced')).f(1.0)

    def test_asset(self):
        file = self.write('words.txt', 'one')
        model = tf.Module()
        model.words = tf.saved_model.Asset(file)
        model.path = tf.function(lambda: tf.identity(model.words.asset_path), input_signature=[])
        path = self.save(model)
        os.remove(file)
        loaded = tf.saved_model.load(path)
        self.assertEqual(loaded.path().numpy().decode(), os.path.join(path, 'assets', 'words.txt'))
        with open(loaded.words.asset_path.numpy(), encoding='utf-8') as copied:
            self.assertEqual(copied.read(), 'one')
        with self.assertRaisesRegex(FileNotFoundError, 'words.txt'):
            self.save(model, 'gone')

    def test_assets_of_one_name(self):
        model = tf.Module()
        first, second = (self.write(f'{part}/f.txt', part) for part in 'ab')
        model.x, model.y = tf.saved_model.Asset(first), {'k': [tf.saved_model.Asset(second)]}
        model.same, model.again = tf.saved_model.Asset(first), model.x
        model.read = tf.function(lambda: [tf.io.read_file(asset.asset_path) for asset in (
            model.x, model.y['k'][0], model.same)], input_signature=[])
        path = self.save(model)
        for loaded in tf.saved_model.load(path), tf.saved_model.load(os.path.relpath(path)):
            self.assertEqual([part.numpy() for part in loaded.read()], [b'a', b'b', b'a'])
            self.assertEqual([os.path.abspath(asset.asset_path.numpy().decode())
                              for asset in (loaded.x, loaded.y['k'][0], loaded.same)],
                             [os.path.join(path, 'assets', name) for name in ('f.txt', 'f.txt_1', 'f.txt')])
            self.assertIs(loaded.again, loaded.x)

    def test_fingerprint_and_options(self):
        model = tf.Module()
        model.f = tf.function(lambda x: x + 1.0, input_signature=[tf.TensorSpec([])])
        options = tf.saved_model.SaveOptions(function_aliases={'alias': model.f}, extra_tags=['other'])
        path = self.save(model, options=options)
        found = tf.saved_model.experimental.read_fingerprint(path)
        same = tf.saved_model.experimental.read_fingerprint(self.save(model, 'same', options=options))
        self.assertEqual((found.signature_def_hash, found.checkpoint_hash), (same.signature_def_hash, same.checkpoint_hash))
        self.assertEqual(found.singleprint().count('/'), 3)
        loaded = tf.saved_model.load(path, tags=['serve', 'other'], options=tf.saved_model.LoadOptions(
            experimental_load_function_aliases=True))
        self.assertEqual(float(loaded.function_aliases['alias'](tf.constant(1.0))), 2.0)
        with self.assertRaises(FileNotFoundError):
            tf.saved_model.experimental.read_fingerprint(self.folder)

    def test_refusals(self):
        with self.assertRaisesRegex(ValueError, 'Expected an object of type `Trackable`'):
            self.save(3)
        hidden = tf.Variable(1.0)
        model = tf.Module()
        model.f = tf.function(lambda x: x + hidden, input_signature=[tf.TensorSpec([])])
        with self.assertRaisesRegex(AssertionError, "untracked' resource"):
            self.save(model)
        model = tf.Module()
        model.f = tf.function(lambda x: x)
        with self.assertRaisesRegex(ValueError, 'Expected a TensorFlow function for which to generate a signature'):
            self.save(model, signatures=model.f)
        with self.assertRaisesRegex(ValueError, 'non-Tensor value'):
            self.save(model, signatures=tf.function(lambda x: {'a': {'b': x}}, input_signature=[tf.TensorSpec([])]))
        model.g = tf.function(lambda x, k: x)
        model.g(tf.constant(1.0), object())
        with self.assertRaises(Exception):
            tf.saved_model.load(self.save(model, 'object')).g(tf.constant(1.0), object())
        self.assertRaises(AssertionError, tf.function(lambda: self.save(tf.Module())))


class Graphs(FolderCase):
    """tf.compat.v1.saved_model: graphs and sessions."""

    old = tf.compat.v1.saved_model

    def answers(self, path, **how):
        """What a session finds in the recorded model `graph`, and what it has then."""
        session = tf.compat.v1.Session(graph=tf.Graph())
        meta = self.old.load(session, ['serve'], path, **how)
        found = []
        for key, given in (('serving_default', [[1.0, 2.0, 3.0]]), ('find', ['two', 'x'])):
            (feed,), (result,) = (list(dict(part).values()) for part in (meta.signature_def[key].inputs,
                                                                         meta.signature_def[key].outputs))
            prefix = how['import_scope'] + '/' if how else ''
            found.append(session.run(prefix + result.name, {prefix + feed.name: given}).tolist())
        return found, session, meta

    def test_recorded(self):
        moved = self.path('moved')
        shutil.copytree(os.path.join(GOLDEN, 'graph'), moved)
        found, session, meta = self.answers(moved)
        self.assertEqual(found, [[15.0], [1, -1]])  # the variable was 1, 2, 3, and one was added
        self.assertEqual(self.answers(moved, import_scope='inner')[0], found)
        with self.assertRaisesRegex(RuntimeError, 'could not be found in SavedModel'):
            self.old.loader.load(session, ['train'], moved)
        # Written again, from the session.
        graph, again = session.graph, self.path('again')
        tensor = {key: [self.old.get_tensor_from_tensor_info(info, graph) for part in (one.inputs, one.outputs)
                        for info in dict(part).values()] for key, one in dict(meta.signature_def).items()
                  if not key.startswith('__')}
        signatures = {key: self.old.predict_signature_def({'in': a}, {'out': b}) for key, (a, b) in tensor.items()}
        asset = graph.get_tensor_by_name('file:0')
        main = graph.get_operation_by_name(meta.collection_def['saved_model_main_op'].node_list.value[0])
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(os.path.join(moved, 'assets'))  # the constant has the file's name alone
        for as_text in False, True:
            builder = self.old.Builder(again + str(as_text))
            with graph.as_default(), self.assertRaisesRegex(AssertionError, 'has not been saved yet'):
                builder.add_meta_graph(['serve'])
            builder.add_meta_graph_and_variables(session, ['serve'], signatures, assets_collection=[asset], main_op=main)
            builder.save(as_text=as_text)
        os.chdir(GOLDEN)
        for as_text in False, True:
            self.assertEqual(self.answers(again + str(as_text))[0], found)
        with self.assertRaisesRegex(AssertionError, "isn't empty"):
            self.old.builder.SavedModelBuilder(again + 'True')

    def test_of_objects(self):
        file = self.write('words.txt', 'one\ntwo\nthree\n')
        model = Tables(file)
        tf.saved_model.save(model, self.path('ours'), signatures={'find': model.find})
        for path in os.path.join(GOLDEN, 'tables'), self.path('ours'):
            session = tf.compat.v1.Session(graph=tf.Graph())
            signature = self.old.load(session, ['serve'], path).signature_def['find']
            found = session.run({name: info.name for name, info in dict(signature.outputs).items()},
                                {signature.inputs['k'].name: ['a', 'three', 'zz', 'q']})
            self.assertEqual({name: value.tolist() for name, value in found.items()}, IN_TABLES[0])

    def test_simple_save(self):
        with tempfile.TemporaryDirectory() as folder, tf.Graph().as_default() as graph:
            x = tf.compat.v1.placeholder(tf.float32, [None], name='x')
            path = os.path.join(folder, 'm')
            with tf.compat.v1.Session(graph=graph) as session:
                self.old.simple_save(session, path, {'x': x}, {'y': x * 2.0})
            with tf.compat.v1.Session(graph=tf.Graph()) as session:
                signature = self.old.load(session, [self.old.tag_constants.SERVING], path).signature_def['serving_default']
                self.assertEqual(session.run(signature.outputs['y'].name, {signature.inputs['x'].name: [3.0]}), [6.0])

    def test_names_of_methods(self):
        with tempfile.TemporaryDirectory() as folder, tf.Graph().as_default() as graph:
            x = tf.compat.v1.placeholder(tf.float32, [None], name='x')
            path, other = os.path.join(folder, 'm'), os.path.join(folder, 'other')
            with tf.compat.v1.Session(graph=graph) as session:
                self.old.simple_save(session, path, {'x': x}, {'y': x * 2.0})
            updater = self.old.signature_def_utils.MethodNameUpdater(path)
            for arguments in (('nowhere', 'm'), ('serving_default', ''), ('serving_default', 'm', 'train')):
                with self.assertRaises(ValueError):
                    updater.replace_method_name(*arguments)
            updater.replace_method_name('serving_default', 'mine', tags=['serve'])
            os.mkdir(other)
            updater.save(other)
            for place, method in ((path, 'tensorflow/serving/predict'), (other, 'mine')):
                with tf.compat.v1.Session(graph=tf.Graph()) as session:
                    found = self.old.load(session, ['serve'], place).signature_def['serving_default'].method_name
                self.assertEqual(found, method)
            with self.assertRaises(OSError):
                self.old.signature_def_utils.MethodNameUpdater(os.path.join(folder, 'nowhere'))

    def test_signatures(self):
        make = self.old.signature_def_utils
        with tf.Graph().as_default():
            text = tf.compat.v1.placeholder(tf.string, [None], name='text')
            number = tf.compat.v1.placeholder(tf.float32, [None, 3], name='number')
            info = self.old.utils.build_tensor_info(number)
            self.assertEqual((info.name, info.dtype, [d.size for d in info.tensor_shape.dim]), ('number:0', 1, [-1, 3]))
            for made, method in ((make.predict_signature_def({'a': number}, {'b': text}), 'predict'),
                                 (make.classification_signature_def(text, text, number), 'classify'),
                                 (make.regression_signature_def(text, number), 'regress')):
                self.assertEqual(made.method_name, 'tensorflow/serving/' + method)
                self.assertTrue(make.is_valid_signature(made))
            self.assertFalse(make.is_valid_signature(make.build_signature_def({'a': info}, None, 'm')))
            for call, words in (
                    (lambda: make.classification_signature_def(text, None, None), 'cannot both be None'),
                    (lambda: make.classification_signature_def(number, text, None), 'Found tensors of type 1'),
                    (lambda: make.classification_signature_def(text, text, text), 'scores must be a float Tensor'),
                    (lambda: make.regression_signature_def(text, text), 'Found tensors with type 7'),
                    (lambda: make.regression_signature_def(None, number), '`examples` cannot be None'),
                    (lambda: make.predict_signature_def({}, {'b': text}), '`inputs` cannot be None or empty')):
                with self.assertRaisesRegex(ValueError, words):
                    call()


class Signatures(FolderCase):
    def test_set_shape_leaves_the_signature(self):
        class Model(tf.Module):
            @tf.function(input_signature=[tf.TensorSpec([None, None])])
            def add(self, x):
                x.set_shape([None, 3])
                return x + 1
        model = Model()
        tf.saved_model.save(model, self.folder, signatures=model.add)
        signature = tf.saved_model.load(self.folder).signatures['serving_default']
        self.assertEqual(signature.structured_input_signature[1]['x'].shape.as_list(), [None, None])
        self.assertEqual(signature.inputs[0].shape.as_list(), [None, None])
        (result,) = signature(x=tf.zeros([2, 3])).values()
        self.assertEqual(result.shape, [2, 3])
        with self.assertRaises(tf.errors.InvalidArgumentError):
            signature(x=tf.zeros([2, 2]))
