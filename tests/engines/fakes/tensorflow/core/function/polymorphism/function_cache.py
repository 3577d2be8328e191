"""The traces of a function: the first that serves a type is found."""


class FunctionCache:
    __slots__ = ['_primary']

    def __init__(self):
        self._primary = {}

    def lookup(self, function_type, context=None):
        for concrete in self._primary.values():
            if concrete.function_type.serves(function_type):
                return concrete
        return None

    def add(self, concrete, context=None):
        self._primary[context, concrete.function_type] = concrete

    def generalize(self, function_type):
        for concrete in self._primary.values():
            function_type = function_type.relaxed(concrete.function_type)
        return function_type

    def __len__(self):
        return len(self._primary)
