"""Runs a test script with the interpreter under test, which need not be the one that started it."""
import os
import subprocess
import sys


def run(main):
    python = os.environ.get('FOOTLIGHT_PYTHON_UNDER_TEST')
    if python and os.path.realpath(python) != os.path.realpath(sys.executable):
        environment = dict(os.environ)
        del environment['FOOTLIGHT_PYTHON_UNDER_TEST']
        sys.exit(subprocess.call([python, *sys.argv], env=environment))
    main()
