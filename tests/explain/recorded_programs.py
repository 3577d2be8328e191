"""Whole programs: recorded, reported, and recorded again with the fixes that are edits of one line."""
import json
import textwrap

import recorded
from folder_case import FolderCase


class ProgramCase(FolderCase):
    def report(self, lines, fails=False):
        return recorded.report(recorded.record_text(self.folder, '\n'.join(lines) + '\n', fails))

    def lines_of(self, body):
        return ['import tensorflow as tf'] + textwrap.dedent(body).strip('\n').split('\n')

    def check(self, body, *wanted):
        """`wanted`: cause, function, path, line, traces before and after the fix, of each finding in order."""
        lines = self.lines_of(body)
        report = self.report(lines)
        found = []
        for f in report['findings']:
            c = f['checked']
            found.append((f['cause'], f['function'], f['path'], f['line'], c['traces_before'], c['traces_after']))
            self.assertTrue(c['ok'] and c['method'] == 'replay', f)
            for fix in [{**f['fix'], 'checked': c}, *f['alternatives']]:
                if fix['edit'] and fix['checked']:
                    self.apply(lines, f['function'], fix)
        self.assertEqual(found, list(wanted), json.dumps(report['findings'], indent=1))
        if len(found) == 1:
            self.assertGreaterEqual(report['summary']['removable_traces'], found[0][4] - found[0][5])
            self.check_removable(lines, report)
        return report

    def check_removable(self, lines, report):
        """No more traces are called removable than go away, those of other functions too, with the fix applied."""
        [finding] = report['findings']
        if not finding['fix']['edit']:
            return
        fixed = self.report(self.edited(lines, finding['fix']['edit']))
        spared = report['summary']['traces'] - fixed['summary']['traces']
        self.assertLessEqual(report['summary']['removable_traces'], spared)

    def edited(self, lines, edit):
        text = lines[edit['line'] - 1]
        self.assertIn(edit['old'], text)
        return [*lines[:edit['line'] - 1], text.replace(edit['old'], edit['new']), *lines[edit['line']:]]

    def apply(self, lines, function, fix):
        edited = self.edited(lines, fix['edit'])
        after = {f['function']: f['traces'] for f in self.report(edited)['functions']}
        self.assertEqual(after[function], fix['checked']['traces_after'], fix['edit'])
