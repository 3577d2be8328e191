"""Loads all files of tensorflow.python; what is public elsewhere is found by public_names.py."""
import contextlib
import importlib
import pkgutil

from footlight._graphs import session_values  # noqa: F401  (these add names too)
from footlight._linalg import linear_operator  # noqa: F401
from footlight._tensorflow import python, sysconfig  # noqa: F401
from footlight._tensorflow.compat.v1 import gradient_checker, logging  # noqa: F401
from footlight._tensorflow.compiler.tf2xla.python import xla  # noqa: F401
from footlight._tensorflow.core.function.capture import capture_container  # noqa: F401
from footlight._tensorflow.internal import for_libraries  # noqa: F401
from footlight._tensorflow.tools.docs import doc_controls  # noqa: F401
from footlight._test import combinations  # noqa: F401

with contextlib.suppress(ImportError):  # without NumPy there are no weak dtypes
    from footlight._numpy import weak_dtypes  # noqa: F401  (it adds its class)

# These are loaded when a program asks for them: AutoGraph's modules, and decorators of tests, which need unittest.
_LAZY = (f'{python.__name__}.autograph', f'{python.__name__}.framework.test_util')
for _module in pkgutil.walk_packages(python.__path__, python.__name__ + '.'):
    if not _module.name.startswith(_LAZY):
        importlib.import_module(_module.name)
