"""Images, sound and sequences in Keras: layers that prepare data, keras.ops.image, transforms, losses of sequences."""
import numpy as np
import tensorflow as tf
import keras
from keras import layers as L
from keras import ops
from layers_programs import brief

RANDOM = np.random.RandomState(11)
IMAGES = RANDOM.rand(2, 9, 8, 3).astype('float32')
SOUND = np.sin(np.arange(600) * .3).astype('float32').reshape(2, 300)
SCORES = RANDOM.randn(2, 7, 5).astype('float32')

LAYERS = {
    'rescaling': (lambda: L.Rescaling(2., 1.), IMAGES),
    'resizing': (lambda: L.Resizing(5, 6), IMAGES),
    'resizing_nearest': (lambda: L.Resizing(12, 4, interpolation='nearest'), IMAGES),
    'resizing_bicubic': (lambda: L.Resizing(4, 6, interpolation='bicubic', antialias=True), IMAGES),
    'resizing_crop': (lambda: L.Resizing(4, 7, crop_to_aspect_ratio=True), IMAGES),
    'resizing_pad': (lambda: L.Resizing(10, 7, pad_to_aspect_ratio=True), IMAGES),
    'center_crop': (lambda: L.CenterCrop(5, 5), IMAGES),
    'random_flip': (lambda: L.RandomFlip(seed=3), IMAGES),
    'random_crop': (lambda: L.RandomCrop(5, 4, seed=3), IMAGES),
    'random_rotation': (lambda: L.RandomRotation(.2, seed=3), IMAGES),
    'random_rotation_wrap': (lambda: L.RandomRotation(.2, fill_mode='wrap', interpolation='nearest', seed=3), IMAGES),
    'random_zoom': (lambda: L.RandomZoom(.3, .2, seed=3), IMAGES),
    'random_translation': (lambda: L.RandomTranslation(.3, .2, seed=3), IMAGES),
    'random_shear': (lambda: L.RandomShear(.3, .2, seed=3), IMAGES),
    'random_brightness': (lambda: L.RandomBrightness(.3, value_range=(0, 1), seed=3), IMAGES),
    'random_contrast': (lambda: L.RandomContrast(.3, value_range=(0, 1), seed=3), IMAGES),
    'random_hue': (lambda: L.RandomHue(.3, value_range=(0, 1), seed=3), IMAGES),
    'random_saturation': (lambda: L.RandomSaturation(.8, value_range=(0, 1), seed=3), IMAGES),
    'random_sharpness': (lambda: L.RandomSharpness(.8, value_range=(0, 1), seed=3), IMAGES),
    'random_grayscale': (lambda: L.RandomGrayscale(.5, seed=3), IMAGES),
    'random_posterization': (lambda: L.RandomPosterization(4, value_range=(0, 1), seed=3), IMAGES),
    'random_color_degeneration': (lambda: L.RandomColorDegeneration(.5, value_range=(0, 1), seed=3), IMAGES),
    'random_color_jitter': (lambda: L.RandomColorJitter((0, 1), .2, .2, .2, .2, seed=3), IMAGES),
    'random_gaussian_blur': (lambda: L.RandomGaussianBlur(1., value_range=(0, 1), seed=3), IMAGES),
    'random_invert': (lambda: L.RandomInvert(1., value_range=(0, 1), seed=3), IMAGES),
    'random_perspective': (lambda: L.RandomPerspective(1., .3, seed=3), IMAGES),
    'random_erasing': (lambda: L.RandomErasing(1., value_range=(0, 1), seed=3), IMAGES),
    'random_elastic': (lambda: L.RandomElasticTransform(1., .5, seed=3, value_range=(0, 1)), IMAGES),
    'solarization': (lambda: L.Solarization(.1, .2, value_range=(0, 1), seed=3), IMAGES),
    'equalization': (lambda: L.Equalization((0, 255)), (IMAGES * 255).astype('uint8').astype('float32')),
    'auto_contrast': (lambda: L.AutoContrast((0, 1)), IMAGES),
    'mel_spectrogram': (lambda: L.MelSpectrogram(fft_length=64, sequence_stride=32, num_mel_bins=10), SOUND),
    'stft_spectrogram': (lambda: L.STFTSpectrogram('log', 32, 16, 64, window=None), SOUND[..., None]),
    'up_sampling_bilinear': (lambda: L.UpSampling2D(2, interpolation='bilinear'), IMAGES),
}


def layer(name):
    """What the layer makes, called directly and in a function."""
    make, given = LAYERS[name]
    found = []
    for wrap in (lambda f: f, tf.function):
        keras.utils.set_random_seed(5)
        made = make()
        how = {'training': True} if getattr(made, '_call_has_training_arg', False) else {}
        found.append(brief(wrap(lambda x: made(x, **how))(tf.constant(given))))
    return found


