"""Kernels, copies, calls, ops, sums and gaps of an export of Nsight Systems equal those that SQLite itself counts in it."""
import gzip
import os
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import count
import make_nsight
from imported import PROGRAM, run, sql


def check(path: str, made: str) -> str:
    run('import', path, '-o', made)
    truth = sqlite3.connect(path)
    kernels = {row[0]: row[1:] for row in truth.execute(
        'SELECT value, count(*), sum(end - start) FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN StringIds ON id = demangledName GROUP BY 1')}
    found = sql(made, "SELECT name, count(*) AS n, sum(duration_ns) AS ns FROM device WHERE kind = 'kernel' GROUP BY 1")
    assert {row['name']: (row['n'], row['ns']) for row in found} == kernels, (found, kernels)
    copied = truth.execute('SELECT count(*), sum(bytes), sum(end - start) FROM CUPTI_ACTIVITY_KIND_MEMCPY').fetchone()
    one = sql(made, "SELECT count(*) AS n, sum(bytes) AS b, sum(duration_ns) AS ns FROM device WHERE kind = 'memcpy'")[0]
    assert (one['n'], one['b'], one['ns']) == copied, (one, copied)
    calls = truth.execute('SELECT count(*), sum(end - start) FROM CUPTI_ACTIVITY_KIND_RUNTIME').fetchone()
    one = sql(made, "SELECT count(*) AS n, sum(duration_ns) AS ns FROM device WHERE kind NOT IN ('kernel', 'memcpy')")[0]
    assert (one['n'], one['ns']) == calls, (one, calls)
    ops = truth.execute("SELECT count(*), sum(end - start) FROM NVTX_EVENTS WHERE text LIKE 'aten::%'").fetchone()
    one = sql(made, "SELECT count(*) AS n, sum(duration_ns) AS ns FROM ops WHERE op = 'aten::mm'")[0]
    assert (one['n'], one['ns']) == ops, (one, ops)
    work = truth.execute('SELECT deviceId, 0, start, end, correlationId FROM CUPTI_ACTIVITY_KIND_KERNEL UNION ALL '
                         'SELECT deviceId, 0, start, end, correlationId FROM CUPTI_ACTIVITY_KIND_MEMCPY').fetchall()
    shown = sql(made, "SELECT device, start_ns AS s, start_ns + duration_ns AS e, op_id FROM device "
                      "WHERE kind IN ('kernel', 'memcpy')")
    gaps = count.Count.gaps_of([(w['device'], 0, w['s'], w['e'], None) for w in shown])
    assert gaps == count.Count.gaps_of(work), (gaps, count.Count.gaps_of(work))
    # Device work whose launch began inside of a range that is an op.
    inside = truth.execute(
        "SELECT count(*) FROM (SELECT correlationId FROM CUPTI_ACTIVITY_KIND_KERNEL UNION ALL SELECT correlationId FROM "
        "CUPTI_ACTIVITY_KIND_MEMCPY) AS w JOIN CUPTI_ACTIVITY_KIND_RUNTIME AS r ON r.correlationId = w.correlationId "
        "WHERE EXISTS (SELECT 1 FROM NVTX_EVENTS AS n WHERE n.text LIKE 'aten::%' AND r.start BETWEEN n.start AND n.end)").fetchone()[0]
    met = sum(1 for row in shown if row['op_id'])
    assert met == inside, (met, inside)
    spans = truth.execute("SELECT (SELECT count(*) FROM NVTX_EVENTS WHERE text IS NULL OR text NOT LIKE 'aten::%') + "
                          '(SELECT count(*) FROM OSRT_API)').fetchone()[0]
    assert sql(made, 'SELECT count(*) AS n FROM spans')[0]['n'] == spans
    started = int(sqlite3.connect(made).execute("SELECT value FROM meta WHERE key = 'started_ns'").fetchone()[0])
    first = truth.execute('SELECT min(start) FROM NVTX_EVENTS').fetchone()[0]
    assert started == make_nsight.STARTED + first, started
    return f'{sum(k[0] for k in kernels.values())} kernels, gaps of {gaps} ns, {met} of {len(work)} met an op'


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        made = os.path.join(folder, 'made.footlight')
        for name, with_pids in (('new.sqlite', True), ('old.sqlite', False)):
            path = os.path.join(folder, name)
            make_nsight.write(path, 50, with_pids)
            print(check(path, made))
        with open(path, 'rb') as file:
            data = file.read()
        # Packed, cut off, and a database of something else.
        with gzip.open(path + '.gz', 'wb') as packed:
            packed.write(data)
        run('import', path + '.gz', '-o', made)
        for content, words in ((data[:len(data) // 3], ''), (data[:200], '')):
            with open(path, 'wb') as out:
                out.write(content)
            done = subprocess.run([PROGRAM, 'import', path, '-o', made], capture_output=True, text=True)
            assert done.returncode in (0, 2) and 'footlight: ' in done.stderr, done.stderr
        other = os.path.join(folder, 'other.sqlite')
        sqlite3.connect(other).executescript('CREATE TABLE t (a INTEGER); CREATE VIEW StringIds AS SELECT 1 AS id, 2 AS value;')
        done = subprocess.run([PROGRAM, 'import', other, '-o', made], capture_output=True, text=True)
        assert done.returncode == 2 and 'no table StringIds' in done.stderr, done.stderr


if __name__ == '__main__':
    main()
