"""Whether this Python can record, and what to do when it cannot. Any Python can read it, so it has no f-strings."""
import os
import sys

_OLDEST, _NEWEST = (3, 11), (3, 13)
_FOLDER = os.path.dirname(os.path.abspath(__file__))


def _built_for():
    """The versions that the extension was built for, as tuples: '_recorder.cpython-311-...so' is (3, 11)."""
    tags = [name.split('.')[1].split('-')[1] for name in os.listdir(_FOLDER) if name.startswith('_recorder.cpython-')]
    return sorted((int(tag[0]), int(tag[1:])) for tag in tags if tag.isdigit())


def _in_words(versions):
    return ', '.join('%d.%d' % version for version in versions)


def why_unusable():
    """One line that says why Footlight does not run in this Python and what to run instead; None if it does."""
    mine = sys.version_info[:2]
    here = 'Python %d.%d (%s)' % (mine[0], mine[1], sys.executable)
    built = _built_for()
    if not _OLDEST <= mine <= _NEWEST:
        return '%s is not supported: Footlight works with Python %d.%d to %d.%d. FOOTLIGHT_PYTHON=/path/to/python3 names ' \
            'another one' % ((here,) + _OLDEST + _NEWEST)
    if 't' in getattr(sys, 'abiflags', ''):
        return '%s is a free-threaded build, which is not supported. FOOTLIGHT_PYTHON=/path/to/python3 names another one' % here
    if mine in built:
        return None
    others = ' (only for %s, which FOOTLIGHT_PYTHON can name)' % _in_words(built) if built else ''
    headers = '' if _has_headers() else 'install its headers (Debian: python%d.%d-dev) and ' % mine
    return 'Footlight is not built for %s%s; to build it for this one too, %srun: %s' % (here, others, headers, _build_command())


def _has_headers():
    import sysconfig
    return os.path.exists(os.path.join(sysconfig.get_path('include'), 'Python.h'))


def _build_command():
    """The command that adds this Python to the build tree that this package is in."""
    tree = os.path.dirname(os.path.dirname(_FOLDER))
    if os.path.exists(os.path.join(tree, 'CMakeCache.txt')):
        return 'cmake -DFOOTLIGHT_ONE_PYTHON=OFF -DFOOTLIGHT_PYTHONS="%s" %s && cmake --build %s' % (';'.join(_with_me(tree)), tree, tree)
    return 'packaging/run.sh in the folder of its source, with this Python first on the path'


def _with_me(tree):
    """The interpreters that the tree builds for, and this one."""
    with open(os.path.join(tree, 'CMakeCache.txt')) as cache:
        named = [line.partition('=')[2].strip() for line in cache if line.startswith('FOOTLIGHT_PYTHONS_BUILT:')]
    return [path for path in ''.join(named).split(';') if path] + [sys.executable]
