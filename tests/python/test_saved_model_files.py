"""SavedModels of one folder each, as TensorFlow wrote them: run beside what it answered, damaged in many ways."""
import gc
import inspect
import json
import os
import random
import shutil
import tempfile
import weakref

import footlight as tf
from footlight import _proto
from derivatives import derivatives, gradient
from folder_case import FolderCase

v1 = tf.compat.v1

GOLDEN = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'golden', 'savedmodel')


def tensor(given):
    return tf.reshape(tf.constant(given['data'], getattr(tf, given['dtype'])), given['shape'])


class Recorded(FolderCase):
    def compare(self, found, expected):
        wanted = tensor(expected)
        self.assertEqual(found.dtype, wanted.dtype)
        self.assertEqual(found.shape, wanted.shape)
        if wanted.dtype.is_floating:
            self.assertTrue(bool(tf.reduce_all(tf.abs(found - wanted) <= 1e-6 + 1e-4 * tf.abs(wanted))))
        else:
            self.assertTrue(bool(tf.reduce_all(tf.equal(found, wanted))))

    def run_one(self, name):
        with open(os.path.join(GOLDEN, name + '.json'), encoding='utf-8') as file:
            recorded = json.load(file)
        self.assertTrue(tf.saved_model.contains_saved_model(os.path.join(GOLDEN, name)))
        model = tf.saved_model.load(os.path.join(GOLDEN, name))
        self.assertEqual(set(model.signatures), set(recorded['signatures']))
        for key, signature in recorded['signatures'].items():
            specs = {s.name: s for s in model.signatures[key].specs}
            self.assertEqual({n: [s.dtype.name, s.shape.as_list()] for n, s in specs.items()}, signature['inputs'])
        for call in recorded['calls']:
            inputs = {key: tensor(value) for key, value in call['inputs'].items()}
            function = getattr(model, call['call'][1:]) if call['call'].startswith(':') else model.signatures[call['call']]
            found = function(**inputs)
            self.assertEqual(set(found), set(call['outputs']))
            for key, expected in call['outputs'].items():
                self.compare(found[key], expected)
        for path, expected in recorded['variables_after'].items():
            at = model
            for part in path.split('.'):
                at = at[int(part)] if part.isdigit() else getattr(at, part)
            self.compare(at.read_value(), expected)
        return model

    def test_one_variable(self):
        model = self.run_one('scale')
        self.assertEqual(model(tf.constant([4.0]))['scaled'].numpy().tolist(), [10.0])
        with self.assertRaisesRegex(ValueError, 'Could not find matching concrete function'):
            model(tf.zeros([2, 2]))
        with self.assertRaisesRegex(TypeError, 'unexpected argument'):
            model.signatures['serving_default'](y=1)

    def test_strings_and_loops(self):
        self.run_one('text')

    def test_nested_modules_and_training(self):
        model = self.run_one('net')
        self.assertEqual(len(model.rest), 2)
        with tf.GradientTape() as tape:
            logits = model.infer(tf.ones([1, 3]))['logits']
        self.assertEqual(tape.gradient(logits, model.first.w).shape, [3, 4])
        checkpoint = tf.train.Checkpoint(model=model)
        path = checkpoint.save(self.path('ck'))
        before = model.first.w.numpy().tolist()
        model.first.w.assign(tf.zeros([3, 4]))
        checkpoint.restore(path)
        self.assertEqual(model.first.w.numpy().tolist(), before)


