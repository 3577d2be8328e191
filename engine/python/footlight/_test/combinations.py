"""tf.__internal__.test.combinations: a test that runs once for each combination of its parameters' values."""
from __future__ import annotations

import contextlib
import functools
import inspect
import itertools
import re
import types
import unittest
from collections import OrderedDict

import footlight as tf
from footlight import _engine
from footlight._typing import Any, Callable


class ParameterModifier:
    """Changes what a test is given for the parameter of a name."""

    DO_NOT_PASS_TO_THE_TEST = object()

    def __init__(self, parameter_name: str | None = None) -> None:
        self._parameter_name = parameter_name

    def modified_arguments(self, kwargs, requested_parameters):
        """The arguments to replace, by name; DO_NOT_PASS_TO_THE_TEST leaves one out."""
        raise NotImplementedError(f'{type(self).__name__}.modified_arguments: a modifier says here which arguments it '
                                  'replaces')

    def __eq__(self, other):
        return type(self) is type(other) and self._parameter_name == other._parameter_name

    def __hash__(self) -> int:
        return hash((type(self), self._parameter_name))


class OptionalParameter(ParameterModifier):
    """A parameter that combinations may have and tests need not take."""

    def modified_arguments(self, kwargs: Any, requested_parameters: Any) -> dict[Any, Any]:
        """Leaves the argument out where the test does not ask for it."""
        unwanted = self._parameter_name not in requested_parameters
        return {self._parameter_name: self.DO_NOT_PASS_TO_THE_TEST} if unwanted else {}


class TestCombination:
    """What to do with the combinations of a test: which run, inside what, and with which arguments."""

    def should_execute_combination(self, kwargs: Any) -> tuple[Any, ...]:
        """Whether it runs, and why it does not."""
        return True, None

    def parameter_modifiers(self) -> list[Any]:
        """The ParameterModifiers of a test."""
        return []

    def context_managers(self, kwargs: Any) -> list[Any]:
        """The contexts that a test runs in, outermost first."""
        return []


class EagerGraphCombination(TestCombination):
    """Runs a test eagerly or in a graph, as its `mode` says."""

    def context_managers(self, kwargs):
        """A graph where the mode is 'graph'."""
        mode = kwargs.get('mode')
        if mode not in (None, 'eager', 'graph'):
            raise ValueError(f"Argument 'mode' must be either 'eager' or 'graph'. Received: {mode}.")
        return [tf.Graph().as_default()] if mode == 'graph' else [tf._eager_scope()] if mode == 'eager' else []

    def parameter_modifiers(self) -> list[Any]:
        """Tests need not take `mode`."""
        return [OptionalParameter('mode')]


class TFVersionCombination(TestCombination):
    """Skips what is for the behaviour of TensorFlow 1, by `tf_api_version`."""

    def should_execute_combination(self, kwargs: Any) -> tuple[Any, ...]:
        """Whether this is a test of TensorFlow 2."""
        is_old = kwargs.get('tf_api_version') == 1
        return not is_old, 'a test of TensorFlow 1: this engine has the behaviour of 2' if is_old else None

    def parameter_modifiers(self) -> list[Any]:
        """Tests need not take `tf_api_version`."""
        return [OptionalParameter('tf_api_version')]


class NamedObject:
    """An object with the name that tests show for it."""

    def __init__(self, name: str, obj: Any) -> None:
        self._name, self._obj = name, obj

    def __getattr__(self, name):
        if name in ('_name', '_obj'):
            raise AttributeError(name)
        return getattr(self._obj, name)

    def __call__(self, *args: Any, **kwargs: Any) -> int:
        return self._obj(*args, **kwargs)

    def __iter__(self) -> Any:
        return iter(self._obj)

    def __repr__(self) -> str:
        return self._name


