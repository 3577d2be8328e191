"""ConcreteFunction: captures that are replaced, each tensor given by itself, what it says of itself. As in TensorFlow."""
import collections
import pickle
import unittest
import weakref

import footlight as tf

scalar = tf.TensorSpec([])


class Captures(unittest.TestCase):
    def test_set_external_captures(self):
        constant, variable = tf.constant(3.), tf.Variable(2.)

        @tf.function
        def f(x):
            return x + constant * variable
        concrete = f.get_concrete_function(scalar)
        self.assertEqual(float(concrete(tf.constant(1.))), 7.)
        other, others = tf.constant(5.), tf.Variable(10.)
        concrete.set_external_captures([other if t.dtype == tf.float32 else others.handle for t in concrete.captured_inputs])
        self.assertEqual([float(concrete(tf.constant(1.))), float(f(tf.constant(1.)))], [51., 51.])
        x = tf.constant(1.)
        with tf.GradientTape() as tape:
            tape.watch([other, constant])
            y = tf.function(lambda x: concrete(x) * 2.)(x)
        self.assertEqual([None if g is None else float(g) for g in tape.gradient(y, [other, others, constant, variable])],
                         [20., 10., None, None])
        with self.assertRaisesRegex(ValueError, '2 captures, it was given 1'):
            concrete.set_external_captures([other])
        concrete.set_external_captures([tf.constant(1) if t.dtype == tf.float32 else t for t in concrete.captured_inputs])
        with self.assertRaisesRegex(TypeError, 'Can not cast'):
            concrete(tf.constant(1.))

    def test_values_that_are_asked_for_at_each_call(self):
        value, asked = [1.], []

        def ask():
            asked.append(1)
            return value[0]

        @tf.function
        def inner(x):
            graph = tf.compat.v1.get_default_graph()
            first = graph.capture_call_time_value(ask, tf.TensorSpec(None), key='a')
            return x + first + graph.capture_call_time_value(None, tf.TensorSpec(None), key='a')

        @tf.function
        def outer(n):
            total = 0.
            for _ in tf.range(n):
                total += tf.ensure_shape(inner(1.), [])
            return total
        self.assertEqual(float(inner(2.)), 4.)
        self.assertEqual(asked, [1])
        self.assertEqual(float(outer(tf.constant(2))), 6.)
        value[0] = 2.
        self.assertEqual([float(inner(2.)), float(outer(tf.constant(2)))], [6., 10.])
        value[0] = tf.constant(1)
        with self.assertRaisesRegex(TypeError, 'Can not cast'):
            inner(2.)
        value[0] = 3.  # a pipeline keeps the value with which it was made
        pipeline = tf.data.Dataset.from_tensors(1.).map(inner)
        value[0] = 5.
        self.assertEqual([float(x) for x in pipeline], [7.])

    def test_a_capture_is_replaced_by_a_question(self):
        x, y = tf.constant(1.), tf.constant(2.)
        concrete = tf.function(lambda: x + 10. * y).get_concrete_function()
        value = [4.]
        with self.assertRaisesRegex(ValueError, 'Attempting to substitute closure with spec'):
            concrete.replace_capture_with_deferred_capture(y, lambda: 1, tf.TensorSpec([], tf.int32))
        concrete.replace_capture_with_deferred_capture(y, lambda: value[0], tf.TensorSpec([]))
        self.assertEqual(sorted(callable(c) for c in concrete._captured_inputs), [False, True])
        self.assertEqual(float(concrete()), 41.)
        value[0] = 5.
        self.assertEqual(float(concrete()), 51.)


