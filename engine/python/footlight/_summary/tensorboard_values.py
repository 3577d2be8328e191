"""tf.summary.scalar, histogram, image, text and audio: tensors in the form that TensorBoard's pages expect."""
import footlight as tf
from footlight import _proto
from footlight._public import publish
from footlight._summary.writers import summary, summary_scope, write


def _metadata(plugin, description, content=b''):
    found = _proto.SummaryMetadata(summary_description=description or '')
    found.plugin_data.plugin_name, found.plugin_data.content = plugin, content
    return found


def scalar(name, data, step=None, description=None):
    """Writes a number."""
    with summary_scope(name, 'scalar_summary') as (tag, _):
        def value():
            number = tf.convert_to_tensor(data)
            if number.shape.rank not in (0, None):
                raise ValueError(f'Expected scalar shape, saw shape: {tuple(number.shape)}.')
            return tf.cast(number, tf.float32)
        return write(tag, value, step, _metadata('scalars', description))


def _buckets(data, count):
    """[left edge, right edge, how many] of `count` buckets of equal width."""
    data = tf.cast(tf.reshape(data, [-1]), tf.float64)
    size = tf.size(data)

    def filled():
        least, most = tf.reduce_min(data), tf.reduce_max(data)

        def one_value():
            edges = tf.fill([count], most)
            counts = tf.concat([tf.zeros([count - 1], tf.float64), [tf.cast(size, tf.float64)]], 0)
            return tf.stack([edges, edges, counts], axis=1)

        def several():
            width = (most - least) / count
            places = tf.minimum(tf.cast(tf.floor((data - least) / width), tf.int32), count - 1)
            counts = tf.math.unsorted_segment_sum(tf.ones_like(data), places, count)
            edges = tf.concat([tf.linspace(least, most, count + 1)[:-1], [most]], 0)
            return tf.stack([edges[:-1], edges[1:], counts], axis=1)
        return tf.cond(tf.equal(least, most), one_value, several)
    if count == 0:
        return tf.zeros([0, 3], tf.float64)
    return tf.cond(tf.equal(size, 0), lambda: tf.zeros([count, 3], tf.float64), filled)


def histogram(name, data, step=None, buckets=None, description=None):
    """Writes how the numbers of a tensor are distributed."""
    count = 30 if buckets is None else max(0, int(buckets))
    with summary_scope(name, 'histogram_summary') as (tag, _):
        return write(tag, lambda: _buckets(tf.stop_gradient(tf.convert_to_tensor(data)), count), step,
                     _metadata('histograms', description))


def _as_bytes(pixels):
    if pixels.dtype in (tf.uint8, tf.uint16):
        return pixels if pixels.dtype == tf.uint8 else tf.cast(pixels // 256, tf.uint8)
    if pixels.dtype.is_floating:
        return tf.cast(tf.clip_by_value(tf.cast(pixels, tf.float32), 0., 1.) * 255.5, tf.uint8)
    scale = pixels.dtype.max // 255 if pixels.dtype.max > 255 else 1
    pixels = tf.maximum(pixels, tf.zeros([], pixels.dtype))
    return tf.cast(pixels // tf.cast(scale + 1 if scale > 1 else 1, pixels.dtype), tf.uint8)


def image(name, data, step=None, max_outputs=3, description=None):
    """Writes images: [how many, height, width, channels]."""
    with summary_scope(name, 'image_summary') as (tag, _):
        def value():
            pixels = tf.convert_to_tensor(data)
            tf.debugging.assert_rank(pixels, 4)
            tf.debugging.assert_non_negative(max_outputs)
            shape = tf.shape(pixels)
            sizes = tf.stack([tf.strings.as_string(shape[2]), tf.strings.as_string(shape[1])])
            return tf.concat([sizes, tf.io.encode_png(_as_bytes(pixels)[:max_outputs])], 0)
        return write(tag, value, step, _metadata('images', description))


def text(name, data, step=None, description=None):
    """Writes strings, in Markdown."""
    with summary_scope(name, 'text_summary') as (tag, _):
        def value():
            words = tf.convert_to_tensor(data)
            if words.dtype != tf.string:
                raise TypeError(f'tf.summary.text: data must be strings, not {words.dtype.name}')
            return words
        return write(tag, value, step, _metadata('text', description))


def audio(name, data, sample_rate, step=None, max_outputs=3, encoding=None, description=None):
    """Writes sounds: [how many, frames, channels], from -1 to 1."""
    if encoding not in (None, 'wav'):
        raise ValueError(f'Unknown encoding: {encoding!r}')
    with summary_scope(name, 'audio_summary') as (tag, _):
        def value():
            sounds = tf.convert_to_tensor(data)
            tf.debugging.assert_rank(sounds, 3)
            tf.debugging.assert_non_negative(max_outputs)
            sounds = sounds[:max_outputs]
            files = tf.map_fn(lambda sound: tf.audio.encode_wav(sound, sample_rate), sounds,
                              fn_output_signature=tf.string)
            return tf.stack([files, tf.fill(tf.shape(files), '')], axis=1)
        return write(tag, value, step, _metadata('audio', description, b'\x10\x0b'))


publish('tf.summary', scalar, histogram, image, text, audio)
