"""What help() says of the names that scripts use most: each parameter is explained, and the examples print what they say."""
import doctest
import inspect
import linecache
import re
import unittest

import footlight as tf

NAMES = '''function constant Variable GradientTape data.Dataset data.Dataset.from_tensor_slices data.Dataset.map data.Dataset.batch
data.Dataset.shuffle data.Dataset.prefetch cast reduce_sum reduce_mean matmul reshape stack concat where gather
random.uniform nn.softmax while_loop cond TensorSpec nest nest.map_structure map_fn convert_to_tensor Module autograph'''.split()


def named(name):
    found = tf
    for part in name.split('.'):
        found = getattr(found, part)
    return found


class Help(unittest.TestCase):
    def test_examples_print_what_they_say(self):
        for name in NAMES:
            with self.subTest(name=name):
                parsed = doctest.DocTestParser().get_doctest(inspect.getdoc(named(name)), {'tf': tf}, name, None, 0)
                self.assertTrue(parsed.examples, 'there is no example')
                for i, example in enumerate(parsed.examples):  # AutoGraph reads the source there, as in a notebook
                    linecache.cache[f'<doctest {name}[{i}]>'] = (0, None, example.source.splitlines(True), name)
                said = []
                runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
                runner.run(parsed, out=said.append)
                self.assertEqual(runner.failures, 0, ''.join(said))

    def test_every_parameter_is_explained(self):
        for name in NAMES:
            value = named(name)
            if not callable(value):
                continue
            parameters = [p for p in inspect.signature(value).parameters if p != 'self']
            explained = re.findall(r'^  (\w+): \S', inspect.getdoc(value).partition('\nArgs:\n')[2], re.M)
            self.assertEqual(explained, parameters, name)

    def test_lines_fit_a_terminal(self):
        for name in NAMES:
            self.assertLessEqual(max(map(len, inspect.getdoc(named(name)).splitlines())), 120, name)
