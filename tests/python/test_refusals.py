"""Arguments that a function cannot take raise the right exception, with a message that says what was wrong."""
import collections
import pickle
import unittest

import footlight as tf

Invalid = tf.errors.InvalidArgumentError


class Scalars(unittest.TestCase):
    """An empty tensor is not a number."""

    def refused(self, call, *args, **kwargs):
        with self.assertRaisesRegex((Invalid, ValueError), "must (be a scalar|have rank 0)"):
            call(*args, **kwargs)

    def test_empty(self):
        x = tf.ones([2, 3])
        none = tf.zeros([0], tf.int32)
        self.refused(tf.one_hot, [0, 1], [])
        self.refused(tf.one_hot, [0, 1], 3, tf.zeros([0]), 0.0)
        self.refused(tf.random.split, [1, 2], num=[])
        self.refused(tf.concat, [x, x], [])
        self.refused(tf.gather, x, [0], axis=none)
        self.refused(tf.linspace, -100, 2, tf.zeros([0, 3]))
        self.refused(tf.math.bincount, [1], maxlength=tf.zeros([0]))
        self.refused(tf.math.confusion_matrix, [1], [0], num_classes=none)
        self.refused(tf.fingerprint, ["a"], method=tf.zeros([0], tf.string))

    def test_fill(self):
        for value in ([1.], [[1, 2]], tf.zeros([0])):
            self.assertRaisesRegex(Invalid, 'scalar', tf.fill, [2], value)
        self.assertRaises(ValueError, tf.math.multiply_no_nan, 3, tf.constant([1.]))

    def test_scale_and_translation(self):
        gradient, image = tf.ones([1, 2, 4, 1]), tf.ones([1, 4, 3, 1])

        def call(scale, translation):
            return tf.raw_ops.ScaleAndTranslateGrad(grads=gradient, original_image=image, scale=scale,
                                                    translation=translation, kernel_type='box', antialias=False)
        unknown = tf.function(call, input_signature=[tf.TensorSpec(None), tf.TensorSpec(None)])
        for scale, translation in (([.5, 1.25], -1.), (2., [0., 0.]), ([1., 1., 1.], [0., 0.]), ([1., 1.], [[0., 0.]])):
            for made in (call, unknown):
                self.assertRaisesRegex((Invalid, ValueError), '1-dimensional with 2 elements', made, tf.constant(scale),
                                       tf.constant(translation))
        self.assertEqual(unknown(tf.constant([.5, 1.25]), tf.constant([0., 0.])).shape, image.shape)

    def test_radius(self):
        x = tf.random.normal([1, 2, 2, 3])
        self.assertRaisesRegex(Invalid, "depth_radius", tf.nn.local_response_normalization, x, depth_radius=-1)
        wide = tf.nn.local_response_normalization(x, depth_radius=1 << 40)
        tf.debugging.assert_near(wide, tf.nn.local_response_normalization(x, depth_radius=3))


def traced(call):
    return tf.function(call, autograph=False)


