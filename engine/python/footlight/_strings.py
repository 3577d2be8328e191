"""tf.strings: what gives ragged results, words, n-grams and characters; and joining by segments."""
from __future__ import annotations

import footlight as tf
from footlight import _engine
from footlight._public import alias, publish
from footlight._typing import Any, TensorLike

_op = _engine.dataset_op


def _texts(value):
    value = value._as_tensor() if hasattr(type(value), '_as_tensor') else value  # a RaggedTensorValue
    return value if isinstance(value, tf.RaggedTensor) else tf.convert_to_tensor(value, tf.string, name='input')


def _rank(value: Any, what: str = 'input') -> Any:
    if value.shape.rank is None:
        raise ValueError(f'{what} must have a statically-known rank.')
    return value.shape.rank


def _rows(values, indices, shape):
    return tf.RaggedTensor.from_value_rowids(values, indices[:, 0], nrows=shape[0], validate=False)


def split(input: Any, sep: Any = None, maxsplit: Any = -1, name: str | None = None) -> Any:
    """The words of strings, between blanks or between separators."""
    input = _texts(input)
    if isinstance(input, tf.RaggedTensor):
        return input.with_flat_values(split(input.flat_values, sep, maxsplit))
    rank = input.shape.rank
    if rank == 0:
        return split(tf.stack([input]), sep, maxsplit)[0]
    if rank is not None and rank > 1:
        return split(tf.RaggedTensor.from_tensor(input), sep, maxsplit)
    sep = tf.convert_to_tensor('' if sep is None else sep, tf.string)
    indices, values, shape = _op('StringSplitV2', [input, sep], {'maxsplit': maxsplit}, name)
    return _rows(values, indices, shape)


def bytes_split(input: TensorLike, name: str | None = None) -> Any:
    """The bytes of strings."""
    input = _texts(input)
    if isinstance(input, tf.RaggedTensor):
        return input.with_flat_values(bytes_split(input.flat_values))
    rank = _rank(input)
    if rank == 0:
        return bytes_split(tf.stack([input]))[0]
    if rank > 1:
        return bytes_split(tf.RaggedTensor.from_tensor(input))
    indices, values, shape = _op('StringSplit', [input, tf.constant('')], {'skip_empty': False}, name)
    return _rows(values, indices, shape)


def _sparse_or_ragged(found, result_type):
    if result_type == 'RaggedTensor':
        return found
    if result_type == 'SparseTensor':
        return found.to_sparse()
    raise ValueError("result_type must be 'RaggedTensor' or 'SparseTensor'.")


def string_split(source: Any, sep: Any = None, skip_empty: bool = True, delimiter: Any = None,
                 result_type: str = 'SparseTensor', name: str | None = None) -> Any:
    """The parts of strings between any of several bytes."""
    sep = delimiter if sep is None else sep
    source = tf.convert_to_tensor(source, tf.string)
    parts = _op('StringSplit', [source, tf.convert_to_tensor(' ' if sep is None else sep, tf.string)],
                {'skip_empty': bool(skip_empty)}, name)
    if result_type == 'SparseTensor':
        return tf.SparseTensor(*parts)
    return _sparse_or_ragged(_rows(parts[1], parts[0], parts[2]), result_type)


def _old_split(input: Any = None, sep: Any = None, maxsplit: Any = -1, result_type: str = 'SparseTensor',
               source: Any = None, name: str | None = None) -> Any:
    input = source if input is None else input
    found = split(input, sep, maxsplit, name)
    if not isinstance(found, tf.RaggedTensor):
        found = tf.RaggedTensor.from_row_lengths(found, [tf.size(found, out_type=tf.int64)], validate=False)
    return _sparse_or_ragged(found, result_type)


