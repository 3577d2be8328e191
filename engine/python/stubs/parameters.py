"""Parameters as a stub writes them, from a function's own signature and docstring."""
import inspect
import keyword
import math
import re

# The types of parameters of library functions, by the words of their docstrings.
TYPES_BY_WORDS = {
    'a tensor': 'TensorLike', 'a tensor or a list of tensors': 'TensorLike',
    'a list of tensors': 'Sequence[TensorLike]',
    'an int': 'SupportsIndex', 'an int or several': 'IntsLike', 'a bool': 'bool', 'a float': 'FloatLike',
    'a str': 'str',
    'a dtype': 'DTypeLike', 'a shape': 'ShapeLike'}
# And of other functions, by the names of the parameters.
TYPES_BY_NAME = {
    'name': 'str | None', 'dtype': 'DTypeLike | None', 'tensor': 'TensorLike', 'fn': 'Callable[..., Any]',
    'func': 'Callable[..., Any]', 'initial_value': 'TensorLike'}
# The types of properties, by name.
PROPERTY_TYPES = {'dtype': 'DType', 'shape': 'TensorShape', 'name': 'str', 'device': 'str'}


def signature(value):
    try:
        return inspect.signature(value)
    except (TypeError, ValueError):
        return None


def simple(value):
    """The text of a default that a stub can show."""
    shown = value is None or type(value) in (bool, int, str) or type(value) is float and math.isfinite(value)
    return repr(value) if shown else None


def type_of(value):
    if value is None:
        return 'None'
    if type(value).__name__ == 'DType':
        return 'DType'
    return type(value).__name__ if type(value) in (int, str, bool, float, bytes) else 'Any'


def type_by_words(words):
    base, _, none = words.partition(' or None')
    found = TYPES_BY_WORDS.get(base)
    return found and found + (' | None' if words.endswith(' or None') else '')


def parameters(value, annotated, first=None):
    """The parameters of a function as a stub writes them, `first` in front of those of a method. `annotated` gives what
    the package's own annotation says, or None."""
    actual = signature(value)
    before = [first] if first else []
    if actual is None:
        return ', '.join([*before, '*args: Any', '**kwargs: Any'])
    of_library = type(value).__name__ == 'function_of_the_library'
    doc = (inspect.getdoc(value) or '').partition('Args:\n')[2] if of_library else ''
    words = {name: text.split(';')[0].rstrip('.') for name, text in re.findall(r'^  (\w+): (.*)$', doc, re.M)}
    out, star, optional = before, False, False
    for p in actual.parameters.values():
        if p.name in ('self', 'cls') and p is next(iter(actual.parameters.values())):
            continue
        if not p.name.isidentifier() or keyword.iskeyword(p.name):
            return ', '.join([*([first] if first else []), '*args: Any', '**kwargs: Any'])
        kind = annotated(p.annotation) or (
            type_by_words(words[p.name]) if p.name in words else TYPES_BY_NAME.get(p.name))
        if words.get(p.name, '').startswith('a str, the name of'):
            kind = 'str | None'
        if kind is None and type(p.default) in (bool, str):
            kind = type(p.default).__name__
        if p.default is None and kind and 'None' not in kind:
            kind += ' | None'
        kind = kind or 'Any'
        if p.kind is p.VAR_POSITIONAL:
            out.append(f'*{p.name}: {"TensorLike" if kind.startswith("Sequence") else kind}')
            star = True
        elif p.kind is p.VAR_KEYWORD:
            out.append(f'**{p.name}: Any')
        else:
            if p.kind is p.KEYWORD_ONLY and not star:
                out.append('*')
                star = True
            out.append(f'{p.name}: {kind}' + ('' if p.default is p.empty else f' = {simple(p.default) or "..."}'))
    return ', '.join(out)
