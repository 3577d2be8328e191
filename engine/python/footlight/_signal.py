"""tf.signal: Fourier and cosine transforms, frames, windows, spectrograms; each in a few ops."""
from __future__ import annotations

import math

import footlight as tf
from footlight import _engine
from footlight._public import alias
from footlight._raw_ops import op as _op
from footlight._typing import Any, Callable, DTypeLike, TensorLike


def _known(value):
    """A Python value where it is known already, else the tensor."""
    found = tf.get_static_value(value) if tf.is_tensor(value) else value
    if found is None:
        return value
    return found.item() if getattr(found, 'ndim', None) == 0 else found


def _is_known(value: Any) -> bool:
    return not tf.is_tensor(value)


def _sizes(x: Any) -> list[Any]:
    """The shape of x, known or as a tensor, each dimension for itself."""
    dynamic = tf.shape(x)
    return [dynamic[i] if d is None else d for i, d in enumerate(x.shape)]


# --- Fourier transforms ---
def _plain(op_name: str, names: Any, doc: str) -> Any:
    def transform(input, name=None):
        return _op(op_name, input=input, name=name)[0]
    return _named(transform, names, doc)


def _named(function: Callable[..., Any], name: str, doc: str) -> Any:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


fft = _plain('FFT', 'fft', 'The discrete Fourier transform of each row.')
ifft = _plain('IFFT', 'ifft', 'The rows that have this discrete Fourier transform.')
fft2d = _plain('FFT2D', 'fft2d', 'The discrete Fourier transform along the last two dimensions.')
ifft2d = _plain('IFFT2D', 'ifft2d', 'What has this discrete Fourier transform along the last two dimensions.')
fft3d = _plain('FFT3D', 'fft3d', 'The discrete Fourier transform along the last three dimensions.')
ifft3d = _plain('IFFT3D', 'ifft3d', 'What has this discrete Fourier transform along the last three dimensions.')

_COMPLEX = {tf.float32: tf.complex64, tf.float64: tf.complex128}
_REAL = {tf.complex64: tf.float32, tf.complex128: tf.float64}


def _input(x: Any, from_half: Any, both: Any) -> tuple[Any, ...]:
    """x as a tensor of a dtype that the transform takes, and the dtype that it gives."""
    x = tf.convert_to_tensor(x, dtype_hint=tf.complex64 if from_half else tf.float32)
    given = (_REAL if from_half else _COMPLEX).get(x.dtype)
    if given is None:
        op, wanted = ('IRFFT', 'complex64 or tf.complex128') if from_half else ('RFFT', 'float32 or tf.float64')
        raise ValueError(f'{op} requires tf.{wanted} inputs, got: {x!s}')
    return x, given


def _lengths(x, axes, fft_length, from_half):
    """How many elements each axis has for the transform: given, or as many as there are."""
    if fft_length is not None:
        return _known(tf.convert_to_tensor(fft_length, tf.int32))
    sizes = [x.shape[a] for a in axes]
    if None not in sizes:
        if from_half:
            sizes[-1] = max(0, 2 * (sizes[-1] - 1))
        return sizes
    sizes = tf.unstack(tf.gather(tf.shape(x), axes))
    if from_half:
        sizes[-1] = tf.maximum(0, 2 * (sizes[-1] - 1))
    return tf.stack(sizes)


def _padded(x, axes, lengths, from_half):
    """x with zeros behind it along the axes where it is too short."""
    if 0 in x.shape.as_list():
        return x
    rank = x.shape.rank
    if _is_known(lengths) and None not in [x.shape[a] for a in axes]:
        around = [[0, 0] for _ in range(rank)]
        for k, (axis, length) in enumerate(zip(axes, lengths)):
            wanted = int(length) // 2 + 1 if from_half and k == len(axes) - 1 else int(length)
            around[axis][1] = max(wanted - x.shape[axis], 0)
        return tf.pad(x, around) if any(after for _, after in around) else x
    lengths = tf.unstack(tf.convert_to_tensor(lengths, tf.int32), num=len(axes))
    if from_half:
        lengths[-1] = lengths[-1] // 2 + 1
    after = [tf.constant(0)] * rank
    for axis, length in zip(axes, lengths):
        after[axis] = tf.maximum(0, length - tf.shape(x)[axis])
    return tf.pad(x, tf.stack([tf.zeros([rank], tf.int32), tf.stack(after)], 1))