class Damaged(FolderCase):
    def test_refusals(self):
        with self.assertRaisesRegex(OSError, 'does not exist'):
            tf.saved_model.load(self.folder)
        with open(self.path('saved_model.pb'), 'wb') as file:
            file.write(b'no message')
        with self.assertRaisesRegex(OSError, 'Cannot parse'):
            tf.saved_model.load(self.folder)
        os.truncate(self.path('saved_model.pb'), (1 << 31) + 1)
        with self.assertRaisesRegex(OSError, 'larger than'):
            tf.saved_model.load(self.folder)
        with self.assertRaisesRegex(ValueError, 'tag sets'):
            tf.saved_model.load(os.path.join(GOLDEN, 'scale'), tags='other')

    def test_places_in_lists(self):
        module = tf.Module()
        module.l = [tf.Variable(1.), tf.Variable(2.), tf.Variable(3.)]
        tf.saved_model.save(module, self.folder)
        path = self.path('saved_model.pb')
        with open(path, 'rb') as file:
            whole = file.read()
        for names, words in ((['-1', '0', '1'], 'an item -1'), (['0', 'one', '2'], "an item 'one', which is no number"),
                             (['600000', '1200000', '1800000'], 'an item 1200000')):
            message = _proto.SavedModel.FromString(whole)
            node = next(node for node in message.meta_graphs[0].object_graph_def.nodes
                        if node.user_object.identifier == 'trackable_list_wrapper')
            for child, name in zip(node.children, names):
                child.local_name = name
            with open(path, 'wb') as file:
                file.write(message.SerializeToString())
            with self.assertRaisesRegex(tf.errors.DataLossError, 'damaged: a list has ' + words):
                tf.saved_model.load(self.folder)

    def test_mutations(self):
        rng = random.Random(3)
        with open(os.path.join(GOLDEN, 'scale', 'saved_model.pb'), 'rb') as file:
            whole = file.read()
        loaded = 0
        shutil.copytree(os.path.join(GOLDEN, 'scale', 'variables'), self.path('variables'))
        for _ in range(150):
            content = bytearray(whole)
            for _ in range(rng.randint(1, 3)):
                content[rng.randrange(len(content))] = rng.randrange(256)
            with open(self.path('saved_model.pb'), 'wb') as file:
                file.write(content)
            try:
                tf.saved_model.load(self.folder).signatures['serving_default'](x=[1.0])
                loaded += 1
            except Exception:  # any error will do; a crash would end the test
                pass
        self.assertGreater(loaded, 0)


