"""What TensorFlow refuses or decides while tracing, and a graph can do: match, raise and assert on tensors, comprehensions, the
else of loops."""
import ast
import collections
import pickle
import traceback
import unittest

import footlight as tf
from footlight import _engine


def value(result):
    """Tensors as plain values, in lists and tuples too."""
    if isinstance(result, (list, tuple)):
        return [value(item) for item in result]
    if isinstance(result, dict):
        return {key: value(item) for key, item in result.items()}
    if not tf.is_tensor(result):
        return result
    found = result.numpy()
    return found.decode() if isinstance(found, bytes) else found.tolist()


Point = collections.namedtuple('Point', 'x y')


def line_of(function, offset):
    return function.__code__.co_firstlineno + offset


class Case(unittest.TestCase):
    def agrees(self, f, *inputs, spec=None):
        """A traced function gives what the plain one gives, with one trace; with `spec`, for tensors of that kind."""
        g = tf.function(f, input_signature=spec)
        for args in inputs:
            tensors = [tf.constant(a) for a in args]
            try:
                wanted = value(f(*tensors))
            except Exception as error:
                with self.assertRaises(type(error)) as caught:
                    g(*tensors)
                self.assertIn(str(error), str(caught.exception))
                continue
            self.assertEqual(value(g(*tensors)), wanted, args)
        self.assertEqual(g.experimental_get_tracing_count(), 1)
        return g


VECTOR = [tf.TensorSpec([None], tf.int32)]


class Match(Case):
    def test_values(self):
        def f(x):
            match x:
                case 0:
                    r = 10
                case 1 | 2 as n:
                    r = 20 + n
                case _ if x > 100:
                    r = -1
                case n:
                    r = n
            return r
        self.agrees(f, (0,), (1,), (2,), (7,), (101,))

    def test_values_inside_structures(self):
        def f(x, y):
            match (x, y):
                case (0, b) if b > 5:
                    return b
                case (0, _):
                    return x - 1
                case (a, 1 | 2 as b):
                    return a * b
            return x * 0
        self.agrees(f, (0, 9), (0, 1), (5, 2), (5, 3))

    def test_what_python_decides(self):
        seen = []

        def f(x, shape):
            match shape:
                case {'kind': 'square', 'side': side}:
                    x = x * side
                case Point(x=0, y=dy) | [dy]:
                    x = x + dy
                case None:
                    seen.append('none')
                case str() as text:
                    seen.append(text)
                case [first, *rest] if rest:
                    x = x + first * 10 + len(rest)
            return x
        for shape in ({'kind': 'square', 'side': 3}, Point(0, 4), [5], None, 'text', [1, 2, 3], 7):
            self.assertEqual(value(tf.function(f)(tf.constant(2), shape)), f(2, shape), shape)
        self.assertEqual(seen, ['none', 'none', 'text', 'text'])

    def test_matches_in_matches_and_loops(self):
        def f(n):
            total = 0
            for i in tf.range(n):
                match i % 4:
                    case 0:
                        continue
                    case 3 if total > 20:
                        break
                    case k:
                        match k:
                            case 1:
                                total += 10
                            case _:
                                total += i
            return total
        self.agrees(f, (0,), (5,), (20,))

    def test_the_fate_is_told(self):
        function = ast.parse('def f(x):\n    match x:\n        case 1: return x\n    return x + 1\n').body[0]
        fates = _engine.autograph_convert(function, 'lean')['statements']
        self.assertIn((2, 3, 'match', 'staged', 'as a chain of conditions'), fates)


