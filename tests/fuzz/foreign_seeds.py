"""Writes the seeds of the fuzz target `foreign` into a folder: small files of each format, and pieces of them."""
import json
import os
import shutil
import sys
from typing import Any

_FOREIGN = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'foreign')
sys.path.insert(0, _FOREIGN)
import make_kineto
import make_nsight
import make_perfetto


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
    programs = os.path.join(_FOREIGN, 'programs')  # HLO, StableHLO and FX
    for name in os.listdir(programs):
        shutil.copy(os.path.join(programs, name), folder)
    torch_trace = os.path.join(_FOREIGN, 'torch_trace')
    for name in os.listdir(torch_trace):
        with open(os.path.join(torch_trace, name), encoding='utf-8') as file:
            lines = file.readlines()
        for number in range(0, min(len(lines), 2000), 200):
            # A record's payload is the lines after it that begin with a tab.
            while number < len(lines) and lines[number].startswith('\t'):
                number += 1
            with open(os.path.join(folder, f'compilations{number}.log'), 'w', encoding='utf-8') as out:
                out.writelines(lines[number:number + 100])
    make_perfetto.write(os.path.join(folder, 'slices.pftrace'), 2)
    make_nsight.write(os.path.join(folder, 'kernels.sqlite'), 2)
    make_nsight.write(os.path.join(folder, 'kernels_of_one.sqlite'), 1, with_pids=False)


if __name__ == '__main__':
    main()
