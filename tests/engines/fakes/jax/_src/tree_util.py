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


def tree_leaves(value):
    if isinstance(value, (tuple, list)):
        return [leaf for item in value for leaf in tree_leaves(item)]
    return [leaf for item in value.values() for leaf in tree_leaves(item)] if isinstance(value, dict) else [value]


def tree_map(change, value):
    if isinstance(value, (tuple, list)):
        return type(value)(tree_map(change, item) for item in value)
    return {key: tree_map(change, item) for key, item in value.items()} if isinstance(value, dict) else change(value)
