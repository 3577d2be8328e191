"""How compiled functions run: as they are, or eagerly."""
import contextlib

stance = ['default']
running = []  # an item for each compiled graph that runs now


@contextlib.contextmanager
def set_stance(name):
    stance.append(name)
    try:
        yield
    finally:
        stance.pop()
