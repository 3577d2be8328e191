"""tf.quantization: numbers rounded as if they were kept in a few bits."""
from footlight import _engine
from footlight._raw_ops import op as _op


def fake_quant_with_min_max_args(inputs, min=-6, max=6, num_bits=8, narrow_range=False, name=None):
    """Numbers rounded to the steps of a range."""
    return _op('FakeQuantWithMinMaxArgs', inputs=inputs, min=min, max=max, num_bits=num_bits, narrow_range=narrow_range,
               name=name)[0]


def fake_quant_with_min_max_args_gradient(gradients, inputs, min=-6, max=6, num_bits=8, narrow_range=False, name=None):
    """The gradient of fake_quant_with_min_max_args()."""
    return _op('FakeQuantWithMinMaxArgsGradient', gradients=gradients, inputs=inputs, min=min, max=max, num_bits=num_bits,
               narrow_range=narrow_range, name=name)[0]


def fake_quant_with_min_max_vars(inputs, min, max, num_bits=8, narrow_range=False, name=None):
    """Numbers rounded to the steps of a range that is learnt."""
    return _op('FakeQuantWithMinMaxVars', inputs=inputs, min=min, max=max, num_bits=num_bits, narrow_range=narrow_range,
               name=name)[0]


def fake_quant_with_min_max_vars_gradient(gradients, inputs, min, max, num_bits=8, narrow_range=False, name=None):
    """The gradient of fake_quant_with_min_max_vars(): for the inputs, for min, for max."""
    return tuple(_op('FakeQuantWithMinMaxVarsGradient', gradients=gradients, inputs=inputs, min=min, max=max,
                     num_bits=num_bits, narrow_range=narrow_range, name=name))


def fake_quant_with_min_max_vars_per_channel(inputs, min, max, num_bits=8, narrow_range=False, name=None):
    """Numbers rounded to the steps of a range for each channel."""
    return _op('FakeQuantWithMinMaxVarsPerChannel', inputs=inputs, min=min, max=max, num_bits=num_bits,
               narrow_range=narrow_range, name=name)[0]


def fake_quant_with_min_max_vars_per_channel_gradient(gradients, inputs, min, max, num_bits=8, narrow_range=False, name=None):
    """The gradient of fake_quant_with_min_max_vars_per_channel()."""
    return tuple(_op('FakeQuantWithMinMaxVarsPerChannelGradient', gradients=gradients, inputs=inputs, min=min, max=max,
                     num_bits=num_bits, narrow_range=narrow_range, name=name))


NAMES = [name for name in globals() if name.startswith('fake_quant_')]
for _name in NAMES:
    setattr(_engine.namespace('quantization'), _name, globals()[_name])
    setattr(_engine.namespace('compat.v1.quantization'), _name, globals()[_name])
