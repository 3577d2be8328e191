"""Loops of a traced function that a tensor reaches, on whatever way: they do not run as they were written."""
import collections
import functools
import types
import unittest

import footlight as tf
from footlight import _engine

from test_tracing import value


def written(call):
    """What it gives, and how many loops ran as they were written."""
    before = _engine.autograph_contained_loops()[1]
    result = call()
    return result, _engine.autograph_contained_loops()[1] - before


class Box:
    shared = 1

    def __init__(self, item):
        self.item = item
        self.other = None

    def get(self):
        return self.item

    @property
    def half(self):
        return self.item // 2

    def __iter__(self):
        return iter([self.item])


class Lookup:
    def __init__(self, item):
        self.__dict__['hidden'] = item

    def __getattr__(self, name):
        return self.__dict__['hidden']


class Listed(list):
    pass


class Named(dict):
    pass


class Replaced(list):
    def __iter__(self):
        return iter(self.other)


Pair = collections.namedtuple('Pair', 'a b')
GIVEN = 1
TABLE = {'factor': 2}


def clipped(v):
    if v > 3:
        v = 3
    return v


def clipped_to_given(v):
    if v > GIVEN:
        v = GIVEN
    return v


def made_here(v):
    if tf.constant(v) > 1:
        v = v + 1
    return v


def defaulted(v, least=None):
    if v > least:
        v = least
    return v


def limited(v):
    if v > limited.most:
        v = limited.most
    return v


def generated(v):
    yield 1
    yield v


# Each meets a tensor on another way, if it is given one.

def in_list(x):
    best = 0
    for v in [1, 2, x, 4]:
        if v > best:
            best = v
    return best


def deep_in_containers(x):
    total = 0
    for v in {'a': (1, [2]), 'b': (3, [x])}.values():
        if v[1][0] > 1:
            total += v[1][0]
    return total


def late_in_a_long_list(x):
    best = 0
    for v in [0] * 3000 + [x]:
        if v > best:
            best = v
    return best


def in_closure(x):
    def inner(n):
        while n < 4:
            if x > n:
                n += 2
            n += 1
        return n
    return inner(0)


def in_attribute(x):
    box, total = Box(x), 0
    for i in range(3):
        if box.item > i:
            total += i
    return total


def through_property(x):
    box, total = Box(x), 0
    for i in range(3):
        if box.half > i:
            total += i + 1
    return total


def through_method(x):
    get, total = Box(x).get, 0
    for i in range(3):
        if get() > i:
            total += i
    return total


def through_hook(x):
    found, total = Lookup(x), 0
    for i in range(3):
        if found.anything > i:
            total += i
    return total


def through_iteration(x):
    total = 0
    for v in Box(x):
        if v > 2:
            total += v
    return total


def in_set(x):
    boxes, total = {Box(x)}, 0
    for box in boxes:
        if box.item > 2:
            total += box.item
    return total


def in_subclass(x):
    values, total = Listed([1, x]), 0
    for v in values:
        if v > 1:
            total += v
    return total


def in_named_tuple(x):
    pairs, total = [Pair(1, 2), Pair(x, 3)], 0
    for pair in pairs:
        if pair.a > 1:
            total += pair.b
    return total


def in_subclass_of_dict(x):
    values, total = Named(a=1, b=x), 0
    for v in values.values():
        if v > 1:
            total += v
    return total


def in_attribute_of_subclass(x):
    values, total = Listed([1, 2]), 0
    values.least = x
    for v in values:
        if v > values.least:
            total += v
    return total


def through_iteration_of_subclass(x):
    values, total = Replaced([1, 2]), 0
    values.other = [3, x]
    for v in values:
        if v > 1:
            total += v
    return total


def from_iterator(x):
    values, total = iter([1, x]), 0
    for v in values:
        if v > 1:
            total += v
    return total


def from_generator(x):
    total = 0
    for v in generated(x):
        if v > 1:
            total += v
    return total


def through_container_method(x):
    take, total = [1, x, 2].pop, 0
    for _ in range(3):
        v = take()
        if v > 1:
            total += v
    return total


def in_deque(x):
    values, total = collections.deque([1, x], maxlen=9), 0
    for v in values:
        if v > 1:
            total += v
    return total


def through_module(x):
    module, total = types.ModuleType('settings'), 0
    module.least = x
    for i in range(4):
        if module.least > i:
            total += i
    return total


def through_hook_of_module(x):
    module, total = types.ModuleType('settings'), 0
    module.__getattr__ = lambda name: x
    for i in range(4):
        if module.least > i:
            total += i
    return total


def in_itself(x):
    values, total = [1], 0
    values.append(values)
    values.append(x)
    for v in values:
        if v is not values and v > 0:
            total += v
    return total


def through_attribute_of_function(x):
    limited.most = x
    total = 0
    for i in range(4):
        total += limited(i)
    return total


def raised_outside(x):
    total = 0
    try:
        raise ValueError(x)
    except ValueError:
        for i in range(3):
            try:
                raise
            except ValueError as error:
                if error.args[0] > i:
                    total += i
    return total


def through_partial(x):
    clip, total = functools.partial(defaulted, least=x), 0
    for i in range(4):
        total += clip(i)
    return total


def through_lambda(x):
    clip, total = (lambda v: v if v < x else x), 0
    for i in range(4):
        total += clip(i)
    return total


