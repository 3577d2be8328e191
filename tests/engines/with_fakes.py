"""A test that records a script against the fakes of other engines."""
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
import unittest

BUILD = os.environ['FOOTLIGHT_BUILD']
PROGRAM = os.path.join(BUILD, 'bin', 'footlight')
FAKES = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'fakes')


class WithFakes(unittest.TestCase):

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.session = os.path.join(self.folder, 'run.footlight')
        self.fakes = os.path.join(self.folder, 'site-packages')  # where libraries are
        shutil.copytree(FAKES, self.fakes)

    def record(self, text, *options):
        path = os.path.join(self.folder, 'script.py')
        with open(path, 'w', encoding='utf-8') as file:
            file.write(textwrap.dedent(text))
        packages = os.pathsep.join([os.path.join(BUILD, 'python'), self.fakes])
        return subprocess.run([sys.executable, '-m', 'footlight_recorder', '-o', self.session, *options, path],
                              capture_output=True, text=True, env={**os.environ, 'PYTHONPATH': packages}, timeout=120)

    def replace(self, file, old, new):
        """Makes a fake another version of its engine."""
        path = os.path.join(self.fakes, file)
        with open(path, encoding='utf-8') as stream:
            text = stream.read()
        self.assertIn(old, text)
        with open(path, 'w', encoding='utf-8') as stream:
            stream.write(text.replace(old, new))

    def rows(self, query):
        with sqlite3.connect(f'file:{self.session}?mode=ro', uri=True) as db:
            return db.execute(query).fetchall()

    def said(self, *words):
        """What the program prints of the recording with --json."""
        environment = {k: v for k, v in os.environ.items() if k != 'LD_PRELOAD'}
        done = subprocess.run([PROGRAM, *words, '--json'], capture_output=True, text=True, env=environment, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)
