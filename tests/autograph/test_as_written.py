"""Functions that run as they were written while another one is traced: those that meet no tensor."""
import functools
import traceback
import types
import unittest

import footlight as tf
from footlight import _engine

from test_tracing import ops, value

BIAS = 10


def fibonacci(n):
    if n < 2:
        return n
    return fibonacci(n - 1) + fibonacci(n - 2)


def biased(n):
    if n > BIAS:
        return n
    return n + BIAS


def largest(values):
    best = values[0]
    for one in values:
        if one > best:
            best = one
    return best


def with_default(n, least=2):
    if n > least:
        return least
    return n


def refuse(n):
    if n > 3:
        raise ValueError(f'too large: {n}')
    return n


class TooMuch(Exception):
    def __init__(self, amount):
        self.amount = amount


class Purse:
    fee = 1

    def __init__(self):
        self._coins = 0
        self.log = []

    def put(self, amount):
        self._coins += amount - self.fee
        self.log.append(amount)
        return self

    def take(self, amount):
        if amount > self._coins:
            raise TooMuch(amount)
        self._coins -= amount
        return amount


class Lined(Purse):
    def put(self, amount):
        if amount > LINING:
            self._coins += amount
        return self


LINING = 2


def sifted(values, most=100):
    total = 0

    def add(one, times=1):
        nonlocal total
        if one > LINING:
            total += one * times
        if total > most:
            raise TooMuch(total)
        if one > 5:
            add(one - 1)
    for one in values:
        add(one)
    return total


def raised_to(least):
    def at_least(a, b):
        if b > least:
            return a + b
        return a
    return at_least


def saved(amount, taken=0):
    purse = Purse()
    for i in range(3):
        purse.put(amount)
        if purse._coins > 5 and i < 2:
            purse.fee = 2
    with Emptied(purse):
        return purse.take(taken) + purse._coins


class Emptied:
    def __init__(self, purse):
        self.purse = purse

    def __enter__(self):
        return self.purse

    def __exit__(self, *error):
        self.purse.log.clear()


def saved_in_lining(amount):
    return Lined().put(amount)._coins


