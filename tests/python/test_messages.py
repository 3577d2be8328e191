"""Protobuf messages as Python objects, and graphs as GraphDef."""
import importlib.util
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

    def test_maps_are_changed_in_place(self):
        node = tf.compat.v1.NodeDef(name='n')
        node.attr['T'].type = 1
        node.attr['N'].i = 3
        number = node.attr['N']
        for name in 'abcdefgh':
            node.attr[name].b = True
        str(node)  # which puts the entries in another order
        number.i += 1
        self.assertEqual((node.attr['N'].i, len(node.attr), 'T' in node.attr, 'U' in node.attr), (4, 10, True, False))
        self.assertEqual(sorted(node.attr), sorted(node.attr.keys()))
        self.assertIsNone(node.attr.get('U'))
        node.attr['T'].CopyFrom(node.attr['N'])
        self.assertEqual(dict(node.attr.items())['T'].i, 4)
        del node.attr['N']
        self.assertRaisesRegex(ValueError, 'removed', lambda: number.i)
        with self.assertRaises(KeyError):
            del node.attr['N']
        with self.assertRaisesRegex(ValueError, 'CopyFrom'):
            node.attr['T'] = number
        with self.assertRaises(TypeError):
            node.attr[3]
        function = tf.compat.v1.GraphDef().library.function.add()
        function.ret['out'] = 'x:y:0'
        function.arg_attr[2].attr['a'].s = b'text'
        self.assertEqual((dict(function.ret), list(function.arg_attr)), ({'out': 'x:y:0'}, [2]))
        with self.assertRaises(KeyError):
            function.ret['in']
        self.assertEqual(type(function).FromText(str(function)), function)
        node.attr.clear()
        self.assertEqual(str(node), 'name: "n"\n')

    def test_rows_are_changed_in_place(self):
        graph = tf.compat.v1.GraphDef()
        for name in 'abcde':
            graph.node.add(name=name)
        names = lambda: ''.join(n.name for n in graph.node)
        del graph.node[1]
        del graph.node[-2:]
        self.assertEqual(names(), 'ac')
        self.assertEqual(graph.node.pop().name, 'c')
        graph.node.insert(0, type(graph.node[0])(name='z'))
        graph.node.remove(graph.node[1])
        self.assertEqual(names(), 'z')
        node = graph.node[0]
        node.input.extend(['x', 'y', 'w'])
        node.input[1] = '^y'
        node.input[0:1] = ['p', 'q']
        self.assertEqual(list(node.input), ['p', 'q', '^y', 'w'])
        node.ClearField('input')
        self.assertEqual(len(node.input), 0)
        for wrong, error in ((lambda: graph.node.pop(5), IndexError), (lambda: node.input.remove('x'), ValueError),
                             (lambda: graph.node.__setitem__(0, node), TypeError),
                             (lambda: node.ClearField('colour'), ValueError)):
            self.assertRaises(error, wrong)

    def test_merging_and_texts(self):
        graph, other = tf.compat.v1.GraphDef(), tf.compat.v1.GraphDef()
        graph.node.add(name='a')
        other.node.add(name='b')
        graph.MergeFrom(other)
        graph.MergeFromString(other.SerializeToString())
        graph.MergeFrom(graph)
        self.assertEqual([n.name for n in graph.node], list('abbabb'))
        with self.assertRaisesRegex(ValueError, 'line 2, column'):
            tf.compat.v1.GraphDef.FromText('node { name: "a" }\nnode { colour: 1 }')
        with self.assertRaises(ValueError):
            graph.ParseFromString(b'\xff')
        self.assertEqual(len(graph.node), 6)  # as it was

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


@unittest.skipUnless(importlib.util.find_spec('google') and importlib.util.find_spec('google.protobuf'), 'needs protobuf')
class TextAndJson(unittest.TestCase):
    def test_text_format_reads_and_writes(self):
        from google.protobuf import text_format
        message = graph_def().as_graph_def()
        text = text_format.MessageToString(message)
        kind = type(message)
        self.assertEqual(text_format.Parse(text, kind()), message)
        merged = text_format.Merge('node { name: "a" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } } }', kind())
        self.assertEqual((merged.node[0].name, merged.node[0].attr['dtype'].type), ('a', tf.float32.as_datatype_enum))
        with self.assertRaises(text_format.ParseError):
            text_format.Parse('nothing: 1', kind())
        with tf.Graph().as_default():
            graph = text_format.Parse('node { name: "a" op: "NoOp" }', kind())
            self.assertEqual(tf.import_graph_def(graph, return_elements=['a'], name='')[0].type, 'NoOp')

    def test_json_format_reads_and_writes(self):
        from google.protobuf import json_format
        shape = tf.TensorShape([1, None]).as_proto()
        made = json_format.MessageToDict(shape)
        self.assertEqual(made, {'dim': [{'size': '1'}, {'size': '-1'}]})
        self.assertEqual(json_format.ParseDict(made, type(shape)()), shape)
        self.assertEqual([(field.name, len(value)) for field, value in shape.ListFields()], [('dim', 2)])
        with self.assertRaises(TypeError):
            shape.CopyFrom(object())
