"""Settings that a trace depends on."""
import contextlib

settings = {'enable_x64': False, 'jax_rank_promotion': 'allow', 'mesh': None}
is_jit_disabled = False


def trace_context():
    return tuple(settings.values())


@contextlib.contextmanager
def changed(**values):
    before = dict(settings)
    settings.update({name if name in settings else f'jax_{name}': value for name, value in values.items()})
    try:
        yield
    finally:
        settings.update(before)


def trace_context_names():
    return tuple(settings)
