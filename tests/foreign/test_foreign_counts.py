"""Kernels, ops, sums, gaps and ranks of an imported trace equal those counted from the JSON by a little Python."""
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
from typing import Any

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import count
import make_kineto

PROGRAM = os.environ.get('FOOTLIGHT_PROGRAM', os.path.join(os.environ.get('FOOTLIGHT_BUILD', ''), 'bin', 'footlight'))


def sql(recording: str, statement: str) -> list[dict[str, Any]]:
    out = subprocess.run([PROGRAM, 'sql', recording, statement, '--json', '--limit', '0'], capture_output=True,
                         text=True)
    assert out.returncode == 0, out.stderr
    rows: list[dict[str, Any]] = json.loads(out.stdout)
    return rows


def table(rows: list[dict[str, Any]], value: str) -> dict[str, int]:
    return {str(row['name']): int(row[value]) for row in rows}


def check(trace: str) -> str:
    """Compares one trace; returns the words of what was equal. Fails with the first difference."""
    truth = count.Count(trace)
    with tempfile.TemporaryDirectory() as folder:
        made = os.path.join(folder, 'made.footlight')
        done = subprocess.run([PROGRAM, 'import', trace, '-o', made], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        ops = sql(made, 'SELECT op AS name, count(*) AS n, sum(duration_ns) AS ns FROM ops GROUP BY 1')
        assert table(ops, 'n') == truth.ops, 'ops'
        assert table(ops, 'ns') == truth.op_ns, 'times of ops'
        kernels = sql(made, "SELECT name, count(*) AS n, sum(duration_ns) AS ns FROM device "
                            "WHERE kind = 'kernel' GROUP BY 1")
        assert table(kernels, 'n') == truth.kernels, 'kernels'
        assert table(kernels, 'ns') == truth.kernel_ns, 'times of kernels'
        work = sql(made, "SELECT device, start_ns AS s, start_ns + duration_ns AS e, op_id, bytes FROM device "
                         "WHERE kind IN ('kernel', 'memcpy', 'memset')")
        assert len(work) == truth.work, 'device work'
        assert sum(int(w['bytes'] or 0) for w in work) == truth.bytes, 'bytes'
        assert sum(1 for w in work if w['op_id']) == truth.met, 'kernels that met an op'
        gaps = count.Count.gaps_of([(w['device'], 0, w['s'], w['e'], None) for w in work])
        assert gaps == truth.gaps, 'gaps'
        said = truth.whole.get('distributedInfo') or {}
        ranks = sqlite3.connect(made).execute('SELECT rank, world FROM process').fetchall()
        assert ranks == [(int(said.get('rank', 0)), int(said.get('world_size', 1)))], 'rank'
    return (f'{sum(truth.ops.values())} ops, {sum(truth.kernels.values())} kernels of '
            f'{sum(truth.kernel_ns.values())} ns, '
            f'gaps of {truth.gaps} ns, {truth.met} of {truth.work} met an op')


def main() -> None:
    traces = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        if not traces:
            for name, options in (('plain.json', ['--steps', '7']),
                                  ('packed.json.gz', ['--steps', '5', '--rank', '3', '--world', '8']),
                                  ('bare.json', ['--steps', '3', '--no-stacks'])):
                traces.append(os.path.join(folder, name))
                sys.argv = ['make_kineto.py', traces[-1], *options]
                make_kineto.main()
        failed = 0
        for trace in traces:
            try:
                print(f'{trace}: {check(trace)}')
            except AssertionError as difference:
                print(f'{trace}: DIFFERENT: {str(difference)[:300]}')
                failed += 1
    sys.exit(1 if failed else 0)


if __name__ == '__main__':
    main()
