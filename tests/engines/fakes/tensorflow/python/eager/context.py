"""The context of eager execution."""
import random


class Context:
    _rng = random.Random(0)

    def devices(self):
        return ['/job:localhost/replica:0/task:0/device:CPU:0']


_context = Context()


def context():
    return _context


def executing_eagerly():
    return True
