"""Which functions of the program an adapter hears of while a trace is made: watches are nested, as traces are."""
from with_fakes import WithFakes


class WatchedCalls(WithFakes):
    installed = ()

    def run_file(self, text):
        """What the watches heard. The functions are in a file: code given by -c is none of the program's."""
        self.write('program.py', 'def first(): return 1\ndef second(): return 2\ndef third(): return 3\n')
        done = self.run_python('-c', '''
import sys
sys.path.insert(0, '.')
from footlight_recorder import _recorder
from program import first, second, third

heard = []

def watch(name):
    return _recorder.watch_calls(lambda function, frame: heard.append(f'{name} {function.__name__}'))
''' + text + '\nprint(*heard, sep="\\n")\n')
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        return done.stdout.splitlines()

    def test_only_the_innermost_watch_hears_of_a_call(self):
        self.assertEqual(self.run_file('''
watch('outer')
first()
watch('inner')
first()
second()
_recorder.watch_calls(None)
second()
third()
_recorder.watch_calls(None)
third()
'''), ['outer first', 'inner first', 'inner second', 'outer second', 'outer third'])

    def test_a_function_is_named_once_in_each_watch(self):
        self.assertEqual(self.run_file('''
watch('outer')
first(), first()
_recorder.watch_calls(None)
watch('next')
first(), first()
_recorder.watch_calls(None)
'''), ['outer first', 'next first'])

    def test_a_watch_that_fails_ends_nothing(self):
        self.assertEqual(self.run_file('''
watch('outer')
_recorder.watch_calls(lambda function, frame: 1 / 0)
first()
_recorder.watch_calls(None)
second()
_recorder.watch_calls(None)
'''), ['outer second'])

    def test_the_end_of_the_outermost_watch_removes_the_profile_function(self):
        self.assertEqual(self.run_file('''
watch('outer')
watch('inner')
_recorder.watch_calls(None)
_recorder.watch_calls(None)
_recorder.watch_calls(None)  # one too many
heard.append(str(sys.getprofile()))
first()
'''), ['None'])

    def test_a_profile_function_of_the_program_stays(self):
        self.assertEqual(self.run_file('''
def profile(frame, event, argument):
    if event == 'call':
        heard.append(f'profile {frame.f_code.co_name}')

sys.setprofile(profile)
is_watched = watch('outer')
first()
sys.setprofile(None)
heard.append(str(is_watched))
'''), ['profile watch', 'profile first', 'False'])
