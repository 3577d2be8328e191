"""Protobuf messages as Python objects, and graphs as GraphDef."""
import subprocess
import sys
import unittest

import footlight as tf


def graph_def():
    @tf.function
    def f(x):
        if tf.reduce_sum(x) > 0:
            return x * 2.5
        return x
    return f.get_concrete_function(tf.TensorSpec([2], tf.float32)).graph


class Messages(unittest.TestCase):
    def test_protobuf_comes_with_the_first_message(self):
        seen = subprocess.run(
            [sys.executable, '-c', 'import footlight as tf\n'
             'print("libprotobuf" in open("/proc/self/maps").read())\n'
             'tf.TensorShape([1]).as_proto()\n'
             'print("libprotobuf" in open("/proc/self/maps").read())\n'], stdout=subprocess.PIPE, text=True).stdout
        self.assertEqual(seen.split(), ['False', 'True'])

    def test_fields(self):
        shape = tf.TensorShape([1, None]).as_proto()
        kind = type(shape)
        self.assertEqual(kind.__name__, 'TensorShapeProto')
        self.assertEqual([d.size for d in shape.dim], [1, -1])
        shape.dim.add(size=7, name='rows')
        shape.dim[0].size = 5
        shape.dim.append(kind.Dim(size=2))
        shape.dim.extend([shape.dim[0]])
        self.assertEqual([d.size for d in shape.dim], [5, -1, 7, 2, 5])
        self.assertEqual((shape.dim[-3].name, len(shape.dim[1:3])), ('rows', 2))
        self.assertEqual(kind.FromString(shape.SerializeToString()), shape)
        self.assertEqual(shape.ByteSize(), len(shape.SerializeToString()))
        other = kind()
        self.assertNotEqual(other, shape)
        other.CopyFrom(shape)
        self.assertEqual(other, shape)
        self.assertEqual(str(kind(unknown_rank=True)), 'unknown_rank: true\n')

    def test_a_part_that_is_gone(self):
        shape = tf.TensorShape([1, 2]).as_proto()
        second = shape.dim[1]
        shape.Clear()
        with self.assertRaisesRegex(ValueError, 'this part of the message was removed'):
            second.size

    def test_refusals(self):
        shape = tf.TensorShape([1]).as_proto()
        kind = type(shape)
        for wrong in (lambda: kind(rank=3), lambda: kind(**{'\ud800': 1}), lambda: shape.HasField('dim'),
                      lambda: setattr(shape.dim[0], 'size', 2 ** 63), lambda: kind.FromString(b'\xff')):
            self.assertRaises(ValueError, wrong)
        for wrong in (lambda: kind(1), lambda: shape.dim.append(shape), lambda: setattr(shape.dim[0], 'size', 'x'),
                      lambda: setattr(shape.dim[0], 'name', 3), lambda: shape.CopyFrom(shape.dim[0]),
                      lambda: kind.FromString('text'), lambda: kind.__base__(), lambda: hash(shape)):
            self.assertRaises(TypeError, wrong)
        for wrong in (lambda: shape.rank, lambda: setattr(shape, 'rank', 1), lambda: setattr(shape, 'dim', [])):
            self.assertRaises(AttributeError, wrong)
        self.assertRaises(IndexError, lambda: shape.dim[1])
        self.assertEqual([d.size for d in shape.dim], [1])

    def test_graphs(self):
        graph = graph_def()
        message = graph.as_graph_def()
        self.assertEqual(type(message).FromString(message.SerializeToString()), message)
        node = next(n for n in message.node if n.op == 'StatelessIf')
        self.assertEqual(node.attr['Tcond'].WhichOneof('value'), 'type')
        self.assertTrue(node.attr['Tcond'].HasField('type') and not node.attr['Tcond'].HasField('i'))
        called = {node.attr[k].func.name for k in ('then_branch', 'else_branch')}
        self.assertEqual({f.signature.name for f in message.library.function}, called)
        self.assertEqual(graph.get_operation_by_name(node.name).node_def, node)
        operation = graph.get_operation_by_name('x')
        self.assertEqual(operation.get_attr('dtype'), tf.float32)
        self.assertEqual([d.size for d in operation.get_attr('shape').dim], [2])
        with self.assertRaisesRegex(ValueError, "has no attribute 'nothing'"):
            operation.get_attr('nothing')


if __name__ == '__main__':
    unittest.main()
