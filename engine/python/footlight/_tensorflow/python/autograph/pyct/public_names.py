"""tensorflow.python.autograph.pyct: the places of what programs use to read, change and write Python code."""
from __future__ import annotations

import ast
import collections

from footlight import _engine
from footlight._autograph import ag as _ag
from footlight._tensorflow.python.autograph.pyct import (
    inspect_utils as _inspect, qual_names as _qual_names, origin_info as _origin_info, parser as _parser,
    transformer as _transformer, templates as _templates)
from footlight._public import alias
from footlight._typing import Any, Callable

_PLACES = {
    'pyct.anno': (_qual_names, 'Basic FAIL NoValue Static copyanno delanno dup getanno hasanno keys setanno'),
    'pyct.ast_util': (_templates, 'apply_to_single_assignments copy_clean keywords_to_dict matches parallel_walk rename_symbols'),
    'pyct.cache': (_inspect, 'CodeObjectCache UnboundInstanceCache'),
    'pyct.error_utils': (_origin_info, 'ErrorMetadataBase FrameInfo KNOWN_STRING_CONSTRUCTOR_ERRORS MultilineMessageKeyError'),
    'pyct.errors': (_parser, 'InaccessibleSourceCodeError'),
    'pyct.gast_util': (_parser, 'is_constant is_ellipsis is_literal'),
    'pyct.inspect_utils': (_inspect, 'getdefiningclass getfutureimports getimmediatesource getmethodclass getnamespace '
                           'getqualifiedname isbuiltin isconstructor islambda isnamedtuple'),
    'pyct.loader': (_parser, 'load_ast load_source'),
    'pyct.naming': (_qual_names, 'Namer'),
    'pyct.origin_info': (_origin_info, 'LineLocation Location OriginInfo copy_origin create_source_map resolve resolve_entity'),
    'pyct.parser': (_parser, 'STANDARD_PREAMBLE STANDARD_PREAMBLE_LEN dedent_block parse parse_entity parse_expression unparse'),
    'pyct.pretty_printer': (_templates, 'fmt'),
    'pyct.qual_names': (_qual_names, 'CallerMustSetThis Literal QN Symbol from_str resolve'),
    'pyct.templates': (_templates, 'replace replace_as_expression'),
    'pyct.transformer': (_transformer, 'AnalysisLevel Base CodeGenerator Context EntityInfo NodeStateTracker'),
    'pyct.transpiler': (_transformer, 'GenericTranspiler PyToPy'),
    'core.unsupported_features_checker': (_transformer, 'UnsupportedFeaturesChecker verify'),
}


class _ConverterBase(_transformer.Base):
    """Base of converters."""

    def get_definition_directive(self, node, directive, arg, default):
        """What a directive says of a variable where it is defined, as an expression, or the default."""
        anno = _qual_names
        said = [definition.directives[directive][arg] for definition in anno.getanno(node, anno.Static.ORIG_DEFINITIONS, ())
                if arg in definition.directives.get(directive, ())]
        if len({ast.dump(_parser.to_python(one)) for one in said}) > 1:
            raise ValueError(f'{directive} says several things of {arg}')
        return said[0] if said else default

    def visit(self, node):
        self.ctx.current_node = node
        return super().visit(node)


ANY = object()  # a wildcard in a pattern of an edge
REPLACE, LEAVE = 'replace', 'leave'


class ASTEdgePattern(collections.namedtuple('ASTEdgePattern', 'parent field child')):
    """Which children of which nodes a rewriting means: the parent's class, the field's name, the child's class, or ANY."""

    __slots__ = ()

    def matches(self, parent, field, child):
        """Whether it means this child."""
        is_parent = self.parent is ANY or isinstance(parent, self.parent)
        return is_parent and self.field in (ANY, field) and (self.child is ANY or isinstance(child, self.child))


def _not_there(name: str, instead: str) -> Callable[..., Any]:
    def refuse(node, *args, **kwargs):
        raise NotImplementedError(f'{name} is not there: {instead}')
    refuse.__name__ = refuse.__qualname__ = name.rpartition('.')[2]
    return refuse


_normal_form = _engine.namespace('python.autograph.pyct.common_transformers.anf')
alias('tf.python.autograph.pyct.common_transformers.anf', ASTEdgePattern, ANY=ANY, REPLACE=REPLACE, LEAVE=LEAVE)
_normal_form.transform = _not_there('anf.transform', 'give names to inner expressions in the function itself')
_engine.namespace('python.autograph.pyct.static_analysis.activity').resolve = _not_there(
    'activity.resolve', 'what a function reads and changes is only known to conversions by tf.autograph')
for _path, (_source, _names) in _PLACES.items():
    _module = _engine.namespace('python.autograph.' + _path)
    for _name in _names.split():
        setattr(_module, _name, getattr(_source, _name))
_engine.namespace('python.autograph.pyct.errors').PyCTError = _ag.PyCTError
_engine.namespace('python.autograph.core.converter').Base = _ConverterBase
_ConverterBase.__name__ = _ConverterBase.__qualname__ = 'Base'
