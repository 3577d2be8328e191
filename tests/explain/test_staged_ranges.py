"""Loops over range() that fill a graph: those that may run over tf.range() have an edit that gives the same numbers."""
import footlight_program
import recorded
from folder_case import FolderCase

# The body of a function of x, float32 of the shape [3]; what has to be done first, or the loop of the edit.
LOOPS = {
    'nothing_read': ('''
        for _ in range(120):
            x = tf.sin(x)
        return x''', 'for _ in tf.range(120):'),
    'an_index': ('''
        for i in range(120):
            x = x + table[i]
        return x''', 'for i in tf.range(120):'),
    'an_index_that_wraps': ('''
        total = tf.zeros([])
        for i in range(120):
            total = total + x[i % 3] * 0.5
        return total''', 'for i in tf.range(120):'),
    'a_float': ('''
        for i in range(120):
            x = x + 1.0 / (i + 1)
        return x''', 'for i in tf.range(120, dtype=tf.float32):'),
    'a_double': ('''
        y = tf.cast(x, tf.float64)
        for i in range(120):
            y = y * 0.5 + 0.1 * i
        return y''', 'for i in tf.range(120, dtype=tf.float64):'),
    'on_one_line': ('''
        for i in range(120): x = x * 0.9 + i
        return x''', 'for i in tf.range(120, dtype=tf.float32): x = x * 0.9 + i'),
    'a_cast': ('''
        for i in range(120):
            x = x + tf.cast(i, tf.float32)
        return x''', 'for i in tf.range(120):'),
    'two_lines': ('''
        power = tf.ones_like(x)
        for k in range(120):
            x = x + power / (
                k + 1.0)
            power = power * 0.5
        return x''', 'for k in tf.range(120, dtype=tf.float32):'),
    'a_float_state': ('''
        total = tf.zeros([3])
        for i in range(120):
            y = x * 0.5
            total += y
        return total''', 'for i in tf.range(120):'),
    'a_helper': ('''
        for i in range(120):
            x = halved(x)
        return x''', 'for i in tf.range(120):'),
    'an_index_and_a_float': ('''
        for i in range(120):
            x = x + table[i] / (i + 1)
        return x''', 'tf.cast() i where line'),
    'variables': ('''
        for i in range(120):
            x = x + weights[i]
        return x''', 'without the Python number i'),
    'a_table_of_numbers': ('''
        for i in range(120):
            x = x * numbers[i]
        return x''', 'without the Python number i'),
    'a_list': ('''
        kept = []
        for i in range(120):
            kept.append(x[i % 3])
        return tf.stack(kept)''', 'tf.TensorArray'),
    'a_state_that_grows': ('''
        out = tf.zeros([0])
        for i in range(120):
            out = tf.concat([out, x[:1]], 0)
        return out''', 'of one shape'),
    'a_state_that_is_broadcast': ('''
        total = tf.zeros([])
        for i in range(120):
            total = total + x
        return total''', 'of one shape'),
    'none_at_first': ('''
        best = None
        for i in range(120):
            y = tf.reduce_sum(x) * 0.5
            best = y if best is None else tf.maximum(best, y)
        return best''', 'before the loop, where it is None'),
    'an_integer_at_first': ('''
        total = 0
        for i in range(120):
            total = total + tf.reduce_sum(x)
        return total''', 'before the loop, where it is 0'),
    'a_python_number': ('''
        rate = 1.0
        for i in range(120):
            rate = rate * 0.99
            x = x * rate
        return x''', 'compute rate with tensors'),
    'a_condition': ('''
        for i in range(240):
            if i % 2:
                x = x + 1.0
            else:
                x = x * 0.5
        return x''', 'without the Python number i'),
    'a_text': ('''
        for i in range(120):
            with tf.name_scope(f"turn_{i}"):
                x = x + 1.0
        return x''', 'without i in a text'),
    'math_of_python': ('''
        for i in range(120):
            x = x + math.sin(0.1 * i)
        return x''', 'without the Python number i'),
    'a_break': ('''
        for i in range(120):
            x = x * 0.9 + 0.1
            if numbers[0] > 5.0:
                break
        return x''', 'without `break`'),
    'read_behind_the_loop': ('''
        for i in range(120):
            y = x * 0.5
            x = x + y
        return x + y''', 'give y a tensor before the loop'),
}
HEAD = '''
import math
table = tf.reshape(tf.range(360, dtype=tf.float32), [120, 3]) * 0.01
weights = [tf.Variable(tf.ones([3]) * (0.01 * k)) for k in range(120)]
numbers = [1.0 + 0.001 * k for k in range(120)]
def halved(v):
    return v * 0.5 + 0.1
'''


class StagedRanges(FolderCase):
    def test_each_loop(self):
        program = HEAD
        for name, (body, _) in LOOPS.items():
            lines = body.strip('\n').splitlines()
            program += f'@tf.function\ndef {name}(x):\n' + '\n'.join(line[4:] for line in lines) + '\n'
        program += f'''for f in ({', '.join(LOOPS)}):
    print([round(float(v), 3) for v in tf.reshape(f(tf.constant([0.1, 0.2, 0.3])), [-1])])
'''
        session = recorded.record(self.folder, program)
        findings = footlight_program.report(session)['findings']
        found = {f['function']: f for f in findings if f['cause'] == 'unrolled_loop'}
        self.assertEqual(set(found), set(LOOPS))
        lines = ('import tensorflow as tf\n' + program).splitlines()
        edited = list(lines)
        for name, (_, wanted) in LOOPS.items():
            with self.subTest(name):
                fix = found[name]['fix']
                if not wanted.startswith('for '):
                    self.assertIsNone(fix['edit'], fix)
                    self.assertIn('First ', fix['text'])
                    self.assertIn(wanted, fix['text'])
                    continue
                self.assertIsNotNone(fix['edit'], fix)
                self.assertEqual(fix['edit']['new'], wanted)
                at = fix['edit']['line'] - 1
                self.assertEqual(lines[at].strip(), fix['edit']['old'])
                edited[at] = lines[at].replace(fix['edit']['old'], fix['edit']['new'])
        before = self.output_of('before.py', lines)
        self.assertEqual(len(before), len(LOOPS))
        self.assertEqual(self.output_of('after.py', edited), before)

    def output_of(self, name, lines):
        script = self.write(name, '\n'.join(lines) + '\n')
        return footlight_program.record(self.path(name + '.footlight'), script).stdout.splitlines()
