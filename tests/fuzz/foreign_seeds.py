"""Writes the seeds of the fuzz target `foreign` into a folder: a small trace of Kineto's, and pieces of one."""
import json
import os
import sys
from typing import Any

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'foreign'))
import make_kineto


def main() -> None:
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    whole = os.path.join(folder, 'step.json')
    with open(whole, 'w', encoding='utf-8') as out:
        make_kineto.write(out, 1, 0.0, 1, 2, 1.0, True)
    with open(whole, encoding='utf-8') as file:
        events: list[Any] = json.load(file)['traceEvents']
    for number in range(0, 120, 12):
        with open(os.path.join(folder, f'piece{number}.json'), 'w', encoding='utf-8') as out:
            json.dump({'traceEvents': events[number:number + 12]}, out)
    with open(os.path.join(folder, 'host.xplane.pb'), 'wb') as binary:
        binary.write(b'\x0a\x1d\x08\x01\x12\x09/host:CPU\x1a\x0e\x08\x07\x12\x01t\x18\x01\x22\x05\x08\x01\x10\x02\x18')


if __name__ == '__main__':
    main()
