"""tf.compat.v1.image: resizing with the choices of TensorFlow 1, and functions whose parameters have other names."""
from __future__ import annotations

import footlight as tf
from footlight import _engine
from footlight._public import publish
from footlight._typing import Any, Callable, TensorLike

_image = _engine.namespace('compat.v1.image')


class ResizeMethod:
    """How images are resized."""

    BILINEAR, NEAREST_NEIGHBOR, BICUBIC, AREA = 0, 1, 2, 3


def _raw(op: Any) -> Callable[..., Any]:
    def call(images, size, align_corners=False, name=None, half_pixel_centers=False):
        return getattr(tf.raw_ops, op)(images=images, size=size, align_corners=align_corners,
                                       half_pixel_centers=half_pixel_centers, name=name)
    call.__name__ = call.__qualname__ = {'ResizeBilinear': 'resize_bilinear', 'ResizeBicubic': 'resize_bicubic',
                                         'ResizeNearestNeighbor': 'resize_nearest_neighbor'}[op]
    call.__doc__ = f'The op {op}.'
    return call


resize_bilinear, resize_bicubic, resize_nearest_neighbor = (
    _raw(op) for op in ('ResizeBilinear', 'ResizeBicubic', 'ResizeNearestNeighbor'))


def resize_area(images, size, align_corners=False, name=None):
    """The op ResizeArea."""
    return tf.raw_ops.ResizeArea(images=images, size=size, align_corners=align_corners, name=name)


_METHODS = {ResizeMethod.BILINEAR: resize_bilinear, 'bilinear': resize_bilinear, ResizeMethod.BICUBIC: resize_bicubic,
            'bicubic': resize_bicubic, ResizeMethod.NEAREST_NEIGHBOR: resize_nearest_neighbor,
            'nearest': resize_nearest_neighbor, ResizeMethod.AREA: resize_area, 'area': resize_area}


def resize(images: TensorLike, size: Any, method: Any = ResizeMethod.BILINEAR, align_corners: bool = False,
           preserve_aspect_ratio: bool = False, name: str | None = None) -> Any:
    """Images of another size; pixels are points at their upper left corners."""
    images = tf.convert_to_tensor(images, name='images')
    is_one = images.shape.rank == 3
    if images.shape.rank not in (3, 4):
        raise ValueError("'images' must have either 3 or 4 dimensions.")
    if is_one:
        images = images[tf.newaxis]
    known = tf.get_static_value(tf.convert_to_tensor(size, tf.int32))
    size = tf.convert_to_tensor(size)
    if size.shape.rank is not None and size.shape.as_list() not in ([2], [None]):
        raise ValueError("'size' must be a 1-D Tensor of 2 elements: new_height, new_width")
    if preserve_aspect_ratio:
        there = tf.cast(tf.shape(images)[1:3], tf.float64)
        scale = tf.reduce_min(tf.cast(size, tf.float64) / there)
        size = tf.cast(tf.round(there * scale), tf.int32)
        known = tf.get_static_value(size)
    how = method.lower() if isinstance(method, str) else method
    try:
        function = _METHODS[how]
    except (KeyError, TypeError):
        raise ValueError('Resize method is not implemented.') from None
    if known is not None and images.shape[1:3].as_list() == list(known):
        resized = images  # an image of that size stays unchanged, in its dtype
    else:
        resized = function(images, tf.cast(size, tf.int32), align_corners=align_corners, name=name)
        if known is not None:
            resized.set_shape([None, int(known[0]), int(known[1]), None])
    return resized[0] if is_one else resized


resize_images = resize


def resize_image_with_pad(image: TensorLike, target_height: Any, target_width: Any, method: Any = ResizeMethod.BILINEAR,
                          align_corners: bool = False) -> Any:
    """An image of another size, with zeros around it where it has another form."""
    image = tf.convert_to_tensor(image)
    is_one = image.shape.rank == 3
    images = image[tf.newaxis] if is_one else image
    height, width = (tf.cast(tf.shape(images)[i], tf.float64) for i in (1, 2))
    ratio = tf.maximum(width / tf.cast(target_width, tf.float64), height / tf.cast(target_height, tf.float64))
    size = [tf.cast(tf.floor(height / ratio), tf.int32), tf.cast(tf.floor(width / ratio), tf.int32)]
    over = [tf.maximum(0, tf.cast(tf.floor((tf.cast(target, tf.float64) - side / ratio) / 2), tf.int32))
            for target, side in ((target_height, height), (target_width, width))]
    resized = resize(images, tf.stack(size), method, align_corners)
    padded = tf.image.pad_to_bounding_box(resized, over[0], over[1], target_height, target_width)
    return padded[0] if is_one else padded


def crop_and_resize(image: TensorLike, boxes: TensorLike, box_ind: Any = None, crop_size: Any = None,
                    method: str = 'bilinear', extrapolation_value: Any = 0, name: str | None = None,
                    box_indices: Any = None) -> Any:
    """Parts of images, all of one size."""
    return tf.image.crop_and_resize(image, boxes, box_ind if box_indices is None else box_indices, crop_size, method,
                                    extrapolation_value, name)


def draw_bounding_boxes(images: TensorLike, boxes: TensorLike, name: str | None = None, colors: Any = None) -> Any:
    """Images with boxes drawn on them."""
    return tf.image.draw_bounding_boxes(images, boxes, colors, name)


def extract_image_patches(images: TensorLike, ksizes: Any = None, strides: Any = None, rates: Any = None,
                          padding: Any = None, name: str | None = None, sizes: Any = None) -> Any:
    """Windows of images as channels."""
    return tf.image.extract_patches(images, ksizes if sizes is None else sizes, strides, rates, padding, name)


extract_patches = tf.image.extract_patches
publish('tf.compat.v1.image', ResizeMethod, resize_bilinear, resize_bicubic, resize_nearest_neighbor, resize_area,
        resize, resize_image_with_pad, crop_and_resize, draw_bounding_boxes, extract_image_patches)
_image.resize_images, _image.extract_patches = resize, extract_patches
