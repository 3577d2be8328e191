"""Hot functions that run eagerly: where the finding has an edit, the edited program prints the same; where the body
would not do the same in a graph, the fix says what has to change first, and at which line.
"""
import re
import subprocess
import sys
import textwrap

import footlight_program
import recorded
from folder_case import FolderCase

# Each prints its result; the edit is made.
CLEAN = {
    'a function': '''
        w = tf.Variable(tf.ones([4, 4]) * 0.1)
        def step(x, scale=2.0):
            """Prints nothing: x.numpy(), float(x)."""
            parts = []
            for k in range(3):
                parts.append(tf.tanh(x @ w) * float(k) + int(x.shape[0]))
            total = tf.add_n(parts) * scale
            w.assign_add(total * 1e-4)
            return tf.reduce_sum(total)
        for _ in range(400):
            last = step(tf.ones([4, 4]))
        print(round(float(last), 3))
    ''',
    'a method and its helper': '''
        class Net:
            def __init__(self):
                self.w = tf.Variable(tf.ones([4]) * 0.5)
                self.rate = 0.001
            def layer(self, x):
                n = x.shape[0]
                return tf.tanh(x * self.w) / float(n)
            def step(self, x):
                outputs, made = {}, x
                made = []
                with tf.GradientTape() as tape:
                    h = x
                    for k in range(2):
                        h = self.layer(h)
                        outputs[k] = h
                        made.append(h)
                    loss = tf.reduce_sum(outputs[1] ** 2) + tf.reduce_sum(made[0]) * 0.0
                grad = tape.gradient(loss, self.w)
                self.w.assign_sub(self.rate * grad)
                return loss
        net = Net()
        for _ in range(400):
            last = net.step(tf.ones([4]))
        print(round(float(last), 4))
    ''',
}

# What the fix must say, and no edit.
FIRST = {
    'state in attributes': (['keep self.x in a tf.Variable', 'keep self.n in a tf.Variable'], '''
        class Filter:
            def __init__(self):
                self.x, self.n = tf.zeros([2]), 0
            def update(self, z):
                x = tf.tanh(self.x + z) * 0.5 + tf.sin(z) - tf.cos(z) + 1.0
                self.x = x  # here
                self.n += 1  # here
                return x
        kf = Filter()
        for i in range(500):
            kf.update(tf.ones([2]))
    '''),
    'globals and containers': (["keep stats['n'] in a tf.Variable", 'keep total in a tf.Variable', 'move .append()'], '''
        stats, total = {'n': 0}, 0.0
        def step(x, log=[]):
            global total
            y = tf.tanh(x) * 2.0 + tf.sin(x) - tf.cos(x) + 1.0
            stats['n'] += 1  # here
            total = total + y  # here
            log.append(y)  # here
            return y
        for i in range(500):
            step(tf.ones([2]))
    '''),
    'a nonlocal name and an alias': (['keep best in a tf.Variable', "keep p['seen'] in a tf.Variable"], '''
        table = {'seen': 0}
        def make():
            best = 0.0
            def step(x):
                nonlocal best
                p = table
                p['seen'] = 1  # here
                y = tf.tanh(x) * 2.0 + tf.sin(x) - tf.cos(x) + 1.0
                best = tf.maximum(best, y)  # here
                return y
            return step
        step = make()
        for i in range(500):
            step(tf.ones([2]))
    '''),
    'numbers out of tensors': (['move float()', 'move .numpy()', 'move bool()'], '''
        def step(x):
            y = tf.tanh(x) * 2.0 + tf.sin(x) - tf.cos(x) + 1.0
            norm = float(tf.norm(y))  # here
            z = y.numpy().sum() + norm  # here
            return bool(y[0] > 0), z  # here
        for i in range(500):
            step(tf.ones([2]))
    '''),
    'prints, clocks and generators': (
        ['move time.time()', 'draw with tf.random in place of np.random', 'draw with tf.random in place of rng',
         'use tf.print in place of print()'], '''
        import time
        import numpy as np
        rng = np.random.default_rng(0)
        def step(x):
            start = time.time()  # here
            y = tf.tanh(x) + np.random.normal(size=2).astype('float32')  # here
            y = y * rng.uniform() + tf.sin(x) - tf.cos(x)  # here
            if start < 0:
                print(y)  # here
            return y
        for i in range(500):
            step(tf.ones([2]))
    '''),
    'in a helper': (['move .numpy()'], '''
        def report(y):
            return y.numpy()  # here
        def step(x):
            y = tf.tanh(x) * 2.0 + tf.sin(x) - tf.cos(x) + 1.0
            report(y)
            return y
        for i in range(500):
            step(tf.ones([2]))
    '''),
    'a number that the loop changes': (['pass lr'], '''
        w = tf.Variable(tf.ones([2]))
        lr = 0.1
        def step(x):
            y = tf.tanh(x * w) * 2.0 + tf.sin(x) - tf.cos(x) + 1.0
            w.assign_sub(lr * y)  # here
            return y
        for i in range(500):
            step(tf.ones([2]))
            lr *= 0.99
    '''),
}


class EagerEdits(FolderCase):
    def found(self, body):
        report = footlight_program.report(recorded.record(self.folder, body))
        found, = [f for f in report['findings'] if f['cause'] == 'eager_hot_loop']
        return found

    def printed(self, text):
        script = self.write('alone.py', text)
        done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_the_edited_program_prints_the_same(self):
        for name, body in CLEAN.items():
            with self.subTest(name):
                edit = self.found(body)['fix']['edit']
                self.assertIsNotNone(edit)
                text = 'import footlight as tf\n' + textwrap.dedent(body)
                lines = text.splitlines(keepends=True)
                at = edit['line'] - 1
                self.assertTrue(lines[at].startswith(edit['old']), edit)
                decorator, definition = edit['new'].split('\n')
                self.assertEqual(definition, edit['old'])
                indent = re.match(' *', edit['old']).group()
                self.assertEqual(decorator, indent + '@tf.function')
                lines[at] = lines[at].replace(edit['old'], edit['new'])
                self.assertEqual(self.printed(''.join(lines)), self.printed(text))

    def test_what_has_to_change_first_is_said_with_its_line(self):
        for name, (steps, body) in recorded.without_numpy(FIRST, lambda program: program[1]).items():
            with self.subTest(name):
                found = self.found(body)
                lines = ('import tensorflow as tf\n' + textwrap.dedent(body)).splitlines()
                marked = [i for i, line in enumerate(lines, 1) if line.endswith('# here')]
                fix = found['fix']
                self.assertIsNone(fix['edit'])
                self.assertTrue(fix['text'].startswith('First '), fix)
                self.assertRegex(fix['text'], r'; then write @tf\.function before def \w+$')
                for step in steps:
                    self.assertIn(step, fix['text'])
                named = {int(line) for line in re.findall(r'line (\d+)', fix['text'])}
                self.assertEqual(sorted(line for line in named if line <= marked[-1]), marked, fix)
