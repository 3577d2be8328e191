"""Processes that a recorded program starts record themselves, each in a file beside the program's."""
import os
import textwrap

from recorded_processes import Recorded

STEP = '''
    import os, signal, subprocess, sys, time
    import multiprocessing
    import tensorflow as tf
    @tf.function
    def step(x):
        return x * 2.0 + 1.0
    '''


class Children(Recorded):

    def test_a_fork_has_a_file_of_its_own(self):
        for ending in ('os._exit(3)', 'sys.exit(3)'):
            with self.subTest(ending):
                done = self.record(textwrap.dedent(STEP) + textwrap.dedent(f'''
                    step(tf.ones([2]))
                    child = os.fork()
                    if child == 0:
                        for n in range(5):
                            step(tf.ones([2]))
                        step(tf.ones([3]))
                        {ending}
                    print('child', child, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
                    step(tf.ones([2]))
                    '''))
                self.assertEqual(done.returncode, 0, done.stderr)
                _, pid, status = done.stdout.split()
                self.assertEqual(status, '3')
                child = f'run.pid{pid}.footlight'
                self.assertEqual(self.files(), ['run.footlight', child])
                self.assertEqual(self.calls('run.footlight'), [('step', 2)])
                self.assertEqual(self.calls(child), [('step', 6)])
                parent = self.rows('run.footlight', 'SELECT pid, kind, run FROM process')
                self.assertEqual(self.rows(child, 'SELECT parent_pid, kind, run FROM process'),
                                 [(parent[0][0], 'fork', parent[0][2])])
                self.assertEqual(self.rows(child, 'SELECT exit_code FROM run_end'), [(3,)])
                said = self.merged('run.footlight')
                self.assertIn('2 processes', said)
                self.assertEqual(self.calls('run-merged.footlight'), [('step', 8)])
                for file in self.files():
                    os.remove(os.path.join(self.folder, file))

    def test_who_does_nothing_leaves_no_file(self):
        done = self.record(textwrap.dedent(STEP) + textwrap.dedent('''
            step(tf.ones([2]))
            if os.fork() == 0:
                os._exit(0)
            os.wait()
            subprocess.run([sys.executable, '-c', 'print("helper")'], check=True)
            subprocess.run(['true'], check=True, preexec_fn=lambda: None)
            '''))
        self.assertEqual((done.returncode, done.stdout), (0, 'helper\n'), done.stderr)
        self.assertEqual(self.files(), ['run.footlight'])

    def test_processes_of_multiprocessing(self):
        for method in ('fork', 'spawn'):
            with self.subTest(method):
                self.record(textwrap.dedent(STEP) + textwrap.dedent(f'''
                    def work(n):
                        for _ in range(n):
                            step(tf.ones([2]))
                    if __name__ == '__main__':
                        context = multiprocessing.get_context('{method}')
                        started = [context.Process(target=work, args=(n,)) for n in (2, 3)]
                        [process.start() for process in started]
                        [process.join() for process in started]
                        step(tf.ones([2]))
                    '''))
                files = self.files()
                self.assertEqual(len(files), 3, files)
                self.assertEqual(self.calls('run.footlight'), [('step', 1)])
                children = [file for file in files if 'pid' in file]
                self.assertEqual(sorted(count for file in children for _, count in self.calls(file)), [2, 3])
                self.assertEqual({kind for file in children for kind, in self.rows(file, 'SELECT kind FROM process')},
                                 {method})
                for file in files:
                    os.remove(os.path.join(self.folder, file))

    def test_a_child_that_is_killed(self):
        done = self.record(textwrap.dedent(STEP) + textwrap.dedent('''
            child = os.fork()
            if child == 0:
                step(tf.ones([2]))
                time.sleep(0.3)
                os.kill(os.getpid(), signal.SIGKILL)
            os.waitpid(child, 0)
            step(tf.ones([2]))
            print(child)
            '''))
        child = f'run.pid{done.stdout.strip()}.footlight'
        self.assertEqual(self.files(), ['run.footlight', child])
        self.assertEqual(self.calls(child), [('step', 1)])  # it is complete, not a log
        self.merged('run.footlight')
        ends = dict(self.rows('run-merged.footlight', 'SELECT kind, "end" FROM process'))
        self.assertEqual(ends, {'': 'finished', 'fork': ''})

    def test_a_child_that_records_itself(self):
        self.record(textwrap.dedent(STEP) + textwrap.dedent('''
            import footlight_recorder
            if os.fork() == 0:
                footlight_recorder.start('own.footlight')
                step(tf.ones([2]))
                footlight_recorder.stop()
                os._exit(0)
            os.wait()
            '''))
        self.assertEqual(self.files(), ['own.footlight', 'run.footlight'])
        self.assertEqual(self.calls('own.footlight'), [('step', 1)])

    def test_a_module(self):
        self.write('here.py', 'import sys\nprint(__name__, sys.argv[1:], __spec__.name)\n')
        done = self.run_program('record', '-o', 'run.footlight', '-m', 'here', '-o', 'x')
        self.assertEqual((done.returncode, done.stdout), (0, "__main__ ['-o', 'x'] here\n"), done.stderr)
        done = self.run_program('record', '-m', 'missing')
        self.assertEqual(done.returncode, 2)
        self.assertIn("there is no module 'missing'", done.stderr)