class Objects(FolderCase):
    """What objects of a file are like after loading, saved again and loaded again."""

    def cycle(self, obj, times=2, **options):
        for _ in range(times):
            folder = tempfile.TemporaryDirectory()
            self.addCleanup(folder.cleanup)
            tf.saved_model.save(obj, folder.name, options=tf.saved_model.SaveOptions(**options))
            obj = tf.saved_model.load(folder.name)
        return obj

    def test_gradients_that_a_program_gave(self):
        model = tf.saved_model.load(os.path.join(GOLDEN, 'gradient'))
        again = tf.saved_model.load(os.path.join(GOLDEN, 'gradient'))
        x = tf.constant(1.)

        def both(f):
            return derivatives(f, x, 1)
        for f in (model.f, again.f):
            for run in (both, tf.function(both)):
                value, slope = run(f)
                self.assertAlmostEqual(float(value), 2.6265233, 5)
                self.assertAlmostEqual(float(slope), 5.4365635, 5)

    def test_gradients_stay_as_long_as_they_are_needed(self):
        from footlight._control.order import RegisterGradient

        before = set(RegisterGradient._known)
        for _ in range(3):
            model = tf.saved_model.load(os.path.join(GOLDEN, 'gradient'))
            gradient(model.f, tf.constant(1.))
        users = [tf.function(lambda x, f=model.f: f(x)), model.f.get_concrete_function(tf.constant(1.))]
        holder = [tf.saved_model.load(os.path.join(GOLDEN, 'gradient'))]
        gone = weakref.ref(holder[0])
        traced = tf.function(lambda x: holder[0].f(x))
        traced.get_concrete_function(tf.constant(1.))
        model = holder[0] = None
        gc.collect()
        self.assertIsNone(gone())
        for f in (*users, traced):
            self.assertAlmostEqual(float(gradient(f, tf.constant(1.))), 5.4365635, 5)
        del users, traced, f
        gc.collect()
        self.assertEqual(set(RegisterGradient._known) - before, set())
        with tf.Graph().as_default(), v1.Session() as session:
            x = v1.placeholder(tf.float32, [])
            y = tf.saved_model.load(os.path.join(GOLDEN, 'gradient')).f(x)
            gc.collect()
            session.run(v1.global_variables_initializer())
            self.assertAlmostEqual(session.run(tf.gradients(y, x)[0], {x: 1.}), 5.4365635, 5)

    def test_a_list_keeps_its_places(self):
        module = tf.Module()
        module.l = [tf.Variable(1.), 'not saved']
        module.l.append(tf.Variable(3.))
        loaded = self.cycle(module)
        self.assertEqual([None if v is None else float(v) for v in loaded.l], [1., None, 3.])

    def test_attributes_of_variables(self):
        module = tf.Module()
        module.v = tf.Variable(1., synchronization=tf.VariableSynchronization.NONE,
                               aggregation=tf.VariableAggregation.ONLY_FIRST_REPLICA)
        v = self.cycle(module).v
        self.assertEqual((v.synchronization, v.aggregation),
                         (tf.VariableSynchronization.NONE, tf.VariableAggregation.ONLY_FIRST_REPLICA))

    def test_parameters(self):
        module = tf.Module()
        module.f = tf.function(lambda a, b=2, *, c=3: a)
        module.f(tf.constant(1.))
        self.assertEqual(inspect.getfullargspec(self.cycle(module).f),
                         inspect.FullArgSpec(['a', 'b'], None, None, (2,), ['c'], {'c': 3}, {}))

    def test_parameters_of_a_method(self):
        class Scale(tf.Module):
            @tf.function
            def f(self, a, b=2):
                return a * b
        module = Scale()
        module.f(tf.constant(1))
        f = self.cycle(module).f
        self.assertEqual(str(inspect.signature(f)), '(a, b=2)')
        f._spec = f._spec._replace(args=['self', *f._spec.args])  # as TensorFlow writes it
        self.assertEqual(str(inspect.signature(f)), '(a, b=2)')
        f._spec = None  # as of a file that does not say the parameters
        self.assertIsNone(f.__signature__)

    def test_a_trace_takes_structures_and_variables(self):
        module = tf.Module()

        def f(x, training=True):
            return 2 * x[0]['a'] + x[1] if training else x[1]
        x = [{'a': tf.constant(10)}, tf.constant(11)]
        module.f = tf.function(f).get_concrete_function(x)
        module.count = tf.function(lambda v: v.assign_add(1)).get_concrete_function(tf.Variable(1))
        loaded = self.cycle(module)
        self.assertEqual(int(loaded.f(x, True)), 31)
        self.assertEqual(list(loaded.f.function_type.parameters), ['x', 'training'])
        mine = tf.Variable(5)
        loaded.count(mine)
        self.assertEqual(int(mine), 6)

    def test_a_function_of_a_variable(self):
        module = tf.Module()
        module.f = tf.function(lambda v: v * 2.)
        module.f(tf.Variable(1.))
        loaded = self.cycle(module)
        self.assertEqual(float(loaded.f(tf.Variable(4.))), 8.)
        with self.assertRaisesRegex(ValueError, 'Could not find matching concrete function'):
            loaded.f(tf.Variable(1))

    def test_aliases_need_their_place(self):
        module = tf.Module()
        module.f = tf.function(lambda x: x, input_signature=[tf.TensorSpec([])])
        module.function_aliases = tf.Variable(1.)
        tf.saved_model.save(module, self.folder, options=tf.saved_model.SaveOptions(function_aliases={'g': module.f}))
        with self.assertRaisesRegex(ValueError, 'experimental_load_function_aliases'):
            tf.saved_model.load(self.folder, options=tf.saved_model.LoadOptions(experimental_load_function_aliases=True))

    def test_aliases_of_several_functions(self):
        module = tf.Module()
        module.f = tf.function(lambda x: x)
        traces = [module.f.get_concrete_function(tf.TensorSpec([], dtype)) for dtype in (tf.float32, tf.int32)]
        for given in (traces, module.f, {module.f}):
            tf.saved_model.save(module, self.folder, options=tf.saved_model.SaveOptions(function_aliases={'g': given}))
            options = tf.saved_model.LoadOptions(experimental_load_function_aliases=True)
            self.assertEqual(list(tf.saved_model.load(self.folder, options=options).function_aliases), ['g'])
        with self.assertRaisesRegex(TypeError, 'Unsupported type'):
            tf.saved_model.save(module, self.folder, options=tf.saved_model.SaveOptions(function_aliases={'g': lambda x: x}))

    def test_signatures_that_give_composites(self):
        module = tf.Module()
        module.f = tf.function(lambda x: {'r': x, 's': x.to_sparse(), 'v': x.values},
                               input_signature=[tf.RaggedTensorSpec([None, None])])
        tf.saved_model.save(module, self.folder, signatures={'k': module.f})
        ragged = tf.ragged.constant([[1.], [2., 3.]])
        found = tf.saved_model.load(self.folder).signatures['k'](x=ragged.values, x_1=ragged.row_splits)
        self.assertEqual(found['r'].to_list(), [[1.], [2., 3.]])
        self.assertEqual(found['s'].values.numpy().tolist(), [1., 2., 3.])
        with tf.Graph().as_default(), v1.Session() as session:
            signature = v1.saved_model.load(session, ['serve'], self.folder).signature_def['k']
            kinds = [signature.outputs[name].dtype for name in 'rsv']
            self.assertEqual(kinds, [0, tf.float32.as_datatype_enum, tf.float32.as_datatype_enum])  # r: in its parts
            parts = [part.name for part in signature.outputs['r'].composite_tensor.components]
            names = [*parts, signature.outputs['s'].coo_sparse.indices_tensor_name, signature.outputs['v'].name]
            feed = {signature.inputs['x'].name: [1., 2., 3.], signature.inputs['x_1'].name: [0, 1, 3]}
            values, splits, indices, again = session.run(names, feed)
        self.assertEqual((values.tolist(), splits.tolist(), again.tolist()), ([1., 2., 3.], [0, 1, 3], [1., 2., 3.]))
        self.assertEqual(indices.tolist(), [[0, 0], [1, 0], [1, 1]])

    def test_variables_that_a_trace_makes(self):
        class Late(tf.Module):
            v = None

            @tf.function(input_signature=[tf.TensorSpec([])])
            def f(self, x):
                if self.v is None:
                    self.v = tf.Variable([2., 4.])
                return x * self.v
        self.assertEqual(self.cycle(Late()).f(tf.constant(3.)).numpy().tolist(), [6., 12.])

    def test_a_graph_does_not_train_what_it_loads(self):
        module = tf.Module()
        module.a, module.b = tf.Variable(1.), tf.Variable([2., 3.])
        tf.saved_model.save(module, self.folder)
        with tf.Graph().as_default():
            own = v1.get_variable('own', initializer=1.)
            loaded = tf.saved_model.load(self.folder)
            self.assertTrue(loaded.b.trainable)
            self.assertEqual([v.name for v in v1.trainable_variables()], [own.name])
            self.assertEqual(len(v1.global_variables()), 3)

    def test_an_untracked_table_is_named(self):
        table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(['a'], [1]), -1)
        module = tf.Module()
        module.f = tf.function(table.lookup, input_signature=[tf.TensorSpec([], tf.string)])
        with self.assertRaisesRegex(AssertionError, 'referencing this tensor = .*StaticHashTable'):
            self.cycle(module)

    def test_the_search_for_an_untracked_resource_touches_no_other(self):
        class Asked(tf.saved_model.experimental.TrackableResource):
            def _create_resource(self):
                raise RuntimeError('made by the search')

        class Gone:
            pass
        asked, gone = Asked(), Gone()
        kept, proxy = weakref.ref(asked), weakref.proxy(gone)
        del gone
        self.test_an_untracked_table_is_named()
        self.assertIsNone(kept()._resource_handle_made)
        self.assertTrue(issubclass(type(proxy), weakref.ProxyType))
