"""Loops of a traced function that run as they were written: those that meet no tensor."""
import bisect
import collections
import functools
import heapq
import unittest
from math import sqrt

import footlight as tf
from footlight import _engine

from test_reached import Box, Listed, Named, Pair, clipped, written
from test_tracing import value


class Written(unittest.TestCase):
    def check(self, f, loops=1):
        for x in (1, 7):
            result, count = written(lambda x=x: tf.function(f)(tf.constant(x)))
            self.assertEqual([value(one) for one in result] if isinstance(result, (list, tuple)) else value(result),
                             list(f(x)) if isinstance(f(x), tuple) else f(x))
            self.assertEqual(count, loops, f.__name__)

    def test_jumps(self):
        def leaves(x):
            for i in range(10):
                for k in range(i):
                    if k == 3:
                        break
                    if i % 2:
                        continue
                else:
                    if i > 2:
                        return i
            return x

        def ends(x):
            i = 0
            while i < 3:
                i += 1
            else:
                i = 10
            for i in range(20, 30):
                if i > 24:
                    break
            else:
                i = 0
            return x + i

        def guarded(x):
            log = []
            for i in range(3):
                try:
                    log.append(1 // i)
                except ZeroDivisionError as error:
                    log.append(len(str(error)))
                finally:
                    log.append(i)
            return x + sum(log)
        self.check(leaves)
        self.check(ends)  # the one with a break has to know whether its else runs
        self.check(guarded)

    def test_variables(self):
        def rebound(x):
            count, names = 0, {}
            for i, (a, b) in enumerate([(1, 2), (3, 4)]):
                names[a] = seen = i
                count += b
                last: int = b
            while (left := count) > 2:
                count -= 1
                if left == 4:
                    del names[1]
            y = x
            if x > 3:
                y = x + count + seen
            return y, count, seen, last, i, left, len(names)

        def undefined(x):
            for i in range(0):
                never = i
            try:
                return x + never
            except UnboundLocalError:
                return x
        self.check(rebound, loops=2)
        self.check(undefined)

    def test_lists_that_a_staged_loop_goes_on_with(self):
        def f(x):
            values = []
            for i in range(3):
                values.append(i)
            for i in tf.range(x):
                values.append(i)
            return tf.reduce_sum(tf.stack(values))
        result, loops = written(lambda: tf.function(f)(tf.constant(4)))
        self.assertEqual((value(result), loops), (9, 1))

    def test_objects(self):
        def f(x):
            box = Box([])
            for i in range(300):
                box.item.append(i)
                box.other = box.get()[0]
            return x + len(box.item) + box.other
        self.check(f)

        def of_classes(x):
            values, names, pairs = Listed(range(9)), Named(a=1), [Pair(1, 2), Pair(b=3, a=4)]
            for v in values:
                if v % 2:
                    names['a'] += pairs[v % 2].a
                else:
                    values[v] = pairs[v % 2].b
            for v in pairs:
                values.append(v.a)
                pairs = [Pair(v.b, 1)]
            return x + sum(values) + names['a'] + len(pairs)
        self.check(of_classes, loops=2)

        def calls(x):
            get, last = Box(3).get, collections.deque(maxlen=2)
            more, seen = functools.partial(clipped, 7), {1, 2}
            for i in range(4):
                seen.add(get() + more() * i)
                last.append(i)
            return x + sum(seen) + len(last)
        self.check(calls)

        def ordered(x):
            heap, found = [3], []
            for i in (5, 1, 4):
                heapq.heappush(heap, i)
                found.append(heapq.heappop(heap) + sqrt(4) + bisect.bisect([1, 3], i))
            return x + int(sum(found))
        self.check(ordered)

        def g(x):
            told = ''
            for kind in (0, [1, 2], 'x'):
                match kind:
                    case 0:
                        told += 'none'
                    case [1, *rest]:
                        told += str(rest)
                    case _:
                        told += '?'
            return x + len(told)
        self.check(g)

    def test_errors(self):
        def f(x):
            values = [3, 2, 1, 0]
            for v in values:
                values[0] = 6 // v
            return x
        with self.assertRaises(ZeroDivisionError) as caught:
            tf.function(f)(tf.constant(1))
        self.assertIn('in f  *\n        values[0] = 6 // v', str(caught.exception))

        def checked(n, x):
            for i in range(n):
                if i > 2:
                    raise ValueError(i)
            return x

        @tf.function
        def under_condition(x):
            if x > 3:
                x = checked(5, x)
            return x
        self.assertEqual(value(under_condition(tf.constant(1))), 1)  # raised when the graph runs
        with self.assertRaises(ValueError):
            under_condition(tf.constant(4))

    def test_asked_in_vain(self):
        """A loop that meets a tensor whenever it is reached is asked a few times alone."""
        def f(x):
            def above(i):
                total = 0
                for v in (1, x):
                    if v > i:
                        total += 1
                return total
            return [above(i) for i in range(40)]
        before = _engine.autograph_contained_loops()[0]
        result = tf.function(f)(tf.constant(9))
        self.assertEqual([value(one) for one in result], f(9))
        self.assertLess(_engine.autograph_contained_loops()[0] - before, 20)