def images():
    """keras.ops.image."""
    image, found = ops.image, {}
    for method in ('bilinear', 'nearest', 'bicubic', 'lanczos3', 'lanczos5'):
        found[method] = [brief(image.resize(IMAGES, (5, 7), interpolation=method, antialias=a)) for a in (False, True)]
    for mode in ('constant', 'nearest', 'wrap', 'reflect'):
        for way in ('bilinear', 'nearest'):
            rows = np.array([[1.1, .2, -.7, .1, .9, .3, .01, -.02], [.8, 0., 1., 0., 1.2, -2., 0., 0.]], 'float32')
            found[mode + way] = brief(image.affine_transform(IMAGES, rows, way, mode, .5))
    found['rgb_to_hsv'] = brief(image.rgb_to_hsv(IMAGES))
    found['hsv_to_rgb'] = brief(image.hsv_to_rgb(IMAGES))
    found['grayscale'] = brief(image.rgb_to_grayscale(IMAGES))
    found['patches'] = brief(image.extract_patches(IMAGES, (3, 2), strides=2, padding='same'))
    found['crop'] = brief(image.crop_images(IMAGES, 1, 2, target_height=4, target_width=3))
    found['pad'] = brief(image.pad_images(IMAGES, 1, 2, target_height=12, target_width=13))
    places = RANDOM_PLACES.astype('float32')
    found['map_coordinates'] = [brief(image.map_coordinates(IMAGES, places, order, mode))
                                for order in (0, 1) for mode in ('constant', 'nearest', 'mirror')]
    found['blur'] = brief(image.gaussian_blur(IMAGES, (3, 3), (1., 2.)))
    found['perspective'] = brief(image.perspective_transform(
        IMAGES, np.array([[[0, 0], [0, 7], [8, 0], [8, 7]]] * 2, 'float32'),
        np.array([[[1, 0], [0, 6], [8, 1], [7, 7]]] * 2, 'float32')))
    found['elastic'] = brief(image.elastic_transform(IMAGES, alpha=5., sigma=2., seed=3))
    return found


RANDOM_PLACES = RANDOM.rand(4, 5, 6) * np.array([1, 7, 6, 2])[:, None, None]


def transforms():
    """Fourier transforms and spectrograms, with gradients."""
    found = {}
    x, y = tf.constant(SOUND[:, :16]), tf.constant(SOUND[:, 16:32])
    square = [tf.reshape(t, [2, 4, 4]) for t in (x, y)]
    for name, call, given in (
            ('fft', lambda a, b: ops.fft((a, b)), [x, y]), ('ifft2', lambda a, b: ops.ifft2((a, b)), square),
            ('fft2', lambda a, b: ops.fft2((a, b)), square),
            ('rfft', lambda a, b: ops.rfft(a, 20), [x, y]), ('irfft', lambda a, b: ops.irfft((a, b), 30), [x, y]),
            ('stft', lambda a, b: ops.stft(a, 8, 4, 16), [x, y]),
            ('istft', lambda a, b: ops.istft(ops.stft(a, 8, 4, 16, center=False), 8, 4, 16, center=False), [x, y])):
        with tf.GradientTape() as tape:
            tape.watch(given)
            out = tf.nest.flatten(call(*given))
            loss = tf.add_n([tf.reduce_sum(o ** 2 * tf.sin(tf.cast(tf.range(o.shape[-1]), o.dtype))) for o in out])
        found[name] = [brief(t) for t in [*out, *[g for g in tape.gradient(loss, given) if g is not None]]]
    found['windows'] = [np.asarray(f(6)).tolist() for f in (ops.hanning, ops.hamming, ops.blackman, ops.bartlett)]
    found['kaiser'] = np.asarray(ops.kaiser(6, 4.)).tolist()
    return found


def sequences():
    """Losses and decoders of sequences."""
    labels = np.array([[1, 2, 2], [3, 1, 0]])
    found = {}
    scores = tf.constant(SCORES)
    for mask in (0, 4):
        with tf.GradientTape() as tape:
            tape.watch(scores)
            loss = ops.ctc_loss(labels, scores, np.array([3, 2]), np.array([7, 6]), mask_index=mask)
        found[f'loss{mask}'] = [np.asarray(loss).tolist(), brief(tape.gradient(loss, scores))]
    with tf.GradientTape() as tape:
        tape.watch(scores)
        loss = ops.ctc_loss(np.array([[1, 0, 2], [0, 0, 3]]), scores, np.array([3, 3]), np.array([7, 6]))
    found['blank among labels'] = [np.asarray(loss).tolist(), brief(tape.gradient(loss, scores))]
    for strategy in ('greedy', 'beam_search'):
        decoded, likely = ops.ctc_decode(SCORES, np.array([7, 6]), strategy=strategy, mask_index=4,
                                         **({'top_paths': 2, 'beam_width': 6} if strategy == 'beam_search' else {}))
        found[strategy] = [np.asarray(decoded).tolist(), np.asarray(likely).tolist()]
    found['class'] = float(keras.losses.CTC()(np.array([[1, 2, 2], [3, 1, 0]]), SCORES))
    return found


def quantizers():
    """Numbers in a few bits."""
    found = {}
    x = tf.constant(SCORES)
    for axis in (None, -1):
        with tf.GradientTape() as tape:
            tape.watch(x)
            low, high = (-1., 1.5) if axis is None else ([-1.] * 5, [1.5] * 5)
            out = keras.quantizers.fake_quant_with_min_max_vars(x, low, high, 4, False, axis)
        found[str(axis)] = [brief(out), brief(tape.gradient(out, x))]
    return found


def distinct():
    """keras.ops.unique of rows and of elements."""
    rows = np.array([[1, 2, 1], [1, 2, 1], [0, 2, 0]])
    return [np.asarray(t).tolist() for t in tf.nest.flatten(
        [ops.unique(rows, axis=0), ops.unique(rows.ravel(), return_counts=True, return_inverse=True)])]


PROGRAMS = {'images': images, 'transforms': transforms, 'sequences': sequences, 'quantizers': quantizers,
            'distinct': distinct, **{'data_' + n: (lambda n=n: layer(n)) for n in LAYERS}}
