# tf.switch_case, tf.case and tf.while_loop with all that they take: the same eagerly and traced, with gradients.
import tensorflow as tf


def both(name, make):
    for run in (make, tf.function(make)):
        try:
            print(name, tf.nest.map_structure(lambda t: tf.convert_to_tensor(t).numpy().tolist(), run()))
        except Exception as e:
            print(name, type(e).__name__)


c = tf.constant
for i in (-1, 0, 1, 2, 7):
    both('switch %d' % i, lambda: tf.switch_case(c(i), [lambda: 10, lambda: 20, lambda: 30]))
    both('default %d' % i, lambda: tf.switch_case(c(i), [lambda: 10, lambda: 20], default=lambda: 99))
both('dict', lambda: tf.switch_case(c(1), {1: lambda: 1, 0: lambda: 2}))
both('pairs', lambda: tf.switch_case(c(1), [(1, lambda: 1), (0, lambda: 2)]))
both('structure', lambda: tf.switch_case(c(1), [lambda: (1, {'a': 2}), lambda: (3, {'a': 4})]))
both('gap', lambda: tf.switch_case(c(1), {1: lambda: 1, 3: lambda: 2}))
both('python index', lambda: tf.switch_case(1, [lambda: 1, lambda: 2]))
both('float index', lambda: tf.switch_case(c(1.), [lambda: 1, lambda: 2]))
both('no branches', lambda: tf.switch_case(c(1), []))
both('no functions', lambda: tf.switch_case(c(1), [1, 2]))
both('no list', lambda: tf.switch_case(c(1), 3))
both('names', lambda: tf.switch_case(c(1), {'a': lambda: 1}))

yes, no = c(True), c(False)
both('case', lambda: tf.case([(no, lambda: 1), (yes, lambda: 2)]))
both('case none', lambda: tf.case([(no, lambda: 1), (no, lambda: 2)]))
both('case default', lambda: tf.case([(no, lambda: 1), (no, lambda: 2)], default=lambda: 3))
both('case first', lambda: tf.case([(yes, lambda: 1), (yes, lambda: 2)]))
both('case exclusive', lambda: tf.case([(yes, lambda: 1), (yes, lambda: 2)], default=lambda: 3, exclusive=True))
both('case one', lambda: tf.case([(no, lambda: 1), (yes, lambda: 2)], default=lambda: 3, exclusive=True))
both('case strict', lambda: tf.case([(yes, lambda: [c(1)]), (no, lambda: [c(2)])], strict=True))
both('case python', lambda: tf.case([(True, lambda: 1), (False, lambda: 2)]))
both('case items', lambda: tf.case([c(1)]))
both('case nothing', lambda: tf.case([]))
both('case number', lambda: tf.case(3))

both('while most', lambda: tf.while_loop(lambda i: i < 9, lambda i: [i + 1], [c(0)], maximum_iterations=2))
both('while most tensor', lambda: tf.while_loop(lambda i: i < 9, lambda i: [i + 1], [c(0)], maximum_iterations=c(3)))
both('while parallel', lambda: tf.while_loop(lambda i: i < 3, lambda i: [i + 1], [c(0)], parallel_iterations=0))
both('while options', lambda: tf.while_loop(lambda i: i < 3, lambda i: [i + 1], [c(0)], parallel_iterations=2,
                                            back_prop=False, swap_memory=True, name='w'))
both('while spec', lambda: tf.while_loop(
    lambda i, x: i < 3, lambda i, x: [i + 1, tf.concat([x, x], 0)], [c(0), c([1])],
    shape_invariants=[tf.TensorSpec([], tf.int32), tf.TensorSpec([None], tf.int32)]))
both('while nested', lambda: tf.while_loop(lambda d, n: d['i'] < 3, lambda d, n: ({'i': d['i'] + 1}, [n[0] * 2]),
                                           ({'i': c(0)}, [c(1)])))


def chosen(i, x):
    return tf.switch_case(i, [lambda: x * x, lambda: tf.sin(x), lambda: x * c(3.) + x ** 3])


def cased(i, x):
    return tf.case([(i < 1, lambda: x * x), (i < 2, lambda: tf.sin(x))], default=lambda: x * c(3.) + x ** 3)


x = c(2.)
for f in (chosen, cased):
    for run in (f, tf.function(f)):
        for i in (0, 1, 5):
            with tf.GradientTape() as outer:
                outer.watch(x)
                with tf.GradientTape() as tape:
                    tape.watch(x)
                    y = run(c(i), x)
                first = tape.gradient(y, x)
            print(f.__name__, i, y.numpy(), first.numpy(), outer.gradient(first, x).numpy())

v = tf.Variable(1)


@tf.function
def writes(i):
    tf.switch_case(i, [lambda: v.assign(10), lambda: v.assign_add(5), lambda: v.assign_sub(1)])
    return v.read_value()


print([writes(c(i)).numpy() for i in (0, 1, 2, 1)])


@tf.function
def in_a_loop(n):
    total = 0.
    for i in tf.range(n):
        total += tf.switch_case(i % 3, [lambda: 1., lambda: 10., lambda: 100.])
    return total


print(in_a_loop(c(7)).numpy())
print(sorted({op.type for op in tf.function(chosen).get_concrete_function(c(0), x).graph.get_operations()}))
