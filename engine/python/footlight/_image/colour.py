"""tf.image: dtypes and colours of images, their changes by chance, and how far two images are apart."""
from __future__ import annotations

import math

import footlight as tf
from footlight import _engine
from footlight._image.geometry import _drawn, _drawn_stateless, as_image, check
from footlight._raw_ops import op as _op
from footlight._typing import Any, Callable, DTypeLike, TensorLike


# --- dtypes ---
def convert_image_dtype(image: TensorLike, dtype: DTypeLike, saturate: bool = False, name: str | None = None) -> Any:
    """The image in another dtype: whole numbers span their whole range, floats that from 0 to 1."""
    image = tf.convert_to_tensor(image, name='image')
    dtype = tf.as_dtype(dtype)
    if not dtype.is_floating and not dtype.is_integer:
        raise AttributeError('dtype must be either floating point or integer')
    if not image.dtype.is_floating and not image.dtype.is_integer:
        raise AttributeError('image dtype must be either floating point or integer')
    if dtype == image.dtype:
        return tf.identity(image, name=name)
    cast = tf.saturate_cast if saturate else tf.cast
    with tf.name_scope(name or 'convert_image'):
        if image.dtype.is_integer and dtype.is_integer:
            most_in, most_out = image.dtype.max, dtype.max
            if most_in > most_out:
                return cast(tf.math.floordiv(image, (most_in + 1) // (most_out + 1)), dtype)
            return cast(image, dtype) * ((most_out + 1) // (most_in + 1))
        if image.dtype.is_floating and dtype.is_floating:
            return tf.cast(image, dtype)
        if image.dtype.is_integer:
            return tf.cast(image, dtype) * (1.0 / image.dtype.max)
        return cast(image * (dtype.max + 0.5), dtype)


def _in_floats(image: Any, change: Any, name: str, saturate: bool = False) -> Any:
    """change(image as floats), in the dtype of the image again."""
    with tf.name_scope(name):
        image = tf.convert_to_tensor(image, name='image')
        floats = image if image.dtype in (tf.float16, tf.float32) else convert_image_dtype(image, tf.float32)
        return convert_image_dtype(change(floats), image.dtype, saturate=saturate)


# --- changes ---
def adjust_brightness(image, delta):
    """The image with `delta` added to each channel, whose range is 0 to 1."""
    return _in_floats(image, lambda x: x + tf.cast(delta, x.dtype), 'adjust_brightness', True)


def adjust_contrast(images, contrast_factor):
    """Images with the distance of each channel from its mean multiplied."""
    return _in_floats(images, lambda x: _op('AdjustContrastv2', images=x, contrast_factor=contrast_factor)[0],
                      'adjust_contrast', True)


def adjust_gamma(image, gamma=1, gain=1):
    """gain * image ** gamma."""
    check(gamma >= 0, 'Gamma should be a non-negative real number.')
    return _in_floats(image, lambda x: gain * x ** gamma, 'adjust_gamma', True)


def adjust_hue(image: TensorLike, delta: Any, name: str | None = None) -> Any:
    """The image with the hue turned: by one for a whole circle."""
    if tf.executing_eagerly() and (delta < -1 or delta > 1):
        raise ValueError('delta must be in the interval [-1, 1]')
    return _in_floats(image, lambda x: _op('AdjustHue', images=x, delta=delta)[0], name or 'adjust_hue')


def adjust_saturation(image: TensorLike, saturation_factor: Any, name: str | None = None) -> Any:
    """The image with the saturation multiplied."""
    return _in_floats(image, lambda x: _op('AdjustSaturation', images=x, scale=saturation_factor)[0],
                      name or 'adjust_saturation')


def per_image_standardization(image):
    """Images with a mean of zero and a variance of one each."""
    with tf.name_scope('per_image_standardization') as scope:
        image = tf.cast(as_image(image), tf.float32)
        axes = [-1, -2, -3]
        count = tf.cast(tf.reduce_prod(tf.shape(image)[-3:]), tf.float32)
        mean = tf.reduce_mean(image, axes, keepdims=True)
        deviation = tf.maximum(tf.math.reduce_std(image, axes, keepdims=True), tf.math.rsqrt(count))
        return tf.divide(image - mean, deviation, name=scope)


def _range(lower: Any, upper: Any) -> tuple[Any, ...]:
    if upper <= lower:
        raise ValueError('upper must be > lower.')
    if lower < 0:
        raise ValueError('lower must be non-negative.')
    return lower, upper


def _around_zero(most: Any) -> tuple[Any, ...]:
    if most < 0:
        raise ValueError('max_delta must be non-negative.')
    return -most, most


def _hues(most):
    if most > 0.5:
        raise ValueError('max_delta must be <= 0.5.')
    return _around_zero(most)


def random_brightness(image, max_delta, seed=None):
    """adjust_brightness() by a random number from -max_delta to max_delta."""
    low, high = _around_zero(max_delta)
    return adjust_brightness(image, _drawn(seed)(shape=[], minval=low, maxval=high))


def stateless_random_brightness(image, max_delta, seed):
    """Like random_brightness(), with the same result for the same seed."""
    low, high = _around_zero(max_delta)
    return adjust_brightness(image, _drawn_stateless(seed)(shape=[], minval=low, maxval=high))


def random_contrast(image, lower, upper, seed=None):
    """adjust_contrast() by a random factor."""
    low, high = _range(lower, upper)
    return adjust_contrast(image, _drawn(seed)(shape=[], minval=low, maxval=high))


def stateless_random_contrast(image, lower, upper, seed):
    """Like random_contrast(), with the same result for the same seed."""
    low, high = _range(lower, upper)
    return adjust_contrast(image, _drawn_stateless(seed)(shape=[], minval=low, maxval=high))


def random_saturation(image, lower, upper, seed=None):
    """adjust_saturation() by a random factor."""
    low, high = _range(lower, upper)
    return adjust_saturation(image, _drawn(seed)(shape=[], minval=low, maxval=high))


def stateless_random_saturation(image, lower, upper, seed=None):
    """Like random_saturation(), with the same result for the same seed."""
    low, high = _range(lower, upper)
    return adjust_saturation(image, _drawn_stateless(seed)(shape=[], minval=low, maxval=high))


def random_hue(image, max_delta, seed=None):
    """adjust_hue() by a random number from -max_delta to max_delta."""
    low, high = _hues(max_delta)
    return adjust_hue(image, _drawn(seed)(shape=[], minval=low, maxval=high))


def stateless_random_hue(image, max_delta, seed):
    """Like random_hue(), with the same result for the same seed."""
    low, high = _hues(max_delta)
    return adjust_hue(image, _drawn_stateless(seed)(shape=[], minval=low, maxval=high))


# --- spaces of colours ---
def rgb_to_hsv(images: TensorLike, name: str | None = None) -> Any:
    """Red, green, blue as hue, saturation, value."""
    return _op('RGBToHSV', images=images, name=name)[0]


def hsv_to_rgb(images: TensorLike, name: str | None = None) -> Any:
    """Hue, saturation, value as red, green, blue."""
    return _op('HSVToRGB', images=images, name=name)[0]


def rgb_to_grayscale(images: TensorLike, name: str | None = None) -> Any:
    """The brightness of colours, as one channel."""
    with tf.name_scope(name or 'rgb_to_grayscale'):
        images = tf.convert_to_tensor(images, name='images')
        weights = tf.constant([0.2989, 0.587, 0.114])
        gray = tf.tensordot(convert_image_dtype(images, tf.float32), weights, [[-1], [-1]])
        return convert_image_dtype(tf.expand_dims(gray, -1), images.dtype)


def grayscale_to_rgb(images: TensorLike, name: str | None = None) -> Any:
    """One channel as three equal ones."""
    with tf.name_scope(name or 'grayscale_to_rgb'):
        images = tf.convert_to_tensor(images, name='images')
        rank = images.shape.rank
        if rank is not None and rank < 2:
            raise ValueError(f'A grayscale image (shape {images.shape}) must be at least two-dimensional.')
        if rank is not None and images.shape[-1] not in (1, None):
            raise ValueError('Last dimension of a grayscale image should be size 1.')
        if rank is None or images.shape[-1] is None:
            tf.debugging.assert_equal(tf.shape(images)[-1], 1, 'Last dimension of a grayscale image should be size 1.')
        repeats = tf.concat([tf.ones([tf.rank(images) - 1], tf.int32), [3]], 0)
        made = tf.tile(images, repeats)
        if rank is not None:
            made.set_shape([*images.shape[:-1], 3])
        return made


def _linear(name: str, matrix: list[Any], doc: str) -> Callable[..., Any]:
    def change(images):
        images = tf.convert_to_tensor(images, name='images')
        return tf.tensordot(images, tf.constant(matrix, images.dtype), [[images.shape.rank - 1], [0]])
    change.__name__ = change.__qualname__ = name
    change.__doc__ = doc
    return change


rgb_to_yiq = _linear('rgb_to_yiq', [[0.299, 0.59590059, 0.2115], [0.587, -0.27455667, -0.52273617],
                                    [0.114, -0.32134392, 0.31119955]], 'Red, green, blue as Y, I, Q.')
yiq_to_rgb = _linear('yiq_to_rgb', [[1.0, 1.0, 1.0], [0.95598634, -0.27201283, -1.10674021],
                                    [0.6208248, -0.64720424, 1.70423049]], 'Y, I, Q as red, green, blue.')
rgb_to_yuv = _linear('rgb_to_yuv', [[0.299, -0.14714119, 0.61497538], [0.587, -0.28886916, -0.51496512],
                                    [0.114, 0.43601035, -0.10001026]], 'Red, green, blue as Y, U, V.')
yuv_to_rgb = _linear('yuv_to_rgb', [[1.0, 1.0, 1.0], [0.0, -0.394642334, 2.03206185], [1.13988303, -0.58062185, 0.0]],
                     'Y, U, V as red, green, blue.')


# --- edges and differences ---
def image_gradients(image: Any) -> tuple[Any, ...]:
    """The differences to the next row and to the next column: (dy, dx)."""
    if image.shape.rank != 4:
        raise ValueError(f'image_gradients expects a 4D tensor [batch_size, h, w, d], not {image.shape}.')
    down = tf.pad(image[:, 1:] - image[:, :-1], [[0, 0], [0, 1], [0, 0], [0, 0]])
    across = tf.pad(image[:, :, 1:] - image[:, :, :-1], [[0, 0], [0, 0], [0, 1], [0, 0]])
    return tf.ensure_shape(down, image.shape), tf.ensure_shape(across, image.shape)


def sobel_edges(image):
    """Sobel's edges in both directions, as another dimension."""
    image = tf.convert_to_tensor(image)
    kernels = [[[[-1, -1]], [[-2, 0]], [[-1, 1]]], [[[0, -2]], [[0, 0]], [[0, 2]]], [[[1, -1]], [[2, 0]], [[1, 1]]]]
    kernels = tf.tile(tf.constant(kernels, image.dtype), tf.stack([1, 1, tf.shape(image)[-1], 1]))
    padded = tf.pad(image, [[0, 0], [1, 1], [1, 1], [0, 0]], mode='REFLECT')
    made = tf.nn.depthwise_conv2d(padded, kernels, [1, 1, 1, 1], 'VALID')
    made = tf.reshape(made, tf.concat([tf.shape(image), [2]], 0))
    if image.shape.rank is not None:
        made.set_shape([*image.shape, 2])
    return made


def total_variation(images: TensorLike, name: str | None = None) -> Any:
    """The sum of the differences of neighbouring pixels."""
    with tf.name_scope(name or 'total_variation'):
        images = tf.convert_to_tensor(images)
        if images.shape.rank not in (3, 4):
            raise ValueError("'images' must be either 3 or 4-dimensional.")
        axes = None if images.shape.rank == 3 else [1, 2, 3]
        down = images[..., 1:, :, :] - images[..., :-1, :, :]
        across = images[..., 1:, :] - images[..., :-1, :]
        return tf.reduce_sum(tf.abs(down), axes) + tf.reduce_sum(tf.abs(across), axes)


# --- how far images are apart ---
def _compatible(a: Any, b: Any) -> None:
    for image in (a, b):
        if image.shape.rank is not None and image.shape.rank < 3:
            raise ValueError(f'Shape {image.shape} must have rank at least 3')
    if a.shape.rank is not None and b.shape.rank is not None:
        if not a.shape[-3:].is_compatible_with(b.shape[-3:]):
            raise ValueError(f'Shapes {a.shape[-3:]} and {b.shape[-3:]} are incompatible')
        for one, other in zip(reversed(a.shape[:-3]), reversed(b.shape[:-3])):
            if None not in (one, other) and 1 not in (one, other) and one != other:
                raise ValueError(f'Two images are not compatible: {a.shape} and {b.shape}')
    first, second = tf.shape(a), tf.shape(b)
    tf.debugging.Assert(tf.reduce_all(tf.equal(first[-3:], second[-3:])), [first, second], summarize=10)


def psnr(a: TensorLike, b: TensorLike, max_val: Any, name: str | None = None) -> Any:
    """The ratio of the largest value and the mean error, in decibels."""
    with tf.name_scope(name or 'PSNR'):
        a, b = tf.convert_to_tensor(a), tf.convert_to_tensor(b)
        most = convert_image_dtype(tf.cast(max_val, a.dtype), tf.float32)
        a, b = convert_image_dtype(a, tf.float32), convert_image_dtype(b, tf.float32)
        error = tf.reduce_mean(tf.math.squared_difference(a, b), [-3, -2, -1])
        _compatible(a, b)
        return 20 * tf.math.log(most) / tf.math.log(10.0) - tf.constant(10 / math.log(10)) * tf.math.log(error)


def _per_channel(a: Any, b: Any, max_val: Any, filter_size: Any, filter_sigma: Any, k1: Any, k2: Any,
                 whole: bool = False) -> tuple[Any, ...]:
    """The similarity of two images, and its part for contrast and structure, for each channel."""
    for image in (a, b):
        shape = tf.shape(image)
        tf.debugging.Assert(tf.reduce_all(shape[-3:-1] >= filter_size), [shape, filter_size], summarize=8)
    places = tf.cast(tf.range(filter_size), a.dtype) - tf.cast(filter_size - 1, a.dtype) / 2.0
    bell = tf.square(places) * (-0.5 / tf.square(tf.cast(filter_sigma, a.dtype)))
    bell = tf.nn.softmax(tf.reshape(bell[tf.newaxis] + bell[:, tf.newaxis], [1, -1]))
    kernel = tf.tile(tf.reshape(bell, [filter_size, filter_size, 1, 1]), tf.stack([1, 1, tf.shape(a)[-1], 1]))

    def smooth(x):
        shape = tf.shape(x)
        made = tf.nn.depthwise_conv2d(tf.reshape(x, tf.concat([[-1], shape[-3:]], 0)), kernel, [1, 1, 1, 1], 'VALID')
        return tf.reshape(made, tf.concat([shape[:-3], tf.shape(made)[1:]], 0))

    c1, c2 = (k1 * max_val) ** 2, (k2 * max_val) ** 2
    mean_a, mean_b = smooth(a), smooth(b)
    both, squares = mean_a * mean_b * 2.0, tf.square(mean_a) + tf.square(mean_b)
    luminance = (both + c1) / (squares + c1)
    structure = (smooth(a * b) * 2.0 - both + c2) / (smooth(tf.square(a) + tf.square(b)) - squares + c2)
    if whole:
        return luminance * structure, structure
    return tf.reduce_mean(luminance * structure, [-3, -2]), tf.reduce_mean(structure, [-3, -2])


def _pair(img1: Any, img2: Any, max_val: Any) -> tuple[Any, ...]:
    img1, img2 = tf.convert_to_tensor(img1, name='img1'), tf.convert_to_tensor(img2, name='img2')
    _compatible(img1, img2)
    most = convert_image_dtype(tf.cast(max_val, img1.dtype), tf.float32)
    return convert_image_dtype(img1, tf.float32), convert_image_dtype(img2, tf.float32), most


def ssim(img1: Any, img2: Any, max_val: Any, filter_size: Any = 11, filter_sigma: Any = 1.5, k1: Any = 0.01,
         k2: Any = 0.03, return_index_map: bool = False) -> Any:
    """The structural similarity of two images."""
    with tf.name_scope('SSIM'):
        img1, img2, most = _pair(img1, img2, max_val)
        each, _ = _per_channel(img1, img2, most, filter_size, filter_sigma, k1, k2, return_index_map)
        return tf.reduce_mean(each, [-1])


def ssim_multiscale(img1, img2, max_val, power_factors=(0.0448, 0.2856, 0.3001, 0.2363, 0.1333), filter_size=11,
                    filter_sigma=1.5, k1=0.01, k2=0.03):
    """The structural similarity of two images at several sizes, each half of the one before."""
    with tf.name_scope('MS-SSIM'):
        img1, img2, most = _pair(img1, img2, max_val)
        pair, heads = [img1, img2], [tf.shape(x)[:-3] for x in (img1, img2)]
        parts = []
        for scale in range(len(power_factors)):
            if scale:
                flat = [tf.reshape(x, tf.concat([[-1], tf.shape(x)[-3:]], 0)) for x in pair]
                odd = tf.shape(flat[0])[1:] % tf.constant([2, 2, 1])
                around = tf.stack([tf.zeros([4], tf.int32), tf.concat([[0], odd], 0)], 1)
                even = [tf.pad(x, around, mode='SYMMETRIC') for x in flat]
                small = [tf.nn.avg_pool2d(x, 2, 2, 'VALID') for x in even]
                pair = [tf.reshape(x, tf.concat([head, tf.shape(x)[1:]], 0)) for x, head in zip(small, heads)]
            whole, structure = _per_channel(*pair, most, filter_size, filter_sigma, k1, k2)
            parts.append(tf.nn.relu(structure))
        parts[-1] = tf.nn.relu(whole)
        return tf.reduce_mean(tf.reduce_prod(tf.pow(tf.stack(parts, -1), power_factors), [-1]), [-1])


NAMES = ('adjust_brightness adjust_contrast adjust_gamma adjust_hue adjust_saturation convert_image_dtype grayscale_to_rgb '
         'hsv_to_rgb image_gradients per_image_standardization psnr random_brightness random_contrast random_hue '
         'random_saturation rgb_to_grayscale rgb_to_hsv rgb_to_yiq rgb_to_yuv sobel_edges ssim ssim_multiscale '
         'stateless_random_brightness stateless_random_contrast stateless_random_hue stateless_random_saturation '
         'total_variation yiq_to_rgb yuv_to_rgb').split()
for _name in NAMES:
    setattr(_engine.namespace('image'), _name, globals()[_name])
