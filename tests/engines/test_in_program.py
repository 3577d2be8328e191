"""Recording a part of a program from inside it, with Footlight's engine and with a fake of JAX."""
import os
import subprocess
import sys
import unittest

from footlight_program import BUILD, PROGRAM
from with_fakes import WithFakes


class InProgram(WithFakes):
    installed = ('jax',)

    def run_script(self, text, code=0):
        self.write('script.py', text)
        done = self.run_python('script.py', environment={'PROGRAM': PROGRAM})
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def calls(self, name):
        return {f['function']: (f['calls'], f['traces']) for f in self.said('report', name)['functions']}

    def test_a_block_of_footlights_engine(self):
        done = self.run_script('''
            import json, os, subprocess
            import footlight as tf
            import footlight_recorder

            @tf.function
            def scale(x, rate):
                return x * rate

            scale(tf.ones([2]), 1.0)
            with footlight_recorder.record('first.footlight') as recording:
                for step in range(4):
                    scale(tf.ones([2]), 2.0 + step)
                environment = {k: v for k, v in os.environ.items() if k != 'LD_PRELOAD'}
                print(recording.path, subprocess.run([os.environ['PROGRAM'], 'info', recording.path], env=environment,
                                                     capture_output=True).returncode)
            scale(tf.ones([3]), 2.0)
            with footlight_recorder.record('second.footlight', level='structure'):
                scale(tf.ones([2]), 1.0)
            ''')
        self.assertEqual(done.stdout, f'{self.path("first.footlight")} 0\n')
        self.assertEqual(self.calls('first.footlight'), {'scale': (4, 4)})
        self.assertEqual(self.calls('second.footlight'), {'scale': (1, 0)})
        first, second = self.said('info', 'first.footlight'), self.said('info', 'second.footlight')
        self.assertEqual((first['ended'], first['reason'], first['level']),
                         (True, 'the block that was recorded ended', 'ops'))
        self.assertEqual((second['level'], second['exit_code']), ('structure', 0))

    def test_several_recordings_of_another_engine(self):
        self.run_script('''
            import footlight_recorder
            footlight_recorder.prepare()
            import jax

            @jax.jit
            def scale(weights):
                return weights

            scale(jax.Array((2,)))
            with footlight_recorder.record('first.footlight'):
                scale(jax.Array((2,)))
                scale(jax.Array((3,)))
            footlight_recorder.start('second.footlight')
            scale(jax.Array((4,)))
            other = jax.jit(lambda x: x)
            other(jax.Array((2,)))
            footlight_recorder.stop()
            ''')
        # The traces from before serve calls: they are recorded again.
        self.assertEqual(self.calls('first.footlight'), {'scale': (2, 2)})
        self.assertEqual(self.calls('second.footlight'), {'scale': (1, 3), '<lambda>': (1, 1)})
        missing = [self.said('report', name)['run']['engines'][-1]['missing_hooks']
                   for name in ('first.footlight', 'second.footlight')]
        self.assertEqual(missing, [[], []])

    def test_what_was_there_before_is_said(self):
        self.run_script('''
            import jax
            import footlight_recorder

            class Model:
                @jax.jit(static_argnums=(0,))
                def forward(self, x):
                    return x

            def closure():
                scale = jax.jit(lambda x: x)
                return lambda x: scale(x)

            def hidden(f):
                with footlight_recorder.record('run.footlight'):
                    for size in (2, 3, 2, 4, 4):
                        step(jax.Array((size,)))
                    model.forward(jax.Array((2,)))
                    scaled(jax.Array((2,)))
                    f(jax.Array((2,)))
                    late = jax.jit(late_one)
                    late(jax.Array((2,)))

            @jax.jit
            def step(x):
                return x

            def late_one(x):
                return x

            model, scaled = Model(), closure()
            for size in (2, 3):
                step(jax.Array((size,)))
            model.forward(jax.Array((2,)))
            scaled(jax.Array((2,)))
            hidden(jax.jit(lambda x: x))
            ''')
        self.assertEqual(self.calls('run.footlight'), {'step': (5, 3), 'Model.forward': (1, 1),
                                                       'closure.<locals>.<lambda>': (1, 1), 'late_one': (1, 1),
                                                       '<lambda>': (0, 1)})  # of one call, which was not recorded
        calls = self.said('sql', 'run.footlight', "SELECT trace, outcome FROM calls WHERE function = 'step' ORDER BY start_ns")
        self.assertEqual([(one['trace'], one['outcome']) for one in calls],
                         [(1, 'hit'), (2, 'hit'), (1, 'hit'), (3, 'trace'), (3, 'hit')])
        missing, = self.said('report', 'run.footlight')['run']['engines'][-1]['missing_hooks']
        self.assertIn('calls through local variables and tuples, not recorded: jax had made 4 functions before', missing)
        self.assertIn('prepare() before `import jax` records all', missing)
        self.assertEqual(self.said('report', 'run.footlight')['findings'], [])

    def test_engines_by_name(self):
        self.run_script('''
            import footlight_recorder
            with footlight_recorder.record('run.footlight', engine='footlight'):
                import jax
                jax.jit(lambda x: x)(jax.Array((2,)))
            for wrong in (lambda: footlight_recorder.record('x', engine='numpy'),
                          lambda: footlight_recorder.record('x', level='all'),
                          lambda: footlight_recorder.start('x', engine='jax,')):
                try:
                    wrong()
                except ValueError as error:
                    print(error)
            ''')
        self.assertEqual(self.calls('run.footlight'), {})
        self.assertFalse(os.path.exists(self.path('x')))

    def test_one_recording_at_a_time(self):
        done = self.run_script('''
            import footlight_recorder
            with footlight_recorder.record('outer.footlight') as outer:
                for again in (lambda: footlight_recorder.start('inner.footlight'), outer.__enter__,
                              footlight_recorder.record('inner.footlight').__enter__):
                    try:
                        again()
                    except RuntimeError as error:
                        print(error)
            try:
                outer.__enter__()
            except RuntimeError as error:
                print(error)
            footlight_recorder.stop()
            ''')
        lines = done.stdout.splitlines()
        self.assertEqual(len(lines), 4)
        self.assertTrue(lines[0].startswith(f'a recording is already running, into {self.path("outer.footlight")}'))
        self.assertIn('make another one', lines[3])
        self.assertFalse(os.path.exists(self.path('inner.footlight')))
        self.assertTrue(self.said('info', 'outer.footlight')['ended'])

    def test_in_a_program_that_is_recorded_as_a_whole(self):
        text = '''
            import footlight_recorder
            try:
                footlight_recorder.start('inner.footlight')
            except RuntimeError as error:
                print(error)
            '''
        self.write('script.py', text)
        done = subprocess.run([sys.executable, '-m', 'footlight_recorder', '-o', 'run.footlight', 'script.py'],
                              cwd=self.folder, capture_output=True, text=True, timeout=120,
                              env={**os.environ, 'PYTHONPATH': os.path.join(BUILD, 'python')})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('`footlight record` records the whole program', done.stdout)

    def test_a_process_that_runs_already(self):
        done = self.run_script('''
            import os, sys
            import jax
            from footlight_recorder import attach

            @jax.jit
            def step(x):
                return x

            def in_a_process(pid, path):  # as sys.remote_exec() of Python 3.14
                with open(path) as file:
                    exec(file.read(), {})

            step(jax.Array((2,)))
            sys.remote_exec = in_a_process
            me = str(os.getpid())
            print(attach.main([me, '-o', 'run.footlight']), attach.main([me, '-o', 'other.footlight']))
            step(jax.Array((2,)))
            print(attach.main([me, '--stop']))
            del sys.remote_exec
            print(attach.main([me]), attach.main(['999999999']), attach.main(['step']))
            ''')
        lines = done.stdout.splitlines()
        self.assertIn(f'is recorded into {self.path("run.footlight")}; end it with: footlight attach', lines[0])
        self.assertEqual(lines[1:], ['0 2', lines[2], '0', '2 2 2'])
        self.assertIn('ended', lines[2])
        said = done.stderr.splitlines()
        self.assertIn('a recording is already running', said[0])
        self.assertIn('which Python 3.14 can. Let the program begin the recording', said[1])
        self.assertIn('there is no process 999999999', said[2])
        self.assertIn('name one process by its number', said[3])
        self.assertEqual(self.calls('run.footlight'), {'step': (1, 1)})
        self.assertEqual(self.said('info', 'run.footlight')['reason'], 'footlight attach --stop')

    @unittest.skipUnless(os.geteuid() == 0, 'only root may act as another user')
    def test_a_process_of_another_user(self):
        """It answers in its own name: that works, or says what that user may not do."""
        os.chmod(self.folder, 0o755)
        os.mkdir(self.path('theirs'))
        os.chown(self.path('theirs'), 65534, -1)
        done = self.run_script('''
            import subprocess, sys, time
            from footlight_recorder import attach

            def in_their_process(pid, path):
                code = f"import sys, time; sys.argv = ['their.py']; exec(open({path!r}).read(), {{}}); time.sleep(0.2)"
                subprocess.run([sys.executable, '-c', code], user=65534, cwd='/')

            sys.remote_exec = in_their_process
            their = subprocess.Popen(['sleep', '100'], user=65534)
            before = time.monotonic()
            print(attach.main([str(their.pid), '-o', 'theirs/run.footlight']))
            print(attach.main([str(their.pid), '-o', 'run.footlight']))
            print(time.monotonic() - before < 25)
            their.kill()
            ''')
        self.assertEqual(done.stdout.splitlines()[1:], ['0', '2', 'True'], done.stderr)
        self.assertEqual(self.said('info', 'theirs/run.footlight')['script'], '/their.py')
        said, = done.stderr.splitlines()
        self.assertIn('it belongs to user 65534, who must be able to read', said)

    @unittest.skipUnless(os.geteuid() == 0, 'only root may change what a process sees')
    def test_a_process_that_sees_another_root(self):
        os.mkdir(self.path('root'))
        done = self.run_script('''
            import os, sys, time
            from footlight_recorder import attach

            sys.remote_exec = lambda pid, path: print('never')
            child = os.fork()
            if child == 0:
                os.chroot('root')
                time.sleep(100)
            time.sleep(0.5)
            print(attach.main([str(child)]))
            os.kill(child, 9)
            ''')
        self.assertEqual(done.stdout, '2\n')
        self.assertIn('it runs in a container or under another root', done.stderr)

    def test_attach_on_the_command_line(self):
        done = subprocess.run([PROGRAM, 'attach', '1' * 15], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (2, ''))
        self.assertEqual(done.stderr, f'footlight: attach: there is no process {"1" * 15}\n')

    def test_an_exception_passes_through(self):
        done = self.run_script('''
            import footlight_recorder
            with footlight_recorder.record('run.footlight'):
                raise KeyError('passes through')
            ''', code=1)
        self.assertIn("KeyError: 'passes through'", done.stderr)
        said = self.said('info', 'run.footlight')
        self.assertEqual((said['ended'], said['reason']),
                         (True, "the block that was recorded raised KeyError: 'passes through' at script.py:4"))

    def test_a_forked_child_may_record_itself(self):
        self.run_script('''
            import os
            import footlight_recorder
            with footlight_recorder.record('parent.footlight'):
                child = os.fork()
                if child == 0:
                    with footlight_recorder.record('child.footlight'):
                        pass
                    os._exit(0)
                assert os.waitpid(child, 0)[1] == 0
            ''')
        self.assertTrue(self.said('info', 'parent.footlight')['ended'])
        self.assertTrue(self.said('info', 'child.footlight')['ended'])
