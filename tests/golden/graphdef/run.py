#!/usr/bin/env python3
"""Runs graphs that TensorFlow wrote, as they are and written again, and compares with what it recorded.

    run.py [NAME...] [--write FOLDER]     with --write, what is written here goes to FOLDER as NAME.pb, for TensorFlow

All have to agree but those that differs.txt names, and those have to differ.
NAME.json has the data: names as fed and fetched, values in row-major order, strings in base64, complex numbers as pairs.
"""
import base64
import json
import math
import os
import sys

import footlight as tf

HERE = os.path.dirname(os.path.abspath(__file__))
GraphDef = tf.compat.v1.GraphDef


def value_of(tensor):
    def scalar(v):
        if tensor['dtype'] == 'string':
            return base64.b64decode(v)
        if tensor['dtype'].startswith('complex'):
            return complex(*(float(part) for part in v))
        return float(v) if isinstance(v, str) else v
    return tf.constant([scalar(v) for v in tensor['data']], tensor['dtype'], shape=tensor['shape'])


def flat(tensor):
    return tf.reshape(tensor, [-1]).numpy().tolist() if tensor.dtype != tf.bfloat16 else flat(tf.cast(tensor, tf.float32))


def near(got, want):
    if isinstance(want, float) or isinstance(want, complex):
        if isinstance(want, complex):
            return near(got.real, want.real) and near(got.imag, want.imag)
        if math.isnan(want) or math.isinf(want):
            return str(got) == str(want)
        return abs(got - want) <= 1e-6 + 1e-4 * abs(want)
    return got == want


def compare(name, got, want):
    want = value_of(want) if isinstance(want, dict) else want
    if got.dtype != want.dtype or got.shape != want.shape:
        raise AssertionError(f'{name} is {got.dtype.name} {got.shape}, not {want.dtype.name} {want.shape}')
    if not all(map(near, flat(got), flat(want))):
        raise AssertionError(f'{name} is {flat(got)}, not {flat(want)}')


def function_of(graph_def, feeds, fetches):
    """As users run a graph of a file: wrap_function, then prune."""
    wrapped = tf.compat.v1.wrap_function(lambda: tf.import_graph_def(graph_def, name=''), [])
    graph = wrapped.graph
    return wrapped.prune([graph.get_tensor_by_name(n) for n in feeds], [graph.get_tensor_by_name(n) for n in fetches])


def check(doc, graph_def):
    fetches = [o['name'] for o in doc['outputs']]
    for case in doc['cases']:
        variables = {v['name']: tf.Variable(value_of(v)) for v in case.get('variables_before', ())}
        feeds = [i['name'] for i in case['inputs']] + list(variables)
        function = function_of(graph_def, feeds, fetches)
        arguments = [value_of(i) for i in case['inputs']] + [v.handle for v in variables.values()]
        for got, want in zip(function(*arguments), case['outputs'], strict=True):
            compare(want['name'], got, want)
        for after in case.get('variables_after', ()):
            compare(after['name'], variables[after['name']].read_value(), after)
        if not variables and case['inputs'] == case['inputs'][:len(doc['inputs'])]:
            check_session(graph_def, case)


def check_session(graph_def, case):
    graph = tf.Graph()
    with graph.as_default():
        tf.import_graph_def(graph_def, name='')
    feeds = {i['name']: value_of(i).numpy() for i in case['inputs']}
    wanted = [o for o in case['outputs'] if o['dtype'] != 'bfloat16']  # which NumPy does not have
    with tf.compat.v1.Session(graph=graph) as session:
        results = session.run([o['name'] for o in wanted], feeds)
    for got, want in zip(results, wanted, strict=True):
        got = got.tolist() if hasattr(got, 'tolist') else got
        compare(want['name'], tf.constant(got, want['dtype'], shape=want['shape']), want)


def written_again(graph_def):
    graph = tf.Graph()
    with graph.as_default():
        tf.import_graph_def(graph_def, name='')
    return graph.as_graph_def()


def check_names(before, after):
    """The same nodes, with the same inputs and functions."""
    def nodes(graph_def):
        return {n.name: (n.op, [i for i in n.input if i[0] != '^'], sorted(i for i in n.input if i[0] == '^'), n.device)
                for n in graph_def.node}
    if nodes(before) != nodes(after):
        differ = [n for n in nodes(before) if nodes(before)[n] != nodes(after).get(n)]
        raise AssertionError(f'written again, nodes differ: {differ[:5]}')
    names = {f.signature.name for f in after.library.function}
    if not names <= {f.signature.name for f in before.library.function}:
        raise AssertionError(f'written again, there are other functions: {sorted(names)}')


def differing():
    with open(os.path.join(HERE, 'differs.txt')) as file:
        return {line.partition(':')[0] for line in file if ':' in line and line[0] != '#'}


def main():
    arguments = sys.argv[1:]
    folder = None
    if '--write' in arguments:
        at = arguments.index('--write')
        folder = arguments[at + 1]
        del arguments[at:at + 2]
    names = arguments or sorted(f[:-5] for f in os.listdir(HERE) if f.endswith('.json'))
    failed = 0
    for name in names:
        problem = None
        try:
            run(name, folder)
        except Exception as error:
            problem = f'{type(error).__name__}: {error}'
        if (problem is None) == (name in differing()):
            failed += 1
            print(f"{name}: {problem or 'agrees, but differs.txt names it'}")
    print(f'{len(names)} graphs, {failed} failed')
    return failed != 0


def run(name, folder):
    with open(os.path.join(HERE, name + '.json')) as file:
        doc = json.load(file)
    with open(os.path.join(HERE, name + '.pb'), 'rb') as file:
        binary = GraphDef.FromString(file.read())
    with open(os.path.join(HERE, name + '.pbtxt')) as file:
        text = GraphDef.FromText(file.read())
    if str(text) != str(binary):
        raise AssertionError('the text and the bytes are not the same graph')
    check(doc, binary)
    again = written_again(binary)
    check_names(binary, again)
    check(doc, GraphDef.FromString(again.SerializeToString()))
    check(doc, GraphDef.FromText(str(again)))
    if folder:
        with open(os.path.join(folder, name + '.pb'), 'wb') as file:
            file.write(again.SerializeToString())


if __name__ == '__main__':
    sys.exit(main())
