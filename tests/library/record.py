#!/usr/bin/env python3
"""Records what the cases of this folder give under TensorFlow: run it with a Python that has it, with the names of modules."""
import importlib
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)


def main():
    import tensorflow as tf
    import plain
    for name in sys.argv[1:]:
        module = importlib.import_module(name + '_cases')
        lines = [f'{json.dumps(case)}: {json.dumps(plain.result(run, tf))}' for case, run in module.cases(tf).items()]
        with open(os.path.join(HERE, 'recorded', name + '.json'), 'w', encoding='utf-8') as f:
            f.write('{\n' + ',\n'.join(lines) + '\n}\n')


main()
