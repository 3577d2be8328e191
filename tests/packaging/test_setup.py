"""What the entry scripts do before building: missing packages, finding Pythons, configuring.

Works on a copy of packaging/ with stand-ins for dpkg-query, id, sudo, apt-get, cmake, ninja and Pythons; these record
how they are called.
"""
import os
import shutil
import subprocess
import unittest

from folder_case import FolderCase

SOURCE = os.environ.get('FOOTLIGHT_SOURCE', os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..'))
LIST = '''# A comment with [words] in it.
[build]
alpha    # compiles
beta     # links
[app]
gamma
[test]
delta
'''
STANDINS = {
    'dpkg-query': 'case " $INSTALLED $(cat "$CALLS.installed" 2>/dev/null) " in *" ${@: -1} "*) echo -n installed ;; '
                  '*) exit 1 ;; esac',
    'id': 'echo $USER_ID',
    'sudo': 'echo "sudo $*" >>"$CALLS"; [ "$MAY_SUDO" = yes ] || exit 1; [ "$1" = -n ] && shift; exec "$@"',
    'apt-get': 'echo "apt-get $*" >>"$CALLS"; case "$*" in *install*) [ "$REACHABLE" = yes ] || { echo "E: Unable to '
               'fetch" >&2; exit 100; }; echo "Setting up alpha (1.0)"; echo "alpha beta gamma" >>"$CALLS.installed" ;; esac',
}


class Setup(FolderCase):
    def setUp(self):
        super().setUp()
        shutil.copytree(os.path.join(SOURCE, 'packaging'), self.path('packaging'))
        self.write('packaging/dependencies.txt', LIST)
        for name, body in STANDINS.items():
            self.write_program(f'bin/{name}', f'#!/bin/bash\n{body}\n')
        self.calls = self.path('calls')

    def install(self, *groups, installed='', user=0, sudo='no', reachable='yes'):
        script = f". packaging/common.sh; install_packages {' '.join(groups)}"
        process = subprocess.run(['bash', '-c', script], cwd=self.folder, stdin=subprocess.DEVNULL, text=True,
                                 capture_output=True, env=dict(
                                     os.environ, PATH=self.path('bin') + ':/usr/bin:/bin', CALLS=self.calls,
                                     INSTALLED=installed, USER_ID=str(user), MAY_SUDO=sudo, REACHABLE=reachable))
        calls = ''
        if os.path.exists(self.calls):
            with open(self.calls) as f:
                calls = f.read()
        return process, calls

    def test_quiet_when_nothing_is_missing(self):
        process, calls = self.install('build', 'app', installed='alpha beta gamma')
        self.assertEqual((process.returncode, process.stdout, process.stderr, calls), (0, '', '', ''))

    def test_root_installs_what_is_missing_only(self):
        process, calls = self.install('build', 'app', installed='beta')
        self.assertEqual(process.returncode, 0)
        self.assertIn('2 packages: alpha gamma', process.stdout)
        self.assertIn('install --no-install-recommends alpha gamma\n', calls)
        self.assertIn('alpha (1.0)', process.stdout)

    def test_groups(self):
        process, calls = self.install('test', reachable='yes')
        self.assertIn('install --no-install-recommends delta\n', calls)
        self.assertNotIn('alpha', calls)

    def test_sudo_is_used_where_it_may_be(self):
        process, calls = self.install('app', user=1000, sudo='yes')
        self.assertEqual(process.returncode, 0, process.stderr)
        self.assertIn('sudo -n env DEBIAN_FRONTEND=noninteractive apt-get', calls)

    def test_says_what_is_missing_where_it_may_not_install(self):
        process, calls = self.install('build', 'app', installed='beta', user=1000)
        self.assertEqual(process.returncode, 1)
        self.assertNotIn('apt-get', calls)
        self.assertIn('  alpha\n  gamma\n', process.stderr)
        self.assertIn('apt-get install --no-install-recommends alpha gamma', process.stderr)

    def test_says_what_is_missing_without_a_package_source(self):
        process, calls = self.install('build', reachable='no')
        self.assertEqual(process.returncode, 1)
        self.assertIn('E: Unable to fetch', process.stderr)
        self.assertIn('alpha beta', process.stderr)

    def script(self, path, body):
        return self.write_program(path, f'#!/bin/bash\n{body}\n')

    def run_script(self, name, *arguments, **environment):
        """Runs an entry script with stand-ins for the build tools; returns its calls of cmake and ninja."""
        self.script('bin/cmake', 'echo "cmake $*" >>"$CALLS"; mkdir -p build/release; touch build/release/build.ninja')
        self.script('bin/ninja', 'echo "ninja $*" >>"$CALLS"')
        python = self.script('bin/python', '[ "$1" = -m ] && [ "$2" = venv ] && { mkdir -p "$3/bin"; cp "$0" "$3/bin/python"; }; exit 0')
        if os.path.exists(self.calls):
            os.remove(self.calls)
        process = subprocess.run(
            ['bash', 'packaging/' + name, *arguments], cwd=self.folder, stdin=subprocess.DEVNULL, text=True, capture_output=True,
            env=dict(PATH=self.path('bin') + ':/usr/bin:/bin', CALLS=self.calls, USER_ID='0', REACHABLE='no',
                     INSTALLED='alpha beta gamma delta', FOOTLIGHT_PYTHON=python, HOME=self.folder, **environment))
        if not os.path.exists(self.calls):
            return process, ''
        with open(self.calls) as f:
            return process, f.read()

    def test_help_and_unknown_options_set_nothing_up(self):
        for name, line in (('run.sh', 'packaging/run.sh script.py [ARGUMENTS...]'),
                           ('test.sh', 'packaging/test.sh thorough [parts...]')):
            for option in ('--help', '-h'):
                process, calls = self.run_script(name, option)
                self.assertEqual((process.returncode, process.stderr, calls), (0, '', ''))
                self.assertIn(line, process.stdout)
                self.assertNotIn('#', process.stdout)
            process, calls = self.run_script(name, '--no-such')
            self.assertEqual((process.returncode, process.stdout, calls), (2, '', ''))
            self.assertIn('packaging/%s has no option --no-such; packaging/%s --help' % (name, name), process.stderr)
        process, calls = self.run_script('run.sh', '--view')
        self.assertEqual((process.returncode, calls), (2, ''))
        self.assertIn('--view needs a value', process.stderr)
        self.assertFalse(os.path.exists(self.path('build')))
        # A script ends the options: what follows is its own.
        process, calls = self.run_script('run.sh', '--theme', 'dark', 'script.py', '--no-such', '--help')
        self.assertIn('ninja', calls)

    def test_run_builds_only_what_runs_here(self):
        process, calls = self.run_script('run.sh')
        self.assertIn('there is no display', process.stderr)
        self.assertIn('-DFOOTLIGHT_ONE_PYTHON=ON -DFOOTLIGHT_TESTS=OFF -DFOOTLIGHT_ISAS=native\n', calls)
        self.assertRegex(calls, r'ninja -j \d+ -C build/release product\n')
        _, calls = self.run_script('run.sh')
        self.assertNotIn('cmake', calls)  # configured only once

    def test_run_leaves_a_whole_tree_whole(self):
        _, calls = self.run_script('run.sh')
        self.script('bin/ctest', 'exit 0')
        self.script('bin/nvcc', 'exit 0')
        _, calls = self.run_script('test.sh', 'release')
        self.assertRegex(calls, '--preset release .*-DFOOTLIGHT_TESTS=ON -DFOOTLIGHT_ONE_PYTHON=OFF -DFOOTLIGHT_ISAS=baseline')
        self.assertRegex(calls, r'ninja -j \d+ -C build/release all\n')
        _, calls = self.run_script('run.sh')
        self.assertNotIn('cmake', calls)
        self.assertRegex(calls, r'ninja -j \d+ -C build/release product\n')

    def test_tidy_builds_nothing(self):
        process, calls = self.run_script('test.sh', 'tidy')
        self.assertEqual(process.returncode, 0, process.stderr)
        self.assertIn('cmake --preset debug', calls)
        self.assertNotIn('ninja', calls)

    def test_another_active_environment_is_looked_at(self):
        self.run_script('run.sh')
        _, calls = self.run_script('run.sh', VIRTUAL_ENV='/elsewhere')
        self.assertIn('cmake --preset release', calls)
        self.assertRegex(calls, '-DFOOTLIGHT_PYTHONS=/elsewhere/bin/python3;[^ ]*/python -DFOOTLIGHT_ONE_PYTHON=ON')

    def test_interpreters_that_are_named_are_all_built_for(self):
        _, calls = self.run_script('run.sh', FOOTLIGHT_PYTHONS='/a/python3;/b/python3')
        self.assertIn('-DFOOTLIGHT_PYTHONS=/a/python3;/b/python3 -DFOOTLIGHT_ONE_PYTHON=OFF', calls)

    def test_the_slowest_tests_are_named(self):
        for tool in ('ctest', 'nvcc'):
            self.script('bin/' + tool, 'for i in $(seq 12); do echo "$i/12 Test #$i: test_$i ......   Passed   $i.50 sec"; done\n'
                                       'echo "100% tests passed, 0 tests failed out of 12"')
        process, _ = self.run_script('test.sh', 'release')
        slowest = process.stdout.partition('the slowest tests of release\n')[2].split('\n')
        self.assertEqual(slowest[:2] + slowest[9:10], ['   12.50 s  test_12', '   11.50 s  test_11', '   3.50 s  test_3'])
        self.assertNotIn('test_2', ' '.join(slowest[10:]))


class Pythons(FolderCase):
    """engine/python/find_python.cmake run as a script, with stand-ins for interpreters."""

    def python(self, path, version, headers=1, free_threaded=0):
        return self.write_program(
            path, f'#!/bin/sh\necho "{version}|/include|.so|{self.path(path)}|{headers}|{free_threaded}"\n')

    def find(self, *options, **environment):
        found = subprocess.run(
            ['cmake', *options, '-P', os.path.join(SOURCE, 'engine', 'python', 'find_python.cmake')], text=True,
            capture_output=True, env=dict(PATH=os.environ['PATH'], HOME=self.folder, **environment))
        self.assertEqual(found.returncode, 0, found.stderr)
        lines = found.stdout.splitlines()
        return [line for line in lines if not line.startswith('--')], [line for line in lines if line.startswith('--')]

    def test_a_list_is_taken_as_it_is(self):
        given = [self.python('a/python3', '3.12'), self.python('b/python3', '3.13'), self.python('c/python3', '3.12')]
        self.assertEqual(self.find('-DFOOTLIGHT_PYTHONS=' + ';'.join(given))[0], ['3.12 ' + given[0], '3.13 ' + given[1]])

    def test_what_is_left_out_is_said(self):
        given = [self.python('old', '3.10'), self.python('bare', '3.12', headers=0), self.python('free', '3.13', free_threaded=1)]
        found, said = self.find('-DFOOTLIGHT_PYTHONS=' + ';'.join(given))
        self.assertEqual(found, [])
        for line, words in zip(said, ('Footlight needs 3.11 to 3.13', 'headers are missing (Debian: python3.12-dev)',
                                      'free-threaded builds are not supported')):
            self.assertIn(words, line)
        self.assertEqual(len(said), 3)

    def test_looks_in_the_active_environment_and_in_pyenv(self):
        active = self.python('env/bin/python3', '3.12')
        newer = self.python('.pyenv/versions/3.13.10/bin/python3', '3.13')
        self.python('.pyenv/versions/3.13.9/bin/python3', '3.13')
        self.python('.pyenv/versions/3.12.1/bin/python3', '3.12')
        found, _ = self.find(VIRTUAL_ENV=self.path('env'))
        self.assertIn('3.12 ' + active, found)
        if '3.13' not in subprocess.run('python3.13 --version; python3 --version; /usr/bin/python3 --version', shell=True,
                                        capture_output=True, text=True).stdout:
            self.assertIn('3.13 ' + newer, found)
        elsewhere = self.python('other/versions/3.12.7/bin/python3', '3.12')
        self.assertIn('3.12 ' + active, self.find(VIRTUAL_ENV=self.path('env'), PYENV_ROOT=os.path.dirname(
            os.path.dirname(os.path.dirname(os.path.dirname(elsewhere)))))[0])

    def test_one_per_version_and_ours_first(self):
        ours = self.python('ours', '3.12')
        active = self.python('env/bin/python3', '3.12')
        found, _ = self.find('-DPython3_EXECUTABLE=' + ours, VIRTUAL_ENV=os.path.dirname(os.path.dirname(active)))
        self.assertEqual(found[0], '3.12 ' + ours)
        self.assertEqual(sum(line.startswith('3.12 ') for line in found), 1)