def ngrams(data: Any, ngram_width: Any, separator: str = ' ', pad_values: Any = None, padding_width: Any = None,
           preserve_short_sequences: bool = False, name: str | None = None) -> Any:
    """Neighbouring strings of each row, joined."""
    if pad_values is None:
        left = right = ''
    else:
        left, right = pad_values if isinstance(pad_values, (list, tuple)) else (pad_values, pad_values)
        if not isinstance(left, (str, bytes)) or not isinstance(right, (str, bytes)):
            raise TypeError('pad_values must be a string, tuple of strings, or None.')
    if padding_width is not None and padding_width < 1:
        raise ValueError('padding_width must be greater than 0.')
    if padding_width is not None and pad_values is None:
        raise ValueError('pad_values must be provided if padding_width is set.')
    widths = list(ngram_width) if isinstance(ngram_width, (list, tuple)) else [ngram_width]
    data = _texts(data)
    shape = None
    if not isinstance(data, tf.RaggedTensor):
        rank = data.shape.rank
        if rank is None:
            raise ValueError('Rank of data must be known.')
        if rank == 0:
            raise ValueError('Data must have rank>0')
        if rank == 1:
            row = tf.RaggedTensor.from_row_starts(data, [0], validate=False)
            return ngrams(row, ngram_width, separator, pad_values, padding_width, preserve_short_sequences, name)[0]
        shape = tf.concat([tf.shape(data)[:-1], [-1]], 0)
        data = tf.RaggedTensor.from_tensor(data, ragged_rank=rank - 1)
    if any(width < 1 for width in widths):
        raise ValueError(f'All ngram_widths must be greater than 0. Got {ngram_width!s}')
    rows = data
    while isinstance(rows.values, tf.RaggedTensor):
        rows = rows.values
    joined, splits = _op('StringNGrams', [rows.values, rows.row_splits], {
        'separator': separator, 'ngram_widths': widths, 'left_pad': left, 'right_pad': right,
        'pad_width': 0 if pad_values is None else -1 if padding_width is None else padding_width,
        'preserve_short_sequences': bool(preserve_short_sequences)}, name)
    if shape is not None:
        return tf.reshape(joined, shape)
    found = tf.RaggedTensor.from_row_splits(joined, splits, validate=False)
    return _in_place_of(data, rows, found)


def _in_place_of(data, rows, found):
    """`data` with `found` instead of its innermost rows."""
    return found if data is rows else data.with_values(_in_place_of(data.values, rows, found))


# --- characters ---
def _decoded(input, input_encoding, errors, replacement_char, replace_control_characters, with_offsets, name):
    input = _texts(input)
    rank = _rank(input, 'Rank of `input`') if input.shape.rank is None else input.shape.rank
    if rank > 1:
        if not isinstance(input, tf.RaggedTensor):
            input = tf.RaggedTensor.from_tensor(input, ragged_rank=rank - 1)
        elif input.ragged_rank < rank - 1:
            input = input.with_flat_values(tf.RaggedTensor.from_tensor(input.flat_values,
                                                                       ragged_rank=rank - input.ragged_rank - 1))
    flat = tf.reshape(input.flat_values if isinstance(input, tf.RaggedTensor) else input, [-1])
    splits, *parts = _op('UnicodeDecodeWithOffsets' if with_offsets else 'UnicodeDecode', [flat], {
        'input_encoding': input_encoding, 'errors': errors, 'replacement_char': replacement_char,
        'replace_control_characters': bool(replace_control_characters)}, name)
    if rank > 0:
        parts = [tf.RaggedTensor.from_row_splits(p, splits, validate=False) for p in parts]
    if rank > 1:
        parts = [input.with_flat_values(p) for p in parts]
    return parts


def unicode_decode(input: TensorLike, input_encoding: Any, errors: str = 'replace', replacement_char: Any = 0xfffd,
                   replace_control_characters: bool = False, name: str | None = None) -> Any:
    """The code points of strings."""
    return _decoded(input, input_encoding, errors, replacement_char, replace_control_characters, False, name)[0]


def unicode_decode_with_offsets(input: TensorLike, input_encoding: Any, errors: str = 'replace',
                                replacement_char: Any = 0xfffd, replace_control_characters: bool = False,
                                name: str | None = None) -> Any:
    """The code points of strings, and where each begins."""
    return tuple(_decoded(input, input_encoding, errors, replacement_char, replace_control_characters, True, name))


def _each_alone(codes, encoding, errors, replacement_char):
    return tf.ragged.map_flat_values(lambda flat: unicode_encode(flat[:, tf.newaxis], encoding, errors, replacement_char), codes) \
        if isinstance(codes, tf.RaggedTensor) else unicode_encode(codes[:, tf.newaxis], encoding, errors, replacement_char)


