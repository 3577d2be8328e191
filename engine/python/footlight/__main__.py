"""`python -m footlight ...` is the `footlight` command line; `record` runs here, the rest in the program itself."""
import os
import sys

# Not the current folder, whose files would hide modules of the same name.
if not getattr(sys.flags, 'safe_path', False):
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def main():
    """Runs `record` in this interpreter and passes every other command to the program."""
    words = sys.argv[1:]
    if words[:1] == ['record']:
        from footlight_recorder import worker
        return worker.main(words[1:])
    package = os.path.dirname(os.path.abspath(__file__))
    for folder in (os.path.join(package, 'bin'), os.path.join(package, '..', '..', 'bin')):
        program = os.path.normpath(os.path.join(folder, 'footlight'))
        if os.access(program, os.X_OK):
            os.execv(program, [program, *words])
    print(f"footlight: the program 'footlight' was not found next to the package in {package}", file=sys.stderr)
    return 2


sys.exit(main())
