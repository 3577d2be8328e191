"""Which lines of which files clang-tidy looks at (packaging/tidy.py), with stand-ins for clang-tidy and ninja."""
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import unittest

from folder_case import FolderCase

SOURCE = os.environ.get('FOOTLIGHT_SOURCE', os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..'))
SCRIPT = os.path.join(os.path.abspath(SOURCE), 'packaging', 'tidy.py')
spec = importlib.util.spec_from_file_location('tidy', SCRIPT)
script = importlib.util.module_from_spec(spec)
spec.loader.exec_module(script)

DIFF = '''diff --git a/engine/a.cpp b/engine/a.cpp
index 1..2 100644
--- a/engine/a.cpp
+++ b/engine/a.cpp
@@ -3 +3,2 @@ int f() {
-old
+new
+newer
@@ -9,2 +10,0 @@ int f() {
-gone
-gone
@@ -20 +19 @@ int f() {
-old
+new
diff --git a/engine/gone.cpp b/engine/gone.cpp
--- a/engine/gone.cpp
+++ /dev/null
@@ -1,3 +0,0 @@
-gone
diff --git a/README.md b/README.md
--- a/README.md
+++ b/README.md
@@ -1 +1 @@
-old
+new
'''


class Tidy(FolderCase):
    def git(self, *arguments):
        subprocess.run(['git', '-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', *arguments], cwd=self.folder,
                       check=True, capture_output=True)

    def tidy(self, *arguments):
        """The exit status, the output, and for each run of clang-tidy its file and its lines."""
        environment = {**os.environ, 'PATH': self.path('bin') + ':' + os.environ['PATH']}
        done = subprocess.run([sys.executable, SCRIPT, 'build/debug', *arguments], cwd=self.folder, env=environment,
                              capture_output=True, text=True)
        calls = []
        if os.path.exists(self.path('calls')):
            with open(self.path('calls'), encoding='utf-8') as file:
                calls = sorted(map(json.loads, file))
            os.remove(self.path('calls'))
        return done.returncode, done.stdout + done.stderr, calls

    def test_lines(self):
        self.assertEqual(script.changed_lines(DIFF), {'engine/a.cpp': [[3, 4], [19, 19]]})

    @unittest.skipUnless(shutil.which('git'), 'git is not installed')
    def test_change(self):
        self.write_program('bin/clang-tidy-16', f'''#!{sys.executable}
import json, sys
lines = next(a for a in sys.argv if a.startswith('--line-filter='))
with open('calls', 'a') as file:
    file.write(json.dumps([sys.argv[-1], json.loads(lines.partition('=')[2])]) + chr(10))
if 'mistake' in open(sys.argv[-1]).read():
    sys.exit('engine/a.cpp:1:1: error: a mistake')
''')
        self.write_program('bin/ninja', '#!/bin/sh\necho "$@" >ninja\n')
        self.write('.gitignore', 'bin\nbuild\ncalls\nninja\n')
        sources = {'engine/a.cpp': '#include "engine/a.h"\n', 'engine/b.cpp': '#include "engine/only.h"\n',
                   'engine/c.cpp': 'int c;\n'}
        for path, text in {**sources, 'engine/a.h': 'int a();\n', 'engine/only.h': 'int only();\n'}.items():
            self.write(path, text)
        self.write('build/debug/compile_commands.json', json.dumps([
            {'directory': self.path('build/debug'), 'file': self.path(path),
             'command': f'c++ -o engine/CMakeFiles/fl_engine.dir/{path}.o -c {path}'} for path in sources]))
        self.git('init', '-q')
        self.git('add', '-A')
        self.git('commit', '-q', '-m', 'first')
        self.write('engine/c.cpp', 'int c;\nint d;\n')
        self.git('commit', '-q', '-a', '-m', 'second')
        # Nothing differs from the last commit, so that is the change.
        lines = [{'name': 'engine/c.cpp', 'lines': [[2, 2]]}]
        self.assertEqual(self.tidy()[::2], (0, [['engine/c.cpp', lines]]))
        with open(self.path('ninja'), encoding='utf-8') as file:
            self.assertEqual(file.read(), '-C build/debug cmake_object_order_depends_target_fl_engine\n')
        # A header is looked at through the file of its name, or one that includes it.
        self.write('engine/a.h', 'int a();\nint b();\n')
        self.write('engine/only.h', 'int none();\n')
        lines = [{'name': 'engine/a.h', 'lines': [[2, 2]]}, {'name': 'engine/only.h', 'lines': [[1, 1]]}]
        self.assertEqual(self.tidy()[::2], (0, [['engine/a.cpp', lines], ['engine/b.cpp', lines]]))
        self.assertEqual([path for path, _ in self.tidy('HEAD~1')[2]], ['engine/a.cpp', 'engine/b.cpp', 'engine/c.cpp'])
        # What is found is shown, and is a failure.
        self.write('engine/a.cpp', '#include "engine/a.h"\nint mistake;\n')
        status, output, _ = self.tidy()
        self.assertEqual(status, 1)
        self.assertIn('engine/a.cpp:1:1: error: a mistake\n', output)
        self.assertIn('looked at: 2, with findings: 1\n', output)
