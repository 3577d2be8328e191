"""tensorflow.tools.docs.doc_controls: what a class has in its documentation."""
from __future__ import annotations

import contextlib
import inspect

from footlight._tensorflow.publish import publish
from footlight._typing import Any, Callable


def _marker(mark: str, about: str) -> Callable[..., Any]:
    def decorate(obj):
        with contextlib.suppress(AttributeError, TypeError):
            setattr(obj, mark, None)
        return obj
    decorate.__doc__ = about
    return decorate


do_not_generate_docs = _marker('_tf_docs_do_not_document', 'Leaves it out.')
do_not_doc_inheritable = _marker('_tf_docs_do_not_doc_inheritable', 'Leaves it out, in subclasses too.')
do_not_doc_in_subclasses = _marker('_tf_docs_do_not_doc_in_subclasses', 'Leaves it out in subclasses.')
for_subclass_implementers = _marker('_tf_docs_tools_for_subclass_implementers', 'Is for who writes subclasses.')
doc_in_current_and_subclasses = _marker('_tf_docs_doc_in_current_and_subclasses', 'Is documented in subclasses too.')


def inheritable_header(text: Any) -> Callable[..., Any]:
    """A decorator: words that stand above the documentation of a class and its subclasses."""
    def decorate(kind):
        kind._tf_docs_inheritable_header = inspect.cleandoc(text)
        return kind
    return decorate


def documented(obj, doc):
    """The object with a docstring."""
    obj.__doc__ = doc
    return obj


publish(globals(), (
    'do_not_generate_docs do_not_doc_inheritable do_not_doc_in_subclasses '
    'doc_in_current_and_subclasses documented for_subclass_implementers inheritable_header'))
