"""tf.image: sizes, parts, flips and boxes of images. Colours and qualities are in colour.py, files in encoding.py."""
from __future__ import annotations

import footlight as tf
from footlight import _engine
from footlight._raw_ops import op as _op
from footlight._typing import Any, Callable, TensorLike


def check(condition: TensorLike, message: Any) -> None:
    """A ValueError where `condition` is known to be false; an assertion of the graph where it is not known yet."""
    known = tf.get_static_value(condition) if tf.is_tensor(condition) else condition
    if known is None:
        tf.debugging.Assert(condition, [message])
    elif not known:
        raise ValueError(message)


def as_image(image, least=3):
    """The image as a tensor of at least three dimensions, none of the last three of which is empty."""
    image = tf.convert_to_tensor(image, name='image')
    rank = image.shape.rank
    if rank is not None and rank < least:
        raise ValueError(f"'image' (shape {image.shape}) must be at least three-dimensional.")
    if rank is not None and 0 in image.shape[-3:].as_list():
        raise ValueError(f"inner 3 dims of 'image.shape' must be > 0: {image.shape}")
    return image


def _of_3_or_4(image):
    rank = image.shape.rank
    if rank not in (3, 4):
        if rank is None:
            raise ValueError("'image' must have a known rank of 3 or 4.")
        raise ValueError(f"'image' (shape {image.shape}) must have either 3 or 4 dimensions.")
    return rank


def _batched(image: tf.Tensor) -> tuple[Any, ...]:
    """The image as a batch, and how to undo that. An image of unknown rank is taken for a single one."""
    image = tf.convert_to_tensor(image, name='image')
    if image.shape.rank == 4:
        return image, lambda made: made
    if image.shape.rank is None:
        image.set_shape([None, None, None])
    elif image.shape.rank != 3:
        raise ValueError(f"'image' (shape {image.shape}) must have either 3 or 4 dimensions.")
    return tf.expand_dims(image, 0), lambda made: tf.squeeze(made, [0])


def _sizes(image: Any) -> list[Any]:
    dynamic = tf.shape(image)
    return [dynamic[i] if d is None else d for i, d in enumerate(image.shape)]


def _maybe(function: Callable[..., Any], plain: Callable[..., Any]) -> Callable[..., Any]:
    def apply(x, y):
        return function(x, y) if tf.is_tensor(x) or tf.is_tensor(y) else plain(x, y)
    return apply


_max, _min = _maybe(tf.maximum, max), _maybe(tf.minimum, min)


def _known(size):
    """A size for a static shape."""
    return None if tf.is_tensor(size) and tf.get_static_value(size) is None else int(size)


# --- flips and turns ---
def _flip(image, axis, name):
    with tf.name_scope(name):
        image = as_image(image)
        if image.shape.rank is None:
            return tf.reverse(image, [tf.rank(image) - 3 + axis])
        return tf.reverse(image, [axis + _of_3_or_4(image) - 3])


def flip_left_right(image):
    """The image seen in a mirror."""
    return _flip(image, 1, 'flip_left_right')


def flip_up_down(image):
    """The image upside down."""
    return _flip(image, 0, 'flip_up_down')


def _random_flip(image, axis, draw, name):
    with tf.name_scope(name):
        image = as_image(image)
        if _of_3_or_4(image) == 3:
            flip = tf.less(draw(shape=[], minval=0, maxval=1.0), 0.5)
            made = tf.cond(flip, lambda: tf.reverse(image, [axis]), lambda: tf.identity(image))
            made.set_shape(image.shape)
            return made
        count = tf.shape(image)[0]
        drawn = draw(shape=[count], minval=0, maxval=1.0)
        flips = tf.cast(tf.round(tf.reshape(drawn, [count, 1, 1, 1])), image.dtype)
        return flips * tf.reverse(image, [axis + 1]) + (1 - flips) * image


def _drawn(seed: Any) -> Callable[..., Any]:
    return lambda **arguments: tf.random.uniform(seed=seed, **arguments)


