"""Modes that see the functions of PyTorch that a program calls."""
modes = []


class TorchFunctionMode:
    def __enter__(self):
        modes.append(self)
        return self

    def __exit__(self, *error):
        modes.remove(self)


def call(function, *args):
    """Calls a function as PyTorch does: the innermost mode sees it, and what that calls is not seen again."""
    if not modes:
        return function(*args)
    mode = modes.pop()
    try:
        return mode.__torch_function__(function, (), args)
    finally:
        modes.append(mode)
