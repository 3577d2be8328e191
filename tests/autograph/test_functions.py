"""Conversions as functions that run: closures, defaults, methods, lambdas, positions, code that stays Python. Called
with Python values, they must give the same as the plain functions."""
import contextlib
import functools
import importlib.util
import linecache
import os
import shutil
import sys
import tempfile
import traceback
import warnings

import footlight as tf
from footlight import _engine
from folder_case import FolderCase

to_graph = tf.autograph.to_graph


def staged(f):
    """The converted function in a trace: what to_graph gives runs as it was written outside of one."""
    converted = to_graph(f)

    def call(*args, **named):
        with tf.Graph().as_default():
            return converted(*args, **named)
    return call


COUNT = 0


def line_here():
    return sys._getframe(1).f_lineno


def decorated(f):
    @functools.wraps(f)
    def wrapper(*args):
        return f(*args) + 100
    return wrapper


def adder(offset):
    def add(x, times=2, *, more=0):
        if x > 0:
            return x * times + offset + more
        return more
    def change(value):
        nonlocal offset
        offset = value
    return add, change


def everything(n, items):
    """Uses much at once."""
    global COUNT
    out = []
    total = 0
    for i, item in enumerate(items):
        if item == 'skip':
            continue
        if item == 'stop':
            break
        try:
            if isinstance(item, str):
                raise KeyError(item)
            out.append(item)
        except KeyError as error:
            out.append(error.args[0].upper())
        else:
            total += i
        finally:
            COUNT += 1
    else:
        out.append('all')
    while n > 0:
        n -= 1
        if n == 7:
            return 'seven', out
        for j in range(n):
            if j * n == 12:
                return j, n, out
    else:
        out.append('done')
    match out:
        case [first, *rest] if rest:
            pass
        case _:
            first = None
    squares = {k: v for k, v in ((a, a * a) for a in range(3)) if v or not k}
    return out, total, first, squares, [y for x in range(3) if (y := x + 1) > 1], y


def factorial(n):
    if n <= 1:
        return 1
    return n * factorial(n - 1)


class Base:
    def __init__(self, start):
        self.__hidden = start

    def scaled(self, x):
        if x > self.__hidden:
            return x * 2
        return self.__hidden

    def __call__(self, x):
        while x < 10:
            x = x * 2
        return x

    @classmethod
    def made(cls, x):
        if x:
            return cls(x)
        return None


class Child(Base):
    def scaled(self, x):
        if x > 0:
            x = super().scaled(x)
        return (lambda: super().scaled(x))() + 1 if False else x + 1


