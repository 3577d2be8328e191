"""User objects that change, contain themselves, or come back to life while the library looks at them."""
import array
import collections.abc
import gc
import operator
import threading
import unittest
import weakref

import footlight as tf

TOO_DEEP = (RecursionError, ValueError)


class Index:
    """A number that runs code when it is asked for its value."""

    def __init__(self, act):
        self.act, self.asked = act, 0

    def __index__(self):
        self.asked += 1
        self.act(self.asked)
        return 1

    def __repr__(self):
        self.act(0)
        return 'x'


class Longer(collections.abc.Sequence):
    """Three items at the first look, many at the second."""
    looks = 0

    def __len__(self):
        return 3

    def __getitem__(self, i):
        if i == 0:
            self.looks += 1
        if i >= (3 if self.looks < 2 else 100000):
            raise IndexError
        return i


class Growing(collections.abc.Mapping):
    """A mapping with different keys at each look."""

    def __init__(self, few=2):
        self.looks, self.few = 0, few

    def __iter__(self):
        self.looks += 1
        return iter([str(i) for i in range(self.few if self.looks < 3 else 1000)])

    def __len__(self):
        return self.few

    def __getitem__(self, key):
        return 1

    def keys(self):
        return list(iter(self))

    def copy(self):
        return {}


class Buffer:
    """An array with a different size at each look."""
    looks = 0

    def __array__(self, *args, **kwargs):
        self.looks += 1
        return memoryview(array.array('f', [0.] * (3 if self.looks < 2 else 100000)))


def settled(call):
    """Its result, or None if it was refused with an ordinary exception, not an internal error."""
    try:
        return call()
    except tf.errors.InternalError:
        raise
    except Exception:
        return None


