"""Guards of a compiled frame, and what is checked by them."""
class Guard:
    """What a value is compared by. `kind`: TENSOR_MATCH, CONSTANT_MATCH."""

    def __init__(self, name, kind):
        self.name, self.kind, self.guard_types = name, kind, [kind]

    def create_fn_name(self):
        return self.kind

    def __lt__(self, other):
        return self.name < other.name


class CheckFunctionManager:
    def __init__(self, f_code, output_graph, cache_entries=None):
        self.guard_manager = object()
