"""The libraries' structure: which links to which, and that nothing with state exists in two of them."""
import collections
import glob
import os
import re
import subprocess
import sys
import unittest

from footlight_program import BUILD, ENVIRONMENT

LIBRARIES = {name: os.path.join(BUILD, 'lib', f'lib{name}.so') for name in ('footlight-record', 'footlight-explain', 'footlight')}


def output_of(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True, env=ENVIRONMENT).stdout


def needed(path):
    """Our own libraries that `path` links to directly."""
    return set(re.findall(r'NEEDED\s+lib(footlight[\w-]*)\.so', output_of('objdump', '-p', path)))


def extension(package, module):
    tag = f'cpython-{sys.version_info.major}{sys.version_info.minor}'
    return glob.glob(os.path.join(BUILD, 'python', package, f'{module}.{tag}*.so'))[0]


class Libraries(unittest.TestCase):

    def test_who_needs_whom(self):
        self.assertEqual(needed(LIBRARIES['footlight-record']), set())
        self.assertEqual(needed(LIBRARIES['footlight-explain']), {'footlight-record'})
        self.assertEqual(needed(LIBRARIES['footlight']), {'footlight-record'})
        self.assertLessEqual(needed(os.path.join(BUILD, 'bin', 'footlight')), {'footlight-record', 'footlight-explain'})
        self.assertEqual(needed(extension('footlight_recorder', '_recorder')), {'footlight-record'})
        self.assertIn('footlight', needed(extension('footlight', '_engine')))

    def test_nothing_with_a_state_is_there_twice(self):
        # nm's letters for variables and thread-locals: B, D. V: inline and template variables, and class tables, which
        # are compared by name. (u exists once in the process, however many libraries contain it.)
        found = collections.defaultdict(list)
        files = [*LIBRARIES.values(), extension('footlight_recorder', '_recorder'), extension('footlight', '_engine')]
        for path in files:
            for line in output_of('nm', '-D', '--defined-only', path).splitlines():
                _, kind, name = line.split(None, 2)
                if kind in 'BDV' and re.match(r'_Z(?!T[VSIT])', name):
                    found[name].append(os.path.basename(path))
        self.assertGreater(len(found), 20)
        self.assertEqual({name: where for name, where in found.items() if len(where) > 1}, {})
        for name in ('_ZN9footlight15recording_levelE', '_ZN9footlight11this_threadE'):
            self.assertEqual(found[name], ['libfootlight-record.so'])
