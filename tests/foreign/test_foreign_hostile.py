"""Hostile and damaged traces: one clear error, or a recording that says what it left out; never a crash."""
import gzip
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
from typing import Any

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
PROGRAM = os.environ.get('FOOTLIGHT_PROGRAM', os.path.join(os.environ.get('FOOTLIGHT_BUILD', ''), 'bin', 'footlight'))
WHOLE: dict[str, Any] = {'ph': 'X', 'name': 'a', 'cat': 'cpu_op', 'pid': 1, 'tid': 1, 'ts': 5, 'dur': 2}


def trace(*events: Any, **more: Any) -> str:
    return json.dumps({**more, 'traceEvents': list(events)})


def event(**changed: Any) -> dict[str, Any]:
    return {**WHOLE, **changed}


# Its only frame has no place and is its own parent.
CIRCLE = """HloModule m

StackFrames
2 {file_location_id=9 parent_frame_id=3}

ENTRY main {
  p = f32[4]{0} parameter(0), metadata={op_name="x" stack_frame_id=2}
  ROOT a = f32[4]{0} add(p, p)
}
"""
MANY = trace(*[event(ts=i) for i in range(400)])
# Input, exit code, what is on stderr; a recording is made where the code is 0.
CASES: dict[str, tuple[bytes, int, str]] = {
    'whole': (trace(event()).encode(), 0, '1 ops'),
    'cut off': (MANY[:9000].encode(), 0, 'ends too early'),
    'cut off in the first event': (b'{"traceEvents": [{"ph": "X", "name": "a', 2, 'no event could be read'),
    'a list that never ends': (b'[' + json.dumps(WHOLE).encode() + b',', 0, '1 ops'),
    'unterminated string': (b'{"traceEvents": [' + json.dumps(WHOLE).encode() + b', {"ph": "X", "name": "a}]}', 0,
                            'ends too early'),
    'nested deep': (b'{"traceEvents": [' + json.dumps(WHOLE).encode() + b', {"args": ' + b'[' * 100_000, 0, 'damaged'),
    'wrong types': (trace(event(), event(ts='soon'), event(ts=None), event(dur=[]), event(args=7), 12, None,
                          'x').encode(), 0, 'they have no time'),
    'strings for numbers': (trace(event(ts='17.5', dur='3', pid='one', tid='two')).encode(), 0, '1 ops'),
    'negative durations': (trace(event(dur=-5), event()).encode(), 0, 'they were negative'),
    'huge numbers': (trace(event(ts=1e300), event(), event(dur=9.2e15), event(ts=10 ** 30)).encode(), 0,
                     'not imported'),
    'nothing in it': (trace().encode(), 2, 'no trace event'),
    'duplicate ids': (trace(*[event(args={'External id': 1, 'correlation': 1}, cat=c)
                              for c in ('cpu_op', 'cpu_op', 'cuda_runtime', 'cuda_runtime', 'kernel',
                                        'kernel')]).encode(),
                      0, '4 device events'),
    'ends without begins': (trace(event(), {'ph': 'E', 'ts': 9, 'pid': 1, 'tid': 1}).encode(), 0, 'nothing had begun'),
    'begins without ends': (trace(event(), {'ph': 'B', 'name': 'b', 'ts': 9, 'pid': 1, 'tid': 1}).encode(), 0,
                            '1 spans'),
    'gzip cut off': (gzip.compress(MANY.encode())[:-30], 0, 'end too early'),
    'gzip damaged': (gzip.compress(b'{"traceEvents": [') + b'\x1f\x8b\x08 no gzip', 2, 'footlight: '),
    'no trace': (b'{"a": 1}', 2, 'it knows Chrome or Kineto JSON'),
    'empty': (b'', 2, 'it knows'),
    'a file of this machine': (trace(event(), event(cat='python_function', name='/etc/hostname(1): f')).encode(),
                                       0, '1 ops'),
    'bad escapes': (b'{"traceEvents": [{"ph": "X", "name": "\\ud800\\u00zz\\x", "ts": 1, "cat": "cpu_op"}]}', 0,
                    '1 ops'),
    'frames in a circle': (CIRCLE.encode(), 0, ''),
    'damaged XPlane': (b'\x0a\x40\x12\x09/host:CPU\x1a\xff\xff\xff\xff\x0f', 2, 'damaged'),
}


def main() -> None:
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, (content, code, words) in CASES.items():
            source, made = os.path.join(folder, 'trace'), os.path.join(folder, 'made.footlight')
            with open(source, 'wb') as file:
                file.write(content)
            done = subprocess.run([PROGRAM, 'import', source, '-o', made], capture_output=True, text=True)
            right = done.returncode == code and words in done.stderr and os.path.exists(made) == (code == 0)
            if right and code == 0:
                again = subprocess.run([PROGRAM, 'info', made, '--json'], capture_output=True, text=True)
                texts = sqlite3.connect(made).execute('SELECT text FROM file').fetchall()
                right = again.returncode == 0 and json.loads(again.stdout)['damage'] == '' and \
                    not any(t[0] and t[0].encode() != content for t in texts)
            if not right:
                failed += 1
                print(f'{name}: exit code {done.returncode}, {done.stderr[:300]!r}')
            if os.path.exists(made):
                os.remove(made)
            leftover = [n for n in os.listdir(folder) if n != 'trace']
            assert not leftover, leftover
    print(f'{len(CASES)} inputs, {failed} wrong')
    sys.exit(1 if failed else 0)


if __name__ == '__main__':
    main()
