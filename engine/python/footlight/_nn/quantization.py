"""tf.quantization: numbers rounded as if they were kept in a few bits."""
from __future__ import annotations

import footlight as tf
from footlight import _engine
from footlight._raw_ops import op as _op
from footlight._typing import Any, TensorLike


def fake_quant_with_min_max_args(inputs: TensorLike, min: Any = -6, max: Any = 6, num_bits: Any = 8,
                                 narrow_range: bool = False, name: str | None = None) -> Any:
    """Numbers rounded to the steps of a range."""
    return _op('FakeQuantWithMinMaxArgs', inputs=inputs, min=min, max=max, num_bits=num_bits, narrow_range=narrow_range,
               name=name)[0]


def fake_quant_with_min_max_args_gradient(gradients: Any, inputs: TensorLike, min: Any = -6, max: Any = 6,
                                          num_bits: Any = 8, narrow_range: bool = False,
                                          name: str | None = None) -> Any:
    """The gradient of fake_quant_with_min_max_args()."""
    return _op('FakeQuantWithMinMaxArgsGradient', gradients=gradients, inputs=inputs, min=min, max=max, num_bits=num_bits,
               narrow_range=narrow_range, name=name)[0]


def fake_quant_with_min_max_vars(inputs: TensorLike, min: Any, max: Any, num_bits: Any = 8, narrow_range: bool = False,
                                 name: str | None = None) -> Any:
    """Numbers rounded to the steps of a range that is learnt."""
    return _op('FakeQuantWithMinMaxVars', inputs=inputs, min=min, max=max, num_bits=num_bits, narrow_range=narrow_range,
               name=name)[0]


def fake_quant_with_min_max_vars_gradient(gradients: Any, inputs: TensorLike, min: Any, max: Any, num_bits: Any = 8,
                                          narrow_range: bool = False, name: str | None = None) -> Any:
    """The gradient of fake_quant_with_min_max_vars(): for the inputs, for min, for max."""
    return tuple(_op('FakeQuantWithMinMaxVarsGradient', gradients=gradients, inputs=inputs, min=min, max=max,
                     num_bits=num_bits, narrow_range=narrow_range, name=name))


def fake_quant_with_min_max_vars_per_channel(inputs: TensorLike, min: Any, max: Any, num_bits: Any = 8,
                                             narrow_range: bool = False, name: str | None = None) -> Any:
    """Numbers rounded to the steps of a range for each channel."""
    return _op('FakeQuantWithMinMaxVarsPerChannel', inputs=inputs, min=min, max=max, num_bits=num_bits,
               narrow_range=narrow_range, name=name)[0]


def fake_quant_with_min_max_vars_per_channel_gradient(gradients: Any, inputs: TensorLike, min: Any, max: Any,
                                                      num_bits: Any = 8, narrow_range: bool = False,
                                                      name: str | None = None) -> Any:
    """The gradient of fake_quant_with_min_max_vars_per_channel()."""
    return tuple(_op('FakeQuantWithMinMaxVarsPerChannelGradient', gradients=gradients, inputs=inputs, min=min, max=max,
                     num_bits=num_bits, narrow_range=narrow_range, name=name))