class AlikeWhenTraced(unittest.TestCase):
    """What is refused eagerly is refused in a graph, and what is taken there is taken here."""

    def both(self, message, call):
        for way in (call, traced(call)):
            self.assertRaisesRegex((Invalid, ValueError), message, way)

    def late(self, kind, message, call, value):
        """A function of a tensor whose rank is not known while it is traced."""
        function = tf.function(call, input_signature=[tf.TensorSpec(None)], autograph=False)
        self.assertRaisesRegex(kind, message, function, value)

    def test_refused(self):
        x = tf.ones([1000])
        self.both('num_split is 0', lambda: tf.split(x, tf.ones([1000], tf.int32), num=0))
        self.both('size must have rank 0', lambda: tf.math.bincount(tf.constant([1]), minlength=tf.constant([[3]])))
        self.both('num_rows must have rank 0', lambda: tf.eye(tf.constant([3])))
        self.both('does not index|out of bound|negative',
                  lambda: tf.math.confusion_matrix(tf.constant([1, 0]), tf.constant([float('nan'), 1.])))

    def test_inputs_that_a_kernel_would_read_too_far(self):
        raw, image = tf.raw_ops, tf.ones([2, 3, 4, 2])
        windows = dict(ksize=[1, 2, 3, 1], strides=[1, 1, 2, 1], padding='SAME')
        half = tf.complex(tf.ones([2, 3]), tf.zeros([2, 3]))

        def of_k(k):
            return raw.InTopKV2(predictions=tf.ones([2, 3]), targets=[2, 1], k=tf.cast(k, tf.int32))

        def of_gradient(grad):
            return raw.MaxPoolGradGradWithArgmax(input=image, grad=grad, argmax=tf.zeros([2, 3, 2, 2], tf.int64), **windows)
        for k in (tf.zeros([0]), tf.zeros([1])):
            self.both('k must be 0-D', lambda: of_k(k))
            self.late(Invalid, 'k must be 0-D', of_k, k)
        self.both('Expected grad shape', lambda: of_gradient(tf.ones([1])))
        self.late(Invalid, 'Expected grad shape', of_gradient, tf.ones([1]))
        none = tf.zeros([0], tf.int32)
        self.both('at least one dimension', lambda: raw.IRFFTND(input=half, fft_length=[2, 5], axes=none))
        self.both('at least one dimension', lambda: raw.RFFTND(input=tf.ones([2, 3]), fft_length=none, axes=none))
        # Lengths for which there is no axis count for nothing.
        tf.debugging.assert_near(raw.IRFFTND(input=half, fft_length=[4, 99], axes=[1]), raw.IRFFT(input=half, fft_length=[4]))
        tf.debugging.assert_near(raw.RFFTND(input=tf.ones([2, 3]), fft_length=[3, 1], axes=[1]), tf.signal.rfft(tf.ones([2, 3])))
        for key, counter in (([1], [2]), ([], [1, 2])):
            self.both('counter 2', lambda: raw.StatelessShuffle(value=[1, 2, 3], key=tf.constant(key, tf.uint64),
                                                                  counter=tf.constant(counter, tf.uint64), alg=1))
        def placed(strides):
            return raw.StridedSliceGrad(shape=[3], begin=[0], end=[3], strides=tf.cast(strides, tf.int32), dy=[1., 2., 3.])
        self.both('equally many', lambda: placed(tf.zeros([0])))
        self.late(Invalid, 'equally many', placed, tf.zeros([0]))

        variable = tf.Variable([1., 2., 3.])
        with self.assertRaisesRegex(Invalid, 'equally many'):
            raw.ResourceStridedSliceAssign(ref=variable.handle, begin=[0], end=[3], strides=tf.zeros([0], tf.int32), value=[5., 6., 7.])

        def offset(axis):
            return raw.ConcatOffset(concat_dim=tf.cast(axis, tf.int32), shape=[[2, 3], [2, 1]])
        self.both('should be a scalar', lambda: offset(tf.zeros([3, 0])))
        self.late(Invalid, 'should be a scalar', offset, tf.zeros([3, 0]))
        for shape in ([2, None], [None, 2]):
            self.both('not fully defined', lambda: raw.ParallelConcat(values=[tf.ones([1, 2])] * 2, shape=tf.TensorShape(shape)))
        for axes in ((1., 2.), [[1.], [0]], ([0], [[1]])):
            self.assertRaisesRegex(TypeError, 'integer', tf.tensordot, half, half, axes)

    def test_axes_that_no_tensor_has(self):
        x = tf.ones([2, 3])
        self.assertRaises(ValueError, tf.boolean_mask, x, [True, False], axis=2**63 - 1)
        self.assertRaises(ValueError, tf.repeat, x, 2, axis=2**61)
        self.late(ValueError, 'dimensions', lambda x: tf.repeat(x, tf.constant([1, 0]), 2**61), x)
        self.late(ValueError, 'dimensions', lambda x: tf.boolean_mask(x, [True, False], axis=2**63 - 1), x)

    def test_tensors_of_other_shapes_in_a_parallel_stack(self):
        self.assertRaisesRegex((Invalid, ValueError), 'same shape',
                               traced(lambda: tf.parallel_stack([tf.ones([8, 8]), tf.ones([70])])))
        self.late(Invalid, 'same shape', lambda x: tf.parallel_stack([tf.ones([2]), x]), tf.ones([300]))
        self.late(Invalid, 'same shape', lambda x: tf.parallel_stack([tf.ones([300]), x]), tf.ones([2]))
        self.assertEqual(memoryview(traced(lambda: tf.parallel_stack([[1, 2], [3, 4]]))()).tolist(), [[1, 2], [3, 4]])

    def test_how_many_points(self):
        number = tf.TensorSpec(None, tf.int32)
        function = tf.function(lambda n: tf.linspace([0., 1.], 2., num=n), input_signature=[number])
        self.assertEqual(memoryview(function(tf.constant([1]))).tolist(), [[0., 1.]])
        one = tf.linspace([0., 1.], 2., num=tf.constant([1]))
        self.assertEqual(memoryview(one).tolist(), [[0., 1.]])
        for refused in ([1, 2], -1, [-1], -5):
            self.assertRaises((Invalid, ValueError), function, tf.constant(refused))
        self.both('limit|must not be negative', lambda: tf.linspace(0., 1., num=tf.constant(-1, tf.complex64)))

    def test_labels_of_one_row_for_a_batch_of_unknown_size(self):
        call = lambda x: tf.nn.softmax_cross_entropy_with_logits(tf.ones([1, 2]), x)
        for shape in ([None, None], [None, 2], [3, None], None):
            function = tf.function(call, input_signature=[tf.TensorSpec(shape)])
            self.assertEqual(function(tf.ones([3, 2])).shape, [3])

    def test_dimensions_of_one_element(self):
        x = tf.constant(True, shape=[1] * 40 + [3])
        for call in (lambda: tf.reduce_all(x), lambda: tf.reduce_all(x, [3, 40])):
            self.assertEqual(bool(tf.reduce_all(traced(call)())), bool(tf.reduce_all(call())))

    def test_distributions_that_there_are(self):
        for which in (-1, 5, 7):
            self.assertRaisesRegex(Invalid, 'no distribution', tf.random.Generator.from_seed(1)._draw, which, [1], tf.float32)

    def test_sizes_of_any_integer_type(self):
        for kind in (tf.uint8, tf.uint16, tf.int16, tf.uint32):
            for call in (lambda: tf.zeros([tf.constant(2, kind), 1]), lambda: tf.eye(tf.constant(2, kind), 1)):
                self.assertEqual(call().shape, [2, 1])
                self.assertEqual(traced(call)().shape, [2, 1])


