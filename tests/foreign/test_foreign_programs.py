"""Nodes, graphs, edges and lines of a program's text equal those counted from it by a little Python."""
import os
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import count_programs
from imported import PROGRAM, run, sql

TEXTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'programs')


def check(path: str, folder: str) -> str:
    """Compares one text; returns the words of what was equal. Fails with the first difference."""
    truth = count_programs.Count(path)
    made = os.path.join(folder, 'made.footlight')
    run('import', path, '-o', made)
    ops = Counter({row['op']: row['n'] for row in sql(made, 'SELECT op, count(*) AS n FROM nodes GROUP BY 1')})
    captured = ops.pop('captured', 0)
    if path.endswith('.mlir'):
        assert ops.pop('input', 0) == truth.inputs, f'inputs, {truth.inputs}'
    if path.endswith('.fx'):
        ops = Counter({'input': ops['input'], 'node': sum(ops.values()) - ops['input']})
    assert ops == truth.ops, f'nodes: {ops - truth.ops} more, {truth.ops - ops} fewer'
    read = sqlite3.connect(made)
    assert read.execute('SELECT count(*) FROM graph').fetchone()[0] == truth.graphs, f'graphs, {truth.graphs}'
    if truth.edges >= 0:
        edges = read.execute('SELECT count(*) FROM node_input').fetchone()[0]
        assert edges == truth.edges, f'{edges} edges, {truth.edges} in the text'
    # Every graph is that of a function or is run by a node.
    reached = {row[0] for row in read.execute('SELECT graph FROM trace_graph UNION SELECT function_graph FROM node_function')}
    assert len(reached) == truth.graphs, f'{truth.graphs - len(reached)} graphs that nothing runs'
    assert not read.execute('SELECT count(*) FROM dropped').fetchone()[0], 'something was left out'
    with open(path, encoding='utf-8') as file:
        assert (file.read(),) in read.execute('SELECT text FROM file').fetchall(), 'the text'
    return f'{sum(ops.values())} nodes, {captured} captured, {truth.graphs} graphs'


def check_places(folder: str) -> None:
    """Lines of the program, which the texts name, are those of the nodes."""
    for name, op, line in (('places.mlir', 'stablehlo.tanh', 3), ('compiled.hlo', 'dot', 3), ('dynamo.fx', 'matmul', 10)):
        made = os.path.join(folder, 'made.footlight')
        run('import', os.path.join(TEXTS, name), '-o', made)
        found = sqlite3.connect(made).execute(
            'SELECT location.line, file.path FROM node JOIN location ON node.location = location.id '
            'JOIN file ON location.file = file.id WHERE node.op = ?', (op,)).fetchall()
        assert any(row[0] == line and row[1].startswith('/home/user/') for row in found), (name, found)


def check_everywhere(folder: str) -> None:
    """The same file as the argument of commands that take recordings."""
    a, b = os.path.join(TEXTS, 'short.mlir'), os.path.join(TEXTS, 'generic.mlir')
    assert 'StableHLO' in run('info', a), 'info'
    assert 'digraph' in run('export', a, '--format', 'dot'), 'export'
    assert subprocess.run([PROGRAM, 'diff', a, b], capture_output=True).returncode in (0, 1), 'diff'
    assert subprocess.run([PROGRAM, 'diff', a, a], capture_output=True).returncode == 0, 'diff with itself'
    run('report', a, '-o', os.path.join(folder, 'report.md'))


def main() -> None:
    failed = 0
    paths = sys.argv[1:] or [os.path.join(TEXTS, name) for name in sorted(os.listdir(TEXTS))]
    with tempfile.TemporaryDirectory() as folder:
        for path in paths:
            try:
                print(f'{path}: {check(path, folder)}')
            except AssertionError as difference:
                print(f'{path}: DIFFERENT: {str(difference)[:300]}')
                failed += 1
        check_places(folder)
        check_everywhere(folder)
    sys.exit(1 if failed else 0)


if __name__ == '__main__':
    main()
