"""`python .../footlight_recorder/__main__.py [options] script.py [arguments]`: what `footlight record` runs."""
import os
import sys

# Instead of this folder (or the current one, under -m), whose files would hide modules of the same name.
if not getattr(sys.flags, 'safe_path', False):
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

from footlight_recorder import _interpreter, _terminal


def main():
    """Runs the worker, or prints one line if it does not support this Python (which may fail to parse it)."""
    words = _interpreter.why_unusable()
    if words:
        sys.stderr.write('footlight: %s\n' % _terminal.printable(words))
        return 2
    from footlight_recorder import worker
    return worker.main(sys.argv[1:])


sys.exit(main())
