"""Children of trackable objects: attributes, and the items of the containers that attributes hold."""
import abc
import collections
import copy
import pickle
import unittest

import footlight as tf
from folder_case import FolderCase

tracking = tf.__internal__.tracking


def children(trackable):
    return trackable._trackable_children()


class Attributes(unittest.TestCase):
    def test_what_is_trackable(self):
        f = tf.function(lambda x: x)
        for value in (tf.Variable(1.0), tf.Module(), f, f.get_concrete_function(1)):
            self.assertIsInstance(value, tracking.Trackable)
        self.assertNotIsInstance(tf.constant(1), tracking.Trackable)
        with self.assertRaises(TypeError):
            type(f)()

    def test_attributes_are_children(self):
        module = tf.Module()
        module.v = tf.Variable(1.0)
        module.inner = tf.Module()
        module.number = 3
        self.assertEqual(list(children(module)), ['v', 'inner'])
        self.assertIs(children(module)['v'], module.v)
        module.v = other = tf.Variable(2.0)
        self.assertIs(children(module)['v'], other)
        del module.v
        self.assertEqual(list(children(module)), ['inner'])

    def test_refusals(self):
        module = tf.Module()
        module.v = tf.Variable(1.0)
        with self.assertRaisesRegex(ValueError, 'already declared'):
            module._track_trackable(tf.Variable(1.0), 'v')
        with self.assertRaisesRegex(TypeError, 'got type int|Got type int'):
            module._track_trackable(3, 'n')

    def test_no_dependency(self):
        module = tf.Module()
        module.v = module._no_dependency(tf.Variable(1.0))
        self.assertIsInstance(module.v, tf.Variable)
        self.assertEqual(children(module), {})

        class Quiet(tf.Module):
            @tracking.no_automatic_dependency_tracking
            def set(self):
                self.v = [tf.Variable(1.0)]
        quiet = Quiet()
        quiet.set()
        self.assertIs(type(quiet.v), list)
        self.assertEqual(children(quiet), {})

    def test_other_metaclasses(self):
        class Abstract(tf.Module, metaclass=abc.ABCMeta):
            pass

        class Both(tracking.Trackable, dict):
            pass
        Abstract().v = tf.Variable(1.0)
        self.assertIsInstance(Both(), tracking.Trackable)

        class Made:
            def __new__(cls, *args):
                made = super().__new__(cls)
                made.args = args
                return made

        class Mixed(tf.Module, Made):
            def __init__(self, x):
                super().__init__()
        self.assertEqual(Mixed(3).args, (3,))