def _drawn_stateless(seed: Any) -> Callable[..., Any]:
    return lambda **arguments: tf.random.stateless_uniform(seed=seed, **arguments)


def random_flip_left_right(image, seed=None):
    """The image, or with a chance of one half its mirror image."""
    return _random_flip(image, 1, _drawn(seed), 'random_flip_left_right')


def random_flip_up_down(image, seed=None):
    """The image, or with a chance of one half upside down."""
    return _random_flip(image, 0, _drawn(seed), 'random_flip_up_down')


def stateless_random_flip_left_right(image, seed):
    """Like random_flip_left_right(), with the same result for the same seed."""
    return _random_flip(image, 1, _drawn_stateless(seed), 'stateless_random_flip_left_right')


def stateless_random_flip_up_down(image, seed):
    """Like random_flip_up_down(), with the same result for the same seed."""
    return _random_flip(image, 0, _drawn_stateless(seed), 'stateless_random_flip_up_down')


def rot90(image, k=1, name=None):
    """The image turned counter-clockwise k times by a right angle."""
    with tf.name_scope(name or 'rot90'):
        image = as_image(image)
        first = _of_3_or_4(image) - 3
        k = tf.convert_to_tensor(k, tf.int32, name='k')
        if k.shape.rank not in (0, None):
            raise ValueError(f'k must be a scalar, its shape is {k.shape}')
        order = [*range(first), first + 1, first, first + 2]

        def turned(count):
            if count == 2:
                return tf.reverse(image, [first, first + 1])
            if count == 1:
                return tf.transpose(tf.reverse(image, [first + 1]), order)
            return tf.reverse(tf.transpose(image, order), [first + 1]) if count else tf.identity(image)

        known = tf.get_static_value(k)
        if known is not None:
            return turned(int(known) % 4)
        made = tf.switch_case(k % 4, {count: lambda count=count: turned(count) for count in range(4)})
        made.set_shape([*image.shape[:first], None, None, image.shape[-1]])
        return made


def transpose(image: TensorLike, name: str | None = None) -> Any:
    """The image with its rows as columns."""
    with tf.name_scope(name or 'transpose'):
        image = as_image(image)
        first = _of_3_or_4(image) - 3
        return tf.transpose(image, [*range(first), first + 1, first, first + 2])


# --- parts ---
def central_crop(image, central_fraction):
    """The part in the middle, `central_fraction` as high and as wide."""
    with tf.name_scope('central_crop'):
        image = tf.convert_to_tensor(image, name='image')
        fraction = tf.get_static_value(central_fraction) if tf.is_tensor(central_fraction) else central_fraction
        if fraction is not None:
            if fraction <= 0.0 or fraction > 1.0:
                raise ValueError('central_fraction must be within (0, 1]')
            if fraction == 1.0:
                return image
        else:
            check((central_fraction > 0.0) | (central_fraction <= 1.0), 'central_fraction must be within (0, 1]')
        image = as_image(image)
        if image.shape.rank not in (3, 4):
            raise ValueError('`image` should either be a Tensor with rank = 3 or rank = 4. Had rank = '
                             f'{image.shape.rank}.')
        first = image.shape.rank - 3

        def part(size):
            if fraction is not None and not tf.is_tensor(size):
                begin = int((float(size) - float(size) * fraction) / 2)
            else:
                whole = tf.cast(size, tf.float64)
                begin = tf.cast((whole - whole * tf.cast(central_fraction, tf.float64)) / 2, tf.int32)
            return begin, size - 2 * begin
        sizes = _sizes(image)
        (top, height), (left, width) = part(sizes[first]), part(sizes[first + 1])
        made = tf.slice(image, [0] * first + [top, left, 0], [-1] * first + [height, width, -1])
        made.set_shape([*image.shape[:first], _known(height), _known(width), image.shape[-1]])
        return made


