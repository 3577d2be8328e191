"""Settings that a trace depends on."""
settings = {'enable_x64': False}
is_jit_disabled = False


def trace_context():
    return tuple(settings.values())


def trace_context_names():
    return tuple(settings)
