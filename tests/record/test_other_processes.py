"""Processes that a recorded program starts record themselves, each in a file beside the program's."""
import os
import textwrap
import unittest

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


class Ranks(Recorded):

    def launched(self, mode):
        self.write('ranks.py', RANKS)
        meeting = os.path.join(self.folder, 'meeting')
        shutil.rmtree(meeting, ignore_errors=True)
        os.mkdir(meeting)
        script = self.write('launch.py', LAUNCH)
        done = self.run_program('record', '-o', 'run.footlight', script, 'ranks.py', meeting, mode)
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        self.assertEqual(self.files(), ['run.footlight', *(f'run.rank{rank}.footlight' for rank in range(4))])

    def test_the_late_one_and_why(self):
        for mode, why, where in (('retrace', 'tracing', 'step'), ('input', 'input', 'shards'),
                                 ('python', 'other Python', 'augment'), ('ops', 'ops', '')):
            with self.subTest(mode):
                self.launched(mode)
                said = self.merged('run.footlight')
                done = self.run_program('ranks', 'run-merged.footlight', '--json')
                found = json.loads(done.stdout)
                worst = max(found['late'], key=lambda group: group['worst_ms'])
                if worst['collective'] == 'barrier #1':  # ranks start one after the other
                    worst = max((group for group in found['late'] if group is not worst),
                                key=lambda group: group['worst_ms'])
                self.assertEqual((worst['rank'], worst['why'], worst['where'], worst['collective'], worst['explained']),
                                 (2, why, where, 'barrier #4', True), said)
                self.assertIn('Rank 2 is late at', worst['sentence'])
                self.assertIn('barrier #4', worst['sentence'])
                for file in self.files():
                    if 'merged' in file:
                        os.remove(os.path.join(self.folder, file))

    def test_in_the_report(self):
        self.launched('retrace')
        self.merged('run.footlight')
        report = self.run_program('report', 'run-merged.footlight').stdout
        self.assertIn('\n## Ranks\n', report)
        self.assertRegex(report, r'\| Rank 2 \| tracing \| step \| 1 \|')
        self.assertIn('ranks', json.loads(self.run_program('report', '--json', 'run-merged.footlight').stdout))

    def test_what_cannot_be_merged(self):
        self.launched('none')
        run, rank1, rank2 = 'run.footlight', 'run.rank1.footlight', 'run.rank2.footlight'
        for files, words in (((rank1, rank1), 'is the same file as'), ((rank1, rank2, '-o', rank1), 'name another file'),
                             ((rank1, 'none.footlight'), 'No such file'), (('--all', rank1), "unknown option '--all'"),
                             ((), 'needs recordings')):
            with self.subTest(files):
                done = self.run_program('merge', *files)
                self.assertEqual(done.returncode, 2)
                self.assertIn(words, done.stderr)
        shutil.copy(os.path.join(self.folder, rank1), os.path.join(self.folder, 'copy.footlight'))
        done = self.run_program('merge', rank1, 'copy.footlight')
        self.assertIn('both hold process', done.stderr)
        said = self.merged(run, rank1, rank2)
        self.assertIn('Ranks 0, 3 of 4 are not in this recording', said)
        self.assertIn('by the machine\'s steady clock', said)

    def test_names_of_files(self):
        script = self.write('script.py', 'print("ran")')
        for given, made in (('a.footlight', 'a.rank1.footlight'), ('b-{rank}.footlight', 'b-1.footlight')):
            done = self.run_program('record', '-o', given, script, RANK='1', WORLD_SIZE='2', LOCAL_RANK='1')
            self.assertEqual((done.returncode, done.stdout), (0, 'ran\n'), done.stderr)
            self.assertIn(made, self.files())
            self.assertEqual(self.rows(made, 'SELECT rank, world, local_rank, kind FROM process'), [(1, 2, 1, 'rank')])


if __name__ == '__main__':
    unittest.main()
