"""Pipelines of tf.data as texts: what stands in them, what they give as JSON, and random ones. By hand:
pipeline_parts.py COUNT SEED prints so many."""
import random
import sys

import plain

MOST_ELEMENTS = 8

SOURCES = [
    'D.range(7)', 'D.range(0)', 'slices(range(7))', 'slices(([1, 2, 3, 4, 5], [1., 2., 3., 4., 5.]))',
    "slices({'b': [1, 2, 3, 4], 'a': ['x', 'y', 'z', 'w']})", 'slices([[1, 2], [3, 4], [5, 6]])',
    "slices(((1, 2, 3), {'k': [[1.], [2.], [3.]]}))", 'tensors([1, 2, 3])', "tensors(({'k': 1}, [2., 3.]))",
    'slices(tf.ragged.constant([[1], [], [2, 3]]))', 'slices(tf.ragged.constant([[[1], [2, 3]], [], [[4]]]))',
    'tensors(tf.ragged.constant([[1], [2, 3]]))', 'slices((tf.ragged.constant([[1], [], [2, 3]]), [7, 8, 9]))',
    'slices(tf.sparse.from_dense([[0, 1], [2, 0], [3, 4]]))', 'tensors(tf.sparse.from_dense([[0, 1], [2, 0]]))',
    "slices({'s': tf.sparse.from_dense([[0, 1], [2, 0], [3, 4]]), 't': [1, 2, 3]})", 'tensors((1, None))',
    'tensors({"n": None, "x": [1, 2]})', 'D.range(4).map(spread)', 'D.range(5).map(named)',
    'tensors(Optional.from_value(3))', 'D.range(4).map(maybe)', 'tensors(D.range(3))', 'D.range(3).map(nested)',
    'D.range(3).map(listed)', 'D.zip((D.range(3), slices(tf.ragged.constant([[1], [], [2, 3]]))))', 'generated()',
    'generated_pairs()', 'generated_ragged()', 'slices(point([1, 2, 3], [4., 5., 6.]))', 'D.range(6).batch(2)',
    'D.range(7).batch(3)',
]
STAGES = [
    '.batch(2)', '.batch(1)', '.batch(3, drop_remainder=True)', '.padded_batch(2)', '.unbatch()', '.rebatch(2)',
    '.rebatch([1, 2])', '.rebatch(2, drop_remainder=True)', '.rebatch(3)', '.window(2)',
    '.window(3, shift=1, stride=2)', '.window(2, drop_remainder=True)', '.take(2)', '.take(-1)', '.skip(1)',
    '.repeat(2)', '.repeat()', '.shard(2, 1)', '.enumerate()', '.cache()', '.prefetch(1)', '.shuffle(1)',
    '.ragged_batch(2)', '.unique()', '.ignore_errors()', '.map(same)', '.map(twice)', '.map(keyed)', '.map(plus)',
    '.map(with_none)', '.map(optional)', '.map(nested)', '.map(same, num_parallel_calls=2)', '.flat_map(again)',
    '.flat_map(batches)', '.flat_map(captured)', '.interleave(again, cycle_length=2)',
    '.interleave(again, cycle_length=2, num_parallel_calls=2)', '.filter(yes)', '.scan(0, counted)',
    '.take_while(yes)', '.group_by_window(zero, pairs, 2)', '.map(sizes)', '.map(opened)', '.map(parsed)',
    '.concatenate(D.range(2))', '.apply(joined)', '.apply(side_by_side)', '.apply(chosen)',
    '.apply(tf.data.experimental.assert_cardinality(3))', '.sparse_batch(2, [4])', '.map(first)', '.map(rows)',
    '.map(listed)', '.batch(2, num_parallel_calls=2)', '.with_options(tf.data.Options())', '.take(0)', '.skip(-1)',
]


def texts(count, seed):
    """Different random pipelines of one to three stages."""
    chance, found = random.Random(seed), {}
    while len(found) < count:
        text = chance.choice(SOURCES) + ''.join(chance.choice(STAGES) for _ in range(chance.choice((1, 2, 2, 3, 3, 3))))
        found[text] = None
    return list(found)


