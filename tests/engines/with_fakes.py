"""A test that runs and records scripts in a folder of its own, with fakes of other engines."""
import json
import os
import shutil
import subprocess
import sys

import footlight_program
from folder_case import FolderCase
from footlight_program import BUILD

FAKES = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'fakes')


class WithFakes(FolderCase):
    installed = tuple(sorted(os.listdir(FAKES)))  # the fakes that a script can import

    def setUp(self):
        super().setUp()
        self.fakes = self.path('site-packages')  # where libraries are
        os.mkdir(self.fakes)
        for name in self.installed:
            shutil.copytree(os.path.join(FAKES, name), os.path.join(self.fakes, name))

    def run_python(self, *words, given=None, environment=None):
        """Runs Python in the folder. `given`: its standard input; `environment`: what differs from that of the test."""
        packages = os.pathsep.join([os.path.join(BUILD, 'python'), self.fakes])
        return subprocess.run([sys.executable, *words], cwd=self.folder, capture_output=True, text=True, input=given,
                              timeout=300, env={**os.environ, 'PYTHONPATH': packages, **(environment or {})})

    def record(self, text, *options):
        script = self.write('script.py', text)
        return self.run_python('-m', 'footlight_recorder', '-o', self.session, *options, script)

    def run_script(self, text, printed=None, *options):
        """Records a script that has to end well, and to print this."""
        done = self.record(text, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        if printed is not None:
            self.assertEqual(done.stdout, printed, done.stderr)

    def replace(self, file, old, new):
        """Makes a fake another version of its engine."""
        path = os.path.join(self.fakes, file)
        with open(path, encoding='utf-8') as stream:
            text = stream.read()
        self.assertIn(old, text)
        with open(path, 'w', encoding='utf-8') as stream:
            stream.write(text.replace(old, new))

    def rows(self, query, name=None):
        return footlight_program.rows(self.path(name or self.session), query)

    def said(self, *words):
        """What the program prints of the recording with --json."""
        return json.loads(footlight_program.run(*words, '--json', cwd=self.folder).stdout)

    def report(self, name=None):
        return self.said('report', name or self.session)
