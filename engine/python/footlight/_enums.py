"""Enumerations that scripts name."""
from __future__ import annotations

import enum

import footlight


class VariableAggregation(enum.Enum):
    """The default of variables that were given none; equal to the public enum, which has V2 in its name."""
    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3

    def __hash__(self) -> int:
        return hash(self.value)


class VariableAggregationV2(enum.Enum):
    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3

    def __hash__(self) -> int:
        return hash(self.value)

    def __eq__(self, other):
        return isinstance(other, (VariableAggregation, VariableAggregationV2)) and self.value == other.value


class VariableSynchronization(enum.Enum):
    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class UnconnectedGradients(enum.Enum):
    """What tape.gradient() returns for a source that the target does not depend on."""
    NONE = 'none'
    ZERO = 'zero'


class AggregationMethod:
    ADD_N = 0
    DEFAULT = 0
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


for _kind in (VariableAggregationV2, VariableSynchronization, UnconnectedGradients, AggregationMethod):
    setattr(footlight, _kind.__name__.removesuffix('V2'), _kind)
