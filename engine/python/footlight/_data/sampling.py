"""Methods of tf.data.Dataset that choose elements of several, by numbers or at random, or by their class."""
from __future__ import annotations

import footlight as tf
from footlight._control.functional import _staged
from footlight._data import structure
from footlight._data.dataset_ops import _made, _op, _types, seeds
from footlight._data.element_functions import ElementFunction
from footlight._typing import Any, Callable

_plain = tf.autograph.experimental.do_not_convert


def _directed(selector, datasets, stop):
    specs = datasets[0].element_spec
    for one in datasets[1:]:
        wider = structure.common(specs, one.element_spec)
        if wider is None:
            raise TypeError(f'All datasets must have compatible element specs: {specs}, {one.element_spec}')
        specs = wider
    variant, = _op('DirectedInterleaveDataset', [selector._variant_tensor, *[d._variant_tensor for d in datasets]],
                   {**_types(specs), 'N': len(datasets), 'stop_on_empty_dataset': stop})
    return _made('_DirectedInterleaveDataset', variant, specs, list(datasets))


def _with_chances(datasets: Any, weights: Any) -> tuple[Any, ...]:
    """The datasets that can be drawn, and their weights; all of them where the weights are not known."""
    known = tf.get_static_value(weights)
    if known is None:
        return datasets, weights
    if not (known > 0).any():
        raise ValueError(f'Invalid `weights`. At least one of `weights` should be positive, they are {known}.')
    chosen = [number for number, weight in enumerate(known) if weight != 0]
    return [datasets[number] for number in chosen], tf.constant(known[chosen])


def _acceptance(initial: Any, target: Any) -> tuple[Any, ...]:
    """How likely an element of each class is kept, and the share of the result that is taken unfiltered.

    target = unchanged * initial + (1 - unchanged) * kept, with as much unchanged as leaves `kept` nowhere negative.
    """
    tiny = tf.constant(1e-16 if target.dtype == tf.float64 else 1e-7, target.dtype)
    ratios = target / tf.maximum(initial, tiny)
    there = initial > tiny
    most = tf.reduce_max(tf.where(there, ratios, tf.zeros_like(ratios)))
    least = tf.reduce_min(tf.where(there, ratios, tf.fill(tf.shape(ratios), most)))
    keeps = tf.where(there & (most > least), (ratios - least) / tf.maximum(most - least, tiny), tf.zeros_like(ratios))
    return keeps, tf.minimum(least, tf.ones([], target.dtype))


def _seen_so_far(marked, target):
    """The distribution of classes up to each element."""
    def count(seen, pair):
        seen += tf.one_hot(tf.cast(pair[0], tf.int32), target.shape[0], dtype=target.dtype)
        return seen, seen / tf.reduce_sum(seen)
    return marked.scan(tf.zeros([target.shape[0]], target.dtype), _plain(count))


