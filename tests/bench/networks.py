"""Steps of training: a perceptron 784-512-512-10 at two batch sizes, a convolutional network for 28x28 images, and a
transformer block of 256 features, 4 heads and 128 tokens, which also runs forward. The same numbers in every library.
"""
import bench

QUICK = bench.QUICK
RATE = 0.01


def flat(seed, *shape):
    """Small numbers, the same for all."""
    import numpy as np
    return np.random.default_rng(seed).uniform(-0.05, 0.05, shape).astype('float32')


WIDTHS = (784, 512, 512, 10)
MLP = [s for a, b in zip(WIDTHS, WIDTHS[1:]) for s in ((a, b), (b,))]
CNN = [(5, 5, 1, 32), (32,), (5, 5, 32, 64), (64,), (64 * 7 * 7, 1024), (1024,), (1024, 10), (10,)]
WIDTH, HEADS, TOKENS = 256, 4, 128
BLOCK = [(WIDTH,), (WIDTH,), (WIDTH, 3 * WIDTH), (WIDTH, WIDTH), (WIDTH,), (WIDTH,), (WIDTH, 4 * WIDTH), (4 * WIDTH,),
         (4 * WIDTH, WIDTH), (WIDTH,)]


def weights(shapes):
    return [flat(i, *shape) for i, shape in enumerate(shapes)]