def names(tf):
    """What the texts refer to."""
    import collections
    D, optional_class = tf.data.Dataset, tf.experimental.Optional
    point = collections.namedtuple('point', ['x', 'y'])

    def whole(element):
        return element[0] if len(element) == 1 else element

    def leaf(value):
        number = isinstance(value, tf.Tensor) and value.dtype not in (tf.string, tf.bool, tf.variant)
        return value + tf.cast(1, value.dtype) if number else value

    def opened(*element):
        value = whole(element)
        return value.get_value() if isinstance(value, optional_class) else value

    def batches(*element):
        value = whole(element)
        if isinstance(value, D):
            return value.batch(2)
        return D.zip(value).batch(2) if all(isinstance(v, D) for v in tf.nest.flatten(value)) else D.from_tensors(value)

    def sizes(*element):
        value = whole(element)
        return value.reduce(tf.constant(0, tf.int64), lambda count, *_: count + 1) if isinstance(value, D) else 1

    def parsed(*element):
        value = whole(element)
        if isinstance(value, tf.RaggedTensor):
            return value.to_tensor()
        return tf.sparse.to_dense(value) if isinstance(value, tf.SparseTensor) else value

    def rows(*element):
        value = whole(element)
        return D.from_tensor_slices(value).batch(2)
    kept = D.zip((D.range(2), D.from_tensor_slices(tf.ragged.constant([[1], [2, 3]]))))
    def pairs_of_lengths():
        return iter([(1, [1.]), (2, [1., 2.])])

    def ragged_ones():
        return iter([tf.ragged.constant([[1], []]), tf.ragged.constant([[2, 3]])])

    def chosen(d):
        return D.choose_from_datasets([d, d.skip(1)], D.from_tensor_slices(tf.constant([0, 1, 1, 0], tf.int64)))
    number, numbers = tf.TensorSpec([], tf.int32), tf.TensorSpec([None], tf.float32)
    ragged = tf.RaggedTensorSpec([None, None], tf.int32)
    return {
        'tf': tf, 'D': D, 'slices': D.from_tensor_slices, 'tensors': D.from_tensors, 'point': point,
        'Optional': optional_class,
        'spread': lambda i: tf.RaggedTensor.from_row_lengths(tf.range(i + 1), [i, 1]),
        'named': lambda i: point(i, {'z': [i, i]}),
        'maybe': lambda i: optional_class.from_value((i, tf.cast(i, tf.float32))),
        'nested': lambda *e: D.from_tensors(whole(e)).repeat(2),
        'listed': lambda *e: (e, tf.constant([1, 2])),
        'generated': lambda: D.from_generator(lambda: iter([1, 2, 3]), output_signature=number),
        'generated_pairs': lambda: D.from_generator(pairs_of_lengths, output_signature=(number, numbers)),
        'generated_ragged': lambda: D.from_generator(ragged_ones, output_signature=ragged),
        'same': lambda *e: whole(e),
        'twice': lambda *e: (whole(e), whole(e)),
        'keyed': lambda *e: {'v': whole(e), 'one': 1},
        'plus': lambda *e: tf.nest.map_structure(leaf, whole(e)),
        'with_none': lambda *e: (whole(e), None),
        'optional': lambda *e: optional_class.from_value(whole(e)),
        'again': lambda *e: D.from_tensors(whole(e)).repeat(2),
        'batches': batches,
        'captured': lambda *e: kept,
        'yes': lambda *e: tf.constant(True),
        'counted': lambda count, *e: (count + 1, (count, whole(e))),
        'zero': lambda *e: tf.constant(0, tf.int64),
        'pairs': lambda key, group: group.batch(2),
        'sizes': sizes, 'opened': opened, 'parsed': parsed, 'rows': rows,
        'first': lambda *e: e[0],
        'joined': lambda d: d.concatenate(d),
        'side_by_side': lambda d: D.zip((d, {'again': d})),
        'chosen': chosen,
    }


def value(element, tf):
    """An element, datasets and optionals in it opened."""
    if isinstance(element, tf.data.Dataset):
        return ['dataset', [value(inner, tf) for inner in element.take(MOST_ELEMENTS)]]
    if isinstance(element, tf.experimental.Optional):
        return ['optional', value(element.get_value(), tf) if element.has_value() else None]
    if hasattr(element, '_variant_tensor'):  # a batch of datasets
        return ['datasets', str(element._variant_tensor.shape)]
    if isinstance(element, dict):
        return {key: value(inner, tf) for key, inner in element.items()}
    if isinstance(element, tuple):
        return [type(element).__name__, *(value(inner, tf) for inner in element)]
    return plain.plain(element, tf)


def outcome(text, tf, given=None):
    """The spec, the cardinality and the first elements of a pipeline; what failed, if something did."""
    found = {}
    try:
        dataset = eval(text, names(tf) if given is None else given)
        found['spec'] = repr(dataset.element_spec)
        found['cardinality'] = int(dataset.cardinality())
        found['elements'] = []
        for element in dataset.take(MOST_ELEMENTS):
            found['elements'].append(value(element, tf))
    except Exception as error:  # whatever TensorFlow raised is what is wanted
        found['error'] = type(error).__name__
    return found


if __name__ == '__main__':
    print('\n'.join(texts(int(sys.argv[1]), int(sys.argv[2]))))
