"""What recordings say of calls whose arguments do not fit the function."""
import recorded
from folder_case import FolderCase
from footlight_program import report, table


class RefusedCalls(FolderCase):
    def test_calls_whose_arguments_do_not_fit_are_recorded_as_failed(self):
        session = recorded.record(self.folder, '''
@tf.function
def doubled(x, twice=True):
    return 2 * x
@tf.function(input_signature=[tf.TensorSpec([2])])
def signed(x):
    return x
for call in (lambda: doubled(), lambda: doubled(1., wrong=2), lambda: signed(tf.ones([3])), lambda: doubled(1.)):
    try:
        call()
    except (TypeError, ValueError):
        pass
''')
        self.assertEqual([(row['function'], row['outcome'], row['trace'] != '', row['source'].endswith('script.py:9'))
                          for row in table(session, 'calls')],
                         [('doubled', 'failed', False, True), ('doubled', 'failed', False, True),
                          ('signed', 'failed', False, True), ('doubled', 'trace', True, True)])
        functions = {f['function']: (f['calls'], f['failed']) for f in report(session)['functions']}
        self.assertEqual(functions, {'doubled': (3, 2), 'signed': (1, 1)})
