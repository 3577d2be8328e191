"""Runs at the start of every Python that a recorded script starts: makes `import tensorflow` Footlight there too."""
from __future__ import annotations

# Any Python can read this: a script may start one that Footlight does not work in, and that is left as it is.
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


def _hand_on() -> None:
    """Runs the sitecustomize that this one hides, if there is one; what goes wrong in it Python says as ever."""
    ours = sys.modules.pop('sitecustomize')
    try:
        import sitecustomize  # noqa: F401
    except ImportError as error:
        if getattr(error, 'name', 'sitecustomize') != 'sitecustomize':
            raise
    finally:
        sys.modules.setdefault('sitecustomize', ours)  # who imports a module looks for it here afterwards


if sys.version_info >= (3, 11) and os.path.exists(os.path.join(os.path.dirname(_here), '_alias.py')):
    _start()
_hand_on()