class LargeNumbers(unittest.TestCase):
    """Integers that do not fit in 32 bits, and element counts that do not fit in 64."""

    def test_strides_without_a_second_window(self):
        x, f = tf.random.normal([1, 3, 3, 1]), tf.random.normal([2, 2, 1, 1])
        most = 2**31 - 1
        for call, huge in ((lambda step, p: tf.nn.conv2d(x, f, [1, 1, step, 1], p), most),
                           (lambda step, p: tf.nn.depthwise_conv2d(x, f, [1, step, step, 1], p), most),
                           (lambda step, p: tf.nn.max_pool2d(x, 2, [1, 1, step, 1], p), most),
                           (lambda step, p: tf.nn.avg_pool2d(x, 2, [1, 1, step, 1], p), most),
                           (lambda step, p: tf.nn.conv3d(x[..., None], f[..., None], [1, 1, 1, step, 1], p), 2**62)):
            for padding in ('VALID', 'SAME'):
                results = []
                for step in (5, huge):
                    with tf.GradientTape() as tape:
                        tape.watch([x, f])
                        y = call(step, padding)
                    results.append([y] + [g for g in tape.gradient(y, [x, f]) if g is not None])
                for few, many in zip(*results):
                    tf.debugging.assert_equal(few, many)

    def test_matrices_without_elements(self):
        for call in (tf.linalg.svd, tf.linalg.qr):
            self.assertEqual(call(tf.zeros([3, 0, 2**40]))[0].shape.num_elements(), 0)

    def test_many_repeats(self):
        self.assertRaises((MemoryError, ValueError, tf.errors.ResourceExhaustedError), tf.repeat, tf.ones([2, 3]),
                          [0, 1, 2**50], 1)

    def test_numbers_past_float32(self):
        """Infinite beside a tensor or if the dtype is given; refused where nobody asked for float32."""
        for call in (tf.constant, tf.convert_to_tensor, lambda x: tf.constant([x]), lambda x: tf.cast(x, tf.float32)):
            self.assertRaisesRegex(ValueError, 'too large', call, 1e40)
        x, most = tf.constant([1.]), float('inf')
        for y in (x * 1e40, 1e40 * x, x + 10**40, tf.constant([1e40], tf.float32), tf.constant(1e40, tf.float32, [1]),
                  tf.where([False], x, 1e40), tf.maximum(x, 1e40)):
            self.assertEqual(memoryview(y).tolist(), [most])
        self.assertRaises(ValueError, tf.constant, 10**400, tf.float32)

    def test_sizes(self):
        gone = (Invalid, ValueError, tf.errors.ResourceExhaustedError)
        x = tf.constant([1.0, 2.0])
        for call in (lambda: tf.zeros([1 << 40, 1 << 40]), lambda: tf.zeros([1 << 32, 1 << 32]),
                     lambda: tf.reshape(x, [2, 2**32 + 1]), lambda: tf.split(x, [2**32 + 1, 1]),
                     lambda: tf.tile([1.0], [1 << 62]), lambda: tf.tile(x, [1 << 62]),
                     lambda: tf.pad([1.0], [[1 << 62, 1 << 62]]), lambda: tf.linspace(0.0, 1.0, 1 << 40),
                     lambda: tf.nn.conv2d(tf.ones([1, 2, 2, 1]), tf.ones([1, 1, 1, 1]), 2**32 + 1, "SAME")):
            self.assertRaises(gone, call)

    def test_range_dtypes(self):
        """tf.range has the dtypes of TensorFlow's kernels, and mixes only these."""
        for dtype in (tf.int8, tf.uint8, tf.int16, tf.uint16, tf.uint32, tf.uint64, tf.complex64):
            four = tf.cast(4, dtype)
            self.assertRaisesRegex(TypeError, f'is {dtype.name}; convert it', tf.range, four)
            self.assertRaisesRegex(TypeError, f'is {dtype.name}; convert it', tf.range, tf.constant(1, tf.int64), four)
            self.assertRaises(TypeError, tf.function(lambda: tf.range(four)))
            self.assertRaises(Invalid, tf.range, 4, dtype=dtype)
            self.assertRaises(Invalid, tf.raw_ops.Range, start=four, limit=four, delta=four)
            self.assertEqual(tf.range(four, dtype=tf.int64).numpy().tolist(), [0, 1, 2, 3])
        self.assertRaisesRegex(TypeError, 'is bool; convert it', tf.range, tf.constant(1, tf.int64), tf.constant(True))
        for dtype in (tf.int32, tf.int64, tf.float16, tf.bfloat16, tf.float32, tf.float64):
            self.assertEqual(tf.cast(tf.range(1, tf.cast(4, dtype)), tf.int32).numpy().tolist(), [1, 2, 3])
        self.assertRaises(Invalid, tf.sequence_mask, tf.constant([1], tf.uint8))

    def test_sizes_past_64_bits(self):
        """None of them may turn negative, which would mean unknown: they are refused before anything is allocated."""
        gone = (Invalid, ValueError, tf.errors.ResourceExhaustedError)
        most, half = (1 << 63) - 1, 1 << 62
        x, none = tf.constant([1, 2, 3]), tf.zeros([0, half])
        images, volumes = tf.ones([1, 2, 2, 1]), tf.ones([1, 2, 2, 2, 1])
        for call in (lambda: tf.nn.conv1d_transpose(tf.ones([1, 2, 3]), 3., 0, [3], 'VALID'),
                     lambda: tf.nn.conv2d_transpose(images, tf.ones([1, 1, 1, 1]), [1, -1, 2, 1], 1),
                     lambda: tf.sequence_mask(most),
                     lambda: tf.range(-most, most, 1), lambda: tf.range(most, -most, -1),
                     lambda: tf.range(tf.constant(-most - 1), tf.constant(most), tf.constant(2, tf.int64)),
                     lambda: tf.concat([none] * 3, 1), lambda: tf.concat([none] * 4, 1), lambda: tf.tile(none, [1, 4]),
                     lambda: tf.stack([none] * 4, 1), lambda: tf.pad(none, [[0, 0], [half, half]]),
                     lambda: tf.matmul(tf.zeros([1 << 40, 0]), tf.zeros([0, 1 << 40])),
                     lambda: tf.math.segment_sum([1.], [most]), lambda: tf.math.segment_max([1.], [most - 1]),
                     lambda: tf.math.unsorted_segment_sum([1.], [0], most), lambda: tf.one_hot(tf.zeros([0, half], tf.int32), 4),
                     lambda: tf.repeat([1., 2.], most), lambda: tf.repeat([1., 2.], [most, most]),
                     lambda: tf.repeat([1., 2.], [1 << 50, 1]), lambda: tf.fill([half, 4], 1),
                     lambda: tf.zeros([half, 0, 4]), lambda: tf.broadcast_to(1, [1 << 40, 1 << 40]),
                     lambda: tf.random.normal([1 << 40, 1 << 40]), lambda: tf.eye(1 << 31, dtype=tf.uint16),
                     lambda: tf.eye((1 << 31) - 1, dtype=tf.uint16), lambda: tf.eye(2, batch_shape=[1 << 32, 1 << 32]),
                     lambda: tf.reshape(tf.zeros([0]), [0, half, 4]), lambda: tf.slice(x, [1], [most]),
                     lambda: tf.slice(x, [-most], [-1]), lambda: tf.split(x, [most, most]),
                     lambda: tf.scatter_nd([[0]], [1.], [half]),
                     lambda: tf.nn.space_to_depth(images, 1 << 32), lambda: tf.nn.depth_to_space(images, 1 << 32),
                     lambda: tf.nn.avg_pool2d(images, 1 << 32, 1, 'SAME'),
                     lambda: tf.nn.conv2d(images, tf.ones([2, 2, 1, 1]), 1, 'VALID', dilations=most),
                     lambda: tf.extract_volume_patches(volumes, [1, half, half, 1, 1], [1] * 5, 'SAME'),
                     lambda: tf.unravel_index(tf.constant(5, tf.int64), tf.constant([half, 4])),
                     lambda: tf.space_to_batch(images, [half, half], [[0, half - 2], [0, half - 2]]),
                     lambda: tf.fill([-1], 1),
                     lambda: tf.TensorShape(None).with_rank(1 << 31), lambda: tf.TensorShape(None)[:1 << 33]):
            self.assertRaises(gone, call)
            self.assertRaises(gone, tf.function(call))

    def test_extreme_bounds(self):
        most = (1 << 63) - 1
        x = tf.constant([1, 2, 3])
        for t in (x[-most - 1:most:most], tf.strided_slice(x, [0], [3], [most]), x[:most:most], x[-most:1],
                  tf.strided_slice(x, tf.constant([0], tf.int64), [3], [most]),
                  tf.function(lambda x: tf.strided_slice(x, [0], [3], [most]))(x)):
            self.assertEqual(memoryview(t).tolist(), [1])
        for t in (x[most:-most:-most], x[::-most], tf.strided_slice(x, [most], [-most - 1], [-most - 1])):
            self.assertEqual(memoryview(t).tolist(), [3])
        self.assertEqual(memoryview(tf.constant([[1, 2, 3], [4, 5, 6]])[::most, ::2]).tolist(), [[1, 3]])
        self.assertEqual(memoryview(tf.range(-most - 1, most, most)).tolist(), [-most - 1, -1, most - 1])
        with tf.GradientTape() as tape:
            v = tf.Variable([1., 2., 3.])
            y = v[::most] * 5.
        self.assertEqual(memoryview(tf.convert_to_tensor(tape.gradient(y, v))).tolist(), [5., 0., 0.])
        self.assertEqual(tf.zeros([0, 1 << 62]).shape, [0, 1 << 62])
        self.assertEqual(tf.TensorShape(None).with_rank(254).rank, 254)
        self.assertEqual(tf.nn.max_pool2d(tf.ones([1, 2, 2, 1]), 1 << 20, (1 << 31) - 1, 'SAME').shape, [1, 1, 1, 1])
        self.assertRaises(Invalid, tf.slice, x, tf.constant([0]), [1 << 32])

    def test_bins(self):
        self.assertRaisesRegex(Invalid, r'size \(2147483648\) does not fit int32', tf.math.bincount, [2**31 - 1])
        self.assertRaisesRegex(Invalid, r'size \(-2147483648\) must be non-negative', tf.function(tf.math.bincount),
                               tf.constant([2**31 - 1]))
        self.assertEqual(tf.math.bincount([2**31 - 1], maxlength=3).shape, [3])
        for value in (1 << 62, (1 << 63) - 1):
            self.assertRaises(tf.errors.ResourceExhaustedError, tf.math.bincount, tf.constant([value], tf.int64))

    def test_traced(self):
        made = tf.function(lambda n: tf.fill([n], 1)).get_concrete_function(tf.TensorSpec([], tf.int64))
        self.assertEqual(made.output_shapes.rank, 1)