class Raise(Case):
    def test_under_a_condition(self):
        def f(x):
            if x < 0:
                raise ValueError('negative')
            return x * 2
        self.agrees(f, (3,), (-3,))

    def test_in_one_of_two_branches(self):
        def f(x):
            if x > 0:
                y = x * 2
            elif x == 0:
                raise KeyError('zero', x)
            else:
                return x
            return y + 1
        self.agrees(f, (3,), (-3,))
        with self.assertRaises(KeyError) as caught:
            tf.function(f)(tf.constant(0))
        self.assertEqual([value(a) for a in caught.exception.args], ['zero', 0])

    def test_in_a_loop_and_a_called_function(self):
        class Own(Exception):
            def __init__(self, a, b):
                super().__init__(a, b)
                self.both = a, b

        def check(v):
            if v == 0:
                raise Own(1, 2) from KeyError('cause')
            return v

        def f(xs):
            total = 0
            for x in xs:
                total += 10 // check(x)
            return total
        g = tf.function(f)
        self.assertEqual(value(g(tf.constant([1, 2]))), 15)
        try:
            g(tf.constant([1, 0]))
            self.fail('nothing was raised')
        except Own as error:
            self.assertEqual((error.both, str(error.__cause__)), ((1, 2), "'cause'"))
            self.assertIn(line_of(check, 2), [frame.lineno for frame in traceback.extract_tb(error.__traceback__)])
            self.assertIn('in check  *', error.__notes__[0])
        self.assertEqual(value(g(tf.constant([2, 5]))), 7)

    def test_always_in_a_loop(self):
        def f(n):
            for i in tf.range(n):
                raise ValueError('an iteration')
            return n
        self.agrees(f, (0,), (1,))

    def test_in_expressions(self):
        def fail():
            raise ValueError('no value')

        def f(x):
            y = x if x > 0 else fail()
            return y > 5 or y < 3 or fail()
        self.agrees(f, (1,), (9,), (4,), (-1,))

    def test_in_all_branches_of_an_inner_condition(self):
        def f(x):
            y = x
            if x > 0:
                if x > 5:
                    raise ValueError('large')
                else:
                    raise KeyError('small')
            return y
        self.agrees(f, (-1,), (6,), (1,))

    def test_what_a_handler_may_catch_is_raised_while_tracing(self):
        def f(x):
            try:
                raise ValueError('at once')
            except ValueError:
                x = x + 1
            if x > 0:
                try:
                    raise KeyError
                except KeyError:
                    x = x * 2
            return x
        self.agrees(f, (1,), (-5,))

    def test_what_a_handler_would_catch_under_a_condition_is_refused(self):
        def f(x):
            try:
                if x > 0:
                    raise ValueError
                y = x * 2
            except Exception:
                y = x * 3
            return y

        def again(x):
            try:
                while x > 0:
                    x = x - 1
                    if x < 3:
                        raise KeyError
            except KeyError:
                raise
            return x
        for g in (f, again):
            self.assertRaisesRegex(NotImplementedError, 'inside a `try` whose handlers may catch it', tf.function(g),
                                   tf.constant(1))
        self.assertEqual([value(tf.function(f)(x)) for x in (1, -1)], [3, -2])  # a condition that is known

    def test_order_with_other_effects(self):
        v = tf.Variable(0)

        @tf.function
        def f(x):
            v.assign_add(1)
            if x > 0:
                v.assign_add(10)
                raise ValueError
            v.assign_add(100)
            return x
        with self.assertRaises(ValueError):
            f(tf.constant(1))
        self.assertEqual(value(v.read_value()), 11)
        f(tf.constant(0))
        self.assertEqual(value(v.read_value()), 112)


