"""Small modules inside of TensorFlow that libraries of TensorFlow 1 import."""
import importlib
import pickle
import sys
import types
import unittest

import numpy as np

from footlight import _alias

_alias.install()


def inside(path):
    return importlib.import_module('tensorflow.' + path)


class Modules(unittest.TestCase):
    def test_a_module_that_is_wrapped(self):
        wrapper = inside('python.util.module_wrapper').TFModuleWrapper
        module = types.ModuleType('some_module_of_a_library', 'What it is for.')
        module.there = 1
        sys.modules[module.__name__] = made = wrapper(module, 'library', public_apis={'join': ('os.path', 'join')})
        try:
            import os.path
            self.assertIsInstance(made, types.ModuleType)
            self.assertEqual((made.there, made.__doc__, made.join), (1, 'What it is for.', os.path.join))
            made.new = 2
            self.assertEqual(module.new, 2)
            del made.new
            self.assertFalse(hasattr(module, 'new'))
            self.assertIn('join', dir(made))
            self.assertRaises(AttributeError, lambda: made.nowhere)
            self.assertIs(pickle.loads(pickle.dumps(made)), made)
        finally:
            del sys.modules[module.__name__]

    def test_names_that_are_not_documented(self):
        util = inside('python.util.all_util')
        module = types.ModuleType('some_documented_module', 'Words.\n@@listed\n')
        module.listed, module.allowed, module.other, module._own = 1, 2, 3, 4
        sys.modules[module.__name__] = module
        try:
            self.assertEqual(util.make_all(module.__name__), ['listed'])
            util.remove_undocumented(module.__name__, ['allowed'])
            self.assertEqual([hasattr(module, n) for n in ('listed', 'allowed', 'other', '_own')], [True, True, False, True])
            util.reveal_undocumented(module.__name__ + '.other')
            self.assertEqual(module.other, 3)
            self.assertRaises(LookupError, util.reveal_undocumented, 'nowhere.x')
        finally:
            del sys.modules[module.__name__]

    def test_rows_that_are_replaced(self):
        ops, zeros = inside('python.ops.inplace_ops'), np.zeros([3, 2], np.float32)
        np.testing.assert_array_equal(ops.alias_inplace_update(zeros, [0, 2], [[1., 2.], [3., 4.]]), [[1, 2], [0, 0], [3, 4]])
        np.testing.assert_array_equal(ops.alias_inplace_add(zeros, 1, [1., 2.]), [[0, 0], [1, 2], [0, 0]])
        np.testing.assert_array_equal(ops.inplace_sub(zeros, None, zeros + 1), zeros - 1)

    def test_devices_and_messages(self):
        devices = inside('python.client.device_lib').list_local_devices()
        self.assertEqual((devices[0].name, devices[0].device_type), ('/device:CPU:0', 'CPU'))
        message = inside('core.protobuf.struct_pb2').StructuredValue(int64_value=3)
        self.assertEqual(type(message).FromString(message.SerializeToString()).int64_value, 3)
        self.assertIsNone(inside('python.tpu.tpu_function').get_tpu_context().number_of_shards)

    def test_where_hooks_are(self):
        hook = inside('python.training.session_run_hook').SessionRunHook
        self.assertTrue(issubclass(inside('python.training.basic_session_run_hooks').StopAtStepHook, hook))
        self.assertEqual(inside('python.training.monitored_session').Scaffold.__name__, 'Scaffold')
        self.assertEqual(inside('python.training.optimizer').Optimizer.GATE_OP, 1)
