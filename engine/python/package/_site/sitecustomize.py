"""Runs at the start of every Python that a recorded script starts: makes `import tensorflow` Footlight there too."""
import os
import sys

_here = os.path.dirname(os.path.abspath(__file__))
sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry) != _here]


def _start():
    from importlib import util
    spec = util.spec_from_file_location('_footlight_alias', os.path.join(os.path.dirname(_here), '_alias.py'))
    alias = util.module_from_spec(spec)
    spec.loader.exec_module(alias)
    alias.install()


_start()
del sys.modules['sitecustomize']
try:
    import sitecustomize  # the user's own, if there is one
except ImportError:
    pass
