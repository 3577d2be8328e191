"""Scripts that fight their recorder: random hostile acts, run with and without recording, must give the same result.

    recorder_fights.py [COUNT] [--first NUMBER] [--keep]     fights NUMBER, NUMBER + 1, ...; a number is a fight

The oracle: the script's exit status, output and files are the same as without the recorder; the recorder ends; and
the session opens, or the recorder has said why not.
"""
import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

BUILD = os.environ.get('FOOTLIGHT_BUILD', 'build/release')
RECORDER = os.path.join(BUILD, 'python', 'footlight_recorder', '__main__.py')
PROGRAM = os.path.join(BUILD, 'bin', 'footlight')
LONGEST = 120  # seconds after which a run counts as not ending
SESSION = 'fight.footlight'

PREAMBLE = r'''
import atexit, contextlib, ctypes, fcntl, gc, os, resource, signal, subprocess, sys, threading, time
import footlight as tf
HERE = os.path.dirname(os.path.abspath(__file__))
SESSION = os.path.join(HERE, 'fight.footlight')
keep, got = [], []

@tf.function
def step(x):
    if tf.reduce_sum(x) > 0.:
        x = x * 2.
    return x + 1.

def say(*words):
    with contextlib.suppress(OSError, ValueError, AttributeError): print(*words, flush=True)

def work(times=20):
    for _ in range(times): y = step(tf.ones([3]))
    say('worked', float(y[0]))

def caught(number, frame=None): got.append(number)

def recorders():
    """The process that records this one; none without it."""
    parent = os.getppid()
    with open('/proc/%d/cmdline' % parent, 'rb') as file: return [parent] if b'footlight_recorder' in file.read() else []

work()
'''

