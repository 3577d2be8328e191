"""What is left out of tracebacks."""
def register_exclusion(path):
    pass
