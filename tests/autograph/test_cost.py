"""What a conversion makes, counted: code objects and when they are compiled, in whatever shape a function is."""
import dis
import importlib.util
import itertools
import linecache
import os
import sys
import tempfile
import types
import unittest

import footlight as tf
from footlight import _engine

from test_tracing import ops, value


numbers = itertools.count()


def codes(code):
    return 1 + sum(codes(one) for one in code.co_consts if isinstance(one, types.CodeType))


def left(xs, n):
    total = 0
    for a in xs:
        for b in xs:
            if b > a:
                break
            total += b
        if total > n:
            break
    return total


class Base:
    def scaled(self, x):
        return x * 2


class Derived(Base):
    __factor = 3

    def scaled(self, x):
        if x > 1:
            x = super().scaled(x) * self.__factor
        return x


COUNT = 0


def counts(x):
    global COUNT
    if x > 0:
        COUNT = 7
        y = x
    else:
        y = -x
    return y


def lines_of(function, call):
    """The lines of a function and of this file's code in it that a debugger meets in a call, and files beside this one."""
    first, lines, others = function.__code__.co_firstlineno, [], set()

    def note(frame, event, _):
        if frame.f_code.co_filename != __file__:
            others.add(frame.f_code.co_filename)
        elif event == 'line' and frame.f_code.co_name == function.__name__:
            lines.append(frame.f_lineno - first)
        return note
    sys.settrace(note)
    try:
        call()
    except Exception as error:
        lines.append(type(error).__name__)
    finally:
        sys.settrace(None)
    return [line for i, line in enumerate(lines) if not i or line != lines[i - 1]], others


class Lines(unittest.TestCase):
    """A debugger, or coverage, sees the lines that Python itself would run."""

    def test_early_returns(self):
        def early(x):
            """Says so."""
            if x > 5:
                return x
            for i in range(2):
                if i > 0:
                    continue
            if x > 1:
                return x * 2
        self.like_python(early, 7, 3, 1)

    def test_messages_of_assertions(self):
        def asserts(x):
            assert x > 0, \
                'too small'
            return x
        self.like_python(asserts, 3, -3)

    def test_matches(self):
        def matches(x):
            match x:
                case 1:
                    x = 5
                case _:
                    x = 6
            return x
        self.like_python(matches, 1, 2)

    def like_python(self, function, *arguments):
        for x in arguments:
            wanted = lines_of(function, lambda: function(x))[0]
            self.assertEqual(lines_of(function, lambda: tf.autograph.to_graph(function)(x))[0], wanted)
            traced = tf.function(function)
            self.assertEqual(lines_of(function, lambda: traced(x)), (wanted, set()))


