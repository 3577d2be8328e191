"""Calls of functions and methods of objects from outside while a function is traced: how many functions are made for
them, which of them run as they were written, and what a program changes in between."""
import contextlib
import functools
import gc
import sys
import types
import unittest
import weakref

import footlight as tf
from footlight import _engine

from test_tracing import ops, value


class Meter:
    scale = 1

    def __init__(self):
        self.total = 0
        self.log = []

    def add(self, n):
        if n > 0:
            self.total += n * self.scale
        return self.total

    def twice(self, n):
        self.add(n)
        return self.add(n)

    def listed(self, n):
        return [self.add(i) for i in range(n)]

    @classmethod
    def of(cls, n):
        if n > 2:
            return cls.scale
        return n

    @staticmethod
    def plus(a, b):
        if a > b:
            return a + b
        return b

    @property
    def half(self):
        if self.total > 2:
            return self.total // 2
        return self.total

    def __call__(self, n):
        if n > 1:
            return n
        return self.total


def halved(n):
    if n > 2:
        n = n // 2
    return n


class Decorated(tf.Module):
    @tf.Module.with_name_scope
    def __call__(self, n):
        if n > 2:
            n = tf.add(n // 2, 0, name='inside')
        return n

    @functools.singledispatchmethod
    def chosen(self, n):
        return halved(n) if n > 2 else n


class Wrappers(unittest.TestCase):
    """Library code that stands for a function of the program's is converted with it."""

    def test_wrappers_of_libraries(self):
        @contextlib.contextmanager
        def around():
            entered.append(1)
            yield
        entered = []
        module = Decorated()
        for wrapper in (functools.singledispatch(halved), around()(halved), module):
            for call in (wrapper, lambda n: wrapper(n), lambda n: module.chosen(n)):
                traced = tf.function(call)
                self.assertEqual([value(traced(tf.constant(n))) for n in (9, 1)], [4, 1])
        self.assertEqual(len(entered), 2)
        graph = tf.function(module).get_concrete_function(tf.constant(9)).graph
        self.assertTrue([op for op in graph.get_operations() if op.name.startswith('decorated/')])

    def test_wrappers_of_library_functions(self):
        wrapper = functools.singledispatch(contextlib.nullcontext)  # its code is that of the others
        self.assertEqual(tf.function(lambda n: n + wrapper(3).enter_result)(1).numpy(), 4)
        self.assertEqual(value(tf.function(lambda n: functools.singledispatch(halved)(n))(tf.constant(9))), 4)
        with self.assertRaises(tf.errors.OperatorNotAllowedInGraphError):
            tf.function(functools.singledispatch(halved), autograph=False)(tf.constant(9))
        plain = tf.autograph.experimental.do_not_convert(functools.singledispatch(halved))
        with self.assertRaises(tf.errors.OperatorNotAllowedInGraphError):
            tf.function(lambda n: plain(n))(tf.constant(9))


class Slotted:
    __slots__ = ('value', 'other')

    def grow(self, n):
        if n > 0:
            self.value = self.value + n
        return self.value


def opened(x, n):
    """Its comparisons are of a tensor where n is one."""
    if n > 0:
        return x + n
    return x


def as_written(call):
    """The code objects that run while call() is traced."""
    seen = set()

    def body(x):
        # A profiler sees every call of a Python function.
        sys.setprofile(lambda frame, event, _: seen.add(frame.f_code) if event == 'call' else None)
        try:
            call()
        finally:
            sys.setprofile(None)
        return x
    tf.function(body)(tf.constant(1))
    return seen


def traced(call):
    """What call() gives while something is traced."""
    seen = []
    tf.function(lambda x: (seen.append(call()), x)[1])(tf.constant(1))
    return seen[0]


class Callees(unittest.TestCase):
    def test_functions_are_made_once_per_trace(self):
        made, emptied = _engine.autograph_callees()

        @tf.function
        def f(x):
            for i in range(100):
                x = opened(x, x)
            return x
        f(tf.constant(1))
        after, gone = _engine.autograph_callees()
        self.assertEqual(after - made, 1)
        self.assertEqual(gone - emptied, 1)  # the trace is over

    def test_methods_without_tensors_run_as_they_were_written(self):
        meter, slotted = Meter(), Slotted()
        slotted.value = 1
        functions = {
            Meter.twice: lambda: meter.twice(1), Meter.add: lambda: meter.add(1), Meter.listed: lambda: meter.listed(3),
            Meter.of.__func__: lambda: Meter.of(4), Meter.plus: lambda: meter.plus(1, 2), Meter.__call__: lambda: meter(3),
            Slotted.grow: lambda: slotted.grow(2)}
        for function, call in functions.items():
            traced(call)  # converts it
            made = _engine.autograph_callees()[0]
            self.assertIn(function.__code__, as_written(call), function)
            self.assertEqual(_engine.autograph_callees()[0], made)
        meter = Meter()
        self.assertEqual(traced(lambda: (meter.twice(2), meter.listed(3), meter.half)), (4, [4, 5, 7], 3))

    def test_tensors_in_objects(self):
        meter, slotted = Meter(), Slotted()
        slotted.value = 1
        traced(lambda: (meter.twice(1), slotted.grow(1)))
        meter.scale = tf.constant(3)
        self.assertEqual(int(tf.function(lambda x: meter.twice(1) + x)(tf.constant(0))), 8)
        meter.total = tf.constant(5)
        f = tf.function(lambda x: opened(x, meter.add(0)))
        self.assertIn('StatelessIf', ops(f, tf.constant(1)))
        slotted.value = tf.constant(2)
        f = tf.function(lambda x: opened(x, slotted.grow(3)))
        self.assertIn('StatelessIf', ops(f, tf.constant(1)))

        def inside(x):
            """The object gets a tensor while it is traced."""
            one = Meter()
            results = []
            for i in range(20):
                results.append(one.add(1))
                if i == 9:
                    one.scale = x
            return results[-1]
        f = tf.function(inside)
        self.assertEqual(int(f(tf.constant(2))), 30)

        def staged(x):
            for i in range(10):
                known = Meter.plus(1, 2)
            return Meter.plus(x, known)
        self.assertIn('StatelessIf', ops(tf.function(staged), tf.constant(1)))

    def test_what_a_program_changes_is_seen(self):
        meter = Meter()
        before = Meter.add
        results = []

        def other(self, n):
            if n > 0:
                return 'other'

        def f(x):
            for i in range(12):
                results.append(meter.add(1))
                if i == 6:
                    Meter.add = other
                if i == 8:
                    meter.add = lambda n: 'own'
                if i == 10:
                    del meter.add
                    Meter.add = before
            return x
        try:
            tf.function(f)(tf.constant(1))
        finally:
            Meter.add = before
        self.assertEqual(results, [1, 2, 3, 4, 5, 6, 7, 'other', 'other', 'own', 'own', 8])

        def with_default(n, by=1):
            if n > 0:
                return n + by
            return by
        found = []

        def g(x):
            for i in range(12):
                found.append(with_default(x, *()) if i < 6 else with_default(1))
                if i == 5:
                    with_default.__defaults__ = (10,)
                if i == 8:
                    with_default.__code__ = (lambda n, by: n * by * 100).__code__
            return x
        tf.function(g)(tf.constant(1))
        self.assertEqual(found[6:], [11, 11, 11, 1000, 1000, 1000])

    def test_nothing_is_kept_alive(self):
        class Held:
            pass

        def closed(held):
            def f(n):
                if n > 0:
                    return n if held else 0
                return n
            return f
        alive = []

        def make():
            held = Held()
            alive.append(weakref.ref(held))
            return closed(held)
        make, closed = tf.autograph.experimental.do_not_convert(make), closed

        @tf.function
        def f(x):
            inner = make()
            for i in range(10):
                x = inner(x)
            del inner
            alive.append(alive[0]())
            return x
        made = _engine.autograph_callees()[0]
        f(tf.constant(1))
        self.assertEqual(_engine.autograph_callees()[0] - made, 1)
        self.assertIsNone(alive[1])
        meters = []

        @tf.function
        def g(x):
            one = Meter()
            meters.append(weakref.ref(one))
            for i in range(10):
                one.add(1)
            del one
            meters.append(meters[0]())
            return x
        g(tf.constant(1))
        self.assertIsNone(meters[1])

    def test_objects_get_no_dictionary(self):
        """Looking for attributes leaves an object as small as it was."""
        meter = Meter()
        size = sum(map(sys.getsizeof, gc.get_referents(meter)))
        before = len(gc.get_referents(meter))
        traced(lambda: [meter.twice(1) for _ in range(10)])
        self.assertEqual(len(gc.get_referents(meter)), before)
        self.assertEqual(size, sum(map(sys.getsizeof, gc.get_referents(meter))))

    def test_other_callables(self):
        meter = Meter()
        partial = functools.partial(opened, n=3)
        bound = functools.partial(meter.add)
        self.assertEqual(traced(lambda: (partial(1), bound(2), functools.partial(Meter.plus, 1)(5))), (4, 2, 5))
        self.assertEqual(int(tf.function(lambda x: partial(x, n=x))(tf.constant(4))), 8)
        self.assertIn('StatelessIf', ops(tf.function(lambda x: functools.partial(opened, x)(n=x)), tf.constant(4)))
        with self.assertRaises(TypeError):
            traced(lambda: functools.partial(opened, 1)(2, 3))
        module = types.ModuleType('made')
        module.opened = opened
        self.assertIn('StatelessIf', ops(tf.function(lambda x: module.opened(x, x)), tf.constant(4)))
        with self.assertRaises(AttributeError) as caught:
            traced(lambda: meter.missing(1))
        self.assertEqual((caught.exception.name, caught.exception.obj), ('missing', meter))
