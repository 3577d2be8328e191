"""How a SavedModel stores a dataset: as a function that creates it again."""
from __future__ import annotations

from footlight import _engine
from footlight._saving.options_and_assets import TrackableResource
from footlight._typing import Any


class VariantTracker(TrackableResource):
    """Stands for the variant of a dataset, which the functions of a SavedModel capture."""

    def __init__(self, variant_tensor: Any) -> None:
        super().__init__(device='CPU')
        self._resource_handle_made = variant_tensor

    def _create_resource(self) -> Any:
        return _engine.rebuild_dataset(self._resource_handle_made)