class Containers(unittest.TestCase):
    def test_lists(self):
        module = tf.Module()
        module.l = [tf.Variable(1.0), 'text']
        module.l.append(tf.Variable(2.0))
        module.l += [[tf.Variable(3.0)]]
        self.assertIsInstance(module.l, list)
        self.assertEqual(list(children(module.l)), ['0', '2', '3'])
        self.assertEqual([v.numpy() for v in module.variables], [1.0, 2.0, 3.0])
        self.assertEqual(repr(tracking.wrap([1])), 'ListWrapper([1])')
        self.assertEqual((type(tracking.wrap({})).__name__, repr(tracking.wrap({}))), ('_DictWrapper', 'DictWrapper({})'))

    def test_a_changed_list_is_not_saved(self):
        for change in (lambda l: l.pop(), lambda l: l.reverse(), lambda l: l.insert(0, 3), lambda l: l.clear(),
                       lambda l: l.__setitem__(0, 1), lambda l: l.__delitem__(0), lambda l: l.remove(l[0])):
            module = tf.Module()
            module.l = [tf.Variable(1.0)]
            change(module.l)
            with self.assertRaisesRegex(ValueError, 'replaced .*, moved .* or deleted'):
                children(module.l)
        module.numbers = [3, 1, 2]
        module.numbers.sort()
        module.numbers[0] = tf.Variable(1.0)
        self.assertEqual(list(children(module.numbers)), ['0'])

    def test_dicts(self):
        module = tf.Module()
        module.d = {'a': tf.Variable(1.0), 'b': {'c': tf.Variable(2.0)}, 3: 4}
        self.assertIsInstance(module.d, dict)
        self.assertEqual(list(children(module.d)), ['a', 'b'])
        module.d.update(e=tf.Variable(3.0))
        del module.d['a']
        self.assertEqual(list(children(module.d)), ['b', 'e'])
        self.assertEqual(module.d, {'b': {'c': module.d['b']['c']}, 3: 4, 'e': module.d['e']})
        module.d[3] = tf.Variable(4.0)
        with self.assertRaisesRegex(ValueError, 'not a str'):
            children(module.d)
        module.o = collections.OrderedDict([('z', tf.Variable(1.0)), ('a', tf.Variable(2.0))])
        module.o.move_to_end('z')
        self.assertIsInstance(module.o, collections.OrderedDict)
        self.assertEqual(list(module.o), ['a', 'z'])
        module.o.pop('a')
        self.assertEqual(list(module.o), ['z'])

    def test_values_of_each_container(self):
        module = tf.Module()
        module.pair, module.items, module.named = (1, tf.Variable(2.)), [3, tf.Module()], {'a': tf.Module(), 'b': 4}
        self.assertEqual([module.pair._values[0], module.items._values[0], module.named._values[1]], [1, 3, 4])
        self.assertIsInstance(module.pair, tracking.TrackableDataStructure)
        self.assertIs(module.pair._values[1], module.pair[1])

    def test_tuples(self):
        Pair = collections.namedtuple('Pair', 'x y')
        module = tf.Module()
        module.plain = (1, 2)
        module.t = (1, tf.Variable(2.0))
        module.p = Pair(tf.Variable(1.0), 2)
        self.assertIs(type(module.plain), tuple)
        self.assertEqual(list(children(module.t)), ['1'])
        self.assertIsInstance(module.p, Pair)
        self.assertEqual(list(children(module.p)), ['x', '0'])
        self.assertEqual(module.p.y, 2)
        self.assertIsInstance(tf.nest.map_structure(lambda v: v, module.p), Pair)

    def test_copies(self):
        module = tf.Module()
        module.l, module.d, module.t = [tf.Variable(1.0), 2], {'a': tf.Variable(1.0)}, (tf.Variable(1.0), 2)
        for value in (module.l, module.d, module.t):
            for other in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
                self.assertIs(type(other), type(value))
                self.assertEqual(list(children(other)), list(children(value)))
        self.assertIs(copy.copy(module.l)[0], module.l[0])
        self.assertIsNot(copy.deepcopy(module.l)[0], module.l[0])

    def test_structures(self):
        module = tf.Module()
        module.l, module.d = [1, 2], {'a': 1}
        tf.nest.assert_same_structure(module.l, [3, 4])
        tf.nest.assert_same_structure({'a': 2}, module.d)
        self.assertEqual(tf.add_n(module.l).numpy(), 3)
        self.assertEqual(tf.function(lambda l: l[0] + l[1])(module.l), 3)

    def test_a_list_is_shared_with_the_program(self):
        module, mine = tf.Module(), [1, [2]]
        module.l = mine
        mine.append(3)
        self.assertEqual((list(module.l), len(module.l), module.l[-1], 3 in module.l), ([1, [2], 3], 3, 3, True))
        module.l.append(4)
        module.l[1].append(5)
        self.assertEqual(mine, [1, [2, 5], 3, 4])
        self.assertEqual((module.l == mine, mine == module.l, module.l + [6], module.l.index(3)), (
            True, True, [1, [2, 5], 3, 4, 6], 2))
        self.assertIs(type(module.l + []), list)
        self.assertEqual(tf.nest.flatten(module.l), [1, 2, 5, 3, 4])
        del module.l[0]
        module.l[0] = 7
        module.l.insert(0, 8)
        self.assertEqual(mine, [8, 7, 3, 4])
        self.assertEqual((module.l.pop(), module.l.pop(0), mine), (4, 8, [7, 3]))
        held = [tf.Variable(1.)]
        module.held = held
        held.append(tf.Variable(2.))
        self.assertEqual(len(module.trainable_variables), 2)

    def test_ordered_dict_gives_up_its_first_item(self):
        module, given = tf.Module(), collections.OrderedDict(a=1, b=2, c=3)
        module.o = given
        self.assertEqual(module.o.popitem(last=False), ('a', 1))
        self.assertEqual(module.o.popitem(), ('c', 3))
        self.assertEqual((list(module.o.items()), list(given.items())), ([('b', 2)], [('b', 2)]))
        module.o.clear()
        self.assertRaises(KeyError, module.o.popitem, last=False)

    def test_a_dict_is_shared_with_the_program(self):
        for kind in (dict, collections.OrderedDict):
            module, mine = tf.Module(), kind(a=1)
            module.d = mine
            mine['b'] = tf.Variable(2.)
            self.assertEqual((list(module.d), len(module.d), 'b' in module.d, module.d.get('a')), (['a', 'b'], 2, True, 1))
            self.assertEqual(len(module.variables), 1)
            module.d.update(c=3)
            self.assertEqual((module.d.pop('b') is not None, module.d.pop('z', 5)), (True, 5))
            self.assertEqual((mine, module.d == mine, dict(**module.d)), ({'a': 1, 'c': 3}, True, {'a': 1, 'c': 3}))
            self.assertEqual((module.d.popitem(), module.d.setdefault('e', 9), mine), (('c', 3), 9, {'a': 1, 'e': 9}))
            module.d.clear()
            self.assertEqual((mine, repr(module.d)), ({}, f'DictWrapper({kind()!r})'))
        ordered = collections.OrderedDict(a=1, b=2)
        module.d = ordered
        module.d.move_to_end('a')
        self.assertEqual((list(module.d), list(ordered)), (['b', 'a'], ['b', 'a']))

    def test_what_the_program_changed_is_not_saved(self):
        module, mine, named = tf.Module(), [1], {'a': 1}
        module.l, module.d = mine, named
        self.assertEqual(sorted(children(module)), ['d', 'l'])
        children(module.l)
        mine.append(2)
        with self.assertRaisesRegex(ValueError, 'The wrapped .* was modified directly'):
            children(module.l)
        named['b'] = 2
        with self.assertRaisesRegex(ValueError, 'The wrapped .* was modified directly'):
            children(module.d)
        # As many items as before: one of them is another.
        mine = [tf.Variable(1.)]
        module.l = mine
        mine[0] = 3
        module.l[0] = 4
        with self.assertRaisesRegex(ValueError, 'The wrapped .* was modified directly'):
            children(module.l)
        for take_out in (lambda d: d.pop('b'), lambda d: d.__delitem__('b'), lambda d: d.popitem()):
            named = {'a': 1}
            module.d = named
            del named['a']
            named['b'] = 2
            take_out(module.d)
            self.assertEqual((named, dict(module.d)), ({}, {}))

    def test_containers_say_their_layers(self):
        class Layer(tf.Module):
            """What counts as a layer."""
            _is_layer = True
            losses, updates = ['loss'], ['update']
        module, layers = tf.Module(), [Layer() for _ in range(3)]
        module.d = {'b': layers[0], 'n': 1}
        module.d['c'] = [layers[1], (layers[0],)]
        module.l = [layers[2], Layer]
        self.assertEqual([one.layers for one in (module.d, module.l)], [layers[:2], layers[2:]])
        self.assertEqual((module.d.losses, module.l.updates), (['loss'] * 2, ['update']))

    def test_fields_of_tuples_are_what_they_were(self):
        kind = collections.namedtuple('Kind', 'x weights variables layers')
        module = tf.Module()
        module.t = kind(tf.Variable(1.), 3, 'v', 4)
        self.assertEqual((module.t.weights, module.t.variables, module.t.layers, len(module.variables)), (3, 'v', 4, 1))


class Position(tf.train.experimental.PythonState):
    def __init__(self, line):
        self.line = line

    def serialize(self):
        return str(self.line)

    def deserialize(self, string_value):
        self.line = int(string_value)


class PythonStates(FolderCase):
    def test_a_checkpoint_has_the_string(self):
        position = Position(3)
        checkpoint = tf.train.Checkpoint(position=position)
        path = checkpoint.save(self.path('c'))
        self.assertEqual(tf.train.load_variable(path, 'position/.ATTRIBUTES/py_state'), b'3')
        position.line = 5
        checkpoint.restore(path).assert_consumed()
        self.assertEqual(position.line, 3)
        later = tf.train.Checkpoint()
        later.restore(path)
        later.position = Position(0)
        self.assertEqual(later.position.line, 3)

    def test_both_methods_are_needed(self):
        class Half(tf.train.experimental.PythonState):
            def serialize(self):
                return ''
        with self.assertRaisesRegex(TypeError, 'deserialize'):
            Half()
