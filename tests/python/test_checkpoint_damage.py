"""Checkpoints that are damaged, and programs that are killed while they save."""
import os
import random
import resource
import shutil
import signal
import time

import footlight as tf
from folder_case import FolderCase

GOLDEN = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'golden', 'checkpoints')
EXPECTED = (tf.errors.DataLossError, tf.errors.NotFoundError, tf.errors.UnimplementedError,
            tf.errors.ResourceExhaustedError)
DATA, INDEX = '.data-00000-of-00001', '.index'


def read_all(prefix):
    """{name: value}, or the class of the error."""
    try:
        reader = tf.train.load_checkpoint(prefix)
        return {name: value_of(reader, name) for name, _ in tf.train.list_variables(prefix)}
    except EXPECTED as error:
        return type(error)


def value_of(reader, name):
    try:
        value = reader.get_tensor(name)
    except TypeError as error:  # bfloat16, which NumPy alone does not have
        return str(error)
    return value.tolist() if hasattr(value, 'tolist') else value


class Damaged(FolderCase):
    def setUp(self):
        super().setUp()
        self.prefix = self.path('ck')
        self.whole = {}
        for ending in (DATA, INDEX):
            shutil.copy(os.path.join(GOLDEN, 'objects-1' + ending), self.prefix + ending)
            with open(self.prefix + ending, 'rb') as file:
                self.whole[ending] = file.read()
        self.values = read_all(self.prefix)
        self.assertEqual(len(self.values), 14)

    def tried(self, ending, content):
        with open(self.prefix + ending, 'wb') as file:
            file.write(content)
        found = read_all(self.prefix)
        # A byte that nothing refers to may have any value.
        self.assertTrue(found in EXPECTED or found == self.values, (ending, found))
        return found in EXPECTED

    def test_every_byte_of_the_index(self):
        whole = self.whole[INDEX]
        noticed = sum(self.tried(INDEX, whole[:i] + bytes([whole[i] ^ flip]) + whole[i + 1:])
                      for i in range(len(whole)) for flip in (1, 0x80))
        self.assertGreater(noticed, len(whole) * 1.8)

    def test_every_byte_of_the_values(self):
        whole = self.whole[DATA]
        for i in range(len(whole)):
            self.assertTrue(self.tried(DATA, whole[:i] + bytes([whole[i] ^ 16]) + whole[i + 1:]), i)

    def test_every_end(self):
        for ending in (DATA, INDEX):
            for size in range(0, len(self.whole[ending]), 3):
                self.assertTrue(self.tried(ending, self.whole[ending][:size]), (ending, size))
            self.tried(ending, self.whole[ending])

    def test_words_for_it(self):
        whole = self.whole[DATA]
        self.tried(DATA, bytes([whole[0] ^ 1]) + whole[1:])
        with self.assertRaisesRegex(tf.errors.DataLossError, "damaged: the tensor 'step/.ATTRIBUTES/VARIABLE_VALUE' does "
                                                             'not match its checksum'):
            tf.train.load_variable(self.prefix, 'step/.ATTRIBUTES/VARIABLE_VALUE')
        os.remove(self.prefix + DATA)
        with self.assertRaisesRegex(tf.errors.NotFoundError, 'data-00000-of-00001: cannot open'):
            tf.train.load_variable(self.prefix, 'step/.ATTRIBUTES/VARIABLE_VALUE')
        self.write(self.prefix + INDEX, 'no index at all\n' * 10)
        with self.assertRaisesRegex(tf.errors.DataLossError, 'not a table'):
            tf.train.load_checkpoint(self.prefix)


class Killed(FolderCase):
    """A child saves over and over under one name and is killed: the checkpoint that is there is a whole one."""

    def setUp(self):
        super().setUp()
        self.prefix = self.path('ck')
        self.variables = [tf.Variable(tf.zeros([n])) for n in (1, 100, 5000)]
        self.checkpoint = tf.train.Checkpoint(v=self.variables)
        self.checkpoint.write(self.prefix)

    def write(self, number):
        for variable in self.variables:
            variable.assign(tf.fill(variable.shape, float(number)))
        self.checkpoint.write(self.prefix)

    def child(self, body):
        pid = os.fork()
        if pid == 0:
            try:
                body()
            finally:
                os._exit(1)
        return pid

    def check(self, least):
        values = read_all(self.prefix)
        self.assertIsInstance(values, dict, values)
        found = {x for name, value in values.items() if 'VARIABLE_VALUE' in name for x in value}
        self.assertEqual(len(found), 1, 'parts of two checkpoints')
        number = found.pop()
        self.assertGreaterEqual(number, least)
        self.checkpoint.read(self.prefix).assert_consumed()
        return number

    def test_at_any_moment(self):
        number, advanced = 0, 0
        rng = random.Random(20)
        for turn in range(40):
            saved, says = os.pipe()

            def save_for_ever():
                n = number
                while True:
                    n += 1
                    self.write(n)
                    if n == number + 1:
                        os.write(says, b'1')
            pid = self.child(save_for_ever)
            os.close(says)
            if turn % 2:
                os.read(saved, 1)  # on a slow machine none would get as far
            time.sleep(rng.random() * 0.02)
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            os.close(saved)
            now = self.check(number)
            advanced += now > number
            number = now
        self.assertGreaterEqual(advanced, 20)

    def test_in_the_middle_of_a_file(self):
        # The system kills the child when a file would become larger than this.
        size = os.path.getsize(self.prefix + DATA)
        index = os.path.getsize(self.prefix + INDEX)
        for most in (1, index - 1, index, 500, size // 2, size - 1):
            def save_until_killed():
                signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
                resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
                resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
                self.write(7)
            _, status = os.waitpid(self.child(save_until_killed), 0)
            self.assertTrue(os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXFSZ, (most, status))
            self.assertEqual(self.check(0), 0)

    def test_an_error_in_the_middle_of_a_file(self):
        def save_until_full():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))  # Python ignores the signal, so the write fails
            try:
                self.write(7)
            except tf.errors.ResourceExhaustedError as error:
                os._exit(3 if 'cannot write' in str(error) else 4)
        _, status = os.waitpid(self.child(save_until_full), 0)
        self.assertEqual(os.waitstatus_to_exitcode(status), 3)
        self.assertEqual(self.check(0), 0)
        self.assertEqual(sorted(os.listdir(os.path.dirname(self.prefix))), ['ck' + DATA, 'ck' + INDEX])

    def test_between_two_renames(self):
        # What a kill leaves then: values under another name, and an index that refers to them. The second rename fails
        # here, as it meets a folder.
        self.write(1)
        values, index = self.prefix + DATA, self.prefix + INDEX
        os.rename(values, values + '.aside')
        os.mkdir(values)
        with self.assertRaisesRegex(tf.errors.OpError, 'rename'):
            self.write(2)
        os.rmdir(values)
        os.rename(values + '.aside', values)
        self.assertTrue(os.path.exists(self.prefix + '.data-00001-of-00002'))
        self.assertEqual(self.check(2), 2)
        self.write(60)
        self.assertEqual(self.check(60), 60)
        self.write(61)
        self.assertEqual(self.check(61), 61)
        self.assertTrue(os.path.exists(values) and os.path.exists(index))
