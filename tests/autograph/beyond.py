"""What TensorFlow refuses or decides while tracing, and a graph can do: match, raise and assert on tensors, comprehensions, the
else of loops, builtins, generators; and the operators that the readable form calls."""
import ast
import collections
import contextlib
import io
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
        self.assertIn('line %d' % line_of(f, 1), str(caught.exception).replace('.py:', '.py, line '))
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
        self.assertIn('line %d, in f  *' % line_of(f, 1), '\n'.join([str(caught.exception)] + getattr(
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


class Builtins(Case):
    def test_reductions(self):
        self.agrees(lambda xs: (sum(xs), sum(xs, 10), max(xs), min(xs), len(xs)), ([3, 1, 2],), ([5],), spec=VECTOR)
        self.agrees(lambda a, b: (max(a, b), min(a, b, 0), max([a, b]), min((a, b))), (1, 2), (5, -3))
        self.agrees(lambda a, b: (any([a > 1, b > 1]), all([a > 1, b > 1]), any(x > 1 for x in (a, b))), (1, 2), (2, 2), (0, 0))
        self.agrees(lambda a: (any([a > 1, True]), all([False, a > 1]), any([]), all(())), (1,))
        self.agrees(lambda xs: (any(xs), all(xs)), ([True, False],), ([True, True],), ([False, False],))

    def test_sequences(self):
        self.agrees(lambda xs: list(map(lambda x: x if x > 1 else -x, xs)), ([1, 2, 3],))
        self.agrees(lambda xs: list(filter(lambda x: x > 1, xs)), ([1, 2, 3],), ([0, 0, 0],))
        self.agrees(lambda xs: sorted(xs), ([3, 1, 2],), spec=VECTOR)
        self.agrees(lambda xs: sorted(xs, reverse=True), ([3, 1, 2],), spec=VECTOR)
        self.agrees(lambda xs: sorted(xs, key=lambda x: -x), ([3, 1, 2],))
        self.agrees(lambda a, b: sorted([a, b]), (2, 1), (1, 2))
        self.agrees(lambda xs: (list(xs), tuple(xs)[0], next(iter(xs))), ([3, 1],))

    def test_loops_over_sequences(self):
        def f(xs):
            total = 0
            for i, x in enumerate(xs, 1):
                total += i * x
            for x, y in zip(xs, xs):
                total += x * y
            for y in map(lambda v: v * 3, xs):
                if y > 6:
                    break
                total += y
            return total
        g = self.agrees(f, ([1, 2, 3],), ([4],), spec=VECTOR)
        self.assertEqual([n.op for n in g.get_concrete_function().graph.as_graph_def().node].count('StatelessWhile'), 3)
        self.agrees(f, ([1, 2, 3],))

    def test_numbers(self):
        self.agrees(lambda n: [i for i in tf.unstack(tf.stack([n, n]))], (3,))
        def ranges(n):
            total = 0
            for i in range(n):
                total += i
            for i in range(2, n):
                total += i * 10
            for i in range(n, 0, -2):
                total += i * 100
            return total
        self.agrees(ranges, (4,), (0,), (-3,))
        self.agrees(lambda x: (int(x), float(x)), (2.75,))
        self.assertEqual(value(tf.function(lambda s: int(s) + int(s, 10))(tf.constant('7'))), 14)
        self.assertEqual(value(tf.function(lambda s: float(s))(tf.constant('7.5'))), 7.5)

    def test_refusals(self):
        for kind, words, f, argument in (
                (ValueError, 'len requires', lambda x: len(x), 1),
                (NotImplementedError, 'base 2', lambda s: int(s, 2), '1'),
                (ValueError, 'keyword arguments', lambda x: max(x, key=abs), [1]),
                (ValueError, 'rank 1', lambda x: max(x), [[1]]),
                (ValueError, 'scalar tensor', lambda x: min(x, x), [1])):
            with self.assertRaisesRegex(kind, words):
                tf.function(f)(tf.constant(argument))


class Lists(Case):
    def test_appending_in_loops(self):
        def in_for(n):
            out = []
            for i in range(n):
                out.append(i * i)
            return out

        def in_while(n):
            out = [n, n + 1]
            while n > 0:
                out.append(n)
                n -= 1
            return sum(out), len(out), out[0], out[-1]

        def when(xs):
            out = []
            for x in xs:
                if x > 2:
                    out.append(x)
                    continue
                if x < 0:
                    out.append(-x)
                    out.append(x)
            return out
        self.agrees(in_for, (4,), (1,))
        self.agrees(in_while, (4,), (0,))
        self.agrees(when, ([1, 3, -2, 4],))
        self.assertEqual(value(tf.function(when)(tf.constant([0, 1]))), [])

    def test_appending_under_conditions(self):
        def f(x):
            out = [x]
            if x > 0:
                out.append(x * 2)
            else:
                x = x + 1
            other = []
            if x > 1:
                other.append(1)
            return sum(out) + x, len(out), [a * 2 for a in out], len(other)
        self.agrees(f, (3,), (-3,), (1,))

        def rest(x):
            out = [x]
            if x > 0:
                out.append(x * 2)
            total = 0
            for y in out:
                total += y
            out.append(total)
            return sum(out), len(out), tf.stack(out)
        self.agrees(rest, (3,), (-3,))

    def test_read_and_write_in_a_loop(self):
        def fibonacci(n):
            values = [1, 1]
            for i in tf.range(2, n):
                values.append(values[i - 1] + values[i - 2])
            return tf.stack(values)
        self.agrees(fibonacci, (8,), (3,))

        def nested(m, n):
            rows = []
            for i in tf.range(m):
                row = []
                for j in tf.range(n):
                    row.append(i * j)
                rows.append(row)
            return tf.stack(rows)
        self.agrees(nested, (2, 3), (3, 3))

    def test_lists_that_stay_lists(self):
        class Log:
            def __init__(self):
                self.seen = []

            def append(self, x):
                self.seen.append(x)

        def f(x, names):
            out, log = [], Log()
            for name in names:
                if name != 'skip':
                    out.append(name)
                    log.append(x)
            alias = out
            if x > 0:
                x = x + 1
            return x, alias is out, out, len(log.seen)
        self.assertEqual(value(tf.function(f)(tf.constant(1), ('a', 'skip', 'b'))), [2, True, ['a', 'b'], 2])

    def test_errors(self):
        def dtypes(n):
            out = [1.5]
            for i in tf.range(n):
                out.append(i)
            return out
        with self.assertRaisesRegex(TypeError, 'int32|float32'):
            tf.function(dtypes)(tf.constant(3))

        def truth(n):
            out = []
            for i in tf.range(n):
                out.append(i)
            return 1 if out else 2
        with self.assertRaisesRegex(tf.errors.OperatorNotAllowedInGraphError, 'length of this list'):
            tf.function(truth)(tf.constant(3))


class Generators(Case):
    def test_statements_without_a_yield_are_converted(self):
        def numbers(x):
            if x > 0:
                x = x * 2
            yield x
            for i in tf.range(3):
                x = x + i
            yield x

        def f(x):
            total = x
            for y in numbers(x):
                total = total * 10 + y
            return total
        self.agrees(f, (1,), (-1,))


class Operators(Case):
    """The text of to_code runs, with tf.autograph.operators as `ag__`."""

    def run_text(self, f):
        names = dict(f.__globals__, ag__=tf.autograph.operators,
                     **dict(zip(f.__code__.co_freevars, (c.cell_contents for c in f.__closure__ or ()))))
        exec(tf.autograph.to_code(f), names)
        return names['tf__' + f.__name__]

    def test_programs(self):
        def branches(x):
            if x > 10:
                y = x
            elif x > 5:
                return -x
            else:
                y = x + 1
            return y * 2 if x != 3 else y

        def loops(n):
            total, i = 0, 0
            while i < n and not total > 50:
                i += 1
                if i % 2 == 0:
                    continue
                for j in tf.range(i):
                    if j > 3:
                        break
                    total += j
            return total, i

        def early(n):
            for i in range(n):
                if i * i > 20:
                    return i
            return -1
        for f in (branches, loops, early):
            made = self.run_text(f)
            g = tf.function(made, autograph=False)
            for x in (-1, 3, 7, 12, 30):
                wanted = value(f(tf.constant(x)))
                self.assertEqual(value(g(tf.constant(x))), wanted, (f.__name__, x))
                self.assertEqual(value(made(x)), wanted, (f.__name__, x))

    def test_direct_use(self):
        ag = tf.autograph.operators

        @tf.function(autograph=False)
        def f(n):
            i, total = tf.constant(0), ag.Undefined('total')

            def get_state():
                return i, total

            def set_state(values):
                nonlocal i, total
                i, total = values

            def body():
                nonlocal i, total
                i, total = i + 1, i
            ag.while_stmt(lambda: i < n, body, get_state, set_state, ('i', 'total'), {})
            return i, total
        self.assertEqual(value(f(tf.constant(4))), [4, 3])
        with self.assertRaisesRegex(UnboundLocalError, "'total' is used before"):
            ag.ld(ag.Undefined('total'))
        self.assertEqual(ag.Feature.all_but(ag.Feature.LISTS).count(ag.Feature.LISTS), 0)
        with self.assertRaises(ValueError):
            ag.assert_stmt(tf.constant(True), 'not callable')


class Directives(Case):
    def test_forms_of_do_not_convert(self):
        def plain(x):
            return 1 if isinstance(x, tf.Tensor) and hasattr(x, 'graph') else 2
        forms = [tf.autograph.experimental.do_not_convert(plain), tf.autograph.experimental.do_not_convert(func=plain),
                 tf.autograph.experimental.do_not_convert()(plain), tf.autograph.experimental.do_not_convert(func=None)(plain)]
        for form in forms:
            self.assertEqual(form.__wrapped__, plain)

            def branch(x):
                return x if x > 0 else -x
            with self.assertRaises(tf.errors.OperatorNotAllowedInGraphError):
                tf.function(tf.autograph.experimental.do_not_convert(branch))(tf.constant(1))

    def test_verbosity(self):
        scope = {}
        exec('def made(x):\n  return x\n', scope)
        out = io.StringIO()
        tf.autograph.set_verbosity(1, True)
        try:
            with contextlib.redirect_stdout(out):
                tf.function(scope['made'])(tf.constant(1))
        finally:
            tf.autograph.set_verbosity(0)
        self.assertRegex(out.getvalue(), 'AutoGraph: made .*is not converted')

    def test_loop_options(self):
        def f(n):
            i = 0
            while i < n:
                tf.autograph.experimental.set_loop_options(maximum_iterations=3, parallel_iterations=1, swap_memory=True)
                i += 1
            return i
        self.assertEqual(value(tf.function(f)(tf.constant(9))), 3)

        def invariant(n, shape):
            x = tf.zeros([1])
            for i in tf.range(n):
                tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape(shape))])
                x = tf.concat([x, x], 0)
            return tf.size(x)
        self.assertEqual(value(tf.function(invariant)(tf.constant(3), [None])), 8)
        with self.assertRaisesRegex(ValueError, r"'x' has shape \(1,\) before the loop, which does not conform"):
            tf.function(invariant)(tf.constant(3), [2])
        with self.assertRaisesRegex(ValueError, r"'x' has shape \(2,\) after one iteration, which does not conform"):
            tf.function(invariant)(tf.constant(3), [1])


if __name__ == '__main__':
    unittest.main(verbosity=1)
