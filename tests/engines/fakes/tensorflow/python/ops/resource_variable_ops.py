"""Variables, of which the programs here have none."""


class BaseResourceVariable:
    pass


class VariableSpec:
    pass