class Arguments(unittest.TestCase):
    def test_each_tensor_by_itself(self):
        @tf.function
        def f(x, rest, bound=7):
            return x['a'] - x['b'] + 10. * rest[0] * bound
        one, two, three = tf.constant(1.), tf.constant(2.), tf.constant(3.)
        concrete = f.get_concrete_function({'a': scalar, 'b': scalar}, [tf.TensorSpec([], name='own')])
        for result in (concrete({'a': one, 'b': two}, [three]), concrete(one, two, three), concrete(one, x_1=two, own=three),
                       concrete(x=one, x_1=two, own=three)):
            self.assertEqual(float(result), 209.)
        for call, error in ((lambda: concrete(one, two), r"f\(x, x_1, own\) missing required arguments: own"),
                            (lambda: concrete(one, two, three, three), r'f\(x, x_1, own\) takes 3 .* got 4'),
                            (lambda: concrete(one, two, three, x=one), "two values for 'x'"),
                            (lambda: concrete(one, two, 3.), r'argument #2\(zero-based\) to be a Tensor; got float'),
                            (lambda: concrete(one, [two]), "Can not cast <tf.Tensor.* to a Dict type"),
                            (lambda: concrete(one, two, three, odd=one), "got an unexpected keyword argument 'odd'")):
            with self.assertRaisesRegex(TypeError, error):
                call()

    def test_errors_have_the_words_of_tensorflow(self):
        @tf.function
        def f(x, n):
            return x * n
        for call, error in ((lambda: f(1), "Binding inputs to tf.function failed due to `missing a required argument: 'n'`"),
                            (lambda: f(1, 2, 3), 'too many positional arguments'),
                            (lambda: f(1, m=2), "got an unexpected keyword argument 'm'"),
                            (lambda: f(1, x=2), "multiple values for argument 'x'"),
                            (lambda: f.get_concrete_function(scalar, 2)(tf.constant(1.), 3), r'Can not cast 3 to Literal\[2\]'),
                            (lambda: tf.function(f, input_signature=[scalar, scalar])(tf.ones([2]), 1.), 'Can not cast TensorSpec'),
                            (lambda: tf.function(f.python_function, input_signature=[scalar]), 'input_signature missing type')):
            with self.assertRaisesRegex(TypeError, error):
                call()
        with self.assertRaisesRegex(ValueError, 'Name collision after sanitization'):
            tf.function(lambda **k: 1)(**{'a/b': 1, 'a_b': 2})

    def test_shapes_that_turn_out_when_it_runs(self):
        inner = tf.function(lambda x: x * 2., input_signature=[tf.TensorSpec([1])])
        outer = tf.function(lambda x: inner(x), input_signature=[tf.TensorSpec(None)])
        self.assertEqual(outer(tf.constant([1.])).numpy().tolist(), [2.])
        with self.assertRaises(tf.errors.InvalidArgumentError):
            outer(tf.constant([1., 2.]))


    def test_tensors_of_other_shapes(self):
        v = tf.Variable(2.)

        @tf.function
        def f(a, b):
            return {'sum': a + b * v, 'size': tf.size(a)}
        concrete = f.get_concrete_function(tf.TensorSpec([None]), tf.TensorSpec([2]))
        for a, b in ((1., 2.), ([[1., 2.]], [3., 4.]), ([1., 2., 3.], 1.)):
            a, b = tf.constant(a), tf.constant(b)
            with tf.GradientTape() as tape:
                tape.watch(b)
                found = concrete(a, b=b)
            self.assertEqual(found['sum'].numpy().tolist(), (a + b * 2.).numpy().tolist())
            self.assertEqual(found['size'].numpy(), tf.size(a).numpy())
            gradient = tape.gradient(found['sum'], [b, v])
            self.assertEqual(gradient[0].shape, b.shape)
            self.assertEqual(gradient[1].numpy(), tf.reduce_sum(tf.broadcast_to(b, found['sum'].shape)).numpy())
        self.assertEqual(tf.function(lambda x: concrete(x, x)['sum'])(tf.constant([1., 2., 3.])).numpy().tolist(), [3, 6, 9])
        with self.assertRaises(tf.errors.InvalidArgumentError):
            concrete(tf.ones([3]), tf.ones([2]))
        with self.assertRaises(tf.errors.InvalidArgumentError):
            concrete(tf.ones([4]), tf.ones([3]))
        held = tf.constant(5.)
        adds = tf.function(lambda x: x + held).get_concrete_function(tf.TensorSpec([2]))
        self.assertEqual(adds(tf.ones([3])).numpy().tolist(), [6, 6, 6])
        adds.set_external_captures([tf.constant(7.)])
        self.assertEqual([adds(tf.ones([n])).numpy().tolist() for n in (2, 3)], [[8, 8], [8, 8, 8]])
        inner = tf.function(lambda x: tf.cond(x[0] > 0, lambda: x, lambda: -x)).get_concrete_function(tf.TensorSpec([2]))
        with self.assertRaisesRegex(TypeError, 'Can not cast TensorSpec'):
            inner(tf.ones([3]))