def through_shadowed_builtin(x):
    def sum(values):
        total = x
        for v in values:
            total = total + v
        return total
    best = 0
    for i in range(3):
        if sum(i for _ in range(2)) > 3:
            best = i
    return best


def in_later_turn(x):
    values, total, i = [0], 0, 0
    values.append(Box(x))
    while i < 4:
        v = values[i % 2]
        if i % 2:
            v = v.item
        if v > 1:
            total += v
        i += 1
    return total


def kept_generators(x):
    kept, n = [], 1
    for i in range(2):
        kept.append((10 if n > 2 else i for _ in range(1)))
    n = x
    return sum([v for one in kept for v in one])


def kept_map(x):
    kept, values = [], [5]
    for _ in range(2):
        kept.append(map(clipped, values))
    values.append(x)
    return sum([v for one in kept for v in list(one)])


SLIPS = [in_list, deep_in_containers, late_in_a_long_list, in_closure, in_attribute, through_property, through_method,
         through_hook, through_iteration, in_set, in_subclass, in_named_tuple,
         in_subclass_of_dict, in_attribute_of_subclass, through_iteration_of_subclass, from_iterator, from_generator,
         through_container_method, in_deque, in_itself, through_module, through_hook_of_module,
         through_attribute_of_function, raised_outside, through_partial, through_lambda, through_shadowed_builtin,
         in_later_turn, kept_generators, kept_map]


class Slips(unittest.TestCase):
    """Ways that a tensor takes into a loop: it is staged, or unrolled, as if no loop ran as it was written."""

    def test_values(self):
        for f in SLIPS:
            for x in (0, 5):
                with self.subTest(f=f.__name__, x=x):
                    result, loops = written(lambda f=f, x=x: tf.function(f)(tf.constant(x)))
                    self.assertEqual(value(result), f(x))
                    self.assertEqual(loops, 0)

    def test_what_is_outside(self):
        def helped(f):
            def traced(x):
                total = 0
                for i in range(4):
                    total += f(i)
                return total + x
            return traced
        for f in (clipped, clipped_to_given, lambda i: defaulted(i, 2)):
            self.assertEqual(value(tf.function(helped(f))(tf.constant(1))), helped(f)(1))
        wanted = helped(made_here)(1)
        result, loops = written(lambda: tf.function(helped(made_here))(tf.constant(1)))
        self.assertEqual((value(result), loops), (value(wanted), 0))

        def reads_globals(x):
            total = 0
            for i in range(4):
                if i < GIVEN:
                    total += TABLE['factor']
                total += Box.shared + clipped_to_given(i)
            return total + x
        result, loops = written(lambda: tf.function(reads_globals)(tf.constant(1)))
        self.assertEqual((value(result), loops), (reads_globals(1), 1))
        scope = globals()
        for change, undo in ((lambda: scope.update(GIVEN=tf.constant(2)), lambda: scope.update(GIVEN=1)),
                             (lambda: TABLE.update(factor=tf.constant(3)), lambda: TABLE.update(factor=2)),
                             (lambda: setattr(Box, 'shared', tf.constant(4)), lambda: setattr(Box, 'shared', 1)),
                             (lambda: scope.update(GIVEN=tf.Variable(2)), lambda: scope.update(GIVEN=1))):
            change()
            try:
                wanted = value(reads_globals(1))
                result, loops = written(lambda: tf.function(reads_globals)(tf.constant(1)))
                self.assertEqual((value(result), loops), (wanted, 0))
            finally:
                undo()

    def test_a_name_that_a_comprehension_has_too(self):
        def f(x):
            listed = [GIVEN for GIVEN in (5, 6)]
            total = 0
            for v in listed:
                if v > globals_given():
                    total += v
            return total + x

        def g(x):
            total = sum([BOUND for BOUND in (1, 2)])
            for i in range(3):
                if i < BOUND:
                    total += i
            return total + x
        self.assertEqual(value(tf.function(f)(tf.constant(1))), f(1))
        globals()['BOUND'] = tf.constant(2)
        try:
            result, loops = written(lambda: tf.function(g)(tf.constant(1)))
            self.assertEqual((value(result), loops), (3 + 1 + 1, 0))
        finally:
            del globals()['BOUND']


def globals_given():
    return GIVEN


class Parts:
    """An object whose attribute is a function that names many more attributes."""

    def __init__(self, rule, **parts):
        self.rule = rule
        self.__dict__.update(parts)


def sum_of_parts(of):
    return (of.a + of.b + of.c + of.d + of.e + of.f + of.g + of.h + of.i + of.j + of.k + of.l + of.m + of.n + of.o + of.p
            + of.q + of.r + of.s + of.t)


class Found(unittest.TestCase):
    def test_function_in_an_attribute_brings_names_of_attributes(self):
        parts = Parts(sum_of_parts, **dict.fromkeys('abcdefghijklmnopqrst', 1))

        def f(x):
            total = 0
            for i in range(3):
                if i < parts.rule(parts):
                    total += parts.rule(parts)
            return total + x
        for _ in range(3):
            self.assertEqual(value(tf.function(f)(tf.constant(1))), 61)
        parts.t = tf.constant(2)
        self.assertEqual(value(tf.function(f)(tf.constant(1))), 64)
