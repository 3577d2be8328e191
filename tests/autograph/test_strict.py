"""AUTOGRAPH_STRICT_CONVERSION=1: what TensorFlow refuses is refused here too; without it, the same programs run."""
import functools
import os
import unittest
from unittest import mock

import footlight as tf
from footlight._autograph import ag as _ag

VARIABLE = 'AUTOGRAPH_STRICT_CONVERSION'


def for_else(x):
    for i in range(2):
        x += i
    else:
        x += 10
    return x


def calls_for_else(x):
    return for_else(x) + 1


def plain_for_else(n):
    for i in range(n):
        if i > 5:
            break
    else:
        return 10
    return n


def twice(n):
    return 2 * plain_for_else(n)


def calls_plain_for_else(x):
    """Neither of the functions behind this meets a tensor."""
    return x + twice(3)


def while_else(n):
    while n > 0:
        n -= 1
    else:
        n = -100
    return n


def counts(n):
    for i in range(n):
        yield i


def sums(n):
    total = 0
    for i in counts(3):
        total += i * n
    return total


def has_generator(n):
    def two():
        yield n
        yield n + 1
    return sum(two())


class Secret:
    def __init__(self):
        self.__value = 3

    def add(self, x):
        return x + self.__value


def break_in_for(x):
    total = x * 0
    for value in [1, 2, 3]:
        if value > x:
            break
        total += value
    return total


def return_in_for(x):
    for value in [1, 2, 3]:
        if value > x:
            return value
        else:
            return -x
    return 0


def break_in_while(x):
    n = 3
    while n > 0:
        n -= 1
        if n < x:
            break
    return n


def becomes_tensor(x):
    go_on = True
    while go_on:
        x += 1
        go_on = x < 5
    return x


def return_over_dataset(elements):
    for element in elements:
        if element > 2:
            return element
    return tf.constant(-1, tf.int64)


def nested_return(x):
    if x > 0:
        if x > 5:
            return x
    return 2 * x


def return_behind_python_test(x, early=False):
    if x > 0:
        if early:
            return x
        x += 1
    return x


def return_in_loop(x):
    while x > 0:
        x -= 1
        if x == 2:
            return x
    return x + 100


def loop_over_nothing(values):
    for value in values:
        return value
    return 7


def bound_nowhere(x, bind=False):
    if x > 0:
        if bind:
            y = 1
    if bind:
        return x + y
    return x


def everything_else(x):
    """TensorFlow takes all of this."""
    total = 0
    i = 0
    while i < 3:
        i += 1
        if i == 2:
            continue
        total += i
    for value in tf.range(x):
        if value > 2:
            break
        total += value
    if x > 0 and total > 1:
        return total
    else:
        return -total if x < -1 or total == 0 else x


def run(f, *args, strict='0', g=None):
    before = os.environ.get(VARIABLE)
    try:
        os.environ[VARIABLE] = strict
        return (g or tf.function(f))(*args)
    finally:
        if before is None:
            del os.environ[VARIABLE]
        else:
            os.environ[VARIABLE] = before


