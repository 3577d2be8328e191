"""What JAX leaves out of tracebacks."""
def register_exclusion(path):
    pass