# What a script may do; each act has the same result wherever it runs.
ACTS = {
    'close a range': 'os.closerange(3, 1000)',
    'close some': 'for n in {numbers}:\n    with contextlib.suppress(OSError): os.close(n)',
    'close high ones': 'os.closerange(500, 1100)',
    'open files': 'keep += [open(os.path.join(HERE, "user%d.txt" % i), "w") for i in range(25)]\n'
                  'for n, file in enumerate(keep): file.write(str(n))\nsay([file.fileno() for file in keep])',
    'lead output to a file': 'os.dup2(os.open(os.path.join(HERE, "out.txt"), os.O_WRONLY | os.O_CREAT | os.O_APPEND), 1)\n'
                             'say("to a file")\ntf.print("printed", output_stream=sys.stdout)',
    'lead errors to output': 'os.dup2(1, 2)\ntf.print("printed to output")',
    'lead over numbers': 'for n in {numbers}:\n    if n > 2: os.dup2(0, n)',
    'close output': 'os.close(1)\nsay("nowhere")\ntf.print("nowhere", output_stream=sys.stdout)',
    'close errors': 'os.close(2)\ntf.print("nowhere")',
    'close input': 'os.close(0)',
    'print': 'for i in range(50):\n    say("line", i)\n    tf.print("printed", i, output_stream=sys.stdout)',
    'flood': 'say("x" * {size})\nsay("y\\n" * 1000)',
    'fork': 'child = os.fork()\nif child == 0:\n    work(3)\n    os._exit(7)\nsay(os.waitpid(child, 0)[1])',
    'fork and exit': 'child = os.fork()\nif child == 0: sys.exit(5)\nsay(os.waitpid(child, 0)[1])',
    'fork and record': 'child = os.fork()\nif child == 0:\n    import footlight_recorder\n'
                       '    footlight_recorder.start(os.path.join(HERE, "child.footlight"))\n    work(3)\n    os._exit(0)\n'
                       'say(os.waitpid(child, 0)[1])',
    'leave a child': 'signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT, signal.SIGTERM])\nif os.fork() == 0:\n    os.closerange(3, 1000)\n    time.sleep({moment})\n'
                     '    with contextlib.suppress(OSError): os.write(1, b"left behind\\n")\n'
                     '    open(os.path.join(HERE, "left.txt"), "w").close()\n    os._exit(0)\n'
                     'signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT, signal.SIGTERM])',
    'threads': 'threads = [threading.Thread(target=lambda: step(tf.ones([3]))) for _ in range(4)]\n'
               'for t in threads: t.start()\nfor t in threads: t.join()\nwork(2)',
    'signal to oneself': 'signal.signal(signal.SIGTERM, caught)\nos.kill(os.getpid(), signal.SIGTERM)\nsay(got)',
    'signal to the group': 'signal.signal(signal.SIGINT, caught)\nos.kill(0, signal.SIGINT)\ntime.sleep(.1)\nsay(got)',
    'wait for a signal': 'signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2])\nsignal.pthread_kill(threading.main_thread().ident, signal.SIGUSR2)\n'
                         'say(signal.sigtimedwait([signal.SIGUSR2], 5) is not None)',
    'signal to each thread': 'signal.signal(signal.SIGUSR1, signal.SIG_IGN)\nfor t in os.listdir("/proc/self/task"):\n'
                             '    ctypes.CDLL(None).syscall({tgkill}, os.getpid(), int(t), int(signal.SIGUSR1))\nwork(2)',
    'signal to the recorder': 'for r in recorders(): os.kill(r, signal.SIGTERM)\nwork(2)',
    'block all signals': 'signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))',
    'default signals': 'signal.signal(signal.SIGPIPE, signal.SIG_DFL)\nsignal.signal(signal.SIGINT, signal.SIG_DFL)',
    'few files': 'resource.setrlimit(resource.RLIMIT_NOFILE, ({few}, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))\n'
                 'n = 0\nwith contextlib.suppress(OSError):\n    while True:\n        keep.append(os.open("/dev/null", 0))\n        n += 1\n'
                 'say(n)\nfor f in keep[-n:] if n else []: os.close(f)\ndel keep[len(keep) - n:]',
    'small files': 'signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\nresource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}))',
    'no memory': 'limit = resource.getrlimit(resource.RLIMIT_AS)\n'
                 'resource.setrlimit(resource.RLIMIT_AS, (8 << 30, limit[1]))\ntry: bytearray(16 << 30)\n'
                 'except MemoryError: say("no memory")\nresource.setrlimit(resource.RLIMIT_AS, limit)',
    'no more processes': 'resource.setrlimit(resource.RLIMIT_CORE, (0, 0))\nos.nice(1)',
    'elsewhere': 'os.makedirs(os.path.join(HERE, "sub"), exist_ok=True)\nos.chdir(os.path.join(HERE, "sub"))\n'
                 'open("here.txt", "w").close()',
    'no folder': 'os.makedirs(os.path.join(HERE, "gone"), exist_ok=True)\nos.chdir(os.path.join(HERE, "gone"))\n'
                 'os.rmdir(os.path.join(HERE, "gone"))',
    'remove the session': 'with contextlib.suppress(FileNotFoundError): os.unlink(SESSION)',
    'replace the session': 'with contextlib.suppress(FileNotFoundError): os.unlink(SESSION)\n'
                           'with open(SESSION, "w") as file: file.write("mine")',
    'empty the session': 'if os.path.exists(SESSION): os.truncate(SESSION, 0)',
    'scribble over the session': 'if os.path.exists(SESSION):\n    with open(SESSION, "r+b") as file:\n'
                                 '        file.seek({place})\n        file.write(bytes({bytes}))',
    'lock the session': 'if os.path.exists(SESSION):\n    keep.append(open(SESSION, "rb"))\n'
                        '    with contextlib.suppress(OSError): fcntl.flock(keep.pop(), fcntl.LOCK_EX | fcntl.LOCK_NB)',
    'forbid the session': 'if os.path.exists(SESSION): os.chmod(SESSION, 0)',
    'an empty environment': 'os.environ.clear()',
    'an odd environment': 'os.environ.update(PYTHONPATH="/nowhere", PYTHONHASHSEED="x", LD_PRELOAD="", FOOTLIGHT_PYTHON="/no")',
    'a child Python': 'say(subprocess.run([sys.executable, "-S", "-c", "print(1)"], capture_output=True, text=True, env={{}}))',
    'a child Python of ours': 'say(subprocess.run([sys.executable, "-c", "print(1)"], capture_output=True, text=True).stderr[-80:])',
    'start again': 'import footlight_recorder\ntry: footlight_recorder.start(os.path.join(HERE, "own.footlight"))\n'
                   'except RuntimeError: pass\nwork(2)',
    'stop': 'import footlight_recorder\nfootlight_recorder.stop()\nwork(2)',
    'record beside it': 'import footlight_recorder\nwith footlight_recorder.span("a"): footlight_recorder.counter("b", 1)',
    'forget exit handlers': 'atexit._clear()',
    'forget modules': 'for name in [n for n in sys.modules if n.startswith("footlight_recorder")]: del sys.modules[name]',
    'a session of its own': 'with contextlib.suppress(OSError): os.setsid()',
    'out of the group': 'with contextlib.suppress(OSError): os.setpgid(0, 0)',
    'no death signal': 'ctypes.CDLL(None).prctl(1, 0, 0, 0, 0)',
    'a strict mask': 'os.umask(0o777)\nopen(os.path.join(HERE, "strict.txt"), "w").close()',
    'no output object': 'sys.stdout = sys.stderr = None',
    'trace everything': 'sys.setprofile(lambda *a: None)\nthreading.setprofile(lambda *a: None)\nwork(2)\nsys.setprofile(None)',
    'retrace': 'for n in range(1, 40): step(tf.ones([n]))',
    'source of nothing': 'exec(compile("def f(x): return x", "/dev/stdin", "exec"))\ntf.function(f)(tf.constant(1))',
}
ENDINGS = {
    'the end': '',
    'exit': 'sys.exit(3)',
    'words': 'sys.exit("over")',
    'an error': 'raise ValueError("over")',
    'exit at once': 'os._exit(4)',
    'a crash': 'signal.signal(signal.SIGSEGV, signal.SIG_DFL)\nresource.setrlimit(resource.RLIMIT_CORE, (0, 0))\n'
               'signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGSEGV])\nos.kill(os.getpid(), signal.SIGSEGV)\ntime.sleep(60)',
    'abort': 'resource.setrlimit(resource.RLIMIT_CORE, (0, 0))\nos.abort()',
    'killed': 'os.kill(os.getpid(), signal.SIGKILL)',
    'another program': 'os.execv(sys.executable, [sys.executable, "-S", "-c", "print(\'another\')"])',
    'daemon threads': 'def forever():\n    while True: step(tf.ones([3]))\n'
                      'for _ in range(2): threading.Thread(target=forever, daemon=True).start()',
}