class AsWritten(unittest.TestCase):
    def test_helpers_without_tensors(self):
        """They run as they were written, until something that they read or are given is a tensor."""
        def trace(call):
            seen = []

            def body(x):
                seen.append(call(x))
                return x + 0
            tf.function(body)(tf.constant(1))
            return seen[0]
        self.assertEqual(trace(lambda x: fibonacci(10)), 55)
        self.assertEqual(trace(lambda x: biased(2)), 12)
        self.assertEqual(int(tf.function(lambda x: biased(x))(tf.constant(2))), 12)
        self.assertEqual(int(tf.function(lambda x: largest([1, x, 2]))(tf.constant(7))), 7)
        self.assertEqual(trace(lambda x: largest([1, 5, 2])), 5)
        before = globals()['BIAS']
        try:
            globals()['BIAS'] = tf.constant(20)
            self.assertEqual(int(tf.function(lambda x: biased(x * 0 + 3))(tf.constant(2))), 23)
            g = tf.function(lambda x: biased(2) + x)
            self.assertEqual(int(g(tf.constant(1))), 23)
            self.assertIn('StatelessIf', ops(g, tf.constant(1)))
        finally:
            globals()['BIAS'] = before
        defaults = with_default.__defaults__
        try:
            with_default.__defaults__ = (tf.constant(5),)
            self.assertIn('StatelessIf', ops(tf.function(lambda x: with_default(3) + x), tf.constant(1)))
        finally:
            with_default.__defaults__ = defaults
        self.assertEqual(trace(lambda x: with_default(3)), 2)

    def test_helpers_with_objects_of_their_own(self):
        """Objects that a helper makes hold no tensors, unless something in their classes gives one."""
        def codes(call, kind):
            try:
                tf.function(lambda x: call())(tf.constant(1))
            except kind as error:
                return {frame.f_code for frame, _ in traceback.walk_tb(error.__traceback__)}
            self.fail('nothing was raised')
        results = []
        tf.function(lambda x: results.append((saved(5), saved(3, 2), saved_in_lining(4))))(tf.constant(1))
        self.assertEqual(results, [(saved(5), saved(3, 2), saved_in_lining(4))])
        as_written = {saved.__code__, Purse.take.__code__}
        self.assertLessEqual(as_written, codes(lambda: saved(1, 10), TooMuch))
        with self.assertRaises(TooMuch) as caught:
            tf.function(lambda x: saved(1, 10))(tf.constant(1))
        self.assertEqual(caught.exception.amount, 10)

        def staged(change, undo, call=lambda: saved(3)):
            change()
            try:
                g = tf.function(lambda x: call() + x)
                self.assertIn('StatelessIf', ops(g, tf.constant(1)))
                return int(g(tf.constant(1)))
            finally:
                undo()
        wanted = saved(3) + 1
        self.assertEqual(staged(lambda: setattr(Purse, 'fee', tf.constant(1)), lambda: setattr(Purse, 'fee', 1)),
                         wanted)
        init, put = Purse.__init__, Purse.put

        def init_with_tensor(self):
            init(self)
            self._coins = tf.constant(0)
        self.assertEqual(staged(lambda: setattr(Purse, '__init__', init_with_tensor),
                                lambda: setattr(Purse, '__init__', init)), wanted)

        def put_tensor(self, amount):
            return put(self, tf.constant(amount))
        self.assertEqual(staged(lambda: setattr(Purse, 'put', put_tensor), lambda: setattr(Purse, 'put', put)), wanted)
        given = property(lambda self: tf.constant(9), lambda *args: None)
        self.assertEqual(staged(lambda: setattr(Purse, '_coins', given), lambda: delattr(Purse, '_coins')), 10)
        self.assertEqual(staged(lambda: globals().update(LINING=tf.constant(2)), lambda: globals().update(LINING=2),
                                lambda: saved_in_lining(4)), 5)

    def test_functions_made_inside(self):
        """Those that are only called run as they were written with the function that makes them."""
        results = []
        tf.function(lambda x: results.append(sifted([1, 3, 8])))(tf.constant(1))
        self.assertEqual(results, [sifted([1, 3, 8])])
        codes = set()
        try:
            tf.function(lambda x: sifted([9], most=4))(tf.constant(1))
        except TooMuch as error:
            codes.update(frame.f_code for frame, _ in traceback.walk_tb(error.__traceback__))
        inner = next(one for one in sifted.__code__.co_consts if hasattr(one, 'co_code'))
        self.assertLessEqual({sifted.__code__, inner}, codes)
        least = tf.function(lambda x: functools.reduce(raised_to(2), [0, x, 3]))  # it may be given anything later
        self.assertEqual(([int(least(tf.constant(x))) for x in (1, 4)]), [3, 7])
        self.assertIn('StatelessIf', ops(least, tf.constant(1)))

        def counted(x):
            total = x

            def add():
                nonlocal total
                if total > 0:
                    total = total + 1
            add()
            return total
        self.assertEqual([int(tf.function(counted)(tf.constant(x))) for x in (-1, 1)], [-1, 2])
        try:
            globals()['LINING'] = tf.constant(2)
            g = tf.function(lambda x: sifted([1, 3, 4], most=x))
            self.assertEqual(int(g(100)), 7)
            self.assertIn('StatelessIf', ops(g, 100))
        finally:
            globals()['LINING'] = 2

    def test_large_lists(self):
        """Values are looked at before a call only as far as that takes a part of the time of the calls."""
        purse, calls = Purse(), 3000

        def fill():
            for i in range(calls):
                purse.log.append(0)
                purse.put(i)
        before = _engine.autograph_looked_at()
        tf.function(fill)()
        self.assertEqual((len(purse.log), purse._coins), (2 * calls, sum(range(calls)) - calls))
        self.assertLess(_engine.autograph_looked_at() - before, calls * calls // 4)

        def given_one(x):
            found = [largest([i] * 1000) for i in range(20)]
            return largest([0] * 1000 + [x]) + found[-1]
        self.assertEqual(value(tf.function(given_one)(tf.constant(4))), 4 + 19)

    def test_nothing_to_convert(self):
        class Holder:
            def get(self):
                return self.missing
        holder = Holder()
        for turn in range(2):  # the first converts it
            try:
                tf.function(lambda x: holder.get())(tf.constant(1))
            except AttributeError as error:
                codes = [frame.f_code for frame, _ in traceback.walk_tb(error.__traceback__)]
                self.assertEqual(any(code is Holder.get.__code__ for code in codes), turn == 1)
                self.assertIn('in get  *', str(error))
            else:
                self.fail('nothing was raised')
        holder.missing = tf.constant(3)
        self.assertEqual(value(tf.function(lambda x: holder.get() + x)(tf.constant(1))), 4)

    def test_errors_in_objects_of_helpers(self):
        with self.assertRaises(TooMuch) as caught:
            tf.function(lambda x: saved(1, 10))(tf.constant(1))
        shown = ''.join(traceback.format_exception(caught.exception))
        self.assertIn('purse.take(taken)', shown)

        @tf.function
        def f(x):
            if x > 3:
                saved(1, 10)
            return x
        self.assertEqual(value(f(tf.constant(1))), 1)  # raised when the graph runs
        with self.assertRaises(TooMuch):
            f(tf.constant(4))

    def test_helper_that_raises_under_a_tensor_condition(self):
        @tf.function
        def f(x):
            if x > 3:
                refuse(5)
            return x
        self.assertEqual(value(f(tf.constant(1))), 1)  # raised when the graph runs
        with self.assertRaises(ValueError):
            f(tf.constant(4))
        with self.assertRaises(ValueError) as caught:
            tf.function(lambda x: refuse(5))(tf.constant(1))
        self.assertIn('in refuse  *', str(caught.exception))


class Inside(unittest.TestCase):
    """Functions made inside that call themselves stand as they were written, and are converted if they meet tensors."""

    def written(self, f):
        own = [one for one in f.__code__.co_consts if isinstance(one, types.CodeType)]
        inside = [one for one in tf.autograph.to_graph(f).__code__.co_consts if isinstance(one, types.CodeType)]
        return sorted(one.co_name for one in own if any(one is other for other in inside))

    def test_which(self):
        def recursive(x):
            def power(n, by=2):
                if n < 1:
                    return 1
                return scaled(power(n - 1), by)

            def scaled(v, by):
                return v * by

            def other(v):
                return v + 1
            return other(power(3)) + x + power(x - 3)
        self.assertEqual(self.written(recursive), ['power', 'scaled'])
        self.assertEqual(value(tf.function(recursive)(5)), recursive(5))

        def repeated(x):
            def clipped(v):
                if v > 3:
                    v = 3
                return v

            def shifted(v):
                return tf.identity(v) + 1

            def once(v):
                return v + 1
            total = 0
            for i in range(5):
                total += clipped(i)
            return sum(shifted(i) for i in range(2)) + once(total) + x + sum([clipped(x) for _ in range(2)])
        self.assertEqual(self.written(repeated), ['clipped'])
        before = _engine.autograph_contained_loops()[1]
        for x in (1, 5):
            self.assertEqual(value(tf.function(repeated)(tf.constant(x))), int(repeated(x)))
        self.assertEqual(_engine.autograph_contained_loops()[1] - before, 2)

        def kept(x):
            def power(n):
                return 1 if n < 1 else 2 * power(n - 1)
            call = power
            return call(3) + x
        self.assertEqual(self.written(kept), [])
        self.assertEqual(value(tf.function(kept)(tf.constant(5))), 13)

        def sharing(x):
            count = 0

            def down(n):
                nonlocal count
                count += 1
                if n > x:
                    down(n - 1)
            down(4)
            return count
        self.assertEqual(self.written(sharing), [])
        self.assertEqual(value(tf.function(sharing)(2)), 3)

    def test_tensors(self):
        def summed(x, n):
            memo = {}

            def total(k):
                if k in memo:
                    return memo[k]
                if k < 1:
                    return 0
                found = total(k - 1)
                if x > k:
                    found = found + k
                memo[k] = found
                return found
            return tf.identity(total(n))
        for x in (0, 2, 9):
            self.assertEqual(value(tf.function(summed)(tf.constant(x), 4)), int(summed(tf.constant(x), 4)))
        self.assertIn('StatelessIf', ops(tf.function(summed), tf.constant(1), 4))

        def given(x, n):
            def clipped(v, k):
                if k > 0:
                    v = clipped(v, k - 1)
                if v > 3:
                    v = v - 1
                return v
            return clipped(x, n) + clipped(7, n)
        for x in (0, 5, 9):
            self.assertEqual(value(tf.function(given)(tf.constant(x), 3)), given(x, 3))

    def test_deeper(self):
        def outer(x, more):
            def middle(k):
                def even(n):
                    return True if n == 0 else odd(n - 1)

                def odd(n):
                    return False if n == 0 else even(n - 1)
                if even(k):
                    return k
                return -k
            if more:
                def late(n):
                    return 0 if n == 0 else late(n - 1) + 1
                x = x + late(4)
            return x + middle(4) + middle(5)
        for more in (False, True):
            self.assertEqual(value(tf.function(outer)(tf.constant(2), more)), outer(2, more))

    def test_errors(self):
        def f(x):
            def deep(n):
                if n == 0:
                    raise ValueError('at the end')
                return deep(n - 1)
            return x + deep(3)
        with self.assertRaises(ValueError) as caught:
            tf.function(f)(tf.constant(1))
        self.assertIn('in deep', str(caught.exception))

        def under(x):
            def deep(n):
                if n == 0:
                    raise ValueError('at the end')
                return deep(n - 1)
            if x > 3:
                x = deep(3)
            return x
        self.assertEqual(value(tf.function(under)(tf.constant(1))), 1)
        with self.assertRaises(ValueError):
            tf.function(under)(tf.constant(4))
