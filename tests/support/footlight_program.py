"""What tests of the program `footlight` share: where it is, runs of it, recordings of scripts and their rows."""
import contextlib
import csv
import io
import json
import os
import sqlite3
import subprocess
import sys

BUILD = os.environ.get('FOOTLIGHT_BUILD', 'build/release')
PROGRAM = os.path.join(BUILD, 'bin', 'footlight')
# A sanitizer preloaded into this interpreter is linked into the programs anyway.
ENVIRONMENT = {**{k: v for k, v in os.environ.items() if k != 'LD_PRELOAD'}, 'FOOTLIGHT_PYTHON': sys.executable}


def run(*words, code=0, **options):
    """Runs the program, which has to end with this exit code (None: with any); `options` are those of subprocess.run."""
    options = {'capture_output': True, 'text': True, 'stdin': subprocess.DEVNULL, 'env': ENVIRONMENT, 'timeout': 300, **options}
    done = subprocess.run([PROGRAM, *words], **options)
    if code not in (None, done.returncode):
        raise AssertionError(f'{words} ended with {done.returncode}, not {code}:\n{done.stdout}{done.stderr}')
    return done


def record(session, script, *arguments, options=(), code=0):
    """Records a script with this Python."""
    done = subprocess.run([sys.executable, '-m', 'footlight', 'record', '-o', session, *options, script, *arguments],
                          capture_output=True, text=True, timeout=300)
    if code not in (None, done.returncode):
        raise AssertionError(f'{script} ended with {done.returncode}, not {code}:\n{done.stdout}{done.stderr}')
    return done


def report(session):
    return json.loads(run('report', '--json', session).stdout)


def table(session, name):
    """The rows of a table that the program exports as CSV."""
    return list(csv.DictReader(io.StringIO(run('export', session, '--format', 'csv', '--table', name).stdout)))


def make_session(maker, path, *options):
    """Writes a recording with one of the programs that the tests are built with; returns its path."""
    subprocess.run([os.path.join(BUILD, 'tests', maker), path, *options], check=True, env=ENVIRONMENT)
    return path


def rows(session, query):
    """The rows that a query of SQLite returns from a recording."""
    with contextlib.closing(sqlite3.connect(f'file:{session}?mode=ro', uri=True)) as db:
        return db.execute(query).fetchall()
