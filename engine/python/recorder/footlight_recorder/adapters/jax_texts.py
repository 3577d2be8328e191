"""The texts of JAX's stages, whose lines name the lines of the program that they come from, or why a text is not kept."""
from __future__ import annotations

from typing import Any

JAXPR, STABLEHLO, HLO = 'jaxpr', 'StableHLO', 'HLO'  # names of the artifacts
_MAX_EQUATIONS, _MAX_CONSTANT_BYTES = 500, 1 << 16


def absent(name: str, why: str) -> dict[str, Any]:
    """An artifact that says why there is none."""
    return {'name': name, 'kind': 'absent', 'data': why}


def _too_many(equations: int) -> str:
    return f'The trace has {equations} equations; texts are kept of those with at most {_MAX_EQUATIONS}.'


def why_no_texts(jaxpr: Any, equations: int) -> str:
    """Why the texts of later stages, which hold constants in full, are not kept; empty if they are kept."""
    if equations > _MAX_EQUATIONS:
        return _too_many(equations)
    largest = max((getattr(const, 'nbytes', 0) for const in getattr(jaxpr, 'consts', ())), default=0)
    if largest > _MAX_CONSTANT_BYTES:
        return (f'The trace holds a constant of {largest} bytes, which the text would repeat; texts are kept where '
                f'constants have at most {_MAX_CONSTANT_BYTES} bytes.')
    return ''


def of_jaxpr(jaxpr: Any, equations: int) -> dict[str, Any]:
    """The artifact of a jaxpr: "c:f32[8] = sub a 1.0:f32[]  # train.py:14:55 (descend)"."""
    if equations > _MAX_EQUATIONS:
        return absent(JAXPR, _too_many(equations))
    return {'name': JAXPR, 'kind': 'jaxpr', 'data': jaxpr.pretty_print(source_info=True, use_color=False)}


def stablehlo(module: Any) -> str:
    """The text of a module, with the location of each operation."""
    return str(module.operation.get_asm(enable_debug_info=True))
