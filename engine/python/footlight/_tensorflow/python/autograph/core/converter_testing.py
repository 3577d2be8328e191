"""tensorflow.python.autograph.core.converter_testing: what tests of conversions use."""
from __future__ import annotations

import ast
import contextlib
import functools
import io
import sys
import types
import unittest

import footlight as tf
from footlight import _engine
from footlight._autograph import ag as _ag, features as _autograph_features
from footlight._tensorflow.python.autograph.converters import directives as _directives
from footlight._tensorflow.python.autograph.impl import api as _api
from footlight._tensorflow.python.autograph.pyct import (
    inspect_utils as _inspect, qual_names as _qual_names, transformer as _transformer)
from footlight._public import alias
from footlight._tensorflow.python.autograph.impl.conversion import DoNotConvert, _config
from footlight._typing import Any, Iterator


def allowlist(f):
    """Puts a function into a module that is not converted."""
    name = 'allowlisted_module_for_testing'
    if not any(rule.matches(name) for rule in _config.CONVERSION_RULES):
        _config.CONVERSION_RULES = (DoNotConvert(name), *_config.CONVERSION_RULES)
    f.__module__ = name
    return f


def is_inside_generated_code() -> Any:
    """Whether the caller was converted; the operators of converted code do not count."""
    frame = sys._getframe(1)
    while frame.f_globals.get('__name__', '').startswith('footlight.') and frame.f_back is not None:
        frame = frame.f_back
    code = frame.f_code
    return _engine.ag_is_generated(code) or _autograph_features.is_made(code)


def _with_operators(f, changed, features):
    """The function that to_code writes of f, with these features, as one that calls changed operators; and its syntax tree."""
    f = getattr(f, '__func__', f)
    operators = types.ModuleType('ag__')
    operators.__dict__.update(_ag.__dict__, STD=_ag.ConversionOptions(recursive=True), new_list=_api.new_list,
                              converted_call=_api.converted_call)
    operators.ConversionOptions = lambda **given: _ag.ConversionOptions(**dict(given, optional_features=_ag.Feature.ALL))
    operators.__dict__.update(changed)
    tree = ast.parse(_autograph_features.written(f, features)).body[0]
    made = _autograph_features.made_of(f, tree, operators)
    return _ag.autograph_artifact(functools.update_wrapper(made, f, ('__module__', '__qualname__', '__doc__'))), tree


_TestCase: Any = getattr(tf.test, 'TestCase', unittest.TestCase)


class TestCase(_TestCase):
    """Base of tests of conversions, which run in a graph."""

    def setUp(self) -> None:
        super().setUp()
        self.graph = tf.Graph().as_default()
        self.graph.__enter__()

    def tearDown(self) -> None:
        self.graph.__exit__(None, None, None)
        super().tearDown()

    @contextlib.contextmanager
    def assertPrints(self, expected_result: Any) -> Iterator[Any]:
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            yield
        self.assertEqual(said.getvalue(), expected_result)

    def transform(self, f, converter_module, include_ast=False, ag_overrides=None):
        """A function converted, by all converters, which work as one here; it calls these operators in place of `ag__`'s."""
        features = {_ag.Feature.ASSERT_STATEMENTS, _ag.Feature.EQUALITY_OPERATORS}
        modules = converter_module if isinstance(converter_module, (tuple, list)) else (converter_module,)
        names = {module.__name__.rpartition('.')[2] for module in modules}
        if 'lists' in names:
            features.add(_ag.Feature.LISTS)
        if 'slices' in names:
            features.add(_autograph_features.SLICES)
        made, tree = _with_operators(f, ag_overrides or {}, features)
        if not include_ast:
            return made
        if names <= {'directives'}:  # no other converter changes the tree
            tree = (_directives.noted_tree if names else _directives.defined_tree)(f)
        names = _inspect.getnamespace(getattr(f, '__func__', f))
        info = _transformer.EntityInfo(f.__name__, None, None, (), names)
        return made, tree, _transformer.Context(info, _qual_names.Namer(names), None)


alias('tf.python.autograph.core.converter_testing', allowlist, is_inside_generated_code, TestCase)
