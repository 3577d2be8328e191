"""Convolutions of VGG, ResNet, MobileNet, U-Net and a GAN, each forward and with both gradients: one image and batches,
strided, dilated, grouped, depthwise and transposed.
"""
import dataclasses

import bench


@dataclasses.dataclass(frozen=True)
class Shape:
    """A convolution that keeps the size of its images, but for its stride; `transposed`: the gradient of one."""
    model: str
    batch: int
    size: int
    inputs: int
    outputs: int
    taps: int = 3
    stride: int = 1
    dilation: int = 1
    groups: int = 1
    transposed: bool = False

    @property
    def name(self):
        images = 'x'.join(map(str, self.images))
        what = [f'{self.model} {images} by {self.taps}x{self.taps} to {self.outputs}']
        what += [f'stride {self.stride}'] * (self.stride > 1) + [f'dilation {self.dilation}'] * (self.dilation > 1)
        what += ['depthwise' if self.depthwise else f'{self.groups} groups'] * (self.groups > 1)
        return ', '.join(what + ['transposed'] * self.transposed)

    @property
    def depthwise(self):
        return self.groups == self.inputs > 1

    @property
    def images(self):
        return [self.batch, self.size, self.size, self.inputs]

    @property
    def made(self):
        size = self.size * self.stride if self.transposed else -(-self.size // self.stride)
        return [self.batch, size, size, self.outputs]


SHAPES = [
    Shape('VGG', 1, 224, 3, 64), Shape('VGG', 1, 128, 64, 64), Shape('VGG', 1, 56, 256, 256),
    Shape('VGG', 1, 14, 512, 512),
    Shape('ResNet', 1, 224, 3, 64, 7, 2), Shape('ResNet', 8, 224, 3, 64, 7, 2), Shape('ResNet', 32, 28, 64, 64),
    Shape('ResNet', 8, 56, 64, 128, 3, 2), Shape('ResNet', 1, 14, 256, 256), Shape('ResNet', 8, 14, 256, 256),
    Shape('ResNet', 1, 7, 512, 512), Shape('ResNet', 8, 7, 512, 512), Shape('ResNet', 8, 28, 256, 64, 1),
    Shape('ResNet', 8, 28, 64, 256, 1), Shape('ResNet', 8, 28, 256, 512, 1, 2), Shape('U-Net', 1, 128, 32, 32),
    Shape('U-Net', 1, 64, 64, 32, 2, 2, transposed=True), Shape('U-Net', 8, 32, 128, 64, 2, 2, transposed=True),
    Shape('GAN', 32, 14, 128, 64, 5, 2, transposed=True), Shape('DeepLab', 1, 64, 64, 64, dilation=2),
    Shape('ResNeXt', 8, 28, 128, 128, groups=32), Shape('ResNeXt', 8, 28, 128, 128, groups=4),
    Shape('MobileNet', 1, 112, 32, 32, groups=32), Shape('MobileNet', 8, 56, 128, 128, groups=128),
    Shape('MobileNet', 8, 56, 128, 128, 3, 2, groups=128), Shape('MobileNet', 32, 14, 512, 512, groups=512),
    Shape('MobileNet', 32, 14, 512, 512, 1),
]
if bench.QUICK:
    SHAPES = [dataclasses.replace(s, batch=1, size=7) for s in SHAPES]
KINDS = ('forward', 'to the input', 'to the filter')


def tensorflow(tf, shape, kind):
    """The work in TensorFlow's ops, which are ours too."""
    ops, inputs = tf.raw_ops, shape.inputs // shape.groups
    x, arriving = tf.random.normal(shape.images), tf.random.normal(shape.made)
    attrs = {'strides': [1, shape.stride, shape.stride, 1], 'padding': 'SAME',
             'dilations': [1, shape.dilation, shape.dilation, 1]}
    if shape.transposed:
        f = tf.random.normal([shape.taps, shape.taps, shape.outputs, shape.inputs])
        return {'forward': lambda: ops.Conv2DBackpropInput(input_sizes=shape.made, filter=f, out_backprop=x, **attrs),
                'to the input': lambda: ops.Conv2D(input=arriving, filter=f, **attrs),
                'to the filter': lambda: ops.Conv2DBackpropFilter(input=arriving, filter_sizes=f.shape, out_backprop=x,
                                                                  **attrs)}[kind]
    name = 'DepthwiseConv2dNative' if shape.depthwise else 'Conv2D'
    f = tf.random.normal([shape.taps, shape.taps, *([shape.inputs, 1] if shape.depthwise else [inputs, shape.outputs])])
    forward, to_input, to_filter = (getattr(ops, name + part) for part in ('', 'BackpropInput', 'BackpropFilter'))
    return {'forward': lambda: forward(input=x, filter=f, **attrs),
            'to the input': lambda: to_input(input_sizes=shape.images, filter=f, out_backprop=arriving, **attrs),
            'to the filter': lambda: to_filter(input=x, filter_sizes=f.shape, out_backprop=arriving, **attrs)}[kind]


def torch(shape, kind):
    """The work in PyTorch, with channels last as here."""
    import torch
    last = {'memory_format': torch.channels_last}
    images = lambda shape: torch.randn(shape[0], shape[3], shape[1], shape[2]).to(**last)
    x, inputs = images(shape.images), shape.inputs // shape.groups
    channels = [shape.inputs, shape.outputs] if shape.transposed else [shape.outputs, inputs]
    f = torch.randn(*channels, shape.taps, shape.taps).to(**last)
    before = (shape.taps - shape.stride + 1) // 2 if shape.transposed else shape.dilation * (shape.taps - 1) // 2
    after = shape.stride - shape.taps + 2 * before if shape.transposed else 0
    attrs = ([shape.stride] * 2, [before] * 2, [shape.dilation] * 2, shape.transposed, [after] * 2, shape.groups)
    torch.set_grad_enabled(False)
    forward = lambda: torch.ops.aten.convolution(x, f, None, *attrs)
    if kind == 'forward':
        return forward
    arriving, wanted = torch.randn_like(forward()), [kind == 'to the input', kind == 'to the filter', False]
    return lambda: torch.ops.aten.convolution_backward(arriving, x, f, None, *attrs, wanted)


def jax(shape, kind):
    """The work in JAX, compiled."""
    import jax
    import numpy as np
    random = np.random.default_rng(0)
    array = lambda *shape: jax.numpy.asarray(random.standard_normal(shape, dtype='float32'))
    x, f = array(*shape.images), array(shape.taps, shape.taps, shape.inputs // shape.groups, shape.outputs)
    order = {'padding': 'SAME', 'dimension_numbers': ('NHWC', 'HWIO', 'NHWC')}
    strides = (shape.stride, shape.stride)

    def convolution(x, f):
        if shape.transposed:
            return jax.lax.conv_transpose(x, f, strides, **order)
        return jax.lax.conv_general_dilated(x, f, strides, rhs_dilation=(shape.dilation, shape.dilation),
                                            feature_group_count=shape.groups, **order)
    arriving = array(*shape.made)
    work = jax.jit({'forward': convolution,
                    'to the input': lambda x, f: jax.vjp(lambda x: convolution(x, f), x)[1](arriving)[0],
                    'to the filter': lambda x, f: jax.vjp(lambda f: convolution(x, f), f)[1](arriving)[0]}[kind])
    return lambda: work(x, f).block_until_ready()


def ours(shape, kind):
    import footlight as tf
    return tensorflow(tf, shape, kind)


def row_name(shape, kind):
    return f'{shape.name}, {kind}'


def rows(make):
    """make(shape, kind) of each row, called when the row is measured."""
    return {row_name(shape, kind): lambda shape=shape, kind=kind: make(shape, kind)
            for shape in SHAPES for kind in KINDS}


ROWS = [bench.Row(name, make) for name, make in rows(ours).items()]
PEERS_ARE_MADE = True


def peers(library):
    if library == 'torch':
        return rows(torch)
    if library == 'jax':
        return rows(jax)
    import tensorflow as tf
    made = rows(lambda shape, kind: tensorflow(tf, shape, kind))
    grouped = [s for s in SHAPES if s.groups > 1 and not s.depthwise]  # their gradients are not there on the CPU
    for name in (row_name(s, kind) for s in grouped for kind in KINDS[1:]):
        del made[name]
    return made


if __name__ == '__main__':
    bench.main()
