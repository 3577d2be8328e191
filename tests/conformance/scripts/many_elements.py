# Tensors of so many elements that all cores work on them: strings, searches, parts and orders.
import tensorflow as tf

numbers = tf.range(20000)
squares = tf.cast(numbers, tf.float64) ** 2 / 7
texts = tf.strings.as_string(squares, precision=3)
print(texts[12345], texts[-1])

marked = tf.strings.regex_replace(texts, r'(\d)(\d*?)\.0*', r'<\2|\1>')
print(marked[700], marked[19999])
print(tf.reduce_sum(tf.strings.length(marked)))
print(tf.reduce_sum(tf.cast(tf.strings.regex_full_match(texts, r'(1|2)+\d*\.(000|[5-9]+)'), tf.int32)))

pairs = tf.strings.join([texts, marked], separator=' and ')
print(pairs[4321])
print(tf.reduce_sum(tf.strings.to_hash_bucket_fast(pairs, 1000)))
print(tf.reduce_max(tf.abs(tf.strings.to_number(texts, tf.float64) - squares)) < 0.000501)
try:
    tf.strings.to_number(tf.strings.join([texts, tf.where(numbers % 7001 == 7000, 'x', '')]))
except tf.errors.InvalidArgumentError as error:
    print('7000000.000x' in str(error))

mixed = numbers * 7919 % 20011
order = tf.argsort(mixed)
print(order[:3], tf.reduce_all(tf.gather(mixed, order)[1:] >= tf.gather(mixed, order)[:-1]))
print(tf.math.top_k(tf.concat([mixed] * 10, 0), 3))
print(tf.reduce_sum(tf.searchsorted(tf.sort(mixed), numbers)))
values, places = tf.unique(mixed % 997)
print(tf.size(values), tf.reduce_all(tf.gather(values, places) == mixed % 997))
parts = tf.dynamic_partition(tf.concat([mixed] * 5, 0), tf.concat([mixed] * 5, 0) % 3, 3)
print([int(tf.size(part)) for part in parts], [int(tf.reduce_sum(part[:100])) for part in parts])