def _padded_later(x: Any, count: Any, fft_length: Any, from_half: Any) -> tuple[Any, ...]:
    """(x with zeros behind its last dimensions, the lengths of these) where its rank is not known."""
    now = tf.shape(x)[-count:]
    if fft_length is not None:
        lengths = tf.convert_to_tensor(fft_length, tf.int32)
    elif from_half:
        lengths = tf.concat([now[:-1], tf.maximum(0, 2 * (now[-1:] - 1))], 0)
    else:
        return x, now
    wanted = tf.concat([lengths[:-1], lengths[-1:] // 2 + 1], 0) if from_half else lengths
    after = tf.concat([tf.zeros([tf.rank(x) - count], tf.int32), tf.maximum(0, wanted - now)], 0)
    return tf.pad(x, tf.stack([tf.zeros_like(after), after], 1)), lengths


def _last_axes(x, count):
    rank = x.shape.rank
    if rank < count:
        raise ValueError(f'Shape {x.shape} must have rank at least {count}')
    return list(range(rank - count, rank))


def _half(op_name: str, count: Any, from_half: Any, doc: str) -> Any:
    name_of_it = op_name.lower()

    def transform(input_tensor, fft_length=None, name=None):
        with tf.name_scope(name or name_of_it):
            x, given = _input(input_tensor, from_half, False)
            if x.shape.rank is None:
                x, lengths = _padded_later(x, count, fft_length, from_half)
            else:
                axes = _last_axes(x, count)
                lengths = _lengths(x, axes, fft_length, from_half)
                x = _padded(x, axes, lengths, from_half)
            return _op(op_name, input=x, fft_length=lengths, **{'Treal' if from_half else 'Tcomplex': given})[0]
    return _named(transform, name_of_it, doc)


rfft = _half('RFFT', 1, False, 'The first half of the spectrum of rows of real numbers.')
irfft = _half('IRFFT', 1, True, 'The rows of real numbers that have this half of a spectrum.')
rfft2d = _half('RFFT2D', 2, False, 'The first half of the spectrum of real numbers along the last two dimensions.')
irfft2d = _half('IRFFT2D', 2, True, 'The real numbers that have this half of a spectrum along the last two dimensions.')
rfft3d = _half('RFFT3D', 3, False, 'The first half of the spectrum of real numbers along the last three dimensions.')
irfft3d = _half('IRFFT3D', 3, True, 'The real numbers that have this half of a spectrum along the last three dimensions.')


def _nd(op_name: str, inverse: Any, doc: str) -> Any:
    name_of_it = op_name.lower()
    real, from_half = 'RFFT' in op_name, op_name == 'IRFFTND'

    def transform(input_tensor, fft_length=None, axes=None, norm=None, name=None):
        with tf.name_scope(name or name_of_it):
            if real:
                x, given = _input(input_tensor, from_half, True)
                more = {'Treal' if from_half else 'Tcomplex': given}
            else:
                x, more = tf.convert_to_tensor(input_tensor, dtype_hint=tf.complex64), {}
            chosen = list(range(x.shape.rank)) if axes is None else [int(a) % x.shape.rank for a in axes]
            lengths = _lengths(x, chosen, fft_length, from_half)
            x = _padded(x, chosen, lengths, from_half)
            if norm not in (None, 'backward'):
                count = tf.cast(tf.reduce_prod(lengths), x.dtype)
                count = tf.sqrt(count) if norm == 'ortho' else count
                x = x * count if inverse else x / count
            return _op(op_name, input=x, fft_length=lengths, axes=chosen, **more)[0]
    return _named(transform, name_of_it, doc)


fftnd = _nd('FFTND', False, 'The discrete Fourier transform along some dimensions.')
ifftnd = _nd('IFFTND', True, 'What has this discrete Fourier transform along some dimensions.')
rfftnd = _nd('RFFTND', False, 'The first half of the spectrum of real numbers along some dimensions.')
irfftnd = _nd('IRFFTND', True, 'The real numbers that have this half of a spectrum along some dimensions.')


def _shifted(name_of_it: Any, half: Any, doc: str) -> Any:
    def shift(x, axes=None, name=None):
        with tf.name_scope(name or name_of_it):
            x = tf.convert_to_tensor(x)
            if axes is None:
                axes = list(range(x.shape.rank)) if x.shape.rank is not None else tf.range(tf.rank(x))
            if isinstance(axes, int):
                return tf.roll(x, half(tf.shape(x)[axes]), axes)
            return tf.roll(x, half(tf.gather(tf.shape(x), tf.math.floormod(axes, tf.rank(x)))), axes)
    return _named(shift, name_of_it, doc)


fftshift = _shifted('fftshift', lambda n: n // 2, 'A spectrum with its zero frequency in the middle.')
ifftshift = _shifted('ifftshift', lambda n: -(n // 2), 'A spectrum whose zero frequency is in the middle, with it in front.')


# --- cosine transforms ---
def _check_cosine(input: Any, type: Any, n: Any, axis: Any, norm: Any) -> None:
    if axis != -1:
        raise NotImplementedError(f'axis must be -1. Got: {axis}')
    if n is not None and n < 1:
        raise ValueError('n should be a positive integer or None')
    if type not in (1, 2, 3, 4):
        raise ValueError('Types I, II, III and IV (I)DCT are supported.')
    if type == 1:
        if norm == 'ortho':
            raise ValueError('Normalization is not supported for the Type-I DCT.')
        if input.shape.rank and input.shape[-1] is not None and input.shape[-1] < 2:
            raise ValueError('Type-I DCT requires the dimension to be greater than one.')
    if norm not in (None, 'ortho'):
        raise ValueError(f"Unknown normalization. Expected None or 'ortho', got: {norm}")


def _first_n(x, n):
    """The first n elements of each row, with zeros where there are too few."""
    size = x.shape[-1] if x.shape.rank is not None else None
    if size is None:
        size = tf.shape(x)[-1]
        x = x[..., :n]
        missing = tf.maximum(0, n - size)
    elif _is_known(n):
        if n <= size:
            return x[..., :n]
        missing = n - size
    else:
        x, missing = x[..., :n], tf.maximum(0, n - size)
    around = tf.concat([tf.zeros([tf.rank(x) - 1, 2], tf.int32), [[0, missing]]], 0)
    made = tf.pad(x, around)
    if _is_known(n) and x.shape.rank is not None:
        made.set_shape([*x.shape[:-1], n])
    return made


def _cosine(x, type, n, norm):
    zero = tf.constant(0, x.dtype)
    if n is not None:
        x = _first_n(x, n)
    size = tf.shape(x)[-1] if x.shape.rank is None else _sizes(x)[-1]
    count = tf.cast(size, x.dtype)

    def turned(sign):
        angle = sign * tf.range(count) * math.pi * 0.5 / count
        return 2.0 * tf.exp(tf.complex(zero, angle))

    def weights(first, others):
        return tf.concat([tf.reshape(first, [1]), tf.fill([size - 1], others)], 0)

    if type == 1:
        return tf.math.real(rfft(tf.concat([x, x[..., -2:0:-1]], -1)))
    if type == 2:
        made = tf.math.real(rfft(x, [2 * size])[..., :size] * turned(-1))
        if norm == 'ortho':
            first = 0.5 * tf.math.rsqrt(count)
            made *= weights(first, first * math.sqrt(2.0))
        return made
    if type == 3:
        if norm == 'ortho':
            first = tf.sqrt(count)
            x *= weights(first, first * math.sqrt(0.5))
        else:
            x *= count
        return tf.math.real(irfft(turned(1) * tf.complex(x, zero), [2 * size]))[..., :size]
    made = _cosine(x, 2, 2 * size, None)[..., 1::2]
    return made * (math.sqrt(0.5) * tf.math.rsqrt(count)) if norm == 'ortho' else made


def dct(input: TensorLike, type: Any = 2, n: Any = None, axis: Any = -1, norm: Any = None,
        name: str | None = None) -> Any:
    """The discrete cosine transform of each row, of type 1 to 4."""
    input = tf.convert_to_tensor(input)
    _check_cosine(input, type, n, axis, norm)
    with tf.name_scope(name or 'dct'):
        return _cosine(input, type, n, norm)


def idct(input: TensorLike, type: Any = 2, n: Any = None, axis: Any = -1, norm: Any = None,
         name: str | None = None) -> Any:
    """The inverse of dct() of this type, up to a factor unless `norm` is 'ortho'."""
    input = tf.convert_to_tensor(input)
    _check_cosine(input, type, n, axis, norm)
    with tf.name_scope(name or 'dct'):
        return _cosine(input, {1: 1, 2: 3, 3: 2, 4: 4}[type], n, norm)


# --- frames ---
def frame(signal, frame_length, frame_step, pad_end=False, pad_value=0, axis=-1, name=None):
    """Overlapping parts of a signal: each `frame_length` long, and `frame_step` after the one before."""
    with tf.name_scope(name or 'frame'):
        signal = tf.convert_to_tensor(signal, name='signal')
        length = _known(tf.convert_to_tensor(frame_length, name='frame_length'))
        step = _known(tf.convert_to_tensor(frame_step, name='frame_step'))
        for what, value in (('frame_length', length), ('frame_step', step)):
            if tf.is_tensor(value) and value.shape.rank not in (0, None) or getattr(value, 'ndim', 0):
                raise ValueError(f'{what} must be a scalar, its shape is {value.shape}')
        rank = signal.shape.rank
        if rank == 0:
            raise ValueError('Shape () must have rank at least 1')
        axis = int(_known(axis))
        if rank is not None:
            if not -rank <= axis < rank:
                raise IndexError(f'axis {axis} is out of range for a signal with {rank} dimensions')
            axis %= rank
        samples = signal.shape[axis] if rank is not None else None
        samples = tf.shape(signal)[axis] if samples is None else samples
        largest = max if _is_known(samples) and _is_known(length) and _is_known(step) else tf.maximum
        if pad_end:
            count = -(-samples // step)
            missing = largest(0, length + step * (count - 1) - samples)
            if rank is not None:
                around = tf.convert_to_tensor([[0, 0]] * axis + [[0, missing]] + [[0, 0]] * (rank - axis - 1))
            else:
                at = axis % tf.rank(signal)
                around = tf.concat([tf.zeros([at, 2], tf.int32), [[0, missing]],
                                    tf.zeros([tf.rank(signal) - at - 1, 2], tf.int32)], 0)
            signal = tf.pad(signal, around, constant_values=tf.cast(pad_value, signal.dtype))
        else:
            count = largest(0, 1 + (samples - length) // step)
        places = tf.range(count)[:, tf.newaxis] * step + tf.range(length)[tf.newaxis]
        frames = tf.gather(signal, places, axis=axis)
        if rank is not None:
            known = signal.shape.as_list()
            frames.set_shape(known[:axis] + [count if _is_known(count) else None, length if _is_known(length) else None] +
                             known[axis + 1:])
        return frames


def overlap_and_add(signal: Any, frame_step: Any, name: str | None = None) -> Any:
    """The sum of overlapping frames, each `frame_step` after the one before."""
    with tf.name_scope(name or 'overlap_and_add'):
        signal = tf.convert_to_tensor(signal, name='signal')
        if signal.shape.rank is not None and signal.shape.rank < 2:
            raise ValueError(f'Shape {signal.shape} must have rank at least 2')
        step = tf.convert_to_tensor(frame_step, name='frame_step')
        if step.shape.rank not in (0, None):
            raise ValueError(f'frame_step must be a scalar, its shape is {step.shape}')
        if not step.dtype.is_integer:
            raise ValueError(f'frame_step must be an integer. Got {step.dtype}')
        step = _known(step)
        dynamic = tf.shape(signal)
        outer = signal.shape[:-2].as_list() if signal.shape.rank is not None else [None]
        outer = outer if None not in outer else dynamic[:-2]
        length, frames = ([d if d is not None else dynamic[i] for i, d in ((-1, signal.shape[-1]), (-2, signal.shape[-2]))]
                          if signal.shape.rank is not None else (dynamic[-1], dynamic[-2]))

        def shaped(x, *inner):
            return tf.reshape(x, tf.concat([outer, inner], 0) if tf.is_tensor(outer) else [*outer, *inner])
        total = length + step * (frames - 1)
        if _is_known(step) and _is_known(length) and step == length:
            return shaped(signal, total)
        # Each frame in pieces as long as the step: piece j of frame i lies where piece 0 of frame i + j does.
        pieces = -(-length // step)
        outer_rank = len(outer) if not tf.is_tensor(outer) else tf.size(outer)
        zeros = tf.zeros([outer_rank, 2], tf.int32)
        padded = tf.pad(signal, tf.concat([zeros, [[0, pieces], [0, pieces * step - length]]], 0))
        cut = shaped(padded, frames + pieces, pieces, step)
        order = tf.concat([tf.range(outer_rank), [outer_rank + 1, outer_rank, outer_rank + 2]], 0)
        cut = shaped(tf.transpose(cut, order), (frames + pieces) * pieces, step)
        cut = shaped(cut[..., :(frames + pieces - 1) * pieces, :], pieces, frames + pieces - 1, step)
        return shaped(tf.reduce_sum(cut, -3), (frames + pieces - 1) * step)[..., :total]


# --- windows ---
def _window_length(window_length, dtype):
    if not dtype.is_floating:
        raise ValueError(f'dtype must be a floating point type. Found {dtype}')
    length = tf.convert_to_tensor(window_length, tf.int32, name='window_length')
    if length.shape.rank not in (0, None):
        raise ValueError(f'Shape {length.shape} must have rank 0')
    return length


def _raised_cosine(name_of_it: Any, a: Any, b: Any, doc: str) -> Any:
    def window(window_length, periodic=True, dtype=tf.float32, name=None):
        dtype = tf.as_dtype(dtype)
        with tf.name_scope(name or name_of_it):
            length = _window_length(window_length, dtype)
            known = _known(length)
            if _is_known(known) and known == 1:
                return tf.ones([1], dtype)
            whole = tf.cast(tf.convert_to_tensor(periodic, tf.bool), tf.int32)
            steps = tf.cast(length + whole * (1 - length % 2) - 1, dtype)
            angle = tf.constant(2 * math.pi, dtype) * tf.cast(tf.range(length), dtype) / steps
            made = tf.cast(a - b * tf.cos(angle), dtype)
            return made if _is_known(known) else tf.where(tf.equal(length, 1), tf.ones_like(made), made)
    return _named(window, name_of_it, doc)


hann_window = _raised_cosine('hann_window', 0.5, 0.5, 'A raised cosine that begins at zero.')
hamming_window = _raised_cosine('hamming_window', 0.54, 0.46, 'A raised cosine that begins at 0.08.')


def kaiser_window(window_length: Any, beta: Any = 12.0, dtype: DTypeLike = tf.float32, name: str | None = None) -> Any:
    """Kaiser's window: the larger beta, the narrower."""
    dtype = tf.as_dtype(dtype)
    with tf.name_scope(name or 'kaiser_window'):
        length = _window_length(window_length, dtype)
        known = _known(length)
        if _is_known(known) and known == 1:
            return tf.ones([1], dtype)
        half = (tf.cast(length, tf.float32) - 1.0) / 2.0
        places = tf.cast(tf.range(-half, half + 0.1, dtype=tf.float32), dtype)
        beta, one, half = tf.cast(beta, dtype), tf.cast(1.0, dtype), tf.cast(half, dtype)
        width = beta * tf.sqrt(tf.nn.relu(one - tf.square(places / half)))
        return tf.exp(width - beta) * (tf.math.bessel_i0e(width) / tf.math.bessel_i0e(beta))


def kaiser_bessel_derived_window(window_length: Any, beta: Any = 12.0, dtype: DTypeLike = tf.float32,
                                 name: str | None = None) -> Any:
    """The window of sums of Kaiser's, for transforms whose frames overlap by half."""
    dtype = tf.as_dtype(dtype)
    with tf.name_scope(name or 'kaiser_bessel_derived_window'):
        half = _window_length(window_length, dtype) // 2
        sums = tf.cumsum(kaiser_window(half + 1, beta, dtype))
        rising = tf.sqrt(sums[:-1] / sums[-1])
        return tf.concat([rising, rising[::-1]], 0)


def vorbis_window(window_length: Any, dtype: DTypeLike = tf.float32, name: str | None = None) -> Any:
    """The window of the Vorbis format."""
    dtype = tf.as_dtype(dtype)
    with tf.name_scope(name or 'vorbis_window'):
        length = _window_length(window_length, dtype)
        angle = math.pi / tf.cast(length, dtype) * (tf.cast(tf.range(length), dtype) + 0.5)
        return tf.sin(math.pi / 2.0 * tf.pow(tf.sin(angle), 2.0))


# --- spectrograms ---
def _enclosing_power_of_two(value):
    known = _known(value)
    if _is_known(known):
        return int(2 ** math.ceil(math.log(known) / math.log(2.0)))
    exponent = tf.math.ceil(tf.math.log(tf.cast(value, tf.float32)) / tf.math.log(2.0))
    return tf.cast(tf.pow(2.0, exponent), value.dtype)


def stft(signals: TensorLike, frame_length: Any, frame_step: Any, fft_length: Any = None, window_fn: Any = hann_window,
         pad_end: bool = False, name: str | None = None) -> Any:
    """The spectra of overlapping parts of signals."""
    with tf.name_scope(name or 'stft'):
        signals = tf.convert_to_tensor(signals, name='signals')
        frame_length = tf.convert_to_tensor(frame_length, name='frame_length')
        fft_length = _enclosing_power_of_two(frame_length) if fft_length is None else fft_length
        frames = frame(signals, frame_length, frame_step, pad_end=pad_end)
        if window_fn is not None:
            frames *= window_fn(frame_length, dtype=frames.dtype)
        return rfft(frames, [fft_length])


def inverse_stft_window_fn(frame_step: Any, forward_window_fn: Any = hann_window,
                           name: str | None = None) -> Callable[..., Any]:
    """The window for inverse_stft() that undoes the one of stft()."""
    def window(frame_length, dtype):
        with tf.name_scope(name or 'inverse_stft_window_fn'):
            step = _known(tf.convert_to_tensor(frame_step, name='frame_step'))
            length = _known(tf.convert_to_tensor(frame_length, name='frame_length'))
            forward = forward_window_fn(length, dtype=dtype)
            overlaps = -(-length // step)
            squares = tf.pad(tf.square(forward), [(0, overlaps * step - length)])
            total = tf.reduce_sum(tf.reshape(squares, [overlaps, step]), 0, keepdims=True)
            total = tf.reshape(tf.tile(total, [overlaps, 1]), [overlaps * step])[:length]
            return tf.where(tf.equal(total, 0.0), tf.zeros_like(forward), forward / total)
    return window


def inverse_stft(stfts: TensorLike, frame_length: Any, frame_step: Any, fft_length: Any = None,
                 window_fn: Any = hann_window, name: str | None = None) -> Any:
    """Signals from the spectra of their overlapping parts."""
    with tf.name_scope(name or 'inverse_stft'):
        stfts = tf.convert_to_tensor(stfts, name='stfts')
        if stfts.shape.rank is not None and stfts.shape.rank < 2:
            raise ValueError(f'Shape {stfts.shape} must have rank at least 2')
        length = _known(tf.convert_to_tensor(frame_length, name='frame_length'))
        fft_length = _enclosing_power_of_two(length) if fft_length is None else fft_length
        frames = _first_n(irfft(stfts, [fft_length]), length)
        if window_fn is not None:
            frames *= window_fn(length, dtype=_REAL[stfts.dtype])
        return overlap_and_add(frames, frame_step)


def mdct(signals: TensorLike, frame_length: Any, window_fn: Any = vorbis_window, pad_end: bool = False,
         norm: Any = None, name: str | None = None) -> Any:
    """The modified discrete cosine transform of parts that overlap by half."""
    with tf.name_scope(name or 'mdct'):
        signals = tf.convert_to_tensor(signals, name='signals')
        length = _known(tf.convert_to_tensor(frame_length, name='frame_length'))
        if _is_known(length) and length % 4:
            raise ValueError('The frame length must be a multiple of 4.')
        frames = frame(signals, length, length // 2, pad_end=pad_end)
        frames = frames * (1.0 / math.sqrt(2) if window_fn is None else window_fn(length, dtype=frames.dtype))
        a, b, c, d = tf.split(frames, 4, axis=-1)
        folded = tf.concat([-tf.reverse(c, [-1]) - d, a - tf.reverse(b, [-1])], -1)
        return dct(folded, type=4, norm=norm)


def inverse_mdct(mdcts: TensorLike, window_fn: Any = vorbis_window, norm: Any = None, name: str | None = None) -> Any:
    """Signals from their modified discrete cosine transforms."""
    with tf.name_scope(name or 'inverse_mdct'):
        mdcts = tf.convert_to_tensor(mdcts, name='mdcts')
        half = _sizes(mdcts)[-1]
        if norm is None:
            made = 0.5 / tf.cast(half, mdcts.dtype) * dct(mdcts, type=4)
        elif norm == 'ortho':
            made = dct(mdcts, type=4, norm='ortho')
        else:
            raise ValueError(f"Unknown normalization. Expected None or 'ortho', got: {norm}")
        a, b = tf.split(made, 2, axis=-1)
        frames = tf.concat([b, -tf.reverse(b, [-1]), -tf.reverse(a, [-1]), -a], -1)
        frames = frames * (1.0 / math.sqrt(2) if window_fn is None else window_fn(2 * half, dtype=mdcts.dtype))
        return overlap_and_add(frames, half)


def _mel(hertz):
    return 1127.0 * tf.math.log(1.0 + hertz / 700.0)


def linear_to_mel_weight_matrix(num_mel_bins: Any = 20, num_spectrogram_bins: Any = 129, sample_rate: Any = 8000,
                                lower_edge_hertz: Any = 125.0, upper_edge_hertz: Any = 3800.0,
                                dtype: DTypeLike = tf.float32, name: str | None = None) -> Any:
    """By which a spectrogram is multiplied to become one on the mel scale: triangles whose edges overlap."""
    dtype = tf.as_dtype(dtype)
    with tf.name_scope(name or 'linear_to_mel_weight_matrix') as scope:
        sample_rate = _known(sample_rate)
        if num_mel_bins <= 0:
            raise ValueError(f'num_mel_bins must be positive. Got: {num_mel_bins!s}')
        if lower_edge_hertz < 0.0:
            raise ValueError(f'lower_edge_hertz must be non-negative. Got: {lower_edge_hertz!s}')
        if lower_edge_hertz >= upper_edge_hertz:
            raise ValueError(f'lower_edge_hertz {lower_edge_hertz:.1f} >= upper_edge_hertz {upper_edge_hertz:.1f}')
        if _is_known(sample_rate):
            if sample_rate <= 0.0:
                raise ValueError(f'sample_rate must be positive. Got: {sample_rate!s}')
            if upper_edge_hertz > sample_rate / 2:
                raise ValueError('upper_edge_hertz must not be larger than the Nyquist frequency (sample_rate / 2). '
                                 f'Got {upper_edge_hertz!s} for sample_rate: {sample_rate!s}')
        if not dtype.is_floating:
            raise ValueError(f'dtype must be a floating point type. Got: {dtype}')
        low, high = tf.constant(lower_edge_hertz, dtype), tf.constant(upper_edge_hertz, dtype)
        zero = tf.constant(0, dtype)
        linear = tf.linspace(zero, tf.cast(sample_rate, dtype) / 2.0, num_spectrogram_bins)[1:]
        bins = tf.expand_dims(_mel(linear), 1)
        edges = tf.linspace(_mel(low), _mel(high), num_mel_bins + 2)
        left, middle, right = (tf.reshape(edges[k:k + num_mel_bins], [1, num_mel_bins]) for k in range(3))
        rising, falling = (bins - left) / (middle - left), (right - bins) / (right - middle)
        weights = tf.maximum(zero, tf.minimum(rising, falling))
        return tf.pad(weights, [[1, 0], [0, 0]], name=scope)


def mfccs_from_log_mel_spectrograms(log_mel_spectrograms: TensorLike, name: str | None = None) -> Any:
    """The cepstral coefficients of spectrograms on the mel scale."""
    with tf.name_scope(name or 'mfccs_from_log_mel_spectrograms'):
        x = tf.convert_to_tensor(log_mel_spectrograms)
        bins = _sizes(x)[-1] if x.shape.rank else tf.shape(x)[-1]
        if _is_known(bins) and bins == 0:
            raise ValueError(f'num_mel_bins must be positive. Got: {log_mel_spectrograms!s}')
        made = dct(x, type=2)
        return made * tf.math.rsqrt(tf.cast(bins, made.dtype) * 2.0)


NAMES = ('dct fft fft2d fft3d fftnd fftshift frame hamming_window hann_window idct ifft ifft2d ifft3d ifftnd ifftshift '
         'inverse_mdct inverse_stft inverse_stft_window_fn irfft irfft2d irfft3d irfftnd kaiser_bessel_derived_window '
         'kaiser_window linear_to_mel_weight_matrix mdct mfccs_from_log_mel_spectrograms overlap_and_add rfft rfft2d '
         'rfft3d rfftnd stft vorbis_window').split()
for _place in ('signal', 'compat.v1.signal'):
    for _name in NAMES:
        setattr(_engine.namespace(_place), _name, globals()[_name])
alias('tf', fftnd, ifftnd, rfftnd, irfftnd)