def combine(**kwargs: Any) -> list[Any]:
    """The combinations of values of some parameters: a list is a choice, anything else is the only value."""
    names = sorted(kwargs)
    choices = [kwargs[name] if isinstance(kwargs[name], list) else [kwargs[name]] for name in names]
    return [OrderedDict(zip(names, values)) for values in itertools.product(*choices)]


def times(*combined):
    """Every combination of the first with every one of the others, whose parameters must be different ones."""
    if not combined:
        raise ValueError('times() needs at least one set of combinations, as combine() makes them')
    found = []
    for parts in itertools.product(*combined):
        merged = OrderedDict()
        for part in parts:
            if merged.keys() & part.keys():
                raise ValueError(f'Keys need to not overlap: {merged.keys()} vs {part.keys()}')
            merged.update(part)
        found.append(merged)
    return found


def _letters(text: str) -> str:
    return ''.join(letter for letter in text if letter.isalnum())


def _name(combination: Any) -> str:
    """What stands behind the name of the test: addresses, which change, become the place of the parameter."""
    return '_test' + ''.join(
        f"_{_letters(key)}_{_letters(re.sub('0[xX][0-9a-fA-F]+', str(place), str(value)))}"
        for place, (key, value) in enumerate(combination.items()))


def _arguments(method: Callable[..., Any], given: dict[Any, Any], rules: tuple[Any, ...]) -> dict[Any, Any]:
    """The arguments of the test, as the modifiers of the rules leave them."""
    wanted = [name for name in inspect.getfullargspec(method).args if name != 'self']
    arguments = dict(given)
    for modifier in {one for rule in rules for one in rule.parameter_modifiers()}:
        for name, value in modifier.modified_arguments(dict(given), ['self', *wanted]).items():
            if value is ParameterModifier.DO_NOT_PASS_TO_THE_TEST:
                arguments.pop(name, None)
            else:
                arguments[name] = value
    lacking, unknown = set(wanted) - set(arguments), set(arguments) - set(wanted)
    if lacking:
        raise ValueError(f'The test requires parameters whose arguments were not passed: {lacking} .')
    if unknown:
        raise ValueError(f'The test does not take parameters that were passed : {unknown} .')
    return arguments


def _under(method: Callable[..., Any], rules: tuple[Any, ...]) -> Callable[..., Any]:
    """The test as it runs for one combination."""
    def run(self, **given):
        answers = [rule.should_execute_combination(dict(given)) for rule in rules]
        reasons = [' - ' + reason for runs, reason in answers if not runs]
        if reasons:
            self.skipTest('\n'.join(reasons))
        with contextlib.ExitStack() as stack:
            for rule in rules:
                for manager in rule.context_managers(dict(given)):
                    stack.enter_context(manager)
            method(self, **_arguments(method, given, rules))
    return run


def _generate(combinations: list[Any], test_combinations: tuple[Any, ...] = ()) -> Callable[..., Any]:
    """Decorates a test, or a class of tests, that runs once for each combination; it needs absl's parameterized.TestCase."""
    from absl.testing import parameterized  # a program that uses this has it, `import footlight` does not need it
    combinations, rules = list(combinations), tuple(test_combinations)

    def decorate(test):
        if isinstance(test, type):
            for name, method in list(vars(test).items()):
                if name.startswith(unittest.TestLoader.testMethodPrefix) and isinstance(method, types.FunctionType):
                    delattr(test, name)
                    for one in combinations:
                        setattr(test, name + _name(one), _of_one(method, one))
            return test
        named = [dict(one, testcase_name=_name(one)) for one in combinations]
        return parameterized.named_parameters(*named)(_under(test, rules))

    def _of_one(method, combination):
        run = _under(method, rules)
        return lambda self: run(self, **combination)
    return decorate


# A partial function, as libraries read its rules off it to add their own: a test, or a class of tests, runs once for each
# combination, also eagerly or in a graph (`mode`).
generate = functools.partial(_generate, test_combinations=(EagerGraphCombination(), TFVersionCombination()))


