"""Records programs with the command line, and reads the files that their processes leave."""
import glob
import os

import footlight_program
from folder_case import FolderCase
from footlight_program import ENVIRONMENT


class Recorded(FolderCase):
    def setUp(self):
        if 'LD_PRELOAD' in os.environ:
            self.skipTest('the program starts a Python of its own, into which no sanitizer is loaded')
        super().setUp()

    def run_program(self, *words, **environment):
        kept = {k: v for k, v in ENVIRONMENT.items() if k not in ('RANK', 'WORLD_SIZE')}
        return footlight_program.run(*words, code=None, cwd=self.folder, env={**kept, **environment})

    def record(self, text, *options, **environment):
        script = self.write('script.py', text)
        done = self.run_program('record', '-o', 'run.footlight', *options, script, **environment)
        self.assertNotIn('footlight:', done.stderr)
        return done

    def files(self):
        return sorted(os.path.basename(path) for path in glob.glob(os.path.join(self.folder, '*.footlight')))

    def rows(self, file, statement):
        return footlight_program.rows(self.path(file), statement)

    def calls(self, file):
        return self.rows(file, 'SELECT function.name, sum(call_summary.count) FROM call_summary '
                               'JOIN function ON function.id = call_summary.function GROUP BY 1')

    def merged(self, *files):
        done = self.run_program('merge', *files)
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        return done.stdout
