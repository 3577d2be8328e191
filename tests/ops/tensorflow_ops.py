#!/usr/bin/env python3
"""Prints lines of tensorflow_ops.txt: tensorflow_ops.py NAME... with an interpreter that has TensorFlow."""
import sys

from tensorflow.python.framework import dtypes, op_def_registry


def text_of(arg):
    count = arg.number_attr + '*' if arg.number_attr else ''
    if arg.type_list_attr:
        return f'{arg.name}: {arg.type_list_attr}[]'
    return f'{arg.name}: {count}{arg.type_attr or dtypes.as_dtype(arg.type).name}'


for name in sys.argv[1:]:
    op = op_def_registry.get(name)
    if op is None:
        print(name, '| not in TensorFlow')
        continue
    print(name, '|', ', '.join(map(text_of, op.input_arg)), '->', ', '.join(map(text_of, op.output_arg)), '|',
          ' '.join(sorted(attr.name for attr in op.attr)), '|', 'stateful' if op.is_stateful else 'pure')
