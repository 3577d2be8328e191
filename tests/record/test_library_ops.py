"""An eager op that a library runs is of the library's line and of the line of the program that called the library."""
import json
import os

import footlight_program
from folder_case import FolderCase

LIBRARY = """import footlight as tf

def _scaled(value):
    return tf.multiply(value, 2.0)

def update(value, times):
    for _ in range(times):
        value = _scaled(value)
    return value
"""
PROGRAM = """import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'site-packages'))
import footlight as tf
from flax import metric

def helper(x):
    return metric.update(x, 3)

x = tf.ones([2])
x = metric.update(x, 5)
x = helper(x)
x = tf.multiply(x, 2.0)
"""


class LibraryOps(FolderCase):
    def test_the_line_that_called_the_library(self):
        self.write('site-packages/flax/__init__.py', '')
        self.write('site-packages/flax/metric.py', LIBRARY)
        footlight_program.record(self.session, self.write('run.py', PROGRAM), options=['--level', 'ops'])
        rows = json.loads(footlight_program.run('sql', self.session, '--json', (
            "select source, user_source, count(*) as ops from ops where op = 'Mul' group by 1, 2")).stdout)
        found = {(os.path.basename(row['source']), os.path.basename(row['user_source'])): row['ops'] for row in rows}
        self.assertEqual(found, {('metric.py:4', 'run.py:11'): 5, ('metric.py:4', 'run.py:8'): 3,
                                 ('run.py:13', 'run.py:13'): 1})
