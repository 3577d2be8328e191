"""The program `footlight` of the installation that this package belongs to: what reads recordings."""
from __future__ import annotations

import os
import shutil
import subprocess

_PACKAGES = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def find(name: str = 'footlight') -> str:
    """The path of the program, beside the packages or on the PATH."""
    for folder in (os.path.join(_PACKAGES, 'footlight', 'bin'), os.path.join(os.path.dirname(_PACKAGES), 'bin')):
        program = os.path.join(folder, name)
        if os.access(program, os.X_OK):
            return program
    found = shutil.which(name)
    if found is None:
        raise FileNotFoundError(f"the program '{name}' was found neither beside the packages in {_PACKAGES} nor on the PATH")
    return found


def output_of(*words: str) -> str:
    """What the program prints. Raises RuntimeError with its complaint if it fails."""
    # A library that is preloaded into this Python is not meant for the program.
    environment = {name: value for name, value in os.environ.items() if name != 'LD_PRELOAD'}
    done = subprocess.run([find(), *words], stdin=subprocess.DEVNULL, capture_output=True, env=environment, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.decode('utf-8', 'replace').strip() or f'footlight ended with {done.returncode}')
    return done.stdout.decode('utf-8', 'replace')