class Composites(unittest.TestCase):
    """Arguments that may be of several types."""

    def test_split_by_tensors(self):
        x = tf.reshape(tf.range(8), [4, 2])
        cut = lambda k: [part.shape[0] if part.shape[0] is not None else -1 for part in tf.split(x, [k, 4 - k])]
        self.assertEqual(cut(tf.constant(1)), [1, 3])
        first, second = tf.function(lambda k: tf.split(x, [k, 4 - k]))(tf.constant(3))
        self.assertEqual((first.shape[0], second.shape[0]), (3, 1))
        self.assertEqual(len(tf.split(x, True)), 1)
        self.assertRaises(ValueError, tf.split, x, 2.0)

    def test_types(self):
        self.assertRaises(Invalid, tf.strings.regex_replace, ["a"], ["b"], "c")
        self.assertRaises(Invalid, tf.strings.regex_replace, ["a"], "b", ["c"])
        self.assertRaises(Invalid, tf.strings.regex_full_match, "a", [])
        self.assertRaises(Invalid, tf.clip_by_norm, [1.0], 1.0, axes="a")
        self.assertRaises(TypeError, tf.fingerprint, ["a"], method=1)
        self.assertRaises(TypeError, tf.gather_nd, [[1]], [[0]], batch_dims='a')
        self.assertRaises(Invalid, tf.gather_nd, [[1]], [[0]], batch_dims=tf.zeros([0], tf.int32))
        self.assertRaises(TypeError, tf.function(lambda n: tf.gather_nd([[1]], [[0]], batch_dims=n)), tf.constant(0))
        self.assertRaises(Invalid, tf.nn.embedding_lookup, tf.ones([4, 3]), [0], max_norm=())
        self.assertRaises(Invalid, tf.unstack, [1, 1], num=-100)
        self.assertEqual(tf.math.accumulate_n([[1], [2]], shape=tf.constant([1]))[0], 3)

    def test_input_signatures_and_parameters(self):
        one = tf.TensorSpec([])
        for function, signature in ((lambda x: x, ()), (lambda x, y: x, [one]), (lambda x, *, y: x, [one]),
                                    (lambda x: x, [one, one]), (lambda **x: 1, [one]), (lambda self: self, [one])):
            self.assertRaisesRegex(TypeError, 'input_signature', tf.function, function, input_signature=signature)
        for function, signature in ((lambda x, y=2: x, [one]), (lambda *x: x, [one, one]), (lambda self, x: x, [one])):
            tf.function(function, input_signature=signature)

    def test_dtypes_that_are_not_here(self):
        self.assertRaisesRegex(TypeError, 'float8_e4m3fn.*not in Footlight yet', tf.cast, 1.0, 'float8_e4m3fn')

    def test_stack(self):
        self.assertEqual(tf.stack([1, 2.5]).dtype, tf.float32)
        self.assertEqual(tf.stack([[1, 2], [3.0, 4]]).shape, (2, 2))
        self.assertEqual(tf.stack([1, 1 << 40]).dtype, tf.int64)
        empty = tf.stack([])
        self.assertEqual((empty.shape, empty.dtype), ((0,), tf.float32))

    def test_unknown_dimension(self):
        self.assertRaises(ValueError, tf.reshape, tf.ones([4]), (None, 2))

    def test_messages_name_the_function(self):
        x = tf.ones([2, 2])
        for name, call in (("range", lambda: tf.range("a")), ("zeros", lambda: tf.zeros([1.5])),
                           ("eshape", lambda: tf.reshape(x, [2.0, 2.0])), ("where", lambda: tf.where(x > 0, x)),
                           ("normal", lambda: tf.random.normal([2], dtype=tf.int32)),
                           ("pad", lambda: tf.pad(x, [[1, 1], [1, 1]], "FOO")),
                           ("sort", lambda: tf.sort(x, direction="UP"))):
            with self.assertRaisesRegex(Exception, name):
                call()