class Descriptions(unittest.TestCase):
    def test_names(self):
        Pair = collections.namedtuple('Pair', 'first second')

        @tf.function
        def f(t, d):
            return t.first + d['k']
        concrete = f.get_concrete_function(Pair(scalar, scalar), {'k': scalar})
        (pair, d), _ = concrete.structured_input_signature
        self.assertEqual([pair.first.name, pair.second.name, d['k'].name], ['t_first', 't_second', 'd_k'])
        self.assertEqual([concrete.graph.name, concrete.name[:14]], ['f', b'__inference_f_'])
        self.assertEqual(concrete.pretty_printed_signature(verbose=False), str(concrete.function_type))
        self.assertEqual([p.type_constraint for p in concrete.function_type.parameters.values()][1].mapping['k'],
                         tf.TensorSpec(d['k'].shape, d['k'].dtype))

    def test_other_names_of_specs_than_those_that_were_traced(self):
        f = tf.function(lambda x, *, n: x[0] * n)
        first = f.get_concrete_function([scalar, 2], n=scalar)
        other = f.get_concrete_function([tf.TensorSpec([], name='z'), 2], n=tf.TensorSpec([], name='m'))
        self.assertIs(f.get_concrete_function([tf.TensorSpec([], name='z'), 2], n=tf.TensorSpec([], name='m')), other)
        self.assertEqual(f.experimental_get_tracing_count(), 1)
        self.assertEqual(float(other(z=tf.constant(3.), m=tf.constant(2.))), 6.)
        self.assertEqual(float(first(x=tf.constant(3.), n=tf.constant(2.))), 6.)
        for concrete, names in ((first, ['x_0', 'n']), (other, ['z', 'm'])):
            args, kwargs = concrete.structured_input_signature
            self.assertEqual([args[0][0].name, kwargs['n'].name], names)

    def test_variables_in_signatures(self):
        f = tf.function(lambda a, b: a + b)
        v, w = tf.Variable(1.), tf.Variable(2., trainable=False)
        for given, aliases in (((v, v), [0, 0]), ((v, w), [0, 1])):
            specs, _ = f.get_concrete_function(*given).structured_input_signature
            self.assertEqual([(s.alias_id, s.trainable) for s in specs], [(a, g.trainable) for a, g in zip(aliases, given)])

    def test_symbolic_tensors_and_operations_are_one_object_each(self):
        seen = []

        @tf.function
        def f(x):
            y = x + 1.
            y.mine = 'kept'
            seen.extend([y.op.inputs[0] is x, y.op.outputs[0] is y, y.op is y.op, y.op.outputs[0].mine])
            return y
        graph = f.get_concrete_function(scalar).graph
        self.assertEqual(seen, [True, True, True, 'kept'])
        self.assertIs(graph.inputs[0], graph.get_tensor_by_name('x:0'))

    def test_what_a_function_says_of_itself_in_a_library(self):
        f = tf.function(lambda x, y: x + y, experimental_implements='plain', experimental_attributes={'_noinline': True})
        definition = f.get_concrete_function(scalar, scalar).function_def
        self.assertEqual([definition.attr['_implements'].s, definition.attr['_noinline'].b], [b'plain', True])
        self.assertEqual([a.name for a in definition.signature.input_arg], ['x', 'y'])
        text = 'name: "embedding" attr { key: "k" value { i: 2 } }'
        definition = tf.function(lambda x: x, experimental_implements=text).get_concrete_function(scalar).function_def
        self.assertEqual([definition.attr['_implements'].func.name, definition.attr['_implements'].func.attr['k'].i],
                         ['embedding', 2])
        with tf.Graph().as_default() as graph:
            v = tf.Variable(1.)
            f(v, 2.)
            f(2., v)
            self.assertEqual(len(graph.as_graph_def().library.function), 1)
        with self.assertRaisesRegex(AssertionError, 'variables are always captured'):
            outside = tf.constant(1.)
            tf.function(lambda x: x + outside, experimental_implements='plain')(1.)
        with self.assertRaisesRegex(ValueError, 'odd.* is not supported by tf.function'):
            tf.function(lambda x: x, experimental_attributes={'odd': 1})
        with self.assertRaisesRegex(ValueError, 'Attribute _noinline must be bool, int'):
            tf.function(lambda x: x, experimental_attributes={'_noinline': None})


