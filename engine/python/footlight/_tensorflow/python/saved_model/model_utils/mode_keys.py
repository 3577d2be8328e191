"""tensorflow.python.saved_model.model_utils.mode_keys: what a model is used for."""
from __future__ import annotations

from footlight._tensorflow.publish import publish
from footlight._typing import Any


class KerasModeKeys:
    """What a model of Keras is used for."""

    TRAIN, TEST, PREDICT = 'train', 'test', 'predict'


class EstimatorModeKeys:
    """The same in the words of Estimators."""

    TRAIN, EVAL, PREDICT = 'train', 'eval', 'infer'


def is_train(mode: Any) -> bool:
    """Whether it is training."""
    return mode in (KerasModeKeys.TRAIN, EstimatorModeKeys.TRAIN)


def is_eval(mode: Any) -> bool:
    """Whether it is a test."""
    return mode in (KerasModeKeys.TEST, EstimatorModeKeys.EVAL)


def is_predict(mode: Any) -> bool:
    """Whether results are asked for."""
    return mode in (KerasModeKeys.PREDICT, EstimatorModeKeys.PREDICT)


publish(globals())