class Changing(unittest.TestCase):
    def lists(self):
        def growing(asked):
            if asked == 2:
                grown.extend([1] * 100000)
        grown = [Index(growing), 2, 3]
        cleared = [Index(lambda asked: cleared.clear())] + [10**30 + i for i in range(1000)]
        shrunk = [Index(lambda asked: shrunk.__delitem__(slice(1, None)))] + [object() for _ in range(50)]
        return [grown, cleared, shrunk, [Index(lambda asked: None), Longer()], Longer(), [Longer(), Longer()]]

    def test_a_list_is_what_it_was_at_the_first_look(self):
        grown = self.lists()[0]
        self.assertEqual(memoryview(tf.constant(grown)).tolist(), [1, 2, 3])
        self.assertEqual(memoryview(tf.constant(Longer())).tolist(), [0, 1, 2])
        self.assertEqual(tf.constant([Buffer(), Buffer()]).shape, [2, 3])

    def test_lists_as_every_kind_of_argument(self):
        x = tf.ones([2, 2, 2, 2])
        for call in (tf.constant, tf.convert_to_tensor, tf.TensorShape, tf.zeros, tf.stack, tf.nest.flatten, tf.print,
                     lambda l: tf.constant([l, l]), lambda l: tf.concat([l, l], 0), lambda l: tf.reshape(x, l),
                     lambda l: tf.reduce_sum(x, l), lambda l: tf.norm(x, axis=l), lambda l: tf.tensordot(x, x, l),
                     lambda l: x[l], lambda l: x[tuple(l)], lambda l: x + l, lambda l: tf.Variable(l),
                     lambda l: tf.TensorSpec(l), lambda l: tf.function(lambda y: y)(l), lambda l: tf.function(lambda: l)(),
                     lambda l: tf.nest.map_structure(lambda y: y, l), lambda l: tf.function(lambda y: y, input_signature=l),
                     lambda l: tf.float32.most_specific_common_supertype(l),
                     lambda l: tf.TensorSpec([2]).most_specific_common_supertype(l)):
            for i in range(len(self.lists())):
                settled(lambda: call(self.lists()[i]))

    def test_mappings(self):
        self.assertRaises(RuntimeError, tf.nest.map_structure, lambda x: x, Growing())
        for call in (tf.nest.flatten, tf.print, lambda m: tf.nest.pack_sequence_as(m, [1, 2]),
                     lambda m: tf.nest.assert_same_structure(m, m), lambda m: tf.nest.map_structure(lambda x, y: x, m, m),
                     lambda m: tf.function(lambda x: 1)(m), lambda m: tf.function(lambda: m)(),
                     lambda m: tf.function(lambda **k: 1)(a=m)):
            for few in (0, 1, 2):
                settled(lambda: call(Growing(few)))

    def test_a_dict_that_loses_what_is_printed(self):
        class Key(str):
            def __repr__(self):
                d.clear()
                return 'k'
        d = {Key('a'): [1], Key('b'): [2]}
        tf.print(d)
        self.assertEqual(d, {})

    def test_map_structure_of_structures_that_grow(self):
        second = [1]

        class First(collections.abc.Sequence):
            def __len__(self):
                return 1

            def __getitem__(self, i):
                second.clear()
                return [1][i]
        settled(lambda: tf.nest.map_structure(lambda x, y: x, First(), second))

    def test_no_elements_that_a_tensor_has(self):
        letters = array.array('u', 'ab')
        for call in (lambda: tf.constant([letters]), lambda: tf.concat([[letters]], 0), lambda: tf.constant(letters)):
            self.assertRaises((TypeError, ValueError), call)

    def test_conversions_that_register_others(self):
        class Plain:
            pass

        class Meta(type):
            def __instancecheck__(cls, instance):
                for _ in range(100 if len(made) < 300 else 0):
                    made.append(type('Other', (), {}))
                    tf.register_tensor_conversion_function(made[-1], lambda *a, **k: NotImplemented)
                return type(instance) is Plain
        made = []
        kind = Meta('Kind', (), {})
        tf.register_tensor_conversion_function(kind, lambda value, dtype=None, name=None, as_ref=False: 3)
        self.assertEqual(int(tf.constant(Plain())), 3)

    def test_a_tape_that_is_reset_by_its_own_gradient(self):
        @tf.custom_gradient
        def f(x):
            def back(dy):
                tape.reset()
                return dy
            return x * 1., back
        x = tf.constant(1.)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = f(f(x * 2.) * 3.)
        self.assertRaisesRegex(RuntimeError, 'reset', tape.gradient, y, x)


class Endless(unittest.TestCase):
    def test_lists_that_contain_themselves(self):
        l = []
        l.append(l)
        d = {}
        d['d'] = d
        x = tf.ones([2, 2])
        for call in (lambda: tf.tensordot(x, x, axes=l), lambda: tf.norm(x, axis=l), lambda: tf.function(lambda: l)(),
                     lambda: tf.function(lambda: d)(), lambda: tf.function(lambda x: x, input_signature=l),
                     lambda: tf.constant([object(), l]), lambda: tf.constant(l), lambda: tf.nest.flatten(l),
                     lambda: tf.nest.flatten(d), lambda: tf.nest.map_structure(id, l), lambda: tf.print(l),
                     lambda: tf.print(d), lambda: tf.nest.assert_same_structure(l, l), lambda: tf.concat(l, 0),
                     lambda: tf.reshape(x, l)):
            self.assertRaises(TOO_DEEP + (TypeError,), call)

    def test_lists_of_themselves_twice_end_at_once(self):
        l = []
        l += [l, l]
        for call in (lambda: tf.constant(l), lambda: tf.print(l), lambda: tf.nest.flatten(l), lambda: tf.norm([1.], axis=l)):
            self.assertRaises(TOO_DEEP, call)

    def test_an_array_that_holds_itself(self):
        try:
            import numpy as np
        except ImportError:
            self.skipTest('NumPy is not there')
        array = np.empty(1, object)
        array[0] = array
        self.assertRaises(TOO_DEEP, tf.constant, array)
        self.assertRaises(TOO_DEEP, tf.cosh, [array])

    def test_slices_beyond_64_bits(self):
        x = tf.constant([1., 2., 3.])
        for index in (slice(2**64, None), slice(-2**70, 2), slice(0, 2**64)):
            self.assertRaises(OverflowError, lambda: x[index])
            self.assertRaises(OverflowError, tf.function(lambda: x[index]))

    def test_a_structure_that_gets_into_itself(self):
        m = [1]
        self.assertRaises(RecursionError, tf.nest.map_structure, lambda x: (m.insert(0, m), x)[1], m)

    def test_conversions_that_never_end(self):
        class Again:
            pass
        tf.register_tensor_conversion_function(Again, lambda v, dtype=None, name=None, as_ref=False: Again())
        self.assertRaises(RecursionError, tf.constant, Again())

    def test_what_is_deep_but_ends(self):
        deep = 1
        for _ in range(300):
            deep = [deep]
        self.assertEqual(tf.nest.flatten(deep), [1])
        self.assertEqual(tf.nest.flatten(deep), [1])  # the levels of the first walk are not counted


