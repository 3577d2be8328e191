def register_exclusion(path):
    pass
