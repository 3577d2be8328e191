"""`python -m footlight_recorder [options] script.py [arguments]`: what `footlight record` runs."""
import sys

from footlight_recorder import _interpreter


def main():
    """Runs the worker; in a Python that it does not work in, says so in a line. Such a Python may not even parse it."""
    words = _interpreter.why_unusable()
    if words:
        sys.stderr.write('footlight: %s\n' % words)
        return 2
    from footlight_recorder import worker
    return worker.main(sys.argv[1:])


sys.exit(main())
