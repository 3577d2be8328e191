"""Shapes that change: every sentence has another length, and every length has a trace of its own.

Look at Findings: the length is dimension 0 of `words`; the fix declares it as None. In Retraces, the key of each trace
differs from its neighbour's in that one number. The script runs under TensorFlow too.
"""
import tensorflow as tf

SENTENCES = (7, 12, 5, 9, 14, 6, 11, 8, 13, 10, 4, 15)
WORDS, SIZE = 50, 8

embedding = tf.Variable(tf.reshape(tf.sin(tf.range(WORDS * SIZE, dtype=tf.float32)), [WORDS, SIZE]), name='embedding')


@tf.function
def encode(words):
    """The mean of the words' vectors, the later words weighing more."""
    vectors = tf.gather(embedding, words)
    weights = tf.nn.softmax(tf.cast(tf.range(tf.size(words)), tf.float32) * 0.1)
    return tf.linalg.matvec(vectors, weights, transpose_a=True)


@tf.function
def similarity(a, b):
    return tf.reduce_sum(a * b) / (tf.norm(a) * tf.norm(b))


def main():
    previous = tf.ones([SIZE])
    for number, length in enumerate(SENTENCES):
        words = tf.constant([(number * 17 + i * 7) % WORDS for i in range(length)])
        sentence = encode(words)
        print(f'sentence {number:2d} of {length:2d} words: similarity {float(similarity(previous, sentence)):.3f}')
        previous = sentence


if __name__ == '__main__':
    main()
