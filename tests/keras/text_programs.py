"""Layers of Keras for words and categories: look-ups, text, hashes, bins, crosses."""
import os
import tempfile

import numpy as np
import tensorflow as tf
import keras
from keras import layers as L

WORDS = np.array([['a', 'b'], ['c', 'z']])
NUMBERS = np.array([[3, 7], [9, 100]])
TEXTS = np.array(['The quick brown fox', 'jumped over the lazy dog!', 'the fox'])


def listed(value):
    """A tensor as nested lists."""
    if isinstance(value, (tf.SparseTensor,)):
        value = tf.sparse.to_dense(value)
    if isinstance(value, tf.RaggedTensor):
        return value.to_list()
    array = np.asarray(value)
    return [t.decode() if isinstance(t, bytes) else t for t in array.ravel().tolist()] + [list(array.shape)]


def string_lookup():
    made = L.StringLookup(vocabulary=['a', 'b', 'c'])
    return [listed(made(WORDS)), made.get_vocabulary(), listed(L.StringLookup(vocabulary=['a', 'b'], num_oov_indices=3)(WORDS)),
            listed(L.StringLookup(vocabulary=['a', 'b'], invert=True)(np.array([0, 1, 2])))]


def string_lookup_modes():
    return [listed(L.StringLookup(vocabulary=['a', 'b', 'c'], output_mode=mode)(WORDS)) for mode in ('multi_hot', 'count')] + [
        listed(L.StringLookup(vocabulary=['a', 'b'], output_mode='one_hot')(WORDS[:, 0])),
        listed(L.StringLookup(vocabulary=['a', 'b', 'c'], output_mode='tf_idf', idf_weights=[.5, .6, .7])(WORDS))]


def string_lookup_adapted():
    made = L.StringLookup()
    made.adapt(tf.data.Dataset.from_tensor_slices([['b', 'a'], ['b', 'c']]))
    return [made.get_vocabulary(), listed(made(WORDS)), made.vocabulary_size()]


def string_lookup_file():
    path = os.path.join(tempfile.mkdtemp(), 'words.txt')
    with open(path, 'w') as f:
        f.write('a\nb\nc\n')
    made = L.StringLookup(vocabulary=path)
    return [listed(made(WORDS)), made.get_vocabulary()]


def integer_lookup():
    made = L.IntegerLookup(vocabulary=[3, 7, 9])
    adapted = L.IntegerLookup(max_tokens=3)
    adapted.adapt(np.array([5, 5, 7, 9, 9, 9]))
    return [listed(made(NUMBERS)), listed(L.IntegerLookup(vocabulary=[3, 7], output_mode='multi_hot')(NUMBERS)),
            [int(n) for n in adapted.get_vocabulary()]]


def text_vectorization():
    made = L.TextVectorization(max_tokens=10, output_sequence_length=5)
    made.adapt(TEXTS)
    return [made.get_vocabulary(), listed(made(TEXTS))]


def text_vectorization_modes():
    found = []
    for mode in ('multi_hot', 'count', 'tf_idf'):
        made = L.TextVectorization(output_mode=mode, max_tokens=8, pad_to_max_tokens=True)
        made.adapt(TEXTS)
        found.append(listed(made(TEXTS)))
    made = L.TextVectorization(ngrams=2, standardize='lower', split='whitespace')
    made.adapt(TEXTS)
    letters = L.TextVectorization(split='character')
    letters.adapt(['abc', 'ab'])
    ragged = L.TextVectorization(ragged=True)
    ragged.adapt(TEXTS)
    return found + [sorted(made.get_vocabulary()), letters.get_vocabulary(), listed(ragged(TEXTS))]


def text_in_dataset():
    made = L.TextVectorization(output_sequence_length=4)
    made.adapt(TEXTS)
    return [listed(batch) for batch in tf.data.Dataset.from_tensor_slices(TEXTS).batch(2).map(made)]


def text_in_model():
    made = L.TextVectorization(output_sequence_length=4, vocabulary=['the', 'fox'])
    model = keras.Sequential([keras.Input((), dtype='string'), made])
    return listed(model(tf.constant(TEXTS)))


def categories():
    return [listed(L.Hashing(num_bins=5)(WORDS)), listed(L.Hashing(num_bins=5, salt=7)(WORDS)), listed(L.Hashing(num_bins=3)(NUMBERS)),
            listed(L.CategoryEncoding(num_tokens=4, output_mode='multi_hot')(np.array([[0, 1], [3, 3]]))),
            listed(L.CategoryEncoding(num_tokens=4, output_mode='one_hot')(np.array([2, 0]))),
            listed(L.Discretization(bin_boundaries=[0., 1., 2.])(np.array([[-1., .5], [1.5, 7.]])))]


def crossing():
    made = L.HashedCrossing(num_bins=5)
    return [listed(made((np.array(['a', 'b', 'c']), np.array([1, 2, 3])))), listed(
        L.HashedCrossing(num_bins=5, output_mode='one_hot')((np.array(['a', 'b']), np.array(['x', 'y']))))]


PROGRAMS = {f.__name__: f for f in (string_lookup, string_lookup_modes, string_lookup_adapted, string_lookup_file, integer_lookup,
                                    text_vectorization, text_vectorization_modes, text_in_dataset, text_in_model, categories,
                                    crossing)}