class Types(unittest.TestCase):
    """Types of arguments and functions as objects: tensorflow.core.function.trace_type and polymorphism."""

    def test_values(self):
        from_value, types = tf.core.function.trace_type.from_value, tf.core.function.trace_type.default_types
        Pair = collections.namedtuple('Pair', 'first second')
        one = tf.constant(1.)
        for value, shown in (
                (1, 'Literal[1]'), ((1, [2.]), 'Tuple[Literal[1], List[Literal[2.0]]]'), ({'b': 1, 'a': None}, "Dict[['b', "
                "Literal[1]], ['a', Literal[None]]]"), (Pair(1, one), "Pair[['first', Literal[1]], ['second', TensorSpec("
                "shape=(), dtype=tf.float32, name=None)]]")):
            self.assertEqual(repr(from_value(value)), shown)
            self.assertEqual((from_value(value), hash(from_value(value))), (from_value(value), hash(from_value(value))))
        self.assertEqual(from_value({1: 2, 3: 4}), from_value({3: 4, 1: 2}))
        self.assertNotEqual(types.List(types.Literal(1)), types.Tuple(types.Literal(1)))
        self.assertEqual(types.Literal(float('nan')), types.Literal(float('nan')))
        a, b = tf.Variable(1.), tf.Variable(2.)
        self.assertNotEqual(from_value((a, b)), from_value((a, a)))
        self.assertEqual(from_value((a, b)), from_value((b, a)))
        kind = from_value([one, {'k': 3}])
        self.assertEqual(kind.cast([2, {'k': 3}], None)[0].dtype, tf.float32)
        with self.assertRaisesRegex(ValueError, r'Can not cast 4 to Literal\[3\]'):
            kind.cast([one, {'k': 4}], None)
        self.assertEqual(kind.from_tensors(iter(kind.to_tensors([one, {'k': 3}])))[1], {'k': 3})
        self.assertEqual(kind.most_specific_common_supertype([from_value([tf.constant([1.]), {'k': 3}])]).flatten(),
                         [tf.TensorSpec(None)])
        with self.assertRaisesRegex(TypeError, 'weakref input'):
            from_value(weakref.ref(Pair))
        held = Pair.__class__('Held', (), {})()
        kind = from_value(held)
        self.assertEqual(kind, from_value(held))
        del held
        self.assertNotEqual(kind, kind)

    def test_types_of_users_consist_of_them(self):
        trace_type = tf.core.function.trace_type

        class Kind(tf.types.experimental.TraceType):
            def __init__(self, parts):
                self.parts = parts

            def is_subtype_of(self, other):
                return self.parts.is_subtype_of(other.parts)

            def most_specific_common_supertype(self, others):
                found = self.parts.most_specific_common_supertype([other.parts for other in others])
                return found and Kind(found)

            def placeholder_value(self, placeholder_context):
                return Value(self.parts.placeholder_value(placeholder_context))

            def flatten(self):
                return self.parts.flatten()

            def to_tensors(self, value):
                return self.parts.to_tensors(value.parts)

            def __eq__(self, other):
                return isinstance(other, Kind) and self.parts == other.parts

            def __hash__(self):
                return hash(self.parts)

        class Value:
            def __init__(self, parts):
                self.parts = parts

            def __tf_tracing_type__(self, context):
                return Kind(trace_type.from_value(self.parts, context))
        f = tf.function(lambda v: v.parts['a'] - v.parts['b'][0] * v.parts['b'][1])
        calls = [({'b': [tf.constant(1.), 4], 'a': tf.constant(9.)}, 5., 1), ({'a': tf.constant(1.), 'b': [tf.constant(2.), 4]}, -7., 1),
                 ({'b': [tf.constant(1.), 5], 'a': tf.constant(9.)}, 4., 2)]
        for parts, result, traces in calls:
            self.assertEqual((float(f(Value(parts))), f.experimental_get_tracing_count()), (result, traces))

    def test_functions(self):
        types = tf.core.function.polymorphism.function_type
        v = tf.Variable(2.)
        concrete = tf.function(lambda x, y=2, *a, k, **kw: [x * v, (x, 1)]).get_concrete_function(scalar, 2, 3, k=4, z=scalar)
        kind = concrete.function_type
        self.assertEqual([(p.name, p.kind.name, repr(p.type_constraint)) for p in kind.parameters.values()][1:4],
                         [('y', 'POSITIONAL_ONLY', 'Literal[2]'), ('a_0', 'POSITIONAL_ONLY', 'Literal[3]'),
                          ('k', 'KEYWORD_ONLY', 'Literal[4]')])
        self.assertEqual((kind.flat_inputs, kind.flat_outputs), ([scalar, scalar], [scalar, scalar, tf.TensorSpec([], tf.int32)]))
        self.assertEqual([spec.dtype for spec in kind.flat_captures], [tf.resource])
        self.assertEqual(types.to_structured_signature(kind)[0], ((scalar, 2, 3), {'k': 4, 'z': scalar}))

        def f(x, y=2, *, k=3):
            return x
        declared = types.FunctionType.from_callable(f)
        self.assertEqual(str(declared), '(x, y=<captured_default_value>, *, k=<captured_default_value>)')
        defaults = types.FunctionType.get_default_values(f)
        call, context = types.canonicalize_to_monomorphic((tf.constant(1.),), {'k': 4}, defaults, {}, declared)
        self.assertEqual(str(call), '(x: TensorSpec(shape=(), dtype=tf.float32, name=None), y: Literal[2], *, k: Literal[4])')
        self.assertEqual(pickle.loads(pickle.dumps(declared)), declared)
        with self.assertRaisesRegex(TypeError, 'input_signature contains 1 extra type constraints'):
            types.add_type_constraints(declared, [scalar] * 3, defaults)
        with self.assertRaises(TypeError):
            declared.is_supertype_of(call)

    def test_tables_of_functions(self):
        types, table = tf.core.function.polymorphism.function_type, tf.core.function.polymorphism.type_dispatch.TypeDispatchTable()

        def kind(*shape):
            parameter = types.Parameter('x', types.Parameter.POSITIONAL_ONLY, False, tf.TensorSpec(shape))
            return types.FunctionType([parameter])
        for shape in ((None, None), (None, 1), (None, 2), (None, None)):
            table.add_target(kind(*shape))
        self.assertEqual(list(table.targets), [kind(None, None), kind(None, 1), kind(None, 2)])
        for asked, found in (((3, 1), (None, 1)), ((3, 3), (None, None)), ((None, 2), (None, 2))):
            self.assertEqual(table.dispatch(kind(*asked)), kind(*found))
        self.assertIsNone(table.dispatch(kind(3)))
        table.delete(kind(None, 1))
        self.assertEqual(table.dispatch(kind(3, 1)), kind(None, None))
        self.assertEqual(table.try_generalizing_function_type(kind(4, 2)), kind(None, None))


class Shapes(unittest.TestCase):
    def test_of_calls_follow_from_their_arguments(self):
        @tf.function(input_signature=[tf.TensorSpec([None, None], tf.int32), tf.TensorSpec([], tf.int32)])
        def f(x, n):
            return tf.ones(tf.stack([tf.shape(x)[0], n]))

        @tf.function(input_signature=[tf.TensorSpec(None), tf.TensorSpec(None)])
        def g(x, y):
            return tf.reshape(y, [tf.shape(y)[0] // tf.shape(x)[0], tf.shape(x)[0], -1])
        seen = []

        @tf.function
        def outer():
            seen.extend([f(tf.zeros([3, 6], tf.int32), 5).shape, g(tf.ones([4]), tf.ones([20, 2])).shape,
                         tf.function(lambda: f(tf.zeros([2, 1], tf.int32), 7))().shape])
            return f(tf.zeros([3, 6], tf.int32), 5), g(tf.ones([4]), tf.ones([20, 2]))
        results = outer()
        self.assertEqual([shape.as_list() for shape in seen], [[3, 5], [5, 4, 2], [2, 7]])
        self.assertEqual([list(r.shape) for r in results], [[3, 5], [5, 4, 2]])
