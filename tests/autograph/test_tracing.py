"""Conversions while tracing: what is staged, what runs in Python, and what is recorded."""
import contextlib
import importlib.machinery
import importlib.util
import io
import os
import tempfile
import warnings

import footlight as tf
from folder_case import FolderCase


def ops(f, *args):
    """All op types in the graph and its library."""
    graph = f.get_concrete_function(*args).graph.as_graph_def()
    found = [n.op for n in graph.node]
    for function in graph.library.function:
        found += [n.op for n in function.node_def]
    return found


def value(tensor):
    return int(tensor)



class Item:
    def __init__(self):
        self.total = tf.constant(0)
        self.parts = {'a': tf.constant(1)}

    def add(self, x):
        if x > 0:
            self.total = self.total + x
            self.parts['a'] = x
        return self.total + self.parts['a']


class Tracing(FolderCase):
    def both(self, f, *inputs):
        """A traced function gives what the plain one gives, with one trace."""
        g = tf.function(f)
        for args in inputs:
            wanted = f(*args)
            self.assertEqual(value(g(*map(tf.constant, args))), wanted, args)
        self.assertEqual(g.experimental_get_tracing_count(), 1)
        return g

    def test_if(self):
        def f(x):
            if x > 10:
                y = x
            elif x > 5:
                y = -x
            else:
                return 0
            return y * 2
        g = self.both(f, (20,), (7,), (1,))
        self.assertEqual(ops(g, tf.constant(1)).count('StatelessIf'), 3)  # the last one guards the code that follows

    def test_names_of_the_users_that_look_like_generated_ones(self):
        @tf.function
        def value(x):
            if x > 0:
                retval_anything = x
            return retval_anything

        @tf.function
        def flag(x):
            if x > 0:
                do_return_x = True
                y = x
            return y if do_return_x else x

        for f in (value, flag):
            with self.assertRaisesRegex(ValueError, "'(retval_anything|do_return_x)' must also be initialized"):
                f(tf.constant(1))

        def returns(x):
            retval_ = x + 1
            do_return = x > 3
            if do_return:
                return retval_
            retval_ = retval_ * 2
            if retval_ > 4:
                do_return = False
                return retval_ + 1
            return retval_
        self.both(returns, (5,), (3,), (0,))

    def test_python_condition_leaves_no_node(self):
        @tf.function
        def f(x, flag):
            if flag and x is not None:
                return x + 1
            return x - 1
        self.assertEqual(value(f(tf.constant(1), True)), 2)
        self.assertEqual(value(f(tf.constant(1), False)), 0)
        self.assertNotIn('StatelessIf', ops(f, tf.constant(1), True))

    def test_while_and_what_follows(self):
        def f(n):
            i, total = 0, 0
            while i < n:
                i += 1
                if i % 2 == 0:
                    continue
                if total > 12:
                    break
                total += i
            else:
                total = -total
            return total + i
        g = self.both(f, (0,), (5,), (50,))
        self.assertEqual(ops(g, tf.constant(1)).count('StatelessWhile'), 1)

    def test_for_over_tensors(self):
        def f(xs):
            total, last = 0, -1
            for x in xs:
                total = total * 3 + x
                last = x
            return total, last
        total, last = tf.function(f)(tf.constant([1, 2, 3]))
        self.assertEqual((value(total), value(last)), (18, 3))

    def test_for_over_range(self):
        def f(n, step):
            total = 0
            for i in range(n, 0, step):
                total = total * 2 + i
            return total
        self.assertEqual(value(tf.function(f)(tf.constant(7), tf.constant(-2))), f(7, -2))
        self.assertEqual(value(tf.function(f)(tf.constant(-7), tf.constant(2))), f(-7, 2))

    def test_return_inside_loops(self):
        def f(n):
            for i in tf.range(6):
                for j in tf.range(6):
                    if i * j == n:
                        return i * 10 + j
            return -1
        g = tf.function(f)
        self.assertEqual([value(g(tf.constant(n))) for n in (6, 25, 7)], [23, 55, -1])

    def test_return_inside_a_loop_over_nothing(self):
        def f(x):
            for _ in tf.zeros([0]):
                if x > 0.:
                    return x + 1.
            return x
        self.assertEqual(float(tf.function(f)(tf.constant(1.))), 1.)

    def test_python_loop_left_by_a_tensor(self):
        def f(x):
            for i in range(5):
                x = x * 2
                if x > 20:
                    break
            while i < 100:
                i = i + 1
                if x > i:
                    return i
            return x
        self.both(f, (1,), (3,), (9,))

    def test_calls_methods_lambdas_closures(self):
        limit = 3

        def helper(x):
            if x > limit:
                return x - limit
            return x

        def f(x):
            twice = lambda v: v * 2 if v > 1 else v
            return helper(twice(x)) + sum(map(helper, [1, 2]))
        self.both(f, (1,), (5,))

    def test_attributes_and_items_are_state(self):
        item = Item()
        g = tf.function(item.add)
        self.assertEqual(value(g(tf.constant(4))), 8)
        self.assertEqual(value(g(tf.constant(-4))), 1)

    def test_objects_that_only_inner_statements_use(self):
        def f(x):
            item, counts, key = Item(), {'k': 0, 'other': 0}, 'k'
            item.seen = x
            for i in tf.range(x):
                if i > 1:
                    item.seen = i * 10
                elif i > 0:
                    while counts['k'] < i * 3:
                        counts[key] += 2
                else:
                    counts['other'] = x
            return item.seen * 10000 + counts['k'] * 100 + counts['other']
        self.both(f, (4,), (2,), (1,))

    def test_logic(self):
        def f(a, b):
            return 1 if (a > 0 and b > 0) or not a < 5 else 2 if 0 < b < 10 else 3
        self.both(f, (1, 1), (-1, 5), (7, -1), (-1, 50))

    def test_python_values_and_side_effects(self):
        seen = []

        @tf.function
        def f(x):
            print('tracing')
            if x > 0:
                seen.append('then')
            else:
                seen.append('else')
            return x
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            f(tf.constant(1))
            f(tf.constant(2))
        self.assertEqual((out.getvalue(), seen), ('tracing\n', ['then', 'else']))

    def test_loop_options(self):
        def grows(n):
            x = tf.ones([1])
            while n > 0:
                tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape([None]))])
                x = tf.concat([x, x], 0)
                n -= 1
            return tf.reduce_sum(x)
        self.assertEqual(value(tf.function(grows)(tf.constant(4))), 16)

    def edited(self, before, after, run):
        """The result of `run` for a module whose file was edited after the import, and the warnings."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'edited.py')
            with open(path, 'w', encoding='utf-8') as file:
                file.write(before)
            spec = importlib.util.spec_from_file_location('edited', path)
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            with open(path, 'w', encoding='utf-8') as file:
                file.write(after)
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter('always')
                return run(module), [str(one.message) for one in caught]

    def test_a_file_that_was_edited_behind_its_import(self):
        text = ('import footlight as tf\n\n\ndef f(x, y=1, *, z=2):\n    """About."""\n    if y == 1:\n        return x + 1\n'
                '    return [x * 1.0, lambda a: a in (1, 2)]\n')
        for before, after in (('x + 1', 'x + 1000'), ('x + 1', 'x + 1.'), ('x + 1', 'x - 1'), ('* 1.0', '* -1.0'),
                              ('(1, 2)', '(2, 1)'), ('(1, 2)', '(1, True)'), ('lambda a', 'lambda b'), ('About', 'Of'),
                              ('x + 1', 'x + tf'), ('y=1', 'k=1'), ('y == 1', 'y is None')):
            with self.subTest(after):
                changed = text.replace(before, after)
                self.assertNotEqual(changed, text)
                value, said = self.edited(text, changed, lambda m: tf.function(m.f)(tf.constant(3)).numpy())
                self.assertEqual(value, 4)
                self.assertEqual(len(said), 1, said)
                self.assertRegex(said[0], r'^AutoGraph: f \(.*edited.py:4\) runs as it was loaded, without conversion: its file '
                                          'has changed since it was loaded')
                with self.assertRaisesRegex(ValueError, 'its file has changed'):
                    self.edited(text, changed, lambda m: tf.autograph.to_code(m.f))

    def test_edits_that_do_not_reach_the_function(self):
        text = ('import functools\n\n\n@functools.lru_cache\ndef f(x: int, y=1) -> int:\n    if x > 2: x = x + y\n    return x\n\n\n'
                'def g(): return 1\n')
        for before, after in (('return 1', 'return 2'), ('y=1', 'y=7'), ('x: int', 'x: str'), ('> int', '> str'),
                              ('functools.lru_cache\n', 'functools.cache\n'), ('return x\n', 'return x  # done\n'), ('', '')):
            with self.subTest(after):
                changed = text.replace(before, after, 1)
                result = self.edited(text, changed, lambda m: tf.function(m.f.__wrapped__)(tf.constant(3)).numpy())
                self.assertEqual(result, (4, []))

    def test_code_that_a_loader_rewrites_is_still_converted(self):
        class Loader(importlib.machinery.SourceFileLoader):
            def source_to_code(self, data, path, **options):
                return super().source_to_code(data.replace(b'"plain"', b'"spied"'), path, **options)
        path = self.write('rewritten.py', 'def f(x):\n    if x > 0: return x, "plain"\n    return -x, "plain"\n')
        spec = importlib.util.spec_from_file_location('rewritten', path, loader=Loader('rewritten', path))
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        self.assertEqual(tf.function(module.f)(tf.constant(-1))[0].numpy(), 1)

    def test_conversion_repeats_no_warning_of_the_compiler(self):
        text = 'def f(x):\n    if x > 0 or x is 1: return x\n    assert (x, "always")\n    return -x\n'
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            result = self.edited(text, text, lambda m: tf.function(m.f)(tf.constant(3)).numpy())
        self.assertEqual(result, (3, []))

    def test_unrolling_is_said(self):
        @tf.function
        def f(x):
            for i in range(150):
                x = x + i
            return x
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter('always')
            f(tf.constant(1))
        self.assertEqual(len(caught), 1)
        self.assertEqual((caught[0].filename, caught[0].lineno), (__file__, f.python_function.__code__.co_firstlineno + 2))

    def test_nonlocal_written_under_a_condition(self):
        def f(x):
            total = 0

            def note():
                nonlocal total
                if x > 0:
                    total = total + x
            note()
            return total
        self.both(f, (3,), (-3,))

    def test_first_assigned_inside_a_loop(self):
        def f(n):
            while n > 0:
                last = n
                n -= 1
            return last
        self.assertEqual(value(tf.function(f)(tf.constant(3))), 1)

    def test_what_a_test_binds_is_seen_by_the_body(self):
        def f(x):
            total = 0
            while (y := x * 2) < 40:
                total = total + y
                x = x + y
            return total + y
        self.both(f, (1,), (5,), (100,))

    def test_variables_without_a_value_are_local(self):
        def f(n):
            while n > 0:
                y = y + n
                n -= 1
            return y
        with self.assertRaises(UnboundLocalError) as caught:
            tf.function(f)(3)
        self.assertIn("'y'", str(caught.exception))

    def test_a_name_that_is_deleted_under_a_condition(self):
        def branch(x):
            v, w = x + 1, x
            if x > 0:
                w = v * 2
                del v
            return w

        def after_a_return(x):
            v = x + 1
            if x > 0:
                if x > 1:
                    return v
            del v
            v = x
            return v

        def loop(x):
            v, i = x + 1, tf.constant(0)
            while i < 2:
                i += 1
                del v
                v = x + i
            return v
        for f in (branch, after_a_return, loop):
            self.both(f, (1,), (2,), (-1,))

    def test_an_attribute_that_cannot_be_put_back(self):
        class Closed:
            __slots__ = ()
        one = Closed()

        def branch(x):
            if x > 0:
                one.more = x
            return x

        def loop(x):
            while x > 0:
                one.more = x
            return x

        def earlier(x):
            x, y = [one], x
            if y > 0:
                x[0].more = 1
                raise KeyError('mine')
            return y
        for f, kind in ((branch, AttributeError), (loop, AttributeError), (earlier, AttributeError)):
            with self.assertRaises(kind) as caught:
                tf.function(f)(tf.constant(1.))
            self.assertIn('more', str(caught.exception))

    def test_prints_with_the_option(self):
        def f(x):
            print('x is', x, {'k': 1}, sep='|', end='!')
            return x
        features = tf.autograph.experimental.Feature
        for options, wanted in ((features.BUILTIN_FUNCTIONS, "x is|1|{'k': 1}!x is|2|{'k': 1}!"),
                                ((features.LISTS, features.ALL), "x is|1|{'k': 1}!x is|2|{'k': 1}!"),
                                (features.LISTS, "x is|Tensor(\"x:0\", shape=(), dtype=int32)|{'k': 1}!")):
            g = tf.function(f, experimental_autograph_options=options)
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                g(tf.constant(1))
                g(tf.constant(2))
            self.assertEqual(out.getvalue(), wanted)

    def test_nested_statements_are_staged_from_any_level(self):
        def f(x, n):
            total = 0
            for i in range(3):  # Python's, with what is staged inside of it at each level
                if i == 1 and n > 100:
                    continue
                part = x + i
                j = 0
                while j < 2:
                    j += 1
                    step = part * j
                    if step > 6:
                        if step > 8:
                            total += step
                        elif i > 0:
                            total -= 1
                        else:
                            total += 2
                    else:
                        for k in range(2):
                            if k == n:
                                break
                            total += k + part
                if total > 40:
                    return total + i
            return total
        wanted = {}
        for x in range(1, 14, 3):
            for n in (0, 1, 200):
                wanted[x, n] = f(x, n)
        by_x, by_n = tf.function(f), tf.function(lambda n, x: f(x, n))
        for (x, n), result in wanted.items():
            self.assertEqual(value(by_x(tf.constant(x), tf.constant(n))), result, (x, n))
            self.assertEqual(value(by_n(tf.constant(n), x)), result, (x, n))

    def test_long_chains_of_returns(self):
        def f(x, k):
            if k == 1:
                return x
            if x > 30:
                return x - 30
            if k == 2:
                return x * 2
            if x > 20:
                y = x - 20
                return y
            if k == 3:
                return x * 3
            if x > 10:
                return x - 10
            return -x
        for k in range(5):
            for x in (5, 15, 25, 35):
                self.assertEqual(value(tf.function(f)(tf.constant(x), k)), f(x, k))
                self.assertEqual(value(tf.function(f)(tf.constant(x), tf.constant(k))), f(x, k))
        self.assertEqual(ops(tf.function(f), tf.constant(5), 4).count('StatelessIf'), 3)

    def test_autograph_off(self):
        with self.assertRaises(TypeError):
            tf.function(lambda x: 1 if x > 0 else 2, autograph=False)(tf.constant(1))