class Texts(unittest.TestCase):
    def test_specs_of_objects_without_a_text(self):
        class Odd:
            def __repr__(self):
                return '\ud800'
        self.assertRaises(TypeError, tf.type_spec_from_value, Odd())
        self.assertRaises(TypeError, lambda: tf.function(lambda x: x, input_signature=[Odd()]))


class Guarded(unittest.TestCase):
    def test_what_getters_and_slots_cannot_answer(self):
        self.assertRaises(Exception, tf.TensorShape([2**40, 2**40]).num_elements)
        self.assertRaises(TypeError, tf.ones([2]).__dlpack__, dl_device=5)
        self.assertRaises(TypeError, tf.constant(1.).__format__, 5)
        self.assertRaises(AttributeError, lambda: tf.device('/cpu:0').name)
        self.assertRaises(TypeError, tf.float32.most_specific_common_supertype, 5)
        self.assertRaises(ValueError, lambda: tf.string.limits)

    def test_members_whose_names_are_too_long_for_the_cache_of_lookups(self):
        f = tf.function(lambda x: x)
        concrete = f.get_concrete_function(1.)
        for value in (tf.constant(1), tf.Variable(1.), tf.TensorShape([1]), tf.TensorSpec([1]), tf.float32, f, concrete,
                      tf.GradientTape(), tf.autodiff.ForwardAccumulator(tf.ones([2]), tf.ones([2])), tf.add, tf.Module(),
                      concrete.graph, concrete.graph.as_graph_def(), tf.device('/cpu:0'), tf.name_scope('a')):
            for name in ('_' * 101, 'a' * 101):
                self.assertRaises(AttributeError, getattr, value, name)
                self.assertFalse(hasattr(value, name))
                self.assertEqual(getattr(value, name, 5), 5)

    def test_objects_are_made_by_their_functions_alone(self):
        f = tf.function(lambda x: x)
        tape = tf.GradientTape()
        kinds = {type(o) for o in (
            tf.autograph.experimental.do_not_convert(len), f, tf.constant(1), tf.Variable(1.), tape, tape.stop_recording(),
            tf.name_scope('a'), tf.float32, tf.TensorShape([]), tf.TensorSpec([]), tf.constant(1).ref(), tf.add,
            f.get_concrete_function(1.), f.get_concrete_function(1.).graph, f.get_concrete_function(1.).function_type)}
        kinds |= {type(f.get_concrete_function(tf.constant(1.)).graph.get_operations()[0])}
        for kind in kinds:
            for make in (kind, lambda: kind.__new__(kind), lambda: object.__new__(kind)):
                made = settled(make)
                if made is None:
                    continue
                for use in (repr, str, hash, dir, len, bool, iter, lambda o: o(), lambda o: o(1), lambda o: o == o,
                            lambda o: (o.__enter__(), o.__exit__(None, None, None)), lambda o: o.name,
                            lambda o: o.__wrapped__, lambda o: o.nothing):
                    settled(lambda: use(made))

    def test_numbers_of_odd_kinds(self):
        for left in (tf.constant(1), tf.Variable(1), tf.TensorShape([1]), tf.float32):
            for right in (object(), '\ud800', None, [object()], 10**400, Index(lambda asked: None), float('nan')):
                for operation in (operator.add, operator.mul, operator.matmul, operator.eq, operator.lt, operator.pow,
                                  operator.and_, operator.getitem, operator.contains, divmod, format, round):
                    settled(lambda: operation(left, right))
                    settled(lambda: operation(right, left))


