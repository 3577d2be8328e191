"""Runs at the start of every Python that a recorded program starts: that one is recorded too, once it does something."""

# Any Python can read this: a program may start one that Footlight does not work in, and that is left as it is.
import os
import sys

_here = os.path.dirname(os.path.abspath(__file__))
sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry) != _here]


def _start():
    from importlib import util
    spec = util.spec_from_file_location('_footlight_processes', os.path.join(os.path.dirname(_here), 'processes.py'))
    processes = util.module_from_spec(spec)
    spec.loader.exec_module(processes)
    processes.wait_for_work(os.path.dirname(os.path.dirname(_here)))


def _hand_on():
    """Runs the sitecustomize that this one hides, if there is one; what goes wrong in it Python says as ever."""
    ours = sys.modules.pop('sitecustomize')
    try:
        import sitecustomize  # noqa: F401
    except ImportError as error:
        if getattr(error, 'name', 'sitecustomize') != 'sitecustomize':
            raise
    finally:
        sys.modules.setdefault('sitecustomize', ours)  # who imports a module looks for it here afterwards


if sys.version_info >= (3, 11) and 'FOOTLIGHT_RECORDED_BY' in os.environ:
    _start()
_hand_on()
