"""tf.raw_ops.CudnnRNN and CudnnRNNV3: recurrent layers with all weights in one vector, in the order of cuDNN."""
from __future__ import annotations

import collections

import footlight as tf
from footlight._typing import Any, TensorLike

_GATES = {'lstm': 4, 'gru': 3, 'rnn_relu': 1, 'rnn_tanh': 1}
CudnnRNN = collections.namedtuple('CudnnRNN', 'output output_h output_c reserve_space')
CudnnRNNV3 = collections.namedtuple('CudnnRNNV3', 'output output_h output_c reserve_space host_reserved')


def _weights(params: tf.Tensor, gates: int, depth: int, units: int) -> tuple[Any, ...]:
    """(weights of the input, of the state, biases of the input, of the state), each [gates, ...]."""
    sizes = [gates * units * depth, gates * units * units, gates * units, gates * units]
    inputs, states, first, second = tf.split(params, sizes)
    return (tf.reshape(inputs, [gates, units, depth]), tf.reshape(states, [gates, units, units]),
            tf.reshape(first, [gates, 1, units]), tf.reshape(second, [gates, 1, units]))


def _lstm(x: tf.Tensor, w: tf.Tensor, h: tf.Tensor, c: tf.Tensor) -> tuple[Any, ...]:
    i, f, new, o = tf.unstack(x + w, num=4)
    c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(new)
    return tf.sigmoid(o) * tf.tanh(c), c


def _gru(x: tf.Tensor, w: tf.Tensor, h: tf.Tensor, c: tf.Tensor) -> tuple[Any, ...]:
    reset, update = tf.sigmoid(x[0] + w[0]), tf.sigmoid(x[1] + w[1])
    return (1 - update) * tf.tanh(x[2] + reset * w[2]) + update * h, c


_STEPS = {'lstm': _lstm, 'gru': _gru, 'rnn_relu': lambda x, w, h, c: (tf.nn.relu(x[0] + w[0]), c),
          'rnn_tanh': lambda x, w, h, c: (tf.tanh(x[0] + w[0]), c)}


def _run(op: str, x: tf.Tensor, h: tf.Tensor, c: tf.Tensor, params: tf.Tensor, lengths: tf.Tensor | None, mode: str,
         input_mode: str, direction: str, dropout: float | int, num_proj: int) -> tuple[Any, ...]:
    """(outputs, h, c) of an input [time, batch, depth]; h and c without the dimension of layers."""
    for is_there, what in ((mode not in _GATES, f'rnn_mode={mode!r}'),
                           (input_mode not in ('linear_input', 'auto_select'), f'input_mode={input_mode!r}'),
                           (direction != 'unidirectional', f'direction={direction!r}: call it for each direction'),
                           (dropout, 'dropout inside of it: use tf.nn.dropout'), (num_proj, f'num_proj={num_proj}')):
        if is_there:
            raise NotImplementedError(f'tf.raw_ops.{op}: {what} is not supported')
    units, depth, gates = h.shape[-1], x.shape[-1], _GATES[mode]
    if units is None or depth is None:
        raise ValueError(f'tf.raw_ops.{op}: the last dimensions of input and input_h must be known')
    wanted = gates * units * (depth + units + 2)
    if params.shape.num_elements() not in (None, wanted):
        raise ValueError(f'tf.raw_ops.{op}: params has {params.shape.num_elements()} elements, {wanted} are needed')
    w_input, w_state, b_input, b_state = _weights(params, gates, depth, units)
    of_input = tf.einsum('tbd,gud->tgbu', x, w_input) + b_input
    c = h if mode != 'lstm' else c
    indices = tf.range(tf.shape(x)[0])

    def step(state, at):
        values, number = at
        before_h, before_c = state[1:]
        made_h, made_c = _STEPS[mode](values, tf.einsum('bv,guv->gbu', before_h, w_state) + b_state, before_h, before_c)
        if lengths is None:
            return made_h, made_h, made_c
        goes_on = (number < lengths)[:, tf.newaxis]
        return tuple(tf.where(goes_on, new, old) for new, old in (
            (made_h, tf.zeros_like(made_h)), (made_h, before_h), (made_c, before_c)))
    outputs, states_h, states_c = tf.scan(step, (of_input, indices), (tf.zeros_like(h), h, c))
    return outputs, states_h[-1], states_c[-1] if mode == 'lstm' else tf.zeros([0], x.dtype)


def cudnn_rnn(*, input: TensorLike, input_h: TensorLike, input_c: TensorLike, params: TensorLike,
              rnn_mode: str = 'lstm', input_mode: str = 'linear_input', direction: str = 'unidirectional',
              dropout: Any = 0, seed: Any = 0, seed2: Any = 0, is_training: bool = True,
              name: str | None = None) -> Any:
    """One recurrent layer over [time, batch, depth]."""
    with tf.name_scope(name or 'CudnnRNN'):
        x, h, c, params = map(tf.convert_to_tensor, (input, input_h, input_c, params))
        is_lstm = rnn_mode == 'lstm'
        outputs, h, c = _run('CudnnRNN', x, tf.squeeze(h, 0), tf.squeeze(c, 0) if is_lstm else c, params, None, rnn_mode,
                             input_mode, direction, dropout, 0)
        return CudnnRNN(outputs, h[tf.newaxis], c[tf.newaxis] if is_lstm else c, tf.zeros([0], x.dtype))


def cudnn_rnn_v3(*, input: TensorLike, input_h: TensorLike, input_c: TensorLike, params: TensorLike,
                 sequence_lengths: Any, rnn_mode: str = 'lstm', input_mode: str = 'linear_input',
                 direction: str = 'unidirectional', dropout: Any = 0, seed: Any = 0, seed2: Any = 0, num_proj: Any = 0,
                 is_training: bool = True, time_major: bool = True, name: str | None = None) -> Any:
    """One recurrent layer over sequences, each of a length of its own: [time, batch, depth], or [batch, time, depth]."""
    with tf.name_scope(name or 'CudnnRNNV3'):
        x, h, c, params = map(tf.convert_to_tensor, (input, input_h, input_c, params))
        axis, is_lstm = 0 if time_major else 1, rnn_mode == 'lstm'
        outputs, h, c = _run(
            'CudnnRNNV3', x if time_major else tf.transpose(x, [1, 0, 2]), tf.squeeze(h, axis),
            tf.squeeze(c, axis) if is_lstm else c, params, tf.convert_to_tensor(sequence_lengths), rnn_mode, input_mode,
            direction, dropout, num_proj)
        return CudnnRNNV3(outputs if time_major else tf.transpose(outputs, [1, 0, 2]), tf.expand_dims(h, axis),
                      tf.expand_dims(c, axis) if is_lstm else c, tf.zeros([0], x.dtype), tf.zeros([0], tf.int8))


for _function, _name in ((cudnn_rnn, 'CudnnRNN'), (cudnn_rnn_v3, 'CudnnRNNV3')):
    _function.__name__ = _function.__qualname__ = _name
RAW = {function.__name__: function for function in (cudnn_rnn, cudnn_rnn_v3)}
