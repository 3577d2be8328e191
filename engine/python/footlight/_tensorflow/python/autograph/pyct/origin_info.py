"""tensorflow.python.autograph.pyct.origin_info and error_utils: where nodes and lines come from, and errors that say so."""
from __future__ import annotations

import ast
import collections
import inspect
import io
import os
import tokenize

from footlight._autograph.staging import MADE_FROM_TEXT, ErrorMetadata, FrameInfo, made_from_text
from footlight._tensorflow.python.autograph.pyct import (
    qual_names as _qual_names, parser as _parser, templates as _templates)
from footlight._tensorflow.python.autograph.pyct.qual_names import Basic
from footlight._typing import Any

LineLocation = collections.namedtuple('LineLocation', ('filename', 'lineno'))


class Location(collections.namedtuple('Location', ('filename', 'lineno', 'col_offset'))):
    """A place in a file."""
    line_loc = property(lambda self: LineLocation(self.filename, self.lineno))


class OriginInfo(collections.namedtuple('OriginInfo', ('loc', 'function_name', 'source_code_line', 'comment'))):
    """Where a node stood in what the user wrote."""

    def as_frame(self) -> tuple[Any, ...]:
        """As a frame of a traceback: (file, line, function, text)."""
        return self.loc.filename, self.loc.lineno, self.function_name, self.source_code_line

    def __repr__(self) -> str:
        if not self.loc.filename:
            return f'{self.loc.lineno}:{self.loc.col_offset}'
        return f'{os.path.basename(self.loc.filename)}:{self.loc.lineno}:{self.loc.col_offset}'


def _comments(text: str) -> Any:
    """The comments of a text by their lines."""
    found = {}
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                found[token.start[0]] = token.string[1:].strip()
    except (tokenize.TokenError, IndentationError):
        pass
    return found


def resolve(node: Any, source: Any, context_filepath: Any, context_lineno: Any, context_col_offset: Any) -> None:
    """Notes of every node where it stands in a file, in which the tree begins at this place."""
    lines, comments = source.split('\n'), _comments(source)

    def note(one, function):
        if isinstance(one, (_parser.trees.FunctionDef, _parser.trees.AsyncFunctionDef)):
            function = one.name
        if getattr(one, 'lineno', None) is not None:
            text = lines[one.lineno - 1] if one.lineno <= len(lines) else ''
            place = Location(context_filepath, one.lineno - node.lineno + context_lineno, one.col_offset + context_col_offset)
            _qual_names.setanno(one, Basic.ORIGIN, OriginInfo(place, function, text, comments.get(one.lineno)))
        for child in ast.iter_child_nodes(one):
            note(child, function)
    note(node, None)


def resolve_entity(node: Any, source: Any, entity: Any) -> None:
    """The same, for the tree of a function with the source that parse_entity gave."""
    code = getattr(entity, '__code__', None)
    lines, first = inspect.getsourcelines(entity if code is None else code)
    column = len(lines[0]) - len(lines[0].lstrip()) if lines else 0
    resolve(node, source, inspect.getsourcefile(entity), max(first, 1) + node.lineno - 1, column)


def copy_origin(from_node, to_node):
    """Notes of one or more nodes, and of all inside of them, that they come from where another one does."""
    origin = _qual_names.getanno(from_node, Basic.ORIGIN, None)
    for node in to_node if isinstance(to_node, (list, tuple)) else (to_node,):
        for one in ast.walk(node):
            if origin is not None:
                _qual_names.setanno(one, Basic.ORIGIN, origin)


def create_source_map(nodes, code, filepath):
    """{line of a file: where it comes from} of code that these nodes became."""
    found = {}
    for before, after in _templates.parallel_walk(nodes, _parser.parse(code, single_node=False)):
        origin = _qual_names.getanno(before, Basic.ORIGIN, None)
        line = getattr(after, 'lineno', None)
        if origin is not None and line is not None:
            place = LineLocation(filepath, line)
            known = found.get(place)
            if known is None or origin.loc.line_loc < known.loc.line_loc:  # the first node of a line decides its origin
                found[place] = origin
    return found


# Errors

KNOWN_STRING_CONSTRUCTOR_ERRORS = MADE_FROM_TEXT


class MultilineMessageKeyError(KeyError):
    """A KeyError whose words are printed as they are."""

    def __init__(self, message: Any, original_key: Any) -> None:
        super().__init__(original_key)
        self._message = message

    def __str__(self) -> str:
        return self._message


class ErrorMetadataBase(ErrorMetadata):
    """The same, of the frames of a traceback and a map of their lines."""

    def __init__(self, callsite_tb: Any, cause_metadata: Any, cause_message: Any, source_map: Any,
                 converter_filename: Any) -> None:
        inner = cause_metadata.translated_stack if cause_metadata else ()
        self.translated_stack = (*inner, *self._translated(callsite_tb, source_map, converter_filename))
        self.cause_message = cause_metadata.cause_message if cause_metadata else cause_message

    @staticmethod
    def _translated(frames, source_map, converter_filename):
        """The frames, from the innermost to the first that was converted; those that the converter called were not."""
        made = []
        for file, line, function, text in reversed(frames):
            origin = source_map.get(LineLocation(file, line))
            if origin is not None:
                made.append(FrameInfo(*origin.as_frame(), True, False))
                break
            if file != converter_filename:
                made.append(FrameInfo(file, line, function, text, False, False))
            elif made:
                made[-1] = made[-1]._replace(is_allowlisted=True)
        return made

    def create_exception(self, source_error):
        """An error of the same class with these words, or None where it is not known how to make one."""
        kind = type(source_error)
        if made_from_text(kind):
            return kind(self.get_message())
        return MultilineMessageKeyError(self.get_message(), self.cause_message) if kind is KeyError else None
