"""The base of the types of composite tensors."""


class TypeSpec:
    pass
