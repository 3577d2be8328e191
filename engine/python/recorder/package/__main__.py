"""`python -m footlight_recorder [options] script.py [arguments]`: what `footlight record` runs."""
import sys

from footlight_recorder import _interpreter


def main():
    """Runs the worker, or prints one line if it does not support this Python (which may fail to parse it)."""
    words = _interpreter.why_unusable()
    if words:
        sys.stderr.write('footlight: %s\n' % words)
        return 2
    from footlight_recorder import worker
    return worker.main(sys.argv[1:])


sys.exit(main())
