#!/usr/bin/env python3
"""Records what the programs of this folder compute under TensorFlow: run it with a Python that has TensorFlow and Keras.
With names it prints the numbers of these programs instead."""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))


def main():
    from programs import PROGRAMS as programs
    if sys.argv[1:]:
        for name in sys.argv[1:]:
            print(name, json.dumps(programs[name]()))
        return
    lines = []
    for name, program in programs.items():
        found = json.loads(json.dumps(program()), parse_float=lambda text: float(f'{float(text):.7g}'))
        lines.append(f'{json.dumps(name)}: {json.dumps(found)}')
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'recorded.json'), 'w', encoding='utf-8') as f:
        f.write('{\n' + ',\n'.join(lines) + '\n}\n')


main()