class TensorFlow:
    """Footlight's and TensorFlow's."""

    def __init__(self, tf):
        self.tf = tf

    def mlp(self, v, x):
        tf = self.tf
        h = tf.nn.relu(x @ v[0] + v[1])
        h = tf.nn.relu(h @ v[2] + v[3])
        return h @ v[4] + v[5]

    def cnn(self, v, x):
        tf = self.tf
        for w, b in ((v[0], v[1]), (v[2], v[3])):
            x = tf.nn.relu(tf.nn.conv2d(x, w, 1, 'SAME') + b)
            x = tf.nn.max_pool2d(x, 2, 2, 'SAME')
        return tf.nn.relu(tf.reshape(x, [x.shape[0], -1]) @ v[4] + v[5]) @ v[6] + v[7]

    def norm(self, x, scale, shift):
        tf = self.tf
        mean = tf.reduce_mean(x, -1, keepdims=True)
        centred = x - mean
        return centred * tf.math.rsqrt(tf.reduce_mean(centred * centred, -1, keepdims=True) + 1e-5) * scale + shift

    def block(self, v, x):
        tf = self.tf
        qkv = tf.reshape(self.norm(x, v[0], v[1]) @ v[2], [TOKENS, 3, HEADS, WIDTH // HEADS])
        q, k, w = tf.unstack(tf.transpose(qkv, [1, 2, 0, 3]))
        seen = tf.nn.softmax(tf.matmul(q, k, transpose_b=True) * (WIDTH // HEADS) ** -0.5)
        mixed = tf.reshape(tf.transpose(seen @ w, [1, 0, 2]), [TOKENS, WIDTH])
        x = x + mixed @ v[3]
        h = self.norm(x, v[4], v[5]) @ v[6] + v[7]
        h = 0.5 * h * (1.0 + tf.tanh(0.7978845608 * (h + 0.044715 * h * h * h)))
        return x + h @ v[8] + v[9]

    def step(self, model, shapes, x, labels):
        tf = self.tf
        v = [tf.Variable(w) for w in weights(shapes)]
        x = tf.constant(x)

        @tf.function
        def step(x):
            with tf.GradientTape() as tape:
                out = model(v, x)
                if labels is None:
                    loss = tf.reduce_mean(out * out)
                else:
                    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=out))
            for w, g in zip(v, tape.gradient(loss, v)):
                w.assign_sub(RATE * g)
            return loss
        for _ in range(3):
            step(x)
        return 'step(x)', {'step': step, 'x': x}

    def forward(self, model, shapes, x):
        v = [self.tf.constant(w) for w in weights(shapes)]
        x = self.tf.constant(x)
        f = self.tf.function(lambda x: model(v, x))
        f(x)
        return 'f(x)', {'f': f, 'x': x}


class Torch:
    def mlp(self, v, x):
        import torch
        h = torch.relu(x @ v[0] + v[1])
        h = torch.relu(h @ v[2] + v[3])
        return h @ v[4] + v[5]

    def cnn(self, v, x):
        import torch
        x = x.permute(0, 3, 1, 2)
        for w, b in ((v[0], v[1]), (v[2], v[3])):
            x = torch.relu(torch.nn.functional.conv2d(x, w.permute(3, 2, 0, 1), b, padding='same'))
            x = torch.nn.functional.max_pool2d(x, 2, 2)
        return torch.relu(x.reshape(x.shape[0], -1) @ v[4] + v[5]) @ v[6] + v[7]

    def block(self, v, x):
        import torch
        norm = torch.nn.functional.layer_norm
        qkv = (norm(x, (WIDTH,), v[0], v[1]) @ v[2]).reshape(TOKENS, 3, HEADS, WIDTH // HEADS).permute(1, 2, 0, 3)
        seen = torch.softmax(qkv[0] @ qkv[1].transpose(1, 2) * (WIDTH // HEADS) ** -0.5, -1)
        x = x + (seen @ qkv[2]).permute(1, 0, 2).reshape(TOKENS, WIDTH) @ v[3]
        h = torch.nn.functional.gelu(norm(x, (WIDTH,), v[4], v[5]) @ v[6] + v[7], approximate='tanh')
        return x + h @ v[8] + v[9]

    def step(self, model, shapes, x, labels):
        import torch
        v = [torch.tensor(w, requires_grad=True) for w in weights(shapes)]
        x = torch.tensor(x)
        labels = None if labels is None else torch.tensor(labels, dtype=torch.int64)

        def loss_of():
            out = model(v, x)
            return (out * out).mean() if labels is None else torch.nn.functional.cross_entropy(out, labels)
        loss_of = bench.compiled_by_torch(loss_of)

        def step():
            loss = loss_of()
            gradients = torch.autograd.grad(loss, v)
            with torch.no_grad():
                torch._foreach_add_(v, gradients, alpha=-RATE)
            return loss
        for _ in range(3):
            step()
        return 'step()', {'step': step}

    def forward(self, model, shapes, x):
        import torch
        v = [torch.tensor(w) for w in weights(shapes)]
        x = torch.tensor(x)
        f = bench.compiled_by_torch(lambda: model(v, x))
        with torch.no_grad():
            f()

        def run():
            with torch.no_grad():
                return f()
        return 'run()', {'run': run}


class Jax:
    def mlp(self, v, x):
        import jax
        h = jax.nn.relu(x @ v[0] + v[1])
        h = jax.nn.relu(h @ v[2] + v[3])
        return h @ v[4] + v[5]

    def cnn(self, v, x):
        import jax
        for w, b in ((v[0], v[1]), (v[2], v[3])):
            layout = ('NHWC', 'HWIO', 'NHWC')
            x = jax.nn.relu(jax.lax.conv_general_dilated(x, w, (1, 1), 'SAME', dimension_numbers=layout) + b)
            x = jax.lax.reduce_window(x, -float('inf'), jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), 'SAME')
        return jax.nn.relu(x.reshape(x.shape[0], -1) @ v[4] + v[5]) @ v[6] + v[7]

    def norm(self, x, scale, shift):
        import jax
        centred = x - x.mean(-1, keepdims=True)
        return centred * jax.lax.rsqrt((centred * centred).mean(-1, keepdims=True) + 1e-5) * scale + shift

    def block(self, v, x):
        import jax
        qkv = (self.norm(x, v[0], v[1]) @ v[2]).reshape(TOKENS, 3, HEADS, WIDTH // HEADS).transpose(1, 2, 0, 3)
        seen = jax.nn.softmax(qkv[0] @ qkv[1].transpose(0, 2, 1) * (WIDTH // HEADS) ** -0.5)
        x = x + (seen @ qkv[2]).transpose(1, 0, 2).reshape(TOKENS, WIDTH) @ v[3]
        h = jax.nn.gelu(self.norm(x, v[4], v[5]) @ v[6] + v[7], approximate=True)
        return x + h @ v[8] + v[9]

    def step(self, model, shapes, x, labels):
        import jax
        import jax.numpy as jnp
        v = [jnp.array(w) for w in weights(shapes)]
        x = jnp.array(x)

        def loss_of(v):
            out = model(v, x)
            if labels is None:
                return (out * out).mean()
            return -jax.nn.log_softmax(out)[jnp.arange(len(labels)), jnp.array(labels)].mean()

        @jax.jit
        def step(v):
            loss, gradients = jax.value_and_grad(loss_of)(v)
            return loss, [w - RATE * g for w, g in zip(v, gradients)]

        def run():
            nonlocal v
            loss, v = step(v)
            jax.block_until_ready(v)
            return loss
        run()
        return 'run()', {'run': run}

    def forward(self, model, shapes, x):
        import jax
        import jax.numpy as jnp
        v = [jnp.array(w) for w in weights(shapes)]
        x = jnp.array(x)
        f = jax.jit(lambda x: model(v, x))
        f(x)
        return 'f(x).block_until_ready()', {'f': f, 'x': x}


def works(library):
    """{row: what makes its work} for a library's models."""
    labels = lambda n: [i % 10 for i in range(n)]
    small, large = (2, 4) if QUICK else (8, 512)
    images = 2 if QUICK else 50
    return {
        'perceptron, a step of 8': lambda: library.step(library.mlp, MLP, flat(70, small, 784), labels(small)),
        'perceptron, a step of 512': lambda: library.step(library.mlp, MLP, flat(71, large, 784), labels(large)),
        'CNN, a step of 50': lambda: library.step(library.cnn, CNN, flat(72, images, 28, 28, 1), labels(images)),
        'transformer block, forward': lambda: library.forward(library.block, BLOCK, flat(73, TOKENS, WIDTH)),
        'transformer block, a step': lambda: library.step(library.block, BLOCK, flat(73, TOKENS, WIDTH), None),
    }


def footlight(row):
    def make():
        import footlight as tf
        return works(TensorFlow(tf))[row]()
    return make


ROWS = [bench.Row(row, footlight(row)) for row in works(None)]
TRACED = [row.name for row in ROWS]
PEERS_ARE_MADE = True


def peers(library):
    if library == 'torch':
        return works(Torch())
    if library == 'jax':
        return works(Jax())
    import tensorflow as tf
    return works(TensorFlow(tf))


if __name__ == '__main__':
    bench.main()
