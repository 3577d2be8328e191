"""`python .../footlight_recorder/attach.py PID [-o FILE] [--stop]`: what `footlight attach` runs, with the Python of that process.

The process itself begins the recording, or ends it: Python 3.14 runs a file in another process (sys.remote_exec).
"""
import os
import sys
import tempfile
import time

_USAGE = 'usage: footlight attach PID [-o FILE.footlight] [--stop]'
_TIMEOUT_S = 30
_INSIDE = """
def _in_the_process(folder, path, stop, answer):
    import os, sys
    try:
        if folder not in sys.path:
            sys.path.append(folder)
        from footlight_recorder import _interpreter
        unusable = _interpreter.why_unusable()
        if unusable:
            raise RuntimeError(unusable)
        from footlight_recorder import in_program
        if stop:
            in_program.stop('footlight attach --stop')
            said = 'ok'
        else:
            said = 'ok' + in_program.start(path)
    except BaseException as error:
        said = 'no%s: %s' % (type(error).__name__, error)
    with open(answer + '.part', 'w') as out:
        out.write(said)
    os.replace(answer + '.part', answer)
_in_the_process({folder!r}, {path!r}, {stop!r}, {answer!r})
del _in_the_process
"""


def _fail(words: str) -> int:
    sys.stderr.write('footlight: attach: %s\n' % words)
    return 2


def _user_of(pid: int) -> int:
    """The user in whose name a process acts; -1 if that is not said."""
    try:
        with open('/proc/%d/status' % pid) as status:
            return int(next(line for line in status if line.startswith('Uid:')).split()[2])
    except (OSError, StopIteration, ValueError):
        return -1


def _is_hidden(pid: int, path: str) -> bool:
    """Whether a process sees another file system, in which there is no such file."""
    root = '/proc/%d/root' % pid
    try:
        os.readlink(root)
    except OSError:  # a process of another user, which Python refuses in its own words
        return False
    return not os.path.exists(root + path)


def main(words: list[str]) -> int:
    """Begins or ends a recording in another process; returns the exit status."""
    output, stop = '', False
    numbers: list[str] = []
    at = iter(words)
    for word in at:
        if word in ('-o', '--output'):
            output = next(at, '')
            if not output:
                return _fail('%s needs a file; %s' % (word, _USAGE))
        elif word == '--stop':
            stop = True
        else:
            numbers.append(word)
    if len(numbers) != 1 or not numbers[0].isdigit():
        return _fail('name one process by its number; %s' % _USAGE)
    pid = int(numbers[0])
    if not os.path.exists('/proc/%d' % pid):
        return _fail('there is no process %d' % pid)
    remote_exec = getattr(sys, 'remote_exec', None)
    if remote_exec is None:
        return _fail(
            'Python %d.%d cannot run code in another process, which Python 3.14 can. Let the program begin the recording: '
            "footlight_recorder.start('run.footlight') and footlight_recorder.stop(), also in a notebook or a debugger, or "
            'record it whole: footlight record script.py' % sys.version_info[:2])
    folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    path = os.path.abspath(output or 'process%d.footlight' % pid)
    with tempfile.TemporaryDirectory(prefix='footlight-attach-') as place:
        os.chmod(place, 0o755)
        user = _user_of(pid)
        if os.geteuid() == 0 and user > 0:
            os.chown(place, user, -1)  # the process answers there
        script, answer = os.path.join(place, 'inside.py'), os.path.join(place, 'answer')
        with open(script, 'w') as out:
            out.write(_INSIDE.replace('{folder!r}', repr(folder)).replace('{path!r}', repr(path))
                      .replace('{stop!r}', repr(stop)).replace('{answer!r}', repr(answer)))
        os.chmod(script, 0o644)
        if _is_hidden(pid, script):
            return _fail('process %d does not see %s: it runs in a container or under another root; run footlight attach '
                         'inside of that' % (pid, os.path.dirname(place)))
        try:
            remote_exec(pid, script)
        except Exception as error:  # no Python, another version, or a process of another user
            return _fail('process %d: %s: %s' % (pid, type(error).__name__, error))
        end = time.monotonic() + _TIMEOUT_S
        while not os.path.exists(answer):
            if time.monotonic() > end:
                return _fail('process %d did not answer within %d s: it may be in a long call of code that is not Python'
                             % (pid, _TIMEOUT_S))
            time.sleep(0.02)
        with open(answer) as read:
            said = read.read()
    if not said.startswith('ok'):
        whose = '' if user in (-1, os.geteuid()) else \
            ' (it belongs to user %d, who must be able to read %s and to write the recording)' % (user, folder)
        return _fail('process %d: %s%s' % (pid, said[2:], whose))
    sys.stdout.write('the recording of process %d ended\n' % pid if stop else
                     'process %d is recorded into %s; end it with: footlight attach %d --stop\n' % (pid, said[2:], pid))
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