def quantize_and_dequantize_v2(input, input_min, input_max, signed_input=True, num_bits=8, range_given=False,
                               round_mode='HALF_TO_EVEN', name=None, narrow_range=False, axis=None):
    """Numbers rounded to the steps of a range, which is that of the input unless `range_given` says that it is given.

    axis: each slice along this dimension has a range of its own.
    """
    def refuse(words):
        raise tf.errors.InvalidArgumentError(None, None, words + ' [Op:QuantizeAndDequantizeV4]')
    with tf.name_scope(name or 'quantize_and_dequantize'):
        x = tf.convert_to_tensor(input)
        if x.dtype not in (tf.float32, tf.float64):
            refuse(f"Value for attr 'T' of {x.dtype.name} is not in the list of allowed values: float, double")
        if round_mode not in ('HALF_TO_EVEN', 'HALF_UP'):
            refuse(f'Value for attr \'round_mode\' of "{round_mode}" is not in the list of allowed values: "HALF_TO_EVEN", "HALF_UP"')
        if not 0 < num_bits < (62 if signed_input else 63):
            refuse(f'num_bits is out of range: {num_bits} with signed_input_ {int(signed_input)}')
        low, high = (tf.convert_to_tensor(v, x.dtype) for v in (input_min, input_max))
        others = None
        if axis is not None:
            rank = x.shape.rank
            if rank is None or not -rank <= axis < rank:
                refuse(f'Shape must be at least rank {axis + 1 if axis >= 0 else -axis}, its shape is {x.shape}')
            others = [d for d in range(rank) if d != axis % rank]
        for what, bound in (('input_min', low), ('input_max', high)):
            if bound.shape.rank not in ((None, 0) if axis is None else (None, 0, 1)):
                refuse(f'{what} must be a scalar{"" if axis is None else " or a vector"}.')
            if bound.shape.rank == 1 and not bound.shape.is_compatible_with(x.shape[axis % rank:axis % rank + 1]):
                refuse(f'{what} must have a number for each of {x.shape[axis]} slices, its shape is {bound.shape}')
        if range_given:
            known = tf.get_static_value(low), tf.get_static_value(high)
            if all(k is not None for k in known) and (known[0] > known[1]).any():
                refuse(f'Invalid range: input_min {known[0]} > input_max {known[1]}')
        return _rounded(x, *(_along(bound, x, others) for bound in (low, high)), others, range_given, {
            'half_up': round_mode == 'HALF_UP', 'least': (-(1 << num_bits - 1) + bool(narrow_range)) if signed_input else 0,
            'most': (1 << num_bits - 1) - 1 if signed_input else (1 << num_bits) - 1})


def _along(bound: tf.Tensor, x: tf.Tensor, others: list[Any] | None) -> tf.Tensor:
    """A bound for each slice, in the rank of x."""
    if others is None or bound.shape.rank == 0:
        return bound
    return tf.reshape(bound, [1 if d in others else -1 for d in range(x.shape.rank)])


def _rounded(x: Any, low: Any, high: Any, others: Any, range_given: bool, how: Any) -> Any:
    least, most = tf.constant(how['least'], x.dtype), tf.constant(how['most'], x.dtype)

    @tf.custom_gradient
    def rounded(x, low, high):
        below, above = (low, high) if range_given else (
            tf.reduce_min(x, others, keepdims=others is not None), tf.reduce_max(x, others, keepdims=others is not None))
        none = tf.constant(x.dtype.max, x.dtype)
        from_low = tf.where(least * below > 0, tf.math.divide_no_nan(least, below), none)
        from_high = tf.where(most * above > 0, tf.math.divide_no_nan(most, above), none)
        by_low = from_low < from_high
        step = tf.where(by_low, below / tf.where(tf.equal(least, 0), tf.ones_like(least), least),
                        above / tf.where(tf.equal(most, 0), tf.ones_like(most), most))
        scale = tf.where(by_low, from_low, from_high)
        kept = x
        if range_given:
            kept = tf.minimum(tf.maximum(x, tf.where(by_low, below, least * step)), tf.where(by_low, most * step, above))
        scaled = kept * scale
        whole = tf.floor(scaled + 0.5) if how['half_up'] else tf.round(scaled)
        inside = tf.cast((x >= low) & (x <= high), x.dtype)

        def gradient(dy):
            return dy * inside, tf.zeros_like(low), tf.zeros_like(high)
        return whole * step, gradient
    return rounded(x, low, high)


def quantize_and_dequantize(input: TensorLike, input_min: Any, input_max: Any, signed_input: bool = True,
                            num_bits: Any = 8, range_given: bool = False, round_mode: str = 'HALF_TO_EVEN',
                            name: str | None = None, narrow_range: bool = False, axis: Any = None) -> tf.Tensor:
    """The former name of quantize_and_dequantize_v2()."""
    return quantize_and_dequantize_v2(input, input_min, input_max, signed_input, num_bits, range_given, round_mode, name, narrow_range,
                                      axis)


NAMES = [name for name in globals() if name.startswith('fake_quant_')] + ['quantize_and_dequantize', 'quantize_and_dequantize_v2']
for _name in NAMES:
    setattr(_engine.namespace('quantization'), _name, globals()[_name])
    setattr(_engine.namespace('compat.v1.quantization'), _name, globals()[_name])
