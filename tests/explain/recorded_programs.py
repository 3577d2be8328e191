"""Whole programs: recorded, reported, and recorded again with the fixes that are edits of one line."""
import json
import textwrap

import recorded


class ProgramCase(recorded.Case):
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
                    self.apply(list(lines), f['function'], fix)
        self.assertEqual(found, list(wanted), json.dumps(report['findings'], indent=1))
        if len(found) == 1:
            self.assertEqual(report['summary']['removable_traces'], found[0][4] - found[0][5])
        return report

    def apply(self, lines, function, fix):
        edit = fix['edit']
        text = lines[edit['line'] - 1]
        self.assertIn(edit['old'], text)
        lines[edit['line'] - 1] = text.replace(edit['old'], edit['new'])
        after = {f['function']: f['traces'] for f in self.report(lines)['functions']}
        self.assertEqual(after[function], fix['checked']['traces_after'], edit)
