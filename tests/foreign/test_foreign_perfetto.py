"""Slices, sums, counters and times of a Perfetto trace equal those counted from its packets by a little Python."""
import os
import re
import sqlite3
import struct
import subprocess
import sys
import tempfile
import zlib
from collections import Counter
from typing import Any, Iterator

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import make_perfetto
from imported import PROGRAM, run, sql
from wire import fields

Fields = dict[int, list[Any]]


def packets(data: bytes) -> Iterator[Fields]:
    for one in fields(data).get(1, []):
        read = fields(one)
        if 50 in read:
            yield from packets(zlib.decompress(read[50][0]))
        else:
            yield read


class Count:
    """Slices and their sums by name, instants, values of counters."""

    def __init__(self, data: bytes) -> None:
        self.slices: Counter[str] = Counter()
        self.ns: Counter[str] = Counter()
        self.values: Counter[float] = Counter()
        self.flows = 0
        names: dict[int, str] = {}
        open_: dict[int, list[tuple[str, int]]] = {}
        now = 0
        for packet in packets(data):
            for interned in packet.get(12, []):
                for name in fields(interned).get(2, []):
                    names[fields(name)[1][0]] = fields(name)[2][0].decode()
            if 11 not in packet:
                continue
            event = fields(packet[11][0])
            time = packet[8][0]
            if packet.get(58) == [64]:
                now += time
                time = make_perfetto.BOOT + now * 1000
            track, kind = event.get(11, [11])[0], event[9][0]
            name = event[23][0].decode() if 23 in event else names.get(event.get(10, [0])[0], '')
            self.flows += 47 in event
            if kind == 1:
                open_.setdefault(track, []).append((name, time))
            elif kind == 2:
                name, start = open_[track].pop()
                self.slices[name] += 1
                self.ns[name] += time - start
            elif kind == 3:
                self.slices[name] += 1
            else:
                self.values[float(event[30][0]) if 30 in event else struct.unpack('<d', event[44][0])[0]] += 1


def check(path: str, made: str) -> str:
    with open(path, 'rb') as file:
        truth = Count(file.read())
    run('import', path, '-o', made)
    spans = sql(made, 'SELECT name, count(*) AS n, sum(duration_ns) AS ns FROM spans GROUP BY 1')
    assert {row['name']: row['n'] for row in spans} == truth.slices, (spans, truth.slices)
    assert {row['name']: row['ns'] for row in spans if row['ns']} == {k: v for k, v in truth.ns.items() if v}, (spans, truth.ns)
    values = sql(made, 'SELECT value, count(*) AS n FROM counters GROUP BY 1')
    assert {row['value']: row['n'] for row in values} == truth.values, (values, truth.values)
    return f'{sum(truth.slices.values())} slices of {sum(truth.ns.values())} ns, {sum(truth.values.values())} values'


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        trace, made = os.path.join(folder, 'trace.pftrace'), os.path.join(folder, 'made.footlight')
        make_perfetto.write(trace, 40)
        print(check(trace, made))
        read = sqlite3.connect(made)
        started = int(read.execute("SELECT value FROM meta WHERE key = 'started_ns'").fetchone()[0])
        assert started == make_perfetto.REAL, started
        names = {row[0] for row in read.execute('SELECT name FROM track')}
        assert {'trainer', 'main', 'loader', 'queue'} <= names, names
        # What this program exports comes back with the same slices.
        back, again = os.path.join(folder, 'back.pftrace'), os.path.join(folder, 'again.footlight')
        run('export', made, '--format', 'perfetto', '-o', back)
        print(check(back, again))
        with open(trace, 'rb') as whole, open(back, 'wb') as part:
            part.write(whole.read()[:2000])
        done = subprocess.run([PROGRAM, 'import', back, '-o', again], capture_output=True, text=True)
        assert done.returncode == 0 and 'ends too early' in done.stderr, done.stderr
        assert 'Perfetto' in run('info', trace)
        # Spans are compared by name, a recording with itself too.
        more = os.path.join(folder, 'more.pftrace')
        make_perfetto.write(more, 60)
        both = run('compare', trace, more)
        assert 'hold spans only' in both and re.search(r'more often +40 -> 60 .* step\n', both), both
        same = run('compare', trace, trace)
        assert re.search(r'same +40 -> 40 .*\+0 ns +step\n', same), same


if __name__ == '__main__':
    main()