class Late(unittest.TestCase):
    """What is staged of a statement is compiled when the statement is staged first."""

    def test_size_of_converted_code(self):
        # The function, and another one that keeps its variables where staged code finds them.
        converted = tf.autograph.to_graph(left)
        self.assertEqual(codes(converted.__code__), 2)
        self.assertEqual(converted([1, 2, 3], 100), left([1, 2, 3], 100))
        traced = tf.function(left)
        for xs, n in itertools.product(([1, 2, 3], [3, 1, 5]), (0, 100)):
            self.assertEqual(value(traced(tf.constant(xs), n)), left(xs, n))

    def test_size_of_expressions(self):
        def chosen(x, y):
            z = x > 1 and y > 2 or not (x < y)
            return z, (x if 0 < x < y else -x)
        converted = tf.autograph.to_graph(chosen)
        self.assertEqual(codes(converted.__code__), 2)
        for x, y in itertools.product((-1, 2), (1, 3)):
            self.assertEqual(converted(x, y), chosen(x, y))
            for given in ((tf.constant(x), y), (x, tf.constant(y))):
                self.assertEqual([value(one) for one in tf.function(chosen)(*given)], list(chosen(x, y)))

    def test_size_of_comprehensions(self):
        def listed(xs, n):
            return [x * n for x in xs], sum(x + y for x in xs for y in (1, n)), {n: x for x in (1, 2)}
        converted = tf.autograph.to_graph(listed)
        self.assertEqual(codes(converted.__code__), codes(listed.__code__) + 1)
        self.assertEqual(converted([1, 2], 3), listed([1, 2], 3))
        one, total, pairs = tf.function(listed)(tf.constant([1, 2]), 3)
        self.assertEqual(([value(x) for x in one], value(total), pairs), ([3, 6], 14, {3: 2}))

    def test_lines_that_a_debugger_sees(self):
        def f(x):
            if x > 0:
                x = x + 1
            return x
        lines = []

        def note(frame, event, _):
            if frame.f_code.co_filename == __file__:
                lines.append(frame.f_lineno)
                return note
        first = f.__code__.co_firstlineno
        traced = tf.function(f)
        sys.settrace(note)
        try:
            traced(tf.constant(1))
        finally:
            sys.settrace(None)
        met = [line - first for i, line in enumerate(lines) if first < line <= first + 3 and (not i or line != lines[i - 1])]
        self.assertEqual(met, [1, 2, 1, 3])  # back at the `if` where its block ends
        self.assertEqual(lines.count(first), 1)

    def test_compiled_once(self):
        def f(x, n):
            if x > n:
                return x
            return -x
        seen = []
        for n in range(3):
            before = _engine.autograph_late()
            self.assertEqual(value(tf.function(f)(tf.constant(1), n)), f(1, n))
            seen.append(_engine.autograph_late() - before)
        self.assertEqual(seen, [1, 0, 0])

    def test_other_scopes(self):
        self.assertEqual(value(tf.function(Derived().scaled)(tf.constant(5))), 30)
        self.assertEqual(value(tf.function(Derived().scaled)(tf.constant(0))), 0)
        self.assertEqual(value(tf.function(counts)(tf.constant(3))), 3)
        by = 10

        def outer(x, parts):
            def inner(y):
                nonlocal parts
                while y < by:
                    y = y + parts
                    parts = parts + 1
                return y
            if x > 2:
                x = x + parts
            for _ in range(2):
                x = inner(x - 20)
            return x, parts
        for x in (1, 5):
            self.assertEqual([value(one) for one in tf.function(outer)(tf.constant(x), 1)], list(outer(x, 1)))

    def test_a_file_that_is_gone_when_a_statement_is_staged_first(self):
        text = 'def f(x, n):\n    if x > n:\n        x = x - n\n    return x\n'
        for written in (text, 'if 1:\n\t' + text.replace('\n', '\n\t')):
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, 'gone.py')
                with open(path, 'w', encoding='utf-8') as file:
                    file.write(written)
                spec = importlib.util.spec_from_file_location('gone', path)
                module = importlib.util.module_from_spec(spec)
                spec.loader.exec_module(module)
                f = tf.function(module.f)
                self.assertEqual(value(f(5, 3)), 2)
                with open(path, 'w', encoding='utf-8') as file:
                    file.write(text.replace('x - n', 'x + n'))
            self.assertEqual(value(f(tf.constant(5), 3)), 2)
            self.assertEqual(ops(f, tf.constant(5), 3).count('StatelessIf'), 1)


class Long(unittest.TestCase):
    """Functions that are long in one direction."""

    def made(self, lines):
        source = 'def f(x, n):\n' + '\n'.join('    ' + line for line in lines) + '\n'
        name = f'<long {next(numbers)}>'
        linecache.cache[name] = len(source), None, source.splitlines(True), name
        scope = {}
        exec(compile(source, name, 'exec'), scope)
        return scope['f']

    def test_chains(self):
        """What follows an early return is nested in the other branch, as are the branches of an elif."""
        most = 1200
        for lines in ([f'if n == {i}: return x + {i}' for i in range(most)] + ['return x'],
                      ['if n < 0: y = x'] + [f'elif n == {i}: y = x + {i}' for i in range(most)]
                      + ['else: y = x', 'return y']):
            f = self.made(lines)
            converted = tf.autograph.to_graph(f)
            self.assertEqual(codes(converted.__code__), 2)
            for n in (0, most - 1, most):
                self.assertEqual(converted(1, n), f(1, n))

    def test_comprehensions_in_loops(self):
        """Each is a function to CPython before 3.12, so few loops with some stand as they were written, too."""
        def loops(function):
            code = tf.autograph.to_graph(function).__code__
            return sum(one.opname == 'FOR_ITER' for one in dis.get_instructions(code))
        few, many = (self.made(['for j in n: x = sum(v + j for v in n)'] * count + ['return x']) for count in (4, 60))
        self.assertEqual(loops(few), 2 * 4)
        self.assertEqual(loops(many), 60 + 24)
        self.assertEqual(value(tf.function(many)(1, [2, 3])), many(1, [2, 3]))

    def test_equal_comprehensions(self):
        """CPython 3.11 compares all code of one hash, of which the line is no part."""
        f = self.made(['x = [v for v in n]', 'x = {k: v for (k, v), _ in n if v}', 'x = sum(v for v in n if v)'] * 40)
        hashes = [hash(one) for one in tf.autograph.to_graph(f).__code__.co_consts if isinstance(one, types.CodeType)]
        self.assertEqual(len(set(hashes)), len(hashes))

    def test_too_long(self):
        f = self.made([f'if n == {i}: return x + {i}' for i in range(4000)] + ['return x'])
        self.assertRegex(_engine.autograph_reason(f), 'nested more than [0-9]+ deep')
        self.assertEqual(tf.function(f)(1, 3999), 4000)  # it runs as it is
