"""How engine/python/interpreter handles exceptions, texts and look-ups, called through a module of its own."""
import os
import sys
import unittest

import footlight as tf

sys.path.insert(0, os.path.join(os.environ['FOOTLIGHT_BUILD'], 'tests', 'python'))
import interpreter_room as room


def raising(error):
    def f(*_):
        raise error
    return f


class Bugs(unittest.TestCase):
    """An internal error never appears as the user's TypeError."""

    def test_bugs(self):
        for kind in ('bad_variant_access', 'bad_optional_access', 'out_of_range', 'logic_error'):
            with self.assertRaisesRegex(tf.errors.InternalError, 'a bug in Footlight, not in your program') as caught:
                room.throw_cpp(kind)
            self.assertIn('report it', caught.exception.message)

    def test_failed_check(self):
        with self.assertRaisesRegex(tf.errors.InternalError, 'a bug in Footlight, not in your program') as caught:
            room.throw_cpp('failed_check')
        self.assertRegex(caught.exception.message, r'check failed at tests/python/interpreter_room.cpp:\d+: kind.empty')

    def test_others(self):
        self.assertRaisesRegex(TypeError, "the user's", room.throw_cpp, 'error')
        self.assertRaises(MemoryError, room.throw_cpp, 'bad_alloc')
        self.assertRaisesRegex(OSError, 'x.log', room.throw_cpp, 'system_error')


class Clearing(unittest.TestCase):
    def test_cleared_if(self):
        self.assertFalse(room.cleared(lambda: 1, Exception))
        self.assertTrue(room.cleared(raising(KeyError('a')), LookupError))
        self.assertTrue(room.cleared(raising(KeyError('a')), (ValueError, LookupError)))
        self.assertRaises(KeyError, room.cleared, raising(KeyError('a')), AttributeError)

    def test_never_cleared(self):
        for kind in (KeyboardInterrupt, SystemExit, GeneratorExit, MemoryError, RecursionError):
            for f in (room.cleared, room.cleared_or_thrown):
                self.assertRaises(kind, f, raising(kind('mine')), Exception)

    def test_clear_only(self):
        self.assertIsNone(room.cleared_or_thrown(lambda: 1, ValueError))
        self.assertIsNone(room.cleared_or_thrown(raising(ValueError('a')), ValueError))
        self.assertRaises(KeyError, room.cleared_or_thrown, raising(KeyError('a')), ValueError)

    def test_set_aside(self):
        first = KeyError('first')
        for second in (lambda: 1, raising(ValueError('second')), raising(MemoryError())):
            try:
                room.set_aside(raising(first), second)
            except KeyError as error:
                self.assertIs(error, first)
                self.assertIn('f', [step.tb_frame.f_code.co_name for step in frames(error)])
            else:
                self.fail('the exception is gone')
        self.assertRaises(KeyboardInterrupt, room.set_aside, raising(first), raising(KeyboardInterrupt()))
        self.assertIsNone(room.set_aside(lambda: 1, raising(ValueError('second'))))
        self.assertRaises(SystemExit, room.set_aside, lambda: 1, raising(SystemExit()))

    def test_our_error_comes_before_theirs(self):
        self.assertRaisesRegex(ValueError, 'ours', room.fail_after, raising(KeyError('a')))
        self.assertRaises(KeyboardInterrupt, room.fail_after, raising(KeyboardInterrupt()))


def frames(error):
    step = error.__traceback__
    while step:
        yield step
        step = step.tb_next


class Texts(unittest.TestCase):
    def test_plain(self):
        for f in (room.utf8, room.readable, room.distinct_utf8, room.str_of):
            self.assertEqual(f('aß\u20ac\U0001f600'), 'aß\u20ac\U0001f600'.encode())
            self.assertEqual(f(''), b'')

    def test_lone_surrogates(self):
        self.assertRaises(UnicodeEncodeError, room.utf8, 'a\ud800')
        self.assertEqual(room.readable('a\ud800'), b'a\\ud800')
        self.assertEqual(room.str_of('a\ud800'), b'a\\ud800')
        self.assertEqual(room.repr_of('a\ud800'), b"'a\\ud800'")
        self.assertNotEqual(room.distinct_utf8('a\ud800'), room.distinct_utf8('a\\ud800'))
        self.assertNotEqual(room.distinct_utf8('a\ud800'), room.distinct_utf8('a\ud801'))

    def test_no_text(self):
        for f in (room.utf8, room.readable, room.distinct_utf8):
            self.assertRaises(TypeError, f, b'a')

    def test_failing_repr(self):
        made = type('Made', (), {'__repr__': raising(ValueError('a')), '__str__': lambda self: 1})
        self.assertEqual(room.repr_of(made()), b'<Made object>')
        self.assertEqual(room.str_of(made()), b'<Made object>')
        made.__repr__ = raising(KeyboardInterrupt())
        self.assertRaises(KeyboardInterrupt, room.repr_of, made())


class LookUps(unittest.TestCase):
    def test_attributes(self):
        made = type('Made', (), {'a': 1, 'b': property(raising(ValueError('a'))),
                                 'c': property(raising(AttributeError('a')))})()
        self.assertEqual(room.optional_attribute(made, 'a'), 1)
        self.assertIs(room.optional_attribute(made, 'none'), NotImplemented)
        self.assertIs(room.optional_attribute(made, 'c'), NotImplemented)
        self.assertRaises(ValueError, room.optional_attribute, made, 'b')

    def test_items(self):
        self.assertEqual(room.find_item({'a': 1}, 'a'), 1)
        self.assertIs(room.find_item({'a': 1}, 'b'), NotImplemented)
        self.assertRaises(TypeError, room.find_item, {}, [])
        made = type('Made', (), {'__hash__': lambda self: 1, '__eq__': raising(KeyboardInterrupt())})
        self.assertRaises(KeyboardInterrupt, room.find_item, {made(): 1}, made())


class Frames(unittest.TestCase):
    def test_a_call_is_at_one_place_however_often_it_ran(self):
        self.assertEqual(len({room.offset_of_caller(None) for _ in range(100)}), 1)
