"""Whatever arguments a public function gets, it answers, or refuses with a clear message, never an internal error."""
import random
import re
import unittest

import footlight as tf

X = tf.constant([[1., 2.], [3., 4.]])
ODD = [None, True, 3, -1, 0, 2.5, 'a', b'a', '\ud800', [], [1], [[1., 2.]], ['a'], (), {}, tf.float32, tf.TensorShape([2]),
       tf.TensorShape(None), X, tf.constant(1), tf.constant(['a', 'b']), tf.constant([True]), tf.zeros([0]), [X, X], [None],
       object(), tf.Variable(1.)]
# By the kind of parameter in a function's help: values that fit it, most of the time.
FITTING = {
    'a tensor': [X, tf.constant(1), tf.constant([0, 1]), tf.constant(['a', 'b']), tf.constant([True]), 1, 2.5, [1., 2.],
                 tf.zeros([0]), tf.complex(X, X), tf.ones([1, 2, 2, 1]), tf.ones([2, 2, 2])],
    'a list of tensors': [[X, X], [], [1], [None], X],
    'a tensor or a list of tensors': [[X, X], X, [], [[1]]],
    'an int': [0, 1, -1, 2],
    'an int or several': [0, [0], [1, 1], [], [1, 1, 1, 1]],
    'a bool': [True, False],
    'a float': [0.5, 1],
    'a str': ['a', 'SAME', '', 'NHWC'],
    'a dtype': [tf.float32, tf.int32, tf.string],
    'a shape': [[2], [], tf.constant([2]), tf.TensorShape(None), [0]],
    'a value': ODD}


def public_functions():
    found, seen, todo = {}, set(), [('tf', tf)]
    while todo:
        name, module = todo.pop()
        if id(module) in seen:
            continue
        seen.add(id(module))
        for leaf, value in vars(module).items():
            if type(value) is type(tf.add):
                found.setdefault(id(value), (name + '.' + leaf, value))
            elif getattr(value, '__name__', '').startswith('footlight.') and hasattr(value, '__path__'):
                todo.append((name + '.' + leaf, value))
    # Skips functions that touch files, and names with an underscore, which only the library itself calls.
    return sorted((f for f in found.values() if not re.search(r'write|file|\._', f[0])), key=lambda f: f[0])


def parameters(function):
    """(name, kind, has a default), from the help."""
    for line in function.__doc__.split('Args:')[1].splitlines():
        match = re.match(r'\s*(\w+): (an? [a-z ]+?)(?: or None)?(; .* when it is not given)?\.(?: |$)', line)
        if match and match[2] in FITTING:
            yield match[1], match[2], bool(match[3])


class Odd(unittest.TestCase):
    def test_every_function(self):
        functions = public_functions()
        self.assertGreater(len(functions), 300)
        fitted = 0
        for name, function in functions:
            draw = random.Random(name)
            known = list(parameters(function))
            for _ in range(12):
                given = {parameter: draw.choice(ODD if draw.random() < .2 else FITTING[kind])
                         for parameter, kind, default in known if not default or draw.random() < .4}
                for call in (function, tf.function(lambda **given: function(**given), autograph=False)):
                    try:
                        call(**given)
                        fitted += 1
                    except tf.errors.InternalError as error:
                        self.fail(f'{name}({given}): {error}')
                    except Exception:
                        pass
        self.assertGreater(fitted, 1000)  # else the test tried almost nothing