class NamedDistribution(NamedObject):
    """A strategy that tests are given by its name: made when a test runs, which is skipped where it lacks devices."""

    def __init__(self, name: str, distribution_fn: Any, required_gpus: Any = None, lacks: str | None = None) -> None:
        super().__init__(name, distribution_fn)
        self.required_gpus, self._make, self._lacks = required_gpus, distribution_fn, lacks

    strategy = property(lambda self: self._make(), doc='The strategy.')

    def why_not(self) -> Any:
        """Why it can not be made here, or None."""
        if len(tf.config.list_physical_devices('GPU')) < (self.required_gpus or 0):
            return f'it needs {self.required_gpus} GPUs'
        return self._lacks


class _DistributionParameter(ParameterModifier):
    def modified_arguments(self, kwargs: Any, requested_parameters: Any) -> dict[Any, Any]:
        """Strategies in the place of their names."""
        return {name: one.strategy for name, one in kwargs.items() if isinstance(one, NamedDistribution)}


class DistributionCombination(TestCombination):
    """Gives tests the strategies that they name."""

    def should_execute_combination(self, kwargs: Any) -> tuple[Any, ...]:
        """Whether all strategies can be made."""
        reasons = [reason for one in kwargs.values() if isinstance(one, NamedDistribution) and (reason := one.why_not())]
        return not reasons, reasons[0] if reasons else None

    def parameter_modifiers(self) -> list[Any]:
        """Puts strategies in."""
        return [_DistributionParameter(), OptionalParameter('required_gpus'), OptionalParameter('use_var_policy')]


_strategies = dict(
    generate=functools.partial(_generate, test_combinations=(
        EagerGraphCombination(), TFVersionCombination(), DistributionCombination())),
    combine=combine, times=times, NamedDistribution=NamedDistribution, env=lambda: None,
    default_strategy=NamedDistribution('Default', tf.distribute.get_strategy),
    one_device_strategy=NamedDistribution('OneDeviceCPU', lambda: tf.distribute.OneDeviceStrategy('/cpu:0')),
    mirrored_strategy_with_one_cpu=NamedDistribution('Mirrored1CPU', lambda: tf.distribute.MirroredStrategy(['/cpu:0'])))
for _several in ('central_storage_strategy_with_gpu_and_cpu central_storage_strategy_with_two_gpus mirrored_strategy_with_gpu_and_cpu '
                 'mirrored_strategy_with_one_gpu mirrored_strategy_with_two_cpus mirrored_strategy_with_two_gpus '
                 'mirrored_strategy_with_two_gpus_no_merge_call multi_worker_mirrored_2x1_cpu multi_worker_mirrored_2x1_gpu '
                 'multi_worker_mirrored_2x2_gpu one_device_strategy_gpu parameter_server_strategy_1worker_2ps_1gpu '
                 'parameter_server_strategy_1worker_2ps_cpu parameter_server_strategy_3worker_2ps_1gpu '
                 'parameter_server_strategy_3worker_2ps_cpu tpu_strategy tpu_strategy_packed_var tpu_strategy_one_core '
                 'cloud_tpu_strategy').split():
    _strategies[_several] = NamedDistribution(
        _several, tf.distribute.get_strategy, lacks='a strategy of other devices or machines: Footlight has one device under one')

_SHARED = dict(combine=combine, times=times, NamedObject=NamedObject, TestCombination=TestCombination,
               ParameterModifier=ParameterModifier, OptionalParameter=OptionalParameter)
for _path, _objects in {
        '__internal__.test.combinations': dict(_SHARED, generate=generate),
        '__internal__.distribute.combinations': _strategies,
        'python.framework.test_combinations': dict(_SHARED, generate=_generate),
        'python.framework.combinations': dict(
            _SHARED, generate=generate, EagerGraphCombination=EagerGraphCombination,
            TFVersionCombination=TFVersionCombination)}.items():
    for _key, _object in _objects.items():
        setattr(_engine.namespace(_path), _key, _object)