class Mixed(unittest.TestCase):
    """If the first operand is converted on its own, the op's error says that the second does not match it."""

    def test_first_leads(self):
        for call in (lambda: tf.add(1, [1.]), lambda: tf.add(1, tf.constant(1.)), lambda: tf.add(1, 'a'),
                     lambda: tf.matmul([[1]], [[1.]]), lambda: tf.constant([[1]]) @ [[1.]]):
            self.assertRaisesRegex(Invalid, 'was expected to be', call)
        self.assertRaises(TypeError, tf.truediv, 1, tf.constant(1.))

    def test_what_is_no_tensor(self):
        self.assertEqual(tf.get_static_value({'a': 1}), {'a': 1})
        self.assertFalse(tf.TensorSpec(None).is_compatible_with(object()))
        self.assertRaises(TypeError, tf.as_dtype, list)
        self.assertRaises(ValueError, tf.print, 1, output_stream=None)

    def test_keys_only_with_types(self):
        tf.nest.assert_same_structure({'a': 1}, {'b': 2}, check_types=False)
        self.assertRaises(ValueError, tf.nest.assert_same_structure, {'a': 1}, {'b': 2})
        made = tf.nest.map_structure(lambda x: x + 1, collections.deque([1, 2]))
        self.assertEqual(made, collections.deque([2, 3]))


