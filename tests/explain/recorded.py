"""Records programs and reads what `footlight report --json` says about them, for the tests beside this file."""
import concurrent.futures
import importlib.util
import os
from textwrap import dedent

import footlight_program
from footlight_program import report


def record_text(folder, text, fails=False, **files):
    """Records a program, with modules beside it; returns the session's path. `fails`: None if it may or may not."""
    session = os.path.join(folder, 'run.footlight')
    for name, text in {**files, 'script': text}.items():
        with open(os.path.join(folder, name + '.py'), 'w', encoding='utf-8') as file:
            file.write(dedent(text))
    done = footlight_program.record(session, os.path.join(folder, 'script.py'), code=None)
    if fails is not None and (done.returncode != 0) != fails:
        raise AssertionError(done.stdout + done.stderr)
    return session


def record(folder, body, fails=False, **files):
    """The same with a program that stands behind `import tensorflow as tf`."""
    return record_text(folder, 'import tensorflow as tf\n' + dedent(body), fails, **files)


def findings(folder, body, fails=False, **files):
    return report(record(folder, body, fails, **files))['findings']


def in_parallel(function, programs):
    """What the function returns for each program, by name."""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return dict(zip(programs, pool.map(function, programs.values())))


def without_numpy(programs, text_of):
    """All programs, or those that do without NumPy if there is none."""
    if importlib.util.find_spec('numpy') is not None:
        return programs
    return {name: one for name, one in programs.items() if 'import numpy' not in text_of(one)}
