"""AutoGraph that changes nothing: it writes no file, so that its hooks see what they do not know."""
import types


class _Transpiler:
    def transform(self, obj, user_context):
        return obj, types.ModuleType('generated'), {}


_TRANSPILER = _Transpiler()


def converted(function):
    return _TRANSPILER.transform(function, None)[0]


def _fall_back_unconverted(f, args, kwargs, options, exc):
    return f(*args, **(kwargs or {}))