class Assert(Case):
    def test_assert(self):
        def f(x):
            assert x > 0, 'must be positive'
            assert x is not None
            return x
        g = tf.function(f)
        self.assertEqual(value(g(tf.constant(3))), 3)
        for kind in (AssertionError, tf.errors.InvalidArgumentError):
            with self.assertRaises(kind) as caught:
                g(tf.constant(-3))
        self.assertIn('must be positive', str(caught.exception))
        self.assertIn(f'line {line_of(f, 1)}', str(caught.exception).replace('.py:', '.py, line '))
        self.assertEqual(type(pickle.loads(pickle.dumps(caught.exception))), tf.errors.InvalidArgumentError)
        self.assertIn('Assert', [node.op for node in g.get_concrete_function(tf.constant(1)).graph.as_graph_def().node])

    def test_messages(self):
        evaluated = []

        def message(x):
            evaluated.append(1)
            return x

        def f(x):
            assert x > 0
            assert x > 1, [x, 'is small']
            assert True, message(x)
            return x
        with self.assertRaisesRegex(AssertionError, 'x > 0'):
            tf.function(f)(tf.constant(-3))
        with self.assertRaisesRegex(AssertionError, '1.*is small'):
            tf.function(f)(tf.constant(1))
        with self.assertRaises(AssertionError) as caught:
            tf.function(f)(0)
        self.assertEqual(type(caught.exception), AssertionError)
        self.assertEqual(evaluated, [])

    def test_in_loops_and_branches(self):
        @tf.function
        def f(n):
            for i in tf.range(n):
                if i > 2:
                    assert i < 5, i
            return n
        self.assertEqual(value(f(tf.constant(5))), 5)
        with self.assertRaisesRegex(AssertionError, '5'):
            f(tf.constant(7))


    def test_of_python_values_under_a_condition(self):
        def f(x, y):
            if x > 0:
                assert y is not None, 'none'
                assert len([y]) > 3
            return x
        def later(x):
            if x > 0:
                return x
            assert x is None, 'reached'
            return x
        def handled(x):
            if x > 0:
                try:
                    assert len('text') > 5
                except AssertionError:
                    x = x * 2
            return x
        def outside(x):
            try:
                if x > 0:
                    assert len('text') > 5
            except AssertionError:
                x = x * 2
            return x
        one = tf.constant(1)
        self.assertEqual([value(tf.function(g)(x, *more)) for g, x, *more in (
            (f, -one, 1), (f, -one, None), (later, one), (handled, one), (handled, -one))], [-1, -1, 1, 2, -1])
        for words, g, *args in (('none', f, one, None), ('^$|in user code', f, one, 1), ('reached', later, -one)):
            self.assertRaisesRegex(AssertionError, words, tf.function(g), *args)
        self.assertRaisesRegex(NotImplementedError, 'whose handlers may catch it', tf.function(outside), one)


