"""What the entry scripts do about packages: nothing, an installation as root or with sudo, or words about what is missing.

Works on a copy of packaging/ with stand-ins for dpkg-query, id, sudo and apt-get that write down how they were called.
"""
import os
import shutil
import subprocess
import tempfile
import unittest

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


class Setup(unittest.TestCase):
    def setUp(self):
        self.root = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.root)
        shutil.copytree(os.path.join(SOURCE, 'packaging'), os.path.join(self.root, 'packaging'))
        with open(os.path.join(self.root, 'packaging', 'dependencies.txt'), 'w') as f:
            f.write(LIST)
        os.mkdir(os.path.join(self.root, 'bin'))
        for name, body in STANDINS.items():
            path = os.path.join(self.root, 'bin', name)
            with open(path, 'w') as f:
                f.write('#!/bin/bash\n%s\n' % body)
            os.chmod(path, 0o755)
        self.calls = os.path.join(self.root, 'calls')

    def install(self, *groups, installed='', user=0, sudo='no', reachable='yes'):
        script = '. packaging/common.sh; install_packages %s' % ' '.join(groups)
        process = subprocess.run(['bash', '-c', script], cwd=self.root, stdin=subprocess.DEVNULL, text=True,
                                 capture_output=True, env=dict(
                                     os.environ, PATH=os.path.join(self.root, 'bin') + ':/usr/bin:/bin', CALLS=self.calls,
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


if __name__ == '__main__':
    unittest.main()
