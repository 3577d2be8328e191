"""Runs the program on imports, for the tests beside this file."""
import json
import os
import subprocess
from typing import Any

PROGRAM = os.environ.get('FOOTLIGHT_PROGRAM', os.path.join(os.environ.get('FOOTLIGHT_BUILD', ''), 'bin', 'footlight'))


def run(*words: str) -> str:
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def sql(recording: str, statement: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(run('sql', recording, statement, '--json', '--limit', '0'))
    return rows
