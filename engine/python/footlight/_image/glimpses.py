"""tf.image.extract_glimpse: windows of images around given points, and the raw ops ExtractGlimpse and ExtractGlimpseV2."""
from __future__ import annotations

import footlight as tf
from footlight import _engine
from footlight._typing import Any, Callable, TensorLike

_NOISES = ('uniform', 'gaussian', 'zero')


def _invalid(words: str) -> Any:
    return tf.errors.InvalidArgumentError(None, None, words)


def _begins(offsets, sizes, window, centered, normalized, is_first_form):
    """Where windows begin, [batch, 2]. The first form halves offsets from the centre that are in pixels, and takes half a
    window off always; today's takes it off only where offsets are fractions from the centre."""
    if normalized:
        offsets = offsets * sizes
    if centered:
        if normalized or is_first_form:
            offsets = offsets / 2
        offsets = offsets + sizes / 2
    if is_first_form or (centered and normalized):
        offsets = offsets - window / 2
    return tf.cast(offsets, tf.int32)


def _noise_of(images, shape, noise):
    """Noise for pixels outside of the images, in the range of each channel of each image."""
    least, largest = (f(images, [1, 2], keepdims=True) for f in (tf.reduce_min, tf.reduce_max))
    if noise == 'uniform':
        return least + tf.random.uniform(shape) * (largest - least)
    if noise == 'gaussian':
        mean, variance = tf.nn.moments(images, [1, 2], keepdims=True)
        return tf.clip_by_value(mean + tf.random.normal(shape) * tf.sqrt(variance), least, largest)
    return tf.zeros(shape)


def _glimpses(images, size, offsets, centered, normalized, noise, is_first_form, name):
    with tf.name_scope(name or 'extract_glimpse'):
        if noise not in _NOISES:
            raise _invalid(f'The noise could only be uniform, gaussian, or zero, got {noise}')
        images = tf.convert_to_tensor(images, tf.float32)
        size, offsets = tf.convert_to_tensor(size, tf.int32), tf.convert_to_tensor(offsets, tf.float32)
        if images.shape.rank not in (None, 4):
            raise _invalid(f'input must be 4-dimensional (batch_size, height, width, depth), its shape is {images.shape}')
        if not size.shape.is_compatible_with([2]):
            raise _invalid(f'size must be a vector of 2 elements (height, width), its shape is {size.shape}')
        if offsets.shape.rank not in (None, 2):
            raise _invalid(f'offsets must be a matrix, its shape is {offsets.shape}')
        known = tf.get_static_value(size)
        if known is not None and min(known) < 0:
            raise _invalid(f'Expected a non-negative size, got {min(known)}')
        images = tf.ensure_shape(images, [offsets.shape[0] if offsets.shape.rank else None, None, None, None])
        offsets = tf.ensure_shape(offsets, [images.shape[0], 2])
        now = tf.shape(images)
        begins = _begins(offsets, tf.cast(now[1:3], tf.float32), tf.cast(size, tf.float32), centered, normalized, is_first_form)
        rows, columns = (begins[:, i, tf.newaxis] + tf.range(size[i]) for i in range(2))
        is_row, is_column = rows >= 0, columns >= 0
        is_row, is_column = is_row & (rows < now[1]), is_column & (columns < now[2])
        windows = images
        for at, height, axis in ((rows, now[1], 1), (columns, now[2], 2)):
            windows = tf.gather(windows, tf.clip_by_value(at, 0, tf.maximum(height - 1, 0)), axis=axis, batch_dims=1)
        inside = (is_row[:, :, tf.newaxis] & is_column[:, tf.newaxis, :])[..., tf.newaxis]
        windows = tf.where(inside, windows, _noise_of(images, tf.shape(windows), noise))
        height, width = [None, None] if known is None else known.tolist()
        windows.set_shape([images.shape[0], height, width, images.shape[3]])
        return windows


def extract_glimpse(input: TensorLike, size: Any, offsets: Any, centered: bool = True, normalized: bool = True,
                    noise: str = 'uniform', name: str | None = None) -> Any:
    """A window of each image, around (or, with centered=False, from) a point.

    input: images [batch, height, width, channels] of float32; size: [height, width] of the windows; offsets: [batch, 2] as (y, x).
    normalized: whether offsets are fractions, -1 to 1 from the centre or 0 to 1 from the corner, and not pixels.
    noise: what stands where a window leaves its image: 'uniform', 'gaussian' or 'zero'.
    """
    return _glimpses(input, size, offsets, centered, normalized, noise, False, name)


def old_extract_glimpse(input: TensorLike, size: Any, offsets: Any, centered: bool = True, normalized: bool = True,
                        uniform_noise: bool = True, name: str | None = None) -> Any:
    """tf.image.extract_glimpse as it was: offsets in pixels from the centre count half."""
    return _glimpses(input, size, offsets, centered, normalized, 'uniform' if uniform_noise else 'gaussian', True, name)


def _raw(is_first_form: Any) -> Callable[..., Any]:
    def op(*, input, size, offsets, centered=True, normalized=True, uniform_noise=True, noise='uniform', name=None):
        if uniform_noise and noise != 'uniform':
            raise _invalid('The uniform_noise and noise could not be specified at the same time')
        return _glimpses(input, size, offsets, centered, normalized, noise, is_first_form, name)
    op.__name__ = op.__qualname__ = 'ExtractGlimpse' if is_first_form else 'ExtractGlimpseV2'
    op.__doc__ = f'Windows of images, the op {op.__name__}.'
    return op


RAW = {'ExtractGlimpse': _raw(True), 'ExtractGlimpseV2': _raw(False)}
_engine.namespace('image').extract_glimpse = extract_glimpse
_engine.namespace('compat.v1.image').extract_glimpse = old_extract_glimpse
