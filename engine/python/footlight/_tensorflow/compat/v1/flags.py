"""tf.compat.v1.flags and app: absl's where that package is installed, else flags and a start of the same names here."""
from __future__ import annotations

import contextlib
import importlib
import sys

from footlight import _engine
from footlight._typing import Any, Callable

_flags, _app = _engine.namespace('compat.v1.flags'), _engine.namespace('compat.v1.app')


class Error(Exception):
    """Base class of what is wrong with flags."""


class DuplicateFlagError(Error):
    """Two flags have one name."""


class IllegalFlagValueError(Error):
    """A value that the flag does not take."""


class UnparsedFlagAccessError(Error):
    """A flag was read before the command line was."""


class UnrecognizedFlagError(Error, AttributeError):
    """There is no flag of that name."""


class ValidationError(Error):
    """A flag that must be given is not."""


class Flag:
    """A flag: its name, its value and how a text becomes one."""

    def __init__(self, name, default, help, parse, is_boolean=False, is_repeated=False):
        self.name, self.default, self.help, self.parse = name, default, help or '', parse
        self.value, self.present, self.boolean, self.repeated, self.required = default, 0, is_boolean, is_repeated, False
        self.validators = []

    def take(self, text: Any) -> None:
        """Sets the value that the command line gives."""
        try:
            value = self.parse(text)
        except ValueError as error:
            raise IllegalFlagValueError(f'flag --{self.name}={text}: {error}') from None
        if self.repeated:
            value = (self.value if self.present else []) + (value if isinstance(value, list) else [value])
        self.value, self.present = value, self.present + 1


class FlagValues:
    """The flags of a program; FLAGS.name is the value of one. Called with sys.argv, it reads the command line."""

    def __init__(self) -> None:
        self.__dict__.update(_known={}, _is_parsed=False)

    def __getattr__(self, name):
        if name.startswith('__') or name not in self._known:
            raise UnrecognizedFlagError(f"Unknown command line flag '{name}'" if not name.startswith('__') else name)
        if not self._is_parsed:
            raise UnparsedFlagAccessError(f'Trying to access flag --{name} before flags were parsed.')
        return self._known[name].value

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._known:
            raise UnrecognizedFlagError(f"Unknown command line flag '{name}'")
        self._known[name].value = value

    def __delattr__(self, name: str) -> None:
        self._known.pop(name)

    def __getitem__(self, name):
        return self._known[name]

    def __contains__(self, name: str) -> bool:
        return name in self._known

    def __iter__(self) -> Any:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)

    def __call__(self, argv: Any, known_only: bool = False) -> Any:
        """Reads a command line, whose first item is the program; returns what is no flag."""
        rest, items = list(argv[:1]), list(argv[1:])
        while items:
            item = items.pop(0)
            if item == '--':
                rest += items
                break
            if not item.startswith('-') or item == '-':
                rest.append(item)
                continue
            name, equals, text = item.lstrip('-').partition('=')
            flag = self._known.get(name) or self._known.get(name.replace('-', '_'))
            if flag is None and name.startswith('no') and name[2:] in self._known and self._known[name[2:]].boolean and not equals:
                flag, equals, text = self._known[name[2:]], '=', 'false'
            if flag is None:
                if not known_only:
                    raise UnrecognizedFlagError(f"Unknown command line flag '{name}'")
                rest.append(item)
                continue
            if not equals and not flag.boolean:
                if not items:
                    raise Error(f'Missing value for flag --{name}')
                text = items.pop(0)
            flag.take(text if equals or not flag.boolean else 'true')
        self.__dict__['_is_parsed'] = True
        self.validate_all_flags()
        return rest

    def validate_all_flags(self) -> None:
        """Refuses values that are missing or that a validator does not take."""
        for flag in self._known.values():
            if flag.required and flag.value is None:
                raise IllegalFlagValueError(f'flag --{flag.name}=None: Flag --{flag.name} must have a value other than None.')
            for check, message in flag.validators:
                if not check(flag.value):
                    raise IllegalFlagValueError(f'flag --{flag.name}={flag.value}: {message}')

    def mark_as_parsed(self) -> None:
        """Flags can be read from now on, with their defaults."""
        self.__dict__['_is_parsed'] = True

    def is_parsed(self) -> Any:
        """Whether a command line was read."""
        return self._is_parsed

    def flag_values_dict(self) -> dict[Any, Any]:
        """The values by name."""
        return {name: flag.value for name, flag in self._known.items()}

    def set_default(self, name: str, value: Any) -> None:
        """Another default."""
        flag = self._known[name]
        flag.default = value
        if not flag.present:
            flag.value = value


FLAGS = FlagValues()


def _boolean(text: str) -> Any:
    if isinstance(text, bool):
        return text
    if str(text).lower() in ('true', 't', '1'):
        return True
    if str(text).lower() in ('false', 'f', '0'):
        return False
    raise ValueError(f'Non-boolean argument to boolean flag: {text!r}')


def _one_of(values: Any, case_sensitive: bool = True) -> Callable[..., Any]:
    def parse(text):
        for value in values:
            if text == value or not case_sensitive and text.lower() == value.lower():
                return value
        raise ValueError(f"value should be one of <{'|'.join(values)}>")
    return parse


def _items(text: str) -> Any:
    return list(text) if isinstance(text, (list, tuple)) else [part.strip() for part in text.split(',')] if text else []