class Sampling:
    """Mixin of tf.data.Dataset: methods that choose elements."""

    element_spec: Any
    map: Callable[..., Any]

    @staticmethod
    def choose_from_datasets(datasets: Any, choice_dataset: Any, stop_on_empty_dataset: bool = True) -> Any:
        """Elements of several datasets, each from the one whose number `choice_dataset` gives."""
        if not datasets:
            raise ValueError('Invalid `datasets`. `datasets` should not be empty.')
        if choice_dataset is not None and not tf.TensorSpec([], tf.int64).is_compatible_with(choice_dataset.element_spec):
            raise TypeError('Invalid `choice_dataset`. Elements of `choice_dataset` must be scalar `tf.int64` tensors but '
                            f'are {choice_dataset.element_spec}.')
        return _directed(choice_dataset, list(datasets), stop_on_empty_dataset)

    @staticmethod
    def random(seed: int | None = None, rerandomize_each_iteration: Any = None, name: str | None = None) -> Any:
        """Random numbers without end."""
        generator, = _op('DummySeedGenerator', [], {})
        specs = tf.TensorSpec([], tf.int64)
        variant, = _op('RandomDatasetV2', [*seeds(seed), generator],
                       {'rerandomize_each_iteration': bool(rerandomize_each_iteration), **_types(specs)}, name)
        return _made('_RandomDataset', variant, specs)

    @staticmethod
    def sample_from_datasets(datasets, weights=None, seed=None, stop_on_empty_dataset=False,
                             rerandomize_each_iteration=None):
        """Elements of several datasets, each from one drawn with probabilities `weights`."""
        datasets = list(datasets)
        if not datasets:
            raise ValueError('Invalid `datasets`. `datasets` should not be empty.')
        if isinstance(weights, tf.data.Dataset):
            logits = weights.map(_plain(lambda p: tf.expand_dims(tf.math.log(p), 0)))
        else:
            if weights is None:
                logits = [[0.0] * len(datasets)]
            else:
                weights = tf.convert_to_tensor(weights)
                if weights.shape.rank != 1 or weights.shape[0] not in (None, len(datasets)):
                    raise ValueError(f'Invalid `weights`. The shape of `weights` should be [{len(datasets)}] but is '
                                     f'{weights.shape}.')
                datasets, weights = _with_chances(datasets, weights)
                logits = tf.expand_dims(tf.math.log(weights), 0)
            if len(datasets) == 1:
                return datasets[0]
            logits = tf.data.Dataset.from_tensors(logits).repeat()
        draws = Sampling.random(seed, rerandomize_each_iteration).batch(2)

        def choose(logit, pair):
            return tf.squeeze(tf.random.stateless_categorical(logit, 1, pair), [0, 1])
        selector = tf.data.Dataset.zip((logits, draws)).map(_plain(choose))
        return _directed(selector, datasets, stop_on_empty_dataset)

    def rejection_resample(self, class_func: Any, target_dist: Any, initial_dist: Any = None, seed: int | None = None,
                           name: str | None = None) -> Any:
        """(class, element) of elements that are left out so that the classes are distributed as `target_dist`."""
        target = tf.convert_to_tensor(target_dist)
        classes = ElementFunction(class_func, 'rejection_resample', self.element_spec).output_specs
        several = type(self.element_spec) is tuple
        if not (structure.is_plain(classes) and classes.dtype in (tf.int32, tf.int64) and classes.shape.rank in (0, None)):
            raise TypeError(f'`class_func` must return a scalar integer, not {classes!s}')
        class_of = _staged(class_func, always=True)
        # One pass instead of two zipped ones, since each pass over a shuffled dataset has its own order.
        marked = self.map(_plain(lambda *element: (class_of(*element), element if several else element[0])))
        if initial_dist is not None:
            initial = tf.cast(tf.convert_to_tensor(initial_dist), target.dtype)
            keeps, unchanged = _acceptance(initial, target)
            known = tf.get_static_value(unchanged)
            if known is not None and known == 1:
                return marked
            chances = tf.data.Dataset.from_tensors((keeps, unchanged)).repeat()
        else:
            chances = _seen_so_far(marked, target).map(_plain(lambda initial: _acceptance(initial, target)))

        def is_kept(pair, chance, draw):
            return draw < chance[0][tf.cast(pair[0], tf.int32)]
        draws = self.random(seed).batch(2).map(_plain(lambda pair: tf.random.stateless_uniform([], pair, dtype=target.dtype)))
        kept = tf.data.Dataset.zip((marked, chances, draws)).filter(_plain(is_kept)).map(
            _plain(lambda pair, chance, draw: pair))
        weights = chances.map(_plain(lambda keeps, unchanged: tf.stack([unchanged, 1 - unchanged])))
        return self.sample_from_datasets([marked, kept], weights, seed, stop_on_empty_dataset=True)


tf.data.experimental.choose_from_datasets = Sampling.choose_from_datasets
tf.data.experimental.sample_from_datasets = Sampling.sample_from_datasets
tf.data.experimental.RandomDataset = Sampling.random
