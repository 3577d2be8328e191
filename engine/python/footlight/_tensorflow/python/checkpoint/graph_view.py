"""tensorflow.python.checkpoint.graph_view: the graph of the objects that an object keeps."""
from __future__ import annotations

from footlight._saving import object_graph as _object_graph, trackable as _trackable
from footlight._tensorflow.publish import publish
from footlight._typing import Any


class ObjectGraphView:
    """The graph of objects below a root, as checkpoints see it."""

    def __init__(self, root: Any, attached_dependencies: Any = None) -> None:
        self.root, self._more = root, attached_dependencies or []

    def children(self, obj: Any, save_type: str = 'checkpoint', **kwargs: Any) -> Any:
        """The children of an object by name."""
        found = dict(obj._trackable_children(save_type, **kwargs))
        if obj is self.root:
            found.update({one.name: one.ref for one in self._more})
        return found

    def list_children(self, obj: Any, save_type: str = 'checkpoint', **kwargs: Any) -> list[Any]:
        """The same as references."""
        return [_trackable.TrackableReference(name, child) for name, child in self.children(obj, save_type, **kwargs).items()]

    def breadth_first_traversal(self):
        """All objects, the root first, and the path of each."""
        paths, row, at = {id(self.root): ()}, [self.root], 0
        while at < len(row):
            for name, child in self.children(row[at]).items():
                if id(child) not in paths:
                    paths[id(child)] = paths[id(row[at])] + (_trackable.TrackableReference(name, child),)
                    row.append(child)
            at += 1
        return row, _object_graph.ByIdentity((one, paths[id(one)]) for one in row)


publish(globals())
publish(globals(), 'ObjectGraphView', '__internal__.tracking')