class Refused(unittest.TestCase):
    def test_tensor_fields_that_are_no_tuple(self):
        class Listed:
            __tensor_fields__ = ['x']
            x = tf.constant(1.)

        class Number:
            __tensor_fields__ = 5
        self.assertEqual(float(tf.function(lambda o: o.x + 1.)(Listed())), 2.)
        with self.assertRaisesRegex(TypeError, 'not iterable'):
            tf.function(lambda o: 1.)(Number())

    def test_sizes_in_every_dtype_of_integers(self):
        for dtype in (tf.uint8, tf.uint16, tf.uint32, tf.uint64, tf.int8, tf.int16, tf.int32, tf.int64):
            num = tf.Variable(tf.constant([3], dtype))
            self.assertEqual(tf.linspace(0., 1., num).shape, [3])
            self.assertEqual(tf.function(lambda: tf.linspace(0., 1., num))().shape, [3])
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'below 2'):
            tf.linspace(0., 1., tf.Variable(tf.constant([2**64 - 1], tf.uint64)))

    def test_named_arguments_that_are_none(self):
        concrete = tf.function(lambda x: x).get_concrete_function(tf.constant(1.))
        with self.assertRaisesRegex(TypeError, 'must be a dict'):
            concrete._call_with_captures((), [], [])
        with self.assertRaisesRegex(TypeError, 'must be strings'):
            concrete._call_with_captures((), {1: 2}, [])

    def test_a_namespace_in_the_place_of_a_value(self):
        with self.assertRaisesRegex(ValueError, 'no namespace but a footlight.DType'):
            tf._engine.namespace('float32')
        self.assertIsInstance(tf.float32, tf.DType)


