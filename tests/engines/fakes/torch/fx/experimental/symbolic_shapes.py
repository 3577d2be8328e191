"""Sizes that are symbols until a statement fixes them."""
from types import SimpleNamespace


class ShapeEnv:
    def __init__(self):
        self.replacements, self.var_to_sources = {}, {}

    def _set_replacement(self, a, tgt, msg):
        self.replacements[a] = tgt


def fix(source, value):
    """A statement fixes the size that is read from `source`."""
    shapes = ShapeEnv()
    shapes.var_to_sources['s0'] = [SimpleNamespace(name=lambda: source)]
    shapes._set_replacement('s0', Number(value), 'evaluate_expr')


class Number(int):
    is_Integer = True
