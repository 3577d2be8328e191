"""Regular expressions: patterns of one character or class have a fast path, which must match what RE2 matches."""
import random
import unittest

import footlight as tf


class Regex(unittest.TestCase):
    def test_single_characters_match_as_in_longer_patterns(self):
        words = random.Random(5)
        letters = 'ab AZ09_-]^[\\.+*\t\n'
        texts = [''.join(words.choice(letters) for _ in range(words.randrange(12))) for _ in range(300)]
        texts += ['', 'é1', '1é2', '\x7f', '日本 1', 'a\0b']
        items = ['a', ' ', '0', '-', ']', '[0-9]', '[^0-9]', '[]a]', '[^]a]', r'[\]a]', '[[:alpha:]]', '[^[:space:]_]', '[a-]',
                 r'\d', r'\D', r'\s', r'\S', r'\w', r'\W', r'\.', r'\+', r'\[', r'\\', r'[\d.]', r'[\\^]', r'[\pL]', r'[é0]']
        for item in items:
            for pattern in (item, item + '+'):
                for rewrite in ('', 'x', 'two', r'<\0>'):
                    for everywhere in (True, False):
                        got, expected = (tf.strings.regex_replace(texts, p, rewrite, replace_global=everywhere)
                                         for p in (pattern, f'(?:{pattern})'))
                        self.assertEqual(list(got.numpy()), list(expected.numpy()), (pattern, rewrite, everywhere))

    def test_values(self):
        def replaced(*arguments, **keywords):
            return tf.strings.regex_replace(*arguments, **keywords).numpy().decode()
        self.assertEqual(replaced('a1b22c', '[0-9]', '#'), 'a#b##c')
        self.assertEqual(replaced('a1b22c', '[0-9]+', '#'), 'a#b#c')
        self.assertEqual(replaced('a1b22c', r'\d', '#', replace_global=False), 'a#b22c')
        self.assertEqual(replaced('a.b', '.', '#'), '###')
        self.assertEqual(replaced('a.b', r'\.', '#'), 'a#b')
        self.assertEqual(replaced('ab', 'a?', '#'), '#b#')
        self.assertEqual(replaced('a^b', '^', '#'), '#a^b')
        self.assertEqual(replaced('a]b]', 'a]', '#'), '#b]')

    def test_a_wrong_pattern_is_named(self):
        for pattern in ('[a', '(', 'a**', '\\', '[b-a]', '+', r'\8'):
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'Invalid pattern'):
                tf.strings.regex_replace('a', pattern, '')