def _define(name: str, default: Any, help: Any, parse: Any, flag_values: Any, required: bool = False,
            **how: Any) -> None:
    values = FLAGS if flag_values is None else flag_values
    if name in values:
        raise DuplicateFlagError(f"The flag '{name}' is defined twice.")
    if default is not None and not how.get('is_repeated'):
        try:
            default = parse(default)
        except (ValueError, TypeError) as error:
            raise IllegalFlagValueError(f'flag --{name}={default}: {error}') from None
    elif default is not None:
        default = [parse(one) for one in (default if isinstance(default, (list, tuple)) else [default])]
    values._known[name] = flag = Flag(name, default, help, parse, **how)
    flag.required = required


def _definer(parse: Any, **how: Any) -> Callable[..., Any]:
    def define(name, default, help=None, flag_values=None, required=False, **args):
        _define(name, default, help, parse, flag_values, required, **how)
    return define


def DEFINE_integer(name: str, default: Any, help: Any = None, lower_bound: Any = None, upper_bound: Any = None,
                   flag_values: Any = None, required: bool = False, **args: Any) -> None:
    """Defines a flag that is a whole number."""
    _define(name, default, help, _within(int, lower_bound, upper_bound), flag_values, required)


def DEFINE_float(name: str, default: Any, help: Any = None, lower_bound: Any = None, upper_bound: Any = None,
                 flag_values: Any = None, required: bool = False, **args: Any) -> None:
    """Defines a flag that is a number."""
    _define(name, default, help, _within(float, lower_bound, upper_bound), flag_values, required)


def _within(kind: Any, low: Any, high: Any) -> Callable[..., Any]:
    def parse(text):
        value = kind(text)
        if (low is not None and value < low) or (high is not None and value > high):
            raise ValueError(f'{value} is not between {low} and {high}')
        return value
    return parse


def DEFINE_enum(name: str, default: Any, enum_values: Any, help: Any = None, flag_values: Any = None,
                required: bool = False, case_sensitive: bool = True, **args: Any) -> None:
    """Defines a flag that is one of some texts."""
    _define(name, default, help, _one_of(list(enum_values), case_sensitive), flag_values, required)


def DEFINE_multi_enum(name: str, default: Any, enum_values: Any, help: Any = None, flag_values: Any = None,
                      required: bool = False, case_sensitive: bool = True, **args: Any) -> None:
    """Defines a flag that may be given several times, each time as one of some texts."""
    _define(name, default, help, _one_of(list(enum_values), case_sensitive), flag_values, required, is_repeated=True)


DEFINE_string = _definer(str)
DEFINE_bool = DEFINE_boolean = _definer(_boolean, is_boolean=True)
DEFINE_list = _definer(_items)
DEFINE_spaceseplist = _definer(lambda text: list(text) if isinstance(text, (list, tuple)) else text.split())
DEFINE_multi_string = _definer(str, is_repeated=True)
DEFINE_multi_integer = _definer(int, is_repeated=True)
DEFINE_multi_float = _definer(float, is_repeated=True)


def mark_flag_as_required(flag_name: Any, flag_values: Any = None) -> None:
    """The flag must be given."""
    (FLAGS if flag_values is None else flag_values)[flag_name].required = True


def mark_flags_as_required(flag_names: Any, flag_values: Any = None) -> None:
    """The flags must be given."""
    for name in flag_names:
        mark_flag_as_required(name, flag_values)


def register_validator(flag_name: Any, checker: Any, message: str = 'Flag validation failed',
                       flag_values: Any = None) -> None:
    """A function that says whether a value of the flag may be."""
    (FLAGS if flag_values is None else flag_values)[flag_name].validators.append((checker, message))


def set_default(flag_name: Any, value: Any) -> None:
    """Another default."""
    FLAGS.set_default(flag_name, value)


def _run_own(main: Any, argv: Any) -> None:
    argv = list(sys.argv if argv is None else argv)
    try:
        rest = FLAGS(argv, known_only=True)
    except Error as error:
        print(f'FATAL Flags parsing error: {error}\nPass --help to see the flags of this program.', file=sys.stderr)
        sys.exit(1)
    sys.exit(main(rest))


def run(main: Any = None, argv: Any = None) -> None:
    """Reads the command line and calls main() with what is no flag; flags that nobody defined are left to it."""
    main = main or sys.modules['__main__'].main
    if _absl is None:
        _run_own(main, argv)
    from absl import app
    app.run(main, argv=argv, flags_parser=lambda given: _absl.FLAGS(sys.argv if given is None else given, known_only=True))


_absl: Any = None
with contextlib.suppress(ImportError):
    _absl = importlib.import_module('absl.flags')
_OWN = ('DEFINE_bool DEFINE_boolean DEFINE_enum DEFINE_float DEFINE_integer DEFINE_list DEFINE_multi_enum DEFINE_multi_float '
        'DEFINE_multi_integer DEFINE_multi_string DEFINE_spaceseplist DEFINE_string DuplicateFlagError Error FLAGS Flag FlagValues '
        'IllegalFlagValueError UnparsedFlagAccessError UnrecognizedFlagError ValidationError mark_flag_as_required '
        'mark_flags_as_required register_validator set_default').split()


def fill(own: bool = False) -> None:
    """Gives tf.compat.v1.flags its names: absl's, or those of this file."""
    for name in _OWN if own or _absl is None else (n for n in dir(_absl) if not n.startswith('_')):
        setattr(_flags, name, globals()[name] if own or _absl is None else getattr(_absl, name))


fill()
run.__module__ = 'footlight.compat.v1.app'
_app.run, _app.flags = run, _flags
