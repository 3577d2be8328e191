"""tf.image and tf.io: files of images."""
from __future__ import annotations

import footlight as tf
from footlight import _engine
from footlight._image.geometry import _drawn, _drawn_stateless
from footlight._image.colour import convert_image_dtype
from footlight._raw_ops import op as _op
from footlight._typing import Any, DTypeLike, TensorLike


def decode_jpeg(contents: TensorLike, channels: Any = 0, ratio: Any = 1, fancy_upscaling: bool = True,
                try_recover_truncated: bool = False, acceptable_fraction: Any = 1, dct_method: str = '',
                name: str | None = None) -> Any:
    """The image in a JPEG file."""
    return _op('DecodeJpeg', contents=contents, channels=channels, ratio=ratio, fancy_upscaling=fancy_upscaling,
               try_recover_truncated=try_recover_truncated, acceptable_fraction=acceptable_fraction,
               dct_method=dct_method, name=name)[0]


def decode_and_crop_jpeg(contents: TensorLike, crop_window: Any, channels: Any = 0, ratio: Any = 1,
                         fancy_upscaling: bool = True, try_recover_truncated: bool = False,
                         acceptable_fraction: Any = 1, dct_method: str = '', name: str | None = None) -> Any:
    """A part [y, x, height, width] of the image in a JPEG file."""
    return _op('DecodeAndCropJpeg', contents=contents, crop_window=crop_window, channels=channels, ratio=ratio,
               fancy_upscaling=fancy_upscaling, try_recover_truncated=try_recover_truncated,
               acceptable_fraction=acceptable_fraction, dct_method=dct_method, name=name)[0]


def decode_png(contents: TensorLike, channels: Any = 0, dtype: DTypeLike = tf.uint8, name: str | None = None) -> Any:
    """The image in a PNG file."""
    return _op('DecodePng', contents=contents, channels=channels, dtype=dtype, name=name)[0]


def decode_bmp(contents: TensorLike, channels: Any = 0, name: str | None = None) -> Any:
    """The image in a BMP file."""
    return _op('DecodeBmp', contents=contents, channels=channels, name=name)[0]


def decode_gif(contents: TensorLike, name: str | None = None) -> Any:
    """The images in a GIF file, as a batch."""
    return _op('DecodeGif', contents=contents, name=name)[0]


def decode_image(contents: TensorLike, channels: Any = None, dtype: DTypeLike = tf.uint8, name: str | None = None,
                 expand_animations: bool = True) -> Any:
    """The image in a JPEG, PNG, GIF or BMP file."""
    with tf.name_scope(name or 'decode_image'):
        dtype = tf.as_dtype(dtype)
        read = dtype if dtype in (tf.float32, tf.uint8, tf.uint16) else tf.uint16
        image = _op('DecodeImage', contents=contents, channels=channels or 0, dtype=read,
                    expand_animations=bool(expand_animations))[0]
        return image if read == dtype else convert_image_dtype(image, dtype)


def encode_jpeg(image: TensorLike, format: str = '', quality: Any = 95, progressive: bool = False,
                optimize_size: bool = False, chroma_downsampling: bool = True, density_unit: str = 'in',
                x_density: Any = 300, y_density: Any = 300, xmp_metadata: str = '', name: str | None = None) -> Any:
    """An image as a JPEG file."""
    return _op('EncodeJpeg', image=image, format=format, quality=quality, progressive=progressive,
               optimize_size=optimize_size, chroma_downsampling=chroma_downsampling, density_unit=density_unit,
               x_density=x_density, y_density=y_density, xmp_metadata=xmp_metadata, name=name)[0]


def extract_jpeg_shape(contents: TensorLike, output_type: DTypeLike = tf.int32, name: str | None = None) -> Any:
    """Height, width and channels of a JPEG file."""
    return _op('ExtractJpegShape', contents=contents, output_type=output_type, name=name)[0]


def is_jpeg(contents: TensorLike, name: str | None = None) -> Any:
    """Whether the bytes begin as those of a JPEG file do."""
    with tf.name_scope(name or 'is_jpeg'):
        return tf.equal(tf.strings.substr(contents, 0, 3), b'\xff\xd8\xff')


def adjust_jpeg_quality(image: TensorLike, jpeg_quality: Any, dct_method: str = '', name: str | None = None) -> Any:
    """The image after encoding it as JPEG with this quality and decoding it."""
    with tf.name_scope(name or 'adjust_jpeg_quality'):
        image = tf.convert_to_tensor(image, name='image')
        file = _op('EncodeJpegVariableQuality', images=convert_image_dtype(image, tf.uint8, saturate=True),
                   quality=jpeg_quality)[0]
        made = decode_jpeg(file, channels=image.shape[-1], dct_method=dct_method)
        return convert_image_dtype(made, image.dtype, saturate=True)


def _qualities(low: Any, high: Any) -> dict[Any, Any]:
    if low < 0 or high < 0 or low > 100 or high > 100:
        raise ValueError('jpeg encoding range must be between 0 and 100.')
    if low >= high:
        raise ValueError('`min_jpeg_quality` must be less than `max_jpeg_quality`.')
    return {'shape': [], 'minval': low, 'maxval': high, 'dtype': tf.int32}


def random_jpeg_quality(image, min_jpeg_quality, max_jpeg_quality, seed=None):
    """adjust_jpeg_quality() by a random quality."""
    return adjust_jpeg_quality(image, _drawn(seed)(**_qualities(min_jpeg_quality, max_jpeg_quality)))


def stateless_random_jpeg_quality(image, min_jpeg_quality, max_jpeg_quality, seed):
    """Like random_jpeg_quality(), with the same result for the same seed."""
    return adjust_jpeg_quality(image, _drawn_stateless(seed)(**_qualities(min_jpeg_quality, max_jpeg_quality)))


IO_NAMES = ('decode_and_crop_jpeg decode_bmp decode_gif decode_image decode_jpeg decode_png encode_jpeg extract_jpeg_shape '
            'is_jpeg').split()
NAMES = IO_NAMES + ['adjust_jpeg_quality', 'random_jpeg_quality', 'stateless_random_jpeg_quality']
for _name in NAMES:
    setattr(_engine.namespace('image'), _name, globals()[_name])
for _name in IO_NAMES:
    setattr(_engine.namespace('io'), _name, globals()[_name])
