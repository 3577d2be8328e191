"""A test with a folder of its own."""
import os
import shutil
import tempfile
import textwrap
import unittest


class FolderCase(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.session = self.path('run.footlight')  # for tests that make one recording

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write(self, name, text):
        """Writes a file in the folder, and makes the folders on the way to it; returns its path."""
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), 'w', encoding='utf-8') as file:
            file.write(textwrap.dedent(text))
        return self.path(name)

    def write_program(self, name, text):
        """Writes a file that can be run."""
        path = self.write(name, text)
        os.chmod(path, 0o755)
        return path
