"""tf.Module: what its name scope is."""
import unittest

import footlight as tf


class Unprepared(tf.Module):
    def __init__(self):
        pass  # Module.__init__ is not called


class NameScope(unittest.TestCase):
    def test_is_one_object(self):
        for module in (tf.Module(name='layer'), Unprepared()):
            scope = module.name_scope
            self.assertIs(module.name_scope, scope)
            with scope, scope:
                self.assertEqual(tf.Variable(1., name='w').name, scope.name + 'w:0')
        self.assertEqual(scope.name, 'unprepared/')

    def test_is_no_part_of_the_module(self):
        module = tf.Module(name='layer')
        module.w = tf.Variable(1.)
        module.name_scope
        self.assertEqual([v is module.w for v in module.variables], [True])
        self.assertEqual(list(module.submodules), [])