class Errors(unittest.TestCase):

    def test_parts(self):
        e = tf.errors.NotFoundError(None, None, 'gone', {'a': b'b'})
        again = pickle.loads(pickle.dumps(e))
        for x in (e, again):
            self.assertEqual((repr(x), str(x), x.args, x.error_code, x.experimental_payloads),
                             ('NotFoundError()', 'gone', (), 5, {'a': b'b'}))
        self.assertEqual(pickle.loads(pickle.dumps(tf.errors.OpError(None, None, 'm', 3))).error_code, 3)

    def test_conditions(self):
        tf.debugging.Assert(1., [1.])
        tf.debugging.Assert(-1, [1])
        self.assertRaises(Invalid, tf.debugging.Assert, 0., [1.])

    def test_conditions_in_traces(self):
        """A number is a condition, as outside a trace; a string is not."""
        for condition in (1., -1, tf.constant(0.5), tf.constant(1, tf.uint8)):
            tf.function(lambda: tf.debugging.Assert(condition, [1]))()
            tf.function(lambda c: tf.debugging.Assert(c, [1]))(tf.convert_to_tensor(condition))
        for condition in (0., 0, -0., tf.constant(0, tf.int64)):
            self.assertRaises(Invalid, tf.function(lambda: tf.debugging.Assert(condition, [1])))
            self.assertRaises(Invalid, tf.function(lambda c: tf.debugging.Assert(c, [1])), tf.convert_to_tensor(condition))
        for condition in ('', 'a', tf.constant('')):
            call = lambda: tf.debugging.Assert(condition, [1])
            self.assertRaisesRegex(TypeError, 'must be a bool', call)
            self.assertRaisesRegex(TypeError, 'must be a bool', tf.function(call))

    def test_variables_again(self):
        for given in ({}, {'aggregation': tf.VariableAggregation.SUM}):
            v = tf.Variable(1., **given)
            self.assertEqual(pickle.loads(pickle.dumps(v)).aggregation, v.aggregation)
            self.assertEqual(tf.Variable(2., aggregation=v.aggregation).aggregation, v.aggregation)
        self.assertEqual(tf.VariableAggregation.NONE, tf.Variable(1.).aggregation)

    def test_endless_lists(self):
        endless = [1]
        endless.append(endless)
        for call in (tf.constant, tf.stack, tf.math.add_n, tf.zeros, tf.nest.flatten):
            self.assertRaises((ValueError, RecursionError), call, endless)

    def test_endless_sequences_as_shapes(self):
        class Endless:
            def __init__(self, item):
                self.item, self.reads = item, 0

            def __getitem__(self, i):
                self.reads += 1
                return self.item

        for call in (tf.TensorShape, tf.TensorSpec):
            shape = Endless(object())
            self.assertRaisesRegex(TypeError, 'A dimension must be an integer', call, shape)
            self.assertEqual(shape.reads, 1)
            self.assertRaisesRegex(ValueError, 'a shape has at most', call, Endless(None))

    def test_many_branches(self):
        """The branches of a call outside of a trace are not nested; in a trace those of tf.case are."""
        self.assertEqual(tf.switch_case(tf.constant(99999), [lambda i=i: i for i in range(100000)]), 99999)
        self.assertEqual(tf.case([(tf.constant(False), lambda: 1)] * 100000, lambda: 2), 2)
        self.assertRaises(TypeError, tf.switch_case, tf.zeros([3, 0]), 'a' * 100000)

        @tf.function(autograph=False)
        def staged(i):
            return tf.switch_case(i, [lambda: 1.] * 8000)  # cubic work would take a quarter of an hour
        self.assertEqual(float(staged(tf.constant(1))), 1.)

        @tf.function(autograph=False)
        def nested(i):
            return tf.case([(i < 0, lambda: 1.)] * 2000)
        self.assertRaises(RecursionError, nested, tf.constant(1))
