"""Loops that name a package, whose ifs plain values decide: those run as they were written, and no others."""
import dis
import types
import unittest

import footlight as tf

from test_tracing import ops, value

LIMIT = 3


def plain_ifs(function):
    """How many tests of a converted function stand as they were written, too."""
    code = tf.autograph.to_graph(function).__code__
    loads = [one.argval for one in dis.get_instructions(code) if one.opname.startswith('LOAD_')]
    return sum('plain_' in (one if isinstance(one, tuple) else (one,)) for one in loads) // 2


def counted(x):
    a = b = c = 0
    for i in range(20):
        if i % 3 == 0:
            a += 1
        elif i % 5 == 0:
            b += i
        else:
            c = c - 1 if i > 4 else c
        if i > 3 and not i % 4 or 2 < i < 5:
            continue
        if a > 5:
            break
        c += 2
    else:
        tf.no_op()
    return x + a * 100 + b * 10 + c


def whiles(x):
    i = found = 0
    while i < 30:
        i += 1
        j = i
        while j > 3:
            j -= 2
            if j == 5:
                found += 1
        if i == 25:
            break
        tf.no_op()
    return x + found + i


def early(x):
    for i in range(10):
        for k in range(i):
            if k == 3:
                break
            if i % 2:
                continue
        else:
            if i > 2:
                return tf.constant(i) + x
    return x


# In these a variable becomes a tensor in the loop.

def in_branch(x):
    n = 0
    for i in range(4):
        if x > i:
            n = n + 1
        if n > 2:
            n = n * 10
    return tf.identity(n)


def in_inner_loop(x):
    n = total = 0
    for i in range(3):
        for _ in tf.range(x):
            n = n + 1
        if n > 3:
            total = total + n
    return total


def in_inner_range(x):
    n = total = 0
    for i in range(3):
        for _ in range(x):
            n = n + 1
        if n > 3:
            total = total + n
    return tf.identity(total)


def in_inner_while(x):
    n = total = 0
    for i in range(3):
        while n < x:
            n = n + 2
        if n > 3:
            total = total + n
    return tf.identity(total)


def by_another(x):
    n = m = total = 0
    for i in range(4):
        if m > 2:
            total = total + m
        m = n
        n = x
    return tf.identity(total)


def by_augmented(x):
    n = total = 0
    for i in range(4):
        n += i
        if n > 2:
            total = total + n
        n += x
    return tf.identity(total)


def by_swap(x):
    a, b, total = 1, x, 0
    for i in range(4):
        if a > 2:
            total = total + i
        a, b = b, a
    return tf.identity(total)


def by_walrus(x):
    n = total = 0
    for i in range(4):
        if n > 2:
            total = total + n
        tf.identity((n := x))
    return total


def by_generator(x):
    n = total = 0
    made = ((n := x) for _ in (1, 2, 3, 4))
    for i in range(4):
        if n > 2:
            total = total + i
        next(made)
    return tf.identity(total)


def by_nonlocal(x):
    n = total = 0

    def change():
        nonlocal n
        n = x
    for i in range(3):
        if n > 2:
            total = total + 1
        change()
    return tf.identity(total)


def by_flag(x):
    total = 0
    for i in range(6):
        if x < i:
            break
        if i > 2:
            total = total + i
        total = total + 1
    return tf.identity(total)


def by_continue(x):
    total = last = 0
    for i in range(6):
        if x == i:
            continue
        last = i
        if last > 2:
            total = total + last
    return tf.identity(total)


def given(x):
    total = 0
    for i in range(4):
        if x > i:
            total = total + i
        if i > 2:
            total = total + 10
    return tf.identity(total)


def target(x):
    total = 0
    for i in (1, x, 3):
        if i > 2:
            total = total + i
        tf.no_op()
    return total


def handled(x):
    n = total = 0
    for i in range(3):
        try:
            n = n + 1
            if i == 1:
                n = x
                raise KeyError(x)
        except KeyError as error:
            n = error.args[0]
        if n > 2:
            total = total + n
    return tf.identity(total)


def subscripted(x):
    total, text = 0, 'abcd'
    for i in range(4):
        if text[i] == 'c':
            total = total + x
        if len(text) > i + 2:
            total = total + 1
    return tf.identity(total)


def used_later(x):
    n = 0
    for i in range(3):
        if i > 1:
            n = i
        tf.no_op()
    n = x
    if n > 2:
        n = n * 2
    return n


def shadowed(x):
    def range(count):
        return [x, count]
    total = 0
    for i in range(7):
        if i > 3:
            total = total + i
        tf.no_op()
    return total


BECOME = [in_branch, in_inner_loop, in_inner_range, in_inner_while, by_another, by_augmented, by_swap, by_walrus,
          by_generator, by_nonlocal, by_flag, by_continue, given, target, handled, subscripted, used_later, shadowed]


class Decided(unittest.TestCase):
    def test_plain(self):
        for f in (counted, whiles, early):
            for x in (0, 5):
                with self.subTest(f=f.__name__, x=x):
                    self.assertEqual(value(tf.function(f)(tf.constant(x))), int(f(tf.constant(x))))
            self.assertNotIn('StatelessIf', ops(tf.function(f), tf.constant(1)))

    def test_stand_as_written(self):
        self.assertGreaterEqual(plain_ifs(counted), 4)
        self.assertGreaterEqual(plain_ifs(whiles), 2)
        self.assertEqual(plain_ifs(by_another), 0)
        self.assertEqual(plain_ifs(by_nonlocal), 0)

    def test_become_tensors(self):
        for f in BECOME:
            for x in (0, 2, 5):
                with self.subTest(f=f.__name__, x=x):
                    wanted = f(x)
                    self.assertEqual(value(tf.function(f)(tf.constant(x))), int(wanted))
                    self.assertEqual(value(tf.function(f)(x)), int(wanted))

    def test_outside(self):
        def limited(x):
            total = 0
            for i in range(5):
                if i > LIMIT:
                    total = total + i
                if max(i, 2) > 3:
                    total = total + x
                tf.no_op()
            return total
        self.assertEqual(value(tf.function(limited)(tf.constant(2))), 6)
        scope = dict(globals(), max=lambda *_: tf.constant(9), LIMIT=tf.constant(2))
        self.assertEqual(value(tf.function(types.FunctionType(limited.__code__, scope))(tf.constant(2))), 7 + 10)

    def test_defined_before_as_something_else(self):
        def f(x, n):
            last = x
            total = 0
            for i in range(n, 4):
                if last > 2:
                    total = total + 1
                last = i
                tf.no_op()
            return total
        for x in (1, 3):
            wanted = f(x, 0)
            self.assertEqual(value(tf.function(f)(tf.constant(x), 0)), wanted)

    def test_never_defined(self):
        def f(x):
            for i in range(3):
                if i > 1:
                    x = x + never
                else:
                    if i > 5:
                        never = 1
                tf.no_op()
            return x
        with self.assertRaises(UnboundLocalError):
            tf.function(f)(tf.constant(1))