def crop_to_bounding_box(image, offset_height, offset_width, target_height, target_width):
    """The part that begins at the offsets."""
    with tf.name_scope('crop_to_bounding_box'):
        image, undo = _batched(image)
        as_image(image)
        batch, height, width, depth = _sizes(image)
        check(offset_width >= 0, 'offset_width must be >= 0.')
        check(offset_height >= 0, 'offset_height must be >= 0.')
        check(target_width > 0, 'target_width must be > 0.')
        check(target_height > 0, 'target_height must be > 0.')
        check(width >= target_width + offset_width, 'width must be >= target + offset.')
        check(height >= target_height + offset_height, 'height must be >= target + offset.')
        cropped = tf.slice(image, [0, offset_height, offset_width, 0], [batch, target_height, target_width, depth])
        cropped.set_shape([_known(d) for d in (batch, target_height, target_width, depth)])
        return undo(cropped)


def pad_to_bounding_box(image, offset_height, offset_width, target_height, target_width):
    """The image with zeros around it."""
    with tf.name_scope('pad_to_bounding_box'):
        image, undo = _batched(image)
        as_image(image)
        batch, height, width, depth = _sizes(image)
        right, below = target_width - offset_width - width, target_height - offset_height - height
        check(offset_height >= 0, 'offset_height must be >= 0')
        check(offset_width >= 0, 'offset_width must be >= 0')
        check(right >= 0, 'width must be <= target - offset')
        check(below >= 0, 'height must be <= target - offset')
        padded = tf.pad(image, tf.reshape(tf.stack([0, 0, offset_height, below, offset_width, right, 0, 0]), [4, 2]))
        padded.set_shape([_known(d) for d in (batch, target_height, target_width, depth)])
        return undo(padded)


