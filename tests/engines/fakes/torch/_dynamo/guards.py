"""Guards of a compiled frame, and what is checked by them."""
class Guard:
    """What a value is compared by. `kind`: TENSOR_MATCH, CONSTANT_MATCH."""

    def __init__(self, name, kind):
        self.name, self.guard_types = name, [kind]
        self.create_fn = lambda builder, guard: None
        self.create_fn.__name__ = kind

    def __lt__(self, other):
        return self.name < other.name


class CheckFunctionManager:
    def __init__(self, *given):
        self.guard_manager = self.check_fn = lambda local: True


def get_guard_fail_reason(guard_fn, code, f_locals):
    return 'the engine\'s own words'
