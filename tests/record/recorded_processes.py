"""Records programs with the command line, and reads the files that their processes leave."""
import glob
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


class Recorded(unittest.TestCase):

    def setUp(self):
        if 'LD_PRELOAD' in os.environ:
            self.skipTest('the program starts a Python of its own, into which no sanitizer is loaded')
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(textwrap.dedent(text))
        return path

    def run_program(self, *words, **environment):
        kept = {k: v for k, v in os.environ.items() if k not in ('RANK', 'WORLD_SIZE', 'LD_PRELOAD')}
        return subprocess.run([PROGRAM, *words], capture_output=True, text=True, cwd=self.folder, timeout=300,
                              env={**kept, 'FOOTLIGHT_PYTHON': sys.executable, **environment})

    def record(self, text, *options, **environment):
        script = self.write('script.py', text)
        done = self.run_program('record', '-o', 'run.footlight', *options, script, **environment)
        self.assertNotIn('footlight:', done.stderr)
        return done

    def files(self):
        return sorted(os.path.basename(path) for path in glob.glob(os.path.join(self.folder, '*.footlight')))

    def rows(self, file, statement):
        with sqlite3.connect(os.path.join(self.folder, file)) as database:
            return database.execute(statement).fetchall()

    def calls(self, file):
        return self.rows(file, 'SELECT function.name, sum(call_summary.count) FROM call_summary '
                               'JOIN function ON function.id = call_summary.function GROUP BY 1')

    def merged(self, *files):
        done = self.run_program('merge', *files)
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        return done.stdout
