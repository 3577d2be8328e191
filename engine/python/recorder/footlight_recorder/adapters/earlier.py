"""Functions that an engine made before its adapter was installed: they are found among the objects of the process, and what
the program calls them by is replaced.
"""
from __future__ import annotations

import gc
from collections.abc import Callable
from types import CellType
from typing import Any

WHY_ABSENT = 'It was traced before the recording began.'


def objects_of(is_wanted: Callable[[Any], bool]) -> list[Any]:
    """The objects of this process for which this is true."""
    found = []
    for one in gc.get_objects():
        try:
            if is_wanted(one):
                found.append(one)
        except Exception:  # an object whose class answers in a way of its own
            pass
    return found


def adopt(engine: str, pairs: list[tuple[Any, Any]]) -> str:
    """Replaces originals by stand-ins. Returns what the recording will lack of these functions: "" if there are none.

    `pairs`: the original and the stand-in of each function.
    """
    if not pairs:
        return ''
    replace(pairs)
    return (f'graphs and times of traces from before the recorder, and calls through local variables and tuples, not recorded: '
            f'{engine} had made {len(pairs)} function{"s" * (len(pairs) != 1)} before; footlight_recorder.prepare() before '
            f'`import {engine}` records all')


def replace(pairs: list[tuple[Any, Any]]) -> None:
    """Puts stand-ins where the originals are held: in modules, classes, objects, containers and closures. What runs now
    goes on with the originals that it holds in local variables and tuples.
    """
    stand_ins = {id(original): stand_in for original, stand_in in pairs}
    ours: set[int] = {id(pairs), *map(id, stand_ins.values())}  # they go on holding the originals
    ours.update(id(vars(stand_in)) for stand_in in stand_ins.values() if hasattr(stand_in, '__dict__'))

    def put(held: Any, place: Callable[[Any], None]) -> None:
        if id(held) in stand_ins:
            place(stand_ins[id(held)])

    for holder in gc.get_referrers(*(original for original, _ in pairs)) if pairs else []:
        if id(holder) in ours:
            continue
        if isinstance(holder, dict):
            owner = _class_of(holder)
            for key, held in list(holder.items()):
                if owner is not None:  # a class is told, since it keeps what it has found
                    put(held, lambda new, key=key: type.__setattr__(owner, key, new))  # type: ignore[misc]
                else:
                    put(held, lambda new, key=key: holder.__setitem__(key, new))  # type: ignore[misc]
        elif isinstance(holder, list):
            for at, held in enumerate(holder):
                put(held, lambda new, at=at: holder.__setitem__(at, new))  # type: ignore[misc]
        elif isinstance(holder, CellType):
            put(holder.cell_contents, lambda new: setattr(holder, 'cell_contents', new))
        elif type(holder).__dictoffset__:  # an object that keeps its attributes without a dict
            for key, held in list(vars(holder).items()):
                put(held, lambda new, key=key: vars(holder).__setitem__(key, new))  # type: ignore[misc]


def _class_of(attributes: dict[Any, Any]) -> type | None:
    """The class whose attributes these are."""
    for owner in gc.get_referrers(attributes):
        if isinstance(owner, type) and all(vars(owner).get(key) is held for key, held in attributes.items()):
            return owner
    return None
