"""The Keras package on Footlight: every program here computes what it computes under TensorFlow (recorded.json)."""
import importlib.util
import json
import os
import sys
import unittest

if importlib.util.find_spec('keras') is None or importlib.util.find_spec('numpy') is None:
    print('the package keras is not installed: left out')
    sys.exit(77)

from footlight import _alias

_alias.install()
os.environ['KERAS_BACKEND'] = 'tensorflow'
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from programs import PROGRAMS  # noqa: E402

with open(os.path.join(HERE, 'recorded.json'), encoding='utf-8') as f:
    RECORDED = json.load(f)


def differences(found, wanted, path=''):
    """What differs by more than 1e-3, of nested numbers, strings, lists and dicts."""
    if isinstance(wanted, dict):
        if not isinstance(found, dict) or set(found) != set(wanted):
            return [f'{path}: {found!r} instead of {wanted!r}']
        return [d for k in wanted for d in differences(found[k], wanted[k], path + '.' + k)]
    if isinstance(wanted, list):
        if not isinstance(found, list) or len(found) != len(wanted):
            return [f'{path}: {found!r} instead of {wanted!r}']
        return [d for i, w in enumerate(wanted) for d in differences(found[i], w, f'{path}[{i}]')]
    if isinstance(wanted, (int, float)) and not isinstance(wanted, bool) and isinstance(found, (int, float)):
        return [] if abs(found - wanted) <= 1e-3 * max(1, abs(wanted)) else [f'{path}: {found!r} instead of {wanted!r}']
    return [] if found == wanted else [f'{path}: {found!r} instead of {wanted!r}']


class Recorded(unittest.TestCase):
    maxDiff = None


def _add(name, program):
    def test(self):
        found = json.loads(json.dumps(program()))
        self.assertEqual(differences(found, RECORDED[name])[:5], [])
    setattr(Recorded, 'test_' + name, test)


for _name, _program in PROGRAMS.items():
    _add(_name, _program)


class AllRecorded(unittest.TestCase):
    def test_each_record_has_a_program(self):
        self.assertEqual(set(RECORDED), set(PROGRAMS))
