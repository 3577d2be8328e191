"""tfe.metrics: objects that add up what they are called with, and write their results as summaries."""
from __future__ import annotations

import footlight as tf
from footlight import _engine
from footlight._public import publish
from footlight._summary import writers as _summary
from footlight._saving.trackable import AutoTrackable
from footlight._typing import Any, DTypeLike, ShapeLike, TensorLike

metrics = _engine.namespace('contrib.eager.metrics')


class Metric(AutoTrackable):
    """Base class: a subclass makes its variables in build(), changes them in call() and sums up in result()."""

    def __init__(self, name=None):
        self._name = name or type(self).__name__
        self._built, self._variables = False, []

    name = property(lambda self: self._name)
    variables = property(lambda self: list(self._variables), doc='The variables that hold the state.')

    def __call__(self, *args, **kwargs):
        if not self._built:
            with tf._eager_scope():
                self.build(*args, **kwargs)
            self._built = True
        return self.call(*args, **kwargs)

    def add_variable(self, name: str, shape: ShapeLike = (), dtype: DTypeLike = tf.float64,
                     initializer: Any = None) -> tf.Variable:
        """Makes a variable that init_variables() sets to zero again."""
        if self._built:
            raise RuntimeError("Can't call add_variable() except in build().")
        variable = tf.Variable(tf.zeros(shape, dtype) if initializer is None else initializer(shape, dtype),
                               trainable=False, name=f'{self._name}/{name}')
        self._variables.append(variable)
        self._track_trackable(variable, name, overwrite=True)
        return variable

    def init_variables(self) -> None:
        """Forgets everything."""
        for variable in self._variables:
            variable.assign(tf.zeros_like(variable))

    def aggregate(self, metrics: Any) -> None:
        """Adds what other metrics of the same kind have added up."""
        for other in metrics:
            if type(other) is not type(self):
                raise TypeError(f'All metrics must be the same type, {type(self)} != {type(other)}.')
            if other._built and not self._built:
                self._build_like(other)
            for mine, theirs in zip(self._variables, other._variables):
                mine.assign_add(theirs)

    def _build_like(self, other: Mean) -> None:
        self.build(None)
        self._built = True

    def _written(self, value: tf.Tensor) -> tf.Tensor:
        """Writes the result under the metric's name if summaries are being written."""
        if _summary._state.recording is not None:
            tf.contrib.summary.scalar(self._name, value)
        return value

    def build(self, *args: Any, **kwargs: Any) -> None:
        """Makes the variables."""

    def call(self, *args, **kwargs):
        raise NotImplementedError('Metrics must define a call() member function')

    def result(self) -> Any:
        raise NotImplementedError('Metrics must define a result() member function')


class Mean(Metric):
    """The mean of all values, weighted."""

    def __init__(self, name: str | None = None, dtype: Any = tf.float64, use_global_variables: bool = False) -> None:
        super().__init__(name)
        self.dtype = dtype

    def build(self, *args: Any, **kwargs: Any) -> None:
        self.numer = self.add_variable('numer', (), self.dtype)
        self.denom = self.add_variable('denom', (), self.dtype)

    def call(self, values: TensorLike, weights: Any = None) -> Any:
        """Adds values; returns them."""
        numbers = tf.cast(values, self.dtype)
        if weights is None:
            self.denom.assign_add(tf.cast(tf.size(numbers), self.dtype))
            self.numer.assign_add(tf.reduce_sum(numbers))
        else:
            weights = tf.cast(weights, self.dtype)
            self.denom.assign_add(tf.reduce_sum(weights * tf.ones_like(numbers)))
            self.numer.assign_add(tf.reduce_sum(numbers * weights))
        return values if weights is None else (values, weights)

    def result(self, write_summary: bool = True) -> tf.Tensor:
        """The mean so far."""
        value = self.numer / self.denom
        return self._written(value) if write_summary else value


class Accuracy(Mean):
    """How many predictions are equal to their labels."""

    def __init__(self, name: str | None = None, dtype: Any = tf.float64) -> None:
        super().__init__(name, dtype)

    def call(self, labels, predictions, weights=None):
        """Adds pairs of labels and predictions; returns them."""
        labels, predictions = tf.convert_to_tensor(labels), tf.convert_to_tensor(predictions)
        if not labels.shape.is_compatible_with(predictions.shape):
            raise ValueError(f'Shapes of labels and predictions are not equal: {labels.shape} and {predictions.shape}')
        super().call(tf.cast(tf.equal(predictions, tf.cast(labels, predictions.dtype)), self.dtype), weights)
        return (labels, predictions) if weights is None else (labels, predictions, weights)


class CategoricalAccuracy(Mean):
    """How often the largest of the predictions is where the label says, which is one-hot."""

    def call(self, labels, predictions, weights=None):
        """Adds pairs of labels and predictions; returns them."""
        super().call(tf.equal(tf.argmax(labels, axis=-1), tf.argmax(predictions, axis=-1)), weights)
        return (labels, predictions) if weights is None else (labels, predictions, weights)


class SparseAccuracy(Mean):
    """How often the largest of the predictions is where the label says, which is a number."""

    def call(self, labels, predictions, weights=None):
        """Adds pairs of labels and predictions; returns them."""
        found = tf.argmax(predictions, axis=-1)
        super().call(tf.equal(tf.cast(labels, found.dtype), found), weights)
        return (labels, predictions) if weights is None else (labels, predictions, weights)


class BinaryAccuracy(Mean):
    """How often predictions and labels are on the same side of a threshold."""

    def __init__(self, threshold: float, name: str | None = None, dtype: Any = tf.float64) -> None:
        super().__init__(name, dtype)
        self.threshold = threshold

    def call(self, labels, predictions, weights=None):
        """Adds pairs of labels and predictions; returns them."""
        super().call(tf.equal(tf.greater(labels, self.threshold), tf.greater(predictions, self.threshold)), weights)
        return (labels, predictions) if weights is None else (labels, predictions, weights)


publish('tf.contrib.eager.metrics', Metric, Mean, Accuracy, CategoricalAccuracy, SparseAccuracy, BinaryAccuracy)