class Freed(unittest.TestCase):
    def test_a_weak_reference_finds_no_dead_variable(self):
        v, tape, found = tf.Variable(1.), tf.GradientTape(persistent=True), []
        with tape:
            v + 1
        reference = weakref.ref(v, lambda _: found.append(tape.watched_variables()))
        del v
        others = [tf.Variable(float(i)) for i in range(10)]
        self.assertEqual(float(found[0][0]), 1.)
        self.assertFalse(any(found[0][0] is other for other in others))

    def test_cycles_through_variables_and_tapes_are_collected(self):
        class Witness:
            pass

        def variable():
            v, witness = tf.Variable(1.), Witness()
            v.me, v.witness = v, witness
            return weakref.ref(witness)

        def constraint():
            witness = Witness()
            v = tf.Variable(1., constraint=lambda x: (x, v, witness)[0])
            return weakref.ref(witness)

        def tape():
            witness = Witness()

            @tf.custom_gradient
            def f(x):
                return x * 1., lambda dy: (dy, recorded, witness)[0]
            x = tf.constant(1.)
            with tf.GradientTape(persistent=True) as recorded:
                recorded.watch(x)
                f(x)
            return weakref.ref(witness)

        def rest():
            witness, tape = Witness(), tf.GradientTape()
            v = tf.Variable(1.)
            v.rest, v.witness = tape.stop_recording(), witness
            v.me = v
            return weakref.ref(witness)
        for make in (variable, constraint, tape, rest):
            with self.subTest(make.__name__):
                witness = make()
                gc.collect()
                self.assertIsNone(witness())

    def test_collection_while_a_tape_records(self):
        @tf.custom_gradient
        def f(x):
            return x * 2., lambda dy: dy * 2.
        x, threshold = tf.constant(1.), gc.get_threshold()
        gc.set_threshold(1)
        try:
            with tf.GradientTape(persistent=True) as outer, tf.GradientTape(persistent=True) as inner:
                outer.watch(x), inner.watch(x)
                y = f(f(x))
            gc.collect()
            self.assertEqual(float(inner.gradient(y, x)), 4.)
            self.assertEqual(float(outer.gradient(y, x)), 4.)
        finally:
            gc.set_threshold(*threshold)

    def test_symbolic_tensors_that_left_their_trace(self):
        out = []
        tf.function(lambda x: out.append(x) or x)(tf.constant(1.))
        self.assertRaisesRegex(TypeError, 'cannot be used outside', tf.Variable, out[0])
        self.assertRaises(TypeError, tf.function(lambda: tf.Variable(out[0])))
        self.assertRaises(TypeError, lambda: tf.Variable(1.).assign(out[0]))


    def test_tapes_that_end_while_they_are_set_aside(self):
        for make in (tf.GradientTape, lambda: tf.autodiff.ForwardAccumulator(tf.constant(1.), tf.constant(1.))):
            recorder = make()
            recorder.__enter__()
            with tf.init_scope():
                del recorder
                gc.collect()
                others = [tf.GradientTape() for _ in range(10)]
            self.assertEqual(float(tf.constant(1.) + 1.), 2.)
            del others


class Scopes(unittest.TestCase):
    """Entered while a function is traced, and left when the trace is over, or elsewhere."""
    MAKE = (lambda: tf.name_scope('a'), lambda: tf.device('/cpu:0'), lambda: tf.init_scope())

    def test_left_afterwards(self):
        for make in self.MAKE:
            scope = make()
            traced = tf.function(lambda x: (scope.__enter__(), x)[1])
            settled(lambda: traced(tf.constant(1.)))
            scope.__exit__(None, None, None)
            self.assertEqual(float(tf.function(lambda x: x + 1.)(tf.constant(1.))), 2.)
            self.assertEqual(float(tf.constant(1.) + 1.), 2.)

    def test_left_in_another_trace(self):
        for make in self.MAKE:
            scope = make()
            settled(lambda: tf.function(lambda x: (scope.__enter__(), x)[1])(tf.constant(1.)))
            second = tf.function(lambda x: (scope.__exit__(None, None, None), x + 1.)[1])
            self.assertEqual(float(second(tf.constant(1.))), 2.)
            with make():
                pass

    def test_left_on_another_thread(self):
        for make in self.MAKE:
            scope = make()

            def body(x):
                scope.__enter__()
                other = threading.Thread(target=scope.__exit__, args=(None, None, None))
                other.start(), other.join()
                return x
            settled(lambda: tf.function(body)(tf.constant(1.)))
            self.assertEqual(float(tf.constant(1.) + 1.), 2.)

    def test_left_in_another_order(self):
        a, b = tf.device('/cpu:0'), tf.device('/cpu:0')
        a.__enter__(), b.__enter__(), a.__exit__(None, None, None)
        del a
        gc.collect()
        b.__exit__(None, None, None)
        self.assertEqual(float(tf.constant(1.) + 1.), 2.)

    def test_an_init_scope_that_is_not_left_in_a_staged_statement(self):
        scopes = []

        def body(x):
            if x > 0.:
                scopes.append(tf.init_scope())
                scopes[-1].__enter__()
            return x
        settled(lambda: tf.function(body)(tf.constant(1.)))
        self.assertEqual(float(tf.constant(1.) + 1.), 2.)
