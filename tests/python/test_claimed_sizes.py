"""Files and messages of a few bytes that say they are huge: refused before memory is taken, where others still load."""
import gzip
import resource
import struct
import unittest
import zlib

import footlight as tf

PROGRESSIVE = tf.io.encode_jpeg(tf.zeros([16, 16, 3], tf.uint8), progressive=True).numpy()


def of_size(height, width):
    """A progressive JPEG that says it has so many pixels; its sizes stand behind the marker FF C2."""
    at = PROGRESSIVE.index(b'\xff\xc2')
    return PROGRESSIVE[:at + 5] + struct.pack('>HH', height, width) + PROGRESSIVE[at + 9:]


def png(height, width, bits, kind, rows):
    def chunk(name, data):
        return struct.pack('>I', len(data)) + name + data + struct.pack('>I', zlib.crc32(name + data))
    return (b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', width, height, bits, kind, 0, 0, 0)) +
            chunk(b'IDAT', zlib.compress(rows, 9)) + chunk(b'IEND', b''))


def peak():
    """The most memory that this process had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10


class ClaimedSizes(unittest.TestCase):

    def refuse(self, call, error, text):
        before = peak()
        with self.assertRaisesRegex(error, text):
            call()
        self.assertLess(peak() - before, 100)

    def test_jpeg(self):
        self.assertEqual(tf.io.decode_jpeg(PROGRESSIVE).shape, [16, 16, 3])
        self.assertEqual(tf.io.decode_jpeg(of_size(512, 512), ratio=8, try_recover_truncated=True).shape, [64, 64, 3])
        for side, ratio in ((40000, 8), (65500, 8), (22000, 2), (11500, 1)):
            for recover in (True, False):
                self.refuse(lambda: tf.io.decode_jpeg(of_size(side, side), ratio=ratio, try_recover_truncated=recover),
                            tf.errors.InvalidArgumentError, 'Invalid JPEG data: .* takes .* [GM]B')
        self.refuse(lambda: tf.io.decode_image(of_size(11500, 11500)), tf.errors.InvalidArgumentError, 'Invalid JPEG data')
        self.refuse(lambda: tf.io.decode_and_crop_jpeg(of_size(11500, 11500), [0, 0, 8, 8]),
                    tf.errors.InvalidArgumentError, 'Invalid JPEG data')

    def test_png(self):
        whole = png(64, 64, 8, 0, b''.join(b'\0' + bytes(64) for _ in range(64)))
        self.assertEqual(tf.io.decode_png(whole).shape, [64, 64, 1])
        self.assertEqual(tf.io.decode_png(png(64, 64, 1, 0, bytes(9 * 64)), channels=4).shape, [64, 64, 4])
        for side, bits, kind, channels in ((20000, 8, 0, 0), (12000, 8, 2, 3), (11000, 1, 0, 4)):
            self.refuse(lambda: tf.io.decode_png(png(side, side, bits, kind, bytes(100)), channels=channels),
                        tf.errors.InvalidArgumentError, 'Invalid PNG data: the image takes')

    def test_tensor_proto(self):
        def proto(dtype, *shape):
            size = b''.join(b'\x12' + bytes([len(d) + 1]) + b'\x08' + d for d in map(varint, shape))
            return b'\x08' + bytes([dtype.as_datatype_enum]) + b'\x12' + bytes([len(size)]) + size

        def varint(value):
            out = b''
            while value > 127:
                out, value = out + bytes([value & 127 | 128]), value >> 7
            return out + bytes([value])
        self.assertEqual(tf.io.parse_tensor(proto(tf.float32, 3, 2), tf.float32).shape, [3, 2])
        for dtype, count in ((tf.int64, 1 << 28), (tf.string, 1 << 25), (tf.float32, 1 << 40)):
            self.refuse(lambda: tf.io.parse_tensor(proto(dtype, count), dtype), tf.errors.ResourceExhaustedError,
                        'the TensorProto takes .* cannot hold')

    def test_gzip_members(self):
        a, b = gzip.compress(b'ab'), gzip.compress(b'cd' * 100_000)
        for function in (tf.io.decode_compressed, tf.function(tf.io.decode_compressed)):
            for data, expected in ((a + b, b'ab' + b'cd' * 100_000), (gzip.compress(b'') + a + gzip.compress(b''), b'ab'),
                                   (a, b'ab'), (b + b + b, b'cd' * 300_000)):
                self.assertEqual(function(data, 'GZIP').numpy(), expected)
            self.assertEqual(function(zlib.compress(b'ab') + b'more', 'ZLIB').numpy(), b'ab')
            for data in (a + b'junkjunkjunk', a + b[:-5], a + bytes(8), a[:-1], b[:100]):
                with self.assertRaises(tf.errors.DataLossError):
                    function(data, 'GZIP')

    def test_what_deflate_can_reach_is_decoded(self):
        rows = bytes((9000 // 8 + 1) * 9000)  # 9,000 x 9,000 bits of one value, in four channels
        self.assertEqual(tf.io.decode_png(png(9000, 9000, 1, 0, rows), channels=4).shape, [9000, 9000, 4])
