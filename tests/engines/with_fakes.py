"""A test that runs and records scripts in a folder of its own, with fakes of other engines."""
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
    installed = tuple(sorted(os.listdir(FAKES)))  # the fakes that a script can import

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.session = self.path('run.footlight')
        self.fakes = self.path('site-packages')  # where libraries are
        os.mkdir(self.fakes)
        for name in self.installed:
            shutil.copytree(os.path.join(FAKES, name), os.path.join(self.fakes, name))

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        """Writes a file of the folder; returns its path."""
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), 'w', encoding='utf-8') as file:
            file.write(textwrap.dedent(text))
        return self.path(name)

    def run_python(self, *words, given=None, environment=None):
        """Runs Python in the folder. `given`: its standard input; `environment`: what differs from that of the test."""
        packages = os.pathsep.join([os.path.join(BUILD, 'python'), self.fakes])
        return subprocess.run([sys.executable, *words], cwd=self.folder, capture_output=True, text=True, input=given,
                              timeout=300, env={**os.environ, 'PYTHONPATH': packages, **(environment or {})})

    def record(self, text, *options):
        script = self.write('script.py', text)
        return self.run_python('-m', 'footlight_recorder', '-o', self.session, *options, script)

    def replace(self, file, old, new):
        """Makes a fake another version of its engine."""
        path = os.path.join(self.fakes, file)
        with open(path, encoding='utf-8') as stream:
            text = stream.read()
        self.assertIn(old, text)
        with open(path, 'w', encoding='utf-8') as stream:
            stream.write(text.replace(old, new))

    def rows(self, query, name=None):
        with sqlite3.connect(f'file:{self.path(name or self.session)}?mode=ro', uri=True) as db:
            return db.execute(query).fetchall()

    def said(self, *words):
        """What the program prints of the recording with --json."""
        environment = {k: v for k, v in os.environ.items() if k != 'LD_PRELOAD'}
        done = subprocess.run([PROGRAM, *words, '--json'], cwd=self.folder, capture_output=True, text=True, env=environment,
                              timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def report(self, name=None):
        return self.said('report', name or self.session)
