"""tensorflow.python.autograph.pyct: the places of what programs use to read, change and write Python code."""
import ast
import collections

from footlight import _engine
from footlight._autograph import ag as _ag
from footlight._pyct import inspect_code as _pyct_inspect, names as _pyct_names, origins as _pyct_origins, source as _pyct_source, transformer as _pyct_transformer, trees as _pyct_trees

_PLACES = {
    'pyct.anno': (_pyct_names, 'Basic FAIL NoValue Static copyanno delanno dup getanno hasanno keys setanno'),
    'pyct.ast_util': (_pyct_trees, 'apply_to_single_assignments copy_clean keywords_to_dict matches parallel_walk rename_symbols'),
    'pyct.cache': (_pyct_inspect, 'CodeObjectCache UnboundInstanceCache'),
    'pyct.error_utils': (_pyct_origins, 'ErrorMetadataBase FrameInfo KNOWN_STRING_CONSTRUCTOR_ERRORS MultilineMessageKeyError'),
    'pyct.errors': (_pyct_source, 'InaccessibleSourceCodeError'),
    'pyct.gast_util': (_pyct_source, 'is_constant is_ellipsis is_literal'),
    'pyct.inspect_utils': (_pyct_inspect, 'getdefiningclass getfutureimports getimmediatesource getmethodclass getnamespace '
                           'getqualifiedname isbuiltin isconstructor islambda isnamedtuple'),
    'pyct.loader': (_pyct_source, 'load_ast load_source'),
    'pyct.naming': (_pyct_names, 'Namer'),
    'pyct.origin_info': (_pyct_origins, 'LineLocation Location OriginInfo copy_origin create_source_map resolve resolve_entity'),
    'pyct.parser': (_pyct_source, 'STANDARD_PREAMBLE STANDARD_PREAMBLE_LEN dedent_block parse parse_entity parse_expression unparse'),
    'pyct.pretty_printer': (_pyct_trees, 'fmt'),
    'pyct.qual_names': (_pyct_names, 'CallerMustSetThis Literal QN Symbol from_str resolve'),
    'pyct.templates': (_pyct_trees, 'replace replace_as_expression'),
    'pyct.transformer': (_pyct_transformer, 'AnalysisLevel Base CodeGenerator Context EntityInfo NodeStateTracker'),
    'pyct.transpiler': (_pyct_transformer, 'GenericTranspiler PyToPy'),
    'core.unsupported_features_checker': (_pyct_transformer, 'UnsupportedFeaturesChecker verify'),
}


class _ConverterBase(_pyct_transformer.Base):
    """Base of converters."""

    def get_definition_directive(self, node, directive, arg, default):
        """What a directive says of a variable where it is defined, as an expression, or the default."""
        anno = _pyct_names
        said = [definition.directives[directive][arg] for definition in anno.getanno(node, anno.Static.ORIG_DEFINITIONS, ())
                if arg in definition.directives.get(directive, ())]
        if len({ast.dump(_pyct_source.to_python(one)) for one in said}) > 1:
            raise ValueError('%s says several things of %s' % (directive, arg))
        return said[0] if said else default

    def visit(self, node):
        self.ctx.current_node = node
        return super().visit(node)


ANY = object()  # what a pattern of an edge matches whatever it is
REPLACE, LEAVE = 'replace', 'leave'


class ASTEdgePattern(collections.namedtuple('ASTEdgePattern', 'parent field child')):
    """Which children of which nodes a rewriting means: the parent's class, the field's name, the child's class, or ANY."""

    __slots__ = ()

    def matches(self, parent, field, child):
        """Whether it means this child."""
        is_parent = self.parent is ANY or isinstance(parent, self.parent)
        return is_parent and self.field in (ANY, field) and (self.child is ANY or isinstance(child, self.child))


def _not_there(name, instead):
    def refuse(node, *args, **kwargs):
        raise NotImplementedError(f'{name} is not there: {instead}')
    refuse.__name__ = refuse.__qualname__ = name.rpartition('.')[2]
    return refuse


_normal_form = _engine.namespace('python.autograph.pyct.common_transformers.anf')
for _name in ('ANY', 'REPLACE', 'LEAVE', 'ASTEdgePattern'):
    setattr(_normal_form, _name, globals()[_name])
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
