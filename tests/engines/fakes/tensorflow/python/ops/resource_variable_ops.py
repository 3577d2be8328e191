class BaseResourceVariable:
    pass


class VariableSpec:
    pass
