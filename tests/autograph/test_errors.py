"""Errors of functions while they are traced: their class, and the lines and names that they show."""
import copy
import pickle
import unittest

import footlight as tf

StagingError = tf.python.autograph.impl.api.StagingError


class Numbered(Exception):
    def __init__(self, number):
        super().__init__(number)
        self.number = number

class Item:
    pass


class Errors(unittest.TestCase):
    def error(self, kind, words, f, *args):
        with self.assertRaises(kind) as caught:
            tf.function(f)(*args)
        text = str(caught.exception)
        self.assertTrue(text.startswith('in user code:'), text)
        for word in words:
            self.assertIn(word, text)
        return text

    def test_errors_name_symbol_branch_and_line(self):
        def one_branch(x):
            if x > 0:
                y = x
            return y
        line = one_branch.__code__.co_firstlineno + 1
        self.error(ValueError, ["'y'", 'else branch', f'line {line}, in one_branch  *'], one_branch, tf.constant(1))

        def dtypes(x):
            if x > 0:
                y = 1
            else:
                y = 2.5
            return y
        self.error(TypeError, ["'y'", 'int32', 'float32'], dtypes, tf.constant(1))

        def structures(x):
            if x > 0:
                y = (x, x)
            else:
                y = (x,)
            return y
        self.error(TypeError, ["'y'", 'nested structure'], structures, tf.constant(1))

        self.error(TypeError, ['nested structure', "'b'"], lambda x: {'a': x} if x > 0 else {'b': x}, tf.constant(1))
        self.error(ValueError, ['same structure'], lambda x: tf.cond(x > 0, lambda: None, lambda: x), tf.constant(1))

        def none(x):
            y = None
            if x > 0:
                y = x
            return y
        self.error(ValueError, ["'y'", 'None'], none, tf.constant(1))

        def condition(x):
            if x:
                return 1
            return 2
        self.error(ValueError, ['bool', 'int32'], condition, tf.constant(1))

        def no_return(x):
            if x > 0:
                return x
        line = no_return.__code__.co_firstlineno + 1
        self.error(ValueError, ['every path', f'line {line}'], no_return, tf.constant(1))

    def test_errors_of_loops(self):
        def undefined(n):
            while n > 0:
                y = y + n
                n -= 1
            return y
        self.error(ValueError, ["'y'", 'before the loop'], undefined, tf.constant(1))

        def attribute(n):
            item = Item()
            while n > 0:
                item.more = item.more + n
                n -= 1
            return item.more
        self.error(ValueError, ["'item.more'", 'must be defined before the loop'], attribute, tf.constant(1))

        def element(n):
            d, k = {}, 'key'
            while n > 0:
                d[k] = d[k] + d['other']
                n -= 1
            return d
        self.error(ValueError, ["'d[k]'", 'must be defined before the loop'], element, tf.constant(1))

        def another(n):
            d = {}
            while n > 0:
                d['key'] = d['other']
                n -= 1
            return d
        self.error(ValueError, ["'d['key']' must be defined before the loop", "KeyError: 'other'"], another, tf.constant(1))

        def none(n):
            best = None
            for i in tf.range(n):
                if best > 3:
                    best = i
            return best
        line = none.__code__.co_firstlineno + 3
        self.error(ValueError, ["'best' is not allowed to be None before the loop", 'TypeError', f'line {line}'], none,
                   tf.constant(1))

        def fails(n):
            for i in tf.range(n):
                y = n * 0.5
            return y
        self.error(ValueError, ["'y' must be defined before the loop", 'TypeError', 'int32'], fails, tf.constant(1))

        def of_a_range(n):
            for i in tf.range(n):
                n = n * 0.5
            return n + i
        self.error(TypeError, ['int32'], of_a_range, tf.constant(1))

        def thing(n):
            while n > 0:
                item = Item()
                n -= 1
            return item
        self.error(ValueError, ["'item'", 'must be defined before the loop'], thing, tf.constant(1))

        def scalar(n):
            for _ in n:
                n += 1
            return n
        self.error(ValueError, ['non-scalar tensor'], scalar, tf.constant(1))

        def larger(n):
            x = 0
            for i in tf.range(n):
                x = 2 ** 40
            return x
        self.error(TypeError, ["'x'", 'int32', 'int64'], larger, tf.constant(1))
        self.error(TypeError, ['this large'], lambda n: 2 ** 70 if n > 0 else 1, tf.constant(1))

        def grows(n):
            x = tf.ones([1])
            while n > 0:
                x = tf.concat([x, x], 0)
                n -= 1
            return x
        self.error(ValueError, ["'x'", '(1,)', '(2,)', 'shape_invariants'], grows, tf.constant(1))

    def test_errors_keep_class_and_attributes(self):
        class Own(Exception):
            def __init__(self, a, b):
                super().__init__(a, b)
                self.a = a

        def helper(x):
            raise Own(1, 2)

        def f(x):
            if x > 0:
                helper(x)
            return x
        with self.assertRaises(Own) as caught:
            tf.function(f)(tf.constant(1))
        self.assertEqual((caught.exception.args, caught.exception.a), ((1, 2), 1))
        self.assertIn('in helper  *', caught.exception.__notes__[0])

        def key(x):
            return {}['k']
        with self.assertRaises(KeyError) as caught:
            tf.function(key)(tf.constant(1))
        self.assertEqual(caught.exception.args, ('k',))
        self.assertNotIsInstance(caught.exception, StagingError)
        self.assertRegex(str(caught.exception), r"in key  \*\n(.|\n)*KeyError: 'k'")

    def test_errors_are_of_both_classes(self):
        def fails(kind, *args, **more):
            def f(x):
                error = kind(*args)
                vars(error).update(more)
                raise error
            with self.assertRaises(kind) as caught:
                tf.function(f)(tf.constant(1))
            made = caught.exception
            self.assertEqual(made.args, kind(*args).args)
            self.assertRegex(str(made), r'in f  \*\n')
            return made

        class Plain(Exception):
            pass
        # As in TensorFlow: what has the constructor of Exception, or is a known class, keeps its class.
        for kind, args, staging in ((IndexError, ('i',), True), (OSError, (2, 'gone', 'a.txt'), True),
                                    (UnicodeDecodeError, ('ascii', b'\xff', 0, 1, 'bad'), True), (Numbered, (7,), True),
                                    (ExceptionGroup, ('g', [ValueError(1)]), True),
                                    (Plain, (1, 2), False), (ValueError, ('a', 'b'), False)):
            with self.subTest(kind.__name__):
                made = fails(kind, *args, extra=5)
                self.assertEqual((isinstance(made, StagingError), made.extra), (staging, 5))
                self.assertEqual(type(made).__name__, 'StagingError' if staging else kind.__name__)
                self.assertIs(type(made), type(fails(kind, *args)))
        self.assertEqual(fails(OSError, 2, 'gone', 'a.txt').filename, 'a.txt')
        self.assertEqual(fails(UnicodeDecodeError, 'ascii', b'\xff', 0, 1, 'bad').object, b'\xff')
        made = fails(Numbered, 7)
        for again in (copy.copy(made), pickle.loads(pickle.dumps(made))):
            self.assertEqual((type(again), again.number, str(again)), (type(made), 7, str(made)))

        @tf.function
        def inner(x):
            return [x][5]

        def outer(x):
            return inner(x)
        with self.assertRaises(IndexError) as caught:
            tf.function(outer)(tf.constant(1))
        self.assertIsInstance(caught.exception, StagingError)
        self.assertRegex(str(caught.exception),
                         r'in outer  \*\n(.|\n)*in inner  \*\n.*\n\n    IndexError: list index out of range\n$')

    def test_errors_in_functions_of_elements(self):
        def f(x):
            return [x][5]
        with self.assertRaises(IndexError) as caught:
            tf.data.Dataset.range(3).map(f)
        self.assertIsInstance(caught.exception, StagingError)
        self.assertRegex(str(caught.exception), r'^in user code:\n\n.*in f  \*\n.*\n\n    IndexError: list')

    def test_errors_of_classes_that_cannot_be_derived_from(self):
        class Final(Exception):
            def __init__(self, x):
                super().__init__(x)

            def __init_subclass__(cls):
                raise TypeError('final')

        def f(x):
            raise Final(4)
        with self.assertRaises(Final) as caught:
            tf.function(f)(tf.constant(1))
        self.assertEqual(str(caught.exception), '4')
        self.assertIn('in f  *', caught.exception.__notes__[0])

    def test_unconverted_frames_are_marked(self):
        @tf.autograph.experimental.do_not_convert
        def plain(x):
            raise ValueError('no')

        def f(x):
            return plain(x)
        self.error(ValueError, ['in f  *\n', 'in plain  **\n', 'ValueError: no'], f, tf.constant(1))

    def test_code_without_source_says_why_it_is_not_staged(self):
        scope = {}
        exec('def made(x):\n  if x > 0: return 1\n  return 2\n', scope)
        self.error(TypeError, ['in made  **\n', 'is not converted', 'source'], scope['made'], tf.constant(1))

        def f(x):
            return scope['made'](x)
        self.error(TypeError, ['in f  *\n', 'in made  **\n', 'source'], f, tf.constant(1))