class Conversion(FolderCase):
    def same(self, f, *calls):
        g = to_graph(f)
        self.assertIsNot(g, f)
        for args in calls:
            self.assertEqual(g(*args), f(*args))
            self.assertEqual(staged(f)(*args), f(*args))

    def test_loops_on_tensors_outside_of_a_trace(self):
        """Numbers among their variables become tensors; branches leave Python's values as they are."""
        def of_type(n):
            """What it says."""
            count, mean, name, unchanged, made = 0, 0.5, 'a', 3, {'key': 1}
            for i in tf.range(n):
                if i == 2:
                    continue
                count += 1
                mean = mean * 2
                name = 'b'
                made['key'] = i
            left = 10
            while left > n:
                left -= 1
            return count, mean, name, unchanged, made['key'], left, not n > 1, 1 if n > 0 else 2
        def both(n):
            return of_type(n)
        wanted = [tf.int32, tf.float32, tf.string, None, tf.int32, tf.int32, tf.bool, None]
        given = to_graph(both)(tf.constant(4))
        self.assertEqual([one.dtype if tf.is_tensor(one) else None for one in given], wanted)
        self.assertEqual([one.numpy() if tf.is_tensor(one) else one for one in given],
                         [3, 4., b'b', 3, 3, 4, False, 1])
        self.assertEqual(to_graph(of_type).__doc__, of_type.__doc__)

        def over(data):
            total = 0
            for _ in data:
                total += 1
            return total
        for data in (tf.data.Dataset.range(3), iter(tf.data.Dataset.range(3)), tf.constant([5, 6, 7])):
            self.assertEqual(to_graph(over)(data).numpy(), 3)
        self.assertEqual(to_graph(over)(tf.zeros([0])).dtype, tf.int32)

    def test_converted_outside_of_a_trace(self):
        def makes(x):
            def inner(y):
                if y > 0:
                    return y
                return -y
            return inner
        self.assertEqual(float(tf.function(to_graph(makes)(1))(tf.constant(-2.))), 2.)
        def enters(x):
            with tf.Graph().as_default():
                if tf.constant(x) > 0:
                    x = tf.constant(x)
                return tf.is_tensor(x)
        self.assertTrue(to_graph(enters)(1))

    def test_calls_of_converted_functions(self):
        def fibonacci(n):
            if n < 2:
                return n
            return fibonacci(n - 1) + fibonacci(n - 2)

        def each(*xs, step=1):
            for x in xs:
                if x < 0:
                    continue
                if x > 9:
                    break
                yield x + step

        def adder(a):
            def add(b, c=2, *, d=3):
                return a + b + c + d
            return add

        def refuses(x):
            if x:
                raise KeyError(x)
            return x

        def caller(n):
            kept = [adder(i) for i in range(3)]  # of one code, with cells of their own
            made = each(1, -2, 3, step=n)  # its function outlives the call
            other = each(5, 10, 6)
            caught = 0
            for i in range(n):
                try:
                    caught += refuses(i % 2)
                except KeyError:
                    caught += 10
            first = kept[1](n)
            kept[1].__defaults__ = (20,)
            return (fibonacci(n), list(made), list(other), caught, first, kept[1](n), [f(1, d=n) for f in kept],
                    Base(3).scaled(2), Base(3)(n + 1))
        self.same(caller, (4,), (7,))

    def test_jumps(self):
        def jumps(n, stop):
            seen = []
            for i in range(n):
                for j in range(4):
                    if j == 1:
                        continue
                    if i * j == stop:
                        seen.append('inner')
                        break
                    try:
                        if j == 3 and i == 2 or stop == -i:
                            continue
                    finally:
                        seen.append(j)
                else:
                    seen.append('all')
                    continue
                while True:
                    i += 1
                    if i % 5 == 0:
                        break
                    elif i > 30:
                        return seen, i
                else:
                    seen.append('never')
            return seen, n

        def both(x, n):
            # jumps that Python decides and jumps that a tensor decides, in one loop
            total = 0
            for i in range(n):
                if i == 1:
                    continue
                if x > i + 3:
                    break
                if i == 6:
                    return x * 100 + total
                if x < i - 3 and not i == 7:
                    return x * 10 + total
                total += i if n > 3 else -i
            else:
                total += 1000
            return x + total
        self.same(jumps, (0, 0), (6, 4), (6, 99), (9, -3), (40, 12))
        for n in (0, 2, 5, 9):
            for x in range(-2, 9):
                self.assertEqual(int(tf.function(both)(tf.constant(x), n)), both(x, n), (x, n))

    def test_values(self):
        global COUNT
        self.same(everything, *((n, items) for n in (0, 3, 9, 5) for items in
                                ([], [1, 2], ['a', 1, 'skip', 2], [1, 'stop', 2], ['skip'])))
        COUNT = 0
        to_graph(everything)(0, [1, 2])
        self.assertEqual(COUNT, 2)

    def test_a_function_that_names_itself(self):
        self.same(factorial, (5,))
        self.assertNotIn('factorial', to_graph(factorial).__code__.co_freevars)
        def local(n):
            return n and n + local(n - 1)
        self.same(local, (5,))

    def test_closure_cells_are_the_same(self):
        add, change = adder(5)
        converted = to_graph(add)
        self.assertEqual(converted(1), 7)
        change(50)
        self.assertEqual(converted(1), 52)
        self.assertEqual(converted(1, 3, more=1), 54)
        self.assertEqual(converted.__defaults__, add.__defaults__)
        self.assertEqual(converted.__kwdefaults__, {'more': 0})
        self.assertEqual(converted.__qualname__, add.__qualname__)

    def test_converted_once_per_code(self):
        first, second = adder(1)[0], adder(2)[0]
        self.assertIs(to_graph(first).__code__, to_graph(second).__code__)
        self.assertEqual((to_graph(first)(1), to_graph(second)(1)), (3, 4))

    def test_nonlocal_written_in_a_branch(self):
        def outer(x):
            seen = []
            total = 0
            def note(v):
                nonlocal total
                if v > 0:
                    total = total + v
                seen.append(total)
                del v
            note(x)
            note(-1)
            return total, seen
        self.same(outer, (3,), (-3,))

    def test_methods(self):
        for run in (to_graph, staged):
            for cls in (Base, Child):
                o = cls(3)
                self.assertEqual(run(o.scaled)(5), o.scaled(5))
                self.assertEqual(run(o.scaled)(1), o.scaled(1))
            self.assertEqual(run(Base(3))(3), 12)
            self.assertEqual(run(functools.partial(adder(1)[0], 4, times=3))(), 13)
            self.assertEqual(type(run(Child.made)(2)), Child)

    def test_lambdas_told_apart(self):
        a, b = (lambda x: x + 1 if x > 0 else x - 1), (lambda x: x * 2 if x > 0 else -x)
        self.same(a, (1,), (-1,))
        self.same(b, (1,), (-1,))
        pair = [lambda v, k=k: v * k if v > 2 else
                k for k in range(3)]
        for f in pair:
            self.same(f, (1,), (5,))
        same_line = [lambda x: x and 1, lambda x: x and 2, lambda y: y and 3]
        self.assertEqual([run(f)(1) for run in (to_graph, staged) for f in same_line], [1, 2, 3] * 2)

    def test_comparison_evaluates_its_middle_once(self):
        seen = []
        def middle():
            seen.append(1)
            return 5
        def f(a, b):
            return a < middle() < b
        self.assertEqual([staged(f)(1, 9), staged(f)(7, 9), staged(f)(1, 2)], [True, False, False])
        self.assertEqual(len(seen), 3)

    def test_short_circuits(self):
        def fail():
            raise AssertionError('evaluated')
        def f(a, b):
            return (a and fail()) or b, b or fail(), not a, 1 if b else fail()
        self.same(f, (0, 5))

    def test_decorated(self):
        @decorated
        def f(x):
            if x > 0:
                return x
            return -x
        self.same(f, (3,), (-3,))

    def test_undefined_variables_say_so(self):
        def f(x):
            if x:
                y = 1
            return y
        for run in (to_graph, staged):
            self.assertEqual(run(f)(True), 1)
            with self.assertRaises(NameError) as caught:
                run(f)(False)
            self.assertIn("'y'", str(caught.exception))

    def test_tracebacks_show_the_users_lines(self):
        def f(x):
            if x > 0:
                x = x + 1
                raise ValueError('here'); line_of_raise()
            return x
        first = f.__code__.co_firstlineno
        for run in (to_graph, staged):
            try:
                run(f)(1)
            except ValueError as error:
                frames = [e for e in traceback.extract_tb(error.__traceback__) if e.filename == f.__code__.co_filename]
            self.assertEqual([(e.lineno - first, e.name) for e in frames if e.name == 'f'], [(3, 'f')])
        self.assertEqual(frames[-1].line, "raise ValueError('here'); line_of_raise()")

    def test_positions_in_the_compiled_code(self):
        def f(x):
            while x > 0:
                x = (x
                     - 1)
            return x
        original = {p[0] for p in f.__code__.co_positions() if p[0]}
        def lines(code):
            found = {p[0] for p in code.co_positions() if p[0]}
            for c in code.co_consts:
                if hasattr(c, 'co_positions'):
                    found |= lines(c)
            return found
        self.assertEqual(lines(to_graph(f).__code__), original)
        self.assertEqual(to_graph(f).__code__.co_filename, __file__)

    def test_left_alone_with_a_reason(self):
        def numbers(n):
            while n:
                yield n
                n -= 1
        async def coroutine():
            pass
        scope = {}
        exec('def made(x):\n  if x: return 1\n', scope)
        for f, word in ((coroutine, 'async'), (scope['made'], 'source'), (len, 'not a Python function'),
                        (linecache.getline, 'library')):
            self.assertIn(word, _engine.autograph_reason(f))
        def calls_them(x):
            total = 0
            for n in numbers(x):
                total += n
            return total, scope['made'](x), len([x])
        self.same(calls_them, (3,))

    def test_locals_and_eval_see_their_scope(self):
        def f(x):
            if x > 0:
                y = eval('x + 1')
            else:
                y = sorted(locals())
            return y
        self.same(f, (1,), (0,))

    def test_changed_file(self):
        path = self.write('changing.py', 'def f(x):\n  if x: return 1\n  return 2\n')
        scope = {}
        exec(compile(''.join(linecache.getlines(path)), path, 'exec'), scope)
        self.write('changing.py', '# moved\n\n\ndef f(x): return 3\n')
        with self.assertWarnsRegex(RuntimeWarning, 'f .*changing.py:1. runs as it was loaded'):
            self.assertIn('changed', _engine.autograph_reason(scope['f']))

    def test_indented_and_wrapped_sources(self):
        if True:
                def f(x,
                      y="a\
b)", *,  # a comment with ( and '
                      z={'k': [1,
   2]}):
                        '''doc
string'''
                        if x:
                            return (y,
    z)
                        # less indented comment
                        return f"""{x
                            }"""
        self.same(f, (1,), (0,))

    def test_sources_are_recognized_as_those_of_the_code(self):
        """Copies of Python's library, which no exception covers: no function may be mistaken for an edited one."""
        names = ['_pydecimal', '_strptime', 'argparse', 'ast', 'bdb', 'configparser', 'contextlib', 'dataclasses', 'difflib', 'enum',
                 'functools', 'inspect', 'locale', 'pprint', 'statistics', 'tarfile', 'textwrap', 'traceback', 'typing']
        seen = 0
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter('always')
            for name in names:
                path = os.path.join(folder, name + '.py')
                shutil.copy(os.path.join(os.path.dirname(os.__file__), name + '.py'), path)
                spec = importlib.util.spec_from_file_location('copied_' + name, path)
                module = sys.modules['copied_' + name] = importlib.util.module_from_spec(spec)
                try:
                    spec.loader.exec_module(module)
                finally:
                    del sys.modules['copied_' + name]
                for holder in [module, *(c for c in vars(module).values() if isinstance(c, type))]:
                    for function in list(vars(holder).values()):
                        function = getattr(function, '__wrapped__', getattr(function, '__func__', function))
                        if getattr(getattr(function, '__code__', None), 'co_filename', '') == path:
                            with contextlib.suppress(ValueError):  # a generator, say
                                to_graph(function)
                            seen += 1
        self.assertEqual([str(one.message) for one in caught if one.category is RuntimeWarning], [])
        self.assertGreater(seen, 1000)

    def test_do_not_convert(self):
        @tf.autograph.experimental.do_not_convert
        def plain(x):
            """Kept."""
            return sys._getframe(0).f_code
        def f(x):
            return plain(x)
        self.assertIs(staged(f)(1), plain.__wrapped__.__code__)
        self.assertEqual((plain.__name__, plain.__doc__), ('plain', 'Kept.'))
        class Holder:
            method = plain
        self.assertIs(Holder().method(), plain.__wrapped__.__code__)

    def test_to_code_of_a_variable_that_only_a_block_binds(self):
        def f(x):
            while x < 2:
                dir()  # looks at the variables: the loop stays as it is
                while x < 5:
                    for q in range(x):
                        if q == 1:
                            return x
                    e += x
        compile(tf.autograph.to_code(f), 'converted', 'exec')

    def test_to_code_of_a_function_that_sees_its_scope(self):
        def f(x, b=1.):
            while b < 2:
                for _ in [1.]:
                    try:
                        return x
                    finally:
                        x = 0.
                if b < .7:
                    b = 2.
                else:
                    break
            return locals()['b']
        text = tf.autograph.to_code(f)
        compile(text, 'converted', 'exec')
        self.assertNotIn('do_return', text)  # the loops are Python's, and left by its own return

    def test_to_code(self):
        text = tf.autograph.to_code(everything)
        self.assertTrue(text.startswith('def tf__everything(n, items):'))
        compile(text, 'code', 'exec')
        with self.assertRaises(ValueError):
            tf.autograph.to_code(len)

    def test_recursion_ends_as_a_python_error(self):
        def f(x):
            if x > -1:
                return f(x + 1)
            return x
        with self.assertRaises(RecursionError):
            to_graph(f)(0)

    def test_try_else_and_return(self):
        def f(x):
            with open(os.devnull):
                try:
                    if x > 1:
                        return 'early'
                    if x == 1:
                        raise KeyError
                except KeyError:
                    if x:
                        return 'handled'
                else:
                    if x == 0:
                        return 'else'
                finally:
                    x = x + 1
            return 'end', x
        self.same(f, (2,), (1,), (0,), (-1,))
