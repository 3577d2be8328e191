"""Ranks of a distributed run: their files, their recording put together, and which one is late for which reason."""
import json
import os
import shutil

from recorded_processes import Recorded

# Ranks that meet after each step: a file says that one has come. In step 3 one of them works on until all others have
# come, in one of four ways, so it is late however busy the machine is.
RANKS = '''
    import os, sys, time
    import footlight_recorder
    import tensorflow as tf
    folder, mode = sys.argv[1:]
    rank, world = int(os.environ['RANK']), int(os.environ['WORLD_SIZE'])
    def have_come(number, ranks):
        return all(os.path.exists(os.path.join(folder, f'{number}.{r}')) for r in ranks)
    def meet(number):
        with footlight_recorder.span('barrier', 'collective'):
            open(os.path.join(folder, f'{number}.{rank}'), 'w').close()
            while not have_come(number, range(world)):
                time.sleep(0.0005)
    def come_last(number):
        while not have_come(number, [r for r in range(world) if r != rank]):
            time.sleep(0.0005)
        time.sleep(0.2)
    @tf.function
    def step(x):
        if late:  # while it is traced
            come_last(3)
        return tf.reduce_sum(x * x)
    @tf.function
    def products(x):
        for _ in tf.range(400):
            x = tf.matmul(x, x) / 128.0
        return x
    late = False
    products(tf.ones([128, 128]))
    step(tf.ones([4]))
    for number in range(6):
        late = rank == 2 and number == 3
        if late and mode == 'input':
            with footlight_recorder.span('shards', 'input'):
                come_last(number)
        if late and mode == 'python':
            with footlight_recorder.span('augment'):
                come_last(number)
        for n in range(1000 if late and mode == 'ops' else 0):
            products(tf.ones([128, 128]))
            if n >= 8 and have_come(number, [0, 1, 3]):
                break
        if late and mode == 'ops':
            products(tf.ones([128, 128]))
        step(tf.ones([5 if late and mode == 'retrace' else 4]))
        meet(number)
    '''

# Ranks of which, before each meeting, one comes last by a sleep of its own. It notes how long it slept, and for what.
SLEEPING = '''
    import json, os, sys, time
    import footlight_recorder
    import tensorflow as tf
    folder, plan = sys.argv[1:]
    rank, world = int(os.environ['RANK']), int(os.environ['WORLD_SIZE'])
    slept = {}
    def have_come(number, ranks):
        return all(os.path.exists(os.path.join(folder, f'{number}.{r}')) for r in ranks)
    def meet(number):
        with footlight_recorder.span('barrier', 'collective'):
            open(os.path.join(folder, f'{number}.{rank}'), 'w').close()
            while not have_come(number, range(world)):
                time.sleep(0.0005)
    def come_last(number, why, seconds):
        while not have_come(number, [r for r in range(world) if r != rank]):
            time.sleep(0.0005)
        began = time.perf_counter()
        time.sleep(seconds)
        times, ms = slept.get(why, (0, 0))
        slept[why] = (times + 1, ms + 1000 * (time.perf_counter() - began))
    @tf.function
    def step(x):
        if late:  # while it is traced
            come_last(number, 'retrace', 0.6)
        return tf.reduce_sum(x * x)
    late, number = False, 0
    step(tf.ones([4]))
    meet(0)
    for number in range(1, 26):
        if plan == 'turns':
            if number % world == rank:
                come_last(number, 'python', 0.1)
        elif number == 9:
            late = rank == 3
        elif number in (5, 12, 20):
            if rank == 2:
                with footlight_recorder.span('shards', 'input'):
                    come_last(number, 'input', 0.4)
        elif rank == 1:
            come_last(number, 'python', 0.05)
        step(tf.ones([5 if late else 4]))
        late = False
        meet(number)
    with open(os.path.join(folder, f'slept.{rank}'), 'w') as file:
        json.dump(slept, file)
    '''