def script_of(number):
    """(text, names of its acts)."""
    random_ = random.Random(number)
    names = random_.sample(sorted(ACTS), random_.randint(2, 7))
    ending = random_.choice(sorted(ENDINGS))
    text = PREAMBLE
    for name in names:
        text += f'\n# {name}\n' + ACTS[name].format(
            numbers=sorted(random_.sample(range(3, 40), 8)), size=random_.choice([1000, 70_000, 400_000]),
            moment=random_.choice([0, .2, .8]), few=random_.choice([4, 8, 64]), place=random_.choice([0, 20, 100, 5000]),
            tgkill=131 if os.uname().machine == 'aarch64' else 234, bytes=[random_.randrange(256) for _ in range(32)]) + '\nwork()\n'
    return text + '\n' + ENDINGS[ending] + '\n', names + [ending]


class Run:
    """One run in a folder of its own: its exit status, streams and files."""

    def __init__(self, folder, script, recorded):
        os.makedirs(folder)
        self.folder = folder
        with open(self.path('script.py'), 'w', encoding='utf-8') as file:
            file.write(script)
        for name in ('mine.txt', 'fight.footlight-wal'):
            with open(self.path(name), 'w', encoding='utf-8') as file:
                file.write('mine')
        words = [RECORDER, '-o', self.path(SESSION), self.path('script.py')] if recorded else [self.path('script.py')]
        environment = {k: v for k, v in os.environ.items() if not k.startswith('FOOTLIGHT_')}
        environment['PYTHONPATH'] = os.path.abspath(os.path.join(BUILD, 'python'))
        # Through pipes in both runs, so that a limit on file sizes does not apply to the output.
        with open(folder + '.out', 'wb') as out, open(folder + '.err', 'wb') as err:
            self.readers = [subprocess.Popen(['cat'], stdin=subprocess.PIPE, stdout=file) for file in (out, err)]
            process = subprocess.Popen([sys.executable, *words], stdin=subprocess.DEVNULL, stdout=self.readers[0].stdin,
                                       stderr=self.readers[1].stdin, cwd=folder, env=environment, start_new_session=True)
            for reader in self.readers:
                reader.stdin.close()
            try:
                status = process.wait(timeout=LONGEST)
            except subprocess.TimeoutExpired:
                status = 'did not end'
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        for reader in self.readers:  # also waits for children that were left behind
            reader.wait(timeout=LONGEST)
        self.status = 128 - status if isinstance(status, int) and status < 0 else status

    def path(self, name):
        return os.path.join(self.folder, name)

    def text(self, kind):
        with open(self.folder + kind, encoding='utf-8', errors='replace') as file:
            return file.read().replace(self.folder, 'FOLDER')

    def said(self):
        """The recorder's own messages, and the rest of the error output."""
        lines = self.text('.err').splitlines(keepends=True)
        return ''.join(x for x in lines if x.startswith('footlight: ')), ''.join(x for x in lines if not x.startswith('footlight: '))

    def files(self, but):
        found = {}
        for folder, _, names in os.walk(self.folder):
            for name in names:
                path = os.path.join(folder, name)
                if name in but or os.path.relpath(path, self.folder) in but:
                    continue
                with open(path, 'rb') as file:
                    found[os.path.relpath(path, self.folder)] = file.read().replace(self.folder.encode(), b'FOLDER')
        return found

    def result(self, but):
        # In both runs, a child that was left behind may print at any time.
        text = self.text('.out')
        return {'status': self.status, 'output': text.replace('left behind\n', ''), 'left behind': text.count('left behind\n'),
                'errors': self.said()[1], **self.files(but)}