def unicode_split(input: TensorLike, input_encoding: Any, errors: str = 'replace', replacement_char: Any = 0xfffd,
                  name: str | None = None) -> Any:
    """The characters of strings."""
    codes, = _decoded(input, input_encoding, errors, replacement_char, False, False, name)
    return _each_alone(codes, input_encoding, 'ignore', replacement_char)


def unicode_split_with_offsets(input: TensorLike, input_encoding: Any, errors: str = 'replace',
                               replacement_char: Any = 0xfffd, name: str | None = None) -> tuple[Any, ...]:
    """The characters of strings, and where each begins."""
    codes, offsets = _decoded(input, input_encoding, errors, replacement_char, False, True, name)
    return _each_alone(codes, input_encoding, 'ignore', replacement_char), offsets


def unicode_encode(input: TensorLike, output_encoding: Any, errors: str = 'replace', replacement_char: Any = 65533,
                   name: str | None = None) -> Any:
    """Strings of code points: one of each row."""
    if not isinstance(input, tf.RaggedTensor):
        input = tf.convert_to_tensor(input, tf.int32)
    if input.shape.rank is None:
        raise ValueError('Rank of input_tensor must be statically known.')
    rank = input.shape.rank

    def again(value):
        return unicode_encode(value, output_encoding, errors, replacement_char)
    if isinstance(input, tf.RaggedTensor):
        if input.flat_values.shape.rank > 1:
            return input.with_flat_values(again(input.flat_values))
        if input.ragged_rank > 1:
            return input.with_values(again(input.values))
        return _op('UnicodeEncode', [input.values, input.row_splits], {
            'output_encoding': output_encoding, 'errors': errors, 'replacement_char': replacement_char}, name)[0]
    if rank == 0:
        raise ValueError("input_tensor's rank must be at least 1.")
    if rank == 2:
        return again(tf.RaggedTensor.from_tensor(input))
    if rank > 2:
        flat = tf.reshape(input, tf.concat([[-1], tf.shape(input)[-1:]], 0))
        return tf.reshape(again(flat), tf.shape(input)[:-1])
    row = tf.RaggedTensor.from_row_splits(input, tf.stack([0, tf.shape(input, out_type=tf.int32)[0]]), validate=False)
    return tf.reshape(again(row), [])


def unicode_script(input: TensorLike, name: str | None = None) -> Any:
    """The ICU number of the script of each character, or -1."""
    if isinstance(input, tf.RaggedTensor):
        return input.with_flat_values(unicode_script(input.flat_values, name))
    return _op('UnicodeScript', [tf.convert_to_tensor(input, tf.int32)], {}, name)[0]


def unicode_transcode(input: TensorLike, input_encoding: Any, output_encoding: Any, errors: str = 'replace',
                      replacement_char: Any = 65533, replace_control_characters: bool = False,
                      name: str | None = None) -> Any:
    """Strings in another encoding."""
    if isinstance(input, tf.RaggedTensor):
        return input.with_flat_values(unicode_transcode(input.flat_values, input_encoding, output_encoding, errors,
                                                        replacement_char, replace_control_characters, name))
    return _op('UnicodeTranscode', [_texts(input)], {
        'input_encoding': input_encoding, 'output_encoding': output_encoding, 'errors': errors,
        'replacement_char': replacement_char, 'replace_control_characters': bool(replace_control_characters)}, name)[0]


def unsorted_segment_join(inputs: TensorLike, segment_ids: TensorLike, num_segments: Any, separator: str = '',
                          name: str | None = None) -> Any:
    """The strings of each segment, joined."""
    return _op('UnsortedSegmentJoin', [_texts(inputs), tf.convert_to_tensor(segment_ids), tf.convert_to_tensor(num_segments)],
               {'separator': separator}, name)[0]


publish('tf.strings', split, bytes_split, ngrams, unicode_decode, unicode_decode_with_offsets, unicode_encode,
        unicode_script, unicode_split, unicode_split_with_offsets, unicode_transcode, unsorted_segment_join)
publish('tf.compat.v1.strings', split=_old_split)
alias('tf.compat.v1', string_split)
