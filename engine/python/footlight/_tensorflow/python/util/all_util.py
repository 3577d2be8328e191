"""tensorflow.python.util.all_util: names that a module shows."""
from __future__ import annotations

import re
import sys

from footlight._tensorflow.publish import publish
from footlight._typing import Any


_hidden: dict[str, Any] = {}


def make_all(module_name: Any, doc_string_modules: Any = None) -> list[Any]:
    """The names that the docstrings of modules list in lines `@@name`."""
    modules = [sys.modules[module_name]] if doc_string_modules is None else doc_string_modules
    named = {name for module in modules for name in re.findall(r'^@@(\w+)$', module.__doc__ or '', re.MULTILINE)}
    return sorted(named & set(dir(sys.modules[module_name])))


def remove_undocumented(module_name: Any, allowed_exception_list: Any = None, doc_string_modules: Any = None) -> None:
    """Removes from a module the names that are neither allowed nor listed in docstrings."""
    module = sys.modules[module_name]
    kept = set(make_all(module_name, doc_string_modules)) | set(allowed_exception_list or ())
    for name in dir(module):
        if name not in kept and not name.startswith('_'):
            _hidden[module_name + '.' + name] = module, getattr(module, name)
            delattr(module, name)


def reveal_undocumented(symbol_name: Any, target_module: Any = None) -> None:
    """Brings back a name that was removed, by its full name."""
    if symbol_name not in _hidden:
        raise LookupError(f'Symbol {symbol_name} is not a hidden symbol')
    module, value = _hidden[symbol_name]
    setattr(target_module or module, symbol_name.rpartition('.')[2], value)


publish(globals())