class Strict(unittest.TestCase):
    def refused(self, kind, words, line, f, *args, wanted, within=None):
        """`line`: of `within`, or of the function itself, counted from its first; the error names it."""
        self.assertEqual(run(f, *args).numpy(), wanted)
        with self.assertRaises(kind) as caught:
            run(f, *args, strict='1')
        text = str(caught.exception)
        self.assertIn(words, text)
        code = (within or f).__code__
        self.assertIn(f'line {code.co_firstlineno + line}, in {code.co_qualname}', text)
        self.assertEqual(run(f, *args).numpy(), wanted)
        return caught.exception

    def test_source(self):
        kind = _ag.UnsupportedLanguageElementError
        one = tf.constant(1)
        self.refused(kind, 'for/else statement not yet supported', 1, for_else, one, wanted=12)
        self.refused(kind, 'for/else statement not yet supported', 1, calls_for_else, one, wanted=13, within=for_else)
        self.refused(kind, 'for/else statement not yet supported', 1, calls_plain_for_else, one, wanted=21,
                     within=plain_for_else)
        self.refused(kind, 'while/else statement not yet supported', 1, while_else, one, wanted=-100)
        self.refused(kind, 'mangled names are not yet supported', 1, Secret().add, one, wanted=4)
        self.refused(kind, 'generators are not supported', 2, has_generator, one, wanted=3)
        with self.assertRaisesRegex(kind, 'generators are not supported'):
            run(counts, one, strict='1')
        with self.assertRaisesRegex(kind, 'for/else'):
            run(None, tf.data.Dataset.range(2), strict='1', g=lambda elements: elements.map(for_else))
        with self.assertRaisesRegex(kind, 'for/else'):
            run(functools.partial(for_else, one), strict='1')
        with self.assertRaisesRegex(kind, 'for/else'):
            run(for_else, one, strict='1', g=lambda x: tf.autograph.to_graph(for_else)(x))

    def test_jumps_out_of_python_loops(self):
        words = 'not supported in Python for loops'
        self.refused(NotImplementedError, words, 2, break_in_for, tf.constant(2), wanted=3)
        self.refused(NotImplementedError, words, 1, return_in_for, tf.constant(2), wanted=-2)
        words = 'condition of while loop started as non-Tensor, then changed to Tensor'
        self.refused(NotImplementedError, words, 2, break_in_while, tf.constant(2), wanted=1)
        self.refused(NotImplementedError, words, 2, becomes_tensor, tf.constant(2), wanted=5)

    def test_returns(self):
        words = 'branch must also have a return statement'
        self.refused(ValueError, 'the else ' + words, 2, nested_return, tf.constant(2), wanted=4)
        self.refused(ValueError, 'the main ' + words, 1, return_behind_python_test, tf.constant(2), wanted=3)
        self.refused(ValueError, "'y' must also be initialized in the main branch", 1, bound_nowhere, tf.constant(2),
                     wanted=2)
        words = 'a return statement cannot be placed inside this TensorFlow loop'
        self.refused(NotImplementedError, words, 1, return_in_loop, tf.constant(5), wanted=2)
        elements = tf.data.Dataset.range(5)
        self.refused(NotImplementedError, words, 1, return_over_dataset, elements, wanted=3)
        words = 'loop must iterate at least once to initialize the function return value'
        empty = tf.constant([], tf.int32)
        self.refused(tf.errors.InvalidArgumentError, words, 1, loop_over_nothing, empty, wanted=7)
        self.assertEqual(run(loop_over_nothing, tf.constant([4, 5]), strict='1').numpy(), 4)

    def test_what_is_no_refusal(self):
        for x in (0, 2, 9):
            wanted = everything_else(x)
            for argument in (x, tf.constant(x)):
                self.assertEqual(int(run(everything_else, argument, strict='1')), wanted)
        self.assertEqual(run(sums, tf.constant(2), strict='1').numpy(), 6)  # a generator that is called stays as it is
        for off in ('0', '-1', ''):
            self.assertEqual(run(while_else, tf.constant(2), strict=off).numpy(), -100)

    def test_operators_that_are_called_refuse_too(self):
        def count(strict):
            state = [0]

            def body(*_):
                state[0] += tf.ones([], tf.int32)

            def set_state(values):
                state[:] = values
            with mock.patch.dict(os.environ, {VARIABLE: strict}), tf.Graph().as_default():
                if loop == 'while':
                    _ag.while_stmt(lambda: state[0] < 5, body, lambda: tuple(state), set_state, ('s',), {})
                else:
                    _ag.for_stmt(range(5), lambda: state[0] < 5, body, lambda: tuple(state), set_state, ('s',), {})
            return state[0]
        for loop, words in (('while', 'started as non-Tensor'), ('for', 'break and return statements which depend on a TF')):
            self.assertTrue(tf.is_symbolic_tensor(count('-1')))
            with self.assertRaisesRegex(NotImplementedError, words):
                count('1')

    def test_asked_for_whenever_a_trace_begins(self):
        f = tf.function(for_else)
        self.assertEqual(run(None, tf.constant(1), g=f).numpy(), 12)
        self.assertEqual(run(None, tf.constant(1), strict='1', g=f).numpy(), 12)  # no trace
        with self.assertRaisesRegex(NotImplementedError, 'for/else'):
            run(None, tf.constant(1.), strict='1', g=f)
        self.assertEqual(run(None, tf.constant(1.), g=f).numpy(), 12)
        f = tf.function(nested_return)
        self.assertEqual(run(None, tf.constant(1), g=f).numpy(), 2)
        with self.assertRaisesRegex(ValueError, 'must also have a return'):
            run(None, tf.constant(1.), strict='1', g=f)
        self.assertEqual(run(None, tf.constant(1.), g=f).numpy(), 2)
