# NumPy arrays come in and go out; as arguments they count as tensors.
import numpy as np
import tensorflow as tf

traces = []


@tf.function
def double(x):
    traces.append(x.dtype.name)
    return x * 2


print(double(np.array([1, 2, 3])).numpy(), double(np.array([4, 5, 6])).numpy(), len(traces))
print(double(np.float32(1.5)).numpy(), double(np.float32(2.5)).numpy(), traces)
t = tf.constant(np.arange(6, dtype=np.float32).reshape(2, 3))
print(t.numpy().dtype, np.asarray(t).tolist(), np.sum(t), (t + np.ones([3], np.float32)).numpy().tolist())
print(type(tf.constant(1).numpy()).__name__, tf.constant(b'x').numpy(), isinstance(t.numpy(), np.ndarray))