LAUNCH = '''
    import os, subprocess, sys
    world = '4'
    started = [subprocess.Popen([sys.executable, sys.argv[1], *sys.argv[2:]],
                                env={**os.environ, 'RANK': str(rank), 'WORLD_SIZE': world, 'LOCAL_RANK': str(rank)})
               for rank in range(int(world))]
    sys.exit(max(process.wait() for process in started))
    '''


class Ranks(Recorded):

    def launched(self, mode):
        self.write('ranks.py', RANKS)
        self.launched_as_written(mode)

    def launched_as_written(self, mode):
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
                groups = [group for group in found['late']
                          if (group['rank'], group['why'], group['where']) == (2, why, where)]
                self.assertEqual([(group['collective'], group['explained']) for group in groups],
                                 [('barrier #4', True)], said)
                self.assertIn('Rank 2 is late at', groups[0]['sentence'])
                self.assertIn('barrier #4', groups[0]['sentence'])
                for file in self.files():
                    if 'merged' in file:
                        os.remove(os.path.join(self.folder, file))

    def test_in_the_report(self):
        self.launched('retrace')
        self.merged('run.footlight')
        report = self.run_program('report', 'run-merged.footlight').stdout
        self.assertIn('\n## Ranks\n', report)
        self.assertRegex(report, r'\| Rank 2 \| tracing \| step \| \d+ \|')
        self.assertIn('ranks', json.loads(self.run_program('report', '--json', 'run-merged.footlight').stdout))

    def check_times_of_rank_0(self):
        """Ranks have found out how far their clocks are apart: by nothing, as they all are on one machine."""
        for rank in (1, 2, 3):
            (offset, error), = self.rows(f'run.rank{rank}.footlight', 'SELECT clock_offset_ns, clock_error_ns FROM process')
            self.assertGreater(error, 0)
            self.assertLessEqual(abs(offset), error)
        self.assertEqual(self.rows('run.rank0.footlight', 'SELECT clock_offset_ns, clock_error_ns FROM process'), [(0, 0)])
        self.assertEqual([name for name in os.listdir(self.folder) if name.startswith('.footlight-clocks')], [])

    def late_findings(self, plan):
        self.write('ranks.py', SLEEPING)
        self.launched_as_written(plan)
        self.merged('run.footlight')
        done = self.run_program('report', '--json', 'run-merged.footlight')
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        return [found for found in json.loads(done.stdout)['findings'] if found['cause'] == 'late_rank']

    def test_findings_are_what_ranks_slept(self):
        found = {finding['title']: finding for finding in self.late_findings('own')}
        titles = {(3, 'retrace'): 'Rank 3 is late: it traces step again',
                  (2, 'input'): 'Rank 2 is late: it waits for its input, shards',
                  (1, 'python'): 'Rank 1 is late: Python takes longer'}
        self.assertEqual(sorted(found), sorted(titles.values()))
        for (rank, why), title in titles.items():
            with open(self.path(f'meeting/slept.{rank}'), encoding='utf-8') as file:
                slept = json.load(file)
            self.assertEqual(list(slept), [why])
            times, ms = slept[why]
            one = found[title]
            late = int(one['evidence']['facts'].get('Late', '1 times').split(' ')[0])
            self.assertTrue(0.8 * times <= late <= times, (late, times))
            # Others may come before the rank begins to sleep, never after that.
            self.assertGreaterEqual(one['cost_ms'], 0.95 * ms * late / times)
            self.assertIn('the other 3 ranks waited', one['message'])
            self.assertIs(one['checked'], False)
        self.check_times_of_rank_0()
        self.assertEqual(found[titles[3, 'retrace']]['evidence']['collective'], 'barrier #10')
        self.assertEqual(found[titles[3, 'retrace']]['function'], 'step')
        self.assertIn('shape of x', found[titles[3, 'retrace']]['fix']['text'])
        self.assertIn('Rank 2 is late: it waits for its input, shards',
                      self.run_program('report', 'run-merged.footlight').stdout)

    def test_no_finding_where_ranks_are_late_in_turn(self):
        self.assertEqual(self.late_findings('turns'), [])

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

    def test_folders_and_what_is_damaged(self):
        self.launched('none')
        done = self.run_program('merge', self.folder, '-o', 'all.footlight')
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        rows = 'SELECT rank, kind, pid FROM process'
        all_of_folder = self.rows('all.footlight', rows)
        self.assertEqual(len(all_of_folder), 5)
        # The merged one lies in the folder too, and is no part of the next; the order of files does not matter.
        files = [file for file in self.files() if file != 'all.footlight']
        self.merged(*reversed(files), '-o', 'again.footlight')
        self.assertEqual(self.rows('again.footlight', rows), all_of_folder)
        self.merged(self.folder, '-o', 'third.footlight')
        self.assertEqual(self.rows('third.footlight', rows), all_of_folder)
        spans = "SELECT count(*) FROM call_summary"
        self.assertEqual(self.rows('again.footlight', spans), self.rows('all.footlight', spans))
        os.mkdir(self.path('empty'))
        os.mkdir(self.path('one'))
        shutil.copy(self.path(files[1]), self.path('one/only.footlight'))
        self.write('nothing.footlight', '')
        self.write('text.footlight', 'not a recording, but more text than the head of one: ' + 'x' * 100)
        with open(self.path(files[1]), 'rb') as whole, open(self.path('half.footlight'), 'wb') as half:
            half.write(whole.read()[:3000])
        for given, words in ((['empty'], 'there is no recording in this folder'),
                             (['one'], 'nothing to be put together'), ([files[1], 'nothing.footlight'], 'nothing.footlight'),
                             ([files[1], 'text.footlight'], 'text.footlight'), ([files[2], 'half.footlight'], 'half')):
            with self.subTest(given):
                done = self.run_program('merge', *given, '-o', 'never.footlight')
                self.assertEqual(done.returncode, 2, done.stdout)
                self.assertIn(words, done.stderr)
                self.assertFalse(os.path.exists(self.path('never.footlight')))

    def test_the_table(self):
        self.launched('retrace')
        self.merged('run.footlight')
        said = self.run_program('ranks', 'run-merged.footlight').stdout
        self.assertRegex(said, r'\nRank 2 +tracing +step +barrier #4 +\S+:\d+ +1 ')
        self.assertRegex(said, r'\nRank 3 +6 +\d+ +[\d.]+ +2\n')
        page = self.run_program('report', '--html', 'run-merged.footlight', '-o', 'report.html')
        self.assertEqual(page.returncode, 0, page.stderr)
        with open(self.path('report.html'), encoding='utf-8') as file:
            text = file.read()
        self.assertIn('<h2>Ranks</h2><p>', text)
        self.assertRegex(text, '<td>Rank 2</td><td>tracing</td><td><code>step</code></td><td>barrier #4</td>')

    def test_the_table_of_names_that_are_not_ascii(self):
        self.write('ranks.py', RANKS.replace("'augment'", "'é訓練'"))
        self.launched_as_written('python')
        self.merged('run.footlight')
        lines = self.run_program('ranks', 'run-merged.footlight').stdout.splitlines()
        head = next(line for line in lines if line.startswith('late '))
        row = next(line for line in lines if line.startswith('Rank 2 ') and '  é訓練  ' in line)
        wide = row.replace('訓', '訓.').replace('練', '練.')  # one character for each column
        self.assertEqual(wide.index('barrier'), head.index('worst at'))

    def test_names_of_files(self):
        script = self.write('script.py', 'print("ran")')
        for given, made in (('a.footlight', 'a.rank1.footlight'), ('b-{rank}.footlight', 'b-1.footlight')):
            done = self.run_program('record', '-o', given, script, RANK='1', WORLD_SIZE='2', LOCAL_RANK='1')
            self.assertEqual((done.returncode, done.stdout), (0, 'ran\n'), done.stderr)
            self.assertIn(made, self.files())
            self.assertEqual(self.rows(made, 'SELECT rank, world, local_rank, kind FROM process'), [(1, 2, 1, 'rank')])
