"""tensorflow.python.eager.monitoring: counters, gauges and histograms of a program, each with cells by the values of labels."""
from __future__ import annotations

import bisect
import functools
import sys
import threading
import time
import types

from footlight._tensorflow.publish import publish
from footlight._typing import Any, Callable

_lock = threading.Lock()


class _Cell:
    def __init__(self, value: int | None) -> None:
        self._value, self._lock = value, threading.Lock()

    def value(self):
        """What the cell holds."""
        return self._value


class CounterCell(_Cell):
    """A number that grows."""

    def increase_by(self, value: Any) -> None:
        """Adds to it."""
        if value < 0:
            raise ValueError(f'a counter only grows: increase_by({value})')
        with self._lock:
            self._value += value


class _GaugeCell(_Cell):
    def set(self, value):
        """Replaces what it holds."""
        with self._lock:
            self._value = self._kind(value)


class IntGaugeCell(_GaugeCell):
    """A whole number."""
    _kind = int


class StringGaugeCell(_GaugeCell):
    """A text."""
    _kind = str


class BoolGaugeCell(_GaugeCell):
    """True or False."""
    _kind = bool


class SamplerCell(_Cell):
    """How many samples fell between the limits of a histogram."""

    def __init__(self, buckets: Any) -> None:
        super().__init__(None)
        self._limits, self._counts = buckets.limits, [0] * (len(buckets.limits) + 1)
        self._number, self._sum, self._squares, self._least, self._greatest = 0, 0., 0., 0., 0.

    def add(self, value: Any) -> None:
        """Adds a sample."""
        with self._lock:
            self._counts[bisect.bisect_right(self._limits, value)] += 1
            self._least = min(self._least, value) if self._number else value
            self._greatest = max(self._greatest, value) if self._number else value
            self._number += 1
            self._sum += value
            self._squares += value * value

    def value(self) -> Any:
        """What is known of the samples, with the names of a HistogramProto's fields."""
        return types.SimpleNamespace(
            min=self._least, max=self._greatest, num=float(self._number), sum=self._sum, sum_squares=self._squares,
            bucket_limit=[*self._limits, sys.float_info.max], bucket=[float(count) for count in self._counts])


class Metric:
    """A name, with cells by the values of its labels; another metric of the name has cells of its own."""
    _cell: Any = None
    _first: tuple[Any, ...] = ()  # arguments of a new cell

    def __init__(self, name, description, *labels):
        if len(labels) > 2:
            raise ValueError(f'a metric has at most 2 labels, {name} would have {len(labels)}')
        self._name, self._description, self._labels, self._cells = name, description, labels, {}

    def get_cell(self, *labels):
        """The cell for these values of the labels, one for each."""
        if len(labels) != len(self._labels):
            raise ValueError(f'The {self._name} expects taking {len(self._labels)} labels')
        with _lock:
            if labels not in self._cells:
                self._cells[labels] = self._cell(*self._first)
            return self._cells[labels]


class Counter(Metric):
    """Numbers that grow."""
    _cell, _first = CounterCell, (0,)


class IntGauge(Metric):
    """Whole numbers."""
    _cell, _first = IntGaugeCell, (0,)


class StringGauge(Metric):
    """Texts."""
    _cell, _first = StringGaugeCell, ('',)


class BoolGauge(Metric):
    """Values that are True or False."""
    _cell, _first = BoolGaugeCell, (False,)


class Buckets:
    """The limits of a histogram, in order."""

    def __init__(self, limits: Any) -> None:
        self.limits = list(limits)
        if self.limits != sorted(set(self.limits)):
            raise ValueError(f'the limits of buckets must grow: {self.limits}')


class ExponentialBuckets(Buckets):
    """Limits from `scale` on, each `growth_factor` times the one before."""

    def __init__(self, scale: float, growth_factor: float, bucket_count: int) -> None:
        super().__init__(scale * growth_factor ** power for power in range(bucket_count))


class Sampler(Metric):
    """Histograms of samples."""
    _cell = SamplerCell

    def __init__(self, name, buckets, description, *labels):
        super().__init__(name, description, *labels)
        self._first = (buckets,)


class MonitoredTimer:
    """A context that adds the microseconds it took to a cell."""

    def __init__(self, cell: Any, monitored_section_name: str | None = None,
                 avoid_repetitive_counting: bool = False) -> None:
        self.cell, self._section, self._counts_once = cell, monitored_section_name, avoid_repetitive_counting

    def __enter__(self) -> MonitoredTimer:
        self._is_inside = self._section in MonitoredTimerSections
        if self._section is not None and not self._is_inside:
            MonitoredTimerSections.add(self._section)
        self.t = time.time()
        return self

    def __exit__(self, *raised: Any) -> None:
        took = int((time.time() - self.t) * 1000000)
        if not (self._counts_once and self._is_inside):
            self.cell.increase_by(took)
        if not self._is_inside:
            MonitoredTimerSections.discard(self._section)


MonitoredTimerSections: set[Any] = set()  # names of the sections that run now


def monitored_timer(cell: Any) -> Callable[..., Any]:
    """Decorates a function whose microseconds are added to a cell."""
    def decorate(func):
        @functools.wraps(func)
        def run(*args, **kwargs):
            with MonitoredTimer(cell):
                return func(*args, **kwargs)
        return run
    return decorate


publish(globals())
publish(globals(), 'MonitoredTimerSections')
