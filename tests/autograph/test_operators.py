"""What converted functions do with builtins, lists and generators, the operators that the readable form calls, and
directives: where TensorFlow refuses, and a graph can do it."""
import contextlib
import io

import footlight as tf
from test_beyond import VECTOR, Case, value


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

    def test_converted_code_that_runs_eagerly(self):
        def run(f, x):
            return tf.autograph.to_graph(f)(tf.constant(x))
        for f, x, dtype, expected in (
                (lambda t: int(t), 2.75, tf.int32, 2),
                (lambda t: int(t, 10), '12', tf.int32, 12),
                (lambda t: float(t), 2, tf.float32, 2.0),
                (lambda t: range(1, t), 3, tf.int32, [1, 2]),
                (lambda t: sorted(t, reverse=True), [1, 3], tf.int32, [3, 1])):
            result = run(f, x)
            self.assertEqual((result.dtype, value(result)), (dtype, expected))
        self.assertEqual(run(lambda t: (len(t), max(t), sorted([2, 1])), [4, 5])[::2], (2, [1, 2]))
        self.assertIs(type(run(lambda t: len(tf.data.Dataset.range(3)), 1)), type(tf.constant(1)))
        self.assertRaisesRegex(NotImplementedError, 'base 8', run, lambda t: int(t, 8), '1')
        self.assertRaisesRegex(ValueError, 'len requires', run, lambda t: len(t), 1)

    def test_refusals(self):
        for kind, words, f, argument in (
                (ValueError, 'len requires', lambda x: len(x), 1),
                (NotImplementedError, 'base 2', lambda s: int(s, 2), '1'),
                (ValueError, 'keyword arguments', lambda x: max(x, key=abs), [1]),
                (ValueError, 'rank 1', lambda x: max(x), [[1]]),
                (ValueError, 'scalar tensor', lambda x: min(x, x), [1])):
            with self.assertRaisesRegex(kind, words):
                tf.function(f)(tf.constant(argument))


class FunctionsInside(Case):
    def test_what_a_definition_evaluates_is_converted(self):
        def marked(tag):
            return lambda f: lambda *args: f(*args) + tag

        def f(x, xs):
            @marked(10 if x > 1 else 20)
            def g(a, b=len(xs), *, c=(1 if x > 2 else 2)):
                return a + b * c
            return g(x)
        self.agrees(f, (1, [1, 2]), (2, [3, 4]), (3, [5, 6]))

    def test_what_a_lambda_reads_is_no_state_of_its_statement(self):
        def branch(x):
            if x > 0:
                v = x * 2
                y = (lambda: v)()
                for i in tf.range(x):
                    y += (lambda: i)()
            else:
                y = 0
            return y

        def loop(x):
            while x > 0:
                kind, pair = object(), [x, x]
                x -= sorted(pair, key=lambda q: pair[0] - q if kind else q)[0]
            return x

        def made_before(n):
            v, total = n, 0
            later = lambda: v
            for i in tf.range(n):
                v = i * 2
                total += later()
            return total, later()
        def same_names(x):
            for i in tf.range(x):
                v = i + 1
                x += (lambda: v + i)()
            for i in tf.range(x):
                v = object()
                x += (lambda: i if v else 0)()
            return x
        self.agrees(same_names, (2,), (0,))
        self.agrees(branch, (3,), (-1,))
        self.agrees(loop, (3,), (-1,))
        self.agrees(made_before, (3,), (0,))


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


class Finally(Case):
    def test_a_return_takes_the_place_of_another(self):
        def after_a_return(x):
            try:
                return 2
            finally:
                if x > 0:
                    return 1
                return 0

        def of_some_iteration(x):
            for i in range(3):
                try:
                    y = i * x
                finally:
                    if i == 1:
                        return y
            return -1

        def one_of_two(x):
            try:
                if x > 5:
                    return 7
            finally:
                if x > 0:
                    x = x + 1
                    if x > 2:
                        return x
            return -1

        def in_a_loop(x):
            total = 0
            while total < 10:
                try:
                    total += x
                    if total > 5:
                        return total
                finally:
                    total += 1
            return -total
        for f in (after_a_return, of_some_iteration, one_of_two, in_a_loop):
            self.agrees(f, (0,), (1,), (2,), (9,))

    def test_a_return_after_an_error(self):
        def f(x):
            try:
                raise ValueError()
            finally:
                if x > 0:
                    return 1
                return 0
        self.assertEqual([value(tf.function(f)(x)) for x in (0, 1)], [0, 1])


class Operators(Case):
    """The text of to_code runs, with tf.autograph.operators as `ag__`."""

    def run_text(self, f, features=None):
        names = dict(f.__globals__, ag__=tf.autograph.operators,
                     **dict(zip(f.__code__.co_freevars, (c.cell_contents for c in f.__closure__ or ()))))
        exec(tf.autograph.to_code(f, experimental_optional_features=features), names)
        return names['tf__' + f.__name__]

    def test_optional_features(self):
        Feature, factor = tf.autograph.experimental.Feature, 2

        def f(n, flag):
            kept, squares = [5], []
            for i in range(n):
                if flag == (i != 1):
                    kept.append(i * factor)
                squares.append([i * i])
            assert n != 9, 'nine'
            last = kept.pop() + kept.pop(0)
            while len(kept) > 1:
                kept.pop()
            return last, kept, tf.stack(squares)
        for features in (None, Feature.LISTS, (Feature.ASSERT_STATEMENTS, Feature.EQUALITY_OPERATORS), Feature.ALL,
                         Feature.BUILTIN_FUNCTIONS):
            some = set(Feature) if features is Feature.ALL else {features} if isinstance(features, Feature) else features or ()
            text = tf.autograph.to_code(f, experimental_optional_features=features)
            for feature, operators in ((Feature.ASSERT_STATEMENTS, ('assert_stmt',)),
                                       (Feature.EQUALITY_OPERATORS, ('eq', 'not_eq')),
                                       (Feature.LISTS, ('new_list', 'list_append', 'list_pop', 'list_stack'))):
                for operator in operators:
                    self.assertEqual(f'ag__.{operator}(' in text, feature in some, (operator, text))
            # Traced, so that a list without elements can be one of tensors.
            made = tf.function(self.run_text(f, features), autograph=False)(4, True)
            self.assertEqual([value(made[0]), [value(one) for one in made[1]], made[2].numpy().tolist()],
                             [11, [0], [[0], [1], [4], [9]]])
            with self.assertRaisesRegex(AssertionError, 'nine'):
                self.run_text(f, features)(9, True)
        self.assertIn('ag__.list_append(ag__.ld(kept)', tf.autograph.to_code(f, True, Feature.LISTS))

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