def differences(number, folder):
    """What went wrong in one fight, as messages."""
    script, names = script_of(number)
    bare = Run(os.path.join(folder, 'bare'), script, recorded=False)
    recorded = Run(os.path.join(folder, 'recorded'), script, recorded=True)
    but = {'own.footlight', 'child.footlight', SESSION + '.recorded', SESSION}
    replaced = os.path.exists(bare.path(SESSION))
    if replaced:
        but.remove(SESSION)
    # A child that was left behind runs on for a moment, in both runs.
    for _ in range(200):
        wanted, found = bare.result(but), recorded.result(but)
        if wanted == found or 'leave a child' not in names:
            break
        time.sleep(.05)
    for key in sorted({*wanted, *found}):
        if wanted.get(key) != found.get(key):
            yield f'{key} is {found.get(key)!r:.2000}\n  and bare {wanted.get(key)!r:.2000}'
    session = recorded.path(SESSION + '.recorded' if replaced else SESSION)
    info = subprocess.run([PROGRAM, 'info', '--json', session], capture_output=True, text=True, timeout=LONGEST)
    if info.returncode:
        if not recorded.said()[0]:
            yield f'the session does not open, and nobody said so: {info.stderr}'
    elif not json.loads(info.stdout)['ended'] and not recorded.said()[0]:
        yield f'the session has no end, and nobody said so: {info.stdout}'


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('count', nargs='?', type=int, default=200)
    parser.add_argument('--first', type=int, default=0)
    parser.add_argument('--keep', action='store_true', help='show the scripts of failed fights')
    options = parser.parse_args()
    failed = []
    for number in range(options.first, options.first + options.count):
        folder = tempfile.mkdtemp()
        try:
            found = list(differences(number, folder))
        finally:
            subprocess.run(['chmod', '-R', 'u+rwX', folder], check=False)
            shutil.rmtree(folder, ignore_errors=True)
        if found:
            failed.append(number)
            print(f'fight {number} ({", ".join(script_of(number)[1])}):', *found, sep='\n  ', flush=True)
            if options.keep:
                print(script_of(number)[0])
    print(f'{options.count - len(failed)} fights passed, {len(failed)} failed: {failed}')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