def resize_with_crop_or_pad(image, target_height, target_width):
    """The image cut, or with zeros around it, so that it has this size; its middle stays there."""
    with tf.name_scope('resize_image_with_crop_or_pad'):
        image, undo = _batched(image)
        as_image(image)
        check(target_width > 0, 'target_width must be > 0.')
        check(target_height > 0, 'target_height must be > 0.')
        _, height, width, _ = _sizes(image)
        by_width, by_height = target_width - width, target_height - height
        cropped = crop_to_bounding_box(image, _max(-by_height // 2, 0), _max(-by_width // 2, 0),
                                       _min(target_height, height), _min(target_width, width))
        return undo(pad_to_bounding_box(cropped, _max(by_height // 2, 0), _max(by_width // 2, 0), target_height,
                                        target_width))


# --- sizes ---
class ResizeMethod:
    """How the pixels of a resized image follow from those around them."""
    BILINEAR = 'bilinear'
    NEAREST_NEIGHBOR = 'nearest'
    BICUBIC = 'bicubic'
    AREA = 'area'
    LANCZOS3 = 'lanczos3'
    LANCZOS5 = 'lanczos5'
    GAUSSIAN = 'gaussian'
    MITCHELLCUBIC = 'mitchellcubic'


_KERNELS = {'bilinear': 'triangle', 'bicubic': 'keyscubic'}
_BY_KERNEL = ('lanczos3', 'lanczos5', 'gaussian', 'mitchellcubic')
_OPS = {'bilinear': 'ResizeBilinear', 'nearest': 'ResizeNearestNeighbor', 'bicubic': 'ResizeBicubic'}


def _resized(images: tf.Tensor, size: tf.Tensor, method: str, antialias: bool) -> tf.Tensor:
    if method in _BY_KERNEL or (antialias and method in _KERNELS):
        scale = tf.cast(size, tf.float32) / tf.cast(tf.shape(images)[1:3], tf.float32)
        return _op('ScaleAndTranslate', images=images, size=size, scale=scale, translation=tf.zeros([2]),
                   kernel_type=_KERNELS.get(method, method), antialias=bool(antialias))[0]
    if method == 'area':
        return _op('ResizeArea', images=images, size=size)[0]
    if method in _OPS:
        return _op(_OPS[method], images=images, size=size, half_pixel_centers=True)[0]
    raise ValueError(f'Resize method is not implemented: {method}')


def _of_size(images, size, preserve_aspect_ratio, name, resized, skip_if_same):
    with tf.name_scope(name or 'resize'):
        images = tf.convert_to_tensor(images, name='images')
        if images.shape.rank is None:
            raise ValueError("'images' contains no shape.")
        if images.shape.rank not in (3, 4):
            raise ValueError("'images' must have either 3 or 4 dimensions.")
        images, undo = _batched(images)
        try:
            size = tf.convert_to_tensor(size, tf.int32, name='size')
        except (TypeError, ValueError):
            raise ValueError("'size' must be a 1-D int32 Tensor") from None
        if not size.shape.is_compatible_with([2]):
            raise ValueError("'size' must be a 1-D Tensor of 2 elements: new_height, new_width")
        if preserve_aspect_ratio:
            now = [tf.cast(s, tf.float32) for s in _sizes(images)[1:3]]
            factor = tf.minimum(*[tf.cast(size[i], tf.float32) / now[i] for i in range(2)])
            size = tf.stack([tf.cast(tf.round(factor * s), tf.int32) for s in now])
        known = tf.get_static_value(size)
        known = [None, None] if known is None else [int(d) for d in known]
        if skip_if_same and None not in known and known == images.shape.as_list()[1:3]:
            return undo(images)
        made = resized(images, size)
        made.set_shape([None, *known, None])
        return undo(made)


def _resized_one_by_one(images: Any, size: Any, method: str, preserve_aspect_ratio: bool, antialias: bool) -> Any:
    """A batch of images of different sizes, which a ragged tensor holds."""
    if preserve_aspect_ratio:
        raise ValueError('tf.image.resize: ragged images take no preserve_aspect_ratio=True, their results would differ in '
                         'size')
    if images.shape.rank != 4:
        raise ValueError(f"the rank must be 4 where 'images' is ragged, not {images.shape.rank}")
    dtype = images.dtype if method == 'nearest' else tf.float32
    size = tf.convert_to_tensor(size, tf.int32, name='size')
    channels = images.flat_values.shape[-1] if images.ragged_rank < 3 else None
    known = tf.get_static_value(size)
    known = [None, None, channels] if known is None else [*map(int, known), channels]

    def one_by_one():
        return tf.map_fn(lambda image: resize(image.to_tensor() if hasattr(image, 'row_splits') else image, size, method,
                                              antialias=antialias),
                         images, fn_output_signature=tf.TensorSpec(known, dtype))

    def none():
        return tf.zeros(tf.concat([[0], size, [0 if channels is None else channels]], 0), dtype)
    is_empty = tf.equal(images.nrows(), 0)
    certain = tf.get_static_value(is_empty)
    if certain is not None:
        return none() if certain else one_by_one()
    return tf.cond(is_empty, none, one_by_one)


def resize(images: TensorLike, size: Any, method: Any = ResizeMethod.BILINEAR, preserve_aspect_ratio: bool = False,
           antialias: bool = False, name: str | None = None) -> tf.Tensor:
    """Images of another size [height, width]: floats, but for the method `nearest`."""
    if hasattr(images, 'row_splits'):
        return _resized_one_by_one(images, size, method, preserve_aspect_ratio, antialias)
    return _of_size(images, size, preserve_aspect_ratio, name,
                    lambda images, size: _resized(images, size, method, antialias), False)


def resize_with_pad(image: TensorLike, target_height: Any, target_width: Any, method: Any = ResizeMethod.BILINEAR,
                    antialias: bool = False) -> Any:
    """The image resized to fit into this size without distortion, with zeros around it."""
    return _with_pad(image, target_height, target_width,
                     lambda images, size: resize(images, size, method, antialias=antialias))


def _with_pad(image, target_height, target_width, resized):
    with tf.name_scope('resize_image_with_pad'):
        image, undo = _batched(image)
        as_image(image)
        check(target_width > 0, 'target_width must be > 0.')
        check(target_height > 0, 'target_height must be > 0.')
        height, width = (tf.cast(s, tf.float32) for s in _sizes(image)[1:3])
        wanted_height, wanted_width = tf.cast(target_height, tf.float32), tf.cast(target_width, tf.float32)
        ratio = tf.maximum(width / wanted_width, height / wanted_height)
        fitted = [height / ratio, width / ratio]
        size = [tf.cast(tf.floor(s), tf.int32) for s in fitted]
        top, left = (tf.maximum(0, tf.cast(tf.floor((wanted - s) / 2), tf.int32))
                     for wanted, s in zip((wanted_height, wanted_width), fitted))
        return undo(pad_to_bounding_box(resized(image, tf.stack(size)), top, left, target_height, target_width))


def crop_and_resize(image: TensorLike, boxes: TensorLike, box_indices: Any, crop_size: Any, method: str = 'bilinear',
                    extrapolation_value: Any = 0.0, name: str | None = None) -> Any:
    """Parts of images, given by boxes in shares of height and width, each resized to one size."""
    return _op('CropAndResize', image=image, boxes=boxes, box_ind=box_indices, crop_size=crop_size, method=method,
               extrapolation_value=extrapolation_value, name=name)[0]


def extract_patches(images: TensorLike, sizes: Any, strides: Any, rates: Any, padding: Any,
                    name: str | None = None) -> Any:
    """The blocks under a window that steps through an image, as depth."""
    return _op('ExtractImagePatches', images=images, ksizes=sizes, strides=strides, rates=rates, padding=padding,
               name=name)[0]


# --- boxes ---
def draw_bounding_boxes(images: TensorLike, boxes: TensorLike, colors: TensorLike,
                        name: str | None = None) -> tf.Tensor:
    """Images with the outlines of boxes on them."""
    if colors is None:
        return _op('DrawBoundingBoxes', images=images, boxes=boxes, name=name)[0]
    return _op('DrawBoundingBoxesV2', images=images, boxes=boxes, colors=colors, name=name)[0]


def non_max_suppression(boxes: TensorLike, scores: TensorLike, max_output_size: Any, iou_threshold: Any = 0.5,
                        score_threshold: Any = float('-inf'), name: str | None = None) -> Any:
    """The boxes with the best scores that overlap no better one by more than the threshold."""
    with tf.name_scope(name or 'non_max_suppression'):
        return _op('NonMaxSuppressionV3', boxes=boxes, scores=scores, max_output_size=max_output_size,
                   iou_threshold=iou_threshold, score_threshold=score_threshold)[0]


def non_max_suppression_with_scores(boxes: TensorLike, scores: TensorLike, max_output_size: Any,
                                    iou_threshold: Any = 0.5, score_threshold: Any = float('-inf'),
                                    soft_nms_sigma: Any = 0.0, name: str | None = None) -> tuple[Any, ...]:
    """The boxes with the best scores, and these, which decrease with each overlap where a sigma is given."""
    with tf.name_scope(name or 'non_max_suppression_with_scores'):
        chosen, best, _ = _op('NonMaxSuppressionV5', boxes=boxes, scores=scores, max_output_size=max_output_size,
                              iou_threshold=iou_threshold, score_threshold=score_threshold,
                              soft_nms_sigma=soft_nms_sigma, pad_to_max_output_size=False)
        return chosen, best


def non_max_suppression_overlaps(overlaps: Any, scores: TensorLike, max_output_size: Any, overlap_threshold: Any = 0.5,
                                 score_threshold: Any = float('-inf'), name: str | None = None) -> Any:
    """The best scores of those that overlap no better one, by a matrix of overlaps."""
    with tf.name_scope(name or 'non_max_suppression_overlaps'):
        return _op('NonMaxSuppressionWithOverlaps', overlaps=overlaps, scores=scores, max_output_size=max_output_size,
                   overlap_threshold=overlap_threshold, score_threshold=score_threshold)[0]


def non_max_suppression_padded(boxes: TensorLike, scores: TensorLike, max_output_size: Any, iou_threshold: Any = 0.5,
                               score_threshold: Any = float('-inf'), pad_to_max_output_size: bool = False,
                               name: str | None = None, sorted_input: bool = False,
                               canonicalized_coordinates: bool = False, tile_size: Any = 512) -> Any:
    """The same for batches, padded with zeros to `max_output_size`; and how many there are of each."""
    with tf.name_scope(name or 'non_max_suppression_padded'):
        boxes, scores = tf.convert_to_tensor(boxes, tf.float32), tf.convert_to_tensor(scores, tf.float32)
        if not pad_to_max_output_size and boxes.shape.rank is not None and boxes.shape.rank > 2:
            raise ValueError(f"'pad_to_max_output_size' (value {pad_to_max_output_size}) must be True for batched "
                             'input')

        def chosen(of):
            return tuple(_op('NonMaxSuppressionV4', boxes=of[0], scores=of[1], max_output_size=max_output_size,
                             iou_threshold=iou_threshold, score_threshold=score_threshold,
                             pad_to_max_output_size=bool(pad_to_max_output_size)))
        if boxes.shape.rank == 2:
            return chosen((boxes, scores))
        batch, count = tf.shape(boxes)[:-2], tf.shape(boxes)[-2]
        flat = (tf.reshape(boxes, tf.stack([-1, count, 4])), tf.reshape(scores, tf.stack([-1, count])))
        places, found = tf.map_fn(chosen, flat, fn_output_signature=(tf.int32, tf.int32))
        return tf.reshape(places, tf.concat([batch, [max_output_size]], 0)), tf.reshape(found, batch)


def combined_non_max_suppression(boxes, scores, max_output_size_per_class, max_total_size, iou_threshold=0.5,
                                 score_threshold=float('-inf'), pad_per_class=False, clip_boxes=True, name=None):
    """For each image of a batch the best boxes of all classes: (boxes, scores, classes, how many)."""
    with tf.name_scope(name or 'combined_non_max_suppression'):
        return tf.raw_ops.CombinedNonMaxSuppression(
            boxes=boxes, scores=scores, max_output_size_per_class=max_output_size_per_class, max_total_size=max_total_size,
            iou_threshold=iou_threshold, score_threshold=score_threshold, pad_per_class=pad_per_class, clip_boxes=clip_boxes)


# --- random parts ---
def _cropped(value, size, draw, name):
    with tf.name_scope(name):
        value = tf.convert_to_tensor(value, name='value')
        size = tf.convert_to_tensor(size, tf.int32, name='size')
        shape = tf.shape(value)
        tf.debugging.Assert(tf.reduce_all(shape >= size), ['Need value.shape >= size, got ', shape, size])
        places = draw(shape=tf.shape(shape), minval=None, maxval=size.dtype.max, dtype=size.dtype)
        return tf.slice(value, places % (shape - size + 1), size, name=name)


def random_crop(value: TensorLike, size: Any, seed: int | None = None, name: str | None = None) -> Any:
    """A part of this size from a random place."""
    return _cropped(value, size, lambda minval, **more: tf.random.uniform(seed=seed, **more), name or 'random_crop')


def stateless_random_crop(value: TensorLike, size: Any, seed: Any, name: str | None = None) -> Any:
    """Like random_crop(), with the same result for the same seed."""
    return _cropped(value, size, lambda minval, **more: tf.random.stateless_uniform(seed=seed, minval=0, **more),
                    name or 'random_crop')


NAMES = ('ResizeMethod central_crop combined_non_max_suppression crop_and_resize crop_to_bounding_box draw_bounding_boxes '
         'extract_patches flip_left_right flip_up_down non_max_suppression non_max_suppression_overlaps '
         'non_max_suppression_padded non_max_suppression_with_scores pad_to_bounding_box random_crop random_flip_left_right '
         'random_flip_up_down resize resize_with_crop_or_pad resize_with_pad rot90 stateless_random_crop stateless_random_flip_left_right '
         'stateless_random_flip_up_down transpose').split()
for _name in NAMES:
    setattr(_engine.namespace('image'), _name, globals()[_name])
