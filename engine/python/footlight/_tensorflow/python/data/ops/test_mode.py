"""tensorflow.python.data.ops.test_mode and debug_mode: switches of datasets."""
from __future__ import annotations

import footlight as tf
from footlight import _engine
from footlight._tensorflow.publish import publish
from footlight._typing import Any


def toggle_test_mode(test_mode: Any) -> None:
    """Says whether tests run: pipelines here are the same then."""
    _engine.namespace('python.data.ops.test_mode').TEST_MODE = bool(test_mode)


def toggle_debug_mode(debug_mode):
    """Has datasets run their functions eagerly, as tf.data.experimental.enable_debug_mode does, or not."""
    if debug_mode:
        tf.data.experimental.enable_debug_mode()
    _engine.namespace('python.data.ops.debug_mode').DEBUG_MODE = bool(debug_mode)
TEST_MODE = DEBUG_MODE = False
publish(globals(), 'toggle_test_mode TEST_MODE', 'python.data.ops.test_mode')
publish(globals(), 'toggle_debug_mode DEBUG_MODE', 'python.data.ops.debug_mode')
