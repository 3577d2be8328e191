class TypeSpec:
    pass