class Comprehensions(Case):
    def test_of_unknown_length(self):
        self.agrees(lambda xs: [x * 2 for x in xs], ([1, 2, 3],), ([4],), spec=VECTOR)
        self.agrees(lambda xs: [12 // x for x in xs if x != 0], ([0, 2, 3],), ([4],), spec=VECTOR)
        self.agrees(lambda xs: sum(i * x for i, x in enumerate(xs)), ([1, 2, 3],), ([4],), spec=VECTOR)
        self.agrees(lambda n: [i * i for i in range(n)], (3,), (1,))
        self.agrees(lambda xs: any(x > 2 for x in xs), ([1, 2, 3],), ([2],), spec=VECTOR)
        with self.assertRaisesRegex(tf.errors.OperatorNotAllowedInGraphError, 'length is known only when'):
            tf.function(lambda xs: {i: x for i, x in enumerate(xs)}, input_signature=VECTOR)(tf.constant([1]))

    def test_over_tensors(self):
        self.agrees(lambda xs: [x * 2 for x in xs], ([1, 2, 3],))
        self.agrees(lambda xs: [x * y for x in xs for y in xs if True], ([1, 2],))
        self.agrees(lambda xs: {i: x for i, x in enumerate(xs)}, ([4, 5],))
        self.agrees(lambda xs: sum(x * x for x in xs), ([1, 2, 3],))
        self.agrees(lambda xs: [i * x for i, x in enumerate(xs, 5)], ([1, 2, 3],))
        self.agrees(lambda xs: [a + b for a, b in zip(xs, reversed(xs))], ([1, 2, 3],))

    def test_conditions(self):
        self.agrees(lambda xs: [x for x in xs if x > 1], ([1, 2, 3],), ([0, 0, 0],))
        self.agrees(lambda xs: [x * 2 for x in xs if x > 1 if x < 3 and x != 0], ([1, 2, 3],))
        self.agrees(lambda xs: [12 // x for x in xs if x != 0], ([0, 2, 3],))
        self.agrees(lambda a, b: [x for x in (a, b) if x > 1], (1, 2), (3, 2), (0, 0))
        self.agrees(lambda xs: [i for i in range(3) if i != 1], ([1],))
        self.agrees(lambda xs: sum([x for x in xs if x > 1]), ([1, 2, 3],), ([0, 0, 0],))

    def test_plain_values_stay_plain(self):
        def f(x):
            names = [name.upper() for name in ('a', 'b') if name != 'c']
            lazily = (n for n in iter(range(10 ** 9)) if n > 3)
            first = next(lazily)
            return x + len(names) + first + len({n % 3 for n in range(9)})
        self.agrees(f, (1,))

    def test_errors_name_the_line(self):
        def f(xs):
            return [x.nothing
                    for x in xs]
        with self.assertRaises(AttributeError) as caught:
            tf.function(f)(tf.constant([1]))
        self.assertIn(f'line {line_of(f, 1)}, in f  *', '\n'.join([str(caught.exception)] + getattr(
            caught.exception, '__notes__', [])))


class ElseOfLoops(Case):
    def test_a_value_on_each_way_out(self):
        def f(xs, k):
            for x in xs:
                if x == k:
                    found = x * 10
                    break
            else:
                found = -1
            return found
        self.agrees(f, ([1, 2, 3], 2), ([1, 2, 3], 9))

        def nested(n):
            i = 0
            while i < n:
                i += 1
                if i > 3:
                    if i * i > 30:
                        why, what = 1, i
                        break
            else:
                why, what = 0, -i
            return why, what
        self.agrees(nested, (2,), (50,))

    def test_a_way_out_that_python_rules_out(self):
        def f(xs, limit):
            for x in xs:
                if limit > 5:
                    found = x
                    break
            else:
                found = -1
            return found
        self.assertEqual(value(tf.function(f)(tf.constant([2]), 1)), -1)

    def test_a_way_out_without_the_value(self):
        def f(xs):
            for x in xs:
                if x == 1:
                    found = x
                    break
                if x == 2:
                    break
            else:
                found = -1
            return found
        with self.assertRaisesRegex(ValueError, "'found' must also be initialized in the else branch"):
            tf.function(f)(tf.constant([2]))

    def test_other_names_need_a_value(self):
        def f(xs):
            for x in xs:
                if x > 1:
                    y = x
            return y
        with self.assertRaisesRegex(ValueError, "'y' must also be initialized in the else branch"):
            tf.function(f)(tf.constant([1]))


class NoneBeforeALoop(Case):
    def test_a_loop_that_only_a_return_ends(self):
        def double(n):
            i = tf.constant(0)
            while True:
                i += 1
                if i > n:
                    return i * 2

        def number(n):
            i = tf.constant(0)
            while 1:
                i += 1
                if i > n:
                    return i * 2, i
                if i % 7 == 6:
                    continue
                if i > 5:
                    return -i, i

        def nested(n):
            i = tf.constant(0)
            while True:
                while True:
                    i += 1
                    if i > n:
                        return i * 2
        for f in (double, number, nested):
            self.agrees(f, (3,), (8,), (0,))

        def leaves(n):
            i = tf.constant(0)
            while True:
                i += 1
                if i > n:
                    break
                if i > 5:
                    return i

        def ends(n):
            i = tf.constant(0)
            while i < 9:
                i += 1
                if i > n:
                    return i
        for f in (leaves, ends):
            with self.assertRaisesRegex(NotImplementedError, 'unless the function also returns'):
                tf.function(f)(tf.constant(3))

    def test_the_first_iteration_sees_it(self):
        def f(xs):
            best = None
            for x in xs:
                if best is None or x > best:
                    best = x
            return best
        self.agrees(f, ([-3, -1, -2],))
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'iterate at least once.*best'):
            tf.function(f, input_signature=VECTOR)(tf.zeros([0], tf.int32))
