"""Trees of one level."""
class _Registry:
    def flatten_one_level(self, value):
        return None


default_registry = _Registry()


def tree_flatten(value):
    return [value], type(value)


def tree_flatten_with_path(value):
    if isinstance(value, dict):
        return [((key,), value[key]) for key in sorted(value)], None
    return [((), value)], None


def keystr(path):
    return ''.join(f'[{key!r}]' for key in path)
