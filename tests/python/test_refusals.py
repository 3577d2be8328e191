"""What a function cannot take is refused with the right exception and a message that says what was wrong."""
import unittest

import footlight as tf

Invalid = tf.errors.InvalidArgumentError


class Scalars(unittest.TestCase):
    """An empty tensor is no number."""

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

    def test_radius(self):
        x = tf.random.normal([1, 2, 2, 3])
        self.assertRaisesRegex(Invalid, "depth_radius", tf.nn.local_response_normalization, x, depth_radius=-1)
        wide = tf.nn.local_response_normalization(x, depth_radius=1 << 40)
        tf.debugging.assert_near(wide, tf.nn.local_response_normalization(x, depth_radius=3))


if __name__ == "__main__":
    unittest.main()
