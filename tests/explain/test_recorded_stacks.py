"""Call stacks that recordings hold beside traces."""
import sqlite3

import recorded
from folder_case import FolderCase


class Stacks(FolderCase):
    def test_who_let_a_function_trace(self):
        """All lines from the call to the script."""
        session = recorded.record(self.folder, '''
            @tf.function
            def inner(x):
                return x * 2.0
            def helper(x):
                return inner(x)
            def run():
                return helper(tf.ones([2]))
            run()
        ''')
        with sqlite3.connect(session) as db:
            [at] = [number for number, in db.execute('select location from trace')]
            lines = []
            while at is not None:
                at, code, offset = db.execute('select caller, source_code, source_offset from location where id = ?',
                                              (at,)).fetchone()
                lines.append(db.execute('select line from code_line where code = ? and first_offset <= ? '
                                        'order by first_offset desc', (code, offset)).fetchone()[0])
        self.assertEqual(lines[:3], [7, 9, 10])  # then Python's own that run the script
