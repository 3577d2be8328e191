"""Compilations, graphs, phases, reasons and ranks of a folder TORCH_TRACE equal those counted from its log by a little Python."""
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter
from typing import Any

PROGRAM = os.environ.get('FOOTLIGHT_PROGRAM', os.path.join(os.environ.get('FOOTLIGHT_BUILD', ''), 'bin', 'footlight'))
LOGS = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'torch_trace')
SAMPLE = 'dedicated_log_torch_trace_rank_0_sample.log'
PHASES = {'bytecode_tracing': 'dynamo', 'build_guards': 'guards', 'create_aot_dispatcher_function': 'aot'}


def records(path: str) -> list[tuple[dict[str, Any], str]]:
    """Each record's object and payload."""
    found: list[tuple[dict[str, Any], str]] = []
    with open(path, encoding='utf-8') as file:
        for line in file.read().split('\n'):
            if line.startswith('\t'):
                found[-1] = (found[-1][0], found[-1][1] + line[1:] + '\n')
            elif '] {' in line:
                found.append((json.loads(line.split('] ', 1)[1]), ''))
    return found


class Count:
    """What a log says, by compilation."""

    def __init__(self, path: str) -> None:
        self.graphs: Counter[str] = Counter()
        self.times: dict[str, tuple[int, int]] = {}
        self.phases: Counter[tuple[str, str]] = Counter()
        self.reasons: dict[str, str] = {}
        self.guards: Counter[str] = Counter()
        self.spans = self.breaks = 0
        begun: dict[tuple[str, str], int] = {}
        latest: dict[str, Counter[str]] = {}
        for about, payload in records(path):
            native = f'{about.get("frame_id")}/{about.get("frame_compile_id")}'
            kind = str((about.get('artifact') or {}).get('name', next(iter(about))))
            if kind == 'chromium_event':
                event = json.loads(payload)
                now = int(event['ts'] * 1000)
                first, last = self.times.get(native, (now, now))
                self.times[native] = min(first, now), max(last, now)
                self.spans += event['ph'] == 'B'
                name = PHASES.get(event['name'])
                if name and event['ph'] == 'B':
                    begun[native, name] = now
                elif name:
                    self.phases[native, name] += now - begun.pop((native, name))
            elif kind.endswith('_graph') and kind != 'inductor_post_grad_graph':
                self.graphs[native] += 1
            elif kind == 'recompile_reasons':
                self.reasons[native] = payload.split('  #')[0].split(': ', 1)[1].strip()
            elif kind == 'dynamo_cpp_guards_str':
                latest[native] = Counter([native] * len(re.findall(r'^[| ]*\+- [A-Z_0-9]+: ', payload, re.M)))
            elif kind == 'dynamo_graph_break_reason':
                self.breaks += 1
        for one in latest.values():
            self.guards.update(one)


def run(*words: str) -> str:
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def main() -> None:
    truth = Count(os.path.join(LOGS, SAMPLE))
    with tempfile.TemporaryDirectory() as folder:
        made = os.path.join(folder, 'made.footlight')
        run('import', LOGS, '-o', made)
        read = sqlite3.connect(made)
        traces = read.execute('SELECT id, native_id, start_ns, end_ns, error FROM trace').fetchall()
        natives = {row[0]: row[1] for row in traces}
        assert set(natives.values()) == set(truth.times), (natives, truth.times)
        for _, native, start, end, _ in traces:
            # Microseconds with fractions are rounded in a float.
            assert abs(start - truth.times[native][0]) < 1000 and abs(end - truth.times[native][1]) < 1000, native
        assert sum(1 for row in traces if row[4]) == 1, 'one compilation failed'
        graphs = Counter(natives[row[0]] for row in read.execute("SELECT trace FROM trace_graph WHERE stage NOT LIKE 'inductor%'"))
        assert graphs == truth.graphs, (graphs, truth.graphs)
        phases: Counter[tuple[str, str]] = Counter()
        for trace, name, took in read.execute('SELECT trace, name, end_ns - start_ns FROM trace_phase'):
            if name in PHASES.values():
                phases[natives[trace], name] += took
        assert set(phases) == set(truth.phases), (phases, truth.phases)
        assert all(abs(phases[key] - truth.phases[key]) < 2000 for key in phases), (phases, truth.phases)
        why = {natives[row[0]]: row[1] for row in read.execute("SELECT id, why FROM trace WHERE why != ''")}
        assert why == truth.reasons, (why, truth.reasons)
        guards = Counter(natives[row[0]] for row in read.execute('SELECT trace FROM key_leaf'))
        assert guards == truth.guards, (guards, truth.guards)
        assert read.execute('SELECT count(*) FROM decision').fetchone()[0] == truth.breaks
        spans = json.loads(run('sql', made, 'SELECT count(*) AS n FROM spans', '--json'))[0]['n']
        assert spans == truth.spans, (spans, truth.spans)
        resumed = read.execute("SELECT name, options FROM function WHERE kind = 'resume'").fetchall()
        assert resumed == [('step', 'after line 6')], resumed
        misses = set(read.execute('SELECT path, was, now FROM trace_miss'))
        assert misses == {('n', '0', ''), ('y', '4', '5')}, misses
        # A second rank is a second process.
        with open(os.path.join(LOGS, SAMPLE), encoding='utf-8') as file:
            text = file.read()
        for rank in (0, 1):
            with open(os.path.join(folder, f'rank_{rank}.log'), 'w', encoding='utf-8') as out:
                out.write(text.replace('"rank": 0', f'"rank": {rank}'))
        both = os.path.join(folder, 'both.footlight')
        run('import', folder, '-o', both)
        ranks = sqlite3.connect(both).execute('SELECT rank, world FROM process ORDER BY rank').fetchall()
        assert ranks == [(0, 2), (1, 2)], ranks
        # The log alone, its first half, and commands that take recordings.
        assert 'PyTorch log' in run('info', os.path.join(LOGS, SAMPLE))
        assert 'step' in run('report', LOGS)
        half = os.path.join(folder, 'half.log')
        with open(half, 'w', encoding='utf-8') as out:
            out.write(text[:len(text) // 2])
        run('import', half, '-o', made)
    print(f'{len(traces)} compilations, {sum(graphs.values())} graphs, {sum(guards.values())} guards, {spans} spans')


if __name__ == '__main__':
    main()
