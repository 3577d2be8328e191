"""The functions of tf.strings."""


def cases(tf):
    s = tf.strings
    c = tf.ragged.constant
    snow = '☃ über \U0001f600'

    def bad():
        return tf.constant([b'a\xffb', b'\xe2\x98', 'é'.encode(), b'\xc0\x80z', b'\xed\xa0\x80'])
    return {
        'split': lambda: [s.split('a b  c'), s.split(['a b', '', ' x  y ']), s.split(['a,b,,c', ''], ','), s.split(['a,b,c'], ',', 1),
                          s.split([' a b  c'], maxsplit=1), s.split([['a b'], ['c']]), s.split(c([['a b'], []])), s.split(['a--b-c'], '--')],
        'bytes_split': lambda: [s.bytes_split('hello'), s.bytes_split(['ab', '', 'c']), s.bytes_split([['ab'], ['c']])],
        'old_split': lambda: [tf.compat.v1.strings.split(['a b', 'c']), tf.compat.v1.strings.split(['a b'], result_type='RaggedTensor'),
                              tf.compat.v1.string_split(['a b', 'c']), tf.compat.v1.string_split(['a.b,c'], '.,')],
        'ngrams': lambda: [s.ngrams(c([['a', 'b', 'c'], ['d']]), 2), s.ngrams(['a', 'b', 'c'], [1, 2]), s.ngrams([['a', 'b']], 2),
                           s.ngrams(['a', 'b', 'c'], 2, pad_values=('<', '>')), s.ngrams(['a', 'b', 'c'], 3, pad_values='_', padding_width=1),
                           s.ngrams(c([['a'], []]), 3, preserve_short_sequences=True), s.ngrams(['a', 'b'], 2, separator='')],
        'ngrams_error': lambda: s.ngrams(['a'], 0),
        'ngrams_pad_error': lambda: s.ngrams(['a'], 2, padding_width=1),
        'ngrams_rank_error': lambda: s.ngrams('a', 2),
        'decode': lambda: [s.unicode_decode(snow, 'UTF-8'), s.unicode_decode([snow, '', 'a'], 'UTF-8'), s.unicode_decode([['ab'], ['c']], 'UTF-8'),
                           s.unicode_decode(bad(), 'UTF-8'), s.unicode_decode(bad(), 'UTF-8', errors='ignore'),
                           s.unicode_decode(bad(), 'UTF-8', replacement_char=63), s.unicode_decode(['a\tb\x01'], 'UTF-8', replace_control_characters=True),
                           s.unicode_decode([b'\x00a\x26\x03'], 'UTF-16-BE'), s.unicode_decode([b'a\xe9'], 'ISO-8859-1'),
                           s.unicode_decode([b'\x00\x00\x00a'], 'UTF-32-BE')],
        'decode_strict_error': lambda: s.unicode_decode(bad(), 'UTF-8', errors='strict'),
        'decode_encoding_error': lambda: s.unicode_decode(['a'], 'no such encoding'),
        'decode_errors_error': lambda: s.unicode_decode(['a'], 'UTF-8', errors='other'),
        'offsets': lambda: [s.unicode_decode_with_offsets(snow, 'UTF-8'), s.unicode_decode_with_offsets(['é1', ''], 'UTF-8')],
        'unicode_split': lambda: [s.unicode_split(snow, 'UTF-8'), s.unicode_split([snow, ''], 'UTF-8'),
                                  s.unicode_split_with_offsets(['é1'], 'UTF-8'), s.unicode_split(bad(), 'UTF-8')],
        'encode': lambda: [s.unicode_encode([104, 233], 'UTF-8'), s.unicode_encode(c([[104, 105], [], [9731]]), 'UTF-8'),
                           s.unicode_encode([[104, 105], [106, 107]], 'UTF-16-BE'), s.unicode_encode([97, 0x110000], 'UTF-8'),
                           s.unicode_encode([97, 0x1f600], 'UTF-32-BE'), s.unicode_encode([97, 0xd800], 'UTF-8', errors='ignore')],
        'script': lambda: [s.unicode_script([1, 31, 97, 1090, 0x3b1, 0x4e00, -1, 0x110000]), s.unicode_script(97),
                           s.unicode_script(c([[97], [], [1090, 46]]))],
        'encode_strict_error': lambda: s.unicode_encode([0x110000], 'UTF-8', errors='strict'),
        'encode_rank_error': lambda: s.unicode_encode(97, 'UTF-8'),
        'transcode': lambda: [s.unicode_transcode([snow, 'a'], 'UTF-8', 'UTF-16-BE'), s.unicode_transcode(bad(), 'UTF-8', 'UTF-8'),
                              s.unicode_transcode([b'\xe9'], 'ISO-8859-1', 'UTF-8'), s.unicode_transcode('a', 'US-ASCII', 'UTF-32-BE')],
        **{f'control_{errors}': lambda errors=errors: [
            [s.unicode_transcode(text, 'UTF-8', 'UTF-8', errors=errors, replace_control_characters=True)
             for text in (b'a\xff\x00b', b'\x01\t\nx\x7f', b'\xc2\x80y')],
            s.unicode_decode(b'a\xff\x01', 'UTF-8', errors=errors, replace_control_characters=True)]
            for errors in ('ignore', 'replace')},
        'control_strict': lambda: s.unicode_transcode(b'a\tb', 'UTF-8', 'UTF-8', errors='strict', replace_control_characters=True),
        'control_kept': lambda: s.unicode_transcode(b'a\tb', 'UTF-8', 'UTF-8', errors='strict'),
        'segment_join': lambda: [s.unsorted_segment_join(['a', 'b', 'c'], [1, 0, 1], 3), s.unsorted_segment_join(
            [['a', 'b'], ['c', 'd']], [0, 0], 1, separator=':')],
        'segment_join_negative_error': lambda: s.unsorted_segment_join(['a', 'b', 'c'], [-1, 0, 0], 1),
        'segment_join_error': lambda: s.unsorted_segment_join(['a'], [5], 2),
        'join': lambda: [s.join(['a', ['b', 'c']], '-'), s.reduce_join([['a', 'b'], ['c', 'd']], 0), s.reduce_join([['a', 'b']], separator=' ')],
        'plain': lambda: [s.lower('ABC'), s.upper(['é'], encoding='utf-8'), s.strip([' a ']), s.length(['é'], unit='UTF8_CHAR'), s.substr('hello', 1, 3),
                          s.to_number(['1.5', '2']), s.regex_full_match(['ab', 'b'], 'a.*'), s.format('{}', tf.constant([1, 2]))],
        'substr_error': lambda: s.substr('abc', 9, 1),
        'number_error': lambda: s.to_number(['x']),
        'hashes': lambda: [s.to_hash_bucket(['a', 'b'], 100), s.to_hash_bucket_fast(['a'], 100), s.to_hash_bucket_strong(['a'], 100, [1, 2])],
    }


EAGER_ONLY = ()
